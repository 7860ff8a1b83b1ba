# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A locale with a decimal comma, which a program sets, changes no result, no text and no byte of an object."""

import os
import subprocess
import sys
import textwrap

import pytest

PROGRAM = """
    import hashlib
    import locale
    import sys

    import numpy as np

    import recur

    folder, name, comma = sys.argv[1:]
    locale.setlocale(locale.LC_ALL, name)
    assert locale.localeconv()["decimal_point"] == comma
    x, h, c = (np.load(f"{folder}/in_{i}.npy") for i in range(3))
    module = recur.compile(f"{folder}/model.xml")
    print(module.inputs, module.outputs)
    for output in module(x, h, c):
        print(output.tobytes().hex()[:64], hashlib.sha256(output.tobytes()).hexdigest())
    print(hashlib.sha256(module.to_bytes()).hexdigest())
    recur.aot(f"{folder}/model.xml", "model.o", header="model.h", name="model")
    for path in ("model.o", "model.h"):
        print(hashlib.sha256(open(path, "rb").read()).hexdigest())

    clamp = '''
        func.func @main(%x: tensor<4xf32> {{ov.name = "x"}}) -> (tensor<4xf32> {{ov.name = "y"}}) {{
          %y = ov.clamp %x {{min = {least} : f64, max = 1.25 : f64}} : tensor<4xf32>
          return %y : tensor<4xf32>
        }}'''
    print(recur.compile(clamp.format(least="0.5").encode())(np.float32([0, 0.75, 1, 2]))[0])
    for source in (clamp.format(least="0,5"), clamp.format(least="nothing")):
        try:
            recur.compile(source.encode())
        except recur.CompileError as error:
            print(error)
    try:
        module(x[:, :1000], h, c)
    except recur.CallError as error:
        print(error)
"""


@pytest.fixture(scope="module")
def locales(tmp_path_factory):
    folder = tmp_path_factory.mktemp("locales")
    subprocess.run(["localedef", "-i", "de_DE", "-f", "UTF-8", folder / "de_DE.UTF-8"], check=True)
    return folder


def test_a_decimal_comma_changes_nothing(example, locales, tmp_path):
    def run(name, comma):
        folder = tmp_path / name
        folder.mkdir()
        command = [sys.executable, "-c", textwrap.dedent(PROGRAM), example[0], name, comma]
        done = subprocess.run(
            command, cwd=folder, env=os.environ | {"LOCPATH": str(locales)}, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    text = run("C", ".")
    assert run("de_DE.UTF-8", ",") == text
    assert "[0.5  0.75 1.   1.25]" in text
