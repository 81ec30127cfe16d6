#include "db/winner_export.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "db/identity.h"
#include "tuner/core/text.h"

namespace gktune {
namespace {

using Kind = Value::Kind;

// The header but for what depends on the kernel. Texts that begin in the first column are code of the header.
constexpr auto kHeader = R"(// Configurations of the kernel {kernel_line} for {device_line}, written by gktune. Needs C++17 and no library.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace tuned_{name} {{

inline constexpr std::string_view kKernel = {kernel}, kDevice = {device}, kArchitecture = {architecture};
// The version of the source and its options. Compare it where the kernel is compiled:
// static_assert(tuned_{name}::is_of("{version}"));
inline constexpr std::string_view kVersion = "{version}";
constexpr bool is_of(std::string_view version) {{ return version == kVersion; }}

{structs}
inline constexpr Config kConfigs[] = {{
{configs}}};

// The configuration for any problem.
constexpr const Config& choose([[maybe_unused]] const Problem& problem) {{
{tree}}}

struct Tuned {{
  Problem problem;
  int config;
}};
inline constexpr Tuned kTuned[] = {{
{tuned}}};

constexpr bool is_same([[maybe_unused]] const Problem& a, [[maybe_unused]] const Problem& b) {{
  return true{same};
}}
constexpr bool is_less([[maybe_unused]] const Problem& a, [[maybe_unused]] const Problem& b) {{
{less}  return false;
}}

// The one place among the tuned problems where this problem may stand. Searches without branches.
constexpr std::size_t place_of(const Problem& problem) {{
  std::size_t place = 0;
  for (std::size_t count = {tuned_count}, half = 0; count > 1; count -= half) {{
    half = count / 2;
    place += half * is_less(kTuned[place + half - 1].problem, problem);
  }}
  return place;
}}

// The winner of a problem that was tuned; null for others.
constexpr const Config* find(const Problem& problem) {{
  const std::size_t place = place_of(problem);
  return is_same(kTuned[place].problem, problem) ? &kConfigs[kTuned[place].config] : nullptr;
}}

// The winner of a tuned problem, else the configuration of the tree.
constexpr const Config& best(const Problem& problem) {{
  const std::size_t place = place_of(problem);
  return is_same(kTuned[place].problem, problem) ? kConfigs[kTuned[place].config] : choose(problem);
}}

}}  // namespace tuned_{name}
)";

// A name as part of a comment line in C++: nothing in it ends or continues the line.
std::string comment_line(std::string text) {
  std::ranges::replace_if(
      text, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == '\\'; }, ' ');
  return text;
}

std::string identifier(const std::string& text) {
  // Names that mean something else in the header: its own structs, and macros of <cstddef> and of GNU compilers.
  static const std::set<std::string> kTaken = {"Config", "NULL", "Problem", "linux", "unix"};
  std::string name;
  for (const char c : text) name += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  if (name.empty() || std::isdigit(static_cast<unsigned char>(name.front())) != 0) name.insert(0, 1, '_');
  return is_cpp_keyword(name) || kTaken.contains(name) ? name + '_' : name;
}

// A text as a C++ string literal.
std::string literal(const std::string& text) {
  std::string quoted = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\')
      quoted += std::string("\\") + c;
    else if (byte < 0x20 || byte == 0x7f || c == '?')
      quoted += fmt::format("\\{:03o}", byte);
    else
      quoted += c;
  }
  return quoted + '"';
}

// A member of a struct: an axis or a parameter with all its values.
struct Member {
  std::string name, identifier;
  Kind kind = Kind::integer;
  std::string enumeration;                      // its name, for texts
  std::map<std::string, std::string> names = {};  // of its texts

  std::string type() const {
    return kind == Kind::text      ? enumeration
           : kind == Kind::boolean ? "bool"
           : kind == Kind::integer ? "std::int64_t"
                                   : "double";
  }
  std::string value(const Value& value) const {
    if (kind == Kind::text) return enumeration + "::" + names.at(value.text());
    return kind == Kind::real ? Value(value.number()).str() : value.str();
  }
};

// The members of a struct, and its code.
class Members {
 public:
  Members(std::string structure, std::string suffix)
      : structure_(std::move(structure)), suffix_(std::move(suffix)) {}

