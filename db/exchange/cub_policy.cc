#include "db/exchange/cub_policy.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <map>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "db/exchange/comment_line.h"
#include "db/portfolio/cover.h"

namespace gktune {
namespace {

// A type as CUB classifies it.
struct CubType {
  const char* name;
  int bytes;
};

std::optional<CubType> element_type(const std::string& name) {
  static const std::map<std::string, CubType> kTypes = {
      {"float", {"float", 4}}, {"double", {"double", 8}}, {"int", {"int", 4}}, {"int64", {"long long", 8}}};
  const auto found = kTypes.find(name);
  return found == kTypes.end() ? std::nullopt : std::optional(found->second);
}

std::optional<int> offset_bytes(const std::string& name) {
  if (name == "uint32") return 4;
  return name == "uint64" ? std::optional(8) : std::nullopt;
}

// The 90 of "sm_90".
std::optional<int> compute_capability(std::string_view architecture) {
  if (!architecture.starts_with("sm_")) return std::nullopt;
  architecture.remove_prefix(3);
  int number = 0;
  const auto [end, error] =
      std::from_chars(architecture.data(), architecture.data() + architecture.size(), number);
  const bool is_number = error == std::errc() && end == architecture.data() + architecture.size();
  return is_number ? std::optional(number) : std::nullopt;
}

// The problems that CUB serves with one specialization.
struct Specialization {
  CubType element{};
  const char* operation = "";
  int offset = 0;
  std::vector<std::size_t> problems;  // places in the table
};

Error not_of_cub(const std::string& what) {
  return Error{what + ": this format holds winners of spaces/cub_reduce.yaml"};
}

Result<std::vector<Specialization>> specializations_of(const CostTable& table) {
  std::map<std::tuple<std::string, std::string, int>, Specialization> sorted;
  for (std::size_t place = 0; place < table.problems.size(); ++place) {
    const Problem& problem = table.problems[place];
    std::string texts[3];
    for (int i = 0; i < 3; ++i) {
      const char* axis = std::array{"element", "operation", "offsetType"}[static_cast<std::size_t>(i)];
      const Value* value = problem.find(axis);
      if (value == nullptr || !value->is_text())
        return not_of_cub(std::string("the problems have no type '") + axis + '\'');
      texts[i] = value->text();
    }
    const auto element = element_type(texts[0]);
    const auto offset = offset_bytes(texts[2]);
    const bool is_sum = texts[1] == "sum";
    if (!element || !offset || !(is_sum || texts[1] == "min" || texts[1] == "max"))
      return not_of_cub("unknown problem " + problem.str());
    Specialization& each = sorted[{texts[0], is_sum ? "plus" : "min_or_max", *offset}];
    each.element = *element;
    each.operation = is_sum ? "plus" : "min_or_max";
    each.offset = *offset;
    each.problems.push_back(place);
  }
  std::vector<Specialization> all;
  for (auto& [key, each] : sorted) all.push_back(std::move(each));
  return all;
}

Result<std::string> text_of(const Specialization& each, const CostTable& table, int capability) {
  const CostTable own = table.of(each.problems);
  const std::size_t chosen = least_loss(own, 1).front();
  const Config& config = own.configs[chosen];
  std::int64_t numbers[3] = {};
  for (int i = 0; i < 3; ++i) {
    const char* name =
        std::array{"itemsPerThread", "threadsPerBlock", "itemsPerVecLoad"}[static_cast<std::size_t>(i)];
    const Value* value = config.find(name);
    if (value == nullptr || !value->is_integer())
      return not_of_cub(std::string("the configurations have no number '") + name + '\'');
    numbers[i] = value->integer();
  }
  double mean = 0, worst = 0;
  for (const auto& losses : own.loss) {
    mean += losses[chosen] / static_cast<double>(own.loss.size());
    worst = std::max(worst, losses[chosen]);
  }
  const std::string loss = std::isfinite(worst)
                               ? fmt::format("{:.1f} % over the best of each on average, {:.1f} % at worst",
                                             mean * 100, worst * 100)
                               : "not measured on all of them";
  return fmt::format(
      "template <class OffsetT>\n"
      "struct sm{0}_tuning<{1}, OffsetT, op_type::{2}, offset_size::_{3}, accum_size::_{4}>\n{{\n"
      "  // ipt_{5}.tpb_{6}.ipv_{7}; tuned sizes: {8}; {9}\n"
      "  static constexpr int items              = {5};\n"
      "  static constexpr int threads            = {6};\n"
      "  static constexpr int items_per_vec_load = {7};\n}};\n\n",
      capability, each.element.name, each.operation, each.offset, each.element.bytes, numbers[0], numbers[1],
      numbers[2], each.problems.size(), loss);
}

}  // namespace

Result<std::string> cub_policy_text(const PortfolioSource& source) {
  const auto capability = compute_capability(source.identity.device.architecture);
  if (!capability)
    return not_of_cub("'" + source.identity.device.architecture + "' is no architecture of a GPU");
  auto specializations = specializations_of(source.table);
  if (!specializations) return specializations.error();
  std::string text = fmt::format(
      "// Policies of CUB's DeviceReduce for {0} (sm_{1}), written by gktune: in the form of CUB's "
      "tuning_reduce.cuh. Pass\n"
      "// cub::detail::reduce::sm{1}_policy_hub<AccumT, OffsetT, ReductionOpT> as the policy hub of "
      "cub::DispatchReduce, or\n"
      "// move the specializations into that file. Types without one keep the policy that CUB has before "
      "sm_100.\n"
      "#pragma once\n\n#include <cub/device/dispatch/tuning/tuning_reduce.cuh>\n\n"
      "CUB_NAMESPACE_BEGIN\nnamespace detail\n{{\nnamespace reduce\n{{\n"
      "template <class AccumT, class OffsetT, op_type OpTypeT, offset_size OffsetSize, accum_size "
      "AccumSize>\n"
      "struct sm{1}_tuning;\n\n",
      comment_line(source.identity.device.name), *capability);
  for (const Specialization& each : *specializations) {
    auto written = text_of(each, source.table, *capability);
    if (!written) return written.error();
    text += *written;
  }
  return text + fmt::format(
                    R"(template <typename AccumT, typename OffsetT, typename ReductionOpT>
struct sm{0}_policy_hub
{{
  using Earlier = typename policy_hub<AccumT, OffsetT, ReductionOpT>::Policy600;

  struct Policy{0}0 : ChainedPolicy<{0}0, Policy{0}0, Earlier>
  {{
    template <typename Tuning>
    static auto select_agent_policy(int)
      -> AgentReducePolicy<Tuning::threads,
                           Tuning::items,
                           AccumT,
                           Tuning::items_per_vec_load,
                           BLOCK_REDUCE_WARP_REDUCTIONS,
                           LOAD_LDG>;
    template <typename Tuning>
    static auto select_agent_policy(long) -> typename Earlier::ReducePolicy;

    using ReducePolicy =
      decltype(select_agent_policy<sm{0}_tuning<AccumT,
                                                OffsetT,
                                                classify_op<ReductionOpT>(),
                                                classify_offset_size<OffsetT>(),
                                                classify_accum_size<AccumT>()>>(0));

    using SingleTilePolicy      = ReducePolicy;
    using SegmentedReducePolicy = ReducePolicy;
  }};

  using MaxPolicy = Policy{0}0;
}};
}} // namespace reduce
}} // namespace detail
CUB_NAMESPACE_END
)",
                    *capability);
}

}  // namespace gktune
