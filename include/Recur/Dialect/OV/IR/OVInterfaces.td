// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- OVInterfaces.td - Interfaces of the ov dialect -------*- tablegen -*-===//
//
// Two interfaces of ops answer questions about dims and about elements of small tensors; Dims.h describes who asks. A
// third one says where axes of operands are in results, and a fourth one which operands are weights. An interface of
// attributes describes the layout steps of constants.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_DIALECT_OV_IR_OVINTERFACES_TD
#define RECUR_DIALECT_OV_IR_OVINTERFACES_TD

include "mlir/IR/OpBase.td"

def OV_DimsOpInterface : OpInterface<"DimsOpInterface"> {
  let cppNamespace = "::recur::ov";
  let description = [{
    Describes the dims of the op's results in terms of dims and elements of its operands. MLIR's
    ReifyRankedShapedTypeOpInterface builds ops for all dims at once. This interface only returns an expression, so dims
    can be compared without building IR: before a loop, for example, or across its back edge.
  }];
  let methods = [
    InterfaceMethod<"A dynamic dim of a result, or nullopt if it is known only after the op has run.",
      "::std::optional<unsigned>", "describeDim",
      (ins "::recur::ov::DimSource &":$dims, "unsigned":$result, "int64_t":$dim)>
  ];
}

def OV_ElementsOpInterface : OpInterface<"ElementsOpInterface"> {
  let cppNamespace = "::recur::ov";
  let description = [{
    Describes the elements of a small i32 or i64 result in terms of dims and elements of the operands.
  }];
  let methods = [
    InterfaceMethod<"The element at a position of a result of rank 0 or 1, or nullopt.",
      "::std::optional<unsigned>", "describeElement",
      (ins "::recur::ov::DimSource &":$dims, "unsigned":$result, "int64_t":$position)>
  ];
}

def OV_AxesOpInterface : OpInterface<"AxesOpInterface"> {
  let cppNamespace = "::recur::ov";
  let description = [{
    Says which axis of a result an axis of an operand becomes. A pass that follows an axis through a model, such as
    time, asks this and need not know the op. An op without this interface mixes all axes, as far as a pass knows.
  }];
  let methods = [
    InterfaceMethod<[{
      The axis of result `result` as which axis `axis` of operand `operand` is kept. Part i of the result along it is
      computed from part i of the operand along `axis`, or from the only part, and from no other part. Nullopt if the op
      sums along the axis, or reads other elements along it, or if this is not known before the run. An operand for
      which there is no answer must not vary along an axis that another operand keeps. By default, the axes of operands
      and results are aligned at the last one, as those of an element-wise op are.
    }],
      "::std::optional<int64_t>", "mapAxis", (ins "unsigned":$operand, "unsigned":$result, "int64_t":$axis), [{}], [{
        return ::recur::ov::alignAtEnd($_op->getOperand(operand), axis, $_op->getResult(result));
      }]>
  ];
}

def OV_WeightsOpInterface : OpInterface<"WeightsOpInterface"> {
  let cppNamespace = "::recur::ov";
  let description = [{
    An op that reads weights: a matrix, filters or a table, which may be rounded to fewer bits.
  }];
  let methods = [
    InterfaceMethod<"The operands that are weights if they are constants.",
      "::llvm::SmallVector<::recur::ov::Weights>", "getWeights">
  ];
}

def OV_LayoutStepAttrInterface : AttrInterface<"LayoutStepAttrInterface"> {
  let cppNamespace = "::recur::ov";
  let description = [{
    A step of the layout of `#ov.weights`. Passes never change the elements of a constant in the weights file. They add
    a step, which runs once at compile time, when the weights are packed.
  }];
  let methods = [
    InterfaceMethod<"The type of a constant of type `input` after the step. `input` has a static shape. Fails, with an "
                    "error, if the step does not fit such a constant.",
      "::llvm::FailureOr<::mlir::RankedTensorType>", "inferType",
      (ins "::mlir::RankedTensorType":$input, "::llvm::function_ref<::mlir::InFlightDiagnostic()>":$emitError)>,
    InterfaceMethod<"Applies the step. `input` holds the elements of a constant of type `type`, in row-major order. "
                    "`output` has as many bytes as a constant of the inferred type. A boolean is a byte of 0 or 1. "
                    "`operand` holds the elements of the step's own constants, one constant after the other.",
      "void", "apply",
      (ins "::mlir::RankedTensorType":$type, "::llvm::ArrayRef<char>":$input, "::llvm::ArrayRef<char>":$operand,
           "::llvm::MutableArrayRef<char>":$output)>,
    InterfaceMethod<"The constants that the step combines with the one that it is applied to.",
      "::llvm::SmallVector<::mlir::TypedAttr>", "getOwnConstants", (ins), [{}], [{ return {}; }]>
  ];
}

#endif // RECUR_DIALECT_OV_IR_OVINTERFACES_TD
