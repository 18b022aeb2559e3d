// Paged causal attention of a tile: the keys pass once, LANES slots at a time, and every query of the tile meets them. A query
// keeps a running maximum and sum. Its result depends on its own q and on keys 0..position in this order, never on the tile.

constexpr int64_t kFewQueries = 16;

struct TileState {
    float* keys;          // [headDim][LANES], transposed
    float* widened;       // [LANES][width], room for V where it cannot be read in place
    const float* values;  // [LANES][width], V of the slots at hand
    float* out;           // [query][width]
    float* maxima;        // [query]
    float* sums;          // [query]
    float* packed;        // [query / 8][headDim][8], q of eight queries side by side; spare ones are zero
    int64_t width;        // head dim padded to whole vectors
};

// The slots behind the last valid one hold anything: their lanes are masked later.
void loadKeys(const AttentionTile& t, const uint8_t* from, int32_t slots, const TileState& s) {
    for (int32_t base = 0; base < t.headDim; base += LANES) {
        const int32_t dims = t.headDim - base < LANES ? t.headDim - base : LANES;
        vf rows[LANES];
        if (slots == LANES && dims == LANES) {  // the common case, in registers
#pragma GCC unroll 16
            for (int slot = 0; slot < LANES; slot++) {
                const int64_t index = static_cast<int64_t>(slot) * t.headDim + base;
                rows[slot] = t.kvType == BT_TYPE_F32 ? loadv(reinterpret_cast<const float*>(from) + index)
                                                     : loadHalf(from + index * 2);
            }
            transpose(rows);
#pragma GCC unroll 16
            for (int i = 0; i < LANES; i++) storev(s.keys + (base + i) * LANES, rows[i]);
            continue;
        }
        for (int slot = 0; slot < LANES; slot++) {
            if (slot >= slots) {
                rows[slot] = splat(0.0f);
                continue;
            }
            const int64_t index = static_cast<int64_t>(slot) * t.headDim + base;
            if (dims == LANES) {
                rows[slot] = t.kvType == BT_TYPE_F32 ? loadv(reinterpret_cast<const float*>(from) + index)
                                                     : loadHalf(from + index * 2);
            } else {
                float part[LANES] = {};
                for (int32_t i = 0; i < dims; i++)
                    part[i] = t.kvType == BT_TYPE_F32 ? reinterpret_cast<const float*>(from)[index + i]
                                                      : f16ToF32(load16(from + (index + i) * 2));
                rows[slot] = loadv(part);
            }
        }
        transpose(rows);
        for (int32_t i = 0; i < dims; i++) storev(s.keys + (base + i) * LANES, rows[i]);
    }
}

void loadValues(const AttentionTile& t, const uint8_t* from, int32_t slots, TileState& s) {
    if (t.kvType == BT_TYPE_F32 && s.width == t.headDim) {
        s.values = reinterpret_cast<const float*>(from);
        return;
    }
    s.values = s.widened;
    for (int32_t slot = 0; slot < slots; slot++) {
        float* to = s.widened + slot * s.width;
        const int64_t index = static_cast<int64_t>(slot) * t.headDim;
        int32_t i = 0;
        for (; i + LANES <= t.headDim; i += LANES)
            storev(to + i, t.kvType == BT_TYPE_F32 ? loadv(reinterpret_cast<const float*>(from) + index + i)
                                                   : loadHalf(from + (index + i) * 2));
        for (; i < t.headDim; i++)
            to[i] = t.kvType == BT_TYPE_F32 ? reinterpret_cast<const float*>(from)[index + i]
                                            : f16ToF32(load16(from + (index + i) * 2));
    }
}

