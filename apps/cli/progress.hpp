#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "tasks/registry.hpp"

struct tmr_bar;
struct tmr_bars;

namespace transmuter::cli {

/// A bar on standard error; it goes away with this.
class ProgressBar {
 public:
  ProgressBar() = default;
  explicit ProgressBar(tmr_bar* bar) : bar_(bar) {}
  void set(std::uint64_t bytes, std::uint64_t lines = 0) const;

 private:
  struct Free {
    void operator()(tmr_bar* bar) const noexcept;
  };
  std::unique_ptr<tmr_bar, Free> bar_;
};

/// Progress bars on standard error. There are none when it is no terminal, or when HF_HUB_DISABLE_PROGRESS_BARS is set.
class ProgressBars {
 public:
  ProgressBars();

  /// Draws a bar for each file on its way. This must outlive it.
  Progress downloads();
  /// For lines of a text of `total` bytes; 0 when its end is not known.
  ProgressBar lines(std::uint64_t total) const;

 private:
  struct Free {
    void operator()(tmr_bars* bars) const noexcept;
  };
  std::unique_ptr<tmr_bars, Free> bars_;  // null: nothing is drawn
  std::map<std::string, ProgressBar, std::less<>> files_;
};

}  // namespace transmuter::cli
