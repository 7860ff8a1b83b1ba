# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Calls of compiled models, and what they take and give."""

import inspect
import pickle
import re
import signal
import subprocess
import sys
import textwrap
import threading
import time
import tracemalloc

import numpy as np
import pytest
from conftest import SUMS

import recur


@pytest.fixture(scope="module")
def sums():
    return recur.compile(SUMS, name="sums")


@pytest.fixture(scope="module")
def lstm(example):
    return recur.compile(example[0] / "model.xml")


def test_describes_its_tensors(sums, lstm):
    x, s = sums.inputs
    assert (x.name, x.element_type, x.shape, x.dtype) == ("x", "f32", (None, 3), np.float32)
    assert (s.name, s.shape) == ("s", ())
    assert [tensor.name for tensor in sums.outputs] == ["y", "z"]
    assert repr(sums) == "<recur.Module sums: (x: f32[?, 3], s: f32[]) -> (y: f32[?, 3], z: f32[?, 3])>"
    assert len(sums.state) == 0
    assert lstm.inputs[0].shape == (1, 25, 512)
    assert sums.cpu


def test_inputs_by_position_and_by_name(sums):
    x, s = np.ones((2, 3), np.float32), np.float32(5)
    want = [np.full((2, 3), 2, np.float32), np.full((2, 3), 7, np.float32)]
    for outputs in (sums(x, s), sums(x, s=s), sums(s=s, x=x), sums({"s": s, "x": x}), sums({"x": x}, s=s)[:]):
        np.testing.assert_array_equal(outputs[0], want[0])
        np.testing.assert_array_equal(outputs[1], want[1])


def test_outputs_are_a_sequence_and_a_mapping(sums):
    outputs = sums(np.ones((1, 3), np.float32), 1)
    y, z = outputs
    assert y is outputs["y"] and y is outputs[0] and z is outputs[-1] and len(outputs) == 2
    assert list(dict(outputs.items())) == ["y", "z"] == list(outputs.keys())
    assert outputs.values() == (y, z)
    assert repr(outputs) == "Outputs(y: float32[1, 3], z: float32[1, 3])"
    with pytest.raises(KeyError, match="the model has no output 'w'; it has 'y', 'z'"):
        outputs["w"]
    with pytest.raises(IndexError):
        outputs[2]


def test_outputs_are_not_reused(sums):
    first = sums(np.ones((1, 3), np.float32), 0)["y"]
    sums(np.zeros((1, 3), np.float32), 0)
    assert first.tolist() == [[2, 2, 2]]
    assert first.flags.writeable and first.flags.c_contiguous


def test_wrong_arguments(sums):
    x = np.ones((2, 3), np.float32)
    with pytest.raises(TypeError, match="expected 2 inputs, but got 1; missing 's'"):
        sums(x)
    with pytest.raises(TypeError, match="expected 2 inputs, but got 3"):
        sums(x, 1, 2)
    with pytest.raises(TypeError, match="the model has no input 'w'"):
        sums(x, s=1, w=2)
    with pytest.raises(TypeError, match="the input 'x' is given twice"):
        sums(x, 1, x=x)
    with pytest.raises(TypeError, match="expected the input 's', but it is not given"):
        sums(x=x)
    with pytest.raises(TypeError, match="input 'x': expected f32 elements, but got an array of complex64"):
        sums(x.astype(np.complex64), 1)


def test_the_model_checks_arrays(sums):
    with pytest.raises(recur.CallError, match="dim 1 is 4, expected 3") as caught:
        sums(np.ones((2, 4), np.float32), 1)
    assert caught.value.status == recur.Status.SHAPE
    for rank in (0, 1, 3, 20):
        message = f"input 'x': expected an array of 2 dims, but got one of {rank}; change it"
        with pytest.raises(recur.InputError, match=message) as caught:
            sums(np.ones((1,) * rank, np.float32), 1)
        assert caught.value.status is recur.Status.SHAPE and isinstance(caught.value, TypeError)
    # Calls that fail leave nothing behind.
    assert sums(np.ones((1, 3), np.float32), 1)["z"].tolist() == [[3, 3, 3]]


