# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models that `ir-translate --export-openvino` has written, in OpenVINO: they give what the original models give."""

import json
import subprocess

import numpy as np
import openvino
import pytest
from conftest import CONFORMANCE
from openvino import opset13 as ops
from openvino.op.util import Variable, VariableInfo
from test_models import problem, run_openvino


def first_of_each_family():
    """A case of each family of test/conformance. Numpy has no bf16."""
    cases = {}
    for case in json.loads((CONFORMANCE / "cases.json").read_text()):
        if all(tensor["element_type"] != "bf16" for tensor in case["inputs"] + case["outputs"]):
            cases.setdefault(case["family"], case)
    return list(cases.values())


def check_export(tools, case, folder, tmp_path):
    inputs = [np.load(folder / spec["file"]) for spec in case["inputs"]]
    want = [np.load(folder / spec["file"]) for spec in case["outputs"]]

    def differences(model):
        return [problem(*pair, case) for pair in zip(run_openvino(model, inputs), want, strict=True)]

    try:
        is_known = not any(differences(folder / "model.xml"))
    except RuntimeError:
        is_known = False
    if not is_known:
        pytest.skip("OpenVINO does not give the known outputs of the original")
    exported = tmp_path / "model.xml"
    subprocess.run([tools / "ir-translate", "--export-openvino", folder / "model.xml", "-o", exported], check=True)
    assert differences(exported) == [None] * len(want)


def test_model(tools, case, tmp_path):
    check_export(tools, case, case["folder"], tmp_path)


@pytest.mark.parametrize("conformance", first_of_each_family(), ids=lambda case: case["name"])
def test_conformance(tools, conformance, tmp_path):
    check_export(tools, conformance, CONFORMANCE / conformance["name"], tmp_path)


def test_names_and_bounds(tools, tmp_path):
    """Names of tensors, layers and states, and the bounds of dims, are those of the original."""
    x = ops.parameter(openvino.PartialShape("[1..5,?]"), np.float32, name="frames")
    x.output(0).set_names({"x, y"})
    y = ops.relu(x, name="activation")
    y.output(0).set_names({"y"})
    original, exported = tmp_path / "original.xml", tmp_path / "exported.xml"
    openvino.save_model(openvino.Model([y], [x], "speech"), original)
    subprocess.run([tools / "ir-translate", "--export-openvino", original, "-o", exported], check=True)
    model = openvino.Core().read_model(exported)
    assert model.get_friendly_name() == "speech"
    assert model.input("x, y").partial_shape == openvino.PartialShape("[1..5,?]")
    assert model.input("x, y").node.get_friendly_name() == "frames"
    assert model.output("y").node.input_value(0).node.get_friendly_name() == "activation"


@pytest.mark.parametrize("init", ["constant", "empty", "input"])
def test_states(tools, init, tmp_path):
    """A state that grows with each call, from an initial value of one row, without rows, or from the first input."""
    x = ops.parameter([2, 3], np.float32, name="x")
    info = VariableInfo()
    info.data_shape, info.data_type, info.variable_id = openvino.PartialShape([-1, 3]), openvino.Type.f32, "rows"
    variable = Variable(info)
    rows = {"constant": 1, "empty": 0}.get(init)
    first = x if rows is None else ops.constant(np.full((rows, 3), 7, np.float32))
    joined = ops.concat([ops.read_value(first, variable), x], 0)
    original, exported = tmp_path / "original.xml", tmp_path / "exported.xml"
    model = openvino.Model([ops.result(joined)], [ops.assign(joined, variable)], [x], "rows")
    openvino.save_model(model, original, compress_to_fp16=False)
    subprocess.run([tools / "ir-translate", "--export-openvino", original, "-o", exported], check=True)
    requests = [openvino.Core().compile_model(path, "CPU").create_infer_request() for path in (original, exported)]
    for call in range(3):
        data = np.arange(6, dtype=np.float32).reshape(2, 3) + call
        want, got = [request.infer([data])[0] for request in requests]
        np.testing.assert_array_equal(got, want)
    assert len(got) == 6 + (2 if rows is None else rows)
