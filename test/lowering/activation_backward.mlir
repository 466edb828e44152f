// RUN: %mlirind-opt %s --convert-aten-to-loop --verify-ir | %FileCheck %s

// One kernel with the exponential once.
// CHECK-LABEL: func.func @silu_backward
// CHECK-COUNT-1: math.exp
// CHECK-NOT:     math.exp
// CHECK:         kernel_name = "silu_backward"
func.func @silu_backward(%g: tensor<8xf32>, %x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = "aten.silu_backward"(%g, %x) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
