// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- OVAttrs.td - Attributes of the ov dialect ------------*- tablegen -*-===//
//
// Two attributes describe how a loop slices its inputs and concatenates its results. The others describe constants that
// stay in the weights file: where the bytes are, and the layout steps that turn them into the tensor of the program.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_DIALECT_OV_IR_OVATTRS_TD
#define RECUR_DIALECT_OV_IR_OVATTRS_TD

include "Recur/Dialect/OV/IR/OVBase.td"
include "Recur/Dialect/OV/IR/OVInterfaces.td"

/// The base class of the dialect's attributes.
class OV_Attr<string name, string attrMnemonic, list<Trait> traits = []> : AttrDef<OV_Dialect, name, traits> {
  let mnemonic = attrMnemonic;
}

def OV_SliceInputAttr : OV_Attr<"SliceInput", "slice_input"> {
  let summary = "how a loop slices an input along an axis";
  let description = [{
    Corresponds to an `input` entry of a `port_map` in OpenVINO's IR that has an `axis`, with the same names. `start`
    and `end` are the first and the last index that is visited (both inclusive; negative values count from the end).
    `stride` is the step; its sign is the direction. `part_size` is the number of elements along `axis` in one slice. In
    a backward loop, slice `i` consists of the elements `[start - i*|stride| - part_size + 1, start - i*|stride|]`. The
    axis is never negative: the importer normalizes it. `SliceRange` works out the slices of an axis.

    Example: `along 1 [0:-1:1] part 1`, which is `along AXIS [START:END:STRIDE] part PART_SIZE`.
  }];
  let parameters = (ins "int64_t":$axis, DefaultValuedParameter<"int64_t", "0">:$start,
    DefaultValuedParameter<"int64_t", "-1">:$end, DefaultValuedParameter<"int64_t", "1">:$stride,
    DefaultValuedParameter<"int64_t", "1">:$partSize);
  let hasCustomAssemblyFormat = 1;
  let extraClassDeclaration = [{
    /// The slices of an axis of `dim` elements, or nullopt if the axis does not hold a whole number of them.
    std::optional<SliceRange<int64_t>> getRange(int64_t dim) const;
    /// The number of slices of an axis of `dim` elements, or nullopt if the axis does not hold a whole number of them.
    std::optional<int64_t> countSlices(int64_t dim) const;
    /// True if the slices are the single elements of the axis, each one once, forward or backward.
    bool visitsEachElement() const;
    /// True if the slice at the end of the axis is visited first.
    bool isBackward() const { return getStride() < 0; }
    /// The number of elements from one slice to the next one, without the direction.
    int64_t getStep() const;
    /// Prints and parses the attribute as it stands in a loop, without `#ov.slice_input<` and `>`.
    void printBody(::mlir::AsmPrinter &printer) const;
    static ::mlir::FailureOr<SliceInputAttr> parseBody(::mlir::AsmParser &parser);
  }];
}

def OV_ConcatOutputAttr : OV_Attr<"ConcatOutput", "concat_output"> {
  let summary = "how a loop concatenates the slices of its iterations";
  let description = [{
    Corresponds to an `output` entry of a `port_map` in OpenVINO's IR that has an `axis`. The slices of all iterations
    are concatenated along `axis`; if `reverse` holds, the slice of the last iteration comes first. The axis is never
    negative. The length of a slice is that of the yielded value.

    Example: `along 1`, or `along 1 reverse`.
  }];
  let parameters = (ins "int64_t":$axis, DefaultValuedParameter<"bool", "false">:$reverse);
  let hasCustomAssemblyFormat = 1;
  let extraClassDeclaration = [{
    /// Prints and parses the attribute as it stands in a loop, without `#ov.concat_output<` and `>`.
    void printBody(::mlir::AsmPrinter &printer) const;
    static ::mlir::FailureOr<ConcatOutputAttr> parseBody(::mlir::AsmParser &parser);
  }];
}

