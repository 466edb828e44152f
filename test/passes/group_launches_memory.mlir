// RUN: %mlirind-opt %s --verify-each --group-launches --verify-memory --split-input-file | %FileCheck %s

!x = tensor<64x64xf32, #aten.layout<"cuda:0", [64, 1], 0 : i64, unit>>

// The arguments may share storage, and the first kernel's result is written there: the second reads it.
// CHECK-LABEL: func.func @graph
// CHECK-NOT:     host.group
// CHECK:         return
"loop.func"() ({
^bb0(%in: memref<?xf32>, %out: memref<?xf32>, %i: index):
  %v = "loop.load"(%in, %i) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 0>} : (memref<?xf32>, index) -> f32
  %s = math.exp %v : f32
  "loop.store"(%out, %s, %i) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 1, 0>} : (memref<?xf32>, f32, index) -> ()
  "loop.yield"() : () -> ()
}) {sym_name = "exp", domain = affine_map<() -> (4096)>, symbols = [], outputs = 1 : i64, device = "cuda:0"} : () -> ()
func.func @graph(%a: !x, %b: !x, %c: !x) attributes {aten.stage = "host", aten.io_aliases = [[0, 2]]} {
  "host.launch"(%b, %a) {kernel = @exp, symbols = [], operandSegmentSizes = array<i32: 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (!x, !x) -> ()
  "host.launch"(%c, %b) {kernel = @exp, symbols = [], operandSegmentSizes = array<i32: 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (!x, !x) -> ()
  return
}

// -----

!x = tensor<64x64xf32, #aten.layout<"cuda:0", [64, 1], 0 : i64, unit>>

// A product between two kernels reads what the second one writes, and what the first one has written.
// CHECK-LABEL: func.func @graph
// CHECK-NOT:     host.group
// CHECK:         return
"loop.func"() ({
^bb0(%in: memref<?xf32>, %out: memref<?xf32>, %i: index):
  %v = "loop.load"(%in, %i) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 0>} : (memref<?xf32>, index) -> f32
  %s = math.exp %v : f32
  "loop.store"(%out, %s, %i) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 1, 0>} : (memref<?xf32>, f32, index) -> ()
  "loop.yield"() : () -> ()
}) {sym_name = "exp", domain = affine_map<() -> (4096)>, symbols = [], outputs = 1 : i64, device = "cuda:0"} : () -> ()
func.func @graph(%a: !x, %b: !x) -> !x attributes {aten.stage = "host", aten.io_aliases = []} {
  %0 = "host.alloc"() : () -> !x
  "host.launch"(%b, %0) {kernel = @exp, symbols = [], operandSegmentSizes = array<i32: 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (!x, !x) -> ()
  %1 = "host.call"(%0, %a) {target = "aten.mm.default", arguments = [#aten.operand<0>, #aten.operand<1>], reason = "library: matrix multiplication", operandSegmentSizes = array<i32: 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>, resultSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (!x, !x) -> !x
  "host.launch"(%a, %a) {kernel = @exp, symbols = [], operandSegmentSizes = array<i32: 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (!x, !x) -> ()
  "host.free"(%0) : (!x) -> ()
  return %1 : !x
}
