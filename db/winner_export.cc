#include "db/winner_export.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdint>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <tuple>
#include <utility>

#include "db/values_json.h"
#include "tuner/core/cpp_words.h"
#include "tuner/core/text.h"

namespace gktune {
namespace {

using Kind = Value::Kind;

// A name as part of a comment line in C++: nothing in it ends or continues the line.
std::string comment_line(std::string text) {
  std::ranges::replace_if(
      text, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == '\\'; }, ' ');
  return text;
}

// Names that mean something else in the header: its own structs, and macros of
// <cstddef> and of GNU compilers.
bool is_taken(const std::string& name) {
  static const std::set<std::string> kNames = {"Config", "NULL", "Problem", "linux", "unix"};
  return is_cpp_keyword(name) || kNames.contains(name);
}

std::string identifier(const std::string& text) {
  std::string name;
  for (const char c : text) name += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  if (name.empty() || std::isdigit(static_cast<unsigned char>(name.front())) != 0) name.insert(0, 1, '_');
  if (is_taken(name)) name += '_';
  return name;
}

// A text as a C++ string literal.
std::string literal(const std::string& text) {
  std::string quoted = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      quoted += std::string("\\") + c;
    } else if (byte < 0x20 || byte == 0x7f || c == '?') {
      constexpr char kDigits[] = "01234567";
      quoted += {'\\', kDigits[byte >> 6], kDigits[byte >> 3 & 7], kDigits[byte & 7]};
    } else {
      quoted += c;
    }
  }
  return quoted + '"';
}

// A member of a struct: an axis or a parameter with all its values.
struct Member {
  std::string name, identifier;
  Kind kind = Kind::integer;
  std::set<std::string> texts;  // of an enumeration
};

// Members that share the names of a scope.
class Members {
 public:
  explicit Members(std::string suffix) : suffix_(std::move(suffix)) {}

  // False: a value of another kind than before.
  bool add(const std::string& name, const Value& value) {
    auto found = std::ranges::find(all_, name, &Member::name);
    if (found == all_.end()) {
      std::string own = identifier(name);
      while (std::ranges::find(all_, own, &Member::identifier) != all_.end()) own += '_';
      found = all_.insert(all_.end(), {name, own, value.kind(), {}});
    }
    if (value.is_text()) found->texts.insert(value.text());
    if (found->kind == Kind::integer && value.is_real()) found->kind = Kind::real;
    return found->kind == value.kind() || (found->kind == Kind::real && value.is_integer());
  }

  const std::vector<Member>& all() const { return all_; }
  const Member& at(const std::string& name) const { return *std::ranges::find(all_, name, &Member::name); }

  std::string type(const Member& member) const {
    switch (member.kind) {
      case Kind::boolean:
        return "bool";
      case Kind::integer:
        return "std::int64_t";
      case Kind::real:
        return "double";
      case Kind::text:
        break;
    }
    return member.identifier + suffix_;
  }

  std::string value(const Member& member, const Value& value) const {
    if (member.kind == Kind::text) return type(member) + "::" + enumerators(member).at(value.text());
    if (member.kind == Kind::real) return Value(value.number()).str();
    return value.str();
  }

  // The number that static_cast makes of a value that is not real.
  std::uint64_t code(const Member& member, const Value& value) const {
    if (member.kind == Kind::boolean) return value.boolean() ? 1 : 0;
    if (member.kind == Kind::integer) return static_cast<std::uint64_t>(value.integer());
    const auto names = enumerators(member);
    return static_cast<std::uint64_t>(std::distance(names.begin(), names.find(value.text())));
  }

  void declare_enumerations(std::ostream& out) const {
    for (const Member& member : all_) {
      if (member.kind != Kind::text) continue;
      const auto names = enumerators(member);
      out << "enum class " << type(member) << " {";
      const char* separator = " ";
      for (const auto& [text, name] : names) out << separator << name, separator = ", ";
      out << " };\nconstexpr std::string_view text_of(" << type(member) << " value) {\n";
      for (const auto& [text, name] : names)
        out << "  if (value == " << type(member) << "::" << name << ") return " << literal(text) << ";\n";
      out << "  return {};\n}\n";
    }
  }

  void declare_struct(std::ostream& out, const char* name) const {
    out << "struct " << name << " {\n";
    for (const Member& member : all_) out << "  " << type(member) << ' ' << member.identifier << ";\n";
    out << "};\n";
  }

