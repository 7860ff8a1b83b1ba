// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- OVTensorOps.td - Operations on tensors ---------------*- tablegen -*-===//

#ifndef RECUR_DIALECT_OV_IR_OVTENSOROPS_TD
#define RECUR_DIALECT_OV_IR_OVTENSOROPS_TD

include "Recur/Dialect/OV/IR/OVAttrs.td"

def OV_ConstantOp : OV_Op<"constant", [Pure, ConstantLike, AllTypesMatch<["value", "result"]>,
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>]> {
  let summary = "Constant operation";
  let description = [{
    `value` is a dense attribute (up to 1 KiB) or `#ov.weights`, which stays in the weights file. The IR's `Const`.

    Example: `%0 = ov.constant dense<[1, 2]> : tensor<2xi64>`.
  }];
  let arguments = (ins TypedAttrInterface:$value);
  let results = (outs OV_Tensor:$result);
  let assemblyFormat = "attr-dict $value";
  let hasFolder = 1;
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Element-wise
//===----------------------------------------------------------------------===//

class OV_UnaryOp<string mnemonic, Type type, string opset, string semantics> : OV_Op<mnemonic,
    [Pure, Elementwise, SameOperandsAndResultType]> {
  let summary = opset # " operation";
  let description = semantics # "\n\nExample: `%0 = ov." # mnemonic # " %x : tensor<2x3xf32>`.";
  let arguments = (ins type:$input);
  let results = (outs type:$result);
  let assemblyFormat = "$input attr-dict `:` type($result)";
}

def OV_NegativeOp : OV_UnaryOp<"negative", OV_NumberTensor, "Negative", "`-x`; integers wrap.">;
def OV_AbsOp : OV_UnaryOp<"abs", OV_NumberTensor, "Abs", "`|x|`; integers wrap.">;
def OV_ExpOp : OV_UnaryOp<"exp", OV_FloatTensor, "Exp", "`e^x`, within 2.5 ulp in f32.">;
def OV_SqrtOp : OV_UnaryOp<"sqrt", OV_FloatTensor, "Sqrt", "The square root; NaN for negative values.">;
def OV_TanhOp : OV_UnaryOp<"tanh", OV_FloatTensor, "Tanh", "The hyperbolic tangent, within 2.5 ulp in f32.">;
def OV_SigmoidOp : OV_UnaryOp<"sigmoid", OV_FloatTensor, "Sigmoid", "`1 / (1 + e^-x)`, within 2.5 ulp in f32.">;
def OV_ReluOp : OV_UnaryOp<"relu", OV_NumberTensor, "ReLU", "`max(x, 0)`; NaN stays NaN.">;
def OV_LogicalNotOp : OV_UnaryOp<"logical_not", OV_BoolTensor, "LogicalNot", "`not x`.">;

def OV_ClampOp : OV_Op<"clamp", [Pure, Elementwise, SameOperandsAndResultType]> {
  let summary = "Clamp operation";
  let description = [{
    `min(max(x, min), max)`; NaN stays NaN. For integers `min` is rounded up and `max` down.

    Constraints:
    * C1. `min` is not greater than `max`.

    Example: `%0 = ov.clamp %x {min = 0.0, max = 6.0} : tensor<2xf32>`.
  }];
  let arguments = (ins OV_NumberTensor:$input, F64Attr:$min, F64Attr:$max);
  let results = (outs OV_NumberTensor:$result);
  let assemblyFormat = "$input attr-dict `:` type($result)";
  let hasVerifier = 1;
}

/// `auto_broadcast` is "numpy" or "none". C1: equal element types. C2: shapes broadcast (numpy) or agree (none).
class OV_BinaryOp<string mnemonic, Type type, Type resultType, string opset, string semantics>
    : OV_InferOp<mnemonic, [OV_Faulting]> {
  let summary = opset # " operation";
  let description = semantics # [{

    Constraints:
    * C1. The operands have the same element type.
    * C2. Their shapes broadcast by NumPy's rules, or agree where `auto_broadcast` is "none". Dims that are known only at
      run time and clash are a fault.

    }] # "Example: `%0 = ov." # mnemonic # " %a, %b : (tensor<2x3xf32>, tensor<3xf32>) -> ...`.";
  let arguments = (ins type:$lhs, type:$rhs, DefaultValuedStrAttr<StrAttr, "numpy">:$auto_broadcast);
  let results = (outs resultType:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` functional-type(operands, results)";
  let extraClassDeclaration = [{ bool canFault(); }];
}
class OV_ArithOp<string mnemonic, Type type, string opset, string semantics>
    : OV_BinaryOp<mnemonic, type, type, opset, semantics>;
class OV_CompareOp<string mnemonic, string opset, string semantics>
    : OV_BinaryOp<mnemonic, OV_Tensor, OV_BoolTensor, opset, semantics>;

def OV_AddOp : OV_ArithOp<"add", OV_NumberTensor, "Add", "`a + b`; integers wrap.">;
def OV_SubtractOp : OV_ArithOp<"subtract", OV_NumberTensor, "Subtract", "`a - b`; integers wrap.">;
def OV_MultiplyOp : OV_ArithOp<"multiply", OV_NumberTensor, "Multiply", "`a * b`; integers wrap.">;
def OV_MaximumOp : OV_ArithOp<"maximum", OV_NumberTensor, "Maximum", "The greater of `a` and `b`; NaN if either is.">;
def OV_MinimumOp : OV_ArithOp<"minimum", OV_NumberTensor, "Minimum", "The smaller of `a` and `b`; NaN if either is.">;
def OV_PowerOp : OV_ArithOp<"power", OV_NumberTensor, "Power",
  "`a` to the power of `b`, as C's pow; integers wrap, and to a negative power give the truncated inverse, 0 of 0.">;
def OV_LogicalAndOp : OV_ArithOp<"logical_and", OV_BoolTensor, "LogicalAnd", "`a and b`.">;
def OV_EqualOp : OV_CompareOp<"equal", "Equal", "`a == b`.">;
def OV_NotEqualOp : OV_CompareOp<"not_equal", "NotEqual", "`a != b`; true where either is NaN.">;
def OV_LessOp : OV_CompareOp<"less", "Less", "`a < b`.">;
def OV_LessEqualOp : OV_CompareOp<"less_equal", "LessEqual", "`a <= b`.">;
def OV_GreaterOp : OV_CompareOp<"greater", "Greater", "`a > b`.">;
def OV_GreaterEqualOp : OV_CompareOp<"greater_equal", "GreaterEqual", "`a >= b`.">;

def OV_DivideOp : OV_InferOp<"divide", [OV_Faulting]> {
  let summary = "Divide operation";
  let description = [{
    `a / b`. Integers: floored if `m_pythondiv`, else truncated; a divisor of 0 is a fault; the least value divided
    by -1 wraps.

    Constraints: C1 and C2 as of `ov.add`.

    Example: `%0 = ov.divide %a, %b : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>`.
  }];
  let arguments = (ins OV_NumberTensor:$lhs, OV_NumberTensor:$rhs, DefaultValuedStrAttr<StrAttr, "numpy">:$auto_broadcast,
    DefaultValuedAttr<BoolAttr, "true">:$m_pythondiv);
  let results = (outs OV_NumberTensor:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` functional-type(operands, results)";
  let extraClassDeclaration = [{ bool canFault(); }];
}

