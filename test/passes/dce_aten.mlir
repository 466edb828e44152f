// RUN: %mlirind-opt %s --dce-aten | %FileCheck %s

// A chain that nobody uses vanishes, its numbers too.
// CHECK-LABEL: func.func @dead_chain
// CHECK-NEXT:    return %arg0
func.func @dead_chain(%x: tensor<4xf32>) -> tensor<4xf32> {
  %n = "aten.number"() {value = 2 : i64} : () -> tensor<i64>
  %0 = "aten.add_tensor"(%x, %n) {alpha = 1 : i64} : (tensor<4xf32>, tensor<i64>) -> tensor<4xf32>
  %1 = "aten.clone"(%0) {memory_format = #aten.none} : (tensor<4xf32>) -> tensor<4xf32>
  return %x : tensor<4xf32>
}

// Writes, checks and random draws stay.
// CHECK-LABEL: func.func @effects
// CHECK:         "aten.copy_"
// CHECK:         "aten.rand_like"
// CHECK:         "aten.u_assert_async_msg"
func.func @effects(%x: tensor<4xf32>, %y: tensor<4xf32>, %ok: tensor<i1>) {
  %0 = "aten.copy_"(%x, %y) {non_blocking = false} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %1 = "aten.rand_like"(%x) {dtype = #aten.none, layout = #aten.none, device = #aten.none, pin_memory = #aten.none, memory_format = #aten.none} : (tensor<4xf32>) -> tensor<4xf32>
  "aten.u_assert_async_msg"(%ok) {assert_msg = "m"} : (tensor<i1>) -> ()
  return
}

// A call that may raise stays, but not the one that reads it: its index may be out of range, its divisor 0. Floats have no such divisor.
// CHECK-LABEL: func.func @may_raise
// CHECK:         "aten.index_select"
// CHECK-NOT:     "aten.relu"
// CHECK:         "aten.remainder_tensor"
// CHECK-NOT:     "aten.remainder_tensor"
// CHECK:         return
func.func @may_raise(%x: tensor<4xf32>, %at: tensor<2xi64>) -> tensor<4xf32> {
  %0 = "aten.index_select"(%x, %at) {dim = 0 : i64} : (tensor<4xf32>, tensor<2xi64>) -> tensor<2xf32>
  %1 = "aten.relu"(%0) : (tensor<2xf32>) -> tensor<2xf32>
  %2 = "aten.remainder_tensor"(%at, %at) : (tensor<2xi64>, tensor<2xi64>) -> tensor<2xi64>
  %3 = "aten.remainder_tensor"(%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %x : tensor<4xf32>
}
