#include "tuner/device/worker/folders.h"

#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <system_error>

namespace gktune {
namespace {

namespace fs = std::filesystem;

std::error_code system_error(int number) { return {number, std::generic_category()}; }

Error cannot_use(const fs::path& path, const std::error_code& error) {
  return {"cannot write compiled code to " + path.string() + ": " + error.message()};
}

// The group that has the user's name and no other member: many systems give each user one, and let it write.
bool is_own_group(gid_t group) {
  if (group != ::getegid()) return false;
  const passwd* user = ::getpwuid(::geteuid());
  if (user == nullptr || user->pw_gid != group) return false;
  const std::string name = user->pw_name;
  const struct group* entry = ::getgrgid(group);
  if (entry == nullptr || name != entry->gr_name) return false;
  for (char** member = entry->gr_mem; *member != nullptr; ++member) {
    if (name != *member) return false;
  }
  return true;
}

std::string name_of(uid_t user) {
  const passwd* entry = ::getpwuid(user);
  return entry != nullptr ? entry->pw_name : "user " + std::to_string(user);
}

// The reason why others could put code below the folder. Empty if only this user and root can.
std::string danger_of(const fs::path& path, const struct stat& status, bool is_parent) {
  if (status.st_uid != ::geteuid() && status.st_uid != 0) {
    return path.string() + " belongs to " + name_of(status.st_uid);
  }
  if (is_parent && (status.st_mode & S_ISVTX) != 0) return {};
  if ((status.st_mode & S_IWOTH) != 0) return "everyone can write to " + path.string();
  if ((status.st_mode & S_IWGRP) != 0 && !is_own_group(status.st_gid)) {
    return "a group can write to " + path.string();
  }
  return {};
}

// Makes the folder if it is missing, and says what keeps it from being used.
std::error_code make(const fs::path& path, struct stat& status) {
  const int reason = ::mkdir(path.c_str(), 0700) == 0 ? 0 : errno;
  // A file system that cannot be written to says so before it says that the folder exists.
  if (::stat(path.c_str(), &status) != 0) return system_error(reason != 0 ? reason : errno);
  return S_ISDIR(status.st_mode) ? std::error_code() : system_error(ENOTDIR);
}

}  // namespace

Result<fs::path> make_private_folder(const fs::path& path) {
  if (path.empty()) {
    return Error{
        "there is no folder for compiled code: neither HOME nor XDG_CACHE_HOME is set to an absolute path"};
  }
  std::error_code error;
  const fs::path all = fs::weakly_canonical(fs::absolute(path, error), error);
  if (error) return cannot_use(path, error);
  fs::path made;
  for (const fs::path& part : all) {
    if (part.empty()) continue;  // after a slash at the end
    made /= part;
    struct stat status {};
    if ((error = make(made, status))) return cannot_use(path, error);
    const bool is_parent = made != all && made / "" != all;
    // Check a folder before making another one in it.
    const std::string danger = danger_of(made, status, is_parent);
    if (!danger.empty()) {
      return Error{"the folder for compiled code is not safe: " + danger + ", and code is loaded from " +
                   (is_parent ? "a folder in it" : "it")};
    }
  }
  if (::faccessat(AT_FDCWD, made.c_str(), W_OK | X_OK, AT_EACCESS) != 0) {
    return cannot_use(path, system_error(errno));
  }
  // A link that appeared in the meantime was made by this user or root.
  const fs::path canonical = fs::canonical(made, error);
  if (error) return cannot_use(path, error);
  return canonical;
}

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
