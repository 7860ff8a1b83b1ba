// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- RT.td - The rt dialect -------------------------------*- tablegen -*-===//
//
// The ops by which a compiled model talks to its caller. They hide the layout of the structs of the ABI
// (include/Recur/Target/ABI.h) from all stages before the LLVM lowering.
//
//===----------------------------------------------------------------------===//

#ifndef RECUR_DIALECT_RT_IR_RT_TD
#define RECUR_DIALECT_RT_IR_RT_TD

include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/DestinationStyleOpInterface.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/IR/SymbolInterfaces.td"

def RT_Dialect : Dialect {
  let name = "rt";
  let cppNamespace = "::recur::rt";
  let summary = "The interface of a compiled model to its caller: buffers, limits and faults";
  let description = [{
    The ops of this dialect stand between the program and the ABI of the compiled model. They give the buffers of
    inputs, outputs and weights and the caller's workspace, and they check conditions: a check that fails ends the call
    with a status. These ops work on scalars and memrefs. A tensor is read from a buffer by `bufferization.to_tensor`
    and written to one by `bufferization.materialize_in_destination`.

    More ops work on tensors: `rt.broadcast_dim` is a view of one, and kernels compute `rt.product` and
    `rt.convolution`.
  }];
  let useDefaultAttributePrinterParser = 1;
  let hasOperationAttrVerify = 1;
  let hasCanonicalizer = 1;
}

/// The base class of all ops of the dialect.
class RT_Op<string mnemonic, list<Trait> traits = []> : Op<RT_Dialect, mnemonic, traits>;

/// The state of a call that no memref reaches, such as faults and the shapes of outputs.
def RT_Frame : Resource<"::recur::rt::FrameResource">;

/// The cause of a fault. `rt-lower-checks` translates it to a status code of the ABI (include/Recur/Target/ABI.h).
/// `recorded` is a fault that the C half of the model has recorded in the frame before the check.
def RT_FaultKind : I32EnumAttr<"FaultKind", "the cause of a fault", [
    I32EnumAttrCase<"Shape", 0, "shape">, I32EnumAttrCase<"Overflow", 1, "overflow">,
    I32EnumAttrCase<"TripCount", 2, "trip_count">, I32EnumAttrCase<"Index", 3, "index">,
    I32EnumAttrCase<"Arithmetic", 4, "arithmetic">, I32EnumAttrCase<"IterationLimit", 5, "iteration_limit">,
    I32EnumAttrCase<"MemoryLimit", 6, "memory_limit">, I32EnumAttrCase<"NoMemory", 7, "no_memory">,
    I32EnumAttrCase<"Cancelled", 8, "cancelled">, I32EnumAttrCase<"Capacity", 9, "capacity">,
    I32EnumAttrCase<"Recorded", 10, "recorded">, I32EnumAttrCase<"NaN", 11, "nan">]> {
  let cppNamespace = "::recur::rt";
  let genSpecializedAttr = 0;
}
def RT_FaultKindAttr : EnumAttr<RT_Dialect, RT_FaultKind, "fault">;

