// RUN: %mlirind-opt %s --verify-ir --split-input-file --verify-diagnostics

// A domain depends on symbols, never on dimensions.
// expected-error@+1 {{domain has dimensions}}
"loop.func"() ({
^bb0(%a: memref<?xf32>, %o: memref<?xf32>, %i: index, %j: index):
  %v = "loop.load"(%a, %i) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 0>} : (memref<?xf32>, index) -> f32
  "loop.store"(%o, %v, %i) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 1, 0>} : (memref<?xf32>, f32, index) -> ()
  "loop.yield"() : () -> ()
}) {sym_name = "k", domain = affine_map<(d0) -> (d0, 8)>, symbols = [], outputs = 1} : () -> ()

// -----

// Every symbol of the maps has its expression.
// expected-error@+1 {{domain has 1 symbols, `symbols` names 0}}
"loop.func"() ({
^bb0(%a: memref<?xf32>, %o: memref<?xf32>, %i: index, %j: index):
  %v = "loop.load"(%a, %i) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 0>} : (memref<?xf32>, index) -> f32
  "loop.store"(%o, %v, %i) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 1, 0>} : (memref<?xf32>, f32, index) -> ()
  "loop.yield"() : () -> ()
}) {sym_name = "k", domain = affine_map<()[s0] -> (s0, 8)>, symbols = [], outputs = 1} : () -> ()

// -----

// Symbols are expressions.
// expected-error@+1 {{symbols holds #aten.expr}}
"loop.func"() ({
^bb0(%a: memref<?xf32>, %o: memref<?xf32>, %i: index, %j: index):
  %v = "loop.load"(%a, %i) {map = affine_map<(d0)[s0] -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 0>} : (memref<?xf32>, index) -> f32
  "loop.store"(%o, %v, %i) {map = affine_map<(d0)[s0] -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 1, 0>} : (memref<?xf32>, f32, index) -> ()
  "loop.yield"() : () -> ()
}) {sym_name = "k", domain = affine_map<()[s0] -> (s0, 8)>, symbols = ["s0"], outputs = 1} : () -> ()

// -----

// No more outputs than buffers.
// expected-error@+1 {{outputs = 3, but the body has 2 buffers}}
"loop.func"() ({
^bb0(%a: memref<?xf32>, %o: memref<?xf32>, %i: index, %j: index):
  %v = "loop.load"(%a, %i) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 0>} : (memref<?xf32>, index) -> f32
  "loop.store"(%o, %v, %i) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 1, 0>} : (memref<?xf32>, f32, index) -> ()
  "loop.yield"() : () -> ()
}) {sym_name = "k", domain = affine_map<() -> (4, 8)>, symbols = [], outputs = 3} : () -> ()

// -----

// Buffers are flat and come before the indices.
// expected-error@+1 {{argument 0 is neither a memref<?xT> nor one of the last 2}}
"loop.func"() ({
^bb0(%a: memref<4x8xf32>, %o: memref<?xf32>, %i: index, %j: index):
  %v = arith.constant 1.0 : f32
  "loop.store"(%o, %v, %i) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 1, 0>} : (memref<?xf32>, f32, index) -> ()
  "loop.yield"() : () -> ()
}) {sym_name = "k", domain = affine_map<() -> (4, 8)>, symbols = [], outputs = 1} : () -> ()

// -----

// Every output is written.
// expected-error@+1 {{output 0 is never stored to}}
"loop.func"() ({
^bb0(%a: memref<?xf32>, %o: memref<?xf32>, %i: index, %j: index):
  %v = "loop.load"(%a, %i) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 0>} : (memref<?xf32>, index) -> f32
  "loop.yield"() : () -> ()
}) {sym_name = "k", domain = affine_map<() -> (4, 8)>, symbols = [], outputs = 1} : () -> ()

// -----

