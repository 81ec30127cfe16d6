#include "tuner/device/worker/job_json.h"

#include <stdexcept>
#include <utility>

#include "tuner/device/worker/job_fields.h"
#include "tuner/device/worker/json_archive.h"

namespace gktune {
namespace {

std::string packed(const MessageJson& json) {
  std::string bytes;
  MessageJson::to_cbor(json, bytes);
  return bytes;
}

template <class Body>
auto unpacked(std::string_view bytes, Body&& body) -> Result<decltype(body(MessageJson()))> {
  try {
    return body(MessageJson::from_cbor(bytes));
  } catch (const std::exception& error) {  // thrown by the library
    return Error{std::string("bad message between processes: ") + error.what()};
  }
}

template <class T>
T member(const MessageJson& json, const char* name) {
  T value;
  JsonReader::read(json.at(name), value);
  return value;
}

template <class T>
Result<T> decoded(std::string_view bytes, const char* name) {
  return unpacked(bytes, [&](const MessageJson& json) { return member<T>(json, name); });
}

template <class T>
std::string encoded(const T& value, const char* name) {
  return packed({{name, JsonWriter::written(value)}});
}

CompileJob compile_job(const MessageJson& json) {
  auto job = member<CompileJob>(json, "compile");
  for (SourcePlan& variant : job.variants) json.at("text").get_to(variant.text);
  return job;
}

}  // namespace

std::string encode(DeviceQuestion question) { return encoded(question, "question"); }

std::string encode(const CompileJob& job) {
  return packed(
      {{"compile", JsonWriter::written(job)}, {"text", job.variants.empty() ? "" : job.variants[0].text}});
}

std::string encode(const RunJob& job) { return encoded(job, "run"); }
std::string encode(const PlayoffJob& job) { return encoded(job, "playoff"); }

Result<Request> decode_request(std::string_view bytes) {
  return unpacked(bytes, [](const MessageJson& json) -> Request {
    if (json.contains("run")) return member<RunJob>(json, "run");
    if (json.contains("compile")) return compile_job(json);
    if (json.contains("playoff")) return member<PlayoffJob>(json, "playoff");
    return member<DeviceQuestion>(json, "question");
  });
}

std::string encode(const DeviceInfo& info) { return encoded(info, "info"); }
std::string encode(int device_count) { return encoded(device_count, "devices"); }
std::string encode(const std::string& compiler) { return encoded(compiler, "compiler"); }
std::string encode(const std::vector<CompiledVariant>& variants) { return encoded(variants, "variants"); }
std::string encode(const RunReply& reply) { return encoded(reply, "reply"); }
std::string encode(const std::vector<Samples>& samples) { return encoded(samples, "samples"); }

Result<DeviceInfo> decode_device_info(std::string_view bytes) { return decoded<DeviceInfo>(bytes, "info"); }
Result<int> decode_device_count(std::string_view bytes) { return decoded<int>(bytes, "devices"); }
Result<std::string> decode_compiler(std::string_view bytes) {
  return decoded<std::string>(bytes, "compiler");
}
Result<std::vector<CompiledVariant>> decode_compiled_variants(std::string_view bytes) {
  return decoded<std::vector<CompiledVariant>>(bytes, "variants");
}
Result<RunReply> decode_run_reply(std::string_view bytes) { return decoded<RunReply>(bytes, "reply"); }
Result<std::vector<Samples>> decode_samples(std::string_view bytes) {
  return decoded<std::vector<Samples>>(bytes, "samples");
}

}  // namespace gktune
