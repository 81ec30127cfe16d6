#pragma once

#include "tuner/recording/json_fields.h"
#include "tuner/recording/recording.h"

namespace gktune {

// The formats of Kernel Tuner: its cache files, and results in the T4 format. Both throw BadRecording.
Recording read_cache(const RecordedJson& file);
Recording read_t4(const RecordedJson& file);

// A recording in these formats. Equal to the file that was read but for the fields that a Recording has no place for.
RecordedJson write_cache(const Recording& recording);
RecordedJson write_t4(const Recording& recording);

}  // namespace gktune
