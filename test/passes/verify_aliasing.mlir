// RUN: %mlirind-opt %s --verify-aliasing | %FileCheck %s

// Result 0 is a view of argument 0, results 1 and 2 share memory that the graph makes, and so it was recorded.
// CHECK-LABEL: func.func @recorded
func.func @recorded(%x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<2x2xf32>, tensor<4xf32>, tensor<2x2xf32>)
    attributes {aten.stage = "functional", aten.io_aliases = [[0, -1], [-2, -3]]} {
  %0 = "aten.view"(%x) {size = [2, 2]} : (tensor<4xf32>) -> tensor<2x2xf32>
  %1 = "aten.relu"(%y) : (tensor<4xf32>) -> tensor<4xf32>
  %2 = "aten.view"(%1) {size = [2, 2]} : (tensor<4xf32>) -> tensor<2x2xf32>
  return %0, %1, %2 : tensor<2x2xf32>, tensor<4xf32>, tensor<2x2xf32>
}

// What has no element shares nothing.
// CHECK-LABEL: func.func @empty
func.func @empty(%x: tensor<0xf32>) -> tensor<0xf32> attributes {aten.stage = "functional", aten.io_aliases = []} {
  return %x : tensor<0xf32>
}
