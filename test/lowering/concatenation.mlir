// RUN: %mlirind-opt %s --convert-aten-to-loop | %FileCheck %s

// Every element comes from one load, the other is masked off.
// CHECK-LABEL: func.func @cat
// CHECK:         ^bb0(%[[A:.+]]: tensor<4x3xf32>, %[[B:.+]]: tensor<4x2xf32>, %{{.+}}: tensor<4x5xf32>, %[[I:.+]]: index, %[[J:.+]]: index):
// CHECK:         %[[LATER:.+]] = arith.cmpi sge, %{{.+}}, %c3_i64
// CHECK:         %[[Y:.+]] = "loop.load"(%[[B]], %[[I]], %[[J]], %[[LATER]])
// CHECK:         %[[FIRST:.+]] = arith.cmpi slt, %{{.+}}, %c3_i64
// CHECK:         %[[X:.+]] = "loop.load"(%[[A]], %[[I]], %[[J]], %[[FIRST]])
// CHECK:         arith.select %[[FIRST]], %[[X]], %[[Y]]
func.func @cat(%a: tensor<4x3xf32>, %b: tensor<4x2xf32>) -> tensor<4x5xf32> {
  %0 = "aten.cat"(%a, %b) {dim = 1 : i64, operandSegmentSizes = array<i32: 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>}
      : (tensor<4x3xf32>, tensor<4x2xf32>) -> tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
}

// Many tensors: the second kernel writes its part into the first one's result.
// CHECK-LABEL: func.func @many
// CHECK:         %[[FIRST:.+]] = "loop.kernel"
// CHECK:         updates = [-1]
// CHECK:         %[[ALL:.+]] = "loop.kernel"(%{{.+}}, %{{.+}}, %[[FIRST]])
// CHECK:         updates = [2]
// CHECK:         return %[[ALL]]
func.func @many(%a: tensor<3xf32>) -> tensor<30xf32> {
  %0 = "aten.cat"(%a, %a, %a, %a, %a, %a, %a, %a, %a, %a) {dim = 0 : i64, operandSegmentSizes = array<i32: 10, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>}
      : (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<30xf32>
  return %0 : tensor<30xf32>
}

// CHECK-LABEL: func.func @stack
// CHECK:         %[[SECOND:.+]] = arith.cmpi sge, %{{.+}}, %c1_i64
// CHECK:         "loop.load"(%{{.+}}, %[[I:.+]], %[[SECOND]])
// CHECK:         kernel_name = "stack"
func.func @stack(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<2x4xf32> {
  %0 = "aten.stack"(%a, %b) {dim = 0 : i64, operandSegmentSizes = array<i32: 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>}
      : (tensor<4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}

// The elements become neighbours: both are loaded, and one is chosen.
// CHECK-LABEL: func.func @interleaved
// CHECK:         %[[B:.+]] = "loop.load"(%{{[^,]+}}, %[[I:[^,]+]]) {
// CHECK:         %[[FIRST:.+]] = arith.cmpi slt, %{{.+}}, %c1_i64
// CHECK:         %[[A:.+]] = "loop.load"(%{{[^,]+}}, %[[I]]) {
// CHECK:         arith.select %[[FIRST]], %[[A]], %[[B]]
func.func @interleaved(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4x2xf32> {
  %0 = "aten.stack"(%a, %b) {dim = 1 : i64, operandSegmentSizes = array<i32: 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>}
      : (tensor<4xf32>, tensor<4xf32>) -> tensor<4x2xf32>
  return %0 : tensor<4x2xf32>
}

// Symbolic sizes are bounds of the masks.
// CHECK-LABEL: func.func @symbolic
// CHECK:         domain = #{{.+}}, kernel_name = "cat",{{.*}} symbols = [#aten.expr<"s0">]
!half = tensor<?xf32, #aten.layout<"cpu", [1], 0 : i64, [#aten.expr<"s0">]>>
!whole = tensor<?xf32, #aten.layout<"cpu", [1], 0 : i64, [#aten.expr<"2*s0">]>>
func.func @symbolic(%a: !half) -> !whole {
  %0 = "aten.cat"(%a, %a) {dim = 0 : i64, operandSegmentSizes = array<i32: 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (!half, !half) -> !whole
  return %0 : !whole
}
