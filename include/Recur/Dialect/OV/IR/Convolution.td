// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Convolution.td - Convolutions -----------------------*- tablegen -*-===//
//
// Convolutions over one to three spatial dims, in OpenVINO's layout: data [N, C, D...] and filters [O, C, K...], or
// [G, O, C, K...] for groups. Pads may be given or follow from `auto_pad`.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_DIALECT_OV_IR_CONVOLUTION_TD
#define RECUR_DIALECT_OV_IR_CONVOLUTION_TD

include "Recur/Dialect/OV/IR/OVBase.td"

def OV_ConvolutionFamily : OV_Family<"Convolution">;

def OV_AutoPad : OV_Enum<"AutoPad", "rule for the pads of a window",
  ["Explicit", "Valid", "SameUpper", "SameLower"], ["explicit", "valid", "same_upper", "same_lower"]>;
def OV_AutoPadAttr : OV_EnumAttr<OV_AutoPad, "auto_pad">;

let opDocGroup = OV_ConvolutionFamily in {

/// The base class of convolutions. `moreFilterDims` is the rank of `filters` minus the rank of `data`.
class OV_ConvolutionOpBase<string mnemonic, string type, int moreFilterDims>
    : OV_FaultingOp<mnemonic, [OV_WeightsOpInterface, OV_AxesOpInterface]> {
  let layerType = type;
  // The filter of an output channel has a scale.
  let moreDeclarations = [{
    ::llvm::SmallVector<Weights> getWeights() {
      int64_t first = }] # !add(moreFilterDims, 1) # [{, rank = getFilters().getType().getRank();
      return {{&getFiltersMutable(), ::llvm::to_vector(::llvm::seq(first, rank))}};
    }
    /// Only the batch of the data is kept. Windows mix the spatial axes, and sums the channels.
    ::std::optional<int64_t> mapAxis(unsigned operand, unsigned, int64_t axis) {
      return operand == 0 && axis == 0 ? ::std::optional<int64_t>(0) : ::std::nullopt;
    }
  }];
  let rules = [
    OV_Rank<"data", 3, 5>,
    OV_Rule<"`filters` has " # !if(!eq(moreFilterDims, 0), "the rank of `data`", "one dim more than `data`") # ".",
            "expectRankOf(report, \"filters\", $filters, $data, " # moreFilterDims # ")">,
    OV_SameElementType<["data", "filters"]>,
    OV_Rule<"The attributes have an entry for each spatial dim; strides and dilations are positive, pads not negative.",
            "expectWindow(report, $data, $strides, $dilations, $pads_begin, $pads_end)">,
    OV_Rule<"The channels agree, and the kernel is not greater than the padded dims. (If known only at run time, a "
            "violation is a fault.)">
  ];
  let arguments = (ins OV_NumberTensor:$data, OV_NumberTensor:$filters,
    Arg<DenseI64ArrayAttr, "", [OV_LayerDefault<"1...">]>:$strides,
    Arg<DenseI64ArrayAttr, "", [OV_LayerDefault<"0...">]>:$pads_begin,
    Arg<DenseI64ArrayAttr, "", [OV_LayerDefault<"0...">]>:$pads_end,
    Arg<DenseI64ArrayAttr, "", [OV_LayerDefault<"1...">]>:$dilations,
    DefaultValuedAttr<OV_AutoPadAttr, "::recur::ov::AutoPad::Explicit">:$auto_pad);
  let results = (outs OV_NumberTensor:$result);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
}

def OV_ConvolutionOp : OV_ConvolutionOpBase<"convolution", "Convolution", 0> {
  let semantics = [{
    `data` is [N, I, spatial...] with one to three spatial dims, `filters` [O, I, kernel...], the result [N, O,
    spatial...]. `auto_pad` decides the padding. "valid" is no padding. "same_upper" and "same_lower" pad such that a
    spatial dim of the result is ceil(dim / stride); if the padding is odd, "same_upper" puts the additional element at
    the end, "same_lower" at the beginning. "explicit" uses `pads_begin` and `pads_end`.}];
  let example = [{
    func.func @example(%x: tensor<1x3x8x8xf32>, %w: tensor<16x3x3x3xf32>) -> tensor<1x16x8x8xf32> {
      %0 = ov.convolution %x, %w {strides = array<i64: 1, 1>, pads_begin = array<i64: 1, 1>,
          pads_end = array<i64: 1, 1>, dilations = array<i64: 1, 1>} : (tensor<1x3x8x8xf32>, tensor<16x3x3x3xf32>)
          -> tensor<1x16x8x8xf32>
      return %0 : tensor<1x16x8x8xf32>
    }
  }];
}

