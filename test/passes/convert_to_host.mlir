// RUN: %mlirind-opt %s --convert-to-host --verify-ir --split-input-file | %FileCheck %s

!x = tensor<2x3xf32, #aten.layout<"cpu", [3, 1], 0 : i64, unit>>
!xt = tensor<3x2xf32, #aten.layout<"cpu", [1, 3], 0 : i64, unit>>
!w = tensor<3x4xf32, #aten.layout<"cpu", [4, 1], 0 : i64, unit>>
!y = tensor<2x4xf32, #aten.layout<"cpu", [4, 1], 0 : i64, unit>>

// Equal kernels are one function with the offsets in its maps; a returned view is a view; the rest is called; buffers are freed
// behind their last use.
// CHECK:       "loop.func"() ({
// CHECK:         "loop.load"({{.*}}) {map = #[[MAP:.*]], operandSegmentSizes = array<i32: 1, 2, 0>} : (memref<?xf32>, index, index) -> f32
// CHECK:       sym_name = "exp_0"
// CHECK-NOT:   "loop.func"
// CHECK-LABEL: func.func @graph
// CHECK:         %[[MM:.*]] = "host.call"(%arg0, %arg1) {arguments = [#aten.operand<0 : i64>, #aten.operand<1 : i64>]
// CHECK-SAME:      reason = "library: matrix multiplication"
// CHECK-SAME:      target = "aten.mm.default"
// CHECK:         %[[A:.*]] = "host.alloc"()
// CHECK:         "host.launch"(%[[MM]], %[[A]]) {kernel = @exp_0
// CHECK:         "host.free"(%[[MM]])
// CHECK:         %[[B:.*]] = "host.alloc"()
// CHECK:         "host.launch"(%[[A]], %[[B]]) {kernel = @exp_0
// CHECK:         "host.free"(%[[A]])
// CHECK:         %[[V:.*]] = "host.view"(%arg0)
// CHECK:         return %[[B]], %[[V]]
func.func @graph(%x: !x, %w: !w) -> (!y, !xt) {
  %0 = "aten.mm"(%x, %w) : (!x, !w) -> !y
  %a = "loop.kernel"(%0) ({
  ^bb0(%in: !y, %out: !y, %i: index, %j: index):
    %v = "loop.load"(%in, %i, %j) {map = affine_map<(d0, d1) -> (d0, d1)>, operandSegmentSizes = array<i32: 1, 2, 0>} : (!y, index, index) -> f32
    %s = math.exp %v : f32
    "loop.store"(%out, %s, %i, %j) {map = affine_map<(d0, d1) -> (d0, d1)>, operandSegmentSizes = array<i32: 1, 1, 2, 0>} : (!y, f32, index, index) -> ()
    "loop.yield"() : () -> ()
  }) {domain = affine_map<() -> (2, 4)>, symbols = [], updates = [-1], kernel_name = "exp", operandSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>, resultSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (!y) -> !y
  %b = "loop.kernel"(%a) ({
  ^bb0(%in: !y, %out: !y, %i: index, %j: index):
    %v = "loop.load"(%in, %i, %j) {map = affine_map<(d0, d1) -> (d0, d1)>, operandSegmentSizes = array<i32: 1, 2, 0>} : (!y, index, index) -> f32
    %s = math.exp %v : f32
    "loop.store"(%out, %s, %i, %j) {map = affine_map<(d0, d1) -> (d0, d1)>, operandSegmentSizes = array<i32: 1, 1, 2, 0>} : (!y, f32, index, index) -> ()
    "loop.yield"() : () -> ()
  }) {domain = affine_map<() -> (2, 4)>, symbols = [], updates = [-1], kernel_name = "exp", operandSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>, resultSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (!y) -> !y
  %p = "aten.permute"(%x) {dims = [1, 0]} : (!x) -> !xt
  return %b, %p : !y, !xt
}

// -----

!x = tensor<4xf32, #aten.layout<"cpu", [1], 0 : i64, unit>>
!i = tensor<2xi64, #aten.layout<"cpu", [1], 0 : i64, unit>>

// A kernel that updates an input works on a copy; what a kernel made and nothing else uses is updated in place. The epilogue
// copies to the input.
// CHECK-LABEL: func.func @graph
// CHECK:         %[[A:.*]] = "host.alloc"()
// CHECK:         "host.copy"(%[[A]], %arg0)
// CHECK:         "host.launch"(%arg1, %[[A]]) {kernel = @scatter_0
// CHECK-NOT:     "host.alloc"
// CHECK:         "host.launch"(%arg1, %[[A]]) {kernel = @scatter_0
// CHECK:         "host.copy"(%arg0, %[[A]])
// CHECK:         return %[[A]]
func.func @graph(%x: !x, %index: !i) -> !x {
  %a = "loop.kernel"(%x, %index) ({
  ^bb0(%old: !x, %in: !i, %out: !x, %i: index):
    %v = "loop.load"(%in, %i) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 0>} : (!i, index) -> i64
    %last = arith.constant 3 : i64
    %w = arith.minui %v, %last : i64
    %n = arith.index_cast %w : i64 to index
    %s = arith.constant 1.0 : f32
    "loop.store"(%out, %s, %n) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 1, 0>} : (!x, f32, index) -> ()
    "loop.yield"() : () -> ()
  }) {domain = affine_map<() -> (2)>, symbols = [], updates = [0], kernel_name = "scatter", operandSegmentSizes = array<i32: 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>, resultSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (!x, !i) -> !x
  %b = "loop.kernel"(%a, %index) ({
  ^bb0(%old: !x, %in: !i, %out: !x, %i: index):
    %v = "loop.load"(%in, %i) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 0>} : (!i, index) -> i64
    %last = arith.constant 3 : i64
    %w = arith.minui %v, %last : i64
    %n = arith.index_cast %w : i64 to index
    %s = arith.constant 1.0 : f32
    "loop.store"(%out, %s, %n) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 1, 0>} : (!x, f32, index) -> ()
    "loop.yield"() : () -> ()
  }) {domain = affine_map<() -> (2)>, symbols = [], updates = [0], kernel_name = "scatter", operandSegmentSizes = array<i32: 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>, resultSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (!x, !i) -> !x
  %c = "aten.copy_"(%x, %b) {non_blocking = false} : (!x, !x) -> !x
  return %b : !x
}

