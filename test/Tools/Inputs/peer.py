#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Stands in for a Python with openvino: it speaks as lib/Benchmark/OpenVINOPeer.py does, which it ignores.

It computes static.mlir of ir-bench.test, and each call takes 2 ms. PEER_ADDS is added to the outputs; with PEER_FAILS
nothing can be imported.
"""
import json
import os
import sys

import npy

request = json.loads(sys.stdin.readline())
if "PEER_FAILS" in os.environ:
    print(json.dumps({"error": "ModuleNotFoundError: No module named 'openvino'"}), flush=True)
    sys.exit()
(path,) = request["inputs"]
kind, dims, numbers = npy.read(path)
assert (kind, dims) == ("f4", (3, 8)) and request["model"] == "static.mlir" and request["threads"] == 1, request
sums = [sum(numbers[8 * row:8 * row + 8]) * 0.5 + 2 + float(os.environ.get("PEER_ADDS", "0")) for row in range(3)]
npy.write(os.path.join(request["outputs"], "out_0.npy"), "f4", "3,16", [s for s in sums for _ in range(16)])
print(json.dumps({"version": "0.0", "compile": 0.25}), flush=True)
for line in sys.stdin:
    print(json.dumps([0.002] * int(line)), flush=True)
