// Model upload: every tensor is checked against the configuration, then packed by the backend, one worker per stripe.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>

#include "common/internal.h"

namespace bt {

int64_t tensorBytes(int32_t type, int64_t rows, int64_t cols) {
    switch (type) {
        case BT_TYPE_F32: return rows * cols * 4;
        case BT_TYPE_F16:
        case BT_TYPE_BF16: return rows * cols * 2;
        case BT_TYPE_Q8_0:
        case BT_TYPE_Q4_0:
            if (cols % 32 != 0)
                fail(BT_ERR_ARGUMENT, "a quantised row of %lld elements is not a multiple of 32", static_cast<long long>(cols));
            return rows * (cols / 32) * (type == BT_TYPE_Q8_0 ? 34 : 18);
        default: fail(BT_ERR_ARGUMENT, "tensor type %d is unknown", type);
    }
}

Matrix packMatrix(bt_device& device, Slab& slab, int32_t type, int64_t rows, int64_t cols, const void* data) {
    const Kernels& kernels = *device.kernels;
    uint8_t* to = slab.allocate(kernels.packedBytes(type, rows, cols));
    const uint8_t* from = static_cast<const uint8_t*>(data);
    const Matrix matrix = {type, rows, cols, to};
    const int64_t rowBytes = tensorBytes(type, 1, cols);
    const int64_t groups = matrix.groups(kernels);
    const int64_t tasks = std::min<int64_t>(groups, device.pool.threads() * 4L);
    device.pool.run(tasks, [&](int64_t task, int32_t) {
        const int64_t first = groups * task / tasks * kernels.lanes;
        const int64_t end = std::min(groups * (task + 1) / tasks * kernels.lanes, rows);
        kernels.pack(type, end - first, cols, from + first * rowBytes, to + kernels.packedBytes(type, first, cols));
    });
    return matrix;
}

namespace {

void checkConfig(const bt_model_config& c) {
    requireRange(c.layers, 1, 4096, "layers");
    requireRange(c.d_model, 1, 1 << 20, "d_model");
    requireRange(c.ffn_dim, 1, 1 << 22, "ffn_dim");
    requireRange(c.heads, 1, 1024, "heads");
    requireRange(c.kv_heads, 1, c.heads, "kv_heads");
    requireRange(c.head_dim, 2, 256, "head_dim");
    requireRange(c.vocabulary, 1, 1 << 24, "vocabulary");
    requireRange(c.context_tokens, 1, INT32_MAX, "context_tokens");
    requireRange(c.rope_style, BT_ROPE_INTERLEAVED, BT_ROPE_ROTATE_HALF, "rope_style");
    if (c.heads % c.kv_heads != 0) fail(BT_ERR_ARGUMENT, "kv_heads %d does not divide heads %d", c.kv_heads, c.heads);
    if (c.head_dim % 2 != 0) fail(BT_ERR_ARGUMENT, "head_dim %d is odd", c.head_dim);
    if (!(c.rope_theta > 0) || !(c.rms_epsilon >= 0)) fail(BT_ERR_ARGUMENT, "rope_theta or rms_epsilon out of range");
}

struct Slot {
    Matrix* matrix = nullptr;
    std::vector<float>* vector = nullptr;
    int64_t rows = 1;
    int64_t cols = 0;
};

Slot slotOf(bt_model& m, int32_t role, bt_layer* layer) {
    const bt_model_config& c = m.config;
    const int64_t queryDim = static_cast<int64_t>(c.heads) * c.head_dim;
    const int64_t kvDim = static_cast<int64_t>(c.kv_heads) * c.head_dim;
    switch (role) {
        case BT_ROLE_TOKEN_EMBEDDING: return {&m.embedding, nullptr, c.vocabulary, c.d_model};
        case BT_ROLE_OUTPUT: return {&m.output, nullptr, c.vocabulary, c.d_model};
        case BT_ROLE_OUTPUT_NORM: return {nullptr, &m.outputNorm, 1, c.d_model};
        case BT_ROLE_ATTENTION_NORM: return {nullptr, &layer->attentionNorm, 1, c.d_model};
        case BT_ROLE_FFN_NORM: return {nullptr, &layer->ffnNorm, 1, c.d_model};
        case BT_ROLE_QUERY: return {&layer->query, nullptr, queryDim, c.d_model};
        case BT_ROLE_KEY: return {&layer->key, nullptr, kvDim, c.d_model};
        case BT_ROLE_VALUE: return {&layer->value, nullptr, kvDim, c.d_model};
        case BT_ROLE_ATTENTION_OUTPUT: return {&layer->output, nullptr, c.d_model, queryDim};
        case BT_ROLE_FFN_GATE: return {&layer->gate, nullptr, c.ffn_dim, c.d_model};
        case BT_ROLE_FFN_UP: return {&layer->up, nullptr, c.ffn_dim, c.d_model};
        case BT_ROLE_FFN_DOWN: return {&layer->down, nullptr, c.d_model, c.ffn_dim};
        default: fail(BT_ERR_ARGUMENT, "tensor role %d is unknown", role);
    }
}

bool global(int32_t role) {
    return role == BT_ROLE_TOKEN_EMBEDDING || role == BT_ROLE_OUTPUT || role == BT_ROLE_OUTPUT_NORM;
}

void readVector(std::vector<float>& to, int32_t type, int64_t count, const uint8_t* from) {
    to.resize(static_cast<size_t>(count));
    for (int64_t i = 0; i < count; i++) {
        float& f = to[static_cast<size_t>(i)];
        if (type == BT_TYPE_F32)
            memcpy(&f, from + i * 4, 4);
        else
            f = type == BT_TYPE_F16 ? f16ToF32(load16(from + i * 2)) : bf16ToF32(load16(from + i * 2));
    }
}

}  // namespace
}  // namespace bt

