# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Cases of random numbers."""
import numpy as np

from op_cases import Const, op


def philox(key, counter, blocks):
    """The words of Philox 4x32 with 10 rounds, by the specification of RandomUniform."""
    words = []
    for n in range(blocks):
        k, c, m = [[v & 0xFFFFFFFF, v >> 32] for v in (key, counter, n)]
        for _ in range(10):
            first, second = m[0] * 0xD2511F53, c[0] * 0xCD9E8D57
            m, c = ([second >> 32 ^ m[1] ^ k[0], second & 0xFFFFFFFF], [first >> 32 ^ c[1] ^ k[1], first & 0xFFFFFFFF])
            k = [k[0] + 0x9E3779B9 & 0xFFFFFFFF, k[1] + 0xBB67AE85 & 0xFFFFFFFF]
        words += m + c
    return np.array(words, np.uint64)


SHAPE = np.array([2, 3, 1], np.int64)


@op("RandomUniform", opset=8, inputs=(Const(SHAPE), Const(-1, np.float32), Const(3, np.float32)), element="f32",
    output_type="f32", global_seed=150, op_seed=10)
def random_uniform_f32(shape, least, most):
    return (np.reshape(philox(150, 10, 2)[:6] & 0x7FFFFF, shape) * 2.0**-23) * 4 - 1


@op("RandomUniform", opset=8, inputs=(Const([11], np.int32), np.array([-5], np.int32), np.array([100], np.int32)),
    element="i32", output_type="i32", global_seed=2**40 + 7, op_seed=2**35 + 1)
def random_uniform_i32(shape, least, most):
    """Seeds of more than 32 bits; a range that is known only at run time."""
    return (philox(2**40 + 7, 2**35 + 1, 3)[:11] % np.uint64(105)).astype(np.int64) - 5


@op("RandomUniform", opset=8, inputs=(Const(SHAPE), Const(-2**62, np.int64), Const(2**62 + 3, np.int64)),
    element="i64", output_type="i64", global_seed=0, op_seed=3)
def random_uniform_i64(shape, least, most):
    """Two words for each number, the low one first."""
    words = philox(0, 3, 3)
    drawn = (words[0::2] + (words[1::2] << np.uint64(32))) % np.uint64(2**63 + 3)
    return (drawn - np.uint64(2**62)).astype(np.int64).reshape(shape)


@op("RandomUniform", opset=8, inputs=(Const(SHAPE), Const(0, np.float64), Const(1, np.float64)), element="f64",
    output_type="f64", global_seed=1, op_seed=2)
def random_uniform_f64(shape, least, most):
    words = philox(1, 2, 3)
    return (((words[0::2] & 0xFFFFF) << np.uint64(32)) + words[1::2]).reshape(shape) * 2.0**-52


@op("RandomUniform", opset=8, inputs=(Const(SHAPE), Const(0, np.float32), Const(1, np.float32)), element="f32",
    output_type="f32", global_seed=0, op_seed=0)
def random_uniform_no_seed(shape, least, most):
    """Two seeds of 0 mean the global seed 1."""
    return np.reshape(philox(1, 0, 2)[:6] & 0x7FFFFF, shape) * 2.0**-23


@op("RandomUniform", opset=8, inputs=(Const([0, 4], np.int64), Const(0, np.float32), Const(1, np.float32)),
    element="f32", output_type="f32", global_seed=1, op_seed=1)
def random_uniform_empty(shape, least, most):
    return np.zeros((0, 4))


def twister(seed, count):
    """The words of MT19937, which NumPy has too."""
    return np.frombuffer(np.random.RandomState(seed).bytes(4 * count), "<u4").astype(np.uint64)


MANY = np.array([2, 350], np.int64)


@op("RandomUniform", opset=8, inputs=(Const(MANY), Const(-1.5, np.float32), Const(3, np.float32)), element="f32",
    output_type="f32", global_seed=2**64 - 2**32 + 5, op_seed=3, alignment="pytorch")
def random_uniform_twister_f32(shape, least, most):
    """More words than the state has; the low 32 bits of the seed."""
    drawn = (twister(5, 700) & np.uint64(0xFFFFFF)).astype(np.float32) * np.float32(2.0**-24)
    return (drawn * np.float32(4.5) - np.float32(1.5)).reshape(shape)


@op("RandomUniform", opset=8, inputs=(Const(SHAPE), Const(-1.5, np.float16), Const(3, np.float16)), element="f16",
    output_type="f16", global_seed=5, op_seed=0, alignment="pytorch")
def random_uniform_twister_f16(shape, least, most):
    """Rounded once."""
    drawn = (twister(5, 6) & np.uint64(0x7FF)).astype(np.float32) * np.float32(2.0**-11)
    return (drawn * np.float32(4.5) - np.float32(1.5)).astype(np.float16).reshape(shape)


@op("RandomUniform", opset=8, inputs=(Const(SHAPE), Const(-1.5, np.float64), Const(3, np.float64)), element="f64",
    output_type="f64", global_seed=5, op_seed=0, alignment="pytorch")
def random_uniform_twister_f64(shape, least, most):
    words = twister(5, 12)
    drawn = ((words[0::2] & np.uint64(0x1FFFFF)) << np.uint64(32)) + words[1::2]
    return (drawn * 2.0**-53 * 4.5 - 1.5).reshape(shape)


