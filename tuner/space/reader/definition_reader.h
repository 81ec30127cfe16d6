#pragma once

#include <map>
#include <string>
#include <vector>

#include "tuner/source/flat_source.h"
#include "tuner/source/kernel_code.h"
#include "tuner/space/definition.h"
#include "tuner/space/reader/error_list.h"
#include "tuner/space/reader/launches.h"
#include "tuner/space/reader/names.h"
#include "tuner/space/reader/problem_reader.h"
#include "tuner/space/space_file.h"

namespace gktune {

// Reads the keys of a space file.
class DefinitionReader {
 public:
  DefinitionReader(const std::string& path, const ReadOptions& options, const FileReader& files,
                   ErrorList& errors);
  // The result is complete only if there are no errors.
  Definition read(const YamlNode& root);
  // Reads the block of a candidate.
  Definition read_candidate(const YamlNode& root, std::string source, const Definition& space);

 private:
  void begin_candidate(const YamlNode& place, Language language, std::string source, const Definition& space);
  void add_arguments(std::vector<WrittenArgument> written);
  void finish(const Fields& fields);
  void read_source(const Fields& fields);
  void read_command(const Fields& fields);
  void read_sources(const YamlNode* parameters);
  void read_names(const Fields& fields);
  void read_values(const Fields& fields);
  void read_host(const YamlNode& node);
  void read_check(const YamlNode& node);
  void read_guesses(const YamlNode& node);
  void read_allowed_races(const YamlNode& node);
  void read_parameter(const YamlNode& node, Parameter& parameter);
  void read_constraints(const YamlNode& node);
  std::vector<Option> read_options(const YamlNode& node);
  void read_environment(const YamlNode& node);
  void read_kernel(const Fields& fields);
  std::vector<Launch> launches(const YamlNode* node, LaunchesOf whose);  // none for a missing node
  void read_setup(const YamlNode& node);
  // Reads the own source of a reference or verifier and the names that it declares.
  void read_own_source(const Fields& fields, const std::string& noun, PlainCode& code);
  void note_declarations(PlainCode& code, FlatSource source) const;
  void check_symbols(const FlatSource& source, const FlatSource& of_reference);
  void read_reference(const YamlNode& node);
  void read_default_reference(const YamlNode& node);
  void read_verifier(const YamlNode& node);
  // True if each reference computes this output.
  bool has_expected(const Argument& argument) const;
  void check_computed_inputs();
  void read_metrics(const Fields& fields);
  void read_objective(const YamlNode& node);
  // Changes only the values that the node sets.
  void read_search(const YamlNode& node, SearchLimits& search);
  void check_outputs();
  // The names of macros that parameters and axes define.
  std::vector<std::string> macros() const;
  NameSet mentioned_names() const;
  NameSet undefined_names(const FlatSource& source) const;
  // Warns about parameters that no source uses and about sources that redefine the macro of a parameter.
  void check_macros(const YamlNode& parameters, FlatSource source);
  std::string load(const YamlNode& node, std::string& path);

  std::string folder_;  // of the space file
  const ReadOptions& options_;
  const FileReader& files_;
  ErrorList& errors_;
  Names names_;
  ProblemReader problems_;
  std::vector<WrittenArgument> arguments_;
  std::map<std::string, std::string> used_definitions_;
  std::vector<std::string> command_;  // as written, and the texts of the files that it names
  Definition definition_;
};

}  // namespace gktune
