// RUN: %mlirind-opt %s --convert-loop-to-cpu | %FileCheck %s

// Every third element: three vectors of neighbours, the last of which ends with the last lane's element. In the tail no other element is
// touched than those of the lanes that are on.
// CHECK-LABEL: llvm.func internal @thirds
// CHECK-COUNT-3: llvm.load {{.*}} -> vector<[[L:[0-9]+]]xf32>
// CHECK:         llvm.store {{.*}} : vector<[[L]]xf32>
// CHECK-COUNT-3: llvm.intr.masked.load {{.*}} -> vector<[[L]]xf32>
// CHECK:         llvm.intr.masked.store
// CHECK-NOT:     gather
"loop.func"() ({
^bb0(%x: memref<?xf32>, %o: memref<?xf32>, %i: index):
  %v = "loop.load"(%x, %i) {map = affine_map<(d0) -> (d0 * 3 + 1)>, operandSegmentSizes = array<i32: 1, 1, 0>} : (memref<?xf32>, index) -> f32
  "loop.store"(%o, %v, %i) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 1, 0>} : (memref<?xf32>, f32, index) -> ()
  "loop.yield"() : () -> ()
}) {sym_name = "thirds", domain = affine_map<() -> (100)>, symbols = [], outputs = 1} : () -> ()

// A long step is a gather.
// CHECK-LABEL: llvm.func internal @far_apart
// CHECK:         llvm.intr.masked.gather
"loop.func"() ({
^bb0(%x: memref<?xf32>, %o: memref<?xf32>, %i: index):
  %v = "loop.load"(%x, %i) {map = affine_map<(d0) -> (d0 * 9)>, operandSegmentSizes = array<i32: 1, 1, 0>} : (memref<?xf32>, index) -> f32
  "loop.store"(%o, %v, %i) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 1, 0>} : (memref<?xf32>, f32, index) -> ()
  "loop.yield"() : () -> ()
}) {sym_name = "far_apart", domain = affine_map<() -> (100)>, symbols = [], outputs = 1} : () -> ()
