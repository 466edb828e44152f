// RUN: %mlirind-opt %s --drop-unread-operands | %FileCheck %s

!x = tensor<2x3x4x4xf32>
!c = tensor<3xf32>

// In training the statistics of the batch are read, not the running ones.
// CHECK-LABEL: func.func @training
// CHECK:         "aten.native_batch_norm_backward"(%arg0, %arg1, %arg2, %arg5, %arg6)
// CHECK-SAME:      operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 1, 1>
func.func @training(%g: !x, %x: !x, %w: !c, %m: !c, %v: !c, %sm: !c, %sv: !c) -> (!x, !c, !c) {
  %0:3 = "aten.native_batch_norm_backward"(%g, %x, %w, %m, %v, %sm, %sv) {eps = 1.000000e-05 : f64, operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 1>, output_mask = [true, true, true], train = true} : (!x, !x, !c, !c, !c, !c, !c) -> (!x, !c, !c)
  return %0#0, %0#1, %0#2 : !x, !c, !c
}

// In evaluation they are what is read.
// CHECK-LABEL: func.func @evaluation
// CHECK:         "aten.native_batch_norm_backward"(%arg0, %arg1, %arg2, %arg3, %arg4, %arg5, %arg6)
func.func @evaluation(%g: !x, %x: !x, %w: !c, %m: !c, %v: !c, %sm: !c, %sv: !c) -> (!x, !c, !c) {
  %0:3 = "aten.native_batch_norm_backward"(%g, %x, %w, %m, %v, %sm, %sv) {eps = 1.000000e-05 : f64, operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 1>, output_mask = [true, true, true], train = false} : (!x, !x, !c, !c, !c, !c, !c) -> (!x, !c, !c)
  return %0#0, %0#1, %0#2 : !x, !c, !c
}
