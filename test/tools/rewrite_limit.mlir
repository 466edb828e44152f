// RUN: %mlirind-opt %s --remove-noops --cse-aten --rewrite-limit=2 2>&1 | %FileCheck %s

// The pass has number 1, the first multiplication 2: the second one and `cse-aten` are beyond the limit.
// CHECK: limit of rewrites 2, the last is (2) remove-noops: removal of aten.mul.Tensor
// CHECK-LABEL: func.func @graph
// CHECK-COUNT-1: aten.mul_tensor
// CHECK-NOT: aten.mul_tensor
// CHECK-COUNT-2: aten.relu
func.func @graph(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) attributes {aten.stage = "functional"} {
  %one = "aten.number"() {value = 1 : i64} : () -> tensor<i64>
  %0 = "aten.mul_tensor"(%x, %one) : (tensor<4xf32>, tensor<i64>) -> tensor<4xf32>
  %1 = "aten.mul_tensor"(%0, %one) : (tensor<4xf32>, tensor<i64>) -> tensor<4xf32>
  %2 = "aten.relu"(%1) : (tensor<4xf32>) -> tensor<4xf32>
  %3 = "aten.relu"(%1) : (tensor<4xf32>) -> tensor<4xf32>
  return %2, %3 : tensor<4xf32>, tensor<4xf32>
}
