// RUN: %mlirind-opt %s --remove-noops | %FileCheck %s

// Copies that nobody can tell from their source.
// CHECK-LABEL: func.func @copies
// CHECK-NEXT:    aten.relu
// CHECK-NEXT:    %[[N:.*]] = "aten.neg"
// CHECK-NEXT:    return %[[N]]
func.func @copies(%x: tensor<4xf32>) -> tensor<4xf32> attributes {aten.stage = "functional", aten.io_aliases = []} {
  %0 = "aten.relu"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = "aten.clone"(%0) {memory_format = #aten.none} : (tensor<4xf32>) -> tensor<4xf32>
  %2 = "aten.repeat"(%1) {repeats = [1]} : (tensor<4xf32>) -> tensor<4xf32>
  %3 = "aten.constant_pad_nd"(%2) {pad = [0, 0], value = 0 : i64} : (tensor<4xf32>) -> tensor<4xf32>
  %4 = "aten.cat"(%3) {dim = 0 : i64, operandSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (tensor<4xf32>) -> tensor<4xf32>
  %5 = "aten.neg"(%4) : (tensor<4xf32>) -> tensor<4xf32>
  return %5 : tensor<4xf32>
}

// The caller would get the argument for its copy.
// CHECK-LABEL: func.func @returned
// CHECK:         %[[R:.*]] = "aten.clone"
// CHECK-NEXT:    return %[[R]]
func.func @returned(%x: tensor<4xf32>) -> tensor<4xf32> attributes {aten.stage = "functional", aten.io_aliases = []} {
  %0 = "aten.clone"(%x) {memory_format = #aten.none} : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// The same under a view, and between two results.
// CHECK-LABEL: func.func @returned_under_views
// CHECK:         aten.clone
// CHECK:         aten.clone
func.func @returned_under_views(%x: tensor<4xf32>) -> (tensor<2x2xf32>, tensor<4xf32>, tensor<2x2xf32>)
    attributes {aten.stage = "functional", aten.io_aliases = []} {
  %0 = "aten.clone"(%x) {memory_format = #aten.none} : (tensor<4xf32>) -> tensor<4xf32>
  %1 = "aten.view"(%0) {size = [2, 2]} : (tensor<4xf32>) -> tensor<2x2xf32>
  %2 = "aten.relu"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %3 = "aten.clone"(%2) {memory_format = #aten.none} : (tensor<4xf32>) -> tensor<4xf32>
  %4 = "aten.view"(%3) {size = [2, 2]} : (tensor<4xf32>) -> tensor<2x2xf32>
  return %1, %2, %4 : tensor<2x2xf32>, tensor<4xf32>, tensor<2x2xf32>
}

// A result of the graph's own may stand for its copy, as nothing else of it is returned; then not a second time.
// CHECK-LABEL: func.func @two_copies
// CHECK:         aten.relu
// CHECK-NEXT:    aten.view
// CHECK-NEXT:    aten.clone
// CHECK-NEXT:    aten.view
func.func @two_copies(%x: tensor<4xf32>) -> (tensor<2x2xf32>, tensor<2x2xf32>) attributes {aten.stage = "functional", aten.io_aliases = []} {
  %0 = "aten.relu"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = "aten.clone"(%0) {memory_format = #aten.none} : (tensor<4xf32>) -> tensor<4xf32>
  %2 = "aten.view"(%1) {size = [2, 2]} : (tensor<4xf32>) -> tensor<2x2xf32>
  %3 = "aten.clone"(%0) {memory_format = #aten.none} : (tensor<4xf32>) -> tensor<4xf32>
  %4 = "aten.view"(%3) {size = [2, 2]} : (tensor<4xf32>) -> tensor<2x2xf32>
  return %2, %4 : tensor<2x2xf32>, tensor<2x2xf32>
}

// Two inputs change places: the copy keeps what the first write destroys. The other copy is read before.
// CHECK-LABEL: func.func @swap
// CHECK-NEXT:    %[[OLD:.*]] = "aten.clone"(%arg0)
// CHECK-NEXT:    "aten.copy_"(%arg0, %arg1)
// CHECK-NEXT:    "aten.copy_"(%arg1, %[[OLD]])
func.func @swap(%x: tensor<4xf32>, %y: tensor<4xf32>) attributes {aten.stage = "functional", aten.io_aliases = []} {
  %0 = "aten.clone"(%x) {memory_format = #aten.none} : (tensor<4xf32>) -> tensor<4xf32>
  %1 = "aten.clone"(%y) {memory_format = #aten.none} : (tensor<4xf32>) -> tensor<4xf32>
  %2 = "aten.copy_"(%x, %1) {non_blocking = false} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %3 = "aten.copy_"(%y, %0) {non_blocking = false} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// The write is to another argument in the same storage.
!whole = tensor<6xf32, #aten.layout<"cpu", [1], 0 : i64, unit>>
!part = tensor<4xf32, #aten.layout<"cpu", [1], 2 : i64, unit>>
// CHECK-LABEL: func.func @arguments_that_overlap
// CHECK:         aten.clone
func.func @arguments_that_overlap(%x: !whole, %y: !part, %z: !part, %w: tensor<6xf32>) attributes {aten.stage = "functional", aten.io_aliases = [[0, 1]]} {
  %0 = "aten.clone"(%x) {memory_format = #aten.none} : (!whole) -> !whole
  %1 = "aten.copy_"(%y, %z) {non_blocking = false} : (!part, !part) -> !part
  %2 = "aten.copy_"(%w, %0) {non_blocking = false} : (tensor<6xf32>, !whole) -> tensor<6xf32>
  return
}

// Zeros and ones: -0.0 + 0 is 0.0, so adding 0 changes a float; subtracting it does not.
// CHECK-LABEL: func.func @floats
// CHECK:         %[[A:.*]] = "aten.add_tensor"(%arg0
// CHECK-NOT:     aten.mul_tensor
// CHECK-NOT:     aten.sub_tensor
// CHECK-NOT:     aten.div_tensor
// CHECK-NOT:     aten.pow
// CHECK:         "aten.relu"(%[[A]])
func.func @floats(%x: tensor<4xf32>) -> tensor<4xf32> attributes {aten.stage = "functional", aten.io_aliases = []} {
  %zero = "aten.number"() {value = 0 : i64} : () -> tensor<i64>
  %negative = "aten.number"() {value = -0.0 : f64} : () -> tensor<f64>
  %one = "aten.full"() {size = [4], fill_value = 1 : i64, dtype = #aten.enum<"dtype", "float32">, layout = #aten.none, device = #aten.none, pin_memory = #aten.none} : () -> tensor<4xf32>
  %0 = "aten.add_tensor"(%x, %zero) {alpha = 1 : i64} : (tensor<4xf32>, tensor<i64>) -> tensor<4xf32>
  %1 = "aten.add_tensor"(%0, %negative) {alpha = 1 : i64} : (tensor<4xf32>, tensor<f64>) -> tensor<4xf32>
  %2 = "aten.sub_tensor"(%1, %zero) {alpha = 1 : i64} : (tensor<4xf32>, tensor<i64>) -> tensor<4xf32>
  %3 = "aten.mul_tensor"(%one, %2) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %4 = "aten.div_tensor"(%3, %one) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %5 = "aten.pow_tensor_scalar"(%4) {exponent = 1 : i64} : (tensor<4xf32>) -> tensor<4xf32>
  %6 = "aten.relu"(%5) : (tensor<4xf32>) -> tensor<4xf32>
  return %6 : tensor<4xf32>
}

// Subtracting -0.0 is adding 0.0; int32 / 1 is a float; bool + 0 is an integer.
// CHECK-LABEL: func.func @not_noops
// CHECK:         aten.sub_tensor
// CHECK:         aten.div_tensor
// CHECK:         aten.add_tensor
func.func @not_noops(%x: tensor<4xf32>, %i: tensor<4xi32>, %b: tensor<4xi1>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xi64>)
    attributes {aten.stage = "functional", aten.io_aliases = []} {
  %zero = "aten.number"() {value = 0 : i64} : () -> tensor<i64>
  %one = "aten.number"() {value = 1 : i64} : () -> tensor<i64>
  %negative = "aten.number"() {value = -0.0 : f64} : () -> tensor<f64>
  %0 = "aten.sub_tensor"(%x, %negative) {alpha = 1 : i64} : (tensor<4xf32>, tensor<f64>) -> tensor<4xf32>
  %1 = "aten.neg"(%0) : (tensor<4xf32>) -> tensor<4xf32>
  %2 = "aten.div_tensor"(%i, %one) : (tensor<4xi32>, tensor<i64>) -> tensor<4xf32>
  %3 = "aten.neg"(%2) : (tensor<4xf32>) -> tensor<4xf32>
  %4 = "aten.add_tensor"(%b, %zero) {alpha = 1 : i64} : (tensor<4xi1>, tensor<i64>) -> tensor<4xi64>
  %5 = "aten.neg"(%4) : (tensor<4xi64>) -> tensor<4xi64>
  return %1, %3, %5 : tensor<4xf32>, tensor<4xf32>, tensor<4xi64>
}

// Integers know no -0, and need no rounding.
// CHECK-LABEL: func.func @integers
// CHECK:         "aten.neg"(%arg0)
func.func @integers(%x: tensor<4xi32>) -> tensor<4xi32> attributes {aten.stage = "functional", aten.io_aliases = []} {
  %zero = "aten.number"() {value = 0 : i64} : () -> tensor<i64>
  %0 = "aten.add_tensor"(%zero, %x) {alpha = 1 : i64} : (tensor<i64>, tensor<4xi32>) -> tensor<4xi32>
  %1 = "aten.ceil"(%0) : (tensor<4xi32>) -> tensor<4xi32>
  %2 = "aten.neg"(%1) : (tensor<4xi32>) -> tensor<4xi32>
  return %2 : tensor<4xi32>
}

// What is put back where it came from; another row is not.
// CHECK-LABEL: func.func @put_back
// CHECK-COUNT-1: aten.select_scatter
// CHECK-NOT:     aten.select_scatter
// CHECK-NOT:     aten.slice_scatter
func.func @put_back(%x: tensor<2x3xf32>, %y: tensor<2x3xf32>) -> tensor<2x3xf32> attributes {aten.stage = "functional", aten.io_aliases = []} {
  %0 = "aten.select_int"(%x) {dim = 0 : i64, index = 0 : i64} : (tensor<2x3xf32>) -> tensor<3xf32>
  %1 = "aten.select_scatter"(%x, %0) {dim = 0 : i64, index = 0 : i64} : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %2 = "aten.select_scatter"(%1, %0) {dim = 0 : i64, index = 1 : i64} : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %3 = "aten.slice_scatter"(%y, %2) {dim = 0 : i64, start = 0 : i64, end = 2 : i64, step = 1 : i64} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %4 = "aten.neg"(%3) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %4 : tensor<2x3xf32>
}

// Users of the copy know its strides: a copy that changes them stays.
!t = tensor<2x3xf32, #aten.layout<"cpu", [1, 2], 0 : i64, unit>>
// CHECK-LABEL: func.func @strides
// CHECK:         aten.clone
func.func @strides(%x: !t) -> tensor<6xf32> attributes {aten.stage = "functional", aten.io_aliases = []} {
  %0 = "aten.clone"(%x) {memory_format = #aten.enum<"memory_format", "contiguous_format">} : (!t) -> tensor<2x3xf32>
  %1 = "aten.view"(%0) {size = [6]} : (tensor<2x3xf32>) -> tensor<6xf32>
  %2 = "aten.relu"(%1) : (tensor<6xf32>) -> tensor<6xf32>
  return %2 : tensor<6xf32>
}

// The same sizes and strides elsewhere in the storage: no element of the slice is shown.
// CHECK-LABEL: func.func @elsewhere
// CHECK:         %[[V:.*]] = "aten.as_strided"
// CHECK-NEXT:    "aten.neg"(%[[V]])
func.func @elsewhere(%x: tensor<4xf32>) -> tensor<2xf32> attributes {aten.stage = "functional", aten.io_aliases = []} {
  %0 = "aten.slice_tensor"(%x) {dim = 0 : i64, start = 0 : i64, end = 2 : i64, step = 1 : i64} : (tensor<4xf32>) -> tensor<2xf32>
  %1 = "aten.as_strided"(%0) {size = [2], stride = [1], storage_offset = 2 : i64} : (tensor<2xf32>) -> tensor<2xf32, #aten.layout<"cpu", [1], 2 : i64, unit>>
  %2 = "aten.neg"(%1) : (tensor<2xf32, #aten.layout<"cpu", [1], 2 : i64, unit>>) -> tensor<2xf32>
  return %2 : tensor<2xf32>
}

// Each kind on a value of the graph's own, one after another: only relu and neg are left.
// CHECK-LABEL: func.func @every_kind
// CHECK-NEXT:    %[[R:.*]] = "aten.relu"(%arg0)
// CHECK-NEXT:    %[[N:.*]] = "aten.neg"(%[[R]])
// CHECK-NEXT:    return %[[N]]
func.func @every_kind(%x: tensor<4xf32>) -> tensor<4xf32> attributes {aten.stage = "functional", aten.io_aliases = []} {
  %0 = "aten.relu"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = "aten.repeat"(%0) {repeats = [1]} : (tensor<4xf32>) -> tensor<4xf32>
  %2 = "aten.constant_pad_nd"(%1) {pad = [0, 0], value = 0 : i64} : (tensor<4xf32>) -> tensor<4xf32>
  %3 = "aten.cat"(%2) {dim = 0 : i64, operandSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (tensor<4xf32>) -> tensor<4xf32>
  %4 = "aten.slice_scatter"(%x, %3) {dim = 0 : i64, start = 0 : i64, end = 4 : i64, step = 1 : i64} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %5 = "aten.copy"(%x, %4) {non_blocking = false} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %6 = "aten.expand"(%5) {size = [4], implicit = false} : (tensor<4xf32>) -> tensor<4xf32>
  %7 = "aten.alias"(%6) : (tensor<4xf32>) -> tensor<4xf32>
  %8 = "aten.slice_tensor"(%7) {dim = 0 : i64, start = 0 : i64, end = 4 : i64, step = 1 : i64} : (tensor<4xf32>) -> tensor<4xf32>
  %9 = "aten.as_strided"(%8) {size = [4], stride = [1], storage_offset = 0 : i64} : (tensor<4xf32>) -> tensor<4xf32>
  %10 = "aten.view"(%9) {size = [4]} : (tensor<4xf32>) -> tensor<4xf32>
  %11 = "aten.u_to_copy"(%10) {dtype = #aten.enum<"dtype", "float32">, layout = #aten.none, device = #aten.enum<"device", "cpu">, pin_memory = #aten.none, non_blocking = false, memory_format = #aten.none} : (tensor<4xf32>) -> tensor<4xf32>
  %12 = "aten.pow_tensor_scalar"(%11) {exponent = 1 : i64} : (tensor<4xf32>) -> tensor<4xf32>
  %13 = "aten.neg"(%12) : (tensor<4xf32>) -> tensor<4xf32>
  return %13 : tensor<4xf32>
}

// The same of an argument for the caller: repeat and pad give memory of their own.
// CHECK-LABEL: func.func @fresh_for_the_caller
// CHECK:         aten.repeat
// CHECK:         aten.constant_pad_nd
// CHECK:         aten.cat
func.func @fresh_for_the_caller(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) attributes {aten.stage = "functional", aten.io_aliases = []} {
  %0 = "aten.repeat"(%x) {repeats = [1]} : (tensor<4xf32>) -> tensor<4xf32>
  %1 = "aten.constant_pad_nd"(%x) {pad = [0, 0], value = 0 : i64} : (tensor<4xf32>) -> tensor<4xf32>
  %2 = "aten.cat"(%x) {dim = 0 : i64, operandSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (tensor<4xf32>) -> tensor<4xf32>
  return %0, %1, %2 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// What looks like one of them and is none: two tensors, a padded one, powers of 2, a float's ceil, another part, other strides.
// CHECK-LABEL: func.func @none_of_them
// CHECK:         aten.cat
// CHECK:         aten.constant_pad_nd
// CHECK:         aten.pow
// CHECK:         aten.ceil
// CHECK:         aten.slice_scatter
// CHECK:         aten.copy
func.func @none_of_them(%x: tensor<4xf32>, %m: tensor<4x4xf32>, %t: tensor<4x4xf32, #aten.layout<"cpu", [1, 4], 0 : i64, unit>>)
    -> (tensor<8xf32>, tensor<5xf32>, tensor<4xf32>, tensor<4xf32>) attributes {aten.stage = "functional", aten.io_aliases = []} {
  %0 = "aten.relu"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = "aten.cat"(%0, %0) {dim = 0 : i64, operandSegmentSizes = array<i32: 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (tensor<4xf32>, tensor<4xf32>) -> tensor<8xf32>
  %2 = "aten.constant_pad_nd"(%0) {pad = [0, 1], value = 0 : i64} : (tensor<4xf32>) -> tensor<5xf32>
  %3 = "aten.pow_tensor_scalar"(%0) {exponent = 2 : i64} : (tensor<4xf32>) -> tensor<4xf32>
  %4 = "aten.ceil"(%3) : (tensor<4xf32>) -> tensor<4xf32>
  %5 = "aten.slice_tensor"(%4) {dim = 0 : i64, start = 0 : i64, end = 2 : i64, step = 1 : i64} : (tensor<4xf32>) -> tensor<2xf32>
  %6 = "aten.slice_scatter"(%4, %5) {dim = 0 : i64, start = 2 : i64, end = 4 : i64, step = 1 : i64} : (tensor<4xf32>, tensor<2xf32>) -> tensor<4xf32>
  %7 = "aten.relu"(%6) : (tensor<4xf32>) -> tensor<4xf32>
  %8 = "aten.copy"(%m, %t) {non_blocking = false} : (tensor<4x4xf32>, tensor<4x4xf32, #aten.layout<"cpu", [1, 4], 0 : i64, unit>>) -> tensor<4x4xf32>
  %9 = "aten.view"(%8) {size = [16]} : (tensor<4x4xf32>) -> tensor<16xf32>
  %10 = "aten.slice_tensor"(%9) {dim = 0 : i64, start = 0 : i64, end = 4 : i64, step = 1 : i64} : (tensor<16xf32>) -> tensor<4xf32>
  %11 = "aten.relu"(%10) : (tensor<4xf32>) -> tensor<4xf32>
  return %1, %2, %7, %11 : tensor<8xf32>, tensor<5xf32>, tensor<4xf32>, tensor<4xf32>
}

// Three inputs change places: the copy of the first one is read behind the write to it.
// CHECK-LABEL: func.func @rotate
// CHECK-NEXT:    %[[OLD:.*]] = "aten.clone"(%arg0)
// CHECK-NEXT:    "aten.copy_"(%arg0, %arg1)
// CHECK-NEXT:    "aten.copy_"(%arg1, %arg2)
// CHECK-NEXT:    "aten.copy_"(%arg2, %[[OLD]])
func.func @rotate(%x: tensor<4xf32>, %y: tensor<4xf32>, %z: tensor<4xf32>) attributes {aten.stage = "functional", aten.io_aliases = []} {
  %0 = "aten.clone"(%x) {memory_format = #aten.none} : (tensor<4xf32>) -> tensor<4xf32>
  %1 = "aten.copy_"(%x, %y) {non_blocking = false} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %2 = "aten.copy_"(%y, %z) {non_blocking = false} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %3 = "aten.copy_"(%z, %0) {non_blocking = false} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// A joint graph: %0 may be saved for the backward, which multiplies by it. The caller's copy of it stays a copy; one that only the
// forward reads goes.
// CHECK-LABEL: func.func @saved
// CHECK:         %[[V:.*]] = "aten.exp"(%arg0)
// CHECK-NEXT:    %[[C:.*]] = "aten.clone"(%[[V]])
// CHECK-NEXT:    "aten.view"(%[[C]])
// CHECK-NEXT:    "aten.neg"(%[[V]])
// CHECK-NEXT:    "aten.mul_tensor"(%arg1, %[[V]])
func.func @saved(%x: tensor<4xf32>, %t: tensor<4xf32>) -> (tensor<2x2xf32>, tensor<4xf32>, tensor<4xf32>)
    attributes {aten.stage = "functional", aten.io_aliases = [], aten.tangents = [1]} {
  %0 = "aten.exp"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = "aten.clone"(%0) {memory_format = #aten.none} : (tensor<4xf32>) -> tensor<4xf32>
  %2 = "aten.view"(%1) {size = [2, 2]} : (tensor<4xf32>) -> tensor<2x2xf32>
  %3 = "aten.clone"(%0) {memory_format = #aten.none} : (tensor<4xf32>) -> tensor<4xf32>
  %4 = "aten.neg"(%3) : (tensor<4xf32>) -> tensor<4xf32>
  %5 = "aten.mul_tensor"(%t, %0) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %2, %4, %5 : tensor<2x2xf32>, tensor<4xf32>, tensor<4xf32>
}

// A joint graph: what the backward computes of an argument may be the argument, which autograd kept for it. Not where the caller gets
// it (the second result), or where autograd kept the copy that the forward made (the third).
// CHECK-LABEL: func.func @read_by_the_backward
// CHECK-NEXT:    "aten.mul_tensor"(%arg1, %arg0)
// CHECK-NEXT:    %[[G:.*]] = "aten.clone"(%arg0)
// CHECK-NEXT:    %[[C:.*]] = "aten.clone"(%arg0)
// CHECK-NEXT:    %[[P:.*]] = "aten.mul_tensor"(%arg1, %[[C]])
// CHECK-NEXT:    return %{{.*}}, %[[G]], %[[P]]
func.func @read_by_the_backward(%x: tensor<4xf32>, %t: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
    attributes {aten.stage = "functional", aten.io_aliases = [], aten.tangents = [1]} {
  %0 = "aten.pow_tensor_scalar"(%x) {aten.backward, exponent = 1.0 : f64} : (tensor<4xf32>) -> tensor<4xf32>
  %1 = "aten.mul_tensor"(%t, %0) {aten.backward} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %2 = "aten.clone"(%x) {aten.backward, memory_format = #aten.none} : (tensor<4xf32>) -> tensor<4xf32>
  %3 = "aten.clone"(%x) {memory_format = #aten.none} : (tensor<4xf32>) -> tensor<4xf32>
  %4 = "aten.pow_tensor_scalar"(%3) {aten.backward, exponent = 1.0 : f64} : (tensor<4xf32>) -> tensor<4xf32>
  %5 = "aten.mul_tensor"(%t, %4) {aten.backward} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %1, %2, %5 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}
