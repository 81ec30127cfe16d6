// The process: reads everything that the program takes from the system.
#include <sys/ioctl.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <optional>
#include <string>
#include <vector>

#include "cli/command.h"

namespace {

using gktune::Environment;
using gktune::Screen;

// A signal handler can access nothing else safely.
volatile std::sig_atomic_t signals_seen = 0;

extern "C" void on_signal(int) {
  if (signals_seen > 0) _exit(static_cast<int>(gktune::ExitCode::interrupted));
  signals_seen = 1;
}

// Catches SIGINT and SIGTERM during its lifetime. The first signal requests an orderly end, the second ends
// the process at once. Create one at a time.
class Interrupts {
 public:
  Interrupts() {
    signals_seen = 0;
    struct sigaction action {};
    action.sa_handler = on_signal;
    sigemptyset(&action.sa_mask);
    action.sa_flags = SA_RESTART;
    sigaction(SIGINT, &action, nullptr);
    sigaction(SIGTERM, &action, nullptr);
  }
  ~Interrupts() {
    std::signal(SIGINT, SIG_DFL);
    std::signal(SIGTERM, SIG_DFL);
  }
  Interrupts(const Interrupts&) = delete;
  Interrupts& operator=(const Interrupts&) = delete;

  bool requested() const { return signals_seen > 0; }
};

std::string host_name() {
  std::array<char, 256> name{};
  return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

Environment read_environment(const std::vector<std::string>& arguments) {
  Environment environment;
  std::error_code error;
  environment.program = std::filesystem::read_symlink("/proc/self/exe", error);
  environment.database = gktune::default_database(std::getenv("GKTUNE_DB"));
  environment.cache_dir = gktune::default_cache_dir(std::getenv("XDG_CACHE_HOME"), std::getenv("HOME"));
  if (const char* cxx = std::getenv("CXX"); cxx != nullptr) environment.cxx = cxx;
  if (const char* home = std::getenv("CUDA_HOME"); home != nullptr) environment.cuda_home = home;
  for (const char* name : {"CUDA_VISIBLE_DEVICES", "CUDA_DEVICE_ORDER", "CUDA_HOME", "LD_LIBRARY_PATH"}) {
    const char* value = std::getenv(name);
    environment.gpu_settings += std::string(name) + (value != nullptr ? '=' + std::string(value) : "") + '\n';
  }
  environment.host_name = host_name();
  environment.command_line = "gktune";
  for (const std::string& argument : arguments) environment.command_line += ' ' + argument;
  return environment;
}

Screen screen_of(int descriptor) {
  Screen screen;
  screen.is_terminal = isatty(descriptor) == 1;
  const char* no_color = std::getenv("NO_COLOR");
  const char* term = std::getenv("TERM");
  bool is_dumb = term != nullptr && std::string_view(term) == "dumb";
  screen.has_colour = screen.is_terminal && !is_dumb && (no_color == nullptr || *no_color == '\0');
  winsize size{};
  if (screen.is_terminal && ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
    screen.columns = size.ws_col;
  return screen;
}

}  // namespace

int main(int argc, char** argv) {
  std::signal(SIGXFSZ, SIG_IGN);  // beyond the limit on file sizes a write fails, and its error is reported
  const std::vector<std::string> arguments(argv + (argc > 0 ? 1 : 0), argv + argc);
  const Environment environment = read_environment(arguments);
  const Screen out_screen = screen_of(STDOUT_FILENO), err_screen = screen_of(STDERR_FILENO);
  gktune::PrintableStream out(std::cout), err(std::cerr);
  gktune::Log log(err, err_screen);
  std::optional<Interrupts> interrupts;
  auto catch_interrupts = [&interrupts] {
    interrupts.emplace();
    return [&interrupts] { return interrupts->requested(); };
  };
  gktune::Context context{environment, out, err, std::cout, out_screen, err_screen, log, catch_interrupts};
  return static_cast<int>(gktune::run_program(arguments, context));
}
