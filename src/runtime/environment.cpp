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
  // Measured: growing by powers of two (0) from one large chunk on takes a third less memory than growing by what is
  // asked for, which leaves holes, since shapes differ from run to run.
  constexpr int kFirstChunk = 64 * 1024 * 1024;
  const Ort::ArenaCfg arena(/*max_mem=*/0, /*arena_extend_strategy=*/0, /*initial_chunk_size_bytes=*/kFirstChunk,
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
