// RUN: %mlirind-opt %s --convert-aten-to-loop | %FileCheck %s

// CHECK: [[CLIPPED:#map[0-9]*]] = affine_map<() -> (3, 1, 1, 4, 6)>

// Without padding every window has the same number of elements.
// CHECK-LABEL: func.func @plain
// CHECK-COUNT-4: arith.addf
// CHECK:         arith.divf %{{.+}}, %cst
// CHECK:         kernel_name = "avg_pool2d"
func.func @plain(%x: tensor<3x4x6xf32>) -> tensor<3x2x3xf32> {
  %0 = "aten.avg_pool2d"(%x) {kernel_size = [2, 2], stride = [], padding = [0, 0], ceil_mode = false, count_include_pad = true, divisor_override = #aten.none}
      : (tensor<3x4x6xf32>) -> tensor<3x2x3xf32>
  return %0 : tensor<3x2x3xf32>
}

// CHECK-LABEL: func.func @counted
// CHECK:         arith.muli
// CHECK:         arith.sitofp
// CHECK:         kernel_name = "avg_pool2d"
func.func @counted(%x: tensor<3x4x6xf32>) -> tensor<3x3x4xf32> {
  %0 = "aten.avg_pool2d"(%x) {kernel_size = [2, 2], stride = [2, 2], padding = [1, 1], ceil_mode = false, count_include_pad = false, divisor_override = #aten.none}
      : (tensor<3x4x6xf32>) -> tensor<3x3x4xf32>
  return %0 : tensor<3x3x4xf32>
}

// A large window is a reduction.
// CHECK-LABEL: func.func @adaptive
// CHECK:         "loop.reduce"(%{{.+}}) {dims = [3, 4], kind = "add"
func.func @adaptive(%x: tensor<3x12x10xf32>) -> tensor<3x2x2xf32> {
  %0 = "aten.u_adaptive_avg_pool2d"(%x) {output_size = [2, 2]} : (tensor<3x12x10xf32>) -> tensor<3x2x2xf32>
  return %0 : tensor<3x2x2xf32>
}

// CHECK-LABEL: func.func @backward
// CHECK:         "loop.load"
// CHECK-NOT:     "loop.load"
// CHECK:         kernel_name = "avg_pool2d_backward"{{.*}}updates = [-1]
func.func @backward(%g: tensor<3x2x3xf32>, %x: tensor<3x4x6xf32>) -> tensor<3x4x6xf32> {
  %0 = "aten.avg_pool2d_backward"(%g, %x) {kernel_size = [2, 2], stride = [2, 2], padding = [0, 0], ceil_mode = false, count_include_pad = true, divisor_override = #aten.none}
      : (tensor<3x2x3xf32>, tensor<3x4x6xf32>) -> tensor<3x4x6xf32>
  return %0 : tensor<3x4x6xf32>
}

// Elements of a window that are beyond the end of the tensor are not walked over; the divisor is that of eager.
// CHECK-LABEL: func.func @beyond_the_end
// CHECK:         "loop.reduce"(%{{.+}}) {dims = [3, 4], kind = "add"
// CHECK:         domain = [[CLIPPED]], kernel_name = "avg_pool2d"
func.func @beyond_the_end(%x: tensor<3x4x6xf32>) -> tensor<3x1x1xf32> {
  %0 = "aten.avg_pool2d"(%x) {kernel_size = [1280, 1280], stride = [], padding = [0, 0], ceil_mode = true, count_include_pad = true, divisor_override = #aten.none}
      : (tensor<3x4x6xf32>) -> tensor<3x1x1xf32>
  return %0 : tensor<3x1x1xf32>
}
