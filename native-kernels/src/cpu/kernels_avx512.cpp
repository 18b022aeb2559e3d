// The cpu backend's kernels for one instruction set: the same text for each, over that set's vocabulary. Everything here has
// internal linkage, so no other file can end up with this file's instructions.
#include "baton.h"
#include "common/kernels.h"

#if defined(__AVX512VNNI__)
#include "cpu/simd_avx512.h"

namespace bt {
namespace {
#include "cpu/pack.inl"

#include "cpu/matmul.inl"

#include "cpu/rowwise.inl"

#include "cpu/attention.inl"

#include "cpu/limits.inl"

const Kernels kKernels = {"avx512", LANES,     packedBytes, pack, unpackRow, quantise, matmul,         rmsnorm,
                          rope,   attention, swiglu,      add,  readAll,   dotAll,   kDotOpsPerRound};
}  // namespace

const Kernels* avx512Kernels() { return &kKernels; }
}  // namespace bt
#else
const bt::Kernels* bt::avx512Kernels() { return nullptr; }
#endif
