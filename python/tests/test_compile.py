# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is compiled and written: sources, options, errors, progress, libraries."""

import io
import os
import pty
import random
import signal
import subprocess
import sys
import textwrap
import threading
import time

import numpy as np
import onnx
import openvino
import pytest
from conftest import CONFORMANCE, SUMS

import recur
from recur.progress import ProgressLine

X = np.ones((1, 3), np.float32)


ADDED_CONSTANT = """<net name="added" version="11">
  <layers>
    <layer id="0" name="x" type="Parameter" version="opset1">
      <data shape="3" element_type="f32"/>
      <output><port id="0" precision="FP32"><dim>3</dim></port></output>
    </layer>
    <layer id="1" name="c" type="Const" version="opset1">
      <data element_type="f32" shape="3" offset="0" size="12"/>
      <output><port id="0" precision="FP32"><dim>3</dim></port></output>
    </layer>
    <layer id="2" name="y" type="Add" version="opset1">
      <input><port id="0"><dim>3</dim></port><port id="1"><dim>3</dim></port></input>
      <output><port id="2" precision="FP32"><dim>3</dim></port></output>
    </layer>
    <layer id="3" name="y_out" type="Result" version="opset1"><input><port id="0"><dim>3</dim></port></input></layer>
  </layers>
  <edges>
    <edge from-layer="0" from-port="0" to-layer="2" to-port="0"/>
    <edge from-layer="1" from-port="0" to-layer="2" to-port="1"/>
    <edge from-layer="2" from-port="2" to-layer="3" to-port="0"/>
  </edges>
</net>
"""


def test_bytes_of_a_model_and_its_weights(example):
    folder, inputs, want = example
    module = recur.compile((folder / "model.xml").read_bytes(), weights=(folder / "model.bin").read_bytes())
    np.testing.assert_allclose(module(*inputs)[0], want, rtol=1e-4, atol=1e-5)


def test_weights_in_another_place(example, tmp_path):
    folder, inputs, want = example
    model = tmp_path / "lstm.xml"
    model.write_bytes((folder / "model.xml").read_bytes())
    with pytest.raises(recur.CompileError, match="cannot read the weights file"):
        recur.compile(model)
    module = recur.compile(str(model), weights=folder / "model.bin")
    assert module.name == "lstm"
    np.testing.assert_allclose(module(*inputs)[0], want, rtol=1e-4, atol=1e-5)


def test_an_openvino_model(example):
    folder, inputs, want = example
    model = openvino.Core().read_model(folder / "model.xml")
    np.testing.assert_allclose(recur.compile(model)(*inputs)[0], want, rtol=1e-4, atol=1e-5)
    with pytest.raises(TypeError, match="expected no weights beside a model that has them"):
        recur.compile(model, weights=b"")


def test_an_onnx_file(tmp_path):
    helper, f32 = onnx.helper, onnx.TensorProto.FLOAT
    rng = np.random.default_rng(0)
    w, r = (rng.standard_normal(shape).astype(np.float32) for shape in ((1, 16, 3), (1, 16, 4)))
    graph = helper.make_graph(
        [helper.make_node("LSTM", ["X", "W", "R"], ["Y"], hidden_size=4)],
        "lstm",
        [helper.make_tensor_value_info("X", f32, [5, 2, 3])],
        [helper.make_tensor_value_info("Y", f32, [5, 1, 2, 4])],
        [onnx.numpy_helper.from_array(w, "W"), onnx.numpy_helper.from_array(r, "R")],
    )
    path = tmp_path / "lstm.onnx"
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9), path)
    x = rng.standard_normal((5, 2, 3)).astype(np.float32)
    want = openvino.compile_model(path, "CPU", {"INFERENCE_PRECISION_HINT": "f32"})(x)[0]
    np.testing.assert_allclose(recur.compile(path)(x)[0], want, rtol=1e-4, atol=1e-5)
    with pytest.raises(FileNotFoundError):
        recur.compile(tmp_path / "none.onnx")


