#include "tuner/space/reader/yaml_document.h"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <optional>
#include <sstream>
#include <unordered_set>

#include "tuner/core/text.h"

namespace gktune {
namespace {

constexpr std::string_view kBlank = " \t\r\n";

// Ends the parsing.
struct Refusal {
  YamlError error;
};

bool is_blank(char c) { return kBlank.find(c) != std::string_view::npos; }

// Skips the anchor and the tag before a node.
std::size_t after_properties(std::string_view text, std::size_t offset) {
  while (offset < text.size() && (text[offset] == '&' || text[offset] == '!')) {
    offset = std::min(text.find_first_of(kBlank, offset), text.size());
    offset = std::min(text.find_first_not_of(kBlank, offset), text.size());
  }
  return offset;
}

YamlNode::Style style_at(std::string_view text, std::size_t offset) {
  const char first = offset < text.size() ? text[offset] : ' ';
  if (first == '\'') return YamlNode::Style::single_quoted;
  if (first == '"') return YamlNode::Style::double_quoted;
  return first == '|' || first == '>' ? YamlNode::Style::block : YamlNode::Style::plain;
}

// The length of a node on its first line, for the underline.
std::size_t first_line_length(std::string_view text, const YamlNode& node) {
  if (!node.is_scalar() || node.style == YamlNode::Style::block) return 1;
  const std::string_view line = text.substr(node.offset, text.substr(node.offset).find_first_of("\r\n"));
  if (node.style == YamlNode::Style::plain) return std::clamp<std::size_t>(node.text.size(), 1, line.size());
  const char quote = line.empty() ? '"' : line.front();
  for (std::size_t at = 1; at < line.size(); ++at) {
    if (quote == '"' && line[at] == '\\') {
      ++at;
    } else if (line[at] == quote) {
      if (quote == '"' || at + 1 == line.size() || line[at + 1] != quote) return at + 1;
      ++at;
    }
  }
  return std::max<std::size_t>(line.size(), 1);
}

class TreeBuilder final : public YAML::EventHandler {
 public:
  explicit TreeBuilder(std::string_view text) : text_(text) {}

  YamlNode root;
  std::vector<YamlError> errors;

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (++documents_ > 1) throw Refusal{{at(mark), 1, "more than one document in the file"}};
  }
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    YamlNode node;
    node.offset = at(mark);
    add(std::move(node), anchor);
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    check_tag(mark, tag);
    YamlNode node;
    node.kind = YamlNode::Kind::scalar;
    node.offset = after_properties(text_, at(mark));
    node.style = style_at(text_, node.offset);
    // The tag "!" marks a text: it is not taken for a number.
    if (tag == "!" && node.style == YamlNode::Style::plain) node.style = YamlNode::Style::block;
    node.text = value;
    node.length = first_line_length(text_, node);
    add(std::move(node), anchor);
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto known = anchors_.find(anchor);
    if (known == anchors_.end()) throw Refusal{{at(mark), 1, "an alias inside its own anchor"}};
    nodes_ += known->second.size;
    check_size(at(mark));
    if (open_.size() + known->second.depth > kDeepestYaml) refuse_depth(at(mark));
    add(YamlNode(known->second.node), YAML::NullAnchor);
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open(mark, tag, anchor, YamlNode::Kind::sequence);
  }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open(mark, tag, anchor, YamlNode::Kind::map);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapEnd() override { close(); }

 private:
  struct Open {
    YamlNode node;
    YAML::anchor_t anchor;
    std::size_t nodes_before;
    std::size_t depth = 1;    // of the closed nodes inside
    bool has_key = false;     // the next node is the value of `key`
    bool is_dropped = false;  // `key` was invalid: its value is ignored
    YamlNode key;
    std::unordered_set<std::string> seen;
  };
  struct Anchored {
    YamlNode node;
    std::size_t size;
    std::size_t depth;
  };

  std::size_t at(const YAML::Mark& mark) const {
    return mark.pos < 0 ? 0 : std::min(static_cast<std::size_t>(mark.pos), text_.size());
  }

  void check_tag(const YAML::Mark& mark, const std::string& tag) {
    if (tag.empty() || tag == "?" || tag == "!") return;
    errors.push_back({at(mark), 1, "tags are not supported; quote a text instead"});
  }

