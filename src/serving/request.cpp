#include "serving/request.hpp"

#include <algorithm>
#include <exception>
#include <new>
#include <numeric>

#include "base/error.hpp"

namespace transmuter::serving {

void Failure::raise_at(std::size_t input) const { fail(code, "input {}: {}", input, message); }

Failure current_failure() {
  try {
    throw;
  } catch (const Error& error) {
    return {error.code(), error.what()};
  } catch (const std::bad_alloc&) {
    return {ErrorCode::Unavailable, "out of memory; use a smaller batch_size or fewer workers"};
  } catch (const std::exception& error) {
    return {ErrorCode::Internal, error.what()};
  } catch (...) {
    return {ErrorCode::Internal, "an exception that is no std::exception was thrown"};
  }
}

std::vector<std::size_t> in_order_of_keys(std::span<const BatchKey> keys) {
  std::vector<std::size_t> order(keys.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return keys[a] < keys[b]; });
  return order;
}

Failure cancelled() { return {ErrorCode::Cancelled, "cancelled by the caller"}; }

std::size_t rows_of(const Batch& batch) {
  std::size_t rows = 0;
  for (const Slice& slice : batch) rows += slice.count;
  return rows;
}

}  // namespace transmuter::serving
