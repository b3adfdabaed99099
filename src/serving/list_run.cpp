#include "serving/list_run.hpp"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <limits>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "base/threads.hpp"
#include "serving/lanes.hpp"

namespace transmuter::serving {
namespace {

using Requests = std::vector<std::shared_ptr<Request>>;

// How many inputs a thread prepares or finishes between two looks at the shared state: one when each takes long, many
// when they are so short that the lock would cost more than the work.
class Claim {
 public:
  std::size_t count() const { return count_; }

  void learn(Clock::duration duration) {
    if (duration < std::chrono::microseconds(20)) count_ = std::min<std::size_t>(2 * count_, 64);
    if (duration > std::chrono::microseconds(100)) count_ = std::max<std::size_t>(count_ / 2, 1);
  }

 private:
  std::size_t count_ = 1;
};

class ListRun {
 public:
  ListRun(ListStages& stages, const ListOptions& options, const std::stop_token& stop)
      : stages_(stages),
        stop_(stop),
        inputs_(options.inputs),
        workers_(options.workers),
        threads_(options.threads),
        window_(options.rows_in_flight),
        window_grows_(options.rows_in_flight == 0) {
    if (window_grows_) window_ = 4 * threads_;
  }

  void run() {
    work();
    for (std::thread& helper : helpers_) helper.join();
    if (cancelled_) cancelled().raise();
    if (failure_) failure_->raise_at(failed_);
  }

 private:
  using Lock = std::unique_lock<std::mutex>;

  static constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();

  // A thread works until nothing is left to do and no other thread runs anything that could bring more.
  void work() {
    Claim prepares;
    Claim finishes;
    Lock lock(mutex_);
    for (;;) {
      if (stop_.stop_requested()) cancel();
      if (can_execute() && !full_.empty()) {
        Batch batch = std::move(full_.front());
        full_.pop_front();
        execute(lock, std::move(batch));
      } else if (!completed_.empty()) {
        finish(lock, finishes);
      } else if (can_prepare()) {
        prepare(lock, prepares);
      } else if (can_execute() && !lanes_.empty()) {
        execute(lock, lanes_.take(fullest()));
      } else if (running_ > 0) {
        ++idle_;
        changed_.wait(lock);
        --idle_;
        waking_ = false;
      } else {
        changed_.notify_all();
        return;
      }
    }
  }

  bool can_execute() const { return executing_ < workers_; }
  bool can_prepare() const { return next_ < inputs_ && in_flight_ < window_; }
  bool has_task() const {
    return can_prepare() || !completed_.empty() || (can_execute() && !(full_.empty() && lanes_.empty()));
  }

  // Whether another batch runs beside the one that is about to start, or may soon.
  bool runs_side_by_side() const {
    return workers_ > 1 && (running_ > 0 || next_ < inputs_ || !full_.empty() || !lanes_.empty());
  }

  // Runs `f`, which does not throw, without the lock; before that another thread gets the tasks that are left.
  template <class F>
  void unlocked(Lock& lock, F&& f) {
    ++running_;
    share();
    lock.unlock();
    f();
    lock.lock();
    --running_;
  }

  void share() {
    if (waking_ || !has_task()) return;
    if (idle_ > 0) {
      waking_ = true;
      changed_.notify_one();
    } else if (helpers_.size() + 1 < threads_) {
      try {
        helpers_.emplace_back([this] { work(); });
      } catch (const std::system_error&) {
        threads_ = helpers_.size() + 1;  // the system gives no more threads; those that run are enough
      }
    }
  }

  void prepare(Lock& lock, Claim& claim) {
    const std::size_t fair = std::min((inputs_ - next_) / (2 * threads_), window_ - in_flight_);
    const std::size_t count = std::clamp<std::size_t>(fair, 1, claim.count());
    const std::size_t first = std::exchange(next_, next_ + count);
    in_flight_ += count;  // each is at least one row, until we know better
    Requests requests;
    std::optional<Failure> failure;
    unlocked(lock, [&] {
      const Clock::time_point start = Clock::now();
      try {
        requests.reserve(count);
        while (requests.size() < count) {
          const std::size_t input = first + requests.size();
          requests.push_back(stages_.prepare(input));
          requests.back()->input = input;
        }
      } catch (...) {
        failure = current_failure();
      }
      claim.learn(Clock::now() - start);
    });
    for (const std::shared_ptr<Request>& request : requests) add(request);
    if (failure) fail(first + requests.size(), *failure);
  }

