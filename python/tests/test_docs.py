# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The commands of pages that need Python packages print what the pages show."""

import subprocess
import sys
from pathlib import Path

import pytest
from conftest import ROOT


@pytest.mark.parametrize("page", ["docs/Python.md", "docs/tutorials/ONNX.md", "examples/batch/README.md"])
def test_commands(page, pytestconfig):
    """The tools are those of the build; python and ovc are those of this environment."""
    folders = [Path(sys.executable).parent, pytestconfig.getoption("--tools")]
    command = [sys.executable, ROOT / "scripts/check_docs.py", *(f"--path={folder}" for folder in folders), ROOT / page]
    result = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
