#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# check_in_debian.sh FOLDER VERSION: installs the wheel and the Debian packages of a version in FOLDER into a minimal
# Debian, and uses them there. debootstrap makes that Debian in a temporary folder, as root, so it has nothing of the
# machine that built them. SUITE: the Debian (bookworm). It needs a network.
set -euo pipefail
source=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
(($# == 2)) || { echo "usage: check_in_debian.sh FOLDER VERSION" >&2 && exit 1; }
folder=$(cd "$1" && pwd) version=$2 suite=${SUITE:-bookworm}
fail() { echo "error: $1" >&2 && exit 1; }
files=("$folder"/recur-"$version"-*.whl "$folder"/recur-{tools,dev}_"$version"_*.deb)
for file in "${files[@]}"; do
  [[ -f $file ]] || fail "expected a file $file"
done
((${#files[@]} == 3)) || fail "expected one wheel and two packages of version $version, but got ${files[*]}"
[[ $(id -u) == 0 ]] || fail "expected to run as root, as debootstrap does"
command -v debootstrap >/dev/null || fail "debootstrap is missing; as root: apt-get install debootstrap"

# The network of this machine may have certificates of its own.
certificates=/etc/ssl/certs/ca-certificates.crt
root=$(mktemp -d)
# The users of that Debian may enter it.
chmod 755 "$root"
trap 'rm -rf --one-file-system "$root" "$root.log"' EXIT
# What is mounted for a command is so for that command alone.
inside() {
  # shellcheck disable=SC2016
  unshare --mount -- sh -c 'mount -t proc proc "$0/proc" && exec chroot "$0" "$@"' "$root" env -i \
    PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root DEBIAN_FRONTEND=noninteractive "PIP_CERT=$certificates" "$@"
}
debootstrap --variant=minbase --include=ca-certificates "$suite" "$root" >"$root.log" ||
  { tail "$root.log" >&2 && exit 1; }
cp -L /etc/resolv.conf "$root/etc/resolv.conf"
cp -L "$certificates" "$root$certificates"
echo "deb http://deb.debian.org/debian-security $suite-security main" >>"$root/etc/apt/sources.list"
mkdir "$root/release"
cp "${files[@]}" "$root/release"
wheel=/release/$(basename "${files[0]}") tools=/release/$(basename "${files[1]}") dev=/release/$(basename "${files[2]}")
cp -r "$source/examples" "$root/examples"
ln -s examples/lstm-example2 "$root/example"
install() {
  inside apt-get install -y -qq --no-install-recommends "$@" </dev/null >"$root/log" 2>&1 ||
    { tail "$root/log" >&2 && exit 1; }
}
inside apt-get update -qq

# The wheel, while there is no LLVM.
install python3-venv
inside python3 -m venv /venv
inside /venv/bin/pip install --quiet --disable-pip-version-check "$wheel"
inside /venv/bin/python - <<'PYTHON'
import numpy as np
import recur

inputs = [np.load(f"/example/in_{i}.npy") for i in range(3)]
wanted = np.load("/example/out_0.npy")
assert np.allclose(recur.compile("/example/model.xml")(*inputs)[0], wanted, rtol=1e-4, atol=1e-5)
PYTHON
# The commands of README.md.
# shellcheck disable=SC2016
inside sh -c 'cd / && PATH=/venv/bin:$PATH && python -c "$1"' sh \
  'import recur; print(recur.compile("examples/guide/model.xml")([[4, 8], [4, 8]])["y"])' >"$root/log"
[[ $(<"$root/log") ]] || fail "expected the model of README.md to print its output"

# The tools, and a program of C with a model. The packages name what they need.
install "$tools"
inside ir-run /example/model.xml /example/in_{0,1,2}.npy --expect=/example >"$root/log"
inside ir-compile /example/model.xml -o /speech.o --header=/speech.h
install gcc libc6-dev
# The commands of README.md.
inside sh -c 'cd /examples/lstm-example2 && ir-compile model.xml -o lstm.o --header=lstm.h &&
  cc -I. ../cmake-project/main.c lstm.o -o lstm && ./lstm .' >"$root/log"
[[ $(tail -n 1 "$root/log") == "0 of 6400 elements differ" ]] ||
  fail "expected the program of README.md to find no difference, but got: $(<"$root/log")"
inside ir-run /example/model.xml /example/in_{0,1,2}.npy --aot --strict --expect=/example >"$root/log"
inside ir-compile /example/model.xml --emit=shared -o /speech.so
inside ir-run /speech.so /example/in_{0,1,2}.npy --expect=/example >"$root/log"

# The library of the compiler. Its header is C++20.
install "$dev" g++ pkg-config
cat >"$root/main.cpp" <<'CPP'
#include "recur_compiler.hpp"
#include <cstdio>
int main() { return std::puts(recur::compile(recur::Source::from_file("/example/model.xml")).info().name) < 0; }
CPP
# shellcheck disable=SC2016
inside sh -c 'g++ -std=c++20 $(pkg-config --cflags recur) /main.cpp -lrecur -o /main && /main' >"$root/log"
echo "the wheel and the packages of $version work in a minimal $suite"
