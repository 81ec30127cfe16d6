#include "tuner/space/reader/error_list.h"

#include <algorithm>
#include <tuple>

#include "tuner/core/quantity.h"
#include "tuner/core/text.h"

namespace gktune {
namespace {

constexpr std::size_t kMostNames = 512;

// True if YAML readers take the text for a number, well-formed or not.
bool looks_numeric(std::string_view text) {
  if (text == ".inf" || text == "-.inf" || text == "+.inf" || text == ".nan") return true;
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  if (text.starts_with('.')) text.remove_prefix(1);
  return !text.empty() && is_digit(text.front());
}

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

void ErrorList::add_unknown(const YamlNode& word, std::string_view noun, std::span<const std::string> known,
                            std::string hint) {
  add(word, "unknown " + std::string(noun) + " '" + word.text + "'" + guess(word.text, known),
      std::move(hint));
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

void Fields::refuse(std::string_view key, std::string message, std::string hint) const {
  if (find(key) != nullptr) errors_.add(this->key(key), std::move(message), std::move(hint));
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
  constexpr std::string_view kWords[] = {"nothing", "a plain value", "a list", "a map"};
  return kWords[static_cast<std::size_t>(node.kind)];
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

bool require_scalar(const YamlNode& node, std::string_view what, ErrorList& errors, std::string hint) {
  if (node.is_scalar()) return true;
  errors.add(node, "expected " + std::string(what) + ", found " + std::string(kind_words(node)),
             std::move(hint));
  return false;
}

std::optional<Value> read_value(const YamlNode& node, ErrorList& errors) {
  if (!require_scalar(node, "a value", errors, brace_hint(node))) return std::nullopt;
  if (!node.is_plain()) return Value(node.text);
  if (node.text == "true" || node.text == "True" || node.text == "TRUE") return Value(true);
  if (node.text == "false" || node.text == "False" || node.text == "FALSE") return Value(false);
  if (!looks_numeric(node.text)) return Value(node.text);
  Result<Value> number = parse_number(node.text);
  if (number) return *std::move(number);
  errors.add(node, number.error().message, "a text of this form needs quotes");
  return std::nullopt;
}

std::optional<std::int64_t> read_integer(const YamlNode& node, ErrorList& errors) {
  if (!require_scalar(node, "an integer", errors, brace_hint(node))) return std::nullopt;
  const auto integer = parse_integer(node.text);
  if (integer) return *integer;
  errors.add(node, integer.error().message);
  return std::nullopt;
}

std::optional<Value> read_number(const YamlNode& node, ErrorList& errors) {
  if (!require_scalar(node, "a number", errors, brace_hint(node))) return std::nullopt;
  Result<Value> number = parse_number(node.text);
  if (number) return *std::move(number);
  errors.add(node, number.error().message);
  return std::nullopt;
}

std::optional<std::string> read_text(const YamlNode& node, ErrorList& errors) {
  if (!require_scalar(node, "a text", errors, brace_hint(node))) return std::nullopt;
  return node.text;
}

std::optional<double> read_seconds(const YamlNode& node, ErrorList& errors) {
  if (!require_scalar(node, "a duration", errors, brace_hint(node))) return std::nullopt;
  const auto seconds = parse_seconds(node.text);
  if (seconds && *seconds > 0) return *seconds;
  errors.add(node, seconds ? "'" + node.text + "' is not above 0" : seconds.error().message);
  return std::nullopt;
}

std::optional<std::size_t> read_word(const YamlNode& node, std::string_view noun, EnumNames words,
                                     ErrorList& errors) {
  if (!require_scalar(node, "a text", errors, brace_hint(node))) return std::nullopt;
  const auto found = std::ranges::find(words, node.text);
  if (found != words.end()) return static_cast<std::size_t>(found - words.begin());
  const std::vector<std::string> known(words.begin(), words.end());
  const std::string all_but_last = joined(words.first(words.size() - 1));
  errors.add_unknown(node, noun, known, "expected " + all_but_last + " or " + known.back());
  return std::nullopt;
}

}  // namespace gktune
