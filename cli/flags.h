#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/device_flags.h"
#include "cli/output/table.h"
#include "gktune/result.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace gktune {

// A flag, or a positional argument.
class Flag {
 public:
  explicit Flag(CLI::Option& option) : option_(option) {}

  Flag& required();
  // The kind of value: FILE, DIR, N, or choices such as cold|hot. Help and completions use it.
  Flag& kind(const std::string& kind);
  Flag& shown_default(const std::string& text);
  Flag& needs(const Flag& other);
  Flag& excludes(const Flag& other);

 private:
  CLI::Option& option_;
};

// The flags of one command, each with the variable that it sets. Commands do not see CLI11.
class Flags {
 public:
  explicit Flags(CLI::App& app) : app_(app) {}

  Flag text(const std::string& flag, std::string& target, const std::string& description);
  // A positional argument that may be repeated.
  Flag texts(const std::string& word, std::vector<std::string>& target, const std::string& description);
  // A flag that may be repeated, with one text each time.
  Flag collected(const std::string& flag, std::vector<std::string>& target, const std::string& description);
  Flag number(const std::string& flag, int& target, const std::string& description);
  Flag on(const std::string& flag, bool& target, const std::string& description);

  // A text that `parse` converts.
  template <class T, class Target>
  Flag parsed(const std::string& flag, Target& target, Result<T> (*parse)(std::string_view),
              const std::string& description, const std::string& kind) {
    return read(flag, description,
                [&target, parse](const std::string& text) -> Result<void> {
                  auto value = parse(text);
                  if (!value) return std::move(value).error();
                  target = *std::move(value);
                  return {};
                })
        .kind(kind);
  }

  // Flags that several commands share.
  void database(std::string& path);
  void table_format(TableFormat& format);
  void quiet(bool& is_wanted);
  void problem(std::vector<std::string>& selections);
  // --set NAME=VALUE, repeated: options of a search strategy.
  void settings(NamedValues& options);
  void device(DeviceFlags& flags, const std::string& description);
  void worker(DeviceFlags& flags);  // for commands that compile

 private:
  using Read = std::function<Result<void>(const std::string& text)>;
  Flag read(const std::string& flag, const std::string& description, Read read);
  Flag single(CLI::Option& option);  // takes one value

  CLI::App& app_;
};

}  // namespace gktune
