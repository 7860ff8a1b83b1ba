# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Cases of Fourier transforms."""
import numpy as np

from make_semantics import Graph
from op_cases import CASES, Const, numbers, op


def complex_of(x):
    return x[..., 0] + 1j * x[..., 1]


def pairs_of(z):
    return np.stack([z.real, z.imag], -1)


def resized(z, axis, size):
    """Cuts or pads an axis at its end."""
    z = np.take(z, range(min(size, z.shape[axis])), axis)
    missing = [(0, 0)] * z.ndim
    missing[axis] = (0, size - z.shape[axis])
    return np.pad(z, missing)


def transform(z, axes, sizes, function):
    for axis, size in zip(axes, sizes):
        z = function(resized(z, axis, size), axis=axis)
    return z


@op("DFT", opset=7, inputs=(numbers(2, 5, 6, 2), Const([1, 2], np.int64)), static=True)
def dft(x, axes):
    return pairs_of(np.fft.fft2(complex_of(x), axes=(1, 2)))


@op("DFT", opset=7, inputs=(numbers(2, 5, 6, 2), Const([-1, 0], np.int32), Const([9, -1], np.int64)), static=True)
def dft_sizes(x, axes, sizes):
    """A negative axis, a size that is longer, and one of the data."""
    return pairs_of(transform(complex_of(x), (2, 0), (9, 2), np.fft.fft))


@op("DFT", opset=7, inputs=(numbers(7, 3, 2), Const([0], np.int64), np.array([4], np.int64)), static=True)
def dft_size_of_run(x, axes, sizes):
    """A shorter size that is known only at run time."""
    return pairs_of(transform(complex_of(x), (0,), (4,), np.fft.fft))


@op("DFT", opset=7, inputs=(numbers(0, 3, 2), Const([1], np.int64)), static=True)
def dft_empty(x, axes):
    """No batch."""
    return np.zeros((0, 3, 2))


@op("IDFT", opset=7, inputs=(numbers(2, 5, 6, 2), Const([2, 1], np.int64), Const([4, 7], np.int64)), static=True)
def idft(x, axes, sizes):
    return pairs_of(transform(complex_of(x), (2, 1), (4, 7), np.fft.ifft))


@op("RDFT", opset=9, inputs=(numbers(2, 5, 6), Const([0, -1], np.int64)), static=True)
def rdft(x, axes):
    return pairs_of(np.fft.fft(np.fft.rfft(x, axis=2), axis=0))


@op("RDFT", opset=9, inputs=(numbers(5, 6), Const([1, 0], np.int64), Const([3, 8], np.int64)), static=True)
def rdft_sizes(x, axes, sizes):
    half = np.fft.rfft(resized(x, 0, 8), axis=0)
    return pairs_of(np.fft.fft(resized(half, 1, 3), axis=1))


def rdft_of_integers():
    """Rows of three doubles. In vectors of three lanes, LLVM 22 took the wrong lane for AVX-512."""
    x = np.array([[1, 5], [4, -1], [-1, -4], [2, 5]], np.int32)
    graph = Graph()
    reals = graph.add("Convert", [graph.parameter("i32", x.shape)], element="f64", destination_type="f64")
    graph.result(graph.add("RDFT", [reals, graph.const(np.array([0, -1])), graph.const(np.array([6, 4]))],
                           element="f64", opset=9))
    return graph, [x], [pairs_of(transform(np.fft.rfft(resized(x, 1, 4), axis=1), (0,), (6,), np.fft.fft))]


CASES["op_rdft_of_integers"] = rdft_of_integers


@op("IRDFT", opset=9, inputs=(numbers(3, 5, 2), Const([0, 1], np.int64)), static=True)
def irdft(x, axes):
    return np.fft.irfft(np.fft.ifft(complex_of(x), axis=0), axis=1)


@op("IRDFT", opset=9, inputs=(numbers(3, 5, 2), Const([1, 0], np.int64), Const([7, 9], np.int64)), static=True)
def irdft_sizes(x, axes, sizes):
    """The real axis comes last; odd sizes."""
    return np.fft.irfft(transform(complex_of(x), (1,), (7,), np.fft.ifft), 9, axis=0)


@op("DFT", opset=7, inputs=(numbers(3, 70, 2, 2), Const([1], np.int64), Const([80], np.int64)), static=True)
def dft_of_factors(x, axes, sizes):
    """Two factors, an outer axis, and zeros at the end."""
    return pairs_of(transform(complex_of(x), (1,), (80,), np.fft.fft))


@op("IDFT", opset=7, inputs=(numbers(2, 90, 2), Const([1], np.int64), Const([81], np.int64)), static=True)
def idft_of_factors(x, axes, sizes):
    """An odd size, and elements that do not count."""
    return pairs_of(transform(complex_of(x), (1,), (81,), np.fft.ifft))


