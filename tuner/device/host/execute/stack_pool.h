#pragma once

#include <cstddef>
#include <vector>

namespace gktune {

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
  std::size_t stack_bytes_;
  std::vector<std::byte*> bases_;
};

}  // namespace gktune
