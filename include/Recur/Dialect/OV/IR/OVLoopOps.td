// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- OVLoopOps.td - TensorIterator, Loop and If ---------*- tablegen -*-===//

#ifndef RECUR_DIALECT_OV_IR_OVLOOPOPS_TD
#define RECUR_DIALECT_OV_IR_OVLOOPOPS_TD

include "Recur/Dialect/OV/IR/OVAttrs.td"

class OV_LoopLikeOp<string mnemonic, list<Trait> traits = []> : OV_Op<mnemonic, !listconcat(traits, [
    AttrSizedOperandSegments, AttrSizedResultSegments, RecursiveMemoryEffects, SingleBlockImplicitTerminator<"YieldOp">,
    DeclareOpInterfaceMethods<RegionBranchOpInterface, ["getEntrySuccessorOperands"]>,
    DeclareOpInterfaceMethods<LoopLikeOpInterface, ["getInitsMutable", "getRegionIterArgs", "getYieldedValuesMutable",
                                                    "getLoopResults"]>,
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmBlockArgumentNames"]>])> {
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
  // The declarations that both ops share; OVLoopOps.cpp defines them once, as templates.
  code sharedDeclaration = [{
    ::mlir::Block *getBodyBlock() { return &getBody().front(); }
    YieldOp getYield();
    ::recur::ov::PartitionAttr getSliceAt(unsigned i) {
      return ::llvm::cast<::recur::ov::PartitionAttr>(getSlices()[i]);
    }
    ::recur::ov::PartitionAttr getConcatAt(unsigned i) {
      return ::llvm::cast<::recur::ov::PartitionAttr>(getConcats()[i]);
    }
    /// The block arguments that receive the parts of the sliced inputs.
    ::mlir::Block::BlockArgListType getSliceArgs();
    /// The block arguments that hold the carried values.
    ::mlir::Block::BlockArgListType getCarriedArgs();
  }];
}

def OV_TensorIteratorOp : OV_LoopLikeOp<"tensor_iterator"> {
  let summary = "TensorIterator operation";
  let description = [{
    Runs its body once for each part of the sliced inputs. What does not change is captured from above. All carried
    values move at once after an iteration. See TensorIterator-1.

    | operands | block arguments | yielded | results |
    |---|---|---|---|
    | sliced inputs | their parts | | |
    | carried initial values | carried values | next carried values | carried values |
    | | | last | last |
    | | | concat | concatenations |

    Constraints:
    * C1. There is at least one sliced input.
    * C2. `slices` has one entry for each sliced input, `concats` one for each concatenated result.
    * C3. Each axis is in the range of its tensor; stride is not 0; part is positive.
    * C4. Static axes hold a whole number of parts, and all sliced inputs have the same number of them.
    * C5. A part has the type of the sliced input, but `part` along the axis.
    * C6. Initial values, block arguments, next values and results of carried values have equal types.
    * C7. Last results have the types of the yielded ones.
    * C8. A concatenated result has the type of the yielded part, but count * part along the axis.

    Example:
    ```mlir
    %y, %h = ov.tensor_iterator slices(%x_t = %x along 1 [0:-1:1] part 1 : tensor<1x25x512xf32> to tensor<1x1x512xf32>)
        carried(%s = %h0 : tensor<1x256xf32>) concats(along 1 [0:-1:1] part 1 : tensor<1x25x256xf32>) {
      ...
      ov.yield next(%n : tensor<1x256xf32>) concat(%p : tensor<1x1x256xf32>)
    }
    ```
  }];
  let arguments = (ins Variadic<OV_Tensor>:$sliced, Variadic<OV_Tensor>:$init_args,
    TypedArrayAttrBase<OV_PartitionAttr, "partitions">:$slices,
    TypedArrayAttrBase<OV_PartitionAttr, "partitions">:$concats);
  let results = (outs Variadic<OV_Tensor>:$carried, Variadic<OV_Tensor>:$last, Variadic<OV_Tensor>:$concatenated);
  let extraClassDeclaration = sharedDeclaration # [{
    /// The number of iterations where a sliced axis is static.
    std::optional<int64_t> getStaticCount();
  }];
}