  std::string braced(const NamedValues& values) const {
    std::string text = "{";
    for (const Member& member : all_)
      text += (text.size() > 1 ? ", " : "") + value(member, *values.find(member.name));
    return text + "}";
  }

 private:
  static std::map<std::string, std::string> enumerators(const Member& member) {
    std::map<std::string, std::string> names;
    std::set<std::string> used;
    for (const std::string& text : member.texts) {
      std::string name = identifier(text);
      while (!used.insert(name).second) name += '_';
      names[text] = name;
    }
    return names;
  }

  std::string suffix_;
  std::vector<Member> all_;
};

bool has_names_of(const NamedValues& a, const NamedValues& b) {
  return a.size() == b.size() &&
         std::ranges::all_of(a, [&](const auto& each) { return b.find(each.first) != nullptr; });
}

class Header {
 public:
  Header(const std::vector<Winner>& winners, const Portfolio& portfolio)
      : winners_(winners), portfolio_(portfolio) {}

  Result<std::string> run() {
    const Study& first = winners_.front().study;
    for (const Winner& best : winners_) {
      if (best.study.kernel != first.kernel || best.study.fingerprint != first.fingerprint ||
          best.study.device != first.device)
        return Error{"a header holds one version of one kernel on one device"};
      if (!has_names_of(best.study.problem, first.problem)) return Error{"the problems have different axes"};
      if (!has_names_of(best.trial.config, winners_.front().trial.config))
        return Error{"the configurations have different parameters"};
      if (!add(best.study.problem, axes_) || !add(best.trial.config, parameters_))
        return Error{"an axis or a parameter has values of several kinds"};
    }
    for (const Problem& problem : portfolio_.problems) {
      if (!has_names_of(problem, first.problem) || !add(problem, axes_))
        return Error{"the portfolio was made from other problems; make it again: gktune db portfolio " +
                     first.kernel};
    }
    for (const Config& config : portfolio_.configs) {
      if (!has_names_of(config, winners_.front().trial.config) || !add(config, parameters_))
        return Error{"the portfolio has other parameters; make it again: gktune db portfolio " +
                     first.kernel};
    }
    write(first);
    return out_.str();
  }

 private:
  static bool add(const NamedValues& values, Members& members) {
    bool is_good = true;
    for (const auto& [name, value] : values) is_good = members.add(name, value) && is_good;
    return is_good;
  }

  std::size_t config_place(const Config& config) {
    const auto found = std::ranges::find(configs_, config);
    if (found != configs_.end()) return static_cast<std::size_t>(found - configs_.begin());
    configs_.push_back(config);
    return configs_.size() - 1;
  }

