// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s --canonicalize --split-input-file | FileCheck %s

// Unused carried values, last values and concatenations are removed, and so are unused slices, if another slice gives
// the trip count. A carried value that only feeds itself is unused.

// CHECK-LABEL: @drop_unused
// CHECK-SAME: (%[[X:[^:]*]]: tensor<4x2xf32>, %[[Y:[^:]*]]: tensor<4xf32>, %[[S0:[^:]*]]: tensor<1x2xf32>
func.func @drop_unused(%x: tensor<4x2xf32>, %y: tensor<4xf32>, %s0: tensor<1x2xf32>, %t0: tensor<f32>)
    -> tensor<1x2xf32> {
  // CHECK: %[[R:.*]] = ov.tensor_iterator slices(%[[A:.*]] = %[[X]] along 0 [0:-1:1] part 1 : tensor<4x2xf32> to tensor<1x2xf32>)
  // CHECK-SAME: carried(%[[S:.*]] = %[[S0]] : tensor<1x2xf32>) {
  %r:4 = ov.tensor_iterator
      slices(%b = %y along 0 [0:-1:1] part 1 : tensor<4xf32> to tensor<1xf32>,
             %a = %x along 0 [0:-1:1] part 1 : tensor<4x2xf32> to tensor<1x2xf32>)
      carried(%t = %t0 : tensor<f32>, %s = %s0 : tensor<1x2xf32>) last(tensor<1x2xf32>)
      concats(along 0 : tensor<4x2xf32>) {
    // CHECK-NEXT: %[[N:.*]] = ov.add %[[A]], %[[S]]
    %n = ov.add %a, %s : (tensor<1x2xf32>, tensor<1x2xf32>) -> tensor<1x2xf32>
    %u = ov.exp %t : tensor<f32>
    %p = ov.exp %a : tensor<1x2xf32>
    // CHECK-NEXT: ov.yield next(%[[N]] : tensor<1x2xf32>)
    ov.yield next(%u, %n : tensor<f32>, tensor<1x2xf32>) last(%p : tensor<1x2xf32>) concat(%p : tensor<1x2xf32>)
  }
  // CHECK: return %[[R]]
  return %r#1 : tensor<1x2xf32>
}

// The only slice with a known number of parts stays: the number of the other one is compared with it.

// CHECK-LABEL: @keep_count
// CHECK-SAME: (%[[X:[^:]*]]: tensor<?x2xf32>, %[[Y:[^:]*]]: tensor<4xf32>
func.func @keep_count(%x: tensor<?x2xf32>, %y: tensor<4xf32>, %s0: tensor<1x2xf32>) -> tensor<1x2xf32> {
  // CHECK: ov.tensor_iterator slices(%{{.*}} = %[[Y]] along 0 {{.*}}, %{{.*}} = %[[X]] along 0
  %r = ov.tensor_iterator
      slices(%b = %y along 0 [0:-1:1] part 1 : tensor<4xf32> to tensor<1xf32>,
             %a = %x along 0 [0:-1:1] part 1 : tensor<?x2xf32> to tensor<1x2xf32>)
      carried(%s = %s0 : tensor<1x2xf32>) {
    %n = ov.add %a, %s : (tensor<1x2xf32>, tensor<1x2xf32>) -> tensor<1x2xf32>
    ov.yield next(%n : tensor<1x2xf32>)
  }
  return %r : tensor<1x2xf32>
}

// -----

// Not removed if another carried value, or an op that can fail, reads it.

// CHECK-LABEL: @keep_used
func.func @keep_used(%x: tensor<4xf32>, %s0: tensor<f32>, %t0: tensor<f32>, %u0: tensor<i32>, %v: tensor<i32>)
    -> tensor<f32> {
  // CHECK: ov.tensor_iterator {{.*}} carried(%{{.*}} : tensor<f32>, %{{.*}} : tensor<f32>, %{{.*}} : tensor<i32>)
  %r:3 = ov.tensor_iterator slices(%a = %x along 0 [0:-1:1] part 1 : tensor<4xf32> to tensor<1xf32>)
      carried(%s = %s0 : tensor<f32>, %t = %t0 : tensor<f32>, %u = %u0 : tensor<i32>) {
    %n = ov.add %s, %t : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %m = ov.exp %t : tensor<f32>
    // CHECK: ov.divide
    %d = ov.divide %v, %u : (tensor<i32>, tensor<i32>) -> tensor<i32>
    ov.yield next(%n, %m, %d : tensor<f32>, tensor<f32>, tensor<i32>)
  }
  return %r#0 : tensor<f32>
}

// -----

// The slice of a dynamic axis gives the trip count, so it stays.

