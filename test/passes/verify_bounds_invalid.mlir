// RUN: %mlirind-opt %s --verify-bounds --split-input-file --verify-diagnostics

!x = tensor<8xf32>

// One element too far.
func.func @off_by_one(%x: !x) -> !x attributes {aten.stage = "functional"} {
  %0 = "loop.kernel"(%x) ({
  ^bb0(%in: !x, %out: !x, %i: index):
    // expected-error@+1 {{index 1 + d0 is not proved to lie within the 8 elements of buffer 0}}
    %v = "loop.load"(%in, %i) {map = affine_map<(d0) -> (d0 + 1)>, operandSegmentSizes = array<i32: 1, 1, 0>} : (!x, index) -> f32
    "loop.store"(%out, %v, %i) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 1, 0>} : (!x, f32, index) -> ()
    "loop.yield"() : () -> ()
  }) {domain = affine_map<() -> (8)>, symbols = [], updates = [-1], kernel_name = "copy", operandSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>, resultSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (!x) -> !x
  return %0 : !x
}

// -----

!x = tensor<8xf32>

// One element before the first: 7 - i, and a domain that is one too long for it.
func.func @before_the_first(%x: !x) -> tensor<9xf32> attributes {aten.stage = "functional"} {
  %0 = "loop.kernel"(%x) ({
  ^bb0(%in: !x, %out: tensor<9xf32>, %i: index):
    // expected-error@+1 {{index 7 + -1*d0 is not proved}}
    %v = "loop.load"(%in, %i) {map = affine_map<(d0) -> (-d0 + 7)>, operandSegmentSizes = array<i32: 1, 1, 0>} : (!x, index) -> f32
    "loop.store"(%out, %v, %i) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 1, 0>} : (tensor<9xf32>, f32, index) -> ()
    "loop.yield"() : () -> ()
  }) {domain = affine_map<() -> (9)>, symbols = [], updates = [-1], kernel_name = "flip", operandSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>, resultSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (!x) -> tensor<9xf32>
  return %0 : tensor<9xf32>
}

// -----

