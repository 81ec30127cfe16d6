#include "tuner/device/worker/run_folder.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <cerrno>
#include <string>
#include <system_error>

namespace gktune {
namespace {

namespace fs = std::filesystem;

constexpr const char* kPrefix = "run-";
constexpr const char* kLock = "lock";

// The lock file, locked by this process. Not open if another process holds the lock.
FileDescriptor locked(const fs::path& folder) {
  FileDescriptor file(::open((folder / kLock).c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!file.is_open() || ::flock(file.number(), LOCK_EX | LOCK_NB) == 0) return file;
  const int reason = errno;
  file.close();
  errno = reason;
  return file;
}

// Another run may have removed it before it was locked.
bool is_still_there(const FileDescriptor& file) {
  struct stat status {};
  return ::fstat(file.number(), &status) == 0 && status.st_nlink > 0;
}

void remove_folders_of_dead_processes(const fs::path& parent) {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(parent, error)) {
    if (!entry.path().filename().string().starts_with(kPrefix)) continue;
    std::error_code ignored;
    if (!entry.is_directory(ignored) || entry.is_symlink(ignored)) continue;
    const FileDescriptor lock = locked(entry.path());
    // A process that dies may still write there: a later run removes the rest.
    if (lock.is_open()) fs::remove_all(entry.path(), ignored);
  }
}

}  // namespace

Result<RunFolder> RunFolder::make(const fs::path& parent) {
  remove_folders_of_dead_processes(parent);
  constexpr int kTries = 100;
  std::string why = "other runs remove it";
  for (int i = 0; i < kTries; ++i) {
    std::string path = (parent / (std::string(kPrefix) + "XXXXXX")).string();
    if (::mkdtemp(path.data()) == nullptr) {
      why = std::generic_category().message(errno);
      break;
    }
    errno = 0;
    FileDescriptor lock = locked(path);
    if (lock.is_open() && is_still_there(lock)) return RunFolder(path, std::move(lock));
    if (!lock.is_open() && errno != EWOULDBLOCK && errno != ENOENT) {
      why = std::generic_category().message(errno);
      std::error_code ignored;
      fs::remove_all(path, ignored);
      break;
    }
  }
  return Error{"cannot make a folder for temporary files in " + parent.string() + ": " + why};
}

RunFolder::~RunFolder() {
  if (!lock_.is_open()) return;
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

}  // namespace gktune
