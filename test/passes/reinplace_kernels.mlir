// RUN: %mlirind-opt %s --split-input-file --convert-aten-to-loop --fuse-kernels --reinplace-kernels | %FileCheck %s

!x = tensor<8x4xf32>

// x.mul_(x).add_(y): each element is read where it is written.
// CHECK-LABEL: func.func @graph
// CHECK:         %[[K:.*]] = "loop.kernel"(%arg0, %arg1, %arg0)
// CHECK:         aten.inplace = [2]
// CHECK:         updates = [2]
// CHECK:         "aten.copy_"(%arg0, %[[K]]) {non_blocking = false}
func.func @graph(%x: !x, %y: !x) attributes {aten.stage = "functional", aten.io_aliases = [], aten.io_writes = [0]} {
  %0 = "aten.mul_tensor"(%x, %x) : (!x, !x) -> !x
  %1 = "aten.add_tensor"(%0, %y) {alpha = 1 : i64} : (!x, !x) -> !x
  %2 = "aten.copy_"(%x, %1) {non_blocking = false} : (!x, !x) -> !x
  return
}

// -----

!x = tensor<8x4xf32>

// _foreach_mul_([x, y], ...) in one kernel: two results, each in its input; the third is a tensor of its own.
// CHECK-LABEL: func.func @graph
// CHECK:         "loop.kernel"(%arg0, %arg1, %arg0, %arg1)
// CHECK:         aten.inplace = [2, 3]
// CHECK-SAME:    updates = [2, 3, -1]
func.func @graph(%x: !x, %y: !x) -> !x attributes {aten.stage = "functional", aten.io_aliases = [], aten.io_writes = [0, 1]} {
  %0 = "aten.mul_tensor"(%x, %y) : (!x, !x) -> !x
  %1 = "aten.mul_tensor"(%y, %y) : (!x, !x) -> !x
  %2 = "aten.neg"(%1) : (!x) -> !x
  %3 = "aten.copy_"(%x, %0) {non_blocking = false} : (!x, !x) -> !x
  %4 = "aten.copy_"(%y, %1) {non_blocking = false} : (!x, !x) -> !x
  return %2 : !x
}

// -----

!x = tensor<8x4xi64>

// x - x turns out to need no load: what depends on x is stored before it.
// CHECK-LABEL: func.func @graph
// CHECK:         "loop.kernel"(%arg0, %arg0)
// CHECK:         ^bb0(%{{[a-z0-9]+}}: {{[^,]*}}, %{{[a-z0-9]+}}: {{[^,]*}}, %[[X:[a-z0-9]+]]: {{[^,]*}}, %[[Y:[a-z0-9]+]]:
// CHECK:         "loop.store"(%[[Y]],
// CHECK-NEXT:    "loop.store"(%[[X]],
// CHECK:         aten.inplace = [1]
// CHECK-SAME:    updates = [1, -1]
func.func @graph(%x: !x) -> !x attributes {aten.stage = "functional", aten.io_aliases = [], aten.io_writes = [0]} {
  %0 = "aten.sub_tensor"(%x, %x) {alpha = 1 : i64} : (!x, !x) -> !x
  %1 = "aten.neg"(%x) : (!x) -> !x
  %2 = "aten.copy_"(%x, %0) {non_blocking = false} : (!x, !x) -> !x
  return %1 : !x
}

// -----

!x = tensor<8x4xf32>

// Each result depends on what the other replaces: one of them only.
// CHECK-LABEL: func.func @graph
// CHECK:         updates = [2, -1]
// CHECK:         "aten.copy_"(%arg0, %{{[a-z0-9#]+}}) {non_blocking = false}
// CHECK:         "aten.copy_"(%arg1, {{.*}}aten.copies = {"0" = "results of the kernel depend on what each other replaces"}
func.func @graph(%x: !x, %y: !x) attributes {aten.stage = "functional", aten.io_aliases = [], aten.io_writes = [0, 1]} {
  %0 = "aten.mul_tensor"(%x, %y) : (!x, !x) -> !x
  %1 = "aten.add_tensor"(%0, %y) {alpha = 1 : i64} : (!x, !x) -> !x
  %3 = "aten.copy_"(%x, %0) {non_blocking = false} : (!x, !x) -> !x
  %4 = "aten.copy_"(%y, %1) {non_blocking = false} : (!x, !x) -> !x
  return
}

