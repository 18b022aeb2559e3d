package dev.baton.kernels.model.gguf;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/**
 * The small model that comes with Baton, so that a first answer needs no download. It is unpacked once into the cache folder
 * under a name that carries its content's hash, by an atomic rename, so processes that start together do not disturb each
 * other.
 */
public final class EmbeddedModel {

    /** The name requests know it by. */
    public static final String NAME = "house";

    private static final String RESOURCE = "/dev/baton/models/house-q8_0.gguf";

    private EmbeddedModel() {}

    /** Opens it; the caller closes it. */
    public static GgufModel open() {
        return GgufModel.open(file());
    }

    /**
     * The unpacked file, below {@code BATON_CACHE}, or {@code XDG_CACHE_HOME/baton}, or {@code ~/.cache/baton}.
     *
     * @throws ModelFileException where the cache folder cannot be written
     */
    public static Path file() {
        return file(cacheFolder());
    }

    static Path file(Path cache) {
        byte[] content = content();
        Path file = cache.resolve("models").resolve(NAME + "-" + hash(content).substring(0, 16) + ".gguf");
        try {
            if (!Files.exists(file) || !Arrays.equals(Files.readAllBytes(file), content)) {
                unpack(content, file);
            }
            return file;
        } catch (IOException e) {
            throw new ModelFileException(
                    file,
                    "embedded model",
                    e.toString(),
                    "a cache folder that can be written",
                    "Set BATON_CACHE to a folder that can.",
                    e);
        }
    }

    private static void unpack(byte[] content, Path file) throws IOException {
        Path folder = file.resolveSibling("");
        Files.createDirectories(folder);
        Path partial = Files.createTempFile(folder, NAME, ".part");
        try {
            Files.write(partial, content);
            Files.move(partial, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } finally {
            Files.deleteIfExists(partial);
        }
    }

    private static Path cacheFolder() {
        @Nullable String own = System.getProperty("baton.cache", System.getenv("BATON_CACHE"));
        if (own != null && !own.isBlank()) {
            return Path.of(own);
        }
        @Nullable String shared = System.getenv("XDG_CACHE_HOME");
        Path base = shared != null && !shared.isBlank()
                ? Path.of(shared)
                : Path.of(System.getProperty("user.home"), ".cache");
        return base.resolve("baton");
    }

    private static byte[] content() {
        try (InputStream stream = EmbeddedModel.class.getResourceAsStream(RESOURCE)) {
            if (stream == null) {
                throw new IllegalStateException("the build left out " + RESOURCE + "; build native-kernels again");
            }
            return stream.readAllBytes();
        } catch (IOException e) {
            throw new IllegalStateException("cannot read " + RESOURCE, e);
        }
    }

    private static String hash(byte[] content) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(content));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }
}
