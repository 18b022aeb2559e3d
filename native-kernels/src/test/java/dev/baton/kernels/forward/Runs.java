package dev.baton.kernels.forward;

import dev.baton.kernels.arena.ArenaShape;
import dev.baton.kernels.arena.KvArena;
import dev.baton.kernels.device.Device;
import dev.baton.kernels.device.DeviceConfig;
import dev.baton.kernels.device.DeviceConfig.Isa;
import dev.baton.kernels.device.Model;
import dev.baton.kernels.ffi.KernelException;
import dev.baton.kernels.model.ModelSource;
import java.util.ArrayList;
import java.util.List;

/** A device with a model and an arena, and ways to run one sequence of tokens. */
final class Runs implements AutoCloseable {
    static final int BLOCKS = 32;
    static final int MAX_ROWS = 64;

    final Device device;
    final Model model;
    final KvArena arena;
    final ForwardPass pass;
    final Batch batch = new Batch();

    Runs(DeviceConfig config, ModelSource source) {
        this(config, source, ArenaShape.of(source.config(), BLOCKS));
    }

    Runs(DeviceConfig config, ModelSource source, ArenaShape shape) {
        device = Device.open(config);
        model = Model.upload(device, source);
        arena = KvArena.create(device, shape);
        pass = new ForwardPass(model, arena, MAX_ROWS, MAX_ROWS);
    }

    /** The instruction sets this machine can run. */
    static List<Isa> isas() {
        List<Isa> usable = new ArrayList<>();
        for (Isa isa : List.of(Isa.SCALAR, Isa.AVX2, Isa.AVX512)) {
            try (Device _ = Device.open(DeviceConfig.cpu(isa, 1))) {
                usable.add(isa);
            } catch (KernelException e) {
                if (!e.unsupported()) {
                    throw e;
                }
            }
        }
        return usable;
    }

    /** Logits of every position, the prompt fed {@code chunk} tokens a batch. */
    float[][] all(int[] tokens, int[] blocks, int chunk) {
        float[][] logits = new float[tokens.length][];
        for (int from = 0; from < tokens.length; from += chunk) {
            int count = Math.min(chunk, tokens.length - from);
            batch.clear();
            int sequence = batch.addSequence(blocks);
            for (int i = 0; i < count; i++) {
                batch.addRow(tokens[from + i], from + i, sequence);
            }
            pass.run(batch);
            float[][] part = logits(count);
            System.arraycopy(part, 0, logits, from, count);
        }
        return logits;
    }

    /** Logits of the first rows of the batch that ran. */
    float[][] logits(int count) {
        int[] rows = new int[count];
        for (int i = 0; i < count; i++) {
            rows[i] = i;
        }
        pass.logits(rows, count);
        float[][] out = new float[count][model.config().vocabulary()];
        for (int i = 0; i < count; i++) {
            pass.copyLogits(i, out[i]);
        }
        return out;
    }

    static int[] tokens(int count, int vocabulary, int seed) {
        int[] tokens = new int[count];
        for (int i = 0; i < count; i++) {
            tokens[i] = Math.floorMod((i + 1) * 7919 + seed * 104729, vocabulary);
        }
        return tokens;
    }

    @Override
    public void close() {
        pass.close();
        arena.close();
        model.close();
        device.close();
    }
}