using namespace bt;

extern "C" {

int32_t bt_model_create(bt_device* device, const bt_model_config* config, bt_model** out) {
    return guarded([&] {
        require(device, "device");
        requireStruct(config, "bt_model_config");
        require(out, "out");
        checkConfig(*config);
        auto model = std::make_unique<bt_model>();
        model->device = device;
        model->config = *config;
        model->layers.resize(static_cast<size_t>(config->layers));
        device->children++;
        *out = model.release();
    });
}

int32_t bt_model_tensor(bt_model* model, int32_t role, int32_t layer, int32_t type, int64_t rows, int64_t cols, const void* data,
                        int64_t bytes) {
    return guarded([&] {
        require(model, "model");
        require(data, "data");
        if (model->sealed) fail(BT_ERR_STATE, "the model is sealed");
        requireRange(role, 0, BT_ROLE_COUNT - 1, "tensor role");
        requireRange(layer, 0, global(role) ? 0 : model->config.layers - 1, "layer");
        const Slot slot = slotOf(*model, role, global(role) ? nullptr : &model->layers[static_cast<size_t>(layer)]);
        if (rows != slot.rows || cols != slot.cols)
            fail(BT_ERR_ARGUMENT, "role %d layer %d is %lld x %lld, the configuration says %lld x %lld", role, layer,
                 static_cast<long long>(rows), static_cast<long long>(cols), static_cast<long long>(slot.rows),
                 static_cast<long long>(slot.cols));
        const int64_t expected = tensorBytes(type, rows, cols);
        if (bytes != expected)
            fail(BT_ERR_ARGUMENT, "role %d layer %d has %lld bytes, its type and shape need %lld", role, layer,
                 static_cast<long long>(bytes), static_cast<long long>(expected));
        if (slot.vector ? !slot.vector->empty() : slot.matrix->type >= 0)
            fail(BT_ERR_STATE, "role %d layer %d was uploaded already", role, layer);
        if (slot.vector) {
            if (type > BT_TYPE_BF16) fail(BT_ERR_ARGUMENT, "role %d must be F32, F16 or BF16", role);
            readVector(*slot.vector, type, cols, static_cast<const uint8_t*>(data));
            model->bytes += cols * 4;
        } else {
            *slot.matrix = packMatrix(*model->device, model->slab, type, rows, cols, data);
            model->bytes += model->device->kernels->packedBytes(type, rows, cols);
        }
    });
}

int32_t bt_model_seal(bt_model* model) {
    return guarded([&] {
        require(model, "model");
        for (int32_t layer = 0; layer < model->config.layers; layer++) {
            for (int32_t role = 0; role < BT_ROLE_COUNT; role++) {
                if (role == BT_ROLE_OUTPUT && model->config.tied_output) continue;
                const Slot slot = slotOf(*model, role, &model->layers[static_cast<size_t>(layer)]);
                if (slot.vector ? slot.vector->empty() : slot.matrix->type < 0)
                    fail(BT_ERR_STATE, "role %d layer %d was not uploaded", role, layer);
            }
        }
        model->sealed = true;
    });
}

int32_t bt_model_bytes(bt_model* model, int64_t* out) {
    return guarded([&] {
        require(model, "model");
        require(out, "out");
        *out = model->bytes;
    });
}

int32_t bt_model_close(bt_model* model) {
    return guarded([&] {
        require(model, "model");
        model->requireChildless("model");
        model->device->children--;
        delete model;
    });
}

}  // extern "C"
