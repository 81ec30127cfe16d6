#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "db/identity.h"
#include "db/kernel_winners.h"
#include "db/portfolio.h"
#include "gktune/result.h"
#include "tuner/core/device_info.h"
#include "tuner/core/fields.h"
#include "tuner/core/trial.h"

namespace gktune {

namespace sql {
class Connection;
}
namespace sqlite {
class Connection;
}

// One call of the program on one device.
struct Session {
  std::string tool_version;
  std::string host_name;
  std::string command_line;
  DeviceInfo device;
};

// Are the trials of a study counted, and its winner looked for? That visits all trials.
enum class Counts { read, ignored };

// A study and the numbers of its trials.
struct StudySummary {
  std::int64_t id = 0;
  Study study;
  std::int64_t trials = 0, failed = 0;
  std::optional<double> best_us;
  std::int64_t updated_unix_ms = 0;  // when its latest trial ended
  std::vector<std::string> changes;  // since its winner was measured
};

// The reasons to trust, or not to trust, a winner.
struct Evidence {
  std::optional<Trial> second;  // of the playoff if there was one, else of the search
  double lead = 0;              // of the winner over the second, of 1
  bool is_lead_clear = false;   // the confidence intervals of the two do not overlap
};

// The finalists of a study, measured in turn under the same conditions.
struct Playoff {
  // Best first. Each is its trial with the samples, timing, objective and metrics of the playoff.
  std::vector<Trial> finalists;
  std::int64_t held_unix_ms = 0;  // when it ended
  bool is_outdated = false;       // a trial of the study ended later
  std::string host_name = {};
  // The latest playoff of the same finalists on another host before this one.
  struct Other {
    std::string host_name;
    Config winner;
  };
  std::optional<Other> other = {};
  bool is_confirmed() const {
    return other && !finalists.empty() && finalists.front().config == other->winner;
  }
};

// A trial with its study and where it was measured.
struct StudiedTrial {
  Study study;
  Trial trial;
  DeviceInfo device;
  std::string host_name;
};

// The trials of other sessions of a study, and the configurations that they are measuring.
struct OthersWork {
  std::vector<Trial> trials;    // in the order of their ids
  std::vector<Config> claimed;  // not measured yet
  std::int64_t newest_id = 0;   // of the trials of all studies
};

struct RankedQuery {
  std::int64_t limit = -1;             // none if negative
  std::optional<Status> failure = {};  // these failures instead of successful trials
  std::int64_t since_unix_ms = 0;
};

// The result of a query in SQL; nothing is NULL.
struct QueryRows {
  std::vector<std::string> columns;
  std::vector<std::vector<std::optional<Value>>> rows;
};

// The rows that were removed, or that would be.
struct Removed {
  std::int64_t studies = 0, trials = 0, playoffs = 0, sessions = 0;
};
enum class Removal {
  rehearsed,  // counts the rows and keeps them
  done,
};

// The rows that a merge added.
struct Merged {
  std::int64_t sessions = 0, studies = 0, trials = 0, playoffs = 0, portfolios = 0;
  std::int64_t known_trials = 0;  // which the target had already
  // A line for each study of the target that has another winner now.
  std::vector<std::string> changed_winners;
};

// How a kernel is launched on one kind of device.
struct StoredDefinition {
  std::string kernel, fingerprint, device_kind;
  std::string body;  // JSON
};
// Its compiled code.
struct StoredCode {
  std::string kernel, fingerprint, device_kind;
  std::string architecture;
  std::string cpu;      // the only one that runs it; empty: any
  std::string variant;  // a hash of macros, options and entries
  std::vector<std::string> symbols;
  std::string bytes;
};

// A problem that any host may tune: `gktune run --queue` adds it, `gktune serve` takes it.
struct QueuedProblem {
  GKTUNE_MEMBER_ENUM(State, waiting, running, done, failed)
  std::string kernel;
  Problem problem;
  std::string device;  // a part of the name of the device; empty: any
  std::int64_t priority = 0;  // larger ones come first
  std::int64_t trials = 0;    // the budget; 0: that of the space file
  double seconds = 0;
  State state = State::waiting;
  std::int64_t attempts = 0;
  std::string host_name, message;                         // of the host that took it last
  std::int64_t changed_ms = 0, expires_ms = 0;            // since 1970; the latter: of the lease of that host
  std::int64_t id = 0;
};

GKTUNE_FIELDS(QueuedProblem, kernel, problem, device, priority, trials, seconds, state, attempts, host_name,
              message, changed_ms, expires_ms)

// A database on a server calls these while the server cannot be reached.
struct OutageEvents {
  std::function<void(const std::string& reason)> on_lost;
  std::function<void(std::int64_t delivered)> on_back;  // the number of trials that waited and are stored now
  std::function<bool()> stop;                           // true: end the waiting with an error
};
class Outage;

// The rows of another database to copy.
enum class Copied {
  all,
  winners,  // and what describes them
};

// Whether a path is the URI of a database on a PostgreSQL server: postgresql://HOST/DATABASE.
bool is_server(const std::filesystem::path& path);

// A tuning database: one SQLite file, or a schema in PostgreSQL where the path is a URI. Several threads and
// programs may use it at once. Each trial is in the file before add_trial returns. Winners, counts and the
// current trial of each configuration are queries: a person may correct rows with sqlite3.
class Database {
 public:
  enum class Access { read, write };
  // With write access the file is created if there is none. A damaged or foreign file, or one of another
  // schema, is an error and stays unmodified. Waits up to `patience` for locks of other programs.
  static Result<std::unique_ptr<Database>> open(const std::filesystem::path& path, Access access,
                                                std::chrono::milliseconds patience = std::chrono::seconds(10));
  // A database in memory, for results that are not kept.
  static Result<std::unique_ptr<Database>> in_memory();
  // The bytes of a file, to read. `name` is for messages.
  static Result<std::unique_ptr<Database>> from_bytes(const std::filesystem::path& name, std::string_view bytes);
  ~Database();

