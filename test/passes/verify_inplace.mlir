// RUN: %mlirind-opt %s --verify-inplace | %FileCheck %s

!c = tensor<8x4xf32>
!r = tensor<1x4xf32>

// A marked write of an input that a copy_ overwrites, and of memory of the graph's own.
// CHECK-LABEL: func.func @right
// CHECK-COUNT-2: aten.inplace
func.func @right(%x: !c, %at: tensor<1xi64>, %new: !r) -> !c attributes {aten.stage = "functional", aten.io_aliases = []} {
  %0 = "aten.index_copy"(%x, %at, %new) {aten.inplace = [0], dim = 0 : i64} : (!c, tensor<1xi64>, !r) -> !c
  %1 = "aten.relu"(%0) : (!c) -> !c
  %2 = "aten.index_copy"(%1, %at, %new) {aten.inplace = [0], dim = 0 : i64} : (!c, tensor<1xi64>, !r) -> !c
  %3 = "aten.copy_"(%x, %0) {non_blocking = false} : (!c, !c) -> !c
  return %2 : !c
}
