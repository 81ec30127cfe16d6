#include "tuner/device/cuda/compile/nvrtc.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <iterator>
#include <sstream>
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
#define M_LOG10E 0.43429448190325182765
#define M_LN2 0.69314718055994530942
#define M_LN10 2.30258509299404568402
#define M_PI 3.14159265358979323846
#define M_PI_2 1.57079632679489661923
#define M_PI_4 0.78539816339744830962
#define M_1_PI 0.31830988618379067154
#define M_2_PI 0.63661977236758134308
#define M_2_SQRTPI 1.12837916709551257390
#define M_SQRT2 1.41421356237309504880
#define M_SQRT1_2 0.70710678118654752440
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

// Headers with the names and the contents of those below <cuda/std/>.
constexpr std::string_view kBorrowed =
    "cstdint climits array atomic bit complex functional initializer_list limits numeric optional concepts "
    "iterator ratio span tuple type_traits utility";

// Headers that kernels do not use. Files that also hold code for the CPU include them.
constexpr std::string_view kWithoutKernels =
    "any cerrno cfenv charconv chrono clocale condition_variable csetjmp csignal cstdarg ctime cwchar deque "
    "errno.h exception execution fcntl.h filesystem forward_list fstream future getopt.h iomanip ios iosfwd "
    "iostream istream libgen.h list locale locale.h map memory mutex new ostream pthread.h queue random "
    "regex "
    "set shared_mutex signal.h sstream stack stdarg.h stdexcept streambuf string string_view strings.h "
    "sys/mman.h sys/resource.h sys/stat.h sys/time.h sys/utsname.h sys/wait.h system_error thread time.h "
    "typeindex typeinfo unistd.h unordered_map unordered_set valarray variant vector";

// The toolkit has no header that includes all of these.
constexpr std::string_view kAlgorithms = "min max clamp fill copy lower_bound upper_bound";

// CUB for device code: its own <cub/cub.cuh> includes algorithms for the host too, which NVRTC refuses.
constexpr std::string_view kCub =
    "block/block_adjacent_difference block/block_discontinuity block/block_exchange block/block_histogram "
    "block/block_load block/block_merge_sort block/block_radix_sort block/block_reduce "
    "block/block_run_length_decode block/block_scan block/block_shuffle block/block_store warp/warp_exchange "
    "warp/warp_load warp/warp_merge_sort warp/warp_reduce warp/warp_scan warp/warp_store thread/thread_load "
    "thread/thread_operators thread/thread_store";

std::vector<std::string> words_in(std::string_view text) {
  std::istringstream stream{std::string(text)};
  return {std::istream_iterator<std::string>(stream), {}};
}

constexpr const char* kOnce = "#pragma once\n";

// Included once: the toolkit's include guard does not cover the text behind the includes.
std::string borrowed(const std::string& from, const std::string& includes = {}) {
  const std::string text = kOnce + ("#include <cuda/std/" + from + ">\n") + includes;
  if (from == "climits") return text;  // macros alone
  return text + "namespace std { using namespace ::cuda::std; }\n";
}

}  // namespace

