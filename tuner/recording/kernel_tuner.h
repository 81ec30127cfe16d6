#pragma once

#include "tuner/recording/json_fields.h"
#include "tuner/recording/recording.h"

namespace gktune {

// The formats of Kernel Tuner: its cache files, and results in the T4 format. Both throw BadRecording.
Recording read_cache(const RecordedJson& file);
Recording read_t4(const RecordedJson& file);

}  // namespace gktune
