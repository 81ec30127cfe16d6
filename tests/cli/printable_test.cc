#include "cli/output/screen.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>


namespace gktune {
namespace {

TEST(Printable, plain_text_is_unchanged) {
  EXPECT_EQ(printable("12.4 µs ± 3 % on “H200” 😀\n\tn=1Mi"), "12.4 µs ± 3 % on “H200” 😀\n\tn=1Mi");
  EXPECT_EQ(printable(""), "");
}

TEST(Printable, terminal_sequences_are_escaped) {
  EXPECT_EQ(printable("\x1b]52;c;cm0gLXJmIH4=\x07"), "\\u001b]52;c;cm0gLXJmIH4=\\u0007");
  EXPECT_EQ(printable("\x1b[31mred"), "\\u001b[31mred");
  EXPECT_EQ(printable("ok\rerror\b\x7f"), "ok\\u000derror\\u0008\\u007f");
  EXPECT_EQ(printable(std::string_view("a\0b", 3)), "a\\u0000b");
}

TEST(Printable, eight_bit_controls_and_direction_overrides_are_escaped) {
  EXPECT_EQ(printable("\xc2\x9b"
                      "2J"),
            "\\u009b2J");
  EXPECT_EQ(printable("a\u202eb\u2066c\u2028d"), "a\\u202eb\\u2066c\\u2028d");
}

TEST(Printable, bytes_that_are_not_utf8_are_escaped) {
  EXPECT_EQ(printable("\x9b"
                      "2J"),
            "\\x9b2J");
  EXPECT_EQ(printable("caf\xe9!"), "caf\\xe9!");
  EXPECT_EQ(printable("\xc0\x9b"), "\\xc0\\x9b");           // an overlong form
  EXPECT_EQ(printable("\xed\xa0\x80"), "\\xed\\xa0\\x80");  // half a surrogate pair
  EXPECT_EQ(printable("\xe2\x82"), "\\xe2\\x82");
}

TEST(Printable, a_cell_has_one_line) {
  EXPECT_EQ(printable("two\nlines\tof text", Layout::escaped), "two\\u000alines\\u0009of text");
}

TEST(Printable, a_stream_escapes_what_it_passes_on) {
  std::ostringstream sink;
  PrintableStream stream(sink);
  stream << "name \x1b[2J" << '\x07' << 12 << "\n";
  EXPECT_EQ(sink.str(), "name \\u001b[2J\\u000712\n");
}

TEST(Printable, a_stream_joins_the_bytes_of_a_character) {
  std::ostringstream sink;
  PrintableStream stream(sink);
  for (char byte : std::string("µ±😀")) stream.put(byte);
  EXPECT_EQ(sink.str(), "µ±😀");
  stream.put('\xe2').flush();
  EXPECT_EQ(sink.str(), "µ±😀\\xe2");
}

TEST(Printable, a_stream_passes_on_only_the_programs_own_colours) {
  std::ostringstream sink;
  PrintableStream stream(sink);
  const Screen screen{.is_terminal = true, .has_colour = true};
  stream << paint(screen, Ink::red, "a\x1b[0mb");
  EXPECT_EQ(sink.str(), "\x1b[31ma\\u001b[0mb\x1b[0m");
}

TEST(Printable, a_json_string_keeps_its_meaning) {
  const std::string name = "a\x1b\x7f\xc2\x9b\u202e";
  std::ostringstream sink;
  PrintableStream(sink) << nlohmann::json(name);
  EXPECT_EQ(nlohmann::json::parse(sink.str()), name);
  EXPECT_EQ(sink.str().find('\x7f'), std::string::npos);
}

TEST(Printable, very_long_lines_are_shortened) {
  const std::string text = "short\n\n" + std::string(900'000, 'x') + "\nlast";
  EXPECT_EQ(with_short_lines(text), "short\n\n" + std::string(600, 'x') + " [899200 bytes left out] " +
                                        std::string(200, 'x') + "\nlast");
  EXPECT_EQ(with_short_lines(std::string(1000, 'x') + '\n'), std::string(1000, 'x') + '\n');
  // Whole characters are left out.
  std::string cents = "x";
  for (int i = 0; i < 1000; ++i) cents += "¢";
  EXPECT_EQ(with_short_lines(cents).find("\\x"), std::string::npos);
  EXPECT_EQ(printable(with_short_lines(cents)), with_short_lines(cents));
  EXPECT_EQ(with_short_lines(""), "");
  EXPECT_LT(with_short_lines(std::string(2000, '\x80')).size(), 900u);  // not UTF-8
}

TEST(Printable, a_stream_fails_if_its_sink_fails) {
  std::ostringstream sink;
  PrintableStream stream(sink);
  struct Full : std::streambuf {
    int sync() override { return -1; }
  } full;
  std::ostream full_sink(&full);
  PrintableStream to_full(full_sink);
  EXPECT_FALSE(to_full << "text");
}

}  // namespace
}  // namespace gktune
