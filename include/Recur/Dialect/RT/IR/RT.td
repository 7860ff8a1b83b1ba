// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- RT.td - The rt dialect -------------------------------*- tablegen -*-===//

#ifndef RECUR_DIALECT_RT_IR_RT_TD
#define RECUR_DIALECT_RT_IR_RT_TD

include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def RT_Dialect : Dialect {
  let name = "rt";
  let cppNamespace = "::recur::rt";
  let summary = "What a compiled model asks of its caller, and how it reports faults";
  let description = [{
    The seam between the program and the model's ABI: input, output and weight buffers, the caller's workspace, and
    checks that end a call with a status. All but `rt.broadcast_dim` work on scalars and memrefs; tensors come and go
    through `bufferization.to_tensor` and `bufferization.materialize_in_destination`.
  }];
  let useDefaultAttributePrinterParser = 1;
  let hasOperationAttrVerify = 1;
  let hasCanonicalizer = 1;
}

class RT_Op<string mnemonic, list<Trait> traits = []> : Op<RT_Dialect, mnemonic, traits>;

/// What a call keeps for itself, faults and the shapes of outputs among it: nothing that a memref reaches.
def RT_Frame : Resource<"::recur::rt::FrameResource">;

// The numbers are those of the ABI's status codes (include/Recur/Target/ABI.h).
def RT_FaultKind : I32EnumAttr<"FaultKind", "what went wrong", [
    I32EnumAttrCase<"Shape", 0, "shape">, I32EnumAttrCase<"Overflow", 1, "overflow">,
    I32EnumAttrCase<"TripCount", 2, "trip_count">, I32EnumAttrCase<"Index", 3, "index">,
    I32EnumAttrCase<"Arithmetic", 4, "arithmetic">, I32EnumAttrCase<"IterationLimit", 5, "iteration_limit">,
    I32EnumAttrCase<"MemoryLimit", 6, "memory_limit">, I32EnumAttrCase<"NoMemory", 7, "no_memory">,
    I32EnumAttrCase<"Cancelled", 8, "cancelled">, I32EnumAttrCase<"Capacity", 9, "capacity">,
    I32EnumAttrCase<"Recorded", 10, "recorded">]> {
  let cppNamespace = "::recur::rt";
  let genSpecializedAttr = 0;
}
def RT_FaultKindAttr : EnumAttr<RT_Dialect, RT_FaultKind, "fault">;

// In the order of the pipelines. A module without the attribute is at `import`.
def RT_Stage : I32EnumAttr<"Stage", "the last stage that a module has passed", [
    I32EnumAttrCase<"Import", 0, "import">, I32EnumAttrCase<"Simplify", 1, "simplify">,
    I32EnumAttrCase<"Loops", 2, "loops">, I32EnumAttrCase<"Linalg", 3, "linalg">,
    I32EnumAttrCase<"Schedule", 4, "schedule">, I32EnumAttrCase<"Bufferize", 5, "bufferize">,
    I32EnumAttrCase<"LLVM", 6, "llvm">]> {
  let cppNamespace = "::recur::rt";
  let genSpecializedAttr = 0;
}
def RT_StageAttr : EnumAttr<RT_Dialect, RT_Stage, "stage"> {
  let assemblyFormat = "`<` $value `>`";
}

def RT_CheckOp : RT_Op<"check", [AttrSizedOperandSegments, MemoryEffects<[MemWrite<RT_Frame>]>]> {
  let summary = "ends the call with a status unless a condition holds";
  let description = [{
    Returns the values it guards; what the check protects uses those results, so that nothing that depends on the check
    can be moved above it. Writes the frame of the call as far as any analysis can tell, so it is never removed, merged,
    or run where it would not have run. In the LLVM lowering it becomes a branch to the epilogue of its function and
    folds away. Canonicalization drops a check that holds: its condition is true, or what it compares was found equal
    by the check whose result it takes; and one that guards the same values on the same condition as a check before it.
    `{k}` in `message` is `details[k]`; the message is completed with the layer that the location names.

    Example:
    ```mlir
    %j = rt.check %ok, index, "index {0} is out of range for {1} elements" (%i64, %n64) guards(%i : index)
    ```
  }];
  let arguments = (ins I1:$condition, RT_FaultKindAttr:$kind, StrAttr:$message, Variadic<I64>:$details,
    Variadic<AnyType>:$guarded);
  let results = (outs Variadic<AnyType>:$results);
  let assemblyFormat = [{
    $condition `,` $kind `,` $message (`(` $details^ `)`)? (`guards` `(` $guarded^ `:` type($guarded) `)`)?
    custom<GuardedTypes>(type($results), ref(type($guarded))) attr-dict
  }];
  let builders = [OpBuilder<(ins "::mlir::Value":$condition, "FaultKind":$kind, "::llvm::StringRef":$message,
    "::mlir::ValueRange":$details, "::mlir::ValueRange":$guarded)>];
  let hasCanonicalizeMethod = 1;
  let hasVerifier = 1;
}

