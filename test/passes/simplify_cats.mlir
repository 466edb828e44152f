// RUN: %mlirind-opt %s --simplify-cats | %FileCheck %s

!x = tensor<2x3xf32>
!y = tensor<2x5xf32>
!xy = tensor<2x8xf32>
!y_of_xy = tensor<2x5xf32, #aten.layout<"cpu", [8, 1], 3 : i64, unit>>
!x_of_xy = tensor<2x3xf32, #aten.layout<"cpu", [8, 1], 0 : i64, unit>>

// A part that is one of the tensors is that tensor, part of one is a slice of it.
// CHECK-LABEL: func.func @slices
// CHECK:         %[[S:.*]] = "aten.slice_tensor"(%arg1) {dim = 1 : i64, end = 4 : i64, start = 1 : i64
// CHECK:         "aten.neg"(%arg1)
// CHECK:         "aten.neg"(%[[S]])
func.func @slices(%x: !x, %y: !y) -> (!y, !x) attributes {aten.stage = "functional", aten.io_aliases = []} {
  %0 = "aten.cat"(%x, %y) {dim = 1 : i64, operandSegmentSizes = array<i32: 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (!x, !y) -> !xy
  %1 = "aten.slice_tensor"(%0) {dim = 1 : i64, start = 3 : i64, end = 8 : i64, step = 1 : i64} : (!xy) -> !y_of_xy
  %2 = "aten.slice_tensor"(%0) {dim = 1 : i64, start = 4 : i64, end = 7 : i64, step = 1 : i64} : (!xy) -> tensor<2x3xf32, #aten.layout<"cpu", [8, 1], 4 : i64, unit>>
  %3 = "aten.neg"(%1) : (!y_of_xy) -> !y
  %4 = "aten.neg"(%2) : (tensor<2x3xf32, #aten.layout<"cpu", [8, 1], 4 : i64, unit>>) -> !x
  return %3, %4 : !y, !x
}

// The results of a split that are tensors of the cat.
// CHECK-LABEL: func.func @splits
// CHECK:         "aten.neg"(%arg0)
// CHECK:         "aten.neg"(%arg1)
func.func @splits(%x: !x, %y: !y) -> (!x, !y) attributes {aten.stage = "functional", aten.io_aliases = []} {
  %0 = "aten.cat"(%x, %y) {dim = 1 : i64, operandSegmentSizes = array<i32: 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (!x, !y) -> !xy
  %1:2 = "aten.split_with_sizes"(%0) {dim = 1 : i64, split_sizes = [3, 5], resultSegmentSizes = array<i32: 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (!xy) -> (!x_of_xy, !y_of_xy)
  %2 = "aten.neg"(%1#0) : (!x_of_xy) -> !x
  %3 = "aten.neg"(%1#1) : (!y_of_xy) -> !y
  return %2, %3 : !x, !y
}

// A part of two tensors.
// CHECK-LABEL: func.func @two_tensors
// CHECK:         %[[C:.*]] = "aten.cat"
// CHECK:         "aten.slice_tensor"(%[[C]])
func.func @two_tensors(%x: !x, %y: !y) -> tensor<2x2xf32> attributes {aten.stage = "functional", aten.io_aliases = []} {
  %0 = "aten.cat"(%x, %y) {dim = 1 : i64, operandSegmentSizes = array<i32: 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (!x, !y) -> !xy
  %1 = "aten.slice_tensor"(%0) {dim = 1 : i64, start = 2 : i64, end = 4 : i64, step = 1 : i64} : (!xy) -> tensor<2x2xf32, #aten.layout<"cpu", [8, 1], 2 : i64, unit>>
  %2 = "aten.neg"(%1) : (tensor<2x2xf32, #aten.layout<"cpu", [8, 1], 2 : i64, unit>>) -> tensor<2x2xf32>
  return %2 : tensor<2x2xf32>
}

// A part along another dimension.
// CHECK-LABEL: func.func @other_dimension
// CHECK:         %[[C:.*]] = "aten.cat"
// CHECK:         "aten.slice_tensor"(%[[C]])
func.func @other_dimension(%x: !x, %y: !y) -> tensor<1x8xf32> attributes {aten.stage = "functional", aten.io_aliases = []} {
  %0 = "aten.cat"(%x, %y) {dim = 1 : i64, operandSegmentSizes = array<i32: 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (!x, !y) -> !xy
  %1 = "aten.slice_tensor"(%0) {dim = 0 : i64, start = 0 : i64, end = 1 : i64, step = 1 : i64} : (!xy) -> tensor<1x8xf32>
  %2 = "aten.neg"(%1) : (tensor<1x8xf32>) -> tensor<1x8xf32>
  return %2 : tensor<1x8xf32>
}

// Every second column of a tensor.
// CHECK-LABEL: func.func @every_second
// CHECK:         %[[C:.*]] = "aten.cat"
// CHECK:         "aten.slice_tensor"(%[[C]])
func.func @every_second(%x: !x, %y: !y) -> tensor<2x2xf32> attributes {aten.stage = "functional", aten.io_aliases = []} {
  %0 = "aten.cat"(%x, %y) {dim = 1 : i64, operandSegmentSizes = array<i32: 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (!x, !y) -> !xy
  %1 = "aten.slice_tensor"(%0) {dim = 1 : i64, start = 4 : i64, end = 8 : i64, step = 2 : i64} : (!xy) -> tensor<2x2xf32, #aten.layout<"cpu", [8, 2], 4 : i64, unit>>
  %2 = "aten.neg"(%1) : (tensor<2x2xf32, #aten.layout<"cpu", [8, 2], 4 : i64, unit>>) -> tensor<2x2xf32>
  return %2 : tensor<2x2xf32>
}

// The whole is used, too: it is there, and its parts cost nothing.
// CHECK-LABEL: func.func @whole_is_used
// CHECK:         %[[S:.*]] = "aten.slice_tensor"
// CHECK:         "aten.neg"(%[[S]])
func.func @whole_is_used(%x: !x, %y: !y) -> (!y, !xy) attributes {aten.stage = "functional", aten.io_aliases = []} {
  %0 = "aten.cat"(%x, %y) {dim = 1 : i64, operandSegmentSizes = array<i32: 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (!x, !y) -> !xy
  %1 = "aten.slice_tensor"(%0) {dim = 1 : i64, start = 3 : i64, end = 8 : i64, step = 1 : i64} : (!xy) -> !y_of_xy
  %2 = "aten.neg"(%1) : (!y_of_xy) -> !y
  %3 = "aten.relu"(%0) : (!xy) -> !xy
  return %2, %3 : !y, !xy
}

// The cat converts: its part has another dtype than the tensor.
// CHECK-LABEL: func.func @other_dtype
// CHECK:         %[[S:.*]] = "aten.slice_tensor"
// CHECK-NEXT:    "aten.neg"(%[[S]])
func.func @other_dtype(%x: !x, %y: tensor<2x5xf16>) -> !y attributes {aten.stage = "functional", aten.io_aliases = []} {
  %0 = "aten.cat"(%x, %y) {dim = 1 : i64, operandSegmentSizes = array<i32: 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (!x, tensor<2x5xf16>) -> !xy
  %1 = "aten.slice_tensor"(%0) {dim = 1 : i64, start = 3 : i64, end = 8 : i64, step = 1 : i64} : (!xy) -> !y_of_xy
  %2 = "aten.neg"(%1) : (!y_of_xy) -> !y
  return %2 : !y
}

// The caller gets the part, or a view of it: it would get an input.
// CHECK-LABEL: func.func @returned
// CHECK-COUNT-2: "aten.slice_tensor"
// CHECK:         "aten.permute"
func.func @returned(%x: !x, %y: !y) -> (!y_of_xy, tensor<3x2xf32, #aten.layout<"cpu", [1, 8], 0 : i64, unit>>) attributes {aten.stage = "functional", aten.io_aliases = [[-1, -2]]} {
  %0 = "aten.cat"(%x, %y) {dim = 1 : i64, operandSegmentSizes = array<i32: 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (!x, !y) -> !xy
  %1 = "aten.slice_tensor"(%0) {dim = 1 : i64, start = 3 : i64, end = 8 : i64, step = 1 : i64} : (!xy) -> !y_of_xy
  %2 = "aten.slice_tensor"(%0) {dim = 1 : i64, start = 0 : i64, end = 3 : i64, step = 1 : i64} : (!xy) -> !x_of_xy
  %3 = "aten.permute"(%2) {dims = [1, 0]} : (!x_of_xy) -> tensor<3x2xf32, #aten.layout<"cpu", [1, 8], 0 : i64, unit>>
  return %1, %3 : !y_of_xy, tensor<3x2xf32, #aten.layout<"cpu", [1, 8], 0 : i64, unit>>
}

// A user of the part gives other strides where the part has those of the tensor.
!t = tensor<2x3xf32, #aten.layout<"cpu", [1, 2], 0 : i64, unit>>
// CHECK-LABEL: func.func @strides
// CHECK:         %[[S:.*]] = "aten.slice_tensor"
// CHECK-NEXT:    "aten.neg"(%[[S]])
func.func @strides(%x: !t, %y: !y) -> !x attributes {aten.stage = "functional", aten.io_aliases = []} {
  %0 = "aten.cat"(%x, %y) {dim = 1 : i64, operandSegmentSizes = array<i32: 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (!t, !y) -> !xy
  %1 = "aten.slice_tensor"(%0) {dim = 1 : i64, start = 0 : i64, end = 3 : i64, step = 1 : i64} : (!xy) -> !x_of_xy
  %2 = "aten.neg"(%1) : (!x_of_xy) -> !x
  return %2 : !x
}

// The tensor is overwritten before its part of the cat is read.
// CHECK-LABEL: func.func @written
// CHECK:         %[[S:.*]] = "aten.slice_tensor"
// CHECK:         "aten.neg"(%[[S]])
func.func @written(%x: !x, %y: !y) -> !y attributes {aten.stage = "functional", aten.io_aliases = []} {
  %0 = "aten.cat"(%x, %y) {dim = 1 : i64, operandSegmentSizes = array<i32: 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (!x, !y) -> !xy
  %1 = "aten.slice_tensor"(%0) {dim = 1 : i64, start = 3 : i64, end = 8 : i64, step = 1 : i64} : (!xy) -> !y_of_xy
  %2 = "aten.relu"(%y) : (!y) -> !y
  %3 = "aten.copy_"(%y, %2) {non_blocking = false} : (!y, !y) -> !y
  %4 = "aten.neg"(%1) : (!y_of_xy) -> !y
  return %4 : !y
}

// A cat in a cat; a part of the inner one is a tensor of it.
// CHECK-LABEL: func.func @cat_slice_cat
// CHECK:         "aten.cat"(%arg0, %arg1, %arg0)
// CHECK-SAME:    dim = 1
// CHECK-SAME:    operandSegmentSizes = array<i32: 1, 1, 1, 0,
func.func @cat_slice_cat(%x: !x, %y: !y) -> tensor<2x11xf32> attributes {aten.stage = "functional", aten.io_aliases = []} {
  %0 = "aten.cat"(%x, %y) {dim = 1 : i64, operandSegmentSizes = array<i32: 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (!x, !y) -> !xy
  %1 = "aten.slice_tensor"(%0) {dim = 1 : i64, start = 0 : i64, end = 3 : i64, step = 1 : i64} : (!xy) -> !x_of_xy
  %2 = "aten.cat"(%0, %1) {dim = 1 : i64, operandSegmentSizes = array<i32: 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (!xy, !x_of_xy) -> tensor<2x11xf32>
  return %2 : tensor<2x11xf32>
}

// The inner cat is read elsewhere, goes along another dimension, or converts.
// CHECK-LABEL: func.func @inner_stays
// CHECK-COUNT-6: "aten.cat"
func.func @inner_stays(%x: !x, %y: !y, %h: tensor<2x5xf16>) -> (!xy, tensor<2x11xf32>, tensor<2x6xf32>, tensor<2x8xf64>) attributes {aten.stage = "functional", aten.io_aliases = []} {
  %0 = "aten.cat"(%x, %y) {dim = 1 : i64, operandSegmentSizes = array<i32: 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (!x, !y) -> !xy
  %1 = "aten.cat"(%0, %x) {dim = 1 : i64, operandSegmentSizes = array<i32: 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (!xy, !x) -> tensor<2x11xf32>
  %2 = "aten.slice_tensor"(%x) {dim = 0 : i64, start = 0 : i64, end = 1 : i64, step = 1 : i64} : (!x) -> tensor<1x3xf32>
  %3 = "aten.cat"(%2, %2) {dim = 0 : i64, operandSegmentSizes = array<i32: 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (tensor<1x3xf32>, tensor<1x3xf32>) -> !x
  %4 = "aten.cat"(%3, %x) {dim = 1 : i64, operandSegmentSizes = array<i32: 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (!x, !x) -> tensor<2x6xf32>
  %5 = "aten.cat"(%x, %h) {dim = 1 : i64, operandSegmentSizes = array<i32: 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (!x, tensor<2x5xf16>) -> !xy
  %6 = "aten.u_to_copy"(%5) {dtype = #aten.enum<"dtype", "float64">, layout = #aten.none, device = #aten.none, pin_memory = #aten.none, non_blocking = false, memory_format = #aten.none} : (!xy) -> tensor<2x8xf64>
  %7 = "aten.cat"(%6) {dim = 1 : i64, operandSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (tensor<2x8xf64>) -> tensor<2x8xf64>
  return %0, %1, %4, %7 : !xy, tensor<2x11xf32>, tensor<2x6xf32>, tensor<2x8xf64>
}

// An inner cat's tensor is overwritten before the outer one would read it.
// CHECK-LABEL: func.func @inner_written
// CHECK-COUNT-2: "aten.cat"
func.func @inner_written(%x: !x, %y: !y) -> tensor<2x11xf32> attributes {aten.stage = "functional", aten.io_aliases = []} {
  %0 = "aten.cat"(%x, %y) {dim = 1 : i64, operandSegmentSizes = array<i32: 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (!x, !y) -> !xy
  %1 = "aten.relu"(%y) : (!y) -> !y
  %2 = "aten.copy_"(%y, %1) {non_blocking = false} : (!y, !y) -> !y
  %3 = "aten.cat"(%0, %x) {dim = 1 : i64, operandSegmentSizes = array<i32: 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (!xy, !x) -> tensor<2x11xf32>
  return %3 : tensor<2x11xf32>
}

// Parts in their order: all of them are the tensor, some are one part of it.
// CHECK-LABEL: func.func @put_together
// CHECK:         "aten.cat"(%arg0) {dim = 1
// CHECK:         %[[S:.*]] = "aten.slice_tensor"(%arg0) {dim = 1 : i64, end = 8 : i64, start = 2 : i64
// CHECK:         "aten.cat"(%[[S]], %arg1)
func.func @put_together(%x: !xy, %y: tensor<2x2xf32>) -> (!xy, !xy) attributes {aten.stage = "functional", aten.io_aliases = []} {
  %0:3 = "aten.split_with_sizes"(%x) {dim = 1 : i64, split_sizes = [2, 3, 3], resultSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (!xy) -> (tensor<2x2xf32, #aten.layout<"cpu", [8, 1], 0 : i64, unit>>, tensor<2x3xf32, #aten.layout<"cpu", [8, 1], 2 : i64, unit>>, tensor<2x3xf32, #aten.layout<"cpu", [8, 1], 5 : i64, unit>>)
  %1 = "aten.cat"(%0#0, %0#1, %0#2) {dim = 1 : i64, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (tensor<2x2xf32, #aten.layout<"cpu", [8, 1], 0 : i64, unit>>, tensor<2x3xf32, #aten.layout<"cpu", [8, 1], 2 : i64, unit>>, tensor<2x3xf32, #aten.layout<"cpu", [8, 1], 5 : i64, unit>>) -> !xy
  %2 = "aten.slice_tensor"(%x) {dim = 1 : i64, start = 2 : i64, end = 4 : i64, step = 1 : i64} : (!xy) -> tensor<2x2xf32, #aten.layout<"cpu", [8, 1], 2 : i64, unit>>
  %3 = "aten.slice_tensor"(%x) {dim = 1 : i64, start = 4 : i64, end = 8 : i64, step = 1 : i64} : (!xy) -> tensor<2x4xf32, #aten.layout<"cpu", [8, 1], 4 : i64, unit>>
  %4 = "aten.cat"(%2, %3, %y) {dim = 1 : i64, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (tensor<2x2xf32, #aten.layout<"cpu", [8, 1], 2 : i64, unit>>, tensor<2x4xf32, #aten.layout<"cpu", [8, 1], 4 : i64, unit>>, tensor<2x2xf32>) -> !xy
  return %1, %4 : !xy, !xy
}

// The parts change places, leave a gap, are of two tensors, or are joined along another dimension.
!half = tensor<2x4xf32, #aten.layout<"cpu", [8, 1], 0 : i64, unit>>
!rest = tensor<2x4xf32, #aten.layout<"cpu", [8, 1], 4 : i64, unit>>
// CHECK-LABEL: func.func @not_together
// CHECK:         %[[P:.*]]:2 = "aten.split_with_sizes"(%arg0)
// CHECK:         "aten.cat"(%[[P]]#1, %[[P]]#0)
// CHECK:         "aten.cat"(%[[P]]#0, %{{.*}})
// CHECK:         "aten.cat"(%[[P]]#0, %{{.*}})
// CHECK:         "aten.cat"(%[[P]]#0, %[[P]]#1)
func.func @not_together(%x: !xy, %y: !xy) -> (!xy, tensor<2x7xf32>, !xy, tensor<4x4xf32>) attributes {aten.stage = "functional", aten.io_aliases = []} {
  %0:2 = "aten.split_with_sizes"(%x) {dim = 1 : i64, split_sizes = [4, 4], resultSegmentSizes = array<i32: 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (!xy) -> (!half, !rest)
  %1 = "aten.cat"(%0#1, %0#0) {dim = 1 : i64, operandSegmentSizes = array<i32: 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (!rest, !half) -> !xy
  %2 = "aten.slice_tensor"(%x) {dim = 1 : i64, start = 5 : i64, end = 8 : i64, step = 1 : i64} : (!xy) -> tensor<2x3xf32, #aten.layout<"cpu", [8, 1], 5 : i64, unit>>
  %3 = "aten.cat"(%0#0, %2) {dim = 1 : i64, operandSegmentSizes = array<i32: 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (!half, tensor<2x3xf32, #aten.layout<"cpu", [8, 1], 5 : i64, unit>>) -> tensor<2x7xf32>
  %4 = "aten.slice_tensor"(%y) {dim = 1 : i64, start = 4 : i64, end = 8 : i64, step = 1 : i64} : (!xy) -> !rest
  %5 = "aten.cat"(%0#0, %4) {dim = 1 : i64, operandSegmentSizes = array<i32: 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (!half, !rest) -> !xy
  %6 = "aten.cat"(%0#0, %0#1) {dim = 0 : i64, operandSegmentSizes = array<i32: 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (!half, !rest) -> tensor<4x4xf32>
  return %1, %3, %5, %6 : !xy, tensor<2x7xf32>, !xy, tensor<4x4xf32>
}

// A user with a list: what were two tensors of one type are of two now.
// CHECK-LABEL: func.func @lists
// CHECK:         "aten.stack"(%arg0, %arg1)
// CHECK-SAME:    operandSegmentSizes = array<i32: 1, 1, 0,
func.func @lists(%x: tensor<2x3xf32, #aten.layout<"cpu", [6, 1], 0 : i64, unit>>, %y: !x) -> tensor<2x2x3xf32> attributes {aten.stage = "functional", aten.io_aliases = []} {
  %0 = "aten.cat"(%x, %y) {dim = 0 : i64, operandSegmentSizes = array<i32: 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (tensor<2x3xf32, #aten.layout<"cpu", [6, 1], 0 : i64, unit>>, !x) -> tensor<4x3xf32>
  %1 = "aten.slice_tensor"(%0) {dim = 0 : i64, start = 0 : i64, end = 2 : i64, step = 1 : i64} : (tensor<4x3xf32>) -> !x
  %2 = "aten.stack"(%1, %y) {dim = 0 : i64, operandSegmentSizes = array<i32: 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (!x, !x) -> tensor<2x2x3xf32>
  return %2 : tensor<2x2x3xf32>
}

// The inner cat belongs to a region that is computed again.
// CHECK-LABEL: func.func @regions
// CHECK-COUNT-2: "aten.cat"
func.func @regions(%x: !x, %y: !y) -> tensor<2x11xf32> attributes {aten.stage = "functional", aten.io_aliases = []} {
  %0 = "aten.cat"(%x, %y) {aten.region = "PREFER_RECOMPUTE in 1", dim = 1 : i64, operandSegmentSizes = array<i32: 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (!x, !y) -> !xy
  %1 = "aten.cat"(%0, %x) {dim = 1 : i64, operandSegmentSizes = array<i32: 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (!xy, !x) -> tensor<2x11xf32>
  return %1 : tensor<2x11xf32>
}
