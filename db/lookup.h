#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "db/answers/answer.h"
#include "db/answers/device_identity.h"
#include "db/answers/kernel_lookup.h"
#include "tuner/core/named_values.h"
#include "tuner/core/result.h"

namespace gktune {

class WinnerSet;
class WinnersSource;

// Answers applications. Opening reads the winners of a database and closes it; asking reads memory only and
// is safe from any thread.
class Lookup {
 public:
  static Result<Lookup> open(const std::filesystem::path& path, LookupSettings settings = {});
  // Several databases: of answers that match equally well, that of the first database counts.
  static Result<Lookup> open(std::span<const std::filesystem::path> paths, LookupSettings settings = {});
  // Winners that are in memory: a Bundle.
  static Lookup of(const std::vector<std::shared_ptr<const WinnerSet>>& winners,
                   LookupSettings settings = {});
  // All sources of some lookups, in order, with the settings of the first.
  static Lookup joined(std::vector<Lookup> lookups);
  // Looks at the file after each interval, in a thread of its own, and reads it again when it has changed.
  // Keeps the earlier winners while it cannot be read.
  static Result<Lookup> follow(const std::filesystem::path& path,
                               std::chrono::milliseconds interval = std::chrono::seconds(1),
                               LookupSettings settings = {});
  Lookup(Lookup&&) noexcept;
  Lookup& operator=(Lookup&&) noexcept;
  ~Lookup();

  // Several versions of the kernel: the latest one that has an answer gives it. A missing axis matches any
  // value, but not exactly; an axis that was never tuned matches nothing.
  Answer best(std::string_view kernel, const Problem& problem, const Question& question) const;
  Answer best(std::string_view kernel, const Problem& problem, const DeviceIdentity& device = {},
              const Config& fallback = {}) const {
    return best(kernel, problem, Question{device, fallback});
  }
  // The same for many questions that name these axes, in this order.
  KernelLookup prepare(std::string_view kernel, std::vector<std::string> axes,
                       const Question& question) const;
  KernelLookup prepare(std::string_view kernel, std::vector<std::string> axes,
                       const DeviceIdentity& device = {}, const Config& fallback = {}) const {
    return prepare(kernel, std::move(axes), Question{device, fallback});
  }

  // The reason why a followed file could not be read the last time.
  std::optional<std::string> read_error() const;

 private:
  Lookup(std::vector<std::shared_ptr<const WinnersSource>> sources, LookupSettings settings);

  std::vector<std::shared_ptr<const WinnersSource>> sources_;
  LookupSettings settings_;
};

}  // namespace gktune
