// RUN: %mlirind-opt %s --pad-products | %FileCheck %s

// Each size that is no multiple of 8 is made one, and the result cut.
// CHECK-LABEL: func.func @all_sizes
// CHECK:         %[[A:.*]] = "aten.constant_pad_nd"(%arg0) {
// CHECK-SAME:      pad = [0, 5, 0, 1]
// CHECK:         %[[B:.*]] = "aten.constant_pad_nd"(%arg1) {
// CHECK-SAME:      pad = [0, 7, 0, 5]
// CHECK:         %[[M:.*]] = "aten.mm"(%[[A]], %[[B]])
// CHECK:         %[[R:.*]] = "aten.slice_tensor"(%[[M]]) {dim = 0 : i64, end = 7
// CHECK:         %[[C:.*]] = "aten.slice_tensor"(%[[R]]) {dim = 1 : i64, end = 9
// CHECK:         %[[O:.*]] = "aten.clone"(%[[C]])
// CHECK:         return %[[O]]
func.func @all_sizes(%a: tensor<7x3xbf16>, %b: tensor<3x9xbf16>) -> tensor<7x9xbf16> attributes {aten.stage = "functional", aten.io_aliases = [], aten.pad_products} {
  %0 = "aten.mm"(%a, %b) : (tensor<7x3xbf16>, tensor<3x9xbf16>) -> tensor<7x9xbf16>
  return %0 : tensor<7x9xbf16>
}

// Only what is summed over: nothing is to be cut. Batches stay.
// CHECK-LABEL: func.func @batches
// CHECK:         %[[A:.*]] = "aten.constant_pad_nd"(%arg0) {
// CHECK-SAME:      pad = [0, 1, 0, 0]
// CHECK:         %[[B:.*]] = "aten.constant_pad_nd"(%arg1) {
// CHECK-SAME:      pad = [0, 0, 0, 1]
// CHECK:         %[[M:.*]] = "aten.bmm"(%[[A]], %[[B]])
// CHECK-NEXT:    return %[[M]]
func.func @batches(%a: tensor<5x4x3xf32>, %b: tensor<5x3x8xf32>) -> tensor<5x4x8xf32> attributes {aten.stage = "functional", aten.io_aliases = [], aten.pad_products} {
  %0 = "aten.bmm"(%a, %b) : (tensor<5x4x3xf32>, tensor<5x3x8xf32>) -> tensor<5x4x8xf32>
  return %0 : tensor<5x4x8xf32>
}

// A row that is added gets more columns, no rows.
// CHECK-LABEL: func.func @added_row
// CHECK:         %[[R:.*]] = "aten.constant_pad_nd"(%arg0) {
// CHECK-SAME:      pad = [0, 7]
// CHECK:         "aten.addmm"(%[[R]], %{{.*}}, %{{.*}}) {alpha = 1 : i64
func.func @added_row(%r: tensor<9xbf16>, %a: tensor<7x3xbf16>, %b: tensor<3x9xbf16>) -> tensor<7x9xbf16> attributes {aten.stage = "functional", aten.io_aliases = [], aten.pad_products} {
  %0 = "aten.addmm"(%r, %a, %b) {alpha = 1 : i64, beta = 1 : i64} : (tensor<9xbf16>, tensor<7x3xbf16>, tensor<3x9xbf16>) -> tensor<7x9xbf16>
  return %0 : tensor<7x9xbf16>
}

// Multiples already, and a dtype that no matrix unit takes.
// CHECK-LABEL: func.func @as_they_are
// CHECK-NOT:     constant_pad_nd
func.func @as_they_are(%a: tensor<8x8xbf16>, %b: tensor<8x16xbf16>, %c: tensor<3x3xf64>) -> (tensor<8x16xbf16>, tensor<3x3xf64>) attributes {aten.stage = "functional", aten.io_aliases = [], aten.pad_products} {
  %0 = "aten.mm"(%a, %b) : (tensor<8x8xbf16>, tensor<8x16xbf16>) -> tensor<8x16xbf16>
  %1 = "aten.mm"(%c, %c) : (tensor<3x3xf64>, tensor<3x3xf64>) -> tensor<3x3xf64>
  return %0, %1 : tensor<8x16xbf16>, tensor<3x3xf64>
}

// Nobody asked for it.
// CHECK-LABEL: func.func @unasked
// CHECK-NOT:     constant_pad_nd
func.func @unasked(%a: tensor<7x3xbf16>, %b: tensor<3x9xbf16>) -> tensor<7x9xbf16> attributes {aten.stage = "functional", aten.io_aliases = []} {
  %0 = "aten.mm"(%a, %b) : (tensor<7x3xbf16>, tensor<3x9xbf16>) -> tensor<7x9xbf16>
  return %0 : tensor<7x9xbf16>
}

