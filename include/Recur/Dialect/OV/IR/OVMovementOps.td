// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- OVMovementOps.td - Slices, indexing, convolution -----*- tablegen -*-===//

#ifndef RECUR_DIALECT_OV_IR_OVMOVEMENTOPS_TD
#define RECUR_DIALECT_OV_IR_OVMOVEMENTOPS_TD

include "Recur/Dialect/OV/IR/OVBase.td"

class OV_MovementOp<string mnemonic, list<Trait> traits = []>
    : OV_InferOp<mnemonic, !listconcat(traits, [OV_Faulting])> {
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
  let extraClassDeclaration = [{ bool canFault(); }];
}

//===----------------------------------------------------------------------===//
// Parts of a tensor
//===----------------------------------------------------------------------===//

def OV_SplitOp : OV_MovementOp<"split"> {
  let summary = "Split operation";
  let description = [{
    `num_splits` equal parts along `axis` (negative: from the end).

    Constraints:
    * C1. `axis` is constant, has one element and is in range.
    * C2. `num_splits` is positive, and the number of results.
    * C3. `num_splits` divides the dim. (A fault where known only at run time.)

    Example: `%0:2 = ov.split %x, %axis {num_splits = 2} : (tensor<4xf32>, tensor<i64>) -> (tensor<2xf32>, tensor<2xf32>)`.
  }];
  let arguments = (ins OV_Tensor:$data, OV_IndexTensor:$axis, I64Attr:$num_splits);
  let results = (outs Variadic<OV_Tensor>:$parts);
  let hasFolder = 1;
}

def OV_VariadicSplitOp : OV_MovementOp<"variadic_split"> {
  let summary = "VariadicSplit operation";
  let description = [{
    Parts along `axis` (negative: from the end), of `split_lengths`; one length may be -1, and is what the others leave.

    Constraints:
    * C1. `axis` is constant, has one element and is in range.
    * C2. `split_lengths` has rank 1 and a static length, the number of results.
    * C3. At most one length is -1, no other is negative, and they make up the dim. (A fault where known only at run
      time.)
  }];
  let arguments = (ins OV_Tensor:$data, OV_IndexTensor:$axis, OV_IndexTensor:$split_lengths);
  let results = (outs Variadic<OV_Tensor>:$parts);
  let hasFolder = 1;
}

def OV_SliceOp : OV_MovementOp<"slice"> {
  let summary = "Slice operation";
  let description = [{
    The elements from `start` to `stop`, which is left out, by `step`, along each of `axes` (without: the first axes).
    Negative bounds count from the end; bounds beyond the tensor are its ends. A step of 0 is a fault.

    Constraints:
    * C1. `start`, `stop`, `step` and `axes` have rank 1 and one static length, not above the rank of `data`.
    * C2. `axes` is constant, in range and without repetition.
    * C3. No step is 0.

    Example: `%0 = ov.slice %x, %start, %stop, %step, %axes : ...`.
  }];
  let arguments = (ins OV_Tensor:$data, OV_IndexTensor:$start, OV_IndexTensor:$stop, OV_IndexTensor:$step,
    Optional<OV_IndexTensor>:$axes);
  let results = (outs OV_Tensor:$result);
  let hasFolder = 1;
}

def OV_StridedSliceOp : OV_MovementOp<"strided_slice"> {
  let summary = "StridedSlice operation";
  let description = [{
    As `ov.slice` from `begin` to `end` by `strides` (without: 1), an entry for each dim from the first. Where a mask is 1,
    `begin_mask` and `end_mask` leave out the bound; `new_axis_mask` makes a unit dim, for which there is no dim of `data`;
    `shrink_axis_mask` takes the one element at `begin` and drops the dim (an index out of range is a fault);
    `ellipsis_mask`, at one place at most, is all dims that the other entries leave. A mask that is shorter than `begin` goes
    on with 0. An ellipsis outranks a new axis, which outranks shrinking.

    Constraints:
    * C1. `begin`, `end` and `strides` have rank 1 and one static length, and need no more dims than `data` has.
    * C2. The masks are 0 and 1, and there is one ellipsis at most.
    * C3. No stride is 0.
  }];
  let arguments = (ins OV_Tensor:$data, OV_IndexTensor:$begin, OV_IndexTensor:$end, Optional<OV_IndexTensor>:$strides,
    DenseI64ArrayAttr:$begin_mask, DenseI64ArrayAttr:$end_mask,
    DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$new_axis_mask,
    DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$shrink_axis_mask,
    DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$ellipsis_mask);
  let results = (outs OV_Tensor:$result);
  let hasFolder = 1;
}

//===----------------------------------------------------------------------===//
// Greater tensors
//===----------------------------------------------------------------------===//

def OV_TileOp : OV_MovementOp<"tile"> {
  let summary = "Tile operation";
  let description = [{
    The tensor `repeats[i]` times one after the other along each dim. Dims and repeats are aligned at the end; what is
    missing is 1. Negative repeats are 0.

    Constraints:
    * C1. `repeats` has rank 1 and a static length.
  }];
  let arguments = (ins OV_Tensor:$data, OV_IndexTensor:$repeats);
  let results = (outs OV_Tensor:$result);
  let hasFolder = 1;
}

