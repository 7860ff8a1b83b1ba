// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s --ov-raise-loops --canonicalize --cse --split-input-file | FileCheck %s

// TensorFlow's list starts with dims of 1, and is broadcast to the dims of an element in every iteration.
// CHECK-LABEL: @tensor_list
func.func @tensor_list(%x: tensor<6x7xf32>) -> tensor<6x?xf32> {
  %unlimited = ov.constant dense<-1> : tensor<i32>
  %true = ov.constant dense<true> : tensor<i1>
  %zero = ov.constant dense<0> : tensor<i32>
  %one = ov.constant dense<1> : tensor<i32>
  %six = ov.constant dense<6> : tensor<i32>
  %axis = ov.constant dense<0> : tensor<1xi32>
  %flat = ov.constant dense<-1> : tensor<1xi64>
  %dims = ov.constant dense<[6, 7]> : tensor<2xi32>
  %empty = ov.constant dense<0.0> : tensor<6x1xf32>
  %list0 = tensor.cast %empty : tensor<6x1xf32> to tensor<6x?xf32>
  // CHECK: %[[R:.*]] = ov.loop trip({{.*}}) while({{.*}}) slices({{[^)]*}})
  // CHECK-SAME: concats(along 0 : tensor<6x7xf32>)
  // CHECK-NOT: ov.broadcast
  // CHECK-NOT: ov.scatter_update
  // CHECK: }
  // CHECK: tensor.cast %[[R]] : tensor<6x7xf32> to tensor<6x?xf32>
  %r:2 = ov.loop trip(%unlimited : tensor<i32>) while(%true : tensor<i1>)
      carried(%i = %zero : tensor<i32>, %list = %list0 : tensor<6x?xf32>) {
    %whole = ov.broadcast %list, %dims : (tensor<6x?xf32>, tensor<2xi32>) -> tensor<6x7xf32>
    %at = ov.reshape %i, %flat : (tensor<i32>, tensor<1xi64>) -> tensor<1xi32>
    %x_i = ov.gather %x, %i, %axis : (tensor<6x7xf32>, tensor<i32>, tensor<1xi32>) -> tensor<7xf32>
    %y_i = ov.tanh %x_i : tensor<7xf32>
    %row = ov.unsqueeze %y_i, %axis : (tensor<7xf32>, tensor<1xi32>) -> tensor<1x7xf32>
    %next = ov.scatter_update %whole, %at, %row, %axis : (tensor<6x7xf32>, tensor<1xi32>, tensor<1x7xf32>, tensor<1xi32>) -> tensor<6x7xf32>
    %i1 = ov.add %i, %one : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %c = ov.less %i1, %six : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %list1 = tensor.cast %next : tensor<6x7xf32> to tensor<6x?xf32>
    ov.yield while(%c : tensor<i1>) next(%i1, %list1 : tensor<i32>, tensor<6x?xf32>)
  }
  return %r#1 : tensor<6x?xf32>
}

// -----

