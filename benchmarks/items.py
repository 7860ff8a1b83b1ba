# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the models that run.py times: recurrent cells, loops, a decoder and GatherTree, with inputs and outputs.

    items.py FOLDER [--only=TEXT] [--dynamic]

Each item becomes a folder with model.xml, model.bin, in_<i>.npy, out_<i>.npy and, with --dynamic, a second one whose
batch and length are known only at run time. The outputs are those of numpy in f64. The weights are random, and small
enough that no state saturates.
"""
import argparse
import re
import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "test" / "conformance"))
from make_semantics import Graph, Loop  # noqa: E402

ITEMS = {}


def item(name, target, dims=(), **arguments):
    """Registers a function that returns (graph, inputs, outputs). `target` is OpenVINO's time over Recur's. `dims` are
    the names of arguments that a dynamic model leaves open. The last of several decorators is the first item."""

    def register(function):
        ITEMS[name] = (function, arguments, target, dims)
        return function

    return register


def rng():
    return np.random.default_rng(7)


def normal(*shape, scale=1.0):
    return (rng().standard_normal(shape) * scale).astype(np.float32)


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def real(*arrays):
    return [np.asarray(a, np.float64) for a in arrays]


# Cells


def lstm(x, h, c, w, r, b):
    f, i, g, o = np.split(x @ w.T + h @ r.T + b, 4, 1)
    c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
    return sigmoid(o) * np.tanh(c), c


def gru(x, h, w, r, b):
    """With linear_before_reset, b has a fourth part: the bias of the recurrent product of h."""
    size = h.shape[1]
    gates = sigmoid((x @ w.T)[:, :2 * size] + (h @ r.T)[:, :2 * size] + b[:2 * size])
    z, reset = np.split(gates, 2, 1)
    new = np.tanh(x @ w[2 * size:].T + b[2 * size:3 * size] + reset * (h @ r[2 * size:].T + b[3 * size:]))
    return (1 - z) * new + z * h,


def rnn(x, h, w, r, b):
    return np.tanh(x @ w.T + h @ r.T + b),


CELLS = {"LSTMCell": (4, 4, 4, 2, lstm), "GRUCell": (3, 4, 3, 1, gru), "RNNCell": (1, 1, 1, 1, rnn)}


def cell_weights(kind, inputs, hidden):
    """W and R, whose rows are those of the gates, and the bias."""
    gates, biases = CELLS[kind][:2]
    return [normal(gates * hidden, inputs, scale=inputs**-0.5), normal(gates * hidden, hidden, scale=hidden**-0.5),
            normal(biases * hidden, scale=0.1)]


def cell(graph, x, states, outside, kind, t, b, inputs, hidden, backward=False):
    """A TensorIterator with one cell. Returns the values of all states and of the last ones, and the function that
    computes them. `t` and `b` are dims of the model."""
    gates, _, opset, count, function = CELLS[kind]
    weights = cell_weights(kind, inputs, hidden)
    loop = Loop(graph)
    start, end, stride = (-1, 0, -1) if backward else (0, -1, 1)
    span = dict(axis=1, start=start, end=end, stride=stride, part_size=1)
    part = loop.map_input(x, "f32", [b, 1, inputs], **span)
    held = [loop.map_input(s, "f32", [b, hidden]) for s in states]
    body = loop.body
    row = body.add("Squeeze", [part, body.i64(1)])
    data = dict(hidden_size=hidden, activations={4: "sigmoid,tanh,tanh", 3: "sigmoid,tanh", 1: "tanh"}[gates])
    if kind == "GRUCell":
        data["linear_before_reset"] = "true"
    new = body.add(kind, [row, *held, *map(body.const, weights)], outputs=count, opset=opset, **data)
    new = new if count > 1 else (new,)
    whole = loop.result(body.add("Unsqueeze", [new[0], body.i64(1)]))
    results = [loop.result(n) for n in new]
    for result, state in zip(results, held):
        loop.back(result, state)
    loop.output(whole, **span)
    for result in results:
        loop.output(result)

    def compute(x, *states):
        history, arguments = {}, real(*weights)
        steps = range(x.shape[1])
        for i in reversed(steps) if backward else steps:
            states = function(x[:, i], *states, *arguments)
            history[i] = states[0]
        return [np.stack([history[i] for i in steps], 1), *states]

    return loop.build(), compute


@item("two LSTMs T50 B1 I128 H128", 1.9, ("t", "b"), kind="LSTMCell", t=50, b=1, inputs=128, hidden=128, both=True)
@item("RNN T100 B1 I64 H64", 5, ("t", "b"), kind="RNNCell", t=100, b=1, inputs=64, hidden=64)
@item("GRU T100 B1 I128 H128", 2.1, ("t", "b"), kind="GRUCell", t=100, b=1, inputs=128, hidden=128)
@item("LSTM T50 B32 I256 H512", 1.1, ("t", "b"), kind="LSTMCell", t=50, b=32, inputs=256, hidden=512)
@item("LSTM T100 B1 I128 H128", 1.65, ("t", "b"), kind="LSTMCell", t=100, b=1, inputs=128, hidden=128)
@item("LSTM T100 B1 I64 H64", 2.0, ("t", "b"), kind="LSTMCell", t=100, b=1, inputs=64, hidden=64)
@item("LSTM T25 B1 I512 H256", 1.45, ("t", "b"), kind="LSTMCell", t=25, b=1, inputs=512, hidden=256)
def recurrent(kind, t, b, inputs, hidden, both=False, real_t=None, real_b=None):
    """One cell, or one forward and one in reverse."""
    count = CELLS[kind][3]
    x = normal(real_b or b, real_t or t, inputs)
    start = [normal(real_b or b, hidden, scale=0.5) for _ in range(count)]
    graph = Graph()
    given = graph.parameter("f32", [b, t, inputs])
    states = [graph.parameter("f32", [b, hidden]) for _ in start]
    outputs = []
    for backward in (False, True)[:1 + both]:
        values, compute = cell(graph, given, states, graph, kind, t, b, inputs, hidden, backward)
        for value in values:
            graph.result(value)
        outputs += compute(*real(x, *start))
    return graph, [x, *start], outputs


def gated_unit_weights(size):
    """Wf, bf, Wh and bh. Only Wh is transposed."""
    return (normal(2 * size, size, scale=(2 * size)**-0.5), normal(size, scale=0.1),
            normal(size, 2 * size, scale=(2 * size)**-0.5), normal(size, scale=0.2))


@item("minimal gated unit T50 B16 H256", 1.3, ("t", "b"), t=50, b=16, size=256)
@item("minimal gated unit T100 B1 H256", 2.9, ("t", "b"), t=100, b=1, size=256)
@item("minimal gated unit T100 B1 H64", 12, ("t", "b"), t=100, b=1, size=64)
def gated_unit(t, b, size, real_t=None, real_b=None):
    """f = sigmoid([x h]·Wf + bf), h = (1 - f)·h + f·tanh([x f·h]·Wh + bh), of primitive ops."""
    x, h = normal(real_b or b, real_t or t, size), normal(real_b or b, size, scale=0.5)
    wf, bf, wh, bh = gated_unit_weights(size)
    graph = Graph()
    loop = Loop(graph)
    part = loop.map_input(graph.parameter("f32", [b, t, size]), "f32", [b, 1, size], axis=1)
    state = loop.map_input(graph.parameter("f32", [b, size]), "f32", [b, size])
    body = loop.body
    row = body.add("Squeeze", [part, body.i64(1)])

    def product(values, weights, transposed, bias):
        joined = body.add("Concat", values, axis=1)
        made = body.add("MatMul", [joined, body.const(weights)], transpose_a="false", transpose_b=transposed)
        return body.binary("Add", made, body.const(bias.reshape(1, -1)))

    forget = body.add("Sigmoid", [product([row, state], wf, "false", bf)])
    new = body.add("Tanh", [product([row, body.binary("Multiply", forget, state)], wh, "true", bh)])
    kept = body.binary("Multiply", body.binary("Subtract", body.const(np.ones((1, 1), np.float32)), forget), state)
    after = body.binary("Add", kept, body.binary("Multiply", forget, new))
    result = loop.result(after)
    loop.back(result, state)
    loop.output(loop.result(body.add("Unsqueeze", [after, body.i64(1)])), axis=1)
    loop.output(result)
    for value in loop.build():
        graph.result(value)
    steps, (data, now, a, c) = [], real(x, h, wf, wh)
    for i in range(data.shape[1]):
        f = sigmoid(np.concatenate([data[:, i], now], 1) @ a + bf)
        now = (1 - f) * now + f * np.tanh(np.concatenate([data[:, i], f * now], 1) @ c.T + bh)
        steps.append(now)
    return graph, [x, h], [np.stack(steps, 1), now]


# Loops of element-wise ops


def counted(graph, trips):
    return Loop(graph, graph.const(np.int64(trips)), graph.const(np.True_))


@item("Loop of 1000 x (s * 0.999 + 1), 64 floats", 250)
def multiply_add():
    s = normal(64)
    graph = Graph()
    loop = counted(graph, 1000)
    state = loop.map_input(graph.parameter("f32", [64]), "f32", [64])
    body = loop.body
    factor, one = np.array([0.999], np.float32), np.ones(1, np.float32)
    after = loop.result(body.binary("Add", body.binary("Multiply", state, body.const(factor)), body.const(one)))
    loop.back(after, state)
    loop.again(body.const(np.True_))
    loop.output(after)
    graph.result(loop.build()[0])
    value, = real(s)
    for _ in range(1000):
        value = value * float(factor[0]) + 1
    return graph, [s], [value]


@item("Loop while max(s + 1) < 500, 16 floats", 200)
def while_small():
    s = np.abs(normal(16))
    graph = Graph()
    loop = Loop(graph, graph.const(np.int64(-1)), graph.const(np.True_))
    state = loop.map_input(graph.parameter("f32", [16]), "f32", [16])
    body = loop.body
    after = body.binary("Add", state, body.const(np.ones(1, np.float32)))
    most = body.add("ReduceMax", [after, body.i64(0)], keep_dims="false")
    result = loop.result(after)
    loop.back(result, state)
    loop.again(body.binary("Less", most, body.const(np.float32(500))))
    loop.output(result)
    graph.result(loop.build()[0])
    value = s.copy()
    while True:
        value = value + np.float32(1)
        if not value.max() < 500:
            return graph, [s], [value]


@item("Loop of 200 x softmax of [1,128]", 10)
def softmax_again():
    s = normal(1, 128, scale=3)
    graph = Graph()
    loop = counted(graph, 200)
    state = loop.map_input(graph.parameter("f32", [1, 128]), "f32", [1, 128])
    body = loop.body
    after = loop.result(body.add("SoftMax", [state], opset=8, axis=-1))
    loop.back(after, state)
    loop.again(body.const(np.True_))
    loop.output(after)
    graph.result(loop.build()[0])
    value, = real(s)
    for _ in range(200):
        value = np.exp(value - value.max())
        value = value / value.sum()
    return graph, [s], [value]


# Recurrences of language models


def selective_scan_weights(d, n):
    return -np.abs(normal(d, n)) - np.float32(0.1)


@item("selective scan T256 D256 N16", 9, t=256, d=256, n=16)
def selective_scan(t, d, n):
    """h = exp(delta·A)∘h + (delta∘u)·B, y = Σ h∘C, as exporters of Mamba write it."""
    delta, u = np.abs(normal(t, d, 1, scale=0.1)), normal(t, d, 1)
    b, c = normal(t, 1, n), normal(t, 1, n) * np.float32(0.5)
    a, h = selective_scan_weights(d, n), normal(d, n, scale=0.1)
    graph = Graph()
    loop = Loop(graph)
    parts = [loop.map_input(graph.parameter("f32", list(v.shape)), "f32", [1, *v.shape[1:]], axis=0)
             for v in (delta, u, b, c)]
    state = loop.map_input(graph.parameter("f32", [1, d, n]), "f32", [1, d, n])
    body = loop.body
    step, given, into, out = parts
    decay = body.add("Exp", [body.binary("Multiply", step, body.const(a[None]))])
    inflow = body.binary("Multiply", body.binary("Multiply", step, given), into)
    after = body.binary("Add", body.binary("Multiply", decay, state), inflow)
    y = body.add("ReduceSum", [body.binary("Multiply", after, out), body.i64(2)], keep_dims="false")
    result = loop.result(after)
    loop.back(result, state)
    loop.output(loop.result(y), axis=0)
    loop.output(result)
    for value in loop.build():
        graph.result(value)
    now, rows = real(h)[0], []
    for i in range(t):
        now = np.exp(real(delta[i])[0] * a) * now + real(delta[i])[0] * u[i] * b[i]
        rows.append((now * c[i]).sum(1))
    return graph, [delta, u, b, c, h[None]], [np.stack(rows), now[None]]


@item("gated delta rule T128, 4 heads of 64x64", 12, t=128, heads=4, size=64)
def gated_delta_rule(t, heads, size):
    """S = g·S; S = S + k·(β(v − Sᵀk))ᵀ; y = Sᵀq."""
    q, k, v = (normal(t, heads, 1, size, scale=size**-0.5) * np.float32(f) for f in (1, 1, 4))
    gate, beta = sigmoid(normal(t, heads, 1, 1) + 3), sigmoid(normal(t, heads, 1, 1))
    s = normal(1, heads, size, size, scale=0.1)
    graph = Graph()
    loop = Loop(graph)
    parts = [loop.map_input(graph.parameter("f32", list(a.shape)), "f32", [1, *a.shape[1:]], axis=0)
             for a in (q, k, v, gate, beta)]
    state = loop.map_input(graph.parameter("f32", list(s.shape)), "f32", list(s.shape))
    body = loop.body
    query, key, value, decay, rate = parts
    plain, first = dict(transpose_a="false", transpose_b="false"), dict(transpose_a="true", transpose_b="false")
    kept = body.binary("Multiply", decay, state)
    error = body.binary("Multiply", body.binary("Subtract", value, body.add("MatMul", [key, kept], **plain)), rate)
    after = body.binary("Add", kept, body.add("MatMul", [key, error], **first))
    result = loop.result(after)
    loop.back(result, state)
    loop.output(loop.result(body.add("MatMul", [query, after], **plain)), axis=0)
    loop.output(result)
    for made in loop.build():
        graph.result(made)
    now, rows = real(s[0])[0], []
    for i in range(t):
        now = gate[i] * now
        error = (v[i] - k[i] @ now) * beta[i]
        now = now + np.swapaxes(k[i], 1, 2) @ error
        rows.append(q[i] @ now)
    return graph, [q, k, v, gate, beta, s], [np.stack(rows), now[None]]


# Decoders


def decoder_weights(words, size):
    """The embeddings E, W and U."""
    return (normal(words, size, scale=0.5), normal(size, size, scale=size**-0.5),
            normal(size, words, scale=size**-0.5))


@item("greedy decoder, 60 steps, V1000 H128", 3, steps=60, words=1000, size=128)
def greedy_decoder(steps, words, size):
    """h = tanh(E[token] + h·W), token = argmax(h·U), until a token that never comes."""
    embeddings, w, u = decoder_weights(words, size)
    h, token = normal(1, size), np.array([3], np.int64)
    graph = Graph()
    loop = counted(graph, steps)
    state = loop.map_input(graph.parameter("f32", [1, size]), "f32", [1, size])
    last = loop.map_input(graph.parameter("i64", [1]), "i64", [1])
    body = loop.body
    plain = dict(transpose_a="false", transpose_b="false")
    row = body.add("Gather", [body.const(embeddings), last, body.i64(0)], element="f32", opset=8, batch_dims=0)
    after = body.add("Tanh", [body.binary("Add", row, body.add("MatMul", [state, body.const(w)], **plain))])
    scores = body.add("MatMul", [after, body.const(u)], **plain)
    _, best = body.add("TopK", [scores, body.const(np.int64(1))], ["f32", "i64"], 2, 11, axis=-1, mode="max",
                       sort="value", index_element_type="i64")
    word = body.add("Squeeze", [best, body.i64(0)])
    results = [loop.result(after), loop.result(word)]
    for result, held in zip(results, (state, last)):
        loop.back(result, held)
    ends = body.binary("NotEqual", word, body.const(np.array([words + 1], np.int64)))
    loop.again(body.add("Squeeze", [ends, body.i64(0)]))
    loop.output(results[1], axis=0)
    loop.output(results[0])
    for value in loop.build():
        graph.result(value)
    now, known, said = real(h)[0], int(token[0]), []
    for _ in range(steps):
        now = np.tanh(embeddings[known] + now @ w)
        known = int((now @ u).argmax())
        said.append(known)
    return graph, [h, token], [np.array(said, np.int64), now]


@item("GatherTree 200x128x16", 15, t=200, b=128, w=16)
@item("GatherTree 100x64x10", 8, t=100, b=64, w=10)
@item("GatherTree 100x1x10", 8, t=100, b=1, w=10)
def gather_tree(t, b, w):
    generator = rng()
    ids, parents = (generator.integers(0, n, (t, b, w)).astype(np.int32) for n in (1000, w))
    lengths = np.full(b, t, np.int32)
    graph = Graph()
    given = [graph.parameter("i32", shape) for shape in ((t, b, w), (t, b, w), (b,))]
    graph.result(graph.add("GatherTree", [*given, graph.const(np.int32(1001))]))
    want, beam = np.empty_like(ids), np.tile(np.arange(w), (b, 1))
    for i in reversed(range(t)):
        want[i] = np.take_along_axis(ids[i], beam, 1)
        beam = np.take_along_axis(parents[i], beam, 1)
    return graph, [ids, parents, lengths], [want]


def names():
    return list(ITEMS)


def target(name):
    """OpenVINO's time over Recur's, at least."""
    return ITEMS[name][2]


def has_dynamic(name):
    """Whether batch and length can be left open."""
    return bool(ITEMS[name][3])


def folder_of(name, dynamic):
    return re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_") + ("_dynamic" if dynamic else "")


def write(folder, name, dynamic=False):
    """Writes an item to a folder in `folder`, and returns it."""
    function, arguments, _, dims = ITEMS[name]
    if dynamic:
        arguments = {**arguments, **{d: "?" for d in dims}, **{"real_" + d: arguments[d] for d in dims}}
    graph, inputs, outputs = function(**arguments)
    place = Path(folder) / folder_of(name, dynamic)
    place.mkdir(parents=True, exist_ok=True)
    xml = f'<?xml version="1.0"?>\n<net name="model" version="11">\n{graph.text()}\n</net>\n'
    (place / "model.xml").write_text(xml)
    (place / "model.bin").write_bytes(bytes(graph.weights))
    for kind, arrays in (("in", inputs), ("out", outputs)):
        for i, array in enumerate(arrays):
            array = np.ascontiguousarray(array)
            np.save(place / f"{kind}_{i}.npy", array.astype(np.float32) if array.dtype == np.float64 else array)
    return place


def write_all(source):
    """Writes the items of a module with names(), has_dynamic() and write() to the folder of the command line."""
    parser = argparse.ArgumentParser(description=source.__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", default="", metavar="TEXT")
    parser.add_argument("--dynamic", action="store_true")
    args = parser.parse_args()
    for name in source.names():
        if args.only in name:
            source.write(args.folder, name)
            if args.dynamic and source.has_dynamic(name):
                source.write(args.folder, name, True)


if __name__ == "__main__":
    write_all(sys.modules[__name__])
