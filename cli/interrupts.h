#pragma once

namespace gktune {

// Catches SIGINT and SIGTERM during its lifetime. The first signal requests an orderly end, the second ends
// the process at once. Create one at a time.
class Interrupts {
 public:
  Interrupts();
  ~Interrupts();
  Interrupts(const Interrupts&) = delete;
  Interrupts& operator=(const Interrupts&) = delete;

  bool requested() const;
};

}  // namespace gktune
