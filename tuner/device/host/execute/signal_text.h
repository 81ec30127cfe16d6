#pragma once

#include <algorithm>
#include <cstdarg>
#include <cstddef>
#include <cstdio>

#include "tuner/device/host/execute/block_runner.h"

namespace gktune {

// Text of limited length, made without allocating: for signal handlers.
class SignalText {
 public:
  __attribute__((format(printf, 2, 3))) void add(const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    const int count = std::vsnprintf(text_ + length_, sizeof(text_) - length_, format, arguments);
    va_end(arguments);
    if (count > 0) length_ = std::min(sizeof(text_) - 1, length_ + static_cast<std::size_t>(count));
  }
  // The same, set off from what is there already.
  void add_item(const char* item) {
    if (item[0] != '\0') add("%s%s", length_ > 0 ? ", " : "", item);
  }
  // Names the kernel thread that the calling thread runs, if any: "block (3,0,0), thread (17,0,0)".
  void add_kernel_thread() {
    if (BlockRunner::current() == nullptr) return;
    const kernel::uint3 block = gktune_thread.block_index, thread = gktune_thread.self.index;
    add("%sblock (%u,%u,%u), thread (%u,%u,%u)", length_ > 0 ? ", " : "", block.x, block.y, block.z, thread.x,
        thread.y, thread.z);
  }
  const char* str() const { return text_; }

 private:
  char text_[1024] = "";
  std::size_t length_ = 0;
};

}  // namespace gktune
