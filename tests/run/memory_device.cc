#include "tests/run/memory_device.h"

#include <algorithm>
#include <utility>

#include "tuner/measure/contents.h"

namespace gktune {
namespace {

std::span<std::byte> contents(const DeviceBuffer& buffer) {
  return {reinterpret_cast<std::byte*>(buffer.address()), buffer.bytes()};
}

class MemoryBuffer final : public DeviceBuffer {
 public:
  explicit MemoryBuffer(MemoryDevice& device)
      : device_(device), pattern_(static_cast<GuardPattern>(device.buffers.size())) {
    device_.buffers.push_back(this);
  }
  ~MemoryBuffer() override { std::erase(device_.buffers, this); }

  std::uintptr_t address() const override {
    return reinterpret_cast<std::uintptr_t>(memory_.data()) + kGuardBytes;
  }
  std::size_t bytes() const override { return bytes_; }

  Result<void, Failure> place(std::size_t bytes, Placement placement) override {
    if (memory_.size() < bytes + 2 * kGuardBytes) memory_.resize(bytes + 2 * kGuardBytes);
    bytes_ = bytes;
    fill_guards();
    if (is_placed_) device_.log.emplace_back(placement == Placement::at_end ? "place end" : "place start");
    is_placed_ = true;
    return {};
  }

  Result<std::optional<std::string>, Failure> take_violation() override {
    const auto after = guard_violation(back(), pattern_), before = guard_violation(front(), pattern_);
    fill_guards();
    if (after) return std::optional(std::to_string(*after) + " bytes past its end");
    if (before) return std::optional<std::string>("before its beginning");
    return std::optional<std::string>();
  }

 private:
  std::span<std::byte> front() { return {memory_.data(), kGuardBytes}; }
  std::span<std::byte> back() { return {memory_.data() + kGuardBytes + bytes_, kGuardBytes}; }
  void fill_guards() {
    fill_guard(front(), pattern_);
    fill_guard(back(), pattern_);
  }

  MemoryDevice& device_;
  GuardPattern pattern_;
  std::vector<std::byte> memory_;
  std::size_t bytes_ = 0;
  bool is_placed_ = false;
};

struct MemoryProgram final : LoadedProgram {
  MemoryProgram(std::string its_path, MemoryDevice::Code& its_code)
      : path(std::move(its_path)), code(its_code) {}
  Resources resources() const override {
    Resources resources;
    resources.registers = 7;
    return resources;
  }
  std::string path;
  MemoryDevice::Code& code;
};

class MemorySampler final : public Sampler {
 public:
  MemorySampler(MemoryDevice& device, std::span<const ArgumentMemory> arguments,
                std::shared_ptr<const LoadedProgram> program)
      : device_(device), arguments_(arguments), program_(std::move(program)) {
    device_.log.push_back("sampler " + this->program().path);
  }

  Result<void, Failure> warm_up() override {
    device_.log.push_back("warm up " + program().path);
    return device_.device_traits.times_second_check ? program().code.function(arguments_)
                                                    : Result<void, Failure>();
  }
  Result<double, Failure> sample_us() override {
    device_.log.push_back("sample " + program().path);
    for (const ArgumentMemory& argument : arguments_) {
      if (argument.original != nullptr) device_.copy(*argument.buffer, *argument.original);
    }
    if (auto done = program().code.function(arguments_); !done) return done.error();
    const std::vector<double>& times = program().code.times_us;
    return times[std::min(next_++, times.size() - 1)];
  }
  Result<std::optional<EnergyReading>, Failure> measure_energy(double median_us) override {
    device_.log.push_back("energy " + program().path);
    if (!device_.has_energy) return std::optional<EnergyReading>();
    return std::optional(EnergyReading{median_us * 1e-6, 1});
  }

 private:
  const MemoryProgram& program() const { return static_cast<const MemoryProgram&>(*program_); }

  MemoryDevice& device_;
  std::span<const ArgumentMemory> arguments_;
  std::shared_ptr<const LoadedProgram> program_;
  std::size_t next_ = 0;
};

class MemoryTimer final : public Timer {
 public:
  MemoryTimer(MemoryDevice& device, std::span<const ArgumentMemory> arguments)
      : device_(device), arguments_(arguments) {}
  std::unique_ptr<Sampler> sampler(std::shared_ptr<const LoadedProgram> program, Regime, double) override {
    return std::make_unique<MemorySampler>(device_, arguments_, std::move(program));
  }

