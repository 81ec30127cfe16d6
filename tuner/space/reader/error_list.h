#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/core/fields.h"
#include "gktune/values.h"
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

  // Adds an error about a word that is none of `known`. It suggests the one that the word probably misspells.
  void add_unknown(const YamlNode& word, std::string_view noun, std::span<const std::string> known,
                   std::string hint = {});

  // Adds a warning. A file with warnings is valid.
  void warn(const YamlNode& node, std::string message, std::string hint = {});

  bool empty() const { return count_ == 0; }
  // ", did you mean 'candidate'?" if a candidate is close; else empty. Also empty if a
  // further error would not be kept.
  std::string guess(std::string_view word, std::span<const std::string> candidates) const;
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
  // A key without a value counts as absent: its items may be commented out.
  const YamlNode* section(std::string_view key) const {
    const YamlNode* node = find(key);
    return node == nullptr || node->kind == YamlNode::Kind::null ? nullptr : node;
  }
  const YamlNode* require(std::string_view key, std::string_view hint) const;
  // Adds an error at a key that does not belong there, if the map has it.
  void refuse(std::string_view key, std::string message, std::string hint = {}) const;
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

// Adds an error if the node is no scalar: "expected a text, found a list".
bool require_scalar(const YamlNode& node, std::string_view what, ErrorList& errors, std::string hint = {});

// These functions add an error and return nothing if the node has another form.
std::optional<Value> read_value(const YamlNode& node, ErrorList& errors);
std::optional<std::int64_t> read_integer(const YamlNode& node, ErrorList& errors);
std::optional<Value> read_number(const YamlNode& node, ErrorList& errors);
std::optional<std::string> read_text(const YamlNode& node, ErrorList& errors);
// A duration above 0.
std::optional<double> read_seconds(const YamlNode& node, ErrorList& errors);
// The place of a text among `words`. `noun` names a word in messages: "role".
std::optional<std::size_t> read_word(const YamlNode& node, std::string_view noun, EnumNames words,
                                     ErrorList& errors);
template <class E>
std::optional<E> read_enum(const YamlNode& node, std::string_view noun, ErrorList& errors) {
  const auto place = read_word(node, noun, enum_names(E{}), errors);
  return place ? std::optional(static_cast<E>(*place)) : std::nullopt;
}

}  // namespace gktune
