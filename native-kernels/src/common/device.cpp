// Versions, errors, devices, memory, queues and events of the host backends, which complete everything at once.
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <memory>

#include "common/internal.h"

// Raised whenever a kernel's results may change in any bit.
#define BT_KERNEL_VERSION 1

namespace bt {
namespace {

thread_local char lastError[512] = "";

bool hasAvx2() {
#if defined(__x86_64__)
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("f16c");
#else
    return false;
#endif
}

bool hasAvx512() {
#if defined(__x86_64__)
    return hasAvx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vnni");
#else
    return false;
#endif
}

const Kernels* chooseCpu(int32_t& isa) {
    if (isa == BT_ISA_AUTO) isa = hasAvx512() ? BT_ISA_AVX512 : hasAvx2() ? BT_ISA_AVX2 : BT_ISA_SCALAR;
    const Kernels* kernels = nullptr;
    switch (isa) {
        case BT_ISA_SCALAR: kernels = scalarKernels(); break;
        case BT_ISA_AVX2: kernels = hasAvx2() ? avx2Kernels() : nullptr; break;
        case BT_ISA_AVX512: kernels = hasAvx512() ? avx512Kernels() : nullptr; break;
        default: fail(BT_ERR_ARGUMENT, "isa %d is unknown", isa);
    }
    if (!kernels) fail(BT_ERR_UNSUPPORTED, "this processor or build lacks isa %d: use AUTO", isa);
    return kernels;
}

}  // namespace

void fail(int32_t status, const char* format, ...) {
    char text[512];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    throw Failure{status, text};
}

int32_t remember(const Failure& failure) noexcept {
    snprintf(lastError, sizeof lastError, "%s", failure.text.c_str());
    return failure.status;
}

int32_t rememberUnknown(const char* what) noexcept {
    snprintf(lastError, sizeof lastError, "internal: %s", what);
    return BT_ERR_INTERNAL;
}

void require(const void* pointer, const char* what) {
    if (!pointer) fail(BT_ERR_ARGUMENT, "%s is null", what);
}

void requireRange(int64_t value, int64_t least, int64_t most, const char* what) {
    if (value < least || value > most)
        fail(BT_ERR_ARGUMENT, "%s is %lld, must be %lld to %lld", what, static_cast<long long>(value),
             static_cast<long long>(least), static_cast<long long>(most));
}

Mapping::Mapping(int64_t bytes) : bytes_(bytes) {
    if (bytes == 0) return;
    void* address = mmap(nullptr, static_cast<size_t>(bytes), PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (address == MAP_FAILED) fail(BT_ERR_MEMORY, "cannot map %lld bytes", static_cast<long long>(bytes));
    if (bytes >= 4 << 20) madvise(address, static_cast<size_t>(bytes), MADV_HUGEPAGE);  // a hint: may be refused
    address_ = static_cast<uint8_t*>(address);
}

uint8_t* Slab::allocate(int64_t bytes) {
    constexpr int64_t kChunkBytes = 64 << 20;
    constexpr int64_t kHugePage = 2 << 20;
    if (chunks_.empty() || used_ + bytes > chunks_.back().bytes()) {
        // Small slabs (of single operations) stay small; what a chunk does not use is never touched.
        const int64_t room = chunks_.empty() && bytes < kHugePage ? bytes : std::max(bytes, kChunkBytes);
        chunks_.emplace_back(paddedTo(room, kHugePage));
        used_ = 0;
    }
    uint8_t* at = chunks_.back().data() + used_;
    used_ = paddedTo(used_ + bytes, 64);
    return at;
}

Mapping::~Mapping() {
    if (address_) munmap(address_, static_cast<size_t>(bytes_));
}

}  // namespace bt

using namespace bt;

extern "C" {

int32_t bt_abi_version(void) { return BT_ABI_VERSION; }

int32_t bt_struct_bytes(int32_t which) {
    constexpr size_t sizes[] = {sizeof(bt_device_config), sizeof(bt_device_info), sizeof(bt_model_config),
                                sizeof(bt_arena_config),  sizeof(bt_arena_info),  sizeof(bt_batch)};
    if (which < 0 || which >= static_cast<int32_t>(sizeof sizes / sizeof sizes[0])) return -1;
    return static_cast<int32_t>(sizes[which]);
}

int32_t bt_last_error(char* text, int64_t capacity) {
    if (!text || capacity <= 0) return BT_ERR_ARGUMENT;
    snprintf(text, static_cast<size_t>(capacity), "%s", lastError);
    return BT_OK;
}

int32_t bt_device_open(const bt_device_config* config, bt_device** out) {
    return guarded([&] {
        requireStruct(config, "bt_device_config");
        require(out, "out");
        requireRange(config->threads, 0, 256, "threads");
        int32_t backend = config->backend == BT_BACKEND_AUTO ? BT_BACKEND_CPU : config->backend;
        int32_t isa = config->isa;
        const Kernels* kernels = nullptr;
        switch (backend) {
            case BT_BACKEND_REFERENCE:
                kernels = referenceKernels();
                isa = BT_ISA_SCALAR;
                break;
            case BT_BACKEND_CPU: kernels = chooseCpu(isa); break;
            case BT_BACKEND_CUDA: fail(BT_ERR_UNSUPPORTED, "this library was built without backend cuda");
            default: fail(BT_ERR_ARGUMENT, "backend %d is unknown", backend);
        }
        const long online = sysconf(_SC_NPROCESSORS_ONLN);
        const int32_t threads = config->threads ? config->threads : static_cast<int32_t>(online < 1 ? 1 : online > 256 ? 256 : online);
        auto device = std::make_unique<bt_device>(kernels, threads, config->pin != 0);
        device->backend = backend;
        device->isa = isa;
        *out = device.release();
    });
}

int32_t bt_device_describe(bt_device* device, bt_device_info* out) {
    return guarded([&] {
        require(device, "device");
        requireStruct(out, "bt_device_info");
        out->backend = device->backend;
        out->isa = device->isa;
        out->threads = device->pool.threads();
        memset(out->identity, 0, sizeof out->identity);
        if (device->backend == BT_BACKEND_REFERENCE)
            snprintf(out->identity, sizeof out->identity, "reference/k%d", BT_KERNEL_VERSION);
        else
            snprintf(out->identity, sizeof out->identity, "cpu/%s/k%d", device->kernels->name, BT_KERNEL_VERSION);
    });
}

int32_t bt_device_close(bt_device* device) {
    return guarded([&] {
        require(device, "device");
        device->requireChildless("device");
        delete device;
    });
}

int32_t bt_memory_create(bt_device* device, int32_t kind, int64_t bytes, bt_memory** out) {
    return guarded([&] {
        require(device, "device");
        require(out, "out");
        requireRange(kind, BT_MEMORY_HOST, BT_MEMORY_DEVICE, "memory kind");
        requireRange(bytes, 1, INT64_C(1) << 46, "bytes");
        *out = new bt_memory{device, kind, Mapping(bytes)};
        device->children++;
    });
}

int32_t bt_memory_address(bt_memory* memory, uint64_t* out) {
    return guarded([&] {
        require(memory, "memory");
        require(out, "out");
        *out = reinterpret_cast<uint64_t>(memory->mapping.data());
    });
}

int32_t bt_memory_close(bt_memory* memory) {
    return guarded([&] {
        require(memory, "memory");
        memory->device->children--;
        delete memory;
    });
}

int32_t bt_memory_copy(bt_queue* queue, bt_memory* to, int64_t to_offset, bt_memory* from, int64_t from_offset, int64_t bytes) {
    return guarded([&] {
        require(queue, "queue");
        require(to, "to");
        require(from, "from");
        requireRange(bytes, 0, INT64_C(1) << 46, "bytes");
        requireRange(to_offset, 0, to->mapping.bytes() - bytes, "to_offset");
        requireRange(from_offset, 0, from->mapping.bytes() - bytes, "from_offset");
        memmove(to->mapping.data() + to_offset, from->mapping.data() + from_offset, static_cast<size_t>(bytes));
    });
}

int32_t bt_queue_create(bt_device* device, bt_queue** out) {
    return guarded([&] {
        require(device, "device");
        require(out, "out");
        auto queue = std::make_unique<bt_queue>();
        queue->device = device;
        device->children++;
        *out = queue.release();
    });
}

int32_t bt_queue_sync(bt_queue* queue) {
    return guarded([&] { require(queue, "queue"); });
}

int32_t bt_queue_close(bt_queue* queue) {
    return guarded([&] {
        require(queue, "queue");
        queue->requireChildless("queue");
        queue->device->children--;
        delete queue;
    });
}

int32_t bt_event_create(bt_device* device, bt_event** out) {
    return guarded([&] {
        require(device, "device");
        require(out, "out");
        *out = new bt_event{device};
        device->children++;
    });
}

int32_t bt_event_record(bt_event* event, bt_queue* queue) {
    return guarded([&] {
        require(event, "event");
        require(queue, "queue");
    });
}

int32_t bt_event_query(bt_event* event, int32_t* complete) {
    return guarded([&] {
        require(event, "event");
        require(complete, "complete");
        *complete = 1;
    });
}

int32_t bt_event_wait(bt_event* event) {
    return guarded([&] { require(event, "event"); });
}

int32_t bt_queue_wait_event(bt_queue* queue, bt_event* event) {
    return guarded([&] {
        require(queue, "queue");
        require(event, "event");
    });
}

int32_t bt_event_close(bt_event* event) {
    return guarded([&] {
        require(event, "event");
        event->device->children--;
        delete event;
    });
}

}  // extern "C"
