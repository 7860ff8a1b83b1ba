# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes networks of convolutions of the kinds that people run, with random weights.

    networks.py FOLDER [--only=TEXT] [--dynamic]

Each network becomes a folder with model.xml, model.bin, in_0.npy and out_0.npy, which OpenVINO computes in f32. With
--dynamic its height and width, or its length, are known only at run time. The script needs the package openvino.
"""
import sys
from pathlib import Path

import items
import numpy as np
import openvino
from openvino import opset13 as ops

NETWORKS = {}


def network(shape):
    """Registers a function that gets a Builder and an input of `shape`, and returns the output."""

    def register(function):
        for suffix, dims in (shape.items() if isinstance(shape, dict) else [("", shape)]):
            NETWORKS[function.__name__ + suffix] = (function, dims)
        return function

    return register


def dims_of(x):
    """The dims of a node's only output, or of an output. None is a dim that is known only at run time."""
    shape = x.get_partial_shape() if isinstance(x, openvino.Output) else x.output(0).get_partial_shape()
    return [dim.get_length() if dim.is_static else None for dim in shape]


class Builder:
    """Makes layers whose weights are random and keep the scale of what they read."""

    def __init__(self):
        self.generator = np.random.default_rng(11)

    def constant(self, *shape, scale=1.0):
        return ops.constant((self.generator.standard_normal(shape) * scale).astype(np.float32))

    def bias(self, x, channels):
        return ops.add(x, self.constant(1, channels, *[1] * (len(dims_of(x)) - 2), scale=0.1))

    def convolve(self, x, outputs, kernel, stride=1, groups=1, dilation=1, pads=None, gain=1):
        """A convolution with a bias. It keeps the dims, or divides them by the stride, unless `pads` are given. `gain`
        multiplies the scale; where the result is added to another tensor, it keeps the sum from growing."""
        _, inputs, *rest = dims_of(x)
        spatial = len(rest)
        kernel = [kernel] * spatial if isinstance(kernel, int) else kernel
        stride = [stride] * spatial if isinstance(stride, int) else stride
        pads = [dilation * (k - 1) // 2 for k in kernel] if pads is None else [pads] * spatial
        scale = gain * (2 / (inputs // groups * np.prod(kernel))) ** 0.5
        if groups == 1:
            y = ops.convolution(x, self.constant(outputs, inputs, *kernel, scale=scale), stride, pads, pads,
                                [dilation] * spatial)
        else:
            filters = self.constant(groups, outputs // groups, inputs // groups, *kernel, scale=scale)
            y = ops.group_convolution(x, filters, stride, pads, pads, [dilation] * spatial)
        return self.bias(y, outputs)

    def pool(self, x, kernel, stride, pads=0):
        spatial = len(dims_of(x)) - 2
        kernel, stride, pads = ([n] * spatial if isinstance(n, int) else n for n in (kernel, stride, pads))
        return ops.max_pool(x, stride, [1] * spatial, pads, pads, kernel).output(0)

    def classify(self, x, channels, classes):
        means = ops.reduce_mean(x, ops.constant(np.array([2, 3])), False)
        return ops.matmul(means, self.constant(channels, classes, scale=channels**-0.5), False, False)


@network({"_224": (1, 3, 224, 224), "_112": (1, 3, 112, 112)})
def resnet18(build, x):
    def block(x, channels, stride):
        y = ops.relu(build.convolve(x, channels, 3, stride))
        y = build.convolve(y, channels, 3, gain=0.3)
        if stride != 1:
            x = build.convolve(x, channels, 1, stride)
        return ops.relu(ops.add(y, x))

    x = build.pool(ops.relu(build.convolve(x, 64, 7, 2)), 3, 2, 1)
    for channels, stride in ((64, 1), (64, 1), (128, 2), (128, 1), (256, 2), (256, 1), (512, 2), (512, 1)):
        x = block(x, channels, stride)
    return build.classify(x, 512, 1000)


@network({"_224": (1, 3, 224, 224), "_96": (1, 3, 96, 96)})
def mobilenet_v2(build, x):
    six = lambda y: ops.clamp(y, 0, 6)  # noqa: E731
    x, inputs = six(build.convolve(x, 32, 3, 2)), 32
    for expand, channels, count, stride in ((1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2), (6, 96, 3, 1),
                                            (6, 160, 3, 2), (6, 320, 1, 1)):
        for i in range(count):
            wide = inputs * expand
            y = six(build.convolve(x, wide, 1)) if expand > 1 else x
            y = six(build.convolve(y, wide, 3, stride if i == 0 else 1, groups=wide))
            y = build.convolve(y, channels, 1, gain=0.3)
            x = ops.add(x, y) if channels == inputs and (i or stride == 1) else y
            inputs = channels
    return build.classify(six(build.convolve(x, 1280, 1)), 1280, 1000)


@network((1, 3, 224, 224))
def mobilenet_v3_small(build, x):
    def excite(x, channels):
        y = ops.reduce_mean(x, ops.constant(np.array([2, 3])), True)
        y = ops.relu(build.convolve(y, max(8, channels // 4 // 8 * 8), 1))
        return ops.multiply(x, ops.hsigmoid(build.convolve(y, channels, 1)))

    x, inputs = ops.hswish(build.convolve(x, 16, 3, 2)), 16
    for kernel, wide, channels, excited, smooth, stride in (
            (3, 16, 16, 1, 0, 2), (3, 72, 24, 0, 0, 2), (3, 88, 24, 0, 0, 1), (5, 96, 40, 1, 1, 2),
            (5, 240, 40, 1, 1, 1), (5, 240, 40, 1, 1, 1), (5, 120, 48, 1, 1, 1), (5, 144, 48, 1, 1, 1),
            (5, 288, 96, 1, 1, 2), (5, 576, 96, 1, 1, 1), (5, 576, 96, 1, 1, 1)):
        act = ops.hswish if smooth else ops.relu
        y = act(build.convolve(x, wide, 1)) if wide != inputs else x
        y = act(build.convolve(y, wide, kernel, stride, groups=wide))
        y = build.convolve(excite(y, wide) if excited else y, channels, 1)
        x = ops.add(x, y) if stride == 1 and channels == inputs else y
        inputs = channels
    return build.classify(ops.hswish(build.convolve(x, 576, 1)), 576, 1000)


@network((1, 3, 96, 96))
def unet(build, x):
    twice = lambda y, n: ops.relu(build.convolve(ops.relu(build.convolve(y, n, 3)), n, 3))  # noqa: E731
    kept = []
    for channels in (32, 64, 128):
        x = twice(x, channels)
        kept.append(x)
        x = build.pool(x, 2, 2)
    x = twice(x, 256)
    for channels in (128, 64, 32):
        filters = build.constant(2 * channels, channels, 2, 2, scale=(1 / channels) ** 0.5)
        x = build.bias(ops.convolution_backprop_data(x, filters, [2, 2], pads_begin=[0, 0], pads_end=[0, 0]), channels)
        x = twice(ops.concat([kept.pop(), x], 1), channels)
    return build.convolve(x, 2, 1)


@network((1, 64, 500))
def tcn(build, x):
    """Dilated convolutions along time, with residuals, as in separation of speech."""
    x = build.convolve(x, 128, 1)
    for dilation in (1, 2, 4, 8, 16, 32) * 2:
        y = ops.relu(build.convolve(x, 256, 1))
        y = ops.relu(build.convolve(y, 256, 3, groups=256, dilation=dilation))
        x = ops.add(x, build.convolve(y, 128, 1, gain=0.3))
        x = ops.add(x, ops.relu(build.convolve(x, 128, 3, dilation=dilation, gain=0.3)))
    return build.convolve(x, 64, 1)


@network((1, 1, 8000))
def wave_features(build, x):
    """Half a second of sound to features by strided convolutions, as wav2vec 2 does."""
    for i, (kernel, stride) in enumerate(((10, 5), (3, 2), (3, 2), (3, 2), (3, 2), (2, 2), (2, 2))):
        x = ops.gelu(build.convolve(x, 256, kernel, stride, pads=0), "ERF")
    return x


@network((1, 1, 32, 320))
def crnn(build, x):
    """The convolutions of a recogniser of lines of text."""
    relu = lambda *args, **more: ops.relu(build.convolve(*args, **more))  # noqa: E731
    x = build.pool(relu(x, 64, 3), 2, 2)
    x = build.pool(relu(x, 128, 3), 2, 2)
    x = relu(relu(x, 256, 3), 256, 3)
    x = build.pool(x, [2, 1], [2, 1])
    x = relu(relu(x, 512, 3), 512, 3)
    x = build.pool(x, [2, 1], [2, 1])
    return relu(x, 512, 2, pads=0)


@network((1, 1, 16000))
def spectrum(build, x):
    """A short-time Fourier transform as a convolution, its magnitude, and a few layers, as in detectors of speech."""
    y = build.convolve(x, 258, 256, 128, pads=0)
    real, imaginary = ops.split(y, ops.constant(np.int64(1)), 2).outputs()
    y = ops.sqrt(ops.add(ops.multiply(real, real), ops.multiply(imaginary, imaginary)))
    for channels, stride in ((128, 1), (64, 2), (64, 2), (128, 1)):
        y = ops.relu(build.convolve(y, channels, 3, stride))
    return y


def names():
    return list(NETWORKS)


def target(name):
    """OpenVINO's time over Recur's, at least."""
    return 1.1


def has_dynamic(name):
    return True


def write(folder, name, dynamic=False):
    """Writes a network to a folder in `folder`, and returns it."""
    function, shape = NETWORKS[name]
    place = Path(folder) / (name + ("_dynamic" if dynamic else ""))
    place.mkdir(parents=True, exist_ok=True)
    x = ops.parameter([*shape[:2], *(-1 if dynamic else n for n in shape[2:])], np.float32, name="x")
    model = openvino.Model([function(Builder(), x)], [x], name)
    openvino.save_model(model, place / "model.xml", compress_to_fp16=False)
    data = np.random.default_rng(5).standard_normal(shape).astype(np.float32)
    compiled = openvino.Core().compile_model(model, "CPU", {"INFERENCE_PRECISION_HINT": "f32"})
    np.save(place / "in_0.npy", data)
    np.save(place / "out_0.npy", compiled(data)[0])
    return place


if __name__ == "__main__":
    items.write_all(sys.modules[__name__])
