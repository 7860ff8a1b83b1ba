// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Generation.td - What makes tensors of numbers -------*- tablegen -*-===//

#ifndef RECUR_DIALECT_OV_IR_GENERATION_TD
#define RECUR_DIALECT_OV_IR_GENERATION_TD

include "Recur/Dialect/OV/IR/OVBase.td"

def OV_Generation : OV_Family<"Generation">;
let opDocGroup = OV_Generation in {

def OV_RangeOp : OV_FaultingOp<"range"> {
  let layerType = "Range";
  let importer = "importRange";
  let semantics = [{
    `start`, `start + step`, ... up to `stop`, which is left out, of type `output_type`. Where that is an integer,
    floating-point operands are truncated first. A step of 0, and operands that are not finite, are a fault.}];
  let rules = [
    OV_Rank<"start", 0, 1>, OV_Rank<"stop", 0, 1>, OV_Rank<"step", 0, 1>,
    OV_Rule<"The operands have one element. (A fault where known only at run time.)">,
    OV_Rule<"`output_type` is a number.", "expectNumberType(report, \"output_type\", $output_type)">,
    OV_Rule<"The step is not 0. (A fault where known only at run time.)">
  ];
  let example = "%0 = ov.range %a, %b, %c {output_type = i64} : (tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<?xi64>";
  let arguments = (ins OV_NumberTensor:$start, OV_NumberTensor:$stop, OV_NumberTensor:$step,
    Arg<TypeAttr, "", [OV_Since<4>, OV_GivenByImporter]>:$output_type);
  let results = (outs OV_NumberTensor:$result);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
  let hasFolder = 1;
}

} // opDocGroup

#endif // RECUR_DIALECT_OV_IR_GENERATION_TD
