// RUN: %mlirind-opt %s --convert-aten-to-loop --verify-ir | %FileCheck %s

// The reduced dimension is the last of the domain, whichever it is of the tensor.
// CHECK-DAG:   #[[SWAPPED:.*]] = affine_map<(d0, d1) -> (d1, d0)>
// CHECK-DAG:   #[[DOMAIN:.*]] = affine_map<() -> (64, 4)>
// CHECK-LABEL: func.func @sum_of_rows
// CHECK:         "loop.load"{{.*}}map = #[[SWAPPED]]
// CHECK:         "loop.reduce"(%{{.*}}) {dims = [1], kind = "add"
// CHECK:         domain = #[[DOMAIN]]
func.func @sum_of_rows(%x: tensor<4x64xf32>) -> tensor<64xf32> {
  %0 = "aten.sum_dim_intlist"(%x) {dim = [0], keepdim = false, dtype = #aten.none} : (tensor<4x64xf32>) -> tensor<64xf32>
  return %0 : tensor<64xf32>
}

// Half types accumulate in f32; bool counts in i64.
// CHECK-LABEL: func.func @accumulators
// CHECK:         "loop.reduce"{{.*}} : (f32) -> f32
// CHECK:         arith.truncf %{{.*}} : f32 to bf16
// CHECK:         "loop.reduce"{{.*}} : (i64) -> i64
func.func @accumulators(%x: tensor<64xbf16>, %m: tensor<64xi1>) -> (tensor<bf16>, tensor<i64>) {
  %0 = "aten.mean"(%x) {dtype = #aten.none} : (tensor<64xbf16>) -> tensor<bf16>
  %1 = "aten.sum"(%m) {dtype = #aten.none} : (tensor<64xi1>) -> tensor<i64>
  return %0, %1 : tensor<bf16>, tensor<i64>
}

// The variance is Welford's.
// CHECK-LABEL: func.func @variance
// CHECK:         "loop.reduce"(%{{.*}}) {dims = [1], kind = "welford"
func.func @variance(%x: tensor<4x64xf32>) -> tensor<4xf32> {
  %0 = "aten.var_correction"(%x) {dim = [1], correction = 1 : i64, keepdim = false} : (tensor<4x64xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// Value and position come from one reduction.
// CHECK-LABEL: func.func @max_with_index
// CHECK:         %{{.*}}:2 = "loop.reduce"(%{{.*}}, %{{.*}}) {dims = [1], kind = "argmax"
func.func @max_with_index(%x: tensor<4x64xf32>) -> (tensor<4xf32>, tensor<4xi64>) {
  %0, %1 = "aten.max_dim"(%x) {dim = 1 : i64, keepdim = false} : (tensor<4x64xf32>) -> (tensor<4xf32>, tensor<4xi64>)
  return %0, %1 : tensor<4xf32>, tensor<4xi64>
}
