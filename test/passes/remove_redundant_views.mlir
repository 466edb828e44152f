// RUN: %mlirind-opt %s --remove-redundant-views --dce-aten | %FileCheck %s

!t = tensor<3x2xf32, #aten.layout<"cpu", [1, 3], 0 : i64, unit>>

// What is shown is what was there, whatever views lie between.
// CHECK-LABEL: func.func @back_again
// CHECK-NEXT:    %[[R:.*]] = "aten.relu"(%arg0)
// CHECK-NEXT:    "aten.neg"(%[[R]])
func.func @back_again(%x: tensor<2x3xf32>) -> tensor<2x3xf32> attributes {aten.stage = "functional", aten.io_aliases = []} {
  %0 = "aten.relu"(%x) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %1 = "aten.permute"(%0) {dims = [1, 0]} : (tensor<2x3xf32>) -> !t
  %2 = "aten.unsqueeze"(%1) {dim = 0 : i64} : (!t) -> tensor<1x3x2xf32, #aten.layout<"cpu", [3, 1, 3], 0 : i64, unit>>
  %3 = "aten.squeeze_dims"(%2) {dim = [0]} : (tensor<1x3x2xf32, #aten.layout<"cpu", [3, 1, 3], 0 : i64, unit>>) -> !t
  %4 = "aten.permute"(%3) {dims = [1, 0]} : (!t) -> tensor<2x3xf32>
  %5 = "aten.neg"(%4) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %5 : tensor<2x3xf32>
}

// The same sizes and strides elsewhere in the storage are other elements; a result stays what it is.
// CHECK-LABEL: func.func @elsewhere
// CHECK:         aten.slice_tensor
// CHECK:         aten.slice_tensor
// CHECK:         aten.view
// CHECK:         %[[V:.*]] = "aten.view"
// CHECK:         return %{{.*}}, %[[V]]
func.func @elsewhere(%x: tensor<4xf32>) -> (tensor<1xf32>, tensor<4xf32>) attributes {aten.stage = "functional", aten.io_aliases = [[0, -2]]} {
  %0 = "aten.slice_tensor"(%x) {dim = 0 : i64, start = 1 : i64, end = 3 : i64, step = 1 : i64} : (tensor<4xf32>) -> tensor<2xf32, #aten.layout<"cpu", [1], 1 : i64, unit>>
  %1 = "aten.slice_tensor"(%0) {dim = 0 : i64, start = 1 : i64, end = 2 : i64, step = 1 : i64} : (tensor<2xf32, #aten.layout<"cpu", [1], 1 : i64, unit>>) -> tensor<1xf32, #aten.layout<"cpu", [1], 2 : i64, unit>>
  %2 = "aten.neg"(%1) : (tensor<1xf32, #aten.layout<"cpu", [1], 2 : i64, unit>>) -> tensor<1xf32>
  %3 = "aten.view"(%x) {size = [2, 2]} : (tensor<4xf32>) -> tensor<2x2xf32>
  %4 = "aten.view"(%3) {size = [4]} : (tensor<2x2xf32>) -> tensor<4xf32>
  return %2, %4 : tensor<1xf32>, tensor<4xf32>
}

// float32 holds every float16; float16 does not hold float32.
// CHECK-LABEL: func.func @conversions
// CHECK-NEXT:    "aten.neg"(%arg0)
// CHECK-NEXT:    %[[H:.*]] = "aten.u_to_copy"(%arg1)
// CHECK-NEXT:    "aten.u_to_copy"(%[[H]])
// CHECK:         "aten.u_to_copy"(%arg0)
func.func @conversions(%h: tensor<4xf16>, %f: tensor<4xf32>) -> (tensor<4xf16>, tensor<4xf32>, tensor<4xf64>)
    attributes {aten.stage = "functional", aten.io_aliases = []} {
  %0 = "aten.u_to_copy"(%h) {dtype = #aten.enum<"dtype", "float32">, device = #aten.none, layout = #aten.none, memory_format = #aten.none, non_blocking = false, pin_memory = #aten.none} : (tensor<4xf16>) -> tensor<4xf32>
  %1 = "aten.u_to_copy"(%0) {dtype = #aten.enum<"dtype", "float16">, device = #aten.none, layout = #aten.none, memory_format = #aten.none, non_blocking = false, pin_memory = #aten.none} : (tensor<4xf32>) -> tensor<4xf16>
  %2 = "aten.neg"(%1) : (tensor<4xf16>) -> tensor<4xf16>
  %3 = "aten.u_to_copy"(%f) {dtype = #aten.enum<"dtype", "float16">, device = #aten.none, layout = #aten.none, memory_format = #aten.none, non_blocking = false, pin_memory = #aten.none} : (tensor<4xf32>) -> tensor<4xf16>
  %4 = "aten.u_to_copy"(%3) {dtype = #aten.enum<"dtype", "float32">, device = #aten.none, layout = #aten.none, memory_format = #aten.none, non_blocking = false, pin_memory = #aten.none} : (tensor<4xf16>) -> tensor<4xf32>
  %5 = "aten.neg"(%4) : (tensor<4xf32>) -> tensor<4xf32>
  %6 = "aten.u_to_copy"(%0) {dtype = #aten.enum<"dtype", "float64">, device = #aten.none, layout = #aten.none, memory_format = #aten.none, non_blocking = false, pin_memory = #aten.none} : (tensor<4xf32>) -> tensor<4xf64>
  return %2, %5, %6 : tensor<4xf16>, tensor<4xf32>, tensor<4xf64>
}

// 200.0 as int8 is not what 200 as int8 is.
// CHECK-LABEL: func.func @integers
// CHECK-COUNT-2: aten.u_to_copy
func.func @integers(%x: tensor<4xui8>) -> tensor<4xi8> attributes {aten.stage = "functional", aten.io_aliases = []} {
  %0 = "aten.u_to_copy"(%x) {dtype = #aten.enum<"dtype", "float32">, device = #aten.none, layout = #aten.none, memory_format = #aten.none, non_blocking = false, pin_memory = #aten.none} : (tensor<4xui8>) -> tensor<4xf32>
  %1 = "aten.u_to_copy"(%0) {dtype = #aten.enum<"dtype", "int8">, device = #aten.none, layout = #aten.none, memory_format = #aten.none, non_blocking = false, pin_memory = #aten.none} : (tensor<4xf32>) -> tensor<4xi8>
  return %1 : tensor<4xi8>
}

// A joint graph: autograd kept the wider tensor, not the caller's. What reads another tensor than it did is no longer marked, so the copy stays.
// CHECK-LABEL: func.func @backward
// CHECK-NEXT:    %[[C:.*]] = "aten.u_to_copy"(%arg0) {aten.stale, device
// CHECK-NEXT:    "aten.mul_tensor"(%arg1, %[[C]])
// CHECK-NEXT:    "aten.u_to_copy"(%arg0) {aten.stale, device
func.func @backward(%x: tensor<4xbf16>, %t: tensor<4xbf16>, %s: tensor<4xf64>) -> (tensor<4xbf16>, tensor<4xf64>)
    attributes {aten.stage = "functional", aten.io_aliases = [], aten.tangents = [1, 2]} {
  %0 = "aten.u_to_copy"(%x) {dtype = #aten.enum<"dtype", "float32">, device = #aten.none, layout = #aten.none, memory_format = #aten.none, non_blocking = false, pin_memory = #aten.none} : (tensor<4xbf16>) -> tensor<4xf32>
  %1 = "aten.u_to_copy"(%0) {aten.backward, dtype = #aten.enum<"dtype", "bfloat16">, device = #aten.none, layout = #aten.none, memory_format = #aten.none, non_blocking = false, pin_memory = #aten.none} : (tensor<4xf32>) -> tensor<4xbf16>
  %2 = "aten.mul_tensor"(%t, %1) {aten.backward} : (tensor<4xbf16>, tensor<4xbf16>) -> tensor<4xbf16>
  %3 = "aten.u_to_copy"(%0) {aten.backward, dtype = #aten.enum<"dtype", "float64">, device = #aten.none, layout = #aten.none, memory_format = #aten.none, non_blocking = false, pin_memory = #aten.none} : (tensor<4xf32>) -> tensor<4xf64>
  %4 = "aten.mul_tensor"(%s, %3) {aten.backward} : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xf64>
  return %2, %4 : tensor<4xbf16>, tensor<4xf64>
}
