#include "gktune/lookup.h"

#include <algorithm>
#include <utility>

#include "db/winners_source.h"
#include "tuner/core/text.h"

namespace gktune {

DeviceIdentity LookupSettings::answered_as(const DeviceIdentity& device) const {
  const auto alias = aliases.find(device.name);
  if (alias == aliases.end()) return device;
  return {device.kind, alias->second, device.architecture, 0};
}

KernelLookup::KernelLookup(std::span<const std::shared_ptr<const WinnersSource>> sources, std::string kernel,
                           std::vector<std::string> axes, Question question)
    : kernel_(std::move(kernel)), axes_(std::move(axes)), question_(std::move(question)) {
  for (const auto& source : sources) parts_.push_back({source, 0, nullptr});
  prepare();
}

void KernelLookup::prepare() {
  no_answer_ = {};
  no_answer_.match = question_.fallback.empty() ? Match::none : Match::fallback;
  no_answer_.config = question_.fallback;
  for (Part& part : parts_) {
    part.version = part.source->version();  // first: winners that arrive meanwhile cause another preparation
    part.table = part.source->table(kernel_, question_.device, axes_, question_.freshness);
    no_answer_.reason += (no_answer_.reason.empty() ? "" : "; ") + part.table->reason();
  }
}

const Answer& KernelLookup::best(std::span<const AxisValue> values) {
  const Answer* best = nullptr;
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    if (parts_[i].source->version() != parts_[i].version) {
      prepare();
      return this->best(values);
    }
    const Answer* found = parts_[i].table->find(values);
    if (found != nullptr && (best == nullptr || found->match < best->match)) best = found;
  }
  if (best == nullptr) return values.size() == axes_.size() ? no_answer_ : miscounted(values.size());
  if (question_.prefers_portfolio && best->match == Match::nearest_problem) {
    visit_portfolios(values, [&](const Answer& answer) {
      best = &answer;
      return true;
    });
  }
  return *best;
}

const Answer& KernelLookup::miscounted(std::size_t values) {
  miscounted_ = no_answer_;
  miscounted_.reason = "a question about '" + kernel_ + "' has a value for each axis (" + joined(axes_) +
                       "): " + std::to_string(axes_.size()) + ", not " + std::to_string(values);
  return miscounted_;
}

bool KernelLookup::visit_portfolios(std::span<const AxisValue> values,
                                    const std::function<bool(const Answer&)>& function) const {
  return std::ranges::any_of(
      parts_, [&](const Part& part) { return part.table->visit_portfolios(values, function); });
}

void KernelLookup::visit(std::span<const AxisValue> values,
                         const std::function<bool(const Answer&)>& function) {
  best(values);  // reads what has changed
  // Databases one after the other for each quality of match.
  for (const Match match : {Match::exact, Match::nearest_problem, Match::same_architecture, Match::portfolio,
                            Match::space_default}) {
    if (match == Match::nearest_problem && question_.prefers_portfolio && visit_portfolios(values, function))
      return;
    for (const Part& part : parts_) {
      bool is_ended = false;
      part.table->visit(values, [&](const Answer& answer) {
        is_ended = answer.match == match && function(answer);
        return is_ended;
      });
      if (is_ended) return;
    }
  }
  if (no_answer_) function(no_answer_);
}

}  // namespace gktune
