#pragma once

#include <string>
#include <string_view>
#include <transmuter_rust.h>
#include <utility>

/// What all callers of the Rust crate share: texts that cross the border, and errors.
namespace transmuter::rust_border {

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

/// Throws the error that a status stands for; nothing for TMR_OK.
void check(tmr_status status, const Text& message);

/// Calls `f` with the place for an error message, and throws the error that comes back.
template <class F>
void call(F&& f) {
  Text error;
  const tmr_status status = std::forward<F>(f)(error.place());
  check(status, error);
}

}  // namespace transmuter::rust_border