  bool is_on_server() const;
  // For a database on a server: from now on everything waits while it cannot be reached, but for add_trial(),
  // which keeps the trial in a journal in the folder until the server is back. Delivers the journals of
  // earlier programs; returns the number of their trials.
  Result<std::int64_t> bridge_outages(OutageEvents events, const std::filesystem::path& folder);

  Result<std::int64_t> begin_session(const Session& session);
  Result<void> end_session(std::int64_t session);

  // Adds the study if it is new.
  Result<std::int64_t> study_id(const Study& study);
  // Stores the parts of the space that lookups and exported headers need of this version of a kernel. Replaces
  // earlier ones.
  Result<void> describe_space(const std::string& kernel, const std::string& fingerprint,
                              const KernelSpace& space, const TextValues& texts = {});
  Result<std::vector<StudySummary>> studies(Counts counts = Counts::read) const;
  Result<std::optional<StudySummary>> study(std::int64_t id) const;
  // These studies with counts and what is known of their winners. Leaves out those that are gone.
  Result<std::vector<StudySummary>> counted(const std::vector<StudySummary>& studies) const;

  Result<void> add_trial(std::int64_t study, std::int64_t session, const Trial& trial);
  // The latest trial of each configuration, in the order in which they ended.
  Result<std::vector<Trial>> trials(std::int64_t study) const;
  Result<std::optional<StudiedTrial>> trial(std::int64_t id) const;
  // The latest trials of a study's configurations, best first; or its failures.
  Result<std::vector<Trial>> ranked(std::int64_t study, const RankedQuery& query) const;

  // Several sessions share a study by claims. A session claims what it is about to measure; no value as the
  // configuration means the playoff. False: another session has claimed it, or the configuration has a trial.
  // A claim ends with the trial, with the session, with release_claims(), or at the end of its lease, which
  // renew_claims() begins anew. On a server a trial that is stored at the same moment may be overlooked: ask
  // for work_of_others() after the claim.
  Result<bool> claim(std::int64_t study, std::int64_t session, const std::optional<Config>& config,
                     std::chrono::milliseconds lease);
  // Claims the timing of the reference configuration for all sessions of a host.
  Result<bool> claim_reference(std::int64_t study, std::int64_t session, const std::string& host_name,
                               std::chrono::milliseconds lease);
  Result<void> renew_claims(std::int64_t session, std::chrono::milliseconds lease);
  Result<void> release_claims(std::int64_t session);
  // Adds problems, or lets those that were tuned or failed wait again. Returns the number of those that wait
  // now.
  Result<std::int64_t> enqueue(const std::vector<QueuedProblem>& problems);
  // Takes the first problem of these kernels for a device of this name: none if there is none. The lease has
  // to be renewed; a problem whose host was lost is taken again, and fails after the third time.
  Result<std::optional<QueuedProblem>> take_queued(const std::set<std::string>& kernels,
                                                   const std::string& device, const std::string& host_name,
                                                   std::chrono::milliseconds lease);
  // False: another host has taken it.
  Result<bool> renew_queued(const QueuedProblem& taken, std::chrono::milliseconds lease);
  // It waits again, is done, or failed.
  Result<void> put_queued(const QueuedProblem& taken, QueuedProblem::State state,
                          const std::string& message = "");
  Result<std::vector<QueuedProblem>> queue() const;
  Result<std::int64_t> clear_queue();  // of problems that are done or failed; returns their number

  // The trials are those with larger ids that are not known. On a server a trial may appear after one with a
  // larger id.
  Result<OthersWork> work_of_others(std::int64_t study, std::int64_t session, std::int64_t after_id,
                                    const std::set<std::int64_t>& known = {}) const;

  // The trials of the study's reference configuration in the order in which they ended: that of the
  // successful trial that ended first. Each host times it, so that the times of hosts can be compared.
  Result<std::vector<Trial>> reference_trials(std::int64_t study) const;

