#pragma once

#include <cstddef>
#include <optional>
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
