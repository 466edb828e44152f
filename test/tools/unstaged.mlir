// RUN: %mlirind-opt %s --verify-bounds --split-input-file --verify-diagnostics
// RUN: sed 's/verify-bounds/verify-memory/' %s | %mlirind-opt - --verify-memory --split-input-file --verify-diagnostics
// RUN: sed 's/verify-bounds/verify-inplace/' %s | %mlirind-opt - --verify-inplace --split-input-file --verify-diagnostics

!x = tensor<4xf32>

// A kernel that reads outside of its buffer, in a function without a stage: no verifier passes it by.
// expected-error@+1 {{'func.func' op @kernel has no aten.stage, so verify-bounds would pass it by: add `attributes {aten.stage = "functional"}` before its body}}
func.func @kernel(%x: !x) -> !x {
  %0 = "loop.kernel"(%x) ({
  ^bb0(%in: !x, %out: !x, %i: index):
    %v = "loop.load"(%in, %i) {map = affine_map<(d0) -> (d0 + 1)>, operandSegmentSizes = array<i32: 1, 1, 0>} : (!x, index) -> f32
    "loop.store"(%out, %v, %i) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 1, 0>} : (!x, f32, index) -> ()
    "loop.yield"() : () -> ()
  }) {domain = affine_map<() -> (4)>, symbols = [], updates = [-1], kernel_name = "copy", operandSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>, resultSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (!x) -> !x
  return %0 : !x
}

// -----

!x = tensor<4xf32>

// A view that leaves its base.
// expected-error@+1 {{'func.func' op @host has no aten.stage, so verify-bounds would pass it by: add `attributes {aten.stage = "host"}` before its body}}
func.func @host(%x: !x) -> tensor<5xf32> {
  %0 = "host.view"(%x) : (!x) -> tensor<5xf32>
  return %0 : tensor<5xf32>
}

// -----

!x = tensor<4xf32>

// expected-error@+1 {{'func.func' op @other has aten.stage = "functional", and its operations are of aten.stage = "host"}}
func.func @other(%x: !x) -> tensor<5xf32> attributes {aten.stage = "functional"} {
  %0 = "host.view"(%x) : (!x) -> tensor<5xf32>
  return %0 : tensor<5xf32>
}

// -----

!x = tensor<4xf32>

// expected-error@+1 {{'func.func' op @misspelt has no aten.stage (it has aten.stge), so verify-bounds would pass it by}}
func.func @misspelt(%x: !x) -> !x attributes {aten.stge = "functional"} {
  %0 = "aten.relu"(%x) : (!x) -> !x
  return %0 : !x
}

// -----

!x = tensor<4xf32>

// expected-error@+1 {{'func.func' op @no_such_stage has aten.stage = "functionl", which is none of functional, mutating, host}}
func.func @no_such_stage(%x: !x) -> !x attributes {aten.stage = "functionl"} {
  %0 = "aten.relu"(%x) : (!x) -> !x
  return %0 : !x
}
