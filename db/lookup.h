#pragma once

#include <chrono>
#include <filesystem>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "db/answer.h"
#include "db/axis_value.h"
#include "db/device_identity.h"
#include "tuner/core/named_values.h"
#include "tuner/core/result.h"

namespace gktune {

class AnswerTable;
class WinnersSource;

// Prepared questions about one kernel on one device. Asking allocates nothing, takes no lock and reads memory
// only, but for the first question after a followed file has changed. Use it in one thread at a time: a thread
// of its own copy is as fast as one thread alone.
class KernelLookup {
 public:
  // Values in the order of the axes that the questions were prepared for. The answer is valid until the next
  // question to this object.
  const Answer& best(std::span<const AxisValue> values);
  const Answer& best(std::initializer_list<AxisValue> values) { return best(std::span(values)); }

 private:
  friend class Lookup;
  KernelLookup(std::shared_ptr<const WinnersSource> source, std::string kernel, std::vector<std::string> axes,
               DeviceIdentity device, Config fallback);
  void prepare();

  std::shared_ptr<const WinnersSource> source_;
  std::string kernel_;
  std::vector<std::string> axes_;
  DeviceIdentity device_;
  Config fallback_;
  std::uint64_t version_ = 0;
  std::shared_ptr<const AnswerTable> table_;
  Answer no_answer_;
};

// Answers applications. Opening reads the winners of a database and closes it; asking reads memory only and
// is safe from any thread.
class Lookup {
 public:
  static Result<Lookup> open(const std::filesystem::path& path);
  // Looks at the file after each interval, in a thread of its own, and reads it again when it has changed. Keeps
  // the earlier winners while it cannot be read.
  static Result<Lookup> follow(const std::filesystem::path& path,
                               std::chrono::milliseconds interval = std::chrono::seconds(1));
  Lookup(Lookup&&) noexcept;
  Lookup& operator=(Lookup&&) noexcept;
  ~Lookup();

  // Empty (or 0) members of the device match any device; an empty device is the one on which this kernel was
  // tuned last. Of several versions of the kernel the latest that has an answer is used. A missing axis
  // matches any value, but not exactly; an axis that was never tuned matches nothing.
  Answer best(std::string_view kernel, const Problem& problem, const DeviceIdentity& device = {},
              const Config& fallback = {}) const;
  // The same for many questions that name these axes, in this order.
  KernelLookup prepare(std::string_view kernel, std::vector<std::string> axes,
                       const DeviceIdentity& device = {}, const Config& fallback = {}) const;

  // The reason why the followed file could not be read the last time.
  std::optional<std::string> read_error() const;

 private:
  explicit Lookup(std::shared_ptr<const WinnersSource> source);
  std::shared_ptr<const WinnersSource> source_;
};

}  // namespace gktune
