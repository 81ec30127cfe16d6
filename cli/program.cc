
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <exception>
#include <memory>
#include <set>
#include <string>

#include "cli/command.h"
#include "cli/flags.h"
#include "tuner/core/files.h"
#include "tuner/core/text.h"
#include "tuner/core/version.h"
#include "tuner/device/backends.h"

namespace gktune {

const std::vector<Command>& commands() {
  static const std::vector<Command> kCommands = {
      new_command(),         import_command(), run_command(),   serve_command(),   check_command(),
      judge_command(),       space_command(),  best_command(),  db_command(),      bundle_command(),
      report_command(),      exec_command(),   score_command(), devices_command(), mcp_command(),
      completions_command(), worker_command(),
  };
  return kCommands;
}

namespace {

// gktune 0.1.0 (devices: host, cuda)
std::string version_text() {
  return fmt::format("gktune {} (devices: {})", kVersion, fmt::join(device_kinds(), ", "));
}

// CLI11 lists the flags that exclude a flag in the order of their addresses, which changes from run to run.
class HelpFormatter final : public CLI::Formatter {
 public:
  // CLI11 counts the bytes of the first column, not its characters.
  std::string make_option(const CLI::Option* option, bool is_positional) const override {
    std::string text = CLI::Formatter::make_option(option, is_positional);
    constexpr std::string_view kDots = "…";
    const std::size_t dots = text.find(kDots), gap = text.find("  ", dots);
    if (dots < text.find(option->get_description()) && gap < text.find('\n'))
      text.insert(gap, kDots.size() - 1, ' ');
    return text;
  }
  std::string make_option_opts(const CLI::Option* option) const override {
    std::string text = CLI::Formatter::make_option_opts(option);
    const std::size_t list = text.find("Excludes:");
    if (list == std::string::npos) return text;
    std::set<std::string> names;
    for (const CLI::Option* excluded : option->get_excludes()) names.insert(excluded->get_name());
    return fmt::format("{}Excludes: {}", text.substr(0, list), fmt::join(names, " "));
  }
};

struct Declared {
  CLI::App* app;
  Command::Run run;
};

void declare(CLI::App& parent, const Command& command, std::vector<Declared>& declared) {
  CLI::App* app = parent.add_subcommand(command.name, command.summary);
  app->group("Commands");
  app->set_help_flag("-h,--help", "Print this help and exit");
  const std::string example = command.example.empty() ? "" : "Example:\n  " + command.example;
  app->footer(command.note.empty() ? example : example + "\n\n" + command.note);
  if (command.is_hidden) app->group("");
  if (command.children.empty()) {
    Flags flags(*app);
    declared.push_back({app, command.declare(flags)});
    return;
  }
  app->require_subcommand(1);
  for (const Command& child : command.children) declare(*app, child, declared);
}

// For the list of commands and the completions; run_program() turns `help run` into `run --help`.
void declare_help(CLI::App& program) {
  std::string names;
  for (const Command& command : commands()) {
    if (!command.is_hidden) names += (names.empty() ? "" : "|") + command.name;
  }
  CLI::App* app = program.add_subcommand("help", "Print the help of a command")->group("Commands");
  app->add_option("COMMAND")->type_name(names);
}

std::vector<std::string> without_help_command(std::vector<std::string> arguments) {
  if (arguments.empty() || arguments.front() != "help") return arguments;
  arguments.erase(arguments.begin());
  if (std::ranges::find(arguments, "--help") == arguments.end()) arguments.emplace_back("--help");
  return arguments;
}

std::unique_ptr<CLI::App> declare_all(std::vector<Declared>& declared) {
  auto app =
      std::make_unique<CLI::App>("Finds the fastest configuration of a GPU kernel and stores it", "gktune");
  app->formatter(std::make_shared<HelpFormatter>());
  app->get_formatter()->label("SUBCOMMAND", "COMMAND");
  app->get_formatter()->label("Positionals", "Arguments");
  app->get_formatter()->label("REQUIRED", "(required)");
  app->set_help_flag("-h,--help", "Print this help and exit");
  app->set_version_flag("-V,--version", version_text(),
                        "Print the version and the supported kinds of devices");
  app->require_subcommand(1);
  app->footer("`gktune help COMMAND` prints the flags of a command and an example.");
  for (const Command& command : commands()) declare(*app, command, declared);
  declare_help(*app);
  CLI::App* man = app->add_subcommand("man", "Write the manual pages")->group("");  // installations call it
  Flags flags(*man);
  declared.push_back({man, declare_man(flags, *app)});
  return app;
}

// The innermost command that the arguments name.
const CLI::App* chosen(const CLI::App* app) {
  auto selected = app->get_subcommands();
  return selected.empty() ? app : chosen(selected.front());
}

std::vector<std::string> names_of_commands(const CLI::App* app) {
  std::vector<std::string> names;
  for (const CLI::App* command : app->get_subcommands([](const CLI::App*) { return true; })) {
    if (command->get_group().empty()) continue;
    names.push_back(command->get_name());
  }
  return names;
}

std::vector<std::string> names_of_flags(const CLI::App* app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app->get_options([](const CLI::Option*) { return true; })) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

std::string path_of(const CLI::App* app) {
  const CLI::App* parent = app->get_parent();
  return parent == nullptr ? app->get_name() : path_of(parent) + ' ' + app->get_name();
}

std::vector<const CLI::Option*> given_options(const CLI::App* app) {
  return app->get_options([](const CLI::Option* option) { return option->count() > 0; });
}

// Names two given flags that exclude each other.
std::string explain_exclusion(const CLI::App* command) {
  const auto given = given_options(command);
  for (const CLI::Option* option : given) {
    const auto excluded = option->get_excludes();
    for (const CLI::Option* other : given) {
      if (std::ranges::find(excluded, other) != excluded.end())
        return option->get_name() + " and " + other->get_name() + " exclude each other";
    }
  }
  return "";
}

// Names a given flag that needs another one.
std::string explain_need(const CLI::App* command) {
  for (const CLI::Option* option : given_options(command)) {
    for (const CLI::Option* needed : option->get_needs()) {
      if (needed->count() == 0) return option->get_name() + " needs " + needed->get_name();
    }
  }
  return "";
}

std::string unknown_command(const std::string& word, const std::vector<std::string>& known) {
  return "unknown command '" + word + "'" + did_you_mean(word, known);
}

// Words CLI11's error better where more is known here.
std::string explain(const CLI::App& app, const CLI::ParseError& error,
                    const std::vector<std::string>& arguments) {
  const CLI::App* command = chosen(&app);
  auto rest = app.remaining(/*recurse=*/true);
  auto is_flag = [](const std::string& word) { return word.size() > 1 && word.front() == '-'; };
  bool is_extra = dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr;
  bool wants_command = !names_of_commands(command).empty();

  auto flag = std::ranges::find_if(rest, is_flag);
  if (flag != rest.end()) {
    std::string name = flag->substr(0, flag->find('='));
    return "unknown flag '" + name + "'" + did_you_mean(name, names_of_flags(command));
  }
  if (wants_command) {
    if (rest.empty()) return "no command given";
    return unknown_command(rest.front(), names_of_commands(command));
  }
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr && !arguments.empty()) {
    // A value is missing at the end.
    const std::string& last = arguments.back();
    const CLI::Option* option = command->get_option_no_throw(last.substr(0, last.find('=')));
    if (option != nullptr) return option->get_name() + ": value missing; expected " + option->get_type_name();
  }
  if (dynamic_cast<const CLI::ExcludesError*>(&error) != nullptr) return explain_exclusion(command);
  if (dynamic_cast<const CLI::RequiresError*>(&error) != nullptr) return explain_need(command);
  if (is_extra && !rest.empty()) return "unexpected argument '" + rest.front() + "'";
  return error.what();
}

}  // namespace

