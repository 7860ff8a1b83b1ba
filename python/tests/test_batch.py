# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""examples/batch: a folder of sequences, scored by processes that may die."""

import errno
import gc
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest
import score
from conftest import CONFORMANCE
from distributed import Client, LocalCluster

import recur

# A GRU whose batch and length are dynamic: x of [?, ?, 4] and a first state of [?, 1, 4].
MODEL = CONFORMANCE / "gru_sequence__forward_stacked_dynamic" / "model.xml"


@pytest.fixture(scope="module")
def gru():
    return recur.compile(MODEL)


@pytest.fixture
def folder(tmp_path):
    """60 sequences of three lengths, in two folders."""
    rng = np.random.default_rng(0)
    for i in range(60):
        path = tmp_path / "sequences" / f"day{i % 2}" / f"{i:02}.npy"
        path.parent.mkdir(parents=True, exist_ok=True)
        np.save(path, rng.standard_normal((3 + i % 3 * 5, 4), dtype=np.float32))
    return tmp_path / "sequences"


def read(out):
    """The results in a folder by name, and all other files that are there."""
    files = {str(path.relative_to(out)): path for path in out.rglob("*") if path.is_file()}
    return {name: [*np.load(path).values()] for name, path in files.items()}


def score_here(module, folder, batches):
    """What files of results must have."""
    results = {}
    for names in batches:
        for path, arrays in score.score_batch(module, [folder / name for name in names]).items():
            results[str(path.relative_to(folder).with_suffix(".npz"))] = arrays
    return results


def assert_equal(results, want):
    assert results.keys() == want.keys()
    for name, arrays in want.items():
        assert len(results[name]) == len(arrays)
        for array, wanted in zip(results[name], arrays):
            np.testing.assert_array_equal(array, wanted)


def wait_for(condition, what):
    end = time.monotonic() + 60
    while not (value := condition()):
        assert time.monotonic() < end, f"waited too long for {what}"
        time.sleep(0.01)
    return value


def test_batches_have_one_shape(folder, tmp_path):
    batches = score.find_batches(folder, tmp_path / "out", 8)
    assert sorted(map(len, batches)) == [4, 4, 4] + [8] * 6
    assert sorted(sum(batches, [])) == sorted(str(path.relative_to(folder)) for path in folder.rglob("*.npy"))
    for names in batches:
        assert len({np.load(folder / name).shape for name in names}) == 1


def test_a_batch_gives_what_single_calls_give(gru, folder):
    paths = sorted(path for path in folder.rglob("*.npy") if np.load(path).shape == (8, 4))
    results = score.score_batch(gru, paths)
    assert list(results) == paths
    for path, arrays in results.items():
        want = gru(np.load(path)[None], np.zeros((1, 1, 4), np.float32))
        for array, wanted in zip(arrays, want):
            np.testing.assert_allclose(array, wanted[0], rtol=1e-5, atol=1e-6)


def test_one_bad_sequence_does_not_spoil_its_batch(gru, folder):
    paths = sorted(path for path in folder.rglob("*.npy") if np.load(path).shape == (8, 4))
    want = score.score_batch(gru, paths)
    os.truncate(paths[1], 150)
    results = score.score_batch(gru, paths)
    assert list(results) == paths
    assert results.pop(paths[1]).startswith("ValueError: ")
    for path, arrays in results.items():
        np.testing.assert_allclose(arrays[0], want[path][0], rtol=1e-5, atol=1e-6)


def test_a_model_with_a_batch_of_one(example, tmp_path):
    model, inputs, _ = example
    zeros = np.zeros((1, 256), np.float32)
    module = recur.compile(model / "model.xml")
    score.check_model(module)
    paths = [tmp_path / f"{i}.npy" for i in range(2)]
    for i, path in enumerate(paths):
        np.save(path, inputs[0][0] * np.float32(i + 1))
    results = score.score_batch(module, paths)
    for i, path in enumerate(paths):
        want = module(inputs[0] * np.float32(i + 1), zeros, zeros)
        np.testing.assert_array_equal(results[path][0], want[0][0])


def test_every_call_begins_with_the_initial_states(accumulator, tmp_path):
    paths = [tmp_path / f"{i}.npy" for i in range(3)]
    for path in paths:
        np.save(path, np.float32([1, 2]))
    for arrays in score.score_batch(accumulator, paths).values():
        assert arrays[0].tolist() == [11, 12]


def test_models_that_cannot_be_called():
    with pytest.raises(ValueError, match="whose first input has a batch that is dynamic or 1"):
        score.check_model(recur.compile(MODEL, shapes={"Parameter_0": [3, None, 4], "Parameter_1": [3, 1, 4]}))
    with pytest.raises(ValueError, match="an input 'h' with static dims after its batch"):
        score.check_model(recur.compile(b"""
            func.func @main(%x: tensor<?x2xf32> {ov.name = "x"}, %h: tensor<?x?xf32> {ov.name = "h"})
                -> (tensor<?x2xf32> {ov.name = "y"}) {
              %y = ov.add %x, %h : (tensor<?x2xf32>, tensor<?x?xf32>) -> tensor<?x2xf32>
              return %y : tensor<?x2xf32>
            }"""))


