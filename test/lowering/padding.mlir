// RUN: %mlirind-opt %s --convert-aten-to-loop | %FileCheck %s

// Zeros come from the masked load itself.
// CHECK-LABEL: func.func @zeros
// CHECK:         %[[OK:.+]] = arith.andi
// CHECK:         %[[V:.+]] = "loop.load"(%{{.*}}, %[[OK]])
// CHECK-NOT:     arith.select
// CHECK:         "loop.store"(%{{[^,]+}}, %[[V]],
func.func @zeros(%x: tensor<4x5xf32>) -> tensor<4x8xf32> {
  %0 = "aten.constant_pad_nd"(%x) {pad = [1, 2], value = 0 : i64} : (tensor<4x5xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// A pad that only cuts needs no mask.
// CHECK-LABEL: func.func @cut
// CHECK:         "loop.kernel"
// CHECK-NOT:     arith.cmpi
// CHECK:         kernel_name = "constant_pad_nd"
func.func @cut(%x: tensor<4x5xf32>) -> tensor<4x2xf32> {
  %0 = "aten.constant_pad_nd"(%x) {pad = [-1, -2], value = 3.0 : f64} : (tensor<4x5xf32>) -> tensor<4x2xf32>
  return %0 : tensor<4x2xf32>
}

// CHECK-LABEL: func.func @reflection
// CHECK:         arith.index_cast %{{.+}} : i64 to index
// CHECK:         kernel_name = "reflection_pad1d"
func.func @reflection(%x: tensor<4x5xf32>) -> tensor<4x8xf32> {
  %0 = "aten.reflection_pad1d"(%x) {padding = [1, 2]} : (tensor<4x5xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// CHECK-LABEL: func.func @replication
// CHECK:         arith.maxsi
// CHECK:         arith.minsi
// CHECK:         kernel_name = "replication_pad1d"
func.func @replication(%x: tensor<4x5xf32>) -> tensor<4x8xf32> {
  %0 = "aten.replication_pad1d"(%x) {padding = [1, 2]} : (tensor<4x5xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}
