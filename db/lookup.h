#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "db/identity.h"
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
  // The value of a parameter; asks for one that there is.
  std::int64_t integer(std::string_view parameter) const;
};

// Answers an application from the database, which it only reads.
class Lookup {
 public:
  static Result<Lookup> open(const std::filesystem::path& path);
  Lookup(Lookup&&) noexcept;
  Lookup& operator=(Lookup&&) noexcept;
  ~Lookup();

  // With no device named: the one the database knows most recently.
  Answer best(std::string_view kernel, const Problem& problem, const DeviceIdentity& device = {},
              const Config& fallback = {}) const;

 private:
  struct Body;
  explicit Lookup(std::unique_ptr<Body> body);
  std::unique_ptr<Body> body_;
};

}  // namespace gktune
