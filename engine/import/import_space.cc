#include "engine/import/import_space.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/algorithm/string/predicate.hpp>
#include <cctype>

#include "tuner/core/files.h"
#include "tuner/core/text.h"
#include "tuner/source/flat_source.h"
#include "tuner/source/signatures.h"

namespace gktune {
namespace {

// The path of a file as a space file in this folder names it.
std::string path_from(const std::filesystem::path& folder, const std::filesystem::path& path) {
  namespace fs = std::filesystem;
  std::error_code error;
  const fs::path relative =
      fs::proximate(fs::absolute(path, error), fs::absolute(folder.empty() ? "." : folder, error), error);
  return relative.empty() ? path.string() : relative.string();
}

bool launches_kernels(std::string_view text) { return text.find("<<<") != text.npos; }

struct SourceText {
  std::filesystem::path path;
  std::string text;
};

// The source of the same folder that includes this file of kernels and launches some.
std::optional<SourceText> including_source(const std::filesystem::path& path) {
  constexpr int kMostSources = 200;
  std::vector<std::filesystem::path> sources;
  std::error_code error;
  const auto folder = path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
  for (std::filesystem::directory_iterator each(folder, error), end; !error && each != end;
       each.increment(error)) {
    if (each->path().extension() == ".cu" && each->path().filename() != path.filename())
      sources.push_back(each->path());
    if (sources.size() == kMostSources) break;
  }
  std::ranges::sort(sources);
  const std::string name = path.filename().string();
  const auto includes_it = [&](const SourceLine& line) {
    return line.kind == SourceLine::Kind::include &&
           (line.name == '"' + name + '"' || line.name == "\"./" + name + '"');
  };
  for (const std::filesystem::path& source : sources) {
    auto text = read_text_file(source, std::size_t{1} << 20);
    if (text && launches_kernels(*text) && std::ranges::any_of(split_source(*text), includes_it))
      return SourceText{source, *std::move(text)};
  }
  return std::nullopt;
}

// The import of a file whose kernels another source launches, from there.
std::optional<ImportedSpace> from_including_source(const std::string& text, const std::filesystem::path& path,
                                                   const SpaceImport& options) {
  if (path.extension() != ".cu" || launches_kernels(text)) return std::nullopt;
  const auto source = including_source(path);
  if (!source) return std::nullopt;
  std::vector<std::string> kernels;
  for (const FunctionSignature& signature : signatures_in(flatten(path, text, {}, AngleIncludes::keep))) {
    const bool is_wanted = options.kernel.empty() || signature.name == options.kernel;
    if (signature.kind == FunctionSignature::Kind::kernel && is_wanted) kernels.push_back(signature.name);
  }
  if (kernels.empty()) return std::nullopt;
  auto space =
      import_cuda_source(source->text, source->path, path_from(options.folder, source->path), kernels);
  if (!space) return std::nullopt;
  const std::string name = source->path.filename().string();
  space->notes.insert(space->notes.begin(), path.filename().string() + " is a part of " + name +
                                                ", which launches its kernels: the space has that source");
  return *std::move(space);
}

}  // namespace

Result<ImportedSpace> import_space_text(const std::string& text, const std::filesystem::path& path,
                                        const SpaceImport& options) {
  const std::string extension = path.extension().string();
  if (extension == ".py" || extension == ".json") {
    const bool is_script = extension == ".py";
    return Error{path.string() +
                 (is_script ? ": python -m gktune.definitions reads problems of KernelBench, and python -m "
                              "gktune.kernel_tuner runs scripts of Kernel Tuner"
                            : ": python -m gktune.definitions reads definitions of FlashInfer-Bench")};
  }
  if (extension != ".cu" && extension != ".cuh") return Error{path.string() + ": it is no CUDA source (.cu)"};
  const auto kernels = options.kernel.empty() ? std::vector<std::string>() : std::vector{options.kernel};
  return import_cuda_source(text, path, path_from(options.folder, path), kernels);
}

Result<ImportedSpace> import_space(const std::filesystem::path& path, const SpaceImport& options) {
  auto text = read_text_file(path, std::size_t{1} << 24);
  if (!text) return text.error();
  if (auto space = from_including_source(*text, path, options)) return *std::move(space);
  return import_space_text(*text, path, options);
}

namespace {

// YAML reads these words as null or as booleans.
bool is_yaml_word(std::string_view text) {
  using boost::algorithm::iequals;
  return iequals(text, "null") || iequals(text, "true") || iequals(text, "false");
}

bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }

// True if YAML reads the text without quotes as one scalar of the same characters.
bool is_plain_yaml(std::string_view text) {
  if (text.empty() || text != trimmed(text) || std::ranges::any_of(text, is_control)) return false;
  if (is_yaml_word(text) || std::string_view("~?:,[]{}#&*!|>'\"%@`").find(text.front()) != text.npos)
    return false;
  if (text == "-" || text.starts_with("- ") || text.starts_with("---")) return false;
  return !text.ends_with(':') && text.find(": ") == text.npos && text.find(" #") == text.npos;
}

std::string double_quoted(std::string_view text) {
  std::string all = "\"";
  for (const char c : text) {
    if (is_control(c)) {
      all += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    } else {
      if (c == '"' || c == '\\') all += '\\';
      all += c;
    }
  }
  return all + '"';
}

std::string block_text(std::string_view text) {
  return is_plain_yaml(text) ? std::string(text) : double_quoted(text);
}

// A text that reads as a number needs quotes.
std::string value_text(const Value& value) {
  if (!value.is_text()) return value.str();
  const std::string& text = value.text();
  const bool starts_a_word =
      !text.empty() && (std::isalpha(static_cast<unsigned char>(text[0])) != 0 || text[0] == '_');
  return starts_a_word ? yaml_flow_text(text) : double_quoted(text);
}

std::string comment_text(const std::string& comment) { return comment.empty() ? "" : "  # " + comment; }

std::string parameter_text(const SpaceDraft::Parameter& parameter) {
  const std::string list = "[" + joined(parameter.values, ", ", value_text) + "]";
  if (!parameter.default_value) return list;
  return "{values: " + list + ", default: " + value_text(*parameter.default_value) + "}";
}

std::string argument_text(const SpaceDraft& draft, const SpaceDraft::Argument& argument) {
  std::string text = "{type: " + yaml_flow_text(argument.type);
  const auto add = [&](const char* key, const std::string& value) {
    if (!value.empty()) text += fmt::format(", {}: {}", key, value);
  };
  const auto add_text = [&](const char* key, const std::string& value) {
    if (!value.empty()) add(key, yaml_flow_text(value));
  };
  add_text("value", argument.value);
  if (argument.is_extent_guess) {
    add("extent", "{guess: " + yaml_flow_text(argument.extent) + "}");
  } else {
    add_text("extent", argument.extent);
  }
  add_text("symbol", argument.symbol);
  add_text("role", argument.role);
  add("init", argument.init);
  if (draft.compares_with_default) add("check", argument.check);
  return text + "}";
}

// Writes one extent, or a list of the extents of all dimensions. Leaves out extents of 1 at the end.
std::string extents_text(std::vector<std::string> extents) {
  while (extents.size() > 1 && extents.back() == "1") extents.pop_back();
  return extents.size() == 1 ? block_text(extents[0]) : "[" + joined(extents, ", ", yaml_flow_text) + "]";
}

std::string sizes_text(const char* key, const std::vector<SpaceDraft::Axis>& axes, const char* comment) {
  if (axes.empty()) return "";
  const auto text = [](const SpaceDraft::Axis& axis) {
    return yaml_flow_text(axis.name) + ": [" + joined(axis.values, ", ", yaml_flow_text) + ']';
  };
  return fmt::format("\n{}:\n  problem: {{{}}}  # {}\n", key, joined(axes, ", ", text), comment);
}

}  // namespace

