#include "cli/progress.hpp"

#include <cstdlib>
#include <transmuter_rust.h>
#include <unistd.h>

#include "hub/settings.hpp"

namespace transmuter::cli {

void ProgressBar::Free::operator()(tmr_bar* bar) const noexcept { tmr_bar_free(bar); }
void ProgressBars::Free::operator()(tmr_bars* bars) const noexcept { tmr_bars_free(bars); }

void ProgressBar::set(std::uint64_t bytes, std::uint64_t lines) const { tmr_bar_set(bar_.get(), bytes, lines); }

ProgressBars::ProgressBars() {
  const bool wanted = wants_progress_bars([](const char* name) { return std::getenv(name); });
  if (wanted && isatty(STDERR_FILENO) == 1) bars_.reset(tmr_bars_new());
}

Progress ProgressBars::downloads() {
  if (!bars_) return {};
  return [this](const DownloadProgress& download) {
    auto found = files_.find(download.file);
    if (download.done >= download.total) {
      if (found != files_.end()) files_.erase(found);
      return;
    }
    if (found == files_.end()) {
      const tmr_view name{download.file.data(), download.file.size()};
      found = files_.emplace(download.file, tmr_bars_add_download(bars_.get(), name, download.total)).first;
    }
    found->second.set(download.done);
  };
}

ProgressBar ProgressBars::lines(std::uint64_t total) const {
  return ProgressBar(tmr_bars_add_lines(bars_.get(), total));
}

}  // namespace transmuter::cli
