#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

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

  // Gives the block this many bytes, aligned to 16.
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

// Stacks of one size with an inaccessible page below each, made as they are asked for and kept.
class StackPool {
 public:
  explicit StackPool(std::size_t stack_bytes);
  StackPool(const StackPool&) = delete;
  StackPool& operator=(const StackPool&) = delete;
  ~StackPool();

  // The top of the stack of that number; null when there is no memory for it. Stacks grow down from it.
  void* top(std::size_t index);
  std::size_t size_bytes() const { return stack_bytes_; }
  // True for an address in one of the stacks.
  bool holds(const void* address) const;
  // True for an address in the page below one of the stacks.
  bool is_overflow(const void* address) const;

 private:
  // Stacks that are mapped together, each above its inaccessible page.
  static constexpr std::size_t kStacksPerMapping = 64;

  bool add_mapping();
  std::size_t bytes_per_stack() const;
  std::size_t mapping_bytes() const { return kStacksPerMapping * bytes_per_stack(); }
  // The distance of an address from the page below the stack that it belongs to; none outside all mappings.
  std::optional<std::size_t> offset(const void* address) const;

  std::size_t stack_bytes_;
  std::vector<std::byte*> mappings_;
};

}  // namespace gktune
