#pragma once

#include <cstddef>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "serving/batch_queue.hpp"

namespace transmuter::serving {

/// The threads that run the batches of a queue.
class Workers {
 public:
  /// `execute` runs on several threads at once; what it throws fails the requests of its batch.
  Workers(BatchQueue& queue, std::size_t count, std::function<void(const Batch&)> execute);
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;
  ~Workers() { stop(); }

  /// Stops the queue, lets running batches end and joins the threads. A second caller waits for the first one.
  void stop();

 private:
  void work();
  void execute(const Batch& batch) const;

  BatchQueue& queue_;
  const std::function<void(const Batch&)> execute_;
  const std::size_t count_;
  std::mutex stopping_;
  std::vector<std::thread> threads_;
};

}  // namespace transmuter::serving
