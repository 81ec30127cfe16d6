#include "tuner/repro/repro_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>

#include "tuner/core/embedded_file.h"
#include "tuner/measure/shared_headers.h"
#include "tuner/repro/argument_text.h"
#include "tuner/repro/enclosed_source.h"
#include "tuner/repro/stored_values.h"
#include "tuner/space/struct_layout.h"

namespace gktune {

// The texts of the files in parts/, in the order in which they need each other.
std::span<const EmbeddedFile> repro_parts();

namespace {

using Role = Argument::Role;

bool is_system_include(std::string_view line) { return line.starts_with("#include <"); }
bool is_own_include(std::string_view line) {
  return line.starts_with("#include \"") || line == "#pragma once";
}

template <class Function>
void for_each_line(std::string_view text, Function&& function) {
  while (!text.empty()) {
    const std::size_t feed = text.find('\n');
    function(text.substr(0, feed));
    text.remove_prefix(feed == std::string_view::npos ? text.size() : feed + 1);
  }
}

class Writer {
 public:
  Writer(const Plan& plan, const ReproFacts& facts)
      : plan_(plan),
        facts_(facts),
        is_host_code_(plan.candidate.source.language == Language::host),
        is_cuda_(is_host_code_ ? facts.is_for_gpu : plan.candidate.source.language == Language::cuda) {}

  std::string run() {
    add_comment();
    add_parts();
    add_arguments();
    add_program(plan_.candidate, "candidate");
    if (plan_.reference.has_steps()) add_program(plan_.reference, "reference");
    if (has_verifier()) add_program(plan_.verifier, "verifier");
    add_main();
    return std::move(text_);
  }

 private:
  template <class... Parts>
  void line(fmt::format_string<Parts...> format, Parts&&... parts) {
    text_ += fmt::format(format, std::forward<Parts>(parts)...) + '\n';
  }

  bool has_reference() const { return !plan_.reference.steps.empty(); }
  bool has_verifier() const { return plan_.verifier.has_steps(); }

  // The arguments that its steps can pass.
  std::vector<ArgumentPlan> arguments_of(const ProgramPlan& program) const {
    return &program == &plan_.verifier ? verifier_arguments(plan_.arguments) : plan_.arguments;
  }

  void add_comment() {
    line("// {}, on its own: its kernel, inputs, reference and check.", comment_text(facts_.title));
    line("//");
    std::size_t width = 0;
    for (const auto& [name, value] : facts_.facts) width = std::max(width, name.size());
    for (const auto& [name, value] : facts_.facts)
      line("//   {:<{}}  {}", comment_text(name), width, comment_text(value));
    line("//");
    std::string options = is_cuda_ && !names_an_architecture() ? " -arch=native" : "";
    for (const std::string& option : facts_.options) options += ' ' + comment_text(option);
    const std::string file = comment_text(facts_.file_name);
    if (is_cuda_) {
      line("// Compile and run, debug, look for writes outside and for races, profile:");
      line("//   nvcc -O3 -lineinfo{} {} -o repro && ./repro", options, file);
      line("//   nvcc -g -G{} {} -o repro && cuda-gdb --args ./repro 0", options, file);
      line("//   compute-sanitizer ./repro 0 && compute-sanitizer --tool racecheck ./repro 0");
      const std::string names = is_host_code_ ? "" : fmt::format(" -k regex:'{}'", kernel_names());
      line("//   ncu --set full{} ./repro 0", names);
    } else {
      std::string settings;
      for (const auto& [name, value] : plan_.environment)
        settings += fmt::format("{}={} ", comment_text(name), comment_text(value));
      line("// Compile and run, debug:");
      line("//   g++ -std=c++20 -O2{} -pthread {} -o repro && {}./repro", options, file, settings);
      line("//   g++ -std=c++20 -g{} -pthread {} -o repro && {}gdb --args ./repro 0", options, file,
           settings);
    }
    line(
        "// It exits with 0 where the output is right, with 1 where it is not. Its argument is how many "
        "timed runs follow");
    line("// the check, 20 if there is none.");
    line("");
  }

