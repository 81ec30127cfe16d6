#include "tuner/space/plan.h"

#include <gtest/gtest.h>

namespace gktune {
namespace {

using Role = Argument::Role;

ArgumentPlan array(Role role) {
  ArgumentPlan argument;
  argument.name = "array";
  argument.count = 100;
  argument.role = role;
  return argument;
}

ArgumentPlan scalar() {
  ArgumentPlan argument;
  argument.name = "blocks";
  argument.type = ElementType::int32;
  argument.is_scalar = true;
  argument.scalar = 5;
  return argument;
}

// A reference that gets the arguments with these indices.
ProgramPlan reference(std::vector<int> places) {
  StepPlan step;
  step.entry = "reference";
  step.arguments = std::move(places);
  return {{}, {{}, step}};
}

class OneProblem : public testing::Test {
 protected:
  bool is_one(std::vector<int> seen_by_reference) const {
    return are_of_one_problem(arguments_, others_, reference(std::move(seen_by_reference)), {});
  }

  const std::vector<ArgumentPlan> arguments_ = {array(Role::in), array(Role::out), array(Role::scratch),
                                                scalar()};
  std::vector<ArgumentPlan> others_ = arguments_;
};

TEST_F(OneProblem, is_shared_by_candidates_with_the_same_arguments) {
  EXPECT_TRUE(is_one({0, 1, 2, 3}));
  others_.pop_back();
  EXPECT_FALSE(is_one({0, 1, 2}));
}

TEST_F(OneProblem, leaves_scratch_memory_to_each_candidate_and_its_type_unless_the_reference_sees_it) {
  others_[2].count = 7;
  EXPECT_TRUE(is_one({0, 1, 2}));
  others_[2].type = ElementType::float64;
  others_[2].name = "own";
  EXPECT_TRUE(is_one({0, 1}));
  EXPECT_FALSE(is_one({0, 1, 2}));
}

TEST_F(OneProblem, leaves_a_scalar_to_each_candidate_unless_the_reference_sees_it) {
  others_[3].scalar = 6;
  EXPECT_TRUE(is_one({0, 1}));
  EXPECT_FALSE(is_one({0, 1, 3}));
}

TEST_F(OneProblem, has_inputs_and_outputs_of_the_same_size_and_contents) {
  others_[0].contents.seed = 2;
  EXPECT_FALSE(is_one({0, 1}));
  others_ = arguments_;
  others_[1].count = 101;
  EXPECT_FALSE(is_one({0, 1}));
}

}  // namespace
}  // namespace gktune
