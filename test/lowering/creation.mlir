// RUN: %mlirind-opt %s --convert-aten-to-loop --verify-ir | %FileCheck %s

// A cast from float to integer has a value out of range too.
// CHECK-LABEL: func.func @cast
// CHECK:         %[[FITS:.*]] = arith.cmpf olt
// CHECK:         %[[INT:.*]] = arith.fptosi %{{.*}} : f32 to i32
// CHECK:         %[[SAFE:.*]] = arith.select %[[FITS]], %[[INT]]
// CHECK:         arith.trunci %[[SAFE]] : i32 to i8
func.func @cast(%x: tensor<8xf32>) -> tensor<8xi8> {
  %0 = "aten.u_to_copy"(%x) {dtype = #aten.enum<"dtype", "int8">, layout = #aten.none, device = #aten.none, pin_memory = #aten.none, non_blocking = false, memory_format = #aten.none} : (tensor<8xf32>) -> tensor<8xi8>
  return %0 : tensor<8xi8>
}

// A sequence comes from the coordinate.
// CHECK-LABEL: func.func @arange
// CHECK:         "loop.kernel"() ({
// CHECK:         "loop.apply"
func.func @arange() -> tensor<8xi64> {
  %0 = "aten.arange_start_step"() {start = 3 : i64, end = 19 : i64, step = 2 : i64, dtype = #aten.none, layout = #aten.none, device = #aten.none, pin_memory = #aten.none} : () -> tensor<8xi64>
  return %0 : tensor<8xi64>
}

// A fill loads nothing.
// CHECK-LABEL: func.func @full_like
// CHECK-NOT:     loop.load
// CHECK:         kernel_name = "full_like"
func.func @full_like(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = "aten.full_like"(%x) {fill_value = 2.0 : f64, dtype = #aten.none, layout = #aten.none, device = #aten.none, pin_memory = #aten.none, memory_format = #aten.none} : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
