// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- MovementSlice.td - Movement: parts of a tensor ------*- tablegen -*-===//
//
// Operations that take slices of a tensor: equal ones, ones of given lengths, and ranges with a step along some axes.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_DIALECT_OV_IR_MOVEMENTSLICE_TD
#define RECUR_DIALECT_OV_IR_MOVEMENTSLICE_TD

include "Recur/Dialect/OV/IR/Movement.td"

let opDocGroup = OV_Movement in {

/// The base class of ops whose results are parts of `data`.
class OV_SlicingOp<string mnemonic, string type> : OV_FaultingOp<mnemonic, [OV_KnowsElements, OV_MapsAxes]> {
  let layerType = type;
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
  let hasFolder = 1;
}

def OV_SplitOp : OV_SlicingOp<"split", "Split"> {
  let importer = "importSplit";
  let semantics = "`num_splits` equal parts along `axis` (negative: from the end).";
  let rules = [
    OV_ConstantAxis<"axis", "data">,
    OV_Rule<"`num_splits` is positive, and the number of results.",
            "expectParts(report, \"num_splits\", $num_splits, 1)">,
    OV_Rule<"`num_splits` divides the dim. (If known only at run time, a violation is a fault.)">
  ];
  let example = [{
    func.func @example(%x: tensor<4xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
      %axis = ov.constant dense<0> : tensor<i64>
      %0:2 = ov.split %x, %axis {num_splits = 2} : (tensor<4xf32>, tensor<i64>) -> (tensor<2xf32>, tensor<2xf32>)
      return %0#0, %0#1 : tensor<2xf32>, tensor<2xf32>
    }
  }];
  let arguments = (ins OV_Tensor:$data, OV_IndexTensor:$axis, I64Attr:$num_splits);
  let results = (outs Variadic<OV_Tensor>:$parts);
}

def OV_VariadicSplitOp : OV_SlicingOp<"variadic_split", "VariadicSplit"> {
  let importer = "importVariadicSplit";
  let semantics = [{
    Parts along `axis` (negative: from the end); `split_lengths` are their lengths. One length may be -1: it is the rest
    of the dim.}];
  let rules = [
    OV_ConstantAxis<"axis", "data">,
    OV_IntegerList<["split_lengths"]>,
    OV_Rule<"There is a result for each entry.", "expectParts(report, \"split_lengths\", "
            "shapeOf($split_lengths)[0], 0)">,
    OV_Rule<"At most one length is -1, no other is negative, and they make up the dim. (If known only at run time, "
            "a violation is a fault.)">
  ];
  let example = [{
    func.func @example(%x: tensor<4xf32>) -> (tensor<1xf32>, tensor<3xf32>) {
      %axis = ov.constant dense<0> : tensor<i64>
      %lengths = ov.constant dense<[1, -1]> : tensor<2xi64>
      %0:2 = ov.variadic_split %x, %axis, %lengths : (tensor<4xf32>, tensor<i64>, tensor<2xi64>)
          -> (tensor<1xf32>, tensor<3xf32>)
      return %0#0, %0#1 : tensor<1xf32>, tensor<3xf32>
    }
  }];
  let arguments = (ins OV_Tensor:$data, OV_IndexTensor:$axis, OV_IndexTensor:$split_lengths);
  let results = (outs Variadic<OV_Tensor>:$parts);
}

def OV_SliceOp : OV_SlicingOp<"slice", "Slice"> {
  let opset = 8;
  let semantics = [{
    The elements from `start` to `stop` (exclusive) by `step`, along each of `axes` (if absent: the first axes).
    Negative bounds count from the end; bounds beyond the tensor are clamped to its ends. A step of 0 is a fault.}];
  let rules = [
    OV_Rule<"`start`, `stop`, `step` and `axes` have rank 1 and one static length, not above the rank of `data`.">,
    OV_Rule<"`axes` is in range (negative: from the end) and without repetition. (If known only at run time, a "
            "violation is a fault.)">,
    OV_Rule<"No step is 0.">
  ];
  let example = [{
    func.func @example(%x: tensor<9xf32>, %start: tensor<1xi64>, %stop: tensor<1xi64>, %step: tensor<1xi64>,
        %axes: tensor<1xi64>) -> tensor<?xf32> {
      %0 = ov.slice %x, %start, %stop, %step, %axes : (tensor<9xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>,
          tensor<1xi64>) -> tensor<?xf32>
      return %0 : tensor<?xf32>
    }
  }];
  let arguments = (ins OV_Tensor:$data, OV_IndexTensor:$start, OV_IndexTensor:$stop, OV_IndexTensor:$step,
    Optional<OV_IndexTensor>:$axes);
  let results = (outs OV_Tensor:$result);
}

def OV_StridedSliceOp : OV_SlicingOp<"strided_slice", "StridedSlice"> {
  let semantics = [{
    As `ov.slice` from `begin` to `end` by `strides` (1 if absent), with one entry for each dim, starting at the first.
    The masks have one entry for each entry of `begin`; a shorter mask is continued with 0. An entry of 1 has this
    effect:

    * `begin_mask` and `end_mask`: the bound is ignored.
    * `new_axis_mask`: the result gets a unit dim that no dim of `data` corresponds to.
    * `shrink_axis_mask`: the element at `begin` is taken, and the dim is dropped. An index out of range is a fault.
    * `ellipsis_mask`: the entry stands for all dims that the other entries do not use. At most one entry is 1.

    An ellipsis has priority over a new axis, which has priority over shrinking.}];
  let rules = [
    OV_Rule<"`begin`, `end` and `strides` have rank 1 and one static length, and need no more dims than `data` has.">,
    OV_Rule<"The masks are 0 and 1, and there is one ellipsis at most.">,
    OV_Rule<"No stride is 0.">
  ];
  let example = [{
    func.func @example(%x: tensor<9x4xf32>, %begin: tensor<2xi64>, %end: tensor<2xi64>) -> tensor<4xf32> {
      %0 = ov.strided_slice %x, %begin, %end {begin_mask = array<i64: 0, 1>, end_mask = array<i64: 0, 1>,
          shrink_axis_mask = array<i64: 1, 0>} : (tensor<9x4xf32>, tensor<2xi64>, tensor<2xi64>) -> tensor<4xf32>
      return %0 : tensor<4xf32>
    }
  }];
  let arguments = (ins OV_Tensor:$data, OV_IndexTensor:$begin, OV_IndexTensor:$end, Optional<OV_IndexTensor>:$strides,
    Arg<DenseI64ArrayAttr, "", [OV_LayerDefault<"">]>:$begin_mask,
    Arg<DenseI64ArrayAttr, "", [OV_LayerDefault<"">]>:$end_mask,
    DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$new_axis_mask,
    DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$shrink_axis_mask,
    DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$ellipsis_mask);
  let results = (outs OV_Tensor:$result);
}

} // opDocGroup

#endif // RECUR_DIALECT_OV_IR_MOVEMENTSLICE_TD
