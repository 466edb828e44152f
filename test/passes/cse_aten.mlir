// RUN: %mlirind-opt %s --cse-aten | %FileCheck %s

// Equal calls are one; the name of the graph's node does not count.
// CHECK-LABEL: func.func @equal_calls
// CHECK:         %[[A:.*]] = "aten.relu"(%arg0)
// CHECK-NOT:     aten.relu
// CHECK:         "aten.mul_tensor"(%[[A]], %[[A]])
func.func @equal_calls(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = "aten.relu"(%x) {aten.node = "a"} : (tensor<4xf32>) -> tensor<4xf32>
  %1 = "aten.relu"(%x) {aten.node = "b"} : (tensor<4xf32>) -> tensor<4xf32>
  %2 = "aten.mul_tensor"(%0, %1) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %2 : tensor<4xf32>
}

// Numbers are merged, and so are the calls that take them.
// CHECK-LABEL: func.func @numbers
// CHECK-COUNT-1: "aten.number"
// CHECK-COUNT-1: "aten.add_tensor"
// CHECK-NEXT:    "aten.mul_tensor"
func.func @numbers(%x: tensor<4xf32>) -> tensor<4xf32> {
  %n = "aten.number"() {value = 2 : i64} : () -> tensor<i64>
  %0 = "aten.add_tensor"(%x, %n) {alpha = 1 : i64} : (tensor<4xf32>, tensor<i64>) -> tensor<4xf32>
  %m = "aten.number"() {value = 2 : i64} : () -> tensor<i64>
  %1 = "aten.add_tensor"(%x, %m) {alpha = 1 : i64} : (tensor<4xf32>, tensor<i64>) -> tensor<4xf32>
  %2 = "aten.mul_tensor"(%0, %1) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %2 : tensor<4xf32>
}

