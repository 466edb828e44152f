// RUN: %mlirind-opt %s --reassociate-products | %FileCheck %s

!a = tensor<512x2xf32>
!b = tensor<2x256xf32>
!o = tensor<512x256xf32>
!p = tensor<512x64xf32>
!q = tensor<64x256xf32>

// Two products with few columns: their factors are joined.
!ha = tensor<512x2xbf16>
!hb = tensor<2x256xbf16>
!ho = tensor<512x256xbf16>
// CHECK-LABEL: func.func @two_products
// CHECK:         %[[A:.*]] = "aten.cat"(%arg0, %arg2) {
// CHECK-SAME:      dim = 1
// CHECK:         %[[B:.*]] = "aten.cat"(%arg1, %arg3) {
// CHECK-SAME:      dim = 0
// CHECK:         %[[M:.*]] = "aten.mm"(%[[A]], %[[B]])
// CHECK:         return %[[M]]
func.func @two_products(%a: !ha, %b: !hb, %c: !ha, %d: !hb) -> !ho attributes {aten.stage = "functional", aten.io_aliases = [], aten.rounding = "free"} {
  %0 = "aten.mm"(%a, %b) : (!ha, !hb) -> !ho
  %1 = "aten.mm"(%c, %d) : (!ha, !hb) -> !ho
  %2 = "aten.add_tensor"(%0, %1) {alpha = 1 : i64} : (!ho, !ho) -> !ho
  return %2 : !ho
}

// The same under views, as linear layers have them.
// CHECK-LABEL: func.func @two_products_under_views
// CHECK:         %[[M:.*]] = "aten.mm"(%{{.*}}, %{{.*}}) : (tensor<512x4xbf16
// CHECK:         %[[V:.*]] = "aten.view"(%[[M]])
// CHECK:         return %[[V]]
func.func @two_products_under_views(%a: !ha, %b: !hb, %c: !ha, %d: !hb) -> tensor<32x16x256xbf16> attributes {aten.stage = "functional", aten.io_aliases = [], aten.rounding = "free"} {
  %0 = "aten.mm"(%a, %b) : (!ha, !hb) -> !ho
  %1 = "aten.view"(%0) {size = [32, 16, 256]} : (!ho) -> tensor<32x16x256xbf16>
  %2 = "aten.mm"(%c, %d) : (!ha, !hb) -> !ho
  %3 = "aten.view"(%2) {size = [32, 16, 256]} : (!ho) -> tensor<32x16x256xbf16>
  %4 = "aten.add_tensor"(%1, %3) {alpha = 1 : i64} : (tensor<32x16x256xbf16>, tensor<32x16x256xbf16>) -> tensor<32x16x256xbf16>
  return %4 : tensor<32x16x256xbf16>
}

// Rounding is to be eager's.
// CHECK-LABEL: func.func @not_free
// CHECK-COUNT-2: "aten.mm"
func.func @not_free(%a: !ha, %b: !hb, %c: !ha, %d: !hb) -> !ho attributes {aten.stage = "functional", aten.io_aliases = []} {
  %0 = "aten.mm"(%a, %b) : (!ha, !hb) -> !ho
  %1 = "aten.mm"(%c, %d) : (!ha, !hb) -> !ho
  %2 = "aten.add_tensor"(%0, %1) {alpha = 1 : i64} : (!ho, !ho) -> !ho
  return %2 : !ho
}

// One of the products is used elsewhere.
// CHECK-LABEL: func.func @product_is_used
// CHECK-NOT:     "aten.cat"
func.func @product_is_used(%a: !ha, %b: !hb, %c: !ha, %d: !hb) -> (!ho, !ho) attributes {aten.stage = "functional", aten.io_aliases = [], aten.rounding = "free"} {
  %0 = "aten.mm"(%a, %b) : (!ha, !hb) -> !ho
  %1 = "aten.mm"(%c, %d) : (!ha, !hb) -> !ho
  %2 = "aten.add_tensor"(%0, %1) {alpha = 1 : i64} : (!ho, !ho) -> !ho
  return %2, %1 : !ho, !ho
}

// Many columns: joining the factors would cost more than adding the products.
// CHECK-LABEL: func.func @many_columns
// CHECK-NOT:     "aten.cat"
func.func @many_columns(%a: tensor<512x64xbf16>, %b: tensor<64x256xbf16>, %c: tensor<512x64xbf16>, %d: tensor<64x256xbf16>) -> !ho attributes {aten.stage = "functional", aten.io_aliases = [], aten.rounding = "free"} {
  %0 = "aten.mm"(%a, %b) : (tensor<512x64xbf16>, tensor<64x256xbf16>) -> !ho
  %1 = "aten.mm"(%c, %d) : (tensor<512x64xbf16>, tensor<64x256xbf16>) -> !ho
  %2 = "aten.add_tensor"(%0, %1) {alpha = 1 : i64} : (!ho, !ho) -> !ho
  return %2 : !ho
}

