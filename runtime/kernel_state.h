#pragma once

#include <array>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "db/axis_table.h"
#include "db/winners_source.h"
#include "gktune/kernel.h"
#include "gktune/lookup.h"
#include "runtime/bundle/bundle.h"
#include "runtime/launch_device.h"
#include "tuner/space/plan.h"

namespace gktune {

inline constexpr std::size_t kMostValues = 256;  // arguments or parameters of a space file

// A kernel that is opened from its sources has these besides.
struct KernelSources {
  std::vector<std::shared_ptr<WinnersSource>> databases;
  TemporaryFolder temporary;  // the folder for compiled code, if it is not kept
  std::string cache_dir;      // the same, or the one that is kept
  // Tunes for the problem, and stores trials and winner in the first database.
  std::function<Result<void>(const Definition&, const Problem&, const LaunchDevice&, double budget_s)> tune;
};

// The parts of a kernel.
struct KernelParts {
  Definition definition;
  KernelSettings settings;
  std::unique_ptr<LaunchDevice> device;
  std::vector<std::shared_ptr<const Bundle>> bundles;
  std::optional<KernelSources> sources = std::nullopt;  // without them it compiles nothing
};

// An error if the kernel takes textures: only the tuner makes them.
Result<void> check_textures(const KernelDefinition& kernel);

Result<std::vector<std::shared_ptr<const Bundle>>> open_bundles(const KernelSettings& settings);

// A launch for one problem. It stays as it is. A hot launch finds the processor's first cache full of the
// driver's data: it reads few lines of memory, those at the beginning.
struct alignas(64) PreparedLaunch {
  std::unique_ptr<LaunchProgram> program;
  // The arguments that the caller passes, in its order.
  struct Passed {
    Passed(std::size_t argument, const ArgumentInfo& info)
        : place(static_cast<std::uint16_t>(argument)),
          may_be_zero(info.is_scalar || info.count == 0),
          ignored(info.is_written ? 0 : LaunchArgument::kConst),
          typed(LaunchArgument::form_of(info.is_scalar ? 0 : LaunchArgument::kPointer, info.type)),
          untyped(info.is_scalar ? typed : LaunchArgument::form_of(LaunchArgument::kPointer, std::nullopt)) {}
    bool accepts(const LaunchArgument& given) const {
      const std::uint32_t form = given.form() & ~ignored;
      return ((form == typed) | (form == untyped)) & (may_be_zero | !given.is_zero());
    }
    std::uint16_t place;                    // among the arguments of the plan
    bool may_be_zero;                       // false: the address of a buffer
    std::uint32_t ignored, typed, untyped;  // as LaunchArgument::form() has it
  };
  std::vector<Passed> passed;
  // Locates a value for the program: in the caller's arguments, or at an address that the kernel owns.
  struct GivenValue {
    std::uintptr_t address = 0;      // or the offset in the arguments
    std::uintptr_t passed_bits = 0;  // all set: in the arguments; 0: at the address
    // A branch here would be mispredicted: launches are too rare for the predictor to know it.
    void* in(std::span<const LaunchArgument> arguments) const {
      return reinterpret_cast<void*>(address +
                                     (reinterpret_cast<std::uintptr_t>(arguments.data()) & passed_bits));
    }
  };
  std::vector<GivenValue> values;
  bool has_scratch = false;
  // Buffers of scratch memory, and the values that are their addresses.
  std::vector<std::size_t> scratch_bytes;
  struct ScratchValue {
    std::size_t value = 0, buffer = 0;
  };
  std::vector<ScratchValue> scratch_values;

  // Scratch memory of one stream: launches in different streams overlap.
  struct StreamScratch {
    void* stream = nullptr;
    std::vector<std::shared_ptr<void>> memory;
    std::vector<void*> addresses;
    StreamScratch* next = nullptr;
  };
  const StreamScratch* scratch_of(void* stream) const {
    const StreamScratch* each = streams.load(std::memory_order_acquire);
    while (each != nullptr && each->stream != stream) each = each->next;
    return each;
  }
  mutable std::atomic<StreamScratch*> streams{nullptr};
  mutable std::vector<std::unique_ptr<StreamScratch>> all_streams;  // under the kernel's lock

  struct alignas(8) Scalar : std::array<std::byte, 8> {};
  std::vector<Scalar> scalars;  // one per argument of the plan
  Answer answer;

