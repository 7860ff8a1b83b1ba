# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""closed_functions.py SOURCE TYPE...: all element-wise operations and reductions, in one model for each element type.

The folder of the sources has docs/generated/SupportedOps.md with the names, and Libm.h. An operation gets inputs in
several forms, and counts for the types and forms that ir-check accepts. The object file of the model must have no
undefined symbols, but for those of f64 that Libm.h has. Functions of integers must give exactly what the interpreter
gives, and those of f64 nearly.
"""
import pathlib
import re
import struct
import subprocess
import sys

FAMILIES = {"Activation", "Arithmetic", "Bitwise", "Comparison", "Logical", "Reduction"}
# x is the tensor, p a parameter with one element, and axis a constant of i64.
FORMS = (["x"], ["x", "x"], ["x", "p"], ["x", "p", "p"], ["x", "axis"])
ATTRIBUTES = ('alpha="1.5" beta="0.5" min="-1" max="1" axis="0" keep_dims="true" mode="half_to_even" '
              'approximation_mode="tanh"')
FORMATS = {"i8": "b", "u8": "B", "i16": "h", "u16": "H", "i32": "i", "u32": "I", "i64": "q", "u64": "Q",
           "f64": "d"}


def run(*words, accept=(0,)):
    done = subprocess.run(words, capture_output=True, text=True)
    assert done.returncode in accept, f"{words}: {done.stderr}"
    return done.stdout + done.stderr


def write_model(element, layers):
    """Writes a model of layers, each the name of an operation and a form."""
    nodes, edges = [], []

    def node(kind, data, inputs, has_output):
        ports = "".join(f'<port id="{i}"/>' for i in range(len(inputs)))
        output = f'<output><port id="{len(inputs)}"/></output>' if has_output else ""
        nodes.append(f'<layer id="{len(nodes)}" name="n{len(nodes)}" type="{kind}" version="opset16">'
                     f"<data {data}/><input>{ports}</input>{output}</layer>")
        for i, (source, port) in enumerate(inputs):
            edges.append(f'<edge from-layer="{source}" from-port="{port}" to-layer="{len(nodes) - 1}" to-port="{i}"/>')
        return len(nodes) - 1, len(inputs)

    sources = {"x": node("Parameter", f'shape="?" element_type="{element}"', [], True),
               "p": node("Parameter", f'shape="1" element_type="{element}"', [], True),
               "axis": node("Const", 'shape="" element_type="i64" offset="0" size="8"', [], True)}
    by_id = {}
    for layer in layers:
        name, form = layer
        value = node(name, ATTRIBUTES, [sources[source] for source in form], True)
        by_id[value[0]] = layer
        node("Result", "", [value], False)
    pathlib.Path("model.xml").write_text(f'<net name="model" version="11"><layers>{"".join(nodes)}</layers>'
                                         f'<edges>{"".join(edges)}</edges></net>')
    pathlib.Path("model.bin").write_bytes(bytes(8))
    return by_id


def accepted(element, layers):
    """The layers that are none of the errors of ir-check."""
    while True:
        by_id = write_model(element, layers)
        text = run("ir-check", "model.xml", "--max-errors=0", accept=(0, 1))
        wrong = {int(at) for at in re.findall(r"error: layer (\d+) ", text)} & by_id.keys()
        if not wrong:
            assert "error:" not in text, text
            return layers
        layers = [layer for at, layer in by_id.items() if at not in wrong]


def values_of(element):
    """All integers of up to 16 bits; of more, small ones, powers of two, and those between which logarithms change.
    Numbers of all magnitudes."""
    if element == "f64":
        numbers = [sign * factor * 2.0**power for sign in (-1, 1) for factor in (1, 1.37)
                   for power in range(-1074, 1024, 5)]
        numbers += [0.0037 * i for i in range(-9000, 9000)]
        return numbers + [0.0, -0.0, float("inf"), float("-inf"), float("nan")]
    width = 8 * struct.calcsize("=" + FORMATS[element])
    least = -(1 << (width - 1)) if element[0] == "i" else 0
    most = least + (1 << width) - 1
    if width <= 16:
        return range(least, most + 1)
    found = set(range(-3000, 3000)) | {least, least + 1, most - 1, most}
    for bit in range(width):
        found |= {sign * ((1 << bit) + near) for near in range(-3, 4) for sign in (-1, 1)}
    for half in range(1, 88):
        # sinh and cosh of half / 2 are about half of this.
        middle, step = int(2.718281828459045 ** (half / 2)), 1 << max(0, int(half / 2 * 1.4427) - 52)
        found |= {base + near * step for base in (middle, middle // 2) for near in range(-40, 41)}
    # Numbers that are close to multiples of pi/2.
    found |= {11, 22, 33, 355, 710, 52174, 104348, 208341, 312689, 833719, 1146408, 4272943, 5419351, 80143857,
              165707065, 245850922, 411557987, 1068966896, 2549491779, 6167950454, 14885392687, 21053343141,
              1783366216531, 3587785776203, 5371151992734, 8958937768937, 139755218526789, 428224593349304,
              5706674932067741, 6134899525417045, 30246273033735921, 66627445592888887, 430010946591069243,
              2646693125139304345}
    return sorted(value for value in found if least <= value <= most)


def write_array(path, element, values):
    width = struct.calcsize("=" + FORMATS[element])
    header = f"{{'descr': '{'|' if width == 1 else '<'}{element[0]}{width}', 'fortran_order': False, " \
             f"'shape': ({len(values)},), }}"
    header += " " * (-(len(header) + 11) % 64) + "\n"
    data = struct.pack(f"<{len(values)}{FORMATS[element]}", *values)
    pathlib.Path(path).write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + data)


def main(source, *elements):
    page = pathlib.Path(source, "docs/generated/SupportedOps.md").read_text()
    header = pathlib.Path(source, "include/Recur/Target/Libm.h").read_text()
    (functions,) = re.findall(r"kLibmFunctions\[\] = \{([^}]*)\}", header)
    libm = set(re.findall(r'"(\w+)"', functions))
    rows = re.findall(r"^\| (\w+)[^|]*\| opset\d+ \| [^|]* \| (\w+) \|$", page, re.MULTILINE)
    operations = {name for name, family in rows if family in FAMILIES}
    layers = [(name, form) for name in sorted(operations) for form in FORMS]
    covered = set()
    for element in elements:
        good = accepted(element, layers)
        covered |= {layer[0] for layer in good}
        # An object for several CPUs has the same code as one for each of them, and takes the time of all.
        for options in (["--mcpu=x86-64-v3"], ["--mcpu=x86-64"], ["--mtriple=aarch64-linux-gnu"]):
            run("ir-compile", "model.xml", "-o", "model.o", *options)
            undefined = set(run("llvm-nm", "-u", "--format=just-symbols", "model.o").split())
            assert undefined <= (libm if element == "f64" else set()), f"{element} {options}: {undefined}"
        if element in FORMATS:
            unary = [layer for layer in good if layer[1] == ["x"]]
            write_model(element, unary)
            write_array("x.npy", element, values_of(element))
            write_array("p.npy", element, [1])
            run("ir-run", "model.xml", "x.npy", "p.npy", "--interpret", "--output-dir=want")
            bounds = ["--rtol=1e-15", "--atol=1e-15"] if element == "f64" else ["--rtol=0", "--atol=0"]
            for options in ([], ["--mcpu=x86-64"]):
                run("ir-run", "model.xml", "x.npy", "p.npy", "--expect=want", *bounds, *options)
        print(f"{element}: {len({layer[0] for layer in good})} operations")
    print("not covered:", *sorted(operations - covered))


main(*sys.argv[1:])
