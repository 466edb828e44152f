// RUN: %mlirind-opt %s --plan-memory --split-input-file | %FileCheck %s

!x = tensor<8xf32>

// A chain of kernels works in the memory of its first buffer; what is returned is that tensor. The input is the caller's.
// CHECK-LABEL: func.func @graph
// CHECK-SAME:      host.memory = array<i64: 64, 32, 3, 1>
// CHECK:         %[[A:.*]] = "host.alloc"()
// CHECK-NEXT:    "host.launch"(%arg0, %[[A]]) {kernel = @exp
// CHECK-NEXT:    %[[B:.*]] = "host.reuse"(%[[A]])
// CHECK-NEXT:    "host.launch"(%[[A]], %[[B]]) {host.in_place = array<i64: 0, 1>, kernel = @exp
// CHECK-NEXT:    %[[C:.*]] = "host.reuse"(%[[B]])
// CHECK-NEXT:    "host.launch"(%[[B]], %[[C]]) {host.in_place = array<i64: 0, 1>, kernel = @exp
// CHECK-NEXT:    return %[[C]]
"loop.func"() ({
^bb0(%in: memref<?xf32>, %out: memref<?xf32>, %i: index):
  %v = "loop.load"(%in, %i) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 0>} : (memref<?xf32>, index) -> f32
  %s = math.exp %v : f32
  "loop.store"(%out, %s, %i) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 1, 0>} : (memref<?xf32>, f32, index) -> ()
  "loop.yield"() : () -> ()
}) {sym_name = "exp", domain = affine_map<() -> (8)>, symbols = [], outputs = 1 : i64} : () -> ()
func.func @graph(%x: !x, %w: tensor<2x2xf32>) -> !x attributes {aten.stage = "host"} {
  %a = "host.alloc"() : () -> !x
  "host.launch"(%x, %a) {kernel = @exp, symbols = [], operandSegmentSizes = array<i32: 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (!x, !x) -> ()
  %b = "host.alloc"() : () -> !x
  "host.launch"(%a, %b) {kernel = @exp, symbols = [], operandSegmentSizes = array<i32: 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (!x, !x) -> ()
  "host.free"(%a) : (!x) -> ()
  %c = "host.alloc"() : () -> !x
  "host.launch"(%b, %c) {kernel = @exp, symbols = [], operandSegmentSizes = array<i32: 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (!x, !x) -> ()
  "host.free"(%b) : (!x) -> ()
  return %c : !x
}

// -----

!x = tensor<8xf32>

// A kernel that reads other places than it writes has a buffer of its own for its output; the next takes the dead one.
// CHECK-LABEL: func.func @graph
// CHECK:         %[[A:.*]] = "host.alloc"()
// CHECK:         %[[B:.*]] = "host.alloc"()
// CHECK-NEXT:    "host.launch"(%[[A]], %[[B]]) {kernel = @flip
// CHECK-NEXT:    %[[C:.*]] = "host.reuse"(%[[A]])
// CHECK-NEXT:    "host.launch"(%[[B]], %[[C]]) {kernel = @flip
// CHECK-NEXT:    "host.free"(%[[B]])
// CHECK-NEXT:    return %[[C]]
"loop.func"() ({
^bb0(%in: memref<?xf32>, %out: memref<?xf32>, %i: index):
  %v = "loop.load"(%in, %i) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 0>} : (memref<?xf32>, index) -> f32
  %s = math.exp %v : f32
  "loop.store"(%out, %s, %i) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 1, 0>} : (memref<?xf32>, f32, index) -> ()
  "loop.yield"() : () -> ()
}) {sym_name = "exp", domain = affine_map<() -> (8)>, symbols = [], outputs = 1 : i64} : () -> ()
"loop.func"() ({
^bb0(%in: memref<?xf32>, %out: memref<?xf32>, %i: index):
  %v = "loop.load"(%in, %i) {map = affine_map<(d0) -> (-d0 + 7)>, operandSegmentSizes = array<i32: 1, 1, 0>} : (memref<?xf32>, index) -> f32
  "loop.store"(%out, %v, %i) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 1, 0>} : (memref<?xf32>, f32, index) -> ()
  "loop.yield"() : () -> ()
}) {sym_name = "flip", domain = affine_map<() -> (8)>, symbols = [], outputs = 1 : i64} : () -> ()
func.func @graph(%x: !x, %w: tensor<2x2xf32>) -> !x attributes {aten.stage = "host"} {
  %a = "host.alloc"() : () -> !x
  "host.launch"(%x, %a) {kernel = @exp, symbols = [], operandSegmentSizes = array<i32: 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (!x, !x) -> ()
  %b = "host.alloc"() : () -> !x
  "host.launch"(%a, %b) {kernel = @flip, symbols = [], operandSegmentSizes = array<i32: 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (!x, !x) -> ()
  "host.free"(%a) : (!x) -> ()
  %c = "host.alloc"() : () -> !x
  "host.launch"(%b, %c) {kernel = @flip, symbols = [], operandSegmentSizes = array<i32: 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (!x, !x) -> ()
  "host.free"(%b) : (!x) -> ()
  return %c : !x
}

// -----

!x = tensor<8xf32>

// Softmax reads its row in each sweep and writes it in the last. A kernel that writes an output in its first sweep and reads the
// input again in its second may lie there with the second output only.
// CHECK-LABEL: func.func @graph
// CHECK:         "host.launch"(%[[A:.*]], %[[B:.*]]) {host.in_place = array<i64: 0, 1>, kernel = @softmax
// CHECK-NEXT:    %[[C:.*]] = "host.alloc"()
// CHECK-NEXT:    %[[D:.*]] = "host.reuse"(%[[B]])
// CHECK-NEXT:    "host.launch"(%[[B]], %[[C]], %[[D]]) {host.in_place = array<i64: 0, 2>, kernel = @twice
"loop.func"() ({
^bb0(%in: memref<?xf32>, %out: memref<?xf32>, %i: index):
  %v = "loop.load"(%in, %i) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 0>} : (memref<?xf32>, index) -> f32
  %s = math.exp %v : f32
  "loop.store"(%out, %s, %i) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 1, 0>} : (memref<?xf32>, f32, index) -> ()
  "loop.yield"() : () -> ()
}) {sym_name = "exp", domain = affine_map<() -> (8)>, symbols = [], outputs = 1 : i64} : () -> ()
"loop.func"() ({
^bb0(%in: memref<?xf32>, %out: memref<?xf32>, %i: index, %j: index):
  %v = "loop.load"(%in, %i, %j) {map = affine_map<(d0, d1) -> (d0 * 4 + d1)>, operandSegmentSizes = array<i32: 1, 2, 0>} : (memref<?xf32>, index, index) -> f32
  %m = "loop.reduce"(%v) {kind = "max", dims = [1], operandSegmentSizes = array<i32: 1, 0>, resultSegmentSizes = array<i32: 1, 0>} : (f32) -> f32
  %d = arith.subf %v, %m : f32
  %e = math.exp %d : f32
  %s = "loop.reduce"(%e) {kind = "add", dims = [1], operandSegmentSizes = array<i32: 1, 0>, resultSegmentSizes = array<i32: 1, 0>} : (f32) -> f32
  %q = arith.divf %e, %s : f32
  "loop.store"(%out, %q, %i, %j) {map = affine_map<(d0, d1) -> (d0 * 4 + d1)>, operandSegmentSizes = array<i32: 1, 1, 2, 0>} : (memref<?xf32>, f32, index, index) -> ()
  "loop.yield"() : () -> ()
}) {sym_name = "softmax", domain = affine_map<() -> (2, 4)>, symbols = [], outputs = 1 : i64} : () -> ()
"loop.func"() ({
^bb0(%in: memref<?xf32>, %first: memref<?xf32>, %second: memref<?xf32>, %i: index, %j: index):
  %v = "loop.load"(%in, %i, %j) {map = affine_map<(d0, d1) -> (d0 * 4 + d1)>, operandSegmentSizes = array<i32: 1, 2, 0>} : (memref<?xf32>, index, index) -> f32
  %n = arith.negf %v : f32
  "loop.store"(%first, %n, %i, %j) {map = affine_map<(d0, d1) -> (d0 * 4 + d1)>, operandSegmentSizes = array<i32: 1, 1, 2, 0>} : (memref<?xf32>, f32, index, index) -> ()
  %m = "loop.reduce"(%v) {kind = "max", dims = [1], operandSegmentSizes = array<i32: 1, 0>, resultSegmentSizes = array<i32: 1, 0>} : (f32) -> f32
  %d = arith.subf %v, %m : f32
  "loop.store"(%second, %d, %i, %j) {map = affine_map<(d0, d1) -> (d0 * 4 + d1)>, operandSegmentSizes = array<i32: 1, 1, 2, 0>} : (memref<?xf32>, f32, index, index) -> ()
  "loop.yield"() : () -> ()
}) {sym_name = "twice", domain = affine_map<() -> (2, 4)>, symbols = [], outputs = 2 : i64} : () -> ()
func.func @graph(%x: !x, %w: tensor<2x2xf32>) -> (!x, !x) attributes {aten.stage = "host"} {
  %a = "host.alloc"() : () -> !x
  "host.launch"(%x, %a) {kernel = @exp, symbols = [], operandSegmentSizes = array<i32: 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (!x, !x) -> ()
  %b = "host.alloc"() : () -> !x
  "host.launch"(%a, %b) {kernel = @softmax, symbols = [], operandSegmentSizes = array<i32: 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (!x, !x) -> ()
  "host.free"(%a) : (!x) -> ()
  %c = "host.alloc"() : () -> !x
  %d = "host.alloc"() : () -> !x
  "host.launch"(%b, %c, %d) {kernel = @twice, symbols = [], operandSegmentSizes = array<i32: 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (!x, !x, !x) -> ()
  "host.free"(%b) : (!x) -> ()
  return %c, %d : !x, !x
}

// -----

!x = tensor<?x8xf32, #aten.layout<"cpu", [8, 1], 0 : i64, [#aten.expr<"s0">, 8]>>
!y = tensor<?xf32, #aten.layout<"cpu", [1], 0 : i64, [#aten.expr<"8*s0">]>>
!z = tensor<?xf32, #aten.layout<"cpu", [1], 0 : i64, [#aten.expr<"9*s0">]>>

// Symbolic sizes: of as many bytes, by algebra, and only kernels look at it; the last is larger.
// CHECK-LABEL: func.func @graph
// CHECK:         %[[A:.*]] = "host.alloc"()
// CHECK:         %[[B:.*]] = "host.alloc"()
// CHECK:         "host.reuse"(%[[A]]) : (tensor<?x8xf32, {{.*}}>) -> tensor<?xf32
// CHECK:         "host.alloc"()
"loop.func"() ({
^bb0(%in: memref<?xf32>, %out: memref<?xf32>, %i: index):
  %v = "loop.load"(%in, %i) {map = affine_map<(d0) -> (-d0 + 7)>, operandSegmentSizes = array<i32: 1, 1, 0>} : (memref<?xf32>, index) -> f32
  "loop.store"(%out, %v, %i) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 1, 0>} : (memref<?xf32>, f32, index) -> ()
  "loop.yield"() : () -> ()
}) {sym_name = "flip", domain = affine_map<() -> (8)>, symbols = [], outputs = 1 : i64} : () -> ()
func.func @graph(%x: !x) -> !z attributes {aten.stage = "host", aten.symbols = {s0 = [2, 100, 4]}} {
  %a = "host.alloc"() : () -> !x
  "host.launch"(%x, %a) {kernel = @flip, symbols = [], operandSegmentSizes = array<i32: 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (!x, !x) -> ()
  %b = "host.alloc"() : () -> !x
  "host.launch"(%a, %b) {kernel = @flip, symbols = [], operandSegmentSizes = array<i32: 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (!x, !x) -> ()
  "host.free"(%a) : (!x) -> ()
  %c = "host.alloc"() : () -> !y
  "host.launch"(%b, %c) {kernel = @flip, symbols = [], operandSegmentSizes = array<i32: 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (!x, !y) -> ()
  "host.free"(%b) : (!x) -> ()
  %d = "host.alloc"() : () -> !z
  "host.launch"(%c, %d) {kernel = @flip, symbols = [], operandSegmentSizes = array<i32: 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (!y, !z) -> ()
  "host.free"(%c) : (!y) -> ()
  return %d : !z
}

// -----

!x = tensor<8xf32>

// An operator that may keep its operand, or give a view of it, ends all that: its buffers stay as they are.
// CHECK-LABEL: func.func @graph
// CHECK-NOT:     "host.reuse"
// CHECK:         return
"loop.func"() ({
^bb0(%in: memref<?xf32>, %out: memref<?xf32>, %i: index):
  %v = "loop.load"(%in, %i) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 0>} : (memref<?xf32>, index) -> f32
  %s = math.exp %v : f32
  "loop.store"(%out, %s, %i) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 1, 0>} : (memref<?xf32>, f32, index) -> ()
  "loop.yield"() : () -> ()
}) {sym_name = "exp", domain = affine_map<() -> (8)>, symbols = [], outputs = 1 : i64} : () -> ()
func.func @graph(%x: !x, %w: tensor<2x2xf32>) -> !x attributes {aten.stage = "host"} {
  %a = "host.alloc"() : () -> !x
  "host.launch"(%x, %a) {kernel = @exp, symbols = [], operandSegmentSizes = array<i32: 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (!x, !x) -> ()
  %k = "host.call"(%a) {target = "mylib.keep.default", arguments = [#aten.operand<0 : i64>], reason = "library", operandSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>, resultSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (!x) -> !x
  %c = "host.alloc"() : () -> !x
  "host.launch"(%a, %c) {kernel = @exp, symbols = [], operandSegmentSizes = array<i32: 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (!x, !x) -> ()
  "host.free"(%a) : (!x) -> ()
  "host.free"(%k) : (!x) -> ()
  return %c : !x
}

// -----

!x = tensor<16384xf32>
!m = tensor<2x2xf32>

// A donated input is taken too, but not by what is returned: that has memory of its own.
// CHECK-LABEL: func.func @graph
// CHECK:         %[[A:.*]] = "host.reuse"(%arg0)
// CHECK-NEXT:    "host.launch"(%arg0, %[[A]]) {host.in_place = array<i64: 0, 1>, kernel = @exp
// CHECK-NEXT:    %[[B:.*]] = "host.alloc"()
// CHECK-NEXT:    "host.launch"(%[[A]], %[[B]]) {kernel = @flip
// CHECK-NEXT:    "host.free"(%[[A]])
// CHECK-NEXT:    %[[C:.*]] = "host.alloc"()
// CHECK-NEXT:    "host.launch"(%[[B]], %[[C]]) {kernel = @flip
// CHECK-NEXT:    "host.free"(%[[B]])
// CHECK-NEXT:    return %[[C]]
"loop.func"() ({
^bb0(%in: memref<?xf32>, %out: memref<?xf32>, %i: index):
  %v = "loop.load"(%in, %i) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 0>} : (memref<?xf32>, index) -> f32
  %s = math.exp %v : f32
  "loop.store"(%out, %s, %i) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 1, 0>} : (memref<?xf32>, f32, index) -> ()
  "loop.yield"() : () -> ()
}) {sym_name = "exp", domain = affine_map<() -> (16384)>, symbols = [], outputs = 1 : i64} : () -> ()
"loop.func"() ({
^bb0(%in: memref<?xf32>, %out: memref<?xf32>, %i: index):
  %v = "loop.load"(%in, %i) {map = affine_map<(d0) -> (-d0 + 16383)>, operandSegmentSizes = array<i32: 1, 1, 0>} : (memref<?xf32>, index) -> f32
  "loop.store"(%out, %v, %i) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 1, 0>} : (memref<?xf32>, f32, index) -> ()
  "loop.yield"() : () -> ()
}) {sym_name = "flip", domain = affine_map<() -> (16384)>, symbols = [], outputs = 1 : i64} : () -> ()
func.func @graph(%x: !x, %w: !m) -> !x attributes {aten.stage = "host", host.donated = array<i64: 0>} {
  %a = "host.alloc"() : () -> !x
  "host.launch"(%x, %a) {kernel = @exp, symbols = [], operandSegmentSizes = array<i32: 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (!x, !x) -> ()
  %b = "host.alloc"() : () -> !x
  "host.launch"(%a, %b) {kernel = @flip, symbols = [], operandSegmentSizes = array<i32: 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (!x, !x) -> ()
  "host.free"(%a) : (!x) -> ()
  %c = "host.alloc"() : () -> !x
  "host.launch"(%b, %c) {kernel = @flip, symbols = [], operandSegmentSizes = array<i32: 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (!x, !x) -> ()
  "host.free"(%b) : (!x) -> ()
  return %c : !x
}

// -----

!x = tensor<8xf32, #aten.layout<"cuda:0", [1], 0 : i64, unit>>
!y = tensor<8xf32, #aten.layout<"cuda:1", [1], 0 : i64, unit>>

// On a GPU a dead buffer of the same device is taken. Small outputs do not lie in the memory of an input there.
// CHECK-LABEL: func.func @graph
// CHECK:         %[[A:.*]] = "host.alloc"() : {{.*}}cuda:0
// CHECK:         %[[B:.*]] = "host.alloc"() : {{.*}}cuda:0
// CHECK-NEXT:    "host.launch"(%[[A]], %[[B]]) {kernel = @exp
// CHECK-NEXT:    %[[C:.*]] = "host.alloc"() : {{.*}}cuda:1
// CHECK-NEXT:    "host.launch"(%arg1, %[[C]])
// CHECK-NEXT:    %[[D:.*]] = "host.reuse"(%[[A]])
// CHECK-NEXT:    "host.launch"(%[[B]], %[[D]]) {kernel = @exp
// CHECK-NEXT:    "host.free"(%[[B]])
// CHECK-NEXT:    return %[[C]], %[[D]]
"loop.func"() ({
^bb0(%in: memref<?xf32>, %out: memref<?xf32>, %i: index):
  %v = "loop.load"(%in, %i) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 0>} : (memref<?xf32>, index) -> f32
  %s = math.exp %v : f32
  "loop.store"(%out, %s, %i) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 1, 0>} : (memref<?xf32>, f32, index) -> ()
  "loop.yield"() : () -> ()
}) {sym_name = "exp", domain = affine_map<() -> (8)>, symbols = [], outputs = 1 : i64} : () -> ()
func.func @graph(%x: !x, %y: !y) -> (!y, !x) attributes {aten.stage = "host"} {
  %a = "host.alloc"() : () -> !x
  "host.launch"(%x, %a) {kernel = @exp, symbols = [], operandSegmentSizes = array<i32: 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (!x, !x) -> ()
  %b = "host.alloc"() : () -> !x
  "host.launch"(%a, %b) {kernel = @exp, symbols = [], operandSegmentSizes = array<i32: 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (!x, !x) -> ()
  "host.free"(%a) : (!x) -> ()
  %c = "host.alloc"() : () -> !y
  "host.launch"(%y, %c) {kernel = @exp, symbols = [], operandSegmentSizes = array<i32: 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (!y, !y) -> ()
  %d = "host.alloc"() : () -> !x
  "host.launch"(%b, %d) {kernel = @exp, symbols = [], operandSegmentSizes = array<i32: 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (!x, !x) -> ()
  "host.free"(%b) : (!x) -> ()
  return %c, %d : !y, !x
}

// -----

!x = tensor<16384xf32, #aten.layout<"cuda:0", [1], 0 : i64, unit>>

// A kernel on a GPU overwrites its input, if that is a buffer of the graph and the kernel stores a value for every point.
// CHECK-LABEL: func.func @graph
// CHECK-NEXT:    %[[A:.*]] = "host.alloc"()
// CHECK-NEXT:    "host.launch"(%arg0, %[[A]]) {kernel = @exp
// CHECK-NEXT:    %[[B:.*]] = "host.reuse"(%[[A]])
// CHECK-NEXT:    "host.launch"(%[[A]], %[[B]]) {host.in_place = array<i64: 0, 1>, kernel = @exp
// CHECK-NEXT:    %[[C:.*]] = "host.reuse"(%[[B]])
// CHECK-NEXT:    "host.launch"(%[[B]], %[[C]]) {host.in_place = array<i64: 0, 1>, kernel = @less_max
// CHECK-NEXT:    %[[D:.*]] = "host.alloc"()
// CHECK-NEXT:    "host.launch"(%[[C]], %[[D]]) {kernel = @many_times
// CHECK-NEXT:    "host.free"(%[[C]])
// CHECK-NEXT:    return %[[D]]
"loop.func"() ({
^bb0(%in: memref<?xf32>, %out: memref<?xf32>, %i: index):
  %v = "loop.load"(%in, %i) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 0>} : (memref<?xf32>, index) -> f32
  %s = math.exp %v : f32
  "loop.store"(%out, %s, %i) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 1, 0>} : (memref<?xf32>, f32, index) -> ()
  "loop.yield"() : () -> ()
}) {sym_name = "exp", domain = affine_map<() -> (16384)>, symbols = [], outputs = 1 : i64, device = "cuda:0"} : () -> ()
"loop.func"() ({
^bb0(%in: memref<?xf32>, %out: memref<?xf32>, %i: index, %j: index):
  %v = "loop.load"(%in, %i, %j) {map = affine_map<(d0, d1) -> (d0 * 128 + d1)>, operandSegmentSizes = array<i32: 1, 2, 0>} : (memref<?xf32>, index, index) -> f32
  %m = "loop.reduce"(%v) {kind = "max", dims = [1], operandSegmentSizes = array<i32: 1, 0>, resultSegmentSizes = array<i32: 1, 0>} : (f32) -> f32
  %d = arith.subf %v, %m : f32
  "loop.store"(%out, %d, %i, %j) {map = affine_map<(d0, d1) -> (d0 * 128 + d1)>, operandSegmentSizes = array<i32: 1, 1, 2, 0>} : (memref<?xf32>, f32, index, index) -> ()
  "loop.yield"() : () -> ()
}) {sym_name = "less_max", domain = affine_map<() -> (128, 128)>, symbols = [], outputs = 1 : i64, device = "cuda:0"} : () -> ()
"loop.func"() ({
^bb0(%in: memref<?xf32>, %out: memref<?xf32>, %i: index, %j: index):
  %v = "loop.load"(%in, %i) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 0>} : (memref<?xf32>, index) -> f32
  %m = "loop.reduce"(%v) {kind = "add", dims = [1], operandSegmentSizes = array<i32: 1, 0>, resultSegmentSizes = array<i32: 1, 0>} : (f32) -> f32
  "loop.store"(%out, %m, %i) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 1, 0>} : (memref<?xf32>, f32, index) -> ()
  "loop.yield"() : () -> ()
}) {sym_name = "many_times", domain = affine_map<() -> (16384, 8)>, symbols = [], outputs = 1 : i64, device = "cuda:0"} : () -> ()
func.func @graph(%x: !x) -> !x attributes {aten.stage = "host"} {
  %a = "host.alloc"() : () -> !x
  "host.launch"(%x, %a) {kernel = @exp, symbols = [], operandSegmentSizes = array<i32: 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (!x, !x) -> ()
  %b = "host.alloc"() : () -> !x
  "host.launch"(%a, %b) {kernel = @exp, symbols = [], operandSegmentSizes = array<i32: 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (!x, !x) -> ()
  "host.free"(%a) : (!x) -> ()
  %c = "host.alloc"() : () -> !x
  "host.launch"(%b, %c) {kernel = @less_max, symbols = [], operandSegmentSizes = array<i32: 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (!x, !x) -> ()
  "host.free"(%b) : (!x) -> ()
  %d = "host.alloc"() : () -> !x
  "host.launch"(%c, %d) {kernel = @many_times, symbols = [], operandSegmentSizes = array<i32: 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (!x, !x) -> ()
  "host.free"(%c) : (!x) -> ()
  return %d : !x
}
