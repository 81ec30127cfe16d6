#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "tuner/core/trial.h"

namespace gktune {

// Told of a death in the act: a bad address, an abort. Runs inside a signal handler, after which the process
// ends.
using FaultCallback = void (*)(Status status, const char* message);

// From now on deaths by signal are told to the callback first, with the block, thread and line they happened
// in.
void set_fault_handler(FaultCallback callback);

// Whether a fault is being told of: the process is as good as ended. For signal handlers.
bool is_fault_told();

// Memory that messages may name: "4 bytes past the end of ‘in’".
struct NamedMemory {
  std::string name;
  const void* begin = nullptr;
  std::size_t bytes = 0;
  std::span<const std::byte> room = {};  // around it, and nobody else's
};

// Names memory for as long as it lives. One at a time.
class MemoryNames {
 public:
  explicit MemoryNames(std::vector<NamedMemory> names);
  MemoryNames(const MemoryNames&) = delete;
  MemoryNames& operator=(const MemoryNames&) = delete;
  ~MemoryNames();

 private:
  std::vector<NamedMemory> names_;
};

// The stack that the calling thread handles its faults on, so that an overflown stack can be told of too.
class FaultStack {
 public:
  FaultStack();
  FaultStack(const FaultStack&) = delete;
  FaultStack& operator=(const FaultStack&) = delete;
  ~FaultStack();

 private:
  std::unique_ptr<std::byte[]> memory_;
};

}  // namespace gktune
