// RUN: %mlirind-opt %s --fuse-attention --verify-each | %FileCheck %s

!q = tensor<2x3x4x8xf32>
!k = tensor<2x3x8x6xf32, #aten.layout<"cpu", [144, 48, 1, 8], 0 : i64, unit>>
!kd = tensor<2x3x8x6xf32>
!v = tensor<2x3x6x8xf32>
!s = tensor<2x3x4x6xf32>
!m = tensor<2x1x4x6xf32>
!mb = tensor<2x1x4x6xbf16>
!b = tensor<2x1x4x6xi1>
!b2 = tensor<4x6xi1>
!o = tensor<2x3x4x8xf32>
!f = tensor<f32>

// softmax(q k) v; scores are not scaled.
// CHECK-LABEL: func.func @plain(
// CHECK:         %[[K:.*]] = "aten.permute"(%arg1) {dims = [0, 1, 3, 2]}
// CHECK-NEXT:    %[[O:.*]] = "aten.scaled_dot_product_attention"(%arg0, %[[K]], %arg2) {{.*}}scale = 1.000000e+00
// CHECK-NEXT:    return %[[O]]
func.func @plain(%q: !q, %k: !k, %v: !v) -> !o {
  %0 = "aten.matmul"(%q, %k) : (!q, !k) -> !s
  %1 = "aten.u_softmax"(%0) {dim = 3 : i64, half_to_float = false} : (!s) -> !s
  %o = "aten.matmul"(%1, %v) : (!s, !v) -> !o
  return %o : !o
}

// The scale is the factor.
// CHECK-LABEL: func.func @multiplied(
// CHECK:         %[[K:.*]] = "aten.permute"(%arg1) {dims = [0, 1, 3, 2]}
// CHECK-NEXT:    %[[O:.*]] = "aten.scaled_dot_product_attention"(%arg0, %[[K]], %arg2) {{.*}}scale = 1.250000e-01
func.func @multiplied(%q: !q, %k: !k, %v: !v) -> !o {
  %n = "aten.number"() {value = 1.250000e-01 : f64} : () -> tensor<f64>
  %0 = "aten.matmul"(%q, %k) : (!q, !k) -> !s
  %1 = "aten.mul_tensor"(%0, %n) : (!s, tensor<f64>) -> !s
  %2 = "aten.u_softmax"(%1) {dim = 3 : i64, half_to_float = false} : (!s) -> !s
  %o = "aten.matmul"(%2, %v) : (!s, !v) -> !o
  return %o : !o
}

// The scale is 1 / the divisor.
// CHECK-LABEL: func.func @divided(
// CHECK:         %[[K:.*]] = "aten.permute"(%arg1) {dims = [0, 1, 3, 2]}
// CHECK-NEXT:    %[[O:.*]] = "aten.scaled_dot_product_attention"(%arg0, %[[K]], %arg2) {{.*}}scale = 8.000000e+00
func.func @divided(%q: !q, %k: !k, %v: !v) -> !o {
  %n = "aten.number"() {value = 1.250000e-01 : f64} : () -> tensor<f64>
  %0 = "aten.matmul"(%q, %k) : (!q, !k) -> !s
  %1 = "aten.div_tensor"(%0, %n) : (!s, tensor<f64>) -> !s
  %2 = "aten.u_softmax"(%1) {dim = 3 : i64, half_to_float = false} : (!s) -> !s
  %o = "aten.matmul"(%2, %v) : (!s, !v) -> !o
  return %o : !o
}

// A mask of which nothing is known: rows of it that are -inf all over give nan, as in eager.
// CHECK-LABEL: func.func @masked(
// CHECK:         %[[R:.*]] = "aten.amax"(%arg3) {dim = [3], keepdim = true}
// CHECK:         %[[W:.*]] = "aten.eq_scalar"(%[[R]])
// CHECK:         %[[O:.*]] = "aten.scaled_dot_product_attention"(%arg0, %{{.*}}, %arg2, %arg3)
// CHECK:         "aten.where_self"(%[[W]], %{{.*}}, %[[O]])
func.func @masked(%q: !q, %k: !k, %v: !v, %m: !m) -> !o {
  %0 = "aten.matmul"(%q, %k) : (!q, !k) -> !s
  %1 = "aten.add_tensor"(%0, %m) {alpha = 1 : i64} : (!s, !m) -> !s
  %2 = "aten.u_softmax"(%1) {dim = 3 : i64, half_to_float = false} : (!s) -> !s
  %o = "aten.matmul"(%2, %v) : (!s, !v) -> !o
  return %o : !o
}

