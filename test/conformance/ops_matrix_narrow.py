# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Cases of weights that are stored in a narrower type than that in which they are used."""
import numpy as np

from make_semantics import Graph, Loop
from op_cases import CASES

# The rows of the products: a single one, a tile, and many tiles.
ROWS = (1, 5, 40)


def values(*shape, seed=0):
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


def narrow_const(graph, array, element):
    """A constant of `element` that is converted to f32, and its numbers."""
    if element == "f16":
        stored = array.astype(np.float16)
        constant = graph.const(stored)
        numbers = stored.astype(np.float64)
    else:
        bits = (array.view(np.uint32) >> 16).astype(np.uint16)
        offset = len(graph.weights)
        graph.weights += bits.tobytes()
        constant = graph.add("Const", element="bf16", element_type="bf16", shape=",".join(map(str, array.shape)),
                             offset=offset, size=bits.nbytes)
        numbers = (bits.astype(np.uint32) << 16).view(np.float32).astype(np.float64)
    return graph.add("Convert", [constant], element="f32", destination_type="f32"), numbers


def products(element, is_static):
    def build():
        """The weights have more than 1 KiB, the largest f16 and numbers below the least normal f16."""
        graph, inputs, outputs = Graph(), [], []
        array = values(37, 24)
        array[3] *= 2.0**-16
        array[5, 7] = 65504
        weights, numbers = narrow_const(graph, array, element)
        for rows in ROWS:
            x = values(rows, 24, seed=rows)
            given = graph.parameter("f32", [rows if is_static else "?", 24])
            graph.result(graph.add("MatMul", [given, weights], transpose_a="false", transpose_b="true"))
            inputs.append(x)
            outputs.append((x.astype(np.float64) @ numbers.T).astype(np.float32))
        return graph, inputs, outputs

    return build


def recurrence():
    """A loop reads a narrow matrix that is too large for L2."""
    size, steps = 368, 3
    x = values(1, steps, size, seed=1)
    graph = Graph()
    loop = Loop(graph)
    span = dict(axis=1, start=0, end=-1, stride=1, part_size=1)
    part = loop.map_input(graph.parameter("f32", [1, steps, size]), "f32", [1, 1, size], **span)
    state = loop.map_input(graph.parameter("f32", [1, size]), "f32", [1, size])
    body = loop.body
    weights, numbers = narrow_const(body, values(size, size) * np.float32(size**-0.5), "f16")
    product = body.add("MatMul", [state, weights], transpose_a="false", transpose_b="true")
    new = body.add("Tanh", [body.add("Add", [product, body.add("Squeeze", [part, body.i64(1)])])])
    result = loop.result(new)
    loop.back(result, state)
    loop.output(result)
    graph.result(loop.build()[0])
    h = np.zeros((1, size))
    for t in range(steps):
        h = np.tanh(h @ numbers.T + x[:, t])
    return graph, [x, np.zeros((1, size), np.float32)], [h.astype(np.float32)]


def other_readers(element):
    def build():
        """Narrow constants that are read by two convolutions, a Gather and an Add."""
        graph, inputs, outputs = Graph(), [], []
        x = np.round(values(1, 24, 13, 13, seed=2) * 8) / np.float32(8)
        given = graph.parameter("f32", x.shape)
        for stride in 1, 2:
            filters, numbers = narrow_const(graph, np.round(values(20, 24, 3, 3, seed=3) * 8) / np.float32(8), element)
            graph.result(graph.add("Convolution", [given, filters], strides=f"{stride},{stride}", dilations="1,1",
                                   pads_begin="1,1", pads_end="1,1", auto_pad="explicit"))
            wide = np.pad(x, [(0, 0), (0, 0), (1, 1), (1, 1)]).astype(np.float64)
            out = np.zeros((1, 20, 12 // stride + 1, 12 // stride + 1))
            for i, j in np.ndindex(3, 3):
                read = wide[:, :, i:i + 13:stride, j:j + 13:stride]
                out += np.einsum("oi,nihw->nohw", numbers[:, :, i, j], read)
            outputs.append(out.astype(np.float32))
        inputs.append(x)
        table, numbers = narrow_const(graph, values(50, 48, seed=4), element)
        rows = np.array([[3, 49, 0], [7, 7, 1]], np.int64)
        graph.result(graph.add("Gather", [table, graph.parameter("i64", ["?", 3]), graph.i64(0)]))
        inputs.append(rows)
        outputs.append(numbers[rows].astype(np.float32))
        shift, numbers = narrow_const(graph, values(40, 64, seed=5), element)
        y = values(40, 64, seed=6)
        graph.result(graph.add("Add", [graph.parameter("f32", ["?", 64]), shift], auto_broadcast="numpy"))
        inputs.append(y)
        outputs.append(y + numbers.astype(np.float32))
        return graph, inputs, outputs

    return build


for element in ("f16", "bf16"):
    CASES[f"op_narrow_constants_{element}"] = other_readers(element)
    for is_static in (False, True):
        CASES[f"op_mat_mul_{element}_weights_{'static' if is_static else 'dynamic'}"] = products(element, is_static)
CASES["op_mat_mul_f16_weights_in_loop"] = recurrence
