// RUN: %mlirind-opt %s --verify-bounds --split-input-file | %FileCheck %s

!x = tensor<8xf32>
!y = tensor<4xf32>
!i = tensor<4xi64>

// An index from memory under a mask, and one that is clamped.
// CHECK-LABEL: func.func @masked
func.func @masked(%x: !x, %at: !i) -> !y attributes {aten.stage = "functional"} {
  %0 = "loop.kernel"(%x, %at) ({
  ^bb0(%in0: !x, %in1: !i, %out: !y, %i: index):
    %n = "loop.load"(%in1, %i) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 0>} : (!i, index) -> i64
    %size = arith.constant 8 : i64
    %ok = arith.cmpi ult, %n, %size : i64
    "loop.check"(%ok) {error = "index"} : (i1) -> ()
    %w = arith.index_cast %n : i64 to index
    %v = "loop.load"(%in0, %w, %ok) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 1>} : (!x, index, i1) -> f32
    "loop.store"(%out, %v, %i) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 1, 0>} : (!y, f32, index) -> ()
    "loop.yield"() : () -> ()
  }) {domain = affine_map<() -> (4)>, symbols = [], updates = [-1], kernel_name = "index_select", operandSegmentSizes = array<i32: 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>, resultSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (!x, !i) -> !y
  return %0 : !y
}

// CHECK-LABEL: func.func @clamped
func.func @clamped(%x: !x, %at: !i) -> !y attributes {aten.stage = "functional"} {
  %0 = "loop.kernel"(%x, %at) ({
  ^bb0(%in0: !x, %in1: !i, %out: !y, %i: index):
    %n = "loop.load"(%in1, %i) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 0>} : (!i, index) -> i64
    %zero = arith.constant 0 : i64
    %last = arith.constant 7 : i64
    %p = arith.maxsi %n, %zero : i64
    %q = arith.minsi %p, %last : i64
    %w = arith.index_cast %q : i64 to index
    %v = "loop.load"(%in0, %w) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 0>} : (!x, index) -> f32
    "loop.store"(%out, %v, %i) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 1, 0>} : (!y, f32, index) -> ()
    "loop.yield"() : () -> ()
  }) {domain = affine_map<() -> (4)>, symbols = [], updates = [-1], kernel_name = "index_select", operandSegmentSizes = array<i32: 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>, resultSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (!x, !i) -> !y
  return %0 : !y
}

// -----

!x = tensor<8xf32>
!y = tensor<4xf32>

// Each part of cat(x, flip(y)) is read where the result has it.
// CHECK-LABEL: func.func @parts
func.func @parts(%x: !y, %y: !y) -> !x attributes {aten.stage = "functional"} {
  %0 = "loop.kernel"(%x, %y) ({
  ^bb0(%in0: !y, %in1: !y, %out: !x, %i: index):
    %four = arith.constant 4 : index
    %low = arith.cmpi slt, %i, %four : index
    %high = arith.cmpi sge, %i, %four : index
    %v = "loop.load"(%in0, %i, %low) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 1>} : (!y, index, i1) -> f32
    %w = "loop.load"(%in1, %i, %high) {map = affine_map<(d0) -> (-d0 + 7)>, operandSegmentSizes = array<i32: 1, 1, 1>} : (!y, index, i1) -> f32
    %s = arith.select %low, %v, %w : f32
    "loop.store"(%out, %s, %i) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 1, 0>} : (!x, f32, index) -> ()
    "loop.yield"() : () -> ()
  }) {domain = affine_map<() -> (8)>, symbols = [], updates = [-1], kernel_name = "cat", operandSegmentSizes = array<i32: 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>, resultSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (!y, !y) -> !x
  return %0 : !x
}

// -----

// Quotients and remainders: a view of 6 elements as 2 by 3.
// CHECK-LABEL: func.func @digits
func.func @digits(%x: tensor<2x3xf32>) -> tensor<6xf32> attributes {aten.stage = "functional"} {
  %0 = "loop.kernel"(%x) ({
  ^bb0(%in: tensor<2x3xf32>, %out: tensor<6xf32>, %i: index):
    %v = "loop.load"(%in, %i) {map = affine_map<(d0) -> (d0 floordiv 3, d0 mod 3)>, operandSegmentSizes = array<i32: 1, 1, 0>} : (tensor<2x3xf32>, index) -> f32
    "loop.store"(%out, %v, %i) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 1, 0>} : (tensor<6xf32>, f32, index) -> ()
    "loop.yield"() : () -> ()
  }) {domain = affine_map<() -> (6)>, symbols = [], updates = [-1], kernel_name = "view", operandSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>, resultSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (tensor<2x3xf32>) -> tensor<6xf32>
  return %0 : tensor<6xf32>
}

