// The objects behind the handles of the host backends, and how failures reach the caller.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "baton.h"
#include "common/kernels.h"
#include "common/pool.h"

namespace bt {

struct Failure {
    int32_t status;
    std::string text;
};

[[noreturn]] void fail(int32_t status, const char* format, ...) __attribute__((format(printf, 2, 3)));
int32_t remember(const Failure& failure) noexcept;
int32_t rememberUnknown(const char* what) noexcept;

// Runs body and turns whatever it throws into a status: nothing crosses the ABI.
template <class Body>
int32_t guarded(Body&& body) noexcept {
    try {
        body();
        return BT_OK;
    } catch (const Failure& failure) {
        return remember(failure);
    } catch (const std::exception& e) {
        return rememberUnknown(e.what());
    } catch (...) {
        return rememberUnknown("unknown exception");
    }
}

void require(const void* pointer, const char* what);
template <class S>
void requireStruct(const S* s, const char* what) {
    require(s, what);
    if (s->struct_bytes != sizeof(S))
        fail(BT_ERR_ARGUMENT, "%s has %u bytes, this library expects %zu: rebuild caller and library together", what,
             s->struct_bytes, sizeof(S));
}
void requireRange(int64_t value, int64_t least, int64_t most, const char* what);

// Zeroed, page-aligned, mapped memory; pages appear on first touch.
class Mapping {
public:
    Mapping() = default;
    explicit Mapping(int64_t bytes);
    ~Mapping();
    Mapping(Mapping&& other) noexcept
        : address_(std::exchange(other.address_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
    Mapping& operator=(Mapping&& other) noexcept {
        std::swap(address_, other.address_);
        std::swap(bytes_, other.bytes_);
        return *this;
    }
    uint8_t* data() const { return address_; }
    int64_t bytes() const { return bytes_; }
    template <class T>
    T* as() const {
        return reinterpret_cast<T*>(address_);
    }

private:
    uint8_t* address_ = nullptr;
    int64_t bytes_ = 0;
};

// Memory for many read-only arrays side by side. A model's matrices are read one after the other for every token: in small
// mappings of their own each would end the hardware's read-ahead and need page-table walks; in here huge pages hold them.
class Slab {
public:
    // Zeroed and 64-byte aligned; lives as long as the slab.
    uint8_t* allocate(int64_t bytes);

private:
    std::vector<Mapping> chunks_;
    int64_t used_ = 0;  // of the last chunk
};

// Counts what still refers to an object; closing it earlier is an error, not a crash.
struct Parent {
    std::atomic<int32_t> children{0};
    void requireChildless(const char* what) const {
        if (children != 0) fail(BT_ERR_STATE, "%s still has %d open children: close them first", what, children.load());
    }
};

struct Matrix {
    int32_t type = -1;
    int64_t rows = 0;
    int64_t cols = 0;
    const uint8_t* data = nullptr;  // in the model's Slab
    MatrixView view() const { return {type, rows, cols, data}; }
    bool quantised() const { return type == BT_TYPE_Q8_0 || type == BT_TYPE_Q4_0; }
    int64_t groups(const Kernels& kernels) const { return (rows + kernels.lanes - 1) / kernels.lanes; }
};

// Packs into memory of the slab, the groups of rows shared out among the workers.
Matrix packMatrix(bt_device& device, Slab& slab, int32_t type, int64_t rows, int64_t cols, const void* data);
int64_t tensorBytes(int32_t type, int64_t rows, int64_t cols);
// cosine and sine of position * theta^(-2i/headDim), i < headDim/2
void rotations(int32_t position, int32_t headDim, float theta, float* cosine, float* sine);

struct MatmulJob {
    const Matrix* weight;
    float* out;
    int64_t outStride;
};
// Every job reads the same activations; the groups of all jobs are shared out among the workers.
void matmulAll(bt_device& device, const MatmulJob* jobs, int32_t jobCount, const Activations& x, int64_t rows);
// Calls body(row, worker) for each row, several rows per task.
template <class Body>
void forRows(Pool& pool, int64_t rows, Body&& body) {
    const int64_t tasks = rows < 2 ? rows : std::min<int64_t>(rows, pool.threads() * 4L);
    pool.run(tasks, [&](int64_t task, int32_t worker) {
        for (int64_t row = rows * task / tasks; row < rows * (task + 1) / tasks; row++) body(row, worker);
    });
}

struct AttentionCall {
    const bt_arena* arena;
    int32_t layer;
    int32_t rows;
    int32_t heads;
    const int32_t* positions;
    const int32_t* rowSequence;
    const int32_t* tableOffset;
    const int32_t* blockTable;
    const float* q;
    float* out;
    float* scratch;  // per worker scratchStride floats
    int64_t scratchStride;
};
void attentionAll(bt_device& device, const AttentionCall& call);
// Checks rows, positions, sequences and block ids against the arena; tokens only when vocabulary > 0.
void checkBatch(const bt_batch& batch, const bt_arena& arena, int32_t maxRows, int32_t vocabulary);

}  // namespace bt

struct bt_device : bt::Parent {
    bt_device(const bt::Kernels* k, int32_t threads, bool pin) : kernels(k), pool(threads, pin) {}
    const bt::Kernels* kernels;
    int32_t backend = 0;
    int32_t isa = 0;
    bt::Pool pool;
};

struct bt_memory {
    bt_device* device;
    int32_t kind;
    bt::Mapping mapping;
};

struct bt_queue : bt::Parent {
    bt_device* device;
};

struct bt_event {
    bt_device* device;
};

struct bt_layer {
    std::vector<float> attentionNorm, ffnNorm;
    bt::Matrix query, key, value, output, gate, up, down;
};

struct bt_model : bt::Parent {
    bt_device* device;
    bt_model_config config;
    bt::Slab slab;
    bt::Matrix embedding, output;
    std::vector<float> outputNorm;
    std::vector<bt_layer> layers;
    int64_t bytes = 0;
    bool sealed = false;
    const bt::Matrix& outputMatrix() const { return config.tied_output ? embedding : output; }
};

struct bt_arena : bt::Parent {
    bt_device* device;
    bt_arena_config config;
    bt::Mapping mapping;
    int64_t layerBlockBytes;
    int64_t elementBytes() const { return config.kv_type == BT_TYPE_F32 ? 4 : 2; }
    uint8_t* at(int32_t layer, int64_t block) const {
        return mapping.data() + (static_cast<int64_t>(layer) * config.blocks + block) * layerBlockBytes;
    }
    int64_t headBytes() const { return static_cast<int64_t>(config.block_tokens) * config.head_dim * elementBytes(); }
};
