#include "cli/interrupts.h"

#include <unistd.h>

#include <csignal>

#include "cli/exit_code.h"

namespace gktune {
namespace {

// A signal handler can access nothing else safely.
volatile std::sig_atomic_t signals_seen = 0;

extern "C" void on_signal(int) {
  if (signals_seen > 0) _exit(static_cast<int>(ExitCode::interrupted));
  signals_seen = 1;
}

}  // namespace

Interrupts::Interrupts() {
  signals_seen = 0;
  struct sigaction action {};
  action.sa_handler = on_signal;
  sigemptyset(&action.sa_mask);
  action.sa_flags = SA_RESTART;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

Interrupts::~Interrupts() {
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
}

bool Interrupts::requested() const { return signals_seen > 0; }

}  // namespace gktune
