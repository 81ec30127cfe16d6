#pragma once

#include <map>
#include <optional>
#include <regex>
#include <string>
#include <utility>
#include <vector>

#include "tuner/core/named_values.h"
#include "tuner/core/value.h"

namespace gktune {

// A Python script that is read and never run. Finds the values of its names and
// expressions where its text shows them.
class PythonScript {
 public:
  explicit PythonScript(const std::string& text);

  const std::vector<std::string>& statements() const { return statements_; }
  // The text assigned to a name.
  std::optional<std::string> assigned(const std::string& name) const;
  // Replaces a name with the text assigned to it.
  std::string resolved(std::string text) const;

  // A tuple with a name for each element: the elements of the problem size are axes.
  struct NamedTuple {
    std::string name;
    std::vector<std::string> elements;
  };
  // The elements of a tuple or list.
  std::optional<std::vector<std::string>> elements_of(const std::string& written,
                                                      const NamedTuple* named = nullptr) const;
  // Translates an expression to the language of space files: shape[0], np.prod(shape),
  // len(shape), np.sqrt(n), True, 1 << 20.
  std::string in_space_language(std::string text, const NamedTuple* named = nullptr) const;

  // A number or text; nothing if the text alone does not show the value.
  std::optional<Value> value_of(const std::string& written, const NamedValues& local = {},
                                int depth = 0) const;
  // The values of a list, a range or a comprehension.
  std::optional<std::vector<Value>> values_of(const std::string& written) const;

  // The expression that a lambda or a function of a single return statement computes: `lambda p:
  // p["x"] > p.y`, `lambda x, y: x > y`. p["x"] and p.y become x and y, unless `p` is one of
  // `names`. Empty for other texts.
  std::string body_of(const std::string& item, const std::vector<std::string>& names) const;
  // The items of a dict, {'a': 1} or dict(a=1), and the items that the script adds later.
  using Item = std::pair<std::string, std::string>;
  std::vector<Item> dict_of(const std::string& written) const;
  // The items that statements add to a dict: params['a'] = 1.
  std::vector<Item> added_items(const std::string& dict) const;
  // The path of the file that a name was read from: k.cu of `with open('k.cu') as
  // f: kernel_string = f.read()`.
  std::optional<std::string> opened_file(const std::string& written) const;

 private:
  std::string substituted(std::string text, const NamedTuple* named) const;
  void assign_list(const std::string& statement);
  std::optional<std::vector<Value>> range_of(const std::string& list) const;
  std::optional<std::vector<Value>> comprehension(const std::smatch& parts) const;

  std::vector<std::string> statements_;
  std::map<std::string, std::string> assigned_;
};

}  // namespace gktune
