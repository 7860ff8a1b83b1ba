// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Infrastructure.td - Constants, TensorIterator and Loop ---*- tablegen -*-===//
//
// Constants, and the two ops that repeat a body. A loop is one op, whose attributes say which part of an input each
// iteration reads and how results are concatenated. Passes on the ov dialect rely on that. The loops stage turns the
// loops into scf. Loop-invariant values are used in the body directly; they are not operands.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_DIALECT_OV_IR_INFRASTRUCTURE_TD
#define RECUR_DIALECT_OV_IR_INFRASTRUCTURE_TD

include "Recur/Dialect/OV/IR/OVAttrs.td"

def OV_Infrastructure : OV_Family<"Infrastructure">;
let opDocGroup = OV_Infrastructure in {

def OV_ConstantOp : OV_Op<"constant", [Pure, ConstantLike, AllTypesMatch<["value", "result"]>,
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>]> {
  let layerType = "Const";
  let otherLayerTypes = ["Constant"];
  let hasOwnLayerAttributes = true;
  let layerAttributes = [
    OV_LayerAttribute<"element_type", "Type">, OV_LayerAttribute<"shape", "String">,
    OV_LayerAttribute<"offset", "Integer">, OV_LayerAttribute<"size", "Integer">
  ];
  let importer = "buildConstant";
  let exporter = "exportConstant";
  let semantics = "`value` is a dense attribute (up to 1 KiB) or `#ov.weights`, which stays in the weights file.";
  let example = OV_Example<"", "%0 = ov.constant dense<[1, 2]> : tensor<2xi64>", "tensor<2xi64>">.text;
  let arguments = (ins TypedAttrInterface:$value);
  let results = (outs OV_Tensor:$result);
  let assemblyFormat = "attr-dict $value";
  let hasFolder = 1;
  let hasVerifier = 1;
}

/// The base class of both loops. Operands and results come in segments: sliced inputs, initial values and dims after no
/// iteration; carried values, last values and concatenations. Only carried values take part in the interfaces for
/// control flow, because only they are forwarded unchanged along an edge.
class OV_LoopLikeOp<string mnemonic, list<Trait> traits = []> : OV_Op<mnemonic, !listconcat(traits, [
    AttrSizedOperandSegments, AttrSizedResultSegments, RecursiveMemoryEffects, SingleBlockImplicitTerminator<"YieldOp">,
    DeclareOpInterfaceMethods<RegionBranchOpInterface, ["getEntrySuccessorOperands"]>,
    DeclareOpInterfaceMethods<LoopLikeOpInterface, ["getInitsMutable", "getRegionIterArgs", "getYieldedValuesMutable",
                                                    "getLoopResults"]>,
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmBlockArgumentNames"]>,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>])> {
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
  let layerInputs = [0, -1];
  let hasOwnLayerAttributes = true;
  let importer = "buildLoop";
  let exporter = "exportLoop";
  // The declarations that both ops share. Infrastructure.cpp defines them by shared templates.
  code sharedDeclaration = [{
    /// The only block of the body.
    ::mlir::Block *getBodyBlock() { return &getBody().front(); }
    /// The terminator of the body, or null if it is not an ov.yield.
    YieldOp getYield();
    /// The attribute that says how sliced input `i` is sliced.
    ::recur::ov::SliceInputAttr getSliceAt(unsigned i) {
      return ::llvm::cast<::recur::ov::SliceInputAttr>(getSlices()[i]);
    }
    /// The attribute that says how concatenated result `i` is put together.
    ::recur::ov::ConcatOutputAttr getConcatAt(unsigned i) {
      return ::llvm::cast<::recur::ov::ConcatOutputAttr>(getConcats()[i]);
    }
    /// The block arguments that receive the parts of the sliced inputs.
    ::mlir::Block::BlockArgListType getSliceArgs();
    /// The block arguments that hold the carried values.
    ::mlir::Block::BlockArgListType getCarriedArgs();
    /// The operand with the dims of result `i` after no iteration, where last values come in front of concatenations;
    /// null if these dims are open.
    ::mlir::Value findEmptyDims(unsigned i);
    /// False only if shapes and constants prove that the count is valid and that every iteration has its parts. Says
    /// nothing about the ops of the body.
    bool canFault();
    /// True if the body has an op that can fail at run time.
    bool canBodyFault();
  }];
  let extraClassDefinition = [{
    void $cppClass::getEffects(
        ::llvm::SmallVectorImpl<::mlir::SideEffects::EffectInstance<::mlir::MemoryEffects::Effect>> &effects) {
      if (canFault())
        effects.emplace_back(::mlir::MemoryEffects::Write::get(), ::recur::ov::FaultResource::get());
    }
  }] # moreDefinitions;
}

def OV_TensorIteratorOp : OV_LoopLikeOp<"tensor_iterator"> {
  let layerType = "TensorIterator";
  let description = [{
    Runs its body once for each part of the sliced inputs. The body uses loop-invariant values from outside directly.
    After an iteration, all carried values change at once. See OpenVINO's TensorIterator-1.

    A sliced axis that has no part is a fault. With `may_be_empty`, which no layer has, an axis of no elements gives no
    iteration, as in an `ov.loop`. Sequences become such loops, because they may have no time steps.

    | operands | block arguments | yielded | results |
    |---|---|---|---|
    | sliced inputs | their parts | | |
    | carried initial values | carried values | next carried values | carried values |
    | | | last | last |
    | | | concat | concatenations |
    | empty dims | | | |

    Empty dims say what an `ov.loop` returns without an iteration; here they only count with `may_be_empty`.

    Constraints:
    * C1. There is at least one sliced input.
    * C2. `slices` has one entry for each sliced input, `concats` one for each concatenated result.
    * C3. Each axis is in the range of its tensor; stride is not 0; part is positive.
    * C4. Static axes hold a whole number of parts, and all sliced inputs have the same number of them.
    * C5. A part has the type of the sliced input, but `part` along the axis.
    * C6. Initial values, block arguments, next values and results of carried values have equal types.
    * C7. Last results have the types of the yielded ones.
    * C8. A concatenated result has the type of the yielded part, but count * part along the axis.
    * C9. There are no empty dims, or i64 tensors of rank 1 for all last values and concatenations, with one element for
      each dim or none.

    Example:
    ```mlir
    func.func @example(%x: tensor<8x4xf32>, %h0: tensor<1x4xf32>) -> (tensor<1x4xf32>, tensor<8x4xf32>) {
      %h, %y = ov.tensor_iterator slices(%x_t = %x along 0 [0:-1:1] part 1 : tensor<8x4xf32> to tensor<1x4xf32>)
          carried(%s = %h0 : tensor<1x4xf32>) concats(along 0 : tensor<8x4xf32>) {
        %n = ov.add %x_t, %s : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
        ov.yield next(%n : tensor<1x4xf32>) concat(%n : tensor<1x4xf32>)
      }
      return %h, %y : tensor<1x4xf32>, tensor<8x4xf32>
    }
    ```
  }];
  let arguments = (ins Variadic<OV_Tensor>:$sliced, Variadic<OV_Tensor>:$init_args, Variadic<OV_Tensor>:$empty_dims,
    TypedArrayAttrBase<OV_SliceInputAttr, "sliced inputs">:$slices,
    TypedArrayAttrBase<OV_ConcatOutputAttr, "concatenated outputs">:$concats, UnitAttr:$may_be_empty);
  let results = (outs Variadic<OV_Tensor>:$carried, Variadic<OV_Tensor>:$last, Variadic<OV_Tensor>:$concatenated);
  let moreDeclarations = sharedDeclaration # [{
    /// The number of iterations, or nullopt if no sliced axis is static.
    std::optional<int64_t> getStaticCount();
    /// True if the loop provably runs at least one iteration, or the call fails before it.
    bool runsAtLeastOnce() { return !getMayBeEmpty() || getStaticCount().value_or(0) > 0; }
  }];
}

