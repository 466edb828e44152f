// RUN: %mlirind-opt %s --split-input-file --freeze-parameters --verify-each | %FileCheck %s

!w = tensor<4x6xf32>
!t = tensor<6x4xf32, #aten.layout<"cpu", [1, 6], 0 : i64, unit>>

// What is computed of the parameter alone is an argument; the view of it stays.
// CHECK-LABEL: func.func @computed(
// CHECK-SAME:    %arg2: tensor<4x6xf32{{.*}} {aten.constant = "frozen_0", aten.name = "frozen_0"}
// CHECK-NEXT:    %[[T:.*]] = "aten.permute"(%arg2)
// CHECK-NEXT:    %[[Y:.*]] = "aten.mm"(%arg0, %[[T]])
// CHECK-NEXT:    return %[[Y]]
// CHECK:       func.func @frozen(
// CHECK-NEXT:    %[[W:.*]] = "aten.exp"(%arg0)
// CHECK-NEXT:    return %[[W]]
func.func @computed(%x: tensor<2x6xf32>, %w: !w {aten.frozen}) -> tensor<2x4xf32> {
  %0 = "aten.exp"(%w) : (!w) -> !w
  %1 = "aten.permute"(%0) {dims = [1, 0]} : (!w) -> !t
  %2 = "aten.mm"(%x, %1) : (tensor<2x6xf32>, !t) -> tensor<2x4xf32>
  return %2 : tensor<2x4xf32>
}

// -----
!w = tensor<4x6xf32>
!t = tensor<6x4xf32, #aten.layout<"cpu", [1, 6], 0 : i64, unit>>

// A view of a parameter costs nothing.
// CHECK-LABEL: func.func @view_only(
// CHECK:         "aten.permute"(%arg1)
// CHECK-NOT:   func.func @frozen
func.func @view_only(%x: tensor<2x6xf32>, %w: !w {aten.frozen}) -> tensor<2x4xf32> {
  %1 = "aten.permute"(%w) {dims = [1, 0]} : (!w) -> !t
  %2 = "aten.mm"(%x, %1) : (tensor<2x6xf32>, !t) -> tensor<2x4xf32>
  return %2 : tensor<2x4xf32>
}

// -----
!w = tensor<4x6xf32>

// The caller gets memory of its own in each call; what it is made of may be frozen.
// CHECK-LABEL: func.func @returned(
// CHECK-NEXT:    %[[R:.*]] = "aten.neg"(%arg1)
// CHECK-NEXT:    return %[[R]]
// CHECK:       func.func @frozen(
// CHECK-NEXT:    "aten.exp"
func.func @returned(%w: !w {aten.frozen}) -> !w {
  %0 = "aten.exp"(%w) : (!w) -> !w
  %1 = "aten.neg"(%0) : (!w) -> !w
  return %1 : !w
}

// -----
!w = tensor<4x6xf32>

// Random numbers are others in each call.
// CHECK-LABEL: func.func @random(
// CHECK:         "aten.native_dropout"
// CHECK-NOT:   func.func @frozen
func.func @random(%x: !w, %w: !w {aten.frozen}) -> !w {
  %0:2 = "aten.native_dropout"(%w) {p = 1.000000e-01 : f64, train = true} : (!w) -> (!w, tensor<4x6xi1>)
  %1 = "aten.add_tensor"(%x, %0#0) {alpha = 1 : i64} : (!w, !w) -> !w
  return %1 : !w
}

// -----
// What no parameter is part of is made anew in each call, in the kernel that reads it.
// CHECK-LABEL: func.func @no_parameter(
// CHECK:         "aten.full"
// CHECK-NOT:   func.func @frozen
func.func @no_parameter(%x: tensor<6xf32>, %w: tensor<6xf32> {aten.frozen}) -> tensor<6xf32> {
  %0 = "aten.full"() {device = #aten.none, dtype = #aten.enum<"dtype", "float32">, fill_value = 2.000000e+00 : f64, layout = #aten.none, pin_memory = #aten.none, size = [6]} : () -> tensor<6xf32>
  %1 = "aten.exp"(%0) : (tensor<6xf32>) -> tensor<6xf32>
  %2 = "aten.add_tensor"(%x, %1) {alpha = 1 : i64} : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
  %3 = "aten.add_tensor"(%2, %w) {alpha = 1 : i64} : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
  return %3 : tensor<6xf32>
}

// -----
// A value that is much larger than what it is made of.
// CHECK-LABEL: func.func @too_large(
// CHECK:         "aten.mul_tensor"
// CHECK-NOT:   func.func @frozen
func.func @too_large(%x: tensor<4096x4096xf32>, %w: tensor<4096x1xf32> {aten.frozen}, %v: tensor<4096xf32> {aten.frozen}) -> tensor<4096x4096xf32> {
  %0 = "aten.mul_tensor"(%w, %v) : (tensor<4096x1xf32>, tensor<4096xf32>) -> tensor<4096x4096xf32>
  %1 = "aten.add_tensor"(%x, %0) {alpha = 1 : i64} : (tensor<4096x4096xf32>, tensor<4096x4096xf32>) -> tensor<4096x4096xf32>
  return %1 : tensor<4096x4096xf32>
}

// -----
// A size that differs from call to call.
// CHECK-LABEL: func.func @symbolic(
// CHECK:         "aten.expand"(%arg1)
// CHECK:         "aten.exp"
// CHECK-NOT:   func.func @frozen
!s = tensor<?x6xf32, #aten.layout<"cpu", [6, 1], 0 : i64, [#aten.expr<"s0">, 6]>>
!b = tensor<?x6xf32, #aten.layout<"cpu", [0, 1], 0 : i64, [#aten.expr<"s0">, 6]>>
func.func @symbolic(%x: !s, %w: tensor<6xf32> {aten.frozen}) -> !s attributes {aten.symbols = {s0 = [2, 1000, 8]}} {
  %0 = "aten.expand"(%w) {implicit = false, size = [#aten.expr<"s0">, 6]} : (tensor<6xf32>) -> !b
  %1 = "aten.exp"(%0) : (!b) -> !s
  %2 = "aten.add_tensor"(%x, %1) {alpha = 1 : i64} : (!s, !s) -> !s
  return %2 : !s
}
