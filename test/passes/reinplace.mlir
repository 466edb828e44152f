// RUN: %mlirind-opt %s --reinplace | %FileCheck %s

!c = tensor<8x4xf32>
!r = tensor<1x4xf32>

// A cache that the caller gets back: its rows are written where they are.
// CHECK-LABEL: func.func @cache
// CHECK:         %[[P:.*]] = "aten.index_copy"(%arg0, {{.*}}aten.inplace = [0]
// CHECK-NEXT:    "aten.relu"(%[[P]])
func.func @cache(%cache: !c, %at: tensor<1xi64>, %new: !r) -> !c attributes {aten.stage = "functional", aten.io_aliases = []} {
  %0 = "aten.index_copy"(%cache, %at, %new) {dim = 0 : i64} : (!c, tensor<1xi64>, !r) -> !c
  %1 = "aten.relu"(%0) : (!c) -> !c
  %2 = "aten.copy_"(%cache, %0) {non_blocking = false} : (!c, !c) -> !c
  return %1 : !c
}

// Two writes one after the other, both in place.
// CHECK-LABEL: func.func @twice
// CHECK-COUNT-2: aten.inplace = [0]
func.func @twice(%cache: !c, %at: tensor<1xi64>, %new: !r) attributes {aten.stage = "functional", aten.io_aliases = []} {
  %0 = "aten.index_copy"(%cache, %at, %new) {dim = 0 : i64} : (!c, tensor<1xi64>, !r) -> !c
  %1 = "aten.slice_scatter"(%0, %new) {dim = 0 : i64, start = 2 : i64, end = 3 : i64, step = 1 : i64} : (!c, !r) -> !c
  %2 = "aten.copy_"(%cache, %1) {non_blocking = false} : (!c, !c) -> !c
  return
}

// No copy_ onto the input follows.
// CHECK-LABEL: func.func @input
// CHECK:         aten.copies = {"0" = "the operand is a graph input, and no copy_ onto it follows"}
func.func @input(%x: !c, %at: tensor<1xi64>, %new: !r) -> !c attributes {aten.stage = "functional", aten.io_aliases = []} {
  %0 = "aten.index_copy"(%x, %at, %new) {dim = 0 : i64} : (!c, tensor<1xi64>, !r) -> !c
  return %0 : !c
}

// The old value is read later: by a call, through a view, by the return.
// CHECK-LABEL: func.func @old_value
// CHECK:         aten.copies = {"0" = "aten.relu reads the old value later"}
// CHECK:         aten.copies = {"0" = "aten.neg reads the old value later"}
func.func @old_value(%x: !c, %y: !c, %at: tensor<1xi64>, %new: !r) -> (!c, tensor<32xf32>) attributes {aten.stage = "functional", aten.io_aliases = []} {
  %0 = "aten.index_copy"(%x, %at, %new) {dim = 0 : i64} : (!c, tensor<1xi64>, !r) -> !c
  %1 = "aten.relu"(%x) : (!c) -> !c
  %2 = "aten.copy_"(%x, %0) {non_blocking = false} : (!c, !c) -> !c
  %3 = "aten.relu"(%y) : (!c) -> !c
  %4 = "aten.view"(%3) {size = [32]} : (!c) -> tensor<32xf32>
  %5 = "aten.index_copy"(%3, %at, %new) {dim = 0 : i64} : (!c, tensor<1xi64>, !r) -> !c
  %6 = "aten.neg"(%4) : (tensor<32xf32>) -> tensor<32xf32>
  %7 = "aten.add_tensor"(%1, %5) {alpha = 1 : i64} : (!c, !c) -> !c
  return %7, %6 : !c, tensor<32xf32>
}

// What is read later lies elsewhere in the storage.
// CHECK-LABEL: func.func @elsewhere
// CHECK:         "aten.slice_scatter"{{.*}}aten.inplace = [0]
func.func @elsewhere(%x: !c, %new: !r) -> !r attributes {aten.stage = "functional", aten.io_aliases = []} {
  %0 = "aten.slice_tensor"(%x) {dim = 0 : i64, start = 0 : i64, end = 1 : i64, step = 1 : i64} : (!c) -> !r
  %1 = "aten.slice_scatter"(%x, %new) {dim = 0 : i64, start = 1 : i64, end = 2 : i64, step = 1 : i64} : (!c, !r) -> !c
  %2 = "aten.relu"(%0) : (!r) -> !r
  %3 = "aten.copy_"(%x, %1) {non_blocking = false} : (!c, !c) -> !c
  return %2 : !r
}

