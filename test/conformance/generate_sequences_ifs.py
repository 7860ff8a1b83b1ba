#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the cases of LSTMSequence, GRUSequence, RNNSequence and If, with answers that numpy computes in f64 by what
the operations' specifications say.

    generate_sequences_ifs.py

Cases of these families in cases.json are replaced; all others stay as they are.
"""
import json
from xml.sax.saxutils import quoteattr

import numpy as np
import packed_cases

FAMILIES = ("lstm_sequence", "gru_sequence", "rnn_sequence", "if")
PRECISIONS = {"f16": "FP16", "f32": "FP32", "f64": "FP64", "i32": "I32", "i64": "I64", "boolean": "BOOL"}
NUMPY = {"f16": np.float16, "f32": np.float32, "f64": np.float64, "i32": np.int32, "i64": np.int64, "boolean": np.bool_}


# ------------------------------------------------------------------------------------------------------------------
# Models


class Graph:
    """A net, or the body of an operation that has one. A value is (layer, port, element type)."""

    def __init__(self, weights=None):
        self.weights = weights if weights is not None else bytearray()
        self.layers, self.edges, self.types = [], [], set()

    def body(self):
        return Graph(self.weights)

    def add(self, type_, inputs, outputs, version, data=None, inner="", name=None):
        number = len(self.layers)
        ins = "".join(f'<port id="{i}"/>' for i in range(len(inputs)))
        outs = "".join(f'<port id="{len(inputs) + i}" precision="{PRECISIONS[t]}"/>' for i, t in enumerate(outputs))
        text = f'<layer id="{number}" name={quoteattr(name or f"{type_}_{number}")} type="{type_}" version="opset{version}">'
        if data is not None:
            text += "<data " + " ".join(f"{k}={quoteattr(str(v))}" for k, v in data.items()) + "/>"
        text += inner
        text += f"<input>{ins}</input>" if inputs else ""
        text += f"<output>{outs}</output>" if outputs else ""
        self.layers.append(text + "</layer>")
        self.types.add(type_)
        for i, (layer, port, _) in enumerate(inputs):
            self.edges.append(f'<edge from-layer="{layer}" from-port="{port}" to-layer="{number}" to-port="{i}"/>')
        results = [(number, len(inputs) + i, t) for i, t in enumerate(outputs)]
        return results[0] if len(results) == 1 else results

    def parameter(self, type_, shape):
        shape = ",".join("?" if d is None else str(d) for d in shape)
        return self.add("Parameter", [], [type_], 1, {"element_type": type_, "shape": shape})

    def result(self, value):
        self.add("Result", [value], [], 1)
        return len(self.layers) - 1

    def const(self, array, type_):
        array = np.array(array, NUMPY[type_], order="C")
        data = {"element_type": type_, "shape": ",".join(map(str, np.shape(array))), "offset": len(self.weights),
                "size": array.nbytes}
        self.weights += array.tobytes()
        return self.add("Const", [], [type_], 1, data)

    def op(self, type_, *inputs, version=1, type=None, **data):
        return self.add(type_, list(inputs), [type or inputs[0][2]], version, data or None)

    def branches(self, condition, inputs, then, els):
        """An If; `then` and `els` are (body, the Parameter of each input or None, Results)."""
        maps, bodies = "", ""
        outputs = None
        for name, (body, parameters, results) in (("else", els), ("then", then)):
            entries = "".join(f'<input external_port_id="{i + 1}" internal_layer_id="{p[0]}"/>'
                              for i, p in enumerate(parameters) if p is not None)
            entries += "".join(f'<output external_port_id="{len(inputs) + 1 + i}" internal_layer_id="{r}"/>'
                               for i, (r, _) in enumerate(results))
            maps += f"<{name}_port_map>{entries}</{name}_port_map>"
            bodies += f"<{name}_body>{body.text()}</{name}_body>"
            outputs = [t for _, t in results]
            self.types |= body.types
        return self.add("If", [condition, *inputs], outputs, 8, inner=maps + bodies)

    def loop(self, type_, inputs, body, entries, back_edges, outputs):
        """A TensorIterator or Loop. `entries`: (is input, external port, body layer, attributes)."""
        text = "".join(
            f'<{"input" if is_input else "output"} external_port_id="{external}" internal_layer_id="{layer}"'
            + "".join(f' {k}="{v}"' for k, v in attributes.items()) + "/>"
            for is_input, external, layer, attributes in entries)
        edges = "".join(f'<edge from-layer="{a}" to-layer="{b}"/>' for a, b in back_edges)
        inner = f"<port_map>{text}</port_map><back_edges>{edges}</back_edges><body>{body.text()}</body>"
        self.types |= body.types
        return self.add(type_, inputs, outputs, 5 if type_ == "Loop" else 1, inner=inner)

    def text(self):
        return "<layers>\n" + "\n".join(self.layers) + "\n</layers><edges>\n" + "\n".join(self.edges) + "\n</edges>"


class Cases:
    def __init__(self):
        self.entries = []

    def add(self, family, name, graph, inputs, outputs, tags=(), rtol=1e-4, atol=1e-5, notes=""):
        """`inputs` and `outputs` are (element type, array)."""
        full = f"{family}__{name}"
        entry = {"name": full, "family": family, "tags": [family, *tags], "ops": sorted(graph.types - {"Parameter", "Result", "Const"})}
        with packed_cases.new_case(full) as folder:
            self.write_files(folder, graph, inputs, outputs, entry)
        exact = all(t in ("i32", "i64", "boolean") for t, _ in outputs)
        entry |= {"rtol": rtol, "atol": atol, "exact": exact, "notes": notes}
        self.entries.append(entry)

    def write_files(self, folder, graph, inputs, outputs, entry):
        full = entry["name"]
        (folder / "model.xml").write_text(f'<?xml version="1.0"?>\n<net name="{full}" version="11">\n{graph.text()}\n</net>\n')
        (folder / "model.bin").write_bytes(bytes(graph.weights))
        for kind, arrays in (("in", inputs), ("out", outputs)):
            rows = []
            for i, (type_, array) in enumerate(arrays):
                array = np.array(array).astype(NUMPY[type_], order="C")
                np.save(folder / f"{kind}_{i}.npy", array)
                rows.append({"name": f"{kind}_{i}", "element_type": type_, "shape": list(array.shape), "file": f"{kind}_{i}.npy"})
            entry[{"in": "inputs", "out": "outputs"}[kind]] = rows

    def write(self):
        index = packed_cases.FOLDER / "cases.json"
        others = [case for case in json.loads(index.read_text()) if case["family"] not in FAMILIES]
        lines = ",\n".join(json.dumps(case) for case in others + self.entries)
        index.write_text(f"[\n{lines}\n]\n")


# ------------------------------------------------------------------------------------------------------------------
# Sequences

GATES = {"lstm": 4, "gru": 3, "rnn": 1}
ACTIVATIONS = {"lstm": ["sigmoid", "tanh", "tanh"], "gru": ["sigmoid", "tanh"], "rnn": ["tanh"]}


def activate(name, x, alpha=None, beta=None):
    if name == "sigmoid":
        return 1 / (1 + np.exp(-x))
    if name == "tanh":
        return np.tanh(x)
    if name == "relu":
        return np.maximum(x, 0)
    assert name == "hardsigmoid"
    return np.clip((0.2 if alpha is None else alpha) * x + (0.5 if beta is None else beta), 0, 1)


def cell(kind, x, states, w, r, b, activations, alpha, beta, clip, linear_before_reset):
    """One step of one sequence: x [I], states [H]."""
    hidden = states[0].shape[0]

    def f(number, v):
        if clip:
            v = np.clip(v, -clip, clip)
        return activate(activations[number], v, alpha[number] if alpha else None, beta[number] if beta else None)

    def gate(m, number):
        return m[number * hidden:(number + 1) * hidden]

    h = states[0]
    if kind == "rnn":
        return [f(0, w @ x + r @ h + b)]
    if kind == "lstm":
        forget, input_, candidate, output = (gate(w, n) @ x + gate(r, n) @ h + gate(b, n) for n in range(4))
        c = f(0, forget) * states[1] + f(0, input_) * f(1, candidate)
        # The last activation is applied to the state, which clip does not bound.
        last = activate(activations[2], c, alpha[2] if alpha else None, beta[2] if beta else None)
        return [f(0, output) * last, c]
    z = f(0, gate(w, 0) @ x + gate(r, 0) @ h + gate(b, 0))
    reset = f(0, gate(w, 1) @ x + gate(r, 1) @ h + gate(b, 1))
    if linear_before_reset:
        n = f(1, gate(w, 2) @ x + reset * (gate(r, 2) @ h + gate(b, 3)) + gate(b, 2))
    else:
        n = f(1, gate(w, 2) @ x + gate(r, 2) @ (reset * h) + gate(b, 2))
    return [(1 - z) * n + z * h]


def of_direction(kind, options, d):
    """The options of one direction. A list may have entries for both directions; parameters may end early."""
    count, own = len(ACTIVATIONS[kind]), dict(options)
    for name, value in options.items():
        if isinstance(value, list):
            value = value[d * count:(d + 1) * count] if len(value) > count else value
            own[name] = value + [None] * (count - len(value))
    return own


def sequence(kind, x, states, lengths, w, r, b, direction, **options):
    """Y and the final states; states [N, D, H]."""
    batch, time, _ = x.shape
    directions = 2 if direction == "bidirectional" else 1
    hidden = states[0].shape[2]
    y = np.zeros((batch, directions, time, hidden))
    final = [np.array(s, np.float64) for s in states]
    for n in range(batch):
        length = min(max(int(lengths[n]), 0), time)
        for d in range(directions):
            backward = d == 1 or direction == "reverse"
            now = [s[n, d] for s in final]
            for t in reversed(range(length)) if backward else range(length):
                now = cell(kind, x[n, t], now, w[d], r[d], b[d], **of_direction(kind, options, d))
                y[n, d, t] = now[0]
            for s, value in zip(final, now):
                s[n, d] = value
    return [y, *final]


def sequence_case(cases, kind, name, direction="forward", batch=2, time=5, inputs=3, hidden=4, lengths="whole",
                  dynamic=False, type_="f32", weights="const", clip=0.0, activations=None, alpha=None, beta=None,
                  linear_before_reset=False, length_type="i64", stacked=False, seed=0):
    """`lengths`: "whole" (constants that are the axis), "shape" (the axis, read by ShapeOf), a list (constants), or
    ("input", list)."""
    rng = np.random.default_rng(seed)
    directions = 2 if direction == "bidirectional" else 1
    gates, biases = GATES[kind] * hidden, (4 if linear_before_reset else GATES[kind]) * hidden
    draw = lambda *shape: rng.uniform(-1, 1, shape).astype(NUMPY[type_])
    x = draw(batch, time, inputs)
    states = [draw(batch, directions, hidden) for _ in range(2 if kind == "lstm" else 1)]
    matrices = [draw(directions, gates, inputs), draw(directions, gates, hidden), draw(directions, biases)]
    g = Graph()
    given = [(type_, x)]
    open_ = (lambda shape: [None, None, *shape[2:]] if len(shape) == 3 else [None]) if dynamic else list
    px = g.parameter(type_, open_(x.shape))
    pstates = []
    for s in states:
        pstates.append(g.parameter(type_, [None, *s.shape[1:]] if dynamic else list(s.shape)))
        given.append((type_, s))
    tags = ["dynamic"] if dynamic else []
    if lengths == "whole":
        counted = [time] * batch
        plengths = g.const(counted, length_type)
    elif lengths == "shape":
        counted = [time] * batch
        shape = g.op("ShapeOf", px, version=3, type="i64", output_type="i64")
        zero = g.const(0, "i64")
        one_size = g.op("Gather", shape, g.const([1], "i64"), zero, version=8, batch_dims=0)
        target = g.op("Gather", shape, g.const([0], "i64"), zero, version=8, batch_dims=0)
        plengths = g.op("Broadcast", one_size, target, version=3, mode="numpy")
    elif isinstance(lengths, tuple):
        counted = lengths[1]
        plengths = g.parameter(length_type, [None] if dynamic else [batch])
        given.append((length_type, counted))
    else:
        counted = lengths
        plengths = g.const(counted, length_type)
    if weights == "const":
        pweights = [g.const(m, type_) for m in matrices]
    else:
        pweights = [g.parameter(type_, list(m.shape)) for m in matrices]
        given += [(type_, m) for m in matrices]
    used = activations or ACTIVATIONS[kind]
    data = {"hidden_size": hidden, "direction": direction, "activations": ", ".join(used), "clip": clip,
            "activations_alpha": ", ".join(map(str, alpha or [])), "activations_beta": ", ".join(map(str, beta or []))}
    if kind == "gru":
        data["linear_before_reset"] = str(linear_before_reset).lower()
    operation = {"lstm": "LSTMSequence", "gru": "GRUSequence", "rnn": "RNNSequence"}[kind]
    options = dict(activations=used, alpha=alpha, beta=beta, clip=clip, linear_before_reset=linear_before_reset)
    outputs = g.add(operation, [px, *pstates, plengths, *pweights], [type_] * (1 + len(states)), 5, data)
    wide = [m.astype(np.float64) for m in matrices]
    answers = sequence(kind, x.astype(np.float64), states, counted, *wide, direction, **options)
    if stacked:
        # A second one over Y of the first, as exporters write layers: lengths are read off that.
        assert inputs == hidden and directions == 1 and lengths == "shape"
        y = g.op("Squeeze", outputs[0], g.const([1], "i64"))
        shape = g.op("ShapeOf", y, version=3, type="i64", output_type="i64")
        zero = g.const(0, "i64")
        size = g.op("Gather", shape, g.const([1], "i64"), zero, version=8, batch_dims=0)
        again = g.op("Broadcast", size, g.op("Gather", shape, g.const([0], "i64"), zero, version=8, batch_dims=0),
                     version=3, mode="numpy")
        outputs = g.add(operation, [y, *pstates, again, *pweights], [type_] * (1 + len(states)), 5, data)
        answers = sequence(kind, answers[0][:, 0], states, counted, *wide, direction, **options)
    for output in outputs:
        g.result(output)
    tolerance = dict(rtol=2e-2, atol=4e-3) if type_ == "f16" else dict(rtol=1e-4, atol=1e-5)
    cases.add(f"{kind}_sequence", name, g, given, [(type_, a) for a in answers], tags, **tolerance)


def add_sequences(cases):
    for kind in ("lstm", "gru", "rnn"):
        for direction in ("forward", "reverse", "bidirectional"):
            sequence_case(cases, kind, direction, direction)
            sequence_case(cases, kind, f"{direction}_lengths_const", direction, lengths=[3, 5], seed=1)
            sequence_case(cases, kind, f"{direction}_lengths_input", direction, batch=3, lengths=("input", [5, 1, 3]), seed=2)
        sequence_case(cases, kind, "bidirectional_dynamic_shape", "bidirectional", lengths="shape", dynamic=True, seed=3)
        sequence_case(cases, kind, "bidirectional_dynamic_lengths", "bidirectional", batch=3, time=6,
                      lengths=("input", [4, 6, 2]), dynamic=True, length_type="i32", seed=4)
        sequence_case(cases, kind, "forward_static_shape", lengths="shape", batch=1, time=7, hidden=16, seed=5)
        sequence_case(cases, kind, "forward_stacked_dynamic", lengths="shape", dynamic=True, inputs=4, seed=6)
        sequence_case(cases, kind, "bidirectional_weights_input", "bidirectional", weights="input", seed=7)
        sequence_case(cases, kind, "reverse_lengths_at_ends", "reverse", batch=5, time=4,
                      lengths=("input", [0, -3, 9, 4, 1]), seed=8)
        sequence_case(cases, kind, "forward_clip", clip=0.25, seed=9)
        sequence_case(cases, kind, "forward_activations", activations=["hardsigmoid", "relu", "tanh"][:len(ACTIVATIONS[kind])],
                      seed=10)
        sequence_case(cases, kind, "reverse_alpha_beta", "reverse", lengths=[2, 4],
                      activations=["hardsigmoid"] * len(ACTIVATIONS[kind]), alpha=[0.3, 0.25, 0.5][:len(ACTIVATIONS[kind])],
                      beta=[0.4, 0.1, 0.2][:len(ACTIVATIONS[kind])], seed=11)
        sequence_case(cases, kind, "forward_f16", type_="f16", lengths=[5, 2], seed=12)
        sequence_case(cases, kind, "forward_one_place", time=1, batch=1, seed=13)
        # Lists of both directions: the same twice, and others for each.
        sequence_case(cases, kind, "bidirectional_activations_twice", "bidirectional", activations=ACTIVATIONS[kind] * 2, seed=17)
        others = ["relu", "sigmoid", "hardsigmoid"][:len(ACTIVATIONS[kind])] + ["hardsigmoid", "relu", "sigmoid"][:len(ACTIVATIONS[kind])]
        sequence_case(cases, kind, "bidirectional_activations_differ", "bidirectional", activations=others, batch=3, dynamic=True,
                      lengths=("input", [4, 5, 0]), alpha=[0.3] * len(ACTIVATIONS[kind]) + [0.1] * len(ACTIVATIONS[kind]),
                      beta=[0.4] * len(ACTIVATIONS[kind]), seed=18)
        sequence_case(cases, kind, "bidirectional_activations_differ_f64", "bidirectional", activations=others, type_="f64", seed=19)
        # No time steps.
        sequence_case(cases, kind, "bidirectional_no_steps_dynamic", "bidirectional", time=0, lengths="shape", dynamic=True, seed=20)
        sequence_case(cases, kind, "reverse_no_steps_lengths", "reverse", time=0, batch=3, lengths=("input", [0, 2, -1]),
                      dynamic=True, type_="f16", seed=21)
        sequence_case(cases, kind, "forward_no_steps_static", time=0, seed=22)
    # A list of parameters ends before the last function.
    sequence_case(cases, "lstm", "forward_short_alpha", activations=["hardsigmoid", "tanh", "hardsigmoid"], alpha=[0.3], beta=[0.4, 0.1], seed=23)
    for direction in ("forward", "bidirectional"):
        sequence_case(cases, "gru", f"{direction}_linear_before_reset", direction, linear_before_reset=True, seed=14)
        sequence_case(cases, "gru", f"{direction}_linear_before_reset_lengths", direction, linear_before_reset=True,
                      lengths=("input", [2, 4]), seed=15)
    sequence_case(cases, "lstm", "bidirectional_wide", "bidirectional", batch=4, time=9, inputs=10, hidden=33,
                  lengths=("input", [9, 4, 7, 1]), seed=16)


# ------------------------------------------------------------------------------------------------------------------
# If


def simple_branch(g, build, types, inputs=1):
    """A body of `build(body, parameters)`, which gives the values of the Results; Parameters of no inputs are None."""
    body = g.body()
    parameters = [body.parameter(t, shape) for t, shape in types]
    results = build(body, parameters)
    return body, parameters, [(body.result(v), v[2]) for v in results]


def add_open_ifs(cases):
    """Ifs whose bodies give values of two ranks."""
    row = np.array([[1.5, -2, 0.25]], np.float32)
    squeezed = lambda b, p: [b.op("Squeeze", p[0], b.const([0], "i64"))]
    kept = lambda b, p: [b.op("Abs", p[0])]

    def build(name, choose, behind, answers, then=squeezed, els=kept, data=row, element="f32", shape=(1, 3), tags=()):
        g = Graph()
        c, p = g.parameter("boolean", []), g.parameter(element, list(shape))
        value = g.branches(c, [p], simple_branch(g, then, [(element, list(shape))]), simple_branch(g, els, [(element, list(shape))]))
        for result in behind(g, value, p):
            g.result(result)
        cases.add("if", f"{name}_{str(choose).lower()}", g, [("boolean", choose), (element, data)], answers, list(tags))

    def all_axes(g, value):
        """The list of all axes of a value, as exporters compute it."""
        rank = g.op("ShapeOf", g.op("ShapeOf", value, version=3, type="i64", output_type="i64"), version=3, type="i64", output_type="i64")
        return g.op("Range", g.const(0, "i64"), g.op("Squeeze", rank, g.const([0], "i64")), g.const(1, "i64"), version=4, type="i64", output_type="i64")

    for choose in (True, False):
        value = row if choose else np.abs(row)
        # What the ranks agree on again is used in many ways, and so is what does not depend on them.
        build("two_ranks_reshape", choose,
              lambda g, v, p: (lambda flat: [flat, g.op("Add", flat, g.op("Exp", p)), g.op("ReduceSum", v, all_axes(g, v))])(
                  g.op("Reshape", g.op("Multiply", v, g.const(2, "f32")), g.const([3], "i64"), special_zero="false")),
              [("f32", 2 * value[0]), ("f32", 2 * value + np.exp(row.astype(np.float64))), ("f32", value.sum(dtype=np.float32))])
        build("two_ranks_broadcast", choose, lambda g, v, p: [g.op("Add", v, p)], [("f32", row + value)])
        build("two_ranks_dynamic", choose, lambda g, v, p: [g.op("Reshape", v, g.const([-1, 1], "i64"), special_zero="false")],
              [("i32", (row if choose else np.abs(row)).astype(np.int32).reshape(-1, 1))], data=row.astype(np.int32), element="i32",
              shape=(None, None), tags=["dynamic"])
        # Another If depends on the first one.
        build("two_ranks_twice", choose,
              lambda g, v, p: [g.op("ReduceMax", w, all_axes(g, w)) for w in [g.branches(
                  g.op("Greater", g.op("ReduceSum", p, g.const([0, 1], "i64")), g.const(0, "f32"), type="boolean"),
                  [g.op("Reshape", v, g.const([1, 3], "i64"), special_zero="false")],
                  simple_branch(g, squeezed, [("f32", [1, 3])]), simple_branch(g, kept, [("f32", [1, 3])]))]],
              [("f32", (value if row.sum() > 0 else np.abs(value)).max())])
        # A scalar, or a tensor of one element.
        build("scalar_or_one", choose, lambda g, v, p: [v, g.op("Multiply", v, p)],
              [("f32", [row.sum() if choose else 7]), ("f32", row * (row.sum() if choose else 7))],
              then=lambda b, p: [b.op("ReduceSum", p[0], b.const([0, 1], "i64"))], els=lambda b, p: [b.const([7], "f32")])
    # Only one of the ranks fits what is behind.
    build("one_rank_fits", True, lambda g, v, p: [g.op("Concat", v, g.const([4], "f32"), axis=0)], [("f32", [*row[0], 4])])
    build("one_rank_fits", False, lambda g, v, p: [g.op("Concat", v, g.const([[4, 5, 6]], "f32"), axis=0)],
          [("f32", [*np.abs(row), [4, 5, 6]])])
    # A condition that follows from dims.
    for rows in (1, 2):
        g = Graph()
        p = g.parameter("f32", [rows, 3])
        shape = g.op("ShapeOf", p, version=3, type="i64", output_type="i64")
        dim = g.op("Gather", shape, g.const(0, "i64"), g.const(0, "i64"), version=8, batch_dims=0)
        c = g.op("Equal", dim, g.const(1, "i64"), type="boolean")
        g.result(g.branches(c, [p], simple_branch(g, squeezed, [("f32", [None, 3])]), simple_branch(g, kept, [("f32", [None, 3])])))
        data = np.repeat(row, rows, 0)
        cases.add("if", f"decided_by_dims_{rows}", g, [("f32", data)], [("f32", data[0] if rows == 1 else np.abs(data))])
    # A Squeeze without axes, where the call tells which dims are 1.
    for rows in (1, 2):
        g = Graph()
        p = g.parameter("f32", [None, 3])
        v = g.op("Squeeze", p)
        g.result(g.op("ReduceSum", v, all_axes(g, v)))
        g.result(g.op("Add", v, p))
        data = np.repeat(row, rows, 0)
        cases.add("if", f"squeeze_without_axes_{rows}", g, [("f32", data)], [("f32", data.sum(dtype=np.float32)), ("f32", data * 2)], ["dynamic"])


def add_ifs(cases):
    x = np.arange(6, dtype=np.float32).reshape(2, 3) - 2

    def outside(name, choose, shape, condition_shape, const=False):
        g = Graph()
        given = [("f32", x)]
        p = g.parameter("f32", shape)
        if const:
            c = g.const(np.full(condition_shape, choose), "boolean")
        else:
            c = g.parameter("boolean", condition_shape)
            given.append(("boolean", np.full([1 if d is None else d for d in condition_shape], choose)))
        types = [("f32", shape)]
        then = simple_branch(g, lambda b, p: [b.op("Add", p[0], b.const(1, "f32")), b.op("ReduceSum", p[0], b.const([0, 1], "i64"))], types)
        els = simple_branch(g, lambda b, p: [b.op("Negative", p[0]), b.const(7, "f32")], types)
        a, b = g.branches(c, [p], then, els)
        g.result(g.op("Multiply", a, g.const(2, "f32")))
        g.result(a)
        g.result(b)
        first = x + 1 if choose else -x
        cases.add("if", name, g, given, [("f32", 2 * first), ("f32", first), ("f32", np.float32(x.sum() if choose else 7))],
                  ["dynamic"] if None in shape else [])

    for choose in (True, False):
        text = str(choose).lower()
        outside(f"outside_{text}", choose, [2, 3], [])
        outside(f"outside_one_element_{text}", choose, [2, 3], [1])
        outside(f"outside_dynamic_{text}", choose, [None, None], [None])
        outside(f"outside_const_{text}", choose, [2, 3], [], const=True)

    # Shapes that differ: rows are added in one body alone.
    for choose in (True, False):
        g = Graph()
        c, p = g.parameter("boolean", []), g.parameter("f32", [2, 3])
        then = simple_branch(g, lambda b, p: [b.op("Concat", p[0], p[0], b.const(np.ones((1, 3)), "f32"), axis=0)], [("f32", [2, 3])])
        els = simple_branch(g, lambda b, p: [b.op("Abs", p[0])], [("f32", [2, 3])])
        r = g.branches(c, [p], then, els)
        g.result(r)
        g.result(g.op("ReduceSum", r, g.const([0], "i64")))
        answer = np.concatenate([x, x, np.ones((1, 3))]) if choose else np.abs(x)
        cases.add("if", f"shapes_differ_{str(choose).lower()}", g, [("boolean", choose), ("f32", x)],
                  [("f32", answer), ("f32", answer.sum(0))])

    # One body computes, the other gives what it captures; the inputs of the bodies differ; a result is not used.
    for choose in (True, False):
        g = Graph()
        c, p, q = g.parameter("boolean", [1]), g.parameter("i64", [4]), g.parameter("i64", [4])
        tb = g.body()
        tp = tb.parameter("i64", [4])
        tsum = tb.op("Multiply", tp, tp)
        then = (tb, [tp, None], [(tb.result(tp), "i64"), (tb.result(tsum), "i64"), (tb.result(tb.op("Less", tp, tsum, type="boolean")), "boolean")])
        eb = g.body()
        ep = eb.parameter("i64", [4])
        els = (eb, [None, ep], [(eb.result(ep), "i64"), (eb.result(ep), "i64"), (eb.result(eb.const([True] * 4, "boolean")), "boolean")])
        a, _, flags = g.branches(c, [p, q], then, els)
        g.result(a)
        g.result(flags)
        pv, qv = np.array([1, 2, 3, 1 << 40]), np.array([5, 6, 7, 8])
        cases.add("if", f"captured_{str(choose).lower()}", g, [("boolean", [choose]), ("i64", pv), ("i64", qv)],
                  [("i64", pv if choose else qv), ("boolean", pv < pv * pv if choose else [True] * 4)])

    # An If in an If.
    for first in (True, False):
        for second in (True, False):
            g = Graph()
            c, d, p = g.parameter("boolean", []), g.parameter("boolean", []), g.parameter("f32", [2, 3])
            tb = g.body()
            td, tp = tb.parameter("boolean", []), tb.parameter("f32", [2, 3])
            inner = tb.branches(td, [tp], simple_branch(tb, lambda b, p: [b.op("Exp", p[0])], [("f32", [2, 3])]),
                                simple_branch(tb, lambda b, p: [b.op("Tanh", p[0])], [("f32", [2, 3])]))
            then = (tb, [td, tp], [(tb.result(tb.op("Add", inner, tp)), "f32")])
            eb = g.body()
            ep = eb.parameter("f32", [2, 3])
            els = (eb, [None, ep], [(eb.result(ep), "f32")])
            g.result(g.branches(c, [d, p], then, els))
            wide = x.astype(np.float64)
            answer = (np.exp(wide) if second else np.tanh(wide)) + wide if first else wide
            cases.add("if", f"in_if_{str(first).lower()}_{str(second).lower()}", g,
                      [("boolean", first), ("boolean", second), ("f32", x)], [("f32", answer)])

    add_open_ifs(cases)
    rng = np.random.default_rng(20)
    steps = rng.uniform(-1, 1, (6, 2, 3)).astype(np.float32)
    start = rng.uniform(-1, 1, (1, 2, 3)).astype(np.float32)

    def positive(body, value):
        total = body.op("ReduceSum", value, body.const([0, 1, 2], "i64"))
        return body.op("Greater", total, body.const(0, "f32"), type="boolean")

    # In a TensorIterator: the next state, which is a part too, comes of an If.
    def in_iterator(name, dynamic):
        g = Graph()
        xs, s0 = g.parameter("f32", [None, None, 3] if dynamic else [6, 2, 3]), g.parameter("f32", [1, None, 3] if dynamic else [1, 2, 3])
        body = g.body()
        part = [1, None, 3] if dynamic else [1, 2, 3]
        xt, s = body.parameter("f32", part), body.parameter("f32", part)
        types = [("f32", part), ("f32", part)]
        then = simple_branch(body, lambda b, p: [b.op("Add", p[1], p[0], auto_broadcast="none")], types)
        els = simple_branch(body, lambda b, p: [b.op("Multiply", p[1], b.const(0.5, "f32"))], types)
        chosen = body.branches(positive(body, xt), [xt, s], then, els)
        n = body.result(chosen)
        y = body.result(body.op("Negative", chosen))
        state, parts, more = g.loop("TensorIterator", [xs, s0], body,
                                    [(True, 0, xt[0], {"axis": 0}), (True, 1, s[0], {}), (False, 2, n, {}),
                                     (False, 3, n, {"axis": 0}), (False, 4, y, {"axis": 0})], [(n, s[0])], ["f32"] * 3)
        for value in (state, parts, more):
            g.result(value)
        now, all_ = start[0].astype(np.float64), []
        for step in steps.astype(np.float64):
            now = now + step if step.sum() > 0 else now * 0.5
            all_.append(now)
        cases.add("if", name, g, [("f32", steps), ("f32", start)],
                  [("f32", now[None]), ("f32", np.array(all_)), ("f32", -np.array(all_))], ["dynamic"] if dynamic else [])

    in_iterator("in_tensor_iterator", False)
    in_iterator("in_tensor_iterator_dynamic", True)

    # The state alone: it is written where it belongs by both bodies.
    g = Graph()
    xs, s0 = g.parameter("f32", [6, 2, 3]), g.parameter("f32", [1, 2, 3])
    body = g.body()
    xt, s = body.parameter("f32", [1, 2, 3]), body.parameter("f32", [1, 2, 3])
    types = [("f32", [1, 2, 3])] * 2
    chosen = body.branches(positive(body, xt), [xt, s],
                           simple_branch(body, lambda b, p: [b.op("Subtract", p[1], p[0])], types),
                           simple_branch(body, lambda b, p: [p[1]], types))
    n = body.result(chosen)
    g.result(g.loop("TensorIterator", [xs, s0], body, [(True, 0, xt[0], {"axis": 0}), (True, 1, s[0], {}), (False, 2, n, {})],
                    [(n, s[0])], ["f32"]))
    now = start[0].astype(np.float64)
    for step in steps.astype(np.float64):
        now = now - step if step.sum() > 0 else now
    cases.add("if", "in_tensor_iterator_state", g, [("f32", steps), ("f32", start)], [("f32", now[None])])

    def loop(g, trips, inputs, body, next_, extra=(), condition=None, types=("f32",)):
        """A Loop over carried values, `inputs` and `next_` (Parameter, Result); more entries in `extra`."""
        cond = body.result(condition if condition is not None else body.const(True, "boolean"))
        entries = [(False, -1, cond, {"purpose": "execution_condition"})]
        ins = [trips, g.const(True, "boolean")]
        for i, (outer, (parameter, result)) in enumerate(zip(inputs, next_)):
            ins.append(outer)
            entries.append((True, i + 2, parameter[0], {}))
            if result is not None:
                entries.append((False, len(inputs) + 2 + sum(r is not None for _, r in next_[:i]), result, {}))
        entries += extra
        return g.loop("Loop", ins, body, entries, [(r, p[0]) for p, r in next_ if r is not None], list(types))

    # Collatz: an If on integers, with a condition that the body computes.
    g = Graph()
    n0, k0 = g.parameter("i64", []), g.const(0, "i64")
    body = g.body()
    n, k = body.parameter("i64", []), body.parameter("i64", [])
    half = body.op("Divide", n, body.const(2, "i64"))
    even = body.op("Equal", body.op("Multiply", half, body.const(2, "i64")), n, type="boolean")
    grown = body.branches(even, [n, half],
                          simple_branch(body, lambda b, p: [p[1]], [("i64", []), ("i64", [])]),
                          simple_branch(body, lambda b, p: [b.op("Add", b.op("Multiply", p[0], b.const(3, "i64")), b.const(1, "i64"))],
                                        [("i64", []), ("i64", [])]))
    again = body.op("Greater", grown, body.const(1, "i64"), type="boolean")
    rn, rk = body.result(grown), body.result(body.op("Add", k, body.const(1, "i64")))
    for value in loop(g, g.const(-1, "i64"), [n0, k0], body, [(n, rn), (k, rk)], condition=again, types=("i64", "i64")):
        g.result(value)
    cases.add("if", "in_loop_collatz", g, [("i64", 27)], [("i64", 1), ("i64", 111)])

    # A state that grows in one body and stays in the other.
    g = Graph()
    s0, t = g.parameter("f32", [1, 2]), g.parameter("i64", [])
    body = g.body()
    s, i = body.parameter("f32", [None, 2]), body.parameter("i64", [])
    odd = body.op("Greater", body.op("Subtract", i, body.op("Multiply", body.op("Divide", i, body.const(2, "i64")), body.const(2, "i64"))),
                  body.const(0, "i64"), type="boolean")
    grown = body.branches(odd, [s], simple_branch(body, lambda b, p: [b.op("Concat", p[0], b.const([[1, 2]], "f32"), axis=0)], [("f32", [None, 2])]),
                          simple_branch(body, lambda b, p: [b.op("Add", p[0], b.const(1, "f32"))], [("f32", [None, 2])]))
    rs, ri = body.result(grown), body.result(body.op("Add", i, body.const(1, "i64")))
    one = g.const(0, "i64")
    values = loop(g, t, [s0, one], body, [(s, rs), (i, ri)], types=("f32", "i64"))
    g.result(values[0])
    now = np.array([[0.5, -1.5]])
    for step in range(7):
        now = np.concatenate([now, [[1, 2]]]) if step % 2 else now + 1
    cases.add("if", "in_loop_growing", g, [("f32", [[0.5, -1.5]]), ("i64", 7)], [("f32", now)], ["dynamic", "growing"])

    # Four deep: a TensorIterator in an If in an If in a Loop.
    g = Graph()
    s0, xs, t = g.parameter("f32", [1, 2, 3]), g.parameter("f32", [6, 2, 3]), g.parameter("i64", [])
    body = g.body()
    s, ox = body.parameter("f32", [1, 2, 3]), body.parameter("f32", [6, 2, 3])

    def inner_loop(b, p):
        inner = b.body()
        xt, q = inner.parameter("f32", [1, 2, 3]), inner.parameter("f32", [1, 2, 3])
        n = inner.result(inner.op("Tanh", inner.op("Add", xt, q)))
        return [b.loop("TensorIterator", [p[0], p[1]], inner,
                       [(True, 0, xt[0], {"axis": 0}), (True, 1, q[0], {}), (False, 2, n, {})], [(n, q[0])], ["f32"])]

    types = [("f32", [6, 2, 3]), ("f32", [1, 2, 3])]

    def middle(b, p):
        few = b.op("Less", b.op("ReduceSum", p[1], b.const([0, 1, 2], "i64")), b.const(0.6, "f32"), type="boolean")
        return [b.branches(few, [p[0], p[1]], simple_branch(b, inner_loop, types),
                           simple_branch(b, lambda c, q: [c.op("Multiply", q[1], c.const(-0.5, "f32"))], types))]

    chosen = body.branches(positive(body, s), [ox, s], simple_branch(body, middle, types),
                           simple_branch(body, lambda b, p: [b.op("Add", p[1], b.const(0.15, "f32"))], types))
    rs = body.result(chosen)
    ports = 2 + 2
    values = loop(g, t, [s0, xs], body, [(s, rs), (ox, None)], extra=[(False, ports + 1, rs, {"axis": 0})], types=("f32", "f32"))
    for value in values:
        g.result(value)
    high = np.abs(start)
    now, all_ = high.astype(np.float64), []
    seen = set()
    for _ in range(24):
        if now.sum() > 0:
            if now.sum() < 0.6:
                seen.add("loop")
                for step in steps.astype(np.float64):
                    now = np.tanh(step[None] + now)
            else:
                seen.add("scale")
                now = now * -0.5
        else:
            seen.add("add")
            now = now + 0.15
        all_.append(now)
    assert seen == {"loop", "scale", "add"}, seen
    cases.add("if", "four_deep", g, [("f32", high), ("f32", steps), ("i64", 24)],
              [("f32", now), ("f32", np.concatenate(all_))])

    # A sequence in an If in a Loop.
    g = Graph()
    h0, t = g.parameter("f32", [2, 1, 4]), g.parameter("i64", [])
    rng = np.random.default_rng(21)
    seq_x, w, r, b_ = (rng.uniform(-1, 1, s).astype(np.float32) for s in ((2, 5, 3), (1, 12, 3), (1, 12, 4), (1, 12)))
    hv = rng.uniform(-1, 1, (2, 1, 4)).astype(np.float32)
    body = g.body()
    h = body.parameter("f32", [2, 1, 4])

    def with_sequence(b, p):
        data = {"hidden_size": 4, "direction": "forward", "activations": "sigmoid, tanh"}
        _, last = b.add("GRUSequence", [b.const(seq_x, "f32"), p[0], b.const([3, 5], "i64"), b.const(w, "f32"),
                                        b.const(r, "f32"), b.const(b_, "f32")], ["f32", "f32"], 5, data)
        return [last]

    total = body.op("ReduceSum", h, body.const([0, 1, 2], "i64"))
    chosen = body.branches(body.op("Less", total, body.const(0.5, "f32"), type="boolean"), [h],
                           simple_branch(body, with_sequence, [("f32", [2, 1, 4])]),
                           simple_branch(body, lambda b, p: [b.op("Subtract", p[0], b.const(0.5, "f32"))], [("f32", [2, 1, 4])]))
    g.result(loop(g, t, [h0], body, [(h, body.result(chosen))]))
    now, seen = hv.astype(np.float64), set()
    for _ in range(4):
        seen.add(bool(now.sum() < 0.5))
        if now.sum() < 0.5:
            now = sequence("gru", seq_x.astype(np.float64), [now], [3, 5], w.astype(np.float64), r.astype(np.float64),
                           b_.astype(np.float64), "forward", activations=ACTIVATIONS["gru"], alpha=None, beta=None,
                           clip=0, linear_before_reset=False)[1]
        else:
            now = now - 0.5
    cases.add("if", "with_sequence_in_loop", g, [("f32", hv), ("i64", 4)], [("f32", now)])


def main():
    cases = Cases()
    add_sequences(cases)
    add_ifs(cases)
    cases.write()
    print(f"{len(cases.entries)} cases")


if __name__ == "__main__":
    main()
