// RUN: %mlirind-opt %s --fold-into-weights --dce-aten --verify-each | %FileCheck %s

!x = tensor<2x3x8x8xf32>
!w = tensor<4x3x3x3xf32>
!c = tensor<4xf32>
!y = tensor<2x4x6x6xf32>
!e = tensor<0xf32>

// Of a batch norm only a convolution stays.
// CHECK-LABEL: func.func @batch_norm(
// CHECK:         "aten.rsqrt"
// CHECK:         %[[W:.*]] = "aten.u_to_copy"(%{{.*}}) {{.*}}"float32"{{.*}} -> tensor<4x3x3x3xf32
// CHECK:         %[[B:.*]] = "aten.u_to_copy"(%{{.*}}) {{.*}}"float32"{{.*}} -> tensor<4xf32
// CHECK:         %[[Y:.*]] = "aten.convolution"(%arg0, %[[W]], %[[B]])
// CHECK-NEXT:    return %[[Y]]
func.func @batch_norm(%x: !x, %w: !w {aten.frozen}, %g: !c {aten.frozen}, %b: !c {aten.frozen}, %m: !c {aten.frozen}, %v: !c {aten.frozen}) -> !y {
  %0 = "aten.convolution"(%x, %w) {dilation = [1, 1], groups = 1 : i64, output_padding = [0, 0], padding = [0, 0], stride = [1, 1], transposed = false} : (!x, !w) -> !y
  %1:3 = "aten.u_native_batch_norm_legit_no_training"(%0, %g, %b, %m, %v) {eps = 1.000000e-05 : f64, momentum = 1.000000e-01 : f64, operandSegmentSizes = array<i32: 1, 1, 1, 1, 1>} : (!y, !c, !c, !c, !c) -> (!y, !e, !e)
  return %1#0 : !y
}

// Statistics that are no parameters.
// CHECK-LABEL: func.func @other_statistics(
// CHECK:         "aten.convolution"(%arg0, %arg1)
// CHECK-NEXT:    "aten.u_native_batch_norm_legit_no_training"
func.func @other_statistics(%x: !x, %w: !w {aten.frozen}, %m: !c, %v: !c) -> !y {
  %0 = "aten.convolution"(%x, %w) {dilation = [1, 1], groups = 1 : i64, output_padding = [0, 0], padding = [0, 0], stride = [1, 1], transposed = false} : (!x, !w) -> !y
  %1:3 = "aten.u_native_batch_norm_legit_no_training"(%0, %m, %v) {eps = 1.000000e-05 : f64, momentum = 1.000000e-01 : f64, operandSegmentSizes = array<i32: 1, 0, 0, 1, 1>} : (!y, !c, !c) -> (!y, !e, !e)
  return %1#0 : !y
}

// Another use of what the convolution gives.
// CHECK-LABEL: func.func @other_user(
// CHECK:         "aten.u_native_batch_norm_legit_no_training"
func.func @other_user(%x: !x, %w: !w {aten.frozen}, %m: !c {aten.frozen}, %v: !c {aten.frozen}) -> (!y, !y) {
  %0 = "aten.convolution"(%x, %w) {dilation = [1, 1], groups = 1 : i64, output_padding = [0, 0], padding = [0, 0], stride = [1, 1], transposed = false} : (!x, !w) -> !y
  %1:3 = "aten.u_native_batch_norm_legit_no_training"(%0, %m, %v) {eps = 1.000000e-05 : f64, momentum = 1.000000e-01 : f64, operandSegmentSizes = array<i32: 1, 0, 0, 1, 1>} : (!y, !c, !c) -> (!y, !e, !e)
  return %1#0, %0 : !y, !y
}

// Nothing is frozen.
// CHECK-LABEL: func.func @not_frozen(
// CHECK:         "aten.convolution"(%arg0, %arg1)
// CHECK-NEXT:    "aten.mul_tensor"
func.func @not_frozen(%x: !x, %w: !w, %s: tensor<4x1x1xf32>) -> !y {
  %0 = "aten.convolution"(%x, %w) {dilation = [1, 1], groups = 1 : i64, output_padding = [0, 0], padding = [0, 0], stride = [1, 1], transposed = false} : (!x, !w) -> !y
  %1 = "aten.mul_tensor"(%0, %s) : (!y, tensor<4x1x1xf32>) -> !y
  return %1 : !y
}

// A product, a sum and a quotient, one after the other; the first makes the bias of none.
// CHECK-LABEL: func.func @three(
// CHECK:         %[[Y:.*]] = "aten.convolution"(%arg0, %{{.*}}, %{{.*}})
// CHECK-NEXT:    return
func.func @three(%x: !x, %w: !w {aten.frozen}, %s: tensor<4x1x1xf32> {aten.frozen}, %t: tensor<1x4x1x1xf32> {aten.frozen}) -> !y {
  %n = "aten.number"() {value = 2.500000e-01 : f64} : () -> tensor<f64>
  %0 = "aten.convolution"(%x, %w) {dilation = [1, 1], groups = 1 : i64, output_padding = [0, 0], padding = [0, 0], stride = [1, 1], transposed = false} : (!x, !w) -> !y
  %1 = "aten.mul_tensor"(%s, %0) : (tensor<4x1x1xf32>, !y) -> !y
  %2 = "aten.sub_tensor"(%t, %1) {alpha = 1 : i64} : (tensor<1x4x1x1xf32>, !y) -> !y
  %3 = "aten.div_tensor"(%2, %n) : (!y, tensor<f64>) -> !y
  return %3 : !y
}

