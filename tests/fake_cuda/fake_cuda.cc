// A driver without a GPU. Memory is the host's, launches are noted and do nothing. It keeps the rules about
// contexts: a thread has a stack of them, and a function runs in its own only. With FAKE_CUDA_KERNEL_US in
// the environment each launch of a kernel that is not gktune's own keeps its stream busy for so long, so
// that a whole tuning can run.
#include "tests/fake_cuda/fake_cuda.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>

struct CUctx_st {
  CUdevice device = 0;
};
struct CUmod_st {
  CUcontext context = nullptr;
};
struct CUfunc_st {
  CUcontext context = nullptr;
  std::string name;
};
struct CUstream_st {
  bool captures = false;
  std::chrono::steady_clock::time_point busy_until;
};
struct CUevent_st {
  std::chrono::steady_clock::time_point at;
};

namespace {

// A real driver evicts the caller from the processor's first caches: it reads and runs more than they hold.
// With FAKE_CUDA_COLD in the environment launches of the fake one do so too.
class CacheUse {
 public:
  void launch() {
    if (!is_cold_) return;
    for (std::size_t at = 0; at < data_.size(); at += 64)
      sum_.fetch_add(data_[at], std::memory_order_relaxed);
    // A jump from each of 768 cache lines, 48 KiB, to the next.
    asm volatile(".balign 64\n.rept 768\njmp 1f\n.balign 64\n1:\n.endr");
  }

 private:
  const bool is_cold_ = std::getenv("FAKE_CUDA_COLD") != nullptr;
  std::vector<unsigned char> data_ = std::vector<unsigned char>(48 << 10);
  std::atomic<unsigned> sum_{0};
};

std::chrono::microseconds kernel_time() {
  const char* const us = std::getenv("FAKE_CUDA_KERNEL_US");
  return std::chrono::microseconds(us == nullptr ? 0 : std::atol(us));
}

struct State {
  const std::chrono::microseconds kernel_time = ::kernel_time();
  std::mutex mutex;  // guards the members up to the next comment
  std::vector<fake_cuda::Launch> launches;
  std::vector<CUstream> downloads;
  std::function<CUresult(const fake_cuda::Launch&)> decide;
  std::vector<std::unique_ptr<CUfunc_st>> functions;
  // All threads use these.
  std::array<CUctx_st, fake_cuda::kDevices> contexts{CUctx_st{0}, CUctx_st{1}};
  std::array<std::atomic<int>, fake_cuda::kDevices> references{};
  std::atomic<bool> is_down{false}, notes_launches{false};
  std::atomic<int> live{0}, modules{0}, late{0}, breaks{0}, captures{0}, questions{0};
  CacheUse caches;
};

State& state() {
  static State* const state = new State;  // it outlives the process's other objects, as the driver does
  return *state;
}

thread_local std::vector<CUcontext> stack;
thread_local CUstreamCaptureMode capture_mode = CU_STREAM_CAPTURE_MODE_GLOBAL;

CUcontext current() { return stack.empty() ? nullptr : stack.back(); }

// The code of every call.
CUresult status() { return state().is_down ? CUDA_ERROR_DEINITIALIZED : CUDA_SUCCESS; }
CUresult status_in_context() {
  if (state().is_down) return CUDA_ERROR_DEINITIALIZED;
  return current() == nullptr ? CUDA_ERROR_INVALID_CONTEXT : CUDA_SUCCESS;
}
// The result of a call that must not happen during a capture.
CUresult status_outside_captures() {
  if (state().captures > 0 && capture_mode != CU_STREAM_CAPTURE_MODE_RELAXED) {
    ++state().breaks;
    return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  }
  return status_in_context();
}
CUresult released() {
  if (state().is_down) {
    ++state().late;
    return CUDA_ERROR_DEINITIALIZED;
  }
  --state().live;
  return CUDA_SUCCESS;
}

int attribute(CUdevice_attribute which) {
  switch (which) {
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR:
      return 9;
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR:
      return 0;
    case CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT:
      return 132;
    case CU_DEVICE_ATTRIBUTE_WARP_SIZE:
      return 32;
    case CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z:
      return 64;
    case CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
    case CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X:
    case CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y:
      return 1024;
    case CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X:
      return 2147483647;
    case CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR:
      return 2048;
    case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK:
      return 49152;
    case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN:
      return 232448;
    case CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED:
      return 0;
    default:
      return 65535;
  }
}

}  // namespace

