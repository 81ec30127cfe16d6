#include "runtime/bundle/bundle.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <set>
#include <utility>

#include "db/portfolio/portfolio_json.h"
#include "runtime/bundle/bundle_format.h"
#include "runtime/bundle/definition_json.h"
#include "tuner/core/spelling.h"
#include "tuner/core/system_error.h"
#include "tuner/core/text.h"
#include "tuner/space/content_key.h"

namespace gktune {
namespace {

std::uint64_t number_at(std::string_view bytes, std::size_t place) {
  std::uint64_t number = 0;
  for (std::size_t i = 8; i-- > 0;) number = number << 8 | static_cast<unsigned char>(bytes[place + i]);
  return number;
}

// Machine code of sm_86 runs on sm_89. That of sm_90 and later may use features of one architecture alone.
bool runs_on(std::string_view code, std::string_view device) {
  if (code == device) return true;
  if (code.size() != 5 || device.size() != 5 || !code.starts_with("sm_") || !device.starts_with("sm_"))
    return false;
  return code[3] == device[3] && code[3] < '9' && code[4] <= device[4];
}

DeviceIdentity identity_from(const SortedJson& json) {
  return {json.at("kind").get<std::string>(), json.at("name").get<std::string>(),
          json.at("architecture").get<std::string>(), json.at("multiprocessors").get<std::int64_t>()};
}

std::shared_ptr<const SessionEnvironment> environment_from(const SortedJson& json) {
  SessionEnvironment environment;
  environment.driver = json.at("driver").get<std::string>();
  environment.runtime = json.at("runtime").get<std::string>();
  environment.compiler = json.value("compiler", "");
  return std::make_shared<const SessionEnvironment>(std::move(environment));
}

Winner winner_from(const SortedJson& json, const std::string& kernel, const std::string& fingerprint,
                   const std::vector<std::pair<DeviceIdentity, NamedValues>>& devices) {
  Winner winner;
  winner.study.kernel = kernel;
  winner.study.fingerprint = fingerprint;
  winner.study.device = devices.at(json.at("device").get<std::size_t>()).first;
  winner.study.problem = values_from(json.at("problem"));
  const auto regime = regime_from_name(json.at("regime").get<std::string>());
  if (!regime) throw std::runtime_error("an unknown regime");
  winner.study.regime = *regime;
  winner.study.objective = json.at("objective").get<std::string>();
  winner.config = values_from(json.at("config"));
  winner.time_us = json.at("time_us").get<double>();
  winner.environment = environment_from(json);
  if (json.contains("latest")) winner.latest = environment_from(json.at("latest"));
  return winner;
}

Portfolio portfolio_from(const SortedJson& json, const std::string& kernel, const std::string& fingerprint,
                         const std::vector<std::pair<DeviceIdentity, NamedValues>>& devices) {
  Portfolio portfolio;
  portfolio.kernel = kernel;
  portfolio.fingerprint = fingerprint;
  portfolio.device = devices.at(json.at("device").get<std::size_t>()).first;
  const auto regime = regime_from_name(json.at("regime").get<std::string>());
  if (!regime) throw std::runtime_error("an unknown regime");
  portfolio.regime = *regime;
  portfolio.objective = json.at("objective").get<std::string>();
  read_body(json.at("body"), portfolio);
  return portfolio;
}

}  // namespace

std::string variant_key(const SourcePlan& source) {
  std::string parts;
  const auto add = [&parts](const std::string& text) { parts += std::to_string(text.size()) + ':' + text; };
  for (const auto& [name, value] : source.macros) add(name), add(value);
  parts += '\n';
  for (const std::string& option : source.options) add(option);
  parts += '\n';
  for (const std::string& entry : source.entries) add(entry);
  return content_key(parts);
}

struct Bundle::Code {
  std::string architecture, cpu, key;  // cpu: the only one that runs it; empty: any
  BundledCode code;

  bool serves(const DeviceInfo& device) const {
    return runs_on(architecture, device.architecture) && (cpu.empty() || cpu == device.name);
  }
};

// A kernel for one kind of device.
struct Bundle::Kernel {
  std::string kind;
  Definition definition;
  KernelVersion version;
  std::vector<std::pair<DeviceIdentity, NamedValues>> devices;
  std::vector<Code> codes;
};

Bundle::Bundle(std::filesystem::path path, std::string_view bytes) : path_(std::move(path)), bytes_(bytes) {}

Bundle::~Bundle() { ::munmap(const_cast<char*>(bytes_.data()), bytes_.size()); }

Result<std::shared_ptr<const Bundle>> Bundle::open(const std::filesystem::path& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return Error{path.string() + ": cannot be opened: " + system_reason(errno)};
  struct stat status {};
  void* mapping = MAP_FAILED;
  const bool is_file = ::fstat(file, &status) == 0 && S_ISREG(status.st_mode);
  const auto size = static_cast<std::size_t>(status.st_size);
  if (is_file && size >= kCodePlace) mapping = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file, 0);
  ::close(file);
  if (mapping == MAP_FAILED) return Error{path.string() + ": not a bundle of gktune"};
  const std::shared_ptr<Bundle> bundle(new Bundle(path, {static_cast<const char*>(mapping), size}));
  if (auto read = bundle->read(); !read) return Error{path.string() + ": " + read.error().message};
  return std::shared_ptr<const Bundle>(bundle);
}

