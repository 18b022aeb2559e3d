package dev.baton.kernels.model.gguf;

import dev.baton.kernels.model.TensorType;
import java.nio.file.Path;
import java.util.Map;

/** The tensor type codes of GGUF files: those Baton computes with, and the names of the others for messages. */
final class TensorTypes {

    private static final Map<Integer, String> UNSUPPORTED = Map.ofEntries(
            Map.entry(3, "Q4_1"),
            Map.entry(6, "Q5_0"),
            Map.entry(7, "Q5_1"),
            Map.entry(9, "Q8_1"),
            Map.entry(10, "Q2_K"),
            Map.entry(11, "Q3_K"),
            Map.entry(12, "Q4_K"),
            Map.entry(13, "Q5_K"),
            Map.entry(14, "Q6_K"),
            Map.entry(15, "Q8_K"),
            Map.entry(16, "IQ2_XXS"),
            Map.entry(17, "IQ2_XS"),
            Map.entry(18, "IQ3_XXS"),
            Map.entry(19, "IQ1_S"),
            Map.entry(20, "IQ4_NL"),
            Map.entry(21, "IQ3_S"),
            Map.entry(22, "IQ2_S"),
            Map.entry(23, "IQ4_XS"),
            Map.entry(24, "I8"),
            Map.entry(25, "I16"),
            Map.entry(26, "I32"),
            Map.entry(27, "I64"),
            Map.entry(28, "F64"),
            Map.entry(29, "IQ1_M"),
            Map.entry(34, "TQ1_0"),
            Map.entry(35, "TQ2_0"),
            Map.entry(39, "MXFP4"));

    private TensorTypes() {}

    static TensorType require(Path file, String tensor, int code) {
        return switch (code) {
            case 0 -> TensorType.F32;
            case 1 -> TensorType.F16;
            case 2 -> TensorType.Q4_0;
            case 8 -> TensorType.Q8_0;
            case 30 -> TensorType.BF16;
            default ->
                throw new ModelFileException(
                        file,
                        tensor + " (type)",
                        UNSUPPORTED.getOrDefault(code, "type " + Integer.toUnsignedString(code)),
                        "F32, F16, BF16, Q8_0 or Q4_0",
                        "Convert the model to one of these, for example with llama-quantize MODEL OUT Q8_0.");
        };
    }

    static int code(TensorType type) {
        return switch (type) {
            case F32 -> 0;
            case F16 -> 1;
            case Q4_0 -> 2;
            case Q8_0 -> 8;
            case BF16 -> 30;
        };
    }
}