def test_arrays_of_any_layout(sums):
    base = np.arange(24, dtype=np.float32).reshape(4, 6)
    for x in (base[:, :3], base[::2, ::2], base.T[:2, :3], np.asfortranarray(base[:2, :3]), base[:0, :3]):
        np.testing.assert_array_equal(sums(x, 0)["y"], 2 * x)
    unaligned = np.frombuffer(b"\0" + base.tobytes(), np.uint8)[1:].view(np.float32)[:6].reshape(2, 3)
    assert not unaligned.flags.aligned
    np.testing.assert_array_equal(sums(unaligned, 0)["y"], 2 * unaligned)
    frozen = base[:2, :3].copy()
    frozen.flags.writeable = False
    np.testing.assert_array_equal(sums(frozen, 0)["y"], 2 * frozen)
    np.testing.assert_array_equal(sums([[1, 2, 3]], 1)["z"], [[3, 5, 7]])


class OnlyDLPack:
    """An array of another framework."""

    def __init__(self, array):
        self._array = array

    def __dlpack__(self, **options):
        return self._array.__dlpack__(**options)

    def __dlpack_device__(self):
        return self._array.__dlpack_device__()


def test_takes_dlpack(sums):
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    np.testing.assert_array_equal(sums(OnlyDLPack(x), 0)["y"], 2 * x)


def test_dense_arrays_are_not_copied():
    # A copy would be memory that numpy takes.
    module = recur.compile(b"""
        func.func @main(%x: tensor<?xf32> {ov.name = "x"}) -> (tensor<f32> {ov.name = "y"}) {
          %axes = ov.constant dense<0> : tensor<1xi64>
          %y = ov.reduce_max %x, %axes {keep_dims = false} : (tensor<?xf32>, tensor<1xi64>) -> tensor<f32>
          return %y : tensor<f32>
        }""")
    x = np.ones(1 << 20, np.float32)
    module(x)
    tracemalloc.start()
    module(x)
    dense = tracemalloc.get_traced_memory()[1]
    tracemalloc.reset_peak()
    module(np.ones(1 << 21, np.float32)[::2])
    strided = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert dense < 1 << 16 and strided > x.nbytes


GUARDED = """
    import ctypes
    import mmap
    import resource
    import sys

    import numpy as np

    import recur

    def guarded():
        array = np.frombuffer(mmap.mmap(-1, 4 * mmap.PAGESIZE), np.float32)
        array[:3] = 3, 5, 7
        rest = ctypes.c_void_p(array.ctypes.data + mmap.PAGESIZE)
        assert ctypes.CDLL(None).mprotect(rest, ctypes.c_size_t(3 * mmap.PAGESIZE), 0) == 0
        return array

    first = recur.compile(b'''
        func.func @main(%x: tensor<?xf32> {ov.name = "x"}) -> (tensor<2xf32> {ov.name = "y"}) {
          %at = ov.constant dense<[2, 0]> : tensor<2xi64>
          %axis = ov.constant dense<0> : tensor<i64>
          %y = ov.gather %x, %at, %axis : (tensor<?xf32>, tensor<2xi64>, tensor<i64>) -> tensor<2xf32>
          return %y : tensor<2xf32>
        }''')
    many = recur.compile(b'''
        func.func @main(%x: tensor<1xf32> {ov.name = "x"}, %times: tensor<1xi64> {ov.name = "times"})
            -> (tensor<?xf32> {ov.name = "y"}) {
          %y = ov.tile %x, %times : (tensor<1xf32>, tensor<1xi64>) -> tensor<?xf32>
          return %y : tensor<?xf32>
        }''')

    def write():
        return many(np.float32([2]), np.int64([1 << 26]))["y"]

    steps = {
        "numpy": lambda: first(guarded())["y"],
        "dlpack": lambda: first(OnlyDLPack(guarded()))["y"],
        "copy": lambda: first(guarded().copy())["y"],
        "output": write,
        "output-dlpack": lambda: np.from_dlpack(write()),
        "output-copy": lambda: write().copy(),
    }
    many(np.float32([2]), np.int64([1]))
    # There is room for one output of 256 MB, and not for two.
    used = int(open("/proc/self/statm").read().split()[0]) * mmap.PAGESIZE
    resource.setrlimit(resource.RLIMIT_AS, (used + (384 << 20),) * 2)
    y = steps[sys.argv[1]]()
    print(y[:2], y.size)
"""


def call_guarded(step):
    program = inspect.getsource(OnlyDLPack) + textwrap.dedent(GUARDED)
    return subprocess.run([sys.executable, "-c", program, step], capture_output=True, text=True)


