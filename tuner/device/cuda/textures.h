#pragma once

#include <cuda.h>

#include <vector>

#include "tuner/device/cuda/driver/driver.h"
#include "tuner/space/plan.h"

namespace gktune {

// Texture objects of the buffers that a program is launched with. They live as long as this: launches that
// are queued and graphs use them. One thread at a time.
class Textures {
 public:
  Textures() = default;
  Textures(const Textures&) = delete;
  Textures& operator=(const Textures&) = delete;
  ~Textures();

  // The texture of the buffer at this address, made the first time.
  CUresult find(const Driver& driver, const TexturePlan& plan, CUdeviceptr address, CUtexObject& texture);

 private:
  struct Known {
    TexturePlan plan;
    CUdeviceptr address = 0;
    CUtexObject texture = 0;
  };
  std::vector<Known> known_;
  decltype(Driver::cuTexObjectDestroy) destroy_ = nullptr;
};

}  // namespace gktune