// The length is known at run time only, and may be 0: then the list keeps the dims of 1.
// CHECK-LABEL: @tensor_list_dynamic
func.func @tensor_list_dynamic(%x: tensor<?x7xf32>) -> tensor<?x?xf32> {
  %unlimited = ov.constant dense<-1> : tensor<i32>
  %zero = ov.constant dense<0> : tensor<i32>
  %one = ov.constant dense<1> : tensor<i32>
  %one1 = ov.constant dense<1> : tensor<1xi32>
  %seven = ov.constant dense<7> : tensor<1xi32>
  %axis = ov.constant dense<0> : tensor<1xi32>
  %first = ov.constant dense<0> : tensor<1xi64>
  %flat = ov.constant dense<-1> : tensor<1xi64>
  %f0 = ov.constant dense<0.0> : tensor<f32>
  %shape = ov.shape_of %x {output_type = i32} : (tensor<?x7xf32>) -> tensor<2xi32>
  %n = ov.gather %shape, %zero, %axis : (tensor<2xi32>, tensor<i32>, tensor<1xi32>) -> tensor<i32>
  %n1 = ov.reshape %n, %flat : (tensor<i32>, tensor<1xi64>) -> tensor<1xi32>
  %dims0 = ov.concat %n1, %one1 {axis = 0 : i64} : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %empty = ov.broadcast %f0, %dims0 : (tensor<f32>, tensor<2xi32>) -> tensor<?x1xf32>
  %list0 = tensor.cast %empty : tensor<?x1xf32> to tensor<?x?xf32>
  %some = ov.less %zero, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
  // CHECK: %[[R:.*]] = ov.loop trip({{.*}}) while({{.*}}) slices({{[^)]*}})
  // CHECK-SAME: concats(along 0 : tensor<?x7xf32>)
  // CHECK-NOT: ov.scatter_update
  // CHECK: }
  // CHECK: %[[SHAPE:.*]] = ov.shape_of %[[R]]
  // CHECK: %[[N:.*]] = ov.gather %[[SHAPE]]
  // CHECK: %[[SOME:.*]] = ov.minimum %[[N]]
  // CHECK: %[[NONE:.*]] = ov.subtract %{{.*}}, %[[SOME]]
  // CHECK: %[[DIM:.*]] = ov.add
  // CHECK: %[[DIMS:.*]] = ov.concat %[[N]], %[[DIM]]
  // CHECK: ov.reshape %[[R]], %[[DIMS]]
  %r:2 = ov.loop trip(%unlimited : tensor<i32>) while(%some : tensor<i1>)
      carried(%i = %zero : tensor<i32>, %list = %list0 : tensor<?x?xf32>) {
    %now = ov.shape_of %list {output_type = i32} : (tensor<?x?xf32>) -> tensor<2xi32>
    %length = ov.gather %now, %first, %axis : (tensor<2xi32>, tensor<1xi64>, tensor<1xi32>) -> tensor<1xi32>
    %dims = ov.concat %length, %seven {axis = 0 : i64} : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
    %whole = ov.broadcast %list, %dims : (tensor<?x?xf32>, tensor<2xi32>) -> tensor<?x7xf32>
    %x_i = ov.gather %x, %i, %axis : (tensor<?x7xf32>, tensor<i32>, tensor<1xi32>) -> tensor<7xf32>
    %y_i = ov.tanh %x_i : tensor<7xf32>
    %next = ov.scatter_update %whole, %i, %y_i, %axis : (tensor<?x7xf32>, tensor<i32>, tensor<7xf32>, tensor<1xi32>) -> tensor<?x7xf32>
    %i1 = ov.add %i, %one : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %c = ov.less %i1, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %list1 = tensor.cast %next : tensor<?x7xf32> to tensor<?x?xf32>
    ov.yield while(%c : tensor<i1>) next(%i1, %list1 : tensor<i32>, tensor<?x?xf32>)
  }
  return %r#1 : tensor<?x?xf32>
}

// -----