// Symbols of the module are unique.
"loop.func"() ({
^bb0(%a: memref<?xf32>, %o: memref<?xf32>, %i: index, %j: index):
  %v = "loop.load"(%a, %i) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 0>} : (memref<?xf32>, index) -> f32
  "loop.store"(%o, %v, %i) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 1, 0>} : (memref<?xf32>, f32, index) -> ()
  "loop.yield"() : () -> ()
}) {sym_name = "k", domain = affine_map<() -> (4, 8)>, symbols = [], outputs = 1} : () -> ()
// expected-error@+1 {{redefinition of symbol named 'k'}}
"loop.func"() ({
^bb0(%a: memref<?xf32>, %o: memref<?xf32>, %i: index, %j: index):
  %v = "loop.load"(%a, %i) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 0>} : (memref<?xf32>, index) -> f32
  "loop.store"(%o, %v, %i) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 1, 0>} : (memref<?xf32>, f32, index) -> ()
  "loop.yield"() : () -> ()
}) {sym_name = "k", domain = affine_map<() -> (4, 8)>, symbols = [], outputs = 1} : () -> ()

// -----

// Body ops stand in a body.
func.func @f(%i: index) {
  // expected-error@+1 {{stands in the body of a loop.kernel or loop.func}}
  %0 = "loop.apply"(%i) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1>} : (index) -> index
  return
}

// -----

// A loop.func stands at module level.
func.func @f() {
  // expected-error@+1 {{stands at module level}}
  "loop.func"() ({
  ^bb0(%a: memref<?xf32>, %o: memref<?xf32>, %i: index, %j: index):
    %v = arith.constant 1.0 : f32
    "loop.store"(%o, %v, %i) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 1, 0>} : (memref<?xf32>, f32, index) -> ()
    "loop.yield"() : () -> ()
  }) {sym_name = "k", domain = affine_map<() -> (4, 8)>, symbols = [], outputs = 1} : () -> ()
  return
}

// -----

// A body is flat.
"loop.func"() ({
^bb0(%a: memref<?xf32>, %o: memref<?xf32>, %i: index, %j: index):
  %c = arith.constant true
  // expected-error@+1 {{a body holds flat arith, math and loop ops}}
  scf.if %c {
  }
  %v = "loop.load"(%a, %i) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 0>} : (memref<?xf32>, index) -> f32
  "loop.store"(%o, %v, %i) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 1, 0>} : (memref<?xf32>, f32, index) -> ()
  "loop.yield"() : () -> ()
}) {sym_name = "k", domain = affine_map<() -> (4, 8)>, symbols = [], outputs = 1} : () -> ()

// -----

// A body computes on scalars.
"loop.func"() ({
^bb0(%a: memref<?xf32>, %o: memref<?xf32>, %i: index, %j: index):
  // expected-error@+1 {{a body computes on scalars, not vector<4xf32>}}
  %c = arith.constant dense<1.0> : vector<4xf32>
  %v = "loop.load"(%a, %i) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 0>} : (memref<?xf32>, index) -> f32
  "loop.store"(%o, %v, %i) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 1, 0>} : (memref<?xf32>, f32, index) -> ()
  "loop.yield"() : () -> ()
}) {sym_name = "k", domain = affine_map<() -> (4, 8)>, symbols = [], outputs = 1} : () -> ()

// -----

// Operand groups add up, also where there is one.
"loop.func"() ({
^bb0(%a: memref<?xf32>, %o: memref<?xf32>, %i: index, %j: index):
  // expected-error@+1 {{operandSegmentSizes adds up to 2, the op has 1}}
  %r = "loop.apply"(%i) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 2>} : (index) -> index
  %v = "loop.load"(%a, %i) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 0>} : (memref<?xf32>, index) -> f32
  "loop.store"(%o, %v, %i) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 1, 0>} : (memref<?xf32>, f32, index) -> ()
  "loop.yield"() : () -> ()
}) {sym_name = "k", domain = affine_map<() -> (4, 8)>, symbols = [], outputs = 1} : () -> ()

// -----

