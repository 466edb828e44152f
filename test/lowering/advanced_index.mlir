// RUN: %mlirind-opt %s --convert-aten-to-loop | %FileCheck %s

// Neighbouring index tensors stand where the first of them indexes; negative indices count from the end.
// CHECK-LABEL: func.func @neighbours
// CHECK:         arith.addi %{{.+}}, %c5_i64
// CHECK:         "loop.check"(%{{.+}}) {error = "index"}
// CHECK:         arith.addi %{{.+}}, %c6_i64
// CHECK:         "loop.check"(%{{.+}}) {error = "index"}
// CHECK:         domain = #[[DOMAIN:.+]], kernel_name = "index"
func.func @neighbours(%x: tensor<4x5x6xf32>, %i: tensor<3xi64>, %j: tensor<2x1xi64>) -> tensor<4x2x3xf32> {
  %0 = "aten.index_tensor"(%x, %i, %j) {indices = [false, true, true], operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>}
      : (tensor<4x5x6xf32>, tensor<3xi64>, tensor<2x1xi64>) -> tensor<4x2x3xf32>
  return %0 : tensor<4x2x3xf32>
}

// A mask gives a result whose size depends on data.
// CHECK-LABEL: func.func @mask
// CHECK:         "aten.index_tensor"({{.*}}aten.reason = "size depends on data"
func.func @mask(%x: tensor<4xf32>, %m: tensor<4xi1>) -> tensor<2xf32> {
  %0 = "aten.index_tensor"(%x, %m) {indices = [true], operandSegmentSizes = array<i32: 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>}
      : (tensor<4xf32>, tensor<4xi1>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// The kernel starts as self and adds into it at computed places.
// CHECK-LABEL: func.func @put
// CHECK:         "loop.store"(%{{.+}}) {accumulate = "add"
// CHECK:         kernel_name = "index_put"{{.*}}updates = [0]
func.func @put(%x: tensor<4x5xf32>, %i: tensor<3xi64>, %v: tensor<3x5xf32>) -> tensor<4x5xf32> {
  %0 = "aten.index_put"(%x, %i, %v) {accumulate = true, indices = [true], operandSegmentSizes = array<i32: 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1>}
      : (tensor<4x5xf32>, tensor<3xi64>, tensor<3x5xf32>) -> tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
}

// One number where a mask is true is a select.
// CHECK-LABEL: func.func @fill_where
// CHECK:         %[[M:.+]] = "loop.load"{{.*}} -> i1
// CHECK:         arith.select %[[M]]
// CHECK:         kernel_name = "index_put"{{.*}}updates = [-1]
func.func @fill_where(%x: tensor<4x5xf32>, %m: tensor<4xi1>, %v: tensor<f32>) -> tensor<4x5xf32> {
  %0 = "aten.index_put"(%x, %m, %v) {accumulate = false, indices = [true], operandSegmentSizes = array<i32: 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1>}
      : (tensor<4x5xf32>, tensor<4xi1>, tensor<f32>) -> tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
}

// That the values are as many as the indices is asked before a call; that they are no less than two is known.
// CHECK-LABEL: func.func @put_of_symbolic_size
// CHECK-SAME:    aten.requires = [#aten.expr<"Eq(s1, s0)">]
// CHECK:         kernel_name = "index_put"
func.func @put_of_symbolic_size(%x: tensor<9xf32>, %i: tensor<?xi64, #aten.layout<"cpu", [1], 0 : i64, [#aten.expr<"s0">]>>,
    %v: tensor<?xf32, #aten.layout<"cpu", [1], 0 : i64, [#aten.expr<"s1">]>>) -> tensor<9xf32>
    attributes {aten.symbols = {s0 = [2, 99, 5], s1 = [2, 99, 5]}} {
  %0 = "aten.index_put"(%x, %i, %v) {accumulate = false, indices = [true], operandSegmentSizes = array<i32: 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1>}
      : (tensor<9xf32>, tensor<?xi64, #aten.layout<"cpu", [1], 0 : i64, [#aten.expr<"s0">]>>,
         tensor<?xf32, #aten.layout<"cpu", [1], 0 : i64, [#aten.expr<"s1">]>>) -> tensor<9xf32>
  return %0 : tensor<9xf32>
}
