// RUN: %mlirind-opt %s --split-group-norm | %FileCheck %s

!x = tensor<2x4x3xf32, #aten.layout<"cuda:0", [12, 3, 1], 0 : i64, unit>>
!h = tensor<2x4x3xbf16, #aten.layout<"cuda:0", [12, 3, 1], 0 : i64, unit>>
!s = tensor<2x2xf32, #aten.layout<"cuda:0", [2, 1], 0 : i64, unit>>
!t = tensor<2x2xbf16, #aten.layout<"cuda:0", [2, 1], 0 : i64, unit>>
!c = tensor<4xf32, #aten.layout<"cuda:0", [1], 0 : i64, unit>>
!d = tensor<4xbf16, #aten.layout<"cuda:0", [1], 0 : i64, unit>>
!p = tensor<2x4x3xf32>
!q = tensor<2x2xf32>

// The backward reads the result, so it becomes operators on elements. The half type's tensor is cast once more.
// CHECK-LABEL: func.func @cast
// CHECK:         %[[B:.*]]:3 = "aten.native_group_norm"
// CHECK-NEXT:    %[[M:.*]] = "aten.view"(%[[B]]#1) {size = [2, 2, 1]}
// CHECK-NEXT:    %[[M1:.*]] = "aten.expand"(%[[M]]) {implicit = false, size = [2, 2, 2]}
// CHECK-NEXT:    %[[M2:.*]] = "aten.clone"(%[[M1]])
// CHECK-NEXT:    %[[M3:.*]] = "aten.view"(%[[M2]]) {size = [2, 4, 1]}
// CHECK-NEXT:    %[[R:.*]] = "aten.view"(%[[B]]#2) {size = [2, 2, 1]}
// CHECK-NEXT:    %[[R1:.*]] = "aten.expand"(%[[R]])
// CHECK-NEXT:    %[[R2:.*]] = "aten.clone"(%[[R1]])
// CHECK-NEXT:    %[[R3:.*]] = "aten.view"(%[[R2]]) {size = [2, 4, 1]}
// CHECK-NEXT:    %[[X:.*]] = "aten.u_to_copy"(%arg0)
// CHECK-NEXT:    %[[D:.*]] = "aten.sub_tensor"(%[[X]], %[[M3]])
// CHECK-NEXT:    %[[N:.*]] = "aten.mul_tensor"(%[[D]], %[[R3]])
// CHECK-NEXT:    %[[W:.*]] = "aten.view"(%arg1) {size = [1, 4, 1]}
// CHECK-NEXT:    %[[P:.*]] = "aten.mul_tensor"(%[[N]], %[[W]])
// CHECK-NEXT:    %[[V:.*]] = "aten.view"(%arg2) {size = [1, 4, 1]}
// CHECK-NEXT:    %[[Y:.*]] = "aten.add_tensor"(%[[P]], %[[V]])
// CHECK-NEXT:    %[[G:.*]] = "aten.mul_tensor"(%arg3, %[[Y]])
// CHECK-NEXT:    return %[[Y]], %[[G]]
func.func @cast(%x: !h, %w: !c, %b: !c, %t: !x) -> (!x, !x) attributes {aten.stage = "functional", aten.tangents = [3]} {
  %0 = "aten.u_to_copy"(%x) {dtype = #aten.enum<"dtype", "float32">, layout = #aten.none, device = #aten.none, pin_memory = #aten.none, non_blocking = false, memory_format = #aten.none} : (!h) -> !x
  %1, %2, %3 = "aten.native_group_norm"(%0, %w, %b) {N = 2 : i64, C = 4 : i64, HxW = 3 : i64, group = 2 : i64, eps = 1.0e-5 : f64, operandSegmentSizes = array<i32: 1, 1, 1>} : (!x, !c, !c) -> (!x, !s, !s)
  %4 = "aten.mul_tensor"(%t, %1) : (!x, !x) -> !x
  return %1, %4 : !x, !x
}

// Statistics in a half type are rounded.
// CHECK-LABEL: func.func @of_halves
// CHECK:         %[[B:.*]]:3 = "aten.native_group_norm"
// CHECK-NEXT:    "aten.mul_tensor"(%arg1, %[[B]]#0)
func.func @of_halves(%x: !h, %t: !h) -> (!h, !h) attributes {aten.stage = "functional", aten.tangents = [1]} {
  %1, %2, %3 = "aten.native_group_norm"(%x) {N = 2 : i64, C = 4 : i64, HxW = 3 : i64, group = 2 : i64, eps = 1.0e-5 : f64, operandSegmentSizes = array<i32: 1, 0, 0>} : (!h) -> (!h, !t, !t)
  %4 = "aten.mul_tensor"(%t, %1) : (!h, !h) -> !h
  return %1, %4 : !h, !h
}

// The backward does not read the result.
// CHECK-LABEL: func.func @unread
// CHECK:         %[[B:.*]]:3 = "aten.native_group_norm"
// CHECK-NEXT:    %[[G:.*]] = "aten.mul_tensor"
// CHECK-NEXT:    return %[[B]]#0, %[[G]]
func.func @unread(%x: !x, %t: !x) -> (!x, !x) attributes {aten.stage = "functional", aten.tangents = [1]} {
  %1, %2, %3 = "aten.native_group_norm"(%x) {N = 2 : i64, C = 4 : i64, HxW = 3 : i64, group = 2 : i64, eps = 1.0e-5 : f64, operandSegmentSizes = array<i32: 1, 0, 0>} : (!x) -> (!x, !s, !s)
  %4 = "aten.mul_tensor"(%t, %x) : (!x, !x) -> !x
  return %1, %4 : !x, !x
}

// On CPUs eager's kernel fuses the multiplications and additions.
// CHECK-LABEL: func.func @on_the_cpu
// CHECK:         %[[B:.*]]:3 = "aten.native_group_norm"
// CHECK-NEXT:    "aten.mul_tensor"(%arg1, %[[B]]#0)
func.func @on_the_cpu(%x: !p, %t: !p) -> (!p, !p) attributes {aten.stage = "functional", aten.tangents = [1]} {
  %1, %2, %3 = "aten.native_group_norm"(%x) {N = 2 : i64, C = 4 : i64, HxW = 3 : i64, group = 2 : i64, eps = 1.0e-5 : f64, operandSegmentSizes = array<i32: 1, 0, 0>} : (!p) -> (!p, !q, !q)
  %4 = "aten.mul_tensor"(%t, %1) : (!p, !p) -> !p
  return %1, %4 : !p, !p
}
