#include "tuner/device/host/compiler_options.h"

#include <string_view>

namespace gktune {
namespace {

// Of the options for NVRTC: the standard, macros and folders.
void add_cuda_option(std::vector<std::string>& all, std::string_view option) {
  const auto value_of = [&](std::string_view name) -> std::string_view {
    return option.starts_with(name) ? option.substr(name.size()) : std::string_view();
  };
  for (const std::string_view name : {"--std=", "-std="}) {
    const std::string_view standard = value_of(name);
    // Our headers need C++17; NVRTC takes that for its default too.
    if (!standard.empty() && standard != "c++11" && standard != "c++14" && standard != "c++03") {
      all.push_back("-std=" + std::string(standard));
    }
  }
  for (const auto& [name, flag] : {std::pair<std::string_view, std::string_view>{"--define-macro=", "-D"},
                                   {"--undefine-macro=", "-U"},
                                   {"--include-path=", "-I"}}) {
    if (const std::string_view value = value_of(name); !value.empty())
      all.push_back(std::string(flag).append(value));
  }
  for (const std::string_view flag : {"-D", "-U", "-I"}) {
    if (!value_of(flag).empty()) all.emplace_back(option);
  }
}

// A sanitizer's instrumentation without its library: gktune/instrument.h takes the calls.
void add_instrumentation(std::vector<std::string>& all) {
  // Optimised, a loop may read beforehand what it would not have read.
  for (const char* option : {"-O1", "-include", "gktune/instrument.h",
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
  std::vector<std::string> all{"-x", "c++", "-O2", "-g1", "-fPIC", "-shared"};
  if (source.language == Language::cpp) {
    all.emplace_back("-std=c++20");
    all.insert(all.end(), source.options.begin(), source.options.end());
    if (instrumentation == Instrumentation::sanitize) {
      // Last, and not optimised: compilers make one trap of several, which would blame the wrong line. DWARF
      // 5 of clang 14 at -O0 is read wrongly by the addr2line of its time.
      all.insert(all.end(),
                 {"-fsanitize=address,undefined", "-fsanitize-undefined-trap-on-error", "-O0", "-gdwarf-4"});
    }
  } else {
    // Reinterpreted pointers and wrapping integers are everyday in kernels; exceptions are not known there.
    for (const char* option : {"-std=c++17", "-w", "-fvisibility=hidden", "-fno-strict-aliasing", "-fwrapv",
                               "-fno-exceptions", "-fno-rtti", "-fno-math-errno", "-fno-trapping-math",
                               "-fno-asynchronous-unwind-tables", "-fstack-clash-protection"}) {
      all.emplace_back(option);
    }
    if (instrumentation == Instrumentation::sanitize) add_instrumentation(all);
    for (const std::string& option : source.options) add_cuda_option(all, option);
  }
  for (const std::string& dir : source.include_dirs) all.push_back("-I" + dir);
  return all;
}

std::vector<std::string> libraries_of(const SourcePlan& source, Instrumentation instrumentation) {
  if (source.language == Language::cpp || instrumentation == Instrumentation::none) return {};
  return {"-lstdc++", "-lm", "-lgcc_s", "-lgcc", "-lc"};
}

}  // namespace gktune