// Scores of the first Q of eight queries that are packed together. Eight chains (or four) hide the latency.
template <int Q>
inline void scores(const TileState& s, int32_t headDim, const float* packed, vf* out) {
    vf sum[Q];
    for (int i = 0; i < Q; i++) sum[i] = splat(0.0f);
    for (int32_t d = 0; d < headDim; d++) {
        const vf k = loadv(s.keys + d * LANES);
#pragma GCC unroll 8
        for (int i = 0; i < Q; i++) sum[i] = fma(k, splat(packed[d * 8 + i]), sum[i]);
    }
    for (int i = 0; i < Q; i++) out[i] = sum[i];
}

void packQueries(const AttentionTile& t, int64_t queries, float* packed) {
    memset(packed, 0, static_cast<size_t>(paddedTo(queries, 8) * t.headDim) * 4);
    for (int64_t i = 0; i < queries; i++) {
        const float* q = t.q + i / t.group * t.rowStride + i % t.group * t.headDim;
        float* to = packed + i / 8 * 8 * t.headDim + i % 8;
        for (int32_t d = 0; d < t.headDim; d++) to[d * 8] = q[d];
    }
}

// C vectors of the outputs of Q queries, in registers while the slots pass. The
// slots that all queries see come first and each query's own rest follows: the order per query stays that of its keys.
template <int C, int Q>
inline void accumulate(const TileState& s, int64_t column, int64_t query, const float (*weights)[LANES],
                       const int32_t* valid, const float* rescale) {
    vf sum[Q][C];
    int32_t common = valid[0];
    for (int i = 0; i < Q; i++) {
        common = valid[i] < common ? valid[i] : common;
        for (int c = 0; c < C; c++)
            sum[i][c] = loadv(s.out + (query + i) * s.width + column + c * LANES) * splat(rescale[i]);
    }
    const float* v = s.values + column;
    for (int32_t slot = 0; slot < common; slot++, v += s.width) {
        vf value[C];
#pragma GCC unroll 4
        for (int c = 0; c < C; c++) value[c] = loadv(v + c * LANES);
#pragma GCC unroll 4
        for (int i = 0; i < Q; i++) {
            const vf w = splat(weights[i][slot]);
#pragma GCC unroll 4
            for (int c = 0; c < C; c++) sum[i][c] = fma(w, value[c], sum[i][c]);
        }
    }
    for (int i = 0; i < Q; i++) {
        for (int32_t slot = common; slot < valid[i]; slot++)
            for (int c = 0; c < C; c++)
                sum[i][c] = fma(splat(weights[i][slot]), loadv(s.values + slot * s.width + column + c * LANES), sum[i][c]);
        for (int c = 0; c < C; c++) storev(s.out + (query + i) * s.width + column + c * LANES, sum[i][c]);
    }
}

template <int Q>
inline void accumulateRow(const TileState& s, int64_t query, const float (*weights)[LANES], const int32_t* valid,
                          const float* rescale) {
    int64_t c = 0;
    for (; c + 4 * LANES <= s.width; c += 4 * LANES) accumulate<4, Q>(s, c, query, weights, valid, rescale);
    for (; c < s.width; c += LANES) accumulate<1, Q>(s, c, query, weights, valid, rescale);
}

// Turns scores into weights relative to the new maximum and returns what the earlier sums must be scaled by.
inline float weigh(const TileState& s, int64_t query, vf score, int32_t valid, float scale, float* weights) {
    const vf masked = keepFirst(score * splat(scale), valid, -3.0e38f);
    const float before = s.maxima[query];
    const float peak = maxLanes(masked);
    const float largest = peak > before ? peak : before;
    const vf p = keepFirst(expv(masked - splat(largest)), valid, 0.0f);
    storev(weights, p);
    const float rescale = largest == before ? 1.0f : expv(splat(before - largest))[0];
    s.sums[query] = s.sums[query] * rescale + sumLanes(p);
    s.maxima[query] = largest;
    return rescale;
}

// A block's K and V lie apart from the next block's, so the hardware sees no stream; a tile of few queries would wait for
// memory at every block.
inline void fetchAhead(const uint8_t* from, int64_t bytes) {
    for (int64_t i = 0; i < bytes; i += 64) __builtin_prefetch(from + i);
}

