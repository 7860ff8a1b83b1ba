// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Condition.td - If, Select and NonZero ---------------*- tablegen -*-===//
//
// If has two bodies, one of which runs. Select chooses element by element. NonZero is the op whose result has as many
// columns as the data has nonzero elements, so a dim of it is known only after it has run.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_DIALECT_OV_IR_CONDITION_TD
#define RECUR_DIALECT_OV_IR_CONDITION_TD

include "Recur/Dialect/OV/IR/OVBase.td"

def OV_Condition : OV_Family<"Condition">;
let opDocGroup = OV_Condition in {

def OV_IfOp : OV_Op<"if", [
    RecursiveMemoryEffects, RecursivelySpeculatable, NoRegionArguments, SingleBlockImplicitTerminator<"ResultOp">,
    DeclareOpInterfaceMethods<RegionBranchOpInterface, ["getRegionInvocationBounds"]>]> {
  let layerType = "If";
  let opset = 8;
  let layerInputs = [1, -1];
  let hasOwnLayerAttributes = true;
  let importer = "buildIf";
  let exporter = "exportIf";
  let description = [{
    Runs one of two bodies and returns the operands of its `ov.result`. The bodies have no arguments; they use values
    from outside directly. The shapes of results may differ between the two bodies: a dim that differs is dynamic. See
    OpenVINO's If-8.

    Constraints:
    * C1. The condition is boolean and has one element.
    * C2. The operands of both `ov.result` have the types of the results.

    Example:
    ```mlir
    func.func @example(%c: tensor<i1>, %x: tensor<?xf32>) -> tensor<?xf32> {
      %r = ov.if %c : tensor<i1> -> tensor<?xf32> {
        %a = ov.tanh %x : tensor<?xf32>
        ov.result %a : tensor<?xf32>
      } else {
        ov.result %x : tensor<?xf32>
      }
      return %r : tensor<?xf32>
    }
    ```
  }];
  let arguments = (ins OV_BoolTensor:$condition);
  let results = (outs Variadic<OV_Tensor>:$results);
  let regions = (region SizedRegion<1>:$then_body, SizedRegion<1>:$else_body);
  let assemblyFormat = [{
    $condition `:` type($condition) (`->` type($results)^)? attr-dict-with-keyword $then_body `else` $else_body
  }];
  let moreDeclarations = [{
    /// The terminator of the `then` body if `first` is true, else of the `else` body.
    ResultOp getEnd(bool first);
  }];
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
}

def OV_ResultOp : OV_Op<"result", [Pure, Terminator, HasParent<"IfOp">,
    DeclareOpInterfaceMethods<RegionBranchTerminatorOpInterface, ["getMutableSuccessorOperands"]>]> {
  let summary = "ends a body of `ov.if`";
  let description = [{
    The operands are the results of the `ov.if` if this body runs.

    Example:
    ```mlir
    func.func @example(%c: tensor<i1>, %a: tensor<f32>, %b: tensor<f32>) -> tensor<f32> {
      %r = ov.if %c : tensor<i1> -> tensor<f32> {
        ov.result %a : tensor<f32>
      } else {
        ov.result %b : tensor<f32>
      }
      return %r : tensor<f32>
    }
    ```
  }];
  let arguments = (ins Variadic<OV_Tensor>:$values);
  let assemblyFormat = "($values^ `:` type($values))? attr-dict";
  let builders = [OpBuilder<(ins), [{ build($_builder, $_state, ::mlir::ValueRange()); }]>];
  let hasVerifier = 1;
}

def OV_SelectOp : OV_FaultingOp<"select", [OV_AxesOpInterface]> {
  let layerType = "Select";
  let semantics = "`condition ? then : else`, element by element.";
  let rules = [
    OV_SameElementType<["then_value", "else_value"]>,
    OV_Rule<"The three shapes broadcast by NumPy's rules, or agree where `auto_broadcast` is \"none\".">
  ];
  let example = [{
    func.func @example(%c: tensor<3xi1>, %a: tensor<2x3xf32>, %b: tensor<3xf32>) -> tensor<2x3xf32> {
      %0 = ov.select %c, %a, %b : (tensor<3xi1>, tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
      return %0 : tensor<2x3xf32>
    }
  }];
  let arguments = (ins OV_BoolTensor:$condition, OV_Tensor:$then_value, OV_Tensor:$else_value,
    DefaultValuedAttr<OV_AutoBroadcastAttr, "::recur::ov::AutoBroadcast::Numpy">:$auto_broadcast);
  let results = (outs OV_Tensor:$result);
  let assemblyFormat = "$condition `,` $then_value `,` $else_value attr-dict `:` functional-type(operands, results)";
}

def OV_NonZeroOp : OV_InferOp<"non_zero", [Pure]> {
  let layerType = "NonZero";
  let opset = 3;
  let semantics = [{
    The indices of the elements that are not 0, in row-major order: entry [d, i] is the index along dim d of the i-th
    such element. NaN counts as not 0. The number of these elements is known only after they have been counted.}];
  let rules = [OV_IndexType<"output_type">];
  let example = OV_Example<"%x: tensor<2x3xf32>",
                           "%0 = ov.non_zero %x {output_type = i64} : (tensor<2x3xf32>) -> tensor<2x?xi64>",
                           "tensor<2x?xi64>">.text;
  let arguments = (ins OV_Tensor:$data, Arg<TypeAttr, "", [OV_LayerDefault<"i64">]>:$output_type);
  let results = (outs OV_IndexTensor:$result);
  let assemblyFormat = "$data attr-dict `:` functional-type(operands, results)";
}

} // opDocGroup

def OV_Bucketize : OV_ExpandedLayer<"Bucketize", OV_Condition> {
  let opset = 3;
  let isWidened = false;
  let semantics = "The number of `buckets` that are less than an element, or not greater than it if `with_right_bound` "
                  "is false. For NaN it is 0, or the number of all buckets.";
  let operands = [OV_LayerOperand<"data", "Number">, OV_LayerOperand<"buckets", "Number">];
  let layerAttributes = [OV_DefaultLayerAttribute<"output_type", "Type", "i64">,
                         OV_DefaultLayerAttribute<"with_right_bound", "Boolean", "true">];
}

#endif // RECUR_DIALECT_OV_IR_CONDITION_TD
