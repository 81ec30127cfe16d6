#include "tuner/device/cuda/captured_output.h"

#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cstdio>

namespace gktune {

CapturedOutput::CapturedOutput() : file_(memfd_create("gktune-output", MFD_CLOEXEC)) {
  if (file_ < 0) return;
  std::fflush(nullptr);
  for (int i = 0; i < 2; ++i) {
    saved_[i] = dup(i + 1);
    if (saved_[i] >= 0) dup2(file_, i + 1);
  }
}

CapturedOutput::~CapturedOutput() {
  std::fflush(nullptr);
  for (int i = 0; i < 2; ++i) {
    if (saved_[i] < 0) continue;
    dup2(saved_[i], i + 1);
    close(saved_[i]);
  }
  if (file_ >= 0) close(file_);
}

std::string CapturedOutput::line_with(const std::string& words) const {
  std::fflush(nullptr);
  std::array<char, 1 << 16> start{};  // the first lines will do
  const ssize_t size = file_ < 0 ? 0 : pread(file_, start.data(), start.size(), 0);
  const std::string text(start.data(), size > 0 ? static_cast<std::size_t>(size) : 0);
  const auto at = text.find(words);
  if (at == std::string::npos) return {};
  const auto before = text.rfind('\n', at);
  const auto first = before == std::string::npos ? 0 : before + 1;
  return text.substr(first, text.find('\n', at) - first);
}

}  // namespace gktune
