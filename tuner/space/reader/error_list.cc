#include "tuner/space/reader/error_list.h"

#include <algorithm>
#include <tuple>

#include "tuner/core/spelling.h"
#include "tuner/core/text.h"

namespace gktune {
namespace {

constexpr std::size_t kMostNames = 512;

}  // namespace

void ErrorList::add(const YamlNode& node, std::string message, std::string hint) {
  add_at(node.offset, node.length, std::move(message), std::move(hint));
}

void ErrorList::add_inside(const YamlNode& scalar, std::size_t offset, std::size_t length,
                           std::string message, std::string hint) {
  const std::size_t first = source_offset(source_.text(), scalar, offset);
  const std::size_t last =
      source_offset(source_.text(), scalar, offset + std::max<std::size_t>(length, 1) - 1);
  add_at(first, last >= first ? last - first + 1 : 1, std::move(message), std::move(hint));
}

void ErrorList::add_at(std::size_t offset, std::size_t length, std::string message, std::string hint) {
  if (++count_ > kMostErrors) return;
  found_.push_back(source_.diagnostic(offset, length, std::move(message), std::move(hint)));
}

void ErrorList::warn(const YamlNode& node, std::string message, std::string hint) {
  warnings_.push_back(source_.diagnostic(node.offset, node.length, std::move(message), std::move(hint)));
  warnings_.back().severity = Diagnostic::Severity::warning;
}

std::string ErrorList::guess(std::string_view word, std::span<const std::string> candidates) const {
  return count_ < kMostErrors ? did_you_mean(word, candidates) : std::string();
}

std::vector<Diagnostic> ErrorList::take() && {
  const auto place = [](const Diagnostic& d) { return std::tie(d.line, d.column, d.message); };
  std::ranges::stable_sort(found_, {}, place);
  const auto is_same = [&](const Diagnostic& a, const Diagnostic& b) { return place(a) == place(b); };
  found_.erase(std::unique(found_.begin(), found_.end(), is_same), found_.end());
  if (count_ > kMostErrors) {
    const std::string more = std::to_string(count_ - kMostErrors) + " more errors";
    found_.push_back({.file = source_.path(), .message = more, .hint = {}, .source_line = {}});
  }
  return std::move(found_);
}

Fields::Fields(const YamlNode& node, std::string_view what, const std::vector<std::string_view>& known,
               ErrorList& errors)
    : node_(node), what_(what), is_map_(node.kind == YamlNode::Kind::map), errors_(errors) {
  const std::vector<std::string> names(known.begin(), known.end());
  const std::string list = joined(names);
  if (!is_map_) {
    errors_.add(node, what_ + " must be a map; found " + std::string(kind_words(node)), "keys: " + list);
    return;
  }
  for (const YamlNode& key : node.keys) {
    if (std::ranges::find(names, key.text) != names.end()) continue;
    has_unknown_ = true;
    if (const auto meant = closest(key.text, names)) meant_.push_back(*meant);
    const std::string guess = did_you_mean(key.text, names);
    std::string hint = comma_hint(key, "()[]<>");
    if (hint.empty() && guess.empty()) hint = "keys: " + list;
    errors_.add(key, "unknown key '" + key.text + "' in " + what_ + guess, hint);
  }
}

const YamlNode* Fields::require(std::string_view key, std::string_view hint) const {
  const YamlNode* value = find(key);
  if (value == nullptr && is_map_ && std::ranges::find(meant_, key) == meant_.end()) {
    errors_.add(node_, "missing key '" + std::string(key) + "' in " + what_, std::string(hint));
  }
  return value;
}

const YamlNode& Fields::key(std::string_view name) const {
  const auto found = std::ranges::find(node_.keys, name, &YamlNode::text);
  return found == node_.keys.end() ? node_ : *found;
}

std::span<const YamlNode> items_of(const YamlNode& node) {
  if (node.kind == YamlNode::Kind::sequence) return node.items;
  return {&node, 1};
}

std::string_view kind_words(const YamlNode& node) {
  switch (node.kind) {
    case YamlNode::Kind::null:
      return "nothing";
    case YamlNode::Kind::scalar:
      return "a plain value";
    case YamlNode::Kind::sequence:
      return "a list";
    case YamlNode::Kind::map:
      return "a map";
  }
  return "something else";
}

std::string brace_hint(const YamlNode& node) {
  const auto is_missing = [](const YamlNode& item) { return item.kind == YamlNode::Kind::null; };
  const bool is_pattern =
      node.kind == YamlNode::Kind::map && node.is_flow && std::ranges::all_of(node.items, is_missing);
  return is_pattern ? "quote a text with braces" : "";
}

std::string comma_hint(const YamlNode& node, std::string_view pairs) {
  if (!node.is_plain() || !node.is_flow) return {};
  for (std::size_t i = 0; i < pairs.size(); i += 2) {
    if (std::ranges::count(node.text, pairs[i]) != std::ranges::count(node.text, pairs[i + 1])) {
      return "inside [ ] and { } a comma separates items: quote a text that contains one";
    }
  }
  return {};
}

std::string comma_hint(std::span<const YamlNode> items, std::string_view otherwise) {
  for (const YamlNode& item : items) {
    if (std::string hint = comma_hint(item); !hint.empty()) return hint;
  }
  return std::string(otherwise);
}

bool is_map_of_names(const YamlNode& node) {
  return node.kind == YamlNode::Kind::map && node.keys.size() <= kMostNames;
}

bool check_map(const YamlNode& node, std::string_view what, ErrorList& errors) {
  if (is_map_of_names(node)) return true;
  const bool is_map = node.kind == YamlNode::Kind::map;
  errors.add(node,
             is_map ? std::string(what) + " has more than " + std::to_string(kMostNames) + " names"
                    : std::string(what) + " must be a map of names; found " + std::string(kind_words(node)));
  return false;
}

}  // namespace gktune