// The number differs along a dim that is not the channels'.
// CHECK-LABEL: func.func @other_dim(
// CHECK:         "aten.convolution"
// CHECK-NEXT:    "aten.mul_tensor"
func.func @other_dim(%x: !x, %w: !w {aten.frozen}, %s: tensor<6xf32> {aten.frozen}) -> !y {
  %0 = "aten.convolution"(%x, %w) {dilation = [1, 1], groups = 1 : i64, output_padding = [0, 0], padding = [0, 0], stride = [1, 1], transposed = false} : (!x, !w) -> !y
  %1 = "aten.mul_tensor"(%0, %s) : (!y, tensor<6xf32>) -> !y
  return %1 : !y
}

// A quotient of which the product is the divisor.
// CHECK-LABEL: func.func @divisor(
// CHECK:         "aten.convolution"
// CHECK-NEXT:    "aten.div_tensor"
func.func @divisor(%x: !x, %w: !w {aten.frozen}, %s: tensor<4x1x1xf32> {aten.frozen}) -> !y {
  %0 = "aten.convolution"(%x, %w) {dilation = [1, 1], groups = 1 : i64, output_padding = [0, 0], padding = [0, 0], stride = [1, 1], transposed = false} : (!x, !w) -> !y
  %1 = "aten.div_tensor"(%s, %0) : (tensor<4x1x1xf32>, !y) -> !y
  return %1 : !y
}

// A linear layer's channels, seen through views.
// CHECK-LABEL: func.func @linear(
// CHECK:         %[[P:.*]] = "aten.addmm"(%{{.*}}, %arg0, %{{.*}})
// CHECK-NEXT:    %[[V:.*]] = "aten.view"(%[[P]])
// CHECK-NEXT:    %[[R:.*]] = "aten.permute"(%[[V]])
// CHECK-NEXT:    return %[[R]]
!p = tensor<2x5x3xf32, #aten.layout<"cpu", [15, 1, 5], 0 : i64, unit>>
func.func @linear(%x: tensor<6x4xf32>, %w: tensor<4x5xf32> {aten.frozen}, %s: tensor<5x1xf32> {aten.frozen}, %t: tensor<f32> {aten.frozen}) -> !p {
  %0 = "aten.mm"(%x, %w) : (tensor<6x4xf32>, tensor<4x5xf32>) -> tensor<6x5xf32>
  %1 = "aten.view"(%0) {size = [2, 3, 5]} : (tensor<6x5xf32>) -> tensor<2x3x5xf32>
  %2 = "aten.permute"(%1) {dims = [0, 2, 1]} : (tensor<2x3x5xf32>) -> !p
  %3 = "aten.mul_tensor"(%2, %s) : (!p, tensor<5x1xf32>) -> !p
  %4 = "aten.add_tensor"(%3, %t) {alpha = 2 : i64} : (!p, tensor<f32>) -> !p
  return %4 : !p
}

// Channels that a view splits.
// CHECK-LABEL: func.func @split_channels(
// CHECK:         "aten.mul_tensor"
func.func @split_channels(%x: tensor<6x4xf32>, %w: tensor<4x6xf32> {aten.frozen}, %s: tensor<3xf32> {aten.frozen}) -> tensor<6x2x3xf32> {
  %0 = "aten.mm"(%x, %w) : (tensor<6x4xf32>, tensor<4x6xf32>) -> tensor<6x6xf32>
  %1 = "aten.view"(%0) {size = [6, 2, 3]} : (tensor<6x6xf32>) -> tensor<6x2x3xf32>
  %2 = "aten.mul_tensor"(%1, %s) : (tensor<6x2x3xf32>, tensor<3xf32>) -> tensor<6x2x3xf32>
  return %2 : tensor<6x2x3xf32>
}

// The result is of a wider dtype.
// CHECK-LABEL: func.func @promoted(
// CHECK:         "aten.mul_tensor"
func.func @promoted(%x: tensor<6x4xbf16>, %w: tensor<4x6xbf16> {aten.frozen}, %s: tensor<6xf32> {aten.frozen}) -> tensor<6x6xf32> {
  %0 = "aten.mm"(%x, %w) : (tensor<6x4xbf16>, tensor<4x6xbf16>) -> tensor<6x6xbf16>
  %1 = "aten.mul_tensor"(%0, %s) : (tensor<6x6xbf16>, tensor<6xf32>) -> tensor<6x6xf32>
  return %1 : tensor<6x6xf32>
}

// A buffer that the graph writes is not frozen.
// CHECK-LABEL: func.func @written(
// CHECK:         "aten.mm"
// CHECK-NEXT:    "aten.mul_tensor"
func.func @written(%x: tensor<6x4xf32>, %w: tensor<4x6xf32> {aten.frozen}, %s: tensor<6xf32> {aten.frozen}) -> tensor<6x6xf32> attributes {aten.stage = "functional", aten.io_writes = [2]} {
  %0 = "aten.mm"(%x, %w) : (tensor<6x4xf32>, tensor<4x6xf32>) -> tensor<6x6xf32>
  %1 = "aten.mul_tensor"(%0, %s) : (tensor<6x6xf32>, tensor<6xf32>) -> tensor<6x6xf32>
  %2 = "aten.neg"(%s) : (tensor<6xf32>) -> tensor<6xf32>
  %3 = "aten.copy_"(%s, %2) {non_blocking = false} : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
  return %1 : tensor<6x6xf32>
}
