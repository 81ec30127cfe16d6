#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "db/database.h"
#include "db/identity.h"
#include "gktune/result.h"
#include "gktune/values.h"
#include "tuner/space/definition.h"

namespace gktune {

// The problems of the space file that match any of the selections; all problems if there is no selection. An
// integer that the file does not list replaces the values of its axis. Other axes accept listed values only.
Result<std::vector<Problem>> select_problems(const KernelDefinition& kernel,
                                             const std::vector<std::string>& selections);

// Removes the values that a selection does not list: "way=naive,coalesced,tileM=64" leaves two
// values of `way` and one of `tileM`. Parameters that no selection names keep all values. An
// unknown name or value is an error.
Result<void> select_values(std::vector<Parameter>& parameters, const std::vector<std::string>& selections);

// Reads a problem to look up in the database. `known` gives the names and types of the axes.
Result<Problem> parse_problem(std::string_view text, const std::vector<Problem>& known);

// True if the problem has these values. Other axes may have any.
bool has_values(const Problem& problem, const Problem& asked);

// "n=1Mi,T=float", as parse_problem reads it.
std::string problem_text(const Problem& problem);

// The device with this name, else the only device whose name contains the text. Ignores case.
Result<DeviceIdentity> find_device(const std::string& text, const std::vector<DeviceIdentity>& devices);

// Conditions on studies. An empty condition accepts every study.
struct StudyFilter {
  std::string kernel;
  std::string device;             // a name or a part of one
  std::string problem;            // "n=1Mi,T=float": these axes have these values
  std::optional<Status> status;   // at least one current trial has it
  std::optional<double> newer_s;  // its latest trial ended within this time
  std::optional<double> older_s;  // its latest trial ended before that

  bool is_empty() const {
    return kernel.empty() && device.empty() && problem.empty() && !status && !newer_s && !older_s;
  }
};

// The time that an age means: `now` minus the age. Without an age every study is accepted.
std::int64_t since_unix_ms(const std::optional<double>& newer_s, std::int64_t now_unix_ms);

// The studies that meet the filter, in the given order; the database knows which have a trial of its status. A
// kernel, device or axis that no study has is an error.
Result<std::vector<StudySummary>> select_studies(std::vector<StudySummary> studies, const StudyFilter& filter,
                                                 std::int64_t now_unix_ms);

// The id of a study or trial, if the word has digits only. A kernel of such a name is named with a mark: 17@.
std::optional<std::int64_t> number_in(std::string_view word);

// The studies that a word names: by id (17), or by kernel, problem and device (reduce, reduce/n=1Mi,
// reduce@H200, reduce/n=1Mi@H200).
Result<std::vector<StudySummary>> named_studies(const std::vector<StudySummary>& studies,
                                                const std::string& word);

// A word that names the study, unless the store has other versions of it: "reduce/n=1Mi@NVIDIA H200".
std::string study_text(const Study& study);

}  // namespace gktune
