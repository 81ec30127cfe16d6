#include "tuner/device/cuda/gpu.h"

#include <algorithm>
#include <chrono>
#include <future>
#include <thread>
#include <utility>

#include "tuner/measure/element.h"

namespace gktune {
namespace {

// Waiting polls without a pause at first, then sleeps between polls.
constexpr auto kSpin = std::chrono::milliseconds(2);
constexpr auto kDoze = std::chrono::microseconds(50);
// A call that waits takes less where the GPU is idle.
constexpr auto kIdleCall = std::chrono::microseconds(20);

Status status_of(CUresult code) {
  switch (code) {
    case CUDA_ERROR_OUT_OF_MEMORY:
      return Status::out_of_memory;
    case CUDA_ERROR_ILLEGAL_ADDRESS:
    case CUDA_ERROR_INVALID_ADDRESS_SPACE:
    case CUDA_ERROR_INVALID_PC:
      return Status::illegal_access;
    case CUDA_ERROR_MISALIGNED_ADDRESS:
      return Status::misaligned_access;
    case CUDA_ERROR_ASSERT:
    case CUDA_ERROR_ILLEGAL_INSTRUCTION:  // __trap()
    case CUDA_ERROR_LAUNCH_FAILED:
      return Status::aborted;
    case CUDA_ERROR_LAUNCH_TIMEOUT:
      return Status::timed_out;
    case CUDA_ERROR_HARDWARE_STACK_ERROR:
    case CUDA_ERROR_ECC_UNCORRECTABLE:
    case CUDA_ERROR_UNKNOWN:
      return Status::crashed;
    default:
      return Status::launch_failed;
  }
}

// After these the context still works. Only the end of the process clears any other failure.
constexpr CUresult kHarmless[] = {CUDA_ERROR_OUT_OF_MEMORY,
                                  CUDA_ERROR_INVALID_VALUE,
                                  CUDA_ERROR_INVALID_IMAGE,
                                  CUDA_ERROR_INVALID_SOURCE,
                                  CUDA_ERROR_NO_BINARY_FOR_GPU,
                                  CUDA_ERROR_NOT_FOUND,
                                  CUDA_ERROR_INVALID_HANDLE,
                                  CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES,
                                  CUDA_ERROR_NOT_SUPPORTED,
                                  CUDA_ERROR_INVALID_PTX,
                                  CUDA_ERROR_UNSUPPORTED_PTX_VERSION,
                                  CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND,
                                  CUDA_ERROR_SHARED_OBJECT_INIT_FAILED,
                                  CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE};

}  // namespace

LaunchConfig::LaunchConfig(const LaunchShape& shape) {
  const auto narrow = [](std::int64_t size) { return static_cast<unsigned>(size); };
  config_.gridDimX = narrow(shape.grid[0]);
  config_.gridDimY = narrow(shape.grid[1]);
  config_.gridDimZ = narrow(shape.grid[2]);
  config_.blockDimX = narrow(shape.block[0]);
  config_.blockDimY = narrow(shape.block[1]);
  config_.blockDimZ = narrow(shape.block[2]);
  config_.sharedMemBytes = narrow(shape.shared_bytes);
  const LaunchAttributes& wanted = shape.attributes;
  if (wanted.is_cooperative) add(CU_LAUNCH_ATTRIBUTE_COOPERATIVE).cooperative = 1;
  if (wanted.is_programmatic)
    add(CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION).programmaticStreamSerializationAllowed = 1;
  if (wanted.carveout_percent >= 0) {
    add(CU_LAUNCH_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT).sharedMemCarveout =
        narrow(wanted.carveout_percent);
  }
  if (wanted.cluster_blocks() > 1) {
    auto& cluster = add(CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION).clusterDim;
    cluster.x = narrow(wanted.cluster[0]);
    cluster.y = narrow(wanted.cluster[1]);
    cluster.z = narrow(wanted.cluster[2]);
  }
}

CUlaunchAttributeValue& LaunchConfig::add(CUlaunchAttributeID id) {
  constexpr std::size_t kMostAttributes = 4;
  if (attributes_ == nullptr) attributes_ = std::make_unique<CUlaunchAttribute[]>(kMostAttributes);
  config_.attrs = attributes_.get();
  CUlaunchAttribute& attribute = attributes_[config_.numAttrs++];
  attribute.id = id;
  return attribute.value;
}

int LaunchConfig::most_clusters(const Driver& driver, CUfunction function) const {
  int clusters = 0;
  return driver.cuOccupancyMaxActiveClusters(&clusters, function, &config_) == CUDA_SUCCESS ? clusters : 0;
}

Failure ran_too_long(double limit_s, std::string_view when) {
  std::string message = "ran longer than " + number_text(limit_s) + " s";
  if (!when.empty()) message.append(" ").append(when);
  return {Status::timed_out, std::move(message), true};
}

Failure failure_of(CUresult code, const char* doing, const Driver& driver) {
  const std::string what = driver.describe(code);
  return {status_of(code), doing == nullptr ? what : std::string("cannot ") + doing + ": " + what,
          std::ranges::find(kHarmless, code) == std::end(kHarmless), static_cast<int>(code)};
}

CUresult read_flag(const Driver& driver, CUstream stream, CUdeviceptr address, std::size_t bytes,
                   bool& is_set) {
  std::uint64_t value = 0;
  CUresult code = driver.cuMemcpyDtoHAsync(&value, address, bytes, stream);
  if (code == CUDA_SUCCESS) code = driver.cuStreamSynchronize(stream);
  is_set = value != 0;
  return code;
}

Result<std::unique_ptr<Gpu>> Gpu::open(const Driver& driver, int ordinal) {
  std::unique_ptr<Gpu> gpu(new Gpu(driver));
  gpu->check(driver.cuDeviceGet(&gpu->device_, ordinal), "find the GPU");
  if (gpu->ok()) gpu->check(driver.cuDevicePrimaryCtxRetain(&gpu->context_, gpu->device_), "make a context");
  if (gpu->ok()) gpu->check(driver.cuCtxSetCurrent(gpu->context_), "use the context");
  CUstream stream = nullptr;
  if (gpu->ok()) gpu->check(driver.cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING), "make a stream");
  if (auto failure = gpu->take_failure()) {
    return Error{"GPU " + std::to_string(ordinal) + ": " + failure->message};
  }
  gpu->stream_ = {stream, driver.cuStreamDestroy};
  return gpu;
}

