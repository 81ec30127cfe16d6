#include "tuner/device/worker/job.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "tuner/core/fields_json.h"

namespace gktune {
namespace {

using Json = nlohmann::json;

template <class Read>
auto decoded(std::string_view bytes, const Read& read) -> Result<decltype(read(Json()))> {
  try {
    return read(Json::from_cbor(bytes));
  } catch (const std::exception& error) {  // thrown by the library
    return Error{std::string("bad message between processes: ") + error.what()};
  }
}

Json request_json(DeviceQuestion question) { return {{"question", written<Json>(question)}}; }
Json request_json(const RunJob& job) { return {{"run", written<Json>(job)}}; }
Json request_json(const PlayoffJob& job) { return {{"playoff", written<Json>(job)}}; }
Json request_json(const CompileJob& job) {
  return {{"compile", written<Json>(job)}, {"text", job.variants.empty() ? "" : job.variants[0].text}};
}

CompileJob compile_job(const Json& json) {
  auto job = read_as<CompileJob>(json.at("compile"));
  for (SourcePlan& variant : job.variants) json.at("text").get_to(variant.text);
  return job;
}

}  // namespace

ProgramPlan launched_as(const Module& module, ProgramPlan program) {
  if (module.launches.empty()) return program;
  const std::vector<std::string>& entries = program.source.entries;
  for (std::vector<StepPlan>* steps : {&program.steps, &program.setup_once, &program.setup_each}) {
    for (StepPlan& step : *steps) {
      const auto place = static_cast<std::size_t>(std::ranges::find(entries, step.entry) - entries.begin());
      if (place >= module.launches.size()) continue;
      const EntryLaunch& launch = module.launches[place];
      if (launch.arguments) step.arguments = *launch.arguments;
      if (launch.block) step.block = *launch.block;
      if (launch.shared_bytes) step.shared_bytes = *launch.shared_bytes;
    }
  }
  return program;
}

template <class Message>
std::string encode(const Message& message) {
  std::string bytes;
  if constexpr (requires { request_json(message); }) {
    Json::to_cbor(request_json(message), bytes);
  } else {
    Json::to_cbor(written<Json>(message), bytes);
  }
  return bytes;
}

template <class Answer>
Result<Answer> decode(std::string_view bytes) {
  return decoded(bytes, [](const Json& json) { return read_as<Answer>(json); });
}

Result<Request> decode_request(std::string_view bytes) {
  return decoded(bytes, [](const Json& json) -> Request {
    if (json.contains("run")) return read_as<RunJob>(json.at("run"));
    if (json.contains("compile")) return compile_job(json);
    if (json.contains("playoff")) return read_as<PlayoffJob>(json.at("playoff"));
    return read_as<DeviceQuestion>(json.at("question"));
  });
}

template std::string encode(const DeviceQuestion&);
template std::string encode(const CompileJob&);
template std::string encode(const RunJob&);
template std::string encode(const PlayoffJob&);

template std::string encode(const DeviceInfo&);
template std::string encode(const int&);
template std::string encode(const std::string&);
template std::string encode(const RunReply&);
template std::string encode(const std::vector<RunReply>&);
template std::string encode(const std::vector<CompiledVariant>&);
template std::string encode(const std::vector<Samples>&);
template Result<DeviceInfo> decode(std::string_view);
template Result<int> decode(std::string_view);
template Result<std::string> decode(std::string_view);
template Result<RunReply> decode(std::string_view);
template Result<std::vector<RunReply>> decode(std::string_view);
template Result<std::vector<CompiledVariant>> decode(std::string_view);
template Result<std::vector<Samples>> decode(std::string_view);

}  // namespace gktune
