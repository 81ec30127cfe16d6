#include "gktune/lookup.h"

#include <utility>

#include "db/database.h"
#include "db/winners_source.h"

namespace gktune {
Result<std::shared_ptr<WinnersSource>> WinnersSource::of_database(const std::filesystem::path& path) {
  return of_file(path, [path]() -> Result<WinnersByKernel> {
    auto database = Database::open(path, Database::Access::read);
    if (!database) return database.error();
    return (*database)->kernel_winners();
  });
}

Lookup::Lookup(std::vector<std::shared_ptr<const WinnersSource>> sources, LookupSettings settings)
    : sources_(std::move(sources)), settings_(std::move(settings)) {}
Lookup::Lookup(Lookup&&) noexcept = default;
Lookup& Lookup::operator=(Lookup&&) noexcept = default;
Lookup::~Lookup() = default;

Result<Lookup> Lookup::open(const std::filesystem::path& path, LookupSettings settings) {
  return open(std::span(&path, 1), std::move(settings));
}

Result<Lookup> Lookup::open(std::span<const std::filesystem::path> paths, LookupSettings settings) {
  std::vector<std::shared_ptr<const WinnersSource>> sources;
  for (const std::filesystem::path& path : paths) {
    auto source = WinnersSource::of_database(path);
    if (!source) return source.error();
    sources.push_back(*std::move(source));
  }
  return Lookup(std::move(sources), std::move(settings));
}

Result<Lookup> Lookup::follow(const std::filesystem::path& path, std::chrono::milliseconds interval,
                              LookupSettings settings) {
  auto source = WinnersSource::of_database(path);
  if (!source) return source.error();
  (*source)->follow(interval);
  return Lookup({*std::move(source)}, std::move(settings));
}

Answer Lookup::best(std::string_view kernel, const Problem& problem, const Question& question) const {
  std::vector<AxisValue> values;
  values.reserve(problem.size());
  for (const auto& [name, value] : problem) values.emplace_back(value);
  return prepare(kernel, {problem.names().begin(), problem.names().end()}, question).best(values);
}

KernelLookup Lookup::prepare(std::string_view kernel, std::vector<std::string> axes,
                             const Question& question) const {
  Question asked = question;
  asked.device = settings_.answered_as(question.device);
  return {sources_, std::string(kernel), std::move(axes), std::move(asked)};
}

std::optional<std::string> Lookup::read_error() const {
  for (const auto& source : sources_) {
    if (auto error = source->read_error()) return error;
  }
  return std::nullopt;
}

}  // namespace gktune