// Keras with a dynamic batch: dims of elements that are known at run time only are those of a state, which are those of
// the input in every iteration.
// CHECK-LABEL: @tensor_list_batch
func.func @tensor_list_batch(%x: tensor<?x?x4xf32>, %w: tensor<4x4xf32>) -> tensor<?x?x?xf32> {
  %true = ov.constant dense<true> : tensor<i1>
  %zero = ov.constant dense<0> : tensor<i64>
  %one = ov.constant dense<1> : tensor<i64>
  %ones = ov.constant dense<1> : tensor<2xi64>
  %four = ov.constant dense<4> : tensor<1xi64>
  %axis = ov.constant dense<0> : tensor<1xi64>
  %second = ov.constant dense<1> : tensor<1xi64>
  %order = ov.constant dense<[1, 0, 2]> : tensor<3xi64>
  %f0 = ov.constant dense<0.0> : tensor<f32>
  %shape = ov.shape_of %x {output_type = i64} : (tensor<?x?x4xf32>) -> tensor<3xi64>
  %batch = ov.gather %shape, %axis, %zero : (tensor<3xi64>, tensor<1xi64>, tensor<i64>) -> tensor<1xi64>
  %n = ov.gather %shape, %second, %zero : (tensor<3xi64>, tensor<1xi64>, tensor<i64>) -> tensor<1xi64>
  %state_dims = ov.concat %batch, %four {axis = 0 : i64} : (tensor<1xi64>, tensor<1xi64>) -> tensor<2xi64>
  %s0 = ov.broadcast %f0, %state_dims : (tensor<f32>, tensor<2xi64>) -> tensor<?x4xf32>
  %list_dims = ov.concat %n, %ones {axis = 0 : i64} : (tensor<1xi64>, tensor<2xi64>) -> tensor<3xi64>
  %empty = ov.broadcast %f0, %list_dims : (tensor<f32>, tensor<3xi64>) -> tensor<?x1x1xf32>
  %list0 = tensor.cast %empty : tensor<?x1x1xf32> to tensor<?x?x?xf32>
  %major = ov.transpose %x, %order : (tensor<?x?x4xf32>, tensor<3xi64>) -> tensor<?x?x4xf32>
  // CHECK: %[[R:.*]]:2 = ov.loop {{.*}} concats(along 0 : tensor<?x?x4xf32>)
  // CHECK-NOT: ov.scatter_update
  // CHECK: ov.yield
  // CHECK: ov.reshape %[[R]]#1
  %r:2 = ov.loop trip(%n : tensor<1xi64>) while(%true : tensor<i1>) index(%i : tensor<i64>)
      carried(%s = %s0 : tensor<?x4xf32>, %list = %list0 : tensor<?x?x?xf32>) {
    %x_i = ov.gather %major, %i, %zero : (tensor<?x?x4xf32>, tensor<i64>, tensor<i64>) -> tensor<?x4xf32>
    %p = ov.matmul %s, %w : (tensor<?x4xf32>, tensor<4x4xf32>) -> tensor<?x4xf32>
    %sum = ov.add %x_i, %p : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
    %t = ov.tanh %sum : tensor<?x4xf32>
    %now = ov.shape_of %list {output_type = i64} : (tensor<?x?x?xf32>) -> tensor<3xi64>
    %length = ov.gather %now, %axis, %zero : (tensor<3xi64>, tensor<1xi64>, tensor<i64>) -> tensor<1xi64>
    %own = ov.shape_of %t {output_type = i64} : (tensor<?x4xf32>) -> tensor<2xi64>
    %dims = ov.concat %length, %own {axis = 0 : i64} : (tensor<1xi64>, tensor<2xi64>) -> tensor<3xi64>
    %whole = ov.broadcast %list, %dims : (tensor<?x?x?xf32>, tensor<3xi64>) -> tensor<?x?x4xf32>
    %next = ov.scatter_update %whole, %i, %t, %zero : (tensor<?x?x4xf32>, tensor<i64>, tensor<?x4xf32>, tensor<i64>) -> tensor<?x?x4xf32>
    %list1 = tensor.cast %next : tensor<?x?x4xf32> to tensor<?x?x?xf32>
    ov.yield while(%true : tensor<i1>) next(%t, %list1 : tensor<?x4xf32>, tensor<?x?x?xf32>)
  }
  return %r#1 : tensor<?x?x?xf32>
}

// -----

// The state may have one row at first and more later. So the first element may also have one row, which is repeated.
// CHECK-LABEL: @not_batch_grows
func.func @not_batch_grows(%x: tensor<?x4xf32>, %s0: tensor<?x4xf32>) -> tensor<5x?x?xf32> {
  %true = ov.constant dense<true> : tensor<i1>
  %zero = ov.constant dense<0> : tensor<i64>
  %five = ov.constant dense<5> : tensor<i64>
  %five1 = ov.constant dense<5> : tensor<1xi64>
  %empty = ov.constant dense<0.0> : tensor<5x1x1xf32>
  %list0 = tensor.cast %empty : tensor<5x1x1xf32> to tensor<5x?x?xf32>
  // CHECK: ov.loop
  // CHECK-NOT: concats
  // CHECK: ov.scatter_update
  %r:2 = ov.loop trip(%five : tensor<i64>) while(%true : tensor<i1>) index(%i : tensor<i64>)
      carried(%s = %s0 : tensor<?x4xf32>, %list = %list0 : tensor<5x?x?xf32>) {
    %t = ov.add %x, %s : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
    %own = ov.shape_of %s {output_type = i64} : (tensor<?x4xf32>) -> tensor<2xi64>
    %dims = ov.concat %five1, %own {axis = 0 : i64} : (tensor<1xi64>, tensor<2xi64>) -> tensor<3xi64>
    %whole = ov.broadcast %list, %dims : (tensor<5x?x?xf32>, tensor<3xi64>) -> tensor<5x?x4xf32>
    %next = ov.scatter_update %whole, %i, %s, %zero : (tensor<5x?x4xf32>, tensor<i64>, tensor<?x4xf32>, tensor<i64>) -> tensor<5x?x4xf32>
    %list1 = tensor.cast %next : tensor<5x?x4xf32> to tensor<5x?x?xf32>
    ov.yield while(%true : tensor<i1>) next(%t, %list1 : tensor<?x4xf32>, tensor<5x?x?xf32>)
  }
  return %r#1 : tensor<5x?x?xf32>
}

