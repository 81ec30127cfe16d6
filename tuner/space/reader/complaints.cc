#include "tuner/space/reader/complaints.h"

#include <algorithm>
#include <tuple>

#include "tuner/core/spelling.h"

namespace gktune {
namespace {

constexpr std::size_t kMostNames = 512;

}  // namespace

void Complaints::add(const YamlNode& node, std::string message, std::string hint) {
  add_at(node.offset, node.length, std::move(message), std::move(hint));
}

void Complaints::add_inside(const YamlNode& scalar, std::size_t offset, std::size_t length,
                            std::string message, std::string hint) {
  const std::size_t first = source_offset(source_.text(), scalar, offset);
  const std::size_t last =
      source_offset(source_.text(), scalar, offset + std::max<std::size_t>(length, 1) - 1);
  add_at(first, last >= first ? last - first + 1 : 1, std::move(message), std::move(hint));
}

void Complaints::add_at(std::size_t offset, std::size_t length, std::string message, std::string hint) {
  if (++count_ > kMostComplaints) return;
  found_.push_back(source_.diagnostic(offset, length, std::move(message), std::move(hint)));
}

std::string Complaints::guess(std::string_view word, std::span<const std::string> candidates) const {
  return count_ < kMostComplaints ? did_you_mean(word, candidates) : std::string();
}

std::vector<Diagnostic> Complaints::take() && {
  const auto place = [](const Diagnostic& d) { return std::tie(d.line, d.column, d.message); };
  std::ranges::stable_sort(found_, {}, place);
  const auto is_same = [&](const Diagnostic& a, const Diagnostic& b) { return place(a) == place(b); };
  found_.erase(std::unique(found_.begin(), found_.end(), is_same), found_.end());
  if (count_ > kMostComplaints) {
    const std::string more = std::to_string(count_ - kMostComplaints) + " more errors";
    found_.push_back({.file = source_.path(), .message = more, .hint = {}, .source_line = {}});
  }
  return std::move(found_);
}

Fields::Fields(const YamlNode& node, std::string_view what, std::initializer_list<std::string_view> known,
               Complaints& complaints)
    : node_(node), what_(what), is_map_(node.kind == YamlNode::Kind::map), complaints_(complaints) {
  const std::vector<std::string> names(known.begin(), known.end());
  std::string list;
  for (const std::string& name : names) list += (list.empty() ? "" : ", ") + name;
  if (!is_map_) {
    complaints_.add(node, what_ + " is a map, here is " + std::string(kind_words(node)), "its keys: " + list);
    return;
  }
  for (const YamlNode& key : node.keys) {
    if (std::ranges::find(names, key.text) != names.end()) continue;
    has_unknown_ = true;
    if (const auto meant = closest(key.text, names)) meant_.push_back(*meant);
    const std::string guess = did_you_mean(key.text, names);
    complaints_.add(key, "'" + key.text + "' is no key of " + what_ + guess,
                    guess.empty() ? "its keys: " + list : std::string());
  }
}

const YamlNode* Fields::require(std::string_view key, std::string_view hint) const {
  const YamlNode* value = find(key);
  if (value == nullptr && is_map_ && std::ranges::find(meant_, key) == meant_.end()) {
    complaints_.add(node_, what_ + " needs '" + std::string(key) + "'", std::string(hint));
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

std::string brace_words(const YamlNode& node) {
  const auto is_missing = [](const YamlNode& item) { return item.kind == YamlNode::Kind::null; };
  const bool is_pattern =
      node.kind == YamlNode::Kind::map && node.is_flow && std::ranges::all_of(node.items, is_missing);
  return is_pattern ? "a text with {braces} has to stand in quotes" : "";
}

bool is_map_of_names(const YamlNode& node) {
  return node.kind == YamlNode::Kind::map && node.keys.size() <= kMostNames;
}

bool check_map(const YamlNode& node, std::string_view what, Complaints& complaints) {
  if (is_map_of_names(node)) return true;
  const bool is_map = node.kind == YamlNode::Kind::map;
  complaints.add(node,
                 is_map ? std::string(what) + " has more than " + std::to_string(kMostNames) + " names"
                        : std::string(what) + " is a map of names, here is " + std::string(kind_words(node)));
  return false;
}

}  // namespace gktune