std::string yaml_flow_text(std::string_view text) {
  return is_plain_yaml(text) && text.find_first_of(",[]{}:") == text.npos ? std::string(text)
                                                                          : double_quoted(text);
}

std::string space_file_text(const SpaceDraft& draft) {
  std::string out = fmt::format(
      "# Made from {} by gktune import. Check what it guessed, and add a reference.\nkernel: {}\nsource: "
      "{}\n",
      draft.origin, block_text(draft.kernel), block_text(draft.source));
  if (!draft.finding.empty())
    out.insert(out.find('\n') + 1, "# To decide: gktune check says: " + draft.finding + '\n');
  if (!draft.include.empty()) out += "include: [" + joined(draft.include, ", ", yaml_flow_text) + "]\n";
  if (!draft.axes.empty()) out += "\nproblem:\n";
  for (const SpaceDraft::Axis& axis : draft.axes) {
    const std::string name = yaml_flow_text(axis.name), values = joined(axis.values, ", ", yaml_flow_text);
    out += axis.is_macro ? fmt::format("  {0}: {{values: [{1}], macro: {0}}}\n", name, values)
                         : fmt::format("  {}: [{}]\n", name, values);
  }
  if (!draft.parameters.empty()) out += "\nparameters:\n";
  for (const SpaceDraft::Parameter& parameter : draft.parameters)
    out += fmt::format("  {}: {}{}\n", yaml_flow_text(parameter.name), parameter_text(parameter),
                       comment_text(parameter.comment));
  if (!draft.constraints.empty()) out += "\nconstraints:\n";
  for (const SpaceDraft::Constraint& constraint : draft.constraints)
    out += fmt::format("  - {}{}\n", block_text(constraint.condition), comment_text(constraint.comment));
  if (!draft.arguments.empty()) out += "\narguments:\n";
  for (const SpaceDraft::Argument& argument : draft.arguments)
    out += fmt::format("  {}: {}{}\n", yaml_flow_text(argument.name), argument_text(draft, argument),
                       comment_text(argument.comment));
  out += fmt::format("\nlaunches:\n  entry: {}\n  grid: {}{}\n  block: {}{}\n", block_text(draft.entry),
                     extents_text(draft.grid), comment_text(draft.grid_comment), extents_text(draft.block),
                     comment_text(draft.block_comment));
  if (!draft.shared.empty())
    out += fmt::format("  shared: {}{}\n", block_text(draft.shared), comment_text(draft.shared_comment));
  if (draft.is_cooperative) out += "  cooperative: true\n";
  const std::string passed = joined(draft.passed);
  if (!passed.empty()) out += fmt::format("  arguments: [{}]\n", passed);
  out += sizes_text("host", draft.host_axes, "sizes for a CPU");
  const std::string sizes =
      sizes_text("check", draft.check_axes, "sizes for check --sanitize; without them it takes awkward ones");
  out += sizes;
  if (!draft.guesses.empty())
    out += fmt::format(
        "{}  guesses: [{}]  # state these and delete them here: check trusts nothing that follows\n",
        sizes.empty() ? "\ncheck:\n" : "", joined(draft.guesses, ", ", yaml_flow_text));
  if (draft.compares_with_default)
    return out +
           "\nreference: default  # the outputs of the default configuration; a plain kernel would find "
           "more\n";
  out += fmt::format(
      "\n# reference:                  # a plain kernel that computes the outputs; without it nothing is "
      "checked\n"
      "#   source: reference.cu\n"
      "#   launches: {{entry: reference, arguments: [{}]}}\n",
      passed);
  return out;
}

}  // namespace gktune
