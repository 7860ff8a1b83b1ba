// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Reduction.td - Reductions ---------------------------*- tablegen -*-===//
//
// Combines the elements along `reduction_axes` into one. An empty list of axes changes nothing.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_DIALECT_OV_IR_REDUCTION_TD
#define RECUR_DIALECT_OV_IR_REDUCTION_TD

include "Recur/Dialect/OV/IR/OVBase.td"

def OV_Reduction : OV_Family<"Reduction">;
let opDocGroup = OV_Reduction in {

/// A reduction over constant axes; `text` says how elements are combined, and the result if there are none. With
/// `keep_dims`, reduced dims stay as unit dims.
class OV_ReduceOp<string mnemonic, string type, string text, Type elements = OV_NumberTensor>
    : OV_InferOp<mnemonic, [Pure, OV_MapsAxes]> {
  let layerType = type;
  let importer = "importReduction";
  let semantics = text;
  let rules = [OV_ConstantAxes<"reduction_axes", "data">];
  defvar element = !if(!eq(elements, OV_BoolTensor), "i1", "f32");
  let example = OV_Example<"%x: tensor<2x3x" # element # ">",
                           "%axes = ov.constant dense<1> : tensor<1xi64>\n      "
                           "%0 = ov." # mnemonic # " %x, %axes {keep_dims = true} : (tensor<2x3x" # element
                           # ">, tensor<1xi64>) -> tensor<2x1x" # element # ">",
                           "tensor<2x1x" # element # ">">.text;
  let arguments = (ins elements:$data, OV_IndexTensor:$reduction_axes, DefaultValuedAttr<BoolAttr, "false">:$keep_dims);
  let results = (outs elements:$result);
  let assemblyFormat = "$data `,` $reduction_axes attr-dict `:` functional-type(operands, results)";
  let moreDefinitions = [{
    ::llvm::LogicalResult $cppClass::inferTypes(const ::recur::ov::Report &, Adaptor adaptor,
                                                ::llvm::SmallVectorImpl<::mlir::Type> &types) {
      return ::recur::ov::inferReduction(adaptor.getData(), adaptor.getReductionAxes(), adaptor.getKeepDims(), types);
    }
    ::std::optional<unsigned> $cppClass::describeDim(::recur::ov::DimSource &dims, unsigned, int64_t dim) {
      return ::recur::ov::describeReduction(dims, getData(), getReductionAxes(), getKeepDims(), dim);
    }
    ::std::optional<int64_t> $cppClass::mapAxis(unsigned operand, unsigned, int64_t axis) {
      return operand == 0 ? ::recur::ov::keepUnreduced(getData(), getReductionAxes(), getKeepDims(), axis)
                          : ::std::nullopt;
    }
  }];
}

def OV_ReduceSumOp : OV_ReduceOp<"reduce_sum", "ReduceSum",
  "The sum over `reduction_axes`; 0 if there are no elements.">;
def OV_ReduceMaxOp : OV_ReduceOp<"reduce_max", "ReduceMax",
  "The maximum over `reduction_axes`; NaN if an element is NaN; the least value of the type if there are no elements.">;
def OV_ReduceMeanOp : OV_ReduceOp<"reduce_mean", "ReduceMean",
  "The mean over `reduction_axes`; NaN if there are no elements. The mean of integers is their sum, which has 64 bits, "
  "divided by their number and truncated; it is 0 if there are no elements.">;
def OV_ReduceMinOp : OV_ReduceOp<"reduce_min", "ReduceMin",
  "The minimum over `reduction_axes`; NaN if an element is NaN; the greatest value of the type if there are no "
  "elements.">;
def OV_ReduceProdOp : OV_ReduceOp<"reduce_prod", "ReduceProd",
  "The product over `reduction_axes`; integers wrap; 1 if there are no elements.">;
def OV_ReduceL1Op : OV_ReduceOp<"reduce_l1", "ReduceL1",
    "The sum of `|x|` over `reduction_axes`; integers wrap; 0 if there are no elements."> {
  let opset = 4;
}
def OV_ReduceL2Op : OV_ReduceOp<"reduce_l2", "ReduceL2",
    "The square root of the sum of `x^2` over `reduction_axes`; 0 if there are no elements.", OV_FloatTensor> {
  let opset = 4;
}
def OV_ReduceLogicalAndOp : OV_ReduceOp<"reduce_logical_and", "ReduceLogicalAnd",
  "True if all elements over `reduction_axes` are true, or if there are none.", OV_BoolTensor>;
def OV_ReduceLogicalOrOp : OV_ReduceOp<"reduce_logical_or", "ReduceLogicalOr",
  "True if an element over `reduction_axes` is true; false if there are none.", OV_BoolTensor>;

} // opDocGroup

#endif // RECUR_DIALECT_OV_IR_REDUCTION_TD
