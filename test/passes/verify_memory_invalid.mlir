// RUN: %mlirind-opt %s --verify-memory --split-input-file --verify-diagnostics

!x = tensor<8xf32>

// A buffer is read after another took its memory.
"loop.func"() ({
^bb0(%in: memref<?xf32>, %out: memref<?xf32>, %i: index):
  %v = "loop.load"(%in, %i) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 0>} : (memref<?xf32>, index) -> f32
  %s = math.exp %v : f32
  "loop.store"(%out, %s, %i) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 1, 0>} : (memref<?xf32>, f32, index) -> ()
  "loop.yield"() : () -> ()
}) {sym_name = "exp", domain = affine_map<() -> (8)>, symbols = [], outputs = 1 : i64} : () -> ()
func.func @graph(%x: !x) -> !x attributes {aten.stage = "host"} {
  %a = "host.alloc"() : () -> !x
  "host.launch"(%x, %a) {kernel = @exp, symbols = [], operandSegmentSizes = array<i32: 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (!x, !x) -> ()
  %b = "host.reuse"(%a) : (!x) -> !x
  "host.launch"(%x, %b) {kernel = @exp, symbols = [], operandSegmentSizes = array<i32: 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (!x, !x) -> ()
  // expected-error@+1 {{uses operand 0 after its memory was taken by %1}}
  "host.launch"(%a, %b) {kernel = @exp, symbols = [], operandSegmentSizes = array<i32: 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (!x, !x) -> ()
  return %b : !x
}

// -----

!x = tensor<8xf32>

// So it is through a view.
"loop.func"() ({
^bb0(%in: memref<?xf32>, %out: memref<?xf32>, %i: index):
  %v = "loop.load"(%in, %i) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 0>} : (memref<?xf32>, index) -> f32
  %s = math.exp %v : f32
  "loop.store"(%out, %s, %i) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 1, 0>} : (memref<?xf32>, f32, index) -> ()
  "loop.yield"() : () -> ()
}) {sym_name = "exp", domain = affine_map<() -> (8)>, symbols = [], outputs = 1 : i64} : () -> ()
func.func @graph(%x: !x) -> !x attributes {aten.stage = "host"} {
  %a = "host.alloc"() : () -> !x
  "host.launch"(%x, %a) {kernel = @exp, symbols = [], operandSegmentSizes = array<i32: 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (!x, !x) -> ()
  %v = "host.view"(%a) : (!x) -> !x
  %b = "host.reuse"(%a) : (!x) -> !x
  "host.launch"(%x, %b) {kernel = @exp, symbols = [], operandSegmentSizes = array<i32: 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (!x, !x) -> ()
  // expected-error@+1 {{uses operand 0 after its memory was taken by}}
  "host.launch"(%v, %b) {kernel = @exp, symbols = [], operandSegmentSizes = array<i32: 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (!x, !x) -> ()
  return %b : !x
}

// -----

!x = tensor<8xf32>

// A launch that works in place reads no other places.
"loop.func"() ({
^bb0(%in: memref<?xf32>, %out: memref<?xf32>, %i: index):
  %v = "loop.load"(%in, %i) {map = affine_map<(d0) -> (-d0 + 7)>, operandSegmentSizes = array<i32: 1, 1, 0>} : (memref<?xf32>, index) -> f32
  "loop.store"(%out, %v, %i) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 1, 0>} : (memref<?xf32>, f32, index) -> ()
  "loop.yield"() : () -> ()
}) {sym_name = "flip", domain = affine_map<() -> (8)>, symbols = [], outputs = 1 : i64} : () -> ()
"loop.func"() ({
^bb0(%in: memref<?xf32>, %out: memref<?xf32>, %i: index):
  %v = "loop.load"(%in, %i) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 0>} : (memref<?xf32>, index) -> f32
  %s = math.exp %v : f32
  "loop.store"(%out, %s, %i) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 1, 0>} : (memref<?xf32>, f32, index) -> ()
  "loop.yield"() : () -> ()
}) {sym_name = "exp", domain = affine_map<() -> (8)>, symbols = [], outputs = 1 : i64} : () -> ()
func.func @graph(%x: !x) -> !x attributes {aten.stage = "host"} {
  %a = "host.alloc"() : () -> !x
  "host.launch"(%x, %a) {kernel = @exp, symbols = [], operandSegmentSizes = array<i32: 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (!x, !x) -> ()
  %b = "host.reuse"(%a) : (!x) -> !x
  // expected-error@+1 {{may read an element of operand 0 after it wrote operand 1 there}}
  "host.launch"(%a, %b) {host.in_place = array<i64: 0, 1>, kernel = @flip, symbols = [], operandSegmentSizes = array<i32: 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (!x, !x) -> ()
  return %b : !x
}

// -----

!x = tensor<8xf32>

// The first of two outputs is written while the input is still to be read.
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
"loop.func"() ({
^bb0(%in: memref<?xf32>, %out: memref<?xf32>, %i: index):
  %v = "loop.load"(%in, %i) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 0>} : (memref<?xf32>, index) -> f32
  %s = math.exp %v : f32
  "loop.store"(%out, %s, %i) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 1, 0>} : (memref<?xf32>, f32, index) -> ()
  "loop.yield"() : () -> ()
}) {sym_name = "exp", domain = affine_map<() -> (8)>, symbols = [], outputs = 1 : i64} : () -> ()
func.func @graph(%x: !x) -> !x attributes {aten.stage = "host"} {
  %a = "host.alloc"() : () -> !x
  "host.launch"(%x, %a) {kernel = @exp, symbols = [], operandSegmentSizes = array<i32: 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (!x, !x) -> ()
  %b = "host.reuse"(%a) : (!x) -> !x
  %c = "host.alloc"() : () -> !x
  // expected-error@+1 {{may read an element of operand 0 after it wrote operand 1 there}}
  "host.launch"(%a, %b, %c) {host.in_place = array<i64: 0, 1>, kernel = @twice, symbols = [], operandSegmentSizes = array<i32: 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (!x, !x, !x) -> ()
  return %b : !x
}

// -----

!x = tensor<8xf32>

// What a launch says of two buffers has to be so.
"loop.func"() ({
^bb0(%in: memref<?xf32>, %out: memref<?xf32>, %i: index):
  %v = "loop.load"(%in, %i) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 0>} : (memref<?xf32>, index) -> f32
  %s = math.exp %v : f32
  "loop.store"(%out, %s, %i) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 1, 0>} : (memref<?xf32>, f32, index) -> ()
  "loop.yield"() : () -> ()
}) {sym_name = "exp", domain = affine_map<() -> (8)>, symbols = [], outputs = 1 : i64} : () -> ()
func.func @graph(%x: !x) -> !x attributes {aten.stage = "host"} {
  %a = "host.alloc"() : () -> !x
  "host.launch"(%x, %a) {kernel = @exp, symbols = [], operandSegmentSizes = array<i32: 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (!x, !x) -> ()
  %b = "host.alloc"() : () -> !x
  // expected-error@+1 {{operand 1 has not taken the memory of operand 0}}
  "host.launch"(%a, %b) {host.in_place = array<i64: 0, 1>, kernel = @exp, symbols = [], operandSegmentSizes = array<i32: 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (!x, !x) -> ()
  return %b : !x
}

// -----

!x = tensor<8xf32>

// In place comes first: here the memory has other contents.
"loop.func"() ({
^bb0(%in: memref<?xf32>, %out: memref<?xf32>, %i: index):
  %v = "loop.load"(%in, %i) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 0>} : (memref<?xf32>, index) -> f32
  %s = math.exp %v : f32
  "loop.store"(%out, %s, %i) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 1, 0>} : (memref<?xf32>, f32, index) -> ()
  "loop.yield"() : () -> ()
}) {sym_name = "exp", domain = affine_map<() -> (8)>, symbols = [], outputs = 1 : i64} : () -> ()
func.func @graph(%x: !x) -> !x attributes {aten.stage = "host"} {
  %a = "host.alloc"() : () -> !x
  "host.launch"(%x, %a) {kernel = @exp, symbols = [], operandSegmentSizes = array<i32: 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (!x, !x) -> ()
  %b = "host.reuse"(%a) : (!x) -> !x
  "host.launch"(%x, %b) {kernel = @exp, symbols = [], operandSegmentSizes = array<i32: 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (!x, !x) -> ()
  // expected-error@+1 {{operand 1 was used before: operand 0 is overwritten already}}
  "host.launch"(%a, %b) {host.in_place = array<i64: 0, 1>, kernel = @exp, symbols = [], operandSegmentSizes = array<i32: 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (!x, !x) -> ()
  return %b : !x
}

// -----

!x = tensor<8xf32>

// The memory is read through another operand as well.
"loop.func"() ({
^bb0(%in: memref<?xf32>, %out: memref<?xf32>, %i: index):
  %v = "loop.load"(%in, %i) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 0>} : (memref<?xf32>, index) -> f32
  %s = math.exp %v : f32
  "loop.store"(%out, %s, %i) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 1, 0>} : (memref<?xf32>, f32, index) -> ()
  "loop.yield"() : () -> ()
}) {sym_name = "exp", domain = affine_map<() -> (8)>, symbols = [], outputs = 1 : i64} : () -> ()
"loop.func"() ({
^bb0(%a: memref<?xf32>, %b: memref<?xf32>, %out: memref<?xf32>, %i: index):
  %v = "loop.load"(%a, %i) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 0>} : (memref<?xf32>, index) -> f32
  %w = "loop.load"(%b, %i) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 0>} : (memref<?xf32>, index) -> f32
  %s = arith.addf %v, %w : f32
  "loop.store"(%out, %s, %i) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 1, 0>} : (memref<?xf32>, f32, index) -> ()
  "loop.yield"() : () -> ()
}) {sym_name = "add", domain = affine_map<() -> (8)>, symbols = [], outputs = 1 : i64} : () -> ()
func.func @graph(%x: !x) -> !x attributes {aten.stage = "host"} {
  %a = "host.alloc"() : () -> !x
  "host.launch"(%x, %a) {kernel = @exp, symbols = [], operandSegmentSizes = array<i32: 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (!x, !x) -> ()
  %v = "host.view"(%a) : (!x) -> !x
  %b = "host.reuse"(%a) : (!x) -> !x
  // expected-error@+2 {{reads the memory of operand 0 through another operand}}
  // expected-error@+1 {{uses operand 1 after its memory was taken by %2}}
  "host.launch"(%a, %v, %b) {host.in_place = array<i64: 0, 2>, kernel = @add, symbols = [], operandSegmentSizes = array<i32: 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (!x, !x, !x) -> ()
  return %b : !x
}

// -----

!x = tensor<8xf32>

// Memory is taken once.
"loop.func"() ({
^bb0(%in: memref<?xf32>, %out: memref<?xf32>, %i: index):
  %v = "loop.load"(%in, %i) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 0>} : (memref<?xf32>, index) -> f32
  %s = math.exp %v : f32
  "loop.store"(%out, %s, %i) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 1, 0>} : (memref<?xf32>, f32, index) -> ()
  "loop.yield"() : () -> ()
}) {sym_name = "exp", domain = affine_map<() -> (8)>, symbols = [], outputs = 1 : i64} : () -> ()
func.func @graph(%x: !x) -> !x attributes {aten.stage = "host"} {
  %a = "host.alloc"() : () -> !x
  "host.launch"(%x, %a) {kernel = @exp, symbols = [], operandSegmentSizes = array<i32: 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (!x, !x) -> ()
  %b = "host.reuse"(%a) : (!x) -> !x
  // expected-error@+1 {{uses operand 0 after its memory was taken by}}
  %c = "host.reuse"(%a) : (!x) -> !x
  "host.launch"(%x, %b) {kernel = @exp, symbols = [], operandSegmentSizes = array<i32: 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (!x, !x) -> ()
  return %b : !x
}

// -----

!x = tensor<8xf32>

// What is freed is nobody's.
"loop.func"() ({
^bb0(%in: memref<?xf32>, %out: memref<?xf32>, %i: index):
  %v = "loop.load"(%in, %i) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 0>} : (memref<?xf32>, index) -> f32
  %s = math.exp %v : f32
  "loop.store"(%out, %s, %i) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 1, 0>} : (memref<?xf32>, f32, index) -> ()
  "loop.yield"() : () -> ()
}) {sym_name = "exp", domain = affine_map<() -> (8)>, symbols = [], outputs = 1 : i64} : () -> ()
func.func @graph(%x: !x) -> !x attributes {aten.stage = "host"} {
  %a = "host.alloc"() : () -> !x
  "host.launch"(%x, %a) {kernel = @exp, symbols = [], operandSegmentSizes = array<i32: 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (!x, !x) -> ()
  "host.free"(%a) : (!x) -> ()
  // expected-error@+1 {{uses operand 0 after it was freed}}
  %b = "host.reuse"(%a) : (!x) -> !x
  return %b : !x
}

// -----

!x = tensor<8xf32>

// What is returned stays.
"loop.func"() ({
^bb0(%in: memref<?xf32>, %out: memref<?xf32>, %i: index):
  %v = "loop.load"(%in, %i) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 0>} : (memref<?xf32>, index) -> f32
  %s = math.exp %v : f32
  "loop.store"(%out, %s, %i) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 1, 0>} : (memref<?xf32>, f32, index) -> ()
  "loop.yield"() : () -> ()
}) {sym_name = "exp", domain = affine_map<() -> (8)>, symbols = [], outputs = 1 : i64} : () -> ()
func.func @graph(%x: !x) -> !x attributes {aten.stage = "host"} {
  %a = "host.alloc"() : () -> !x
  "host.launch"(%x, %a) {kernel = @exp, symbols = [], operandSegmentSizes = array<i32: 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (!x, !x) -> ()
  // expected-error@+1 {{takes memory that is returned, or that an operator may have kept}}
  %b = "host.reuse"(%a) : (!x) -> !x
  "host.launch"(%x, %b) {kernel = @exp, symbols = [], operandSegmentSizes = array<i32: 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (!x, !x) -> ()
  // expected-error@+1 {{uses operand 0 after its memory was taken by}}
  return %a : !x
}

// -----

!x = tensor<8xf32>

// An operator of which nothing is known may keep what it is given.
"loop.func"() ({
^bb0(%in: memref<?xf32>, %out: memref<?xf32>, %i: index):
  %v = "loop.load"(%in, %i) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 0>} : (memref<?xf32>, index) -> f32
  %s = math.exp %v : f32
  "loop.store"(%out, %s, %i) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 1, 0>} : (memref<?xf32>, f32, index) -> ()
  "loop.yield"() : () -> ()
}) {sym_name = "exp", domain = affine_map<() -> (8)>, symbols = [], outputs = 1 : i64} : () -> ()
func.func @graph(%x: !x) -> !x attributes {aten.stage = "host"} {
  %a = "host.alloc"() : () -> !x
  "host.launch"(%x, %a) {kernel = @exp, symbols = [], operandSegmentSizes = array<i32: 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (!x, !x) -> ()
  "host.call"(%a) {target = "mylib.keep.default", arguments = [#aten.operand<0 : i64>], reason = "library", operandSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>, resultSegmentSizes = array<i32: 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (!x) -> ()
  // expected-error@+1 {{takes memory that is returned, or that an operator may have kept}}
  %b = "host.reuse"(%a) : (!x) -> !x
  return %b : !x
}

// -----

!x = tensor<8xf32>

// An input that is not donated is the caller's.
"loop.func"() ({
^bb0(%in: memref<?xf32>, %out: memref<?xf32>, %i: index):
  %v = "loop.load"(%in, %i) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 0>} : (memref<?xf32>, index) -> f32
  %s = math.exp %v : f32
  "loop.store"(%out, %s, %i) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 1, 0>} : (memref<?xf32>, f32, index) -> ()
  "loop.yield"() : () -> ()
}) {sym_name = "exp", domain = affine_map<() -> (8)>, symbols = [], outputs = 1 : i64} : () -> ()
func.func @graph(%x: !x) -> !x attributes {aten.stage = "host"} {
  %a = "host.alloc"() : () -> !x
  "host.launch"(%x, %a) {kernel = @exp, symbols = [], operandSegmentSizes = array<i32: 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (!x, !x) -> ()
  // expected-error@+1 {{takes memory that is not known to be the graph's own}}
  %b = "host.reuse"(%x) : (!x) -> !x
  "host.launch"(%a, %b) {kernel = @exp, symbols = [], operandSegmentSizes = array<i32: 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (!x, !x) -> ()
  "host.free"(%b) : (!x) -> ()
  return %a : !x
}

// -----

!x = tensor<8xf32>

// A result is not put into an input's memory.
"loop.func"() ({
^bb0(%in: memref<?xf32>, %out: memref<?xf32>, %i: index):
  %v = "loop.load"(%in, %i) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 0>} : (memref<?xf32>, index) -> f32
  %s = math.exp %v : f32
  "loop.store"(%out, %s, %i) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 1, 0>} : (memref<?xf32>, f32, index) -> ()
  "loop.yield"() : () -> ()
}) {sym_name = "exp", domain = affine_map<() -> (8)>, symbols = [], outputs = 1 : i64} : () -> ()
func.func @graph(%x: !x) -> !x attributes {aten.stage = "host", host.donated = array<i64: 0>} {
  %a = "host.alloc"() : () -> !x
  "host.launch"(%x, %a) {kernel = @exp, symbols = [], operandSegmentSizes = array<i32: 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (!x, !x) -> ()
  // expected-error@+1 {{returns a tensor in memory that was not allocated here for one of its type}}
  %b = "host.reuse"(%x) : (!x) -> !x
  "host.launch"(%a, %b) {kernel = @exp, symbols = [], operandSegmentSizes = array<i32: 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (!x, !x) -> ()
  "host.free"(%a) : (!x) -> ()
  return %b : !x
}

// -----

!x = tensor<8xf32>

// It has to be as much memory.
"loop.func"() ({
^bb0(%in: memref<?xf32>, %out: memref<?xf32>, %i: index):
  %v = "loop.load"(%in, %i) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 0>} : (memref<?xf32>, index) -> f32
  %s = math.exp %v : f32
  "loop.store"(%out, %s, %i) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 1, 0>} : (memref<?xf32>, f32, index) -> ()
  "loop.yield"() : () -> ()
}) {sym_name = "exp", domain = affine_map<() -> (8)>, symbols = [], outputs = 1 : i64} : () -> ()
func.func @graph(%x: !x) -> !x attributes {aten.stage = "host"} {
  %a = "host.alloc"() : () -> !x
  "host.launch"(%x, %a) {kernel = @exp, symbols = [], operandSegmentSizes = array<i32: 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (!x, !x) -> ()
  // expected-error@+1 {{takes memory of 32 bytes for a tensor of 36}}
  %b = "host.reuse"(%a) : (!x) -> tensor<9xf32>
  "host.free"(%b) : (tensor<9xf32>) -> ()
  %c = "host.alloc"() : () -> !x
  return %c : !x
}

// -----

!x = tensor<8xf32>

// A tensor of another dtype can't be made of it.
"loop.func"() ({
^bb0(%in: memref<?xf32>, %out: memref<?xf32>, %i: index):
  %v = "loop.load"(%in, %i) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 0>} : (memref<?xf32>, index) -> f32
  %s = math.exp %v : f32
  "loop.store"(%out, %s, %i) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 1, 0>} : (memref<?xf32>, f32, index) -> ()
  "loop.yield"() : () -> ()
}) {sym_name = "exp", domain = affine_map<() -> (8)>, symbols = [], outputs = 1 : i64} : () -> ()
func.func @graph(%x: !x) -> !x attributes {aten.stage = "host"} {
  %a = "host.alloc"() : () -> !x
  "host.launch"(%x, %a) {kernel = @exp, symbols = [], operandSegmentSizes = array<i32: 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (!x, !x) -> ()
  // expected-error@+1 {{takes memory of another dtype for what is used as a tensor}}
  %b = "host.reuse"(%a) : (!x) -> tensor<8xi32>
  "host.copy"(%x, %b) : (!x, tensor<8xi32>) -> ()
  "host.free"(%b) : (tensor<8xi32>) -> ()
  %c = "host.alloc"() : () -> !x
  return %c : !x
}

// -----

// Launches of one group run at the same time.
!x = tensor<4xf32, #aten.layout<"cuda:0", [1], 0 : i64, unit>>
"loop.func"() ({
^bb0(%in: memref<?xf32>, %out: memref<?xf32>, %i: index):
  %v = "loop.load"(%in, %i) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 0>} : (memref<?xf32>, index) -> f32
  "loop.store"(%out, %v, %i) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 1, 0>} : (memref<?xf32>, f32, index) -> ()
  "loop.yield"() : () -> ()
}) {sym_name = "k", domain = affine_map<() -> (4)>, symbols = [], outputs = 1 : i64, device = "cuda:0"} : () -> ()
"loop.group"() {sym_name = "g", parts = [@k, @k], buffers = [0, 1, 1, 2], device = "cuda:0"} : () -> ()
func.func @graph(%a: !x, %b: !x, %c: !x, %d: !x) attributes {aten.stage = "host"} {
  "host.launch"(%a, %b) {host.group = [@g, 0 : i64], kernel = @k, symbols = [], operandSegmentSizes = array<i32: 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (!x, !x) -> ()
  // expected-error@+1 {{shares memory that it or an earlier launch of @g writes}}
  "host.launch"(%b, %c) {host.group = [@g, 1 : i64], kernel = @k, symbols = [], operandSegmentSizes = array<i32: 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (!x, !x) -> ()
  return
}

// -----

// So do launches on arguments that share storage.
!x = tensor<4xf32, #aten.layout<"cuda:0", [1], 0 : i64, unit>>
"loop.func"() ({
^bb0(%in: memref<?xf32>, %out: memref<?xf32>, %i: index):
  %v = "loop.load"(%in, %i) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 0>} : (memref<?xf32>, index) -> f32
  "loop.store"(%out, %v, %i) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 1, 0>} : (memref<?xf32>, f32, index) -> ()
  "loop.yield"() : () -> ()
}) {sym_name = "k", domain = affine_map<() -> (4)>, symbols = [], outputs = 1 : i64, device = "cuda:0"} : () -> ()
"loop.group"() {sym_name = "g", parts = [@k, @k], buffers = [0, 1, 2, 3], device = "cuda:0"} : () -> ()
func.func @graph(%a: !x, %b: !x, %c: !x, %d: !x) attributes {aten.io_aliases = [[0, 3]], aten.stage = "host"} {
  "host.launch"(%a, %b) {host.group = [@g, 0 : i64], kernel = @k, symbols = [], operandSegmentSizes = array<i32: 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (!x, !x) -> ()
  // expected-error@+1 {{shares memory that it or an earlier launch of @g writes}}
  "host.launch"(%c, %d) {host.group = [@g, 1 : i64], kernel = @k, symbols = [], operandSegmentSizes = array<i32: 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (!x, !x) -> ()
  return
}

// -----

!x = tensor<16384xf32, #aten.layout<"cuda:0", [1], 0 : i64, unit>>

// On a GPU another split of the row may read what the value of one element a row overwrites, whatever the order on the CPU is.
"loop.func"() ({
^bb0(%in: memref<?xf32>, %out: memref<?xf32>, %i: index, %j: index):
  %v = "loop.load"(%in, %i) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 0>} : (memref<?xf32>, index) -> f32
  %m = "loop.reduce"(%v) {kind = "add", dims = [1], operandSegmentSizes = array<i32: 1, 0>, resultSegmentSizes = array<i32: 1, 0>} : (f32) -> f32
  "loop.store"(%out, %m, %i) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 1, 0>} : (memref<?xf32>, f32, index) -> ()
  "loop.yield"() : () -> ()
}) {sym_name = "many_times", domain = affine_map<() -> (16384, 8)>, symbols = [], outputs = 1 : i64, device = "cuda:0"} : () -> ()
func.func @graph(%x: !x) -> !x attributes {aten.stage = "host"} {
  %a = "host.alloc"() : () -> !x
  "host.launch"(%x, %a) {kernel = @many_times, symbols = [], operandSegmentSizes = array<i32: 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (!x, !x) -> ()
  %b = "host.reuse"(%a) : (!x) -> !x
  // expected-error@+1 {{may read an element of operand 0 after it wrote operand 1 there}}
  "host.launch"(%a, %b) {host.in_place = array<i64: 0, 1>, kernel = @many_times, symbols = [], operandSegmentSizes = array<i32: 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (!x, !x) -> ()
  return %b : !x
}
