#include <map>
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

}  // namespace

std::vector<Constraint> device_limits(const KernelDefinition& kernel, const DeviceInfo& device) {
  std::vector<Constraint> limits;
  static constexpr const char* kSides[] = {"block_x", "block_y", "block_z"};
  const std::int64_t most[] = {device.max_block_x, device.max_block_y, device.max_block_z};
  for (const Launch& launch : kernel.launches) {
    std::map<std::string, Expression> parts;
    if (launch.when) parts.emplace("when", *launch.when);
    const std::string unless = launch.when ? "not when or " : "";
    std::string threads;
    for (std::size_t i = 0; i < launch.block.size(); ++i) {
      if (!launch.block[i]) continue;
      const std::string side = kSides[i];
      parts.emplace(side, *launch.block[i]);
      threads += (threads.empty() ? "" : " * ") + side;
      const std::string bound = most[i] > 0 ? " <= " + std::to_string(most[i]) : "";
      add_limit(unless + "1 <= " + side + bound, parts, Constraint::Origin::block_limit, limits);
    }
    if (!threads.empty() && device.max_threads_per_block > 0) {
      add_limit(unless + threads + " <= " + std::to_string(device.max_threads_per_block), parts,
                Constraint::Origin::block_limit, limits);
    }
    if (!launch.shared_bytes) continue;
    parts.emplace("shared", *launch.shared_bytes);
    const std::int64_t optin = device.shared_bytes_per_block_optin;
    add_limit(unless + "0 <= shared" + (optin > 0 ? " <= " + std::to_string(optin) : ""), parts,
              Constraint::Origin::shared_memory_limit, limits);
  }
  return limits;
}

std::vector<Constraint> with_device_limits(std::vector<Constraint> constraints,
                                           const KernelDefinition& kernel, const DeviceInfo& device) {
  for (Constraint& limit : device_limits(kernel, device)) constraints.push_back(std::move(limit));
  return constraints;
}

}  // namespace gktune
