#include "db/row_sums.h"

#include <vector>

#include "tuner/core/text.h"

namespace gktune {
namespace {

constexpr std::string_view kBetween = ", ";

std::vector<std::string_view> columns_of(const SummedTable& table) {
  std::vector<std::string_view> columns;
  for (std::string_view rest = table.columns; !rest.empty();) {
    const auto size = rest.find(kBetween);
    columns.push_back(rest.substr(0, size));
    rest.remove_prefix(size == rest.npos ? rest.size() : size + kBetween.size());
  }
  return columns;
}

template <class Text>
std::string checksum_of_texts(const SummedTable& table, const Text& text_of) {
  return "gktune_checksum(" + joined(columns_of(table), kBetween, text_of) + ")";
}

}  // namespace

std::string checksum_of(const SummedTable& table, std::string_view prefix) {
  return checksum_of_texts(table,
                           [&](std::string_view column) { return std::string(prefix).append(column); });
}

std::string is_sound(const SummedTable& table, std::string_view prefix) {
  return "(" + std::string(prefix) + "checksum IS " + checksum_of(table, prefix) + ")";
}

std::string seal(const SummedTable& table, std::string_view condition) {
  return "UPDATE " + std::string(table.name) + " SET checksum = " + checksum_of(table) + " WHERE " +
         std::string(condition);
}

std::string change_sound(const SummedTable& table, std::string_view column, std::string_view value,
                         std::string_view condition) {
  const std::string changed = checksum_of_texts(
      table, [&](std::string_view each) { return std::string(each == column ? value : each); });
  return "UPDATE " + std::string(table.name) + " SET " + std::string(column) + " = " + std::string(value) +
         ", checksum = " + changed + " WHERE " + std::string(condition) + " AND " + is_sound(table);
}

}  // namespace gktune
