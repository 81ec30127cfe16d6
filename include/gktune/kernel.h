#pragma once

#include <chrono>
#include <cstring>
#include <filesystem>
#include <functional>
#include <optional>
#include <type_traits>

#include "gktune/answer.h"
#include "gktune/result.h"

namespace gktune {

// The element type of a C++ type; nothing for others, such as void and structures.
template <class T>
constexpr std::optional<ElementType> element_type_of() {
  using Plain = std::remove_cv_t<T>;
  if (std::is_same_v<Plain, float>) return ElementType::float32;
  if (std::is_same_v<Plain, double>) return ElementType::float64;
  if constexpr (std::is_integral_v<Plain> && !std::is_same_v<Plain, bool>) {
    constexpr ElementType smallest = std::is_signed_v<Plain> ? ElementType::int8 : ElementType::uint8;
    return static_cast<ElementType>(static_cast<int>(smallest) + std::countr_zero(sizeof(Plain)));
  }
  return std::nullopt;
}

// An argument of a launch: a pointer to memory of the device, or a number.
class LaunchArgument {
 public:
  template <class T>
  LaunchArgument(T* pointer) : form_(form_of(kPointer | (std::is_const_v<T> ? kConst : 0), element_type_of<T>())) {
    const auto address = reinterpret_cast<std::uintptr_t>(pointer);
    std::memcpy(value_, &address, sizeof address);
  }
  template <class T>
  requires std::integral<T> || std::floating_point<T> LaunchArgument(T scalar)
      : form_(form_of(std::is_same_v<T, bool> ? kBoolean : 0, element_type_of<T>())) {
    static_assert(sizeof(T) <= sizeof value_);
    std::memcpy(value_, &scalar, sizeof scalar);
  }
  enum class Access { read, write };
  // An address of memory whose elements have this type, if it is known.
  static LaunchArgument address(std::uintptr_t address, std::optional<ElementType> type, Access access) {
    LaunchArgument argument(reinterpret_cast<void*>(address));
    argument.form_ = form_of(kPointer | (access == Access::read ? kConst : 0), type);
    return argument;
  }
  // A number of a type that C++ may not have; `bytes` is as long as an element.
  static LaunchArgument scalar(ElementType type, const void* bytes) {
    LaunchArgument argument(0);
    argument.form_ = form_of(0, type);
    std::memcpy(argument.value_, bytes, element_size(type));
    return argument;
  }

  const void* value() const { return value_; }
  static constexpr std::size_t kValueOffset = 0;  // of value() in the object
  // True if all bytes of the value are 0, as of a null pointer and of the number 0.
  bool is_zero() const {
    std::uint64_t bits = 0;
    std::memcpy(&bits, value_, sizeof bits);
    return bits == 0;
  }
  bool is_pointer() const { return (form_ & kPointer) != 0; }
  bool is_const() const { return (form_ & kConst) != 0; }
  bool is_boolean() const { return (form_ & kBoolean) != 0; }  // a scalar that no kernel takes
  // Empty if the argument may have any type.
  std::optional<ElementType> type() const {
    const std::uint32_t type = form_ >> kTypeShift;
    return type == 0 ? std::nullopt : std::optional(static_cast<ElementType>(type - 1));
  }

  // All but the value in one number, which launches compare: these flags, and the type.
  static constexpr std::uint32_t kPointer = 1, kConst = 2, kBoolean = 4;
  static constexpr std::uint32_t form_of(std::uint32_t flags, std::optional<ElementType> type) {
    return flags | (type ? static_cast<std::uint32_t>(*type) + 1 : 0) << kTypeShift;
  }
  std::uint32_t form() const { return form_; }

 private:
  static constexpr int kTypeShift = 8;

