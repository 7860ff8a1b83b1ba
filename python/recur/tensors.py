# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tensors of a model: their descriptions, the arrays that are given for them, and the outputs of a call."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Iterator

import numpy as np
from numpy.typing import NDArray

from .errors import InputError

_DTYPES = {
    "boolean": "bool", "i8": "int8", "i16": "int16", "i32": "int32", "i64": "int64", "u8": "uint8", "u16": "uint16",
    "u32": "uint32", "u64": "uint64", "f16": "float16", "f32": "float32", "f64": "float64",
}


def _bfloat16() -> np.dtype[Any]:
    """The dtype of the package ml_dtypes, or without it that of the bits."""
    try:
        import ml_dtypes
    except ImportError:
        return np.dtype(np.uint16)
    bfloat16: np.dtype[Any] = np.dtype(ml_dtypes.bfloat16)
    return bfloat16


@dataclass(frozen=True)
class Tensor:
    """An input, output or state of a model."""

    name: str
    element_type: str
    """f32, i64, boolean and so on, as OpenVINO names them."""
    shape: tuple[int | None, ...]
    """The dims; None for one that is dynamic."""

    @cached_property
    def dtype(self) -> np.dtype[Any]:
        """The dtype of its arrays. For bf16 it is that of ml_dtypes; without this package, uint16 holds the bits."""
        return _bfloat16() if self.element_type == "bf16" else np.dtype(_DTYPES[self.element_type])


def describe(tensors: list[tuple[str, str, tuple[int, ...]]]) -> tuple[Tensor, ...]:
    return tuple(
        Tensor(name, kind, tuple(None if dim < 0 else dim for dim in dims)) for name, kind, dims in tensors
    )


_NUMBERS = "biuf"
"""The kinds of numpy that hold booleans and numbers."""


def to_native(value: Any, tensor: Tensor, kind: str = "input") -> Any:
    """What the native code reads for `tensor`: the array itself if it is dense and of its dtype, else a copy.

    Raises TypeError if the value cannot be converted without loss, and InputError for another number of dims. `kind` is
    "input" or "state", for messages.
    """
    array = value if type(value) is np.ndarray else _to_array(value, tensor, kind)
    if not isinstance(array, np.ndarray):  # of another package, which numpy cannot hold
        return array
    if array.dtype != tensor.dtype:
        array = _convert(array, tensor, kind)
    if array.ndim != len(tensor.shape):
        raise InputError(
            f"{kind} '{tensor.name}': expected an array of {_count(len(tensor.shape), 'dim')}, but got one of "
            f"{array.ndim}; change it with .reshape(...)"
        )
    # The dtypes of other packages have the kind V, and the native code reads the bits.
    if array.dtype.kind == "V":
        array = array.view(np.uint16)
    flags = array.flags
    return array if flags.c_contiguous and flags.aligned else np.require(array, requirements=("C", "A"))


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


def _refuse(tensor: Tensor, kind: str, given: str, mend: str) -> TypeError:
    return TypeError(
        f"{kind} '{tensor.name}': expected {tensor.element_type} elements, but got {given}; {mend}"
    )


def _to_array(value: Any, tensor: Tensor, kind: str) -> Any:
    """An array of any dtype with the elements of `value`, which may be numbers in lists, or an array of any package."""
    if isinstance(value, np.ma.MaskedArray):
        if np.ma.is_masked(value):
            given = f"an array in which a mask hides {_count(int(np.ma.getmaskarray(value).sum()), 'element')}"
            raise _refuse(tensor, kind, given, "give them values with .filled(...)")
        return np.asarray(value.data)
    if isinstance(value, np.ndarray):
        return np.asarray(value)
    if isinstance(value, (bool, int, float, np.generic, list, tuple)):
        return _from_numbers(value, tensor, kind)
    if hasattr(value, "__dlpack__"):
        return _from_dlpack(value, tensor, kind)
    is_array = hasattr(value, "__array__") or hasattr(value, "__array_interface__")
    if not is_array and not isinstance(value, (bytearray, memoryview)):
        raise _refuse(tensor, kind, f"a value of type {type(value).__name__}", "give an array or numbers in lists")
    return np.asarray(value)


def _from_dlpack(value: Any, tensor: Tensor, kind: str) -> Any:
    # numpy reads no array that does not say where it is, but the native code does.
    if not hasattr(value, "__dlpack_device__"):
        return value
    device, number = value.__dlpack_device__()
    if int(device) != 1:
        given = f"an array on another device ({int(device)}:{int(number)})"
        raise _refuse(tensor, kind, given, "copy it to the memory of the CPU, such as with .cpu()")
    try:
        return np.from_dlpack(value)
    except (BufferError, RuntimeError, TypeError, ValueError) as error:
        name = str(getattr(value, "dtype", "")).rpartition(".")[2]
        if name == "bfloat16" and tensor.element_type == "bf16" and not getattr(value, "requires_grad", False):
            if len(value.shape) == len(tensor.shape):
                return value
        elif name == "bfloat16" and tensor.element_type in ("f32", "f64") and hasattr(value, "float"):
            # numpy has no bf16, but f32 holds each of its values.
            return _from_dlpack(value.detach().float(), tensor, kind)
        if getattr(value, "requires_grad", False):
            raise _refuse(tensor, kind, "an array that records gradients", "take .detach()") from None
        try:
            return np.asarray(value)
        except (RuntimeError, TypeError, ValueError):
            given = f"an array of {name or 'unknown'} elements that numpy cannot read"
            raise _refuse(tensor, kind, given, "convert it first") from error


