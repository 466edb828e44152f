// RUN: %mlirind-opt %s --convert-aten-to-loop --fuse-kernels --verify-ir --split-input-file | %FileCheck %s

// What lies between two matmuls is one kernel: the value that has another use is its second result, the reduction's rows are those
// of what follows it.
// CHECK-LABEL: func.func @graph
// CHECK:         %[[MM:.*]] = "aten.mm"(%arg0, %arg1)
// CHECK:         %[[K:.*]]:2 = "loop.kernel"(%{{.*}}, %{{.*}}) ({
// CHECK:           %[[S:.*]] = arith.addf
// CHECK:           %[[M:.*]] = "loop.reduce"(%[[S]]) {{.*}}kind = "max"
// CHECK:           arith.subf %[[S]], %[[M]]
// CHECK:         }) {computes = ["add", "amax", "sub"], domain = #{{.*}}, kernel_name = "fused_add_amax_sub"
// CHECK-NOT:     loop.kernel
// CHECK:         "aten.mm"(%[[K]]#{{[01]}}, %arg1)
// CHECK:         return %{{.*}}, %[[K]]#{{[01]}}
func.func @graph(%x: tensor<64x64xf32>, %w: tensor<64x64xf32>) -> (tensor<64x64xf32>, tensor<64x64xf32>) {
  %0 = "aten.mm"(%x, %w) : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %1 = "aten.add_tensor"(%0, %x) {alpha = 1 : i64} : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %2 = "aten.amax"(%1) {dim = [1], keepdim = true} : (tensor<64x64xf32>) -> tensor<64x1xf32>
  %3 = "aten.sub_tensor"(%1, %2) {alpha = 1 : i64} : (tensor<64x64xf32>, tensor<64x1xf32>) -> tensor<64x64xf32>
  %4 = "aten.mm"(%3, %w) : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  return %4, %1 : tensor<64x64xf32>, tensor<64x64xf32>
}

// -----

// A view between two kernels is a change of coordinates; the domain is the finer one.
// CHECK:       #[[DOMAIN:.*]] = affine_map<() -> (2, 3, 4)>
// CHECK-LABEL: func.func @graph
// CHECK-NOT:     aten.view
// CHECK:         "loop.kernel"(%arg0)
// CHECK:         math.absf
// CHECK:         arith.mulf
// CHECK:         }) {{.*}}domain = #[[DOMAIN]]
// CHECK-NOT:     loop.kernel
func.func @graph(%x: tensor<2x3x4xf32>) -> tensor<6x4xf32> {
  %0 = "aten.abs"(%x) : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  %1 = "aten.view"(%0) {size = [6, 4]} : (tensor<2x3x4xf32>) -> tensor<6x4xf32>
  %2 = "aten.mul_tensor"(%1, %1) : (tensor<6x4xf32>, tensor<6x4xf32>) -> tensor<6x4xf32>
  return %2 : tensor<6x4xf32>
}

// -----

