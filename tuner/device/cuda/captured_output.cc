#include "tuner/device/cuda/captured_output.h"

#include <sys/mman.h>
#include <unistd.h>

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
  const std::string all = text();
  for (int i = 0; i < 2; ++i) {
    if (saved_[i] < 0) continue;
    dup2(saved_[i], i + 1);
    close(saved_[i]);
  }
  if (file_ >= 0) close(file_);
  std::fwrite(all.data(), 1, all.size(), stdout);
  std::fflush(stdout);
}

// The beginning is enough: a kernel can print without end.
std::string CapturedOutput::text() const {
  std::fflush(nullptr);
  std::string text(std::size_t{1} << 16, '\0');
  const ssize_t size = file_ < 0 ? 0 : pread(file_, text.data(), text.size(), 0);
  text.resize(size > 0 ? static_cast<std::size_t>(size) : 0);
  return text;
}

std::string CapturedOutput::line_with(const std::string& words) const {
  const std::string all = text();
  const auto at = all.find(words);
  if (at == std::string::npos) return {};
  const auto before = all.rfind('\n', at);
  const auto first = before == std::string::npos ? 0 : before + 1;
  return all.substr(first, all.find('\n', at) - first);
}

}  // namespace gktune
