#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "db/axis_value.h"
#include "tuner/core/value.h"

namespace gktune {

// The launches of the problems. Several threads may ask while one adds. Items stay until the table ends.
template <class Item>
class LaunchTable {
 public:
  LaunchTable() { grow(64); }
  LaunchTable(const LaunchTable&) = delete;
  LaunchTable& operator=(const LaunchTable&) = delete;

  // Null: unknown.
  Item* find(std::span<const AxisValue> problem) const {
    const Slots& slots = *slots_.load(std::memory_order_acquire);
    const std::uint64_t hash = hash_of(problem);
    for (std::size_t at = hash & slots.mask;; at = (at + 1) & slots.mask) {
      Entry* entry = slots.entries[at].load(std::memory_order_acquire);
      if (entry == nullptr) return nullptr;
      if (entry->hash == hash && is_equal(*entry, problem)) return &entry->item;
    }
  }

  // One thread at a time; the problem must be new.
  Item& add(std::span<const AxisValue> problem) {
    auto entry = std::make_unique<Entry>();
    entry->hash = hash_of(problem);
    for (const AxisValue& value : problem) entry->problem.push_back(value.value());
    entry->values.assign(entry->problem.begin(), entry->problem.end());
    entries_.push_back(std::move(entry));
    if (entries_.size() * 2 > slots_.load(std::memory_order_relaxed)->mask) grow(entries_.size() * 4);
    else insert(*slots_.load(std::memory_order_relaxed), *entries_.back());
    return entries_.back()->item;
  }

  std::size_t size() const { return entries_.size(); }
  // Calls the function with each problem and its item.
  template <class Function>
  void for_each(const Function& function) const {
    for (const auto& entry : entries_) function(entry->problem, entry->item);
  }

 private:
  struct Entry {
    std::uint64_t hash = 0;
    std::vector<Value> problem;
    std::vector<AxisValue> values;  // they refer to the problem
    Item item;
  };
  struct Slots {
    std::size_t mask = 0;
    std::unique_ptr<std::atomic<Entry*>[]> entries;
  };

  static bool is_equal(const Entry& entry, std::span<const AxisValue> problem) {
    return std::ranges::equal(entry.values, problem);
  }
  static void insert(const Slots& slots, Entry& entry) {
    std::size_t at = entry.hash & slots.mask;
    while (slots.entries[at].load(std::memory_order_relaxed) != nullptr) at = (at + 1) & slots.mask;
    slots.entries[at].store(&entry, std::memory_order_release);
  }
  // Readers may still use the slots before: they are kept.
  void grow(std::size_t least) {
    std::size_t count = 64;
    while (count < least) count *= 2;
    auto slots = std::make_unique<Slots>();
    slots->mask = count - 1;
    slots->entries = std::make_unique<std::atomic<Entry*>[]>(count);
    for (const auto& entry : entries_) insert(*slots, *entry);
    slots_.store(slots.get(), std::memory_order_release);
    all_slots_.push_back(std::move(slots));
  }

  std::atomic<const Slots*> slots_{nullptr};
  std::vector<std::unique_ptr<Slots>> all_slots_;
  std::vector<std::unique_ptr<Entry>> entries_;
};

}  // namespace gktune