def OV_WeightsAttr : OV_Attr<"Weights", "weights", [TypedAttrInterface]> {
  let summary = "a constant that stays in the weights file";
  let description = [{
    `stored` is the type of the bytes in the file at `offset`, which is in bytes. `layout` is a list of steps
    (`LayoutStepAttrInterface`) that turn these bytes into the tensor that the program sees. The steps run once, at
    compile time, when the weights are packed. `type` is the type after the last step; the verifier compares them.
    Passes add steps by `append`, or take the last conversion away by `getNarrow`, and change the type in no other way.

    Example: `#ov.weights<16, tensor<1024x768xf32>, [#ov.transpose<[1, 0]>]> : tensor<768x1024xf32>`.
  }];
  let parameters = (ins "int64_t":$offset, "::mlir::RankedTensorType":$stored,
    OptionalArrayRefParameter<"::recur::ov::LayoutStepAttrInterface">:$layout,
    AttributeSelfTypeParameter<"">:$type);
  let builders = [AttrBuilderWithInferredContext<(ins "int64_t":$offset, "::mlir::RankedTensorType":$stored), [{
    return $_get(stored.getContext(), offset, stored, ::llvm::ArrayRef<::recur::ov::LayoutStepAttrInterface>(), stored);
  }]>];
  let assemblyFormat = "`<` $offset `,` $stored (`,` `[` $layout^ `]`)? `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// The type after the last layout step, which is the type of the constant in the program.
    ::mlir::RankedTensorType getTensorType() const { return ::llvm::cast<::mlir::RankedTensorType>(getType()); }
    /// The same constant with one more step, which must fit it.
    WeightsAttr append(::recur::ov::LayoutStepAttrInterface step) const;
    /// The same constant without its last conversion, if that converts f16 or bf16 to f32 and all steps after it only
    /// move elements. Null otherwise. A program that reads this constant and extends each element gets equal numbers.
    WeightsAttr getNarrow() const;
  }];
}

/// The base class of layout steps. lib/Dialect/OV/IR/LayoutSteps.cpp and ArithmeticSteps.cpp define for each step the
/// constants that it fits, the resulting type, and the change of the bytes.
class OV_LayoutStepAttr<string name, string attrMnemonic, list<Trait> traits = [
    DeclareAttrInterfaceMethods<OV_LayoutStepAttrInterface>]> : OV_Attr<name, attrMnemonic, traits>;

def OV_ConvertStepAttr : OV_LayoutStepAttr<"ConvertStep", "convert"> {
  let summary = "layout step: convert the elements to another type, as ov.convert does";
  let parameters = (ins "::mlir::Type":$elementType);
  let assemblyFormat = "`<` $elementType `>`";
}

def OV_PackedFormat : OV_Enum<"PackedFormat", "how elements of a few bits lie in bytes",
  ["U1", "U2", "U3", "U4", "U6", "I4", "NF4", "F4E2M1", "F8E4M3", "F8E5M2", "F8E8M0"],
  ["u1", "u2", "u3", "u4", "u6", "i4", "nf4", "f4e2m1", "f8e4m3", "f8e5m2", "f8e8m0"]>;

def OV_UnpackStepAttr : OV_LayoutStepAttr<"UnpackStep", "unpack"> {
  let summary = "layout step: bytes that hold elements of a few bits, as elements of a type of the dialect";
  let description = [{
    The constant before the step has the type `tensor<?xui8>`. After it, it has the given shape, and elements `ui8` for
    the formats u1 to u6, `i8` for i4, and `f32` for the others; all values are exact. Two elements of four bits share a
    byte, and the first one has the low bits; in a byte of u1 the first element has the highest bit, in one of u2 the
    lowest bits. Eight elements of u3 share three bytes, and four of u6 do: first the low 2 or 4 bits of each, then the
    rest, the first element in the highest bits.

    Example: `#ov.unpack<u4, [2, 3]>`.
  }];
  let parameters = (ins EnumParameter<OV_PackedFormat>:$format, "::mlir::DenseI64ArrayAttr":$shape);
  let assemblyFormat = "`<` $format `,` $shape `>`";
  let extraClassDeclaration = [{
    /// The bytes that `count` elements take.
    static int64_t countBytes(PackedFormat format, int64_t count);
    /// The element type after the step.
    static ::mlir::Type getElementType(PackedFormat format, ::mlir::MLIRContext *context);
  }];
}

def OV_BitcastStepAttr : OV_LayoutStepAttr<"BitcastStep", "bitcast"> {
  let summary = "layout step: the same bytes as elements of another type with as many bytes";
  let parameters = (ins "::mlir::Type":$elementType);
  let assemblyFormat = "`<` $elementType `>`";
}