def OV_SelectOp : OV_InferOp<"select", [OV_Faulting]> {
  let summary = "Select operation";
  let description = [{
    `condition ? then : else`, element by element.

    Constraints:
    * C1. `then` and `else` have the same element type.
    * C2. The three shapes broadcast by NumPy's rules, or agree where `auto_broadcast` is "none".
  }];
  let arguments = (ins OV_BoolTensor:$condition, OV_Tensor:$then_value, OV_Tensor:$else_value,
    DefaultValuedStrAttr<StrAttr, "numpy">:$auto_broadcast);
  let results = (outs OV_Tensor:$result);
  let assemblyFormat = "$condition `,` $then_value `,` $else_value attr-dict `:` functional-type(operands, results)";
  let extraClassDeclaration = [{ bool canFault(); }];
}

def OV_ConvertOp : OV_Op<"convert", [Pure, Elementwise, SameOperandsAndResultShape]> {
  let summary = "Convert operation";
  let description = [{
    Changes the element type (`destination_type` is the result's). Float to integer truncates and saturates, NaN becomes 0;
    integer to narrower integer wraps; anything to boolean is `!= 0`; boolean to number is 0 or 1.
  }];
  let arguments = (ins OV_Tensor:$input);
  let results = (outs OV_Tensor:$result);
  let assemblyFormat = "$input attr-dict `:` type($input) `to` type($result)";
  let hasFolder = 1;
}

//===----------------------------------------------------------------------===//
// Matrix multiplication and cells
//===----------------------------------------------------------------------===//

def OV_MatMulOp : OV_InferOp<"matmul", [OV_Faulting]> {
  let summary = "MatMul operation";
  let description = [{
    Matrix product of the last two dims, batch dims broadcast. A rank-1 operand gets a unit dim, which is dropped from the
    result.

    Constraints:
    * C1. The operands have the same element type and rank at least 1.
    * C2. The contracted dims are equal.
    * C3. The batch dims broadcast.
  }];
  let arguments = (ins OV_NumberTensor:$a, OV_NumberTensor:$b, DefaultValuedAttr<BoolAttr, "false">:$transpose_a,
    DefaultValuedAttr<BoolAttr, "false">:$transpose_b);
  let results = (outs OV_NumberTensor:$result);
  let assemblyFormat = "$a `,` $b attr-dict `:` functional-type(operands, results)";
  let extraClassDeclaration = [{ bool canFault(); }];
}

class OV_CellOp<string mnemonic, list<Trait> traits = []> : OV_InferOp<mnemonic, !listconcat(traits, [OV_Faulting])> {
  code cellDeclaration = [{ bool canFault(); }];
  let extraClassDeclaration = cellDeclaration;
}

def OV_LSTMCellOp : OV_CellOp<"lstm_cell"> {
  let summary = "LSTMCell operation";
  let description = [{
    One step of an LSTM: `X` is [N, I], states are [N, H], `W` is [4H, I], `R` is [4H, H], `B` is [4H]; gates in the order
    f, i, c, o. `f = a0(Xf)`, `i = a0(Xi)`, `c = a1(Xc)`, `o = a0(Xo)`, `C' = f*C + i*c`, `H' = o * a2(C')`. `clip` bounds the
    arguments of the gate activations where it is not 0. (LSTMCell-1 with peepholes or another weights format, and the
    five-input spelling, become this on import.)

    Constraints:
    * C1. `hidden_size` is positive and is H of states, W, R and B.
    * C2. Batch dims agree, and so do I of X and W; all element types are equal.
    * C3. There are three activations, of sigmoid, tanh, relu, hardsigmoid; alpha and beta have one entry for each
      activation, or none.
    * C4. `clip` is not negative.
  }];
  let arguments = (ins OV_FloatTensor:$X, OV_FloatTensor:$initial_hidden_state, OV_FloatTensor:$initial_cell_state,
    OV_FloatTensor:$W, OV_FloatTensor:$R, OV_FloatTensor:$B, I64Attr:$hidden_size,
    StrArrayAttr:$activations, F64ArrayAttr:$activations_alpha, F64ArrayAttr:$activations_beta,
    DefaultValuedAttr<F64Attr, "0.0">:$clip);
  let results = (outs OV_FloatTensor:$Ho, OV_FloatTensor:$Co);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

def OV_GRUCellOp : OV_CellOp<"gru_cell"> {
  let summary = "GRUCell operation";
  let description = [{
    One step of a GRU: gates z, r, h; W is [3H, I], R is [3H, H], B is [3H], or [4H] with `linear_before_reset` (z, r, h of
    X, h of H). `H' = (1 - z) * h + z * H`.

    Constraints: C1 to C4 as of `ov.lstm_cell`, with two activations.
  }];
  let arguments = (ins OV_FloatTensor:$X, OV_FloatTensor:$initial_hidden_state, OV_FloatTensor:$W, OV_FloatTensor:$R,
    OV_FloatTensor:$B, I64Attr:$hidden_size, StrArrayAttr:$activations, F64ArrayAttr:$activations_alpha,
    F64ArrayAttr:$activations_beta, DefaultValuedAttr<F64Attr, "0.0">:$clip,
    DefaultValuedAttr<BoolAttr, "false">:$linear_before_reset);
  let results = (outs OV_FloatTensor:$Ho);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

def OV_RNNCellOp : OV_CellOp<"rnn_cell"> {
  let summary = "RNNCell operation";
  let description = [{
    One step of a plain RNN: `H' = a(clip(X*W^T + H*R^T + B))`; W is [H, I], R is [H, H], B is [H].

    Constraints: C1 to C4 as of `ov.lstm_cell`, with one activation.
  }];
  let arguments = (ins OV_FloatTensor:$X, OV_FloatTensor:$initial_hidden_state, OV_FloatTensor:$W, OV_FloatTensor:$R,
    OV_FloatTensor:$B, I64Attr:$hidden_size, StrArrayAttr:$activations, F64ArrayAttr:$activations_alpha,
    F64ArrayAttr:$activations_beta, DefaultValuedAttr<F64Attr, "0.0">:$clip);
  let results = (outs OV_FloatTensor:$Ho);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Shapes and data movement
//===----------------------------------------------------------------------===//

def OV_ShapeOfOp : OV_InferOp<"shape_of", [Pure]> {
  let summary = "ShapeOf operation";
  let description = "The dims of the input, as `output_type`, i64 or i32.";
  let arguments = (ins OV_Tensor:$data, TypeAttr:$output_type);
  let results = (outs OV_IndexTensor:$result);
  let assemblyFormat = "$data attr-dict `:` functional-type(operands, results)";
  let hasFolder = 1;
}

def OV_ReshapeOp : OV_InferOp<"reshape", [OV_Faulting]> {
  let summary = "Reshape operation";
  let description = [{
    The same elements under other dims. In `target_shape`, -1 is the dim that makes the count right, and 0, with
    `special_zero`, is the input's dim at that place.

    Constraints:
    * C1. `target_shape` has rank 1 and a static length.
    * C2. The number of elements stays; at most one entry is -1. (A fault where known only at run time.)
  }];
  let arguments = (ins OV_Tensor:$data, OV_IndexTensor:$target_shape, DefaultValuedAttr<BoolAttr, "false">:$special_zero);
  let results = (outs OV_Tensor:$result);
  let assemblyFormat = "$data `,` $target_shape attr-dict `:` functional-type(operands, results)";
  let extraClassDeclaration = [{ bool canFault(); }];
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def OV_SqueezeOp : OV_InferOp<"squeeze", [OV_Faulting]> {
  let summary = "Squeeze operation";
  let description = [{
    Drops the unit dims at `axes`, or all unit dims where there is no `axes`.

    Constraints:
    * C1. `axes` is constant, in range and without repetition.
    * C2. The dropped dims are 1. (A fault where known only at run time.)
  }];
  let arguments = (ins OV_Tensor:$data, Optional<OV_IndexTensor>:$axes);
  let results = (outs OV_Tensor:$result);
  let assemblyFormat = "$data (`,` $axes^)? attr-dict `:` functional-type(operands, results)";
  let extraClassDeclaration = [{ bool canFault(); }];
  let hasFolder = 1;
}

def OV_UnsqueezeOp : OV_InferOp<"unsqueeze", [Pure]> {
  let summary = "Unsqueeze operation";
  let description = [{
    Inserts unit dims, so that they stand at `axes` of the result.

    Constraints:
    * C1. `axes` is constant, in range of the result's rank and without repetition.
  }];
  let arguments = (ins OV_Tensor:$data, OV_IndexTensor:$axes);
  let results = (outs OV_Tensor:$result);
  let assemblyFormat = "$data `,` $axes attr-dict `:` functional-type(operands, results)";
  let hasFolder = 1;
}

def OV_TransposeOp : OV_InferOp<"transpose", [Pure]> {
  let summary = "Transpose operation";
  let description = [{
    Permutes dims: result dim i is dim `order[i]`; an empty `order` reverses them.

    Constraints:
    * C1. `order` is constant, and a permutation or empty.
  }];
  let arguments = (ins OV_Tensor:$arg, OV_IndexTensor:$input_order);
  let results = (outs OV_Tensor:$result);
  let assemblyFormat = "$arg `,` $input_order attr-dict `:` functional-type(operands, results)";
  let hasFolder = 1;
}

def OV_ConcatOp : OV_InferOp<"concat", [OV_Faulting]> {
  let summary = "Concat operation";
  let description = [{
    Puts tensors one after the other along `axis` (negative: from the end).

    Constraints:
    * C1. There is at least one operand; element types are equal; `axis` is in range.
    * C2. All dims but the axis agree.
  }];
  let arguments = (ins Variadic<OV_Tensor>:$inputs, I64Attr:$axis);
  let results = (outs OV_Tensor:$result);
  let assemblyFormat = "$inputs attr-dict `:` functional-type(operands, results)";
  let extraClassDeclaration = [{ bool canFault(); }];
  let hasFolder = 1;
}

def OV_BroadcastOp : OV_InferOp<"broadcast", [OV_Faulting]> {
  let summary = "Broadcast operation";
  let description = [{
    Repeats elements until the tensor has the shape `target_shape`. `mode` is "numpy" (dims aligned at the end),
    "explicit" (`axes_mapping[i]` is the result dim of dim i) or "bidirectional" (the shapes broadcast to each other).

    Constraints:
    * C1. `target_shape` has rank 1 and a static length.
    * C2. Dims agree or are 1. (A fault where known only at run time.)
    * C3. "explicit" has constant `axes_mapping`, one for each dim, increasing; other modes have none.
  }];
  let arguments = (ins OV_Tensor:$data, OV_IndexTensor:$target_shape, Optional<OV_IndexTensor>:$axes_mapping,
    DefaultValuedStrAttr<StrAttr, "numpy">:$mode);
  let results = (outs OV_Tensor:$result);
  let assemblyFormat = "$data `,` $target_shape (`,` $axes_mapping^)? attr-dict `:` functional-type(operands, results)";
  let extraClassDeclaration = [{ bool canFault(); }];
}

def OV_GatherOp : OV_InferOp<"gather", [OV_Faulting]> {
  let summary = "Gather operation";
  let description = [{
    Takes slices of `data` along `axis` at `indices`; the first `batch_dims` dims of both go together. `version` is that of
    the opset: in 8 negative indices count from the end. An index out of range is a fault.

    Constraints:
    * C1. `axis` is constant, has one element and is in range.
    * C2. `batch_dims` (negative: from the end of indices) is not greater than the axis or the rank of indices; the
      batch dims agree.
  }];
  let arguments = (ins OV_Tensor:$data, OV_IndexTensor:$indices, OV_IndexTensor:$axis,
    DefaultValuedAttr<I64Attr, "0">:$batch_dims, DefaultValuedAttr<I64Attr, "8">:$version);
  let results = (outs OV_Tensor:$result);
  let assemblyFormat = "$data `,` $indices `,` $axis attr-dict `:` functional-type(operands, results)";
  let extraClassDeclaration = [{ bool canFault(); }];
  let hasFolder = 1;
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

class OV_ReduceOp<string mnemonic, string opset, string semantics, Type type = OV_NumberTensor>
    : OV_InferOp<mnemonic, [Pure]> {
  let summary = opset # " operation";
  let description = semantics # [{

    Constraints:
    * C1. `reduction_axes` is constant, in range and without repetition.

    }] # "Example: `%0 = ov." # mnemonic # " %x, %axes {keep_dims = true} : ...`.";
  let arguments = (ins type:$data, OV_IndexTensor:$reduction_axes, DefaultValuedAttr<BoolAttr, "false">:$keep_dims);
  let results = (outs type:$result);
  let assemblyFormat = "$data `,` $reduction_axes attr-dict `:` functional-type(operands, results)";
}

def OV_ReduceSumOp : OV_ReduceOp<"reduce_sum", "ReduceSum", "The sum over `reduction_axes`; 0 of nothing.">;
def OV_ReduceMaxOp : OV_ReduceOp<"reduce_max", "ReduceMax",
  "The greatest over `reduction_axes`; NaN if any is; the least value of the type of nothing.">;

def OV_SoftmaxOp : OV_Op<"softmax", [Pure, SameOperandsAndResultType]> {
  let summary = "SoftMax operation";
  let description = [{
    `e^(x - max) / sum(e^(x - max))` along `axis` (negative: from the end).

    Constraints:
    * C1. `axis` is in range.
  }];
  let arguments = (ins OV_FloatTensor:$data, DefaultValuedAttr<I64Attr, "1">:$axis);
  let results = (outs OV_FloatTensor:$result);
  let assemblyFormat = "$data attr-dict `:` type($result)";
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// GatherTree
//===----------------------------------------------------------------------===//

def OV_GatherTreeOp : OV_InferOp<"gather_tree", [OV_Faulting]> {
  let summary = "GatherTree operation";
  let description = [{
    The complete beams from the ids of each step and the parents of each beam. See GatherTree-1. A parent that is used and
    is out of range is a fault; `max_seq_len` at or below 0 gives end tokens only, above MAX_TIME it is MAX_TIME;
    fractional parents and lengths truncate, NaN is a fault.

    Constraints:
    * C1. All operands have the same numeric element type.
    * C2. `step_ids` and `parent_ids` have rank 3 and the same shape.
    * C3. `max_seq_len` has rank 1 and BATCH_SIZE elements.
    * C4. `end_token` is a scalar.

    Example: `%0 = ov.gather_tree %step_ids, %parent_ids, %max_seq_len, %end_token : ...`.
  }];
  let arguments = (ins OV_NumberTensor:$step_ids, OV_NumberTensor:$parent_ids, OV_NumberTensor:$max_seq_len,
    OV_NumberTensor:$end_token);
  let results = (outs OV_NumberTensor:$final_ids);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
  let extraClassDeclaration = [{ bool canFault(); }];
}

#endif // RECUR_DIALECT_OV_IR_OVTENSOROPS_TD