def OV_LoopOp : OV_LoopLikeOp<"loop"> {
  let layerType = "Loop";
  let opset = 5;
  let description = [{
    Runs its body while the condition holds and fewer iterations have run than the trip count; a trip count of -1 is no
    limit. The iteration that makes the condition false still counts.

    A loop that runs zero times returns the initial values as carried results, empty concatenations, and zeros as last
    values. Where the types of these do not tell the other dims, the operands `empty` do: each is the shape of a last
    value or of a concatenation after no iteration. Its element at the axis does not count, and one that is negative is
    0. A tensor of no elements, or no operand, leaves these dims open; `ov-tell-empty-dims` adds what is missing, before
    any other pass changes the body.

    The parts of a concatenation may differ in length. See OpenVINO's Loop-5.

    | operands | block arguments | yielded | results |
    |---|---|---|---|
    | trip count, condition | [iteration index] | condition | |
    | sliced inputs | their parts | | |
    | carried initial values | carried values | next carried values | carried values |
    | | | last | last |
    | | | concat | concatenations |
    | empty dims | | | |

    Constraints:
    * C1. The trip count is i32 or i64, the condition boolean; both have one element.
    * C2. `slices` has one entry for each sliced input, `concats` one for each concatenated result.
    * C3. Each axis is in the range of its tensor; stride is not 0; part is positive.
    * C4. The iteration index, if there is one, is i32 or i64 with one element.
    * C5. A part has the type of the sliced input, but `part` along the axis.
    * C6. Initial values, block arguments, next values and results of carried values have equal types.
    * C7. Last results have the types of the yielded ones.
    * C8. A concatenated result has the type of the yielded part, but along the axis.
    * C9. The yielded condition is boolean with one element.
    * C10. There are no empty dims, or i64 tensors of rank 1 for all last values and concatenations, with one element
      for each dim or none.

    Example:
    ```mlir
    func.func @example(%n: tensor<i64>, %c: tensor<i1>, %s0: tensor<f32>, %most: tensor<f32>) -> tensor<f32> {
      %r = ov.loop trip(%n : tensor<i64>) while(%c : tensor<i1>) index(%i : tensor<i64>)
          carried(%s = %s0 : tensor<f32>) {
        %x = ov.convert %i : tensor<i64> to tensor<f32>
        %t = ov.add %s, %x : (tensor<f32>, tensor<f32>) -> tensor<f32>
        %again = ov.less %t, %most : (tensor<f32>, tensor<f32>) -> tensor<i1>
        ov.yield while(%again : tensor<i1>) next(%t : tensor<f32>)
      }
      return %r : tensor<f32>
    }
    ```
  }];
  let arguments = (ins OV_IndexTensor:$trip_count, OV_BoolTensor:$condition, Variadic<OV_Tensor>:$sliced,
    Variadic<OV_Tensor>:$init_args, Variadic<OV_Tensor>:$empty_dims,
    TypedArrayAttrBase<OV_SliceInputAttr, "sliced inputs">:$slices,
    TypedArrayAttrBase<OV_ConcatOutputAttr, "concatenated outputs">:$concats, UnitAttr:$has_index);
  let results = (outs Variadic<OV_Tensor>:$carried, Variadic<OV_Tensor>:$last, Variadic<OV_Tensor>:$concatenated);
  let moreDeclarations = sharedDeclaration # [{
    /// The block argument that holds the iteration index, which starts at 0; null if there is none.
    ::mlir::BlockArgument getIndexArg();
    /// The trip count if it is a constant and no fault: -1, which means no limit, or more.
    std::optional<int64_t> getValidTripCount();
    /// The number of iterations if the trip count and the conditions are constant; nullopt otherwise. Does not check
    /// that the sliced inputs have that many parts.
    std::optional<int64_t> getStaticCount();
    /// True if the loop provably runs at least one iteration, or the call fails before it.
    bool runsAtLeastOnce();
    /// True if the condition that the body yields is the constant true.
    bool isConditionAlwaysTrue();
  }];
}

