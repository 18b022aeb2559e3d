// Paged causal attention of a tile: the keys pass once, LANES slots at a time, and every query of the tile meets them. A query
// keeps a running maximum and sum. Its result depends on its own q and on keys 0..position in this order, never on the tile.

struct TileState {
    float* keys;    // [headDim][LANES], transposed
    float* values;  // [LANES][width]
    float* out;     // [query][width]
    float* maxima;  // [query]
    float* sums;    // [query]
    int64_t width;  // head dim padded to whole vectors
};

// The slots behind the last valid one hold anything: their lanes are masked later.
void loadKeys(const AttentionTile& t, const uint8_t* from, int32_t slots, const TileState& s) {
    for (int32_t base = 0; base < t.headDim; base += LANES) {
        const int32_t dims = t.headDim - base < LANES ? t.headDim - base : LANES;
        vf rows[LANES];
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

void loadValues(const AttentionTile& t, const uint8_t* from, int32_t slots, const TileState& s) {
    for (int32_t slot = 0; slot < slots; slot++) {
        float* to = s.values + slot * s.width;
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

template <int Q>
inline void scores(const TileState& s, int32_t headDim, const float* const* q, vf* out) {
    vf sum[Q];
    for (int i = 0; i < Q; i++) sum[i] = splat(0.0f);
    for (int32_t d = 0; d < headDim; d++) {
        const vf k = loadv(s.keys + d * LANES);
#pragma GCC unroll 8
        for (int i = 0; i < Q; i++) sum[i] = fma(k, splat(q[i][d]), sum[i]);
    }
    for (int i = 0; i < Q; i++) out[i] = sum[i];
}

// C vectors of one query's output, in registers while the slots pass.
template <int C>
inline void accumulate(const float* values, int64_t width, const float* weights, int32_t slots, vf rescale, float* out) {
    vf sum[C];
    for (int c = 0; c < C; c++) sum[c] = loadv(out + c * LANES) * rescale;
    for (int32_t slot = 0; slot < slots; slot++) {
        const vf w = splat(weights[slot]);
#pragma GCC unroll 4
        for (int c = 0; c < C; c++) sum[c] = fma(w, loadv(values + slot * width + c * LANES), sum[c]);
    }
    for (int c = 0; c < C; c++) storev(out + c * LANES, sum[c]);
}

inline void absorb(const TileState& s, int64_t query, vf score, int32_t slots, float scale) {
    const vf masked = keepFirst(score * splat(scale), slots, -3.0e38f);
    const float before = s.maxima[query];
    const float peak = maxLanes(masked);
    const float largest = peak > before ? peak : before;
    float weights[LANES];
    const vf p = keepFirst(expv(masked - splat(largest)), slots, 0.0f);
    storev(weights, p);
    const vf rescale = expv(splat(before - largest));
    s.sums[query] = fma(splat(s.sums[query]), rescale, splat(sumLanes(p)))[0];
    s.maxima[query] = largest;
    float* out = s.out + query * s.width;
    int64_t c = 0;
    for (; c + 4 * LANES <= s.width; c += 4 * LANES) accumulate<4>(s.values + c, s.width, weights, slots, rescale, out + c);
    for (; c < s.width; c += LANES) accumulate<1>(s.values + c, s.width, weights, slots, rescale, out + c);
}

void attention(const AttentionTile& t) {
    TileState s;
    s.width = (t.headDim + LANES - 1) / LANES * LANES;
    const int64_t queries = static_cast<int64_t>(t.rows) * t.group;
    s.keys = t.scratch;
    s.values = s.keys + s.width * LANES;
    s.out = s.values + s.width * LANES;
    s.maxima = s.out + queries * s.width;
    s.sums = s.maxima + queries;
    memset(s.values, 0, static_cast<size_t>(s.width * LANES) * 4);
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
        loadKeys(t, block + t.keyOffset + skip, slots, s);
        loadValues(t, block + t.valueOffset + skip, slots, s);
        for (int64_t i = 0; i < queries;) {
            const float* q[4];
            int64_t index[4];
            int32_t valid[4];
            int n = 0;
            for (; i < queries && n < 4; i++) {
                const int64_t row = i / t.group;
                const int32_t own = t.positions[row] + 1 - base;
                if (own <= 0) continue;
                q[n] = t.q + row * t.rowStride + i % t.group * t.headDim;
                index[n] = i;
                valid[n++] = own < slots ? own : slots;
            }
            vf score[4];
            if (n == 4) {
                scores<4>(s, t.headDim, q, score);
            } else {
                for (int j = 0; j < n; j++) scores<1>(s, t.headDim, q + j, score + j);
            }
            for (int j = 0; j < n; j++) absorb(s, index[j], score[j], valid[j], t.scale);
        }
        base += step;
    }
    for (int64_t i = 0; i < queries; i++) {
        float* out = t.out + i / t.group * t.rowStride + i % t.group * t.headDim;
        const float* from = s.out + i * s.width;
        for (int32_t d = 0; d < t.headDim; d++) out[d] = from[d] / s.sums[i];
    }
}