def OV_PadOp : OV_MovementOp<"pad"> {
  let summary = "Pad operation";
  let description = [{
    More elements in front of and behind each dim: `pad_value` (without: 0) in mode "constant", the element at the edge in
    mode "edge", the tensor mirrored in modes "reflect" (without the edge) and "symmetric" (with it). Negative pads take
    elements away.

    Constraints:
    * C1. `pads_begin` and `pads_end` have rank 1 and an entry for each dim.
    * C2. `pad_mode` is "constant", "edge", "reflect" or "symmetric"; `pad_value` is a scalar of the type of the data.
    * C3. No dim of the result is negative; "edge" has an element to repeat, pads of "reflect" are less than the dim, those
      of "symmetric" not greater. (A fault where known only at run time.)
  }];
  let arguments = (ins OV_Tensor:$data, OV_IndexTensor:$pads_begin, OV_IndexTensor:$pads_end,
    Optional<OV_Tensor>:$pad_value, StrAttr:$pad_mode);
  let results = (outs OV_Tensor:$result);
}

def OV_RangeOp : OV_MovementOp<"range"> {
  let summary = "Range operation";
  let description = [{
    `start`, `start + step`, ... up to `stop`, which is left out, of type `output_type`. Where that is an integer,
    floating-point operands are truncated first. A step of 0, and operands that are not finite, are a fault.

    Constraints:
    * C1. The operands have one element, and rank 0 or 1.
    * C2. The step is not 0.
  }];
  let arguments = (ins OV_NumberTensor:$start, OV_NumberTensor:$stop, OV_NumberTensor:$step, TypeAttr:$output_type);
  let results = (outs OV_NumberTensor:$result);
  let hasFolder = 1;
}

def OV_OneHotOp : OV_MovementOp<"one_hot"> {
  let summary = "OneHot operation";
  let description = [{
    A new dim of `depth` elements at `axis` (negative: from the end of the result): `on_value` at the index that stands in
    `indices`, `off_value` elsewhere. An index out of range gives `off_value` alone, as does a negative one, unless
    `negative_indices_mode` is "normalize": then it counts from `depth`.

    Constraints:
    * C1. `depth` is a scalar and not negative. (A fault where known only at run time.)
    * C2. `on_value` and `off_value` are scalars of one type.
    * C3. `axis` is in range.
    * C4. `negative_indices_mode` is "ignore_negative" or "normalize".
  }];
  let arguments = (ins OV_IntegerTensor:$indices, OV_IndexTensor:$depth, OV_Tensor:$on_value, OV_Tensor:$off_value,
    I64Attr:$axis, DefaultValuedStrAttr<StrAttr, "ignore_negative">:$negative_indices_mode);
  let results = (outs OV_Tensor:$result);
}

def OV_ReverseSequenceOp : OV_MovementOp<"reverse_sequence"> {
  let summary = "ReverseSequence operation";
  let description = [{
    For each index of `batch_axis`, the first `seq_lengths` elements along `seq_axis` in reverse order; the others stay.
    A length that is negative or greater than the dim is a fault. Fractional lengths truncate.

    Constraints:
    * C1. The axes (negative: from the end) are in range, and differ.
    * C2. `seq_lengths` has rank 1 and a length for each index of the batch axis.
  }];
  let arguments = (ins OV_Tensor:$data, OV_NumberTensor:$seq_lengths, DefaultValuedAttr<I64Attr, "0">:$batch_axis,
    DefaultValuedAttr<I64Attr, "1">:$seq_axis);
  let results = (outs OV_Tensor:$result);
}

//===----------------------------------------------------------------------===//
// Indexing
//===----------------------------------------------------------------------===//

def OV_GatherElementsOp : OV_MovementOp<"gather_elements"> {
  let summary = "GatherElements operation";
  let description = [{
    For each place in `indices`, the element of `data` at the same place but for `axis`, where the index stands. Negative
    indices count from the end; an index out of range is a fault.

    Constraints:
    * C1. `axis` is in range.
    * C2. `data` and `indices` have one rank, and equal dims but along `axis`.
  }];
  let arguments = (ins OV_Tensor:$data, OV_IndexTensor:$indices, I64Attr:$axis);
  let results = (outs OV_Tensor:$result);
}

def OV_GatherNDOp : OV_MovementOp<"gather_nd"> {
  let summary = "GatherND operation";
  let description = [{
    Slices of `data` at the coordinates that the last dim of `indices` holds; the first `batch_dims` dims of both go
    together. Negative coordinates count from the end; one out of range is a fault. `version` is that of the opset: in 5
    the batch dims of the result are one.

    Constraints:
    * C1. `indices` has rank 1 at least, and a static last dim.
    * C2. `batch_dims` is less than the rank of `indices` and not greater than that of `data`; the batch dims agree.
    * C3. There are no more coordinates than `data` has other dims.
  }];
  let arguments = (ins OV_Tensor:$data, OV_IndexTensor:$indices, DefaultValuedAttr<I64Attr, "0">:$batch_dims,
    DefaultValuedAttr<I64Attr, "8">:$version);
  let results = (outs OV_Tensor:$result);
}

