# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Scores a folder of sequences with a model, by Dask on any number of machines.

    python examples/batch/score.py MODEL.xml FOLDER --out=RESULTS [--scheduler=tcp://HOST:8786]

Each .npy file under FOLDER is one sequence: the first input of the model without its batch, which is dim 0. What the
model gives for a/b.npy is in RESULTS/a/b.npz: the arrays arr_0, arr_1, ..., without their batch. Files that have
results are skipped, so the same command goes on where another one ended. README.md has the same under Ray and PySpark.
"""

from __future__ import annotations

import argparse
import logging
import os
import shutil
import sys
import uuid
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any, Union

import numpy as np
from numpy.typing import NDArray

import recur

if TYPE_CHECKING:
    from distributed import Client

# The outputs of the model for one sequence, or the text of why there are none.
Result = Union[list[NDArray[Any]], str]

# The folder in the folder of results for files that are being written.
PARTS = ".parts"


def result_path(out: Path, name: str) -> Path:
    """The file of the results of a sequence."""
    return (out / name).with_suffix(".npz")


def find_batches(folder: Path, out: Path, size: int) -> list[list[str]]:
    """The sequences without results, in batches of at most `size` that have one shape and element type.

    A sequence is named by its path in `folder`. Files that are no arrays are batches too: scoring them says why.
    """
    kinds: dict[Any, list[str]] = {}
    for path in sorted(folder.rglob("*.npy")):
        name = str(path.relative_to(folder))
        if result_path(out, name).exists():
            continue
        try:
            # Only the header is read.
            array = np.load(path, mmap_mode="r")
            kind = (array.shape, array.dtype.str)
        except (OSError, EOFError, ValueError):
            kind = ((), "")
        kinds.setdefault(kind, []).append(name)
    return [names[first : first + size] for names in kinds.values() for first in range(0, len(names), size)]


def check_model(module: recur.Module) -> None:
    """Raises ValueError if `module` is no model that `score_batch` can call."""
    if not module.inputs or module.inputs[0].shape[:1] not in ((None,), (1,)):
        raise ValueError(f"expected a model whose first input has a batch that is dynamic or 1, but got {module}")
    for tensor in module.inputs[1:]:
        if None in tensor.shape[1:]:
            raise ValueError(f"expected an input '{tensor.name}' with static dims after its batch, but got {module}")


def score_batch(module: recur.Module, paths: Sequence[Path]) -> dict[Path, Result]:
    """The results of sequences of one shape and element type, by one call if the batch of the model is dynamic.

    Inputs behind the first one, such as the initial state of a recurrence, are zero. States of the model have their
    initial values. If the model refuses the batch, its sequences are scored one by one, so that only those get no
    result that are to blame. The function depends on its arguments alone, so it may be run again, and anywhere.
    """
    if len(paths) == 1 or module.inputs[0].shape[0] is None:
        try:
            return dict(zip(paths, _call(module, np.stack([np.load(path) for path in paths]))))
        except (OSError, EOFError, ValueError, TypeError, recur.CallError) as error:
            if len(paths) == 1:
                return {paths[0]: f"{type(error).__name__}: {error}"}
    return {path: result for path in paths for result in score_batch(module, [path]).values()}


def _call(module: recur.Module, sequences: NDArray[Any]) -> Iterator[list[NDArray[Any]]]:
    count = len(sequences)
    others = [_zeros(tensor, count) for tensor in module.inputs[1:]]
    # An instance has states of its own, with their initial values.
    outputs = (module.instance() if module.state else module)(sequences, *others)
    for name, array in outputs.items():
        if array.shape[:1] != (count,):
            raise ValueError(f"expected an output '{name}' with a batch of {count}, but got the shape {array.shape}")
    return ([array[i] for array in outputs] for i in range(count))


def _zeros(tensor: recur.Tensor, count: int) -> NDArray[Any]:
    dims: list[Any] = [count if dim is None else dim for dim in tensor.shape[:1]]
    return np.zeros(dims + list(tensor.shape[1:]), tensor.dtype)


def score_files(names: Sequence[str], module: recur.Module, folder: Path, out: Path) -> dict[str, str]:
    """Scores a batch of `find_batches`, writes the results, and returns why some sequences have none.

    This is what the engines run. Each file is written whole or not at all, also if the process is killed.
    """
    failures = {}
    results = score_batch(module, [folder / name for name in names])
    for name, result in zip(names, results.values()):
        if isinstance(result, str):
            failures[name] = result
        else:
            _write(result_path(out, name), out / PARTS, result)
    return failures


def _write(path: Path, parts: Path, arrays: Sequence[NDArray[Any]]) -> None:
    parts.mkdir(parents=True, exist_ok=True)
    path.parent.mkdir(parents=True, exist_ok=True)
    # Two workers may write one result if an engine takes a slow worker for a lost one, so each has a file of its own.
    part = parts / f"{uuid.uuid4()}.npz"
    try:
        np.savez(part, *arrays)
        os.replace(part, path)
    except BaseException:
        part.unlink(missing_ok=True)
        raise


def score_with_dask(
    client: Client, module: recur.Module, folder: Path, out: Path, batches: Sequence[Sequence[str]]
) -> dict[str, str]:
    """Scores batches on the workers of `client`, and returns why some sequences have no results.

    `folder` and `out` must be the same folders on all machines. What a worker was doing when it died, another one does.
    """
    import dask
    from distributed import as_completed

    # Each worker gets one module. Dask keeps these bytes, so it can make the module again if those that have it die.
    with dask.config.set({"distributed.admin.large-graph-warning-threshold": "1TiB"}):
        remote = client.submit(recur.from_bytes, module.to_bytes(), pure=False)
    tasks = client.map(score_files, batches, module=remote, folder=folder, out=out, pure=False)
    names_of = {task.key: names for task, names in zip(tasks, batches)}
    failures = {}
    for task in as_completed(tasks):
        if error := task.exception():
            failures.update(dict.fromkeys(names_of[task.key], f"{type(error).__name__}: {error}"))
        else:
            failures.update(task.result())
    shutil.rmtree(out / PARTS, ignore_errors=True)
    return failures


def main() -> int:
    parser = argparse.ArgumentParser(description="Scores a folder of sequences with a model.")
    parser.add_argument("model", help="a model, as recur.compile takes it")
    parser.add_argument("folder", type=Path, help="the folder with .npy files")
    parser.add_argument("--out", type=Path, required=True, help="the folder for the results of this model")
    parser.add_argument("--batch", type=int, default=64, help="the most sequences of a batch (64)")
    parser.add_argument("--cpu", help="the CPU to compile for, if workers are older than this machine: x86-64-v3")
    parser.add_argument("--scheduler", help="the address of Dask's scheduler; without it, this machine's CPUs are used")
    parser.add_argument("--workers", type=int, help="the number of processes if there is no scheduler (one per CPU)")
    arguments = parser.parse_args()

    folder, out = arguments.folder.resolve(), arguments.out.resolve()
    if not folder.is_dir():
        parser.error(f"expected a folder, but got '{folder}'")
    if arguments.batch < 1:
        parser.error(f"expected batches of at least one sequence, but got {arguments.batch}")

    from distributed import Client, LocalCluster

    module = recur.compile(arguments.model, cpu=arguments.cpu)
    check_model(module)
    batches = find_batches(folder, out, arguments.batch)
    failures = {}
    if batches:
        with ExitStack() as stack:
            # A worker that is slow to end, after all is scored, is worth no warning.
            local = {"n_workers": arguments.workers, "threads_per_worker": 1, "dashboard_address": None,
                     "silence_logs": logging.ERROR}
            cluster = arguments.scheduler or stack.enter_context(LocalCluster(**local))
            client = stack.enter_context(Client(cluster))
            failures = score_with_dask(client, module, folder, out, batches)
    print(f"scored {sum(map(len, batches)) - len(failures)} sequences")
    for name, reason in sorted(failures.items()):
        print(f"{folder / name}: error: {reason}", file=sys.stderr)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
