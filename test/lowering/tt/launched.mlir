// RUN: %mlirind-opt %s --verify-each --convert-aten-to-loop --fuse-kernels --convert-to-host --normalize-kernels --lower-loop-to-tt | %FileCheck %s
// RUN: %mlirind-opt %s --verify-each --convert-aten-to-loop --fuse-kernels --convert-to-host --normalize-kernels --convert-loop-to-cpu --convert-cpu-to-llvm | %FileCheck %s --check-prefix=LLVM

// A launch may name a kernel that is lowered already; its buffers are compared still. A bool is a byte for Triton.
// CHECK:       kernel = "fused_gt_eq_0"
// CHECK:       "host.launch"({{.*}}) {kernel = @fused_gt_eq_0
// LLVM:        llvm.func internal @fused_gt_eq_0
// LLVM:        "host.launch"({{.*}}) {kernel = @fused_gt_eq_0
!x = tensor<8x8xf32, #aten.layout<"cuda:0", [8, 1], 0 : i64, unit>>
!b = tensor<8x8xi1, #aten.layout<"cuda:0", [8, 1], 0 : i64, unit>>
func.func @graph(%x: !x, %b: !b) -> !b attributes {aten.stage = "functional", aten.io_aliases = []} {
  %0 = "aten.gt_scalar"(%x) {other = 0 : i64} : (!x) -> !b
  %1 = "aten.eq_tensor"(%0, %b) : (!b, !b) -> !b
  return %1 : !b
}
