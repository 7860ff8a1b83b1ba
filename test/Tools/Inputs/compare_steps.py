# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares T calls of NAME_step with one call of NAME_run on the same T time steps, bit for bit.

  compare_steps.py ir-compile model.xml... [--steps T] [--refusals] [-- OPTION...]

A model is compiled to a shared library with both entries and the options. Inputs are random. An input has time along
the axis whose dim is another one for a step; all other inputs are the same in each call. An output with time is
compared part by part, and any other with that of the last step. Then the instance, which both entries share, is reset,
and the steps run once more, with a run between them. The last line says how many models passed and failed. With
--refusals, a model that the compiler refuses to stream is neither.
"""

import argparse
import ctypes
import os
import random
import subprocess
import sys
import tempfile

BYTES = {1: 1, 2: 1, 3: 2, 4: 4, 5: 8, 6: 1, 7: 2, 8: 4, 9: 8, 10: 2, 11: 2, 12: 4, 13: 8}
ALIGNMENT = 64
OPEN_DIM = 2  # of dims other than time
STATE_BYTES = 1 << 16  # memory of a state with dynamic dims


class Tensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("shape", ctypes.POINTER(ctypes.c_int64)), ("strides", ctypes.c_void_p),
                ("rank", ctypes.c_int32), ("type", ctypes.c_int32), ("bytes", ctypes.c_size_t)]


class TensorInfo(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("type", ctypes.c_int32), ("rank", ctypes.c_int32),
                ("dims", ctypes.POINTER(ctypes.c_int64))]

    def shape(self):
        return list(self.dims[:self.rank])


class Info(ctypes.Structure):
    _fields_ = [("size", ctypes.c_uint32), ("abi", ctypes.c_uint32), ("name", ctypes.c_char_p),
                ("num_inputs", ctypes.c_int32), ("num_outputs", ctypes.c_int32), ("inputs", ctypes.POINTER(TensorInfo)),
                ("outputs", ctypes.POINTER(TensorInfo)), ("workspace_bytes", ctypes.c_int64),
                ("weights_bytes", ctypes.c_uint64), ("weights_hash", ctypes.c_uint64), ("triple", ctypes.c_char_p),
                ("cpu", ctypes.c_char_p), ("cpu_features", ctypes.c_char_p), ("compiler", ctypes.c_char_p),
                ("num_states", ctypes.c_int32), ("reserved", ctypes.c_int32), ("states", ctypes.POINTER(TensorInfo))]


class Config(ctypes.Structure):
    _fields_ = [("size", ctypes.c_uint32), ("flags", ctypes.c_uint32), ("weights", ctypes.c_void_p),
                ("weights_bytes", ctypes.c_size_t), ("gang", ctypes.c_void_p), ("gang_ctx", ctypes.c_void_p)]


class Error(ctypes.Structure):
    _fields_ = [("size", ctypes.c_uint32), ("code", ctypes.c_int32), ("where", ctypes.c_int32),
                ("tensor", ctypes.c_int32), ("axis", ctypes.c_int32), ("reserved", ctypes.c_int32),
                ("detail", ctypes.c_int64 * 4), ("message", ctypes.c_char * 256)]


ALLOC = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_size_t)
RELEASE = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)
blocks = {}


class Options(ctypes.Structure):
    _fields_ = [("size", ctypes.c_uint32), ("flags", ctypes.c_uint32), ("max_iterations", ctypes.c_int64),
                ("max_bytes", ctypes.c_int64), ("cancel", ctypes.c_void_p), ("alloc", ALLOC), ("release", RELEASE),
                ("ctx", ctypes.c_void_p)]


def aligned(count):
    """A buffer of `count` bytes, aligned, and its address."""
    memory = ctypes.create_string_buffer(count + ALIGNMENT)
    start = ctypes.addressof(memory)
    return memory, start + -start % ALIGNMENT


@ALLOC
def allocate(_, count, alignment):
    memory, address = aligned(count)
    blocks[address] = memory
    return address


@RELEASE
def release(_, address):
    blocks.pop(address, None)


class Difference(Exception):
    """The steps do not do what the run does."""


def size_of(shape):
    count = 1
    for dim in shape:
        count *= dim
    return count


class Value:
    """The shape, element type and bytes of a tensor."""

    def __init__(self, shape, kind, data):
        self.shape, self.kind, self.data = shape, kind, data

    def part(self, axis, at, length):
        """The elements from `at` on along an axis."""
        row = size_of(self.shape[axis + 1:]) * BYTES[self.kind]
        whole, offset, count = self.shape[axis] * row, at * row, length * row
        data = b"".join(self.data[i + offset:i + offset + count] for i in range(0, len(self.data), whole))
        return Value(self.shape[:axis] + [length] + self.shape[axis + 1:], self.kind, data)

    @staticmethod
    def random(shape, kind, generator):
        count = size_of(shape)
        if kind in (12, 13):
            data = (ctypes.c_float if kind == 12 else ctypes.c_double)
            return Value(shape, kind, bytes((data * count)(*(generator.uniform(-1, 1) for _ in range(count)))))
        if kind in (10, 11):  # numbers below 1, of both signs
            return Value(shape, kind, b"".join(
                ((generator.getrandbits(1) << 15) | (generator.randrange(0x2C00, 0x3C00) if kind == 10 else
                                                     generator.randrange(0x3D00, 0x3F80))).to_bytes(2, "little")
                for _ in range(count)))
        least = 0 if kind == 1 else 1  # integers may be divisors
        return Value(shape, kind, b"".join(
            generator.randrange(least, least + 2).to_bytes(BYTES[kind], "little") for _ in range(count)))


class Model:
    """One entry of a compiled model, with an instance of its own or that of another entry. `weights` are the bytes of
    weights that are not in the object."""

    def __init__(self, library, name, is_step, other=None, weights=b""):
        self.error = Error(size=ctypes.sizeof(Error))

        def function(what, result=ctypes.c_int32):
            found = getattr(library, f"{name}_{what}")
            found.restype = result
            return found

        prefix = "step_" if is_step else ""
        self.info = function(prefix + "info", ctypes.POINTER(Info))().contents
        self.query, self.call = function(prefix + "query"), function("step" if is_step else "run")
        self.reset_states = function("reset")
        if other:
            self.instance = other.instance
            return
        self.memory, self.instance = aligned(function("instance_size", ctypes.c_size_t)())
        self.weights, address = aligned(len(weights))
        ctypes.memmove(address, weights, len(weights))
        config = Config(size=ctypes.sizeof(Config), weights=address if weights else None, weights_bytes=len(weights))
        self.check(function("init")(ctypes.c_void_p(self.instance), ctypes.byref(config), ctypes.byref(self.error)))
        self.blocks = []
        for i in range(self.info.num_states):
            if -1 in self.info.states[i].shape():
                block, address = aligned(STATE_BYTES)
                self.blocks.append(block)
                self.check(function("state_memory")(ctypes.c_void_p(self.instance), i, ctypes.c_void_p(address),
                                                    ctypes.c_size_t(STATE_BYTES), ctypes.byref(self.error)))

    def check(self, status, allowed=()):
        if status != 0 and status not in allowed:
            raise Difference(f"status {status}: {self.error.message.decode()}")

    def reset(self):
        self.check(self.reset_states(ctypes.c_void_p(self.instance)))

    def run(self, values):
        keep = []

        def tensor(shape, kind, data):
            dims = (ctypes.c_int64 * max(len(shape), 1))(*shape)
            keep.append((dims, data))
            address = ctypes.cast(data, ctypes.c_void_p) if data is not None else None
            return Tensor(address, dims, None, len(shape), kind, len(data) if data is not None else 0)

        inputs = (Tensor * max(len(values), 1))(*(
            tensor(value.shape, value.kind, ctypes.create_string_buffer(value.data, len(value.data)))
            for value in values))
        infos = [self.info.outputs[i] for i in range(self.info.num_outputs)]
        outputs = (Tensor * max(len(infos), 1))(*(tensor([0] * info.rank, info.type, None) for info in infos))
        needed = ctypes.c_size_t()
        status = self.query(ctypes.c_void_p(self.instance), inputs, outputs, ctypes.byref(needed),
                            ctypes.byref(self.error))
        self.check(status, allowed=(19,))  # RECUR_E_ALLOCATOR_NEEDED
        memory, workspace = aligned(needed.value)
        for output in outputs:
            output.data = None
        options = Options(size=ctypes.sizeof(Options), alloc=allocate, release=release)
        self.check(self.call(ctypes.c_void_p(self.instance), inputs, outputs, ctypes.c_void_p(workspace), needed,
                             ctypes.byref(options), ctypes.byref(self.error)))
        del memory
        results = []
        for i, info in enumerate(infos):
            shape = list(outputs[i].shape[:info.rank])
            results.append(Value(shape, info.type, ctypes.string_at(outputs[i].data, size_of(shape) * BYTES[info.type])
                                 if outputs[i].data else b""))
            release(None, outputs[i].data)
        return results


def time_axis(whole, step):
    """The axis along which a tensor has time, or None."""
    axes = [i for i, (a, b) in enumerate(zip(whole.shape(), step.shape())) if a != b]
    return axes[0] if axes else None


def compare(whole, step, steps, seed):
    generator = random.Random(seed)
    numbers = range(whole.info.num_inputs)
    axes = [time_axis(whole.info.inputs[i], step.info.inputs[i]) for i in numbers]
    values = []
    for i in numbers:
        info = whole.info.inputs[i]
        if axes[i] is not None and info.shape()[axes[i]] >= 0:
            steps = info.shape()[axes[i]]
    for i in numbers:
        shape = [OPEN_DIM if dim < 0 else dim for dim in whole.info.inputs[i].shape()]
        if axes[i] is not None:
            shape[axes[i]] = steps
        values.append(Value.random(shape, whole.info.inputs[i].type, generator))
    if all(axis is None for axis in axes):
        raise Difference("no input has time")
    want = whole.run(values)
    for attempt in range(2):
        step.reset()
        for at in range(steps):
            if attempt and at == 1:
                whole.run(values)
            parts = [value if axis is None else value.part(axis, at, 1) for value, axis in zip(values, axes)]
            for i, got in enumerate(step.run(parts)):
                axis = time_axis(whole.info.outputs[i], step.info.outputs[i])
                if axis is None and at + 1 < steps:
                    continue
                length = got.shape[axis] if axis is not None else 0
                expected = want[i] if axis is None else want[i].part(axis, at * length, length)
                if got.data != expected.data or got.shape != expected.shape:
                    raise Difference(f"output {i} differs at step {at} of {steps} after reset {attempt}")


def check(compiler, path, steps, options):
    """Returns None, or the error of the compiler if it refuses to stream the model."""
    with tempfile.TemporaryDirectory() as folder:
        name = os.path.join(folder, "model.so")
        built = subprocess.run([compiler, path, "-o", name, "--emit=shared", "--name=model", "--entry=run,step",
                                *options], stderr=subprocess.PIPE, text=True)
        if built.returncode != 0:
            if "one time step after the other" in built.stderr or "its body for one of them" in built.stderr:
                return built.stderr.splitlines()[0]
            raise Difference(f"it cannot be compiled: {built.stderr}")
        library = ctypes.CDLL(name)
        step = Model(library, "model", True)
        compare(Model(library, "model", False, step), step, steps, seed=1)
        return None


def main():
    own, options = sys.argv[1:], []
    if "--" in own:
        own, options = own[:own.index("--")], own[own.index("--") + 1:]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("compiler")
    parser.add_argument("models", nargs="+")
    parser.add_argument("--steps", type=int, default=5, help="the number of time steps, if the model leaves it open")
    parser.add_argument("--refusals", action="store_true", help="do not count models that cannot be streamed")
    arguments = parser.parse_args(own)
    passed = failed = 0
    for path in arguments.models:
        try:
            error = check(arguments.compiler, path, arguments.steps, options)
            if error and not arguments.refusals:
                raise Difference(error)
            passed += not error
        except Difference as difference:
            print(f"FAIL {path}: {difference}")
            failed += 1
    print(f"{passed} passed, {failed} failed")
    sys.exit(1 if failed or not passed else 0)


if __name__ == "__main__":
    main()