def OV_YieldOp : OV_Op<"yield", [Pure, Terminator, AttrSizedOperandSegments,
    ParentOneOf<["TensorIteratorOp", "LoopOp"]>,
    DeclareOpInterfaceMethods<RegionBranchTerminatorOpInterface, ["getMutableSuccessorOperands"]>]> {
  let summary = "ends an iteration";
  let description = [{
    Yields the condition (only in an `ov.loop`), the next carried values, the last values (the result of the loop is the
    value of the last iteration), and the parts that are concatenated. Each group is left out if it is empty.

    Example:
    ```mlir
    func.func @example(%x: tensor<8x4xf32>, %s0: tensor<1x4xf32>) -> tensor<1x4xf32> {
      %s_n, %x_n, %y = ov.tensor_iterator
          slices(%x_t = %x along 0 [0:-1:1] part 1 : tensor<8x4xf32> to tensor<1x4xf32>)
          carried(%s = %s0 : tensor<1x4xf32>) last(tensor<1x4xf32>) concats(along 0 : tensor<8x4xf32>) {
        ov.yield next(%x_t : tensor<1x4xf32>) last(%x_t : tensor<1x4xf32>) concat(%s : tensor<1x4xf32>)
      }
      return %x_n : tensor<1x4xf32>
    }
    ```
  }];
  let arguments = (ins Optional<OV_BoolTensor>:$condition, Variadic<OV_Tensor>:$next, Variadic<OV_Tensor>:$last,
    Variadic<OV_Tensor>:$concat);
  let assemblyFormat = [{
    (`while` `(` $condition^ `:` type($condition) `)`)? (`next` `(` $next^ `:` type($next) `)`)?
    (`last` `(` $last^ `:` type($last) `)`)? (`concat` `(` $concat^ `:` type($concat) `)`)? attr-dict
  }];
  let builders = [OpBuilder<(ins), [{ build($_builder, $_state, ::mlir::Value(), {}, {}, {}); }]>];
  let hasVerifier = 1;
}

} // opDocGroup

def OV_Parameter : OV_LayerWithoutOp<"Parameter", OV_Infrastructure, "an argument">;
def OV_Result : OV_LayerWithoutOp<"Result", OV_Infrastructure, "a result">;

def OV_ReadValue : OV_LayerWithoutOp<"ReadValue", OV_Infrastructure, "a state of the instance"> {
  let opset = 3;
  let importer = "importReadValue";
  let writtenOpset = 6;
  let operands = [OV_OptionalLayerOperand<"init_value">];
  let layerAttributes = [OV_LayerAttribute<"variable_id", "String", /*required=*/true>,
                         OV_LayerAttribute<"variable_type", "String">, OV_LayerAttribute<"variable_shape", "String">];
}
def OV_Assign : OV_LayerWithoutOp<"Assign", OV_Infrastructure, "a state of the instance"> {
  let opset = 3;
  let importer = "importAssign";
  let writtenOpset = 6;
  let operands = [OV_LayerOperand<"new_value">];
  let layerAttributes = [OV_LayerAttribute<"variable_id", "String", /*required=*/true>,
                         OV_LayerAttribute<"variable_type", "String">, OV_LayerAttribute<"variable_shape", "String">];
}

#endif // RECUR_DIALECT_OV_IR_INFRASTRUCTURE_TD