// -----

!a = tensor<?xf32, #aten.layout<"cpu", [1], 0 : i64, [#aten.expr<"s0">]>>
!b = tensor<?xf32, #aten.layout<"cpu", [1], 0 : i64, [#aten.expr<"s1">]>>

// Two sizes that are equal by a requirement of the graph; and two that may still become one, as they were equal while tracing.
// CHECK-LABEL: func.func @required
func.func @required(%x: !a, %n: index {aten.symbol = "s1"}) -> !b attributes {aten.stage = "functional", aten.symbols = {s0 = [1, 9223372036854775807, 8], s1 = [1, 9223372036854775807, 8]}, aten.requires = [#aten.expr<"Eq(s0, s1)">]} {
  %0 = "loop.kernel"(%x) ({
  ^bb0(%in: !a, %out: !b, %i: index):
    %v = "loop.load"(%in, %i) {map = affine_map<(d0)[s0] -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 0>} : (!a, index) -> f32
    "loop.store"(%out, %v, %i) {map = affine_map<(d0)[s0] -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 1, 0>} : (!b, f32, index) -> ()
    "loop.yield"() : () -> ()
  }) {domain = affine_map<()[s0] -> (s0)>, symbols = [#aten.expr<"s1">], updates = [-1], kernel_name = "copy", operandSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>, resultSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (!a) -> !b
  return %0 : !b
}

// CHECK-LABEL: func.func @requirable
func.func @requirable(%x: !a, %n: index {aten.symbol = "s1"}) -> !b attributes {aten.stage = "functional", aten.symbols = {s0 = [1, 9223372036854775807, 8], s1 = [1, 9223372036854775807, 8]}} {
  %0 = "loop.kernel"(%x) ({
  ^bb0(%in: !a, %out: !b, %i: index):
    %v = "loop.load"(%in, %i) {map = affine_map<(d0)[s0] -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 0>} : (!a, index) -> f32
    "loop.store"(%out, %v, %i) {map = affine_map<(d0)[s0] -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 1, 0>} : (!b, f32, index) -> ()
    "loop.yield"() : () -> ()
  }) {domain = affine_map<()[s0] -> (s0)>, symbols = [#aten.expr<"s1">], updates = [-1], kernel_name = "copy", operandSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>, resultSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (!a) -> !b
  return %0 : !b
}

// -----

!d = tensor<?x?xf32, #aten.layout<"cpu", [#aten.expr<"s1">, 1], 0 : i64, [#aten.expr<"s0">, #aten.expr<"s1">]>>
!f = tensor<?xf32, #aten.layout<"cpu", [1], 0 : i64, [#aten.expr<"s0*s1">]>>

// The same with symbolic sizes.
// CHECK-LABEL: func.func @symbolic_digits
func.func @symbolic_digits(%x: !d) -> !f attributes {aten.stage = "functional", aten.symbols = {s0 = [1, 9223372036854775807, 8], s1 = [1, 9223372036854775807, 8]}} {
  %0 = "loop.kernel"(%x) ({
  ^bb0(%in: !d, %out: !f, %i: index):
    %v = "loop.load"(%in, %i) {map = affine_map<(d0)[s0, s1] -> (d0 floordiv s1, d0 mod s1)>, operandSegmentSizes = array<i32: 1, 1, 0>} : (!d, index) -> f32
    "loop.store"(%out, %v, %i) {map = affine_map<(d0)[s0, s1] -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 1, 0>} : (!f, f32, index) -> ()
    "loop.yield"() : () -> ()
  }) {domain = affine_map<()[s0, s1] -> (s0 * s1)>, symbols = [#aten.expr<"s0">, #aten.expr<"s1">], updates = [-1], kernel_name = "view", operandSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>, resultSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (!d) -> !f
  return %0 : !f
}

// -----

!h = tensor<?x4x?xf32, #aten.layout<"cpu", [#aten.expr<"4*floor(s1/4)">, #aten.expr<"floor(s1/4)">, 1], 0 : i64, [#aten.expr<"s0">, 4, #aten.expr<"floor(s1/4)">]>>
!f = tensor<?x?xf32, #aten.layout<"cpu", [#aten.expr<"4*floor(s1/4)">, 1], 0 : i64, [#aten.expr<"s0">, #aten.expr<"4*floor(s1/4)">]>>

// A size that is a quotient, and that is not 0 for any size that it is made of: heads merged.
// CHECK-LABEL: func.func @heads
func.func @heads(%x: !h) -> !f attributes {aten.stage = "functional", aten.symbols = {s0 = [1, 9223372036854775807, 8], s1 = [8, 9223372036854775807, 32]}} {
  %0 = "loop.kernel"(%x) ({
  ^bb0(%in: !h, %out: !f, %i: index, %j: index):
    %v = "loop.load"(%in, %i, %j) {map = affine_map<(d0, d1)[s0, s1] -> (d0, d1 floordiv (s1 floordiv 4), d1 mod (s1 floordiv 4))>, operandSegmentSizes = array<i32: 1, 2, 0>} : (!h, index, index) -> f32
    "loop.store"(%out, %v, %i, %j) {map = affine_map<(d0, d1)[s0, s1] -> (d0, d1)>, operandSegmentSizes = array<i32: 1, 1, 2, 0>} : (!f, f32, index, index) -> ()
    "loop.yield"() : () -> ()
  }) {domain = affine_map<()[s0, s1] -> (s0, (s1 floordiv 4) * 4)>, symbols = [#aten.expr<"s0">, #aten.expr<"s1">], updates = [-1], kernel_name = "view", operandSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>, resultSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (!h) -> !f
  return %0 : !f
}

// -----

!s = tensor<2x3xf32, #aten.layout<"cpu", [4, 1], 0 : i64, unit>>
!x = tensor<2x3xf32>

// Kernels on flat buffers, by the layout of what a launch passes; and a view.
// CHECK-LABEL: func.func @graph
"loop.func"() ({
^bb0(%in: memref<?xf32>, %out: memref<?xf32>, %i: index, %j: index):
  %v = "loop.load"(%in, %i, %j) {map = affine_map<(d0, d1) -> (d0 * 4 + d1)>, operandSegmentSizes = array<i32: 1, 2, 0>} : (memref<?xf32>, index, index) -> f32
  "loop.store"(%out, %v, %i, %j) {map = affine_map<(d0, d1) -> (d0 * 3 + d1)>, operandSegmentSizes = array<i32: 1, 1, 2, 0>} : (memref<?xf32>, f32, index, index) -> ()
  "loop.yield"() : () -> ()
}) {sym_name = "copy", domain = affine_map<() -> (2, 3)>, symbols = [], outputs = 1 : i64} : () -> ()
func.func @graph(%s: !s) -> tensor<2xf32, #aten.layout<"cpu", [2], 3 : i64, unit>> attributes {aten.stage = "host"} {
  %a = "host.alloc"() : () -> !x
  "host.launch"(%s, %a) {kernel = @copy, symbols = [], operandSegmentSizes = array<i32: 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (!s, !x) -> ()
  %v = "host.view"(%a) : (!x) -> tensor<2xf32, #aten.layout<"cpu", [2], 3 : i64, unit>>
  return %v : tensor<2xf32, #aten.layout<"cpu", [2], 3 : i64, unit>>
}

// -----

!x = tensor<8xf32>

// Rows of four, flattened: each element but a row's last reads the next one.
// CHECK-LABEL: func.func @next_in_row
func.func @next_in_row(%x: !x) -> !x attributes {aten.stage = "functional"} {
  %0 = "loop.kernel"(%x) ({
  ^bb0(%in0: !x, %out: !x, %i: index):
    %c = "loop.apply"(%i) {map = affine_map<(d0) -> (d0 mod 4)>, operandSegmentSizes = array<i32: 1>} : (index) -> index
    %size = arith.constant 3 : index
    %ok = arith.cmpi slt, %c, %size : index
    %v = "loop.load"(%in0, %i, %ok) {map = affine_map<(d0) -> (d0 + 1)>, operandSegmentSizes = array<i32: 1, 1, 1>} : (!x, index, i1) -> f32
    "loop.store"(%out, %v, %i) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 1, 0>} : (!x, f32, index) -> ()
    "loop.yield"() : () -> ()
  }) {domain = affine_map<() -> (8)>, symbols = [], updates = [-1], kernel_name = "pad", operandSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>, resultSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (!x) -> !x
  return %0 : !x
}
