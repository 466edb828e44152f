// RUN: %mlirind-opt %s --convert-aten-to-loop --convert-to-host --normalize-kernels --lower-loop-to-tt --emit=ttir 2>&1 | %FileCheck %s
// RUN: sed 's/%1 = .*//; s/return %1/return %0/' %s | %not %mlirind-opt - --convert-aten-to-loop --convert-to-host --lower-loop-to-tt --emit=ptx 2>&1 | %FileCheck %s --check-prefix=NONE
// RUN: %not %mlirind-opt %s --emit=ptx 2>&1 | %FileCheck %s --check-prefix=EARLY

// What has no kernel of Triton's is named, with the reason; where there is none at all, in the error.
// CHECK:      emit_calls.mlir:14:8: remark: aten.mm.default stays with ATen (library: matrix multiplication)
// CHECK-NOT:  remark
// CHECK:      tt.func
// NONE:       error: --emit=ptx prints the kernels that --lower-loop-to-tt makes: there are none, for aten.mm.default stays with ATen (library: matrix multiplication)
// EARLY:      there are none, for aten.mm.default is no kernel yet (--convert-aten-to-loop has not run); aten.exp.default is no kernel yet (--convert-aten-to-loop has not run)
!x = tensor<64x64xf32, #aten.layout<"cuda:0", [64, 1], 0 : i64, unit>>
func.func @graph(%x: !x) -> !x attributes {aten.stage = "functional", aten.io_aliases = []} {
  // A product of matrices of this size is a call.
  %0 = "aten.mm"(%x, %x) : (!x, !x) -> !x
  %1 = "aten.exp"(%0) : (!x) -> !x
  return %1 : !x
}
