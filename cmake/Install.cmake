# cmake --install: a relocatable tree of the program, the library, the headers and find_package(transmuter).
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set_target_properties(transmuter_cli transmuter PROPERTIES INSTALL_RPATH "$ORIGIN/../${CMAKE_INSTALL_LIBDIR};$ORIGIN")
install(TARGETS transmuter_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(TARGETS transmuter EXPORT transmuter-targets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY "${CMAKE_SOURCE_DIR}/include/transmuter" DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY "${CMAKE_SOURCE_DIR}/models/" DESTINATION ${CMAKE_INSTALL_DATADIR}/transmuter/models)
install(FILES "${CMAKE_SOURCE_DIR}/LICENSE" "${CMAKE_SOURCE_DIR}/NOTICE" DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(
  EXPORT transmuter-targets
  NAMESPACE transmuter::
  FILE transmuter-config.cmake
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/transmuter
)
write_basic_package_version_file("${CMAKE_BINARY_DIR}/transmuter-config-version.cmake" COMPATIBILITY SameMinorVersion)
install(
  FILES "${CMAKE_BINARY_DIR}/transmuter-config-version.cmake"
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/transmuter
)

# The ONNX Runtime that the set-up fetched goes along; a system's own stays where it is.
if(OnnxRuntime_LIBRARY MATCHES "^${CMAKE_SOURCE_DIR}/")
  file(REAL_PATH "${OnnxRuntime_LIBRARY}" _onnxruntime_file)
  get_filename_component(_onnxruntime_name "${OnnxRuntime_LIBRARY}" NAME)
  install(FILES "${_onnxruntime_file}" RENAME "${_onnxruntime_name}" DESTINATION ${CMAKE_INSTALL_LIBDIR})
endif()
