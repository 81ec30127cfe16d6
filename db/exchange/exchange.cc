#include "db/exchange/exchange.h"

#include <istream>
#include <optional>
#include <ostream>

#include "db/exchange/records.h"
#include "db/open.h"
#include "db/sqlite/failure.h"
#include "db/sqlite/transaction.h"

namespace gktune {
namespace {

struct TargetError {
  std::string message;
};

}  // namespace

Result<Exported> export_studies(const std::filesystem::path& path, const std::vector<std::int64_t>& studies,
                                std::ostream& stream) {
  return sqlite::guarded(path.string(), [&] {
    auto database = open_for_reading(path, kLockPatience);
    sqlite::Transaction snapshot(database, sqlite::Transaction::Kind::read);
    return read_records(database, &studies, [&](const SortedJson& record) {
      stream << record.dump(-1, ' ', false, SortedJson::error_handler_t::replace) << '\n';
    });
  });
}

bool begins_lines(std::string_view line) {
  return line.find("\"type\"") != line.npos && line.find("\"gktune\"") != line.npos;
}

Result<Merged> import_lines(const std::filesystem::path& path, std::istream& stream,
                            const std::string& name) {
  std::int64_t line_number = 0;
  auto merged = sqlite::guarded(path.string(), [&]() -> Result<Merged> {
    auto database = open_for_writing(path, kLockPatience);
    sqlite::Transaction transaction(database, sqlite::Transaction::Kind::write);
    RecordWriter writer(database);
    std::string line;
    const auto failed = [&](const std::string& reason) {
      const std::string place = line_number == 0 ? "" : ":" + std::to_string(line_number);
      return Error{name + place + ": " + reason + "; nothing was imported"};
    };
    while (std::getline(stream, line)) {
      ++line_number;
      if (line.find_first_not_of(" \t\r") == line.npos) continue;
      const auto record = SortedJson::parse(line, nullptr, false);
      if (record.is_discarded()) return failed("not JSON");
      try {
        writer.add(record);
      } catch (const sqlite::Failure& failure) {
        return failed(failure.what());
      }
    }
    if (stream.bad()) return failed("cannot be read");
    try {
      Merged all = writer.finish();
      transaction.commit();
      return all;
    } catch (const sqlite::Failure& failure) {
      return failed(failure.what());
    }
  });
  if (!merged) return merged.error();
  return *std::move(merged);
}

Result<Merged> merge_database(const std::filesystem::path& target, const std::filesystem::path& source) {
  std::error_code error;
  if (std::filesystem::equivalent(target, source, error))
    return Error{source.string() + ": is the database itself"};
  auto from = sqlite::guarded(source.string(), [&] { return open_for_reading(source, kLockPatience); });
  if (!from) return from.error();
  auto database = sqlite::guarded(target.string(), [&] { return open_for_writing(target, kLockPatience); });
  if (!database) return database.error();
  // A failed write names the target; other failures name the source.
  const auto in_target = [&](auto write) {
    const auto written = sqlite::guarded(target.string(), write);
    if (!written)
      throw TargetError{written.error().message + "; nothing of " + source.string() + " was added"};
  };
  try {
    return sqlite::guarded(source.string(), [&] {
      sqlite::Transaction snapshot(*from, sqlite::Transaction::Kind::read);
      std::optional<sqlite::Transaction> transaction;
      std::optional<RecordWriter> writer;
      in_target([&] {
        transaction.emplace(*database, sqlite::Transaction::Kind::write);
        writer.emplace(*database);
      });
      const Exported read = read_records(
          *from, nullptr, [&](const SortedJson& record) { in_target([&] { writer->add(record); }); });
      Merged merged;
      in_target([&] {
        merged = writer->finish();
        transaction->commit();
      });
      merged.damaged = read.damaged;
      return merged;
    });
  } catch (const TargetError& failure) {
    return Error{failure.message};
  }
}

}  // namespace gktune