// An addition may have its operands in either order.
// CHECK-LABEL: func.func @masked_first(
// CHECK:         "aten.scaled_dot_product_attention"
func.func @masked_first(%q: !q, %k: !k, %v: !v, %m: !m) -> !o {
  %0 = "aten.matmul"(%q, %k) : (!q, !k) -> !s
  %1 = "aten.add_tensor"(%m, %0) {alpha = 1 : i64} : (!m, !s) -> !s
  %2 = "aten.u_softmax"(%1) {dim = 3 : i64, half_to_float = false} : (!s) -> !s
  %o = "aten.matmul"(%2, %v) : (!s, !v) -> !o
  return %o : !o
}

// Masked scores are -inf: the mask is 0 and -inf, and needs the guard.
// CHECK-LABEL: func.func @kept(
// CHECK:         %[[M:.*]] = "aten.where_self"(%arg3
// CHECK:         "aten.amax"(%[[M]])
// CHECK:         "aten.scaled_dot_product_attention"(%arg0, %{{.*}}, %arg2, %[[M]])
func.func @kept(%q: !q, %k: !k, %v: !v, %b: !b) -> !o {
  %f = "aten.full"() {device = #aten.none, dtype = #aten.enum<"dtype", "float32">, fill_value = 0xFFF0000000000000 : f64, layout = #aten.none, pin_memory = #aten.none, size = []} : () -> !f
  %0 = "aten.matmul"(%q, %k) : (!q, !k) -> !s
  %1 = "aten.where_self"(%b, %0, %f) : (!b, !s, !f) -> !s
  %2 = "aten.u_softmax"(%1) {dim = 3 : i64, half_to_float = false} : (!s) -> !s
  %o = "aten.matmul"(%2, %v) : (!s, !v) -> !o
  return %o : !o
}

// Masked scores are the lowest finite number: no guard.
// CHECK-LABEL: func.func @dropped(
// CHECK-NOT:     "aten.amax"
// CHECK:         "aten.scaled_dot_product_attention"
// CHECK-NEXT:    return
func.func @dropped(%q: !q, %k: !k, %v: !v, %b: !b) -> !o {
  %f = "aten.full"() {device = #aten.none, dtype = #aten.enum<"dtype", "float32">, fill_value = -3.4028234663852886E+38 : f64, layout = #aten.none, pin_memory = #aten.none, size = []} : () -> !f
  %0 = "aten.matmul"(%q, %k) : (!q, !k) -> !s
  %1 = "aten.where_self"(%b, %f, %0) : (!b, !f, !s) -> !s
  %2 = "aten.u_softmax"(%1) {dim = 3 : i64, half_to_float = false} : (!s) -> !s
  %o = "aten.matmul"(%2, %v) : (!s, !v) -> !o
  return %o : !o
}

// A mask of two dims.
// CHECK-LABEL: func.func @mask_of_rank_2(
// CHECK:         "aten.amax"(%{{.*}}) {dim = [1], keepdim = true}
// CHECK:         "aten.scaled_dot_product_attention"
func.func @mask_of_rank_2(%q: !q, %k: !k, %v: !v, %b: !b2) -> !o {
  %f = "aten.full"() {device = #aten.none, dtype = #aten.enum<"dtype", "float32">, fill_value = 0xFFF0000000000000 : f64, layout = #aten.none, pin_memory = #aten.none, size = []} : () -> !f
  %n = "aten.number"() {value = 1.250000e-01 : f64} : () -> tensor<f64>
  %0 = "aten.matmul"(%q, %k) : (!q, !k) -> !s
  %1 = "aten.mul_tensor"(%0, %n) : (!s, tensor<f64>) -> !s
  %2 = "aten.where_self"(%b, %1, %f) : (!b2, !s, !f) -> !s
  %3 = "aten.u_softmax"(%2) {dim = 3 : i64, half_to_float = false} : (!s) -> !s
  %o = "aten.matmul"(%3, %v) : (!s, !v) -> !o
  return %o : !o
}

// Softmax over another dimension is no attention.
// CHECK-LABEL: func.func @wrong_dim(
// CHECK-NOT:     scaled_dot_product_attention
func.func @wrong_dim(%q: !q, %k: !k, %v: !v) -> !o {
  %0 = "aten.matmul"(%q, %k) : (!q, !k) -> !s
  %1 = "aten.u_softmax"(%0) {dim = 2 : i64, half_to_float = false} : (!s) -> !s
  %o = "aten.matmul"(%1, %v) : (!s, !v) -> !o
  return %o : !o
}

// The weights are used elsewhere.
// CHECK-LABEL: func.func @other_user(
// CHECK-NOT:     scaled_dot_product_attention
func.func @other_user(%q: !q, %k: !k, %v: !v) -> (!o, !s) {
  %0 = "aten.matmul"(%q, %k) : (!q, !k) -> !s
  %1 = "aten.u_softmax"(%0) {dim = 3 : i64, half_to_float = false} : (!s) -> !s
  %o = "aten.matmul"(%1, %v) : (!s, !v) -> !o
  %r = "aten.relu"(%1) : (!s) -> !s
  return %o, %r : !o, !s
}

// The scores are returned.
// CHECK-LABEL: func.func @interior_output(
// CHECK-NOT:     scaled_dot_product_attention
func.func @interior_output(%q: !q, %k: !k, %v: !v) -> (!o, !s) {
  %0 = "aten.matmul"(%q, %k) : (!q, !k) -> !s
  %1 = "aten.u_softmax"(%0) {dim = 3 : i64, half_to_float = false} : (!s) -> !s
  %o = "aten.matmul"(%1, %v) : (!s, !v) -> !o
  return %o, %0 : !o, !s
}

// A mask of another dtype: the fused operator has none such.
// CHECK-LABEL: func.func @mask_of_another_dtype(
// CHECK-NOT:     scaled_dot_product_attention
func.func @mask_of_another_dtype(%q: !q, %k: !k, %v: !v, %m: !mb) -> !o {
  %0 = "aten.matmul"(%q, %k) : (!q, !k) -> !s
  %1 = "aten.add_tensor"(%0, %m) {alpha = 1 : i64} : (!s, !mb) -> !s
  %2 = "aten.u_softmax"(%1) {dim = 3 : i64, half_to_float = false} : (!s) -> !s
  %o = "aten.matmul"(%2, %v) : (!s, !v) -> !o
  return %o : !o
}

// alpha is another number.
// CHECK-LABEL: func.func @added_twice(
// CHECK-NOT:     scaled_dot_product_attention
func.func @added_twice(%q: !q, %k: !k, %v: !v, %m: !m) -> !o {
  %0 = "aten.matmul"(%q, %k) : (!q, !k) -> !s
  %1 = "aten.add_tensor"(%0, %m) {alpha = 2 : i64} : (!s, !m) -> !s
  %2 = "aten.u_softmax"(%1) {dim = 3 : i64, half_to_float = false} : (!s) -> !s
  %o = "aten.matmul"(%2, %v) : (!s, !v) -> !o
  return %o : !o
}

// A score of -1000 is not masked: wholly masked rows would weigh by the scores below.
// CHECK-LABEL: func.func @fill_too_high(
// CHECK-NOT:     scaled_dot_product_attention
func.func @fill_too_high(%q: !q, %k: !k, %v: !v, %b: !b) -> !o {
  %f = "aten.full"() {device = #aten.none, dtype = #aten.enum<"dtype", "float32">, fill_value = -1.000000e+03 : f64, layout = #aten.none, pin_memory = #aten.none, size = []} : () -> !f
  %0 = "aten.matmul"(%q, %k) : (!q, !k) -> !s
  %1 = "aten.where_self"(%b, %0, %f) : (!b, !s, !f) -> !s
  %2 = "aten.u_softmax"(%1) {dim = 3 : i64, half_to_float = false} : (!s) -> !s
  %o = "aten.matmul"(%2, %v) : (!s, !v) -> !o
  return %o : !o
}

// The rows of k lie apart: the fused operator has no kernel for them.
// CHECK-LABEL: func.func @rows_not_dense(
// CHECK-NOT:     scaled_dot_product_attention
func.func @rows_not_dense(%q: !q, %k: !kd, %v: !v) -> !o {
  %0 = "aten.matmul"(%q, %k) : (!q, !kd) -> !s
  %1 = "aten.u_softmax"(%0) {dim = 3 : i64, half_to_float = false} : (!s) -> !s
  %o = "aten.matmul"(%1, %v) : (!s, !v) -> !o
  return %o : !o
}

// Dropout draws random numbers; which, the fused operator would decide otherwise.
// CHECK-LABEL: func.func @dropout(
// CHECK-NOT:     scaled_dot_product_attention
func.func @dropout(%q: !q, %k: !k, %v: !v) -> !o {
  %0 = "aten.matmul"(%q, %k) : (!q, !k) -> !s
  %1 = "aten.u_softmax"(%0) {dim = 3 : i64, half_to_float = false} : (!s) -> !s
  %d:2 = "aten.native_dropout"(%1) {p = 1.000000e-01 : f64, train = true} : (!s) -> (!s, tensor<2x3x4x6xi1>)
  %o = "aten.matmul"(%d#0, %v) : (!s, !v) -> !o
  return %o : !o
}

// On GPUs a mask's low numbers get a bound, below which the kernels take them for -inf; -inf stays.
!gq = tensor<2x3x4x8xf32, #aten.layout<"cuda:0", [96, 32, 8, 1], 0 : i64, unit>>
!gk = tensor<2x3x8x6xf32, #aten.layout<"cuda:0", [144, 48, 1, 8], 0 : i64, unit>>
!gv = tensor<2x3x6x8xf32, #aten.layout<"cuda:0", [144, 48, 8, 1], 0 : i64, unit>>
!gs = tensor<2x3x4x6xf32, #aten.layout<"cuda:0", [72, 24, 6, 1], 0 : i64, unit>>
!gm = tensor<2x1x4x6xf32, #aten.layout<"cuda:0", [24, 24, 6, 1], 0 : i64, unit>>
// CHECK-LABEL: func.func @masked_on_a_gpu(
// CHECK:         %[[B:.*]] = "aten.clamp_min"(%arg3) {min = -9.9999999999999997E+37 : f64}
// CHECK:         %[[E:.*]] = "aten.eq_scalar"(%arg3)
// CHECK:         %[[M:.*]] = "aten.where_self"(%[[E]], %arg3, %[[B]])
// CHECK:         "aten.scaled_dot_product_attention"(%arg0, %{{.*}}, %arg2, %[[M]])
func.func @masked_on_a_gpu(%q: !gq, %k: !gk, %v: !gv, %m: !gm) -> !gq {
  %0 = "aten.matmul"(%q, %k) : (!gq, !gk) -> !gs
  %1 = "aten.add_tensor"(%0, %m) {alpha = 1 : i64} : (!gs, !gm) -> !gs
  %2 = "aten.u_softmax"(%1) {dim = 3 : i64, half_to_float = false} : (!gs) -> !gs
  %o = "aten.matmul"(%2, %v) : (!gs, !gv) -> !gq
  return %o : !gq
}

// Batch and heads as one dimension, as torch.nn.MultiheadAttention has them.
!mq = tensor<8x4x16xf32>
!mk = tensor<8x16x6xf32, #aten.layout<"cpu", [96, 1, 16], 0 : i64, unit>>
!mkd = tensor<8x16x6xf32>
!mv = tensor<8x6x16xf32>
!ms = tensor<8x4x6xf32>
!mm = tensor<1x4x6xf32>
// CHECK-LABEL: func.func @merged(
// CHECK:         %[[Q:.*]] = "aten.unsqueeze"(%arg0) {dim = 0
// CHECK:         %[[A:.*]] = "aten.scaled_dot_product_attention"(%[[Q]],
// CHECK-SAME:      -> tensor<1x8x4x16xf32
// CHECK:         %[[O:.*]] = "aten.squeeze_dims"(%[[A]])
// CHECK:         return %[[O]]
func.func @merged(%q: !mq, %k: !mk, %v: !mv) -> !mq {
  %0 = "aten.bmm"(%q, %k) : (!mq, !mk) -> !ms
  %1 = "aten.u_softmax"(%0) {dim = 2 : i64, half_to_float = false} : (!ms) -> !ms
  %o = "aten.bmm"(%1, %v) : (!ms, !mv) -> !mq
  return %o : !mq
}

// The mask added by the operator that multiplies; a row that it excludes wholly is nan.
// CHECK-LABEL: func.func @merged_added_to_product(
// CHECK:         %[[M:.*]] = "aten.unsqueeze"(%arg3) {dim = 0
// CHECK:         "aten.amax"(%[[M]])
// CHECK:         "aten.scaled_dot_product_attention"(%{{.*}}, %{{.*}}, %{{.*}}, %[[M]])
// CHECK:         "aten.where_self"
func.func @merged_added_to_product(%q: !mq, %k: !mk, %v: !mv, %m: !mm) -> !mq {
  %0 = "aten.baddbmm"(%m, %q, %k) {alpha = 1 : i64, beta = 1 : i64} : (!mm, !mq, !mk) -> !ms
  %1 = "aten.u_softmax"(%0) {dim = 2 : i64, half_to_float = false} : (!ms) -> !ms
  %o = "aten.bmm"(%1, %v) : (!ms, !mv) -> !mq
  return %o : !mq
}

// Half of the mask only.
// CHECK-LABEL: func.func @merged_beta(
// CHECK-NOT:     scaled_dot_product_attention
func.func @merged_beta(%q: !mq, %k: !mk, %v: !mv, %m: !mm) -> !mq {
  %0 = "aten.baddbmm"(%m, %q, %k) {alpha = 1 : i64, beta = 0.5 : f64} : (!mm, !mq, !mk) -> !ms
  %1 = "aten.u_softmax"(%0) {dim = 2 : i64, half_to_float = false} : (!ms) -> !ms
  %o = "aten.bmm"(%1, %v) : (!ms, !mv) -> !mq
  return %o : !mq
}

// The softmax goes over the rows.
// CHECK-LABEL: func.func @merged_other_dim(
// CHECK-NOT:     scaled_dot_product_attention
func.func @merged_other_dim(%q: !mq, %k: !mk, %v: !mv) -> !mq {
  %0 = "aten.bmm"(%q, %k) : (!mq, !mk) -> !ms
  %1 = "aten.u_softmax"(%0) {dim = 1 : i64, half_to_float = false} : (!ms) -> !ms
  %o = "aten.bmm"(%1, %v) : (!ms, !mv) -> !mq
  return %o : !mq
}

// The weights are used elsewhere, as where torch.nn.MultiheadAttention returns them.
// CHECK-LABEL: func.func @merged_weights_used(
// CHECK-NOT:     scaled_dot_product_attention
func.func @merged_weights_used(%q: !mq, %k: !mk, %v: !mv) -> (!mq, !ms) {
  %0 = "aten.bmm"(%q, %k) : (!mq, !mk) -> !ms
  %1 = "aten.u_softmax"(%0) {dim = 2 : i64, half_to_float = false} : (!ms) -> !ms
  %o = "aten.bmm"(%1, %v) : (!ms, !mv) -> !mq
  return %o, %1 : !mq, !ms
}

// The rows of k lie apart.
// CHECK-LABEL: func.func @merged_rows_not_dense(
// CHECK-NOT:     scaled_dot_product_attention
func.func @merged_rows_not_dense(%q: !mq, %k: !mkd, %v: !mv) -> !mq {
  %0 = "aten.bmm"(%q, %k) : (!mq, !mkd) -> !ms
  %1 = "aten.u_softmax"(%0) {dim = 2 : i64, half_to_float = false} : (!ms) -> !ms
  %o = "aten.bmm"(%1, %v) : (!ms, !mv) -> !mq
  return %o : !mq
}
