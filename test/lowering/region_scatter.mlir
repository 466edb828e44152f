// RUN: %mlirind-opt %s --convert-aten-to-loop | %FileCheck %s

// CHECK-LABEL: func.func @select_scatter
// CHECK:         %[[IN:.+]] = arith.cmpi eq, %{{.+}}, %c3_i64
// CHECK:         %[[NEW:.+]] = "loop.load"(%{{.+}}, %[[IN]])
// CHECK:         arith.select %[[IN]], %[[NEW]]
func.func @select_scatter(%x: tensor<4x5xf32>, %s: tensor<4xf32>) -> tensor<4x5xf32> {
  %0 = "aten.select_scatter"(%x, %s) {dim = 1 : i64, index = -2 : i64} : (tensor<4x5xf32>, tensor<4xf32>) -> tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
}

// From a start to the end of the dimension, one comparison is enough.
// CHECK-LABEL: func.func @to_the_end
// CHECK:         arith.cmpi sge
// CHECK-NOT:     arith.cmpi
// CHECK:         kernel_name = "slice_scatter"
func.func @to_the_end(%x: tensor<4x5xf32>, %s: tensor<4x3xf32>) -> tensor<4x5xf32> {
  %0 = "aten.slice_scatter"(%x, %s) {dim = 1 : i64, start = 2 : i64, end = 9223372036854775807 : i64, step = 1 : i64} : (tensor<4x5xf32>, tensor<4x3xf32>) -> tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
}

// Whether a symbolic start counts from the end is not known, so neither is how much of the source it needs.
// CHECK-LABEL: func.func @unknown_start
// CHECK:         "aten.slice_scatter"({{.*}}aten.reason = "tensors of sizes that do not fit"
func.func @unknown_start(%x: tensor<4x5xf32>, %s: tensor<4x3xf32>) -> tensor<4x5xf32> {
  %0 = "aten.slice_scatter"(%x, %s) {dim = 1 : i64, start = #aten.expr<"s0">, end = 5 : i64, step = 1 : i64} : (tensor<4x5xf32>, tensor<4x3xf32>) -> tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
}

// With the range of the symbol it is.
// CHECK-LABEL: func.func @known_start
// CHECK:         kernel_name = "slice_scatter"{{.*}}symbols = [#aten.expr<"s0">]
func.func @known_start(%n: index {aten.symbol = "s0"}, %x: tensor<4x5xf32>, %s: tensor<4x3xf32>) -> tensor<4x5xf32> attributes {aten.symbols = {s0 = [0, 9223372036854775807, 2]}} {
  %0 = "aten.slice_scatter"(%x, %s) {dim = 1 : i64, start = #aten.expr<"s0">, end = 5 : i64, step = 1 : i64} : (tensor<4x5xf32>, tensor<4x3xf32>) -> tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
}

// CHECK-LABEL: func.func @diagonal_scatter
// CHECK:         arith.cmpi eq, %{{.+}}, %c1_i64
// CHECK:         kernel_name = "diagonal_scatter"
func.func @diagonal_scatter(%x: tensor<4x5xf32>, %s: tensor<4xf32>) -> tensor<4x5xf32> {
  %0 = "aten.diagonal_scatter"(%x, %s) {offset = 1 : i64, dim1 = 0 : i64, dim2 = 1 : i64} : (tensor<4x5xf32>, tensor<4xf32>) -> tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
}
