// RUN: %mlirind-opt %s --convert-aten-to-loop --verify-ir | %FileCheck %s

// Statistics a channel, then an elementwise kernel.
// CHECK-LABEL: func.func @batch_norm
// CHECK:         kind = "welford"
// CHECK:         kernel_name = "batch_norm_statistics"
// CHECK-NOT:     loop.reduce
// CHECK:         kernel_name = "batch_norm"
func.func @batch_norm(%x: tensor<2x3x4xf32>, %m: tensor<3xf32>, %v: tensor<3xf32>) -> (tensor<2x3x4xf32>, tensor<3xf32>) {
  %0, %1, %2, %3, %4 = "aten.u_native_batch_norm_legit_functional"(%x, %m, %v) {training = true, momentum = 0.1 : f64, eps = 1.0e-5 : f64, operandSegmentSizes = array<i32: 1, 0, 0, 1, 1>} : (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>)
  return %0, %3 : tensor<2x3x4xf32>, tensor<3xf32>
}
