#include <map>
#include <ostream>
#include <string_view>

#include "cli/commands/commands.h"
#include "cli/flags.h"

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

struct CompletionsOptions {
  std::string shell;
};

void declare(Flags& flags, CompletionsOptions& options) {
  flags.text("SHELL", options.shell, "Shell").required().kind("bash|zsh|fish");
}

ExitCode run(const CompletionsOptions& options, Context& context) {
  static const std::map<std::string, std::string_view> kScripts = {
      {"bash", kBash}, {"zsh", kZsh}, {"fish", kFish}};
  const auto script = kScripts.find(options.shell);
  if (script == kScripts.end()) {
    return fail_usage(context, "gktune completions",
                      "unknown shell '" + options.shell + "'; known are bash, zsh, fish");
  }
  context.out << script->second;
  return ExitCode::done;
}

}  // namespace

Command completions_command() {
  return make_command<CompletionsOptions>("completions", "Print the completion script of a shell",
                                          "gktune completions bash > /etc/bash_completion.d/gktune", declare,
                                          run);
}

}  // namespace gktune
