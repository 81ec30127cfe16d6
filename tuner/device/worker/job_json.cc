#include "tuner/device/worker/job_json.h"

#include <array>
#include <concepts>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <type_traits>
#include <utility>

namespace gktune {
namespace {

using Json = nlohmann::json;

// Each struct names its members once, for both directions: fields(archive, object).

template <class S, class T>
concept Is = std::same_as<std::remove_const_t<S>, T>;

template <class A, Is<ContentsPlan> S>
void fields(A& archive, S& plan) {
  archive("kind", plan.kind);
  archive("a", plan.a);
  archive("b", plan.b);
  archive("a_integer", plan.a_integer);
  archive("b_integer", plan.b_integer);
  archive("seed", plan.seed);
  archive("file", plan.file);
}

template <class A, Is<TolerancePlan> S>
void fields(A& archive, S& plan) {
  archive("absolute", plan.absolute);
  archive("relative", plan.relative);
  archive("ulp", plan.ulp);
}

template <class A, Is<ArgumentPlan> S>
void fields(A& archive, S& plan) {
  archive("name", plan.name);
  archive("type", plan.type);
  archive("is_scalar", plan.is_scalar);
  archive("scalar", plan.scalar);
  archive("count", plan.count);
  archive("role", plan.role);
  archive("contents", plan.contents);
  archive("is_checked", plan.is_checked);
  archive("tolerance", plan.tolerance);
}

template <class A, Is<StepPlan> S>
void fields(A& archive, S& plan) {
  archive("entry", plan.entry);
  archive("fill_argument", plan.fill_argument);
  archive("fill_byte", plan.fill_byte);
  archive("grid", plan.grid);
  archive("block", plan.block);
  archive("shared_bytes", plan.shared_bytes);
  archive("arguments", plan.arguments);
}

// All of a source but its text.
template <class A, Is<SourcePlan> S>
void fields(A& archive, S& plan) {
  archive("language", plan.language);
  archive("path", plan.path);
  archive("include_dirs", plan.include_dirs);
  archive("options", plan.options);
  archive("macros", plan.macros);
  archive("entries", plan.entries);
}

template <class A, Is<ProgramPlan> S>
void fields(A& archive, S& plan) {
  archive("source", plan.source);
  archive("steps", plan.steps);
}

template <class A, Is<Plan> S>
void fields(A& archive, S& plan) {
  archive("candidate", plan.candidate);
  archive("reference", plan.reference);
  archive("arguments", plan.arguments);
  archive("environment", plan.environment);
  archive("regime", plan.regime);
  archive("time_limit_s", plan.time_limit_s);
}

template <class A, Is<Module> S>
void fields(A& archive, S& module) {
  archive("path", module.path);
  archive("symbols", module.symbols);
  archive("environment", module.environment);
}

template <class A, Is<CompileJob> S>
void fields(A& archive, S& job) {
  archive("variants", job.variants);
  archive("architecture", job.architecture);
  archive("cache_dir", job.cache_dir);
  archive("instrumentation", job.instrumentation);
}

template <class A, Is<RunJob> S>
void fields(A& archive, S& job) {
  archive("plan", job.plan);
  archive("candidate", job.candidate);
  archive("reference", job.reference);
  archive("cutoff_us", job.cutoff_us);
  archive("check_only", job.check_only);
  archive("instrumentation", job.instrumentation);
}

template <class A, Is<Rounds> S>
void fields(A& archive, S& rounds) {
  archive("count", rounds.count);
}

template <class A, Is<PlayoffJob> S>
void fields(A& archive, S& job) {
  archive("finalists", job.finalists);
  archive("rounds", job.rounds);
}

template <class A, Is<CompiledVariant> S>
void fields(A& archive, S& variant) {
  archive("status", variant.status);
  archive("log", variant.log);
  archive("module", variant.module);
  archive("seconds", variant.seconds);
  archive("from_cache", variant.from_cache);
}

template <class A, Is<Timing> S>
void fields(A& archive, S& timing) {
  archive("median_us", timing.median_us);
  archive("low_us", timing.low_us);
  archive("high_us", timing.high_us);
  archive("min_us", timing.min_us);
  archive("mean_us", timing.mean_us);
  archive("deviation_us", timing.deviation_us);
}

template <class A, Is<Resources> S>
void fields(A& archive, S& resources) {
  archive("registers", resources.registers);
  archive("spill_bytes", resources.spill_bytes);
  archive("static_shared_bytes", resources.static_shared_bytes);
  archive("dynamic_shared_bytes", resources.dynamic_shared_bytes);
  archive("occupancy", resources.occupancy);
  archive("grid", resources.grid);
  archive("block", resources.block);
}

template <class A, Is<Conditions> S>
void fields(A& archive, S& conditions) {
  archive("clock_mhz", conditions.clock_mhz);
  archive("temperature_c", conditions.temperature_c);
  archive("power_w", conditions.power_w);
  archive("energy_j", conditions.energy_j);
  archive("throttled", conditions.throttled);
}

template <class A, Is<RunReply> S>
void fields(A& archive, S& reply) {
  archive("status", reply.status);
  archive("message", reply.message);
  archive("samples_us", reply.samples_us);
  archive("timing", reply.timing);
  archive("resources", reply.resources);
  archive("conditions", reply.conditions);
  archive("out_of_race", reply.out_of_race);
  archive("seconds", reply.seconds);
  archive("worker_is_spent", reply.worker_is_spent);
}

template <class A, Is<DeviceInfo> S>
void fields(A& archive, S& info) {
  archive("kind", info.kind);
  archive("name", info.name);
  archive("architecture", info.architecture);
  archive("multiprocessors", info.multiprocessors);
  archive("warp_size", info.warp_size);
  archive("max_threads_per_block", info.max_threads_per_block);
  archive("max_block_x", info.max_block_x);
  archive("max_block_y", info.max_block_y);
  archive("max_block_z", info.max_block_z);
  archive("max_grid_x", info.max_grid_x);
  archive("max_grid_y", info.max_grid_y);
  archive("max_grid_z", info.max_grid_z);
  archive("max_threads_per_multiprocessor", info.max_threads_per_multiprocessor);
  archive("max_blocks_per_multiprocessor", info.max_blocks_per_multiprocessor);
  archive("shared_bytes_per_block", info.shared_bytes_per_block);
  archive("shared_bytes_per_block_optin", info.shared_bytes_per_block_optin);
  archive("shared_bytes_per_multiprocessor", info.shared_bytes_per_multiprocessor);
  archive("registers_per_block", info.registers_per_block);
  archive("registers_per_multiprocessor", info.registers_per_multiprocessor);
  archive("constant_bytes", info.constant_bytes);
  archive("l2_bytes", info.l2_bytes);
  archive("memory_bytes", info.memory_bytes);
  archive("clock_khz", info.clock_khz);
  archive("memory_clock_khz", info.memory_clock_khz);
  archive("memory_bus_bits", info.memory_bus_bits);
  archive("ecc", info.ecc);
  archive("mig", info.mig);
  archive("driver", info.driver);
  archive("runtime", info.runtime);
  archive("compiler", info.compiler);
}

// The last value of each enumeration: none that travels is past it.
constexpr Status last_of(Status) { return Status::timed_out; }
constexpr Regime last_of(Regime) { return Regime::hot; }
constexpr Language last_of(Language) { return Language::cpp; }
constexpr ElementType last_of(ElementType) { return ElementType::float64; }
constexpr ContentsKind last_of(ContentsKind) { return ContentsKind::file; }
constexpr Argument::Role last_of(Argument::Role) { return Argument::Role::scratch; }
constexpr Instrumentation last_of(Instrumentation) { return Instrumentation::sanitize; }
constexpr Value::Kind last_of(Value::Kind) { return Value::Kind::text; }

struct Writer {
  Json object = Json::object();

