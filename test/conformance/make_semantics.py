#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the cases of the family `semantics`: rules of TensorIterator, Loop and GatherTree (docs/Semantics.md).

    make_semantics.py [--only=TEXT]

Each case is a model with inputs and with the outputs that its function in numpy gives, from the specifications alone.
The cases are in the repository; this script shows where they come from, and makes them anew after a change.
"""
import argparse
import json
import math
from pathlib import Path

import numpy as np
import packed_cases

FOLDER = Path(__file__).resolve().parent
PRECISIONS = {"boolean": "BOOL", "f16": "FP16", "bf16": "BF16", "f32": "FP32", "f64": "FP64", "i8": "I8", "i16": "I16",
              "i32": "I32", "i64": "I64", "u8": "U8", "u16": "U16", "u32": "U32", "u64": "U64"}
DTYPES = {"boolean": np.bool_, "f16": np.float16, "f32": np.float32, "f64": np.float64, "i8": np.int8, "i16": np.int16,
          "i32": np.int32, "i64": np.int64, "u8": np.uint8, "u16": np.uint16, "u32": np.uint32, "u64": np.uint64}


def attributes(values):
    return "".join(f' {key}="{value}"' for key, value in values.items())


class Graph:
    """A model or the body of a loop. Values are (layer, port)."""

    def __init__(self, weights=None):
        self.weights = weights if weights is not None else bytearray()
        self.layers, self.edges, self.elements = [], [], {}

    def add(self, kind, inputs=(), element=None, outputs=1, opset=1, extra="", dims=(), **data):
        """`element` is that of the outputs, of each or of all; by default that of the first input. `dims` are those that
        the output ports declare."""
        number = len(self.layers)
        element = element or self.elements[inputs[0]]
        elements = [element] * outputs if isinstance(element, str) else element
        for i, own in enumerate(elements):
            self.elements[number, len(inputs) + i] = own
        ports = "".join(f'<port id="{i}"/>' for i in range(len(inputs)))
        declared = "".join(f"<dim>{-1 if dim == '?' else dim}</dim>" for dim in dims)
        made = "".join(f'<port id="{len(inputs) + i}" precision="{PRECISIONS[own]}"' + (f">{declared}</port>" if dims else "/>")
                       for i, own in enumerate(elements))
        name = data.pop("name", f"{kind}_{number}")
        text = f'<layer id="{number}" name="{name}" type="{kind}" version="opset{opset}">'
        text += f"<data{attributes(data)}/>" if data else ""
        text += f"<input>{ports}</input>" if inputs else ""
        text += f"<output>{made}</output>" if outputs else ""
        self.layers.append(text + extra + "</layer>")
        for i, (layer, port) in enumerate(inputs):
            self.edges.append(f'<edge from-layer="{layer}" from-port="{port}" to-layer="{number}" to-port="{i}"/>')
        return tuple((number, len(inputs) + i) for i in range(outputs)) if outputs > 1 else (number, len(inputs))

    def parameter(self, element, shape, **names):
        return self.add("Parameter", element=element, shape=",".join(map(str, shape)), element_type=element, **names)

    def const(self, value, element=None):
        array = np.asarray(value)
        element = element or next(name for name, dtype in DTYPES.items() if array.dtype == dtype)
        data = array.astype(DTYPES[element]).tobytes()
        offset = len(self.weights)
        self.weights += data or b"\0"
        return self.add("Const", element=element, element_type=element, shape=",".join(map(str, array.shape)),
                        offset=offset, size=max(len(data), 1))

    def i64(self, *values):
        return self.const(np.array(values, np.int64))

    def result(self, value, **names):
        """Returns the number of the layer."""
        return self.add("Result", [value], outputs=0, **names)[0]

    def binary(self, kind, a, b):
        compares = kind in ("Less", "Greater", "NotEqual")
        return self.add(kind, [a, b], element="boolean" if compares else None, auto_broadcast="numpy")

    def text(self):
        return f"<layers>{''.join(x + chr(10) for x in self.layers)}</layers>\n<edges>{''.join(self.edges)}</edges>"


class Loop:
    """A TensorIterator, or with `trip` and `condition` a Loop."""

    def __init__(self, outer, trip=None, condition=None):
        self.outer, self.body = outer, Graph(outer.weights)
        self.is_loop = trip is not None
        self.inputs = [trip, condition] if self.is_loop else []
        self.entries, self.edges, self.results, self.outputs = [], [], {}, []

    def port(self, value):
        self.inputs.append(value)
        return len(self.inputs) - 1

    def map_input(self, value, element, shape, port=None, **cut):
        port = self.port(value) if port is None else port
        parameter = self.body.parameter(element, shape)
        self.entries.append(("input", dict(external_port_id=port, internal_layer_id=parameter[0], **cut)))
        return parameter

    def iteration(self, element="i64", shape=()):
        parameter = self.body.parameter(element, shape)
        self.entries.append(("input", dict(external_port_id=-1, internal_layer_id=parameter[0],
                                           purpose="current_iteration")))
        return parameter

    def result(self, value):
        number = self.body.result(value)
        self.results[number] = self.body.elements[value]
        return number

    def again(self, value):
        self.entries.append(("output", dict(external_port_id=-1, internal_layer_id=self.result(value),
                                            purpose="execution_condition")))

    def back(self, result, parameter):
        self.edges.append(f'<edge from-layer="{result}" to-layer="{parameter[0]}"/>')

    def output(self, result, **cut):
        """Returns which output it is."""
        self.entries.append(("output", dict(external_port_id=("output", len(self.outputs)), internal_layer_id=result,
                                            **cut)))
        self.outputs.append(self.results[result])
        return len(self.outputs) - 1

    def build(self):
        """Returns the values of the outputs."""
        lines = []
        for kind, entry in self.entries:
            if isinstance(entry["external_port_id"], tuple):
                entry = {**entry, "external_port_id": len(self.inputs) + entry["external_port_id"][1]}
            lines.append(f"<{kind}{attributes(entry)}/>")
        extra = f"<port_map>{''.join(lines)}</port_map>\n<back_edges>{''.join(self.edges)}</back_edges>\n"
        extra += f"<body>{self.body.text()}</body>"
        kind, opset = ("Loop", 5) if self.is_loop else ("TensorIterator", 1)
        made = self.outer.add(kind, self.inputs, self.outputs, len(self.outputs), opset, extra)
        return made if len(self.outputs) > 1 else (made,)


CASES = {}


def case(*tags, **variants):
    """Registers a function that returns (graph, inputs, outputs), once for each of its variants. The tag `growing` is of
    models that ask for memory inside a loop."""

    def register(function):
        names = list(variants) or [None]
        for name in names:
            label = "semantics_" + function.__name__ + (f"__{name}" if name else "")
            CASES[label] = (function, variants.get(name, {}), tags + (("dynamic", "growing") if name == "growing" else ()))
        return function

    return register


def rng():
    return np.random.default_rng(4)


def small(*shape):
    """Multiples of 1/4, so that sums and products are exact."""
    return (rng().integers(-8, 9, shape) / 4).astype(np.float32)


def finish(graph, values):
    for i, value in enumerate(values):
        graph.result(value, name=f"out_{i}")


def parts_of(x, axis, start, end, stride, part):
    """The parts by the formula of the specification."""
    dim = x.shape[axis]
    start, end = start + dim * (start < 0), end + dim * (end < 0)
    count, rest = divmod(abs(end - start) + 1 - part, abs(stride))
    assert rest == 0
    for i in range(count + 1):
        first = start + i * stride if stride > 0 else start + i * stride - part + 1
        yield np.take(x, range(first, first + part), axis)


# Slicing


@case("ti", forward=dict(axis=-2, start=0, end=-1, stride=3, part=2), backward=dict(axis=1, start=-1, end=0, stride=-3, part=2),
      overlapping=dict(axis=-2, start=1, end=-2, stride=1, part=3), inside=dict(axis=1, start=-2, end=2, stride=-2, part=1),
      gaps=dict(axis=-2, start=1, end=5, stride=4, part=1))
def slices(axis, start, end, stride, part):
    """Parts of any size at any stride, the axis counted from either end; the concatenation runs the other way."""
    x = small(2, 8, 3)
    g = Graph()
    loop = Loop(g)
    p = loop.map_input(g.parameter("f32", x.shape, name="in_0"), "f32", [2, part, 3], axis=axis, start=start, end=end,
                       stride=stride, part_size=part)
    r = loop.result(loop.body.binary("Add", p, p))
    loop.output(r, axis=-1, start=-1, end=0, stride=-3, part_size=3)
    loop.output(r)
    finish(g, loop.build())
    parts = [2 * q for q in parts_of(x, axis % 3, start, end, stride, part)]
    return g, [x], [np.concatenate(parts[::-1], 2), parts[-1]]


@case("ti", "dynamic", even=dict(n=6), one=dict(n=2))
def slices_dynamic(n):
    """Counts that only the run tells, equal though part sizes and directions differ."""
    x, y = small(n, 2), small(3, n // 2)
    g = Graph()
    loop = Loop(g)
    a = loop.map_input(g.parameter("f32", ["?", 2], name="in_0"), "f32", [2, 2], axis=0, start=-1, end=0, stride=-2,
                       part_size=2)
    b = loop.map_input(g.parameter("f32", [3, "?"], name="in_1"), "f32", [3, 1], axis=1, start=0, end=-1, stride=1,
                       part_size=1)
    total = loop.body.add("ReduceSum", [a, loop.body.i64(0, 1)], keep_dims="true")
    loop.output(loop.result(loop.body.binary("Add", b, total)), axis=1, start=0, end=-1, stride=1, part_size=1)
    finish(g, loop.build())
    parts = [y[:, i:i + 1] + x[n - 2 * i - 2:n - 2 * i].sum() for i in range(n // 2)]
    return g, [x, y], [np.concatenate(parts, 1)]


@case("ti")
def input_many_ways():
    """One input port mapped as parts, as parts from the end, as a whole and as the first state."""
    x = small(4, 2)
    g = Graph()
    loop = Loop(g)
    port = loop.port(g.parameter("f32", x.shape, name="in_0"))
    ahead = loop.map_input(None, "f32", [1, 2], port=port, axis=0, start=0, end=-1, stride=1, part_size=1)
    back = loop.map_input(None, "f32", [1, 2], port=port, axis=0, start=-1, end=0, stride=-1, part_size=1)
    whole = loop.map_input(None, "f32", [4, 2], port=port)
    state = loop.map_input(None, "f32", [4, 2], port=port)
    b = loop.body
    r = loop.result(b.binary("Add", b.binary("Add", state, whole), b.binary("Multiply", ahead, back)))
    loop.back(r, state)
    loop.output(r)
    finish(g, loop.build())
    s = x.copy()
    for i in range(4):
        s = s + x + x[i:i + 1] * x[3 - i:4 - i]
    return g, [x], [s]


@case("ti")
def result_many_ways():
    """One Result as a carried value, as last value, and concatenated both ways along two axes."""
    x, s0 = small(5, 2), small(1, 2)
    g = Graph()
    loop = Loop(g)
    p = loop.map_input(g.parameter("f32", x.shape, name="in_0"), "f32", [1, 2], axis=0)
    state = loop.map_input(g.parameter("f32", [1, 2], name="in_1"), "f32", [1, 2])
    r = loop.result(loop.body.binary("Add", p, state))
    loop.back(r, state)
    loop.output(r)
    loop.output(r, axis=0)
    loop.output(r, axis=1, start=-1, end=0, stride=-2, part_size=2)
    loop.output(r)
    finish(g, loop.build())
    sums = s0 + np.cumsum(x, 0, dtype=np.float32)
    return g, [x, s0], [sums[-1:], sums, np.concatenate([sums[i:i + 1] for i in reversed(range(5))], 1), sums[-1:]]


@case("ti", "dynamic", static=dict(shape=[3, 2]), dynamic=dict(shape=["?", "?"]))
def straight_through(shape):
    """Parameters wired straight to Results: a part, an invariant input, a carried value before it changes."""
    x, k, s0 = small(3, 2), small(2, 2), small(1, 2)
    g = Graph()
    loop = Loop(g)
    p = loop.map_input(g.parameter("f32", shape, name="in_0"), "f32", [1, shape[1]], axis=0)
    whole = loop.map_input(g.parameter("f32", [2, 2], name="in_1"), "f32", [2, 2])
    state = loop.map_input(g.parameter("f32", [1, shape[1]], name="in_2"), "f32", [1, shape[1]])
    part = loop.result(p)
    loop.back(part, state)
    loop.output(part, axis=0, start=-1, end=0, stride=-1)
    loop.output(loop.result(whole), axis=0, part_size=2, stride=2)
    loop.output(loop.result(state), axis=0)
    loop.output(loop.result(whole))
    finish(g, loop.build())
    return g, [x, k, s0], [x[::-1], np.concatenate([k] * 3), np.concatenate([s0, x[:2]]), k]


# Back edges


@case("ti", static=dict(rows=2), growing=dict(rows="?"))
def parallel_back_edges(rows):
    """a, b, c, d = b, c, a + x, c: a rotation with a tap, all at once."""
    x, states = small(5, 2), [small(2, 2) + i for i in range(4)]
    g = Graph()
    loop = Loop(g)
    p = loop.map_input(g.parameter("f32", [5, 2], name="in_0"), "f32", [1, 2], axis=0)
    ps = [loop.map_input(g.parameter("f32", [rows, 2], name=f"in_{i + 1}"), "f32", [rows, 2]) for i in range(4)]
    a, b, c, d = ps
    rs = [loop.result(b), loop.result(c), loop.result(loop.body.binary("Add", a, p)), loop.result(c)]
    for r, q in zip(rs, ps):
        loop.back(r, q)
    for r in rs:
        loop.output(r)
    loop.output(rs[3], axis=0, stride=2, part_size=2) if rows != "?" else None
    finish(g, loop.build())
    va, vb, vc, vd = states
    history = []
    for i in range(5):
        va, vb, vc, vd = vb, vc, va + x[i:i + 1], vc
        history.append(vd)
    return g, [x, *states], [va, vb, vc, vd] + ([np.concatenate(history)] if rows != "?" else [])


@case("ti", **{name: dict(element=name) for name in DTYPES})
def swap_types(element):
    """a, b = b, a of every element type, with a concatenation; nothing is computed, so nothing is rounded."""
    dtype = DTYPES[element]
    if element == "boolean":
        a, b = np.array([[True, False, True]]), np.array([[False, False, True]])
    elif element.startswith("f"):
        info = np.finfo(dtype)
        a, b = np.array([[info.max, info.tiny, -0.0]], dtype), np.array([[info.min, np.inf, 1.5]], dtype)
    else:
        info = np.iinfo(dtype)
        a, b = np.array([[info.max, info.min, 1]], dtype), np.array([[info.min, 3, info.max - 1]], dtype)
    x = small(3, 1)
    g = Graph()
    loop = Loop(g)
    loop.map_input(g.parameter("f32", [3, 1], name="in_0"), "f32", [1, 1], axis=0)
    p = loop.map_input(g.parameter(element, [1, 3], name="in_1"), element, [1, 3])
    q = loop.map_input(g.parameter(element, [1, 3], name="in_2"), element, [1, 3])
    ra, rb = loop.result(q), loop.result(p)
    loop.back(ra, p)
    loop.back(rb, q)
    loop.output(ra)
    loop.output(rb)
    loop.output(ra, axis=0)
    finish(g, loop.build())
    return g, [x, a, b], [b, a, np.concatenate([b, a, b])]


# Loop


@case("loop", "dynamic", runs=dict(limit=3, trip=9), stops=dict(limit=9, trip=4), endless=dict(limit=5, trip=-1),
      false=dict(limit=2, trip=5, first=False), none=dict(limit=2, trip=0))
def count_and_condition(limit, trip, first=True):
    """The iteration that makes the condition false counts; its values are last values and parts."""
    x = small(2, 3)
    g = Graph()
    trip_count = g.parameter("i32", [1], name="in_0")
    condition = g.parameter("boolean", [], name="in_1")
    loop = Loop(g, trip_count, condition)
    state = loop.map_input(g.parameter("f32", ["?", 3], name="in_2"), "f32", ["?", 3])
    i = loop.iteration("i32", [1])
    b = loop.body
    added = b.binary("Add", state, b.const(np.float32(1)))
    r = loop.result(added)
    loop.back(r, state)
    loop.again(b.binary("Less", i, b.const(np.array([limit], np.int32))))
    loop.output(r)
    loop.output(r, axis=-1, start=-1, end=0, stride=-1)
    loop.output(loop.result(b.binary("Multiply", added, added)))
    finish(g, loop.build())
    s, parts, last, run, n = x, [], np.zeros((0, 3), np.float32), first, 0
    while run and n != trip:
        s = s + np.float32(1)
        parts.append(s)
        last = s * s
        run = n < limit
        n += 1
    joined = np.concatenate(parts[::-1], 1) if parts else np.zeros((2, 0), np.float32)
    last = last if parts else np.zeros((2, 3), np.float32)
    return g, [np.array([trip], np.int32), np.array(first), x], [s, joined, last]


@case("loop", "dynamic", "growing", axis_0=dict(axis=0, stride=1), backward=dict(axis=0, stride=-1), axis_1=dict(axis=1, stride=1),
      axis_1_backward=dict(axis=1, stride=-1), counted=dict(axis=1, stride=1, counted=True), none=dict(axis=0, stride=1, n=0))
def parts_of_any_length(axis, stride, counted=False, n=4):
    """The parts are a state that grows: of 2, 3, 4, ... elements along the axis."""
    x = small(*([1, 3] if axis == 0 else [3, 1]))
    g = Graph()
    count = g.parameter("i64", [], name="in_0")
    loop = Loop(g, count, g.const(np.array(True)))
    known = [3 if d != axis else "?" for d in range(2)]
    state = loop.map_input(g.parameter("f32", list(x.shape), name="in_1"), "f32", known)
    one = loop.map_input(None, "f32", list(x.shape), port=len(loop.inputs) - 1)
    b = loop.body
    r = loop.result(b.add("Concat", [state, one], axis=axis))
    loop.back(r, state)
    i = loop.iteration()
    loop.again(b.const(np.array(True)) if counted else b.binary("Less", i, b.const(np.int64(99))))
    loop.output(r, axis=axis, stride=stride)
    loop.output(r)
    finish(g, loop.build())
    s, parts = x, []
    for _ in range(n):
        s = np.concatenate([s, x], axis)
        parts.append(s)
    empty = np.zeros([0 if d == axis else 3 for d in range(2)], np.float32)
    return g, [np.array(n), x], [np.concatenate(parts[::stride] or [empty], axis), s]


@case("loop", "dynamic", "growing", grows=dict(n=3), none=dict(n=0))
def last_of_any_length(n):
    """A last value that is not carried, of a length that only the iteration tells; after none it is empty."""
    x = small(2, 2)
    g = Graph()
    loop = Loop(g, g.parameter("i32", [], name="in_0"), g.const(np.array(True)))
    state = loop.map_input(g.parameter("f32", [2, 2], name="in_1"), "f32", ["?", 2])
    b = loop.body
    grown = b.add("Concat", [state, b.const(np.ones((1, 2), np.float32))], axis=0)
    r = loop.result(grown)
    loop.back(r, state)
    loop.again(b.const(np.array(True)))
    loop.output(loop.result(b.add("Concat", [grown, state], axis=0)))
    finish(g, loop.build())
    s, last = x, np.zeros((0, 2), np.float32)
    for _ in range(n):
        t = np.concatenate([s, np.ones((1, 2), np.float32)])
        s, last = t, np.concatenate([t, s])
    return g, [np.array(n, np.int32), x], [last]


@case("loop", "dynamic", same=dict(rows=3, own=3), grows=dict(rows=3, own=1), one=dict(rows=1, own=4), none=dict(rows=3, own=1, n=0),
      while_grows=dict(rows=3, own=1, again=True), while_none=dict(rows=3, own=1, n=0, again=True),
      empty=dict(rows=0, own=1))
def state_broadcasts(rows, own, n=3, again=False):
    """A state that broadcasts to the dims of another operand in the first iteration, and keeps them."""
    x, s0 = small(rows, 2), small(own, 2) + 1
    g = Graph()
    loop = Loop(g, g.parameter("i64", [], name="in_0"), g.const(np.array(True)))
    whole = loop.map_input(g.parameter("f32", ["?", 2], name="in_1"), "f32", ["?", 2])
    state = loop.map_input(g.parameter("f32", ["?", 2], name="in_2"), "f32", ["?", 2])
    b = loop.body
    added = b.binary("Add", state, whole)
    r = loop.result(added)
    loop.back(r, state)
    i = loop.iteration()
    loop.again(b.binary("Less", i, b.const(np.int64(99))) if again else b.const(np.array(True)))
    loop.output(r)
    loop.output(r, axis=1, stride=2, part_size=2)
    loop.output(loop.result(b.add("ShapeOf", [state], element="i64", opset=3, output_type="i64")))
    finish(g, loop.build())
    s, parts, shape = s0, [], np.zeros(2, np.int64)
    for _ in range(n):
        shape = np.array(s.shape, np.int64)
        s = s + x
        parts.append(s)
    joined = np.concatenate(parts, 1) if parts else np.zeros((rows, 0), np.float32)
    return g, [np.array(n), x, s0], [s, joined, shape]


@case("loop", "dynamic", none=dict(n=0), some=dict(n=2), while_none=dict(n=0, again=True), f64=dict(n=0, element="f64"),
      i8=dict(n=0, element="i8", again=True))
def dims_of_the_body(n, again=False, element="f32"):
    """Without an iteration, parts and last values have the dims that the body would give, also in a loop in a loop."""
    dtype = DTYPES[element]
    x, s0 = small(3, 2).astype(dtype), small(1, 4).astype(dtype)
    g = Graph()
    count = g.parameter("i64", [], name="in_0")
    loop = Loop(g, count, g.const(np.array(True)))
    whole = loop.map_input(g.parameter(element, ["?", "?"], name="in_1"), element, ["?", "?"])
    state = loop.map_input(g.parameter(element, [1, "?"], name="in_2"), element, [1, "?"])
    b = loop.body
    loop.back(loop.result(b.binary("Add", state, state)), state)
    inner = Loop(b, b.const(np.int64(0)), b.const(np.array(True)))
    part = inner.map_input(whole, element, ["?", "?"])
    inner.again(inner.body.const(np.array(True)))
    inner.output(inner.result(inner.body.add("Unsqueeze", [part, inner.body.i64(0)])), axis=0)
    (parts_of_inner,) = inner.build()
    i = loop.iteration()
    loop.again(b.binary("Less", i, b.const(np.int64(99))) if again else b.const(np.array(True)))
    loop.output(loop.result(b.add("Transpose", [whole, b.i64(1, 0)])))
    loop.output(loop.result(b.add("Unsqueeze", [state, b.i64(0)])), axis=0)
    loop.output(loop.result(b.add("Concat", [whole, whole], axis=0)), axis=1, stride=2, part_size=2)
    loop.output(loop.result(parts_of_inner))
    outputs = list(loop.build())
    # A later layer relies on the dims.
    outputs.append(g.add("Concat", [outputs[0], outputs[0]], axis=1))
    finish(g, outputs)
    last = x.T if n else np.zeros((2, 3), dtype)
    states = np.stack([s0 * 2**k for k in range(n)]) if n else np.zeros((0, 1, 4), dtype)
    joined = np.concatenate([np.concatenate([x, x])] * n, 1) if n else np.zeros((6, 0), dtype)
    return g, [np.array(n), x, s0], [last, states, joined, np.zeros((0, 3, 2), dtype), np.concatenate([last, last], 1)]


# Values


@case(u8=dict(element="u8"), i32=dict(element="i32"), u64=dict(element="u64"), i64=dict(element="i64"), i16=dict(element="i16"),
      folded=dict(element="i32", is_constant=True), folded_u8=dict(element="u8", is_constant=True))
def shift_as_quotient(element, is_constant=False):
    """ONNX's shift, which converters write as a quotient by a power of two: B1 holds for any number of bits."""
    dtype = DTYPES[element]
    width = np.dtype(dtype).itemsize * 8
    bits = np.array([0, 1, width - 1, width, 100] + ([] if element[0] == "u" else [-1, -100]), dtype)
    info = np.iinfo(dtype)
    values = np.array([[info.max], [info.min], [77]], dtype)
    g = Graph()
    a = g.parameter(element, values.shape, name="in_0")
    b = g.const(bits) if is_constant else g.parameter(element, ["?"], name="in_1")
    power = g.binary("Power", g.const(np.array([2], dtype)), b)
    finish(g, [g.binary("Divide", a, power), g.binary("Multiply", a, power)])
    right = [[int(v) >> int(n) if 0 <= n < width else -(int(v) < 0) for n in bits] for v in values[:, 0]]
    left = [[(int(v) << int(n)) % 2**width if 0 <= n < width else 0 for n in bits] for v in values[:, 0]]
    return g, [values] + ([] if is_constant else [bits]), [np.array(right, dtype), np.array(left, np.uint64).astype(dtype)]