  // False: a value has another kind than before.
  bool add(const NamedValues& values) {
    bool is_good = true;
    for (const auto& [name, value] : values) {
      auto found = std::ranges::find(all_, name, &Member::name);
      if (found == all_.end()) {
        std::string own = identifier(name);
        while (std::ranges::find(all_, own, &Member::identifier) != all_.end()) own += '_';
        found = all_.insert(all_.end(), {name, own, value.kind(), own + suffix_});
      }
      if (value.is_text()) found->names[value.text()];
      if (found->kind == Kind::integer && value.is_real()) found->kind = Kind::real;
      const bool has_kind = found->kind == value.kind() || (found->kind == Kind::real && value.is_integer());
      is_good = is_good && has_kind;
    }
    return is_good;
  }
  // Names the enumerators: of the texts of the values, and of these.
  void name_texts(const std::map<std::string, std::set<std::string>>& texts) {
    for (Member& member : all_) {
      const auto others = texts.find(member.name);
      for (const std::string& text : others != texts.end() ? others->second : std::set<std::string>())
        member.names[text];
      std::set<std::string> used;
      for (auto& [text, name] : member.names) {
        name = identifier(text);
        while (!used.insert(name).second) name += '_';
      }
    }
  }

  const std::vector<Member>& all() const { return all_; }
  const Member& at(const std::string& name) const { return *std::ranges::find(all_, name, &Member::name); }

  std::string enumerations() const {
    std::string code;
    for (const Member& member : all_) {
      if (member.kind != Kind::text) continue;
      code += fmt::format("enum class {0} {{ {1} }};\nconstexpr std::string_view text_of({0} value) {{\n",
                          member.enumeration,
                          joined(member.names, ", ", [](const auto& each) { return each.second; }));
      for (const auto& [text, name] : member.names)
        code += fmt::format("  if (value == {}::{}) return {};\n", member.enumeration, name, literal(text));
      code += "  return {};\n}\n";
    }
    return code;
  }
  std::string declaration() const {
    std::string code = "struct " + structure_ + " {\n";
    for (const Member& member : all_) code += fmt::format("  {} {};\n", member.type(), member.identifier);
    return code + "};\n";
  }
  std::string braced(const NamedValues& values) const {
    return '{' + joined(all_, ", ", [&](const Member& member) { return member.value(*values.find(member.name)); }) +
           '}';
  }

 private:
  std::string structure_, suffix_;
  std::vector<Member> all_;
};

// The database sorts names.
bool have_same_names(const NamedValues& a, const NamedValues& b) { return std::ranges::equal(a.names(), b.names()); }

class Header {
 public:
  Header(const std::vector<Winner>& winners, const Portfolio& portfolio)
      : winners_(winners), portfolio_(portfolio) {}

  Result<std::string> run(const TextValues& texts) {
    const Study& first = winners_.front().study;
    const Config& config = winners_.front().trial.config;
    for (const Winner& best : winners_) {
      const Study& study = best.study;
      if (std::tie(study.kernel, study.fingerprint) != std::tie(first.kernel, first.fingerprint) ||
          study.device != first.device)
        return Error{"a header holds one version of one kernel on one device"};
      if (!have_same_names(study.problem, first.problem)) return Error{"the problems have different axes"};
      if (!have_same_names(best.trial.config, config)) return Error{"the configurations have different parameters"};
      if (!axes_.add(study.problem) || !parameters_.add(best.trial.config))
        return Error{"an axis or a parameter has values of several kinds"};
    }
    const std::string again = "; make it again: gktune db portfolio " + first.kernel;
    for (const Problem& problem : portfolio_.problems) {
      if (!have_same_names(problem, first.problem) || !axes_.add(problem))
        return Error{"the portfolio was made from other problems" + again};
    }
    for (const Config& each : portfolio_.configs) {
      if (!have_same_names(each, config) || !parameters_.add(each))
        return Error{"the portfolio has other parameters" + again};
      config_place(each);
    }
    axes_.name_texts(texts.axes), parameters_.name_texts(texts.parameters);
    return text(first);
  }

 private:
  std::size_t config_place(const Config& config) {
    const auto found = std::ranges::find(configs_, config);
    if (found != configs_.end()) return static_cast<std::size_t>(found - configs_.begin());
    configs_.push_back(config);
    return configs_.size() - 1;
  }

