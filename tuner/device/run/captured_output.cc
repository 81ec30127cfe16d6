#include "tuner/device/run/captured_output.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <iostream>

namespace gktune {
namespace {

constexpr off_t kMostBytes = 1 << 16;

// A file of fixed size: writes beyond its end fail.
int bounded_file() {
  const int file = ::memfd_create("gktune-output", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (file < 0) return file;
  if (::ftruncate(file, kMostBytes) == 0 && ::fcntl(file, F_ADD_SEALS, F_SEAL_GROW) == 0) return file;
  ::close(file);
  return -1;
}

}  // namespace

CapturedOutput::CapturedOutput(Streams streams) : file_(bounded_file()) {
  if (file_ < 0) return;
  std::fflush(nullptr);
  for (int i = 0; i < (streams == Streams::output ? 1 : 2); ++i) {
    saved_[i] = ::dup(i + 1);
    if (saved_[i] >= 0) ::dup2(file_, i + 1);
  }
}

CapturedOutput::~CapturedOutput() {
  const std::string all = text();
  for (int i = 0; i < 2; ++i) {
    if (saved_[i] < 0) continue;
    ::dup2(saved_[i], i + 1);
    ::close(saved_[i]);
  }
  if (file_ >= 0) ::close(file_);
  // The streams remember a write beyond the bound.
  std::clearerr(stdout);
  std::cout.clear();
  std::fwrite(all.data(), 1, all.size(), stdout);
  std::fflush(stdout);
}

std::string CapturedOutput::text() const {
  if (file_ < 0) return {};
  std::fflush(nullptr);
  std::string text(static_cast<std::size_t>(kMostBytes), '\0');
  const off_t written = ::lseek(file_, 0, SEEK_CUR);
  const ssize_t size = written <= 0 ? 0 : ::pread(file_, text.data(), static_cast<std::size_t>(written), 0);
  text.resize(size > 0 ? static_cast<std::size_t>(size) : 0);
  return text;
}

}  // namespace gktune