# Lengths that the graph tells


@case("dynamic", f32=dict(element="f32"), i8=dict(element="i8"), f16=dict(element="f16"))
def declared_ranks(element):
    """Lists of unknown length, and a Squeeze without axes, where the output port declares the rank."""
    dtype = DTYPES[element]
    x = small(1, 3, 2).astype(dtype)
    g = Graph()
    p = g.parameter(element, ["?", "?", "?"], name="in_0")
    lists = g.parameter("i64", ["?"], name="in_1")
    places = g.parameter("i64", [2, "?"], name="in_2")
    flat = g.parameter(element, ["?"], name="in_3")
    open_shape = lambda rank: ["?"] * rank
    outputs = [g.add("Squeeze", [p], dims=open_shape(2)),
               g.add("Broadcast", [flat, lists], opset=3, mode="numpy", dims=open_shape(3)),
               g.add("Broadcast", [p, lists], opset=3, mode="bidirectional", dims=open_shape(3)),
               g.add("Tile", [p, lists], dims=open_shape(3)),
               g.add("GatherND", [p, places], opset=8, batch_dims=0, dims=[2, "?"]),
               g.add("Reshape", [flat, g.add("Slice", [lists, g.i64(2), g.i64(3), g.i64(1)], opset=8)], special_zero="false",
                     dims=["?"])]
    finish(g, outputs)
    target, indices = np.array([2, 3, 2]), np.array([[0, 2], [-1, 0]])
    row = small(2).astype(dtype)
    return g, [x, target, indices, row], [x[0], np.broadcast_to(row, (2, 3, 2)), np.broadcast_to(x, (2, 3, 2)),
                                          np.tile(x, (2, 3, 2)), np.stack([x[0, 2], x[-1, 0]]), row]


