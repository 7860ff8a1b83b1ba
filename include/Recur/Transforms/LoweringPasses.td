// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- LoweringPasses.td - Passes that lower to LLVM -------*- tablegen -*-===//
//
// These passes work on loops and vectors shortly before, and after, the conversion to the LLVM dialect.
//
//===----------------------------------------------------------------------===//

#ifndef RECUR_TRANSFORMS_LOWERINGPASSES_TD
#define RECUR_TRANSFORMS_LOWERINGPASSES_TD

include "mlir/Pass/PassBase.td"

def ProfileLayers : Pass<"rt-profile-layers", "::mlir::ModuleOp"> {
  let summary = "Mark the ends of layers, where a profile reads the clock";
  let description = [{
    Divides the computation of a call into rows, and calls `rt_profile_mark` at the end of each. A row is a loop nest, a
    call of a kernel or a copy, with the scalar code before it; other code that writes memory is a row too. A row has
    the names and places of all layers that it computes, so layers that were fused share one. The rows in a time loop
    are rows of their own, and the loop is the row of what is left: its checks and its counter. The first argument of a
    mark is the row that the time since the last mark belongs to, and the second one is what is added to its calls. The
    first mark of a call is that of row -1.

    The rows are in the order of the code, and the module gets them as the attribute `rt.profile`. The compiler turns
    the marks into code after the translation to LLVM IR.

    ```mlir
    func.func @recur_model_compute(%frame: !llvm.ptr) -> i32 {
      %ok = arith.constant 0 : i32
      %a = rt.input 0 : memref<4xf32>
      %b = rt.output 0() : memref<4xf32>
      memref.copy %a, %b : memref<4xf32> to memref<4xf32> loc("Relu_3"("model.xml":7:5))
      return %ok : i32
    }
    ```
    ==>
    ```mlir
    module attributes {rt.profile = [["Relu_3 (model.xml:7)", -1]]} {
      func.func private @rt_profile_mark(i64, i64)
      func.func @recur_model_compute(%frame: !llvm.ptr) -> i32 {
        %ok = arith.constant 0 : i32
        %one = arith.constant 1 : i64
        %none = arith.constant -1 : i64
        %zero = arith.constant 0 : i64
        call @rt_profile_mark(%none, %zero) : (i64, i64) -> ()
        %a = rt.input 0 : memref<4xf32>
        %b = rt.output 0() : memref<4xf32>
        memref.copy %a, %b : memref<4xf32> to memref<4xf32>
        call @rt_profile_mark(%zero, %one) : (i64, i64) -> ()
        return %ok : i32
      }
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::func::FuncDialect"];
}

def SplitAccumulators : Pass<"rt-split-accumulators", "::mlir::func::FuncOp"> {
  let summary = "Give several steps of a sum accumulators of their own";
  let description = [{
    A loop with `rt.accumulators` that only adds products to vectors takes so many steps at once, each with accumulators
    of its own. These are added after the loop, and then the steps that are left over, one by one: in the order in which
    the kernels of products add theirs. Kernels themselves have such loops already.

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
      } {rt.accumulators = 2 : i64}
      return %sum : vector<16xf32>
    }
    ```
    ==>
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
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def PrefetchWeights : Pass<"rt-prefetch-weights", "::mlir::func::FuncOp"> {
  let summary = "Ask for packed weights some steps before a product needs them";
  let description = [{
    The loop of a product of several rows prefetches packed weights, if the matrix does not surely stay in L2.
    Loads in each step are those of a row `[block, step, columns]`. A tile that is alone prefetches a later step. Of
    several tiles that read the same block, the first ones prefetch the next block, each as many lines as it has steps,
    in the order of their addresses. The next block is that of the next iteration of the loop over blocks. If only the
    call tells the sizes, a branch leaves the prefetches out for a matrix that turns out to be near. The loop of a
    single row that reads one stream takes several steps in an iteration, and gets an annotation against unrolling: the
    CPU fetches ahead for a few loads.

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
      %c256 = arith.constant 256 : index
      %c512 = arith.constant 512 : index
      %sum = scf.for %k = %c0 to %c512 step %c1 iter_args(%s = %zeros) -> (vector<4x16xf32>) {
        %place = arith.muli %k, %c16 : index
        %later = arith.addi %place, %c256 : index
        memref.prefetch %w[%block, %c0, %later], read, locality<2>, data : memref<64x512x16xf32>
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

def MergeIndices : Pass<"rt-merge-indices", "::mlir::func::FuncOp"> {
  let summary = "Access reshaped buffers by the index that they are reshaped for";
  let description = [{
    An access to the dims of a buffer, whose indices are parts of one index, becomes an access to a view in which these
    dims are merged. So no iteration takes an index apart. The elements of the dims must follow each other.

    ```mlir
    func.func @example(%a: memref<128x4x64xf32>, %row: index, %k: index) -> f32 {
      %parts:2 = affine.delinearize_index %k into (4, 64) : index, index
      %element = memref.load %a[%row, %parts#0, %parts#1] : memref<128x4x64xf32>
      return %element : f32
    }
    ```
    ==>
    ```mlir
    func.func @example(%a: memref<128x4x64xf32>, %row: index, %k: index) -> f32 {
      %merged = memref.collapse_shape %a [[0], [1, 2]] : memref<128x4x64xf32> into memref<128x256xf32>
      %element = memref.load %merged[%row, %k] : memref<128x256xf32>
      return %element : f32
    }
    ```
  }];
  let dependentDialects = ["::mlir::memref::MemRefDialect"];
}

def ShareAddresses : Pass<"rt-share-addresses", "::mlir::func::FuncOp"> {
  let summary = "Compute one address for the rows of a tile";
  let description = [{
    A loop that reads an element of each of four rows or more, which follow each other at a distance that is not known
    at compile time, computes the address of the first row. Those of the others are odd multiples of the distance away,
    times 1, 2, 4 or 8, which a load adds by itself.

    ```mlir
    func.func @example(%a: memref<?x8xf32, strided<[?, 1]>>, %i: index) -> f32 {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %c3 = arith.constant 3 : index
      %c8 = arith.constant 8 : index
      %zero = arith.constant 0.0 : f32
      %sum = scf.for %n = %c0 to %c8 step %c1 iter_args(%s = %zero) -> (f32) {
        %a0 = memref.load %a[%i, %n] : memref<?x8xf32, strided<[?, 1]>>
        %i1 = arith.addi %i, %c1 : index
        %a1 = memref.load %a[%i1, %n] : memref<?x8xf32, strided<[?, 1]>>
        %i2 = arith.addi %i, %c2 : index
        %a2 = memref.load %a[%i2, %n] : memref<?x8xf32, strided<[?, 1]>>
        %i3 = arith.addi %i, %c3 : index
        %a3 = memref.load %a[%i3, %n] : memref<?x8xf32, strided<[?, 1]>>
        %s0 = arith.addf %s, %a0 : f32
        %s1 = arith.addf %s0, %a1 : f32
        %s2 = arith.addf %s1, %a2 : f32
        %s3 = arith.addf %s2, %a3 : f32
        scf.yield %s3 : f32
      }
      return %sum : f32
    }
    ```
    ==>
    ```mlir
    func.func @example(%a: memref<?x8xf32, strided<[?, 1]>>, %i: index) -> f32 {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c8 = arith.constant 8 : index
      %zero = arith.constant 0.0 : f32
      %c4 = arith.constant 4 : index
      %c12 = arith.constant 12 : index
      %buffer, %offset, %sizes:2, %strides:2 = memref.extract_strided_metadata %a
        : memref<?x8xf32, strided<[?, 1]>> -> memref<f32>, index, index, index, index, index
      %begin = memref.extract_aligned_pointer_as_index %a : memref<?x8xf32, strided<[?, 1]>> -> index
      %0 = arith.index_cast %begin : index to i64
      %1 = llvm.inttoptr %0 : i64 to !llvm.ptr
      %2 = arith.muli %i, %strides#0 : index
      %3 = arith.index_cast %2 : index to i64
      %4 = llvm.getelementptr %1[%3] : (!llvm.ptr, i64) -> !llvm.ptr, f32
      %5 = arith.muli %strides#0, %c4 : index
      %one = arith.index_cast %5 : index to i64
      %6 = arith.muli %strides#0, %c12 : index
      %three = arith.index_cast %6 : index to i64
      %sum = scf.for %n = %c0 to %c8 step %c1 iter_args(%s = %zero) -> (f32) {
        %7 = arith.index_cast %n : index to i64
        %8 = llvm.getelementptr %4[%7] : (!llvm.ptr, i64) -> !llvm.ptr, f32
        %p0 = llvm.inline_asm "", "=r,0" %8 : (!llvm.ptr) -> !llvm.ptr
        %a0 = llvm.load %p0 : !llvm.ptr -> f32
        %p1 = llvm.getelementptr %p0[%one] : (!llvm.ptr, i64) -> !llvm.ptr, i8
        %a1 = llvm.load %p1 : !llvm.ptr -> f32
        %p2 = llvm.getelementptr %p0[%one] : (!llvm.ptr, i64) -> !llvm.ptr, i16
        %a2 = llvm.load %p2 : !llvm.ptr -> f32
        %p3 = llvm.getelementptr %p0[%three] : (!llvm.ptr, i64) -> !llvm.ptr, i8
        %a3 = llvm.load %p3 : !llvm.ptr -> f32
        %s0 = arith.addf %s, %a0 : f32
        %s1 = arith.addf %s0, %a1 : f32
        %s2 = arith.addf %s1, %a2 : f32
        %s3 = arith.addf %s2, %a3 : f32
        scf.yield %s3 : f32
      }
      return %sum : f32
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::LLVM::LLVMDialect", "::mlir::memref::MemRefDialect"];
}

def FormParallelRegions : Pass<"rt-form-parallel-regions", "::mlir::ModuleOp"> {
  let summary = "Divide large loops and calls of kernels among threads";
  let description = [{
    A marked loop (`rt-mark-independent-loops`), or the call of a kernel that has `rt.parts`, moves to a private
    function that does the share of one index, and becomes an `rt.parallel`. A share is a range of iterations, or of the
    dims that the kernel names; one function for all parts computes its bounds. The number of threads that the work is
    worth is a constant, or is computed from the sizes. Nothing changes if it is known to be 1. If it is computed in a
    loop, work that is worth one thread is done by a direct call, of the function or of the kernel, because the captures
    of a parallel region take longer than short work. Each element of a result is computed as before, so results do not
    depend on the number of threads.

    A parallel region raises no fault. If a loop contains time loops (`rt-group-time-loops`), their iterations are
    compared with the caller's limit in front of the parallel region. An iteration of a cancelled call only ends the
    share (`rt-lower-checks`), and the call ends behind the parallel region. A time loop around a loop with
    `rt.interchangeable` moves to the function as a whole; the share is one of that loop's iterations.

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
      rt.parallel @rt_part_0 want %c8 (%x, %out : f32, memref<8xf32>)
      return
    }
    func.func private @rt_part_0(%frame: !llvm.ptr, %index: i32, %count: i32, %x: f32, %out: memref<8xf32>) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c8 = arith.constant 8 : index
      %0 = arith.index_cast %index : i32 to index
      %1 = arith.index_cast %count : i32 to index
      %share:2 = call @rt_share(%c8, %c1, %0, %1) : (index, index, index, index) -> (index, index)
      scf.for %i = %share#0 to %share#1 step %c1 {
        memref.store %x, %out[%i] : memref<8xf32>
      } {rt.independent}
      return
    }
    func.func private @rt_share(%units: index, %grain: index, %index: index, %count: index) -> (index, index)
        attributes {passthrough = ["noinline"]} {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %alone = arith.cmpi eq, %count, %c1 : index
      %share:2 = scf.if %alone -> (index, index) {
        scf.yield %c0, %units : index, index
      } else {
        %groups = arith.divui %units, %grain : index
        %next = arith.addi %index, %c1 : index
        %0 = arith.muli %groups, %index : index
        %1 = arith.divui %0, %count : index
        %from = arith.muli %1, %grain : index
        %2 = arith.muli %groups, %next : index
        %3 = arith.divui %2, %count : index
        %end = arith.muli %3, %grain : index
        %last = arith.cmpi eq, %next, %count : index
        %to = arith.select %last, %units, %end : index
        scf.yield %from, %to : index, index
      }
      return %share#0, %share#1 : index, index
    }
    ```
  }];
  let options = [Option<"gangWork", "gang-work", "int64_t", /*default=*/"::recur::kDefaultGangWork",
                        "Least work of each thread, in vector instructions">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::func::FuncDialect", "::mlir::LLVM::LLVMDialect",
    "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect", "::recur::rt::RTDialect"];
}

def OutlineLayers : Pass<"rt-outline-layers", "::mlir::ModuleOp"> {
  let summary = "Cut a very long block of a model into functions";
  let description = [{
    Several steps behind this pass, of MLIR and of LLVM, take time that grows with the square of the length of a block
    or of the number of loops in a function. So a block of the model with more than `most-ops` ops, in it and in all its
    regions, is cut into private functions of `part-ops` ops or more. A call of such a function takes no time beside
    what it does. Shorter blocks stay as they are, which are those of nearly all models.

    A function gets a sequence of ops that write memory, with the ops between them which depend on these. Other ops
    without effects stay in front of the call. Constants and views are made again in the function, so that it knows
    strides and sizes; other values are arguments. Numbers that are used behind it are results, and views are made again
    there too. The sequence ends where none of its other values is used any more. It also ends at an output and at a
    time loop. If it has checks, the function returns a status, and a check behind the call ends the function of the
    model with it.

    ```mlir
    func.func @recur_model_compute(%frame: !llvm.ptr, %x: f32) {
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
    ==> with `most-ops=4 part-ops=2`
    ```mlir
    func.func @recur_model_compute(%frame: !llvm.ptr, %x: f32) {
      %out = rt.output 0 () : memref<8xf32>
      call @rt_layers_0(%frame, %x, %out) : (!llvm.ptr, f32, memref<8xf32>) -> ()
      return
    }
    func.func private @rt_layers_0(%frame: !llvm.ptr, %x: f32, %out: memref<8xf32>)
        attributes {passthrough = ["noinline"]} {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c8 = arith.constant 8 : index
      scf.for %i = %c0 to %c8 step %c1 {
        memref.store %x, %out[%i] : memref<8xf32>
      }
      return
    }
    ```
  }];
  let options = [Option<"mostOps", "most-ops", "int64_t", /*default=*/"4096", "Ops of the longest block that stays">,
                 Option<"partOps", "part-ops", "int64_t", /*default=*/"2048", "Least ops of a function">];
  let dependentDialects = ["::mlir::func::FuncDialect", "::mlir::LLVM::LLVMDialect"];
}

def ShareKernels : Pass<"rt-share-kernels", "::mlir::ModuleOp"> {
  let summary = "Give kernels that models share names that say what their code is";
  let description = [{
    A kernel with the attribute `rt.shared` serves matrices of any size, and is the same for all models. The pass adds a
    hash of its code and of the option `target` to its name, so that a process can generate the code of each name once.
    The attribute becomes one of LLVM, whose value is the name. If the process has the code already, or a
    thread generates it, which only a compiler can tell (see `SharedKernels.h`), the kernel becomes a declaration.

    A kernel that has only vectors of f32 or f64 gains nothing from what a CPU has besides them. Its hash is that of the
    option `common-target`, which is the same for many CPUs.

    The numbers of the attribute are an operand and one of its dims, by which the kernel chooses what to do. It stays as
    it is if that dim is the same constant in all calls: LLVM removes the code for all others. So does a kernel that
    calls others.

    The pass comes after all passes that look into kernels to know what a call does.

    ```mlir
    func.func @recur_model_compute(%a: memref<?x8xf32>) {
      call @rt_fill(%a) : (memref<?x8xf32>) -> ()
      return
    }
    func.func private @rt_fill(%a: memref<?x8xf32>) attributes {rt.kernel, rt.shared = array<i64: 0, 0>} {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %x = arith.constant dense<1.0> : vector<8xf32>
      %n = memref.dim %a, %c0 : memref<?x8xf32>
      scf.for %i = %c0 to %n step %c1 {
        vector.store %x, %a[%i, %c0] : memref<?x8xf32>, vector<8xf32>
      }
      return
    }
    ```
    ==>
    ```mlir
    func.func @recur_model_compute(%a: memref<?x8xf32>) {
      call @rt_fill.6b8580ae2c4121280480362c(%a) : (memref<?x8xf32>) -> ()
      return
    }
    func.func private @rt_fill.6b8580ae2c4121280480362c(%a: memref<?x8xf32>)
        attributes {passthrough = [["rt.shared", "rt_fill.6b8580ae2c4121280480362c"]], rt.kernel} {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %x = arith.constant dense<1.0> : vector<8xf32>
      %n = memref.dim %a, %c0 : memref<?x8xf32>
      scf.for %i = %c0 to %n step %c1 {
        vector.store %x, %a[%i, %c0] : memref<?x8xf32>, vector<8xf32>
      }
      return
    }
    ```
  }];
  let options = [Option<"target", "target", "std::string", /*default=*/"",
                        "What the code of kernels depends on, besides the kernels themselves">,
                 Option<"commonTarget", "common-target", "std::string", /*default=*/"",
                        "The same for kernels that have only vectors of f32 or f64, if it is not empty">];
  let dependentDialects = ["::recur::rt::RTDialect"];
}

def AlternateOrder : Pass<"rt-alternate-order", "::mlir::ModuleOp"> {
  let summary = "Read large weights forward and backward by turns";
  let description = [{
    A time loop reads its weights in each iteration. If a cache is smaller than the weights, and they are always read in
    the same order, nothing of them is left in it when the next iteration begins. So every second iteration goes
    backward through the independent iterations of a loop, or the blocks of a kernel, that reads weights which L1
    may not hold. The order of each sum stays the same. A kernel gets a flag as its last argument, and so does the
    function that does the share of a thread.

    The pass comes after `rt-form-parallel-regions`, so each thread reads its own share back and forth. It removes all
    marks `rt.independent`.

    ```mlir
    func.func @recur_model_compute(%frame: !llvm.ptr, %T: index) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c1024 = arith.constant 1024 : index
      %w = rt.weights at 0 of(#ov.weights<0, tensor<1024x256xf32>> : tensor<1024x256xf32>) : memref<1024x256xf32>
      %out = rt.output 0 () : memref<1024xf32>
      scf.for %t = %c0 to %T step %c1 {
        rt.iteration %t
        scf.for %i = %c0 to %c1024 step %c1 {
          %x = memref.load %w[%i, %c0] : memref<1024x256xf32>
          memref.store %x, %out[%i] : memref<1024xf32>
        } {rt.independent}
      }
      return
    }
    ```
    ==>
    ```mlir
    func.func @recur_model_compute(%frame: !llvm.ptr, %T: index) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c1023 = arith.constant 1023 : index
      %c1024 = arith.constant 1024 : index
      %w = rt.weights at 0 of(#ov.weights<0, tensor<1024x256xf32>> : tensor<1024x256xf32>) : memref<1024x256xf32>
      %out = rt.output 0 () : memref<1024xf32>
      scf.for %t = %c0 to %T step %c1 {
        %parity = arith.andi %t, %c1 : index
        %backward = arith.cmpi eq, %parity, %c1 : index
        rt.iteration %t
        scf.for %i = %c0 to %c1024 step %c1 {
          %opposite = arith.subi %c1023, %i : index
          %place = arith.select %backward, %opposite, %i : index
          %x = memref.load %w[%place, %c0] : memref<1024x256xf32>
          memref.store %x, %out[%place] : memref<1024xf32>
        }
      }
      return
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::func::FuncDialect", "::mlir::scf::SCFDialect"];
}

def ExpandMath : Pass<"rt-expand-math", "::mlir::func::FuncOp"> {
  let summary = "Expand transcendental functions into arithmetic";
  let description = [{
    `math.exp` and `math.expm1` of f32 and f64, on scalars and vectors, become polynomials. Conversions of bf16,
    and of f64 to f16, become arithmetic, and so do `arith.minnumf` and `arith.maxnumf`. The remainder of floats becomes
    a quotient, its integer part and a fused multiply-add, in a loop that is left after one test if no quotient is
    large; it is exact. Without fused multiply-add, that of f64 stays. Vectors of integers are divided as floats,
    exactly too, except by one constant; 64-bit integers beyond 2^51 are divided one by one. A quotient of f32 by a
    constant, of an integer or before it is rounded to an integer, becomes products with the two parts of a reciprocal,
    if the results are proven to be those of a division. `math.powf` of f64 stays.
    It becomes a call of libm; only such functions (`Libm.h`) may be undefined in a model. With the options, operations
    that a target has no instructions for become arithmetic too, so that no runtime library is called (`fmaf`, `floorf`,
    `__truncsfhf2`).

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
    "::mlir::scf::SCFDialect", "::mlir::ub::UBDialect", "::mlir::vector::VectorDialect"];
}

def SkipEmptyNests : Pass<"rt-skip-empty-nests", "::mlir::func::FuncOp"> {
  let summary = "Do not run loops around loops that have no iteration";
  let description = [{
    A tensor with a dim of 0 has no elements, but the loops over its other dims would run, and these dims may be as
    large as an index. An `scf.for` with a dynamic trip count whose body does nothing in any iteration gets none. The
    conditions are those of the loops and of the `scf.if` in its body, as far as they are the same in all iterations. A
    loop that stores something else, such as the initial value of a sum, stays as it is: its results have elements.

    ```mlir
    func.func @example(%n: index, %m: index, %x: memref<?x?xf32>, %value: f32) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      scf.for %i = %c0 to %n step %c1 {
        scf.for %j = %c0 to %m step %c1 {
          memref.store %value, %x[%i, %j] : memref<?x?xf32>
        }
      }
      return
    }
    ```
    ==>
    ```mlir
    func.func @example(%n: index, %m: index, %x: memref<?x?xf32>, %value: f32) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %idle = arith.cmpi sle, %m, %c0 : index
      %end = arith.select %idle, %c0, %n : index
      scf.for %i = %c0 to %end step %c1 {
        scf.for %j = %c0 to %m step %c1 {
          memref.store %value, %x[%i, %j] : memref<?x?xf32>
        }
      }
      return
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def KeepTimeLoops : Pass<"rt-keep-time-loops"> {
  let summary = "Keep LLVM from unrolling time loops and loops with a dynamic trip count";
  let description = [{
    A loop with `rt.iteration` in its body gets an annotation that keeps LLVM from unrolling and peeling it. So code
    size and compile time do not depend on a constant trip count. An `scf.for` around a loop with a dynamic trip count
    gets the same annotation: copies of it would not become simpler, and LLVM would unroll the inner loop of each copy
    again. An innermost `scf.for` with a dynamic trip count may be vectorized, one vector at a time, but is not
    unrolled: unrolled bodies and their remainder loops made up half of the code of a model with dynamic dims, and were
    no faster. One of at most 15 iterations, which handles the last elements of a row, is not vectorized again.

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

def LowerChecks : Pass<"rt-lower-checks", "::mlir::ModuleOp"> {
  let summary = "Lower checks to branches to the epilogue of their function";
  let description = [{
    Runs after `convert-scf-to-cf`. Each `rt.check` ends its block with a branch to the epilogue of the function, which
    records the fault in the frame and returns its status. The values that the check guards replace its results. The
    texts of faults, with the name of the layer from the location, go to the module's `rt.faults`. `rt.reserve growing`
    moves to a block of its own, which runs only if the cell holds fewer bytes than requested.

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

def LowerVectors : Pass<"rt-lower-vectors", "::mlir::func::FuncOp"> {
  let summary = "Lower operations on vectors to vectors that fit one register";
  let description = [{
    Runs after bufferization. Transfers become loads and stores of one vector each, unit dims are dropped, and transfers
    with strides are unrolled, or become loops over lanes if they have masks. Elements that are a few elements apart,
    such as every second one, are picked by shuffles from vectors of all elements. A vector of one element is loaded and
    stored as that element. A vector of several registers is stored register by register. A remainder loop, which has at
    most one iteration, becomes a branch.

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

def Canonicalize : Pass<"rt-canonicalize"> {
  let summary = "Canonicalize, with the patterns that other instances have collected";
  let description = [{
    Brings all that an op contains into canonical form, but for what the options leave out. `omit-ops` is needed for a
    module whose vectors are lowered: rt-lower-vectors assembles vectors of several dims from registers with chains of
    `vector.insert`. Their canonical form, one op on all elements, takes the registers apart again.

    Upstream's canonicalizer cannot leave out the patterns of an op: it knows patterns by the names of their classes,
    and those of `vector.insert` have none. It also takes longer. Each of its instances collects the patterns of all
    dialects again; instances of this pass that are made with one `CanonicalPatterns` share them. It goes over a
    function until nothing changes. This pass does so once: it comes back to an op only when something next to it
    changes, and none of 575 models was compiled to other code by a second round. And it looks for arguments without
    uses and for equal blocks, which LLVM removes; of these things, this pass only removes unreachable blocks.

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
    ==> with `omit-ops=vector.insert`
    ```mlir
    func.func @example(%a: vector<4xf32>, %b: vector<4xf32>, %i: index) -> (vector<2x4xf32>, index) {
      %none = ub.poison : vector<2x4xf32>
      %0 = vector.insert %a, %none [0] : vector<4xf32> into vector<2x4xf32>
      %1 = vector.insert %b, %0 [1] : vector<4xf32> into vector<2x4xf32>
      return %1, %i : vector<2x4xf32>, index
    }
    ```
  }];
  let options = [
    ListOption<"omitOps", "omit-ops", "std::string", "The names of ops without their patterns">,
    ListOption<"omitPatterns", "omit-patterns", "std::string", "The names of the classes of patterns to leave out">,
  ];
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

#endif // RECUR_TRANSFORMS_LOWERINGPASSES_TD
