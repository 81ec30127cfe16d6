#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "cli/find_device.h"
#include "tuner/core/result.h"

namespace gktune {

// A flag whose text is turned into a value by `parse`, which says in words what is wrong with it.
// The kind is what the help and the shell completions show: FILE, DIR, N, or the choices: cold|hot.
template <class T, class Target>
CLI::Option* add_parsed(CLI::App& app, const std::string& flag, Target& target,
                        Result<T> (*parse)(std::string_view), const std::string& description,
                        const std::string& kind) {
  auto read = [&target, parse, flag](const std::string& text) {
    auto value = parse(text);
    if (!value) throw CLI::ValidationError(flag, value.error().message);
    target = *std::move(value);
  };
  return app.add_option_function<std::string>(flag, read, description)->type_name(kind);
}

// Flags that several commands have, with the same words everywhere.
void add_database_flag(CLI::App& app, std::string& path);
void add_json_flag(CLI::App& app, bool& is_wanted);
void add_problem_flag(CLI::App& app, std::vector<std::string>& selections);
void add_device_flag(CLI::App& app, DeviceFlags& flags);
void add_worker_flags(CLI::App& app, DeviceFlags& flags);  // of what compiles

}  // namespace gktune
