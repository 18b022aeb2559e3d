// What a host backend provides. This header holds only plain data and static functions, so that files compiled for one
// instruction set can include it without emitting shared inline code (the linker might keep that copy for everybody).
#pragma once

#include <cstdint>
#include <cstring>

namespace bt {

// A weight matrix [rows][cols] in the layout of the backend that packed it.
struct MatrixView {
    int32_t type;
    int64_t rows;
    int64_t cols;
    const uint8_t* data;
};

// Per 32 activations: value = d * q, and the correction that undoes the unsigned bias of the weights is a multiple of the sum.
struct QuantScale {
    float d;
    int32_t minusSum;  // of q
};

// Rows of activations: f32 always; the int8 form when a quantised matrix reads them (q null otherwise). That form lies in
// panels of as many rows as the largest tile takes, so that a tile walks through one stream; the last panel holds what is left.
struct Activations {
    const float* f32;
    int64_t cols;
    const int8_t* q;           // [panel][cols / 32][row in panel][32]
    const QuantScale* scales;  // [panel][cols / 32][row in panel]
};

// A multiple of every backend's panel: batches may be cut here.
constexpr int64_t kRowBlock = 96;

// Consecutive batch rows of one sequence against one K/V head.
struct AttentionTile {
    const float* q;  // first row, first query head of the K/V head
    float* out;      // same shape
    int64_t rowStride;
    int32_t rows;
    int32_t group;  // query heads per K/V head
    int32_t headDim;
    const int32_t* positions;
    const int32_t* blocks;
    const uint8_t* layer;  // block 0 of the layer
    int64_t blockBytes;
    int64_t keyOffset;  // of the K/V head inside a block
    int64_t valueOffset;
    int32_t blockTokens;
    int32_t kvType;
    float scale;
    float* scratch;  // attentionScratch(rows * group, headDim) floats, 64-byte aligned
};

constexpr int32_t kTileRows = 8;
constexpr int64_t kMaxLanes = 16;

constexpr int64_t paddedTo(int64_t n, int64_t unit) { return (n + unit - 1) / unit * unit; }

// K transposed, V widened, then per query an output row, the running maximum, the running sum and (eight queries together) q.
constexpr int64_t attentionScratch(int64_t queries, int64_t headDim) {
    const int64_t width = paddedTo(headDim, kMaxLanes);
    return 2 * kMaxLanes * width + queries * (width + 2) + paddedTo(queries, 8) * headDim + 64;
}

struct Kernels {
    const char* name;
    int32_t lanes;  // output rows computed together; matmul ranges are in groups of these
    int64_t (*packedBytes)(int32_t type, int64_t rows, int64_t cols);
    void (*pack)(int32_t type, int64_t rows, int64_t cols, const uint8_t* from, uint8_t* to);
    void (*unpackRow)(const MatrixView& matrix, int64_t row, float* out);
    // Puts row `row` of `rows` into panels that start at q and scales; null: matmul reads f32 only.
    void (*quantise)(const float* x, int64_t cols, int64_t row, int64_t rows, int8_t* q, QuantScale* scales);
    void (*matmul)(const MatrixView& w, const Activations& x, int64_t rows, int64_t firstGroup, int64_t endGroup, float* out,
                   int64_t outStride);
    void (*rmsnorm)(const float* x, const float* weight, int64_t d, float epsilon, float* out);
    void (*rope)(float* head, int32_t headDim, const float* cosine, const float* sine, int32_t style);
    void (*attention)(const AttentionTile& tile);
    void (*swiglu)(const float* gate, const float* up, int64_t count, float* out);
    void (*add)(float* x, const float* y, int64_t count);
    // For bt_device_limit; null: not measured on this backend.
    int32_t (*readAll)(const uint8_t* from, int64_t bytes);
    int32_t (*dotAll)(int64_t rounds, int32_t seed);
    int64_t dotOpsPerRound;
};

const Kernels* referenceKernels();
const Kernels* scalarKernels();
const Kernels* avx2Kernels();    // null when not built for this architecture
const Kernels* avx512Kernels();

[[maybe_unused]] static inline uint32_t bitsOf(float f) {
    uint32_t u;
    memcpy(&u, &f, 4);
    return u;
}
[[maybe_unused]] static inline float floatOf(uint32_t u) {
    float f;
    memcpy(&f, &u, 4);
    return f;
}

[[maybe_unused]] static inline float f16ToF32(uint16_t h) {
    const uint32_t sign = static_cast<uint32_t>(h & 0x8000u) << 16;
    const uint32_t exponent = (h >> 10) & 31u;
    const uint32_t mantissa = h & 1023u;
    if (exponent == 31) return floatOf(sign | 0x7f800000u | (mantissa << 13));
    if (exponent == 0) {
        const float magnitude = static_cast<float>(mantissa) * 5.9604644775390625e-8f;  // 2^-24
        return sign ? -magnitude : magnitude;
    }
    return floatOf(sign | ((exponent + 112) << 23) | (mantissa << 13));
}

// Round to nearest even, as the hardware conversion does.
[[maybe_unused]] static inline uint16_t f32ToF16(float f) {
    const uint32_t bits = bitsOf(f);
    const uint32_t sign = (bits >> 16) & 0x8000u;
    const uint32_t magnitude = bits & 0x7fffffffu;
    if (magnitude > 0x7f800000u) return static_cast<uint16_t>(sign | 0x7e00u);
    if (magnitude >= 0x47800000u) return static_cast<uint16_t>(sign | 0x7c00u);
    if (magnitude < 0x38800000u) {  // subnormal: let the adder round at 2^-24
        const float rounded = floatOf(magnitude) + 0.5f;
        return static_cast<uint16_t>(sign | (bitsOf(rounded) - bitsOf(0.5f)));
    }
    const uint32_t rounded = magnitude + 0xfffu + ((magnitude >> 13) & 1u);
    return static_cast<uint16_t>(sign | ((rounded - 0x38000000u) >> 13));
}

[[maybe_unused]] static inline float bf16ToF32(uint16_t h) { return floatOf(static_cast<uint32_t>(h) << 16); }

[[maybe_unused]] static inline uint16_t load16(const uint8_t* p) {
    uint16_t h;
    memcpy(&h, p, 2);
    return h;
}

}  // namespace bt
