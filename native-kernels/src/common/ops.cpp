// Single operations on host arrays: the kernels of a forward pass, reachable one by one.
#include <algorithm>

#include "common/internal.h"

using namespace bt;

extern "C" {

int32_t bt_op_embedding(bt_device* device, int32_t type, const void* table, int64_t rows, int64_t cols, const int32_t* tokens,
                        int32_t count, float* out) {
    return guarded([&] {
        require(device, "device");
        require(table, "table");
        require(tokens, "tokens");
        require(out, "out");
        requireRange(rows, 1, INT32_MAX, "rows");
        requireRange(cols, 1, INT32_MAX, "cols");
        requireRange(count, 1, INT32_MAX, "count");
        tensorBytes(type, rows, cols);
        for (int32_t i = 0; i < count; i++) requireRange(tokens[i], 0, rows - 1, "token");
        Slab slab;
        const Matrix matrix = packMatrix(*device, slab, type, rows, cols, table);
        for (int32_t i = 0; i < count; i++) device->kernels->unpackRow(matrix.view(), tokens[i], out + i * cols);
    });
}

int32_t bt_op_rmsnorm(bt_device* device, const float* x, const float* weight, int32_t rows, int32_t d, float epsilon, float* out) {
    return guarded([&] {
        require(device, "device");
        require(x, "x");
        require(weight, "weight");
        require(out, "out");
        requireRange(rows, 1, INT32_MAX, "rows");
        requireRange(d, 1, INT32_MAX, "d");
        forRows(device->pool, rows, [&](int64_t row, int32_t) {
            device->kernels->rmsnorm(x + row * d, weight, d, epsilon, out + row * d);
        });
    });
}

int32_t bt_op_matmul(bt_device* device, int32_t type, const void* weight, int64_t n, int64_t k, const float* x, int32_t m,
                     float* out) {
    return guarded([&] {
        require(device, "device");
        require(weight, "weight");
        require(x, "x");
        require(out, "out");
        requireRange(n, 1, INT32_MAX, "n");
        requireRange(k, 1, INT32_MAX, "k");
        requireRange(m, 1, 1 << 20, "m");
        tensorBytes(type, n, k);
        Slab slab;
        const Matrix matrix = packMatrix(*device, slab, type, n, k, weight);
        Activations activations = {x, k, nullptr, nullptr};
        Mapping quants, scales;
        if (matrix.quantised() && device->kernels->quantise) {
            quants = Mapping(m * k);
            scales = Mapping(m * (k / 32) * static_cast<int64_t>(sizeof(QuantScale)));
            for (int64_t row = 0; row < m; row++)
                device->kernels->quantise(x + row * k, k, row, m, quants.as<int8_t>(), scales.as<QuantScale>());
            activations.q = quants.as<int8_t>();
            activations.scales = scales.as<QuantScale>();
        }
        const MatmulJob job = {&matrix, out, n};
        matmulAll(*device, &job, 1, activations, m);
    });
}

int32_t bt_op_rope(bt_device* device, float* x, int32_t rows, int32_t heads, int32_t head_dim, const int32_t* positions,
                   float theta, int32_t style) {
    return guarded([&] {
        require(device, "device");
        require(x, "x");
        require(positions, "positions");
        requireRange(rows, 1, INT32_MAX, "rows");
        requireRange(heads, 1, 1024, "heads");
        requireRange(head_dim, 2, 256, "head_dim");
        if (head_dim % 2 != 0) fail(BT_ERR_ARGUMENT, "head_dim %d is odd", head_dim);
        requireRange(style, BT_ROPE_INTERLEAVED, BT_ROPE_ROTATE_HALF, "style");
        float cosine[128], sine[128];
        for (int64_t row = 0; row < rows; row++) {
            rotations(positions[row], head_dim, theta, cosine, sine);
            for (int32_t head = 0; head < heads; head++)
                device->kernels->rope(x + (row * heads + head) * head_dim, head_dim, cosine, sine, style);
        }
    });
}

int32_t bt_op_swiglu(bt_device* device, const float* gate, const float* up, int64_t count, float* out) {
    return guarded([&] {
        require(device, "device");
        require(gate, "gate");
        require(up, "up");
        require(out, "out");
        requireRange(count, 1, INT64_C(1) << 40, "count");
        device->kernels->swiglu(gate, up, count, out);
    });
}

int32_t bt_op_attention(bt_arena* arena, int32_t layer, const bt_batch* batch, const float* q, int32_t heads, float* out) {
    return guarded([&] {
        require(arena, "arena");
        requireStruct(batch, "bt_batch");
        require(q, "q");
        require(out, "out");
        requireRange(layer, 0, arena->config.layers - 1, "layer");
        requireRange(heads, 1, 1024, "heads");
        if (heads % arena->config.kv_heads != 0)
            fail(BT_ERR_ARGUMENT, "kv_heads %d does not divide heads %d", arena->config.kv_heads, heads);
        checkBatch(*batch, *arena, 1 << 20, 0);
        const int64_t queries = static_cast<int64_t>(kTileRows) * (heads / arena->config.kv_heads);
        const int64_t stride = paddedTo(attentionScratch(queries, arena->config.head_dim), 1024);
        const Mapping scratch(stride * 4 * arena->device->pool.threads());
        attentionAll(*arena->device, {arena, layer, batch->rows, heads, batch->positions, batch->row_sequence,
                                      batch->table_offset, batch->block_table, q, out, scratch.as<float>(), stride});
    });
}

}  // extern "C"
