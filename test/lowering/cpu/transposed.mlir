// RUN: %mlirind-opt %s --convert-loop-to-cpu --target-features=+avx,+avx2,+fma,+avx512f,+avx512dq,+avx512bw,+avx512vl | %FileCheck %s
// RUN: %mlirind-opt %s --convert-loop-to-cpu --target-features=+avx,+avx2,+fma,-avx512f | %FileCheck %s --check-prefix=SCATTERED

// With AVX2 the lanes lie along the load's contiguous dimension, and each stores for itself.
// SCATTERED-LABEL: llvm.func internal @transposed
// SCATTERED:         llvm.load {{.*}} -> vector<[[L:[0-9]+]]xf32>
// SCATTERED:         llvm.intr.masked.scatter {{.*}} : vector<[[L]]xf32>

// With it the lanes lie along the store's contiguous dimension; what is contiguous along the other one is read in rows, as many as there are
// lanes, and turned. The stores follow, one for each row of the result. What is left of a tile is gathered.
// CHECK-LABEL: llvm.func internal @transposed
// CHECK:         llvm.load {{.*}} -> vector<[[L:[0-9]+]]xf32>
// CHECK-NOT:     llvm.intr.masked.gather
// CHECK:         vector.shuffle {{.*}} : vector<[[L]]xf32>, vector<[[L]]xf32>
// CHECK-NOT:     llvm.intr.masked.gather
// CHECK:         llvm.store {{.*}} : vector<[[L]]xf32>
// CHECK:         llvm.intr.masked.gather
"loop.func"() ({
^bb0(%x: memref<?xf32>, %o: memref<?xf32>, %i: index, %j: index):
  %v = "loop.load"(%x, %i, %j) {map = affine_map<(d0, d1) -> (d1 * 200 + d0)>, operandSegmentSizes = array<i32: 1, 2, 0>} : (memref<?xf32>, index, index) -> f32
  "loop.store"(%o, %v, %i, %j) {map = affine_map<(d0, d1) -> (d0 * 300 + d1)>, operandSegmentSizes = array<i32: 1, 1, 2, 0>} : (memref<?xf32>, f32, index, index) -> ()
  "loop.yield"() : () -> ()
}) {sym_name = "transposed", domain = affine_map<() -> (200, 300)>, symbols = [], outputs = 1} : () -> ()
