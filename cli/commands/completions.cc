#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <set>
#include <string_view>

#include "cli/command.h"

namespace gktune {
namespace {

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
}
complete -F _gktune gktune
)";

constexpr std::string_view kZsh = R"(#compdef gktune
# zsh completion of gktune
_gktune() {
  local line text files
  local -a names labels
  for line in "${(@f)$(${(Q)words[1]} complete "${(@Q)words[2,CURRENT]}" 2>/dev/null)}"; do
    text=${line%%$'\t'*}
    if [[ -z $text ]]; then
      continue
    elif [[ $text == :files ]]; then
      files=1
    else
      names+=("$text")
      if [[ -n ${line#*$'\t'} ]]; then labels+=("$text -- ${line#*$'\t'}"); else labels+=("$text"); fi
    fi
  done
  local result=1
  (( $#names )) && compadd -l -d labels -a names && result=0
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

GKTUNE_ENUM(Shell, bash, zsh, fish)

struct CompletionsOptions {
  Shell shell = Shell::bash;
};

void declare(Flags& flags, CompletionsOptions& options) {
  flags.choice("SHELL", options.shell, "Shell").required();
}

ExitCode run(const CompletionsOptions& options, Context& context) {
  static constexpr std::string_view kScripts[] = {kBash, kZsh, kFish};
  context.out << kScripts[static_cast<std::size_t>(options.shell)];
  return ExitCode::done;
}

// The place of the last word on a command line.
class Completion {
 public:
  Completion(const CLI::App& program, const std::vector<std::string>& words, Context& context)
      : context_(context), command_(&program) {
    is_help_ = words.size() > 1 && words.front() == "help";
    for (std::size_t i = is_help_ ? 1 : 0; i + 1 < words.size(); ++i) take(words[i]);
    if (!words.empty()) last_ = words.back();
  }

  void print() {
    if (is_help_) {
      print_commands();
    } else if (flag_ != nullptr) {
      print_values(*flag_);
    } else if (last_.starts_with('-')) {
      const std::size_t equals = last_.find('=');
      if (equals == last_.npos) return print_flags();
      before_ = last_.substr(0, equals + 1);
      if (const CLI::Option* flag = flag_with_value(last_.substr(0, equals))) print_values(*flag);
    } else if (!command_->get_subcommands({}).empty()) {
      print_commands();
    } else if (const CLI::Option* option = positional()) {
      print_values(*option);
    } else {
      print_flags();
    }
  }

 private:
  void take(const std::string& word) {
    if (flag_ != nullptr) {
      take_value(word);
    } else if (word.size() > 1 && word.front() == '-') {
      const std::size_t equals = word.find('=');
      flag_ = flag_with_value(word.substr(0, equals));
      if (equals != word.npos) take_value(word.substr(equals + 1));
    } else {
      const auto children =
          command_->get_subcommands([&](const CLI::App* child) { return child->check_name(word); });
      if (children.empty()) {
        ++positionals_;
      } else {
        command_ = children.front();
      }
    }
  }

  void take_value(const std::string& value) {
    if (flag_ != nullptr && flag_->get_name() == "--db") database_ = value;
    flag_ = nullptr;
  }

  const CLI::Option* flag_with_value(const std::string& name) const {
    const CLI::Option* flag = command_->get_option_no_throw(name);
    return flag != nullptr && flag->get_items_expected_max() > 0 ? flag : nullptr;
  }

  // The positional argument that takes the last word; null if there is none.
  const CLI::Option* positional() const {
    const auto all = command_->get_options([](const CLI::Option* each) { return each->get_positional(); });
    if (positionals_ < all.size()) return all[positionals_];
    return !all.empty() && all.back()->get_items_expected_max() > 1 ? all.back() : nullptr;
  }

  void offer(const std::string& text, const std::string& description = "") {
    const std::string word = before_ + text;
    if (word.starts_with(last_)) context_.out << word << '\t' << description << '\n';
  }

  void print_commands() {
    for (const CLI::App* child : command_->get_subcommands({})) {
      if (!child->get_group().empty()) offer(child->get_name(), child->get_description());
    }
  }

  void print_flags() {
    for (const CLI::Option* option : command_->get_options()) {
      for (const std::string& name : option->get_lnames()) offer("--" + name, option->get_description());
      for (const std::string& name : option->get_snames()) offer('-' + name, option->get_description());
    }
  }

  void print_values(const CLI::Option& option) {
    const std::string kind = option.get_type_name();
    const std::string name = option.get_positional() ? option.get_name() : kind;
    if (kind == "FILE" || kind == "DIR") context_.out << ":files\t\n";
    if (name == "KERNEL" || name == "STUDY" || name == "OTHER" || name == "TRIAL") return print_kernels();
    if (kind.find('|') == kind.npos) return;
    // "auto|host|cuda:[N]": the user fills in what is in brackets.
    for (const std::string& choice : CLI::detail::split(kind, '|')) {
      if (choice.find('[') == choice.npos) offer(choice);
    }
  }

  void print_kernels() {
    // A user who waits for a completion does not wait for another program's lock.
    constexpr std::chrono::milliseconds kPatience(100);
    auto store = Database::open(database_path(database_, context_), Database::Access::read, kPatience);
    if (!store) return;
    const auto studies = (*store)->studies(Counts::ignored);
    if (!studies) return;
    std::set<std::string> kernels;
    for (const StudySummary& each : *studies) kernels.insert(each.study.kernel);
    for (const std::string& kernel : kernels) {
      const bool fits_line =
          std::ranges::none_of(kernel, [](char c) { return static_cast<unsigned char>(c) < 0x20; });
      if (fits_line) offer(kernel);
    }
  }

  Context& context_;
  const CLI::App* command_;
  const CLI::Option* flag_ = nullptr;  // the last word is its value
  std::string database_;               // the value of --db
  std::size_t positionals_ = 0;        // before the last word
  bool is_help_ = false;               // `gktune help`: the next word is a command
  std::string last_;
  std::string before_;  // the part of the last word before the value to complete: "--regime="
};

}  // namespace

Command completions_command() {
  return make_command<CompletionsOptions>("completions", "Print the completion script of a shell",
                                          "gktune completions bash > /etc/bash_completion.d/gktune", declare,
                                          run);
}

void complete(const CLI::App& program, const std::vector<std::string>& words, Context& context) {
  Completion(program, words, context).print();
}

}  // namespace gktune