// -----

// A list of one element that every iteration replaces becomes a last value.
// CHECK-LABEL: @last_only
func.func @last_only(%s0: tensor<2x4xf32>) -> tensor<1x2x?xf32> {
  %true = ov.constant dense<true> : tensor<i1>
  %five = ov.constant dense<5> : tensor<i64>
  %axis = ov.constant dense<0> : tensor<1xi32>
  %dims = ov.constant dense<[1, 2, 4]> : tensor<3xi32>
  %empty = ov.constant dense<0.0> : tensor<1x1x1xf32>
  %list0 = tensor.cast %empty : tensor<1x1x1xf32> to tensor<1x?x?xf32>
  // CHECK: ov.loop {{.*}} carried({{[^,]*}}) last(tensor<1x2x4xf32>)
  // CHECK-NOT: ov.broadcast
  // CHECK-NOT: ov.scatter_update
  // CHECK: ov.yield while({{.*}}) next({{.*}}) last(%{{.*}} : tensor<1x2x4xf32>)
  %r:2 = ov.loop trip(%five : tensor<i64>) while(%true : tensor<i1>)
      carried(%s = %s0 : tensor<2x4xf32>, %list = %list0 : tensor<1x?x?xf32>) {
    %t = ov.tanh %s : tensor<2x4xf32>
    %whole = ov.broadcast %list, %dims : (tensor<1x?x?xf32>, tensor<3xi32>) -> tensor<1x2x4xf32>
    %row = ov.unsqueeze %t, %axis : (tensor<2x4xf32>, tensor<1xi32>) -> tensor<1x2x4xf32>
    %next = ov.scatter_update %whole, %axis, %row, %axis : (tensor<1x2x4xf32>, tensor<1xi32>, tensor<1x2x4xf32>, tensor<1xi32>) -> tensor<1x2x4xf32>
    %list1 = tensor.cast %next : tensor<1x2x4xf32> to tensor<1x?x?xf32>
    ov.yield while(%true : tensor<i1>) next(%t, %list1 : tensor<2x4xf32>, tensor<1x?x?xf32>)
  }
  %cast = tensor.cast %r#1 : tensor<1x?x?xf32> to tensor<1x2x?xf32>
  return %cast : tensor<1x2x?xf32>
}

// -----