// A map takes the indices given.
"loop.func"() ({
^bb0(%a: memref<?xf32>, %o: memref<?xf32>, %i: index, %j: index):
  // expected-error@+1 {{map has 1 dimensions for 2 indices}}
  %v = "loop.load"(%a, %i, %j) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 2, 0>} : (memref<?xf32>, index, index) -> f32
  "loop.store"(%o, %v, %i) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 1, 0>} : (memref<?xf32>, f32, index) -> ()
  "loop.yield"() : () -> ()
}) {sym_name = "k", domain = affine_map<() -> (4, 8)>, symbols = [], outputs = 1} : () -> ()

// -----

// A map has the symbols of its kernel.
"loop.func"() ({
^bb0(%a: memref<?xf32>, %o: memref<?xf32>, %i: index, %j: index):
  // expected-error@+1 {{map has 1 symbols, the kernel 0}}
  %v = "loop.load"(%a, %i) {map = affine_map<(d0)[s0] -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 0>} : (memref<?xf32>, index) -> f32
  "loop.store"(%o, %v, %i) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 1, 0>} : (memref<?xf32>, f32, index) -> ()
  "loop.yield"() : () -> ()
}) {sym_name = "k", domain = affine_map<() -> (4, 8)>, symbols = [], outputs = 1} : () -> ()

// -----

// Flat buffers take one offset.
"loop.func"() ({
^bb0(%a: memref<?xf32>, %o: memref<?xf32>, %i: index, %j: index):
  // expected-error@+1 {{map has 2 results, the buffer takes 1}}
  %v = "loop.load"(%a, %i) {map = affine_map<(d0) -> (d0, d0)>, operandSegmentSizes = array<i32: 1, 1, 0>} : (memref<?xf32>, index) -> f32
  "loop.store"(%o, %v, %i) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 1, 0>} : (memref<?xf32>, f32, index) -> ()
  "loop.yield"() : () -> ()
}) {sym_name = "k", domain = affine_map<() -> (4, 8)>, symbols = [], outputs = 1} : () -> ()

// -----

// A load gives the element, signless.
"loop.func"() ({
^bb0(%a: memref<?xf32>, %o: memref<?xf32>, %i: index, %j: index):
  // expected-error@+1 {{the value is f64, the buffer holds f32}}
  %w = "loop.load"(%a, %i) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 0>} : (memref<?xf32>, index) -> f64
  %v = "loop.load"(%a, %i) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 0>} : (memref<?xf32>, index) -> f32
  "loop.store"(%o, %v, %i) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 1, 0>} : (memref<?xf32>, f32, index) -> ()
  "loop.yield"() : () -> ()
}) {sym_name = "k", domain = affine_map<() -> (4, 8)>, symbols = [], outputs = 1} : () -> ()

// -----

// Outputs are not read.
"loop.func"() ({
^bb0(%a: memref<?xf32>, %o: memref<?xf32>, %i: index, %j: index):
  // expected-error@+1 {{loads from an input}}
  %v = "loop.load"(%o, %i) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 0>} : (memref<?xf32>, index) -> f32
  "loop.store"(%o, %v, %i) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 1, 0>} : (memref<?xf32>, f32, index) -> ()
  "loop.yield"() : () -> ()
}) {sym_name = "k", domain = affine_map<() -> (4, 8)>, symbols = [], outputs = 1} : () -> ()

// -----

// Inputs are not written.
"loop.func"() ({
^bb0(%a: memref<?xf32>, %o: memref<?xf32>, %i: index, %j: index):
  %v = "loop.load"(%a, %i) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 0>} : (memref<?xf32>, index) -> f32
  "loop.store"(%o, %v, %i) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 1, 0>} : (memref<?xf32>, f32, index) -> ()
  // expected-error@+1 {{stores to an output}}
  "loop.store"(%a, %v, %i) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 1, 0>} : (memref<?xf32>, f32, index) -> ()
  "loop.yield"() : () -> ()
}) {sym_name = "k", domain = affine_map<() -> (4, 8)>, symbols = [], outputs = 1} : () -> ()

// -----

