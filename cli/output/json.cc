#include "cli/output/json.h"

#include <cstdlib>
#include <ostream>
#include <set>
#include <utility>

#include "tuner/core/fields_json.h"

namespace gktune {
namespace {

// Writes each field of a struct under its name, null where it is unknown, and fields such as grid_x, grid_y and
// grid_z as one list.
class JsonFields {
 public:
  // `left_out` names fields that stand elsewhere. `unit` is left out at the end of names.
  explicit JsonFields(Json& object, std::set<std::string_view> left_out = {}, std::string_view unit = "")
      : object_(object), left_out_(std::move(left_out)), unit_(unit) {}

  template <class T>
  void operator()(std::string_view name, const T& field) {
    add(name, written<Json>(field));
  }
  template <class T>
  void operator()(std::string_view name, MaybeUnknown<T> field) {
    add(name, field.is_known ? written<Json>(std::as_const(field.value)) : Json());
  }

 private:
  void add(std::string_view name, Json value) {
    if (left_out_.contains(name)) return;
    if (name.ends_with(unit_)) name.remove_suffix(unit_.size());
    if (name.ends_with("_x") || name.ends_with("_y") || name.ends_with("_z"))
      object_[name.substr(0, name.size() - 2)].push_back(std::move(value));
    else
      object_[name] = std::move(value);
  }

  Json& object_;
  std::set<std::string_view> left_out_;
  std::string_view unit_;
};

}  // namespace

Json json_of_count(const Count& count) {
  if (count.bits() <= 64) return static_cast<std::uint64_t>(count);
  return std::strtod(count.str().c_str(), nullptr);
}

Json json_of(const Value& value) { return value_json<Json>(value); }
Json json_of(const NamedValues& values) { return values_json<Json>(values); }

Json json_of(const DeviceInfo& device) {
  Json object = written<Json>(device);
  for (Json& figure : object) {
    if (figure.is_number() && figure == 0) figure = nullptr;
  }
  return object;
}

Json json_of(const DeviceIdentity& device) { return written<Json>(device); }

Json json_of(const Resources& resources) {
  Json object;
  fields(JsonFields(object), resources);
  for (const char* shape : {"grid", "block"}) {
    if (object[shape][0] == 0) object[shape] = nullptr;
  }
  return object;
}

Json json_of(const Trial& trial) {
  Json object = {{"config", json_of(trial.config)}, {"status", status_name(trial.status)}};
  if (trial.id != 0) object["id"] = trial.id;
  if (!trial.ok()) {
    object["message"] = trial.message;
    return object;
  }
  fields(JsonFields(object["time_us"], {}, "_us"), trial.timing);
  object["samples"] = trial.samples_us.size();
  object["resources"] = json_of(trial.resources);
  std::set<std::string_view> elsewhere = {"config",  "status",     "message", "objective",
                                          "samples", "started_ms", "ended_ms"};
  const auto note = [&](std::string_view name, const auto&) { elsewhere.insert(name); };
  fields(note, trial.timing);
  fields(note, trial.resources);
  fields(JsonFields(object, std::move(elsewhere)), trial);
  return object;
}

void print(std::ostream& stream, const Json& json) {
  stream << json.dump(2, ' ', false, Json::error_handler_t::replace) << '\n';
}

void print_line(std::ostream& stream, const Json& json) {
  stream << json.dump(-1, ' ', false, Json::error_handler_t::replace) << '\n';
}

}  // namespace gktune
