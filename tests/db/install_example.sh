#!/usr/bin/env bash
# Installs everything and checks the installed files. Then installs only what applications need, builds the examples
# against it, and asks a database.
#   install_example.sh BUILD_DIR EXAMPLE_DIR MAKE_DATABASE CXX CXX_FLAGS
set -euo pipefail
build=$1 example=$2 make_database=$3 compiler=$4 flags=$5
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() { echo "FAILED: $*"; exit 1; }
expect() { grep -qF -- "$2" <<<"$1" || fail "expected \"$2\" in:"$'\n'"$1"; }

cmake --install "$build" --prefix "$work/whole" >/dev/null
gktune=$work/whole/bin/gktune
expect "$("$gktune" --version)" "gktune "
expect "$("$gktune" space "$work/whole/share/gktune/spaces/saxpy.yaml" --device host)" "combinations are valid"
for script in bash-completion/completions/gktune zsh/site-functions/_gktune fish/vendor_completions.d/gktune.fish; do
  expect "$(cat "$work/whole/share/$script")" "completion of gktune"
done
documents=$work/whole/share/doc/gktune
while read -r page link; do
  [ -e "$(dirname "$page")/$link" ] || fail "$page names $link, which is not installed"
done < <(grep -oE '\]\([^):#]+\)' -r --include='*.md' "$documents" | sed -E 's/:\]\(/ /; s/\)$//')

for component in libraries development; do
  cmake --install "$build" --prefix "$work/prefix" --component $component >/dev/null
done
(cd "$work/prefix" && find . -type f | sort)
include=$work/prefix/include
diff -r "$(dirname "$example")/../include" "$include" || fail "the installed headers are not those of the tree"
grep -rn '#include "' "$include" | grep -v '#include "gktune/' && fail "a public header includes an internal one"
# Compiles a source that includes this header alone.
includes() { echo "#include <gktune/$1>" | "$compiler" "${@:2}" -I "$include" -Wall -Wextra -Wpedantic -Werror -fsyntax-only - 2>&1; }
for header in "$include"/gktune/*.h; do
  name=$(basename "$header")
  answer=$(includes "$name" -x c++ -std=c++20) || fail "$name does not compile alone: $answer"
  if [ "$name" = gktune.h ]; then
    answer=$(includes "$name" -x c -std=c11) || fail "$name does not compile as C: $answer"
  else
    expect "$(includes "$name" -x c++ -std=c++17 || true)" "gktune needs C++20"
  fi
done
grep -rn "$build" "$work/prefix/lib"*/cmake && fail "the package names the build folder"

cmake -S "$example" -B "$work/build" -DCMAKE_PREFIX_PATH="$work/prefix" -DCMAKE_CXX_COMPILER="$compiler" \
  -DCMAKE_CXX_FLAGS="$flags -Wall -Wextra -Wpedantic -Werror" >/dev/null
cmake --build "$work/build" >/dev/null
program=$work/build/lookup_example

"$make_database" "$work/gktune.db"
chmod a-w "$work/gktune.db"
answer=$("$program" "$work/gktune.db" reduce n=1048576 T=float)
echo "$answer"
expect "$answer" "config:   threadsPerBlock=256 way=one_pass"
expect "$answer" "expected: 12.5 us"
expect "$answer" "match:    exact"
expect "$answer" "NVIDIA H200"
expect "$("$program" "$work/gktune.db" reduce n=1000 T=float)" "match:    nearest problem"
expect "$("$program" "$work/gktune.db" sum n=1000 2>&1 || echo "code $?")" "code 1"
expect "$("$program" "$work/no.db" reduce 2>&1 || echo "code $?")" "no.db: no such file"

libraries=$(ldd "$program")
symbols=$(nm -C "$program")
for stranger in yaml nvrtc libcuda boost; do
  grep -qi "$stranger" <<<"$libraries" && fail "the example loads $stranger: $libraries"
done
for stranger in YAML:: nvrtc gktune::Space:: gktune::WorkerDevice; do
  grep -qF "$stranger" <<<"$symbols" && fail "the example holds $stranger"
done
echo "the example works"

# An application that compiles and launches. It needs the CUDA toolkit to be built, and a GPU to run.
cuda=$(sed -n 's/^CUDAToolkit_BIN_DIR:.*=//p' "$build/CMakeCache.txt")
if ls "$cuda"/../lib*/libnvrtc.so >/dev/null 2>&1; then
  transpose=$(dirname "$example")/transpose
  cmake -S "$transpose" -B "$work/transpose" -DCMAKE_PREFIX_PATH="$work/prefix" -DCMAKE_CXX_COMPILER="$compiler" \
    -DCMAKE_CXX_FLAGS="$flags -Wall -Wextra -Wpedantic -Werror" -DCUDAToolkit_ROOT="$cuda/.." >/dev/null
  cmake --build "$work/transpose" >/dev/null
  cmp "$transpose/transpose.db" "$work/transpose/transpose.db"
  echo "the CUDA example builds"
else
  echo "no CUDA toolkit with NVRTC: the CUDA example is not built"
fi
# The program that the tutorial begins with; the rest of its code is in the CUDA example.
tutorial=$(dirname "$example")/../docs/tutorial.md
sed -n '/^```cpp app.cu$/,/^```$/p' "$tutorial" | sed '1d;$d' >"$work/app.cu"
grep -q 'transpose<<<grid, block>>>' "$work/app.cu" || fail "docs/tutorial.md shows no app.cu"
if [ -x "$cuda/nvcc" ]; then
  answer=$("$cuda/nvcc" -Werror all-warnings -allow-unsupported-compiler -c "$work/app.cu" -o "$work/app.o" 2>&1) ||
    fail "app.cu of docs/tutorial.md does not compile: $answer"
  echo "the tutorial's program compiles"
else
  echo "no nvcc: the tutorial's program is not compiled"
fi
shipped=$(dirname "$example")/transpose/transpose.db
expect "$("$gktune" best transpose --db "$shipped" --problem rows=4Ki,columns=4Ki)" "TILE=64"
