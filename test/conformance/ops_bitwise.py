# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Cases of operations on the bits of integers."""
import numpy as np

from op_cases import integers, op

A = integers(5, 7, least=-2**31, most=2**31 - 1, dtype=np.int32)
B = integers(7, seed=1, least=-2**31, most=2**31 - 1, dtype=np.int32)
BYTES = integers(40, seed=2, least=0, most=255, dtype=np.uint8)
TRUTH = np.array([[True], [False]]), np.array([True, False])
# Shifts by no bit, by all bits and more, and by less than 0.
COUNTS = np.array([0, 1, 5, 30, 31, 32, 33, 64, -1, -2**31], np.int32)
VALUES = np.array([[0], [1], [-1], [2**31 - 1], [-2**31], [12345], [-12345]], np.int32)


@op("BitwiseAnd", opset=13, inputs=(A, B))
def bitwise_and(a, b):
    return a & b


@op("BitwiseAnd", opset=13, inputs=TRUTH, element="boolean")
def bitwise_and_of_booleans(a, b):
    return a & b


@op("BitwiseOr", opset=13, inputs=(BYTES, BYTES[::-1].copy()))
def bitwise_or(a, b):
    return a | b


@op("BitwiseXor", opset=13, inputs=(A, B))
def bitwise_xor(a, b):
    return a ^ b


@op("BitwiseXor", opset=13, inputs=TRUTH, element="boolean")
def bitwise_xor_of_booleans(a, b):
    return a ^ b


@op("BitwiseNot", opset=13, inputs=(A,))
def bitwise_not(a):
    return ~a


@op("BitwiseNot", opset=13, inputs=(BYTES,))
def bitwise_not_of_bytes(a):
    return ~a


@op("BitwiseNot", opset=13, inputs=(TRUTH[1],), element="boolean")
def bitwise_not_of_booleans(a):
    return ~a


@op("BitwiseLeftShift", opset=15, inputs=(VALUES, COUNTS))
def bitwise_left_shift(a, b):
    """A shift by less than 0, or by as many bits as the type has, gives 0."""
    return np.where((b < 0) | (b > 31), 0, (a.astype(np.int64) << np.clip(b, 0, 31)).astype(np.int32))


@op("BitwiseRightShift", opset=15, inputs=(VALUES, COUNTS))
def bitwise_right_shift(a, b):
    """A shift by less than 0, or by as many bits as the type has, leaves the sign."""
    return a >> np.where((b < 0) | (b > 31), 31, b)


@op("BitwiseRightShift", opset=15, inputs=(BYTES, np.resize(np.arange(10, dtype=np.uint8), 40)))
def bitwise_right_shift_of_bytes(a, b):
    return np.where(b > 7, 0, a >> np.minimum(b, 7)).astype(np.uint8)
