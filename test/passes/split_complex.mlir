// RUN: %mlirind-opt %s --split-complex --verify-metadata | %FileCheck %s

!x = tensor<3x4x2xf32>
!z = tensor<3x4xcomplex<f32>>
!r = tensor<3x4xf32>

// Rotary embedding: no complex tensor is left but the input, whose memory is viewed.
// CHECK-LABEL: func.func @rotary
// CHECK:         %[[F:.*]] = "aten.view_as_real"(%arg1)
// CHECK-NEXT:    %[[C:.*]] = "aten.select_int"(%[[F]]) {dim = 1 : i64, index = 0 : i64}
// CHECK-NEXT:    %[[D:.*]] = "aten.select_int"(%[[F]]) {dim = 1 : i64, index = 1 : i64}
// CHECK-NEXT:    %[[A:.*]] = "aten.select_int"(%arg0) {dim = 2 : i64, index = 0 : i64}
// CHECK-NEXT:    %[[B:.*]] = "aten.select_int"(%arg0) {dim = 2 : i64, index = 1 : i64}
// CHECK-NEXT:    %[[BD:.*]] = "aten.mul_tensor"(%[[B]], %[[D]])
// CHECK-NEXT:    %[[BC:.*]] = "aten.mul_tensor"(%[[B]], %[[C]])
// CHECK-NEXT:    %[[AC:.*]] = "aten.mul_tensor"(%[[A]], %[[C]])
// CHECK-NEXT:    %[[RE:.*]] = "aten.sub_tensor"(%[[AC]], %[[BD]])
// CHECK-NEXT:    %[[AD:.*]] = "aten.mul_tensor"(%[[A]], %[[D]])
// CHECK-NEXT:    %[[IM:.*]] = "aten.add_tensor"(%[[AD]], %[[BC]])
// CHECK:         %[[S:.*]] = "aten.stack"(%[[RE]], %[[IM]])
// CHECK-NOT:     complex
// CHECK:         return %[[S]]
func.func @rotary(%x: !x, %f: tensor<4xcomplex<f32>>) -> !x attributes {aten.stage = "functional"} {
  %0 = "aten.view_as_complex"(%x) : (!x) -> !z
  %1 = "aten.mul_tensor"(%0, %f) : (!z, tensor<4xcomplex<f32>>) -> !z
  %2 = "aten.view_as_real"(%1) : (!z) -> !x
  return %2 : !x
}