// A store writes elements.
"loop.func"() ({
^bb0(%a: memref<?xf32>, %o: memref<?xf32>, %i: index, %j: index):
  %c = arith.constant 1 : i32
  // expected-error@+1 {{the value is i32, the buffer holds f32}}
  "loop.store"(%o, %c, %i) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 1, 0>} : (memref<?xf32>, i32, index) -> ()
  "loop.yield"() : () -> ()
}) {sym_name = "k", domain = affine_map<() -> (4, 8)>, symbols = [], outputs = 1} : () -> ()

// -----

// A mask is an i1.
"loop.func"() ({
^bb0(%a: memref<?xf32>, %o: memref<?xf32>, %i: index, %j: index):
  // expected-error@+1 {{the mask is an i1}}
  %v = "loop.load"(%a, %i, %i) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 1>} : (memref<?xf32>, index, index) -> f32
  "loop.store"(%o, %v, %i) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 1, 0>} : (memref<?xf32>, f32, index) -> ()
  "loop.yield"() : () -> ()
}) {sym_name = "k", domain = affine_map<() -> (4, 8)>, symbols = [], outputs = 1} : () -> ()

// -----

// Accumulating stores name how.
"loop.func"() ({
^bb0(%a: memref<?xf32>, %o: memref<?xf32>, %i: index, %j: index):
  %v = "loop.load"(%a, %i) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 0>} : (memref<?xf32>, index) -> f32
  // expected-error@+1 {{accumulate is one of add, max, min, mul}}
  "loop.store"(%o, %v, %i) {accumulate = "xor", map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 1, 0>} : (memref<?xf32>, f32, index) -> ()
  "loop.yield"() : () -> ()
}) {sym_name = "k", domain = affine_map<() -> (4, 8)>, symbols = [], outputs = 1} : () -> ()

// -----

// An apply gives one index.
"loop.func"() ({
^bb0(%a: memref<?xf32>, %o: memref<?xf32>, %i: index, %j: index):
  // expected-error@+1 {{map has one result}}
  %r = "loop.apply"(%i) {map = affine_map<(d0) -> (d0, d0)>, operandSegmentSizes = array<i32: 1>} : (index) -> index
  %v = "loop.load"(%a, %i) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 0>} : (memref<?xf32>, index) -> f32
  "loop.store"(%o, %v, %i) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 1, 0>} : (memref<?xf32>, f32, index) -> ()
  "loop.yield"() : () -> ()
}) {sym_name = "k", domain = affine_map<() -> (4, 8)>, symbols = [], outputs = 1} : () -> ()

// -----

// Indices are of type index.
"loop.func"() ({
^bb0(%a: memref<?xf32>, %o: memref<?xf32>, %i: index, %j: index):
  %c = arith.constant 1 : i64
  // expected-error@+1 {{indices are of type index}}
  %r = "loop.apply"(%c) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1>} : (i64) -> index
  %v = "loop.load"(%a, %i) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 0>} : (memref<?xf32>, index) -> f32
  "loop.store"(%o, %v, %i) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 1, 0>} : (memref<?xf32>, f32, index) -> ()
  "loop.yield"() : () -> ()
}) {sym_name = "k", domain = affine_map<() -> (4, 8)>, symbols = [], outputs = 1} : () -> ()

// -----

// A check takes an i1.
"loop.func"() ({
^bb0(%a: memref<?xf32>, %o: memref<?xf32>, %i: index, %j: index):
  // expected-error@+1 {{the condition is an i1}}
  "loop.check"(%i) {error = "index"} : (index) -> ()
  %v = "loop.load"(%a, %i) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 0>} : (memref<?xf32>, index) -> f32
  "loop.store"(%o, %v, %i) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 1, 0>} : (memref<?xf32>, f32, index) -> ()
  "loop.yield"() : () -> ()
}) {sym_name = "k", domain = affine_map<() -> (4, 8)>, symbols = [], outputs = 1} : () -> ()

// -----

