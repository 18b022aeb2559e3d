// The definition of right: plain loops over row-major weights, f32 activations, f32 accumulation in index order.
#include <cmath>
#include <cstring>

#include "baton.h"
#include "common/kernels.h"

namespace bt {
namespace {

int64_t rowBytes(int32_t type, int64_t cols) {
    switch (type) {
        case BT_TYPE_F32: return cols * 4;
        case BT_TYPE_Q8_0: return cols / 32 * 34;
        case BT_TYPE_Q4_0: return cols / 32 * 18;
        default: return cols * 2;
    }
}

int64_t packedBytes(int32_t type, int64_t rows, int64_t cols) { return rows * rowBytes(type, cols); }

void pack(int32_t type, int64_t rows, int64_t cols, const uint8_t* from, uint8_t* to) {
    memcpy(to, from, static_cast<size_t>(packedBytes(type, rows, cols)));
}

float element(int32_t type, const uint8_t* row, int64_t i) {
    switch (type) {
        case BT_TYPE_F32: {
            float f;
            memcpy(&f, row + i * 4, 4);
            return f;
        }
        case BT_TYPE_F16: return f16ToF32(load16(row + i * 2));
        case BT_TYPE_BF16: return bf16ToF32(load16(row + i * 2));
        case BT_TYPE_Q8_0: {
            const uint8_t* block = row + i / 32 * 34;
            return f16ToF32(load16(block)) * static_cast<float>(static_cast<int8_t>(block[2 + i % 32]));
        }
        default: {
            const uint8_t* block = row + i / 32 * 18;
            const uint8_t byte = block[2 + i % 16];
            const int nibble = i % 32 < 16 ? byte & 15 : byte >> 4;
            return f16ToF32(load16(block)) * static_cast<float>(nibble - 8);
        }
    }
}

void unpackRow(const MatrixView& m, int64_t row, float* out) {
    const uint8_t* data = m.data + row * rowBytes(m.type, m.cols);
    for (int64_t i = 0; i < m.cols; i++) out[i] = element(m.type, data, i);
}

void matmul(const MatrixView& w, const Activations& x, int64_t rows, int64_t first, int64_t end, float* out, int64_t stride) {
    for (int64_t n = first; n < end; n++) {
        const uint8_t* row = w.data + n * rowBytes(w.type, w.cols);
        for (int64_t m = 0; m < rows; m++) {
            float sum = 0;
            for (int64_t k = 0; k < w.cols; k++) sum += element(w.type, row, k) * x.f32[m * x.cols + k];
            out[m * stride + n] = sum;
        }
    }
}

void rmsnorm(const float* x, const float* weight, int64_t d, float epsilon, float* out) {
    float sum = 0;
    for (int64_t i = 0; i < d; i++) sum += x[i] * x[i];
    const float scale = 1.0f / std::sqrt(sum / static_cast<float>(d) + epsilon);
    for (int64_t i = 0; i < d; i++) out[i] = x[i] * scale * weight[i];
}

void rope(float* head, int32_t headDim, const float* cosine, const float* sine, int32_t style) {
    const int32_t half = headDim / 2;
    for (int32_t i = 0; i < half; i++) {
        float& a = style == BT_ROPE_INTERLEAVED ? head[2 * i] : head[i];
        float& b = style == BT_ROPE_INTERLEAVED ? head[2 * i + 1] : head[i + half];
        const float x = a;
        const float y = b;
        a = x * cosine[i] - y * sine[i];
        b = x * sine[i] + y * cosine[i];
    }
}

float kvElement(const AttentionTile& t, int32_t position, int64_t offset, int32_t i) {
    const uint8_t* block = t.layer + t.blocks[position / t.blockTokens] * t.blockBytes + offset;
    const int64_t index = static_cast<int64_t>(position % t.blockTokens) * t.headDim + i;
    return element(t.kvType, block, index);
}

// Two passes over the keys: the largest score first, then the weighted sum.
void attention(const AttentionTile& t) {
    for (int32_t r = 0; r < t.rows; r++) {
        for (int32_t g = 0; g < t.group; g++) {
            const float* q = t.q + r * t.rowStride + g * t.headDim;
            float* out = t.out + r * t.rowStride + g * t.headDim;
            auto score = [&](int32_t position) {
                float sum = 0;
                for (int32_t i = 0; i < t.headDim; i++) sum += q[i] * kvElement(t, position, t.keyOffset, i);
                return sum * t.scale;
            };
            float largest = score(0);
            for (int32_t p = 1; p <= t.positions[r]; p++) largest = std::fmax(largest, score(p));
            for (int32_t i = 0; i < t.headDim; i++) out[i] = 0;
            float total = 0;
            for (int32_t p = 0; p <= t.positions[r]; p++) {
                const float weight = std::exp(score(p) - largest);
                total += weight;
                for (int32_t i = 0; i < t.headDim; i++) out[i] += weight * kvElement(t, p, t.valueOffset, i);
            }
            for (int32_t i = 0; i < t.headDim; i++) out[i] /= total;
        }
    }
}

void swiglu(const float* gate, const float* up, int64_t count, float* out) {
    for (int64_t i = 0; i < count; i++) out[i] = gate[i] / (1.0f + std::exp(-gate[i])) * up[i];
}

void add(float* x, const float* y, int64_t count) {
    for (int64_t i = 0; i < count; i++) x[i] += y[i];
}

const Kernels kKernels = {"reference", 1,       packedBytes, pack,      unpackRow, nullptr,
                          matmul,      rmsnorm, rope,        attention, swiglu,    add,
                          nullptr,     nullptr, 0};

}  // namespace

const Kernels* referenceKernels() { return &kKernels; }

}  // namespace bt
