#include "cli/completion.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <functional>
#include <map>
#include <ostream>

#include "cli/database.h"
#include "cli/output/quantity.h"
#include "db/store/sqlite_store.h"
#include "engine/problem_selection.h"
#include "tuner/space/problems.h"
#include "tuner/space/space_file.h"

namespace gktune {
namespace {

using Words = std::vector<Suggestion>;
using Values = std::vector<std::pair<std::string, std::vector<std::string>>>;  // of a name

// A user who waits for a completion does not wait for another program's lock.
constexpr std::chrono::milliseconds kPatience(100);

// The words of a command line, understood as far as they go.
struct Line {
  const CLI::App* command = nullptr;
  const CLI::Option* open_flag = nullptr;     // the last word is its value
  std::map<std::string, std::string> values;  // of flags and positionals, by name: "--db", "KERNEL"
  std::vector<std::string> files;             // given where space files stand
  std::size_t positionals = 0;                // before the last word
  bool is_help = false;                       // `gktune help`: the next word is a command
  std::string last;
};

std::vector<const CLI::Option*> positionals_of(const CLI::App& command) {
  return command.get_options([](const CLI::Option* option) { return option->get_positional(); });
}

// The positional argument that takes the next word; null if there is none.
const CLI::Option* positional_at(const CLI::App& command, std::size_t index) {
  const auto all = positionals_of(command);
  if (all.empty()) return nullptr;
  const CLI::Option* last = all.back();
  if (index < all.size()) return all[index];
  return last->get_items_expected_max() > 1 ? last : nullptr;
}

bool takes_value(const CLI::Option& option) { return option.get_items_expected_max() > 0; }

bool takes_file(const CLI::Option& option) {
  return option.get_type_name() == "FILE" || option.get_type_name() == "DIR";
}

void take_positional(const std::string& word, Line& line) {
  if (const CLI::Option* option = positional_at(*line.command, line.positionals++)) {
    line.values[option->get_name()] = word;
    if (takes_file(*option)) line.files.push_back(word);
  }
}

void take_word(const std::string& word, Line& line) {
  if (line.open_flag != nullptr) {
    line.values[line.open_flag->get_name()] = word;
    line.open_flag = nullptr;
    return;
  }
  if (word.size() > 1 && word.front() == '-') {
    const std::size_t equals = word.find('=');
    const CLI::Option* option = line.command->get_option_no_throw(word.substr(0, equals));
    if (option == nullptr || !takes_value(*option)) return;
    if (equals == word.npos) {
      line.open_flag = option;
    } else {
      line.values[option->get_name()] = word.substr(equals + 1);
    }
    return;
  }
  const auto children =
      line.command->get_subcommands([&](const CLI::App* child) { return child->check_name(word); });
  if (children.empty()) {
    take_positional(word, line);
  } else {
    line.command = children.front();
  }
}

Line understand(const CLI::App& program, const std::vector<std::string>& words) {
  Line line;
  line.command = &program;
  line.is_help = words.size() > 1 && words.front() == "help";
  for (std::size_t i = line.is_help ? 1 : 0; i + 1 < words.size(); ++i) take_word(words[i], line);
  if (!words.empty()) line.last = words.back();
  return line;
}

std::string value_of(const Line& line, const std::string& name) {
  const auto found = line.values.find(name);
  return found == line.values.end() ? std::string() : found->second;
}

void add_new(std::vector<std::string>& list, const std::string& item) {
  if (std::ranges::find(list, item) == list.end()) list.push_back(item);
}

void add_new(Words& words, const std::string& text, const std::string& description = "") {
  if (std::ranges::find(words, text, &Suggestion::text) == words.end()) words.push_back({text, description});
}

std::vector<std::string>& values_in(Values& values, const std::string& name) {
  auto found = std::ranges::find(values, name, &Values::value_type::first);
  if (found == values.end()) found = values.insert(values.end(), {name, {}});
  return found->second;
}

std::vector<StudySummary> studies_of(const Line& line, const Context& context) {
  const auto path = database_path(value_of(line, "--db"), context);
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return {};
  auto store = open_sqlite_store(path, StoreAccess::read, kPatience);
  if (!store) return {};
  auto studies = (*store)->studies();
  return studies ? *std::move(studies) : std::vector<StudySummary>();
}

std::vector<Definition> definitions_of(const Line& line) {
  std::vector<Definition> definitions;
  for (const std::string& path : line.files) {
    if (auto read = read_space_file(path, {.device_kind = "host", .strategies = {}})) {
      definitions.push_back(*std::move(read));
    }
  }
  return definitions;
}

Words kernels(const Line& line, const Context& context) {
  Words words;
  for (const StudySummary& each : studies_of(line, context)) add_new(words, each.study.kernel);
  return words;
}

Words studies(const Line& line, const Context& context) {
  Words words;
  for (const StudySummary& each : studies_of(line, context)) {
    words.push_back(
        {std::to_string(each.id), fmt::format("{} {} on {}", each.study.kernel,
                                              problem_text(each.study.problem), each.study.device.name)});
  }
  for (const StudySummary& each : studies_of(line, context)) add_new(words, each.study.kernel, "its studies");
  return words;
}

Words known_devices(const Line& line, const Context& context) {
  Words words;
  const std::string kernel = value_of(line, "KERNEL");
  for (const StudySummary& each : studies_of(line, context)) {
    const DeviceIdentity& device = each.study.device;
    if (kernel.empty() || each.study.kernel == kernel) add_new(words, device.name, device.architecture);
  }
  return words;
}

// "n=1Mi,element=": the part after the last comma is a name, or one more value of the name before it.
Words assignments(const Values& values, const std::string& last) {
  const std::size_t comma = last.rfind(',');
  const std::string before = comma == last.npos ? "" : last.substr(0, comma + 1);
  const std::string part = last.substr(before.size());
  const std::size_t equals = part.find('=');
  Words words;
  const auto add_values = [&](const std::string& name, const std::string& prefix) {
    const auto found = std::ranges::find(values, name, &Values::value_type::first);
    if (found == values.end()) return;
    for (const std::string& value : found->second) words.push_back({prefix + value, ""});
  };
  if (equals != part.npos) {
    add_values(part.substr(0, equals), before + part.substr(0, equals + 1));
    return words;
  }
  const auto is_given = [&](const std::string& name) {
    return before.starts_with(name + '=') || before.find(',' + name + '=') != before.npos;
  };
  for (const auto& [name, known] : values) {
    if (!is_given(name)) words.push_back({before + name + '=', ""});
  }
  if (const std::size_t earlier = before.rfind('='); earlier != before.npos) {
    const std::size_t begin = before.rfind(',', earlier);
    const std::size_t name_begin = begin == before.npos ? 0 : begin + 1;
    add_values(before.substr(name_begin, earlier - name_begin), before);
  }
  return words;
}

Words problems(const Line& line, const Context& context) {
  Values values;
  const auto add = [&](const Problem& problem) {
    for (const auto& [name, value] : problem) add_new(values_in(values, name), format_value(value));
  };
  for (const Definition& definition : definitions_of(line)) {
    for (const Axis& axis : definition.kernel.axes) values_in(values, axis.name);
    for (const Problem& problem : problems_of(definition.kernel)) add(problem);
  }
  const std::string positional = value_of(line, "KERNEL");
  if (const std::string kernel = positional.empty() ? value_of(line, "--kernel") : positional;
      !kernel.empty()) {
    for (const StudySummary& each : studies_of(line, context)) {
      if (each.study.kernel == kernel) add(each.study.problem);
    }
  }
  return assignments(values, line.last);
}

Words parameters(const Line& line, const Context&) {
  Values values;
  for (const Definition& definition : definitions_of(line)) {
    for (const Parameter& parameter : definition.parameters) {
      auto& known = values_in(values, parameter.name);
      for (const Value& value : parameter.values) add_new(known, value.str());
    }
  }
  return assignments(values, line.last);
}

// "auto|host|cuda:[N]": the choices but for those with a part to be filled in.
Words choices_of(const CLI::Option& option) {
  Words words;
  const std::string kind = option.get_type_name();
  if (kind.find('|') == kind.npos) return words;
  for (const std::string& choice : CLI::detail::split(kind, '|')) {
    if (choice.find('[') == choice.npos) words.push_back({choice, ""});
  }
  return words;
}

// The values that one option takes; its kind in the help decides.
Words values_of(const CLI::Option& option, const Line& line, const Context& context) {
  using Source = std::function<Words(const Line&, const Context&)>;
  static const std::map<std::string, Source> kSources = {{"KERNEL", kernels},
                                                         {"STUDY", studies},
                                                         {"OTHER", studies},
                                                         {"TRIAL", kernels},
                                                         {"DEVICE", known_devices},
                                                         {"AXIS=VALUE,…", problems},
                                                         {"PARAMETER=VALUE,…", parameters}};
  const auto source = kSources.find(option.get_positional() ? option.get_name() : option.get_type_name());
  return source == kSources.end() ? choices_of(option) : source->second(line, context);
}

Words flags_of(const CLI::App& command) {
  Words words;
  for (const CLI::Option* option : command.get_options([](const CLI::Option*) { return true; })) {
    for (const std::string& name : option->get_lnames())
      words.push_back({"--" + name, option->get_description()});
    for (const std::string& name : option->get_snames())
      words.push_back({'-' + name, option->get_description()});
  }
  return words;
}

Words commands_of(const CLI::App& command) {
  Words words;
  for (const CLI::App* child : command.get_subcommands([](const CLI::App*) { return true; })) {
    if (child->get_group().empty()) continue;
    words.push_back({child->get_name(), child->get_description()});
    for (const std::string& alias : child->get_aliases()) words.push_back({alias, child->get_description()});
  }
  return words;
}

// All words for the place of the last one, for any typed prefix.
Suggestions for_place(Line& line, const Context& context) {
  const CLI::Option* option = line.open_flag;
  std::string prefix;
  if (option == nullptr && line.last.starts_with('-')) {
    const std::size_t equals = line.last.find('=');
    if (equals == line.last.npos) return {flags_of(*line.command)};
    option = line.command->get_option_no_throw(line.last.substr(0, equals));
    if (option == nullptr || !takes_value(*option)) return {};
    prefix = line.last.substr(0, equals + 1);
    line.last.erase(0, equals + 1);
  }
  if (line.is_help) return {commands_of(*line.command)};
  if (option == nullptr) {
    if (Words commands = commands_of(*line.command); !commands.empty()) return {std::move(commands)};
    option = positional_at(*line.command, line.positionals);
    if (option == nullptr) return {flags_of(*line.command)};
  }
  Suggestions suggestions{values_of(*option, line, context), takes_file(*option)};
  for (Suggestion& each : suggestions.words) each.text.insert(0, prefix);
  line.last.insert(0, prefix);
  return suggestions;
}

// A shell reads a line for each suggestion: a name with a line feed cannot be one.
bool fits_line(const Suggestion& suggestion) {
  return std::ranges::none_of(suggestion.text, [](char c) { return static_cast<unsigned char>(c) < 0x20; });
}

constexpr std::string_view kBash = R"(# bash completion of gktune
_gktune() {
  local line=${COMP_LINE:0:COMP_POINT} text first=
  local -a words
  read -ra words <<<"$line"
  [[ $line == *[[:space:]] ]] && words+=('')
  local last=${words[-1]}
  COMPREPLY=()
  while IFS=$'\t' read -r text _; do
    if [[ $text == :files ]]; then
      mapfile -t COMPREPLY < <(compgen -f -- "$last")
      compopt -o filenames
    else
      COMPREPLY+=("$text")
    fi
  done < <("${words[0]}" complete "${words[@]:1}" 2>/dev/null)
  # Readline replaces what follows the last of its word breaks.
  local mark
  for mark in '=' ':'; do
    if [[ $COMP_WORDBREAKS == *"$mark"* && $last == *"$mark"* ]]; then
      first=${last%"${last##*"$mark"}"}
      COMPREPLY=("${COMPREPLY[@]#"$first"}")
      last=${last#"$first"}
    fi
  done
  if [[ ${#COMPREPLY[@]} == 1 && ${COMPREPLY[0]} == *= ]]; then compopt -o nospace; fi
}
complete -F _gktune gktune
)";

constexpr std::string_view kZsh = R"(#compdef gktune
# zsh completion of gktune
_gktune() {
  local line text files
  local -a names labels open
  for line in "${(@f)$(${(Q)words[1]} complete "${(@Q)words[2,CURRENT]}" 2>/dev/null)}"; do
    text=${line%%$'\t'*}
    if [[ -z $text ]]; then
      continue
    elif [[ $text == :files ]]; then
      files=1
    elif [[ $text == *= ]]; then
      open+=("$text")
    else
      names+=("$text")
      if [[ -n ${line#*$'\t'} ]]; then labels+=("$text -- ${line#*$'\t'}"); else labels+=("$text"); fi
    fi
  done
  local result=1
  (( $#names )) && compadd -l -d labels -a names && result=0
  (( $#open )) && compadd -S '' -a open && result=0
  [[ -n $files ]] && _files && result=0
  return result
}
if [ "$funcstack[1]" = _gktune ]; then _gktune "$@"; else compdef _gktune gktune; fi
)";

constexpr std::string_view kFish = R"(# fish completion of gktune
function __gktune_complete
    set -l words (commandline -opc)
    for line in ($words[1] complete $words[2..-1] (commandline -ct) 2>/dev/null)
        if test "$line" = :files
            __fish_complete_path (commandline -ct)
        else
            echo $line
        end
    end
end
complete -c gktune -f -a '(__gktune_complete)'
)";

}  // namespace

Suggestions suggest(const CLI::App& program, const std::vector<std::string>& words, const Context& context) {
  Line line = understand(program, words);
  Suggestions suggestions = for_place(line, context);
  std::erase_if(suggestions.words, [&](const Suggestion& each) {
    return !each.text.starts_with(line.last) || !fits_line(each);
  });
  return suggestions;
}

void print(std::ostream& stream, const Suggestions& suggestions) {
  if (suggestions.files) stream << ":files\t\n";
  for (const Suggestion& each : suggestions.words) {
    std::string description = each.description;
    std::ranges::replace_if(
        description, [](char c) { return static_cast<unsigned char>(c) < 0x20; }, ' ');
    stream << each.text << '\t' << description << '\n';
  }
}

std::optional<Shell> shell_from_name(std::string_view name) {
  if (name == "bash") return Shell::bash;
  if (name == "zsh") return Shell::zsh;
  if (name == "fish") return Shell::fish;
  return std::nullopt;
}

std::string_view completion_script(Shell shell) {
  switch (shell) {
    case Shell::bash:
      return kBash;
    case Shell::zsh:
      return kZsh;
    case Shell::fish:
      return kFish;
  }
  return {};
}

}  // namespace gktune