@case("ti", "dynamic", batch=dict(batch=5), one=dict(batch=1))
def state_of_one_row(batch):
    """A state of one row, declared static, that becomes a batch."""
    x = small(4, batch, 2)
    g = Graph()
    loop = Loop(g)
    p = loop.map_input(g.parameter("f32", [4, "?", 2], name="in_0"), "f32", [1, "?", 2], axis=0)
    state = loop.map_input(g.const(np.ones((1, 2), np.float32)), "f32", ["?", 2])
    b = loop.body
    row = b.add("Squeeze", [p, b.i64(0)])
    r = loop.result(b.add("Tanh", [b.binary("Multiply", row, state)]))
    loop.back(r, state)
    loop.output(r)
    finish(g, loop.build())
    s = np.ones((1, 2), np.float32)
    for i in range(4):
        s = np.tanh(x[i] * s)
    return g, [x], [s]


@case("ti", "dynamic", same=dict(x=3, h=3, c=3), x=dict(x=1, h=3, c=3), h=dict(x=3, h=1, c=3), c=dict(x=3, h=3, c=1),
      xc=dict(x=1, h=3, c=1), hc=dict(x=3, h=1, c=1), one=dict(x=1, h=1, c=1), empty=dict(x=0, h=1, c=0))
def cell_broadcasts(x, h, c):
    """A cell of element-wise ops whose input and states are batches, or rows for a whole batch."""
    xs, h0, c0, w = small(4, x, 2), small(h, 3), small(c, 3) + 1, small(6, 2)
    g = Graph()
    loop = Loop(g)
    part = loop.map_input(g.parameter("f32", [4, "?", 2], name="in_0"), "f32", [1, "?", 2], axis=0)
    hidden = loop.map_input(g.parameter("f32", ["?", 3], name="in_1"), "f32", ["?", 3])
    cell = loop.map_input(g.parameter("f32", ["?", 3], name="in_2"), "f32", ["?", 3])
    b = loop.body
    product = b.add("MatMul", [b.add("Squeeze", [part, b.i64(0)]), b.const(w)], transpose_b="true")
    first, second = b.add("Split", [product, b.const(np.array(1))], outputs=2, num_splits=2)
    new_cell = b.binary("Add", b.binary("Multiply", first, cell), hidden)
    new_hidden = b.add("Tanh", [b.binary("Subtract", second, new_cell)])
    last_cell, last_hidden = loop.result(new_cell), loop.result(new_hidden)
    loop.back(last_cell, cell)
    loop.back(last_hidden, hidden)
    loop.output(last_hidden)
    loop.output(last_cell)
    loop.output(loop.result(b.add("Unsqueeze", [new_hidden, b.i64(0)])), axis=0)
    finish(g, loop.build())
    state, memory, parts = h0, c0, []
    for step in xs:
        first, second = np.split(step @ w.T, 2, 1)
        memory = first * memory + state
        state = np.tanh(second - memory)
        parts.append(state)
    return g, [xs, h0, c0], [state, memory, np.stack(parts)]


