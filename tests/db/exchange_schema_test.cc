// docs/exchange.schema.json describes the lines of an export: no key is missing, and none is made up.
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "db/exchange/exchange.h"
#include "db/portfolio/make_portfolio.h"
#include "db/store/sqlite_store.h"
#include "tests/db/example_study.h"
#include "tests/python.h"
#include "tests/scratch_folder.h"

namespace gktune {
namespace {

using nlohmann::json;

const std::string kSchema = GKTUNE_SOURCE_DIR "/docs/exchange.schema.json";

// A database with rows of every type: failures, metrics that are no numbers, a playoff, a space, a portfolio.
std::vector<std::int64_t> make_example(const std::filesystem::path& path) {
  auto store = std::move(*open_sqlite_store(path, StoreAccess::write));
  const auto session = *store->begin_session({"0.1.0", "box", "gktune run", example_device()});
  std::vector<std::int64_t> studies;
  for (int i = 0; i < 8; ++i) {
    const auto study = *store->study_id(reduce_study(std::int64_t{1024} << (2 * i)));
    for (int a = 0; a < 3; ++a) {
      Trial trial =
          ok_trial({{"a", a}, {"f", 0.5}, {"on", true}, {"way", "x"}}, 100 + 50 * std::abs(a - i / 4));
      trial.metrics = {{"GB/s", 1.5}, {"bad", std::numeric_limits<double>::quiet_NaN()}};
      trial.resources.registers = 40;
      EXPECT_TRUE(store->add_trial(study, session, trial).ok());
    }
    EXPECT_TRUE(store->add_trial(study, session, failed_trial({{"a", 7}}, Status::crashed)).ok());
    const auto trials = *store->trials(study);
    const std::size_t best = i < 4 ? 0 : 1;
    EXPECT_TRUE(store->add_playoff(study, session, {{trials[best], trials[1 - best]}, 5000}).ok());
    studies.push_back(study);
  }
  EXPECT_TRUE(
      store->describe_space("reduce", "f1", {{{"n", "exact"}}, {"a < 3", "n > 0"}, {{"a", 0}, {"way", "x"}}})
          .ok());
  const auto sources = *read_costs(path, "reduce", {});
  Portfolio portfolio = make_portfolio(sources[0].table, {});
  EXPECT_GT(portfolio.tree.size(), 1u);
  portfolio.kernel = "reduce";
  portfolio.fingerprint = "f1";
  portfolio.device = kH200;
  portfolio.objective = "time";
  EXPECT_TRUE(store_portfolio(path, portfolio).ok());
  return studies;
}

std::string exported_example(const std::filesystem::path& path) {
  const auto studies = make_example(path);
  std::ostringstream stream;
  EXPECT_TRUE(export_studies(path, studies, stream).ok());
  return stream.str();
}

json schema() {
  std::ifstream file(kSchema);
  return json::parse(file);
}

std::set<std::string> keys_of(const json& object) {
  std::set<std::string> keys;
  for (const auto& [key, value] : object.items()) keys.insert(key);
  return keys;
}

// Walks a value and its schema side by side, and collects the keys that occur by the name of their schema.
class Walk {
 public:
  explicit Walk(const json& schema) : definitions_(schema["$defs"]) {}

  void visit(const json& value, const json& schema, const std::string& name) {
    if (schema.contains("$ref")) {
      const std::string reference = schema["$ref"];
      const std::string definition = reference.substr(reference.rfind('/') + 1);
      return visit(value, definitions_.at(definition), definition);
    }
    for (const char* choice : {"oneOf", "anyOf"}) {
      if (schema.contains(choice)) return visit(value, chosen(value, schema[choice]), name);
    }
    if (schema.contains("properties")) {
      ASSERT_TRUE(value.is_object()) << name;
      EXPECT_EQ(schema["additionalProperties"], false) << name;
      for (const auto& [key, each] : value.items()) {
        ASSERT_TRUE(schema["properties"].contains(key)) << name << " has no '" << key << "'";
        seen_[name].insert(key);
        visit(each, schema["properties"][key], name + "." + key);
      }
      for (const std::string key : schema["required"]) EXPECT_TRUE(value.contains(key)) << name << ": " << key;
    } else if (schema.contains("items")) {
      for (const json& each : value) visit(each, schema["items"], name);
    }
  }

