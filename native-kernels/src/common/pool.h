// A persistent thread pool: the caller works too, idle workers spin for a moment and then sleep on a condition variable.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

namespace bt {

class Pool {
public:
    Pool(int32_t threads, bool pin);
    ~Pool();
    Pool(const Pool&) = delete;
    Pool& operator=(const Pool&) = delete;

    int32_t threads() const { return threads_; }

    // Calls body(task, worker) for every task in 0..tasks-1, each once, in any order; returns when all are done. worker is
    // 0..threads-1 and distinguishes concurrent calls. Callers of one pool take turns.
    template <class Body>
    void run(int64_t tasks, Body&& body) {
        if (threads_ == 1 || tasks <= 1) {
            std::lock_guard<std::mutex> turn(turn_);
            for (int64_t task = 0; task < tasks; task++) body(task, 0);
            return;
        }
        auto call = [](void* context, int64_t task, int32_t worker) { (*static_cast<Body*>(context))(task, worker); };
        dispatch(tasks, call, &body);
    }

private:
    using Call = void (*)(void*, int64_t, int32_t);

    void dispatch(int64_t tasks, Call call, void* context);
    void work(int32_t worker);
    void drain(int32_t worker);
    void awaitJoined();

    const int32_t threads_;
    std::mutex turn_;
    std::mutex sleep_;
    std::condition_variable wake_;
    std::condition_variable done_;
    std::atomic<bool> stop_{false};
    std::atomic<bool> callerSleeps_{false};
    std::atomic<int32_t> sleepers_{0};
    // Of the round under way; written while no worker is in it.
    Call call_ = nullptr;
    void* context_ = nullptr;
    int64_t tasks_ = 0;
    // Round number, whether workers may still join it, and how many are in it. The caller waits for those alone: a worker that
    // wakes late finds the round closed and holds nobody up.
    alignas(64) std::atomic<uint64_t> state_{0};
    alignas(64) std::atomic<int64_t> next_{0};
    std::vector<std::thread> workers_;
};

}  // namespace bt