  void check_size(std::size_t offset) {
    if (nodes_ <= kMostYamlNodes) return;
    throw Refusal{{offset, 1, "the document has more than " + std::to_string(kMostYamlNodes) + " nodes"}};
  }

  [[noreturn]] static void refuse_depth(std::size_t offset) {
    throw Refusal{{offset, 1, "nested more than " + std::to_string(kDeepestYaml) + " deep"}};
  }

  void open(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor, YamlNode::Kind kind) {
    check_tag(mark, tag);
    if (open_.size() >= kDeepestYaml) refuse_depth(at(mark));
    Open opened{.node = {}, .anchor = anchor, .nodes_before = nodes_, .key = {}, .seen = {}};
    opened.node.kind = kind;
    opened.node.offset = after_properties(text_, at(mark));
    const char first = opened.node.offset < text_.size() ? text_[opened.node.offset] : ' ';
    opened.node.is_flow = first == '{' || first == '[';
    open_.push_back(std::move(opened));
  }

  void close() {
    Open closed = std::move(open_.back());
    open_.pop_back();
    if (!open_.empty()) open_.back().depth = std::max(open_.back().depth, closed.depth + 1);
    if (closed.anchor != YAML::NullAnchor) {
      anchors_[closed.anchor] = {closed.node, nodes_ - closed.nodes_before + 1, closed.depth};
    }
    add(std::move(closed.node), YAML::NullAnchor);
  }

  void add(YamlNode node, YAML::anchor_t anchor) {
    ++nodes_;
    check_size(node.offset);
    if (anchor != YAML::NullAnchor) anchors_[anchor] = {node, 1, 0};
    if (open_.empty()) {
      root = std::move(node);
      return;
    }
    Open& parent = open_.back();
    if (node.is_scalar()) node.is_flow = parent.node.is_flow;
    if (parent.node.kind == YamlNode::Kind::sequence) {
      // The place of a missing item is its dash, not the next node.
      if (node.kind == YamlNode::Kind::null && !is_written(node) && node.offset > 0) {
        const std::size_t dash = text_.find_last_not_of(kBlank, node.offset - 1);
        if (dash != std::string_view::npos) node.offset = dash;
      }
      parent.node.items.push_back(std::move(node));
    } else if (!parent.has_key) {
      take_key(parent, std::move(node));
    } else {
      parent.has_key = false;
      if (parent.is_dropped) return;
      if (node.kind == YamlNode::Kind::null && !is_written(node)) {
        node.offset = parent.key.offset;
        node.length = parent.key.length;
      }
      parent.node.keys.push_back(std::move(parent.key));
      parent.node.items.push_back(std::move(node));
    }
  }

  void take_key(Open& parent, YamlNode key) {
    parent.has_key = true;
    parent.is_dropped = true;
    if (!key.is_scalar()) {
      errors.push_back({key.offset, 1, "a key must be a name"});
    } else if (!parent.seen.insert(key.text).second) {
      errors.push_back({key.offset, key.length, "duplicate key '" + key.text + "'"});
    } else {
      parent.is_dropped = false;
      parent.key = std::move(key);
    }
  }

  // True for a null in the text, false for a missing node.
  bool is_written(const YamlNode& null) const {
    const std::string_view rest = text_.substr(null.offset);
    return rest.starts_with('~') || rest.starts_with("null") || rest.starts_with("Null") ||
           rest.starts_with("NULL");
  }

  std::string_view text_;
  std::vector<Open> open_;
  std::map<YAML::anchor_t, Anchored> anchors_;
  std::size_t nodes_ = 0;
  int documents_ = 0;
};

// A hint if the line is indented with a tab.
std::string_view tab_hint(std::string_view text, std::size_t place) {
  const std::string_view before = text.substr(0, place);
  const std::size_t line = before.find_last_of('\n') + 1;  // of the first line too: npos + 1 is 0
  const std::string_view indent = text.substr(line, text.substr(line).find_first_not_of(" \t"));
  return indent.find('\t') == std::string_view::npos ? "" : " (indent with spaces, not tabs)";
}

