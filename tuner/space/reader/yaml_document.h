#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace gktune {

// A part of a YAML document, with its place in the text.
struct YamlNode {
  enum class Kind { null, scalar, sequence, map };
  enum class Style { plain, single_quoted, double_quoted, block };
  Kind kind = Kind::null;
  Style style = Style::plain;   // of a scalar
  bool is_flow = false;         // is a list or map in brackets or braces, or a scalar inside one
  std::size_t offset = 0;       // of its first byte
  std::size_t length = 1;       // length of its part on the first line
  std::string text;             // a scalar's text
  std::vector<YamlNode> keys;   // a map's keys: scalars, without duplicates
  std::vector<YamlNode> items;  // a sequence's items, or a map's values in the order of the keys

  bool is_scalar() const { return kind == Kind::scalar; }
  bool is_plain() const { return is_scalar() && style == Style::plain; }
  const YamlNode* find(std::string_view key) const;
};

struct YamlError {
  std::size_t offset = 0;
  std::size_t length = 1;
  std::string message;
};

struct YamlDocument {
  YamlNode root;
  std::vector<YamlError> errors;
};

// Limits of a document whose aliases are expanded.
constexpr std::size_t kLargestYaml = 1 << 20;  // bytes
constexpr std::size_t kMostYamlNodes = 100'000;
constexpr std::size_t kDeepestYaml = 64;

// Parses one document. Accepts any bytes.
YamlDocument parse_yaml(std::string_view text);

// The offset in the document of the byte at `index` of the scalar's text.
std::size_t source_offset(std::string_view document, const YamlNode& scalar, std::size_t index);

}  // namespace gktune
