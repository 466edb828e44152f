// RUN: %mlirind-opt %s --convert-cpu-to-llvm | %FileCheck %s

// Nothing but LLVM is left of a kernel; a graph function beside it stays.
// CHECK-LABEL: llvm.func internal @k
// CHECK-NOT:     {{arith|scf|math|cf}}.
// CHECK:         llvm.return
// CHECK-LABEL: func.func @graph
llvm.func internal @k(%x: !llvm.ptr, %n: i64) -> i32 attributes {passthrough = ["noinline"]} {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %ok = arith.constant 0 : i32
  scf.for %i = %zero to %n step %one : i64 {
    %p = llvm.getelementptr %x[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f16
    %v = llvm.load %p : !llvm.ptr -> f16
    %wide = arith.extf %v : f16 to f32
    %root = math.sqrt %wide : f32
    %half = arith.truncf %root : f32 to f16
    llvm.store %half, %p : f16, !llvm.ptr
  }
  llvm.return %ok : i32
}
func.func @graph(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
