// What a worker can do at most: the figures that benchmarks name as limits. Nothing here takes part in inference.

// Reads bytes (a multiple of 512) and returns something that depends on all of them.
int32_t readAll(const uint8_t* from, int64_t bytes) {
    constexpr int64_t kVector = LANES * 4;
    vi sum[8];
    for (int i = 0; i < 8; i++) sum[i] = splatInt(0);
    for (int64_t at = 0; at < bytes; at += 8 * kVector) {
        for (int i = 0; i < 8; i++) {
            __builtin_prefetch(from + at + i * kVector + 4096);
            sum[i] = addInt(sum[i], loadBytes(from + at + i * kVector));
        }
    }
    for (int i = 1; i < 8; i++) sum[0] = addInt(sum[0], sum[i]);
    return sumLanes(sum[0]);
}

// 12 chains of int8 dot products, as many as the largest tile has; returns their sum.
int32_t dotAll(int64_t rounds, int32_t seed) {
    vi acc[12];
    for (int i = 0; i < 12; i++) acc[i] = splatInt(i);
    const vi w = splatInt(seed);
    for (int64_t r = 0; r < rounds; r++) {
#pragma GCC unroll 12
        for (int i = 0; i < 12; i++) acc[i] = dot4(acc[i], w, seed);
    }
    for (int i = 1; i < 12; i++) acc[0] = addInt(acc[0], acc[i]);
    return sumLanes(acc[0]);
}
constexpr int64_t kDotOpsPerRound = 12 * LANES * 4 * 2;
