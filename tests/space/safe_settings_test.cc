#include "tuner/space/safe_settings.h"

#include <gtest/gtest.h>

#include <iterator>
#include <sstream>
#include <string>
#include <vector>

#include "reduce_example.h"
#include "tests/expectations.h"
#include "tuner/space/plan.h"

namespace gktune {
namespace {

std::vector<std::string> words_in(const std::string& text) {
  std::istringstream words(text);
  return {std::istream_iterator<std::string>(words), {}};
}

TEST(safe_option, changes_only_the_code) {
  std::vector<std::string> options = words_in(R"(
-O3 -Ofast -ffast-math -fno-math-errno -funroll-loops -fopenmp -fopenmp=libomp -march=native -mavx2
-mtune=skylake-avx512 -mprefer-vector-width=512 -std=c++20 -std=gnu++2b -DN=4 -DX -UX -Iinclude
-I../shared/include -isystem/usr/include/eigen3 -Wall -Wno-unused-variable -Werror=return-type -g
-gdwarf-4 --param=max-unroll-times=4 -pthread -lm -fvect-cost-model=unlimited
-fsanitize=address,undefined -flto=auto -fno-tree-vectorize --use_fast_math -use_fast_math
--maxrregcount=32 -maxrregcount=64 --fmad=false --std=c++17 --ptxas-options=-O3
--ptxas-options=--allow-expensive-optimizations=true -lineinfo --extra-device-vectorization
--define-macro=N=4 --include-path=include -ftz=true --expt-relaxed-constexpr -expt-relaxed-constexpr
--extended-lambda -Xcompiler=-fopenmp --compiler-options=-march=native)");
  options.push_back("-DTYPE=unsigned long");
  for (const std::string& option : options) EXPECT_TRUE(is_safe_option(option)) << option;
}

TEST(safe_option, does_not_run_load_read_or_write_another_file) {
  std::vector<std::string> options = words_in(R"(
-fplugin=./evil.so -fplugin-arg-evil-x=1 -fpass-plugin=evil.so -wrapper -MF -MF/tmp/x -MD -MMD -B -B.
-B/tmp/evil -specs=evil.specs --specs=evil @file -o -o/tmp/x -include -include/etc/passwd -imacros -x -c
-S -E -save-temps -save-temps=cwd -dumpdir -aux-info -Wl,-rpath,/tmp -Wl,-o,/tmp/x -Wa,-o/tmp/x
-Wp,-MF,/tmp/x -Xlinker -Xassembler -Xpreprocessor -Xclang -mllvm -mllvm=-load --ptxas-options=-ox
-Xptxas=-v,-o,x -Xcompiler=-fplugin=evil -Xcompiler=-march=native,-fplugin=evil
-Xcompiler=-Xcompiler=-O3 -Xcompiler -ccbin=evil --compiler-bindir=evil --options-file=x -optf=x -keep
-fuse-ld=/tmp/evil -fuse-ld=gold -fprofile-generate=/tmp -fprofile-use=x -fprofile-arcs -ftest-coverage
-fdump-tree-all -fdump-tree-all=/tmp/x -fstack-usage -fcallgraph-info -fsave-optimization-record
-fopt-info-vec=/tmp/x -ftime-trace=/tmp/x -fsanitize-ignorelist=/tmp/x -fsanitize-blacklist=/tmp/x
-fcrash-diagnostics-dir=/tmp -fmodules -fmodule-file=x -L/tmp -l:evil.so -l/tmp/evil -T -Tevil.ld -z
-nostdlib -static evil.so /tmp/evil.o - -I -D -isystem -I- --include-path= --pre-include=x -include=x
--time=/tmp/x -time=/tmp/x --fdevice-time-trace=/tmp/x --create-pch=x --use-pch=x --pch-dir=/tmp
--ptxas-options=-o/tmp/x --config=evil.cfg --gcc-toolchain=/tmp --sysroot=/tmp -isysroot/tmp -Wno-x/../y
-fveclib=/tmp/x -foffload=x)");
  options.insert(options.end(), {"-wrapper sh,-c", "", "-march=native\n-fplugin=x", "-O3 -fplugin=x"});
  for (const std::string& option : options) EXPECT_FALSE(is_safe_option(option)) << option;
}

TEST(environment_variable, is_recognised_if_it_changes_what_is_loaded) {
  for (const char* name :
       {"LD_PRELOAD", "LD_LIBRARY_PATH", "LD_AUDIT", "GCC_EXEC_PREFIX", "COMPILER_PATH", "PATH",
        "OMP_TOOL_LIBRARIES", "CUDA_INJECTION64_PATH", "GLIBC_TUNABLES", "GCONV_PATH"}) {
    EXPECT_TRUE(changes_loader(name)) << name;
  }
  for (const char* name : {"OMP_NUM_THREADS", "OMP_PROC_BIND", "OMP_SCHEDULE", "KMP_AFFINITY",
                           "GOMP_SPINCOUNT", "MKL_NUM_THREADS", "MY_LD_PATH", "MALLOC_ARENA_MAX"}) {
    EXPECT_FALSE(changes_loader(name)) << name;
  }
}

Result<Definition, std::vector<Diagnostic>> read(const std::string& more,
                                                 UnsafeOptions unsafe = UnsafeOptions::refused) {
  auto files = kReduceFiles;
  files["f.cc"] = "extern \"C\" void f(int* out) {}\n";
  return read_space_text(
      "kernel: f\nlanguage: c++\nsource: f.cc\nparameters: {level: [1, 2], tool: [\"plugin=x\"]}\n"
      "arguments: {out: {type: int32, extent: 4, role: out}}\n"
      "launches: {entry: f, arguments: [out]}\n" +
          more,
      "f.yaml", {.device_kind = "host", .strategies = {}, .unsafe_options = unsafe}, files_of(files));
}

TEST(unsafe_option_error, is_recognised) {
  EXPECT_EQ(unsafe_option_error("-o"), "option '-o' is not on the list of safe options");
  EXPECT_TRUE(is_about_unsafe_option("f.yaml:1:1: error: " + unsafe_option_error("-o") + "\n"));
  for (const char* other : {"", "option '-o' is unknown"})
    EXPECT_FALSE(is_about_unsafe_option(other)) << other;
}

TEST(SpaceFile, is_refused_in_one_line_if_it_has_an_unsafe_option) {
  const auto refused = read("options: [-O3, -fplugin=x.so]\n");
  ASSERT_FALSE(refused.ok());
  ASSERT_EQ(refused.error().size(), 1u);
  EXPECT_EQ(refused.error()[0].message, "option '-fplugin=x.so' is not on the list of safe options");
  EXPECT_EQ(refused.error()[0].hint, "it may run programs and write files");
  EXPECT_TRUE(read("options: [-O3, -fplugin=x.so]\n", UnsafeOptions::allowed).ok());
  EXPECT_FALSE(read("host_options: [\"@file\"]\n").ok());
}

TEST(SpaceFile, is_always_refused_if_it_changes_the_loader) {
  for (const UnsafeOptions unsafe : {UnsafeOptions::refused, UnsafeOptions::allowed}) {
    const auto refused = read("environment: {LD_PRELOAD: \"'x.so'\"}\n", unsafe);
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error()[0].message,
              "environment cannot set LD_PRELOAD: it changes what a process loads");
  }
  EXPECT_TRUE(read("environment: {OMP_NUM_THREADS: 4}\n").ok());
}

TEST(Resolve, refuses_an_unsafe_option_that_a_parameter_completes) {
  const Config config{{"level", 1}, {"tool", "plugin=x"}};
  DeviceInfo host;
  host.kind = "host";
  const auto refused = read("options: [\"-O{level}\", \"-f{tool}\"]\n");
  EXPECT_EQ(message_of(resolve(refused->kernel, config, {}, host)), unsafe_option_error("-fplugin=x"));
  const auto allowed = read("options: [\"-O{level}\", \"-f{tool}\"]\n", UnsafeOptions::allowed);
  EXPECT_TRUE(resolve(allowed->kernel, config, {}, host).ok());
}

}  // namespace
}  // namespace gktune
