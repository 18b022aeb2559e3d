// The forward pass: which kernel runs on what, in which order. Every kernel computes a row (or a row and head) from that
// row alone in a fixed order, so neither the batch nor the number of workers can change a bit.
#include <algorithm>
#include <cmath>
#include <memory>

#include "common/internal.h"

namespace bt {

void rotations(int32_t position, int32_t headDim, float theta, float* cosine, float* sine) {
    for (int32_t i = 0; i < headDim / 2; i++) {
        const double angle = position * std::pow(static_cast<double>(theta), -2.0 * i / headDim);
        cosine[i] = static_cast<float>(std::cos(angle));
        sine[i] = static_cast<float>(std::sin(angle));
    }
}

void matmulAll(bt_device& device, const MatmulJob* jobs, int32_t jobCount, const Activations& x, int64_t rows) {
    const Kernels& kernels = *device.kernels;
    int64_t groups = 0;
    for (int32_t j = 0; j < jobCount; j++) groups += jobs[j].weight->groups(kernels);
    const int64_t threads = device.pool.threads();
    const int64_t tasks = std::min(groups, threads == 1 ? 1 : threads * (rows > 1 ? 8 : 2));
    device.pool.run(tasks, [&](int64_t task, int32_t) {
        // One block's activations stay in the second-level cache while a worker's groups pass over them.
        for (int64_t row = 0; row < rows; row += kRowBlock) {
            const int64_t count = std::min(kRowBlock, rows - row);
            const Activations part = {x.f32 + row * x.cols, x.cols, x.q ? x.q + row * x.cols : nullptr,
                                      x.q ? x.scales + row * (x.cols / 32) : nullptr};
            int64_t base = 0;
            for (int32_t j = 0; j < jobCount; j++) {
                const int64_t own = jobs[j].weight->groups(kernels);
                const int64_t first = std::clamp<int64_t>(groups * task / tasks - base, 0, own);
                const int64_t end = std::clamp<int64_t>(groups * (task + 1) / tasks - base, 0, own);
                if (first < end)
                    kernels.matmul(jobs[j].weight->view(), part, count, first, end, jobs[j].out + row * jobs[j].outStride,
                                   jobs[j].outStride);
                base += own;
            }
        }
    });
}

void attentionAll(bt_device& device, const AttentionCall& c) {
    const bt_arena& arena = *c.arena;
    const int32_t kvHeads = arena.config.kv_heads;
    const int32_t headDim = arena.config.head_dim;
    const int32_t group = c.heads / kvHeads;
    // A tile is up to kTileRows neighbouring rows of one sequence.
    int64_t tiles = 0;
    thread_local std::vector<int32_t> starts;
    starts.clear();
    for (int32_t r = 0; r < c.rows; tiles++) {
        starts.push_back(r);
        const int32_t begin = r;
        while (r < c.rows && r - begin < kTileRows && c.rowSequence[r] == c.rowSequence[begin]) r++;
    }
    starts.push_back(c.rows);
    const int32_t* start = starts.data();
    device.pool.run(tiles * kvHeads, [&](int64_t task, int32_t worker) {
        // Late tiles see the most keys: they go first, so that the last task is a short one.
        const int64_t tile = tiles - 1 - task / kvHeads;
        const int64_t kvHead = task % kvHeads;
        const int32_t row = start[tile];
        const int64_t stride = static_cast<int64_t>(c.heads) * headDim;
        const int64_t head = kvHead * group * headDim;
        AttentionTile t;
        t.q = c.q + row * stride + head;
        t.out = c.out + row * stride + head;
        t.rowStride = stride;
        t.rows = start[tile + 1] - row;
        t.group = group;
        t.headDim = headDim;
        t.positions = c.positions + row;
        t.blocks = c.blockTable + c.tableOffset[c.rowSequence[row]];
        t.layer = arena.at(c.layer, 0);
        t.blockBytes = arena.layerBlockBytes;
        t.keyOffset = kvHead * arena.headBytes();
        t.valueOffset = (kvHeads + kvHead) * arena.headBytes();
        t.blockTokens = arena.config.block_tokens;
        t.kvType = arena.config.kv_type;
        t.scale = 1.0f / std::sqrt(static_cast<float>(headDim));
        t.scratch = c.scratch + worker * c.scratchStride;
        device.kernels->attention(t);
    });
}

}  // namespace bt

