// Damaged databases and those of strangers: whatever their pages say, each call ends soon, in little memory.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>
#include <iostream>
#include <random>

#include "db/database.h"
#include "tests/db/example_study.h"
#include "tests/scratch_folder.h"

namespace gktune {
namespace {

namespace fs = std::filesystem;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr int kSlowness = 10;
#elif !defined(__OPTIMIZE__)
constexpr int kSlowness = 3;
#else
constexpr int kSlowness = 1;
#endif
#ifndef GKTUNE_HOSTILE_FILES
#define GKTUNE_HOSTILE_FILES 10
#endif
constexpr double kMostSeconds = 5;
constexpr long kMostKib = 500 << 10;
constexpr std::size_t kPage = 4096;

enum PageType : unsigned char { kInnerIndex = 2, kInnerTable = 5, kLeafIndex = 10, kLeafTable = 13 };

// The bytes of a database, and ways to damage them.
class Pages {
 public:
  Pages(std::string bytes, std::uint64_t seed) : bytes_(std::move(bytes)), random_(seed) {
    for (std::size_t page = 2; page <= bytes_.size() / kPage; ++page) {
      const unsigned char type = byte(begin(page));
      if (type == kInnerIndex || type == kInnerTable) inner_.push_back(page);
      if (type == kLeafIndex || type == kLeafTable) leaves_.push_back(page);
      if (type == 0) chained_.push_back(page);  // most are those of long texts
    }
  }

  void flip_bits() {
    for (std::uint64_t count = std::uint64_t{1} << below(10); count-- > 0;)
      bytes_[below(bytes_.size())] ^= static_cast<char>(1 << below(8));
  }
  void misdirect() {
    for (std::uint64_t count = 1 + below(10); count-- > 0;) {
      const auto children = pointers(any(inner_));
      put(children[below(children.size())], any(below(2) == 0 ? inner_ : leaves_));
    }
  }
  void point_to_itself() {
    const std::size_t page = any(inner_);
    for (const std::size_t pointer : pointers(page)) put(pointer, page);
  }
  // Each page names the next one as all of its children: the rows multiply.
  void multiply() {
    std::size_t page = any(inner_);
    const std::string copy = bytes_.substr(begin(page), kPage);
    const auto leaf_type = byte(begin(page)) == kInnerTable ? kLeafTable : kLeafIndex;
    for (std::uint64_t depth = 1 + below(8); depth-- > 0;) {
      const std::size_t next = any(leaves_);
      bytes_.replace(begin(next), kPage, copy);
      for (const std::size_t pointer : pointers(page)) put(pointer, next);
      page = next;
    }
    std::size_t leaf = any(leaves_);
    while (byte(begin(leaf)) != leaf_type) leaf = any(leaves_);
    for (const std::size_t pointer : pointers(page)) put(pointer, leaf);
  }
  void cut() { bytes_.resize(below(bytes_.size())); }
  void grow() { bytes_.resize(bytes_.size() + below(1 << 22)); }
  void overstate_header() {
    constexpr std::size_t kOffsets[] = {24, 28, 32, 36, 40, 44, 48, 52, 56, 60, 64, 92};
    constexpr std::uint64_t kValues[] = {0, 1, 0x7fffffff, 0xffffffff};
    for (std::uint64_t count = 1 + below(3); count-- > 0;) put(kOffsets[below(12)], kValues[below(4)]);
    if (below(2) == 0) bytes_[16 + below(8)] = static_cast<char>(below(256));
  }
  void chain_long_texts() {
    for (const std::size_t page : chained_) put(begin(page), any(chained_));
  }
  void overstate_rows() {
    for (int count = 0; count < 20; ++count) {
      const std::size_t page = any(leaves_), cell = begin(page) + two_bytes(begin(page) + 8);
      if (cell + 5 <= bytes_.size()) bytes_.replace(cell, 5, "\x83\xff\xff\xff\x7f");
    }
  }
  void swap() {
    const std::size_t a = any(leaves_), b = any(below(2) == 0 ? leaves_ : inner_);
    const std::string page = bytes_.substr(begin(a), kPage);
    bytes_.replace(begin(a), kPage, bytes_.substr(begin(b), kPage));
    bytes_.replace(begin(b), kPage, page);
  }

  std::size_t below(std::size_t bound) { return random_() % bound; }
  const std::string& bytes() const { return bytes_; }

 private:
  static std::size_t begin(std::size_t page) { return (page - 1) * kPage; }
  unsigned char byte(std::size_t at) const { return static_cast<unsigned char>(bytes_[at]); }
  std::size_t two_bytes(std::size_t at) const { return std::size_t{byte(at)} << 8 | byte(at + 1); }
  void put(std::size_t at, std::uint64_t number) {
    for (int i = 0; i < 4; ++i) bytes_[at + i] = static_cast<char>(number >> (24 - 8 * i));
  }
  std::size_t any(const std::vector<std::size_t>& pages) { return pages[below(pages.size())]; }
  // Where an inner page holds the numbers of its children.
  std::vector<std::size_t> pointers(std::size_t page) const {
    std::vector<std::size_t> found = {begin(page) + 8};
    for (std::size_t cell = 0; cell < two_bytes(begin(page) + 3); ++cell)
      found.push_back(begin(page) + two_bytes(begin(page) + 12 + 2 * cell));
    return found;
  }

