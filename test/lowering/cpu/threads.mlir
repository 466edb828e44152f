// RUN: %mlirind-opt %s --convert-loop-to-cpu | %FileCheck %s

// Work for several threads: the items are a function of their own, which the worker of each thread calls on its share.
// CHECK:         llvm.func internal @mlirind_threads(%{{.*}}: i64, %{{.*}}: i64) -> i64
// CHECK-LABEL: llvm.func internal @large.items
// CHECK-LABEL: llvm.func internal @large.worker
// CHECK:         llvm.call @large.items
// CHECK-LABEL: llvm.func internal @large(
// CHECK:         llvm.call @mlirind_threads
// CHECK:         llvm.call @large.items
// CHECK:         llvm.call @GOMP_parallel
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
