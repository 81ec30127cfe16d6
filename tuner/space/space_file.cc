#include "tuner/space/space_file.h"

#include <filesystem>
#include <fstream>
#include <system_error>

#include "tuner/space/reader/complaints.h"
#include "tuner/space/reader/definition_reader.h"
#include "tuner/space/reader/yaml_document.h"

namespace gktune {
namespace {

constexpr std::size_t kLargestSource = 16 << 20;
constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

}  // namespace

Result<std::string> read_whole_file(const std::string& path) {
  std::error_code failure;
  const auto status = std::filesystem::status(path, failure);
  if (status.type() == std::filesystem::file_type::not_found) return Error{"there is no such file"};
  if (failure) return Error{failure.message()};
  if (status.type() == std::filesystem::file_type::directory) return Error{"it is a directory"};
  if (status.type() != std::filesystem::file_type::regular) return Error{"it is not a regular file"};
  std::ifstream stream(path, std::ios::binary);
  if (!stream) return Error{"it cannot be opened"};
  std::string text;
  char buffer[1 << 16];
  while (stream.read(buffer, sizeof buffer) || stream.gcount() > 0) {
    text.append(buffer, static_cast<std::size_t>(stream.gcount()));
    if (text.size() > kLargestSource)
      return Error{"it has more than " + std::to_string(kLargestSource) + " bytes"};
  }
  if (stream.bad()) return Error{"it cannot be read"};
  return text;
}

Result<Definition, std::vector<Diagnostic>> read_space_file(const std::string& path,
                                                            const ReadOptions& options) {
  const auto text = read_whole_file(path);
  if (!text)
    return std::vector{
        Diagnostic{.file = path, .message = text.error().message, .hint = {}, .source_line = {}}};
  return read_space_text(*text, path, options, read_whole_file);
}

Result<Definition, std::vector<Diagnostic>> read_space_text(std::string_view text, const std::string& path,
                                                            const ReadOptions& options,
                                                            const FileReader& files) {
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  Complaints complaints(path, text);
  const YamlDocument document = parse_yaml(text);
  for (const YamlError& error : document.errors) complaints.add_at(error.offset, error.length, error.message);
  // A text that is no YAML has no keys that could be missing.
  const bool is_readable = document.errors.empty() || document.root.kind == YamlNode::Kind::map;
  if (!is_readable) return std::move(complaints).take();
  DefinitionReader reader(path, options, files, complaints);
  Definition definition = reader.read(document.root);
  if (!complaints.empty()) return std::move(complaints).take();
  return definition;
}

}  // namespace gktune