struct bt_forward {
    bt_model* model;
    bt_arena* arena;
    bt_queue* queue;
    int32_t maxRows;
    int32_t maxLogitRows;
    int32_t rows = 0;
    int32_t next = kIdle;  // the layer that may run now
    std::vector<int32_t> tokens, positions, rowSequence, tableOffset, blockTable;
    bt::Mapping x, normed, q, k, v, attended, gate, up, projected, quants, scales, cosines, sines, scratch;
    int64_t scratchStride = 0;

    static constexpr int32_t kIdle = -2;
    static constexpr int32_t kBegun = -1;

    bt_device& device() const { return *model->device; }
    int64_t queryDim() const { return static_cast<int64_t>(model->config.heads) * model->config.head_dim; }
    int64_t kvDim() const { return static_cast<int64_t>(model->config.kv_heads) * model->config.head_dim; }

    // The int8 form of one row of `count`, when any of the matrices that read it is quantised.
    void quantiseRow(bool wanted, const float* from, int64_t row, int64_t count, int64_t cols) {
        if (wanted) device().kernels->quantise(from, cols, row, count, quants.as<int8_t>(), scales.as<bt::QuantScale>());
    }
    bt::Activations activations(bool wanted, const float* from, int64_t cols) const {
        return {from, cols, wanted ? quants.as<int8_t>() : nullptr, wanted ? scales.as<bt::QuantScale>() : nullptr};
    }
    bool wantsQuants(std::initializer_list<const bt::Matrix*> matrices) const {
        if (!device().kernels->quantise) return false;
        for (const bt::Matrix* m : matrices)
            if (m->quantised()) return true;
        return false;
    }
    void attentionBlock(bt_layer& layer, int32_t index);
    void ffnBlock(bt_layer& layer);
    void storeRow(int32_t layer, int32_t row);
};

namespace bt {
namespace {

void storeHead(int32_t type, uint8_t* to, const float* from, int32_t count) {
    if (type == BT_TYPE_F32) {
        memcpy(to, from, static_cast<size_t>(count) * 4);
        return;
    }
    for (int32_t i = 0; i < count; i++) {
        const uint16_t h = f32ToF16(from[i]);
        memcpy(to + i * 2, &h, 2);
    }
}

}  // namespace
}  // namespace bt

using namespace bt;

void bt_forward::storeRow(int32_t layer, int32_t row) {
    const bt_arena_config& c = arena->config;
    const int32_t position = positions[static_cast<size_t>(row)];
    const int32_t* table = blockTable.data() + tableOffset[static_cast<size_t>(rowSequence[static_cast<size_t>(row)])];
    uint8_t* block = arena->at(layer, table[position / c.block_tokens]);
    const int64_t slot = static_cast<int64_t>(position % c.block_tokens) * c.head_dim * arena->elementBytes();
    for (int32_t head = 0; head < c.kv_heads; head++) {
        const int64_t from = row * kvDim() + static_cast<int64_t>(head) * c.head_dim;
        storeHead(c.kv_type, block + head * arena->headBytes() + slot, k.as<float>() + from, c.head_dim);
        storeHead(c.kv_type, block + (c.kv_heads + head) * arena->headBytes() + slot, v.as<float>() + from, c.head_dim);
    }
}

void bt_forward::attentionBlock(bt_layer& layer, int32_t index) {
    const bt_model_config& c = model->config;
    const Kernels& kernels = *device().kernels;
    Pool& pool = device().pool;
    const int64_t d = c.d_model;
    const bool quantIn = wantsQuants({&layer.query, &layer.key, &layer.value});
    forRows(pool, rows, [&](int64_t row, int32_t) {
        float* h = normed.as<float>() + row * d;
        kernels.rmsnorm(x.as<float>() + row * d, layer.attentionNorm.data(), d, c.rms_epsilon, h);
        quantiseRow(quantIn, h, row, rows, d);
    });
    const MatmulJob qkv[] = {{&layer.query, q.as<float>(), queryDim()},
                             {&layer.key, k.as<float>(), kvDim()},
                             {&layer.value, v.as<float>(), kvDim()}};
    matmulAll(device(), qkv, 3, activations(quantIn, normed.as<float>(), d), rows);
    forRows(pool, rows, [&](int64_t row, int32_t) {
        const float* cosine = cosines.as<float>() + row * (c.head_dim / 2);
        const float* sine = sines.as<float>() + row * (c.head_dim / 2);
        for (int32_t head = 0; head < c.heads; head++)
            kernels.rope(q.as<float>() + row * queryDim() + head * c.head_dim, c.head_dim, cosine, sine, c.rope_style);
        for (int32_t head = 0; head < c.kv_heads; head++)
            kernels.rope(k.as<float>() + row * kvDim() + head * c.head_dim, c.head_dim, cosine, sine, c.rope_style);
        storeRow(index, static_cast<int32_t>(row));
    });
    attentionAll(device(), {arena, index, rows, c.heads, positions.data(), rowSequence.data(), tableOffset.data(),
                            blockTable.data(), q.as<float>(), attended.as<float>(), scratch.as<float>(), scratchStride});
    const bool quantOut = wantsQuants({&layer.output});
    if (quantOut)
        forRows(pool, rows, [&](int64_t row, int32_t) {
            quantiseRow(true, attended.as<float>() + row * queryDim(), row, rows, queryDim());
        });
    const MatmulJob out[] = {{&layer.output, projected.as<float>(), d}};
    matmulAll(device(), out, 1, activations(quantOut, attended.as<float>(), queryDim()), rows);
}

