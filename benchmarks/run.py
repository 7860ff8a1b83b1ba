# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Times Recur and OpenVINO in turns, on one thread, and prints a table. It asserts nothing.

    benchmarks/run.py [--ir-run=build/release/bin/ir-run] [--rounds=7] [--seconds=1] [--json=FILE]

OpenVINO and numpy are installed from PyPI into a virtual environment (--venv) on the first run. Each round times every
item once with each contestant, one after the other. Each round gives the median time of a call, and the table has the
medians over the rounds. Only the call is timed: model and buffers are ready, and the first calls are not counted.
"""
import argparse
import json
import os
import platform
import re
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ["openvino", "numpy"]


def enter_environment(directory):
    """Runs this script again with the virtual environment's Python, unless that is what runs it."""
    python = directory / "bin" / "python"
    if Path(sys.prefix).resolve() == directory.resolve():
        return
    if not (directory / "complete").exists():
        print(f"installing {' and '.join(PACKAGES)} into {directory}", file=sys.stderr)
        subprocess.run([sys.executable, "-m", "venv", str(directory)], check=True)
        subprocess.run([str(python), "-m", "pip", "install", "--quiet", *PACKAGES], check=True)
        (directory / "complete").touch()
    os.execv(python, [str(python), *sys.argv])


class OpenVINO:
    """A compiled model with its inputs in place."""

    def __init__(self, case, precision):
        import numpy
        import openvino
        config = {"INFERENCE_NUM_THREADS": 1, "NUM_STREAMS": 1, "PERFORMANCE_HINT": "LATENCY"}
        if precision:
            config["INFERENCE_PRECISION_HINT"] = precision
        self.compiled = openvino.Core().compile_model(str(case / "model.xml"), "CPU", config)
        self.request = self.compiled.create_infer_request()
        for index in range(len(self.compiled.inputs)):
            array = numpy.load(case / f"in_{index}.npy")
            self.request.set_input_tensor(index, openvino.Tensor(array))
        want = numpy.load(case / "out_0.npy")
        self.request.infer()
        got = self.request.get_output_tensor(0).data
        self.difference = float(numpy.max(numpy.abs(got.astype("f8") - want.astype("f8")) / (1 + numpy.abs(want))))

    def precision(self):
        value = self.compiled.get_property("INFERENCE_PRECISION_HINT")
        return value.get_type_name() if hasattr(value, "get_type_name") else str(value)

    def time_call(self, seconds):
        infer, now, times = self.request.infer, time.perf_counter, []
        for _ in range(10):
            infer()
        end = now() + seconds
        while len(times) < 10 or now() < end:
            begin = now()
            infer()
            times.append(now() - begin)
        return statistics.median(times) * 1e6


class Recur:
    """ir-run, which times its calls itself."""

    def __init__(self, case, ir_run, extra):
        self.command = [str(ir_run), str(case / "model.xml")]
        self.command += sorted(map(str, case.glob("in_*.npy")), key=lambda p: int(re.search(r"in_(\d+)\.npy$", p)[1]))
        self.command += extra
        self.estimate = self.repeat(20)

    def repeat(self, count):
        result = subprocess.run([*self.command, f"--repeat={count}"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                text=True, check=True)
        return float(re.search(r"^time per call: ([0-9.]+) us", result.stdout, re.M)[1])

    def time_call(self, seconds):
        count = max(20, min(1_000_000, int(seconds * 1e6 / max(self.estimate, 0.1))))
        return self.repeat(count)


def processor():
    match = re.search(r"^model name\s*: (.*)", Path("/proc/cpuinfo").read_text(), re.M)
    flags = Path("/proc/cpuinfo").read_text()
    widest = next((f for f in ("avx512f", "avx2", "avx", "sse2") if re.search(rf"\b{f}\b", flags)), "?")
    return f"{match[1] if match else platform.machine()}, {os.cpu_count()} CPUs, {widest}"


def measure(contestants, rounds, seconds):
    """contestants: {name: one with time_call}. Returns {name: [µs of each round]}."""
    times = {name: [] for name in contestants}
    for turn in range(rounds):
        order = list(contestants.items())
        for name, contestant in order if turn % 2 == 0 else reversed(order):
            times[name].append(contestant.time_call(seconds))
    return times


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ir-run", type=Path, default=ROOT / "build/release/bin/ir-run")
    parser.add_argument("--ir-run-option", action="append", default=[], help="one more option of ir-run, e.g. --aot")
    parser.add_argument("--venv", type=Path, default=ROOT / "build/benchmarks-venv")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--seconds", type=float, default=1.0, help="of Recur or OpenVINO for one item in one round")
    parser.add_argument("--only", default="", help="only items with this text in their name")
    parser.add_argument("--openvino-only", action="store_true")
    parser.add_argument("--cpu", type=int, help="run on this CPU only (default: the last one that is allowed)")
    parser.add_argument("--json", type=Path, help="write the times of all rounds to this file")
    args = parser.parse_args()
    enter_environment(args.venv.absolute())
    if not args.openvino_only and not args.ir_run.exists():
        sys.exit(f"{args.ir_run} is not there: build Recur (cmake --preset release && cmake --build --preset release)")

    sys.path.insert(0, str(ROOT / "benchmarks"))
    import loop_model
    import openvino
    os.sched_setaffinity(0, {args.cpu if args.cpu is not None else max(os.sched_getaffinity(0))})

    with tempfile.TemporaryDirectory(prefix="recur-benchmarks-") as temporary:
        loop_model.write_model(Path(temporary) / "loop")
        items = [  # name, folder, the target: Recur's time over OpenVINO's is at most this
            ("LSTM of Example 2, [1,25,512] -> [1,25,256]", ROOT / "examples/lstm-example2", 2),
            ("Loop of 1000 x (s * 0.999 + 1), 64 floats", Path(temporary) / "loop", 1 / 50),
        ]
        print(f"CPU: {processor()}")
        print(f"OpenVINO {openvino.__version__}; one thread, f32; medians of {args.rounds} rounds\n")
        print(f"{'item':46} {'Recur us':>10} {'OpenVINO us':>12} {'ratio':>8} {'target':>8}   OpenVINO's default")
        record = []
        for name, case, target in items:
            if args.only not in name:
                continue
            contestants = {"OpenVINO": OpenVINO(case, "f32"), "default": OpenVINO(case, None)}
            if not args.openvino_only:
                contestants["Recur"] = Recur(case, args.ir_run.resolve(), args.ir_run_option)
            times = measure(contestants, args.rounds, args.seconds)
            median = {who: statistics.median(values) for who, values in times.items()}
            ours = f"{median['Recur']:10.2f}" if "Recur" in median else f"{'-':>10}"
            ratio = f"{median['Recur'] / median['OpenVINO']:8.3f}" if "Recur" in median else f"{'-':>8}"
            default = contestants["default"]
            print(f"{name:46} {ours} {median['OpenVINO']:12.2f} {ratio} {'<= %.4g' % target:>8}   "
                  f"{default.precision()}: {median['default']:.2f} us, off by {default.difference:.1e}", flush=True)
            record.append({"item": name, "target": target, "microseconds": times})
        if args.json:
            args.json.write_text(json.dumps({"cpu": processor(), "openvino": openvino.__version__, "items": record},
                                            indent=1) + "\n")


if __name__ == "__main__":
    main()
