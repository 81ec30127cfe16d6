#!/usr/bin/env bash
# Builds the examples of the runtime as an outside project against the installed libraries, tunes, and runs them on the
# host device.
#   install_examples.sh BUILD_DIR SOURCE_DIR C_COMPILER CXX_COMPILER FLAGS
set -euo pipefail
build=$1 source=$2 cc=$3 cxx=$4 flags=$5
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "FAILED: $*"; exit 1; }
expect() { grep -qF -- "$2" <<<"$1" || fail "expected \"$2\" in:"$'\n'"$1"; }

for component in libraries development; do
  cmake --install "$build" --prefix "$work/prefix" --component $component >/dev/null
done
cp -r "$source/examples/reduce" "$work/reduce"
cd "$work/reduce"
export XDG_CACHE_HOME=$work/cache
gktune=$build/cli/gktune
"$gktune" run sum.yaml --device host --problem n=4096 --trials 2 --seed 1 --quiet --db gktune.db
"$gktune" bundle sum.yaml --db gktune.db -o kernels.gkt | tee bundle.txt
expect "$(cat bundle.txt)" "sum on $(uname -m | tr _ -): 1 winner"
mkdir build
"$gktune" db export sum --db gktune.db --format header -o build/sum.h

cmake -S . -B build -DCMAKE_PREFIX_PATH="$work/prefix" -DCMAKE_C_COMPILER="$cc" -DCMAKE_CXX_COMPILER="$cxx" \
  -DCMAKE_C_FLAGS="$flags -Wall -Wextra -Werror" -DCMAKE_CXX_FLAGS="$flags -Wall -Wextra -Wpedantic -Werror" >/dev/null
cmake --build build >/dev/null
winner=$("$gktune" best sum --problem n=4096 --db gktune.db 2>/dev/null | head -1)
for answer in "$(build/reduce sum.yaml gktune.db host 4096)" "$(build/reduce_c sum kernels.gkt host 4096)"; do
  echo "$answer"
  expect "$answer" "the sum of 4096 ones is 4096: "
  expect "$answer" "(exact)"
done
expect "$(build/reduce sum.yaml gktune.db host 4096)" "$winner"
expect "$(build/table)" "$winner"

# The application with the bundle alone: no sources, no database, no compiler in reach.
mkdir "$work/shipped"
cp build/bundled kernels.gkt "$work/shipped"
rm -r "$XDG_CACHE_HOME"
answer=$(cd "$work/shipped" && PATH=/nowhere ./bundled kernels.gkt host 5000)
echo "$answer"
expect "$answer" "the sum of 5000 ones is 5000: $winner"
libraries=$(ldd "$work/shipped/bundled")
for stranger in yaml spdlog nvrtc libcuda; do
  grep -qi "$stranger" <<<"$libraries" && fail "the application with a bundle loads $stranger: $libraries"
done

# The shared libraries have the symbols of the list and no other, each with a version; libgktune_launch lacks those that
# need sources or databases.
symbols() {
  nm -D --defined-only --with-symbol-versions "$(ls "$work"/prefix/lib*/libgktune_$1.so)" |
    awk '$2 != "A" { print $3 }' | c++filt | sed -E 's/\[abi:cxx11\]//' | LC_ALL=C sort -u
}
symbols runtime >"$work/symbols"
diff "$source/runtime/c_api/symbols.txt" "$work/symbols" || fail "libgktune_runtime has other symbols than symbols.txt"
missing=$(LC_ALL=C comm -23 "$work/symbols" <(symbols launch) | grep -vE '^gktune_(kernel_open|lookup_|question_)' |
  grep -vF 'gktune::Kernel::open(' || true)
[ -z "$missing$(LC_ALL=C comm -13 "$work/symbols" <(symbols launch))" ] || fail "libgktune_launch differs: $missing"