def RT_BroadcastDimOp : RT_Op<"broadcast_dim", [Pure, AllTypesMatch<["input", "result"]>,
    DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface, ["reifyResultShapes"]>]> {
  let summary = "a tensor with one dim repeated, as a view";
  let description = [{
    The input, whose dim `dim` is 1 or `size`; where it is 1, the result has it `size` times. It costs nothing: the
    result becomes a view of the input's buffer, whose stride along the dim is 0 where the dim is repeated, so nothing
    may be written to it. (`linalg.broadcast` copies, and its input has one dim less. `tensor.extract_slice` has no
    stride of 0.) Who makes the op has checked the dims; an input of another dim is not detected. An input that was made
    with this size is the result.

    Example: `%0 = rt.broadcast_dim %x along 0 to %n : tensor<?x4xf32>`.
  }];
  let arguments = (ins AnyRankedTensor:$input, Index:$size, I64Attr:$dim);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$input `along` $dim `to` $size attr-dict `:` type($result)";
  let hasFolder = 1;
  let hasVerifier = 1;
}

def RT_IterationOp : RT_Op<"iteration", [MemoryEffects<[MemWrite<RT_Frame>]>]> {
  let summary = "stands in the body of every time loop";
  let description = [{
    Marks the loop whose body it stands in as a time loop, through transformations that drop attributes of loops, and
    carries the number of the iteration. It folds away in the LLVM lowering.
  }];
  let arguments = (ins Index:$number);
  let assemblyFormat = "$number attr-dict";
}

def RT_IterationLimitOp : RT_Op<"iteration_limit", [Pure]> {
  let summary = "how many iterations the caller lets a loop run";
  let description = "`max_iterations` of the options of the call; the greatest number where it has no limit.";
  let results = (outs Index:$limit);
  let assemblyFormat = "attr-dict";
}

def RT_MayContinueOp : RT_Op<"may_continue", [MemoryEffects<[MemRead<RT_Frame>, MemWrite<RT_Frame>]>]> {
  let summary = "false once the caller has cancelled the call";
  let description = [{
    Reads `cancel` of the options of the call anew wherever it stands. Another thread writes it, so it is never merged
    or moved.
  }];
  let results = (outs I1:$ok);
  let assemblyFormat = "attr-dict";
}

def RT_InputOp : RT_Op<"input", [Pure]> {
  let summary = "the buffer of an input of the model";
  let description = "`dims` are the sizes of the dynamic dims, read from the tensor that the caller passes.";
  let arguments = (ins I64Attr:$number);
  let results = (outs AnyMemRef:$buffer);
  let assemblyFormat = "$number attr-dict `:` type($buffer)";
}

def RT_OutputOp : RT_Op<"output", [MemoryEffects<[MemWrite<RT_Frame>]>]> {
  let summary = "the buffer of an output of the model, given its dims";
  let description = [{
    The caller's buffer, or one from the caller's allocator. Stands where the dims are known first, so that results are
    written where they belong.
  }];
  let arguments = (ins I64Attr:$number, Variadic<Index>:$dims, UnitAttr:$late);
  let results = (outs AnyMemRef:$buffer);
  let assemblyFormat = "$number `(` $dims `)` (`late` $late^)? attr-dict `:` type($buffer)";
  let hasVerifier = 1;
}

def RT_AcquireOutputOp : RT_Op<"acquire_output", [MemoryEffects<[MemAlloc<RT_Frame>, MemWrite<RT_Frame>]>]> {
  let summary = "gets the buffer of an output whose size only the computation tells";
  let description = [{
    Sets the dims of the output and makes sure that it has a buffer of `bytes` bytes: the caller's, if that is large
    enough, else one from the caller's allocator. False where that fails; then the frame says why.
  }];
  let arguments = (ins I64Attr:$number, I64:$bytes, Variadic<Index>:$dims);
  let results = (outs I1:$ok);
  let assemblyFormat = "$number `,` $bytes `(` $dims `)` attr-dict";
}

