# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a model on random inputs.

    python examples/python/run_model.py MODEL.xml

It compiles the model, compares it with OpenVINO if that is installed, and prints the time of a call.
"""

import sys
import time

import numpy as np

import recur


def main(path: str) -> None:
    module = recur.compile(path)
    print(module)
    rng = np.random.default_rng(0)
    inputs = [rng.standard_normal([dim or 1 for dim in tensor.shape]).astype(tensor.dtype) for tensor in module.inputs]
    outputs = module(*inputs)
    print(outputs)

    try:
        import openvino
    except ImportError:
        print("openvino is not installed: nothing to compare with")
    else:
        core = openvino.Core()
        peer = core.compile_model(path, "CPU", {"INFERENCE_PRECISION_HINT": "f32"})(inputs)
        difference = max(np.abs(ours - theirs).max() for ours, theirs in zip(outputs, peer.values()))
        print(f"the greatest difference from OpenVINO is {difference:.1e}")
        assert difference < 1e-4

    start, calls = time.perf_counter(), 100
    for _ in range(calls):
        module(*inputs)
    print(f"a call takes {(time.perf_counter() - start) / calls * 1e6:.0f} us")


if __name__ == "__main__":
    main(sys.argv[1])
