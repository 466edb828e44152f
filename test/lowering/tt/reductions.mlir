// RUN: %mlirind-opt %s --lower-loop-to-tt | %FileCheck %s

// Short rows stay in registers: several a program, one load. Lanes behind the end are of no effect.
// CHECK:       "tt.func"() ({
// CHECK-COUNT-1: "tt.load"{{.*}} -> tensor<8x128xf32>
// CHECK:         %[[IN:.*]] = arith.select {{.*}} : tensor<8x128xi1>, tensor<8x128xf32>
// CHECK:         %[[MAX:.*]] = "tt.reduce"(%[[IN]]) ({
// CHECK-NEXT:    ^bb0(%[[A:.*]]: f32, %[[B:.*]]: f32):
// CHECK-NEXT:      %[[C:.*]] = arith.maximumf %[[A]], %[[B]]
// CHECK-NEXT:      "tt.reduce_return"(%[[C]])
// CHECK-NEXT:    }) {axis = 1 : i32,
// CHECK:         "tt.expand_dims"(%[[MAX]]) {axis = 1 : i32}
// CHECK-NOT:     "tt.load"
// CHECK:         "tt.store"
// CHECK:       }) {{.*}} grid = #{{.*}}, kernel = "short_rows", num_stages = 1 : i32, num_warps = 1 : i32
"loop.func"() ({
^bb0(%x: memref<?xf32>, %o: memref<?xf32>, %i: index, %j: index):
  %v = "loop.load"(%x, %i, %j) {map = affine_map<(d0, d1) -> (d0 * 100 + d1)>, operandSegmentSizes = array<i32: 1, 2, 0>} : (memref<?xf32>, index, index) -> f32
  %m = "loop.reduce"(%v) {kind = "max", dims = [1], operandSegmentSizes = array<i32: 1, 0>, resultSegmentSizes = array<i32: 1, 0>} : (f32) -> f32
  %d = arith.subf %v, %m : f32
  "loop.store"(%o, %d, %i, %j) {map = affine_map<(d0, d1) -> (d0 * 100 + d1)>, operandSegmentSizes = array<i32: 1, 1, 2, 0>} : (memref<?xf32>, f32, index, index) -> ()
  "loop.yield"() : () -> ()
}) {sym_name = "short_rows", domain = affine_map<() -> (10000, 100)>, symbols = [], outputs = 1} : () -> ()

// A long row is walked block by block: one loop carries the maximum of each lane, another one stores.
// CHECK:       "tt.func"() ({
// Its last two blocks stay in registers: they are stored first, and not loaded again.
// CHECK:         %[[LANES:.*]] = scf.for {{.*}} to %c81920_i32 {{.*}} -> (tensor<16384xf32>)
// CHECK:           "tt.load"{{.*}} evict = 3
// CHECK:         %[[KEPT:.*]] = "tt.load"{{.*}} evict = 2
// CHECK:         %[[LAST:.*]] = "tt.load"{{.*}} evict = 2
// CHECK:         "tt.reduce"(%
// CHECK-NOT:     "tt.load"
// CHECK:         arith.subf %[[LAST]], %
// CHECK:         "tt.store"
// CHECK-NOT:     "tt.load"
// CHECK:         arith.subf %[[KEPT]], %
// CHECK:         "tt.store"
// CHECK:         scf.for {{.*}} to %c81920_i32
// CHECK:           "tt.load"{{.*}} evict = 2
// CHECK:           "tt.store"
// CHECK:       }) {{.*}} kernel = "long_rows"
"loop.func"() ({
^bb0(%x: memref<?xf32>, %o: memref<?xf32>, %i: index, %j: index):
  %v = "loop.load"(%x, %i, %j) {map = affine_map<(d0, d1) -> (d0 * 100000 + d1)>, operandSegmentSizes = array<i32: 1, 2, 0>} : (memref<?xf32>, index, index) -> f32
  %m = "loop.reduce"(%v) {kind = "max", dims = [1], operandSegmentSizes = array<i32: 1, 0>, resultSegmentSizes = array<i32: 1, 0>} : (f32) -> f32
  %d = arith.subf %v, %m : f32
  "loop.store"(%o, %d, %i, %j) {map = affine_map<(d0, d1) -> (d0 * 100000 + d1)>, operandSegmentSizes = array<i32: 1, 1, 2, 0>} : (memref<?xf32>, f32, index, index) -> ()
  "loop.yield"() : () -> ()
}) {sym_name = "long_rows", domain = affine_map<() -> (1000, 100000)>, symbols = [], outputs = 1} : () -> ()

