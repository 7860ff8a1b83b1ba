#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""cache_keys.py FOLDER SEED COUNT [MEGABYTES]: a compiled model in a cache belongs to exactly what it was made of.

Takes COUNT random models of FOLDER that have a weights file, small constants among them. For each, any changed byte of
the weights file and of the text makes another entry, and so does each option and each other program. The outputs are
those of a run without a cache. The same bytes again make no new entry. A changed size may make the outputs very large,
so runs have MEGABYTES of memory at most, and may all fail. Prints `N passed, N failed`.
"""
import json
import os
import random
import re
import resource
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

# Each must give another entry than no option, and than the others.
OPTIONS = [["--naive"], ["--check-nan"], ["--mcpu=x86-64-v2"], ["--mattr=-fma"], ["--gang-work=7"], ["-g"],
           ["--profile"], ["--weights-precision=bf16"], ["--weights-precision=f16"], ["--precision=bf16"]]


class Cache:
    def __init__(self, folder, model, inputs, megabytes):
        self.folder, self.model, self.inputs, self.megabytes = folder, model, inputs, megabytes
        self.runs = 0

    def entries(self):
        cache = self.folder / "cache"
        return sorted(os.listdir(cache)) if cache.exists() else []

    def limit_memory(self):
        if self.megabytes:
            resource.setrlimit(resource.RLIMIT_AS, (self.megabytes << 20, self.megabytes << 20))

    def run(self, *options, tool="ir-run", cached=True):
        """The status, and the bytes of all outputs."""
        self.runs += 1
        out = self.folder / f"out{self.runs}"
        command = [tool, str(self.model), *map(str, self.inputs), f"--output-dir={out}", "--quiet", *options]
        if cached:
            command.append(f"--cache-dir={self.folder / 'cache'}")
        done = subprocess.run(command, capture_output=True, preexec_fn=self.limit_memory)
        outputs = {path.name: path.read_bytes() for path in sorted(out.glob("*.npy"))} if out.exists() else {}
        return done.returncode, outputs


def change(path, place, to):
    data = bytearray(path.read_bytes())
    data[place] = to
    path.write_bytes(data)


def find_read_bytes(text):
    """The places in the weights file of what constants with elements have. Nothing reads the byte that stands for a
    constant without elements."""
    places = set()
    for data in re.findall(r'<data [^>]*offset="[^>]*>', text):
        attributes = dict(re.findall(r'([a-z_]+)="([^"]*)"', data))
        if "0" not in attributes.get("shape", "").replace(" ", "").split(","):
            offset = int(attributes["offset"])
            places.update(range(offset, offset + int(attributes["size"])))
    return sorted(places)


def check_model(source, case, pick, work, megabytes, failures):
    """Returns how many checks there were."""
    folder = work / case["name"]
    folder.mkdir()
    for name in ("model.xml", "model.bin"):
        shutil.copy(source / case["name"] / name, folder)
    inputs = [source / case["name"] / entry["file"] for entry in case["inputs"]]
    cache = Cache(folder, folder / "model.xml", inputs, megabytes)
    checks = 0

    def expect_new_entry(what, *options, tool="ir-run"):
        nonlocal checks
        plain = cache.run(*options, tool=tool, cached=False)
        before = cache.entries()
        cached = cache.run(*options, tool=tool)
        after = cache.entries()
        again = cache.run(*options, tool=tool)
        # The memory did not suffice. That takes a changed size.
        if any(status < 0 for status, _ in (plain, cached, again)) and what != "no change":
            return
        checks += 1
        # A model that does not compile has no entry.
        if plain[0] != 0 and not plain[1] and len(after) == len(before) and what != "no change":
            return
        if len(after) != len(before) + 1:
            failures.append(f"{case['name']}: {what}: {len(after) - len(before)} new entries, expected 1")
        elif cache.entries() != after:
            failures.append(f"{case['name']}: {what}: the same once more is another entry")
        elif not plain[0] == cached[0] == again[0] or not plain[1] == cached[1] == again[1]:
            failures.append(f"{case['name']}: {what}: the outputs differ from those without a cache")

    expect_new_entry("no change")
    weights, text = folder / "model.bin", folder / "model.xml"
    places = find_read_bytes(text.read_text())
    chosen = {places[0], places[-1], pick.choice(places), pick.choice(places)} if places else set()
    for place in sorted(chosen):
        old = weights.read_bytes()[place]
        change(weights, place, old ^ (1 << pick.randrange(8)))
        expect_new_entry(f"byte {place} of the weights")
        change(weights, place, old)
    # A changed byte between the layers changes no result, but it is another model.
    spaces = [i for i, byte in enumerate(text.read_bytes()) if byte == ord(" ")]
    place = pick.choice(spaces)
    change(text, place, ord("\n"))
    expect_new_entry(f"byte {place} of the text")
    change(text, place, ord(" "))
    for option in pick.sample(OPTIONS, 3):
        expect_new_entry(" ".join(option), *option)
    return checks


def check_program(source, case, work, megabytes, failures):
    """Another build of the program has other entries: a byte behind its end makes it another file."""
    folder = work / "program"
    folder.mkdir()
    tool = folder / "other-ir-run"
    shutil.copy(shutil.which("ir-run"), tool)
    with open(tool, "ab") as file:
        file.write(b"\0")
    inputs = [source / case["name"] / entry["file"] for entry in case["inputs"]]
    cache = Cache(folder, source / case["name"] / "model.xml", inputs, megabytes)
    cache.run()
    cache.run(tool=str(tool))
    if len(cache.entries()) != 2:
        failures.append(f"another program: {len(cache.entries())} entries, expected 2")
    return 1


def main():
    source, seed, count = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    megabytes = int(sys.argv[4]) if len(sys.argv) > 4 else None
    pick = random.Random(seed)
    cases = [case for case in json.loads((source / "cases.json").read_text())
             if (source / case["name"] / "model.bin").exists() and (source / case["name"] / "model.bin").stat().st_size]
    small = [case for case in cases if (source / case["name"] / "model.bin").stat().st_size <= 1024]
    failures, checks = [], 0
    with tempfile.TemporaryDirectory() as work:
        for i in range(count):
            # Small constants become a part of the code, so most models have only these.
            case = pick.choice(small if i % 4 else cases)
            (Path(work) / str(i)).mkdir()
            checks += check_model(source, case, pick, Path(work) / str(i), megabytes, failures)
        checks += check_program(source, pick.choice(small), Path(work), megabytes, failures)
    for failure in failures:
        print("FAIL", failure)
    print(f"seed {seed}")
    print(f"{checks - len(failures)} passed, {len(failures)} failed")
    return 1 if failures or not checks else 0


if __name__ == "__main__":
    sys.exit(main())
