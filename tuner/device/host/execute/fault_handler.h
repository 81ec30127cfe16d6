#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace gktune {

// Reports fatal signals to the parent, with block, thread and line; then the process ends. When the parent
// sends kQuestionSignal, a thread that runs a candidate reports its place and ends the process. Nothing
// happens if none does, or if a fault is being reported.
void set_fault_handlers();

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

// The addresses of compiled code.
struct CodeRange {
  std::uintptr_t begin = 0, end = 0;
};
// The code of a library opened by dlopen.
CodeRange code_of(void* library);

// Marks code as the running candidate's while this object lives. One at a time.
class CodeAtWork {
 public:
  explicit CodeAtWork(CodeRange code);
  CodeAtWork(const CodeAtWork&) = delete;
  CodeAtWork& operator=(const CodeAtWork&) = delete;
  ~CodeAtWork();
};

}  // namespace gktune
