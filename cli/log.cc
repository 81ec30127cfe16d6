#include "cli/log.h"

#include <spdlog/logger.h>
#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/ostream_sink.h>

#include <string>
#include <utility>

namespace gktune {
namespace {

// The level as a word before the message; what merely informs has none.
class LevelWord : public spdlog::custom_flag_formatter {
 public:
  explicit LevelWord(Screen screen) : screen_(screen) {}

  void format(const spdlog::details::log_msg& message, const std::tm&, spdlog::memory_buf_t& line) override {
    if (message.level == spdlog::level::err) line.append(paint(screen_, Ink::red, "error:") + ' ');
  }

  std::unique_ptr<custom_flag_formatter> clone() const override {
    return std::make_unique<LevelWord>(screen_);
  }

 private:
  Screen screen_;
};

}  // namespace

Log::Log(std::ostream& stream, const Screen& screen) {
  auto sink = std::make_shared<spdlog::sinks::ostream_sink_st>(stream, /*force_flush=*/true);
  auto formatter = std::make_unique<spdlog::pattern_formatter>();
  formatter->add_flag<LevelWord>('*', screen).set_pattern("%*%v");
  sink->set_formatter(std::move(formatter));
  logger_ = std::make_unique<spdlog::logger>("gktune", std::move(sink));
}

Log::~Log() = default;

void Log::info(std::string_view message) { logger_->info(message); }

// What a compiler said ends in a newline of its own.
void Log::error(std::string_view message) {
  logger_->error(message.substr(0, message.find_last_not_of('\n') + 1));
}

}  // namespace gktune
