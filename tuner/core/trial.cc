#include "tuner/core/trial.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace gktune {
namespace {

constexpr std::pair<Status, std::string_view> kStatusNames[] = {
    {Status::ok, "ok"},
    {Status::invalid, "invalid"},
    {Status::compile_failed, "compile_failed"},
    {Status::compile_timed_out, "compile_timed_out"},
    {Status::launch_failed, "launch_failed"},
    {Status::out_of_memory, "out_of_memory"},
    {Status::wrong_result, "wrong_result"},
    {Status::guard_violated, "guard_violated"},
    {Status::input_changed, "input_changed"},
    {Status::illegal_access, "illegal_access"},
    {Status::misaligned_access, "misaligned_access"},
    {Status::aborted, "aborted"},
    {Status::barrier_divergence, "barrier_divergence"},
    {Status::data_race, "data_race"},
    {Status::undefined_behavior, "undefined_behavior"},
    {Status::crashed, "crashed"},
    {Status::timed_out, "timed_out"},
    {Status::reference_failed, "reference_failed"},
    {Status::machine_failed, "machine_failed"},
};

constexpr std::pair<Regime, std::string_view> kRegimeNames[] = {{Regime::cold, "cold"}, {Regime::hot, "hot"}};

template <class Table, class Key>
std::string_view name_of(const Table& table, Key key) {
  return std::ranges::find(table, key, [](const auto& row) { return row.first; })->second;
}

template <class Key, class Table>
std::optional<Key> key_of(const Table& table, std::string_view name) {
  auto row = std::ranges::find(table, name, [](const auto& candidate) { return candidate.second; });
  if (row == std::end(table)) return std::nullopt;
  return row->first;
}

}  // namespace

std::string_view status_name(Status status) { return name_of(kStatusNames, status); }
std::optional<Status> status_from_name(std::string_view name) { return key_of<Status>(kStatusNames, name); }
std::string_view regime_name(Regime regime) { return name_of(kRegimeNames, regime); }
std::optional<Regime> regime_from_name(std::string_view name) { return key_of<Regime>(kRegimeNames, name); }

}  // namespace gktune