def OV_GroupConvolutionOp : OV_ConvolutionOpBase<"group_convolution", "GroupConvolution", 1> {
  let semantics = [{
    As `ov.convolution`, but each group of channels has its own filters: `filters` is [G, O, I, kernel...], `data` has G
    * I channels, and the result has G * O channels.}];
  let example = [{
    func.func @example(%x: tensor<1x4x9xf32>, %w: tensor<4x1x1x3xf32>) -> tensor<1x4x4xf32> {
      %0 = ov.group_convolution %x, %w {strides = array<i64: 2>, pads_begin = array<i64: 0>,
          pads_end = array<i64: 0>, dilations = array<i64: 1>} : (tensor<1x4x9xf32>, tensor<4x1x1x3xf32>)
          -> tensor<1x4x4xf32>
      return %0 : tensor<1x4x4xf32>
    }
  }];
}

} // opDocGroup

class OV_TransposedConvolution<string type> : OV_ExpandedLayer<type, OV_ConvolutionFamily> {
  let isWidened = false;
  let operands = [OV_LayerOperand<"data", "Number">, OV_LayerOperand<"filters", "Number">,
                  OV_OptionalLayerOperand<"output_shape", "Index">];
  let layerAttributes = [OV_DefaultLayerAttribute<"strides", "Integers", "1...">,
    OV_DefaultLayerAttribute<"pads_begin", "Integers", "0...">,
    OV_DefaultLayerAttribute<"pads_end", "Integers", "0...">,
    OV_DefaultLayerAttribute<"dilations", "Integers", "1...">,
    OV_DefaultLayerAttribute<"output_padding", "Integers", "0...">,
    OV_ChoiceLayerAttribute<"auto_pad", ["explicit", "valid", "same_upper", "same_lower"], "explicit">];
}

def OV_ConvolutionBackpropData : OV_TransposedConvolution<"ConvolutionBackpropData"> {
  let semantics = "The transposed convolution: `data` is [N, I, spatial...], `filters` [I, O, kernel...]. A spatial "
                  "dim of the result is stride * (dim - 1) + dilation * (kernel - 1) + 1 + output_padding - pads, or "
                  "what `output_shape` says. In that case, \"same_upper\" and \"same_lower\" cut the same number of "
                  "elements at both ends, and an odd one at the beginning (upper) or at the end (lower); "
                  "\"explicit\" cuts `pads_begin` at the beginning, and \"valid\" nothing there.";
}

def OV_GroupConvolutionBackpropData : OV_TransposedConvolution<"GroupConvolutionBackpropData"> {
  let semantics = "As ConvolutionBackpropData, but each group of channels has its own filters: `filters` is [G, I, "
                  "O, kernel...].";
}

def OV_DeformableConvolution : OV_ExpandedLayer<"DeformableConvolution", OV_ConvolutionFamily> {
  let semantics = "A convolution of images whose kernel elements are moved by `offsets` [N, D * kernel * 2, H, W] "
                  "and multiplied by `mask` [N, D * kernel, H, W]; D is `deformable_group`. Positions between "
                  "elements are interpolated. A position outside reads 0; with `bilinear_interpolation_pad`, one "
                  "that is less than an element outside is interpolated with zeros.";
  let operands = [OV_LayerOperand<"data", "Real">, OV_LayerOperand<"offsets", "Real">,
                  OV_LayerOperand<"filters", "Real">, OV_OptionalLayerOperand<"mask", "Real">];
  let layerAttributes = [OV_DefaultLayerAttribute<"strides", "Integers", "1...">,
    OV_DefaultLayerAttribute<"pads_begin", "Integers", "0...">,
    OV_DefaultLayerAttribute<"pads_end", "Integers", "0...">,
    OV_DefaultLayerAttribute<"dilations", "Integers", "1...">,
    OV_ChoiceLayerAttribute<"auto_pad", ["explicit", "valid", "same_upper", "same_lower"], "explicit">,
    OV_DefaultLayerAttribute<"group", "Integer", "1">, OV_DefaultLayerAttribute<"deformable_group", "Integer", "1">,
    OV_DefaultLayerAttribute<"bilinear_interpolation_pad", "Boolean", "false", 8>];
}

def OV_BinaryConvolution : OV_ExpandedLayer<"BinaryConvolution", OV_ConvolutionFamily> {
  let semantics = "A convolution of images of zeros and ones with filters of zeros and ones. An element that equals "
                  "that of the filter counts 1, any other one -1. `pad_value` is the value of the padding.";
  let operands = [OV_LayerOperand<"data", "Number">, OV_LayerOperand<"filters", "Number">];
  let layerAttributes = [OV_DefaultLayerAttribute<"strides", "Integers", "1...">,
    OV_DefaultLayerAttribute<"pads_begin", "Integers", "0...">,
    OV_DefaultLayerAttribute<"pads_end", "Integers", "0...">,
    OV_DefaultLayerAttribute<"dilations", "Integers", "1...">,
    OV_ChoiceLayerAttribute<"mode", ["xnor-popcount"]>, OV_LayerAttribute<"pad_value", "Number", true>,
    OV_ChoiceLayerAttribute<"auto_pad", ["explicit", "valid", "same_upper", "same_lower"], "explicit">];
}

#endif // RECUR_DIALECT_OV_IR_CONVOLUTION_TD
