// The machine's limits as this device's workers reach them.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>

#include "common/internal.h"

namespace bt {
namespace {

constexpr int kRounds = 6;
constexpr int64_t kReadBytes = 256 << 20;
constexpr int64_t kReadPiece = 1 << 20;
constexpr int64_t kDotRounds = 1 << 16;
constexpr int64_t kDotPieces = 32;

// Keeps the compiler from dropping work whose result nobody reads.
std::atomic<int32_t> sink{0};

template <class Body>
double best(double amount, Body&& body) {
    double perSecond = 0;
    for (int round = 0; round < kRounds; round++) {
        const auto start = std::chrono::steady_clock::now();
        body();
        const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
        perSecond = std::max(perSecond, amount / took.count());
    }
    return perSecond;
}

}  // namespace
}  // namespace bt

using namespace bt;

int32_t bt_device_limit(bt_device* device, int32_t which, double* out) {
    return guarded([&] {
        require(device, "device");
        require(out, "out");
        requireRange(which, BT_LIMIT_READ_BYTES, BT_LIMIT_INT8_OPS, "limit");
        const Kernels& kernels = *device->kernels;
        if (!kernels.readAll) fail(BT_ERR_UNSUPPORTED, "backend %s measures no limits", kernels.name);
        if (which == BT_LIMIT_READ_BYTES) {
            const Mapping memory(kReadBytes);
            memset(memory.data(), 1, static_cast<size_t>(kReadBytes));
            *out = best(static_cast<double>(kReadBytes), [&] {
                device->pool.run(kReadBytes / kReadPiece, [&](int64_t piece, int32_t) {
                    sink += kernels.readAll(memory.data() + piece * kReadPiece, kReadPiece);
                });
            });
        } else {
            *out = best(static_cast<double>(kernels.dotOpsPerRound * kDotRounds * kDotPieces), [&] {
                device->pool.run(kDotPieces, [&](int64_t piece, int32_t) {
                    sink += kernels.dotAll(kDotRounds, static_cast<int32_t>(piece) + 0x01020304);
                });
            });
        }
    });
}
