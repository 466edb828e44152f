// RUN: %mlirind-opt %s --verify-each --convert-aten-to-loop --fuse-kernels --convert-to-host --normalize-kernels --require-bounds --group-launches --plan-memory --verify-memory --split-input-file | %FileCheck %s

!x = tensor<64x64xf32, #aten.layout<"cuda:0", [64, 1], 0 : i64, unit>>

// A kernel moves forward to one of its kind; its buffer is allocated there.
// CHECK:       "loop.func"() ({{.*}}
// CHECK:       grouped
// CHECK:       "loop.group"() {buffers = [0, 1, 2, 3], device = "cuda:0", parts = [@sin_0, @sin_0], sym_name = "grouped_sin_0"}
// CHECK-LABEL: func.func @graph
// CHECK-NEXT:    %[[A:.*]] = "host.alloc"()
// CHECK-NEXT:    %[[B:.*]] = "host.alloc"()
// CHECK-NEXT:    "host.launch"(%arg1, %[[A]]) {host.group = [@grouped_sin_0, 0], kernel = @sin_0
// CHECK-NEXT:    "host.launch"(%arg2, %[[B]]) {host.group = [@grouped_sin_0, 1], kernel = @sin_0
// CHECK-NEXT:    %[[P:.*]] = "host.call"(%arg0, %[[A]])
// CHECK-NOT:     host.launch
// CHECK:         "host.call"(%[[P]], %[[B]])
func.func @graph(%x: !x, %a: !x, %b: !x) -> !x attributes {aten.stage = "functional", aten.io_aliases = []} {
  %0 = "aten.sin"(%a) : (!x) -> !x
  %1 = "aten.mm"(%x, %0) : (!x, !x) -> !x
  %2 = "aten.sin"(%b) : (!x) -> !x
  %3 = "aten.mm"(%1, %2) : (!x, !x) -> !x
  return %3 : !x
}

// -----

!x = tensor<64x64xf32, #aten.layout<"cuda:0", [64, 1], 0 : i64, unit>>
!y = tensor<64x32xf32, #aten.layout<"cuda:0", [32, 1], 0 : i64, unit>>

// A kernel moves back to one of its kind, if only the end of the graph needs its result; what it reads is freed there. Lengths may differ.
// CHECK:       parts = [@sin_0, @sin_1]
// CHECK-LABEL: func.func @graph
// CHECK-NEXT:    %[[P:.*]] = "host.call"(%arg0, %arg1)
// CHECK-NEXT:    %[[Q:.*]] = "host.call"(%arg0, %arg2)
// CHECK-NEXT:    "host.alloc"()
// CHECK-NEXT:    "host.alloc"()
// CHECK-NEXT:    "host.launch"(%[[P]], %{{.*}}) {host.group = [@grouped_sin_0, 0], kernel = @sin_0
// CHECK-NEXT:    "host.launch"(%[[Q]], %{{.*}}) {host.group = [@grouped_sin_0, 1], kernel = @sin_1
// CHECK-DAG:     "host.free"(%[[P]])
// CHECK-DAG:     "host.free"(%[[Q]])
// CHECK:         return
func.func @graph(%x: !x, %a: !x, %b: !y) -> (!x, !y) attributes {aten.stage = "functional", aten.io_aliases = []} {
  %0 = "aten.mm"(%x, %a) : (!x, !x) -> !x
  %1 = "aten.sin"(%0) : (!x) -> !x
  %2 = "aten.mm"(%x, %b) : (!x, !y) -> !y
  %3 = "aten.sin"(%2) : (!y) -> !y
  return %1, %3 : !x, !y
}

// -----

!x = tensor<64x64xf32, #aten.layout<"cuda:0", [64, 1], 0 : i64, unit>>

// Kernels that depend on each other stay apart, and so do kernels of other code.
// CHECK-LABEL: func.func @graph
// CHECK-NOT:     host.group
// CHECK:         return
func.func @graph(%x: !x, %a: !x) -> (!x, !x) attributes {aten.stage = "functional", aten.io_aliases = []} {
  %0 = "aten.sin"(%x) : (!x) -> !x
  %1 = "aten.mm"(%0, %a) : (!x, !x) -> !x
  %2 = "aten.sin"(%1) : (!x) -> !x
  %3 = "aten.mm"(%2, %a) : (!x, !x) -> !x
  %4 = "aten.cos"(%3) : (!x) -> !x
  return %2, %4 : !x, !x
}

// -----

!x = tensor<512x512xf32, #aten.layout<"cuda:0", [512, 1], 0 : i64, unit>>
!s = tensor<16x512xf32, #aten.layout<"cuda:0", [512, 1], 0 : i64, unit>>

// One buffer of 1 MiB at a time. With both sines before the first product there would be two.
// CHECK-LABEL: func.func @graph
// CHECK-NOT:     host.group
// CHECK:         return
func.func @graph(%x: !s, %a: !x, %b: !x) -> !s attributes {aten.stage = "functional", aten.io_aliases = []} {
  %0 = "aten.sin"(%a) : (!x) -> !x
  %1 = "aten.mm"(%x, %0) : (!s, !x) -> !s
  %2 = "aten.sin"(%b) : (!x) -> !x
  %3 = "aten.mm"(%1, %2) : (!s, !x) -> !s
  return %3 : !s
}

// -----

!x = tensor<64x64xf32, #aten.layout<"cpu", [64, 1], 0 : i64, unit>>

