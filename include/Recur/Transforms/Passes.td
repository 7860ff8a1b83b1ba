// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Passes.td - Passes on tensors, buffers and loops -----*- tablegen -*-===//
//
// These passes work on linalg, scf, tensor and memref. The only ov ops that are left are constants in the weights file.
// Passes named `rt-*` schedule the computation, place buffers in the workspace, and lower checks. `check-time-loops`
// only verifies the result.
//
// lib/Pipelines/Pipelines.cpp has the order of the passes. test/lint/examples.py runs the example of each description.
//
//===----------------------------------------------------------------------===//

#ifndef RECUR_TRANSFORMS_PASSES_TD
#define RECUR_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def EnterStage : Pass<"rt-enter-stage", "::mlir::ModuleOp"> {
  let summary = "Record the stage of a module, and reject a module that has passed this stage";
  let description = [{
    This pass is the first one in the pipeline of each stage. It records the stage in the module, so that the text of a
    module shows which stage it has passed, and the tools can continue from there. It is an error if the module has
    passed the stage already, because most stages cannot run twice. The pass verifies the module, and after the schedule
    stage also what the module must have at its stage.

    ```mlir
    module {
    }
    ```
    ==> with `stage=linalg`
    ```mlir
    module attributes {rt.stage = #rt.stage<linalg>} {
    }
    ```
  }];
  let options = [Option<"stage", "stage", "std::string", /*default=*/"", "simplify, loops, linalg, ...">];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::recur::rt::RTDialect"];
}

def LowerEntry : Pass<"rt-lower-entry", "::mlir::ModuleOp"> {
  let summary = "Turn the entry function's arguments and results into buffers of the call";
  let description = [{
    The one public function becomes `recur_model_compute`, which takes a pointer to the frame of a call and returns a
    status. Arguments become `rt.input`. Results are written to `rt.output` through
    `bufferization.materialize_in_destination`. The importer puts names and public element types on arguments and
    results; they move to the module's `rt.inputs` and `rt.outputs`.

    ```mlir
    func.func @main(%x: tensor<4xf32> {ov.name = "x", ov.element_type = f32})
        -> (tensor<4xf32> {ov.name = "y", ov.element_type = f32}) {
      %y = ov.tanh %x : tensor<4xf32>
      return %y : tensor<4xf32>
    }
    ```
    ==>
    ```mlir
    module attributes {rt.inputs = [{dims = array<i64: 4>, name = "x", type = f32} ],
                       rt.outputs = [{dims = array<i64: 4>, name = "y", type = f32} ]} {
      func.func @recur_model_compute(%frame: !llvm.ptr) -> i32 {
        %0 = rt.input 0 : memref<4xf32>
        %x = bufferization.to_tensor %0 restrict : memref<4xf32> to tensor<4xf32>
        %1 = rt.output 0 () : memref<4xf32>
        %y = ov.tanh %x : tensor<4xf32>
        bufferization.materialize_in_destination %y in restrict writable %1 : (tensor<4xf32>, memref<4xf32>) -> ()
        %c0_i32 = arith.constant 0 : i32
        return %c0_i32 : i32
      }
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
    `ov.constant #ov.weights<...>` becomes `rt.weights`, a buffer that is read as a tensor and that nothing may write.

    ```mlir
    func.func @example() -> tensor<64x64xf32> {
      %w = ov.constant #ov.weights<16, tensor<64x64xf32>> : tensor<64x64xf32>
      return %w : tensor<64x64xf32>
    }
    ```
    ==>
    ```mlir
    func.func @example() -> tensor<64x64xf32> {
      %0 = rt.weights of(#ov.weights<16, tensor<64x64xf32>> : tensor<64x64xf32>) : memref<64x64xf32>
      %w = bufferization.to_tensor %0 restrict : memref<64x64xf32> to tensor<64x64xf32>
      return %w : tensor<64x64xf32>
    }
    ```
  }];
  let dependentDialects = ["::mlir::bufferization::BufferizationDialect", "::mlir::memref::MemRefDialect",
    "::recur::rt::RTDialect"];
}

def FuseElementwise : Pass<"rt-fuse-elementwise", "::mlir::func::FuncOp"> {
  let summary = "Fuse element-wise linalg ops of a block into few loop nests";
  let description = [{
    Fuses an element-wise `linalg.generic` into the `linalg.generic` that reads it, if both are in the same block. A
    producer with other readers becomes another result of the fused op, if all other readers come after the fused op. So
    nothing is computed twice. There is one exception: a reduction that reads each element of the producer's result once
    computes it itself if that is one addition or product, which takes no longer than to read it. A reduction of one
    element, such as an outer product, is element-wise work. A reduction of no elements is what it starts from.

    ```mlir
    #id = affine_map<(i) -> (i)>
    func.func @example(%x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
      %e = tensor.empty() : tensor<8xf32>
      %t = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
          ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) {
      ^bb0(%a: f32, %o: f32):
        %0 = math.exp %a : f32
        linalg.yield %0 : f32
      } -> tensor<8xf32>
      %r = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]}
          ins(%t, %y : tensor<8xf32>, tensor<8xf32>) outs(%e : tensor<8xf32>) {
      ^bb0(%a: f32, %b: f32, %o: f32):
        %0 = arith.addf %a, %b : f32
        linalg.yield %0 : f32
      } -> tensor<8xf32>
      return %r : tensor<8xf32>
    }
    ```
    ==>
    ```mlir
    #id = affine_map<(i) -> (i)>
    func.func @example(%x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
      %e = tensor.empty() : tensor<8xf32>
      %r = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]}
          ins(%x, %y : tensor<8xf32>, tensor<8xf32>) outs(%e : tensor<8xf32>) {
      ^bb0(%a: f32, %b: f32, %o: f32):
        %0 = math.exp %a : f32
        %1 = arith.addf %0, %b : f32
        linalg.yield %1 : f32
      } -> tensor<8xf32>
      return %r : tensor<8xf32>
    }
    ```
  }];
  let dependentDialects = ["::mlir::affine::AffineDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::tensor::TensorDialect"];
}

