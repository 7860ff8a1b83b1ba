# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models with states."""

import pickle

import numpy as np
import pytest

import recur

# The running sums of x over time.
RUNNING = b"""
func.func @main(%x: tensor<3x2xf32> {ov.name = "x"}) -> (tensor<3x2xf32> {ov.name = "all"}) {
  %zero = ov.constant dense<0.0> : tensor<1x2xf32>
  %last, %all = ov.tensor_iterator slices(%a = %x along 0 [0:-1:1] part 1 : tensor<3x2xf32> to tensor<1x2xf32>)
      carried(%s = %zero : tensor<1x2xf32>) concats(along 0 : tensor<3x2xf32>) {
    %n = ov.add %s, %a : (tensor<1x2xf32>, tensor<1x2xf32>) -> tensor<1x2xf32>
    ov.yield next(%n : tensor<1x2xf32>) concat(%n : tensor<1x2xf32>)
  }
  return %all : tensor<3x2xf32>
}
"""

ONE = np.float32([[1, 2]])


def test_states_last_from_call_to_call(accumulator):
    assert [tensor.name for tensor in accumulator.state.tensors] == ["sum"] == list(accumulator.state)
    assert accumulator.state["sum"] is None
    assert accumulator(ONE)[0].tolist() == [[11, 12]]
    assert accumulator(ONE)[0].tolist() == [[12, 14]]
    assert accumulator.state["sum"].tolist() == [[12, 14]]


def test_states_can_be_set_and_reset(accumulator):
    accumulator.state["sum"] = [[100, 200]]
    assert accumulator(ONE)[0].tolist() == [[101, 202]]
    accumulator.state["sum"] = None
    assert accumulator(ONE)[0].tolist() == [[11, 12]]
    accumulator.state.reset()
    assert dict(accumulator.state) == {"sum": None}
    with pytest.raises(KeyError, match="the model has no state 'h'; it has 'sum'"):
        accumulator.state["h"]
    with pytest.raises(recur.CallError) as caught:
        accumulator.state["sum"] = np.zeros((2, 2), np.float32)
    assert caught.value.status is recur.Status.SHAPE


def test_what_is_read_is_a_copy(accumulator):
    accumulator(ONE)
    value = accumulator.state["sum"]
    accumulator(ONE)
    assert value.tolist() == [[11, 12]]


def test_instances_have_states_of_their_own(accumulator):
    other = accumulator.instance()
    accumulator(ONE)
    assert other.state["sum"] is None
    assert other(ONE)[0].tolist() == [[11, 12]]


def test_states_travel_with_a_module(accumulator):
    accumulator(ONE)
    copy = pickle.loads(pickle.dumps(accumulator))
    assert copy(ONE)[0].tolist() == [[12, 14]] == accumulator(ONE)[0].tolist()
    assert pickle.loads(pickle.dumps(accumulator.instance())).state["sum"] is None


def expect_steps(module):
    assert module.entry == "step" and module.inputs[0].shape == (1, 2) and len(module.state) == 1
    assert [module(ONE)["all"].tolist() for _ in range(3)] == [[[1, 2]], [[2, 4]], [[3, 6]]]
    copy = pickle.loads(pickle.dumps(module))
    assert copy.entry == "step" and copy(ONE)["all"].tolist() == [[4, 8]]
    module.state.reset()
    assert module(ONE)["all"].tolist() == [[1, 2]]


def test_one_time_step(tmp_path):
    expect_steps(recur.compile(RUNNING, entry="step"))
    recur.aot(RUNNING, tmp_path / "step.so", entry="step")
    expect_steps(recur.load(tmp_path / "step.so"))
    with pytest.raises(recur.CompileError, match="to have the function step_run, but it has step_step alone"):
        recur.load(tmp_path / "step.so", entry="run")

    # A library of both entries.
    recur.aot(RUNNING, tmp_path / "both.so", entry="run,step")
    expect_steps(recur.load(tmp_path / "both.so", entry="step"))
    run = recur.load(tmp_path / "both.so")
    assert run.entry == "run" and not run.state
    assert run(np.ones((3, 2), np.float32))["all"].tolist() == [[1, 1], [2, 2], [3, 3]]
    for call in (recur.compile, lambda model, entry: recur.load(tmp_path / "both.so", entry=entry)):
        with pytest.raises(recur.CompileError, match="expected an entry of 'run' or 'step', but got 'walk'"):
            call(RUNNING, entry="walk")