def OV_LoopOp : OV_LoopLikeOp<"loop"> {
  let summary = "Loop operation";
  let description = [{
    Runs its body while the condition holds and fewer than trip count iterations have run; -1 is no limit. The
    iteration that makes the condition false still counts. Zero iterations give the initial values, empty concatenations, and
    last values that are zeros; of both, every dim that the type of the result does not know is 0. A part may differ from
    the others in length. See Loop-5.

    | operands | block arguments | yielded | results |
    |---|---|---|---|
    | trip count, condition | [iteration index] | condition | |
    | sliced inputs | their parts | | |
    | carried initial values | carried values | next carried values | carried values |
    | | | last | last |
    | | | concat | concatenations |

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

    Example:
    ```mlir
    %r = ov.loop trip(%n : tensor<i64>) while(%c : tensor<i1>) index(%i : tensor<i64>)
        carried(%s = %s0 : tensor<64xf32>) {
      ...
      ov.yield while(%again : tensor<i1>) next(%t : tensor<64xf32>)
    }
    ```
  }];
  let arguments = (ins OV_IndexTensor:$trip_count, OV_BoolTensor:$condition, Variadic<OV_Tensor>:$sliced,
    Variadic<OV_Tensor>:$init_args,
    TypedArrayAttrBase<OV_PartitionAttr, "partitions">:$slices,
    TypedArrayAttrBase<OV_PartitionAttr, "partitions">:$concats, UnitAttr:$has_index);
  let results = (outs Variadic<OV_Tensor>:$carried, Variadic<OV_Tensor>:$last, Variadic<OV_Tensor>:$concatenated);
  let extraClassDeclaration = sharedDeclaration # [{
    /// The block argument that holds the number of the iteration, or null.
    ::mlir::BlockArgument getIndexArg();
    /// The number of iterations where trip count and conditions are constant, bar a limit by slices.
    std::optional<int64_t> getStaticCount();
    /// True where the body always asks for another iteration.
    bool isConditionAlwaysTrue();
  }];
}

def OV_YieldOp : OV_Op<"yield", [Pure, Terminator, AttrSizedOperandSegments, ParentOneOf<["TensorIteratorOp", "LoopOp"]>,
    DeclareOpInterfaceMethods<RegionBranchTerminatorOpInterface, ["getMutableSuccessorOperands"]>]> {
  let summary = "ends an iteration";
  let description = [{
    Gives the condition (of a Loop), the next carried values, the values whose last instance is a result, and the parts
    that are concatenated.
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

def OV_IfOp : OV_Op<"if", [
    RecursiveMemoryEffects, RecursivelySpeculatable, NoRegionArguments, SingleBlockImplicitTerminator<"ResultOp">,
    DeclareOpInterfaceMethods<RegionBranchOpInterface, ["getRegionInvocationBounds"]>]> {
  let summary = "If operation";
  let description = [{
    Runs one of two bodies, which capture from above what they read, and gives what that body's `ov.result` has. Results
    may have any shape; a dim that differs from one body to the other is dynamic. See If-8.

    Constraints:
    * C1. The condition is boolean and has one element.
    * C2. Both bodies end with values of the types of the results.

    Example:
    ```mlir
    %r = ov.if %c : tensor<i1> -> tensor<?xf32> {
      ...
      ov.result %a : tensor<?xf32>
    } else {
      ov.result %x : tensor<?xf32>
    }
    ```
  }];
  let arguments = (ins OV_BoolTensor:$condition);
  let results = (outs Variadic<OV_Tensor>:$results);
  let regions = (region SizedRegion<1>:$then_body, SizedRegion<1>:$else_body);
  let assemblyFormat = [{
    $condition `:` type($condition) (`->` type($results)^)? attr-dict-with-keyword $then_body `else` $else_body
  }];
  let extraClassDeclaration = [{
    /// What a body ends with: that of the first region where `first`, else of the second.
    ResultOp getEnd(bool first);
  }];
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
}

def OV_ResultOp : OV_Op<"result", [Pure, Terminator, HasParent<"IfOp">,
    DeclareOpInterfaceMethods<RegionBranchTerminatorOpInterface, ["getMutableSuccessorOperands"]>]> {
  let summary = "ends a body of `ov.if`";
  let description = "Gives the results.";
  let arguments = (ins Variadic<OV_Tensor>:$values);
  let assemblyFormat = "($values^ `:` type($values))? attr-dict";
  let builders = [OpBuilder<(ins), [{ build($_builder, $_state, ::mlir::ValueRange()); }]>];
  let hasVerifier = 1;
}

#endif // RECUR_DIALECT_OV_IR_OVLOOPOPS_TD
