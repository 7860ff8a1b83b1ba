# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Times random layers of odd sizes with Recur and OpenVINO, in turns, on one thread. Prints a table, asserts nothing.

    benchmarks/odd.py [--ir-run=build/release/bin/ir-run] [--venv=build/benchmarks-venv] [--count=200] [--seed=1]
                      [--rounds=5] [--seconds=0.1] [--only=TEXT] [--numbers=3,17] [--below=0.97] [--json=FILE]

The layers are convolutions of all kinds, recurrent sequences, products and attention, with static or dynamic dims. A
seed always gives the same layers. The table has the least time of a call over the rounds, which other work on the
machine disturbs least, and the rows where Recur is slowest come first. A layer whose outputs are not those of OpenVINO
is marked "wrong". --below: a second look, with three times the rounds, at the layers with a ratio below this one.
"""
import argparse
import json
import os
import random
import sys
import tempfile
from pathlib import Path

import run

KINDS = {}


def kind(function):
    KINDS[function.__name__] = function
    return function


class Layer:
    """A random layer: a name that says what it is, the inputs, and the output, as OpenVINO's nodes."""

    def __init__(self, rng):
        import numpy
        self.rng, self.words, self.inputs, self.data = rng, [], [], []
        self.numbers = numpy.random.default_rng(rng.randrange(1 << 30))
        self.is_dynamic = rng.random() < 0.3

    def size(self, least, most):
        """A size between both. Small ones are as frequent as large ones, and multiples of 8 are not preferred."""
        return round(least * (most / least) ** self.rng.random())

    def array(self, *shape, scale=1.0):
        import numpy
        return (self.numbers.standard_normal(shape) * scale).astype(numpy.float32)

    def constant(self, *shape, scale=1.0):
        return run_ops().constant(self.array(*shape, scale=scale))

    def input(self, shape, dynamic=()):
        """An input, of which the dims `dynamic` are open if the layer is dynamic."""
        import numpy
        dims = [-1 if self.is_dynamic and i in dynamic else dim for i, dim in enumerate(shape)]
        self.inputs.append(run_ops().parameter(dims, numpy.float32, name=f"x{len(self.inputs)}"))
        self.data.append(self.array(*shape))
        return self.inputs[-1]

    def activate(self, y):
        ops = run_ops()
        name = self.rng.choice(["", "", "relu", "sigmoid", "swish"])
        if name:
            self.words.append(name)
        return {"": lambda: y, "relu": lambda: ops.relu(y), "sigmoid": lambda: ops.sigmoid(y),
                "swish": lambda: ops.swish(y)}[name]()


def run_ops():
    from openvino import opset13
    return opset13


