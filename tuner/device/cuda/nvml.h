#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "tuner/core/result.h"
#include "tuner/device/cuda/dynamic_library.h"

namespace gktune {

// What the card's management interface reads at one moment; nothing where it does not know.
struct CardReadings {
  std::optional<double> clock_mhz, temperature_c, power_w, energy_j;
  // Slowed down by heat or power, by itself or from outside. Not by having nothing to do.
  bool throttled = false;
};

// NVIDIA's management library, for one card. Only read from.
class Nvml {
 public:
  static Result<Nvml> open(const std::string& pci_bus_id);
  Nvml(Nvml&& other) noexcept;
  Nvml& operator=(Nvml&&) = delete;
  ~Nvml();

  CardReadings read() const;
  // "580.159.04"
  std::string driver_version() const;

 private:
  // The library's header is not everywhere; this much of it has not changed in ten years.
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
