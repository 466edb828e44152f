// RUN: %mlirind-opt %s --convert-aten-to-loop --verify-ir | %FileCheck %s

// One kernel: maximum, sum and quotient of a row.
// CHECK-LABEL: func.func @softmax
// CHECK-COUNT-1: "loop.kernel"
// CHECK:         "loop.reduce"(%{{.*}}) {dims = [1], kind = "max"
// CHECK:         math.exp
// CHECK:         "loop.reduce"(%{{.*}}) {dims = [1], kind = "add"
// CHECK:         arith.divf
// CHECK-NOT:     "loop.kernel"
func.func @softmax(%x: tensor<4x64xf32>) -> tensor<4x64xf32> {
  %0 = "aten.u_softmax"(%x) {dim = 1 : i64, half_to_float = false} : (tensor<4x64xf32>) -> tensor<4x64xf32>
  return %0 : tensor<4x64xf32>
}
