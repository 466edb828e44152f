// RUN: %mlirind-opt %s --normalize-kernels --verify-ir --split-input-file | %FileCheck %s

// The transposed domain is put in the order of the output's memory; then everything is walked as one dimension. The second kernel
// differs in its shape only: it is the same function.
// CHECK:       #[[ONE:.*]] = affine_map<() -> (24)>
// CHECK:       "loop.load"(%{{.*}}, %{{.*}}) {map = #[[ID:.*]], operandSegmentSizes = array<i32: 1, 1, 0>}
// CHECK:       "loop.store"({{.*}}) {map = #[[ID]]
// CHECK:       domain = #[[ONE]], outputs = 1 : i64, sym_name = "a"
// CHECK-NOT:   "loop.func"
// CHECK-LABEL: func.func @graph
// CHECK:         kernel = @a
// CHECK:         kernel = @a
"loop.func"() ({
^bb0(%x: memref<?xf32>, %o: memref<?xf32>, %i: index, %u: index, %j: index):
  %v = "loop.load"(%x, %i, %u, %j) {map = affine_map<(d0, d1, d2) -> (d0 + d1 * 7 + d2 * 4)>, operandSegmentSizes = array<i32: 1, 3, 0>} : (memref<?xf32>, index, index, index) -> f32
  %e = math.absf %v : f32
  "loop.store"(%o, %e, %i, %j) {map = affine_map<(d0, d1) -> (d0 + d1 * 4)>, operandSegmentSizes = array<i32: 1, 1, 2, 0>} : (memref<?xf32>, f32, index, index) -> ()
  "loop.yield"() : () -> ()
}) {sym_name = "a", domain = affine_map<() -> (4, 1, 6)>, symbols = [], outputs = 1, computes = ["abs"]} : () -> ()
"loop.func"() ({
^bb0(%x: memref<?xf32>, %o: memref<?xf32>, %i: index, %j: index):
  %v = "loop.load"(%x, %i, %j) {map = affine_map<(d0, d1) -> (d0 * 8 + d1)>, operandSegmentSizes = array<i32: 1, 2, 0>} : (memref<?xf32>, index, index) -> f32
  %e = math.absf %v : f32
  "loop.store"(%o, %e, %i, %j) {map = affine_map<(d0, d1) -> (d0 * 8 + d1)>, operandSegmentSizes = array<i32: 1, 1, 2, 0>} : (memref<?xf32>, f32, index, index) -> ()
  "loop.yield"() : () -> ()
}) {sym_name = "b", domain = affine_map<() -> (3, 8)>, symbols = [], outputs = 1, computes = ["abs"]} : () -> ()
func.func @graph(%x: tensor<24xf32>) -> tensor<24xf32> {
  %a = "host.alloc"() : () -> tensor<24xf32>
  "host.launch"(%x, %a) {kernel = @a, symbols = [], operandSegmentSizes = array<i32: 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (tensor<24xf32>, tensor<24xf32>) -> ()
  "host.launch"(%a, %a) {kernel = @b, symbols = [], operandSegmentSizes = array<i32: 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (tensor<24xf32>, tensor<24xf32>) -> ()
  return %a : tensor<24xf32>
}

// -----

// Rows of a reduction collapse among themselves, and so do the dimensions that are reduced; a bias along one of them keeps two apart.
// CHECK-DAG:   #[[ROWS:.*]] = affine_map<()[s0] -> (s0 * 4, 64)>
// CHECK-DAG:   #[[BIAS:.*]] = affine_map<() -> (24, 8)>
// CHECK:       domain = #[[ROWS]], outputs = 1 : i64, sym_name = "sum"
// CHECK:       "loop.load"({{.*}}) {map = #{{.*}}, operandSegmentSizes = array<i32: 1, 2, 0>}
// CHECK:       domain = #[[BIAS]], outputs = 1 : i64, sym_name = "bias"
"loop.func"() ({
^bb0(%x: memref<?xf32>, %o: memref<?xf32>, %i: index, %j: index, %k: index, %l: index):
  %v = "loop.load"(%x, %i, %j, %k, %l) {map = affine_map<(d0, d1, d2, d3)[s0] -> (d0 * 64 * s0 + d1 * 64 + d2 * 8 + d3)>, operandSegmentSizes = array<i32: 1, 4, 0>} : (memref<?xf32>, index, index, index, index) -> f32
  %s = "loop.reduce"(%v) {kind = "add", dims = [2, 3], operandSegmentSizes = array<i32: 1, 0>, resultSegmentSizes = array<i32: 1, 0>} : (f32) -> f32
  "loop.store"(%o, %s, %i, %j) {map = affine_map<(d0, d1)[s0] -> (d0 * s0 + d1)>, operandSegmentSizes = array<i32: 1, 1, 2, 0>} : (memref<?xf32>, f32, index, index) -> ()
  "loop.yield"() : () -> ()
}) {sym_name = "sum", domain = affine_map<()[s0] -> (4, s0, 8, 8)>, symbols = [#aten.expr<"s0">], outputs = 1, computes = ["sum"]} : () -> ()
"loop.func"() ({
^bb0(%x: memref<?xf32>, %w: memref<?xf32>, %o: memref<?xf32>, %i: index, %j: index, %k: index):
  %v = "loop.load"(%x, %i, %j, %k) {map = affine_map<(d0, d1, d2) -> (d0 * 48 + d1 * 8 + d2)>, operandSegmentSizes = array<i32: 1, 3, 0>} : (memref<?xf32>, index, index, index) -> f32
  %b = "loop.load"(%w, %k) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 0>} : (memref<?xf32>, index) -> f32
  %s = arith.addf %v, %b : f32
  "loop.store"(%o, %s, %i, %j, %k) {map = affine_map<(d0, d1, d2) -> (d0 * 48 + d1 * 8 + d2)>, operandSegmentSizes = array<i32: 1, 1, 3, 0>} : (memref<?xf32>, f32, index, index, index) -> ()
  "loop.yield"() : () -> ()
}) {sym_name = "bias", domain = affine_map<() -> (4, 6, 8)>, symbols = [], outputs = 1, computes = ["add"]} : () -> ()
func.func @graph() {
  return
}

// -----

// A domain with an extent of 0 stays as it is: there is nothing to walk, and nothing divides by 0.
// CHECK: #[[NOTHING:.*]] = affine_map<() -> (0, 4, 0)>
// CHECK: domain = #[[NOTHING]]
"loop.func"() ({
^bb0(%o: memref<?xf32>, %i: index, %j: index, %k: index):
  %c = arith.constant 0.0 : f32
  "loop.store"(%o, %c, %i, %j, %k) {map = affine_map<(d0, d1, d2) -> (d0 + d1 + d2)>, operandSegmentSizes = array<i32: 1, 1, 3, 0>}
      : (memref<?xf32>, f32, index, index, index) -> ()
  "loop.yield"() : () -> ()
}) {sym_name = "nothing", domain = affine_map<() -> (0, 4, 0)>, symbols = [], outputs = 1, computes = ["zeros"]} : () -> ()
func.func @graph() {
  return
}
