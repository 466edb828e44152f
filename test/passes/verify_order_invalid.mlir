// RUN: %mlirind-opt %s --verify-order --split-input-file --verify-diagnostics

// A call that the graph had, and has no longer.
// expected-error@+1 {{the ordered calls are ['one'], and were ['one', 'two']}}
func.func @dropped(%token: tensor<0xf32>) -> tensor<0xf32> attributes {aten.stage = "functional", aten.io_order = ["one", "two"]} {
  %0 = "aten.lib_mlirindordered_aten_print"(%token) {s = "1", aten.node = "one"} : (tensor<0xf32>) -> tensor<0xf32>
  return %0 : tensor<0xf32>
}

// -----

// A check that moved across a call.
func.func @moved(%token: tensor<0xf32>, %x: tensor<i1>) -> tensor<0xf32> attributes {aten.stage = "functional", aten.io_order = ["print", "assert"]} {
  // expected-error@+1 {{the ordered calls are ['assert', 'print'], and were ['print', 'assert']}}
  "aten.u_assert_async_msg"(%x) {assert_msg = "no", aten.node = "assert"} : (tensor<i1>) -> ()
  %0 = "aten.lib_mlirindordered_aten_print"(%token) {s = "1", aten.node = "print"} : (tensor<0xf32>) -> tensor<0xf32>
  return %0 : tensor<0xf32>
}

// -----

// Two calls behind one: nothing says which comes first.
func.func @forked(%token: tensor<0xf32>) -> tensor<0xf32> attributes {aten.stage = "functional"} {
  // expected-error@+1 {{a token is passed on 2 times}}
  %0 = "aten.lib_mlirindordered_aten_print"(%token) {s = "1"} : (tensor<0xf32>) -> tensor<0xf32>
  // expected-error@+1 {{a token is passed on 2 times}}
  %1 = "aten.lib_mlirindordered_aten_print"(%token) {s = "2"} : (tensor<0xf32>) -> tensor<0xf32>
  return %1 : tensor<0xf32>
}

// -----

func.func @computed_with(%token: tensor<0xf32>) -> tensor<0xf32> attributes {aten.stage = "functional"} {
  %0 = "aten.lib_mlirindordered_aten_print"(%token) {s = "1"} : (tensor<0xf32>) -> tensor<0xf32>
  // expected-error@+1 {{uses a token as a tensor}}
  %1 = "aten.relu"(%0) : (tensor<0xf32>) -> tensor<0xf32>
  return %1 : tensor<0xf32>
}

// -----

// An input that is written although what comes later may raise.
func.func @written_before(%token: tensor<0xf32>, %x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<0xf32> attributes {aten.stage = "functional"} {
  %0 = "aten.copy_"(%x, %y) {non_blocking = false} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // expected-error@+1 {{is an ordered call behind a write to a graph input}}
  %1 = "aten.lib_mlirindordered_aten_print"(%token) {s = "1"} : (tensor<0xf32>) -> tensor<0xf32>
  return %1 : tensor<0xf32>
}

// -----

// The sequence of what runs.
func.func @graph(%x: tensor<i1>) attributes {aten.stage = "host", aten.io_order = ["assert", "print"]} {
  // expected-error@+1 {{the ordered calls are ['print', 'assert'], and were ['assert', 'print']}}
  "host.call"() {target = "aten._print.default", arguments = ["1"], reason = "no lowering", host.order = "print",
      operandSegmentSizes = array<i32: 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>,
      resultSegmentSizes = array<i32: 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : () -> ()
  "host.call"(%x) {target = "aten._assert_async.msg", arguments = [#aten.operand<0 : i64>, "no"], reason = "assertion",
      host.order = "assert",
      operandSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>,
      resultSegmentSizes = array<i32: 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (tensor<i1>) -> ()
  return
}
