# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Helpers that make the cases of the family `op`. Each file ops_FAMILY.py has the cases of a family of operations."""
import numpy as np

from make_semantics import Graph, element_of

CASES = {}

# Inputs that tell functions apart: zeros of both signs, small and large numbers, ties, NaN; more than one vector of
# them.
REALS = np.array([0.0, -0.0, 0.5, -0.5, 1.0, -1.0, 1.5, 2.5, -2.5, 1e-3, -1e-3, 3.0, -7.25, 20.0, -20.0, 88.0, -88.0, 1e30,
                  np.inf, -np.inf, np.nan], np.float32)


class Const:
    """An input that is a constant of the model."""

    def __init__(self, value, dtype=None):
        self.value = np.asarray(value, dtype)


def element_type(name):
    return {"boolean": np.bool_, "f16": np.float16, "f32": np.float32, "f64": np.float64, "i32": np.int32,
            "i64": np.int64, "u8": np.uint8}[name]


def numbers(*shape, seed=0, least=-2.0, most=2.0):
    """Random f32 numbers."""
    return np.random.default_rng(seed).uniform(least, most, shape).astype(np.float32)


def integers(*shape, seed=0, least=-9, most=9, dtype=np.int64):
    """Random integers from `least` to `most`."""
    return np.random.default_rng(seed).integers(least, most, shape, dtype, endpoint=True)


def op(kind, opset=1, inputs=(REALS,), element=None, static=False, name=None, tolerance=None, slack=None, **data):
    """Registers the function that gives the output, or a tuple of outputs, for the inputs.

    `element` is that of the output or the outputs, by default that of the first input. `data` are attributes of the
    layer. All dims of the inputs are dynamic. With `static`, the model has the operation a second time, with static
    dims; with "only", it has it just so. `tolerance` is (relative, absolute), if not that of all cases. `slack`, of the same inputs, is for
    narrow_types.py. The function gets reals as f64. It may have several decorators if each has a `name`.
    """

    def register(function):
        def build():
            graph = Graph()
            given, outputs = [], []
            raw = [x.value if isinstance(x, Const) else x for x in inputs]
            with np.errstate(all="ignore"):
                made = function(*[np.float64(x) if x.dtype == np.float32 else x for x in raw])
            made = made if isinstance(made, tuple) else (made,)
            elements = [element or element_of(raw[0])] * len(made) if not isinstance(element, tuple) else list(element)
            for is_static in {False: (False,), True: (False, True), "only": (True,)}[static]:
                values = []
                for x in inputs:
                    if isinstance(x, Const):
                        values.append(graph.const(x.value))
                        continue
                    values.append(graph.parameter(element_of(x), x.shape if is_static else ["?"] * x.ndim))
                    given.append(x)
                results = graph.add(kind, values, element=elements, outputs=len(made), opset=opset, **data)
                for result in results if len(made) > 1 else (results,):
                    graph.result(result)
                outputs += [np.asarray(out).astype(element_type(own)) for out, own in zip(made, elements)]
            return graph, given, outputs

        build.__doc__ = function.__doc__ or f"{kind} of all kinds of elements"
        build.tolerance = tolerance
        # For narrow_types.py.
        build.layer = {"kind": kind, "opset": opset, "inputs": inputs, "element": element, "data": data,
                       "function": function, "slack": slack}
        CASES["op_" + (name or function.__name__)] = build
        return function

    return register
