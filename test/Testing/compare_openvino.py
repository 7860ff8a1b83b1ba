#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares the interpreter with OpenVINO on random models.

    compare_openvino.py --bin build/dev/bin [--seed=1] [--count=200] [--keep=DIR]
    compare_openvino.py --bin build/dev/bin --faults [--shared=DIR]

It needs the packages openvino and numpy. openvino-faults.json lists the known faults of OpenVINO: a model that has a
trait of a fault may be refused, or may give other results. Every other model that OpenVINO refuses is printed. Every
other difference is printed, and the status is then 1.

With --faults, the reproducer of each fault runs: a file or folder of Inputs, a case of conformance here, or one of
DIR/conformance. The status is 1 if OpenVINO gives the right results for one of them.
"""
import argparse
import json
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree
from collections import Counter
from pathlib import Path

import numpy
import openvino

FOLDER = Path(__file__).resolve().parent
sys.path.insert(0, str(FOLDER.parent / "conformance"))

import packed_cases  # noqa: E402


# Ops that compute no numbers, so the width of integers does not matter to them.
MOVING = {"Broadcast", "Concat", "Const", "Gather", "GatherElements", "GatherND", "Identity", "If", "Loop", "Pad",
          "Parameter", "Reshape", "Result", "Reverse", "ReverseSequence", "ScatterElementsUpdate", "ScatterNDUpdate",
          "ScatterUpdate", "Select", "ShapeOf", "Slice", "Split", "Squeeze", "StridedSlice", "TensorIterator", "Tile",
          "Transpose", "Unsqueeze", "VariadicSplit"}
PRODUCTS = {"Convolution", "GroupConvolution", "MatMul"}


def runs_surely(loop, layers, edges, weights):
    """True if the trip count of a Loop and its condition are constants that let it run."""
    for port in ("0", "1"):
        layer = layers[edges[loop.get("id"), port]]
        if layer.get("type") != "Const":
            return False
        data = layer.find("data")
        kind = {"i32": "<i4", "i64": "<i8", "boolean": "?"}[data.get("element_type")]
        if not numpy.frombuffer(weights, kind, 1, int(data.get("offset")))[0]:
            return False
    return True


def is_zero(layer, weights):
    """True if a layer is a constant, and its first element has only bits that are 0."""
    if layer.get("type") != "Const":
        return False
    offset = int(layer.find("data").get("offset"))
    return not any(weights[offset:offset + 2])


def read_axes(layer, weights, rank):
    """The axes that a layer has, in order. None if it is no constant."""
    if layer.get("type") != "Const":
        return None
    data = layer.find("data")
    kind = {"i32": "<i4", "i64": "<i8"}[data.get("element_type")]
    size = numpy.dtype(kind).itemsize
    axes = numpy.frombuffer(weights, kind, int(data.get("size")) // size, int(data.get("offset")))
    return sorted(int(axis) % rank for axis in axes)


def find_traits(net, weights):
    """What the model has, by the names that openvino-faults.json uses."""
    traits = set()

    def visit(graph, inside):
        layers = {layer.get("id"): layer for layer in graph.find("layers")}
        edges = {(edge.get("to-layer"), edge.get("to-port")): edge.get("from-layer") for edge in graph.find("edges")}
        for layer in layers.values():
            kind = layer.get("type")
            for port in layer.iterfind("output/port"):
                element = port.get("precision")
                narrow = element in ("I64", "U64", "U32", "I16", "U16", "I8", "U8")
                # OpenVINO cuts i64 inputs to 32 bits, and computes products of i32 as f32.
                if (narrow and kind not in MOVING - {"Parameter"}) or (element == "I32" and kind in PRODUCTS):
                    traits.add("integers")
                if element == "I32" and kind.startswith("Reduce"):
                    traits.add("reduced-integers")
                if element in ("FP16", "BF16", "FP64"):
                    traits.add("narrow-floats")
            if kind == "GatherTree":
                traits.add("gather-tree")
            if kind in ("BitwiseLeftShift", "BitwiseRightShift"):
                traits.add("shift")
            if kind == "Selu" and is_zero(layers[edges[layer.get("id"), "1"]], weights):
                traits.add("zero-alpha")
            if kind == "LRN":
                axes, bias = layers[edges[layer.get("id"), "1"]], float(layer.find("data").get("bias"))
                rank = len(layer.findall("output/port/dim"))
                if bias != int(bias):
                    traits.add("lrn-bias")
                if read_axes(axes, weights, rank) not in ([1], list(range(2, rank))):
                    traits.add("lrn-axes")
            if kind == "IRDFT" and any(dim.text == "0" for dim in layer.iterfind("output/port/dim")):
                traits.add("empty-transform")
            if kind == "If" and any(dim.text == "-1" for dim in layer.iterfind("output/port/dim")):
                traits.add("dynamic-if")
            if kind == "Loop" and not runs_surely(layer, layers, edges, weights):
                traits.add("loop-may-not-run")
            if kind == "TensorIterator" and "TensorIterator" in inside:
                traits.add("nested-tensor-iterator")
            body = layer.find("body")
            if body is None:
                continue
            bodies = {inner.get("id"): inner for inner in body.find("layers")}
            feeds = {edge.get("to-layer"): edge.get("from-layer") for edge in body.find("edges")}
            for edge in layer.iterfind("back_edges/edge"):
                source = feeds.get(edge.get("from-layer"))
                if bodies[source].get("type") == "Parameter":
                    traits.add("straight-back-edge")
                if "-1" in bodies[edge.get("to-layer")].find("data").get("shape").split(","):
                    traits.add("growing")
            seen = set()
            for entry in layer.find("port_map"):
                port = entry.get("external_port_id")
                if entry.tag == "input" and port != "-1":
                    if port in seen:
                        traits.add("input-mapped-twice")
                    seen.add(port)
                if entry.get("axis") is None:
                    continue
                if int(entry.get("axis")) < 0:
                    traits.add("negative-axis")
                ends, stride = (int(entry.get("start")), int(entry.get("end"))), int(entry.get("stride"))
                if entry.tag == "input":
                    if ends != ((0, -1) if stride > 0 else (-1, 0)):
                        traits.add("sub-range")
                    if abs(stride) != int(entry.get("part_size")):
                        traits.add("stride-is-not-part")
                    if kind == "Loop":
                        traits.add("loop-slices")
                elif kind == "Loop" and int(entry.get("part_size")) != 1:
                    traits.add("loop-concatenates-pieces")
            visit(body, inside | {kind})

    visit(net, frozenset())
    return traits


def to_tensor(array, port):
    kind = port.get_element_type()
    if kind == openvino.Type.bf16:
        return openvino.Tensor(array, list(array.shape), kind)
    # ascontiguousarray would make a scalar a vector.
    return openvino.Tensor(numpy.array(array, order="C"))


def decode(array, port):
    """bf16, which numpy has not, as f32."""
    if port.get_element_type() != openvino.Type.bf16:
        return array
    return (array.view(numpy.uint16).astype(numpy.uint32) << 16).view(numpy.float32)


def run_openvino(core, directory):
    model = core.read_model(directory / "model.xml")
    compiled = core.compile_model(model, "CPU", {"INFERENCE_PRECISION_HINT": "f32"})
    inputs = [to_tensor(numpy.load(directory / f"in_{i}.npy"), port) for i, port in enumerate(compiled.inputs)]
    request = compiled.create_infer_request()
    for i, tensor in enumerate(inputs):
        request.set_input_tensor(i, tensor)
    request.infer()
    outputs = [numpy.array(request.get_output_tensor(i).data) for i in range(len(compiled.outputs))]
    return [decode(array, port) for array, port in zip(outputs, compiled.outputs)], compiled.outputs


def differ(got, want):
    if got.shape != want.shape:
        return f"shape {got.shape}, expected {want.shape}"
    if want.dtype.kind in "fc":
        wide = [array.astype(numpy.float64) for array in (got, want)]
        same = numpy.isclose(*wide, rtol=1e-3, atol=1e-4, equal_nan=True)
    else:
        same = got.astype(want.dtype) == want
    return None if same.all() else f"{(~same).sum()} of {same.size} elements"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", type=Path, required=True, help="the folder of ir-run and ir-fuzz")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--faults", action="store_true", help="check the reproducers")
    parser.add_argument("--shared", type=Path, default=FOLDER.parents[2] / "shared", help="the folder of conformance")
    parser.add_argument("--keep", type=Path, help="where to write the models")
    args = parser.parse_args()
    faults = json.loads((FOLDER / "openvino-faults.json").read_text())
    if args.faults:
        return check_faults(faults, args)
    folder = args.keep or Path(tempfile.mkdtemp(prefix="compare_openvino"))
    subprocess.run([args.bin / "ir-fuzz", "--write", f"--seed={args.seed}", f"--count={args.count}",
                    f"--output-dir={folder}"], check=True)
    tally, explained, wrong = Counter(), Counter(), 0
    for seed in range(args.seed, args.seed + args.count):
        directory = folder / str(seed)
        inputs = sorted(directory.glob("in_*.npy"), key=lambda path: int(path.stem[3:]))
        done = subprocess.run([args.bin / "ir-run", directory / "model.xml", *inputs, "--interpret",
                               f"--output-dir={directory}"], capture_output=True, text=True)
        if done.returncode:
            tally["ends with a fault"] += 1
            continue
        net = ElementTree.parse(directory / "model.xml").getroot()
        traits = find_traits(net, (directory / "model.bin").read_bytes())
        answer = ask_openvino(directory)
        if answer == "agrees":
            tally["agrees"] += 1
            continue
        causes = [fault["id"] for fault in faults if traits & set(fault["traits"])]
        if causes:
            tally["differs, refuses or crashes, with a known fault"] += 1
            explained.update(causes)
            continue
        if answer.startswith("refuses"):
            tally["refused otherwise"] += 1
        else:
            wrong += 1
        print(f"seed {seed} ({', '.join(sorted(traits))}): {answer}", flush=True)
    for title, counter in (("models", tally), ("known faults that these may have", explained)):
        print(title)
        for name, number in counter.most_common():
            print(f"  {number:6} {name}")
    print(f"{args.count} models, {wrong} unexplained")
    return 1 if wrong else 0


def check_faults(faults, args):
    wrong = 0
    for fault in faults:
        with tempfile.TemporaryDirectory(prefix="openvino-fault") as name:
            directory = Path(name)
            folders = [FOLDER / "Inputs", packed_cases.unpack(), args.shared / "conformance"]
            cases = [folder / fault["case"] for folder in folders]
            case = next(case for case in cases if case.exists())
            if case.is_file():
                shutil.copy(case, directory / "model.xml")
                net = ElementTree.parse(directory / "model.xml").getroot()
                parameters = [layer for layer in net.find("layers") if layer.get("type") == "Parameter"]
                for i, layer in enumerate(parameters):
                    data = layer.find("data")
                    shape = [int(dim) for dim in data.get("shape").split(",")]
                    kind = {"f32": "f4", "f16": "f2"}[data.get("element_type")]
                    numpy.save(directory / f"in_{i}.npy", numpy.arange(numpy.prod(shape), dtype=kind).reshape(shape))
            else:
                shutil.copytree(case, directory, dirs_exist_ok=True)
            inputs = sorted(directory.glob("in_*.npy"), key=lambda path: int(path.stem[3:]))
            subprocess.run([args.bin / "ir-run", directory / "model.xml", *inputs, "--interpret",
                            f"--output-dir={directory}"], check=True, capture_output=True)
            answer = ask_openvino(directory)
        print(f"{fault['id']}: {answer[:150]}", flush=True)
        wrong += answer == "agrees"
    print(f"{len(faults)} faults, {wrong} do not show")
    return 1 if wrong else 0


def ask_openvino(directory):
    # A process of its own: OpenVINO may crash.
    child = subprocess.run([sys.executable, __file__, "--one", directory], capture_output=True, text=True)
    return child.stdout.strip().splitlines()[-1] if child.returncode == 0 and child.stdout.strip() else "crashes"


def run_one(directory):
    try:
        outputs, ports = run_openvino(openvino.Core(), directory)
    except RuntimeError as error:
        print("refuses: " + " ".join(str(error).split())[-200:])
        return 0
    for i, (got, port) in enumerate(zip(outputs, ports)):
        problem = differ(got, decode(numpy.load(directory / f"out_{i}.npy"), port))
        if problem:
            print(f"output {i}: {problem}")
            return 0
    print("agrees")
    return 0


if __name__ == "__main__":
    sys.exit(run_one(Path(sys.argv[2])) if sys.argv[1:2] == ["--one"] else main())
