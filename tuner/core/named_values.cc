#include "tuner/core/named_values.h"

#include <algorithm>

namespace gktune {

NamedValues::NamedValues(std::initializer_list<Entry> entries) {
  for (const auto& [name, value] : entries) set(name, value);
}

void NamedValues::set(std::string_view name, Value value) {
  for (auto& entry : entries_) {
    if (entry.first == name) {
      entry.second = std::move(value);
      return;
    }
  }
  entries_.emplace_back(name, std::move(value));
}

const Value* NamedValues::find(std::string_view name) const {
  auto entry = std::ranges::find(entries_, name, &Entry::first);
  return entry == entries_.end() ? nullptr : &entry->second;
}

std::string NamedValues::str() const {
  std::string text;
  for (const auto& [name, value] : entries_) {
    if (!text.empty()) text += ' ';
    text += name + '=' + value.str();
  }
  return text;
}

std::string NamedValues::json() const {
  std::vector<const Entry*> sorted;
  for (const auto& entry : entries_) sorted.push_back(&entry);
  std::ranges::sort(sorted, {}, [](const Entry* entry) -> const std::string& { return entry->first; });
  std::string text = "{";
  for (const Entry* entry : sorted) {
    if (text.size() > 1) text += ',';
    text += json_quote(entry->first) + ':' + entry->second.json();
  }
  return text + '}';
}

bool operator==(const NamedValues& a, const NamedValues& b) {
  if (a.size() != b.size()) return false;
  return std::ranges::all_of(a, [&](const NamedValues::Entry& entry) {
    const Value* other = b.find(entry.first);
    return other != nullptr && *other == entry.second;
  });
}

}  // namespace gktune