// A check fails with a known error.
"loop.func"() ({
^bb0(%a: memref<?xf32>, %o: memref<?xf32>, %i: index, %j: index):
  %c = arith.constant true
  // expected-error@+1 {{error is one of index, range, zero_division}}
  "loop.check"(%c) {error = "overflow"} : (i1) -> ()
  %v = "loop.load"(%a, %i) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 0>} : (memref<?xf32>, index) -> f32
  "loop.store"(%o, %v, %i) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 1, 0>} : (memref<?xf32>, f32, index) -> ()
  "loop.yield"() : () -> ()
}) {sym_name = "k", domain = affine_map<() -> (4, 8)>, symbols = [], outputs = 1} : () -> ()

// -----

// Kinds of reduction.
"loop.func"() ({
^bb0(%a: memref<?xf32>, %o: memref<?xf32>, %i: index, %j: index):
  %v = "loop.load"(%a, %i) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 0>} : (memref<?xf32>, index) -> f32
  // expected-error@+1 {{kind is one of add, and, argmax, argmin, max, maxu, min, minu, mul, or, welford}}
  %r = "loop.reduce"(%v) {kind = "xor", dims = [1], operandSegmentSizes = array<i32: 1, 0>, resultSegmentSizes = array<i32: 1, 0>} : (f32) -> f32
  "loop.store"(%o, %v, %i) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 1, 0>} : (memref<?xf32>, f32, index) -> ()
  "loop.yield"() : () -> ()
}) {sym_name = "k", domain = affine_map<() -> (4, 8)>, symbols = [], outputs = 1} : () -> ()

// -----

// A reduction gives what it combines.
"loop.func"() ({
^bb0(%a: memref<?xf32>, %o: memref<?xf32>, %i: index, %j: index):
  %v = "loop.load"(%a, %i) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 0>} : (memref<?xf32>, index) -> f32
  // expected-error@+1 {{add takes one value and gives one of its type}}
  %r = "loop.reduce"(%v) {kind = "add", dims = [1], operandSegmentSizes = array<i32: 1, 0>, resultSegmentSizes = array<i32: 1, 0>} : (f32) -> f64
  "loop.store"(%o, %v, %i) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 1, 0>} : (memref<?xf32>, f32, index) -> ()
  "loop.yield"() : () -> ()
}) {sym_name = "k", domain = affine_map<() -> (4, 8)>, symbols = [], outputs = 1} : () -> ()

// -----

// Unsigned and bit-wise reductions are of integers.
"loop.func"() ({
^bb0(%a: memref<?xf32>, %o: memref<?xf32>, %i: index, %j: index):
  %v = "loop.load"(%a, %i) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 0>} : (memref<?xf32>, index) -> f32
  // expected-error@+1 {{maxu combines integers}}
  %r = "loop.reduce"(%v) {kind = "maxu", dims = [1], operandSegmentSizes = array<i32: 1, 0>, resultSegmentSizes = array<i32: 1, 0>} : (f32) -> f32
  "loop.store"(%o, %v, %i) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 1, 0>} : (memref<?xf32>, f32, index) -> ()
  "loop.yield"() : () -> ()
}) {sym_name = "k", domain = affine_map<() -> (4, 8)>, symbols = [], outputs = 1} : () -> ()

// -----

// argmax carries an i64 index.
"loop.func"() ({
^bb0(%a: memref<?xf32>, %o: memref<?xf32>, %i: index, %j: index):
  %v = "loop.load"(%a, %i) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 0>} : (memref<?xf32>, index) -> f32
  // expected-error@+1 {{argmax takes and gives a value and an i64 index}}
  %r:2 = "loop.reduce"(%v, %j) {kind = "argmax", dims = [1], operandSegmentSizes = array<i32: 1, 1>, resultSegmentSizes = array<i32: 1, 1>} : (f32, index) -> (f32, index)
  "loop.store"(%o, %v, %i) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 1, 0>} : (memref<?xf32>, f32, index) -> ()
  "loop.yield"() : () -> ()
}) {sym_name = "k", domain = affine_map<() -> (4, 8)>, symbols = [], outputs = 1} : () -> ()

// -----

