# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Times Recur and OpenVINO on the items of items.py, in turns, and prints a table. It asserts nothing.

    benchmarks/run.py [--ir-run=build/release/bin/ir-run] [--rounds=5] [--seconds=0.5] [--only=TEXT]
                      [--dynamic-rounds=15] [--networks] [--threads=1] [--json=FILE]

OpenVINO and numpy are installed from PyPI into a virtual environment (--venv) on the first run. Each round times every
item once with each contestant, one after the other. Each round gives the median time of a call, and the table has the
medians over the rounds. Only the call is timed: model and buffers are ready, and the first calls are not counted. Two
processes that run one model differ by a few percent by chance, so more rounds (--dynamic-rounds) compare the static and
the dynamic form of an item, of which "to static" is the ratio of the medians. An item whose outputs are not those of
numpy is marked "wrong". With --networks, the networks of networks.py are timed, whose outputs are those of OpenVINO.
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
TOLERANCE = {"rtol": 1e-3, "atol": 1e-4}


def enter_environment(directory, packages=PACKAGES):
    """Runs this script again with the virtual environment's Python, unless that is what runs it."""
    python = directory / "bin" / "python"
    if Path(sys.prefix).resolve() == directory.resolve():
        return
    installed = directory / "installed"
    if not installed.exists() or not set(packages) <= set(installed.read_text().split()):
        print(f"installing {' and '.join(packages)} into {directory}", file=sys.stderr)
        subprocess.run([sys.executable, "-m", "venv", str(directory)], check=True)
        subprocess.run([str(python), "-m", "pip", "install", "--quiet", *packages], check=True)
        with installed.open("a") as file:
            print(*packages, file=file)
    os.execv(python, [str(python), *sys.argv])


def same(case, outputs):
    """Whether these are the outputs of the item in the folder `case`."""
    import numpy
    wanted = [numpy.load(case / f"out_{i}.npy") for i in range(len(list(case.glob("out_*.npy"))))]
    return len(outputs) == len(wanted) and all(
        got.shape == want.shape and numpy.allclose(got, want, **TOLERANCE) for got, want in zip(outputs, wanted))


def time_function(call, seconds):
    """The median time of a call, in µs."""
    now, times = time.perf_counter, []
    for _ in range(10):
        call()
    end = now() + seconds
    while len(times) < 10 or now() < end:
        begin = now()
        call()
        times.append(now() - begin)
    return statistics.median(times) * 1e6


class OpenVINO:
    """A compiled model with its inputs in place. `precision` is None for OpenVINO's default."""

    def __init__(self, case, precision, threads=1):
        import numpy
        import openvino
        self.case = case
        config = {"INFERENCE_NUM_THREADS": threads, "NUM_STREAMS": 1, "PERFORMANCE_HINT": "LATENCY"}
        if precision:
            config["INFERENCE_PRECISION_HINT"] = precision
        self.compiled = openvino.Core().compile_model(str(case / "model.xml"), "CPU", config)
        self.request = self.compiled.create_infer_request()
        for index in range(len(self.compiled.inputs)):
            array = numpy.load(case / f"in_{index}.npy")
            self.request.set_input_tensor(index, openvino.Tensor(array))
        self.request.infer()

    def is_right(self):
        return same(self.case, self.outputs())

    def outputs(self):
        return [self.request.get_output_tensor(i).data for i in range(len(self.compiled.outputs))]

    def time_call(self, seconds):
        return time_function(self.request.infer, seconds)


class Recur:
    """ir-run, which times its calls itself."""

    def __init__(self, case, ir_run, extra):
        self.command = [str(ir_run), str(case / "model.xml")]
        self.command += sorted(map(str, case.glob("in_*.npy")), key=lambda p: int(re.search(r"in_(\d+)\.npy$", p)[1]))
        self.command += extra
        self.case = case
        self.estimate = self.repeat(5)

    def outputs(self):
        import numpy
        with tempfile.TemporaryDirectory(prefix="recur-outputs-") as folder:
            subprocess.run([*self.command, f"--output-dir={folder}"], stdin=subprocess.DEVNULL, check=True,
                           stdout=subprocess.DEVNULL)
            return [numpy.load(Path(folder) / f"out_{i}.npy") for i in range(len(list(self.case.glob("out_*.npy"))))]

    def is_right(self):
        command = [*self.command, f"--expect={self.case}", *(f"--{name}={value}" for name, value in TOLERANCE.items())]
        return subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True).returncode == 0

    def repeat(self, count):
        result = subprocess.run([*self.command, f"--repeat={count}"], stdin=subprocess.DEVNULL, capture_output=True,
                                text=True, check=True)
        return float(re.search(r"^time per call: ([0-9.]+) us", result.stdout, re.M)[1])

    def time_call(self, seconds):
        count = max(5, min(1_000_000, int(seconds * 1e6 / max(self.estimate, 0.1))))
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


def error(contestant):
    """The root mean square of the errors of all outputs, in proportion to that of the outputs themselves."""
    import numpy
    want = [numpy.load(contestant.case / f"out_{i}.npy").ravel() for i in range(len(contestant.outputs()))]
    got = [output.ravel() for output in contestant.outputs()]
    want, got = (numpy.concatenate(all).astype(numpy.float64) for all in (want, got))
    return float(numpy.sqrt(((got - want) ** 2).mean() / max((want ** 2).mean(), 1e-30)))


