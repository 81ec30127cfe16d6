#pragma once

#include <cstddef>
#include <span>

namespace gktune {

// The dynamic shared memory of the block that runs. It ends at an inaccessible page, so that reading past it
// is found.
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
  // Whether the address lies where shared memory may be taken, or at the page behind.
  bool holds(const void* address) const;
  // How far past the end of what was taken the address lies; -1 for one that has nothing to do with it.
  long bytes_past_end(const void* address) const;

 private:
  std::byte* memory_;
  std::byte* end_;  // of what is accessible
  std::size_t bytes_ = 0;
};

}  // namespace gktune