// welford gives mean and squared distances.
"loop.func"() ({
^bb0(%a: memref<?xf32>, %o: memref<?xf32>, %i: index, %j: index):
  %v = "loop.load"(%a, %i) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 0>} : (memref<?xf32>, index) -> f32
  // expected-error@+1 {{welford takes a float and gives two of its type}}
  %r = "loop.reduce"(%v) {kind = "welford", dims = [1], operandSegmentSizes = array<i32: 1, 0>, resultSegmentSizes = array<i32: 1, 0>} : (f32) -> f32
  "loop.store"(%o, %v, %i) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 1, 0>} : (memref<?xf32>, f32, index) -> ()
  "loop.yield"() : () -> ()
}) {sym_name = "k", domain = affine_map<() -> (4, 8)>, symbols = [], outputs = 1} : () -> ()

// -----

// Reduced dimensions are the innermost.
"loop.func"() ({
^bb0(%a: memref<?xf32>, %o: memref<?xf32>, %i: index, %j: index):
  %v = "loop.load"(%a, %i) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 0>} : (memref<?xf32>, index) -> f32
  // expected-error@+1 {{dims are the innermost of the domain's 2}}
  %r = "loop.reduce"(%v) {kind = "add", dims = [0], operandSegmentSizes = array<i32: 1, 0>, resultSegmentSizes = array<i32: 1, 0>} : (f32) -> f32
  "loop.store"(%o, %v, %i) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 1, 0>} : (memref<?xf32>, f32, index) -> ()
  "loop.yield"() : () -> ()
}) {sym_name = "k", domain = affine_map<() -> (4, 8)>, symbols = [], outputs = 1} : () -> ()

// -----

// All reductions of a kernel are over the same dimensions.
"loop.func"() ({
^bb0(%a: memref<?xf32>, %o: memref<?xf32>, %i: index, %j: index):
  %v = "loop.load"(%a, %i) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 0>} : (memref<?xf32>, index) -> f32
  %r = "loop.reduce"(%v) {kind = "add", dims = [1], operandSegmentSizes = array<i32: 1, 0>, resultSegmentSizes = array<i32: 1, 0>} : (f32) -> f32
  // expected-error@+1 {{all reductions of a kernel are over the same dims}}
  %s = "loop.reduce"(%v) {kind = "add", dims = [0, 1], operandSegmentSizes = array<i32: 1, 0>, resultSegmentSizes = array<i32: 1, 0>} : (f32) -> f32
  "loop.store"(%o, %v, %i) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 1, 0>} : (memref<?xf32>, f32, index) -> ()
  "loop.yield"() : () -> ()
}) {sym_name = "k", domain = affine_map<() -> (4, 8)>, symbols = [], outputs = 1} : () -> ()

// -----

// There is no scan for welford.
"loop.func"() ({
^bb0(%a: memref<?xf32>, %o: memref<?xf32>, %i: index, %j: index):
  %v = "loop.load"(%a, %i) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 0>} : (memref<?xf32>, index) -> f32
  // expected-error@+1 {{kind is one of add, and, argmax, argmin, max, maxu, min, minu, mul, or}}
  %r:2 = "loop.scan"(%v) {kind = "welford", dim = 1 : i64, operandSegmentSizes = array<i32: 1, 0>, resultSegmentSizes = array<i32: 2, 0>} : (f32) -> (f32, f32)
  "loop.store"(%o, %v, %i) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 1, 0>} : (memref<?xf32>, f32, index) -> ()
  "loop.yield"() : () -> ()
}) {sym_name = "k", domain = affine_map<() -> (4, 8)>, symbols = [], outputs = 1} : () -> ()

// -----

// A scan runs along a dimension.
"loop.func"() ({
^bb0(%a: memref<?xf32>, %o: memref<?xf32>, %i: index, %j: index):
  %v = "loop.load"(%a, %i) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 0>} : (memref<?xf32>, index) -> f32
  // expected-error@+1 {{dim is one of the domain's 2}}
  %r = "loop.scan"(%v) {kind = "add", dim = 2 : i64, operandSegmentSizes = array<i32: 1, 0>, resultSegmentSizes = array<i32: 1, 0>} : (f32) -> f32
  "loop.store"(%o, %v, %i) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 1, 0>} : (memref<?xf32>, f32, index) -> ()
  "loop.yield"() : () -> ()
}) {sym_name = "k", domain = affine_map<() -> (4, 8)>, symbols = [], outputs = 1} : () -> ()

