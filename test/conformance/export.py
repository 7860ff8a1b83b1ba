#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Exports a model, and runs the export in place of it.

    export.py IR-RUN MODEL.xml ARGUMENTS...

The other tools are beside IR-RUN. The model is imported, exported, and imported again: both imports must be the same
text, but for the order of ops, ops without an effect, and places in files. Then the model is simplified and exported,
and `IR-RUN EXPORT ARGUMENTS...` decides the status.
"""

import hashlib
import math
import re
import subprocess
import sys
import tempfile
from pathlib import Path

# A tool that takes longer hangs.
SECONDS = 120

NAME = re.compile(r"%[\w$.]+")
# The layout steps that the importer makes: elements of a few bits stay packed, and columns are cut out.
WEIGHTS = re.compile(
    r"#ov\.weights<(\d+), (tensor<((?:\d+x)*)(?:ui|i|f|bf)(\d+)>)(?:, \[#ov\.extract<1, (\d+), (\d+)>\])?"
)
# A constant that the importer has computed stays in the module, also if it is larger than those that it reads.
DENSE = re.compile(r'dense<"0x([0-9A-F]+)"> : (tensor<[^>]*>)')
DENSE_BYTES = 1024


class Op:
    """An op in MLIR's generic form: the text in front of its regions, the regions, and the text behind them. A region
    is the text of its block's arguments, and its ops."""

    def __init__(self, text):
        names, _, rest = text.partition(" = ")
        has_results = names.startswith("%")
        # "%0:3" defines %0, which is used as %0#1.
        self.results = [name.partition(":")[0] for name in names.split(", ")] if has_results else []
        self.counts = [name.partition(":")[2] for name in names.split(", ")] if has_results else []
        self.head, self.regions, self.tail, self.names = rest if has_results else text, [], "", None


def parse(line, lines):
    """The op that begins with a line; `lines` is an iterator of those behind it."""
    op = Op(line)
    while line.endswith("({") or line == "}, {":
        arguments, ops = "", []
        for line in lines:
            if line.startswith("^bb"):
                arguments = line.partition("(")[2]
            elif line.startswith("}"):
                break
            else:
                ops.append(parse(line, lines))
        op.regions.append((arguments, ops))
        op.tail = line
    return op


def order(ops):
    """The ops that the last one needs, each behind those that it uses, in an order that depends on the uses alone."""
    makers = {name: op for op in ops for name in op.results}
    done, result, stack = set(), [], [(ops[-1], iter(uses(ops[-1])))]
    while stack:
        op, names = stack[-1]
        for name in names:
            maker = makers.get(name)
            if maker and id(maker) not in done:
                done.add(id(maker))
                stack.append((maker, iter(uses(maker))))
                break
        else:
            result.append(op)
            stack.pop()
    return result


def uses(op):
    """The names that an op uses, in order; also those of its own regions, which its block does not know."""
    if op.names is None:
        op.names = NAME.findall(op.head)
        op.regions = [(arguments, order(ops)) for arguments, ops in op.regions]
        for _, ops in op.regions:
            for inner in ops:
                op.names += uses(inner)
    return op.names


def render(op, names, lines, indent=""):
    """Appends the text of an op with new names, which are numbers in the order of the text."""

    def define(old):
        names[old] = f"%{len(names)}"
        return names[old]

    def rename(text):
        return NAME.sub(lambda match: names[match[0]], text)

    head = rename(op.head)
    results = ", ".join(define(name) + ":" + count for name, count in zip(op.results, op.counts))
    lines.append(f"{indent}{results} = {head}")
    for arguments, ops in op.regions:
        lines.append(indent + NAME.sub(lambda match: define(match[0]), arguments))
        for inner in ops:
            render(inner, names, lines, indent + "  ")
    lines.append(indent + op.tail)


