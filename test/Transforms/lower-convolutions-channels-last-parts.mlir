// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s --pass-pipeline='builtin.module(rt-lower-convolutions{vector-bits=512 vector-registers=32})' \
// RUN:   --split-input-file | FileCheck %s

// How threads can divide a convolution along channels.

// The filters are larger than the data and the result, so each thread has its own: the way of the kernel itself.

// CHECK-LABEL: @filters
func.func @filters(%w: memref<24x3x3x512x16xf32>, %x: memref<1x10x10x512xf32>, %c: memref<1x8x8x24x16xf32>) {
  // CHECK: call @rt_convolution_channels_f32({{[^:{}]*}}) : (
  rt.convolution ins(%w, %x : memref<24x3x3x512x16xf32>, memref<1x10x10x512xf32>)
      outs(%c : memref<1x8x8x24x16xf32>)
      {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>}
  return
}
// Here it is the other way round: parts have rows of positions.

// CHECK-LABEL: @positions
func.func @positions(%w: memref<8x3x3x16x16xf32>, %x: memref<1x34x34x16xf32>, %c: memref<1x32x32x8x16xf32>) {
  // CHECK: call @rt_convolution_channels_f32({{[^:{}]*}})
  // CHECK-SAME: {rt.parts = {along = {{\[\[2, 0\], \[1, 0\]}}, {{.*}} grain = 1 : i64
  rt.convolution ins(%w, %x : memref<8x3x3x16x16xf32>, memref<1x34x34x16xf32>)
      outs(%c : memref<1x32x32x8x16xf32>)
      {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>}
  return
}
// Nine positions, which are one row because the kernel has one element, make no two parts.

// CHECK-LABEL: @few_positions
func.func @few_positions(%w: memref<10x1x1x960x16xf32>, %x: memref<1x3x3x960xf32>, %c: memref<1x3x3x10x16xf32>) {
  // CHECK: call @rt_convolution_channels_f32({{[^:{}]*}}) : (
  rt.convolution ins(%w, %x : memref<10x1x1x960x16xf32>, memref<1x3x3x960xf32>)
      outs(%c : memref<1x3x3x10x16xf32>)
      {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>}
  return
}
// Six rows are more parts than two tiles of filters.

// CHECK-LABEL: @few
func.func @few(%w: memref<2x3x3x64x16xf32>, %x: memref<1x8x8x64xf32>, %c: memref<1x6x6x2x16xf32>) {
  // CHECK: call @rt_convolution_channels_f32({{[^:{}]*}})
  // CHECK-SAME: {rt.parts = {along = {{\[\[2, 0\], \[1, 0\]}}, {{.*}} grain = 1 : i64
  rt.convolution ins(%w, %x : memref<2x3x3x64x16xf32>, memref<1x8x8x64xf32>)
      outs(%c : memref<1x6x6x2x16xf32>)
      {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>}
  return
}
// The plane of unknown size is taken for a small one.

// CHECK-LABEL: @unknown
func.func @unknown(%w: memref<8x3x3x16x16xf32>, %x: memref<1x?x?x16xf32>, %c: memref<1x?x?x8x16xf32>) {
  // CHECK: call @rt_convolution_channels_f32({{[^:{}]*}}) : (
  rt.convolution ins(%w, %x : memref<8x3x3x16x16xf32>, memref<1x?x?x16xf32>)
      outs(%c : memref<1x?x?x8x16xf32>)
      {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>}
  return
}
// CHECK: func.func private @rt_convolution_channels_f32
// CHECK-SAME: rt.parts = {along = {{\[\[0, 0\], \[2, 2\]\]}}, cost = {{.*}}, grain = 1 : i64

// -----


// Each channel has a filter of its own, so parts have rows.

// CHECK-LABEL: @rows
func.func @rows(%w: memref<3x3x512xf32>, %x: memref<1x10x16x512xf32>, %c: memref<1x8x14x512xf32>) {
  // CHECK: call @rt_depthwise_channels_f32({{[^:{}]*}}) : (
  rt.convolution ins(%w, %x : memref<3x3x512xf32>, memref<1x10x16x512xf32>)
      outs(%c : memref<1x8x14x512xf32>)
      {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>}
  return
}
// These are too few rows, so parts have channels.

// CHECK-LABEL: @channels
func.func @channels(%w: memref<3x3x512xf32>, %x: memref<1x9x16x512xf32>, %c: memref<1x7x14x512xf32>) {
  // CHECK: call @rt_depthwise_channels_f32({{[^:{}]*}})
  // CHECK-SAME: {rt.parts = {along = {{\[\[0, 2\], \[1, 4\], \[2, 2\]\]}}, {{.*}} grain = 16 : i64
  rt.convolution ins(%w, %x : memref<3x3x512xf32>, memref<1x9x16x512xf32>)
      outs(%c : memref<1x7x14x512xf32>)
      {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>}
  return
}
// There are few rows, but still fewer channels.

// CHECK-LABEL: @few_channels
func.func @few_channels(%w: memref<3x3x112xf32>, %x: memref<1x9x16x112xf32>, %c: memref<1x7x14x112xf32>) {
  // CHECK: call @rt_depthwise_channels_f32({{[^:{}]*}}) : (
  rt.convolution ins(%w, %x : memref<3x3x112xf32>, memref<1x9x16x112xf32>)
      outs(%c : memref<1x7x14x112xf32>)
      {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>}
  return
}
// CHECK: func.func private @rt_depthwise_channels_f32
// CHECK-SAME: rt.parts = {along = {{\[\[1, 2\], \[2, 0\], \[9, 1\]\]}}, cost = {{.*}}, grain = 1 : i64
