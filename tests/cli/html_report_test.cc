// gktune report, gktune run --report, and their page.
#include "cli/output/html_report.h"

#include <gtest/gtest.h>

#include <fstream>

#include "call.h"
#include "cli/commands/report.h"
#include "cli/output/json.h"
#include "cli/output/screen.h"
#include "tests/example_database.h"
#include "tests/expectations.h"
#include "tests/scratch_folder.h"

namespace gktune {
namespace {

namespace fs = std::filesystem;

// The data that the page's script reads.
Json data_of(const std::string& page) {
  const std::string begin = "<script type=\"application/json\" id=\"data\">";
  const std::size_t from = page.find(begin) + begin.size();
  return Json::parse(page.substr(from, page.find("</script>", from) - from));
}

StudyFacts facts_with(const std::string& kernel, int points) {
  StudyFacts facts;
  facts.summary.id = points;
  facts.summary.study.kernel = kernel;
  facts.score_name = "time";
  facts.parameters.resize(3);
  for (std::size_t p = 0; p < 3; ++p) {
    facts.parameters[p].name = "parameter" + std::to_string(p);
    for (int value = 0; value < 20; ++value) facts.parameters[p].values.emplace_back(value);
  }
  for (int i = 0; i < points; ++i) {
    const auto place = [&](int step) { return static_cast<std::uint32_t>(i / step % 20); };
    facts.points.push_back({.id = i + 1,
                            .places = {place(1), place(20), place(400)},
                            .score = 100.0 + i % 977,
                            .elapsed_s = 0.1 * i});
    facts.ranking.push_back(static_cast<std::size_t>(i));
  }
  std::ranges::stable_sort(facts.ranking, {}, [&](std::size_t i) { return facts.points[i].score; });
  if (points > 0) facts.improvements = {0};
  facts.shares.factors.assign(3, 0.2);
  facts.distribution = histogram_of({100, 200, 300}, 10);
  return facts;
}

TEST(HtmlEscaped, replaces_all_characters_of_html_syntax) {
  EXPECT_EQ(html_escaped("<a href='x' b=\"y\">&amp;"), "&lt;a href=&#39;x&#39; b=&quot;y&quot;&gt;&amp;amp;");
  EXPECT_EQ(html_escaped("a\x1b[1m\nb"), "a\\u001b[1m\\u000ab");
  EXPECT_EQ(html_escaped(""), "");
}

TEST(HtmlReport, data_cannot_end_the_script_element) {
  StudyFacts facts = facts_with("</script><!--<script>&", 3);
  const std::string page = html_report({facts}, {});
  EXPECT_EQ(data_of(page)["studies"][0]["kernel"], "</script><!--<script>&");
  EXPECT_FALSE(contains(page, "</script><!--"));
}

TEST(HtmlReport, shows_a_sample_of_many_trials_and_says_so) {
  const std::string page = html_report({facts_with("many", 15'000)}, {});
  EXPECT_LT(page.size(), 2'000'000u);
  EXPECT_TRUE(contains(page, "The charts show 10,000 of 15,000 trials"));
  EXPECT_EQ(data_of(page)["studies"][0]["details"]["points"]["id"].size(), 10'000u);
  EXPECT_FALSE(contains(html_report({facts_with("few", 50)}, {}), "The charts show"));
}

TEST(HtmlReport, stays_within_its_size_by_showing_fewer_trials_and_studies) {
  std::vector<StudyFacts> studies;
  for (int i = 0; i < 30; ++i) studies.push_back(facts_with("kernel" + std::to_string(i), 300 + i));
  const std::string page = html_report(studies, {});
  EXPECT_LT(page.size(), 2'000'000u);
  EXPECT_TRUE(contains(page, "24 of 30 studies have charts below"));
  EXPECT_TRUE(contains(page, "kernel29"));
  const std::string small = html_report(studies, {.most_bytes = page.size() - 200'000});
  EXPECT_LE(small.size(), page.size() - 200'000);
  EXPECT_TRUE(contains(small, "kernel29"));
}

TEST(HtmlReport, stays_within_its_size_with_very_long_names) {
  StudyFacts facts = facts_with(std::string(1'000'000, 'k'), 3);
  facts.causes.push_back({Status::crashed, std::string(1'000'000, 'm'), 1, 1});
  EXPECT_LT(html_report({facts}, {}).size(), 1'200'000u);
}

class HtmlPage : public ::testing::Test {
 protected:
  void SetUp() override { make_example_database(database_); }
  Call report(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), {"report", "--db", database_});
    return call(arguments);
  }
  ScratchFolder folder_;
  std::string database_ = folder_.path("example.db"), page_ = folder_.path("page.html");
};

TEST_F(HtmlPage, has_every_study_with_its_winner_failures_and_environment) {
  hold_example_playoff(database_);
  const Call written = report({"-o", page_});
  EXPECT_EQ(written.code, ExitCode::done) << written.err;
  EXPECT_TRUE(written.out.starts_with(page_ + ": 3 studies, 6 trials, ")) << written.out;
  const std::string page = contents_of(page_);
  EXPECT_TRUE(contains(page, "<b>11.0 µs</b>"));
  EXPECT_TRUE(contains(page, "Trial 1, 2 samples in a playoff of 2 configurations."));
  EXPECT_TRUE(contains(page, "too many resources"));
  EXPECT_TRUE(contains(page, "3 of 7 elements differ"));
  EXPECT_TRUE(contains(page, "NVIDIA H100"));
  const Json data = data_of(page);
  ASSERT_EQ(data["studies"].size(), 3u);
  EXPECT_EQ(data["studies"][0]["metrics"][0][0], "GB/s");
}

// Each study shows the device, host and versions that its own winner was measured with.
TEST_F(HtmlPage, shows_each_study_with_its_own_device_and_driver) {
  const std::string database = folder_.path("two.db");
  {
    auto store = std::move(*Database::open(database, Database::Access::write));
    const auto add = [&](const std::string& device, const std::string& driver, const std::string& host) {
      DeviceInfo info;
      info.kind = "cuda", info.name = device, info.architecture = "sm_90", info.multiprocessors = 132;
      info.driver = driver, info.runtime = "13.0", info.compiler = "NVRTC " + driver;
      const auto session = *store->begin_session({"0.1.0", host, "gktune run", info});
      const Study study{"reduce", "f1", {"cuda", device, "sm_90", 132}, {{"n", 8}}, Regime::cold, "time"};
      ASSERT_TRUE(store->add_trial(*store->study_id(study), session, good_trial(64, 5, {{"n", 8}})).ok());
    };
    add("GPU <b>&\"A\"</b>", "550.54</script><script>", "host<1>");
    add("GPU B", "580.65", "host 2\x1b[31m");
  }
  ASSERT_EQ(call({"report", "--db", database, "-o", page_}).code, ExitCode::done);
  const std::string page = contents_of(page_);
  const auto environment_of = [&](int study) {
    const std::size_t at = page.find("id=\"study-" + std::to_string(study) + '"');
    const std::size_t begin = page.find("Environment of the winner", at);
    return at == page.npos ? "" : page.substr(begin, page.find("</table>", begin) - begin);
  };
  const std::string first = environment_of(1), second = environment_of(2);
  EXPECT_TRUE(contains(first, "<td>GPU &lt;b&gt;&amp;&quot;A&quot;&lt;/b&gt;</td>"));
  EXPECT_TRUE(contains(first, "550.54&lt;/script&gt;&lt;script&gt;"));
  EXPECT_TRUE(contains(first, "<td>host&lt;1&gt;</td>"));
  EXPECT_FALSE(contains(first, "580.65") || contains(first, "GPU B") || contains(first, "host 2")) << first;
  EXPECT_TRUE(contains(second, "<td>GPU B</td>"));
  EXPECT_TRUE(contains(second, "580.65"));
  EXPECT_TRUE(contains(second, "host 2"));
  EXPECT_FALSE(contains(second, "550.54") || contains(second, "host&lt;1&gt;")) << second;
  EXPECT_FALSE(contains(page, "550.54</script>") || contains(page, "<b>&\"A\"") || contains(page, "\x1b"));
}

const std::string kSaxpyRecording = GKTUNE_SOURCE_DIR "/bench/recordings/saxpy-H200.json.gz";

TEST_F(HtmlPage, is_written_at_the_end_of_a_run) {
  const Call run = call({"run", "--device", "replay:" + kSaxpyRecording, "--strategy", "random", "--trials",
                         "40", "--report", page_});
  EXPECT_EQ(run.code, ExitCode::done) << run.err;
  EXPECT_TRUE(contains(run.err, page_ + ": 1 study, 40 trials, ")) << run.err;
  const Json data = data_of(contents_of(page_));
  EXPECT_EQ(data["studies"][0]["kernel"], "saxpy");
  EXPECT_EQ(data["studies"][0]["trials"], 40);
}

TEST(HtmlReport, names_stale_winners_and_the_reason) {
  const ScratchFolder folder;
  const std::string database = folder.path("stale.db"), page = folder.path("page.html");
  make_stale_database(database);
  ASSERT_EQ(call({"report", "--db", database, "-o", page}).code, ExitCode::done);
  const std::string html = contents_of(page);
  const std::string reason = "the driver was 550.54 then and is 580.65 now";
  std::size_t cards = 0, rows = 0;
  for (std::size_t at = 0; (at = html.find("Stale: " + reason + '.', at)) != html.npos; ++at) ++cards;
  for (std::size_t at = 0; (at = html.find("<td>" + reason, at)) != html.npos; ++at) ++rows;
  EXPECT_EQ(cards, 2u);  // the third winner is not stale
  EXPECT_EQ(rows, 2u);
}

}  // namespace
}  // namespace gktune