@case("ti", "dynamic", both=dict(state=(1, 1)), rows=dict(state=(1, 4)), columns=dict(state=(3, 1)),
      same=dict(state=(3, 4)), matrix=dict(state=(3, 4), matrix=(1, 1)))
def matrix_broadcasts(state, matrix=(3, 4)):
    """A state that broadcasts along two dims to a matrix that the body captures."""
    x, m, s0 = small(5), small(*matrix), small(*state) + 1
    g = Graph()
    loop = Loop(g)
    part = loop.map_input(g.parameter("f32", [5], name="in_0"), "f32", [1], axis=0)
    whole = loop.map_input(g.parameter("f32", ["?", "?"], name="in_1"), "f32", ["?", "?"])
    carried = loop.map_input(g.parameter("f32", ["?", "?"], name="in_2"), "f32", ["?", "?"])
    b = loop.body
    r = loop.result(b.add("Tanh", [b.binary("Add", b.binary("Multiply", carried, part), whole)]))
    loop.back(r, carried)
    loop.output(r)
    finish(g, loop.build())
    s = s0
    for value in x:
        s = np.tanh(s * value + m)
    return g, [x, m, s0], [s]


@case("loop", forward=dict(is_static=True, axis=1), backward=dict(is_static=True, axis=0, step=-1),
      dynamic=dict(axis=1, step=-1))
