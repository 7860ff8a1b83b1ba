// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- MovementScatter.td - Movement: scatter operations ---*- tablegen -*-===//
//
// The result is the data, with updates at the places that indices name. With a `reduction`, updates combine with what
// is there; otherwise the last one stays.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_DIALECT_OV_IR_MOVEMENTSCATTER_TD
#define RECUR_DIALECT_OV_IR_MOVEMENTSCATTER_TD

include "Recur/Dialect/OV/IR/Movement.td"

def OV_ScatterElementsReduction : OV_Enum<"ScatterElementsReduction", "reduction of elements for one place",
  ["None", "Sum", "Prod", "Min", "Max", "Mean"], ["none", "sum", "prod", "min", "max", "mean"]>;
def OV_ScatterElementsReductionAttr : OV_EnumAttr<OV_ScatterElementsReduction, "scatter_elements_reduction">;
def OV_ScatterNDReduction : OV_Enum<"ScatterNDReduction", "reduction of slices for one place",
  ["None", "Sum", "Sub", "Prod", "Min", "Max"], ["none", "sum", "sub", "prod", "min", "max"]>;
def OV_ScatterNDReductionAttr : OV_EnumAttr<OV_ScatterNDReduction, "scatter_nd_reduction">;

let opDocGroup = OV_Movement in {

/// The base class of ops that replace elements of `data` at indices.
class OV_ScatteringOp<string mnemonic, string type> : OV_FaultingOp<mnemonic> {
  let layerType = type;
  let results = (outs OV_Tensor:$result);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
}

def OV_ScatterUpdateOp : OV_ScatteringOp<"scatter_update", "ScatterUpdate"> {
  let opset = 3;
  let importer = "importScatterUpdate";
  let semantics = [{
    `data`, with the slices along `axis` at `indices` replaced by those of `updates`. Negative indices count from the
    end; an index out of range is a fault. If an index occurs more than once, the last update is kept.}];
  let rules = [
    OV_ConstantAxis<"axis", "data">,
    OV_SameElementType<["data", "updates"]>,
    OV_Rule<"`updates` has the dims of `data`, with those of `indices` in place of the axis. (If known only at run "
            "time, a violation is a fault.)">
  ];
  let example = [{
    func.func @example(%x: tensor<5x3xf32>, %i: tensor<2xi64>, %u: tensor<2x3xf32>) -> tensor<5x3xf32> {
      %axis = ov.constant dense<0> : tensor<i64>
      %0 = ov.scatter_update %x, %i, %u, %axis : (tensor<5x3xf32>, tensor<2xi64>, tensor<2x3xf32>, tensor<i64>)
          -> tensor<5x3xf32>
      return %0 : tensor<5x3xf32>
    }
  }];
  let arguments = (ins OV_Tensor:$data, OV_IndexTensor:$indices, OV_Tensor:$updates, OV_IndexTensor:$axis);
  let hasFolder = 1;
}

def OV_ScatterElementsUpdateOp : OV_ScatteringOp<"scatter_elements_update", "ScatterElementsUpdate"> {
  let opset = 3;
  let importer = "importScatterElementsUpdate";
  let semantics = [{
    `data`, with elements replaced by those of `updates`. An update goes to its own position in `data`, except that its
    index along `axis` is the element of `indices` at that position.

    With a `reduction` ("sum", "prod", "min", "max", "mean"), the updates of one element are combined with each other,
    and also with the element of `data` if `use_init_val` is true. For booleans, "sum" and "max" are or, "prod" and
    "min" are and. The mean of integers is floored. With "none", the last update of an element is kept.

    Negative indices count from the end; an index out of range is a fault.}];
  let rules = [
    OV_ConstantAxis<"axis", "data">,
    OV_SameElementType<["data", "updates"]>,
    OV_Rule<"`indices` and `updates` have one shape, of the rank of `data`; no dim but that of the axis is greater "
            "than that of `data`. (If known only at run time, a violation is a fault.)">,
    OV_Rule<"The reduction \"mean\" needs numbers.">
  ];
  let example = [{
    func.func @example(%x: tensor<5x3xf32>, %i: tensor<2x3xi64>, %u: tensor<2x3xf32>) -> tensor<5x3xf32> {
      %axis = ov.constant dense<0> : tensor<i64>
      %0 = ov.scatter_elements_update %x, %i, %u, %axis {reduction = #ov.scatter_elements_reduction<sum>}
          : (tensor<5x3xf32>, tensor<2x3xi64>, tensor<2x3xf32>, tensor<i64>) -> tensor<5x3xf32>
      return %0 : tensor<5x3xf32>
    }
  }];
  let arguments = (ins OV_Tensor:$data, OV_IndexTensor:$indices, OV_Tensor:$updates, OV_IndexTensor:$axis,
    Arg<DefaultValuedAttr<OV_ScatterElementsReductionAttr, "::recur::ov::ScatterElementsReduction::None">, "",
        [OV_Since<12>]>:$reduction,
    Arg<DefaultValuedAttr<BoolAttr, "true">, "", [OV_Since<12>]>:$use_init_val);
}

def OV_ScatterNDUpdateOp : OV_ScatteringOp<"scatter_nd_update", "ScatterNDUpdate"> {
  let opset = 4;
  let importer = "importScatterNDUpdate";
  let semantics = [{
    `data`, with slices replaced by those of `updates`, or combined with them by `reduction` ("sum", "sub", "prod",
    "min", "max"; for booleans as in `ov.scatter_elements_update`, and "sub" is exclusive or). The last dim of
    `indices` holds the coordinates of one slice. Negative coordinates count from the end; a coordinate out of range is
    a fault. Without a reduction, the last update of a slice is kept.}];
  let rules = [
    OV_AtLeastRank<"indices", 1>,
    OV_Rule<"The last dim of `indices` is static, and not greater than the rank of `data`.",
            "expectCoordinates(report, \"indices\", $indices, $data)">,
    OV_SameElementType<["data", "updates"]>,
    OV_Rule<"`updates` has the dims of `indices` but the last, and those of `data` that have no coordinate. (If "
            "known only at run time, a violation is a fault.)">
  ];
  let example = [{
    func.func @example(%x: tensor<5x4x3xf32>, %i: tensor<2x2xi64>, %u: tensor<2x3xf32>) -> tensor<5x4x3xf32> {
      %0 = ov.scatter_nd_update %x, %i, %u : (tensor<5x4x3xf32>, tensor<2x2xi64>, tensor<2x3xf32>) -> tensor<5x4x3xf32>
      return %0 : tensor<5x4x3xf32>
    }
  }];
  let arguments = (ins OV_Tensor:$data, OV_IndexTensor:$indices, OV_Tensor:$updates,
    Arg<DefaultValuedAttr<OV_ScatterNDReductionAttr, "::recur::ov::ScatterNDReduction::None">, "",
        [OV_Since<15>]>:$reduction);
}

} // opDocGroup

def OV_SliceScatter : OV_ExpandedLayer<"SliceScatter", OV_Movement> {
  let opset = 15;
  let isWidened = false;
  let semantics = "`data`, with the elements that Slice would take replaced by `updates`.";
  let operands = [OV_LayerOperand<"data">, OV_LayerOperand<"updates">, OV_LayerOperand<"start", "Index">,
                  OV_LayerOperand<"stop", "Index">, OV_LayerOperand<"step", "Index">,
                  OV_OptionalLayerOperand<"axes", "Index">];
}

#endif // RECUR_DIALECT_OV_IR_MOVEMENTSCATTER_TD
