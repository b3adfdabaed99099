# rust_static_library(<target> <crate folder>): builds a Rust staticlib with cargo and offers it as an imported target;
# the crate's include/ folder comes with it. Rebuilt when a source, the manifest or the lock file changes.
set(RUST_TARGET_DIR "${CMAKE_SOURCE_DIR}/.deps/cargo" CACHE PATH "cargo's target folder, shared by all build folders")

function(rust_static_library target crate)
  find_program(CARGO_EXECUTABLE cargo HINTS ENV CARGO_HOME "$ENV{HOME}/.cargo" PATH_SUFFIXES bin REQUIRED)
  set(name "${CMAKE_STATIC_LIBRARY_PREFIX}${target}${CMAKE_STATIC_LIBRARY_SUFFIX}")
  # A copy in the build folder has a new time after each run; cargo leaves its own file's time alone.
  set(library "${CMAKE_BINARY_DIR}/rust/${name}")
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${crate}/src/*.rs")
  add_custom_command(
    OUTPUT "${library}"
    COMMAND
      "${CARGO_EXECUTABLE}" build --release --locked --quiet --target-dir "${RUST_TARGET_DIR}" --manifest-path
      "${crate}/Cargo.toml"
    COMMAND "${CMAKE_COMMAND}" -E copy "${RUST_TARGET_DIR}/release/${name}" "${library}"
    DEPENDS ${sources} "${crate}/Cargo.toml" "${crate}/Cargo.lock"
    WORKING_DIRECTORY "${crate}"
    VERBATIM
    COMMENT "cargo build ${target} (some minutes the first time)"
  )
  add_custom_target(${target}_cargo DEPENDS "${library}")
  add_library(${target} STATIC IMPORTED GLOBAL)
  add_dependencies(${target} ${target}_cargo)
  set_target_properties(${target} PROPERTIES IMPORTED_LOCATION "${library}")
  target_include_directories(${target} INTERFACE "${crate}/include")
  # What `cargo rustc -- --print native-static-libs` names.
  target_link_libraries(${target} INTERFACE Threads::Threads ${CMAKE_DL_LIBS} m)
endfunction()
