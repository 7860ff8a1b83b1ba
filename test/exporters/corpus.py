# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A corpus of models for compare.py: folders with a model, its inputs and the expected outputs, and cases.json."""
import json
import os
import sys
from pathlib import Path

import numpy as np
import openvino

# OpenVINO quantizes the activations of some models unless it is told not to.
EXACT = {"INFERENCE_PRECISION_HINT": "f32", "DYNAMIC_QUANTIZATION_GROUP_SIZE": "0"}


class Corpus:
    def __init__(self, folder):
        self.folder = Path(folder)
        self.core = openvino.Core()
        self.cases, self.refused = [], []

    def add(self, name, convert, inputs, expected=None):
        """Adds the model that `convert` returns. Without `expected`, OpenVINO's own outputs are expected. A model that
        OpenVINO cannot convert, or cannot run although its outputs are needed, is counted and left out."""
        try:
            model = convert()
            if expected is None:
                results = self.core.compile_model(model, "CPU", EXACT)(inputs)
                expected = [results[i] for i in range(len(model.outputs))]
        except Exception as error:
            self.refused.append((name, str(error).splitlines()[0][:120]))
            return
        folder = self.folder / name
        folder.mkdir(parents=True, exist_ok=True)
        openvino.save_model(model, str(folder / "model.xml"), compress_to_fp16=False)
        types = [output.get_element_type().get_type_name() for output in model.outputs]
        ops = sorted({node.get_type_name() for node in model.get_ops()})
        case = {"name": name, "family": self.folder.name, "tags": ops, "ops": ops, "rtol": 1e-3, "atol": 1e-4,
                "exact": all(element[0] in "iu" or element == "boolean" for element in types), "notes": ""}
        for kind, arrays, elements in (("in", inputs, [str(array.dtype) for array in inputs]),
                                       ("out", expected, types)):
            case[f"{kind}puts"] = []
            for i, (array, element) in enumerate(zip(arrays, elements)):
                np.save(folder / f"{kind}_{i}.npy", array)
                case[f"{kind}puts"].append({"name": f"{kind}_{i}", "element_type": element,
                                            "shape": list(array.shape), "file": f"{kind}_{i}.npy"})
        self.cases.append(case)

    def finish(self):
        """Writes cases.json, and says what OpenVINO refused."""
        self.folder.mkdir(parents=True, exist_ok=True)
        (self.folder / "cases.json").write_text(json.dumps(self.cases, indent=1))
        for name, why in self.refused:
            print(f"left out {name}: {why}")
        print(f"{len(self.cases)} cases, {len(self.refused)} left out")


def open_corpus(usage):
    if len(sys.argv) != 2:
        sys.exit(usage)
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    return Corpus(sys.argv[1])


random = np.random.default_rng(0)


def reals(*shape):
    return random.standard_normal(shape).astype(np.float32)


def integers(low, high, *shape, dtype=np.int64):
    return random.integers(low, high, shape).astype(dtype)