// Twice the second product.
// CHECK-LABEL: func.func @alpha
// CHECK-NOT:     "aten.cat"
func.func @alpha(%a: !ha, %b: !hb, %c: !ha, %d: !hb) -> !ho attributes {aten.stage = "functional", aten.io_aliases = [], aten.rounding = "free"} {
  %0 = "aten.mm"(%a, %b) : (!ha, !hb) -> !ho
  %1 = "aten.mm"(%c, %d) : (!ha, !hb) -> !ho
  %2 = "aten.add_tensor"(%0, %1) {alpha = 2 : i64} : (!ho, !ho) -> !ho
  return %2 : !ho
}

// A factor is overwritten before the sum.
// CHECK-LABEL: func.func @written
// CHECK-NOT:     "aten.cat"
func.func @written(%a: !ha, %b: !hb, %c: !ha, %d: !hb) -> !ho attributes {aten.stage = "functional", aten.io_aliases = [], aten.rounding = "free"} {
  %0 = "aten.mm"(%a, %b) : (!ha, !hb) -> !ho
  %1 = "aten.mm"(%c, %d) : (!ha, !hb) -> !ho
  %2 = "aten.relu"(%a) : (!ha) -> !ha
  %3 = "aten.copy_"(%a, %2) {non_blocking = false} : (!ha, !ha) -> !ha
  %4 = "aten.add_tensor"(%0, %1) {alpha = 1 : i64} : (!ho, !ho) -> !ho
  return %4 : !ho
}

// A part of it belongs to a region that is computed again.
// CHECK-LABEL: func.func @regions
// CHECK-NOT:     "aten.cat"
func.func @regions(%a: !ha, %b: !hb, %c: !ha, %d: !hb) -> !ho attributes {aten.stage = "functional", aten.io_aliases = [], aten.rounding = "free"} {
  %0 = "aten.mm"(%a, %b) {aten.region = "PREFER_RECOMPUTE in 1"} : (!ha, !hb) -> !ho
  %1 = "aten.mm"(%c, %d) : (!ha, !hb) -> !ho
  %2 = "aten.add_tensor"(%0, %1) {alpha = 1 : i64} : (!ho, !ho) -> !ho
  return %2 : !ho
}

// A summand that is no product is where the product is added up.
// CHECK-LABEL: func.func @accumulated
// CHECK:         %[[M:.*]] = "aten.addmm"(%arg2, %arg0, %arg1) {alpha = 1 : i64
// CHECK:         return %[[M]]
func.func @accumulated(%a: !p, %b: !q, %c: !o) -> !o attributes {aten.stage = "functional", aten.io_aliases = [], aten.rounding = "free"} {
  %0 = "aten.mm"(%a, %b) : (!p, !q) -> !o
  %1 = "aten.add_tensor"(%c, %0) {alpha = 1 : i64} : (!o, !o) -> !o
  return %1 : !o
}

// A kernel reads the sum, and computes it for nothing.
// CHECK-LABEL: func.func @read_by_a_kernel
// CHECK-NOT:     "aten.addmm"
func.func @read_by_a_kernel(%a: !p, %b: !q, %c: !o) -> (!o, !o) attributes {aten.stage = "functional", aten.io_aliases = [], aten.rounding = "free"} {
  %0 = "aten.mm"(%a, %b) : (!p, !q) -> !o
  %1 = "aten.add_tensor"(%c, %0) {alpha = 1 : i64} : (!o, !o) -> !o
  %2 = "aten.relu"(%1) : (!o) -> !o
  return %1, %2 : !o, !o
}

