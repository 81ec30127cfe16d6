#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "db/device_identity.h"
#include "tuner/core/named_values.h"
#include "tuner/core/result.h"

namespace gktune {

// How well an answer fits the question, best first.
enum class Match {
  exact,              // this kernel, device and problem were tuned
  nearest_problem,    // this device; the problem closest by its axes on a log scale
  same_architecture,  // another device of the same architecture
  fallback,           // the default the caller gave
  none,
};
std::string_view match_name(Match match);

struct Answer {
  Match match = Match::none;
  Config config;
  double time_us = 0;  // expected: as measured for `problem` on `device`; 0 where nothing was measured
  Problem problem;     // what it was tuned for
  DeviceIdentity device;

  explicit operator bool() const { return match != Match::none; }

  // The value of a parameter. One that there is not, or one of another kind, is a bug of the caller's and
  // throws std::out_of_range or std::invalid_argument.
  const Value& value(std::string_view parameter) const;
  std::int64_t integer(std::string_view parameter) const;
  double real(std::string_view parameter) const;  // of an integer too
  bool boolean(std::string_view parameter) const;
  const std::string& text(std::string_view parameter) const;
};

// Answers an application from what a database held when it was opened. Opening reads it and closes it again;
// asking reads memory alone, from as many threads as there are.
class Lookup {
 public:
  static Result<Lookup> open(const std::filesystem::path& path);
  Lookup(Lookup&&) noexcept;
  Lookup& operator=(Lookup&&) noexcept;
  ~Lookup();

  // What a device leaves empty (or 0) fits all; with nothing said of it: the one this kernel was tuned on
  // last. Of several versions of the kernel, the one tuned last answers, if it can. An axis that the problem
  // leaves out fits all, though never exactly; one that was not tuned for fits nothing.
  Answer best(std::string_view kernel, const Problem& problem, const DeviceIdentity& device = {},
              const Config& fallback = {}) const;

 private:
  struct Body;
  explicit Lookup(std::unique_ptr<const Body> body);
  std::unique_ptr<const Body> body_;
};

}  // namespace gktune
