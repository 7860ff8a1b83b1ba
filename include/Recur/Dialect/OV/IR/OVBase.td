// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- OVBase.td - The ov dialect and its base classes ------*- tablegen -*-===//

#ifndef RECUR_DIALECT_OV_IR_OVBASE_TD
#define RECUR_DIALECT_OV_IR_OVBASE_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/LoopLikeInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def OV_Dialect : Dialect {
  let name = "ov";
  let cppNamespace = "::recur::ov";
  let summary = "OpenVINO operations with value semantics on ranked tensors";
  let description = [{
    One operation for each OpenVINO operation, under its OpenVINO name in snake_case, with OpenVINO's attributes. Values
    are ranked tensors; a dim that is only known at run time is `?`. Signless integers are signed, `uiN` is unsigned,
    `i1` is boolean. Port ids and layer ids of the IR do not exist here: they dissolve into SSA on import, and the body
    of a loop captures what does not change from one iteration to the next.

    An operation that can fail at run time (clashing dynamic dims, a Gather index, a GatherTree parent, an integer
    division) is not `Pure`: it writes the `Fault` resource, and is speculatable only where shapes or constants prove
    that it cannot fail.
  }];
  let useDefaultAttributePrinterParser = 1;
  let hasConstantMaterializer = 1;
  let hasCanonicalizer = 1;
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::tensor::TensorDialect"];
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

def OV_Float : AnyTypeOf<[F16, BF16, F32, F64], "f16, bf16, f32 or f64">;
def OV_Integer : AnyTypeOf<[I8, I16, I32, I64, UI8, UI16, UI32, UI64], "integer">;
def OV_Number : AnyTypeOf<[OV_Float, OV_Integer], "number">;
def OV_Index : AnyTypeOf<[I32, I64], "i32 or i64">;
def OV_Element : AnyTypeOf<[OV_Number, I1], "number or boolean">;

def OV_Tensor : RankedTensorOf<[OV_Element]>;
def OV_NumberTensor : RankedTensorOf<[OV_Number]>;
def OV_FloatTensor : RankedTensorOf<[OV_Float]>;
def OV_BoolTensor : RankedTensorOf<[I1]>;
def OV_IndexTensor : RankedTensorOf<[OV_Index]>;
def OV_IntegerTensor : RankedTensorOf<[OV_Integer]>;

//===----------------------------------------------------------------------===//
// Base classes
//===----------------------------------------------------------------------===//

class OV_Op<string mnemonic, list<Trait> traits = []> : Op<OV_Dialect, mnemonic, traits>;

/// Writes `Fault` unless shapes or constants prove that it cannot fail (`canFault()` in the op's class).
def OV_Faulting : TraitList<[
  DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
  DeclareOpInterfaceMethods<ConditionallySpeculatable>
]>;

/// Result types are inferred from operands and attributes; a declared result may know more or fewer dims than the
/// inferred one, but may not contradict it.
class OV_InferOp<string mnemonic, list<Trait> traits = []>
    : OV_Op<mnemonic, !listconcat(traits, [InferTypeOpAdaptorWithIsCompatible])>;

#endif // RECUR_DIALECT_OV_IR_OVBASE_TD
