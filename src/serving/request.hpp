#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "serving/program.hpp"
#include "transmuter/error.hpp"

namespace transmuter::serving {

using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

/// How a request failed, as data: each thread that learns of it throws an Error of its own.
struct Failure {
  ErrorCode code;
  std::string message;

  [[noreturn]] void raise() const { throw Error(code, message); }
  [[noreturn]] void raise_at(std::size_t input) const;  // with "input 3: " in front
};

/// The exception being handled, as an Error's code and message: an Error keeps its own, no memory is Unavailable, and
/// any other is Internal.
Failure current_failure();

/// The failure of a caller that gave up.
Failure cancelled();

/// One input on its way: how many rows it has and where they are. The rows and outputs themselves are in
/// ProgramRequest, so what schedules requests does not depend on the program. The scheduler's mutex guards all that is
/// not const.
struct Request {
  Request(BatchKey batch_key, std::size_t row_count, std::size_t limit)
      : key(std::move(batch_key)), size(row_count), most_rows(limit) {}
  Request(const Request&) = delete;
  Request& operator=(const Request&) = delete;
  virtual ~Request() = default;

  bool ended() const { return failure.has_value() || completed == size; }

  const BatchKey key;
  const std::size_t size;       // in rows
  const std::size_t most_rows;  // of this key in one run
  std::size_t input = 0;        // its place in a list
  Clock::time_point arrival;
  std::size_t taken = 0;  // rows that have gone into a batch
  std::size_t completed = 0;
  std::optional<Failure> failure;
  std::condition_variable end;                                         // notified when ended() becomes true
  std::optional<std::list<std::shared_ptr<Request>>::iterator> place;  // in its lane, while rows wait there
};

/// Rows [first, first + count) of a request.
struct Slice {
  std::shared_ptr<Request> request;
  std::size_t first;
  std::size_t count;
};

/// The rows of one run. It keeps its requests, so rows and output slots stay valid when a caller has gone.
using Batch = std::vector<Slice>;

std::size_t rows_of(const Batch& batch);

}  // namespace transmuter::serving
