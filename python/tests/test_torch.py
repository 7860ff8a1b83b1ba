# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Modules of PyTorch, by OpenVINO's converter, beside PyTorch itself. scripts/torch.sh runs these tests."""

import runpy
from pathlib import Path

import numpy as np
import pytest

import recur

torch = pytest.importorskip(
    "torch", reason="there is no torch: PyPI's has gigabytes for CUDA, and scripts/torch.sh takes Debian's"
)
ROOT = Path(__file__).resolve().parents[2]


class Tagger(torch.nn.Module):
    """Two layers of an LSTM over [time, batch, 8], and scores of 3 tags."""

    def __init__(self):
        super().__init__()
        self.lstm = torch.nn.LSTM(8, 16, num_layers=2)
        self.scores = torch.nn.Linear(16, 3)

    def forward(self, frames):
        values, (h, c) = self.lstm(frames)
        return self.scores(values), h, c


class Loop(torch.nn.Module):
    """A loop in Python over the time of [time, batch, 8], which scripting keeps."""

    def __init__(self):
        super().__init__()
        self.w, self.u = torch.nn.Parameter(torch.randn(8, 16) / 4), torch.nn.Parameter(torch.randn(16, 16) / 4)

    def forward(self, frames):
        h = torch.zeros(frames.shape[1], 16)
        for i in range(frames.shape[0]):
            h = torch.tanh(frames[i] @ self.w + h @ self.u)
        return (h,)


def run(module, frames):
    with torch.no_grad():
        return [output.numpy() for output in module(frames)]


def check(outputs, wanted):
    assert len(outputs) == len(wanted)
    for output, want in zip(outputs, wanted):
        assert output.shape == want.shape
        np.testing.assert_allclose(output, want, rtol=1e-4, atol=1e-5)


@pytest.fixture
def tagger():
    torch.manual_seed(1)
    return Tagger().eval()


def test_any_shape(tagger):
    compiled = recur.compile(tagger, example_input=torch.randn(5, 2, 8))
    for shape in ((5, 2, 8), (1, 1, 8), (30, 3, 8)):
        frames = torch.randn(shape)
        check(compiled(frames), run(tagger, frames))
        check(compiled(frames.numpy()), run(tagger, frames))
        # As PyTorch has it with batch_first, which is no copy.
        turned = torch.randn(shape[1], shape[0], 8).transpose(0, 1)
        check(compiled(turned), run(tagger, turned))


def test_fixed_shape(tagger):
    frames = torch.randn(7, 1, 8)
    (name,) = (info.name for info in recur.compile(tagger, example_input=frames).inputs)
    compiled = recur.compile(tagger, example_input=frames, shapes={name: [7, 1, 8]})
    assert compiled.inputs[0].shape == (7, 1, 8)
    check(compiled(frames), run(tagger, frames))


def test_steps(tagger):
    frames = torch.randn(9, 1, 8)
    step = recur.compile(tagger, example_input=frames, entry="step")
    for i in range(len(frames)):
        scores, h, c = step(frames[i : i + 1])
        check([scores[0], h, c], [run(tagger, frames)[0][i], *run(tagger, frames[: i + 1])[1:]])


def test_scripted_loop():
    torch.manual_seed(1)
    module = Loop().eval()
    compiled = recur.compile(torch.jit.script(module), example_input=torch.randn(3, 2, 8))
    for time in (3, 1, 20):
        frames = torch.randn(time, 2, 8)
        check(compiled(frames), run(module, frames))


def test_aot(tagger, tmp_path):
    frames = torch.randn(6, 1, 8)
    recur.aot(tagger, tmp_path / "tagger.so", example_input=frames)
    check(recur.load(tmp_path / "tagger.so")(frames), run(tagger, frames))


def test_the_program_of_the_tutorial(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    runpy.run_path(str(ROOT / "examples/pytorch/export.py"))
    check(recur.compile("model.xml")(np.load("in_0.npy")), [np.load("out_0.npy")])
