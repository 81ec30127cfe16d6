#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "gktune/values.h"

namespace gktune {

// Items by the values of a problem's axes. Several threads may look while one sets. The table does not own its
// items.
template <class Item>
class AxisTable {
 public:
  explicit AxisTable(std::size_t axes) : axes_(axes) { grow(); }
  AxisTable(const AxisTable&) = delete;
  AxisTable& operator=(const AxisTable&) = delete;

  // Null: unknown.
  Item* find(std::span<const AxisValue> values) const {
    if (values.size() != axes_) return nullptr;
    const Entry* entry = entry_in(*slots_.load(), hash_of(values), values);
    return entry != nullptr ? entry->item.load() : nullptr;
  }

  // One thread at a time.
  void set(std::span<const AxisValue> values, Item* item) {
    if (2 * (entries_.size() + 1) > all_slots_.back().size()) grow();
    const std::uint64_t hash = hash_of(values);
    if (Entry* known = entry_in(all_slots_.back(), hash, values)) {
      known->item.store(item);
      return;
    }
    Entry& entry = entries_.emplace_back(hash, item);
    for (const AxisValue& value : values) entry.problem.push_back(value.value());
    add(entry, all_slots_.back());
  }

  // Calls the function with the values of each problem and its item, in the order in which they were set
  // first.
  template <class Function>
  void for_each(const Function& function) const {
    for (const Entry& entry : entries_) function(entry.problem, *entry.item);
  }

 private:
  struct Entry {
    Entry(std::uint64_t own_hash, Item* own_item) : hash(own_hash), item(own_item) {}
    std::uint64_t hash;
    std::vector<Value> problem;
    std::atomic<Item*> item;
  };
  using Slot = std::atomic<Entry*>;
  using Slots = std::vector<Slot>;  // a power of two, and at least half of them empty

  static std::uint64_t hash_of(std::span<const AxisValue> values) {
    std::uint64_t hash = 0;
    for (const AxisValue& value : values) hash = std::rotl((hash ^ value.hash()) * 0x9e3779b97f4a7c15u, 32);
    return hash;
  }
  // Null: there is none.
  static Entry* entry_in(const Slots& slots, std::uint64_t hash, std::span<const AxisValue> values) {
    for (std::size_t place = hash;; ++place) {
      Entry* entry = slots[place & (slots.size() - 1)].load(std::memory_order_acquire);
      if (entry == nullptr || (entry->hash == hash && std::ranges::equal(entry->problem, values)))
        return entry;
    }
  }
  static void add(Entry& entry, Slots& slots) {
    std::size_t place = entry.hash;
    while (slots[place & (slots.size() - 1)].load(std::memory_order_relaxed) != nullptr) ++place;
    slots[place & (slots.size() - 1)].store(&entry, std::memory_order_release);
  }
  // Threads may still look through the earlier slots: they are kept.
  void grow() {
    Slots& slots = all_slots_.emplace_back(all_slots_.empty() ? 32 : 2 * all_slots_.back().size());
    for (Entry& entry : entries_) add(entry, slots);
    slots_.store(&slots, std::memory_order_release);
  }

  const std::size_t axes_;
  std::atomic<const Slots*> slots_{nullptr};
  std::deque<Slots> all_slots_;  // of growing sizes; the last is in use
  std::deque<Entry> entries_;
};

}  // namespace gktune