def normalize(text, weights):
    """The text of a module without its dead ops, in an order of its own, and with hashes of weights for places."""

    def hash_weights(match):
        offset, tensor, dims, bits, start, columns = match.groups()
        dims, size = [int(dim) for dim in filter(None, dims.split("x"))], max(int(bits) // 8, 1)
        elements = weights[int(offset):int(offset) + math.prod(dims) * size]
        if columns:
            row, first, last = dims[1] * size, int(start) * size, (int(start) + int(columns)) * size
            elements = b"".join(elements[at + first:at + last] for at in range(0, len(elements), row))
            tensor = tensor.replace(f"x{dims[1]}x", f"x{columns}x")
        return f"#ov.weights<{hashlib.sha256(elements).hexdigest()}, {tensor}"

    def hash_dense(match):
        elements, tensor = bytes.fromhex(match[1]), match[2]
        if len(elements) <= DENSE_BYTES:
            return match[0]
        return f"#ov.weights<{hashlib.sha256(elements).hexdigest()}, {tensor}> : {tensor}"

    text = DENSE.sub(hash_dense, WEIGHTS.sub(hash_weights, text))
    text = re.sub(r"(, )?ov\.weights_file = #ov\.weights_file<[^>]*>", "", text).replace(") {}", ")")
    first, *rest = [line.strip() for line in text.splitlines() if line.strip()]
    module, lines = parse(first, iter(rest)), []
    uses(module)
    render(module, {}, lines)
    return lines


class ExportError(Exception):
    """Why there is no export, or a wrong one."""


class Tools:
    """The tools of a folder. They have `seconds` for a model."""

    def __init__(self, folder, seconds=SECONDS, environment=None):
        self.folder, self.seconds, self.environment = folder, seconds, environment

    def run(self, tool, *arguments):
        """Standard output of a tool, which must succeed."""
        command = [str(self.folder / tool), *map(str, arguments)]
        try:
            done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace",
                                  timeout=self.seconds, env=self.environment)
        except subprocess.TimeoutExpired:
            raise ExportError(f"'{tool} {arguments[0]}' has no end after {self.seconds:g} s") from None
        except OSError as error:
            raise ExportError(f"'{tool}' cannot be run: {error}") from None
        if done.returncode:
            errors = [line for line in done.stderr.splitlines() if "error:" in line]
            raise ExportError(f"'{tool} {arguments[0]}' ended with status {done.returncode}: {errors[:1]}")
        return done.stdout

    def import_text(self, model):
        """The text of a model, and the same normalized."""
        weights = model.with_suffix(".bin")
        text = self.run("ir-translate", "--import-openvino", "--mlir-print-op-generic", model)
        return text, normalize(text, weights.read_bytes() if weights.exists() else b"")


def agree(want, got):
    """True for equal lines. An export has the elements that FakeQuantize gives a constant; the run compares them."""
    return want == got or ("#ov.fake_quantize<" in want and want.rpartition(" : ")[2] == got.rpartition(" : ")[2])


def export(tools, model, folder):
    """Exports a model as it is imported, and simplified, to `folder`. Returns the second export."""
    plain, simplified, text = folder / "plain.xml", folder / "simplified.xml", folder / "model.mlir"
    imported, want = tools.import_text(model)
    tools.run("ir-translate", "--export-openvino", model, "-o", plain)
    _, got = tools.import_text(plain)
    lines = [pair for pair in zip(want + [""], got + [""]) if not agree(*pair)]
    if lines:
        raise ExportError("the export is another model: expected\n  {}\nbut got\n  {}".format(*lines[0]))
    text.write_text(imported)
    weights = model.with_suffix(".bin")
    tools.run("ir-opt", text, "--ov-simplify", "-o", folder / "simplified.mlir")
    tools.run("ir-translate", "--export-openvino", folder / "simplified.mlir", "-o", simplified,
              *([f"--weights={weights}"] if weights.exists() else []))
    return simplified


def main():
    ir_run, model, *arguments = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        try:
            simplified = export(Tools(Path(ir_run).resolve().parent), Path(model), Path(folder))
        except ExportError as error:
            sys.exit(f"error: {error}")
        return subprocess.run([ir_run, simplified, *arguments]).returncode


if __name__ == "__main__":
    sys.exit(main())
