#pragma once

#include <cstddef>
#include <span>

namespace gktune {

// The dynamic shared memory of the block that runs. It ends at an inaccessible page, so
// that reading past it is found.
class SharedMemory {
 public:
  static constexpr std::size_t kMaxBytes = 227 * 1024;

  SharedMemory();
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;
  ~SharedMemory();

  // So many bytes, aligned to 16.
  void* take(std::size_t bytes);
  std::span<const std::byte> taken() const;
  // True for an address in the area of shared memory or in the page behind it.
  bool holds(const void* address) const;
  // Distance of the address past the end of the memory in use; -1 for an address elsewhere.
  long bytes_past_end(const void* address) const;

 private:
  std::byte* memory_;
  std::byte* end_;  // of what is accessible
  std::size_t bytes_ = 0;
};

}  // namespace gktune
