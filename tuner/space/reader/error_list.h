#pragma once

#include <cstddef>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/space/diagnostic.h"
#include "tuner/space/reader/yaml_document.h"

namespace gktune {

// Further errors are only counted.
constexpr std::size_t kMostErrors = 100;

// The errors of one file. Reading goes on after each.
class ErrorList {
 public:
  ErrorList(std::string path, std::string_view text) : source_(std::move(path), text) {}

  void add(const YamlNode& node, std::string message, std::string hint = {});
  // An error in a part of a scalar's text.
  void add_inside(const YamlNode& scalar, std::size_t offset, std::size_t length, std::string message,
                  std::string hint = {});
  void add_at(std::size_t offset, std::size_t length, std::string message, std::string hint = {});

  // A warning does not make the file a bad one.
  void warn(const YamlNode& node, std::string message, std::string hint = {});

  bool empty() const { return count_ == 0; }
  // ", did you mean 'candidate'?" if a candidate is close and the error would be kept; else empty.
  std::string guess(std::string_view word, std::span<const std::string> candidates) const;
  // In the order of the file, without duplicates.
  std::vector<Diagnostic> take() &&;
  std::vector<Diagnostic> take_warnings() { return std::move(warnings_); }

 private:
  SourceText source_;
  std::size_t count_ = 0;
  std::vector<Diagnostic> found_, warnings_;
};

// A map with a fixed set of keys. Adds an error for anything but a map, and for each unknown key.
class Fields {
 public:
  // `what` names the map in messages: "launch".
  Fields(const YamlNode& node, std::string_view what, const std::vector<std::string_view>& known,
         ErrorList& errors);
  const YamlNode* find(std::string_view key) const { return is_map_ ? node_.find(key) : nullptr; }
  const YamlNode* require(std::string_view key, std::string_view hint) const;
  bool is_map() const { return is_map_; }
  // True if there is an unknown key, which may be a missing one misspelt.
  bool has_unknown() const { return has_unknown_; }
  // The key node, for its place.
  const YamlNode& key(std::string_view name) const;

 private:
  const YamlNode& node_;
  std::string what_;
  bool is_map_;
  bool has_unknown_ = false;
  std::vector<std::string> meant_;  // keys that the unknown ones probably misspell
  ErrorList& errors_;
};

// A sequence's items; any other node is a single item.
std::span<const YamlNode> items_of(const YamlNode& node);

// True for a map of at most 512 names.
bool is_map_of_names(const YamlNode& node);
// The same; adds an error if false. `what` names the map in messages: "parameters".
bool check_map(const YamlNode& node, std::string_view what, ErrorList& errors);

// "a list", "a map", "nothing".
std::string_view kind_words(const YamlNode& node);
// A hint if the node is {T} instead of "{T}"; else empty.
std::string brace_hint(const YamlNode& node);
// A hint if a comma cut an unquoted text in two, as in [ceil_div(n, 4)]: one of `pairs` is unbalanced.
std::string comma_hint(const YamlNode& node, std::string_view pairs = "()[]");
// The first such hint of a list's items, or another one.
std::string comma_hint(std::span<const YamlNode> items, std::string_view otherwise);

}  // namespace gktune
