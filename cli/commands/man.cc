// gktune man: writes the manual pages, from the declared commands and the tables of docs/cli.md.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <map>
#include <regex>
#include <sstream>

#include "cli/command.h"
#include "tuner/core/embedded_file.h"
#include "tuner/core/files.h"
#include "tuner/core/text.h"
#include "tuner/core/version.h"

namespace gktune {

std::span<const EmbeddedFile> command_line_page();  // docs/cli.md

namespace {

struct ManOptions {
  std::string folder, date;
};

// The text as roff prints it: no character has another meaning, and lines may end between choices.
std::string roff(std::string_view text) {
  static const std::map<char, std::string_view> kEscapes = {{'\\', "\\e"},  {'-', "\\-"},   {'\'', "\\(aq"},
                                                            {'`', "\\(ga"}, {'"', "\\(dq"}, {'^', "\\(ha"},
                                                            {'~', "\\(ti"}, {'.', "\\&."},  {'|', "|\\:"}};
  std::string escaped;
  for (const char c : text) {
    const auto found = kEscapes.find(c);
    escaped += found == kEscapes.end() ? std::string(1, c) : std::string(found->second);
  }
  return escaped;
}

std::string bold(std::string_view text) { return "\\fB" + roff(text) + "\\fR"; }

std::string section(std::string_view heading, const std::string& body) {
  return body.empty() ? "" : fmt::format(".SH {}\n{}\n", heading, trimmed(body));
}

std::string item(const std::string& term, std::string_view text) {
  return fmt::format(".TP\n{}\n{}\n", term, roff(text));
}

// The rows of the table of docs/cli.md whose first column has this heading.
std::string table_items(std::string_view heading) {
  static const std::regex kRow(R"(\| (.*?) \| (.*) \|)"), kMarks(R"(\[([^\]]*)\]\([^)]*\)|`)");
  const auto plain = [](const std::string& cell) { return std::regex_replace(cell, kMarks, "$1"); };
  const std::string page(command_line_page().front().text);
  std::istringstream lines(page.substr(page.find(fmt::format("| {} |", heading))));
  std::string items, line;
  std::getline(lines, line);  // the headings
  std::getline(lines, line);
  for (std::smatch row; std::getline(lines, line) && std::regex_match(line, row, kRow);)
    items += item(bold(plain(row[1])), plain(row[2]));
  return items;
}

const CLI::Formatter& formatter_of(const CLI::App& app) {
  return dynamic_cast<const CLI::Formatter&>(*app.get_formatter());
}

std::string option_items(const CLI::App& app, bool is_positional) {
  std::string items;
  for (const CLI::Option* option : app.get_options({})) {
    if (option->get_positional() != is_positional) continue;
    items += item(bold(formatter_of(app).make_option_name(option, is_positional)) +
                      roff(formatter_of(app).make_option_opts(option)),
                  option->get_description());
  }
  return items;
}

std::string command_items(const Command& command, const std::string& page) {
  std::string items;
  for (const Command& child : command.children) {
    if (!child.is_hidden) items += item(bold(page + '-' + child.name) + "(1)", child.summary);
  }
  return items;
}

// The end of the program's page.
std::string program_sections() {
  const std::string files = item(bold("share/gktune/spaces"), "Space files that are ready to tune") +
                            item(bold("share/gktune/templates"), "The kernels of these space files") +
                            item(bold("share/doc/gktune"), "Documents; README.md is the first to read");
  return section("EXIT STATUS", table_items("exit code")) + section("ENVIRONMENT", table_items("variable")) +
         section("FILES", "Below the folder of the installation, such as /usr or \\(ti/.local:\n" + files);
}

// `words` call the command: "gktune db ls". `page` is the name of its page, without the section.
std::string text_of(const CLI::App& app, const Command& command, const std::string& words,
                    const std::string& page, const std::string& date) {
  const bool is_program = app.get_parent() == nullptr;
  const std::string see_also = (is_program ? "" : bold(page.substr(0, page.rfind('-'))) + "(1), ") +
                               bold("share/doc/gktune/docs/cli.md");
  std::string title = page;
  std::ranges::transform(title, title.begin(), [](unsigned char c) { return std::toupper(c); });
  const std::string usage = formatter_of(app).make_usage(&app, words);
  const std::string example = command.example.empty() ? "" : ".nf\n" + roff(command.example) + "\n.fi";
  return fmt::format(".TH {} 1 \"{}\" \"gktune {}\" \"User Commands\"\n.nh\n.ad l\n", title, date, kVersion) +
         section("NAME", roff(page) + " \\- " + roff(command.summary)) +
         section("SYNOPSIS", roff(trimmed(usage.substr(usage.find(' '))))) +
         section("DESCRIPTION", roff(command.note)) + section("COMMANDS", command_items(command, page)) +
         section("ARGUMENTS", option_items(app, true)) + section("OPTIONS", option_items(app, false)) +
         section("EXAMPLE", example) + (is_program ? program_sections() : "") + section("SEE ALSO", see_also);
}

// The pages of the command and of those below it.
void write_pages(const CLI::App& app, const Command& command, const std::string& words,
                 const ManOptions& options, Context& context) {
  std::string page = words;
  std::ranges::replace(page, ' ', '-');
  const auto path = std::filesystem::path(options.folder) / (page + ".1");
  value_or_end(write_output(path, text_of(app, command, words, page, options.date)), context);
  for (const Command& child : command.children) {
    if (!child.is_hidden)
      write_pages(*app.get_subcommand(child.name), child, words + ' ' + child.name, options, context);
  }
}

}  // namespace

Command::Run declare_man(Flags& flags, const CLI::App& program) {
  auto options = std::make_shared<ManOptions>();
  flags.text("DIR", options->folder, "Folder for the pages", "DIR").required();
  flags.text("DATE", options->date, "Date of the pages: 2026-05-31").required();
  return [options, &program](Context& context) {
    const Command root{program.get_name(), program.get_description(), "", {}, commands()};
    write_pages(program, root, root.name, *options, context);
    return ExitCode::done;
  };
}

}  // namespace gktune
