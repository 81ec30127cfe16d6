#pragma once

#include <string>
#include <string_view>

namespace gktune {

// Clang's code in LLVM's language, with a call of gktune_copy (gktune/instrument.h) in place of each copy of
// a struct. Clang's sanitizers do not check the alignment of such a copy, and its instrumentation forgets it;
// LLVM's language has it.
std::string with_checked_copies(std::string_view llvm_text);

}  // namespace gktune
