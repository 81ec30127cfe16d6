#include "tuner/device/cuda/compile/standard_headers.h"

#include <string_view>

namespace gktune {
namespace {

// Headers whose functions NVRTC knows without being told, or whose text is short; C's and C++'s.
struct Plain {
  const char* c_name;
  const char* cpp_name;
  const char* text;      // for both
  const char* standard;  // what the C++ one adds to std
};
constexpr Plain kPlain[] = {
    {"assert.h", "cassert", "", ""},
    {"stdio.h", "cstdio", "", "using ::printf;"},
    {"stdlib.h", "cstdlib", "", "using ::malloc; using ::free;"},
    {"string.h", "cstring", "", "using ::memcpy; using ::memset; using ::size_t;"},
    {"stddef.h", "cstddef", "", "using ::size_t; using ::ptrdiff_t;"},
    {"math.h", "cmath", R"(
#ifndef INFINITY
#define INFINITY (__int_as_float(0x7f800000))
#endif
#ifndef NAN
#define NAN (__int_as_float(0x7fffffff))
#endif
#ifndef HUGE_VALF
#define HUGE_VALF INFINITY
#endif
#ifndef M_PI
#define M_E 2.7182818284590452354
#define M_LOG2E 1.4426950408889634074
#define M_LN2 0.69314718055994530942
#define M_PI 3.14159265358979323846
#define M_PI_2 1.57079632679489661923
#define M_SQRT2 1.41421356237309504880
#endif
)",
     "using ::abs; using ::fabs; using ::sqrt; using ::exp; using ::log; using ::pow; using ::sin; "
     "using ::cos; using ::tan; using ::tanh; using ::floor; using ::ceil; using ::round; using ::fmod; "
     "using ::fma; "
     "using ::fmin; using ::fmax; using ::sqrtf; using ::expf; using ::logf; using ::powf; using ::fabsf; "
     "using ::fmaf; using ::fminf; using ::fmaxf; using ::isnan; using ::isinf; using ::isfinite;"},
    {"float.h", "cfloat", R"(
#ifndef FLT_MAX
#define FLT_MAX 3.402823466e+38F
#define FLT_MIN 1.175494351e-38F
#define FLT_EPSILON 1.192092896e-07F
#define FLT_DIG 6
#define FLT_MANT_DIG 24
#define DBL_MAX 1.7976931348623157e+308
#define DBL_MIN 2.2250738585072014e-308
#define DBL_EPSILON 2.2204460492503131e-16
#define DBL_DIG 15
#define DBL_MANT_DIG 53
#endif
)",
     ""},
};

// Headers that replace one of the toolkit's.
struct Borrowed {
  const char* name;
  std::string_view from;  // below cuda/std/
};
constexpr Borrowed kBorrowed[] = {
    {"stdint.h", "cstdint"},
    {"cstdint", "cstdint"},
    {"inttypes.h", "cstdint"},
    {"limits.h", "climits"},
    {"climits", "climits"},
    {"algorithm", "utility"},  // with its includes below
    {"array", "array"},
    {"atomic", "atomic"},
    {"bit", "bit"},
    {"complex", "complex"},
    {"functional", "functional"},
    {"initializer_list", "initializer_list"},
    {"limits", "limits"},
    {"numeric", "numeric"},
    {"optional", "optional"},
    {"concepts", "concepts"},
    {"iterator", "iterator"},
    {"ratio", "ratio"},
    {"span", "span"},
    {"tuple", "tuple"},
    {"type_traits", "type_traits"},
    {"utility", "utility"},
};

// Headers that only host code uses. Files with host code include them; kernels see nothing of them.
constexpr const char* kHostOnly[] = {
    "any", "cerrno", "cfenv", "charconv", "chrono", "clocale", "condition_variable", "csetjmp", "csignal",
    "cstdarg", "ctime", "cwchar", "deque", "errno.h", "exception", "execution", "fcntl.h", "filesystem",
    "forward_list", "fstream", "future", "getopt.h", "iomanip", "ios", "iosfwd", "iostream", "istream",
    "libgen.h", "list", "locale", "locale.h", "map", "memory", "mutex", "new", "ostream", "pthread.h",
    "queue", "random", "regex", "set", "shared_mutex", "signal.h", "sstream", "stack", "stdarg.h",
    "stdexcept", "streambuf", "string", "string_view", "strings.h", "sys/mman.h", "sys/resource.h",
    "sys/stat.h", "sys/time.h", "sys/types.h", "sys/wait.h", "system_error", "thread", "time.h", "typeindex",
    "typeinfo", "unistd.h", "unordered_map", "unordered_set", "valarray", "variant", "vector"};

// The toolkit has no header that includes all of these.
constexpr std::string_view kAlgorithms[] = {"min",  "max",         "clamp",      "fill",
                                            "copy", "lower_bound", "upper_bound"};

// CUB for device code: its own <cub/cub.cuh> includes algorithms for the host too, which NVRTC refuses.
constexpr const char* kCub[] = {
    "block/block_adjacent_difference", "block/block_discontinuity", "block/block_exchange",
    "block/block_histogram", "block/block_load", "block/block_merge_sort", "block/block_radix_sort",
    "block/block_reduce", "block/block_run_length_decode", "block/block_scan", "block/block_shuffle",
    "block/block_store", "warp/warp_exchange", "warp/warp_load", "warp/warp_merge_sort", "warp/warp_reduce",
    "warp/warp_scan", "warp/warp_store", "thread/thread_load", "thread/thread_operators",
    "thread/thread_store"};

// Included once: the toolkit's include guard does not cover the text behind it.
std::string text_of(const Borrowed& header) {
  std::string text = "#pragma once\n#include <cuda/std/" + std::string(header.from) + ">\n";
  if (header.from == "climits") return text;  // macros alone
  if (std::string_view(header.name) == "algorithm") {
    for (std::string_view name : kAlgorithms)
      text += "#include <cuda/std/__algorithm/" + std::string(name) + ".h>\n";
  }
  return text + "namespace std { using namespace ::cuda::std; }\n";
}

}  // namespace

std::vector<std::pair<std::string, std::string>> standard_headers() {
  std::vector<std::pair<std::string, std::string>> headers;
  for (const Plain& plain : kPlain) {
    const std::string text = std::string("#pragma once\n") + plain.text;
    headers.emplace_back(plain.c_name, text);
    headers.emplace_back(plain.cpp_name, text + "namespace std { " + plain.standard + " }\n");
  }
  std::string cub = "#pragma once\n";
  for (const char* name : kCub) {
    const std::string file = std::string("<cub/") + name + ".cuh>";
    cub += "#if __has_include(" + file + ")\n#include " + file + "\n#endif\n";
  }
  headers.emplace_back("cub/cub.cuh", std::move(cub));
  // `using namespace std;` needs the namespace.
  for (const char* name : kHostOnly) headers.emplace_back(name, "#pragma once\nnamespace std {}\n");
  for (const Borrowed& borrowed : kBorrowed) headers.emplace_back(borrowed.name, text_of(borrowed));
  return headers;
}

}  // namespace gktune
