// RUN: %mlirind-opt %s --convert-aten-to-loop | %FileCheck %s

// Writes through an index tensor: the kernel starts as self.
// CHECK-LABEL: func.func @scatter_add
// CHECK:         "loop.check"(%[[OK:.+]]) {error = "index"}
// CHECK:         "loop.store"(%{{.*}}, %[[OK]]) {accumulate = "add"
// CHECK:         updates = [0]
func.func @scatter_add(%x: tensor<4x5xf32>, %i: tensor<2x3xi64>, %s: tensor<2x3xf32>) -> tensor<4x5xf32> {
  %0 = "aten.scatter_add"(%x, %i, %s) {dim = 0 : i64} : (tensor<4x5xf32>, tensor<2x3xi64>, tensor<2x3xf32>) -> tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
}

// One write a line is a comparison of the position with the index: nothing is written out of order, the kernel can be fused.
// CHECK-LABEL: func.func @one_a_line
// CHECK:         %[[HERE:.+]] = arith.cmpi eq
// CHECK:         arith.select %[[HERE]], %cst
// CHECK:         updates = [-1]
func.func @one_a_line(%x: tensor<4x5xf32>, %i: tensor<4x1xi64>) -> tensor<4x5xf32> {
  %0 = "aten.scatter_value"(%x, %i) {dim = 1 : i64, value = -1.0 : f64} : (tensor<4x5xf32>, tensor<4x1xi64>) -> tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
}

// Without include_self, what is written to first becomes the identity.
// CHECK-LABEL: func.func @from_identity
// CHECK:         arith.constant 0xFF800000 : f32
// CHECK:         updates = [0]
// CHECK:         accumulate = "max"
// CHECK:         updates = [0]
func.func @from_identity(%x: tensor<4xf32>, %i: tensor<2xi64>, %s: tensor<2xf32>) -> tensor<4xf32> {
  %0 = "aten.scatter_reduce_two"(%x, %i, %s) {dim = 0 : i64, reduce = "amax", include_self = false} : (tensor<4xf32>, tensor<2xi64>, tensor<2xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// The mean stays with ATen.
// CHECK-LABEL: func.func @mean
// CHECK:         "aten.scatter_reduce_two"({{.*}}aten.reason = "scatter with mean"
func.func @mean(%x: tensor<4xf32>, %i: tensor<2xi64>, %s: tensor<2xf32>) -> tensor<4xf32> {
  %0 = "aten.scatter_reduce_two"(%x, %i, %s) {dim = 0 : i64, reduce = "mean", include_self = true} : (tensor<4xf32>, tensor<2xi64>, tensor<2xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
