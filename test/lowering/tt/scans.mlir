// RUN: %mlirind-opt %s --lower-loop-to-tt | %FileCheck %s

// A row that fits a tile is scanned at once.
// CHECK:       "tt.func"() ({
// CHECK:         %[[X:.*]] = "tt.load"{{.*}} -> tensor<1024xf32>
// CHECK:         %[[S:.*]] = "tt.scan"(%{{.*}}) ({
// CHECK-NEXT:    ^bb0(%[[A:.*]]: f32, %[[B:.*]]: f32):
// CHECK-NEXT:      arith.addf %[[A]], %[[B]]
// CHECK:         }) {axis = 0 : i32, {{.*}}, reverse = false}
// CHECK:         "tt.store"(%{{.*}}, %[[S]],
// CHECK:       }) {{.*}} kernel = "short"
"loop.func"() ({
^bb0(%x: memref<?xf32>, %o: memref<?xf32>, %i: index, %j: index):
  %v = "loop.load"(%x, %i, %j) {map = affine_map<(d0, d1) -> (d0 * 1000 + d1)>, operandSegmentSizes = array<i32: 1, 2, 0>} : (memref<?xf32>, index, index) -> f32
  %s = "loop.scan"(%v) {kind = "add", dim = 1 : i64, operandSegmentSizes = array<i32: 1, 0>, resultSegmentSizes = array<i32: 1, 0>} : (f32) -> f32
  "loop.store"(%o, %s, %i, %j) {map = affine_map<(d0, d1) -> (d0 * 1000 + d1)>, operandSegmentSizes = array<i32: 1, 1, 2, 0>} : (memref<?xf32>, f32, index, index) -> ()
  "loop.yield"() : () -> ()
}) {sym_name = "short", domain = affine_map<() -> (1000, 1000)>, symbols = [], outputs = 1} : () -> ()

// Of a longer one, blocks in order: what the blocks before gave is carried, a scalar a row.
// CHECK:       "tt.func"() ({
// CHECK:         scf.for {{.*}} iter_args(%[[OLD:.*]] = %{{.*}}) -> (f32)
// CHECK:           %[[HERE:.*]] = "tt.scan"
// CHECK:           %[[SPREAD:.*]] = "tt.splat"(%[[OLD]])
// CHECK:           %[[S:.*]] = arith.addf %[[SPREAD]], %[[HERE]]
// CHECK:           %[[ALL:.*]] = "tt.reduce"
// CHECK:           %[[NEW:.*]] = arith.addf %[[OLD]], %[[ALL]]
// CHECK:           "tt.store"(%{{.*}}, %[[S]],
// CHECK:           scf.yield %[[NEW]]
// CHECK:       }) {{.*}} kernel = "long"
"loop.func"() ({
^bb0(%x: memref<?xf32>, %o: memref<?xf32>, %i: index, %j: index):
  %v = "loop.load"(%x, %i, %j) {map = affine_map<(d0, d1)[s0] -> (d0 * s0 + d1)>, operandSegmentSizes = array<i32: 1, 2, 0>} : (memref<?xf32>, index, index) -> f32
  %s = "loop.scan"(%v) {kind = "add", dim = 1 : i64, operandSegmentSizes = array<i32: 1, 0>, resultSegmentSizes = array<i32: 1, 0>} : (f32) -> f32
  "loop.store"(%o, %s, %i, %j) {map = affine_map<(d0, d1)[s0] -> (d0 * s0 + d1)>, operandSegmentSizes = array<i32: 1, 1, 2, 0>} : (memref<?xf32>, f32, index, index) -> ()
  "loop.yield"() : () -> ()
}) {sym_name = "long", domain = affine_map<()[s0] -> (1000, s0)>, symbols = [#aten.expr<"s0">], outputs = 1} : () -> ()
