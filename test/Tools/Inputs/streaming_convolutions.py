# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""streaming_convolutions.py FOLDER: writes models of a convolution over time steps and those before them.

The convolution is that of a line or of a plane, whose first dim is time. A GRUSequence follows, because a model needs a
loop to be streamed. Each model is in a folder of its own. Weights are random.
"""
import pathlib
import random
import sys

from ir_model import Model

HIDDEN = 16
# The groups, the channels of the data and of the result, the kernel and the dilation along time, the other spatial dim
# (0: a line), and whether the number of time steps is static.
MODELS = {
    "plane_of_many": (1, 64, 64, 3, 1, 32, False),
    "plane_static": (1, 64, 64, 3, 1, 32, True),
    "plane_dilated": (1, 64, 64, 2, 3, 16, False),
    "plane_of_few": (1, 3, 5, 2, 1, 7, False),
    "plane_groups": (4, 32, 64, 5, 1, 20, False),
    "plane_depthwise": (32, 32, 32, 3, 1, 32, False),
    "line": (1, 64, 64, 3, 1, 0, False),
    "line_dilated": (1, 40, 128, 5, 2, 0, False),
    "line_depthwise": (64, 64, 64, 4, 1, 0, False),
    "line_of_one": (1, 1, 16, 10, 1, 0, False),
    "line_pointwise": (1, 24, 32, 1, 1, 0, False),
}


def build(groups, channels, outputs, kernel, dilation, width, is_static):
    model, rest = Model(), [width] if width else []
    dims = ",".join(map(str, [1, channels, 12 if is_static else "?", *rest]))
    x = model.layer("Parameter", f'element_type="f32" shape="{dims}"')
    window = [kernel, 3] if width else [kernel]
    before = (kernel - 1) * dilation
    lists = [f"{before},1", "0,1", "1,1", f"{dilation},1"] if width else [f"{before}", "0", "1", f"{dilation}"]
    data = 'pads_begin="{}" pads_end="{}" strides="{}" dilations="{}" auto_pad="explicit"'.format(*lists)
    shape = [outputs, channels, *window] if groups == 1 else [groups, outputs // groups, channels // groups, *window]
    y = model.layer("Convolution" if groups == 1 else "GroupConvolution", data, [x, model.random(*shape)])
    y = model.layer("ReLU", "", [y])
    size = outputs * (width or 1)
    order = [0, 2, 1, 3] if width else [0, 2, 1]
    z = model.layer("Transpose", "", [y, model.constant("i64", [len(order)], order)])
    z = model.layer("Reshape", 'special_zero="false"', [z, model.constant("i64", [3], [1, -1, size])])
    zero = model.constant("i64", [], [0])
    length = model.layer("Gather", "", [model.layer("ShapeOf", 'output_type="i64"', [z]),
                                        model.constant("i64", [1], [1]), zero])
    start = model.constant("f32", [1, 1, HIDDEN], [0.0] * HIDDEN)
    gru = model.layer("GRUSequence", f'hidden_size="{HIDDEN}" direction="forward" linear_before_reset="true"',
                      [z, start, length, model.random(1, 3 * HIDDEN, size), model.random(1, 3 * HIDDEN, HIDDEN),
                       model.random(1, 4 * HIDDEN)], num_outputs=2)
    for value in (gru, y):
        model.layer("Result", "", [value], num_outputs=0)
    return model


random.seed(1)
for name, arguments in MODELS.items():
    build(*arguments).write(pathlib.Path(sys.argv[1]) / name)