def percent_of_roof(case, args):
    """How near Recur is to the roof that ir-bench finds: in the median and, in brackets, in its fastest call."""
    command = [str(args.ir_run.with_name("ir-bench")), str(case / "model.xml"), "--json", f"--threads={args.threads}",
               f"--seconds={args.seconds}"]
    answer = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    roof = json.loads(answer.stdout).get("roof") if answer.returncode == 0 else None
    return f"{roof['percent']:.0f} % ({roof['percent_of_fastest']:.0f} %)" if roof else "—"


def contest(args, source, folder, name):
    """Returns {contestant: (is_right, [µs of each round])} of one item, and how near Recur is to the roof. A contestant
    in bf16 has its error instead."""
    case = source.write(folder, name)
    contestants = {"OpenVINO": OpenVINO(case, "f32", args.threads)}
    if args.default_precision:
        contestants["default"] = OpenVINO(case, None, args.threads)
    if not args.openvino_only:
        options = [*args.ir_run_option, *([f"--threads={args.threads}"] if args.threads > 1 else [])]
        contestants["Recur"] = Recur(case, args.ir_run, options)
        if source.has_dynamic(name):
            contestants["dynamic"] = Recur(source.write(folder, name, True), args.ir_run, options)
        if args.default_precision:
            contestants["bf16"] = Recur(case, args.ir_run, [*options, "--precision=bf16"])
    times = measure(contestants, args.rounds, args.seconds)
    if "dynamic" in contestants:
        forms = {name: contestants[name] for name in ("Recur", "dynamic")}
        for name, more in measure(forms, args.dynamic_rounds, args.seconds).items():
            times[name] += more
    results = {who: (error(contestants[who]) if who in ("default", "bf16") else contestants[who].is_right(), values)
               for who, values in times.items()}
    return results, "—" if args.openvino_only else percent_of_roof(case, args)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ir-run", type=Path, default=ROOT / "build/release/bin/ir-run")
    parser.add_argument("--ir-run-option", action="append", default=[], help="one more option of ir-run, e.g. --aot")
    parser.add_argument("--venv", type=Path, default=ROOT / "build/benchmarks-venv")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--dynamic-rounds", type=int, default=15,
                        help="more rounds for Recur alone, of an item that has a form with dynamic dims")
    parser.add_argument("--seconds", type=float, default=0.5, help="of one contestant for one item in one round")
    parser.add_argument("--only", default="", help="only items with this text in their name")
    parser.add_argument("--openvino-only", action="store_true")
    parser.add_argument("--default-precision", action="store_true",
                        help="time OpenVINO with its default settings too, which compute in bf16 where the CPU can, "
                             "and Recur with --precision=bf16; the error is behind the time")
    parser.add_argument("--networks", action="store_true", help="time networks of convolutions instead of the items")
    parser.add_argument("--threads", type=int, default=1, help="of each contestant")
    parser.add_argument("--cpu", type=int, help="run one thread on this CPU (default: the last one that is allowed)")
    parser.add_argument("--json", type=Path, help="write the times of all rounds to this file")
    args = parser.parse_args()
    enter_environment(args.venv.absolute())
    if not args.openvino_only and not args.ir_run.exists():
        sys.exit(f"{args.ir_run} is not there: build Recur (cmake --preset release && cmake --build --preset release)")

    args.ir_run = args.ir_run.resolve()
    sys.path.insert(0, str(ROOT / "benchmarks"))
    if args.networks:
        import networks as source
    else:
        import items as source
    import openvino
    if args.threads == 1:
        os.sched_setaffinity(0, {args.cpu if args.cpu is not None else max(os.sched_getaffinity(0))})
    print(f"{processor()}; OpenVINO {openvino.__version__}; threads: {args.threads}; f32, medians of {args.rounds} "
          "rounds, in µs\n")
    columns = ["item", "Recur", "OpenVINO", "ratio", "target", "of the roof", "dynamic", "to static"]
    columns += ["OpenVINO's default", "Recur in bf16", "ratio"] if args.default_precision else []
    print("| " + " | ".join(columns) + " |\n|" + "---|" * len(columns))
    record = []
    with tempfile.TemporaryDirectory(prefix="recur-benchmarks-") as temporary:
        for name in source.names():
            if args.only not in name:
                continue
            results, percent = contest(args, source, temporary, name)
            target = source.target(name)
            median = {who: statistics.median(times) for who, (_, times) in results.items()}
            said = {}
            for who, value in median.items():
                state = results[who][0]
                note = "" if state is True else " (wrong)" if state is False else f" ({state:.1e})"
                said[who] = (f"{value:.4g}" if value < 1e4 else f"{value:.0f}") + note
            ratio = f"{median['OpenVINO'] / median['Recur']:.3g}" if "Recur" in median else "—"
            slower = f"{median['dynamic'] / median['Recur']:.2f}" if "dynamic" in median else "—"
            cells = [name, said.get("Recur", "—"), said["OpenVINO"], ratio, f"{target:g}"]
            cells += [percent, said.get("dynamic", "—"), slower]
            if args.default_precision:
                gain = f"{median['default'] / median['bf16']:.3g}" if "bf16" in median else "—"
                cells += [said["default"], said.get("bf16", "—"), gain]
            print("| " + " | ".join(cells) + " |", flush=True)
            record.append({"item": name, "target": target, "us": {who: times for who, (_, times) in results.items()}})
    if args.json:
        args.json.write_text(json.dumps({"cpu": processor(), "openvino": openvino.__version__, "items": record},
                                        indent=1) + "\n")


if __name__ == "__main__":
    main()
