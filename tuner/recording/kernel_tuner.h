#pragma once

#include "tuner/recording/json_fields.h"
#include "tuner/recording/recording.h"

namespace gktune {

// The formats of Kernel Tuner: its cache files, and results in the T4 format. Both throw BadRecording.
Recording read_cache(const RecordedJson& file);
Recording read_t4(const RecordedJson& file);

// A recording in these formats. Equal to the file that was read but for the fields that
// a Recording has no place for.
RecordedJson write_cache(const Recording& recording);
RecordedJson write_t4(const Recording& recording);

// The name of a configuration in a cache file: its values in the order of the parameters.
std::string key_of_config(const Recording& recording, const Config& config);

}  // namespace gktune