  [[gnu::always_inline]] bool accepts(std::span<const LaunchArgument> arguments) const {
    if (arguments.size() != passed.size()) return false;
    bool accepts_all = true;
    for (std::size_t i = 0; i < arguments.size(); ++i) accepts_all &= passed[i].accepts(arguments[i]);
    return accepts_all;
  }
  // The arguments with scalars of the types that the kernel takes, if these have the same values. An error names
  // the first argument that it does not take.
  [[gnu::cold, gnu::noinline]] Result<std::vector<LaunchArgument>> converted(
      const std::string& kernel, std::span<const LaunchArgument> arguments) const;
  bool owns_code = false;  // its module is loaded for it alone
};
using SharedLaunch = std::shared_ptr<const PreparedLaunch>;

// Launches of the problems that found no room in the table of those that stay prepared.
struct FurtherLaunches {
  explicit FurtherLaunches(std::size_t axes) : by_problem(axes) {}
  AxisTable<const SharedLaunch> by_problem;
  std::deque<SharedLaunch> launches;
};

// Counts the forks that led to this process since the library was loaded.
inline std::atomic<unsigned> fork_count{0};

// Launches read its first cache line.
class alignas(64) [[gnu::visibility("hidden")]] Kernel::State {
 public:
  explicit State(KernelParts parts)
      : launches_(parts.definition.kernel.axes.size()),
        definition_(std::move(parts.definition)),
        settings_(std::move(parts.settings)),
        bundles_(std::move(parts.bundles)),
        device_(std::move(parts.device)),
        sources_(std::move(parts.sources)) {}
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State();

  Result<void> open();
  // True in a child of the process that opened it: threads and locks are as the fork left them.
  bool is_forked() const { return fork_count.load(std::memory_order_relaxed) != forks_; }
  Error forked_error() const;
  // Keeps the state, which is not to be used or destroyed.
  static void abandon(std::unique_ptr<State> state);
  const std::vector<std::string>& axes() const { return axes_; }
  // Part of its caller.
  [[gnu::always_inline]] Result<void> launch(std::span<const AxisValue> problem,
                                             std::span<const LaunchArgument> arguments, void* stream) {
    if (is_forked()) [[unlikely]] return forked_error();
    const PreparedLaunch* launch = launches_.find(problem);
    if (launch == nullptr) [[unlikely]]
      return launch_first(problem, arguments, stream);
    return launch_prepared(*launch, problem, arguments, stream);
  }
  Result<Answer> prepare(std::span<const AxisValue> problem);
  Result<Answer> autotune(std::span<const AxisValue> problem, std::span<const LaunchArgument> arguments,
                          double budget_s);

 private:
  using Prepared = Result<SharedLaunch>;

  // Calls the function with the lock held, and then on_notice without it.
  template <class Function>
  auto with_lock(const Function& function) {
    std::unique_lock lock(mutex_);
    auto result = function();
    const std::vector<std::string> notices = std::exchange(notices_, {});
    lock.unlock();
    for (const std::string& notice : notices) settings_.on_notice(notice);
    return result;
  }

