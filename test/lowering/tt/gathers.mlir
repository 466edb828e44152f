// RUN: %mlirind-opt %s --lower-loop-to-tt | %FileCheck %s

// An index is asserted to be in range, where the tile is in the domain, and what is out of range is not loaded but zero. The sum goes
// by atomic addition, once for every point of the domain.
// CHECK:       "tt.func"() ({
// CHECK-NEXT:  ^bb0(%[[TABLE:.*]]: !tt.ptr<f32>, %[[ROWS:.*]]: !tt.ptr<i64>, %[[O:.*]]: !tt.ptr<f32>, %{{.*}}: i64, %{{.*}}: i64):
// CHECK:         %[[ROW:.*]] = "tt.load"{{.*}} -> tensor<1024xi64>
// CHECK:         %[[OK:.*]] = arith.cmpi ult, %[[ROW]],
// CHECK:         "tt.assert"({{.*}}) {message = "index out of range"}
// CHECK:         %[[MASK:.*]] = arith.andi %[[OK]],
// CHECK:         "tt.load"(%{{.*}}, %[[MASK]], %{{.*}}) {{.*}} -> tensor<1024xf32>
// CHECK:         "tt.atomic_rmw"({{.*}}) {atomic_rmw_op = 5 : i32,
// CHECK:       }) {{.*}} kernel = "rows"
"loop.func"() ({
^bb0(%table: memref<?xf32>, %rows: memref<?xi64>, %o: memref<?xf32>, %i: index, %j: index):
  %n = "loop.load"(%rows, %i) {map = affine_map<(d0)[s0, s1] -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 0>} : (memref<?xi64>, index) -> i64
  %row = arith.index_cast %n : i64 to index
  %size = "loop.apply"() {map = affine_map<()[s0, s1] -> (s1)>} : () -> index
  %ok = arith.cmpi ult, %row, %size : index
  "loop.check"(%ok) {error = "index"} : (i1) -> ()
  %v = "loop.load"(%table, %row, %j, %ok) {map = affine_map<(d0, d1)[s0, s1] -> (d0 * 32 + d1)>, operandSegmentSizes = array<i32: 1, 2, 1>} : (memref<?xf32>, index, index, i1) -> f32
  "loop.store"(%o, %v, %j) {map = affine_map<(d0)[s0, s1] -> (d0)>, accumulate = "add", operandSegmentSizes = array<i32: 1, 1, 1, 0>} : (memref<?xf32>, f32, index) -> ()
  "loop.yield"() : () -> ()
}) {sym_name = "rows", domain = affine_map<()[s0, s1] -> (s0, 32)>, symbols = [#aten.expr<"s0">, #aten.expr<"s1">], outputs = 1} : () -> ()

// A padded copy: the load is masked by the kernel itself, and gives zero there.
// CHECK:       "tt.func"() ({
// CHECK:         %[[INSIDE:.*]] = arith.andi
// CHECK:         "tt.load"(%{{.*}}, %{{.*}}, %{{.*}}) {{.*}} operandSegmentSizes = array<i32: 1, 1, 1>
// CHECK:       }) {{.*}} kernel = "padded"
"loop.func"() ({
^bb0(%x: memref<?xf32>, %o: memref<?xf32>, %i: index):
  %low = arith.constant 3 : index
  %high = arith.constant 40 : index
  %above = arith.cmpi sge, %i, %low : index
  %below = arith.cmpi slt, %i, %high : index
  %inside = arith.andi %above, %below : i1
  %v = "loop.load"(%x, %i, %inside) {map = affine_map<(d0) -> (d0 - 3)>, operandSegmentSizes = array<i32: 1, 1, 1>} : (memref<?xf32>, index, i1) -> f32
  "loop.store"(%o, %v, %i) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 1, 0>} : (memref<?xf32>, f32, index) -> ()
  "loop.yield"() : () -> ()
}) {sym_name = "padded", domain = affine_map<() -> (50)>, symbols = [], outputs = 1} : () -> ()
