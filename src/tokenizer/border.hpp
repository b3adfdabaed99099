#pragma once

#include <string>
#include <string_view>
#include <transmuter_rust.h>
#include <utility>

#include "base/error.hpp"

// What every call of the Rust library shares.

namespace transmuter {

inline tmr_view view(std::string_view text) { return {text.data(), text.size()}; }

/// Frees what the other side gave.
class Text {
 public:
  Text() = default;
  Text(const Text&) = delete;
  Text& operator=(const Text&) = delete;
  ~Text() { tmr_text_free(text_); }

  tmr_text* place() { return &text_; }
  std::string str() const { return {text_.data, text_.size}; }

 private:
  tmr_text text_{};
};

inline ErrorCode code_of(tmr_status status) {
  switch (status) {
    case TMR_INVALID_INPUT: return ErrorCode::InvalidInput;
    case TMR_INVALID_MODEL: return ErrorCode::InvalidModel;
    case TMR_OK:
    case TMR_INTERNAL: break;
  }
  return ErrorCode::Internal;
}

/// Calls `f` with the place for an error message, and throws the error that comes back.
template <class F>
void call(F&& f) {
  Text error;
  const tmr_status status = std::forward<F>(f)(error.place());
  if (status != TMR_OK) fail(code_of(status), "{}", error.str());
}

}  // namespace transmuter
