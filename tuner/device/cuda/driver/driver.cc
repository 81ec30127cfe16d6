#include "tuner/device/cuda/driver/driver.h"

#include "tuner/core/dynamic_library.h"

namespace gktune {

Result<Driver> Driver::open() {
  auto library = GKTUNE_TRY(DynamicLibrary::open("NVIDIA's driver", {"libcuda.so.1"},
                                                 {"/usr/local/nvidia/lib64", "/usr/lib/wsl/lib"}));

  Driver driver;
  FunctionLoader loader(library);
#define GKTUNE_TEXT(symbol) #symbol
#define GKTUNE_LOAD(function) driver.function = loader(GKTUNE_TEXT(function));
  GKTUNE_DRIVER_FUNCTIONS(GKTUNE_LOAD)
#undef GKTUNE_LOAD
#undef GKTUNE_TEXT
  driver.elapsed_time = loader("cuEventElapsedTime");
  if (auto done = loader.done(); !done) return Error{done.error().message + ": the driver is too old"};
  driver.parameter_info = loader.if_there("cuFuncGetParamInfo");
  driver.wait_in_context = loader.if_there("cuCtxWaitEvent");
  driver.record_in_context = loader.if_there("cuCtxRecordEvent");

  if (const CUresult code = driver.cuInit(0); code != CUDA_SUCCESS) {
    return Error{"NVIDIA's driver (" + library.path() + ") does not start: " + driver.describe(code)};
  }
  return driver;
}

std::string Driver::describe(CUresult code) const {
  const char *name = nullptr, *text = nullptr;
  cuGetErrorName(code, &name);
  cuGetErrorString(code, &text);
  if (name == nullptr || text == nullptr) return "error " + std::to_string(static_cast<int>(code));
  return std::string(text) + " (" + name + ')';
}

}  // namespace gktune
