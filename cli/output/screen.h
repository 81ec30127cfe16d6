#pragma once

#include <cstddef>
#include <iosfwd>
#include <memory>
#include <ostream>
#include <set>
#include <streambuf>
#include <string>
#include <string_view>

namespace spdlog {
class logger;
}

namespace gktune {

// The abilities of a stream's reader.
struct Screen {
  bool is_terminal = false;
  bool has_colour = false;
  std::size_t columns = 80;
};

enum class Ink { none, bold, dim, red, green, yellow };

// A text in an ink. Only the stream that prints it sees a colour code: strings never hold any.
struct Painted {
  Ink ink;
  std::string text;
};
std::ostream& operator<<(std::ostream& stream, const Painted& painted);

// The text in that ink, or as it is where the screen has no colour.
Painted paint(const Screen& screen, Ink ink, std::string_view text);

// Empties the terminal's current line and moves to its beginning.
void erase_line(std::ostream& stream);

// Number of columns that the text takes: one for each code point.
std::size_t columns_of(std::string_view text);

// The text, cut to this many columns; an ellipsis marks the cut.
std::string cut(std::string_view text, std::size_t columns);

// A terminal obeys control characters, and text from files, databases and candidates may hold some.
// Everything that the program prints goes through here.

// Line feeds and tabs lay out a text; in one cell of a table they would break the layout.
enum class Layout { kept, escaped };

// The text with control characters, direction overrides and bytes that are not UTF-8 written as escapes:
// \u001b. Inside a JSON string the escapes mean the same characters.
std::string printable(std::string_view text, Layout layout = Layout::kept);

// The text in one line: a name must not begin another, which may look like one of the program.
inline std::string one_line(std::string_view text) { return printable(text, Layout::escaped); }

// The text with a part of each very long line left out. Files, flags, databases and compilers decide how long
// lines of messages are.
std::string with_short_lines(std::string_view text);

// The text for HTML, in an element or a quoted attribute. Control characters are written as escapes.
std::string html_escaped(std::string_view text);

// An output stream that escapes control characters.
class PrintableStream : public std::ostream {
 public:
  explicit PrintableStream(std::ostream& sink) : std::ostream(nullptr), buffer_(*sink.rdbuf()) {
    rdbuf(&buffer_);
  }

 private:
  friend void send_control(std::ostream& stream, std::string_view sequence);

  class Buffer : public std::streambuf {
   public:
    explicit Buffer(std::streambuf& sink) : sink_(sink) {}
    bool pass(std::string_view bytes);  // unchanged

   protected:
    int_type overflow(int_type c) override;
    std::streamsize xsputn(const char* text, std::streamsize size) override;
    int sync() override;

   private:
    bool write(std::string_view text);

    std::streambuf& sink_;
    std::string incomplete_;  // the first bytes of a character
  };

  Buffer buffer_;
};

// Sends the program's own control sequence, unescaped.
void send_control(std::ostream& stream, std::string_view sequence);

// Messages for people.
class Log {
 public:
  Log(std::ostream& stream, const Screen& screen);
  ~Log();

  void info(std::string_view message);
  void warning(std::string_view message);  // "warning: …"; the same one only once
  void error(std::string_view message);    // "error: …"
  void hint(std::string_view message);     // "  hint: …"
  // From now on prints errors only.
  void silence();

 private:
  std::unique_ptr<spdlog::logger> logger_;
  std::set<std::string, std::less<>> warnings_;
};

}  // namespace gktune
