#include "tuner/space/space_file.h"

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

}  // namespace gktune
