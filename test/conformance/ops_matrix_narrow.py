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
    """A loop reads a narrow matrix that is too large for a near cache."""
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


for element in ("f16", "bf16"):
    for is_static in (False, True):
        CASES[f"op_mat_mul_{element}_weights_{'static' if is_static else 'dynamic'}"] = products(element, is_static)
CASES["op_mat_mul_f16_weights_in_loop"] = recurrence
