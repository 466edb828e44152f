// RUN: %mlirind-opt %s --convert-host-to-llvm --split-input-file | %FileCheck %s

!x = tensor<2x3xf32, #aten.layout<"cpu", [3, 1], 0 : i64, unit>>
!w = tensor<3x4xf32, #aten.layout<"cpu", [4, 1], 0 : i64, unit>>
!y = tensor<2x4xf32, #aten.layout<"cpu", [4, 1], 0 : i64, unit>>

// An operator with a C form is called by it, on a tensor allocated for it; where that fails, Python repeats it. What a kernel
// returns is looked at. What is done between the calls is a list of steps: views (2) of weights, allocation (1), drops (3), comparison (8)
// of what the operator left with what it declares, with what Python says where they differ.
// CHECK:       #aten.operand<0 : i64>, #aten.operand<1 : i64>], place = "-:{{[0-9]+}}", repeats, results = 1 : i64, symbols = [], target = "aten.mm.default"
// CHECK-SAME:  {place = "-:{{[0-9]+}}", refuses = "aten.mm.default", tensors = {{\[\[}}"the result", "float32", "cpu"]]}
// CHECK-LABEL: llvm.func @mlirind_run(%arg0: !llvm.ptr, %arg1: !llvm.ptr) -> !llvm.ptr
// CHECK:         llvm.call @mlirind_host_unwrap
// CHECK:         llvm.call @PyEval_SaveThread
// CHECK:         llvm.call @mlirind_host_steps
// CHECK:         %[[FAILED:.*]] = llvm.call @aoti_torch_cpu_mm_out
// CHECK:         llvm.call @mlirind_host_settle(%{{.*}}, %[[FAILED]], %{{.*}})
// CHECK:         llvm.call @mlirind_host_steps
// CHECK:         %[[STATUS:.*]] = llvm.call @kernel.exp_0
// CHECK:         llvm.icmp "ne" %[[STATUS]]
// CHECK:         llvm.call @mlirind_host_steps
// CHECK:         %[[OUTPUTS:.*]] = llvm.call @mlirind_host_finish
// CHECK:         llvm.return %[[OUTPUTS]]
// CHECK-NOT:   func.func
module {
"loop.func"() ({
^bb0(%in: memref<?xf32>, %out: memref<?xf32>, %i: index):
  %v = "loop.load"(%in, %i) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 0>} : (memref<?xf32>, index) -> f32
  "loop.store"(%out, %v, %i) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 1, 0>} : (memref<?xf32>, f32, index) -> ()
  "loop.yield"() : () -> ()
}) {sym_name = "exp_0", domain = affine_map<() -> (8)>, symbols = [], outputs = 1 : i64} : () -> ()
func.func @graph(%x: !x, %w: !w) -> !y {
  %0 = "host.call"(%x, %w) {target = "aten.mm.default", arguments = [#aten.operand<0 : i64>, #aten.operand<1 : i64>], reason = "library", operandSegmentSizes = array<i32: 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>, resultSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (!x, !w) -> !y
  %1 = "host.alloc"() : () -> !y
  "host.launch"(%0, %1) {kernel = @exp_0, symbols = [], operandSegmentSizes = array<i32: 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (!y, !y) -> ()
  "host.free"(%0) : (!y) -> ()
  return %1 : !y
}
}

// -----

!x = tensor<?xf32, #aten.layout<"cpu", [1], 0 : i64, [#aten.expr<"s0">]>>
!y = tensor<?xf32, #aten.layout<"cpu", [1], 0 : i64, [#aten.expr<"2*s0 + 1">]>>

// Sizes are computed; an operator without a C form is Python's.
// CHECK:       symbols = ["s0"], target = "aten.constant_pad_nd.default"
// CHECK-LABEL: llvm.func @mlirind_run
// CHECK:         llvm.call @mlirind_host_steps
// CHECK:         %[[S0:.*]] = llvm.load %{{.*}} -> i64
// CHECK:         %[[TWICE:.*]] = llvm.mul %{{.*}}, %[[S0]]
// CHECK:         %[[SIZE:.*]] = llvm.add %{{.*}}, %[[TWICE]]
// CHECK:         llvm.store %[[SIZE]]
// CHECK:         llvm.call @mlirind_host_steps
func.func @graph(%x: !x) -> (!y, !y) {
  %0 = "host.call"(%x) {target = "aten.constant_pad_nd.default", arguments = [#aten.operand<0 : i64>, [0, #aten.expr<"s0 + 1">], 0], reason = "no lowering", operandSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>, resultSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (!x) -> !y
  %1 = "host.alloc"() : () -> !y
  return %0, %1 : !y, !y
}

// -----

!x = tensor<?xf32, #aten.layout<"cuda:1", [1], 0 : i64, [#aten.expr<"s0">]>>

// Kernels on a GPU: a guard of the device and its stream, grids from sizes, an object that says where the code is; scratch memory is
// allocated before and dropped after. On every way out the guard goes.
// CHECK:       host.callables = [{device = "cuda:1"}, {launch = "exp_0"}]
// CHECK-LABEL: llvm.func @mlirind_run
// CHECK:         %[[RECORD:.*]] = llvm.mlir.addressof @kernel.exp_0
// CHECK:         llvm.call @aoti_torch_delete_cuda_guard
// CHECK:         llvm.call @mlirind_host_fail
// CHECK:         llvm.call @PyEval_SaveThread
// CHECK:         llvm.call @aoti_torch_create_cuda_guard(%[[DEVICE:.*]], %{{.*}}) : (i32, !llvm.ptr) -> i32
// CHECK:         llvm.call @mlirind_host_settle
// CHECK:         llvm.call @aoti_torch_get_current_cuda_stream(%[[DEVICE]], %{{.*}}) : (i32, !llvm.ptr) -> i32
// CHECK:         %[[S0:.*]] = llvm.load %{{.*}} -> i64
// CHECK:         %[[BYTES:.*]] = llvm.mul %[[S0]], %{{.*}} : i64
// CHECK:         llvm.store %[[BYTES]]
// CHECK:         llvm.call @mlirind_host_steps
// CHECK:         llvm.sdiv
// CHECK:         %[[STATUS:.*]] = llvm.call @mlirind_host_launch(%{{.*}}, %[[RECORD]], %{{.*}}, %{{.*}}, %{{.*}})
// CHECK:         llvm.icmp "ne" %[[STATUS]]
// CHECK:         llvm.call @mlirind_host_steps
// CHECK:         llvm.call @aoti_torch_delete_cuda_guard
// CHECK:         llvm.call @mlirind_host_finish
// CHECK:         llvm.mlir.global external @kernel.exp_0() {addr_space = 0 : i32} : i64
module {
"loop.func"() ({
^bb0(%in: memref<?xf32>, %out: memref<?xf32>, %i: index):
  %v = "loop.load"(%in, %i) {map = affine_map<(d0)[s0] -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 0>} : (memref<?xf32>, index) -> f32
  "loop.store"(%out, %v, %i) {map = affine_map<(d0)[s0] -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 1, 0>} : (memref<?xf32>, f32, index) -> ()
  "loop.yield"() : () -> ()
}) {sym_name = "exp_0", domain = affine_map<()[s0] -> (s0)>, symbols = [#aten.expr<"s0">], outputs = 1 : i64, device = "cuda:1",
    grids = [affine_map<()[s0] -> (s0 ceildiv 256)>, affine_map<()[s0] -> (1)>], scratch = affine_map<()[s0] -> (s0 * 4)>} : () -> ()
func.func @graph(%x: !x) -> !x {
  %0 = "host.alloc"() : () -> !x
  "host.launch"(%x, %0) {kernel = @exp_0, symbols = [#aten.expr<"s0">], operandSegmentSizes = array<i32: 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (!x, !x) -> ()
  return %0 : !x
}
}

// -----

!x = tensor<4x5xf32, #aten.layout<"cpu", [5, 1], 0 : i64, unit>>
!i = tensor<4x3xi64, #aten.layout<"cpu", [3, 1], 0 : i64, unit>>
!v = tensor<4x3xf32, #aten.layout<"cpu", [3, 1], 0 : i64, unit>>

// What an operator makes for the caller is no view, however its kernel makes it; where nobody gets it, nothing is done about that.
// CHECK-LABEL: llvm.func @mlirind_run
// CHECK:         llvm.call @mlirind_host_unwrap
// CHECK-NOT:     llvm.call @mlirind_host_hide_views
// CHECK:         llvm.call @aoti_torch_cpu_topk
// CHECK:         %[[BEFORE:.*]] = llvm.call @mlirind_host_hide_views(%{{.*}}) : (i32) -> i32
// CHECK-NEXT:    %[[STATUS:.*]] = llvm.call @aoti_torch_cpu_topk
// CHECK-NEXT:    llvm.call @mlirind_host_hide_views(%[[BEFORE]])
// CHECK:         llvm.call @mlirind_host_settle(%{{.*}}, %[[STATUS]], %{{.*}})
func.func @graph(%x: !x) -> !v {
  %0:2 = "host.call"(%x) {target = "aten.topk.default", arguments = [#aten.operand<0 : i64>, 3, 1, true, true], reason = "library", operandSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>, resultSegmentSizes = array<i32: 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (!x) -> (!v, !i)
  %1:2 = "host.call"(%x) {target = "aten.topk.default", arguments = [#aten.operand<0 : i64>, 3, 1, false, true], reason = "library", operandSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>, resultSegmentSizes = array<i32: 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (!x) -> (!v, !i)
  return %1#0 : !v
}

// -----

!p = tensor<i1, #aten.layout<"cpu", [], 0 : i64, unit>>
!x = tensor<4xf32, #aten.layout<"cpu", [1], 0 : i64, unit>>

// Control flow whose bodies are native functions: their records are external objects. Python can repeat the call. A stacked result is
// allocated before `scan`.
// CHECK:       host.callables = [{{.*}}repeats{{.*}}target = "mlirindopaque.cond_Tx2_r1.default"}
// CHECK-LABEL: llvm.func @mlirind_run
// CHECK-DAG:     %[[B0:.*]] = llvm.mlir.addressof @body.0
// CHECK-DAG:     %[[B1:.*]] = llvm.mlir.addressof @body.1
// CHECK-DAG:     %[[B2:.*]] = llvm.mlir.addressof @body.2
// CHECK:         llvm.call @mlirind_host_steps
// CHECK:         llvm.call @mlirind_host_cond(%{{.*}}, %{{.*}}, %[[B0]], %[[B1]]
// CHECK:         llvm.call @mlirind_host_while(%{{.*}}, %[[B0]], %[[B1]]
// CHECK:         llvm.call @mlirind_host_steps
// CHECK:         llvm.call @mlirind_host_scan(%{{.*}}, %[[B2]]
func.func @graph(%p: !p, %x: !x) -> !x {
  %0 = "host.call"(%p, %x) {target = "mlirindopaque.cond_Tx2_r1.default", arguments = [7, #aten.operand<0 : i64>, #aten.operand<1 : i64>], reason = "opaque", host.control = {kind = "cond", bodies = ["body.0", "body.1"], inputs = [#aten.operand<0 : i64>, #aten.operand<1 : i64>], counts = array<i64: 0, 0>, places = array<i64: 0>, in_place = array<i64>}, operandSegmentSizes = array<i32: 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>, resultSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (!p, !x) -> !x
  %1 = "host.call"(%p, %0) {target = "mlirindopaque.while_loop_Tx2_r1.default", arguments = [8, #aten.operand<0 : i64>, #aten.operand<1 : i64>], reason = "opaque", host.control = {kind = "while_loop", bodies = ["body.0", "body.1"], inputs = [#aten.operand<1 : i64>, #aten.operand<0 : i64>], counts = array<i64: 1, 0>, places = array<i64: 0>, in_place = array<i64>}, operandSegmentSizes = array<i32: 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>, resultSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (!p, !x) -> !x
  %2 = "host.call"(%p, %1) {target = "mlirindopaque.map_impl_Tx2_r1.default", arguments = [9, #aten.operand<0 : i64>, #aten.operand<1 : i64>], reason = "opaque", host.control = {kind = "map_impl", bodies = ["body.2"], inputs = [#aten.operand<1 : i64>, #aten.operand<0 : i64>, 3], counts = array<i64: 0, 1>, places = array<i64: 0>, in_place = array<i64: 1>}, operandSegmentSizes = array<i32: 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>, resultSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (!p, !x) -> !x
  return %2 : !x
}
