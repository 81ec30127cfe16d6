#include "db/lookup.h"

#include <utility>

#include "db/winners_source.h"

namespace gktune {
namespace {

Answer missing(const AnswerTable& table, const Config& fallback) {
  Answer answer;
  answer.match = fallback.empty() ? Match::none : Match::fallback;
  answer.config = fallback;
  answer.reason = table.reason();
  return answer;
}

}  // namespace

KernelLookup::KernelLookup(std::shared_ptr<const WinnersSource> source, std::string kernel,
                           std::vector<std::string> axes, DeviceIdentity device, Config fallback)
    : source_(std::move(source)),
      kernel_(std::move(kernel)),
      axes_(std::move(axes)),
      device_(std::move(device)),
      fallback_(std::move(fallback)) {
  prepare();
}

void KernelLookup::prepare() {
  version_ = source_->version();  // first: winners that arrive meanwhile cause another preparation
  table_ = source_->table(kernel_, device_, axes_);
  no_answer_ = missing(*table_, fallback_);
}

const Answer& KernelLookup::best(std::span<const AxisValue> values) {
  if (source_->version() != version_) prepare();
  const Answer* found = table_->find(values);
  return found != nullptr ? *found : no_answer_;
}

Lookup::Lookup(std::shared_ptr<const WinnersSource> source) : source_(std::move(source)) {}
Lookup::Lookup(Lookup&&) noexcept = default;
Lookup& Lookup::operator=(Lookup&&) noexcept = default;
Lookup::~Lookup() = default;

Result<Lookup> Lookup::open(const std::filesystem::path& path) {
  auto source = WinnersSource::read(path, std::nullopt);
  if (!source) return source.error();
  return Lookup(*std::move(source));
}

Result<Lookup> Lookup::follow(const std::filesystem::path& path, std::chrono::milliseconds interval) {
  auto source = WinnersSource::read(path, interval);
  if (!source) return source.error();
  return Lookup(*std::move(source));
}

Answer Lookup::best(std::string_view kernel, const Problem& problem, const DeviceIdentity& device,
                    const Config& fallback) const {
  std::vector<AxisValue> values;
  values.reserve(problem.size());
  for (const auto& [name, value] : problem) values.emplace_back(value);
  const auto table = source_->table(kernel, device, problem.names());
  const Answer* found = table->find(values);
  return found != nullptr ? *found : missing(*table, fallback);
}

KernelLookup Lookup::prepare(std::string_view kernel, std::vector<std::string> axes,
                             const DeviceIdentity& device, const Config& fallback) const {
  return {source_, std::string(kernel), std::move(axes), device, fallback};
}

std::optional<std::string> Lookup::read_error() const { return source_->read_error(); }

}  // namespace gktune