def products_in_strips(axis, step=1, is_static=False, n=20, batch=32):
    """A product of slices that has too many bytes to be computed for all iterations at once."""
    x, w, s0 = small(n, batch, 32), small(32, 512), small(batch, 512)
    given = np.moveaxis(x, 0, axis)
    bounds = dict(start=0, end=-1) if step > 0 else dict(start=-1, end=0)
    g = Graph()
    loop = Loop(g)
    part_shape = [batch if is_static else "?", 32]
    part_shape.insert(axis, 1)
    part = loop.map_input(g.parameter("f32", [*(given.shape[:2] if is_static else ["?", "?"]), 32], name="in_0"), "f32",
                          part_shape, axis=axis, stride=step, **bounds)
    state_shape = [batch if is_static else "?", 512]
    carried = loop.map_input(g.parameter("f32", state_shape, name="in_1"), "f32", state_shape)
    b = loop.body
    product = b.add("MatMul", [b.add("Squeeze", [part, b.i64(axis)]), b.const(w)], transpose_a="false",
                    transpose_b="false")
    after = b.binary("Subtract", product, carried)
    r = loop.result(after)
    loop.back(r, carried)
    loop.output(r)
    loop.output(loop.result(b.add("ReduceMax", [after, b.i64(1)], keep_dims="true")), axis=1)
    finish(g, loop.build())
    s, most = s0, []
    for t in range(n)[::step]:
        s = x[t] @ w - s
        most.append(s.max(1, keepdims=True))
    return g, [given, s0], [s, np.concatenate(most, 1)]


# Shapes that are computed


@case("dynamic", one=dict(batch=1), some=dict(batch=3))
def computed_axes(batch):
    """Axes and a target shape that are constant in effect: all axes but the first, as many as the rank has."""
    x = small(batch, 3, 4)
    g = Graph()
    p = g.parameter("f32", ["?", 3, 4], name="in_0")
    shape = g.add("ShapeOf", [p], element="i64", opset=3, output_type="i64")
    rank = g.add("ShapeOf", [shape], element="i64", opset=3, output_type="i64")
    count = g.add("Squeeze", [rank, g.i64(0)])
    one = g.const(np.array(1, np.int64))
    axes = g.add("Range", [one, count, one], element="i64", opset=4, output_type="i64")
    g.result(g.add("ReduceSum", [p, axes], keep_dims="false"), name="out_0")
    last = g.add("Gather", [shape, axes, g.i64(0)], opset=8, batch_dims=0)
    size = g.add("ReduceProd", [last, g.i64(0)], keep_dims="true")
    target = g.add("Concat", [g.i64(-1), size], axis=0)
    g.result(g.add("Reshape", [p, target], special_zero="false"), name="out_1")
    return g, [x], [x.sum((1, 2)), x.reshape(batch, 12)]


def dynamic(shape, is_static):
    return shape if is_static else ["?"] * len(shape)


@case("dynamic", first=dict(axis=0), middle=dict(axis=1, exclusive=True), last=dict(axis=2, reverse=True),
      negative=dict(axis=-2, exclusive=True, reverse=True), static=dict(axis=-1, is_static=True, exclusive=True),
      least=dict(axis=-3, is_static=True), half=dict(axis=1, element="f16"), none=dict(axis=1, shape=(2, 0, 3)))
def sums_along_any_axis(axis, exclusive=False, reverse=False, is_static=False, element="f32", shape=(2, 4, 3)):
    """CumSum along an axis that only the run tells."""
    x = small(*shape).astype(DTYPES[element])
    given = np.array(axis, np.int32) if axis > 0 else np.array([axis], np.int64)
    g = Graph()
    p = g.parameter(element, dynamic(shape, is_static), name="in_0")
    a = g.parameter(element_of(given), given.shape, name="in_1")
    g.result(g.add("CumSum", [p, a], opset=3, exclusive=str(exclusive).lower(), reverse=str(reverse).lower()),
             name="out_0")
    line = np.flip(x, axis) if reverse else x
    sums = np.cumsum(line, axis, dtype=np.float32)
    sums = (sums - line if exclusive else sums).astype(x.dtype)
    return g, [x, given], [np.flip(sums, axis) if reverse else sums]


@case("loop", "dynamic", static=dict(is_static=True), dynamic=dict(is_static=False))
def sums_along_each_axis(is_static):
    """CumSum in a loop, along the axis that has the number of the iteration."""
    x = small(2, 3, 2)
    g = Graph()
    loop = Loop(g, g.const(np.array(3, np.int64)), g.const(np.array(True)))
    shape = dynamic(x.shape, is_static)
    state = loop.map_input(g.parameter("f32", shape, name="in_0"), "f32", shape)
    r = loop.result(loop.body.add("CumSum", [state, loop.iteration()], opset=3))
    loop.back(r, state)
    loop.again(loop.body.const(np.array(True)))
    loop.output(r)
    finish(g, loop.build())
    return g, [x], [x.cumsum(0).cumsum(1).cumsum(2).astype(np.float32)]


@case("dynamic", one=dict(axes=[1], slices=[(1, 4, 1)]), negative=dict(axes=[-3], slices=[(0, 1, 1)]),
      swapped=dict(axes=[2, 0], slices=[(-2, 100, 1), (1, 2, 1)]),
      backward=dict(axes=[-1, 1], slices=[(-1, -100, -1), (4, 0, -2)]),
      steps=dict(axes=[1, 2], slices=[(0, 5, 2), (1, 3, 1)]),
      static=dict(axes=[2, -2], slices=[(2, None, -1), (1, -1, 1)], is_static=True),
      all=dict(axes=[1, 2, 0], slices=[(4, 1, -1), (0, 2, 1), (-2, 2, 1)], is_static=True),
      known_steps=dict(axes=[0, 1], slices=[(1, 2, 1), (-4, 4, 1)], is_static=True, has_steps=False),
      empty=dict(axes=[1], slices=[(3, 3, 1)]))
def slices_along_any_axes(axes, slices, is_static=False, has_steps=True):
    """Slice along axes that only the run tells."""
    x = small(2, 5, 3)
    least = np.iinfo(np.int64).min
    start, stop, step = (np.array([least if y is None else y for y in column], np.int64) for column in zip(*slices))
    given = np.array(axes, np.int32)
    inputs = [x, given, start, stop] + [step] * has_steps
    g = Graph()
    p = g.parameter("f32", dynamic(x.shape, is_static), name="in_0")
    operands = [g.parameter(element_of(y), y.shape, name=f"in_{i}") for i, y in enumerate(inputs) if i > 0]
    steps = operands[3] if has_steps else g.const(step)
    g.result(g.add("Slice", [p, operands[1], operands[2], steps, operands[0]], opset=8), name="out_0")
    cut = [slice(None)] * x.ndim
    for axis, (first, last, by) in zip(axes, slices):
        # NumPy takes a bound that is before the tensor for its end.
        cut[axis] = slice(first, None if last is not None and last < -x.shape[axis] else last, by)
    return g, inputs, [x[tuple(cut)]]


