// RUN: %mlirind-opt %s --verify-metadata --split-input-file --verify-diagnostics

!t = tensor<3x2xf32, #aten.layout<"cpu", [1, 3], 0 : i64, unit>>

// The strides of a contiguous tensor, where the operator keeps its operand's.
func.func @strides(%x: !t) -> tensor<3x2xf32> attributes {aten.stage = "functional"} {
  // expected-error@+1 {{'aten.relu' op result 0: strides: want (1, 3), found (2, 1)}}
  %0 = "aten.relu"(%x) : (!t) -> tensor<3x2xf32>
  return %0 : tensor<3x2xf32>
}

// -----

func.func @sizes(%x: tensor<3x2xf32>) -> tensor<2x2xf32> attributes {aten.stage = "functional"} {
  // expected-error@+1 {{result 0: sizes: want (1, 2), found (2, 2)}}
  %0 = "aten.slice_tensor"(%x) {dim = 0 : i64, start = 0 : i64, end = 1 : i64, step = 1 : i64} : (tensor<3x2xf32>) -> tensor<2x2xf32>
  return %0 : tensor<2x2xf32>
}

// -----

// A view begins elsewhere in the storage.
func.func @offset(%x: tensor<3x2xf32>) -> tensor<2xf32> attributes {aten.stage = "functional"} {
  // expected-error@+1 {{result 0: offset: want 2, found 0}}
  %0 = "aten.select_int"(%x) {dim = 0 : i64, index = 1 : i64} : (tensor<3x2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

// A tensor of no dimension is stronger than a number in type promotion.
func.func @dtype(%x: tensor<3xi32>, %y: tensor<1xi64>) -> tensor<3xi32> attributes {aten.stage = "functional"} {
  // expected-error@+1 {{result 0: dtype: want int64, found int32}}
  %0 = "aten.add_tensor"(%x, %y) {alpha = 1 : i64} : (tensor<3xi32>, tensor<1xi64>) -> tensor<3xi32>
  return %0 : tensor<3xi32>
}

// -----

func.func @refused(%x: tensor<3x2xf32>, %y: tensor<3x2xf32>) -> tensor<3x2xf32> attributes {aten.stage = "functional"} {
  // expected-error@+1 {{the operator refuses its operands}}
  %0 = "aten.mm"(%x, %y) : (tensor<3x2xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
  return %0 : tensor<3x2xf32>
}

// -----

!x = tensor<?xf32, #aten.layout<"cpu", [1], 0 : i64, [#aten.expr<"s0">]>>
!y = tensor<?xf32, #aten.layout<"cpu", [1], 0 : i64, [#aten.expr<"2*s0 + 1">]>>

func.func @symbolic(%x: !x) -> !y attributes {aten.stage = "functional", aten.symbols = {s0 = [2, 100, 5]}} {
  // expected-error@+1 {{'aten.cat' op result 0: sizes: want (2*s0,), found (2*s0 + 1,)}}
  %0 = "aten.cat"(%x, %x) {operandSegmentSizes = array<i32: 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>, dim = 0 : i64} : (!x, !x) -> !y
  return %0 : !y
}

// -----

// A size seen while tracing is not the size.
func.func @hint(%x: tensor<?xf32, #aten.layout<"cpu", [1], 0 : i64, [#aten.expr<"s0">]>>) -> tensor<5xf32>
    attributes {aten.stage = "functional", aten.symbols = {s0 = [2, 100, 5]}} {
  // expected-error@+1 {{result 0: sizes: want (s0,), found (5,)}}
  %0 = "aten.relu"(%x) : (tensor<?xf32, #aten.layout<"cpu", [1], 0 : i64, [#aten.expr<"s0">]>>) -> tensor<5xf32>
  return %0 : tensor<5xf32>
}

// -----

// Symbols are sizes of inputs: no call binds one.
!n = tensor<?x1xi64, #aten.layout<"cpu", [1, #aten.expr<"s0">], 0 : i64, [#aten.expr<"s0">, 1]>>

func.func @data(%x: tensor<4xf32>) -> !n attributes {aten.stage = "functional", aten.symbols = {s0 = [0, 4, 2]}} {
  // expected-error@+1 {{depends on data}}
  %0 = "aten.nonzero"(%x) : (tensor<4xf32>) -> !n
  return %0 : !n
}

// -----

func.func @element(%x: tensor<2xi4>) -> tensor<2xi4> attributes {aten.stage = "functional"} {
  // expected-error@+1 {{no dtype of PyTorch has elements of type i4; tensors have i1, ui8}}
  %0 = "aten.relu"(%x) : (tensor<2xi4>) -> tensor<2xi4>
  return %0 : tensor<2xi4>
}