// A hint if a list stands in a text: {when: way in [3, 4]}.
std::string_view list_hint(std::string_view text, std::size_t place) {
  const bool opens_list = place < text.size() && (text[place] == '[' || text[place] == '{');
  const std::size_t before = opens_list ? text.substr(0, place).find_last_not_of(' ') : text.npos;
  const bool is_in_text = before != text.npos && std::isalnum(static_cast<unsigned char>(text[before])) != 0;
  return is_in_text ? " (write an expression with a list in quotes: \"way in [3, 4]\")" : "";
}

// The first byte that is not part of UTF-8 text. YAML's other encodings are refused: offsets would no longer
// be those of the file.
std::optional<YamlError> find_bad_byte(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const auto byte = static_cast<unsigned char>(text[at]);
    if (byte < 0x80) {
      if ((byte < 0x20 && !is_blank(text[at])) || byte == 0x7f) {
        return YamlError{at, 1, "control character"};
      }
      ++at;
      continue;
    }
    const auto character = first_character(text.substr(at));
    if (!character) return YamlError{at, 1, "invalid UTF-8"};
    at += character->length;
  }
  return std::nullopt;
}

}  // namespace

const YamlNode* YamlNode::find(std::string_view key) const {
  const auto found = std::ranges::find(keys, key, &YamlNode::text);
  return found == keys.end() ? nullptr : &items[static_cast<std::size_t>(found - keys.begin())];
}

YamlDocument parse_yaml(std::string_view text) {
  YamlDocument document;
  if (text.size() > kLargestYaml) {
    document.errors.push_back({0, 1, "the file has more than " + std::to_string(kLargestYaml) + " bytes"});
    return document;
  }
  if (const auto bad = find_bad_byte(text)) {
    document.errors.push_back(*bad);
    return document;
  }
  TreeBuilder builder(text);
  bool is_whole = false;
  try {
    std::istringstream stream{std::string(text)};
    YAML::Parser parser(stream);
    while (parser.HandleNextDocument(builder)) {
    }
    is_whole = true;
  } catch (const Refusal& refusal) {
    builder.errors.push_back(refusal.error);
  } catch (const YAML::Exception& exception) {
    const auto place = exception.mark.pos < 0 ? 0 : static_cast<std::size_t>(exception.mark.pos);
    builder.errors.push_back({place, 1,
                              "invalid YAML: " + exception.msg + std::string(tab_hint(text, place)) +
                                  std::string(list_hint(text, place))});
  }
  document.errors = std::move(builder.errors);
  if (is_whole) document.root = std::move(builder.root);
  return document;
}

std::size_t source_offset(std::string_view document, const YamlNode& scalar, std::size_t index) {
  const std::string_view text = scalar.text;
  std::size_t at = scalar.offset;
  if (scalar.style == YamlNode::Style::block) at = std::min(document.find('\n', at), document.size());
  if (scalar.style == YamlNode::Style::single_quoted || scalar.style == YamlNode::Style::double_quoted) ++at;
  if (scalar.style == YamlNode::Style::block) {
    at = std::min(document.find_first_not_of(kBlank, at), document.size());
  }
  for (std::size_t i = 0; i < std::min(index, text.size());) {
    if (at >= document.size()) return scalar.offset;
    if (is_blank(text[i])) {
      // YAML may have folded a run of blanks into another one.
      const std::size_t end = std::min(text.find_first_not_of(kBlank, i), text.size());
      const std::size_t source_end = std::min(document.find_first_not_of(kBlank, at), document.size());
      if (index < end) return std::min(at + (index - i), source_end);
      i = end;
      at = source_end;
    } else if (document[at] == text[i]) {
      if (scalar.style == YamlNode::Style::single_quoted && text[i] == '\'') ++at;
      ++at;
      ++i;
    } else if (is_blank(document[at])) {
      ++at;  // a line break that folding removed
    } else {
      return scalar.offset;
    }
  }
  const std::string_view read = document.substr(scalar.offset, at - scalar.offset + 1);
  if (scalar.style == YamlNode::Style::double_quoted && read.find('\\') != read.npos) return scalar.offset;
  // Skip folded blanks before the byte.
  while (at < document.size() && index < text.size() && !is_blank(text[index]) && is_blank(document[at]))
    ++at;
  return at;
}

}  // namespace gktune
