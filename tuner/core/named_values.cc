#include "gktune/values.h"

#include <algorithm>
#include <numeric>

namespace gktune {

NamedValues::NamedValues(std::initializer_list<Entry> entries) {
  for (const auto& [name, value] : entries) set(name, value);
}

std::size_t NamedValues::place_of(std::string_view name) const {
  for (std::size_t place = 0; place < size(); ++place) {
    if ((*names_)[place] == name) return place;
  }
  return size();
}

void NamedValues::set(std::string_view name, Value value) {
  const std::size_t place = place_of(name);
  if (place < size()) {
    values_[place] = std::move(value);
    return;
  }
  Names names;
  names.reserve(size() + 1);
  if (names_) names = *names_;
  names.emplace_back(name);
  names_ = std::make_shared<const Names>(std::move(names));
  values_.push_back(std::move(value));
}

const Value* NamedValues::find(std::string_view name) const {
  const std::size_t place = place_of(name);
  return place < size() ? &values_[place] : nullptr;
}

std::string NamedValues::str() const {
  std::string text;
  for (const auto& [name, value] : *this) {
    if (!text.empty()) text += ' ';
    text += name + '=' + value.str();
  }
  return text;
}

std::string NamedValues::json() const {
  std::vector<std::size_t> sorted(size());
  std::iota(sorted.begin(), sorted.end(), std::size_t{0});
  std::ranges::sort(sorted, {}, [this](std::size_t place) -> const std::string& { return name(place); });
  std::string text = "{";
  for (const std::size_t place : sorted) {
    if (text.size() > 1) text += ',';
    text += json_quote(name(place)) + ':' + value(place).json();
  }
  return text + '}';
}

bool operator==(const NamedValues& a, const NamedValues& b) {
  if (a.size() != b.size()) return false;
  if (a.names_ == b.names_) return a.values_ == b.values_;
  return std::ranges::all_of(a, [&b](const auto& entry) {
    const Value* other = b.find(entry.first);
    return other != nullptr && *other == entry.second;
  });
}

}  // namespace gktune
