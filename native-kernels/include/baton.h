/*
 * Baton's native ABI, version 1: devices, memory, queues, events, models, the paged K/V arena, and the forward pass.
 *
 * Rules that hold for every function:
 *  - It returns BT_OK or a negative status; bt_last_error gives the text of this thread's last failure.
 *  - Out-parameters come last and are written only on BT_OK. Handles are opaque and closed by their owner, children first:
 *    closing a parent that still has children is BT_ERR_STATE.
 *  - The first member of a struct is struct_bytes, which the caller sets to the size it was compiled with.
 *  - Host arrays are dense, row-major, aligned to their element. Backends align what they allocate to 64 bytes.
 *  - Work on one queue runs in order. A function that takes a queue (or a forward pass, which carries one) may return
 *    before the work is done. Host arrays it reads may be reused when it returns; host arrays it WRITES are valid after an
 *    event recorded behind it, or bt_queue_sync. Backends `reference` and `cpu` are done when the function returns.
 *  - Different queues may be used from different threads; one queue by one thread at a time.
 *  - No exception and no callback crosses.
 */
#ifndef BATON_H
#define BATON_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define BT_API __attribute__((visibility("default")))
#define BT_ABI_VERSION 1

/* Status. */
enum {
    BT_OK = 0,
    BT_ERR_ARGUMENT = -1,    /* a value outside its documented range; nothing was touched */
    BT_ERR_MEMORY = -2,      /* the allocation was refused */
    BT_ERR_UNSUPPORTED = -3, /* this build or machine lacks what was asked for */
    BT_ERR_STATE = -4,       /* right call, wrong moment */
    BT_ERR_INTERNAL = -5     /* a defect of the backend */
};

enum { BT_BACKEND_AUTO = 0, BT_BACKEND_REFERENCE = 1, BT_BACKEND_CPU = 2, BT_BACKEND_CUDA = 3 };
enum { BT_ISA_AUTO = 0, BT_ISA_SCALAR = 1, BT_ISA_AVX2 = 2, BT_ISA_AVX512 = 3 };
enum { BT_MEMORY_HOST = 0, BT_MEMORY_DEVICE = 1 };
enum { BT_TYPE_F32 = 0, BT_TYPE_F16 = 1, BT_TYPE_BF16 = 2, BT_TYPE_Q8_0 = 3, BT_TYPE_Q4_0 = 4 };
enum { BT_ROPE_INTERLEAVED = 0, BT_ROPE_ROTATE_HALF = 1 };
enum {
    BT_ROLE_TOKEN_EMBEDDING = 0,
    BT_ROLE_ATTENTION_NORM = 1,
    BT_ROLE_QUERY = 2,
    BT_ROLE_KEY = 3,
    BT_ROLE_VALUE = 4,
    BT_ROLE_ATTENTION_OUTPUT = 5,
    BT_ROLE_FFN_NORM = 6,
    BT_ROLE_FFN_GATE = 7,
    BT_ROLE_FFN_UP = 8,
    BT_ROLE_FFN_DOWN = 9,
    BT_ROLE_OUTPUT_NORM = 10,
    BT_ROLE_OUTPUT = 11,
    BT_ROLE_COUNT = 12
};

typedef struct bt_device bt_device;
typedef struct bt_memory bt_memory;
typedef struct bt_queue bt_queue;
typedef struct bt_event bt_event;
typedef struct bt_model bt_model;
typedef struct bt_arena bt_arena;
typedef struct bt_forward bt_forward;

typedef struct bt_device_config {
    uint32_t struct_bytes;
    int32_t backend; /* BT_BACKEND_* */
    int32_t isa;     /* BT_ISA_*; only the cpu backend looks at it */
    int32_t threads; /* workers, the calling thread included; 0 = one per online processor; at most 256 */
    int32_t pin;     /* 1: worker i stays on processor i of the process's affinity mask (the caller is never pinned) */
    int32_t reserved;
} bt_device_config;

typedef struct bt_device_info {
    uint32_t struct_bytes;
    int32_t backend;
    int32_t isa;
    int32_t threads;
    char identity[64]; /* what decides the bits: backend, isa, kernel version; NUL-terminated */
} bt_device_info;

typedef struct bt_model_config {
    uint32_t struct_bytes;
    int32_t layers;
    int32_t d_model;
    int32_t ffn_dim;
    int32_t heads;
    int32_t kv_heads; /* divides heads */
    int32_t head_dim; /* even, 2..256 */
    int32_t vocabulary;
    int32_t context_tokens;
    int32_t rope_style;
    float rope_theta;
    float rms_epsilon;
    int32_t tied_output; /* 1: logits use the token embedding, BT_ROLE_OUTPUT is not uploaded */
    int32_t reserved;
} bt_model_config;

