// RUN: %mlirind-opt %s --convert-aten-to-loop | %FileCheck %s

// A small window is written out; its places are computed only where something reads them.
// CHECK-LABEL: func.func @values_only
// CHECK-COUNT-4: "loop.load"
// CHECK-NOT:     "loop.load"
// CHECK-NOT:     i64
// CHECK:         kernel_name = "max_pool2d_with_indices"
func.func @values_only(%x: tensor<3x4x6xf32>) -> tensor<3x2x3xf32> {
  %0:2 = "aten.max_pool2d_with_indices"(%x) {kernel_size = [2, 2], stride = [2, 2], padding = [0, 0], dilation = [1, 1], ceil_mode = false}
      : (tensor<3x4x6xf32>) -> (tensor<3x2x3xf32>, tensor<3x2x3xi64>)
  return %0#0 : tensor<3x2x3xf32>
}

// A large one is a reduction over the window: first the value, then where it is.
// CHECK-LABEL: func.func @large
// CHECK:         "loop.reduce"(%{{.+}}) {dims = [3, 4], kind = "max"
// CHECK:         "loop.reduce"(%{{.+}}) {dims = [3, 4], kind = "min"
func.func @large(%x: tensor<3x6x6xf32>) -> (tensor<3x2x2xf32>, tensor<3x2x2xi64>) {
  %0:2 = "aten.max_pool2d_with_indices"(%x) {kernel_size = [5, 5], stride = [1, 1], padding = [0, 0], dilation = [1, 1], ceil_mode = false}
      : (tensor<3x6x6xf32>) -> (tensor<3x2x2xf32>, tensor<3x2x2xi64>)
  return %0#0, %0#1 : tensor<3x2x2xf32>, tensor<3x2x2xi64>
}

// The gradient is gathered: each element asks the windows that hold it whether it was their largest.
// CHECK-LABEL: func.func @backward
// CHECK:         arith.cmpi eq
// CHECK-NOT:     accumulate
// CHECK:         kernel_name = "max_pool2d_with_indices_backward"{{.*}}updates = [-1]
func.func @backward(%g: tensor<3x2x3xf32>, %x: tensor<3x4x6xf32>, %i: tensor<3x2x3xi64>) -> tensor<3x4x6xf32> {
  %0 = "aten.max_pool2d_with_indices_backward"(%g, %x, %i) {kernel_size = [2, 2], stride = [2, 2], padding = [0, 0], dilation = [1, 1], ceil_mode = false}
      : (tensor<3x2x3xf32>, tensor<3x4x6xf32>, tensor<3x2x3xi64>) -> tensor<3x4x6xf32>
  return %0 : tensor<3x4x6xf32>
}

// Dilated windows are scattered by ATen.
// CHECK-LABEL: func.func @dilated
// CHECK:         "aten.max_pool2d_with_indices_backward"({{.*}}aten.reason = "windows that overlap much"
func.func @dilated(%g: tensor<3x2x3xf32>, %x: tensor<3x4x6xf32>, %i: tensor<3x2x3xi64>) -> tensor<3x4x6xf32> {
  %0 = "aten.max_pool2d_with_indices_backward"(%g, %x, %i) {kernel_size = [2, 2], stride = [2, 2], padding = [1, 1], dilation = [2, 2], ceil_mode = false}
      : (tensor<3x2x3xf32>, tensor<3x4x6xf32>, tensor<3x2x3xi64>) -> tensor<3x4x6xf32>
  return %0 : tensor<3x4x6xf32>
}