!big = tensor<4095x4095xbf16, #aten.layout<"cuda:0", [4095, 1], 0 : i64, unit>>
!small = tensor<1023x1023xbf16, #aten.layout<"cuda:0", [1023, 1], 0 : i64, unit>>
!single = tensor<4095x4095xf32, #aten.layout<"cuda:0", [4095, 1], 0 : i64, unit>>
!rows = tensor<4095x4096xbf16, #aten.layout<"cuda:0", [4096, 1], 0 : i64, unit>>
!even = tensor<4096x4096xbf16, #aten.layout<"cuda:0", [4096, 1], 0 : i64, unit>>

// The rate of the product on a GPU is four times as high: sums and columns are padded, rows are not.
// CHECK-LABEL: func.func @pays
// CHECK:         %[[A:.*]] = "aten.constant_pad_nd"(%arg0) {
// CHECK-SAME:      pad = [0, 1, 0, 0]
// CHECK:         %[[B:.*]] = "aten.constant_pad_nd"(%arg1) {
// CHECK-SAME:      pad = [0, 1, 0, 1]
// CHECK:         %[[M:.*]] = "aten.mm"(%[[A]], %[[B]])
// CHECK:         "aten.slice_tensor"(%[[M]]) {dim = 1 : i64, end = 4095
func.func @pays(%a: !big, %b: !big) -> !big attributes {aten.stage = "functional", aten.io_aliases = []} {
  %0 = "aten.mm"(%a, %b) : (!big, !big) -> !big
  return %0 : !big
}

// Too small; float32; only the number of rows is odd; on the CPU.
// CHECK-LABEL: func.func @does_not_pay
// CHECK-NOT:     constant_pad_nd
func.func @does_not_pay(%a: !small, %c: !single, %d: !rows, %e: !even, %f: tensor<4095x4095xbf16>) -> (!small, !single, !rows, tensor<4095x4095xbf16>) attributes {aten.stage = "functional", aten.io_aliases = [], aten.rounding = "free"} {
  %0 = "aten.mm"(%a, %a) : (!small, !small) -> !small
  %1 = "aten.mm"(%c, %c) : (!single, !single) -> !single
  %2 = "aten.mm"(%d, %e) : (!rows, !even) -> !rows
  %3 = "aten.mm"(%f, %f) : (tensor<4095x4095xbf16>, tensor<4095x4095xbf16>) -> tensor<4095x4095xbf16>
  return %0, %1, %2, %3 : !small, !single, !rows, tensor<4095x4095xbf16>
}

// CHECK-LABEL: func.func @rounded_as_in_eager
// CHECK-NOT:     constant_pad_nd
func.func @rounded_as_in_eager(%a: !big) -> !big attributes {aten.stage = "functional", aten.io_aliases = [], aten.rounding = "eager"} {
  %0 = "aten.mm"(%a, %a) : (!big, !big) -> !big
  return %0 : !big
}

!grad = tensor<1024x50257xbf16, #aten.layout<"cuda:0", [50257, 1], 0 : i64, unit>>
!turned = tensor<50257x1024xbf16, #aten.layout<"cuda:0", [1, 50257], 0 : i64, unit>>
!hidden = tensor<1024x768xbf16, #aten.layout<"cuda:0", [768, 1], 0 : i64, unit>>
!weight = tensor<50257x768xbf16, #aten.layout<"cuda:0", [768, 1], 0 : i64, unit>>

// The gradient of logits is a factor of two products, of one transposed: its columns are padded, once.
// CHECK-LABEL: func.func @gradients_of_a_vocabulary
// CHECK-COUNT-1: "aten.constant_pad_nd"(%arg0) {pad = [0, 7, 0, 0]
// CHECK-NOT:     "aten.constant_pad_nd"(%{{arg0|arg1}})
// CHECK:         %[[T:.*]] = "aten.permute"(%{{.*}}) {dims = [1, 0]} : (tensor<1024x50264xbf16
// CHECK:         %[[M:.*]] = "aten.mm"(%[[T]], %arg1)
// CHECK:         "aten.slice_tensor"(%[[M]]) {dim = 0 : i64, end = 50257
func.func @gradients_of_a_vocabulary(%g: !grad, %x: !hidden, %w: !weight) -> (!hidden, !weight) attributes {aten.stage = "functional", aten.io_aliases = []} {
  %0 = "aten.mm"(%g, %w) : (!grad, !weight) -> !hidden
  %1 = "aten.permute"(%g) {dims = [1, 0]} : (!grad) -> !turned
  %2 = "aten.mm"(%1, %x) : (!turned, !hidden) -> !weight
  return %0, %2 : !hidden, !weight
}

