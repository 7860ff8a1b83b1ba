#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""new_weights.py FOLDER SEED COUNT: an old object never computes with a mixture of old and new constants.

Takes COUNT random models of FOLDER with large constants, or more until weights were taken once, and changes constants
as training does: all large ones, with zeros or equal elements among them, or a byte of a small one too. `ir-compile
--weights-only` of the changed model must write the weights that a new object of it has, and fail if it has none. An
object of the unchanged model refuses them, or it computes what the new object computes, bit for bit. Prints how many
were taken and refused, and `N passed, N failed`.
"""
import ast
import ctypes
import json
import random
import shutil
import struct
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET
from pathlib import Path

from compare_steps import Difference, Model, Value

OPTIONS = [[], ["--mcpu=native"], ["--mcpu=x86-64-v2"], ["--naive"], ["-O0"], ["-g"], ["--weights-precision=bf16"],
           ["--weights-precision=int8"], ["--precision=bf16"], ["--entry=run"]]
LARGE = 1024  # bytes, above which a constant is not in the code
REFUSED = 17  # RECUR_E_WEIGHTS


def find_constants(folder):
    """The element type, offset and size of each constant with bytes in the weights file."""
    data = [layer.find("data").attrib for layer in ET.parse(folder / "model.xml").iter("layer")
            if layer.get("type") == "Const"]
    return sorted({(one["element_type"], int(one["offset"]), int(one["size"])) for one in data
                   if "element_type" in one and "size" in one})


def make_elements(kind, size, pick):
    """Other elements of a constant, or None if they are indices or the like."""
    if kind not in ("f32", "f16", "u8", "i8"):
        return None
    form = {"f32": "f", "f16": "e", "u8": "B", "i8": "b"}[kind]
    count = size // struct.calcsize(form)
    choice = pick.randrange(8)
    if form in "fe":
        numbers = [pick.gauss(0, 0.3) for _ in range(count)] if choice else [pick.choice([0.0, 1.0, -0.0])] * count
    else:
        least = 0 if form == "B" else -128
        numbers = [pick.randrange(least, least + 256) for _ in range(count)] if choice else [0] * count
    return struct.pack(f"<{count}{form}", *numbers)


def retrain(folder, pick, changes_small):
    """Changes all large constants, and a small one too if `changes_small` is set. Returns whether it did that."""
    weights = bytearray((folder / "model.bin").read_bytes())
    constants = find_constants(folder)
    for kind, offset, size in constants:
        elements = make_elements(kind, size, pick) if size > LARGE else None
        if elements is not None:
            weights[offset:offset + size] = elements
    small = [constant for constant in constants if 0 < constant[2] <= LARGE]
    changes_small = changes_small and bool(small)
    if changes_small:
        _, offset, size = pick.choice(small)
        weights[offset + pick.randrange(size)] ^= 1 << pick.randrange(8)
    (folder / "model.bin").write_bytes(weights)
    return changes_small


def build(folder, name, options):
    made = subprocess.run(["ir-compile", str(folder / "model.xml"), "-o", str(folder / f"{name}.so"), "--emit=shared",
                           "--name=model", "--weights-mode=caller", *options], capture_output=True, text=True)
    return made.returncode == 0


def call(library, weights, inputs):
    """The outputs, or the words of an error; and whether the weights were refused."""
    try:
        model = Model(library, "model", False, weights=weights)
    except Difference as difference:
        return None, str(difference).startswith(f"status {REFUSED}:")
    try:
        return [(value.shape, value.data) for value in model.run(inputs)], False
    except Difference as difference:
        return str(difference), False


def read_values(source, case):
    values = []
    for entry, kind in zip(case["inputs"], (entry["element_type"] for entry in case["inputs"])):
        data = (source / case["name"] / entry["file"]).read_bytes()
        (length,) = struct.unpack("<H", data[8:10])
        dims = list(ast.literal_eval(data[10:10 + length].decode())["shape"])
        number = ["boolean", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "f16", "bf16", "f32",
                  "f64"].index(kind) + 1
        values.append(Value(dims, number, data[10 + length:]))
    return values


def check_model(source, case, pick, changes_small, work, failures):
    """Returns 1 if the old object took the weights, 0 if it refused them, and None without an object."""
    folder = work / case["name"]
    folder.mkdir(parents=True)
    for name in ("model.xml", "model.bin"):
        shutil.copy(source / case["name"] / name, folder)
    options = pick.choice(OPTIONS)
    where = f"{case['name']} {' '.join(options)}"
    if not build(folder, "old", options):
        return None
    changes_small = retrain(folder, pick, changes_small)
    only = subprocess.run(["ir-compile", str(folder / "model.xml"), "-o", str(folder / "only.weights"),
                           "--weights-only", *options], capture_output=True, text=True)
    built = build(folder, "new", options)
    if built and not (folder / "new.weights").stat().st_size:
        # All constants are parts of the code.
        if "all constants are parts of it" not in only.stderr:
            failures.append(f"{where}: --weights-only writes a file without weights: {only.stderr}")
        return 0
    if built != (only.returncode == 0):
        failures.append(f"{where}: --weights-only and the object do not both fail: {only.stderr}")
        return None
    if not built:
        return None
    weights = (folder / "only.weights").read_bytes()
    if weights != (folder / "new.weights").read_bytes():
        failures.append(f"{where}: --weights-only writes other weights than those of the object")
    inputs = read_values(source, case)
    want, is_refused = call(ctypes.CDLL(str(folder / "new.so")), weights, inputs)
    if is_refused:
        failures.append(f"{where}: the new object refuses its weights")
    got, is_refused = call(ctypes.CDLL(str(folder / "old.so")), weights, inputs)
    if is_refused:
        # A model of equal large constants has one place for both, so even large changes may be refused.
        return 0
    if got != want:
        failures.append(f"{where}: the old object computes something else; small changes: {changes_small}")
    return 1


def main():
    source, seed, count = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    pick = random.Random(seed)
    cases = [case for case in json.loads((source / "cases.json").read_text())
             if (source / case["name"] / "model.bin").exists()
             and (source / case["name"] / "model.bin").stat().st_size > LARGE
             and any(size > LARGE for _, _, size in find_constants(source / case["name"]))]
    failures, results = [], []
    with tempfile.TemporaryDirectory() as work:
        # A few models may all have changes that are refused: then more follow, until weights were taken once.
        for i in range(10 * count):
            if i >= count and 1 in results:
                break
            results.append(check_model(source, pick.choice(cases), pick, i % 3 == 0, Path(work) / str(i), failures))
    for failure in failures:
        print("FAIL", failure)
    taken, refused = results.count(1), results.count(0)
    print(f"seed {seed}: {taken} taken, {refused} refused")
    print(f"{taken + refused - len(failures)} passed, {len(failures)} failed")
    # Without both, the models would say little. A few may have no small constant.
    return 1 if failures or not taken or (count > 20 and not refused) else 0


if __name__ == "__main__":
    sys.exit(main())
