package dev.baton.kernels.model.gguf;

import dev.baton.kernels.model.LlamaConfig;
import dev.baton.kernels.model.TensorRole;

/** Names and shapes of the tensors of a Llama model in a GGUF file. */
final class LlamaTensors {

    private LlamaTensors() {}

    static String name(TensorRole role, int layer) {
        String block = "blk." + layer + ".";
        return switch (role) {
            case TOKEN_EMBEDDING -> "token_embd.weight";
            case ATTENTION_NORM -> block + "attn_norm.weight";
            case QUERY -> block + "attn_q.weight";
            case KEY -> block + "attn_k.weight";
            case VALUE -> block + "attn_v.weight";
            case ATTENTION_OUTPUT -> block + "attn_output.weight";
            case FFN_NORM -> block + "ffn_norm.weight";
            case FFN_GATE -> block + "ffn_gate.weight";
            case FFN_UP -> block + "ffn_up.weight";
            case FFN_DOWN -> block + "ffn_down.weight";
            case OUTPUT_NORM -> "output_norm.weight";
            case OUTPUT -> "output.weight";
        };
    }

    static long rows(TensorRole role, LlamaConfig config) {
        return switch (role) {
            case TOKEN_EMBEDDING, OUTPUT -> config.vocabulary();
            case QUERY -> (long) config.heads() * config.headDim();
            case KEY, VALUE -> (long) config.kvHeads() * config.headDim();
            case FFN_GATE, FFN_UP -> config.ffnDim();
            case ATTENTION_OUTPUT, FFN_DOWN -> config.dModel();
            case ATTENTION_NORM, FFN_NORM, OUTPUT_NORM -> 1;
        };
    }

    static long cols(TensorRole role, LlamaConfig config) {
        return switch (role) {
            case ATTENTION_OUTPUT -> (long) config.heads() * config.headDim();
            case FFN_DOWN -> config.ffnDim();
            case TOKEN_EMBEDDING, OUTPUT, QUERY, KEY, VALUE, FFN_GATE, FFN_UP, ATTENTION_NORM, FFN_NORM, OUTPUT_NORM ->
                config.dModel();
        };
    }

    static boolean isVector(TensorRole role) {
        return switch (role) {
            case ATTENTION_NORM, FFN_NORM, OUTPUT_NORM -> true;
            case TOKEN_EMBEDDING, OUTPUT, QUERY, KEY, VALUE, ATTENTION_OUTPUT, FFN_GATE, FFN_UP, FFN_DOWN -> false;
        };
    }
}
