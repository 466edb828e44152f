// RUN: %mlirind-opt %s --convert-aten-to-loop --verify-ir | %FileCheck %s

// One kernel gives the output and the statistics, which are stored once a row.
// CHECK-DAG:   #[[ROW:.*]] = affine_map<(d0) -> (d0, 0)>
// CHECK-LABEL: func.func @layer_norm
// CHECK:         kind = "welford"
// CHECK:         math.rsqrt
// CHECK:         "loop.store"{{.*}}map = #[[ROW]]
// CHECK:         "loop.store"{{.*}}map = #[[ROW]]
// CHECK:         kernel_name = "native_layer_norm"
func.func @layer_norm(%x: tensor<4x64xf32>, %w: tensor<64xf32>) -> (tensor<4x64xf32>, tensor<4x1xf32>, tensor<4x1xf32>) {
  %0, %1, %2 = "aten.native_layer_norm"(%x, %w) {normalized_shape = [64], eps = 1.0e-5 : f64, operandSegmentSizes = array<i32: 1, 1, 0>} : (tensor<4x64xf32>, tensor<64xf32>) -> (tensor<4x64xf32>, tensor<4x1xf32>, tensor<4x1xf32>)
  return %0, %1, %2 : tensor<4x64xf32>, tensor<4x1xf32>, tensor<4x1xf32>
}
