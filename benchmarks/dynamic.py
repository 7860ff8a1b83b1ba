# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Times models with dynamic dims against the same models with the dims fixed. Asserts nothing.

    benchmarks/dynamic.py FOLDER... [--ir-run=build/release/bin/ir-run] [--rounds=3] [--seconds=0.3] [--only=TEXT]
                          [--json=FILE]
    benchmarks/dynamic.py --cells [--batches=1,3,7,13,32] ...

Each FOLDER contains models: folders with `model.xml` and inputs `in_0.npy`, `in_1.npy`, ... in the order of the
Parameters. Models with a `?` or a -1 in the dims of a Parameter are timed as they are, and with `--shape` for each
input. --cells times LSTM, GRU and RNN cells in TensorIterators of dynamic batch and length, which the script writes.
Each round times both forms of a model one after the other. The table has the smallest time of a call that `ir-run
--repeat` prints, because other work on the machine disturbs it least. --code adds the sizes of the objects' code, and
the times to compile them.
"""
import argparse
import array
import json
import math
import os
import platform
import re
import statistics
import struct
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as ElementTree
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def processor():
    text = Path("/proc/cpuinfo").read_text()
    match = re.search(r"^model name\s*: (.*)", text, re.M)
    family = re.search(r"^cpu family\s*: (.*)", text, re.M), re.search(r"^model\s*: (.*)", text, re.M)
    widest = next((f for f in ("avx512f", "avx2", "avx", "sse2") if re.search(rf"\b{f}\b", text)), "?")
    known = f" (family {family[0][1]}, model {family[1][1]})" if all(family) else ""
    return f"{match[1] if match else platform.machine()}{known}, {os.cpu_count()} CPUs, {widest}"


def npy_shape(path):
    """The dims of an array in a file, without numpy."""
    with open(path, "rb") as file:
        magic = file.read(8)
        size = struct.unpack("<H", file.read(2))[0] if magic[6] == 1 else struct.unpack("<I", file.read(4))[0]
        header = file.read(size).decode("latin1")
    return [int(n) for n in re.findall(r"\d+", re.search(r"'shape':\s*\(([^)]*)\)", header)[1])]


def parameters(model):
    """Name and dims (-1 if dynamic) of each Parameter of the model itself."""
    layers = ElementTree.parse(model).getroot().find("layers")
    found = []
    for layer in layers.findall("layer"):
        if layer.get("type") != "Parameter":
            continue
        dims = [int(d.text) for d in layer.findall("output/port/dim")]
        found.append((layer.get("name"), dims))
    return found


class Model:
    def __init__(self, name, folder, inputs=None):
        self.name, self.xml = name, folder / "model.xml"
        number = lambda path: int(re.search(r"in_(\d+)\.npy$", path.name)[1])
        self.inputs = inputs or sorted(folder.glob("in_*.npy"), key=number)
        self.parameters = parameters(self.xml)

    def is_dynamic(self):
        return any(d < 0 for _, dims in self.parameters for d in dims)

    def shapes(self):
        """Options that fix every dim."""
        options = []
        for (name, dims), path in zip(self.parameters, self.inputs):
            if any(d < 0 for d in dims):
                options.append(f"--shape={name}=[{','.join(map(str, npy_shape(path)))}]")
        return options


def call(ir_run, model, options, count):
    command = [str(ir_run), str(model.xml), *map(str, model.inputs), *options, f"--repeat={count}"]
    result = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    match = re.search(r"^time per call: .*least ([0-9.]+) us", result.stdout, re.M)
    if not match:
        said = result.stderr.strip() or result.stdout.strip() or f"status {result.returncode}"
        raise RuntimeError(said.splitlines()[0])
    return float(match[1])


def measure(ir_run, model, rounds, seconds):
    """The smallest times of a call, in microseconds: (dynamic, fixed)."""
    forms = ([], model.shapes())
    estimates = [call(ir_run, model, options, 5) for options in forms]
    best = [math.inf, math.inf]
    for turn in range(rounds):
        for i in (0, 1) if turn % 2 == 0 else (1, 0):
            count = max(5, min(100_000, int(seconds * 1e6 / max(estimates[i], 0.1))))
            best[i] = min(best[i], call(ir_run, model, forms[i], count))
    return best


def code(ir_compile, model, options):
    """Bytes of code for one CPU, and milliseconds to compile."""
    with tempfile.TemporaryDirectory(prefix="recur-dynamic-") as folder:
        output = Path(folder) / "model.o"
        times = []
        for _ in range(3):
            begin = time.perf_counter()
            subprocess.run([str(ir_compile), str(model.xml), "--mcpu=x86-64-v3", *options, "-o", str(output)],
                           check=True, stdout=subprocess.DEVNULL)
            times.append((time.perf_counter() - begin) * 1e3)
        return text_bytes(output.read_bytes()), min(times)


def text_bytes(data):
    """The bytes of the executable sections of an ELF64 object."""
    offset, = struct.unpack_from("<Q", data, 40)
    size, number = struct.unpack_from("<HH", data, 58)
    total = 0
    for i in range(number):
        _, _, flags, _, _, length = struct.unpack_from("<IIQQQQ", data, offset + i * size)
        total += length if flags & 4 else 0
    return total


# Cells.

def write_npy(path, shape, seed):
    count, state, values = math.prod(shape), seed * 2654435761 % 2**32 or 1, array.array("f")
    for _ in range(count):
        state = (state * 1664525 + 1013904223) % 2**32
        values.append(state / 2**32 - 0.5)
    dims = "".join(f"{d}, " for d in shape)
    header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': ({dims}), }}"
    header += " " * (-(len(header) + 11) % 64) + "\n"
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + values.tobytes())


def write_cell(folder, kind, input_size, hidden):
    """A TensorIterator around one cell: x [?,?,I], h [?,H] (and c) in, all states [?,?,H] and the last one out."""
    folder.mkdir(parents=True)
    gates = {"LSTMCell": 4, "GRUCell": 3, "RNNCell": 1}[kind]
    states = 2 if kind == "LSTMCell" else 1
    weights, values, seed = [], array.array("f"), 1
    for shape in ([gates * hidden, input_size], [gates * hidden, hidden], [gates * hidden]):
        weights.append((shape, len(values) * 4))
        for _ in range(math.prod(shape)):
            seed = (seed * 1664525 + 1013904223) % 2**32
            values.append((seed / 2**32 - 0.5) * 2 / math.sqrt(hidden))
    (folder / "model.bin").write_bytes(values.tobytes())

    def port(index, dims, kind="input"):
        text = "".join(f"<dim>{d}</dim>" for d in dims)
        precision = ' precision="FP32"' if kind == "output" else ""
        return f'<port id="{index}"{precision}>{text}</port>'

    def layer(index, name, kind, version, data, inputs, outputs, more=""):
        text = f'<layer id="{index}" name="{name}" type="{kind}" version="{version}">'
        text += f"<data {data}/>" if data else ""
        if inputs:
            text += "<input>" + "".join(port(i, dims) for i, dims in enumerate(inputs)) + "</input>"
        if outputs:
            ports = [port(len(inputs) + i, dims, "output") for i, dims in enumerate(outputs)]
            text += "<output>" + "".join(ports) + "</output>"
        return text + more + "</layer>"

    def parameter(index, name, dims):
        return layer(index, name, "Parameter", "opset1",
                     f'shape="{",".join("?" if d < 0 else str(d) for d in dims)}" element_type="f32"', [], [dims])

    x, h, part = [-1, -1, input_size], [-1, hidden], [-1, 1, input_size]
    body, edges = [parameter(0, "part", part)], []
    body += [parameter(1 + i, f"state{i}", h) for i in range(states)]
    body.append('<layer id="10" name="axis" type="Const" version="opset1"><data element_type="i64" shape="1" offset="'
                f'{len(values) * 4}" size="8"/>'
                '<output><port id="0" precision="I64"><dim>1</dim></port></output></layer>')
    with open(folder / "model.bin", "ab") as file:
        file.write(struct.pack("<q", 1))
    body.append(layer(11, "row", "Squeeze", "opset1", "", [part, [1]], [[-1, input_size]]))
    edges += [(0, 0, 11, 0), (10, 0, 11, 1)]
    for i, (shape, offset) in enumerate(weights):
        body.append(layer(20 + i, f"w{i}", "Const", "opset1",
                          f'element_type="f32" shape="{",".join(map(str, shape))}" offset="{offset}" '
                          f'size="{math.prod(shape) * 4}"', [], [shape]))
    version = {"LSTMCell": "opset4", "GRUCell": "opset3", "RNNCell": "opset1"}[kind]
    activations = {"LSTMCell": "sigmoid,tanh,tanh", "GRUCell": "sigmoid,tanh", "RNNCell": "tanh"}[kind]
    inputs = [[-1, input_size]] + [h] * states + [shape for shape, _ in weights]
    data = f'hidden_size="{hidden}" activations="{activations}" activations_alpha="" activations_beta="" clip="0"'
    if kind == "GRUCell":
        data += ' linear_before_reset="false"'
    body.append(layer(30, "cell", kind, version, data, inputs, [h] * states))
    edges.append((11, 2, 30, 0))
    edges += [(1 + i, 0, 30, 1 + i) for i in range(states)]
    edges += [(20 + i, 0, 30, 1 + states + i) for i in range(3)]
    first = len(inputs)
    body.append(layer(40, "whole", "Unsqueeze", "opset1", "", [h, [1]], [[-1, 1, hidden]]))
    edges += [(30, first, 40, 0), (10, 0, 40, 1)]
    body.append(layer(50, "all", "Result", "opset1", "", [[-1, 1, hidden]], []))
    edges.append((40, 2, 50, 0))
    for i in range(states):
        body.append(layer(51 + i, f"next{i}", "Result", "opset1", "", [h], []))
        edges.append((30, first + i, 51 + i, 0))
    links = "".join(f'<edge from-layer="{a}" from-port="{b}" to-layer="{c}" to-port="{d}"/>' for a, b, c, d in edges)
    outer = [x] + [h] * states
    ports = '<input external_port_id="0" internal_layer_id="0" axis="1" start="0" end="-1" stride="1" part_size="1"/>'
    ports += "".join(f'<input external_port_id="{1 + i}" internal_layer_id="{1 + i}"/>' for i in range(states))
    ports += (f'<output external_port_id="{1 + states}" internal_layer_id="50" axis="1" start="0" end="-1" stride="1" '
              'part_size="1"/>')
    ports += f'<output external_port_id="{2 + states}" internal_layer_id="51"/>'
    back = "".join(f'<edge from-layer="{51 + i}" to-layer="{1 + i}"/>' for i in range(states))
    more = f"<port_map>{ports}</port_map><back_edges>{back}</back_edges>"
    more += f"<body><layers>{''.join(body)}</layers><edges>{links}</edges></body>"
    layers = [parameter(i, name, dims) for i, (name, dims) in enumerate(zip(("x", "h", "c"), outer))]
    layers.append(layer(10, "loop", "TensorIterator", "opset1", "", outer, [[-1, -1, hidden], h], more))
    layers.append(layer(20, "y", "Result", "opset1", "", [[-1, -1, hidden]], []))
    layers.append(layer(21, "last", "Result", "opset1", "", [h], []))
    edges = [(i, 0, 10, i) for i in range(1 + states)] + [(10, 1 + states, 20, 0), (10, 2 + states, 21, 0)]
    links = "".join(f'<edge from-layer="{a}" from-port="{b}" to-layer="{c}" to-port="{d}"/>' for a, b, c, d in edges)
    (folder / "model.xml").write_text(f'<?xml version="1.0"?>\n<net name="cell" version="11"><layers>{"".join(layers)}'
                                      f"</layers><edges>{links}</edges></net>\n")
    return states


def cells(folder, batches, lengths, sizes):
    for kind in ("LSTMCell", "GRUCell", "RNNCell"):
        for input_size, hidden in sizes:
            base = folder / f"{kind}-{input_size}-{hidden}"
            states = write_cell(base, kind, input_size, hidden)
            for batch in batches:
                for length in lengths:
                    place = base / f"{batch}-{length}"
                    place.mkdir()
                    write_npy(place / "in_0.npy", [batch, length, input_size], 1)
                    for i in range(states):
                        write_npy(place / f"in_{1 + i}.npy", [batch, hidden], 2 + i)
                    yield Model(f"{kind} I{input_size} H{hidden} B{batch} T{length}", base,
                                sorted(place.glob("in_*.npy")))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", type=Path, nargs="*")
    parser.add_argument("--ir-run", type=Path, default=ROOT / "build/release/bin/ir-run")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=0.3, help="time for one form of one model in one round")
    parser.add_argument("--only", default="", help="only models with this text in their name")
    parser.add_argument("--cells", action="store_true", help="time cells of dynamic batch and length")
    parser.add_argument("--batches", default="1,3,7,13,32")
    parser.add_argument("--lengths", default="20")
    parser.add_argument("--sizes", default="32x48,64x128", help="input x hidden sizes of the cells")
    parser.add_argument("--code", action="store_true", help="also measure code size and compile time")
    parser.add_argument("--cpu", type=int, help="run on this CPU only (default: the last one that is allowed)")
    parser.add_argument("--json", type=Path, help="write the numbers to this file")
    args = parser.parse_args()
    if not args.ir_run.exists():
        sys.exit(f"{args.ir_run} is not there: build Recur (cmake --preset release && cmake --build --preset release)")
    if not args.folders and not args.cells:
        parser.error("expected a folder of models, or --cells")
    os.sched_setaffinity(0, {args.cpu if args.cpu is not None else max(os.sched_getaffinity(0))})
    with tempfile.TemporaryDirectory(prefix="recur-dynamic-") as temporary:
        models = []
        for folder in args.folders:
            for xml in sorted(folder.rglob("model.xml")):
                models.append(Model(str(xml.parent.relative_to(folder)), xml.parent))
        models = [m for m in models if m.is_dynamic()]
        if args.cells:
            numbers = lambda text: [int(n) for n in text.split(",")]
            sizes = [tuple(map(int, s.split("x"))) for s in args.sizes.split(",")]
            models += cells(Path(temporary), numbers(args.batches), numbers(args.lengths), sizes)
        print(f"CPU: {processor()}; one thread, JIT; least times of {args.rounds} rounds\n")
        columns = f"{'model':50} {'dynamic us':>11} {'fixed us':>11} {'ratio':>7}"
        if args.code:
            columns += f" {'code B':>8} {'fixed B':>8} {'ratio':>6} {'compile ms':>11} {'fixed ms':>9} {'ratio':>6}"
        print(columns)
        record, ratios, long_ratios = [], [], []
        for model in models:
            if args.only not in model.name:
                continue
            try:
                dynamic, fixed = measure(args.ir_run.resolve(), model, args.rounds, args.seconds)
            except RuntimeError as error:
                print(f"{model.name:50} not run: {error}", flush=True)
                continue
            ratio = dynamic / max(fixed, 1e-3)
            ratios.append(ratio)
            if dynamic >= 5:
                long_ratios.append(ratio)
            line = f"{model.name:50} {dynamic:11.2f} {fixed:11.2f} {ratio:7.2f}"
            entry = {"model": model.name, "dynamic": dynamic, "fixed": fixed}
            if args.code:
                compiler = args.ir_run.resolve().parent / "ir-compile"
                size, took = code(compiler, model, [])
                fixed_size, fixed_took = code(compiler, model, model.shapes())
                line += (f" {size:8} {fixed_size:8} {size / fixed_size:6.2f} {took:11.0f} {fixed_took:9.0f} "
                         f"{took / fixed_took:6.2f}")
                entry.update(code=size, fixed_code=fixed_size, compile=took, fixed_compile=fixed_took)
            print(line, flush=True)
            record.append(entry)
        if ratios:
            print(f"\n{len(ratios)} models: geometric mean of the ratios {statistics.geometric_mean(ratios):.2f}"
                  + (f", worst of those of 5 us or more {max(long_ratios):.2f}" if long_ratios else ""))
        if args.json:
            args.json.write_text(json.dumps({"cpu": processor(), "models": record}, indent=1) + "\n")


if __name__ == "__main__":
    main()