/// The stages in the order of the pipelines. A module without the attribute has passed `import` only.
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
    Returns the guarded values. Code that needs the check uses these results instead of the values themselves, so no
    pass can move it above the check. The op has a write effect on the frame of the call, so no pass erases it, merges
    two of them, or runs one where it would not have run. `rt-lower-checks` turns it into a branch to the epilogue of
    the function.

    Canonicalization drops a check that provably holds: its condition is the constant true, or it compares two values
    that the check which one of them comes from has found equal. It also drops a check of the same condition and the
    same guarded values as a check that always runs before it.

    In `message`, `{k}` stands for `details[k]`; there are at most four details. `rt-lower-checks` puts the layer that
    the location names in front of the message.

    Example:
    ```mlir
    func.func @example(%ok: i1, %i: index, %i64: i64, %n64: i64) -> index {
      %j = rt.check %ok, index, "index {0} is out of range for {1} elements" (%i64, %n64) guards(%i : index)
      return %j : index
    }
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
    Dim `dim` of the input, which must be dynamic, is 1 or `size` at run time. If it is 1, the result repeats it `size`
    times; otherwise the result is the input. Nothing is copied: the result becomes a view of the input's buffer, with a
    stride of 0 along a repeated dim, so nothing may write to it. (`linalg.broadcast` copies, and its input has one dim
    less. `tensor.extract_slice` cannot have a stride of 0.) The creator of the op has checked the dim; the op itself
    does not detect another one. The op folds to its input if the input was created with this size.

    Example:
    ```mlir
    func.func @example(%x: tensor<?x4xf32>, %n: index) -> tensor<?x4xf32> {
      %0 = rt.broadcast_dim %x along 0 to %n : tensor<?x4xf32>
      return %0 : tensor<?x4xf32>
    }
    ```
  }];
  let arguments = (ins AnyRankedTensor:$input, Index:$size, I64Attr:$dim);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$input `along` $dim `to` $size attr-dict `:` type($result)";
  let hasFolder = 1;
  let hasVerifier = 1;
}

/// The generator leaves out interfaces of included files, so this one is here.
def RT_KernelOpInterface : OpInterface<"KernelOpInterface"> {
  let cppNamespace = "::recur::rt";
  let description = [{
    An op that a kernel computes, on tensors or on buffers. It has one destination (DestinationStyleOpInterface), of
    which it reads nothing and overwrites all. No pass fuses it with what stands in front of it.
  }];
  let methods = [
    InterfaceMethod<[{
      The sizes of the loops over the result and over what is summed, in an order that the op documents. A size that is
      not known is kDynamic.
    }],
      "::llvm::SmallVector<int64_t>", "getLoopSizes">
  ];
}

include "Recur/Dialect/RT/IR/RTKernelOps.td"

def RT_IterationOp : RT_Op<"iteration", [MemoryEffects<[MemWrite<RT_Frame>]>]> {
  let summary = "marks a time loop and numbers its iterations";
  let description = [{
    Marks the loop whose body contains it directly as a time loop. An attribute of the loop would get lost in
    transformations that create a new loop; an op in the body does not. `number` is the number of the iteration, from
    0. `rt-lower-checks` replaces the op by checks of the caller's iteration limit and of cancellation.

    Example:
    ```mlir
    func.func @example(%n: index) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      scf.for %i = %c0 to %n step %c1 {
        rt.iteration %i
      }
      return
    }
    ```
  }];
  let arguments = (ins Index:$number);
  let assemblyFormat = "$number attr-dict";
}

def RT_IterationLimitOp : RT_Op<"iteration_limit", [Pure]> {
  let summary = "the most iterations of a time loop that the caller allows";
  let description = [{
    Reads `max_iterations` of the options of the call. It is the greatest number if the caller sets no limit.

    Example:
    ```mlir
    func.func @example() -> index {
      %limit = rt.iteration_limit
      return %limit : index
    }
    ```
  }];
  let results = (outs Index:$limit);
  let assemblyFormat = "attr-dict";
}

def RT_MayUseTilesOp : RT_Op<"may_use_tiles", [Pure]> {
  let summary = "whether the caller allows tile registers";
  let description = [{
    Reads `RECUR_USE_TILES` in the flags of the configuration of the instance. The kernel of the operating system lets a
    process use tile registers only after the process has asked for them.

    Example:
    ```mlir
    func.func @example() -> i1 {
      %may = rt.may_use_tiles
      return %may : i1
    }
    ```
  }];
  let results = (outs I1:$may);
  let assemblyFormat = "attr-dict";
}

def RT_MayContinueOp : RT_Op<"may_continue", [MemoryEffects<[MemRead<RT_Frame>, MemWrite<RT_Frame>]>]> {
  let summary = "false once the caller has cancelled the call";
  let description = [{
    Reads the flag `cancel` of the options of the call, which another thread may set. Each op reads it again: the op has
    a read and a write effect on the frame, so that no pass merges two of them or moves one out of a loop.

    Example:
    ```mlir
    func.func @example() {
      %ok = rt.may_continue
      rt.check %ok, cancelled, "cancelled by the caller"
      return
    }
    ```
  }];
  let results = (outs I1:$ok);
  let assemblyFormat = "attr-dict";
}

def RT_InputOp : RT_Op<"input", [Pure]> {
  let summary = "the buffer of an input of the model";
  let description = [{
    `number` is the position of the input in the module's `rt.inputs`. Dynamic dims are read from the tensor that the
    caller passes.

    Example:
    ```mlir
    func.func @example() -> memref<?x4xf32> {
      %0 = rt.input 0 : memref<?x4xf32>
      return %0 : memref<?x4xf32>
    }
    ```
  }];
  let arguments = (ins I64Attr:$number);
  let results = (outs AnyMemRef:$buffer);
  let assemblyFormat = "$number attr-dict `:` type($buffer)";
}

def RT_OutputOp : RT_Op<"output", [MemoryEffects<[MemWrite<RT_Frame>]>]> {
  let summary = "the buffer of an output of the model, given its dims";
  let description = [{
    The buffer is the caller's, or comes from the caller's allocator. `dims` are the sizes of the dynamic dims. The op
    is placed as soon as these are known, so that results are written directly to the output. `late` says that a dim
    depends on computed data: `rt-lower-checks` then adds an `rt.acquire_output` before the op.

    Example:
    ```mlir
    func.func @example(%n: index) -> memref<?x4xf32> {
      %0 = rt.output 0 (%n) : memref<?x4xf32>
      return %0 : memref<?x4xf32>
    }
    ```
  }];
  let arguments = (ins I64Attr:$number, Variadic<Index>:$dims, UnitAttr:$late);
  let results = (outs AnyMemRef:$buffer);
  let assemblyFormat = "$number `(` $dims `)` (`late` $late^)? attr-dict `:` type($buffer)";
  let hasVerifier = 1;
}

def RT_AcquireOutputOp : RT_Op<"acquire_output", [MemoryEffects<[MemAlloc<RT_Frame>, MemWrite<RT_Frame>]>]> {
  let summary = "gets the buffer of an output whose size depends on computed data";
  let description = [{
    Sets the dims of the output, all of them, and provides a buffer of `bytes` bytes: the caller's if it is large
    enough, else one from the caller's allocator. The result is false if there is no such buffer; then the frame holds
    the fault, and a check of the kind `recorded` reports it.

    Example:
    ```mlir
    func.func @example(%bytes: i64, %n: index) {
      %ok = rt.acquire_output 0, %bytes (%n)
      rt.check %ok, recorded, ""
      return
    }
    ```
  }];
  let arguments = (ins I64Attr:$number, I64:$bytes, Variadic<Index>:$dims);
  let results = (outs I1:$ok);
  let assemblyFormat = "$number `,` $bytes `(` $dims `)` attr-dict";
}

def RT_ReserveOp : RT_Op<"reserve"> {
  let summary = "a buffer of at least a number of bytes, which grows if it is too small";
  let description = [{
    Returns a buffer of at least `bytes` bytes, whose first `keep` bytes have their previous contents. `cell` holds the
    address and the capacity of the buffer between uses; the program initializes it with zeros. If the capacity is too
    small, the buffer grows at least to the double, with memory from the caller's allocator. All such buffers are
    released when the call ends. `ok` is false if there is not enough memory; then the frame holds the fault, and a
    check of the kind `recorded` reports it.

    `growing` says that the size grows with the iterations of a loop, like a concatenation whose number of parts is not
    known before the loop ends. In a time loop, `check-time-loops` allows no other reservation.

    Example:
    ```mlir
    func.func @example(%cell: memref<2xi64>, %bytes: index, %used: index) -> memref<?xi8> {
      %buffer, %ok = rt.reserve growing %bytes keeping %used in %cell : memref<2xi64> to memref<?xi8>
      %checked = rt.check %ok, recorded, "" guards(%buffer : memref<?xi8>)
      return %checked : memref<?xi8>
    }
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
    Returns the buffer that the last `rt.reserve` with this `cell` has returned. If there was none, nothing may be read
    or written through the result.

    Example:
    ```mlir
    func.func @example(%cell: memref<2xi64>) -> memref<?xi8> {
      %buffer = rt.held %cell : memref<2xi64> to memref<?xi8>
      return %buffer : memref<?xi8>
    }
    ```
  }];
  let arguments = (ins Arg<MemRefRankOf<[I64], [1]>, "", [MemRead]>:$cell);
  let results = (outs MemRefRankOf<[I8], [1]>:$buffer);
  let assemblyFormat = "$cell attr-dict `:` type($cell) `to` type($buffer)";
}

