#!/usr/bin/env bash
# Builds one of two targets of a project, installs both, and expects that the installation builds the other one only.
#   build_before_install.sh CMAKE_FOLDER CXX
set -euo pipefail
modules=$1 compiler=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() { echo "FAILED: $*"; exit 1; }

cat >"$work/CMakeLists.txt" <<END
cmake_minimum_required(VERSION 3.22)
project(parts LANGUAGES CXX)
include($modules/build_before_install.cmake)
add_executable(early early.cc)
add_library(late STATIC late.cc)
gktune_build_before_install(installable early late)
install(TARGETS early RUNTIME DESTINATION bin)
install(TARGETS late ARCHIVE DESTINATION lib COMPONENT development)
END
echo 'int main() {}' >"$work/early.cc"
echo 'int late() { return 1; }' >"$work/late.cc"

# The folder's name has a space, as those of users may.
build="$work/build folder"
cmake -S "$work" -B "$build" -DCMAKE_CXX_COMPILER="$compiler" >/dev/null
cmake --build "$build" --target early >/dev/null
[ ! -e "$build/liblate.a" ] || fail "the target of a part built everything"
cmake --install "$build" --prefix "$work/development" --component development >/dev/null
[ -e "$work/development/lib/liblate.a" ] || fail "the installation did not build what was missing"

touch "$work/late.cc"
before=$(stat -c %Y.%y "$build/liblate.a")
cmake --install "$build" --prefix "$work/whole" >/dev/null
[ -x "$work/whole/bin/early" ] || fail "the program was not installed"
[ "$before" = "$(stat -c %Y.%y "$build/liblate.a")" ] || fail "the installation built although nothing was missing"

echo 'int late() { return }' >"$work/late.cc"
rm "$build/liblate.a"
cmake --install "$build" --prefix "$work/broken" >/dev/null 2>&1 && fail "a build that failed was installed"
echo "a build of a part can be installed"
