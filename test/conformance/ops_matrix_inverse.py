# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Cases of inverses of matrices."""
import numpy as np

from op_cases import numbers, op

MATRICES = numbers(2, 1, 5, 5, least=-1, most=1) + 2 * np.roll(np.eye(5, dtype=np.float32), 1, 0)


@op("Inverse", opset=14, inputs=(MATRICES,), static=True, adjoint=False)
def inverse(x):
    """The diagonal has no pivots."""
    return np.linalg.inv(x)


@op("Inverse", opset=14, inputs=(MATRICES[0, 0, :3, :3].copy(),), static=True, adjoint=True)
def inverse_adjoint(x):
    return np.linalg.inv(x).T


@op("Inverse", opset=14, inputs=(np.zeros((3, 0, 0), np.float32),), static=True, adjoint=False)
def inverse_empty(x):
    return x