std::vector<std::pair<std::string, std::string>> standard_headers() {
  std::vector<std::pair<std::string, std::string>> headers;
  for (const Plain& plain : kPlain) {
    const std::string text = std::string(kOnce) + plain.text;
    headers.emplace_back(plain.c_name, text);
    headers.emplace_back(plain.cpp_name, text + "namespace std { " + plain.standard + " }\n");
  }
  std::string cub = kOnce, algorithms;
  for (const std::string& name : words_in(kCub)) {
    const std::string file = "<cub/" + name + ".cuh>";
    cub += "#if __has_include(" + file + ")\n#include " + file + "\n#endif\n";
  }
  headers.emplace_back("cub/cub.cuh", std::move(cub));
  // Kernels use the types that these bring along.
  for (const std::string& name : words_in(kWithoutKernels)) headers.emplace_back(name, borrowed("cstddef"));
  for (const std::string& name : words_in(kBorrowed)) headers.emplace_back(name, borrowed(name));
  for (const char* name : {"stdint.h", "inttypes.h"}) headers.emplace_back(name, borrowed("cstdint"));
  headers.emplace_back("limits.h", borrowed("climits"));
  headers.emplace_back("sys/types.h", std::string(kOnce) +
                                          "typedef unsigned int uint; typedef unsigned short ushort; "
                                          "typedef unsigned long ulong; namespace std {}\n");
  for (const std::string& name : words_in(kAlgorithms))
    algorithms += "#include <cuda/std/__algorithm/" + name + ".h>\n";
  headers.emplace_back("algorithm", borrowed("utility", algorithms));
  // The driver's own header declares functions, which NVRTC refuses. <cuda/barrier> declares the type too.
  headers.emplace_back("cuda.h", std::string(kOnce) +
                                     "struct alignas(64) CUtensorMap_st { unsigned long long opaque[16]; };\n"
                                     "typedef struct CUtensorMap_st CUtensorMap;\n");
  return headers;
}

// Owns a program of NVRTC.
class Nvrtc::Program {
 public:
  Program(const Functions& functions, const NvrtcSource& source) : functions_(functions) {
    std::vector<const char*> names, texts;
    for (const auto& [name, text] : source.headers) {
      names.push_back(name.c_str());
      texts.push_back(text.c_str());
    }
    status_ = functions_.nvrtcCreateProgram(&program_, source.text.c_str(), source.name.c_str(),
                                            static_cast<int>(names.size()), texts.data(), names.data());
  }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;
  ~Program() {
    if (program_ != nullptr) functions_.nvrtcDestroyProgram(&program_);
  }

  // Calls do nothing after the first failure.
  void add_name(const std::string& name) {
    if (ok()) status_ = functions_.nvrtcAddNameExpression(program_, name.c_str());
  }
  void compile(const std::vector<std::string>& options) {
    if (!ok()) return;
    std::vector<const char*> texts;
    for (const auto& option : options) texts.push_back(option.c_str());
    status_ = functions_.nvrtcCompileProgram(program_, static_cast<int>(texts.size()), texts.data());
  }
  std::string cubin() { return text(functions_.nvrtcGetCUBINSize, functions_.nvrtcGetCUBIN); }
  std::string lowered(const std::string& name) {
    const char* symbol = nullptr;
    if (ok()) status_ = functions_.nvrtcGetLoweredName(program_, name.c_str(), &symbol);
    return ok() && symbol != nullptr ? symbol : "";
  }

  // A successful compilation has a log too.
  std::string log() const {
    std::size_t size = 0;
    if (program_ == nullptr || functions_.nvrtcGetProgramLogSize(program_, &size) != NVRTC_SUCCESS ||
        size < 2)
      return {};
    std::string log(size, '\0');
    if (functions_.nvrtcGetProgramLog(program_, log.data()) != NVRTC_SUCCESS) return {};
    std::erase(log, '\0');  // the assembler's part ends in one
    return log;
  }
  bool ok() const { return status_ == NVRTC_SUCCESS; }
  nvrtcResult status() const { return status_; }

 private:
  std::string text(decltype(Functions::nvrtcGetCUBINSize) size_of, decltype(Functions::nvrtcGetCUBIN) copy) {
    std::size_t size = 0;
    if (ok()) status_ = size_of(program_, &size);
    std::string text(size, '\0');
    if (ok()) status_ = copy(program_, text.data());
    return text;
  }

  const Functions& functions_;
  nvrtcProgram program_ = nullptr;
  nvrtcResult status_ = NVRTC_SUCCESS;
};

