// Problems that wait for a host.
#include "db/database.h"
#include "db/database_parts.h"

namespace gktune {
namespace {

using State = QueuedProblem::State;

constexpr std::int64_t kMostAttempts = 3;

std::vector<QueuedProblem> read_queue(const Connection& connection, const std::string& condition) {
  Statement select(connection, "SELECT id, " + columns_of<QueuedProblem>() + " FROM queue WHERE " +
                                   condition + " ORDER BY priority DESC, id");
  std::vector<QueuedProblem> all;
  for (Row row : select.rows()) {
    const auto id = row.integer();
    all.push_back(naming("problem " + std::to_string(id) + " of the queue",
                         [&] { return read_fields<QueuedProblem>(row); }));
    all.back().id = id;
  }
  return all;
}

// Changes the state of a problem, unless it has changed since it was read.
bool change(const Connection& connection, const QueuedProblem& known, State state, std::int64_t attempts,
            const std::string& host_name, const std::string& message, std::int64_t expires_ms) {
  Statement(connection,
            "UPDATE queue SET state = ?, attempts = ?, host_name = ?, message = ?, changed_ms = ?, "
            "expires_ms = ? WHERE "
            "id = ? AND state = ? AND attempts = ? AND host_name = ?")
      .bind(enum_name(state), attempts, host_name, message, connection.now_ms(), expires_ms, known.id,
            enum_name(known.state), known.attempts, known.host_name)
      .run();
  return connection.changes() > 0;
}

}  // namespace

Result<std::int64_t> Database::enqueue(const std::vector<QueuedProblem>& problems) {
  return guarded([&] {
    std::int64_t waiting = 0;
    Transaction transaction(*connection_, Transaction::Kind::write);
    for (QueuedProblem problem : problems) {
      problem.changed_ms = connection_->now_ms();
      insert_row(
          *connection_,
          {.table = "queue",
           .behind = " ON CONFLICT (kernel, problem, device) DO UPDATE SET priority = excluded.priority, "
                     "trials = excluded.trials, seconds = excluded.seconds, state = 'waiting', "
                     "attempts = 0, message = '', changed_ms = excluded.changed_ms "
                     "WHERE queue.state <> 'running'"},
          problem);
      waiting += connection_->changes();
    }
    transaction.commit();
    return waiting;
  });
}

Result<std::optional<QueuedProblem>> Database::take_queued(const std::set<std::string>& kernels,
                                                           const std::string& device,
                                                           const std::string& host_name,
                                                           std::chrono::milliseconds lease) {
  return guarded([&]() -> std::optional<QueuedProblem> {
    const std::int64_t now = connection_->now_ms();
    for (QueuedProblem& each : read_queue(*connection_, "state IN ('waiting', 'running')")) {
      const bool is_lost = each.state == State::running && each.expires_ms <= now;
      if ((each.state != State::waiting && !is_lost) || !kernels.contains(each.kernel) ||
          device.find(each.device) == device.npos)
        continue;
      if (is_lost && each.attempts >= kMostAttempts) {
        change(*connection_, each, State::failed, each.attempts, each.host_name,
               "its hosts were lost " + std::to_string(each.attempts) + " times", 0);
        continue;
      }
      // Another host may take it at the same time.
      if (!change(*connection_, each, State::running, each.attempts + 1, host_name, "", now + lease.count()))
        continue;
      each.state = State::running, each.host_name = host_name;
      ++each.attempts;
      return each;
    }
    return std::nullopt;
  });
}

Result<bool> Database::renew_queued(const QueuedProblem& taken, std::chrono::milliseconds lease) {
  return guarded_once([&] {
    return change(*connection_, taken, State::running, taken.attempts, taken.host_name, "",
                  connection_->now_ms() + lease.count());
  });
}

Result<void> Database::put_queued(const QueuedProblem& taken, State state, const std::string& message) {
  return guarded([&] {
    const std::int64_t attempts = state == State::waiting ? taken.attempts - 1 : taken.attempts;
    change(*connection_, taken, state, attempts, taken.host_name, message, 0);
  });
}

Result<std::vector<QueuedProblem>> Database::queue() const {
  return guarded([&] { return read_queue(*connection_, "true"); });
}

Result<std::int64_t> Database::clear_queue() {
  return guarded([&] {
    connection_->execute("DELETE FROM queue WHERE state IN ('done', 'failed')");
    return connection_->changes();
  });
}

}  // namespace gktune