// A real operand has the imaginary part 0, by which infinities become NaN; a number's parts are numbers. The caller gets a complex tensor.
// CHECK-LABEL: func.func @real_and_number
// CHECK:         %[[ZERO:.*]] = "aten.number"() {value = 0.000000e+00 : f64}
// CHECK:         "aten.mul_tensor"(%{{.*}}, %[[ZERO]])
// CHECK:         "aten.number"() {value = -2.000000e+00 : f64}
// CHECK:         %[[S:.*]] = "aten.stack"
// CHECK:         %[[Z:.*]] = "aten.view_as_complex"(%[[S]])
// CHECK:         return %[[Z]]
func.func @real_and_number(%z: !z, %r: !r) -> !z attributes {aten.stage = "functional"} {
  %0 = "aten.mul_tensor"(%z, %r) : (!z, !r) -> !z
  %n = "aten.number"() {value = #aten.complex<1.0 : f64, -2.0 : f64>} : () -> tensor<complex<f64>>
  %1 = "aten.mul_tensor"(%0, %n) : (!z, tensor<complex<f64>>) -> !z
  return %1 : !z
}

// Views of split values are views of their parts; what only the view made is gone.
// CHECK-LABEL: func.func @through_views
// CHECK-COUNT-2: "aten.permute"
// CHECK:         %[[H:.*]] = "aten.hypot"
// CHECK-NOT:     view_as_complex
// CHECK:         %[[R:.*]] = "aten.clone"(%[[H]])
// CHECK:         return %[[R]]
func.func @through_views(%r: !r, %s: !r) -> tensor<4x3xf32> attributes {aten.stage = "functional"} {
  %0 = "aten.complex"(%r, %s) : (!r, !r) -> !z
  %1 = "aten.permute"(%0) {dims = [1, 0]} : (!z) -> tensor<4x3xcomplex<f32>, #aten.layout<"cpu", [1, 4], 0 : i64, unit>>
  %2 = "aten.conj_physical"(%1) : (tensor<4x3xcomplex<f32>, #aten.layout<"cpu", [1, 4], 0 : i64, unit>>) -> tensor<4x3xcomplex<f32>, #aten.layout<"cpu", [1, 4], 0 : i64, unit>>
  %3 = "aten.abs"(%2) : (tensor<4x3xcomplex<f32>, #aten.layout<"cpu", [1, 4], 0 : i64, unit>>) -> tensor<4x3xf32, #aten.layout<"cpu", [1, 4], 0 : i64, unit>>
  %4 = "aten.clone"(%3) {memory_format = #aten.enum<"memory_format", "contiguous_format">} : (tensor<4x3xf32, #aten.layout<"cpu", [1, 4], 0 : i64, unit>>) -> tensor<4x3xf32>
  return %4 : tensor<4x3xf32>
}

// The imaginary part of a real tensor made complex is the number 0, and so is that of its views and of its moved elements.
// CHECK-LABEL: func.func @real_made_complex
// CHECK-NOT:     "aten.slice_tensor"(%{{[0-9]+}}) {{.*}}tensor<f64
// CHECK:         %[[I:.*]] = "aten.full"() {{.*}}fill_value = 0.000000e+00
// CHECK:         "aten.stack"(%{{.*}}, %[[I]])
// CHECK:         return
func.func @real_made_complex(%r: !r) -> tensor<2x4xcomplex<f32>> attributes {aten.stage = "functional"} {
  %0 = "aten.u_to_copy"(%r) {dtype = #aten.enum<"dtype", "complex64">, layout = #aten.none, device = #aten.none, pin_memory = #aten.none, non_blocking = false, memory_format = #aten.none} : (!r) -> !z
  %1 = "aten.slice_tensor"(%0) {dim = 0 : i64, start = 0 : i64, end = 2 : i64, step = 1 : i64} : (!z) -> tensor<2x4xcomplex<f32>>
  %2 = "aten.flip"(%1) {dims = [0]} : (tensor<2x4xcomplex<f32>>) -> tensor<2x4xcomplex<f32>>
  %3 = "aten.conj_physical"(%2) : (tensor<2x4xcomplex<f32>>) -> tensor<2x4xcomplex<f32>>
  return %3 : tensor<2x4xcomplex<f32>>
}

// Without a formula the operator stays, on the complex tensor; so do operators that only move elements between such ones.
// CHECK-LABEL: func.func @others_stay
// CHECK:         %[[Z:.*]] = "aten.view_as_complex"
// CHECK:         %[[E:.*]] = "aten.exp"(%[[Z]])
// CHECK:         %[[C:.*]] = "aten.flip"(%[[E]])
// CHECK:         %[[D:.*]] = "aten.div_tensor"(%[[C]], %[[Z]])
// CHECK:         return %[[D]]
func.func @others_stay(%z: !z) -> !z attributes {aten.stage = "functional"} {
  %0 = "aten.mul_tensor"(%z, %z) : (!z, !z) -> !z
  %1 = "aten.exp"(%0) : (!z) -> !z
  %2 = "aten.flip"(%1) {dims = [0]} : (!z) -> !z
  %3 = "aten.div_tensor"(%2, %0) : (!z, !z) -> !z
  return %3 : !z
}

// The caller's view of an input stays one, and is no copy.
// CHECK-LABEL: func.func @view_of_an_input
// CHECK-NEXT:    %[[C:.*]] = "aten.view_as_complex"(%arg0)
// CHECK-NEXT:    %[[R:.*]] = "aten.view_as_real"(%[[C]])
// CHECK-NEXT:    return %[[R]]
func.func @view_of_an_input(%x: !x) -> !x attributes {aten.stage = "functional"} {
  %0 = "aten.view_as_complex"(%x) : (!x) -> !z
  %1 = "aten.view_as_real"(%0) : (!z) -> !x
  return %1 : !x
}

// Parts of halves are not computed: eager computes these in another way.
// CHECK-LABEL: func.func @halves_stay
// CHECK-NEXT:    "aten.mul_tensor"
// CHECK-NEXT:    return
func.func @halves_stay(%z: tensor<3xcomplex<f16>>) -> tensor<3xcomplex<f16>> attributes {aten.stage = "functional"} {
  %0 = "aten.mul_tensor"(%z, %z) : (tensor<3xcomplex<f16>>, tensor<3xcomplex<f16>>) -> tensor<3xcomplex<f16>>
  return %0 : tensor<3xcomplex<f16>>
}
