# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where a model comes from. OpenVINO converts what Recur does not read itself."""

from __future__ import annotations

import os
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

# What Recur reads itself, or is no model and what Recur says so of. OpenVINO's converter has the other formats, such as
# .onnx.
_OWN_SUFFIXES = {".xml", ".mlir", ".mlirbc", "", ".bin", ".npy", ".npz", ".o", ".so", ".a"}


@dataclass
class Source:
    """A model as a file, or as text and weights in memory."""

    path: str
    weights_path: str = ""
    text: bytes | None = None
    weights: bytes | None = None


def _openvino(what: str) -> Any:
    try:
        import openvino  # type: ignore[import-untyped, unused-ignore]
    except ImportError as error:
        raise ImportError(f"{what} needs the package openvino, which converts it: pip install openvino") from error
    return openvino


def _from_openvino(openvino: Any, model: Any) -> Source:
    """The IR of an openvino.Model. OpenVINO writes it to files only."""
    with tempfile.TemporaryDirectory(prefix="recur") as folder:
        xml = Path(folder, "model.xml")
        openvino.serialize(model, xml, xml.with_suffix(".bin"))
        name = model.get_friendly_name() or "model"
        return Source(f"{name}.xml", text=xml.read_bytes(), weights=xml.with_suffix(".bin").read_bytes())


def _convert(model: Any, what: str, example_input: Any) -> Source:
    openvino = _openvino(what)
    options = {} if example_input is None else {"example_input": example_input}
    return _from_openvino(openvino, openvino.convert_model(model, **options))


def make_source(model: Any, weights: Any, example_input: Any) -> Source:
    """Finds out what `model` is; `recur.compile` says what it may be."""
    if isinstance(model, (bytes, bytearray, memoryview)):
        return Source("model.xml", text=bytes(model), weights=b"" if weights is None else bytes(weights))
    if isinstance(model, (str, os.PathLike)):
        path = os.fspath(model)
        if Path(path).suffix.lower() in _OWN_SUFFIXES:
            return Source(path, "" if weights is None else os.fspath(weights))
        if not Path(path).exists():
            raise FileNotFoundError(f"no such file: '{path}'")
        source = _convert(path, f"'{path}'", example_input)
    elif type(model).__module__.split(".")[0] == "openvino":
        openvino = _openvino("an openvino.Model")
        if not isinstance(model, openvino.Model):
            raise TypeError(f"expected an openvino.Model, but got an openvino.{type(model).__name__}")
        source = _from_openvino(openvino, model)
    elif model is None or isinstance(model, (int, float, list, tuple, dict)):
        raise TypeError(f"expected a path, bytes, an openvino.Model or a model of a framework, but got {type(model)}")
    else:
        kind = f"{type(model).__module__}.{type(model).__qualname__}"
        source = _convert(model, f"a model of type {kind}", example_input)
    if weights is not None:
        raise TypeError("expected no weights beside a model that has them")
    return source