@case("loop", "dynamic")
def slice_in_a_loop_along_any_axis():
    """One element in each iteration, along an axis that only the run tells: no slice of the loop, which would not check."""
    x = small(4)
    g = Graph()
    p = g.parameter("f32", ["?"], name="in_0")
    a = g.parameter("i64", [1], name="in_1")
    loop = Loop(g, g.const(np.array(4, np.int64)), g.const(np.array(True)))
    data, axes = loop.map_input(p, "f32", ["?"]), loop.map_input(a, "i64", [1])
    b = loop.body
    start = b.add("Reshape", [loop.iteration(), b.i64(1)], special_zero="false")
    part = b.add("Slice", [data, start, b.binary("Add", start, b.i64(1)), b.i64(1), axes], opset=8)
    r = loop.result(b.add("Reshape", [part, b.i64(1)], special_zero="false"))
    loop.again(b.const(np.array(True)))
    loop.output(r, axis=0)
    finish(g, loop.build())
    return g, [x, np.array([-1], np.int64)], [x]


@case("dynamic", some=dict(counts=[2, 3]), none=dict(counts=[0, 3]))
def sizes_from_an_input(counts):
    """A shape whose dims are sums and products of the elements of an input."""
    x = np.array(counts, np.int64)
    g = Graph()
    p = g.parameter("i64", [2], name="in_0")
    doubled = g.binary("Multiply", p, g.i64(2))
    total = g.add("ReduceSum", [doubled, g.i64(0)], keep_dims="true")
    target = g.add("Concat", [doubled, total], axis=0)
    g.result(g.add("Broadcast", [g.const(np.array(1.5, np.float32)), target], opset=3, mode="numpy"), name="out_0")
    return g, [x], [np.full((2 * counts[0], 2 * counts[1], 2 * sum(counts)), 1.5, np.float32)]


@case("loop", "dynamic", some=dict(n=3, other=4), none=dict(n=0, other=5))
def dims_that_clash_in_no_iteration(n, other):
    """What clashes in the body of a loop is no fault where the loop does not run."""
    x, y = small(4), small(other)
    g = Graph()
    trip = g.parameter("i64", [], name="in_0")
    s0, k = g.parameter("f32", ["?"], name="in_1"), g.parameter("f32", ["?"], name="in_2")
    loop = Loop(g, trip, g.const(np.array(True)))
    state, key = loop.map_input(s0, "f32", ["?"]), loop.map_input(k, "f32", ["?"])
    r = loop.result(loop.body.add("Add", [state, key], auto_broadcast="none"))
    loop.back(r, state)
    loop.again(loop.body.const(np.array(True)))
    loop.output(r)
    finish(g, loop.build())
    return g, [np.array(n, np.int64), x, y], [x + n * y if n else x]


# Nesting


@case("loop", "nested", "dynamic", some=dict(rows=2, columns=3, n=2), one=dict(rows=1, columns=1, n=1), none=dict(rows=2, columns=2, n=0))
def three_deep(rows, columns, n):
    """TensorIterator in Loop in TensorIterator; states of the outer ones go in and come back."""
    x = small(rows, columns, 2)
    k = small(2)
    g = Graph()
    outer = Loop(g)
    a = outer.map_input(g.parameter("f32", ["?", "?", 2], name="in_0"), "f32", [1, "?", 2], axis=0)
    total = outer.map_input(g.parameter("f32", [2], name="in_1"), "f32", [2])
    trips = outer.map_input(g.parameter("i64", [], name="in_2"), "i64", [])
    middle = Loop(outer.body, trips, outer.body.const(np.array(True)))
    m = middle.map_input(total, "f32", [2])
    part = middle.map_input(a, "f32", [1, "?", 2])
    number = middle.iteration()
    inner = Loop(middle.body)
    row = inner.map_input(part, "f32", [1, 1, 2], axis=1, start=-1, end=0, stride=-1)
    s = inner.map_input(m, "f32", [2])
    scale = inner.map_input(number, "i64", [])
    b = inner.body
    flat = b.add("Reshape", [row, b.i64(2)], special_zero="false")
    factor = b.add("Convert", [scale], "f32", destination_type="f32")
    r = inner.result(b.binary("Subtract", b.binary("Multiply", flat, factor), s))
    inner.back(r, s)
    inner.output(r)
    inner.output(r, axis=0, stride=2, part_size=2)
    last, history = inner.build()
    rm = middle.result(last)
    middle.back(rm, m)
    middle.again(middle.body.const(np.array(True)))
    middle.output(rm)
    middle.output(middle.result(history), axis=0)
    out, parts = middle.build()
    ro = outer.result(out)
    outer.back(ro, total)
    outer.output(ro)
    outer.output(outer.result(parts), axis=0)
    finish(g, outer.build())
    t, found = k, []
    for i in range(rows):
        for j in range(n):
            for c in reversed(range(columns)):
                t = (x[i, c] * np.float32(j) - t).astype(np.float32)
                found.append(t)
    return g, [x, k, np.array(n)], [t, np.concatenate(found) if found else np.zeros(0, np.float32)]


# Values


@case("loop")
def wide_integers():
    """i64 and u64 keep 64 bits, and wrap."""
    a, b = np.array([2 ** 62 + 3, -7, 2 ** 33], np.int64), np.array([2 ** 63 + 1, 5], np.uint64)
    g = Graph()
    loop = Loop(g, g.const(np.int64(3)), g.const(np.array(True)))
    p = loop.map_input(g.parameter("i64", [3], name="in_0"), "i64", [3])
    q = loop.map_input(g.parameter("u64", [2], name="in_1"), "u64", [2])
    c = loop.body
    rp = loop.result(c.binary("Multiply", p, c.const(np.int64(2 ** 31 + 1))))
    rq = loop.result(c.binary("Add", q, c.const(np.array(2 ** 63 + 2, np.uint64))))
    loop.back(rp, p)
    loop.back(rq, q)
    loop.again(c.const(np.array(True)))
    loop.output(rp)
    loop.output(rq)
    finish(g, loop.build())
    with np.errstate(over="ignore"):
        for _ in range(3):
            a2 = a * np.int64(2 ** 31 + 1) if _ == 0 else a2 * np.int64(2 ** 31 + 1)
            b2 = b + np.uint64(2 ** 63 + 2) if _ == 0 else b2 + np.uint64(2 ** 63 + 2)
    return g, [a, b], [a2, b2]


@case("loop", **{name: dict(element=name) for name in DTYPES if name[0] in "iu"})
def convert_saturates(element):
    """Float to integer truncates and saturates; NaN becomes 0."""
    info = np.iinfo(DTYPES[element])
    x = np.array([1.5, -1.5, 0.99, -0.99, 1e30, -1e30, np.inf, -np.inf, np.nan, 200.7, -200.7, 70000.0, -0.0], np.float32)
    g = Graph()
    loop = Loop(g)
    p = loop.map_input(g.parameter("f32", [13], name="in_0"), "f32", [1], axis=0)
    loop.output(loop.result(loop.body.add("Convert", [p], element=element, destination_type=element)), axis=0)
    finish(g, loop.build())
    values = [0 if math.isnan(v) else int(min(max(math.trunc(v) if math.isfinite(v) else v, info.min), info.max)) for v in map(float, x)]
    return g, [x], [np.array(values, DTYPES[element])]


