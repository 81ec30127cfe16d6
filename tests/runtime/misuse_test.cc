// Applications make these mistakes, and the system does these things to them. They get errors, and neither
// crash nor hang. Each line names a kind of mistake and the tests of its cases, here or in the named file:
//   null: c_api_test.c (52 calls); kernel_test.cc: null_addresses_of_buffers_are_refused (2)
//   moved: a_kernel_that_was_moved_from_returns_errors (4)
//   wrong count: kernel_test.cc: an_error_names_arguments_of_a_wrong_type_or_number (2),
//     problems_with_other_axes_are_refused (2)
//   wrong type: the same two tests (3 and 5); scalars_of_other_types_are_passed_… (9)
//   wrong size: kernel_test.cc: an_impossible_size_does_not_affect_later_launches (3);
//     sizes_that_no_integer_holds_are_refused_with_a_reason
//   order of destruction: objects_that_came_from_others_outlive_them_in_any_order (4);
//     cuda_kernel_test.cc: nothing_is_released_after_the_end_of_cuda
//   fork: the first four tests
//   read-only: a_bundle_that_nobody_may_write_…; tests/db/open_test.cc: a_file_in_a_read_only_folder_…,
//     the_log_is_beside_the_file_…
//   replaced: a_bundle_that_is_truncated_or_replaced_…; a_database_that_is_spoiled_while_it_is_followed_… (4)
//   truncated: the same; spaces_sources_databases_and_bundles_… (3)
//   two versions: files_that_are_no_database_… (a later one); that_the_default_serves_…
//   bad files: files_that_are_no_database_are_errors_of_one_line (11 files, each opened in 5 ways)
#include <gtest/gtest.h>
#include <malloc.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "db/sqlite/connection.h"
#include "gktune/lookup.h"
#include "runtime/bundle/write_bundle.h"
#include "tests/process/processes.h"
#include "tests/runtime/kernel_fixture.h"
#include "tests/scratch_folder.h"
#include "tests/unprivileged.h"

namespace gktune {
namespace {

class Misuse : public KernelTest {
 protected:
  std::string launch_error(Kernel& kernel, std::int64_t n = 1000) {
    const auto done = kernel.launch({n}, {in_.data(), out_});
    return done.ok() ? "none" : done.error().message;
  }
  std::string bundle() {
    BundleRequest request;
    request.space_files = {folder_.path("total.yaml")};
    request.databases = {folder_ / "gktune.db"};
    request.cache_dir = *cache_ / "code";
    const auto summary = write_bundle(folder_.path("kernels.gkt"), request);
    EXPECT_TRUE(summary.ok()) << summary.error().message;
    return folder_.path("kernels.gkt");
  }
  KernelSettings with_bundle() {
    KernelSettings settings;
    settings.device = "host";
    settings.bundles = {bundle()};
    return settings;
  }

  std::vector<float> in_ = std::vector<float>(5000, 1.0f);
  float out_[2] = {};
};

TEST_F(Misuse, a_forked_child_destroys_the_kernels_of_its_parent_and_gets_errors_from_them) {
  tuned(1000, 64);
  KernelSettings following = with_database();
  following.follow_interval = std::chrono::milliseconds(1);
  std::optional<Kernel> kernel(open(following));
  EXPECT_EQ(threads_used(*kernel, 1000), 64);
  EXPECT_TRUE(holds_in_children(1, [&](int) {
    const std::string expected = "total was opened before this process was forked: open it in the child";
    const bool is_refused = launch_error(*kernel) == expected && launch_error(*kernel, 2000) == expected &&
                            kernel->prepare({1000}).error().message == expected;
    kernel.reset();
    return is_refused && open(following).prepare({1000}).ok();
  }));
  EXPECT_EQ(threads_used(*kernel, 2000), 64);
}

TEST_F(Misuse, a_child_that_exits_leaves_the_temporary_folder_of_its_parent) {
  KernelSettings temporary = settings();
  temporary.cache_dir.clear();
  Kernel kernel = open(temporary);
  EXPECT_EQ(threads_used(kernel, 1000), 32);
  EXPECT_TRUE(holds_in_children(1, [&](int) {
    const Kernel gone(std::move(kernel));
    return true;
  }));
  EXPECT_EQ(threads_used(kernel, 2000), 32);
}

TEST_F(Misuse, a_followed_lookup_answers_in_a_forked_child) {
  tuned(1000, 64);
  const auto lookup = Lookup::follow(folder_ / "gktune.db", std::chrono::milliseconds(1));
  for (int i = 0; i < 3; ++i) {
    tuned(1000 + i, 64);
    EXPECT_EQ(lookup->best("total", {{"n", 1000}}).match, Match::exact);
    EXPECT_TRUE(holds_in_children(1, [&](int) {
      return lookup->best("total", {{"n", 1000}}).match == Match::exact;
    }));
  }
}

TEST_F(Misuse, forks_while_other_threads_launch_and_ask_do_not_hang_the_child) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "the sanitizer's allocator keeps locks of other threads locked in a forked child";
#endif
  tuned(1000, 64);
  Kernel kernel = open(with_database());
  const auto lookup = Lookup::follow(folder_ / "gktune.db", std::chrono::milliseconds(1));
  std::atomic<bool> is_done{false};
  std::vector<std::jthread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int n = 1; !is_done; ++n) (void)lookup->best("total", {{"n", n}});
    });
  }
  for (int i = 0; i < 20; ++i) {
    tuned(1000 + i, 64);
    EXPECT_TRUE(holds_in_children(1, [&](int) {
      return lookup->best("total", {{"n", 1000}}).match == Match::exact;
    }));
  }
  is_done = true;
}

