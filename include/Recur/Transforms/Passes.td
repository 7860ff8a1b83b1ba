// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Passes.td - Passes on tensors, buffers and loops -----*- tablegen -*-===//

#ifndef RECUR_TRANSFORMS_PASSES_TD
#define RECUR_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def EnterStage : Pass<"rt-enter-stage", "::mlir::ModuleOp"> {
  let summary = "Note the stage that a module passes, and refuse one that has passed it";
  let description = [{
    Stands first in the pipeline of each stage. The text of a module then says where it stands, so that the tools go on
    from there. A module that has passed the stage already is an error: most stages do not run twice.

    ```mlir
    module {
    ```
    ==> with `stage=linalg`
    ```mlir
    module attributes {rt.stage = #rt.stage<linalg>} {
    ```
  }];
  let options = [Option<"stage", "stage", "std::string", /*default=*/"", "simplify, loops, linalg, ...">];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::recur::rt::RTDialect"];
}

def LowerEntry : Pass<"rt-lower-entry", "::mlir::ModuleOp"> {
  let summary = "Turn the entry function's arguments and results into buffers of the call";
  let description = [{
    The one public function becomes `recur_model_compute`, which takes the frame of a call and returns a status.
    Arguments become `rt.input`, results are written to `rt.output` through `bufferization.materialize_in_destination`.
    Names and public element types, which the importer put on arguments and results, move to the module's `rt.inputs`
    and `rt.outputs`.

    ```mlir
    func.func @main(%x: tensor<4xf32> {ov.name = "x", ov.element_type = f32}) -> (tensor<4xf32> {ov.name = "y", ...}) {
      %y = ...
      return %y : tensor<4xf32>
    }
    ```
    ==>
    ```mlir
    func.func @recur_model_compute(%frame: !llvm.ptr) -> i32 {
      %0 = rt.input 0 : memref<4xf32>
      %x = bufferization.to_tensor %0 restrict : memref<4xf32> to tensor<4xf32>
      %1 = rt.output 0 () : memref<4xf32>
      %y = ...
      bufferization.materialize_in_destination %y in restrict writable %1
      return %c0_i32 : i32
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::bufferization::BufferizationDialect",
    "::mlir::memref::MemRefDialect", "::mlir::tensor::TensorDialect", "::mlir::LLVM::LLVMDialect",
    "::recur::rt::RTDialect"];
}

def LowerWeights : Pass<"rt-lower-weights", "::mlir::func::FuncOp"> {
  let summary = "Turn constants that stay in the weights file into buffers of packed weights";
  let description = [{
    `ov.constant #ov.weights<...>` becomes `rt.weights`, read as a tensor that nothing may write.

    ```mlir
    %w = ov.constant #ov.weights<16, tensor<64x64xf32>> : tensor<64x64xf32>
    ```
    ==>
    ```mlir
    %0 = rt.weights of(#ov.weights<16, tensor<64x64xf32>> : tensor<64x64xf32>) : memref<64x64xf32>
    %w = bufferization.to_tensor %0 restrict : memref<64x64xf32> to tensor<64x64xf32>
    ```
  }];
  let dependentDialects = ["::mlir::bufferization::BufferizationDialect", "::mlir::memref::MemRefDialect",
    "::recur::rt::RTDialect"];
}

def FuseElementwise : Pass<"rt-fuse-elementwise", "::mlir::func::FuncOp"> {
  let summary = "Fuse element-wise linalg ops of a block into few loop nests";
  let description = [{
    Fuses an element-wise `linalg.generic` into the `linalg.generic` that reads it, where that is in the same block. A
    producer with other readers becomes another result of the fused op, if all of them come later, so that nothing is
    computed twice.
  }];
  let dependentDialects = ["::mlir::affine::AffineDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::tensor::TensorDialect"];
}

