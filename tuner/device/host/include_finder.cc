#include "tuner/device/host/include_finder.h"

namespace gktune {
namespace {

std::string_view skip_blanks(std::string_view text) {
  const std::size_t at = text.find_first_not_of(" \t");
  return at == std::string_view::npos ? std::string_view() : text.substr(at);
}

}  // namespace

std::optional<IncludeName> parse_include(std::string_view directive) {
  constexpr std::string_view kInclude = "include";
  directive = skip_blanks(directive);
  if (!directive.starts_with(kInclude)) return std::nullopt;
  directive = skip_blanks(directive.substr(kInclude.size()));
  if (directive.empty() || (directive[0] != '"' && directive[0] != '<')) return std::nullopt;
  const bool is_quoted = directive[0] == '"';
  const std::size_t end = directive.find(is_quoted ? '"' : '>', 1);
  if (end == std::string_view::npos) return std::nullopt;
  return IncludeName{std::string(directive.substr(1, end - 1)), is_quoted};
}

std::optional<std::filesystem::path> IncludeFinder::find(const IncludeName& name,
                                                         const std::filesystem::path& includer) const {
  std::error_code ignored;
  const auto is_there = [&](const std::filesystem::path& path) {
    return std::filesystem::is_regular_file(path, ignored);
  };
  if (name.is_quoted) {
    if (std::filesystem::path beside = includer.parent_path() / name.path; is_there(beside)) return beside;
  }
  for (const std::string& dir : include_dirs_) {
    if (std::filesystem::path path = std::filesystem::path(dir) / name.path; is_there(path)) return path;
  }
  return std::nullopt;
}

}  // namespace gktune