// x[index] = x: what is written is read at other places.
// CHECK-LABEL: func.func @itself
// CHECK:         aten.copies = {"0" = "operand 2 overlaps what is written"}
func.func @itself(%x: !c, %at: tensor<8xi64>) attributes {aten.stage = "functional", aten.io_aliases = []} {
  %0 = "aten.index_copy"(%x, %at, %x) {dim = 0 : i64} : (!c, tensor<8xi64>, !c) -> !c
  %1 = "aten.copy_"(%x, %0) {non_blocking = false} : (!c, !c) -> !c
  return
}

// The caller gets the result too: it must not be the input.
// CHECK-LABEL: func.func @returned
// CHECK:         aten.copies = {"0" = "the caller gets the result, and has or gets the operand's memory"}
func.func @returned(%x: !c, %at: tensor<1xi64>, %new: !r) -> !c attributes {aten.stage = "functional", aten.io_aliases = []} {
  %0 = "aten.index_copy"(%x, %at, %new) {dim = 0 : i64} : (!c, tensor<1xi64>, !r) -> !c
  %1 = "aten.copy_"(%x, %0) {non_blocking = false} : (!c, !c) -> !c
  return %0 : !c
}

// Two results would share memory.
// CHECK-LABEL: func.func @two_results
// CHECK:         aten.copies = {"0" = "the caller gets the result, and has or gets the operand's memory"}
func.func @two_results(%x: !c, %new: !r) -> (!r, !c) attributes {aten.stage = "functional", aten.io_aliases = []} {
  %0 = "aten.relu"(%x) : (!c) -> !c
  %1 = "aten.slice_tensor"(%0) {dim = 0 : i64, start = 0 : i64, end = 1 : i64, step = 1 : i64} : (!c) -> !r
  %2 = "aten.slice_scatter"(%0, %new) {dim = 0 : i64, start = 1 : i64, end = 2 : i64, step = 1 : i64} : (!c, !r) -> !c
  return %1, %2 : !r, !c
}

// Two inputs in one storage.
// CHECK-LABEL: func.func @inputs
// CHECK:         aten.copies = {"0" = "another graph input shares the operand's storage"}
func.func @inputs(%x: !c, %y: !c, %new: !r) attributes {aten.stage = "functional", aten.io_aliases = [[0, 1]]} {
  %0 = "aten.slice_scatter"(%x, %new) {dim = 0 : i64, start = 1 : i64, end = 2 : i64, step = 1 : i64} : (!c, !r) -> !c
  %1 = "aten.copy_"(%x, %0) {non_blocking = false} : (!c, !c) -> !c
  return
}

