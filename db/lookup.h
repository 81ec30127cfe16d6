#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "db/answer.h"
#include "db/axis_value.h"
#include "db/device_identity.h"
#include "db/freshness.h"
#include "tuner/core/named_values.h"
#include "tuner/core/result.h"

namespace gktune {

class AnswerTable;
class WinnersSource;

struct LookupSettings {
  // Questions about a device of the first name are answered as for a device of the second, whatever its number of
  // multiprocessors: {"NVIDIA H100 NVL", "NVIDIA H100"}.
  std::map<std::string, std::string> aliases;
};

// What a question asks besides the problem.
struct Question {
  // Empty (or 0) members match any device; an empty device is the one on which the kernel was tuned last.
  DeviceIdentity device = {};
  Config fallback = {};      // the answer if there is no other
  Freshness freshness = {};  // winners that are stale by it do not answer
};

// Prepared questions about one kernel on one device. Asking takes no lock and reads memory only, but for the first
// question after a followed file has changed. It allocates nothing, unless the kernel's space has constraints that
// depend on the problem and the question has no exact answer. Use it in one thread at a time: a thread of its own
// copy is as fast as one thread alone.
class KernelLookup {
 public:
  // Values in the order of the axes that the questions were prepared for. The answer is valid until the next
  // question to this object.
  const Answer& best(std::span<const AxisValue> values);
  const Answer& best(std::initializer_list<AxisValue> values) { return best(std::span(values)); }
  // All answers in order of preference, until the function returns true.
  void visit(std::span<const AxisValue> values, const std::function<bool(const Answer&)>& function);

 private:
  friend class Lookup;
  // The answers of one database.
  struct Part {
    std::shared_ptr<const WinnersSource> source;
    std::uint64_t version = 0;
    std::shared_ptr<const AnswerTable> table;
  };
  KernelLookup(std::vector<Part> parts, std::string kernel, std::vector<std::string> axes, Question question);
  void prepare();

  std::vector<Part> parts_;
  std::string kernel_;
  std::vector<std::string> axes_;
  Question question_;
  Answer no_answer_;
};

// Answers applications. Opening reads the winners of a database and closes it; asking reads memory only and
// is safe from any thread.
class Lookup {
 public:
  static Result<Lookup> open(const std::filesystem::path& path, LookupSettings settings = {});
  // Several databases: of answers that match equally well, that of the first database counts.
  static Result<Lookup> open(std::span<const std::filesystem::path> paths, LookupSettings settings = {});
  // Looks at the file after each interval, in a thread of its own, and reads it again when it has changed. Keeps
  // the earlier winners while it cannot be read.
  static Result<Lookup> follow(const std::filesystem::path& path,
                               std::chrono::milliseconds interval = std::chrono::seconds(1),
                               LookupSettings settings = {});
  Lookup(Lookup&&) noexcept;
  Lookup& operator=(Lookup&&) noexcept;
  ~Lookup();

  // Of several versions of the kernel the latest that has an answer is used. A missing axis matches any value,
  // but not exactly; an axis that was never tuned matches nothing.
  Answer best(std::string_view kernel, const Problem& problem, const Question& question) const;
  Answer best(std::string_view kernel, const Problem& problem, const DeviceIdentity& device = {},
              const Config& fallback = {}) const {
    return best(kernel, problem, Question{device, fallback, {}});
  }
  // The same for many questions that name these axes, in this order.
  KernelLookup prepare(std::string_view kernel, std::vector<std::string> axes, const Question& question) const;
  KernelLookup prepare(std::string_view kernel, std::vector<std::string> axes, const DeviceIdentity& device = {},
                       const Config& fallback = {}) const {
    return prepare(kernel, std::move(axes), Question{device, fallback, {}});
  }

  // The reason why a followed file could not be read the last time.
  std::optional<std::string> read_error() const;

 private:
  Lookup(std::vector<std::shared_ptr<const WinnersSource>> sources, LookupSettings settings);
  DeviceIdentity answered_as(const DeviceIdentity& device) const;

  std::vector<std::shared_ptr<const WinnersSource>> sources_;
  LookupSettings settings_;
};

}  // namespace gktune
