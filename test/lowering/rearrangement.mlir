// RUN: %mlirind-opt %s --convert-aten-to-loop | %FileCheck %s

// Only the load's map says what moves.
// CHECK-DAG:   #[[FLIP:.+]] = affine_map<(d0, d1) -> (d0, -d1 + 4)>
// CHECK-DAG:   #[[ROLL:.+]] = affine_map<(d0, d1) -> (d0, (d1 + 3) mod 5)>
// CHECK-DAG:   #[[REPEAT:.+]] = affine_map<(d0, d1) -> (d0 mod 4, d1)>

// CHECK-LABEL: func.func @flip
// CHECK:         "loop.load"(%{{.+}}) {map = #[[FLIP]]
func.func @flip(%x: tensor<4x5xf32>) -> tensor<4x5xf32> {
  %0 = "aten.flip"(%x) {dims = [1]} : (tensor<4x5xf32>) -> tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
}

// CHECK-LABEL: func.func @roll
// CHECK:         "loop.load"(%{{.+}}) {map = #[[ROLL]]
func.func @roll(%x: tensor<4x5xf32>) -> tensor<4x5xf32> {
  %0 = "aten.roll"(%x) {shifts = [2], dims = [1]} : (tensor<4x5xf32>) -> tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
}

// CHECK-LABEL: func.func @repeat
// CHECK:         "loop.load"(%{{.+}}) {map = #[[REPEAT]]
func.func @repeat(%x: tensor<4x5xf32>) -> tensor<2x8x5xf32> {
  %0 = "aten.repeat"(%x) {repeats = [2, 2, 1]} : (tensor<4x5xf32>) -> tensor<2x8x5xf32>
  return %0 : tensor<2x8x5xf32>
}