// Few long columns: the rows are cut into parts. One launch stores what each part gives, the next one merges. What is read is read
// only once, and not kept in the cache.
// CHECK:       "tt.func"() ({
// CHECK-NEXT:  ^bb0(%{{.*}}: !tt.ptr<f32>, %{{.*}}: !tt.ptr<f32>, %[[S:.*]]: !tt.ptr<f32>):
// CHECK:         scf.for {{.*}} -> (tensor<32x128xf32>)
// CHECK:           "tt.load"{{.*}} evict = 2
// CHECK:         "tt.addptr"(%[[S]],
// CHECK:       }) {{.*}} kernel = "columns", {{.*}} sym_name = "columns"
// CHECK:       "tt.func"() ({
// CHECK-NOT:     scf.for
// CHECK:         "tt.load"
// CHECK:         "tt.reduce"
// CHECK:         "tt.store"
// CHECK:       }) {{.*}} kernel = "columns", {{.*}} sym_name = "columns__1"
"loop.func"() ({
^bb0(%x: memref<?xf32>, %o: memref<?xf32>, %i: index, %j: index):
  %v = "loop.load"(%x, %i, %j) {map = affine_map<(d0, d1) -> (d1 * 32 + d0)>, operandSegmentSizes = array<i32: 1, 2, 0>} : (memref<?xf32>, index, index) -> f32
  %m = "loop.reduce"(%v) {kind = "add", dims = [1], operandSegmentSizes = array<i32: 1, 0>, resultSegmentSizes = array<i32: 1, 0>} : (f32) -> f32
  "loop.store"(%o, %m, %i) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 1, 0>} : (memref<?xf32>, f32, index) -> ()
  "loop.yield"() : () -> ()
}) {sym_name = "columns", domain = affine_map<() -> (32, 262144)>, symbols = [], outputs = 1} : () -> ()

// A long softmax: the maximum and the sum are carried together, for the four neighbours that a thread reads at a time. The second sweep
// goes backwards, and what it reads and writes is not kept in the cache; it divides by a product with the sum's reciprocal.
// CHECK:       "tt.func"() ({
// CHECK:         %[[BOTH:.*]]:2 = scf.for {{.*}} -> (tensor<4096x1xf32>, tensor<4096x1xf32>)
// CHECK:           "tt.load"{{.*}} evict = 3
// CHECK:           "tt.reshape"{{.*}} -> tensor<4096x4xf32>
// CHECK:           arith.maximumf
// CHECK:           __nv_exp2f{{.*}} -> tensor<4096x4xf32>
// CHECK:           __nv_expf{{.*}} -> tensor<4096x1xf32>
// CHECK-NOT:       __nv_exp
// CHECK:           scf.yield
// CHECK:         "tt.reduce"(%
// CHECK:         "tt.precise_divf"{{.*}} : (f32, f32) -> f32
// CHECK:         scf.for %[[I:.*]] =
// CHECK-NEXT:      %[[START:.*]] = arith.subi %c81920_i32{{.*}}, %[[I]]
// CHECK:           "tt.load"{{.*}} evict = 2
// CHECK-COUNT-2:   math.fma
// CHECK-NOT:       divf
// CHECK:           "tt.store"{{.*}} evict = 2
// CHECK-NOT:     scf.for
// CHECK:       }) {{.*}} kernel = "softmax", num_stages = 1 : i32, num_warps = 32 : i32
"loop.func"() ({
^bb0(%x: memref<?xf32>, %o: memref<?xf32>, %i: index, %j: index):
  %v = "loop.load"(%x, %i, %j) {map = affine_map<(d0, d1) -> (d0 * 131072 + d1)>, operandSegmentSizes = array<i32: 1, 2, 0>} : (memref<?xf32>, index, index) -> f32
  %m = "loop.reduce"(%v) {kind = "max", dims = [1], operandSegmentSizes = array<i32: 1, 0>, resultSegmentSizes = array<i32: 1, 0>} : (f32) -> f32
  %d = arith.subf %v, %m : f32
  %e = math.exp %d : f32
  %s = "loop.reduce"(%e) {kind = "add", dims = [1], operandSegmentSizes = array<i32: 1, 0>, resultSegmentSizes = array<i32: 1, 0>} : (f32) -> f32
  %q = arith.divf %e, %s : f32
  "loop.store"(%o, %q, %i, %j) {map = affine_map<(d0, d1) -> (d0 * 131072 + d1)>, operandSegmentSizes = array<i32: 1, 1, 2, 0>} : (memref<?xf32>, f32, index, index) -> ()
  "loop.yield"() : () -> ()
}) {sym_name = "softmax", domain = affine_map<() -> (16384, 131072)>, symbols = [], outputs = 1} : () -> ()

