// RUN: %mlirind-opt %s --convert-loop-to-cpu | %FileCheck %s

// A large reduction to one result: items are parts of the range, each of which stores what it has carried; the kernel merges them.
// CHECK-LABEL: llvm.func internal @total.chunks
// CHECK:         %[[SUM:.*]] = vector.extract
// CHECK:         %[[PLACE:.*]] = llvm.getelementptr
// CHECK:         llvm.store %[[SUM]], %[[PLACE]]
// CHECK-LABEL: llvm.func internal @total(
// CHECK:         llvm.call @mlirind_run
// CHECK:         %[[ALL:.*]] = scf.for {{.*}} -> (f32)
// CHECK:         arith.addf
// CHECK:         llvm.store %[[ALL]],
"loop.func"() ({
^bb0(%x: memref<?xf32>, %o: memref<?xf32>, %i: index):
  %v = "loop.load"(%x, %i) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 0>} : (memref<?xf32>, index) -> f32
  %s = "loop.reduce"(%v) {kind = "add", dims = [0], operandSegmentSizes = array<i32: 1, 0>, resultSegmentSizes = array<i32: 1, 0>} : (f32) -> f32
  "loop.store"(%o, %s) {map = affine_map<() -> (0)>, operandSegmentSizes = array<i32: 1, 1, 0, 0>} : (memref<?xf32>, f32) -> ()
  "loop.yield"() : () -> ()
}) {sym_name = "total", domain = affine_map<() -> (1000000)>, symbols = [], outputs = 1} : () -> ()