@pytest.mark.parametrize("step", ["numpy", "dlpack"])
def test_a_model_reads_the_array_itself(step):
    # Only the first page of the array can be read, so whatever copies the array ends the process.
    done = call_guarded(step)
    assert (done.returncode, done.stdout) == (0, "[7. 3.] 2\n"), done.stderr
    assert call_guarded("copy").returncode == -signal.SIGSEGV


@pytest.mark.parametrize("step", ["output", "output-dlpack"])
def test_a_model_writes_the_array_itself(step):
    done = call_guarded(step)
    assert (done.returncode, done.stdout) == (0, f"[2. 2.] {1 << 26}\n"), done.stderr
    assert "MemoryError" in call_guarded("output-copy").stderr


@pytest.mark.parametrize(
    "element_type, dtype",
    [("i1", "bool"), ("i8", "i1"), ("i16", "i2"), ("i32", "i4"), ("i64", "i8"), ("ui8", "u1"), ("ui16", "u2"),
     ("ui32", "u4"), ("ui64", "u8"), ("f16", "f2"), ("f32", "f4"), ("f64", "f8")],
)
def test_element_types(element_type, dtype):
    module = recur.compile(f"""
        func.func @main(%x: tensor<2x2x{element_type}> {{ov.name = "x"}})
            -> (tensor<2x2x{element_type}> {{ov.name = "y"}}) {{
          %order = ov.constant dense<[1, 0]> : tensor<2xi64>
          %y = ov.transpose %x, %order : (tensor<2x2x{element_type}>, tensor<2xi64>) -> tensor<2x2x{element_type}>
          return %y : tensor<2x2x{element_type}>
        }}""".encode())
    x = np.array([[0, 1], [1, 1]], dtype)
    x[0, 1] = 0
    y = module(x)["y"]
    assert y.dtype == module.outputs[0].dtype == np.dtype(dtype)
    np.testing.assert_array_equal(y, x.T)


def test_bfloat16_as_bits_or_by_ml_dtypes():
    module = recur.compile(b"""
        func.func @main(%x: tensor<2xbf16> {ov.name = "x"}) -> (tensor<2xbf16> {ov.name = "y"}) {
          %y = ov.add %x, %x : (tensor<2xbf16>, tensor<2xbf16>) -> tensor<2xbf16>
          return %y : tensor<2xbf16>
        }""")
    bits = np.array([0x3F80, 0x4000], np.uint16)  # 1 and 2
    doubled = module(bits)["y"]
    assert doubled.view(np.uint16).tolist() == [0x4000, 0x4080]
    assert doubled.dtype == module.outputs[0].dtype
    ml_dtypes = pytest.importorskip("ml_dtypes", reason="the package ml_dtypes is not installed")
    assert doubled.dtype == ml_dtypes.bfloat16
    assert module(bits.view(ml_dtypes.bfloat16))["y"].tolist() == [2, 4]


