#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/devices.h"
#include "cli/output/table.h"
#include "gktune/result.h"
#include "tuner/core/fields.h"
#include "tuner/core/text.h"

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
  Flag& shown_default(const std::string& text);
  Flag& needs(const Flag& other);
  Flag& excludes(const Flag& other);

 private:
  CLI::Option& option_;
};

// "'warm' is neither cold nor hot": the message for a word that is none of the names.
std::string not_among(std::string_view word, EnumNames names);

template <class E>
Result<E> parse_name(std::string_view text) {
  if (const auto value = enum_from_name<E>(text)) return *value;
  return Error{not_among(text, enum_names(E{}))};
}

template <class T>
struct Unwrapped {
  using type = T;
};
template <class T>
struct Unwrapped<std::optional<T>> {
  using type = T;
};

// The flags of one command, each with the variable that it sets. Commands do not see CLI11.
class Flags {
 public:
  explicit Flags(CLI::App& app) : app_(app) {}

  // `kind` is the kind of value: FILE, DIR, N, or choices such as cold|hot. Help and completions use it.
  Flag text(const std::string& flag, std::string& target, const std::string& description,
            const std::string& kind = "");
  // A positional argument that may be repeated.
  Flag texts(const std::string& word, std::vector<std::string>& target, const std::string& description,
             const std::string& kind = "");
  // A flag that may be repeated, with one text each time.
  Flag collected(const std::string& flag, std::vector<std::string>& target, const std::string& description,
                 const std::string& kind);
  Flag number(const std::string& flag, int& target, const std::string& description,
              const std::string& kind = "");
  Flag on(const std::string& flag, bool& target, const std::string& description);

  // A text that `parse` converts.
  template <class T, class Target>
  Flag parsed(const std::string& flag, Target& target, Result<T> (*parse)(std::string_view),
              const std::string& description, const std::string& kind) {
    return read(flag, description, kind, [&target, parse](const std::string& text) -> Result<void> {
      target = GKTUNE_TRY(parse(text));
      return {};
    });
  }
  // One of the names of an enumeration.
  template <class Target, class E = typename Unwrapped<Target>::type>
  Flag choice(const std::string& flag, Target& target, const std::string& description) {
    return parsed(flag, target, parse_name<E>, description, joined(enum_names(E{}), "|"));
  }

  // Flags that several commands share.
  void database(std::string& path);
  // `other` is another form, which is not printed together with these.
  void table_format(TableFormat& format, const Flag* other = nullptr);
  void quiet(bool& is_wanted);
  void problem(std::vector<std::string>& selections);
  // --set NAME=VALUE, repeated: options of a search strategy.
  void settings(NamedValues& options);
  void device(DeviceFlags& flags, DeviceUse use, const std::string& description);
  void worker(DeviceFlags& flags);  // for commands that compile with worker processes
  void compiler(std::string& cache_dir, bool& allows_unsafe_options);

 private:
  using Read = std::function<Result<void>(const std::string& text)>;
  Flag read(const std::string& flag, const std::string& description, const std::string& kind, Read read);
  Flag single(CLI::Option& option, const std::string& kind);  // takes one value

  CLI::App& app_;
};

}  // namespace gktune
