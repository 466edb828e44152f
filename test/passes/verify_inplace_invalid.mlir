// RUN: %mlirind-opt %s --verify-inplace --split-input-file --verify-diagnostics

!c = tensor<8x4xf32>
!r = tensor<1x4xf32>

func.func @read_later(%x: !c, %at: tensor<1xi64>, %new: !r) -> !c attributes {aten.stage = "functional", aten.io_aliases = []} {
  %0 = "aten.index_copy"(%x, %at, %new) {aten.inplace = [0], dim = 0 : i64} : (!c, tensor<1xi64>, !r) -> !c
  // expected-error@+1 {{'aten.relu' op reads a value after a marked call has replaced it}}
  %1 = "aten.relu"(%x) : (!c) -> !c
  %2 = "aten.copy_"(%x, %0) {non_blocking = false} : (!c, !c) -> !c
  return %1 : !c
}

// -----

!c = tensor<8x4xf32>
!r = tensor<1x4xf32>

// The view is made after the write; what it shows is older.
func.func @view_later(%x: !c, %at: tensor<1xi64>, %new: !r) -> tensor<32xf32> attributes {aten.stage = "functional", aten.io_aliases = []} {
  %0 = "aten.relu"(%x) : (!c) -> !c
  %1 = "aten.index_copy"(%0, %at, %new) {aten.inplace = [0], dim = 0 : i64} : (!c, tensor<1xi64>, !r) -> !c
  %2 = "aten.view"(%0) {size = [32]} : (!c) -> tensor<32xf32>
  // expected-error@+1 {{'aten.neg' op reads a value after a marked call has replaced it}}
  %3 = "aten.neg"(%2) : (tensor<32xf32>) -> tensor<32xf32>
  return %3 : tensor<32xf32>
}

// -----

!c = tensor<8x4xf32>
!r = tensor<1x4xf32>

func.func @input(%x: !c, %at: tensor<1xi64>, %new: !r) attributes {aten.stage = "functional", aten.io_aliases = []} {
  // expected-error@+1 {{writes operand 0 in place: the operand is a graph input, and no copy_ onto it follows}}
  %0 = "aten.index_copy"(%x, %at, %new) {aten.inplace = [0], dim = 0 : i64} : (!c, tensor<1xi64>, !r) -> !c
  return
}

// -----

!c = tensor<8x4xf32>

func.func @itself(%x: !c, %at: tensor<8xi64>) attributes {aten.stage = "functional", aten.io_aliases = []} {
  // expected-error@+1 {{writes operand 0 in place: operand 2 overlaps what is written}}
  %0 = "aten.index_copy"(%x, %at, %x) {aten.inplace = [0], dim = 0 : i64} : (!c, tensor<8xi64>, !c) -> !c
  %1 = "aten.copy_"(%x, %0) {non_blocking = false} : (!c, !c) -> !c
  return
}

// -----

!c = tensor<8x4xf32>
!e = tensor<8x4xf32, #aten.layout<"cpu", [0, 1], 0 : i64, unit>>

func.func @expanded(%x: tensor<4xf32>, %at: tensor<1xi64>, %new: tensor<1x4xf32>) -> !e attributes {aten.stage = "functional"} {
  %0 = "aten.relu"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = "aten.expand"(%0) {size = [8, 4], implicit = false} : (tensor<4xf32>) -> !e
  // expected-error@+1 {{writes operand 0 in place: elements of the operand share memory}}
  %2 = "aten.index_copy"(%1, %at, %new) {aten.inplace = [0], dim = 0 : i64} : (!e, tensor<1xi64>, tensor<1x4xf32>) -> !e
  return %2 : !e
}

// -----

