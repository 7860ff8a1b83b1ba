# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Times Recur, OpenVINO, ONNX Runtime, XLA and IREE on the items of items.py, in turns, on one thread, and prints a
table. It asserts nothing.

    benchmarks/peers.py [--ir-run=build/release/bin/ir-run] [--rounds=5] [--seconds=0.5] [--only=TEXT]
                        [--peers=onnxruntime,jax,iree] [--json=FILE] [--verbose]

The packages are installed from PyPI into a virtual environment (--venv) on the first run. Times are taken as run.py
does. Each peer has models of its own, with the weights and inputs of the items (peers_onnx.py, peers_jax.py). XLA and
IREE compile an item in several forms, and the one that is fastest at first is timed. A peer is "wrong" if its outputs
are not those of numpy, and "refused" if it does not compile or run any form of the item; --verbose says why, and which
form is the fastest.
"""
import argparse
import functools
import importlib.metadata
import itertools
import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

import run

TRIAL_SECONDS = 0.05
XLA_FLAGS = "--xla_cpu_multi_thread_eigen=false"
IREE_FLAGS = ["--iree-input-type=stablehlo", "--iree-hal-target-backends=llvm-cpu", "--iree-llvmcpu-target-cpu=host",
              "--iree-opt-level=O3"]
IREE_COMPILE_SECONDS = 40  # a form that takes longer is left out: some take many minutes


def arrays(case, kind):
    """The arrays in_<i>.npy or out_<i>.npy of an item."""
    import numpy
    return [numpy.load(case / f"{kind}_{i}.npy") for i in range(len(list(case.glob(f"{kind}_*.npy"))))]


class Peer:
    """A model of an item with its inputs in place, in one of the `FORMS`. `call` runs it once; `outputs` returns the
    outputs of the last call."""

    def __init__(self, case):
        self.case = case

    def is_right(self):
        return run.same(self.case, self.outputs())

    def time_call(self, seconds):
        return run.time_function(self.call, seconds)


class OnnxRuntime(Peer):
    TITLE, PACKAGES = "ONNX Runtime", ["onnxruntime", "onnx"]
    FORMS = [{}]

    def __init__(self, case, name):
        import numpy
        import onnxruntime
        import peers_onnx
        super().__init__(case)
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.execution_mode = onnxruntime.ExecutionMode.ORT_SEQUENTIAL
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL
        session = onnxruntime.InferenceSession(peers_onnx.model(name).SerializeToString(), options,
                                               providers=["CPUExecutionProvider"])
        binding, place = session.io_binding(), onnxruntime.OrtValue.ortvalue_from_numpy
        for value, array in zip(session.get_inputs(), arrays(case, "in")):
            binding.bind_ortvalue_input(value.name, place(array))
        self.values = [place(numpy.zeros_like(array)) for array in arrays(case, "out")]
        for value, array in zip(session.get_outputs(), self.values):
            binding.bind_ortvalue_output(value.name, array)
        self.call = functools.partial(session.run_with_iobinding, binding)
        self.call()

    def outputs(self):
        return [value.numpy() for value in self.values]


class Xla(Peer):
    """`closed`: the weights are constants of the function, not arguments on the device. `bits`: the widest vectors;
    XLA's default is 256."""
    TITLE, PACKAGES = "XLA", ["jax"]
    FORMS = [{"unroll": unroll, "closed": closed, "bits": bits}
             for unroll in (1, 4) for closed in (False, True) for bits in (256, 512)]

    def __init__(self, case, name, unroll, closed, bits):
        import jax
        import peers_jax
        super().__init__(case)
        function, weights = peers_jax.model(name, unroll)
        inputs = [jax.device_put(array) for array in arrays(case, "in")]
        compiled = functools.partial(jax.jit, compiler_options={"xla_cpu_prefer_vector_width": bits})
        if closed:
            self.start = functools.partial(compiled(functools.partial(function, weights)), *inputs)
        else:
            self.start = functools.partial(compiled(function), weights, *inputs)
        self.call()

    def call(self):
        self.results = self.start()
        for result in self.results:
            result.block_until_ready()

    def outputs(self):
        import numpy
        return [numpy.asarray(result) for result in self.results]


class Iree(Peer):
    """The StableHLO of the function for XLA, with the weights as constants."""
    TITLE, PACKAGES = "IREE", ["iree-base-compiler", "iree-base-runtime", "jax"]
    FORMS = [{"unroll": unroll, "tiling": tiling} for unroll in (4, 16) for tiling in ("true", "false")]

    def __init__(self, case, name, unroll, tiling):
        import iree.runtime
        import jax
        from iree.compiler.tools.binaries import find_tool
        import peers_jax
        super().__init__(case)
        function, weights = peers_jax.model(name, unroll)
        inputs = [jax.device_put(array) for array in arrays(case, "in")]
        exported = jax.export.export(jax.jit(functools.partial(function, weights)))(*inputs)
        command = [find_tool("iree-compile"), *IREE_FLAGS, f"--iree-opt-data-tiling={tiling}", "-"]
        binary = subprocess.run(command, input=exported.mlir_module_serialized, capture_output=True, check=True,
                                timeout=IREE_COMPILE_SECONDS).stdout
        config = iree.runtime.Config("local-sync")
        module = iree.runtime.VmModule.copy_buffer(config.vm_instance, binary)
        context = iree.runtime.SystemContext(config=config, vm_modules=[*config.default_vm_modules, module])
        self.device, self.keep = config.device, context
        self.invoke, self.main = context.vm_context.invoke, module.lookup_function("main")
        self.inputs = iree.runtime.VmVariantList(len(inputs))
        for index in exported.module_kept_var_idx:
            value = iree.runtime.asdevicearray(self.device, jax.device_get(inputs[index]))
            self.inputs.push_ref(value._buffer_view)
        self.new_list = functools.partial(iree.runtime.VmVariantList, len(exported.out_avals))
        self.call()

    def call(self):
        self.results = self.new_list()
        self.invoke(self.main, self.inputs, self.results)

    def outputs(self):
        import iree.runtime
        views = [self.results.get_as_object(i, iree.runtime.HalBufferView) for i in range(self.results.size)]
        return [iree.runtime.DeviceArray(self.device, view).to_host() for view in views]


