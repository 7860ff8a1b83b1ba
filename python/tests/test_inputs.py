# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a module takes for an input, and what it refuses: all element types against values of all kinds."""

import fractions
import random

import ml_dtypes
import numpy as np
import pytest
from conftest import ROOT

import recur

TYPES = {
    "boolean": "bool", "i8": "int8", "i16": "int16", "i32": "int32", "i64": "int64", "u8": "uint8", "u16": "uint16",
    "u32": "uint32", "u64": "uint64", "f16": "float16", "f32": "float32", "f64": "float64", "bf16": "bfloat16",
}
ELEMENTS = {"boolean": "i1"} | {f"u{n}": f"ui{n}" for n in (8, 16, 32, 64)}


class Frame:
    """A table of another package, such as a DataFrame: numpy makes an array of it."""

    def __init__(self, values):
        self._values = np.array(values)

    def __array__(self, dtype=None, copy=None):
        return self._values if dtype is None else self._values.astype(dtype)


def make_dtype(name):
    return np.dtype(ml_dtypes.bfloat16 if name == "bf16" else TYPES[name])


@pytest.fixture(scope="module")
def identities():
    """By element type: a model that returns its input, a vector."""
    modules = {}
    for name in TYPES:
        tensor = f"tensor<?x{ELEMENTS.get(name, name)}>"
        text = f"""
            func.func @main(%x: {tensor} {{ov.name = "x"}}) -> ({tensor} {{ov.name = "y"}}) {{
              return %x : {tensor}
            }}"""
        modules[name] = recur.compile(text.encode())
    return modules


def give(module, value):
    return module(value)["y"]


def test_arrays_of_all_types_for_all_types(identities):
    pick = random.Random(7)
    for wanted, module in identities.items():
        for given in TYPES:
            dtype = make_dtype(given)
            small = np.array([0, 1, 1], dtype)
            if given != wanted and not (wanted == "bf16" and given == "u16"):
                # Not all values of the type fit if numpy says so.
                if not np.can_cast(dtype, make_dtype(wanted), "safe"):
                    with pytest.raises(TypeError) as caught:
                        give(module, small)
                    for word in ("input 'x'", f"expected {wanted} elements", f"an array of {dtype.name}", ".astype("):
                        assert word in str(caught.value)
                    continue
            if wanted == "bf16" and given == "u16":
                assert give(module, small).view(np.uint16).tolist() == [0, 1, 1]
                continue
            values = small if pick.random() < 0.5 else small[::-1]
            got = give(module, values)
            assert got.dtype == make_dtype(wanted) and got.tolist() == values.astype(got.dtype).tolist()


def test_all_values_of_a_safe_type_stay(identities):
    assert give(identities["f64"], np.array([2**53, -3]))[0] == 2**53
    with pytest.raises(TypeError, match="input 'x': expected f64 elements, but got an array of int64"):
        give(identities["f64"], np.array([2**53 + 1]))
    big_endian = np.array([1, -2], ">i4")
    assert give(identities["i32"], big_endian).tolist() == [1, -2]
    assert give(identities["i64"], big_endian[::-1]).tolist() == [-2, 1]
    assert give(identities["bf16"], np.array([0x3F80], ">u2")).view(np.uint16).tolist() == [0x3F80]


def test_numbers_that_fit(identities):
    assert give(identities["i64"], [1, 2.0, True]).tolist() == [1, 2, 1]
    assert give(identities["u8"], (255, 0)).tolist() == [255, 0]
    assert give(identities["u64"], [2**64 - 1]).tolist() == [2**64 - 1]
    assert give(identities["f32"], [0.1, 3, float("inf"), -0.0]).tolist() == [np.float32(0.1), 3, np.inf, 0]
    assert np.isnan(give(identities["f16"], [float("nan")])).all()
    assert give(identities["boolean"], [True, 0, 1.0]).tolist() == [True, False, True]
    assert give(identities["f32"], [np.float64(0.5), np.int8(3), np.bool_(1)]).tolist() == [0.5, 3, 1]
    assert give(identities["f32"], []).tolist() == []
    assert give(identities["bf16"], [1, 0.1]).dtype == ml_dtypes.bfloat16
    assert recur.compile(SCALAR)(2.5)[0] == 2.5