  template <class T>
  void operator()(const char* name, const T& member) {
    object[name] = written(member);
  }

  static Json written(const Value& value) {
    Json pair = Json::array({static_cast<int>(value.kind())});
    switch (value.kind()) {
      case Value::Kind::boolean:
        pair.push_back(value.boolean());
        break;
      case Value::Kind::integer:
        pair.push_back(value.integer());
        break;
      case Value::Kind::real:
        pair.push_back(value.real());
        break;
      case Value::Kind::text:
        pair.push_back(value.text());
        break;
    }
    return pair;
  }
  template <class T>
  static Json written(const std::vector<T>& items) {
    Json list = Json::array();
    for (const T& item : items) list.push_back(written(item));
    return list;
  }
  static Json written(const std::pair<std::string, std::string>& pair) {
    return Json::array({pair.first, pair.second});
  }
  template <class T>
  static Json written(const T& member) {
    if constexpr (std::is_enum_v<T>) {
      return static_cast<int>(member);
    } else if constexpr (requires { Json(member); }) {
      return Json(member);
    } else {
      Writer writer;
      fields(writer, member);
      return std::move(writer.object);
    }
  }
};

struct Reader {
  const Json& object;

  template <class T>
  void operator()(const char* name, T& member) {
    read(object.at(name), member);
  }

