// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- OVInterfaces.td - Interfaces of the ov dialect -------*- tablegen -*-===//
//
// An interface is a set of methods that an op implements and that code calls without knowing the op. The two interfaces
// here answer questions about dims. Dims.h describes who asks them.
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

#endif // RECUR_DIALECT_OV_IR_OVINTERFACES_TD
