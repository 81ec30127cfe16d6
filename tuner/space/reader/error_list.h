#pragma once

#include <cstddef>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/core/fields.h"
#include "tuner/space/diagnostic.h"
#include "tuner/space/reader/yaml_document.h"

namespace gktune {

// Errors beyond this number are counted and not kept.
constexpr std::size_t kMostErrors = 100;

// The errors of one file. Reading continues after an error.
class ErrorList {
 public:
  ErrorList(std::string path, std::string_view text) : source_(std::move(path), text) {}

  void add(const YamlNode& node, std::string message, std::string hint = {});
  // Adds an error in a part of a scalar's text.
  void add_inside(const YamlNode& scalar, std::size_t offset, std::size_t length, std::string message,
                  std::string hint = {});
  void add_at(std::size_t offset, std::size_t length, std::string message, std::string hint = {});

  // Adds a warning. A file with warnings is valid.
  void warn(const YamlNode& node, std::string message, std::string hint = {});

  bool empty() const { return count_ == 0; }
  // ", did you mean 'candidate'?" if a candidate is close; else empty. Also empty if a
  // further error would not be kept.
  std::string guess(std::string_view word, std::span<const std::string> candidates) const;
  std::string guess(std::string_view word, EnumNames names) const {
    return guess(word, std::vector<std::string>(names.begin(), names.end()));
  }
  // The errors in the order of the file, without duplicates.
  std::vector<Diagnostic> take() &&;
  std::vector<Diagnostic> take_warnings() { return std::move(warnings_); }

 private:
  SourceText source_;
  std::size_t count_ = 0;
  std::vector<Diagnostic> found_, warnings_;
};

// A map with a fixed set of keys. Adds an error if the node is not a map, and for each unknown key.
class Fields {
 public:
  // `what` names the map in messages: "launch".
  Fields(const YamlNode& node, std::string_view what, const std::vector<std::string_view>& known,
         ErrorList& errors);
  const YamlNode* find(std::string_view key) const { return is_map_ ? node_.find(key) : nullptr; }
  const YamlNode* require(std::string_view key, std::string_view hint) const;
  bool is_map() const { return is_map_; }
  // True if there is an unknown key. It may be a misspelt required key.
  bool has_unknown() const { return has_unknown_; }
  // The node of the key, which gives its place in the file.
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
// Also adds an error if the node is not such a map. `what` names the map in messages: "parameters".
bool check_map(const YamlNode& node, std::string_view what, ErrorList& errors);

// The node's kind in words: "a list", "a map", "nothing".
std::string_view kind_words(const YamlNode& node);
// A hint if the node is {T} instead of "{T}"; else empty.
std::string brace_hint(const YamlNode& node);
// A hint if a comma split an unquoted text, as in [ceil_div(n, 4)]: one of the bracket
// pairs in `pairs` is unbalanced.
std::string comma_hint(const YamlNode& node, std::string_view pairs = "()[]");
// The first such hint for an item, else `otherwise`.
std::string comma_hint(std::span<const YamlNode> items, std::string_view otherwise);

}  // namespace gktune
