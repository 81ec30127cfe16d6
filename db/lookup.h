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

// Quality of an answer, best first. `gktune best` and applications get it from the same function.
enum class Match {
  exact,              // this kernel, device and problem were tuned; the question names every axis
  nearest_problem,    // this device; the closest problem on a log scale
  same_architecture,  // another device of the same architecture
  fallback,           // the default of the caller
  none,
};
std::string_view match_name(Match match);

struct Answer {
  Match match = Match::none;
  Config config;
  double time_us = 0;  // as measured for `problem` on `device`; 0 for a fallback
  Problem problem;     // the tuned problem
  DeviceIdentity device;

  explicit operator bool() const { return match != Match::none; }

  // The value of a parameter. An unknown parameter or one of another kind is a bug of the caller and throws
  // std::out_of_range or std::invalid_argument.
  const Value& value(std::string_view parameter) const;
  std::int64_t integer(std::string_view parameter) const;
  double real(std::string_view parameter) const;  // also for an integer
  bool boolean(std::string_view parameter) const;
  const std::string& text(std::string_view parameter) const;
};

// Answers applications. Opening reads the winners of a database and closes it; asking reads memory only and
// is safe from any thread.
class Lookup {
 public:
  static Result<Lookup> open(const std::filesystem::path& path);
  Lookup(Lookup&&) noexcept;
  Lookup& operator=(Lookup&&) noexcept;
  ~Lookup();

  // Empty (or 0) members of the device match any device; an empty device is the one on which this kernel was
  // tuned last. Of several versions of the kernel the latest that has an answer is used. A missing axis
  // matches any value, but not exactly; an axis that was never tuned matches nothing.
  Answer best(std::string_view kernel, const Problem& problem, const DeviceIdentity& device = {},
              const Config& fallback = {}) const;

 private:
  struct Body;
  explicit Lookup(std::unique_ptr<const Body> body);
  std::unique_ptr<const Body> body_;
};

}  // namespace gktune
