#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "db/answers/kernel_winners.h"
#include "tuner/core/result.h"

namespace gktune {

class WinnersSource;

namespace sqlite {
class Database;
}

// The winners of a database as they are stored. Reading them is quick; those of a kernel are
// parsed when they are asked for.
class Winners final : public WinnerSet {
 public:
  // Opens the file, reads it and closes it.
  static Result<Winners> read(const std::filesystem::path& path);

  KernelWinners of(std::string_view kernel) const override;

 private:
  struct Session {
    std::shared_ptr<const SessionEnvironment> environment;  // null: the session is damaged
    std::string figures;
    std::size_t rank = 0;  // by its begin
  };
  // The properties that winners of different problems have in common.
  struct Group {
    std::string kernel, fingerprint, regime, objective;
    std::int64_t device = 0;
    std::size_t winners = 0;
  };
  // A study and its winner, with their checksums.
  struct Row {
    std::int64_t study = 0, updated_ms = 0, study_sum = 0;
    std::int64_t trial = 0, session = 0, winner_sum = 0;
    std::optional<std::int64_t> finalist;
    std::optional<double> time_us;
    std::size_t text_at = 0;  // the problem, the configuration, and the text that was recorded
    std::uint32_t problem_size = 0, config_size = 0, recorded_size = 0;
    std::uint32_t group = 0;
    bool has_winner = false, has_record = false;
  };
  // A portfolio; or one configuration that the store has chosen for all problems.
  struct ForAll {
    Group group;
    Portfolio body;      // without its device
    std::string damage;  // the reason why it cannot be read
  };
  struct Space {
    bool is_sound = true;
    std::string matching, constraints, default_config;
  };

  // Neighbouring studies and their winners: threads read several parts at a time.
  struct Part {
    std::string texts;
    std::vector<Group> groups;
    std::vector<Row> rows;

    std::string_view problem(const Row& row) const {
      return std::string_view(texts).substr(row.text_at, row.problem_size);
    }
    std::string_view config(const Row& row) const {
      return std::string_view(texts).substr(row.text_at + row.problem_size, row.config_size);
    }
    std::optional<std::string_view> recorded(const Row& row) const {
      if (!row.has_record) return std::nullopt;
      return std::string_view(texts).substr(row.text_at + row.problem_size + row.config_size,
                                            row.recorded_size);
    }
    // Reading all winners verifies none; those of a kernel are verified when it is asked for.
    bool is_study_sound(const Row& row) const;
    bool is_winner_sound(const Row& row) const;
  };

  // Reads the winners of the studies from `first` to `last`, about as many as expected.
  static Part read_part(sqlite::Database& database, std::int64_t first, std::int64_t last,
                        std::size_t expected);
  static std::vector<Part> read_parts(sqlite::Database& database, const std::filesystem::path& path);
  // The tables that winners refer to.
  void read_others(sqlite::Database& database);
  // Leaves out configurations that are known to be wrong.
  void read_portfolios(sqlite::Database& database);

  std::vector<Part> parts_;
  std::vector<ForAll> portfolios_, general_;
  std::map<std::int64_t, std::optional<DeviceIdentity>> devices_;  // without a value for a damaged one
  std::map<std::int64_t, Session> sessions_;
  // The environment of the latest session, by device.
  std::map<std::int64_t, std::shared_ptr<const SessionEnvironment>> latest_;
  std::map<std::pair<std::string, std::string>, Space> spaces_;  // by kernel and fingerprint
};

// The winners of a database, read again when it changes.
Result<std::shared_ptr<WinnersSource>> open_winners(const std::filesystem::path& path);

}  // namespace gktune