TEST_F(Misuse, a_kernel_that_was_moved_from_returns_errors) {
  Kernel kernel = open(settings());
  const Kernel taken(std::move(kernel));
  const std::string expected = "the kernel was moved to another object, or none was assigned";
  EXPECT_EQ(launch_error(kernel), expected);
  EXPECT_EQ(kernel.prepare({1000}).error().message, expected);
  EXPECT_EQ(kernel.autotune({1000}, {}, 1).error().message, expected);
  EXPECT_TRUE(kernel.axes().empty());
  kernel = open(settings());
  EXPECT_EQ(threads_used(kernel, 1000), 32);
}

TEST_F(Misuse, on_notice_may_use_the_kernel) {
  tuned(1000, 96);
  KernelSettings calling = with_database();
  Kernel* called = nullptr;
  std::vector<std::string> errors;
  calling.on_notice = [&](const std::string&) {
    errors.push_back(launch_error(*called, 2000) + called->prepare({3000}).value().reason.substr(0, 0));
  };
  Kernel kernel = open(calling);
  called = &kernel;
  EXPECT_EQ(launch_error(kernel), "none");
  EXPECT_EQ(errors, (std::vector<std::string>(2, "none")));  // of the failure, and of the default that serves
}

TEST_F(Misuse, that_the_default_serves_is_reported_once_with_the_reason) {
  tuned(1000, 64, "other");
  Kernel kernel = open(with_database());
  for (const int n : {1000, 2000, 1000}) EXPECT_EQ(threads_used(kernel, n), 32);
  ASSERT_EQ(notices_.size(), 1u);
  EXPECT_NE(notices_[0].find("total: the default of the space serves n=1000: "), std::string::npos)
      << notices_[0];
  EXPECT_NE(notices_[0].find("1 winner was of other sources"), std::string::npos) << notices_[0];
}

TEST_F(Misuse, autotune_makes_a_database_that_is_missing_or_empty) {
  for (const char* name : {"new.db", "empty.db"}) {
    KernelSettings fresh = settings();
    fresh.databases = {folder_ / name};
    if (name == std::string("empty.db")) folder_.write(name, "");
    Kernel kernel = open(fresh);
    const auto tuned = kernel.autotune({50}, {in_.data(), out_}, 60);
    EXPECT_EQ(tuned->match, Match::exact);
    EXPECT_EQ(open(fresh).prepare({50})->match, Match::exact);
  }
}

TEST_F(Misuse, an_autotune_that_fails_leaves_no_study) {
  folder_.write(
      "total.yaml",
      kSpace + "reference: {launches: {entry: partial_sums, block: 1Mi, arguments: [in, out, n]}}\n");
  KernelSettings fresh = with_database();
  EXPECT_FALSE(open(fresh).autotune({1000}, {in_.data(), out_}, 60).ok());  // the reference does not launch
  fresh.worker = {"/no/worker"};
  EXPECT_FALSE(open(fresh).autotune({1000}, {in_.data(), out_}, 60).ok());
  const auto store = Database::open(folder_ / "gktune.db", Database::Access::read);
  EXPECT_TRUE((*store)->studies()->empty());
}

TEST_F(Misuse, sizes_that_no_integer_holds_are_refused_with_a_reason) {
  tuned(1000, 64);
  Kernel kernel = open(with_database());
  const auto done = kernel.launch({std::numeric_limits<std::uint64_t>::max()}, {in_.data(), out_});
  ASSERT_FALSE(done.ok());
  EXPECT_NE(done.error().message.find("18446744073709551616.0"), std::string::npos) << done.error().message;
  const auto lookup = Lookup::open(folder_ / "gktune.db");
  const Answer answer = lookup->best("total", {{"n", std::numeric_limits<std::uint64_t>::max()}});
  EXPECT_FALSE(answer);
  EXPECT_NE(answer.reason.find("larger than any integer"), std::string::npos) << answer.reason;
}

