#include "tuner/space/diagnostic.h"

#include <algorithm>

namespace gktune {
namespace {

constexpr std::size_t kWidestLine = 120;
constexpr std::size_t kLongestMessage = 1000;

bool is_continuation(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }

std::size_t columns(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(text, [](char c) { return !is_continuation(c); }));
}

// Replaces control characters by spaces, so that each character takes one column.
std::string printable(std::string_view line) {
  std::string shown;
  for (char c : line) {
    const auto byte = static_cast<unsigned char>(c);
    shown += byte < 0x20 && c != '\t' ? ' ' : c;
  }
  shown.erase(shown.find_last_not_of(" \t") + 1);
  return shown;
}

// Cuts the middle out of a message that quotes a long text of the file.
std::string shortened(const std::string& message) {
  if (message.size() <= kLongestMessage) return message;
  std::size_t head = kLongestMessage / 2, tail = message.size() - kLongestMessage / 2;
  while (is_continuation(message[head])) --head;
  while (tail < message.size() && is_continuation(message[tail])) ++tail;
  return message.substr(0, head) + "…" + message.substr(tail);
}

std::size_t skip_columns(std::string_view text, std::size_t count) {
  std::size_t at = 0;
  for (; at < text.size(); ++at) {
    if (is_continuation(text[at])) continue;
    if (count-- == 0) break;
  }
  return at;
}

}  // namespace

std::string Diagnostic::str() const {
  std::string text = file;
  if (line > 0) text += ':' + std::to_string(line) + ':' + std::to_string(column);
  text += (severity == Severity::error ? ": error: " : ": warning: ") + shortened(message);
  if (line > 0) {
    // A line of a thousand columns is shown around its fault.
    std::size_t first = column > kWidestLine ? column - kWidestLine / 2 : 1;
    std::string_view shown = source_line;
    shown.remove_prefix(skip_columns(shown, first - 1));
    shown = shown.substr(0, skip_columns(shown, kWidestLine));
    const std::size_t before = column - first;
    std::string caret;
    for (std::size_t at = 0, seen = 0; seen < before; ++at) {
      if (at < shown.size() && is_continuation(shown[at])) continue;
      caret += at < shown.size() && shown[at] == '\t' ? '\t' : ' ';
      ++seen;
    }
    const std::size_t width = columns(shown);
    const std::size_t room = width > before ? width - before : 1;
    caret += '^' + std::string(std::min(std::max<std::size_t>(length, 1), room) - 1, '~');
    text += "\n  " + std::string(shown) + "\n  " + caret;
  }
  if (!hint.empty()) text += "\n  " + shortened(hint);
  return text;
}

SourceText::SourceText(std::string path, std::string_view text)
    : path_(std::move(path)), text_(text), lines_{0} {
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '\n') lines_.push_back(at + 1);
  }
}

Diagnostic SourceText::diagnostic(std::size_t offset, std::size_t length, std::string message,
                                  std::string hint) const {
  offset = std::min(offset, text_.size());
  // The end of a file that ends with a line feed is the end of its last line.
  if (offset == text_.size() && offset > 0 && text_[offset - 1] == '\n') --offset;
  const auto line = std::ranges::upper_bound(lines_, offset);
  const std::size_t start = *(line - 1);
  std::size_t end = std::min(text_.find('\n', offset), text_.size());
  length = std::min(length, end - offset);
  while (end > start && text_[end - 1] == '\r') --end;
  return {
      .file = path_,
      .line = static_cast<std::size_t>(line - lines_.begin()),
      .column = 1 + columns(text_.substr(start, offset - start)),
      .length = columns(text_.substr(offset, length)),
      .message = std::move(message),
      .hint = std::move(hint),
      .source_line = printable(text_.substr(start, end - start)),
  };
}

}  // namespace gktune
