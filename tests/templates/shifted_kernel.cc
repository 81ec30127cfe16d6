#include "shifted_kernel.h"

namespace gktune {
namespace {

// Wraps a kernel or a function whose parameters only the compiler knows.
constexpr const char* kWrapper = R"cpp(
  namespace gktune_shifted {
  template <class T>
  constexpr T shifted(T value) {
    return value;
  }
  template <class T>
  constexpr T* shifted(T* begin) {
    return begin + 1;
  }
  template <auto kEntry, class Function = decltype(kEntry)>
  struct Shifted;
  template <auto kEntry, class... P>
  struct Shifted<kEntry, void (*)(P...)> {
    static void run(P... arguments) { kEntry(shifted(arguments)...); }
  };
  }  // namespace gktune_shifted
)cpp";

Expression parsed(const std::string& text) { return Expression::parse(text).value(); }

void shift_entries(std::vector<Launch>& launches) {
  for (Launch& launch : launches) {
    shift_entries(launch.body);
    if (!launch.fill.empty() || launch.rounds) continue;
    Pattern& entry = launch.entry;
    entry.parts.insert(entry.parts.begin(), {"gktune_shifted::Shifted<", std::nullopt});
    entry.parts.push_back({">::run", std::nullopt});
    entry.text = "gktune_shifted::Shifted<" + entry.text + ">::run";
  }
}

void shift(std::vector<Launch>& launches, const std::vector<Argument>& arguments) {
  shift_entries(launches);
  // The elements before an output are compared too.
  for (const Argument& argument : arguments) {
    if (argument.role != Argument::Role::out) continue;
    Launch fill;
    fill.fill = argument.name;
    fill.fill_byte = parsed("0");
    launches.insert(launches.begin(), fill);
  }
}

}  // namespace

KernelDefinition shifted_kernel(KernelDefinition kernel) {
  for (Argument& argument : kernel.arguments) {
    if (argument.extent)
      argument.extent = parsed("extent + 1").inlined({{"extent", *argument.extent}}).value();
  }
  kernel.source_text += kWrapper;
  shift(kernel.launches, kernel.arguments);
  if (kernel.reference) {
    kernel.reference->text += kWrapper;
    shift(kernel.reference->launches, kernel.arguments);
  }
  return kernel;
}

}  // namespace gktune