Result<void> Bundle::read() {
  if (!bytes_.starts_with(kBundleMagic.substr(0, kBundleMagicStem))) return Error{"not a bundle of gktune"};
  if (!bytes_.starts_with(kBundleMagic))
    return Error{"a bundle of another format; this version reads format 1"};
  if (content_key(bytes_.substr(kDigestedFrom)) != bytes_.substr(kDigestPlace, kDigestSize)) {
    return Error{"the bundle is damaged: its digest differs"};
  }
  const std::uint64_t index_place = number_at(bytes_, kDigestedFrom),
                      index_size = number_at(bytes_, kDigestedFrom + 8);
  if (index_place > bytes_.size() || index_size > bytes_.size() - index_place)
    return Error{"the bundle has no index"};
  try {
    const std::string_view text = bytes_.substr(index_place, index_size);
    const SortedJson index = SortedJson::from_cbor(text.begin(), text.end());
    for (const SortedJson& each : index.at("kernels")) {
      Kernel& kernel = kernels_.emplace_back();
      kernel.kind = each.at("kind").get<std::string>();
      kernel.definition = definition_from(each.at("definition"));
      const std::string &name = kernel.definition.kernel.name, &fingerprint = kernel.definition.fingerprint;
      for (const SortedJson& device : each.at("devices")) {
        kernel.devices.emplace_back(identity_from(device), values_from(device.at("attributes")));
      }
      for (const SortedJson& winner : each.at("winners")) {
        kernel.version.winners.push_back(winner_from(winner, name, fingerprint, kernel.devices));
      }
      for (const SortedJson& portfolio : each.at("portfolios")) {
        kernel.version.portfolios.push_back(portfolio_from(portfolio, name, fingerprint, kernel.devices));
      }
      KernelSpace& space = kernel.version.space;
      space.matching = values_from(each.at("matching"));
      space.constraints = each.at("constraints").get<std::vector<std::string>>();
      space.default_config = kernel.definition.kernel.default_values;
      for (const SortedJson& code : each.at("code")) {
        const auto place = code.at("place").get<std::uint64_t>(), size = code.at("size").get<std::uint64_t>();
        if (place > bytes_.size() || size > bytes_.size() - place)
          return Error{"the bundle ends within its code"};
        kernel.codes.push_back(
            {code.at("architecture").get<std::string>(),
             code.at("cpu").get<std::string>(),
             code.at("key").get<std::string>(),
             {bytes_.substr(place, size), code.at("symbols").get<std::vector<std::string>>()}});
      }
    }
  } catch (const std::exception& error) {
    return Error{std::string("the bundle's index cannot be read: ") + error.what()};
  }
  return {};
}

std::vector<std::string> Bundle::kernels() const {
  std::vector<std::string> names;
  for (const Kernel& kernel : kernels_) {
    const std::string& name = kernel.definition.kernel.name;
    if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  }
  return names;
}

KernelWinners Bundle::of(std::string_view name) const {
  KernelWinners found;
  found.kernel = name;
  found.known_kernels = kernels();
  for (const Kernel& kernel : kernels_) {
    if (kernel.definition.kernel.name != name || kernel.version.winners.empty()) continue;
    found.versions.push_back(kernel.version);
    found.devices.insert(found.devices.end(), kernel.devices.begin(), kernel.devices.end());
  }
  return found;
}

Result<Definition> Bundle::definition(std::string_view name, const DeviceInfo& device) const {
  std::set<std::string> served;
  for (const Kernel& kernel : kernels_) {
    if (kernel.definition.kernel.name != name) continue;
    for (const Code& code : kernel.codes) {
      if (kernel.kind == device.kind && code.serves(device)) return kernel.definition;
      served.insert(code.architecture + (code.cpu.empty() ? "" : " (" + code.cpu + ")"));
    }
  }
  if (served.empty()) {
    const std::string text(name);
    return Error{path_.string() + ": the bundle has no kernel '" + text + "'" +
                 did_you_mean(text, kernels())};
  }
  return Error{path_.string() + ": the bundle has code of " + std::string(name) + " for " + joined(served) +
               ", and none for " + device.architecture + " (" + device.name + ")"};
}

std::optional<BundledCode> Bundle::code(std::string_view name, std::string_view fingerprint,
                                        const SourcePlan& source, const DeviceInfo& device) const {
  const std::string key = variant_key(source);
  const Code* found = nullptr;
  for (const Kernel& kernel : kernels_) {
    if (kernel.definition.kernel.name != name || kernel.kind != device.kind ||
        kernel.definition.fingerprint != fingerprint) {
      continue;
    }
    for (const Code& code : kernel.codes) {
      if (code.key != key || !code.serves(device)) continue;
      if (found == nullptr || code.architecture == device.architecture) found = &code;
    }
  }
  if (found == nullptr) return std::nullopt;
  return found->code;
}

}  // namespace gktune
