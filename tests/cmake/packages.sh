#!/usr/bin/env bash
# Makes Debian packages of the build with cpack, and compares what they hold with what is installed.
#   packages.sh BUILD_DIR VERSION
set -euo pipefail
build=$1 version=$2
for tool in dpkg-deb dpkg-shlibdeps file; do
  command -v $tool >/dev/null || { echo "no $tool here"; exit 77; }
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

fail() { echo "FAILED: $*"; exit 1; }
expect() { grep -qE -- "$2" <<<"$1" || fail "expected \"$2\" in:"$'\n'"$1"; }
package() { echo "$work/packages/$1_${version}_$(dpkg --print-architecture).deb"; }
field() { dpkg-deb -f "$(package "$1")" "$2"; }
files() { dpkg-deb -c "$(package "$1")" | awk '$1 !~ /^d/ { print substr($6, 3) }'; }

answer=$(cpack --config "$build/CPackConfig.cmake" -B packages -D CPACK_DEBIAN_COMPRESSION_TYPE=gzip 2>&1) ||
  fail "cpack: $answer"
libraries=libgktune${version%.*}
names="gktune libgktune-dev $libraries"
[ "$(ls packages/*.deb | wc -l)" = 3 ] || fail "there are other packages: $(ls packages)"

# Each installed file is in one package. Debian's additions are in each.
cmake --install "$build" --prefix tree >/dev/null
(cd tree && find . -type f -o -type l) | sed 's|^\./|usr/|' | sort >installed
for name in $names; do
  files $name | grep -vE "^usr/share/doc/$name/(copyright|changelog\.gz)$" | sed -E 's|(/man1/.*)\.gz$|\1|'
done | sort >packed
diff installed packed || fail "the packages hold other files than an installation"

for name in $names; do
  for file in copyright changelog.gz; do expect "$(files $name)" "^usr/share/doc/$name/$file$"; done
  dpkg-deb -c "$(package $name)" | grep -v ' root/root ' && fail "$name has files of another owner than root"
  [ "$(field $name Package) $(field $name Version)" = "$name $version" ] || fail "the name or version of $name"
  expect "$(field $name Maintainer)" '^[^<]+ <[^@]+@[^>]+>$'
  expect "$(field $name Description)" '^[^ ].{20,79}$'
  expect "$(field $name Description)" '^ [^ ]'
done
expect "$(files gktune)" '^usr/bin/gktune$'
expect "$(files gktune)" '^usr/share/man/man1/gktune-db-export\.1\.gz$'
expect "$(files gktune)" '^usr/share/bash-completion/completions/gktune$'
expect "$(files gktune)" '^usr/share/gktune/spaces/reduce\.yaml$'
expect "$(field gktune Section)" '^devel$'
expect "$(field gktune Depends)" 'libsqlite3-0 .*libyaml-cpp'
expect "$(files $libraries)" '/libgktune_runtime\.so\.'
files $libraries | grep -vE '/libgktune_(launch|runtime)\.so\.|^usr/share/doc/' && fail "$libraries holds more than libraries"
expect "$(field $libraries Section)" '^libs$'
expect "$(field $libraries Depends)" 'libsqlite3-0'
expect "$(files libgktune-dev)" '^usr/include/gktune/kernel\.h$'
expect "$(files libgktune-dev)" '/pkgconfig/gktune-runtime\.pc$'
expect "$(files libgktune-dev)" '/libgktune_runtime\.so$'
expect "$(field libgktune-dev Section)" '^libdevel$'
expect "$(field libgktune-dev Depends)" "libsqlite3-dev, $libraries \(= $version\)"
expect "$(dpkg-deb --fsys-tarfile "$(package gktune)" | tar -xO ./usr/share/doc/gktune/copyright)" 'Permission is hereby granted'
expect "$(dpkg-deb --fsys-tarfile "$(package gktune)" | tar -xO ./usr/share/doc/gktune/copyright)" 'Apache ECharts'
echo "the packages hold what is installed"
