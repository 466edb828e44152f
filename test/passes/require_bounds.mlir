// RUN: %mlirind-opt %s --split-input-file --pipeline=convert-aten-to-loop,convert-to-host,normalize-kernels,require-bounds,verify-bounds | %FileCheck %s

!x = tensor<5x4xf32>
!i = tensor<3xi64>
!y = tensor<3x4xf32>

// A row that memory names is checked when the kernel runs; the index's own place, the store and the view are proved.
// CHECK-LABEL: func.func @graph
// CHECK-SAME:    host.bounds = {checked = 1 : i64, proved = 3 : i64}
func.func @graph(%x: !x, %at: !i) -> tensor<12xf32> attributes {aten.stage = "functional"} {
  %0 = "aten.index_select"(%x, %at) {dim = 0 : i64} : (!x, !i) -> !y
  %1 = "aten.view"(%0) {size = [12]} : (!y) -> tensor<12xf32>
  return %1 : tensor<12xf32>
}

// -----

!a = tensor<?xf32, #aten.layout<"cpu", [1], 0 : i64, [#aten.expr<"s0">]>>
!b = tensor<?xf32, #aten.layout<"cpu", [1], 0 : i64, [#aten.expr<"s1">]>>

// Two sizes that were equal while tracing: it becomes a requirement that the operand has the elements that are read.
// CHECK-LABEL: func.func @graph
// CHECK-SAME:    aten.requires = [#aten.expr<"s0 - s1 >= 0">]
// CHECK-SAME:    host.bounds = {proved = 1 : i64, required = 1 : i64}
func.func @graph(%x: !a, %n: index {aten.symbol = "s1"}) -> !b
    attributes {aten.stage = "functional", aten.symbols = {s0 = [1, 100, 8], s1 = [1, 100, 8]}} {
  %0 = "loop.kernel"(%x) ({
  ^bb0(%in: !a, %out: !b, %i: index):
    %v = "loop.load"(%in, %i) {map = affine_map<(d0)[s0] -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 0>} : (!a, index) -> f32
    "loop.store"(%out, %v, %i) {map = affine_map<(d0)[s0] -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 1, 0>} : (!b, f32, index) -> ()
    "loop.yield"() : () -> ()
  }) {domain = affine_map<()[s0] -> (s0)>, symbols = [#aten.expr<"s1">], updates = [-1], kernel_name = "copy", operandSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>, resultSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (!a) -> !b
  return %0 : !b
}

// -----

!a = tensor<?xf32, #aten.layout<"cpu", [1], 0 : i64, [#aten.expr<"s0">]>>
!b = tensor<?xf32, #aten.layout<"cpu", [2], 1 : i64, [#aten.expr<"s1">]>>

// PyTorch compares such a view with its storage when it is called; here the sizes are compared before the call.
// CHECK-LABEL: func.func @graph
// CHECK-SAME:    aten.requires = [#aten.expr<"s0 - 2*s1 >= 0">]
func.func @graph(%x: !a, %n: index {aten.symbol = "s1"}) -> tensor<?xf32, #aten.layout<"cpu", [1], 0 : i64, [#aten.expr<"s1">]>>
    attributes {aten.stage = "functional", aten.symbols = {s0 = [1, 100, 8], s1 = [1, 100, 4]}} {
  %0 = "aten.as_strided"(%x) {size = [#aten.expr<"s1">], stride = [2], storage_offset = 1 : i64} : (!a) -> !b
  %1 = "aten.exp"(%0) : (!b) -> tensor<?xf32, #aten.layout<"cpu", [1], 0 : i64, [#aten.expr<"s1">]>>
  return %1 : tensor<?xf32, #aten.layout<"cpu", [1], 0 : i64, [#aten.expr<"s1">]>>
}
