#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "db/answers/answer.h"
#include "db/answers/axis_value.h"
#include "db/answers/device_identity.h"
#include "db/answers/freshness.h"
#include "tuner/core/named_values.h"

namespace gktune {

class AnswerTable;
class WinnersSource;

struct LookupSettings {
  // Questions about a device of the first name are answered as for a device of the second, whatever its
  // number of multiprocessors: {"NVIDIA H100 NVL", "NVIDIA H100"}.
  std::map<std::string, std::string> aliases;

  // The device that answers for another.
  DeviceIdentity answered_as(const DeviceIdentity& device) const;
};

// A question, but for the problem.
struct Question {
  // Empty (or 0) members match any device; an empty device is the one on which the kernel was tuned last.
  DeviceIdentity device = {};
  Config fallback = {};      // the answer if there is no other
  Freshness freshness = {};  // winners that are stale by it do not answer
  // For a problem that was not tuned, the choice of a stored portfolio goes before the nearest
  // problem's winner: an application then needs the portfolio's configurations only, besides those of
  // the problems that were tuned.
  bool prefers_portfolio = false;
};

// Prepared questions about one kernel on one device. Asking takes no lock and reads memory only, but for the
// first question after a followed file has changed. It allocates nothing, unless the question has no exact
// answer and the kernel's space has constraints that depend on the problem, or the question prefers the
// portfolio. Use it in one thread at a time: a thread of its own copy is as fast as one thread alone.
class KernelLookup {
 public:
  // The first source wins among answers that match equally well.
  KernelLookup(std::span<const std::shared_ptr<const WinnersSource>> sources, std::string kernel,
               std::vector<std::string> axes, Question question);

  // Values in the order of the axes that the questions were prepared for. The answer is valid until the next
  // question to this object.
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
  // The answer to a question with another number of values than axes.
  const Answer& miscounted(std::size_t values);
  // The choices of the stored portfolios of this device, until the function returns true.
  bool visit_portfolios(std::span<const AxisValue> values,
                        const std::function<bool(const Answer&)>& function) const;

  std::vector<Part> parts_;
  std::string kernel_;
  std::vector<std::string> axes_;
  Question question_;
  Answer no_answer_, miscounted_;
};

}  // namespace gktune
