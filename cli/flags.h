#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/find_device.h"
#include "tuner/core/result.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace gktune {

// One flag, or a word without dashes.
class Flag {
 public:
  explicit Flag(CLI::Option& option) : option_(option) {}

  Flag& required();
  // What the help and the shell completions show: FILE, DIR, N, or the choices: cold|hot.
  Flag& kind(const std::string& kind);
  Flag& shown_default(const std::string& text);
  Flag& needs(const Flag& other);
  Flag& excludes(const Flag& other);

 private:
  CLI::Option& option_;
};

// The flags of one command, each with the variable that it is written into. That CLI11 reads them is known
// here, to the program and to the completions alone.
class Flags {
 public:
  explicit Flags(CLI::App& app) : app_(app) {}

  Flag text(const std::string& flag, std::string& target, const std::string& description);
  // A word that may be repeated.
  Flag texts(const std::string& word, std::vector<std::string>& target, const std::string& description);
  // A flag that may be given again, with one text each time.
  Flag collected(const std::string& flag, std::vector<std::string>& target, const std::string& description);
  Flag number(const std::string& flag, int& target, const std::string& description);
  Flag on(const std::string& flag, bool& target, const std::string& description);

  // A text that `parse` turns into a value; it says in words what is wrong with it.
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

  // Flags that several commands have, with the same words everywhere.
  void database(std::string& path);
  void json(bool& is_wanted);
  void quiet(bool& is_wanted);
  void problem(std::vector<std::string>& selections);
  void device(DeviceFlags& flags);
  void worker(DeviceFlags& flags);  // of what compiles

 private:
  using Read = std::function<Result<void>(const std::string& text)>;
  Flag read(const std::string& flag, const std::string& description, Read read);
  Flag single(CLI::Option& option);  // that takes one value

  CLI::App& app_;
};

}  // namespace gktune
