// The vector vocabulary in AVX-512 (F, BW, VL, DQ, VNNI): sixteen lanes.
#pragma once

#include <immintrin.h>

#include <cstdint>
#include <cstring>

#include "common/kernels.h"

namespace bt {
namespace {

constexpr int LANES = 16;
constexpr int32_t WEIGHT_XOR = 128;  // q8_0 weights are packed unsigned, plus 128: vpdpbusd takes unsigned times signed
using vf = __m512;
using vi = __m512i;

inline vf loadv(const float* p) { return _mm512_loadu_ps(p); }
inline void storev(float* p, vf v) { _mm512_storeu_ps(p, v); }
inline vi loadBytes(const uint8_t* p) { return _mm512_loadu_si512(p); }
inline vf splat(float f) { return _mm512_set1_ps(f); }
inline vi splatInt(int32_t i) { return _mm512_set1_epi32(i); }
inline vf fma(vf a, vf b, vf c) { return _mm512_fmadd_ps(a, b, c); }
inline vf maxv(vf a, vf b) { return _mm512_max_ps(a, b); }
inline vf minv(vf a, vf b) { return _mm512_min_ps(a, b); }
inline vf absv(vf a) { return _mm512_abs_ps(a); }
inline vf toFloat(vi a) { return _mm512_cvtepi32_ps(a); }
inline vi toInt(vf a) { return _mm512_cvtps_epi32(a); }
inline vi addInt(vi a, vi b) { return _mm512_add_epi32(a, b); }
template <int N>
inline vi shiftLeft(vi a) { return _mm512_slli_epi32(a, N); }
inline vf asFloat(vi a) { return _mm512_castsi512_ps(a); }
inline vf loadHalf(const uint8_t* p) { return _mm512_cvtph_ps(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p))); }
inline vf loadBrain(const uint8_t* p) {
    const __m512i wide = _mm512_cvtepu16_epi32(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)));
    return _mm512_castsi512_ps(_mm512_slli_epi32(wide, 16));
}
inline vf keepFirst(vf v, int count, float rest) {
    const __mmask16 keep = static_cast<__mmask16>(count >= 16 ? 0xffff : (1u << count) - 1);
    return _mm512_mask_blend_ps(keep, _mm512_set1_ps(rest), v);
}
inline void storeInt8(int8_t* p, vi v) { _mm_storeu_si128(reinterpret_cast<__m128i*>(p), _mm512_cvtepi32_epi8(v)); }
inline float sumLanes(vf v) { return _mm512_reduce_add_ps(v); }
inline int32_t sumLanes(vi v) { return _mm512_reduce_add_epi32(v); }
inline float maxLanes(vf v) { return _mm512_reduce_max_ps(v); }
inline vi lowNibbles(vi v) { return _mm512_and_si512(v, _mm512_set1_epi8(15)); }
inline vi highNibbles(vi v) { return _mm512_and_si512(_mm512_srli_epi16(v, 4), _mm512_set1_epi8(15)); }
// acc[l] += sum over the four unsigned bytes of w[l] times the four signed bytes of a.
inline vi dot4(vi acc, vi w, int32_t a) { return _mm512_dpbusd_epi32(acc, w, _mm512_set1_epi32(a)); }
inline void transpose(vf* r) {
    vf t[16];
#pragma GCC unroll 16
    for (int i = 0; i < 16; i += 2) {
        t[i] = _mm512_unpacklo_ps(r[i], r[i + 1]);
        t[i + 1] = _mm512_unpackhi_ps(r[i], r[i + 1]);
    }
#pragma GCC unroll 16
    for (int i = 0; i < 16; i += 4) {
        r[i] = _mm512_shuffle_ps(t[i], t[i + 2], 0x44);
        r[i + 1] = _mm512_shuffle_ps(t[i], t[i + 2], 0xee);
        r[i + 2] = _mm512_shuffle_ps(t[i + 1], t[i + 3], 0x44);
        r[i + 3] = _mm512_shuffle_ps(t[i + 1], t[i + 3], 0xee);
    }
    // r[4a + b] now holds, in 128-bit lane c, column 4c + b of rows 4a..4a+3: transpose the lanes.
#pragma GCC unroll 16
    for (int b = 0; b < 4; b++) {
        const vf lo02 = _mm512_shuffle_f32x4(r[b], r[4 + b], 0x88);
        const vf lo13 = _mm512_shuffle_f32x4(r[b], r[4 + b], 0xdd);
        const vf hi02 = _mm512_shuffle_f32x4(r[8 + b], r[12 + b], 0x88);
        const vf hi13 = _mm512_shuffle_f32x4(r[8 + b], r[12 + b], 0xdd);
        t[b] = _mm512_shuffle_f32x4(lo02, hi02, 0x88);
        t[8 + b] = _mm512_shuffle_f32x4(lo02, hi02, 0xdd);
        t[4 + b] = _mm512_shuffle_f32x4(lo13, hi13, 0x88);
        t[12 + b] = _mm512_shuffle_f32x4(lo13, hi13, 0xdd);
    }
#pragma GCC unroll 16
    for (int i = 0; i < 16; i++) r[i] = t[i];
}

}  // namespace
}  // namespace bt