// -----

!x = tensor<?x8xf32, #aten.layout<"cpu", [8, 1], 0 : i64, [#aten.expr<"s0">, 8]>>
!y = tensor<8x?xf32, #aten.layout<"cpu", [#aten.expr<"s0">, 1], 0 : i64, [8, #aten.expr<"s0">]>>

// Symbolic strides are symbols of the kernel; an applied index is folded into the maps.
// CHECK:       #[[READ:.*]] = affine_map<(d0, d1)[s0] -> (d0 * 8 + d1 + 8)>
// CHECK:       #[[WRITE:.*]] = affine_map<(d0, d1)[s0] -> (d0 + d1 * s0)>
// CHECK:       "loop.load"({{.*}}) {map = #[[READ]]
// CHECK:       "loop.store"({{.*}}) {map = #[[WRITE]]
// CHECK:       domain = #{{.*}}, outputs = 1 : i64, sym_name = "clone_0", symbols = [#aten.expr<"s0">]
// CHECK-LABEL: func.func @graph
// CHECK:         "host.launch"({{.*}}) {kernel = @clone_0, {{.*}}, symbols = [#aten.expr<"s0">]}
func.func @graph(%x: !x) -> !y {
  %a = "loop.kernel"(%x) ({
  ^bb0(%in: !x, %out: !y, %i: index, %j: index):
    %k = "loop.apply"(%i) {map = affine_map<(d0)[s0] -> (d0 + 1)>, operandSegmentSizes = array<i32: 1>} : (index) -> index
    %v = "loop.load"(%in, %k, %j) {map = affine_map<(d0, d1)[s0] -> (d0, d1)>, operandSegmentSizes = array<i32: 1, 2, 0>} : (!x, index, index) -> f32
    "loop.store"(%out, %v, %j, %i) {map = affine_map<(d0, d1)[s0] -> (d0, d1)>, operandSegmentSizes = array<i32: 1, 1, 2, 0>} : (!y, f32, index, index) -> ()
    "loop.yield"() : () -> ()
  }) {domain = affine_map<()[s0] -> (s0 - 1, 8)>, symbols = [#aten.expr<"s0">], updates = [-1], kernel_name = "clone", operandSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>, resultSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (!x) -> !y
  return %a : !y
}

// -----

!none = tensor<0xf32>
!row = tensor<3xf32>

// A sum over nothing: the load never happens, and must not be moved to where it would.
// CHECK-LABEL: "loop.func"
// CHECK-NOT:     "loop.load"
// CHECK:         "loop.reduce"
func.func @graph(%x: !none) -> !row {
  %a = "loop.kernel"(%x) ({
  ^bb0(%in: !none, %out: !row, %i: index, %j: index):
    %v = "loop.load"(%in) {map = affine_map<() -> (0)>, operandSegmentSizes = array<i32: 1, 0, 0>} : (!none) -> f32
    %s = "loop.reduce"(%v) {kind = "add", dims = [1], operandSegmentSizes = array<i32: 1, 0>, resultSegmentSizes = array<i32: 1, 0>} : (f32) -> f32
    "loop.store"(%out, %s, %i) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 1, 0>} : (!row, f32, index) -> ()
    "loop.yield"() : () -> ()
  }) {domain = affine_map<() -> (3, 0)>, symbols = [], updates = [-1], kernel_name = "sum", operandSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>, resultSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (!none) -> !row
  return %a : !row
}
