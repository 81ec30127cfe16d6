#include "db/lookup.h"

#include "db/winners_source.h"

namespace gktune {

KernelLookup::KernelLookup(std::vector<Part> parts, std::string kernel, std::vector<std::string> axes,
                           Question question)
    : parts_(std::move(parts)), kernel_(std::move(kernel)), axes_(std::move(axes)), question_(std::move(question)) {
  prepare();
}

void KernelLookup::prepare() {
  no_answer_ = {};
  no_answer_.match = question_.fallback.empty() ? Match::none : Match::fallback;
  no_answer_.config = question_.fallback;
  for (Part& part : parts_) {
    part.version = part.source->version();  // first: winners that arrive meanwhile cause another preparation
    part.table = part.source->table(kernel_, question_.device, axes_, question_.freshness);
    no_answer_.reason += (no_answer_.reason.empty() ? "" : "; ") + part.table->reason();
  }
}

const Answer& KernelLookup::best(std::span<const AxisValue> values) {
  const Answer* best = nullptr;
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    if (parts_[i].source->version() != parts_[i].version) {
      prepare();
      return this->best(values);
    }
    const Answer* found = parts_[i].table->find(values);
    if (found != nullptr && (best == nullptr || found->match < best->match)) best = found;
  }
  return best != nullptr ? *best : no_answer_;
}

void KernelLookup::visit(std::span<const AxisValue> values, const std::function<bool(const Answer&)>& function) {
  best(values);  // reads what has changed
  // Databases one after the other for each quality of match.
  for (const Match match : {Match::exact, Match::nearest_problem, Match::same_architecture, Match::portfolio,
                            Match::space_default}) {
    for (const Part& part : parts_) {
      bool is_ended = false;
      part.table->visit(values, [&](const Answer& answer) {
        is_ended = answer.match == match && function(answer);
        return is_ended;
      });
      if (is_ended) return;
    }
  }
  if (no_answer_) function(no_answer_);
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
    auto source = WinnersSource::read(path, std::nullopt);
    if (!source) return source.error();
    sources.push_back(*std::move(source));
  }
  return Lookup(std::move(sources), std::move(settings));
}

Result<Lookup> Lookup::follow(const std::filesystem::path& path, std::chrono::milliseconds interval,
                              LookupSettings settings) {
  auto source = WinnersSource::read(path, interval);
  if (!source) return source.error();
  return Lookup({*std::move(source)}, std::move(settings));
}

DeviceIdentity Lookup::answered_as(const DeviceIdentity& device) const {
  const auto alias = settings_.aliases.find(device.name);
  if (alias == settings_.aliases.end()) return device;
  return {device.kind, alias->second, device.architecture, 0};
}

Answer Lookup::best(std::string_view kernel, const Problem& problem, const Question& question) const {
  std::vector<AxisValue> values;
  values.reserve(problem.size());
  for (const auto& [name, value] : problem) values.emplace_back(value);
  return prepare(kernel, {problem.names().begin(), problem.names().end()}, question).best(values);
}

KernelLookup Lookup::prepare(std::string_view kernel, std::vector<std::string> axes, const Question& question) const {
  std::vector<KernelLookup::Part> parts;
  for (const auto& source : sources_) parts.push_back({source, 0, nullptr});
  Question asked = question;
  asked.device = answered_as(question.device);
  return {std::move(parts), std::string(kernel), std::move(axes), std::move(asked)};
}

std::optional<std::string> Lookup::read_error() const {
  for (const auto& source : sources_) {
    if (auto error = source->read_error()) return error;
  }
  return std::nullopt;
}

}  // namespace gktune