namespace fake_cuda {

void reset() {
  const std::lock_guard lock(state().mutex);
  state().launches.clear();
  state().downloads.clear();
  state().decide = {};
  state().is_down = false, state().notes_launches = true;
  state().live = state().modules = state().late = state().breaks = state().captures = state().questions = 0;
  for (auto& count : state().references) count = 0;
  stack.clear();
}
void shut_down() { state().is_down = true; }
const std::vector<Launch>& launches() { return state().launches; }
const std::vector<CUstream>& downloads() { return state().downloads; }
void on_launch(std::function<CUresult(const Launch&)> decide) { state().decide = std::move(decide); }
int live_objects() { return state().live; }
int live_modules() { return state().modules; }
int late_releases() { return state().late; }
int calls_that_break_captures() { return state().breaks; }
int questions_for_context() { return state().questions; }
void note_launches(bool notes) { state().notes_launches = notes; }

}  // namespace fake_cuda

extern "C" {

CUresult cuInit(unsigned) { return status(); }
CUresult cuDriverGetVersion(int* version) {
  *version = 13000;
  return status();
}
CUresult cuGetErrorName(CUresult code, const char** name) {
  *name = code == CUDA_SUCCESS ? "CUDA_SUCCESS" : "CUDA_ERROR";
  return CUDA_SUCCESS;
}
CUresult cuGetErrorString(CUresult code, const char** text) {
  *text = code == CUDA_SUCCESS ? "no error" : "an error of the fake driver";
  return CUDA_SUCCESS;
}

CUresult cuDeviceGet(CUdevice* device, int ordinal) {
  *device = ordinal;
  return ordinal < fake_cuda::kDevices ? status() : CUDA_ERROR_INVALID_DEVICE;
}
CUresult cuDeviceGetCount(int* count) {
  *count = fake_cuda::kDevices;
  return status();
}
CUresult cuDeviceGetName(char* name, int size, CUdevice) {
  std::strncpy(name, fake_cuda::kDeviceName, static_cast<std::size_t>(size));
  return status();
}
CUresult cuDeviceGetAttribute(int* value, CUdevice_attribute which, CUdevice) {
  *value = attribute(which);
  return status();
}
CUresult cuDeviceGetPCIBusId(char* text, int size, CUdevice device) {
  std::strncpy(text, device == 0 ? "0000:01:00.0" : "0000:02:00.0", static_cast<std::size_t>(size));
  return status();
}
CUresult cuDeviceTotalMem(std::size_t* bytes, CUdevice) {
  *bytes = std::size_t{1} << 34;
  return status();
}

CUresult cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice device) {
  const auto place = static_cast<std::size_t>(device);
  if (const CUresult code = status(); code != CUDA_SUCCESS) return code;
  ++state().references[place], ++state().live;
  *context = &state().contexts[place];
  return CUDA_SUCCESS;
}
CUresult cuDevicePrimaryCtxRelease(CUdevice device) {
  if (const CUresult code = released(); code != CUDA_SUCCESS) return code;
  --state().references[static_cast<std::size_t>(device)];
  return CUDA_SUCCESS;
}
CUresult cuCtxSetCurrent(CUcontext context) {
  if (!stack.empty()) stack.pop_back();
  if (context != nullptr) stack.push_back(context);
  return status();
}
CUresult cuCtxGetCurrent(CUcontext* context) {
  if (state().notes_launches) ++state().questions;
  *context = current();
  return status();
}
CUresult cuCtxSynchronize() { return status(); }
CUresult cuCtxResetPersistingL2Cache() { return status(); }
CUresult cuCtxPushCurrent(CUcontext context) {
  const bool is_there = state().references[static_cast<std::size_t>(context->device)] > 0;
  if (state().is_down || !is_there) return CUDA_ERROR_CONTEXT_IS_DESTROYED;
  stack.push_back(context);
  return CUDA_SUCCESS;
}
CUresult cuCtxPopCurrent(CUcontext* context) {
  if (const CUresult code = status_in_context(); code != CUDA_SUCCESS) return code;
  *context = stack.back();
  stack.pop_back();
  return CUDA_SUCCESS;
}
CUresult cuCtxGetDevice(CUdevice* device) {
  if (const CUresult code = status_in_context(); code != CUDA_SUCCESS) return code;
  *device = current()->device;
  return CUDA_SUCCESS;
}
CUresult cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode* mode) {
  std::swap(*mode, capture_mode);
  return status();
}