  std::string text(const Study& study) {
    // In the order of is_less() of the header: the places of enumerators follow their texts.
    std::map<std::vector<Value>, const Winner*> sorted;
    for (const Winner& best : winners_) {
      std::vector<Value> key;
      for (const Member& axis : axes_.all()) {
        const Value& value = *best.study.problem.find(axis.name);
        key.push_back(axis.kind == Kind::real ? Value(value.number()) : value);
      }
      sorted.try_emplace(key, &best);
    }
    std::string tuned;
    for (const auto& [key, best] : sorted)
      tuned += fmt::format("    {{{}, {}}},\n", axes_.braced(best->study.problem), config_place(best->trial.config));
    const std::string tree = node_text(0, 1);
    const std::string configs =
        joined(configs_, "", [&](const Config& each) { return "    " + parameters_.braced(each) + ",\n"; });
    const std::string same = joined(
        axes_.all(), "", [](const Member& axis) { return fmt::format(" && a.{0} == b.{0}", axis.identifier); });
    const std::string less = joined(axes_.all(), "", [](const Member& axis) {
      return fmt::format("  if (a.{0} != b.{0}) return a.{0} < b.{0};\n", axis.identifier);
    });
    return fmt::format(
        kHeader, fmt::arg("kernel_line", comment_line(study.kernel)),
        fmt::arg("device_line", comment_line(study.device.name)), fmt::arg("name", identifier(study.kernel)),
        fmt::arg("kernel", literal(study.kernel)), fmt::arg("device", literal(study.device.name)),
        fmt::arg("architecture", literal(study.device.architecture)), fmt::arg("version", study.fingerprint),
        fmt::arg("structs", axes_.enumerations() + parameters_.enumerations() + axes_.declaration() +
                                parameters_.declaration()),
        fmt::arg("configs", configs), fmt::arg("tree", tree), fmt::arg("tuned", tuned),
        fmt::arg("tuned_count", sorted.size()), fmt::arg("same", same), fmt::arg("less", less));
  }

  std::string node_text(std::size_t at, std::size_t depth) {
    const PortfolioNode& node = portfolio_.tree[at];
    const std::string indent(2 * depth, ' ');
    if (node.axis.empty())
      return fmt::format("{}return kConfigs[{}];\n", indent, config_place(portfolio_.configs[node.config]));
    const Member& axis = axes_.at(node.axis);
    return fmt::format("{0}if (problem.{1} {2} {3}) {{\n{4}{0}}}\n{5}", indent, axis.identifier,
                       node.value.is_number() ? "<=" : "==", axis.value(node.value), node_text(node.yes, depth + 1),
                       node_text(node.no, depth));
  }

  const std::vector<Winner>& winners_;
  const Portfolio& portfolio_;
  Members axes_{"Problem", "_axis"}, parameters_{"Config", "_value"};
  std::vector<Config> configs_;
};

}  // namespace

Result<std::string> header_text(const std::vector<Winner>& winners, const Portfolio& portfolio,
                                const TextValues& texts) {
  if (winners.empty()) return Error{"there is no winner to write"};
  if (portfolio.tree.empty()) return Error{"there is no portfolio to write"};
  return Header(winners, portfolio).run(texts);
}

std::string definition_flags(const Config& config) {
  return joined(config, " ",
                [](const auto& each) { return shell_word("-D" + each.first + "=" + each.second.str()); });
}

std::vector<Winner> one_for_each_problem(std::vector<Winner> winners) {
  const auto key = [](const Winner& best) {
    const DeviceIdentity& device = best.study.device;
    return std::tuple(best.study.kernel, device.kind, device.name, device.architecture, device.multiprocessors,
                      best.study.problem.json());
  };
  std::ranges::sort(winners, {}, [&](const Winner& best) {
    return std::tuple(key(best), best.study.regime != Regime::cold, best.study.objective != "time",
                      -best.updated_unix_ms, -best.study_id);
  });
  const auto others = std::ranges::unique(winners, {}, key);
  winners.erase(others.begin(), others.end());
  std::ranges::sort(winners, {}, &Winner::study_id);
  return winners;
}

}  // namespace gktune
