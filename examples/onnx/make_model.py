# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes model.onnx, with an input and what ONNX's reference computes from it.

The model has a Loop: it multiplies a state by a matrix, at most 16 times, until the sum of the state passes 1000.
Needs the package onnx.
"""

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from onnx.reference import ReferenceEvaluator

random = np.random.default_rng(1)
matrix = (np.eye(8) + 0.3 * random.random((8, 8))).astype(np.float32)


def tensor(name, value):
    return numpy_helper.from_array(np.asarray(value), name)


def info(name, kind, dims):
    return helper.make_tensor_value_info(name, kind, dims)


# The body of the loop: its number, its condition and the state become the next condition, the next state and an output.
body = helper.make_graph(
    [
        helper.make_node("MatMul", ["state", "matrix"], ["next"]),
        helper.make_node("ReduceSum", ["next", "axes"], ["sum"], keepdims=0),
        helper.make_node("Less", ["sum", "limit"], ["go_on"]),
        helper.make_node("Identity", ["next"], ["seen"]),
    ],
    "body",
    [info("i", TensorProto.INT64, []), info("go", TensorProto.BOOL, []), info("state", TensorProto.FLOAT, [1, 8])],
    [info("go_on", TensorProto.BOOL, []), *(info(name, TensorProto.FLOAT, [1, 8]) for name in ("next", "seen"))],
    [tensor("matrix", matrix), tensor("axes", np.array([0, 1])), tensor("limit", np.float32(1000))],
)
graph = helper.make_graph(
    [helper.make_node("Loop", ["most", "begin", "x"], ["last", "states"], body=body)],
    "growth",
    [info("x", TensorProto.FLOAT, [1, 8])],
    [info("last", TensorProto.FLOAT, [1, 8]), info("states", TensorProto.FLOAT, ["iterations", 1, 8])],
    [tensor("most", np.array(16)), tensor("begin", np.array(True))],
)
model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=10)
onnx.checker.check_model(model, full_check=True)
onnx.save(model, "model.onnx")

x = random.random((1, 8), np.float32)
np.save("in_0.npy", x)
last, states = ReferenceEvaluator(model).run(None, {"x": x})
np.save("out_0.npy", last)
# The reference joins the states along their first axis; by the specification each iteration adds one.
np.save("out_1.npy", states.reshape(-1, 1, 8))