CUresult cuMemAlloc(CUdeviceptr* address, std::size_t bytes) {
  if (const CUresult code = status_outside_captures(); code != CUDA_SUCCESS) return code;
  *address = reinterpret_cast<CUdeviceptr>(std::calloc(bytes, 1));
  ++state().live;
  return CUDA_SUCCESS;
}
CUresult cuMemFree(CUdeviceptr address) {
  if (const CUresult code = released(); code != CUDA_SUCCESS) return code;
  std::free(reinterpret_cast<void*>(address));
  return CUDA_SUCCESS;
}
CUresult cuMemcpyHtoDAsync(CUdeviceptr to, const void* from, std::size_t bytes, CUstream) {
  std::memcpy(reinterpret_cast<void*>(to), from, bytes);
  return status_in_context();
}
CUresult cuMemcpyDtoHAsync(void* to, CUdeviceptr from, std::size_t bytes, CUstream stream) {
  if (state().notes_launches) {
    const std::lock_guard lock(state().mutex);
    state().downloads.push_back(stream);
  }
  std::memcpy(to, reinterpret_cast<const void*>(from), bytes);
  return status_in_context();
}
CUresult cuMemcpyDtoDAsync(CUdeviceptr to, CUdeviceptr from, std::size_t bytes, CUstream) {
  std::memmove(reinterpret_cast<void*>(to), reinterpret_cast<const void*>(from), bytes);
  return status_in_context();
}
CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char byte, std::size_t bytes, CUstream) {
  std::memset(reinterpret_cast<void*>(to), byte, bytes);
  return status_in_context();
}

CUresult cuModuleLoadData(CUmodule* module, const void* image) {
  if (std::memcmp(image, "\x7f" "ELF", 4) != 0) return CUDA_ERROR_INVALID_IMAGE;
  if (const CUresult code = status_outside_captures(); code != CUDA_SUCCESS) return code;
  *module = new CUmod_st{current()};
  ++state().live;
  ++state().modules;
  return CUDA_SUCCESS;
}
CUresult cuModuleUnload(CUmodule module) {
  if (const CUresult code = released(); code != CUDA_SUCCESS) return code;
  delete module;
  --state().modules;
  return CUDA_SUCCESS;
}
CUresult cuModuleGetFunction(CUfunction* function, CUmodule module, const char* name) {
  const std::lock_guard lock(state().mutex);
  state().functions.push_back(std::make_unique<CUfunc_st>(CUfunc_st{module->context, name}));
  *function = state().functions.back().get();
  return status();
}
CUresult cuFuncGetAttribute(int* value, CUfunction_attribute which, CUfunction) {
  *value = which == CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK ? 1024 : 0;
  return status();
}
CUresult cuFuncSetAttribute(CUfunction, CUfunction_attribute, int) { return status(); }
CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, CUfunction, int, std::size_t) {
  *blocks = 2;
  return status();
}
CUresult cuOccupancyMaxActiveClusters(int* clusters, CUfunction, const CUlaunchConfig*) {
  *clusters = 2;
  return status();
}
CUresult cuLaunchKernelEx(const CUlaunchConfig* config, CUfunction function, void** arguments, void**) {
  if (const CUresult code = status_in_context(); code != CUDA_SUCCESS) return code;
  if (current() != function->context) return CUDA_ERROR_INVALID_HANDLE;
  state().caches.launch();
  // Tests of launches pass numbers as streams, and set no kernel time.
  if (config->hStream != nullptr && state().kernel_time.count() > 0 &&
      !function->name.starts_with("gktune_")) {
    auto& busy_until = config->hStream->busy_until;
    busy_until = std::max(busy_until, std::chrono::steady_clock::now()) + state().kernel_time;
  }
  if (!state().notes_launches) return CUDA_SUCCESS;
  fake_cuda::Launch launch{function->name,   current()->device, config->hStream, config->gridDimX,
                           config->blockDimX, 0,                {}};
  std::memcpy(&launch.first_argument, arguments[0], sizeof launch.first_argument);
  for (unsigned i = 0; i < config->numAttrs; ++i) launch.attributes.push_back(config->attrs[i].id);
  const std::lock_guard lock(state().mutex);
  const CUresult code = state().decide ? state().decide(launch) : CUDA_SUCCESS;
  if (code == CUDA_SUCCESS) state().launches.push_back(launch);
  return code;
}

