package dev.baton.kernels.ffi;

import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.SymbolLookup;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HexFormat;

/** Finds the library among the resources and brings it into this process. */
final class NativeLibrary {
    /** A directory to unpack into, instead of one below the temporary directory. */
    static final String CACHE_PROPERTY = "baton.native.cache";

    private NativeLibrary() {}

    static SymbolLookup load() {
        String resource = "/dev/baton/kernels/native/" + System.getProperty("os.name") + "-"
                + System.getProperty("os.arch") + "/libbaton_kernels.so";
        try (InputStream in = NativeLibrary.class.getResourceAsStream(resource)) {
            if (in == null) {
                throw new KernelException(
                        Bt.ERR_UNSUPPORTED,
                        "no native library for this platform in the jar (" + resource
                                + "): build native-kernels here, which needs cmake and g++ 12 or later");
            }
            Path file = unpack(in.readAllBytes(), directory());
            return SymbolLookup.libraryLookup(file, Arena.global());
        } catch (IOException | IllegalArgumentException e) {
            throw new KernelException(
                    Bt.ERR_UNSUPPORTED,
                    "cannot load the native library: " + e.getMessage() + ". Set -D" + CACHE_PROPERTY
                            + " to a directory of your own on a file system that allows execution",
                    e);
        }
    }

    private static Path directory() throws IOException {
        String chosen = System.getProperty(CACHE_PROPERTY);
        Path directory = chosen != null
                ? Path.of(chosen)
                : Path.of(System.getProperty("java.io.tmpdir"), "baton-native-" + System.getProperty("user.name"));
        Files.createDirectories(
                directory, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        // The temporary directory is everybody's: someone else's directory of this name could swap the file after the
        // check.
        String owner = Files.getOwner(directory, LinkOption.NOFOLLOW_LINKS).getName();
        if (chosen == null && !owner.equals(System.getProperty("user.name"))) {
            throw new IOException(directory + " belongs to " + owner);
        }
        return directory;
    }

    /** Several processes may do this at once: each writes its own file and renames it; the last one wins with equal bytes. */
    private static Path unpack(byte[] library, Path directory) throws IOException {
        byte[] hash = sha256(library);
        Path file = directory.resolve("libbaton_kernels-" + HexFormat.of().formatHex(hash, 0, 16) + ".so");
        if (!Files.isRegularFile(file) || !Arrays.equals(sha256(Files.readAllBytes(file)), hash)) {
            Path fresh = Files.createTempFile(directory, "unpacking-", ".so");
            Files.write(fresh, library);
            Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        }
        return file;
    }

    private static byte[] sha256(byte[] bytes) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(bytes);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }
}
