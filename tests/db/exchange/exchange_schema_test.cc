// docs/exchange.schema.json describes the lines of an export: no key is missing, and none is made up.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "db/exchange/exchange.h"
#include "db/exchange/records.h"
#include "db/portfolio/make_portfolio.h"
#include "db/schema.h"
#include "db/sqlite/failure.h"
#include "db/sqlite/transaction.h"
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
      for (const std::string key : schema["required"])
        EXPECT_TRUE(value.contains(key)) << name << ": " << key;
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

// The part of JSON Schema that exchange.schema.json uses.
class Validator {
 public:
  explicit Validator(const json& schema) : schema_(schema) {}
  bool is_valid(const json& value) const { return fits(value, schema_); }

 private:
  static bool is_of(const json& value, const std::string& type) {
    if (type == "integer")
      return value.is_number_integer() ||
             (value.is_number_float() && value.get<double>() == std::floor(value.get<double>()));
    if (type == "number") return value.is_number();
    return value.type_name() == type;
  }

  bool fits(const json& value, const json& schema) const {
    for (const auto& [keyword, rule] : schema.items()) {
      if (!meets(value, schema, keyword, rule)) return false;
    }
    return true;
  }

  bool meets(const json& value, const json& schema, const std::string& keyword, const json& rule) const {
    const auto fits_value = [&](const json& each) { return fits(value, each); };
    if (keyword == "$ref")
      return fits(value, schema_.at(json::json_pointer(rule.get<std::string>().substr(1))));
    if (keyword == "oneOf") return std::ranges::count_if(rule, fits_value) == 1;
    if (keyword == "anyOf") return std::ranges::any_of(rule, fits_value);
    if (keyword == "const") return value == rule;
    if (keyword == "enum") return std::ranges::find(rule, value) != rule.end();
    if (keyword == "type") {
      if (rule.is_string()) return is_of(value, rule);
      return std::ranges::any_of(rule, [&](const json& type) { return is_of(value, type); });
    }
    if (keyword == "minimum") return !value.is_number() || value >= rule;
    if (keyword == "minLength") return !value.is_string() || value.get<std::string>().size() >= rule;
    if (keyword == "minItems") return !value.is_array() || value.size() >= rule;
    if (keyword == "items") {
      return !value.is_array() ||
             std::ranges::all_of(value, [&](const json& each) { return fits(each, rule); });
    }
    if (keyword == "required") {
      return !value.is_object() || std::ranges::all_of(rule, [&](const json& key) {
        return value.contains(key.get<std::string>());
      });
    }
    if (keyword == "properties") {
      bool is_valid = true;
      for (const auto& each : rule.items())
        is_valid = is_valid && (!value.is_object() || !value.contains(each.key()) ||
                                fits(value[each.key()], each.value()));
      return is_valid;
    }
    if (keyword == "additionalProperties") {
      if (!value.is_object()) return true;
      const auto known = schema.find("properties");
      bool is_valid = true;
      for (const auto& each : value.items())
        is_valid = is_valid && ((known != schema.end() && known->contains(each.key())) ||
                                (rule.is_object() && fits(each.value(), rule)));
      return is_valid;
    }
    EXPECT_TRUE(keyword == "description" || keyword == "title" || keyword == "$schema" || keyword == "$defs")
        << keyword;
    return true;
  }

  const json schema_;
};

// Changes each value, and each key, of a line in turn.
void for_each_change(const json& line,
                     const std::function<void(const std::string& place, const json& changed)>& visit) {
  const json flat = line.flatten();
  std::set<std::string> places;
  for (const auto& each : flat.items()) {
    for (json::json_pointer at(each.key()); !at.empty(); at.pop_back()) {
      const std::string place = at.to_string();
      if (place.find_first_of("123456789") == place.npos) places.insert(place);  // of arrays, the first item
    }
  }
  for (const std::string& place : places) {
    const json::json_pointer at(place);
    for (const json& value :
         {json(-1), json(0), json(1), json(0.5), json(7), json("x"), json(""), json(true), json(),
          json::array(), json::object(), json({{"x", json::array()}}), json({{"x", nullptr}})}) {
      json changed = line;
      changed[at] = value;
      visit(place + " = " + value.dump(), changed);
    }
    json changed = line;
    json& parent = changed[at.parent_pointer()];
    if (!parent.is_object()) continue;
    parent.erase(at.back());
    visit(place + " missing", changed);
    parent["other"] = 1;
    visit(place + " has another name", changed);
    parent[at.back()] = line[at];
    visit(place + " beside another key", changed);
  }
}

TEST(ExchangeSchema, an_import_refuses_what_the_schema_refuses_and_accepts_the_rest) {
  ScratchFolder scratch;
  const Validator validator(schema());
  std::vector<json> lines;
  {
    // The first of each type, and what follows from it.
    std::istringstream all(exported_example(scratch / "gktune.db"));
    std::set<std::string> seen;
    for (std::string line; std::getline(all, line);) {
      json record = json::parse(line);
      const std::string type = record["type"];
      const bool is_kept = type == "trial" ? record["study"] == 1 : seen.insert(type).second;
      if (type == "end") record["studies"] = 1, record["trials"] = 4, record["playoffs"] = 1;
      if (is_kept) lines.push_back(std::move(record));
    }
  }
  sqlite::Database database = sqlite::Database::in_memory();
  migrate(database, schema_steps());
  sqlite::Transaction transaction(database, sqlite::Transaction::Kind::write);
  RecordWriter writer(database);  // has the lines before
  const auto refusal_of = [&](const json& changed) {
    database.execute("SAVEPOINT line");
    std::string refusal;
    try {
      RecordWriter(writer).add(changed);
    } catch (const sqlite::Failure& failure) {
      refusal = failure.what();
    }
    database.execute("ROLLBACK TO line; RELEASE line");
    return refusal;
  };
  std::set<std::string> changed_types;
  for (const json& line : lines) {
    ASSERT_EQ(refusal_of(line), "");
    ASSERT_TRUE(validator.is_valid(line)) << line;
    const std::string type = line["type"];
    const bool is_first = changed_types.insert(type).second;
    const auto compare = [&](const std::string& place, const json& changed) {
      const bool is_valid = validator.is_valid(changed);
      const std::string refusal = refusal_of(changed);
      // A valid line may still refer to lines and nodes that are not there, count others, or have a median
      // below its minimum.
      const bool refers = type == "end" || place.starts_with("/session") || place.starts_with("/study") ||
                          place.starts_with("/finalists") || place.find("/tree") != std::string::npos ||
                          place.starts_with("/body/configs") || place.starts_with("/type") ||
                          place.starts_with("/version") || place.starts_with("/median_us") ||
                          place.starts_with("/min_us");
      if (!is_valid && place != "/version = 1") {  // it had the same lines
        EXPECT_NE(refusal, "") << type << place;
      } else if (is_valid && !refers) {
        EXPECT_EQ(refusal, "") << type << place;
      }
    };
    if (is_first) for_each_change(line, compare);
    writer.add(line);
  }
  EXPECT_EQ(changed_types.size(), 8u);
}

// Needs the Python package jsonschema.
TEST(ExchangeSchema, accepts_exported_lines_and_refuses_missing_new_and_mistyped_keys) {
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
assert sorted(first) == ["end", "gktune", "playoff", "portfolio", "session", "space", "study", "trial"], sorted(first)
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
