#pragma once

#include "tuner/core/device_info.h"
#include "tuner/device/worker/job.h"

namespace gktune {

// fields(archive, object) lists the members of a struct once, for reading and writing.

template <class A, Is<SparsePlan> S>
void fields(A& archive, S& plan) {
  archive("rows", plan.rows);
  archive("columns", plan.columns);
  archive("nonzeros", plan.nonzeros);
  archive("lengths", plan.lengths);
  archive("exponent", plan.exponent);
  archive("seed", plan.seed);
}

template <class A, Is<ContentsPlan> S>
void fields(A& archive, S& plan) {
  archive("kind", plan.kind);
  archive("is_computed", plan.is_computed);
  archive("a", plan.a);
  archive("b", plan.b);
  archive("a_integer", plan.a_integer);
  archive("b_integer", plan.b_integer);
  archive("seed", plan.seed);
  archive("file", plan.file);
  archive("array", plan.array);
  archive("width", plan.width);
  archive("sparse", plan.sparse);
}

template <class A, Is<TolerancePlan> S>
void fields(A& archive, S& plan) {
  archive("absolute", plan.absolute);
  archive("relative", plan.relative);
  archive("ulp", plan.ulp);
  archive("has_norm", plan.has_norm);
  archive("norm", plan.norm);
  archive("any_order", plan.any_order);
  archive("nan_equals", plan.nan_equals);
  archive("row", plan.row);
  archive("pitch", plan.pitch);
  archive("mask", plan.mask);
}

template <class A, Is<TensorMapPlan> S>
void fields(A& archive, S& plan) {
  archive("argument", plan.argument);
  archive("type", plan.type);
  archive("sizes", plan.sizes);
  archive("stride_bytes", plan.stride_bytes);
  archive("box", plan.box);
  archive("swizzle_bytes", plan.swizzle_bytes);
}

template <class A, Is<TexturePlan> S>
void fields(A& archive, S& plan) {
  archive("argument", plan.argument);
  archive("type", plan.type);
  archive("channels", plan.channels);
  archive("width", plan.width);
  archive("height", plan.height);
  archive("pitch_bytes", plan.pitch_bytes);
  archive("address", plan.address);
  archive("filter", plan.filter);
  archive("is_normalized", plan.is_normalized);
  archive("reads_fractions", plan.reads_fractions);
}

template <class A, Is<ArgumentPlan> S>
void fields(A& archive, S& plan) {
  archive("name", plan.name);
  archive("type", plan.type);
  archive("is_scalar", plan.is_scalar);
  archive("scalar", plan.scalar);
  archive("members", plan.members);
  archive("tensor_map", plan.tensor_map);
  archive("texture", plan.texture);
  archive("is_aligned", plan.is_aligned);
  archive("count", plan.count);
  archive("role", plan.role);
  archive("contents", plan.contents);
  archive("is_checked", plan.is_checked);
  archive("tolerance", plan.tolerance);
}

template <class A, Is<LaunchAttributes> S>
void fields(A& archive, S& attributes) {
  archive("cluster", attributes.cluster);
  archive("is_cooperative", attributes.is_cooperative);
  archive("is_programmatic", attributes.is_programmatic);
  archive("carveout_percent", attributes.carveout_percent);
}

template <class A, Is<VariablePlan> S>
void fields(A& archive, S& plan) {
  archive("argument", plan.argument);
  archive("entry", plan.entry);
}

template <class A, Is<StepPlan> S>
void fields(A& archive, S& plan) {
  archive("entry", plan.entry);
  archive("fill_argument", plan.fill_argument);
  archive("fill_byte", plan.fill_byte);
  archive("grid", plan.grid);
  archive("block", plan.block);
  archive("shared_bytes", plan.shared_bytes);
  archive("attributes", plan.attributes);
  archive("arguments", plan.arguments);
}

// Every field but the text.
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
  archive("setup_once", plan.setup_once);
  archive("setup_each", plan.setup_each);
  archive("values", plan.values);
  archive("variables", plan.variables);
}

template <class A, Is<Plan> S>
void fields(A& archive, S& plan) {
  archive("candidate", plan.candidate);
  archive("reference", plan.reference);
  archive("verifier", plan.verifier);
  archive("arguments", plan.arguments);
  archive("environment", plan.environment);
  archive("regime", plan.regime);
  archive("time_limit_s", plan.time_limit_s);
  archive("measures_power", plan.measures_power);
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
  archive("scratch_dir", job.scratch_dir);
  archive("instrumentation", job.instrumentation);
}

template <class A, Is<Cutoff> S>
void fields(A& archive, S& cutoff) {
  archive("leader_us", cutoff.leader.median_us);
  archive("leader_error", cutoff.leader.error);
  archive("deviation", cutoff.noise.deviation);
  archive("straggler_share", cutoff.noise.straggler_share);
}

template <class A, Is<RunJob> S>
void fields(A& archive, S& job) {
  archive("plan", job.plan);
  archive("candidate", job.candidate);
  archive("reference", job.reference);
  archive("verifier", job.verifier);
  archive("cutoff", job.cutoff);
  archive("check_only", job.check_only);
  archive("seed", job.seed);
  archive("instrumentation", job.instrumentation);
  archive("guards", job.guards);
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

template <class A, Is<RunReply> S>
void fields(A& archive, S& reply) {
  archive("status", reply.status);
  archive("message", reply.message);
  archive("samples_us", reply.samples_us);
  archive("timing", reply.timing);
  archive("resources", reply.resources);
  archive("conditions", reply.conditions);
  archive("is_dropped_early", reply.is_dropped_early);
  archive("seconds", reply.seconds);
  archive("printed", reply.printed);
  archive("worker_is_lost", reply.worker_is_lost);
  archive("is_unexplained", reply.is_unexplained);
}

// The last value of each enumeration; larger numbers are invalid.
constexpr DeviceQuestion last_of(DeviceQuestion) { return DeviceQuestion::count; }
constexpr Status last_of(Status) { return kLastStatus; }
constexpr Regime last_of(Regime) { return Regime::hot; }
constexpr Language last_of(Language) { return Language::host; }
constexpr ElementType last_of(ElementType) { return ElementType::complex128; }
constexpr TexturePlan::Address last_of(TexturePlan::Address) { return TexturePlan::Address::mirror; }
constexpr TexturePlan::Filter last_of(TexturePlan::Filter) { return TexturePlan::Filter::linear; }
constexpr ContentsKind last_of(ContentsKind) { return ContentsKind::csr_columns; }
constexpr RowLengths last_of(RowLengths) { return RowLengths::zipf; }
constexpr Argument::Role last_of(Argument::Role) { return Argument::Role::scratch; }
constexpr Instrumentation last_of(Instrumentation) { return Instrumentation::sanitize; }
constexpr Guards last_of(Guards) { return Guards::zones; }
constexpr Value::Kind last_of(Value::Kind) { return Value::Kind::text; }

}  // namespace gktune