def ForwardCopies : Pass<"rt-forward-copies", "::mlir::func::FuncOp"> {
  let summary = "Remove copies by computing values in the target of the copy";
  let description = [{
    Runs after bufferization. If all of an allocated buffer is copied to an output, or to a part of another buffer, the
    values are computed in the target of the copy from the start. The target is then written earlier, which must not
    change any result: until the copy, nothing may read the previous contents of the target, and as long as the buffer
    is read, nothing may overwrite its contents in the target. For example, an inner loop writes its concatenation
    directly into that of the outer loop, and a branch writes its result directly into the next state.

    ```mlir
    func.func @example(%x: f32, %n: index) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %out = rt.output 0 () : memref<9x4xf32>
      scf.for %t = %c0 to %n step %c1 {
        %a = memref.alloc() : memref<4xf32>
        memref.store %x, %a[%c1] : memref<4xf32>
        %part = memref.subview %out[%t, 0] [1, 4] [1, 1] : memref<9x4xf32> to memref<4xf32, strided<[1], offset: ?>>
        memref.copy %a, %part : memref<4xf32> to memref<4xf32, strided<[1], offset: ?>>
      }
      return
    }
    ```
    ==>
    ```mlir
    func.func @example(%x: f32, %n: index) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %out = rt.output 0 () : memref<9x4xf32>
      scf.for %t = %c0 to %n step %c1 {
        %part = memref.subview %out[%t, 0] [1, 4] [1, 1] : memref<9x4xf32> to memref<4xf32, strided<[1], offset: ?>>
        memref.store %x, %part[%c1] : memref<4xf32, strided<[1], offset: ?>>
      }
      return
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect"];
}

def MarkIndependentLoops : Pass<"rt-mark-independent-loops", "::mlir::func::FuncOp"> {
  let summary = "Mark large loops whose iterations are independent of each other";
  let description = [{
    Marks a loop with `rt.independent` if no iteration reads or writes what another one writes, and if the loop is worth
    at least two threads. A loop inside of a marked one is not marked. A loop that carries a value or may raise a fault
    is not marked either. An allocation of a marked loop moves before the loop.

    ```mlir
    func.func @example(%x: f32) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c8 = arith.constant 8 : index
      %out = rt.output 0 () : memref<8xf32>
      scf.for %i = %c0 to %c8 step %c1 {
        memref.store %x, %out[%i] : memref<8xf32>
      }
      return
    }
    ```
    ==> with `gang-work=1`
    ```mlir
    func.func @example(%x: f32) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c8 = arith.constant 8 : index
      %out = rt.output 0 () : memref<8xf32>
      scf.for %i = %c0 to %c8 step %c1 {
        memref.store %x, %out[%i] : memref<8xf32>
      } {rt.independent}
      return
    }
    ```
  }];
  let options = [Option<"gangWork", "gang-work", "int64_t", /*default=*/"::recur::kDefaultGangWork",
                        "Least work of each thread, in vector instructions">];
}

def FormGangs : Pass<"rt-form-gangs", "::mlir::ModuleOp"> {
  let summary = "Divide large loops and calls of kernels among threads";
  let description = [{
    A marked loop (`rt-mark-independent-loops`), or the call of a kernel that has `rt.parts`, moves to a private
    function that does the share of one index, and becomes an `rt.gang`. A share is a range of iterations, or of the
    dims that the kernel names. The number of threads that the work is worth is a constant, or is computed from the
    sizes. Nothing changes if it is known to be 1. Each element of a result is computed as before, so results do not
    depend on the number of threads.

    ```mlir
    func.func @recur_model_compute(%frame: !llvm.ptr, %x: f32) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c8 = arith.constant 8 : index
      %out = rt.output 0 () : memref<8xf32>
      scf.for %i = %c0 to %c8 step %c1 {
        memref.store %x, %out[%i] : memref<8xf32>
      } {rt.independent}
      return
    }
    ```
    ==> with `gang-work=1`
    ```mlir
    func.func @recur_model_compute(%frame: !llvm.ptr, %x: f32) {
      %c8 = arith.constant 8 : index
      %out = rt.output 0 () : memref<8xf32>
      rt.gang @rt_part_0 want %c8 (%x, %out : f32, memref<8xf32>)
      return
    }
    func.func private @rt_part_0(%frame: !llvm.ptr, %index: i32, %count: i32, %x: f32, %out: memref<8xf32>) {
      %c1 = arith.constant 1 : index
      %c8 = arith.constant 8 : index
      %0 = arith.index_cast %index : i32 to index
      %1 = arith.index_cast %count : i32 to index
      %2 = arith.addi %0, %c1 : index
      %3 = arith.muli %0, %c8 : index
      %from = arith.divui %3, %1 : index
      %4 = arith.muli %2, %c8 : index
      %end = arith.divui %4, %1 : index
      %last = arith.cmpi eq, %2, %1 : index
      %to = arith.select %last, %c8, %end : index
      scf.for %i = %from to %to step %c1 {
        memref.store %x, %out[%i] : memref<8xf32>
      }
      return
    }
    ```
  }];
  let options = [Option<"gangWork", "gang-work", "int64_t", /*default=*/"::recur::kDefaultGangWork",
                        "Least work of each thread, in vector instructions">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::func::FuncDialect", "::mlir::LLVM::LLVMDialect",
    "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect", "::recur::rt::RTDialect"];
}

def PlanWorkspace : Pass<"rt-plan-workspace", "::mlir::ModuleOp"> {
  let summary = "Give every buffer an offset in the caller's workspace";
  let description = [{
    Every `memref.alloc` becomes a view of the workspace at an offset that is aligned to 64 bytes. Buffers may share
    bytes if they do not hold data at the same time. A buffer lives from its first access to its last one, in program
    order. One of two branches counts as the earlier one, so buffers that are only used in different branches may share
    bytes. An allocation in a loop has one offset for all iterations, because no buffer outlives its iteration. A buffer
    that is allocated before a loop and accessed in it lives as long as the loop.

    The pass emits `recur_model_sizes`, which computes the bytes of workspace and the dims of outputs from the dims and
    the integer values of the inputs. It sets the module's `rt.workspace_bytes`, and `rt.sizing_inputs`, the inputs
    whose values that function reads. A buffer whose size depends on computed data becomes an `rt.reserve`, whose cell
    is in the workspace. For dynamic sizes, the pass decides which buffers are below a buffer, and the code computes its
    offset as the greatest end of those. All of this code is at the start of the function.

    ```mlir
    module attributes {rt.inputs = [{dims = array<i64: 4>, name = "x", type = f32} ], rt.outputs = []} {
      func.func @recur_model_compute(%frame: !llvm.ptr) -> i32 {
        %c0_i32 = arith.constant 0 : i32
        %x = rt.input 0 : memref<4xf32>
        %a = memref.alloc() : memref<4xf32>
        %b = memref.alloc() : memref<4xf32>
        memref.copy %x, %a : memref<4xf32> to memref<4xf32>
        memref.copy %a, %b : memref<4xf32> to memref<4xf32>
        %c = memref.alloc() : memref<4xf32>
        memref.copy %b, %c : memref<4xf32> to memref<4xf32>
        return %c0_i32 : i32
      }
    }
    ```
    ==>
    ```mlir
    module attributes {rt.inputs = [{dims = array<i64: 4>, name = "x", type = f32} ], rt.outputs = [],
                       rt.sizing_inputs = array<i64>, rt.workspace_bytes = 128 : i64} {
      func.func @recur_model_compute(%frame: !llvm.ptr) -> i32 {
        %c0_i32 = arith.constant 0 : i32
        %c64 = arith.constant 64 : index
        %c0 = arith.constant 0 : index
        %0 = rt.workspace : memref<?xi8>
        %x = rt.input 0 : memref<4xf32>
        %a = memref.view %0[%c0][] : memref<?xi8> to memref<4xf32>
        %b = memref.view %0[%c64][] : memref<?xi8> to memref<4xf32>
        memref.copy %x, %a : memref<4xf32> to memref<4xf32>
        memref.copy %a, %b : memref<4xf32> to memref<4xf32>
        %c = memref.view %0[%c0][] : memref<?xi8> to memref<4xf32> // shares the bytes of %a
        memref.copy %b, %c : memref<4xf32> to memref<4xf32>
        return %c0_i32 : i32
      }
      func.func @recur_model_sizes(%inputs: !llvm.ptr, %bytes: !llvm.ptr, %dims: !llvm.ptr) -> i32 {
        %c0_i32 = arith.constant 0 : i32
        %c128 = arith.constant 128 : index
        rt.sizes %c128 dims()
        return %c0_i32 : i32
      }
    }
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
  let summary = "Give every packed constant its offset in the weights";
  let description = [{
    Sets the `offset` of every `rt.weights`, aligned to 64 bytes, in program order. Equal constants share an offset.
    Sets the module's `rt.weights_bytes`, and `rt.weights_plan`, the list of constants and offsets by which the weights
    are packed.

    ```mlir
    func.func @example() {
      %a = rt.weights of(#ov.weights<0, tensor<25xf32>> : tensor<25xf32>) : memref<25xf32>
      %b = rt.weights of(#ov.weights<100, tensor<4xf32>> : tensor<4xf32>) : memref<4xf32>
      return
    }
    ```
    ==>
    ```mlir
    module attributes {rt.weights_bytes = 144 : i64,
                       rt.weights_plan = [[#ov.weights<0, tensor<25xf32>> : tensor<25xf32>, 0],
                                          [#ov.weights<100, tensor<4xf32>> : tensor<4xf32>, 128]]} {
      func.func @example() {
        %a = rt.weights at 0 of(#ov.weights<0, tensor<25xf32>> : tensor<25xf32>) : memref<25xf32>
        %b = rt.weights at 128 of(#ov.weights<100, tensor<4xf32>> : tensor<4xf32>) : memref<4xf32>
        return
      }
    }
    ```
  }];
  let dependentDialects = ["::recur::rt::RTDialect"];
}

def CanonicalizeLoweredVectors : Pass<"rt-canonicalize-lowered-vectors"> {
  let summary = "Canonicalize all ops but vector.insert";
  let description = [{
    Brings a module into canonical form, but leaves each `vector.insert` as it is. rt-lower-vectors assembles vectors of
    several dims from registers with chains of this op. Its canonical form, one op on all elements, takes the registers
    apart again.

    ```mlir
    func.func @example(%a: vector<4xf32>, %b: vector<4xf32>, %i: index) -> (vector<2x4xf32>, index) {
      %c0 = arith.constant 0 : index
      %none = ub.poison : vector<2x4xf32>
      %0 = vector.insert %a, %none [0] : vector<4xf32> into vector<2x4xf32>
      %1 = vector.insert %b, %0 [1] : vector<4xf32> into vector<2x4xf32>
      %2 = arith.addi %i, %c0 : index
      return %1, %2 : vector<2x4xf32>, index
    }
    ```
    ==>
    ```mlir
    func.func @example(%a: vector<4xf32>, %b: vector<4xf32>, %i: index) -> (vector<2x4xf32>, index) {
      %none = ub.poison : vector<2x4xf32>
      %0 = vector.insert %a, %none [0] : vector<4xf32> into vector<2x4xf32>
      %1 = vector.insert %b, %0 [1] : vector<4xf32> into vector<2x4xf32>
      return %1, %i : vector<2x4xf32>, index
    }
    ```
  }];
}

def LowerCopies : Pass<"rt-lower-copies", "::mlir::ModuleOp"> {
  let summary = "Lower copies of buffers that are not contiguous, to loops or calls of kernels";
  let description = [{
    A contiguous `memref.copy` stays, and becomes a memcpy later. A copy of at most 16 elements becomes a loop nest,
    which is faster than a call. A copy whose source and target are the same is removed. Any other copy becomes a loop
    nest, because its lowering would call a runtime library.

    A copy or a `linalg.fill` of a dynamic size becomes a call of a private function, which the module has once for each
    element type and number of dims. Otherwise such loop nests would make up much of the code of a model with dynamic
    dims. Dims of one element are dropped for the call. In time loops, and for rows that a loop takes one by one, no
    function is called and the loop nest stays inline. There, rows of a static length that is a whole number of lines of
    a cache are copied line by line.

    ```mlir
    !view = memref<?x?xf32, strided<[?, ?], offset: ?>>
    func.func @example(%a: !view, %b: !view) {
      memref.copy %a, %b : !view to !view
      return
    }
    ```
    ==>
    ```mlir
    !view = memref<?x?xf32, strided<[?, ?], offset: ?>>
    func.func @example(%a: !view, %b: !view) {
      func.call @rt_copy_f32_2(%a, %b) : (!view, !view) -> ()
      return
    }
    // The body of the kernel, a loop nest, is left out here.
    func.func private @rt_copy_f32_2(!view, !view) attributes {passthrough = ["noinline", "rt.kernel"], rt.kernel}
    ```
  }];
  let options = [Option<"kernels", "kernels", "bool", /*default=*/"true", "Copies and fills of dynamic sizes call "
                        "kernels">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::func::FuncDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::LLVM::LLVMDialect", "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
    "::mlir::vector::VectorDialect"];
}