// Takes over the attention's residual: x += projected, then the feed-forward network.
void bt_forward::ffnBlock(bt_layer& layer) {
    const bt_model_config& c = model->config;
    const Kernels& kernels = *device().kernels;
    Pool& pool = device().pool;
    const int64_t d = c.d_model;
    const int64_t ffn = c.ffn_dim;
    const bool quantIn = wantsQuants({&layer.gate, &layer.up});
    forRows(pool, rows, [&](int64_t row, int32_t) {
        float* h = normed.as<float>() + row * d;
        kernels.add(x.as<float>() + row * d, projected.as<float>() + row * d, d);
        kernels.rmsnorm(x.as<float>() + row * d, layer.ffnNorm.data(), d, c.rms_epsilon, h);
        quantiseRow(quantIn, h, row, rows, d);
    });
    const MatmulJob gateUp[] = {{&layer.gate, gate.as<float>(), ffn}, {&layer.up, up.as<float>(), ffn}};
    matmulAll(device(), gateUp, 2, activations(quantIn, normed.as<float>(), d), rows);
    const bool quantDown = wantsQuants({&layer.down});
    forRows(pool, rows, [&](int64_t row, int32_t) {
        float* g = gate.as<float>() + row * ffn;
        kernels.swiglu(g, up.as<float>() + row * ffn, ffn, g);
        quantiseRow(quantDown, g, row, rows, ffn);
    });
    const MatmulJob down[] = {{&layer.down, projected.as<float>(), d}};
    matmulAll(device(), down, 1, activations(quantDown, gate.as<float>(), ffn), rows);
    forRows(pool, rows, [&](int64_t row, int32_t) {
        kernels.add(x.as<float>() + row * d, projected.as<float>() + row * d, d);
    });
}

