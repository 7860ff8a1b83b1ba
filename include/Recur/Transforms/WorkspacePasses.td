// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- WorkspacePasses.td - Passes that place buffers ------*- tablegen -*-===//
//
// These passes place buffers in the workspace of the caller, and constants in the weights. `check-time-loops` only
// verifies the result.
//
//===----------------------------------------------------------------------===//

#ifndef RECUR_TRANSFORMS_WORKSPACEPASSES_TD
#define RECUR_TRANSFORMS_WORKSPACEPASSES_TD

include "mlir/Pass/PassBase.td"

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
    whose values that function reads. Sizes of views are replaced by those that the views were made with, so what
    follows from the inputs does so visibly. A buffer whose size depends on computed data becomes an `rt.reserve`. The
    cells of all of these are one buffer of the workspace, which the code fills with zeros. For dynamic sizes, the pass
    decides which buffers are below a buffer, and the code computes its offset as the greatest end of those. All of this
    code is at the start of the function.

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
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect", "::mlir::LLVM::LLVMDialect",
    "::mlir::scf::SCFDialect", "::recur::rt::RTDialect"];
}

def PlanWeights : Pass<"rt-plan-weights", "::mlir::ModuleOp"> {
  let summary = "Give every packed constant its offset in the weights";
  let description = [{
    Sets the `offset` of every `rt.weights`, aligned to 64 bytes, in program order. Equal constants share an offset.
    Sets the module's `rt.weights_bytes`, and `rt.weights_plan`, the list of constants and offsets by which the weights
    are packed. If the module has both already, they are those of another module that shares its packed weights:
    constants that the plan lists keep their offsets, and others follow.

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
      no libm function (`math.exp` and `math.expm1` on f32 and f64 are allowed, because they are expanded), `arith.remf`
      on other types than f32 and f64, `cf.assert`, or a `memref.copy` that is not contiguous;
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

#endif // RECUR_TRANSFORMS_WORKSPACEPASSES_TD
