// RUN: %mlirind-opt %s --convert-aten-to-loop | %FileCheck %s

// A kernel holds the bits. The exponent is moved to that of float32 and scaled; what exceeds the largest number gets all its bits.
// CHECK-LABEL: func.func @decoded
// CHECK:         %[[B:.*]] = "loop.load"{{.*}} -> i8
// CHECK:         %[[W:.*]] = arith.extsi %[[B]] : i8 to i32
// CHECK:         %[[P:.*]] = arith.shli %[[W]]
// CHECK:         %[[M:.*]] = arith.andi %[[P]]
// CHECK:         %[[F:.*]] = arith.bitcast %[[M]] : i32 to f32
// CHECK:         arith.mulf %[[F]]
// CHECK:         arith.select
// CHECK:         arith.truncf
// CHECK:         kernel_name = "_to_copy"
func.func @decoded(%x: tensor<4xf8E4M3FN>) -> tensor<4xbf16> attributes {aten.stage = "functional"} {
  %0 = "aten.u_to_copy"(%x) {dtype = #aten.enum<"dtype", "bfloat16">, layout = #aten.none, device = #aten.none, pin_memory = #aten.none, non_blocking = false, memory_format = #aten.none} : (tensor<4xf8E4M3FN>) -> tensor<4xbf16>
  return %0 : tensor<4xbf16>
}

// CHECK-LABEL: func.func @encoded
// CHECK:         %[[W:.*]] = arith.extf
// CHECK:         arith.bitcast %[[W]] : f32 to i32
// CHECK:         %[[C:.*]] = arith.trunci {{.*}} : i32 to i8
// CHECK:         "loop.store"(%{{.*}}, %[[C]]
func.func @encoded(%x: tensor<4xbf16>) -> tensor<4xf8E5M2> attributes {aten.stage = "functional"} {
  %0 = "aten.u_to_copy"(%x) {dtype = #aten.enum<"dtype", "float8_e5m2">, layout = #aten.none, device = #aten.none, pin_memory = #aten.none, non_blocking = false, memory_format = #aten.none} : (tensor<4xbf16>) -> tensor<4xf8E5M2>
  return %0 : tensor<4xf8E5M2>
}

// Other operators stay calls.
// CHECK-LABEL: func.func @stays
// CHECK:         "aten.flip"{{.*}}aten.reason = "dtype float8_e5m2"
func.func @stays(%x: tensor<4xf8E5M2>) -> tensor<4xf8E5M2> attributes {aten.stage = "functional"} {
  %0 = "aten.flip"(%x) {dims = [0]} : (tensor<4xf8E5M2>) -> tensor<4xf8E5M2>
  return %0 : tensor<4xf8E5M2>
}