extern "C" {

int32_t bt_forward_create(bt_model* model, bt_arena* arena, bt_queue* queue, int32_t max_rows, int32_t max_logit_rows,
                          bt_forward** out) {
    return guarded([&] {
        require(model, "model");
        require(arena, "arena");
        require(queue, "queue");
        require(out, "out");
        const bt_model_config& c = model->config;
        const bt_arena_config& a = arena->config;
        if (!model->sealed) fail(BT_ERR_STATE, "the model is not sealed");
        if (model->device != arena->device || model->device != queue->device)
            fail(BT_ERR_ARGUMENT, "model, arena and queue must be of one device");
        if (c.layers != a.layers || c.kv_heads != a.kv_heads || c.head_dim != a.head_dim)
            fail(BT_ERR_ARGUMENT, "arena shape %d x %d x %d is not the model's %d x %d x %d (layers, kv heads, head dim)",
                 a.layers, a.kv_heads, a.head_dim, c.layers, c.kv_heads, c.head_dim);
        requireRange(max_rows, 1, 1 << 20, "max_rows");
        requireRange(max_logit_rows, 1, max_rows, "max_logit_rows");
        auto f = std::make_unique<bt_forward>();
        f->model = model;
        f->arena = arena;
        f->queue = queue;
        f->maxRows = max_rows;
        f->maxLogitRows = max_logit_rows;
        const int64_t n = max_rows;
        const int64_t d = c.d_model;
        const int64_t widest = std::max({d, static_cast<int64_t>(c.ffn_dim), f->queryDim()});
        auto floats = [&](int64_t width) { return Mapping(n * width * 4 + 64); };
        f->x = floats(d);
        f->normed = floats(d);
        f->q = floats(f->queryDim());
        f->k = floats(f->kvDim());
        f->v = floats(f->kvDim());
        f->attended = floats(f->queryDim());
        f->gate = floats(c.ffn_dim);
        f->up = floats(c.ffn_dim);
        f->projected = floats(d);
        f->quants = Mapping(n * widest + 64);
        f->scales = Mapping(n * (widest / 32 + 1) * static_cast<int64_t>(sizeof(QuantScale)));
        f->cosines = floats(c.head_dim / 2);
        f->sines = floats(c.head_dim / 2);
        f->scratchStride = paddedTo(attentionScratch(static_cast<int64_t>(kTileRows) * (c.heads / c.kv_heads), c.head_dim), 1024);
        f->scratch = Mapping(f->scratchStride * 4 * model->device->pool.threads());
        model->children++;
        arena->children++;
        queue->children++;
        *out = f.release();
    });
}

int32_t bt_forward_begin(bt_forward* f, const bt_batch* batch) {
    return guarded([&] {
        require(f, "forward");
        requireStruct(batch, "bt_batch");
        checkBatch(*batch, *f->arena, f->maxRows, f->model->config.vocabulary);
        f->next = bt_forward::kIdle;
        f->rows = batch->rows;
        f->tokens.assign(batch->tokens, batch->tokens + batch->rows);
        f->positions.assign(batch->positions, batch->positions + batch->rows);
        f->rowSequence.assign(batch->row_sequence, batch->row_sequence + batch->rows);
        f->tableOffset.assign(batch->table_offset, batch->table_offset + batch->sequences);
        f->blockTable.assign(batch->block_table, batch->block_table + batch->block_entries);
        f->next = bt_forward::kBegun;
    });
}

int32_t bt_forward_embed(bt_forward* f) {
    return guarded([&] {
        require(f, "forward");
        if (f->next != bt_forward::kBegun) fail(BT_ERR_STATE, "embed must follow begin");
        const bt_model_config& c = f->model->config;
        const MatrixView embedding = f->model->embedding.view();
        const Kernels& kernels = *f->device().kernels;
        forRows(f->device().pool, f->rows, [&](int64_t row, int32_t) {
            kernels.unpackRow(embedding, f->tokens[static_cast<size_t>(row)], f->x.as<float>() + row * c.d_model);
            rotations(f->positions[static_cast<size_t>(row)], c.head_dim, c.rope_theta,
                      f->cosines.as<float>() + row * (c.head_dim / 2), f->sines.as<float>() + row * (c.head_dim / 2));
        });
        f->next = 0;
    });
}

int32_t bt_forward_layer(bt_forward* f, int32_t layer) {
    return guarded([&] {
        require(f, "forward");
        requireRange(layer, 0, f->model->config.layers - 1, "layer");
        if (f->next != layer) fail(BT_ERR_STATE, "layer %d is out of order, layer %d may run now", layer, f->next);
        bt_layer& weights = f->model->layers[static_cast<size_t>(layer)];
        f->attentionBlock(weights, layer);
        f->ffnBlock(weights);
        f->next = layer + 1;
    });
}

int32_t bt_forward_logits(bt_forward* f, const int32_t* rows, int32_t count, float* out) {
    return guarded([&] {
        require(f, "forward");
        require(rows, "rows");
        require(out, "out");
        const bt_model_config& c = f->model->config;
        if (f->next != c.layers) fail(BT_ERR_STATE, "logits need the last layer to have run");
        requireRange(count, 1, f->maxLogitRows, "count");
        for (int32_t i = 0; i < count; i++) requireRange(rows[i], 0, f->rows - 1, "logit row");
        const Matrix& matrix = f->model->outputMatrix();
        const bool quantised = f->wantsQuants({&matrix});
        const int64_t d = c.d_model;
        forRows(f->device().pool, count, [&](int64_t i, int32_t) {
            float* h = f->normed.as<float>() + i * d;
            f->device().kernels->rmsnorm(f->x.as<float>() + rows[i] * d, f->model->outputNorm.data(), d, c.rms_epsilon, h);
            f->quantiseRow(quantised, h, i, count, d);
        });
        const MatmulJob job[] = {{&matrix, out, c.vocabulary}};
        matmulAll(f->device(), job, 1, f->activations(quantised, f->normed.as<float>(), d), count);
    });
}

int32_t bt_forward_close(bt_forward* f) {
    return guarded([&] {
        require(f, "forward");
        f->model->children--;
        f->arena->children--;
        f->queue->children--;
        delete f;
    });
}

}  // extern "C"
