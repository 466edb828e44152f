// RUN: %mlirind-opt %s --convert-aten-to-loop | %FileCheck %s

// Sums of float32 are kept in double, as in eager.
// CHECK-LABEL: func.func @cumsum
// CHECK:         %[[WIDE:.+]] = arith.extf %{{.+}} : f32 to f64
// CHECK:         %[[SUM:.+]] = "loop.scan"(%[[WIDE]]) {dim = 1 : i64, kind = "add"
// CHECK:         arith.truncf %[[SUM]] : f64 to f32
func.func @cumsum(%x: tensor<4x5xf32>) -> tensor<4x5xf32> {
  %0 = "aten.cumsum"(%x) {dim = 1 : i64, dtype = #aten.none} : (tensor<4x5xf32>) -> tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
}

// CHECK-LABEL: func.func @cumprod
// CHECK:         "loop.scan"(%{{.+}}) {dim = 0 : i64, kind = "mul"
func.func @cumprod(%x: tensor<4x5xi64>) -> tensor<4x5xi64> {
  %0 = "aten.cumprod"(%x) {dim = 0 : i64, dtype = #aten.none} : (tensor<4x5xi64>) -> tensor<4x5xi64>
  return %0 : tensor<4x5xi64>
}

// The place of the largest is a second scan: of the places where the value was the largest so far.
// CHECK-LABEL: func.func @cummax
// CHECK:         %[[MAX:.+]] = "loop.scan"(%[[X:.+]]) {dim = 1 : i64, kind = "max"
// CHECK:         arith.cmpf oeq, %[[X]], %[[MAX]]
// CHECK:         "loop.scan"(%{{.+}}) {dim = 1 : i64, kind = "max"
func.func @cummax(%x: tensor<4x5xf32>) -> (tensor<4x5xf32>, tensor<4x5xi64>) {
  %0:2 = "aten.cummax"(%x) {dim = 1 : i64} : (tensor<4x5xf32>) -> (tensor<4x5xf32>, tensor<4x5xi64>)
  return %0#0, %0#1 : tensor<4x5xf32>, tensor<4x5xi64>
}