// Rows that begin anywhere: a thread reads element by element, its eight lie 512 apart.
// CHECK:       "tt.func"() ({
// CHECK:         scf.for {{.*}} -> (tensor<1x512xf32>, tensor<1x512xf32>)
// CHECK:           "tt.load"
// CHECK:           "tt.reshape"{{.*}} -> tensor<8x512xf32>
// CHECK:       }) {{.*}} kernel = "unaligned_softmax", num_stages = 1 : i32, num_warps = 16 : i32
"loop.func"() ({
^bb0(%x: memref<?xf32>, %o: memref<?xf32>, %i: index, %j: index):
  %v = "loop.load"(%x, %i, %j) {map = affine_map<(d0, d1) -> (d0 * 50257 + d1)>, operandSegmentSizes = array<i32: 1, 2, 0>} : (memref<?xf32>, index, index) -> f32
  %m = "loop.reduce"(%v) {kind = "max", dims = [1], operandSegmentSizes = array<i32: 1, 0>, resultSegmentSizes = array<i32: 1, 0>} : (f32) -> f32
  %d = arith.subf %v, %m : f32
  %e = math.exp %d : f32
  %s = "loop.reduce"(%e) {kind = "add", dims = [1], operandSegmentSizes = array<i32: 1, 0>, resultSegmentSizes = array<i32: 1, 0>} : (f32) -> f32
  "loop.store"(%o, %s, %i) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 1, 0>} : (memref<?xf32>, f32, index) -> ()
  "loop.yield"() : () -> ()
}) {sym_name = "unaligned_softmax", domain = affine_map<() -> (1024, 50257)>, symbols = [], outputs = 1} : () -> ()

// More than 2^31 elements: where a tile begins is an i64, within the tile i32 is enough.
// CHECK:       "tt.func"() ({
// CHECK-NEXT:  ^bb0(%[[X:.*]]: !tt.ptr<bf16>, %[[O:.*]]: !tt.ptr<bf16>):
// CHECK:         %[[PID:.*]] = "tt.get_program_id"
// CHECK:         %[[WIDE:.*]] = arith.extsi %[[PID]] : i32 to i64
// CHECK:         %[[START:.*]] = arith.muli %[[WIDE]], %c2048_i64
// CHECK-NOT:     xi64>
// CHECK:         "tt.addptr"(%[[X]], %[[START]]) : (!tt.ptr<bf16>, i64)
// CHECK-NOT:     xi64>
// CHECK:       }) {{.*}} kernel = "large"
"loop.func"() ({
^bb0(%x: memref<?xbf16>, %o: memref<?xbf16>, %i: index):
  %v = "loop.load"(%x, %i) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 0>} : (memref<?xbf16>, index) -> bf16
  "loop.store"(%o, %v, %i) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 1, 0>} : (memref<?xbf16>, bf16, index) -> ()
  "loop.yield"() : () -> ()
}) {sym_name = "large", domain = affine_map<() -> (3000000001)>, symbols = [], outputs = 1} : () -> ()

