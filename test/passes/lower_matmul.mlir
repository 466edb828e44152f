// RUN: %mlirind-opt %s --lower-matmul | %FileCheck %s

!x = tensor<2x3x4x5xf32>
!xp = tensor<2x3x4x5xf32, #aten.layout<"cpu", [60, 5, 15, 1], 0 : i64, unit>>
!yt = tensor<2x3x5x4xf32, #aten.layout<"cpu", [60, 20, 1, 5], 0 : i64, unit>>
!s = tensor<2x3x4x4xf32>

// A view where the strides allow it, rows in any order.
// CHECK-LABEL: func.func @views
// CHECK:         %[[X:.*]] = "aten.view"(%arg0) {size = [6, 4, 5]}
// CHECK-NEXT:    %[[Y:.*]] = "aten.view"(%arg1) {size = [6, 5, 4]} {{.*}}[20, 1, 5]
// CHECK-NEXT:    %[[P:.*]] = "aten.bmm"(%[[X]], %[[Y]])
// CHECK-NEXT:    %[[R:.*]] = "aten.view"(%[[P]]) {size = [2, 3, 4, 4]}
// CHECK-NEXT:    return %[[R]]
func.func @views(%x: !x, %y: !yt) -> !s {
  %0 = "aten.matmul"(%x, %y) : (!x, !yt) -> !s
  return %0 : !s
}

// A copy where they don't; one for both uses.
// CHECK-LABEL: func.func @copies
// CHECK-COUNT-1: "aten.clone"(%arg0)
// CHECK-NOT:     "aten.clone"
func.func @copies(%x: !xp, %y: !yt) -> (!s, !s) {
  %0 = "aten.matmul"(%x, %y) : (!xp, !yt) -> !s
  %1 = "aten.matmul"(%x, %y) : (!xp, !yt) -> !s
  return %0, %1 : !s, !s
}

// Other ranks are eager's own composition: nobody makes them here.
// CHECK-LABEL: func.func @other
// CHECK:         "aten.matmul"
func.func @other(%x: tensor<4x5xf32>, %y: tensor<5x4xf32>) -> tensor<4x4xf32> {
  %0 = "aten.matmul"(%x, %y) : (tensor<4x5xf32>, tensor<5x4xf32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}