def RT_RecordedStatusOp : RT_Op<"recorded_status", [MemoryEffects<[MemRead<RT_Frame>, MemWrite<RT_Frame>]>]> {
  let summary = "the status of a fault that the frame already holds";
  let description = [{
    Also stores `site` in the frame: the position in the module's `rt.faults` of an entry with the status 0, whose text
    names the layer that the fault comes from. A negative `site` means that no layer is known. `rt-lower-checks` creates
    the op for checks of the kind `recorded`.

    Example:
    ```mlir
    func.func @example(%site: i64) -> i32 {
      %status = rt.recorded_status at %site
      return %status : i32
    }
    ```
  }];
  let arguments = (ins I64:$site);
  let results = (outs I32:$status);
  let assemblyFormat = "`at` $site attr-dict";
}

def RT_WeightsOp : RT_Op<"weights", [Pure]> {
  let summary = "a packed constant";
  let description = [{
    `constant` is an `#ov.weights`. `offset`, which `rt-plan-weights` sets, is the offset of its bytes in the packed
    weights. Nothing may write to the buffer.

    Example:
    ```mlir
    func.func @example() -> memref<4xf32> {
      %0 = rt.weights at 64 of(#ov.weights<16, tensor<4xf32>> : tensor<4xf32>) : memref<4xf32>
      return %0 : memref<4xf32>
    }
    ```
  }];
  let arguments = (ins AnyAttr:$constant, OptionalAttr<I64Attr>:$offset);
  let results = (outs AnyMemRef:$buffer);
  let assemblyFormat = "(`at` $offset^)? `of` `(` $constant `)` attr-dict `:` type($buffer)";
}

