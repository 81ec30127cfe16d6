#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "tuner/core/quantity.h"
#include "tuner/device/cuda/cuda_device.h"

namespace gktune {
namespace {

// A range of reserved addresses whose middle is mapped.
class Mapping {
 public:
  Mapping(Gpu& gpu, CUmemGenericAllocationHandle memory, std::size_t bytes, std::size_t guard_bytes,
          CUmemAccess_flags access)
      : gpu_(gpu), bytes_(bytes), guard_bytes_(guard_bytes) {
    if (!gpu.ok()) return;
    const Driver& driver = gpu.driver();
    CUdeviceptr reserved = 0;
    gpu.check(driver.cuMemAddressReserve(&reserved, bytes + 2 * guard_bytes, 0, 0, 0), "reserve addresses");
    if (!gpu.ok()) return;
    reserved_ = reserved;
    gpu.check(driver.cuMemMap(mapped(), bytes, 0, memory, 0), "map memory");
    is_mapped_ = gpu.ok();
    if (!is_mapped_) return;
    CUmemAccessDesc description{};
    description.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    description.location.id = gpu.device();
    description.flags = access;
    gpu.check(driver.cuMemSetAccess(mapped(), bytes, &description, 1), "permit access to memory");
  }
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;
  // Queued work may still use the memory.
  ~Mapping() {
    if (reserved_ == 0 || a_kernel_hangs) return;
    const Driver& driver = gpu_.driver();
    driver.cuStreamSynchronize(gpu_.stream());
    if (is_mapped_) driver.cuMemUnmap(mapped(), bytes_);
    driver.cuMemAddressFree(reserved_, bytes_ + 2 * guard_bytes_);
  }
  CUdeviceptr mapped() const { return reserved_ + guard_bytes_; }

 private:
  Gpu& gpu_;
  const std::size_t bytes_, guard_bytes_;
  CUdeviceptr reserved_ = 0;
  bool is_mapped_ = false;
};

}  // namespace

// Memory of a GPU with reserved, unmapped addresses on either side: an access there is a fault. It is mapped
// twice, the second time for reading only.
class GuardedMemory {
 public:
  // The size is rounded up to the GPU's granularity. After a failure, which sticks to the Gpu, this is of no
  // use.
  GuardedMemory(Gpu& gpu, std::size_t bytes) {
    if (!gpu.ok()) return;
    const Driver& driver = gpu.driver();
    CUmemAllocationProp properties{};
    properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    properties.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    properties.location.id = gpu.device();
    std::size_t granularity = 0;
    gpu.check(
        driver.cuMemGetAllocationGranularity(&granularity, &properties, CU_MEM_ALLOC_GRANULARITY_MINIMUM),
        "ask for the granularity of memory");
    if (!gpu.ok()) return;
    bytes_ = (std::max<std::size_t>(bytes, 1) + granularity - 1) / granularity * granularity;
    is_smallest_ = bytes_ == granularity;
    CUmemGenericAllocationHandle memory = 0;
    gpu.check(driver.cuMemCreate(&memory, bytes_, &properties, 0), "allocate memory");
    if (!gpu.ok()) return;
    writable_.emplace(gpu, memory, bytes_, granularity, CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
    readable_.emplace(gpu, memory, bytes_, granularity, CU_MEM_ACCESS_FLAGS_PROT_READ);
    // The mappings keep the memory.
    gpu.check(driver.cuMemRelease(memory), "release memory");
  }

  CUdeviceptr address() const { return writable_->mapped(); }
  CUdeviceptr read_only_address() const { return readable_->mapped(); }
  std::size_t bytes() const { return bytes_; }
  bool is_smallest() const { return is_smallest_; }

 private:
  std::size_t bytes_ = 0;
  bool is_smallest_ = false;
  std::optional<Mapping> writable_, readable_;
};

namespace {

// At the end of its memory a buffer has this alignment; no vector type needs more. At the
// start it has that of the memory.
constexpr std::size_t kAlignment = 32;

// A buffer between two zones with a known pattern.
class ZonedBuffer final : public DeviceBuffer {
 public:
  ZonedBuffer(Gpu& gpu, GuardPattern pattern, DeviceMemory memory = {}, std::size_t capacity = 0)
      : gpu_(gpu), pattern_(pattern), memory_(std::move(memory)), capacity_(capacity) {}

  std::uintptr_t address() const override { return memory_.get() + kGuardBytes; }
  std::size_t bytes() const override { return bytes_; }

  Result<void, Failure> place(std::size_t bytes, Placement) override {
    if (memory_.get() == 0 || bytes > capacity_) {
      memory_ = {};
      capacity_ = rounded_to_guards(bytes);
      memory_ = gpu_.allocate(capacity_ + 2 * kGuardBytes);
    }
    bytes_ = bytes;
    fill_guards();
    if (auto failure = gpu_.take_failure()) return *failure;
    return {};
  }

  Result<std::optional<std::string>, Failure> take_violation() override {
    std::array<std::byte, kGuardBytes> front{}, back{};
    gpu_.download(front, memory_.get());
    gpu_.download(back, end());
    if (!gpu_.wait(kOwnLimitS)) return ran_too_long(kOwnLimitS);
    if (auto failure = gpu_.take_failure()) return *failure;
    const auto before = guard_violation(front, pattern_), after = guard_violation(back, pattern_);
    if (!before && !after) return std::optional<std::string>();
    fill_guards();
    if (after) return std::optional(format_byte_count(*after) + " past its end");
    // The nearest write explains the mistake. The zone shows only the farthest.
    return std::optional("up to " + format_byte_count(kGuardBytes - *before) + " before its beginning");
  }