  // Each finalist needs a current trial that is ok.
  Result<void> add_playoff(std::int64_t study, std::int64_t session, const Playoff& playoff);
  // The latest playoff if it decides the study: the winner was not measured again, and no later trial has a
  // better objective than the winner's trial.
  Result<std::optional<Playoff>> playoff(std::int64_t study) const;

  // The winner of each study of the kernel, or of all kernels if the name is empty.
  Result<std::vector<Winner>> winners(const std::string& kernel) const;
  Result<std::optional<Winner>> winner(std::int64_t study) const;
  Result<Evidence> evidence(const Winner& winner) const;
  // The winners of the kernel, or of all kernels if the name is empty, by kernel, and what else answers
  // applications.
  Result<WinnersByKernel> kernel_winners(const std::string& kernel = "") const;

  // The portfolios of the kernel, or of all kernels if the name is empty. Configurations that failed later are
  // left out.
  Result<std::vector<Portfolio>> portfolios(const std::string& kernel = "") const;
  // Replaces the portfolio of the same kernel, version, device, regime and objective.
  Result<void> store_portfolio(const Portfolio& portfolio);

  // The numbers of current trials of a study that failed, by their statuses.
  Result<std::map<Status, std::int64_t>> failures(std::int64_t study) const;
  Result<TextValues> texts(const std::string& kernel) const;
  // The studies that have a current trial of this status.
  Result<std::set<std::int64_t>> studies_with(Status status) const;
  // One statement that only reads.
  Result<QueryRows> query(const std::string& sql) const;

  // Adds an imported study with its trials; nothing if the session with this uuid is known. `recorded` is what
  // the file says besides, as JSON.
  Result<Merged> add_recording(const std::string& uuid, const Session& session, const Study& study,
                               const std::string& recorded, const std::vector<Trial>& trials);
  // Adds the rows of another database that are missing here: all, or its winners and what describes them. A
  // kernel: its rows alone.
  Result<Merged> merge(const std::filesystem::path& source, Copied copied = Copied::all,
                       const std::string& kernel = "");
  // Makes it one file without a log, to be copied and read.
  Result<void> finish();

  Result<void> add_definition(const StoredDefinition& definition, const std::vector<StoredCode>& codes);
  Result<std::vector<StoredDefinition>> definitions() const;
  Result<std::vector<StoredCode>> codes() const;

  // Keeps a study that has trials, or on which another program works.
  Result<void> remove_study_without_trials(std::int64_t study);
  // Removes what depends on the studies too. Refused while a program tunes one of them.
  Result<Removed> remove_studies(const std::vector<std::int64_t>& studies, Removal removal);

 private:
  Database(std::filesystem::path path, std::unique_ptr<sql::Connection> connection);
  static std::unique_ptr<Database> with_connection(std::filesystem::path path, sqlite::Connection connection);
  sqlite::Connection& file_connection();  // of a database in a file
  Merged merge_file(const std::filesystem::path& source, Copied copied);
  Merged merge_rows(sql::Connection& source, const std::string& kernel);
  Merged merge_tables(const std::string& other, Copied copied);
  Result<bool> claim_text(std::int64_t study, std::int64_t session, const std::string& text,
                          std::chrono::milliseconds lease);
  std::int64_t next_number(std::int64_t session);
  void store_claimed(std::int64_t study, std::int64_t session, std::int64_t number, const Trial& trial);
  // Stores the trials of a journal, whose claims end. Returns their number.
  std::int64_t deliver(const std::filesystem::path& journal);
  template <class Function>
  auto guarded(Function function) const;
  // Without waiting for a server.
  template <class Function>
  auto guarded_once(Function function) const;
  template <class Function>
  auto reading(Function function) const;
  // Call it after a write: SQLite goes on writing to a file that was removed or moved.
  void require_file();

  std::filesystem::path path_;
  std::optional<std::pair<std::uint64_t, std::uint64_t>> file_;  // its identity when it was opened
  bool is_recovered_ = false;                                    // another file has all trials
  mutable std::mutex mutex_;                                     // of the connection
  std::unique_ptr<sql::Connection> connection_;

  // A session that this program has begun.
  struct OpenSession {
    std::string uuid;
    Session session;
    std::int64_t trials = 0;
  };
  std::map<std::int64_t, OpenSession> sessions_;
  std::map<std::int64_t, Study> studies_;  // that study_id() was asked for
  std::unique_ptr<Outage> outage_;  // none: a failure of the server is an error
};

// The findings of SQLite's quick_check, of the check of foreign keys, and of the schema. Empty: nothing is wrong.
Result<std::vector<std::string>> check_database(const std::filesystem::path& path);

// Copies every row that SQLite can still read to a new file, and leaves the damaged one as it is. Returns the
// numbers of rows by table.
Result<std::map<std::string, std::int64_t>> repair_database(const std::filesystem::path& damaged,
                                                            const std::filesystem::path& repaired);

// Copies the winners with what describes them, and the portfolios, to a new file for applications.
Result<Merged> slim_database(const std::filesystem::path& source, const std::filesystem::path& slim);

}  // namespace gktune
