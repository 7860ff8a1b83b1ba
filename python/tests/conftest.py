# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where the tests find models: in the project, and in a folder of more models (--shared or RECUR_SHARED)."""

import json
import os
import signal
import sys
from pathlib import Path

import numpy as np
import openvino
import pytest
from openvino import opset13 as ops
from openvino.op.util import Variable, VariableInfo

import recur

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "test" / "conformance"))

import packed_cases  # noqa: E402

CONFORMANCE = packed_cases.unpack()


def pytest_addoption(parser):
    parser.addoption(
        "--shared", default=os.environ.get("RECUR_SHARED"), help="a folder with models/cases.json and models"
    )
    parser.addoption(
        "--tools", type=Path, default=ROOT / "build/release/bin", help="the folder with ir-run and the other tools"
    )


def pytest_generate_tests(metafunc):
    if "case" not in metafunc.fixturenames:
        return
    # Without such a folder there are no cases, and pytest says so.
    cases = []
    if shared := metafunc.config.getoption("--shared"):
        folder = Path(shared) / "models"
        cases = json.loads((folder / "cases.json").read_text())
        for case in cases:
            case["folder"] = folder / case["name"]
    metafunc.parametrize("case", cases, ids=[case["name"] for case in cases])


@pytest.fixture(scope="session")
def example():
    """The folder of an LSTM, its inputs and its output."""
    folder = ROOT / "examples" / "lstm-example2"
    return folder, [np.load(folder / f"in_{i}.npy") for i in range(3)], np.load(folder / "out_0.npy")


@pytest.fixture(scope="session")
def tools(pytestconfig):
    """The folder of the tools."""
    folder = pytestconfig.getoption("--tools")
    return folder or pytest.skip("the wheel has no tools, and --tools names no folder")


@pytest.fixture
def ctrl_c():
    """SIGINT raises KeyboardInterrupt, also if the tests run in the background, for which a shell ignores it."""
    previous = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, previous)


@pytest.fixture
def accumulator():
    """The sum of all inputs so far, with the initial value 10. It is compiled from an openvino.Model."""
    x = ops.parameter([1, 2], np.float32, name="x")
    info = VariableInfo()
    info.data_shape, info.data_type, info.variable_id = openvino.PartialShape([1, 2]), openvino.Type.f32, "sum"
    variable = Variable(info)
    read = ops.read_value(ops.constant(np.full((1, 2), 10, np.float32)), variable)
    total = ops.add(read, x)
    model = openvino.Model([ops.result(total, name="y")], [ops.assign(total, variable)], [x], "accumulator")
    return recur.compile(model)


# y = x + x, and z = s + y, where s is a scalar.
SUMS = b"""
func.func @main(%x: tensor<?x3xf32> {ov.name = "x"}, %s: tensor<f32> {ov.name = "s"})
    -> (tensor<?x3xf32> {ov.name = "y"}, tensor<?x3xf32> {ov.name = "z"}) {
  %y = ov.add %x, %x : (tensor<?x3xf32>, tensor<?x3xf32>) -> tensor<?x3xf32>
  %z = ov.add %s, %y : (tensor<f32>, tensor<?x3xf32>) -> tensor<?x3xf32>
  return %y, %z : tensor<?x3xf32>, tensor<?x3xf32>
}
"""
