#pragma once

#include <filesystem>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <mutex>
#include <string>
#include <vector>

#include "hub/hub.hpp"
#include "support/errors.hpp"
#include "support/hub_server.hpp"
#include "support/temporary_folder.hpp"

namespace transmuter {

/// Bytes without a pattern that a wrong offset could hide in.
inline std::string some_bytes(std::size_t size) {
  std::string bytes(size, '\0');
  std::uint32_t state = 12345;
  for (char& byte : bytes) {
    state = state * 1664525U + 1013904223U;
    byte = static_cast<char>(state >> 24U);
  }
  return bytes;
}

/// A hub with one repository, an empty cache, and waits that are noted instead of waited.
class HubTest : public testing::Test {
 protected:
  static constexpr const char* kRepo = "owner/model";

  HubTest() {
    commit_ = server_.commit(kRepo, {{"config.json", {"{\"model_type\": \"bert\"}"}},
                                     {"README.md", {"---\nbase_model: owner/base\n---\n# Model\n"}},
                                     {"onnx/model.onnx", {large_, true}},
                                     {"onnx/model_q4.onnx", {"four bits", true}},
                                     {"empty.txt", {""}}});
  }

  HubSettings settings() {
    HubSettings settings;
    settings.cache_dir = cache_.path();
    settings.endpoint = server_.endpoint();
    settings.retry.wait = [this](std::chrono::milliseconds duration, const std::stop_token&) {
      const std::scoped_lock lock(mutex_);
      waits_.push_back(duration);
    };
    return settings;
  }

  HubSettings offline_settings() {
    HubSettings offline = settings();
    offline.offline = true;
    return offline;
  }

  std::filesystem::path repo_folder() const { return cache_.path() / "models--owner--model"; }
  std::filesystem::path pointer(const std::string& path) const { return repo_folder() / "snapshots" / commit_ / path; }
  std::filesystem::path large_blob() const { return repo_folder() / "blobs" / etag_of({large_, true}); }
  std::filesystem::path large_partial() const { return large_blob().string() + ".incomplete"; }

  const std::string large_ = some_bytes(300'000);
  HubServer server_;
  TemporaryFolder cache_;
  std::string commit_;
  std::mutex mutex_;
  std::vector<std::chrono::milliseconds> waits_;
};

}  // namespace transmuter