TEST_F(Misuse, many_sizes_take_bounded_memory_and_stay_right) {
  tuned(1000, 64);
  KernelSettings few = with_database();
  few.most_problems = 3;
  Kernel kernel = open(few);
  for (int round = 0; round < 2; ++round) {
    for (int n = 990; n < 1002; ++n) {
      EXPECT_EQ(threads_used(kernel, n), 64) << n;
      EXPECT_EQ(kernel.prepare({n})->match, n == 1000 ? Match::exact : Match::nearest_problem);
    }
  }
  few.most_problems = 0;
  Kernel none = open(few);
  for (const int n : {1000, 1001, 1000}) EXPECT_EQ(threads_used(none, n), 64);
// mallinfo2() does not see the allocators of sanitizers.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  const auto bytes_of_new_problems = [](Kernel& of, int first) {
    for (int n = first; n < first + 100; ++n) EXPECT_TRUE(of.prepare({n}).ok()) << n;
    const std::size_t before = ::mallinfo2().uordblks;
    for (int n = first + 100; n < first + 600; ++n) EXPECT_TRUE(of.prepare({n}).ok()) << n;
    return static_cast<std::int64_t>(::mallinfo2().uordblks - before);
  };
  KernelSettings many = with_database();
  many.follow_interval = std::chrono::milliseconds(0);
  Kernel all = open(many);
  EXPECT_GT(bytes_of_new_problems(all, 2000), 500 * 500);
  many.most_problems = 3;
  Kernel bounded = open(many);
  EXPECT_LT(bytes_of_new_problems(bounded, 2000), 50'000);
#endif
}

TEST_F(Misuse, several_threads_launch_more_sizes_than_are_kept) {
  KernelSettings few = settings();
  few.most_problems = 2;
  Kernel kernel = open(few);
  std::vector<std::jthread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 40; ++i) EXPECT_EQ(threads_used(kernel, 1000 + (7 * t + i) % 11), 32);
    });
  }
}

TEST_F(Misuse, a_bundle_that_is_truncated_or_replaced_serves_an_open_kernel_as_it_was) {
  tuned(1000, 64);
  for (const bool is_replaced : {false, true}) {
    const KernelSettings settings = with_bundle();
    auto kernel = Kernel::open_bundled("total", settings);
    ASSERT_TRUE(kernel.ok()) << kernel.error().message;
    if (is_replaced) {
      folder_.write("other", "this is no bundle");
      std::filesystem::rename(folder_ / "other", settings.bundles[0]);
    } else {
      std::filesystem::resize_file(settings.bundles[0], 5000);
    }
    EXPECT_EQ(threads_used(*kernel, 1000), 64);
    EXPECT_EQ(threads_used(*kernel, 1500), 64);
    const auto refused = Kernel::open_bundled("total", settings);
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error().code, ErrorCode::damaged) << refused.error().message;
    std::filesystem::remove(settings.bundles[0]);
  }
}

TEST_F(Misuse, a_bundle_that_nobody_may_write_is_launched_from_a_folder_that_nobody_may_write) {
  tuned(1000, 64);
  const KernelSettings settings = with_bundle();
  std::filesystem::permissions(settings.bundles[0], std::filesystem::perms(0444));
  std::filesystem::permissions(folder_.path(), std::filesystem::perms(0555));
  {
    Unprivileged somebody;
    auto kernel = Kernel::open_bundled("total", settings);
    ASSERT_TRUE(kernel.ok()) << kernel.error().message;
    EXPECT_EQ(threads_used(*kernel, 1000), 64);
  }
  std::filesystem::permissions(folder_.path(), std::filesystem::perms(0755));
}

TEST_F(Misuse, objects_that_came_from_others_outlive_them_in_any_order) {
  tuned(1000, 64);
  std::optional<KernelSettings> settings(with_database());
  std::optional<Kernel> first(open(*settings)), second(open(*settings));
  settings.reset();
  const Answer answer = first->prepare({1000}).value();
  EXPECT_EQ(threads_used(*second, 1000), 64);
  first.reset();  // it was opened before the other one
  EXPECT_EQ(threads_used(*second, 1000), 64);
  EXPECT_EQ(threads_used(*second, 2000), 64);
  std::jthread([&] { second.reset(); }).join();
  EXPECT_EQ(answer.integer("threads"), 64);
  EXPECT_EQ(answer.arguments.at(1).name, "out");
}

