#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gktune {

// An #include directive: what it names, and how.
struct IncludeName {
  std::string path;
  bool is_quoted = false;
};

// What a line after its "#" includes; none where it is another directive, or names its file by a macro.
std::optional<IncludeName> parse_include(std::string_view directive);

// Where the files that a source includes lie.
class IncludeFinder {
 public:
  explicit IncludeFinder(std::vector<std::string> include_dirs) : include_dirs_(std::move(include_dirs)) {}

  // The user's own file of that name; none for a header of the system or of this project.
  std::optional<std::filesystem::path> find(const IncludeName& name,
                                            const std::filesystem::path& includer) const;

 private:
  std::vector<std::string> include_dirs_;
};

}  // namespace gktune
