#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <new>
#include <span>
#include <thread>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "serving/program.hpp"

namespace transmuter {

/// Hands values from one thread to another.
template <class T>
class Channel {
 public:
  void send(T value) {
    const std::scoped_lock lock(mutex_);
    values_.push_back(std::move(value));
    changed_.notify_one();
  }

  /// Waits for a value.
  T receive() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return !values_.empty(); });
    T value = std::move(values_.front());
    values_.pop_front();
    return value;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<T> values_;
};

/// What a test lets a batch do.
enum class Verdict { Pass, Crash, ThrowOther, LoseOutput };

/// The test's side of a Gated program: it sees which rows start together, and says when and how they end.
struct Gate {
  Channel<std::vector<int>> started;
  Channel<Verdict> allowed;
  std::function<void(const std::vector<int>& rows)> on_prepare = [](const std::vector<int>&) {};

  /// Waits until a batch starts, lets it end, and tells its rows.
  std::vector<int> pass(Verdict verdict = Verdict::Pass) {
    std::vector<int> rows = started.receive();
    allowed.send(verdict);
    return rows;
  }
};

/// The input of a test's program: its rows, and the lane where they go, or that of each row.
struct GatedInput {
  std::vector<int> rows;
  std::int64_t lane = 0;
  std::vector<std::int64_t> lanes = {};
};

/// A program whose test decides when a batch ends. A row 13 is not valid, and a row 99 has no result.
struct Gated {
  using Input = GatedInput;
  using Row = int;
  using RowOutput = int;
  using Output = std::vector<int>;

  std::shared_ptr<Gate> gate = std::make_shared<Gate>();

  Work<int> prepare(const GatedInput& input) const {
    gate->on_prepare(input.rows);
    for (const int row : input.rows) {
      if (row == 13) fail(ErrorCode::InvalidInput, "13 is not a row");
    }
    Work<int> work{.rows = input.rows, .key = {{input.lane}}};
    for (const std::int64_t lane : input.lanes) work.keys.push_back({{lane}});
    return work;
  }

  std::vector<int> execute(Rows<int> rows) const {
    std::vector<int> outputs;
    for (const int* row : rows) outputs.push_back(*row);
    gate->started.send(outputs);
    switch (gate->allowed.receive()) {
      case Verdict::Pass: break;
      case Verdict::Crash: fail(ErrorCode::Backend, "crash asked by the test");
      case Verdict::ThrowOther: throw std::bad_alloc();
      case Verdict::LoseOutput: outputs.pop_back(); break;
    }
    for (int& output : outputs) output *= 10;
    return outputs;
  }

  std::vector<int> finish(const GatedInput&, std::span<const int> rows, std::span<int> outputs) const {
    for (const int row : rows) {
      if (row == 99) fail(ErrorCode::Backend, "99 has no result");
    }
    return {outputs.begin(), outputs.end()};
  }
};

/// Waits for what another thread brings about, without a clock.
inline void wait_until(const std::function<bool()>& happened) {
  while (!happened()) std::this_thread::yield();
}

}  // namespace transmuter
