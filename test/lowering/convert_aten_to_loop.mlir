// RUN: %mlirind-opt %s --convert-aten-to-loop | %FileCheck %s

// Broadcasting is in the load's map; the scale is not rounded before the sum.
// CHECK-LABEL: func.func @broadcast_and_scale
// CHECK:         "loop.kernel"(%arg0, %arg1)
// CHECK:         %[[Y:.*]] = "loop.load"({{.*}}, %[[J:.*]]) {map = #map1,
// CHECK:         %[[WIDE:.*]] = arith.extf %[[Y]] : bf16 to f32
// CHECK:         math.fma %[[WIDE]], %{{.*}}, %{{.*}} : f32
// CHECK:         kernel_name = "add"
func.func @broadcast_and_scale(%x: tensor<4x64xf32>, %y: tensor<64xbf16>) -> tensor<4x64xf32> {
  %0 = "aten.add_tensor"(%x, %y) {alpha = 2 : i64} : (tensor<4x64xf32>, tensor<64xbf16>) -> tensor<4x64xf32>
  return %0 : tensor<4x64xf32>
}

// Operators without a rule and views stay; the reason is noted where a rule exists but can't apply.
// CHECK-LABEL: func.func @stays
// CHECK:         "aten.mm"
// CHECK:         "aten.permute"
// CHECK:         "aten.exp"{{.*}}aten.reason = "dtype complex64"
func.func @stays(%x: tensor<64x64xf32>, %c: tensor<2xcomplex<f32>>) -> (tensor<64x64xf32>, tensor<2xcomplex<f32>>) {
  %0 = "aten.mm"(%x, %x) : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %1 = "aten.permute"(%0) {dims = [1, 0]} : (tensor<64x64xf32>) -> tensor<64x64xf32>
  %2 = "aten.exp"(%c) : (tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>>
  return %1, %2 : tensor<64x64xf32>, tensor<2xcomplex<f32>>
}

// A symbolic size is a symbol of the kernel.
// CHECK-LABEL: func.func @symbolic
// CHECK:         domain = #[[DOMAIN:.*]], kernel_name = "exp",{{.*}} symbols = [#aten.expr<"s0">]
func.func @symbolic(%x: tensor<?x4xf32, #aten.layout<"cpu", [4, 1], 0 : i64, [#aten.expr<"s0">, 4]>>)
    -> tensor<?x4xf32, #aten.layout<"cpu", [4, 1], 0 : i64, [#aten.expr<"s0">, 4]>> {
  %0 = "aten.exp"(%x) : (tensor<?x4xf32, #aten.layout<"cpu", [4, 1], 0 : i64, [#aten.expr<"s0">, 4]>>)
    -> tensor<?x4xf32, #aten.layout<"cpu", [4, 1], 0 : i64, [#aten.expr<"s0">, 4]>>
  return %0 : tensor<?x4xf32, #aten.layout<"cpu", [4, 1], 0 : i64, [#aten.expr<"s0">, 4]>>
}
