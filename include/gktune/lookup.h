#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <optional>

#include "gktune/answer.h"
#include "gktune/result.h"
#include "gktune/values.h"

namespace gktune {

class AnswerTable;
class WinnersSource;

// Prepared questions about one kernel on one device. Asking takes no lock and reads memory only, but for the first
// question after a followed file has changed. Use it in one thread at a time: a thread of its own copy is as fast as
// one thread alone.
class KernelLookup {
 public:
  // The first source wins among answers that match equally well.
  KernelLookup(std::span<const std::shared_ptr<const WinnersSource>> sources, std::string kernel,
               std::vector<std::string> axes, Question question);

  // Values in the order of the axes that the questions were prepared for. The answer is valid until the next question
  // to this object.
  const Answer& best(std::span<const AxisValue> values);
  const Answer& best(std::initializer_list<AxisValue> values) { return best(std::span(values)); }
  // All answers in order of preference, until the function returns true.
  void visit(std::span<const AxisValue> values, const std::function<bool(const Answer&)>& function);

 private:
  // The answers of one source.
  struct Part {
    std::shared_ptr<const WinnersSource> source;
    std::uint64_t version = 0;
    std::shared_ptr<const AnswerTable> table;
  };
  void prepare();
  // No answer, and why these values have none.
  const Answer& unanswered(std::span<const AxisValue> values);
  const Answer& too_poor(const Answer& best);

  std::vector<Part> parts_;
  std::string kernel_;
  std::vector<std::string> axes_;
  Question question_;
  Answer no_answer_, refused_;
};

// Answers applications. Opening reads the winners of a database and closes it; asking reads memory only and is safe
// from any thread.
class Lookup {
 public:
  static Result<Lookup> open(const std::filesystem::path& path, LookupSettings settings = {});
  // Several databases: of answers that match equally well, that of the first database counts.
  static Result<Lookup> open(std::span<const std::filesystem::path> paths, LookupSettings settings = {});
  // With settings.follow_interval.
  static Result<Lookup> follow(const std::filesystem::path& path,
                               std::chrono::milliseconds interval = std::chrono::seconds(1),
                               LookupSettings settings = {}) {
    settings.follow_interval = interval;
    return open(path, std::move(settings));
  }
  Lookup(Lookup&&) noexcept;
  Lookup& operator=(Lookup&&) noexcept;
  ~Lookup();

  // Several versions of the kernel: the latest one that has an answer gives it. A missing axis matches any value, but
  // not exactly; a question about an axis that the kernel does not have is not answered.
  Answer best(std::string_view kernel, const Problem& problem, const Question& question) const;
  Answer best(std::string_view kernel, const Problem& problem, const DeviceIdentity& device = {},
              const Config& fallback = {}) const {
    return best(kernel, problem, Question{device, fallback});
  }
  // The same for many questions that name these axes, in this order.
  KernelLookup prepare(std::string_view kernel, std::vector<std::string> axes, const Question& question) const;
  KernelLookup prepare(std::string_view kernel, std::vector<std::string> axes, const DeviceIdentity& device = {},
                       const Config& fallback = {}) const {
    return prepare(kernel, std::move(axes), Question{device, fallback});
  }

  // Two lookups with equal digests answer equally, as those of all ranks of a program should.
  std::string digest() const;
  // The reason why a followed file could not be read the last time.
  std::optional<std::string> read_error() const;

 private:
  Lookup(std::vector<std::shared_ptr<const WinnersSource>> sources, LookupSettings settings);

  std::vector<std::shared_ptr<const WinnersSource>> sources_;
  LookupSettings settings_;
};

}  // namespace gktune
