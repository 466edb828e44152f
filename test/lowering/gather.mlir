// RUN: %mlirind-opt %s --convert-aten-to-loop | %FileCheck %s

// A row of the table is loaded where its number is in range; a number out of range fails the kernel.
// CHECK-LABEL: func.func @embedding
// CHECK:         ^bb0(%[[TABLE:.+]]: tensor<7x5xf32>, %{{.+}}: tensor<3xi64>, %{{.+}}, %[[I:.+]]: index, %[[J:.+]]: index):
// CHECK:         %[[ROW:.+]] = arith.index_cast %{{.+}} : i64 to index
// CHECK:         %[[OK:.+]] = arith.andi
// CHECK:         "loop.check"(%[[OK]]) {error = "index"}
// CHECK:         "loop.load"(%[[TABLE]], %[[J]], %[[ROW]], %[[OK]])
// CHECK:         kernel_name = "embedding"
func.func @embedding(%w: tensor<7x5xf32>, %i: tensor<3xi64>) -> tensor<3x5xf32> {
  %0 = "aten.embedding"(%w, %i) {padding_idx = -1 : i64, scale_grad_by_freq = false, sparse = false} : (tensor<7x5xf32>, tensor<3xi64>) -> tensor<3x5xf32>
  return %0 : tensor<3x5xf32>
}

// The positions along `dim` come from a list.
// CHECK-LABEL: func.func @index_select
// CHECK:         "loop.load"(%[[INDEX:.+]], %[[I:.+]]) {map = #{{.+}}} : (tensor<4xi64>
// CHECK:         kernel_name = "index_select"
func.func @index_select(%x: tensor<7x5xf32>, %i: tensor<4xi64>) -> tensor<7x4xf32> {
  %0 = "aten.index_select"(%x, %i) {dim = 1 : i64} : (tensor<7x5xf32>, tensor<4xi64>) -> tensor<7x4xf32>
  return %0 : tensor<7x4xf32>
}

// The kernel runs over the index tensor, which may be smaller than the source.
// CHECK-LABEL: func.func @gather
// CHECK:         "loop.check"
// CHECK:         domain = #[[DOMAIN:.+]], kernel_name = "gather"
func.func @gather(%x: tensor<7x5xf32>, %i: tensor<2x3xi64>) -> tensor<2x3xf32> {
  %0 = "aten.gather"(%x, %i) {dim = 1 : i64, sparse_grad = false} : (tensor<7x5xf32>, tensor<2x3xi64>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// A tensor without dimensions is left to ATen.
// CHECK-LABEL: func.func @scalar
// CHECK:         "aten.gather"({{.*}}aten.reason = "a tensor without dimensions
func.func @scalar(%x: tensor<f32>, %i: tensor<i64>) -> tensor<f32> {
  %0 = "aten.gather"(%x, %i) {dim = 0 : i64, sparse_grad = false} : (tensor<f32>, tensor<i64>) -> tensor<f32>
  return %0 : tensor<f32>
}
