#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>

namespace gktune {

// Each struct that is sent, stored, printed or hashed lists its members once, beside its definition:
//
//   template <class Archive, Is<Timing> S>
//   void fields(Archive&& archive, S& timing) {
//     archive("median_us", timing.median_us);
//   }
//
// An archive is anything that can be called with a name and a member, for example a lambda. If `timing` is
// not const, the archive may write to its members. Messages between processes, columns of the database, JSON
// and fingerprints are archives, so that a new member needs one line in the list and no other.
//
// - The names are those of the database's columns.
// - A list may call another list: the members of a trial's timing are columns of the trial.
// - The order of a list is the order of the columns. What a later member needs to be read comes before it.

template <class S, class T>
concept Is = std::same_as<std::remove_const_t<S>, T>;

// A member whose value may be unknown. An archive that has a form for that (NULL) writes it if `is_known` is
// false, and reads it as `unknown`. All other archives use `value`.
template <class T>
struct MaybeUnknown {
  T& value;
  bool is_known;
  std::remove_const_t<T> unknown;
};

template <class T>
MaybeUnknown<T> unless_negative(T& member) {
  return {member, !(member < T{0}), T{-1}};
}

template <class T>
MaybeUnknown<T> known_if(bool is_known, T& member) {
  return {member, is_known, T{}};
}

// The member itself, for archives that do not care whether it is known.
template <class T>
T& member_of(T& member) {
  return member;
}
template <class T>
T& member_of(MaybeUnknown<T> field) {
  return field.value;
}

// The names of an enumeration's values, in their order. Each enumeration that is a field declares
//   EnumNames enum_names(Status);
using EnumNames = std::span<const std::string_view>;

template <class E>
requires std::is_enum_v<E> std::string_view enum_name(E value) {
  return enum_names(value)[static_cast<std::size_t>(value)];
}

template <class E>
std::optional<E> enum_from_name(std::string_view name) {
  const EnumNames names = enum_names(E{});
  const auto found = std::ranges::find(names, name);
  if (found == names.end()) return std::nullopt;
  return static_cast<E>(found - names.begin());
}

}  // namespace gktune
