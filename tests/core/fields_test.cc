#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tuner/core/fields_json.h"
#include "tuner/core/trial.h"

namespace gktune {

// In the namespace of the library, where lists of fields are found.
GKTUNE_ENUM(Colour, red, green)

struct Inner {
  int count = 0;
  std::optional<double> limit;
};

GKTUNE_FIELDS(Inner, count, limit)

struct Outer {
  Colour colour = Colour::red;
  std::vector<Inner> inner;
  std::array<std::string, 2> texts;
  std::vector<std::pair<std::string, Value>> pairs;
  double power_w = -1;
};

template <class Archive, Is<Outer> S>
void fields(Archive&& archive, S& outer) {
  archive("colour", outer.colour);
  archive("inner", outer.inner);
  archive("texts", outer.texts);
  archive("pairs", outer.pairs);
  archive("power_w", unless_negative(outer.power_w));
}

// A trial with one more field.
struct LongerTrial : Trial {
  int attempts = 0;
};

template <class Archive, Is<LongerTrial> S>
void fields(Archive&& archive, S& longer) {
  std::conditional_t<std::is_const_v<S>, const Trial, Trial>& trial = longer;
  fields(archive, trial);
  archive("attempts", longer.attempts);
}

namespace {

using Json = nlohmann::json;

TEST(Fields, are_written_as_json_and_read_again) {
  Outer outer;
  outer.colour = Colour::green;
  outer.inner = {{3, 0.5}, {4, std::nullopt}};
  outer.texts = {"a", "b"};
  outer.pairs = {{"n", 1}, {"x", 1.0}, {"is_on", true}, {"type", "float"}};
  const Json json = written<Json>(outer);
  EXPECT_EQ(
      json.dump(),
      R"({"colour":"green","inner":[{"count":3,"limit":0.5},{"count":4,"limit":null}],)"
      R"("pairs":[["n",1],["x",1.0],["is_on",true],["type","float"]],"power_w":-1.0,"texts":["a","b"]})");
  const auto again = read_as<Outer>(json);
  EXPECT_EQ(again.pairs, outer.pairs);
  EXPECT_EQ(written<Json>(again), json);
}

TEST(Fields, reading_throws_for_json_that_does_not_match) {
  const Json good = written<Json>(Outer());
  for (const auto& [name, value] : good.items()) {
    Json bad = good;
    bad[name] = Json::object();
    EXPECT_ANY_THROW(read_as<Outer>(bad)) << name;
    bad.erase(name);
    EXPECT_ANY_THROW(read_as<Outer>(bad)) << name;
  }
  Json unknown = good;
  unknown["colour"] = "blue";
  EXPECT_ANY_THROW(read_as<Outer>(unknown));
}

TEST(Fields, a_new_field_of_a_trial_is_one_line) {
  LongerTrial trial;
  trial.attempts = 7;
  trial.config = {{"block", 64}};
  const Json json = written<Json>(trial);
  EXPECT_EQ(json.size(), written<Json>(Trial()).size() + 1);
  EXPECT_EQ(json.at("attempts"), 7);
  const auto again = read_as<LongerTrial>(json);
  EXPECT_EQ(again.attempts, 7);
  EXPECT_EQ(again.config, trial.config);
}

TEST(FieldsJson, refuses_an_integer_that_no_value_holds) {
  EXPECT_EQ(value_from_json(nlohmann::json::parse("9223372036854775807")), Value(std::int64_t{9223372036854775807}));
  EXPECT_THROW(value_from_json(nlohmann::json::parse("9223372036854775808")), std::invalid_argument);
}

}  // namespace
}  // namespace gktune
