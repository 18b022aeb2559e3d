package dev.baton.kernels.model.gguf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import dev.baton.kernels.model.TensorRole;
import dev.baton.kernels.tokenizer.Tokenizer;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Thousands of damaged copies of the embedded model. Each opens as a valid model or is refused by a
 * {@link ModelFileException}; nothing else may come out. A failure names the seed of its case.
 */
class GgufFuzzTest {

    private static final int CASES = 3_000;
    private static final long[] EXTREMES = {
        0, 1, -1, Long.MIN_VALUE, Long.MAX_VALUE, Integer.MAX_VALUE, 0xffff_ffffL, 1L << 32, 1L << 61, 1L << 62, 640
    };

    @TempDir
    private Path folder;

    @Test
    void damagedFilesAreRefusedOrValid() throws IOException {
        byte[] house = Files.readAllBytes(EmbeddedModel.file());
        int headerBytes;
        try (GgufFile file = GgufFile.open(EmbeddedModel.file())) {
            headerBytes = (int) file.dataStart();
        }
        Path file = folder.resolve("damaged.gguf");
        int refused = 0;
        for (int seed = 0; seed < CASES; seed++) {
            byte[] damaged = damage(house, headerBytes, new SplittableRandom(seed));
            refused += opens(() -> inMemory(file, damaged), file, seed) ? 0 : 1;
            if (seed % 50 == 0) {
                Files.write(file, damaged);
                opens(() -> GgufModel.open(file), file, seed);
            }
        }
        assertThat(refused).as("refused of " + CASES).isBetween(CASES / 3, CASES - CASES / 20);
    }

    @SuppressWarnings("MustBeClosedChecker") // the model returned owns the arena
    private static GgufModel inMemory(Path file, byte[] bytes) {
        Arena arena = Arena.ofConfined();
        try {
            MemorySegment segment = arena.allocate(Math.max(1, bytes.length)).asSlice(0, bytes.length);
            return GgufModel.of(GgufFile.parse(file, segment.copyFrom(MemorySegment.ofArray(bytes)), arena));
        } catch (ModelFileException e) {
            if (arena.scope().isAlive()) {
                arena.close();
            }
            throw e;
        }
    }

    private static boolean opens(Supplier<GgufModel> open, Path file, int seed) {
        try (GgufModel model = open.get()) {
            Tokenizer tokenizer = Tokenizer.from(model.metadata());
            tokenizer.decode(tokenizer.encode("What is 1 plus 2?", true, true));
            for (TensorRole role : TensorRole.values()) {
                for (int layer = 0; layer < (role.perLayer() ? model.config().layers() : 1); layer++) {
                    long last = model.tensor(role, layer).data().byteSize() - 1;
                    model.tensor(role, layer).data().get(ValueLayout.JAVA_BYTE, last);
                }
            }
            return true;
        } catch (ModelFileException e) {
            assertThat(e)
                    .as("seed " + seed)
                    .hasMessageContaining(file + ": ")
                    .hasMessageMatching("(?s).*found .*, expected .*");
            return false;
        } catch (RuntimeException | Error e) {
            return fail("seed " + seed + " escaped as " + e, e);
        }
    }

    private static byte[] damage(byte[] house, int headerBytes, SplittableRandom random) {
        byte[] bytes = house.clone();
        switch (random.nextInt(6)) {
            case 0 -> {
                return Arrays.copyOf(bytes, random.nextInt(random.nextBoolean() ? headerBytes : bytes.length));
            }
            case 1 -> flipBits(bytes, headerBytes, random);
            case 2 -> overwrite(bytes, random.nextInt(headerBytes - 8), random);
            case 3 -> overwrite(bytes, lengthField(bytes, headerBytes, random), random);
            case 4 -> splice(bytes, headerBytes, random);
            default -> {
                return shift(bytes, headerBytes, random);
            }
        }
        return bytes;
    }

    private static void flipBits(byte[] bytes, int headerBytes, SplittableRandom random) {
        for (int i = random.nextInt(1, 9); i > 0; i--) {
            bytes[random.nextInt(headerBytes)] ^= (byte) (1 << random.nextInt(8));
        }
    }

    private static void overwrite(byte[] bytes, int at, SplittableRandom random) {
        long value = EXTREMES[random.nextInt(EXTREMES.length)];
        ByteBuffer buffer = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
        if (random.nextBoolean()) {
            buffer.putLong(at, value);
        } else {
            buffer.putInt(at, (int) value);
        }
    }

    /** A place that holds a small 64-bit number, as counts, lengths, extents and offsets do. */
    private static int lengthField(byte[] bytes, int headerBytes, SplittableRandom random) {
        ByteBuffer buffer = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
        int from = random.nextInt(headerBytes - 8);
        for (int at = from; at < headerBytes - 8; at++) {
            long value = buffer.getLong(at);
            if (value > 0 && value < 1 << 20) {
                return at;
            }
        }
        return 8;
    }

    private static void splice(byte[] bytes, int headerBytes, SplittableRandom random) {
        int length = random.nextInt(1, 256);
        System.arraycopy(
                bytes, random.nextInt(bytes.length - length), bytes, random.nextInt(headerBytes - length), length);
    }

    /** Bytes inserted or removed, so that everything after them is read at the wrong place. */
    private static byte[] shift(byte[] bytes, int headerBytes, SplittableRandom random) {
        int at = random.nextInt(headerBytes);
        int by = random.nextInt(1, 65);
        byte[] shifted = random.nextBoolean()
                ? Arrays.copyOf(bytes, bytes.length + by)
                : Arrays.copyOf(bytes, bytes.length - by);
        int to = shifted.length > bytes.length ? at + by : at;
        int from = shifted.length > bytes.length ? at : Math.min(at + by, bytes.length);
        System.arraycopy(bytes, from, shifted, to, Math.min(bytes.length - from, shifted.length - to));
        return shifted;
    }
}
