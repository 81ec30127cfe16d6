#pragma once

#include <cstdint>

namespace gktune {

// Told where a candidate is: "block (0,0,0), thread (5,0,0), reduce.cu:42", or nothing where that cannot be
// said. Runs inside a signal handler, after which the process ends.
using WhereaboutsCallback = void (*)(const char* where);

// From now on that signal, sent to the process by its parent, has a thread tell where it is that is at work
// on a candidate. Where none is, or a fault is being told of, nothing happens.
void set_whereabouts_handler(int signal, WhereaboutsCallback callback);

// Where compiled code lies.
struct CodeRange {
  std::uintptr_t begin = 0, end = 0;
};
// Of a library that dlopen has given this handle to.
CodeRange code_of(void* library);

// Makes it a candidate's code that is at work, for as long as it lives. One at a time.
class CodeAtWork {
 public:
  explicit CodeAtWork(CodeRange code);
  CodeAtWork(const CodeAtWork&) = delete;
  CodeAtWork& operator=(const CodeAtWork&) = delete;
  ~CodeAtWork();
};

}  // namespace gktune