 private:
  MemoryDevice& device_;
  std::span<const ArgumentMemory> arguments_;
};

}  // namespace

Result<std::unique_ptr<DeviceBuffer>, Failure> MemoryDevice::allocate(std::size_t bytes, Placement placement,
                                                                      Guards) {
  std::unique_ptr<DeviceBuffer> buffer = std::make_unique<MemoryBuffer>(*this);
  if (auto placed = buffer->place(bytes, placement); !placed) return placed.error();
  return buffer;
}

Result<std::shared_ptr<const LoadedProgram>, Failure> MemoryDevice::load(const Module& module,
                                                                         const ProgramPlan&,
                                                                         const std::vector<ArgumentPlan>&) {
  const auto code = codes.find(module.path);
  if (code == codes.end()) return Failure{Status::machine_failed, "no compiled module at " + module.path};
  return std::shared_ptr<const LoadedProgram>(std::make_shared<MemoryProgram>(module.path, code->second));
}

Result<std::unique_ptr<ApartProcess>, Failure> MemoryDevice::start_apart(const RunJob&) {
  struct Process final : ApartProcess {
    explicit Process(MemoryDevice& of) : device(of) {}
    Result<double, Failure> execute(ProblemBuffers& problem) override { return device.apart(problem); }
    MemoryDevice& device;
  };
  ++apart_processes;
  return std::unique_ptr<ApartProcess>(std::make_unique<Process>(*this));
}

Result<void, Failure> MemoryDevice::fill(DeviceBuffer& buffer, const ArgumentPlan& argument) {
  if (auto filled = fill_contents(argument.type, argument.contents, contents(buffer)); !filled) {
    return Failure{Status::invalid, filled.error().message};
  }
  return {};
}

void MemoryDevice::poison(DeviceBuffer& buffer, const DeviceBuffer* expected, std::byte mask) {
  gktune::poison(expected == nullptr ? std::span<std::byte>() : contents(*expected), mask, contents(buffer));
}

void MemoryDevice::copy(DeviceBuffer& to, const DeviceBuffer& from) {
  std::ranges::copy(contents(from), contents(to).begin());
}

Result<void, Failure> MemoryDevice::download(std::span<std::byte> to, const DeviceBuffer& from) {
  std::ranges::copy(contents(from).first(to.size()), to.begin());
  return {};
}

Result<std::uint64_t, Failure> MemoryDevice::digest(const DeviceBuffer& buffer) {
  std::uint64_t digest = 1;
  for (const std::byte byte : contents(buffer)) digest = digest * 257 + std::to_integer<std::uint64_t>(byte);
  return digest;
}

Result<std::vector<Verdict>, Failure> MemoryDevice::compare(std::span<const BufferPair> pairs) {
  return judge_here(pairs);
}

Result<std::optional<double>, Failure> MemoryDevice::run(const LoadedProgram& program,
                                                         std::span<const ArgumentMemory> arguments,
                                                         const LaunchOptions& options) {
  const auto& code = static_cast<const MemoryProgram&>(program);
  log.push_back("run " + code.path);
  launches.push_back(options);
  if (auto done = code.code.function(arguments); !done) return done.error();
  return code.code.execution_us;
}

Result<double, Failure> MemoryDevice::time_once(const std::shared_ptr<const LoadedProgram>& program,
                                                std::span<const ProblemMemory> problems, const OnceOptions&) {
  const auto& code = static_cast<const MemoryProgram&>(*program);
  log.push_back("time " + code.path);
  for (const ProblemMemory& problem : problems) {
    if (auto done = code.code.function(problem); !done) return done.error();
  }
  return code.code.times_us.front();
}

std::unique_ptr<Timer> MemoryDevice::timer(std::span<const ArgumentMemory> arguments) {
  return std::make_unique<MemoryTimer>(*this, arguments);
}

Conditions MemoryDevice::conditions() {
  Conditions conditions;
  if (!throttled.empty()) {
    conditions.throttled = throttled.front();
    throttled.erase(throttled.begin());
  }
  return conditions;
}

}  // namespace gktune
