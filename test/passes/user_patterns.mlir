// RUN: %mlirind-opt %s --user-patterns | %FileCheck %s

// Nobody has registered a pattern: nothing changes.
// CHECK-LABEL: func.func @nothing
// CHECK:         %[[M:.*]] = "aten.mm"(%arg0, %arg0)
// CHECK-NEXT:    %[[A:.*]] = "aten.add_tensor"(%[[M]], %arg0)
// CHECK-NEXT:    return %[[A]]
func.func @nothing(%x: tensor<2x2xf32>) -> tensor<2x2xf32> {
  %0 = "aten.mm"(%x, %x) : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  %1 = "aten.add_tensor"(%0, %x) {alpha = 1 : i64} : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  return %1 : tensor<2x2xf32>
}