# Every declaration of the headers links.
for name in $(grep -oE '\bgktune_[a-z_]+\(' "$source/include/gktune/gktune.h" | tr -d '(' | sort -u); do
  expect "$(cat "$work/symbols")" "$name@@GKTUNE_0.1"
done

# The code of the documents, with a CMake that deprecates the name SQLite::SQLite3.
source "$source/tests/runtime/page_code.sh"
mkdir -p "$work"/pages/modules
cp "$source/tests/runtime/page.h" "$work/pages"
cat >"$work/pages/modules/FindSQLite3.cmake" <<'END'
include(${CMAKE_ROOT}/Modules/FindSQLite3.cmake)
if(NOT TARGET SQLite3::SQLite3)
  add_library(SQLite3::SQLite3 INTERFACE IMPORTED)
  set_property(TARGET SQLite3::SQLite3 PROPERTY INTERFACE_LINK_LIBRARIES ${SQLite3_LIBRARIES})
  set_property(TARGET SQLite::SQLite3 PROPERTY DEPRECATION "Use SQLite3::SQLite3")
endif()
END
cat >"$work/pages/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.22)
project(pages LANGUAGES C CXX)
list(PREPEND CMAKE_MODULE_PATH ${CMAKE_CURRENT_SOURCE_DIR}/modules)
END
for page in README.md:cpp docs/database.md:cpp docs/runtime.md:cpp docs/runtime.md:c; do
  language=${page#*:} page=$source/${page%:*}
  name=$(basename "$page" .md)_$language
  page_source "$page" "$language" >"$work/pages/$name.${language/cpp/cc}"
  grep -q gktune "$work/pages/$name.${language/cpp/cc}" || fail "$page has no code in $language"
  { echo "add_library($name MODULE $name.${language/cpp/cc})"
    page_blocks "$page" cmake | sed "s/(app /($name /"
  } >>"$work/pages/CMakeLists.txt"
done
echo "target_link_libraries(README_cpp PRIVATE gktune::lookup)" >>"$work/pages/CMakeLists.txt"
answer=$(cmake -S "$work/pages" -B "$work/pages/build" -DCMAKE_PREFIX_PATH="$work/prefix" -DCMAKE_C_COMPILER="$cc" \
  -DCMAKE_CXX_COMPILER="$cxx" -DCMAKE_C_FLAGS="$flags -Wall -Werror -Wno-unused" \
  -DCMAKE_CXX_FLAGS="$flags -Wall -Werror -Wno-unused" 2>&1) || fail "the projects of the documents: $answer"
grep -qi deprecat <<<"$answer" && fail "find_package(gktune) uses what is deprecated: $answer"
answer=$(cmake --build "$work/pages/build" 2>&1) || fail "the code of the documents does not compile: $answer"

# A project of C alone.
mkdir "$work/plain"
printf 'cmake_minimum_required(VERSION 3.22)\nproject(plain LANGUAGES C)\n%s\n%s\n%s\n' \
  'find_package(gktune CONFIG REQUIRED COMPONENTS runtime)' "add_executable(plain $work/reduce/reduce.c)" \
  'target_link_libraries(plain PRIVATE gktune::runtime)' >"$work/plain/CMakeLists.txt"
answer=$(cmake -S "$work/plain" -B "$work/plain/build" -DCMAKE_PREFIX_PATH="$work/prefix" -DCMAKE_C_COMPILER="$cc" \
  -DCMAKE_C_FLAGS="$flags" 2>&1 && cmake --build "$work/plain/build" 2>&1) || fail "a project of C alone: $answer"

# A part that is not installed, and parts that need nothing of the system.
mkdir "$work/other"
find_parts() {
  printf 'cmake_minimum_required(VERSION 3.22)\nproject(other LANGUAGES NONE)\n%s\n' \
    "find_package(gktune CONFIG REQUIRED COMPONENTS $*)" >"$work/other/CMakeLists.txt"
  cmake -S "$work/other" -B "$work/other/build" -DCMAKE_PREFIX_PATH="$work/prefix" \
    -DCMAKE_DISABLE_FIND_PACKAGE_SQLite3=TRUE 2>&1 || echo "refused"
}
expect "$(find_parts launch colour)" "no gktune::colour here"
expect "$(find_parts lookup)" "SQLite3"
answer=$(find_parts header_only launch runtime)
grep -q refused <<<"$answer" && fail "find_package(gktune) needs more than these parts do: $answer"

# Without CMake.
if command -v pkg-config >/dev/null; then
  export PKG_CONFIG_PATH=$(echo "$work"/prefix/lib*/pkgconfig)
  # With library folders of one level, as here, and of two, as in Debian.
  for libdir in lib lib/x86_64-linux-gnu; do
    cmake -DCMAKE_INSTALL_LIBDIR=$libdir -DOUT="$work/pc" -DSOURCE="$source" -P "$source/tests/runtime/configure_pc.cmake"
    for variable in libdir:$libdir includedir:include; do
      found=$(PKG_CONFIG_PATH=$work/pc/$libdir/pkgconfig pkg-config --variable=${variable%:*} gktune-test)
      [ "$(realpath -m "$found")" = "$work/pc/${variable#*:}" ] || fail "the .pc file of $libdir has ${variable%:*}=$found"
    done
  done
  read -ra with <<<"$flags $(pkg-config --cflags --libs gktune-runtime)"
  "$cc" reduce.c -o reduce_pc "${with[@]}"
  for part in runtime lookup; do
    read -ra with <<<"-std=c++20 $flags $(pkg-config --cflags --libs gktune-$part)"
    [ $part = runtime ] || with=(-DLOOKUP_ALONE "${with[@]}")
    "$cxx" "$source/tests/runtime/every_declaration.cc" -o "every_$part" "${with[@]}" ||
      fail "gktune-$part lacks what its headers declare"
  done
  expect "$(LD_LIBRARY_PATH=$(echo "$work"/prefix/lib) ./reduce_pc sum kernels.gkt host 100)" "the sum of 100 ones is 100"
fi

# A header that the build writes from a database: with Make and Ninja, anew whenever the database changes, and only while
# the database has winners of the present sources on the device that is named.
mkdir "$work/tuned"
sed '1i #include "added.h"' "$work/reduce/sum.cu" >"$work/tuned/sum.cu"
echo '// Included by the kernel.' >"$work/tuned/added.h"
cp "$work/reduce/sum.yaml" "$work/tuned"  # on the host device it has one problem, 4Ki
winners=$work/tuned/winners.db
tune() { "$gktune" run "$work/tuned/sum.yaml" --device host --trials 1 --quiet --db "$1" >/dev/null; }
tune "$winners"
echo '#include "tuned/sum.h"
int main() { return 0; }' >"$work/tuned/main.cc"
cat >"$work/tuned/CMakeLists.txt" <<END
cmake_minimum_required(VERSION 3.22)
project(tuned LANGUAGES CXX)
set(GKTUNE_PROGRAM $gktune)
find_package(gktune CONFIG REQUIRED COMPONENTS header_only)
add_executable(tuned main.cc)
target_link_libraries(tuned PRIVATE gktune::header_only)
gktune_tuned_header(TARGET tuned SPACE sum.yaml DATABASE winners.db DEVICE "\${DEVICE}")
END
cp "$winners" "$work/first.db"
for generator in "Unix Makefiles" Ninja; do
  command -v "$([ "$generator" = Ninja ] && echo ninja || echo make)" >/dev/null || continue
  build_tuned() { cmake --build "$work/tuned/$generator" "$@" 2>&1; }
  refuses_to_build() {
    answer=$(build_tuned) && fail "$generator built with a header that $1"
    expect "$answer" "$2"
  }
  cp "$work/first.db" "$winners"
  cmake -G "$generator" -S "$work/tuned" -B "$work/tuned/$generator" -DCMAKE_PREFIX_PATH="$work/prefix" \
    -DCMAKE_CXX_COMPILER="$cxx" >/dev/null
  answer=$(build_tuned) || fail "a tuned header: $answer"
  answer=$(build_tuned)
  grep -qi 'main.cc' <<<"$answer" && fail "$generator compiled the application again without a change: $answer"
  for file in sum.cu added.h; do
    cp "$work/tuned/$file" "$work/kept"
    echo 'constexpr int kAdded = 1;' >>"$work/tuned/$file"
    refuses_to_build "is of an older $file" "1 of 1 answers are worse than exact"
    cp "$work/kept" "$work/tuned/$file"
  done
  sed -i.kept 's/4Ki/8Ki/' "$work/tuned/sum.yaml"
  refuses_to_build "lacks a problem" "1 of 1 answers are worse than exact"
  mv "$work/tuned/sum.yaml.kept" "$work/tuned/sum.yaml"
  answer=$(build_tuned) || fail "a header of restored sources: $answer"

  # Winners of two devices.
  command -v python3 >/dev/null || continue
  cp "$work/first.db" "$work/second.db"
  python3 - "$work/second.db" <<'END'
import sqlite3, sys
with sqlite3.connect(sys.argv[1]) as database:
    database.execute("UPDATE devices SET name = 'Second device'")
    database.execute("UPDATE sessions SET uuid = 'of the second device'")
END
  "$gktune" db merge "$work/second.db" --db "$winners" >/dev/null
  refuses_to_build "is of two devices" "a device with --device (gktune_tuned_header of CMake: DEVICE)"
  cmake -DDEVICE="Second device" "$work/tuned/$generator" >/dev/null
  answer=$(build_tuned) || fail "a header of one of two devices: $answer"
  expect "$(cat "$work/tuned/$generator/gktune_headers/tuned/tuned/sum.h")" "Second device"
  cmake -DDEVICE="No device" "$work/tuned/$generator" >/dev/null
  refuses_to_build "is of an unknown device" "the database knows no device 'No device'"
done
answer=$(build_tuned --target tune_sum) && fail "tune_sum passed without a winner on DEVICE: $answer"
expect "$answer" "the database knows no device 'No device'"

# From Python, which opens libraries for itself alone.
if [ -z "$flags" ] && command -v python3 >/dev/null; then
  answer=$(python3 - "$(ls "$work"/prefix/lib*/libgktune_launch.so)" kernels.gkt <<'END'
import ctypes as c, sys
class Value(c.Structure):
    _fields_ = [("kind", c.c_int32), ("reserved", c.c_int32), ("integer", c.c_int64), ("real", c.c_double),
                ("text", c.c_char_p)]
class Argument(c.Structure):
    _fields_ = [("kind", c.c_int32), ("type", c.c_int32), ("bits", c.c_uint64)]
gktune = c.CDLL(sys.argv[1])
gktune.gktune_message.restype = c.c_char_p
def check(code):
    if code: sys.exit(gktune.gktune_message().decode())
settings, kernel = c.c_void_p(), c.c_void_p()
check(gktune.gktune_settings_create(c.byref(settings)))
for key, value in (b"device", b"host"), (b"bundle", sys.argv[2].encode()):
    check(gktune.gktune_settings_set(settings, key, value))
check(gktune.gktune_kernel_open_bundled(b"sum", settings, c.byref(kernel)))
ones, total = (c.c_float * 300)(*[1] * 300), c.c_float()
arguments = (Argument * 2)(Argument(2, 11, c.addressof(ones)), Argument(1, 11, c.addressof(total)))
check(gktune.gktune_kernel_launch(kernel, c.byref(Value(0, 0, 300)), c.c_size_t(1), arguments, c.c_size_t(2), c.c_size_t(0)))
print("from Python:", total.value)
END
)
  expect "$answer" "from Python: 300.0"
fi
