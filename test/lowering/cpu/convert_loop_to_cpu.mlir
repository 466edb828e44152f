// RUN: %mlirind-opt %s --convert-loop-to-cpu | %FileCheck %s

// One function per kernel, on bare pointers, and the table of their addresses. What does not depend on the reduced dimension
// stands outside its loop; the store waits for the loop.
// CHECK-LABEL: llvm.func internal @row_max
// CHECK-SAME:    (%[[X:.*]]: !llvm.ptr, %[[O:.*]]: !llvm.ptr, %[[N:.*]]: i64) -> i32
// CHECK:         scf.for %[[I:.*]] =
// CHECK:           %[[ROW:.*]] = arith.muli %[[I]],
// CHECK:           %[[MAX:.*]] = scf.for
// CHECK:             arith.maximumf
// CHECK:           llvm.store %[[MAX]],
// CHECK-LABEL: llvm.func @mlirind_kernels
// CHECK:         llvm.mlir.addressof @row_max
"loop.func"() ({
^bb0(%x: memref<?xf32>, %o: memref<?xf32>, %i: index, %j: index):
  %v = "loop.load"(%x, %i, %j) {map = affine_map<(d0, d1)[s0] -> (d0 * 64 + d1)>, operandSegmentSizes = array<i32: 1, 2, 0>} : (memref<?xf32>, index, index) -> f32
  %m = "loop.reduce"(%v) {kind = "max", dims = [1], operandSegmentSizes = array<i32: 1, 0>, resultSegmentSizes = array<i32: 1, 0>} : (f32) -> f32
  "loop.store"(%o, %m, %i) {map = affine_map<(d0)[s0] -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 1, 0>} : (memref<?xf32>, f32, index) -> ()
  "loop.yield"() : () -> ()
}) {sym_name = "row_max", domain = affine_map<()[s0] -> (s0, 64)>, symbols = [#aten.expr<"s0">], outputs = 1} : () -> ()
