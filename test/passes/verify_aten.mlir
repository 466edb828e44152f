// RUN: %mlirind-opt %s --verify-aten | %FileCheck %s

// What is right passes unchanged; test/dialects/aten_invalid.mlir has what is wrong.
// CHECK-LABEL: func.func @right
// CHECK:         "aten.add_tensor"
func.func @right(%n: index {aten.symbol = "s0"}, %x: tensor<2x?xf32, #aten.layout<"cuda:0", [#aten.expr<"s0">, 1], 0 : i64, [2, #aten.expr<"s0">]>>)
    -> (tensor<2x?xf32, #aten.layout<"cuda:0", [#aten.expr<"s0">, 1], 0 : i64, [2, #aten.expr<"s0">]>>, index)
    attributes {aten.stage = "functional", aten.symbols = {s0 = [2, 100, 8]}, aten.outputs = [#aten.operand<0 : i64>, #aten.none, #aten.operand<1 : i64>]} {
  %c = "aten.number"() {value = #aten.expr<"s0">} : () -> tensor<i64>
  %0 = "aten.add_tensor"(%x, %c) {alpha = 2.5 : f64}
      : (tensor<2x?xf32, #aten.layout<"cuda:0", [#aten.expr<"s0">, 1], 0 : i64, [2, #aten.expr<"s0">]>>, tensor<i64>)
      -> tensor<2x?xf32, #aten.layout<"cuda:0", [#aten.expr<"s0">, 1], 0 : i64, [2, #aten.expr<"s0">]>>
  %1 = "aten.sym_value"() {expr = #aten.expr<"2*s0">} : () -> index
  return %0, %1 : tensor<2x?xf32, #aten.layout<"cuda:0", [#aten.expr<"s0">, 1], 0 : i64, [2, #aten.expr<"s0">]>>, index
}
