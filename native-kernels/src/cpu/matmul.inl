// out[m][n] for a range of output groups. Per output element the order is the same for every tile size: blocks (or single
// columns) of k from first to last, one fused multiply-add each. So a row alone and a row in a batch have the same bits.

void storeGroup(float* out, vf v, int64_t lanes) {
    if (lanes >= LANES) {
        storev(out, v);
        return;
    }
    float all[LANES];
    storev(all, v);
    for (int64_t l = 0; l < lanes; l++) out[l] = all[l];
}

inline int32_t load4(const int8_t* p) {
    int32_t i;
    memcpy(&i, p, 4);
    return i;
}

// M rows of int8 activations, out of a panel of `panel` rows, against one group of q8_0 (or q4_0) weights.
template <int M, bool Q4>
inline void tileQuant(const uint8_t* group, int64_t blocks, const int8_t* q, const QuantScale* scales, int64_t panel, float* out,
                      int64_t stride, int64_t lanes) {
    constexpr int kVectors = Q4 ? 4 : 8;
    // Packed weights are too large by 8 (nibbles) or WEIGHT_XOR: the dot product starts at minus that times the sum.
    constexpr int32_t kBias = Q4 ? 8 : WEIGHT_XOR;
    static_assert(kBias == 0 || kBias == 8 || kBias == 128, "shifted below");
    const uint8_t* weightScales = group + blocks * (LANES * 4 * kVectors);
    vf sum[M];
    for (int m = 0; m < M; m++) sum[m] = splat(0.0f);
    for (int64_t b = 0; b < blocks; b++) {
        const uint8_t* block = group + b * (LANES * 4 * kVectors);
        if (M == 1) __builtin_prefetch(block + 4096);
        vi w[8];
        for (int j = 0; j < kVectors; j++) {
            const vi v = loadBytes(block + j * LANES * 4);
            if (M == 1 && j % 2 == 1) __builtin_prefetch(block + 4096 + j * LANES * 4);
            if (Q4) {
                w[j] = lowNibbles(v);
                w[j + 4] = highNibbles(v);
            } else {
                w[j] = v;
            }
        }
        const vf dw = loadHalf(weightScales + b * (LANES * 2));
        // A dot product is a chain of eight: three rows side by side were fastest.
        constexpr int kChains = M == 12 ? 3 : 1;
#pragma GCC unroll 4
        for (int first = 0; first < M; first += kChains) {
            const QuantScale* s = scales + b * panel + first;
            const int8_t* a = q + (b * panel + first) * 32;
            vi dot[kChains];
#pragma GCC unroll 4
            for (int m = 0; m < kChains; m++) {
                dot[m] = splatInt(kBias == 0 ? 0 : s[m].minusSum);
                if (kBias == 8) dot[m] = shiftLeft<3>(dot[m]);
                if (kBias == 128) dot[m] = shiftLeft<7>(dot[m]);
            }
#pragma GCC unroll 8
            for (int j = 0; j < 8; j++) {
#pragma GCC unroll 4
                for (int m = 0; m < kChains; m++) dot[m] = dot4(dot[m], w[j], load4(a + m * 32 + 4 * j));
            }
#pragma GCC unroll 4
            for (int m = 0; m < kChains; m++)
                sum[first + m] = fma(toFloat(dot[m]), dw * splat(s[m].d), sum[first + m]);
        }
    }
    for (int m = 0; m < M; m++) storeGroup(out + m * stride, sum[m], lanes);
}

template <int32_t TYPE>
inline vf loadWeight(const uint8_t* p) {
    if (TYPE == BT_TYPE_F32) return loadv(reinterpret_cast<const float*>(p));
    return TYPE == BT_TYPE_F16 ? loadHalf(p) : loadBrain(p);
}

// M rows of f32 activations against G neighbouring groups.
template <int M, int G, int32_t TYPE>
inline void tileFloat(const uint8_t* group, int64_t bytes, const float* x, int64_t cols, float* out, int64_t stride, int64_t lanes) {
    constexpr int64_t kStep = LANES * (TYPE == BT_TYPE_F32 ? 4 : 2);
    vf sum[G][M];
    for (int g = 0; g < G; g++)
        for (int m = 0; m < M; m++) sum[g][m] = splat(0.0f);
    for (int64_t k = 0; k < cols; k++) {
#pragma GCC unroll 4
        for (int g = 0; g < G; g++) {
            const vf w = loadWeight<TYPE>(group + g * bytes + k * kStep);
#pragma GCC unroll 16
            for (int m = 0; m < M; m++) sum[g][m] = fma(w, splat(x[m * cols + k]), sum[g][m]);
        }
    }
    for (int g = 0; g < G; g++)
        for (int m = 0; m < M; m++) storeGroup(out + m * stride + g * LANES, sum[g][m], lanes - g * LANES);
}

// 16 lanes of 32 registers leave room for 12 rows, 8 lanes of 16 registers for 4.
constexpr int kBigTile = LANES == 16 ? 12 : 4;
static_assert(kRowBlock % kBigTile == 0, "batches are cut between panels");

