#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Calls cells, and sequences of them, with weights whose dims are known only in the call.

Usage: cell_weights.py FOLDER CC. Weights of the right dims give a result, and all others a status, compiled and
interpreted. The strict caller finds reads beyond the end of the weights.
"""
import math
import pathlib
import shlex
import subprocess
import sys

import npy

N, T, I, H = 2, 3, 2, 3
# The op without its ending: gates of W and R, gates of B, the number of activations, and an attribute.
CELLS = [("lstm", 4, 4, 3, ""), ("gru", 3, 3, 2, ", linear_before_reset = false"),
         ("gru", 3, 4, 2, ", linear_before_reset = true"), ("rnn", 1, 1, 1, "")]


def tensor(dims, element="f32"):
    return "tensor<" + "".join(f"{dim}x" for dim in dims) + element + ">"


def model(name, operands, count, attributes, results):
    """A module with one op. `operands` has the dims of each operand; those of weights are open."""
    types = [tensor(["?"] * len(dims) if i >= len(operands) - 3 else dims, element)
             for i, (dims, element) in enumerate(operands)]
    names = ["sigmoid", "tanh", "tanh"] if count > 1 else ["tanh"]
    activations = ", ".join(f"#ov.cell_activation<{one}>" for one in names[:count])
    arguments = ", ".join(f"%{i}: {each}" for i, each in enumerate(types))
    values = ", ".join(f"%{i}" for i in range(len(types)))
    several = f":{len(results)}" if len(results) > 1 else ""
    returned = ", ".join(results) if not several else "(" + ", ".join(results) + ")"
    return (f"func.func @main({arguments}) -> {results[0]} {{\n  %r{several} = ov.{name} {values} "
            f"{{activations = [{activations}], activations_alpha = [], activations_beta = [], "
            f"hidden_size = {H} : i64{attributes}}} : ({', '.join(types)}) -> {returned}\n"
            f"  return %r{'#0' if several else ''} : {results[0]}\n}}\n")


def make_models():
    """Yields a name, a module, and the operands of each op."""
    for kind, gates, biases, count, attribute in CELLS:
        states = 2 if kind == "lstm" else 1
        weights = [[gates * H, I], [gates * H, H], [biases * H]]
        operands = [([N, I], "f32")] + [([N, H], "f32")] * states + [(dims, "f32") for dims in weights]
        yield f"{kind}_cell{biases}", model(f"{kind}_cell", operands, count, attribute,
                                            [tensor([N, H])] * states), operands
        operands = [([N, T, I], "f32")] + [([N, 2, H], "f32")] * states + [([N], "i32")]
        operands += [([2] + dims, "f32") for dims in weights]
        attributes = attribute + ", direction = #ov.sequence_direction<bidirectional>"
        yield f"{kind}_sequence{biases}", model(f"{kind}_sequence", operands, count, attributes,
                                                [tensor([N, 2, T, H])] + [tensor([N, 2, H])] * states), operands


def main():
    folder, every = pathlib.Path(sys.argv[1]), int((sys.argv[3:] or ["1"])[0])
    folder.mkdir(parents=True, exist_ok=True)
    failures = calls = 0
    for name, text, operands in make_models():
        file = folder / f"{name}.mlir"
        file.write_text(text)
        library = folder / f"{name}.so"
        subprocess.run(["ir-compile", file, "-o", folder / "model.o"], check=True)
        subprocess.run([*shlex.split(sys.argv[2]), "-shared", "-o", library, folder / "model.o"], check=True)
        shapes = [dims for dims, _ in operands]
        tries = [shapes]
        for i in range(len(shapes) - 3, len(shapes)):
            for axis in range(len(shapes[i])):
                for size in {1, shapes[i][axis] - 1, shapes[i][axis] + 1} - {shapes[i][axis]}:
                    other = [list(dims) for dims in shapes]
                    other[i][axis] = size
                    tries.append(other)
        # As many elements, in other dims.
        tries.append(shapes[:-2] + [shapes[-2][:-2] + shapes[-2][:-3:-1]] + shapes[-1:])
        tries = [tries[0]] + [one for one in tries[1:] if one != shapes][::every]
        for number, dims in enumerate(tries):
            files = []
            for operand, (own, (_, element)) in enumerate(zip(dims, operands)):
                files.append(folder / f"in_{operand}.npy")
                count = math.prod(own)
                kind, numbers = ("i4", [T] * count) if element == "i32" else ("f4", [i / 16 for i in range(count)])
                npy.write(files[-1], kind, ",".join(map(str, own)), numbers)
            for mode, program in (("--strict", library), ("--interpret", file)):
                done = subprocess.run(["ir-run", "--quiet", mode, program, *files], capture_output=True, text=True)
                calls += 1
                isRight = done.returncode == 0 if number == 0 else done.stderr.rstrip().endswith("(status 2)")
                if not isRight:
                    failures += 1
                    print(f"{name} {mode} {dims}: {done.returncode} {done.stderr[-300:]}")
    print(f"{calls} calls, {failures} failures")
    return failures != 0


if __name__ == "__main__":
    sys.exit(main())
