// RUN: %mlirind-opt %s --convert-loop-to-cpu | %FileCheck %s

// A row of 66 from one of 64, its first and last element twice: the ends one by one, between them whole vectors without arithmetic on places.
// CHECK-LABEL: llvm.func internal @replicate
// CHECK-NOT:     gather
// CHECK:         scf.for %{{.*}} = %c0_i64{{.*}} to %c1_i64
// CHECK:           llvm.load {{.*}} -> f32
// CHECK:         scf.for %{{.*}} = %c1_i64{{.*}} to %c65_i64
// CHECK-NOT:       arith.minsi
// CHECK:           llvm.load {{.*}} -> vector<[[L:[0-9]+]]xf32>
// CHECK-NOT:     gather
// CHECK:         scf.for %{{.*}} = %c65_i64{{.*}} to %c66_i64
// CHECK-NOT:       llvm.load
// CHECK:           llvm.store {{.*}} : f32
"loop.func"() ({
^bb0(%x: memref<?xf32>, %o: memref<?xf32>, %i: index, %j: index):
  %zero = arith.constant 0 : i64
  %last = arith.constant 63 : i64
  %one = arith.constant 1 : i64
  %k = arith.index_cast %j : index to i64
  %l = arith.subi %k, %one : i64
  %m = arith.maxsi %l, %zero : i64
  %n = arith.minsi %m, %last : i64
  %at = arith.index_cast %n : i64 to index
  %v = "loop.load"(%x, %i, %at) {map = affine_map<(d0, d1) -> (d0 * 64 + d1)>, operandSegmentSizes = array<i32: 1, 2, 0>} : (memref<?xf32>, index, index) -> f32
  "loop.store"(%o, %v, %i, %j) {map = affine_map<(d0, d1) -> (d0 * 66 + d1)>, operandSegmentSizes = array<i32: 1, 1, 2, 0>} : (memref<?xf32>, f32, index, index) -> ()
  "loop.yield"() : () -> ()
}) {sym_name = "replicate", domain = affine_map<() -> (100, 66)>, symbols = [], outputs = 1 : i64} : () -> ()

// A rotated row: two pieces.
// CHECK-LABEL: llvm.func internal @rotate
// CHECK-NOT:     gather
// CHECK:         to %c3_i64
// CHECK:         %c3_i64{{.*}} to %{{.*}} step
// CHECK-NOT:     gather
// CHECK:         llvm.return
"loop.func"() ({
^bb0(%x: memref<?xf32>, %o: memref<?xf32>, %i: index, %j: index):
  %v = "loop.load"(%x, %i, %j) {map = affine_map<(d0, d1) -> ((d1 + 97) mod 100 + d0 * 100)>, operandSegmentSizes = array<i32: 1, 2, 0>} : (memref<?xf32>, index, index) -> f32
  "loop.store"(%o, %v, %i, %j) {map = affine_map<(d0, d1) -> (d0 * 100 + d1)>, operandSegmentSizes = array<i32: 1, 1, 2, 0>} : (memref<?xf32>, f32, index, index) -> ()
  "loop.yield"() : () -> ()
}) {sym_name = "rotate", domain = affine_map<() -> (100, 100)>, symbols = [], outputs = 1 : i64} : () -> ()