def test_pickle(lstm, example):
    _, inputs, want = example
    copy = pickle.loads(pickle.dumps(lstm))
    np.testing.assert_array_equal(copy(*inputs)[0], lstm(*inputs)[0])
    np.testing.assert_allclose(copy(*inputs)[0], want, rtol=1e-4, atol=1e-5)
    assert copy.inputs == lstm.inputs
    damaged = bytearray(lstm.to_bytes())
    damaged[len(damaged) // 2] ^= 1
    with pytest.raises(recur.CompileError, match="the bytes of the model are damaged"):
        recur.from_bytes(bytes(damaged))
    with pytest.raises(recur.CompileError):
        recur.from_bytes(b"")


def test_a_module_goes_to_another_process(sums, tmp_path):
    (tmp_path / "module").write_bytes(pickle.dumps(sums))
    program = (
        "import pickle, sys, numpy; m = pickle.load(open(sys.argv[1], 'rb')); "
        "print(m(numpy.ones((1, 3), numpy.float32), 1)['z'].tolist())"
    )
    done = subprocess.run([sys.executable, "-c", program, tmp_path / "module"], capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, "[[3.0, 3.0, 3.0]]\n", "")


def test_many_threads_compile(example):
    results = [None] * 8

    def work(number):
        try:
            model = b"<net>" if number % 2 else SUMS
            results[number] = recur.compile(model)(np.ones((1, 3), np.float32), number)["z"][0, 0]
        except recur.CompileError as error:
            results[number] = str(error)[:17]

    threads = [threading.Thread(target=work, args=(number,)) for number in range(len(results))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [2, "model.xml:1:5: er", 4, "model.xml:1:5: er", 6, "model.xml:1:5: er", 8, "model.xml:1:5: er"]


def test_statuses_are_those_of_the_interface(example):
    text = (example[0].parents[1] / "include" / "Recur" / "Target" / "ABI.h").read_text()
    statuses = {name: int(value) for name, value in re.findall(r"RECUR_E_(\w+) = (\d+)", text)}
    assert statuses == {status.name: status.value for status in recur.Status}


def test_many_threads_call_one_module(lstm, example):
    _, inputs, _ = example
    want = [lstm(inputs[0] * scale, *inputs[1:])[0] for scale in np.float32([1, 2])]
    problems = []

    def work(number):
        for _ in range(20):
            scale = np.float32(number % 2 + 1)
            if not np.array_equal(lstm(inputs[0] * scale, *inputs[1:])[0], want[number % 2]):
                problems.append(number)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert problems == []


def test_other_threads_run_meanwhile(example):
    # A loop that takes long, without data: this thread counts while it runs.
    module = recur.compile(b"""
        func.func @main(%n: tensor<i64> {ov.name = "n"}, %s0: tensor<64xf32> {ov.name = "s0"})
            -> (tensor<64xf32> {ov.name = "s"}) {
          %true = ov.constant dense<true> : tensor<i1>
          %c = ov.constant dense<0.999> : tensor<f32>
          %r = ov.loop trip(%n : tensor<i64>) while(%true : tensor<i1>) carried(%s = %s0 : tensor<64xf32>) {
            %t = ov.multiply %s, %c : (tensor<64xf32>, tensor<f32>) -> tensor<64xf32>
            %u = ov.tanh %t : tensor<64xf32>
            ov.yield while(%true : tensor<i1>) next(%u : tensor<64xf32>)
          }
          return %r : tensor<64xf32>
        }""")

    def measure(call):
        done = []
        thread = threading.Thread(target=lambda: done.append(call()))
        count, start = 0, time.monotonic()
        thread.start()
        while not done and time.monotonic() - start < 60:
            time.sleep(0.001)
            count += 1
        thread.join()
        assert done
        return count

    n = np.int64(10_000)
    while measure(lambda: module(n, np.ones(64, np.float32))) < 50:
        n *= 2
        assert n < 1 << 40, "other threads do not run during a call"
    assert measure(lambda: recur.compile(example[0] / "model.xml")) > 20


def test_threads_give_the_same_outputs(lstm, example):
    folder, inputs, _ = example
    module = recur.compile(folder / "model.xml", threads=3)
    np.testing.assert_array_equal(module(*inputs)[0], lstm(*inputs)[0])
    with pytest.raises(ValueError, match="expected at least one thread"):
        recur.compile(SUMS, threads=0)


def test_a_profile(example, tmp_path):
    folder, inputs, _ = example
    module = recur.compile(folder / "model.xml", profile=True)
    assert module.profile() and all(row.calls == row.ticks == 0 for row in module.profile())
    want = module(*inputs)[0]
    first = module.profile()
    loops = [i for i, row in enumerate(first) if any(other.loop == i for other in first)]
    assert [first[i].calls for i in loops] == [25] and "model.xml:" in first[loops[0]].layers
    assert all(row.calls == 25 for row in first if row.loop is not None)
    module(*inputs)
    second = module.profile()
    assert [row.layers for row in second] == [row.layers for row in first]
    assert [row.calls for row in second] == [2 * row.calls for row in first]
    assert sum(row.ticks for row in second) > sum(row.ticks for row in first) > 0
    assert all(row.calls == 0 for row in module.instance().profile())

    recur.aot(folder / "model.xml", tmp_path / "lstm.so", profile=True)
    library = recur.load(tmp_path / "lstm.so")
    np.testing.assert_allclose(library(*inputs)[0], want, rtol=1e-5, atol=1e-6)
    assert sum(row.calls for row in library.profile() if row.loop is None) > 0


def test_calls_of_several_threads_are_in_one_profile():
    module = recur.compile(SUMS, profile=True)
    threads = [threading.Thread(target=module, args=(np.ones((1000, 3), np.float32), 1.0)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {row.calls for row in module.profile()} == {4}


def test_without_a_profile_there_are_no_rows(sums):
    sums(np.ones((1, 3), np.float32), 1.0)
    assert sums.profile() == ()
