#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# check_in_debian.sh FOLDER VERSION: installs the wheel and the Debian packages of a version in FOLDER into a minimal
# Debian, and uses them there. debootstrap makes that Debian in a temporary folder, as root, so it has nothing of the
# machine that built them. SUITE: the Debian (bookworm). It needs a network.
set -euo pipefail
source=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
(($# == 2)) || { echo "usage: check_in_debian.sh FOLDER VERSION" >&2 && exit 1; }
folder=$(cd "$1" && pwd) version=$2 suite=${SUITE:-bookworm}
# shellcheck source=scripts/minimal_debian.sh
source "$source/scripts/minimal_debian.sh"
files=("$folder"/recur-"$version"-*.whl "$folder"/recur-{tools,dev}_"$version"_*.deb)
for file in "${files[@]}"; do
  [[ -f $file ]] || fail "expected a file $file"
done
((${#files[@]} == 3)) || fail "expected one wheel and two packages of version $version, but got ${files[*]}"
make_debian "$suite"
mkdir "$root/release"
cp "${files[@]}" "$root/release"
wheel=/release/$(basename "${files[0]}") tools=/release/$(basename "${files[1]}") dev=/release/$(basename "${files[2]}")
cp -r "$source/examples" "$root/examples"
ln -s examples/lstm-example2 "$root/example"

# The wheel, while there is no LLVM.
install python3-venv
inside python3 -m venv /venv
inside /venv/bin/pip install --quiet --disable-pip-version-check "$wheel"
use_wheel

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