PEERS = {"onnxruntime": OnnxRuntime, "jax": Xla, "iree": Iree}


def fastest(peer, case, name, verbose):
    """The fastest form of an item in a peer, or None if it refuses all of them."""
    best, least = None, None
    for form in peer.FORMS:
        try:
            contestant = peer(case, name, **form)
            time = contestant.time_call(TRIAL_SECONDS)
        except Exception as reason:  # whatever a peer raises: the item is refused, and the others go on
            if verbose:
                said = (getattr(reason, "stderr", None) or str(reason).encode()).decode(errors="replace").strip()
                print(f"{peer.TITLE} refuses {name} {form}: {said[:1000]}", file=sys.stderr)
            continue
        if best is None or time < least:
            best, least, chosen = contestant, time, form
    if verbose and best:
        print(f"{peer.TITLE}: {name} {chosen}", file=sys.stderr)
    return best


def contest(args, folder, name):
    """Returns {contestant: (is_right, [µs of each round])} of one item. A peer that refuses it is not in there."""
    import items
    case = items.write(folder, name)
    contestants = {"Recur": run.Recur(case, args.ir_run.resolve(), []), "OpenVINO": run.OpenVINO(case, "f32")}
    for peer in args.peers:
        contestants[PEERS[peer].TITLE] = fastest(PEERS[peer], case, name, args.verbose)
    contestants = {who: contestant for who, contestant in contestants.items() if contestant}
    times = run.measure(contestants, args.rounds, args.seconds)
    return {who: (contestants[who].is_right(), values) for who, values in times.items()}


def row(name, results, columns):
    """The line of the table. The fastest peer is one whose outputs are right."""
    median = {who: statistics.median(times) for who, (_, times) in results.items()}
    cells = [name]
    for who in columns:
        if who not in median:
            cells.append("refused")
            continue
        time = f"{median[who]:.4g}" if median[who] < 1e4 else f"{median[who]:.0f}"
        cells.append(time + ("" if results[who][0] else " (wrong)"))
    best = min((who for who in median if who != "Recur" and results[who][0]), key=median.get, default=None)
    cells.append(f"{median[best] / median['Recur']:.3g} ({best})" if best else "—")
    return "| " + " | ".join(cells) + " |"


def peer_list(text):
    names = text.split(",")
    if unknown := set(names) - set(PEERS):
        raise argparse.ArgumentTypeError(f"no peer {', '.join(sorted(unknown))}; there are {', '.join(PEERS)}")
    return names


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ir-run", type=Path, default=run.ROOT / "build/release/bin/ir-run")
    parser.add_argument("--venv", type=Path, default=run.ROOT / "build/benchmarks-venv")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=0.5, help="of one contestant for one item in one round")
    parser.add_argument("--only", default="", help="only items with this text in their name")
    parser.add_argument("--peers", type=peer_list, default=list(PEERS), help="some of " + ",".join(PEERS))
    parser.add_argument("--cpu", type=int, help="run on this CPU only (default: the last one that is allowed)")
    parser.add_argument("--json", type=Path, help="write the times of all rounds to this file")
    parser.add_argument("--verbose", action="store_true")
    args = parser.parse_args()
    packages = [*run.PACKAGES, *itertools.chain(*(PEERS[peer].PACKAGES for peer in args.peers))]
    run.enter_environment(args.venv.absolute(), list(dict.fromkeys(packages)))
    if not args.ir_run.exists():
        sys.exit(f"{args.ir_run} is not there: build Recur (cmake --preset release && cmake --build --preset release)")

    os.sched_setaffinity(0, {args.cpu if args.cpu is not None else max(os.sched_getaffinity(0))})
    if {"jax", "iree"} & set(args.peers):
        os.environ.update(XLA_FLAGS=XLA_FLAGS, JAX_PLATFORMS="cpu")
        import jax
        jax.config.update("jax_cpu_enable_async_dispatch", False)
    import items
    columns = ["Recur", "OpenVINO", *(PEERS[peer].TITLE for peer in args.peers)]
    versions = {who: importlib.metadata.version(package) for who, package in
                [("OpenVINO", "openvino"), *((PEERS[peer].TITLE, PEERS[peer].PACKAGES[0]) for peer in args.peers)]}
    said = ", ".join(f"{who} {version}" for who, version in versions.items()).replace("XLA", "XLA of jax")
    print(f"{run.processor()}; {said}; one thread, f32, medians of {args.rounds} rounds, in µs\n")
    columns_and_ratio = ["item", *columns, "fastest peer / Recur"]
    print("| " + " | ".join(columns_and_ratio) + " |\n|" + "---|" * len(columns_and_ratio))
    record = []
    with tempfile.TemporaryDirectory(prefix="recur-peers-") as temporary:
        for name in items.ITEMS:
            if args.only in name:
                results = contest(args, temporary, name)
                print(row(name, results, columns), flush=True)
                record.append({"item": name, "us": {who: times for who, (_, times) in results.items()},
                               "wrong": [who for who, (right, _) in results.items() if not right]})
    if args.json:
        args.json.write_text(json.dumps({"cpu": run.processor(), "versions": versions, "items": record}, indent=1) +
                             "\n")


if __name__ == "__main__":
    main()