 private:
  CUdeviceptr end() const { return address() + bytes_; }

  void fill_guards() {
    std::array<std::byte, kGuardBytes> zone{};
    fill_guard(zone, pattern_);
    gpu_.upload(memory_.get(), zone);
    gpu_.upload(end(), zone);
  }

  Gpu& gpu_;
  GuardPattern pattern_;
  DeviceMemory memory_;  // with the zones
  std::size_t bytes_ = 0, capacity_ = 0;
};

// A buffer at the end or the start of memory that ends at unmapped addresses. At the end, the bytes that its
// size lacks to a multiple of the alignment are a zone with a pattern.
class MappedBuffer final : public DeviceBuffer {
 public:
  MappedBuffer(CudaDevice& device, GuardPattern pattern) : device_(device), pattern_(pattern) {}
  ~MappedBuffer() override { device_.keep_for_later(std::move(memory_)); }

  std::uintptr_t address() const override { return memory_->address() + offset_; }
  std::uintptr_t read_only_address() const override { return memory_->read_only_address() + offset_; }
  std::size_t bytes() const override { return bytes_; }

  Result<void, Failure> place(std::size_t bytes, Placement placement) override {
    Gpu& gpu = device_.gpu();
    const bool is_new = memory_ == nullptr || rounded_up(bytes) > memory_->bytes();
    if (is_new) {
      device_.keep_for_later(std::move(memory_));  // before there is other memory
      auto memory = device_.guarded_memory(rounded_up(bytes));
      if (auto failure = gpu.take_failure()) return *failure;
      memory_ = std::move(memory);
    }
    const std::size_t before = offset_;
    offset_ = placement == Placement::at_start ? 0 : memory_->bytes() - rounded_up(bytes);
    if (!is_new && bytes == bytes_ && offset_ != before) {
      device_.move(address(), memory_->address() + before, bytes);
    }
    bytes_ = bytes;
    fill_zone();
    if (auto failure = gpu.take_failure()) return *failure;
    return {};
  }

  Result<std::optional<std::string>, Failure> take_violation() override {
    std::array<std::byte, kAlignment> bytes{};
    const auto zone = std::span(bytes).first(zone_bytes());
    if (zone.empty()) return std::optional<std::string>();
    Gpu& gpu = device_.gpu();
    gpu.download(zone, address() + bytes_);
    if (!gpu.wait(kOwnLimitS)) return ran_too_long(kOwnLimitS);
    if (auto failure = gpu.take_failure()) return *failure;
    const auto after = guard_violation(zone, pattern_);
    if (!after) return std::optional<std::string>();
    fill_zone();
    return std::optional(format_byte_count(*after) + " past its end");
  }

 private:
  static std::size_t rounded_up(std::size_t bytes) {
    return (bytes + kAlignment - 1) / kAlignment * kAlignment;
  }
  std::size_t zone_bytes() const { return rounded_up(bytes_) - bytes_; }

  void fill_zone() {
    std::array<std::byte, kAlignment> bytes{};
    const auto zone = std::span(bytes).first(zone_bytes());
    fill_guard(zone, pattern_);
    device_.gpu().upload(address() + bytes_, zone);
  }

  CudaDevice& device_;
  GuardPattern pattern_;
  std::shared_ptr<GuardedMemory> memory_;
  std::size_t bytes_ = 0, offset_ = 0;
};

// Mapping memory takes longer than all else that is done with small buffers.
constexpr std::size_t kMostForLater = 256;

}  // namespace

std::shared_ptr<GuardedMemory> CudaDevice::guarded_memory(std::size_t bytes) {
  if (!for_later_.empty() && bytes <= for_later_.back()->bytes()) {
    auto memory = std::move(for_later_.back());
    for_later_.pop_back();
    gpu_->fill(memory->address(), 0, memory->bytes());
    return memory;
  }
  if (!for_later_.empty() && bytes + bytes / 8 > gpu_->free_bytes()) for_later_.clear();
  return std::make_shared<GuardedMemory>(*gpu_, bytes);
}

std::size_t CudaDevice::bytes_for_later() const {
  return for_later_.empty() ? 0 : for_later_.size() * for_later_.back()->bytes();
}

void CudaDevice::keep_for_later(std::shared_ptr<GuardedMemory> memory) {
  if (memory && memory->is_smallest() && for_later_.size() < kMostForLater && gpu_->ok())
    for_later_.push_back(std::move(memory));
}

bool can_guard_memory(Gpu& gpu) {
  int supported = 0;
  const CUresult code = gpu.driver().cuDeviceGetAttribute(
      &supported, CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED, gpu.device());
  return code == CUDA_SUCCESS && supported != 0;
}

std::unique_ptr<DeviceBuffer> make_mapped_buffer(CudaDevice& device, GuardPattern pattern) {
  return std::make_unique<MappedBuffer>(device, pattern);
}

std::unique_ptr<DeviceBuffer> make_zoned_buffer(Gpu& gpu, GuardPattern pattern) {
  return std::make_unique<ZonedBuffer>(gpu, pattern);
}

std::unique_ptr<DeviceBuffer> make_zoned_buffer(Gpu& gpu, GuardPattern pattern, CUdeviceptr memory,
                                                std::size_t capacity) {
  const auto keep = [](CUdeviceptr) { return CUDA_SUCCESS; };
  return std::make_unique<ZonedBuffer>(gpu, pattern, DeviceMemory(memory, keep), capacity);
}

}  // namespace gktune
