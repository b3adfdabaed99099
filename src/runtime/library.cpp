#include "runtime/library.hpp"

#include <cstdlib>
#include <dlfcn.h>
#include <filesystem>
#include <onnxruntime_cxx_api.h>
#include <vector>

#include "base/error.hpp"

namespace transmuter {
namespace {

#ifdef __APPLE__
constexpr const char* kLibrary = "libonnxruntime.1.dylib";
#else
constexpr const char* kLibrary = "libonnxruntime.so.1";
#endif

std::vector<std::string> places() {
  if (const char* chosen = std::getenv("ONNXRUNTIME_LIB"); chosen != nullptr && *chosen != '\0') return {chosen};
  std::vector<std::string> all;
  Dl_info here{};
  if (dladdr(reinterpret_cast<const void*>(&onnxruntime_version), &here) != 0 && here.dli_fname != nullptr) {
    std::error_code error;
    const auto folder = std::filesystem::weakly_canonical(here.dli_fname, error).parent_path();
    all.push_back((folder / kLibrary).string());
    all.push_back((folder.parent_path() / "lib" / kLibrary).string());
  }
  if (*TRANSMUTER_ONNXRUNTIME_LIBRARY != '\0') all.emplace_back(TRANSMUTER_ONNXRUNTIME_LIBRARY);
  all.emplace_back(kLibrary);
  return all;
}

std::string open_library() {
  std::string reasons;
  for (const std::string& place : places()) {
    void* library = dlopen(place.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
      reasons += fmt::format("; {}", dlerror());
      continue;
    }
    const auto base = reinterpret_cast<const OrtApiBase* (*)()>(dlsym(library, "OrtGetApiBase"));
    const OrtApi* api = base != nullptr ? base()->GetApi(ORT_API_VERSION) : nullptr;
    if (api == nullptr) {
      reasons += fmt::format("; {}: release {} is older than API {}, which this program was built with", place,
                             base != nullptr ? base()->GetVersionString() : "unknown", ORT_API_VERSION);
      dlclose(library);
      continue;
    }
    Ort::InitApi(api);
    return base()->GetVersionString();
  }
  fail(ErrorCode::Unavailable,
       "ONNX Runtime cannot be loaded; install it beside the program, or name its library in ONNXRUNTIME_LIB. Tried{}",
       reasons);
}

}  // namespace

const std::string& onnxruntime_version() {
  static const std::string version = open_library();
  return version;
}

}  // namespace transmuter
