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

/// The base class of ops that kernels compute.
class RT_KernelOp<string mnemonic, list<Trait> traits = []> : RT_Op<mnemonic, traits # [DestinationStyleOpInterface,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>, DeclareOpInterfaceMethods<ConditionallySpeculatable>,
    DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface, ["reifyResultShapes"]>,
    DeclareOpInterfaceMethods<RT_KernelOpInterface>]>;

def RT_ConvolutionOp : RT_KernelOp<"convolution", [IsolatedFromAbove, SingleBlock]> {
  let summary = "a convolution with packed filters, and what is computed from its result";
  let description = [{
    Each element of the result is a sum of products that starts from 0. There is an order in which a kernel adds them,
    so the op is never divided along what is summed, and `linalg.generic` could not say so. It works on tensors or on
    buffers of f32 or f64. All of `init` is overwritten.

    Names of dims: N is the batch, S the positions along each of one to three spatial dims, I and O the channels of the
    data and of the result, G the groups, T and R the tiles of result channels and the channels of a tile (16, or 32 for
    transformed filters, if the channels come last), and K the elements of the kernel along each spatial dim.

    | form | `filters` | `data` | result |
    |---|---|---|---|
    | one group | [T, K..., I, R] | [N, S..., I] | [N, S..., T, R] |
    | groups, of one or two spatial dims | [G, T, K..., I, R] | [N, S..., G, I] | [N, S..., G, T, R] |
    | each channel has filters of its own, of one or two spatial dims | [K..., O] | [N, S..., O] | [N, S..., O] |
    | `channels_first`, of one or two spatial dims | [G, T, I, K..., R] | [N, G, I, S...] | [N, G, T, R, S...] |

    Of three spatial dims, the second one comes first in K, and the last one has no dilation. Position s reads the data
    at `s * stride + k * dilation`. Filters of the last form may be f16 or bf16 beside f32, until `rt-widen-panels`
    widens them.

    What follows is for the other forms alone. `padding` has two numbers for each spatial dim: so many of the first
    and of the last elements of the data are known to be zeros, because they are padding. The kernel may leave them
    out.

    `transformed` names the dims along which the filters have Winograd's form: a dim of 4 elements instead of 3
    (`#ov.winograd`), of a convolution with one group. Its stride is 1, or 2 without dilation.

    The loops are those over the dims of the result, and then those over the dims of the filters that are summed.

    If there is an epilogue, the result is [N, S..., O], whatever the form, and has what the region computes from a sum
    and from an element of each of `inputs`. `input_maps` has the indices of these as functions of those of the
    result: the last one is that of the channel, the others are those of other dims, or 0. The region has
    element-wise ops on scalars, which a kernel computes on vectors.

    Example:
    ```mlir
    func.func @example(%w: tensor<2x3x8x16xf32>, %x: tensor<1x9x8xf32>, %b: tensor<1x1x20xf32>, %e: tensor<1x7x20xf32>)
        -> tensor<1x7x20xf32> {
      %y = rt.convolution ins(%w, %x : tensor<2x3x8x16xf32>, tensor<1x9x8xf32>) with(%b : tensor<1x1x20xf32>)
          outs(%e : tensor<1x7x20xf32>)
          {strides = array<i64: 1>, dilations = array<i64: 1>, input_maps = [affine_map<(n, s, c) -> (0, 0, c)>]}
          epilogue {
      ^bb0(%sum: f32, %bias: f32):
        %0 = arith.addf %sum, %bias : f32
        rt.yield %0 : f32
      } -> tensor<1x7x20xf32>
      return %y : tensor<1x7x20xf32>
    }
    ```
  }];
  let arguments = (ins AnyShaped:$filters, AnyShaped:$data, Variadic<AnyShaped>:$inputs, AnyShaped:$init,
    DenseI64ArrayAttr:$strides, DenseI64ArrayAttr:$dilations, OptionalAttr<DenseI64ArrayAttr>:$padding,
    OptionalAttr<DenseBoolArrayAttr>:$transformed, UnitAttr:$channels_first,
    DefaultValuedAttr<AffineMapArrayAttr, "{}">:$input_maps);
  let results = (outs Optional<AnyRankedTensor>:$result);
  let regions = (region MaxSizedRegion<1>:$epilogue);
  let assemblyFormat = [{
    `ins` `(` $filters `,` $data `:` type($filters) `,` type($data) `)` (`with` `(` $inputs^ `:` type($inputs) `)`)?
    `outs` `(` $init `:` type($init) `)` attr-dict (`epilogue` $epilogue^)? (`->` type($result)^)?
  }];
  let builders = [OpBuilder<(ins "::mlir::Value":$filters, "::mlir::Value":$data, "::mlir::Value":$init,
    "::llvm::ArrayRef<int64_t>":$strides, "::llvm::ArrayRef<int64_t>":$dilations,
    CArg<"::llvm::ArrayRef<int64_t>", "{}">:$padding, CArg<"::llvm::ArrayRef<bool>", "{}">:$transformed)>];
  let extraClassDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() { return getInitMutable(); }
    unsigned getNumSpatialDims() { return getStrides().size(); }
    /// True if each channel has filters of its own.
    bool isDepthwise();
    /// True if the channels come last, and groups of them have filters of their own.
    bool hasGroups();
    /// True if the filters are transformed along this dim.
    bool isTransformed(unsigned dim);
    /// True if the filters are transformed along any dim.
    bool usesWinograd();
    bool hasEpilogue() { return !getEpilogue().empty(); }
    /// The elements of the kernel along this spatial dim, 3 if they are transformed.
    int64_t getKernelSize(unsigned dim);
    /// How many elements of the data along this spatial dim are padding, at its beginning and its end.
    std::pair<int64_t, int64_t> getPadding(unsigned dim);
    /// The dim of the filters that has the elements of the kernel along this spatial dim.
    unsigned getFilterDim(unsigned dim);
    /// The dim of the result that has the positions along this spatial dim.
    unsigned getPlaceDim(unsigned dim) { return (getChannelsFirst() ? 4 : 1) + dim; }
    /// The fewest and the most channels that a result with an epilogue has: those of the filters, of which the last
    /// tile may have some more than the model. Only for convolutions with channels last.
    std::pair<int64_t, int64_t> getChannelRange();
  }];
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