def test_a_process_killed_while_it_writes_leaves_no_result(gru, folder, tmp_path):
    out = tmp_path / "out"
    program = """
import os, signal, sys
from pathlib import Path
import recur, score

def write_a_part(path, *arrays):
    Path(path).write_bytes(b"PK")
    os.kill(os.getpid(), signal.SIGKILL)

score.np.savez = write_a_part
folder, out = Path(sys.argv[2]), Path(sys.argv[3])
score.score_files(["day0/00.npy"], recur.compile(sys.argv[1]), folder, out)
"""
    environment = {**os.environ, "PYTHONPATH": str(Path(score.__file__).parent)}
    done = subprocess.run([sys.executable, "-c", program, MODEL, folder, out], env=environment)
    assert done.returncode == -signal.SIGKILL
    assert [path.parent.name for path in out.rglob("*.npz")] == [score.PARTS]
    assert "day0/00.npy" in sum(score.find_batches(folder, out, 8), [])
    # An error while it writes leaves nothing.
    (out / "day0" / "02.npz").mkdir(parents=True)
    with pytest.raises(IsADirectoryError):
        score.score_files(["day0/02.npy"], gru, folder, out)
    assert len(list(out.rglob("*.npz"))) == 2


def test_a_killed_worker_loses_nothing(gru, folder, tmp_path):
    out = tmp_path / "out"
    batches = score.find_batches(folder, out, 2)
    want = score_here(gru, folder, batches)
    # A worker that reads this pipe waits, in the middle of a batch.
    held = folder / batches[len(batches) // 2][1]
    saved = held.rename(held.with_suffix(".saved"))
    os.mkfifo(held)

    failures = []
    with (
        LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=None, local_directory=tmp_path / "dask"
        ) as cluster,
        Client(cluster) as client,
    ):
        workers = client.run(os.getpid).values()
        arguments = (client, gru, folder, out, batches)
        run = threading.Thread(target=lambda: failures.append(score.score_with_dask(*arguments)))
        run.start()

        def open_pipe():
            try:
                return os.open(held, os.O_WRONLY | os.O_NONBLOCK)
            except OSError as error:
                assert error.errno == errno.ENXIO  # Nobody reads it.

        def readers():
            return [pid for pid in workers if any(file.resolve() == held for file in Path(f"/proc/{pid}/fd").iterdir())]

        pipe = wait_for(open_pipe, "a worker that reads the pipe")
        (victim,) = wait_for(readers, "its number")
        wait_for(lambda: list(out.rglob("day*/*.npz")), "the first results")

        # The other worker goes on. Each has one module.
        def count_modules():
            return client.run(lambda: sum(type(thing) is recur.Module for thing in gc.get_objects())).values()

        wait_for(lambda: list(count_modules()) == [1, 1], "the other worker")
        os.replace(saved, held)
        os.kill(victim, signal.SIGKILL)
        assert not score.result_path(out, batches[len(batches) // 2][0]).exists()
        os.close(pipe)
        run.join(60)
        assert not run.is_alive()
    assert failures == [{}]
    assert_equal(read(out), want)


def test_the_program_goes_on_where_it_ended(gru, folder, tmp_path):
    out = tmp_path / "out"
    program = Path(score.__file__)

    def run():
        command = [sys.executable, program, MODEL, folder, f"--out={out}", "--batch=16", "--workers=1"]
        environment = {**os.environ, "DASK_TEMPORARY_DIRECTORY": str(tmp_path / "dask")}
        return subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, env=environment)

    want = score_here(gru, folder, score.find_batches(folder, out, 16))
    (folder / "day0" / "empty.npy").write_bytes(b"")
    np.save(folder / "day1" / "wide.npy", np.zeros((3, 5), np.float32))
    done = run()
    assert (done.returncode, done.stdout) == (1, "scored 60 sequences\n"), done.stderr
    # Under load, Dask also warns there.
    empty, wide = (line for line in done.stderr.splitlines() if ": error: " in line)
    assert empty == f"{folder}/day0/empty.npy: error: EOFError: No data left in file"
    assert wide.startswith(f"{folder}/day1/wide.npy: error: CallError: ") and "dim 2 is 5, expected 4" in wide
    assert_equal(read(out), want)

    (folder / "day0" / "empty.npy").unlink()
    (folder / "day1" / "wide.npy").unlink()
    times = {path: path.stat().st_mtime_ns for path in out.rglob("*.npz")}
    done = run()
    assert (done.returncode, done.stdout, done.stderr) == (0, "scored 0 sequences\n", "")
    assert {path: path.stat().st_mtime_ns for path in out.rglob("*.npz")} == times
