#pragma once

namespace gktune {

// Catches SIGINT and SIGTERM while it lives. The first asks for an orderly end, the second ends the process
// at once. One at a time.
class Interrupts {
 public:
  Interrupts();
  ~Interrupts();
  Interrupts(const Interrupts&) = delete;
  Interrupts& operator=(const Interrupts&) = delete;

  bool requested() const;
};

}  // namespace gktune
