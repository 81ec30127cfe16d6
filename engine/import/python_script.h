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

// What the names and expressions of a Python script stand for, as far as its text shows it without running it.
class PythonScript {
 public:
  explicit PythonScript(const std::string& text);

  const std::vector<std::string>& statements() const { return statements_; }
  // The text assigned to a name.
  std::optional<std::string> assigned(const std::string& name) const;
  // A name stands for what is assigned to it.
  std::string resolved(std::string text) const;

  // A tuple whose elements have names of their own: the problem size, whose elements are axes.
  struct NamedTuple {
    std::string name;
    std::vector<std::string> elements;
  };
  // The elements of a tuple or list.
  std::optional<std::vector<std::string>> elements_of(const std::string& written, const NamedTuple* named = nullptr) const;
  // shape[0], np.prod(shape), len(shape), np.sqrt(n), True and 1 << 20 in the language of space files.
  std::string in_space_language(std::string text, const NamedTuple* named = nullptr) const;

  // A number or text; nothing if the script computes it in another way.
  std::optional<Value> value_of(const std::string& written, const NamedValues& local = {}, int depth = 0) const;
  // The values of a list, a range or a comprehension.
  std::optional<std::vector<Value>> values_of(const std::string& written) const;

  // What `lambda p: p["x"] > p.y`, `lambda x, y: x > y` or a function that only returns a value computes. Subscripts
  // and members of `p` are names of their own, unless `p` is one of the given names; empty for other texts.
  std::string body_of(const std::string& item, const std::vector<std::string>& names) const;
  // The items of a dict: {'a': 1}, dict(a=1), and those that the script adds later.
  using Item = std::pair<std::string, std::string>;
  std::vector<Item> dict_of(const std::string& written) const;
  // The items that statements add to a dict: params['a'] = 1.
  std::vector<Item> added_items(const std::string& dict) const;
  // The file of kernel_string after `with open('k.cu') as f: kernel_string = f.read()`.
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
