// RUN: %mlirind-opt %s --split-batch-norm | %FileCheck %s

!h = tensor<2x3x4xbf16>
!x = tensor<2x3x4xf32>
!c = tensor<3xf32>
!n = tensor<3xbf16>

// The backward reads the result, so it becomes operators on elements. The statistics stay one operator.
// CHECK-LABEL: func.func @of_halves
// CHECK:         %[[B:.*]]:3 = "aten.u_native_batch_norm_legit_no_stats"(%arg0, %arg1, %arg2)
// CHECK-NEXT:    %[[M:.*]] = "aten.u_to_copy"(%[[B]]#1)
// CHECK-NEXT:    %[[M1:.*]] = "aten.view"(%[[M]]) {size = [1, 3, 1]}
// CHECK-NEXT:    %[[R:.*]] = "aten.u_to_copy"(%[[B]]#2)
// CHECK-NEXT:    %[[R1:.*]] = "aten.view"(%[[R]]) {size = [1, 3, 1]}
// CHECK-NEXT:    %[[W:.*]] = "aten.u_to_copy"(%arg1)
// CHECK-NEXT:    %[[W1:.*]] = "aten.view"(%[[W]]) {size = [1, 3, 1]}
// CHECK-NEXT:    %[[S:.*]] = "aten.mul_tensor"(%[[R1]], %[[W1]])
// CHECK-NEXT:    %[[X:.*]] = "aten.u_to_copy"(%arg0)
// CHECK-NEXT:    %[[D:.*]] = "aten.sub_tensor"(%[[X]], %[[M1]])
// CHECK-NEXT:    %[[P:.*]] = "aten.mul_tensor"(%[[D]], %[[S]])
// CHECK-NEXT:    %[[V:.*]] = "aten.u_to_copy"(%arg2)
// CHECK-NEXT:    %[[V1:.*]] = "aten.view"(%[[V]]) {size = [1, 3, 1]}
// CHECK-NEXT:    %[[A:.*]] = "aten.add_tensor"(%[[P]], %[[V1]])
// CHECK-NEXT:    %[[Y:.*]] = "aten.u_to_copy"(%[[A]])
// CHECK-NEXT:    %[[Z:.*]] = "aten.sigmoid"(%[[Y]])
// CHECK-NEXT:    %[[G:.*]] = "aten.mul_tensor"(%arg3, %[[Y]])
// CHECK-NEXT:    return %[[Z]], %[[G]]
func.func @of_halves(%x: !h, %w: !n, %b: !n, %t: !h) -> (!h, !h) attributes {aten.stage = "functional", aten.tangents = [3]} {
  %0, %1, %2 = "aten.u_native_batch_norm_legit_no_stats"(%x, %w, %b) {training = true, momentum = 0.1 : f64, eps = 1.0e-5 : f64, operandSegmentSizes = array<i32: 1, 1, 1>} : (!h, !n, !n) -> (!h, !n, !n)
  %3 = "aten.sigmoid"(%0) : (!h) -> !h
  %4 = "aten.mul_tensor"(%t, %0) : (!h, !h) -> !h
  return %3, %4 : !h, !h
}

// The half type's tensor is cast once more. Without a bias, the CPU's kernel adds 0.
// CHECK-LABEL: func.func @cast
// CHECK:         %[[B:.*]]:3 = "aten.u_native_batch_norm_legit_no_stats"
// CHECK:         %[[X:.*]] = "aten.u_to_copy"(%arg0)
// CHECK-NEXT:    %[[D:.*]] = "aten.sub_tensor"(%[[X]],
// CHECK-NEXT:    %[[P:.*]] = "aten.mul_tensor"(%[[D]],
// CHECK-NEXT:    %[[O:.*]] = "aten.number"() {value = 0.0
// CHECK-NEXT:    %[[Y:.*]] = "aten.add_tensor"(%[[P]], %[[O]])
// CHECK-NEXT:    %[[G:.*]] = "aten.mul_tensor"(%arg1, %[[Y]])
// CHECK-NEXT:    return %[[Y]], %[[G]]
func.func @cast(%x: !h, %t: !x) -> (!x, !x) attributes {aten.stage = "functional", aten.tangents = [1]} {
  %0 = "aten.u_to_copy"(%x) {dtype = #aten.enum<"dtype", "float32">, layout = #aten.none, device = #aten.none, pin_memory = #aten.none, non_blocking = false, memory_format = #aten.none} : (!h) -> !x
  %1, %2, %3 = "aten.u_native_batch_norm_legit_no_stats"(%0) {training = true, momentum = 0.1 : f64, eps = 1.0e-5 : f64, operandSegmentSizes = array<i32: 1, 0, 0>} : (!x) -> (!x, !c, !c)
  %4 = "aten.mul_tensor"(%t, %1) : (!x, !x) -> !x
  return %1, %4 : !x, !x
}

// The backward does not read the result.
// CHECK-LABEL: func.func @unread
// CHECK:         %[[B:.*]]:3 = "aten.u_native_batch_norm_legit_no_stats"
// CHECK-NEXT:    %[[G:.*]] = "aten.mul_tensor"
// CHECK-NEXT:    return %[[B]]#0, %[[G]]
func.func @unread(%x: !x, %t: !x) -> (!x, !x) attributes {aten.stage = "functional", aten.tangents = [1]} {
  %0, %1, %2 = "aten.u_native_batch_norm_legit_no_stats"(%x) {training = true, momentum = 0.1 : f64, eps = 1.0e-5 : f64, operandSegmentSizes = array<i32: 1, 0, 0>} : (!x) -> (!x, !c, !c)
  %3 = "aten.mul_tensor"(%t, %x) : (!x, !x) -> !x
  return %0, %3 : !x, !x
}

// A dimension of one element, and a graph of inference.
// CHECK-LABEL: func.func @one
// CHECK:         %[[B:.*]]:3 = "aten.u_native_batch_norm_legit_no_stats"
// CHECK-NEXT:    "aten.mul_tensor"(%arg1, %[[B]]#0)
func.func @one(%x: tensor<2x3x1xf32>, %t: tensor<2x3x1xf32>) -> (tensor<2x3x1xf32>, tensor<2x3x1xf32>) attributes {aten.stage = "functional", aten.tangents = [1]} {
  %0, %1, %2 = "aten.u_native_batch_norm_legit_no_stats"(%x) {training = true, momentum = 0.1 : f64, eps = 1.0e-5 : f64, operandSegmentSizes = array<i32: 1, 0, 0>} : (tensor<2x3x1xf32>) -> (tensor<2x3x1xf32>, !c, !c)
  %3 = "aten.mul_tensor"(%t, %0) : (tensor<2x3x1xf32>, tensor<2x3x1xf32>) -> tensor<2x3x1xf32>
  return %0, %3 : tensor<2x3x1xf32>, tensor<2x3x1xf32>
}

// CHECK-LABEL: func.func @inference
// CHECK:         %[[B:.*]]:3 = "aten.u_native_batch_norm_legit_no_stats"
// CHECK-NEXT:    return %[[B]]#0
func.func @inference(%x: !x) -> !x attributes {aten.stage = "functional"} {
  %0, %1, %2 = "aten.u_native_batch_norm_legit_no_stats"(%x) {training = true, momentum = 0.1 : f64, eps = 1.0e-5 : f64, operandSegmentSizes = array<i32: 1, 0, 0>} : (!x) -> (!x, !c, !c)
  return %0 : !x
}