@case("loop")
def nan_rules():
    """Maximum, Minimum, Clamp, Relu and ReduceMax give NaN where an operand is NaN; comparisons with NaN are false."""
    x = np.array([[np.nan, 1, -1], [2, np.nan, -3], [-1, 0, 5]], np.float32)
    g = Graph()
    loop = Loop(g)
    p = loop.map_input(g.parameter("f32", [3, 3], name="in_0"), "f32", [1, 3], axis=0)
    b = loop.body
    zero = b.const(np.float32(0))
    values = [b.binary("Maximum", p, zero), b.binary("Minimum", zero, p), b.add("Clamp", [p], min=-2, max=2),
              b.add("ReLU", [p]), b.add("ReduceMax", [p, b.i64(1)], keep_dims="true"), b.binary("Greater", p, zero),
              b.binary("NotEqual", p, p)]
    for value in values:
        loop.output(loop.result(value), axis=0)
    finish(g, loop.build())
    return g, [x], [np.maximum(x, 0), np.minimum(x, 0), np.clip(x, -2, 2), np.maximum(x, 0), x.max(1, keepdims=True),
                    x > 0, x != x]


@case("types")
def index_types():
    """Axes, indices and counts may be integers of any type."""
    x = small(2, 1, 3)
    g = Graph()
    given, places = g.parameter("f32", [2, 1, 3], name="in_0"), g.parameter("u8", [2], name="in_1")
    numbers = g.parameter("i16", [3], name="in_2")
    const = lambda element, value: g.const(np.array(value, DTYPES[element]))
    squeezed = g.add("Squeeze", [given, const("u64", [1])])
    taken = g.add("Gather", [given, places, const("i16", 2)], opset=8, batch_dims=0)
    summed = g.add("ReduceSum", [given, const("u32", [0, 2])], opset=1, keep_dims="true")
    turned = g.add("Transpose", [given, const("i8", [2, 0, 1])])
    shaped = g.add("Reshape", [given, const("i16", [3, -1])], special_zero="false")
    hot = lambda **mode: g.add("OneHot", [numbers, const("u8", 4), const("f32", 5.0), const("f32", -1.0)], element="f32",
                               opset=16, axis=0, **mode)
    finish(g, [squeezed, taken, summed, turned, shaped, hot(negative_indices_mode="normalize"), hot()])
    at = np.array([2, 0], np.uint8)
    indices = np.array([-1, 2, -5], np.int16)
    rows = np.arange(4)[:, None]
    return g, [x, at, indices], [x[:, 0], x[:, :, at], x.sum((0, 2), keepdims=True), x.transpose(2, 0, 1), x.reshape(3, 2),
                                 np.where(rows == np.where(indices < 0, indices + 4, indices), 5, -1).astype(np.float32),
                                 np.where(rows == indices, 5, -1).astype(np.float32)]


@case("types")
def steps_and_backward():
    """A slice goes backward along one dim, in steps along the next, and the last dim has one element."""
    x = small(3, 47, 1)
    g = Graph()
    given = g.parameter("f32", ["?", 47, 1], name="in_0")
    kept = g.add("ReLU", [given])
    bounds = [g.i64(-1, 2), g.i64(-100, 44), g.i64(-1, 2)]
    part = g.add("StridedSlice", [kept, *bounds], begin_mask="0,0", end_mask="0,0", new_axis_mask="0,0",
                 shrink_axis_mask="0,0", ellipsis_mask="0,0")
    finish(g, [part])
    return g, [x], [np.maximum(x, 0)[::-1, 2:44:2]]


@case("types")
def one_hot_halves():
    """The parts of a result that is computed from its indices have the indices of the whole."""
    g = Graph()
    numbers = g.parameter("i32", [4], name="in_0")
    const = lambda element, value: g.const(np.array(value, DTYPES[element]))
    hot = g.add("OneHot", [numbers, const("i64", 32), const("f32", 1.0), const("f32", 0.0)], element="f32", opset=1,
                axis=-1)
    halves = g.add("Split", [hot, const("i64", 1)], outputs=2, num_splits=2)
    finish(g, halves)
    indices = np.array([3, 17, 31, 0], np.int32)
    expected = (np.arange(32) == indices[:, None]).astype(np.float32)
    return g, [indices], [expected[:, :16], expected[:, 16:]]


@case("loop")
def half_rounds():
    """f16 is computed in f32 and rounded to nearest even after each operation: what is added below half of the spacing
    of neighbours is lost at once, and a tie goes to the even neighbour."""
    x = np.array([[2048, 2048, 2049, 1, 60000], [1, 3, 1, 0.0004, 6000], [-2048, -2048, -2049, -1, -60000]], np.float16)
    state = np.full((1, 5), 0.5, np.float16)
    g = Graph()
    loop = Loop(g)
    a, b, c = (loop.map_input(g.parameter("f16", [3, 5], name=f"in_{i}"), "f16", [1, 5], axis=0) for i in range(3))
    s = loop.map_input(g.parameter("f16", [1, 5], name="in_3"), "f16", [1, 5])
    body = loop.body
    total = body.binary("Add", body.binary("Add", a, b), c)
    after = loop.result(body.binary("Add", body.binary("Multiply", s, s), total))
    loop.back(after, s)
    loop.output(after, axis=0)
    finish(g, loop.build())
    columns = [x, np.roll(x, -1, 0), np.roll(x, -2, 0)]
    states = []
    for i in range(3):
        total = ((columns[0][i:i + 1] + columns[1][i:i + 1]) + columns[2][i:i + 1])
        state = state * state + total
        assert state.dtype == np.float16
        states.append(state)
    return g, [*columns, np.full((1, 5), 0.5, np.float16)], [np.concatenate(states)]


@case("types")
def least_of_halves():
    """The least of f16 numbers, where NaN is greater than any number, needs no function of a library."""
    x = np.array([[3, np.nan, -2, -2], [np.nan, 5, np.inf, 4], [np.nan, np.nan, np.nan, np.nan]], np.float16)
    g = Graph()
    best = g.add("TopK", [g.parameter("f16", x.shape, name="in_0"), g.i64(1)], element=("f16", "i64"), outputs=2,
                 opset=11, axis=1, mode="min", sort="value", index_element_type="i64")
    g.result(best[0], name="out_0")
    g.result(best[1], name="out_1")
    return g, [x], [np.array([[-2], [4], [np.nan]], np.float16), np.array([[2], [3], [0]])]


@case("loop", "scatter")
def updated_and_kept():
    """What a scatter updates stays what it was for all others that read it: in a body, and outside."""
    x = np.arange(12, dtype=np.float32).reshape(4, 3)
    state = np.array([[1, 2, 3]], np.float32)
    g = Graph()
    given = g.parameter("f32", [4, 3], name="in_0")
    initial = g.parameter("f32", [1, 3], name="in_1")

    def update(graph, data, rows):
        return graph.add("ScatterUpdate", [data, graph.i64(1), graph.const(np.full((rows, 1), 9, np.float32)), graph.i64(1)],
                         opset=3)

    loop = Loop(g)
    p, s = loop.map_input(given, "f32", [1, 3], axis=0), loop.map_input(initial, "f32", [1, 3])
    sum_ = loop.body.binary("Add", s, p)
    after = loop.result(update(loop.body, sum_, 1))
    loop.back(after, s)
    kept = loop.result(sum_)
    for result in (after, kept):
        loop.output(result, axis=0)
    for result in (after, kept):
        loop.output(result)
    loop.output(loop.result(loop.body.add("Unsqueeze", [sum_, loop.body.i64(0)])), axis=0)
    double = g.binary("Add", given, given)
    finish(g, [*loop.build(), update(g, double, 4), g.add("Unsqueeze", [double, g.i64(0)])])
    kepts, afters = [], []
    for row in x:
        kepts.append(state + row)
        state = kepts[-1].copy()
        state[0, 1] = 9
        afters.append(state)
    updated = x + x
    updated[:, 1] = 9
    return g, [x, np.array([[1, 2, 3]], np.float32)], [np.concatenate(afters), np.concatenate(kepts), afters[-1], kepts[-1],
                                                       np.stack(kepts), updated, (x + x)[None]]


