#pragma once

#include <cstddef>
#include <list>
#include <map>
#include <memory>

#include "serving/request.hpp"

namespace transmuter::serving {

/// The rows of one key that wait, those of the oldest request first. It is never empty.
struct Lane {
  std::list<Waiting> waiting;
  std::size_t rows = 0;
  std::size_t most_rows = 1;  // of one run

  bool full() const { return rows >= most_rows; }
  Clock::time_point arrival() const { return waiting.front().request->arrival; }
};

/// Rows that wait, one lane a key. It has no lock of its own.
class Lanes {
 public:
  using Iterator = std::map<BatchKey, Lane>::iterator;

  /// Puts the rows of a part at the end of their lane.
  Iterator add(const std::shared_ptr<Request>& request, std::size_t part);

  /// Takes the rows of one run from the front of a lane. A lane without rows disappears.
  Batch take(Iterator lane);

  /// Takes out the rows of a request that wait, if any.
  void remove(Request& request);

  std::size_t rows() const { return rows_; }
  bool empty() const { return lanes_.empty(); }
  Iterator find(const BatchKey& key) { return lanes_.find(key); }
  Iterator begin() { return lanes_.begin(); }
  Iterator end() { return lanes_.end(); }

 private:
  std::map<BatchKey, Lane> lanes_;
  std::size_t rows_ = 0;
};

}  // namespace transmuter::serving
