#include "engine/parameter_selection.h"

#include <gtest/gtest.h>

namespace gktune {
namespace {

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

}  // namespace
}  // namespace gktune
