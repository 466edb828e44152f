// RUN: %mlirind-opt %s --plan-memory --verify-memory --split-input-file | %FileCheck %s

!x = tensor<8xf32>

// What the planner makes is proved: in place twice, then in dead memory.
// CHECK-LABEL: func.func @graph
// CHECK-COUNT-2: host.in_place
// CHECK:         "host.reuse"
"loop.func"() ({
^bb0(%in: memref<?xf32>, %out: memref<?xf32>, %i: index):
  %v = "loop.load"(%in, %i) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 0>} : (memref<?xf32>, index) -> f32
  %s = math.exp %v : f32
  "loop.store"(%out, %s, %i) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 1, 0>} : (memref<?xf32>, f32, index) -> ()
  "loop.yield"() : () -> ()
}) {sym_name = "exp", domain = affine_map<() -> (8)>, symbols = [], outputs = 1 : i64} : () -> ()
"loop.func"() ({
^bb0(%in: memref<?xf32>, %out: memref<?xf32>, %i: index):
  %v = "loop.load"(%in, %i) {map = affine_map<(d0) -> (-d0 + 7)>, operandSegmentSizes = array<i32: 1, 1, 0>} : (memref<?xf32>, index) -> f32
  "loop.store"(%out, %v, %i) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 1, 0>} : (memref<?xf32>, f32, index) -> ()
  "loop.yield"() : () -> ()
}) {sym_name = "flip", domain = affine_map<() -> (8)>, symbols = [], outputs = 1 : i64} : () -> ()
"loop.func"() ({
^bb0(%in: memref<?xf32>, %out: memref<?xf32>, %i: index, %j: index):
  %v = "loop.load"(%in, %i, %j) {map = affine_map<(d0, d1) -> (d0 * 4 + d1)>, operandSegmentSizes = array<i32: 1, 2, 0>} : (memref<?xf32>, index, index) -> f32
  %m = "loop.reduce"(%v) {kind = "max", dims = [1], operandSegmentSizes = array<i32: 1, 0>, resultSegmentSizes = array<i32: 1, 0>} : (f32) -> f32
  %d = arith.subf %v, %m : f32
  %e = math.exp %d : f32
  %s = "loop.reduce"(%e) {kind = "add", dims = [1], operandSegmentSizes = array<i32: 1, 0>, resultSegmentSizes = array<i32: 1, 0>} : (f32) -> f32
  %q = arith.divf %e, %s : f32
  "loop.store"(%out, %q, %i, %j) {map = affine_map<(d0, d1) -> (d0 * 4 + d1)>, operandSegmentSizes = array<i32: 1, 1, 2, 0>} : (memref<?xf32>, f32, index, index) -> ()
  "loop.yield"() : () -> ()
}) {sym_name = "softmax", domain = affine_map<() -> (2, 4)>, symbols = [], outputs = 1 : i64} : () -> ()
func.func @graph(%x: !x, %w: tensor<2x2xf32>) -> !x attributes {aten.stage = "host"} {
  %a = "host.alloc"() : () -> !x
  "host.launch"(%x, %a) {kernel = @exp, symbols = [], operandSegmentSizes = array<i32: 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (!x, !x) -> ()
  %b = "host.alloc"() : () -> !x
  "host.launch"(%a, %b) {kernel = @softmax, symbols = [], operandSegmentSizes = array<i32: 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (!x, !x) -> ()
  "host.free"(%a) : (!x) -> ()
  %c = "host.alloc"() : () -> !x
  "host.launch"(%b, %c) {kernel = @exp, symbols = [], operandSegmentSizes = array<i32: 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (!x, !x) -> ()
  "host.free"(%b) : (!x) -> ()
  %d = "host.alloc"() : () -> !x
  "host.launch"(%c, %d) {kernel = @flip, symbols = [], operandSegmentSizes = array<i32: 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (!x, !x) -> ()
  "host.free"(%c) : (!x) -> ()
  %e = "host.alloc"() : () -> !x
  "host.launch"(%d, %e) {kernel = @flip, symbols = [], operandSegmentSizes = array<i32: 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (!x, !x) -> ()
  "host.free"(%d) : (!x) -> ()
  return %e : !x
}
