#pragma once

#include <cstddef>
#include <memory>
#include <stop_token>

#include "serving/request.hpp"

namespace transmuter::serving {

/// What a list run does with its inputs. Each function runs on several threads at once.
class ListStages {
 public:
  virtual ~ListStages() = default;
  virtual std::shared_ptr<Request> prepare(std::size_t input) = 0;
  virtual void execute(const Batch& batch) = 0;
  virtual void finish(Request& request) = 0;  // request.input says which
};

struct ListOptions {
  std::size_t inputs = 0;
  std::size_t workers = 1;         // batches that run at the same time
  std::size_t threads = 1;         // in all, the caller's too
  std::size_t rows_in_flight = 0;  // 0: four full runs a thread
};

/// Takes a list through all stages, on this thread and on others that start as there is work for them. Each thread does
/// what helps most: run a full batch, finish, prepare, or run a batch that is not full. Rows of equal key meet across
/// the list, as far as rows_in_flight lets inputs be prepared ahead.
/// Throws the failure of the first input that fails, as "input 3: ...", or Cancelled, after running calls have ended.
void run_list(ListStages& stages, const ListOptions& options, const std::stop_token& stop);

}  // namespace transmuter::serving
