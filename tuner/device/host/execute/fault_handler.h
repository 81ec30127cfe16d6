#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "tuner/core/trial.h"

namespace gktune {

// Receives a fatal error such as a bad address or an abort. Runs inside a signal
// handler; then the process ends.
using FaultCallback = void (*)(Status status, const char* message);

// Reports fatal signals to the callback, with block, thread and line.
void set_fault_handler(FaultCallback callback);

// True once a fault is being reported: the process is about to end. For signal handlers.
bool is_fault_reported();

// Memory that messages may name: "4 bytes past the end of ‘in’".
struct NamedMemory {
  std::string name;
  const void* begin = nullptr;
  std::size_t bytes = 0;
  std::span<const std::byte> room = {};  // around it, used by nothing else
  bool is_unwritten = false;             // its contents mean nothing until a kernel writes them
  bool is_input = false;                 // kernels may not write it
};

// Names memory while this object lives. One at a time.
class MemoryNames {
 public:
  explicit MemoryNames(std::vector<NamedMemory> names);
  MemoryNames(const MemoryNames&) = delete;
  MemoryNames& operator=(const MemoryNames&) = delete;
  ~MemoryNames();

 private:
  std::vector<NamedMemory> names_;
};

// The stack for the calling thread's signal handlers, which makes stack overflows reportable.
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
