# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models with states."""

import pickle

import numpy as np
import pytest

import recur

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