  std::string bytes_;
  std::mt19937_64 random_;
  std::vector<std::size_t> inner_, leaves_, chained_;
};

constexpr void (Pages::*kDamages[])() = {&Pages::multiply,
                                         &Pages::flip_bits,
                                         &Pages::misdirect,
                                         &Pages::point_to_itself,
                                         &Pages::cut,
                                         &Pages::grow,
                                         &Pages::overstate_header,
                                         &Pages::chain_long_texts,
                                         &Pages::overstate_rows,
                                         &Pages::swap};

class HostileFiles : public ::testing::Test {
 protected:
  void SetUp() override {
    make(sound_, 2500);
    make(other_, 3);
    bytes_ = contents_of(sound_);
  }

  static void make(const fs::path& path, int trials) {
    auto database = std::move(*Database::open(path, Database::Access::write));
    const auto session = *database->begin_session({"0.1.0", "box", "gktune run", example_device()});
    for (int i = 0; i < trials; ++i) {
      const auto study = *database->study_id(reduce_study(1024 << (i % 4)));
      const Config config = {{"a", i}, {"text", std::string(static_cast<std::size_t>(i % 50), 'x')}};
      Trial trial = i % 5 == 0 ? failed_trial(config, Status::crashed, i) : ok_trial(config, 10 + i, i);
      if (i % 20 == 0) trial.message = std::string(20'000, 'm');
      ASSERT_TRUE(database->add_trial(study, session, trial).ok());
    }
    ASSERT_TRUE(database->finish().ok());
  }

  // Whether the calls succeed does not matter.
  void use(const fs::path& path) {
    const auto timed = [&](const char* what, const std::function<void()>& call) {
      const std::clock_t start = std::clock();
      call();
      const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
      if (seconds > kSlowness * kMostSeconds) std::cerr << what << " took " << seconds << " s\n", ::_exit(1);
    };
    auto database = Database::open(path, Database::Access::read);
    if (database) {
      const Database& read = **database;
      timed("studies", [&] { (void)read.studies(); });
      timed("trials", [&] { (void)read.trials(1); });
      timed("failures", [&] { (void)read.failures(1); });
      timed("winners", [&] { (void)read.kernel_winners(); });
      timed("portfolios", [&] { (void)read.portfolios(); });
      timed("query", [&] { (void)read.query("SELECT * FROM trial_view"); });
    }
    timed("check", [&] { (void)check_database(path); });
    timed("repair", [&] { (void)repair_database(path, scratch_ / "repaired.db"); });
    timed("merge",
          [&] { (void)(*Database::open(scratch_ / "target.db", Database::Access::write))->merge(path); });
    timed("write", [&] {
      auto written = Database::open(path, Database::Access::write);
      if (!written) return;
      (void)(*written)->remove_studies({1}, Removal::done);
      (void)(*written)->merge(other_);
    });
  }

  ScratchFolder scratch_;
  fs::path sound_ = scratch_ / "sound.db", other_ = scratch_ / "other.db", hostile_ = scratch_ / "hostile.db";
  std::string bytes_;
};

TEST_F(HostileFiles, cost_little_time_and_memory) {
  for (int seed = 0; seed < GKTUNE_HOSTILE_FILES; ++seed) {
    Pages pages(bytes_, static_cast<std::uint64_t>(seed));
    for (std::size_t count = 1 + pages.below(2); count-- > 0;)
      (pages.*kDamages[(static_cast<std::size_t>(seed) + 3 * count) % std::size(kDamages)])();
    for (const char* name : {"hostile.db", "hostile.db-wal", "hostile.db-shm", "target.db", "repaired.db"})
      fs::remove(scratch_ / name);
    scratch_.write("hostile.db", pages.bytes());
    const pid_t user = ::fork();
    if (user == 0) {
      use(hostile_);
      ::_exit(0);
    }
    int status = 0;
    rusage cost{};
    ASSERT_EQ(::wait4(user, &status, 0, &cost), user);
    EXPECT_EQ(status, 0) << "seed " << seed;
    EXPECT_LT(cost.ru_maxrss, kSlowness * kMostKib) << "seed " << seed;
  }
}

TEST_F(HostileFiles, links_and_pipes_beside_a_database_are_not_followed) {
  for (const char* suffix : {"-journal", "-wal", "-shm"}) {
    const std::string beside = sound_.string() + suffix;
    fs::remove(beside);
    scratch_.write("precious", "text");
    fs::create_symlink(scratch_ / "precious", beside);
    for (const auto access : {Database::Access::read, Database::Access::write}) {
      const auto opened = Database::open(sound_, access);
      ASSERT_FALSE(opened.ok()) << suffix;
      EXPECT_EQ(opened.error().message, sound_.string() + ": " + beside + " is not a regular file");
    }
    EXPECT_EQ(fs::file_size(scratch_ / "precious"), 4u);
    fs::remove(beside);
    ASSERT_EQ(::mkfifo(beside.c_str(), 0600), 0);
    EXPECT_FALSE(Database::open(sound_, Database::Access::read).ok()) << suffix;
    fs::remove(beside);
  }
}

}  // namespace
}  // namespace gktune
