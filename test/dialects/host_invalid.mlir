// RUN: %mlirind-opt %s --verify-ir --split-input-file --verify-diagnostics

// A new tensor starts at offset 0.
func.func @f() {
  // expected-error@+1 {{a new tensor starts at offset 0}}
  %0 = "host.alloc"() : () -> tensor<4xf32, #aten.layout<"cpu", [1], 2 : i64, unit>>
  return
}

// -----

// What is allocated is a tensor.
func.func @f() {
  // expected-error@+1 {{takes and gives ranked tensors}}
  %0 = "host.alloc"() : () -> memref<4xf32>
  return
}

// -----

// A view stays on the device of its base.
func.func @f(%x: tensor<4xf32, #aten.layout<"cpu", [1], 0 : i64, unit>>) {
  // expected-error@+1 {{a view is on the device of its base}}
  %0 = "host.view"(%x) : (tensor<4xf32, #aten.layout<"cpu", [1], 0 : i64, unit>>) -> tensor<4xf32, #aten.layout<"cuda:0", [1], 0 : i64, unit>>
  return
}

// -----

// A launch names a kernel of the module.
func.func @f(%x: tensor<4xf32, #aten.layout<"cpu", [1], 0 : i64, unit>>) {
  // expected-error@+1 {{there is no loop.func @k}}
  "host.launch"(%x) {kernel = @k, symbols = [], operandSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (tensor<4xf32, #aten.layout<"cpu", [1], 0 : i64, unit>>) -> ()
  return
}

// -----

// A launch gives the buffers that the kernel takes, in element type and number.
"loop.func"() ({
^bb0(%a: memref<?xf32>, %o: memref<?xf32>, %i: index, %j: index):
  %v = "loop.load"(%a, %i) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 0>} : (memref<?xf32>, index) -> f32
  "loop.store"(%o, %v, %i) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 1, 0>} : (memref<?xf32>, f32, index) -> ()
  "loop.yield"() : () -> ()
}) {sym_name = "k", domain = affine_map<() -> (4, 8)>, symbols = [], outputs = 1} : () -> ()
func.func @f(%x: tensor<4xi32>, %y: tensor<4xf32, #aten.layout<"cpu", [1], 0 : i64, unit>>) {
  // expected-error@+1 {{gives buffers of (i32, f32), @k takes (f32, f32)}}
  "host.launch"(%x, %y) {kernel = @k, symbols = [], operandSegmentSizes = array<i32: 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (tensor<4xi32>, tensor<4xf32, #aten.layout<"cpu", [1], 0 : i64, unit>>) -> ()
  return
}

// -----

// A launch gives a value for each symbol of the kernel.
"loop.func"() ({
^bb0(%a: memref<?xf32>, %o: memref<?xf32>, %i: index, %j: index):
  %v = "loop.load"(%a, %i) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 0>} : (memref<?xf32>, index) -> f32
  "loop.store"(%o, %v, %i) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 1, 0>} : (memref<?xf32>, f32, index) -> ()
  "loop.yield"() : () -> ()
}) {sym_name = "k", domain = affine_map<() -> (4, 8)>, symbols = [], outputs = 1} : () -> ()
func.func @f(%x: tensor<4xf32, #aten.layout<"cpu", [1], 0 : i64, unit>>, %y: tensor<4xf32, #aten.layout<"cpu", [1], 0 : i64, unit>>) {
  // expected-error@+1 {{gives 1 symbols, @k takes 0}}
  "host.launch"(%x, %y) {kernel = @k, symbols = [#aten.expr<"s0">], operandSegmentSizes = array<i32: 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (tensor<4xf32, #aten.layout<"cpu", [1], 0 : i64, unit>>, tensor<4xf32, #aten.layout<"cpu", [1], 0 : i64, unit>>) -> ()
  return
}

// -----

// The values of symbols are expressions.
"loop.func"() ({
^bb0(%a: memref<?xf32>, %o: memref<?xf32>, %i: index, %j: index):
  %v = "loop.load"(%a, %i) {map = affine_map<(d0)[s0] -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 0>} : (memref<?xf32>, index) -> f32
  "loop.store"(%o, %v, %i) {map = affine_map<(d0)[s0] -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 1, 0>} : (memref<?xf32>, f32, index) -> ()
  "loop.yield"() : () -> ()
}) {sym_name = "k", domain = affine_map<()[s0] -> (s0, 8)>, symbols = [#aten.expr<"s0">], outputs = 1} : () -> ()
func.func @f(%x: tensor<4xf32, #aten.layout<"cpu", [1], 0 : i64, unit>>, %y: tensor<4xf32, #aten.layout<"cpu", [1], 0 : i64, unit>>) {
  // expected-error@+1 {{symbols holds #aten.expr attributes}}
  "host.launch"(%x, %y) {kernel = @k, symbols = [3], operandSegmentSizes = array<i32: 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (tensor<4xf32, #aten.layout<"cpu", [1], 0 : i64, unit>>, tensor<4xf32, #aten.layout<"cpu", [1], 0 : i64, unit>>) -> ()
  return
}

// -----

// A call names an overload.
func.func @f(%x: tensor<4xf32, #aten.layout<"cpu", [1], 0 : i64, unit>>) {
  // expected-error@+1 {{target is an operator's full name}}
  %0 = "host.call"(%x) {target = "aten.relu", arguments = [#aten.operand<0 : i64>], reason = "library", operandSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>, resultSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (tensor<4xf32, #aten.layout<"cpu", [1], 0 : i64, unit>>) -> tensor<4xf32, #aten.layout<"cpu", [1], 0 : i64, unit>>
  return
}

// -----

// A call says why it is one.
func.func @f(%x: tensor<4xf32, #aten.layout<"cpu", [1], 0 : i64, unit>>) {
  // expected-error@+1 {{the reason for the call is missing}}
  %0 = "host.call"(%x) {target = "aten.relu.default", arguments = [#aten.operand<0 : i64>], reason = "", operandSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>, resultSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (tensor<4xf32, #aten.layout<"cpu", [1], 0 : i64, unit>>) -> tensor<4xf32, #aten.layout<"cpu", [1], 0 : i64, unit>>
  return
}

// -----

// Every operand is an argument.
func.func @f(%x: tensor<4xf32, #aten.layout<"cpu", [1], 0 : i64, unit>>) {
  // expected-error@+1 {{arguments use the operands [], the call has 1}}
  %0 = "host.call"(%x) {target = "aten.relu.default", arguments = [1 : i64], reason = "library", operandSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>, resultSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (tensor<4xf32, #aten.layout<"cpu", [1], 0 : i64, unit>>) -> tensor<4xf32, #aten.layout<"cpu", [1], 0 : i64, unit>>
  return
}

// -----

// Arguments name operands that are there, inside lists too.
func.func @f(%x: tensor<4xf32, #aten.layout<"cpu", [1], 0 : i64, unit>>) {
  // expected-error@+1 {{arguments use the operands [0, 1], the call has 1}}
  %0 = "host.call"(%x) {target = "aten.relu.default", arguments = [[#aten.operand<0 : i64>, #aten.operand<1 : i64>]], reason = "library", operandSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>, resultSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (tensor<4xf32, #aten.layout<"cpu", [1], 0 : i64, unit>>) -> tensor<4xf32, #aten.layout<"cpu", [1], 0 : i64, unit>>
  return
}

// -----

// The caller owns the graph's inputs.
func.func @f(%x: tensor<4xf32, #aten.layout<"cpu", [1], 0 : i64, unit>>) {
  // expected-error@+1 {{frees an input of the graph}}
  "host.free"(%x) : (tensor<4xf32, #aten.layout<"cpu", [1], 0 : i64, unit>>) -> ()
  return
}

// -----

// Nothing uses a buffer after it is freed.
func.func @f() -> tensor<4xf32, #aten.layout<"cpu", [1], 0 : i64, unit>> {
  %0 = "host.alloc"() : () -> tensor<4xf32, #aten.layout<"cpu", [1], 0 : i64, unit>>
  // expected-error@+1 {{the buffer is used after it, by func.return}}
  "host.free"(%0) : (tensor<4xf32, #aten.layout<"cpu", [1], 0 : i64, unit>>) -> ()
  return %0 : tensor<4xf32, #aten.layout<"cpu", [1], 0 : i64, unit>>
}

// -----

// The same of a kernel in Triton's IR, where a bool is a byte, and of one that is native code.
"tt.func"() ({
^bb0(%a: !tt.ptr<i8>, %o: !tt.ptr<f32>):
  "tt.return"() : () -> ()
}) {sym_name = "k", kernel = "k", buffers = 2 : i64, symbols = [], function_type = (!tt.ptr<i8>, !tt.ptr<f32>) -> ()} : () -> ()
llvm.func @n(%a: !llvm.ptr) -> i32 {
  %0 = llvm.mlir.constant(0 : i32) : i32
  llvm.return %0 : i32
}
func.func @f(%x: tensor<4xi1>, %y: tensor<4xf32>) {
  "host.launch"(%x, %y) {kernel = @k, symbols = [], operandSegmentSizes = array<i32: 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (tensor<4xi1>, tensor<4xf32>) -> ()
  // expected-error@+1 {{gives buffers of (f32, i8), @k takes (i8, f32)}}
  "host.launch"(%y, %x) {kernel = @k, symbols = [], operandSegmentSizes = array<i32: 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (tensor<4xf32>, tensor<4xi1>) -> ()
  // expected-error@+1 {{gives 2 buffers and symbols, @n takes 1}}
  "host.launch"(%x, %y) {kernel = @n, symbols = [], operandSegmentSizes = array<i32: 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (tensor<4xi1>, tensor<4xf32>) -> ()
  return
}

// -----

// The launches of a group follow each other.
!x = tensor<4xf32, #aten.layout<"cuda:0", [1], 0 : i64, unit>>
"loop.func"() ({
^bb0(%in: memref<?xf32>, %out: memref<?xf32>, %i: index):
  %v = "loop.load"(%in, %i) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 0>} : (memref<?xf32>, index) -> f32
  "loop.store"(%out, %v, %i) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 1, 0>} : (memref<?xf32>, f32, index) -> ()
  "loop.yield"() : () -> ()
}) {sym_name = "k", domain = affine_map<() -> (4)>, symbols = [], outputs = 1 : i64, device = "cuda:0"} : () -> ()
"loop.group"() {sym_name = "g", parts = [@k, @k], buffers = [0, 1, 2, 3], device = "cuda:0"} : () -> ()
func.func @graph(%a: !x, %b: !x, %c: !x, %d: !x) attributes {aten.stage = "host"} {
  "host.launch"(%a, %b) {host.group = [@g, 0 : i64], kernel = @k, symbols = [], operandSegmentSizes = array<i32: 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (!x, !x) -> ()
  // expected-error@+1 {{stands before part 1 of @g}}
  "host.copy"(%c, %a) : (!x, !x) -> ()
  "host.launch"(%c, %d) {host.group = [@g, 1 : i64], kernel = @k, symbols = [], operandSegmentSizes = array<i32: 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (!x, !x) -> ()
  return
}

// -----

// They are the parts that the group names.
!x = tensor<4xf32, #aten.layout<"cuda:0", [1], 0 : i64, unit>>
"loop.func"() ({
^bb0(%in: memref<?xf32>, %out: memref<?xf32>, %i: index):
  %v = "loop.load"(%in, %i) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 0>} : (memref<?xf32>, index) -> f32
  "loop.store"(%out, %v, %i) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 1, 0>} : (memref<?xf32>, f32, index) -> ()
  "loop.yield"() : () -> ()
}) {sym_name = "k", domain = affine_map<() -> (4)>, symbols = [], outputs = 1 : i64, device = "cuda:0"} : () -> ()
"loop.group"() {sym_name = "g", parts = [@k, @k], buffers = [0, 1, 2, 3], device = "cuda:0"} : () -> ()
func.func @graph(%a: !x, %b: !x, %c: !x, %d: !x) attributes {aten.stage = "host"} {
  // expected-error@+1 {{is not part 1 of @g}}
  "host.launch"(%a, %b) {host.group = [@g, 1 : i64], kernel = @k, symbols = [], operandSegmentSizes = array<i32: 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (!x, !x) -> ()
  return
}

// -----

// They share buffers as the group says.
!x = tensor<4xf32, #aten.layout<"cuda:0", [1], 0 : i64, unit>>
"loop.func"() ({
^bb0(%in: memref<?xf32>, %out: memref<?xf32>, %i: index):
  %v = "loop.load"(%in, %i) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 0>} : (memref<?xf32>, index) -> f32
  "loop.store"(%out, %v, %i) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 1, 0>} : (memref<?xf32>, f32, index) -> ()
  "loop.yield"() : () -> ()
}) {sym_name = "k", domain = affine_map<() -> (4)>, symbols = [], outputs = 1 : i64, device = "cuda:0"} : () -> ()
"loop.group"() {sym_name = "g", parts = [@k, @k], buffers = [0, 1, 2, 3], device = "cuda:0"} : () -> ()
func.func @graph(%a: !x, %b: !x, %c: !x, %d: !x) attributes {aten.stage = "host"} {
  // expected-error@+1 {{share other buffers than it says}}
  "host.launch"(%a, %b) {host.group = [@g, 0 : i64], kernel = @k, symbols = [], operandSegmentSizes = array<i32: 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (!x, !x) -> ()
  "host.launch"(%a, %d) {host.group = [@g, 1 : i64], kernel = @k, symbols = [], operandSegmentSizes = array<i32: 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (!x, !x) -> ()
  return
}