// CHECK-LABEL: @keep_slices
func.func @keep_slices(%x: tensor<4xf32>, %y: tensor<?xf32>, %s0: tensor<1xf32>) -> tensor<1xf32> {
  // CHECK: ov.tensor_iterator slices({{.*}} : tensor<4xf32> to tensor<1xf32>, {{.*}} : tensor<?xf32> to tensor<1xf32>)
  %r = ov.tensor_iterator slices(%a = %x along 0 [0:-1:1] part 1 : tensor<4xf32> to tensor<1xf32>,
                                 %b = %y along 0 [0:-1:1] part 1 : tensor<?xf32> to tensor<1xf32>)
      carried(%s = %s0 : tensor<1xf32>) {
    %n = ov.add %a, %s : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xf32>
    ov.yield next(%n : tensor<1xf32>)
  }
  return %r : tensor<1xf32>
}

// -----

// More iterations than parts are a fault of a Loop, so its slices stay.

// CHECK-LABEL: @loop_keeps_slices
func.func @loop_keeps_slices(%n: tensor<i64>, %c: tensor<i1>, %x: tensor<4xf32>, %s0: tensor<f32>, %unused: tensor<f32>)
    -> tensor<f32> {
  // CHECK: ov.loop {{.*}} slices({{.*}}) carried(%{{[^ ]*}} = %{{[^ ]*}} : tensor<f32>) {
  %r:3 = ov.loop trip(%n : tensor<i64>) while(%c : tensor<i1>)
      slices(%a = %x along 0 [0:-1:1] part 1 : tensor<4xf32> to tensor<1xf32>)
      carried(%s = %s0 : tensor<f32>, %u = %unused : tensor<f32>) concats(along 0 : tensor<?xf32>) {
    %m = ov.exp %s : tensor<f32>
    %p = ov.exp %a : tensor<1xf32>
    ov.yield while(%c : tensor<i1>) next(%m, %s : tensor<f32>, tensor<f32>) concat(%p : tensor<1xf32>)
  }
  return %r#0 : tensor<f32>
}

// -----

// A carried value that never changes is replaced by its initial value, in the body and after the loop.

// CHECK-LABEL: @forward_invariant
// CHECK-SAME: (%[[N:[^:]*]]: tensor<i64>, %[[C:[^:]*]]: tensor<i1>, %[[S0:[^:]*]]: tensor<f32>, %[[I:[^:]*]]: tensor<f32>, %[[J:[^:]*]]: tensor<f32>)
func.func @forward_invariant(%n: tensor<i64>, %c: tensor<i1>, %s0: tensor<f32>, %i: tensor<f32>, %j: tensor<f32>)
    -> (tensor<f32>, tensor<f32>, tensor<f32>) {
  // CHECK: %[[R:.*]] = ov.loop {{.*}} carried(%[[S:.*]] = %[[S0]] : tensor<f32>) {
  %r:3 = ov.loop trip(%n : tensor<i64>) while(%c : tensor<i1>)
      carried(%a = %i : tensor<f32>, %s = %s0 : tensor<f32>, %b = %j : tensor<f32>) {
    // CHECK: %[[T:.*]] = ov.add %[[S]], %[[I]]
    %t = ov.add %s, %a : (tensor<f32>, tensor<f32>) -> tensor<f32>
    // CHECK: %[[U:.*]] = ov.add %[[T]], %[[J]]
    %u = ov.add %t, %b : (tensor<f32>, tensor<f32>) -> tensor<f32>
    // One is its own next value, the other's next value is its initial value.
    ov.yield while(%c : tensor<i1>) next(%a, %u, %j : tensor<f32>, tensor<f32>, tensor<f32>)
  }
  // CHECK: return %[[R]], %[[I]], %[[J]]
  return %r#1, %r#0, %r#2 : tensor<f32>, tensor<f32>, tensor<f32>
}

// -----

// A Parameter that is wired to a Result: a captured value, a part, or the carried value of another.

// CHECK-LABEL: @swapped
func.func @swapped(%x: tensor<4xf32>, %s0: tensor<f32>, %t0: tensor<f32>) -> (tensor<f32>, tensor<f32>, tensor<1xf32>) {
  // CHECK: ov.tensor_iterator slices(%[[A:.*]] = {{.*}}) carried(%[[S:.*]] = {{.*}}, %[[T:.*]] = {{.*}}) last(tensor<1xf32>)
  %r:3 = ov.tensor_iterator slices(%a = %x along 0 [0:-1:1] part 1 : tensor<4xf32> to tensor<1xf32>)
      carried(%s = %s0 : tensor<f32>, %t = %t0 : tensor<f32>) last(tensor<1xf32>) {
    // CHECK-NEXT: ov.yield next(%[[T]], %[[S]] : tensor<f32>, tensor<f32>) last(%[[A]] : tensor<1xf32>)
    ov.yield next(%t, %s : tensor<f32>, tensor<f32>) last(%a : tensor<1xf32>)
  }
  return %r#0, %r#1, %r#2 : tensor<f32>, tensor<f32>, tensor<1xf32>
}

// -----

// A captured last value is known if at least one iteration runs.

