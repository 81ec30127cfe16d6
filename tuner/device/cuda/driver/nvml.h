#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "tuner/core/result.h"
#include "tuner/core/trial.h"
#include "tuner/device/cuda/driver/dynamic_library.h"

namespace gktune {

// NVIDIA's management library, for one card. It is only read.
class Nvml {
 public:
  // Without a card only the driver's version can be asked for.
  static Result<Nvml> open(const std::string& pci_bus_id);
  Nvml(Nvml&& other) noexcept;
  Nvml& operator=(Nvml&&) = delete;
  ~Nvml();

  // Clock, temperature, power and throttling; the energy stays unknown. An idle card is not throttled.
  Conditions conditions() const;
  // The card's energy counter, which is slow to read: 3 ms, at times 16.
  std::optional<double> energy_j() const;
  // "580.159.04"
  std::string driver_version() const;

 private:
  // Declared here because not every toolkit has the library's header. These have not changed in ten years.
  struct Functions {
    int (*init)();
    int (*shutdown)();
    int (*handle_by_bus_id)(const char*, void**);
    int (*clock)(void*, int, unsigned*);
    int (*temperature)(void*, int, unsigned*);
    int (*power)(void*, unsigned*);
    int (*energy)(void*, unsigned long long*);
    int (*throttle_reasons)(void*, unsigned long long*);
    int (*driver_version)(char*, unsigned);
    const char* (*error_string)(int);
  };

  Nvml(DynamicLibrary library, const Functions& functions)
      : library_(std::move(library)), functions_(functions) {}

  DynamicLibrary library_;
  Functions functions_;
  void* card_ = nullptr;
  bool is_open_ = true;  // not moved from
};

}  // namespace gktune