// A row of a row block: one write into the whole.
// CHECK-LABEL: func.func @chain
// CHECK-NOT:     slice_scatter
// CHECK:         "aten.as_strided_scatter"(%arg0, %arg1) {aten.inplace = [0], size = [4], storage_offset = 20 : i64, stride = [1]}
func.func @chain(%x: !c, %new: tensor<4xf32>) attributes {aten.stage = "functional", aten.io_aliases = []} {
  %0 = "aten.slice_tensor"(%x) {dim = 0 : i64, start = 4 : i64, end = 8 : i64, step = 1 : i64} : (!c) -> tensor<4x4xf32, #aten.layout<"cpu", [4, 1], 16 : i64, unit>>
  %1 = "aten.select_scatter"(%0, %new) {dim = 0 : i64, index = 1 : i64} : (tensor<4x4xf32, #aten.layout<"cpu", [4, 1], 16 : i64, unit>>, tensor<4xf32>) -> tensor<4x4xf32>
  %2 = "aten.slice_scatter"(%x, %1) {dim = 0 : i64, start = 4 : i64, end = 8 : i64, step = 1 : i64} : (!c, tensor<4x4xf32>) -> !c
  %3 = "aten.copy_"(%x, %2) {non_blocking = false} : (!c, !c) -> !c
  return
}

// A row that lies outside of the row block is not put back: nothing of the input changes.
// CHECK-LABEL: func.func @outside
// CHECK:         "aten.as_strided_scatter"(%{{[0-9]+}}, %arg1)
// CHECK:         "aten.slice_scatter"(%arg0
func.func @outside(%x: !c, %new: tensor<4xf32>) attributes {aten.stage = "functional", aten.io_aliases = []} {
  %0 = "aten.slice_tensor"(%x) {dim = 0 : i64, start = 4 : i64, end = 8 : i64, step = 1 : i64} : (!c) -> tensor<4x4xf32, #aten.layout<"cpu", [4, 1], 16 : i64, unit>>
  %1 = "aten.as_strided_scatter"(%0, %new) {size = [4], stride = [1], storage_offset = 0 : i64} : (tensor<4x4xf32, #aten.layout<"cpu", [4, 1], 16 : i64, unit>>, tensor<4xf32>) -> tensor<4x4xf32>
  %2 = "aten.slice_scatter"(%x, %1) {dim = 0 : i64, start = 4 : i64, end = 8 : i64, step = 1 : i64} : (!c, tensor<4x4xf32>) -> !c
  %3 = "aten.copy_"(%x, %2) {non_blocking = false} : (!c, !c) -> !c
  return
}

!v = tensor<4x4xf32, #aten.layout<"cpu", [4, 1], 16 : i64, unit>>
!b = tensor<4x4xf32>
!t = tensor<4x8xf32, #aten.layout<"cpu", [1, 4], 0 : i64, unit>>

// Through a view: the row is written into the input itself, and what puts the view back has nothing left to do.
// CHECK-LABEL: func.func @part
// CHECK:         %[[V:.*]] = "aten.slice_tensor"(%arg0)
// CHECK-NEXT:    %[[R:.*]] = "aten.index_copy"(%[[V]], {{.*}}aten.inplace = [0]{{.*}} -> tensor<4x4xf32, #aten.layout<"cpu", [4, 1], 16 : i64, unit>>
// CHECK-NEXT:    "aten.slice_scatter"(%arg0, %[[R]]) {aten.inplace = [0]
func.func @part(%x: !c, %at: tensor<1xi64>, %new: !r) attributes {aten.stage = "functional", aten.io_aliases = []} {
  %0 = "aten.slice_tensor"(%x) {dim = 0 : i64, start = 4 : i64, end = 8 : i64, step = 1 : i64} : (!c) -> !v
  %1 = "aten.index_copy"(%0, %at, %new) {dim = 0 : i64} : (!v, tensor<1xi64>, !r) -> !b
  %2 = "aten.slice_scatter"(%x, %1) {dim = 0 : i64, start = 4 : i64, end = 8 : i64, step = 1 : i64} : (!c, !b) -> !c
  %3 = "aten.copy_"(%x, %2) {non_blocking = false} : (!c, !c) -> !c
  return
}

// The result's strides reach the caller through relu: they stay, and so does the copy.
// CHECK-LABEL: func.func @strides_seen
// CHECK:         "aten.index_copy"{{.*}}aten.copies = {"0" = "the result is laid out otherwise than the operand"}
func.func @strides_seen(%x: !c, %at: tensor<1xi64>, %new: tensor<1x8xf32>) -> tensor<4x8xf32> attributes {aten.stage = "functional", aten.io_aliases = []} {
  %0 = "aten.permute"(%x) {dims = [1, 0]} : (!c) -> !t
  %1 = "aten.index_copy"(%0, %at, %new) {dim = 0 : i64} : (!t, tensor<1xi64>, tensor<1x8xf32>) -> tensor<4x8xf32>
  %2 = "aten.relu"(%1) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %3 = "aten.permute"(%1) {dims = [1, 0]} : (tensor<4x8xf32>) -> tensor<8x4xf32, #aten.layout<"cpu", [1, 8], 0 : i64, unit>>
  %4 = "aten.copy_"(%x, %3) {non_blocking = false} : (!c, tensor<8x4xf32, #aten.layout<"cpu", [1, 8], 0 : i64, unit>>) -> !c
  return %2 : tensor<4x8xf32>
}

// x.copy_(x.T) after a write: the input is read in another order than it is written.
// CHECK-LABEL: func.func @transposed
// CHECK:         "aten.index_copy"{{.*}}aten.copies = {"0" = "the copy_ onto the input reads the result in another layout"}
func.func @transposed(%x: !b, %at: tensor<1xi64>, %new: !r) attributes {aten.stage = "functional", aten.io_aliases = []} {
  %0 = "aten.index_copy"(%x, %at, %new) {dim = 0 : i64} : (!b, tensor<1xi64>, !r) -> !b
  %1 = "aten.permute"(%0) {dims = [1, 0]} : (!b) -> tensor<4x4xf32, #aten.layout<"cpu", [1, 4], 0 : i64, unit>>
  %2 = "aten.copy_"(%x, %1) {non_blocking = false} : (!b, tensor<4x4xf32, #aten.layout<"cpu", [1, 4], 0 : i64, unit>>) -> !b
  return
}

// Random numbers into the input.
// CHECK-LABEL: func.func @random
// CHECK:         "aten.normal_functional"(%arg0) {aten.inplace = [0]
func.func @random(%x: !c) attributes {aten.stage = "functional", aten.io_aliases = []} {
  %0 = "aten.normal_functional"(%x) {mean = 0.0, std = 1.0, generator = #aten.none} : (!c) -> !c
  %1 = "aten.copy_"(%x, %0) {non_blocking = false} : (!c, !c) -> !c
  return
}

// relu's result is no part of the input: a kernel that updates the whole input puts it there, so the rows before it are a copy.
// CHECK-LABEL: func.func @put_back_by_kernel
// CHECK:         "aten.index_copy"{{.*}}aten.copies = {"0" = "what puts the result back into the operand's tensor reads the old value"}
// CHECK:         "aten.slice_scatter"(%arg0, {{.*}}aten.inplace = [0]
func.func @put_back_by_kernel(%x: !c, %at: tensor<1xi64>, %new: !r) attributes {aten.stage = "functional", aten.io_aliases = []} {
  %0 = "aten.slice_tensor"(%x) {dim = 0 : i64, start = 4 : i64, end = 8 : i64, step = 1 : i64} : (!c) -> !v
  %1 = "aten.index_copy"(%0, %at, %new) {dim = 0 : i64} : (!v, tensor<1xi64>, !r) -> !b
  %2 = "aten.relu"(%1) : (!b) -> !b
  %3 = "aten.slice_scatter"(%x, %2) {dim = 0 : i64, start = 4 : i64, end = 8 : i64, step = 1 : i64} : (!c, !b) -> !c
  %4 = "aten.copy_"(%x, %3) {non_blocking = false} : (!c, !c) -> !c
  return
}

!w = tensor<2x3x2xf32, #aten.layout<"cpu", [1, 4, 12], 1 : i64, unit>>
!s = tensor<3x2xf32, #aten.layout<"cpu", [4, 12], 1 : i64, unit>>
!f = tensor<2x3x4xf32>

// The view that is written into has gaps: PyTorch's as_strided_scatter of it does not exist.
// CHECK-LABEL: func.func @gaps
// CHECK-NOT:     as_strided_scatter
// CHECK:         return
func.func @gaps(%x: !f, %new: tensor<2xf32>) -> tensor<2x3x2xf32> attributes {aten.stage = "functional", aten.io_aliases = []} {
  %0 = "aten.permute"(%x) {dims = [2, 1, 0]} : (!f) -> tensor<4x3x2xf32, #aten.layout<"cpu", [1, 4, 12], 0 : i64, unit>>
  %1 = "aten.slice_tensor"(%0) {dim = 0 : i64, start = 1 : i64, end = 3 : i64, step = 1 : i64} : (tensor<4x3x2xf32, #aten.layout<"cpu", [1, 4, 12], 0 : i64, unit>>) -> !w
  %2 = "aten.select_int"(%1) {dim = 0 : i64, index = 0 : i64} : (!w) -> !s
  %3 = "aten.select_scatter"(%2, %new) {dim = 0 : i64, index = 0 : i64} : (!s, tensor<2xf32>) -> tensor<3x2xf32, #aten.layout<"cpu", [4, 12], 0 : i64, unit>>
  %4 = "aten.select_scatter"(%1, %3) {dim = 0 : i64, index = 0 : i64} : (!w, tensor<3x2xf32, #aten.layout<"cpu", [4, 12], 0 : i64, unit>>) -> tensor<2x3x2xf32, #aten.layout<"cpu", [1, 4, 12], 0 : i64, unit>>
  %5 = "aten.clone"(%4) {memory_format = #aten.enum<"memory_format", "contiguous_format">} : (tensor<2x3x2xf32, #aten.layout<"cpu", [1, 4, 12], 0 : i64, unit>>) -> tensor<2x3x2xf32>
  return %5 : tensor<2x3x2xf32>
}
