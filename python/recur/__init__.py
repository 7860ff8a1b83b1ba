# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles OpenVINO models that loop to native code without a runtime.

    import recur

    module = recur.compile("model.xml")
    y, h = module(x, h0)                    # by position, or by name: module(x=x, h=h0)
    recur.aot("model.xml", "speech.o", header="speech.h")
    speech = recur.load("speech.so")

docs/Python.md of the project describes all of it.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from . import _recur
from ._recur import __version__
from .errors import CallError, CompileError, CompileWarning, Error, InputError, Status
from .module import Module, ProfileRow, Remark, State, from_bytes
from .progress import Callback, show_progress
from .sources import make_source
from .tensors import Outputs, Tensor

__all__ = [
    "CallError",
    "CompileError",
    "CompileWarning",
    "Error",
    "InputError",
    "Module",
    "Outputs",
    "ProfileRow",
    "Remark",
    "State",
    "Status",
    "Tensor",
    "__version__",
    "aot",
    "compile",
    "from_bytes",
    "load",
]

Shapes = Mapping[str, Sequence["int | None"]]


def _request(
    model: Any,
    weights: Any,
    example_input: Any,
    name: str | None,
    entry: str,
    shapes: Shapes | None,
    cpu: str | None,
    features: str | None,
    targets: Sequence[str],
    triple: str | None,
    level: int,
    precision: str,
    weights_precision: str,
    check_nan: bool,
    profile: bool,
    debug_info: bool,
    cache_dir: str | os.PathLike[str] | None,
    progress: Callback | None,
    remarks: list[Remark] | None = None,
    remark_filter: str = "all",
) -> _recur.Request:
    source = make_source(model, weights, example_input)

    def keep(*fields: Any) -> None:
        assert remarks is not None
        remarks.append(Remark(*fields))

    texts = [
        f"{key}=[{','.join('?' if dim is None or dim < 0 else str(dim) for dim in dims)}]"
        for key, dims in (shapes or {}).items()
    ]
    return _recur.Request(
        path=source.path,
        weights_path=source.weights_path,
        text=source.text,
        weights=source.weights,
        name=name or "",
        entry=entry,
        shapes=texts,
        cpu=cpu or "",
        features=features or "",
        targets=list(targets),
        triple=triple or "",
        level=level,
        precision=precision,
        weights_precision=weights_precision,
        check_nan=check_nan,
        profile=profile,
        debug_info=debug_info,
        cache_dir="" if cache_dir is None else os.fspath(cache_dir),
        progress=progress,
        report=lambda text: warnings.warn(text.rstrip(), CompileWarning, stacklevel=4),
        remark=None if remarks is None else keep,
        remark_filter=remark_filter,
    )


def _title(model: Any) -> str:
    return Path(os.fspath(model)).name if isinstance(model, (str, os.PathLike)) else "recur"


