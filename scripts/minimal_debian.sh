#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Functions of scripts that try things in a minimal Debian, which has nothing of this machine. They need root and a
# network. The script that reads this file has set `source`, the folder of the repository.
fail() { echo "error: $1" >&2 && exit 1; }

# make_debian SUITE: makes that Debian in a temporary folder, `root`, which goes when the script ends.
make_debian() {
  local suite=$1
  [[ $(id -u) == 0 ]] || fail "expected to run as root, as debootstrap does"
  command -v debootstrap >/dev/null || fail "debootstrap is missing; as root: apt-get install debootstrap"
  # The network of this machine may have certificates of its own.
  certificates=/etc/ssl/certs/ca-certificates.crt
  root=$(mktemp -d)
  # The users of that Debian may enter it.
  chmod 755 "$root"
  trap 'rm -rf --one-file-system "$root" "$root.log"' EXIT
  debootstrap --variant=minbase --include=ca-certificates "$suite" "$root" >"$root.log" ||
    { tail "$root.log" >&2 && exit 1; }
  cp -L /etc/resolv.conf "$root/etc/resolv.conf"
  cp -L "$certificates" "$root$certificates"
  echo "deb http://deb.debian.org/debian-security $suite-security main" >>"$root/etc/apt/sources.list"
  inside apt-get update -qq
}

# inside COMMAND...: runs a command there. What is mounted for it is so for that command alone.
inside() {
  # shellcheck disable=SC2016
  unshare --mount -- sh -c 'mount -t proc proc "$0/proc" && exec chroot "$0" "$@"' "$root" env -i \
    PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root DEBIAN_FRONTEND=noninteractive "PIP_CERT=$certificates" "$@"
}

# install PACKAGE...: installs packages there.
install() {
  inside apt-get install -y -qq --no-install-recommends "$@" </dev/null >"$root/log" 2>&1 ||
    { tail "$root/log" >&2 && exit 1; }
}

# use_wheel: runs models by the wheel that is installed in /venv there, with the commands of README.md.
use_wheel() {
  mkdir -p "$root/examples"
  cp -r "$source/examples/." "$root/examples"
  inside /venv/bin/python - <<'PYTHON'
import numpy as np
import recur

folder = "/examples/lstm-example2"
inputs = [np.load(f"{folder}/in_{i}.npy") for i in range(3)]
wanted = np.load(f"{folder}/out_0.npy")
assert np.allclose(recur.compile(f"{folder}/model.xml")(*inputs)[0], wanted, rtol=1e-4, atol=1e-5)
PYTHON
  # shellcheck disable=SC2016
  inside sh -c 'cd / && PATH=/venv/bin:$PATH && python -c "$1"' sh \
    'import recur; print(recur.compile("examples/guide/model.xml")([[4, 8], [4, 8]])["y"])' >"$root/log"
  [[ $(<"$root/log") ]] || fail "expected the model of README.md to print its output"
}
