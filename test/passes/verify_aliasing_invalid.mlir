// RUN: %mlirind-opt %s --verify-aliasing --split-input-file --verify-diagnostics

// A clone was taken away: the caller's result is now its argument.
func.func @clone(%x: tensor<4xf32>) -> tensor<4xf32> attributes {aten.stage = "functional", aten.io_aliases = []} {
  // expected-error@+1 {{result 0 shares storage with argument 0, and did not before}}
  return %x : tensor<4xf32>
}

// -----

// Two results became views of one value.
func.func @merged(%x: tensor<4xf32>) -> (tensor<4x1xf32>, tensor<1x4xf32>) attributes {aten.stage = "functional", aten.io_aliases = []} {
  %0 = "aten.relu"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = "aten.unsqueeze"(%0) {dim = 1 : i64} : (tensor<4xf32>) -> tensor<4x1xf32>
  // expected-error@+1 {{result 1 shares storage with result 0, and did not before}}
  %2 = "aten.unsqueeze"(%0) {dim = 0 : i64} : (tensor<4xf32>) -> tensor<1x4xf32>
  return %1, %2 : tensor<4x1xf32>, tensor<1x4xf32>
}

// -----

// Parts of a split share the storage of the whole.
func.func @parts(%x: tensor<4xf32>) -> (tensor<2xf32>, tensor<2xf32, #aten.layout<"cpu", [1], 2 : i64, unit>>)
    attributes {aten.stage = "functional", aten.io_aliases = [[-1, -2]]} {
  // expected-error@+2 {{result 0 shares storage with argument 0, and did not before}}
  // expected-error@+1 {{result 1 shares storage with argument 0, and did not before}}
  %0, %1 = "aten.split_tensor"(%x) {split_size = 2 : i64, dim = 0 : i64, resultSegmentSizes = array<i32: 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>}
      : (tensor<4xf32>) -> (tensor<2xf32>, tensor<2xf32, #aten.layout<"cpu", [1], 2 : i64, unit>>)
  return %0, %1 : tensor<2xf32>, tensor<2xf32, #aten.layout<"cpu", [1], 2 : i64, unit>>
}

// -----

// A view became a copy.
func.func @lost(%x: tensor<4xf32>) -> tensor<4xf32> attributes {aten.stage = "functional", aten.io_aliases = [[0, -1]]} {
  // expected-error@+1 {{result 0 no longer shares storage with argument 0}}
  %0 = "aten.clone"(%x) {memory_format = #aten.none} : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// `reshape` may copy.
func.func @perhaps(%x: tensor<4xf32>) -> tensor<2x2xf32> attributes {aten.stage = "functional", aten.io_aliases = [[0, -1]]} {
  // expected-error@+1 {{result 0 no longer shares storage with argument 0}}
  %0 = "aten.reshape"(%x) {shape = [2, 2]} : (tensor<4xf32>) -> tensor<2x2xf32>
  return %0 : tensor<2x2xf32>
}