// A light value that two kernels of different domains need is computed in both; a heavy one is stored once.
// CHECK-LABEL: func.func @graph
// CHECK:         "loop.kernel"(%arg0)
// CHECK:           arith.negf
// CHECK:           "loop.reduce"{{.*}}kind = "add"
// CHECK:         "loop.kernel"(%arg0)
// CHECK:           arith.negf
// CHECK:           "loop.reduce"{{.*}}kind = "max"
// CHECK-NOT:     arith.negf
// CHECK:         %[[E:.*]]:2 = "loop.kernel"(%arg1)
// CHECK:           math.tanh
// CHECK:         "loop.kernel"(%[[E]]#{{[01]}})
// CHECK-NOT:       math.tanh
func.func @graph(%x: tensor<32x64xf32>, %y: tensor<32x64xf32>) -> (tensor<32xf32>, tensor<64xf32>, tensor<32xf32>, tensor<64xf32>) {
  %0 = "aten.neg"(%x) : (tensor<32x64xf32>) -> tensor<32x64xf32>
  %1 = "aten.sum_dim_intlist"(%0) {dim = [1], keepdim = false, dtype = #aten.none} : (tensor<32x64xf32>) -> tensor<32xf32>
  %2 = "aten.amax"(%0) {dim = [0], keepdim = false} : (tensor<32x64xf32>) -> tensor<64xf32>
  %3 = "aten.tanh"(%y) : (tensor<32x64xf32>) -> tensor<32x64xf32>
  %4 = "aten.amin"(%3) {dim = [1], keepdim = false} : (tensor<32x64xf32>) -> tensor<32xf32>
  %5 = "aten.amax"(%3) {dim = [0], keepdim = false} : (tensor<32x64xf32>) -> tensor<64xf32>
  return %1, %2, %4, %5 : tensor<32xf32>, tensor<64xf32>, tensor<32xf32>, tensor<64xf32>
}

// -----

// A producer under a mask is computed with the mask in its loads.
// CHECK-LABEL: func.func @graph
// CHECK:         "loop.kernel"(%arg0)
// CHECK:           %[[MASK:.*]] = arith.cmpi
// CHECK:           "loop.load"({{.*}}, %[[MASK]]) {map = #{{.*}}, operandSegmentSizes = array<i32: 1, 1, 1>}
// CHECK:           math.exp
// CHECK:           arith.select
func.func @graph(%x: tensor<5xf32>) -> tensor<8xf32> {
  %0 = "aten.exp"(%x) : (tensor<5xf32>) -> tensor<5xf32>
  %1 = "aten.constant_pad_nd"(%0) {pad = [0, 3], value = 2 : i64} : (tensor<5xf32>) -> tensor<8xf32>
  return %1 : tensor<8xf32>
}

// -----

// What reads an input stays before the write to it, also where it could join a kernel behind it.
// CHECK-LABEL: func.func @graph
// CHECK:         "loop.kernel"(%arg0)
// CHECK:           math.sin
// CHECK:         "aten.copy_"(%arg0, %arg1)
func.func @graph(%x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
  %0 = "aten.sin"(%x) : (tensor<8xf32>) -> tensor<8xf32>
  %1 = "aten.copy_"(%x, %y) {non_blocking = false} : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  %2 = "aten.add_tensor"(%0, %1) {alpha = 1 : i64} : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  return %2 : tensor<8xf32>
}

// -----

// A view of one member's result comes after the kernel, which stands where the last member stood.
// CHECK-LABEL: func.func @graph
// CHECK:         %[[K:.*]]:2 = "loop.kernel"(%arg0)
// CHECK:         "aten.permute"(%[[K]]#
// CHECK:         "aten.mm"
func.func @graph(%x: tensor<64x64xf32>) -> (tensor<64x64xf32>, tensor<64x64xf32>) {
  %0 = "aten.neg"(%x) : (tensor<64x64xf32>) -> tensor<64x64xf32>
  %1 = "aten.permute"(%0) {dims = [1, 0]} : (tensor<64x64xf32>) -> tensor<64x64xf32, #aten.layout<"cpu", [1, 64], 0 : i64, unit>>
  %2 = "aten.abs"(%x) : (tensor<64x64xf32>) -> tensor<64x64xf32>
  %3 = "aten.mm"(%1, %x) : (tensor<64x64xf32, #aten.layout<"cpu", [1, 64], 0 : i64, unit>>, tensor<64x64xf32>) -> tensor<64x64xf32>
  return %3, %2 : tensor<64x64xf32>, tensor<64x64xf32>
}

// -----

// A result that nobody uses is neither computed nor stored, also of a kernel that stays alone.
// CHECK-LABEL: func.func @graph
// CHECK:         %{{.*}} = "loop.kernel"(%arg0)
// CHECK-COUNT-1: "loop.store"
// CHECK-NOT:     "loop.store"
// CHECK:         return
func.func @graph(%x: tensor<4x64xf32>) -> tensor<4xf32> {
  %0, %1 = "aten.var_mean_correction"(%x) {dim = [1], correction = 1 : i64, keepdim = false} : (tensor<4x64xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  return %0 : tensor<4xf32>
}

// -----

// Two kernels read one tensor in different shapes: they share a loop nest.
// CHECK-LABEL: func.func @graph
// CHECK:         %{{.*}}:2 = "loop.kernel"(%arg1, %arg0)
// CHECK-NOT:     loop.kernel
// CHECK:         "aten.mm"
func.func @graph(%x: tensor<64x64xf32>, %g: tensor<4x16x64xf32>) -> (tensor<64x64xf32>, tensor<4x16x64xf32>) {
  %0 = "aten.gelu"(%x) {approximate = "none"} : (tensor<64x64xf32>) -> tensor<64x64xf32>
  %1 = "aten.view"(%x) {size = [4, 16, 64]} : (tensor<64x64xf32>) -> tensor<4x16x64xf32>
  %2 = "aten.gelu_backward"(%g, %1) {approximate = "none"} : (tensor<4x16x64xf32>, tensor<4x16x64xf32>) -> tensor<4x16x64xf32>
  %3 = "aten.mm"(%0, %x) : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  return %3, %2 : tensor<64x64xf32>, tensor<4x16x64xf32>
}

// -----

// What is written to a part of a tensor may be computed of what it replaces in the kernel that writes it: an element is read before.
// CHECK-LABEL: func.func @graph
// CHECK:         "loop.kernel"
// CHECK:           arith.addf
// CHECK:         }) {{.*}}aten.inplace = [{{.*}}]{{.*}}computes = ["slice_scatter", "add"]
// CHECK-NOT:     loop.kernel
func.func @graph(%x: tensor<6x300xf32>, %y: tensor<2x300xf32>) -> tensor<6x300xf32> {
  %0 = "aten.slice_tensor"(%x) {dim = 0 : i64, start = 2 : i64, end = 4 : i64, step = 1 : i64} : (tensor<6x300xf32>) -> tensor<2x300xf32, #aten.layout<"cpu", [300, 1], 600 : i64, unit>>
  %1 = "aten.add_tensor"(%0, %y) {alpha = 1 : i64} : (tensor<2x300xf32, #aten.layout<"cpu", [300, 1], 600 : i64, unit>>, tensor<2x300xf32>) -> tensor<2x300xf32>
  %2 = "aten.slice_scatter"(%x, %1) {aten.inplace = [0], dim = 0 : i64, start = 2 : i64, end = 4 : i64, step = 1 : i64} : (tensor<6x300xf32>, tensor<2x300xf32>) -> tensor<6x300xf32>
  %3 = "aten.copy_"(%x, %2) {non_blocking = false} : (tensor<6x300xf32>, tensor<6x300xf32>) -> tensor<6x300xf32>
  return %3 : tensor<6x300xf32>
}

// -----

// Not of what stands beside it: another point may have written that.
// CHECK-LABEL: func.func @graph
// CHECK:         "loop.kernel"
// CHECK:           arith.addf
// CHECK:         }) {{.*}}computes = ["add"]
// CHECK:         "loop.kernel"
// CHECK:         }) {{.*}}computes = ["slice_scatter"]
func.func @graph(%x: tensor<6x300xf32>, %y: tensor<2x300xf32>) -> tensor<6x300xf32> {
  %0 = "aten.slice_tensor"(%x) {dim = 0 : i64, start = 1 : i64, end = 3 : i64, step = 1 : i64} : (tensor<6x300xf32>) -> tensor<2x300xf32, #aten.layout<"cpu", [300, 1], 300 : i64, unit>>
  %1 = "aten.add_tensor"(%0, %y) {alpha = 1 : i64} : (tensor<2x300xf32, #aten.layout<"cpu", [300, 1], 300 : i64, unit>>, tensor<2x300xf32>) -> tensor<2x300xf32>
  %2 = "aten.slice_scatter"(%x, %1) {aten.inplace = [0], dim = 0 : i64, start = 2 : i64, end = 4 : i64, step = 1 : i64} : (tensor<6x300xf32>, tensor<2x300xf32>) -> tensor<6x300xf32>
  %3 = "aten.copy_"(%x, %2) {non_blocking = false} : (tensor<6x300xf32>, tensor<6x300xf32>) -> tensor<6x300xf32>
  return %3 : tensor<6x300xf32>
}

// -----

// Inside of a padding, the number of a row is loaded once a row: only an access that depends on the column needs the mask.
// CHECK-LABEL: func.func @graph
// CHECK:         ^bb0({{.*}}, %[[D0:[^:]*]]: index, %[[D1:[^:]*]]: index):
// CHECK:           "loop.load"(%{{[^,]*}}, %[[D0]], %[[D1]], %{{[^,]*}}) {map
// CHECK:           "loop.load"(%{{[^,]*}}, %[[D0]]) {map
// CHECK:           "loop.yield"
func.func @graph(%x: tensor<4x5xf32>, %r: tensor<4x1xf32>) -> tensor<4x8xf32> attributes {aten.stage = "functional", aten.io_aliases = []} {
  %0 = "aten.mul_tensor"(%x, %r) : (tensor<4x5xf32>, tensor<4x1xf32>) -> tensor<4x5xf32>
  %1 = "aten.constant_pad_nd"(%0) {pad = [0, 3], value = 1.0 : f64} : (tensor<4x5xf32>) -> tensor<4x8xf32>
  return %1 : tensor<4x8xf32>
}

// -----

!x = tensor<256x256xf32>
!b = tensor<1180x256xf32>

// The first add is needed again later. To compute it there as well, both of its operands would have to be held, for which memory has no
// room: so the sum is stored, and not one operand.
// CHECK-LABEL: func.func @graph
// CHECK:         %[[X:.*]] = "aten.mm"(%arg1, %arg1)
// CHECK:         %[[S:.*]]:2 = "loop.kernel"(%{{.*}}, %[[X]])
// CHECK:         %[[T:.*]] = "aten.mm"(%[[S]]#1, %arg1)
// CHECK-NEXT:    %[[H:.*]] = "aten.mm"(%[[T]], %arg1)
// CHECK-NEXT:    "loop.kernel"(%[[S]]#0, %[[H]])
func.func @graph(%p: !b, %a: !x) -> (!x, !x, tensor<f32>) attributes {aten.stage = "functional", aten.io_aliases = []} {
  %0 = "aten.mm"(%p, %a) : (!b, !x) -> !b
  %1 = "aten.sum"(%0) {dtype = #aten.none} : (!b) -> tensor<f32>
  %2 = "aten.mm"(%a, %a) : (!x, !x) -> !x
  %3 = "aten.mm"(%2, %a) : (!x, !x) -> !x
  %4 = "aten.neg"(%3) : (!x) -> !x
  %5 = "aten.add_tensor"(%2, %4) {alpha = 1 : i64} : (!x, !x) -> !x
  %6 = "aten.relu"(%5) : (!x) -> !x
  %7 = "aten.mm"(%6, %a) : (!x, !x) -> !x
  %8 = "aten.mm"(%7, %a) : (!x, !x) -> !x
  %9 = "aten.add_tensor"(%5, %8) {alpha = 1 : i64} : (!x, !x) -> !x
  %10 = "aten.mm"(%9, %a) : (!x, !x) -> !x
  return %9, %10, %1 : !x, !x, tensor<f32>
}