// -----

!t = tensor<4x4xf32>

// x.copy_(x.T + 1): the element that is read is another one.
// CHECK-LABEL: func.func @graph
// CHECK:         updates = [-1]
// CHECK:         "aten.copy_"(%arg0, {{.*}}aten.copies = {"0" = "the kernel reads other elements than the one that it writes"}
func.func @graph(%x: !t) attributes {aten.stage = "functional", aten.io_aliases = [], aten.io_writes = [0]} {
  %0 = "aten.permute"(%x) {dims = [1, 0]} : (!t) -> tensor<4x4xf32, #aten.layout<"cpu", [1, 4], 0 : i64, unit>>
  %n = "aten.number"() {value = 1 : i64} : () -> tensor<i64>
  %1 = "aten.add_tensor"(%0, %n) {alpha = 1 : i64} : (tensor<4x4xf32, #aten.layout<"cpu", [1, 4], 0 : i64, unit>>, tensor<i64>) -> tensor<4x4xf32, #aten.layout<"cpu", [1, 4], 0 : i64, unit>>
  %2 = "aten.clone"(%1) {memory_format = #aten.enum<"memory_format", "contiguous_format">} : (tensor<4x4xf32, #aten.layout<"cpu", [1, 4], 0 : i64, unit>>) -> !t
  %3 = "aten.copy_"(%x, %2) {non_blocking = false} : (!t, !t) -> !t
  return
}

// -----

!x = tensor<8x4xf32>

// A row that is read for every other row.
// CHECK-LABEL: func.func @graph
// CHECK:         aten.copies = {"0" = "the kernel reads other elements than the one that it writes"}
func.func @graph(%x: !x) attributes {aten.stage = "functional", aten.io_aliases = [], aten.io_writes = [0]} {
  %0 = "aten.select_int"(%x) {dim = 0 : i64, index = 2 : i64} : (!x) -> tensor<4xf32, #aten.layout<"cpu", [1], 8 : i64, unit>>
  %1 = "aten.add_tensor"(%x, %0) {alpha = 1 : i64} : (!x, tensor<4xf32, #aten.layout<"cpu", [1], 8 : i64, unit>>) -> !x
  %2 = "aten.copy_"(%x, %1) {non_blocking = false} : (!x, !x) -> !x
  return
}

// -----

!x = tensor<8x4xf32>

// What is written to x does not come from x, so nothing says that x is read before; y is.
// CHECK-LABEL: func.func @graph
// CHECK:         aten.inplace = [2]
// CHECK:         updates = [-1, 2]
// CHECK:         "aten.copy_"(%arg0, {{.*}}what the kernel writes does not depend on what it reads there
// CHECK:         "aten.copy_"(%arg1, {{.*}} {non_blocking = false}
func.func @graph(%x: !x, %y: !x) attributes {aten.stage = "functional", aten.io_aliases = [], aten.io_writes = [0, 1]} {
  %0 = "aten.neg"(%y) : (!x) -> !x
  %1 = "aten.mul_tensor"(%x, %y) : (!x, !x) -> !x
  %2 = "aten.copy_"(%x, %0) {non_blocking = false} : (!x, !x) -> !x
  %3 = "aten.copy_"(%y, %1) {non_blocking = false} : (!x, !x) -> !x
  return
}

// -----

!t = tensor<4x4xf32>

// The old value is read later.
// CHECK-LABEL: func.func @graph
// CHECK:         aten.copies = {"0" = "{{.*}}mm{{.*}} reads the old value later"}
func.func @graph(%x: !t) -> !t attributes {aten.stage = "functional", aten.io_aliases = [], aten.io_writes = [0]} {
  %0 = "aten.neg"(%x) : (!t) -> !t
  %1 = "aten.mm"(%x, %0) : (!t, !t) -> !t
  %2 = "aten.copy_"(%x, %0) {non_blocking = false} : (!t, !t) -> !t
  return %1 : !t
}

// -----

!x = tensor<8x4xf32>

// The caller gets the new value as a tensor of its own.
// CHECK-LABEL: func.func @graph
// CHECK:         aten.copies = {"0" = "the caller gets the result, and has or gets the operand's memory"}
func.func @graph(%x: !x) -> !x attributes {aten.stage = "functional", aten.io_aliases = [], aten.io_writes = [0]} {
  %0 = "aten.neg"(%x) : (!x) -> !x
  %1 = "aten.copy_"(%x, %0) {non_blocking = false} : (!x, !x) -> !x
  return %0 : !x
}

// -----

!x = tensor<8x4xf32>

// Two inputs in one storage.
// CHECK-LABEL: func.func @graph
// CHECK:         aten.copies = {"0" = "another graph input shares the operand's storage"}
func.func @graph(%x: !x, %y: !x) attributes {aten.stage = "functional", aten.io_aliases = [[0, 1]], aten.io_writes = [0]} {
  %0 = "aten.add_tensor"(%x, %y) {alpha = 1 : i64} : (!x, !x) -> !x
  %1 = "aten.copy_"(%x, %0) {non_blocking = false} : (!x, !x) -> !x
  return
}

// -----

!x = tensor<8x4xf32>
!r = tensor<8xf32>

// A running mean: written once a row, from what the row gave.
// CHECK-LABEL: func.func @graph
// CHECK:         "loop.kernel"(%arg1, %arg0, %arg0)
// CHECK:         aten.inplace = [2]
func.func @graph(%mean: !r, %x: !x) attributes {aten.stage = "functional", aten.io_aliases = [], aten.io_writes = [0]} {
  %0 = "aten.mean_dim"(%x) {dim = [1], keepdim = false, dtype = #aten.none} : (!x) -> !r
  %1 = "aten.add_tensor"(%mean, %0) {alpha = 1 : i64} : (!r, !r) -> !r
  %2 = "aten.copy_"(%mean, %1) {non_blocking = false} : (!r, !r) -> !r
  return
}

// -----

!x = tensor<8x4xf32>

// Rows are walked along more than once.
// CHECK-LABEL: func.func @graph
// CHECK:         aten.copies = {"0" = "the kernel reduces, and does not write once a row what the row gave"}
func.func @graph(%x: !x) attributes {aten.stage = "functional", aten.io_aliases = [], aten.io_writes = [0]} {
  %0 = "aten.u_softmax"(%x) {dim = 1 : i64, half_to_float = false} : (!x) -> !x
  %1 = "aten.copy_"(%x, %0) {non_blocking = false} : (!x, !x) -> !x
  return
}

// -----

!r = tensor<8xf32>

// An index that may be out of range: nothing is written before it is checked.
// CHECK-LABEL: func.func @graph
// CHECK:         aten.copies = {"0" = "the kernel may fail"}
func.func @graph(%x: !r, %y: !r, %at: tensor<8xi64>) attributes {aten.stage = "functional", aten.io_aliases = [], aten.io_writes = [0]} {
  %0 = "aten.gather"(%y, %at) {dim = 0 : i64, sparse_grad = false} : (!r, tensor<8xi64>) -> !r
  %1 = "aten.add_tensor"(%x, %0) {alpha = 1 : i64} : (!r, !r) -> !r
  %2 = "aten.copy_"(%x, %1) {non_blocking = false} : (!r, !r) -> !r
  return
}

// -----

// The input has gaps, the kernel's result has none.
// CHECK-LABEL: func.func @graph
// CHECK:         aten.copies = {"0" = "the result is laid out otherwise than the operand"}
func.func @graph(%x: tensor<4xf32, #aten.layout<"cpu", [2], 0 : i64, unit>>) attributes {aten.stage = "functional", aten.io_aliases = [], aten.io_writes = [0]} {
  %0 = "aten.neg"(%x) : (tensor<4xf32, #aten.layout<"cpu", [2], 0 : i64, unit>>) -> tensor<4xf32>
  %1 = "aten.copy_"(%x, %0) {non_blocking = false} : (tensor<4xf32, #aten.layout<"cpu", [2], 0 : i64, unit>>, tensor<4xf32>) -> tensor<4xf32, #aten.layout<"cpu", [2], 0 : i64, unit>>
  return
}

// -----

!x = tensor<8x4xf32>

// One result for two inputs.
// CHECK-LABEL: func.func @graph
// CHECK:         updates = [1]
// CHECK:         "aten.copy_"(%arg0, {{.*}}aten.copies = {"0" = "the result is read after the copy_ onto the input"}
func.func @graph(%x: !x, %y: !x) attributes {aten.stage = "functional", aten.io_aliases = [], aten.io_writes = [0, 1]} {
  %0 = "aten.neg"(%x) : (!x) -> !x
  %1 = "aten.copy_"(%x, %0) {non_blocking = false} : (!x, !x) -> !x
  %2 = "aten.copy_"(%y, %0) {non_blocking = false} : (!x, !x) -> !x
  return
}

// -----

!x = tensor<8x4xf32>

// What is written last is what the kernel starts from: not the input, of which a row is new by then.
// CHECK-LABEL: func.func @graph
// CHECK:         %[[R:.*]] = "loop.kernel"(%arg0, %arg1)
// CHECK:         updates = [0]
// CHECK:         "loop.kernel"(%[[R]], %[[R]])
// CHECK:         aten.inplace = [1]
func.func @graph(%x: !x, %row: tensor<4xf32>) attributes {aten.stage = "functional", aten.io_aliases = [], aten.io_writes = [0]} {
  %0 = "aten.select_scatter"(%x, %row) {aten.inplace = [0], dim = 0 : i64, index = 2 : i64} : (!x, tensor<4xf32>) -> !x
  %1 = "aten.neg"(%0) : (!x) -> !x
  %2 = "aten.copy_"(%x, %1) {non_blocking = false} : (!x, !x) -> !x
  return
}

// -----

!x = tensor<8x4xf32>
!h = tensor<4x4xf32, #aten.layout<"cpu", [4, 1], 16 : i64, unit>>
!b = tensor<4x4xf32>

// The rows that are read are not those that are written, nor is the input read that a row of another is written over.
// CHECK-LABEL: func.func @graph
// CHECK:         "loop.kernel"(%arg0, %arg0)
// CHECK:         aten.inplace = [{{[01]}}]
// CHECK:         "loop.kernel"(%arg2, %arg1)
// CHECK:         aten.inplace = [1]
func.func @graph(%x: !x, %y: !b, %z: !b) attributes {aten.stage = "functional", aten.io_aliases = [], aten.io_writes = [0, 1]} {
  %0 = "aten.slice_tensor"(%x) {dim = 0 : i64, start = 4 : i64, end = 8 : i64, step = 1 : i64} : (!x) -> !h
  %2 = "aten.slice_scatter"(%x, %0) {aten.inplace = [0], dim = 0 : i64, start = 0 : i64, end = 4 : i64, step = 1 : i64} : (!x, !h) -> !x
  %3 = "aten.u_softmax"(%z) {dim = 1 : i64, half_to_float = false} : (!b) -> !b
  %4 = "aten.copy_"(%x, %2) {non_blocking = false} : (!x, !x) -> !x
  %5 = "aten.copy_"(%y, %3) {non_blocking = false} : (!b, !b) -> !b
  return
}

// -----

!x = tensor<8x4xf32>
!r = tensor<1x4xf32>

// The rows that are not written are another tensor's.
// CHECK-LABEL: func.func @graph
// CHECK:         updates = [0]
// CHECK:         "aten.copy_"(%arg0, {{.*}}aten.copies = {"0" = "the kernel keeps elements of another tensor"}
func.func @graph(%x: !x, %y: !x, %new: !r) attributes {aten.stage = "functional", aten.io_aliases = [], aten.io_writes = [0]} {
  %0 = "aten.as_strided_scatter"(%y, %new) {size = [1, 4], stride = [4, 1], storage_offset = 8 : i64} : (!x, !r) -> !x
  %1 = "aten.copy_"(%x, %0) {non_blocking = false} : (!x, !x) -> !x
  return
}

// -----

!x = tensor<8x4xf32>
!r = tensor<1x4xf32>

// They are the input's own.
// CHECK-LABEL: func.func @graph
// CHECK:         aten.inplace = [{{[0-9]}}]
// CHECK-NOT:     aten.copies
func.func @graph(%x: !x, %new: !r) attributes {aten.stage = "functional", aten.io_aliases = [], aten.io_writes = [0]} {
  %0 = "aten.as_strided_scatter"(%x, %new) {size = [1, 4], stride = [4, 1], storage_offset = 8 : i64} : (!x, !r) -> !x
  %1 = "aten.copy_"(%x, %0) {non_blocking = false} : (!x, !x) -> !x
  return
}
