#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "tuner/space/plan.h"

namespace gktune {
namespace {

// A condition over the expressions of a launch. The names in its text are those of `parts`.
void add_limit(const std::string& text, const std::map<std::string, Expression>& parts,
               Constraint::Origin origin, std::vector<Constraint>& limits) {
  const auto condition = Expression::parse(text);
  if (!condition) return;
  auto inlined = condition->inlined(parts);
  // If the expression is too large for a constraint, leave the check to the launch.
  if (inlined) limits.push_back({*std::move(inlined), origin});
}

class LimitReader {
 public:
  explicit LimitReader(const DeviceInfo& device) : device_(device) {}

  void add(const std::vector<Launch>& launches) {
    for (const Launch& launch : launches) {
      if (launch.rounds) {
        add_body(launch);
      } else {
        add(launch);
      }
    }
  }
  std::vector<Constraint> take() { return std::move(limits_); }

 private:
  // Limits that differ from round to round are left to the launch.
  bool sees_index(const Expression& expression) const {
    return std::ranges::any_of(expression.names(), [&](const Expression::NameUse& use) {
      return std::ranges::find(indices_, use.name) != indices_.end();
    });
  }

  void add_body(const Launch& launch) {
    if (sees_index(*launch.rounds)) return;
    const std::string unless = unless_;
    const std::string name = "rounds_" + std::to_string(rounds_.size());
    rounds_.emplace(name, *launch.rounds);
    unless_ += name + " <= 0 or ";
    indices_.push_back(launch.index);
    add(launch.body);
    indices_.pop_back();
    rounds_.erase(name);
    unless_ = unless;
  }

  void add(const Launch& launch) {
    static constexpr const char* kSides[] = {"block_x", "block_y", "block_z"};
    const std::int64_t most[] = {device_.max_block_x, device_.max_block_y, device_.max_block_z};
    if (launch.when && sees_index(*launch.when)) return;
    std::map<std::string, Expression> parts = rounds_;
    if (launch.when) parts.emplace("when", *launch.when);
    const std::string unless = unless_ + (launch.when ? "not when or " : "");
    std::string threads;
    bool is_steady = true;  // each side is the same in all rounds
    for (std::size_t i = 0; i < launch.block.size(); ++i) {
      if (!launch.block[i]) continue;
      if (sees_index(*launch.block[i])) {
        is_steady = false;
        continue;
      }
      const std::string side = kSides[i];
      parts.emplace(side, *launch.block[i]);
      threads += (threads.empty() ? "" : " * ") + side;
      const std::string bound = most[i] > 0 ? " <= " + std::to_string(most[i]) : "";
      add_limit(unless + "1 <= " + side + bound, parts, Constraint::Origin::block_limit, limits_);
    }
    if (is_steady && !threads.empty() && device_.max_threads_per_block > 0) {
      add_limit(unless + threads + " <= " + std::to_string(device_.max_threads_per_block), parts,
                Constraint::Origin::block_limit, limits_);
    }
    if (!launch.shared_bytes || sees_index(*launch.shared_bytes)) return;
    parts.emplace("shared", *launch.shared_bytes);
    const std::int64_t optin = device_.shared_bytes_per_block_optin;
    add_limit(unless + "0 <= shared" + (optin > 0 ? " <= " + std::to_string(optin) : ""), parts,
              Constraint::Origin::shared_memory_limit, limits_);
  }

  const DeviceInfo& device_;
  std::vector<Constraint> limits_;
  std::vector<std::string> indices_;          // of the repeats around a launch
  std::map<std::string, Expression> rounds_;  // of each of them
  std::string unless_;                        // one of them has no rounds
};

}  // namespace

std::vector<Constraint> device_limits(const KernelDefinition& kernel, const DeviceInfo& device) {
  LimitReader reader(device);
  reader.add(kernel.launches);
  return reader.take();
}

std::vector<Constraint> with_device_limits(std::vector<Constraint> constraints,
                                           const KernelDefinition& kernel, const DeviceInfo& device) {
  for (Constraint& limit : device_limits(kernel, device)) constraints.push_back(std::move(limit));
  return constraints;
}

}  // namespace gktune
