// RUN: %mlirind-opt %s --verify-aten --split-input-file --verify-diagnostics

// A stride for every dimension.
// expected-error@+1 {{argument 0: 1 strides for 2 dimensions}}
func.func @f(%x: tensor<2x3xf32, #aten.layout<"cpu", [1], 0 : i64, unit>>) {
  return
}

// -----

// Sizes are written where one is symbolic, all of them.
// expected-error@+1 {{argument 0: 1 sizes for 2 dimensions}}
func.func @f(%x: tensor<2x?xf32, #aten.layout<"cpu", [1, 1], 0 : i64, [#aten.expr<"s0">]>>) {
  return
}

// -----

// expected-error@+1 {{argument 0: sizes are unit where no size is symbolic}}
func.func @f(%x: tensor<2xf32, #aten.layout<"cpu", [1], 0 : i64, [2]>>) {
  return
}

// -----

// Sizes agree with the shape.
// expected-error@+1 {{argument 0: a size of 3 where the shape has 2}}
func.func @f(%x: tensor<2x?xf32, #aten.layout<"cpu", [1, 1], 0 : i64, [3, #aten.expr<"s0">]>>) {
  return
}

// -----

// expected-error@+1 {{argument 0: sizes are expressions exactly where the shape is dynamic}}
func.func @f(%x: tensor<2x?xf32, #aten.layout<"cpu", [1, 1], 0 : i64, [2, 4]>>) {
  return
}

// -----

// expected-error@+1 {{argument 0: sizes are an array or unit}}
func.func @f(%x: tensor<2x?xf32, #aten.layout<"cpu", [1, 1], 0 : i64, 3 : i64>>) {
  return
}

// -----

// expected-error@+1 {{argument 0: a tensor with symbolic sizes has a layout}}
func.func @f(%x: tensor<2x?xf32>) {
  return
}

// -----

// expected-error@+1 {{argument 0: the encoding of a tensor is #aten.layout}}
func.func @f(%x: tensor<2xf32, "dense">) {
  return
}

// -----

// A device that PyTorch has.
// expected-error@+1 {{argument 0: there is no device 'gpu'}}
func.func @f(%x: tensor<2xf32, #aten.layout<"gpu", [1], 0 : i64, unit>>) {
  return
}

// -----

// expected-error@+1 {{argument 0: a negative size, stride or offset}}
func.func @f(%x: tensor<2xf32, #aten.layout<"cpu", [-1], 0 : i64, unit>>) {
  return
}

// -----

// expected-error@+1 {{argument 0: a size, stride or offset is an integer or #aten.expr}}
func.func @f(%x: tensor<2xf32, #aten.layout<"cpu", ["1"], 0 : i64, unit>>) {
  return
}

// -----

// A symbol that the function knows.
// expected-error@+1 {{argument 0: the symbol s1 is not among aten.symbols}}
func.func @f(%x: tensor<?xf32, #aten.layout<"cpu", [1], 0 : i64, [#aten.expr<"2*s1">]>>) attributes {aten.symbols = {s0 = [2, 100, 8]}} {
  return
}

// -----

// The types of results too.
func.func @f(%x: tensor<2xf32>) {
  // expected-error@+1 {{result 0: 0 strides for 1 dimensions}}
  %0 = "aten.relu"(%x) : (tensor<2xf32>) -> tensor<2xf32, #aten.layout<"cpu", [], 0 : i64, unit>>
  return
}

// -----

