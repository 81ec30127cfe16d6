#include "tuner/space/space_file.h"

#include <optional>
#include <utility>

#include "tuner/core/text.h"
#include "tuner/space/reader/definition_reader.h"
#include "tuner/space/reader/error_list.h"
#include "tuner/space/reader/yaml_document.h"

namespace gktune {
Result<Definition, std::vector<Diagnostic>> read_space_file(const std::string& path,
                                                            const ReadOptions& options) {
  const auto text = read_whole_file(path);
  if (text && language_of(path) == Language::cuda)
    return std::vector{Diagnostic{.file = path,
                                  .message = "this is a source, not a space file",
                                  .hint = "gktune import " + path + " writes a first space file",
                                  .source_line = {}}};
  if (!text)
    return std::vector{
        Diagnostic{.file = path, .message = text.error().message, .hint = {}, .source_line = {}}};
  return read_space_text(*text, path, options, read_whole_file);
}

Result<Definition, std::vector<Diagnostic>> read_space_text(std::string_view text, const std::string& path,
                                                            const ReadOptions& options,
                                                            const FileReader& files) {
  text = without_byte_order_mark(text);
  ErrorList errors(path, text);
  const YamlDocument document = parse_yaml(text);
  for (const YamlError& error : document.errors) errors.add_at(error.offset, error.length, error.message);
  // A text that is no YAML has no keys that could be missing.
  const bool is_readable = document.errors.empty() || document.root.kind == YamlNode::Kind::map;
  if (!is_readable) return std::move(errors).take();
  DefinitionReader reader(path, options, files, errors);
  Definition definition = reader.read(document.root);
  if (!errors.empty()) return std::move(errors).take();
  definition.warnings = errors.take_warnings();
  return definition;
}

namespace {

// The part of the source between the marks of its first comment; nothing if that is no block.
std::optional<std::pair<std::size_t, std::size_t>> find_block(std::string_view source) {
  constexpr std::string_view kMark = "/* gktune";
  std::size_t begin = 0;
  while (begin != source.npos) {  // skips blank lines and comments of one line
    begin = source.find_first_not_of(" \t\r\n", begin);
    if (begin == source.npos || !source.substr(begin).starts_with("//")) break;
    begin = source.find('\n', begin);
  }
  if (begin == source.npos || !source.substr(begin).starts_with(kMark)) return std::nullopt;
  begin += kMark.size();
  const std::size_t line = source.find_first_not_of(" \t\r", begin), end = source.find("*/", begin);
  if (line == source.npos || source[line] != '\n' || end == source.npos || end < line) return std::nullopt;
  return std::pair(line, end);
}

}  // namespace

Result<Definition, std::vector<Diagnostic>> read_candidate_file(const std::string& path,
                                                                const Definition& space,
                                                                const ReadOptions& options) {
  auto text = read_whole_file(path);
  if (!text)
    return std::vector{
        Diagnostic{.file = path, .message = text.error().message, .hint = {}, .source_line = {}}};
  ErrorList errors(path, *text);
  const auto block = find_block(*text);
  if (!block) {
    errors.add_at(
        0, 1, "the source does not begin with a block of gktune",
        "/* gktune, a line for each key, such as launches: {entry: f, grid: n, block: 256, arguments: "
        "[in, out]}, and */");
    return std::move(errors).take();
  }
  // Blanks in place of all else: the places in the block are those in the file.
  std::string document(*text);
  for (std::size_t i = 0; i < document.size(); ++i)
    if ((i < block->first || i >= block->second) && document[i] != '\n') document[i] = ' ';
  YamlDocument parsed = parse_yaml(document);
  for (const YamlError& error : parsed.errors) errors.add_at(error.offset, error.length, error.message);
  if (!errors.empty()) return std::move(errors).take();
  if (parsed.root.kind == YamlNode::Kind::null) parsed.root.offset = block->first;
  const FileReader files = read_whole_file;
  DefinitionReader reader(path, options, files, errors);
  Definition definition = reader.read_candidate(parsed.root, *text, space);
  if (!errors.empty()) return std::move(errors).take();
  definition.warnings = errors.take_warnings();
  return definition;
}

}  // namespace gktune
