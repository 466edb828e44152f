// RUN: %mlirind-opt %s --canonicalize-aten | %FileCheck %s

// Views of the type of their operand vanish.
// CHECK-LABEL: func.func @no_views
// CHECK-NEXT:    "aten.relu"(%arg0)
// CHECK-NEXT:    return
func.func @no_views(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = "aten.permute"(%x) {dims = [0, 1]} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %1 = "aten.view"(%0) {size = [2, 3]} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %2 = "aten.alias"(%1) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %3 = "aten.slice_tensor"(%2) {dim = 0 : i64, start = 0 : i64, end = 2 : i64, step = 1 : i64} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %4 = "aten.expand"(%3) {size = [2, 3], implicit = false} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %5 = "aten.relu"(%4) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %5 : tensor<2x3xf32>
}

// A square transpose of equal shape is no identity: its strides differ.
// CHECK-LABEL: func.func @transpose
// CHECK:         "aten.permute"
func.func @transpose(%x: tensor<2x2xf32>) -> tensor<2x2xf32> {
  %0 = "aten.permute"(%x) {dims = [1, 0]} : (tensor<2x2xf32>) -> tensor<2x2xf32, #aten.layout<"cpu", [1, 2], 0 : i64, unit>>
  %1 = "aten.relu"(%0) : (tensor<2x2xf32, #aten.layout<"cpu", [1, 2], 0 : i64, unit>>) -> tensor<2x2xf32>
  return %1 : tensor<2x2xf32>
}

// What the caller gets stays the view that it is.
// CHECK-LABEL: func.func @returned_view
// CHECK:         %[[V:.*]] = "aten.alias"(%arg0)
// CHECK:         return %[[V]]
func.func @returned_view(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = "aten.alias"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// A view of a view of a contiguous tensor is one view.
// CHECK-LABEL: func.func @view_of_view
// CHECK:         %[[V:.*]] = "aten.view"(%arg0) {size = [3, 4]}
// CHECK:         "aten.relu"(%[[V]])
func.func @view_of_view(%x: tensor<2x6xf32>) -> tensor<3x4xf32> {
  %0 = "aten.view"(%x) {size = [12]} : (tensor<2x6xf32>) -> tensor<12xf32>
  %1 = "aten.view"(%0) {size = [3, 4]} : (tensor<12xf32>) -> tensor<3x4xf32>
  %2 = "aten.relu"(%1) : (tensor<3x4xf32>) -> tensor<3x4xf32>
  return %2 : tensor<3x4xf32>
}

// Not where the inner one reads it with other strides, nor through another dtype.
// CHECK-LABEL: func.func @view_of_strided
// CHECK:         %[[A:.*]] = "aten.view"(%arg0) {size = [2, 3, 2]}
// CHECK:         "aten.view"(%[[A]]) {size = [2, 6]}
// CHECK:         %[[B:.*]] = "aten.view_dtype"
// CHECK:         "aten.view"(%[[B]])
func.func @view_of_strided(%x: tensor<2x6xf32, #aten.layout<"cpu", [12, 1], 0 : i64, unit>>, %y: tensor<4xf32>) -> (tensor<2x6xf32>, tensor<2x2xi32>) {
  %0 = "aten.view"(%x) {size = [2, 3, 2]} : (tensor<2x6xf32, #aten.layout<"cpu", [12, 1], 0 : i64, unit>>) -> tensor<2x3x2xf32, #aten.layout<"cpu", [12, 2, 1], 0 : i64, unit>>
  %1 = "aten.view"(%0) {size = [2, 6]} : (tensor<2x3x2xf32, #aten.layout<"cpu", [12, 2, 1], 0 : i64, unit>>) -> tensor<2x6xf32, #aten.layout<"cpu", [12, 1], 0 : i64, unit>>
  %2 = "aten.relu"(%1) : (tensor<2x6xf32, #aten.layout<"cpu", [12, 1], 0 : i64, unit>>) -> tensor<2x6xf32>
  %3 = "aten.view_dtype"(%y) {dtype = #aten.enum<"dtype", "int32">} : (tensor<4xf32>) -> tensor<4xi32>
  %4 = "aten.view"(%3) {size = [2, 2]} : (tensor<4xi32>) -> tensor<2x2xi32>
  %5 = "aten.neg"(%4) : (tensor<2x2xi32>) -> tensor<2x2xi32>
  return %2, %5 : tensor<2x6xf32>, tensor<2x2xi32>
}

// Two permutes are one, or none.
// CHECK-LABEL: func.func @permutes
// CHECK:         "aten.neg"(%arg0)
// CHECK:         %[[P:.*]] = "aten.permute"(%arg0) {dims = [2, 0, 1]}
// CHECK:         "aten.relu"(%[[P]])
func.func @permutes(%x: tensor<2x3x4xf32>) -> (tensor<2x3x4xf32>, tensor<4x2x3xf32>) {
  %0 = "aten.permute"(%x) {dims = [1, 0, 2]} : (tensor<2x3x4xf32>) -> tensor<3x2x4xf32, #aten.layout<"cpu", [4, 12, 1], 0 : i64, unit>>
  %1 = "aten.permute"(%0) {dims = [1, 0, 2]} : (tensor<3x2x4xf32, #aten.layout<"cpu", [4, 12, 1], 0 : i64, unit>>) -> tensor<2x3x4xf32>
  %2 = "aten.neg"(%1) : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  %3 = "aten.permute"(%0) {dims = [2, 1, 0]} : (tensor<3x2x4xf32, #aten.layout<"cpu", [4, 12, 1], 0 : i64, unit>>) -> tensor<4x2x3xf32, #aten.layout<"cpu", [1, 12, 4], 0 : i64, unit>>
  %4 = "aten.relu"(%3) : (tensor<4x2x3xf32, #aten.layout<"cpu", [1, 12, 4], 0 : i64, unit>>) -> tensor<4x2x3xf32>
  return %2, %4 : tensor<2x3x4xf32>, tensor<4x2x3xf32>
}

// A copy that only this graph reads is its source.
// CHECK-LABEL: func.func @copy
// CHECK-NEXT:    "aten.relu"(%arg0)
func.func @copy(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = "aten.clone"(%x) {memory_format = #aten.none} : (tensor<4xf32>) -> tensor<4xf32>
  %1 = "aten.relu"(%0) : (tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// Not where the caller gets a view of it, nor where its source is written later.
// CHECK-LABEL: func.func @needed_copies
// CHECK:         %[[C:.*]] = "aten.clone"(%arg0)
// CHECK:         "aten.view"(%[[C]])
// CHECK:         %[[D:.*]] = "aten.clone"(%arg1)
// CHECK:         "aten.copy_"(%arg1, %arg2)
// CHECK:         "aten.copy_"(%arg2, %[[D]])
func.func @needed_copies(%x: tensor<4xf32>, %a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<2x2xf32> {
  %0 = "aten.clone"(%x) {memory_format = #aten.none} : (tensor<4xf32>) -> tensor<4xf32>
  %1 = "aten.view"(%0) {size = [2, 2]} : (tensor<4xf32>) -> tensor<2x2xf32>
  %2 = "aten.clone"(%a) {memory_format = #aten.none} : (tensor<4xf32>) -> tensor<4xf32>
  %3 = "aten.copy_"(%a, %b) {non_blocking = false} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %4 = "aten.copy_"(%b, %2) {non_blocking = false} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<2x2xf32>
}

// Two permutes of a value that the graph makes undo each other, and a copy of the result is one of that value.
// CHECK-LABEL: func.func @permutes_of_a_result
// CHECK:         %[[R:.*]] = "aten.relu"(%arg0)
// CHECK:         "aten.neg"(%[[R]])
func.func @permutes_of_a_result(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = "aten.relu"(%x) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %1 = "aten.permute"(%0) {dims = [1, 0]} : (tensor<2x3xf32>) -> tensor<3x2xf32, #aten.layout<"cpu", [1, 3], 0 : i64, unit>>
  %2 = "aten.permute"(%1) {dims = [1, 0]} : (tensor<3x2xf32, #aten.layout<"cpu", [1, 3], 0 : i64, unit>>) -> tensor<2x3xf32>
  %3 = "aten.clone"(%2) {memory_format = #aten.none} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %4 = "aten.neg"(%3) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %4 : tensor<2x3xf32>
}
