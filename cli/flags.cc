#include "cli/flags.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <utility>

namespace gktune {
namespace {

// CLI11 takes any next word as a flag's value. A comment of SQL is no flag: -- why
bool is_flag_of(const CLI::App& app, const std::string& word) {
  const bool is_long = word == "--" || (word.starts_with("--") && is_word(word[2]));
  return is_long || (word.starts_with('-') && app.get_option_no_throw(word) != nullptr);
}

void refuse_flags_as_values(const CLI::App& app, CLI::Option& option) {
  option.check([&app, &option](const std::string& text) -> std::string {
    return is_flag_of(app, text) ? "value missing before '" + text + "'; expected " + option.get_type_name()
                                 : "";
  });
}

// Replaces CLI11's wording of this error.
void refuse_a_second_value(CLI::Option& option) {
  option.check(
      [seen = 0](const std::string&) mutable -> std::string { return seen++ > 0 ? "given twice" : ""; });
}

Flag with_kind(CLI::Option& option, const std::string& kind) {
  if (!kind.empty()) option.type_name(kind);
  return Flag(option);
}

}  // namespace

std::string not_among(std::string_view word, EnumNames names) {
  const std::vector<std::string> known(names.begin(), names.end());
  return "'" + std::string(word) + "' is neither " + joined(names.first(names.size() - 1)) + " nor " +
         known.back() + did_you_mean(word, known);
}

Flag& Flag::required() {
  option_.required();
  return *this;
}

Flag& Flag::shown_default(const std::string& text) {
  option_.default_str(text);
  return *this;
}

Flag& Flag::needs(const Flag& other) {
  option_.needs(&other.option_);
  return *this;
}

Flag& Flag::excludes(const Flag& other) {
  option_.excludes(&other.option_);
  return *this;
}

Flag Flags::text(const std::string& flag, std::string& target, const std::string& description,
                 const std::string& kind) {
  return single(*app_.add_option(flag, target, description), kind);
}

Flag Flags::texts(const std::string& word, std::vector<std::string>& target, const std::string& description,
                  const std::string& kind) {
  return with_kind(*app_.add_option(word, target, description), kind);
}

Flag Flags::collected(const std::string& flag, std::vector<std::string>& target,
                      const std::string& description, const std::string& kind) {
  CLI::Option& option = *app_.add_option(flag, target, description)->allow_extra_args(false);
  refuse_flags_as_values(app_, option);
  return with_kind(option, kind);
}

Flag Flags::number(const std::string& flag, int& target, const std::string& description,
                   const std::string& kind) {
  return with_kind(*app_.add_option(flag, target, description), kind);
}

Flag Flags::on(const std::string& flag, bool& target, const std::string& description) {
  auto refuse_value = [](const std::string& text) { return text == "true" ? "" : "takes no value"; };
  return Flag(*app_.add_flag(flag, target, description)->check(refuse_value));
}

Flag Flags::read(const std::string& flag, const std::string& description, const std::string& kind,
                 Read read) {
  auto take = [flag, read = std::move(read)](const std::string& text) {
    if (auto taken = read(text); !taken) throw CLI::ValidationError(flag, taken.error().message);
  };
  return single(*app_.add_option_function<std::string>(flag, take, description), kind);
}

Flag Flags::single(CLI::Option& option, const std::string& kind) {
  refuse_a_second_value(option);
  refuse_flags_as_values(app_, option);
  return with_kind(option, kind);
}

void Flags::database(std::string& path) {
  text("--db", path, "Database file; default: $GKTUNE_DB, else ./gktune.db", "FILE");
}

void Flags::device(DeviceFlags& flags, DeviceUse use, const std::string& description) {
  parsed("--device", flags.choice, parse_device, description, device_forms(use)).shown_default("auto");
}

void Flags::worker(DeviceFlags& flags) {
  parsed("--jobs", flags.jobs, parse_count, "Compile with N processes; default: one per core", "N");
  compiler(flags.cache_dir, flags.allows_unsafe_options);
}

void Flags::compiler(std::string& cache_dir, bool& allows_unsafe_options) {
  text("--cache", cache_dir,
       "Folder for compiled code; default: $XDG_CACHE_HOME/gktune, else ~/.cache/gktune", "DIR");
  on("--allow-unsafe-options", allows_unsafe_options,
     "Accept compiler options of the space file that may run programs or write files");
}

void Flags::table_format(TableFormat& format, const Flag* other) {
  Flag json = on("--json", format.json, "Print a JSON report");
  Flag csv = on("--csv", format.csv, "Print comma-separated values");
  csv.excludes(json);
  Flag markdown = on("--markdown", format.markdown, "Print a table in Markdown");
  markdown.excludes(json).excludes(csv);
  if (other == nullptr) return;
  for (Flag* each : {&json, &csv, &markdown}) each->excludes(*other);
}

void Flags::quiet(bool& is_wanted) { on("-q,--quiet", is_wanted, "Print results and errors only"); }

void Flags::problem(std::vector<std::string>& selections) {
  collected("--problem", selections, "Select problems: n=1Mi,T=float; may be repeated", "AXIS=VALUE,…");
}

void Flags::settings(NamedValues& options) {
  const auto take = [&options](const std::string& setting) {
    const std::size_t sign = setting.find('=');
    if (sign == 0 || sign == std::string::npos)
      throw CLI::ValidationError("--set", "'" + setting + "' is not NAME=VALUE");
    options.set(setting.substr(0, sign), parse_value(setting.substr(sign + 1)));
  };
  const auto take_all = [take](const std::vector<std::string>& all) { std::ranges::for_each(all, take); };
  CLI::Option& option = *app_.add_option_function<std::vector<std::string>>(
      "--set", take_all, "Set an option of the strategy; may be repeated");
  refuse_flags_as_values(app_, *option.allow_extra_args(false));
  with_kind(option, "NAME=VALUE");
}

}  // namespace gktune