def compile(
    model: Any,
    *,
    weights: Any = None,
    example_input: Any = None,
    name: str | None = None,
    entry: str = "run",
    shapes: Shapes | None = None,
    cpu: str | None = None,
    features: str | None = None,
    level: int = 3,
    precision: str = "f32",
    weights_precision: str = "f32",
    check_nan: bool = False,
    profile: bool = False,
    remarks: bool | str = False,
    cache_dir: str | os.PathLike[str] | None = None,
    threads: int = 1,
    max_iterations: int | None = None,
    max_bytes: int | None = None,
    progress: bool | Callback | None = None,
) -> Module:
    """Compiles a model into this process.

    Args:
        model: The path of an OpenVINO IR (.xml) or of Recur's text (.mlir); the bytes of one; an openvino.Model. With
            the package openvino also what `openvino.convert_model` takes: the path of an .onnx, a torch module, ...
        weights: The path of the weights file if it is not beside the model; their bytes if the model is bytes.
        example_input: Inputs for tracing a torch module, as `openvino.convert_model` takes them.
        name: The name of the model, a C identifier.
        entry: What a call computes: "run" (all time steps of the inputs) or "step" (one time step; `module.state` keeps
            what the loops over time carry).
        shapes: Dims of inputs that are dynamic in the model: `{"x": [1, None, 40]}`. None stays dynamic.
        cpu: The CPU to compile for, such as "x86-64-v3". None: this machine's, with all its features.
        features: CPU features to add or remove, such as "+avx512f,-fma".
        level: The optimization level of the code generator, 0 to 3.
        precision: What the operands of products of f32 are rounded to: "f32" (nothing) or "bf16".
        weights_precision: What weights of f32 are rounded to: "f32" (nothing), "bf16" or "int8".
        check_nan: End a call with Status.NAN as soon as an input or the result of a layer has a NaN.
        profile: Measure the time of each layer in the calls (`module.profile()`).
        remarks: Keep what the passes decide about each layer (`module.remarks`). A text says which of it: "passed",
            "missed", "analysis", or a regular expression of passes. The model is compiled even if `cache_dir` has it.
        cache_dir: A folder in which compiled models are kept for the next time. A model that was compiled before by
            this package, with these arguments and for this CPU, is taken from there. It is code: whoever can write to
            the folder can run code in this process. Its files may be deleted at any time.
        threads: The threads that a call may use, with the one that calls.
        max_iterations: The most iterations of each loop in a call. It can be changed later: `module.max_iterations`.
        max_bytes: The most bytes that a call takes for outputs and buffers whose sizes only the computation decides.
        progress: Called with the name of each step, the number of steps before it, and that of all steps, and at last
            with "done"; False ends the compilation.
            None shows a line on standard error if that is a terminal and it takes long, True always, False never.

    Raises CompileError with the diagnostics, which name file, line and column. Warnings are CompileWarning.
    """
    kept: list[Remark] | None = None if remarks is False else []
    with show_progress(progress, _title(model)) as callback:
        request = _request(
            model, weights, example_input, name, entry, shapes, cpu, features, (), None, level, precision,
            weights_precision, check_nan, profile, False, cache_dir, callback, kept,
            remarks if isinstance(remarks, str) else "all",
        )
        return Module(request.compile(threads), max_iterations, max_bytes, tuple(kept or ()))


_KINDS = {".o": "object", ".a": "static_library", ".so": "shared_library"}


def aot(
    model: Any,
    path: str | os.PathLike[str],
    *,
    header: str | os.PathLike[str] | None = None,
    kind: str | None = None,
    weights: Any = None,
    example_input: Any = None,
    name: str | None = None,
    entry: str = "run",
    shapes: Shapes | None = None,
    cpu: str | None = None,
    features: str | None = None,
    targets: Sequence[str] = (),
    triple: str | None = None,
    level: int = 3,
    precision: str = "f32",
    weights_precision: str = "f32",
    check_nan: bool = False,
    profile: bool = False,
    debug_info: bool = False,
    progress: bool | Callback | None = None,
) -> None:
    """Compiles a model to an object (.o), a static (.a) or a shared library (.so, which $CC or cc links).

    `header` is the file for its C header, `kind` is "object", "static_library" or "shared_library" if the suffix of
    `path` does not tell. `name` is the prefix of its functions; None: the name of the file. `entry` may also be
    "run,step", for the functions of both. `targets` are the CPUs that it has code for, of which a program takes the
    best; without them, and without `cpu` and `features`, they are x86-64-v2, x86-64-v3 and x86-64-v4. `cpu` is the only
    one; "native" is this machine's. `triple` is the target if it is another machine. `debug_info` adds the lines of
    the layers, for debuggers and profilers. `profile` needs one entry and one CPU, which is x86-64-v3 by default. The
    other arguments are those of `compile`. A file is written whole or not at all.
    """
    target = Path(path)
    kind = kind or _KINDS.get(target.suffix, "")
    if kind not in _KINDS.values():
        kinds = ", ".join(_KINDS.values())
        raise ValueError(f"expected a path that ends in .o, .a or .so, or a kind ({kinds}), but got '{path}'")
    with show_progress(progress, _title(model)) as callback:
        request = _request(
            model, weights, example_input, name, entry, shapes, cpu, features, targets, triple, level, precision,
            weights_precision, check_nan, profile, debug_info, None, callback,
        )
        request.aot(kind, str(target), "" if header is None else os.fspath(header))


def load(
    path: str | os.PathLike[str],
    *,
    entry: str | None = None,
    threads: int = 1,
    max_iterations: int | None = None,
    max_bytes: int | None = None,
) -> Module:
    """Loads a shared library of one model, which `aot` or `ir-compile --emit=shared` made. It runs code of the file.

    `entry` says what a call computes. None: "run" if the library has it, and otherwise "step". The other arguments are
    those of `compile`.
    """
    return Module(_recur.load(os.fspath(path), entry or "", threads), max_iterations, max_bytes)
