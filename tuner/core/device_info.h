#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "gktune/values.h"
#include "tuner/core/fields.h"

namespace gktune {

// Name and limits of a device. A limit of 0 means no limit.
struct DeviceInfo {
  std::string kind;                  // cuda, host, replay
  std::string name;                  // "NVIDIA H200"; a CPU says so: "CPU: AMD EPYC 9654"
  std::string architecture;          // sm_90, x86-64
  std::int64_t multiprocessors = 0;  // SMs, or cores

  std::int64_t warp_size = 32;
  std::int64_t max_threads_per_block = 0;
  std::int64_t max_block_x = 0, max_block_y = 0, max_block_z = 0;
  std::int64_t max_grid_x = 0, max_grid_y = 0, max_grid_z = 0;
  std::int64_t max_threads_per_multiprocessor = 0;
  std::int64_t max_blocks_per_multiprocessor = 0;
  std::int64_t shared_bytes_per_block = 0;        // with no opt-in
  std::int64_t shared_bytes_per_block_optin = 0;  // the most a block can ask for
  std::int64_t shared_bytes_per_multiprocessor = 0;
  std::int64_t registers_per_block = 0;
  std::int64_t registers_per_multiprocessor = 0;
  std::int64_t constant_bytes = 0;
  std::int64_t l2_bytes = 0;  // the last cache before memory
  std::int64_t memory_bytes = 0;
  std::int64_t clock_khz = 0;
  std::int64_t memory_clock_khz = 0;
  std::int64_t memory_bus_bits = 0;
  bool ecc = false;
  bool mig = false;

  std::string driver;    // version of the driver, or of the operating system
  std::string runtime;   // version of CUDA
  std::string compiler;  // "NVRTC 13.0", "g++ 12.2.0"

  // The numbers and the identity under the names that expressions use after "device.".
  NamedValues attributes() const;
};

// Lists the members that identify a model. Every struct that has them can be listed.
template <class Archive, class S>
void identity_fields(Archive&& archive, S& info) {
  archive("kind", info.kind);
  archive("name", info.name);
  archive("architecture", info.architecture);
  archive("multiprocessors", info.multiprocessors);
}

// Limits, sizes, clocks and switches: numbers and bools.
GKTUNE_FIELD_LIST(figure_fields, DeviceInfo, warp_size, max_threads_per_block, max_block_x, max_block_y,
                  max_block_z, max_grid_x, max_grid_y, max_grid_z, max_threads_per_multiprocessor,
                  max_blocks_per_multiprocessor, shared_bytes_per_block, shared_bytes_per_block_optin,
                  shared_bytes_per_multiprocessor, registers_per_block, registers_per_multiprocessor,
                  constant_bytes, l2_bytes, memory_bytes, clock_khz, memory_clock_khz, memory_bus_bits, ecc,
                  mig)

template <class Archive, Is<DeviceInfo> S>
void fields(Archive&& archive, S& info) {
  identity_fields(archive, info);
  figure_fields(archive, info);
  archive("driver", info.driver);
  archive("runtime", info.runtime);
  archive("compiler", info.compiler);
}

// True if trials of the two may be mixed. Cards of one name may differ in how many units are enabled.
bool are_of_one_model(const DeviceInfo& a, const DeviceInfo& b);

// A kind of device. Code that serves all backends asks for these properties and compares no names.
struct DeviceKind {
  std::string_view name;          // in --device, DeviceInfo and databases
  bool is_gpu = false;            // a machine may have several, numbered from 0
  std::string_view toolkit;       // that a build needs for it; empty: none
  std::string_view architecture;  // an example of those to compile for without a device: sm_90; empty: none
};

// All kinds, also those that this build does not support. The host is the first.
std::span<const DeviceKind> known_device_kinds();
// Null if there is none of that name.
const DeviceKind* find_device_kind(std::string_view name);
// False for a recording, and for a kind that is not known.
bool is_gpu(std::string_view kind);
// The kind whose architectures begin with the same letters: cuda for sm_120a. Null if there is none.
const DeviceKind* kind_of_architecture(std::string_view architecture);

}  // namespace gktune
