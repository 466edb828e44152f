// RUN: %mlirind-opt %s --convert-loop-to-cpu | %FileCheck %s

// Every second element along the lanes, and the elements between along the inner dimension: two vectors are interleaved and stored as two.
// In the tail each lane stores for itself.
// CHECK-LABEL: llvm.func internal @pairs
// CHECK:         vector.shuffle {{.*}} [0, [[L:[0-9]+]], 1,
// CHECK-NEXT:    llvm.getelementptr
// CHECK-NEXT:    llvm.store {{.*}} : vector<[[L]]xf32>
// CHECK:         vector.shuffle
// CHECK:         llvm.store {{.*}} : vector<[[L]]xf32>
// CHECK:         llvm.intr.masked.scatter
"loop.func"() ({
^bb0(%x: memref<?xf32>, %y: memref<?xf32>, %o: memref<?xf32>, %i: index, %j: index):
  %one = arith.constant 1 : i64
  %n = arith.index_cast %j : index to i64
  %first = arith.cmpi slt, %n, %one : i64
  %a = "loop.load"(%x, %i) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 0>} : (memref<?xf32>, index) -> f32
  %b = "loop.load"(%y, %i) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 0>} : (memref<?xf32>, index) -> f32
  %v = arith.select %first, %a, %b : f32
  "loop.store"(%o, %v, %i, %j) {map = affine_map<(d0, d1) -> (d0 * 2 + d1)>, operandSegmentSizes = array<i32: 1, 1, 2, 0>} : (memref<?xf32>, f32, index, index) -> ()
  "loop.yield"() : () -> ()
}) {sym_name = "pairs", domain = affine_map<() -> (100, 2)>, symbols = [], outputs = 1} : () -> ()
