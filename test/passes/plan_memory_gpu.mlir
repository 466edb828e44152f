// RUN: %mlirind-opt %s --plan-memory | %FileCheck %s

!x = tensor<1x2x4x4xf32, #aten.layout<"cuda:0", [32, 16, 4, 1], 0 : i64, unit>>
!w = tensor<2x2x1x1xf32, #aten.layout<"cuda:0", [2, 1, 1, 1], 0 : i64, unit>>
!y = tensor<9x2x4x4xf32, #aten.layout<"cuda:0", [32, 16, 4, 1], 0 : i64, unit>>

// The first buffer is dead before the convolution. What the library allocates is not known, so the buffer is not held during the call,
// although the peak of what is known comes later. The second buffer is reused behind it.
// CHECK-LABEL: func.func @graph
// CHECK:         %[[A:.*]] = "host.alloc"()
// CHECK:         %[[B:.*]] = "host.alloc"()
// CHECK-NEXT:    "host.launch"(%[[A]], %[[B]])
// CHECK-NEXT:    "host.free"(%[[A]])
// CHECK-NEXT:    %[[C:.*]] = "host.call"(%[[B]], %arg1)
// CHECK-NEXT:    %[[D:.*]] = "host.reuse"(%[[B]])
// CHECK-NEXT:    "host.launch"(%[[C]], %[[D]])
// CHECK:         %[[E:.*]] = "host.alloc"()
// CHECK-NEXT:    "host.launch"(%[[D]], %[[E]])
"loop.func"() ({
^bb0(%in: memref<?xf32>, %out: memref<?xf32>, %i: index):
  %v = "loop.load"(%in, %i) {map = affine_map<(d0) -> (-d0 + 31)>, operandSegmentSizes = array<i32: 1, 1, 0>} : (memref<?xf32>, index) -> f32
  "loop.store"(%out, %v, %i) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 1, 0>} : (memref<?xf32>, f32, index) -> ()
  "loop.yield"() : () -> ()
}) {sym_name = "flip", domain = affine_map<() -> (32)>, symbols = [], outputs = 1 : i64, device = "cuda:0"} : () -> ()
func.func @graph(%x: !x, %w: !w) -> (!y, !x) attributes {aten.stage = "host"} {
  %a = "host.alloc"() : () -> !x
  "host.launch"(%x, %a) {kernel = @flip, symbols = [], operandSegmentSizes = array<i32: 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (!x, !x) -> ()
  %b = "host.alloc"() : () -> !x
  "host.launch"(%a, %b) {kernel = @flip, symbols = [], operandSegmentSizes = array<i32: 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (!x, !x) -> ()
  "host.free"(%a) : (!x) -> ()
  %c = "host.call"(%b, %w) {target = "aten.convolution.default", arguments = [#aten.operand<0 : i64>, #aten.operand<1 : i64>, #aten.none, [1, 1], [0, 0], [1, 1], false, [0, 0], 1], reason = "library", operandSegmentSizes = array<i32: 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>, resultSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (!x, !w) -> !x
  "host.free"(%b) : (!x) -> ()
  %d = "host.alloc"() : () -> !x
  "host.launch"(%c, %d) {kernel = @flip, symbols = [], operandSegmentSizes = array<i32: 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (!x, !x) -> ()
  "host.free"(%c) : (!x) -> ()
  %f = "host.alloc"() : () -> !x
  "host.launch"(%d, %f) {kernel = @flip, symbols = [], operandSegmentSizes = array<i32: 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (!x, !x) -> ()
  %e = "host.alloc"() : () -> !y
  "host.launch"(%d, %e) {kernel = @flip, symbols = [], operandSegmentSizes = array<i32: 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (!x, !y) -> ()
  "host.free"(%d) : (!x) -> ()
  return %e, %f : !y, !x
}