def ForwardCopies : Pass<"rt-forward-copies", "::mlir::func::FuncOp"> {
  let summary = "Let values be computed in the buffers that they are copied to";
  let description = [{
    After bufferization: a buffer that is allocated, and all of which is copied to an output or to a part of another
    buffer, is that part from the start. Nobody may see that it is written early: what was there before is not read
    meanwhile, and what is there afterwards stays as long as the buffer is read. So an inner loop writes its
    concatenation into that of the outer one, and a branch what it computes into the next state.

    ```mlir
    %out = rt.output 0 () : memref<9x4xf32>
    scf.for %t = ... {
      %a = memref.alloc() : memref<4xf32>
      ...
      %part = memref.subview %out[%t, 0] [1, 4] [1, 1] : memref<9x4xf32> to memref<4xf32, strided<[1], offset: ?>>
      memref.copy %a, %part : memref<4xf32> to memref<4xf32, strided<[1], offset: ?>>
    }
    ```
    ==>
    ```mlir
    %out = rt.output 0 () : memref<9x4xf32>
    scf.for %t = ... {
      %part = memref.subview %out[%t, 0] [1, 4] [1, 1] : memref<9x4xf32> to memref<4xf32, strided<[1], offset: ?>>
      ... // %part instead of %a
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect"];
}

def PlanWorkspace : Pass<"rt-plan-workspace", "::mlir::ModuleOp"> {
  let summary = "Give every buffer a place in the caller's workspace";
  let description = [{
    Every `memref.alloc` becomes a view of the workspace at a 64-byte aligned offset. Buffers that do not hold anything
    at the same time may share bytes. A buffer lives from the first access to the last one, in the order of the
    program: of branches, each has what the other one leaves. An allocation in a loop is one place that all iterations
    use, as no buffer outlives its iteration; one before a loop, if the loop accesses it, lives as long as the loop.

    The pass emits `recur_model_sizes`, which computes the bytes needed and the dims of outputs from the dims and the
    integer values of the inputs, and sets the module's `rt.workspace_bytes` and `rt.sizing_inputs`, the inputs whose
    values it reads. A buffer whose size only the computation tells is an `rt.reserve`, whose cell is in the workspace.
    Where a size depends on the call, what is below a buffer is decided here, and where it begins is the greatest end of
    those below it; all that this needs is computed at the start of the function.

    ```mlir
    %a = memref.alloc(%n) : memref<?xf32>
    %b = memref.alloc() : memref<4xf32>
    ... // of %a and %b
    %c = memref.alloc(%n) : memref<?xf32>
    ... // of %b and %c
    ```
    ==>
    ```mlir
    %w = rt.workspace : memref<?xi8>
    %b = memref.view %w[%c0][] : memref<?xi8> to memref<4xf32>
    %a = memref.view %w[%c64][%n] : memref<?xi8> to memref<?xf32>
    ...
    %c = memref.view %w[%c64][%n] : memref<?xi8> to memref<?xf32>
    ```
  }];
  let options = [
    Option<"share", "share", "bool", /*default=*/"true", "Buffers that are not alive together share bytes">,
    Option<"report", "report", "bool", /*default=*/"false",
           "Remark how many bytes are planned, and how many are alive at once">,
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect", "::mlir::LLVM::LLVMDialect",
    "::recur::rt::RTDialect"];
}

def PlanWeights : Pass<"rt-plan-weights", "::mlir::ModuleOp"> {
  let summary = "Give every packed constant its place in the weights";
  let description = [{
    Sets `offset` of every `rt.weights`, 64-byte aligned, equal recipes sharing a place, in the order of the program;
    and the module's `rt.weights_bytes` and `rt.weights_plan`, by which the weights are packed.
  }];
  let dependentDialects = ["::recur::rt::RTDialect"];
}

def LowerCopies : Pass<"rt-lower-copies", "::mlir::ModuleOp"> {
  let summary = "Lower copies of buffers that are not contiguous, to loops or calls of kernels";
  let description = [{
    A contiguous `memref.copy` stays (it becomes a memcpy); one whose source and target are the same goes; any other
    becomes a loop nest, because its lowering would call a runtime library.

    A copy, or a `linalg.fill`, of a size that only the call tells becomes a call of a private function that the module
    has once for each element type and number of dims: such nests are a good part of the code of a model of dynamic
    dims. Dims of one element go. Time loops, and rows that a loop takes one by one, keep their nests.

    ```mlir
    memref.copy %a, %b : memref<?x1x64xf32, strided<[?, ?, 1]>> to memref<?x1x64xf32>
    ```
    ==>
    ```mlir
    func.call @rt_copy_f32_2(%a0, %b0)
      : (memref<?x?xf32, strided<[?, ?], offset: ?>>, memref<?x?xf32, strided<[?, ?], offset: ?>>) -> ()
    ...
    func.func private @rt_copy_f32_2(...) attributes {passthrough = ["noinline", "rt.kernel"], rt.kernel}
    ```
  }];
  let options = [Option<"kernels", "kernels", "bool", /*default=*/"true", "Share the code of sizes that are not "
                        "known">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::func::FuncDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::LLVM::LLVMDialect", "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect"];
}

def LowerChecks : Pass<"rt-lower-checks", "::mlir::ModuleOp"> {
  let summary = "Lower checks to branches to the epilogue of their function";
  let description = [{
    After `convert-scf-to-cf`. Each `rt.check` ends its block with a branch to the function's epilogue, which records
    the fault in the frame and returns its status; what the check guarded stands for its results. The texts, completed
    with the layer that the location names, go to the module's `rt.faults`. `rt.reserve` goes to a block of its own, to
    which a branch leads where the cell holds less than is asked for.

    ```mlir
    %j = rt.check %ok, index, "index {0} is out of range" (%n) guards(%i : index)
    ```
    ==>
    ```mlir
      cf.cond_br %ok, ^next, ^epilogue(%code, %site, %n, %zero, %zero, %zero : ...)
    ^next:
      // %i instead of %j
    ...
    ^epilogue(%c: i32, %s: i64, %d0: i64, %d1: i64, %d2: i64, %d3: i64):
      rt.fail %s(%d0, %d1, %d2, %d3)
      return %c : i32
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::cf::ControlFlowDialect",
    "::mlir::memref::MemRefDialect", "::recur::rt::RTDialect"];
}

def ExpandMath : Pass<"rt-expand-math", "::mlir::func::FuncOp"> {
  let summary = "Expand transcendental functions into arithmetic";
  let description = [{
    f32 `math.exp`, of scalars and vectors, becomes a polynomial (1.1 ulp); conversions of bf16, and of f64 to f16,
    become arithmetic. f64 functions become calls of libm, the only functions that a model may leave undefined. For
    what a target has no instructions there are options, so that no runtime library is called (`fmaf`, `floorf`,
    `__truncsfhf2`).

    ```mlir
    %0 = math.fma %a, %b, %c : vector<4xf32>
    ```
    ==> with `no-fma`
    ```mlir
    %1 = arith.mulf %a, %b : vector<4xf32>
    %0 = arith.addf %1, %c : vector<4xf32>
    ```
  }];
  let options = [
    Option<"noFma", "no-fma", "bool", /*default=*/"false", "No fused multiply-add: a product and a sum">,
    Option<"noRounding", "no-rounding", "bool", /*default=*/"false",
           "No instructions that round to an integer: floor, ceil, trunc, round and roundeven by additions">,
    Option<"noF16c", "no-f16c", "bool", /*default=*/"false", "No conversions of f16: integer arithmetic">,
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect", "::mlir::vector::VectorDialect"];
}

def KeepTimeLoops : Pass<"rt-keep-time-loops"> {
  let summary = "Forbid LLVM to unroll or peel loops over time, and loops of unknown count";
  let description = [{
    A loop in whose body `rt.iteration` stands is annotated for LLVM, so that the size of the code and the time to
    compile it do not depend on how often a loop with a constant trip count runs. So is an `scf.for` that holds another
    one whose trip count is not constant: copies of that would not become simpler, and each would be unrolled again. An
    innermost `scf.for` of unknown count may be vectorized, one vector at a time, but is not unrolled: copies and loops
    for the rest made up half of the code of a model with dynamic dims, and gave nothing.

    ```mlir
    scf.for %i = %c0 to %c8 step %c1 {
      rt.iteration %i
      ...
    }
    ```
    ==>
    ```mlir
    scf.for %i = %c0 to %c8 step %c1 {
      rt.iteration %i
      ...
    } {llvm.loop_annotation = #llvm.loop_annotation<unroll = <disable = true>>}
    ```

    Run again on the LLVM dialect, it puts the annotation where the translation to LLVM IR looks for it.

    ```mlir
    llvm.br ^bb1(%next : i64) {llvm.loop_annotation = #loop_annotation}
    ```
    ==>
    ```mlir
    llvm.br ^bb1(%next : i64) {loop_annotation = #loop_annotation}
    ```
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

def StoreBFloatAsBits : Pass<"rt-store-bfloat-as-bits", "::mlir::ModuleOp"> {
  let summary = "Turn what is left of bf16 in the LLVM dialect into i16";
  let description = [{
    After `rt-expand-math` bf16 values are only loaded, stored, selected and cast to and from their bits. As i16 they
    need no code of their own; for a select of bf16 vectors LLVM may call a runtime library. Runs on the LLVM dialect;
    attributes of the module keep their types.

    ```mlir
    %0 = llvm.load %p : !llvm.ptr -> bf16
    %1 = llvm.bitcast %0 : bf16 to i16
    ```
    ==>
    ```mlir
    %0 = llvm.load %p : !llvm.ptr -> i16
    %1 = llvm.bitcast %0 : i16 to i16
    ```
  }];
}

def SeparateDestinations : Pass<"rt-separate-destinations", "::mlir::func::FuncOp"> {
  let summary = "Give each op an empty tensor, or a filled one, of its own";
  let description = [{
    CSE makes one of equal empty tensors. As the destination of several ops it would become one buffer, which two of
    them may have to hold at the same time, and which empty-tensor elimination may take for an output. Each stands right
    before the op that it is for, in the same loop, so that a buffer is not taken to live longer than it does. A part
    that an op takes out of a tensor and puts back is a part of one tensor; ops that put the same part into several
    tensors take it out of each, right before they write it. An empty tensor in another shape is one of that shape.
    What is filled and only read stays one.

    ```mlir
    %e = tensor.empty() : tensor<4xf32>
    %a = linalg.generic ... outs(%e : tensor<4xf32>)
    %b = linalg.generic ... outs(%e : tensor<4xf32>)
    ```
    ==>
    ```mlir
    %e = tensor.empty() : tensor<4xf32>
    %a = linalg.generic ... outs(%e : tensor<4xf32>)
    %f = tensor.empty() : tensor<4xf32>
    %b = linalg.generic ... outs(%f : tensor<4xf32>)
    ```
  }];
  let dependentDialects = ["::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"];
}

def EliminateEmptyTensors : Pass<"rt-eliminate-empty-tensors", "::mlir::ModuleOp"> {
  let summary = "Compute values in the buffers that they are written into";
  let description = [{
    Upstream's elimination, but for what is written into memory. There it puts all that shares the buffer of the value
    into the destination, and does not see that the write is the end of what else was in it: an earlier state of a
    tensor that is updated in place, say, and read afterwards. Here the destination is taken only where all reads are
    before the write; a value that several writes store one after the other is computed in one of their destinations,
    and so is one that is inserted into another tensor too. What the destination held before the value is computed is
    taken to be dead. What is written in another shape is written as it is, into the destination in its shape. A slice
    that dims of 1 are taken from is a slice without them.

    ```mlir
    %e = tensor.empty() : tensor<4xf32>
    %a = linalg.exp ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
    bufferization.materialize_in_destination %a in restrict writable %out : (tensor<4xf32>, memref<4xf32>) -> ()
    ```
    ==>
    ```mlir
    %e = bufferization.to_tensor %out restrict writable : memref<4xf32> to tensor<4xf32>
    %a = linalg.exp ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
    bufferization.materialize_in_destination %a in writable %out : (tensor<4xf32>, memref<4xf32>) -> ()
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::bufferization::BufferizationDialect",
    "::mlir::memref::MemRefDialect", "::mlir::tensor::TensorDialect"];
}

def PackMatmuls : Pass<"rt-pack-matmuls", "::mlir::func::FuncOp"> {
  let summary = "Lay out the constant matrices of products for the vector unit";
  let description = [{
    A product with a two-dimensional constant that stays in the weights file becomes a product with the same constant
    packed as `[ceil(N/block), K, block]`, padded with zeros, so that the inner loop loads consecutive vectors. `block`
    is two vectors. A product with another transposed matrix reads a transposed copy; so does a product with several
    such matrices, where at least four rows, or rows that the call tells, read each.

    ```mlir
    %w = ov.constant #ov.weights<0, tensor<64x32xf32>> : tensor<64x32xf32>
    %r = linalg.generic {(m, n, k) -> (m, k), (n, k), (m, n)} ins(%x, %w) outs(%zeros) -> tensor<1x64xf32>
    ```
    ==>
    ```mlir
    %w = ov.constant #ov.weights<0, tensor<64x32xf32>, [#ov.transpose<[1, 0]>, #ov.pack<16>]> : tensor<4x32x16xf32>
    %p = linalg.generic {(m, b, j, k) -> (m, k), (b, k, j), (m, b, j)} ins(%x, %w) outs(%zeros) -> tensor<1x4x16xf32>
    %r = tensor.collapse_shape %p [[0], [1, 2]] : tensor<1x4x16xf32> into tensor<1x64xf32>
    ```
  }];
  let options = [Option<"vectorBits", "vector-bits", "int64_t", /*default=*/"256", "Width of a vector register">];
  let dependentDialects = ["::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect", "::recur::ov::OVDialect"];
}

def ScalarizeShapes : Pass<"rt-scalarize-shapes", "::mlir::func::FuncOp"> {
  let summary = "Compute elements of small tensors as scalars";
  let description = [{
    A shape is a small tensor, of which elements are taken as sizes. Where such an element follows from dims, constants
    and the model's inputs, it is computed as a scalar, so that whoever asks for sizes needs none of the model's memory:
    the ops in between are element-wise work, reductions, slices and concatenations of at most 1,024 elements. What the
    model has computed by other means stays a tensor.

    ```mlir
    %shape = tensor.from_elements %n, %m : tensor<2xi64>
    %all = linalg.reduce ins(%shape) outs(%one) {arith.muli} -> tensor<i64>
    %size = tensor.extract %all[] : tensor<i64>
    ```
    ==>
    ```mlir
    %size = arith.muli %n, %m : i64
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::tensor::TensorDialect"];
}

def HoistChecks : Pass<"rt-hoist-checks", "::mlir::func::FuncOp"> {
  let summary = "Ask before a loop or a branch what does not change in it";
  let description = [{
    A check of sizes that a loop does not change moves before the loop, and one in a branch before the branch, together
    with the condition on which it would be asked at all: a loop of no iterations and a branch that is not taken raise
    no fault. So buffers of the sizes that it guards are made once, and follow from the inputs. Index arithmetic moves
    with it. What depends on the iteration, or on computed data, stays.

    ```mlir
    scf.for %t = %c0 to %n step %c1 {
      %c = arith.cmpi eq, %a, %b : index
      %d = rt.check %c, shape, "dims do not agree" guards(%a : index)
      ...
    ```
    ==>
    ```mlir
    %c = arith.cmpi eq, %a, %b : index
    %runs = arith.cmpi slt, %c0, %n : index
    %skipped = arith.xori %runs, %true : i1
    %holds = arith.ori %skipped, %c : i1
    %d = rt.check %holds, shape, "dims do not agree" guards(%a : index)
    scf.for %t = %c0 to %n step %c1 {
      ...
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::recur::rt::RTDialect"];
}

def HoistProducts : Pass<"rt-hoist-products", "::mlir::func::FuncOp"> {
  let summary = "Compute products of what a time loop reads for many iterations at once";
  let description = [{
    A product of a part of a tensor with a matrix, neither of which the time loop changes, is computed for a strip of
    iterations, in a loop around the time loop, in whose body it is read: it then has rows enough to read the matrix
    once for all of them. A strip is as long as `max-bytes` suffice for a result, so the buffer is bounded whatever the
    length is. `ov-hoist-time-parallel` has done so before where all dims are known and a strip is the whole.

    ```mlir
    scf.for %t = %c0 to %T step %c1 {
      rt.iteration %t
      %x_t = tensor.extract_slice %x[%t, 0] [1, 32] [1, 1] : tensor<?x32xf32> to tensor<32xf32>
      %p = linalg.generic {(b, j, k) -> (k), (b, k, j), (b, j)} ins(%x_t, %w) outs(%zeros) -> tensor<4x16xf32>
      ...
    }
    ```
    ==>
    ```mlir
    %buffer = tensor.empty(%S) : tensor<?x4x16xf32>
    scf.for %s = %c0 to %T step %S {
      %end = arith.minsi ...
      %xs = tensor.extract_slice %x[%s, 0] [%n, 32] [1, 1] : tensor<?x32xf32> to tensor<?x32xf32>
      %ps = linalg.generic {(t, b, j, k) -> (t, k), (b, k, j), (t, b, j)} ins(%xs, %w) outs(...) -> tensor<?x4x16xf32>
      scf.for %t = %s to %end step %c1 {
        rt.iteration %t
        %i = arith.subi %t, %s : index
        %p = tensor.extract_slice %ps[%i, 0, 0] [1, 4, 16] [1, 1, 1] : tensor<?x4x16xf32> to tensor<4x16xf32>
        ...
    ```
  }];
  let options = [Option<"maxBytes", "max-bytes", "int64_t", /*default=*/"int64_t(1) << 18",
                        "The most bytes of a product of a strip that is longer than one iteration">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect", "::mlir::scf::SCFDialect",
    "::mlir::tensor::TensorDialect"];
}

def TileAndVectorize : Pass<"rt-tile-and-vectorize", "::mlir::func::FuncOp"> {
  let summary = "Turn linalg ops on tensors into loop nests over vectors";
  let description = [{
    Each `linalg.generic` is tiled to the target's vectors and vectorized; what does not fill a vector is peeled, and
    has a mask where only the call tells how much it is. The accumulators of a reduction live in registers:
    `linalg.fill` goes into the tile, and the loop over the reduced dims carries vectors. What cannot be vectorized
    (indices in the payload, unknown sizes of a rest) becomes a nest of scalar loops with scalar accumulators. So every
    element of a result is stored once. A product whose sizes only the call tells stays as it is, for
    `rt-lower-products`.

    ```mlir
    %r = linalg.generic {(n) -> (n), (n) -> (n)} ins(%x : tensor<?xf32>) outs(%e) { math.sqrt }
    ```
    ==>
    ```mlir
    %w = scf.for %i = %c0 to %whole step %c8 iter_args(%t = %e) {
      %v = vector.transfer_read %x[%i] : tensor<?xf32>, vector<8xf32>
      ...
    }
    %r = scf.for %i = %whole to %n step %c8 iter_args(%t = %w) {
      %m = vector.create_mask %left : vector<8xi1>
      %v = vector.mask %m { vector.transfer_read %x[%i] : tensor<?xf32>, vector<8xf32> } : vector<8xi1> -> vector<8xf32>
      ...
    ```
  }];
  let options = [Option<"vectorBits", "vector-bits", "int64_t", /*default=*/"256", "Width of a vector register">,
                 Option<"vectorRegisters", "vector-registers", "int64_t", /*default=*/"16", "Number of vector "
                        "registers">,
                 Option<"vectorize", "vectorize", "bool", /*default=*/"true", "Without it everything is scalar loops">];
  let dependentDialects = ["::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::linalg::LinalgDialect",
    "::mlir::math::MathDialect", "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect",
    "::mlir::vector::VectorDialect", "::mlir::ub::UBDialect"];
}

def LowerProducts : Pass<"rt-lower-products", "::mlir::ModuleOp"> {
  let summary = "Turn products whose sizes only the call tells into calls of kernels";
  let description = [{
    After bufferization. A `linalg.generic` that is a product of f32 or f64, starts from a fill, and has rows or columns
    that are not known, becomes a call of a private function, `rt_product_f32` say, which the module has once: for A of
    rows, B of blocks of two vectors (packed, or the columns of a matrix, viewed so) and C. A single row is for a
    function of its own, `rt_product_f32_row`: it takes four blocks at once, then two, then one; a single block goes
    with the four before it. Several rows are for `rt_product_f32_rows`, which cuts them into tiles of as many rows as
    there are registers for, whose heights differ by one at most; there is static code for each height. Blocks come
    outermost. A tile that is too small to keep the units busy takes several steps along the shared dim at once, with
    accumulators for each. Row dims that are one after the other in A and C become one; of others the longest gives the
    rows of a call, and the rest, as batches, are loops around it. Columns that do not fill a block are for a function
    with masks, `rt_product_f32_rest`, which takes them vector by vector. Where both operands are contiguous along the
    shared dim, as in `q * k^T` for one row of q, each element is a dot product: `rt_dot_f32` takes a matrix and a
    vector, four rows at once, with lanes along the shared dim. It serves static sizes too, where lanes along the
    columns would gather.

    ```mlir
    linalg.fill ins(%zero : f32) outs(%c : memref<?x4x16xf32>)
    linalg.generic {(m, b, j, k) -> (m, k), (b, k, j), (m, b, j)}
      ins(%a, %w : memref<?x32xf32>, memref<4x32x16xf32>) outs(%c : memref<?x4x16xf32>)
    ```
    ==>
    ```mlir
    func.call @rt_product_f32(%a0, %w0, %c0, %zero) : (memref<?x?xf32, strided<[?, ?], offset: ?>>,
      memref<?x?x16xf32, strided<[?, ?, 1], offset: ?>>, memref<?x?x16xf32, strided<[?, ?, 1], offset: ?>>, f32) -> ()
    ...
    func.func private @rt_product_f32(...) attributes {passthrough = ["noinline", "rt.kernel"], rt.kernel}
    ```
  }];
  let options = [Option<"vectorBits", "vector-bits", "int64_t", /*default=*/"256", "Width of a vector register">,
                 Option<"vectorRegisters", "vector-registers", "int64_t", /*default=*/"16", "Number of vector "
                        "registers">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::func::FuncDialect", "::mlir::LLVM::LLVMDialect",
    "::mlir::math::MathDialect", "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
    "::mlir::vector::VectorDialect"];
}

def LowerVectors : Pass<"rt-lower-vectors", "::mlir::func::FuncOp"> {
  let summary = "Lower operations on vectors to what a vector register holds";
  let description = [{
    After bufferization: transfers become loads and stores of one vector each, unit dims go, and what has strides is
    unrolled. A vector of one element is loaded and stored as that element. A loop over what is left of a dim, which has
    one iteration at most, becomes a branch.

    ```mlir
    %start = affine.apply affine_map<()[n] -> ((n floordiv 8) * 8)>()[%n]
    scf.for %i = %start to %n step %c8 {
      ...
    }
    ```
    ==>
    ```mlir
    %has_rest = arith.cmpi slt, %start, %n : index
    scf.if %has_rest {
      ...
    }
    ```
  }];
  let dependentDialects = ["::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::memref::MemRefDialect",
    "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect", "::mlir::ub::UBDialect"];
}

def CheckTimeLoops : Pass<"check-time-loops", "::mlir::ModuleOp"> {
  let summary = "Check that time loops neither allocate nor call, and store everything once";
  let description = [{
    Runs after bufferization and workspace planning, before `convert-scf-to-cf`. Changes nothing; fails, with an error
    at the op and a note at its loop, where a model would not run as fast as it should.

    A time loop is a loop with `rt.iteration` directly in its body. As many must be found as `rt.time_loops` says on the
    function. A function without the attribute and without markers is left alone.

    In a time loop, loops inside included, there is

    * no allocation or deallocation, `rt.reserve` included, and nothing that works on tensors. `rt.reserve growing` is
      allowed: what an iteration needs more than the ones before it has no other place, and to find that it has enough
      is a comparison;
    * no call, but of kernels, which are private functions with the attribute `rt.kernel` that do not allocate, and call
      no function but kernels that come after them, and of functions of libm, on f64 (`kLibmFunctions` lists them).
      Nothing that becomes a call later either: an op of `math` on f32, f16 or bf16 that is no instruction (`math.exp`
      on f32 is expanded), `arith.remf`, `cf.assert`, a `memref.copy` that is not contiguous;
    * nothing whose effects on memory are unknown;
    * per iteration at most one store to each element of a buffer that outlives the iteration;
    * no copy of scratch: a `memref.copy`, or a loop that loads and stores element after element, of what the iteration
      computed elsewhere, which should have been computed in its place. (A transposition, say, is no copy. Nor is
      reading a state or an input.)

    A buffer is scratch, and may be stored to at will, if it is a place in the workspace that nothing outside the time
    loop uses, or one that others read too, but where everybody is proven to write what they read before they read it.
    All others outlive the iteration: states, last values, concatenations, outputs. So the state of a loop in a loop is
    scratch to the outer one. For a buffer that outlives the iteration

    * every loop between a store and the body of the time loop takes part in the place of the store: its induction
      variable, or a value that it carries, reaches the indices through arithmetic or loads. Where the indices are
      affine and all ranges known, the elements that the iterations store must be different in fact. An accumulator in
      memory fails here;
    * two stores are in branches that exclude each other, or proven to reach different elements, by the bounds that
      upstream's `ValueBoundsOpInterface` knows of indices and sizes; of a vector with a mask it is the prefix that
      `vector.create_mask` or `vector.constant_mask` tells. Where a select chooses the buffer, its condition holds: one
      that only the last iteration of a loop inside chooses is stored to once. An initial fill followed by anything else
      fails here.

    ```mlir
    scf.for %t = %c0 to %n step %c1 {
      rt.iteration %t
      scf.for %i = %c0 to %c32 step %c8 {
        vector.store %v, %state[%slot, %i] : memref<2x37xf32>, vector<8xf32>
      }
      scf.for %i = %c32 to %c37 step %c1 {              // disjoint: [0, 32) and [32, 37)
        memref.store %x, %state[%slot, %i] : memref<2x37xf32>
      }
      scf.for %k = %c0 to %c16 step %c1 {
        memref.store %y, %last[%c0] : memref<4xf32>     // error: %k does not take part
      }
    }
    ```
  }];
}

#endif // RECUR_TRANSFORMS_PASSES_TD