CUresult cuStreamCreate(CUstream* stream, unsigned) {
  if (const CUresult code = status_in_context(); code != CUDA_SUCCESS) return code;
  *stream = new CUstream_st;
  ++state().live;
  return CUDA_SUCCESS;
}
CUresult cuStreamDestroy(CUstream stream) {
  if (const CUresult code = released(); code != CUDA_SUCCESS) return code;
  delete stream;
  return CUDA_SUCCESS;
}
CUresult cuStreamQuery(CUstream stream) {
  if (stream != nullptr && std::chrono::steady_clock::now() < stream->busy_until) return CUDA_ERROR_NOT_READY;
  return status();
}
CUresult cuStreamSynchronize(CUstream stream) {
  if (stream != nullptr) std::this_thread::sleep_until(stream->busy_until);
  return status();
}
CUresult cuStreamBeginCapture(CUstream stream, CUstreamCaptureMode) {
  stream->captures = true;
  ++state().captures;
  return status();
}
CUresult cuStreamEndCapture(CUstream stream, CUgraph* graph) {
  stream->captures = false;
  --state().captures;
  *graph = nullptr;
  return status();
}
CUresult cuStreamIsCapturing(CUstream stream, CUstreamCaptureStatus* captured) {
  *captured = stream->captures ? CU_STREAM_CAPTURE_STATUS_ACTIVE : CU_STREAM_CAPTURE_STATUS_NONE;
  return status();
}
CUresult cuGraphDestroy(CUgraph) { return status(); }
CUresult cuGraphInstantiateWithFlags(CUgraphExec* executable, CUgraph, unsigned long long) {
  *executable = nullptr;
  return status();
}
CUresult cuGraphExecDestroy(CUgraphExec) { return status(); }
CUresult cuGraphUpload(CUgraphExec, CUstream) { return status(); }
CUresult cuGraphLaunch(CUgraphExec, CUstream) { return status(); }

CUresult cuEventCreate(CUevent* event, unsigned) {
  *event = new CUevent_st;
  ++state().live;
  return status();
}
CUresult cuEventDestroy(CUevent event) {
  if (const CUresult code = released(); code != CUDA_SUCCESS) return code;
  delete event;
  return CUDA_SUCCESS;
}
CUresult cuEventRecord(CUevent event, CUstream stream) {
  event->at = std::chrono::steady_clock::now();
  if (stream != nullptr) event->at = std::max(event->at, stream->busy_until);
  return status();
}
CUresult cuEventQuery(CUevent event) {
  return event->at > std::chrono::steady_clock::now() ? CUDA_ERROR_NOT_READY : status();
}
// The first version, which every driver has.
CUresult first_cuEventElapsedTime(float* elapsed_ms, CUevent start,
                                  CUevent end) __asm__("cuEventElapsedTime");
CUresult first_cuEventElapsedTime(float* elapsed_ms, CUevent start, CUevent end) {
  *elapsed_ms = std::chrono::duration<float, std::milli>(end->at - start->at).count();
  return status();
}
CUresult cuMemGetInfo(std::size_t* free, std::size_t* total) {
  *free = *total = std::size_t{1} << 34;
  return status();
}
CUresult cuMemHostAlloc(void** memory, std::size_t bytes, unsigned) {
  *memory = std::calloc(bytes, 1);
  ++state().live;
  return status();
}
CUresult cuMemFreeHost(void* memory) {
  if (const CUresult code = released(); code != CUDA_SUCCESS) return code;
  std::free(memory);
  return CUDA_SUCCESS;
}
CUresult cuMemHostGetDevicePointer(CUdeviceptr* address, void* memory, unsigned) {
  *address = reinterpret_cast<CUdeviceptr>(memory);
  return status();
}

// Functions that launches do not need.
#define FAKE_UNSUPPORTED(function) \
  CUresult function##_is_unsupported() __asm__(#function); \
  CUresult function##_is_unsupported() { return CUDA_ERROR_NOT_SUPPORTED; }
FAKE_UNSUPPORTED(cuMemGetAllocationGranularity)
FAKE_UNSUPPORTED(cuMemAddressReserve)
FAKE_UNSUPPORTED(cuMemAddressFree)
FAKE_UNSUPPORTED(cuMemCreate)
FAKE_UNSUPPORTED(cuMemRelease)
FAKE_UNSUPPORTED(cuMemMap)
FAKE_UNSUPPORTED(cuMemUnmap)
FAKE_UNSUPPORTED(cuMemSetAccess)
FAKE_UNSUPPORTED(cuIpcGetMemHandle)
FAKE_UNSUPPORTED(cuIpcOpenMemHandle_v2)
FAKE_UNSUPPORTED(cuIpcCloseMemHandle)
FAKE_UNSUPPORTED(cuModuleGetGlobal_v2)
FAKE_UNSUPPORTED(cuTensorMapEncodeTiled)
FAKE_UNSUPPORTED(cuTexObjectCreate)
FAKE_UNSUPPORTED(cuTexObjectDestroy)

}  // extern "C"
