// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Quantization.td - Quantization ----------------------*- tablegen -*-===//
//
// FakeQuantize simulates numbers of few bits: it rounds real numbers to a limited set of real numbers. The importer
// expands it into arithmetic on floats, so no op of the dialect has quantized elements.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_DIALECT_OV_IR_QUANTIZATION_TD
#define RECUR_DIALECT_OV_IR_QUANTIZATION_TD

include "Recur/Dialect/OV/IR/OVBase.td"

def OV_Quantization : OV_Family<"Quantization">;

def OV_FakeQuantize : OV_ExpandedLayer<"FakeQuantize", OV_Quantization> {
  let semantics = "Rounds to one of `levels` numbers from `output_low` to `output_high`, which stand for those from "
                  "`input_low` to `input_high`. A number halfway between two levels goes to the even one. If the "
                  "limits are computed as ONNX's QuantizeLinear has them, it goes to the one at an even distance from "
                  "the zero point. NaN stays NaN.";
  let operands = [OV_LayerOperand<"data", "Real">, OV_LayerOperand<"input_low", "Real">,
                  OV_LayerOperand<"input_high", "Real">, OV_LayerOperand<"output_low", "Real">,
                  OV_LayerOperand<"output_high", "Real">];
  let layerAttributes = [OV_LayerAttribute<"levels", "Integer", true>,
                         OV_ChoiceLayerAttribute<"auto_broadcast", ["none", "numpy"], "numpy">];
}

def OV_FakeConvert : OV_ExpandedLayer<"FakeConvert", OV_Quantization> {
  let opset = 13;
  let semantics = "Multiplies by `scale`, subtracts `shift`, rounds to f16 and then to a number of `destination_type`, "
                  "adds `shift`, and divides by `scale`. A number beyond the greatest one becomes that, also an "
                  "infinite one. A number halfway between two goes to the even one. NaN stays NaN.";
  let operands = [OV_LayerOperand<"data", "Real">, OV_LayerOperand<"scale", "Real">,
                  OV_OptionalLayerOperand<"shift", "Real">];
  let layerAttributes = [OV_ChoiceLayerAttribute<"destination_type", ["f8e4m3", "f8e5m2"], "f8e4m3">];
}

#endif // RECUR_DIALECT_OV_IR_QUANTIZATION_TD
