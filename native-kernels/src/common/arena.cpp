// The paged K/V arena: one mapping, [layer][block][K|V][kv head][slot in block][head dim].
#include <cstring>
#include <memory>

#include "common/internal.h"

namespace bt {

void checkBatch(const bt_batch& b, const bt_arena& arena, int32_t maxRows, int32_t vocabulary) {
    requireRange(b.rows, 1, maxRows, "rows");
    requireRange(b.sequences, 1, b.rows, "sequences");
    requireRange(b.block_entries, 1, INT32_MAX, "block_entries");
    require(b.positions, "positions");
    require(b.row_sequence, "row_sequence");
    require(b.table_offset, "table_offset");
    require(b.table_count, "table_count");
    require(b.block_table, "block_table");
    if (vocabulary > 0) require(b.tokens, "tokens");
    for (int32_t s = 0; s < b.sequences; s++) {
        requireRange(b.table_count[s], 1, b.block_entries, "table_count");
        requireRange(b.table_offset[s], 0, b.block_entries - b.table_count[s], "table_offset");
    }
    for (int32_t i = 0; i < b.block_entries; i++) requireRange(b.block_table[i], 0, arena.config.blocks - 1, "block id");
    for (int32_t r = 0; r < b.rows; r++) {
        requireRange(b.row_sequence[r], 0, b.sequences - 1, "row_sequence");
        const int64_t capacity = static_cast<int64_t>(b.table_count[b.row_sequence[r]]) * arena.config.block_tokens;
        requireRange(b.positions[r], 0, capacity - 1, "position");
        if (vocabulary > 0) requireRange(b.tokens[r], 0, vocabulary - 1, "token");
    }
}

}  // namespace bt

using namespace bt;

extern "C" {

int32_t bt_arena_create(bt_device* device, const bt_arena_config* config, bt_arena** out) {
    return guarded([&] {
        require(device, "device");
        requireStruct(config, "bt_arena_config");
        require(out, "out");
        requireRange(config->layers, 1, 4096, "layers");
        requireRange(config->blocks, 1, 1 << 24, "blocks");
        requireRange(config->kv_heads, 1, 1024, "kv_heads");
        requireRange(config->block_tokens, 1, 256, "block_tokens");
        requireRange(config->head_dim, 2, 256, "head_dim");
        if (config->head_dim % 2 != 0) fail(BT_ERR_ARGUMENT, "head_dim %d is odd", config->head_dim);
        if (config->kv_type != BT_TYPE_F32 && config->kv_type != BT_TYPE_F16)
            fail(BT_ERR_ARGUMENT, "kv_type %d must be F32 or F16", config->kv_type);
        auto arena = std::make_unique<bt_arena>();
        arena->device = device;
        arena->config = *config;
        arena->layerBlockBytes = 2 * config->kv_heads * arena->headBytes();
        int64_t bytes = 0;
        if (__builtin_mul_overflow(arena->layerBlockBytes * config->layers, static_cast<int64_t>(config->blocks), &bytes))
            fail(BT_ERR_ARGUMENT, "the arena would exceed 2^63 bytes");
        arena->mapping = Mapping(bytes);
        device->children++;
        *out = arena.release();
    });
}

int32_t bt_arena_describe(bt_arena* arena, bt_arena_info* out) {
    return guarded([&] {
        require(arena, "arena");
        requireStruct(out, "bt_arena_info");
        out->memory_kind = BT_MEMORY_HOST;
        out->address = reinterpret_cast<uint64_t>(arena->mapping.data());
        out->bytes = arena->mapping.bytes();
        out->layer_block_bytes = arena->layerBlockBytes;
    });
}

int32_t bt_arena_copy_block(bt_arena* arena, bt_queue* queue, int32_t from, int32_t to) {
    return guarded([&] {
        require(arena, "arena");
        require(queue, "queue");
        requireRange(from, 0, arena->config.blocks - 1, "from");
        requireRange(to, 0, arena->config.blocks - 1, "to");
        if (from == to) return;
        for (int32_t layer = 0; layer < arena->config.layers; layer++)
            memcpy(arena->at(layer, to), arena->at(layer, from), static_cast<size_t>(arena->layerBlockBytes));
    });
}

int32_t bt_arena_zero_block(bt_arena* arena, bt_queue* queue, int32_t block) {
    return guarded([&] {
        require(arena, "arena");
        require(queue, "queue");
        requireRange(block, 0, arena->config.blocks - 1, "block");
        for (int32_t layer = 0; layer < arena->config.layers; layer++)
            memset(arena->at(layer, block), 0, static_cast<size_t>(arena->layerBlockBytes));
    });
}

int32_t bt_arena_close(bt_arena* arena) {
    return guarded([&] {
        require(arena, "arena");
        arena->requireChildless("arena");
        arena->device->children--;
        delete arena;
    });
}

}  // extern "C"
