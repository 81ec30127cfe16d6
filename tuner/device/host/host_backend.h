#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>

#include "tuner/device/run/compute_device.h"
#include "tuner/device/worker/backend.h"

namespace gktune {

// The memory that this process and its siblings may use together: the machine's, or the limit of its control
// groups (version 1 or 2). `root` is the root of the file system.
std::uint64_t usable_memory_bytes(const std::filesystem::path& root = "/");

// The half of it that the running candidate may use.
std::uint64_t runner_share_bytes();

// This machine's processor, programmed by its C++ compiler.
std::unique_ptr<Backend> make_host_backend(const BackendOptions& options);

// The processor in this process. A crash ends the process; the fault handler reports its place to the parent
// first. `cache_bytes` is the size of the last cache.
std::unique_ptr<ComputeDevice> make_host_device(std::size_t cache_bytes);

// The same, without a parent: a fault is written to standard error.
std::unique_ptr<ComputeDevice> open_host_device();

}  // namespace gktune
