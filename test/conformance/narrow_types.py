#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs all operations in f16 and in bf16, and compares with f64.

    narrow_types.py --ir-run build/dev/bin/ir-run [--only=TEXT]

The cases are those of narrow_cases.py, which are hard for narrow types, and the first two of each operation in ops_*.py
that have inputs of f32.
Their inputs are rounded to the type. A layer is computed in f32 and rounded once (docs/Semantics.md, V2), so a result
is within one unit in the last place. `slack` of a case is what sums of f32 add to that: n * 2^-24 of the numbers that
n summands have. The models are made when the script runs, many layers in one model, and are compiled and interpreted.
The last line is `N passed, N failed`; a case counts once for each type.
"""
import argparse
import collections
import importlib
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

import op_cases
from make_semantics import FOLDER, Graph, element_of
from op_cases import Const

# The layers of one model.
MODEL_SIZE = 40
# The cases of an operation that are taken from ops_*.py.
MOST_OTHERS = 2
MODES = {"jit": [], "interpret": ["--interpret"]}
# Operations and cases whose results are no functions of real numbers.
SKIPPED = {"RandomUniform": "rule R1 says which numbers it draws",
           "Multinomial": "its samples change at once where a sum of probabilities does",
           "op_segment_max_lowest": "its result has the least number of f32"}


class Narrow:
    """A narrow type: its name, the significant bits, and the least exponent of a normal number."""

    def __init__(self, name, bits, least, most):
        self.name, self.bits, self.least, self.most = name, bits, least, most

    def round(self, x):
        """The nearest numbers that the type has, as f64; ties go to the even one."""
        with np.errstate(all="ignore"):
            unit = self.unit(x)
            rounded = np.where(np.isfinite(x), np.round(x / unit) * unit, x)
            return np.where(np.abs(rounded) > self.most, np.copysign(np.inf, rounded), rounded)

    def unit(self, x):
        """The distance of numbers of the type at x."""
        exponent = np.frexp(np.where(np.isfinite(x), x, 0))[1] - 1
        return np.ldexp(1.0, np.maximum(exponent, self.least) - (self.bits - 1))

    def encode(self, x):
        """As an array of a .npy file."""
        if self.name == "f16":
            return x.astype(np.float16)
        return (x.astype(np.float32).view(np.uint32) >> 16).astype(np.uint16)

    def decode(self, array):
        if array.dtype == np.float16:
            return array.astype(np.float64)
        return (array.astype(np.uint32) << 16).view(np.float32).astype(np.float64)


NARROW = [Narrow("f16", 11, -14, 65504.0), Narrow("bf16", 8, -126, float(np.ldexp(255 / 128, 127)))]


def is_f32(x):
    return np.asarray(x).dtype == np.float32


def collect(only):
    """The cases with inputs of f32, by name."""
    importlib.import_module("narrow_cases")
    own = set(op_cases.CASES)
    for path in sorted(FOLDER.glob("ops_*.py")):
        importlib.import_module(path.stem)
    cases, others = {}, collections.Counter()
    for name, build in op_cases.CASES.items():
        layer = getattr(build, "layer", None)
        if layer is None or layer["kind"] in SKIPPED or name in SKIPPED:
            continue
        if not any(is_f32(x.value if isinstance(x, Const) else x) for x in layer["inputs"]):
            continue
        others[layer["kind"]] += name not in own
        if only in name and (name in own or others[layer["kind"]] <= MOST_OTHERS):
            cases[name] = layer
    return cases


class Model:
    """Layers in one model, with what they must give."""

    def __init__(self, narrow):
        self.narrow, self.graph, self.inputs, self.wanted = narrow, Graph(), [], []

    def constant(self, x):
        if not is_f32(x):
            return self.graph.const(x)
        data = self.narrow.encode(self.narrow.round(x.astype(np.float64)))
        offset = len(self.graph.weights)
        self.graph.weights += data.tobytes() or b"\0"
        return self.graph.add("Const", element=self.narrow.name, element_type=self.narrow.name,
                              shape=",".join(map(str, x.shape)), offset=offset, size=max(data.nbytes, 1))

    def parameter(self, x):
        name = self.narrow.name if is_f32(x) else element_of(x)
        self.inputs.append(self.narrow.encode(self.narrow.round(x.astype(np.float64))) if is_f32(x) else x)
        return self.graph.parameter(name, x.shape)

    def add(self, name, layer):
        raw = [np.asarray(x.value if isinstance(x, Const) else x) for x in layer["inputs"]]
        exact = [self.narrow.round(x.astype(np.float64)) if is_f32(x) else x for x in raw]
        with np.errstate(all="ignore"):
            made = layer["function"](*exact)
            slack = layer["slack"](*exact) if layer["slack"] else 0
        made = made if isinstance(made, tuple) else (made,)
        elements = layer["element"] or element_of(raw[0])
        elements = [elements] * len(made) if isinstance(elements, str) else elements
        elements = [self.narrow.name if element == "f32" else element for element in elements]
        # Attributes that name a type.
        data = {key: self.narrow.name if value == "f32" else value for key, value in layer["data"].items()}
        values = [self.constant(x) if isinstance(own, Const) else self.parameter(x)
                  for own, x in zip(layer["inputs"], raw)]
        results = self.graph.add(layer["kind"], values, element=elements, outputs=len(made), opset=layer["opset"],
                                 **data)
        for i, result in enumerate(results if len(made) > 1 else (results,)):
            self.graph.result(result)
            self.wanted.append((name, np.asarray(made[i]), elements[i], slack))

    def run(self, ir_run, mode):
        """The failures of the model, as pairs of a case and words."""
        with tempfile.TemporaryDirectory() as folder:
            folder = Path(folder)
            (folder / "model.xml").write_text(
                f'<?xml version="1.0"?>\n<net name="narrow" version="11">\n{self.graph.text()}\n</net>\n')
            (folder / "model.bin").write_bytes(bytes(self.graph.weights))
            paths = []
            for i, array in enumerate(self.inputs):
                paths.append(folder / f"in_{i}.npy")
                np.save(paths[-1], array)
            done = subprocess.run([ir_run, folder / "model.xml", *paths, "--quiet", "--output-dir", folder / "out",
                                   *MODES[mode]], capture_output=True, text=True)
            if done.returncode:
                words = done.stderr.strip().splitlines()
                return [(name, f"ir-run fails: {words[0] if words else done.returncode}")
                        for name in {name for name, *_ in self.wanted}]
            failures = []
            for i, (name, wanted, element, slack) in enumerate(self.wanted):
                if problem := self.compare(np.load(folder / "out" / f"out_{i}.npy"), wanted, element, slack):
                    failures.append((name, problem))
            return failures

    def compare(self, got, wanted, element, slack):
        if got.shape != wanted.shape:
            return f"the shape is {got.shape}, expected {wanted.shape}"
        if element != self.narrow.name:
            wrong = got != wanted
            return f"{wrong.sum()} of {wrong.size} numbers differ" if wrong.any() else None
        got, wanted = self.narrow.decode(got), wanted.astype(np.float64)
        rounded = self.narrow.round(wanted)
        unit = self.narrow.unit(wanted)
        with np.errstate(all="ignore"):
            is_near = np.abs(got - wanted) <= unit + slack
            # Beside the greatest number is infinity.
            is_far = np.abs(wanted) + unit + slack > self.narrow.most
            is_at_end = np.isinf(got) & (np.sign(got) == np.sign(wanted)) & is_far
            wrong = ~(is_near | is_at_end | (got == rounded) | (np.isnan(got) & np.isnan(rounded)))
        if not wrong.any():
            return None
        with np.errstate(all="ignore"):
            worst = np.argmax(np.where(wrong, np.nan_to_num(np.abs(got - wanted) / unit, nan=np.inf), 0))
        return (f"{wrong.sum()} of {wrong.size} numbers differ; number {worst} is {got.flat[worst]}, "
                f"expected {wanted.flat[worst]}")


def make_models(narrow, cases):
    names = list(cases)
    for first in range(0, len(names), MODEL_SIZE):
        model = Model(narrow)
        for name in names[first:first + MODEL_SIZE]:
            model.add(name, cases[name])
        yield model


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ir-run", required=True)
    parser.add_argument("--only", default="", metavar="TEXT")
    options = parser.parse_args()
    cases = collect(options.only)
    failed = set()
    for narrow in NARROW:
        for model in make_models(narrow, cases):
            for mode in MODES:
                for name, problem in model.run(options.ir_run, mode):
                    failed.add((name, narrow.name))
                    print(f"FAIL {name} {narrow.name} {mode}: {problem}")
    count = len(cases) * len(NARROW)
    print(f"{count - len(failed)} passed, {len(failed)} failed")
    return bool(failed) or count == 0


if __name__ == "__main__":
    sys.exit(main())