// CHECK-LABEL: @last_of_tensor_iterator
// CHECK-SAME: %[[K:[^:]*]]: tensor<2xf32>)
func.func @last_of_tensor_iterator(%x: tensor<?xf32>, %s0: tensor<1xf32>, %k: tensor<2xf32>)
    -> (tensor<1xf32>, tensor<2xf32>) {
  // CHECK: %[[R:.*]] = ov.tensor_iterator
  // CHECK-NOT: last
  %r:2 = ov.tensor_iterator slices(%a = %x along 0 [0:-1:1] part 1 : tensor<?xf32> to tensor<1xf32>)
      carried(%s = %s0 : tensor<1xf32>) last(tensor<2xf32>) {
    %n = ov.add %a, %s : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xf32>
    ov.yield next(%n : tensor<1xf32>) last(%k : tensor<2xf32>)
  }
  // CHECK: return %[[R]], %[[K]]
  return %r#0, %r#1 : tensor<1xf32>, tensor<2xf32>
}

// -----

// CHECK-LABEL: @last_of_loop_that_runs
// CHECK-SAME: (%[[S0:[^:]*]]: tensor<f32>, %[[K:[^:]*]]: tensor<2xf32>)
func.func @last_of_loop_that_runs(%s0: tensor<f32>, %k: tensor<2xf32>) -> (tensor<f32>, tensor<2xf32>, tensor<f32>) {
  %n = ov.constant dense<3> : tensor<i64>
  %true = ov.constant dense<true> : tensor<i1>
  // CHECK: %[[R:.*]] = ov.loop
  // CHECK-NOT: last
  %r:3 = ov.loop trip(%n : tensor<i64>) while(%true : tensor<i1>) carried(%s = %s0 : tensor<f32>)
      last(tensor<2xf32>, tensor<f32>) {
    %m = ov.exp %s : tensor<f32>
    // A last value that is the next carried value too is that one.
    ov.yield while(%true : tensor<i1>) next(%m : tensor<f32>) last(%k, %m : tensor<2xf32>, tensor<f32>)
  }
  // CHECK: return %[[R]], %[[K]], %[[R]]
  return %r#0, %r#1, %r#2 : tensor<f32>, tensor<2xf32>, tensor<f32>
}

// -----

// Not replaced if the loop may run zero times: then it is zeros.

// CHECK-LABEL: @last_of_loop_that_may_not_run
func.func @last_of_loop_that_may_not_run(%n: tensor<i64>, %c: tensor<i1>, %s0: tensor<f32>, %k: tensor<2xf32>)
    -> (tensor<f32>, tensor<2xf32>, tensor<2xf32>, tensor<f32>) {
  %three = ov.constant dense<3> : tensor<i64>
  %true = ov.constant dense<true> : tensor<i1>
  // CHECK: %[[R:.*]]:3 = ov.loop {{.*}} last(tensor<2xf32>, tensor<f32>)
  %r:3 = ov.loop trip(%three : tensor<i64>) while(%c : tensor<i1>) carried(%s = %s0 : tensor<f32>)
      last(tensor<2xf32>, tensor<f32>) {
    %m = ov.exp %s : tensor<f32>
    // CHECK: ov.yield {{.*}} last(
    ov.yield while(%true : tensor<i1>) next(%m : tensor<f32>) last(%k, %m : tensor<2xf32>, tensor<f32>)
  }
  // CHECK: %[[Q:.*]] = ov.loop {{.*}} last(tensor<2xf32>)
  %q = ov.loop trip(%n : tensor<i64>) while(%true : tensor<i1>) last(tensor<2xf32>) {
    ov.yield while(%true : tensor<i1>) last(%k : tensor<2xf32>)
  }
  // CHECK: return %[[R]]#0, %[[R]]#1, %[[Q]], %[[R]]#2
  return %r#0, %r#1, %q, %r#2 : tensor<f32>, tensor<2xf32>, tensor<2xf32>, tensor<f32>
}

// -----