Gpu::~Gpu() {
  stream_ = {};
  if (context_ != nullptr && !a_kernel_hangs) driver_.cuDevicePrimaryCtxRelease(device_);
}

void Gpu::use_default_stream() {
  if (!ok() || stream_.get() == CU_STREAM_LEGACY) return;
  check(driver_.cuStreamSynchronize(stream_.get()), "end the work of a stream");
  if (ok()) stream_ = {CU_STREAM_LEGACY, [](CUstream) { return CUDA_SUCCESS; }};
}

void Gpu::launch(CUfunction function, const LaunchShape& shape, void** arguments) {
  if (ok())
    check(LaunchConfig(shape).launch(driver_, function, stream_.get(), arguments), "launch the kernel");
}

Graph Gpu::capture(const std::function<void()>& work) {
  if (ok()) {
    check(driver_.cuStreamBeginCapture(stream_.get(), CU_STREAM_CAPTURE_MODE_THREAD_LOCAL), "begin a graph");
  }
  if (!ok()) return {};
  work();
  CUgraph captured = nullptr;
  check(driver_.cuStreamEndCapture(stream_.get(), &captured), "end a graph");
  const Owned<CUgraph> graph(captured, driver_.cuGraphDestroy);
  CUgraphExec executable = nullptr;
  if (ok()) check(driver_.cuGraphInstantiateWithFlags(&executable, graph.get(), 0), "make a graph");
  if (ok()) check(driver_.cuGraphUpload(executable, stream_.get()), "load a graph");
  return {executable, driver_.cuGraphExecDestroy};
}

void Gpu::launch(const Graph& graph) {
  if (ok()) check(driver_.cuGraphLaunch(graph.get(), stream_.get()), "launch a graph");
}

bool Gpu::wait(double limit_s) {
  return poll(limit_s, [&] { return driver_.cuStreamQuery(stream_.get()); });
}

bool Gpu::wait(const Event& event, double limit_s) {
  return poll(limit_s, [&] { return driver_.cuEventQuery(event.get()); });
}

bool Gpu::poll(double limit_s, const std::function<CUresult()>& query) {
  const auto start = std::chrono::steady_clock::now();
  while (ok()) {
    const CUresult code = query();
    if (code != CUDA_ERROR_NOT_READY) {
      check(code, nullptr);
      break;
    }
    const auto waited = std::chrono::steady_clock::now() - start;
    if (std::chrono::duration<double>(waited).count() > limit_s) {
      a_kernel_hangs = true;
      return false;
    }
    if (waited > kSpin) std::this_thread::sleep_for(kDoze);
  }
  return true;
}

// The thread stays behind where a kernel does not end.
std::optional<CUresult> Gpu::call_beside(double limit_s, std::function<CUresult(const Driver&)> call) {
  std::promise<CUresult> ended;
  std::future<CUresult> code = ended.get_future();
  std::thread([driver = driver_, context = context_, call = std::move(call),
               ended = std::move(ended)]() mutable {
    const CUresult current = driver.cuCtxSetCurrent(context);
    ended.set_value(current != CUDA_SUCCESS ? current : call(driver));
  }).detach();
  if (code.wait_for(std::chrono::duration<double>(limit_s)) == std::future_status::ready) return code.get();
  a_kernel_hangs = true;
  return std::nullopt;
}

std::optional<double> Gpu::rest_us(double limit_s) {
  if (!ok()) return 0;
  const auto waited_us = std::make_shared<double>(0);
  const auto code = call_beside(limit_s, [waited_us](const Driver& driver) {
    const auto start = std::chrono::steady_clock::now();
    const CUresult result = driver.cuCtxSynchronize();
    const std::chrono::duration<double, std::micro> waited = std::chrono::steady_clock::now() - start;
    if (waited > kIdleCall) *waited_us = waited.count();
    return result;
  });
  if (!code) return std::nullopt;
  check(*code, nullptr);
  return *waited_us;
}

// The driver prints during a call that waits. A query that reports a failed kernel first discards the failed
// assertion's text, so another thread makes the waiting call.
bool Gpu::wait_and_print(double limit_s) {
  if (!ok()) return true;
  const auto code = call_beside(
      limit_s, [stream = stream_.get()](const Driver& driver) { return driver.cuStreamSynchronize(stream); });
  if (code) check(*code, nullptr);
  return code.has_value();
}

}  // namespace gktune