  bool names_an_architecture() const {
    return std::ranges::any_of(facts_.options, [](const std::string& option) {
      return option.starts_with("-arch") || option.starts_with("--gpu-architecture");
    });
  }

  // Regular expression by which ncu selects the candidate's kernels.
  std::string kernel_names() const {
    std::string names;
    for (const std::string& entry : plan_.candidate.source.entries) {
      if (entry.starts_with('&')) continue;
      std::string name = entry.substr(0, entry.find('<'));
      name = name.substr(name.rfind(':') + 1);
      names += (names.empty() ? "" : "|") + ("^" + name + "$");
    }
    return names;
  }

  // True if a step passes such a value.
  template <class IsSuch>
  bool passes_some(IsSuch is_such) const {
    const auto has_some = [&](const ProgramPlan& program) {
      return std::ranges::any_of(program.values, is_such);
    };
    return has_some(plan_.candidate) || has_some(plan_.reference) || has_some(plan_.verifier);
  }

  void add_parts() {
    std::vector<std::string_view> parts;
    const bool has_structures = std::ranges::any_of(plan_.arguments, [](const ArgumentPlan& argument) {
      return argument.contents.kind > ContentsKind::file;
    });
    for (const EmbeddedFile& header : shared_headers()) {
      if (has_structures || !header.path.ends_with("structures.h")) parts.push_back(header.text);
    }
    for (const EmbeddedFile& part : repro_parts()) {
      const bool is_for_gpu = part.path == "gpu.h", is_for_cpu = part.path == "cpu.h";
      const bool is_missing = (part.path == "tensor_map.h" && !passes_some(&ArgumentPlan::is_tensor_map)) ||
                              (part.path == "texture.h" && !passes_some(&ArgumentPlan::is_texture)) ||
                              (part.path == "host_code.h" && !is_host_code_);
      if (!is_missing && (is_cuda_ ? !is_for_cpu : !is_for_gpu)) parts.push_back(part.text);
    }
    std::set<std::string> includes;
    for (std::string_view part : parts) {
      for_each_line(part, [&](std::string_view each) {
        if (is_system_include(each)) includes.emplace(each);
      });
    }
    for (const std::string& include : includes) line("{}", include);
    line(
        "\n// ---- gktune's own: what inputs hold, when outputs are right "
        "-------------------------------------------");
    for (std::string_view part : parts) {
      bool was_blank = false;
      for_each_line(part, [&](std::string_view each) {
        if (is_system_include(each) || is_own_include(each)) return;
        if (!each.empty() || !was_blank) line("{}", each);
        was_blank = each.empty();
      });
    }
    line("");
  }

  void add_arguments() {
    line(
        "// ---- The problem "
        "---------------------------------------------------------------------------------------");
    line("\nstruct Arguments {{");
    for (const ArgumentPlan& argument : plan_.arguments) line("  {}", argument_member(argument));
    if (has_verifier())
      line("  gktune::Buffer<unsigned long long> {}{{\"{}\", 2}};", kVerdictName, kVerdictName);
    line("}};\n");
  }

  void add_program(const ProgramPlan& program, const std::string& name) {
    line("// ---- The {} {}\n", name, std::string(110 - 14 - name.size(), '-'));
    text_ += enclosed_source(program.source, name);
    line("\nnamespace {} {{", name);
    add_function("prepare", [&] {
      for (const VariablePlan& variable : program.variables) {
        const ArgumentPlan& argument = argument_of(variable);
        line("  ::gktune::store_variable({}, arguments.{}.data(), {});", variable.entry.substr(1),
             argument.name, argument.count * element_size(argument.type));
      }
      for (const auto* steps : {&program.setup_once, &program.setup_each}) {
        for (const StepPlan& step : *steps) add_step(step, program);
      }
    });
    add_function("execute_steps", [&] {
      for (const StepPlan& step : program.steps) add_step(step, program);
    });
    add_function("finish", [&] {
      for (const VariablePlan& variable : program.variables) {
        const ArgumentPlan& argument = argument_of(variable);
        if (argument.role == Role::in) continue;
        line("  ::gktune::load_variable(arguments.{}.data(), {}, {});", argument.name,
             variable.entry.substr(1), argument.count * element_size(argument.type));
      }
    });
    line("}}  // namespace {}\n", name);
  }