// The size of another dimension: rows are counted as columns.
func.func @wrong_size(%x: tensor<3x3xf32>) -> tensor<2x3xf32> attributes {aten.stage = "functional"} {
  %0 = "loop.kernel"(%x) ({
  ^bb0(%in: tensor<3x3xf32>, %out: tensor<2x3xf32>, %i: index, %j: index):
    %v = "loop.load"(%in, %i, %j) {map = affine_map<(d0, d1) -> (d0, d1)>, operandSegmentSizes = array<i32: 1, 2, 0>} : (tensor<3x3xf32>, index, index) -> f32
    // expected-error@+1 {{index d0 is not proved to lie within the 2 elements of buffer 0}}
    "loop.store"(%out, %v, %i, %j) {map = affine_map<(d0, d1) -> (d0, d1)>, operandSegmentSizes = array<i32: 1, 1, 2, 0>} : (tensor<2x3xf32>, f32, index, index) -> ()
    "loop.yield"() : () -> ()
  }) {domain = affine_map<() -> (3, 3)>, symbols = [], updates = [-1], kernel_name = "copy", operandSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>, resultSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (tensor<3x3xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// -----

// A transposed operand that is read as if it were not.
func.func @not_transposed(%x: tensor<3x2xf32>) -> tensor<2x3xf32> attributes {aten.stage = "functional"} {
  %0 = "loop.kernel"(%x) ({
  ^bb0(%in: tensor<3x2xf32>, %out: tensor<2x3xf32>, %i: index, %j: index):
    // expected-error@+1 {{index d1 is not proved to lie within the 2 elements of buffer 0}}
    %v = "loop.load"(%in, %i, %j) {map = affine_map<(d0, d1) -> (d0, d1)>, operandSegmentSizes = array<i32: 1, 2, 0>} : (tensor<3x2xf32>, index, index) -> f32
    "loop.store"(%out, %v, %i, %j) {map = affine_map<(d0, d1) -> (d0, d1)>, operandSegmentSizes = array<i32: 1, 1, 2, 0>} : (tensor<2x3xf32>, f32, index, index) -> ()
    "loop.yield"() : () -> ()
  }) {domain = affine_map<() -> (2, 3)>, symbols = [], updates = [-1], kernel_name = "copy", operandSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>, resultSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (tensor<3x2xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// -----

// The other operand is the one that is broadcast.
func.func @swapped_broadcast(%x: tensor<2x3xf32>, %y: tensor<1x3xf32>) -> tensor<2x3xf32> attributes {aten.stage = "functional"} {
  %0 = "loop.kernel"(%x, %y) ({
  ^bb0(%in0: tensor<2x3xf32>, %in1: tensor<1x3xf32>, %out: tensor<2x3xf32>, %i: index, %j: index):
    %v = "loop.load"(%in0, %j) {map = affine_map<(d0) -> (0, d0)>, operandSegmentSizes = array<i32: 1, 1, 0>} : (tensor<2x3xf32>, index) -> f32
    // expected-error@+1 {{index d0 is not proved to lie within the 1 elements of buffer 1}}
    %w = "loop.load"(%in1, %i, %j) {map = affine_map<(d0, d1) -> (d0, d1)>, operandSegmentSizes = array<i32: 1, 2, 0>} : (tensor<1x3xf32>, index, index) -> f32
    %s = arith.addf %v, %w : f32
    "loop.store"(%out, %s, %i, %j) {map = affine_map<(d0, d1) -> (d0, d1)>, operandSegmentSizes = array<i32: 1, 1, 2, 0>} : (tensor<2x3xf32>, f32, index, index) -> ()
    "loop.yield"() : () -> ()
  }) {domain = affine_map<() -> (2, 3)>, symbols = [], updates = [-1], kernel_name = "add", operandSegmentSizes = array<i32: 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>, resultSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (tensor<2x3xf32>, tensor<1x3xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// -----

!x = tensor<8xf32>
!y = tensor<4xf32>
!i = tensor<4xi64>

// An index from memory is checked, but a check stops nothing by itself: the load lacks the mask.
func.func @no_mask(%x: !x, %at: !i) -> !y attributes {aten.stage = "functional"} {
  %0 = "loop.kernel"(%x, %at) ({
  ^bb0(%in0: !x, %in1: !i, %out: !y, %i: index):
    %n = "loop.load"(%in1, %i) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 0>} : (!i, index) -> i64
    %size = arith.constant 8 : i64
    %ok = arith.cmpi ult, %n, %size : i64
    "loop.check"(%ok) {error = "index"} : (i1) -> ()
    %w = arith.index_cast %n : i64 to index
    // expected-error@+1 {{index v0 is not proved to lie within the 8 elements of buffer 0}}
    %v = "loop.load"(%in0, %w) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 0>} : (!x, index) -> f32
    "loop.store"(%out, %v, %i) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 1, 0>} : (!y, f32, index) -> ()
    "loop.yield"() : () -> ()
  }) {domain = affine_map<() -> (4)>, symbols = [], updates = [-1], kernel_name = "index_select", operandSegmentSizes = array<i32: 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>, resultSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (!x, !i) -> !y
  return %0 : !y
}

// -----

!x = tensor<8xf32>
!y = tensor<4xf32>
!i = tensor<4xi64>

// A mask that negative indices pass.
func.func @half_a_mask(%x: !x, %at: !i) -> !y attributes {aten.stage = "functional"} {
  %0 = "loop.kernel"(%x, %at) ({
  ^bb0(%in0: !x, %in1: !i, %out: !y, %i: index):
    %n = "loop.load"(%in1, %i) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 0>} : (!i, index) -> i64
    %size = arith.constant 8 : i64
    %ok = arith.cmpi slt, %n, %size : i64
    %w = arith.index_cast %n : i64 to index
    // expected-error@+1 {{index v0 is not proved}}
    %v = "loop.load"(%in0, %w, %ok) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 1>} : (!x, index, i1) -> f32
    "loop.store"(%out, %v, %i) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 1, 0>} : (!y, f32, index) -> ()
    "loop.yield"() : () -> ()
  }) {domain = affine_map<() -> (4)>, symbols = [], updates = [-1], kernel_name = "index_select", operandSegmentSizes = array<i32: 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>, resultSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (!x, !i) -> !y
  return %0 : !y
}

// -----

!a = tensor<?xf32, #aten.layout<"cpu", [1], 0 : i64, [#aten.expr<"s0">]>>
!b = tensor<?xf32, #aten.layout<"cpu", [1], 0 : i64, [#aten.expr<"s1">]>>

// Two symbols that were different while tracing.
func.func @symbols_differ(%x: !a, %n: index {aten.symbol = "s1"}) -> !b attributes {aten.stage = "functional", aten.symbols = {s0 = [1, 9223372036854775807, 8], s1 = [1, 9223372036854775807, 9]}} {
  %0 = "loop.kernel"(%x) ({
  ^bb0(%in: !a, %out: !b, %i: index):
    // expected-error@+1 {{index d0 is not proved to lie within the s0 elements of buffer 0}}
    %v = "loop.load"(%in, %i) {map = affine_map<(d0)[s0] -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 0>} : (!a, index) -> f32
    "loop.store"(%out, %v, %i) {map = affine_map<(d0)[s0] -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 1, 0>} : (!b, f32, index) -> ()
    "loop.yield"() : () -> ()
  }) {domain = affine_map<()[s0] -> (s0)>, symbols = [#aten.expr<"s1">], updates = [-1], kernel_name = "copy", operandSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>, resultSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (!a) -> !b
  return %0 : !b
}

// -----

!x = tensor<8xf32>
!y = tensor<4xf32>

// A fused kernel that reads the second part of cat(x, flip(y)) where it computes the first.
func.func @fused(%x: !y, %y: !y) -> !x attributes {aten.stage = "functional"} {
  %0 = "loop.kernel"(%x, %y) ({
  ^bb0(%in0: !y, %in1: !y, %out: !x, %i: index):
    %four = arith.constant 4 : index
    %low = arith.cmpi slt, %i, %four : index
    %high = arith.cmpi sge, %i, %four : index
    %v = "loop.load"(%in0, %i, %low) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 1>} : (!y, index, i1) -> f32
    // expected-error@+1 {{index 7 + -1*d0 is not proved to lie within the 4 elements of buffer 1}}
    %w = "loop.load"(%in1, %i, %low) {map = affine_map<(d0) -> (-d0 + 7)>, operandSegmentSizes = array<i32: 1, 1, 1>} : (!y, index, i1) -> f32
    %s = arith.select %low, %v, %w : f32
    "loop.store"(%out, %s, %i) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 1, 0>} : (!x, f32, index) -> ()
    "loop.yield"() : () -> ()
  }) {domain = affine_map<() -> (8)>, symbols = [], updates = [-1], kernel_name = "cat", operandSegmentSizes = array<i32: 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>, resultSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (!y, !y) -> !x
  return %0 : !x
}

// -----

!s = tensor<2x3xf32, #aten.layout<"cpu", [4, 1], 0 : i64, unit>>
!x = tensor<2x3xf32>

// A store by the strides of what was read: the last row begins behind the buffer's end.
"loop.func"() ({
^bb0(%in: memref<?xf32>, %out: memref<?xf32>, %i: index, %j: index):
  %v = "loop.load"(%in, %i, %j) {map = affine_map<(d0, d1) -> (d0 * 4 + d1)>, operandSegmentSizes = array<i32: 1, 2, 0>} : (memref<?xf32>, index, index) -> f32
  // expected-error@+1 {{index 4*d0 + d1 is not proved to lie within the 6 elements of buffer 0}}
  "loop.store"(%out, %v, %i, %j) {map = affine_map<(d0, d1) -> (d0 * 4 + d1)>, operandSegmentSizes = array<i32: 1, 1, 2, 0>} : (memref<?xf32>, f32, index, index) -> ()
  "loop.yield"() : () -> ()
}) {sym_name = "copy", domain = affine_map<() -> (2, 3)>, symbols = [], outputs = 1 : i64} : () -> ()
func.func @graph(%s: !s) -> !x attributes {aten.stage = "host"} {
  %a = "host.alloc"() : () -> !x
  "host.launch"(%s, %a) {kernel = @copy, symbols = [], operandSegmentSizes = array<i32: 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (!s, !x) -> ()
  return %a : !x
}

// -----

!x = tensor<8xf32>
!y = tensor<4xf32>

// A kernel is proved for each launch: the second one passes a smaller buffer.
"loop.func"() ({
^bb0(%in: memref<?xf32>, %out: memref<?xf32>, %i: index):
  // expected-error@+1 {{index d0 is not proved to lie within the 4 elements of buffer 0}}
  %v = "loop.load"(%in, %i) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 0>} : (memref<?xf32>, index) -> f32
  %e = math.exp %v : f32
  "loop.store"(%out, %e, %i) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 1, 0>} : (memref<?xf32>, f32, index) -> ()
  "loop.yield"() : () -> ()
}) {sym_name = "exp", domain = affine_map<() -> (8)>, symbols = [], outputs = 1 : i64} : () -> ()
func.func @graph(%x: !x, %y: !y) -> !x attributes {aten.stage = "host"} {
  %a = "host.alloc"() : () -> !x
  "host.launch"(%x, %a) {kernel = @exp, symbols = [], operandSegmentSizes = array<i32: 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (!x, !x) -> ()
  %b = "host.alloc"() : () -> !x
  "host.launch"(%y, %b) {kernel = @exp, symbols = [], operandSegmentSizes = array<i32: 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (!y, !x) -> ()
  "host.free"(%a) : (!x) -> ()
  return %b : !x
}

// -----

!x = tensor<8xf32>
!v = tensor<5xf32, #aten.layout<"cpu", [2], 0 : i64, unit>>

// A view of more than there is.
func.func @graph(%x: !x) -> !v attributes {aten.stage = "host"} {
  // expected-error@+1 {{index 2*d0 is not proved to lie within the 8 elements of buffer 0}}
  %v = "host.view"(%x) : (!x) -> !v
  return %v : !v
}

// -----

!x = tensor<8xf32>

// The last row's last element has no next one.
func.func @graph(%x: !x) -> !x attributes {aten.stage = "functional"} {
  %0 = "loop.kernel"(%x) ({
  ^bb0(%in0: !x, %out: !x, %i: index):
    %c = "loop.apply"(%i) {map = affine_map<(d0) -> (d0 mod 4)>, operandSegmentSizes = array<i32: 1>} : (index) -> index
    %size = arith.constant 4 : index
    %ok = arith.cmpi slt, %c, %size : index
    // expected-error@+1 {{index 1 + d0 is not proved to lie within the 8 elements of buffer 0}}
    %v = "loop.load"(%in0, %i, %ok) {map = affine_map<(d0) -> (d0 + 1)>, operandSegmentSizes = array<i32: 1, 1, 1>} : (!x, index, i1) -> f32
    "loop.store"(%out, %v, %i) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 1, 0>} : (!x, f32, index) -> ()
    "loop.yield"() : () -> ()
  }) {domain = affine_map<() -> (8)>, symbols = [], updates = [-1], kernel_name = "pad", operandSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>, resultSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (!x) -> !x
  return %0 : !x
}