// A row, another dtype, other strides, a number: none is such a summand.
!ot = tensor<512x256xf32, #aten.layout<"cpu", [1, 512], 0 : i64, unit>>
// CHECK-LABEL: func.func @other_summands
// CHECK-NOT:     "aten.addmm"
func.func @other_summands(%a: !p, %b: !q, %r: tensor<256xf32>, %h: !ho, %s: !ot) -> (!o, !o, !o, !o) attributes {aten.stage = "functional", aten.io_aliases = [], aten.rounding = "free"} {
  %0 = "aten.mm"(%a, %b) : (!p, !q) -> !o
  %1 = "aten.add_tensor"(%0, %r) {alpha = 1 : i64} : (!o, tensor<256xf32>) -> !o
  %2 = "aten.mm"(%a, %b) : (!p, !q) -> !o
  %3 = "aten.add_tensor"(%2, %h) {alpha = 1 : i64} : (!o, !ho) -> !o
  %4 = "aten.mm"(%a, %b) : (!p, !q) -> !o
  %5 = "aten.add_tensor"(%4, %s) {alpha = 1 : i64} : (!o, !ot) -> !o
  %6 = "aten.mm"(%a, %b) : (!p, !q) -> !o
  %n = "aten.number"() {value = 1.0 : f64} : () -> tensor<f64>
  %7 = "aten.add_tensor"(%6, %n) {alpha = 1 : i64} : (!o, tensor<f64>) -> !o
  return %1, %3, %5, %7 : !o, !o, !o, !o
}

// Few columns: a kernel.
// CHECK-LABEL: func.func @short
// CHECK:         %[[A:.*]] = "aten.unsqueeze"(%arg0) {dim = 2
// CHECK:         %[[B:.*]] = "aten.unsqueeze"(%arg1) {dim = 0
// CHECK:         %[[P:.*]] = "aten.mul_tensor"(%[[A]], %[[B]])
// CHECK:         %[[S:.*]] = "aten.sum_dim_intlist"(%[[P]])
// CHECK:         return %[[S]]
func.func @short(%a: !a, %b: !b) -> !o attributes {aten.stage = "functional", aten.io_aliases = [], aten.rounding = "free"} {
  %0 = "aten.mm"(%a, %b) : (!a, !b) -> !o
  return %0 : !o
}

// Half types, for which the library is faster; more columns.
// CHECK-LABEL: func.func @not_short
// CHECK-COUNT-2: "aten.mm"
func.func @not_short(%a: !ha, %b: !hb, %c: !p, %d: !q) -> (!ho, !o) attributes {aten.stage = "functional", aten.io_aliases = [], aten.rounding = "free"} {
  %0 = "aten.mm"(%a, %b) : (!ha, !hb) -> !ho
  %1 = "aten.mm"(%c, %d) : (!p, !q) -> !o
  return %0, %1 : !ho, !o
}

// Products of 131,072 multiplications are kernels (`mlirind/tuning/cpu.py`), which compute the sum, too.
!sa = tensor<128x8xbf16>
!sb = tensor<8x128xbf16>
!so = tensor<128x128xbf16>
// CHECK-LABEL: func.func @small
// CHECK-NOT:     "aten.cat"
func.func @small(%a: !sa, %b: !sb, %c: !sa, %d: !sb) -> !so attributes {aten.stage = "functional", aten.io_aliases = [], aten.rounding = "free"} {
  %0 = "aten.mm"(%a, %b) : (!sa, !sb) -> !so
  %1 = "aten.mm"(%c, %d) : (!sa, !sb) -> !so
  %2 = "aten.add_tensor"(%0, %1) {alpha = 1 : i64} : (!so, !so) -> !so
  return %2 : !so
}

// So are those of 262,144 with one row; a row more is the library's.
// CHECK-LABEL: func.func @one_row
// CHECK-NOT:     "aten.addmm"
func.func @one_row(%a: tensor<1x512xf32>, %b: tensor<512x512xf32>, %c: tensor<1x512xf32>) -> tensor<1x512xf32> attributes {aten.stage = "functional", aten.io_aliases = [], aten.rounding = "free"} {
  %0 = "aten.mm"(%a, %b) : (tensor<1x512xf32>, tensor<512x512xf32>) -> tensor<1x512xf32>
  %1 = "aten.add_tensor"(%c, %0) {alpha = 1 : i64} : (tensor<1x512xf32>, tensor<1x512xf32>) -> tensor<1x512xf32>
  return %1 : tensor<1x512xf32>
}

// CHECK-LABEL: func.func @two_rows
// CHECK:         "aten.addmm"
func.func @two_rows(%a: tensor<2x512xf32>, %b: tensor<512x512xf32>, %c: tensor<2x512xf32>) -> tensor<2x512xf32> attributes {aten.stage = "functional", aten.io_aliases = [], aten.rounding = "free"} {
  %0 = "aten.mm"(%a, %b) : (tensor<2x512xf32>, tensor<512x512xf32>) -> tensor<2x512xf32>
  %1 = "aten.add_tensor"(%c, %0) {alpha = 1 : i64} : (tensor<2x512xf32>, tensor<2x512xf32>) -> tensor<2x512xf32>
  return %1 : tensor<2x512xf32>
}