// Another way for long rows: what a round of the loop reads is asked for two rounds before.
// CHECK:       "tt.func"() ({
// CHECK:         scf.for
// CHECK:         } {tt.num_stages = 3 : i32}
// CHECK:       }) {{.*}} kernel = "staged"
"loop.func"() ({
^bb0(%x: memref<?xf32>, %o: memref<?xf32>, %i: index, %j: index):
  %v = "loop.load"(%x, %i, %j) {map = affine_map<(d0, d1) -> (d0 * 70000 + d1)>, operandSegmentSizes = array<i32: 1, 2, 0>} : (memref<?xf32>, index, index) -> f32
  %s = "loop.reduce"(%v) {kind = "add", dims = [1], operandSegmentSizes = array<i32: 1, 0>, resultSegmentSizes = array<i32: 1, 0>} : (f32) -> f32
  "loop.store"(%o, %s, %i) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 1, 0>} : (memref<?xf32>, f32, index) -> ()
  "loop.yield"() : () -> ()
}) {sym_name = "staged", domain = affine_map<() -> (1000, 70000)>, symbols = [], outputs = 1, alternative = 1} : () -> ()

// Sums over windows that overlap: the next program reads the same again, the cache is to keep it.
// CHECK:       "tt.func"() ({
// CHECK:         "tt.load"{{.*}} evict = 1
// CHECK-NOT:     evict = 2
// CHECK:       }) {{.*}} kernel = "windows"
"loop.func"() ({
^bb0(%x: memref<?xf32>, %o: memref<?xf32>, %i: index, %j: index):
  %v = "loop.load"(%x, %i, %j) {map = affine_map<(d0, d1) -> (d0 * 64 + d1)>, operandSegmentSizes = array<i32: 1, 2, 0>} : (memref<?xf32>, index, index) -> f32
  %s = "loop.reduce"(%v) {kind = "add", dims = [1], operandSegmentSizes = array<i32: 1, 0>, resultSegmentSizes = array<i32: 1, 0>} : (f32) -> f32
  "loop.store"(%o, %s, %i) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 1, 0>} : (memref<?xf32>, f32, index) -> ()
  "loop.yield"() : () -> ()
}) {sym_name = "windows", domain = affine_map<() -> (1000, 128)>, symbols = [], outputs = 1} : () -> ()

// Welford: all lanes have seen as many points, but for the last block, so that one number is carried and divided by. A lane that the
// last block leaves out has seen one less.
// CHECK:       "tt.func"() ({
// CHECK:         %[[ALL:.*]]:3 = scf.for {{.*}} -> (tensor<8192xf32>, tensor<8192xf32>, f32)
// CHECK:           %[[COUNT:.*]] = arith.addf {{.*}} : f32
// CHECK:           arith.divf {{.*}}, %[[COUNT]] : f32
// CHECK-NOT:       arith.divf {{.*}} : tensor
// CHECK:           scf.yield {{.*}}, %[[COUNT]] :
// CHECK:         %[[IN:.*]] = arith.cmpi slt, {{.*}} : tensor<8192xi32>
// CHECK:         %[[LESS:.*]] = arith.subf %[[ALL]]#2, {{.*}} : f32
// CHECK:         %[[COUNTS:.*]] = arith.select %[[IN]], {{.*}} : tensor<8192xi1>, tensor<8192xf32>
// CHECK:         "tt.reduce"(%[[ALL]]#0, %[[ALL]]#1, %[[COUNTS]])
// CHECK:       }) {{.*}} kernel = "welford"
"loop.func"() ({
^bb0(%x: memref<?xf32>, %o: memref<?xf32>, %i: index, %j: index):
  %v = "loop.load"(%x, %i, %j) {map = affine_map<(d0, d1) -> (d0 * 400000 + d1)>, operandSegmentSizes = array<i32: 1, 2, 0>} : (memref<?xf32>, index, index) -> f32
  %m, %s = "loop.reduce"(%v) {kind = "welford", dims = [1], operandSegmentSizes = array<i32: 1, 0>, resultSegmentSizes = array<i32: 2, 0>} : (f32) -> (f32, f32)
  %d = arith.subf %v, %m : f32
  "loop.store"(%o, %d, %i, %j) {map = affine_map<(d0, d1) -> (d0 * 400000 + d1)>, operandSegmentSizes = array<i32: 1, 1, 2, 0>} : (memref<?xf32>, f32, index, index) -> ()
  "loop.yield"() : () -> ()
}) {sym_name = "welford", domain = affine_map<() -> (1000, 400000)>, symbols = [], outputs = 1} : () -> ()

