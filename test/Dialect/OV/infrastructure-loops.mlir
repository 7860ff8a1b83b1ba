// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s --verify-roundtrip | FileCheck %s
// RUN: ir-opt %s | FileCheck %s --check-prefix=NAMES
// RUN: ir-opt %s --mlir-print-op-generic | ir-opt | FileCheck %s

// CHECK-LABEL: @tensor_iterator
// CHECK-SAME: (%[[X:.*]]: tensor<1x25x8xf32>, %[[H:.*]]: tensor<1x4xf32>
func.func @tensor_iterator(%x: tensor<1x25x8xf32>, %h: tensor<1x4xf32>, %w: tensor<4x8xf32>)
    -> (tensor<1x4xf32>, tensor<1x1x8xf32>, tensor<1x25x4xf32>) {
  // CHECK: %[[R:.*]]:3 = ov.tensor_iterator
  // CHECK-SAME: slices(%[[PART:.*]] = %[[X]] along 1 [0:-1:1] part 1 : tensor<1x25x8xf32> to tensor<1x1x8xf32>)
  // CHECK-SAME: carried(%[[S:.*]] = %[[H]] : tensor<1x4xf32>)
  // CHECK-SAME: last(tensor<1x1x8xf32>)
  // CHECK-SAME: concats(along 1 : tensor<1x25x4xf32>)
  // CHECK-SAME: attributes {note = "mine"} {
  %r:3 = ov.tensor_iterator
      slices(%x_t = %x along 1 [0:-1:1] part 1 : tensor<1x25x8xf32> to tensor<1x1x8xf32>)
      carried(%s = %h : tensor<1x4xf32>) last(tensor<1x1x8xf32>)
      concats(along 1 : tensor<1x25x4xf32>) attributes {note = "mine"} {
    %axis = ov.constant dense<1> : tensor<1xi64>
    // CHECK: ov.squeeze %[[PART]]
    %0 = ov.squeeze %x_t, %axis : (tensor<1x1x8xf32>, tensor<1xi64>) -> tensor<1x8xf32>
    %1 = ov.matmul %0, %w {transpose_b = true} : (tensor<1x8xf32>, tensor<4x8xf32>) -> tensor<1x4xf32>
    // CHECK: %[[N:.*]] = ov.add %{{.*}}, %[[S]]
    %n = ov.add %1, %s : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    // CHECK: %[[P:.*]] = ov.unsqueeze %[[N]]
    %p = ov.unsqueeze %n, %axis : (tensor<1x4xf32>, tensor<1xi64>) -> tensor<1x1x4xf32>
    // CHECK: ov.yield next(%[[N]] : tensor<1x4xf32>) last(%[[PART]] : tensor<1x1x8xf32>) concat(%[[P]] : tensor<1x1x4xf32>)
    ov.yield next(%n : tensor<1x4xf32>) last(%x_t : tensor<1x1x8xf32>) concat(%p : tensor<1x1x4xf32>)
  }
  // CHECK: return %[[R]]#0, %[[R]]#1, %[[R]]#2
  return %r#0, %r#1, %r#2 : tensor<1x4xf32>, tensor<1x1x8xf32>, tensor<1x25x4xf32>
}

// Block arguments are named by what they hold.
// NAMES-LABEL: @tensor_iterator
// NAMES: slices(%slice = {{.*}}) carried(%state = {{.*}})

// Each clause alone; backward and strided parts; several of a kind.

// CHECK-LABEL: @slices_only
func.func @slices_only(%x: tensor<?x6x?xf16>, %y: tensor<2x3xui8>) {
  // CHECK: ov.tensor_iterator slices(%{{.*}} = %{{.*}} along 1 [-1:0:-2] part 2 : tensor<?x6x?xf16> to tensor<?x2x?xf16>,
  // CHECK-SAME: %{{.*}} = %{{.*}} along 1 [0:2:1] part 1 : tensor<2x3xui8> to tensor<2x1xui8>) {
  // CHECK-NEXT: ov.yield
  // CHECK-NEXT: }
  ov.tensor_iterator slices(%a = %x along 1 [-1:0:-2] part 2 : tensor<?x6x?xf16> to tensor<?x2x?xf16>,
                            %b = %y along 1 [0:2:1] part 1 : tensor<2x3xui8> to tensor<2x1xui8>) {
    ov.yield
  }
  return
}

// The terminator may be left out of a tensor_iterator that yields nothing.
// CHECK-LABEL: @no_terminator
func.func @no_terminator(%x: tensor<4xi1>) {
  // CHECK: ov.tensor_iterator slices
  // CHECK-NEXT: ov.yield
  // CHECK-NEXT: }
  ov.tensor_iterator slices(%a = %x along 0 [0:-1:1] part 1 : tensor<4xi1> to tensor<1xi1>) {
  }
  return
}

