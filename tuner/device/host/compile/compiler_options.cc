#include "tuner/device/host/compile/compiler_options.h"

namespace gktune {
namespace {

// A sanitizer's instrumentation without its library: gktune/instrument.h takes the calls.
void add_instrumentation(std::vector<std::string>& all) {
  // Optimised code may load what the source does not read, and not load or check what it reads.
  for (const char* option : {"-O0", "-fno-omit-frame-pointer", "-include", "gktune/instrument.h",
                             "-fsanitize=thread,alignment,null,bounds,shift-exponent,integer-divide-by-zero,"
                             "bool,enum,return,unreachable,"
                             "vla-bound",
                             "-fno-sanitize-recover=all", "-fno-builtin-memcpy", "-fno-builtin-memmove",
                             "-fno-builtin-memset", "-Wl,-Bsymbolic", "-nodefaultlibs"}) {
    all.emplace_back(option);
  }
}

}  // namespace

std::vector<std::string> compiler_options(const SourcePlan& source, Instrumentation instrumentation) {
  // DWARF 5 numbers its files in a way that the addr2line of GCC 12 and clang 14 reads wrongly: code
  // outside the entry's function is attributed to our translation unit.
  std::vector<std::string> all{"-x", "c++", "-O2", "-gdwarf-4", "-g1", "-fPIC", "-shared"};
  if (source.language != Language::cuda) {
    all.emplace_back("-std=c++20");
    all.insert(all.end(), source.options.begin(), source.options.end());
    if (instrumentation == Instrumentation::sanitize) {
      // The last option switches optimisation off: compilers merge traps, and the report would name a wrong line.
      all.insert(all.end(), {"-fsanitize=address,undefined", "-fsanitize-undefined-trap-on-error", "-O0"});
    }
  } else {
    // Kernels often reinterpret pointers and rely on wrapping integers. They have no exceptions.
    for (const char* option : {"-std=c++17", "-w", "-fvisibility=hidden", "-fno-strict-aliasing", "-fwrapv",
                               "-fno-exceptions", "-fno-rtti", "-fno-math-errno", "-fno-trapping-math",
                               "-fno-asynchronous-unwind-tables", "-fstack-clash-protection"}) {
      all.emplace_back(option);
    }
    // The options of a plain C++ source are meant for this compiler.
    all.insert(all.end(), source.options.begin(), source.options.end());
    if (instrumentation == Instrumentation::sanitize) add_instrumentation(all);
  }
  for (const std::string& dir : source.include_dirs) all.push_back("-I" + dir);
  return all;
}

std::vector<std::string> libraries_of(const SourcePlan& source, Instrumentation instrumentation) {
  if (source.language != Language::cuda || instrumentation == Instrumentation::none) return {};
  return {"-lstdc++", "-lm", "-lgcc_s", "-lgcc", "-lc"};
}

}  // namespace gktune
