# onnx_schema: the protobuf classes of ONNX graphs (lite runtime), made from the schema file of the onnx project.
find_file(
  ONNX_SCHEMA_FILE
  onnx-ml.proto
  HINTS "${CMAKE_SOURCE_DIR}/.deps/onnx" /usr/include/onnx
  NO_CMAKE_FIND_ROOT_PATH
  REQUIRED
)
cmake_path(GET ONNX_SCHEMA_FILE PARENT_PATH _schema_source)
set(_schema_dir "${CMAKE_BINARY_DIR}/onnx")
file(MAKE_DIRECTORY "${_schema_dir}")
add_custom_command(
  OUTPUT "${_schema_dir}/onnx-ml.pb.cc" "${_schema_dir}/onnx-ml.pb.h"
  COMMAND protobuf::protoc --cpp_out=lite:"${_schema_dir}" -I "${_schema_source}" "${ONNX_SCHEMA_FILE}"
  DEPENDS "${ONNX_SCHEMA_FILE}"
  COMMENT "protoc onnx-ml.proto"
)
add_library(onnx_schema STATIC "${_schema_dir}/onnx-ml.pb.cc")
target_include_directories(onnx_schema SYSTEM PUBLIC "${_schema_dir}")
target_link_libraries(onnx_schema PUBLIC protobuf::libprotobuf-lite)
target_compile_options(onnx_schema PRIVATE -w)
