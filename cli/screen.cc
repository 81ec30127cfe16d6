#include "cli/screen.h"

namespace gktune {
namespace {

std::string_view code(Ink ink) {
  switch (ink) {
    case Ink::bold:
      return "\x1b[1m";
    case Ink::dim:
      return "\x1b[2m";
    case Ink::red:
      return "\x1b[31m";
    case Ink::green:
      return "\x1b[32m";
    case Ink::yellow:
      return "\x1b[33m";
    case Ink::cyan:
      return "\x1b[36m";
  }
  return "";
}

constexpr std::string_view kPlain = "\x1b[0m";

bool continues_code_point(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }

// Past the colour code at `i`, if there is one.
std::size_t skip_colour(std::string_view text, std::size_t i) {
  if (text[i] != '\x1b') return i;
  std::size_t end = text.find('m', i);
  return end == std::string_view::npos ? text.size() : end + 1;
}

}  // namespace

std::string paint(const Screen& screen, Ink ink, std::string_view text) {
  if (!screen.has_colour || text.empty()) return std::string(text);
  return std::string(code(ink)).append(text).append(kPlain);
}

std::size_t columns_of(std::string_view text) {
  std::size_t columns = 0;
  for (std::size_t i = 0; i < text.size();) {
    if (std::size_t after = skip_colour(text, i); after != i) {
      i = after;
      continue;
    }
    if (!continues_code_point(text[i])) ++columns;
    ++i;
  }
  return columns;
}

std::string cut(std::string_view text, std::size_t columns) {
  if (columns_of(text) <= columns) return std::string(text);
  if (columns == 0) return {};
  std::string kept;
  bool coloured = false;
  std::size_t taken = 0;
  for (std::size_t i = 0; i < text.size();) {
    if (std::size_t after = skip_colour(text, i); after != i) {
      kept.append(text.substr(i, after - i));
      coloured = true;
      i = after;
      continue;
    }
    if (!continues_code_point(text[i]) && ++taken == columns) break;
    kept += text[i++];
  }
  return kept.append("…").append(coloured ? kPlain : "");
}

}  // namespace gktune
