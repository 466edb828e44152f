// RUN: %mlirind-opt %s --verify-each --lower-loop-to-tt --split-input-file | %FileCheck %s

// Parts of two lengths share their code: the program compares its number, and has the address, the length and its number in its part.
// CHECK-LABEL: "tt.func"()
// CHECK-NEXT:  ^bb0(%[[A:.*]]: !tt.ptr<f32>, %[[B:.*]]: !tt.ptr<f32>, %[[C:.*]]: !tt.ptr<f32>, %[[D:.*]]: !tt.ptr<f32>):
// CHECK:         %[[PROGRAM:.*]] = "tt.get_program_id"()
// CHECK-NEXT:    %[[FIRST:.*]] = arith.cmpi slt, %[[PROGRAM]]
// CHECK-NEXT:    %[[CHOSEN:.*]]:4 = scf.if %[[FIRST]] -> (!tt.ptr<f32>, !tt.ptr<f32>, i32, i32) {
// CHECK:           scf.yield %[[A]], %[[B]], %c4096_i32{{.*}}, %c0_i32
// CHECK:         } else {
// CHECK:           scf.yield %[[C]], %[[D]], %c640_i32, %c32_i32
// CHECK:         arith.subi %[[PROGRAM]], %[[CHOSEN]]#3
// CHECK:         tt.extern_elementwise
// CHECK-NOT:     tt.extern_elementwise
// CHECK:       buffers = 4 : i64, {{.*}}kernel = "g"
// CHECK-NOT:   "loop.func"
"loop.func"() ({
^bb0(%in: memref<?xf32>, %out: memref<?xf32>, %i: index):
  %v = "loop.load"(%in, %i) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 0>} : (memref<?xf32>, index) -> f32
  %s = math.exp %v : f32
  "loop.store"(%out, %s, %i) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 1, 0>} : (memref<?xf32>, f32, index) -> ()
  "loop.yield"() : () -> ()
}) {sym_name = "long", domain = affine_map<() -> (4096)>, symbols = [], outputs = 1 : i64, device = "cuda:0", grouped} : () -> ()
"loop.func"() ({
^bb0(%in: memref<?xf32>, %out: memref<?xf32>, %i: index):
  %v = "loop.load"(%in, %i) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 0>} : (memref<?xf32>, index) -> f32
  %s = math.exp %v : f32
  "loop.store"(%out, %s, %i) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 1, 0>} : (memref<?xf32>, f32, index) -> ()
  "loop.yield"() : () -> ()
}) {sym_name = "short", domain = affine_map<() -> (640)>, symbols = [], outputs = 1 : i64, device = "cuda:0", grouped} : () -> ()
"loop.group"() {sym_name = "g", parts = [@long, @short], buffers = [0, 1, 2, 3], device = "cuda:0"} : () -> ()

// -----

// Parts of other code have a branch of their own. A function that also has launches of its own stays.
// CHECK:       kernel = "long"
// CHECK:       scf.if
// CHECK:         "tt.reduce"
// CHECK:       } else {
// CHECK:         "tt.reduce"
// CHECK:       kernel = "g"
"loop.func"() ({
^bb0(%in: memref<?xf32>, %out: memref<?xf32>, %i: index):
  %v = "loop.load"(%in, %i) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 0>} : (memref<?xf32>, index) -> f32
  %s = "loop.reduce"(%v) {kind = "add", dims = [0], operandSegmentSizes = array<i32: 1, 0>, resultSegmentSizes = array<i32: 1, 0>} : (f32) -> f32
  "loop.store"(%out, %s) {map = affine_map<() -> (0)>, operandSegmentSizes = array<i32: 1, 1, 0, 0>} : (memref<?xf32>, f32) -> ()
  "loop.yield"() : () -> ()
}) {sym_name = "long", domain = affine_map<() -> (4000)>, symbols = [], outputs = 1 : i64, device = "cuda:0"} : () -> ()
"loop.func"() ({
^bb0(%in: memref<?xf32>, %out: memref<?xf32>, %i: index):
  %v = "loop.load"(%in, %i) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 0>} : (memref<?xf32>, index) -> f32
  %s = "loop.reduce"(%v) {kind = "add", dims = [0], operandSegmentSizes = array<i32: 1, 0>, resultSegmentSizes = array<i32: 1, 0>} : (f32) -> f32
  "loop.store"(%out, %s) {map = affine_map<() -> (0)>, operandSegmentSizes = array<i32: 1, 1, 0, 0>} : (memref<?xf32>, f32) -> ()
  "loop.yield"() : () -> ()
}) {sym_name = "short", domain = affine_map<() -> (640)>, symbols = [], outputs = 1 : i64, device = "cuda:0", grouped} : () -> ()
"loop.group"() {sym_name = "g", parts = [@long, @short], buffers = [0, 1, 2, 3], device = "cuda:0"} : () -> ()
