#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "gktune/result.h"
#include "tuner/core/trial.h"

// Conditions for EXPECT_TRUE that show what was found instead.
namespace gktune {

inline ::testing::AssertionResult contains(std::string_view text, std::string_view part) {
  const bool is_there = text.find(part) != text.npos;
  return (is_there ? ::testing::AssertionSuccess() : ::testing::AssertionFailure())
         << '"' << part << "\" is " << (is_there ? "" : "not ") << "in: " << text;
}

template <class T, class E>
std::string message_of(const Result<T, E>& result) {
  return result ? "there is no error" : result.error().message;
}

// The trial ended in this way, with this message.
inline ::testing::AssertionResult ended(const Trial& trial, Status status, std::string_view message) {
  if (trial.status == status && trial.message == message) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << status_name(trial.status) << ": " << trial.message;
}
// The same, with this part of a message.
inline ::testing::AssertionResult ended_with(const Trial& trial, Status status, std::string_view part) {
  if (trial.status == status) return contains(trial.message, part);
  return ::testing::AssertionFailure() << status_name(trial.status) << ": " << trial.message;
}

}  // namespace gktune