def test_models_of_frameworks_go_through_openvinos_converter(monkeypatch, example):
    # PyTorch has gigabytes, so the converter is asked about a stand-in.
    folder, inputs, want = example
    seen = []

    class Net:
        pass

    def convert(model, **options):
        seen.append((model, options))
        return openvino.Core().read_model(folder / "model.xml")

    monkeypatch.setattr(openvino, "convert_model", convert)
    net = Net()
    module = recur.compile(net, example_input=inputs)
    assert seen == [(net, {"example_input": inputs})]
    np.testing.assert_allclose(module(*inputs)[0], want, rtol=1e-4, atol=1e-5)


def test_without_openvino_the_error_says_so(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "openvino", None)
    (tmp_path / "model.onnx").touch()
    with pytest.raises(ImportError, match="model.onnx' needs the package openvino.*: pip install openvino"):
        recur.compile(tmp_path / "model.onnx")
    # It would not convert weights or arrays either.
    (tmp_path / "model.bin").write_bytes(bytes(8))
    with pytest.raises(recur.CompileError, match="but got binary data, perhaps weights"):
        recur.compile(tmp_path / "model.bin")
    np.save(tmp_path / "in_0.npy", X)
    with pytest.raises(recur.CompileError, match="but got an array of NumPy"):
        recur.compile(tmp_path / "in_0.npy")
    assert recur.compile(SUMS)(X, 1)["z"].tolist() == [[3, 3, 3]]


@pytest.mark.parametrize("model", [None, 3, [1], {"a": 1}])
def test_what_is_no_model(model):
    with pytest.raises(TypeError, match="expected a path, bytes, an openvino.Model or a model of a framework"):
        recur.compile(model)


def test_errors_have_places(tmp_path):
    model = tmp_path / "bad.xml"
    model.write_text('<net name="m" version="11">\n  <layers>\n    <layer/>\n  </layers>\n</net>\n')
    with pytest.raises(recur.CompileError, match=r"bad\.xml:3:5: error: "):
        recur.compile(model)
    with pytest.raises(recur.CompileError, match="cannot open 'none.xml': no such file"):
        recur.compile("none.xml")
    with pytest.raises(recur.CompileError, match="unknown CPU 'z80'"):
        recur.compile(SUMS, cpu="z80")
    with pytest.raises(recur.CompileError, match="expected a precision of 'f32' or 'bf16', but got 'f8'"):
        recur.compile(SUMS, precision="f8")


def test_nothing_is_printed(capfd):
    with pytest.raises(recur.CompileError):
        recur.compile(b"<net>")
    recur.compile(SUMS)
    assert capfd.readouterr() == ("", "")


def test_options(example):
    folder, inputs, want = example
    model = CONFORMANCE / "tile__dynamic__none" / "model.xml"
    assert recur.compile(model, shapes={"in_0": [2, None]}).inputs[0].shape == (2, None)
    assert recur.compile(SUMS, cpu="x86-64").cpu == "x86-64"
    with pytest.warns(recur.CompileWarning, match="remark: weights were rounded"):
        module = recur.compile(folder / "model.xml", weights_precision="bf16")
    difference = np.abs(module(*inputs)[0] - want).max()
    assert 1e-5 < difference < 1e-1


def test_a_cpu_that_lacks_what_the_code_uses():
    # CPUs with these have had no successors.
    with pytest.raises(recur.CallError) as caught:
        recur.compile(SUMS, features="+xop,+tbm")
    assert caught.value.status is recur.Status.CPU


def test_progress():
    steps = []
    recur.compile(SUMS, progress=lambda *step: steps.append(step))
    assert [done for _, done, _ in steps] == list(range(len(steps)))
    assert {"simplify", "schedule", "code"} <= {name for name, _, _ in steps}
    assert steps[-1] == ("done", len(steps) - 1, len(steps) - 1)
    with pytest.raises(recur.CompileError, match="the compilation was cancelled"):
        recur.compile(SUMS, progress=lambda name, done, steps: done < 3)
    with pytest.raises(ZeroDivisionError):
        recur.compile(SUMS, progress=lambda *step: 1 / 0)


