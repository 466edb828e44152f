// RUN: %mlirind-opt %s --convert-aten-to-loop --verify-ir | %FileCheck %s

// One kernel gives the output and the statistics, which are stored once a row.
// CHECK-DAG:   #[[ROW:.*]] = affine_map<(d0) -> (d0, 0)>
// CHECK-DAG:   #[[GROUP:.*]] = affine_map<(d0, d1) -> (d0, d1 floordiv 2)>
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

// Of channels that are neighbours: moments a channel, then a group's, then each element.
// CHECK-LABEL: func.func @group_norm_channels_last
// CHECK:         kind = "welford"
// CHECK:         kernel_name = "group_norm_channels"
// CHECK:         kernel_name = "group_norm_groups"
// CHECK-NOT:     "loop.reduce"
// CHECK:         kernel_name = "native_group_norm"
func.func @group_norm_channels_last(%x: tensor<2x8x4x4xf32, #aten.layout<"cpu", [128, 1, 32, 8], 0 : i64, unit>>, %w: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<2x8x4x4xf32, #aten.layout<"cpu", [128, 1, 32, 8], 0 : i64, unit>> {
  %0:3 = "aten.native_group_norm"(%x, %w, %b) {C = 8 : i64, HxW = 16 : i64, N = 2 : i64, eps = 1.0e-05, group = 4 : i64, operandSegmentSizes = array<i32: 1, 1, 1>} : (tensor<2x8x4x4xf32, #aten.layout<"cpu", [128, 1, 32, 8], 0 : i64, unit>>, tensor<8xf32>, tensor<8xf32>) -> (tensor<2x8x4x4xf32, #aten.layout<"cpu", [128, 1, 32, 8], 0 : i64, unit>>, tensor<2x4xf32>, tensor<2x4xf32>)
  return %0#0 : tensor<2x8x4x4xf32, #aten.layout<"cpu", [128, 1, 32, 8], 0 : i64, unit>>
}

// On GPUs statistics and elements are two kernels, which fusion joins.
// CHECK-LABEL: func.func @group_norm_on_a_gpu
// CHECK:         kind = "welford"
// CHECK-NOT:     "loop.reduce"
// CHECK:         kernel_name = "native_group_norm_statistics"
// CHECK:         "loop.load"{{.*}}map = #[[GROUP]]
// CHECK-NOT:     "loop.reduce"
// CHECK:         kernel_name = "native_group_norm"
func.func @group_norm_on_a_gpu(%x: tensor<2x8x4x4xf32, #aten.layout<"cuda:0", [128, 16, 4, 1], 0 : i64, unit>>, %w: tensor<8xf32, #aten.layout<"cuda:0", [1], 0 : i64, unit>>) -> tensor<2x8x4x4xf32, #aten.layout<"cuda:0", [128, 16, 4, 1], 0 : i64, unit>> {
  %0:3 = "aten.native_group_norm"(%x, %w) {C = 8 : i64, HxW = 16 : i64, N = 2 : i64, eps = 1.0e-05, group = 4 : i64, operandSegmentSizes = array<i32: 1, 1, 0>} : (tensor<2x8x4x4xf32, #aten.layout<"cuda:0", [128, 16, 4, 1], 0 : i64, unit>>, tensor<8xf32, #aten.layout<"cuda:0", [1], 0 : i64, unit>>) -> (tensor<2x8x4x4xf32, #aten.layout<"cuda:0", [128, 16, 4, 1], 0 : i64, unit>>, tensor<2x4xf32, #aten.layout<"cuda:0", [4, 1], 0 : i64, unit>>, tensor<2x4xf32, #aten.layout<"cuda:0", [4, 1], 0 : i64, unit>>)
  return %0#0 : tensor<2x8x4x4xf32, #aten.layout<"cuda:0", [128, 16, 4, 1], 0 : i64, unit>>
}
