#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <list>
#include <memory>
#include <optional>
#include <span>
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

struct Request;

/// The rows of one key of a request, which wait in the lane of that key.
struct Waiting {
  std::shared_ptr<Request> request;
  std::size_t part;
};

/// The rows of one key of a request. Rows have places in a request, and those of one key follow each other.
struct Part {
  BatchKey key;
  std::size_t most_rows;  // of this key in one run
  std::size_t next;       // the first place whose row has not gone into a batch
  std::size_t end;        // after the last place
  std::optional<std::list<Waiting>::iterator> waiting = std::nullopt;  // in its lane, while rows wait there

  std::size_t left() const { return end - next; }
};

/// The rows in the order of their keys; rows of one key keep theirs.
std::vector<std::size_t> in_order_of_keys(std::span<const BatchKey> keys);

/// One input on its way: how many rows it has and where they are. The rows and outputs themselves are in
/// ProgramRequest, so what schedules requests does not depend on the program. The scheduler's mutex guards all that is
/// not const.
struct Request {
  Request(std::vector<Part> parts_of_rows, std::size_t row_count) : size(row_count), parts(std::move(parts_of_rows)) {}
  Request(const Request&) = delete;
  Request& operator=(const Request&) = delete;
  virtual ~Request() = default;

  bool ended() const { return failure.has_value() || completed == size; }

  const std::size_t size;  // in rows
  std::vector<Part> parts;
  std::size_t input = 0;  // its place in a list
  Clock::time_point arrival;
  std::size_t taken = 0;  // rows that have gone into a batch
  std::size_t completed = 0;
  std::optional<Failure> failure;
  std::condition_variable end;  // notified when ended() becomes true
};

/// The rows at the places [first, first + count) of a request.
struct Slice {
  std::shared_ptr<Request> request;
  std::size_t first;
  std::size_t count;
};

/// The rows of one run. It keeps its requests, so rows and output slots stay valid when a caller has gone.
using Batch = std::vector<Slice>;

std::size_t rows_of(const Batch& batch);

}  // namespace transmuter::serving