// Where a row of a batch begins in the int8 form.
struct PanelRow {
    int64_t panel;  // rows in its panel
    int64_t first;  // of the panel
    int64_t inside;
};
inline PanelRow panelRow(int64_t row, int64_t rows) {
    const int64_t first = row / kBigTile * kBigTile;
    return {rows - first < kBigTile ? rows - first : kBigTile, first, row - first};
}

// Runs whole tiles of M rows from row `done` on.
template <int M, bool Q4>
inline int64_t rowsQuant(const uint8_t* group, const Activations& x, int64_t done, int64_t rows, float* out, int64_t stride,
                         int64_t lanes) {
    const int64_t blocks = x.cols / 32;
    for (; done + M <= rows; done += M) {
        const PanelRow r = panelRow(done, rows);
        tileQuant<M, Q4>(group, blocks, x.q + r.first * x.cols + r.inside * 32, x.scales + r.first * blocks + r.inside,
                         M == kBigTile ? M : r.panel, out + done * stride, stride, lanes);
    }
    return done;
}

template <int M, int G, int32_t TYPE>
inline int64_t rowsFloat(const uint8_t* group, int64_t bytes, const Activations& x, int64_t done, int64_t rows, float* out,
                         int64_t stride, int64_t lanes) {
    for (; done + M <= rows; done += M)
        tileFloat<M, G, TYPE>(group, bytes, x.f32 + done * x.cols, x.cols, out + done * stride, stride, lanes);
    return done;
}

template <bool Q4>
void matmulQuant(const MatrixView& w, const Activations& x, int64_t rows, int64_t first, int64_t end, float* out, int64_t stride) {
    const int64_t bytes = groupBytes(w.type, w.cols);
    for (int64_t g = first; g < end; g++) {
        const uint8_t* group = w.data + g * bytes;
        float* to = out + g * LANES;
        const int64_t lanes = w.rows - g * LANES;
        int64_t done = rowsQuant<kBigTile, Q4>(group, x, 0, rows, to, stride, lanes);
        done = rowsQuant<4, Q4>(group, x, done, rows, to, stride, lanes);
        done = rowsQuant<2, Q4>(group, x, done, rows, to, stride, lanes);
        rowsQuant<1, Q4>(group, x, done, rows, to, stride, lanes);
    }
}

template <int32_t TYPE>
void matmulFloat(const MatrixView& w, const Activations& x, int64_t rows, int64_t first, int64_t end, float* out, int64_t stride) {
    const int64_t bytes = groupBytes(w.type, w.cols);
    int64_t g = first;
    if (rows < 4) {  // few chains a group: four groups at once hide the latency of the multiply-add
        for (; g + 4 <= end; g += 4)
            rowsFloat<1, 4, TYPE>(w.data + g * bytes, bytes, x, 0, rows, out + g * LANES, stride, w.rows - g * LANES);
    }
    for (; g < end; g++) {
        const uint8_t* group = w.data + g * bytes;
        float* to = out + g * LANES;
        const int64_t lanes = w.rows - g * LANES;
        int64_t done = rowsFloat<kBigTile, 1, TYPE>(group, bytes, x, 0, rows, to, stride, lanes);
        done = rowsFloat<4, 1, TYPE>(group, bytes, x, done, rows, to, stride, lanes);
        rowsFloat<1, 1, TYPE>(group, bytes, x, done, rows, to, stride, lanes);
    }
}

void matmul(const MatrixView& w, const Activations& x, int64_t rows, int64_t first, int64_t end, float* out, int64_t stride) {
    switch (w.type) {
        case BT_TYPE_F32: return matmulFloat<BT_TYPE_F32>(w, x, rows, first, end, out, stride);
        case BT_TYPE_F16: return matmulFloat<BT_TYPE_F16>(w, x, rows, first, end, out, stride);
        case BT_TYPE_BF16: return matmulFloat<BT_TYPE_BF16>(w, x, rows, first, end, out, stride);
        case BT_TYPE_Q8_0: return matmulQuant<false>(w, x, rows, first, end, out, stride);
        default: return matmulQuant<true>(w, x, rows, first, end, out, stride);
    }
}

// Each 32 values get their own scale, largest magnitude to 127.
void quantise(const float* x, int64_t cols, int64_t row, int64_t rows, int8_t* q, QuantScale* scales) {
    const PanelRow r = panelRow(row, rows);
    q += r.first * cols + r.inside * 32;
    scales += r.first * (cols / 32) + r.inside;
    constexpr int kVectors = 32 / LANES;
    for (int64_t b = 0; b < cols / 32; b++) {
        vf v[kVectors];
        vf largest = splat(0.0f);
        for (int i = 0; i < kVectors; i++) {
            v[i] = loadv(x + b * 32 + i * LANES);
            largest = maxv(largest, absv(v[i]));
        }
        const float top = maxLanes(largest);
        const vf inverse = splat(top > 0 ? 127.0f / top : 0.0f);
        vi sum = splatInt(0);
        for (int i = 0; i < kVectors; i++) {
            const vi rounded = toInt(minv(maxv(v[i] * inverse, splat(-127.0f)), splat(127.0f)));
            sum = addInt(sum, rounded);
            storeInt8(q + b * r.panel * 32 + i * LANES, rounded);
        }
        scales[b * r.panel].d = top / 127.0f;
        scales[b * r.panel].minusSum = -sumLanes(sum);
    }
}