ExitCode run_program(const std::vector<std::string>& given, Context& context) try {
  const std::vector<std::string> arguments = without_help_command(given);
  std::vector<Declared> declared;
  auto app = declare_all(declared);
  if (!arguments.empty() && arguments.front() == "complete") {
    complete(*app, {arguments.begin() + 1, arguments.end()}, context);
    return ExitCode::done;
  }
  try {
    // CLI11 expects them in reverse order.
    app->parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
  } catch (const CLI::CallForHelp&) {
    const CLI::App* command = chosen(app.get());
    const auto rest = command->remaining();
    if (rest.empty() || names_of_commands(command).empty()) {
      context.out << app->help();
      return ExitCode::done;
    }
    context.command = path_of(command);
    return fail_usage(context, unknown_command(rest.front(), names_of_commands(command)));
  } catch (const CLI::CallForVersion&) {
    context.out << version_text() << '\n';
    return ExitCode::done;
  } catch (const CLI::ParseError& error) {
    context.command = path_of(chosen(app.get()));
    return fail_usage(context, explain(*app, error, arguments));
  }
  context.command = path_of(chosen(app.get()));
  auto called = std::ranges::find_if(declared, [](const Declared& each) { return each.app->parsed(); });
  const ExitCode code = [&] {
    try {
      return called->run(context);
    } catch (const Ended& ended) {
      return ended.code;
    }
  }();
  // A report that a full disk swallowed is a failure.
  errno = 0;
  if (!context.out.flush()) {
    return fail(context, ExitCode::failed,
                "cannot write to standard output" + (errno == 0 ? "" : ": " + system_reason(errno)));
  }
  return code;
} catch (const std::exception& error) {
  return fail(context, ExitCode::failed, error.what());
}

}  // namespace gktune