@op("RandomUniform", opset=8, inputs=(Const([5], np.int32), np.array([-2], np.int32), np.array(9, np.int32)),
    element="i32", output_type="i32", global_seed=0, op_seed=0, alignment="pytorch")
def random_uniform_twister_i32(shape, least, most):
    """Two seeds of 0 mean the global seed 1."""
    return (twister(1, 5) % np.uint64(11)).astype(np.int64) - 2


@op("RandomUniform", opset=8, inputs=(Const(SHAPE), np.array(-2, np.int64), np.array(2**31 + 9, np.int64)),
    element="i64", output_type="i64", global_seed=0, op_seed=3, alignment="pytorch")
def random_uniform_twister_i64(shape, least, most):
    """Limits of 32 bits: one word for each number."""
    return ((twister(0, 6) % np.uint64(2**31 + 11)).astype(np.int64) - 2).reshape(shape)


@op("RandomUniform", opset=8, inputs=(Const(SHAPE), np.array(-2, np.int64), np.array(2**60, np.int64)),
    element="i64", output_type="i64", global_seed=0, op_seed=3, alignment="pytorch")
def random_uniform_twister_i64_wide(shape, least, most):
    """Two words for each number, the high one first."""
    words = twister(0, 12)
    drawn = ((words[0::2] << np.uint64(32)) + words[1::2]) % np.uint64(2**60 + 2)
    return (drawn.astype(np.int64) - 2).reshape(shape)


@op("Eye", opset=9, element="i32", output_type="i32", static=True,
    inputs=(np.array(3, np.int32), np.array([5], np.int32), np.array(1, np.int32)))
def eye(rows, columns, diagonal):
    return np.eye(rows, columns[0], diagonal, np.int32)


@op("Eye", opset=9, element="f32", output_type="f32",
    inputs=(Const(4, np.int64), Const([3], np.int64), Const(-2, np.int64), Const([2, 1], np.int64)))
def eye_batch(rows, columns, diagonal, batch):
    return np.broadcast_to(np.eye(4, 3, -2), (2, 1, 4, 3))


@op("Eye", opset=9, element="boolean", output_type="boolean",
    inputs=(np.array(2, np.int64), np.array(0, np.int64), np.array(0, np.int64), Const([0], np.int64)))
def eye_empty(rows, columns, diagonal, batch):
    """There may be no columns, and no matrices."""
    return np.zeros((0, 2, 0), bool)


def multinomial_case(name, probs, samples, replace=True, log=False, element="i64", seeds=(150, 10), static=True):
    probs = np.array(probs)

    @op("Multinomial", 13, inputs=(probs, samples), element=element, static=static, name=f"multinomial_{name}",
        convert_type=element, with_replacement=replace, log_probs=log, global_seed=seeds[0], op_seed=seeds[1])
    def run(weights, samples):
        count = int(np.ravel(samples)[0])
        words = philox(seeds[0] or (seeds[1] == 0), seeds[1], 64)
        if probs.dtype == np.float64:
            drawn = (((words[0::2] & np.uint64(0xFFFFF)) << np.uint64(32)) + words[1::2]) * 2.0**-52
        else:
            drawn = (words & np.uint64(0x7FFFFF)) * 2.0**-23
        weights = np.exp(np.float64(weights)) if log else np.float64(weights)
        out = np.zeros((len(weights), count), np.int64)
        for row, own in enumerate(weights):
            own = own.copy()
            for i in range(count):
                reached = drawn[row * count + i] <= np.cumsum(own) / own.sum()
                out[row, i] = np.argmax(reached)
                if not replace:
                    own[out[row, i]] = 0
        return out


WEIGHTS = [[0.1, 0.2, 0.0, 0.3, 0.4], [2.0, 0.5, 1.5, 0.0, 4.0], [0.0, 0.0, 1.0, 0.0, 0.0]]
multinomial_case("f32", np.float32(WEIGHTS), Const(7, np.int64))
multinomial_case("f64", WEIGHTS, Const([7], np.int32), element="i32", seeds=(2**40 + 7, 3))
multinomial_case("log", np.log(np.float32([[0.1, 0.2, 0.3, 0.4], [5.0, 1.0, 2.0, 3.0]])), np.array([9], np.int64), log=True)
multinomial_case("f16", np.float16([[0.25, 0.5, 0.125, 0.125]]), np.array(20, np.int32), element="i32")
multinomial_case("no_seed", np.float32(WEIGHTS), Const(4, np.int64), seeds=(0, 0))
multinomial_case("distinct", np.float32(WEIGHTS[:2]), Const(3, np.int64), replace=False, seeds=(7, 2))
multinomial_case("distinct_f64", np.arange(40.0).reshape(2, 20) + 1, np.array([12], np.int64), replace=False, element="i32")
multinomial_case("distinct_log", np.float32([[-1.0, -2.0, -0.5, -3.0, -0.25]]), np.array(4, np.int32), replace=False,
                 log=True)
multinomial_case("none_left", np.float32([[0.0, 0.0, 1.0]]), np.array([3], np.int64), replace=False)
multinomial_case("more_than_classes", np.float32([[0.5, 0.25, 0.25]]), np.array([6], np.int64), replace=False)
multinomial_case("no_samples", np.float32(WEIGHTS), np.array([0], np.int64))