def convolve(layer, spatial, form):
    ops, rng = run_ops(), layer.rng
    most = {1: 2000, 2: 64, 3: 16}[spatial]
    kernel = [rng.choice({1: [1, 2, 3, 5, 9, 15, 31], 2: [1, 2, 3, 5, 7], 3: [1, 3]}[spatial])] * spatial
    if spatial == 2 and rng.random() < 0.2:
        kernel = [kernel[0], 1]
    stride, dilation = [rng.choice([1, 1, 2])] * spatial, [1] * spatial
    if stride[0] == 1 and rng.random() < 0.25:
        dilation = [rng.choice([2, 3])] * spatial
    sizes = [max(layer.size(5, most), dilation[0] * (k - 1) + 1) for k in kernel]
    groups = rng.choice([2, 3, 4, 8]) if form == "groups" else 1
    channels, outputs = layer.size(1, 256 // spatial) * groups, layer.size(1, 256 // spatial) * groups
    if form == "depthwise":
        channels = outputs = groups = layer.size(4, 512)
    batch = rng.choice([1, 1, 1, 2, 5])
    pads = [rng.choice([0, d * (k - 1) // 2]) for k, d in zip(kernel, dilation)]
    words = [f"{spatial}d {form}", f"{batch}x{channels}x{'x'.join(map(str, sizes))} -> {outputs}",
             f"k{'x'.join(map(str, kernel))} s{stride[0]} d{dilation[0]} p{pads[0]}"]
    layer.words += words + ([f"groups {groups}"] if form == "groups" else [])
    x = layer.input([batch, channels, *sizes], range(2, 2 + spatial))
    scale = (channels // groups * kernel[0] ** spatial) ** -0.5
    if form == "transposed":
        y = ops.convolution_backprop_data(x, layer.constant(channels, outputs, *kernel, scale=scale), stride,
                                          pads_begin=pads, pads_end=pads, dilations=dilation)
    elif form == "plain":
        y = ops.convolution(x, layer.constant(outputs, channels, *kernel, scale=scale), stride, pads, pads, dilation)
    else:
        filters = layer.constant(groups, outputs // groups, channels // groups, *kernel, scale=scale)
        y = ops.group_convolution(x, filters, stride, pads, pads, dilation)
    return layer.activate(ops.add(y, layer.constant(1, outputs, *[1] * spatial)))


@kind
def plane(layer):
    return convolve(layer, 2, "plain")


@kind
def plane_depthwise(layer):
    return convolve(layer, 2, "depthwise")


@kind
def plane_groups(layer):
    return convolve(layer, 2, "groups")


@kind
def line(layer):
    return convolve(layer, 1, layer.rng.choice(["plain", "plain", "depthwise", "groups"]))


@kind
def volume(layer):
    return convolve(layer, 3, "plain")


@kind
def transposed(layer):
    return convolve(layer, layer.rng.choice([1, 2]), "transposed")


@kind
def sequence(layer):
    """A recurrent sequence, of which OpenVINO has one op."""
    import numpy
    ops, rng = run_ops(), layer.rng
    name, gates = rng.choice([("lstm", 4), ("gru", 3), ("rnn", 1)])
    batch, steps, width, hidden = (layer.size(*ends) for ends in ((1, 32), (1, 64), (4, 512), (4, 512)))
    layer.words += [name, f"batch {batch}", f"steps {steps}", f"{width} -> {hidden}"]
    x, h = layer.input([batch, steps, width], (0, 1)), layer.input([batch, 1, hidden], (0,))
    lengths = ops.broadcast(ops.constant(numpy.int64(steps)), ops.constant(numpy.array([batch])))
    if layer.is_dynamic:
        shape = ops.shape_of(x)
        pick = lambda i: ops.gather(shape, ops.constant(numpy.array([i])), ops.constant(numpy.int64(0)))  # noqa: E731
        lengths = ops.broadcast(pick(1), pick(0))
    w, r, b = (layer.constant(1, gates * hidden, *dims, scale=hidden**-0.5) for dims in ((width,), (hidden,), ()))
    if name == "lstm":
        c = layer.input([batch, 1, hidden], (0,))
        return ops.lstm_sequence(x, h, c, lengths, w, r, b, hidden, "forward").output(0)
    function = ops.gru_sequence if name == "gru" else ops.rnn_sequence
    return function(x, h, lengths, w, r, b, hidden, "forward").output(0)


@kind
def product(layer):
    ops, rng = run_ops(), layer.rng
    rows, shared, columns = layer.size(1, 400), layer.size(4, 1000), layer.size(1, 1000)
    batch = rng.choice([1, 1, 3, 8])
    is_constant, is_transposed = rng.random() < 0.6, rng.random() < 0.5
    layer.words += [f"{batch}x{rows}x{shared}x{columns}", "weights" if is_constant else "two inputs",
                    "B transposed" if is_transposed else ""]
    a = layer.input([batch, rows, shared], (0, 1))
    dims = [columns, shared] if is_transposed else [shared, columns]
    b = layer.constant(*dims, scale=shared**-0.5) if is_constant else layer.input([batch, *dims], (0,))
    y = ops.matmul(a, b, False, is_transposed)
    return layer.activate(ops.add(y, layer.constant(columns))) if is_constant else y


@kind
def attention(layer):
    """Softmax(Q K^T) V, as exporters write it."""
    import numpy
    ops = run_ops()
    batch, heads, queries, keys, width = (layer.size(*ends) for ends in ((1, 4), (1, 12), (1, 200), (2, 300), (8, 128)))
    layer.words += [f"batch {batch}", f"heads {heads}", f"{queries} queries", f"{keys} keys of {width}"]
    q = layer.input([batch, heads, queries, width], (0, 2))
    k, v = (layer.input([batch, heads, keys, width], (0, 2)) for _ in range(2))
    scores = ops.multiply(ops.matmul(q, k, False, True), ops.constant(numpy.float32(width**-0.5)))
    return ops.matmul(ops.softmax(scores, -1), v, False, False)


def make(seed, number, folder):
    """Writes layer `number` to `folder`. Returns what it is."""
    import numpy
    import openvino
    rng = random.Random(seed * 100003 + number)
    layer = Layer(rng)
    name = rng.choice(list(KINDS))
    node = KINDS[name](layer)
    model = openvino.Model([node], layer.inputs, "layer")
    place = Path(folder) / str(number)
    place.mkdir()
    openvino.save_model(model, place / "model.xml", compress_to_fp16=False)
    outputs = openvino.Core().compile_model(model, "CPU", {"INFERENCE_PRECISION_HINT": "f32"})(layer.data)
    for i, data in enumerate(layer.data):
        numpy.save(place / f"in_{i}.npy", data)
    numpy.save(place / "out_0.npy", outputs[0])
    words = [name, *filter(None, layer.words), "dynamic" if layer.is_dynamic else ""]
    return place, ", ".join(filter(None, words))


class OpenVINO(run.OpenVINO):
    def time_call(self, seconds):
        return time_least(self.request.infer, seconds)


class Recur(run.Recur):
    """ir-run, which prints the least time of its calls too."""

    def repeat(self, count):
        import re
        import subprocess
        result = subprocess.run([*self.command, f"--repeat={count}"], stdin=subprocess.DEVNULL, capture_output=True,
                                text=True, check=True)
        return float(re.search(r"^time per call: .*least ([0-9.]+) us", result.stdout, re.M)[1])


def time_least(call, seconds):
    """The least time of a call, in µs."""
    import time
    now, least = time.perf_counter, float("inf")
    for _ in range(10):
        call()
    end, count = now() + seconds, 0
    while count < 10 or now() < end:
        begin = now()
        call()
        least, count = min(least, now() - begin), count + 1
    return least * 1e6


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ir-run", type=Path, default=run.ROOT / "build/release/bin/ir-run")
    parser.add_argument("--venv", type=Path, default=run.ROOT / "build/benchmarks-venv")
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=0.1, help="of one contestant for one layer in one round")
    parser.add_argument("--only", default="", help="only layers with this text in what they are")
    parser.add_argument("--numbers", default="", help="only the layers with these numbers, as 3,17")
    parser.add_argument("--below", type=float, default=0.97)
    parser.add_argument("--json", type=Path, help="write the times to this file")
    args = parser.parse_args()
    run.enter_environment(args.venv.absolute())
    if not args.ir_run.exists():
        sys.exit(f"{args.ir_run} is not there: build Recur (cmake --preset release && cmake --build --preset release)")
    import openvino
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    print(f"{run.processor()}; OpenVINO {openvino.__version__}; one thread; f32; least of {args.rounds} rounds, in µs",
          end="\n\n")
    rows = []
    numbers = [int(n) for n in args.numbers.split(",") if n] or range(args.count)
    with tempfile.TemporaryDirectory(prefix="recur-odd-") as folder:
        for number in numbers:
            case, text = make(args.seed, number, folder)
            if args.only not in text:
                continue
            contestants = {"Recur": Recur(case, args.ir_run.resolve(), []), "OpenVINO": OpenVINO(case, "f32")}
            right = contestants["Recur"].is_right()
            times = run.measure(contestants, args.rounds, args.seconds)
            ratio = lambda: min(times["OpenVINO"]) / min(times["Recur"])  # noqa: E731
            if ratio() < args.below:
                for who, more in run.measure(contestants, 3 * args.rounds, args.seconds).items():
                    times[who] += more
            rows.append({"number": number, "layer": text, "right": right, "recur": min(times["Recur"]),
                         "openvino": min(times["OpenVINO"]), "ratio": ratio()})
            print(f"\r{len(rows)} layers", end="", file=sys.stderr, flush=True)
    print("| number | layer | Recur | OpenVINO | ratio |\n|---|---|---|---|---|", flush=True)
    for row in sorted(rows, key=lambda row: row["ratio"]):
        note = "" if row["right"] else " (wrong)"
        print(f"| {row['number']} | {row['layer']} | {row['recur']:.4g}{note} | {row['openvino']:.4g} | "
              f"{row['ratio']:.3g} |")
    slow, wrong = sum(row["ratio"] < args.below for row in rows), sum(not row["right"] for row in rows)
    print(f"\n{len(rows)} layers, {slow} of them below {args.below}, {wrong} wrong")
    if args.json:
        args.json.write_text(json.dumps({"cpu": run.processor(), "openvino": openvino.__version__, "layers": rows},
                                        indent=1) + "\n")


if __name__ == "__main__":
    main()