def OV_TransposeStepAttr : OV_LayoutStepAttr<"TransposeStep", "transpose"> {
  let summary = "layout step: permute dims; dim i of the result is dim permutation[i]";
  let parameters = (ins ArrayRefParameter<"int64_t">:$permutation);
  let assemblyFormat = "`<` `[` $permutation `]` `>`";
}

def OV_ReshapeStepAttr : OV_LayoutStepAttr<"ReshapeStep", "reshape"> {
  let summary = "layout step: the same elements under other dims";
  let parameters = (ins "::mlir::DenseI64ArrayAttr":$shape);
  let builders = [AttrBuilderWithInferredContext<(ins "::mlir::RankedTensorType":$type), [{
    return $_get(type.getContext(), ::mlir::DenseI64ArrayAttr::get(type.getContext(), type.getShape()));
  }]>];
  let assemblyFormat = "`<` $shape `>`";
}

def OV_ExtractStepAttr : OV_LayoutStepAttr<"ExtractStep", "extract"> {
  let summary = "layout step: keep `size` elements along `axis`, from `start` on, each `step` behind the one before";
  let description = [{
    The step may be negative.

    Example: `#ov.extract<1, 4, 8>`, `#ov.extract<0, 2, 3, step -1>`.
  }];
  let parameters = (ins "int64_t":$axis, "int64_t":$start, "int64_t":$size,
    DefaultValuedParameter<"int64_t", "1">:$step);
  let builders = [AttrBuilder<(ins "int64_t":$axis, "int64_t":$start, "int64_t":$size), [{
    return $_get($_ctxt, axis, start, size, /*step=*/1);
  }]>];
  let assemblyFormat = "`<` $axis `,` $start `,` $size (`,` `step` $step^)? `>`";
}

def OV_PackStepAttr : OV_LayoutStepAttr<"PackStep", "pack"> {
  let summary = "layout step: `[K, N]` to `[ceil(N/block), K, block]`, padded with zeros";
  let parameters = (ins "int64_t":$block);
  let assemblyFormat = "`<` $block `>`";
}

