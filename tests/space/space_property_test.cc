// Compares spaces with random constraints with a plain loop that evaluates the
// constraints for all combinations.

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "tuner/space/solver/space.h"

namespace gktune {
namespace {

// Results of a loop over all combinations.
struct Enumerated {
  std::vector<Config> valid;
  bool has_failing = false;  // a constraint that cannot be evaluated where no other one rejects
};

enum class Verdict { holds, rejects, fails };

Verdict verdict(const Constraint& constraint, const Scope& scope) {
  const auto value = constraint.condition.evaluate(scope);
  if (!value || value->is_text()) return Verdict::fails;
  const bool holds = value->is_boolean() ? value->boolean() : value->number() != 0;
  return holds ? Verdict::holds : Verdict::rejects;
}

Enumerated enumerate(const std::vector<Parameter>& parameters, const std::vector<Constraint>& constraints,
                     const NamedValues& problem) {
  Enumerated found;
  std::vector<std::size_t> ranks(parameters.size());
  Config config;
  for (const Parameter& parameter : parameters) config.set(parameter.name, parameter.values.front());
  while (true) {
    const Scope scope = Scope().add(config).add(problem);
    bool is_rejected = false, is_failing = false;
    for (const Constraint& constraint : constraints) {
      const Verdict found_here = verdict(constraint, scope);
      is_rejected = is_rejected || found_here == Verdict::rejects;
      is_failing = is_failing || found_here == Verdict::fails;
    }
    if (!is_rejected && !is_failing) found.valid.push_back(config);
    found.has_failing = found.has_failing || (is_failing && !is_rejected);
    std::size_t digit = ranks.size();
    while (digit > 0 && ++ranks[digit - 1] == parameters[digit - 1].values.size()) ranks[--digit] = 0;
    if (digit == 0) return found;
    for (std::size_t i = digit - 1; i < ranks.size(); ++i)
      config.set(parameters[i].name, parameters[i].values[ranks[i]]);
  }
}

// Writes expressions that are mostly, but not always, well-typed.
class Writer {
 public:
  explicit Writer(unsigned seed) : random_(seed) {}

  std::string constraint() {
    switch (pick(5)) {
      case 0:
        return number(3) + " % " + number(1) + " == " + number(0);
      case 1:
        return condition(2) + " or " + condition(2);
      default:
        return number(3) + comparison() + number(2);
    }
  }
  // Several conditions must hold together. Each is decided by itself.
  std::string conjunction() {
    switch (pick(3)) {
      case 0:
        return condition(2) + " and " + condition(2);
      case 1:
        return "not (" + condition(2) + " or " + condition(1) + ")";
      default:
        return number(2) + comparison() + number(2) + comparison() + number(1);
    }
  }
  std::size_t pick(std::size_t count) { return random_() % count; }

 private:
  std::string any(const std::vector<std::string>& texts) { return texts[pick(texts.size())]; }
  std::string comparison() { return any({" < ", " <= ", " > ", " >= ", " == ", " != "}); }
  std::string leaf() {
    return any({"a", "b", "c", "d", "e", "f", "a", "b", "c", "n", "1", "2", "3", "0.5", "7", "4"});
  }
  std::string number(int depth) {
    if (depth == 0) return leaf();
    const auto one = [&] { return number(static_cast<int>(pick(static_cast<std::size_t>(depth)))); };
    switch (pick(14)) {
      case 0:
        return "(" + one() + " + " + one() + ")";
      case 1:
        return "(" + one() + " - " + one() + ")";
      case 2:
      case 3:
        return one() + " * " + one();
      case 4:
        return "(" + one() + " // " + one() + ")";
      case 5:
        return "(" + one() + " % " + one() + ")";
      case 6:
        return "(" + one() + " / " + one() + ")";
      case 7:
        return "min(" + one() + ", " + one() + ", " + one() + ")";
      case 8:
        return "(" + one() + " if " + condition(depth - 1) + " else " + one() + ")";
      case 9:
        return any({"abs(", "log2(", "ilog2(", "floor(", "float(", "sqrt("}) + one() + ")";
      case 10:
        return any({"ceil_div(", "round_up(", "gcd(", "max("}) + one() + ", " + one() + ")";
      case 11:
        return "(-" + one() + ")";
      case 12:
        return "(" + one() + " ** " + leaf() + ")";
      default:
        return leaf();
    }
  }
  std::string condition(int depth) {
    if (depth == 0) return any({"g", "way == 'x'", "a < b", "f != 0", "way in ['x', 'z']", "c", "True"});
    switch (pick(6)) {
      case 0:
        return "(" + condition(depth - 1) + " and " + condition(depth - 1) + ")";
      case 1:
        return "(" + condition(depth - 1) + " or " + condition(depth - 1) + ")";
      case 2:
        return "(not " + condition(depth - 1) + ")";
      case 3:
        return number(depth) + " in [" + number(1) + ", " + leaf() + "]";
      default:
        return "(" + number(depth) + comparison() + number(depth) + ")";
    }
  }

