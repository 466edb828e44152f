// RUN: %mlirind-opt %s --convert-aten-to-loop | %FileCheck %s

// What Python computes from a size is computed in the kernel, in float64.
// CHECK-LABEL: func.func @scaled
// CHECK:         "loop.apply"()
// CHECK:         %[[WIDE:.*]] = arith.sitofp %{{.*}} : i64 to f64
// CHECK:         %[[POWER:.*]] = arith.constant -5.000000e-01 : f64
// CHECK:         %[[SCALE:.*]] = math.powf %[[WIDE]], %[[POWER]] : f64
// CHECK:         arith.truncf %[[SCALE]] : f64 to f32
func.func @scaled(%x: tensor<?xf32, #aten.layout<"cpu", [1], 0 : i64, [#aten.expr<"s0">]>>)
    -> tensor<?xf32, #aten.layout<"cpu", [1], 0 : i64, [#aten.expr<"s0">]>> {
  %n = "aten.number"() {value = #aten.expr<"fpow(tofloat(s0), -1/2)">} : () -> tensor<f64, #aten.layout<"cpu", [], 0 : i64, unit>>
  %0 = "aten.mul_tensor"(%x, %n) : (tensor<?xf32, #aten.layout<"cpu", [1], 0 : i64, [#aten.expr<"s0">]>>,
    tensor<f64, #aten.layout<"cpu", [], 0 : i64, unit>>) -> tensor<?xf32, #aten.layout<"cpu", [1], 0 : i64, [#aten.expr<"s0">]>>
  return %0 : tensor<?xf32, #aten.layout<"cpu", [1], 0 : i64, [#aten.expr<"s0">]>>
}

// A float from data is made of its bits.
// CHECK-LABEL: func.func @from_data
// CHECK:         %[[INDEX:.*]] = "loop.apply"()
// CHECK:         %[[BITS:.*]] = arith.index_cast %[[INDEX]] : index to i64
// CHECK:         %[[FLOAT:.*]] = arith.bitcast %[[BITS]] : i64 to f64
// CHECK:         arith.truncf %[[FLOAT]] : f64 to f32
func.func @from_data(%bits: index {aten.symbol = "bits_zuf0"}, %x: tensor<3xf32>) -> tensor<3xf32> {
  %n = "aten.number"() {value = #aten.expr<"frombits(bits_zuf0)">} : () -> tensor<f64, #aten.layout<"cpu", [], 0 : i64, unit>>
  %0 = "aten.mul_tensor"(%x, %n) : (tensor<3xf32>, tensor<f64, #aten.layout<"cpu", [], 0 : i64, unit>>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}
