#include "cli/completion_script.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>

namespace gktune {
namespace {

// "auto|host|cuda[:N]" offers auto and host: what a shell can complete to the end.
std::vector<std::string> choices_of(const std::string& kind) {
  std::vector<std::string> choices;
  if (kind.find('|') == std::string::npos) return choices;
  for (const std::string& choice : CLI::detail::split(kind, '|')) {
    if (choice.find('[') == std::string::npos) choices.push_back(choice);
  }
  return choices;
}

CompletionWord word_of(const CLI::Option& option) {
  CompletionWord word;
  for (const std::string& name : option.get_lnames()) word.names.push_back("--" + name);
  for (const std::string& name : option.get_snames()) word.names.push_back("-" + name);
  word.description = option.get_description();
  word.takes_value = option.get_items_expected_max() > 0;
  word.takes_file = option.get_type_name() == "FILE" || option.get_type_name() == "DIR";
  word.choices = choices_of(option.get_type_name());
  return word;
}

std::string last_word(const std::string& path) { return path.substr(path.rfind(' ') + 1); }

std::vector<const CompletionCommand*> flattened(const CompletionCommand& command) {
  std::vector<const CompletionCommand*> all = {&command};
  for (const CompletionCommand& child : command.children) {
    for (const CompletionCommand* each : flattened(child)) all.push_back(each);
  }
  return all;
}

// For use between single quotes.
std::string quoted(std::string_view text, std::string_view escaped) {
  std::string result;
  for (char c : text) {
    if (c == '\'') {
      result += "'\\''";
      continue;
    }
    if (escaped.find(c) != std::string_view::npos) result += '\\';
    result += c;
  }
  return result;
}

std::string bash_script(const CompletionCommand& program) {
  std::string steps, values, words;
  for (const CompletionCommand* command : flattened(program)) {
    std::vector<std::string> offered;
    for (const CompletionCommand& child : command->children) {
      offered.push_back(last_word(child.path));
      steps += fmt::format("      '{}/{}') command='{}' ;;\n", command->path, offered.back(), child.path);
    }
    std::string files;
    for (const CompletionWord& word : command->words) {
      offered.insert(offered.end(), word.names.begin(), word.names.end());
      if (word.names.empty()) {
        offered.insert(offered.end(), word.choices.begin(), word.choices.end());
        if (word.takes_file) files = " files=yes";
      } else if (word.takes_value) {
        std::string action = word.takes_file ? "COMPREPLY=($(compgen -f -- \"$current\"))"
                                             : fmt::format("COMPREPLY=($(compgen -W '{}' -- \"$current\"))",
                                                           fmt::join(word.choices, " "));
        for (const std::string& name : word.names) {
          values += fmt::format("    '{}/{}') {}; return ;;\n", command->path, name, action);
        }
      }
    }
    words += fmt::format("    '{}') words='{}'{} ;;\n", command->path, fmt::join(offered, " "), files);
  }
  return fmt::format(R"(# bash completion of gktune
_gktune() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD-1]}}
  local command= word words= files=
  for word in "${{COMP_WORDS[@]:1:COMP_CWORD-1}}"; do
    case "$command/$word" in
{}    esac
  done
  case "$command/$previous" in
{}  esac
  case "$command" in
{}  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
  if [ -n "$files" ]; then COMPREPLY+=($(compgen -f -- "$current")); fi
}}
complete -o filenames -F _gktune gktune
)",
                     steps, values, words);
}

std::string zsh_action(const CompletionWord& word) {
  if (word.takes_file) return ":file:_files";
  if (!word.choices.empty()) {
    return fmt::format(":value:({})", quoted(fmt::format("{}", fmt::join(word.choices, " ")), ":"));
  }
  return word.takes_value ? ":value:" : "";
}

std::string zsh_function_name(const std::string& path) {
  std::string name = "_gktune";
  if (!path.empty()) name += '_' + path;
  for (char& c : name) {
    if (c == ' ') c = '_';
  }
  return name;
}

