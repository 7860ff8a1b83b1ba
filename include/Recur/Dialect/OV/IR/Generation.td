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

def OV_PhiloxOp : OV_FaultingOp<"philox"> {
  let summary = "random bits of the generator Philox 4x32 with 10 rounds";
  let semantics = [{
    The core of RandomUniform. Row i has the four words that Philox makes of the key `key` and the counter whose low
    64 bits are `first + i` and whose high 64 bits are `counter`; the word of the lowest bits comes first. A negative
    number of `blocks` is a fault.}];
  let rules = [
    OV_OneElement<["blocks", "first"]>,
    OV_Rule<"`blocks` is not negative. (If known only at run time, a violation is a fault.)">
  ];
  let example = [{
    func.func @example(%n: tensor<i64>, %first: tensor<i64>) -> tensor<?x4xui32> {
      %0 = ov.philox %n, %first {key = 1, counter = 2} : (tensor<i64>, tensor<i64>) -> tensor<?x4xui32>
      return %0 : tensor<?x4xui32>
    }
  }];
  let arguments = (ins OV_IndexTensor:$blocks, OV_IndexTensor:$first, I64Attr:$key, I64Attr:$counter);
  let results = (outs RankedTensorOf<[UI32]>:$result);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
}

def OV_MersenneTwisterOp : OV_FaultingOp<"mersenne_twister"> {
  let summary = "random bits of the generator MT19937";
  let semantics = [{
    The core of RandomUniform with the generator of PyTorch: the first `count` words of MT19937 that was initialized
    with the low 32 bits of `seed`. A negative `count` is a fault.}];
  let rules = [
    OV_OneElement<["count"]>,
    OV_Rule<"`count` is not negative. (If known only at run time, a violation is a fault.)">
  ];
  let example = [{
    func.func @example(%n: tensor<i64>) -> tensor<?xui32> {
      %0 = ov.mersenne_twister %n {seed = 5} : (tensor<i64>) -> tensor<?xui32>
      return %0 : tensor<?xui32>
    }
  }];
  let arguments = (ins OV_IndexTensor:$count, I64Attr:$seed);
  let results = (outs RankedTensorOf<[UI32]>:$result);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
}

} // opDocGroup

def OV_RandomUniform : OV_ExpandedLayer<"RandomUniform", OV_Generation> {
  let opset = 8;
  let isWidened = false;
  let semantics = [{
    Random numbers in [`min_val`, `max_val`). If both seeds are 0, `global_seed` is 1. `alignment` is the generator:
    Philox ("tensorflow") or the Mersenne Twister ("pytorch"), which uses only the low 32 bits of `global_seed`. With
    Philox, each call goes on where the call before ended: the counter is a state of the instance, with the name of the
    layer. In a body there is no such state, and each iteration gets the same numbers. With the Mersenne Twister, each
    call gets the same numbers.}];
  let operands = [OV_LayerOperand<"shape", "Index">, OV_LayerOperand<"min_val", "Number">,
                  OV_LayerOperand<"max_val", "Number">];
  let layerAttributes = [
    OV_LayerAttribute<"output_type", "Type", true>,
    OV_DefaultLayerAttribute<"global_seed", "String", "0">, OV_DefaultLayerAttribute<"op_seed", "String", "0">,
    OV_ChoiceLayerAttribute<"alignment", ["tensorflow", "pytorch"], "tensorflow">
  ];
}

def OV_Multinomial : OV_ExpandedLayer<"Multinomial", OV_Generation> {
  let opset = 13;
  let semantics = [{
    Indices of classes, drawn with the probabilities `probs`, or their exponentials with `log_probs`. A sample is the
    first class whose sum of probabilities up to it is not below a random number. The random numbers are those of
    RandomUniform with the generator Philox, of f64 for f64 and of f32 for all others, as OpenVINO's reference
    implementation has them; its CPU plugin has another generator. Each call gets the same numbers. If both seeds are 0,
    `global_seed` is 1. Unless `with_replacement`, a class that was drawn has the probability 0 from then on. If no
    class is left, the sample is 0.}];
  let operands = [OV_LayerOperand<"probs", "Real">, OV_LayerOperand<"num_samples", "Index">];
  let layerAttributes = [
    OV_LayerAttribute<"convert_type", "Type", true>, OV_LayerAttribute<"with_replacement", "Boolean", true>,
    OV_LayerAttribute<"log_probs", "Boolean", true>, OV_DefaultLayerAttribute<"global_seed", "String", "0">,
    OV_DefaultLayerAttribute<"op_seed", "String", "0">];
}

def OV_Eye : OV_ExpandedLayer<"Eye", OV_Generation> {
  let opset = 9;
  let isWidened = false;
  let semantics = "Matrices with ones on a diagonal. A positive `diagonal_index` is above the main diagonal. A "
                  "negative number of rows or columns counts as 0.";
  let operands = [OV_LayerOperand<"num_rows", "Index">, OV_LayerOperand<"num_columns", "Index">,
                  OV_LayerOperand<"diagonal_index", "Index">, OV_OptionalLayerOperand<"batch_shape", "Index">];
  let layerAttributes = [OV_LayerAttribute<"output_type", "Type", true>];
}

#endif // RECUR_DIALECT_OV_IR_GENERATION_TD
