#include "tuner/device/cuda/guarded_memory.h"

#include <algorithm>
#include <utility>

namespace gktune {
namespace {

CUmemAllocationProp properties_of(CUdevice device) {
  CUmemAllocationProp properties{};
  properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  properties.location.id = device;
  return properties;
}

}  // namespace

bool can_guard_memory(Gpu& gpu) {
  int supported = 0;
  const CUresult code = gpu.driver().cuDeviceGetAttribute(
      &supported, CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED, gpu.device());
  return code == CUDA_SUCCESS && supported != 0;
}

GuardedMemory::GuardedMemory(Gpu& gpu, std::size_t bytes) {
  if (!gpu.ok()) return;
  const Driver& driver = gpu.driver();
  const CUmemAllocationProp properties = properties_of(gpu.device());
  std::size_t granularity = 0;
  gpu.check(driver.cuMemGetAllocationGranularity(&granularity, &properties, CU_MEM_ALLOC_GRANULARITY_MINIMUM),
            "ask for the granularity of memory");
  if (!gpu.ok()) return;
  const std::size_t size = (std::max<std::size_t>(bytes, 1) + granularity - 1) / granularity * granularity;
  CUmemGenericAllocationHandle memory = 0;
  gpu.check(driver.cuMemCreate(&memory, size, &properties, 0), "allocate memory");
  if (!gpu.ok()) return;
  Mapping writable(gpu, memory, size, granularity, CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
  Mapping readable(gpu, memory, size, granularity, CU_MEM_ACCESS_FLAGS_PROT_READ);
  // The mappings keep the memory.
  gpu.check(driver.cuMemRelease(memory), "release memory");
  if (!gpu.ok()) return;
  bytes_ = size;
  writable_ = std::move(writable);
  readable_ = std::move(readable);
}

GuardedMemory::Mapping::Mapping(Gpu& gpu, CUmemGenericAllocationHandle memory, std::size_t bytes,
                                std::size_t guard_bytes, CUmemAccess_flags access)
    : gpu_(&gpu), bytes_(bytes), guard_bytes_(guard_bytes) {
  const Driver& driver = gpu.driver();
  if (gpu.ok()) {
    gpu.check(driver.cuMemAddressReserve(&reserved_, bytes + 2 * guard_bytes, 0, 0, 0), "reserve addresses");
    if (!gpu.ok()) reserved_ = 0;
  }
  if (gpu.ok()) {
    gpu.check(driver.cuMemMap(reserved_ + guard_bytes, bytes, 0, memory, 0), "map memory");
    is_mapped_ = gpu.ok();
  }
  if (!gpu.ok()) return;
  CUmemAccessDesc description{};
  description.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  description.location.id = gpu.device();
  description.flags = access;
  gpu.check(driver.cuMemSetAccess(reserved_ + guard_bytes, bytes, &description, 1),
            "permit access to memory");
}

GuardedMemory::Mapping& GuardedMemory::Mapping::operator=(Mapping&& other) noexcept {
  std::swap(gpu_, other.gpu_);
  std::swap(reserved_, other.reserved_);
  std::swap(bytes_, other.bytes_);
  std::swap(guard_bytes_, other.guard_bytes_);
  std::swap(is_mapped_, other.is_mapped_);
  return *this;
}

// Queued work may still use the memory.
GuardedMemory::Mapping::~Mapping() {
  if (gpu_ == nullptr || reserved_ == 0) return;
  const Driver& driver = gpu_->driver();
  driver.cuStreamSynchronize(gpu_->stream());
  if (is_mapped_) driver.cuMemUnmap(mapped(), bytes_);
  driver.cuMemAddressFree(reserved_, bytes_ + 2 * guard_bytes_);
}

}  // namespace gktune
