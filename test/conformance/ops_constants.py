# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Cases of chains of layers that depend on constants alone, with constants that stay in the weights file."""
import numpy as np

from make_semantics import Graph
from op_cases import CASES, integers, numbers

TABLE = numbers(40, 16, seed=1, least=0.1, most=3)
ROWS = integers(25, seed=2, least=0, most=39)
ROW = numbers(1, 400, seed=4, least=0.1, most=3)


def chain(table, expected, is_exact=True):
    """A model that adds what the chain makes of `table` to an input. It also has the chain with a table that is an
    input, and compares both: what is computed when compiling has the same bits, unless sums have another order."""

    def register(function):
        def build():
            graph, x = Graph(), numbers(*expected.shape, seed=3)
            known = function(graph, graph.const(table))
            graph.result(graph.add("Add", [graph.parameter("f32", x.shape), known]))
            given, outputs = [x], [x + expected.astype(np.float32)]
            if is_exact:
                computed = function(graph, graph.parameter("f32", table.shape))
                graph.result(graph.add("Equal", [known, computed], element="boolean"))
                given.append(table)
                outputs.append(np.ones(expected.shape, bool))
            return graph, given, outputs

        build.__doc__ = function.__doc__
        CASES["op_constants_" + function.__name__] = build
        return build

    return register


@chain(TABLE, TABLE[ROWS])
def gathered(graph, table):
    """Rows of a table, whose indices are constants."""
    return graph.add("Gather", [table, graph.const(ROWS), graph.i64(0)], opset=8)


@chain(TABLE, TABLE / np.sqrt(np.mean(TABLE.astype(float) ** 2, 1, keepdims=True)), is_exact=False)
def normalized(graph, table):
    """A table that is read twice: by the squares of its rows, and by what divides it by their roots."""
    square = graph.add("Multiply", [table, table])
    root = graph.add("Sqrt", [graph.add("ReduceMean", [square, graph.i64(1)], keep_dims="true")])
    return graph.add("Divide", [table, root])


@chain(TABLE, np.concatenate([np.sqrt(TABLE[:24]), TABLE[24:]]).T[:, 3:33:2])
def moved(graph, table):
    """Two parts of a table, one after another, turned and cut."""
    parts = graph.add("VariadicSplit", [table, graph.const(np.array(0)), graph.i64(24, 16)], outputs=2)
    tables = graph.add("Concat", [graph.add("Sqrt", [parts[0]]), parts[1]], axis=0)
    turned = graph.add("Transpose", [tables, graph.i64(1, 0)])
    return graph.add("Slice", [turned, graph.i64(3), graph.i64(33), graph.i64(2), graph.i64(1)], opset=8)


@chain(ROW, np.broadcast_to(np.sqrt(ROW), (30, 400)))
def repeated(graph, row):
    """Rows that would make the model larger: only the root of one is computed when compiling."""
    return graph.add("Broadcast", [graph.add("Sqrt", [row]), graph.i64(30, 400)], opset=3)


def shared():
    """A table that the model also reads itself, so it stays, and its root is computed in the call."""
    graph, x = Graph(), numbers(40, 16, seed=5)
    table = graph.const(TABLE)
    root = graph.add("Sqrt", [table])
    product = graph.add("Multiply", [graph.parameter("f32", x.shape), table])
    graph.result(graph.add("Add", [product, root]))
    return graph, [x], [x * TABLE + np.sqrt(TABLE)]


CASES["op_constants_shared"] = shared
