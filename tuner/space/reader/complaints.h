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

// Nobody reads more; what is beyond is counted.
constexpr std::size_t kMostComplaints = 100;

// What is wrong with one file, gathered while reading goes on.
class Complaints {
 public:
  Complaints(std::string path, std::string_view text) : source_(std::move(path), text) {}

  void add(const YamlNode& node, std::string message, std::string hint = {});
  // About a part of a scalar's text.
  void add_inside(const YamlNode& scalar, std::size_t offset, std::size_t length, std::string message,
                  std::string hint = {});
  void add_at(std::size_t offset, std::size_t length, std::string message, std::string hint = {});

  bool empty() const { return count_ == 0; }
  // ", did you mean 'candidate'?", or nothing. Nothing either where it would not be read.
  std::string guess(std::string_view word, std::span<const std::string> candidates) const;
  // In the order of the file, none twice.
  std::vector<Diagnostic> take() &&;

 private:
  SourceText source_;
  std::size_t count_ = 0;
  std::vector<Diagnostic> found_;
};

// A map that has a fixed set of keys. What is no map, and keys that are not known, are complained about.
class Fields {
 public:
  // `what` as in "a launch".
  Fields(const YamlNode& node, std::string_view what, std::initializer_list<std::string_view> known,
         Complaints& complaints);
  const YamlNode* find(std::string_view key) const { return is_map_ ? node_.find(key) : nullptr; }
  const YamlNode* require(std::string_view key, std::string_view hint) const;
  bool is_map() const { return is_map_; }
  // A key has been complained about: one that is missing may be that one.
  bool has_unknown() const { return has_unknown_; }
  // The key itself.
  const YamlNode& key(std::string_view name) const;

 private:
  const YamlNode& node_;
  std::string what_;
  bool is_map_;
  bool has_unknown_ = false;
  std::vector<std::string> meant_;  // keys that unknown ones may be misspellings of
  Complaints& complaints_;
};

// A sequence's items; anything else is an item by itself.
std::span<const YamlNode> items_of(const YamlNode& node);

// A map, and of a bearable size.
bool is_map_of_names(const YamlNode& node);
// The same, and a complaint where it is not; `what` as in "parameters".
bool check_map(const YamlNode& node, std::string_view what, Complaints& complaints);

// "a list", "a map", "nothing".
std::string_view kind_words(const YamlNode& node);
// A hint for who wrote {T} and meant "{T}"; else nothing.
std::string brace_words(const YamlNode& node);

}  // namespace gktune
