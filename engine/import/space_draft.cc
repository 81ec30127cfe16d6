#include "engine/import/space_draft.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>

#include "tuner/core/text.h"

namespace gktune {
namespace {

// YAML reads these words as null or as booleans.
bool is_yaml_word(std::string_view text) {
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return lower == "null" || lower == "true" || lower == "false";
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
  if (!parameter.range && !parameter.default_value) return list;
  const std::string values = parameter.range ? fmt::format("range: [{}, {}, {}]", parameter.range->first,
                                                           parameter.range->last, parameter.range->step)
                                             : "values: " + list;
  return "{" + values +
         (parameter.default_value ? ", default: " + value_text(*parameter.default_value) : "") + "}";
}

std::string argument_text(const SpaceDraft::Argument& argument) {
  std::string text = "{type: " + yaml_flow_text(argument.type);
  const auto add = [&](const char* key, const std::string& value) {
    if (!value.empty()) text += fmt::format(", {}: {}", key, value);
  };
  const auto add_text = [&](const char* key, const std::string& value) {
    if (!value.empty()) add(key, yaml_flow_text(value));
  };
  add_text("value", argument.value);
  add_text("extent", argument.extent);
  add_text("symbol", argument.symbol);
  add_text("role", argument.role);
  add("init", argument.init);
  return text + "}";
}

// One extent, or those of several dimensions. Dimensions of 1 at the end need no extent.
std::string extents_text(std::vector<std::string> extents) {
  while (extents.size() > 1 && extents.back() == "1") extents.pop_back();
  return extents.size() == 1 ? block_text(extents[0]) : "[" + joined(extents, ", ", yaml_flow_text) + "]";
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
  if (!std::filesystem::path(draft.source).extension().string().starts_with(".cu")) out += "language: cuda\n";
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
  if (!draft.options.empty()) out += "\noptions:\n";
  for (const std::string& option : draft.options) out += fmt::format("  - {}\n", block_text(option));
  if (!draft.arguments.empty()) out += "\narguments:\n";
  for (const SpaceDraft::Argument& argument : draft.arguments)
    out += fmt::format("  {}: {}{}\n", yaml_flow_text(argument.name), argument_text(argument),
                       comment_text(argument.comment));
  out += fmt::format("\nlaunches:\n  entry: {}\n  grid: {}{}\n  block: {}{}\n", block_text(draft.entry),
                     extents_text(draft.grid), comment_text(draft.grid_comment), extents_text(draft.block),
                     comment_text(draft.block_comment));
  if (!draft.shared.empty()) out += fmt::format("  shared: {}\n", block_text(draft.shared));
  if (draft.is_cooperative) out += "  cooperative: true\n";
  const std::string passed = joined(draft.passed);
  if (!passed.empty()) out += fmt::format("  arguments: [{}]\n", passed);
  out += fmt::format(
      "\n# reference:                  # a plain kernel that computes the outputs; without it nothing is "
      "checked\n"
      "#   source: reference.cu\n"
      "#   launches: {{entry: reference, arguments: [{}]}}\n",
      passed);
  return out;
}

}  // namespace gktune
