// RUN: %mlirind-opt %s --convert-aten-to-loop --verify-ir | %FileCheck %s

// An integer divisor is checked, and replaced where the hardware would trap; the quotient is rounded down.
// CHECK-LABEL: func.func @floor_divide
// CHECK:         "loop.check"(%{{.*}}) {error = "zero_division"}
// CHECK:         %[[SAFE:.*]] = arith.select
// CHECK:         arith.divsi %{{.*}}, %[[SAFE]] : i64
func.func @floor_divide(%x: tensor<8xi64>, %y: tensor<8xi64>) -> tensor<8xi64> {
  %0 = "aten.floor_divide"(%x, %y) : (tensor<8xi64>, tensor<8xi64>) -> tensor<8xi64>
  return %0 : tensor<8xi64>
}

// A constant divisor needs no guard beyond its check.
// CHECK-LABEL: func.func @remainder_by_constant
// CHECK:         arith.remsi %{{.*}}, %c3_i64
func.func @remainder_by_constant(%x: tensor<8xi64>) -> tensor<8xi64> {
  %0 = "aten.remainder_scalar"(%x) {other = 3 : i64} : (tensor<8xi64>) -> tensor<8xi64>
  return %0 : tensor<8xi64>
}

// Half types are computed in f32 and rounded once.
// CHECK-LABEL: func.func @half
// CHECK-COUNT-2: arith.extf %{{.*}} : bf16 to f32
// CHECK:         arith.mulf %{{.*}} : f32
// CHECK:         arith.truncf %{{.*}} : f32 to bf16
func.func @half(%x: tensor<8xbf16>, %y: tensor<8xbf16>) -> tensor<8xbf16> {
  %0 = "aten.mul_tensor"(%x, %y) : (tensor<8xbf16>, tensor<8xbf16>) -> tensor<8xbf16>
  return %0 : tensor<8xbf16>
}

// Rounding is half to even; a constant power is multiplied out.
// CHECK-LABEL: func.func @round_of_square
// CHECK-NOT:     powf
// CHECK:         math.roundeven
func.func @round_of_square(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = "aten.pow_tensor_scalar"(%x) {exponent = 2 : i64} : (tensor<8xf32>) -> tensor<8xf32>
  %1 = "aten.round"(%0) : (tensor<8xf32>) -> tensor<8xf32>
  return %1 : tensor<8xf32>
}

// An integer power with a tensor as exponent has no kernel.
// CHECK-LABEL: func.func @integer_power
// CHECK:         "aten.pow_tensor_tensor"
func.func @integer_power(%x: tensor<8xi64>, %y: tensor<8xi64>) -> tensor<8xi64> {
  %0 = "aten.pow_tensor_tensor"(%x, %y) : (tensor<8xi64>, tensor<8xi64>) -> tensor<8xi64>
  return %0 : tensor<8xi64>
}
