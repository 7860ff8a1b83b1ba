// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s --convert-ov-to-linalg --canonicalize --cse | FileCheck %s

// For k = 1 a reduction finds the best element of a row, and another one the first that is equal to it. If the axis may
// be empty, the element is read after the check.
// CHECK-LABEL: @best
func.func @best(%x: tensor<2x?xf32>) -> (tensor<2x1xf32>, tensor<2x1xi32>) {
  %k = ov.constant dense<1> : tensor<i64>
  // CHECK: %[[C:.*]]:2 = rt.check %{{.*}}, index, "k is {0}, but the axis has {1} elements"
  // CHECK: linalg.generic {{.*}}"reduction"
  // CHECK: arith.maximumf {{.*}} fastmath<nsz>
  // CHECK: linalg.generic {{.*}}"reduction"
  // NaN is greater than any number.
  // CHECK: %[[E:.*]] = arith.cmpf oeq
  // CHECK: %[[N:.*]] = arith.cmpf uno
  // CHECK: arith.ori %[[E]], %[[N]]
  // CHECK: arith.minsi
  // CHECK: scf.for
  // CHECK: %[[P:.*]] = arith.select %{{.*}}, %{{.*}}, %[[C]]#1
  // CHECK: tensor.extract %{{.*}}[%{{.*}}, %[[P]]]
  // CHECK-NOT: scf.while
  // CHECK: return
  %0, %1 = ov.topk %x, %k {axis = 1, mode = #ov.topk_mode<max>, sort = #ov.topk_sort<value>, index_element_type = i32}
    : (tensor<2x?xf32>, tensor<i64>) -> (tensor<2x1xf32>, tensor<2x1xi32>)
  return %0, %1 : tensor<2x1xf32>, tensor<2x1xi32>
}

// A minimum ignores NaN. The index is counted in i32 if the axis is static.
// CHECK-LABEL: @least
func.func @least(%x: tensor<2x9xf16>) -> (tensor<2x1xf16>, tensor<2x1xi64>) {
  %k = ov.constant dense<1> : tensor<i64>
  // CHECK: arith.minnumf {{.*}} fastmath<nsz> : f32
  // CHECK-NOT: arith.cmpf uno
  // CHECK: arith.minsi {{.*}} : i32
  %0, %1 = ov.topk %x, %k {axis = 1, mode = #ov.topk_mode<min>, sort = #ov.topk_sort<value>, index_element_type = i64}
    : (tensor<2x9xf16>, tensor<i64>) -> (tensor<2x1xf16>, tensor<2x1xi64>)
  return %0, %1 : tensor<2x1xf16>, tensor<2x1xi64>
}

// So it is for an outer axis: many rows are then reduced at once.
// CHECK-LABEL: @outer
func.func @outer(%x: tensor<4x2xf32>) -> (tensor<1x2xf32>, tensor<1x2xi32>) {
  %k = ov.constant dense<1> : tensor<i64>
  // CHECK: linalg.generic {{.*}}iterator_types = ["reduction", "parallel"]
  // CHECK: arith.maximumf
  // CHECK: linalg.generic {{.*}}iterator_types = ["reduction", "parallel"]
  // CHECK: arith.minsi
  // CHECK-NOT: scf.while
  // CHECK: return
  %0, %1 = ov.topk %x, %k {axis = 0, mode = #ov.topk_mode<max>, sort = #ov.topk_sort<value>, index_element_type = i32}
    : (tensor<4x2xf32>, tensor<i64>) -> (tensor<1x2xf32>, tensor<1x2xi32>)
  return %0, %1 : tensor<1x2xf32>, tensor<1x2xi32>
}

// Along the last axis a vector of elements is compared with the k-th best so far. Each one that is better is inserted
// into the row, whose places are lanes.
// CHECK-LABEL: @rows
func.func @rows(%x: tensor<3x40xui8>) -> (tensor<3x4xui8>, tensor<3x4xi64>) {
  %k = ov.constant dense<4> : tensor<i64>
  // CHECK-NOT: rt.check
  // CHECK-DAG: tensor.empty() : tensor<3x4xi8>
  // CHECK-DAG: tensor.empty() : tensor<3x4xi64>
  // A row of as many vectors as have k lanes.
  // CHECK-DAG: tensor.empty() : tensor<16xi8>
  // CHECK-DAG: tensor.empty() : tensor<16xi32>
  // CHECK: scf.for
  // CHECK: scf.for
  // CHECK: %[[V:.*]] = vector.transfer_read {{.*}} : tensor<3x40xi8>, vector<16xi8>
  // CHECK: %[[L:.*]] = tensor.extract %{{.*}}[%c3] : tensor<16xi8>
  // CHECK: arith.cmpi ult, %[[V]], %{{.*}} : vector<16xi8>
  // The lanes behind the end of the row are not inserted.
  // CHECK: arith.andi {{.*}} : vector<16xi1>
  // CHECK: vector.bitcast %{{.*}} : vector<16xi1> to vector<1xi16>
  // CHECK: scf.while
  // CHECK: math.cttz
  // CHECK: vector.shuffle {{.*}} : vector<16xi8>, vector<16xi8>
  // CHECK: vector.shuffle {{.*}} : vector<16xi32>, vector<16xi32>
  // CHECK: arith.select {{.*}} : vector<16xi1>, vector<16xi8>
  // The results are elements of the input.
  // CHECK: %[[I:.*]] = arith.index_cast %{{.*}} : i32 to index
  // CHECK: %[[E:.*]] = tensor.extract %{{.*}}[%{{.*}}, %[[I]]] : tensor<3x40xi8>
  // CHECK: tensor.insert %[[E]]
  %0, %1 = ov.topk %x, %k {axis = 1, mode = #ov.topk_mode<min>, sort = #ov.topk_sort<none>, index_element_type = i64}
    : (tensor<3x40xui8>, tensor<i64>) -> (tensor<3x4xui8>, tensor<3x4xi64>)
  return %0, %1 : tensor<3x4xui8>, tensor<3x4xi64>
}

// Along another axis the lanes are rows that are neighbours, along all dims behind the axis. Indices have 32 bits while
// elements are inserted, if the axis is static.
// CHECK-LABEL: @lanes
func.func @lanes(%x: tensor<2x50x4x?xf16>) -> (tensor<2x5x4x?xf16>, tensor<2x5x4x?xi64>) {
  %k = ov.constant dense<5> : tensor<i64>
  // CHECK: %[[X:.*]] = tensor.collapse_shape %{{.*}} {{\[\[}}0], [1], [2, 3]]
  // CHECK-DAG: tensor.empty() : tensor<5x16xf16>
  // CHECK-DAG: tensor.empty() : tensor<5x16xi32>
  // CHECK: %[[R:.*]]:4 = scf.for
  // CHECK: %[[V:.*]] = vector.transfer_read %[[X]]
  // CHECK: arith.extf %[[V]] : vector<16xf16> to vector<16xf32>
  // CHECK: arith.cmpf ugt, {{.*}} : vector<16xf32>
  // CHECK: arith.cmpf ord, {{.*}} : vector<16xf32>
  // CHECK: vector.reduction <or>
  // CHECK: scf.if
  // CHECK: scf.for
  // CHECK: arith.select {{.*}} : vector<16xi1>, vector<16xf16>
  // CHECK: arith.select {{.*}} : vector<16xi1>, vector<16xi32>
  // By index, by insertion too.
  // CHECK: arith.maxsi {{.*}} : vector<16xi32>
  // CHECK: arith.extsi {{.*}} : vector<16xi32> to vector<16xi64>
  // CHECK: tensor.expand_shape
  %0, %1 = ov.topk %x, %k {axis = 1, mode = #ov.topk_mode<max>, sort = #ov.topk_sort<index>, index_element_type = i64}
    : (tensor<2x50x4x?xf16>, tensor<i64>) -> (tensor<2x5x4x?xf16>, tensor<2x5x4x?xi64>)
  return %0, %1 : tensor<2x5x4x?xf16>, tensor<2x5x4x?xi64>
}

// A few neighbours are not worth it: elements are inserted one by one. Values and indices of one type must not become
// one buffer.
// CHECK-LABEL: @by_index
func.func @by_index(%x: tensor<?x2xi64>) -> (tensor<3x2xi64>, tensor<3x2xi64>) {
  %k = ov.constant dense<3> : tensor<i64>
  // A place more than there are elements.
  // CHECK: tensor.empty() : tensor<3x2xi64>
  // CHECK: bufferization.alloc_tensor() : tensor<3x2xi64>
  // CHECK: tensor.empty() : tensor<4xi64>
  // CHECK: bufferization.alloc_tensor() : tensor<4xi64>
  // CHECK: scf.while
  // CHECK: scf.while
  %0, %1 = ov.topk %x, %k {axis = 0, mode = #ov.topk_mode<min>, sort = #ov.topk_sort<index>, index_element_type = i64}
    : (tensor<?x2xi64>, tensor<i64>) -> (tensor<3x2xi64>, tensor<3x2xi64>)
  return %0, %1 : tensor<3x2xi64>, tensor<3x2xi64>
}

// A large k is a merge sort of keys, which have the order of a value above its index. The keys that come before the last
// of the best so far are collected, and sorted when the row is full.
// CHECK-LABEL: @merged
func.func @merged(%x: tensor<2x900xf32>) -> (tensor<2x100xf32>, tensor<2x100xi32>) {
  %k = ov.constant dense<100> : tensor<i64>
  // Twice the capacity, and a place that is read in vain.
  // CHECK-COUNT-2: bufferization.alloc_tensor() : tensor<529xi64>
  // CHECK: scf.while
  // CHECK: scf.while
  // CHECK: %[[V:.*]] = tensor.extract %{{.*}} : tensor<2x900xf32>
  // CHECK: %[[N:.*]] = arith.cmpf uno, %[[V]], %[[V]]
  // No zero is negative.
  // CHECK: %[[Z:.*]] = arith.addf %[[V]], %cst
  // CHECK: arith.bitcast %[[Z]] : f32 to i32
  // CHECK: arith.select %[[N]], %c2147483647_i64
  // The greatest value comes first.
  // CHECK: arith.xori %{{.*}}, %c-1_i64
  // CHECK: arith.shli %{{.*}}, %c32_i64
  // CHECK: arith.cmpi slt, %{{.*}} : i64
  // CHECK: tensor.insert {{.*}} : tensor<529xi64>
  // A step of merging has no branch.
  // CHECK: scf.while
  // CHECK: arith.minsi {{.*}} : i64
  // CHECK-NOT: scf.if
  // CHECK: arith.maxsi {{.*}} : i64
  // By index: another pass over the data.
  // CHECK: arith.cmpi sle, %{{.*}} : i64
  %0, %1 = ov.topk %x, %k {axis = 1, mode = #ov.topk_mode<max>, sort = #ov.topk_sort<index>, index_element_type = i32}
    : (tensor<2x900xf32>, tensor<i64>) -> (tensor<2x100xf32>, tensor<2x100xi32>)
  return %0, %1 : tensor<2x100xf32>, tensor<2x100xi32>
}

// So it is if the length is unknown. An unsigned number loses half of the range.
// CHECK-LABEL: @unknown_length
func.func @unknown_length(%x: tensor<?xui32>) -> (tensor<300xui32>, tensor<300xi32>) {
  %k = ov.constant dense<300> : tensor<i64>
  // CHECK: %[[V:.*]] = arith.extui %{{.*}} : i32 to i64
  // CHECK: arith.addi %[[V]], %c-2147483648_i64
  // CHECK: arith.maxsi {{.*}} : i64
  %0, %1 = ov.topk %x, %k {axis = 0, mode = #ov.topk_mode<min>, sort = #ov.topk_sort<value>, index_element_type = i32}
    : (tensor<?xui32>, tensor<i64>) -> (tensor<300xui32>, tensor<300xi32>)
  return %0, %1 : tensor<300xui32>, tensor<300xi32>
}

// If only the call tells k, it chooses between merging and insertion.
// CHECK-LABEL: @open_k
func.func @open_k(%x: tensor<7x?xf32>, %k: tensor<i64>) -> (tensor<7x?xf32>, tensor<7x?xi64>) {
  // CHECK: %[[C:.*]]:2 = rt.check
  // CHECK: %[[K:.*]] = arith.minsi %[[C]]#0, %c1073741824
  // CHECK: %[[SQUARE:.*]] = arith.muli %[[K]], %[[K]]
  // CHECK: %[[LEAST:.*]] = arith.divui %[[SQUARE]], %c8
  // CHECK: %[[LARGE:.*]] = arith.cmpi ugt, %[[LEAST]], %dim
  // CHECK: scf.if %[[LARGE]] -> (tensor<7x?xf32>, tensor<7x?xi64>) {
  // CHECK: bufferization.alloc_tensor(%{{.*}}) : tensor<?xi64>
  // CHECK: } else {
  // CHECK: vector.transfer_read %arg0
  %0, %1 = ov.topk %x, %k {axis = 1, mode = #ov.topk_mode<max>, sort = #ov.topk_sort<value>, index_element_type = i64}
    : (tensor<7x?xf32>, tensor<i64>) -> (tensor<7x?xf32>, tensor<7x?xi64>)
  return %0, %1 : tensor<7x?xf32>, tensor<7x?xi64>
}

// If k is the length, all elements are merged.
// CHECK-LABEL: @whole
func.func @whole(%x: tensor<2x?xf32>) -> (tensor<2x?xf32>, tensor<2x?xi64>) {
  // CHECK-NOT: scf.if
  // CHECK: bufferization.alloc_tensor(%{{.*}}) : tensor<?xi64>
  // CHECK-NOT: scf.if
  // CHECK: return
  %dims = ov.shape_of %x {output_type = i64} : (tensor<2x?xf32>) -> tensor<2xi64>
  %one = ov.constant dense<1> : tensor<1xi64>
  %axis = ov.constant dense<0> : tensor<i64>
  %k = ov.gather %dims, %one, %axis : (tensor<2xi64>, tensor<1xi64>, tensor<i64>) -> tensor<1xi64>
  %values, %indices = ov.topk %x, %k {axis = 1 : i64, index_element_type = i64, mode = #ov.topk_mode<max>,
                                      sort = #ov.topk_sort<value>}
      : (tensor<2x?xf32>, tensor<1xi64>) -> (tensor<2x?xf32>, tensor<2x?xi64>)
  return %values, %indices : tensor<2x?xf32>, tensor<2x?xi64>
}

// In lanes, a short axis is faster by insertion, so the call chooses.
// CHECK-LABEL: @whole_lanes
func.func @whole_lanes(%x: tensor<?x64x?xf32>) -> (tensor<?x64x?xf32>, tensor<?x64x?xi64>) {
  // CHECK: scf.if
  %dims = ov.shape_of %x {output_type = i64} : (tensor<?x64x?xf32>) -> tensor<3xi64>
  %zero = ov.constant dense<0> : tensor<1xi64>
  %axis = ov.constant dense<0> : tensor<i64>
  %k = ov.gather %dims, %zero, %axis : (tensor<3xi64>, tensor<1xi64>, tensor<i64>) -> tensor<1xi64>
  %values, %indices = ov.topk %x, %k {axis = 0 : i64, index_element_type = i64, mode = #ov.topk_mode<max>,
                                      sort = #ov.topk_sort<value>}
      : (tensor<?x64x?xf32>, tensor<1xi64>) -> (tensor<?x64x?xf32>, tensor<?x64x?xi64>)
  return %values, %indices : tensor<?x64x?xf32>, tensor<?x64x?xi64>
}

// Integers are merged if only the call tells k. The keys of elements of 64 bits have 128 bits.
// CHECK-LABEL: @wide_keys
func.func @wide_keys(%x: tensor<?xi64>, %k: tensor<i64>) -> (tensor<?xi64>, tensor<?xi64>) {
  // CHECK-NOT: scf.if
  // CHECK-COUNT-2: bufferization.alloc_tensor(%{{.*}}) : tensor<?xi128>
  // CHECK: %[[V:.*]] = arith.extsi %{{.*}} : i64 to i128
  // CHECK: %[[ORDER:.*]] = arith.shli %[[V]], %c64_i128
  // CHECK: arith.ori %[[ORDER]], %{{.*}} : i128
  // CHECK-NOT: scf.if
  // CHECK: arith.minsi {{.*}} : i128
  %0, %1 = ov.topk %x, %k {axis = 0, mode = #ov.topk_mode<min>, sort = #ov.topk_sort<value>, index_element_type = i64}
    : (tensor<?xi64>, tensor<i64>) -> (tensor<?xi64>, tensor<?xi64>)
  return %0, %1 : tensor<?xi64>, tensor<?xi64>
}

// A k that is large, but small for a long row, is inserted. The row has more than one vector then.
// CHECK-LABEL: @long
func.func @long(%x: tensor<90000xf32>) -> (tensor<300xf32>, tensor<300xi32>) {
  %k = ov.constant dense<300> : tensor<i64>
  // CHECK: tensor.empty() : tensor<304xf32>
  // CHECK: scf.while
  // CHECK-NOT: arith.maxsi
  // CHECK: return
  %0, %1 = ov.topk %x, %k {axis = 0, mode = #ov.topk_mode<min>, sort = #ov.topk_sort<value>, index_element_type = i32}
    : (tensor<90000xf32>, tensor<i64>) -> (tensor<300xf32>, tensor<300xi32>)
  return %0, %1 : tensor<300xf32>, tensor<300xi32>
}

// The candidates of a class are in two rows. The results are copied when their number is known.
// CHECK-LABEL: @select_boxes
func.func @select_boxes(%x: tensor<1x?x4xf32>, %y: tensor<1x2x9xf32>, %n: tensor<i64>, %r: tensor<f32>)
    -> (tensor<?x3xi64>, tensor<?xf32>) {
  // CHECK: rt.check {{.*}}, shape,
  // CHECK: bufferization.alloc_tensor
  // CHECK: scf.for
  // CHECK: scf.for
  // NaN is no candidate.
  // CHECK: arith.cmpf ogt
  // CHECK: scf.while
  // CHECK: math.exp
  // CHECK: tensor.empty(%{{.*}}) : tensor<?x3xi64>
  %0:2 = ov.select_boxes %x, %y, %n, %r, %r, %r : (tensor<1x?x4xf32>, tensor<1x2x9xf32>, tensor<i64>, tensor<f32>,
      tensor<f32>, tensor<f32>) -> (tensor<?x3xi64>, tensor<?xf32>)
  return %0#0, %0#1 : tensor<?x3xi64>, tensor<?xf32>
}
