#include <gtest/gtest.h>

#include "engine/selection.h"
#include "tests/engine/texts.h"
#include "tests/expectations.h"

namespace gktune {
namespace {

KernelDefinition of_axes(std::vector<Axis> axes) {
  KernelDefinition kernel;
  kernel.axes = std::move(axes);
  return kernel;
}

KernelDefinition reduce() {
  return of_axes({{"element", {"int", "float"}, "element"}, {"n", {1 << 16, 1 << 20}, ""}});
}

// Two square problems and a narrow one.
KernelDefinition matmul() {
  KernelDefinition kernel = of_axes({{"m", {1024, 2048, 4097}, ""}, {"n", {1024, 2048, 1023}, ""}});
  kernel.listed_problems = {
      {{"m", 1024}, {"n", 1024}}, {{"m", 2048}, {"n", 2048}}, {{"m", 4097}, {"n", 1023}}};
  return kernel;
}

TEST(ProblemSelection, all_problems_are_selected_by_default) {
  EXPECT_EQ(texts(*select_problems(reduce(), {})), (Texts{"element=int,n=64Ki", "element=int,n=1Mi",
                                                          "element=float,n=64Ki", "element=float,n=1Mi"}));
}

TEST(ProblemSelection, a_space_without_axes_has_one_problem) {
  auto problems = select_problems(of_axes({}), {});
  ASSERT_EQ(problems->size(), 1u);
  EXPECT_TRUE(problems->front().empty());
}

TEST(ProblemSelection, an_axis_that_is_not_named_keeps_its_values) {
  EXPECT_EQ(texts(*select_problems(reduce(), {"element=float"})),
            (Texts{"element=float,n=64Ki", "element=float,n=1Mi"}));
}

TEST(ProblemSelection, an_axis_takes_several_values) {
  EXPECT_EQ(texts(*select_problems(reduce(), {"n=1Ki,2Ki,element=int"})),
            (Texts{"element=int,n=1Ki", "element=int,n=2Ki"}));
}

TEST(ProblemSelection, several_selections_are_joined_without_duplicates) {
  EXPECT_EQ(texts(*select_problems(reduce(), {"n=1Mi,element=int", "n=1Mi"})),
            (Texts{"element=int,n=1Mi", "element=float,n=1Mi"}));
}

TEST(ProblemSelection, listed_problems_are_selected_as_a_whole) {
  EXPECT_EQ(texts(*select_problems(matmul(), {})), (Texts{"m=1Ki,n=1Ki", "m=2Ki,n=2Ki", "m=4097,n=1023"}));
  EXPECT_EQ(texts(*select_problems(matmul(), {"m=4097,1024"})), (Texts{"m=4097,n=1023", "m=1Ki,n=1Ki"}));
}

TEST(ProblemSelection, an_unlisted_size_replaces_the_listed_ones) {
  EXPECT_EQ(texts(*select_problems(matmul(), {"m=7"})), (Texts{"m=7,n=1Ki", "m=7,n=2Ki", "m=7,n=1023"}));
  EXPECT_EQ(texts(*select_problems(matmul(), {"m=7,n=1Ki"})), (Texts{"m=7,n=1Ki"}));
  EXPECT_EQ(texts(*select_problems(matmul(), {"m=7,n=9"})), (Texts{"m=7,n=9"}));
}

TEST(ProblemSelection, an_error_suggests_an_axis_for_a_misspelt_one) {
  EXPECT_EQ(select_problems(reduce(), {"elment=int"}).error().message,
            "unknown problem axis 'elment', did you mean 'element'?");
  EXPECT_EQ(select_problems(reduce(), {"size=1Mi"}).error().message,
            "unknown problem axis 'size'; there is element, n");
  EXPECT_EQ(select_problems(of_axes({}), {"n=1"}).error().message,
            "unknown problem axis 'n': this problem has no axes");
}

TEST(ProblemSelection, a_text_that_is_not_listed_is_refused) {
  EXPECT_EQ(select_problems(reduce(), {"element=flaot"}).error().message,
            "axis element has no value 'flaot', did you mean 'float'?");
  EXPECT_EQ(select_problems(reduce(), {"element=2"}).error().message,
            "axis element has no value '2'; there is int, float");
}

TEST(ProblemSelection, an_integer_axis_takes_only_integers) {
  EXPECT_EQ(select_problems(reduce(), {"n=big"}).error().message,
            "axis n: 'big' is not an integer; write it as 1048576, 1Mi or 1e6");
}

TEST(ProblemSelection, a_malformed_selection_is_refused) {
  for (const char* text : {"", "n", "=1", "n=", "n=1,", ",n=1", "1Mi,n=2"}) {
    EXPECT_EQ(message_of(select_problems(reduce(), {text})),
              "'" + std::string(text) + "' selects no values; write it as n=1Mi,T=float");
  }
  EXPECT_EQ(select_problems(reduce(), {"n=1,n=2"}).error().message, "'n=1,n=2' names n twice; write it as n=A,B");
}

TEST(ProblemSelection, a_question_takes_its_axes_and_their_types_from_known_problems) {
  const std::vector<Problem> known = {{{"n", 1 << 20}, {"T", "float"}}, {{"scale", 0.5}}};
  EXPECT_EQ(*parse_problem("n=1Gi,T=2", known), (Problem{{"n", 1 << 30}, {"T", "2"}}));
  EXPECT_EQ(*parse_problem("scale=2", known), (Problem{{"scale", 2.0}}));
  EXPECT_EQ(parse_problem("m=1", {}).error().message, "unknown problem axis 'm': this problem has no axes");
  EXPECT_EQ(parse_problem("n=1,2", known).error().message,
            "'n=1,2' asks for several problems; ask for one at a time");
}

std::vector<Parameter> matmul_parameters() {
  return {{"way", {"naive", "coalesced", "tiles"}, Value("tiles")}, {"tileM", {32, 64, 128}, Value(64)}};
}

TEST(ParameterSelection, keeps_the_named_values_in_their_order) {
  auto parameters = matmul_parameters();
  ASSERT_TRUE(select_values(parameters, {"way=coalesced,naive", "tileM=64"}).ok());
  EXPECT_EQ(parameters[0].values, (std::vector<Value>{"coalesced", "naive"}));
  EXPECT_EQ(parameters[1].values, (std::vector<Value>{64}));
}

TEST(ParameterSelection, keeps_a_default_only_if_it_is_still_a_value) {
  auto parameters = matmul_parameters();
  ASSERT_TRUE(select_values(parameters, {"way=naive,tileM=64,128"}).ok());
  EXPECT_EQ(parameters[0].default_value, std::nullopt);
  EXPECT_EQ(parameters[1].default_value, Value(64));
}

TEST(ParameterSelection, accepts_any_notation_of_a_number) {
  std::vector<Parameter> parameters = {{"rate", {0.5, 1.0}, {}}, {"n", {1024, 2048}, {}}};
  ASSERT_TRUE(select_values(parameters, {"rate=1,n=1Ki"}).ok());
  EXPECT_EQ(parameters[0].values, (std::vector<Value>{1.0}));
  EXPECT_EQ(parameters[1].values, (std::vector<Value>{1024}));
}

TEST(ParameterSelection, names_an_unknown_parameter_or_value) {
  auto parameters = matmul_parameters();
  EXPECT_EQ(select_values(parameters, {"wya=naive"}).error().message,
            "unknown parameter 'wya', did you mean 'way'?");
  EXPECT_EQ(select_values(parameters, {"way=nave"}).error().message,
            "parameter way has no value 'nave', did you mean 'naive'?");
  EXPECT_EQ(select_values(parameters, {"tileM=7"}).error().message,
            "parameter tileM has no value '7'; there is 32, 64, 128");
  EXPECT_EQ(select_values(parameters, {"naive"}).error().message,
            "'naive' selects no values; write it as way=naive,tileM=64,128");
  EXPECT_EQ(select_values(parameters, {"way=naive,way=tiles"}).error().message,
            "'way=naive,way=tiles' names way twice; write it as way=A,B");
}

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
