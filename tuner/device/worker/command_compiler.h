#pragma once

#include <memory>

#include "tuner/device/worker/backend.h"

namespace gktune {

// Compiles variants of Language::command with the program that they name, which runs as long as the compiler,
// and all others with `own`. The program returns a source, which `own` compiles, or machine code.
// docs/space-file.md describes the lines that it reads and writes.
std::unique_ptr<Compiler> with_commands(std::unique_ptr<Compiler> own);

}  // namespace gktune
