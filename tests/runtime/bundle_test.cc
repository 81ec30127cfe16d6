#include "runtime/bundle/bundle.h"

#include <algorithm>

#include "gktune/lookup.h"
#include "runtime/bundle/write_bundle.h"
#include "tests/runtime/kernel_fixture.h"
#include "tests/scratch_folder.h"
#include "tuner/space/plan.h"

namespace gktune {
namespace {

class BundleTest : public KernelTest {
 protected:
  std::string path() const { return folder_.path("kernels.gkt"); }

  BundleRequest request() {
    BundleRequest request;
    request.space_files = {folder_.path("total.yaml")};
    request.databases = {folder_ / "gktune.db"};
    request.cache_dir = *cache_ / "code";
    request.on_notice = [this](const std::string& text) { notices_.push_back(text); };
    return request;
  }
  BundleSummary written() { return *write_bundle(path(), request()); }
  std::string error_of(const BundleRequest& request) const {
    const auto summary = write_bundle(path(), request);
    return summary.ok() ? "none" : summary.error().message;
  }
  // A kernel without sources, compiler and database.
  Result<Kernel> bundled(const std::string& name = "total") const {
    KernelSettings settings;
    settings.device = "host";
    settings.bundles = {path()};
    settings.cxx = "/no/compiler";
    return Kernel::open_bundled(name, settings);
  }
  std::string bytes() const { return contents_of(path()); }
  // Why the file cannot be opened, without its path.
  std::string refusal() const {
    const auto bundle = Bundle::open(path());
    if (bundle.ok()) return "none";
    EXPECT_TRUE(bundle.error().message.starts_with(path() + ": ")) << bundle.error().message;
    return bundle.error().message.substr(path().size() + 2);
  }
};

TEST_F(BundleTest, the_summary_names_stale_winners_and_the_reason) {
  tuned(1000, 32);
  EXPECT_TRUE(written().stale.empty());
  auto store = *Database::open(folder_ / "gktune.db", Database::Access::write);
  DeviceInfo device = (*open_launch_device({.device = "host"}))->info();
  const std::string before = device.driver;
  device.driver = "another";
  const auto session = *store->begin_session({"", "", "", device});
  Study study = (*store->studies())[0].study;
  study.problem = {{"n", 2000}};
  Trial trial;
  trial.config = {{"threads", 32}};
  trial.samples_us = {1, 1, 1};
  trial.timing.median_us = trial.objective = 1;
  trial.ended_unix_ms = 2000;
  ASSERT_TRUE(store->add_trial(*store->study_id(study), session, trial).ok());
  const BundleSummary summary = written();
  ASSERT_EQ(summary.stale.size(), 1u);
  EXPECT_EQ(summary.stale[0].study.problem, (Problem{{"n", 1000}}));
  EXPECT_EQ(summary.stale[0].changes,
            std::vector<std::string>{"the driver was " + before + " then and is another now"});
}

TEST_F(BundleTest, a_definition_keeps_all_that_its_launches_need) {
  DeviceInfo device;
  device.kind = "cuda";
  for (const char* name : {"device_variable", "setup", "struct", "cooperative", "programmatic", "clusters",
                           "tensor_map"}) {
    const auto read = read_space_file(
        GKTUNE_SOURCE_DIR "/tests/kernels/launches/" + std::string(name) + ".yaml", {.device_kind = "cuda"});
    ASSERT_TRUE(read.ok()) << read.error().front().str();
    const Definition restored = definition_from(definition_text(*read));
    const Axis& axis = read->kernel.axes.at(0);
    const Config config{{read->parameters.at(0).name, read->parameters.at(0).values.at(1)}};
    const auto plan_of = [&](const Definition& definition) {
      auto plan = resolve(definition.kernel, config, {{axis.name, axis.values.at(0)}}, device);
      return std::move(plan->candidate);
    };
    const ProgramPlan before = plan_of(*read), after = plan_of(restored);
    EXPECT_FALSE(before.steps.empty()) << name;
    EXPECT_EQ(after.steps, before.steps) << name;
    EXPECT_EQ(after.setup_once, before.setup_once) << name;
    EXPECT_EQ(after.setup_each, before.setup_each) << name;
    EXPECT_EQ(after.values, before.values) << name;
    EXPECT_EQ(after.variables, before.variables) << name;
    EXPECT_EQ(after.source.entries, before.source.entries) << name;
  }
}

TEST_F(BundleTest, an_application_launches_its_winners_without_sources_compiler_and_database) {
  tuned(1000, 64);
  tuned(4000, 128);
  const BundleSummary summary = written();
  ASSERT_EQ(summary.kernels.size(), 1u);
  EXPECT_EQ(summary.kernels[0].kernel, "total");
  EXPECT_EQ(summary.kernels[0].winners, 2u);
  EXPECT_EQ(summary.kernels[0].variants, 3u);  // two winners and the default
  EXPECT_EQ(summary.bytes, bytes().size());
  for (const char* gone : {"total.cu", "total.yaml", "gktune.db"}) std::filesystem::remove(folder_ / gone);

  auto kernel = bundled();
  EXPECT_EQ(kernel->axes(), (std::vector<std::string>{"n"}));
  EXPECT_EQ(threads_used(*kernel, 1000), 64);
  EXPECT_EQ(threads_used(*kernel, 4000), 128);
  EXPECT_EQ(threads_used(*kernel, 3900), 128);
  EXPECT_EQ(threads_used(*kernel, 100), 64);  // 128 threads would be more than n
  EXPECT_EQ(threads_used(*kernel, 40), 32);   // the default
  EXPECT_EQ(kernel->prepare({1000})->match, Match::exact);
  EXPECT_EQ(kernel->prepare({3900})->match, Match::nearest_problem);
  EXPECT_EQ(kernel->prepare({40})->match, Match::space_default);
  EXPECT_EQ(kernel->prepare({1000})->time_us, 1);
  EXPECT_EQ(kernel->autotune({50}, {}, 1).error().message,
            "autotune needs a database to store its result in");
}

TEST_F(BundleTest, answers_before_a_database_and_needs_no_compiler) {
  tuned(1000, 64);
  written();
  std::filesystem::remove(folder_ / "gktune.db");
  tuned(1000, 128);
  tuned(4000, 128);
  KernelSettings both = with_database();
  both.bundles = {path()};
  Kernel kernel = open(both);
  EXPECT_EQ(threads_used(kernel, 1000), 64);   // of the bundle
  EXPECT_EQ(threads_used(kernel, 4000), 128);  // the exact answer of the database
  both.databases.clear();
  both.cache_dir = folder_ / "empty";
  EXPECT_EQ(threads_used(kernel, 1000), 64);
  Kernel bundle_and_sources = open(both);
  EXPECT_EQ(threads_used(bundle_and_sources, 1000), 64);
  EXPECT_FALSE(std::ranges::any_of(std::filesystem::directory_iterator(folder_ / "empty"),
                                   [](const auto& entry) { return entry.path().extension() == ".code"; }));
}

TEST_F(BundleTest, is_not_used_if_the_sources_differ) {
  tuned(1000, 64);
  written();
  folder_.write("total.cu", std::string(kSource) + "namespace changed {}\n");
  KernelSettings with = settings();
  with.bundles = {path()};
  Kernel kernel = open(with);
  EXPECT_EQ(threads_used(kernel, 1000), 32);
  EXPECT_NE(kernel.prepare({1000})->reason.find("1 winner was of other sources"), std::string::npos);
}

TEST_F(BundleTest, answers_questions_as_its_database_does) {
  tuned(1000, 64);
  tuned(4000, 128);
  written();
  auto bundle = Bundle::open(path());
  EXPECT_EQ((*bundle)->kernels(), (std::vector<std::string>{"total"}));
  const auto from_bundle = Lookup::open(path());
  const auto from_database = Lookup::open(folder_ / "gktune.db");
  for (const int n : {1000, 1001, 3999, 4000, 70}) {
    const Answer expected = from_database->best("total", {{"n", n}}),
                 found = from_bundle->best("total", {{"n", n}});
    EXPECT_EQ(found.match, expected.match) << n;
    EXPECT_EQ(found.config, expected.config) << n;
    EXPECT_EQ(found.problem, expected.problem) << n;
    EXPECT_EQ(found.time_us, expected.time_us) << n;
  }
}

TEST_F(BundleTest, answers_name_changes_between_their_measurement_and_the_bundle) {
  tuned(1000, 64, {}, "550.54");
  tuned(4000, 128, {}, "580.65");
  written();
  const auto found = Lookup::open(path());
  const auto stale = [&](int n, const Question& question = {}) {
    return found->best("total", {{"n", n}}, question).stale;
  };
  const auto expected = Lookup::open(folder_ / "gktune.db")->best("total", {{"n", 1000}}).stale;
  ASSERT_EQ(expected.size(), 1u);
  EXPECT_NE(expected[0].find("550.54"), std::string::npos) << expected[0];
  EXPECT_NE(expected[0].find("580.65"), std::string::npos) << expected[0];
  EXPECT_EQ(stale(1000), expected);
  EXPECT_TRUE(stale(4000).empty());
  EXPECT_TRUE(stale(1000, {.freshness = {.driver = "550"}}).empty());
  auto kernel = bundled();
  EXPECT_EQ(kernel->prepare({1000})->stale, expected);
  EXPECT_TRUE(kernel->prepare({4000})->stale.empty());
}

TEST_F(BundleTest, leaves_out_winners_that_do_not_compile_and_says_so) {
  tuned(1000, 96);
  tuned(4000, 64);
  EXPECT_EQ(written().kernels[0].winners, 1u);
  ASSERT_EQ(notices_.size(), 1u);
  EXPECT_NE(notices_[0].find("total: threads=96: "), std::string::npos) << notices_[0];
  auto kernel = bundled();
  EXPECT_EQ(threads_used(*kernel, 1000), 64);
}

TEST_F(BundleTest, is_refused_with_a_reason_if_it_is_damaged_or_no_bundle) {
  tuned(1000, 64);
  written();
  const std::string whole = bytes();
  EXPECT_EQ(refusal(), "none");
  for (const std::size_t size : {whole.size() - 10, whole.size() / 2, std::size_t{5000}}) {
    folder_.write("kernels.gkt", whole.substr(0, size));
    EXPECT_NE(refusal().find("damaged"), std::string::npos) << size << ": " << refusal();
  }
  folder_.write("kernels.gkt", std::string(1000, 'x'));
  EXPECT_EQ(refusal(), "not a database of gktune");
  folder_.write("kernels.gkt", "");
  EXPECT_EQ(refusal(), "empty: nothing was tuned yet");
  std::filesystem::remove(path());
  EXPECT_EQ(refusal(), "no such file");
  EXPECT_EQ(bundled().error().message, path() + ": no such file");
  std::filesystem::copy_file(folder_ / "gktune.db", path());
  EXPECT_EQ(refusal(), "holds no compiled code; gktune bundle writes it");
}

TEST_F(BundleTest, is_refused_with_a_reason_if_it_lacks_the_kernel_or_its_code) {
  tuned(1000, 64);
  written();
  EXPECT_EQ(bundled("totl").error().message,
            path() + ": the bundle has no kernel 'totl', did you mean 'total'?");
  const auto bundle = *Bundle::open(path());
  DeviceInfo gpu;
  gpu.kind = "cuda", gpu.name = "NVIDIA H200", gpu.architecture = "sm_90";
  const auto refused = bundle->definition("total", gpu);
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.error().message.find("and none for sm_90 (NVIDIA H200)"), std::string::npos)
      << refused.error().message;
  KernelSettings none;
  EXPECT_EQ(Kernel::open_bundled("total", none).error().message, "no bundle was given");
  none.bundles = {path()};
  none.databases = {folder_ / "gktune.db"};
  EXPECT_EQ(Kernel::open_bundled("total", none).error().message,
            "a kernel of a bundle has no sources: it uses no database");
}

TEST_F(BundleTest, cannot_have_kernels_that_take_textures) {
  tuned(1000, 64);
  BundleRequest with_texture = request();
  with_texture.space_files.push_back(GKTUNE_SOURCE_DIR "/tests/kernels/launches/texture.yaml");
  EXPECT_EQ(error_of(with_texture),
            "an application cannot launch texture: it takes a texture of 'image', and only the tuner makes "
            "textures");
}

TEST_F(BundleTest, refuses_host_code) {
  tuned(1000, 64);
  BundleRequest bad = request();
  bad.space_files = {GKTUNE_SOURCE_DIR "/tests/kernels/launches/host_code.yaml"};
  EXPECT_EQ(error_of(bad), bad.space_files[0] + ": host code is no kernel that a bundle can launch");
}

TEST_F(BundleTest, cannot_be_written_without_winners_of_the_sources) {
  tuned(1000, 64, "other");
  EXPECT_NE(error_of(request()).find("the database has no winner of 'total'"), std::string::npos);
  tuned(1000, 64);
  BundleRequest bad = request();
  bad.architectures = {"sm_10"};
  EXPECT_NE(error_of(bad).find("no winner of 'total' for sm_10"), std::string::npos) << error_of(bad);
  bad = request();
  bad.space_files.push_back(bad.space_files.front());
  EXPECT_NE(error_of(bad).find("define the same kernel, 'total'"), std::string::npos) << error_of(bad);
  bad = request();
  bad.databases = {folder_ / "no.db"};
  EXPECT_NE(error_of(bad).find("no such file"), std::string::npos) << error_of(bad);
  bad = request();
  bad.space_files = {folder_.path("no.yaml")};
  EXPECT_NE(error_of(bad), "none");
  EXPECT_FALSE(write_bundle(folder_ / "total.cu" / "kernels.gkt", request()).ok());  // no folder
}

}  // namespace
}  // namespace gktune