typedef struct bt_arena_config {
    uint32_t struct_bytes;
    int32_t layers;
    int32_t blocks;
    int32_t kv_heads;
    int32_t block_tokens; /* 1..256 */
    int32_t head_dim;     /* even, 2..256 */
    int32_t kv_type;      /* BT_TYPE_F32 or BT_TYPE_F16 */
    int32_t reserved;
} bt_arena_config;

typedef struct bt_arena_info {
    uint32_t struct_bytes;
    int32_t memory_kind;          /* BT_MEMORY_*: where address points */
    uint64_t address;             /* of layer 0, block 0; 4096-aligned */
    int64_t bytes;                /* layers * blocks * layer_block_bytes */
    int64_t layer_block_bytes;    /* 2 * kv_heads * block_tokens * head_dim * element: K then V */
} bt_arena_info;

/* One batch. Every array is host memory and copied by bt_forward_begin. */
typedef struct bt_batch {
    uint32_t struct_bytes;
    int32_t rows;
    int32_t sequences;
    int32_t block_entries;
    const int32_t* tokens;         /* [rows] 0..vocabulary-1 */
    const int32_t* positions;      /* [rows] 0-based, inside the sequence's table */
    const int32_t* row_sequence;   /* [rows] 0..sequences-1 */
    const int32_t* table_offset;   /* [sequences] first entry of the sequence's table in block_table */
    const int32_t* table_count;    /* [sequences] entries; the sequence may hold table_count * block_tokens positions */
    const int32_t* block_table;    /* [block_entries] block ids of the arena */
} bt_batch;

/* ---- version and errors ---- */
BT_API int32_t bt_abi_version(void);
/* Size this library was compiled with: 0 device_config, 1 device_info, 2 model_config, 3 arena_config, 4 arena_info, 5 batch;
 * -1 for anything else. */
BT_API int32_t bt_struct_bytes(int32_t which);
/* Copies the NUL-terminated text of this thread's last failure, cut to capacity. */
BT_API int32_t bt_last_error(char* text, int64_t capacity);

/* ---- device, memory, queue, event ---- */
BT_API int32_t bt_device_open(const bt_device_config* config, bt_device** out);
BT_API int32_t bt_device_describe(bt_device* device, bt_device_info* out);
BT_API int32_t bt_device_close(bt_device* device);

/* Zeroed memory of a kind, 4096-aligned. On host backends both kinds are host memory, and stay distinct handles. */
BT_API int32_t bt_memory_create(bt_device* device, int32_t kind, int64_t bytes, bt_memory** out);
BT_API int32_t bt_memory_address(bt_memory* memory, uint64_t* out);
BT_API int32_t bt_memory_close(bt_memory* memory);
/* Copies bytes between memories of any kinds, not overlapping; both must stay open until the queue has passed the copy. */
BT_API int32_t bt_memory_copy(bt_queue* queue, bt_memory* to, int64_t to_offset, bt_memory* from, int64_t from_offset, int64_t bytes);

BT_API int32_t bt_queue_create(bt_device* device, bt_queue** out);
BT_API int32_t bt_queue_sync(bt_queue* queue);
BT_API int32_t bt_queue_close(bt_queue* queue);

/* An event is complete when everything queued before its last record is. A new event counts as complete. */
BT_API int32_t bt_event_create(bt_device* device, bt_event** out);
BT_API int32_t bt_event_record(bt_event* event, bt_queue* queue);
BT_API int32_t bt_event_query(bt_event* event, int32_t* complete);
BT_API int32_t bt_event_wait(bt_event* event);
/* Work queued later on `queue` starts after the event; does not block the caller. */
BT_API int32_t bt_queue_wait_event(bt_queue* queue, bt_event* event);
BT_API int32_t bt_event_close(bt_event* event);

/* ---- model ---- */
BT_API int32_t bt_model_create(bt_device* device, const bt_model_config* config, bt_model** out);
/* Packs one tensor into the backend's layout. data: rows x cols elements of `type`, row-major; Q8_0 and Q4_0 need
 * cols % 32 == 0. Norms are F32, F16 or BF16 vectors of rows 1. Each (role, layer) exactly once, any order. data may be
 * reused on return. */
BT_API int32_t bt_model_tensor(
    bt_model* model, int32_t role, int32_t layer, int32_t type, int64_t rows, int64_t cols, const void* data, int64_t bytes);
