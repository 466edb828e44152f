// RUN: %mlirind-opt %s --convert-aten-to-loop --convert-to-host --normalize-kernels --lower-loop-to-tt --split-input-file --verify-diagnostics

// The input is verified before the first pass, types of operators too.
!x = tensor<5x37xf32, #aten.layout<"cuda:0", [37, 1], 0 : i64, unit>>
!y = tensor<39xf32, #aten.layout<"cuda:0", [1], 0 : i64, unit>>
func.func @wrong_sizes(%x: !x) -> !y attributes {aten.stage = "functional", aten.io_aliases = []} {
  // expected-error@+1 {{'aten.sum_dim_intlist' op result 0: sizes: want (37,), found (39,)}}
  %0 = "aten.sum_dim_intlist"(%x) {dim = [0], dtype = #aten.none, keepdim = false} : (!x) -> !y
  return %0 : !y
}

// -----

!x = tensor<5x37xf32, #aten.layout<"cuda:0", [37, 1], 0 : i64, unit>>
!y = tensor<37xf32, #aten.layout<"cuda:0", [1], 0 : i64, unit>>
func.func @wrong_rank(%x: !x) -> !y attributes {aten.stage = "functional", aten.io_aliases = []} {
  // expected-error@+1 {{'aten.sum_dim_intlist' op result 0: sizes: want (), found (37,)}}
  %0 = "aten.sum_dim_intlist"(%x) {dim = [], dtype = #aten.none, keepdim = false} : (!x) -> !y
  return %0 : !y
}

// -----

"loop.func"() ({
^bb0(%x: memref<?xf32>, %o: memref<?xf32>, %i: index, %j: index):
  %v = "loop.load"(%x, %i, %j) {map = affine_map<(d0, d1) -> (d0 * 8 + d1)>, operandSegmentSizes = array<i32: 1, 2, 0>} : (memref<?xf32>, index, index) -> f32
  // expected-error@+1 {{dims are the innermost of the domain's 2}}
  %s = "loop.reduce"(%v) {dims = [5], kind = "add", operandSegmentSizes = array<i32: 1, 0>, resultSegmentSizes = array<i32: 1, 0>} : (f32) -> f32
  "loop.store"(%o, %s, %i) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 1, 0>} : (memref<?xf32>, f32, index) -> ()
  "loop.yield"() : () -> ()
}) {sym_name = "k", domain = affine_map<() -> (4, 8)>, symbols = [], outputs = 1} : () -> ()

// -----

"loop.func"() ({
^bb0(%x: memref<?xf32>, %o: memref<?xf32>, %i: index, %j: index):
  %v = "loop.load"(%x, %i, %j) {map = affine_map<(d0, d1) -> (d0 * 8 + d1)>, operandSegmentSizes = array<i32: 1, 2, 0>} : (memref<?xf32>, index, index) -> f32
  // expected-error@+1 {{dim is one of the domain's 2}}
  %s = "loop.scan"(%v) {dim = -9 : i64, kind = "add", operandSegmentSizes = array<i32: 1, 0>, resultSegmentSizes = array<i32: 1, 0>} : (f32) -> f32
  // expected-error@+1 {{kind is one of}}
  %t = "loop.scan"(%v) {dim = 1 : i64, kind = "foo", operandSegmentSizes = array<i32: 1, 0>, resultSegmentSizes = array<i32: 1, 0>} : (f32) -> f32
  "loop.store"(%o, %s, %i, %j) {map = affine_map<(d0, d1) -> (d0 * 8 + d1)>, operandSegmentSizes = array<i32: 1, 1, 2, 0>} : (memref<?xf32>, f32, index, index) -> ()
  "loop.yield"() : () -> ()
}) {sym_name = "k", domain = affine_map<() -> (4, 8)>, symbols = [], outputs = 1} : () -> ()

// -----

!x = tensor<4xf32, #aten.layout<"cpu", [1], 0 : i64, unit>>
func.func @wrong_updates(%x: !x) -> !x {
  // expected-error@+1 {{updates names operand 9 of 1}}
  %0 = "loop.kernel"(%x) ({
  ^bb0(%a: !x, %o: !x, %i: index):
    %v = "loop.load"(%a, %i) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 0>} : (!x, index) -> f32
    "loop.store"(%o, %v, %i) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 1, 0>} : (!x, f32, index) -> ()
    "loop.yield"() : () -> ()
  }) {domain = affine_map<() -> (4)>, symbols = [], updates = [9], operandSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>, resultSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (!x) -> !x
  return %0 : !x
}