  template <class Body>
  void add_function(const std::string& name, Body&& body) {
    const std::size_t before = text_.size();
    line("void {}([[maybe_unused]] ::Arguments& arguments) {{", name);
    const std::size_t empty = text_.size();
    body();
    if (text_.size() > empty) {
      line("}}");
      return;
    }
    text_.resize(before);
    line("void {}(::Arguments&) {{}}", name);
  }

  const ArgumentPlan& argument_of(const VariablePlan& variable) const {
    return plan_.arguments[static_cast<std::size_t>(variable.argument)];
  }

  void add_step(const StepPlan& step, const ProgramPlan& program) {
    if (step.entry.empty()) {
      line("  arguments.{}.fill({});", plan_.arguments[static_cast<std::size_t>(step.fill_argument)].name,
           step.fill_byte);
      return;
    }
    std::string call = fmt::format("  ::gktune::{}({}", is_host_code_ ? "call" : "launch", step.entry);
    if (is_cuda_ && !is_host_code_) {
      const LaunchAttributes& attributes = step.attributes;
      const bool is_plain = attributes == LaunchAttributes();
      call += is_plain ? std::string(", {}")
                       : fmt::format(", {{dim3({}, {}, {}), {}, {}, {}}}", attributes.cluster[0],
                                     attributes.cluster[1], attributes.cluster[2], attributes.is_cooperative,
                                     attributes.is_programmatic, attributes.carveout_percent);
      call += fmt::format(", dim3({}, {}, {}), dim3({}, {}, {}), {}", step.grid[0], step.grid[1],
                          step.grid[2], step.block[0], step.block[1], step.block[2], step.shared_bytes);
    }
    for (const int index : step.arguments) call += ", " + passed_value(index, program);
    line("{});", call);
  }

  // An argument, what is expected of one, or the verdict: see verifier_arguments().
  std::string argument_value(std::size_t index) const {
    const std::size_t count = plan_.arguments.size();
    if (index == verdict_index(count)) return fmt::format("arguments.{}.data()", kVerdictName);
    const ArgumentPlan& argument = plan_.arguments[index % count];
    if (argument.is_scalar) return "arguments." + argument.name;
    return fmt::format("arguments.{}.{}()", argument.name, index < count ? "data" : "expected_data");
  }

  std::string passed_value(int index, const ProgramPlan& program) const {
    const std::vector<ArgumentPlan> arguments = arguments_of(program);
    const ArgumentPlan& argument = passed_argument(arguments, program, index);
    if (static_cast<std::size_t>(index) < arguments.size())
      return argument_value(static_cast<std::size_t>(index));
    if (argument.is_tensor_map())
      return tensor_map_value(argument,
                              argument_value(static_cast<std::size_t>(argument.tensor_map.argument)));
    if (argument.is_texture())
      return texture_value(argument, argument_value(static_cast<std::size_t>(argument.texture.argument)));
    if (argument.members.empty()) return scalar_value(argument);
    const StructLayout layout = layout_of(arguments, program, index);
    std::string text = fmt::format("::gktune::Struct<{}>()", layout.bytes);
    for (const StructLayout::Part& part : layout.parts) {
      const ArgumentPlan& member = passed_argument(arguments, program, part.index);
      const std::string type = member.is_scalar ? member_type(member) : "void*";
      text += fmt::format(".with<{}>({}, {})", type, part.offset, passed_value(part.index, program));
    }
    return text;
  }

