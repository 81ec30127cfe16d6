#pragma once

#include <concepts>
#include <cstddef>
#include <exception>
#include <memory_resource>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "gktune/answer.h"
#include "gktune/gktune.h"
#include "gktune/kernel.h"
#include "gktune/result.h"
#include "gktune/values.h"
#include "tuner/core/text.h"

// The objects of gktune.h.
struct gktune_settings {
  gktune::KernelSettings settings;
  bool has_worker = false;  // the default was replaced
};

struct gktune_kernel {
  gktune::Kernel kernel;
};

struct gktune_answer {
  explicit gktune_answer(gktune::Answer found)
      : answer(std::move(found)), config(answer.config.json()), stale(gktune::joined(answer.stale, "; ")) {}
  gktune::Answer answer;
  std::string config, stale;  // the members of the answer as texts
};

namespace gktune::c_api {

// A failure of a C function.
struct CError {
  gktune_code code = GKTUNE_FAILED;
  std::string message;
};

// Keeps the message for gktune_message().
gktune_code note(gktune_code code, std::string message) noexcept;

// Runs the body of a C function. No exception leaves it.
template <class Function>
gktune_code guarded(const Function& function) noexcept {
  try {
    const Result<void, CError> done = function();
    return done ? note(GKTUNE_OK, {}) : note(done.error().code, done.error().message);
  } catch (const std::bad_alloc&) {
    return note(GKTUNE_OUT_OF_MEMORY, {});
  } catch (const std::exception& error) {
    try {
      return note(GKTUNE_FAILED, error.what());
    } catch (...) {
      return note(GKTUNE_OUT_OF_MEMORY, {});
    }
  }
}

// A function that returns no code: for a null object it returns null or 0, and gktune_message() says so.
template <class Value, class Object, class Read>
Value read_from(const Object* object, const Read& read) noexcept {
  if (object != nullptr) return read(*object);
  guarded([]() -> Result<void, CError> { return CError{GKTUNE_INVALID, "the object is null"}; });
  return Value{};
}

// The place for a result holds null until there is one.
template <class Object>
void clear(Object** place) {
  if (place != nullptr) *place = nullptr;
}

inline CError failed(const Error& error) { return {GKTUNE_FAILED, error.message}; }
inline CError invalid(std::string message) { return {GKTUNE_INVALID, std::move(message)}; }

// A list that a call makes. It allocates nothing unless it has more than 32 items.
template <class Item>
class CallList {
 public:
  CallList() = default;
  CallList(const CallList&) = delete;
  CallList& operator=(const CallList&) = delete;
  std::pmr::vector<Item>& operator*() { return items_; }
  std::pmr::vector<Item>* operator->() { return &items_; }

 private:
  static constexpr std::size_t kRoom = 32;
  alignas(Item) std::byte room_[kRoom * sizeof(Item)];
  std::pmr::monotonic_buffer_resource memory_{room_, sizeof room_};
  // With braces it would have one item, made of the address.
  std::pmr::vector<Item> items_ = std::pmr::vector<Item>(&memory_);
};

Result<void, CError> add_values(const gktune_value* values, std::size_t count,
                                std::pmr::vector<AxisValue>& to);

}  // namespace gktune::c_api