def RT_ReserveOp : RT_Op<"reserve"> {
  let summary = "a buffer that grows as it is asked for more";
  let description = [{
    Gives at least `bytes` bytes, of which the first `keep` are what they were. `cell`, {0, 0} at first, holds the
    buffer's address and capacity from one use to the next. Where the capacity suffices, that is all; else the buffer
    grows, at least twofold, from the caller's allocator. Everything is released when the call ends. `ok` is false
    where that fails; then the frame says why.

    `growing` says that the need grows with the iterations of a loop, as the parts of a concatenation do whose number
    only the loop tells, so that there is no other place to ask. In a time loop nothing else may be reserved
    (`check-time-loops`).

    Example:
    ```mlir
    %buffer, %ok = rt.reserve growing %bytes keeping %used in %cell : memref<2xi64> to memref<?xi8>
    ```
  }];
  let arguments = (ins Arg<MemRefRankOf<[I64], [1]>, "", [MemRead, MemWrite]>:$cell, Index:$bytes, Index:$keep,
    UnitAttr:$growing);
  let results = (outs Res<MemRefRankOf<[I8], [1]>, "", [MemAlloc]>:$buffer, I1:$ok);
  let assemblyFormat = [{
    (`growing` $growing^)? $bytes `keeping` $keep `in` $cell attr-dict `:` type($cell) `to` type($buffer)
  }];
}

def RT_HeldOp : RT_Op<"held"> {
  let summary = "the buffer that a cell holds";
  let description = [{
    What the last `rt.reserve` in `cell` gave. Nothing may be read or written through it where nothing was reserved.
  }];
  let arguments = (ins Arg<MemRefRankOf<[I64], [1]>, "", [MemRead]>:$cell);
  let results = (outs MemRefRankOf<[I8], [1]>:$buffer);
  let assemblyFormat = "$cell attr-dict `:` type($cell) `to` type($buffer)";
}

def RT_RecordedStatusOp : RT_Op<"recorded_status", [MemoryEffects<[MemRead<RT_Frame>, MemWrite<RT_Frame>]>]> {
  let summary = "the status of a fault that the frame holds already";
  let description = [{
    The frame gets `site`, the place in the module's `rt.faults` of an entry with the status 0: its text names the layer
    that the fault comes from. A negative `site` says that there is no such layer. Made by `rt-lower-checks`.
  }];
  let arguments = (ins I64:$site);
  let results = (outs I32:$status);
  let assemblyFormat = "`at` $site attr-dict";
}

def RT_WeightsOp : RT_Op<"weights", [Pure]> {
  let summary = "a packed constant";
  let description = [{
    `recipe` is an `#ov.weights`; `offset`, set when weights are planned, is the place of its bytes in the packed
    weights.
  }];
  let arguments = (ins AnyAttr:$recipe, OptionalAttr<I64Attr>:$offset);
  let results = (outs AnyMemRef:$buffer);
  let assemblyFormat = "(`at` $offset^)? `of` `(` $recipe `)` attr-dict `:` type($buffer)";
}

def RT_WorkspaceOp : RT_Op<"workspace", [Pure]> {
  let summary = "the caller's workspace";
  let results = (outs MemRefRankOf<[I8], [1]>:$buffer);
  let assemblyFormat = "attr-dict `:` type($buffer)";
}

def RT_SizesOp : RT_Op<"sizes", [MemoryEffects<[MemWrite]>]> {
  let summary = "what `query` tells";
  let description = [{
    `workspace` is the bytes of workspace a call needs, `dims` the dims of all outputs, one after the other; -1 where
    only the computation tells.
  }];
  let arguments = (ins Index:$workspace, Variadic<Index>:$dims);
  let assemblyFormat = "$workspace `dims` `(` $dims `)` attr-dict";
}

def RT_FailOp : RT_Op<"fail", [MemoryEffects<[MemWrite<RT_Frame>]>]> {
  let summary = "records a fault in the call's frame";
  let description = [{
    `site` is the fault's place in the module's `rt.faults`. Stands in the epilogue of a function, before its return;
    made by `rt-lower-checks`.
  }];
  let arguments = (ins I64:$site, Variadic<I64>:$details);
  let assemblyFormat = "$site `(` $details `)` attr-dict";
}

#endif // RECUR_DIALECT_RT_IR_RT_TD