/// What the elements of the matrix of a product are. `plain` ones are f32 or f64 as the result has, or f16 or bf16
/// beside f32. `bytes` are integers of eight bits. `halves` are integers of four bits: a byte has one of the first half
/// of a row of a block in its low bits, and one of the second half in its high bits. `pairs` are bf16, of which two
/// that follow each other along the summed dim are neighbours.
def RT_MatrixElements : I32EnumAttr<"MatrixElements", "what the elements of the matrix of a product are", [
    I32EnumAttrCase<"Plain", 0, "plain">, I32EnumAttrCase<"Bytes", 1, "bytes">,
    I32EnumAttrCase<"Halves", 2, "halves">, I32EnumAttrCase<"Pairs", 3, "pairs">]> {
  let cppNamespace = "::recur::rt";
  let genSpecializedAttr = 0;
}
def RT_MatrixElementsAttr : EnumAttr<RT_Dialect, RT_MatrixElements, "elements">;

def RT_ProductOp : RT_KernelOp<"product", [AttrSizedOperandSegments]> {
  let summary = "a product of rows and a matrix";
  let description = [{
    Each element of the result is a sum of products that begins with `start`, along one dim. The op works on tensors or
    on buffers, and the result has f32 or f64. All of `init` is overwritten. A kernel computes it. Inline code computes
    other products, which stay `linalg.generic`.

    The loops are those over the dims of the result, in their order, and then the one along which is summed. `rows_map`
    and `matrix_map` say which loops index the dims of the operands. The last dim of the result, the column, indexes the
    matrix and not the rows. Every other loop indexes one of them, or both if it is a batch.

    In most products the column is the last dim of the matrix too, so lanes run along the columns, and at most one other
    loop indexes the matrix alone: the matrix may be packed in blocks of columns. In a product of dots, the summed dim
    is the last one of both operands, and lanes run along it.

    `elements` says what the matrix has (`plain`, the default, `bytes`, `halves` or `pairs`). If it is not plain, the
    matrix is packed in blocks of columns, of f32 results:

    | elements | matrix | rows |
    |---|---|---|
    | `bytes` | i8 [B, K, L] | f32 [..., K] |
    | `halves` | i8 [B, K, L / 2] | f32 [..., K] |
    | `pairs` | bf16 [B, K / 2, L, 2] | bf16, or f32 that are rounded to bf16, [..., K] |

    An integer q stands for (q - zero) * scale, where `zero` and `scale`, which may be missing, are [B, G, L]: each of G
    groups of the summed dim has its own, where G may differ. `signed_matrix` and `signed_zero` say that these integers
    have signs. Signed halves are stored with 8 added to them.

    `columns` decides the order of a sum, and with it how many accumulators an element has: the number of columns, or -1
    for one accumulator. It is the same number for any number of rows.

    Example:
    ```mlir
    func.func @example(%x: tensor<?x64xf32>, %w: tensor<3x64x16xi8>, %s: tensor<3x2x16xf32>, %n: index)
        -> tensor<?x3x16xf32> {
      %zero = arith.constant 0.0 : f32
      %e = tensor.empty(%n) : tensor<?x3x16xf32>
      %y = rt.product ins(%x, %w : tensor<?x64xf32>, tensor<3x64x16xi8>) scale(%s : tensor<3x2x16xf32>)
          start(%zero : f32) outs(%e : tensor<?x3x16xf32>)
          {rows_map = affine_map<(m, b, l, k) -> (m, k)>, matrix_map = affine_map<(m, b, l, k) -> (b, k, l)>,
           elements = #rt<elements bytes>, signed_matrix, columns = 48} -> tensor<?x3x16xf32>
      return %y : tensor<?x3x16xf32>
    }
    ```
  }];
  let arguments = (ins AnyShaped:$rows, AnyShaped:$matrix, Optional<AnyShaped>:$zero, Optional<AnyShaped>:$scale,
    AnyFloat:$start, AnyShaped:$init, AffineMapAttr:$rows_map, AffineMapAttr:$matrix_map,
    DefaultValuedAttr<RT_MatrixElementsAttr, "MatrixElements::Plain">:$elements, UnitAttr:$signed_matrix,
    UnitAttr:$signed_zero, I64Attr:$columns);
  let results = (outs Optional<AnyRankedTensor>:$result);
  let assemblyFormat = [{
    `ins` `(` $rows `,` $matrix `:` type($rows) `,` type($matrix) `)` (`zero` `(` $zero^ `:` type($zero) `)`)?
    (`scale` `(` $scale^ `:` type($scale) `)`)? `start` `(` $start `:` type($start) `)`
    `outs` `(` $init `:` type($init) `)` attr-dict (`->` type($result)^)?
  }];
  let extraClassDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() { return getInitMutable(); }
    /// The loop over the columns, and the one along which is summed.
    unsigned getLane() { return getSharedLoop() - 1; }
    unsigned getSharedLoop() { return getRowsMap().getNumDims() - 1; }
    /// The loops that index all operands, those that index the rows and the result, and those that index the matrix and
    /// the result, without the column. In the order of the dims of the result.
    ::llvm::SmallVector<unsigned> getBatches();
    ::llvm::SmallVector<unsigned> getRowLoops();
    ::llvm::SmallVector<unsigned> getBlocks();
    /// True if lanes run along the summed dim.
    bool isDots();
    /// True if the elements of the matrix are integers.
    bool hasIntegers();
    bool hasPairs() { return getElements() == MatrixElements::Pairs; }
    /// How many groups of the summed dim have a scale, or a zero point if there are no scales, of their own.
    int64_t getNumGroups();
  }];
  let hasVerifier = 1;
}

def RT_YieldOp : RT_Op<"yield", [Pure, Terminator, HasParent<"ConvolutionOp">]> {
  let summary = "the end of an epilogue";
  let description = [{
    `value` is the element of the result.

    Example:
    ```mlir
    func.func @example(%w: memref<3x8xf32>, %x: memref<1x9x8xf32>, %y: memref<1x7x8xf32>) {
      rt.convolution ins(%w, %x : memref<3x8xf32>, memref<1x9x8xf32>) outs(%y : memref<1x7x8xf32>)
          {strides = array<i64: 1>, dilations = array<i64: 1>} epilogue {
      ^bb0(%sum: f32):
        %0 = arith.negf %sum : f32
        rt.yield %0 : f32
      }
      return
    }
    ```
  }];
  let arguments = (ins AnyType:$value);
  let assemblyFormat = "$value attr-dict `:` type($value)";
}

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