// Kernels for the CPU have their own launches.
// CHECK-LABEL: func.func @graph
// CHECK-NOT:     host.group
// CHECK:         return
func.func @graph(%x: !x, %a: !x, %b: !x) -> !x attributes {aten.stage = "functional", aten.io_aliases = []} {
  %0 = "aten.sin"(%a) : (!x) -> !x
  %1 = "aten.mm"(%x, %0) : (!x, !x) -> !x
  %2 = "aten.sin"(%b) : (!x) -> !x
  %3 = "aten.mm"(%1, %2) : (!x, !x) -> !x
  return %3 : !x
}

// -----

!x = tensor<?xf32, #aten.layout<"cuda:0", [1], 0 : i64, [#aten.expr<"s0">]>>
!y = tensor<?xf32, #aten.layout<"cuda:0", [1], 0 : i64, [#aten.expr<"s1">]>>

// Kernels of symbolic sizes: each has its own symbol.
// CHECK:       parts = [@sin_0, @sin_1]
// CHECK-LABEL: func.func @graph
// CHECK:         {host.group = [@grouped_sin_0, 0], {{.*}}symbols = [#aten.expr<"s0">]}
// CHECK-NEXT:    {host.group = [@grouped_sin_0, 1], {{.*}}symbols = [#aten.expr<"s1">]}
func.func @graph(%m: index {aten.symbol = "s0"}, %n: index {aten.symbol = "s1"}, %a: !x, %b: !y) -> (!x, !y)
    attributes {aten.stage = "functional", aten.io_aliases = [], aten.symbols = {s0 = [2, 9223372036854775807, 8], s1 = [2, 9223372036854775807, 9]}} {
  %0 = "aten.sin"(%a) : (!x) -> !x
  %1 = "aten.sin"(%b) : (!y) -> !y
  return %0, %1 : !x, !y
}

// -----

!x = tensor<64x64xf32, #aten.layout<"cuda:0", [64, 1], 0 : i64, unit>>
!t = tensor<64x64xf32, #aten.layout<"cuda:0", [1, 64], 0 : i64, unit>>

// A kernel moves back past a view of its result; the buffer stays in front of the view.
// CHECK-LABEL: func.func @graph
// CHECK:         %[[RESULT:.*]] = "host.alloc"()
// CHECK-NEXT:    %[[VIEW:.*]] = "host.view"(%[[RESULT]])
// CHECK:         "host.launch"(%{{.*}}, %[[RESULT]]) {host.group = [@grouped_sin_0, 0]
// CHECK-NEXT:    "host.launch"({{.*}} {host.group = [@grouped_sin_0, 1]
// CHECK:         "host.call"(%[[VIEW]],
// CHECK:         return
func.func @graph(%x: !x, %a: !x, %b: !x) -> !x attributes {aten.stage = "functional", aten.io_aliases = []} {
  %0 = "aten.mm"(%x, %a) : (!x, !x) -> !x
  %1 = "aten.sin"(%0) : (!x) -> !x
  %2 = "aten.permute"(%1) {dims = [1, 0]} : (!x) -> !t
  %3 = "aten.mm"(%x, %b) : (!x, !x) -> !x
  %4 = "aten.sin"(%3) : (!x) -> !x
  %5 = "aten.mm"(%2, %4) : (!t, !x) -> !x
  return %5 : !x
}

// -----

!x = tensor<64x64xf32, #aten.layout<"cuda:0", [64, 1], 0 : i64, unit>>
!v = tensor<64xf32, #aten.layout<"cuda:0", [1], 0 : i64, unit>>
!w = tensor<32xf32, #aten.layout<"cuda:0", [1], 0 : i64, unit>>

// Small copies onto inputs, as of running statistics, are kernels, and one launch: here `a` and `b` are read after what replaces them is
// made. A copy from another input, whose memory may be the same, is none.
// CHECK:       parts = [@copy_0, @copy_1], sym_name = "grouped_copy_0"
// CHECK-LABEL: func.func @graph
// CHECK:         "host.launch"(%{{.*}}, %arg0) {host.group = [@grouped_copy_0, 0], kernel = @copy_0
// CHECK-NEXT:    "host.launch"(%{{.*}}, %arg1) {host.group = [@grouped_copy_0, 1], kernel = @copy_1
// CHECK:         "host.copy"(%arg2, %arg3)
func.func @graph(%a: !v, %b: !w, %c: !v, %d: !v, %x: !x) -> (!v, !w) attributes {aten.stage = "functional", aten.io_aliases = []} {
  %0 = "aten.sum_dim_intlist"(%x) {dim = [1], keepdim = false, dtype = #aten.none} : (!x) -> !v
  %1 = "aten.add_tensor"(%a, %0) {alpha = 1 : i64} : (!v, !v) -> !v
  %2 = "aten.flip"(%a) {dims = [0]} : (!v) -> !v
  %3 = "aten.exp"(%b) : (!w) -> !w
  %4 = "aten.flip"(%b) {dims = [0]} : (!w) -> !w
  %5 = "aten.copy_"(%a, %1) {non_blocking = false} : (!v, !v) -> !v
  %6 = "aten.copy_"(%b, %3) {non_blocking = false} : (!w, !w) -> !w
  %7 = "aten.copy_"(%c, %d) {non_blocking = false} : (!v, !v) -> !v
  return %2, %4 : !v, !w
}
