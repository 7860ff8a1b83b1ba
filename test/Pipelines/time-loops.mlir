// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s --split-input-file --ov-to-llvm='check-time-loops=true' -o /dev/null
// RUN: ir-opt %s --split-input-file --ov-to-llvm='optimize=false' -o /dev/null

// Loops that obey the rules of --check-time-loops through the whole pipeline.

// States that are swapped, one of which is also concatenated.
func.func @exchange(%x: tensor<9x40xf32>, %s0: tensor<1x40xf32>, %t0: tensor<1x40xf32>)
    -> (tensor<1x40xf32>, tensor<1x40xf32>, tensor<9x40xf32>) {
  %r:3 = ov.tensor_iterator slices(%a = %x along 0 [0:-1:1] part 1 : tensor<9x40xf32> to tensor<1x40xf32>)
      carried(%s = %s0 : tensor<1x40xf32>, %t = %t0 : tensor<1x40xf32>) concats(along 0 : tensor<9x40xf32>) {
    %n = ov.add %s, %a : (tensor<1x40xf32>, tensor<1x40xf32>) -> tensor<1x40xf32>
    ov.yield next(%t, %n : tensor<1x40xf32>, tensor<1x40xf32>) concat(%n : tensor<1x40xf32>)
  }
  return %r#0, %r#1, %r#2 : tensor<1x40xf32>, tensor<1x40xf32>, tensor<9x40xf32>
}

// -----

// Sums along rows and down columns, and a softmax, of odd sizes.
func.func @reductions(%x: tensor<9x5x37xf32>, %s0: tensor<1x5xf32>, %t0: tensor<1x37xf32>, %u0: tensor<5x37xf32>)
    -> (tensor<1x5xf32>, tensor<1x37xf32>, tensor<5x37xf32>) {
  %rows = ov.constant dense<2> : tensor<1xi64>
  %columns = ov.constant dense<1> : tensor<1xi64>
  %axis = ov.constant dense<0> : tensor<1xi64>
  %r:3 = ov.tensor_iterator slices(%a = %x along 0 [0:-1:1] part 1 : tensor<9x5x37xf32> to tensor<1x5x37xf32>)
      carried(%s = %s0 : tensor<1x5xf32>, %t = %t0 : tensor<1x37xf32>, %u = %u0 : tensor<5x37xf32>) {
    %p = ov.reduce_sum %a, %rows : (tensor<1x5x37xf32>, tensor<1xi64>) -> tensor<1x5xf32>
    %q = ov.reduce_max %a, %columns : (tensor<1x5x37xf32>, tensor<1xi64>) -> tensor<1x37xf32>
    %b = ov.squeeze %a, %axis : (tensor<1x5x37xf32>, tensor<1xi64>) -> tensor<5x37xf32>
    %c = ov.add %b, %u : (tensor<5x37xf32>, tensor<5x37xf32>) -> tensor<5x37xf32>
    %d = ov.softmax %c {axis = 1 : i64} : tensor<5x37xf32>
    %n = ov.add %s, %p : (tensor<1x5xf32>, tensor<1x5xf32>) -> tensor<1x5xf32>
    %m = ov.maximum %t, %q : (tensor<1x37xf32>, tensor<1x37xf32>) -> tensor<1x37xf32>
    ov.yield next(%n, %m, %d : tensor<1x5xf32>, tensor<1x37xf32>, tensor<5x37xf32>)
  }
  return %r#0, %r#1, %r#2 : tensor<1x5xf32>, tensor<1x37xf32>, tensor<5x37xf32>
}

// -----