@op("RDFT", opset=9, inputs=(numbers(100), Const([0], np.int64)), static=True, name="rdft_of_factors_alone")
def rdft_of_factors_alone(x, axes):
    return pairs_of(np.fft.rfft(x))


@op("RDFT", opset=9, inputs=(numbers(3, 2, 96), Const([2], np.int64), Const([128], np.int64)), static=True)
def rdft_of_factors(x, axes, sizes):
    return pairs_of(np.fft.rfft(resized(x, 2, 128)))


@op("IRDFT", opset=9, inputs=(numbers(2, 41, 3, 2), Const([1], np.int64)), static=True)
def irdft_of_factors(x, axes):
    return np.fft.irfft(complex_of(x), axis=1)


@op("IRDFT", opset=9, inputs=(numbers(2, 41, 2), Const([1], np.int64), Const([81], np.int64)), static=True)
def irdft_of_odd_factors(x, axes, sizes):
    return np.fft.irfft(complex_of(x), 81)


@op("IRDFT", opset=9, inputs=(np.array([[1, np.nan], [2, 3], [4, np.inf]], np.float32), Const([0], np.int64)),
    static=True)
def irdft_not_looked_at(x, axes):
    """The imaginary parts of the first and the middle number have no effect."""
    return np.fft.irfft(np.array([1, 2 + 3j, 4]))


def frames_of(signal, window, size, step):
    padded = np.zeros(size)
    before = (size - len(window)) // 2
    padded[before:before + len(window)] = window
    count = (signal.shape[-1] - size) // step + 1
    parts = [signal[..., i * step:i * step + size] * padded for i in range(count)]
    return np.fft.rfft(np.stack(parts, -2))


def scalar(value):
    return Const(value, np.int64)


@op("STFT", opset=15, inputs=(numbers(2, 20), numbers(5, seed=1), scalar(8), scalar(3)), static=True,
    transpose_frames=False)
def stft(signal, window, size, step):
    return pairs_of(frames_of(signal, window, 8, 3))


@op("STFT", opset=15, inputs=(numbers(20), numbers(7, seed=1), scalar(7), scalar(2)), static=True,
    transpose_frames=True)
def stft_transposed(signal, window, size, step):
    """One signal, an odd size."""
    return pairs_of(frames_of(signal, window, 7, 2).T)


def signal_of(data, window, size, step, center, normalized, length=None):
    spectra = np.moveaxis(complex_of(data), -1, -2)
    parts = np.fft.irfft(spectra, size) * (np.sqrt(size) if normalized else 1)
    padded = np.zeros(size)
    before = (size - len(window)) // 2
    padded[before:before + len(window)] = window
    whole = (parts.shape[-2] - 1) * step + size
    total, weights = np.zeros(data.shape[:-3] + (whole,)), np.zeros(whole)
    for i in range(parts.shape[-2]):
        total[..., i * step:i * step + size] += parts[..., i, :] * padded
        weights[i * step:i * step + size] += padded**2
    total = np.where(weights == 0, 0, total / np.where(weights == 0, 1, weights))
    margin = size // 2 if center else 0
    if length is None:
        return total[..., margin:whole - margin]
    return resized(total[..., margin:], total.ndim - 1, length)


@op("ISTFT", opset=16, inputs=(numbers(2, 5, 4, 2), numbers(6, seed=1, least=0.5), scalar(8), scalar(3)),
    static=True, center=False, normalized=False)
def istft(data, window, size, step):
    """Nothing covers the first and the last element."""
    return signal_of(data, window, 8, 3, False, False)


@op("ISTFT", opset=16, inputs=(numbers(4, 5, 2), numbers(7, seed=1, least=0.5), scalar(7), scalar(2)),
    static=True, center=True, normalized=True)
def istft_center(data, window, size, step):
    """One signal, an odd size."""
    return signal_of(data, window, 7, 2, True, True)


@op("ISTFT", opset=16,
    inputs=(numbers(2, 5, 4, 2), numbers(8, seed=1, least=0.5), scalar(8), scalar(3), np.array(12, np.int64)),
    static=True, center=True, normalized=False)
def istft_length(data, window, size, step, length):
    """The length goes beyond the center of the last frame, and is known only at run time."""
    return signal_of(data, window, 8, 3, True, False, 12)


@op("ISTFT", opset=16,
    inputs=(numbers(1, 5, 4, 2), numbers(8, seed=1, least=0.5), scalar(8), scalar(3), Const([30], np.int64)),
    static=True, center=True, normalized=False)
def istft_long(data, window, size, step, length):
    """Zeros at the end."""
    return signal_of(data, window, 8, 3, True, False, 30)