void attention(const AttentionTile& t) {
    TileState s;
    s.width = (t.headDim + LANES - 1) / LANES * LANES;
    const int64_t queries = static_cast<int64_t>(t.rows) * t.group;
    s.keys = t.scratch;
    s.widened = s.keys + s.width * LANES;
    s.values = s.widened;
    s.out = s.widened + s.width * LANES;
    s.maxima = s.out + queries * s.width;
    s.sums = s.maxima + queries;
    s.packed = s.sums + queries;
    packQueries(t, queries, s.packed);
    memset(s.widened, 0, static_cast<size_t>(s.width * LANES) * 4);
    memset(s.out, 0, static_cast<size_t>(queries * s.width) * 4);
    int32_t last = 0;
    for (int32_t r = 0; r < t.rows; r++) last = t.positions[r] > last ? t.positions[r] : last;
    for (int64_t i = 0; i < queries; i++) {
        s.maxima[i] = -3.0e38f;
        s.sums[i] = 0;
    }
    const int64_t element = t.kvType == BT_TYPE_F32 ? 4 : 2;
    for (int32_t base = 0; base <= last;) {
        const int32_t inBlock = base % t.blockTokens;
        int32_t slots = t.blockTokens - inBlock < LANES ? t.blockTokens - inBlock : LANES;
        const int32_t step = slots;
        if (slots > last + 1 - base) slots = last + 1 - base;
        const uint8_t* block = t.layer + t.blocks[base / t.blockTokens] * t.blockBytes;
        const int64_t skip = static_cast<int64_t>(inBlock) * t.headDim * element;
        const uint8_t* ahead = nullptr;
        if (queries <= kFewQueries && base + step <= last) {
            const int32_t next = base + step;
            ahead = t.layer + t.blocks[next / t.blockTokens] * t.blockBytes + next % t.blockTokens * t.headDim * element;
            fetchAhead(ahead + t.keyOffset, step * t.headDim * element);
        }
        loadKeys(t, block + t.keyOffset + skip, slots, s);
        loadValues(t, block + t.valueOffset + skip, slots, s);
        if (ahead) fetchAhead(ahead + t.valueOffset, step * t.headDim * element);
        for (int64_t first = 0; first < queries; first += 8) {
            const int n = static_cast<int>(queries - first < 8 ? queries - first : 8);
            int32_t valid[8];
            int32_t most = 0;
            for (int i = 0; i < n; i++) {
                const int32_t own = t.positions[(first + i) / t.group] + 1 - base;
                valid[i] = own < 0 ? 0 : own < slots ? own : slots;
                most = valid[i] > most ? valid[i] : most;
            }
            if (most == 0) continue;
            vf score[8];
            if (n > 4) {
                scores<8>(s, t.headDim, s.packed + first * t.headDim, score);
            } else {
                scores<4>(s, t.headDim, s.packed + first * t.headDim, score);
            }
            float weights[8][LANES];
            float rescale[8];
            for (int i = 0; i < n; i++) {
                rescale[i] = 1.0f;
                if (valid[i] > 0) rescale[i] = weigh(s, first + i, score[i], valid[i], t.scale, weights[i]);
            }
            int i = 0;
            if (LANES == 16)  // enough registers for the outputs of four
                for (; i + 4 <= n; i += 4) accumulateRow<4>(s, first + i, weights + i, valid + i, rescale + i);
            for (; i + 2 <= n; i += 2) accumulateRow<2>(s, first + i, weights + i, valid + i, rescale + i);
            if (i < n) accumulateRow<1>(s, first + i, weights + i, valid + i, rescale + i);
        }
        base += step;
    }
    for (int64_t i = 0; i < queries; i++) {
        float* out = t.out + i / t.group * t.rowStride + i % t.group * t.headDim;
        const float* from = s.out + i * s.width;
        for (int32_t d = 0; d < t.headDim; d++) out[d] = from[d] / s.sums[i];
    }
}
