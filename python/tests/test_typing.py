# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The types of the package."""

import ast
import subprocess
import sys
from pathlib import Path

from recur import _recur

PROGRAM = """
import numpy as np
import recur

module = recur.compile("model.xml", shapes={"x": [1, None]}, threads=2, progress=lambda step, done, steps: done < 9)
outputs = module(np.ones((1, 2), np.float32), h=[1.0])
reveal_type(module.inputs[0].shape)
reveal_type(module.state["h"])
reveal_type(recur.load("speech.so"))
reveal_type(module.remarks[0].line)
module.nonsense
"""


def mypy(*arguments, cwd):
    command = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(cwd / "cache"), *arguments]
    return subprocess.run(command, capture_output=True, text=True, cwd=cwd)


def test_the_package_is_typed(tmp_path):
    done = mypy("-p", "recur", cwd=tmp_path)
    assert (done.returncode, done.stdout.splitlines()[-1][:7]) == (0, "Success"), done.stdout


def test_programs_see_the_types(tmp_path):
    (tmp_path / "program.py").write_text(PROGRAM)
    done = mypy("program.py", cwd=tmp_path)
    assert done.returncode == 1
    # Whether names are quoted differs between versions of mypy.
    output = done.stdout.replace('"', "").splitlines()
    lines = [line.split(": ", 1)[1] for line in output if line.startswith("program.py:")]
    assert lines[:5] == [
        "note: Revealed type is tuple[int | None, ...]",
        "note: Revealed type is numpy.ndarray[tuple[Any, ...], numpy.dtype[Any]] | None",
        "note: Revealed type is recur.module.Module",
        "note: Revealed type is int",
        "error: Module has no attribute nonsense  [attr-defined]",
    ]


def test_the_native_part_has_the_names_of_its_stub():
    stub = ast.parse(Path(_recur.__file__).with_name("_recur.pyi").read_text())

    def public(thing):
        return {name for name in vars(thing) if not name.startswith("_")}

    for node in stub.body:
        if isinstance(node, ast.ClassDef):
            names = {item.name for item in node.body if isinstance(item, ast.FunctionDef)} - {"__init__"}
            assert names == public(getattr(_recur, node.name))
    names = {node.name for node in stub.body if isinstance(node, (ast.ClassDef, ast.FunctionDef))}
    assert names == public(_recur)
