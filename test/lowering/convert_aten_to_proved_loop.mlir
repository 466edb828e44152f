// RUN: %mlirind-opt %s --convert-aten-to-proved-loop --verify-bounds | %FileCheck %s

!a = tensor<?xf32, #aten.layout<"cpu", [1], 0 : i64, [#aten.expr<"s0">]>>
!b = tensor<?xf32, #aten.layout<"cpu", [1], 0 : i64, [#aten.expr<"2*s1">]>>

// As many elements of %x as of %y are read; that it has them can't be asked, for no input gives s1.
// CHECK-LABEL: func.func @not_proved
// CHECK:         "aten.add_tensor"{{.*}}aten.reason = "index d0 is not proved to lie within the s0 elements of buffer 0"
// CHECK:         "loop.kernel"
func.func @not_proved(%x: !a, %y: !b) -> (!b, !a) attributes {aten.stage = "functional", aten.symbols = {s0 = [2, 100, 8], s1 = [2, 100, 4]}} {
  %0 = "aten.add_tensor"(%x, %y) {alpha = 1 : i64} : (!a, !b) -> !b
  %1 = "aten.exp"(%x) : (!a) -> !a
  return %0, %1 : !b, !a
}
