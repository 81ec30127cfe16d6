#!/usr/bin/env bash
# Installs the Debian packages of the build in a new Debian system and tunes an example there, on the host device. It
# needs root, debootstrap and a Debian mirror.
#   packages_in_debian.sh BUILD_DIR SOURCE_DIR
set -euo pipefail
build=$1 source=$2
skip() { echo "skipped: $*"; exit 77; }
[ "$(id -u)" = 0 ] || skip "only root may change into another system"
command -v debootstrap >/dev/null || skip "no debootstrap here"
command -v dpkg-shlibdeps >/dev/null || skip "no dpkg-shlibdeps here"
release=$(. /etc/os-release && echo "${VERSION_CODENAME:-}")
[ -e "/usr/share/debootstrap/scripts/$release" ] || skip "debootstrap does not know the system '$release' of this build"
mirror=${GKTUNE_DEBIAN_MIRROR:-http://deb.debian.org/debian}
work=$(mktemp -d)
root=$work/root
trap 'umount "$root/proc" 2>/dev/null; rm -rf --one-file-system "$work"' EXIT
fail() { echo "FAILED: $*"; exit 1; }

cd "$work"
answer=$(cpack --config "$build/CPackConfig.cmake" -B packages -D CPACK_DEBIAN_COMPRESSION_TYPE=gzip 2>&1) ||
  fail "cpack: $answer"
debootstrap --variant=minbase "$release" "$root" "$mirror" >"$work/log" 2>&1 ||
  skip "debootstrap: $(tail -1 "$work/log")"
mount -t proc proc "$root/proc" || skip "no file system can be mounted here"  # programs find their own file there
mkdir "$root/packages"
cp "$work"/packages/*.deb "$root/packages"
cp -r "$source/examples/reduce" "$root/reduce"
inside() { chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root DEBIAN_FRONTEND=noninteractive "$@"; }
inside apt-get update >"$work/log" 2>&1 || fail "apt-get update: $(tail -3 "$work/log")"
inside sh -c 'apt-get install -y --no-install-recommends g++ /packages/*.deb' >"$work/log" 2>&1 ||
  fail "the packages cannot be installed: $(tail -20 "$work/log")"
answer=$(inside gktune run /reduce/sum.yaml --device host --trials 2 --seed 1 --db /root/gktune.db 2>&1) ||
  fail "gktune run: $answer"
answer=$(inside gktune best sum --db /root/gktune.db 2>&1) || fail "gktune best: $answer"
grep -q 'BLOCK=' <<<"$answer" || fail "there is no winner: $answer"
inside gktune bundle /reduce/sum.yaml --db /root/gktune.db -o /root/kernels.gkt >"$work/log" 2>&1 ||
  fail "gktune bundle: $(cat "$work/log")"
inside sh -c 'cc /reduce/reduce.c -o /root/reduce -lgktune_runtime' >"$work/log" 2>&1 ||
  fail "the C example does not compile with the packages: $(cat "$work/log")"
answer=$(inside /root/reduce sum /root/kernels.gkt host 4096 2>&1) || fail "the C example: $answer"
grep -q 'the sum of 4096 ones is 4096' <<<"$answer" || fail "the C example: $answer"
echo "in a new Debian $release the packages install, tune and serve an application"
