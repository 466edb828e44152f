// RUN: %mlirind-opt %s --convert-aten-to-loop --verify-ir | %FileCheck %s

// NaN and -0.0 pass through relu.
// CHECK-LABEL: func.func @relu
// CHECK:         %[[BELOW:.*]] = arith.cmpf olt, %[[X:.*]], %[[ZERO:.*]] : f32
// CHECK:         arith.select %[[BELOW]], %[[ZERO]], %[[X]]
func.func @relu(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = "aten.relu"(%x) : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// CHECK-LABEL: func.func @gelu
// CHECK:         math.erf
// CHECK:         math.tanh
func.func @gelu(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = "aten.gelu"(%x) {approximate = "none"} : (tensor<8xf32>) -> tensor<8xf32>
  %1 = "aten.gelu"(%0) {approximate = "tanh"} : (tensor<8xf32>) -> tensor<8xf32>
  return %1 : tensor<8xf32>
}
