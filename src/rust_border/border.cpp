#include "rust_border/border.hpp"

#include "base/error.hpp"

namespace transmuter::rust_border {

void check(tmr_status status, const Text& message) {
  switch (status) {
    case TMR_OK: return;
    case TMR_INVALID_INPUT: fail(ErrorCode::InvalidInput, "{}", message.str());
    case TMR_INVALID_MODEL: fail(ErrorCode::InvalidModel, "{}", message.str());
    case TMR_INTERNAL: break;
  }
  fail(ErrorCode::Internal, "{}", message.str());
}

}  // namespace transmuter::rust_border
