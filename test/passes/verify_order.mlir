// RUN: %mlirind-opt %s --verify-order --dce-aten --cse-aten --pipeline='upstream{cse}' | %FileCheck %s
// RUN: %mlirind-opt %s --convert-to-host --verify-order | %FileCheck %s --check-prefix=HOST

// Calls with tokens happen, used or not, equal or not; so do checks.
// CHECK-LABEL: func.func @graph
// CHECK-COUNT-2: "aten.lib_mlirindordered_aten_linalg_check_errors"
// CHECK:         "aten.u_assert_async_msg"
// CHECK:         %[[LAST:.*]] = "aten.lib_mlirindordered_aten_print"
// CHECK:         return %[[LAST]]
// In the sequence they are the operators themselves, without tokens: None comes in for one, and goes out.
// HOST-LABEL: func.func @graph(%arg0: none
// HOST-SAME:    aten.outputs = [#aten.none, #aten.operand<0 : i64>]
// HOST:         "host.call"(%arg1) {{.*}}host.order = "check"{{.*}}target = "aten._linalg_check_errors.default"
// HOST:         "host.call"(%arg1) {{.*}}host.order = "again"
// HOST:         "host.call"(%arg1) {{.*}}host.order = "assert"{{.*}}target = "aten._assert_async.msg"
// HOST:         "host.call"() {{.*}}host.order = "print"{{.*}}target = "aten._print.default"
// HOST:         return %arg1
func.func @graph(%token: tensor<0xf32>, %info: tensor<2xi32>) -> (tensor<0xf32>, tensor<2xi32>)
    attributes {aten.stage = "functional", aten.io_order = ["check", "again", "assert", "print"]} {
  %0 = "aten.lib_mlirindordered_aten_linalg_check_errors"(%token, %info) {api_name = "inv", is_matrix = true, aten.node = "check"}
      : (tensor<0xf32>, tensor<2xi32>) -> tensor<0xf32>
  %1 = "aten.lib_mlirindordered_aten_linalg_check_errors"(%0, %info) {api_name = "inv", is_matrix = true, aten.node = "again"}
      : (tensor<0xf32>, tensor<2xi32>) -> tensor<0xf32>
  "aten.u_assert_async_msg"(%info) {assert_msg = "no", aten.node = "assert"} : (tensor<2xi32>) -> ()
  %2 = "aten.lib_mlirindordered_aten_print"(%1) {s = "done", aten.node = "print"} : (tensor<0xf32>) -> tensor<0xf32>
  return %2, %info : tensor<0xf32>, tensor<2xi32>
}
