# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the model of the guides, model.xml and model.bin: a moving average along time, which calls continue.

    average = 0.75 * average + 0.25 * x[t]; y[t] = average

x and y are f32 [time, 2], and the time is not known before a call. The average is a state of f32 [1, 2], at first zero.
Needs the package openvino.
"""

import numpy as np
import openvino
from openvino import opset13 as ops
from openvino.op.util import Variable, VariableInfo

# The body of the loop: one time step.
frame = ops.parameter([1, 2], np.float32, name="frame")
average = ops.parameter([1, 2], np.float32, name="average")
quarter, rest = (ops.constant(np.full((1, 2), value, np.float32)) for value in (0.25, 0.75))
step = ops.add(ops.multiply(average, rest), ops.multiply(frame, quarter), name="step")
following = ops.result(step)
body = openvino.Model([following], [frame, average], "body")

x = ops.parameter([-1, 2], np.float32, name="x")
info = VariableInfo()
info.data_shape, info.data_type, info.variable_id = openvino.PartialShape([1, 2]), openvino.Type.f32, "average"
variable = Variable(info)
before = ops.read_value(ops.constant(np.zeros((1, 2), np.float32)), variable)

loop = ops.tensor_iterator()
loop.set_friendly_name("loop over time")
loop.set_body(body)
loop.set_sliced_input(frame, x.output(0), 0, 1, 1, -1, 0)
loop.set_merged_input(average, before.output(0), following.output(0))
after = loop.get_iter_value(following.output(0), -1)
y = ops.result(loop.get_concatenated_slices(following.output(0), 0, 1, 1, -1, 0), name="y")

# ops.assign takes a node, and not one of several outputs of a node.
store = ops.assign(ops.reshape(after, [1, 2], special_zero=False), variable)
openvino.save_model(openvino.Model([y], [store], [x], "average"), "model.xml", compress_to_fp16=False)
