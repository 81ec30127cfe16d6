#include "db/values_json.h"

#include <cmath>
#include <stdexcept>

#include "db/sql/failure.h"
#include "tuner/core/fields_json.h"

namespace gktune {
namespace {

bool has_zero_byte(const std::string& text) { return text.find('\0') != std::string::npos; }

}  // namespace

NamedValues values_from_json(std::string_view json) {
  try {
    const auto parsed = SortedJson::parse(json, nullptr, false);
    if (parsed.is_object()) return values_from_json_object(parsed);
  } catch (const std::invalid_argument&) {  // one of them is no plain value
  }
  throw sql::Failure("not a JSON object of plain values: " + std::string(json.substr(0, 80)));
}

std::string identity_json(const NamedValues& values, const std::string& what) {
  for (const auto& [name, value] : values) {
    if (value.is_real() && !std::isfinite(value.real())) {
      throw sql::Failure(what + ": " + name + " is " + value.str() + ", which cannot be stored");
    }
    if (has_zero_byte(name) || (value.is_text() && has_zero_byte(value.text()))) {
      throw sql::Failure(what + ": " + name + " has a zero byte, which cannot be stored");
    }
  }
  const std::string json = values.json();
  if (!SortedJson::accept(json))
    throw sql::Failure(what + ": a text is no UTF-8, which cannot be stored: " + json);
  return json;
}

}  // namespace gktune
