// RUN: %mlirind-opt %s --verify-functional --split-input-file --verify-diagnostics

// A mutating operator.
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> attributes {aten.stage = "functional"} {
  // expected-error@+1 {{'aten.relu_' op writes to a value in a functional graph}}
  %0 = "aten.relu_"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// An operator that writes through a list.
func.func @f(%x: tensor<4xf32>) attributes {aten.stage = "functional"} {
  // expected-error@+1 {{writes to a value in a functional graph}}
  "aten.u_foreach_zero_"(%x) {operandSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (tensor<4xf32>) -> ()
  return
}

// -----

// `copy_` onto something that the graph makes.
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> attributes {aten.stage = "functional"} {
  %0 = "aten.clone"(%x) {memory_format = #aten.none} : (tensor<4xf32>) -> tensor<4xf32>
  // expected-error@+1 {{copies onto a value that is no graph input}}
  %1 = "aten.copy_"(%0, %x) {non_blocking = false} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// -----

// An exchange of two inputs whose copy has been lost.
func.func @swap(%x: tensor<4xf32>, %y: tensor<4xf32>) attributes {aten.stage = "functional"} {
  %1 = "aten.copy_"(%x, %y) {non_blocking = false} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // expected-error@+1 {{'aten.copy_' op reads memory of a graph input after it was written}}
  %2 = "aten.copy_"(%y, %x) {non_blocking = false} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// The read is through a view made before the write.
func.func @view(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<2x2xf32> attributes {aten.stage = "functional"} {
  %0 = "aten.view"(%x) {size = [2, 2]} : (tensor<4xf32>) -> tensor<2x2xf32>
  %1 = "aten.copy_"(%x, %y) {non_blocking = false} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // expected-error@+1 {{'aten.relu' op reads memory of a graph input after it was written}}
  %2 = "aten.relu"(%0) : (tensor<2x2xf32>) -> tensor<2x2xf32>
  return %2 : tensor<2x2xf32>
}

// -----

!first = tensor<6xf32, #aten.layout<"cpu", [1], 0 : i64, unit>>
!second = tensor<6xf32, #aten.layout<"cpu", [1], 2 : i64, unit>>

// The read is of another argument in the same storage.
func.func @arguments(%x: !first, %y: !second) -> tensor<6xf32> attributes {aten.stage = "functional", aten.io_aliases = [[0, 1]]} {
  %0 = "aten.relu"(%x) : (!first) -> tensor<6xf32>
  %1 = "aten.copy_"(%x, %0) {non_blocking = false} : (!first, tensor<6xf32>) -> !first
  // expected-error@+1 {{'aten.neg' op reads memory of a graph input after it was written}}
  %2 = "aten.neg"(%y) : (!second) -> tensor<6xf32>
  return %2 : tensor<6xf32>
}

// -----

// The write that the imported graph had is gone, another one is new.
// expected-error@+2 {{argument 0 is no longer written}}
// expected-error@+1 {{argument 1 is written, and was not before}}
func.func @f(%x: tensor<4xf32>, %y: tensor<4xf32>) attributes {aten.stage = "functional", aten.io_writes = [0]} {
  %0 = "aten.relu"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = "aten.copy_"(%y, %0) {non_blocking = false} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}
