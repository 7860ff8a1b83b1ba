# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tensors of a model: their descriptions, the arrays that are given for them, and the outputs of a call."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Iterator

import numpy as np
from numpy.typing import NDArray

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

    @property
    def dtype(self) -> np.dtype[Any]:
        """The dtype of its arrays. For bf16 it is that of ml_dtypes; without this package, uint16 holds the bits."""
        return _bfloat16() if self.element_type == "bf16" else np.dtype(_DTYPES[self.element_type])


def describe(tensors: list[tuple[str, str, tuple[int, ...]]]) -> tuple[Tensor, ...]:
    return tuple(
        Tensor(name, kind, tuple(None if dim < 0 else dim for dim in dims)) for name, kind, dims in tensors
    )


def to_native(value: Any, tensor: Tensor) -> Any:
    """What the native code reads for `tensor`: the array itself if it is dense, an array of its dtype for numbers."""
    if not isinstance(value, np.ndarray):
        if hasattr(value, "__dlpack__"):
            return value
        value = np.asarray(value, dtype=tensor.dtype)
    # The dtypes of other packages have the kind V; their names take long to ask for.
    if value.dtype.kind == "V" and value.dtype.name == "bfloat16":
        if tensor.element_type != "bf16":
            raise TypeError(f"expected {tensor.element_type} elements for '{tensor.name}', but got bf16")
        value = value.view(np.uint16)
    flags = value.flags
    return value if flags.c_contiguous and flags.aligned else np.require(value, requirements=("C", "A"))


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
