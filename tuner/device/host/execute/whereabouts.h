#pragma once

#include <cstdint>

namespace gktune {

// Receives the place of a candidate: "block (0,0,0), thread (5,0,0), reduce.cu:42", or an empty text if it is
// unknown. Runs inside a signal handler; then the process ends.
using WhereaboutsCallback = void (*)(const char* where);

// When the parent sends this signal, a thread that runs a candidate reports its place. Nothing happens if
// none does, or if a fault is being reported.
void set_whereabouts_handler(int signal, WhereaboutsCallback callback);

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
