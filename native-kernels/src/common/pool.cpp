#include "common/pool.h"

#include <pthread.h>
#include <sched.h>

namespace bt {
namespace {

// About 50 microseconds: longer than the serial part between two steps of a decode, far shorter than a scheduler tick.
constexpr int kSpins = 1500;

constexpr uint64_t kJoined = 0xffff;  // mask of the count
constexpr uint64_t kOpen = 0x10000;
constexpr int kRoundShift = 17;

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
    // Sequentially consistent with sleepers_: either the sleeper sees the new round, or we see the sleeper.
    state_.store((((state_.load() >> kRoundShift) + 1) << kRoundShift) | kOpen);
    if (sleepers_.load() != 0) {
        std::lock_guard<std::mutex> lock(sleep_);
        wake_.notify_all();
    }
    drain(0);
    state_.fetch_and(~kOpen);
    awaitJoined();
}

void Pool::awaitJoined() {
    auto empty = [&] { return (state_.load() & kJoined) == 0; };
    for (int spins = 0; spins < kSpins; spins++) {
        if (empty()) return;
        relax();
    }
    std::unique_lock<std::mutex> lock(sleep_);
    callerSleeps_ = true;
    done_.wait(lock, empty);
    callerSleeps_ = false;
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
    auto fresh = [&] { return (state_.load() >> kRoundShift) != seen || stop_.load(); };
    for (;;) {
        for (int spins = 0; spins < kSpins && !fresh(); spins++) relax();
        if (!fresh()) {
            std::unique_lock<std::mutex> lock(sleep_);
            sleepers_.fetch_add(1);
            wake_.wait(lock, fresh);
            sleepers_.fetch_sub(1);
        }
        if (stop_) return;
        uint64_t state = state_.load();
        while ((state & kOpen) != 0 && !state_.compare_exchange_weak(state, state + 1)) relax();
        seen = state >> kRoundShift;
        if ((state & kOpen) == 0) continue;
        drain(worker);
        if ((state_.fetch_sub(1) & kJoined) == 1 && callerSleeps_) {
            std::lock_guard<std::mutex> lock(sleep_);
            done_.notify_one();
        }
    }
}

}  // namespace bt
