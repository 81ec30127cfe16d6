#include "cli/output/screen.h"

#include <fmt/format.h>
#include <spdlog/logger.h>
#include <spdlog/sinks/base_sink.h>

#include <algorithm>
#include <cstdint>

#include "tuner/core/text.h"

namespace gktune {
namespace {

// By Ink.
constexpr std::string_view kCodes[] = {"", "\x1b[1m", "\x1b[2m", "\x1b[31m", "\x1b[32m", "\x1b[33m"};
constexpr std::string_view kPlain = "\x1b[0m";

bool begins_code_point(char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }

constexpr std::size_t kLongestCharacter = 4;

bool is_control(std::uint32_t code) {
  return code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0x2028 ||
         code == 0x2029 ||                      // line and paragraph separators
         (code >= 0x202a && code <= 0x202e) ||  // direction embeddings and overrides
         (code >= 0x2066 && code <= 0x2069);    // direction isolates
}

// The length of the first bytes of a character at the end, whose other bytes are still to come.
std::size_t incomplete_at_end(std::string_view text) {
  for (std::size_t length = 1; length < kLongestCharacter && length <= text.size(); ++length) {
    const char c = text[text.size() - length];
    if (!begins_code_point(c)) continue;
    return character_length(c) > length ? length : 0;
  }
  return 0;
}

}  // namespace

std::ostream& operator<<(std::ostream& stream, const Painted& painted) {
  if (painted.ink == Ink::none || painted.text.empty()) return stream << painted.text;
  send_control(stream, kCodes[static_cast<std::size_t>(painted.ink)]);
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

std::string printable(std::string_view text, Layout layout) {
  std::string shown;
  shown.reserve(text.size());
  while (!text.empty()) {
    const auto character = first_character(text);
    const std::size_t length = character ? character->length : 1;
    const bool is_layout = text.front() == '\n' || text.front() == '\t';
    if (!character) {
      shown += fmt::format("\\x{:02x}", static_cast<unsigned char>(text.front()));
    } else if (is_control(character->code) && !(is_layout && layout == Layout::kept)) {
      shown += fmt::format("\\u{:04x}", character->code);
    } else {
      shown += text.substr(0, length);
    }
    text.remove_prefix(length);
  }
  return shown;
}

std::string with_short_lines(std::string_view text) {
  constexpr std::size_t kLongest = 1000, kHead = 600, kTail = 200;
  std::string shown;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    if (line.size() <= kLongest) {
      shown += line;
    } else {
      std::size_t head = kHead, tail = line.size() - kTail;
      while (!begins_code_point(line[head]) && head > kHead - kLongestCharacter) --head;
      while (tail < line.size() && !begins_code_point(line[tail]) &&
             tail < line.size() - kTail + kLongestCharacter)
        ++tail;
      shown += fmt::format("{} [{} bytes left out] {}", line.substr(0, head), tail - head, line.substr(tail));
    }
    text.remove_prefix(line.size());
    if (text.empty()) break;
    shown += '\n';
    text.remove_prefix(1);
  }
  return shown;
}

std::string html_escaped(std::string_view text) {
  std::string html;
  for (const char c : printable(text, Layout::escaped)) {
    constexpr std::string_view kSpecial = "<>&\"'";
    constexpr std::string_view kNames[] = {"&lt;", "&gt;", "&amp;", "&quot;", "&#39;"};
    const std::size_t place = kSpecial.find(c);
    html += place == kSpecial.npos ? std::string(1, c) : std::string(kNames[place]);
  }
  return html;
}

bool PrintableStream::Buffer::pass(std::string_view bytes) {
  const auto size = static_cast<std::streamsize>(bytes.size());
  return sink_.sputn(bytes.data(), size) == size;
}

bool PrintableStream::Buffer::write(std::string_view text) {
  incomplete_ += text;
  const std::size_t left = incomplete_at_end(incomplete_);
  const std::string shown = printable(std::string_view(incomplete_).substr(0, incomplete_.size() - left));
  incomplete_.erase(0, incomplete_.size() - left);
  return pass(shown);
}

std::streambuf::int_type PrintableStream::Buffer::overflow(int_type c) {
  if (traits_type::eq_int_type(c, traits_type::eof())) return traits_type::not_eof(c);
  const char byte = traits_type::to_char_type(c);
  return write({&byte, 1}) ? c : traits_type::eof();
}

std::streamsize PrintableStream::Buffer::xsputn(const char* text, std::streamsize size) {
  return write({text, static_cast<std::size_t>(size)}) ? size : 0;
}

int PrintableStream::Buffer::sync() {
  const bool is_written = pass(printable(incomplete_));
  incomplete_.clear();
  return is_written ? sink_.pubsync() : -1;
}

void send_control(std::ostream& stream, std::string_view sequence) {
  auto* buffer = dynamic_cast<PrintableStream::Buffer*>(stream.rdbuf());
  if (buffer == nullptr) {
    stream << sequence;
  } else if (!buffer->pass(sequence)) {
    stream.setstate(std::ios::badbit);
  }
}

namespace {

// Hints have the level of warnings.
constexpr auto kHint = spdlog::level::warn;

// Writes through the stream, which escapes control characters, and paints the word before the message.
class ScreenSink final : public spdlog::sinks::base_sink<spdlog::details::null_mutex> {
 public:
  ScreenSink(std::ostream& stream, const Screen& screen) : stream_(stream), screen_(screen) {}

 private:
  void sink_it_(const spdlog::details::log_msg& message) override {
    if (message.level == spdlog::level::err) stream_ << paint(screen_, Ink::red, "error:") << ' ';
    if (message.level == kHint) stream_ << paint(screen_, Ink::dim, "  hint:") << ' ';
    stream_ << with_short_lines({message.payload.data(), message.payload.size()}) << std::endl;
  }
  void flush_() override { stream_.flush(); }

  std::ostream& stream_;
  Screen screen_;
};

}  // namespace

Log::Log(std::ostream& stream, const Screen& screen)
    : logger_(std::make_unique<spdlog::logger>("gktune", std::make_shared<ScreenSink>(stream, screen))) {}

Log::~Log() = default;

void Log::info(std::string_view message) { logger_->info(message); }

void Log::warning(std::string_view message) {
  if (warnings_.emplace(message).second) logger_->info("warning: {}", message);
}

void Log::hint(std::string_view message) { logger_->log(kHint, message); }

void Log::error(std::string_view message) {
  // A compiler's messages end with a line feed of their own.
  logger_->error(message.substr(0, message.find_last_not_of('\n') + 1));
}

void Log::silence() { logger_->set_level(spdlog::level::err); }

}  // namespace gktune
