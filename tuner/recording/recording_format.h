#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "gktune/result.h"
#include "tuner/recording/recording.h"

namespace gktune {

enum class RecordingFormat { kernel_tuner, t4 };

// A file says this besides its recording. It can be written again without loss. The texts are JSON.
struct RecordingExtras {
  std::string file;                 // empty: nothing
  std::vector<std::string> trials;  // one for each trial of the recording
};

struct RecordingWithExtras {
  Recording recording;
  RecordingExtras extras;
};

// Reads the text of a file as read_recording_text() does.
Result<RecordingWithExtras> read_with_extras(std::string_view text, const std::string& path);

// The text of a file in this format. Extras of a file in another format are left out.
std::string write_recording(const Recording& recording, const RecordingExtras& extras,
                            RecordingFormat format);

}  // namespace gktune
