# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Cases of conversions to another element type."""
import numpy as np

from op_cases import op


@op("ConvertPromoteTypes", opset=14, element="f32", inputs=(np.array([1, -2], np.int32), np.array([0.5], np.float32)),
    promote_unsafe="true")
def convert_promote_types(a, b):
    return a.astype(np.float32), b


@op("ConvertPromoteTypes", opset=14, element="i64", inputs=(np.array([200, 3], np.uint8), np.array([-5], np.int64)))
def convert_promote_types_integers(a, b):
    return a.astype(np.int64), b


@op("ConvertPromoteTypes", opset=14, element="i32", inputs=(np.array([True, False]), np.array([-5], np.int32)))
def convert_promote_types_boolean(a, b):
    return a.astype(np.int32), b


@op("ConvertPromoteTypes", opset=14, element="i32", inputs=(np.array([7, 8], np.int32), np.array(-5, np.int64)),
    pytorch_scalar_promotion="true", promote_unsafe="true")
def convert_promote_types_scalar(a, b):
    """A scalar takes the type of the tensor."""
    return a, b.astype(np.int32)
