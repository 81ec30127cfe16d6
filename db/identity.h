#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "gktune/answer.h"
#include "gktune/values.h"
#include "tuner/core/device_info.h"
#include "tuner/core/fields.h"
#include "tuner/core/trial.h"

namespace gktune {

std::string new_uuid();  // 128 random bits, in hexadecimal

// JSON with sorted names: one text for equal contents.
using SortedJson = nlohmann::json;

// The values from the output of NamedValues::json(). Throws sql::Failure for other JSON.
NamedValues values_from_json(std::string_view json);

// The JSON that identifies these values in the database. Throws sql::Failure for values that JSON cannot
// represent: a real that is not finite, a text with a zero byte. `what` names the values in the message.
std::string identity_json(const NamedValues& values, const std::string& what);

template <class Archive, Is<DeviceIdentity> S>
void fields(Archive&& archive, S& device) {
  identity_fields(archive, device);
}

DeviceIdentity identity_of(const DeviceInfo& device);
// A device of which nothing else is known.
DeviceInfo device_of(const DeviceIdentity& identity);
// Empty (or 0) members of the question match any device.
bool fits(const DeviceIdentity& asked, const DeviceIdentity& tuned);

// The numbers and switches of a device, without its identity and versions.
NamedValues figures_of(const DeviceInfo& device);
void set_figures(DeviceInfo& device, const NamedValues& figures);

// Trials of one study may be compared with each other.
struct Study {
  std::string kernel;
  std::string fingerprint;  // of sources, options, arguments and launches
  DeviceIdentity device;
  Problem problem;
  Regime regime = Regime::cold;
  std::string objective;  // "time", "maximize GB/s"
};

template <class Archive, Is<Study> S>
void fields(Archive&& archive, S& study) {
  archive("kernel", study.kernel);
  archive("fingerprint", study.fingerprint);
  fields(archive, study.device);
  archive("problem", study.problem);
  archive("regime", study.regime);
  archive("objective", study.objective);
}

// All texts that the axes and the parameters of a kernel can have, by their names.
struct TextValues {
  std::map<std::string, std::set<std::string>> axes, parameters;
  friend bool operator==(const TextValues&, const TextValues&) = default;
};

// The parts of a space file that the lookup needs.
struct KernelSpace {
  NamedValues matching;  // how axes match that say so: {"heads": "exact"}; see AxisMatching
  // Conditions on a configuration, a problem and a device in the expression language, without definitions.
  std::vector<std::string> constraints;
  Config default_config;
  friend bool operator==(const KernelSpace&, const KernelSpace&) = default;
};

GKTUNE_FIELDS(KernelSpace, matching, constraints, default_config)

// The programs that a session measured with. Empty: unknown.
struct SessionEnvironment {
  std::string tool_version, host_name, driver, runtime, compiler;
};

GKTUNE_FIELDS(SessionEnvironment, tool_version, host_name, driver, runtime, compiler)

// The versions of driver and CUDA, for comparison: 580.65.06 is newer than 550.54.
struct EnvironmentVersion {
  EnvironmentVersion() = default;
  EnvironmentVersion(std::string_view driver_text, std::string_view runtime_text);

  std::vector<std::int64_t> driver, runtime;
  friend auto operator<=>(const EnvironmentVersion&, const EnvironmentVersion&) = default;
};

// "the driver was 550.54 then and is 580.1 now", for each part that both know and that differs.
std::vector<std::string> changes_between(const SessionEnvironment& then, const SessionEnvironment& now);

// The change that another fingerprint means.
inline constexpr std::string_view kSourceChanged =
    "the source or its options have changed: another version of the kernel was tuned on this device later";

// Adds a change that is not listed yet.
void add_change(std::vector<std::string>& changes, std::string change);

}  // namespace gktune
