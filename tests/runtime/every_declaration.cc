// Links if every function that the headers for C++ declare is in the library. With LOOKUP_ALONE without kernels.
#include <gktune/lookup.h>
#ifndef LOOKUP_ALONE
#include <gktune/kernel.h>
#endif

#include <cstdio>

using namespace gktune;

template <class Class>
void special_members() {
  Class (*move)(Class &&) = [](Class&& from) { return Class(std::move(from)); };
  Class& (*assign)(Class&, Class &&) = [](Class& to, Class&& from) -> Class& { return to = std::move(from); };
  std::printf("%p %p\n", reinterpret_cast<void*>(move), reinterpret_cast<void*>(assign));
}

template <class... Functions>
void use(Functions... functions) {
  (std::printf("%d ", functions != nullptr), ...);
}

int main() {
  special_members<Lookup>();
  special_members<KernelLookup>();
  use(&match_name, &cuda_device, &Answer::value, &Answer::integer, &Answer::real, &Answer::boolean, &Answer::text,
      &LookupSettings::answered_as, &element_size, &element_type_name, &element_type_from_name, &json_quote,
      &Value::str, &Value::json, &NamedValues::set, &NamedValues::find, &NamedValues::str, &NamedValues::json,
      &KernelLookup::visit, &Lookup::digest, &Lookup::read_error, &Lookup::follow,
      static_cast<std::span<const std::string_view> (*)(ElementType)>(&enum_names),
      static_cast<bool (*)(const NamedValues&, const NamedValues&)>(
          [](const NamedValues& a, const NamedValues& b) { return a == b; }),
      static_cast<const Answer& (KernelLookup::*)(std::span<const AxisValue>)>(&KernelLookup::best),
      static_cast<Result<Lookup> (*)(const std::filesystem::path&, LookupSettings)>(&Lookup::open),
      static_cast<Result<Lookup> (*)(std::span<const std::filesystem::path>, LookupSettings)>(&Lookup::open),
      static_cast<Answer (Lookup::*)(std::string_view, const Problem&, const Question&) const>(&Lookup::best),
      static_cast<KernelLookup (Lookup::*)(std::string_view, std::vector<std::string>, const Question&) const>(
          &Lookup::prepare));
  const NamedValues values{{"n", 1}};
  const KernelLookup none({}, "", {}, {});
#ifndef LOOKUP_ALONE
  special_members<Kernel>();
  use(&Kernel::open, &Kernel::open_bundled, &Kernel::axes,
      static_cast<Result<void> (Kernel::*)(std::span<const AxisValue>, std::span<const LaunchArgument>, void*)>(
          &Kernel::launch),
      static_cast<Result<Answer> (Kernel::*)(std::span<const AxisValue>)>(&Kernel::prepare),
      static_cast<Result<Answer> (Kernel::*)(std::span<const AxisValue>, std::span<const LaunchArgument>, double)>(
          &Kernel::autotune));
#endif
}
