#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tuner/core/value.h"

namespace gktune {

// Names with their values, in the order they were given. Two are equal when the same names have the same values,
// whatever the order.
class NamedValues {
 public:
  using Entry = std::pair<std::string, Value>;

  NamedValues() = default;
  NamedValues(std::initializer_list<Entry> entries);
  // Asks for names that differ.
  explicit NamedValues(std::vector<Entry> entries) : entries_(std::move(entries)) {}

  // Replaces the value of a name that is there already.
  void set(std::string_view name, Value value);
  const Value* find(std::string_view name) const;

  const std::vector<Entry>& entries() const { return entries_; }
  auto begin() const { return entries_.begin(); }
  auto end() const { return entries_.end(); }
  std::size_t size() const { return entries_.size(); }
  bool empty() const { return entries_.empty(); }

  // For people: "threadsPerBlock=256 way=one_pass".
  std::string str() const;
  // One text for each content: a JSON object with its names sorted. What the database knows it by.
  std::string json() const;

  friend bool operator==(const NamedValues& a, const NamedValues& b);

 private:
  std::vector<Entry> entries_;
};

// A point of the parameter space, and a problem to solve: n=1048576 T=float.
using Config = NamedValues;
using Problem = NamedValues;

}  // namespace gktune