namespace {

// NVRTC opens its builtins by name only, which the loader may not find. It finds them once they are open.
void open_builtins_beside(const std::string& nvrtc_path) {
  const std::filesystem::path directory = std::filesystem::path(nvrtc_path).parent_path();
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(directory, error)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with("libnvrtc-builtins.so.")) continue;
    (void)DynamicLibrary::open("NVRTC's builtins", {name}, {directory.string()});
  }
}

}  // namespace

Result<Nvrtc> Nvrtc::open(const ToolkitPlaces& places) {
  const auto directories = toolkit_library_dirs(places);
  auto library = GKTUNE_TRY(
      DynamicLibrary::open("NVIDIA's run-time compiler", {"libnvrtc.so.13", "libnvrtc.so.12"}, directories));

  open_builtins_beside(library.path());

  Functions functions{};
  FunctionLoader loader(library);
#define GKTUNE_LOAD(function) functions.function = loader(#function);
  GKTUNE_NVRTC_FUNCTIONS(GKTUNE_LOAD)
#undef GKTUNE_LOAD
  GKTUNE_TRY(loader.done());

  Nvrtc nvrtc(std::move(library), functions);
  int count = 0;
  if (functions.nvrtcVersion(&nvrtc.major_, &nvrtc.minor_) != NVRTC_SUCCESS ||
      functions.nvrtcGetNumSupportedArchs(&count) != NVRTC_SUCCESS) {
    return Error{nvrtc.path() + " does not answer what version it is"};
  }
  nvrtc.architectures_.resize(static_cast<std::size_t>(count));
  if (functions.nvrtcGetSupportedArchs(nvrtc.architectures_.data()) != NVRTC_SUCCESS) {
    return Error{nvrtc.path() + " does not answer which GPUs it compiles for"};
  }
  return nvrtc;
}

std::vector<std::string> Nvrtc::own_options() const {
  std::vector<std::string> options{"--modify-stack-limit=false"};
  // Its cache on disk forgets the log, and asks for a driver.
  if (major_ > 12 || (major_ == 12 && minor_ >= 9)) options.emplace_back("--no-cache");
  return options;
}

NvrtcOutput Nvrtc::compile(const NvrtcSource& source) const {
  Program program(functions_, source);
  for (const auto& entry : source.entries) program.add_name(entry);
  std::vector<std::string> options = own_options();
  options.insert(options.end(), source.options.begin(), source.options.end());
  program.compile(options);

  NvrtcOutput output;
  output.log = program.log();
  output.cubin = program.cubin();
  for (const auto& entry : source.entries) output.symbols.push_back(program.lowered(entry));
  output.ok = program.ok();
  if (!output.ok && output.log.empty()) {
    output.log = std::string("NVRTC: ") + functions_.nvrtcGetErrorString(program.status());
  }
  return output;
}

bool any_starts_with(const std::vector<std::string>& options,
                     std::initializer_list<std::string_view> beginnings) {
  return std::ranges::any_of(options, [&](const std::string& option) {
    return std::ranges::any_of(beginnings, [&](std::string_view start) { return option.starts_with(start); });
  });
}

int architecture_number(std::string_view architecture) {
  if (!architecture.starts_with("sm_")) return 0;
  architecture.remove_prefix(3);
  int number = 0;
  const auto [end, error] =
      std::from_chars(architecture.data(), architecture.data() + architecture.size(), number);
  const std::string_view rest(end, static_cast<std::size_t>(architecture.data() + architecture.size() - end));
  return error == std::errc() && (rest.empty() || rest == "a" || rest == "f") ? number : 0;
}

std::string real_architecture(const std::string& architecture, const std::vector<int>& known) {
  int number = architecture_number(architecture);
  if (number == 0) return architecture;
  if (std::ranges::find(known, number) == known.end()) {
    for (int candidate : known) {
      if (candidate < number && candidate / 10 == number / 10) number = candidate;
    }
    return "sm_" + std::to_string(number);
  }
  return "sm_" + std::to_string(number) + (number >= 90 ? "a" : "");
}

}  // namespace gktune