// Sums read each element once and need few registers: 32 bytes a thread, and rows for 8 warps.
// CHECK:       "tt.func"() ({
// CHECK:         "tt.load"{{.*}} -> tensor<2x2048xbf16>
// CHECK:       }) {{.*}} kernel = "sums", num_stages = 1 : i32, num_warps = 8 : i32
"loop.func"() ({
^bb0(%x: memref<?xbf16>, %o: memref<?xf32>, %i: index, %j: index):
  %v = "loop.load"(%x, %i, %j) {map = affine_map<(d0, d1) -> (d0 * 2048 + d1)>, operandSegmentSizes = array<i32: 1, 2, 0>} : (memref<?xbf16>, index, index) -> bf16
  %e = arith.extf %v : bf16 to f32
  %s = "loop.reduce"(%e) {kind = "add", dims = [1], operandSegmentSizes = array<i32: 1, 0>, resultSegmentSizes = array<i32: 1, 0>} : (f32) -> f32
  "loop.store"(%o, %s, %i) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 1, 0>} : (memref<?xf32>, f32, index) -> ()
  "loop.yield"() : () -> ()
}) {sym_name = "sums", domain = affine_map<() -> (16384, 2048)>, symbols = [], outputs = 1} : () -> ()

// Sums of short columns: a warp holds whole columns, and has nothing to merge with others.
// CHECK:       "tt.func"() ({
// CHECK:         "tt.load"{{.*}} -> tensor<128x32xf32>
// CHECK:       }) {{.*}} kernel = "short_columns", num_stages = 1 : i32, num_warps = 1 : i32
"loop.func"() ({
^bb0(%x: memref<?xf32>, %o: memref<?xf32>, %i: index, %j: index):
  %v = "loop.load"(%x, %i, %j) {map = affine_map<(d0, d1) -> (d1 * 262144 + d0)>, operandSegmentSizes = array<i32: 1, 2, 0>} : (memref<?xf32>, index, index) -> f32
  %s = "loop.reduce"(%v) {kind = "add", dims = [1], operandSegmentSizes = array<i32: 1, 0>, resultSegmentSizes = array<i32: 1, 0>} : (f32) -> f32
  "loop.store"(%o, %s, %i) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 1, 0>} : (memref<?xf32>, f32, index) -> ()
  "loop.yield"() : () -> ()
}) {sym_name = "short_columns", domain = affine_map<() -> (262144, 32)>, symbols = [], outputs = 1} : () -> ()