TEST_F(Misuse, matches_that_are_worse_than_asked_for_are_errors) {
  tuned(1000, 64);
  KernelSettings exact = with_database();
  exact.worst = Match::exact;
  Kernel kernel = open(exact);
  EXPECT_EQ(launch_error(kernel), "none");
  EXPECT_EQ(
      launch_error(kernel, 1001),
      "no configuration of total works for n=1001: the best answer for 'total' is nearest problem (n=1000), "
      "and the question accepts nothing worse than exact");
  EXPECT_EQ(kernel.prepare({1001}).error().code, ErrorCode::no_configuration);
  exact.databases.clear();
  Kernel without = open(exact);
  EXPECT_EQ(launch_error(without), "no configuration of total works for n=1000: no database was given");
}

TEST_F(Misuse, a_frozen_kernel_neither_tunes_nor_compiles) {
  tuned(1000, 64);
  KernelSettings frozen = with_database();
  frozen.cache_dir = folder_ / "own";
  {
    Kernel kernel = open(frozen);
    EXPECT_EQ(threads_used(kernel, 1000), 64);
  }
  tuned(4000, 128);
  frozen.is_frozen = true;
  Kernel kernel = open(frozen);
  EXPECT_EQ(threads_used(kernel, 4000), 64);  // the winner of 4000 was never compiled
  EXPECT_EQ(kernel.autotune({50}, {in_.data(), out_}, 1).error().message,
            "total is frozen: nothing is tuned");
  frozen.cache_dir = folder_ / "empty";
  Kernel empty = open(frozen);
  EXPECT_EQ(launch_error(empty),
            "no configuration of total works for n=1000: there is no code for the 3 configurations that do");
  frozen.databases = {folder_ / "no.db"};
  EXPECT_NE(error_of(frozen).find("no such file"), std::string::npos);
}

TEST_F(Misuse, spaces_sources_databases_and_bundles_are_read_from_memory) {
  tuned(1000, 64);
  const std::string path = bundle();
  KernelSettings embedded = settings();
  embedded.databases = {"winners.db"};
  embedded.lookup.files = {{"total.yaml", kSpace},
                           {"total.cu", kSource},
                           {"winners.db", contents_of(folder_.path("gktune.db"))},
                           {"kernels.gkt", contents_of(path)}};
  std::filesystem::remove(path);
  auto kernel = Kernel::open("total.yaml", embedded);
  EXPECT_EQ(threads_used(*kernel, 1000), 64);
  EXPECT_EQ(kernel->prepare({1000})->match, Match::exact);

  embedded.databases.clear();
  embedded.bundles = {"kernels.gkt"};
  auto bundled = Kernel::open_bundled("total", embedded);
  EXPECT_EQ(threads_used(*bundled, 1000), 64);
  LookupSettings in_memory;
  in_memory.files = embedded.lookup.files;
  const auto lookup = Lookup::open("kernels.gkt", in_memory);
  EXPECT_EQ(lookup->best("total", {{"n", 1000}}).integer("threads"), 64);

  for (const std::size_t size : {std::size_t{0}, std::size_t{10}, std::size_t{5000}}) {
    in_memory.files["kernels.gkt"].resize(size);
    EXPECT_FALSE(Lookup::open("kernels.gkt", in_memory).ok()) << size;
  }
}

TEST_F(Misuse, files_that_are_no_database_are_errors_of_one_line) {
  tuned(1000, 64);
  const std::string database = contents_of(folder_.path("gktune.db"));
  folder_.write("file", "");
  folder_.write("text", "{}");
  folder_.write("noise", std::string(8192, '\x5a'));
  folder_.write("cut", database.substr(0, database.size() / 2));
  folder_.write("later", database);
  sqlite::Connection(folder_ / "later", sqlite::Connection::Access::create, std::chrono::seconds(1))
      .execute("PRAGMA user_version = 9999");
  std::filesystem::create_directory(folder_ / "folder");
  ASSERT_EQ(::mkfifo(folder_.path("fifo").c_str(), 0600), 0);
  for (const char* name : {"file/below", "text", "noise", "cut", "later", "folder", "fifo", "/dev/null",
                           "/dev/zero", "", "missing"}) {
    const std::filesystem::path path =
        *name == '\0' || *name == '/' ? std::filesystem::path(name) : folder_ / name;
    const auto expect_line = [&](const auto& result, const char* what) {
      ASSERT_FALSE(result.ok()) << what << ' ' << name;
      EXPECT_FALSE(result.error().message.empty()) << what << ' ' << name;
      EXPECT_EQ(result.error().message.find('\n'), std::string::npos) << result.error().message;
    };
    KernelSettings bad = settings();
    bad.databases = {folder_ / "gktune.db", path};
    expect_line(Kernel::open(folder_.path("total.yaml"), bad), "database");
    bad.databases.clear();
    bad.bundles = {path};
    expect_line(Kernel::open(folder_.path("total.yaml"), bad), "bundle beside sources");
    expect_line(Kernel::open_bundled("total", bad), "bundle");
    expect_line(Lookup::open(path), "lookup");
    EXPECT_FALSE(Kernel::open(path, settings()).ok()) << name;
  }
}

