// RUN: %mlirind-opt %s --convert-aten-to-loop | %FileCheck %s

// CHECK-LABEL: func.func @index_add
// CHECK:         arith.mulf %{{.+}}, %cst
// CHECK:         accumulate = "add"
// CHECK:         updates = [0]
func.func @index_add(%x: tensor<4x5xf32>, %i: tensor<3xi64>, %s: tensor<3x5xf32>) -> tensor<4x5xf32> {
  %0 = "aten.index_add"(%x, %i, %s) {dim = 0 : i64, alpha = 2.0 : f64} : (tensor<4x5xf32>, tensor<3xi64>, tensor<3x5xf32>) -> tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
}

// CHECK-LABEL: func.func @index_copy
// CHECK-NOT:     accumulate
// CHECK:         kernel_name = "index_copy"{{.*}}updates = [0]
func.func @index_copy(%x: tensor<4x5xf32>, %i: tensor<3xi64>, %s: tensor<4x3xf32>) -> tensor<4x5xf32> {
  %0 = "aten.index_copy"(%x, %i, %s) {dim = 1 : i64} : (tensor<4x5xf32>, tensor<3xi64>, tensor<4x3xf32>) -> tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
}

// Negative positions count from the end here.
// CHECK-LABEL: func.func @index_fill
// CHECK:         arith.addi %{{.+}}, %c5_i64
// CHECK:         kernel_name = "index_fill"{{.*}}updates = [0]
func.func @index_fill(%x: tensor<4x5xf32>, %i: tensor<3xi64>) -> tensor<4x5xf32> {
  %0 = "aten.index_fill_int_scalar"(%x, %i) {dim = 1 : i64, value = 7 : i64} : (tensor<4x5xf32>, tensor<3xi64>) -> tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
}

// The gradient of an embedding: zeros, then sums of rows.
// CHECK-LABEL: func.func @embedding_dense_backward
// CHECK:         updates = [-1]
// CHECK:         arith.cmpi ne, %{{.+}}, %c1_i64
// CHECK:         accumulate = "add"
// CHECK:         updates = [0]
func.func @embedding_dense_backward(%g: tensor<2x3x5xf32>, %i: tensor<2x3xi64>) -> tensor<4x5xf32> {
  %0 = "aten.embedding_dense_backward"(%g, %i) {num_weights = 4 : i64, padding_idx = 1 : i64, scale_grad_by_freq = false}
      : (tensor<2x3x5xf32>, tensor<2x3xi64>) -> tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
}

// A write to the caller's tensor: a kernel of its own checks the positions first, and the writing kernel has no check.
// CHECK-LABEL: func.func @index_copy_in_place
// CHECK:         "loop.reduce"({{.*}}kind = "and"
// CHECK:         "loop.check"
// CHECK:         kernel_name = "check_indices"
// CHECK-NOT:     "loop.check"
// CHECK:         kernel_name = "index_copy"{{.*}}updates = [0]
func.func @index_copy_in_place(%x: tensor<4x5xf32>, %i: tensor<3xi64>, %s: tensor<4x3xf32>) {
  %0 = "aten.index_copy"(%x, %i, %s) {aten.inplace = [0], dim = 1 : i64} : (tensor<4x5xf32>, tensor<3xi64>, tensor<4x3xf32>) -> tensor<4x5xf32>
  %1 = "aten.copy_"(%x, %0) {non_blocking = false} : (tensor<4x5xf32>, tensor<4x5xf32>) -> tensor<4x5xf32>
  return
}

// One position is written or not, so the writing kernel checks it.
// CHECK-LABEL: func.func @one_position_in_place
// CHECK-NOT:     check_indices
// CHECK:         "loop.check"
func.func @one_position_in_place(%x: tensor<4x5xf32>, %i: tensor<1xi64>, %s: tensor<4x1xf32>) {
  %0 = "aten.index_copy"(%x, %i, %s) {aten.inplace = [0], dim = 1 : i64} : (tensor<4x5xf32>, tensor<1xi64>, tensor<4x1xf32>) -> tensor<4x5xf32>
  %1 = "aten.copy_"(%x, %0) {non_blocking = false} : (tensor<4x5xf32>, tensor<4x5xf32>) -> tensor<4x5xf32>
  return
}