// Stored rows of 8192 of a half type: 32 points a thread. (Of f32 16.)
// CHECK:       }) {{.*}} kernel = "stored_half", num_stages = 1 : i32, num_warps = 8 : i32
"loop.func"() ({
^bb0(%x: memref<?xbf16>, %o: memref<?xbf16>, %i: index, %j: index):
  %v = "loop.load"(%x, %i, %j) {map = affine_map<(d0, d1) -> (d0 * 8192 + d1)>, operandSegmentSizes = array<i32: 1, 2, 0>} : (memref<?xbf16>, index, index) -> bf16
  %m = "loop.reduce"(%v) {kind = "max", dims = [1], operandSegmentSizes = array<i32: 1, 0>, resultSegmentSizes = array<i32: 1, 0>} : (bf16) -> bf16
  %d = arith.subf %v, %m : bf16
  "loop.store"(%o, %d, %i, %j) {map = affine_map<(d0, d1) -> (d0 * 8192 + d1)>, operandSegmentSizes = array<i32: 1, 1, 2, 0>} : (memref<?xbf16>, bf16, index, index) -> ()
  "loop.yield"() : () -> ()
}) {sym_name = "stored_half", domain = affine_map<() -> (4096, 8192)>, symbols = [], outputs = 1} : () -> ()

// Rows of a vocabulary, walked twice: two blocks of 16384 stay in registers. Of few rows each is cut into parts as ever.
// CHECK:       }) {{.*}} kernel = "vocabulary", num_stages = 1 : i32, num_warps = 32 : i32
// CHECK:       }) {{.*}} kernel = "few_rows", num_stages = 1 : i32, num_warps = 16 : i32
"loop.func"() ({
^bb0(%x: memref<?xf32>, %o: memref<?xf32>, %i: index, %j: index):
  %v = "loop.load"(%x, %i, %j) {map = affine_map<(d0, d1) -> (d0 * 50257 + d1)>, operandSegmentSizes = array<i32: 1, 2, 0>} : (memref<?xf32>, index, index) -> f32
  %m = "loop.reduce"(%v) {kind = "max", dims = [1], operandSegmentSizes = array<i32: 1, 0>, resultSegmentSizes = array<i32: 1, 0>} : (f32) -> f32
  %d = arith.subf %v, %m : f32
  %e = math.exp %d : f32
  %s = "loop.reduce"(%e) {kind = "add", dims = [1], operandSegmentSizes = array<i32: 1, 0>, resultSegmentSizes = array<i32: 1, 0>} : (f32) -> f32
  %q = arith.divf %e, %s : f32
  "loop.store"(%o, %q, %i, %j) {map = affine_map<(d0, d1) -> (d0 * 50257 + d1)>, operandSegmentSizes = array<i32: 1, 1, 2, 0>} : (memref<?xf32>, f32, index, index) -> ()
  "loop.yield"() : () -> ()
}) {sym_name = "vocabulary", domain = affine_map<() -> (4096, 50257)>, symbols = [], outputs = 1} : () -> ()
"loop.func"() ({
^bb0(%x: memref<?xf32>, %o: memref<?xf32>, %i: index, %j: index):
  %v = "loop.load"(%x, %i, %j) {map = affine_map<(d0, d1) -> (d0 * 50257 + d1)>, operandSegmentSizes = array<i32: 1, 2, 0>} : (memref<?xf32>, index, index) -> f32
  %m = "loop.reduce"(%v) {kind = "max", dims = [1], operandSegmentSizes = array<i32: 1, 0>, resultSegmentSizes = array<i32: 1, 0>} : (f32) -> f32
  %d = arith.subf %v, %m : f32
  %e = math.exp %d : f32
  %s = "loop.reduce"(%e) {kind = "add", dims = [1], operandSegmentSizes = array<i32: 1, 0>, resultSegmentSizes = array<i32: 1, 0>} : (f32) -> f32
  %q = arith.divf %e, %s : f32
  "loop.store"(%o, %q, %i, %j) {map = affine_map<(d0, d1) -> (d0 * 50257 + d1)>, operandSegmentSizes = array<i32: 1, 1, 2, 0>} : (memref<?xf32>, f32, index, index) -> ()
  "loop.yield"() : () -> ()
}) {sym_name = "few_rows", domain = affine_map<() -> (8, 50257)>, symbols = [], outputs = 1} : () -> ()