def OV_WinogradStepAttr : OV_LayoutStepAttr<"WinogradStep", "winograd"> {
  let summary = "layout step: the filters of a convolution for Winograd's algorithm F(2, 3)";
  let description = [{
    Each of the last dims, one or two, for which there is a stride has 1 or 3 elements. Along a dim of 3, the elements
    `g0, g1, g2` become `g0, (g0 + g1 + g2) / 2, (g0 - g1 + g2) / 2, g2` if the stride is 1, and `g0, g0 + g2, g2, g1`
    if it is 2. The elements are `f32`, and are rounded once.
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$strides);
  let assemblyFormat = "`<` `[` $strides `]` `>`";
}

def OV_HalvesStepAttr : OV_LayoutStepAttr<"HalvesStep", "halves"> {
  let summary = "layout step: two integers of four bits in each byte";
  let description = [{
    The low four bits of a byte are those of an element in the first half of the last dim, and the high four bits those
    of the element as far in the second half. Elements of `i8` are raised by 8 first. The result has elements `ui8`, and
    half as many.
  }];
  let assemblyFormat = "";
}

def OV_BroadcastStepAttr : OV_LayoutStepAttr<"BroadcastStep", "broadcast"> {
  let summary = "layout step: repeat the elements along dims of 1";
  let parameters = (ins "::mlir::DenseI64ArrayAttr":$shape);
  let assemblyFormat = "`<` $shape `>`";
}

def OV_ArithmeticStep : OV_Enum<"ArithmeticKind", "which operation a step does", ["Subtract", "Multiply"],
  ["subtract", "multiply"]>;

def OV_ArithmeticStepAttr : OV_LayoutStepAttr<"ArithmeticStep", "arithmetic",
    [DeclareAttrInterfaceMethods<OV_LayoutStepAttrInterface, ["getOwnConstants"]>]> {
  let summary = "layout step: subtract another constant, or multiply by it";
  let description = [{
    Both constants are `f32`, and the result is rounded once. The operand broadcasts to the shape of the constant, as an
    operand of ov.subtract does. Models whose weights are stored as integers have a zero point and a scale.

    Example: `#ov.arithmetic<multiply, dense<0.5> : tensor<1xf32>>`.
  }];
  let parameters = (ins EnumParameter<OV_ArithmeticStep>:$kind, "::mlir::TypedAttr":$operand);
  let assemblyFormat = "`<` $kind `,` $operand `>`";
  let extraClassDeclaration = [{
    ::mlir::RankedTensorType getOperandType() const {
      return ::llvm::dyn_cast<::mlir::RankedTensorType>(getOperand().getType());
    }
    /// True if the step can be applied to a constant of type `input`.
    bool fits(::mlir::RankedTensorType input) const;
  }];
}

def OV_FakeQuantizeStepAttr : OV_LayoutStepAttr<"FakeQuantizeStep", "fake_quantize",
    [DeclareAttrInterfaceMethods<OV_LayoutStepAttrInterface, ["getOwnConstants"]>]> {
  let summary = "layout step: round to one of `levels` numbers, as FakeQuantize does";
  let description = [{
    The limits are constants of `f32` that broadcast to the shape of the constant: those of the input, and those of the
    result. The operations are those that the importer makes of FakeQuantize, and each result of one is rounded to
    `f32`.

    Example: `#ov.fake_quantize<255, dense<-1.0> : tensor<f32>, dense<1.0> : tensor<f32>, dense<-1.0> : tensor<f32>,
    dense<1.0> : tensor<f32>>`.
  }];
  let parameters = (ins "int64_t":$levels, "::mlir::TypedAttr":$inputLow, "::mlir::TypedAttr":$inputHigh,
    "::mlir::TypedAttr":$outputLow, "::mlir::TypedAttr":$outputHigh);
  let assemblyFormat = "`<` $levels `,` $inputLow `,` $inputHigh `,` $outputLow `,` $outputHigh `>`";
  let extraClassDeclaration = [{
    /// True if the step can be applied to a constant of type `input`.
    bool fits(::mlir::RankedTensorType input) const;
  }];
}

class OV_QuantizationStepAttr<string name, string attrMnemonic> : OV_LayoutStepAttr<name, attrMnemonic> {
  let parameters = (ins ArrayRefParameter<"int64_t">:$axes);
  let assemblyFormat = "`<` `[` $axes `]` `>`";
}

def OV_QuantizeStepAttr : OV_QuantizationStepAttr<"QuantizeStep", "quantize"> {
  let summary = "layout step: round `f32` to integers of 8 bits";
  let description = [{
    Elements that differ only in their index along `axes` share a scale, which is the greatest finite magnitude among
    them over 127, or 1 if that is 0. The result has elements `i8`: the quotient by the scale, rounded to the nearest
    integer, ties to even, and brought between -127 and 127. NaN becomes 0.

    Example: `#ov.quantize<[1]>`.
  }];
  let extraClassDeclaration = [{
    /// The products of the integers `quantized` and their scales, as `f32`. `input` are the elements before the step, a
    /// constant of type `type`.
    void dequantize(::mlir::RankedTensorType type, ::llvm::ArrayRef<char> input, ::llvm::ArrayRef<char> quantized,
                    ::llvm::MutableArrayRef<char> output) const;
  }];
}

def OV_QuantizationScaleStepAttr : OV_QuantizationStepAttr<"QuantizationScaleStep", "quantization_scale"> {
  let summary = "layout step: the scales by which `#ov.quantize` of the same axes divides";
  let description = [{
    The result is `f32`, and its dims along `axes` are 1.

    Example: `#ov.quantization_scale<[1]>`.
  }];
}

def OV_WeightsFileAttr : OV_Attr<"WeightsFile", "weights_file"> {
  let summary = "the file that `#ov.weights` offsets refer to; the discardable attribute `ov.weights_file` of a module";
  let description = [{
    `name` is a file name without directories. The file is given by `--weights`, or it is next to the input file. Its
    size in bytes must be `size`, and the xxh3 hash of its bytes must be `hash`.
  }];
  let parameters = (ins StringRefParameter<"">:$name, "uint64_t":$size, "uint64_t":$hash);
  let assemblyFormat = "`<` $name `,` `size` `=` $size `,` `hash` `=` $hash `>`";
}

#endif // RECUR_DIALECT_OV_IR_OVATTRS_TD
