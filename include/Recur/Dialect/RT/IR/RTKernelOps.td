// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- RTKernelOps.td - The ops that kernels compute ----------------------===//
//
// A kernel is in the IR as an op, on tensors and then on buffers, until a pass emits the call. RT.td includes this
// file, so nothing else does.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_DIALECT_RT_IR_RTKERNELOPS_TD
#define RECUR_DIALECT_RT_IR_RTKERNELOPS_TD

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
    | `channels_first` | [G, T, I, K..., R] | [N, G, I, S...] | [N, G, O, S...] |

    Of three spatial dims, the second one comes first in K. Position s reads the data at `s * stride + k * dilation`. If
    the channels come last, the last of three dims has no dilation; if they come first, the last two have no strides. In
    the last form, the last tile of a group may have rows that are no channels of the result, and the filters may be f16
    or bf16 beside f32, until `rt-widen-panels` widens them.

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
    unsigned getPlaceDim(unsigned dim) { return (getChannelsFirst() ? 3 : 1) + dim; }
    /// The fewest and the most channels that a result with an epilogue has: those of the filters, of which the last
    /// tile may have some more than the model. Only for convolutions with channels last.
    std::pair<int64_t, int64_t> getChannelRange();
  }];
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

/// This says what the elements of the matrix of a product are. `plain` ones are f32 or f64 as the result has, or f16 or
/// bf16 beside f32. `bytes` are integers of eight bits. `halves` are integers of four bits: a byte has one of the first
/// half of a row of a block in its low bits, and one of the second half in its high bits. `pairs` are bf16, of which
/// two that follow each other along the summed dim are neighbours.
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
  let builders = [OpBuilder<(ins "::mlir::Value":$rows, "::mlir::Value":$matrix, "::mlir::Value":$start,
    "::mlir::Value":$init, "::mlir::AffineMap":$rowsMap, "::mlir::AffineMap":$matrixMap, "int64_t":$columns,
    CArg<"MatrixElements", "MatrixElements::Plain">:$elements, CArg<"::mlir::Value", "{}">:$zero,
    CArg<"::mlir::Value", "{}">:$scale, CArg<"bool", "false">:$signedMatrix, CArg<"bool", "false">:$signedZero)>];
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
    /// Returns those of `loops` that index the rows, or do not, and the matrix, or do not. These have the given maps.
    static ::llvm::SmallVector<unsigned> selectLoops(::llvm::ArrayRef<unsigned> loops, ::mlir::AffineMap rows,
        ::mlir::AffineMap matrix, bool inRows, bool inMatrix);
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

#endif // RECUR_DIALECT_RT_IR_RTKERNELOPS_TD
