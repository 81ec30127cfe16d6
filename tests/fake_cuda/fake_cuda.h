#pragma once

#include <cuda.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

// Controls the fake driver, and returns the calls that it has received.
namespace fake_cuda {

inline constexpr const char* kDeviceName = "fake GPU";
inline constexpr int kDevices = 2;

struct Launch {
  std::string kernel;
  CUdevice device = 0;
  CUstream stream = nullptr;
  unsigned grid = 0, block = 0;  // along x
  std::uint64_t first_argument = 0;
  std::vector<CUlaunchAttributeID> attributes;
};

// Restores the state of a process that has just started. Removes contexts of earlier calls.
void reset();
// Makes every later call fail, as calls do after CUDA has shut down in the process.
void shut_down();

const std::vector<Launch>& launches();
// The streams of copies from the device.
const std::vector<CUstream>& downloads();
// The code that a launch returns. Without it all succeed.
void on_launch(std::function<CUresult(const Launch&)> decide);
// The number of objects that were made and not released: modules, streams, memory,
// references to primary contexts.
int live_objects();
int live_modules();
// Releases after shut_down().
int late_releases();
// Calls that loaded code or allocated memory while they were not allowed during a capture.
int calls_that_break_captures();
// Calls of cuCtxGetCurrent.
int questions_for_context();
// Later launches are noted if `notes` is true; otherwise they are forgotten and need no memory.
void note_launches(bool notes);

}  // namespace fake_cuda
