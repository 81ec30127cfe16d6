#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <vector>

#include "db/axis_value.h"
#include "tuner/core/value.h"

namespace gktune {

// Items by the values of a problem's axes. Several threads may look while one sets. The
// table does not own its items.
//
// A slot holds the item and the values in a short form, for up to six axes in one cache line.
template <class Item>
class AxisTable {
 public:
  explicit AxisTable(std::size_t axes, std::size_t expected_items = 0)
      : axes_(axes), words_(std::min(axes, kMostWords)), stride_(std::bit_ceil(words_ + kFirstWord)) {
    grow(std::bit_ceil(std::max<std::size_t>(32, 2 * expected_items)));
  }
  AxisTable(const AxisTable&) = delete;
  AxisTable& operator=(const AxisTable&) = delete;

  // Null: unknown. Part of its caller: launches and questions run through little code.
  [[gnu::always_inline]] Item* find(std::span<const AxisValue> values) const {
    if (values.size() != axes_) return nullptr;
    const Slots& slots = *slots_.load(std::memory_order_acquire);
    const Slot slot = slot_of(slots, Key(values), values);
    return item_of(slot.words);
  }

  // One thread at a time.
  void set(std::span<const AxisValue> values, Item* item) {
    if (2 * (problems_.size() + 1) > slots_.load(std::memory_order_relaxed)->mask) {
      grow(2 * (slots_.load(std::memory_order_relaxed)->mask + 1));
    }
    Slots& slots = *all_slots_.back();
    const Key key(values);
    const Slot slot = slot_of(slots, key, values);
    if (item_of(slot.words) == nullptr) {
      std::vector<Value>& problem = problems_.emplace_back();
      for (const AxisValue& value : values) problem.push_back(value.value());
      fill(slots, slot, key, problem);
    }
    slot.words[0].store(reinterpret_cast<std::uintptr_t>(item), std::memory_order_release);
  }

  std::size_t size() const { return problems_.size(); }
  // Calls the function with the values of each problem, in the order in which they were set first.
  template <class Function>
  void for_each_problem(const Function& function) const {
    for (const std::vector<Value>& problem : problems_) function(problem);
  }

 private:
  static constexpr std::size_t kMostWords = 30;
  static constexpr std::size_t kFirstWord = 2;   // of a slot: an item and the kinds of the values come before
  static constexpr std::size_t kMostKinds = 16;  // in a word

  using Word = std::atomic<std::uint64_t>;
  struct alignas(64) Line {
    std::array<Word, 8> words{};
  };
  struct Key {
    [[gnu::always_inline]] explicit Key(std::span<const AxisValue> values)
        : is_exact(values.size() <= kMostKinds) {
      const std::size_t count = std::min(values.size(), kMostWords);
      for (std::size_t i = 0; i < count; ++i) {
        const AxisValue::Code code = values[i].code();
        words[i] = code.bits;
        kinds = kinds << 4 | code.kind;
        is_exact = is_exact && code.kind != AxisValue::Code::kInexact;
        hash = (hash ^ code.bits) * 0x9e3779b97f4a7c15u;
      }
    }
    std::uint64_t hash = 0, kinds = 0;
    bool is_exact;  // the same kinds and words mean the same values
    std::array<std::uint64_t, kMostWords> words;
  };
  struct Slots {
    int shift = 0;
    std::size_t mask = 0;
    std::unique_ptr<Line[]> lines;
    std::vector<const Value*> problems;  // one per slot
  };
  struct Slot {
    Word* words;
    std::size_t place;
  };

  static Item* item_of(const Word* words) {
    return reinterpret_cast<Item*>(static_cast<std::uintptr_t>(words[0].load(std::memory_order_acquire)));
  }
  // The slot of these values, or the free one in which they belong.
  [[gnu::always_inline]] Slot slot_of(const Slots& slots, const Key& key,
                                      std::span<const AxisValue> values) const {
    Word* const first = slots.lines[0].words.data();
    for (std::size_t place = key.hash >> slots.shift;; place = (place + 1) & slots.mask) {
      Word* const words = first + place * stride_;
      if (item_of(words) == nullptr || is_of(words, slots, place, key, values)) return {words, place};
    }
  }
  [[gnu::always_inline]] bool is_of(const Word* words, const Slots& slots, std::size_t place, const Key& key,
                                    std::span<const AxisValue> values) const {
    if (words[1].load(std::memory_order_relaxed) != key.kinds) return false;
    for (std::size_t i = 0; i < words_; ++i) {
      if (words[kFirstWord + i].load(std::memory_order_relaxed) != key.words[i]) return false;
    }
    if (key.is_exact) [[likely]] return true;
    for (std::size_t i = 0; i < axes_; ++i) {
      if (AxisValue(slots.problems[place][i]) != values[i]) return false;
    }
    return true;
  }
  void fill(Slots& slots, const Slot& slot, const Key& key, const std::vector<Value>& problem) const {
    slots.problems[slot.place] = problem.data();
    slot.words[1].store(key.kinds, std::memory_order_relaxed);
    for (std::size_t i = 0; i < words_; ++i)
      slot.words[kFirstWord + i].store(key.words[i], std::memory_order_relaxed);
  }
  // Readers may still use the slots before: they are kept.
  void grow(std::size_t count) {
    auto slots = std::make_unique<Slots>();
    slots->mask = count - 1;
    slots->shift = 64 - std::countr_zero(count);
    slots->lines = std::make_unique<Line[]>((count * stride_ + 7) / 8);
    slots->problems.resize(count);
    for (const std::vector<Value>& problem : problems_) {
      const std::vector<AxisValue> values(problem.begin(), problem.end());
      const Key key(values);
      const Slot slot = slot_of(*slots, key, values);
      fill(*slots, slot, key, problem);
      slot.words[0].store(reinterpret_cast<std::uintptr_t>(find(values)), std::memory_order_relaxed);
    }
    slots_.store(slots.get(), std::memory_order_release);
    all_slots_.push_back(std::move(slots));
  }

  std::atomic<const Slots*> slots_{nullptr};
  const std::size_t axes_, words_, stride_;
  std::vector<std::unique_ptr<Slots>> all_slots_;
  std::deque<std::vector<Value>> problems_;
};

}  // namespace gktune
