#include "tuner/core/output_file.h"

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <ostream>
#include <vector>

#include "tuner/core/system_error.h"
#include "tuner/core/whole_file.h"

namespace gktune {
namespace {

namespace fs = std::filesystem;

// Each link on the way, and the file that the last one names.
std::vector<fs::path> way_to(fs::path path) {
  constexpr int kMostLinks = 40;  // as the system has it
  std::error_code error;
  std::vector<fs::path> way = {path};
  for (int i = 0; i < kMostLinks && fs::is_symlink(path, error); ++i) {
    path = path.parent_path() / fs::read_symlink(path, error);  // an absolute target replaces the folder
    way.push_back(path);
  }
  return way;
}

// No file can take the place of a device, a pipe, or an entry of /proc. /dev/stdout names the latter,
// whatever standard output is.
bool is_written_directly(const fs::path& path) {
  const bool is_of_system = std::ranges::any_of(way_to(path), [](const fs::path& each) {
    std::error_code error;
    const fs::path folder = fs::absolute(each, error).lexically_normal().parent_path();
    return folder == "/dev" || folder == "/dev/fd" || folder.string().starts_with("/proc/");
  });
  std::error_code error;
  return is_of_system || (fs::exists(path, error) && !fs::is_regular_file(path, error));
}

// Remembers the reason of the first write that failed.
class OutputBuffer : public std::filebuf {
 public:
  int reason() const { return reason_; }

 protected:
  int_type overflow(int_type c) override {
    const int_type result = std::filebuf::overflow(c);
    if (traits_type::eq_int_type(result, traits_type::eof())) note();
    return result;
  }
  std::streamsize xsputn(const char* text, std::streamsize size) override {
    const std::streamsize written = std::filebuf::xsputn(text, size);
    if (written < size) note();
    return written;
  }

 private:
  void note() {
    if (reason_ == 0) reason_ = errno;
  }

  int reason_ = 0;
};

Error not_written(const fs::path& path, int reason) {
  return Error{"cannot write " + path.string() + (reason == 0 ? "" : ": " + system_reason(reason))};
}

}  // namespace

fs::path target_of(fs::path path) { return way_to(std::move(path)).back(); }

Result<void> check_output(const fs::path& path) {
  std::error_code error;
  if (fs::is_directory(path, error)) return Error{path.string() + " is a folder"};
  if (is_database(path)) return Error{path.string() + " is a database, which is not replaced"};
  return {};
}

Result<void> write_output(const fs::path& path, const std::function<Result<void>(std::ostream&)>& write) {
  if (auto checked = check_output(path); !checked) return checked;
  const bool is_direct = is_written_directly(path);
  const fs::path target = is_direct ? path : target_of(path);
  const fs::path written = is_direct ? path : unfinished_path(target);
  OutputBuffer buffer;
  errno = 0;
  if (buffer.open(written, std::ios::out | std::ios::binary | std::ios::trunc) == nullptr)
    return not_written(path, errno);
  std::ostream stream(&buffer);
  Result<void> result = write(stream);
  errno = 0;
  const bool is_closed = buffer.close() != nullptr;
  if (result && (!stream || !is_closed))
    result = not_written(path, buffer.reason() != 0 ? buffer.reason() : errno);
  if (is_direct) return result;
  std::error_code error;
  if (result) {
    fs::rename(written, target, error);
    if (error) result = not_written(path, error.value());
  }
  if (!result) fs::remove(written, error);
  return result;
}

Result<void> write_output(const fs::path& path, std::string_view bytes) {
  return write_output(path, [bytes](std::ostream& stream) -> Result<void> {
    stream.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    return {};
  });
}

}  // namespace gktune