  Result<void> choose_arguments();
  Result<Problem> problem_of(std::span<const AxisValue> values) const;
  [[gnu::cold, gnu::noinline]] Result<void> launch_first(std::span<const AxisValue> values,
                                                         std::span<const LaunchArgument> arguments,
                                                         void* stream);
  [[gnu::always_inline]] Result<void> launch_prepared(const PreparedLaunch& launch,
                                                      std::span<const AxisValue> values,
                                                      std::span<const LaunchArgument> arguments,
                                                      void* stream) {
    if (!launch.accepts(arguments)) [[unlikely]]
      return launch_converted(launch, values, arguments, stream);
    auto failure = run(launch, arguments, stream);
    if (failure != nullptr) [[unlikely]]
      return recover(values, arguments, stream, launch, std::move(failure));
    return {};
  }
  [[gnu::cold, gnu::noinline]] Result<void> launch_converted(const PreparedLaunch& launch,
                                                             std::span<const AxisValue> values,
                                                             std::span<const LaunchArgument> arguments,
                                                             void* stream);
  // The next ones with the lock held. Null: the problem is not prepared.
  SharedLaunch find_launch(std::span<const AxisValue> values) const;
  void set_launch(std::span<const AxisValue> values, const SharedLaunch& launch);
  Prepared prepare_problem(std::span<const AxisValue> values);
  // The best configuration that has not failed and that compiles and loads, for launches from now on.
  Prepared best_launch(std::span<const AxisValue> values, const Problem& problem);
  // Null: there is neither code for the configuration nor a source to compile.
  Result<SharedLaunch, Failure> load(const Answer& answer, const Problem& problem);
  SharedLaunch make_launch(const Answer& answer, const Plan& plan, std::unique_ptr<LaunchProgram> program) const;
  Result<std::optional<LaunchCode>, Failure> code_for(const SourcePlan& source);
  Result<std::optional<LaunchCode>, Failure> compiled(const SourcePlan& source);
  bool is_valid(const Config& config, const Problem& problem) const;
  // Null: it is queued.
  [[gnu::always_inline]] std::unique_ptr<Failure> run(const PreparedLaunch& launch,
                                                      std::span<const LaunchArgument> arguments,
                                                      void* stream) {
    void* values[kMostValues];
    const std::size_t count = launch.values.size();
    for (std::size_t i = 0; i < count; ++i) {
      values[i] = launch.values[i].in(arguments);  // kernels take copies
    }
    if (launch.has_scratch) {
      if (auto failure = add_scratch(launch, stream, values)) return failure;
    }
    return launch.program->launch(values, stream);
  }
  // Adds addresses of scratch memory, which is allocated for the first launch in a stream.
  std::unique_ptr<Failure> add_scratch(const PreparedLaunch& launch, void* stream, void** values);
  [[gnu::cold]] Result<const PreparedLaunch::StreamScratch*, Failure> new_scratch(
      const PreparedLaunch& launch, void* stream);
  [[gnu::cold, gnu::noinline]] Result<void> recover(std::span<const AxisValue> values,
                                                    std::span<const LaunchArgument> arguments, void* stream,
                                                    const PreparedLaunch& launched,
                                                    std::unique_ptr<Failure> failure);
  std::string in_words(const Config& config, const Failure& failure) const;
  void notice(std::string text);
  // Reports each failure of a configuration once.
  void note_failure(const Config& config, const Failure& failure);
  // Null if neither this configuration nor its code has failed for the problem.
  const Failure* known_failure(const Config& config, const Problem& problem, const SourcePlan& source) const;
  bool has_databases() const { return sources_ && !sources_->databases.empty(); }
  bool follows() const {
    return has_databases() && settings_.follow_interval.count() > 0 && !settings_.is_frozen;
  }
  void work_in_background(const std::stop_token& stop);
  void update(const std::vector<Value>& problem);
  // The definition whose inputs are copies of the caller's buffers in the folder.
  Result<Definition> with_copied_inputs(const PreparedLaunch& launch, std::span<const LaunchArgument> arguments,
                                        const std::filesystem::path& folder) const;

  // The launch for a problem changes when a background compilation ends, or after a failure.
  AxisTable<const PreparedLaunch> launches_;
  const unsigned forks_ = fork_count.load(std::memory_order_relaxed);
  Definition definition_;
  KernelSettings settings_;
  std::vector<std::shared_ptr<const Bundle>> bundles_;  // before what is loaded from them
  std::unique_ptr<LaunchDevice> device_;
  std::optional<KernelSources> sources_;
  std::vector<std::string> axes_;
  std::vector<std::size_t> passed_;  // places of the arguments that the caller passes
  std::vector<Constraint> constraints_;

  std::mutex compiler_mutex_;  // of device_->compile(); taken after the other one

  std::mutex mutex_;  // guards the members below, and changes of launches_
  std::optional<KernelLookup> lookup_;
  // Failures to compile and load have the variant as their key. Failures to launch have the configuration and
  // the problem: a configuration that fails for one problem may work for another.
  std::map<std::string, Failure> failed_;
  std::set<std::string> reported_;  // configurations and ways to fail
  std::vector<std::string> notices_;  // to be reported when the lock is released
  bool has_reported_default_ = false;
  std::vector<SharedLaunch> all_launches_;  // those that were in launches_
  std::unique_ptr<FurtherLaunches> further_ = std::make_unique<FurtherLaunches>(definition_.kernel.axes.size());
  // Scratch memory of forgotten launches, by stream and size, for others in the same stream.
  std::multimap<std::pair<void*, std::size_t>, std::shared_ptr<void>> spare_scratch_;
  std::deque<std::vector<Value>> waiting_;  // problems for the background
  std::condition_variable_any work_;
  std::jthread background_;  // last: it ends before the other members do
};

}  // namespace gktune
