#pragma once

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

#include "db/winners_source.h"
#include "gktune/kernel.h"
#include "gktune/lookup.h"
#include "runtime/bundle/bundle.h"
#include "runtime/launch_device.h"
#include "runtime/launch_table.h"
#include "runtime/prepared_launch.h"
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

// Counts the forks that led to this process since the library was loaded.
inline std::atomic<unsigned> fork_count{0};

// Launches read its first cache line.
class alignas(64) [[gnu::visibility("hidden")]] Kernel::State {
 public:
  explicit State(KernelParts parts)
      : launches_(parts.definition.kernel.axes.size(), parts.settings.most_problems),
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
    {
      const LaunchTable::Reading reading(launches_);
      if (const PreparedLaunch* launch = launches_.find(problem)) [[likely]]
        return launch_prepared(*launch, problem, arguments, stream);
    }
    return launch_first(problem, arguments, stream);
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
  LaunchTable launches_;
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
  std::vector<std::shared_ptr<void>> scratch_memory_;
  // Scratch memory of forgotten launches, by stream and size, for others in the same stream.
  std::multimap<std::pair<void*, std::size_t>, void*> spare_scratch_;
  std::deque<std::vector<Value>> waiting_;  // problems for the background
  std::condition_variable_any work_;
  std::jthread background_;  // last: it ends before the other members do
};

}  // namespace gktune
