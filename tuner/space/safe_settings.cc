#include "tuner/space/safe_settings.h"

#include <algorithm>
#include <span>
#include <string>

namespace gktune {
namespace {

using namespace std::string_view_literals;

// GCC, clang, NVRTC, nvcc. A pattern's last '*' stands for letters, digits, '-', '_' and
// '.'; its last '=' for a value.
constexpr std::string_view kSafe = R"(
-O -O0 -O1 -O2 -O3 -Os -Oz -Og -Ofast -g -g0 -g1 -g2 -g3 -ggdb -gdwarf-* -gline-tables-only -std= -ansi
-pedantic -pedantic-errors -w -pthread -W* -W*= -m* -m*= --param= -l* --use_fast_math -use_fast_math
--extra-device-vectorization -extra-device-vectorization --device-debug -G --generate-line-info -lineinfo
--restrict -restrict --fmad= -fmad= --ftz= -ftz= --prec-div= -prec-div= --prec-sqrt= -prec-sqrt=
--maxrregcount= -maxrregcount= --std= --dopt --dopt= -dopt -dopt= --ptxas-options= -Xptxas=
--device-as-default-execution-space -default-device --disable-warnings --diag-error= -diag-error=
--diag-suppress= -diag-suppress= --diag-warn= -diag-warn= --display-error-number --no-display-error-number
--builtin-move-forward= --builtin-initializer-list= --minimal -minimal --split-compile= -split-compile=
--Ofast-compile= -Ofc= --fdevice-syntax-only --relocatable-device-code= -rdc= --dlink-time-opt -dlto
--jump-table-density= -jtd= --device-stack-protector= --device-float128 -device-float128
--modify-stack-limit= --device-int128 -device-int128 --optimization-info= -opt-info= --no-source-include
--gpu-architecture= -arch= --frandom-seed= --m64 --no-cache --expt-relaxed-constexpr -expt-relaxed-constexpr
--extended-lambda -extended-lambda --expt-extended-lambda -expt-extended-lambda)";

// After -f and -fno-.
constexpr std::string_view kSafeFeatures = R"(
align-* align-*= associative-math branch-* builtin builtin-* caller-saves char8_t code-hoisting combine-*
common concepts conserve-stack constexpr-*= coroutines cprop-registers crossjumping cse-* cx-*
data-sections dce defer-pop delayed-branch delete-null-pointer-checks devirtualize* dse early-inlining
exceptions excess-precision= expensive-optimizations fast-math finite-loops finite-math-only float-store
forward-propagate fp-contract= fp-model= function-sections gcse* graphite* guess-branch-probability
hoist-* honor-infinities honor-nans if-conversion* implicit-* indirect-inlining inline inline-*
inline-limit= ipa-* ira-* ira-*= isolate-* ivopts keep-* live-* loop-* lra-remat lto lto= math-errno
merge-* modulo-* move-* omit-frame-pointer openacc openmp openmp= openmp-* optimize-* pack-struct
partial-inlining peel-loops peephole* permissive PIC pic PIE pie plt predictive-commoning
prefetch-loop-arrays printf-return-value protect-parens reciprocal-math ree rename-registers reorder-*
reorder-*= rerun-* reschedule-* rounding-math rtti sanitize= sanitize-* save-loops sched-* sched-*=
schedule-* section-anchors sel-sched-* semantic-interposition short-enums shrink-wrap* signaling-nans
signed-char signed-zeros simd-cost-model= single-precision-constant sized-deallocation slp-vectorize
split-* ssa-* stack-clash-protection stack-protector* stack-reuse= stdarg-opt store-merging strict-*
strict-*= template-depth= thread-jumps threadsafe-statics tracer trapping-math trapv tree-* tree-*=
unconstrained-commons unit-at-a-time unroll-* unroll-loops unsafe-math-optimizations unsigned-char
unswitch-loops unwind-tables variable-expansion-in-unroller vect-cost-model= vectorize veclib=
version-loops-for-strides visibility= visibility-* web whole-program wrapv zero-*)";

// Beginnings of unsafe options that a pattern above matches.
constexpr std::string_view kUnsafe[] = {"-mllvm", "-mlinker-version"};

// Options of nvcc that hold one for another program.
constexpr std::string_view kForAssembler[] = {"--ptxas-options=", "-Xptxas="};
constexpr std::string_view kForHostCompiler[] = {"--compiler-options=", "-Xcompiler="};