// Two sums over columns of a matrix, with a factor for each row: the matrix decides how tiles lie, the factors have fewer elements. 44
// splits are merged by a second launch, in tiles of 32 columns.
// CHECK:       "tt.func"() ({
// CHECK:         scf.for {{.*}} -> (tensor<64x64xf32>, tensor<64x64xf32>)
// CHECK:       }) {{.*}} kernel = "parameters", {{.*}} num_warps = 4 : i32, {{.*}} sym_name = "parameters"
// CHECK:       "tt.func"() ({
// CHECK-COUNT-2: "tt.load"{{.*}} -> tensor<32x64xf32>
// CHECK-COUNT-2: "tt.store"
// CHECK:       }) {{.*}} sym_name = "parameters__1"
"loop.func"() ({
^bb0(%x: memref<?xf32>, %f: memref<?xf32>, %g: memref<?xf32>, %o: memref<?xf32>, %p: memref<?xf32>, %i: index, %j: index):
  %v = "loop.load"(%x, %i, %j) {map = affine_map<(d0, d1) -> (d1 * 768 + d0)>, operandSegmentSizes = array<i32: 1, 2, 0>} : (memref<?xf32>, index, index) -> f32
  %m = "loop.load"(%f, %j) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 0>} : (memref<?xf32>, index) -> f32
  %n = "loop.load"(%g, %j) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 0>} : (memref<?xf32>, index) -> f32
  %w = arith.mulf %v, %m : f32
  %u = arith.subf %w, %n : f32
  %a = "loop.reduce"(%u) {kind = "add", dims = [1], operandSegmentSizes = array<i32: 1, 0>, resultSegmentSizes = array<i32: 1, 0>} : (f32) -> f32
  %b = "loop.reduce"(%v) {kind = "add", dims = [1], operandSegmentSizes = array<i32: 1, 0>, resultSegmentSizes = array<i32: 1, 0>} : (f32) -> f32
  "loop.store"(%o, %a, %i) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 1, 0>} : (memref<?xf32>, f32, index) -> ()
  "loop.store"(%p, %b, %i) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 1, 0>} : (memref<?xf32>, f32, index) -> ()
  "loop.yield"() : () -> ()
}) {sym_name = "parameters", domain = affine_map<() -> (768, 8192)>, symbols = [], outputs = 2} : () -> ()

// Every element needs a column's maximum: many splits are merged once, by a launch between the two passes, of which the second loads the
// result.
// CHECK:       }) {{.*}} sym_name = "between"
// CHECK:       "tt.func"() ({
// CHECK:         "tt.reduce"
// CHECK:         "tt.store"
// CHECK:       }) {{.*}} sym_name = "between__1"
// CHECK:       "tt.func"() ({
// CHECK:         "tt.load"{{.*}} -> tensor<64x1xf32>
// CHECK-NOT:     "tt.reduce"
// CHECK:         scf.for
// CHECK:           "tt.store"
// CHECK:       }) {{.*}} sym_name = "between__2"
"loop.func"() ({
^bb0(%x: memref<?xf32>, %o: memref<?xf32>, %i: index, %j: index):
  %v = "loop.load"(%x, %i, %j) {map = affine_map<(d0, d1) -> (d1 * 64 + d0)>, operandSegmentSizes = array<i32: 1, 2, 0>} : (memref<?xf32>, index, index) -> f32
  %m = "loop.reduce"(%v) {kind = "max", dims = [1], operandSegmentSizes = array<i32: 1, 0>, resultSegmentSizes = array<i32: 1, 0>} : (f32) -> f32
  %d = arith.subf %v, %m : f32
  "loop.store"(%o, %d, %i, %j) {map = affine_map<(d0, d1) -> (d1 * 64 + d0)>, operandSegmentSizes = array<i32: 1, 1, 2, 0>} : (memref<?xf32>, f32, index, index) -> ()
  "loop.yield"() : () -> ()
}) {sym_name = "between", domain = affine_map<() -> (64, 200704)>, symbols = [], outputs = 1} : () -> ()
