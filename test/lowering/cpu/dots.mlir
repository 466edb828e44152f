// RUN: %mlirind-opt %s --convert-loop-to-cpu | %FileCheck %s

// Both factors are contiguous along the sum: a register for each of eight results, eight products at a time; then their lanes are added
// up in seven steps, and eight results are stored at once.
// CHECK-LABEL: llvm.func internal @rows
// CHECK:         scf.for
// CHECK:           scf.for
// CHECK:             %[[S:.*]]:8 = scf.for
// CHECK:               %[[W:.*]] = llvm.load {{.*}} -> vector<8xf32>
// CHECK:               %[[X:.*]] = llvm.load {{.*}} -> vector<8xf32>
// CHECK:               math.fma %[[X]], %[[W]]
// CHECK-COUNT-7:       math.fma %[[X]]
// CHECK:               scf.yield
// CHECK:             vector.shuffle %[[S]]#0, %[[S]]#1 [0, 8, 1, 9, 4, 12, 5, 13]
// CHECK-COUNT-7:     arith.addf
// CHECK-NOT:         arith.addf
// CHECK:             llvm.store {{.*}} : vector<8xf32>
module attributes {mlirind.target_features = "-avx512f"} {
  "loop.func"() ({
  ^bb0(%x: memref<?xf32>, %w: memref<?xf32>, %o: memref<?xf32>, %i: index, %j: index, %k: index):
    %0 = "loop.load"(%x, %i, %k) {map = affine_map<(d0, d1) -> (d0 * 64 + d1)>, operandSegmentSizes = array<i32: 1, 2, 0>} : (memref<?xf32>, index, index) -> f32
    %1 = "loop.load"(%w, %j, %k) {map = affine_map<(d0, d1) -> (d0 * 64 + d1)>, operandSegmentSizes = array<i32: 1, 2, 0>} : (memref<?xf32>, index, index) -> f32
    %2 = arith.mulf %0, %1 : f32
    %3 = "loop.reduce"(%2) {kind = "add", dims = [2], contract, operandSegmentSizes = array<i32: 1, 0>, resultSegmentSizes = array<i32: 1, 0>} : (f32) -> f32
    "loop.store"(%o, %3, %i, %j) {map = affine_map<(d0, d1) -> (d0 * 32 + d1)>, operandSegmentSizes = array<i32: 1, 1, 2, 0>} : (memref<?xf32>, f32, index, index) -> ()
    "loop.yield"() : () -> ()
  }) {sym_name = "rows", domain = affine_map<() -> (8, 32, 64)>, symbols = [], outputs = 1} : () -> ()

  // Without leave to skip the rounding of products it is a sum as any other, of one result.
  // CHECK-LABEL: llvm.func internal @rounded
  // CHECK-NOT:     math.fma
  // CHECK:         arith.mulf
  // CHECK-NOT:     math.fma
  // CHECK:         llvm.return
  "loop.func"() ({
  ^bb0(%x: memref<?xf32>, %w: memref<?xf32>, %o: memref<?xf32>, %j: index, %k: index):
    %0 = "loop.load"(%x, %k) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 0>} : (memref<?xf32>, index) -> f32
    %1 = "loop.load"(%w, %j, %k) {map = affine_map<(d0, d1) -> (d0 * 64 + d1)>, operandSegmentSizes = array<i32: 1, 2, 0>} : (memref<?xf32>, index, index) -> f32
    %2 = arith.mulf %0, %1 : f32
    %3 = "loop.reduce"(%2) {kind = "add", dims = [1], operandSegmentSizes = array<i32: 1, 0>, resultSegmentSizes = array<i32: 1, 0>} : (f32) -> f32
    "loop.store"(%o, %3, %j) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 1, 0>} : (memref<?xf32>, f32, index) -> ()
    "loop.yield"() : () -> ()
  }) {sym_name = "rounded", domain = affine_map<() -> (32, 64)>, symbols = [], outputs = 1} : () -> ()
}
