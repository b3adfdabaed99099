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
  ProgramRequest(Work<typename P::Row> work, std::size_t limit)
      : Request(std::move(work.key), work.rows.size(), limit), rows(std::move(work.rows)), outputs(rows.size()) {}

  const std::vector<typename P::Row> rows;
  std::vector<std::optional<typename P::RowOutput>> outputs;  // each is written once, by the thread that runs its row
};

/// Makes the rows of an input.
template <Program P>
std::shared_ptr<ProgramRequest<P>> prepare(const P& program, const typename P::Input& input, std::size_t batch_size) {
  Work<typename P::Row> work = program.prepare(input);
  const std::size_t limit = most_rows(program, work.key, batch_size);
  return std::make_shared<ProgramRequest<P>>(std::move(work), limit);
}

/// Runs the rows of a batch and puts each output into its slot.
template <Program P>
void execute(const P& program, const Batch& batch) {
  std::vector<const typename P::Row*> rows;
  rows.reserve(rows_of(batch));
  for (const auto& [request, first, count] : batch) {
    const auto& own = static_cast<const ProgramRequest<P>&>(*request).rows;
    for (std::size_t row = first; row < first + count; ++row) rows.push_back(&own[row]);
  }
  std::vector<typename P::RowOutput> outputs = program.execute(Rows<typename P::Row>(rows));
  if (outputs.size() != rows.size()) {
    fail(ErrorCode::Internal, "the task made {} outputs for a batch of {} rows", outputs.size(), rows.size());
  }
  auto output = outputs.begin();
  for (const auto& [request, first, count] : batch) {
    auto& slots = static_cast<ProgramRequest<P>&>(*request).outputs;
    for (std::size_t row = first; row < first + count; ++row) slots[row].emplace(std::move(*output++));
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
