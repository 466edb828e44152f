// RUN: %mlirind-opt %s --lower-loop-to-tt | %FileCheck %s

// A tile is 1024 points of the one dimension; its last lanes are off where the tile reaches over the end. A bool is a byte in memory.
// bf16 is computed in f32; exp is libdevice's.
// CHECK-LABEL: "tt.func"() ({
// CHECK-NEXT:  ^bb0(%[[X:.*]]: !tt.ptr<bf16>, %[[O:.*]]: !tt.ptr<bf16>, %[[P:.*]]: !tt.ptr<i8>):
// CHECK:         %[[PID:.*]] = "tt.get_program_id"() {axis = 0 : i32}
// CHECK:         %[[START:.*]] = arith.muli %[[PID]], %c2048_i32
// CHECK:         %[[LANES:.*]] = "tt.make_range"() {end = 2048 : i32, start = 0 : i32}
// CHECK:         %[[LEFT:.*]] = arith.subi %c1000000_i32, %[[START]]
// CHECK:         %[[MASK:.*]] = arith.cmpi slt, %[[LANES]],
// CHECK:         %[[BASE:.*]] = "tt.addptr"(%[[X]], %[[START]])
// CHECK:         %[[V:.*]] = "tt.load"({{.*}}, %[[MASK]])
// CHECK:         arith.extf %[[V]] : tensor<2048xbf16> to tensor<2048xf32>
// CHECK:         symbol = "__nv_expf"
// CHECK:         arith.truncf {{.*}} : tensor<2048xf32> to tensor<2048xbf16>
// CHECK:         "tt.store"({{.*}}, %[[MASK]])
// CHECK:         arith.extui {{.*}} : tensor<2048xi1> to tensor<2048xi8>
// CHECK:       }) {buffers = 3 : i64, {{.*}}, grid = #[[GRID:.*]], kernel = "pointwise", num_stages = 1 : i32, num_warps = 4 : i32,
"loop.func"() ({
^bb0(%x: memref<?xbf16>, %o: memref<?xbf16>, %p: memref<?xi1>, %i: index):
  %v = "loop.load"(%x, %i) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 0>} : (memref<?xbf16>, index) -> bf16
  %w = arith.extf %v : bf16 to f32
  %e = math.exp %w : f32
  %n = arith.truncf %e : f32 to bf16
  %large = arith.cmpf ogt, %e, %w : f32
  "loop.store"(%o, %n, %i) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 1, 0>} : (memref<?xbf16>, bf16, index) -> ()
  "loop.store"(%p, %large, %i) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 1, 0>} : (memref<?xi1>, i1, index) -> ()
  "loop.yield"() : () -> ()
}) {sym_name = "pointwise", domain = affine_map<() -> (1000000)>, symbols = [], outputs = 2} : () -> ()

