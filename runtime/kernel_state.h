#pragma once

#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <set>
#include <thread>

#include "db/axis_table.h"
#include "gktune/lookup.h"
#include "runtime/kernel_parts.h"
#include "runtime/prepared_launch.h"
#include "tuner/space/plan.h"

namespace gktune {

inline constexpr std::size_t kMostValues = 256;  // arguments or parameters of a space file

// Launches read its first cache line.
class alignas(64) Kernel::State {
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
  const std::vector<std::string>& axes() const { return axes_; }
  // Part of its caller.
  [[gnu::always_inline]] Result<void> launch(std::span<const AxisValue> problem,
                                             std::span<const LaunchArgument> arguments, void* stream) {
    const PreparedLaunch* launch = launches_.find(problem);
    if (launch == nullptr) [[unlikely]]
      return launch_first(problem, arguments, stream);
    return launch_prepared(*launch, problem, arguments, stream);
  }
  Result<KernelChoice> prepare(std::span<const AxisValue> problem);
  Result<KernelChoice> autotune(std::span<const AxisValue> problem, std::span<const LaunchArgument> arguments,
                                double budget_s);

 private:
  using Prepared = Result<const PreparedLaunch*>;

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
      return launch.refusal(definition_.kernel.name, arguments);
    auto failure = run(launch, arguments, stream);
    if (failure != nullptr) [[unlikely]]
      return recover(values, arguments, stream, launch, std::move(failure));
    return {};
  }
  // With the lock held.
  Prepared prepare_problem(std::span<const AxisValue> values);
  // The best configuration that has not failed and that compiles and loads.
  Prepared best_launch(std::span<const AxisValue> values, const Problem& problem);
  // Null: there is neither code for the configuration nor a source to compile.
  Result<const PreparedLaunch*, Failure> load(const Answer& answer, const Problem& problem);
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
  // Reports each failure of a configuration once.
  void note_failure(const Config& config, const Failure& failure);
  // Null if neither this configuration nor its code has failed for the problem.
  const Failure* known_failure(const Config& config, const Problem& problem, const SourcePlan& source) const;
  bool has_databases() const { return sources_ != nullptr && !sources_->databases().empty(); }
  void work_in_background(const std::stop_token& stop);
  void update(const std::vector<Value>& problem);

  // The launch for a problem changes when a background compilation ends, or after a failure.
  AxisTable<const PreparedLaunch> launches_;
  Definition definition_;
  KernelSettings settings_;
  std::vector<std::shared_ptr<const Bundle>> bundles_;  // before what is loaded from them
  std::unique_ptr<LaunchDevice> device_;
  std::unique_ptr<KernelSources> sources_;
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
  std::vector<std::unique_ptr<PreparedLaunch>> all_launches_;
  std::deque<std::vector<Value>> waiting_;  // problems for the background
  std::condition_variable_any work_;
  std::jthread background_;  // last: it ends before the other members do
};

}  // namespace gktune
