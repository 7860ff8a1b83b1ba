# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The items of items.py as ONNX models, of the nodes for which ONNX Runtime has the fastest kernels.

`model(name)` returns the model. The recurrent cells are LSTM, GRU and RNN; the other loops are Scan and Loop, and what
does not depend on the state is computed before the loop where that is faster.
"""
import itertools

import items
import numpy as np
from onnx import TensorProto, helper, numpy_helper

F32, I32, I64, BOOL = TensorProto.FLOAT, TensorProto.INT32, TensorProto.INT64, TensorProto.BOOL


class Graph:
    """A graph to which nodes are added; values are names. A body has names that its outer graph has not."""

    def __init__(self, outer=None):
        self.names = outer.names if outer else itertools.count()
        self.nodes, self.constants, self.inputs, self.outputs = [], [], [], []

    def name(self):
        return f"v{next(self.names)}"

    def input(self, shape, kind=F32):
        self.inputs.append(helper.make_tensor_value_info(self.name(), kind, shape))
        return self.inputs[-1].name

    def const(self, array):
        self.constants.append(numpy_helper.from_array(np.array(array, order="C"), self.name()))
        return self.constants[-1].name

    def ints(self, *values):
        return self.const(np.array(values, np.int64))

    def add(self, kind, *inputs, outputs=1, **attributes):
        names = [self.name() for _ in range(outputs)]
        self.nodes.append(helper.make_node(kind, list(inputs), names, **attributes))
        return names[0] if outputs == 1 else names

    def result(self, value, kind=F32):
        """The value of an input cannot be an output, so that every output has a node."""
        self.outputs.append(helper.make_tensor_value_info(value, kind, None))

    def finish(self):
        return helper.make_graph(self.nodes, "graph", self.inputs, self.outputs, self.constants)


def scan(graph, body, states, sequences, backward=False):
    """The outputs of a Scan over the first axis: the last states, and what the body returns in each step."""
    outputs = len(body.outputs) - len(states)
    return graph.add("Scan", *states, *sequences, outputs=len(body.outputs), body=body.finish(),
                     num_scan_inputs=len(sequences), scan_input_directions=[int(backward)] * len(sequences),
                     scan_output_directions=[int(backward)] * outputs)


# Cells


def ordered(array, order):
    """The parts of the gates in another order."""
    parts = np.split(array, len(order))
    return np.concatenate([parts[i] for i in order])


CELLS = {"LSTMCell": ("LSTM", (1, 3, 0, 2), {}), "GRUCell": ("GRU", (0, 1, 2), {"linear_before_reset": 1}),
         "RNNCell": ("RNN", (0,), {})}


def recurrent(kind, t, b, inputs, hidden, both=False):
    graph = Graph()
    node, order, attributes = CELLS[kind]
    count, directions = items.CELLS[kind][3], 1 + both
    w, r, bias = items.cell_weights(kind, inputs, hidden)
    input_bias, state_bias = bias[:len(w)], np.zeros(len(r), np.float32)
    if len(bias) > len(w):
        state_bias[2 * hidden:] = bias[len(w):]
    weights = [ordered(a, order) for a in (w, r)]
    weights.append(np.concatenate([ordered(a, order) for a in (input_bias, state_bias)]))
    weights = [graph.const(np.stack([a] * directions)) for a in weights]
    x, states = graph.input([b, t, inputs]), [graph.input([b, hidden]) for _ in range(count)]
    x = graph.add("Transpose", x, perm=[1, 0, 2]) if b > 1 else graph.add("Reshape", x, graph.ints(t, b, inputs))
    starts = [graph.add("Unsqueeze", s, graph.ints(0)) for s in states]
    if both:
        starts = [graph.add("Concat", s, s, axis=0) for s in starts]
        attributes = {**attributes, "direction": "bidirectional"}
    history, *last = graph.add(node, x, *weights, "", *starts, outputs=1 + count, hidden_size=hidden, **attributes)

    def each(value, axis):
        if not both:
            return [graph.add("Squeeze", value, graph.ints(axis))]
        parts = graph.add("Split", value, outputs=2, axis=axis, num_outputs=2)
        return [graph.add("Squeeze", part, graph.ints(axis)) for part in parts]

    for values in zip(each(history, 1), *(each(value, 0) for value in last)):
        history = values[0]
        if b > 1:
            history = graph.add("Transpose", history, perm=[1, 0, 2])
        else:
            history = graph.add("Reshape", history, graph.ints(b, t, hidden))
        for value in (history, *values[1:]):
            graph.result(value)
    return graph


def gated_unit(t, b, size):
    wf, bf, wh, bh = items.gated_unit_weights(size)
    graph = Graph()
    x, h = graph.input([b, t, size]), graph.input([b, size])
    rows = graph.add("Transpose", x, perm=[1, 0, 2])
    given = [graph.add("Add", graph.add("MatMul", rows, graph.const(weights[:size])), graph.const(bias))
             for weights, bias in ((wf, bf), (wh.T, bh))]
    body = Graph(graph)
    state, f_given, h_given = (body.input([b, size]) for _ in range(3))
    f = body.add("Sigmoid", body.add("Add", f_given, body.add("MatMul", state, body.const(wf[size:]))))
    kept = body.add("Mul", f, state)
    new = body.add("Tanh", body.add("Add", h_given, body.add("MatMul", kept, body.const(wh.T[size:]))))
    after = body.add("Add", body.add("Sub", state, kept), body.add("Mul", f, new))
    body.result(after)
    body.result(body.add("Identity", after))
    last, history = scan(graph, body, [h], given)
    graph.result(graph.add("Transpose", history, perm=[1, 0, 2]))
    graph.result(last)
    return graph


# Loops


def loop(graph, trips, states, body):
    """A Loop, whose body begins with the number of the iteration and a condition."""
    trips = graph.const(np.array(trips, np.int64)) if trips else ""
    return graph.add("Loop", trips, "" if trips else graph.const(np.array(True)), *states,
                     outputs=len(body.outputs) - 1, body=body.finish())


def loop_body(graph):
    """A body, and its condition to go on."""
    body = Graph(graph)
    body.input([], I64)
    return body, body.input([], BOOL)


def counted(trips, shape, step):
    graph = Graph()
    s = graph.input(shape)
    body, again = loop_body(graph)
    state = body.input(shape)
    body.result(body.add("Identity", again), BOOL)
    body.result(step(body, state))
    graph.result(loop(graph, trips, [s], body))
    return graph


def multiply_add():
    return counted(1000, [64], lambda body, s: body.add("Add", body.add("Mul", s, body.const(np.float32(0.999))),
                                                        body.const(np.float32(1))))


def softmax_again():
    return counted(200, [1, 128], lambda body, s: body.add("Softmax", s, axis=-1))


def while_small():
    graph = Graph()
    s = graph.input([16])
    body, _ = loop_body(graph)
    after = body.add("Add", body.input([16]), body.const(np.float32(1)))
    most = body.add("ReduceMax", after, keepdims=0)
    body.result(body.add("Less", most, body.const(np.float32(500))), BOOL)
    body.result(after)
    graph.result(loop(graph, None, [s], body))
    return graph


# Recurrences of language models


def selective_scan(t, d, n):
    """The state is transposed, so that its rows are long."""
    graph = Graph()
    delta, u, b, c = (graph.input(shape) for shape in ([t, d, 1], [t, d, 1], [t, 1, n], [t, 1, n]))
    h = graph.add("Transpose", graph.add("Squeeze", graph.input([1, d, n]), graph.ints(0)), perm=[1, 0])
    given = graph.add("Reshape", graph.add("Mul", delta, u), graph.ints(t, 1, d))
    delta, b = graph.add("Reshape", delta, graph.ints(t, 1, d)), graph.add("Reshape", b, graph.ints(t, n, 1))
    body = Graph(graph)
    state = body.input([n, d])
    step, inflow, into, out = (body.input(shape) for shape in ([1, d], [1, d], [n, 1], [1, n]))
    decay = body.add("Exp", body.add("Mul", step, body.const(items.selective_scan_weights(d, n).T)))
    after = body.add("Add", body.add("Mul", decay, state), body.add("Mul", inflow, into))
    body.result(after)
    body.result(body.add("MatMul", out, after))
    last, rows = scan(graph, body, [h], [delta, given, b, c])
    graph.result(graph.add("Squeeze", rows, graph.ints(1)))
    graph.result(graph.add("Unsqueeze", graph.add("Transpose", last, perm=[1, 0]), graph.ints(0)))
    return graph


def gated_delta_rule(t, heads, size):
    shapes = [[heads, 1, size]] * 3 + [[heads, 1, 1]] * 2
    graph = Graph()
    sequences = [graph.input([t, *shape]) for shape in shapes]
    s = graph.input([1, heads, size, size])
    columns = graph.add("Reshape", sequences[1], graph.ints(t, heads, size, 1))
    body = Graph(graph)
    state = body.input([heads, size, size])
    query, key, value, decay, rate, column = (body.input(shape) for shape in [*shapes, [heads, size, 1]])
    kept = body.add("Mul", decay, state)
    error = body.add("Mul", body.add("Sub", value, body.add("MatMul", key, kept)), rate)
    after = body.add("Add", kept, body.add("MatMul", column, error))
    body.result(after)
    body.result(body.add("MatMul", query, after))
    last, rows = scan(graph, body, [graph.add("Squeeze", s, graph.ints(0))], [*sequences, columns])
    graph.result(rows)
    graph.result(graph.add("Unsqueeze", last, graph.ints(0)))
    return graph


# Decoders


def greedy_decoder(steps, words, size):
    embeddings, w, u = items.decoder_weights(words, size)
    graph = Graph()
    h, token = graph.input([1, size]), graph.input([1], I64)
    body, _ = loop_body(graph)
    state, last = body.input([1, size]), body.input([1], I64)
    row = body.add("Gather", body.const(embeddings), last)
    after = body.add("Tanh", body.add("Add", row, body.add("MatMul", state, body.const(w))))
    word = body.add("ArgMax", body.add("MatMul", after, body.const(u)), axis=1, keepdims=0)
    ends = body.add("Equal", word, body.ints(words + 1))
    body.result(body.add("Not", body.add("Squeeze", ends)), BOOL)
    body.result(after)
    body.result(word, I64)
    body.result(body.add("Squeeze", word), I64)
    h, _, said = loop(graph, steps, [h, token], body)
    graph.result(said, I64)
    graph.result(h)
    return graph


def gather_tree(t, b, w):
    """Looks at neither the lengths nor the last token, which is in favour of the peer."""
    graph = Graph()
    ids, parents, _ = graph.input([t, b, w], I32), graph.input([t, b, w], I32), graph.input([b], I32)
    body = Graph(graph)
    beam, words, above = (body.input([b, w], I32) for _ in range(3))
    body.result(body.add("GatherElements", above, beam, axis=1), I32)
    body.result(body.add("GatherElements", words, beam, axis=1), I32)
    first = graph.const(np.tile(np.arange(w, dtype=np.int32), (b, 1)))
    graph.result(scan(graph, body, [first], [ids, parents], backward=True)[1], I32)
    return graph


def model(name):
    function, arguments, _, _ = items.ITEMS[name]
    graph = globals()[function.__name__](**arguments)
    return helper.make_model(graph.finish(), opset_imports=[helper.make_opsetid("", 21)], ir_version=10)
