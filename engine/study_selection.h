#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "db/store/archive.h"
#include "db/store/trial_store.h"
#include "tuner/core/result.h"

namespace gktune {

// Conditions on studies; empty ones hold for all.
struct StudyFilter {
  std::string kernel;
  std::string device;             // a name or a part of one
  std::string problem;            // "n=1Mi,T=float": these axes have these values
  std::optional<Status> status;   // some current trial has it
  std::optional<double> newer_s;  // its latest trial ended within this time
  std::optional<double> older_s;  // its latest trial ended before that

  bool is_empty() const {
    return kernel.empty() && device.empty() && problem.empty() && !status && !newer_s && !older_s;
  }
};

// The times that ages mean, counted back from now.
std::int64_t since_unix_ms(const std::optional<double>& newer_s, std::int64_t now_unix_ms);
std::int64_t before_unix_ms(const std::optional<double>& older_s, std::int64_t now_unix_ms);

// The studies that meet the filter, in their order. An error names a kernel, device or axis that no study has.
// `counts` matters only if the filter has a status.
Result<std::vector<StudySummary>> select_studies(std::vector<StudySummary> studies, const StudyFilter& filter,
                                                 const std::map<std::int64_t, TrialCounts>& counts,
                                                 std::int64_t now_unix_ms);

// The number that a word of digits is: the id of a study or trial, unless a kernel has this name. Where both exist the word is
// an error: 017 is the number then, and 17@ the kernel.
std::optional<std::int64_t> number_in(std::string_view word);
bool is_kernel(const std::vector<StudySummary>& studies, std::string_view word);
// `what` has the number: "study".
Error ambiguous_number(const std::string& word, const std::string& what);

// The studies that a word names: 17 by its id; reduce, reduce/n=1Mi, reduce@H200 or reduce/n=1Mi@H200 by their
// kernel, problem and device.
Result<std::vector<StudySummary>> named_studies(const std::vector<StudySummary>& studies, const std::string& word);
// The same; an error unless the word names exactly one.
Result<StudySummary> named_study(const std::vector<StudySummary>& studies, const std::string& word);

// "reduce/n=1Mi@NVIDIA H200": a word that names the study, unless another version of it exists.
std::string study_text(const Study& study);

}  // namespace gktune
