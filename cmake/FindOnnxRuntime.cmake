# Finds the headers of ONNX Runtime. The library is opened at run time (src/runtime/library.cpp), so that one build runs
# with every release whose API is at least that of the headers; where it lies now is only remembered.
#
# Looks in: ONNXRUNTIME_ROOT (variable or environment), .deps/onnxruntime, the system. The version is that of the API.
# Gives: OnnxRuntime::headers, OnnxRuntime_VERSION, OnnxRuntime_LIBRARY (empty when there is none at configure time).
set(_onnxruntime_roots "${ONNXRUNTIME_ROOT}" "$ENV{ONNXRUNTIME_ROOT}" "${CMAKE_SOURCE_DIR}/.deps/onnxruntime")
list(REMOVE_ITEM _onnxruntime_roots "")
find_path(
  OnnxRuntime_INCLUDE_DIR
  onnxruntime_cxx_api.h
  HINTS ${_onnxruntime_roots}
  PATH_SUFFIXES include include/onnxruntime include/onnxruntime/core/session onnxruntime onnxruntime/core/session
)
find_file(
  OnnxRuntime_LIBRARY
  NAMES libonnxruntime.so.1 libonnxruntime.1.dylib libonnxruntime.so libonnxruntime.dylib
  HINTS ${_onnxruntime_roots} /usr/lib/${CMAKE_LIBRARY_ARCHITECTURE} /usr/lib /usr/local/lib
  PATH_SUFFIXES lib lib64 lib/${CMAKE_LIBRARY_ARCHITECTURE}
)
if(OnnxRuntime_INCLUDE_DIR)
  file(
    STRINGS "${OnnxRuntime_INCLUDE_DIR}/onnxruntime_c_api.h"
    _onnxruntime_api
    REGEX "^#define ORT_API_VERSION [0-9]+"
  )
  string(REGEX MATCH "[0-9]+$" OnnxRuntime_VERSION "${_onnxruntime_api}")
endif()
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(
  OnnxRuntime
  REQUIRED_VARS OnnxRuntime_INCLUDE_DIR
  VERSION_VAR OnnxRuntime_VERSION
  REASON_FAILURE_MESSAGE
    "run tools/deps.sh, or set ONNXRUNTIME_ROOT to a folder with include/ and lib/ (release 1.21 or later)"
)
if(OnnxRuntime_FOUND AND NOT TARGET OnnxRuntime::headers)
  add_library(OnnxRuntime::headers INTERFACE IMPORTED)
  target_include_directories(OnnxRuntime::headers SYSTEM INTERFACE "${OnnxRuntime_INCLUDE_DIR}")
  target_compile_definitions(OnnxRuntime::headers INTERFACE ORT_API_MANUAL_INIT)
  target_link_libraries(OnnxRuntime::headers INTERFACE ${CMAKE_DL_LIBS})
endif()
mark_as_advanced(OnnxRuntime_INCLUDE_DIR OnnxRuntime_LIBRARY)