// Nothing is masked where the tiles divide the domain; a size that is not known needs no i64 in the lanes.
// CHECK:       "tt.func"() ({
// CHECK-NEXT:  ^bb0(%[[X:.*]]: !tt.ptr<f32>, %[[O:.*]]: !tt.ptr<f32>, %[[N:.*]]: i64):
// CHECK-NOT:     arith.cmpi
// CHECK-NOT:     tensor<{{.*}}xi64>
// CHECK:       }) {{.*}} kernel = "no_mask"
"loop.func"() ({
^bb0(%x: memref<?xf32>, %o: memref<?xf32>, %i: index, %j: index):
  %v = "loop.load"(%x, %i, %j) {map = affine_map<(d0, d1)[s0] -> (d0 * 4096 + d1)>, operandSegmentSizes = array<i32: 1, 2, 0>} : (memref<?xf32>, index, index) -> f32
  "loop.store"(%o, %v, %i, %j) {map = affine_map<(d0, d1)[s0] -> (d0 * 4096 + d1)>, operandSegmentSizes = array<i32: 1, 1, 2, 0>} : (memref<?xf32>, f32, index, index) -> ()
  "loop.yield"() : () -> ()
}) {sym_name = "no_mask", domain = affine_map<()[s0] -> (s0, 4096)>, symbols = [#aten.expr<"s0">], outputs = 1} : () -> ()

// A transposed copy: a tile of two axes, so that both sides are contiguous.
// CHECK:       "tt.func"() ({
// CHECK:         "tt.load"{{.*}} -> tensor<64x64xf32>
// CHECK:       }) {{.*}} kernel = "transposed"
"loop.func"() ({
^bb0(%x: memref<?xf32>, %o: memref<?xf32>, %i: index, %j: index):
  %v = "loop.load"(%x, %i, %j) {map = affine_map<(d0, d1) -> (d1 * 1000 + d0)>, operandSegmentSizes = array<i32: 1, 2, 0>} : (memref<?xf32>, index, index) -> f32
  "loop.store"(%o, %v, %i, %j) {map = affine_map<(d0, d1) -> (d0 * 500 + d1)>, operandSegmentSizes = array<i32: 1, 1, 2, 0>} : (memref<?xf32>, f32, index, index) -> ()
  "loop.yield"() : () -> ()
}) {sym_name = "transposed", domain = affine_map<() -> (1000, 500)>, symbols = [], outputs = 1} : () -> ()

// What there is no code for stays, and says why.
// CHECK:       "loop.func"
// CHECK:       unsupported = "there is no atomic mul on f32"
"loop.func"() ({
^bb0(%x: memref<?xf32>, %o: memref<?xf32>, %i: index):
  %v = "loop.load"(%x, %i) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 0>} : (memref<?xf32>, index) -> f32
  "loop.store"(%o, %v, %i) {map = affine_map<(d0) -> (0)>, accumulate = "mul", operandSegmentSizes = array<i32: 1, 1, 1, 0>} : (memref<?xf32>, f32, index) -> ()
  "loop.yield"() : () -> ()
}) {sym_name = "product", domain = affine_map<() -> (8)>, symbols = [], outputs = 1} : () -> ()

// Another way to cut it: twice the warps. There is none with number 99.
// CHECK:       }) {buffers = 2 : i64, {{.*}}, kernel = "other", num_stages = 1 : i32, num_warps = 8 : i32,
// CHECK:       unsupported = "there are 5 alternatives"
"loop.func"() ({
^bb0(%x: memref<?xf32>, %o: memref<?xf32>, %i: index):
  %v = "loop.load"(%x, %i) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 0>} : (memref<?xf32>, index) -> f32
  "loop.store"(%o, %v, %i) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 1, 0>} : (memref<?xf32>, f32, index) -> ()
  "loop.yield"() : () -> ()
}) {sym_name = "other", domain = affine_map<() -> (1000000)>, symbols = [], outputs = 1, alternative = 1} : () -> ()
"loop.func"() ({
^bb0(%x: memref<?xf32>, %o: memref<?xf32>, %i: index):
  %v = "loop.load"(%x, %i) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 0>} : (memref<?xf32>, index) -> f32
  "loop.store"(%o, %v, %i) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 1, 0>} : (memref<?xf32>, f32, index) -> ()
  "loop.yield"() : () -> ()
}) {sym_name = "none", domain = affine_map<() -> (1000000)>, symbols = [], outputs = 1, alternative = 99} : () -> ()

// Triton has a bitcast of its own.
// CHECK:       "tt.func"() ({
// CHECK:         %[[X:.*]] = "tt.load"
// CHECK:         "tt.bitcast"(%[[X]]) : (tensor<[[N:[0-9]+]]xf32>) -> tensor<[[N]]xi32>
// CHECK-NOT:     arith.bitcast
// CHECK:       }) {{.*}} kernel = "bits"
"loop.func"() ({
^bb0(%x: memref<?xf32>, %o: memref<?xi32>, %i: index):
  %v = "loop.load"(%x, %i) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 0>} : (memref<?xf32>, index) -> f32
  %b = arith.bitcast %v : f32 to i32
  "loop.store"(%o, %b, %i) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 1, 0>} : (memref<?xi32>, i32, index) -> ()
  "loop.yield"() : () -> ()
}) {sym_name = "bits", domain = affine_map<() -> (4096)>, symbols = [], outputs = 1} : () -> ()
