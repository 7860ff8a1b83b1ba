# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a model with OpenVINO for ir-bench.

Standard input and output are lines of JSON. The first line says what to run:
{"model", "weights", "inputs": [files], "shapes": ["NAME=[2,?]"], "threads", "outputs": folder}. The answer is
{"version", "compile": seconds}, after the outputs of one call were written as out_0.npy, ... A further line with a
number is answered by the times of as many calls. {"error": text} is the answer to what fails.
"""
import json
import os
import sys
import time


def parse_shape(text):
    """NAME=[2,?,3] as (name, [2, -1, 3])."""
    name, dims = text.rsplit("=", 1)
    return name, [-1 if dim.strip() == "?" else int(dim) for dim in dims.strip("[] ").split(",") if dim.strip()]


def find_input(model, name):
    for port in model.inputs:
        if name in (*port.names, port.node.friendly_name):
            return port
    raise ValueError(f"OpenVINO has no input '{name}'")


def prepare(job):
    """A request with its inputs in place, and the seconds of compilation."""
    import numpy
    import openvino
    begin = time.perf_counter()
    core = openvino.Core()
    model = core.read_model(job["model"], job["weights"]) if job["weights"] else core.read_model(job["model"])
    shapes = dict(map(parse_shape, job["shapes"]))
    if shapes:
        model.reshape({find_input(model, name): dims for name, dims in shapes.items()})
    request = core.compile_model(model, "CPU", {
        "INFERENCE_NUM_THREADS": job["threads"], "NUM_STREAMS": 1, "PERFORMANCE_HINT": "LATENCY",
        "INFERENCE_PRECISION_HINT": "f32"}).create_infer_request()
    seconds = time.perf_counter() - begin
    for port, path in zip(model.inputs, job["inputs"], strict=True):
        array = numpy.load(path)
        if port.element_type == openvino.Type.bf16:
            tensor = openvino.Tensor(array, array.shape, openvino.Type.bf16)
        else:
            tensor = openvino.Tensor(array.astype(port.element_type.to_dtype()))
        request.set_tensor(port, tensor)
    request.infer()
    for index in range(len(model.outputs)):
        numpy.save(os.path.join(job["outputs"], f"out_{index}.npy"), request.get_output_tensor(index).data)
    return request, {"version": openvino.__version__, "compile": seconds}


def time_calls(infer, count):
    times, now = [], time.perf_counter
    for _ in range(count):
        begin = now()
        infer()
        times.append(now() - begin)
    return times


def main():
    # What OpenVINO prints must not get between the answers.
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)
    request = None
    for line in sys.stdin:
        try:
            if request is None:
                request, answer = prepare(json.loads(line))
            else:
                answer = time_calls(request.infer, int(line))
        except Exception as error:
            answer = {"error": f"{type(error).__name__}: {error}"}
        print(json.dumps(answer), file=answers)


main()
