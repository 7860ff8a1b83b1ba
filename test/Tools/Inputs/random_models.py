# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks promises of the documents on random models that have a product in front of a recurrence and behind it.

  random_models.py ir-compile CC --seed SEED --count N [--only I] [--levels CPU,...] [--keep FOLDER]

Each model is compiled for each level that this CPU can run, with both entries and with NAME_run alone, and promises.c
checks it. The first line has the seed, with which the same models can be made again. The last line says how many models
passed and failed.
"""
import argparse
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile

from ir_model import Model

FUNCTIONS = ["Sigmoid", "Tanh", "ReLU", "Abs", "Exp", "SoftPlus", "HSwish", "Sqrt of Abs"]
CELLS = {"LSTMSequence": (4, 2), "GRUSequence": (3, 1), "RNNSequence": (1, 1)}
SOURCES = pathlib.Path(__file__).resolve().parents[3]


def along_last(model, r, value, size):
    """A layer that works along the last of three dims, which has `size` elements, and keeps the shape."""
    kind, axis = r.choice(["CumSum", "Softmax", "TopK", "ReduceMean", "Pad"]), model.constant("i64", [], [-1])
    if kind == "CumSum":
        return model.layer(kind, f'exclusive="false" reverse="{r.choice(["true", "false"])}"', [value, axis])
    if kind == "Softmax":
        return model.layer(kind, 'axis="2"', [value])
    if kind == "TopK":
        data = 'axis="2" mode="max" sort="value" index_element_type="i32"'
        return model.layer(kind, data, [value, model.constant("i64", [], [size])], num_outputs=2)
    if kind == "ReduceMean":
        return model.layer("Subtract", "", [value, model.layer(kind, 'keep_dims="true"', [value, axis])])
    front, zero = r.randrange(2), model.constant("f32", [], [0.0])
    return model.layer(kind, 'pad_mode="constant"', [value, model.constant("i64", [3], [0, 0, front]),
                                                     model.constant("i64", [3], [0, 0, -front]), zero])


def element_wise(model, r, value, size):
    """Zero to three layers that keep the shape: element-wise ones, some of which read a value twice, and ones that work
    along the last dim."""
    for _ in range(r.randrange(4)):
        kind = r.choice(["constant", "function", "gate", "scale", "along"])
        if kind == "constant":
            value = model.layer(r.choice(["Add", "Multiply", "Subtract"]), "",
                                [value, model.constant("f32", [size], [r.uniform(-1, 1) for _ in range(size)])])
        elif kind == "along":
            value = along_last(model, r, value, size)
        elif kind == "scale":
            value = model.layer("Multiply", "", [value, model.constant("f32", [], [r.random()])])
            value = model.layer("Add", "", [value, model.constant("f32", [], [r.random()])])
        else:
            function = r.choice(FUNCTIONS)
            given = model.layer("Abs", "", [value]) if " of " in function else value
            made = model.layer(function.split()[0], "", [given])
            value = made if kind == "function" else model.layer("Multiply", "", [value, made])
    return value


def product(model, r, value, rows, columns, transposed=False):
    """A product with a matrix of `rows` and `columns`, of f32 or f16, perhaps with a bias. `transposed`: of the value
    with its last two dims exchanged."""
    element = r.choice(["f32"] * 4 + ["f16"])
    turned = r.random() < 0.5
    matrix = model.random(*([columns, rows] if turned else [rows, columns]), source=r, element=element)
    if element == "f16":
        matrix = model.layer("Convert", 'destination_type="f32"', [matrix])
    value = model.layer("MatMul", f'transpose_a="{str(transposed).lower()}" transpose_b="{str(turned).lower()}"',
                        [value, matrix])
    if r.random() < 0.5:
        value = model.layer("Add", "", [value, model.random(1, 1, columns, source=r)])
    return value


def build(seed, number):
    """A model, the number of time steps where its dim is open, and a text that describes it."""
    r = random.Random(f"{seed}/{number}")
    model = Model()
    steps, batch = r.randrange(2, 10), r.choice([1, 1, 1, 2, 3])
    rows = r.choice([r.randrange(1, 141), r.randrange(1, 33), r.choice([8, 16, 32, 64, 128])])
    columns = r.choice([1, 1, r.randrange(1, 34), r.randrange(2, 34)])
    hidden = r.randrange(1, 32)
    outputs = r.choice([1, 1, 2, 7])
    kind = r.choice(list(CELLS))
    is_open, has_open_batch = r.random() < 0.25, r.random() < 0.15
    form = r.choice(["rows"] * 4 + ["transposed", "time last", "turned"])
    time, group = "?" if is_open else steps, "?" if has_open_batch else batch
    shape = [group, time, rows] if form == "rows" else [group, rows, time]
    value = x = model.layer("Parameter", f'element_type="f32" shape="{",".join(map(str, shape))}"')
    exchange = model.constant("i64", [3], [0, 2, 1])
    if form == "rows":
        value = element_wise(model, r, value, rows)
    if form == "time last":
        value = element_wise(model, r, model.layer("Transpose", "", [value, exchange]), rows)
    if form == "turned":
        value = model.layer("MatMul", "", [model.random(columns, rows, source=r), value])
        value = model.layer("Transpose", "", [value, exchange])
    else:
        value = product(model, r, value, rows, columns, transposed=form == "transposed")
    results = [value] if r.random() < 0.6 else []
    if r.random() < 0.4:
        value = model.layer(r.choice(["Tanh", "ReLU", "Sigmoid"]), "", [value])
    gates, states = CELLS[kind]
    initial = []
    for _ in range(states):
        if has_open_batch or r.random() < 0.3:
            initial.append(model.layer("Parameter", f'element_type="f32" shape="{group},1,{hidden}"'))
        else:
            initial.append(model.constant("f32", [batch, 1, hidden], [0.0] * (batch * hidden)))
    if is_open or has_open_batch:
        lengths = model.layer("Parameter", f'element_type="i64" shape="{group}"')
    else:
        lengths = model.constant("i64", [batch], [steps] * batch)
    data = f'hidden_size="{hidden}" direction="forward"'
    biases = gates
    if kind == "GRUSequence" and r.random() < 0.5:
        data, biases = data + ' linear_before_reset="true"', gates + 1
    cell = model.layer(kind, data, [value, *initial, lengths, model.random(1, gates * hidden, columns, source=r),
                                    model.random(1, gates * hidden, hidden, source=r),
                                    model.random(1, biases * hidden, source=r)], num_outputs=1 + states)
    results += [(cell[0], cell[1] + i) for i in range(1, 1 + states) if r.random() < 0.4]
    value = model.layer("Squeeze", "", [cell, model.constant("i64", [1], [1])])
    if r.random() < 0.3:
        value = element_wise(model, r, value, hidden)
    value = product(model, r, value, hidden, outputs)
    if r.random() < 0.5:
        value = model.layer("Sigmoid", "", [value])
    for result in [value, *results]:
        model.layer("Result", "", [result], num_outputs=0)
    text = f"x[{','.join(map(str, shape))}] {form} {rows}x{columns} {kind} {hidden} {hidden}x{outputs}"
    return model, steps, text


def check(arguments, checker, seed, number, level, folder):
    """Returns None, or what is wrong."""
    model, steps, _ = build(seed, number)
    model.write(folder / "model")
    options = [str(folder / "model/model.xml"), "--name=model", f"--mcpu={level}", "--gang-work=1"]
    libraries = {name: folder / name / "model.so" for name in ("both", "alone", "again")}
    for name, library in libraries.items():
        # Each third model is compiled twice.
        if name == "again" and number % 3:
            continue
        library.parent.mkdir()
        own = [] if name == "alone" else ["--entry=run,step"]
        built = subprocess.run([arguments.compiler, *options, *own, "--emit=shared", "-o", str(library)],
                               capture_output=True, text=True)
        if built.returncode:
            return built.stderr.strip()
    if number % 3 == 0 and libraries["both"].read_bytes() != libraries["again"].read_bytes():
        return "the same model gives another object"
    ran = subprocess.run([str(checker), str(libraries["both"]), str(libraries["alone"]), str(number), str(steps)],
                         capture_output=True, text=True)
    if ran.returncode == 0:
        return None
    return ran.stdout.strip() or f"the program ended with status {ran.returncode}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("compiler")
    parser.add_argument("cc")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=30)
    parser.add_argument("--only", type=int, help="the number of the only model")
    parser.add_argument("--levels", default="x86-64-v2,x86-64-v3,x86-64-v4")
    parser.add_argument("--by-turns", action="store_true", help="each model for one level, in turn")
    parser.add_argument("--keep", type=pathlib.Path, help="where models that fail are kept")
    arguments = parser.parse_args()
    seed, levels = arguments.seed, arguments.levels.split(",")
    print(f"seed {seed}", flush=True)
    passed = failed = 0
    features, lacking = set(pathlib.Path("/proc/cpuinfo").read_text().split()), set()
    with tempfile.TemporaryDirectory() as temporary:
        checker = pathlib.Path(temporary) / "promises"
        driver = SOURCES / "lib/Driver"
        subprocess.run([*arguments.cc.split(), "-std=c99", "-O1", "-Wall", "-Wextra", "-Werror", f"-I{driver}",
                        f"-I{SOURCES / 'include'}", str(pathlib.Path(__file__).parent / "promises.c"),
                        str(driver / "Gang.c"), "-ldl", "-pthread", "-o", str(checker)], check=True)
        for number in range(arguments.count) if arguments.only is None else [arguments.only]:
            for level in [levels[number % len(levels)]] if arguments.by_turns else levels:
                if level in lacking:
                    continue
                folder = pathlib.Path(temporary) / f"{number}-{level}"
                fault = check(arguments, checker, seed, number, level, folder)
                # A program cannot run a level whose features its CPU lacks, and names one. It must not be wrong.
                lacks = re.search(r"this CPU lacks (\w+)", fault or "")
                if lacks and lacks[1] not in features:
                    print(f"{level} is left out: {fault}", flush=True)
                    lacking.add(level)
                    continue
                passed, failed = passed + (fault is None), failed + (fault is not None)
                if fault:
                    print(f"FAIL {number} {level} {build(seed, number)[2]}: {fault}", flush=True)
                    if arguments.keep:
                        shutil.copytree(folder, arguments.keep / f"{seed}-{folder.name}", dirs_exist_ok=True)
    print(f"{passed} passed, {failed} failed")
    sys.exit(1 if failed or not passed else 0)


if __name__ == "__main__":
    main()