  void add_main() {
    line(
        "// ---- What the tuner does "
        "-------------------------------------------------------------------------------");
    line("\nint main(int argc, char** argv) {{");
    line("  const int runs = argc > 1 ? std::atoi(argv[1]) : 20;");
    line("  Arguments arguments;");
    for (const ArgumentPlan& argument : plan_.arguments) {
      if (const std::string contents = argument_contents(argument); !contents.empty())
        line("  arguments.{}", contents);
    }
    if (plan_.reference.has_steps()) {
      line("\n  // The {}.", has_reference() ? "expected results" : "computed inputs");
      add_run("reference");
      for (const ArgumentPlan& argument : plan_.arguments) {
        if (argument.contents.is_computed) line("  arguments.{}.keep();", argument.name);
      }
      for (std::size_t i = 0; i < plan_.arguments.size(); ++i) {
        if (needs_expected(i)) line("  arguments.{}.expect();", plan_.arguments[i].name);
      }
    }
    line("\n  // The results of the configuration.");
    add_restoring("  ");
    add_run("candidate");
    line("  bool is_right = true;");
    for (const ArgumentPlan& argument : plan_.arguments) {
      if (argument.is_scalar || argument.role != Role::in) continue;
      line("  is_right = arguments.{}.is_unchanged() && is_right;", argument.name);
    }
    if (has_reference()) {
      for_each_checked([&](const ArgumentPlan& argument) {
        const int mask = argument.tolerance.mask;
        const std::string masked =
            mask < 0 ? ""
                     : ", arguments." + plan_.arguments[static_cast<std::size_t>(mask)].name + ".bytes()";
        line("  is_right = arguments.{}.judge({}{}) && is_right;", argument.name, argument_rules(argument),
             masked);
      });
    }
    if (has_verifier()) {
      line("\n  // No wrong element, and an index beyond all of them.");
      line("  arguments.{}.generate([](unsigned long long i) {{ return 0 - i; }});", kVerdictName);
      line("  verifier::execute_steps(arguments);");
      line("  gktune::wait(\"the verifier\");");
      line("  is_right = arguments.{}.is_clean() && is_right;", kVerdictName);
    }
    line("  std::printf(\"%s\\n\", is_right ? \"{}\" : \"wrong\");",
         has_reference() || has_verifier() ? "right" : "it ran: there is no reference to compare with");
    line("\n  const auto prepare = [&] {{");
    add_restoring("    ");
    line("    candidate::prepare(arguments);");
    line("  }};");
    line("  gktune::print_times(runs, prepare, [&] {{ candidate::execute_steps(arguments); }});");
    line("  return is_right ? 0 : 1;");
    line("}}");
  }

  void add_run(const std::string& name) {
    for (const ArgumentPlan& argument : plan_.arguments) {
      const bool is_output = argument.role == Role::out || argument.role == Role::scratch;
      if (!argument.is_scalar && is_output) line("  arguments.{}.poison();", argument.name);
    }
    line("  {}::prepare(arguments);", name);
    line("  {}::execute_steps(arguments);", name);
    line("  {}::finish(arguments);", name);
    line("  gktune::wait(\"the {}\");", name);
  }

  void add_restoring(std::string_view indent) {
    for (const ArgumentPlan& argument : plan_.arguments) {
      if (!argument.is_scalar && argument.role == Role::inout)
        line("{}arguments.{}.restore();", indent, argument.name);
    }
  }

  bool needs_expected(std::size_t index) const {
    const std::size_t count = plan_.arguments.size();
    return has_reference() &&
           (plan_.arguments[index].is_checked ||
            takes(plan_.verifier, static_cast<int>(expected_index(index, count)), verdict_index(count) + 1));
  }

  template <class Function>
  void for_each_checked(Function&& function) {
    for (const ArgumentPlan& argument : plan_.arguments) {
      if (argument.is_checked) function(argument);
    }
  }

  const Plan& plan_;
  const ReproFacts& facts_;
  const bool is_host_code_, is_cuda_;
  std::string text_;
};

}  // namespace

std::string repro_source(const Plan& plan, const ReproFacts& facts) { return Writer(plan, facts).run(); }

}  // namespace gktune