// CHECK-LABEL: @loop
// CHECK-SAME: (%[[N:.*]]: tensor<i64>, %[[C:.*]]: tensor<i1>, %[[S0:.*]]: tensor<4xf32>
func.func @loop(%n: tensor<i64>, %c: tensor<i1>, %s0: tensor<4xf32>, %x: tensor<?x4xf32>)
    -> (tensor<4xf32>, tensor<i64>, tensor<?x4xf32>) {
  // CHECK: ov.loop trip(%[[N]] : tensor<i64>) while(%[[C]] : tensor<i1>) index(%[[I:.*]] : tensor<i64>)
  // CHECK-SAME: slices(%{{.*}} = %{{.*}} along 0 [0:-1:1] part 1 : tensor<?x4xf32> to tensor<1x4xf32>)
  // CHECK-SAME: carried(%[[S:.*]] = %[[S0]] : tensor<4xf32>) last(tensor<i64>)
  // CHECK-SAME: concats(along 0 reverse : tensor<?x4xf32>) {
  %r:3 = ov.loop trip(%n : tensor<i64>) while(%c : tensor<i1>) index(%i : tensor<i64>)
      slices(%x_t = %x along 0 [0:-1:1] part 1 : tensor<?x4xf32> to tensor<1x4xf32>)
      carried(%s = %s0 : tensor<4xf32>) last(tensor<i64>) concats(along 0 reverse : tensor<?x4xf32>) {
    // CHECK: ov.yield while(%[[C]] : tensor<i1>) next(%[[S]] : tensor<4xf32>) last(%[[I]] : tensor<i64>) concat(
    ov.yield while(%c : tensor<i1>) next(%s : tensor<4xf32>) last(%i : tensor<i64>) concat(%x_t : tensor<1x4xf32>)
  }
  return %r#0, %r#1, %r#2 : tensor<4xf32>, tensor<i64>, tensor<?x4xf32>
}
// NAMES-LABEL: @loop
// NAMES: index(%index : tensor<i64>) slices(%slice = {{.*}}) carried(%state = {{.*}})

// Only the condition; i32 and rank 1.
// CHECK-LABEL: @bare_loop
func.func @bare_loop(%n: tensor<1xi32>, %c: tensor<1xi1>) {
  // CHECK: ov.loop trip(%{{.*}} : tensor<1xi32>) while(%{{.*}} : tensor<1xi1>) {
  // CHECK-NEXT: ov.yield while(%{{.*}} : tensor<1xi1>)
  // CHECK-NEXT: }
  ov.loop trip(%n : tensor<1xi32>) while(%c : tensor<1xi1>) {
    ov.yield while(%c : tensor<1xi1>)
  }
  // CHECK: ov.loop trip(%{{.*}}) while(%{{.*}}) index(%[[I:.*]] : tensor<1xi32>) {
  ov.loop trip(%n : tensor<1xi32>) while(%c : tensor<1xi1>) index(%i : tensor<1xi32>) {
    ov.yield while(%c : tensor<1xi1>)
  }
  return
}

// An inner loop captures the values of the outer one; their names do not clash.
// CHECK-LABEL: @nested
func.func @nested(%x: tensor<3x5x4xf32>, %s0: tensor<1x4xf32>, %n: tensor<i64>, %c: tensor<i1>) -> tensor<1x4xf32> {
  // CHECK: ov.tensor_iterator slices(%[[OUTER:.*]] = {{.*}}) carried(%[[S:.*]] = %{{.*}} : tensor<1x4xf32>)
  %r = ov.tensor_iterator slices(%a = %x along 0 [0:-1:1] part 1 : tensor<3x5x4xf32> to tensor<1x5x4xf32>)
      carried(%s = %s0 : tensor<1x4xf32>) {
    // CHECK: ov.loop {{.*}} slices(%{{.*}} = %[[OUTER]] along 1 [0:-1:1] part 1 : {{.*}}) carried(%[[T:.*]] = %[[S]] : tensor<1x4xf32>)
    %q = ov.loop trip(%n : tensor<i64>) while(%c : tensor<i1>)
        slices(%b = %a along 1 [0:-1:1] part 1 : tensor<1x5x4xf32> to tensor<1x1x4xf32>)
        carried(%t = %s : tensor<1x4xf32>) {
      // CHECK: ov.add %[[T]], %[[S]]
      %u = ov.add %t, %s : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
      ov.yield while(%c : tensor<i1>) next(%u : tensor<1x4xf32>)
    }
    ov.yield next(%q : tensor<1x4xf32>)
  }
  return %r : tensor<1x4xf32>
}

// Dims after no iteration, of a last value and of a concatenation. Those of the second one are open.
// CHECK-LABEL: @empty_dims
// CHECK-SAME: tensor<1x?xf32>, %[[D:.*]]: tensor<2xi64>, %[[OPEN:.*]]: tensor<0xi64>)
func.func @empty_dims(%n: tensor<i64>, %c: tensor<i1>, %p: tensor<1x?xf32>, %d: tensor<2xi64>, %o: tensor<0xi64>) {
  // CHECK: ov.loop {{.*}} last(tensor<1x?xf32>) concats(along 0 : tensor<?x?xf32>)
  // CHECK-SAME: empty(%[[D]] : tensor<2xi64>, %[[OPEN]] : tensor<0xi64>) {
  %0:2 = ov.loop trip(%n : tensor<i64>) while(%c : tensor<i1>) last(tensor<1x?xf32>) concats(along 0 : tensor<?x?xf32>)
      empty(%d : tensor<2xi64>, %o : tensor<0xi64>) {
    ov.yield while(%c : tensor<i1>) last(%p : tensor<1x?xf32>) concat(%p : tensor<1x?xf32>)
  }
  return
}
