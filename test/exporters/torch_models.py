# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""torch_models.py OUT: models of PyTorch, traced and exported, converted by OpenVINO, as a corpus for compare.py. The
expected outputs are PyTorch's. It needs the packages torch and openvino."""
from corpus import integers, open_corpus, reals

corpus = open_corpus(__doc__)

import numpy as np
import openvino
import torch
from torch import nn
from torch.nn import functional

torch.manual_seed(0)


class Call(nn.Module):
    """A function as a module."""

    def __init__(self, call):
        super().__init__()
        self.call = call

    def forward(self, *inputs):
        return self.call(*inputs)


def flatten(outputs):
    if isinstance(outputs, (tuple, list)):
        return [array for output in outputs for array in flatten(output)]
    return [outputs.detach().numpy()]


def model(name, module, *arrays, exported=True):
    """Adds a model once or twice: traced, and as torch.export sees it."""
    module = (module if isinstance(module, nn.Module) else Call(module)).eval()
    tensors = tuple(torch.from_numpy(np.ascontiguousarray(array)) for array in arrays)
    with torch.no_grad():
        expected = flatten(module(*[tensor.clone() for tensor in tensors]))
        corpus.add(f"{name}_traced", lambda: openvino.convert_model(module, example_input=tensors), list(arrays),
                   expected)
        if exported:
            corpus.add(f"{name}_exported", lambda: openvino.convert_model(torch.export.export(module, tensors)),
                       list(arrays), expected)


x = reals(2, 9, 8)
for cell in (nn.LSTM, nn.GRU, nn.RNN):
    model(cell.__name__.lower(), cell(8, 6, batch_first=True), x)
    model(f"{cell.__name__.lower()}_both", cell(8, 6, 2, bidirectional=True), reals(9, 2, 8))