func.func @no_candidate(%x: tensor<4xf32>) -> tensor<4xf32> attributes {aten.stage = "functional"} {
  // expected-error@+1 {{'aten.relu' op is marked for an operand that it can't write}}
  %0 = "aten.relu"(%x) {aten.inplace = [0]} : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

!b = tensor<4x4xf32>
!t = tensor<4x4xf32, #aten.layout<"cpu", [1, 4], 0 : i64, unit>>

func.func @transposed(%x: !b, %at: tensor<1xi64>, %new: tensor<1x4xf32>) attributes {aten.stage = "functional", aten.io_aliases = []} {
  %0 = "aten.index_copy"(%x, %at, %new) {aten.inplace = [0], dim = 0 : i64} : (!b, tensor<1xi64>, tensor<1x4xf32>) -> !b
  %1 = "aten.permute"(%0) {dims = [1, 0]} : (!b) -> !t
  // expected-error@+1 {{reads, in another layout, the memory that it writes}}
  %2 = "aten.copy_"(%x, %1) {non_blocking = false} : (!b, !t) -> !b
  return
}

// -----

!c = tensor<8x4xf32>
!v = tensor<4x4xf32, #aten.layout<"cpu", [4, 1], 16 : i64, unit>>

// The part is put back elsewhere than it lies.
func.func @elsewhere(%x: !c, %at: tensor<1xi64>, %new: tensor<1x4xf32>) attributes {aten.stage = "functional", aten.io_aliases = []} {
  %0 = "aten.slice_tensor"(%x) {dim = 0 : i64, start = 4 : i64, end = 8 : i64, step = 1 : i64} : (!c) -> !v
  %1 = "aten.index_copy"(%0, %at, %new) {aten.inplace = [0], dim = 0 : i64} : (!v, tensor<1xi64>, tensor<1x4xf32>) -> !v
  // expected-error@+2 {{'aten.slice_scatter' op reads a value after a marked call has replaced it}}
  // expected-error@+1 {{writes operand 0 in place: operand 1 overlaps what is written}}
  %2 = "aten.slice_scatter"(%x, %1) {aten.inplace = [0], dim = 0 : i64, start = 2 : i64, end = 6 : i64, step = 1 : i64} : (!c, !v) -> !c
  %3 = "aten.copy_"(%x, %2) {non_blocking = false} : (!c, !c) -> !c
  return
}

// -----

!x = tensor<8x4xi64>
#at = affine_map<(d0, d1) -> (d0, d1)>

// What is stored behind x may be the first that loads x: x - x needs no load.
func.func @stored_too_late(%x: !x) -> !x attributes {aten.stage = "functional", aten.io_aliases = [], aten.io_writes = [0]} {
  // expected-error@+1 {{'loop.kernel' op writes operand 1 in place: the kernel stores later what depends on what it replaces}}
  %0:2 = "loop.kernel"(%x, %x) ({
  ^bb0(%read: !x, %updated: !x, %new: !x, %negated: !x, %i: index, %j: index):
    %v = "loop.load"(%read, %i, %j) {map = #at, operandSegmentSizes = array<i32: 1, 2, 0>} : (!x, index, index) -> i64
    %d = arith.subi %v, %v : i64
    %c0 = arith.constant 0 : i64
    %n = arith.subi %c0, %v : i64
    "loop.store"(%new, %d, %i, %j) {map = #at, operandSegmentSizes = array<i32: 1, 1, 2, 0>} : (!x, i64, index, index) -> ()
    "loop.store"(%negated, %n, %i, %j) {map = #at, operandSegmentSizes = array<i32: 1, 1, 2, 0>} : (!x, i64, index, index) -> ()
    "loop.yield"() : () -> ()
  }) {aten.inplace = [1], domain = affine_map<() -> (8, 4)>, kernel_name = "sub_neg", symbols = [], updates = [1, -1],
      operandSegmentSizes = array<i32: 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>,
      resultSegmentSizes = array<i32: 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (!x, !x) -> (!x, !x)
  %1 = "aten.copy_"(%x, %0#0) {non_blocking = false} : (!x, !x) -> !x
  return %0#1 : !x
}