// -----

// Every result says what it starts from.
#one = array<i32: 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>
func.func @f(%x: tensor<4xf32>) {
  // expected-error@+1 {{updates holds one integer a result}}
  %0 = "loop.kernel"(%x) ({
  ^bb0(%a: tensor<4xf32>, %o: tensor<4xf32>, %i: index):
    %v = "loop.load"(%a, %i) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 0>} : (tensor<4xf32>, index) -> f32
    "loop.store"(%o, %v, %i) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 1, 0>} : (tensor<4xf32>, f32, index) -> ()
    "loop.yield"() : () -> ()
  }) {domain = affine_map<() -> (4)>, symbols = [], updates = [], operandSegmentSizes = #one, resultSegmentSizes = #one} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// Updates name operands.
#one = array<i32: 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>
func.func @f(%x: tensor<4xf32>) {
  // expected-error@+1 {{updates names operand 1 of 1}}
  %0 = "loop.kernel"(%x) ({
  ^bb0(%a: tensor<4xf32>, %o: tensor<4xf32>, %i: index):
    %v = "loop.load"(%a, %i) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 0>} : (tensor<4xf32>, index) -> f32
    "loop.store"(%o, %v, %i) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 1, 0>} : (tensor<4xf32>, f32, index) -> ()
    "loop.yield"() : () -> ()
  }) {domain = affine_map<() -> (4)>, symbols = [], updates = [1], operandSegmentSizes = #one, resultSegmentSizes = #one} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// A result has the elements of the operand it starts from.
#one = array<i32: 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>
func.func @f(%x: tensor<5xf32>) {
  // expected-error@+1 {{a result of tensor<4xf32> can't start as operand 0 of tensor<5xf32>}}
  %0 = "loop.kernel"(%x) ({
  ^bb0(%a: tensor<5xf32>, %o: tensor<4xf32>, %i: index):
    %c = arith.constant 1.0 : f32
    "loop.store"(%o, %c, %i) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 1, 0>} : (tensor<4xf32>, f32, index) -> ()
    "loop.yield"() : () -> ()
  }) {domain = affine_map<() -> (4)>, symbols = [], updates = [0], operandSegmentSizes = #one, resultSegmentSizes = #one} : (tensor<5xf32>) -> tensor<4xf32>
  return
}

// -----

// Operands are tensors.
#one = array<i32: 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>
func.func @f(%x: index) {
  // expected-error@+1 {{operands and results are ranked tensors}}
  %0 = "loop.kernel"(%x) ({
  ^bb0(%a: index, %o: tensor<4xf32>, %i: index):
    %v = arith.constant 1.0 : f32
    "loop.store"(%o, %v, %i) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 1, 0>} : (tensor<4xf32>, f32, index) -> ()
    "loop.yield"() : () -> ()
  }) {domain = affine_map<() -> (4)>, symbols = [], updates = [-1], operandSegmentSizes = #one, resultSegmentSizes = #one} : (index) -> tensor<4xf32>
  return
}

// -----

// The body takes inputs, outputs and one index a dimension.
#one = array<i32: 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>
func.func @f(%x: tensor<4xf32>) {
  // expected-error@+1 {{the body's arguments are the operands', the results' and 1 index types}}
  %0 = "loop.kernel"(%x) ({
  ^bb0(%o: tensor<4xf32>, %i: index):
    %v = arith.constant 1.0 : f32
    "loop.store"(%o, %v, %i) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 1, 0>} : (tensor<4xf32>, f32, index) -> ()
    "loop.yield"() : () -> ()
  }) {domain = affine_map<() -> (4)>, symbols = [], updates = [-1], operandSegmentSizes = #one, resultSegmentSizes = #one} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// An updated operand is not read.
#one = array<i32: 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>
func.func @f(%x: tensor<4xf32>) {
  %0 = "loop.kernel"(%x) ({
  ^bb0(%a: tensor<4xf32>, %o: tensor<4xf32>, %i: index):
    // expected-error@+1 {{loads from an input that the kernel updates}}
    %v = "loop.load"(%a, %i) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 0>} : (tensor<4xf32>, index) -> f32
    "loop.store"(%o, %v, %i) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 1, 0>} : (tensor<4xf32>, f32, index) -> ()
    "loop.yield"() : () -> ()
  }) {domain = affine_map<() -> (4)>, symbols = [], updates = [0], operandSegmentSizes = #one, resultSegmentSizes = #one} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// Kernels index by coordinates.
#one = array<i32: 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>
func.func @f(%x: tensor<4xf32>) {
  %0 = "loop.kernel"(%x) ({
  ^bb0(%a: tensor<4xf32>, %o: tensor<4xf32>, %i: index):
    // expected-error@+1 {{map has 2 results, the buffer takes 1}}
    %v = "loop.load"(%a, %i) {map = affine_map<(d0) -> (d0, d0)>, operandSegmentSizes = array<i32: 1, 1, 0>} : (tensor<4xf32>, index) -> f32
    "loop.store"(%o, %v, %i) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 1, 0>} : (tensor<4xf32>, f32, index) -> ()
    "loop.yield"() : () -> ()
  }) {domain = affine_map<() -> (4)>, symbols = [], updates = [-1], operandSegmentSizes = #one, resultSegmentSizes = #one} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// A group names functions of the module, two or more.
"loop.func"() ({
^bb0(%in: memref<?xf32>, %out: memref<?xf32>, %i: index):
  %v = "loop.load"(%in, %i) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 0>} : (memref<?xf32>, index) -> f32
  "loop.store"(%out, %v, %i) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 1, 0>} : (memref<?xf32>, f32, index) -> ()
  "loop.yield"() : () -> ()
}) {sym_name = "k", domain = affine_map<() -> (4)>, symbols = [], outputs = 1 : i64, device = "cuda:0"} : () -> ()
// expected-error@+1 {{parts names two or more functions}}
"loop.group"() {sym_name = "g", parts = [@k, @other], buffers = [0, 1, 2, 3], device = "cuda:0"} : () -> ()

// -----

// Each buffer of each part has a number.
"loop.func"() ({
^bb0(%in: memref<?xf32>, %out: memref<?xf32>, %i: index):
  %v = "loop.load"(%in, %i) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 0>} : (memref<?xf32>, index) -> f32
  "loop.store"(%out, %v, %i) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 1, 0>} : (memref<?xf32>, f32, index) -> ()
  "loop.yield"() : () -> ()
}) {sym_name = "k", domain = affine_map<() -> (4)>, symbols = [], outputs = 1 : i64, device = "cuda:0"} : () -> ()
// expected-error@+1 {{buffers numbers the 4 buffers of the parts from 0}}
"loop.group"() {sym_name = "g", parts = [@k, @k], buffers = [0, 1, 3], device = "cuda:0"} : () -> ()

// -----

// The parts of a group run on one device.
"loop.func"() ({
^bb0(%in: memref<?xf32>, %out: memref<?xf32>, %i: index):
  %v = "loop.load"(%in, %i) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 0>} : (memref<?xf32>, index) -> f32
  "loop.store"(%out, %v, %i) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 1, 0>} : (memref<?xf32>, f32, index) -> ()
  "loop.yield"() : () -> ()
}) {sym_name = "k", domain = affine_map<() -> (4)>, symbols = [], outputs = 1 : i64, device = "cuda:0"} : () -> ()
// expected-error@+1 {{parts are for the group's device}}
"loop.group"() {sym_name = "g", parts = [@k, @k], buffers = [0, 1, 2, 3], device = "cuda:1"} : () -> ()