  std::mt19937 random_;
};

const std::vector<Parameter> kParameters = {
    {"a", {0, 1, 2, 3}, std::nullopt},    {"b", {1, 2, 4, 8}, std::nullopt},
    {"c", {0.5, 1.0, 2.0}, std::nullopt}, {"way", {"x", "y"}, std::nullopt},
    {"d", {-3, 0, 5}, std::nullopt},      {"e", {1, 2.5}, std::nullopt},
    {"g", {false, true}, std::nullopt},   {"f", {6, 2}, std::nullopt}};

std::string text_of(const std::vector<Config>& configs) {
  std::string all;
  for (const Config& config : configs) all += config.str() + "\n";
  return all;
}

std::vector<Config> all_of(const Space& space) {
  std::vector<Config> configs;
  for (std::uint64_t index = 0; index < space.size(); ++index) configs.push_back(space.at(index));
  return configs;
}

TEST(SpaceProperty, random_constraints_give_the_same_configurations_as_a_plain_loop) {
  const NamedValues problem = {{"n", 12}};
  const Scope scope = Scope().add(problem);
  int built = 0, failed = 0, empty = 0;
  for (unsigned seed = 0; seed < 100; ++seed) {
    Writer writer(seed);
    std::vector<Parameter> parameters = kParameters;
    std::shuffle(parameters.begin(), parameters.end(), std::mt19937(seed));
    std::vector<Constraint> constraints;
    std::string texts;
    bool is_exact = true;
    for (std::size_t i = 0; i <= seed % 3; ++i) {
      const bool is_conjunction = writer.pick(4) == 0;
      const std::string text = is_conjunction ? writer.conjunction() : writer.constraint();
      is_exact = is_exact && !is_conjunction;
      constraints.push_back({Expression::parse(text).value()});
      texts += text + "\n";
    }
    SCOPED_TRACE(texts);
    const Enumerated expected = enumerate(parameters, constraints, problem);
    const auto space = Space::build(parameters, constraints, scope);
    if (space) {
      ++built;
      const std::vector<Config> configs = all_of(*space);
      if (configs != expected.valid) ADD_FAILURE() << text_of(configs) << "expected:\n" << text_of(expected.valid);
      EXPECT_FALSE(is_exact && expected.has_failing);
    } else if (space.error().kind == SpaceError::Kind::empty) {
      ++empty;
      EXPECT_TRUE(expected.valid.empty());
      EXPECT_FALSE(is_exact && expected.has_failing);
    } else {
      ++failed;
      // If one group is empty and another one fails, both answers are right.
      EXPECT_TRUE(expected.has_failing || expected.valid.empty()) << space.error().message;
    }
  }
  // Each outcome occurs often enough to be tested.
  EXPECT_GT(built, 15);
  EXPECT_GT(failed, 10);
  EXPECT_GT(empty, 2);
}

}  // namespace
}  // namespace gktune
