#pragma once

#include <algorithm>
#include <compare>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace transmuter {

/// What rows must have in common to share a run of the model: a padded length, the sizes of an image.
struct BatchKey {
  std::vector<std::int64_t> sizes;

  friend auto operator<=>(const BatchKey&, const BatchKey&) = default;
};

/// The rows of one run, of one or more inputs.
template <class Row>
using Rows = std::span<const Row* const>;

/// The rows of one input. It may have none: then only `finish` runs.
template <class Row>
struct Work {
  std::vector<Row> rows;
  BatchKey key = {};                ///< Of all rows,
  std::vector<BatchKey> keys = {};  ///< or, unless it is empty, of each one.
};

/// A task in three stages. All are const and run on many threads at once. A row's output must not depend on the rows
/// beside it.
template <class T>
concept Program = requires(const T& program, const typename T::Input& input, Rows<typename T::Row> rows,
                           std::span<const typename T::Row> own, std::span<typename T::RowOutput> outputs) {
  { program.prepare(input) } -> std::same_as<Work<typename T::Row>>;              // all checks of the input are here
  { program.execute(rows) } -> std::same_as<std::vector<typename T::RowOutput>>;  // exactly one output a row, in order
  { program.finish(input, own, outputs) } -> std::same_as<typename T::Output>;    // may move from the outputs
};

/// A program may know how many rows of a key make one good run. It is asked for each key of an input, so it must be
/// cheap.
template <class T>
concept KnowsRowsAtOnce = requires(const T& program, const BatchKey& key) {
  { program.rows_at_once(key) } -> std::same_as<std::size_t>;
};

/// How a serving runs its program when the user does not say.
struct ServingOptions {
  /// The most rows of one run. 0: what the program's rows_at_once says, or 1 when it says nothing.
  std::size_t batch_size = 0;
  /// How many runs at the same time are fastest: all cores for runs on one thread, 1 for runs that use all cores.
  std::size_t workers = 1;
  /// About how many rows of a list are in memory at a time. More rows find more partners of equal key. Text, whose rows
  /// are small and of many lengths, wants thousands; 0: four full runs a thread.
  std::size_t rows_in_flight = 0;
};

/// The most rows of `key` in one run, at least 1. `batch_size` 0 means no bound by the user.
template <class P>
std::size_t most_rows(const P& program, const BatchKey& key, std::size_t batch_size) {
  if constexpr (KnowsRowsAtOnce<P>) {
    const std::size_t good = std::max<std::size_t>(program.rows_at_once(key), 1);
    return batch_size == 0 ? good : std::min(good, batch_size);
  } else {
    return std::max<std::size_t>(batch_size, 1);
  }
}

}  // namespace transmuter
