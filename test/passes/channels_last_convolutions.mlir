// RUN: %mlirind-opt %s --channels-last-convolutions --verify-metadata | %FileCheck %s

// The image is copied once, all between follows, and the caller gets rows.
// CHECK-LABEL: func.func @depthwise
// CHECK:         %[[COPY:.*]] = "aten.clone"(%arg0) {{.*}}"channels_last"
// CHECK:         %[[FIRST:.*]] = "aten.convolution"(%[[COPY]]{{.*}}-> tensor<2x4x8x8xf32, #aten.layout<"cpu", [256, 1, 32, 4]
// CHECK:         %[[RELU:.*]] = "aten.relu"(%[[FIRST]])
// CHECK-NOT:     "aten.clone"
// CHECK:         "aten.convolution"(%[[RELU]]
// CHECK:         %[[LAST:.*]] = "aten.convolution"(
// CHECK:         %[[BACK:.*]] = "aten.clone"(%[[LAST]]) {{.*}}"contiguous_format"
// CHECK:         return %[[BACK]]
func.func @depthwise(%x: tensor<2x4x8x8xf32, #aten.layout<"cpu", [256, 64, 8, 1], 0 : i64, unit>>, %w: tensor<4x1x3x3xf32, #aten.layout<"cpu", [9, 9, 3, 1], 0 : i64, unit>>, %b: tensor<4xf32, #aten.layout<"cpu", [1], 0 : i64, unit>>) -> tensor<2x4x8x8xf32, #aten.layout<"cpu", [256, 64, 8, 1], 0 : i64, unit>> attributes {aten.stage = "functional"} {
  %0 = "aten.convolution"(%x, %w, %b) {dilation = [1, 1], groups = 4 : i64, operandSegmentSizes = array<i32: 1, 1, 1>, output_padding = [0, 0],
    padding = [1, 1], stride = [1, 1], transposed = false} : (tensor<2x4x8x8xf32, #aten.layout<"cpu", [256, 64, 8, 1], 0 : i64, unit>>, tensor<4x1x3x3xf32, #aten.layout<"cpu", [9, 9, 3, 1], 0 : i64, unit>>, tensor<4xf32, #aten.layout<"cpu", [1], 0 : i64, unit>>) -> tensor<2x4x8x8xf32, #aten.layout<"cpu", [256, 64, 8, 1], 0 : i64, unit>>
  %1 = "aten.relu"(%0) : (tensor<2x4x8x8xf32, #aten.layout<"cpu", [256, 64, 8, 1], 0 : i64, unit>>) -> tensor<2x4x8x8xf32, #aten.layout<"cpu", [256, 64, 8, 1], 0 : i64, unit>>
  %2 = "aten.convolution"(%1, %w, %b) {dilation = [1, 1], groups = 4 : i64, operandSegmentSizes = array<i32: 1, 1, 1>, output_padding = [0, 0],
    padding = [1, 1], stride = [1, 1], transposed = false} : (tensor<2x4x8x8xf32, #aten.layout<"cpu", [256, 64, 8, 1], 0 : i64, unit>>, tensor<4x1x3x3xf32, #aten.layout<"cpu", [9, 9, 3, 1], 0 : i64, unit>>, tensor<4xf32, #aten.layout<"cpu", [1], 0 : i64, unit>>) -> tensor<2x4x8x8xf32, #aten.layout<"cpu", [256, 64, 8, 1], 0 : i64, unit>>
  %3 = "aten.convolution"(%2, %w, %b) {dilation = [1, 1], groups = 4 : i64, operandSegmentSizes = array<i32: 1, 1, 1>, output_padding = [0, 0],
    padding = [1, 1], stride = [1, 1], transposed = false} : (tensor<2x4x8x8xf32, #aten.layout<"cpu", [256, 64, 8, 1], 0 : i64, unit>>, tensor<4x1x3x3xf32, #aten.layout<"cpu", [9, 9, 3, 1], 0 : i64, unit>>, tensor<4xf32, #aten.layout<"cpu", [1], 0 : i64, unit>>) -> tensor<2x4x8x8xf32, #aten.layout<"cpu", [256, 64, 8, 1], 0 : i64, unit>>
  return %3 : tensor<2x4x8x8xf32, #aten.layout<"cpu", [256, 64, 8, 1], 0 : i64, unit>>
}

// A joint graph: the backward takes the images of the forward as they lie.
// CHECK-LABEL: func.func @joint
// CHECK:         %[[COPY:.*]] = "aten.clone"(%arg0) {{.*}}"channels_last"
// CHECK:         %[[FIRST:.*]] = "aten.convolution"(%[[COPY]]
// CHECK:         %[[MIDDLE:.*]] = "aten.hardtanh"(%[[FIRST]])
// CHECK:         %[[GRAD:.*]] = "aten.clone"(%arg2) {{.*}}"channels_last"
// CHECK:         %[[BACK:.*]]:3 = "aten.convolution_backward"(%[[GRAD]], %[[MIDDLE]]
// CHECK-NOT:     "aten.clone"
// CHECK:         %[[NEXT:.*]] = "aten.hardtanh_backward"(%[[BACK]]#0, %[[FIRST]]
// CHECK-NOT:     "aten.clone"
// CHECK:         %[[LAST:.*]]:3 = "aten.convolution_backward"(%[[NEXT]], %[[COPY]]
// CHECK:         return %[[LAST]]#1
func.func @joint(%x: tensor<2x4x8x8xf32, #aten.layout<"cpu", [256, 64, 8, 1], 0 : i64, unit>>, %w: tensor<4x1x3x3xf32, #aten.layout<"cpu", [9, 9, 3, 1], 0 : i64, unit>>, %g: tensor<2x4x8x8xf32, #aten.layout<"cpu", [256, 64, 8, 1], 0 : i64, unit>>) -> tensor<4x1x3x3xf32, #aten.layout<"cpu", [9, 9, 3, 1], 0 : i64, unit>> attributes {aten.stage = "functional"} {
  %0 = "aten.convolution"(%x, %w) {dilation = [1, 1], groups = 4 : i64, operandSegmentSizes = array<i32: 1, 1, 0>, output_padding = [0, 0],
    padding = [1, 1], stride = [1, 1], transposed = false} : (tensor<2x4x8x8xf32, #aten.layout<"cpu", [256, 64, 8, 1], 0 : i64, unit>>, tensor<4x1x3x3xf32, #aten.layout<"cpu", [9, 9, 3, 1], 0 : i64, unit>>) -> tensor<2x4x8x8xf32, #aten.layout<"cpu", [256, 64, 8, 1], 0 : i64, unit>>
  %1 = "aten.hardtanh"(%0) {min_val = 0.0, max_val = 6.0} : (tensor<2x4x8x8xf32, #aten.layout<"cpu", [256, 64, 8, 1], 0 : i64, unit>>) -> tensor<2x4x8x8xf32, #aten.layout<"cpu", [256, 64, 8, 1], 0 : i64, unit>>
  %2:3 = "aten.convolution_backward"(%g, %1, %w) {bias_sizes = [0], dilation = [1, 1], groups = 4 : i64, output_mask = [true, true, false], output_padding = [0, 0],
    padding = [1, 1], stride = [1, 1], transposed = false} : (tensor<2x4x8x8xf32, #aten.layout<"cpu", [256, 64, 8, 1], 0 : i64, unit>>, tensor<2x4x8x8xf32, #aten.layout<"cpu", [256, 64, 8, 1], 0 : i64, unit>>, tensor<4x1x3x3xf32, #aten.layout<"cpu", [9, 9, 3, 1], 0 : i64, unit>>) -> (tensor<2x4x8x8xf32, #aten.layout<"cpu", [256, 64, 8, 1], 0 : i64, unit>>, tensor<4x1x3x3xf32, #aten.layout<"cpu", [9, 9, 3, 1], 0 : i64, unit>>, none)
  %3 = "aten.hardtanh_backward"(%2#0, %0) {min_val = 0.0, max_val = 6.0} : (tensor<2x4x8x8xf32, #aten.layout<"cpu", [256, 64, 8, 1], 0 : i64, unit>>, tensor<2x4x8x8xf32, #aten.layout<"cpu", [256, 64, 8, 1], 0 : i64, unit>>) -> tensor<2x4x8x8xf32, #aten.layout<"cpu", [256, 64, 8, 1], 0 : i64, unit>>
  %4:3 = "aten.convolution_backward"(%3, %x, %w) {bias_sizes = [0], dilation = [1, 1], groups = 4 : i64, output_mask = [false, true, false], output_padding = [0, 0],
    padding = [1, 1], stride = [1, 1], transposed = false} : (tensor<2x4x8x8xf32, #aten.layout<"cpu", [256, 64, 8, 1], 0 : i64, unit>>, tensor<2x4x8x8xf32, #aten.layout<"cpu", [256, 64, 8, 1], 0 : i64, unit>>, tensor<4x1x3x3xf32, #aten.layout<"cpu", [9, 9, 3, 1], 0 : i64, unit>>) -> (none, tensor<4x1x3x3xf32, #aten.layout<"cpu", [9, 9, 3, 1], 0 : i64, unit>>, none)
  return %4#1 : tensor<4x1x3x3xf32, #aten.layout<"cpu", [9, 9, 3, 1], 0 : i64, unit>>
}

// A view of rows gets rows.
// CHECK-LABEL: func.func @viewed
// CHECK:         %[[LAST:.*]] = "aten.convolution"
// CHECK:         %[[BACK:.*]] = "aten.clone"(%[[LAST]]) {{.*}}"contiguous_format"
// CHECK:         "aten.view"(%[[BACK]])
func.func @viewed(%x: tensor<2x4x8x8xf32, #aten.layout<"cpu", [256, 64, 8, 1], 0 : i64, unit>>, %w: tensor<4x1x3x3xf32, #aten.layout<"cpu", [9, 9, 3, 1], 0 : i64, unit>>, %b: tensor<4xf32, #aten.layout<"cpu", [1], 0 : i64, unit>>) -> tensor<8x64xf32, #aten.layout<"cpu", [64, 1], 0 : i64, unit>> attributes {aten.stage = "functional"} {
  %0 = "aten.convolution"(%x, %w, %b) {dilation = [1, 1], groups = 4 : i64, operandSegmentSizes = array<i32: 1, 1, 1>, output_padding = [0, 0],
    padding = [1, 1], stride = [1, 1], transposed = false} : (tensor<2x4x8x8xf32, #aten.layout<"cpu", [256, 64, 8, 1], 0 : i64, unit>>, tensor<4x1x3x3xf32, #aten.layout<"cpu", [9, 9, 3, 1], 0 : i64, unit>>, tensor<4xf32, #aten.layout<"cpu", [1], 0 : i64, unit>>) -> tensor<2x4x8x8xf32, #aten.layout<"cpu", [256, 64, 8, 1], 0 : i64, unit>>
  %1 = "aten.view"(%0) {size = [8, 64]} : (tensor<2x4x8x8xf32, #aten.layout<"cpu", [256, 64, 8, 1], 0 : i64, unit>>) -> tensor<8x64xf32, #aten.layout<"cpu", [64, 1], 0 : i64, unit>>
  return %1 : tensor<8x64xf32, #aten.layout<"cpu", [64, 1], 0 : i64, unit>>
}

// Nothing is gained without depthwise convolutions.
// CHECK-LABEL: func.func @full
// CHECK-NOT:     "aten.clone"
// CHECK:         return
func.func @full(%x: tensor<2x4x8x8xf32, #aten.layout<"cpu", [256, 64, 8, 1], 0 : i64, unit>>, %w: tensor<4x4x3x3xf32, #aten.layout<"cpu", [36, 9, 3, 1], 0 : i64, unit>>, %b: tensor<4xf32, #aten.layout<"cpu", [1], 0 : i64, unit>>) -> tensor<2x4x8x8xf32, #aten.layout<"cpu", [256, 64, 8, 1], 0 : i64, unit>> attributes {aten.stage = "functional"} {
  %0 = "aten.convolution"(%x, %w, %b) {dilation = [1, 1], groups = 1 : i64, operandSegmentSizes = array<i32: 1, 1, 1>, output_padding = [0, 0],
    padding = [1, 1], stride = [1, 1], transposed = false} : (tensor<2x4x8x8xf32, #aten.layout<"cpu", [256, 64, 8, 1], 0 : i64, unit>>, tensor<4x4x3x3xf32, #aten.layout<"cpu", [36, 9, 3, 1], 0 : i64, unit>>, tensor<4xf32, #aten.layout<"cpu", [1], 0 : i64, unit>>) -> tensor<2x4x8x8xf32, #aten.layout<"cpu", [256, 64, 8, 1], 0 : i64, unit>>
  return %0 : tensor<2x4x8x8xf32, #aten.layout<"cpu", [256, 64, 8, 1], 0 : i64, unit>>
}
