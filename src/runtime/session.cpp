#include "runtime/session.hpp"

#include <algorithm>
#include <atomic>
#include <malloc.h>
#include <mutex>
#include <onnx-ml.pb.h>
#include <onnxruntime_cxx_api.h>
#include <optional>

#include "base/error.hpp"
#include "base/threads.hpp"
#include "runtime/device.hpp"
#include "runtime/element_type.hpp"
#include "runtime/environment.hpp"
#include "runtime/graph.hpp"
#include "runtime/passes/passes.hpp"

namespace transmuter {
namespace {

// Runs in flight in the whole process: one that is alone gets all cores, those beside it one core each.
std::atomic<int> runs_in_flight{0};

class InFlight {
 public:
  InFlight() : alone_(runs_in_flight.fetch_add(1, std::memory_order_relaxed) == 0 && !SharedCores::any()) {}
  ~InFlight() { runs_in_flight.fetch_sub(1, std::memory_order_relaxed); }
  InFlight(const InFlight&) = delete;
  InFlight& operator=(const InFlight&) = delete;
  bool alone() const { return alone_; }

 private:
  bool alone_;
};

ValueInfo value_info(std::string name, const Ort::TypeInfo& info) {
  ValueInfo value{.name = std::move(name), .dtype = {}, .type = "not a tensor", .dims = {}, .symbols = {}};
  if (info.GetONNXType() != ONNX_TYPE_TENSOR) return value;
  const auto tensor = info.GetTensorTypeAndShapeInfo();
  if (const ElementType* type = find_element_type(tensor.GetElementType()); type != nullptr) {
    value.dtype = type->dtype;
    value.type = type->name;
  }
  value.dims = tensor.GetShape();
  std::vector<const char*> symbols(value.dims.size());
  tensor.GetSymbolicDimensions(symbols.data(), symbols.size());
  value.symbols.assign(symbols.begin(), symbols.end());
  return value;
}

Signature signature_of(const Ort::Session& session) {
  Ort::AllocatorWithDefaultOptions allocator;
  Signature signature;
  for (std::size_t i = 0; i < session.GetInputCount(); ++i) {
    signature.inputs.push_back(
        value_info(session.GetInputNameAllocated(i, allocator).get(), session.GetInputTypeInfo(i)));
  }
  for (std::size_t i = 0; i < session.GetOutputCount(); ++i) {
    signature.outputs.push_back(
        value_info(session.GetOutputNameAllocated(i, allocator).get(), session.GetOutputTypeInfo(i)));
  }
  return signature;
}

Ort::MemoryInfo cpu_memory() { return Ort::MemoryInfo::CreateCpu(OrtArenaAllocator, OrtMemTypeDefault); }

Ort::Value borrow(const Tensor& tensor, const Ort::MemoryInfo& memory) {
  // ONNX Runtime does not write to inputs; its interface only lacks the const.
  return Ort::Value::CreateTensor(memory, const_cast<void*>(tensor.data()), tensor.bytes(), tensor.shape().data(),
                                  tensor.shape().size(),
                                  static_cast<ONNXTensorElementDataType>(onnx_number(tensor.dtype())));
}

Tensor adopt(Ort::Value&& value) {
  if (!value.IsTensor()) fail(ErrorCode::Unsupported, "an output that is not a tensor");
  const auto info = value.GetTensorTypeAndShapeInfo();
  const ElementType* type = find_element_type(info.GetElementType());
  if (type == nullptr || !type->dtype) fail(ErrorCode::Unsupported, "an output of a type that is not used here");
  auto owner = std::make_shared<Ort::Value>(std::move(value));
  void* data = owner->GetTensorMutableRawData();
  return {*type->dtype, info.GetShape(), data, std::move(owner)};
}

}  // namespace

struct Session::State {
  std::string path;
  SessionOptions options;
  Graph graph;
  std::string skeleton;
  Signature signature;
  bool quantizes_activations = false;
  // Both engines share the weights, as the file has them and as ONNX Runtime packs them.
  std::vector<std::string> weight_names;
  std::vector<Ort::Value> weights;
  std::vector<bool> made;  // by a pass, so that no file has them
  std::unique_ptr<OrtPrepackedWeightsContainer, void (*)(OrtPrepackedWeightsContainer*)> packed{nullptr, nullptr};
  std::mutex mutex;
  std::unique_ptr<Ort::Session> all_cores;
  std::unique_ptr<Ort::Session> one_core;