def RT_WorkspaceOp : RT_Op<"workspace", [Pure]> {
  let summary = "the caller's workspace";
  let description = [{
    The block of memory, aligned to 64 bytes, that the caller provides for the call. `rt-plan-workspace` gives each
    buffer an offset in it.

    Example:
    ```mlir
    func.func @example(%offset: index) -> memref<4xf32> {
      %0 = rt.workspace : memref<?xi8>
      %1 = memref.view %0[%offset][] : memref<?xi8> to memref<4xf32>
      return %1 : memref<4xf32>
    }
    ```
  }];
  let results = (outs MemRefRankOf<[I8], [1]>:$buffer);
  let assemblyFormat = "attr-dict `:` type($buffer)";
}

def RT_ParallelOp : RT_Op<"parallel", [DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "calls a function for all indices below a count that the caller of the model chooses";
  let description = [{
    Calls `part`, a private function, with the frame of the call, an index, the count, and `captures`, once for each
    index below the count. The count is at most `want`, and 1 if `want` is below 2. The calls may run at the same time,
    on different threads, so each index must do its share of the work alone. `rt-form-parallel-regions` creates the op.

    Example:
    ```mlir
    func.func private @share(%frame: !llvm.ptr, %index: i32, %count: i32, %n: index) {
      return
    }
    func.func @example(%frame: !llvm.ptr, %want: index, %n: index) {
      rt.parallel @share want %want (%n : index)
      return
    }
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$part, Index:$want, Variadic<AnyType>:$captures);
  let assemblyFormat = "$part `want` $want `(` ($captures^ `:` type($captures))? `)` attr-dict";
}

def RT_SizesOp : RT_Op<"sizes", [MemoryEffects<[MemWrite]>]> {
  let summary = "returns the sizes that a call needs";
  let description = [{
    Stores the sizes that the public function `NAME_query` returns, at the end of `recur_model_sizes`. `workspace` is
    the number of bytes of workspace that a call needs. `dims` are the dims of all outputs, one after the other; a dim
    that depends on computed data is -1.

    Example:
    ```mlir
    func.func @example(%bytes: index, %n: index, %m: index) {
      rt.sizes %bytes dims(%n, %m)
      return
    }
    ```
  }];
  let arguments = (ins Index:$workspace, Variadic<Index>:$dims);
  let assemblyFormat = "$workspace `dims` `(` $dims `)` attr-dict";
}

def RT_FailOp : RT_Op<"fail", [MemoryEffects<[MemWrite<RT_Frame>]>]> {
  let summary = "records a fault in the call's frame";
  let description = [{
    `site` is the position of the fault in the module's `rt.faults`, and `details` are the numbers of its message. The
    op is in the epilogue of a function, before the return. `rt-lower-checks` creates it.

    Example:
    ```mlir
    func.func @example(%status: i32, %site: i64, %d: i64) -> i32 {
      rt.fail %site(%d, %d, %d, %d)
      return %status : i32
    }
    ```
  }];
  let arguments = (ins I64:$site, Variadic<I64>:$details);
  let assemblyFormat = "$site `(` $details `)` attr-dict";
}

#endif // RECUR_DIALECT_RT_IR_RT_TD
