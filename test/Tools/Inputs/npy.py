#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes and shows .npy files, without numpy.

    npy.py write FILE TYPE SHAPE NUMBER...    TYPE f4, i8, b1, ...; SHAPE 2,3 or "" for a scalar
    npy.py show FILE                          type, shape and numbers in one line
"""
import ast
import struct
import sys

CODES = {"f4": "f", "f8": "d", "i1": "b", "i4": "i", "i8": "q", "u1": "B", "u8": "Q", "b1": "?"}


def write(path, kind, shape, numbers):
    dims = tuple(int(dim) for dim in shape.split(",") if dim)
    order = "|" if kind in ("b1", "i1", "u1") else "<"
    head = str({"descr": order + kind, "fortran_order": False, "shape": dims})
    head += " " * (-(len(head) + 11) % 64) + "\n"
    number_of = float if kind[0] == "f" else int
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode())
        file.write(struct.pack(f"<{len(numbers)}{CODES[kind]}", *map(number_of, numbers)))


def read(path):
    """The type, the dims and the numbers of a file."""
    data = open(path, "rb").read()
    (length,) = struct.unpack("<H", data[8:10])
    head = ast.literal_eval(data[10:10 + length].decode())
    kind, body = head["descr"][1:], data[10 + length:]
    return kind, head["shape"], struct.unpack(f"<{len(body) // int(kind[1:])}{CODES[kind]}", body)


def show(path):
    kind, dims, numbers = read(path)
    print(kind, list(dims), *(f"{number:g}" if kind[0] == "f" else int(number) for number in numbers))


if __name__ == "__main__":
    if sys.argv[1] == "write":
        write(sys.argv[2], sys.argv[3], sys.argv[4], sys.argv[5:])
    else:
        show(sys.argv[2])
