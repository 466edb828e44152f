// RUN: %mlirind-opt %s --raise-matmul | %FileCheck %s

!x = tensor<2x3x4x5xf32>
!y = tensor<2x3x5x4xf32>
!p = tensor<2x4x3x5xf32>
!xp = tensor<2x3x4x5xf32, #aten.layout<"cpu", [60, 5, 15, 1], 0 : i64, unit>>
!s = tensor<2x3x4x4xf32>

// Heads and batch were merged, a copy in between: matmul takes what was copied.
// CHECK-LABEL: func.func @merged
// CHECK:         %[[P:.*]] = "aten.permute"(%arg0) {dims = [0, 2, 1, 3]}
// CHECK-NEXT:    %[[M:.*]] = "aten.matmul"(%[[P]], %arg1)
// CHECK-NEXT:    "aten.u_softmax"(%[[M]])
func.func @merged(%x: !p, %y: !y) -> !s {
  %0 = "aten.permute"(%x) {dims = [0, 2, 1, 3]} : (!p) -> !xp
  %1 = "aten.clone"(%0) {memory_format = #aten.enum<"memory_format", "contiguous_format">} : (!xp) -> !x
  %2 = "aten.view"(%1) {size = [6, 4, 5]} : (!x) -> tensor<6x4x5xf32>
  %3 = "aten.view"(%y) {size = [6, 5, 4]} : (!y) -> tensor<6x5x4xf32>
  %4 = "aten.bmm"(%2, %3) : (tensor<6x4x5xf32>, tensor<6x5x4xf32>) -> tensor<6x4x4xf32>
  %5 = "aten.view"(%4) {size = [2, 3, 4, 4]} : (tensor<6x4x4xf32>) -> !s
  %6 = "aten.u_softmax"(%5) {dim = 3 : i64, half_to_float = false} : (!s) -> !s
  return %6 : !s
}

// Gradients take operands transposed; the permutes become one.
// CHECK-LABEL: func.func @transposed
// CHECK:         %[[S:.*]] = "aten.u_softmax"(%arg0)
// CHECK:         %[[T:.*]] = "aten.permute"(%[[S]]) {dims = [0, 1, 3, 2]}
// CHECK-NEXT:    %[[M:.*]] = "aten.matmul"(%[[T]], %arg1)
// CHECK-NEXT:    return %[[M]]
func.func @transposed(%x: !s, %y: !x) -> !x {
  %0 = "aten.u_softmax"(%x) {dim = 3 : i64, half_to_float = false} : (!s) -> !s
  %1 = "aten.view"(%0) {size = [6, 4, 4]} : (!s) -> tensor<6x4x4xf32>
  %2 = "aten.permute"(%1) {dims = [0, 2, 1]} : (tensor<6x4x4xf32>) -> tensor<6x4x4xf32, #aten.layout<"cpu", [16, 1, 4], 0 : i64, unit>>
  %3 = "aten.view"(%y) {size = [6, 4, 5]} : (!x) -> tensor<6x4x5xf32>
  %4 = "aten.bmm"(%2, %3) : (tensor<6x4x4xf32, #aten.layout<"cpu", [16, 1, 4], 0 : i64, unit>>, tensor<6x4x5xf32>) -> tensor<6x4x5xf32>
  %5 = "aten.view"(%4) {size = [2, 3, 4, 5]} : (tensor<6x4x5xf32>) -> !x
  return %5 : !x
}

// Without a softmax there is no attention to be found.
// CHECK-LABEL: func.func @no_softmax
// CHECK-NOT:     aten.matmul
func.func @no_softmax(%x: tensor<6x4x5xf32>, %y: tensor<6x5x4xf32>) -> !s {
  %0 = "aten.bmm"(%x, %y) : (tensor<6x4x5xf32>, tensor<6x5x4xf32>) -> tensor<6x4x4xf32>
  %1 = "aten.view"(%0) {size = [2, 3, 4, 4]} : (tensor<6x4x4xf32>) -> !s
  return %1 : !s
}

// What is merged is used as it is, too: that is a view now.
// CHECK-LABEL: func.func @used
// CHECK:         %[[M:.*]] = "aten.matmul"
// CHECK-NEXT:    %[[V:.*]] = "aten.view"(%[[M]]) {size = [6, 4, 4]}
// CHECK-NEXT:    "aten.u_softmax"(%[[M]])
// CHECK-NEXT:    "aten.relu"(%[[V]])
func.func @used(%x: tensor<6x4x5xf32>, %y: tensor<6x5x4xf32>) -> (!s, tensor<6x4x4xf32>) {
  %0 = "aten.bmm"(%x, %y) : (tensor<6x4x5xf32>, tensor<6x5x4xf32>) -> tensor<6x4x4xf32>
  %1 = "aten.view"(%0) {size = [2, 3, 4, 4]} : (tensor<6x4x4xf32>) -> !s
  %2 = "aten.u_softmax"(%1) {dim = 3 : i64, half_to_float = false} : (!s) -> !s
  %3 = "aten.relu"(%0) : (tensor<6x4x4xf32>) -> tensor<6x4x4xf32>
  return %2, %3 : !s, tensor<6x4x4xf32>
}

// The softmax of half types in float32, one operator on GPUs, is a conversion and a softmax.
// CHECK-LABEL: func.func @half_to_float
// CHECK:         %[[W:.*]] = "aten.u_to_copy"(%arg0) {{.*}}dtype = #aten.enum<"dtype", "float32">
// CHECK-NEXT:    "aten.u_softmax"(%[[W]]) {dim = 1 : i64, half_to_float = false}
func.func @half_to_float(%x: tensor<4x4xf16>, %y: !x, %z: !y) -> (tensor<4x4xf32>, tensor<6x4x4xf32>) {
  %0 = "aten.u_softmax"(%x) {dim = 1 : i64, half_to_float = true} : (tensor<4x4xf16>) -> tensor<4x4xf32>
  %2 = "aten.view"(%y) {size = [6, 4, 5]} : (!x) -> tensor<6x4x5xf32>
  %3 = "aten.view"(%z) {size = [6, 5, 4]} : (!y) -> tensor<6x5x4xf32>
  %4 = "aten.bmm"(%2, %3) : (tensor<6x4x5xf32>, tensor<6x5x4xf32>) -> tensor<6x4x4xf32>
  return %0, %4 : tensor<4x4xf32>, tensor<6x4x4xf32>
}