  static void read(const Json& json, Value& value) {
    Value::Kind kind{};
    read(json.at(0), kind);
    switch (kind) {
      case Value::Kind::boolean:
        value = json.at(1).get<bool>();
        break;
      case Value::Kind::integer:
        value = json.at(1).get<std::int64_t>();
        break;
      case Value::Kind::real:
        value = json.at(1).get<double>();
        break;
      case Value::Kind::text:
        value = json.at(1).get<std::string>();
        break;
    }
  }
  template <class T>
  static void read(const Json& json, std::vector<T>& items) {
    items.clear();
    for (const Json& item : json.get_ref<const Json::array_t&>()) read(item, items.emplace_back());
  }
  static void read(const Json& json, std::pair<std::string, std::string>& pair) {
    json.at(0).get_to(pair.first);
    json.at(1).get_to(pair.second);
  }
  template <class T>
  static void read(const Json& json, T& member) {
    if constexpr (std::is_enum_v<T>) {
      const int value = json.get<int>();
      if (value < 0 || value > static_cast<int>(last_of(T{}))) throw std::out_of_range("an unknown value");
      member = static_cast<T>(value);
    } else if constexpr (requires { json.get_to(member); }) {
      json.get_to(member);
    } else {
      Reader reader{json};
      fields(reader, member);
    }
  }
};

std::string packed(const Json& json) {
  std::string bytes;
  Json::to_cbor(json, bytes);
  return bytes;
}

template <class Body>
auto unpacked(std::string_view bytes, Body&& body) -> Result<decltype(body(Json()))> {
  try {
    return body(Json::from_cbor(bytes));
  } catch (const std::exception& error) {  // the library says so by throwing
    return Error{std::string("a message between processes makes no sense: ") + error.what()};
  }
}

template <class T>
T member(const Json& json, const char* name) {
  T value;
  Reader::read(json.at(name), value);
  return value;
}

template <class T>
Result<T> decoded(std::string_view bytes, const char* name) {
  return unpacked(bytes, [&](const Json& json) { return member<T>(json, name); });
}

template <class T>
std::string encoded(const T& value, const char* name) {
  return packed({{name, Writer::written(value)}});
}

constexpr std::pair<const char*, RequestKind> kRequests[] = {
    {"probe", RequestKind::probe},
    {"compile", RequestKind::compile},
    {"run", RequestKind::run},
    {"playoff", RequestKind::playoff},
};

}  // namespace

std::string encode_probe() { return packed({{"probe", nullptr}}); }

std::string encode(const CompileJob& job) {
  return packed(
      {{"compile", Writer::written(job)}, {"text", job.variants.empty() ? "" : job.variants[0].text}});
}

std::string encode(const RunJob& job) { return encoded(job, "run"); }
std::string encode(const PlayoffJob& job) { return encoded(job, "playoff"); }

Result<RequestKind> request_kind(std::string_view bytes) {
  return unpacked(bytes, [](const Json& json) {
    for (const auto& [name, kind] : kRequests) {
      if (json.contains(name)) return kind;
    }
    throw std::out_of_range("an unknown request");
  });
}

Result<CompileJob> decode_compile_job(std::string_view bytes) {
  return unpacked(bytes, [](const Json& json) {
    auto job = member<CompileJob>(json, "compile");
    for (SourcePlan& variant : job.variants) json.at("text").get_to(variant.text);
    return job;
  });
}

Result<RunJob> decode_run_job(std::string_view bytes) { return decoded<RunJob>(bytes, "run"); }
Result<PlayoffJob> decode_playoff_job(std::string_view bytes) {
  return decoded<PlayoffJob>(bytes, "playoff");
}

std::string encode(const DeviceInfo& info) { return encoded(info, "info"); }
std::string encode(const std::vector<CompiledVariant>& variants) { return encoded(variants, "variants"); }
std::string encode(const RunReply& reply) { return encoded(reply, "reply"); }
std::string encode(const std::vector<Samples>& samples) { return encoded(samples, "samples"); }

Result<DeviceInfo> decode_device_info(std::string_view bytes) { return decoded<DeviceInfo>(bytes, "info"); }
Result<std::vector<CompiledVariant>> decode_compiled_variants(std::string_view bytes) {
  return decoded<std::vector<CompiledVariant>>(bytes, "variants");
}
Result<RunReply> decode_run_reply(std::string_view bytes) { return decoded<RunReply>(bytes, "reply"); }
Result<std::vector<Samples>> decode_samples(std::string_view bytes) {
  return decoded<std::vector<Samples>>(bytes, "samples");
}

}  // namespace gktune