SCALAR = b"""
    func.func @main(%x: tensor<f32> {ov.name = "x"}) -> (tensor<f32> {ov.name = "y"}) {
      return %x : tensor<f32>
    }"""


@pytest.mark.parametrize(
    ("wanted", "value"),
    [
        ("i64", [1.7]), ("i64", [2**63]), ("i64", [float("nan")]), ("i64", [float("inf")]), ("u8", [-1]), ("u8", [256]),
        ("i8", [128]), ("boolean", [2]), ("f32", [2**24 + 1]), ("f32", [1e39]), ("f16", [70000]), ("f16", [1e5]),
        ("bf16", [257]), ("f64", [2**53 + 1]), ("f64", [10**400]), ("f32", None), ("f32", [None]), ("f32", "1"),
        ("f32", ["1"]), ("i64", ["1"]), ("f32", b"abcd"), ("f32", [b"1"]), ("f32", [1j]), ("f32", {1, 2}),
        ("f32", object()), ("f32", [[1, 2], [3]]), ("f32", [1, [2]]), ("f32", [fractions.Fraction(1, 2)]),
        ("f32", [np.zeros(2)]), ("f32", np.array([1, None], object)), ("f32", np.array(["1"])),
        ("f32", np.array([b"1"])),
        ("i64", np.array(["2020-01-01"], "M8[D]")), ("i64", np.array([1], "m8[s]")), ("f32", np.zeros(2, "f4,f4")),
        ("f32", np.ma.masked_array(np.zeros(2, "f4"), [0, 1])), ("f32", Frame([1.0, 2.0])),
        ("f32", Frame(["a"])), ("f32", range(3)), ("f32", [np.datetime64("2020-01-01")]),
    ],
)
def test_refused(identities, wanted, value):
    module = identities[wanted]
    with pytest.raises(TypeError) as caught:
        give(module, value)
    text = str(caught.value)
    assert text.startswith(f"input 'x': expected {wanted} elements, but got ") and "; " in text
    assert "incompatible" not in text and "nanobind" not in text


def test_taken(identities):
    assert give(identities["f64"], Frame([1.0, 2.0])).tolist() == [1, 2]
    assert give(identities["f32"], np.ma.masked_array(np.ones(2, "f4"), [0, 0])).tolist() == [1, 1]
    assert give(identities["u8"], bytearray(b"ab")).tolist() == [97, 98]
    assert give(identities["f32"], memoryview(np.ones(2, "f4"))).tolist() == [1, 1]
    frozen = np.arange(4, dtype="f4")
    frozen.flags.writeable = False
    assert give(identities["f32"], frozen[::-1]).tolist() == [3, 2, 1, 0]


class OnDevice:
    """An array in the memory of a GPU."""

    def __dlpack_device__(self):
        return (2, 0)

    def __dlpack__(self, **options):
        raise AssertionError("the array is not read")


def test_other_devices(identities):
    message = "input 'x': expected f32 elements, but got an array on another device .2:0.; copy"
    with pytest.raises(TypeError, match=message):
        give(identities["f32"], OnDevice())


def test_states_have_the_same_rules():
    module = recur.compile(ROOT / "examples" / "guide" / "model.xml")
    module.state["average"] = [[1, 2.5]]
    assert module.state["average"].tolist() == [[1, 2.5]]
    with pytest.raises(TypeError, match="state 'average': expected f32 elements, but got an array of float64; convert"):
        module.state["average"] = np.zeros((1, 2))
    with pytest.raises(recur.InputError, match="state 'average': expected an array of 2 dims, but got one of 1"):
        module.state["average"] = np.zeros(2, "f4")
    assert module.state["average"].tolist() == [[1, 2.5]]