/* Checks that nothing is missing; after it the model is read-only and may be shared by any number of forward passes. */
BT_API int32_t bt_model_seal(bt_model* model);
BT_API int32_t bt_model_bytes(bt_model* model, int64_t* out);
BT_API int32_t bt_model_close(bt_model* model);

/* ---- paged K/V arena: [layer][block][K|V][kv head][slot in block][head dim] ---- */
/* Fresh pages read as zero. One layer of a run of blocks is one contiguous range. */
BT_API int32_t bt_arena_create(bt_device* device, const bt_arena_config* config, bt_arena** out);
BT_API int32_t bt_arena_describe(bt_arena* arena, bt_arena_info* out);
/* Copies block `from` over block `to`, or zeroes one, in every layer. */
BT_API int32_t bt_arena_copy_block(bt_arena* arena, bt_queue* queue, int32_t from, int32_t to);
BT_API int32_t bt_arena_zero_block(bt_arena* arena, bt_queue* queue, int32_t block);
BT_API int32_t bt_arena_close(bt_arena* arena);

/* ---- forward pass: begin, embed, layer 0, 1, ..., layers-1, logits (any number of times) ---- */
/* Workspace for batches of at most max_rows rows, and logits of at most max_logit_rows rows. The arena's layers, kv_heads
 * and head_dim must be the model's. */
BT_API int32_t bt_forward_create(
    bt_model* model, bt_arena* arena, bt_queue* queue, int32_t max_rows, int32_t max_logit_rows, bt_forward** out);
/* Checks the whole batch before anything is touched, and copies it. Abandons a batch under way. */
BT_API int32_t bt_forward_begin(bt_forward* forward, const bt_batch* batch);
BT_API int32_t bt_forward_embed(bt_forward* forward);
/* Runs one layer. The K/V of all rows of the batch are written to the arena before attention runs, so rows of one sequence
 * see each other causally: a row at position p attends to positions 0..p. When the queue has passed this call, the layer's
 * blocks may be read by others. */
BT_API int32_t bt_forward_layer(bt_forward* forward, int32_t layer);
/* Logits of `count` batch rows, rows[i] in 0..rows-1, to out[count][vocabulary] (host, f32). Only after the last layer. */
BT_API int32_t bt_forward_logits(bt_forward* forward, const int32_t* rows, int32_t count, float* out);
BT_API int32_t bt_forward_close(bt_forward* forward);

/* ---- what this machine can do at most, measured now with all of the device's workers: what benchmarks compare with ---- */
enum { BT_LIMIT_READ_BYTES = 0, BT_LIMIT_INT8_OPS = 1 };
/* Per second, the best of several rounds; takes about a second. READ_BYTES: reading an array larger than the caches.
 * INT8_OPS: dot products in registers, a multiply-add is two operations. Backend `reference`: BT_ERR_UNSUPPORTED. */
BT_API int32_t bt_device_limit(bt_device* device, int32_t which, double* out);

/* ---- single operations on host arrays, complete on return: what the tests compare backends by ---- */
/* out[count][cols] = rows tokens[i] of table[rows][cols]. */
BT_API int32_t bt_op_embedding(bt_device* device, int32_t type, const void* table, int64_t rows, int64_t cols,
    const int32_t* tokens, int32_t count, float* out);
/* out[r][i] = x[r][i] / sqrt(mean(x[r]^2) + epsilon) * weight[i]. */
BT_API int32_t bt_op_rmsnorm(
    bt_device* device, const float* x, const float* weight, int32_t rows, int32_t d, float epsilon, float* out);
/* out[m][n] = x[m][k] . weight[n][k]. */
BT_API int32_t bt_op_matmul(bt_device* device, int32_t type, const void* weight, int64_t n, int64_t k, const float* x, int32_t m,
    float* out);
/* Rotates x[rows][heads][head_dim] in place by positions[rows]. */
BT_API int32_t bt_op_rope(bt_device* device, float* x, int32_t rows, int32_t heads, int32_t head_dim, const int32_t* positions,
    float theta, int32_t style);
/* out[i] = gate[i] / (1 + exp(-gate[i])) * up[i]. */
BT_API int32_t bt_op_swiglu(bt_device* device, const float* gate, const float* up, int64_t count, float* out);
/* Causal attention of q[rows][heads][head_dim] over what layer `layer` of the arena holds; batch.tokens is not read. */
BT_API int32_t bt_op_attention(
    bt_arena* arena, int32_t layer, const bt_batch* batch, const float* q, int32_t heads, float* out);

#ifdef __cplusplus
}
#endif
#endif
