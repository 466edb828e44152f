// RUN: %mlirind-opt %s --constant-fold --dce-aten | %FileCheck %s

// int8 wraps: 100 + 100 is -56.
// CHECK-LABEL: func.func @wraps
// CHECK-NEXT:    %[[F:.*]] = "aten.full"() {{.*}}fill_value = -56 : i64
// CHECK-NEXT:    "aten.add_tensor"(%arg0, %[[F]])
func.func @wraps(%x: tensor<3xi8>) -> tensor<3xi8> attributes {aten.stage = "functional", aten.io_aliases = []} {
  %0 = "aten.full"() {size = [3], fill_value = 100 : i64, dtype = #aten.enum<"dtype", "int8">, layout = #aten.none, device = #aten.enum<"device", "cpu">, pin_memory = #aten.none} : () -> tensor<3xi8>
  %1 = "aten.add_tensor"(%0, %0) {alpha = 1 : i64} : (tensor<3xi8>, tensor<3xi8>) -> tensor<3xi8>
  %2 = "aten.add_tensor"(%x, %1) {alpha = 1 : i64} : (tensor<3xi8>, tensor<3xi8>) -> tensor<3xi8>
  return %2 : tensor<3xi8>
}

!s = tensor<?x4xf16, #aten.layout<"cpu", [4, 1], 0 : i64, [#aten.expr<"s0">, 4]>>

// Symbolic sizes; float16 rounds to infinity.
// CHECK-LABEL: func.func @symbolic
// CHECK-NEXT:    %[[F:.*]] = "aten.full"() {{.*}}fill_value = 0x7FF0000000000000 : f64{{.*}}size = [#aten.expr<"s0">, 4]
// CHECK-NEXT:    "aten.add_tensor"(%arg0, %[[F]])
func.func @symbolic(%x: !s) -> !s attributes {aten.stage = "functional", aten.io_aliases = [], aten.symbols = {s0 = [2, 9223372036854775807, 5]}} {
  %0 = "aten.full"() {size = [#aten.expr<"s0">, 4], fill_value = 6.0e+04 : f64, dtype = #aten.enum<"dtype", "float16">, layout = #aten.none, device = #aten.enum<"device", "cpu">, pin_memory = #aten.none} : () -> !s
  %n = "aten.number"() {value = 2 : i64} : () -> tensor<i64>
  %1 = "aten.mul_tensor"(%0, %n) : (!s, tensor<i64>) -> !s
  %2 = "aten.add_tensor"(%x, %1) {alpha = 1 : i64} : (!s, !s) -> !s
  return %2 : !s
}

// Few elements are computed whole: all of 0, 1, 2 are at least 0.
// CHECK-LABEL: func.func @few
// CHECK-NEXT:    %[[F:.*]] = "aten.full"() {{.*}}fill_value = true
// CHECK-NEXT:    return %[[F]]
func.func @few() -> tensor<3xi1> attributes {aten.stage = "functional", aten.io_aliases = []} {
  %0 = "aten.arange"() {end = 3 : i64, dtype = #aten.none, layout = #aten.none, device = #aten.enum<"device", "cpu">, pin_memory = #aten.none} : () -> tensor<3xi64>
  %1 = "aten.ge_scalar"(%0) {other = 0 : i64} : (tensor<3xi64>) -> tensor<3xi1>
  return %1 : tensor<3xi1>
}

// Two results keep memory of their own, and a view stays a view.
// CHECK-LABEL: func.func @results
// CHECK-COUNT-2: "aten.full"() {{.*}}fill_value = 2 : i64
// CHECK:         %[[V:.*]] = "aten.view"
// CHECK:         return %{{.*}}, %{{.*}}, %[[V]]
func.func @results() -> (tensor<4xi64>, tensor<4xi64>, tensor<2x2xi64>) attributes {aten.stage = "functional", aten.io_aliases = [[-2, -3]]} {
  %0 = "aten.full"() {size = [4], fill_value = 1 : i64, dtype = #aten.enum<"dtype", "int64">, layout = #aten.none, device = #aten.enum<"device", "cpu">, pin_memory = #aten.none} : () -> tensor<4xi64>
  %1 = "aten.add_tensor"(%0, %0) {alpha = 1 : i64} : (tensor<4xi64>, tensor<4xi64>) -> tensor<4xi64>
  %2 = "aten.mul_tensor"(%1, %0) : (tensor<4xi64>, tensor<4xi64>) -> tensor<4xi64>
  %3 = "aten.view"(%2) {size = [2, 2]} : (tensor<4xi64>) -> tensor<2x2xi64>
  return %1, %2, %3 : tensor<4xi64>, tensor<4xi64>, tensor<2x2xi64>
}

// Elements that differ in the sign of zero; what eager raises for; what is not computed from numbers.
// CHECK-LABEL: func.func @stay
// CHECK:         aten.cat
// CHECK:         aten.div_tensor_mode
// CHECK:         aten.empty
// CHECK:         aten.relu
func.func @stay() -> (tensor<2xf32>, tensor<2xi64>, tensor<2xf32>) attributes {aten.stage = "functional", aten.io_aliases = []} {
  %0 = "aten.full"() {size = [1], fill_value = 0.0 : f64, dtype = #aten.enum<"dtype", "float32">, layout = #aten.none, device = #aten.enum<"device", "cpu">, pin_memory = #aten.none} : () -> tensor<1xf32>
  %1 = "aten.neg"(%0) : (tensor<1xf32>) -> tensor<1xf32>
  %2 = "aten.cat"(%0, %1) {dim = 0 : i64, operandSegmentSizes = array<i32: 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (tensor<1xf32>, tensor<1xf32>) -> tensor<2xf32>
  %3 = "aten.full"() {size = [2], fill_value = 0 : i64, dtype = #aten.enum<"dtype", "int64">, layout = #aten.none, device = #aten.enum<"device", "cpu">, pin_memory = #aten.none} : () -> tensor<2xi64>
  %4 = "aten.div_tensor_mode"(%3, %3) {rounding_mode = "floor"} : (tensor<2xi64>, tensor<2xi64>) -> tensor<2xi64>
  %5 = "aten.empty_memory_format"() {size = [2], dtype = #aten.enum<"dtype", "float32">, layout = #aten.none, device = #aten.enum<"device", "cpu">, pin_memory = #aten.none, memory_format = #aten.none} : () -> tensor<2xf32>
  %6 = "aten.relu"(%5) : (tensor<2xf32>) -> tensor<2xf32>
  return %2, %4, %6 : tensor<2xf32>, tensor<2xi64>, tensor<2xf32>
}

// int32 products wrap; zeros keep their sign, and those for two callers stay two.
// CHECK-LABEL: func.func @wraps_products
// CHECK-DAG:     "aten.full"() {{.*}}fill_value = -727379968 : i64
// CHECK-DAG:     "aten.full"() {{.*}}fill_value = -0.000000e+00 : f64
// CHECK-DAG:     "aten.full"() {{.*}}fill_value = -0.000000e+00 : f64
func.func @wraps_products(%n: tensor<3xi32>) -> (tensor<3xi32>, tensor<3xf32>, tensor<3xf32>) attributes {aten.stage = "functional", aten.io_aliases = []} {
  %0 = "aten.full"() {size = [3], fill_value = 1000000 : i64, dtype = #aten.enum<"dtype", "int32">, layout = #aten.none, device = #aten.enum<"device", "cpu">, pin_memory = #aten.none} : () -> tensor<3xi32>
  %1 = "aten.mul_tensor"(%0, %0) : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi32>
  %2 = "aten.add_tensor"(%n, %1) {alpha = 1 : i64} : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi32>
  %3 = "aten.full"() {size = [3], fill_value = 0.0 : f64, dtype = #aten.enum<"dtype", "float32">, layout = #aten.none, device = #aten.enum<"device", "cpu">, pin_memory = #aten.none} : () -> tensor<3xf32>
  %4 = "aten.neg"(%3) : (tensor<3xf32>) -> tensor<3xf32>
  %5 = "aten.neg"(%3) : (tensor<3xf32>) -> tensor<3xf32>
  return %2, %4, %5 : tensor<3xi32>, tensor<3xf32>, tensor<3xf32>
}

// An operator that gives a list, here of one part, is not computed.
// CHECK-LABEL: func.func @part
// CHECK:         "aten.split_with_sizes"
func.func @part() -> tensor<4xi64> attributes {aten.stage = "functional", aten.io_aliases = []} {
  %0 = "aten.full"() {size = [4], fill_value = 2 : i64, dtype = #aten.enum<"dtype", "int64">, layout = #aten.none, device = #aten.enum<"device", "cpu">, pin_memory = #aten.none} : () -> tensor<4xi64>
  %1 = "aten.split_with_sizes"(%0) {split_sizes = [4], dim = 0 : i64, resultSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (tensor<4xi64>) -> tensor<4xi64>
  return %1 : tensor<4xi64>
}
