#pragma once

#include <cstddef>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tuner/core/value.h"

namespace gktune {

// Names with their values, in the given order. Two are equal if the same names have the same
// values, in any order.
class NamedValues {
 public:
  using Entry = std::pair<std::string, Value>;
  using Names = std::vector<std::string>;

  NamedValues() = default;
  NamedValues(std::initializer_list<Entry> entries);
  // One value per name; the names differ. All configurations of a space share their names, because copying
  // them would be most of the cost of making one.
  NamedValues(std::shared_ptr<const Names> names, std::vector<Value> values)
      : names_(std::move(names)), values_(std::move(values)) {}

  // Replaces the value of an existing name.
  void set(std::string_view name, Value value);
  const Value* find(std::string_view name) const;

  // Iterates over pairs of a name and its value.
  class Iterator {
   public:
    using value_type = std::pair<const std::string&, const Value&>;
    using difference_type = std::ptrdiff_t;

    Iterator() = default;
    Iterator(const std::string* name, const Value* value) : name_(name), value_(value) {}
    value_type operator*() const { return {*name_, *value_}; }
    Iterator& operator++() {
      ++name_, ++value_;
      return *this;
    }
    Iterator operator++(int) {
      const Iterator before = *this;
      ++*this;
      return before;
    }
    friend bool operator==(const Iterator&, const Iterator&) = default;

   private:
    const std::string* name_ = nullptr;
    const Value* value_ = nullptr;
  };
  Iterator begin() const { return {names_ ? names_->data() : nullptr, values_.data()}; }
  Iterator end() const {
    return {names_ ? names_->data() + names_->size() : nullptr, values_.data() + values_.size()};
  }
  std::size_t size() const { return values_.size(); }
  bool empty() const { return values_.empty(); }

  // In their order.
  std::span<const std::string> names() const {
    return names_ ? std::span(*names_) : std::span<const std::string>();
  }
  const std::string& name(std::size_t place) const { return (*names_)[place]; }
  const Value& value(std::size_t place) const { return values_[place]; }

  // The text for people: "threadsPerBlock=256 way=one_pass".
  std::string str() const;
  // A JSON object with sorted names: one text for equal contents. The database's key.
  std::string json() const;

  friend bool operator==(const NamedValues& a, const NamedValues& b);

 private:
  std::size_t place_of(std::string_view name) const;  // size() if the name is missing

  std::shared_ptr<const Names> names_;  // null if there are no names
  std::vector<Value> values_;
};

// A point of the parameter space, and a problem to solve: n=1048576 T=float.
using Config = NamedValues;
using Problem = NamedValues;

}  // namespace gktune