def LowerChecks : Pass<"rt-lower-checks", "::mlir::ModuleOp"> {
  let summary = "Lower checks to branches to the epilogue of their function";
  let description = [{
    Runs after `convert-scf-to-cf`. Each `rt.check` ends its block with a branch to the epilogue of the function, which
    records the fault in the frame and returns its status. The values that the check guards replace its results. The
    texts of faults, with the name of the layer from the location, go to the module's `rt.faults`. `rt.reserve` moves to
    a block of its own, which runs only if the cell holds fewer bytes than requested.

    ```mlir
    func.func @example(%ok: i1, %i: index, %n: i64) -> i32 {
      %j = rt.check %ok, index, "index {0} is out of range" (%n) guards(%i : index)
      %0 = arith.index_cast %j : index to i32
      return %0 : i32
    }
    ```
    ==>
    ```mlir
    module attributes {rt.faults = [[13, "index {0} is out of range"]]} {
      func.func @example(%ok: i1, %i: index, %n: i64) -> i32 {
        %code = arith.constant 13 : i32
        %zero = arith.constant 0 : i64
        cf.cond_br %ok weights([2000, 1]), ^next,
            ^epilogue(%code, %zero, %n, %zero, %zero, %zero : i32, i64, i64, i64, i64, i64)
      ^next:
        %0 = arith.index_cast %i : index to i32
        return %0 : i32
      ^epilogue(%c: i32, %site: i64, %d0: i64, %d1: i64, %d2: i64, %d3: i64):
        rt.fail %site(%d0, %d1, %d2, %d3)
        return %c : i32
      }
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::cf::ControlFlowDialect",
    "::mlir::memref::MemRefDialect", "::recur::rt::RTDialect"];
}

def ExpandMath : Pass<"rt-expand-math", "::mlir::func::FuncOp"> {
  let summary = "Expand transcendental functions into arithmetic";
  let description = [{
    f32 `math.exp` and `math.expm1`, on scalars and vectors, become polynomials with errors of at most 0.9 and 1.5 ulp.
    Conversions of bf16, and of f64 to f16, become arithmetic, and so do `arith.minnumf` and `arith.maxnumf`. f64
    functions stay and become calls of libm, the only functions that a model may leave undefined. With the options,
    operations that a target has no instructions for become arithmetic too, so that no runtime library is called
    (`fmaf`, `floorf`, `__truncsfhf2`).

    ```mlir
    func.func @example(%a: vector<4xf32>, %b: vector<4xf32>, %c: vector<4xf32>) -> vector<4xf32> {
      %0 = math.fma %a, %b, %c : vector<4xf32>
      return %0 : vector<4xf32>
    }
    ```
    ==> with `no-fma`
    ```mlir
    func.func @example(%a: vector<4xf32>, %b: vector<4xf32>, %c: vector<4xf32>) -> vector<4xf32> {
      %1 = arith.mulf %a, %b : vector<4xf32>
      %0 = arith.addf %1, %c : vector<4xf32>
      return %0 : vector<4xf32>
    }
    ```
  }];
  let options = [
    Option<"noFma", "no-fma", "bool", /*default=*/"false", "No fused multiply-add: a product and a sum">,
    Option<"noRounding", "no-rounding", "bool", /*default=*/"false",
           "No instructions that round to an integer: floor, ceil, trunc, round and roundeven by additions">,
    Option<"noF16c", "no-f16c", "bool", /*default=*/"false", "No conversions of f16: integer arithmetic">,
    Option<"scaling", "scaling", "bool", /*default=*/"false",
           "Instructions that multiply floats by powers of two: exp by LLVM's ldexp, which is a call elsewhere">,
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::LLVM::LLVMDialect", "::mlir::math::MathDialect",
    "::mlir::vector::VectorDialect"];
}

def KeepStates : Pass<"rt-keep-states", "::mlir::func::FuncOp"> {
  let summary = "Carry small states of time loops as values";
  let description = [{
    A time loop keeps a state in a buffer, or in one of two copies of it by turns. If an iteration only loads and stores
    elements or vectors at known places of the buffer, and stores each of these once, the loop carries them as values,
    and the buffer has the state only before and after the loop. Loops of a few iterations over the parts of a state are
    unrolled. As many parts are kept as half of the vector registers.

    ```mlir
    func.func @example(%n: index, %one: vector<4xf32>) -> vector<4xf32> {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %state = memref.alloc() : memref<2x4xf32>
      vector.store %one, %state[%c0, %c0] : memref<2x4xf32>, vector<4xf32>
      scf.for %i = %c0 to %n step %c1 {
        rt.iteration %i
        %read = arith.andi %i, %c1 : index
        %written = arith.xori %read, %c1 : index
        %s = vector.load %state[%read, %c0] : memref<2x4xf32>, vector<4xf32>
        %next = arith.addf %s, %one : vector<4xf32>
        vector.store %next, %state[%written, %c0] : memref<2x4xf32>, vector<4xf32>
      }
      %last = arith.andi %n, %c1 : index
      %result = vector.load %state[%last, %c0] : memref<2x4xf32>, vector<4xf32>
      return %result : vector<4xf32>
    }
    ```
    ==>
    ```mlir
    func.func @example(%n: index, %one: vector<4xf32>) -> vector<4xf32> {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %state = memref.alloc() : memref<2x4xf32>
      vector.store %one, %state[%c0, %c0] : memref<2x4xf32>, vector<4xf32>
      %first = vector.load %state[%c0, %c0] : memref<2x4xf32>, vector<4xf32>
      %carried = scf.for %i = %c0 to %n step %c1 iter_args(%s = %first) -> (vector<4xf32>) {
        rt.iteration %i
        %next = arith.addf %s, %one : vector<4xf32>
        scf.yield %next : vector<4xf32>
      }
      %last = arith.andi %n, %c1 : index
      vector.store %carried, %state[%last, %c0] : memref<2x4xf32>, vector<4xf32>
      %result = vector.load %state[%last, %c0] : memref<2x4xf32>, vector<4xf32>
      return %result : vector<4xf32>
    }
    ```
  }];
  let options = [Option<"vectorRegisters", "vector-registers", "int64_t", /*default=*/"16",
                        "Number of vector registers">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect",
    "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"];
}

def SplitAccumulators : Pass<"rt-split-accumulators", "::mlir::func::FuncOp"> {
  let summary = "Give several steps of a sum accumulators of their own";
  let description = [{
    A loop of static length that only adds products to a few vectors takes several steps at once, each with accumulators
    of its own, if these do not divide the length with a remainder. The accumulators are added after the loop, in the
    order in which the kernels of products add theirs. Kernels themselves are left alone.

    ```mlir
    func.func @example(%a: memref<64xf32>, %w: memref<64x16xf32>, %start: vector<16xf32>) -> vector<16xf32> {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c64 = arith.constant 64 : index
      %sum = scf.for %k = %c0 to %c64 step %c1 iter_args(%s = %start) -> (vector<16xf32>) {
        %x = memref.load %a[%k] : memref<64xf32>
        %v = vector.broadcast %x : f32 to vector<16xf32>
        %row = vector.load %w[%k, %c0] : memref<64x16xf32>, vector<16xf32>
        %next = math.fma %v, %row, %s : vector<16xf32>
        scf.yield %next : vector<16xf32>
      }
      return %sum : vector<16xf32>
    }
    ```
    ==> with `vector-bits=128`
    ```mlir
    func.func @example(%a: memref<64xf32>, %w: memref<64x16xf32>, %start: vector<16xf32>) -> vector<16xf32> {
      %zeros = arith.constant dense<0.0> : vector<16xf32>
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %c64 = arith.constant 64 : index
      %sums:2 = scf.for %k = %c0 to %c64 step %c2 iter_args(%s = %start, %t = %zeros)
          -> (vector<16xf32>, vector<16xf32>) {
        %x = memref.load %a[%k] : memref<64xf32>
        %v = vector.broadcast %x : f32 to vector<16xf32>
        %row = vector.load %w[%k, %c0] : memref<64x16xf32>, vector<16xf32>
        %next = math.fma %v, %row, %s : vector<16xf32>
        %l = arith.addi %k, %c1 : index
        %y = memref.load %a[%l] : memref<64xf32>
        %u = vector.broadcast %y : f32 to vector<16xf32>
        %line = vector.load %w[%l, %c0] : memref<64x16xf32>, vector<16xf32>
        %other = math.fma %u, %line, %t : vector<16xf32>
        scf.yield %next, %other : vector<16xf32>, vector<16xf32>
      }
      %sum = arith.addf %sums#0, %sums#1 : vector<16xf32>
      return %sum : vector<16xf32>
    }
    ```
  }];
  let options = [
    Option<"vectorBits", "vector-bits", "int64_t", /*default=*/"0",
           "The width of a vector register; 0: leave all loops">,
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def PrefetchWeights : Pass<"rt-prefetch-weights", "::mlir::func::FuncOp"> {
  let summary = "Ask for packed weights some steps before a product needs them";
  let description = [{
    The loop of a product of several rows prefetches packed weights, if the matrix does not surely stay in a near cache.
    Loads in each step are those of a row `[block, step, columns]`. A tile that is alone prefetches a later step. Of
    several tiles in a loop over rows, the first ones prefetch the next block, a part each. The loop of a single row
    that reads one stream gets an annotation against unrolling: the CPU fetches ahead for few loads.

    ```mlir
    func.func @example(%w: memref<64x512x16xf32>, %a: vector<4x16xf32>, %zeros: vector<4x16xf32>, %block: index)
        -> vector<4x16xf32> {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c512 = arith.constant 512 : index
      %sum = scf.for %k = %c0 to %c512 step %c1 iter_args(%s = %zeros) -> (vector<4x16xf32>) {
        %row = vector.load %w[%block, %k, %c0] : memref<64x512x16xf32>, vector<16xf32>
        %rows = vector.broadcast %row : vector<16xf32> to vector<4x16xf32>
        %next = math.fma %a, %rows, %s : vector<4x16xf32>
        scf.yield %next : vector<4x16xf32>
      }
      return %sum : vector<4x16xf32>
    }
    ```
    ==>
    ```mlir
    func.func @example(%w: memref<64x512x16xf32>, %a: vector<4x16xf32>, %zeros: vector<4x16xf32>, %block: index)
        -> vector<4x16xf32> {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c16 = arith.constant 16 : index
      %c512 = arith.constant 512 : index
      %sum = scf.for %k = %c0 to %c512 step %c1 iter_args(%s = %zeros) -> (vector<4x16xf32>) {
        %later = arith.addi %k, %c16 : index
        memref.prefetch %w[%block, %later, %c0], read, locality<2>, data : memref<64x512x16xf32>
        %row = vector.load %w[%block, %k, %c0] : memref<64x512x16xf32>, vector<16xf32>
        %rows = vector.broadcast %row : vector<16xf32> to vector<4x16xf32>
        %next = math.fma %a, %rows, %s : vector<4x16xf32>
        scf.yield %next : vector<4x16xf32>
      }
      return %sum : vector<4x16xf32>
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::LLVM::LLVMDialect", "::mlir::memref::MemRefDialect"];
}

def KeepTimeLoops : Pass<"rt-keep-time-loops"> {
  let summary = "Keep LLVM from unrolling time loops and loops with a dynamic trip count";
  let description = [{
    A loop with `rt.iteration` in its body gets an annotation that keeps LLVM from unrolling and peeling it. So code
    size and compile time do not depend on a constant trip count. An `scf.for` around a loop with a dynamic trip count
    gets the same annotation: copies of it would not become simpler, and LLVM would unroll the inner loop of each copy
    again. An innermost `scf.for` with a dynamic trip count may be vectorized, one vector at a time, but is not
    unrolled: unrolled bodies and their remainder loops made up half of the code of a model with dynamic dims, and were
    no faster.

    ```mlir
    func.func @example() {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c8 = arith.constant 8 : index
      scf.for %i = %c0 to %c8 step %c1 {
        rt.iteration %i
      }
      return
    }
    ```
    ==>
    ```mlir
    func.func @example() {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c8 = arith.constant 8 : index
      scf.for %i = %c0 to %c8 step %c1 {
        rt.iteration %i
      } {llvm.loop_annotation = #llvm.loop_annotation<unroll = <disable = true>>}
      return
    }
    ```

    The pass runs a second time on the LLVM dialect. There it moves the annotation to the attribute that the translation
    to LLVM IR reads.

    ```mlir
    llvm.func @example() {
      llvm.br ^bb1
    ^bb1:
      llvm.br ^bb1 {llvm.loop_annotation = #llvm.loop_annotation<unroll = <disable = true>>}
    }
    ```
    ==>
    ```mlir
    llvm.func @example() {
      llvm.br ^bb1
    ^bb1:
      llvm.br ^bb1 {loop_annotation = #llvm.loop_annotation<unroll = <disable = true>>}
    }
    ```
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

def StoreBFloatAsBits : Pass<"rt-store-bfloat-as-bits", "::mlir::ModuleOp"> {
  let summary = "Turn the remaining bf16 values of the LLVM dialect into i16";
  let description = [{
    After `rt-expand-math`, bf16 values are only loaded, stored, selected, and cast to and from their bits. As i16
    values they need no special code, whereas LLVM may call a runtime library for a select of bf16 vectors. Only calls
    of intrinsics keep bf16 operands, which they get through casts. The pass runs on the LLVM dialect. The attributes of
    the module keep their types.

    ```mlir
    llvm.func @example(%p: !llvm.ptr) -> i16 {
      %0 = llvm.load %p : !llvm.ptr -> bf16
      %1 = llvm.bitcast %0 : bf16 to i16
      llvm.return %1 : i16
    }
    ```
    ==>
    ```mlir
    llvm.func @example(%p: !llvm.ptr) -> i16 {
      %0 = llvm.load %p : !llvm.ptr -> i16
      %1 = llvm.bitcast %0 : i16 to i16
      llvm.return %1 : i16
    }
    ```
  }];
}

def SeparateDestinations : Pass<"rt-separate-destinations", "::mlir::func::FuncOp"> {
  let summary = "Give each op its own empty or filled tensor";
  let description = [{
    CSE merges equal empty tensors. If the merged tensor is the destination of several ops, it becomes one buffer,
    although two of the ops may need it at the same time, and empty-tensor elimination may replace it by an output. So
    this pass gives each op an empty tensor of its own, directly before the op and in the same loop, so that no buffer
    seems to live longer than it does.

    If an op extracts a slice of a tensor and another one puts it back, both keep the same tensor. If a slice of an
    empty tensor has several users, each extracts a slice of its own, right before its use. A reshape of an empty
    tensor becomes an empty tensor of the new shape. A filled tensor that is only read is not copied.

    CSE also merges the frames of padded tensors: fills that are inserted into an empty tensor. Each tensor that is
    inserted into a shared frame gets a frame of its own, with a `bufferization.alloc_tensor`, which CSE does not merge,
    in front of the op that computes the tensor, so that it may be computed there.

    ```mlir
    func.func @example(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
      %e = tensor.empty() : tensor<4xf32>
      %a = linalg.exp ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
      %b = linalg.log ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
      return %a, %b : tensor<4xf32>, tensor<4xf32>
    }
    ```
    ==>
    ```mlir
    func.func @example(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
      %e = tensor.empty() : tensor<4xf32>
      %a = linalg.exp ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
      %f = tensor.empty() : tensor<4xf32>
      %b = linalg.log ins(%x : tensor<4xf32>) outs(%f : tensor<4xf32>) -> tensor<4xf32>
      return %a, %b : tensor<4xf32>, tensor<4xf32>
    }
    ```
  }];
  let dependentDialects = ["::mlir::bufferization::BufferizationDialect", "::mlir::linalg::LinalgDialect",
                           "::mlir::tensor::TensorDialect"];
}

def EliminateEmptyTensors : Pass<"rt-eliminate-empty-tensors", "::mlir::ModuleOp"> {
  let summary = "Compute values in the buffers that they are written into";
  let description = [{
    This is upstream's elimination with another rule for values written to memory. Upstream puts all values that share
    the buffer of such a value into the destination. It does not see that the write overwrites the other values, for
    example an earlier state of a tensor that is updated in place and read afterwards. This pass only uses the
    destination if all reads of the other values come before the write.

    A value that several consecutive writes store is computed in one of their destinations, and so is a value that is
    also inserted into another tensor. The contents of the destination before the value is computed are assumed to be
    dead. A value that is reshaped before it is written is written without the reshape, to a view of the destination. A
    slice from which only dims of 1 are dropped becomes one slice without these dims.

    ```mlir
    func.func @example(%x: tensor<4xf32>, %out: memref<4xf32>) {
      %e = tensor.empty() : tensor<4xf32>
      %a = linalg.exp ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
      bufferization.materialize_in_destination %a in restrict writable %out : (tensor<4xf32>, memref<4xf32>) -> ()
      return
    }
    ```
    ==>
    ```mlir
    func.func @example(%x: tensor<4xf32>, %out: memref<4xf32>) {
      %e = bufferization.to_tensor %out restrict writable : memref<4xf32> to tensor<4xf32>
      %a = linalg.exp ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
      bufferization.materialize_in_destination %a in writable %out : (tensor<4xf32>, memref<4xf32>) -> ()
      return
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::bufferization::BufferizationDialect",
    "::mlir::memref::MemRefDialect", "::mlir::tensor::TensorDialect"];
}

def NarrowConstants : Pass<"rt-narrow-constants", "::mlir::func::FuncOp"> {
  let summary = "Keep constants in the narrow type in which they were shipped";
  let description = [{
    A constant of the weights file that is f16 or bf16 there, and is only converted to f32, or integers with a zero
    point and a scale, stays narrow if all of its readers can widen it at little cost. A reader of a part, such as a row
    of a table, widens the part. An element-wise op outside of loops widens in registers, after `rt-fuse-elementwise`.
    For any other `linalg.generic`, the call widens the constant once, before the outermost loop around the op, if the
    op reads each element often enough.
    `lib/Transforms/NarrowWeights.h` has the limits. Otherwise the constant is converted at compile time. The results
    are the same in both cases.

    ```mlir
    func.func @example(%i: index) -> tensor<1x64xf32> {
      %table = ov.constant #ov.weights<0, tensor<100x64xf16>, [#ov.convert<f32>]> : tensor<100x64xf32>
      %row = tensor.extract_slice %table[%i, 0] [1, 64] [1, 1] : tensor<100x64xf32> to tensor<1x64xf32>
      return %row : tensor<1x64xf32>
    }
    ```
    ==>
    ```mlir
    func.func @example(%i: index) -> tensor<1x64xf32> {
      %table = ov.constant #ov.weights<0, tensor<100x64xf16>> : tensor<100x64xf16>
      %narrow = tensor.extract_slice %table[%i, 0] [1, 64] [1, 1] : tensor<100x64xf16> to tensor<1x64xf16>
      %e = tensor.empty() : tensor<1x64xf32>
      %row = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>],
                             iterator_types = ["parallel", "parallel"]}
          ins(%narrow : tensor<1x64xf16>) outs(%e : tensor<1x64xf32>) {
      ^bb0(%a: f16, %b: f32):
        %w = arith.extf %a : f16 to f32
        linalg.yield %w : f32
      } -> tensor<1x64xf32>
      return %row : tensor<1x64xf32>
    }
    ```
  }];
  let options = [Option<"hasF16C", "has-f16c", "bool", /*default=*/"true", "The target converts f16">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::tensor::TensorDialect", "::recur::ov::OVDialect"];
}

def PackMatmuls : Pass<"rt-pack-matmuls", "::mlir::func::FuncOp"> {
  let summary = "Pack the constant matrices of products for vector loads";
  let description = [{
    A product with a two-dimensional constant of the weights file becomes a product with the same constant packed as
    `[ceil(N/block), K, block]` and padded with zeros, so that the inner loop loads consecutive vectors. `block` is the
    number of elements in two vectors. A product with any other transposed matrix reads a transposed copy of it. A
    product with several such matrices does so too, if each is read for at least four rows, or for a dynamic number of
    rows.

    If the constant is f16 or bf16 in the file, and is only converted to f32, it stays so, and the payload of the
    product extends its elements. But a small matrix that a loop reads, and f16 on a target that does not convert it,
    are converted at compile time (`lib/Transforms/NarrowWeights.h`).

    If the constant is integers of at most 8 bits in the file, less a zero point and times a scale, the integers stay
    packed, two of four bits in a byte, and the payload decompresses them. The zero points and the scales are inputs of
    the product, `[ceil(N/block), groups of K, block]`. A kernel computes such a product (`rt-lower-products`).

    If the target has tile registers, the constant is bf16, the other operand is rounded to bf16, and K is a multiple of
    the depth of a tile, then the constant is packed in pairs of neighbours along K, `[ceil(N/block), K/2, block, 2]`,
    and the payload rounds the other operand. A kernel computes this product too.

    If the target has none, but an instruction for pairs of bf16 that is as fast as a multiply-add, a constant that the
    first cache does not hold as f32 is packed in the same way, for any K of at least 32. The product reads the rounded
    operand, so each row is rounded once. If K is odd, both operands get a zero at its end.

    ```mlir
    func.func @example(%x: tensor<1x32xf32>) -> tensor<1x64xf32> {
      %zero = arith.constant 0.0 : f32
      %e = tensor.empty() : tensor<1x64xf32>
      %zeros = linalg.fill ins(%zero : f32) outs(%e : tensor<1x64xf32>) -> tensor<1x64xf32>
      %w = ov.constant #ov.weights<0, tensor<64x32xf32>> : tensor<64x32xf32>
      %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>,
                                            affine_map<(m, n, k) -> (m, n)>],
                           iterator_types = ["parallel", "parallel", "reduction"]}
          ins(%x, %w : tensor<1x32xf32>, tensor<64x32xf32>) outs(%zeros : tensor<1x64xf32>) {
      ^bb0(%a: f32, %b: f32, %c: f32):
        %p = arith.mulf %a, %b : f32
        %s = arith.addf %c, %p : f32
        linalg.yield %s : f32
      } -> tensor<1x64xf32>
      return %r : tensor<1x64xf32>
    }
    ```
    ==>
    ```mlir
    func.func @example(%x: tensor<1x32xf32>) -> tensor<1x64xf32> {
      %zero = arith.constant 0.0 : f32
      %e = tensor.empty() : tensor<1x4x16xf32>
      %zeros = linalg.fill ins(%zero : f32) outs(%e : tensor<1x4x16xf32>) -> tensor<1x4x16xf32>
      %w = ov.constant #ov.weights<0, tensor<64x32xf32>, [#ov.transpose<[1, 0]>, #ov.pack<16>]> : tensor<4x32x16xf32>
      %q = linalg.generic {indexing_maps = [affine_map<(m, b, j, k) -> (m, k)>, affine_map<(m, b, j, k) -> (b, k, j)>,
                                            affine_map<(m, b, j, k) -> (m, b, j)>],
                           iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
          ins(%x, %w : tensor<1x32xf32>, tensor<4x32x16xf32>) outs(%zeros : tensor<1x4x16xf32>) {
      ^bb0(%a: f32, %b: f32, %c: f32):
        %p = arith.mulf %a, %b : f32
        %s = arith.addf %c, %p : f32
        linalg.yield %s : f32
      } -> tensor<1x4x16xf32>
      %r = tensor.collapse_shape %q [[0], [1, 2]] : tensor<1x4x16xf32> into tensor<1x64xf32>
      return %r : tensor<1x64xf32>
    }
    ```
  }];
  let options = [Option<"vectorRegisters", "vector-registers", "int64_t", /*default=*/"16",
                 "Number of vector registers of the target">,
                 Option<"vectorBits", "vector-bits", "int64_t", /*default=*/"256", "Width of a vector register">,
                 Option<"hasF16C", "has-f16c", "bool", /*default=*/"true", "The target converts f16">,
                 Option<"hasTiles", "has-tiles", "bool", /*default=*/"false",
                        "The target has tile registers for bf16">,
                 Option<"hasDots", "has-dots", "bool", /*default=*/"false",
                        "The target adds the products of two pairs of bf16 in the time of a multiply-add">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::tensor::TensorDialect", "::recur::ov::OVDialect"];
}

def ScalarizeShapes : Pass<"rt-scalarize-shapes", "::mlir::func::FuncOp"> {
  let summary = "Compute elements of small tensors as scalars";
  let description = [{
    A shape is a small tensor whose elements are used as sizes. If such an element follows from dims, constants and the
    model's inputs, the pass computes it as a scalar, so that a query of sizes needs no memory of the model. It follows
    element-wise ops, reductions, slices and concatenations of at most 1,024 elements. An element that depends on other
    computed data is still read from its tensor.

    ```mlir
    func.func @example(%n: i64, %m: i64) -> i64 {
      %one = arith.constant dense<1> : tensor<i64>
      %shape = tensor.from_elements %n, %m : tensor<2xi64>
      %all = linalg.reduce {arith.muli} ins(%shape : tensor<2xi64>) outs(%one : tensor<i64>) dimensions = [0]
      %size = tensor.extract %all[] : tensor<i64>
      return %size : i64
    }
    ```
    ==>
    ```mlir
    func.func @example(%n: i64, %m: i64) -> i64 {
      %size = arith.muli %n, %m : i64
      return %size : i64
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::tensor::TensorDialect"];
}

def HoistChecks : Pass<"rt-hoist-checks", "::mlir::func::FuncOp"> {
  let summary = "Move checks of loop-invariant sizes before loops and branches";
  let description = [{
    A check of loop-invariant sizes moves before the loop, and a check in a branch moves before the branch. Its new
    condition includes the condition under which the check would run at all, because a loop without iterations, and a
    branch that is not taken, raise no fault. So a buffer whose sizes a check guards is allocated once, and its sizes
    follow from the inputs. Index arithmetic moves with the check. A check that depends on the iteration, or on computed
    data, stays.

    ```mlir
    func.func @example(%a: index, %b: index, %n: index) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      scf.for %t = %c0 to %n step %c1 {
        %c = arith.cmpi eq, %a, %b : index
        %d = rt.check %c, shape, "dims do not agree" guards(%a : index)
        %x = memref.alloc(%d) : memref<?xf32>
      }
      return
    }
    ```
    ==>
    ```mlir
    func.func @example(%a: index, %b: index, %n: index) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %true = arith.constant true
      %runs = arith.cmpi sgt, %n, %c0 : index
      %skipped = arith.xori %runs, %true : i1
      %c = arith.cmpi eq, %a, %b : index
      %holds = arith.ori %skipped, %c : i1
      %d = rt.check %holds, shape, "dims do not agree" guards(%a : index)
      scf.for %t = %c0 to %n step %c1 {
        %x = memref.alloc(%d) : memref<?xf32>
      }
      return
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::recur::rt::RTDialect"];
}

def HoistProducts : Pass<"rt-hoist-products", "::mlir::func::FuncOp"> {
  let summary = "Compute products of the inputs of a time loop for many iterations at once";
  let description = [{
    If a product in a time loop has a slice of a tensor and a matrix as operands, and both the tensor and the matrix are
    loop-invariant, it can be computed for many iterations at once. The time loop becomes a loop over strips of
    iterations around a time loop over the iterations of one strip. The outer loop computes the product of a whole
    strip, and the inner one reads its part of it. The product of a strip has enough rows that the matrix is read once
    for all of them. A strip is as long as `max-bytes` allow for the result, so the size of the buffer is bounded for
    any trip count. If the trip count and all sizes are static, `ov-hoist-time-parallel` has decided earlier whether to
    compute the product for all iterations at once, and this pass leaves it alone.

    ```mlir
    func.func @example(%x: tensor<?x32xf32>, %w: tensor<4x32x16xf32>, %T: index) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %zero = arith.constant 0.0 : f32
      scf.for %t = %c0 to %T step %c1 {
        rt.iteration %t
        %e = tensor.empty() : tensor<4x16xf32>
        %zeros = linalg.fill ins(%zero : f32) outs(%e : tensor<4x16xf32>) -> tensor<4x16xf32>
        %x_t = tensor.extract_slice %x[%t, 0] [1, 32] [1, 1] : tensor<?x32xf32> to tensor<32xf32>
        %p = linalg.generic {indexing_maps = [affine_map<(b, j, k) -> (k)>, affine_map<(b, j, k) -> (b, k, j)>,
                                              affine_map<(b, j, k) -> (b, j)>],
                             iterator_types = ["parallel", "parallel", "reduction"]}
            ins(%x_t, %w : tensor<32xf32>, tensor<4x32x16xf32>) outs(%zeros : tensor<4x16xf32>) {
        ^bb0(%a: f32, %b: f32, %c: f32):
          %m = arith.mulf %a, %b : f32
          %s = arith.addf %c, %m : f32
          linalg.yield %s : f32
        } -> tensor<4x16xf32>
      }
      return
    }
    ```
    ==>
    ```mlir
    func.func @example(%x: tensor<?x32xf32>, %w: tensor<4x32x16xf32>, %T: index) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %most = arith.constant 1024 : index // the rows of 4 * 16 elements that max-bytes allow for
      %zero = arith.constant 0.0 : f32
      %least = arith.maxsi %T, %c1 : index
      %S = arith.minui %least, %most : index // the length of a strip
      %buffer = tensor.empty(%S) : tensor<?x4x16xf32>
      scf.for %r = %c0 to %T step %S {
        %next = arith.addi %r, %S : index
        %end = arith.minsi %next, %T : index
        %n = arith.subi %end, %r : index
        %xs = tensor.extract_slice %x[%r, 0] [%n, 32] [1, 1] : tensor<?x32xf32> to tensor<?x32xf32>
        %own = tensor.extract_slice %buffer[0, 0, 0] [%n, 4, 16] [1, 1, 1] : tensor<?x4x16xf32> to tensor<?x4x16xf32>
        %zeros = linalg.fill ins(%zero : f32) outs(%own : tensor<?x4x16xf32>) -> tensor<?x4x16xf32>
        %ps = linalg.generic {indexing_maps = [affine_map<(t, b, j, k) -> (t, k)>,
                                               affine_map<(t, b, j, k) -> (b, k, j)>,
                                               affine_map<(t, b, j, k) -> (t, b, j)>],
                              iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
            ins(%xs, %w : tensor<?x32xf32>, tensor<4x32x16xf32>) outs(%zeros : tensor<?x4x16xf32>) {
        ^bb0(%a: f32, %b: f32, %c: f32):
          %m = arith.mulf %a, %b : f32
          %s = arith.addf %c, %m : f32
          linalg.yield %s : f32
        } -> tensor<?x4x16xf32>
        scf.for %t = %r to %end step %c1 {
          rt.iteration %t
          %i = arith.subi %t, %r : index
          %p = tensor.extract_slice %ps[%i, 0, 0] [1, 4, 16] [1, 1, 1] : tensor<?x4x16xf32> to tensor<4x16xf32>
        }
      }
      return
    }
    ```
  }];
  let options = [Option<"maxBytes", "max-bytes", "int64_t", /*default=*/"int64_t(1) << 18",
                        "The most bytes of a product of a strip that is longer than one iteration">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect", "::mlir::scf::SCFDialect",
    "::mlir::tensor::TensorDialect"];
}

def StripBatches : Pass<"rt-strip-batches", "::mlir::func::FuncOp"> {
  let summary = "Do several iterations of a time loop for one part of a batch after the other";
  let description = [{
    If all work of a time loop is a loop over the parts of a batch, and no part accesses what another one writes, each
    part can do many iterations before the next part begins. That is worth it if the loop accesses a buffer, such as
    the state of the batch, that is larger than the first cache (32 KiB or more), where a part of it fits. The time loop
    becomes one over strips of 16 iterations. Its `rt.iteration` has the number of the last iteration of a strip, which
    exceeds a limit of iterations if any number in the strip does. The attribute `rt.steps` marks the loop over the
    iterations of a strip. `rt-check-time-loops` looks at its iterations, and `rt-keep-time-loops` removes it.

    ```mlir
    func.func @example() {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c4 = arith.constant 4 : index
      %c64 = arith.constant 64 : index
      %c4096 = arith.constant 4096 : index
      %x = rt.input 0 : memref<64x4xf32>
      %state = memref.alloc() : memref<4x4096xf32>
      scf.for %t = %c0 to %c64 step %c1 {
        rt.iteration %t
        scf.for %b = %c0 to %c4 step %c1 {
          %a = memref.load %x[%t, %b] : memref<64x4xf32>
          scf.for %i = %c0 to %c4096 step %c1 {
            %s = memref.load %state[%b, %i] : memref<4x4096xf32>
            %n = arith.mulf %a, %s : f32
            memref.store %n, %state[%b, %i] : memref<4x4096xf32>
          }
        }
      }
      return
    }
    ```
    ==>
    ```mlir
    func.func @example() {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c4 = arith.constant 4 : index
      %c64 = arith.constant 64 : index
      %c4096 = arith.constant 4096 : index
      %c16 = arith.constant 16 : index
      %x = rt.input 0 : memref<64x4xf32>
      %state = memref.alloc() : memref<4x4096xf32>
      scf.for %start = %c0 to %c64 step %c16 {
        %end = arith.addi %start, %c16 : index
        %last = arith.subi %end, %c1 : index
        rt.iteration %last
        scf.for %b = %c0 to %c4 step %c1 {
          scf.for %t = %start to %end step %c1 {
            %a = memref.load %x[%t, %b] : memref<64x4xf32>
            scf.for %i = %c0 to %c4096 step %c1 {
              %s = memref.load %state[%b, %i] : memref<4x4096xf32>
              %n = arith.mulf %a, %s : f32
              memref.store %n, %state[%b, %i] : memref<4x4096xf32>
            }
          } {rt.steps}
        }
      }
      return
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect", "::recur::rt::RTDialect"];
}

def FuseBatches : Pass<"rt-fuse-batches", "::mlir::func::FuncOp"> {
  let summary = "Give ops on the same batch of matrices one loop over it";
  let description = [{
    A chain of ops, each of which reads what an earlier one made, gets one loop over the outermost dim of its last
    result, if this dim runs through all of them, and none of them reads a matrix along it. The first cache holds 32 KiB
    or more. So a chain is worth a loop if one of its tensors is larger and each part of it has at most half of that.

    ```mlir
    #id = affine_map<(b, n) -> (b, n)>
    func.func @example(%x: tensor<4x4096xf32>, %e: tensor<4x4096xf32>, %z: tensor<4xf32>) -> tensor<4xf32> {
      %t = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
          ins(%x : tensor<4x4096xf32>) outs(%e : tensor<4x4096xf32>) {
      ^bb0(%a: f32, %o: f32):
        %0 = math.exp %a : f32
        linalg.yield %0 : f32
      } -> tensor<4x4096xf32>
      %r = linalg.generic {indexing_maps = [#id, affine_map<(b, n) -> (b)>],
                           iterator_types = ["parallel", "reduction"]}
          ins(%t : tensor<4x4096xf32>) outs(%z : tensor<4xf32>) {
      ^bb0(%a: f32, %o: f32):
        %0 = arith.addf %a, %o : f32
        linalg.yield %0 : f32
      } -> tensor<4xf32>
      return %r : tensor<4xf32>
    }
    ```
    ==>
    ```mlir
    #id = affine_map<(b, n) -> (b, n)>
    func.func @example(%x: tensor<4x4096xf32>, %e: tensor<4x4096xf32>, %z: tensor<4xf32>) -> tensor<4xf32> {
      %c0 = arith.constant 0 : index
      %c4 = arith.constant 4 : index
      %c1 = arith.constant 1 : index
      %r = scf.for %b = %c0 to %c4 step %c1 iter_args(%sums = %z) -> (tensor<4xf32>) {
        %xs = tensor.extract_slice %x[%b, 0] [1, 4096] [1, 1] : tensor<4x4096xf32> to tensor<1x4096xf32>
        %es = tensor.extract_slice %e[%b, 0] [1, 4096] [1, 1] : tensor<4x4096xf32> to tensor<1x4096xf32>
        %t = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
            ins(%xs : tensor<1x4096xf32>) outs(%es : tensor<1x4096xf32>) {
        ^bb0(%a: f32, %o: f32):
          %0 = math.exp %a : f32
          linalg.yield %0 : f32
        } -> tensor<1x4096xf32>
        %zs = tensor.extract_slice %sums[%b] [1] [1] : tensor<4xf32> to tensor<1xf32>
        %s = linalg.generic {indexing_maps = [#id, affine_map<(b, n) -> (b)>],
                             iterator_types = ["parallel", "reduction"]}
            ins(%t : tensor<1x4096xf32>) outs(%zs : tensor<1xf32>) {
        ^bb0(%a: f32, %o: f32):
          %0 = arith.addf %a, %o : f32
          linalg.yield %0 : f32
        } -> tensor<1xf32>
        %next = tensor.insert_slice %s into %sums[%b] [1] [1] : tensor<1xf32> into tensor<4xf32>
        scf.yield %next : tensor<4xf32>
      }
      return %r : tensor<4xf32>
    }
    ```
  }];
  let dependentDialects = ["::mlir::affine::AffineDialect", "::mlir::linalg::LinalgDialect", "::mlir::scf::SCFDialect",
    "::mlir::tensor::TensorDialect"];
}

def WidenPanels : Pass<"rt-widen-panels", "::mlir::func::FuncOp"> {
  let summary = "Widen the columns of narrow weights once for all rows of a product";
  let description = [{
    A product with a packed matrix of f16 or bf16 extends the elements in registers. If it has more rows than two tiles
    of `rt-tile-and-vectorize`, it becomes a loop over the blocks of the matrix. An iteration extends the elements of a
    block, and multiplies all rows by the result. The number of rows must be static; `rt-lower-products` does the same
    for other products. A convolution with narrow filters, from `rt-narrow-constants`, becomes such a loop over panels
    of several tiles of filters, which stay in a near cache.

    ```mlir
    func.func @example(%x: tensor<40x64xf32>, %w: tensor<4x64x16xf16>,
                       %e: tensor<40x4x16xf32>) -> tensor<40x4x16xf32> {
      %zero = arith.constant 0.0 : f32
      %zeros = linalg.fill ins(%zero : f32) outs(%e : tensor<40x4x16xf32>) -> tensor<40x4x16xf32>
      %r = linalg.generic {indexing_maps = [affine_map<(m, b, j, k) -> (m, k)>, affine_map<(m, b, j, k) -> (b, k, j)>,
                                            affine_map<(m, b, j, k) -> (m, b, j)>],
                           iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
          ins(%x, %w : tensor<40x64xf32>, tensor<4x64x16xf16>) outs(%zeros : tensor<40x4x16xf32>) {
      ^bb0(%a: f32, %b: f16, %c: f32):
        %l = arith.extf %b : f16 to f32
        %p = arith.mulf %a, %l : f32
        %s = arith.addf %c, %p : f32
        linalg.yield %s : f32
      } -> tensor<40x4x16xf32>
      return %r : tensor<40x4x16xf32>
    }
    ```
    ==>
    ```mlir
    func.func @example(%x: tensor<40x64xf32>, %w: tensor<4x64x16xf16>,
                       %e: tensor<40x4x16xf32>) -> tensor<40x4x16xf32> {
      %zero = arith.constant 0.0 : f32
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c4 = arith.constant 4 : index
      %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%t = %e) -> (tensor<40x4x16xf32>) {
        %block = tensor.extract_slice %w[%i, 0, 0] [1, 64, 16] [1, 1, 1] : tensor<4x64x16xf16> to tensor<1x64x16xf16>
        %own = tensor.extract_slice %t[0, %i, 0] [40, 1, 16] [1, 1, 1] : tensor<40x4x16xf32> to tensor<40x1x16xf32>
        %zeros = linalg.fill ins(%zero : f32) outs(%own : tensor<40x1x16xf32>) -> tensor<40x1x16xf32>
        %scratch = tensor.empty() : tensor<1x64x16xf32>
        %panel = linalg.generic {indexing_maps = [affine_map<(b, k, j) -> (b, k, j)>,
                                                  affine_map<(b, k, j) -> (b, k, j)>],
                                 iterator_types = ["parallel", "parallel", "parallel"]}
            ins(%block : tensor<1x64x16xf16>) outs(%scratch : tensor<1x64x16xf32>) {
        ^bb0(%b: f16, %o: f32):
          %l = arith.extf %b : f16 to f32
          linalg.yield %l : f32
        } -> tensor<1x64x16xf32>
        %q = linalg.generic {indexing_maps = [affine_map<(m, b, j, k) -> (m, k)>, affine_map<(m, b, j, k) -> (b, k, j)>,
                                              affine_map<(m, b, j, k) -> (m, b, j)>],
                             iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
            ins(%x, %panel : tensor<40x64xf32>, tensor<1x64x16xf32>) outs(%zeros : tensor<40x1x16xf32>) {
        ^bb0(%a: f32, %b: f32, %c: f32):
          %p = arith.mulf %a, %b : f32
          %s = arith.addf %c, %p : f32
          linalg.yield %s : f32
        } -> tensor<40x1x16xf32>
        %next = tensor.insert_slice %q into %t[0, %i, 0] [40, 1, 16] [1, 1, 1]
            : tensor<40x1x16xf32> into tensor<40x4x16xf32>
        scf.yield %next : tensor<40x4x16xf32>
      }
      return %r : tensor<40x4x16xf32>
    }
    ```
  }];
  let options = [Option<"vectorRegisters", "vector-registers", "int64_t", /*default=*/"16",
                        "Number of vector registers">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect", "::mlir::scf::SCFDialect",
    "::mlir::tensor::TensorDialect"];
}

def TileAndVectorize : Pass<"rt-tile-and-vectorize", "::mlir::func::FuncOp"> {
  let summary = "Turn linalg ops on tensors into loop nests over vectors";
  let description = [{
    Each `linalg.generic` is tiled to the target's vectors and vectorized. A remainder that does not fill a vector is
    peeled. If its size is dynamic, it has a mask. For AVX-512, one of static size is split into powers of two, such as
    7 lanes into 4, 2 and 1, because LLVM's code for other numbers of lanes is wrong at times. The accumulators of a
    reduction are in registers: the `linalg.fill` moves into the tile, and the loop over the reduced dims carries
    vectors. If each block of columns reads the rows of a long operand again, these are cut into panels that stay in a
    near cache. An op that cannot be vectorized (indices in the payload, a remainder of dynamic size that cannot have a
    mask) becomes a nest of scalar loops with scalar accumulators. Where such a nest reduces contiguous elements, its
    innermost loop accumulates vectors of 32 lanes, then of 16 and of 8; so the order of a sum depends only on the
    length of the row. In all cases every element of a result is stored once. A product with dynamic sizes stays as it
    is, for `rt-lower-products`, and so does the epilogue of a convolution whose channels come last: an element-wise op
    that alone reads its result. The convolution moves to it. A remark says why an op is not vectorized
    (`--remarks-filter-missed=rt-tile-and-vectorize`).

    ```mlir
    func.func @example(%x: tensor<?xf32>, %e: tensor<?xf32>) -> tensor<?xf32> {
      %r = linalg.generic {indexing_maps = [affine_map<(n) -> (n)>, affine_map<(n) -> (n)>],
                           iterator_types = ["parallel"]}
          ins(%x : tensor<?xf32>) outs(%e : tensor<?xf32>) {
      ^bb0(%a: f32, %b: f32):
        %s = math.sqrt %a : f32
        linalg.yield %s : f32
      } -> tensor<?xf32>
      return %r : tensor<?xf32>
    }
    ```
    ==>
    ```mlir
    func.func @example(%x: tensor<?xf32>, %e: tensor<?xf32>) -> tensor<?xf32> {
      %pad = ub.poison : f32
      %c0 = arith.constant 0 : index
      %c8 = arith.constant 8 : index
      %n = tensor.dim %x, %c0 : tensor<?xf32>
      %whole = affine.apply affine_map<()[n] -> ((n floordiv 8) * 8)>()[%n]
      %w = scf.for %i = %c0 to %whole step %c8 iter_args(%t = %e) -> (tensor<?xf32>) {
        %v = vector.transfer_read %x[%i], %pad {in_bounds = [true]} : tensor<?xf32>, vector<8xf32>
        %s = math.sqrt %v : vector<8xf32>
        %u = vector.transfer_write %s, %t[%i] {in_bounds = [true]} : vector<8xf32>, tensor<?xf32>
        scf.yield %u : tensor<?xf32>
      }
      %r = scf.for %i = %whole to %n step %c8 iter_args(%t = %w) -> (tensor<?xf32>) {
        %left = affine.apply affine_map<(i)[n] -> (n - i)>(%i)[%n]
        %own = tensor.extract_slice %t[%i] [%left] [1] : tensor<?xf32> to tensor<?xf32>
        %m = vector.create_mask %left : vector<8xi1>
        %v = vector.mask %m {
          vector.transfer_read %x[%i], %pad {in_bounds = [true]} : tensor<?xf32>, vector<8xf32>
        } : vector<8xi1> -> vector<8xf32>
        %s = math.sqrt %v : vector<8xf32>
        %u = vector.mask %m {
          vector.transfer_write %s, %own[%c0] {in_bounds = [true]} : vector<8xf32>, tensor<?xf32>
        } : vector<8xi1> -> tensor<?xf32>
        %b = tensor.insert_slice %u into %t[%i] [%left] [1] : tensor<?xf32> into tensor<?xf32>
        scf.yield %b : tensor<?xf32>
      }
      return %r : tensor<?xf32>
    }
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
  let summary = "Turn products of dynamic sizes, convolutions and some transposes into calls of kernels";
  let description = [{
    Runs after bufferization. A `linalg.generic` that is a product of f32 or f64, starts from a fill, and has dynamic
    batches, rows or columns becomes a call of a private function, for example `rt_product_f32`, which the module has
    once. The function takes A, which has rows, B, which has blocks of two vectors (packed weights, or a view of the
    columns of a matrix as blocks), and C. It calls one of two others:

    * `rt_product_f32_row` computes a single row. It takes four blocks at once, then two, then one. A single remaining
      block is computed together with the four blocks before it.
    * `rt_product_f32_rows` computes several rows. It cuts them into tiles whose heights differ by at most one row, and
      whose accumulators fit the registers. There is static code for each height. The loop over blocks is around the
      tiles, and a loop over panels of rows that stay in a near cache is outermost.

    A tile that is too small to keep the arithmetic units busy takes several steps along the shared dim at once, with
    accumulators for each step. Row dims that are contiguous in A and C are merged into one. If some cannot be merged,
    the longest gives the rows of a call, and the rest are loops around the call, as are batches. Columns that do not
    fill a block are computed vector by vector with masks, by `rt_product_f32_rest`.

    For packed weights of f16 or bf16 there is `rt_product_f32_f16` with the same functions, which extend each vector
    that they load. If the rows take more than two tiles, `rt_product_f32_f16_panels` extends one block after the other
    into a scratch that the caller gives, and calls `rt_product_f32_rows`.

    For packed weights of bf16 in pairs, and rows that the product rounds to bf16, there is `rt_product_f32_bf16_pairs`.
    It rounds a group of 32 rows at a time into a scratch. If the caller of the model allows tile registers
    (`rt.may_use_tiles`), `rt_product_f32_bf16_pairs_tiles` multiplies the group by two blocks of columns, or by one,
    with four tiles of results. Otherwise, and for a single row, which would use one row of a tile, the pairs are
    widened in vector registers: the bits of one element of a pair are shifted, and those of the other one masked.

    If the rows are bf16 already, `rt_product_f32_bf16_dots` takes them as they are. It has the functions of
    `rt_product_f32`. An instruction adds both products of a pair to a sum, in one order for any number of rows.

    If both operands are contiguous along the shared dim, as in `q * k^T` for one row of q, each element is a dot
    product. `rt_dot_f32` takes a matrix and a vector, four rows at once, with lanes along the shared dim. It serves
    static sizes too, because lanes along the columns would need gathers.

    A convolution with packed filters, whatever its sizes are, calls `rt_convolution_f32_8`, or the kernel for another
    number of channels in a tile of filters. The call takes the filters, a view of the data in which the windows
    overlap, and the result. The kernel numbers the positions of the result along a plane of the data, so that a vector
    of positions is a vector of the data. What lies between two rows of the result is computed and not stored. As many
    positions as have their data in a near cache are computed for all filters, before the next ones.

    If there are strides, `rt_planes_f32` copies the data of a group to planes first. A plane has the elements at the
    distance of the stride, so that what neighbouring positions read are neighbours in it. With a stride of 2, the even
    elements are one plane and the odd elements another; a kernel of 3 elements reads the first plane twice, the second
    time shifted by one element.

    A convolution whose result has its channels last calls `rt_convolution_channels_f32`, or, if each channel has its
    own filters, `rt_depthwise_channels_f32`. Their lanes run along the channels of the result. The first one broadcasts
    elements of the data, so it needs no copy for strides. If an element-wise op alone reads
    the result, and nothing is written between the two, a kernel of this op computes it on the accumulators, and stores
    only its result. The name of the kernel then ends with a hash of the body.

    A `linalg.transpose` of f32 or f64 that moves dim 1 to the end, or the last dim to dim 1, calls `rt_transpose_f32`
    unless it is small.

    ```mlir
    func.func @example(%a: memref<?x32xf32>, %w: memref<4x32x16xf32>, %c: memref<?x4x16xf32>) {
      %zero = arith.constant 0.0 : f32
      linalg.fill ins(%zero : f32) outs(%c : memref<?x4x16xf32>)
      linalg.generic {indexing_maps = [affine_map<(m, b, j, k) -> (m, k)>, affine_map<(m, b, j, k) -> (b, k, j)>,
                                       affine_map<(m, b, j, k) -> (m, b, j)>],
                      iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
          ins(%a, %w : memref<?x32xf32>, memref<4x32x16xf32>) outs(%c : memref<?x4x16xf32>) {
      ^bb0(%x: f32, %y: f32, %z: f32):
        %p = arith.mulf %x, %y : f32
        %s = arith.addf %z, %p : f32
        linalg.yield %s : f32
      }
      return
    }
    ```
    ==>
    ```mlir
    !rows = memref<?x?xf32, strided<[?, ?], offset: ?>>
    !blocks = memref<?x?x16xf32, strided<[?, ?, 1], offset: ?>>
    !result = memref<?x4x16xf32, strided<[64, 16, 1]>>
    func.func @example(%a: memref<?x32xf32>, %w: memref<4x32x16xf32>, %c: memref<?x4x16xf32>) {
      %zero = arith.constant 0.0 : f32
      %base, %offset, %sizes:2, %strides:2 = memref.extract_strided_metadata %a
          : memref<?x32xf32> -> memref<f32>, index, index, index, index, index
      %a0 = memref.cast %a : memref<?x32xf32> to !rows
      %w0 = memref.cast %w : memref<4x32x16xf32> to !blocks
      %rows = memref.reinterpret_cast %c to offset: [0], sizes: [%sizes#0, 4, 16], strides: [64, 16, 1]
          : memref<?x4x16xf32> to !result
      %c0 = memref.cast %rows : !result to !blocks
      func.call @rt_product_f32(%a0, %w0, %c0, %zero) : (!rows, !blocks, !blocks, f32) -> ()
      return
    }
    // The body of the kernel is left out here.
    func.func private @rt_product_f32(!rows, !blocks, !blocks, f32)
        attributes {passthrough = ["noinline", "rt.kernel"], rt.kernel}
    ```
  }];
  let options = [Option<"vectorBits", "vector-bits", "int64_t", /*default=*/"256", "Width of a vector register">,
                 Option<"vectorRegisters", "vector-registers", "int64_t", /*default=*/"16", "Number of vector "
                        "registers">];
  let dependentDialects = ["::mlir::amx::AMXDialect", "::mlir::arith::ArithDialect",
    "::mlir::func::FuncDialect", "::mlir::LLVM::LLVMDialect",
    "::mlir::math::MathDialect", "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
    "::mlir::vector::VectorDialect", "::mlir::x86vector::X86VectorDialect", "::recur::rt::RTDialect"];
}

def LowerVectors : Pass<"rt-lower-vectors", "::mlir::func::FuncOp"> {
  let summary = "Lower operations on vectors to vectors that fit one register";
  let description = [{
    Runs after bufferization. Transfers become loads and stores of one vector each, unit dims are dropped, and transfers
    with strides are unrolled. A vector of one element is loaded and stored as that element. A vector of several
    registers is stored register by register. A remainder loop, which has at most one iteration, becomes a branch.

    ```mlir
    func.func @example(%x: memref<?xf32>, %v: vector<8xf32>, %n: index) {
      %c8 = arith.constant 8 : index
      %start = affine.apply affine_map<()[n] -> ((n floordiv 8) * 8)>()[%n]
      scf.for %i = %start to %n step %c8 {
        %left = arith.subi %n, %i : index
        %m = vector.create_mask %left : vector<8xi1>
        vector.maskedstore %x[%i], %m, %v : memref<?xf32>, vector<8xi1>, vector<8xf32>
      }
      return
    }
    ```
    ==>
    ```mlir
    func.func @example(%x: memref<?xf32>, %v: vector<8xf32>, %n: index) {
      %lanes = arith.constant dense<[0, 1, 2, 3, 4, 5, 6, 7]> : vector<8xi32>
      %start = affine.apply affine_map<()[n] -> ((n floordiv 8) * 8)>()[%n]
      %has_rest = arith.cmpi slt, %start, %n : index
      scf.if %has_rest {
        %left = arith.subi %n, %start : index
        %0 = arith.index_cast %left : index to i32
        %1 = vector.broadcast %0 : i32 to vector<8xi32>
        %m = arith.cmpi sgt, %1, %lanes : vector<8xi32>
        vector.maskedstore %x[%start], %m, %v : memref<?xf32>, vector<8xi1>, vector<8xf32>
      }
      return
    }
    ```
  }];
  let options = [
    Option<"vectorBits", "vector-bits", "int64_t", /*default=*/"0",
           "The width of a vector register; 0: stores of wider vectors stay">,
  ];
  let dependentDialects = ["::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::memref::MemRefDialect",
    "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect", "::mlir::ub::UBDialect"];
}

def CheckTimeLoops : Pass<"check-time-loops", "::mlir::ModuleOp"> {
  let summary = "Check that time loops neither allocate nor call, and store everything once";
  let description = [{
    Runs after bufferization and workspace planning, before `convert-scf-to-cf`. It changes nothing. If a time loop
    contains something that makes a model slow, the pass fails, with an error at the op and a note at its loop.

    A time loop is a loop with `rt.iteration` directly in its body. The function attribute `rt.time_loops` says how many
    there must be. A function with neither the attribute nor markers is left alone.

    A time loop, including the loops inside it, must not contain

    * an allocation or deallocation, `rt.reserve` included, or an op on tensors. `rt.reserve growing` is allowed: memory
      that each iteration needs in addition can only be requested in the loop, and the request is a comparison if there
      is enough;
    * a call, except of kernels, and of libm functions on f64 (`kLibmFunctions` lists them). Kernels are private
      functions with the attribute `rt.kernel`. They must not allocate, and may only call libm and kernels that come
      after them. An op that becomes a call later is an error too: an op of `math` that is no instruction and, on f64,
      no libm function (`math.exp` and `math.expm1` on f32 are allowed, because they are expanded), `arith.remf` on
      other types than f64, `cf.assert`, or a `memref.copy` that is not contiguous;
    * an op with unknown effects on memory;
    * more than one store per iteration to an element of a buffer that outlives the iteration;
    * a copy of scratch: a `memref.copy`, or a loop that loads and stores element after element, whose source is a
      buffer that the iteration computed. The values should have been computed in the target. (A transposition is no
      copy. Neither is reading a state or an input.)

    A buffer is scratch, and may be stored to any number of times, if it is a part of the workspace that only the time
    loop uses. It is also scratch if other code uses it, and both sides provably write all elements before they read
    them. All other buffers outlive the iteration: states, last values, concatenations, outputs. So the state of an
    inner loop is scratch for the outer loop. For a buffer that outlives the iteration

    * every loop between a store and the body of the time loop must take part in the place of the store: its induction
      variable, or a value that it carries, reaches the indices through arithmetic or loads. If the indices are affine
      and all ranges are known, the iterations must provably store different elements. An accumulator in memory fails
      here;
    * two stores must be in branches that exclude each other, or provably reach different elements, by the bounds that
      upstream's `ValueBoundsOpInterface` finds for indices and sizes. A vector with a mask reaches the prefix that
      `vector.create_mask` or `vector.constant_mask` gives. If a select chooses the buffer, the proof may use its
      condition: a buffer that is only chosen in the last iteration of an inner loop is stored to once. An initial fill
      followed by any other store fails here.

    ```mlir
    // expected-note @below {{this is the buffer}}
    func.func @example(%v: vector<8xf32>, %x: f32, %n: index, %state: memref<2x37xf32>, %last: memref<4xf32>)
        attributes {rt.time_loops = 1 : i64} {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c8 = arith.constant 8 : index
      %c16 = arith.constant 16 : index
      %c32 = arith.constant 32 : index
      %c37 = arith.constant 37 : index
      // expected-note @below {{this is the time loop}}
      scf.for %t = %c0 to %n step %c1 {
        rt.iteration %t
        %slot = arith.andi %t, %c1 : index
        scf.for %i = %c0 to %c32 step %c8 {
          vector.store %v, %state[%slot, %i] : memref<2x37xf32>, vector<8xf32>
        }
        scf.for %i = %c32 to %c37 step %c1 {             // disjoint: [0, 32) and [32, 37)
          memref.store %x, %state[%slot, %i] : memref<2x37xf32>
        }
        // expected-note @below {{by iterations of this loop}}
        scf.for %k = %c0 to %c16 step %c1 {
          // %k does not take part in the indices.
          // expected-error @below {{may be stored more than once in an iteration}}
          memref.store %x, %last[%c0] : memref<4xf32>
        }
      }
      return
    }
    ```
  }];
}

#endif // RECUR_TRANSFORMS_PASSES_TD
