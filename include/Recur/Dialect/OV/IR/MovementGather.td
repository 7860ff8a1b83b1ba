// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- MovementGather.td - Movement: gather operations -----*- tablegen -*-===//
//
// Each result element is the element of the data that an index names. An index out of range is a fault, unless the
// operation says otherwise. GatherTree follows the parents of beams backward through time.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_DIALECT_OV_IR_MOVEMENTGATHER_TD
#define RECUR_DIALECT_OV_IR_MOVEMENTGATHER_TD

include "Recur/Dialect/OV/IR/Movement.td"

let opDocGroup = OV_Movement in {

/// The base class of ops that take elements of `data` at indices.
class OV_GatheringOp<string mnemonic, string type, list<Trait> traits = []> : OV_FaultingOp<mnemonic, traits> {
  let layerType = type;
  let results = (outs OV_Tensor:$result);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
}

def OV_GatherOp : OV_GatheringOp<"gather", "Gather", [
    OV_KnowsElements, DeclareOpInterfaceMethods<OV_WeightsOpInterface>, OV_MapsAxes]> {
  let importer = "importGather";
  let semantics = [{
    Takes slices of `data` along `axis` at `indices`. The first `batch_dims` dims of `data` and `indices` are batch
    dims, which both share. `version` is the opset that defines the operation: since 8, negative indices count from the
    end. An index out of range is a fault.}];
  let rules = [
    OV_ConstantAxis<"axis", "data">,
    OV_Rule<"`batch_dims` (negative: from the end of indices) is not greater than the axis or the rank of indices.">,
    OV_Rule<"The batch dims agree. (If known only at run time, a violation is a fault.)">
  ];
  let example = [{
    func.func @example(%x: tensor<5x3xf32>, %i: tensor<2xi64>) -> tensor<2x3xf32> {
      %axis = ov.constant dense<0> : tensor<i64>
      %0 = ov.gather %x, %i, %axis : (tensor<5x3xf32>, tensor<2xi64>, tensor<i64>) -> tensor<2x3xf32>
      return %0 : tensor<2x3xf32>
    }
  }];
  let arguments = (ins OV_Tensor:$data, OV_IndexTensor:$indices, OV_IndexTensor:$axis,
    Arg<DefaultValuedAttr<I64Attr, "0">, "", [OV_Since<7>]>:$batch_dims,
    Arg<DefaultValuedAttr<I64Attr, "8">, "", [OV_Version<[1, 7, 8]>]>:$version);
  let hasFolder = 1;
}

def OV_GatherElementsOp : OV_GatheringOp<"gather_elements", "GatherElements", [OV_MapsAxes]> {
  let opset = 6;
  let semantics = [{
    Each element of the result is the element of `data` at the same position, except that its index along `axis` is the
    element of `indices` at that position. Negative indices count from the end; an index out of range is a fault.}];
  let rules = [
    OV_Axis<"axis", "data">,
    OV_Rule<"`data` and `indices` have one rank, and equal dims but along `axis`. (If known only at run time, a "
            "violation is a fault.)">
  ];
  let example = [{
    func.func @example(%x: tensor<5x3xf32>, %i: tensor<2x3xi64>) -> tensor<2x3xf32> {
      %0 = ov.gather_elements %x, %i {axis = 0} : (tensor<5x3xf32>, tensor<2x3xi64>) -> tensor<2x3xf32>
      return %0 : tensor<2x3xf32>
    }
  }];
  let arguments = (ins OV_Tensor:$data, OV_IndexTensor:$indices, I64Attr:$axis);
}

def OV_GatherNDOp : OV_GatheringOp<"gather_nd", "GatherND"> {
  let opset = 5;
  let semantics = [{
    Takes slices of `data` at coordinates; the last dim of `indices` holds the coordinates of one slice. The first
    `batch_dims` dims of `data` and `indices` are batch dims, which both share. Negative coordinates count from the end;
    a coordinate out of range is a fault. `version` is the opset that defines the operation: in 5, the batch dims of the
    result are flattened to one dim.}];
  let rules = [
    OV_AtLeastRank<"indices", 1>,
    OV_Rule<"The last dim of `indices` is static.", "expectStaticLastDim(report, \"indices\", $indices)">,
    OV_Rule<"`batch_dims` is less than the rank of `indices` and not greater than that of `data`; the batch dims "
            "agree.">,
    OV_Rule<"There are no more coordinates than `data` has other dims.">
  ];
  let example = OV_Example<"%x: tensor<5x4x3xf32>, %i: tensor<2x2xi64>",
                           "%0 = ov.gather_nd %x, %i : (tensor<5x4x3xf32>, tensor<2x2xi64>) -> tensor<2x3xf32>",
                           "tensor<2x3xf32>">.text;
  let arguments = (ins OV_Tensor:$data, OV_IndexTensor:$indices, DefaultValuedAttr<I64Attr, "0">:$batch_dims,
    Arg<DefaultValuedAttr<I64Attr, "8">, "", [OV_Version<[5, 8]>]>:$version);
}

def OV_GatherTreeOp : OV_FaultingOp<"gather_tree"> {
  let layerType = "GatherTree";
  let semantics = [{
    Builds the complete beams from the ids of each step and the parents of each beam. See GatherTree-1. A parent that is
    used and out of range is a fault. If an entry of `max_seq_len` is 0 or less, the result has end tokens only; an
    entry above MAX_TIME means MAX_TIME. Fractional parents and lengths are truncated; NaN is a fault.}];
  let rules = [
    OV_SameElementType<["step_ids", "parent_ids", "max_seq_len", "end_token"]>,
    OV_Rank<"step_ids", 3>, OV_Rank<"parent_ids", 3>, OV_Rank<"max_seq_len", 1>, OV_Rank<"end_token", 0>,
    OV_Rule<"`step_ids` and `parent_ids` have the same shape. (If known only at run time, a violation is a fault.)">,
    OV_Rule<"`max_seq_len` has BATCH_SIZE elements. (If known only at run time, a violation is a fault.)">
  ];
  let example = [{
    func.func @example(%step_ids: tensor<9x2x3xi32>, %parent_ids: tensor<9x2x3xi32>, %max_seq_len: tensor<2xi32>,
        %end_token: tensor<i32>) -> tensor<9x2x3xi32> {
      %0 = ov.gather_tree %step_ids, %parent_ids, %max_seq_len, %end_token : (tensor<9x2x3xi32>, tensor<9x2x3xi32>,
          tensor<2xi32>, tensor<i32>) -> tensor<9x2x3xi32>
      return %0 : tensor<9x2x3xi32>
    }
  }];
  let arguments = (ins OV_NumberTensor:$step_ids, OV_NumberTensor:$parent_ids, OV_NumberTensor:$max_seq_len,
    OV_NumberTensor:$end_token);
  let results = (outs OV_NumberTensor:$final_ids);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
}

} // opDocGroup

#endif // RECUR_DIALECT_OV_IR_MOVEMENTGATHER_TD
