// RUN: %mlirind-opt %s --fold-cumsum | %FileCheck %s

// Ones in any dtype, along any dimension.
// CHECK-LABEL: func.func @ones
// CHECK:         %[[A:.*]] = "aten.arange_start_step"() {
// CHECK-SAME:      end = 6 : i64
// CHECK-SAME:      start = 1 : i64
// CHECK:         %[[V:.*]] = "aten.view"(%[[A]]) {size = [1, 5, 1]}
// CHECK:         %[[E:.*]] = "aten.expand"(%[[V]]) {
// CHECK-SAME:      size = [2, 5, 3]
// CHECK:         %[[C:.*]] = "aten.clone"(%[[E]])
// CHECK:         return %[[C]]
func.func @ones() -> tensor<2x5x3xi64> attributes {aten.stage = "functional", aten.io_aliases = []} {
  %0 = "aten.full"() {size = [2, 5, 3], fill_value = true, dtype = #aten.enum<"dtype", "bool">, layout = #aten.none, device = #aten.none, pin_memory = #aten.none} : () -> tensor<2x5x3xi1>
  %1 = "aten.cumsum"(%0) {dim = 1 : i64, dtype = #aten.none} : (tensor<2x5x3xi1>) -> tensor<2x5x3xi64>
  return %1 : tensor<2x5x3xi64>
}

// Another number, of floats: all its multiples are exact.
// CHECK-LABEL: func.func @multiples
// CHECK:         %[[A:.*]] = "aten.arange_start_step"
// CHECK:         %[[N:.*]] = "aten.number"() {value = -3 : i64}
// CHECK:         "aten.mul_tensor"(%[[A]], %[[N]])
// CHECK-NOT:     "aten.cumsum"
func.func @multiples() -> tensor<5xf32> attributes {aten.stage = "functional", aten.io_aliases = []} {
  %0 = "aten.full"() {size = [5], fill_value = -3.0 : f64, dtype = #aten.enum<"dtype", "float32">, layout = #aten.none, device = #aten.none, pin_memory = #aten.none} : () -> tensor<5xf32>
  %1 = "aten.cumsum"(%0) {dim = 0 : i64, dtype = #aten.none} : (tensor<5xf32>) -> tensor<5xf32>
  return %1 : tensor<5xf32>
}

// 0.1 is rounded at each step, and so is 3 in bfloat16 from 256 on; -0.0 summed is 0.0.
// CHECK-LABEL: func.func @rounded
// CHECK-COUNT-3: "aten.cumsum"
func.func @rounded() -> (tensor<5xf32>, tensor<100xbf16>, tensor<5xf32>) attributes {aten.stage = "functional", aten.io_aliases = []} {
  %0 = "aten.full"() {size = [5], fill_value = 0.1 : f64, dtype = #aten.enum<"dtype", "float32">, layout = #aten.none, device = #aten.none, pin_memory = #aten.none} : () -> tensor<5xf32>
  %1 = "aten.cumsum"(%0) {dim = 0 : i64, dtype = #aten.none} : (tensor<5xf32>) -> tensor<5xf32>
  %2 = "aten.full"() {size = [100], fill_value = 3.0 : f64, dtype = #aten.enum<"dtype", "bfloat16">, layout = #aten.none, device = #aten.none, pin_memory = #aten.none} : () -> tensor<100xbf16>
  %3 = "aten.cumsum"(%2) {dim = 0 : i64, dtype = #aten.none} : (tensor<100xbf16>) -> tensor<100xbf16>
  %4 = "aten.full"() {size = [5], fill_value = -0.0 : f64, dtype = #aten.enum<"dtype", "float32">, layout = #aten.none, device = #aten.none, pin_memory = #aten.none} : () -> tensor<5xf32>
  %5 = "aten.cumsum"(%4) {dim = 0 : i64, dtype = #aten.none} : (tensor<5xf32>) -> tensor<5xf32>
  return %1, %3, %5 : tensor<5xf32>, tensor<100xbf16>, tensor<5xf32>
}

// Not one number; of a dtype in which sums wrap early; of a float summed as an integer.
// CHECK-LABEL: func.func @others
// CHECK-COUNT-3: "aten.cumsum"
func.func @others(%x: tensor<5xf32>) -> (tensor<5xf32>, tensor<5xi8>, tensor<5xi64>) attributes {aten.stage = "functional", aten.io_aliases = []} {
  %0 = "aten.cumsum"(%x) {dim = 0 : i64, dtype = #aten.none} : (tensor<5xf32>) -> tensor<5xf32>
  %1 = "aten.full"() {size = [5], fill_value = 100 : i64, dtype = #aten.enum<"dtype", "int8">, layout = #aten.none, device = #aten.none, pin_memory = #aten.none} : () -> tensor<5xi8>
  %2 = "aten.cumsum"(%1) {dim = 0 : i64, dtype = #aten.enum<"dtype", "int8">} : (tensor<5xi8>) -> tensor<5xi8>
  %3 = "aten.full"() {size = [5], fill_value = 2.0 : f64, dtype = #aten.enum<"dtype", "float32">, layout = #aten.none, device = #aten.none, pin_memory = #aten.none} : () -> tensor<5xf32>
  %4 = "aten.cumsum"(%3) {dim = 0 : i64, dtype = #aten.enum<"dtype", "int64">} : (tensor<5xf32>) -> tensor<5xi64>
  return %0, %2, %4 : tensor<5xf32>, tensor<5xi8>, tensor<5xi64>
}