// A function a command: flags for a leaf, the list of children and a step down for the rest.
std::string zsh_function(const CompletionCommand& command) {
  std::string arguments, children, steps;
  for (const CompletionWord& word : command.words) {
    std::string description = quoted(word.description, "[]:");
    for (const std::string& name : word.names) {
      arguments += fmt::format(" \\\n    '{}[{}]{}'", name, description, zsh_action(word));
    }
    if (word.names.empty()) arguments += fmt::format(" \\\n    '*{}'", zsh_action(word));
  }
  if (command.children.empty()) {
    return fmt::format("{}() {{\n  _arguments -s{}\n}}\n", zsh_function_name(command.path), arguments);
  }
  for (const CompletionCommand& child : command.children) {
    std::string name = last_word(child.path);
    children += fmt::format("      '{}:{}'\n", name, quoted(child.summary, ":"));
    steps += fmt::format("        {}) {} ;;\n", name, zsh_function_name(child.path));
  }
  return fmt::format(R"({}() {{
  local state line
  local -a commands
  _arguments -C{} \
    '1: :->command' '*:: :->arguments'
  case $state in
    command)
      commands=(
{}      )
      _describe command commands ;;
    arguments)
      case $line[1] in
{}      esac ;;
  esac
}}
)",
                     zsh_function_name(command.path), arguments, children, steps);
}

std::string zsh_script(const CompletionCommand& program) {
  std::string functions;
  for (const CompletionCommand* command : flattened(program)) functions += zsh_function(*command);
  // Sourced, or called by zsh from a file of $fpath.
  return "#compdef gktune\n# zsh completion of gktune\n" + functions +
         "if [ \"$funcstack[1]\" = _gktune ]; then _gktune \"$@\"; else compdef _gktune gktune; fi\n";
}

std::string fish_condition(const CompletionCommand& command) {
  if (command.path.empty()) return "__fish_use_subcommand";
  std::string seen;
  for (const std::string& word : CLI::detail::split(command.path, ' ')) {
    seen += (seen.empty() ? "" : "; and ") + ("__fish_seen_subcommand_from " + word);
  }
  if (command.children.empty()) return seen;
  std::string below;
  for (const CompletionCommand& child : command.children) below += ' ' + last_word(child.path);
  return seen + "; and not __fish_seen_subcommand_from" + below;
}

std::string fish_script(const CompletionCommand& program) {
  std::string script = "# fish completion of gktune\ncomplete -c gktune -f\n";
  for (const CompletionCommand* command : flattened(program)) {
    std::string condition = fish_condition(*command);
    for (const CompletionCommand& child : command->children) {
      script += fmt::format("complete -c gktune -n '{}' -a '{}' -d '{}'\n", condition, last_word(child.path),
                            quoted(child.summary, "\\"));
    }
    for (const CompletionWord& word : command->words) {
      script += fmt::format("complete -c gktune -n '{}'", condition);
      for (const std::string& name : word.names) {
        script += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
      }
      if (word.takes_file) script += word.names.empty() ? " -F" : " -r -F";
      if (!word.choices.empty()) {
        script += fmt::format(" {}-a '{}'", word.names.empty() ? "" : "-x ", fmt::join(word.choices, " "));
      } else if (word.takes_value && !word.takes_file && !word.names.empty()) {
        script += " -x";
      }
      script += fmt::format(" -d '{}'\n", quoted(word.description, "\\"));
    }
  }
  return script;
}

CompletionCommand command_of(const CLI::App& app, const std::string& path) {
  CompletionCommand command{path, app.get_description(), {}, {}};
  for (const CLI::Option* option : app.get_options([](const CLI::Option*) { return true; })) {
    command.words.push_back(word_of(*option));
  }
  for (const CLI::App* child : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (child->get_group().empty()) continue;
    command.children.push_back(
        command_of(*child, path.empty() ? child->get_name() : path + ' ' + child->get_name()));
  }
  return command;
}

}  // namespace

std::optional<Shell> shell_from_name(std::string_view name) {
  if (name == "bash") return Shell::bash;
  if (name == "zsh") return Shell::zsh;
  if (name == "fish") return Shell::fish;
  return std::nullopt;
}

CompletionCommand completions_of(const CLI::App& app) { return command_of(app, ""); }

std::string completion_script(const CompletionCommand& program, Shell shell) {
  switch (shell) {
    case Shell::bash:
      return bash_script(program);
    case Shell::zsh:
      return zsh_script(program);
    case Shell::fish:
      return fish_script(program);
  }
  return {};
}

}  // namespace gktune
