#include "cli/output/log.h"

#include <spdlog/logger.h>
#include <spdlog/sinks/base_sink.h>

#include <ostream>

#include "cli/output/screen.h"

namespace gktune {
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
