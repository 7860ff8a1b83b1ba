# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Limits of a call, and calls that are ended before they have a result."""

import ctypes
import functools
import operator
import os
import pickle
import signal
import sys
import threading
import time

import numpy as np
import pytest

import recur

# y = the sum of n times x, and z = the places of what is not zero in x.
LOOP = b"""
func.func @main(%n: tensor<i64> {ov.name = "n"}, %x: tensor<4xf32> {ov.name = "x"})
    -> (tensor<4xf32> {ov.name = "y"}, tensor<1x?xi64> {ov.name = "z"}) {
  %true = ov.constant dense<true> : tensor<i1>
  %zero = ov.constant dense<0.0> : tensor<4xf32>
  %y = ov.loop trip(%n : tensor<i64>) while(%true : tensor<i1>) carried(%s = %zero : tensor<4xf32>) {
    %t = ov.add %s, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    ov.yield while(%true : tensor<i1>) next(%t : tensor<4xf32>)
  }
  %z = ov.non_zero %x {output_type = i64} : (tensor<4xf32>) -> tensor<1x?xi64>
  return %y, %z : tensor<4xf32>, tensor<1x?xi64>
}
"""
X = np.float32([1, 2, 0, 3])
# Without an end, the call takes some ten seconds, and the test fails.
LONG = 10**10


@pytest.fixture(scope="module")
def loop():
    return recur.compile(LOOP)


def expect_status(status, module, *args):
    with pytest.raises(recur.CallError) as caught:
        module(*args)
    assert caught.value.status is status


def test_limits(loop, tmp_path):
    module = recur.compile(LOOP, max_iterations=3, max_bytes=24)
    assert module(3, X)["y"].tolist() == [3, 6, 0, 9]
    expect_status(recur.Status.ITER_LIMIT, module, 4, X)
    module.max_iterations = None
    assert module(4, X)["z"].tolist() == [[0, 1, 3]]
    module.max_bytes = 23
    expect_status(recur.Status.MEM_LIMIT, module, 4, X)

    # The limits belong to a module and go where it goes.
    module.max_iterations = 5
    for copy in (module.instance(), pickle.loads(pickle.dumps(module))):
        assert copy.max_iterations == 5 and copy.max_bytes == 23
        expect_status(recur.Status.MEM_LIMIT, copy, 4, X)
    assert loop.max_iterations is None and loop(100, X)["y"][0] == 100
    expect_status(recur.Status.ITER_LIMIT, recur.from_bytes(module.to_bytes(), max_iterations=2), 3, X)
    recur.aot(LOOP, tmp_path / "loop.so")
    expect_status(recur.Status.ITER_LIMIT, recur.load(tmp_path / "loop.so", max_iterations=2), 3, X)

    for limit in (0, -1):
        with pytest.raises(ValueError, match=f"expected max_iterations to be at least 1, or None, but got {limit}"):
            module.max_iterations = limit
    with pytest.raises(ValueError, match="expected max_bytes to be at least 1"):
        recur.compile(LOOP, max_bytes=0)


def send_signal_soon():
    timer = threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    return timer


def test_a_nan_ends_a_call(loop, tmp_path):
    values = np.float32([1, np.nan, np.inf, 3])
    assert np.isnan(loop(2, values)["y"][1])
    with pytest.raises(recur.CallError, match="'x': a NaN in the input") as caught:
        recur.compile(LOOP, check_nan=True)(2, values)
    assert caught.value.status is recur.Status.NAN
    recur.aot(LOOP, tmp_path / "loop.so", check_nan=True)
    expect_status(recur.Status.NAN, recur.load(tmp_path / "loop.so"), 2, values)
    assert recur.compile(LOOP, check_nan=True)(2, X)["y"].tolist() == loop(2, X)["y"].tolist()


def test_ctrl_c_ends_a_call(loop, ctrl_c):
    timer = send_signal_soon()
    with pytest.raises(KeyboardInterrupt):
        loop(LONG, X)
    timer.join()
    # The module can be called again, and Python has its handler of signals back.
    assert loop(2, X)["y"].tolist() == [2, 4, 0, 6]
    timer = send_signal_soon()
    with pytest.raises(KeyboardInterrupt):
        time.sleep(10)
    timer.join()


def test_ctrl_c_at_the_entry_of_a_call_ends_it(loop, ctrl_c):
    send = functools.partial(ctypes.CDLL(None)["raise"], signal.SIGINT)
    steps = map(operator.methodcaller("__call__"), [send, X.__dlpack__])

    class Signalling:
        """The array X. A signal comes when a call reads it; no code of Python, which would see it, runs after that."""

        # Gives the result of the last step.
        __dlpack__ = staticmethod(functools.partial(functools.reduce, {}.setdefault, steps))

    start = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        loop(LONG, Signalling())
    # The call has ended, and not run to its end before the signal was seen.
    assert time.monotonic() - start < 3
    assert loop(2, X)["y"].tolist() == [2, 4, 0, 6]


def test_what_a_handler_sets_stays(loop, monkeypatch):
    # Python would complain here about a signal that it gets, but ignores.
    problems = []
    monkeypatch.setattr(sys, "unraisablehook", problems.append)

    def ignore(*_):
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        threading.Timer(0.2, loop.cancel).start()

    previous = signal.signal(signal.SIGINT, ignore)
    timer = send_signal_soon()
    try:
        expect_status(recur.Status.CANCELLED, loop, LONG, X)
        timer.join()
        signal.raise_signal(signal.SIGINT)
    finally:
        signal.signal(signal.SIGINT, previous)
    assert not problems


def test_a_signal_that_raises_nothing_ends_no_call(loop):
    seen = []

    def note(*_):
        # A handler may call the module, too. The call that the signal has stopped begins again, until it is cancelled.
        seen.append(loop(1, X)["y"].tolist())
        threading.Timer(0.2, loop.cancel).start()

    previous = signal.signal(signal.SIGINT, note)
    timer = send_signal_soon()
    try:
        expect_status(recur.Status.CANCELLED, loop, LONG, X)
    finally:
        signal.signal(signal.SIGINT, previous)
        timer.join()
    assert seen == [[1, 2, 0, 3]]


def test_another_thread_ends_calls(loop):
    problems = []

    def call():
        try:
            expect_status(recur.Status.CANCELLED, loop, LONG, X)
        except BaseException as error:
            problems.append(error)

    threads = [threading.Thread(target=call) for _ in range(2)]
    for thread in threads:
        thread.start()
    # A call that has not begun is not ended.
    end = time.monotonic() + 60
    while any(thread.is_alive() for thread in threads) and time.monotonic() < end:
        loop.cancel()
        time.sleep(0.05)
    for thread in threads:
        thread.join(timeout=1)
    assert not problems and not any(thread.is_alive() for thread in threads)
    loop.cancel()
    assert loop(1, X)["y"].tolist() == [1, 2, 0, 3]