def test_progress_line():
    stream = io.StringIO()
    line = ProgressLine("model.xml", stream, delay=0, interval=0)
    line("simplify", 5, 10)
    line.close()
    shown, cleared = stream.getvalue().split("\r")[1:]
    assert shown.startswith("\x1b[Kmodel.xml:  50%|█") and shown.endswith("| 5/10 [0 s, simplify]")
    assert cleared == "\x1b[K"
    # What is quick shows nothing.
    quiet = io.StringIO()
    line = ProgressLine("model.xml", quiet, delay=60)
    line("simplify", 0, 10)
    line.close()
    assert quiet.getvalue() == ""


def test_a_terminal_gets_a_line(example):
    program = textwrap.dedent("""
        import sys, recur, recur.progress
        recur.progress.ProgressLine.__init__.__defaults__ = (None, 0, 0)
        recur.compile(sys.argv[1])
    """)
    command = [sys.executable, "-c", program, str(example[0] / "model.xml")]
    assert subprocess.run(command, capture_output=True, check=True).stderr == b""
    controller, terminal = pty.openpty()
    text = []
    process = subprocess.Popen(command, stderr=terminal)
    os.close(terminal)
    reader = threading.Thread(target=lambda: text.extend(iter(lambda: read(controller), b"")))
    reader.start()
    assert process.wait() == 0
    reader.join()
    os.close(controller)
    assert b"model.xml: " in b"".join(text)


def read(file):
    """The next bytes of a terminal, or none at its end."""
    try:
        return os.read(file, 4096)
    except OSError:
        return b""


def test_signals_are_seen_during_a_compilation():
    # A handler that only ran when the compilation has returned would run at its end. The model takes several times as
    # long as signals wait: a chain with a pattern would be rolled up into a loop.
    t = "tensor<?x7xf32>"
    axes = random.Random(1).choices((0, 1), k=60)
    layers = "".join(f"%x{i + 1} = ov.softmax %x{i} {{axis = {axis} : i64}} : {t}\n" for i, axis in enumerate(axes))
    result = f'-> ({t} {{ov.name = "y"}}) {{\n{layers}return %x60 : {t}\n}}'
    model = f'func.func @main(%x0: {t} {{ov.name = "x"}}) {result}'.encode()
    times = []
    before = signal.signal(signal.SIGUSR1, lambda *_: times.append(time.monotonic()))
    try:
        for _ in range(10):
            timer = threading.Timer(0.01, os.kill, (os.getpid(), signal.SIGUSR1))
            timer.start()
            recur.compile(model, progress=False)
            end = time.monotonic()
            timer.join()
            if end - times.pop() > 0.02:
                return
    finally:
        signal.signal(signal.SIGUSR1, before)
    pytest.fail("the handler ran after each compilation")


