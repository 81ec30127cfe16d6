#pragma once

#include <cstdint>
#include <string>

#include "db/database.h"
#include "tuner/core/fields.h"
#include "tuner/core/trial.h"

namespace gktune {

// The rows of the database that no other struct describes. Their columns follow from their fields.

struct SessionRow {
  std::string uuid;  // the same in every database that holds this session
  SessionEnvironment environment;
  NamedValues figures;  // limits, sizes and clocks of the device
  std::string command_line;
  std::int64_t begun_ms = 0;
  std::int64_t ended_ms = -1;  // negative: it is running, or it was killed
};

template <class Archive, Is<SessionRow> S>
void fields(Archive&& archive, S& session) {
  archive("uuid", session.uuid);
  fields(archive, session.environment);
  archive("figures", session.figures);
  archive("command_line", session.command_line);
  archive("begun_ms", session.begun_ms);
  archive("ended_ms", unless_negative(session.ended_ms));
}

// The measurement of a trial in a playoff.
struct FinalistRow {
  double objective = 0;
  Timing timing;
  NamedValues metrics;
  Samples samples_us;
};

template <class Archive, Is<FinalistRow> S>
void fields(Archive&& archive, S& finalist) {
  archive("objective", finalist.objective);
  fields(archive, finalist.timing);
  archive("metrics", finalist.metrics);
  archive("samples", finalist.samples_us);
}

GKTUNE_FIELDS(StoredDefinition, kernel, fingerprint, device_kind, body)

// Without symbols and bytes, whose kinds no other row has.
GKTUNE_FIELDS(StoredCode, kernel, fingerprint, device_kind, architecture, cpu, variant)

}  // namespace gktune
