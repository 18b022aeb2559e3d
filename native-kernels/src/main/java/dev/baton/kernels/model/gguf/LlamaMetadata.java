package dev.baton.kernels.model.gguf;

import dev.baton.kernels.model.LlamaConfig;
import dev.baton.kernels.model.RopeStyle;
import java.util.OptionalDouble;
import java.util.OptionalLong;

/** Reads a {@link LlamaConfig} out of metadata of architecture {@code llama}, and refuses whatever would change the computation. */
final class LlamaMetadata {

    private static final String RECONVERT = "Convert the model again with a current convert_hf_to_gguf.py.";
    private static final int MAX_LAYERS = 1024;
    private static final int MAX_WIDTH = 1 << 20;
    private static final int MAX_CONTEXT_TOKENS = 1 << 26;

    private final GgufMetadata metadata;

    LlamaMetadata(GgufMetadata metadata) {
        this.metadata = metadata;
    }

    /** The shape; {@code vocabulary} and {@code tiedOutput} are facts of the tensors. */
    LlamaConfig config(int vocabulary, boolean tiedOutput) {
        String architecture = metadata.string("general.architecture").orElse("nothing");
        if (!architecture.equals("llama")) {
            throw refuse(
                    "general.architecture", architecture, "llama", "Use a model of the Llama architecture (llama).");
        }
        refuseOtherArithmetic();
        checkVocabulary(vocabulary);
        int layers = integer("llama.block_count", MAX_LAYERS);
        int dModel = integer("llama.embedding_length", MAX_WIDTH);
        int ffnDim = integer("llama.feed_forward_length", MAX_WIDTH);
        int heads = integer("llama.attention.head_count", MAX_WIDTH);
        int kvHeads = integer("llama.attention.head_count_kv", MAX_WIDTH, heads);
        int contextTokens = integer("llama.context_length", MAX_CONTEXT_TOKENS);
        if (heads % kvHeads != 0) {
            throw refuse("llama.attention.head_count_kv", "" + kvHeads, "a divisor of " + heads + " heads", RECONVERT);
        }
        return new LlamaConfig(
                layers,
                dModel,
                ffnDim,
                heads,
                kvHeads,
                headDim(dModel, heads),
                vocabulary,
                contextTokens,
                (float) positive("llama.rope.freq_base", OptionalDouble.of(10_000)),
                RopeStyle.INTERLEAVED,
                (float) positive("llama.attention.layer_norm_rms_epsilon", OptionalDouble.empty()),
                tiedOutput);
    }

    int integer(String key, int most) {
        return integer(key, most, 0);
    }

    private int headDim(int dModel, int heads) {
        String declared = "llama.attention.key_length";
        if (!metadata.has(declared) && dModel % heads != 0) {
            throw refuse(
                    "llama.attention.head_count", "" + heads, "a divisor of the embedding length " + dModel, RECONVERT);
        }
        int headDim = integer(declared, MAX_WIDTH, dModel / heads);
        if (headDim % 2 != 0 || (long) headDim * heads > MAX_WIDTH) {
            String source = metadata.has(declared) ? declared : "llama.attention.head_count";
            throw refuse(
                    source,
                    heads + " heads of " + headDim,
                    "heads of an even width, together at most " + MAX_WIDTH,
                    RECONVERT);
        }
        sameAsHead("llama.attention.value_length", headDim, "Baton has no heads with values of another width.");
        sameAsHead("llama.rope.dimension_count", headDim, "Baton has no partial rotary embedding.");
        return headDim;
    }

    private void sameAsHead(String key, int headDim, String cure) {
        int found = integer(key, MAX_WIDTH, headDim);
        if (found != headDim) {
            throw refuse(key, "" + found, "the head width " + headDim, cure + " Use another model.");
        }
    }

    private void checkVocabulary(int vocabulary) {
        sameAsVocabulary("llama.vocab_size", metadata.integer("llama.vocab_size"), vocabulary);
        sameAsVocabulary("tokenizer.ggml.tokens", metadata.arrayLength("tokenizer.ggml.tokens"), vocabulary);
    }

    private void sameAsVocabulary(String key, OptionalLong found, int vocabulary) {
        if (found.isPresent() && found.getAsLong() != vocabulary) {
            throw refuse(
                    key, found.getAsLong() + " tokens", "the " + vocabulary + " rows of token_embd.weight", RECONVERT);
        }
    }

    private void refuseOtherArithmetic() {
        String scaling = metadata.string("llama.rope.scaling.type").orElse("none");
        if (!scaling.equals("none")) {
            throw refuse(
                    "llama.rope.scaling.type",
                    scaling,
                    "none",
                    "Baton has no scaled rotary embedding: use a model without it.");
        }
        boolean declaredNone = metadata.has("llama.rope.scaling.type");
        for (String key : new String[] {"llama.rope.scaling.factor", "llama.rope.scale_linear"}) {
            double factor = metadata.real(key).orElse(1);
            if (!declaredNone && factor != 1 && factor != 0) {
                throw refuse(key, "" + factor, "1", "Baton has no scaled rotary embedding: use a model without it.");
            }
        }
        for (String key : new String[] {"llama.logit_scale", "llama.embedding_scale", "llama.residual_scale"}) {
            double factor = metadata.real(key).orElse(1);
            if (factor != 1 && factor != 0) {
                throw refuse(key, "" + factor, "1", "Baton does not scale there: use another model.");
            }
        }
        if (metadata.integer("llama.expert_count").orElse(0) != 0) {
            throw refuse(
                    "llama.expert_count",
                    "" + metadata.integer("llama.expert_count").getAsLong(),
                    "0",
                    "Baton has no mixture of experts: use a dense model.");
        }
        if (!metadata.bool("llama.attention.causal").orElse(true)) {
            throw refuse("llama.attention.causal", "false", "true", "Use a generative model.");
        }
    }

    private int integer(String key, int most, int byDefault) {
        OptionalLong found = metadata.integer(key);
        if (found.isEmpty() && byDefault > 0) {
            return byDefault;
        }
        if (found.isEmpty() || found.getAsLong() < 1 || found.getAsLong() > most) {
            throw refuse(
                    key,
                    found.isEmpty() ? "nothing" : "" + found.getAsLong(),
                    "an integer from 1 to " + most,
                    RECONVERT);
        }
        return (int) found.getAsLong();
    }

    private double positive(String key, OptionalDouble byDefault) {
        OptionalDouble found = metadata.real(key);
        if (found.isEmpty() && byDefault.isPresent()) {
            return byDefault.getAsDouble();
        }
        if (found.isEmpty() || !(found.getAsDouble() > 0) || !Float.isFinite((float) found.getAsDouble())) {
            throw refuse(
                    key, found.isEmpty() ? "nothing" : "" + found.getAsDouble(), "a finite number above 0", RECONVERT);
        }
        return found.getAsDouble();
    }

    private ModelFileException refuse(String field, String found, String expected, String cure) {
        return new ModelFileException(metadata.file(), field, found, expected, cure);
    }
}
