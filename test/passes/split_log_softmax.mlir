// RUN: %mlirind-opt %s --split-log-softmax | %FileCheck %s

!h = tensor<4x50xbf16>
!x = tensor<4x50xf32>
!r = tensor<4x1xf32>
!i = tensor<4x1xi64>

// The results in float32 become what bfloat16 elements and two numbers a row make.
// CHECK-LABEL: func.func @of_halves
// CHECK:         %[[X:.*]] = "aten.u_to_copy"(%arg0)
// CHECK-NEXT:    %[[M:.*]] = "aten.amax"(%[[X]]) {dim = [1], keepdim = true}
// CHECK-NEXT:    %[[D:.*]] = "aten.sub_tensor"(%[[X]], %[[M]])
// CHECK-NEXT:    %[[E:.*]] = "aten.exp"(%[[D]])
// CHECK-NEXT:    %[[S:.*]] = "aten.sum_dim_intlist"(%[[E]])
// CHECK-NEXT:    %[[L:.*]] = "aten.log"(%[[S]])
// CHECK-NEXT:    %[[Y:.*]] = "aten.sub_tensor"(%[[D]], %[[L]])
// CHECK-NEXT:    %[[T:.*]] = "aten.sum_dim_intlist"(%arg1)
// CHECK-NEXT:    %[[P:.*]] = "aten.exp"(%[[Y]])
// CHECK-NEXT:    %[[Q:.*]] = "aten.mul_tensor"(%[[P]], %[[T]])
// CHECK-NEXT:    %[[G:.*]] = "aten.sub_tensor"(%arg1, %[[Q]])
// CHECK-NEXT:    return %[[Y]], %[[G]]
func.func @of_halves(%h: !h, %g: !x) -> (!x, !x) attributes {aten.stage = "functional"} {
  %0 = "aten.u_to_copy"(%h) {dtype = #aten.enum<"dtype", "float32">, layout = #aten.none, device = #aten.none, pin_memory = #aten.none, non_blocking = false, memory_format = #aten.none} : (!h) -> !x
  %1 = "aten.u_log_softmax"(%0) {dim = 1 : i64, half_to_float = false} : (!x) -> !x
  %2 = "aten.u_log_softmax_backward_data"(%g, %1) {dim = 1 : i64, input_dtype = #aten.enum<"dtype", "float32">} : (!x, !x) -> !x
  return %1, %2 : !x, !x
}

// An incoming gradient of one number in each row needs no sum. In float32 nothing is saved by computing the results again.
// CHECK-LABEL: func.func @of_a_loss
// CHECK:         %[[Y:.*]] = "aten.u_log_softmax"(%arg0)
// CHECK-NEXT:    %[[Z:.*]] = "aten.zeros_like"
// CHECK-NEXT:    %[[G:.*]] = "aten.scatter_src"(%[[Z]], %arg1, %arg2)
// CHECK-NEXT:    %[[E:.*]] = "aten.exp"(%[[Y]])
// CHECK-NEXT:    %[[P:.*]] = "aten.mul_tensor"(%[[E]], %arg2)
// CHECK-NEXT:    %[[R:.*]] = "aten.sub_tensor"(%[[G]], %[[P]])
// CHECK-NEXT:    return %[[R]]
func.func @of_a_loss(%x: !x, %i: !i, %v: !r) -> !x attributes {aten.stage = "functional"} {
  %0 = "aten.u_log_softmax"(%x) {dim = 1 : i64, half_to_float = false} : (!x) -> !x
  %1 = "aten.zeros_like"(%0) {dtype = #aten.none, layout = #aten.none, device = #aten.none, pin_memory = #aten.none, memory_format = #aten.none} : (!x) -> !x
  %2 = "aten.scatter_src"(%1, %i, %v) {dim = 1 : i64} : (!x, !i, !r) -> !x
  %3 = "aten.u_log_softmax_backward_data"(%2, %0) {dim = 1 : i64, input_dtype = #aten.enum<"dtype", "float32">} : (!x, !x) -> !x
  return %3 : !x
}

// Without a gradient there is nothing to save.
// CHECK-LABEL: func.func @inference
// CHECK:         "aten.u_log_softmax"
func.func @inference(%h: !h) -> !x attributes {aten.stage = "functional"} {
  %0 = "aten.u_to_copy"(%h) {dtype = #aten.enum<"dtype", "float32">, layout = #aten.none, device = #aten.none, pin_memory = #aten.none, non_blocking = false, memory_format = #aten.none} : (!h) -> !x
  %1 = "aten.u_log_softmax"(%0) {dim = 1 : i64, half_to_float = false} : (!x) -> !x
  return %1 : !x
}

// The rows are a view of the copy in float32, as models view their logits.
// CHECK-LABEL: func.func @viewed
// CHECK:         %[[X:.*]] = "aten.u_to_copy"(%arg0)
// CHECK-NEXT:    %[[V:.*]] = "aten.view"(%[[X]])
// CHECK-NEXT:    %[[M:.*]] = "aten.amax"(%[[V]])
// CHECK-NOT:     log_softmax
func.func @viewed(%h: tensor<2x2x50xbf16>, %g: !x) -> (!x, !x) attributes {aten.stage = "functional"} {
  %0 = "aten.u_to_copy"(%h) {dtype = #aten.enum<"dtype", "float32">, layout = #aten.none, device = #aten.none, pin_memory = #aten.none, non_blocking = false, memory_format = #aten.none} : (tensor<2x2x50xbf16>) -> tensor<2x2x50xf32>
  %1 = "aten.view"(%0) {size = [4, 50]} : (tensor<2x2x50xf32>) -> !x
  %2 = "aten.u_log_softmax"(%1) {dim = 1 : i64, half_to_float = false} : (!x) -> !x
  %3 = "aten.u_log_softmax_backward_data"(%g, %2) {dim = 1 : i64, input_dtype = #aten.enum<"dtype", "float32">} : (!x, !x) -> !x
  return %2, %3 : !x, !x
}
