// A kernel's tiles follow the GPU that --target names.
// RUN: %mlirind-opt %s --lower-loop-to-tt --target=sm_80 | %FileCheck %s --check-prefix=A100
// RUN: %mlirind-opt %s --lower-loop-to-tt | %FileCheck %s --check-prefix=H100

// A100: mlirind.gpu_target = {l2_bytes = 41943040 : i64, multiprocessors = 108 : i64}
// A100: end = 1024 : i32
// H100-NOT: mlirind.gpu_target
// H100: end = 512 : i32
"loop.func"() ({
^bb0(%x: memref<?xf32>, %out: memref<?xf32>, %i: index):
  %value = "loop.load"(%x, %i) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 0>} : (memref<?xf32>, index) -> f32
  %square = arith.mulf %value, %value : f32
  "loop.store"(%out, %square, %i) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 1, 0>} : (memref<?xf32>, f32, index) -> ()
  "loop.yield"() : () -> ()
}) {domain = affine_map<() -> (120000)>, outputs = 1 : i64, sym_name = "square", symbols = []} : () -> ()
