#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "serving/program.hpp"
#include "serving/request.hpp"

namespace transmuter::serving {

/// A request with the rows of a program and a slot for the output of each.
template <Program P>
struct ProgramRequest : Request {
  ProgramRequest(std::vector<typename P::Row> own_rows, std::vector<std::size_t> places, std::vector<Part> own_parts)
      : Request(std::move(own_parts), own_rows.size()),
        rows(std::move(own_rows)),
        order(std::move(places)),
        outputs(rows.size()) {}

  std::size_t row_at(std::size_t place) const { return order.empty() ? place : order[place]; }

  const std::vector<typename P::Row> rows;
  const std::vector<std::size_t> order;                       // the row at each place; empty: their own order
  std::vector<std::optional<typename P::RowOutput>> outputs;  // each is written once, by the thread that runs its row
};

/// Makes the rows of an input.
template <Program P>
std::shared_ptr<ProgramRequest<P>> prepare(const P& program, const typename P::Input& input, std::size_t batch_size) {
  Work<typename P::Row> work = program.prepare(input);
  const bool one_key = work.keys.empty();
  if (!one_key && work.keys.size() != work.rows.size()) {
    fail(ErrorCode::Internal, "the task made {} keys for {} rows", work.keys.size(), work.rows.size());
  }
  std::vector<std::size_t> order = in_order_of_keys(work.keys);
  std::vector<Part> parts;
  for (std::size_t place = 0; place < work.rows.size(); ++place) {
    const BatchKey& key = one_key ? work.key : work.keys[order[place]];
    if (parts.empty() || parts.back().key != key) {
      parts.push_back(
          {.key = key, .most_rows = most_rows(program, key, batch_size), .next = place, .end = place, .waiting = {}});
    }
    ++parts.back().end;
  }
  return std::make_shared<ProgramRequest<P>>(std::move(work.rows), std::move(order), std::move(parts));
}

/// Runs the rows of a batch and puts each output into its slot.
template <Program P>
void execute(const P& program, const Batch& batch) {
  std::vector<const typename P::Row*> rows;
  rows.reserve(rows_of(batch));
  for (const auto& [request, first, count] : batch) {
    const auto& own = static_cast<const ProgramRequest<P>&>(*request);
    for (std::size_t place = first; place < first + count; ++place) rows.push_back(&own.rows[own.row_at(place)]);
  }
  std::vector<typename P::RowOutput> outputs = program.execute(Rows<typename P::Row>(rows));
  if (outputs.size() != rows.size()) {
    fail(ErrorCode::Internal, "the task made {} outputs for a batch of {} rows", outputs.size(), rows.size());
  }
  auto output = outputs.begin();
  for (const auto& [request, first, count] : batch) {
    auto& own = static_cast<ProgramRequest<P>&>(*request);
    for (std::size_t place = first; place < first + count; ++place) {
      own.outputs[own.row_at(place)].emplace(std::move(*output++));
    }
  }
}

/// Makes the result of an input whose rows all have their outputs.
template <Program P>
typename P::Output finish(const P& program, const typename P::Input& input, ProgramRequest<P>& request) {
  std::vector<typename P::RowOutput> outputs;
  outputs.reserve(request.outputs.size());
  for (auto& slot : request.outputs) {
    if (!slot) fail(ErrorCode::Internal, "row {} of an input was not run", outputs.size());
    outputs.push_back(std::move(*slot));
  }
  return program.finish(input, std::span<const typename P::Row>(request.rows),
                        std::span<typename P::RowOutput>(outputs));
}

}  // namespace transmuter::serving