// What is no argument has a dialect's prefix.
func.func @f(%x: tensor<2xf32>) {
  // expected-error@+1 {{has alhpa, which is no argument of aten.add.Tensor: did you mean alpha?}}
  %0 = "aten.add_tensor"(%x, %x) {alpha = 1 : i64, alhpa = 2 : i64, my.note} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

// expected-error@+1 {{aten.stage = "functionl" is none of functional, mutating, host}}
func.func @f(%x: tensor<2xf32>) attributes {aten.stage = "functionl"} {
  return
}

// -----

// Arguments are of the schema's kinds.
func.func @f(%x: tensor<2xf32>) {
  // expected-error@+1 {{alpha = "1" is no Scalar}}
  %0 = "aten.add_tensor"(%x, %x) {alpha = "1"} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @f(%x: tensor<2xf32>) {
  // expected-error@+1 {{dim = true is no int}}
  %0 = "aten.u_softmax"(%x) {dim = true, half_to_float = false} : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @f(%x: tensor<2xf32>) {
  // expected-error@+1 {{dtype = #aten.enum<"layout", "strided"> is no dtype?}}
  %0 = "aten.sum_dim_intlist"(%x) {dim = [0], keepdim = false, dtype = #aten.enum<"layout", "strided">} : (tensor<2xf32>) -> tensor<f32>
  return
}

// -----

func.func @f(%x: tensor<2xf32>) {
  // expected-error@+1 {{keepdim = #aten.none is no bool}}
  %0 = "aten.sum_dim_intlist"(%x) {dim = [0], keepdim = #aten.none, dtype = #aten.none} : (tensor<2xf32>) -> tensor<f32>
  return
}

// -----

func.func @f(%x: tensor<2xf32>) {
  // expected-error@+1 {{dim = ["a"] is no int[]?}}
  %0 = "aten.sum_dim_intlist"(%x) {dim = ["a"], keepdim = false, dtype = #aten.none} : (tensor<2xf32>) -> tensor<f32>
  return
}

// -----

// An optional tensor is one at most.
func.func @f(%x: tensor<2xf32>) {
  // expected-error@+1 {{2 tensors for min}}
  %0 = "aten.clamp_tensor"(%x, %x, %x) {operandSegmentSizes = array<i32: 1, 2, 0>} : (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

// A list with absent tensors says which.
func.func @f(%x: tensor<2xf32>, %i: tensor<2xi64>) {
  // expected-error@+1 {{1 tensors for indices, whose attribute counts 2}}
  %0 = "aten.index_tensor"(%x, %i) {indices = [true, true], operandSegmentSizes = array<i32: 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (tensor<2xf32>, tensor<2xi64>) -> tensor<2xf32>
  return
}

// -----

func.func @f(%x: tensor<2xf32>, %i: tensor<2xi64>) {
  // expected-error@+1 {{indices = [1] is no Tensor?[]}}
  %0 = "aten.index_tensor"(%x, %i) {indices = [1], operandSegmentSizes = array<i32: 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (tensor<2xf32>, tensor<2xi64>) -> tensor<2xf32>
  return
}

// -----

func.func @f(%i: index) {
  // expected-error@+1 {{operands are tensors}}
  %0 = "aten.relu"(%i) : (index) -> tensor<2xf32>
  return
}

// -----

func.func @f(%x: tensor<2xf32>) {
  // expected-error@+1 {{results are tensors, index or none}}
  %0 = "aten.relu"(%x) : (tensor<2xf32>) -> f32
  return
}

// -----

// In a functional graph only `copy_` writes, and to arguments.
func.func @f(%x: tensor<2xf32>) attributes {aten.stage = "functional"} {
  %0 = "aten.copy_"(%x, %x) {non_blocking = false} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %1 = "aten.relu"(%x) : (tensor<2xf32>) -> tensor<2xf32>
  // expected-error@+1 {{writes to a value in a functional graph}}
  %2 = "aten.copy_"(%1, %x) {non_blocking = false} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @f(%x: tensor<2xf32>) attributes {aten.stage = "functional"} {
  // expected-error@+1 {{writes to a value in a functional graph}}
  %0 = "aten.relu_"(%x) : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

// The caller gets what the function returns.
func.func @f(%x: tensor<2xf32>) -> tensor<2xf32> attributes {aten.outputs = [#aten.none, #aten.operand<1 : i64>]} {
  // expected-error@+1 {{aten.outputs names operand 1 of 1}}
  return %x : tensor<2xf32>
}

// -----

// Missing arguments and operands are found where the text is read.
func.func @f(%x: tensor<2xf32>) {
  // expected-error@+1 {{lacks alpha: each argument of aten.add.Tensor is written}}
  %0 = "aten.add_tensor"(%x, %x) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @f(%x: tensor<2xf32>) {
  // expected-error@+1 {{op expects exactly 2 operands, but got 1}}
  %0 = "aten.mm"(%x) : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

// A requirement is a comparison, of symbols that are known.
// expected-error@+1 {{aten.requires: #aten.expr<"s0"> is no comparison of sizes}}
func.func @f() attributes {aten.symbols = {s0 = [2, 9, 4]}, aten.requires = [#aten.expr<"s0">]} {
  return
}

// -----

// expected-error@+1 {{aten.requires: the symbol s1 is not among aten.symbols}}
func.func @f() attributes {aten.symbols = {s0 = [2, 9, 4]}, aten.requires = [#aten.expr<"Eq(s0, s1)">]} {
  return
}
