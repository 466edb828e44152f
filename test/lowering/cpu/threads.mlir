// RUN: %mlirind-opt %s --convert-loop-to-cpu | %FileCheck %s

// Work for several threads: the items are a function of their own, which the workers call on their shares.
// CHECK-LABEL: llvm.func internal @mlirind_worker
// CHECK-LABEL: llvm.func internal @mlirind_run
// CHECK:         llvm.call @GOMP_parallel
// CHECK-LABEL: llvm.func internal @large.chunks
// CHECK-SAME:    (%[[MEMORY:.*]]: !llvm.ptr, %[[LOWER:.*]]: i64, %[[UPPER:.*]]: i64)
// CHECK:         scf.for %{{.*}} = %[[LOWER]] to %[[UPPER]]
// CHECK-LABEL: llvm.func internal @large(
// CHECK:         llvm.mlir.addressof @large.chunks
// CHECK:         llvm.call @mlirind_run
"loop.func"() ({
^bb0(%x: memref<?xf32>, %o: memref<?xf32>, %i: index):
  %v = "loop.load"(%x, %i) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 0>} : (memref<?xf32>, index) -> f32
  "loop.store"(%o, %v, %i) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 1, 0>} : (memref<?xf32>, f32, index) -> ()
  "loop.yield"() : () -> ()
}) {sym_name = "large", domain = affine_map<() -> (1000000)>, symbols = [], outputs = 1} : () -> ()

// Too little for a second thread: nothing of the kind.
// CHECK-LABEL: llvm.func internal @small
// CHECK-NOT:     llvm.call
// CHECK:         llvm.return
"loop.func"() ({
^bb0(%x: memref<?xf32>, %o: memref<?xf32>, %i: index):
  %v = "loop.load"(%x, %i) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 0>} : (memref<?xf32>, index) -> f32
  "loop.store"(%o, %v, %i) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 1, 0>} : (memref<?xf32>, f32, index) -> ()
  "loop.yield"() : () -> ()
}) {sym_name = "small", domain = affine_map<() -> (1000)>, symbols = [], outputs = 1} : () -> ()
