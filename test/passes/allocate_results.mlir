// RUN: %mlirind-opt %s --allocate-results | %FileCheck %s

!m = tensor<2x2xf32>

// A matrix product is written to a buffer; what libtorch has no such function for gives its result, and so does what gives several.
// CHECK-LABEL: func.func @graph
// CHECK-NEXT:    %[[A:.*]] = "host.alloc"()
// CHECK-NEXT:    "host.call"(%arg0, %arg0, %[[A]]) {arguments = [#aten.operand<0 : i64>, #aten.operand<1 : i64>], host.into = 2 : i64
// CHECK-SAME:      target = "aten.mm.default"} : ({{.*}}) -> ()
// CHECK-NEXT:    %[[B:.*]] = "host.call"(%[[A]]) {{.*}} target = "aten.cholesky_inverse.default"
// CHECK-NEXT:    "host.free"(%[[A]])
// CHECK-NEXT:    return %[[B]]
func.func @graph(%x: !m) -> !m attributes {aten.stage = "host"} {
  %a = "host.call"(%x, %x) {target = "aten.mm.default", arguments = [#aten.operand<0 : i64>, #aten.operand<1 : i64>], reason = "library", operandSegmentSizes = array<i32: 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>, resultSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (!m, !m) -> !m
  %b = "host.call"(%a) {target = "aten.cholesky_inverse.default", arguments = [#aten.operand<0 : i64>, false], reason = "library", operandSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>, resultSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (!m) -> !m
  "host.free"(%a) : (!m) -> ()
  return %b : !m
}
