// RUN: %mlirind-opt %s --verify-functional | %FileCheck %s

// The epilogue writes to an argument; what it read, and what lies elsewhere in the argument's storage, is the old value.
// CHECK-LABEL: func.func @epilogue
// CHECK:         "aten.copy_"(%arg0
func.func @epilogue(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> attributes {aten.stage = "functional", aten.io_aliases = [[0, -1]]} {
  %0 = "aten.clone"(%x) {memory_format = #aten.none} : (tensor<4xf32>) -> tensor<4xf32>
  %1 = "aten.copy_"(%x, %y) {non_blocking = false} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %2 = "aten.copy_"(%y, %0) {non_blocking = false} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

!left = tensor<2x2xf32, #aten.layout<"cpu", [4, 1], 0 : i64, unit>>
!right = tensor<2x2xf32, #aten.layout<"cpu", [4, 1], 2 : i64, unit>>

// Two arguments in one storage that have no element in common.
// CHECK-LABEL: func.func @apart
func.func @apart(%x: !left, %y: !right) attributes {aten.stage = "functional", aten.io_aliases = [[0, 1]]} {
  %0 = "aten.relu"(%x) : (!left) -> tensor<2x2xf32>
  %1 = "aten.copy_"(%x, %0) {non_blocking = false} : (!left, tensor<2x2xf32>) -> !left
  %2 = "aten.relu"(%y) : (!right) -> tensor<2x2xf32>
  %3 = "aten.copy_"(%y, %2) {non_blocking = false} : (!right, tensor<2x2xf32>) -> !right
  return
}

// A graph that does not claim to be functional may write.
// CHECK-LABEL: func.func @other
func.func @other(%x: tensor<4xf32>) -> tensor<4xf32> attributes {aten.stage = "mutating"} {
  %0 = "aten.relu_"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
