// RUN: %mlirind-opt %s --convert-body-to-llvm --split-input-file | %FileCheck %s

!x = tensor<2x3xf32, #aten.layout<"cpu", [3, 1], 0 : i64, unit>>

// A body takes handles, and returns a status. The caller may give the memory of the first result, which the body allocates, but not that of
// the second, which an operator makes. If a kernel fails, the status is 2.
// CHECK:       host.given = array<i64: 1, 0>
// CHECK-LABEL: llvm.func @mlirind_run(%arg0: !llvm.ptr, %arg1: !llvm.ptr, %arg2: !llvm.ptr, %arg3: !llvm.ptr) -> i32
// CHECK-DAG:     %[[AGAIN:.*]] = llvm.mlir.constant(2 : i32) : i32
// CHECK-DAG:     %[[FINE:.*]] = llvm.mlir.constant(0 : i32) : i32
// CHECK-DAG:     %[[RAISED:.*]] = llvm.mlir.constant(1 : i32) : i32
// CHECK:         llvm.call @mlirind_host_enter(%{{.*}}, %arg0, %arg1, %arg2)
// CHECK:         llvm.call @mlirind_host_given(%{{.*}}, %arg3
// CHECK:         llvm.call @mlirind_host_leave
// CHECK:         llvm.return %[[RAISED]]
// CHECK:         llvm.call @kernel.exp_0
// CHECK:         llvm.call @mlirind_host_leave
// CHECK:         llvm.return %[[AGAIN]]
// CHECK:         llvm.call @mlirind_host_leave(%{{.*}}, %arg3
// CHECK:         llvm.return %[[FINE]]
module {
"loop.func"() ({
^bb0(%in: memref<?xf32>, %out: memref<?xf32>, %i: index):
  %v = "loop.load"(%in, %i) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 0>} : (memref<?xf32>, index) -> f32
  "loop.store"(%out, %v, %i) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 1, 0>} : (memref<?xf32>, f32, index) -> ()
  "loop.yield"() : () -> ()
}) {sym_name = "exp_0", domain = affine_map<() -> (6)>, symbols = [], outputs = 1 : i64} : () -> ()
func.func @graph(%x: !x) -> (!x, !x) {
  %0 = "host.alloc"() : () -> !x
  "host.launch"(%x, %0) {kernel = @exp_0, symbols = [], operandSegmentSizes = array<i32: 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (!x, !x) -> ()
  %1 = "host.call"(%x) {target = "aten.erf.default", arguments = [#aten.operand<0 : i64>], reason = "library", operandSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>, resultSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (!x) -> !x
  return %0, %1 : !x, !x
}
}