  void write(const Study& study) {
    for (const Config& config : portfolio_.configs) config_place(config);
    struct Entry {
      Problem problem;
      std::size_t config;
    };
    std::vector<Entry> entries;
    for (const Winner& best : winners_)
      entries.push_back({best.study.problem, config_place(best.trial.config)});
    std::ranges::stable_sort(entries,
                             [&](const Entry& a, const Entry& b) { return less(a.problem, b.problem); });
    const auto repeated = std::unique(entries.begin(), entries.end(),
                                      [](const Entry& a, const Entry& b) { return a.problem == b.problem; });
    entries.erase(repeated, entries.end());

    out_ << "// Configurations of the kernel " << comment_line(study.kernel) << " for "
         << comment_line(study.device.name) << ", written by gktune. Needs C++17 and no library.\n"
         << "#pragma once\n\n#include <cstddef>\n#include <cstdint>\n#include <string_view>\n\nnamespace "
            "tuned_"
         << identifier(study.kernel) << " {\n\n"
         << "inline constexpr std::string_view kKernel = " << literal(study.kernel)
         << ", kDevice = " << literal(study.device.name)
         << ", kArchitecture = " << literal(study.device.architecture) << ";\n"
         << "// The version of the source and its options. Compare it where the kernel is compiled:\n"
         << "// static_assert(tuned_" << identifier(study.kernel) << "::is_of(\"" << study.fingerprint
         << "\"));\n"
         << "inline constexpr std::string_view kVersion = " << literal(study.fingerprint) << ";\n"
         << "constexpr bool is_of(std::string_view version) { return version == kVersion; }\n\n";
    axes_.declare_enumerations(out_);
    parameters_.declare_enumerations(out_);
    axes_.declare_struct(out_, "Problem");
    parameters_.declare_struct(out_, "Config");
    out_ << "\ninline constexpr Config kConfigs[] = {\n";
    for (const Config& config : configs_) out_ << "    " << parameters_.braced(config) << ",\n";
    out_ << "};\n\n// The configuration for any problem.\nconstexpr const Config& choose("
         << "[[maybe_unused]] const Problem& problem) {\n";
    write_node(0, 1);
    out_ << "}\n\nstruct Tuned {\n  Problem problem;\n  int config;\n};\n"
         << "inline constexpr Tuned kTuned[] = {\n";
    for (const Entry& entry : entries)
      out_ << "    {" << axes_.braced(entry.problem) << ", " << entry.config << "},\n";
    out_ << "};\n\n";
    write_slots(entries.size(), [&](std::size_t place) { return hash_of(entries[place].problem); });
    out_ << "constexpr bool is_same([[maybe_unused]] const Problem& a, [[maybe_unused]] const Problem& b) {\n"
         << "  return true";
    for (const Member& member : axes_.all())
      out_ << " && a." << member.identifier << " == b." << member.identifier;
    out_ << ";\n}\n\n// The place in kConfigs of the winner of a problem that was tuned; -1 for others.\n"
         << "constexpr int place_of(const Problem& problem) {\n"
         << "  for (std::size_t slot = hash_of(problem); kSlots[slot] >= 0; slot = (slot + 1) % kSlotCount) "
            "{\n"
         << "    const Tuned& tuned = kTuned[kSlots[slot]];\n"
         << "    if (is_same(tuned.problem, problem)) return tuned.config;\n  }\n"
         << "  return -1;\n}\n\n// The winner of a problem that was tuned; null for others.\n"
         << "constexpr const Config* find(const Problem& problem) {\n"
         << "  const int place = place_of(problem);\n  return place < 0 ? nullptr : &kConfigs[place];\n}\n\n"
         << "// The winner of a tuned problem, else the configuration of the tree.\n"
         << "constexpr const Config& best(const Problem& problem) {\n"
         << "  const int place = place_of(problem);\n  return place < 0 ? choose(problem) : "
            "kConfigs[place];\n}\n\n"
         << "}  // namespace tuned_" << identifier(study.kernel) << "\n";
  }

  // The hash of the header's hash_of(), before its last shift. Reals are left out.
  std::uint64_t hash_of(const Problem& problem) const {
    std::uint64_t hash = 0;
    for (const Member& member : axes_.all()) {
      if (member.kind != Kind::real)
        hash = (hash ^ hash >> 32 ^ axes_.code(member, *problem.find(member.name))) * kFactor;
    }
    return hash;
  }

  // A hash table with open addressing, at most half full.
  template <class HashOf>
  void write_slots(std::size_t entries, HashOf hash_of_entry) {
    int bits = 1;
    while ((std::size_t{1} << bits) < 2 * entries) ++bits;
    std::vector<std::int64_t> slots(std::size_t{1} << bits, -1);
    for (std::size_t place = 0; place < entries; ++place) {
      auto slot = static_cast<std::size_t>(hash_of_entry(place) >> (64 - bits));
      while (slots[slot] >= 0) slot = (slot + 1) % slots.size();
      slots[slot] = static_cast<std::int64_t>(place);
    }
    out_ << "// Places in kTuned by the hash of the problem; -1: none.\ninline constexpr std::size_t "
            "kSlotCount = "
         << slots.size() << ";\ninline constexpr int kSlots[kSlotCount] = {";
    for (std::size_t i = 0; i < slots.size(); ++i)
      out_ << (i == 0 ? "" : i % 24 == 0 ? ",\n    " : ", ") << slots[i];
    out_ << "};\nconstexpr std::size_t hash_of([[maybe_unused]] const Problem& problem) {\n  std::uint64_t "
            "hash = 0;\n";
    for (const Member& member : axes_.all()) {
      if (member.kind == Kind::real) continue;
      out_ << "  hash = (hash ^ hash >> 32 ^ static_cast<std::uint64_t>(problem." << member.identifier
           << ")) * " << kFactor << "u;\n";
    }
    out_ << "  return static_cast<std::size_t>(hash >> " << 64 - bits << ");\n}\n";
  }

