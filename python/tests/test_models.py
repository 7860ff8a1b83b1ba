# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Each model of the folder of more models: Recur against the known outputs, and against OpenVINO on this machine."""

import numpy as np
import openvino


import recur

# Models whose outputs by OpenVINO 2026.4.1 are not the known ones, with the reasons.
OPENVINO_DIFFERS = {
    "ov_nested_ti_in_loop": "a TensorIterator inside a Loop gives other values than numpy",
    "ov_ti_swap": "two back edges that swap their values copy one after the other",
    "torch_iir_biquad_inplace": "back edges that hand values on, as a delay line, copy one after the other",
}


def problem(got, want, case):
    """What is wrong with an output, or None."""
    if got.dtype != want.dtype or got.shape != want.shape:
        return f"expected {want.dtype}{list(want.shape)}, but got {got.dtype}{list(got.shape)}"
    if case["exact"] or want.dtype.kind != "f":
        return None if np.array_equal(got, want, equal_nan=want.dtype.kind == "f") else "values differ"
    if np.allclose(got, want, rtol=case["rtol"], atol=case["atol"], equal_nan=True):
        return None
    return f"values differ by up to {np.max(np.abs(got.astype(np.float64) - want)):.3g}"


def run_openvino(path, inputs):
    core = openvino.Core()
    compiled = core.compile_model(path, "CPU", {"INFERENCE_PRECISION_HINT": "f32", "INFERENCE_NUM_THREADS": 1})
    return list(compiled(inputs).values())


def test_model(case):
    folder = case["folder"]
    inputs = [np.load(folder / spec["file"]) for spec in case["inputs"]]
    want = [np.load(folder / spec["file"]) for spec in case["outputs"]]
    module = recur.compile(folder / "model.xml", progress=False)
    outputs = module(*inputs)
    assert len(outputs) == len(want)
    assert [problem(*pair, case) for pair in zip(outputs, want)] == [None] * len(want)
    # By name it is the same, to the last bit.
    names = [tensor.name for tensor in module.inputs]
    if len(set(names)) == len(names):
        again = module(dict(zip(names, inputs)))
        for first, second in zip(outputs, again):
            np.testing.assert_array_equal(first, second)

    peer = run_openvino(folder / "model.xml", inputs)
    differences = [problem(*pair, case) for pair in zip(outputs, peer)]
    if case["name"] in OPENVINO_DIFFERS:
        assert any(differences), f"OpenVINO agrees now; remove {case['name']} from OPENVINO_DIFFERS"
    else:
        assert differences == [None] * len(want)
