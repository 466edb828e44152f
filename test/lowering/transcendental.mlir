// RUN: %mlirind-opt %s --convert-aten-to-loop --verify-ir | %FileCheck %s

// Integers are computed as the result's float.
// CHECK-LABEL: func.func @exp_of_integers
// CHECK:         arith.sitofp %{{.*}} : i32 to f32
// CHECK:         math.exp %{{.*}} : f32
func.func @exp_of_integers(%x: tensor<8xi32>) -> tensor<8xf32> {
  %0 = "aten.exp"(%x) : (tensor<8xi32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// CHECK-LABEL: func.func @sigmoid
// CHECK:         arith.negf
// CHECK:         math.exp
// CHECK:         arith.divf
func.func @sigmoid(%x: tensor<8xf64>) -> tensor<8xf64> {
  %0 = "aten.sigmoid"(%x) : (tensor<8xf64>) -> tensor<8xf64>
  return %0 : tensor<8xf64>
}

// The larger one is scaled out.
// CHECK-LABEL: func.func @hypot
// CHECK:         %[[LARGE:.*]] = arith.maximumf
// CHECK:         %[[RATIO:.*]] = arith.divf %{{.*}}, %[[LARGE]]
// CHECK:         math.sqrt
// CHECK:         kernel_name = "hypot"
func.func @hypot(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> attributes {aten.stage = "functional"} {
  %0 = "aten.hypot"(%x, %y) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
