// gktune serve: tunes problems from the queue of a database.
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <thread>
#include <utility>

#include "cli/command.h"
#include "cli/commands/run.h"
#include "cli/output/study_tables.h"
#include "engine/renewal.h"
#include "engine/selection.h"
#include "tuner/core/text.h"

namespace gktune {
namespace {

using State = QueuedProblem::State;

// A problem can be taken by another host this long after its host was lost.
constexpr std::chrono::seconds kLease{30};
constexpr std::chrono::milliseconds kInterval{500};  // between two looks at an empty queue

struct ServeOptions : RunOptions {
  bool until_empty = false;
};

void declare(Flags& flags, ServeOptions& options) {
  declare_tuning(flags, options);
  flags.on("--until-empty", options.until_empty, "End when no problem waits that this device can tune");
}

// n=1024,T=float
std::string selection_of(const Problem& problem) {
  std::string text;
  for (const auto& [name, value] : problem) text += (text.empty() ? "" : ",") + name + '=' + value.str();
  return text;
}

// The definition of the kernel with this problem alone. An error: the space file does not have it.
Result<OpenedSpaces> space_of(const OpenedSpaces& group, const QueuedProblem& taken) {
  OpenedSpaces own{group.device, {}};
  for (const Definition& each : group.definitions) {
    if (each.kernel.name != taken.kernel) continue;
    Definition definition = each;
    const auto is_same = [&](const Problem& listed) { return listed.json() == taken.problem.json(); };
    auto problems = problems_of(each.kernel);
    const auto listed = std::ranges::find_if(problems, is_same);
    if (listed != problems.end()) {
      definition.kernel.listed_problems = {*listed};
    } else {
      auto selected = select_problems(each.kernel, {selection_of(taken.problem)});
      if (!selected) return Error{selected.error().message};
      definition.kernel.listed_problems = *std::move(selected);
    }
    own.definitions.push_back(std::move(definition));
    break;
  }
  return own;
}

class Server {
 public:
  Server(const ServeOptions& options, Context& context)
      : options_(options),
        context_(context),
        caught_(context.catch_interrupts()),
        groups_(selected_spaces(options, context)),
        store_(open_store(options, caught_, context)) {}

  ExitCode run() {
    while (!caught_()) {
      if (serve_one()) {
        is_waiting_ = false;
        continue;
      }
      say_that_none_waits();
      if (options_.until_empty) return code_;
      std::this_thread::sleep_for(kInterval);
    }
    return ExitCode::interrupted;
  }

 private:
  // False: nothing waits that a device of this host can tune.
  bool serve_one() {
    for (const OpenedSpaces& group : groups_) {
      std::set<std::string> kernels;
      for (const Definition& each : group.definitions) kernels.insert(each.kernel.name);
      const auto taken = value_or_end(
          store_->take_queued(kernels, group.device.info.name, context_.environment.host_name, kLease),
          context_);
      if (!taken) continue;
      serve(group, *taken);
      return true;
    }
    return false;
  }

  void say_that_none_waits() {
    if (std::exchange(is_waiting_, true)) return;
    const auto name_of = [](const OpenedSpaces& group) { return group.device.info.name; };
    context_.log.info("no problem of these spaces waits for " + joined(groups_, " or ", name_of) +
                      (options_.until_empty ? "" : "; waiting for one"));
  }

  void serve(const OpenedSpaces& group, const QueuedProblem& taken) {
    const auto space = space_of(group, taken);
    if (!space) return put(taken, State::failed, space.error().message);
    RunOptions own = options_;
    if (taken.trials > 0) own.trials = taken.trials;
    if (taken.seconds > 0) own.seconds = taken.seconds;
    ExitCode code = ExitCode::failed;
    {
      const Renewal renewal(kLease / 5, [&] { (void)store_->renew_queued(taken, kLease); });
      code = tune_all(own, {*space}, *store_, caught_, context_);
    }
    if (code == ExitCode::interrupted) return put(taken, State::waiting, "");
    if (code == ExitCode::done) return put(taken, State::done, "");
    put(taken, State::failed,
        code == ExitCode::no_configuration ? "no configuration works; gktune db show lists the failures"
                                           : "the run failed on " + context_.environment.host_name);
    code_ = code;
  }

  void put(const QueuedProblem& taken, State state, const std::string& message) {
    value_or_end(store_->put_queued(taken, state, message), context_);
  }

  const ServeOptions& options_;
  Context& context_;
  std::function<bool()> caught_;
  std::vector<OpenedSpaces> groups_;
  std::unique_ptr<Database> store_;
  ExitCode code_ = ExitCode::done;
  bool is_waiting_ = false;
};

ExitCode serve(const ServeOptions& options, Context& context) {
  if (options.quiet) context.log.silence();
  if (options.paths.empty() && options.device.choice.kind != DeviceChoice::Kind::replay)
    return fail_usage(context, "SPACE is required");
  ServeOptions own = options;
  own.database = database_path(options.database, context).string();
  return Server(own, context).run();
}

struct QueueOptions : DatabaseFlags {
  bool clear = false;
};

void declare_queue(Flags& flags, QueueOptions& options) {
  declare_database_flags(flags, options);
  flags.on("--clear", options.clear, "Remove the problems that are done or failed");
}

ExitCode show_queue(const QueueOptions& options, Context& context) {
  require_database(options.database, context);
  if (options.clear) {
    auto store = value_or_end(
        Database::open(database_path(options.database, context), Database::Access::write), context);
    context.out << fmt::format("removed {}\n",
                               format_things(value_or_end(store->clear_queue(), context), "problem"));
    return ExitCode::done;
  }
  const auto queue = value_or_end(open_database(options.database, context)->queue(), context);
  Table table(Record{{"id"},
                     {"kernel"},
                     {"problem"},
                     {"device"},
                     {"priority"},
                     {"state"},
                     {"attempts"},
                     {"host"},
                     {"message"}});
  for (const QueuedProblem& each : queue) {
    table.add({{"id", each.id, Unit::count},
               {"kernel", each.kernel},
               {"problem", problem_text(each.problem)},
               {"device", each.device},
               {"priority", each.priority, Unit::count},
               {"state", std::string(enum_name(each.state))},
               {"attempts", each.attempts, Unit::count},
               {"host", each.host_name},
               {"message", each.message}});
  }
  table.print(context, options.format);
  return ExitCode::done;
}

}  // namespace

Command serve_command() {
  return make_command<ServeOptions>("serve", "Tune problems from the queue of a database, on this host",
                                    "gktune serve spaces/*.yaml --db postgresql://db.lab/tuning", declare,
                                    serve,
                                    "It tunes problems of these space files alone: gktune run --queue adds "
                                    "them. This command executes the code of "
                                    "space files and their sources with your rights.");
}

Command db_queue_command() {
  return make_command<QueueOptions>(
      "queue", "List the problems that wait for gktune serve, and those that it tuned",
      "gktune db queue --db postgresql://db.lab/tuning", declare_queue, show_queue);
}

}  // namespace gktune
