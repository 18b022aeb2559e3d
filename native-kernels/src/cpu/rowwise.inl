// Kernels of one row: norm, rotation, activation, residual.

// exp by range reduction and a polynomial of degree six; relative error below 3e-7. Below -87 it flushes to about 1e-38.
inline vf expv(vf x) {
    x = minv(maxv(x, splat(-87.3f)), splat(88.3f));
    const vi n = toInt(x * splat(1.44269504f));
    const vf nf = toFloat(n);
    vf r = fma(nf, splat(-0.693359375f), x);
    r = fma(nf, splat(2.12194440e-4f), r);
    vf p = splat(1.9875691500e-4f);
    p = fma(p, r, splat(1.3981999507e-3f));
    p = fma(p, r, splat(8.3334519073e-3f));
    p = fma(p, r, splat(4.1665795894e-2f));
    p = fma(p, r, splat(1.6666665459e-1f));
    p = fma(p, r, splat(5.0000001201e-1f));
    p = fma(p, r * r, r) + splat(1.0f);
    return p * asFloat(shiftLeft<23>(addInt(n, splatInt(127))));
}

// The sum of squares runs in LANES chains, folded in a fixed tree; the tail joins last.
void rmsnorm(const float* x, const float* weight, int64_t d, float epsilon, float* out) {
    vf lanes = splat(0.0f);
    int64_t i = 0;
    for (; i + LANES <= d; i += LANES) {
        const vf v = loadv(x + i);
        lanes = fma(v, v, lanes);
    }
    float sum = sumLanes(lanes);
    for (int64_t t = i; t < d; t++) sum += x[t] * x[t];
    const float scale = 1.0f / __builtin_sqrtf(sum / static_cast<float>(d) + epsilon);
    const int64_t whole = i;
    for (i = 0; i < whole; i += LANES) storev(out + i, loadv(x + i) * splat(scale) * loadv(weight + i));
    for (; i < d; i++) out[i] = x[i] * scale * weight[i];
}

void rope(float* head, int32_t headDim, const float* cosine, const float* sine, int32_t style) {
    const int32_t half = headDim / 2;
    if (style == BT_ROPE_INTERLEAVED) {
        for (int32_t i = 0; i < half; i++) {
            const float a = head[2 * i];
            const float b = head[2 * i + 1];
            head[2 * i] = a * cosine[i] - b * sine[i];
            head[2 * i + 1] = a * sine[i] + b * cosine[i];
        }
    } else {
        for (int32_t i = 0; i < half; i++) {
            const float a = head[i];
            const float b = head[i + half];
            head[i] = a * cosine[i] - b * sine[i];
            head[i + half] = a * sine[i] + b * cosine[i];
        }
    }
}

void swiglu(const float* gate, const float* up, int64_t count, float* out) {
    int64_t i = 0;
    for (; i + LANES <= count; i += LANES) {
        const vf g = loadv(gate + i);
        storev(out + i, g / (splat(1.0f) + expv(splat(0.0f) - g)) * loadv(up + i));
    }
    if (i < count) {
        float g[LANES] = {}, u[LANES] = {};
        for (int64_t t = i; t < count; t++) {
            g[t - i] = gate[t];
            u[t - i] = up[t];
        }
        const vf v = loadv(g);
        storev(g, v / (splat(1.0f) + expv(splat(0.0f) - v)) * loadv(u));
        for (int64_t t = i; t < count; t++) out[t] = g[t - i];
    }
}

void add(float* x, const float* y, int64_t count) {
    for (int64_t i = 0; i < count; i++) x[i] += y[i];
}
