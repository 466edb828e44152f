// RUN: %mlirind-opt %s --refresh-metadata | %FileCheck %s

!t = tensor<3x2xf32, #aten.layout<"cpu", [1, 3], 0 : i64, unit>>

// The permute's operand has lost its copy: strides change down to the result, and the view becomes one of another offset.
// CHECK-LABEL: func.func @strides
// CHECK-SAME:    -> tensor<2xf32, #aten.layout<"cpu", [1]
// CHECK:         "aten.relu"(%arg0) {{.*}} -> tensor<3x2xf32, #aten.layout<"cpu", [1, 3], 0 : i64, unit>>
// CHECK-NEXT:    "aten.select_int"(%0) {{.*}} -> tensor<2xf32, #aten.layout<"cpu", [3], 1 : i64, unit>>
// CHECK-NEXT:    "aten.neg"(%1) {{.*}} -> tensor<2xf32, #aten.layout<"cpu", [1], 0 : i64, unit>>
func.func @strides(%x: !t) -> tensor<2xf32, #aten.layout<"cpu", [1], 0 : i64, unit>> {
  %0 = "aten.relu"(%x) {aten.stale} : (!t) -> tensor<3x2xf32, #aten.layout<"cpu", [2, 1], 0 : i64, unit>>
  %1 = "aten.select_int"(%0) {dim = 0 : i64, index = 1 : i64} : (tensor<3x2xf32, #aten.layout<"cpu", [2, 1], 0 : i64, unit>>) -> tensor<2xf32, #aten.layout<"cpu", [1], 2 : i64, unit>>
  %2 = "aten.neg"(%1) : (tensor<2xf32, #aten.layout<"cpu", [1], 2 : i64, unit>>) -> tensor<2xf32, #aten.layout<"cpu", [1], 0 : i64, unit>>
  return %2 : tensor<2xf32, #aten.layout<"cpu", [1], 0 : i64, unit>>
}

!s = tensor<?xf32, #aten.layout<"cpu", [1], 0 : i64, [#aten.expr<"s0">]>>
!d = tensor<?xf32, #aten.layout<"cpu", [1], 0 : i64, [#aten.expr<"s0 + 1">]>>

// Symbolic sizes; what is not marked, and takes nothing that changed, stays as it is.
// CHECK-LABEL: func.func @symbolic
// CHECK:         "aten.cat"{{.*}} -> tensor<?xf32, #aten.layout<"cpu", [1], 0 : i64, [#aten.expr<"2*s0">]>>
// CHECK-NEXT:    "aten.relu"{{.*}} -> tensor<?xf32, #aten.layout<"cpu", [1], 0 : i64, [#aten.expr<"2*s0">]>>
// CHECK-NEXT:    "aten.neg"{{.*}} -> tensor<?xf32, #aten.layout<"cpu", [1], 0 : i64, [#aten.expr<"s0 + 1">]>>
func.func @symbolic(%x: !s) -> (!d, !d) attributes {aten.symbols = {s0 = [2, 100, 5]}} {
  %0 = "aten.cat"(%x, %x) {aten.stale, dim = 0 : i64, operandSegmentSizes = array<i32: 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (!s, !s) -> !d
  %1 = "aten.relu"(%0) : (!d) -> !d
  %2 = "aten.neg"(%x) : (!s) -> !d
  return %1, %2 : !d, !d
}

// Inside a subgraph too, from the call that is marked outside of it.
// CHECK-LABEL: func.func @subgraph
// CHECK:         "aten.relu"(%arg1) {{.*}} -> tensor<3x2xf32, #aten.layout<"cpu", [1, 3], 0 : i64, unit>>
// CHECK:           "aten.neg"(%0) {{.*}} -> tensor<3x2xf32, #aten.layout<"cpu", [1, 3], 0 : i64, unit>>
// CHECK:           "aten.sum"
func.func @subgraph(%c: i1, %x: !t) -> tensor<f32> {
  %0 = "aten.relu"(%x) {aten.stale} : (!t) -> tensor<3x2xf32>
  %1 = scf.if %c -> tensor<f32> {
    %2 = "aten.neg"(%0) : (tensor<3x2xf32>) -> tensor<3x2xf32>
    %3 = "aten.sum"(%2) {dtype = #aten.none} : (tensor<3x2xf32>) -> tensor<f32>
    scf.yield %3 : tensor<f32>
  } else {
    %4 = "aten.sum"(%0) {dtype = #aten.none} : (tensor<3x2xf32>) -> tensor<f32>
    scf.yield %4 : tensor<f32>
  }
  return %1 : tensor<f32>
}
