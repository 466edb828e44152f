// RUN: %mlirind-opt %s --convert-aten-to-loop | %FileCheck %s

// Elements beyond 0 to 1 fail the kernel.
// CHECK-LABEL: func.func @binary_cross_entropy
// CHECK:         "loop.check"(%{{.*}}) {error = "range"}
// CHECK:         math.log1p
// CHECK:         math.log
// CHECK:         kernel_name = "binary_cross_entropy"
func.func @binary_cross_entropy(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> attributes {aten.stage = "functional"} {
  %0 = "aten.binary_cross_entropy"(%x, %y) {reduction = 0 : i64} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