// CHECK-LABEL: @merge_duplicates
// CHECK-SAME: (%[[X:[^:]*]]: tensor<4xf32>, %[[S0:[^:]*]]: tensor<1xf32>)
func.func @merge_duplicates(%x: tensor<4xf32>, %s0: tensor<1xf32>)
    -> (tensor<1xf32>, tensor<1xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  // CHECK: %[[R:.*]]:3 = ov.tensor_iterator slices(%[[A:.*]] = %[[X]] along 0 [0:-1:1] part 1 : tensor<4xf32> to tensor<1xf32>,
  // CHECK-SAME: %[[C:.*]] = %[[X]] along 0 [-1:0:-1] part 1 : tensor<4xf32> to tensor<1xf32>)
  // CHECK-SAME: carried(%[[S:.*]] = %[[S0]] : tensor<1xf32>)
  // CHECK-SAME: concats(along 0 : tensor<4xf32>, along 0 reverse : tensor<4xf32>) {
  %r:5 = ov.tensor_iterator slices(%a = %x along 0 [0:-1:1] part 1 : tensor<4xf32> to tensor<1xf32>,
                                   %b = %x along 0 [0:-1:1] part 1 : tensor<4xf32> to tensor<1xf32>,
                                   %c = %x along 0 [-1:0:-1] part 1 : tensor<4xf32> to tensor<1xf32>)
      carried(%s = %s0 : tensor<1xf32>, %t = %s0 : tensor<1xf32>)
      concats(along 0 : tensor<4xf32>, along 0 : tensor<4xf32>,
              along 0 reverse : tensor<4xf32>) {
    // CHECK-NEXT: %[[U:.*]] = ov.add %[[A]], %[[A]]
    // CHECK-NEXT: %[[V:.*]] = ov.add %[[S]], %[[S]]
    // CHECK-NEXT: %[[W:.*]] = ov.add %[[U]], %[[V]]
    // CHECK-NEXT: %[[P:.*]] = ov.add %[[W]], %[[C]]
    %u = ov.add %a, %b : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xf32>
    %v = ov.add %s, %t : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xf32>
    %w = ov.add %u, %v : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xf32>
    %p = ov.add %w, %c : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xf32>
    // CHECK-NEXT: ov.yield next(%[[W]] : tensor<1xf32>) concat(%[[P]], %[[P]] : tensor<1xf32>, tensor<1xf32>)
    ov.yield next(%w, %w : tensor<1xf32>, tensor<1xf32>) concat(%p, %p, %p : tensor<1xf32>, tensor<1xf32>, tensor<1xf32>)
  }
  // CHECK: return %[[R]]#0, %[[R]]#0, %[[R]]#1, %[[R]]#1, %[[R]]#2
  return %r#0, %r#1, %r#2, %r#3, %r#4 : tensor<1xf32>, tensor<1xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// -----

// Not merged: the initial values differ, so the values differ in the first iteration.

// CHECK-LABEL: @not_duplicates
func.func @not_duplicates(%x: tensor<4xf32>, %s0: tensor<1xf32>, %t0: tensor<1xf32>) -> (tensor<1xf32>, tensor<1xf32>) {
  // CHECK: ov.tensor_iterator {{.*}} carried(%[[S:.*]] = {{.*}}, %[[T:.*]] = {{.*}})
  %r:2 = ov.tensor_iterator slices(%a = %x along 0 [0:-1:1] part 1 : tensor<4xf32> to tensor<1xf32>)
      carried(%s = %s0 : tensor<1xf32>, %t = %t0 : tensor<1xf32>) {
    // CHECK: ov.add %[[S]], %[[T]]
    %v = ov.add %s, %t : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xf32>
    ov.yield next(%v, %v : tensor<1xf32>, tensor<1xf32>)
  }
  return %r#0, %r#1 : tensor<1xf32>, tensor<1xf32>
}

// -----

// No iteration, by the condition or the trip count: initial values, zeros, and empty tensors.

// CHECK-LABEL: @never
// CHECK-SAME: (%[[C:[^:]*]]: tensor<i1>, %[[S0:[^:]*]]: tensor<4xf32>
func.func @never(%c: tensor<i1>, %s0: tensor<4xf32>, %u: tensor<2x3xui8>, %p: tensor<1x3xf32>)
    -> (tensor<4xf32>, tensor<2x3xui8>, tensor<?x3xf32>, tensor<4xf32>) {
  %false = ov.constant dense<false> : tensor<i1>
  %endless = ov.constant dense<-1> : tensor<i64>
  %zero = ov.constant dense<0> : tensor<1xi32>
  // CHECK-NOT: ov.loop
  // CHECK-DAG: %[[LAST:.*]] = ov.constant dense<0> : tensor<2x3xui8>
  // CHECK-DAG: %[[PARTS:.*]] = ov.constant dense<0.000000e+00> : tensor<0x3xf32>
  // CHECK-DAG: %[[PARTS_CAST:.*]] = tensor.cast %[[PARTS]] : tensor<0x3xf32> to tensor<?x3xf32>
  %r:3 = ov.loop trip(%endless : tensor<i64>) while(%false : tensor<i1>) carried(%s = %s0 : tensor<4xf32>)
      last(tensor<2x3xui8>) concats(along 0 : tensor<?x3xf32>) {
    %t = ov.exp %s : tensor<4xf32>
    ov.yield while(%c : tensor<i1>) next(%t : tensor<4xf32>) last(%u : tensor<2x3xui8>) concat(%p : tensor<1x3xf32>)
  }
  %q = ov.loop trip(%zero : tensor<1xi32>) while(%c : tensor<i1>) carried(%s = %s0 : tensor<4xf32>) {
    %t = ov.exp %s : tensor<4xf32>
    ov.yield while(%c : tensor<i1>) next(%t : tensor<4xf32>)
  }
  // CHECK: return %[[S0]], %[[LAST]], %[[PARTS_CAST]], %[[S0]]
  return %r#0, %r#1, %r#2, %q : tensor<4xf32>, tensor<2x3xui8>, tensor<?x3xf32>, tensor<4xf32>
}

// -----

// A trip count below -1 is a fault, also of a loop whose condition is false.

// CHECK-LABEL: @may_fault
// CHECK-COUNT-2: ov.loop
func.func @may_fault(%n: tensor<i64>, %c: tensor<i1>, %s0: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %false = ov.constant dense<false> : tensor<i1>
  %below = ov.constant dense<-2> : tensor<i64>
  %r = ov.loop trip(%n : tensor<i64>) while(%false : tensor<i1>) carried(%s = %s0 : tensor<4xf32>) {
    %t = ov.exp %s : tensor<4xf32>
    ov.yield while(%c : tensor<i1>) next(%t : tensor<4xf32>)
  }
  %q = ov.loop trip(%below : tensor<i64>) while(%false : tensor<i1>) carried(%s = %s0 : tensor<4xf32>) {
    %t = ov.exp %s : tensor<4xf32>
    ov.yield while(%c : tensor<i1>) next(%t : tensor<4xf32>)
  }
  return %r, %q : tensor<4xf32>, tensor<4xf32>
}

// -----

// No iteration, but only the call tells if the input holds whole parts.

// CHECK-LABEL: @never_with_open_parts
func.func @never_with_open_parts(%x: tensor<?xf32>, %s0: tensor<4xf32>, %c: tensor<i1>) -> tensor<4xf32> {
  %zero = ov.constant dense<0> : tensor<1xi32>
  // CHECK: ov.loop
  %r = ov.loop trip(%zero : tensor<1xi32>) while(%c : tensor<i1>)
      slices(%p = %x along 0 [0:-1:2] part 2 : tensor<?xf32> to tensor<2xf32>) carried(%s = %s0 : tensor<4xf32>) {
    %t = ov.exp %s : tensor<4xf32>
    ov.yield while(%c : tensor<i1>) next(%t : tensor<4xf32>)
  }
  return %r : tensor<4xf32>
}

// -----

// The zeros have the dims of the body, which the stage loops computes.

// CHECK-LABEL: @never_with_open_dims
func.func @never_with_open_dims(%n: tensor<i64>, %u: tensor<2x?xui8>) -> tensor<2x?xui8> {
  %false = ov.constant dense<false> : tensor<i1>
  // CHECK: ov.loop
  %r = ov.loop trip(%n : tensor<i64>) while(%false : tensor<i1>) last(tensor<2x?xui8>) {
    ov.yield while(%false : tensor<i1>) last(%u : tensor<2x?xui8>)
  }
  return %r : tensor<2x?xui8>
}

// -----

// A concatenation that is declared to have elements cannot come from no iterations; that is checked at run time.

// CHECK-LABEL: @never_but_declared
func.func @never_but_declared(%n: tensor<i64>, %p: tensor<1x3xf32>) -> tensor<2x3xf32> {
  %false = ov.constant dense<false> : tensor<i1>
  // CHECK: ov.loop
  %r = ov.loop trip(%n : tensor<i64>) while(%false : tensor<i1>) concats(along 0 : tensor<2x3xf32>) {
    ov.yield while(%false : tensor<i1>) concat(%p : tensor<1x3xf32>)
  }
  return %r : tensor<2x3xf32>
}

// -----

// One iteration, because of the trip count, or because the body ends the loop, whatever the limit.

// CHECK-LABEL: @once
// CHECK-SAME: (%[[X:[^:]*]]: tensor<4x3xf32>, %[[S0:[^:]*]]: tensor<1x3xf32>)
func.func @once(%x: tensor<4x3xf32>, %s0: tensor<1x3xf32>)
    -> (tensor<1x3xf32>, tensor<i64>, tensor<?x3xf32>, tensor<2x3xf32>) {
  %one = ov.constant dense<1> : tensor<i64>
  %any = ov.constant dense<-1> : tensor<i64>
  %true = ov.constant dense<true> : tensor<i1>
  %false = ov.constant dense<false> : tensor<i1>
  // CHECK-NOT: ov.loop
  // CHECK-DAG: %[[INDEX:.*]] = ov.constant dense<0> : tensor<i64>
  // CHECK-DAG: %[[PART:.*]] = tensor.extract_slice %[[X]][0, 0] [1, 3] [1, 1]
  // CHECK-DAG: %[[T:.*]] = ov.add %[[PART]], %[[S0]]
  // CHECK-DAG: %[[CAST:.*]] = tensor.cast %[[T]] : tensor<1x3xf32> to tensor<?x3xf32>
  %r:3 = ov.loop trip(%one : tensor<i64>) while(%true : tensor<i1>) index(%i : tensor<i64>)
      slices(%a = %x along 0 [0:-1:1] part 1 : tensor<4x3xf32> to tensor<1x3xf32>)
      carried(%s = %s0 : tensor<1x3xf32>) last(tensor<i64>) concats(along 0 : tensor<?x3xf32>) {
    %t = ov.add %a, %s : (tensor<1x3xf32>, tensor<1x3xf32>) -> tensor<1x3xf32>
    ov.yield while(%true : tensor<i1>) next(%t : tensor<1x3xf32>) last(%i : tensor<i64>) concat(%t : tensor<1x3xf32>)
  }
  // Backward, the first part is the last of the tensor.
  // CHECK-DAG: %[[BACK:.*]] = tensor.extract_slice %[[X]][2, 0] [2, 3] [1, 1]
  %q = ov.loop trip(%any : tensor<i64>) while(%true : tensor<i1>)
      slices(%a = %x along 0 [-1:0:-2] part 2 : tensor<4x3xf32> to tensor<2x3xf32>) last(tensor<2x3xf32>) {
    ov.yield while(%false : tensor<i1>) last(%a : tensor<2x3xf32>)
  }
  // CHECK: return %[[T]], %[[INDEX]], %[[CAST]], %[[BACK]]
  return %r#0, %r#1, %r#2, %q : tensor<1x3xf32>, tensor<i64>, tensor<?x3xf32>, tensor<2x3xf32>
}

// -----

// CHECK-LABEL: @one_part
// CHECK-SAME: (%[[X:[^:]*]]: tensor<1x3xf32>, %[[S:[^:]*]]: tensor<1x3xf32>, %[[T:[^:]*]]: tensor<1x3xf32>)
func.func @one_part(%x: tensor<1x3xf32>, %s0: tensor<1x3xf32>, %t0: tensor<1x3xf32>)
    -> (tensor<1x3xf32>, tensor<1x3xf32>, tensor<1x3xf32>) {
  // CHECK-NEXT: return %[[T]], %[[S]], %[[X]]
  %r:3 = ov.tensor_iterator slices(%a = %x along 0 [0:-1:1] part 1 : tensor<1x3xf32> to tensor<1x3xf32>)
      carried(%s = %s0 : tensor<1x3xf32>, %t = %t0 : tensor<1x3xf32>) concats(along 0 : tensor<1x3xf32>) {
    ov.yield next(%t, %s : tensor<1x3xf32>, tensor<1x3xf32>) concat(%a : tensor<1x3xf32>)
  }
  return %r#0, %r#1, %r#2 : tensor<1x3xf32>, tensor<1x3xf32>, tensor<1x3xf32>
}

// -----

// The loop stays if the condition or trip count is known only at run time, the trip count is below -1 (a fault), the
// sliced shape is known only at run time, or a concatenation is declared longer than one part.

// CHECK-LABEL: @not_once
func.func @not_once(%c: tensor<i1>, %x: tensor<?xf32>, %p: tensor<1xf32>)
    -> (tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<5xf32>) {
  %one = ov.constant dense<1> : tensor<i64>
  %less = ov.constant dense<-2> : tensor<i64>
  %true = ov.constant dense<true> : tensor<i1>
  %false = ov.constant dense<false> : tensor<i1>
  // CHECK-COUNT-4: ov.loop
  %0 = ov.loop trip(%one : tensor<i64>) while(%c : tensor<i1>) carried(%s = %p : tensor<1xf32>) {
    %n = ov.exp %s : tensor<1xf32>
    ov.yield while(%true : tensor<i1>) next(%n : tensor<1xf32>)
  }
  %1 = ov.loop trip(%less : tensor<i64>) while(%true : tensor<i1>) carried(%s = %p : tensor<1xf32>) {
    %n = ov.exp %s : tensor<1xf32>
    ov.yield while(%false : tensor<i1>) next(%n : tensor<1xf32>)
  }
  %2 = ov.loop trip(%one : tensor<i64>) while(%true : tensor<i1>)
      slices(%a = %x along 0 [0:-1:1] part 1 : tensor<?xf32> to tensor<1xf32>) last(tensor<1xf32>) {
    ov.yield while(%true : tensor<i1>) last(%a : tensor<1xf32>)
  }
  %3 = ov.loop trip(%one : tensor<i64>) while(%true : tensor<i1>) concats(along 0 : tensor<5xf32>) {
    ov.yield while(%true : tensor<i1>) concat(%p : tensor<1xf32>)
  }
  return %0, %1, %2, %3 : tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<5xf32>
}

// -----

// Attributes that are not the op's own stay.

// CHECK-LABEL: @attributes
func.func @attributes(%x: tensor<4xf32>, %s0: tensor<1xf32>) -> tensor<1xf32> {
  // CHECK: ov.tensor_iterator {{.*}} attributes {note = "mine"}
  %r:2 = ov.tensor_iterator slices(%a = %x along 0 [0:-1:1] part 1 : tensor<4xf32> to tensor<1xf32>)
      carried(%s = %s0 : tensor<1xf32>) last(tensor<1xf32>) attributes {note = "mine"} {
    %n = ov.add %a, %s : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xf32>
    ov.yield next(%n : tensor<1xf32>) last(%a : tensor<1xf32>)
  }
  return %r#0 : tensor<1xf32>
}

// -----

// A carried value that no iteration reads becomes a last value, of the type that the body yields.
// CHECK-LABEL: @unread
func.func @unread(%x: tensor<4x2xf32>, %y0: tensor<1x1xf32>, %s0: tensor<1x2xf32>) -> (tensor<1x2xf32>, tensor<1x?xf32>) {
  %init = tensor.cast %y0 : tensor<1x1xf32> to tensor<1x?xf32>
  // CHECK: %[[R:.*]]:2 = ov.tensor_iterator slices({{.*}}) carried(%{{[^,]*}}) last(tensor<1x2xf32>) {
  // CHECK: %[[T:.*]] = ov.tanh
  // CHECK: ov.yield next(%{{.*}}) last(%[[T]] : tensor<1x2xf32>)
  // CHECK: %[[C:.*]] = tensor.cast %[[R]]#1 : tensor<1x2xf32> to tensor<1x?xf32>
  // CHECK: return %[[R]]#0, %[[C]]
  %r:2 = ov.tensor_iterator slices(%a = %x along 0 [0:-1:1] part 1 : tensor<4x2xf32> to tensor<1x2xf32>)
      carried(%s = %s0 : tensor<1x2xf32>, %y = %init : tensor<1x?xf32>) {
    %n = ov.add %a, %s : (tensor<1x2xf32>, tensor<1x2xf32>) -> tensor<1x2xf32>
    %t = ov.tanh %n : tensor<1x2xf32>
    %c = tensor.cast %t : tensor<1x2xf32> to tensor<1x?xf32>
    ov.yield next(%n, %c : tensor<1x2xf32>, tensor<1x?xf32>)
  }
  return %r#0, %r#1 : tensor<1x2xf32>, tensor<1x?xf32>
}

// -----

// A loop that may run zero times returns the initial value.
// CHECK-LABEL: @unread_may_not_run
func.func @unread_may_not_run(%n: tensor<i64>, %y0: tensor<2xf32>, %s0: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  %true = ov.constant dense<true> : tensor<i1>
  // CHECK: ov.loop {{.*}} carried(%{{[^,]*}}, %{{[^,]*}}) {
  %r:2 = ov.loop trip(%n : tensor<i64>) while(%true : tensor<i1>) carried(%s = %s0 : tensor<2xf32>, %y = %y0 : tensor<2xf32>) {
    %t = ov.tanh %s : tensor<2xf32>
    %u = ov.exp %t : tensor<2xf32>
    ov.yield while(%true : tensor<i1>) next(%t, %u : tensor<2xf32>, tensor<2xf32>)
  }
  return %r#0, %r#1 : tensor<2xf32>, tensor<2xf32>
}

// -----

// A list that TensorFlow reserved: its elements got their dims in the first iteration. Now they have them before it.
// CHECK-LABEL: @reserved_list
func.func @reserved_list(%c: tensor<i1>, %e: tensor<1x2xf32>, %i: tensor<1xi32>, %l0: tensor<3x1xf32>) -> tensor<3x?xf32> {
  %n = ov.constant dense<3> : tensor<i64>
  %true = ov.constant dense<true> : tensor<i1>
  %axis = ov.constant dense<0> : tensor<i64>
  %init = tensor.cast %l0 : tensor<3x1xf32> to tensor<3x?xf32>
  // CHECK: %[[B:.*]] = ov.broadcast %{{.*}}, %{{.*}} : ({{.*}}) -> tensor<3x2xf32>
  // CHECK: %[[R:.*]] = ov.loop {{.*}} carried(%[[L:.*]] = %[[B]] : tensor<3x2xf32>) {
  // CHECK-NOT: ov.broadcast
  // CHECK: %[[S:.*]] = ov.scatter_update %[[L]],
  // CHECK: ov.yield {{.*}} next(%[[S]] : tensor<3x2xf32>)
  // CHECK: tensor.cast %[[R]] : tensor<3x2xf32> to tensor<3x?xf32>
  %r = ov.loop trip(%n : tensor<i64>) while(%true : tensor<i1>) carried(%l = %init : tensor<3x?xf32>) {
    %shape = ov.constant dense<[3, 2]> : tensor<2xi64>
    %b = ov.broadcast %l, %shape : (tensor<3x?xf32>, tensor<2xi64>) -> tensor<3x2xf32>
    %s = ov.scatter_update %b, %i, %e, %axis : (tensor<3x2xf32>, tensor<1xi32>, tensor<1x2xf32>, tensor<i64>) -> tensor<3x2xf32>
    %next = tensor.cast %s : tensor<3x2xf32> to tensor<3x?xf32>
    ov.yield while(%c : tensor<i1>) next(%next : tensor<3x?xf32>)
  }
  return %r : tensor<3x?xf32>
}

// -----

// A loop that may run zero times returns the list unchanged.
// CHECK-LABEL: @reserved_list_may_not_run
func.func @reserved_list_may_not_run(%c: tensor<i1>, %l0: tensor<3x1xf32>) -> tensor<3x?xf32> {
  %n = ov.constant dense<3> : tensor<i64>
  %shape = ov.constant dense<[3, 2]> : tensor<2xi64>
  %init = tensor.cast %l0 : tensor<3x1xf32> to tensor<3x?xf32>
  // CHECK: ov.loop
  // CHECK: ov.broadcast
  %r = ov.loop trip(%n : tensor<i64>) while(%c : tensor<i1>) carried(%l = %init : tensor<3x?xf32>) {
    %b = ov.broadcast %l, %shape : (tensor<3x?xf32>, tensor<2xi64>) -> tensor<3x2xf32>
    %s = ov.tanh %b : tensor<3x2xf32>
    %next = tensor.cast %s : tensor<3x2xf32> to tensor<3x?xf32>
    ov.yield while(%c : tensor<i1>) next(%next : tensor<3x?xf32>)
  }
  return %r : tensor<3x?xf32>
}

// -----

// The broadcast itself is the next value.
// CHECK-LABEL: @next_is_broadcast
func.func @next_is_broadcast(%c: tensor<i1>, %l0: tensor<3x1xf32>) -> (tensor<3x?xf32>, tensor<?xi1>) {
  %n = ov.constant dense<3> : tensor<i64>
  %true = ov.constant dense<true> : tensor<i1>
  %axis = ov.constant dense<0> : tensor<1xi64>
  %shape = ov.constant dense<[3, 2]> : tensor<2xi64>
  %init = tensor.cast %l0 : tensor<3x1xf32> to tensor<3x?xf32>
  // CHECK: %[[B:.*]] = ov.broadcast
  // CHECK: ov.loop
  // CHECK-NOT: ov.broadcast
  // CHECK: %[[R:.*]] = tensor.cast %[[B]] : tensor<3x2xf32> to tensor<3x?xf32>
  // CHECK: return %[[R]]
  %r:2 = ov.loop trip(%n : tensor<i64>) while(%true : tensor<i1>) carried(%l = %init : tensor<3x?xf32>)
      concats(along 0 : tensor<?xi1>) {
    %b = ov.broadcast %l, %shape : (tensor<3x?xf32>, tensor<2xi64>) -> tensor<3x2xf32>
    %next = tensor.cast %b : tensor<3x2xf32> to tensor<3x?xf32>
    %u = ov.unsqueeze %c, %axis : (tensor<i1>, tensor<1xi64>) -> tensor<1xi1>
    ov.yield while(%c : tensor<i1>) next(%next : tensor<3x?xf32>) concat(%u : tensor<1xi1>)
  }
  return %r#0, %r#1 : tensor<3x?xf32>, tensor<?xi1>
}

// Dims after no iteration go with the result that they are for.
// CHECK-LABEL: @drop_result_with_empty_dims
// CHECK-SAME: tensor<2xi64>, %[[D:.*]]: tensor<2xi64>)
func.func @drop_result_with_empty_dims(%n: tensor<i64>, %p: tensor<1x?xf32>, %c: tensor<2xi64>, %d: tensor<2xi64>)
    -> tensor<?x?xf32> {
  %true = ov.constant dense<true> : tensor<i1>
  // CHECK: ov.loop {{.*}} concats(along 0 : tensor<?x?xf32>) empty(%[[D]] : tensor<2xi64>) {
  %0:2 = ov.loop trip(%n : tensor<i64>) while(%true : tensor<i1>) last(tensor<1x?xf32>)
      concats(along 0 : tensor<?x?xf32>) empty(%c : tensor<2xi64>, %d : tensor<2xi64>) {
    ov.yield while(%true : tensor<i1>) last(%p : tensor<1x?xf32>) concat(%p : tensor<1x?xf32>)
  }
  return %0#1 : tensor<?x?xf32>
}

// A loop that runs needs none.
// CHECK-LABEL: @drop_empty_dims
func.func @drop_empty_dims(%p: tensor<1x?xf32>, %d: tensor<2xi64>) -> tensor<?x?xf32> {
  %true = ov.constant dense<true> : tensor<i1>
  %n = ov.constant dense<4> : tensor<i64>
  // CHECK: ov.loop {{.*}} concats(along 0 : tensor<?x?xf32>) {
  %0 = ov.loop trip(%n : tensor<i64>) while(%true : tensor<i1>) concats(along 0 : tensor<?x?xf32>)
      empty(%d : tensor<2xi64>) {
    ov.yield while(%true : tensor<i1>) concat(%p : tensor<1x?xf32>)
  }
  return %0 : tensor<?x?xf32>
}

// Equal results are one, unless they have other dims after no iteration.
// CHECK-LABEL: @merge_with_empty_dims
// CHECK-SAME: %[[C:[^:]*]]: tensor<2xi64>, %[[D:[^:]*]]: tensor<2xi64>)
func.func @merge_with_empty_dims(%n: tensor<i64>, %p: tensor<1x?xf32>, %c: tensor<2xi64>, %d: tensor<2xi64>)
    -> (tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>) {
  %true = ov.constant dense<true> : tensor<i1>
  // CHECK: %[[R:.*]]:2 = ov.loop {{.*}} empty(%[[C]] : tensor<2xi64>, %[[D]] : tensor<2xi64>) {
  // CHECK: return %[[R]]#0, %[[R]]#1, %[[R]]#0
  %0:3 = ov.loop trip(%n : tensor<i64>) while(%true : tensor<i1>)
      concats(along 0 : tensor<?x?xf32>, along 0 : tensor<?x?xf32>, along 0 : tensor<?x?xf32>)
      empty(%c : tensor<2xi64>, %d : tensor<2xi64>, %c : tensor<2xi64>) {
    ov.yield while(%true : tensor<i1>) concat(%p, %p, %p : tensor<1x?xf32>, tensor<1x?xf32>, tensor<1x?xf32>)
  }
  return %0#0, %0#1, %0#2 : tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>
}