// A sum or a product is itself a state: its accumulators are not in the state's memory.
func.func @sums_as_states(%x: tensor<9x5x37xf32>, %s0: tensor<1x5xf32>, %t0: tensor<1x37xf32>, %w: tensor<37x37xf32>,
                          %v0: tensor<1x37xf32>) -> (tensor<1x5xf32>, tensor<1x37xf32>, tensor<1x37xf32>) {
  %rows = ov.constant dense<2> : tensor<1xi64>
  %columns = ov.constant dense<1> : tensor<1xi64>
  %r:3 = ov.tensor_iterator slices(%a = %x along 0 [0:-1:1] part 1 : tensor<9x5x37xf32> to tensor<1x5x37xf32>)
      carried(%s = %s0 : tensor<1x5xf32>, %t = %t0 : tensor<1x37xf32>, %v = %v0 : tensor<1x37xf32>) {
    %p = ov.reduce_sum %a, %rows : (tensor<1x5x37xf32>, tensor<1xi64>) -> tensor<1x5xf32>
    %q = ov.reduce_sum %a, %columns : (tensor<1x5x37xf32>, tensor<1xi64>) -> tensor<1x37xf32>
    %m = ov.matmul %v, %w : (tensor<1x37xf32>, tensor<37x37xf32>) -> tensor<1x37xf32>
    ov.yield next(%p, %q, %m : tensor<1x5xf32>, tensor<1x37xf32>, tensor<1x37xf32>)
  }
  return %r#0, %r#1, %r#2 : tensor<1x5xf32>, tensor<1x37xf32>, tensor<1x37xf32>
}

// -----

// A condition, an index, an inner loop.
func.func @while(%n: tensor<i64>, %s0: tensor<1x12xf32>, %x: tensor<7x12xf32>) -> (tensor<1x12xf32>, tensor<1x12xf32>) {
  %limit = ov.constant dense<100.0> : tensor<f32>
  %true = ov.constant dense<true> : tensor<i1>
  %axes = ov.constant dense<[0, 1]> : tensor<2xi64>
  %r:2 = ov.loop trip(%n : tensor<i64>) while(%true : tensor<i1>) index(%i : tensor<i64>)
      carried(%s = %s0 : tensor<1x12xf32>) last(tensor<1x12xf32>) {
    %q = ov.tensor_iterator slices(%a = %x along 0 [0:-1:1] part 1 : tensor<7x12xf32> to tensor<1x12xf32>)
        carried(%t = %s : tensor<1x12xf32>) {
      %u = ov.add %a, %t : (tensor<1x12xf32>, tensor<1x12xf32>) -> tensor<1x12xf32>
      ov.yield next(%u : tensor<1x12xf32>)
    }
    %d = ov.add %q, %q : (tensor<1x12xf32>, tensor<1x12xf32>) -> tensor<1x12xf32>
    %f = ov.convert %i : tensor<i64> to tensor<f32>
    %m = ov.add %q, %f : (tensor<1x12xf32>, tensor<f32>) -> tensor<1x12xf32>
    %sum = ov.reduce_sum %m, %axes : (tensor<1x12xf32>, tensor<2xi64>) -> tensor<f32>
    %again = ov.less %sum, %limit : (tensor<f32>, tensor<f32>) -> tensor<i1>
    ov.yield while(%again : tensor<i1>) next(%m : tensor<1x12xf32>) last(%d : tensor<1x12xf32>)
  }
  return %r#0, %r#1 : tensor<1x12xf32>, tensor<1x12xf32>
}

// -----

// Dims that are known only at run time.
func.func @dynamic(%x: tensor<?x?xf32>, %s0: tensor<1x?xf32>) -> (tensor<1x?xf32>, tensor<?x?xf32>) {
  %r:2 = ov.tensor_iterator slices(%a = %x along 0 [0:-1:1] part 1 : tensor<?x?xf32> to tensor<1x?xf32>)
      carried(%s = %s0 : tensor<1x?xf32>) concats(along 0 : tensor<?x?xf32>) {
    %n = ov.exp %s : tensor<1x?xf32>
    %p = ov.exp %a : tensor<1x?xf32>
    ov.yield next(%n : tensor<1x?xf32>) concat(%p : tensor<1x?xf32>)
  }
  return %r#0, %r#1 : tensor<1x?xf32>, tensor<?x?xf32>
}