// An argument that differs keeps calls apart.
// CHECK-LABEL: func.func @different_attributes
// CHECK-COUNT-2: "aten.sum_dim_intlist"
func.func @different_attributes(%x: tensor<4x4xf32>) -> tensor<4xf32> {
  %0 = "aten.sum_dim_intlist"(%x) {dim = [0], keepdim = false, dtype = #aten.none} : (tensor<4x4xf32>) -> tensor<4xf32>
  %1 = "aten.sum_dim_intlist"(%x) {dim = [1], keepdim = false, dtype = #aten.none} : (tensor<4x4xf32>) -> tensor<4xf32>
  %2 = "aten.mul_tensor"(%0, %1) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %2 : tensor<4xf32>
}

// Two results of the function stay two, also under views.
// CHECK-LABEL: func.func @returned
// CHECK-COUNT-2: "aten.relu"
// CHECK-COUNT-2: "aten.neg"
func.func @returned(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4x1xf32>, tensor<1x4xf32>) {
  %0 = "aten.relu"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = "aten.relu"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %2 = "aten.neg"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %3 = "aten.neg"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %4 = "aten.unsqueeze"(%2) {dim = 1 : i64} : (tensor<4xf32>) -> tensor<4x1xf32>
  %5 = "aten.unsqueeze"(%3) {dim = 0 : i64} : (tensor<4xf32>) -> tensor<1x4xf32>
  return %0, %1, %4, %5 : tensor<4xf32>, tensor<4xf32>, tensor<4x1xf32>, tensor<1x4xf32>
}

// Of three equal calls, two of them returned, two stay.
// CHECK-LABEL: func.func @one_of_them_returned
// CHECK-COUNT-2: "aten.relu"
// CHECK-NOT:     "aten.relu"
func.func @one_of_them_returned(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %0 = "aten.relu"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = "aten.relu"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %2 = "aten.relu"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %3 = "aten.neg"(%0) : (tensor<4xf32>) -> tensor<4xf32>
  return %1, %2, %3 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// Two views that are returned stay two tensors, others are one.
// CHECK-LABEL: func.func @views
// CHECK-COUNT-2: "aten.unsqueeze"
// CHECK-NOT:     "aten.unsqueeze"
// CHECK:         %[[V:.*]] = "aten.permute"
// CHECK-NOT:     "aten.permute"
// CHECK:         "aten.mul_tensor"(%[[V]], %[[V]])
func.func @views(%x: tensor<4xf32>, %y: tensor<2x2xf32>) -> (tensor<4x1xf32>, tensor<4x1xf32>, tensor<2x2xf32>) {
  %0 = "aten.unsqueeze"(%x) {dim = 1 : i64} : (tensor<4xf32>) -> tensor<4x1xf32>
  %1 = "aten.unsqueeze"(%x) {dim = 1 : i64} : (tensor<4xf32>) -> tensor<4x1xf32>
  %2 = "aten.permute"(%y) {dims = [1, 0]} : (tensor<2x2xf32>) -> tensor<2x2xf32>
  %3 = "aten.permute"(%y) {dims = [1, 0]} : (tensor<2x2xf32>) -> tensor<2x2xf32>
  %4 = "aten.mul_tensor"(%2, %3) : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  return %0, %1, %4 : tensor<4x1xf32>, tensor<4x1xf32>, tensor<2x2xf32>
}

// A write lies between.
// CHECK-LABEL: func.func @write
// CHECK:         "aten.relu"
// CHECK:         "aten.copy_"
// CHECK:         "aten.relu"
func.func @write(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %0 = "aten.relu"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = "aten.copy_"(%x, %y) {non_blocking = false} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %2 = "aten.relu"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %3 = "aten.mul_tensor"(%0, %2) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %3 : tensor<4xf32>
}

// Random values and memory of their own.
// CHECK-LABEL: func.func @fresh
// CHECK-COUNT-2: "aten.rand_like"
// CHECK-COUNT-2: "aten.clone"
// CHECK:         "aten.copy_"
func.func @fresh(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = "aten.rand_like"(%x) {dtype = #aten.none, layout = #aten.none, device = #aten.none, pin_memory = #aten.none, memory_format = #aten.none} : (tensor<4xf32>) -> tensor<4xf32>
  %1 = "aten.rand_like"(%x) {dtype = #aten.none, layout = #aten.none, device = #aten.none, pin_memory = #aten.none, memory_format = #aten.none} : (tensor<4xf32>) -> tensor<4xf32>
  %2 = "aten.mul_tensor"(%0, %1) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %3 = "aten.clone"(%x) {memory_format = #aten.none} : (tensor<4xf32>) -> tensor<4xf32>
  %4 = "aten.clone"(%x) {memory_format = #aten.none} : (tensor<4xf32>) -> tensor<4xf32>
  %5 = "aten.copy_"(%4, %2) {non_blocking = false} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %6 = "aten.mul_tensor"(%3, %5) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %6 : tensor<4xf32>
}

// Copies that are only read are one; the caller gets two tensors.
// CHECK-LABEL: func.func @copies
// CHECK-COUNT-2: "aten.clone"
// CHECK-NOT:     "aten.clone"
func.func @copies(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %0 = "aten.clone"(%x) {memory_format = #aten.none} : (tensor<4xf32>) -> tensor<4xf32>
  %1 = "aten.clone"(%x) {memory_format = #aten.none} : (tensor<4xf32>) -> tensor<4xf32>
  %2 = "aten.clone"(%x) {memory_format = #aten.none} : (tensor<4xf32>) -> tensor<4xf32>
  %3 = "aten.clone"(%x) {memory_format = #aten.none} : (tensor<4xf32>) -> tensor<4xf32>
  %4 = "aten.mul_tensor"(%2, %3) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %0, %1, %4 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// A joint graph: what the forward computed is not computed again in the backward, and stays an operator of the forward.
// CHECK-LABEL: func.func @backward
// CHECK-NEXT:    %[[E:.*]] = "aten.exp"(%arg0) :
// CHECK-NEXT:    "aten.mul_tensor"(%arg1, %[[E]])
func.func @backward(%x: tensor<4xf32>, %t: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) attributes {aten.tangents = [1]} {
  %0 = "aten.exp"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = "aten.exp"(%x) {aten.backward} : (tensor<4xf32>) -> tensor<4xf32>
  %2 = "aten.mul_tensor"(%t, %1) {aten.backward} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %0, %2 : tensor<4xf32>, tensor<4xf32>
}
