// RUN: %mlirind-opt %s --group-linears --verify-each | %FileCheck %s

!x = tensor<6x4xf32>
!w = tensor<5x4xf32>
!t = tensor<4x5xf32, #aten.layout<"cpu", [1, 4], 0 : i64, unit>>
!b = tensor<5xf32>
!y = tensor<6x5xf32>

// Three layers with biases; what follows knows where its part begins.
// CHECK-LABEL: func.func @three(
// CHECK-COUNT-3: "aten.permute"
// CHECK:         %[[X:.*]] = "aten.expand"(%{{.*}}) {{.*}}size = [3, 6, 4]
// CHECK:         %[[W:.*]] = "aten.cat"({{.*}}) {dim = 0
// CHECK:         %[[B:.*]] = "aten.cat"({{.*}}) {dim = 0
// CHECK:         %[[R:.*]] = "aten.unsqueeze"(%[[B]]) {dim = 1
// CHECK-NEXT:    %[[Y:.*]] = "aten.baddbmm"(%[[R]], %[[X]], %[[W]])
// CHECK-NEXT:    "aten.select_int"(%[[Y]]) {dim = 0 : i64, index = 0
// CHECK-NEXT:    "aten.select_int"(%[[Y]]) {dim = 0 : i64, index = 1
// CHECK-NEXT:    "aten.select_int"(%[[Y]]) {dim = 0 : i64, index = 2
// CHECK:         "aten.view"{{.*}} -> tensor<2x3x5xf32, #aten.layout<"cpu", [15, 5, 1], 60
func.func @three(%x: !x, %q: !w, %k: !w, %v: !w, %a: !b, %b: !b, %c: !b) -> (!y, !y, tensor<2x3x5xf32>) attributes {aten.group_linears} {
  %qt = "aten.permute"(%q) {dims = [1, 0]} : (!w) -> !t
  %0 = "aten.addmm"(%a, %x, %qt) {alpha = 1 : i64, beta = 1 : i64} : (!b, !x, !t) -> !y
  %kt = "aten.permute"(%k) {dims = [1, 0]} : (!w) -> !t
  %1 = "aten.addmm"(%b, %x, %kt) {alpha = 1 : i64, beta = 1 : i64} : (!b, !x, !t) -> !y
  %vt = "aten.permute"(%v) {dims = [1, 0]} : (!w) -> !t
  %2 = "aten.addmm"(%c, %x, %vt) {alpha = 1 : i64, beta = 1 : i64} : (!b, !x, !t) -> !y
  %3 = "aten.relu"(%0) : (!y) -> !y
  %4 = "aten.exp"(%1) : (!y) -> !y
  %5 = "aten.view"(%2) {size = [2, 3, 5]} : (!y) -> tensor<2x3x5xf32>
  %6 = "aten.exp"(%5) : (tensor<2x3x5xf32>) -> tensor<2x3x5xf32>
  return %3, %4, %6 : !y, !y, tensor<2x3x5xf32>
}

// Without the option.
// CHECK-LABEL: func.func @not_wanted(
// CHECK-COUNT-2: "aten.mm"
func.func @not_wanted(%x: !x, %v: tensor<4x5xf32>, %w: tensor<4x5xf32>) -> !y {
  %0 = "aten.mm"(%x, %v) : (!x, tensor<4x5xf32>) -> !y
  %1 = "aten.mm"(%x, %w) : (!x, tensor<4x5xf32>) -> !y
  %2 = "aten.add_tensor"(%0, %1) {alpha = 1 : i64} : (!y, !y) -> !y
  return %2 : !y
}

// Another input, other sizes, a bias or none, a weight that is no parameter, a result that the caller gets.
// CHECK-LABEL: func.func @unequal(
// CHECK-NOT:     bmm
func.func @unequal(%x: !x, %z: !x, %v: tensor<4x5xf32>, %w: tensor<4x5xf32>, %u: tensor<4x6xf32>, %b: !b) -> (!y, !y, !y, tensor<6x6xf32>, tensor<4x5xf32>) attributes {aten.group_linears} {
  %0 = "aten.mm"(%x, %v) : (!x, tensor<4x5xf32>) -> !y
  %1 = "aten.mm"(%z, %w) : (!x, tensor<4x5xf32>) -> !y
  %2 = "aten.mm"(%x, %u) : (!x, tensor<4x6xf32>) -> tensor<6x6xf32>
  %3 = "aten.addmm"(%b, %x, %w) {alpha = 1 : i64, beta = 1 : i64} : (!b, !x, tensor<4x5xf32>) -> !y
  %4 = "aten.mm"(%x, %w) : (!x, tensor<4x5xf32>) -> !y
  %5 = "aten.relu"(%0) : (!y) -> !y
  %6 = "aten.relu"(%1) : (!y) -> !y
  %7 = "aten.relu"(%2) : (tensor<6x6xf32>) -> tensor<6x6xf32>
  %8 = "aten.relu"(%3) : (!y) -> !y
  return %5, %6, %4, %7, %v : !y, !y, !y, tensor<6x6xf32>, tensor<4x5xf32>
}

// A weight that is computed of what another layer gave.
// CHECK-LABEL: func.func @dependent(
// CHECK-NOT:     bmm
func.func @dependent(%x: tensor<4x4xf32>, %w: tensor<4x4xf32>) -> tensor<4x4xf32> attributes {aten.group_linears} {
  %0 = "aten.mm"(%x, %w) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %1 = "aten.mm"(%x, %0) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %2 = "aten.relu"(%1) : (tensor<4x4xf32>) -> tensor<4x4xf32>
  return %2 : tensor<4x4xf32>
}
