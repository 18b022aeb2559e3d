// The vector vocabulary without any instruction set: eight lanes in compiler vectors, for processors older than AVX2.
#pragma once

#include <cstdint>
#include <cstring>

#include "common/kernels.h"

namespace bt {
namespace {

constexpr int LANES = 8;
constexpr int32_t WEIGHT_XOR = 0;  // q8_0 weights stay signed
typedef float vf __attribute__((vector_size(32)));
typedef int32_t vi __attribute__((vector_size(32)));

inline vf loadv(const float* p) { vf v; memcpy(&v, p, sizeof v); return v; }
inline void storev(float* p, vf v) { memcpy(p, &v, sizeof v); }
inline vi loadBytes(const uint8_t* p) { vi v; memcpy(&v, p, sizeof v); return v; }
inline vf splat(float f) { return vf{f, f, f, f, f, f, f, f}; }
inline vi splatInt(int32_t i) { return vi{i, i, i, i, i, i, i, i}; }
inline vf fma(vf a, vf b, vf c) { return a * b + c; }
inline vf maxv(vf a, vf b) { return a > b ? a : b; }
inline vf minv(vf a, vf b) { return a < b ? a : b; }
inline vf absv(vf a) { return reinterpret_cast<vf>(reinterpret_cast<vi>(a) & splatInt(0x7fffffff)); }
inline vf toFloat(vi a) { return __builtin_convertvector(a, vf); }
// Round to nearest even, |a| < 2^22: adding 1.5 * 2^23 leaves the integer in the low mantissa bits.
inline vi toInt(vf a) { return reinterpret_cast<vi>(a + splat(12582912.0f)) - splatInt(0x4b400000); }
inline vi addInt(vi a, vi b) { return a + b; }
template <int N>
inline vi shiftLeft(vi a) { return a << N; }
inline vf asFloat(vi a) { return reinterpret_cast<vf>(a); }
inline vf loadHalf(const uint8_t* p) {
    vf v;
    for (int l = 0; l < LANES; l++) v[l] = f16ToF32(load16(p + 2 * l));
    return v;
}
inline vf loadBrain(const uint8_t* p) {
    vf v;
    for (int l = 0; l < LANES; l++) v[l] = bf16ToF32(load16(p + 2 * l));
    return v;
}
inline vf keepFirst(vf v, int count, float rest) {
    for (int l = count; l < LANES; l++) v[l] = rest;
    return v;
}
inline void storeInt8(int8_t* p, vi v) {
    for (int l = 0; l < LANES; l++) p[l] = static_cast<int8_t>(v[l]);
}
inline float sumLanes(vf v) { return ((v[0] + v[4]) + (v[2] + v[6])) + ((v[1] + v[5]) + (v[3] + v[7])); }
inline int32_t sumLanes(vi v) { return v[0] + v[1] + v[2] + v[3] + v[4] + v[5] + v[6] + v[7]; }
inline float maxLanes(vf v) {
    float m = v[0];
    for (int l = 1; l < LANES; l++) m = v[l] > m ? v[l] : m;
    return m;
}
inline vi lowNibbles(vi v) { return v & splatInt(0x0f0f0f0f); }
inline vi highNibbles(vi v) { return (v >> 4) & splatInt(0x0f0f0f0f); }
// acc[l] += sum over the four signed bytes of w[l] times the four signed bytes of a.
inline vi dot4(vi acc, vi w, int32_t a) {
    for (int shift = 0; shift < 32; shift += 8)
        acc += ((w << (24 - shift)) >> 24) * splatInt(static_cast<int8_t>(static_cast<uint32_t>(a) >> shift));
    return acc;
}
// rows[l] becomes column l: 8 x 8.
inline void transpose(vf* rows) {
#pragma GCC unroll 16
    for (int i = 0; i < LANES; i++)
    #pragma GCC unroll 16
    for (int j = i + 1; j < LANES; j++) {
            const float t = rows[i][j];
            rows[i][j] = rows[j][i];
            rows[j][i] = t;
        }
}

}  // namespace
}  // namespace bt
