// RUN: %mlirind-opt %s --convert-aten-to-loop --verify-ir | %FileCheck %s

// A float makes an integer tensor compare as float32.
// CHECK-LABEL: func.func @promoted
// CHECK:         arith.sitofp %{{.*}} : i64 to f32
// CHECK:         arith.cmpf ogt
func.func @promoted(%x: tensor<8xi64>) -> tensor<8xi1> {
  %0 = "aten.gt_scalar"(%x) {other = 2.5 : f64} : (tensor<8xi64>) -> tensor<8xi1>
  return %0 : tensor<8xi1>
}

// uint8 compares unsigned.
// CHECK-LABEL: func.func @unsigned
// CHECK:         arith.cmpi ult, %{{.*}} : i8
func.func @unsigned(%x: tensor<8xui8>, %y: tensor<8xui8>) -> tensor<8xi1> {
  %0 = "aten.lt_tensor"(%x, %y) : (tensor<8xui8>, tensor<8xui8>) -> tensor<8xi1>
  return %0 : tensor<8xi1>
}

// A shift amount is in range whatever the tensor holds.
// CHECK-LABEL: func.func @shift
// CHECK:         %[[AMOUNT:.*]] = arith.select
// CHECK:         arith.shli %{{.*}}, %[[AMOUNT]]
func.func @shift(%x: tensor<8xi64>, %y: tensor<8xi64>) -> tensor<8xi64> {
  %0 = "aten.bitwise_left_shift_tensor"(%x, %y) : (tensor<8xi64>, tensor<8xi64>) -> tensor<8xi64>
  return %0 : tensor<8xi64>
}

// Selection moves half values as they are.
// CHECK-LABEL: func.func @where
// CHECK-NOT:     arith.extf
// CHECK:         arith.select %{{.*}} : bf16
func.func @where(%c: tensor<8xi1>, %x: tensor<8xbf16>, %y: tensor<1xbf16>) -> tensor<8xbf16> {
  %0 = "aten.where_self"(%c, %x, %y) : (tensor<8xi1>, tensor<8xbf16>, tensor<1xbf16>) -> tensor<8xbf16>
  return %0 : tensor<8xbf16>
}
