// RUN: %mlirind-opt %s --convert-loop-to-cpu | %FileCheck %s

// One function per kernel, on bare pointers, and the table of their addresses. The lanes lie along the contiguous dimension,
// here the reduced one: a vector is carried, and becomes one value by halves. What does not depend on the reduced dimension
// stands outside its loop; the store waits for the loop. 64 is a multiple of any number of lanes: there is no tail. A row is
// too short for an item of its own: a thread takes 16 rows at a time.
// CHECK-LABEL: llvm.func internal @row_max.chunks
// CHECK-SAME:    (%{{.*}}: !llvm.ptr, %[[LOWER:.*]]: i64, %[[UPPER:.*]]: i64)
// CHECK:         scf.for %[[ITEM:.*]] = %[[LOWER]] to %[[UPPER]]
// CHECK:         %[[FIRST:.*]] = arith.muli %[[ITEM]], %c16_i64
// CHECK:         scf.for %[[I:.*]] = %[[FIRST]]
// CHECK:           %[[ROW:.*]] = arith.muli
// CHECK:           scf.for {{.*}} -> (vector<[[L:[0-9]+]]xf32>)
// CHECK:             llvm.load {{.*}} -> vector<[[L]]xf32>
// CHECK:             arith.maximumf {{.*}} : vector<[[L]]xf32>
// CHECK-NOT:       llvm.intr.masked
// CHECK:           vector.shuffle
// CHECK:           %[[MAX:.*]] = vector.extract
// CHECK:           llvm.store %[[MAX]],
// CHECK-LABEL: llvm.func internal @row_max(
// CHECK-SAME:    %[[X:.*]]: !llvm.ptr, %[[O:.*]]: !llvm.ptr, %[[N:.*]]: i64) -> i32
// CHECK:         llvm.call @mlirind_run
"loop.func"() ({
^bb0(%x: memref<?xf32>, %o: memref<?xf32>, %i: index, %j: index):
  %v = "loop.load"(%x, %i, %j) {map = affine_map<(d0, d1)[s0] -> (d0 * 64 + d1)>, operandSegmentSizes = array<i32: 1, 2, 0>} : (memref<?xf32>, index, index) -> f32
  %m = "loop.reduce"(%v) {kind = "max", dims = [1], operandSegmentSizes = array<i32: 1, 0>, resultSegmentSizes = array<i32: 1, 0>} : (f32) -> f32
  "loop.store"(%o, %m, %i) {map = affine_map<(d0)[s0] -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 1, 0>} : (memref<?xf32>, f32, index) -> ()
  "loop.yield"() : () -> ()
}) {sym_name = "row_max", domain = affine_map<()[s0] -> (s0, 64)>, symbols = [#aten.expr<"s0">], outputs = 1} : () -> ()

// The lanes lie along the other dimension where that is the contiguous one; the tail of a size that is not known is masked.
// CHECK-LABEL: llvm.func internal @column_max
// CHECK:         scf.for
// CHECK:           scf.for {{.*}} -> (vector<[[L:[0-9]+]]xf32>)
// CHECK:             llvm.load {{.*}} -> vector<[[L]]xf32>
// CHECK:           llvm.store {{.*}} : vector<[[L]]xf32>
// CHECK:           llvm.intr.masked.load
// CHECK:           llvm.intr.masked.store
"loop.func"() ({
^bb0(%x: memref<?xf32>, %o: memref<?xf32>, %i: index, %j: index):
  %v = "loop.load"(%x, %i, %j) {map = affine_map<(d0, d1)[s0] -> (d1 * s0 + d0)>, operandSegmentSizes = array<i32: 1, 2, 0>} : (memref<?xf32>, index, index) -> f32
  %m = "loop.reduce"(%v) {kind = "max", dims = [1], operandSegmentSizes = array<i32: 1, 0>, resultSegmentSizes = array<i32: 1, 0>} : (f32) -> f32
  "loop.store"(%o, %m, %i) {map = affine_map<(d0)[s0] -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 1, 0>} : (memref<?xf32>, f32, index) -> ()
  "loop.yield"() : () -> ()
}) {sym_name = "column_max", domain = affine_map<()[s0] -> (s0, 64)>, symbols = [#aten.expr<"s0">], outputs = 1} : () -> ()

// CHECK-LABEL: llvm.func @mlirind_kernels
// CHECK:         llvm.mlir.addressof @row_max
// CHECK:         llvm.mlir.addressof @column_max
