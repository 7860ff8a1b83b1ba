// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Signals.td - Fourier transforms ---------------------*- tablegen -*-===//

#ifndef RECUR_DIALECT_OV_IR_SIGNALS_TD
#define RECUR_DIALECT_OV_IR_SIGNALS_TD

include "Recur/Dialect/OV/IR/OVBase.td"

def OV_Signals : OV_Family<"Signals">;

/// A Fourier transform along constant axes. Complex numbers are pairs along the last dim.
class OV_FourierLayer<string type, string text> : OV_ExpandedLayer<type, OV_Signals> {
  let semantics = text # " An axis whose size in `signal_size` differs from that of the data is cut or padded with "
    "zeros at its end; -1 is the size of the data. Along an axis, the transform is a product with a matrix.";
  let operands = [OV_LayerOperand<"data", "Real">, OV_LayerOperand<"axes", "Index">,
                  OV_OptionalLayerOperand<"signal_size", "Index">];
}

def OV_DFT : OV_FourierLayer<"DFT", "The discrete Fourier transform of complex numbers."> {
  let opset = 7;
}
def OV_IDFT : OV_FourierLayer<"IDFT", "The inverse discrete Fourier transform of complex numbers."> {
  let opset = 7;
}
def OV_RDFT : OV_FourierLayer<"RDFT", "The Fourier transform of real numbers, half of it along the last of `axes`."> {
  let opset = 9;
}
def OV_IRDFT : OV_FourierLayer<"IRDFT",
    "The inverse of RDFT. The imaginary parts that are 0 for a transform of real numbers are not looked at."> {
  let opset = 9;
}

def OV_STFT : OV_ExpandedLayer<"STFT", OV_Signals> {
  let opset = 15;
  let semantics = [{
    The Fourier transforms of frames of a signal, each one multiplied by `window`. A window that is shorter than a frame
    is padded with zeros on both sides.}];
  let operands = [OV_LayerOperand<"signal", "Real">, OV_LayerOperand<"window", "Real">,
                  OV_LayerOperand<"frame_size", "Index">, OV_LayerOperand<"frame_step", "Index">];
  let layerAttributes = [OV_DefaultLayerAttribute<"transpose_frames", "Boolean", "false">];
}

def OV_ISTFT : OV_ExpandedLayer<"ISTFT", OV_Signals> {
  let opset = 16;
  let semantics = [{
    The signal whose frames have the given Fourier transforms: the sum of the overlapping frames, each one multiplied by
    `window`, divided by the sum of the squares of the windows; 0 where that sum is 0. With `center`, half a frame at
    both ends is dropped. With `signal_length`, the signal is cut or padded with zeros at its end.}];
  let operands = [OV_LayerOperand<"data", "Real">, OV_LayerOperand<"window", "Real">,
                  OV_LayerOperand<"frame_size", "Index">, OV_LayerOperand<"frame_step", "Index">,
                  OV_OptionalLayerOperand<"signal_length", "Index">];
  let layerAttributes = [OV_DefaultLayerAttribute<"center", "Boolean", "false">,
                         OV_DefaultLayerAttribute<"normalized", "Boolean", "false">];
}

#endif // RECUR_DIALECT_OV_IR_SIGNALS_TD
