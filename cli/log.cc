#include "cli/log.h"

#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/ostream_sink.h>

#include <memory>
#include <utility>

namespace gktune {
namespace {

// The level as a word before the message; what merely informs has none.
class LevelWord : public spdlog::custom_flag_formatter {
 public:
  explicit LevelWord(Screen screen) : screen_(screen) {}

  void format(const spdlog::details::log_msg& message, const std::tm&, spdlog::memory_buf_t& line) override {
    std::string word;
    switch (message.level) {
      case spdlog::level::debug:
        word = paint(screen_, Ink::dim, "debug:") + ' ';
        break;
      case spdlog::level::warn:
        word = paint(screen_, Ink::yellow, "warning:") + ' ';
        break;
      case spdlog::level::err:
      case spdlog::level::critical:
        word = paint(screen_, Ink::red, "error:") + ' ';
        break;
      default:
        break;
    }
    line.append(word);
  }

  std::unique_ptr<custom_flag_formatter> clone() const override {
    return std::make_unique<LevelWord>(screen_);
  }

 private:
  Screen screen_;
};

}  // namespace

spdlog::logger make_log(std::ostream& stream, const Screen& screen) {
  auto sink = std::make_shared<spdlog::sinks::ostream_sink_st>(stream, /*force_flush=*/true);
  auto formatter = std::make_unique<spdlog::pattern_formatter>();
  formatter->add_flag<LevelWord>('*', screen).set_pattern("%*%v");
  sink->set_formatter(std::move(formatter));
  return spdlog::logger("gktune", std::move(sink));
}

}  // namespace gktune