  explicit State(Graph loaded) : graph(std::move(loaded)) {}

  void share_weights() {
    const auto memory = cpu_memory();
    for (const auto& tensor : graph.graph().initializer()) {
      const Weight* weight = graph.find_weight(tensor.name());
      if (weight == nullptr) continue;
      const std::vector<std::int64_t> dims(tensor.dims().begin(), tensor.dims().end());
      made.push_back(!weight->in_file);
      weights.push_back(Ort::Value::CreateTensor(memory, const_cast<std::byte*>(weight->bytes.data()),
                                                 weight->bytes.size(), dims.data(), dims.size(),
                                                 static_cast<ONNXTensorElementDataType>(tensor.data_type())));
      weight_names.push_back(tensor.name());
    }
    OrtPrepackedWeightsContainer* container = nullptr;
    Ort::ThrowOnError(Ort::GetApi().CreatePrepackedWeightsContainer(&container));
    packed = {container, Ort::GetApi().ReleasePrepackedWeightsContainer};
  }

  std::unique_ptr<Ort::Session> make_engine(std::int64_t threads) {
    Ort::SessionOptions session;
    session.SetGraphOptimizationLevel(ORT_ENABLE_ALL);
    session.SetExecutionMode(ORT_SEQUENTIAL);
    session.DisableMemPattern();  // shapes differ from run to run
    session.AddConfigEntry("session.use_env_allocators", "1");
    use_backend(session, options.backend);
    if (threads == 0) {
      session.DisablePerSessionThreads();  // the pool of the environment
    } else {
      session.SetIntraOpNumThreads(static_cast<int>(threads));
    }
    session.AddConfigEntry("session.force_spinning_stop", "1");
    session.AddConfigEntry("session.model_external_initializers_file_folder_path", kWeightsFolder);
    std::vector<const char*> made_names;
    std::vector<const OrtValue*> made_values;
    for (std::size_t i = 0; i < weights.size(); ++i) {
      // An initializer of the caller is used as it is, and its packed form is shared through the container.
      session.AddInitializer(weight_names[i].c_str(), weights[i]);
      if (!made[i]) continue;
      made_names.push_back(weight_names[i].c_str());
      made_values.push_back(weights[i]);
    }
    if (!made_names.empty()) {
      Ort::ThrowOnError(
          Ort::GetApi().AddExternalInitializers(session, made_names.data(), made_values.data(), made_names.size()));
    }
    return std::make_unique<Ort::Session>(environment(), skeleton.data(), skeleton.size(), session, packed.get());
  }

  Ort::Session& engine(bool alone) {
    // A device runs one session; the cores of the CPU can be given to one run or shared out.
    const bool wide =
        options.backend != "cpu" ||
        (alone && (options.threads == 0 ? available_cores() : static_cast<std::size_t>(options.threads)) > 1);
    std::lock_guard lock(mutex);
    std::unique_ptr<Ort::Session>& chosen = wide ? all_cores : one_core;
    if (!chosen) {
      chosen = make_engine(wide ? options.threads : 1);
      graph.release_pages();  // the packed form is what runs
      malloc_trim(0);         // and loading leaves holes
    }
    return *chosen;
  }

