# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Cases of layers of detectors."""
import numpy as np

from op_cases import numbers, op


@op("ReorgYolo", opset=2, inputs=(numbers(2, 8, 4, 6),), static=True, stride=2)
def reorg_yolo(x):
    """The result in its own order, element by element."""
    n, c, h, w = x.shape
    parts = x.reshape(n, c // 4, h * 2, w * 2)
    out = np.zeros((n, c, h, w))
    for b, i, y, z in np.ndindex(n, c, h, w):
        block = i // (c // 4)
        out[b, i, y, z] = parts[b, i % (c // 4), y * 2 + block // 2, z * 2 + block % 2]
    return out.reshape(n, c * 4, h // 2, w // 2)


def logistic(x):
    return 1 / (1 + np.exp(-x))


def region_of(x, regions, classes, softmax):
    n, _, h, w = x.shape
    parts = x.reshape(n, regions, 5 + classes, h, w).copy()
    parts[:, :, :2] = logistic(parts[:, :, :2])
    parts[:, :, 4] = logistic(parts[:, :, 4])
    scores = parts[:, :, 5:]
    parts[:, :, 5:] = np.exp(scores) / np.exp(scores).sum(2, keepdims=True) if softmax else logistic(scores)
    return parts.reshape(x.shape)


@op("RegionYolo", inputs=(numbers(2, 24, 3, 2),), static=True, coords=4, classes=3, num=3, do_softmax=True, axis=1,
    end_axis=3, anchors="1.0,2.0")
def region_yolo(x):
    return region_of(x, 3, 3, True).reshape(2, -1)


@op("RegionYolo", inputs=(numbers(1, 14, 3, 2),), static=True, coords=4, classes=2, num=9, do_softmax=False, axis=1,
    end_axis=-1, mask="0,2")
def region_yolo_logistic(x):
    """The mask tells the number of regions."""
    return region_of(x, 2, 2, False)
