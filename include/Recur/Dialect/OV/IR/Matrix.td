// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Matrix.td - Products of matrices --------------------*- tablegen -*-===//
//
// Products of matrices along the last two dims; the dims before them are batches, which broadcast.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_DIALECT_OV_IR_MATRIX_TD
#define RECUR_DIALECT_OV_IR_MATRIX_TD

include "Recur/Dialect/OV/IR/OVBase.td"

def OV_Matrix : OV_Family<"Matrix">;
let opDocGroup = OV_Matrix in {

def OV_MatMulOp : OV_FaultingOp<"matmul", [DeclareOpInterfaceMethods<OV_WeightsOpInterface>,
                                            OV_MapsAxes]> {
  let layerType = "MatMul";
  let importer = "importMatMul";
  let semantics = [{
    The matrix product over the last two dims; the other dims are batch dims and broadcast. An operand of rank 1 gets a
    unit dim, which is dropped from the result.}];
  let rules = [
    OV_SameElementType<["a", "b"]>,
    OV_AtLeastRank<"a", 1>, OV_AtLeastRank<"b", 1>,
    OV_Rule<"The contracted dims are equal. (If known only at run time, a violation is a fault.)">,
    OV_Rule<"The batch dims broadcast. (If known only at run time, a violation is a fault.)">
  ];
  let example = [{
    func.func @example(%x: tensor<1x3xf32>, %w: tensor<4x3xf32>) -> tensor<1x4xf32> {
      %0 = ov.matmul %x, %w {transpose_b = true} : (tensor<1x3xf32>, tensor<4x3xf32>) -> tensor<1x4xf32>
      return %0 : tensor<1x4xf32>
    }
  }];
  let arguments = (ins OV_NumberTensor:$a, OV_NumberTensor:$b, DefaultValuedAttr<BoolAttr, "false">:$transpose_a,
    DefaultValuedAttr<BoolAttr, "false">:$transpose_b);
  let results = (outs OV_NumberTensor:$result);
  let assemblyFormat = "$a `,` $b attr-dict `:` functional-type(operands, results)";
  let hasCanonicalizer = 1;
}

} // opDocGroup

def OV_Einsum : OV_ExpandedLayer<"Einsum", OV_Matrix> {
  let opset = 7;
  let semantics = "Einstein summation: `equation` labels the dims of the operands and of the result. Dims with a label "
                  "that the result lacks are summed over. A label that an operand has twice takes its diagonal. `...` "
                  "stands for dims that broadcast. Without `->` the result has the labels that occur once, in the "
                  "order of their letters. Operands are multiplied from left to right.";
  let operands = [OV_VariadicLayerOperand<"inputs", "Number">];
  let layerAttributes = [OV_LayerAttribute<"equation", "String", true>];
}

def OV_Inverse : OV_ExpandedLayer<"Inverse", OV_Matrix> {
  let opset = 14;
  let semantics = [{
    The inverses of square matrices, transposed if `adjoint`. The inverse of a singular matrix has elements that are
    infinite or NaN.}];
  let operands = [OV_LayerOperand<"data", "Real">];
  let layerAttributes = [OV_DefaultLayerAttribute<"adjoint", "Boolean", "false">];
}

#endif // RECUR_DIALECT_OV_IR_MATRIX_TD
