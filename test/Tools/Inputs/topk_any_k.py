#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""topk_any_k.py IR_RUN FOLDER: compares the results of TopK, whose k is an input, with those of a stable sort.

The elements have equal ones, zeros of both signs, infinities and NaN. Types of 64 bits are sorted by other keys than
narrower ones, and a small k in another way than a large one. The last line is `N passed, N failed`.
"""
import itertools
import math
import pathlib
import random
import struct
import subprocess
import sys

import npy

TYPES = {"f32": "f4", "f64": "f8", "i64": "i8", "ui64": "u8", "i32": "i4", "ui8": "u1"}  # as npy.py names them
SHAPE = (2, 150)


def draw(kind, rng):
    """Elements of which many are equal, and some at the ends of the type."""
    size = SHAPE[0] * SHAPE[1]
    if kind[0] == "f":
        special = [0.0, -0.0, math.inf, -math.inf, math.nan]
        return [rng.choice(special) if rng.random() < 0.1 else rng.randrange(-40, 40) / 4 for _ in range(size)]
    bits = int(kind.lstrip("ui"))
    least, greatest = (0, 2**bits - 1) if kind[0] == "u" else (-2**(bits - 1), 2**(bits - 1) - 1)
    return [rng.choice([least, greatest, rng.randrange(max(least, -9), 9), rng.randrange(least, greatest)])
            for _ in range(size)]


def choose(row, k, mode, sort):
    """The indices of the k best elements. NaN is greater than any number, and the earlier of equal ones comes first."""
    sign = -1 if mode == "max" else 1
    order = sorted(range(len(row)), key=lambda i: (sign * (row[i] != row[i]), sign * row[i] if row[i] == row[i] else 0))
    return sorted(order[:k]) if sort == "index" else order[:k]


def check(run, folder, kind, mode, sort, is_open, k, rng):
    """True if a model of this kind gives the k best elements."""
    values = draw(kind, rng)
    dims = "?x?" if is_open else "x".join(map(str, SHAPE))
    rows = "?" if is_open else SHAPE[0]
    model = folder / "model.mlir"
    model.write_text(f"""
func.func @main(%x: tensor<{dims}x{kind}>, %k: tensor<i64>) -> (tensor<{rows}x?x{kind}>, tensor<{rows}x?xi64>) {{
  %values, %indices = ov.topk %x, %k {{axis = 1 : i64, index_element_type = i64, mode = #ov.topk_mode<{mode}>,
                                       sort = #ov.topk_sort<{sort}>}}
      : (tensor<{dims}x{kind}>, tensor<i64>) -> (tensor<{rows}x?x{kind}>, tensor<{rows}x?xi64>)
  return %values, %indices : tensor<{rows}x?x{kind}>, tensor<{rows}x?xi64>
}}
""")
    npy.write(folder / "x.npy", TYPES[kind], ",".join(map(str, SHAPE)), values)
    npy.write(folder / "k.npy", "i8", "", [k])
    out = folder / "out"
    result = subprocess.run([run, model, folder / "x.npy", folder / "k.npy", "--quiet", "--output-dir", out],
                            stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if result.returncode:
        print(result.stderr)
        return False
    wanted = [i for r in range(SHAPE[0]) for i in choose(values[r * SHAPE[1]:(r + 1) * SHAPE[1]], k, mode, sort)]
    rows = [r for r in range(SHAPE[0]) for _ in range(k)]
    best = [values[r * SHAPE[1] + i] for r, i in zip(rows, wanted)]
    (values_kind, _, given), (_, _, indices) = npy.read(out / "out_0.npy"), npy.read(out / "out_1.npy")
    # The bits are compared, because NaN and zeros of both signs are among the elements.
    code = f"<{len(best)}{npy.CODES[TYPES[kind]]}"
    return (values_kind == TYPES[kind] and indices == tuple(wanted) and
            struct.pack(code, *given) == struct.pack(code, *best))


def main():
    run, folder, every = sys.argv[1], pathlib.Path(sys.argv[2]), int((sys.argv[3:] or ["1"])[0])
    folder.mkdir(parents=True, exist_ok=True)
    rng = random.Random(0)
    passed = failed = 0
    ways = list(itertools.product(TYPES, ("max", "min"), ("value", "index"), (False, True)))
    for kind, mode, sort, is_open in ways[::every]:
        # Small numbers are inserted, large ones sorted by merging. Two of the four are enough for each kind.
        for k in rng.sample([0, 3, 60, 150], 2):
            if check(run, folder, kind, mode, sort, is_open, k, rng):
                passed += 1
            else:
                failed += 1
                print(f"failed: {kind} {mode} {sort} k={k} {'open' if is_open else 'known'} dims")
    print(f"{passed} passed, {failed} failed")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
