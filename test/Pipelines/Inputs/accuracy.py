# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures how far the compiled functions are from the true values, in units in the last place (ulp).

    accuracy.py FOLDER [ARGUMENTS OF ir-run]: in FOLDER are functions.mlir, more-functions.mlir and conversions.mlir
"""
import math
import random
import struct
import subprocess
import sys

folder, arguments = sys.argv[1], sys.argv[2:]
random.seed(1)


def save(name, code, kind, values):
    header = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': ({len(values)},), }}"
    header += " " * (-(len(header) + 11) % 64) + "\n"
    with open(f"{folder}/{name}", "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode())
        file.write(struct.pack(f"<{len(values)}{code}", *values))


def load(name, code):
    with open(f"{folder}/{name}", "rb") as file:
        data = file.read()
    data = data[10 + struct.unpack("<H", data[8:10])[0]:]
    return struct.unpack(f"<{len(data) // struct.calcsize(code)}{code}", data)


def run(model, inputs):
    command = ["ir-run", f"{folder}/{model}", *(f"{folder}/{name}" for name in inputs), "--output-dir", folder]
    subprocess.run(command + arguments, check=True)


def to_f32(bits):
    return struct.unpack("<f", struct.pack("<I", bits))[0]


def round_to(code, value):
    """The value rounded to nearest even; struct refuses what is too great."""
    try:
        return struct.unpack("<" + code, struct.pack("<" + code, value))[0]
    except OverflowError:
        return math.copysign(math.inf, value)


def same(a, b):
    return a != a and b != b or a == b and math.copysign(1, a) == math.copysign(1, b)


def protect(function):
    def protected(x):
        try:
            return function(x)
        except OverflowError:
            return math.inf
        except ValueError:
            return math.nan
    return protected


def sigmoid(x):
    return 1 / (1 + math.exp(-x)) if x >= 0 else math.exp(max(x, -700)) / (1 + math.exp(max(x, -700)))


def logarithm(x):
    return math.log(x) if x != 0 else -math.inf


def soft_plus(x):
    return max(x, 0) + math.log1p(math.exp(-abs(x)))


def report(name, function, points, results):
    worst = where = 0
    for x, y in zip(points, results):
        want = math.nan if x != x else protect(function)(x)
        if want != want or math.isinf(round_to("f", want)):
            if not same(y, round_to("f", want)):
                sys.exit(f"{name}({x}): expected {want}, but got {y}")
            continue
        ulp = 2.0 ** max(math.frexp(want)[1] - 24, -149)
        if abs(y - want) / ulp > worst:
            worst, where = abs(y - want) / ulp, x
    print(f"{name}: {worst:.2f} ulp at {where!r}: {'good' if worst <= 2.5 else 'bad'}")


points = [to_f32(random.getrandbits(32)) for _ in range(4096)]
points += [round_to("f", random.uniform(-20, 20)) for _ in range(8192)]
points += [round_to("f", random.uniform(-110, 110)) for _ in range(4088)]
points += [0.0, -0.0, math.inf, -math.inf, math.nan]
points += [round_to("f", value) for value in (88.72283, 88.72284, -103.97)]
save("x.npy", "f", "<f4", points)
run("functions.mlir", ["x.npy"])
for number, (name, function) in enumerate([("exp", math.exp), ("sigmoid", sigmoid), ("tanh", math.tanh)]):
    report(name, function, points, load(f"out_{number}.npy", "f"))

# Sine and cosine have this accuracy up to 2^20. The points include those closest to multiples of pi.
angles = [point for point in points if not abs(point) > 2**20 or math.isinf(point)]
angles += [round_to("f", number * math.pi / 2) for number in range(1, len(points) - len(angles) + 1)]
save("y.npy", "f", "<f4", angles)
run("more-functions.mlir", ["x.npy", "y.npy"])
for number, (name, function) in enumerate([("log", logarithm), ("erf", math.erf), ("softplus", soft_plus)]):
    report(name, function, points, load(f"out_{number}.npy", "f"))
for number, (name, function) in enumerate([("sin", math.sin), ("cos", math.cos)]):
    report(name, function, angles, load(f"out_{number + 3}.npy", "f"))

halves = [struct.unpack("<e", struct.pack("<H", bits))[0] for bits in range(65536)]
# Ties between neighbours, and numbers close to ties: only a single rounding gets all of them right.
finite = [half for half in halves if math.isfinite(half)]
ties = [(a + b) / 2 for a, b in zip(finite[::3], finite[1::3])]
doubles = (ties + [tie * (1 + 1e-12) for tie in ties] + [tie * (1 - 1e-12) for tie in ties])[:16384 * 4 - 3]
doubles += [math.inf, -math.inf, math.nan] + [0.0] * (16384 * 4 - 3 - len(doubles))
singles = [round_to("f", value) for value in doubles]
save("h.npy", "e", "<f2", halves)
save("s.npy", "f", "<f4", singles)
save("d.npy", "d", "<f8", doubles)
run("conversions.mlir", ["h.npy", "s.npy", "d.npy"])
for number, (name, code, want) in enumerate([
        ("f16 to f32", "f", halves), ("f16 to f64", "d", halves),
        ("f32 to f16", "e", [round_to("e", value) for value in singles]),
        ("f64 to f16", "e", [round_to("e", value) for value in doubles])]):
    wrong = sum(not same(a, b) for a, b in zip(load(f"out_{number}.npy", code), want))
    print(f"{name}: {wrong} of {len(want)} wrong")
