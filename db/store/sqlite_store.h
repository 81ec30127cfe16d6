#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>

#include "db/store/trial_store.h"

namespace gktune {

enum class StoreAccess { read, write };

// Gets a sentence about studies that a question leaves out because they are damaged.
using OnDamage = std::function<void(const std::string&)>;

// A store in one SQLite file, with each trial on disk before add_trial returns. With write access the file is
// created or migrated if needed. A damaged, foreign or newer file is an error and stays unmodified. Waits up
// to `patience` for locks of other programs.
Result<std::unique_ptr<TrialStore>> open_sqlite_store(
    const std::filesystem::path& path, StoreAccess access,
    std::chrono::milliseconds patience = std::chrono::seconds(10), OnDamage on_damage = {});

// A store in memory, for results that are not kept.
Result<std::unique_ptr<TrialStore>> open_store_in_memory();

}  // namespace gktune
