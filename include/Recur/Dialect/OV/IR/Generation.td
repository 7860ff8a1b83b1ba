// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Generation.td - Range -------------------------------*- tablegen -*-===//
//
// Operations that make a tensor from a few numbers. The values of these numbers decide the size of the result, so it
// may be known only at run time.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_DIALECT_OV_IR_GENERATION_TD
#define RECUR_DIALECT_OV_IR_GENERATION_TD

include "Recur/Dialect/OV/IR/OVBase.td"

def OV_Generation : OV_Family<"Generation">;
let opDocGroup = OV_Generation in {

def OV_RangeOp : OV_FaultingOp<"range"> {
  let layerType = "Range";
  let importer = "importRange";
  let semantics = [{
    The numbers `start`, `start + step`, ... up to `stop` (exclusive), as elements of type `output_type`. If that is an
    integer type, floating-point operands are truncated first. A step of 0 is a fault, and so is an operand that is not
    finite.}];
  let rules = [
    OV_Rank<"start", 0, 1>, OV_Rank<"stop", 0, 1>, OV_Rank<"step", 0, 1>,
    OV_Rule<"The operands have one element. (If known only at run time, a violation is a fault.)">,
    OV_Rule<"`output_type` is a number.", "expectNumberType(report, \"output_type\", $output_type)">,
    OV_Rule<"The step is not 0. (If known only at run time, a violation is a fault.)">
  ];
  let example = [{
    func.func @example(%a: tensor<i64>, %b: tensor<i64>, %c: tensor<i64>) -> tensor<?xi64> {
      %0 = ov.range %a, %b, %c {output_type = i64} : (tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<?xi64>
      return %0 : tensor<?xi64>
    }
  }];
  let arguments = (ins OV_NumberTensor:$start, OV_NumberTensor:$stop, OV_NumberTensor:$step,
    Arg<TypeAttr, "", [OV_Since<4>, OV_GivenByImporter]>:$output_type);
  let results = (outs OV_NumberTensor:$result);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
  let hasFolder = 1;
}

} // opDocGroup

#endif // RECUR_DIALECT_OV_IR_GENERATION_TD
