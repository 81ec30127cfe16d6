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
//   GKTUNE_FIELDS(Setting, name, value)
//
// or, where a member has another name or may be unknown, as a function:
//
//   template <class Archive, Is<Timing> S>
//   void fields(Archive&& archive, S& timing) {
//     archive("median_us", known_if(timing.median_us > 0, timing.median_us));
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

// Calls the archive for each member: at most 64. The preprocessor expands a recursive macro only as often as
// the text is scanned again.
#define GKTUNE_SCAN_AGAIN(...) GKTUNE_SCAN_2(GKTUNE_SCAN_2(GKTUNE_SCAN_2(GKTUNE_SCAN_2(__VA_ARGS__))))
#define GKTUNE_SCAN_2(...) GKTUNE_SCAN_1(GKTUNE_SCAN_1(GKTUNE_SCAN_1(GKTUNE_SCAN_1(__VA_ARGS__))))
#define GKTUNE_SCAN_1(...) GKTUNE_SCAN_0(GKTUNE_SCAN_0(GKTUNE_SCAN_0(GKTUNE_SCAN_0(__VA_ARGS__))))
#define GKTUNE_SCAN_0(...) __VA_ARGS__
#define GKTUNE_PARENTHESES ()
#define GKTUNE_EACH_FIELD(member, ...) \
  archive(#member, object.member);     \
  __VA_OPT__(GKTUNE_NEXT_FIELD GKTUNE_PARENTHESES(__VA_ARGS__))
#define GKTUNE_NEXT_FIELD() GKTUNE_EACH_FIELD

// Defines a list of members under their own names.
#define GKTUNE_FIELD_LIST(function, Type, ...)        \
  template <class Archive, Is<Type> S>                \
  void function(Archive&& archive, S& object) {       \
    GKTUNE_SCAN_AGAIN(GKTUNE_EACH_FIELD(__VA_ARGS__)) \
  }
#define GKTUNE_FIELDS(Type, ...) GKTUNE_FIELD_LIST(fields, Type, __VA_ARGS__)

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
// GKTUNE_ENUM defines an enumeration together with this function: the names are those of the enumerators.
// GKTUNE_MEMBER_ENUM does so in a class.
using EnumNames = std::span<const std::string_view>;

#define GKTUNE_ENUM(Enum, ...) GKTUNE_ENUM_WITH(inline, Enum, __VA_ARGS__)
#define GKTUNE_MEMBER_ENUM(Enum, ...) GKTUNE_ENUM_WITH(friend, Enum, __VA_ARGS__)
#define GKTUNE_ENUM_WITH(specifier, Enum, ...)                                                       \
  enum class Enum { __VA_ARGS__ };                                                                   \
  specifier EnumNames enum_names(Enum) {                                                             \
    static constexpr std::string_view kNames[] = {GKTUNE_SCAN_AGAIN(GKTUNE_EACH_NAME(__VA_ARGS__))}; \
    return kNames;                                                                                   \
  }
#define GKTUNE_EACH_NAME(value, ...) #value, __VA_OPT__(GKTUNE_NEXT_NAME GKTUNE_PARENTHESES(__VA_ARGS__))
#define GKTUNE_NEXT_NAME() GKTUNE_EACH_NAME

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
