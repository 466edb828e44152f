// RUN: %mlirind-opt %s --convert-aten-to-loop --verify-ir | %FileCheck %s

// A small product with a row added is one kernel: products, their sum, the row.
// CHECK-LABEL: func.func @small
// CHECK-COUNT-1: "loop.kernel"(%arg1, %arg2, %arg0)
// CHECK:         %[[P:.*]] = arith.mulf
// CHECK:         "loop.reduce"(%[[P]]) {contract, dims = [2], kind = "add"
// CHECK:         arith.addf
// CHECK-NOT:     "loop.kernel"
func.func @small(%b: tensor<64xf32>, %x: tensor<8x64xf32>, %w: tensor<64x64xf32>) -> tensor<8x64xf32> {
  %0 = "aten.addmm"(%b, %x, %w) {alpha = 1 : i64, beta = 1 : i64} : (tensor<64xf32>, tensor<8x64xf32>, tensor<64x64xf32>) -> tensor<8x64xf32>
  return %0 : tensor<8x64xf32>
}

// One row of more elements is a kernel too; more rows, sizes that are not known, and products whose addend is not read are the library's.
// CHECK-LABEL: func.func @large
// CHECK:         "loop.kernel"
// CHECK:         "aten.mm"
// CHECK:         "aten.mm"
// CHECK:         "aten.addmm"
func.func @large(%r: tensor<1x64xf32>, %x: tensor<9x64xf32>, %w: tensor<64x1000xf32>,
    %s: tensor<?x64xf32, #aten.layout<"cpu", [64, 1], 0 : i64, [#aten.expr<"s0">, 64]>>, %b: tensor<9xf32>, %c: tensor<64x9xf32>)
    -> (tensor<1x1000xf32>, tensor<9x1000xf32>, tensor<?x1000xf32, #aten.layout<"cpu", [1000, 1], 0 : i64, [#aten.expr<"s0">, 1000]>>,
        tensor<9x9xf32>) attributes {aten.symbols = {s0 = [2, 100, 8]}} {
  %0 = "aten.mm"(%r, %w) : (tensor<1x64xf32>, tensor<64x1000xf32>) -> tensor<1x1000xf32>
  %1 = "aten.mm"(%x, %w) : (tensor<9x64xf32>, tensor<64x1000xf32>) -> tensor<9x1000xf32>
  %2 = "aten.mm"(%s, %w) : (tensor<?x64xf32, #aten.layout<"cpu", [64, 1], 0 : i64, [#aten.expr<"s0">, 64]>>, tensor<64x1000xf32>)
      -> tensor<?x1000xf32, #aten.layout<"cpu", [1000, 1], 0 : i64, [#aten.expr<"s0">, 1000]>>
  %3 = "aten.addmm"(%b, %x, %c) {alpha = 1 : i64, beta = 0 : i64} : (tensor<9xf32>, tensor<9x64xf32>, tensor<64x9xf32>) -> tensor<9x9xf32>
  return %0, %1, %2, %3 : tensor<1x1000xf32>, tensor<9x1000xf32>,
      tensor<?x1000xf32, #aten.layout<"cpu", [1000, 1], 0 : i64, [#aten.expr<"s0">, 1000]>>, tensor<9x9xf32>
}