// Scripted PyTorch's `y[:, i] = x`: a scatter of elements to the flat list, at indices that a range holds.
// CHECK-LABEL: @elements
func.func @elements(%x: tensor<2x8xf32>, %y0: tensor<2x8xf32>) -> tensor<2x8xf32> {
  %true = ov.constant dense<true> : tensor<i1>
  %zero = ov.constant dense<0> : tensor<i64>
  %one = ov.constant dense<1> : tensor<i64>
  %eight = ov.constant dense<8> : tensor<i64>
  %sixteen = ov.constant dense<16> : tensor<i64>
  %flat = ov.constant dense<-1> : tensor<1xi64>
  %column = ov.constant dense<[-1, 1]> : tensor<2xi64>
  %dims = ov.constant dense<[2, 8]> : tensor<2xi64>
  // CHECK: ov.loop {{.*}} concats(along 1 : tensor<2x8xf32>)
  // CHECK-NOT: ov.scatter
  // CHECK: %[[PART:.*]] = ov.unsqueeze %{{.*}} -> tensor<2x1xf32>
  // CHECK: ov.yield while(%{{.*}}) concat(%[[PART]] : tensor<2x1xf32>)
  %r = ov.loop trip(%eight : tensor<i64>) while(%true : tensor<i1>) index(%i : tensor<i64>) carried(%y = %y0 : tensor<2x8xf32>) {
    %x_i = ov.gather %x, %i, %one : (tensor<2x8xf32>, tensor<i64>, tensor<i64>) -> tensor<2xf32>
    %t = ov.tanh %x_i : tensor<2xf32>
    %all = ov.reshape %y, %flat : (tensor<2x8xf32>, tensor<1xi64>) -> tensor<16xf32>
    %range = ov.range %zero, %sixteen, %one {output_type = i64} : (tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<?xi64>
    %places = ov.reshape %range, %dims : (tensor<?xi64>, tensor<2xi64>) -> tensor<2x8xi64>
    %taken = ov.gather %places, %i, %one : (tensor<2x8xi64>, tensor<i64>, tensor<i64>) -> tensor<2xi64>
    %indices = ov.reshape %taken, %column : (tensor<2xi64>, tensor<2xi64>) -> tensor<2x1xi64>
    %next = ov.scatter_nd_update %all, %indices, %t : (tensor<16xf32>, tensor<2x1xi64>, tensor<2xf32>) -> tensor<16xf32>
    %y1 = ov.reshape %next, %dims : (tensor<16xf32>, tensor<2xi64>) -> tensor<2x8xf32>
    ov.yield while(%true : tensor<i1>) next(%y1 : tensor<2x8xf32>)
  }
  return %r : tensor<2x8xf32>
}

// -----

// The dims of the elements may differ between iterations: if those of one were 1, they are repeated.
// CHECK-LABEL: @not_elements_vary
func.func @not_elements_vary(%sizes: tensor<6xi64>) -> tensor<6x?xf32> {
  %true = ov.constant dense<true> : tensor<i1>
  %six = ov.constant dense<6> : tensor<i64>
  %six1 = ov.constant dense<6> : tensor<1xi64>
  %axis = ov.constant dense<0> : tensor<i64>
  %axes = ov.constant dense<0> : tensor<1xi64>
  %f0 = ov.constant dense<0.0> : tensor<f32>
  %empty = ov.constant dense<0.0> : tensor<6x1xf32>
  %list0 = tensor.cast %empty : tensor<6x1xf32> to tensor<6x?xf32>
  // CHECK: ov.loop
  // CHECK-NOT: concats
  // CHECK: ov.scatter_update
  %r = ov.loop trip(%six : tensor<i64>) while(%true : tensor<i1>) index(%i : tensor<i64>) carried(%list = %list0 : tensor<6x?xf32>) {
    %size = ov.gather %sizes, %i, %axis : (tensor<6xi64>, tensor<i64>, tensor<i64>) -> tensor<i64>
    %size1 = ov.unsqueeze %size, %axes : (tensor<i64>, tensor<1xi64>) -> tensor<1xi64>
    %row = ov.broadcast %f0, %size1 : (tensor<f32>, tensor<1xi64>) -> tensor<?xf32>
    %dims = ov.concat %six1, %size1 {axis = 0 : i64} : (tensor<1xi64>, tensor<1xi64>) -> tensor<2xi64>
    %whole = ov.broadcast %list, %dims : (tensor<6x?xf32>, tensor<2xi64>) -> tensor<6x?xf32>
    %next = ov.scatter_update %whole, %i, %row, %axis : (tensor<6x?xf32>, tensor<i64>, tensor<?xf32>, tensor<i64>) -> tensor<6x?xf32>
    ov.yield while(%true : tensor<i1>) next(%next : tensor<6x?xf32>)
  }
  return %r : tensor<6x?xf32>
}

// -----

// Not raised: the length of the list has other uses; the initial value's dims do not broadcast.
// CHECK-LABEL: @not_read
func.func @not_read(%empty: tensor<6x1xf32>, %wrong: tensor<6x?xf32>, %row: tensor<7xf32>) -> (tensor<6x?xf32>, tensor<6x?xf32>, tensor<2xi64>) {
  %true = ov.constant dense<true> : tensor<i1>
  %six = ov.constant dense<6> : tensor<i64>
  %axis = ov.constant dense<0> : tensor<i64>
  %dims = ov.constant dense<[6, 7]> : tensor<2xi64>
  %list0 = tensor.cast %empty : tensor<6x1xf32> to tensor<6x?xf32>
  // CHECK: ov.loop
  // CHECK-NOT: concats
  // CHECK: ov.scatter_update
  // CHECK: ov.scatter_update
  %r:3 = ov.loop trip(%six : tensor<i64>) while(%true : tensor<i1>) index(%i : tensor<i64>)
      carried(%list = %list0 : tensor<6x?xf32>, %other = %wrong : tensor<6x?xf32>) last(tensor<2xi64>) {
    %shape = ov.shape_of %list {output_type = i64} : (tensor<6x?xf32>) -> tensor<2xi64>
    %a = ov.broadcast %list, %dims : (tensor<6x?xf32>, tensor<2xi64>) -> tensor<6x7xf32>
    %b = ov.broadcast %other, %dims : (tensor<6x?xf32>, tensor<2xi64>) -> tensor<6x7xf32>
    %c = ov.scatter_update %a, %i, %row, %axis : (tensor<6x7xf32>, tensor<i64>, tensor<7xf32>, tensor<i64>) -> tensor<6x7xf32>
    %d = ov.scatter_update %b, %i, %row, %axis : (tensor<6x7xf32>, tensor<i64>, tensor<7xf32>, tensor<i64>) -> tensor<6x7xf32>
    %next = tensor.cast %c : tensor<6x7xf32> to tensor<6x?xf32>
    %next2 = tensor.cast %d : tensor<6x7xf32> to tensor<6x?xf32>
    ov.yield while(%true : tensor<i1>) next(%next, %next2 : tensor<6x?xf32>, tensor<6x?xf32>) last(%shape : tensor<2xi64>)
  }
  return %r#0, %r#1, %r#2 : tensor<6x?xf32>, tensor<6x?xf32>, tensor<2xi64>
}

// -----

// Not raised: an element that is not replaced, an index that does not move, indices that are not those of a slice.
// CHECK-LABEL: @not_slices
func.func @not_slices(%x: tensor<2x8xf32>, %y0: tensor<2x8xf32>, %t: tensor<2xf32>, %where: tensor<2x8xi64>) -> (tensor<2x8xf32>, tensor<2x8xf32>) {
  %true = ov.constant dense<true> : tensor<i1>
  %one = ov.constant dense<1> : tensor<i64>
  %eight = ov.constant dense<8> : tensor<i64>
  %flat = ov.constant dense<-1> : tensor<1xi64>
  %column = ov.constant dense<[-1, 1]> : tensor<2xi64>
  %dims = ov.constant dense<[2, 8]> : tensor<2xi64>
  // CHECK: ov.loop
  // CHECK-NOT: concats
  // CHECK: ov.scatter_nd_update
  // CHECK: ov.scatter_update
  %r:2 = ov.loop trip(%eight : tensor<i64>) while(%true : tensor<i1>) index(%i : tensor<i64>)
      carried(%y = %y0 : tensor<2x8xf32>, %z = %y0 : tensor<2x8xf32>) {
    %all = ov.reshape %y, %flat : (tensor<2x8xf32>, tensor<1xi64>) -> tensor<16xf32>
    %taken = ov.gather %where, %i, %one : (tensor<2x8xi64>, tensor<i64>, tensor<i64>) -> tensor<2xi64>
    %indices = ov.reshape %taken, %column : (tensor<2xi64>, tensor<2xi64>) -> tensor<2x1xi64>
    %next = ov.scatter_nd_update %all, %indices, %t : (tensor<16xf32>, tensor<2x1xi64>, tensor<2xf32>) -> tensor<16xf32>
    %y1 = ov.reshape %next, %dims : (tensor<16xf32>, tensor<2xi64>) -> tensor<2x8xf32>
    %z1 = ov.scatter_update %z, %one, %t, %one : (tensor<2x8xf32>, tensor<i64>, tensor<2xf32>, tensor<i64>) -> tensor<2x8xf32>
    ov.yield while(%true : tensor<i1>) next(%y1, %z1 : tensor<2x8xf32>, tensor<2x8xf32>)
  }
  return %r#0, %r#1 : tensor<2x8xf32>, tensor<2x8xf32>
}
