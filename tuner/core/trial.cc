#include "tuner/core/trial.h"

namespace gktune {

EnumNames enum_names(Status) {
  static constexpr std::string_view kNames[] = {
      "ok",
      "invalid",
      "compile_failed",
      "compile_timed_out",
      "launch_failed",
      "out_of_memory",
      "wrong_result",
      "guard_violated",
      "input_changed",
      "illegal_access",
      "misaligned_access",
      "aborted",
      "barrier_divergence",
      "data_race",
      "undefined_behavior",
      "crashed",
      "timed_out",
      "reference_failed",
      "machine_failed",
  };
  static_assert(std::size(kNames) == static_cast<std::size_t>(kLastStatus) + 1);
  return kNames;
}

EnumNames enum_names(Regime) {
  static constexpr std::string_view kNames[] = {"cold", "hot"};
  return kNames;
}

}  // namespace gktune