@case("loop", "scatter", up=dict(first=1, step=1), down=dict(first=6, step=-1), gaps=dict(first=1, step=3),
      down_with_gaps=dict(first=7, step=-2))
def counters(first, step):
    """What a loop as exporters write it reads and writes at a counter, its distance from the end, and from the end."""
    x, y = small(8, 3), small(8, 3)[::-1].copy()
    g = Graph()
    given = g.parameter("f32", [8, 3], name="in_0")
    lists = g.parameter("f32", [8, 3], name="in_1")
    number = lambda graph, value: graph.const(np.array(value, np.int32))
    loop = Loop(g, g.i64(-1), g.const(np.array(True)))
    t = loop.map_input(number(g, first), "i32", [])
    state = loop.map_input(g.const(np.zeros(3, np.float32)), "f32", [3])
    inside = loop.map_input(given, "f32", [8, 3])
    kept, mirrored = loop.map_input(lists, "f32", [8, 3]), loop.map_input(lists, "f32", [8, 3])
    b = loop.body
    from_end = b.binary("Subtract", number(b, 7), t)
    negative = b.binary("Subtract", b.binary("Multiply", t, number(b, -1)), number(b, 1))
    read = lambda index: b.add("Gather", [inside, index, b.i64(0)], opset=8, batch_dims=0)
    write = lambda data, index, part: b.add("ScatterUpdate", [data, index, part, b.i64(0)], opset=3)
    part = b.binary("Subtract", b.binary("Multiply", read(t), read(from_end)), read(negative))
    sum_ = b.binary("Add", state, part)
    after = b.binary("Add", t, number(b, step))
    for value, to in ((after, t), (sum_, state), (write(kept, t, sum_), kept), (write(mirrored, from_end, part), mirrored)):
        result = loop.result(value)
        loop.back(result, to)
        loop.output(result)
    loop.again(b.binary("Less", after, number(b, 8)) if step > 0 else b.binary("Greater", after, number(b, -1)))
    finish(g, loop.build())
    i, s, out, other = first, np.zeros(3, np.float32), y.copy(), y.copy()
    while True:
        p = x[i] * x[7 - i] - x[-1 - i]
        s = s + p
        out[i], other[7 - i] = s, p
        i += step
        if not 0 <= i < 8:
            break
    return g, [x, y], [np.array(i, np.int32), s, out, other]


# GatherTree


def gather_tree(steps, parents, lengths, end):
    t, batch, beams = steps.shape
    out = np.full(steps.shape, end, steps.dtype)
    for b in range(batch):
        m = min(t, int(lengths[b]))
        for w in range(beams):
            if m <= 0:
                continue
            out[m - 1, b, w] = steps[m - 1, b, w]
            p = int(parents[m - 1, b, w])
            for i in reversed(range(m - 1)):
                out[i, b, w] = steps[i, b, p]
                p = int(parents[i, b, p])
            done = False
            for i in range(m):
                if done:
                    out[i, b, w] = end
                done |= bool(out[i, b, w] == end)
    return out


@case("gather_tree", **{name: dict(element=name) for name in DTYPES if name != "boolean"})
def gather_tree_rules(element):
    """Lengths below, at and above MAX_TIME, zero and (signed) negative; an end token inside; parents out of range where
    they are not used; fractions truncate; i64 and u64 ids beyond 2^53."""
    dtype = DTYPES[element]
    unsigned = element[0] == "u"
    t, batch, beams = 4, 5, 3
    base = rng().integers(2, 9, (t, batch, beams))
    steps = base.astype(dtype)
    if element in ("i64", "u64"):
        steps = steps + dtype(2 ** 60 + 1)
    parents = rng().integers(0, beams, steps.shape).astype(dtype)
    lengths = np.array([2, 4, 100, 0, 0 if unsigned else -3]).astype(dtype)
    end = dtype(1)
    steps[1, 1, :] = end
    # Row 0 is nobody's parent's row; rows at and beyond the length are not read.
    parents[0, :, :] = dtype(77)
    parents[2:, 0, :] = dtype(77)
    parents[:, 3:, :] = dtype(77)
    if element[0] == "f":
        parents[1:, 1, :] += dtype(0.75)
        lengths[0] = dtype(2.5)
    g = Graph()
    inputs = [steps, parents, lengths, np.array(end)]
    values = [g.parameter(element, a.shape, name=f"in_{i}") for i, a in enumerate(inputs)]
    g.result(g.add("GatherTree", values, element=element), name="out_0")
    return g, inputs, [gather_tree(steps, parents, lengths, end)]


@case("gather_tree", "ti", two=dict(steps=2), three=dict(steps=3))
def gather_tree_small(steps):
    """In a loop, with so few steps, batches and beams that LLVM unrolls the loops over them."""
    ids = np.arange(2, 2 + steps * 4, dtype=np.int32).reshape(steps, 2, 2)
    parents = rng().integers(0, 2, (3 * steps, 2, 2)).astype(np.int32)
    inputs = [parents, ids]
    g = Graph()
    loop = Loop(g)
    part = loop.map_input(g.parameter("i32", parents.shape, name="in_0"), "i32", ids.shape, axis=0, start=0, end=-1,
                          stride=steps, part_size=steps)
    state = loop.map_input(g.parameter("i32", ids.shape, name="in_1"), "i32", ids.shape)
    lengths, end = np.array([steps, steps], np.int32), np.int32(1)
    r = loop.result(loop.body.add("GatherTree", [state, part, loop.body.const(lengths), loop.body.const(end)]))
    loop.back(r, state)
    loop.output(r)
    finish(g, loop.build())
    for i in range(3):
        ids = gather_tree(ids, parents[i * steps:(i + 1) * steps], lengths, end)
    return g, inputs, [ids]


# Output


def element_of(array):
    return next(name for name, dtype in DTYPES.items() if array.dtype == dtype)


def write(name, function, variant, tags):
    with packed_cases.new_case(name) as folder:
        return write_files(folder, name, function, variant, tags)


def write_files(folder, name, function, variant, tags):
    graph, inputs, outputs = function(**variant)
    text = f'<?xml version="1.0"?>\n<net name="model" version="11">\n{graph.text()}\n</net>\n'
    (folder / "model.xml").write_text(text)
    (folder / "model.bin").write_bytes(bytes(graph.weights))
    entry = {"name": name, "family": "semantics", "tags": list(tags)}
    entry["ops"] = sorted({part.split('"')[0] for part in text.split(' type="')[1:]} - {"Parameter", "Result", "Const"})
    for kind, arrays in (("in", inputs), ("out", outputs)):
        listed = []
        for i, array in enumerate(arrays):
            # A view would be stored in Fortran's order.
            array = np.ascontiguousarray(array).reshape(np.shape(array))
            np.save(folder / f"{kind}_{i}.npy", array)
            listed.append({"name": f"{kind}_{i}", "element_type": element_of(array), "shape": list(array.shape),
                           "file": f"{kind}_{i}.npy"})
        entry[kind + "puts"] = listed
    exact = all(a.dtype.kind != "f" for a in outputs)
    rtol, atol = getattr(function, "tolerance", None) or (1e-5, 1e-6)
    entry.update(rtol=rtol, atol=atol, exact=exact, notes=" ".join(function.__doc__.split()))
    return entry


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", metavar="TEXT")
    options = parser.parse_args()
    index = FOLDER / "cases.json"
    entries = {entry["name"]: entry for entry in json.loads(index.read_text())}
    for name, definition in CASES.items():
        if options.only in name:
            entries[name] = write(name, *definition)
    index.write_text("[\n" + ",\n".join(json.dumps(entry) for entry in entries.values()) + "\n]\n")


if __name__ == "__main__":
    main()