  // Enumerations are compared by their places, which follow the texts.
  bool less(const Problem& a, const Problem& b) const {
    for (const Member& member : axes_.all()) {
      const Value &x = *a.find(member.name), &y = *b.find(member.name);
      if (x == y) continue;
      return member.kind == Kind::text || member.kind == Kind::boolean ? x < y : x.number() < y.number();
    }
    return false;
  }

  void write_node(std::size_t at, int depth) {
    const PortfolioNode& node = portfolio_.tree[at];
    const std::string indent(static_cast<std::size_t>(2 * depth), ' ');
    if (node.axis.empty()) {
      out_ << indent << "return kConfigs[" << config_place(portfolio_.configs[node.config]) << "];\n";
      return;
    }
    const Member& member = axes_.at(node.axis);
    out_ << indent << "if (problem." << member.identifier << (node.value.is_number() ? " <= " : " == ")
         << axes_.value(member, node.value) << ") {\n";
    write_node(node.yes, depth + 1);
    out_ << indent << "}\n";
    write_node(node.no, depth);
  }

  static constexpr std::uint64_t kFactor = 0x9e3779b97f4a7c15;

  const std::vector<Winner>& winners_;
  const Portfolio& portfolio_;
  Members axes_{"_axis"}, parameters_{"_value"};
  std::vector<Config> configs_;
  std::ostringstream out_;
};

}  // namespace

Result<std::string> header_text(const std::vector<Winner>& winners, const Portfolio& portfolio) {
  if (winners.empty()) return Error{"there is no winner to write"};
  if (portfolio.tree.empty()) return Error{"there is no portfolio to write"};
  return Header(winners, portfolio).run();
}

std::string definition_flags(const Config& config) {
  return joined(config, " ",
                [](const auto& each) { return shell_word("-D" + each.first + "=" + each.second.str()); });
}

std::string device_json(const DeviceIdentity& device, const std::vector<Winner>& winners) {
  SortedJson file = {{"format", "gktune winners"},
                     {"version", 1},
                     {"device",
                      {{"kind", device.kind},
                       {"name", device.name},
                       {"architecture", device.architecture},
                       {"multiprocessors", device.multiprocessors}}},
                     {"kernels", SortedJson::object()}};
  std::map<std::pair<std::string, std::string>, SortedJson> sorted;
  for (const Winner& best : winners) {
    const Study& study = best.study;
    SortedJson winner = {{"problem", sorted_json(study.problem)},
                         {"regime", regime_name(study.regime)},
                         {"objective", study.objective},
                         {"fingerprint", study.fingerprint},
                         {"config", sorted_json(best.trial.config)},
                         {"time_us", best.trial.timing.median_us},
                         {"metrics", sorted_json(best.trial.metrics)},
                         {"from_playoff", best.from_playoff},
                         {"trials", best.trials}};
    const std::string order =
        study.problem.json() + std::string(regime_name(study.regime)) + study.objective + study.fingerprint;
    sorted[{study.kernel, order}] = std::move(winner);
  }
  for (auto& [key, winner] : sorted) file["kernels"][key.first].push_back(std::move(winner));
  return file.dump(2, ' ', false, SortedJson::error_handler_t::replace) + "\n";
}

std::string device_file_name(const DeviceIdentity& device) {
  std::string name;
  for (const std::string& part : {device.name, device.architecture, std::to_string(device.multiprocessors)}) {
    if (!name.empty() && !part.empty()) name += '-';
    for (const char c : part) {
      const bool is_safe = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-';
      if (is_safe || (!name.empty() && name.back() != '_')) name += is_safe ? c : '_';
    }
  }
  return name + ".json";
}

std::vector<Winner> one_for_each_problem(std::vector<Winner> winners) {
  const auto rank = [](const Winner& best) {
    return std::tuple(best.study.regime != Regime::cold, best.study.objective != "time",
                      -best.updated_unix_ms, -best.study_id);
  };
  const auto key = [](const Winner& best) {
    const DeviceIdentity& device = best.study.device;
    return std::tuple(best.study.kernel, device.kind, device.name, device.architecture,
                      device.multiprocessors, best.study.problem.json());
  };
  std::map<decltype(key(winners.front())), std::int64_t> chosen;  // the study
  std::ranges::sort(winners, {}, rank);
  for (const Winner& best : winners) chosen.emplace(key(best), best.study_id);
  std::erase_if(winners, [&](const Winner& best) { return chosen.at(key(best)) != best.study_id; });
  std::ranges::sort(winners, {}, &Winner::study_id);
  return winners;
}

}  // namespace gktune