class Cells(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell = nn.LSTMCell(4, 5)

    def forward(self, x):
        h, c, outputs = torch.zeros(x.shape[1], 5), torch.zeros(x.shape[1], 5), []
        for step in x:
            h, c = self.cell(step, (h, c))
            outputs.append(h)
        return torch.stack(outputs)


class Decoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.TransformerDecoderLayer(8, 2, 16, batch_first=True)

    def forward(self, target, memory):
        return self.layer(target, memory, tgt_mask=nn.Transformer.generate_square_subsequent_mask(5))


model("cells", Cells(), reals(6, 2, 4))
model("encoder", nn.TransformerEncoderLayer(8, 2, 16, batch_first=True, norm_first=True), reals(2, 7, 8))
model("decoder", Decoder(), reals(1, 5, 8), reals(1, 6, 8))
model("attention", lambda x: functional.scaled_dot_product_attention(x, x, x, is_causal=True), reals(1, 2, 6, 8))
model("image", nn.Sequential(
    nn.Conv2d(3, 8, 3, 2, 1), nn.BatchNorm2d(8), nn.ReLU6(), nn.Conv2d(8, 8, 3, padding=2, dilation=2, groups=8),
    nn.Hardswish(), nn.Conv2d(8, 16, 1), nn.SiLU(), nn.MaxPool2d(2), nn.AdaptiveAvgPool2d(3), nn.Flatten(),
    nn.Linear(144, 5), nn.LogSoftmax(-1)), reals(2, 3, 21, 19))
model("image_transposed", nn.Sequential(
    nn.ConvTranspose2d(3, 4, 3, 2, 1, 1), nn.InstanceNorm2d(4, affine=True), nn.LeakyReLU(),
    nn.ConvTranspose2d(4, 4, 4, 2, 1, groups=2), nn.PixelShuffle(2)), reals(1, 3, 7, 9))
model("signal", nn.Sequential(nn.Conv1d(2, 6, 3, dilation=4, padding=8), nn.Tanh(), nn.Conv1d(6, 4, 1), nn.GLU(1),
                              nn.AvgPool1d(3, 2, 1)), reals(1, 2, 50))
model("volume", nn.Sequential(nn.Conv3d(2, 3, 3, padding=1), nn.MaxPool3d(2), nn.ConvTranspose3d(3, 2, 2, 2)),
      reals(1, 2, 6, 6, 8))
model("normalized", nn.Sequential(nn.LayerNorm(8), nn.Linear(8, 8), nn.GELU(), nn.RMSNorm(8), nn.Softplus(),
                                  nn.Mish()), reals(2, 3, 8))
model("grouped_norm", nn.Sequential(nn.GroupNorm(2, 8), nn.PReLU(8), nn.LocalResponseNorm(3)), reals(2, 8, 5, 5))
model("embedding_bag", nn.EmbeddingBag(20, 5, mode="sum"), integers(0, 20, 3, 4))
for mode in ("nearest", "bilinear", "bicubic", "area"):
    model(f"resized_{mode}", lambda x, mode=mode: functional.interpolate(x, size=(9, 13), mode=mode), reals(1, 2, 7, 6))
for mode in ("bilinear", "nearest", "bicubic"):
    for padding in ("zeros", "border", "reflection"):
        model(f"grid_{mode}_{padding}",
              lambda x, grid, mode=mode, padding=padding: functional.grid_sample(x, grid, mode, padding,
                                                                                 align_corners=False),
              reals(1, 2, 5, 6), reals(1, 4, 3, 2), exported=False)
model("pads", lambda x: (functional.pad(x, (1, 2, 2, 1), "reflect"), functional.pad(x, (1, 2, 0, 1), "replicate"),
                         functional.pad(x, (1, 1, 1, 1), "circular"), functional.pad(x, (-1, 2), value=3.0)),
      reals(1, 2, 5, 6))
model("unfold", lambda x: (functional.unfold(x, 3, padding=1, stride=2), x.unfold(3, 3, 2)), reals(1, 2, 7, 8))
model("fold", lambda x: functional.fold(x, (6, 7), 3, padding=1), reals(1, 18, 42))
model("einsum", lambda a, b: (torch.einsum("bhid,bhjd->bhij", a, b), torch.einsum("bhid->bd", a)), reals(2, 2, 3, 4),
      reals(2, 2, 5, 4))
model("indices", lambda a, i: (a[i], a[:, i], a[i, i], a.index_select(0, i), torch.take_along_dim(a, i[None], 1)),
      reals(5, 6), np.array([0, 3, 2]))


def put(a, i):
    filled = a.clone()
    filled[i] = 2.0
    return filled, a.index_add(0, i, torch.ones(3, 6)), a.scatter(1, i[:, None], 5.0), a.masked_fill(a > 0.5, 0.0)


model("put", put, reals(5, 6), np.array([0, 3, 2]))
model("topk", lambda a: torch.topk(a, 3), reals(4, 7))
model("scans", lambda a: (a.cumsum(1), torch.tril(a), torch.triu(a, 1), a.roll(2, 1), a.flip(0),
                          torch.repeat_interleave(a, 2, 0)), reals(4, 7))
model("reductions", lambda a: (a.mean((1, 2)), a.std(1), a.var(2, unbiased=False), a.norm(dim=1), a.logsumexp(2),
                               a.amax(1), a.prod(1), a.any(), (a > 0).all(1)), reals(2, 3, 4))
model("real_ops", lambda a, b: (torch.atan2(a, b), torch.remainder(a, b), torch.pow(a.abs(), b), a.erf(),
                                torch.expm1(a), torch.log1p(a.abs()), a.round(), a.trunc(), a.sign(),
                                torch.where(a > b, a, b), torch.clamp(a, -0.3, 0.3), torch.lerp(a, b, 0.3),
                                torch.addcmul(a, a, b), a.sinh(), b.tan(), torch.asinh(a)), reals(3, 4), reals(3, 4))
model("integer_ops", lambda a, b: (a & b, a | b, a ^ b, ~a, -a, a / b, torch.bitwise_and(a, b)),
      integers(-20, 20, 3, 4), integers(1, 9, 3, 4))
model("spectrum", lambda a: (torch.fft.rfft(a).abs(), torch.fft.irfft(torch.fft.rfft(a))), reals(3, 16), exported=False)
model("products", lambda a, b, c: (torch.bmm(a, b), torch.baddbmm(c, a, b), a @ b), reals(2, 3, 4), reals(2, 4, 5),
      reals(2, 3, 5))
model("inverse", torch.linalg.inv, reals(3, 4, 4), exported=False)
model("distances", torch.cdist, reals(3, 4), reals(5, 4))
model("places", lambda a: (a > 0).nonzero(), reals(4, 5), exported=False)
model("unique", lambda a: torch.unique(a, return_inverse=True), integers(0, 5, 12), exported=False)
model("buckets", lambda a: torch.bucketize(a, torch.tensor([-1.0, 0.0, 1.0])), reals(4, 5))
model("one_hot", lambda a: functional.one_hot(a, 6), integers(0, 6, 4))
corpus.finish()
