#include "base/file_content.hpp"

#include "base/error.hpp"

namespace transmuter {

void check_file_content(std::string_view bytes) {
  if (bytes.empty()) fail(ErrorCode::InvalidModel, "the file is empty: fetch it again");
  if (bytes.starts_with("version https://git-lfs")) {
    fail(ErrorCode::InvalidModel, "only the pointer that Git LFS leaves: run git lfs pull in the model's directory");
  }
}

}  // namespace transmuter
