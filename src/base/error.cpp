#include "base/error.hpp"

namespace transmuter {

std::string_view name(ErrorCode code) {
  switch (code) {
    case ErrorCode::InvalidInput: return "InvalidInput";
    case ErrorCode::NotFound: return "NotFound";
    case ErrorCode::Unsupported: return "Unsupported";
    case ErrorCode::InvalidModel: return "InvalidModel";
    case ErrorCode::Overloaded: return "Overloaded";
    case ErrorCode::Unavailable: return "Unavailable";
    case ErrorCode::Cancelled: return "Cancelled";
    case ErrorCode::Backend: return "Backend";
    case ErrorCode::Internal: return "Internal";
  }
  fail(ErrorCode::Internal, "no name for error code {}", static_cast<int>(code));
}

}  // namespace transmuter
