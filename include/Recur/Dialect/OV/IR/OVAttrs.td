// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- OVAttrs.td - Attributes of the ov dialect ------------*- tablegen -*-===//
//
// The partitions of loops, and the constants that stay in the weights file.
//
//===----------------------------------------------------------------------===//

#ifndef RECUR_DIALECT_OV_IR_OVATTRS_TD
#define RECUR_DIALECT_OV_IR_OVATTRS_TD

include "Recur/Dialect/OV/IR/OVBase.td"

/// The base class of the dialect's attributes.
class OV_Attr<string name, string attrMnemonic, list<Trait> traits = []> : AttrDef<OV_Dialect, name, traits> {
  let mnemonic = attrMnemonic;
}

def OV_PartitionAttr : OV_Attr<"Partition", "partition"> {
  let summary = "how a tensor is cut into parts, or put together from parts, along an axis";
  let description = [{
    Corresponds to an entry of a `port_map` in OpenVINO's IR that has an `axis`. `start` and `end` are the first and the
    last index that is visited (both inclusive; negative values count from the end). `stride` is the step; its sign is
    the direction. `part` is the number of elements along `axis` in one part. In a backward iteration, part `i` consists
    of the elements `[start - i*|stride| - part + 1, start - i*|stride|]`. The axis is never negative: the importer
    normalizes it. For a concatenation, only the direction matters, which the sign of `stride` (with `start` and `end`)
    gives.

    Example: `along 1 [0:-1:1] part 1`.
  }];
  let parameters = (ins "int64_t":$axis, DefaultValuedParameter<"int64_t", "0">:$start,
    DefaultValuedParameter<"int64_t", "-1">:$end, DefaultValuedParameter<"int64_t", "1">:$stride,
    DefaultValuedParameter<"int64_t", "1">:$part);
  let hasCustomAssemblyFormat = 1;
  let extraClassDeclaration = [{
    /// The number of parts of an axis of `dim` elements, or nullopt if the axis does not hold a whole number of them.
    std::optional<int64_t> countParts(int64_t dim) const;
    /// True if the last part is visited first.
    bool isBackward() const { return getStride() < 0; }
    /// Prints and parses `along A [S:E:T] part P`, the form in which ops contain the attribute.
    void printBody(::mlir::AsmPrinter &printer) const;
    static ::mlir::FailureOr<PartitionAttr> parseBody(::mlir::AsmParser &parser);
  }];
}

def OV_WeightsAttr : OV_Attr<"Weights", "weights", [TypedAttrInterface]> {
  let summary = "a constant that stays in the weights file";
  let description = [{
    `stored` is the type of the bytes in the file at `offset`, which is in bytes. `layout` is a list of steps that turn
    these bytes into the tensor that the program sees. The steps run once, at compile time, when the weights are packed.
    `type` is the type after the last step. Steps: `#ov.convert<f32>`, `#ov.transpose<[1, 0]>`, `#ov.reshape<[2, 3]>`,
    `#ov.extract<axis, start, size>`, `#ov.pack<block>` (`[K, N]` to `[ceil(N/block), K, block]`, padded with zeros).

    Example: `#ov.weights<16, tensor<1024x768xf32>, [#ov.transpose<[1, 0]>] : tensor<768x1024xf32>>`.
  }];
  let parameters = (ins "int64_t":$offset, "::mlir::RankedTensorType":$stored,
    OptionalArrayRefParameter<"::mlir::Attribute">:$layout,
    AttributeSelfTypeParameter<"">:$type);
  let assemblyFormat = "`<` $offset `,` $stored (`,` `[` $layout^ `]`)? `>`";
  let extraClassDeclaration = [{
    ::mlir::RankedTensorType getTensorType() const { return ::llvm::cast<::mlir::RankedTensorType>(getType()); }
    /// The same constant with one more step. `result` is the type after that step.
    WeightsAttr append(::mlir::Attribute step, ::mlir::RankedTensorType result) const;
  }];
}

def OV_ConvertStepAttr : OV_Attr<"ConvertStep", "convert"> {
  let summary = "layout step: convert the element type, as ov.convert does";
  let parameters = (ins "::mlir::Type":$elementType);
  let assemblyFormat = "`<` $elementType `>`";
}

def OV_TransposeStepAttr : OV_Attr<"TransposeStep", "transpose"> {
  let summary = "layout step: permute dims, result dim i is dim permutation[i]";
  let parameters = (ins ArrayRefParameter<"int64_t">:$permutation);
  let assemblyFormat = "`<` `[` $permutation `]` `>`";
}

def OV_ReshapeStepAttr : OV_Attr<"ReshapeStep", "reshape"> {
  let summary = "layout step: the same elements under other dims";
  let parameters = (ins "::mlir::DenseI64ArrayAttr":$shape);
  let assemblyFormat = "`<` $shape `>`";
}

def OV_ExtractStepAttr : OV_Attr<"ExtractStep", "extract"> {
  let summary = "layout step: `size` elements from `start` along `axis`";
  let parameters = (ins "int64_t":$axis, "int64_t":$start, "int64_t":$size);
  let assemblyFormat = "`<` $axis `,` $start `,` $size `>`";
}

def OV_PackStepAttr : OV_Attr<"PackStep", "pack"> {
  let summary = "layout step: `[K, N]` to `[ceil(N/block), K, block]`, padded with zeros";
  let parameters = (ins "int64_t":$block);
  let assemblyFormat = "`<` $block `>`";
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