def OV_ScatterUpdateOp : OV_MovementOp<"scatter_update"> {
  let summary = "ScatterUpdate operation";
  let description = [{
    `data` with the slices along `axis` at `indices` replaced by those of `updates`. Negative indices count from the end; an
    index out of range is a fault; of equal indices the last counts.

    Constraints:
    * C1. `axis` is constant, has one element and is in range.
    * C2. `updates` has the dims of `data`, with those of `indices` in place of the axis, and its element type.

    Example: `%0 = ov.scatter_update %buffer, %i, %row, %axis : ...`.
  }];
  let arguments = (ins OV_Tensor:$data, OV_IndexTensor:$indices, OV_Tensor:$updates, OV_IndexTensor:$axis);
  let results = (outs OV_Tensor:$result);
  let hasFolder = 1;
}

def OV_ScatterElementsUpdateOp : OV_MovementOp<"scatter_elements_update"> {
  let summary = "ScatterElementsUpdate operation";
  let description = [{
    `data` with each element of `updates` at the same place but for `axis`, where the element of `indices` stands. With a
    `reduction` ("sum", "prod", "min", "max", "mean") they are combined with each other, and with the element of `data`
    if `use_init_val`; of booleans, "sum" and "max" are or, "prod" and "min" are and; the mean of integers is floored.
    Without ("none") the last of equal indices counts. Negative indices count from the end; an index out of range is a fault.

    Constraints:
    * C1. `axis` is constant, has one element and is in range.
    * C2. `indices` and `updates` have one shape, of the rank of `data`; no dim but that of the axis is greater than that
      of `data`. Element types of `data` and `updates` are equal.
    * C3. `reduction` is one of those; "mean" is of numbers.
  }];
  let arguments = (ins OV_Tensor:$data, OV_IndexTensor:$indices, OV_Tensor:$updates, OV_IndexTensor:$axis,
    DefaultValuedStrAttr<StrAttr, "none">:$reduction, DefaultValuedAttr<BoolAttr, "true">:$use_init_val);
  let results = (outs OV_Tensor:$result);
}

def OV_ScatterNDUpdateOp : OV_MovementOp<"scatter_nd_update"> {
  let summary = "ScatterNDUpdate operation";
  let description = [{
    `data` with the slices at the coordinates that the last dim of `indices` holds replaced by those of `updates`, or
    combined with them by `reduction` ("sum", "sub", "prod", "min", "max"; as of `ov.scatter_elements_update`). Negative
    coordinates count from the end; one out of range is a fault; of equal coordinates the last counts.

    Constraints:
    * C1. `indices` has rank 1 at least, and a static last dim, not greater than the rank of `data`.
    * C2. `updates` has the dims of `indices` but the last, and those of `data` that have no coordinate; its element type.
    * C3. `reduction` is one of those or "none"; "sub" is of numbers.
  }];
  let arguments = (ins OV_Tensor:$data, OV_IndexTensor:$indices, OV_Tensor:$updates,
    DefaultValuedStrAttr<StrAttr, "none">:$reduction);
  let results = (outs OV_Tensor:$result);
}

//===----------------------------------------------------------------------===//
// Convolution
//===----------------------------------------------------------------------===//

class OV_ConvolutionOpBase<string mnemonic> : OV_MovementOp<mnemonic> {
  let arguments = (ins OV_NumberTensor:$data, OV_NumberTensor:$filters, DenseI64ArrayAttr:$strides,
    DenseI64ArrayAttr:$pads_begin, DenseI64ArrayAttr:$pads_end, DenseI64ArrayAttr:$dilations,
    DefaultValuedStrAttr<StrAttr, "explicit">:$auto_pad);
  let results = (outs OV_NumberTensor:$result);
}

def OV_ConvolutionOp : OV_ConvolutionOpBase<"convolution"> {
  let summary = "Convolution operation";
  let description = [{
    `data` is [N, I, spatial...] with one to three spatial dims, `filters` [O, I, kernel...], the result [N, O, spatial...].
    `auto_pad` "valid" is no pads, "same_upper" and "same_lower" are those that make a spatial dim ceil(dim / stride) (one
    that is left over goes to the end or the beginning), "explicit" is `pads_begin` and `pads_end`.

    Constraints:
    * C1. `data` and `filters` have one rank, 3 to 5, and one element type.
    * C2. The attributes have an entry for each spatial dim; strides and dilations are positive, pads not negative;
      `auto_pad` is one of those.
    * C3. The channels agree, and the kernel is not greater than the padded dims. (A fault where known only at run time.)
  }];
}

def OV_GroupConvolutionOp : OV_ConvolutionOpBase<"group_convolution"> {
  let summary = "GroupConvolution operation";
  let description = [{
    As `ov.convolution`, for each group of channels apart: `filters` is [G, O, I, kernel...], the channels of `data` are
    G * I, those of the result G * O.

    Constraints: C1 to C3 as of `ov.convolution`, with one more dim of `filters`.
  }];
}

#endif // RECUR_DIALECT_OV_IR_OVMOVEMENTOPS_TD
