#include "runtime/environment.hpp"

#include <algorithm>
#include <onnxruntime_cxx_api.h>

#include "base/threads.hpp"
#include "runtime/library.hpp"

namespace transmuter {
namespace {

Ort::Env make_environment() {
  onnxruntime_version();
  Ort::ThreadingOptions threads;
  threads.SetGlobalIntraOpNumThreads(static_cast<int>(available_cores()));
  threads.SetGlobalInterOpNumThreads(1);
  Ort::Env env(threads, ORT_LOGGING_LEVEL_FATAL, "transmuter");
  env.DisableTelemetryEvents();
  // Grow by what is asked for (1), not by powers of two: shapes differ from run to run, and an arena never shrinks.
  const Ort::ArenaCfg arena(/*max_mem=*/0, /*arena_extend_strategy=*/1, /*initial_chunk_size_bytes=*/-1,
                            /*max_dead_bytes_per_chunk=*/-1);
  const Ort::MemoryInfo memory = Ort::MemoryInfo::CreateCpu(OrtArenaAllocator, OrtMemTypeDefault);
  env.CreateAndRegisterAllocator(memory, arena);
  return env;
}

}  // namespace

Ort::Env& environment() {
  static Ort::Env env = make_environment();
  return env;
}

}  // namespace transmuter