  alignas(8) unsigned char value_[8] = {};
  std::uint32_t form_;
};

enum class Compilation {
  at_first_use,   // the first launch for a problem waits for the compiler
  in_background,  // the default configuration serves until the compiler is done
};

struct KernelParts;

struct KernelSettings {
  // Bundles, in order of preference. Of answers that match equally well, theirs come before those of databases. Their
  // code needs no compiler.
  std::vector<std::filesystem::path> bundles = {};
  // Databases with winners, in order of preference. Without one, the default of the space file serves.
  std::vector<std::filesystem::path> databases = {};
  LookupSettings lookup = {};
  // A thread looks this often whether another process has tuned, and prepares the new winners. 0: databases are read
  // once.
  std::chrono::milliseconds follow_interval = std::chrono::seconds(1);
  // Winners measured with another major version than these are not used. The sources always have to be the same.
  std::string driver = {}, runtime = {};
  // auto (the GPU of the calling thread's context, else the first GPU, else the host), host, cuda or cuda:N. A GPU's
  // kernels belong to the calling thread's context if that is of this GPU, else to its primary context.
  std::string device = "auto";
  // Compiled code is kept in this folder. Empty: until the kernel is destroyed.
  std::filesystem::path cache_dir = {};
  // The arguments that a launch passes, in this order, by their names in the space file. The others get the
  // values of the space file, and scratch memory. Empty: all arguments that no axis, parameter or device
  // determines, in the order of the file: buffers but scratch memory, and scalars with a constant value.
  std::vector<std::string> arguments = {};
  Compilation compilation = Compilation::at_first_use;
  // A configuration that matches worse is an error of the launch.
  Match worst = Match::none;
  // The kernel tunes, follows and compiles nothing at run time. Its code comes from bundles and from the cache.
  bool is_frozen = false;
  // The launches of this many problems stay prepared, those that were used last. All launches of kernels with
  // variables or setup steps do.
  std::size_t most_problems = 4096;
  // Told of each configuration that failed, once, and once that the default serves and why. Called from the thread
  // that launches or compiles; it may use the kernel, but not destroy it.
  std::function<void(const std::string&)> on_notice = {};
  std::string cxx = "c++";     // the system's C++ compiler, for the host
  std::string cuda_home = {};  // the CUDA toolkit's folder; empty: the usual places
  // Starts a worker process for autotune().
  std::vector<std::string> worker = {"gktune", "worker"};
};

// A tuned kernel: chooses a configuration for each problem, compiles it, and launches all its steps.
//
// Several threads may launch one kernel. The first launch for a problem chooses, compiles and loads; later
// ones take no lock and allocate nothing. Launches are queued in the caller's stream; those on the host have
// run when launch() returns. They may be captured in a CUDA graph, unless a flag ends a repeat. A process
// that forks leaves its kernels to the parent: in the child all calls are errors, and the destructor releases
// nothing. A kernel that was moved from does nothing but return errors too.
class Kernel {
 public:
  // From the sources, with bundles and databases.
  static Result<Kernel> open(const std::string& space_file, KernelSettings settings = {});
  // A kernel that the bundles have code of. Needs neither sources nor compiler nor databases; settings for these do
  // not count.
  static Result<Kernel> open_bundled(const std::string& kernel, KernelSettings settings);
  Kernel(Kernel&&) noexcept;
  Kernel& operator=(Kernel&&) noexcept;
  // Launches must have been waited for. After the end of CUDA it releases nothing on the GPU.
  ~Kernel();

  // The axes of a problem, in the order in which launches name their values.
  const std::vector<std::string>& axes() const;

  // `stream` is a CUstream or cudaStream_t; null: the default stream.
  Result<void> launch(std::span<const AxisValue> problem, std::span<const LaunchArgument> arguments,
                      void* stream = nullptr);
  Result<void> launch(std::initializer_list<AxisValue> problem, std::initializer_list<LaunchArgument> arguments,
                      void* stream = nullptr) {
    return launch(std::span(problem), std::span(arguments), stream);
  }

  // Compiles and loads what a launch would run, and describes it.
  Result<Answer> prepare(std::span<const AxisValue> problem);
  Result<Answer> prepare(std::initializer_list<AxisValue> problem) { return prepare(std::span(problem)); }

  // Tunes for a problem that has no exact answer yet, stores the result in the first database, and uses it from then
  // on. Measures in other processes with copies of the buffers: what the arguments point to does not change. It needs
  // the program gktune and as much space in the folder for temporary files as the buffers have.
  Result<Answer> autotune(std::span<const AxisValue> problem, std::span<const LaunchArgument> arguments,
                          double budget_s);
  Result<Answer> autotune(std::initializer_list<AxisValue> problem, std::initializer_list<LaunchArgument> arguments,
                          double budget_s) {
    return autotune(std::span(problem), std::span(arguments), budget_s);
  }

 private:
  class State;
  static Result<Kernel> make(KernelParts parts);
  explicit Kernel(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace gktune
