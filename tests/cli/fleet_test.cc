// Commands on a database that several hosts share.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <thread>

#include "tests/cli/call.h"
#include "tests/db/postgres_server.h"
#include "tests/expectations.h"
#include "tests/scratch_folder.h"

namespace gktune {
namespace {

const std::string kReplay = "replay:" GKTUNE_SOURCE_DIR "/bench/recordings/saxpy-H200.json.gz";

class FleetCommands : public ::testing::Test {
 protected:
  Call run(std::vector<std::string> arguments, const std::string& host_name = "box") {
    Environment environment;
    environment.database = database_;
    environment.cache_dir = folder_.path("cache");
    environment.host_name = host_name;
    return call(arguments, environment);
  }
  nlohmann::json queue() { return nlohmann::json::parse(run({"db", "queue", "--json"}).out); }

  ScratchFolder folder_;
  std::string database_ = folder_.path("gktune.db");
};

TEST_F(FleetCommands, serve_tunes_what_was_queued_with_its_budget) {
  const Call added = run({"run", "--device", kReplay, "--queue", "--trials", "7"});
  EXPECT_TRUE(ended(added, ExitCode::done, "")) << added.err;
  EXPECT_EQ(added.out, "1 problem of 1 in the queue\n");
  EXPECT_EQ(queue()[0]["state"], "waiting");
  const Call served = run({"serve", "--device", kReplay, "--until-empty", "--quiet"});
  EXPECT_EQ(served.code, ExitCode::done) << served.err;
  EXPECT_EQ(queue()[0]["state"], "done");
  EXPECT_EQ(queue()[0]["host"], "box");
  EXPECT_EQ(run({"db", "sql", "SELECT count(*) AS n FROM trials", "--csv"}).out, "n\n7\n");
  EXPECT_EQ(run({"db", "queue", "--clear"}).out, "removed 1 problem\n");
  EXPECT_TRUE(queue().empty());
}

TEST_F(FleetCommands, serve_leaves_problems_of_other_kernels_and_devices) {
  ASSERT_EQ(run({"run", "--device", kReplay, "--queue", "--on", "MI300X"}).code, ExitCode::done);
  const Call served = run({"serve", "--device", kReplay, "--until-empty"});
  EXPECT_EQ(served.code, ExitCode::done) << served.err;
  EXPECT_EQ(served.err, "no problem of these spaces waits for NVIDIA H200\n");
  EXPECT_EQ(queue()[0]["state"], "waiting");
}

TEST_F(FleetCommands, a_problem_that_the_space_does_not_have_fails) {
  {
    auto store = std::move(*Database::open(database_, Database::Access::write));
    ASSERT_TRUE(store->enqueue({{.kernel = "saxpy", .problem = {{"heads", 7}}}}).ok());
  }
  EXPECT_EQ(run({"serve", "--device", kReplay, "--until-empty"}).code, ExitCode::done);
  EXPECT_EQ(queue()[0]["state"], "failed");
  EXPECT_TRUE(contains(queue()[0]["message"].get<std::string>(), "heads")) << queue();
}

// A recording of 20 configurations, and the same from a host that takes longer by a factor.
std::string recording_of(double factor) {
  nlohmann::json recording = {{"device_name", "H200"},
                              {"kernel_name", "line"},
                              {"problem_size", "1"},
                              {"tune_params_keys", {"x"}},
                              {"tune_params", {{"x", nlohmann::json::array()}}}};
  for (int x = 1; x <= 20; ++x) {
    const double ms = (2 - 0.01 * x) * factor;
    recording["tune_params"]["x"].push_back(x);
    recording["cache"][std::to_string(x)] = {{"x", x}, {"time", ms}, {"times", std::vector<double>(10, ms)}};
  }
  return recording.dump();
}

TEST_F(FleetCommands, reports_say_how_far_hosts_disagree) {
  const auto tune = [&](const std::string& host_name, double factor, std::vector<std::string> flags = {}) {
    const std::string folder = std::to_string(factor);
    folder_.write(folder + "/line.json", recording_of(factor));
    std::vector<std::string> words = {"run",
                                      "--strategy",
                                      "exhaustive",
                                      "--db",
                                      database_,
                                      "--device",
                                      "replay:" + folder_.path(folder + "/line.json")};
    words.insert(words.end(), flags.begin(), flags.end());
    return run(words, host_name);
  };
  const std::string alone = tune("east", 1).out;
  EXPECT_FALSE(contains(alone, "host")) << alone;
  const Call second = tune("we\033st", 1.25);
  EXPECT_TRUE(contains(second.out,
                       "host we\\u001bst is 25.0 % slower than host east on the reference configuration x="))
      << second.out << second.err;
  EXPECT_TRUE(contains(second.out, "the playoff on host we\\u001bst confirms the winner of host east"))
      << second.out;
  ASSERT_EQ(run({"report", "-o", folder_.path("r.html")}).code, ExitCode::done);
  EXPECT_TRUE(contains(contents_of(folder_ / "r.html"), "is 25.0 % slower than host east"));
  const auto json = nlohmann::json::parse(tune("south", 0.5, {"--json"}).out)["results"][0];
  EXPECT_NEAR(json["hosts"]["slower"]["south"].get<double>(), -0.5, 1e-6) << json;
  EXPECT_EQ(json["hosts"]["first"], "east");
  EXPECT_EQ(json["confirmation"]["confirmed"], true);
}

TEST_F(FleetCommands, all_commands_accept_a_server) {
  if (!PostgresServer::is_installed()) GTEST_SKIP() << "PostgreSQL is not installed";
  database_ = PostgresServer::shared().new_database();
  const Call tuned = run({"run", "--device", kReplay, "--trials", "30", "--quiet", "--db", database_});
  ASSERT_EQ(tuned.code, ExitCode::done) << tuned.err;
  const std::string file = folder_.path("pulled.db");
  const Call pulled = run({"db", "pull", database_, "-o", file});
  EXPECT_TRUE(contains(pulled.out, "30 new trials, 0 known")) << pulled.out << pulled.err;
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"best", "saxpy"},
        {"best", "saxpy", "--why", "--problem", "problem_size=n=268435456"},
        {"db", "ls"},
        {"db", "show", "1"},
        {"db", "export", "--format", "header"},
        {"db", "export", "--format", "flags"},
        {"db", "export", "--format", "kernel-tuner"},
        {"db", "sql", "SELECT config FROM best_view", "--csv"}}) {
    const Call on_server = run(words);
    EXPECT_EQ(on_server.code, ExitCode::done) << on_server.err;
    auto on_file = words;
    on_file.insert(on_file.end(), {"--db", file});
    EXPECT_EQ(on_server.out, run(on_file).out) << words[1];
  }
  EXPECT_EQ(run({"db", "check"}).out, "nothing is wrong\n");
  EXPECT_EQ(run({"report", "-o", folder_.path("r.html")}).code, ExitCode::done);
  EXPECT_EQ(run({"db", "slim", "-o", folder_.path("slim.db")}).code, ExitCode::done);
  EXPECT_TRUE(contains(run({"db", "rm", "1", "--dry-run"}).out, "would remove: 1 study, 30 trials"));
  EXPECT_TRUE(contains(run({"db", "rm", "1"}).out, "removed: 1 study, 30 trials"));
  const Call pushed = run({"db", "push", database_, "--db", file});
  EXPECT_TRUE(contains(pushed.out, "30 new trials, 0 known")) << pushed.out << pushed.err;
  EXPECT_EQ(run({"db", "repair"}).code, ExitCode::failed);
  EXPECT_EQ(run({"db", "slim", "-o", database_ + "2"}).code, ExitCode::failed);
}

TEST_F(FleetCommands, processes_share_a_study_on_a_server) {
  if (!PostgresServer::is_installed()) GTEST_SKIP() << "PostgreSQL is not installed";
  database_ = PostgresServer::shared().new_database();
  {
    std::vector<std::jthread> hosts;
    for (const char* seed : {"1", "2", "3"}) {
      hosts.emplace_back([&, seed] {
        const Call tuned = run({"run", "--device", kReplay, "--trials", "60", "--strategy", "random",
                                "--pace", "5ms", "--seed", seed, "--quiet", "--db", database_});
        EXPECT_EQ(tuned.code, ExitCode::done) << tuned.err;
      });
    }
  }
  const auto found = nlohmann::json::parse(
      run({"db", "sql",
           "SELECT count(*) AS trials, count(DISTINCT config) AS configs, (SELECT count(*) FROM playoffs) AS "
           "playoffs FROM trials",
           "--json"})
          .out)[0];
  EXPECT_GE(found["trials"], 60);
  EXPECT_LE(found["trials"], 62);
  EXPECT_EQ(found["trials"], found["configs"]);
  EXPECT_EQ(found["playoffs"], 1);
}

}  // namespace
}  // namespace gktune
