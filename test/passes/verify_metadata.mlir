// RUN: %mlirind-opt %s --verify-metadata | %FileCheck %s

!x = tensor<?x8xf32, #aten.layout<"cpu", [8, 1], 0 : i64, [#aten.expr<"s0">, 8]>>
!v = tensor<8x?xf32, #aten.layout<"cpu", [1, 8], 0 : i64, [8, #aten.expr<"s0">]>>
!s = tensor<?x8xf32, #aten.layout<"cpu", [8, 1], 8 : i64, [#aten.expr<"s0 - 1">, 8]>>
!c = tensor<?x8xf32, #aten.layout<"cpu", [8, 1], 0 : i64, [#aten.expr<"2*s0 - 1">, 8]>>

// Sizes, strides and offsets with symbols; a number in a tensor's place.
// CHECK-LABEL: func.func @right
// CHECK:         "aten.cat"
func.func @right(%x: !x) -> (!v, !c, tensor<4xf64>)
    attributes {aten.stage = "functional", aten.symbols = {s0 = [2, 9223372036854775807, 5]}} {
  %0 = "aten.permute"(%x) {dims = [1, 0]} : (!x) -> !v
  %1 = "aten.slice_tensor"(%x) {dim = 0 : i64, start = 1 : i64, end = #aten.expr<"s0">, step = 1 : i64} : (!x) -> !s
  %2 = "aten.cat"(%x, %1) {operandSegmentSizes = array<i32: 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>, dim = 0 : i64} : (!x, !s) -> !c
  %3 = "aten.full"() {size = [4], fill_value = 1 : i64, dtype = #aten.enum<"dtype", "int64">, layout = #aten.none, device = #aten.enum<"device", "cpu">, pin_memory = #aten.none} : () -> tensor<4xi64>
  %n = "aten.number"() {value = 2.5 : f64} : () -> tensor<f64>
  %4 = "aten.add_tensor"(%3, %n) {alpha = 1 : i64} : (tensor<4xi64>, tensor<f64>) -> tensor<4xf32>
  %5 = "aten.u_to_copy"(%4) {dtype = #aten.enum<"dtype", "float64">, layout = #aten.none, device = #aten.none, pin_memory = #aten.none, non_blocking = false, memory_format = #aten.none} : (tensor<4xf32>) -> tensor<4xf64>
  return %0, %2, %5 : !v, !c, tensor<4xf64>
}