  void add(const std::shared_ptr<Request>& request) {
    if (request->size == 0) return completed_.push_back(request);
    in_flight_ += request->size - 1;
    for (std::size_t part = 0; part < request->parts.size(); ++part) {
      if (window_grows_) window_ = std::max(window_, 4 * threads_ * request->parts[part].most_rows);
      const auto lane = lanes_.add(request, part);
      for (std::size_t runs = lane->second.rows / lane->second.most_rows; runs > 0; --runs) {
        full_.push_back(lanes_.take(lane));
      }
    }
  }

  void execute(Lock& lock, Batch batch) {
    std::erase_if(batch, [&](const Slice& slice) { return is_dropped(*slice.request); });
    if (batch.empty()) return;
    const bool more = runs_side_by_side();
    ++executing_;
    std::optional<Failure> failure;
    unlocked(lock, [&] {
      std::optional<SharedCores> shared;
      if (more) shared.emplace();
      try {
        stages_.execute(batch);
      } catch (...) {
        failure = current_failure();
      }
    });
    --executing_;
    for (auto& [request, first, count] : batch) {
      if (failure) {
        fail(request->input, *failure);
        continue;
      }
      request->completed += count;
      if (request->ended()) completed_.push_back(std::move(request));
    }
  }

  void finish(Lock& lock, Claim& claim) {
    const std::size_t count = std::clamp<std::size_t>(completed_.size() / threads_, 1, claim.count());
    const auto end = completed_.begin() + static_cast<std::ptrdiff_t>(count);
    Requests requests(std::move_iterator(completed_.begin()), std::move_iterator(end));
    completed_.erase(completed_.begin(), end);
    std::erase_if(requests, [&](const auto& request) { return is_dropped(*request); });
    if (requests.empty()) return;
    std::size_t rows = 0;
    for (const auto& request : requests) rows += std::max<std::size_t>(request->size, 1);
    std::optional<Failure> failure;
    std::size_t failed = kNone;
    unlocked(lock, [&] {
      const Clock::time_point start = Clock::now();
      for (std::shared_ptr<Request>& request : requests) {
        try {
          if (request->input < failed) stages_.finish(*request);
        } catch (...) {
          failure = current_failure();
          failed = request->input;
        }
        request.reset();
      }
      claim.learn(Clock::now() - start);
    });
    in_flight_ -= rows;
    if (failure) fail(failed, *failure);
  }

  // At the end of the list, or when the window is full and no batch is.
  Lanes::Iterator fullest() {
    return std::max_element(lanes_.begin(), lanes_.end(),
                            [](const auto& a, const auto& b) { return a.second.rows < b.second.rows; });
  }

  // Inputs after the failed one are dropped. Those before it go on: one of them may be the first that fails.
  void fail(std::size_t input, const Failure& failure) {
    next_ = inputs_;
    if (input >= failed_) return;
    failed_ = input;
    failure_ = failure;
  }

  void cancel() {
    next_ = inputs_;
    cancelled_ = true;
  }

  bool is_dropped(const Request& request) const { return cancelled_ || request.input >= failed_; }

  ListStages& stages_;
  const std::stop_token& stop_;
  const std::size_t inputs_;
  const std::size_t workers_;

  std::mutex mutex_;  // guards all below, and the requests
  std::condition_variable changed_;
  std::size_t threads_;
  std::size_t window_;  // the most rows that are in memory, but for those of the last inputs
  const bool window_grows_;
  std::vector<std::thread> helpers_;
  std::size_t next_ = 0;                            // the first input that no thread has claimed
  Lanes lanes_;                                     // rows that wait for a batch to become full
  std::deque<Batch> full_;                          // batches that wait for a worker
  std::deque<std::shared_ptr<Request>> completed_;  // wait for finish
  std::size_t in_flight_ = 0;                       // rows prepared, or being prepared, and not finished
  std::size_t running_ = 0;                         // threads that are in a stage
  std::size_t executing_ = 0;                       // of them in execute
  std::size_t idle_ = 0;                            // threads that wait for changed_
  bool waking_ = false;                             // one of them was notified and is not back yet
  bool cancelled_ = false;
  std::size_t failed_ = kNone;  // the first input that failed so far
  std::optional<Failure> failure_;
};

}  // namespace

void run_list(ListStages& stages, const ListOptions& options, const std::stop_token& stop) {
  ListRun(stages, options, stop).run();
}

}  // namespace transmuter::serving