constexpr std::string_view kLoaderVariables = R"(
PATH COMPILER_PATH LIBRARY_PATH CPATH C_INCLUDE_PATH CPLUS_INCLUDE_PATH GCONV_PATH LOCPATH NLSPATH
GLIBC_TUNABLES MALLOC_TRACE OMP_TOOL OMP_TOOL_LIBRARIES OMP_TOOL_VERBOSE_INIT CUDA_INJECTION64_PATH
CUDA_INJECTION32_PATH NVTX_INJECTION64_PATH NVTX_INJECTION32_PATH BASH_ENV ENV SHELL IFS HOME TMPDIR
XDG_CACHE_HOME CXX CC CUDA_HOME CUDA_PATH RES_OPTIONS HOSTALIASES RESOLV_HOST_CONF GETCONF_DIR TZDIR
ASAN_OPTIONS UBSAN_OPTIONS TSAN_OPTIONS MSAN_OPTIONS LSAN_OPTIONS LD_* DYLD_* GCC_* DEPENDENCIES_*
SUNPRO_* CCACHE_* LLVM_PROFILE* GCOV_* PYTHON* PERL*)";

bool is_name_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_' ||
         c == '.';
}

// No folder, and no comma that ends an option within an option.
bool is_name(std::string_view text) { return std::ranges::all_of(text, is_name_character); }
bool is_value(std::string_view text) {
  return std::ranges::all_of(
      text, [](char c) { return is_name_character(c) || "=,:+"sv.find(c) != std::string_view::npos; });
}

bool matches(std::string_view option, std::string_view pattern) {
  const bool takes_value = pattern.ends_with('=');
  if (takes_value) {
    const std::size_t equals = option.find('=');
    if (equals == option.npos || !is_value(option.substr(equals + 1))) return false;
    option = option.substr(0, equals);
    pattern.remove_suffix(1);
  }
  if (!pattern.ends_with('*')) return option == pattern;
  pattern.remove_suffix(1);
  return option.starts_with(pattern) && is_name(option.substr(pattern.size()));
}

bool is_in(std::string_view text, std::string_view patterns) {
  while (true) {
    patterns.remove_prefix(std::min(patterns.find_first_not_of(" \n"), patterns.size()));
    if (patterns.empty()) return false;
    const std::string_view pattern = patterns.substr(0, patterns.find_first_of(" \n"));
    if (matches(text, pattern)) return true;
    patterns.remove_prefix(pattern.size());
  }
}

bool starts_any(std::string_view text, std::span<const std::string_view> beginnings) {
  return std::ranges::any_of(beginnings, [&](std::string_view each) { return text.starts_with(each); });
}

constexpr std::string_view kNotOnTheList = "is not on the list of safe options";

}  // namespace

bool is_safe_option(std::string_view option) {
  if (starts_any(option, kUnsafe)) return false;
  const std::string_view value = option.substr(std::min(option.find('='), option.size() - 1) + 1);
  if (starts_any(option, kForAssembler) && (value.starts_with("-o") || value.find(",-o") != value.npos))
    return false;
  if (starts_any(option, kForHostCompiler))
    return value.find(',') == value.npos && !starts_any(value, kForHostCompiler) && is_safe_option(value);
  // Macros, and folders of headers. Their argument is in the same word.
  for (const std::string_view prefix : {"-D"sv, "-U"sv, "-I"sv, "-isystem"sv, "-iquote"sv,
                                        "--define-macro="sv, "--undefine-macro="sv, "--include-path="sv}) {
    if (option.starts_with(prefix)) return option.size() > prefix.size() && option[prefix.size()] != '-';
  }
  if (is_in(option, kSafe)) return true;
  if (!option.starts_with("-f")) return false;
  option.remove_prefix(2);
  if (option.starts_with("no-")) option.remove_prefix(3);
  return is_in(option, kSafeFeatures);
}

std::string unsafe_option_error(std::string_view option) {
  return "option '" + std::string(option) + "' " + std::string(kNotOnTheList);
}

bool is_about_unsafe_option(std::string_view message) {
  return message.find(kNotOnTheList) != message.npos;
}

bool changes_loader(std::string_view variable) { return is_in(variable, kLoaderVariables); }

}  // namespace gktune