def _from_numbers(value: Any, tensor: Tensor, kind: str) -> NDArray[Any]:
    """Numbers in lists. Each value must fit exactly, but a float may be rounded to the type of the input."""

    def check(item: Any) -> None:
        if isinstance(item, (list, tuple)):
            for inner in item:
                check(inner)
        elif isinstance(item, np.ndarray):
            # It is checked as an array is.
            inner_array = _to_array(item, tensor, kind)
            if inner_array.dtype != tensor.dtype:
                _convert(inner_array, tensor, kind)
        elif not isinstance(item.item() if isinstance(item, np.generic) else item, (bool, int, float)):
            name = "None" if item is None else f"a value of type {type(item).__name__}"
            raise _refuse(tensor, kind, name, "give an array or numbers in lists")

    check(value)
    try:
        # All elements stay what they are in an array of objects.
        given = np.array(value, dtype=object)
        if any(isinstance(item, (list, tuple, np.ndarray)) for item in given.flat):
            raise ValueError
    except ValueError:
        raise _refuse(tensor, kind, "lists of different lengths", "give lists of equal lengths") from None
    is_float = tensor.element_type in ("f32", "f64", "f16") or tensor.dtype.kind == "V"

    def fits(item: Any, got: Any) -> bool:
        # Numbers of Python compare exactly. A float is rounded, but a finite one does not become infinite.
        value = float(got) if is_float else got.item()
        rounds = is_float and isinstance(item, (float, np.floating)) and math.isfinite(value)
        return bool(value == item) or rounds or (value != value and item != item)

    array, misfits = None, list(given.flat)
    with np.errstate(all="ignore"):
        try:
            array = given.astype(tensor.dtype)
            misfits = [item for item, got in zip(given.flat, array.flat) if not fits(item, got)]
        except (OverflowError, ValueError):  # a number that the type has not at all
            misfits = [item for item in given.flat if not _is_number_of(item, tensor.dtype)]
    if array is None or misfits:
        raise _refuse(tensor, kind, f"the number {misfits[0]}, which does not fit", "give numbers of that type")
    return array


def _is_number_of(item: Any, dtype: np.dtype[Any]) -> bool:
    try:
        return bool(np.array(item, dtype=object).astype(dtype) == item)
    except (OverflowError, ValueError):
        return False


def _convert(array: NDArray[Any], tensor: Tensor, kind: str) -> NDArray[Any]:
    """The array in the dtype of `tensor`, if numpy says that its dtype fits, and each of its values does."""
    given, wanted = array.dtype, tensor.dtype
    is_bfloat16 = given.kind == "V" and given.name == "bfloat16"
    is_bits = (given.kind, given.itemsize) == ("u", 2)
    if tensor.element_type == "bf16" and (is_bfloat16 or is_bits):
        # Elements of another byte order and strides of a view stay behind.
        return np.ascontiguousarray(array, given.newbyteorder("=")).view(wanted).reshape(array.shape)
    if given.kind in _NUMBERS or is_bfloat16:
        if tensor.element_type == "bf16" and wanted == np.uint16:
            mend = "install the package ml_dtypes, which has the dtype bfloat16, or give the bits as uint16"
            raise _refuse(tensor, kind, f"an array of {given.name}", mend)
        if np.can_cast(given, wanted, "safe"):
            converted = array.astype(wanted)
            # numpy calls i64 to f64 safe, but not all values fit.
            if not (given.kind in "iu" and wanted.kind == "f" and given.itemsize >= wanted.itemsize) or bool(
                (converted.astype(object) == array.astype(object)).all()
            ):
                return converted
    elif given.kind == "O":
        raise _refuse(tensor, kind, "an array of Python objects", f'convert it with .astype("{wanted.name}")')
    raise _refuse(tensor, kind, f"an array of {given.name}", f'convert it with .astype("{wanted.name}")')


def from_native(array: NDArray[Any], tensor: Tensor) -> NDArray[Any]:
    return array.view(tensor.dtype) if tensor.element_type == "bf16" else array


class Outputs(Sequence[NDArray[Any]]):
    """The outputs of a call: a sequence in the order of the model, and a mapping from their names.

    `outputs[0]`, `outputs["Y"]`, `y, h = outputs` and `dict(outputs.items())` all work.
    """

    def __init__(self, tensors: tuple[Tensor, ...], arrays: list[NDArray[Any]]) -> None:
        self._tensors = tensors
        self._arrays = tuple(from_native(array, tensor) for array, tensor in zip(arrays, tensors))

    def __len__(self) -> int:
        return len(self._arrays)

    def __iter__(self) -> Iterator[NDArray[Any]]:
        return iter(self._arrays)

    def __getitem__(self, key: Any) -> Any:
        return self._arrays[index_of(self._tensors, key, "output") if isinstance(key, str) else key]

    def keys(self) -> tuple[str, ...]:
        return tuple(tensor.name for tensor in self._tensors)

    def values(self) -> tuple[NDArray[Any], ...]:
        return self._arrays

    def items(self) -> tuple[tuple[str, NDArray[Any]], ...]:
        return tuple(zip(self.keys(), self._arrays))

    def __repr__(self) -> str:
        parts = (f"{name}: {array.dtype}{list(array.shape)}" for name, array in self.items())
        return f"Outputs({', '.join(parts)})"


def index_of(tensors: tuple[Tensor, ...], key: int | str, kind: str) -> int:
    """The index of a tensor by name or by number. KeyError or IndexError if there is none."""
    if isinstance(key, str):
        for index, tensor in enumerate(tensors):
            if tensor.name == key:
                return index
        names = ", ".join(f"'{tensor.name}'" for tensor in tensors) or "none"
        raise KeyError(f"the model has no {kind} '{key}'; it has {names}")
    if not -len(tensors) <= key < len(tensors):
        raise IndexError(f"the model has no {kind} {key}; it has {len(tensors)}")
    return key % len(tensors)
