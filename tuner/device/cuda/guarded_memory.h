#pragma once

#include <cstddef>
#include <utility>

#include "tuner/device/cuda/gpu.h"

namespace gktune {

// Memory of a GPU with reserved, unmapped addresses on either side: an access there is a fault. It is mapped
// twice, the second time for reading only.
class GuardedMemory {
 public:
  GuardedMemory() = default;
  // The size is rounded up to the GPU's granularity. A failure sticks to the Gpu and leaves this empty.
  GuardedMemory(Gpu& gpu, std::size_t bytes);

  CUdeviceptr address() const { return writable_.mapped(); }
  CUdeviceptr read_only_address() const { return readable_.mapped(); }
  std::size_t bytes() const { return bytes_; }

 private:
  // A range of reserved addresses whose middle is mapped.
  class Mapping {
   public:
    Mapping() = default;
    Mapping(Gpu& gpu, CUmemGenericAllocationHandle memory, std::size_t bytes, std::size_t guard_bytes,
            CUmemAccess_flags access);
    Mapping(Mapping&& other) noexcept { *this = std::move(other); }
    Mapping& operator=(Mapping&& other) noexcept;
    ~Mapping();
    CUdeviceptr mapped() const { return is_mapped_ ? reserved_ + guard_bytes_ : 0; }

   private:
    Gpu* gpu_ = nullptr;
    CUdeviceptr reserved_ = 0;
    std::size_t bytes_ = 0, guard_bytes_ = 0;
    bool is_mapped_ = false;
  };

  std::size_t bytes_ = 0;
  Mapping writable_, readable_;
};

// True if this GPU can map memory at addresses of choice.
bool can_guard_memory(Gpu& gpu);

}  // namespace gktune
