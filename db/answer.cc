#include "gktune/answer.h"

#include <stdexcept>

namespace gktune {
namespace {

const Value& expect(bool (Value::*is_of_kind)() const, const Value& value, std::string_view parameter,
                    const char* kind) {
  if (!(value.*is_of_kind)()) {
    throw std::invalid_argument("parameter " + std::string(parameter) + " is " + value.str() + ", not " +
                                kind);
  }
  return value;
}

}  // namespace

std::string_view match_name(Match match) {
  switch (match) {
    case Match::exact:
      return "exact";
    case Match::nearest_problem:
      return "nearest problem";
    case Match::same_architecture:
      return "same architecture";
    case Match::portfolio:
      return "portfolio";
    case Match::space_default:
      return "default of the space";
    case Match::fallback:
      return "fallback";
    case Match::none:
      break;
  }
  return "none";
}

const Value& Answer::value(std::string_view parameter) const {
  const Value* value = config.find(parameter);
  if (value == nullptr)
    throw std::out_of_range("no parameter " + std::string(parameter) + " in: " + config.str());
  return *value;
}

std::int64_t Answer::integer(std::string_view parameter) const {
  const auto& found = value(parameter);
  return expect(&Value::is_integer, found, parameter, "an integer").integer();
}

double Answer::real(std::string_view parameter) const {
  const auto& found = value(parameter);
  return expect(&Value::is_number, found, parameter, "a number").number();
}

bool Answer::boolean(std::string_view parameter) const {
  const auto& found = value(parameter);
  return expect(&Value::is_boolean, found, parameter, "a boolean").boolean();
}

const std::string& Answer::text(std::string_view parameter) const {
  const auto& found = value(parameter);
  return expect(&Value::is_text, found, parameter, "a text").text();
}

}  // namespace gktune
