#include "engine/selection.h"

#include <gtest/gtest.h>

namespace gktune {
namespace {

using Studies = std::vector<StudySummary>;

StudySummary study(std::int64_t id, const std::string& kernel, std::int64_t n = 1024,
                   const std::string& device = "NVIDIA H200") {
  StudySummary summary;
  summary.id = id;
  summary.study = {kernel, "f1", {"cuda", device, "sm_90", 132}, {{"n", n}}, Regime::cold, "time"};
  return summary;
}

// The ids of the selected studies, or the error.
std::string named(const Studies& studies, const std::string& word) {
  const auto found = named_studies(studies, word);
  if (!found) return found.error().message;
  std::string ids;
  for (const StudySummary& each : *found) ids += (ids.empty() ? "" : " ") + std::to_string(each.id);
  return ids;
}

TEST(StudySelection, a_word_of_digits_is_an_id) {
  const Studies studies = {study(1, "reduce"), study(2, "7"), study(7, "scan")};
  EXPECT_EQ(named(studies, "1"), "1");
  EXPECT_EQ(named(studies, "7"), "7");
  EXPECT_EQ(named(studies, "7@"), "2");
  EXPECT_EQ(named(studies, "99"), "there is no study 99");
}

TEST(StudySelection, a_word_that_is_not_all_digits_is_not_an_id) {
  const Studies studies = {study(1, "reduce"), study(1024, "scan")};
  for (const std::string word : {"1Ki", "1e0", "-1", "+1", "1.0", " 1", "0x1", "99999999999999999999"})
    EXPECT_TRUE(named(studies, word).starts_with("there is no study of a kernel '" + word + "'"))
        << named(studies, word);
}

TEST(StudySelection, a_word_without_a_kernel_selects_nothing) {
  const Studies studies = {study(1, "reduce"), study(2, "scan")};
  for (const std::string word : {"", "@", "/", "@H200", "/n=1024"})
    EXPECT_EQ(named(studies, word), "'" + word + "' names no kernel; write KERNEL[/AXIS=VALUE,…][@DEVICE]");
}

TEST(StudySelection, the_name_of_a_kernel_may_hold_any_character) {
  const Studies studies = {study(1, "ns::f<int, 2>"), study(2, "a/b"),     study(3, "a"),
                           study(4, "a@b", 2048),     study(5, "größe 1"), study(6, "<script>"),
                           study(7, "a/n=1")};
  EXPECT_EQ(named(studies, "ns::f<int, 2>"), "1");
  EXPECT_EQ(named(studies, "ns::f<int, 2>/n=1Ki@H200"), "1");
  EXPECT_EQ(named(studies, "a/b"), "2");
  EXPECT_EQ(named(studies, "a/b/n=1024"), "2");
  EXPECT_EQ(named(studies, "a"), "3");
  EXPECT_EQ(named(studies, "a/n=1024"), "3");
  EXPECT_EQ(named(studies, "a@b"), "4");
  EXPECT_EQ(named(studies, "a@b/n=2048@H200"), "4");
  EXPECT_EQ(named(studies, "größe 1"), "5");
  EXPECT_EQ(named(studies, "<script>@H200"), "6");
  EXPECT_EQ(named(studies, "a/n=1"), "7");
  EXPECT_EQ(named(studies, "a/n=7"), "there is no study 'a/n=7'");
}

TEST(StudySelection, the_text_of_a_study_selects_it) {
  const Studies studies = {study(1, "12"), study(2, "a/b", 2048, "Device @ 3"), study(3, "a")};
  for (const StudySummary& each : studies)
    EXPECT_EQ(named(studies, study_text(each.study)), std::to_string(each.id));
}

TEST(KnownDevice, is_found_by_a_part_of_its_name) {
  const std::vector<DeviceIdentity> devices = {{"cuda", "NVIDIA H200", "sm_90", 132},
                                               {"host", "CPU: x", "x86-64", 2}};
  EXPECT_EQ(find_device("h200", devices)->name, "NVIDIA H200");
  EXPECT_EQ(find_device("CPU: x", devices)->kind, "host");
  EXPECT_EQ(find_device("A100", devices).error().message,
            "the database knows no device 'A100'; it knows NVIDIA H200; CPU: x");
}

}  // namespace
}  // namespace gktune
