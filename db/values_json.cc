#include "db/values_json.h"

#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>

#include "db/sqlite/failure.h"

namespace gktune {
namespace {

bool has_zero_byte(const std::string& text) { return text.find('\0') != std::string::npos; }

// Reads an object of plain values; see RFC 8259.
class Reader {
 public:
  explicit Reader(std::string_view json) : json_(json) {}

  NamedValues object() {
    NamedValues values;
    expect('{');
    if (!take('}')) {
      do {
        const std::string name = text();
        expect(':');
        values.set(name, value(name));
      } while (take(','));
      expect('}');
    }
    skip_space();
    if (at_ != json_.size()) fail();
    return values;
  }

 private:
  [[noreturn]] void fail() const {
    throw sqlite::Failure("damaged: not a JSON object of plain values: " + std::string(json_));
  }
  void skip_space() {
    while (at_ < json_.size() && std::string_view(" \t\n\r").find(json_[at_]) != std::string_view::npos)
      ++at_;
  }
  bool take(char c) {
    skip_space();
    if (at_ == json_.size() || json_[at_] != c) return false;
    ++at_;
    return true;
  }
  void expect(char c) {
    if (!take(c)) fail();
  }
  bool take_word(std::string_view word) {
    if (!json_.substr(at_).starts_with(word)) return false;
    at_ += word.size();
    return true;
  }

  std::string text() {
    expect('"');
    std::string text;
    while (true) {
      const std::size_t end = json_.find_first_of("\"\\", at_);
      if (end == std::string_view::npos) fail();
      text += json_.substr(at_, end - at_);
      at_ = end + 1;
      if (json_[end] == '"') return text;
      text += escaped();
    }
  }

  std::string escaped() {
    constexpr std::string_view kEscapes = "\"\\/bfnrt", kMeanings = "\"\\/\b\f\n\r\t";
    if (at_ == json_.size()) fail();
    const char escape = json_[at_++];
    if (const auto known = kEscapes.find(escape); known != std::string_view::npos) {
      return std::string(1, kMeanings[known]);
    }
    if (escape != 'u') fail();
    std::uint32_t code = unit();
    if (code >= 0xd800 && code < 0xdc00 && take_word("\\u"))
      code = 0x10000 + ((code & 0x3ff) << 10 | (unit() & 0x3ff));
    std::string utf8;
    if (code < 0x80) return std::string(1, static_cast<char>(code));
    const int more = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
    constexpr unsigned kFirst[] = {0, 0xc0, 0xe0, 0xf0};
    utf8 += static_cast<char>(kFirst[more] | code >> 6 * more);
    for (int i = more - 1; i >= 0; --i) utf8 += static_cast<char>(0x80 | (code >> 6 * i & 0x3f));
    return utf8;
  }

  std::uint32_t unit() {
    std::uint32_t code = 0;
    const std::string_view digits = json_.substr(at_, 4);
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), code, 16);
    if (error != std::errc() || digits.size() != 4 || end != digits.data() + 4) fail();
    at_ += 4;
    return code;
  }

  Value value(const std::string& name) {
    skip_space();
    if (at_ == json_.size()) fail();
    const char first = json_[at_];
    if (first == '"') return text();
    if (first == '[' || first == '{') {
      throw sqlite::Failure("damaged: \"" + name + "\" is a JSON " + (first == '[' ? "array" : "object"));
    }
    if (take_word("true")) return true;
    if (take_word("false")) return false;
    if (take_word("null")) return std::numeric_limits<double>::quiet_NaN();
    const std::string_view rest = json_.substr(at_);
    const std::string_view number = rest.substr(0, rest.find_first_not_of("+-.0123456789eE"));
    at_ += number.size();
    return number.find_first_of(".eE") == std::string_view::npos ? parsed<std::int64_t>(number)
                                                                 : parsed<double>(number);
  }

  template <class Number>
  Value parsed(std::string_view text) const {
    Number number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size())
      throw sqlite::Failure("damaged: not a number: " + std::string(text));
    return number;
  }

  std::string_view json_;
  std::size_t at_ = 0;
};

}  // namespace

std::string identity_json(const NamedValues& values, const std::string& what) {
  for (const auto& [name, value] : values) {
    if (value.is_real() && !std::isfinite(value.real())) {
      throw sqlite::Failure(what + ": " + name + " is " + value.str() + ", which cannot be stored");
    }
    if (has_zero_byte(name) || (value.is_text() && has_zero_byte(value.text()))) {
      throw sqlite::Failure(what + ": " + name + " has a zero byte, which cannot be stored");
    }
  }
  return values.json();
}

NamedValues values_from_json(std::string_view json) { return Reader(json).object(); }

}  // namespace gktune
