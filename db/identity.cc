#include "db/identity.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>
#include <random>
#include <stdexcept>

#include "db/sql/failure.h"
#include "tuner/core/fields_json.h"

namespace gktune {
namespace {

bool has_zero_byte(const std::string& text) { return text.find('\0') != std::string::npos; }

std::vector<std::int64_t> numbers_in(std::string_view text) {
  std::vector<std::int64_t> numbers;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at < end) {
    std::int64_t number = 0;
    const auto [stop, error] = std::from_chars(at, end, number);
    if (error == std::errc() && number >= 0) numbers.push_back(number);
    at = stop > at ? stop : at + 1;
  }
  return numbers;
}

}  // namespace

std::string new_uuid() {
  std::random_device random;
  std::string uuid;
  for (int digit = 0; digit < 32; ++digit) uuid += "0123456789abcdef"[random() % 16];
  return uuid;
}

NamedValues values_from_json(std::string_view json) {
  try {
    const auto parsed = SortedJson::parse(json, nullptr, false);
    if (parsed.is_object()) return values_from_json_object(parsed);
  } catch (const std::invalid_argument&) {  // one of them is no plain value
  }
  throw sql::Failure("not a JSON object of plain values: " + std::string(json.substr(0, 80)));
}

std::string identity_json(const NamedValues& values, const std::string& what) {
  for (const auto& [name, value] : values) {
    if (value.is_real() && !std::isfinite(value.real())) {
      throw sql::Failure(what + ": " + name + " is " + value.str() + ", which cannot be stored");
    }
    if (has_zero_byte(name) || (value.is_text() && has_zero_byte(value.text()))) {
      throw sql::Failure(what + ": " + name + " has a zero byte, which cannot be stored");
    }
  }
  const std::string json = values.json();
  if (!SortedJson::accept(json))
    throw sql::Failure(what + ": a text is no UTF-8, which cannot be stored: " + json);
  return json;
}

EnvironmentVersion::EnvironmentVersion(std::string_view driver_text, std::string_view runtime_text)
    : driver(numbers_in(driver_text)), runtime(numbers_in(runtime_text)) {}

std::vector<std::string> changes_between(const SessionEnvironment& then, const SessionEnvironment& now) {
  std::vector<std::string> changes;
  const auto compare = [&](const char* part, const std::string& before, const std::string& after) {
    if (before.empty() || after.empty() || before == after) return;
    changes.push_back(std::string("the ") + part + " was " + before + " then and is " + after + " now");
  };
  compare("driver", then.driver, now.driver);
  compare("CUDA version", then.runtime, now.runtime);
  // nvcc compiles host code, NVRTC kernels: the two are not versions of each other.
  if (then.compiler.starts_with("nvcc ") == now.compiler.starts_with("nvcc "))
    compare("compiler", then.compiler, now.compiler);
  return changes;
}

void add_change(std::vector<std::string>& changes, std::string change) {
  if (std::ranges::find(changes, change) == changes.end()) changes.push_back(std::move(change));
}

DeviceIdentity cuda_device(std::string_view name, int major, int minor, int multiprocessors) {
  return {"cuda", std::string(name), "sm_" + std::to_string(major) + std::to_string(minor), multiprocessors};
}

DeviceIdentity identity_of(const DeviceInfo& device) {
  return {device.kind, device.name, device.architecture, device.multiprocessors};
}

DeviceInfo device_of(const DeviceIdentity& identity) {
  DeviceInfo device;
  device.kind = identity.kind, device.name = identity.name, device.architecture = identity.architecture;
  device.multiprocessors = identity.multiprocessors;
  return device;
}

bool fits(const DeviceIdentity& asked, const DeviceIdentity& tuned) {
  return (asked.kind.empty() || asked.kind == tuned.kind) &&
         (asked.name.empty() || asked.name == tuned.name) &&
         (asked.architecture.empty() || asked.architecture == tuned.architecture) &&
         (asked.multiprocessors == 0 || asked.multiprocessors == tuned.multiprocessors);
}

NamedValues figures_of(const DeviceInfo& device) {
  NamedValues figures;
  figure_fields([&](const char* name, const auto& member) { figures.set(name, member); }, device);
  return figures;
}

void set_figures(DeviceInfo& device, const NamedValues& figures) {
  figure_fields(
      [&]<class T>(const char* name, T& member) {
        const Value* value = figures.find(name);
        if (value == nullptr) return;
        if constexpr (std::is_same_v<T, bool>) {
          if (value->is_boolean()) member = value->boolean();
        } else {
          if (value->is_integer()) member = value->integer();
        }
      },
      device);
}

}  // namespace gktune