TEST_F(Misuse, a_database_that_is_spoiled_while_it_is_followed_harms_no_launch) {
  tuned(1000, 64);
  KernelSettings following = with_database();
  following.follow_interval = std::chrono::milliseconds(1);
  Kernel kernel = open(following);
  EXPECT_EQ(threads_used(kernel, 1000), 64);
  int n = 1000;
  for (const auto& spoil : std::initializer_list<std::function<void()>>{
           [&] { std::filesystem::resize_file(folder_ / "gktune.db", 5000); },
           [&] { folder_.write("gktune.db", "this is no database"); },
           [&] { std::filesystem::remove(folder_ / "gktune.db"); },
           [&] { std::filesystem::create_directory(folder_ / "gktune.db"); }}) {
    spoil();
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    EXPECT_EQ(threads_used(kernel, ++n), 64);
  }
  std::filesystem::remove(folder_ / "gktune.db");
  tuned(1000, 128);
  EXPECT_EQ(threads_used_at_last(kernel, 1000, 128), 128);
}

TEST_F(Misuse, autotune_refuses_what_it_cannot_do_and_stores_nothing) {
  tuned(1000, 64);
  Kernel kernel = open(with_database());
  const auto error = [&](std::initializer_list<LaunchArgument> arguments, double budget_s) {
    const auto tuned = kernel.autotune({50}, arguments, budget_s);
    return tuned.ok() ? "none" : tuned.error().message;
  };
  for (const double seconds : {0.0, -1.0, std::numeric_limits<double>::quiet_NaN()})
    EXPECT_EQ(error({in_.data(), out_}, seconds), "autotune needs a budget above 0 seconds");
  EXPECT_EQ(error({in_.data()}, 1), "total takes 2 arguments (in, out), and is given 1");
  EXPECT_EQ(error({in_.data(), static_cast<float*>(nullptr)}, 1), "argument 2 of total, 'out', is null");
  EXPECT_EQ(open(settings()).autotune({50}, {in_.data(), out_}, 1).error().message,
            "autotune needs a database to store its result in");
  EXPECT_EQ(kernel.prepare({500})->match, Match::nearest_problem);
}

TEST_F(Misuse, errors_have_codes_and_values_of_errors_throw_their_message) {
  const auto code = [](const auto& result) { return result.ok() ? ErrorCode::failed : result.error().code; };
  KernelSettings none;
  EXPECT_EQ(code(Kernel::open_bundled("total", none)), ErrorCode::invalid_argument);
  none.bundles = {folder_ / "no.gkt"};
  EXPECT_EQ(code(Kernel::open_bundled("total", none)), ErrorCode::not_found);
  folder_.write("no.gkt", std::string(5000, 'x'));
  EXPECT_EQ(code(Kernel::open_bundled("total", none)), ErrorCode::damaged);
  KernelSettings on_host = settings();
  on_host.device = "cuda:99";
  EXPECT_EQ(code(Kernel::open(folder_.path("total.yaml"), on_host)), ErrorCode::no_device);
  folder_.write("total.cu", "this is no C++");
  Kernel kernel = open(settings());
  const auto done = kernel.launch({1000}, {in_.data(), out_});
  EXPECT_EQ(code(done), ErrorCode::compile_failed);
  EXPECT_EQ(code(kernel.launch({-1}, {in_.data(), out_})), ErrorCode::no_configuration);
  EXPECT_EQ(code(kernel.launch({1000, 1}, {in_.data(), out_})), ErrorCode::invalid_argument);
  try {
    (void)done.value();
    FAIL() << "it throws";
  } catch (const BadResult& bad) {
    EXPECT_EQ(bad.what(), done.error().message);
    EXPECT_EQ(bad.error.code, ErrorCode::compile_failed);
  }
  EXPECT_THROW((void)Kernel::open("", settings()).value(), BadResult);
}

}  // namespace
}  // namespace gktune
