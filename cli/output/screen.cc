#include "cli/output/screen.h"

#include <algorithm>
#include <ostream>

#include "cli/output/printable.h"

namespace gktune {
namespace {

std::string_view code_of(Ink ink) {
  switch (ink) {
    case Ink::none:
      return "";
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

bool begins_code_point(char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }

}  // namespace

std::ostream& operator<<(std::ostream& stream, const Painted& painted) {
  if (painted.ink == Ink::none || painted.text.empty()) return stream << painted.text;
  send_control(stream, code_of(painted.ink));
  stream << painted.text;
  send_control(stream, kPlain);
  return stream;
}

Painted paint(const Screen& screen, Ink ink, std::string_view text) {
  return {screen.has_colour ? ink : Ink::none, std::string(text)};
}

void erase_line(std::ostream& stream) { send_control(stream, "\r\x1b[K"); }

std::size_t columns_of(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(text, begins_code_point));
}

std::string cut(std::string_view text, std::size_t columns) {
  if (columns_of(text) <= columns) return std::string(text);
  if (columns == 0) return {};
  std::size_t kept = 0;
  for (std::size_t taken = 0; kept < text.size(); ++kept) {
    if (begins_code_point(text[kept]) && ++taken == columns) break;
  }
  return std::string(text.substr(0, kept)).append("…");
}

}  // namespace gktune
