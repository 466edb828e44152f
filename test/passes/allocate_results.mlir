// RUN: %mlirind-opt %s --split-input-file --allocate-results | %FileCheck %s

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

// -----

!hidden = tensor<8192x768xbf16, #aten.layout<"cuda:0", [768, 1], 0 : i64, unit>>
!weight = tensor<768x30522xbf16, #aten.layout<"cuda:0", [1, 768], 0 : i64, unit>>
!logits = tensor<8192x30522xbf16, #aten.layout<"cuda:0", [30522, 1], 0 : i64, unit>>

// Every fourth row begins at a multiple of 16 bytes from the one before; 4 x 30522 elements are such a multiple. The columns in front of
// the first multiple in a row, and those behind the last, are computed with the first and the last 8.
// CHECK-LABEL: func.func @graph
// CHECK-NEXT:    %[[Y:.*]] = "host.alloc"()
// CHECK-NEXT:    %[[Y0:.*]] = "host.view"(%[[Y]]) : {{.*}} -> tensor<2048x30520xbf16, #aten.layout<"cuda:0", [122088, 1], 0 : i64, unit>>
// CHECK-NEXT:    %[[X0:.*]] = "host.view"(%arg0) : {{.*}} -> tensor<2048x768xbf16, #aten.layout<"cuda:0", [3072, 1], 0 : i64, unit>>
// CHECK-NEXT:    %[[W0:.*]] = "host.view"(%arg1) : {{.*}} -> tensor<768x30520xbf16, #aten.layout<"cuda:0", [1, 768], 0 : i64, unit>>
// CHECK-NEXT:    "host.call"(%[[X0]], %[[W0]], %[[Y0]]) {{.*}} host.into = 2 : i64
// CHECK:         tensor<2048x30512xbf16, #aten.layout<"cuda:0", [122088, 1], 30528 : i64, unit>>
// CHECK-NEXT:    tensor<2048x768xbf16, #aten.layout<"cuda:0", [3072, 1], 768 : i64, unit>>
// CHECK-NEXT:    tensor<768x30512xbf16, #aten.layout<"cuda:0", [1, 768], 4608 : i64, unit>>
// CHECK-COUNT-3: "host.call"
// CHECK-NEXT:    %[[Y4:.*]] = "host.view"(%[[Y]]) : {{.*}} -> tensor<8192x8xbf16, #aten.layout<"cuda:0", [30522, 1], 0 : i64, unit>>
// CHECK-NEXT:    %[[N4:.*]] = "host.alloc"() : () -> tensor<8192x8xbf16, #aten.layout<"cuda:0", [8, 1], 0 : i64, unit>>
// CHECK-NEXT:    %[[W4:.*]] = "host.view"(%arg1) : {{.*}} -> tensor<768x8xbf16, #aten.layout<"cuda:0", [1, 768], 0 : i64, unit>>
// CHECK-NEXT:    "host.call"(%arg0, %[[W4]], %[[N4]])
// CHECK-NEXT:    "host.copy"(%[[Y4]], %[[N4]])
// CHECK-NEXT:    "host.free"(%[[N4]])
// CHECK-NEXT:    %[[Y5:.*]] = "host.view"(%[[Y]]) : {{.*}} -> tensor<8192x8xbf16, #aten.layout<"cuda:0", [30522, 1], 30514 : i64, unit>>
// CHECK-NEXT:    %[[N5:.*]] = "host.alloc"() : () -> tensor<8192x8xbf16, #aten.layout<"cuda:0", [8, 1], 0 : i64, unit>>
// CHECK-NEXT:    %[[W5:.*]] = "host.view"(%arg1) : {{.*}} -> tensor<768x8xbf16, #aten.layout<"cuda:0", [1, 768], 23434752 : i64, unit>>
// CHECK-NEXT:    "host.call"(%arg0, %[[W5]], %[[N5]])
// CHECK-NEXT:    "host.copy"(%[[Y5]], %[[N5]])
// CHECK-NEXT:    "host.free"(%[[N5]])
// CHECK-NEXT:    return %[[Y]]
func.func @graph(%x: !hidden, %w: !weight) -> !logits attributes {aten.stage = "host"} {
  %y = "host.call"(%x, %w) {target = "aten.mm.default", arguments = [#aten.operand<0 : i64>, #aten.operand<1 : i64>], reason = "library", operandSegmentSizes = array<i32: 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>, resultSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (!hidden, !weight) -> !logits
  return %y : !logits
}

// -----

!hidden = tensor<8192x768xbf16, #aten.layout<"cuda:0", [768, 1], 0 : i64, unit>>
!weight = tensor<768x30522xbf16, #aten.layout<"cuda:0", [1, 768], 0 : i64, unit>>
!logits = tensor<8192x30522xbf16, #aten.layout<"cuda:0", [30522, 1], 0 : i64, unit>>

// Eager's products are kept.
// CHECK-LABEL: func.func @graph
// CHECK-COUNT-1: "host.call"
// CHECK-NOT:     "host.call"
func.func @graph(%x: !hidden, %w: !weight) -> !logits attributes {aten.stage = "host", aten.rounding = "eager"} {
  %y = "host.call"(%x, %w) {target = "aten.mm.default", arguments = [#aten.operand<0 : i64>, #aten.operand<1 : i64>], reason = "library", operandSegmentSizes = array<i32: 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>, resultSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (!hidden, !weight) -> !logits
  return %y : !logits
}