  const std::map<std::string, std::set<std::string>>& seen() const { return seen_; }

 private:
  // The choice for the type of a line, or the one that has the value's keys.
  const json& chosen(const json& value, const json& choices) const {
    for (const json& each : choices) {
      if (!each.contains("$ref")) continue;
      const std::string reference = each["$ref"];
      const json& definition = definitions_.at(reference.substr(reference.rfind('/') + 1));
      if (!definition.contains("properties")) return each;
      const json& properties = definition["properties"];
      const bool is_chosen =
          properties.contains("type")
              ? value.contains("type") && properties["type"]["const"] == value["type"]
              : keys_of(properties) == keys_of(value);
      if (is_chosen) return each;
    }
    ADD_FAILURE() << "no choice for " << value;
    return choices[0];
  }

  json definitions_;
  std::map<std::string, std::set<std::string>> seen_;
};

TEST(ExchangeSchema, names_every_key_that_is_exported_and_no_other) {
  ScratchFolder scratch;
  const json whole = schema();
  Walk walk(whole);
  std::istringstream lines(exported_example(scratch / "gktune.db"));
  for (std::string line; std::getline(lines, line);) walk.visit(json::parse(line), whole, "line");
  for (const auto& [name, definition] : whole["$defs"].items()) {
    if (!definition.contains("properties")) continue;
    const auto found = walk.seen().find(name);
    ASSERT_NE(found, walk.seen().end()) << name << " does not occur";
    EXPECT_EQ(keys_of(definition["properties"]), found->second) << name;
  }
}

TEST(ExchangeSchema, names_every_status) {
  std::set<std::string> statuses;
  for (int i = 0; i <= static_cast<int>(kLastStatus); ++i)
    statuses.insert(std::string(status_name(static_cast<Status>(i))));
  const json named = schema()["$defs"]["trial"]["properties"]["status"]["enum"];
  EXPECT_EQ(named.get<std::set<std::string>>(), statuses);
}

// Needs the Python package jsonschema.
TEST(ExchangeSchema, every_exported_line_is_valid_and_no_key_may_be_missing_new_or_of_another_kind) {
  if (!python_has("jsonschema")) GTEST_SKIP() << "the Python package jsonschema is not installed";
  ScratchFolder scratch;
  scratch.write("all.jsonl", exported_example(scratch / "gktune.db"));
  const std::string script = R"(
import json, sys
from jsonschema import Draft202012Validator
schema = json.load(open(sys.argv[1]))
Draft202012Validator.check_schema(schema)
validator = Draft202012Validator(schema)
first = {}
for number, line in enumerate(open(sys.argv[2], encoding="utf-8"), 1):
    record = json.loads(line)
    errors = [error.message for error in validator.iter_errors(record)]
    assert not errors, (number, errors)
    first.setdefault(record["type"], record)
assert sorted(first) == ["gktune", "playoff", "portfolio", "session", "space", "study", "trial"], sorted(first)
for record in first.values():
    assert not validator.is_valid({**record, "other": 1}), record
    for key in record:
        assert not validator.is_valid({other: record[other] for other in record if other != key}), (record["type"], key)
        if key != "recorded":
            assert not validator.is_valid({**record, key: [[]]}), (record["type"], key)
assert not validator.is_valid({**first["trial"], "status": "fine"})
assert not validator.is_valid({**first["trial"], "samples": [-1]})
assert not validator.is_valid({**first["trial"], "config": {"a": []}})
)";
  EXPECT_EQ(run_python(scratch, script, {kSchema, scratch.path("all.jsonl")}), 0);
}

}  // namespace
}  // namespace gktune
