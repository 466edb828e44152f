// RUN: %mlirind-opt %s --verify-ir | %FileCheck %s

// A module that keeps the rules passes through unchanged.
// CHECK-LABEL: func.func @graph
// CHECK:         "loop.kernel"(%arg0)
// CHECK:         "loop.yield"()
#one = array<i32: 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>
func.func @graph(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = "loop.kernel"(%x) ({
  ^bb0(%a: tensor<2x3xf32>, %o: tensor<2x3xf32>, %i: index, %j: index):
    %v = "loop.load"(%a, %i, %j) {map = affine_map<(d0, d1) -> (d0, d1)>, operandSegmentSizes = array<i32: 1, 2, 0>}
        : (tensor<2x3xf32>, index, index) -> f32
    %w = arith.addf %v, %v : f32
    "loop.store"(%o, %w, %i, %j) {map = affine_map<(d0, d1) -> (d0, d1)>, operandSegmentSizes = array<i32: 1, 1, 2, 0>}
        : (tensor<2x3xf32>, f32, index, index) -> ()
    "loop.yield"() : () -> ()
  }) {domain = affine_map<() -> (2, 3)>, symbols = [], updates = [-1], operandSegmentSizes = #one, resultSegmentSizes = #one} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// An operator may leave results out.
// CHECK-LABEL: func.func @result_left_out
// CHECK:         "host.call"(%arg0) {{.*}} -> (tensor<2xf32>, none)
func.func @result_left_out(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0:2 = "host.call"(%x) {target = "aten.two.default", arguments = [#aten.operand<0 : i64>], reason = "library",
    operandSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>,
    resultSegmentSizes = array<i32: 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (tensor<2xf32>) -> (tensor<2xf32>, none)
  return %0#0 : tensor<2xf32>
}
