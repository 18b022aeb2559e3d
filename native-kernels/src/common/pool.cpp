#include "common/pool.h"

#include <pthread.h>
#include <sched.h>

namespace bt {
namespace {

// About 50 microseconds: longer than the serial part between two steps of a decode, far shorter than a scheduler tick.
constexpr int kSpins = 1500;

inline void relax() {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
}

void pinTo(std::thread& thread, int32_t index) {
    cpu_set_t allowed;
    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return;
    int32_t wanted = index % CPU_COUNT(&allowed);
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
        if (!CPU_ISSET(cpu, &allowed) || wanted-- != 0) continue;
        cpu_set_t one;
        CPU_ZERO(&one);
        CPU_SET(cpu, &one);
        pthread_setaffinity_np(thread.native_handle(), sizeof one, &one);
        return;
    }
}

}  // namespace

Pool::Pool(int32_t threads, bool pin) : threads_(threads) {
    for (int32_t worker = 1; worker < threads; worker++) {
        workers_.emplace_back([this, worker] { work(worker); });
        if (pin) pinTo(workers_.back(), worker);
    }
}

Pool::~Pool() {
    {
        std::lock_guard<std::mutex> lock(sleep_);
        stop_ = true;
    }
    wake_.notify_all();
    for (std::thread& worker : workers_) worker.join();
}

void Pool::dispatch(int64_t tasks, Call call, void* context) {
    std::lock_guard<std::mutex> turn(turn_);
    call_ = call;
    context_ = context;
    tasks_ = tasks;
    next_.store(0, std::memory_order_relaxed);
    busy_.store(threads_ - 1, std::memory_order_relaxed);
    round_.fetch_add(1);  // sequentially consistent with sleepers_: no lost wake-up
    if (sleepers_.load() != 0) {
        std::lock_guard<std::mutex> lock(sleep_);
        wake_.notify_all();
    }
    drain(0);
    // Workers that were descheduled still hold a reference to this round: wait for every one of them.
    for (int spins = 0; busy_.load(std::memory_order_acquire) != 0; spins++) {
        if (spins < kSpins) {
            relax();
        } else {
            std::this_thread::yield();
        }
    }
}

void Pool::drain(int32_t worker) {
    for (;;) {
        const int64_t task = next_.fetch_add(1, std::memory_order_relaxed);
        if (task >= tasks_) return;
        call_(context_, task, worker);
    }
}

void Pool::work(int32_t worker) {
    uint64_t seen = 0;
    for (;;) {
        for (int spins = 0; spins < kSpins && round_.load(std::memory_order_acquire) == seen && !stop_; spins++) relax();
        if (round_.load(std::memory_order_acquire) == seen) {
            std::unique_lock<std::mutex> lock(sleep_);
            sleepers_.fetch_add(1);
            wake_.wait(lock, [&] { return round_.load() != seen || stop_; });
            sleepers_.fetch_sub(1);
        }
        if (stop_) return;
        seen++;
        drain(worker);
        busy_.fetch_sub(1, std::memory_order_release);
    }
}

}  // namespace bt