def test_ctrl_c_ends_a_compilation(ctrl_c):
    def interrupt(name, done, steps):
        if done == 3:
            os.kill(os.getpid(), signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        recur.compile(SUMS, progress=interrupt)


def test_compiled_models_are_kept_in_a_folder(tmp_path):
    folder = tmp_path / "new" / "cache"

    def compile_and_call(**arguments):
        """The number of steps that were compiled."""
        steps = []
        module = recur.compile(SUMS, cache_dir=folder, progress=lambda *step: steps.append(step), **arguments)
        assert module(X, 1)["z"].tolist() == [[3, 3, 3]]
        return len(steps)

    assert compile_and_call() > 3
    (entry,) = folder.iterdir()
    assert compile_and_call() == 0
    # Other arguments have other entries, and a damaged one is replaced.
    assert compile_and_call(cpu="x86-64-v2") > 3 and len(list(folder.iterdir())) == 2
    whole = entry.read_bytes()
    entry.write_bytes(whole[:-1])
    assert compile_and_call() > 3 and entry.read_bytes() == whole

    # A folder that cannot be made is a warning.
    (tmp_path / "file").touch()
    with pytest.warns(recur.CompileWarning, match="cannot create the folder"):
        recur.compile(SUMS, cache_dir=tmp_path / "file" / "cache")


def test_a_cached_model_is_that_of_its_weights(tmp_path):
    """Small constants become a part of the code, so the weights file is all that tells the models apart."""
    for added in (1, 2):
        (tmp_path / "model.xml").write_text(ADDED_CONSTANT)
        np.full(3, added, "<f4").tofile(tmp_path / "model.bin")
        module = recur.compile(tmp_path / "model.xml", cache_dir=tmp_path / "cache")
        assert module(np.zeros(3, "f4"))[0].tolist() == [added] * 3
        assert len(list((tmp_path / "cache").iterdir())) == added


def test_aot_and_load(tmp_path):
    recur.aot(SUMS, tmp_path / "libspeech.so", header=tmp_path / "speech.h")
    assert "int32_t speech_run(" in (tmp_path / "speech.h").read_text()
    module = recur.load(tmp_path / "libspeech.so")
    assert module.name == "speech" and module.cpu == "x86-64-v2"
    assert module(X, 1)["z"].tolist() == [[3, 3, 3]]
    assert recur.from_bytes(module.to_bytes())(X, 1)["z"].tolist() == [[3, 3, 3]]

    recur.aot(SUMS, tmp_path / "libtwo.so", targets=["x86-64-v3", "x86-64"])
    assert recur.load(tmp_path / "libtwo.so").cpu == "x86-64"
    recur.aot(SUMS, tmp_path / "sums.o", name="sums")
    assert (tmp_path / "sums.o").read_bytes()[:4] == b"\x7fELF"
    recur.aot(SUMS, tmp_path / "libsums.a", triple="aarch64-linux-gnu")
    assert (tmp_path / "libsums.a").read_bytes()[:8] == b"!<arch>\n"
    recur.aot(SUMS, str(tmp_path / "model.bin"), kind="object")
    assert (tmp_path / "model.bin").read_bytes()[:4] == b"\x7fELF"
    with pytest.raises(ValueError, match="expected a path that ends in .o, .a or .so"):
        recur.aot(SUMS, tmp_path / "model.bin")

    for name in ("sums.o", "speech.h", "none.so"):
        with pytest.raises(recur.CompileError, match=name):
            recur.load(tmp_path / name)
    with pytest.raises(recur.CompileError, match="sums.o' is an object; ir-compile --emit=shared writes a library"):
        recur.load(tmp_path / "sums.o")


def test_aot_writes_no_file_that_is_read(tmp_path):
    model = tmp_path / "sums.mlir"
    model.write_bytes(SUMS)
    with pytest.raises(recur.CompileError, match="expected the product to name a file that is not read"):
        recur.aot(model, model, kind="object")
    assert model.read_bytes() == SUMS


def test_the_example_runs(example):
    folder = example[0]
    command = [sys.executable, folder.parent / "python" / "run_model.py", folder / "model.xml"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "the greatest difference from OpenVINO is" in done.stdout and "a call takes" in done.stdout


def test_remarks(example, tmp_path):
    model = example[0] / "model.xml"
    module = recur.compile(model, remarks=True, cache_dir=tmp_path)
    packed = [remark for remark in module.remarks if remark.pass_name == "rt-pack-matmuls"]
    assert packed and all(isinstance(remark, recur.Remark) for remark in module.remarks)
    assert {remark.kind for remark in module.remarks} <= {"passed", "missed", "analysis"}
    first = packed[0]
    assert first.file.endswith("model.xml") and first.line > 1 and first.column > 0 and first.layer
    assert first.kind == "passed" and first.text.startswith("the matrix of ")
    place = f"{first.file}:{first.line}:{first.column}"
    assert str(first) == f"{place}: passed rt-pack-matmuls '{first.layer}': {first.text}"

    # They are those of the code, which an instance shares, and do not travel with it.
    assert module.instance().remarks == module.remarks
    assert recur.from_bytes(module.to_bytes()).remarks == ()
    # A cache folder has no remarks.
    assert recur.compile(model, remarks=True, cache_dir=tmp_path).remarks == module.remarks
    assert recur.compile(model).remarks == ()


def test_some_remarks(example):
    model = example[0] / "model.xml"
    assert {remark.kind for remark in recur.compile(model, remarks="passed").remarks} == {"passed"}
    assert {remark.pass_name for remark in recur.compile(model, remarks="pack").remarks} == {"rt-pack-matmuls"}
    assert recur.compile(model, remarks="no-such-pass").remarks == ()
    with pytest.raises(recur.CompileError, match="a regular expression of passes"):
        recur.compile(model, remarks="(")