  // Outputs without a value get one of ONNX Runtime's.
  void run(std::span<const char* const> input_names, std::span<const Ort::Value> inputs,
           std::span<const char* const> output_names, std::span<Ort::Value> outputs, const std::stop_token& stop) {
    const InFlight in_flight;
    try {
      Ort::RunOptions run_options;
      const std::stop_callback on_stop(stop, [&] { run_options.SetTerminate(); });
      engine(in_flight.alone())
          .Run(run_options, input_names.data(), inputs.data(), inputs.size(), output_names.data(), outputs.data(),
               outputs.size());
    } catch (const Ort::Exception& error) {
      if (stop.stop_requested()) fail(ErrorCode::Cancelled, "the caller stopped the run");
      fail(ErrorCode::Backend, "{}: ONNX Runtime failed: {}", path, error.what());
    }
  }
};

Session::Session(std::unique_ptr<State> state) : state_(std::move(state)) {}
Session::~Session() = default;

std::shared_ptr<const Session> Session::open(const std::string& path, const SessionOptions& options) {
  constexpr std::int64_t kMostThreads = 512;
  if (options.threads < 0 || options.threads > kMostThreads) {
    fail(ErrorCode::InvalidInput, "threads: must be 0 to {}, is {}", kMostThreads, options.threads);
  }
  check_backend(options.backend);
  check_pass_names(options.disabled_passes);
  environment();
  auto state = std::make_unique<State>(Graph::load(path));
  state->path = path;
  state->options = options;
  within(path, [&] {
    rewrite(state->graph, options.backend, options.disabled_passes);
    const auto operators = state->graph.operator_counts();
    state->quantizes_activations = std::ranges::any_of(
        operators, [](const auto& counted) { return counted.first.starts_with("DynamicQuantize"); });
    state->skeleton = state->graph.serialize();
    try {
      state->share_weights();
      state->signature = signature_of(state->engine(true));
    } catch (const Ort::Exception& error) {
      fail(ErrorCode::InvalidModel, "ONNX Runtime does not take this file: {}", error.what());
    }
  });
  return std::shared_ptr<const Session>(new Session(std::move(state)));
}

const Signature& Session::signature() const { return state_->signature; }
const std::string& Session::path() const { return state_->path; }
bool Session::quantizes_activations() const { return state_->quantizes_activations; }

std::vector<Tensor> Session::run(std::span<const Feed> inputs, std::span<const std::string> outputs,
                                 const std::stop_token& stop) const {
  const auto memory = cpu_memory();
  std::vector<const char*> input_names;
  std::vector<Ort::Value> values;
  for (const auto& [name, tensor] : inputs) {
    input_names.push_back(name);
    values.push_back(borrow(*tensor, memory));
  }
  std::vector<const char*> output_names;
  std::vector<Ort::Value> results;
  for (const std::string& name : outputs) {
    output_names.push_back(name.c_str());
    results.emplace_back(nullptr);
  }
  state_->run(input_names, values, output_names, results, stop);
  std::vector<Tensor> tensors;
  for (Ort::Value& result : results) tensors.push_back(adopt(std::move(result)));
  return tensors;
}

struct Binding::Bound {
  std::vector<const char*> names;  // of the signature
  std::vector<Ort::Value> values;

  void bind(const ValueInfo* info, std::string_view name, const Tensor& tensor) {
    if (info == nullptr || info->dtype != tensor.dtype()) {
      fail(ErrorCode::Internal, "a {} tensor cannot be bound to \"{}\", which is {}", transmuter::name(tensor.dtype()),
           name, info == nullptr ? "not there" : info->type);
    }
    Ort::Value value = borrow(tensor, cpu_memory());
    const auto found = std::ranges::find(names, info->name.c_str());
    if (found != names.end()) {
      values[static_cast<std::size_t>(found - names.begin())] = std::move(value);
      return;
    }
    names.push_back(info->name.c_str());
    values.push_back(std::move(value));
  }
};

Binding::Binding(std::shared_ptr<const Session> session)
    : session_(std::move(session)), inputs_(std::make_unique<Bound>()), outputs_(std::make_unique<Bound>()) {}
Binding::~Binding() = default;

void Binding::bind_input(std::string_view name, const Tensor& tensor) {
  inputs_->bind(session_->signature().find_input(name), name, tensor);
}

void Binding::bind_output(std::string_view name, Tensor& tensor) {
  outputs_->bind(session_->signature().find_output(name), name, tensor);
}

void Binding::run(const std::stop_token& stop) {
  session_->state_->run(inputs_->names, inputs_->values, outputs_->names, outputs_->values, stop);
}

}  // namespace transmuter
