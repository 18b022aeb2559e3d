// The vector vocabulary in AVX2, FMA and F16C: eight lanes.
#pragma once

#include <immintrin.h>

#include <cstdint>
#include <cstring>

#include "common/kernels.h"

namespace bt {
namespace {

constexpr int LANES = 8;
constexpr int32_t WEIGHT_XOR = 0;  // q8_0 weights stay signed: see dot4
using vf = __m256;
using vi = __m256i;

inline vf loadv(const float* p) { return _mm256_loadu_ps(p); }
inline void storev(float* p, vf v) { _mm256_storeu_ps(p, v); }
inline vi loadBytes(const uint8_t* p) { return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)); }
inline vf splat(float f) { return _mm256_set1_ps(f); }
inline vi splatInt(int32_t i) { return _mm256_set1_epi32(i); }
inline vf fma(vf a, vf b, vf c) { return _mm256_fmadd_ps(a, b, c); }
inline vf maxv(vf a, vf b) { return _mm256_max_ps(a, b); }
inline vf minv(vf a, vf b) { return _mm256_min_ps(a, b); }
inline vf absv(vf a) { return _mm256_andnot_ps(_mm256_set1_ps(-0.0f), a); }
inline vf toFloat(vi a) { return _mm256_cvtepi32_ps(a); }
inline vi toInt(vf a) { return _mm256_cvtps_epi32(a); }
inline vi addInt(vi a, vi b) { return _mm256_add_epi32(a, b); }
template <int N>
inline vi shiftLeft(vi a) { return _mm256_slli_epi32(a, N); }
inline vf asFloat(vi a) { return _mm256_castsi256_ps(a); }
inline vf loadHalf(const uint8_t* p) { return _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p))); }
inline vf loadBrain(const uint8_t* p) {
    const __m256i wide = _mm256_cvtepu16_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)));
    return _mm256_castsi256_ps(_mm256_slli_epi32(wide, 16));
}
inline vf keepFirst(vf v, int count, float rest) {
    const __m256i lane = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    const __m256i keep = _mm256_cmpgt_epi32(_mm256_set1_epi32(count), lane);
    return _mm256_blendv_ps(_mm256_set1_ps(rest), v, _mm256_castsi256_ps(keep));
}
inline void storeInt8(int8_t* p, vi v) {
    const __m128i words = _mm_packs_epi32(_mm256_castsi256_si128(v), _mm256_extracti128_si256(v, 1));
    _mm_storel_epi64(reinterpret_cast<__m128i*>(p), _mm_packs_epi16(words, words));
}
inline float sumLanes(vf v) {
    __m128 s = _mm_add_ps(_mm256_castps256_ps128(v), _mm256_extractf128_ps(v, 1));
    s = _mm_add_ps(s, _mm_movehl_ps(s, s));
    return _mm_cvtss_f32(_mm_add_ss(s, _mm_movehdup_ps(s)));
}
inline int32_t sumLanes(vi v) {
    __m128i s = _mm_add_epi32(_mm256_castsi256_si128(v), _mm256_extracti128_si256(v, 1));
    s = _mm_add_epi32(s, _mm_shuffle_epi32(s, 0x4e));
    return _mm_cvtsi128_si32(_mm_add_epi32(s, _mm_shuffle_epi32(s, 0xb1)));
}
inline float maxLanes(vf v) {
    __m128 s = _mm_max_ps(_mm256_castps256_ps128(v), _mm256_extractf128_ps(v, 1));
    s = _mm_max_ps(s, _mm_movehl_ps(s, s));
    return _mm_cvtss_f32(_mm_max_ss(s, _mm_movehdup_ps(s)));
}
inline vi lowNibbles(vi v) { return _mm256_and_si256(v, _mm256_set1_epi8(15)); }
inline vi highNibbles(vi v) { return _mm256_and_si256(_mm256_srli_epi16(v, 4), _mm256_set1_epi8(15)); }
// acc[l] += sum over the four signed bytes of w[l] times the four of a. The pair sums of |w| <= 128 and |a| <= 127 stay below
// 32512, so the saturating multiply never saturates.
inline vi dot4(vi acc, vi w, int32_t a) {
    const __m256i pairs = _mm256_maddubs_epi16(_mm256_abs_epi8(w), _mm256_sign_epi8(_mm256_set1_epi32(a), w));
    return _mm256_add_epi32(acc, _mm256_madd_epi16(pairs, _mm256_set1_epi16(1)));
}
inline void transpose(vf* r) {
    vf t[8], u[8];
#pragma GCC unroll 16
    for (int i = 0; i < 8; i += 2) {
        t[i] = _mm256_unpacklo_ps(r[i], r[i + 1]);
        t[i + 1] = _mm256_unpackhi_ps(r[i], r[i + 1]);
    }
#pragma GCC unroll 16
    for (int i = 0; i < 8; i += 4) {
        u[i] = _mm256_shuffle_ps(t[i], t[i + 2], 0x44);
        u[i + 1] = _mm256_shuffle_ps(t[i], t[i + 2], 0xee);
        u[i + 2] = _mm256_shuffle_ps(t[i + 1], t[i + 3], 0x44);
        u[i + 3] = _mm256_shuffle_ps(t[i + 1], t[i + 3], 0xee);
    }
#pragma GCC unroll 16
    for (int i = 0; i < 4; i++) {
        r[i] = _mm256_permute2f128_ps(u[i], u[i + 4], 0x20);
        r[i + 4] = _mm256_permute2f128_ps(u[i], u[i + 4], 0x31);
    }
}

}  // namespace
}  // namespace bt