!few = tensor<512x2048xbf16, #aten.layout<"cuda:0", [2048, 1], 0 : i64, unit>>
!words = tensor<11452x2048xbf16, #aten.layout<"cuda:0", [2048, 1], 0 : i64, unit>>
!logits = tensor<512x11452xbf16, #aten.layout<"cuda:0", [11452, 1], 0 : i64, unit>>
!sequences = tensor<8x64x11452xbf16, #aten.layout<"cuda:0", [732928, 11452, 1], 0 : i64, unit>>
!columns = tensor<2048x11452xbf16, #aten.layout<"cuda:0", [1, 2048], 0 : i64, unit>>
!row = tensor<11452xbf16, #aten.layout<"cuda:0", [1], 0 : i64, unit>>

// The caller gets the logits and nothing else reads them: `allocate-results` computes them without padded rows.
// CHECK-LABEL: func.func @returned
// CHECK-NOT:     constant_pad_nd
func.func @returned(%x: !few, %w: !words) -> !sequences attributes {aten.stage = "functional", aten.io_aliases = []} {
  %0 = "aten.permute"(%w) {dims = [1, 0]} : (!words) -> !columns
  %1 = "aten.mm"(%x, %0) : (!few, !columns) -> !logits
  %2 = "aten.view"(%1) {size = [8, 64, 11452]} : (!logits) -> !sequences
  return %2 : !sequences
}

// What reads them reads aligned rows.
// CHECK-LABEL: func.func @returned_and_read
// CHECK:         "aten.constant_pad_nd"(%arg1) {pad = [0, 0, 0, 4]
func.func @returned_and_read(%x: !few, %w: !words) -> (!logits, !logits) attributes {aten.stage = "functional", aten.io_aliases = []} {
  %0 = "aten.permute"(%w) {dims = [1, 0]} : (!words) -> !columns
  %1 = "aten.mm"(%x, %0) : (!few, !columns) -> !logits
  %2 = "aten.sin"(%1) : (!logits) -> !logits
  return %1, %2 : !logits, !logits
}

// A row of biases is one more row of the second factor, and the first has a column of ones.
// CHECK-LABEL: func.func @returned_with_biases
// CHECK:         %[[X:.*]] = "aten.constant_pad_nd"(%arg1) {pad = [0, 8], value = 1
// CHECK:         %[[C:.*]] = "aten.unsqueeze"(%arg0) {dim = 1
// CHECK:         %[[J:.*]] = "aten.cat"(%arg2, %[[C]]) {dim = 1
// CHECK:         %[[P:.*]] = "aten.constant_pad_nd"(%[[J]]) {pad = [0, 7], value = 0
// CHECK:         %[[W:.*]] = "aten.permute"(%[[P]]) {dims = [1, 0]} : {{.*}} -> tensor<2056x11452xbf16
// CHECK:         %[[M:.*]] = "aten.mm"(%[[X]], %[[W]])
// CHECK-NEXT:    return %[[M]]
func.func @returned_with_biases(%r: !row, %x: !few, %w: !words) -> !logits attributes {aten.stage = "functional", aten.io_aliases = []} {
  %0 = "aten.permute"(%w) {dims = [1, 0]} : (!words) -> !columns
  %1 = "aten.addmm"(%r, %x, %0) {alpha = 1 : i64, beta = 1 : i64} : (!row, !few, !columns) -> !logits
  return %1 : !logits
}

// A number before the product, and a matrix that is added.
// CHECK-LABEL: func.func @returned_with_other_summands
// CHECK-COUNT-2: "aten.addmm"({{.*}} -> tensor<512x11456xbf16
func.func @returned_with_other_summands(%r: !row, %m: !logits, %x: !few, %w: !words) -> (!logits, !logits) attributes {aten.stage = "functional", aten.io_aliases = []} {
  %0 = "aten.permute"(%w) {dims = [1, 0]} : (!words) -> !columns
  %1 = "aten.addmm"(%r, %x, %0) {alpha = 2 : i64, beta = 1 : i64} : (!row, !few, !columns) -> !logits
  %2 = "aten.addmm"(%m, %x, %0) {alpha = 1 : i64, beta = 1 : i64} : (!logits, !few, !columns) -> !logits
  return %1, %2 : !logits, !logits
}
