!t0 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d2">, #aten.expr<"d1*d2">, #aten.expr<"d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d2">]>>
!t1 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, 1, #aten.expr<"d2">], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d2">, #aten.expr<"d4">]>>
!t2 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d4*d5">, #aten.expr<"d4*d5">, #aten.expr<"d5">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d5">]>>
!t3 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d5">, #aten.expr<"d1*d5">, #aten.expr<"d5">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d5">]>>
!t4 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d4">, #aten.expr<"d1*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d4">]>>
!t5 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, #aten.expr<"d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d2">]>>
module @attention_plain_unmasked {
  func.func @search(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}) -> !t3 {
    %0 = "aten.matmul"(%arg0, %arg1) : (!t0, !t1) -> !t4
    %1 = "aten.u_softmax"(%0) {dim = 3 : i64, half_to_float = false} : (!t4) -> !t4
    %2 = "aten.matmul"(%1, %arg2) : (!t4, !t2) -> !t3
    return %2 : !t3
  }
  pdl.pattern @attention_plain_unmasked : benefit(3) {
    %q = pdl.operand
    %k = pdl.operand
    %v = pdl.operand
    %literal0 = pdl.attribute = 3 : i64
    %literal1 = pdl.attribute = false
    %type0_0 = pdl.type
    %op0 = pdl.operation "aten.matmul"(%q, %k : !pdl.value, !pdl.value) -> (%type0_0 : !pdl.type)
    %op0.r0 = pdl.result 0 of %op0
    %type1_0 = pdl.type
    %op1 = pdl.operation "aten.u_softmax"(%op0.r0 : !pdl.value) {"dim" = %literal0, "half_to_float" = %literal1} -> (%type1_0 : !pdl.type)
    %op1.r0 = pdl.result 0 of %op1
    %type2_0 = pdl.type
    %op2 = pdl.operation "aten.matmul"(%op1.r0, %v : !pdl.value, !pdl.value) -> (%type2_0 : !pdl.type)
    %name = pdl.attribute = "attention_plain_unmasked"
    pdl.apply_native_constraint "collect"(%name, %q, %k, %v, %op0, %op1, %op2 : !pdl.attribute, !pdl.value, !pdl.value, !pdl.value, !pdl.operation, !pdl.operation, !pdl.operation)
    pdl.rewrite %op2 with "replace"
  }
  func.func @replace(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}) -> !t3 {
    %0 = "aten.permute"(%arg1) {dims = [0, 1, 3, 2]} : (!t1) -> !t5
    %1 = "aten.scaled_dot_product_attention"(%arg0, %0, %arg2) {dropout_p = 0.000000e+00 : f64, enable_gqa = false, is_causal = false, scale = 1.000000e+00 : f64} : (!t0, !t5, !t2) -> !t3
    return %1 : !t3
  }
}
// -----
!t0 = tensor<?x?x?x?xbf16, #aten.layout<"cpu", [#aten.expr<"d0*d1*d2">, #aten.expr<"d1*d2">, #aten.expr<"d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d2">]>>
!t1 = tensor<?x?x?x?xbf16, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, 1, #aten.expr<"d2">], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d2">, #aten.expr<"d4">]>>
!t2 = tensor<?x?x?x?xbf16, #aten.layout<"cpu", [#aten.expr<"d0*d4*d5">, #aten.expr<"d4*d5">, #aten.expr<"d5">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d5">]>>
!t3 = tensor<?x?x?x?xbf16, #aten.layout<"cpu", [#aten.expr<"d0*d1*d5">, #aten.expr<"d1*d5">, #aten.expr<"d5">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d5">]>>
!t4 = tensor<?x?x?x?xbf16, #aten.layout<"cpu", [#aten.expr<"d0*d1*d4">, #aten.expr<"d1*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d4">]>>
!t5 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d4">, #aten.expr<"d1*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d4">]>>
!t6 = tensor<?x?x?x?xbf16, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, #aten.expr<"d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d2">]>>
module @attention_plain_unmasked_bfloat16 {
  func.func @search(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}) -> !t3 {
    %0 = "aten.matmul"(%arg0, %arg1) : (!t0, !t1) -> !t4
    %1 = "aten.u_to_copy"(%0) {device = #aten.none, dtype = #aten.enum<"dtype", "float32">, layout = #aten.none, memory_format = #aten.none, non_blocking = false, pin_memory = #aten.none} : (!t4) -> !t5
    %2 = "aten.u_softmax"(%1) {dim = 3 : i64, half_to_float = false} : (!t5) -> !t5
    %3 = "aten.u_to_copy"(%2) {device = #aten.none, dtype = #aten.enum<"dtype", "bfloat16">, layout = #aten.none, memory_format = #aten.none, non_blocking = false, pin_memory = #aten.none} : (!t5) -> !t4
    %4 = "aten.matmul"(%3, %arg2) : (!t4, !t2) -> !t3
    return %4 : !t3
  }
  pdl.pattern @attention_plain_unmasked_bfloat16 : benefit(5) {
    %q = pdl.operand
    %k = pdl.operand
    %v = pdl.operand
    %literal0 = pdl.attribute = #aten.none
    %literal1 = pdl.attribute = #aten.enum<"dtype", "float32">
    %literal2 = pdl.attribute = false
    %literal3 = pdl.attribute = 3 : i64
    %literal4 = pdl.attribute = #aten.enum<"dtype", "bfloat16">
    %type0_0 = pdl.type
    %op0 = pdl.operation "aten.matmul"(%q, %k : !pdl.value, !pdl.value) -> (%type0_0 : !pdl.type)
    %op0.r0 = pdl.result 0 of %op0
    %type1_0 = pdl.type
    %op1 = pdl.operation "aten.u_to_copy"(%op0.r0 : !pdl.value) {"device" = %literal0, "dtype" = %literal1, "layout" = %literal0, "memory_format" = %literal0, "non_blocking" = %literal2, "pin_memory" = %literal0} -> (%type1_0 : !pdl.type)
    %op1.r0 = pdl.result 0 of %op1
    %type2_0 = pdl.type
    %op2 = pdl.operation "aten.u_softmax"(%op1.r0 : !pdl.value) {"dim" = %literal3, "half_to_float" = %literal2} -> (%type2_0 : !pdl.type)
    %op2.r0 = pdl.result 0 of %op2
    %type3_0 = pdl.type
    %op3 = pdl.operation "aten.u_to_copy"(%op2.r0 : !pdl.value) {"device" = %literal0, "dtype" = %literal4, "layout" = %literal0, "memory_format" = %literal0, "non_blocking" = %literal2, "pin_memory" = %literal0} -> (%type3_0 : !pdl.type)
    %op3.r0 = pdl.result 0 of %op3
    %type4_0 = pdl.type
    %op4 = pdl.operation "aten.matmul"(%op3.r0, %v : !pdl.value, !pdl.value) -> (%type4_0 : !pdl.type)
    %name = pdl.attribute = "attention_plain_unmasked_bfloat16"
    pdl.apply_native_constraint "collect"(%name, %q, %k, %v, %op0, %op1, %op2, %op3, %op4 : !pdl.attribute, !pdl.value, !pdl.value, !pdl.value, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation)
    pdl.rewrite %op4 with "replace"
  }
  func.func @replace(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}) -> !t3 {
    %0 = "aten.permute"(%arg1) {dims = [0, 1, 3, 2]} : (!t1) -> !t6
    %1 = "aten.scaled_dot_product_attention"(%arg0, %0, %arg2) {dropout_p = 0.000000e+00 : f64, enable_gqa = false, is_causal = false, scale = 1.000000e+00 : f64} : (!t0, !t6, !t2) -> !t3
    return %1 : !t3
  }
}
// -----
!t0 = tensor<?x?x?x?xf16, #aten.layout<"cpu", [#aten.expr<"d0*d1*d2">, #aten.expr<"d1*d2">, #aten.expr<"d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d2">]>>
!t1 = tensor<?x?x?x?xf16, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, 1, #aten.expr<"d2">], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d2">, #aten.expr<"d4">]>>
!t2 = tensor<?x?x?x?xf16, #aten.layout<"cpu", [#aten.expr<"d0*d4*d5">, #aten.expr<"d4*d5">, #aten.expr<"d5">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d5">]>>
!t3 = tensor<?x?x?x?xf16, #aten.layout<"cpu", [#aten.expr<"d0*d1*d5">, #aten.expr<"d1*d5">, #aten.expr<"d5">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d5">]>>
!t4 = tensor<?x?x?x?xf16, #aten.layout<"cpu", [#aten.expr<"d0*d1*d4">, #aten.expr<"d1*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d4">]>>
!t5 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d4">, #aten.expr<"d1*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d4">]>>
!t6 = tensor<?x?x?x?xf16, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, #aten.expr<"d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d2">]>>
module @attention_plain_unmasked_float16 {
  func.func @search(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}) -> !t3 {
    %0 = "aten.matmul"(%arg0, %arg1) : (!t0, !t1) -> !t4
    %1 = "aten.u_to_copy"(%0) {device = #aten.none, dtype = #aten.enum<"dtype", "float32">, layout = #aten.none, memory_format = #aten.none, non_blocking = false, pin_memory = #aten.none} : (!t4) -> !t5
    %2 = "aten.u_softmax"(%1) {dim = 3 : i64, half_to_float = false} : (!t5) -> !t5
    %3 = "aten.u_to_copy"(%2) {device = #aten.none, dtype = #aten.enum<"dtype", "float16">, layout = #aten.none, memory_format = #aten.none, non_blocking = false, pin_memory = #aten.none} : (!t5) -> !t4
    %4 = "aten.matmul"(%3, %arg2) : (!t4, !t2) -> !t3
    return %4 : !t3
  }
  pdl.pattern @attention_plain_unmasked_float16 : benefit(5) {
    %q = pdl.operand
    %k = pdl.operand
    %v = pdl.operand
    %literal0 = pdl.attribute = #aten.none
    %literal1 = pdl.attribute = #aten.enum<"dtype", "float32">
    %literal2 = pdl.attribute = false
    %literal3 = pdl.attribute = 3 : i64
    %literal4 = pdl.attribute = #aten.enum<"dtype", "float16">
    %type0_0 = pdl.type
    %op0 = pdl.operation "aten.matmul"(%q, %k : !pdl.value, !pdl.value) -> (%type0_0 : !pdl.type)
    %op0.r0 = pdl.result 0 of %op0
    %type1_0 = pdl.type
    %op1 = pdl.operation "aten.u_to_copy"(%op0.r0 : !pdl.value) {"device" = %literal0, "dtype" = %literal1, "layout" = %literal0, "memory_format" = %literal0, "non_blocking" = %literal2, "pin_memory" = %literal0} -> (%type1_0 : !pdl.type)
    %op1.r0 = pdl.result 0 of %op1
    %type2_0 = pdl.type
    %op2 = pdl.operation "aten.u_softmax"(%op1.r0 : !pdl.value) {"dim" = %literal3, "half_to_float" = %literal2} -> (%type2_0 : !pdl.type)
    %op2.r0 = pdl.result 0 of %op2
    %type3_0 = pdl.type
    %op3 = pdl.operation "aten.u_to_copy"(%op2.r0 : !pdl.value) {"device" = %literal0, "dtype" = %literal4, "layout" = %literal0, "memory_format" = %literal0, "non_blocking" = %literal2, "pin_memory" = %literal0} -> (%type3_0 : !pdl.type)
    %op3.r0 = pdl.result 0 of %op3
    %type4_0 = pdl.type
    %op4 = pdl.operation "aten.matmul"(%op3.r0, %v : !pdl.value, !pdl.value) -> (%type4_0 : !pdl.type)
    %name = pdl.attribute = "attention_plain_unmasked_float16"
    pdl.apply_native_constraint "collect"(%name, %q, %k, %v, %op0, %op1, %op2, %op3, %op4 : !pdl.attribute, !pdl.value, !pdl.value, !pdl.value, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation)
    pdl.rewrite %op4 with "replace"
  }
  func.func @replace(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}) -> !t3 {
    %0 = "aten.permute"(%arg1) {dims = [0, 1, 3, 2]} : (!t1) -> !t6
    %1 = "aten.scaled_dot_product_attention"(%arg0, %0, %arg2) {dropout_p = 0.000000e+00 : f64, enable_gqa = false, is_causal = false, scale = 1.000000e+00 : f64} : (!t0, !t6, !t2) -> !t3
    return %1 : !t3
  }
}
// -----
!t0 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d2">, #aten.expr<"d1*d2">, #aten.expr<"d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d2">]>>
!t1 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, 1, #aten.expr<"d2">], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d2">, #aten.expr<"d4">]>>
!t2 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d4*d5">, #aten.expr<"d4*d5">, #aten.expr<"d5">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d5">]>>
!t3 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d4">, #aten.expr<"d1*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d4">]>>
!t4 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d5">, #aten.expr<"d1*d5">, #aten.expr<"d5">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d5">]>>
!t5 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, #aten.expr<"d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d2">]>>
!t6 = tensor<?x?x?x1xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1">, #aten.expr<"d1">, 1, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, 1]>>
!t7 = tensor<?x?x?x1xi1, #aten.layout<"cpu", [#aten.expr<"d0*d1">, #aten.expr<"d1">, 1, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, 1]>>
!t8 = tensor<f32, #aten.layout<"cpu", [], 0 : i64, unit>>
module @attention_plain_added {
  func.func @search(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}, %arg3: !t3 {aten.name = "mask", pattern.any_size}) -> !t4 {
    %0 = "aten.matmul"(%arg0, %arg1) : (!t0, !t1) -> !t3
    %1 = "aten.add_tensor"(%0, %arg3) {alpha = 1 : i64} : (!t3, !t3) -> !t3
    %2 = "aten.u_softmax"(%1) {dim = 3 : i64, half_to_float = false} : (!t3) -> !t3
    %3 = "aten.matmul"(%2, %arg2) : (!t3, !t2) -> !t4
    return %3 : !t4
  }
  pdl.pattern @attention_plain_added : benefit(4) {
    %q = pdl.operand
    %k = pdl.operand
    %v = pdl.operand
    %mask = pdl.operand
    %literal0 = pdl.attribute = 1 : i64
    %literal1 = pdl.attribute = 3 : i64
    %literal2 = pdl.attribute = false
    %type0_0 = pdl.type
    %op0 = pdl.operation "aten.matmul"(%q, %k : !pdl.value, !pdl.value) -> (%type0_0 : !pdl.type)
    %op0.r0 = pdl.result 0 of %op0
    %type1_0 = pdl.type
    %op1 = pdl.operation "aten.add_tensor"(%op0.r0, %mask : !pdl.value, !pdl.value) {"alpha" = %literal0} -> (%type1_0 : !pdl.type)
    %op1.r0 = pdl.result 0 of %op1
    %type2_0 = pdl.type
    %op2 = pdl.operation "aten.u_softmax"(%op1.r0 : !pdl.value) {"dim" = %literal1, "half_to_float" = %literal2} -> (%type2_0 : !pdl.type)
    %op2.r0 = pdl.result 0 of %op2
    %type3_0 = pdl.type
    %op3 = pdl.operation "aten.matmul"(%op2.r0, %v : !pdl.value, !pdl.value) -> (%type3_0 : !pdl.type)
    %name = pdl.attribute = "attention_plain_added"
    pdl.apply_native_constraint "collect"(%name, %q, %k, %v, %mask, %op0, %op1, %op2, %op3 : !pdl.attribute, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation)
    pdl.rewrite %op3 with "replace"
  }
  pdl.pattern @attention_plain_added_1 : benefit(4) {
    %q = pdl.operand
    %k = pdl.operand
    %v = pdl.operand
    %mask = pdl.operand
    %literal0 = pdl.attribute = 1 : i64
    %literal1 = pdl.attribute = 3 : i64
    %literal2 = pdl.attribute = false
    %type0_0 = pdl.type
    %op0 = pdl.operation "aten.matmul"(%q, %k : !pdl.value, !pdl.value) -> (%type0_0 : !pdl.type)
    %op0.r0 = pdl.result 0 of %op0
    %type1_0 = pdl.type
    %op1 = pdl.operation "aten.add_tensor"(%mask, %op0.r0 : !pdl.value, !pdl.value) {"alpha" = %literal0} -> (%type1_0 : !pdl.type)
    %op1.r0 = pdl.result 0 of %op1
    %type2_0 = pdl.type
    %op2 = pdl.operation "aten.u_softmax"(%op1.r0 : !pdl.value) {"dim" = %literal1, "half_to_float" = %literal2} -> (%type2_0 : !pdl.type)
    %op2.r0 = pdl.result 0 of %op2
    %type3_0 = pdl.type
    %op3 = pdl.operation "aten.matmul"(%op2.r0, %v : !pdl.value, !pdl.value) -> (%type3_0 : !pdl.type)
    %name = pdl.attribute = "attention_plain_added"
    pdl.apply_native_constraint "collect"(%name, %q, %k, %v, %mask, %op0, %op1, %op2, %op3 : !pdl.attribute, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation)
    pdl.rewrite %op3 with "replace"
  }
  func.func @replace(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}, %arg3: !t3 {aten.name = "mask"}) -> !t4 {
    %0 = "aten.permute"(%arg1) {dims = [0, 1, 3, 2]} : (!t1) -> !t5
    %1 = "aten.scaled_dot_product_attention"(%arg0, %0, %arg2, %arg3) {dropout_p = 0.000000e+00 : f64, enable_gqa = false, is_causal = false, scale = 1.000000e+00 : f64} : (!t0, !t5, !t2, !t3) -> !t4
    %2 = "aten.amax"(%arg3) {dim = [3], keepdim = true} : (!t3) -> !t6
    %3 = "aten.eq_scalar"(%2) {other = 0xFFF0000000000000 : f64} : (!t6) -> !t7
    %4 = "aten.scalar_tensor"() {device = #aten.enum<"device", "cpu">, dtype = #aten.enum<"dtype", "float32">, layout = #aten.enum<"layout", "strided">, pin_memory = #aten.none, s = 0x7FF8000000000000 : f64} : () -> !t8
    %5 = "aten.where_self"(%3, %4, %1) : (!t7, !t8, !t4) -> !t4
    return %5 : !t4
  }
}
// -----
!t0 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d2">, #aten.expr<"d1*d2">, #aten.expr<"d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d2">]>>
!t1 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, 1, #aten.expr<"d2">], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d2">, #aten.expr<"d4">]>>
!t2 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d4*d5">, #aten.expr<"d4*d5">, #aten.expr<"d5">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d5">]>>
!t3 = tensor<?x?xf32, #aten.layout<"cpu", [#aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d1">, #aten.expr<"d4">]>>
!t4 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d5">, #aten.expr<"d1*d5">, #aten.expr<"d5">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d5">]>>
!t5 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d4">, #aten.expr<"d1*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d4">]>>
!t6 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, #aten.expr<"d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d2">]>>
!t7 = tensor<?x1xf32, #aten.layout<"cpu", [1, 1], 0 : i64, [#aten.expr<"d1">, 1]>>
!t8 = tensor<?x1xi1, #aten.layout<"cpu", [1, 1], 0 : i64, [#aten.expr<"d1">, 1]>>
!t9 = tensor<f32, #aten.layout<"cpu", [], 0 : i64, unit>>
module @attention_plain_added_of_rank_2 {
  func.func @search(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}, %arg3: !t3 {aten.name = "mask", pattern.any_size}) -> !t4 {
    %0 = "aten.matmul"(%arg0, %arg1) : (!t0, !t1) -> !t5
    %1 = "aten.add_tensor"(%0, %arg3) {alpha = 1 : i64} : (!t5, !t3) -> !t5
    %2 = "aten.u_softmax"(%1) {dim = 3 : i64, half_to_float = false} : (!t5) -> !t5
    %3 = "aten.matmul"(%2, %arg2) : (!t5, !t2) -> !t4
    return %3 : !t4
  }
  pdl.pattern @attention_plain_added_of_rank_2 : benefit(4) {
    %q = pdl.operand
    %k = pdl.operand
    %v = pdl.operand
    %mask = pdl.operand
    %literal0 = pdl.attribute = 1 : i64
    %literal1 = pdl.attribute = 3 : i64
    %literal2 = pdl.attribute = false
    %type0_0 = pdl.type
    %op0 = pdl.operation "aten.matmul"(%q, %k : !pdl.value, !pdl.value) -> (%type0_0 : !pdl.type)
    %op0.r0 = pdl.result 0 of %op0
    %type1_0 = pdl.type
    %op1 = pdl.operation "aten.add_tensor"(%op0.r0, %mask : !pdl.value, !pdl.value) {"alpha" = %literal0} -> (%type1_0 : !pdl.type)
    %op1.r0 = pdl.result 0 of %op1
    %type2_0 = pdl.type
    %op2 = pdl.operation "aten.u_softmax"(%op1.r0 : !pdl.value) {"dim" = %literal1, "half_to_float" = %literal2} -> (%type2_0 : !pdl.type)
    %op2.r0 = pdl.result 0 of %op2
    %type3_0 = pdl.type
    %op3 = pdl.operation "aten.matmul"(%op2.r0, %v : !pdl.value, !pdl.value) -> (%type3_0 : !pdl.type)
    %name = pdl.attribute = "attention_plain_added_of_rank_2"
    pdl.apply_native_constraint "collect"(%name, %q, %k, %v, %mask, %op0, %op1, %op2, %op3 : !pdl.attribute, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation)
    pdl.rewrite %op3 with "replace"
  }
  pdl.pattern @attention_plain_added_of_rank_2_1 : benefit(4) {
    %q = pdl.operand
    %k = pdl.operand
    %v = pdl.operand
    %mask = pdl.operand
    %literal0 = pdl.attribute = 1 : i64
    %literal1 = pdl.attribute = 3 : i64
    %literal2 = pdl.attribute = false
    %type0_0 = pdl.type
    %op0 = pdl.operation "aten.matmul"(%q, %k : !pdl.value, !pdl.value) -> (%type0_0 : !pdl.type)
    %op0.r0 = pdl.result 0 of %op0
    %type1_0 = pdl.type
    %op1 = pdl.operation "aten.add_tensor"(%mask, %op0.r0 : !pdl.value, !pdl.value) {"alpha" = %literal0} -> (%type1_0 : !pdl.type)
    %op1.r0 = pdl.result 0 of %op1
    %type2_0 = pdl.type
    %op2 = pdl.operation "aten.u_softmax"(%op1.r0 : !pdl.value) {"dim" = %literal1, "half_to_float" = %literal2} -> (%type2_0 : !pdl.type)
    %op2.r0 = pdl.result 0 of %op2
    %type3_0 = pdl.type
    %op3 = pdl.operation "aten.matmul"(%op2.r0, %v : !pdl.value, !pdl.value) -> (%type3_0 : !pdl.type)
    %name = pdl.attribute = "attention_plain_added_of_rank_2"
    pdl.apply_native_constraint "collect"(%name, %q, %k, %v, %mask, %op0, %op1, %op2, %op3 : !pdl.attribute, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation)
    pdl.rewrite %op3 with "replace"
  }
  func.func @replace(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}, %arg3: !t3 {aten.name = "mask"}) -> !t4 {
    %0 = "aten.permute"(%arg1) {dims = [0, 1, 3, 2]} : (!t1) -> !t6
    %1 = "aten.scaled_dot_product_attention"(%arg0, %0, %arg2, %arg3) {dropout_p = 0.000000e+00 : f64, enable_gqa = false, is_causal = false, scale = 1.000000e+00 : f64} : (!t0, !t6, !t2, !t3) -> !t4
    %2 = "aten.amax"(%arg3) {dim = [1], keepdim = true} : (!t3) -> !t7
    %3 = "aten.eq_scalar"(%2) {other = 0xFFF0000000000000 : f64} : (!t7) -> !t8
    %4 = "aten.scalar_tensor"() {device = #aten.enum<"device", "cpu">, dtype = #aten.enum<"dtype", "float32">, layout = #aten.enum<"layout", "strided">, pin_memory = #aten.none, s = 0x7FF8000000000000 : f64} : () -> !t9
    %5 = "aten.where_self"(%3, %4, %1) : (!t8, !t9, !t4) -> !t4
    return %5 : !t4
  }
}
// -----
!t0 = tensor<?x?x?x?xbf16, #aten.layout<"cpu", [#aten.expr<"d0*d1*d2">, #aten.expr<"d1*d2">, #aten.expr<"d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d2">]>>
!t1 = tensor<?x?x?x?xbf16, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, 1, #aten.expr<"d2">], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d2">, #aten.expr<"d4">]>>
!t2 = tensor<?x?x?x?xbf16, #aten.layout<"cpu", [#aten.expr<"d0*d4*d5">, #aten.expr<"d4*d5">, #aten.expr<"d5">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d5">]>>
!t3 = tensor<?x?x?x?xbf16, #aten.layout<"cpu", [#aten.expr<"d0*d1*d4">, #aten.expr<"d1*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d4">]>>
!t4 = tensor<?x?x?x?xbf16, #aten.layout<"cpu", [#aten.expr<"d0*d1*d5">, #aten.expr<"d1*d5">, #aten.expr<"d5">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d5">]>>
!t5 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d4">, #aten.expr<"d1*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d4">]>>
!t6 = tensor<?x?x?x?xbf16, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, #aten.expr<"d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d2">]>>
!t7 = tensor<?x?x?x1xbf16, #aten.layout<"cpu", [#aten.expr<"d0*d1">, #aten.expr<"d1">, 1, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, 1]>>
!t8 = tensor<?x?x?x1xi1, #aten.layout<"cpu", [#aten.expr<"d0*d1">, #aten.expr<"d1">, 1, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, 1]>>
!t9 = tensor<bf16, #aten.layout<"cpu", [], 0 : i64, unit>>
module @attention_plain_added_bfloat16 {
  func.func @search(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}, %arg3: !t3 {aten.name = "mask", pattern.any_size}) -> !t4 {
    %0 = "aten.matmul"(%arg0, %arg1) : (!t0, !t1) -> !t3
    %1 = "aten.add_tensor"(%0, %arg3) {alpha = 1 : i64} : (!t3, !t3) -> !t3
    %2 = "aten.u_to_copy"(%1) {device = #aten.none, dtype = #aten.enum<"dtype", "float32">, layout = #aten.none, memory_format = #aten.none, non_blocking = false, pin_memory = #aten.none} : (!t3) -> !t5
    %3 = "aten.u_softmax"(%2) {dim = 3 : i64, half_to_float = false} : (!t5) -> !t5
    %4 = "aten.u_to_copy"(%3) {device = #aten.none, dtype = #aten.enum<"dtype", "bfloat16">, layout = #aten.none, memory_format = #aten.none, non_blocking = false, pin_memory = #aten.none} : (!t5) -> !t3
    %5 = "aten.matmul"(%4, %arg2) : (!t3, !t2) -> !t4
    return %5 : !t4
  }
  pdl.pattern @attention_plain_added_bfloat16 : benefit(6) {
    %q = pdl.operand
    %k = pdl.operand
    %v = pdl.operand
    %mask = pdl.operand
    %literal0 = pdl.attribute = 1 : i64
    %literal1 = pdl.attribute = #aten.none
    %literal2 = pdl.attribute = #aten.enum<"dtype", "float32">
    %literal3 = pdl.attribute = false
    %literal4 = pdl.attribute = 3 : i64
    %literal5 = pdl.attribute = #aten.enum<"dtype", "bfloat16">
    %type0_0 = pdl.type
    %op0 = pdl.operation "aten.matmul"(%q, %k : !pdl.value, !pdl.value) -> (%type0_0 : !pdl.type)
    %op0.r0 = pdl.result 0 of %op0
    %type1_0 = pdl.type
    %op1 = pdl.operation "aten.add_tensor"(%op0.r0, %mask : !pdl.value, !pdl.value) {"alpha" = %literal0} -> (%type1_0 : !pdl.type)
    %op1.r0 = pdl.result 0 of %op1
    %type2_0 = pdl.type
    %op2 = pdl.operation "aten.u_to_copy"(%op1.r0 : !pdl.value) {"device" = %literal1, "dtype" = %literal2, "layout" = %literal1, "memory_format" = %literal1, "non_blocking" = %literal3, "pin_memory" = %literal1} -> (%type2_0 : !pdl.type)
    %op2.r0 = pdl.result 0 of %op2
    %type3_0 = pdl.type
    %op3 = pdl.operation "aten.u_softmax"(%op2.r0 : !pdl.value) {"dim" = %literal4, "half_to_float" = %literal3} -> (%type3_0 : !pdl.type)
    %op3.r0 = pdl.result 0 of %op3
    %type4_0 = pdl.type
    %op4 = pdl.operation "aten.u_to_copy"(%op3.r0 : !pdl.value) {"device" = %literal1, "dtype" = %literal5, "layout" = %literal1, "memory_format" = %literal1, "non_blocking" = %literal3, "pin_memory" = %literal1} -> (%type4_0 : !pdl.type)
    %op4.r0 = pdl.result 0 of %op4
    %type5_0 = pdl.type
    %op5 = pdl.operation "aten.matmul"(%op4.r0, %v : !pdl.value, !pdl.value) -> (%type5_0 : !pdl.type)
    %name = pdl.attribute = "attention_plain_added_bfloat16"
    pdl.apply_native_constraint "collect"(%name, %q, %k, %v, %mask, %op0, %op1, %op2, %op3, %op4, %op5 : !pdl.attribute, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation)
    pdl.rewrite %op5 with "replace"
  }
  pdl.pattern @attention_plain_added_bfloat16_1 : benefit(6) {
    %q = pdl.operand
    %k = pdl.operand
    %v = pdl.operand
    %mask = pdl.operand
    %literal0 = pdl.attribute = 1 : i64
    %literal1 = pdl.attribute = #aten.none
    %literal2 = pdl.attribute = #aten.enum<"dtype", "float32">
    %literal3 = pdl.attribute = false
    %literal4 = pdl.attribute = 3 : i64
    %literal5 = pdl.attribute = #aten.enum<"dtype", "bfloat16">
    %type0_0 = pdl.type
    %op0 = pdl.operation "aten.matmul"(%q, %k : !pdl.value, !pdl.value) -> (%type0_0 : !pdl.type)
    %op0.r0 = pdl.result 0 of %op0
    %type1_0 = pdl.type
    %op1 = pdl.operation "aten.add_tensor"(%mask, %op0.r0 : !pdl.value, !pdl.value) {"alpha" = %literal0} -> (%type1_0 : !pdl.type)
    %op1.r0 = pdl.result 0 of %op1
    %type2_0 = pdl.type
    %op2 = pdl.operation "aten.u_to_copy"(%op1.r0 : !pdl.value) {"device" = %literal1, "dtype" = %literal2, "layout" = %literal1, "memory_format" = %literal1, "non_blocking" = %literal3, "pin_memory" = %literal1} -> (%type2_0 : !pdl.type)
    %op2.r0 = pdl.result 0 of %op2
    %type3_0 = pdl.type
    %op3 = pdl.operation "aten.u_softmax"(%op2.r0 : !pdl.value) {"dim" = %literal4, "half_to_float" = %literal3} -> (%type3_0 : !pdl.type)
    %op3.r0 = pdl.result 0 of %op3
    %type4_0 = pdl.type
    %op4 = pdl.operation "aten.u_to_copy"(%op3.r0 : !pdl.value) {"device" = %literal1, "dtype" = %literal5, "layout" = %literal1, "memory_format" = %literal1, "non_blocking" = %literal3, "pin_memory" = %literal1} -> (%type4_0 : !pdl.type)
    %op4.r0 = pdl.result 0 of %op4
    %type5_0 = pdl.type
    %op5 = pdl.operation "aten.matmul"(%op4.r0, %v : !pdl.value, !pdl.value) -> (%type5_0 : !pdl.type)
    %name = pdl.attribute = "attention_plain_added_bfloat16"
    pdl.apply_native_constraint "collect"(%name, %q, %k, %v, %mask, %op0, %op1, %op2, %op3, %op4, %op5 : !pdl.attribute, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation)
    pdl.rewrite %op5 with "replace"
  }
  func.func @replace(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}, %arg3: !t3 {aten.name = "mask"}) -> !t4 {
    %0 = "aten.permute"(%arg1) {dims = [0, 1, 3, 2]} : (!t1) -> !t6
    %1 = "aten.scaled_dot_product_attention"(%arg0, %0, %arg2, %arg3) {dropout_p = 0.000000e+00 : f64, enable_gqa = false, is_causal = false, scale = 1.000000e+00 : f64} : (!t0, !t6, !t2, !t3) -> !t4
    %2 = "aten.amax"(%arg3) {dim = [3], keepdim = true} : (!t3) -> !t7
    %3 = "aten.eq_scalar"(%2) {other = 0xFFF0000000000000 : f64} : (!t7) -> !t8
    %4 = "aten.scalar_tensor"() {device = #aten.enum<"device", "cpu">, dtype = #aten.enum<"dtype", "bfloat16">, layout = #aten.enum<"layout", "strided">, pin_memory = #aten.none, s = 0x7FF8000000000000 : f64} : () -> !t9
    %5 = "aten.where_self"(%3, %4, %1) : (!t8, !t9, !t4) -> !t4
    return %5 : !t4
  }
}
// -----
!t0 = tensor<?x?x?x?xf16, #aten.layout<"cpu", [#aten.expr<"d0*d1*d2">, #aten.expr<"d1*d2">, #aten.expr<"d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d2">]>>
!t1 = tensor<?x?x?x?xf16, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, 1, #aten.expr<"d2">], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d2">, #aten.expr<"d4">]>>
!t2 = tensor<?x?x?x?xf16, #aten.layout<"cpu", [#aten.expr<"d0*d4*d5">, #aten.expr<"d4*d5">, #aten.expr<"d5">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d5">]>>
!t3 = tensor<?x?x?x?xf16, #aten.layout<"cpu", [#aten.expr<"d0*d1*d4">, #aten.expr<"d1*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d4">]>>
!t4 = tensor<?x?x?x?xf16, #aten.layout<"cpu", [#aten.expr<"d0*d1*d5">, #aten.expr<"d1*d5">, #aten.expr<"d5">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d5">]>>
!t5 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d4">, #aten.expr<"d1*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d4">]>>
!t6 = tensor<?x?x?x?xf16, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, #aten.expr<"d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d2">]>>
!t7 = tensor<?x?x?x1xf16, #aten.layout<"cpu", [#aten.expr<"d0*d1">, #aten.expr<"d1">, 1, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, 1]>>
!t8 = tensor<?x?x?x1xi1, #aten.layout<"cpu", [#aten.expr<"d0*d1">, #aten.expr<"d1">, 1, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, 1]>>
!t9 = tensor<f16, #aten.layout<"cpu", [], 0 : i64, unit>>
module @attention_plain_added_float16 {
  func.func @search(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}, %arg3: !t3 {aten.name = "mask", pattern.any_size}) -> !t4 {
    %0 = "aten.matmul"(%arg0, %arg1) : (!t0, !t1) -> !t3
    %1 = "aten.add_tensor"(%0, %arg3) {alpha = 1 : i64} : (!t3, !t3) -> !t3
    %2 = "aten.u_to_copy"(%1) {device = #aten.none, dtype = #aten.enum<"dtype", "float32">, layout = #aten.none, memory_format = #aten.none, non_blocking = false, pin_memory = #aten.none} : (!t3) -> !t5
    %3 = "aten.u_softmax"(%2) {dim = 3 : i64, half_to_float = false} : (!t5) -> !t5
    %4 = "aten.u_to_copy"(%3) {device = #aten.none, dtype = #aten.enum<"dtype", "float16">, layout = #aten.none, memory_format = #aten.none, non_blocking = false, pin_memory = #aten.none} : (!t5) -> !t3
    %5 = "aten.matmul"(%4, %arg2) : (!t3, !t2) -> !t4
    return %5 : !t4
  }
  pdl.pattern @attention_plain_added_float16 : benefit(6) {
    %q = pdl.operand
    %k = pdl.operand
    %v = pdl.operand
    %mask = pdl.operand
    %literal0 = pdl.attribute = 1 : i64
    %literal1 = pdl.attribute = #aten.none
    %literal2 = pdl.attribute = #aten.enum<"dtype", "float32">
    %literal3 = pdl.attribute = false
    %literal4 = pdl.attribute = 3 : i64
    %literal5 = pdl.attribute = #aten.enum<"dtype", "float16">
    %type0_0 = pdl.type
    %op0 = pdl.operation "aten.matmul"(%q, %k : !pdl.value, !pdl.value) -> (%type0_0 : !pdl.type)
    %op0.r0 = pdl.result 0 of %op0
    %type1_0 = pdl.type
    %op1 = pdl.operation "aten.add_tensor"(%op0.r0, %mask : !pdl.value, !pdl.value) {"alpha" = %literal0} -> (%type1_0 : !pdl.type)
    %op1.r0 = pdl.result 0 of %op1
    %type2_0 = pdl.type
    %op2 = pdl.operation "aten.u_to_copy"(%op1.r0 : !pdl.value) {"device" = %literal1, "dtype" = %literal2, "layout" = %literal1, "memory_format" = %literal1, "non_blocking" = %literal3, "pin_memory" = %literal1} -> (%type2_0 : !pdl.type)
    %op2.r0 = pdl.result 0 of %op2
    %type3_0 = pdl.type
    %op3 = pdl.operation "aten.u_softmax"(%op2.r0 : !pdl.value) {"dim" = %literal4, "half_to_float" = %literal3} -> (%type3_0 : !pdl.type)
    %op3.r0 = pdl.result 0 of %op3
    %type4_0 = pdl.type
    %op4 = pdl.operation "aten.u_to_copy"(%op3.r0 : !pdl.value) {"device" = %literal1, "dtype" = %literal5, "layout" = %literal1, "memory_format" = %literal1, "non_blocking" = %literal3, "pin_memory" = %literal1} -> (%type4_0 : !pdl.type)
    %op4.r0 = pdl.result 0 of %op4
    %type5_0 = pdl.type
    %op5 = pdl.operation "aten.matmul"(%op4.r0, %v : !pdl.value, !pdl.value) -> (%type5_0 : !pdl.type)
    %name = pdl.attribute = "attention_plain_added_float16"
    pdl.apply_native_constraint "collect"(%name, %q, %k, %v, %mask, %op0, %op1, %op2, %op3, %op4, %op5 : !pdl.attribute, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation)
    pdl.rewrite %op5 with "replace"
  }
  pdl.pattern @attention_plain_added_float16_1 : benefit(6) {
    %q = pdl.operand
    %k = pdl.operand
    %v = pdl.operand
    %mask = pdl.operand
    %literal0 = pdl.attribute = 1 : i64
    %literal1 = pdl.attribute = #aten.none
    %literal2 = pdl.attribute = #aten.enum<"dtype", "float32">
    %literal3 = pdl.attribute = false
    %literal4 = pdl.attribute = 3 : i64
    %literal5 = pdl.attribute = #aten.enum<"dtype", "float16">
    %type0_0 = pdl.type
    %op0 = pdl.operation "aten.matmul"(%q, %k : !pdl.value, !pdl.value) -> (%type0_0 : !pdl.type)
    %op0.r0 = pdl.result 0 of %op0
    %type1_0 = pdl.type
    %op1 = pdl.operation "aten.add_tensor"(%mask, %op0.r0 : !pdl.value, !pdl.value) {"alpha" = %literal0} -> (%type1_0 : !pdl.type)
    %op1.r0 = pdl.result 0 of %op1
    %type2_0 = pdl.type
    %op2 = pdl.operation "aten.u_to_copy"(%op1.r0 : !pdl.value) {"device" = %literal1, "dtype" = %literal2, "layout" = %literal1, "memory_format" = %literal1, "non_blocking" = %literal3, "pin_memory" = %literal1} -> (%type2_0 : !pdl.type)
    %op2.r0 = pdl.result 0 of %op2
    %type3_0 = pdl.type
    %op3 = pdl.operation "aten.u_softmax"(%op2.r0 : !pdl.value) {"dim" = %literal4, "half_to_float" = %literal3} -> (%type3_0 : !pdl.type)
    %op3.r0 = pdl.result 0 of %op3
    %type4_0 = pdl.type
    %op4 = pdl.operation "aten.u_to_copy"(%op3.r0 : !pdl.value) {"device" = %literal1, "dtype" = %literal5, "layout" = %literal1, "memory_format" = %literal1, "non_blocking" = %literal3, "pin_memory" = %literal1} -> (%type4_0 : !pdl.type)
    %op4.r0 = pdl.result 0 of %op4
    %type5_0 = pdl.type
    %op5 = pdl.operation "aten.matmul"(%op4.r0, %v : !pdl.value, !pdl.value) -> (%type5_0 : !pdl.type)
    %name = pdl.attribute = "attention_plain_added_float16"
    pdl.apply_native_constraint "collect"(%name, %q, %k, %v, %mask, %op0, %op1, %op2, %op3, %op4, %op5 : !pdl.attribute, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation)
    pdl.rewrite %op5 with "replace"
  }
  func.func @replace(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}, %arg3: !t3 {aten.name = "mask"}) -> !t4 {
    %0 = "aten.permute"(%arg1) {dims = [0, 1, 3, 2]} : (!t1) -> !t6
    %1 = "aten.scaled_dot_product_attention"(%arg0, %0, %arg2, %arg3) {dropout_p = 0.000000e+00 : f64, enable_gqa = false, is_causal = false, scale = 1.000000e+00 : f64} : (!t0, !t6, !t2, !t3) -> !t4
    %2 = "aten.amax"(%arg3) {dim = [3], keepdim = true} : (!t3) -> !t7
    %3 = "aten.eq_scalar"(%2) {other = 0xFFF0000000000000 : f64} : (!t7) -> !t8
    %4 = "aten.scalar_tensor"() {device = #aten.enum<"device", "cpu">, dtype = #aten.enum<"dtype", "float16">, layout = #aten.enum<"layout", "strided">, pin_memory = #aten.none, s = 0x7FF8000000000000 : f64} : () -> !t9
    %5 = "aten.where_self"(%3, %4, %1) : (!t8, !t9, !t4) -> !t4
    return %5 : !t4
  }
}
// -----
!t0 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d2">, #aten.expr<"d1*d2">, #aten.expr<"d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d2">]>>
!t1 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, 1, #aten.expr<"d2">], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d2">, #aten.expr<"d4">]>>
!t2 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d4*d5">, #aten.expr<"d4*d5">, #aten.expr<"d5">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d5">]>>
!t3 = tensor<?x?x?x?xi1, #aten.layout<"cpu", [#aten.expr<"d0*d1*d4">, #aten.expr<"d1*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d4">]>>
!t4 = tensor<f32, #aten.layout<"cpu", [], 0 : i64, unit>>
!t5 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d5">, #aten.expr<"d1*d5">, #aten.expr<"d5">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d5">]>>
!t6 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d4">, #aten.expr<"d1*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d4">]>>
!t7 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, #aten.expr<"d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d2">]>>
!t8 = tensor<?x?x?x1xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1">, #aten.expr<"d1">, 1, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, 1]>>
!t9 = tensor<?x?x?x1xi1, #aten.layout<"cpu", [#aten.expr<"d0*d1">, #aten.expr<"d1">, 1, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, 1]>>
module @attention_plain_kept {
  func.func @search(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}, %arg3: !t3 {aten.name = "mask", pattern.any_size}, %arg4: !t4 {aten.name = "fill"}) -> !t5 {
    %0 = "aten.matmul"(%arg0, %arg1) : (!t0, !t1) -> !t6
    %1 = "aten.where_self"(%arg3, %0, %arg4) : (!t3, !t6, !t4) -> !t6
    %2 = "aten.u_softmax"(%1) {dim = 3 : i64, half_to_float = false} : (!t6) -> !t6
    %3 = "aten.matmul"(%2, %arg2) : (!t6, !t2) -> !t5
    return %3 : !t5
  }
  pdl.pattern @attention_plain_kept : benefit(4) {
    %q = pdl.operand
    %k = pdl.operand
    %v = pdl.operand
    %mask = pdl.operand
    %fill = pdl.operand
    %literal0 = pdl.attribute = 3 : i64
    %literal1 = pdl.attribute = false
    %type0_0 = pdl.type
    %op0 = pdl.operation "aten.matmul"(%q, %k : !pdl.value, !pdl.value) -> (%type0_0 : !pdl.type)
    %op0.r0 = pdl.result 0 of %op0
    %type1_0 = pdl.type
    %op1 = pdl.operation "aten.where_self"(%mask, %op0.r0, %fill : !pdl.value, !pdl.value, !pdl.value) -> (%type1_0 : !pdl.type)
    %op1.r0 = pdl.result 0 of %op1
    %type2_0 = pdl.type
    %op2 = pdl.operation "aten.u_softmax"(%op1.r0 : !pdl.value) {"dim" = %literal0, "half_to_float" = %literal1} -> (%type2_0 : !pdl.type)
    %op2.r0 = pdl.result 0 of %op2
    %type3_0 = pdl.type
    %op3 = pdl.operation "aten.matmul"(%op2.r0, %v : !pdl.value, !pdl.value) -> (%type3_0 : !pdl.type)
    %name = pdl.attribute = "attention_plain_kept"
    pdl.apply_native_constraint "collect"(%name, %q, %k, %v, %mask, %fill, %op0, %op1, %op2, %op3 : !pdl.attribute, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation)
    pdl.rewrite %op3 with "replace"
  }
  func.func @replace(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}, %arg3: !t3 {aten.name = "mask"}, %arg4: !t4 {aten.name = "fill"}) -> !t5 {
    %0 = "aten.zeros"() {device = #aten.enum<"device", "cpu">, dtype = #aten.enum<"dtype", "float32">, layout = #aten.none, pin_memory = false, size = []} : () -> !t4
    %1 = "aten.where_self"(%arg3, %0, %arg4) : (!t3, !t4, !t4) -> !t6
    %2 = "aten.permute"(%arg1) {dims = [0, 1, 3, 2]} : (!t1) -> !t7
    %3 = "aten.scaled_dot_product_attention"(%arg0, %2, %arg2, %1) {dropout_p = 0.000000e+00 : f64, enable_gqa = false, is_causal = false, scale = 1.000000e+00 : f64} : (!t0, !t7, !t2, !t6) -> !t5
    %4 = "aten.amax"(%1) {dim = [3], keepdim = true} : (!t6) -> !t8
    %5 = "aten.eq_scalar"(%4) {other = 0xFFF0000000000000 : f64} : (!t8) -> !t9
    %6 = "aten.scalar_tensor"() {device = #aten.enum<"device", "cpu">, dtype = #aten.enum<"dtype", "float32">, layout = #aten.enum<"layout", "strided">, pin_memory = #aten.none, s = 0x7FF8000000000000 : f64} : () -> !t4
    %7 = "aten.where_self"(%5, %6, %3) : (!t9, !t4, !t5) -> !t5
    return %7 : !t5
  }
}
// -----
!t0 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d2">, #aten.expr<"d1*d2">, #aten.expr<"d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d2">]>>
!t1 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, 1, #aten.expr<"d2">], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d2">, #aten.expr<"d4">]>>
!t2 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d4*d5">, #aten.expr<"d4*d5">, #aten.expr<"d5">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d5">]>>
!t3 = tensor<?x?xi1, #aten.layout<"cpu", [#aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d1">, #aten.expr<"d4">]>>
!t4 = tensor<f32, #aten.layout<"cpu", [], 0 : i64, unit>>
!t5 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d5">, #aten.expr<"d1*d5">, #aten.expr<"d5">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d5">]>>
!t6 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d4">, #aten.expr<"d1*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d4">]>>
!t7 = tensor<?x?xf32, #aten.layout<"cpu", [#aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d1">, #aten.expr<"d4">]>>
!t8 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, #aten.expr<"d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d2">]>>
!t9 = tensor<?x1xf32, #aten.layout<"cpu", [1, 1], 0 : i64, [#aten.expr<"d1">, 1]>>
!t10 = tensor<?x1xi1, #aten.layout<"cpu", [1, 1], 0 : i64, [#aten.expr<"d1">, 1]>>
module @attention_plain_kept_of_rank_2 {
  func.func @search(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}, %arg3: !t3 {aten.name = "mask", pattern.any_size}, %arg4: !t4 {aten.name = "fill"}) -> !t5 {
    %0 = "aten.matmul"(%arg0, %arg1) : (!t0, !t1) -> !t6
    %1 = "aten.where_self"(%arg3, %0, %arg4) : (!t3, !t6, !t4) -> !t6
    %2 = "aten.u_softmax"(%1) {dim = 3 : i64, half_to_float = false} : (!t6) -> !t6
    %3 = "aten.matmul"(%2, %arg2) : (!t6, !t2) -> !t5
    return %3 : !t5
  }
  pdl.pattern @attention_plain_kept_of_rank_2 : benefit(4) {
    %q = pdl.operand
    %k = pdl.operand
    %v = pdl.operand
    %mask = pdl.operand
    %fill = pdl.operand
    %literal0 = pdl.attribute = 3 : i64
    %literal1 = pdl.attribute = false
    %type0_0 = pdl.type
    %op0 = pdl.operation "aten.matmul"(%q, %k : !pdl.value, !pdl.value) -> (%type0_0 : !pdl.type)
    %op0.r0 = pdl.result 0 of %op0
    %type1_0 = pdl.type
    %op1 = pdl.operation "aten.where_self"(%mask, %op0.r0, %fill : !pdl.value, !pdl.value, !pdl.value) -> (%type1_0 : !pdl.type)
    %op1.r0 = pdl.result 0 of %op1
    %type2_0 = pdl.type
    %op2 = pdl.operation "aten.u_softmax"(%op1.r0 : !pdl.value) {"dim" = %literal0, "half_to_float" = %literal1} -> (%type2_0 : !pdl.type)
    %op2.r0 = pdl.result 0 of %op2
    %type3_0 = pdl.type
    %op3 = pdl.operation "aten.matmul"(%op2.r0, %v : !pdl.value, !pdl.value) -> (%type3_0 : !pdl.type)
    %name = pdl.attribute = "attention_plain_kept_of_rank_2"
    pdl.apply_native_constraint "collect"(%name, %q, %k, %v, %mask, %fill, %op0, %op1, %op2, %op3 : !pdl.attribute, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation)
    pdl.rewrite %op3 with "replace"
  }
  func.func @replace(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}, %arg3: !t3 {aten.name = "mask"}, %arg4: !t4 {aten.name = "fill"}) -> !t5 {
    %0 = "aten.zeros"() {device = #aten.enum<"device", "cpu">, dtype = #aten.enum<"dtype", "float32">, layout = #aten.none, pin_memory = false, size = []} : () -> !t4
    %1 = "aten.where_self"(%arg3, %0, %arg4) : (!t3, !t4, !t4) -> !t7
    %2 = "aten.permute"(%arg1) {dims = [0, 1, 3, 2]} : (!t1) -> !t8
    %3 = "aten.scaled_dot_product_attention"(%arg0, %2, %arg2, %1) {dropout_p = 0.000000e+00 : f64, enable_gqa = false, is_causal = false, scale = 1.000000e+00 : f64} : (!t0, !t8, !t2, !t7) -> !t5
    %4 = "aten.amax"(%1) {dim = [1], keepdim = true} : (!t7) -> !t9
    %5 = "aten.eq_scalar"(%4) {other = 0xFFF0000000000000 : f64} : (!t9) -> !t10
    %6 = "aten.scalar_tensor"() {device = #aten.enum<"device", "cpu">, dtype = #aten.enum<"dtype", "float32">, layout = #aten.enum<"layout", "strided">, pin_memory = #aten.none, s = 0x7FF8000000000000 : f64} : () -> !t4
    %7 = "aten.where_self"(%5, %6, %3) : (!t10, !t4, !t5) -> !t5
    return %7 : !t5
  }
}
// -----
!t0 = tensor<?x?x?x?xbf16, #aten.layout<"cpu", [#aten.expr<"d0*d1*d2">, #aten.expr<"d1*d2">, #aten.expr<"d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d2">]>>
!t1 = tensor<?x?x?x?xbf16, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, 1, #aten.expr<"d2">], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d2">, #aten.expr<"d4">]>>
!t2 = tensor<?x?x?x?xbf16, #aten.layout<"cpu", [#aten.expr<"d0*d4*d5">, #aten.expr<"d4*d5">, #aten.expr<"d5">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d5">]>>
!t3 = tensor<?x?x?x?xi1, #aten.layout<"cpu", [#aten.expr<"d0*d1*d4">, #aten.expr<"d1*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d4">]>>
!t4 = tensor<bf16, #aten.layout<"cpu", [], 0 : i64, unit>>
!t5 = tensor<?x?x?x?xbf16, #aten.layout<"cpu", [#aten.expr<"d0*d1*d5">, #aten.expr<"d1*d5">, #aten.expr<"d5">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d5">]>>
!t6 = tensor<?x?x?x?xbf16, #aten.layout<"cpu", [#aten.expr<"d0*d1*d4">, #aten.expr<"d1*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d4">]>>
!t7 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d4">, #aten.expr<"d1*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d4">]>>
!t8 = tensor<?x?x?x?xbf16, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, #aten.expr<"d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d2">]>>
!t9 = tensor<?x?x?x1xbf16, #aten.layout<"cpu", [#aten.expr<"d0*d1">, #aten.expr<"d1">, 1, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, 1]>>
!t10 = tensor<?x?x?x1xi1, #aten.layout<"cpu", [#aten.expr<"d0*d1">, #aten.expr<"d1">, 1, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, 1]>>
module @attention_plain_kept_bfloat16 {
  func.func @search(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}, %arg3: !t3 {aten.name = "mask", pattern.any_size}, %arg4: !t4 {aten.name = "fill"}) -> !t5 {
    %0 = "aten.matmul"(%arg0, %arg1) : (!t0, !t1) -> !t6
    %1 = "aten.where_self"(%arg3, %0, %arg4) : (!t3, !t6, !t4) -> !t6
    %2 = "aten.u_to_copy"(%1) {device = #aten.none, dtype = #aten.enum<"dtype", "float32">, layout = #aten.none, memory_format = #aten.none, non_blocking = false, pin_memory = #aten.none} : (!t6) -> !t7
    %3 = "aten.u_softmax"(%2) {dim = 3 : i64, half_to_float = false} : (!t7) -> !t7
    %4 = "aten.u_to_copy"(%3) {device = #aten.none, dtype = #aten.enum<"dtype", "bfloat16">, layout = #aten.none, memory_format = #aten.none, non_blocking = false, pin_memory = #aten.none} : (!t7) -> !t6
    %5 = "aten.matmul"(%4, %arg2) : (!t6, !t2) -> !t5
    return %5 : !t5
  }
  pdl.pattern @attention_plain_kept_bfloat16 : benefit(6) {
    %q = pdl.operand
    %k = pdl.operand
    %v = pdl.operand
    %mask = pdl.operand
    %fill = pdl.operand
    %literal0 = pdl.attribute = #aten.none
    %literal1 = pdl.attribute = #aten.enum<"dtype", "float32">
    %literal2 = pdl.attribute = false
    %literal3 = pdl.attribute = 3 : i64
    %literal4 = pdl.attribute = #aten.enum<"dtype", "bfloat16">
    %type0_0 = pdl.type
    %op0 = pdl.operation "aten.matmul"(%q, %k : !pdl.value, !pdl.value) -> (%type0_0 : !pdl.type)
    %op0.r0 = pdl.result 0 of %op0
    %type1_0 = pdl.type
    %op1 = pdl.operation "aten.where_self"(%mask, %op0.r0, %fill : !pdl.value, !pdl.value, !pdl.value) -> (%type1_0 : !pdl.type)
    %op1.r0 = pdl.result 0 of %op1
    %type2_0 = pdl.type
    %op2 = pdl.operation "aten.u_to_copy"(%op1.r0 : !pdl.value) {"device" = %literal0, "dtype" = %literal1, "layout" = %literal0, "memory_format" = %literal0, "non_blocking" = %literal2, "pin_memory" = %literal0} -> (%type2_0 : !pdl.type)
    %op2.r0 = pdl.result 0 of %op2
    %type3_0 = pdl.type
    %op3 = pdl.operation "aten.u_softmax"(%op2.r0 : !pdl.value) {"dim" = %literal3, "half_to_float" = %literal2} -> (%type3_0 : !pdl.type)
    %op3.r0 = pdl.result 0 of %op3
    %type4_0 = pdl.type
    %op4 = pdl.operation "aten.u_to_copy"(%op3.r0 : !pdl.value) {"device" = %literal0, "dtype" = %literal4, "layout" = %literal0, "memory_format" = %literal0, "non_blocking" = %literal2, "pin_memory" = %literal0} -> (%type4_0 : !pdl.type)
    %op4.r0 = pdl.result 0 of %op4
    %type5_0 = pdl.type
    %op5 = pdl.operation "aten.matmul"(%op4.r0, %v : !pdl.value, !pdl.value) -> (%type5_0 : !pdl.type)
    %name = pdl.attribute = "attention_plain_kept_bfloat16"
    pdl.apply_native_constraint "collect"(%name, %q, %k, %v, %mask, %fill, %op0, %op1, %op2, %op3, %op4, %op5 : !pdl.attribute, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation)
    pdl.rewrite %op5 with "replace"
  }
  func.func @replace(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}, %arg3: !t3 {aten.name = "mask"}, %arg4: !t4 {aten.name = "fill"}) -> !t5 {
    %0 = "aten.zeros"() {device = #aten.enum<"device", "cpu">, dtype = #aten.enum<"dtype", "bfloat16">, layout = #aten.none, pin_memory = false, size = []} : () -> !t4
    %1 = "aten.where_self"(%arg3, %0, %arg4) : (!t3, !t4, !t4) -> !t6
    %2 = "aten.permute"(%arg1) {dims = [0, 1, 3, 2]} : (!t1) -> !t8
    %3 = "aten.scaled_dot_product_attention"(%arg0, %2, %arg2, %1) {dropout_p = 0.000000e+00 : f64, enable_gqa = false, is_causal = false, scale = 1.000000e+00 : f64} : (!t0, !t8, !t2, !t6) -> !t5
    %4 = "aten.amax"(%1) {dim = [3], keepdim = true} : (!t6) -> !t9
    %5 = "aten.eq_scalar"(%4) {other = 0xFFF0000000000000 : f64} : (!t9) -> !t10
    %6 = "aten.scalar_tensor"() {device = #aten.enum<"device", "cpu">, dtype = #aten.enum<"dtype", "bfloat16">, layout = #aten.enum<"layout", "strided">, pin_memory = #aten.none, s = 0x7FF8000000000000 : f64} : () -> !t4
    %7 = "aten.where_self"(%5, %6, %3) : (!t10, !t4, !t5) -> !t5
    return %7 : !t5
  }
}
// -----
!t0 = tensor<?x?x?x?xf16, #aten.layout<"cpu", [#aten.expr<"d0*d1*d2">, #aten.expr<"d1*d2">, #aten.expr<"d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d2">]>>
!t1 = tensor<?x?x?x?xf16, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, 1, #aten.expr<"d2">], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d2">, #aten.expr<"d4">]>>
!t2 = tensor<?x?x?x?xf16, #aten.layout<"cpu", [#aten.expr<"d0*d4*d5">, #aten.expr<"d4*d5">, #aten.expr<"d5">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d5">]>>
!t3 = tensor<?x?x?x?xi1, #aten.layout<"cpu", [#aten.expr<"d0*d1*d4">, #aten.expr<"d1*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d4">]>>
!t4 = tensor<f16, #aten.layout<"cpu", [], 0 : i64, unit>>
!t5 = tensor<?x?x?x?xf16, #aten.layout<"cpu", [#aten.expr<"d0*d1*d5">, #aten.expr<"d1*d5">, #aten.expr<"d5">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d5">]>>
!t6 = tensor<?x?x?x?xf16, #aten.layout<"cpu", [#aten.expr<"d0*d1*d4">, #aten.expr<"d1*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d4">]>>
!t7 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d4">, #aten.expr<"d1*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d4">]>>
!t8 = tensor<?x?x?x?xf16, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, #aten.expr<"d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d2">]>>
!t9 = tensor<?x?x?x1xf16, #aten.layout<"cpu", [#aten.expr<"d0*d1">, #aten.expr<"d1">, 1, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, 1]>>
!t10 = tensor<?x?x?x1xi1, #aten.layout<"cpu", [#aten.expr<"d0*d1">, #aten.expr<"d1">, 1, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, 1]>>
module @attention_plain_kept_float16 {
  func.func @search(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}, %arg3: !t3 {aten.name = "mask", pattern.any_size}, %arg4: !t4 {aten.name = "fill"}) -> !t5 {
    %0 = "aten.matmul"(%arg0, %arg1) : (!t0, !t1) -> !t6
    %1 = "aten.where_self"(%arg3, %0, %arg4) : (!t3, !t6, !t4) -> !t6
    %2 = "aten.u_to_copy"(%1) {device = #aten.none, dtype = #aten.enum<"dtype", "float32">, layout = #aten.none, memory_format = #aten.none, non_blocking = false, pin_memory = #aten.none} : (!t6) -> !t7
    %3 = "aten.u_softmax"(%2) {dim = 3 : i64, half_to_float = false} : (!t7) -> !t7
    %4 = "aten.u_to_copy"(%3) {device = #aten.none, dtype = #aten.enum<"dtype", "float16">, layout = #aten.none, memory_format = #aten.none, non_blocking = false, pin_memory = #aten.none} : (!t7) -> !t6
    %5 = "aten.matmul"(%4, %arg2) : (!t6, !t2) -> !t5
    return %5 : !t5
  }
  pdl.pattern @attention_plain_kept_float16 : benefit(6) {
    %q = pdl.operand
    %k = pdl.operand
    %v = pdl.operand
    %mask = pdl.operand
    %fill = pdl.operand
    %literal0 = pdl.attribute = #aten.none
    %literal1 = pdl.attribute = #aten.enum<"dtype", "float32">
    %literal2 = pdl.attribute = false
    %literal3 = pdl.attribute = 3 : i64
    %literal4 = pdl.attribute = #aten.enum<"dtype", "float16">
    %type0_0 = pdl.type
    %op0 = pdl.operation "aten.matmul"(%q, %k : !pdl.value, !pdl.value) -> (%type0_0 : !pdl.type)
    %op0.r0 = pdl.result 0 of %op0
    %type1_0 = pdl.type
    %op1 = pdl.operation "aten.where_self"(%mask, %op0.r0, %fill : !pdl.value, !pdl.value, !pdl.value) -> (%type1_0 : !pdl.type)
    %op1.r0 = pdl.result 0 of %op1
    %type2_0 = pdl.type
    %op2 = pdl.operation "aten.u_to_copy"(%op1.r0 : !pdl.value) {"device" = %literal0, "dtype" = %literal1, "layout" = %literal0, "memory_format" = %literal0, "non_blocking" = %literal2, "pin_memory" = %literal0} -> (%type2_0 : !pdl.type)
    %op2.r0 = pdl.result 0 of %op2
    %type3_0 = pdl.type
    %op3 = pdl.operation "aten.u_softmax"(%op2.r0 : !pdl.value) {"dim" = %literal3, "half_to_float" = %literal2} -> (%type3_0 : !pdl.type)
    %op3.r0 = pdl.result 0 of %op3
    %type4_0 = pdl.type
    %op4 = pdl.operation "aten.u_to_copy"(%op3.r0 : !pdl.value) {"device" = %literal0, "dtype" = %literal4, "layout" = %literal0, "memory_format" = %literal0, "non_blocking" = %literal2, "pin_memory" = %literal0} -> (%type4_0 : !pdl.type)
    %op4.r0 = pdl.result 0 of %op4
    %type5_0 = pdl.type
    %op5 = pdl.operation "aten.matmul"(%op4.r0, %v : !pdl.value, !pdl.value) -> (%type5_0 : !pdl.type)
    %name = pdl.attribute = "attention_plain_kept_float16"
    pdl.apply_native_constraint "collect"(%name, %q, %k, %v, %mask, %fill, %op0, %op1, %op2, %op3, %op4, %op5 : !pdl.attribute, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation)
    pdl.rewrite %op5 with "replace"
  }
  func.func @replace(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}, %arg3: !t3 {aten.name = "mask"}, %arg4: !t4 {aten.name = "fill"}) -> !t5 {
    %0 = "aten.zeros"() {device = #aten.enum<"device", "cpu">, dtype = #aten.enum<"dtype", "float16">, layout = #aten.none, pin_memory = false, size = []} : () -> !t4
    %1 = "aten.where_self"(%arg3, %0, %arg4) : (!t3, !t4, !t4) -> !t6
    %2 = "aten.permute"(%arg1) {dims = [0, 1, 3, 2]} : (!t1) -> !t8
    %3 = "aten.scaled_dot_product_attention"(%arg0, %2, %arg2, %1) {dropout_p = 0.000000e+00 : f64, enable_gqa = false, is_causal = false, scale = 1.000000e+00 : f64} : (!t0, !t8, !t2, !t6) -> !t5
    %4 = "aten.amax"(%1) {dim = [3], keepdim = true} : (!t6) -> !t9
    %5 = "aten.eq_scalar"(%4) {other = 0xFFF0000000000000 : f64} : (!t9) -> !t10
    %6 = "aten.scalar_tensor"() {device = #aten.enum<"device", "cpu">, dtype = #aten.enum<"dtype", "float16">, layout = #aten.enum<"layout", "strided">, pin_memory = #aten.none, s = 0x7FF8000000000000 : f64} : () -> !t4
    %7 = "aten.where_self"(%5, %6, %3) : (!t10, !t4, !t5) -> !t5
    return %7 : !t5
  }
}
// -----
!t0 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d2">, #aten.expr<"d1*d2">, #aten.expr<"d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d2">]>>
!t1 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, 1, #aten.expr<"d2">], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d2">, #aten.expr<"d4">]>>
!t2 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d4*d5">, #aten.expr<"d4*d5">, #aten.expr<"d5">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d5">]>>
!t3 = tensor<?x?x?x?xi1, #aten.layout<"cpu", [#aten.expr<"d0*d1*d4">, #aten.expr<"d1*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d4">]>>
!t4 = tensor<f32, #aten.layout<"cpu", [], 0 : i64, unit>>
!t5 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d5">, #aten.expr<"d1*d5">, #aten.expr<"d5">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d5">]>>
!t6 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d4">, #aten.expr<"d1*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d4">]>>
!t7 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, #aten.expr<"d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d2">]>>
!t8 = tensor<?x?x?x1xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1">, #aten.expr<"d1">, 1, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, 1]>>
!t9 = tensor<?x?x?x1xi1, #aten.layout<"cpu", [#aten.expr<"d0*d1">, #aten.expr<"d1">, 1, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, 1]>>
module @attention_plain_dropped {
  func.func @search(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}, %arg3: !t3 {aten.name = "mask", pattern.any_size}, %arg4: !t4 {aten.name = "fill"}) -> !t5 {
    %0 = "aten.matmul"(%arg0, %arg1) : (!t0, !t1) -> !t6
    %1 = "aten.where_self"(%arg3, %arg4, %0) : (!t3, !t4, !t6) -> !t6
    %2 = "aten.u_softmax"(%1) {dim = 3 : i64, half_to_float = false} : (!t6) -> !t6
    %3 = "aten.matmul"(%2, %arg2) : (!t6, !t2) -> !t5
    return %3 : !t5
  }
  pdl.pattern @attention_plain_dropped : benefit(4) {
    %q = pdl.operand
    %k = pdl.operand
    %v = pdl.operand
    %mask = pdl.operand
    %fill = pdl.operand
    %literal0 = pdl.attribute = 3 : i64
    %literal1 = pdl.attribute = false
    %type0_0 = pdl.type
    %op0 = pdl.operation "aten.matmul"(%q, %k : !pdl.value, !pdl.value) -> (%type0_0 : !pdl.type)
    %op0.r0 = pdl.result 0 of %op0
    %type1_0 = pdl.type
    %op1 = pdl.operation "aten.where_self"(%mask, %fill, %op0.r0 : !pdl.value, !pdl.value, !pdl.value) -> (%type1_0 : !pdl.type)
    %op1.r0 = pdl.result 0 of %op1
    %type2_0 = pdl.type
    %op2 = pdl.operation "aten.u_softmax"(%op1.r0 : !pdl.value) {"dim" = %literal0, "half_to_float" = %literal1} -> (%type2_0 : !pdl.type)
    %op2.r0 = pdl.result 0 of %op2
    %type3_0 = pdl.type
    %op3 = pdl.operation "aten.matmul"(%op2.r0, %v : !pdl.value, !pdl.value) -> (%type3_0 : !pdl.type)
    %name = pdl.attribute = "attention_plain_dropped"
    pdl.apply_native_constraint "collect"(%name, %q, %k, %v, %mask, %fill, %op0, %op1, %op2, %op3 : !pdl.attribute, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation)
    pdl.rewrite %op3 with "replace"
  }
  func.func @replace(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}, %arg3: !t3 {aten.name = "mask"}, %arg4: !t4 {aten.name = "fill"}) -> !t5 {
    %0 = "aten.zeros"() {device = #aten.enum<"device", "cpu">, dtype = #aten.enum<"dtype", "float32">, layout = #aten.none, pin_memory = false, size = []} : () -> !t4
    %1 = "aten.where_self"(%arg3, %arg4, %0) : (!t3, !t4, !t4) -> !t6
    %2 = "aten.permute"(%arg1) {dims = [0, 1, 3, 2]} : (!t1) -> !t7
    %3 = "aten.scaled_dot_product_attention"(%arg0, %2, %arg2, %1) {dropout_p = 0.000000e+00 : f64, enable_gqa = false, is_causal = false, scale = 1.000000e+00 : f64} : (!t0, !t7, !t2, !t6) -> !t5
    %4 = "aten.amax"(%1) {dim = [3], keepdim = true} : (!t6) -> !t8
    %5 = "aten.eq_scalar"(%4) {other = 0xFFF0000000000000 : f64} : (!t8) -> !t9
    %6 = "aten.scalar_tensor"() {device = #aten.enum<"device", "cpu">, dtype = #aten.enum<"dtype", "float32">, layout = #aten.enum<"layout", "strided">, pin_memory = #aten.none, s = 0x7FF8000000000000 : f64} : () -> !t4
    %7 = "aten.where_self"(%5, %6, %3) : (!t9, !t4, !t5) -> !t5
    return %7 : !t5
  }
}
// -----
!t0 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d2">, #aten.expr<"d1*d2">, #aten.expr<"d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d2">]>>
!t1 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, 1, #aten.expr<"d2">], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d2">, #aten.expr<"d4">]>>
!t2 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d4*d5">, #aten.expr<"d4*d5">, #aten.expr<"d5">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d5">]>>
!t3 = tensor<?x?xi1, #aten.layout<"cpu", [#aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d1">, #aten.expr<"d4">]>>
!t4 = tensor<f32, #aten.layout<"cpu", [], 0 : i64, unit>>
!t5 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d5">, #aten.expr<"d1*d5">, #aten.expr<"d5">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d5">]>>
!t6 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d4">, #aten.expr<"d1*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d4">]>>
!t7 = tensor<?x?xf32, #aten.layout<"cpu", [#aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d1">, #aten.expr<"d4">]>>
!t8 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, #aten.expr<"d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d2">]>>
!t9 = tensor<?x1xf32, #aten.layout<"cpu", [1, 1], 0 : i64, [#aten.expr<"d1">, 1]>>
!t10 = tensor<?x1xi1, #aten.layout<"cpu", [1, 1], 0 : i64, [#aten.expr<"d1">, 1]>>
module @attention_plain_dropped_of_rank_2 {
  func.func @search(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}, %arg3: !t3 {aten.name = "mask", pattern.any_size}, %arg4: !t4 {aten.name = "fill"}) -> !t5 {
    %0 = "aten.matmul"(%arg0, %arg1) : (!t0, !t1) -> !t6
    %1 = "aten.where_self"(%arg3, %arg4, %0) : (!t3, !t4, !t6) -> !t6
    %2 = "aten.u_softmax"(%1) {dim = 3 : i64, half_to_float = false} : (!t6) -> !t6
    %3 = "aten.matmul"(%2, %arg2) : (!t6, !t2) -> !t5
    return %3 : !t5
  }
  pdl.pattern @attention_plain_dropped_of_rank_2 : benefit(4) {
    %q = pdl.operand
    %k = pdl.operand
    %v = pdl.operand
    %mask = pdl.operand
    %fill = pdl.operand
    %literal0 = pdl.attribute = 3 : i64
    %literal1 = pdl.attribute = false
    %type0_0 = pdl.type
    %op0 = pdl.operation "aten.matmul"(%q, %k : !pdl.value, !pdl.value) -> (%type0_0 : !pdl.type)
    %op0.r0 = pdl.result 0 of %op0
    %type1_0 = pdl.type
    %op1 = pdl.operation "aten.where_self"(%mask, %fill, %op0.r0 : !pdl.value, !pdl.value, !pdl.value) -> (%type1_0 : !pdl.type)
    %op1.r0 = pdl.result 0 of %op1
    %type2_0 = pdl.type
    %op2 = pdl.operation "aten.u_softmax"(%op1.r0 : !pdl.value) {"dim" = %literal0, "half_to_float" = %literal1} -> (%type2_0 : !pdl.type)
    %op2.r0 = pdl.result 0 of %op2
    %type3_0 = pdl.type
    %op3 = pdl.operation "aten.matmul"(%op2.r0, %v : !pdl.value, !pdl.value) -> (%type3_0 : !pdl.type)
    %name = pdl.attribute = "attention_plain_dropped_of_rank_2"
    pdl.apply_native_constraint "collect"(%name, %q, %k, %v, %mask, %fill, %op0, %op1, %op2, %op3 : !pdl.attribute, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation)
    pdl.rewrite %op3 with "replace"
  }
  func.func @replace(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}, %arg3: !t3 {aten.name = "mask"}, %arg4: !t4 {aten.name = "fill"}) -> !t5 {
    %0 = "aten.zeros"() {device = #aten.enum<"device", "cpu">, dtype = #aten.enum<"dtype", "float32">, layout = #aten.none, pin_memory = false, size = []} : () -> !t4
    %1 = "aten.where_self"(%arg3, %arg4, %0) : (!t3, !t4, !t4) -> !t7
    %2 = "aten.permute"(%arg1) {dims = [0, 1, 3, 2]} : (!t1) -> !t8
    %3 = "aten.scaled_dot_product_attention"(%arg0, %2, %arg2, %1) {dropout_p = 0.000000e+00 : f64, enable_gqa = false, is_causal = false, scale = 1.000000e+00 : f64} : (!t0, !t8, !t2, !t7) -> !t5
    %4 = "aten.amax"(%1) {dim = [1], keepdim = true} : (!t7) -> !t9
    %5 = "aten.eq_scalar"(%4) {other = 0xFFF0000000000000 : f64} : (!t9) -> !t10
    %6 = "aten.scalar_tensor"() {device = #aten.enum<"device", "cpu">, dtype = #aten.enum<"dtype", "float32">, layout = #aten.enum<"layout", "strided">, pin_memory = #aten.none, s = 0x7FF8000000000000 : f64} : () -> !t4
    %7 = "aten.where_self"(%5, %6, %3) : (!t10, !t4, !t5) -> !t5
    return %7 : !t5
  }
}
// -----
!t0 = tensor<?x?x?x?xbf16, #aten.layout<"cpu", [#aten.expr<"d0*d1*d2">, #aten.expr<"d1*d2">, #aten.expr<"d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d2">]>>
!t1 = tensor<?x?x?x?xbf16, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, 1, #aten.expr<"d2">], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d2">, #aten.expr<"d4">]>>
!t2 = tensor<?x?x?x?xbf16, #aten.layout<"cpu", [#aten.expr<"d0*d4*d5">, #aten.expr<"d4*d5">, #aten.expr<"d5">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d5">]>>
!t3 = tensor<?x?x?x?xi1, #aten.layout<"cpu", [#aten.expr<"d0*d1*d4">, #aten.expr<"d1*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d4">]>>
!t4 = tensor<bf16, #aten.layout<"cpu", [], 0 : i64, unit>>
!t5 = tensor<?x?x?x?xbf16, #aten.layout<"cpu", [#aten.expr<"d0*d1*d5">, #aten.expr<"d1*d5">, #aten.expr<"d5">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d5">]>>
!t6 = tensor<?x?x?x?xbf16, #aten.layout<"cpu", [#aten.expr<"d0*d1*d4">, #aten.expr<"d1*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d4">]>>
!t7 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d4">, #aten.expr<"d1*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d4">]>>
!t8 = tensor<?x?x?x?xbf16, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, #aten.expr<"d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d2">]>>
!t9 = tensor<?x?x?x1xbf16, #aten.layout<"cpu", [#aten.expr<"d0*d1">, #aten.expr<"d1">, 1, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, 1]>>
!t10 = tensor<?x?x?x1xi1, #aten.layout<"cpu", [#aten.expr<"d0*d1">, #aten.expr<"d1">, 1, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, 1]>>
module @attention_plain_dropped_bfloat16 {
  func.func @search(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}, %arg3: !t3 {aten.name = "mask", pattern.any_size}, %arg4: !t4 {aten.name = "fill"}) -> !t5 {
    %0 = "aten.matmul"(%arg0, %arg1) : (!t0, !t1) -> !t6
    %1 = "aten.where_self"(%arg3, %arg4, %0) : (!t3, !t4, !t6) -> !t6
    %2 = "aten.u_to_copy"(%1) {device = #aten.none, dtype = #aten.enum<"dtype", "float32">, layout = #aten.none, memory_format = #aten.none, non_blocking = false, pin_memory = #aten.none} : (!t6) -> !t7
    %3 = "aten.u_softmax"(%2) {dim = 3 : i64, half_to_float = false} : (!t7) -> !t7
    %4 = "aten.u_to_copy"(%3) {device = #aten.none, dtype = #aten.enum<"dtype", "bfloat16">, layout = #aten.none, memory_format = #aten.none, non_blocking = false, pin_memory = #aten.none} : (!t7) -> !t6
    %5 = "aten.matmul"(%4, %arg2) : (!t6, !t2) -> !t5
    return %5 : !t5
  }
  pdl.pattern @attention_plain_dropped_bfloat16 : benefit(6) {
    %q = pdl.operand
    %k = pdl.operand
    %v = pdl.operand
    %mask = pdl.operand
    %fill = pdl.operand
    %literal0 = pdl.attribute = #aten.none
    %literal1 = pdl.attribute = #aten.enum<"dtype", "float32">
    %literal2 = pdl.attribute = false
    %literal3 = pdl.attribute = 3 : i64
    %literal4 = pdl.attribute = #aten.enum<"dtype", "bfloat16">
    %type0_0 = pdl.type
    %op0 = pdl.operation "aten.matmul"(%q, %k : !pdl.value, !pdl.value) -> (%type0_0 : !pdl.type)
    %op0.r0 = pdl.result 0 of %op0
    %type1_0 = pdl.type
    %op1 = pdl.operation "aten.where_self"(%mask, %fill, %op0.r0 : !pdl.value, !pdl.value, !pdl.value) -> (%type1_0 : !pdl.type)
    %op1.r0 = pdl.result 0 of %op1
    %type2_0 = pdl.type
    %op2 = pdl.operation "aten.u_to_copy"(%op1.r0 : !pdl.value) {"device" = %literal0, "dtype" = %literal1, "layout" = %literal0, "memory_format" = %literal0, "non_blocking" = %literal2, "pin_memory" = %literal0} -> (%type2_0 : !pdl.type)
    %op2.r0 = pdl.result 0 of %op2
    %type3_0 = pdl.type
    %op3 = pdl.operation "aten.u_softmax"(%op2.r0 : !pdl.value) {"dim" = %literal3, "half_to_float" = %literal2} -> (%type3_0 : !pdl.type)
    %op3.r0 = pdl.result 0 of %op3
    %type4_0 = pdl.type
    %op4 = pdl.operation "aten.u_to_copy"(%op3.r0 : !pdl.value) {"device" = %literal0, "dtype" = %literal4, "layout" = %literal0, "memory_format" = %literal0, "non_blocking" = %literal2, "pin_memory" = %literal0} -> (%type4_0 : !pdl.type)
    %op4.r0 = pdl.result 0 of %op4
    %type5_0 = pdl.type
    %op5 = pdl.operation "aten.matmul"(%op4.r0, %v : !pdl.value, !pdl.value) -> (%type5_0 : !pdl.type)
    %name = pdl.attribute = "attention_plain_dropped_bfloat16"
    pdl.apply_native_constraint "collect"(%name, %q, %k, %v, %mask, %fill, %op0, %op1, %op2, %op3, %op4, %op5 : !pdl.attribute, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation)
    pdl.rewrite %op5 with "replace"
  }
  func.func @replace(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}, %arg3: !t3 {aten.name = "mask"}, %arg4: !t4 {aten.name = "fill"}) -> !t5 {
    %0 = "aten.zeros"() {device = #aten.enum<"device", "cpu">, dtype = #aten.enum<"dtype", "bfloat16">, layout = #aten.none, pin_memory = false, size = []} : () -> !t4
    %1 = "aten.where_self"(%arg3, %arg4, %0) : (!t3, !t4, !t4) -> !t6
    %2 = "aten.permute"(%arg1) {dims = [0, 1, 3, 2]} : (!t1) -> !t8
    %3 = "aten.scaled_dot_product_attention"(%arg0, %2, %arg2, %1) {dropout_p = 0.000000e+00 : f64, enable_gqa = false, is_causal = false, scale = 1.000000e+00 : f64} : (!t0, !t8, !t2, !t6) -> !t5
    %4 = "aten.amax"(%1) {dim = [3], keepdim = true} : (!t6) -> !t9
    %5 = "aten.eq_scalar"(%4) {other = 0xFFF0000000000000 : f64} : (!t9) -> !t10
    %6 = "aten.scalar_tensor"() {device = #aten.enum<"device", "cpu">, dtype = #aten.enum<"dtype", "bfloat16">, layout = #aten.enum<"layout", "strided">, pin_memory = #aten.none, s = 0x7FF8000000000000 : f64} : () -> !t4
    %7 = "aten.where_self"(%5, %6, %3) : (!t10, !t4, !t5) -> !t5
    return %7 : !t5
  }
}
// -----
!t0 = tensor<?x?x?x?xf16, #aten.layout<"cpu", [#aten.expr<"d0*d1*d2">, #aten.expr<"d1*d2">, #aten.expr<"d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d2">]>>
!t1 = tensor<?x?x?x?xf16, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, 1, #aten.expr<"d2">], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d2">, #aten.expr<"d4">]>>
!t2 = tensor<?x?x?x?xf16, #aten.layout<"cpu", [#aten.expr<"d0*d4*d5">, #aten.expr<"d4*d5">, #aten.expr<"d5">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d5">]>>
!t3 = tensor<?x?x?x?xi1, #aten.layout<"cpu", [#aten.expr<"d0*d1*d4">, #aten.expr<"d1*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d4">]>>
!t4 = tensor<f16, #aten.layout<"cpu", [], 0 : i64, unit>>
!t5 = tensor<?x?x?x?xf16, #aten.layout<"cpu", [#aten.expr<"d0*d1*d5">, #aten.expr<"d1*d5">, #aten.expr<"d5">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d5">]>>
!t6 = tensor<?x?x?x?xf16, #aten.layout<"cpu", [#aten.expr<"d0*d1*d4">, #aten.expr<"d1*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d4">]>>
!t7 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d4">, #aten.expr<"d1*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d4">]>>
!t8 = tensor<?x?x?x?xf16, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, #aten.expr<"d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d2">]>>
!t9 = tensor<?x?x?x1xf16, #aten.layout<"cpu", [#aten.expr<"d0*d1">, #aten.expr<"d1">, 1, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, 1]>>
!t10 = tensor<?x?x?x1xi1, #aten.layout<"cpu", [#aten.expr<"d0*d1">, #aten.expr<"d1">, 1, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, 1]>>
module @attention_plain_dropped_float16 {
  func.func @search(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}, %arg3: !t3 {aten.name = "mask", pattern.any_size}, %arg4: !t4 {aten.name = "fill"}) -> !t5 {
    %0 = "aten.matmul"(%arg0, %arg1) : (!t0, !t1) -> !t6
    %1 = "aten.where_self"(%arg3, %arg4, %0) : (!t3, !t4, !t6) -> !t6
    %2 = "aten.u_to_copy"(%1) {device = #aten.none, dtype = #aten.enum<"dtype", "float32">, layout = #aten.none, memory_format = #aten.none, non_blocking = false, pin_memory = #aten.none} : (!t6) -> !t7
    %3 = "aten.u_softmax"(%2) {dim = 3 : i64, half_to_float = false} : (!t7) -> !t7
    %4 = "aten.u_to_copy"(%3) {device = #aten.none, dtype = #aten.enum<"dtype", "float16">, layout = #aten.none, memory_format = #aten.none, non_blocking = false, pin_memory = #aten.none} : (!t7) -> !t6
    %5 = "aten.matmul"(%4, %arg2) : (!t6, !t2) -> !t5
    return %5 : !t5
  }
  pdl.pattern @attention_plain_dropped_float16 : benefit(6) {
    %q = pdl.operand
    %k = pdl.operand
    %v = pdl.operand
    %mask = pdl.operand
    %fill = pdl.operand
    %literal0 = pdl.attribute = #aten.none
    %literal1 = pdl.attribute = #aten.enum<"dtype", "float32">
    %literal2 = pdl.attribute = false
    %literal3 = pdl.attribute = 3 : i64
    %literal4 = pdl.attribute = #aten.enum<"dtype", "float16">
    %type0_0 = pdl.type
    %op0 = pdl.operation "aten.matmul"(%q, %k : !pdl.value, !pdl.value) -> (%type0_0 : !pdl.type)
    %op0.r0 = pdl.result 0 of %op0
    %type1_0 = pdl.type
    %op1 = pdl.operation "aten.where_self"(%mask, %fill, %op0.r0 : !pdl.value, !pdl.value, !pdl.value) -> (%type1_0 : !pdl.type)
    %op1.r0 = pdl.result 0 of %op1
    %type2_0 = pdl.type
    %op2 = pdl.operation "aten.u_to_copy"(%op1.r0 : !pdl.value) {"device" = %literal0, "dtype" = %literal1, "layout" = %literal0, "memory_format" = %literal0, "non_blocking" = %literal2, "pin_memory" = %literal0} -> (%type2_0 : !pdl.type)
    %op2.r0 = pdl.result 0 of %op2
    %type3_0 = pdl.type
    %op3 = pdl.operation "aten.u_softmax"(%op2.r0 : !pdl.value) {"dim" = %literal3, "half_to_float" = %literal2} -> (%type3_0 : !pdl.type)
    %op3.r0 = pdl.result 0 of %op3
    %type4_0 = pdl.type
    %op4 = pdl.operation "aten.u_to_copy"(%op3.r0 : !pdl.value) {"device" = %literal0, "dtype" = %literal4, "layout" = %literal0, "memory_format" = %literal0, "non_blocking" = %literal2, "pin_memory" = %literal0} -> (%type4_0 : !pdl.type)
    %op4.r0 = pdl.result 0 of %op4
    %type5_0 = pdl.type
    %op5 = pdl.operation "aten.matmul"(%op4.r0, %v : !pdl.value, !pdl.value) -> (%type5_0 : !pdl.type)
    %name = pdl.attribute = "attention_plain_dropped_float16"
    pdl.apply_native_constraint "collect"(%name, %q, %k, %v, %mask, %fill, %op0, %op1, %op2, %op3, %op4, %op5 : !pdl.attribute, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation)
    pdl.rewrite %op5 with "replace"
  }
  func.func @replace(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}, %arg3: !t3 {aten.name = "mask"}, %arg4: !t4 {aten.name = "fill"}) -> !t5 {
    %0 = "aten.zeros"() {device = #aten.enum<"device", "cpu">, dtype = #aten.enum<"dtype", "float16">, layout = #aten.none, pin_memory = false, size = []} : () -> !t4
    %1 = "aten.where_self"(%arg3, %arg4, %0) : (!t3, !t4, !t4) -> !t6
    %2 = "aten.permute"(%arg1) {dims = [0, 1, 3, 2]} : (!t1) -> !t8
    %3 = "aten.scaled_dot_product_attention"(%arg0, %2, %arg2, %1) {dropout_p = 0.000000e+00 : f64, enable_gqa = false, is_causal = false, scale = 1.000000e+00 : f64} : (!t0, !t8, !t2, !t6) -> !t5
    %4 = "aten.amax"(%1) {dim = [3], keepdim = true} : (!t6) -> !t9
    %5 = "aten.eq_scalar"(%4) {other = 0xFFF0000000000000 : f64} : (!t9) -> !t10
    %6 = "aten.scalar_tensor"() {device = #aten.enum<"device", "cpu">, dtype = #aten.enum<"dtype", "float16">, layout = #aten.enum<"layout", "strided">, pin_memory = #aten.none, s = 0x7FF8000000000000 : f64} : () -> !t4
    %7 = "aten.where_self"(%5, %6, %3) : (!t10, !t4, !t5) -> !t5
    return %7 : !t5
  }
}
// -----
!t0 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d2">, #aten.expr<"d1*d2">, #aten.expr<"d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d2">]>>
!t1 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, 1, #aten.expr<"d2">], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d2">, #aten.expr<"d4">]>>
!t2 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d4*d5">, #aten.expr<"d4*d5">, #aten.expr<"d5">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d5">]>>
!t3 = tensor<?x?x?x?xi1, #aten.layout<"cpu", [#aten.expr<"d0*d1*d4">, #aten.expr<"d1*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d4">]>>
!t4 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d5">, #aten.expr<"d1*d5">, #aten.expr<"d5">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d5">]>>
!t5 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d4">, #aten.expr<"d1*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d4">]>>
!t6 = tensor<f32, #aten.layout<"cpu", [], 0 : i64, unit>>
!t7 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, #aten.expr<"d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d2">]>>
!t8 = tensor<?x?x?x1xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1">, #aten.expr<"d1">, 1, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, 1]>>
!t9 = tensor<?x?x?x1xi1, #aten.layout<"cpu", [#aten.expr<"d0*d1">, #aten.expr<"d1">, 1, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, 1]>>
module @attention_plain_filled attributes {pattern.scalars = ["fill"]} {
  func.func @search(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}, %arg3: !t3 {aten.name = "mask", pattern.any_size}) -> !t4 {
    %0 = "aten.matmul"(%arg0, %arg1) : (!t0, !t1) -> !t5
    %1 = "aten.masked_fill_scalar"(%0, %arg3) {value = #aten.expr<"fill">} : (!t5, !t3) -> !t5
    %2 = "aten.u_softmax"(%1) {dim = 3 : i64, half_to_float = false} : (!t5) -> !t5
    %3 = "aten.matmul"(%2, %arg2) : (!t5, !t2) -> !t4
    return %3 : !t4
  }
  pdl.pattern @attention_plain_filled : benefit(4) {
    %q = pdl.operand
    %k = pdl.operand
    %v = pdl.operand
    %mask = pdl.operand
    %literal0 = pdl.attribute = 3 : i64
    %literal1 = pdl.attribute = false
    %type0_0 = pdl.type
    %op0 = pdl.operation "aten.matmul"(%q, %k : !pdl.value, !pdl.value) -> (%type0_0 : !pdl.type)
    %op0.r0 = pdl.result 0 of %op0
    %type1_0 = pdl.type
    %op1 = pdl.operation "aten.masked_fill_scalar"(%op0.r0, %mask : !pdl.value, !pdl.value) -> (%type1_0 : !pdl.type)
    %op1.r0 = pdl.result 0 of %op1
    %type2_0 = pdl.type
    %op2 = pdl.operation "aten.u_softmax"(%op1.r0 : !pdl.value) {"dim" = %literal0, "half_to_float" = %literal1} -> (%type2_0 : !pdl.type)
    %op2.r0 = pdl.result 0 of %op2
    %type3_0 = pdl.type
    %op3 = pdl.operation "aten.matmul"(%op2.r0, %v : !pdl.value, !pdl.value) -> (%type3_0 : !pdl.type)
    %name = pdl.attribute = "attention_plain_filled"
    pdl.apply_native_constraint "collect"(%name, %q, %k, %v, %mask, %op0, %op1, %op2, %op3 : !pdl.attribute, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation)
    pdl.rewrite %op3 with "replace"
  }
  func.func @replace(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}, %arg3: !t3 {aten.name = "mask"}) -> !t4 {
    %0 = "aten.scalar_tensor"() {device = #aten.enum<"device", "cpu">, dtype = #aten.enum<"dtype", "float32">, layout = #aten.enum<"layout", "strided">, pin_memory = #aten.none, s = 0.000000e+00 : f64} : () -> !t6
    %1 = "aten.scalar_tensor"() {device = #aten.enum<"device", "cpu">, dtype = #aten.enum<"dtype", "float32">, layout = #aten.enum<"layout", "strided">, pin_memory = #aten.none, s = #aten.expr<"fill">} : () -> !t6
    %2 = "aten.where_self"(%arg3, %1, %0) : (!t3, !t6, !t6) -> !t5
    %3 = "aten.permute"(%arg1) {dims = [0, 1, 3, 2]} : (!t1) -> !t7
    %4 = "aten.scaled_dot_product_attention"(%arg0, %3, %arg2, %2) {dropout_p = 0.000000e+00 : f64, enable_gqa = false, is_causal = false, scale = 1.000000e+00 : f64} : (!t0, !t7, !t2, !t5) -> !t4
    %5 = "aten.amax"(%2) {dim = [3], keepdim = true} : (!t5) -> !t8
    %6 = "aten.eq_scalar"(%5) {other = 0xFFF0000000000000 : f64} : (!t8) -> !t9
    %7 = "aten.scalar_tensor"() {device = #aten.enum<"device", "cpu">, dtype = #aten.enum<"dtype", "float32">, layout = #aten.enum<"layout", "strided">, pin_memory = #aten.none, s = 0x7FF8000000000000 : f64} : () -> !t6
    %8 = "aten.where_self"(%6, %7, %4) : (!t9, !t6, !t4) -> !t4
    return %8 : !t4
  }
}
// -----
!t0 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d2">, #aten.expr<"d1*d2">, #aten.expr<"d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d2">]>>
!t1 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, 1, #aten.expr<"d2">], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d2">, #aten.expr<"d4">]>>
!t2 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d4*d5">, #aten.expr<"d4*d5">, #aten.expr<"d5">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d5">]>>
!t3 = tensor<?x?xi1, #aten.layout<"cpu", [#aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d1">, #aten.expr<"d4">]>>
!t4 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d5">, #aten.expr<"d1*d5">, #aten.expr<"d5">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d5">]>>
!t5 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d4">, #aten.expr<"d1*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d4">]>>
!t6 = tensor<f32, #aten.layout<"cpu", [], 0 : i64, unit>>
!t7 = tensor<?x?xf32, #aten.layout<"cpu", [#aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d1">, #aten.expr<"d4">]>>
!t8 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, #aten.expr<"d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d2">]>>
!t9 = tensor<?x1xf32, #aten.layout<"cpu", [1, 1], 0 : i64, [#aten.expr<"d1">, 1]>>
!t10 = tensor<?x1xi1, #aten.layout<"cpu", [1, 1], 0 : i64, [#aten.expr<"d1">, 1]>>
module @attention_plain_filled_of_rank_2 attributes {pattern.scalars = ["fill"]} {
  func.func @search(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}, %arg3: !t3 {aten.name = "mask", pattern.any_size}) -> !t4 {
    %0 = "aten.matmul"(%arg0, %arg1) : (!t0, !t1) -> !t5
    %1 = "aten.masked_fill_scalar"(%0, %arg3) {value = #aten.expr<"fill">} : (!t5, !t3) -> !t5
    %2 = "aten.u_softmax"(%1) {dim = 3 : i64, half_to_float = false} : (!t5) -> !t5
    %3 = "aten.matmul"(%2, %arg2) : (!t5, !t2) -> !t4
    return %3 : !t4
  }
  pdl.pattern @attention_plain_filled_of_rank_2 : benefit(4) {
    %q = pdl.operand
    %k = pdl.operand
    %v = pdl.operand
    %mask = pdl.operand
    %literal0 = pdl.attribute = 3 : i64
    %literal1 = pdl.attribute = false
    %type0_0 = pdl.type
    %op0 = pdl.operation "aten.matmul"(%q, %k : !pdl.value, !pdl.value) -> (%type0_0 : !pdl.type)
    %op0.r0 = pdl.result 0 of %op0
    %type1_0 = pdl.type
    %op1 = pdl.operation "aten.masked_fill_scalar"(%op0.r0, %mask : !pdl.value, !pdl.value) -> (%type1_0 : !pdl.type)
    %op1.r0 = pdl.result 0 of %op1
    %type2_0 = pdl.type
    %op2 = pdl.operation "aten.u_softmax"(%op1.r0 : !pdl.value) {"dim" = %literal0, "half_to_float" = %literal1} -> (%type2_0 : !pdl.type)
    %op2.r0 = pdl.result 0 of %op2
    %type3_0 = pdl.type
    %op3 = pdl.operation "aten.matmul"(%op2.r0, %v : !pdl.value, !pdl.value) -> (%type3_0 : !pdl.type)
    %name = pdl.attribute = "attention_plain_filled_of_rank_2"
    pdl.apply_native_constraint "collect"(%name, %q, %k, %v, %mask, %op0, %op1, %op2, %op3 : !pdl.attribute, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation)
    pdl.rewrite %op3 with "replace"
  }
  func.func @replace(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}, %arg3: !t3 {aten.name = "mask"}) -> !t4 {
    %0 = "aten.scalar_tensor"() {device = #aten.enum<"device", "cpu">, dtype = #aten.enum<"dtype", "float32">, layout = #aten.enum<"layout", "strided">, pin_memory = #aten.none, s = 0.000000e+00 : f64} : () -> !t6
    %1 = "aten.scalar_tensor"() {device = #aten.enum<"device", "cpu">, dtype = #aten.enum<"dtype", "float32">, layout = #aten.enum<"layout", "strided">, pin_memory = #aten.none, s = #aten.expr<"fill">} : () -> !t6
    %2 = "aten.where_self"(%arg3, %1, %0) : (!t3, !t6, !t6) -> !t7
    %3 = "aten.permute"(%arg1) {dims = [0, 1, 3, 2]} : (!t1) -> !t8
    %4 = "aten.scaled_dot_product_attention"(%arg0, %3, %arg2, %2) {dropout_p = 0.000000e+00 : f64, enable_gqa = false, is_causal = false, scale = 1.000000e+00 : f64} : (!t0, !t8, !t2, !t7) -> !t4
    %5 = "aten.amax"(%2) {dim = [1], keepdim = true} : (!t7) -> !t9
    %6 = "aten.eq_scalar"(%5) {other = 0xFFF0000000000000 : f64} : (!t9) -> !t10
    %7 = "aten.scalar_tensor"() {device = #aten.enum<"device", "cpu">, dtype = #aten.enum<"dtype", "float32">, layout = #aten.enum<"layout", "strided">, pin_memory = #aten.none, s = 0x7FF8000000000000 : f64} : () -> !t6
    %8 = "aten.where_self"(%6, %7, %4) : (!t10, !t6, !t4) -> !t4
    return %8 : !t4
  }
}
// -----
!t0 = tensor<?x?x?x?xbf16, #aten.layout<"cpu", [#aten.expr<"d0*d1*d2">, #aten.expr<"d1*d2">, #aten.expr<"d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d2">]>>
!t1 = tensor<?x?x?x?xbf16, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, 1, #aten.expr<"d2">], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d2">, #aten.expr<"d4">]>>
!t2 = tensor<?x?x?x?xbf16, #aten.layout<"cpu", [#aten.expr<"d0*d4*d5">, #aten.expr<"d4*d5">, #aten.expr<"d5">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d5">]>>
!t3 = tensor<?x?x?x?xi1, #aten.layout<"cpu", [#aten.expr<"d0*d1*d4">, #aten.expr<"d1*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d4">]>>
!t4 = tensor<?x?x?x?xbf16, #aten.layout<"cpu", [#aten.expr<"d0*d1*d5">, #aten.expr<"d1*d5">, #aten.expr<"d5">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d5">]>>
!t5 = tensor<?x?x?x?xbf16, #aten.layout<"cpu", [#aten.expr<"d0*d1*d4">, #aten.expr<"d1*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d4">]>>
!t6 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d4">, #aten.expr<"d1*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d4">]>>
!t7 = tensor<f32, #aten.layout<"cpu", [], 0 : i64, unit>>
!t8 = tensor<?x?x?x?xbf16, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, #aten.expr<"d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d2">]>>
!t9 = tensor<?x?x?x1xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1">, #aten.expr<"d1">, 1, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, 1]>>
!t10 = tensor<?x?x?x1xi1, #aten.layout<"cpu", [#aten.expr<"d0*d1">, #aten.expr<"d1">, 1, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, 1]>>
!t11 = tensor<bf16, #aten.layout<"cpu", [], 0 : i64, unit>>
module @attention_plain_filled_bfloat16 attributes {pattern.scalars = ["fill"]} {
  func.func @search(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}, %arg3: !t3 {aten.name = "mask", pattern.any_size}) -> !t4 {
    %0 = "aten.matmul"(%arg0, %arg1) : (!t0, !t1) -> !t5
    %1 = "aten.masked_fill_scalar"(%0, %arg3) {value = #aten.expr<"fill">} : (!t5, !t3) -> !t5
    %2 = "aten.u_to_copy"(%1) {device = #aten.none, dtype = #aten.enum<"dtype", "float32">, layout = #aten.none, memory_format = #aten.none, non_blocking = false, pin_memory = #aten.none} : (!t5) -> !t6
    %3 = "aten.u_softmax"(%2) {dim = 3 : i64, half_to_float = false} : (!t6) -> !t6
    %4 = "aten.u_to_copy"(%3) {device = #aten.none, dtype = #aten.enum<"dtype", "bfloat16">, layout = #aten.none, memory_format = #aten.none, non_blocking = false, pin_memory = #aten.none} : (!t6) -> !t5
    %5 = "aten.matmul"(%4, %arg2) : (!t5, !t2) -> !t4
    return %5 : !t4
  }
  pdl.pattern @attention_plain_filled_bfloat16 : benefit(6) {
    %q = pdl.operand
    %k = pdl.operand
    %v = pdl.operand
    %mask = pdl.operand
    %literal0 = pdl.attribute = #aten.none
    %literal1 = pdl.attribute = #aten.enum<"dtype", "float32">
    %literal2 = pdl.attribute = false
    %literal3 = pdl.attribute = 3 : i64
    %literal4 = pdl.attribute = #aten.enum<"dtype", "bfloat16">
    %type0_0 = pdl.type
    %op0 = pdl.operation "aten.matmul"(%q, %k : !pdl.value, !pdl.value) -> (%type0_0 : !pdl.type)
    %op0.r0 = pdl.result 0 of %op0
    %type1_0 = pdl.type
    %op1 = pdl.operation "aten.masked_fill_scalar"(%op0.r0, %mask : !pdl.value, !pdl.value) -> (%type1_0 : !pdl.type)
    %op1.r0 = pdl.result 0 of %op1
    %type2_0 = pdl.type
    %op2 = pdl.operation "aten.u_to_copy"(%op1.r0 : !pdl.value) {"device" = %literal0, "dtype" = %literal1, "layout" = %literal0, "memory_format" = %literal0, "non_blocking" = %literal2, "pin_memory" = %literal0} -> (%type2_0 : !pdl.type)
    %op2.r0 = pdl.result 0 of %op2
    %type3_0 = pdl.type
    %op3 = pdl.operation "aten.u_softmax"(%op2.r0 : !pdl.value) {"dim" = %literal3, "half_to_float" = %literal2} -> (%type3_0 : !pdl.type)
    %op3.r0 = pdl.result 0 of %op3
    %type4_0 = pdl.type
    %op4 = pdl.operation "aten.u_to_copy"(%op3.r0 : !pdl.value) {"device" = %literal0, "dtype" = %literal4, "layout" = %literal0, "memory_format" = %literal0, "non_blocking" = %literal2, "pin_memory" = %literal0} -> (%type4_0 : !pdl.type)
    %op4.r0 = pdl.result 0 of %op4
    %type5_0 = pdl.type
    %op5 = pdl.operation "aten.matmul"(%op4.r0, %v : !pdl.value, !pdl.value) -> (%type5_0 : !pdl.type)
    %name = pdl.attribute = "attention_plain_filled_bfloat16"
    pdl.apply_native_constraint "collect"(%name, %q, %k, %v, %mask, %op0, %op1, %op2, %op3, %op4, %op5 : !pdl.attribute, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation)
    pdl.rewrite %op5 with "replace"
  }
  func.func @replace(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}, %arg3: !t3 {aten.name = "mask"}) -> !t4 {
    %0 = "aten.scalar_tensor"() {device = #aten.enum<"device", "cpu">, dtype = #aten.enum<"dtype", "float32">, layout = #aten.enum<"layout", "strided">, pin_memory = #aten.none, s = 0.000000e+00 : f64} : () -> !t7
    %1 = "aten.scalar_tensor"() {device = #aten.enum<"device", "cpu">, dtype = #aten.enum<"dtype", "float32">, layout = #aten.enum<"layout", "strided">, pin_memory = #aten.none, s = #aten.expr<"fill">} : () -> !t7
    %2 = "aten.where_self"(%arg3, %1, %0) : (!t3, !t7, !t7) -> !t6
    %3 = "aten.permute"(%arg1) {dims = [0, 1, 3, 2]} : (!t1) -> !t8
    %4 = "aten.scaled_dot_product_attention"(%arg0, %3, %arg2, %2) {dropout_p = 0.000000e+00 : f64, enable_gqa = false, is_causal = false, scale = 1.000000e+00 : f64} : (!t0, !t8, !t2, !t6) -> !t4
    %5 = "aten.amax"(%2) {dim = [3], keepdim = true} : (!t6) -> !t9
    %6 = "aten.eq_scalar"(%5) {other = 0xFFF0000000000000 : f64} : (!t9) -> !t10
    %7 = "aten.scalar_tensor"() {device = #aten.enum<"device", "cpu">, dtype = #aten.enum<"dtype", "bfloat16">, layout = #aten.enum<"layout", "strided">, pin_memory = #aten.none, s = 0x7FF8000000000000 : f64} : () -> !t11
    %8 = "aten.where_self"(%6, %7, %4) : (!t10, !t11, !t4) -> !t4
    return %8 : !t4
  }
}
// -----
!t0 = tensor<?x?x?x?xf16, #aten.layout<"cpu", [#aten.expr<"d0*d1*d2">, #aten.expr<"d1*d2">, #aten.expr<"d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d2">]>>
!t1 = tensor<?x?x?x?xf16, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, 1, #aten.expr<"d2">], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d2">, #aten.expr<"d4">]>>
!t2 = tensor<?x?x?x?xf16, #aten.layout<"cpu", [#aten.expr<"d0*d4*d5">, #aten.expr<"d4*d5">, #aten.expr<"d5">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d5">]>>
!t3 = tensor<?x?x?x?xi1, #aten.layout<"cpu", [#aten.expr<"d0*d1*d4">, #aten.expr<"d1*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d4">]>>
!t4 = tensor<?x?x?x?xf16, #aten.layout<"cpu", [#aten.expr<"d0*d1*d5">, #aten.expr<"d1*d5">, #aten.expr<"d5">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d5">]>>
!t5 = tensor<?x?x?x?xf16, #aten.layout<"cpu", [#aten.expr<"d0*d1*d4">, #aten.expr<"d1*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d4">]>>
!t6 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d4">, #aten.expr<"d1*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d4">]>>
!t7 = tensor<f32, #aten.layout<"cpu", [], 0 : i64, unit>>
!t8 = tensor<?x?x?x?xf16, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, #aten.expr<"d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d2">]>>
!t9 = tensor<?x?x?x1xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1">, #aten.expr<"d1">, 1, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, 1]>>
!t10 = tensor<?x?x?x1xi1, #aten.layout<"cpu", [#aten.expr<"d0*d1">, #aten.expr<"d1">, 1, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, 1]>>
!t11 = tensor<f16, #aten.layout<"cpu", [], 0 : i64, unit>>
module @attention_plain_filled_float16 attributes {pattern.scalars = ["fill"]} {
  func.func @search(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}, %arg3: !t3 {aten.name = "mask", pattern.any_size}) -> !t4 {
    %0 = "aten.matmul"(%arg0, %arg1) : (!t0, !t1) -> !t5
    %1 = "aten.masked_fill_scalar"(%0, %arg3) {value = #aten.expr<"fill">} : (!t5, !t3) -> !t5
    %2 = "aten.u_to_copy"(%1) {device = #aten.none, dtype = #aten.enum<"dtype", "float32">, layout = #aten.none, memory_format = #aten.none, non_blocking = false, pin_memory = #aten.none} : (!t5) -> !t6
    %3 = "aten.u_softmax"(%2) {dim = 3 : i64, half_to_float = false} : (!t6) -> !t6
    %4 = "aten.u_to_copy"(%3) {device = #aten.none, dtype = #aten.enum<"dtype", "float16">, layout = #aten.none, memory_format = #aten.none, non_blocking = false, pin_memory = #aten.none} : (!t6) -> !t5
    %5 = "aten.matmul"(%4, %arg2) : (!t5, !t2) -> !t4
    return %5 : !t4
  }
  pdl.pattern @attention_plain_filled_float16 : benefit(6) {
    %q = pdl.operand
    %k = pdl.operand
    %v = pdl.operand
    %mask = pdl.operand
    %literal0 = pdl.attribute = #aten.none
    %literal1 = pdl.attribute = #aten.enum<"dtype", "float32">
    %literal2 = pdl.attribute = false
    %literal3 = pdl.attribute = 3 : i64
    %literal4 = pdl.attribute = #aten.enum<"dtype", "float16">
    %type0_0 = pdl.type
    %op0 = pdl.operation "aten.matmul"(%q, %k : !pdl.value, !pdl.value) -> (%type0_0 : !pdl.type)
    %op0.r0 = pdl.result 0 of %op0
    %type1_0 = pdl.type
    %op1 = pdl.operation "aten.masked_fill_scalar"(%op0.r0, %mask : !pdl.value, !pdl.value) -> (%type1_0 : !pdl.type)
    %op1.r0 = pdl.result 0 of %op1
    %type2_0 = pdl.type
    %op2 = pdl.operation "aten.u_to_copy"(%op1.r0 : !pdl.value) {"device" = %literal0, "dtype" = %literal1, "layout" = %literal0, "memory_format" = %literal0, "non_blocking" = %literal2, "pin_memory" = %literal0} -> (%type2_0 : !pdl.type)
    %op2.r0 = pdl.result 0 of %op2
    %type3_0 = pdl.type
    %op3 = pdl.operation "aten.u_softmax"(%op2.r0 : !pdl.value) {"dim" = %literal3, "half_to_float" = %literal2} -> (%type3_0 : !pdl.type)
    %op3.r0 = pdl.result 0 of %op3
    %type4_0 = pdl.type
    %op4 = pdl.operation "aten.u_to_copy"(%op3.r0 : !pdl.value) {"device" = %literal0, "dtype" = %literal4, "layout" = %literal0, "memory_format" = %literal0, "non_blocking" = %literal2, "pin_memory" = %literal0} -> (%type4_0 : !pdl.type)
    %op4.r0 = pdl.result 0 of %op4
    %type5_0 = pdl.type
    %op5 = pdl.operation "aten.matmul"(%op4.r0, %v : !pdl.value, !pdl.value) -> (%type5_0 : !pdl.type)
    %name = pdl.attribute = "attention_plain_filled_float16"
    pdl.apply_native_constraint "collect"(%name, %q, %k, %v, %mask, %op0, %op1, %op2, %op3, %op4, %op5 : !pdl.attribute, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation)
    pdl.rewrite %op5 with "replace"
  }
  func.func @replace(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}, %arg3: !t3 {aten.name = "mask"}) -> !t4 {
    %0 = "aten.scalar_tensor"() {device = #aten.enum<"device", "cpu">, dtype = #aten.enum<"dtype", "float32">, layout = #aten.enum<"layout", "strided">, pin_memory = #aten.none, s = 0.000000e+00 : f64} : () -> !t7
    %1 = "aten.scalar_tensor"() {device = #aten.enum<"device", "cpu">, dtype = #aten.enum<"dtype", "float32">, layout = #aten.enum<"layout", "strided">, pin_memory = #aten.none, s = #aten.expr<"fill">} : () -> !t7
    %2 = "aten.where_self"(%arg3, %1, %0) : (!t3, !t7, !t7) -> !t6
    %3 = "aten.permute"(%arg1) {dims = [0, 1, 3, 2]} : (!t1) -> !t8
    %4 = "aten.scaled_dot_product_attention"(%arg0, %3, %arg2, %2) {dropout_p = 0.000000e+00 : f64, enable_gqa = false, is_causal = false, scale = 1.000000e+00 : f64} : (!t0, !t8, !t2, !t6) -> !t4
    %5 = "aten.amax"(%2) {dim = [3], keepdim = true} : (!t6) -> !t9
    %6 = "aten.eq_scalar"(%5) {other = 0xFFF0000000000000 : f64} : (!t9) -> !t10
    %7 = "aten.scalar_tensor"() {device = #aten.enum<"device", "cpu">, dtype = #aten.enum<"dtype", "float16">, layout = #aten.enum<"layout", "strided">, pin_memory = #aten.none, s = 0x7FF8000000000000 : f64} : () -> !t11
    %8 = "aten.where_self"(%6, %7, %4) : (!t10, !t11, !t4) -> !t4
    return %8 : !t4
  }
}
// -----
!t0 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d2">, #aten.expr<"d1*d2">, #aten.expr<"d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d2">]>>
!t1 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, 1, #aten.expr<"d2">], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d2">, #aten.expr<"d4">]>>
!t2 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d4*d5">, #aten.expr<"d4*d5">, #aten.expr<"d5">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d5">]>>
!t3 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d5">, #aten.expr<"d1*d5">, #aten.expr<"d5">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d5">]>>
!t4 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d4">, #aten.expr<"d1*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d4">]>>
!t5 = tensor<f64, #aten.layout<"cpu", [], 0 : i64, unit>>
!t6 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, #aten.expr<"d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d2">]>>
module @attention_multiplied_unmasked attributes {pattern.scalars = ["scale"]} {
  func.func @search(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}) -> !t3 {
    %0 = "aten.matmul"(%arg0, %arg1) : (!t0, !t1) -> !t4
    %1 = "aten.number"() {value = #aten.expr<"scale">} : () -> !t5
    %2 = "aten.mul_tensor"(%0, %1) : (!t4, !t5) -> !t4
    %3 = "aten.u_softmax"(%2) {dim = 3 : i64, half_to_float = false} : (!t4) -> !t4
    %4 = "aten.matmul"(%3, %arg2) : (!t4, !t2) -> !t3
    return %4 : !t3
  }
  pdl.pattern @attention_multiplied_unmasked : benefit(5) {
    %q = pdl.operand
    %k = pdl.operand
    %v = pdl.operand
    %literal0 = pdl.attribute = 3 : i64
    %literal1 = pdl.attribute = false
    %type0_0 = pdl.type
    %op0 = pdl.operation "aten.matmul"(%q, %k : !pdl.value, !pdl.value) -> (%type0_0 : !pdl.type)
    %op0.r0 = pdl.result 0 of %op0
    %type1_0 = pdl.type
    %op1 = pdl.operation "aten.number" -> (%type1_0 : !pdl.type)
    %op1.r0 = pdl.result 0 of %op1
    %type2_0 = pdl.type
    %op2 = pdl.operation "aten.mul_tensor"(%op0.r0, %op1.r0 : !pdl.value, !pdl.value) -> (%type2_0 : !pdl.type)
    %op2.r0 = pdl.result 0 of %op2
    %type3_0 = pdl.type
    %op3 = pdl.operation "aten.u_softmax"(%op2.r0 : !pdl.value) {"dim" = %literal0, "half_to_float" = %literal1} -> (%type3_0 : !pdl.type)
    %op3.r0 = pdl.result 0 of %op3
    %type4_0 = pdl.type
    %op4 = pdl.operation "aten.matmul"(%op3.r0, %v : !pdl.value, !pdl.value) -> (%type4_0 : !pdl.type)
    %name = pdl.attribute = "attention_multiplied_unmasked"
    pdl.apply_native_constraint "collect"(%name, %q, %k, %v, %op0, %op1, %op2, %op3, %op4 : !pdl.attribute, !pdl.value, !pdl.value, !pdl.value, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation)
    pdl.rewrite %op4 with "replace"
  }
  func.func @replace(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}) -> !t3 {
    %0 = "aten.permute"(%arg1) {dims = [0, 1, 3, 2]} : (!t1) -> !t6
    %1 = "aten.scaled_dot_product_attention"(%arg0, %0, %arg2) {dropout_p = 0.000000e+00 : f64, enable_gqa = false, is_causal = false, scale = #aten.expr<"scale">} : (!t0, !t6, !t2) -> !t3
    return %1 : !t3
  }
}
// -----
!t0 = tensor<?x?x?x?xbf16, #aten.layout<"cpu", [#aten.expr<"d0*d1*d2">, #aten.expr<"d1*d2">, #aten.expr<"d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d2">]>>
!t1 = tensor<?x?x?x?xbf16, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, 1, #aten.expr<"d2">], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d2">, #aten.expr<"d4">]>>
!t2 = tensor<?x?x?x?xbf16, #aten.layout<"cpu", [#aten.expr<"d0*d4*d5">, #aten.expr<"d4*d5">, #aten.expr<"d5">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d5">]>>
!t3 = tensor<?x?x?x?xbf16, #aten.layout<"cpu", [#aten.expr<"d0*d1*d5">, #aten.expr<"d1*d5">, #aten.expr<"d5">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d5">]>>
!t4 = tensor<?x?x?x?xbf16, #aten.layout<"cpu", [#aten.expr<"d0*d1*d4">, #aten.expr<"d1*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d4">]>>
!t5 = tensor<f64, #aten.layout<"cpu", [], 0 : i64, unit>>
!t6 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d4">, #aten.expr<"d1*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d4">]>>
!t7 = tensor<?x?x?x?xbf16, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, #aten.expr<"d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d2">]>>
module @attention_multiplied_unmasked_bfloat16 attributes {pattern.scalars = ["scale"]} {
  func.func @search(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}) -> !t3 {
    %0 = "aten.matmul"(%arg0, %arg1) : (!t0, !t1) -> !t4
    %1 = "aten.number"() {value = #aten.expr<"scale">} : () -> !t5
    %2 = "aten.mul_tensor"(%0, %1) : (!t4, !t5) -> !t4
    %3 = "aten.u_to_copy"(%2) {device = #aten.none, dtype = #aten.enum<"dtype", "float32">, layout = #aten.none, memory_format = #aten.none, non_blocking = false, pin_memory = #aten.none} : (!t4) -> !t6
    %4 = "aten.u_softmax"(%3) {dim = 3 : i64, half_to_float = false} : (!t6) -> !t6
    %5 = "aten.u_to_copy"(%4) {device = #aten.none, dtype = #aten.enum<"dtype", "bfloat16">, layout = #aten.none, memory_format = #aten.none, non_blocking = false, pin_memory = #aten.none} : (!t6) -> !t4
    %6 = "aten.matmul"(%5, %arg2) : (!t4, !t2) -> !t3
    return %6 : !t3
  }
  pdl.pattern @attention_multiplied_unmasked_bfloat16 : benefit(7) {
    %q = pdl.operand
    %k = pdl.operand
    %v = pdl.operand
    %literal0 = pdl.attribute = #aten.none
    %literal1 = pdl.attribute = #aten.enum<"dtype", "float32">
    %literal2 = pdl.attribute = false
    %literal3 = pdl.attribute = 3 : i64
    %literal4 = pdl.attribute = #aten.enum<"dtype", "bfloat16">
    %type0_0 = pdl.type
    %op0 = pdl.operation "aten.matmul"(%q, %k : !pdl.value, !pdl.value) -> (%type0_0 : !pdl.type)
    %op0.r0 = pdl.result 0 of %op0
    %type1_0 = pdl.type
    %op1 = pdl.operation "aten.number" -> (%type1_0 : !pdl.type)
    %op1.r0 = pdl.result 0 of %op1
    %type2_0 = pdl.type
    %op2 = pdl.operation "aten.mul_tensor"(%op0.r0, %op1.r0 : !pdl.value, !pdl.value) -> (%type2_0 : !pdl.type)
    %op2.r0 = pdl.result 0 of %op2
    %type3_0 = pdl.type
    %op3 = pdl.operation "aten.u_to_copy"(%op2.r0 : !pdl.value) {"device" = %literal0, "dtype" = %literal1, "layout" = %literal0, "memory_format" = %literal0, "non_blocking" = %literal2, "pin_memory" = %literal0} -> (%type3_0 : !pdl.type)
    %op3.r0 = pdl.result 0 of %op3
    %type4_0 = pdl.type
    %op4 = pdl.operation "aten.u_softmax"(%op3.r0 : !pdl.value) {"dim" = %literal3, "half_to_float" = %literal2} -> (%type4_0 : !pdl.type)
    %op4.r0 = pdl.result 0 of %op4
    %type5_0 = pdl.type
    %op5 = pdl.operation "aten.u_to_copy"(%op4.r0 : !pdl.value) {"device" = %literal0, "dtype" = %literal4, "layout" = %literal0, "memory_format" = %literal0, "non_blocking" = %literal2, "pin_memory" = %literal0} -> (%type5_0 : !pdl.type)
    %op5.r0 = pdl.result 0 of %op5
    %type6_0 = pdl.type
    %op6 = pdl.operation "aten.matmul"(%op5.r0, %v : !pdl.value, !pdl.value) -> (%type6_0 : !pdl.type)
    %name = pdl.attribute = "attention_multiplied_unmasked_bfloat16"
    pdl.apply_native_constraint "collect"(%name, %q, %k, %v, %op0, %op1, %op2, %op3, %op4, %op5, %op6 : !pdl.attribute, !pdl.value, !pdl.value, !pdl.value, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation)
    pdl.rewrite %op6 with "replace"
  }
  func.func @replace(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}) -> !t3 {
    %0 = "aten.permute"(%arg1) {dims = [0, 1, 3, 2]} : (!t1) -> !t7
    %1 = "aten.scaled_dot_product_attention"(%arg0, %0, %arg2) {dropout_p = 0.000000e+00 : f64, enable_gqa = false, is_causal = false, scale = #aten.expr<"scale">} : (!t0, !t7, !t2) -> !t3
    return %1 : !t3
  }
}
// -----
!t0 = tensor<?x?x?x?xf16, #aten.layout<"cpu", [#aten.expr<"d0*d1*d2">, #aten.expr<"d1*d2">, #aten.expr<"d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d2">]>>
!t1 = tensor<?x?x?x?xf16, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, 1, #aten.expr<"d2">], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d2">, #aten.expr<"d4">]>>
!t2 = tensor<?x?x?x?xf16, #aten.layout<"cpu", [#aten.expr<"d0*d4*d5">, #aten.expr<"d4*d5">, #aten.expr<"d5">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d5">]>>
!t3 = tensor<?x?x?x?xf16, #aten.layout<"cpu", [#aten.expr<"d0*d1*d5">, #aten.expr<"d1*d5">, #aten.expr<"d5">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d5">]>>
!t4 = tensor<?x?x?x?xf16, #aten.layout<"cpu", [#aten.expr<"d0*d1*d4">, #aten.expr<"d1*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d4">]>>
!t5 = tensor<f64, #aten.layout<"cpu", [], 0 : i64, unit>>
!t6 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d4">, #aten.expr<"d1*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d4">]>>
!t7 = tensor<?x?x?x?xf16, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, #aten.expr<"d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d2">]>>
module @attention_multiplied_unmasked_float16 attributes {pattern.scalars = ["scale"]} {
  func.func @search(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}) -> !t3 {
    %0 = "aten.matmul"(%arg0, %arg1) : (!t0, !t1) -> !t4
    %1 = "aten.number"() {value = #aten.expr<"scale">} : () -> !t5
    %2 = "aten.mul_tensor"(%0, %1) : (!t4, !t5) -> !t4
    %3 = "aten.u_to_copy"(%2) {device = #aten.none, dtype = #aten.enum<"dtype", "float32">, layout = #aten.none, memory_format = #aten.none, non_blocking = false, pin_memory = #aten.none} : (!t4) -> !t6
    %4 = "aten.u_softmax"(%3) {dim = 3 : i64, half_to_float = false} : (!t6) -> !t6
    %5 = "aten.u_to_copy"(%4) {device = #aten.none, dtype = #aten.enum<"dtype", "float16">, layout = #aten.none, memory_format = #aten.none, non_blocking = false, pin_memory = #aten.none} : (!t6) -> !t4
    %6 = "aten.matmul"(%5, %arg2) : (!t4, !t2) -> !t3
    return %6 : !t3
  }
  pdl.pattern @attention_multiplied_unmasked_float16 : benefit(7) {
    %q = pdl.operand
    %k = pdl.operand
    %v = pdl.operand
    %literal0 = pdl.attribute = #aten.none
    %literal1 = pdl.attribute = #aten.enum<"dtype", "float32">
    %literal2 = pdl.attribute = false
    %literal3 = pdl.attribute = 3 : i64
    %literal4 = pdl.attribute = #aten.enum<"dtype", "float16">
    %type0_0 = pdl.type
    %op0 = pdl.operation "aten.matmul"(%q, %k : !pdl.value, !pdl.value) -> (%type0_0 : !pdl.type)
    %op0.r0 = pdl.result 0 of %op0
    %type1_0 = pdl.type
    %op1 = pdl.operation "aten.number" -> (%type1_0 : !pdl.type)
    %op1.r0 = pdl.result 0 of %op1
    %type2_0 = pdl.type
    %op2 = pdl.operation "aten.mul_tensor"(%op0.r0, %op1.r0 : !pdl.value, !pdl.value) -> (%type2_0 : !pdl.type)
    %op2.r0 = pdl.result 0 of %op2
    %type3_0 = pdl.type
    %op3 = pdl.operation "aten.u_to_copy"(%op2.r0 : !pdl.value) {"device" = %literal0, "dtype" = %literal1, "layout" = %literal0, "memory_format" = %literal0, "non_blocking" = %literal2, "pin_memory" = %literal0} -> (%type3_0 : !pdl.type)
    %op3.r0 = pdl.result 0 of %op3
    %type4_0 = pdl.type
    %op4 = pdl.operation "aten.u_softmax"(%op3.r0 : !pdl.value) {"dim" = %literal3, "half_to_float" = %literal2} -> (%type4_0 : !pdl.type)
    %op4.r0 = pdl.result 0 of %op4
    %type5_0 = pdl.type
    %op5 = pdl.operation "aten.u_to_copy"(%op4.r0 : !pdl.value) {"device" = %literal0, "dtype" = %literal4, "layout" = %literal0, "memory_format" = %literal0, "non_blocking" = %literal2, "pin_memory" = %literal0} -> (%type5_0 : !pdl.type)
    %op5.r0 = pdl.result 0 of %op5
    %type6_0 = pdl.type
    %op6 = pdl.operation "aten.matmul"(%op5.r0, %v : !pdl.value, !pdl.value) -> (%type6_0 : !pdl.type)
    %name = pdl.attribute = "attention_multiplied_unmasked_float16"
    pdl.apply_native_constraint "collect"(%name, %q, %k, %v, %op0, %op1, %op2, %op3, %op4, %op5, %op6 : !pdl.attribute, !pdl.value, !pdl.value, !pdl.value, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation)
    pdl.rewrite %op6 with "replace"
  }
  func.func @replace(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}) -> !t3 {
    %0 = "aten.permute"(%arg1) {dims = [0, 1, 3, 2]} : (!t1) -> !t7
    %1 = "aten.scaled_dot_product_attention"(%arg0, %0, %arg2) {dropout_p = 0.000000e+00 : f64, enable_gqa = false, is_causal = false, scale = #aten.expr<"scale">} : (!t0, !t7, !t2) -> !t3
    return %1 : !t3
  }
}
// -----
!t0 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d2">, #aten.expr<"d1*d2">, #aten.expr<"d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d2">]>>
!t1 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, 1, #aten.expr<"d2">], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d2">, #aten.expr<"d4">]>>
!t2 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d4*d5">, #aten.expr<"d4*d5">, #aten.expr<"d5">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d5">]>>
!t3 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d4">, #aten.expr<"d1*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d4">]>>
!t4 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d5">, #aten.expr<"d1*d5">, #aten.expr<"d5">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d5">]>>
!t5 = tensor<f64, #aten.layout<"cpu", [], 0 : i64, unit>>
!t6 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, #aten.expr<"d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d2">]>>
!t7 = tensor<?x?x?x1xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1">, #aten.expr<"d1">, 1, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, 1]>>
!t8 = tensor<?x?x?x1xi1, #aten.layout<"cpu", [#aten.expr<"d0*d1">, #aten.expr<"d1">, 1, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, 1]>>
!t9 = tensor<f32, #aten.layout<"cpu", [], 0 : i64, unit>>
module @attention_multiplied_added attributes {pattern.scalars = ["scale"]} {
  func.func @search(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}, %arg3: !t3 {aten.name = "mask", pattern.any_size}) -> !t4 {
    %0 = "aten.matmul"(%arg0, %arg1) : (!t0, !t1) -> !t3
    %1 = "aten.number"() {value = #aten.expr<"scale">} : () -> !t5
    %2 = "aten.mul_tensor"(%0, %1) : (!t3, !t5) -> !t3
    %3 = "aten.add_tensor"(%2, %arg3) {alpha = 1 : i64} : (!t3, !t3) -> !t3
    %4 = "aten.u_softmax"(%3) {dim = 3 : i64, half_to_float = false} : (!t3) -> !t3
    %5 = "aten.matmul"(%4, %arg2) : (!t3, !t2) -> !t4
    return %5 : !t4
  }
  pdl.pattern @attention_multiplied_added : benefit(6) {
    %q = pdl.operand
    %k = pdl.operand
    %v = pdl.operand
    %mask = pdl.operand
    %literal0 = pdl.attribute = 1 : i64
    %literal1 = pdl.attribute = 3 : i64
    %literal2 = pdl.attribute = false
    %type0_0 = pdl.type
    %op0 = pdl.operation "aten.matmul"(%q, %k : !pdl.value, !pdl.value) -> (%type0_0 : !pdl.type)
    %op0.r0 = pdl.result 0 of %op0
    %type1_0 = pdl.type
    %op1 = pdl.operation "aten.number" -> (%type1_0 : !pdl.type)
    %op1.r0 = pdl.result 0 of %op1
    %type2_0 = pdl.type
    %op2 = pdl.operation "aten.mul_tensor"(%op0.r0, %op1.r0 : !pdl.value, !pdl.value) -> (%type2_0 : !pdl.type)
    %op2.r0 = pdl.result 0 of %op2
    %type3_0 = pdl.type
    %op3 = pdl.operation "aten.add_tensor"(%op2.r0, %mask : !pdl.value, !pdl.value) {"alpha" = %literal0} -> (%type3_0 : !pdl.type)
    %op3.r0 = pdl.result 0 of %op3
    %type4_0 = pdl.type
    %op4 = pdl.operation "aten.u_softmax"(%op3.r0 : !pdl.value) {"dim" = %literal1, "half_to_float" = %literal2} -> (%type4_0 : !pdl.type)
    %op4.r0 = pdl.result 0 of %op4
    %type5_0 = pdl.type
    %op5 = pdl.operation "aten.matmul"(%op4.r0, %v : !pdl.value, !pdl.value) -> (%type5_0 : !pdl.type)
    %name = pdl.attribute = "attention_multiplied_added"
    pdl.apply_native_constraint "collect"(%name, %q, %k, %v, %mask, %op0, %op1, %op2, %op3, %op4, %op5 : !pdl.attribute, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation)
    pdl.rewrite %op5 with "replace"
  }
  pdl.pattern @attention_multiplied_added_1 : benefit(6) {
    %q = pdl.operand
    %k = pdl.operand
    %v = pdl.operand
    %mask = pdl.operand
    %literal0 = pdl.attribute = 1 : i64
    %literal1 = pdl.attribute = 3 : i64
    %literal2 = pdl.attribute = false
    %type0_0 = pdl.type
    %op0 = pdl.operation "aten.matmul"(%q, %k : !pdl.value, !pdl.value) -> (%type0_0 : !pdl.type)
    %op0.r0 = pdl.result 0 of %op0
    %type1_0 = pdl.type
    %op1 = pdl.operation "aten.number" -> (%type1_0 : !pdl.type)
    %op1.r0 = pdl.result 0 of %op1
    %type2_0 = pdl.type
    %op2 = pdl.operation "aten.mul_tensor"(%op0.r0, %op1.r0 : !pdl.value, !pdl.value) -> (%type2_0 : !pdl.type)
    %op2.r0 = pdl.result 0 of %op2
    %type3_0 = pdl.type
    %op3 = pdl.operation "aten.add_tensor"(%mask, %op2.r0 : !pdl.value, !pdl.value) {"alpha" = %literal0} -> (%type3_0 : !pdl.type)
    %op3.r0 = pdl.result 0 of %op3
    %type4_0 = pdl.type
    %op4 = pdl.operation "aten.u_softmax"(%op3.r0 : !pdl.value) {"dim" = %literal1, "half_to_float" = %literal2} -> (%type4_0 : !pdl.type)
    %op4.r0 = pdl.result 0 of %op4
    %type5_0 = pdl.type
    %op5 = pdl.operation "aten.matmul"(%op4.r0, %v : !pdl.value, !pdl.value) -> (%type5_0 : !pdl.type)
    %name = pdl.attribute = "attention_multiplied_added"
    pdl.apply_native_constraint "collect"(%name, %q, %k, %v, %mask, %op0, %op1, %op2, %op3, %op4, %op5 : !pdl.attribute, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation)
    pdl.rewrite %op5 with "replace"
  }
  func.func @replace(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}, %arg3: !t3 {aten.name = "mask"}) -> !t4 {
    %0 = "aten.permute"(%arg1) {dims = [0, 1, 3, 2]} : (!t1) -> !t6
    %1 = "aten.scaled_dot_product_attention"(%arg0, %0, %arg2, %arg3) {dropout_p = 0.000000e+00 : f64, enable_gqa = false, is_causal = false, scale = #aten.expr<"scale">} : (!t0, !t6, !t2, !t3) -> !t4
    %2 = "aten.amax"(%arg3) {dim = [3], keepdim = true} : (!t3) -> !t7
    %3 = "aten.eq_scalar"(%2) {other = 0xFFF0000000000000 : f64} : (!t7) -> !t8
    %4 = "aten.scalar_tensor"() {device = #aten.enum<"device", "cpu">, dtype = #aten.enum<"dtype", "float32">, layout = #aten.enum<"layout", "strided">, pin_memory = #aten.none, s = 0x7FF8000000000000 : f64} : () -> !t9
    %5 = "aten.where_self"(%3, %4, %1) : (!t8, !t9, !t4) -> !t4
    return %5 : !t4
  }
}
// -----
!t0 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d2">, #aten.expr<"d1*d2">, #aten.expr<"d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d2">]>>
!t1 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, 1, #aten.expr<"d2">], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d2">, #aten.expr<"d4">]>>
!t2 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d4*d5">, #aten.expr<"d4*d5">, #aten.expr<"d5">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d5">]>>
!t3 = tensor<?x?xf32, #aten.layout<"cpu", [#aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d1">, #aten.expr<"d4">]>>
!t4 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d5">, #aten.expr<"d1*d5">, #aten.expr<"d5">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d5">]>>
!t5 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d4">, #aten.expr<"d1*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d4">]>>
!t6 = tensor<f64, #aten.layout<"cpu", [], 0 : i64, unit>>
!t7 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, #aten.expr<"d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d2">]>>
!t8 = tensor<?x1xf32, #aten.layout<"cpu", [1, 1], 0 : i64, [#aten.expr<"d1">, 1]>>
!t9 = tensor<?x1xi1, #aten.layout<"cpu", [1, 1], 0 : i64, [#aten.expr<"d1">, 1]>>
!t10 = tensor<f32, #aten.layout<"cpu", [], 0 : i64, unit>>
module @attention_multiplied_added_of_rank_2 attributes {pattern.scalars = ["scale"]} {
  func.func @search(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}, %arg3: !t3 {aten.name = "mask", pattern.any_size}) -> !t4 {
    %0 = "aten.matmul"(%arg0, %arg1) : (!t0, !t1) -> !t5
    %1 = "aten.number"() {value = #aten.expr<"scale">} : () -> !t6
    %2 = "aten.mul_tensor"(%0, %1) : (!t5, !t6) -> !t5
    %3 = "aten.add_tensor"(%2, %arg3) {alpha = 1 : i64} : (!t5, !t3) -> !t5
    %4 = "aten.u_softmax"(%3) {dim = 3 : i64, half_to_float = false} : (!t5) -> !t5
    %5 = "aten.matmul"(%4, %arg2) : (!t5, !t2) -> !t4
    return %5 : !t4
  }
  pdl.pattern @attention_multiplied_added_of_rank_2 : benefit(6) {
    %q = pdl.operand
    %k = pdl.operand
    %v = pdl.operand
    %mask = pdl.operand
    %literal0 = pdl.attribute = 1 : i64
    %literal1 = pdl.attribute = 3 : i64
    %literal2 = pdl.attribute = false
    %type0_0 = pdl.type
    %op0 = pdl.operation "aten.matmul"(%q, %k : !pdl.value, !pdl.value) -> (%type0_0 : !pdl.type)
    %op0.r0 = pdl.result 0 of %op0
    %type1_0 = pdl.type
    %op1 = pdl.operation "aten.number" -> (%type1_0 : !pdl.type)
    %op1.r0 = pdl.result 0 of %op1
    %type2_0 = pdl.type
    %op2 = pdl.operation "aten.mul_tensor"(%op0.r0, %op1.r0 : !pdl.value, !pdl.value) -> (%type2_0 : !pdl.type)
    %op2.r0 = pdl.result 0 of %op2
    %type3_0 = pdl.type
    %op3 = pdl.operation "aten.add_tensor"(%op2.r0, %mask : !pdl.value, !pdl.value) {"alpha" = %literal0} -> (%type3_0 : !pdl.type)
    %op3.r0 = pdl.result 0 of %op3
    %type4_0 = pdl.type
    %op4 = pdl.operation "aten.u_softmax"(%op3.r0 : !pdl.value) {"dim" = %literal1, "half_to_float" = %literal2} -> (%type4_0 : !pdl.type)
    %op4.r0 = pdl.result 0 of %op4
    %type5_0 = pdl.type
    %op5 = pdl.operation "aten.matmul"(%op4.r0, %v : !pdl.value, !pdl.value) -> (%type5_0 : !pdl.type)
    %name = pdl.attribute = "attention_multiplied_added_of_rank_2"
    pdl.apply_native_constraint "collect"(%name, %q, %k, %v, %mask, %op0, %op1, %op2, %op3, %op4, %op5 : !pdl.attribute, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation)
    pdl.rewrite %op5 with "replace"
  }
  pdl.pattern @attention_multiplied_added_of_rank_2_1 : benefit(6) {
    %q = pdl.operand
    %k = pdl.operand
    %v = pdl.operand
    %mask = pdl.operand
    %literal0 = pdl.attribute = 1 : i64
    %literal1 = pdl.attribute = 3 : i64
    %literal2 = pdl.attribute = false
    %type0_0 = pdl.type
    %op0 = pdl.operation "aten.matmul"(%q, %k : !pdl.value, !pdl.value) -> (%type0_0 : !pdl.type)
    %op0.r0 = pdl.result 0 of %op0
    %type1_0 = pdl.type
    %op1 = pdl.operation "aten.number" -> (%type1_0 : !pdl.type)
    %op1.r0 = pdl.result 0 of %op1
    %type2_0 = pdl.type
    %op2 = pdl.operation "aten.mul_tensor"(%op0.r0, %op1.r0 : !pdl.value, !pdl.value) -> (%type2_0 : !pdl.type)
    %op2.r0 = pdl.result 0 of %op2
    %type3_0 = pdl.type
    %op3 = pdl.operation "aten.add_tensor"(%mask, %op2.r0 : !pdl.value, !pdl.value) {"alpha" = %literal0} -> (%type3_0 : !pdl.type)
    %op3.r0 = pdl.result 0 of %op3
    %type4_0 = pdl.type
    %op4 = pdl.operation "aten.u_softmax"(%op3.r0 : !pdl.value) {"dim" = %literal1, "half_to_float" = %literal2} -> (%type4_0 : !pdl.type)
    %op4.r0 = pdl.result 0 of %op4
    %type5_0 = pdl.type
    %op5 = pdl.operation "aten.matmul"(%op4.r0, %v : !pdl.value, !pdl.value) -> (%type5_0 : !pdl.type)
    %name = pdl.attribute = "attention_multiplied_added_of_rank_2"
    pdl.apply_native_constraint "collect"(%name, %q, %k, %v, %mask, %op0, %op1, %op2, %op3, %op4, %op5 : !pdl.attribute, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation)
    pdl.rewrite %op5 with "replace"
  }
  func.func @replace(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}, %arg3: !t3 {aten.name = "mask"}) -> !t4 {
    %0 = "aten.permute"(%arg1) {dims = [0, 1, 3, 2]} : (!t1) -> !t7
    %1 = "aten.scaled_dot_product_attention"(%arg0, %0, %arg2, %arg3) {dropout_p = 0.000000e+00 : f64, enable_gqa = false, is_causal = false, scale = #aten.expr<"scale">} : (!t0, !t7, !t2, !t3) -> !t4
    %2 = "aten.amax"(%arg3) {dim = [1], keepdim = true} : (!t3) -> !t8
    %3 = "aten.eq_scalar"(%2) {other = 0xFFF0000000000000 : f64} : (!t8) -> !t9
    %4 = "aten.scalar_tensor"() {device = #aten.enum<"device", "cpu">, dtype = #aten.enum<"dtype", "float32">, layout = #aten.enum<"layout", "strided">, pin_memory = #aten.none, s = 0x7FF8000000000000 : f64} : () -> !t10
    %5 = "aten.where_self"(%3, %4, %1) : (!t9, !t10, !t4) -> !t4
    return %5 : !t4
  }
}
// -----
!t0 = tensor<?x?x?x?xbf16, #aten.layout<"cpu", [#aten.expr<"d0*d1*d2">, #aten.expr<"d1*d2">, #aten.expr<"d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d2">]>>
!t1 = tensor<?x?x?x?xbf16, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, 1, #aten.expr<"d2">], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d2">, #aten.expr<"d4">]>>
!t2 = tensor<?x?x?x?xbf16, #aten.layout<"cpu", [#aten.expr<"d0*d4*d5">, #aten.expr<"d4*d5">, #aten.expr<"d5">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d5">]>>
!t3 = tensor<?x?x?x?xbf16, #aten.layout<"cpu", [#aten.expr<"d0*d1*d4">, #aten.expr<"d1*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d4">]>>
!t4 = tensor<?x?x?x?xbf16, #aten.layout<"cpu", [#aten.expr<"d0*d1*d5">, #aten.expr<"d1*d5">, #aten.expr<"d5">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d5">]>>
!t5 = tensor<f64, #aten.layout<"cpu", [], 0 : i64, unit>>
!t6 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d4">, #aten.expr<"d1*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d4">]>>
!t7 = tensor<?x?x?x?xbf16, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, #aten.expr<"d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d2">]>>
!t8 = tensor<?x?x?x1xbf16, #aten.layout<"cpu", [#aten.expr<"d0*d1">, #aten.expr<"d1">, 1, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, 1]>>
!t9 = tensor<?x?x?x1xi1, #aten.layout<"cpu", [#aten.expr<"d0*d1">, #aten.expr<"d1">, 1, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, 1]>>
!t10 = tensor<bf16, #aten.layout<"cpu", [], 0 : i64, unit>>
module @attention_multiplied_added_bfloat16 attributes {pattern.scalars = ["scale"]} {
  func.func @search(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}, %arg3: !t3 {aten.name = "mask", pattern.any_size}) -> !t4 {
    %0 = "aten.matmul"(%arg0, %arg1) : (!t0, !t1) -> !t3
    %1 = "aten.number"() {value = #aten.expr<"scale">} : () -> !t5
    %2 = "aten.mul_tensor"(%0, %1) : (!t3, !t5) -> !t3
    %3 = "aten.add_tensor"(%2, %arg3) {alpha = 1 : i64} : (!t3, !t3) -> !t3
    %4 = "aten.u_to_copy"(%3) {device = #aten.none, dtype = #aten.enum<"dtype", "float32">, layout = #aten.none, memory_format = #aten.none, non_blocking = false, pin_memory = #aten.none} : (!t3) -> !t6
    %5 = "aten.u_softmax"(%4) {dim = 3 : i64, half_to_float = false} : (!t6) -> !t6
    %6 = "aten.u_to_copy"(%5) {device = #aten.none, dtype = #aten.enum<"dtype", "bfloat16">, layout = #aten.none, memory_format = #aten.none, non_blocking = false, pin_memory = #aten.none} : (!t6) -> !t3
    %7 = "aten.matmul"(%6, %arg2) : (!t3, !t2) -> !t4
    return %7 : !t4
  }
  pdl.pattern @attention_multiplied_added_bfloat16 : benefit(8) {
    %q = pdl.operand
    %k = pdl.operand
    %v = pdl.operand
    %mask = pdl.operand
    %literal0 = pdl.attribute = 1 : i64
    %literal1 = pdl.attribute = #aten.none
    %literal2 = pdl.attribute = #aten.enum<"dtype", "float32">
    %literal3 = pdl.attribute = false
    %literal4 = pdl.attribute = 3 : i64
    %literal5 = pdl.attribute = #aten.enum<"dtype", "bfloat16">
    %type0_0 = pdl.type
    %op0 = pdl.operation "aten.matmul"(%q, %k : !pdl.value, !pdl.value) -> (%type0_0 : !pdl.type)
    %op0.r0 = pdl.result 0 of %op0
    %type1_0 = pdl.type
    %op1 = pdl.operation "aten.number" -> (%type1_0 : !pdl.type)
    %op1.r0 = pdl.result 0 of %op1
    %type2_0 = pdl.type
    %op2 = pdl.operation "aten.mul_tensor"(%op0.r0, %op1.r0 : !pdl.value, !pdl.value) -> (%type2_0 : !pdl.type)
    %op2.r0 = pdl.result 0 of %op2
    %type3_0 = pdl.type
    %op3 = pdl.operation "aten.add_tensor"(%op2.r0, %mask : !pdl.value, !pdl.value) {"alpha" = %literal0} -> (%type3_0 : !pdl.type)
    %op3.r0 = pdl.result 0 of %op3
    %type4_0 = pdl.type
    %op4 = pdl.operation "aten.u_to_copy"(%op3.r0 : !pdl.value) {"device" = %literal1, "dtype" = %literal2, "layout" = %literal1, "memory_format" = %literal1, "non_blocking" = %literal3, "pin_memory" = %literal1} -> (%type4_0 : !pdl.type)
    %op4.r0 = pdl.result 0 of %op4
    %type5_0 = pdl.type
    %op5 = pdl.operation "aten.u_softmax"(%op4.r0 : !pdl.value) {"dim" = %literal4, "half_to_float" = %literal3} -> (%type5_0 : !pdl.type)
    %op5.r0 = pdl.result 0 of %op5
    %type6_0 = pdl.type
    %op6 = pdl.operation "aten.u_to_copy"(%op5.r0 : !pdl.value) {"device" = %literal1, "dtype" = %literal5, "layout" = %literal1, "memory_format" = %literal1, "non_blocking" = %literal3, "pin_memory" = %literal1} -> (%type6_0 : !pdl.type)
    %op6.r0 = pdl.result 0 of %op6
    %type7_0 = pdl.type
    %op7 = pdl.operation "aten.matmul"(%op6.r0, %v : !pdl.value, !pdl.value) -> (%type7_0 : !pdl.type)
    %name = pdl.attribute = "attention_multiplied_added_bfloat16"
    pdl.apply_native_constraint "collect"(%name, %q, %k, %v, %mask, %op0, %op1, %op2, %op3, %op4, %op5, %op6, %op7 : !pdl.attribute, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation)
    pdl.rewrite %op7 with "replace"
  }
  pdl.pattern @attention_multiplied_added_bfloat16_1 : benefit(8) {
    %q = pdl.operand
    %k = pdl.operand
    %v = pdl.operand
    %mask = pdl.operand
    %literal0 = pdl.attribute = 1 : i64
    %literal1 = pdl.attribute = #aten.none
    %literal2 = pdl.attribute = #aten.enum<"dtype", "float32">
    %literal3 = pdl.attribute = false
    %literal4 = pdl.attribute = 3 : i64
    %literal5 = pdl.attribute = #aten.enum<"dtype", "bfloat16">
    %type0_0 = pdl.type
    %op0 = pdl.operation "aten.matmul"(%q, %k : !pdl.value, !pdl.value) -> (%type0_0 : !pdl.type)
    %op0.r0 = pdl.result 0 of %op0
    %type1_0 = pdl.type
    %op1 = pdl.operation "aten.number" -> (%type1_0 : !pdl.type)
    %op1.r0 = pdl.result 0 of %op1
    %type2_0 = pdl.type
    %op2 = pdl.operation "aten.mul_tensor"(%op0.r0, %op1.r0 : !pdl.value, !pdl.value) -> (%type2_0 : !pdl.type)
    %op2.r0 = pdl.result 0 of %op2
    %type3_0 = pdl.type
    %op3 = pdl.operation "aten.add_tensor"(%mask, %op2.r0 : !pdl.value, !pdl.value) {"alpha" = %literal0} -> (%type3_0 : !pdl.type)
    %op3.r0 = pdl.result 0 of %op3
    %type4_0 = pdl.type
    %op4 = pdl.operation "aten.u_to_copy"(%op3.r0 : !pdl.value) {"device" = %literal1, "dtype" = %literal2, "layout" = %literal1, "memory_format" = %literal1, "non_blocking" = %literal3, "pin_memory" = %literal1} -> (%type4_0 : !pdl.type)
    %op4.r0 = pdl.result 0 of %op4
    %type5_0 = pdl.type
    %op5 = pdl.operation "aten.u_softmax"(%op4.r0 : !pdl.value) {"dim" = %literal4, "half_to_float" = %literal3} -> (%type5_0 : !pdl.type)
    %op5.r0 = pdl.result 0 of %op5
    %type6_0 = pdl.type
    %op6 = pdl.operation "aten.u_to_copy"(%op5.r0 : !pdl.value) {"device" = %literal1, "dtype" = %literal5, "layout" = %literal1, "memory_format" = %literal1, "non_blocking" = %literal3, "pin_memory" = %literal1} -> (%type6_0 : !pdl.type)
    %op6.r0 = pdl.result 0 of %op6
    %type7_0 = pdl.type
    %op7 = pdl.operation "aten.matmul"(%op6.r0, %v : !pdl.value, !pdl.value) -> (%type7_0 : !pdl.type)
    %name = pdl.attribute = "attention_multiplied_added_bfloat16"
    pdl.apply_native_constraint "collect"(%name, %q, %k, %v, %mask, %op0, %op1, %op2, %op3, %op4, %op5, %op6, %op7 : !pdl.attribute, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation)
    pdl.rewrite %op7 with "replace"
  }
  func.func @replace(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}, %arg3: !t3 {aten.name = "mask"}) -> !t4 {
    %0 = "aten.permute"(%arg1) {dims = [0, 1, 3, 2]} : (!t1) -> !t7
    %1 = "aten.scaled_dot_product_attention"(%arg0, %0, %arg2, %arg3) {dropout_p = 0.000000e+00 : f64, enable_gqa = false, is_causal = false, scale = #aten.expr<"scale">} : (!t0, !t7, !t2, !t3) -> !t4
    %2 = "aten.amax"(%arg3) {dim = [3], keepdim = true} : (!t3) -> !t8
    %3 = "aten.eq_scalar"(%2) {other = 0xFFF0000000000000 : f64} : (!t8) -> !t9
    %4 = "aten.scalar_tensor"() {device = #aten.enum<"device", "cpu">, dtype = #aten.enum<"dtype", "bfloat16">, layout = #aten.enum<"layout", "strided">, pin_memory = #aten.none, s = 0x7FF8000000000000 : f64} : () -> !t10
    %5 = "aten.where_self"(%3, %4, %1) : (!t9, !t10, !t4) -> !t4
    return %5 : !t4
  }
}
// -----
!t0 = tensor<?x?x?x?xf16, #aten.layout<"cpu", [#aten.expr<"d0*d1*d2">, #aten.expr<"d1*d2">, #aten.expr<"d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d2">]>>
!t1 = tensor<?x?x?x?xf16, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, 1, #aten.expr<"d2">], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d2">, #aten.expr<"d4">]>>
!t2 = tensor<?x?x?x?xf16, #aten.layout<"cpu", [#aten.expr<"d0*d4*d5">, #aten.expr<"d4*d5">, #aten.expr<"d5">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d5">]>>
!t3 = tensor<?x?x?x?xf16, #aten.layout<"cpu", [#aten.expr<"d0*d1*d4">, #aten.expr<"d1*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d4">]>>
!t4 = tensor<?x?x?x?xf16, #aten.layout<"cpu", [#aten.expr<"d0*d1*d5">, #aten.expr<"d1*d5">, #aten.expr<"d5">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d5">]>>
!t5 = tensor<f64, #aten.layout<"cpu", [], 0 : i64, unit>>
!t6 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d4">, #aten.expr<"d1*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d4">]>>
!t7 = tensor<?x?x?x?xf16, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, #aten.expr<"d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d2">]>>
!t8 = tensor<?x?x?x1xf16, #aten.layout<"cpu", [#aten.expr<"d0*d1">, #aten.expr<"d1">, 1, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, 1]>>
!t9 = tensor<?x?x?x1xi1, #aten.layout<"cpu", [#aten.expr<"d0*d1">, #aten.expr<"d1">, 1, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, 1]>>
!t10 = tensor<f16, #aten.layout<"cpu", [], 0 : i64, unit>>
module @attention_multiplied_added_float16 attributes {pattern.scalars = ["scale"]} {
  func.func @search(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}, %arg3: !t3 {aten.name = "mask", pattern.any_size}) -> !t4 {
    %0 = "aten.matmul"(%arg0, %arg1) : (!t0, !t1) -> !t3
    %1 = "aten.number"() {value = #aten.expr<"scale">} : () -> !t5
    %2 = "aten.mul_tensor"(%0, %1) : (!t3, !t5) -> !t3
    %3 = "aten.add_tensor"(%2, %arg3) {alpha = 1 : i64} : (!t3, !t3) -> !t3
    %4 = "aten.u_to_copy"(%3) {device = #aten.none, dtype = #aten.enum<"dtype", "float32">, layout = #aten.none, memory_format = #aten.none, non_blocking = false, pin_memory = #aten.none} : (!t3) -> !t6
    %5 = "aten.u_softmax"(%4) {dim = 3 : i64, half_to_float = false} : (!t6) -> !t6
    %6 = "aten.u_to_copy"(%5) {device = #aten.none, dtype = #aten.enum<"dtype", "float16">, layout = #aten.none, memory_format = #aten.none, non_blocking = false, pin_memory = #aten.none} : (!t6) -> !t3
    %7 = "aten.matmul"(%6, %arg2) : (!t3, !t2) -> !t4
    return %7 : !t4
  }
  pdl.pattern @attention_multiplied_added_float16 : benefit(8) {
    %q = pdl.operand
    %k = pdl.operand
    %v = pdl.operand
    %mask = pdl.operand
    %literal0 = pdl.attribute = 1 : i64
    %literal1 = pdl.attribute = #aten.none
    %literal2 = pdl.attribute = #aten.enum<"dtype", "float32">
    %literal3 = pdl.attribute = false
    %literal4 = pdl.attribute = 3 : i64
    %literal5 = pdl.attribute = #aten.enum<"dtype", "float16">
    %type0_0 = pdl.type
    %op0 = pdl.operation "aten.matmul"(%q, %k : !pdl.value, !pdl.value) -> (%type0_0 : !pdl.type)
    %op0.r0 = pdl.result 0 of %op0
    %type1_0 = pdl.type
    %op1 = pdl.operation "aten.number" -> (%type1_0 : !pdl.type)
    %op1.r0 = pdl.result 0 of %op1
    %type2_0 = pdl.type
    %op2 = pdl.operation "aten.mul_tensor"(%op0.r0, %op1.r0 : !pdl.value, !pdl.value) -> (%type2_0 : !pdl.type)
    %op2.r0 = pdl.result 0 of %op2
    %type3_0 = pdl.type
    %op3 = pdl.operation "aten.add_tensor"(%op2.r0, %mask : !pdl.value, !pdl.value) {"alpha" = %literal0} -> (%type3_0 : !pdl.type)
    %op3.r0 = pdl.result 0 of %op3
    %type4_0 = pdl.type
    %op4 = pdl.operation "aten.u_to_copy"(%op3.r0 : !pdl.value) {"device" = %literal1, "dtype" = %literal2, "layout" = %literal1, "memory_format" = %literal1, "non_blocking" = %literal3, "pin_memory" = %literal1} -> (%type4_0 : !pdl.type)
    %op4.r0 = pdl.result 0 of %op4
    %type5_0 = pdl.type
    %op5 = pdl.operation "aten.u_softmax"(%op4.r0 : !pdl.value) {"dim" = %literal4, "half_to_float" = %literal3} -> (%type5_0 : !pdl.type)
    %op5.r0 = pdl.result 0 of %op5
    %type6_0 = pdl.type
    %op6 = pdl.operation "aten.u_to_copy"(%op5.r0 : !pdl.value) {"device" = %literal1, "dtype" = %literal5, "layout" = %literal1, "memory_format" = %literal1, "non_blocking" = %literal3, "pin_memory" = %literal1} -> (%type6_0 : !pdl.type)
    %op6.r0 = pdl.result 0 of %op6
    %type7_0 = pdl.type
    %op7 = pdl.operation "aten.matmul"(%op6.r0, %v : !pdl.value, !pdl.value) -> (%type7_0 : !pdl.type)
    %name = pdl.attribute = "attention_multiplied_added_float16"
    pdl.apply_native_constraint "collect"(%name, %q, %k, %v, %mask, %op0, %op1, %op2, %op3, %op4, %op5, %op6, %op7 : !pdl.attribute, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation)
    pdl.rewrite %op7 with "replace"
  }
  pdl.pattern @attention_multiplied_added_float16_1 : benefit(8) {
    %q = pdl.operand
    %k = pdl.operand
    %v = pdl.operand
    %mask = pdl.operand
    %literal0 = pdl.attribute = 1 : i64
    %literal1 = pdl.attribute = #aten.none
    %literal2 = pdl.attribute = #aten.enum<"dtype", "float32">
    %literal3 = pdl.attribute = false
    %literal4 = pdl.attribute = 3 : i64
    %literal5 = pdl.attribute = #aten.enum<"dtype", "float16">
    %type0_0 = pdl.type
    %op0 = pdl.operation "aten.matmul"(%q, %k : !pdl.value, !pdl.value) -> (%type0_0 : !pdl.type)
    %op0.r0 = pdl.result 0 of %op0
    %type1_0 = pdl.type
    %op1 = pdl.operation "aten.number" -> (%type1_0 : !pdl.type)
    %op1.r0 = pdl.result 0 of %op1
    %type2_0 = pdl.type
    %op2 = pdl.operation "aten.mul_tensor"(%op0.r0, %op1.r0 : !pdl.value, !pdl.value) -> (%type2_0 : !pdl.type)
    %op2.r0 = pdl.result 0 of %op2
    %type3_0 = pdl.type
    %op3 = pdl.operation "aten.add_tensor"(%mask, %op2.r0 : !pdl.value, !pdl.value) {"alpha" = %literal0} -> (%type3_0 : !pdl.type)
    %op3.r0 = pdl.result 0 of %op3
    %type4_0 = pdl.type
    %op4 = pdl.operation "aten.u_to_copy"(%op3.r0 : !pdl.value) {"device" = %literal1, "dtype" = %literal2, "layout" = %literal1, "memory_format" = %literal1, "non_blocking" = %literal3, "pin_memory" = %literal1} -> (%type4_0 : !pdl.type)
    %op4.r0 = pdl.result 0 of %op4
    %type5_0 = pdl.type
    %op5 = pdl.operation "aten.u_softmax"(%op4.r0 : !pdl.value) {"dim" = %literal4, "half_to_float" = %literal3} -> (%type5_0 : !pdl.type)
    %op5.r0 = pdl.result 0 of %op5
    %type6_0 = pdl.type
    %op6 = pdl.operation "aten.u_to_copy"(%op5.r0 : !pdl.value) {"device" = %literal1, "dtype" = %literal5, "layout" = %literal1, "memory_format" = %literal1, "non_blocking" = %literal3, "pin_memory" = %literal1} -> (%type6_0 : !pdl.type)
    %op6.r0 = pdl.result 0 of %op6
    %type7_0 = pdl.type
    %op7 = pdl.operation "aten.matmul"(%op6.r0, %v : !pdl.value, !pdl.value) -> (%type7_0 : !pdl.type)
    %name = pdl.attribute = "attention_multiplied_added_float16"
    pdl.apply_native_constraint "collect"(%name, %q, %k, %v, %mask, %op0, %op1, %op2, %op3, %op4, %op5, %op6, %op7 : !pdl.attribute, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation)
    pdl.rewrite %op7 with "replace"
  }
  func.func @replace(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}, %arg3: !t3 {aten.name = "mask"}) -> !t4 {
    %0 = "aten.permute"(%arg1) {dims = [0, 1, 3, 2]} : (!t1) -> !t7
    %1 = "aten.scaled_dot_product_attention"(%arg0, %0, %arg2, %arg3) {dropout_p = 0.000000e+00 : f64, enable_gqa = false, is_causal = false, scale = #aten.expr<"scale">} : (!t0, !t7, !t2, !t3) -> !t4
    %2 = "aten.amax"(%arg3) {dim = [3], keepdim = true} : (!t3) -> !t8
    %3 = "aten.eq_scalar"(%2) {other = 0xFFF0000000000000 : f64} : (!t8) -> !t9
    %4 = "aten.scalar_tensor"() {device = #aten.enum<"device", "cpu">, dtype = #aten.enum<"dtype", "float16">, layout = #aten.enum<"layout", "strided">, pin_memory = #aten.none, s = 0x7FF8000000000000 : f64} : () -> !t10
    %5 = "aten.where_self"(%3, %4, %1) : (!t9, !t10, !t4) -> !t4
    return %5 : !t4
  }
}
// -----
!t0 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d2">, #aten.expr<"d1*d2">, #aten.expr<"d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d2">]>>
!t1 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, 1, #aten.expr<"d2">], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d2">, #aten.expr<"d4">]>>
!t2 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d4*d5">, #aten.expr<"d4*d5">, #aten.expr<"d5">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d5">]>>
!t3 = tensor<?x?x?x?xi1, #aten.layout<"cpu", [#aten.expr<"d0*d1*d4">, #aten.expr<"d1*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d4">]>>
!t4 = tensor<f32, #aten.layout<"cpu", [], 0 : i64, unit>>
!t5 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d5">, #aten.expr<"d1*d5">, #aten.expr<"d5">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d5">]>>
!t6 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d4">, #aten.expr<"d1*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d4">]>>
!t7 = tensor<f64, #aten.layout<"cpu", [], 0 : i64, unit>>
!t8 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, #aten.expr<"d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d2">]>>
!t9 = tensor<?x?x?x1xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1">, #aten.expr<"d1">, 1, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, 1]>>
!t10 = tensor<?x?x?x1xi1, #aten.layout<"cpu", [#aten.expr<"d0*d1">, #aten.expr<"d1">, 1, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, 1]>>
module @attention_multiplied_kept attributes {pattern.scalars = ["scale"]} {
  func.func @search(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}, %arg3: !t3 {aten.name = "mask", pattern.any_size}, %arg4: !t4 {aten.name = "fill"}) -> !t5 {
    %0 = "aten.matmul"(%arg0, %arg1) : (!t0, !t1) -> !t6
    %1 = "aten.number"() {value = #aten.expr<"scale">} : () -> !t7
    %2 = "aten.mul_tensor"(%0, %1) : (!t6, !t7) -> !t6
    %3 = "aten.where_self"(%arg3, %2, %arg4) : (!t3, !t6, !t4) -> !t6
    %4 = "aten.u_softmax"(%3) {dim = 3 : i64, half_to_float = false} : (!t6) -> !t6
    %5 = "aten.matmul"(%4, %arg2) : (!t6, !t2) -> !t5
    return %5 : !t5
  }
  pdl.pattern @attention_multiplied_kept : benefit(6) {
    %q = pdl.operand
    %k = pdl.operand
    %v = pdl.operand
    %mask = pdl.operand
    %fill = pdl.operand
    %literal0 = pdl.attribute = 3 : i64
    %literal1 = pdl.attribute = false
    %type0_0 = pdl.type
    %op0 = pdl.operation "aten.matmul"(%q, %k : !pdl.value, !pdl.value) -> (%type0_0 : !pdl.type)
    %op0.r0 = pdl.result 0 of %op0
    %type1_0 = pdl.type
    %op1 = pdl.operation "aten.number" -> (%type1_0 : !pdl.type)
    %op1.r0 = pdl.result 0 of %op1
    %type2_0 = pdl.type
    %op2 = pdl.operation "aten.mul_tensor"(%op0.r0, %op1.r0 : !pdl.value, !pdl.value) -> (%type2_0 : !pdl.type)
    %op2.r0 = pdl.result 0 of %op2
    %type3_0 = pdl.type
    %op3 = pdl.operation "aten.where_self"(%mask, %op2.r0, %fill : !pdl.value, !pdl.value, !pdl.value) -> (%type3_0 : !pdl.type)
    %op3.r0 = pdl.result 0 of %op3
    %type4_0 = pdl.type
    %op4 = pdl.operation "aten.u_softmax"(%op3.r0 : !pdl.value) {"dim" = %literal0, "half_to_float" = %literal1} -> (%type4_0 : !pdl.type)
    %op4.r0 = pdl.result 0 of %op4
    %type5_0 = pdl.type
    %op5 = pdl.operation "aten.matmul"(%op4.r0, %v : !pdl.value, !pdl.value) -> (%type5_0 : !pdl.type)
    %name = pdl.attribute = "attention_multiplied_kept"
    pdl.apply_native_constraint "collect"(%name, %q, %k, %v, %mask, %fill, %op0, %op1, %op2, %op3, %op4, %op5 : !pdl.attribute, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation)
    pdl.rewrite %op5 with "replace"
  }
  func.func @replace(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}, %arg3: !t3 {aten.name = "mask"}, %arg4: !t4 {aten.name = "fill"}) -> !t5 {
    %0 = "aten.zeros"() {device = #aten.enum<"device", "cpu">, dtype = #aten.enum<"dtype", "float32">, layout = #aten.none, pin_memory = false, size = []} : () -> !t4
    %1 = "aten.where_self"(%arg3, %0, %arg4) : (!t3, !t4, !t4) -> !t6
    %2 = "aten.permute"(%arg1) {dims = [0, 1, 3, 2]} : (!t1) -> !t8
    %3 = "aten.scaled_dot_product_attention"(%arg0, %2, %arg2, %1) {dropout_p = 0.000000e+00 : f64, enable_gqa = false, is_causal = false, scale = #aten.expr<"scale">} : (!t0, !t8, !t2, !t6) -> !t5
    %4 = "aten.amax"(%1) {dim = [3], keepdim = true} : (!t6) -> !t9
    %5 = "aten.eq_scalar"(%4) {other = 0xFFF0000000000000 : f64} : (!t9) -> !t10
    %6 = "aten.scalar_tensor"() {device = #aten.enum<"device", "cpu">, dtype = #aten.enum<"dtype", "float32">, layout = #aten.enum<"layout", "strided">, pin_memory = #aten.none, s = 0x7FF8000000000000 : f64} : () -> !t4
    %7 = "aten.where_self"(%5, %6, %3) : (!t10, !t4, !t5) -> !t5
    return %7 : !t5
  }
}
// -----
!t0 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d2">, #aten.expr<"d1*d2">, #aten.expr<"d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d2">]>>
!t1 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, 1, #aten.expr<"d2">], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d2">, #aten.expr<"d4">]>>
!t2 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d4*d5">, #aten.expr<"d4*d5">, #aten.expr<"d5">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d5">]>>
!t3 = tensor<?x?xi1, #aten.layout<"cpu", [#aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d1">, #aten.expr<"d4">]>>
!t4 = tensor<f32, #aten.layout<"cpu", [], 0 : i64, unit>>
!t5 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d5">, #aten.expr<"d1*d5">, #aten.expr<"d5">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d5">]>>
!t6 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d4">, #aten.expr<"d1*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d4">]>>
!t7 = tensor<f64, #aten.layout<"cpu", [], 0 : i64, unit>>
!t8 = tensor<?x?xf32, #aten.layout<"cpu", [#aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d1">, #aten.expr<"d4">]>>
!t9 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, #aten.expr<"d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d2">]>>
!t10 = tensor<?x1xf32, #aten.layout<"cpu", [1, 1], 0 : i64, [#aten.expr<"d1">, 1]>>
!t11 = tensor<?x1xi1, #aten.layout<"cpu", [1, 1], 0 : i64, [#aten.expr<"d1">, 1]>>
module @attention_multiplied_kept_of_rank_2 attributes {pattern.scalars = ["scale"]} {
  func.func @search(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}, %arg3: !t3 {aten.name = "mask", pattern.any_size}, %arg4: !t4 {aten.name = "fill"}) -> !t5 {
    %0 = "aten.matmul"(%arg0, %arg1) : (!t0, !t1) -> !t6
    %1 = "aten.number"() {value = #aten.expr<"scale">} : () -> !t7
    %2 = "aten.mul_tensor"(%0, %1) : (!t6, !t7) -> !t6
    %3 = "aten.where_self"(%arg3, %2, %arg4) : (!t3, !t6, !t4) -> !t6
    %4 = "aten.u_softmax"(%3) {dim = 3 : i64, half_to_float = false} : (!t6) -> !t6
    %5 = "aten.matmul"(%4, %arg2) : (!t6, !t2) -> !t5
    return %5 : !t5
  }
  pdl.pattern @attention_multiplied_kept_of_rank_2 : benefit(6) {
    %q = pdl.operand
    %k = pdl.operand
    %v = pdl.operand
    %mask = pdl.operand
    %fill = pdl.operand
    %literal0 = pdl.attribute = 3 : i64
    %literal1 = pdl.attribute = false
    %type0_0 = pdl.type
    %op0 = pdl.operation "aten.matmul"(%q, %k : !pdl.value, !pdl.value) -> (%type0_0 : !pdl.type)
    %op0.r0 = pdl.result 0 of %op0
    %type1_0 = pdl.type
    %op1 = pdl.operation "aten.number" -> (%type1_0 : !pdl.type)
    %op1.r0 = pdl.result 0 of %op1
    %type2_0 = pdl.type
    %op2 = pdl.operation "aten.mul_tensor"(%op0.r0, %op1.r0 : !pdl.value, !pdl.value) -> (%type2_0 : !pdl.type)
    %op2.r0 = pdl.result 0 of %op2
    %type3_0 = pdl.type
    %op3 = pdl.operation "aten.where_self"(%mask, %op2.r0, %fill : !pdl.value, !pdl.value, !pdl.value) -> (%type3_0 : !pdl.type)
    %op3.r0 = pdl.result 0 of %op3
    %type4_0 = pdl.type
    %op4 = pdl.operation "aten.u_softmax"(%op3.r0 : !pdl.value) {"dim" = %literal0, "half_to_float" = %literal1} -> (%type4_0 : !pdl.type)
    %op4.r0 = pdl.result 0 of %op4
    %type5_0 = pdl.type
    %op5 = pdl.operation "aten.matmul"(%op4.r0, %v : !pdl.value, !pdl.value) -> (%type5_0 : !pdl.type)
    %name = pdl.attribute = "attention_multiplied_kept_of_rank_2"
    pdl.apply_native_constraint "collect"(%name, %q, %k, %v, %mask, %fill, %op0, %op1, %op2, %op3, %op4, %op5 : !pdl.attribute, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation)
    pdl.rewrite %op5 with "replace"
  }
  func.func @replace(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}, %arg3: !t3 {aten.name = "mask"}, %arg4: !t4 {aten.name = "fill"}) -> !t5 {
    %0 = "aten.zeros"() {device = #aten.enum<"device", "cpu">, dtype = #aten.enum<"dtype", "float32">, layout = #aten.none, pin_memory = false, size = []} : () -> !t4
    %1 = "aten.where_self"(%arg3, %0, %arg4) : (!t3, !t4, !t4) -> !t8
    %2 = "aten.permute"(%arg1) {dims = [0, 1, 3, 2]} : (!t1) -> !t9
    %3 = "aten.scaled_dot_product_attention"(%arg0, %2, %arg2, %1) {dropout_p = 0.000000e+00 : f64, enable_gqa = false, is_causal = false, scale = #aten.expr<"scale">} : (!t0, !t9, !t2, !t8) -> !t5
    %4 = "aten.amax"(%1) {dim = [1], keepdim = true} : (!t8) -> !t10
    %5 = "aten.eq_scalar"(%4) {other = 0xFFF0000000000000 : f64} : (!t10) -> !t11
    %6 = "aten.scalar_tensor"() {device = #aten.enum<"device", "cpu">, dtype = #aten.enum<"dtype", "float32">, layout = #aten.enum<"layout", "strided">, pin_memory = #aten.none, s = 0x7FF8000000000000 : f64} : () -> !t4
    %7 = "aten.where_self"(%5, %6, %3) : (!t11, !t4, !t5) -> !t5
    return %7 : !t5
  }
}
// -----
!t0 = tensor<?x?x?x?xbf16, #aten.layout<"cpu", [#aten.expr<"d0*d1*d2">, #aten.expr<"d1*d2">, #aten.expr<"d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d2">]>>
!t1 = tensor<?x?x?x?xbf16, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, 1, #aten.expr<"d2">], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d2">, #aten.expr<"d4">]>>
!t2 = tensor<?x?x?x?xbf16, #aten.layout<"cpu", [#aten.expr<"d0*d4*d5">, #aten.expr<"d4*d5">, #aten.expr<"d5">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d5">]>>
!t3 = tensor<?x?x?x?xi1, #aten.layout<"cpu", [#aten.expr<"d0*d1*d4">, #aten.expr<"d1*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d4">]>>
!t4 = tensor<bf16, #aten.layout<"cpu", [], 0 : i64, unit>>
!t5 = tensor<?x?x?x?xbf16, #aten.layout<"cpu", [#aten.expr<"d0*d1*d5">, #aten.expr<"d1*d5">, #aten.expr<"d5">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d5">]>>
!t6 = tensor<?x?x?x?xbf16, #aten.layout<"cpu", [#aten.expr<"d0*d1*d4">, #aten.expr<"d1*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d4">]>>
!t7 = tensor<f64, #aten.layout<"cpu", [], 0 : i64, unit>>
!t8 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d4">, #aten.expr<"d1*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d4">]>>
!t9 = tensor<?x?x?x?xbf16, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, #aten.expr<"d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d2">]>>
!t10 = tensor<?x?x?x1xbf16, #aten.layout<"cpu", [#aten.expr<"d0*d1">, #aten.expr<"d1">, 1, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, 1]>>
!t11 = tensor<?x?x?x1xi1, #aten.layout<"cpu", [#aten.expr<"d0*d1">, #aten.expr<"d1">, 1, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, 1]>>
module @attention_multiplied_kept_bfloat16 attributes {pattern.scalars = ["scale"]} {
  func.func @search(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}, %arg3: !t3 {aten.name = "mask", pattern.any_size}, %arg4: !t4 {aten.name = "fill"}) -> !t5 {
    %0 = "aten.matmul"(%arg0, %arg1) : (!t0, !t1) -> !t6
    %1 = "aten.number"() {value = #aten.expr<"scale">} : () -> !t7
    %2 = "aten.mul_tensor"(%0, %1) : (!t6, !t7) -> !t6
    %3 = "aten.where_self"(%arg3, %2, %arg4) : (!t3, !t6, !t4) -> !t6
    %4 = "aten.u_to_copy"(%3) {device = #aten.none, dtype = #aten.enum<"dtype", "float32">, layout = #aten.none, memory_format = #aten.none, non_blocking = false, pin_memory = #aten.none} : (!t6) -> !t8
    %5 = "aten.u_softmax"(%4) {dim = 3 : i64, half_to_float = false} : (!t8) -> !t8
    %6 = "aten.u_to_copy"(%5) {device = #aten.none, dtype = #aten.enum<"dtype", "bfloat16">, layout = #aten.none, memory_format = #aten.none, non_blocking = false, pin_memory = #aten.none} : (!t8) -> !t6
    %7 = "aten.matmul"(%6, %arg2) : (!t6, !t2) -> !t5
    return %7 : !t5
  }
  pdl.pattern @attention_multiplied_kept_bfloat16 : benefit(8) {
    %q = pdl.operand
    %k = pdl.operand
    %v = pdl.operand
    %mask = pdl.operand
    %fill = pdl.operand
    %literal0 = pdl.attribute = #aten.none
    %literal1 = pdl.attribute = #aten.enum<"dtype", "float32">
    %literal2 = pdl.attribute = false
    %literal3 = pdl.attribute = 3 : i64
    %literal4 = pdl.attribute = #aten.enum<"dtype", "bfloat16">
    %type0_0 = pdl.type
    %op0 = pdl.operation "aten.matmul"(%q, %k : !pdl.value, !pdl.value) -> (%type0_0 : !pdl.type)
    %op0.r0 = pdl.result 0 of %op0
    %type1_0 = pdl.type
    %op1 = pdl.operation "aten.number" -> (%type1_0 : !pdl.type)
    %op1.r0 = pdl.result 0 of %op1
    %type2_0 = pdl.type
    %op2 = pdl.operation "aten.mul_tensor"(%op0.r0, %op1.r0 : !pdl.value, !pdl.value) -> (%type2_0 : !pdl.type)
    %op2.r0 = pdl.result 0 of %op2
    %type3_0 = pdl.type
    %op3 = pdl.operation "aten.where_self"(%mask, %op2.r0, %fill : !pdl.value, !pdl.value, !pdl.value) -> (%type3_0 : !pdl.type)
    %op3.r0 = pdl.result 0 of %op3
    %type4_0 = pdl.type
    %op4 = pdl.operation "aten.u_to_copy"(%op3.r0 : !pdl.value) {"device" = %literal0, "dtype" = %literal1, "layout" = %literal0, "memory_format" = %literal0, "non_blocking" = %literal2, "pin_memory" = %literal0} -> (%type4_0 : !pdl.type)
    %op4.r0 = pdl.result 0 of %op4
    %type5_0 = pdl.type
    %op5 = pdl.operation "aten.u_softmax"(%op4.r0 : !pdl.value) {"dim" = %literal3, "half_to_float" = %literal2} -> (%type5_0 : !pdl.type)
    %op5.r0 = pdl.result 0 of %op5
    %type6_0 = pdl.type
    %op6 = pdl.operation "aten.u_to_copy"(%op5.r0 : !pdl.value) {"device" = %literal0, "dtype" = %literal4, "layout" = %literal0, "memory_format" = %literal0, "non_blocking" = %literal2, "pin_memory" = %literal0} -> (%type6_0 : !pdl.type)
    %op6.r0 = pdl.result 0 of %op6
    %type7_0 = pdl.type
    %op7 = pdl.operation "aten.matmul"(%op6.r0, %v : !pdl.value, !pdl.value) -> (%type7_0 : !pdl.type)
    %name = pdl.attribute = "attention_multiplied_kept_bfloat16"
    pdl.apply_native_constraint "collect"(%name, %q, %k, %v, %mask, %fill, %op0, %op1, %op2, %op3, %op4, %op5, %op6, %op7 : !pdl.attribute, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation)
    pdl.rewrite %op7 with "replace"
  }
  func.func @replace(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}, %arg3: !t3 {aten.name = "mask"}, %arg4: !t4 {aten.name = "fill"}) -> !t5 {
    %0 = "aten.zeros"() {device = #aten.enum<"device", "cpu">, dtype = #aten.enum<"dtype", "bfloat16">, layout = #aten.none, pin_memory = false, size = []} : () -> !t4
    %1 = "aten.where_self"(%arg3, %0, %arg4) : (!t3, !t4, !t4) -> !t6
    %2 = "aten.permute"(%arg1) {dims = [0, 1, 3, 2]} : (!t1) -> !t9
    %3 = "aten.scaled_dot_product_attention"(%arg0, %2, %arg2, %1) {dropout_p = 0.000000e+00 : f64, enable_gqa = false, is_causal = false, scale = #aten.expr<"scale">} : (!t0, !t9, !t2, !t6) -> !t5
    %4 = "aten.amax"(%1) {dim = [3], keepdim = true} : (!t6) -> !t10
    %5 = "aten.eq_scalar"(%4) {other = 0xFFF0000000000000 : f64} : (!t10) -> !t11
    %6 = "aten.scalar_tensor"() {device = #aten.enum<"device", "cpu">, dtype = #aten.enum<"dtype", "bfloat16">, layout = #aten.enum<"layout", "strided">, pin_memory = #aten.none, s = 0x7FF8000000000000 : f64} : () -> !t4
    %7 = "aten.where_self"(%5, %6, %3) : (!t11, !t4, !t5) -> !t5
    return %7 : !t5
  }
}
// -----
!t0 = tensor<?x?x?x?xf16, #aten.layout<"cpu", [#aten.expr<"d0*d1*d2">, #aten.expr<"d1*d2">, #aten.expr<"d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d2">]>>
!t1 = tensor<?x?x?x?xf16, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, 1, #aten.expr<"d2">], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d2">, #aten.expr<"d4">]>>
!t2 = tensor<?x?x?x?xf16, #aten.layout<"cpu", [#aten.expr<"d0*d4*d5">, #aten.expr<"d4*d5">, #aten.expr<"d5">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d5">]>>
!t3 = tensor<?x?x?x?xi1, #aten.layout<"cpu", [#aten.expr<"d0*d1*d4">, #aten.expr<"d1*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d4">]>>
!t4 = tensor<f16, #aten.layout<"cpu", [], 0 : i64, unit>>
!t5 = tensor<?x?x?x?xf16, #aten.layout<"cpu", [#aten.expr<"d0*d1*d5">, #aten.expr<"d1*d5">, #aten.expr<"d5">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d5">]>>
!t6 = tensor<?x?x?x?xf16, #aten.layout<"cpu", [#aten.expr<"d0*d1*d4">, #aten.expr<"d1*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d4">]>>
!t7 = tensor<f64, #aten.layout<"cpu", [], 0 : i64, unit>>
!t8 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d4">, #aten.expr<"d1*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d4">]>>
!t9 = tensor<?x?x?x?xf16, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, #aten.expr<"d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d2">]>>
!t10 = tensor<?x?x?x1xf16, #aten.layout<"cpu", [#aten.expr<"d0*d1">, #aten.expr<"d1">, 1, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, 1]>>
!t11 = tensor<?x?x?x1xi1, #aten.layout<"cpu", [#aten.expr<"d0*d1">, #aten.expr<"d1">, 1, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, 1]>>
module @attention_multiplied_kept_float16 attributes {pattern.scalars = ["scale"]} {
  func.func @search(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}, %arg3: !t3 {aten.name = "mask", pattern.any_size}, %arg4: !t4 {aten.name = "fill"}) -> !t5 {
    %0 = "aten.matmul"(%arg0, %arg1) : (!t0, !t1) -> !t6
    %1 = "aten.number"() {value = #aten.expr<"scale">} : () -> !t7
    %2 = "aten.mul_tensor"(%0, %1) : (!t6, !t7) -> !t6
    %3 = "aten.where_self"(%arg3, %2, %arg4) : (!t3, !t6, !t4) -> !t6
    %4 = "aten.u_to_copy"(%3) {device = #aten.none, dtype = #aten.enum<"dtype", "float32">, layout = #aten.none, memory_format = #aten.none, non_blocking = false, pin_memory = #aten.none} : (!t6) -> !t8
    %5 = "aten.u_softmax"(%4) {dim = 3 : i64, half_to_float = false} : (!t8) -> !t8
    %6 = "aten.u_to_copy"(%5) {device = #aten.none, dtype = #aten.enum<"dtype", "float16">, layout = #aten.none, memory_format = #aten.none, non_blocking = false, pin_memory = #aten.none} : (!t8) -> !t6
    %7 = "aten.matmul"(%6, %arg2) : (!t6, !t2) -> !t5
    return %7 : !t5
  }
  pdl.pattern @attention_multiplied_kept_float16 : benefit(8) {
    %q = pdl.operand
    %k = pdl.operand
    %v = pdl.operand
    %mask = pdl.operand
    %fill = pdl.operand
    %literal0 = pdl.attribute = #aten.none
    %literal1 = pdl.attribute = #aten.enum<"dtype", "float32">
    %literal2 = pdl.attribute = false
    %literal3 = pdl.attribute = 3 : i64
    %literal4 = pdl.attribute = #aten.enum<"dtype", "float16">
    %type0_0 = pdl.type
    %op0 = pdl.operation "aten.matmul"(%q, %k : !pdl.value, !pdl.value) -> (%type0_0 : !pdl.type)
    %op0.r0 = pdl.result 0 of %op0
    %type1_0 = pdl.type
    %op1 = pdl.operation "aten.number" -> (%type1_0 : !pdl.type)
    %op1.r0 = pdl.result 0 of %op1
    %type2_0 = pdl.type
    %op2 = pdl.operation "aten.mul_tensor"(%op0.r0, %op1.r0 : !pdl.value, !pdl.value) -> (%type2_0 : !pdl.type)
    %op2.r0 = pdl.result 0 of %op2
    %type3_0 = pdl.type
    %op3 = pdl.operation "aten.where_self"(%mask, %op2.r0, %fill : !pdl.value, !pdl.value, !pdl.value) -> (%type3_0 : !pdl.type)
    %op3.r0 = pdl.result 0 of %op3
    %type4_0 = pdl.type
    %op4 = pdl.operation "aten.u_to_copy"(%op3.r0 : !pdl.value) {"device" = %literal0, "dtype" = %literal1, "layout" = %literal0, "memory_format" = %literal0, "non_blocking" = %literal2, "pin_memory" = %literal0} -> (%type4_0 : !pdl.type)
    %op4.r0 = pdl.result 0 of %op4
    %type5_0 = pdl.type
    %op5 = pdl.operation "aten.u_softmax"(%op4.r0 : !pdl.value) {"dim" = %literal3, "half_to_float" = %literal2} -> (%type5_0 : !pdl.type)
    %op5.r0 = pdl.result 0 of %op5
    %type6_0 = pdl.type
    %op6 = pdl.operation "aten.u_to_copy"(%op5.r0 : !pdl.value) {"device" = %literal0, "dtype" = %literal4, "layout" = %literal0, "memory_format" = %literal0, "non_blocking" = %literal2, "pin_memory" = %literal0} -> (%type6_0 : !pdl.type)
    %op6.r0 = pdl.result 0 of %op6
    %type7_0 = pdl.type
    %op7 = pdl.operation "aten.matmul"(%op6.r0, %v : !pdl.value, !pdl.value) -> (%type7_0 : !pdl.type)
    %name = pdl.attribute = "attention_multiplied_kept_float16"
    pdl.apply_native_constraint "collect"(%name, %q, %k, %v, %mask, %fill, %op0, %op1, %op2, %op3, %op4, %op5, %op6, %op7 : !pdl.attribute, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation)
    pdl.rewrite %op7 with "replace"
  }
  func.func @replace(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}, %arg3: !t3 {aten.name = "mask"}, %arg4: !t4 {aten.name = "fill"}) -> !t5 {
    %0 = "aten.zeros"() {device = #aten.enum<"device", "cpu">, dtype = #aten.enum<"dtype", "float16">, layout = #aten.none, pin_memory = false, size = []} : () -> !t4
    %1 = "aten.where_self"(%arg3, %0, %arg4) : (!t3, !t4, !t4) -> !t6
    %2 = "aten.permute"(%arg1) {dims = [0, 1, 3, 2]} : (!t1) -> !t9
    %3 = "aten.scaled_dot_product_attention"(%arg0, %2, %arg2, %1) {dropout_p = 0.000000e+00 : f64, enable_gqa = false, is_causal = false, scale = #aten.expr<"scale">} : (!t0, !t9, !t2, !t6) -> !t5
    %4 = "aten.amax"(%1) {dim = [3], keepdim = true} : (!t6) -> !t10
    %5 = "aten.eq_scalar"(%4) {other = 0xFFF0000000000000 : f64} : (!t10) -> !t11
    %6 = "aten.scalar_tensor"() {device = #aten.enum<"device", "cpu">, dtype = #aten.enum<"dtype", "float16">, layout = #aten.enum<"layout", "strided">, pin_memory = #aten.none, s = 0x7FF8000000000000 : f64} : () -> !t4
    %7 = "aten.where_self"(%5, %6, %3) : (!t11, !t4, !t5) -> !t5
    return %7 : !t5
  }
}
// -----
!t0 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d2">, #aten.expr<"d1*d2">, #aten.expr<"d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d2">]>>
!t1 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, 1, #aten.expr<"d2">], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d2">, #aten.expr<"d4">]>>
!t2 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d4*d5">, #aten.expr<"d4*d5">, #aten.expr<"d5">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d5">]>>
!t3 = tensor<?x?x?x?xi1, #aten.layout<"cpu", [#aten.expr<"d0*d1*d4">, #aten.expr<"d1*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d4">]>>
!t4 = tensor<f32, #aten.layout<"cpu", [], 0 : i64, unit>>
!t5 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d5">, #aten.expr<"d1*d5">, #aten.expr<"d5">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d5">]>>
!t6 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d4">, #aten.expr<"d1*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d4">]>>
!t7 = tensor<f64, #aten.layout<"cpu", [], 0 : i64, unit>>
!t8 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, #aten.expr<"d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d2">]>>
!t9 = tensor<?x?x?x1xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1">, #aten.expr<"d1">, 1, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, 1]>>
!t10 = tensor<?x?x?x1xi1, #aten.layout<"cpu", [#aten.expr<"d0*d1">, #aten.expr<"d1">, 1, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, 1]>>
module @attention_multiplied_dropped attributes {pattern.scalars = ["scale"]} {
  func.func @search(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}, %arg3: !t3 {aten.name = "mask", pattern.any_size}, %arg4: !t4 {aten.name = "fill"}) -> !t5 {
    %0 = "aten.matmul"(%arg0, %arg1) : (!t0, !t1) -> !t6
    %1 = "aten.number"() {value = #aten.expr<"scale">} : () -> !t7
    %2 = "aten.mul_tensor"(%0, %1) : (!t6, !t7) -> !t6
    %3 = "aten.where_self"(%arg3, %arg4, %2) : (!t3, !t4, !t6) -> !t6
    %4 = "aten.u_softmax"(%3) {dim = 3 : i64, half_to_float = false} : (!t6) -> !t6
    %5 = "aten.matmul"(%4, %arg2) : (!t6, !t2) -> !t5
    return %5 : !t5
  }
  pdl.pattern @attention_multiplied_dropped : benefit(6) {
    %q = pdl.operand
    %k = pdl.operand
    %v = pdl.operand
    %mask = pdl.operand
    %fill = pdl.operand
    %literal0 = pdl.attribute = 3 : i64
    %literal1 = pdl.attribute = false
    %type0_0 = pdl.type
    %op0 = pdl.operation "aten.matmul"(%q, %k : !pdl.value, !pdl.value) -> (%type0_0 : !pdl.type)
    %op0.r0 = pdl.result 0 of %op0
    %type1_0 = pdl.type
    %op1 = pdl.operation "aten.number" -> (%type1_0 : !pdl.type)
    %op1.r0 = pdl.result 0 of %op1
    %type2_0 = pdl.type
    %op2 = pdl.operation "aten.mul_tensor"(%op0.r0, %op1.r0 : !pdl.value, !pdl.value) -> (%type2_0 : !pdl.type)
    %op2.r0 = pdl.result 0 of %op2
    %type3_0 = pdl.type
    %op3 = pdl.operation "aten.where_self"(%mask, %fill, %op2.r0 : !pdl.value, !pdl.value, !pdl.value) -> (%type3_0 : !pdl.type)
    %op3.r0 = pdl.result 0 of %op3
    %type4_0 = pdl.type
    %op4 = pdl.operation "aten.u_softmax"(%op3.r0 : !pdl.value) {"dim" = %literal0, "half_to_float" = %literal1} -> (%type4_0 : !pdl.type)
    %op4.r0 = pdl.result 0 of %op4
    %type5_0 = pdl.type
    %op5 = pdl.operation "aten.matmul"(%op4.r0, %v : !pdl.value, !pdl.value) -> (%type5_0 : !pdl.type)
    %name = pdl.attribute = "attention_multiplied_dropped"
    pdl.apply_native_constraint "collect"(%name, %q, %k, %v, %mask, %fill, %op0, %op1, %op2, %op3, %op4, %op5 : !pdl.attribute, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation)
    pdl.rewrite %op5 with "replace"
  }
  func.func @replace(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}, %arg3: !t3 {aten.name = "mask"}, %arg4: !t4 {aten.name = "fill"}) -> !t5 {
    %0 = "aten.zeros"() {device = #aten.enum<"device", "cpu">, dtype = #aten.enum<"dtype", "float32">, layout = #aten.none, pin_memory = false, size = []} : () -> !t4
    %1 = "aten.where_self"(%arg3, %arg4, %0) : (!t3, !t4, !t4) -> !t6
    %2 = "aten.permute"(%arg1) {dims = [0, 1, 3, 2]} : (!t1) -> !t8
    %3 = "aten.scaled_dot_product_attention"(%arg0, %2, %arg2, %1) {dropout_p = 0.000000e+00 : f64, enable_gqa = false, is_causal = false, scale = #aten.expr<"scale">} : (!t0, !t8, !t2, !t6) -> !t5
    %4 = "aten.amax"(%1) {dim = [3], keepdim = true} : (!t6) -> !t9
    %5 = "aten.eq_scalar"(%4) {other = 0xFFF0000000000000 : f64} : (!t9) -> !t10
    %6 = "aten.scalar_tensor"() {device = #aten.enum<"device", "cpu">, dtype = #aten.enum<"dtype", "float32">, layout = #aten.enum<"layout", "strided">, pin_memory = #aten.none, s = 0x7FF8000000000000 : f64} : () -> !t4
    %7 = "aten.where_self"(%5, %6, %3) : (!t10, !t4, !t5) -> !t5
    return %7 : !t5
  }
}
// -----
!t0 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d2">, #aten.expr<"d1*d2">, #aten.expr<"d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d2">]>>
!t1 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, 1, #aten.expr<"d2">], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d2">, #aten.expr<"d4">]>>
!t2 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d4*d5">, #aten.expr<"d4*d5">, #aten.expr<"d5">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d5">]>>
!t3 = tensor<?x?xi1, #aten.layout<"cpu", [#aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d1">, #aten.expr<"d4">]>>
!t4 = tensor<f32, #aten.layout<"cpu", [], 0 : i64, unit>>
!t5 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d5">, #aten.expr<"d1*d5">, #aten.expr<"d5">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d5">]>>
!t6 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d4">, #aten.expr<"d1*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d4">]>>
!t7 = tensor<f64, #aten.layout<"cpu", [], 0 : i64, unit>>
!t8 = tensor<?x?xf32, #aten.layout<"cpu", [#aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d1">, #aten.expr<"d4">]>>
!t9 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, #aten.expr<"d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d2">]>>
!t10 = tensor<?x1xf32, #aten.layout<"cpu", [1, 1], 0 : i64, [#aten.expr<"d1">, 1]>>
!t11 = tensor<?x1xi1, #aten.layout<"cpu", [1, 1], 0 : i64, [#aten.expr<"d1">, 1]>>
module @attention_multiplied_dropped_of_rank_2 attributes {pattern.scalars = ["scale"]} {
  func.func @search(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}, %arg3: !t3 {aten.name = "mask", pattern.any_size}, %arg4: !t4 {aten.name = "fill"}) -> !t5 {
    %0 = "aten.matmul"(%arg0, %arg1) : (!t0, !t1) -> !t6
    %1 = "aten.number"() {value = #aten.expr<"scale">} : () -> !t7
    %2 = "aten.mul_tensor"(%0, %1) : (!t6, !t7) -> !t6
    %3 = "aten.where_self"(%arg3, %arg4, %2) : (!t3, !t4, !t6) -> !t6
    %4 = "aten.u_softmax"(%3) {dim = 3 : i64, half_to_float = false} : (!t6) -> !t6
    %5 = "aten.matmul"(%4, %arg2) : (!t6, !t2) -> !t5
    return %5 : !t5
  }
  pdl.pattern @attention_multiplied_dropped_of_rank_2 : benefit(6) {
    %q = pdl.operand
    %k = pdl.operand
    %v = pdl.operand
    %mask = pdl.operand
    %fill = pdl.operand
    %literal0 = pdl.attribute = 3 : i64
    %literal1 = pdl.attribute = false
    %type0_0 = pdl.type
    %op0 = pdl.operation "aten.matmul"(%q, %k : !pdl.value, !pdl.value) -> (%type0_0 : !pdl.type)
    %op0.r0 = pdl.result 0 of %op0
    %type1_0 = pdl.type
    %op1 = pdl.operation "aten.number" -> (%type1_0 : !pdl.type)
    %op1.r0 = pdl.result 0 of %op1
    %type2_0 = pdl.type
    %op2 = pdl.operation "aten.mul_tensor"(%op0.r0, %op1.r0 : !pdl.value, !pdl.value) -> (%type2_0 : !pdl.type)
    %op2.r0 = pdl.result 0 of %op2
    %type3_0 = pdl.type
    %op3 = pdl.operation "aten.where_self"(%mask, %fill, %op2.r0 : !pdl.value, !pdl.value, !pdl.value) -> (%type3_0 : !pdl.type)
    %op3.r0 = pdl.result 0 of %op3
    %type4_0 = pdl.type
    %op4 = pdl.operation "aten.u_softmax"(%op3.r0 : !pdl.value) {"dim" = %literal0, "half_to_float" = %literal1} -> (%type4_0 : !pdl.type)
    %op4.r0 = pdl.result 0 of %op4
    %type5_0 = pdl.type
    %op5 = pdl.operation "aten.matmul"(%op4.r0, %v : !pdl.value, !pdl.value) -> (%type5_0 : !pdl.type)
    %name = pdl.attribute = "attention_multiplied_dropped_of_rank_2"
    pdl.apply_native_constraint "collect"(%name, %q, %k, %v, %mask, %fill, %op0, %op1, %op2, %op3, %op4, %op5 : !pdl.attribute, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation)
    pdl.rewrite %op5 with "replace"
  }
  func.func @replace(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}, %arg3: !t3 {aten.name = "mask"}, %arg4: !t4 {aten.name = "fill"}) -> !t5 {
    %0 = "aten.zeros"() {device = #aten.enum<"device", "cpu">, dtype = #aten.enum<"dtype", "float32">, layout = #aten.none, pin_memory = false, size = []} : () -> !t4
    %1 = "aten.where_self"(%arg3, %arg4, %0) : (!t3, !t4, !t4) -> !t8
    %2 = "aten.permute"(%arg1) {dims = [0, 1, 3, 2]} : (!t1) -> !t9
    %3 = "aten.scaled_dot_product_attention"(%arg0, %2, %arg2, %1) {dropout_p = 0.000000e+00 : f64, enable_gqa = false, is_causal = false, scale = #aten.expr<"scale">} : (!t0, !t9, !t2, !t8) -> !t5
    %4 = "aten.amax"(%1) {dim = [1], keepdim = true} : (!t8) -> !t10
    %5 = "aten.eq_scalar"(%4) {other = 0xFFF0000000000000 : f64} : (!t10) -> !t11
    %6 = "aten.scalar_tensor"() {device = #aten.enum<"device", "cpu">, dtype = #aten.enum<"dtype", "float32">, layout = #aten.enum<"layout", "strided">, pin_memory = #aten.none, s = 0x7FF8000000000000 : f64} : () -> !t4
    %7 = "aten.where_self"(%5, %6, %3) : (!t11, !t4, !t5) -> !t5
    return %7 : !t5
  }
}
// -----
!t0 = tensor<?x?x?x?xbf16, #aten.layout<"cpu", [#aten.expr<"d0*d1*d2">, #aten.expr<"d1*d2">, #aten.expr<"d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d2">]>>
!t1 = tensor<?x?x?x?xbf16, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, 1, #aten.expr<"d2">], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d2">, #aten.expr<"d4">]>>
!t2 = tensor<?x?x?x?xbf16, #aten.layout<"cpu", [#aten.expr<"d0*d4*d5">, #aten.expr<"d4*d5">, #aten.expr<"d5">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d5">]>>
!t3 = tensor<?x?x?x?xi1, #aten.layout<"cpu", [#aten.expr<"d0*d1*d4">, #aten.expr<"d1*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d4">]>>
!t4 = tensor<bf16, #aten.layout<"cpu", [], 0 : i64, unit>>
!t5 = tensor<?x?x?x?xbf16, #aten.layout<"cpu", [#aten.expr<"d0*d1*d5">, #aten.expr<"d1*d5">, #aten.expr<"d5">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d5">]>>
!t6 = tensor<?x?x?x?xbf16, #aten.layout<"cpu", [#aten.expr<"d0*d1*d4">, #aten.expr<"d1*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d4">]>>
!t7 = tensor<f64, #aten.layout<"cpu", [], 0 : i64, unit>>
!t8 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d4">, #aten.expr<"d1*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d4">]>>
!t9 = tensor<?x?x?x?xbf16, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, #aten.expr<"d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d2">]>>
!t10 = tensor<?x?x?x1xbf16, #aten.layout<"cpu", [#aten.expr<"d0*d1">, #aten.expr<"d1">, 1, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, 1]>>
!t11 = tensor<?x?x?x1xi1, #aten.layout<"cpu", [#aten.expr<"d0*d1">, #aten.expr<"d1">, 1, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, 1]>>
module @attention_multiplied_dropped_bfloat16 attributes {pattern.scalars = ["scale"]} {
  func.func @search(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}, %arg3: !t3 {aten.name = "mask", pattern.any_size}, %arg4: !t4 {aten.name = "fill"}) -> !t5 {
    %0 = "aten.matmul"(%arg0, %arg1) : (!t0, !t1) -> !t6
    %1 = "aten.number"() {value = #aten.expr<"scale">} : () -> !t7
    %2 = "aten.mul_tensor"(%0, %1) : (!t6, !t7) -> !t6
    %3 = "aten.where_self"(%arg3, %arg4, %2) : (!t3, !t4, !t6) -> !t6
    %4 = "aten.u_to_copy"(%3) {device = #aten.none, dtype = #aten.enum<"dtype", "float32">, layout = #aten.none, memory_format = #aten.none, non_blocking = false, pin_memory = #aten.none} : (!t6) -> !t8
    %5 = "aten.u_softmax"(%4) {dim = 3 : i64, half_to_float = false} : (!t8) -> !t8
    %6 = "aten.u_to_copy"(%5) {device = #aten.none, dtype = #aten.enum<"dtype", "bfloat16">, layout = #aten.none, memory_format = #aten.none, non_blocking = false, pin_memory = #aten.none} : (!t8) -> !t6
    %7 = "aten.matmul"(%6, %arg2) : (!t6, !t2) -> !t5
    return %7 : !t5
  }
  pdl.pattern @attention_multiplied_dropped_bfloat16 : benefit(8) {
    %q = pdl.operand
    %k = pdl.operand
    %v = pdl.operand
    %mask = pdl.operand
    %fill = pdl.operand
    %literal0 = pdl.attribute = #aten.none
    %literal1 = pdl.attribute = #aten.enum<"dtype", "float32">
    %literal2 = pdl.attribute = false
    %literal3 = pdl.attribute = 3 : i64
    %literal4 = pdl.attribute = #aten.enum<"dtype", "bfloat16">
    %type0_0 = pdl.type
    %op0 = pdl.operation "aten.matmul"(%q, %k : !pdl.value, !pdl.value) -> (%type0_0 : !pdl.type)
    %op0.r0 = pdl.result 0 of %op0
    %type1_0 = pdl.type
    %op1 = pdl.operation "aten.number" -> (%type1_0 : !pdl.type)
    %op1.r0 = pdl.result 0 of %op1
    %type2_0 = pdl.type
    %op2 = pdl.operation "aten.mul_tensor"(%op0.r0, %op1.r0 : !pdl.value, !pdl.value) -> (%type2_0 : !pdl.type)
    %op2.r0 = pdl.result 0 of %op2
    %type3_0 = pdl.type
    %op3 = pdl.operation "aten.where_self"(%mask, %fill, %op2.r0 : !pdl.value, !pdl.value, !pdl.value) -> (%type3_0 : !pdl.type)
    %op3.r0 = pdl.result 0 of %op3
    %type4_0 = pdl.type
    %op4 = pdl.operation "aten.u_to_copy"(%op3.r0 : !pdl.value) {"device" = %literal0, "dtype" = %literal1, "layout" = %literal0, "memory_format" = %literal0, "non_blocking" = %literal2, "pin_memory" = %literal0} -> (%type4_0 : !pdl.type)
    %op4.r0 = pdl.result 0 of %op4
    %type5_0 = pdl.type
    %op5 = pdl.operation "aten.u_softmax"(%op4.r0 : !pdl.value) {"dim" = %literal3, "half_to_float" = %literal2} -> (%type5_0 : !pdl.type)
    %op5.r0 = pdl.result 0 of %op5
    %type6_0 = pdl.type
    %op6 = pdl.operation "aten.u_to_copy"(%op5.r0 : !pdl.value) {"device" = %literal0, "dtype" = %literal4, "layout" = %literal0, "memory_format" = %literal0, "non_blocking" = %literal2, "pin_memory" = %literal0} -> (%type6_0 : !pdl.type)
    %op6.r0 = pdl.result 0 of %op6
    %type7_0 = pdl.type
    %op7 = pdl.operation "aten.matmul"(%op6.r0, %v : !pdl.value, !pdl.value) -> (%type7_0 : !pdl.type)
    %name = pdl.attribute = "attention_multiplied_dropped_bfloat16"
    pdl.apply_native_constraint "collect"(%name, %q, %k, %v, %mask, %fill, %op0, %op1, %op2, %op3, %op4, %op5, %op6, %op7 : !pdl.attribute, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation)
    pdl.rewrite %op7 with "replace"
  }
  func.func @replace(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}, %arg3: !t3 {aten.name = "mask"}, %arg4: !t4 {aten.name = "fill"}) -> !t5 {
    %0 = "aten.zeros"() {device = #aten.enum<"device", "cpu">, dtype = #aten.enum<"dtype", "bfloat16">, layout = #aten.none, pin_memory = false, size = []} : () -> !t4
    %1 = "aten.where_self"(%arg3, %arg4, %0) : (!t3, !t4, !t4) -> !t6
    %2 = "aten.permute"(%arg1) {dims = [0, 1, 3, 2]} : (!t1) -> !t9
    %3 = "aten.scaled_dot_product_attention"(%arg0, %2, %arg2, %1) {dropout_p = 0.000000e+00 : f64, enable_gqa = false, is_causal = false, scale = #aten.expr<"scale">} : (!t0, !t9, !t2, !t6) -> !t5
    %4 = "aten.amax"(%1) {dim = [3], keepdim = true} : (!t6) -> !t10
    %5 = "aten.eq_scalar"(%4) {other = 0xFFF0000000000000 : f64} : (!t10) -> !t11
    %6 = "aten.scalar_tensor"() {device = #aten.enum<"device", "cpu">, dtype = #aten.enum<"dtype", "bfloat16">, layout = #aten.enum<"layout", "strided">, pin_memory = #aten.none, s = 0x7FF8000000000000 : f64} : () -> !t4
    %7 = "aten.where_self"(%5, %6, %3) : (!t11, !t4, !t5) -> !t5
    return %7 : !t5
  }
}
// -----
!t0 = tensor<?x?x?x?xf16, #aten.layout<"cpu", [#aten.expr<"d0*d1*d2">, #aten.expr<"d1*d2">, #aten.expr<"d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d2">]>>
!t1 = tensor<?x?x?x?xf16, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, 1, #aten.expr<"d2">], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d2">, #aten.expr<"d4">]>>
!t2 = tensor<?x?x?x?xf16, #aten.layout<"cpu", [#aten.expr<"d0*d4*d5">, #aten.expr<"d4*d5">, #aten.expr<"d5">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d5">]>>
!t3 = tensor<?x?x?x?xi1, #aten.layout<"cpu", [#aten.expr<"d0*d1*d4">, #aten.expr<"d1*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d4">]>>
!t4 = tensor<f16, #aten.layout<"cpu", [], 0 : i64, unit>>
!t5 = tensor<?x?x?x?xf16, #aten.layout<"cpu", [#aten.expr<"d0*d1*d5">, #aten.expr<"d1*d5">, #aten.expr<"d5">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d5">]>>
!t6 = tensor<?x?x?x?xf16, #aten.layout<"cpu", [#aten.expr<"d0*d1*d4">, #aten.expr<"d1*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d4">]>>
!t7 = tensor<f64, #aten.layout<"cpu", [], 0 : i64, unit>>
!t8 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d4">, #aten.expr<"d1*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d4">]>>
!t9 = tensor<?x?x?x?xf16, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, #aten.expr<"d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d2">]>>
!t10 = tensor<?x?x?x1xf16, #aten.layout<"cpu", [#aten.expr<"d0*d1">, #aten.expr<"d1">, 1, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, 1]>>
!t11 = tensor<?x?x?x1xi1, #aten.layout<"cpu", [#aten.expr<"d0*d1">, #aten.expr<"d1">, 1, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, 1]>>
module @attention_multiplied_dropped_float16 attributes {pattern.scalars = ["scale"]} {
  func.func @search(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}, %arg3: !t3 {aten.name = "mask", pattern.any_size}, %arg4: !t4 {aten.name = "fill"}) -> !t5 {
    %0 = "aten.matmul"(%arg0, %arg1) : (!t0, !t1) -> !t6
    %1 = "aten.number"() {value = #aten.expr<"scale">} : () -> !t7
    %2 = "aten.mul_tensor"(%0, %1) : (!t6, !t7) -> !t6
    %3 = "aten.where_self"(%arg3, %arg4, %2) : (!t3, !t4, !t6) -> !t6
    %4 = "aten.u_to_copy"(%3) {device = #aten.none, dtype = #aten.enum<"dtype", "float32">, layout = #aten.none, memory_format = #aten.none, non_blocking = false, pin_memory = #aten.none} : (!t6) -> !t8
    %5 = "aten.u_softmax"(%4) {dim = 3 : i64, half_to_float = false} : (!t8) -> !t8
    %6 = "aten.u_to_copy"(%5) {device = #aten.none, dtype = #aten.enum<"dtype", "float16">, layout = #aten.none, memory_format = #aten.none, non_blocking = false, pin_memory = #aten.none} : (!t8) -> !t6
    %7 = "aten.matmul"(%6, %arg2) : (!t6, !t2) -> !t5
    return %7 : !t5
  }
  pdl.pattern @attention_multiplied_dropped_float16 : benefit(8) {
    %q = pdl.operand
    %k = pdl.operand
    %v = pdl.operand
    %mask = pdl.operand
    %fill = pdl.operand
    %literal0 = pdl.attribute = #aten.none
    %literal1 = pdl.attribute = #aten.enum<"dtype", "float32">
    %literal2 = pdl.attribute = false
    %literal3 = pdl.attribute = 3 : i64
    %literal4 = pdl.attribute = #aten.enum<"dtype", "float16">
    %type0_0 = pdl.type
    %op0 = pdl.operation "aten.matmul"(%q, %k : !pdl.value, !pdl.value) -> (%type0_0 : !pdl.type)
    %op0.r0 = pdl.result 0 of %op0
    %type1_0 = pdl.type
    %op1 = pdl.operation "aten.number" -> (%type1_0 : !pdl.type)
    %op1.r0 = pdl.result 0 of %op1
    %type2_0 = pdl.type
    %op2 = pdl.operation "aten.mul_tensor"(%op0.r0, %op1.r0 : !pdl.value, !pdl.value) -> (%type2_0 : !pdl.type)
    %op2.r0 = pdl.result 0 of %op2
    %type3_0 = pdl.type
    %op3 = pdl.operation "aten.where_self"(%mask, %fill, %op2.r0 : !pdl.value, !pdl.value, !pdl.value) -> (%type3_0 : !pdl.type)
    %op3.r0 = pdl.result 0 of %op3
    %type4_0 = pdl.type
    %op4 = pdl.operation "aten.u_to_copy"(%op3.r0 : !pdl.value) {"device" = %literal0, "dtype" = %literal1, "layout" = %literal0, "memory_format" = %literal0, "non_blocking" = %literal2, "pin_memory" = %literal0} -> (%type4_0 : !pdl.type)
    %op4.r0 = pdl.result 0 of %op4
    %type5_0 = pdl.type
    %op5 = pdl.operation "aten.u_softmax"(%op4.r0 : !pdl.value) {"dim" = %literal3, "half_to_float" = %literal2} -> (%type5_0 : !pdl.type)
    %op5.r0 = pdl.result 0 of %op5
    %type6_0 = pdl.type
    %op6 = pdl.operation "aten.u_to_copy"(%op5.r0 : !pdl.value) {"device" = %literal0, "dtype" = %literal4, "layout" = %literal0, "memory_format" = %literal0, "non_blocking" = %literal2, "pin_memory" = %literal0} -> (%type6_0 : !pdl.type)
    %op6.r0 = pdl.result 0 of %op6
    %type7_0 = pdl.type
    %op7 = pdl.operation "aten.matmul"(%op6.r0, %v : !pdl.value, !pdl.value) -> (%type7_0 : !pdl.type)
    %name = pdl.attribute = "attention_multiplied_dropped_float16"
    pdl.apply_native_constraint "collect"(%name, %q, %k, %v, %mask, %fill, %op0, %op1, %op2, %op3, %op4, %op5, %op6, %op7 : !pdl.attribute, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation)
    pdl.rewrite %op7 with "replace"
  }
  func.func @replace(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}, %arg3: !t3 {aten.name = "mask"}, %arg4: !t4 {aten.name = "fill"}) -> !t5 {
    %0 = "aten.zeros"() {device = #aten.enum<"device", "cpu">, dtype = #aten.enum<"dtype", "float16">, layout = #aten.none, pin_memory = false, size = []} : () -> !t4
    %1 = "aten.where_self"(%arg3, %arg4, %0) : (!t3, !t4, !t4) -> !t6
    %2 = "aten.permute"(%arg1) {dims = [0, 1, 3, 2]} : (!t1) -> !t9
    %3 = "aten.scaled_dot_product_attention"(%arg0, %2, %arg2, %1) {dropout_p = 0.000000e+00 : f64, enable_gqa = false, is_causal = false, scale = #aten.expr<"scale">} : (!t0, !t9, !t2, !t6) -> !t5
    %4 = "aten.amax"(%1) {dim = [3], keepdim = true} : (!t6) -> !t10
    %5 = "aten.eq_scalar"(%4) {other = 0xFFF0000000000000 : f64} : (!t10) -> !t11
    %6 = "aten.scalar_tensor"() {device = #aten.enum<"device", "cpu">, dtype = #aten.enum<"dtype", "float16">, layout = #aten.enum<"layout", "strided">, pin_memory = #aten.none, s = 0x7FF8000000000000 : f64} : () -> !t4
    %7 = "aten.where_self"(%5, %6, %3) : (!t11, !t4, !t5) -> !t5
    return %7 : !t5
  }
}
// -----
!t0 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d2">, #aten.expr<"d1*d2">, #aten.expr<"d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d2">]>>
!t1 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, 1, #aten.expr<"d2">], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d2">, #aten.expr<"d4">]>>
!t2 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d4*d5">, #aten.expr<"d4*d5">, #aten.expr<"d5">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d5">]>>
!t3 = tensor<?x?x?x?xi1, #aten.layout<"cpu", [#aten.expr<"d0*d1*d4">, #aten.expr<"d1*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d4">]>>
!t4 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d5">, #aten.expr<"d1*d5">, #aten.expr<"d5">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d5">]>>
!t5 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d4">, #aten.expr<"d1*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d4">]>>
!t6 = tensor<f64, #aten.layout<"cpu", [], 0 : i64, unit>>
!t7 = tensor<f32, #aten.layout<"cpu", [], 0 : i64, unit>>
!t8 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, #aten.expr<"d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d2">]>>
!t9 = tensor<?x?x?x1xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1">, #aten.expr<"d1">, 1, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, 1]>>
!t10 = tensor<?x?x?x1xi1, #aten.layout<"cpu", [#aten.expr<"d0*d1">, #aten.expr<"d1">, 1, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, 1]>>
module @attention_multiplied_filled attributes {pattern.scalars = ["fill", "scale"]} {
  func.func @search(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}, %arg3: !t3 {aten.name = "mask", pattern.any_size}) -> !t4 {
    %0 = "aten.matmul"(%arg0, %arg1) : (!t0, !t1) -> !t5
    %1 = "aten.number"() {value = #aten.expr<"scale">} : () -> !t6
    %2 = "aten.mul_tensor"(%0, %1) : (!t5, !t6) -> !t5
    %3 = "aten.masked_fill_scalar"(%2, %arg3) {value = #aten.expr<"fill">} : (!t5, !t3) -> !t5
    %4 = "aten.u_softmax"(%3) {dim = 3 : i64, half_to_float = false} : (!t5) -> !t5
    %5 = "aten.matmul"(%4, %arg2) : (!t5, !t2) -> !t4
    return %5 : !t4
  }
  pdl.pattern @attention_multiplied_filled : benefit(6) {
    %q = pdl.operand
    %k = pdl.operand
    %v = pdl.operand
    %mask = pdl.operand
    %literal0 = pdl.attribute = 3 : i64
    %literal1 = pdl.attribute = false
    %type0_0 = pdl.type
    %op0 = pdl.operation "aten.matmul"(%q, %k : !pdl.value, !pdl.value) -> (%type0_0 : !pdl.type)
    %op0.r0 = pdl.result 0 of %op0
    %type1_0 = pdl.type
    %op1 = pdl.operation "aten.number" -> (%type1_0 : !pdl.type)
    %op1.r0 = pdl.result 0 of %op1
    %type2_0 = pdl.type
    %op2 = pdl.operation "aten.mul_tensor"(%op0.r0, %op1.r0 : !pdl.value, !pdl.value) -> (%type2_0 : !pdl.type)
    %op2.r0 = pdl.result 0 of %op2
    %type3_0 = pdl.type
    %op3 = pdl.operation "aten.masked_fill_scalar"(%op2.r0, %mask : !pdl.value, !pdl.value) -> (%type3_0 : !pdl.type)
    %op3.r0 = pdl.result 0 of %op3
    %type4_0 = pdl.type
    %op4 = pdl.operation "aten.u_softmax"(%op3.r0 : !pdl.value) {"dim" = %literal0, "half_to_float" = %literal1} -> (%type4_0 : !pdl.type)
    %op4.r0 = pdl.result 0 of %op4
    %type5_0 = pdl.type
    %op5 = pdl.operation "aten.matmul"(%op4.r0, %v : !pdl.value, !pdl.value) -> (%type5_0 : !pdl.type)
    %name = pdl.attribute = "attention_multiplied_filled"
    pdl.apply_native_constraint "collect"(%name, %q, %k, %v, %mask, %op0, %op1, %op2, %op3, %op4, %op5 : !pdl.attribute, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation)
    pdl.rewrite %op5 with "replace"
  }
  func.func @replace(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}, %arg3: !t3 {aten.name = "mask"}) -> !t4 {
    %0 = "aten.scalar_tensor"() {device = #aten.enum<"device", "cpu">, dtype = #aten.enum<"dtype", "float32">, layout = #aten.enum<"layout", "strided">, pin_memory = #aten.none, s = 0.000000e+00 : f64} : () -> !t7
    %1 = "aten.scalar_tensor"() {device = #aten.enum<"device", "cpu">, dtype = #aten.enum<"dtype", "float32">, layout = #aten.enum<"layout", "strided">, pin_memory = #aten.none, s = #aten.expr<"fill">} : () -> !t7
    %2 = "aten.where_self"(%arg3, %1, %0) : (!t3, !t7, !t7) -> !t5
    %3 = "aten.permute"(%arg1) {dims = [0, 1, 3, 2]} : (!t1) -> !t8
    %4 = "aten.scaled_dot_product_attention"(%arg0, %3, %arg2, %2) {dropout_p = 0.000000e+00 : f64, enable_gqa = false, is_causal = false, scale = #aten.expr<"scale">} : (!t0, !t8, !t2, !t5) -> !t4
    %5 = "aten.amax"(%2) {dim = [3], keepdim = true} : (!t5) -> !t9
    %6 = "aten.eq_scalar"(%5) {other = 0xFFF0000000000000 : f64} : (!t9) -> !t10
    %7 = "aten.scalar_tensor"() {device = #aten.enum<"device", "cpu">, dtype = #aten.enum<"dtype", "float32">, layout = #aten.enum<"layout", "strided">, pin_memory = #aten.none, s = 0x7FF8000000000000 : f64} : () -> !t7
    %8 = "aten.where_self"(%6, %7, %4) : (!t10, !t7, !t4) -> !t4
    return %8 : !t4
  }
}
// -----
!t0 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d2">, #aten.expr<"d1*d2">, #aten.expr<"d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d2">]>>
!t1 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, 1, #aten.expr<"d2">], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d2">, #aten.expr<"d4">]>>
!t2 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d4*d5">, #aten.expr<"d4*d5">, #aten.expr<"d5">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d5">]>>
!t3 = tensor<?x?xi1, #aten.layout<"cpu", [#aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d1">, #aten.expr<"d4">]>>
!t4 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d5">, #aten.expr<"d1*d5">, #aten.expr<"d5">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d5">]>>
!t5 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d4">, #aten.expr<"d1*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d4">]>>
!t6 = tensor<f64, #aten.layout<"cpu", [], 0 : i64, unit>>
!t7 = tensor<f32, #aten.layout<"cpu", [], 0 : i64, unit>>
!t8 = tensor<?x?xf32, #aten.layout<"cpu", [#aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d1">, #aten.expr<"d4">]>>
!t9 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, #aten.expr<"d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d2">]>>
!t10 = tensor<?x1xf32, #aten.layout<"cpu", [1, 1], 0 : i64, [#aten.expr<"d1">, 1]>>
!t11 = tensor<?x1xi1, #aten.layout<"cpu", [1, 1], 0 : i64, [#aten.expr<"d1">, 1]>>
module @attention_multiplied_filled_of_rank_2 attributes {pattern.scalars = ["fill", "scale"]} {
  func.func @search(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}, %arg3: !t3 {aten.name = "mask", pattern.any_size}) -> !t4 {
    %0 = "aten.matmul"(%arg0, %arg1) : (!t0, !t1) -> !t5
    %1 = "aten.number"() {value = #aten.expr<"scale">} : () -> !t6
    %2 = "aten.mul_tensor"(%0, %1) : (!t5, !t6) -> !t5
    %3 = "aten.masked_fill_scalar"(%2, %arg3) {value = #aten.expr<"fill">} : (!t5, !t3) -> !t5
    %4 = "aten.u_softmax"(%3) {dim = 3 : i64, half_to_float = false} : (!t5) -> !t5
    %5 = "aten.matmul"(%4, %arg2) : (!t5, !t2) -> !t4
    return %5 : !t4
  }
  pdl.pattern @attention_multiplied_filled_of_rank_2 : benefit(6) {
    %q = pdl.operand
    %k = pdl.operand
    %v = pdl.operand
    %mask = pdl.operand
    %literal0 = pdl.attribute = 3 : i64
    %literal1 = pdl.attribute = false
    %type0_0 = pdl.type
    %op0 = pdl.operation "aten.matmul"(%q, %k : !pdl.value, !pdl.value) -> (%type0_0 : !pdl.type)
    %op0.r0 = pdl.result 0 of %op0
    %type1_0 = pdl.type
    %op1 = pdl.operation "aten.number" -> (%type1_0 : !pdl.type)
    %op1.r0 = pdl.result 0 of %op1
    %type2_0 = pdl.type
    %op2 = pdl.operation "aten.mul_tensor"(%op0.r0, %op1.r0 : !pdl.value, !pdl.value) -> (%type2_0 : !pdl.type)
    %op2.r0 = pdl.result 0 of %op2
    %type3_0 = pdl.type
    %op3 = pdl.operation "aten.masked_fill_scalar"(%op2.r0, %mask : !pdl.value, !pdl.value) -> (%type3_0 : !pdl.type)
    %op3.r0 = pdl.result 0 of %op3
    %type4_0 = pdl.type
    %op4 = pdl.operation "aten.u_softmax"(%op3.r0 : !pdl.value) {"dim" = %literal0, "half_to_float" = %literal1} -> (%type4_0 : !pdl.type)
    %op4.r0 = pdl.result 0 of %op4
    %type5_0 = pdl.type
    %op5 = pdl.operation "aten.matmul"(%op4.r0, %v : !pdl.value, !pdl.value) -> (%type5_0 : !pdl.type)
    %name = pdl.attribute = "attention_multiplied_filled_of_rank_2"
    pdl.apply_native_constraint "collect"(%name, %q, %k, %v, %mask, %op0, %op1, %op2, %op3, %op4, %op5 : !pdl.attribute, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation)
    pdl.rewrite %op5 with "replace"
  }
  func.func @replace(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}, %arg3: !t3 {aten.name = "mask"}) -> !t4 {
    %0 = "aten.scalar_tensor"() {device = #aten.enum<"device", "cpu">, dtype = #aten.enum<"dtype", "float32">, layout = #aten.enum<"layout", "strided">, pin_memory = #aten.none, s = 0.000000e+00 : f64} : () -> !t7
    %1 = "aten.scalar_tensor"() {device = #aten.enum<"device", "cpu">, dtype = #aten.enum<"dtype", "float32">, layout = #aten.enum<"layout", "strided">, pin_memory = #aten.none, s = #aten.expr<"fill">} : () -> !t7
    %2 = "aten.where_self"(%arg3, %1, %0) : (!t3, !t7, !t7) -> !t8
    %3 = "aten.permute"(%arg1) {dims = [0, 1, 3, 2]} : (!t1) -> !t9
    %4 = "aten.scaled_dot_product_attention"(%arg0, %3, %arg2, %2) {dropout_p = 0.000000e+00 : f64, enable_gqa = false, is_causal = false, scale = #aten.expr<"scale">} : (!t0, !t9, !t2, !t8) -> !t4
    %5 = "aten.amax"(%2) {dim = [1], keepdim = true} : (!t8) -> !t10
    %6 = "aten.eq_scalar"(%5) {other = 0xFFF0000000000000 : f64} : (!t10) -> !t11
    %7 = "aten.scalar_tensor"() {device = #aten.enum<"device", "cpu">, dtype = #aten.enum<"dtype", "float32">, layout = #aten.enum<"layout", "strided">, pin_memory = #aten.none, s = 0x7FF8000000000000 : f64} : () -> !t7
    %8 = "aten.where_self"(%6, %7, %4) : (!t11, !t7, !t4) -> !t4
    return %8 : !t4
  }
}
// -----
!t0 = tensor<?x?x?x?xbf16, #aten.layout<"cpu", [#aten.expr<"d0*d1*d2">, #aten.expr<"d1*d2">, #aten.expr<"d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d2">]>>
!t1 = tensor<?x?x?x?xbf16, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, 1, #aten.expr<"d2">], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d2">, #aten.expr<"d4">]>>
!t2 = tensor<?x?x?x?xbf16, #aten.layout<"cpu", [#aten.expr<"d0*d4*d5">, #aten.expr<"d4*d5">, #aten.expr<"d5">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d5">]>>
!t3 = tensor<?x?x?x?xi1, #aten.layout<"cpu", [#aten.expr<"d0*d1*d4">, #aten.expr<"d1*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d4">]>>
!t4 = tensor<?x?x?x?xbf16, #aten.layout<"cpu", [#aten.expr<"d0*d1*d5">, #aten.expr<"d1*d5">, #aten.expr<"d5">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d5">]>>
!t5 = tensor<?x?x?x?xbf16, #aten.layout<"cpu", [#aten.expr<"d0*d1*d4">, #aten.expr<"d1*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d4">]>>
!t6 = tensor<f64, #aten.layout<"cpu", [], 0 : i64, unit>>
!t7 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d4">, #aten.expr<"d1*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d4">]>>
!t8 = tensor<f32, #aten.layout<"cpu", [], 0 : i64, unit>>
!t9 = tensor<?x?x?x?xbf16, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, #aten.expr<"d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d2">]>>
!t10 = tensor<?x?x?x1xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1">, #aten.expr<"d1">, 1, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, 1]>>
!t11 = tensor<?x?x?x1xi1, #aten.layout<"cpu", [#aten.expr<"d0*d1">, #aten.expr<"d1">, 1, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, 1]>>
!t12 = tensor<bf16, #aten.layout<"cpu", [], 0 : i64, unit>>
module @attention_multiplied_filled_bfloat16 attributes {pattern.scalars = ["fill", "scale"]} {
  func.func @search(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}, %arg3: !t3 {aten.name = "mask", pattern.any_size}) -> !t4 {
    %0 = "aten.matmul"(%arg0, %arg1) : (!t0, !t1) -> !t5
    %1 = "aten.number"() {value = #aten.expr<"scale">} : () -> !t6
    %2 = "aten.mul_tensor"(%0, %1) : (!t5, !t6) -> !t5
    %3 = "aten.masked_fill_scalar"(%2, %arg3) {value = #aten.expr<"fill">} : (!t5, !t3) -> !t5
    %4 = "aten.u_to_copy"(%3) {device = #aten.none, dtype = #aten.enum<"dtype", "float32">, layout = #aten.none, memory_format = #aten.none, non_blocking = false, pin_memory = #aten.none} : (!t5) -> !t7
    %5 = "aten.u_softmax"(%4) {dim = 3 : i64, half_to_float = false} : (!t7) -> !t7
    %6 = "aten.u_to_copy"(%5) {device = #aten.none, dtype = #aten.enum<"dtype", "bfloat16">, layout = #aten.none, memory_format = #aten.none, non_blocking = false, pin_memory = #aten.none} : (!t7) -> !t5
    %7 = "aten.matmul"(%6, %arg2) : (!t5, !t2) -> !t4
    return %7 : !t4
  }
  pdl.pattern @attention_multiplied_filled_bfloat16 : benefit(8) {
    %q = pdl.operand
    %k = pdl.operand
    %v = pdl.operand
    %mask = pdl.operand
    %literal0 = pdl.attribute = #aten.none
    %literal1 = pdl.attribute = #aten.enum<"dtype", "float32">
    %literal2 = pdl.attribute = false
    %literal3 = pdl.attribute = 3 : i64
    %literal4 = pdl.attribute = #aten.enum<"dtype", "bfloat16">
    %type0_0 = pdl.type
    %op0 = pdl.operation "aten.matmul"(%q, %k : !pdl.value, !pdl.value) -> (%type0_0 : !pdl.type)
    %op0.r0 = pdl.result 0 of %op0
    %type1_0 = pdl.type
    %op1 = pdl.operation "aten.number" -> (%type1_0 : !pdl.type)
    %op1.r0 = pdl.result 0 of %op1
    %type2_0 = pdl.type
    %op2 = pdl.operation "aten.mul_tensor"(%op0.r0, %op1.r0 : !pdl.value, !pdl.value) -> (%type2_0 : !pdl.type)
    %op2.r0 = pdl.result 0 of %op2
    %type3_0 = pdl.type
    %op3 = pdl.operation "aten.masked_fill_scalar"(%op2.r0, %mask : !pdl.value, !pdl.value) -> (%type3_0 : !pdl.type)
    %op3.r0 = pdl.result 0 of %op3
    %type4_0 = pdl.type
    %op4 = pdl.operation "aten.u_to_copy"(%op3.r0 : !pdl.value) {"device" = %literal0, "dtype" = %literal1, "layout" = %literal0, "memory_format" = %literal0, "non_blocking" = %literal2, "pin_memory" = %literal0} -> (%type4_0 : !pdl.type)
    %op4.r0 = pdl.result 0 of %op4
    %type5_0 = pdl.type
    %op5 = pdl.operation "aten.u_softmax"(%op4.r0 : !pdl.value) {"dim" = %literal3, "half_to_float" = %literal2} -> (%type5_0 : !pdl.type)
    %op5.r0 = pdl.result 0 of %op5
    %type6_0 = pdl.type
    %op6 = pdl.operation "aten.u_to_copy"(%op5.r0 : !pdl.value) {"device" = %literal0, "dtype" = %literal4, "layout" = %literal0, "memory_format" = %literal0, "non_blocking" = %literal2, "pin_memory" = %literal0} -> (%type6_0 : !pdl.type)
    %op6.r0 = pdl.result 0 of %op6
    %type7_0 = pdl.type
    %op7 = pdl.operation "aten.matmul"(%op6.r0, %v : !pdl.value, !pdl.value) -> (%type7_0 : !pdl.type)
    %name = pdl.attribute = "attention_multiplied_filled_bfloat16"
    pdl.apply_native_constraint "collect"(%name, %q, %k, %v, %mask, %op0, %op1, %op2, %op3, %op4, %op5, %op6, %op7 : !pdl.attribute, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation)
    pdl.rewrite %op7 with "replace"
  }
  func.func @replace(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}, %arg3: !t3 {aten.name = "mask"}) -> !t4 {
    %0 = "aten.scalar_tensor"() {device = #aten.enum<"device", "cpu">, dtype = #aten.enum<"dtype", "float32">, layout = #aten.enum<"layout", "strided">, pin_memory = #aten.none, s = 0.000000e+00 : f64} : () -> !t8
    %1 = "aten.scalar_tensor"() {device = #aten.enum<"device", "cpu">, dtype = #aten.enum<"dtype", "float32">, layout = #aten.enum<"layout", "strided">, pin_memory = #aten.none, s = #aten.expr<"fill">} : () -> !t8
    %2 = "aten.where_self"(%arg3, %1, %0) : (!t3, !t8, !t8) -> !t7
    %3 = "aten.permute"(%arg1) {dims = [0, 1, 3, 2]} : (!t1) -> !t9
    %4 = "aten.scaled_dot_product_attention"(%arg0, %3, %arg2, %2) {dropout_p = 0.000000e+00 : f64, enable_gqa = false, is_causal = false, scale = #aten.expr<"scale">} : (!t0, !t9, !t2, !t7) -> !t4
    %5 = "aten.amax"(%2) {dim = [3], keepdim = true} : (!t7) -> !t10
    %6 = "aten.eq_scalar"(%5) {other = 0xFFF0000000000000 : f64} : (!t10) -> !t11
    %7 = "aten.scalar_tensor"() {device = #aten.enum<"device", "cpu">, dtype = #aten.enum<"dtype", "bfloat16">, layout = #aten.enum<"layout", "strided">, pin_memory = #aten.none, s = 0x7FF8000000000000 : f64} : () -> !t12
    %8 = "aten.where_self"(%6, %7, %4) : (!t11, !t12, !t4) -> !t4
    return %8 : !t4
  }
}
// -----
!t0 = tensor<?x?x?x?xf16, #aten.layout<"cpu", [#aten.expr<"d0*d1*d2">, #aten.expr<"d1*d2">, #aten.expr<"d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d2">]>>
!t1 = tensor<?x?x?x?xf16, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, 1, #aten.expr<"d2">], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d2">, #aten.expr<"d4">]>>
!t2 = tensor<?x?x?x?xf16, #aten.layout<"cpu", [#aten.expr<"d0*d4*d5">, #aten.expr<"d4*d5">, #aten.expr<"d5">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d5">]>>
!t3 = tensor<?x?x?x?xi1, #aten.layout<"cpu", [#aten.expr<"d0*d1*d4">, #aten.expr<"d1*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d4">]>>
!t4 = tensor<?x?x?x?xf16, #aten.layout<"cpu", [#aten.expr<"d0*d1*d5">, #aten.expr<"d1*d5">, #aten.expr<"d5">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d5">]>>
!t5 = tensor<?x?x?x?xf16, #aten.layout<"cpu", [#aten.expr<"d0*d1*d4">, #aten.expr<"d1*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d4">]>>
!t6 = tensor<f64, #aten.layout<"cpu", [], 0 : i64, unit>>
!t7 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d4">, #aten.expr<"d1*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d4">]>>
!t8 = tensor<f32, #aten.layout<"cpu", [], 0 : i64, unit>>
!t9 = tensor<?x?x?x?xf16, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, #aten.expr<"d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d2">]>>
!t10 = tensor<?x?x?x1xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1">, #aten.expr<"d1">, 1, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, 1]>>
!t11 = tensor<?x?x?x1xi1, #aten.layout<"cpu", [#aten.expr<"d0*d1">, #aten.expr<"d1">, 1, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, 1]>>
!t12 = tensor<f16, #aten.layout<"cpu", [], 0 : i64, unit>>
module @attention_multiplied_filled_float16 attributes {pattern.scalars = ["fill", "scale"]} {
  func.func @search(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}, %arg3: !t3 {aten.name = "mask", pattern.any_size}) -> !t4 {
    %0 = "aten.matmul"(%arg0, %arg1) : (!t0, !t1) -> !t5
    %1 = "aten.number"() {value = #aten.expr<"scale">} : () -> !t6
    %2 = "aten.mul_tensor"(%0, %1) : (!t5, !t6) -> !t5
    %3 = "aten.masked_fill_scalar"(%2, %arg3) {value = #aten.expr<"fill">} : (!t5, !t3) -> !t5
    %4 = "aten.u_to_copy"(%3) {device = #aten.none, dtype = #aten.enum<"dtype", "float32">, layout = #aten.none, memory_format = #aten.none, non_blocking = false, pin_memory = #aten.none} : (!t5) -> !t7
    %5 = "aten.u_softmax"(%4) {dim = 3 : i64, half_to_float = false} : (!t7) -> !t7
    %6 = "aten.u_to_copy"(%5) {device = #aten.none, dtype = #aten.enum<"dtype", "float16">, layout = #aten.none, memory_format = #aten.none, non_blocking = false, pin_memory = #aten.none} : (!t7) -> !t5
    %7 = "aten.matmul"(%6, %arg2) : (!t5, !t2) -> !t4
    return %7 : !t4
  }
  pdl.pattern @attention_multiplied_filled_float16 : benefit(8) {
    %q = pdl.operand
    %k = pdl.operand
    %v = pdl.operand
    %mask = pdl.operand
    %literal0 = pdl.attribute = #aten.none
    %literal1 = pdl.attribute = #aten.enum<"dtype", "float32">
    %literal2 = pdl.attribute = false
    %literal3 = pdl.attribute = 3 : i64
    %literal4 = pdl.attribute = #aten.enum<"dtype", "float16">
    %type0_0 = pdl.type
    %op0 = pdl.operation "aten.matmul"(%q, %k : !pdl.value, !pdl.value) -> (%type0_0 : !pdl.type)
    %op0.r0 = pdl.result 0 of %op0
    %type1_0 = pdl.type
    %op1 = pdl.operation "aten.number" -> (%type1_0 : !pdl.type)
    %op1.r0 = pdl.result 0 of %op1
    %type2_0 = pdl.type
    %op2 = pdl.operation "aten.mul_tensor"(%op0.r0, %op1.r0 : !pdl.value, !pdl.value) -> (%type2_0 : !pdl.type)
    %op2.r0 = pdl.result 0 of %op2
    %type3_0 = pdl.type
    %op3 = pdl.operation "aten.masked_fill_scalar"(%op2.r0, %mask : !pdl.value, !pdl.value) -> (%type3_0 : !pdl.type)
    %op3.r0 = pdl.result 0 of %op3
    %type4_0 = pdl.type
    %op4 = pdl.operation "aten.u_to_copy"(%op3.r0 : !pdl.value) {"device" = %literal0, "dtype" = %literal1, "layout" = %literal0, "memory_format" = %literal0, "non_blocking" = %literal2, "pin_memory" = %literal0} -> (%type4_0 : !pdl.type)
    %op4.r0 = pdl.result 0 of %op4
    %type5_0 = pdl.type
    %op5 = pdl.operation "aten.u_softmax"(%op4.r0 : !pdl.value) {"dim" = %literal3, "half_to_float" = %literal2} -> (%type5_0 : !pdl.type)
    %op5.r0 = pdl.result 0 of %op5
    %type6_0 = pdl.type
    %op6 = pdl.operation "aten.u_to_copy"(%op5.r0 : !pdl.value) {"device" = %literal0, "dtype" = %literal4, "layout" = %literal0, "memory_format" = %literal0, "non_blocking" = %literal2, "pin_memory" = %literal0} -> (%type6_0 : !pdl.type)
    %op6.r0 = pdl.result 0 of %op6
    %type7_0 = pdl.type
    %op7 = pdl.operation "aten.matmul"(%op6.r0, %v : !pdl.value, !pdl.value) -> (%type7_0 : !pdl.type)
    %name = pdl.attribute = "attention_multiplied_filled_float16"
    pdl.apply_native_constraint "collect"(%name, %q, %k, %v, %mask, %op0, %op1, %op2, %op3, %op4, %op5, %op6, %op7 : !pdl.attribute, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation)
    pdl.rewrite %op7 with "replace"
  }
  func.func @replace(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}, %arg3: !t3 {aten.name = "mask"}) -> !t4 {
    %0 = "aten.scalar_tensor"() {device = #aten.enum<"device", "cpu">, dtype = #aten.enum<"dtype", "float32">, layout = #aten.enum<"layout", "strided">, pin_memory = #aten.none, s = 0.000000e+00 : f64} : () -> !t8
    %1 = "aten.scalar_tensor"() {device = #aten.enum<"device", "cpu">, dtype = #aten.enum<"dtype", "float32">, layout = #aten.enum<"layout", "strided">, pin_memory = #aten.none, s = #aten.expr<"fill">} : () -> !t8
    %2 = "aten.where_self"(%arg3, %1, %0) : (!t3, !t8, !t8) -> !t7
    %3 = "aten.permute"(%arg1) {dims = [0, 1, 3, 2]} : (!t1) -> !t9
    %4 = "aten.scaled_dot_product_attention"(%arg0, %3, %arg2, %2) {dropout_p = 0.000000e+00 : f64, enable_gqa = false, is_causal = false, scale = #aten.expr<"scale">} : (!t0, !t9, !t2, !t7) -> !t4
    %5 = "aten.amax"(%2) {dim = [3], keepdim = true} : (!t7) -> !t10
    %6 = "aten.eq_scalar"(%5) {other = 0xFFF0000000000000 : f64} : (!t10) -> !t11
    %7 = "aten.scalar_tensor"() {device = #aten.enum<"device", "cpu">, dtype = #aten.enum<"dtype", "float16">, layout = #aten.enum<"layout", "strided">, pin_memory = #aten.none, s = 0x7FF8000000000000 : f64} : () -> !t12
    %8 = "aten.where_self"(%6, %7, %4) : (!t11, !t12, !t4) -> !t4
    return %8 : !t4
  }
}
// -----
!t0 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d2">, #aten.expr<"d1*d2">, #aten.expr<"d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d2">]>>
!t1 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, 1, #aten.expr<"d2">], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d2">, #aten.expr<"d4">]>>
!t2 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d4*d5">, #aten.expr<"d4*d5">, #aten.expr<"d5">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d5">]>>
!t3 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d5">, #aten.expr<"d1*d5">, #aten.expr<"d5">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d5">]>>
!t4 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d4">, #aten.expr<"d1*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d4">]>>
!t5 = tensor<f64, #aten.layout<"cpu", [], 0 : i64, unit>>
!t6 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, #aten.expr<"d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d2">]>>
module @attention_divided_unmasked attributes {pattern.scalars = ["scale"]} {
  func.func @search(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}) -> !t3 {
    %0 = "aten.matmul"(%arg0, %arg1) : (!t0, !t1) -> !t4
    %1 = "aten.number"() {value = #aten.expr<"scale">} : () -> !t5
    %2 = "aten.div_tensor"(%0, %1) : (!t4, !t5) -> !t4
    %3 = "aten.u_softmax"(%2) {dim = 3 : i64, half_to_float = false} : (!t4) -> !t4
    %4 = "aten.matmul"(%3, %arg2) : (!t4, !t2) -> !t3
    return %4 : !t3
  }
  pdl.pattern @attention_divided_unmasked : benefit(5) {
    %q = pdl.operand
    %k = pdl.operand
    %v = pdl.operand
    %literal0 = pdl.attribute = 3 : i64
    %literal1 = pdl.attribute = false
    %type0_0 = pdl.type
    %op0 = pdl.operation "aten.matmul"(%q, %k : !pdl.value, !pdl.value) -> (%type0_0 : !pdl.type)
    %op0.r0 = pdl.result 0 of %op0
    %type1_0 = pdl.type
    %op1 = pdl.operation "aten.number" -> (%type1_0 : !pdl.type)
    %op1.r0 = pdl.result 0 of %op1
    %type2_0 = pdl.type
    %op2 = pdl.operation "aten.div_tensor"(%op0.r0, %op1.r0 : !pdl.value, !pdl.value) -> (%type2_0 : !pdl.type)
    %op2.r0 = pdl.result 0 of %op2
    %type3_0 = pdl.type
    %op3 = pdl.operation "aten.u_softmax"(%op2.r0 : !pdl.value) {"dim" = %literal0, "half_to_float" = %literal1} -> (%type3_0 : !pdl.type)
    %op3.r0 = pdl.result 0 of %op3
    %type4_0 = pdl.type
    %op4 = pdl.operation "aten.matmul"(%op3.r0, %v : !pdl.value, !pdl.value) -> (%type4_0 : !pdl.type)
    %name = pdl.attribute = "attention_divided_unmasked"
    pdl.apply_native_constraint "collect"(%name, %q, %k, %v, %op0, %op1, %op2, %op3, %op4 : !pdl.attribute, !pdl.value, !pdl.value, !pdl.value, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation)
    pdl.rewrite %op4 with "replace"
  }
  func.func @replace(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}) -> !t3 {
    %0 = "aten.permute"(%arg1) {dims = [0, 1, 3, 2]} : (!t1) -> !t6
    %1 = "aten.scaled_dot_product_attention"(%arg0, %0, %arg2) {dropout_p = 0.000000e+00 : f64, enable_gqa = false, is_causal = false, scale = #aten.expr<"1.0/scale">} : (!t0, !t6, !t2) -> !t3
    return %1 : !t3
  }
}
// -----
!t0 = tensor<?x?x?x?xbf16, #aten.layout<"cpu", [#aten.expr<"d0*d1*d2">, #aten.expr<"d1*d2">, #aten.expr<"d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d2">]>>
!t1 = tensor<?x?x?x?xbf16, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, 1, #aten.expr<"d2">], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d2">, #aten.expr<"d4">]>>
!t2 = tensor<?x?x?x?xbf16, #aten.layout<"cpu", [#aten.expr<"d0*d4*d5">, #aten.expr<"d4*d5">, #aten.expr<"d5">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d5">]>>
!t3 = tensor<?x?x?x?xbf16, #aten.layout<"cpu", [#aten.expr<"d0*d1*d5">, #aten.expr<"d1*d5">, #aten.expr<"d5">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d5">]>>
!t4 = tensor<?x?x?x?xbf16, #aten.layout<"cpu", [#aten.expr<"d0*d1*d4">, #aten.expr<"d1*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d4">]>>
!t5 = tensor<f64, #aten.layout<"cpu", [], 0 : i64, unit>>
!t6 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d4">, #aten.expr<"d1*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d4">]>>
!t7 = tensor<?x?x?x?xbf16, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, #aten.expr<"d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d2">]>>
module @attention_divided_unmasked_bfloat16 attributes {pattern.scalars = ["scale"]} {
  func.func @search(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}) -> !t3 {
    %0 = "aten.matmul"(%arg0, %arg1) : (!t0, !t1) -> !t4
    %1 = "aten.number"() {value = #aten.expr<"scale">} : () -> !t5
    %2 = "aten.div_tensor"(%0, %1) : (!t4, !t5) -> !t4
    %3 = "aten.u_to_copy"(%2) {device = #aten.none, dtype = #aten.enum<"dtype", "float32">, layout = #aten.none, memory_format = #aten.none, non_blocking = false, pin_memory = #aten.none} : (!t4) -> !t6
    %4 = "aten.u_softmax"(%3) {dim = 3 : i64, half_to_float = false} : (!t6) -> !t6
    %5 = "aten.u_to_copy"(%4) {device = #aten.none, dtype = #aten.enum<"dtype", "bfloat16">, layout = #aten.none, memory_format = #aten.none, non_blocking = false, pin_memory = #aten.none} : (!t6) -> !t4
    %6 = "aten.matmul"(%5, %arg2) : (!t4, !t2) -> !t3
    return %6 : !t3
  }
  pdl.pattern @attention_divided_unmasked_bfloat16 : benefit(7) {
    %q = pdl.operand
    %k = pdl.operand
    %v = pdl.operand
    %literal0 = pdl.attribute = #aten.none
    %literal1 = pdl.attribute = #aten.enum<"dtype", "float32">
    %literal2 = pdl.attribute = false
    %literal3 = pdl.attribute = 3 : i64
    %literal4 = pdl.attribute = #aten.enum<"dtype", "bfloat16">
    %type0_0 = pdl.type
    %op0 = pdl.operation "aten.matmul"(%q, %k : !pdl.value, !pdl.value) -> (%type0_0 : !pdl.type)
    %op0.r0 = pdl.result 0 of %op0
    %type1_0 = pdl.type
    %op1 = pdl.operation "aten.number" -> (%type1_0 : !pdl.type)
    %op1.r0 = pdl.result 0 of %op1
    %type2_0 = pdl.type
    %op2 = pdl.operation "aten.div_tensor"(%op0.r0, %op1.r0 : !pdl.value, !pdl.value) -> (%type2_0 : !pdl.type)
    %op2.r0 = pdl.result 0 of %op2
    %type3_0 = pdl.type
    %op3 = pdl.operation "aten.u_to_copy"(%op2.r0 : !pdl.value) {"device" = %literal0, "dtype" = %literal1, "layout" = %literal0, "memory_format" = %literal0, "non_blocking" = %literal2, "pin_memory" = %literal0} -> (%type3_0 : !pdl.type)
    %op3.r0 = pdl.result 0 of %op3
    %type4_0 = pdl.type
    %op4 = pdl.operation "aten.u_softmax"(%op3.r0 : !pdl.value) {"dim" = %literal3, "half_to_float" = %literal2} -> (%type4_0 : !pdl.type)
    %op4.r0 = pdl.result 0 of %op4
    %type5_0 = pdl.type
    %op5 = pdl.operation "aten.u_to_copy"(%op4.r0 : !pdl.value) {"device" = %literal0, "dtype" = %literal4, "layout" = %literal0, "memory_format" = %literal0, "non_blocking" = %literal2, "pin_memory" = %literal0} -> (%type5_0 : !pdl.type)
    %op5.r0 = pdl.result 0 of %op5
    %type6_0 = pdl.type
    %op6 = pdl.operation "aten.matmul"(%op5.r0, %v : !pdl.value, !pdl.value) -> (%type6_0 : !pdl.type)
    %name = pdl.attribute = "attention_divided_unmasked_bfloat16"
    pdl.apply_native_constraint "collect"(%name, %q, %k, %v, %op0, %op1, %op2, %op3, %op4, %op5, %op6 : !pdl.attribute, !pdl.value, !pdl.value, !pdl.value, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation)
    pdl.rewrite %op6 with "replace"
  }
  func.func @replace(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}) -> !t3 {
    %0 = "aten.permute"(%arg1) {dims = [0, 1, 3, 2]} : (!t1) -> !t7
    %1 = "aten.scaled_dot_product_attention"(%arg0, %0, %arg2) {dropout_p = 0.000000e+00 : f64, enable_gqa = false, is_causal = false, scale = #aten.expr<"1.0/scale">} : (!t0, !t7, !t2) -> !t3
    return %1 : !t3
  }
}
// -----
!t0 = tensor<?x?x?x?xf16, #aten.layout<"cpu", [#aten.expr<"d0*d1*d2">, #aten.expr<"d1*d2">, #aten.expr<"d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d2">]>>
!t1 = tensor<?x?x?x?xf16, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, 1, #aten.expr<"d2">], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d2">, #aten.expr<"d4">]>>
!t2 = tensor<?x?x?x?xf16, #aten.layout<"cpu", [#aten.expr<"d0*d4*d5">, #aten.expr<"d4*d5">, #aten.expr<"d5">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d5">]>>
!t3 = tensor<?x?x?x?xf16, #aten.layout<"cpu", [#aten.expr<"d0*d1*d5">, #aten.expr<"d1*d5">, #aten.expr<"d5">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d5">]>>
!t4 = tensor<?x?x?x?xf16, #aten.layout<"cpu", [#aten.expr<"d0*d1*d4">, #aten.expr<"d1*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d4">]>>
!t5 = tensor<f64, #aten.layout<"cpu", [], 0 : i64, unit>>
!t6 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d4">, #aten.expr<"d1*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d4">]>>
!t7 = tensor<?x?x?x?xf16, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, #aten.expr<"d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d2">]>>
module @attention_divided_unmasked_float16 attributes {pattern.scalars = ["scale"]} {
  func.func @search(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}) -> !t3 {
    %0 = "aten.matmul"(%arg0, %arg1) : (!t0, !t1) -> !t4
    %1 = "aten.number"() {value = #aten.expr<"scale">} : () -> !t5
    %2 = "aten.div_tensor"(%0, %1) : (!t4, !t5) -> !t4
    %3 = "aten.u_to_copy"(%2) {device = #aten.none, dtype = #aten.enum<"dtype", "float32">, layout = #aten.none, memory_format = #aten.none, non_blocking = false, pin_memory = #aten.none} : (!t4) -> !t6
    %4 = "aten.u_softmax"(%3) {dim = 3 : i64, half_to_float = false} : (!t6) -> !t6
    %5 = "aten.u_to_copy"(%4) {device = #aten.none, dtype = #aten.enum<"dtype", "float16">, layout = #aten.none, memory_format = #aten.none, non_blocking = false, pin_memory = #aten.none} : (!t6) -> !t4
    %6 = "aten.matmul"(%5, %arg2) : (!t4, !t2) -> !t3
    return %6 : !t3
  }
  pdl.pattern @attention_divided_unmasked_float16 : benefit(7) {
    %q = pdl.operand
    %k = pdl.operand
    %v = pdl.operand
    %literal0 = pdl.attribute = #aten.none
    %literal1 = pdl.attribute = #aten.enum<"dtype", "float32">
    %literal2 = pdl.attribute = false
    %literal3 = pdl.attribute = 3 : i64
    %literal4 = pdl.attribute = #aten.enum<"dtype", "float16">
    %type0_0 = pdl.type
    %op0 = pdl.operation "aten.matmul"(%q, %k : !pdl.value, !pdl.value) -> (%type0_0 : !pdl.type)
    %op0.r0 = pdl.result 0 of %op0
    %type1_0 = pdl.type
    %op1 = pdl.operation "aten.number" -> (%type1_0 : !pdl.type)
    %op1.r0 = pdl.result 0 of %op1
    %type2_0 = pdl.type
    %op2 = pdl.operation "aten.div_tensor"(%op0.r0, %op1.r0 : !pdl.value, !pdl.value) -> (%type2_0 : !pdl.type)
    %op2.r0 = pdl.result 0 of %op2
    %type3_0 = pdl.type
    %op3 = pdl.operation "aten.u_to_copy"(%op2.r0 : !pdl.value) {"device" = %literal0, "dtype" = %literal1, "layout" = %literal0, "memory_format" = %literal0, "non_blocking" = %literal2, "pin_memory" = %literal0} -> (%type3_0 : !pdl.type)
    %op3.r0 = pdl.result 0 of %op3
    %type4_0 = pdl.type
    %op4 = pdl.operation "aten.u_softmax"(%op3.r0 : !pdl.value) {"dim" = %literal3, "half_to_float" = %literal2} -> (%type4_0 : !pdl.type)
    %op4.r0 = pdl.result 0 of %op4
    %type5_0 = pdl.type
    %op5 = pdl.operation "aten.u_to_copy"(%op4.r0 : !pdl.value) {"device" = %literal0, "dtype" = %literal4, "layout" = %literal0, "memory_format" = %literal0, "non_blocking" = %literal2, "pin_memory" = %literal0} -> (%type5_0 : !pdl.type)
    %op5.r0 = pdl.result 0 of %op5
    %type6_0 = pdl.type
    %op6 = pdl.operation "aten.matmul"(%op5.r0, %v : !pdl.value, !pdl.value) -> (%type6_0 : !pdl.type)
    %name = pdl.attribute = "attention_divided_unmasked_float16"
    pdl.apply_native_constraint "collect"(%name, %q, %k, %v, %op0, %op1, %op2, %op3, %op4, %op5, %op6 : !pdl.attribute, !pdl.value, !pdl.value, !pdl.value, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation)
    pdl.rewrite %op6 with "replace"
  }
  func.func @replace(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}) -> !t3 {
    %0 = "aten.permute"(%arg1) {dims = [0, 1, 3, 2]} : (!t1) -> !t7
    %1 = "aten.scaled_dot_product_attention"(%arg0, %0, %arg2) {dropout_p = 0.000000e+00 : f64, enable_gqa = false, is_causal = false, scale = #aten.expr<"1.0/scale">} : (!t0, !t7, !t2) -> !t3
    return %1 : !t3
  }
}
// -----
!t0 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d2">, #aten.expr<"d1*d2">, #aten.expr<"d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d2">]>>
!t1 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, 1, #aten.expr<"d2">], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d2">, #aten.expr<"d4">]>>
!t2 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d4*d5">, #aten.expr<"d4*d5">, #aten.expr<"d5">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d5">]>>
!t3 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d4">, #aten.expr<"d1*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d4">]>>
!t4 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d5">, #aten.expr<"d1*d5">, #aten.expr<"d5">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d5">]>>
!t5 = tensor<f64, #aten.layout<"cpu", [], 0 : i64, unit>>
!t6 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, #aten.expr<"d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d2">]>>
!t7 = tensor<?x?x?x1xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1">, #aten.expr<"d1">, 1, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, 1]>>
!t8 = tensor<?x?x?x1xi1, #aten.layout<"cpu", [#aten.expr<"d0*d1">, #aten.expr<"d1">, 1, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, 1]>>
!t9 = tensor<f32, #aten.layout<"cpu", [], 0 : i64, unit>>
module @attention_divided_added attributes {pattern.scalars = ["scale"]} {
  func.func @search(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}, %arg3: !t3 {aten.name = "mask", pattern.any_size}) -> !t4 {
    %0 = "aten.matmul"(%arg0, %arg1) : (!t0, !t1) -> !t3
    %1 = "aten.number"() {value = #aten.expr<"scale">} : () -> !t5
    %2 = "aten.div_tensor"(%0, %1) : (!t3, !t5) -> !t3
    %3 = "aten.add_tensor"(%2, %arg3) {alpha = 1 : i64} : (!t3, !t3) -> !t3
    %4 = "aten.u_softmax"(%3) {dim = 3 : i64, half_to_float = false} : (!t3) -> !t3
    %5 = "aten.matmul"(%4, %arg2) : (!t3, !t2) -> !t4
    return %5 : !t4
  }
  pdl.pattern @attention_divided_added : benefit(6) {
    %q = pdl.operand
    %k = pdl.operand
    %v = pdl.operand
    %mask = pdl.operand
    %literal0 = pdl.attribute = 1 : i64
    %literal1 = pdl.attribute = 3 : i64
    %literal2 = pdl.attribute = false
    %type0_0 = pdl.type
    %op0 = pdl.operation "aten.matmul"(%q, %k : !pdl.value, !pdl.value) -> (%type0_0 : !pdl.type)
    %op0.r0 = pdl.result 0 of %op0
    %type1_0 = pdl.type
    %op1 = pdl.operation "aten.number" -> (%type1_0 : !pdl.type)
    %op1.r0 = pdl.result 0 of %op1
    %type2_0 = pdl.type
    %op2 = pdl.operation "aten.div_tensor"(%op0.r0, %op1.r0 : !pdl.value, !pdl.value) -> (%type2_0 : !pdl.type)
    %op2.r0 = pdl.result 0 of %op2
    %type3_0 = pdl.type
    %op3 = pdl.operation "aten.add_tensor"(%op2.r0, %mask : !pdl.value, !pdl.value) {"alpha" = %literal0} -> (%type3_0 : !pdl.type)
    %op3.r0 = pdl.result 0 of %op3
    %type4_0 = pdl.type
    %op4 = pdl.operation "aten.u_softmax"(%op3.r0 : !pdl.value) {"dim" = %literal1, "half_to_float" = %literal2} -> (%type4_0 : !pdl.type)
    %op4.r0 = pdl.result 0 of %op4
    %type5_0 = pdl.type
    %op5 = pdl.operation "aten.matmul"(%op4.r0, %v : !pdl.value, !pdl.value) -> (%type5_0 : !pdl.type)
    %name = pdl.attribute = "attention_divided_added"
    pdl.apply_native_constraint "collect"(%name, %q, %k, %v, %mask, %op0, %op1, %op2, %op3, %op4, %op5 : !pdl.attribute, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation)
    pdl.rewrite %op5 with "replace"
  }
  pdl.pattern @attention_divided_added_1 : benefit(6) {
    %q = pdl.operand
    %k = pdl.operand
    %v = pdl.operand
    %mask = pdl.operand
    %literal0 = pdl.attribute = 1 : i64
    %literal1 = pdl.attribute = 3 : i64
    %literal2 = pdl.attribute = false
    %type0_0 = pdl.type
    %op0 = pdl.operation "aten.matmul"(%q, %k : !pdl.value, !pdl.value) -> (%type0_0 : !pdl.type)
    %op0.r0 = pdl.result 0 of %op0
    %type1_0 = pdl.type
    %op1 = pdl.operation "aten.number" -> (%type1_0 : !pdl.type)
    %op1.r0 = pdl.result 0 of %op1
    %type2_0 = pdl.type
    %op2 = pdl.operation "aten.div_tensor"(%op0.r0, %op1.r0 : !pdl.value, !pdl.value) -> (%type2_0 : !pdl.type)
    %op2.r0 = pdl.result 0 of %op2
    %type3_0 = pdl.type
    %op3 = pdl.operation "aten.add_tensor"(%mask, %op2.r0 : !pdl.value, !pdl.value) {"alpha" = %literal0} -> (%type3_0 : !pdl.type)
    %op3.r0 = pdl.result 0 of %op3
    %type4_0 = pdl.type
    %op4 = pdl.operation "aten.u_softmax"(%op3.r0 : !pdl.value) {"dim" = %literal1, "half_to_float" = %literal2} -> (%type4_0 : !pdl.type)
    %op4.r0 = pdl.result 0 of %op4
    %type5_0 = pdl.type
    %op5 = pdl.operation "aten.matmul"(%op4.r0, %v : !pdl.value, !pdl.value) -> (%type5_0 : !pdl.type)
    %name = pdl.attribute = "attention_divided_added"
    pdl.apply_native_constraint "collect"(%name, %q, %k, %v, %mask, %op0, %op1, %op2, %op3, %op4, %op5 : !pdl.attribute, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation)
    pdl.rewrite %op5 with "replace"
  }
  func.func @replace(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}, %arg3: !t3 {aten.name = "mask"}) -> !t4 {
    %0 = "aten.permute"(%arg1) {dims = [0, 1, 3, 2]} : (!t1) -> !t6
    %1 = "aten.scaled_dot_product_attention"(%arg0, %0, %arg2, %arg3) {dropout_p = 0.000000e+00 : f64, enable_gqa = false, is_causal = false, scale = #aten.expr<"1.0/scale">} : (!t0, !t6, !t2, !t3) -> !t4
    %2 = "aten.amax"(%arg3) {dim = [3], keepdim = true} : (!t3) -> !t7
    %3 = "aten.eq_scalar"(%2) {other = 0xFFF0000000000000 : f64} : (!t7) -> !t8
    %4 = "aten.scalar_tensor"() {device = #aten.enum<"device", "cpu">, dtype = #aten.enum<"dtype", "float32">, layout = #aten.enum<"layout", "strided">, pin_memory = #aten.none, s = 0x7FF8000000000000 : f64} : () -> !t9
    %5 = "aten.where_self"(%3, %4, %1) : (!t8, !t9, !t4) -> !t4
    return %5 : !t4
  }
}
// -----
!t0 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d2">, #aten.expr<"d1*d2">, #aten.expr<"d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d2">]>>
!t1 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, 1, #aten.expr<"d2">], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d2">, #aten.expr<"d4">]>>
!t2 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d4*d5">, #aten.expr<"d4*d5">, #aten.expr<"d5">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d5">]>>
!t3 = tensor<?x?xf32, #aten.layout<"cpu", [#aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d1">, #aten.expr<"d4">]>>
!t4 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d5">, #aten.expr<"d1*d5">, #aten.expr<"d5">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d5">]>>
!t5 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d4">, #aten.expr<"d1*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d4">]>>
!t6 = tensor<f64, #aten.layout<"cpu", [], 0 : i64, unit>>
!t7 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, #aten.expr<"d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d2">]>>
!t8 = tensor<?x1xf32, #aten.layout<"cpu", [1, 1], 0 : i64, [#aten.expr<"d1">, 1]>>
!t9 = tensor<?x1xi1, #aten.layout<"cpu", [1, 1], 0 : i64, [#aten.expr<"d1">, 1]>>
!t10 = tensor<f32, #aten.layout<"cpu", [], 0 : i64, unit>>
module @attention_divided_added_of_rank_2 attributes {pattern.scalars = ["scale"]} {
  func.func @search(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}, %arg3: !t3 {aten.name = "mask", pattern.any_size}) -> !t4 {
    %0 = "aten.matmul"(%arg0, %arg1) : (!t0, !t1) -> !t5
    %1 = "aten.number"() {value = #aten.expr<"scale">} : () -> !t6
    %2 = "aten.div_tensor"(%0, %1) : (!t5, !t6) -> !t5
    %3 = "aten.add_tensor"(%2, %arg3) {alpha = 1 : i64} : (!t5, !t3) -> !t5
    %4 = "aten.u_softmax"(%3) {dim = 3 : i64, half_to_float = false} : (!t5) -> !t5
    %5 = "aten.matmul"(%4, %arg2) : (!t5, !t2) -> !t4
    return %5 : !t4
  }
  pdl.pattern @attention_divided_added_of_rank_2 : benefit(6) {
    %q = pdl.operand
    %k = pdl.operand
    %v = pdl.operand
    %mask = pdl.operand
    %literal0 = pdl.attribute = 1 : i64
    %literal1 = pdl.attribute = 3 : i64
    %literal2 = pdl.attribute = false
    %type0_0 = pdl.type
    %op0 = pdl.operation "aten.matmul"(%q, %k : !pdl.value, !pdl.value) -> (%type0_0 : !pdl.type)
    %op0.r0 = pdl.result 0 of %op0
    %type1_0 = pdl.type
    %op1 = pdl.operation "aten.number" -> (%type1_0 : !pdl.type)
    %op1.r0 = pdl.result 0 of %op1
    %type2_0 = pdl.type
    %op2 = pdl.operation "aten.div_tensor"(%op0.r0, %op1.r0 : !pdl.value, !pdl.value) -> (%type2_0 : !pdl.type)
    %op2.r0 = pdl.result 0 of %op2
    %type3_0 = pdl.type
    %op3 = pdl.operation "aten.add_tensor"(%op2.r0, %mask : !pdl.value, !pdl.value) {"alpha" = %literal0} -> (%type3_0 : !pdl.type)
    %op3.r0 = pdl.result 0 of %op3
    %type4_0 = pdl.type
    %op4 = pdl.operation "aten.u_softmax"(%op3.r0 : !pdl.value) {"dim" = %literal1, "half_to_float" = %literal2} -> (%type4_0 : !pdl.type)
    %op4.r0 = pdl.result 0 of %op4
    %type5_0 = pdl.type
    %op5 = pdl.operation "aten.matmul"(%op4.r0, %v : !pdl.value, !pdl.value) -> (%type5_0 : !pdl.type)
    %name = pdl.attribute = "attention_divided_added_of_rank_2"
    pdl.apply_native_constraint "collect"(%name, %q, %k, %v, %mask, %op0, %op1, %op2, %op3, %op4, %op5 : !pdl.attribute, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation)
    pdl.rewrite %op5 with "replace"
  }
  pdl.pattern @attention_divided_added_of_rank_2_1 : benefit(6) {
    %q = pdl.operand
    %k = pdl.operand
    %v = pdl.operand
    %mask = pdl.operand
    %literal0 = pdl.attribute = 1 : i64
    %literal1 = pdl.attribute = 3 : i64
    %literal2 = pdl.attribute = false
    %type0_0 = pdl.type
    %op0 = pdl.operation "aten.matmul"(%q, %k : !pdl.value, !pdl.value) -> (%type0_0 : !pdl.type)
    %op0.r0 = pdl.result 0 of %op0
    %type1_0 = pdl.type
    %op1 = pdl.operation "aten.number" -> (%type1_0 : !pdl.type)
    %op1.r0 = pdl.result 0 of %op1
    %type2_0 = pdl.type
    %op2 = pdl.operation "aten.div_tensor"(%op0.r0, %op1.r0 : !pdl.value, !pdl.value) -> (%type2_0 : !pdl.type)
    %op2.r0 = pdl.result 0 of %op2
    %type3_0 = pdl.type
    %op3 = pdl.operation "aten.add_tensor"(%mask, %op2.r0 : !pdl.value, !pdl.value) {"alpha" = %literal0} -> (%type3_0 : !pdl.type)
    %op3.r0 = pdl.result 0 of %op3
    %type4_0 = pdl.type
    %op4 = pdl.operation "aten.u_softmax"(%op3.r0 : !pdl.value) {"dim" = %literal1, "half_to_float" = %literal2} -> (%type4_0 : !pdl.type)
    %op4.r0 = pdl.result 0 of %op4
    %type5_0 = pdl.type
    %op5 = pdl.operation "aten.matmul"(%op4.r0, %v : !pdl.value, !pdl.value) -> (%type5_0 : !pdl.type)
    %name = pdl.attribute = "attention_divided_added_of_rank_2"
    pdl.apply_native_constraint "collect"(%name, %q, %k, %v, %mask, %op0, %op1, %op2, %op3, %op4, %op5 : !pdl.attribute, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation)
    pdl.rewrite %op5 with "replace"
  }
  func.func @replace(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}, %arg3: !t3 {aten.name = "mask"}) -> !t4 {
    %0 = "aten.permute"(%arg1) {dims = [0, 1, 3, 2]} : (!t1) -> !t7
    %1 = "aten.scaled_dot_product_attention"(%arg0, %0, %arg2, %arg3) {dropout_p = 0.000000e+00 : f64, enable_gqa = false, is_causal = false, scale = #aten.expr<"1.0/scale">} : (!t0, !t7, !t2, !t3) -> !t4
    %2 = "aten.amax"(%arg3) {dim = [1], keepdim = true} : (!t3) -> !t8
    %3 = "aten.eq_scalar"(%2) {other = 0xFFF0000000000000 : f64} : (!t8) -> !t9
    %4 = "aten.scalar_tensor"() {device = #aten.enum<"device", "cpu">, dtype = #aten.enum<"dtype", "float32">, layout = #aten.enum<"layout", "strided">, pin_memory = #aten.none, s = 0x7FF8000000000000 : f64} : () -> !t10
    %5 = "aten.where_self"(%3, %4, %1) : (!t9, !t10, !t4) -> !t4
    return %5 : !t4
  }
}
// -----
!t0 = tensor<?x?x?x?xbf16, #aten.layout<"cpu", [#aten.expr<"d0*d1*d2">, #aten.expr<"d1*d2">, #aten.expr<"d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d2">]>>
!t1 = tensor<?x?x?x?xbf16, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, 1, #aten.expr<"d2">], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d2">, #aten.expr<"d4">]>>
!t2 = tensor<?x?x?x?xbf16, #aten.layout<"cpu", [#aten.expr<"d0*d4*d5">, #aten.expr<"d4*d5">, #aten.expr<"d5">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d5">]>>
!t3 = tensor<?x?x?x?xbf16, #aten.layout<"cpu", [#aten.expr<"d0*d1*d4">, #aten.expr<"d1*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d4">]>>
!t4 = tensor<?x?x?x?xbf16, #aten.layout<"cpu", [#aten.expr<"d0*d1*d5">, #aten.expr<"d1*d5">, #aten.expr<"d5">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d5">]>>
!t5 = tensor<f64, #aten.layout<"cpu", [], 0 : i64, unit>>
!t6 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d4">, #aten.expr<"d1*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d4">]>>
!t7 = tensor<?x?x?x?xbf16, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, #aten.expr<"d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d2">]>>
!t8 = tensor<?x?x?x1xbf16, #aten.layout<"cpu", [#aten.expr<"d0*d1">, #aten.expr<"d1">, 1, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, 1]>>
!t9 = tensor<?x?x?x1xi1, #aten.layout<"cpu", [#aten.expr<"d0*d1">, #aten.expr<"d1">, 1, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, 1]>>
!t10 = tensor<bf16, #aten.layout<"cpu", [], 0 : i64, unit>>
module @attention_divided_added_bfloat16 attributes {pattern.scalars = ["scale"]} {
  func.func @search(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}, %arg3: !t3 {aten.name = "mask", pattern.any_size}) -> !t4 {
    %0 = "aten.matmul"(%arg0, %arg1) : (!t0, !t1) -> !t3
    %1 = "aten.number"() {value = #aten.expr<"scale">} : () -> !t5
    %2 = "aten.div_tensor"(%0, %1) : (!t3, !t5) -> !t3
    %3 = "aten.add_tensor"(%2, %arg3) {alpha = 1 : i64} : (!t3, !t3) -> !t3
    %4 = "aten.u_to_copy"(%3) {device = #aten.none, dtype = #aten.enum<"dtype", "float32">, layout = #aten.none, memory_format = #aten.none, non_blocking = false, pin_memory = #aten.none} : (!t3) -> !t6
    %5 = "aten.u_softmax"(%4) {dim = 3 : i64, half_to_float = false} : (!t6) -> !t6
    %6 = "aten.u_to_copy"(%5) {device = #aten.none, dtype = #aten.enum<"dtype", "bfloat16">, layout = #aten.none, memory_format = #aten.none, non_blocking = false, pin_memory = #aten.none} : (!t6) -> !t3
    %7 = "aten.matmul"(%6, %arg2) : (!t3, !t2) -> !t4
    return %7 : !t4
  }
  pdl.pattern @attention_divided_added_bfloat16 : benefit(8) {
    %q = pdl.operand
    %k = pdl.operand
    %v = pdl.operand
    %mask = pdl.operand
    %literal0 = pdl.attribute = 1 : i64
    %literal1 = pdl.attribute = #aten.none
    %literal2 = pdl.attribute = #aten.enum<"dtype", "float32">
    %literal3 = pdl.attribute = false
    %literal4 = pdl.attribute = 3 : i64
    %literal5 = pdl.attribute = #aten.enum<"dtype", "bfloat16">
    %type0_0 = pdl.type
    %op0 = pdl.operation "aten.matmul"(%q, %k : !pdl.value, !pdl.value) -> (%type0_0 : !pdl.type)
    %op0.r0 = pdl.result 0 of %op0
    %type1_0 = pdl.type
    %op1 = pdl.operation "aten.number" -> (%type1_0 : !pdl.type)
    %op1.r0 = pdl.result 0 of %op1
    %type2_0 = pdl.type
    %op2 = pdl.operation "aten.div_tensor"(%op0.r0, %op1.r0 : !pdl.value, !pdl.value) -> (%type2_0 : !pdl.type)
    %op2.r0 = pdl.result 0 of %op2
    %type3_0 = pdl.type
    %op3 = pdl.operation "aten.add_tensor"(%op2.r0, %mask : !pdl.value, !pdl.value) {"alpha" = %literal0} -> (%type3_0 : !pdl.type)
    %op3.r0 = pdl.result 0 of %op3
    %type4_0 = pdl.type
    %op4 = pdl.operation "aten.u_to_copy"(%op3.r0 : !pdl.value) {"device" = %literal1, "dtype" = %literal2, "layout" = %literal1, "memory_format" = %literal1, "non_blocking" = %literal3, "pin_memory" = %literal1} -> (%type4_0 : !pdl.type)
    %op4.r0 = pdl.result 0 of %op4
    %type5_0 = pdl.type
    %op5 = pdl.operation "aten.u_softmax"(%op4.r0 : !pdl.value) {"dim" = %literal4, "half_to_float" = %literal3} -> (%type5_0 : !pdl.type)
    %op5.r0 = pdl.result 0 of %op5
    %type6_0 = pdl.type
    %op6 = pdl.operation "aten.u_to_copy"(%op5.r0 : !pdl.value) {"device" = %literal1, "dtype" = %literal5, "layout" = %literal1, "memory_format" = %literal1, "non_blocking" = %literal3, "pin_memory" = %literal1} -> (%type6_0 : !pdl.type)
    %op6.r0 = pdl.result 0 of %op6
    %type7_0 = pdl.type
    %op7 = pdl.operation "aten.matmul"(%op6.r0, %v : !pdl.value, !pdl.value) -> (%type7_0 : !pdl.type)
    %name = pdl.attribute = "attention_divided_added_bfloat16"
    pdl.apply_native_constraint "collect"(%name, %q, %k, %v, %mask, %op0, %op1, %op2, %op3, %op4, %op5, %op6, %op7 : !pdl.attribute, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation)
    pdl.rewrite %op7 with "replace"
  }
  pdl.pattern @attention_divided_added_bfloat16_1 : benefit(8) {
    %q = pdl.operand
    %k = pdl.operand
    %v = pdl.operand
    %mask = pdl.operand
    %literal0 = pdl.attribute = 1 : i64
    %literal1 = pdl.attribute = #aten.none
    %literal2 = pdl.attribute = #aten.enum<"dtype", "float32">
    %literal3 = pdl.attribute = false
    %literal4 = pdl.attribute = 3 : i64
    %literal5 = pdl.attribute = #aten.enum<"dtype", "bfloat16">
    %type0_0 = pdl.type
    %op0 = pdl.operation "aten.matmul"(%q, %k : !pdl.value, !pdl.value) -> (%type0_0 : !pdl.type)
    %op0.r0 = pdl.result 0 of %op0
    %type1_0 = pdl.type
    %op1 = pdl.operation "aten.number" -> (%type1_0 : !pdl.type)
    %op1.r0 = pdl.result 0 of %op1
    %type2_0 = pdl.type
    %op2 = pdl.operation "aten.div_tensor"(%op0.r0, %op1.r0 : !pdl.value, !pdl.value) -> (%type2_0 : !pdl.type)
    %op2.r0 = pdl.result 0 of %op2
    %type3_0 = pdl.type
    %op3 = pdl.operation "aten.add_tensor"(%mask, %op2.r0 : !pdl.value, !pdl.value) {"alpha" = %literal0} -> (%type3_0 : !pdl.type)
    %op3.r0 = pdl.result 0 of %op3
    %type4_0 = pdl.type
    %op4 = pdl.operation "aten.u_to_copy"(%op3.r0 : !pdl.value) {"device" = %literal1, "dtype" = %literal2, "layout" = %literal1, "memory_format" = %literal1, "non_blocking" = %literal3, "pin_memory" = %literal1} -> (%type4_0 : !pdl.type)
    %op4.r0 = pdl.result 0 of %op4
    %type5_0 = pdl.type
    %op5 = pdl.operation "aten.u_softmax"(%op4.r0 : !pdl.value) {"dim" = %literal4, "half_to_float" = %literal3} -> (%type5_0 : !pdl.type)
    %op5.r0 = pdl.result 0 of %op5
    %type6_0 = pdl.type
    %op6 = pdl.operation "aten.u_to_copy"(%op5.r0 : !pdl.value) {"device" = %literal1, "dtype" = %literal5, "layout" = %literal1, "memory_format" = %literal1, "non_blocking" = %literal3, "pin_memory" = %literal1} -> (%type6_0 : !pdl.type)
    %op6.r0 = pdl.result 0 of %op6
    %type7_0 = pdl.type
    %op7 = pdl.operation "aten.matmul"(%op6.r0, %v : !pdl.value, !pdl.value) -> (%type7_0 : !pdl.type)
    %name = pdl.attribute = "attention_divided_added_bfloat16"
    pdl.apply_native_constraint "collect"(%name, %q, %k, %v, %mask, %op0, %op1, %op2, %op3, %op4, %op5, %op6, %op7 : !pdl.attribute, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation)
    pdl.rewrite %op7 with "replace"
  }
  func.func @replace(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}, %arg3: !t3 {aten.name = "mask"}) -> !t4 {
    %0 = "aten.permute"(%arg1) {dims = [0, 1, 3, 2]} : (!t1) -> !t7
    %1 = "aten.scaled_dot_product_attention"(%arg0, %0, %arg2, %arg3) {dropout_p = 0.000000e+00 : f64, enable_gqa = false, is_causal = false, scale = #aten.expr<"1.0/scale">} : (!t0, !t7, !t2, !t3) -> !t4
    %2 = "aten.amax"(%arg3) {dim = [3], keepdim = true} : (!t3) -> !t8
    %3 = "aten.eq_scalar"(%2) {other = 0xFFF0000000000000 : f64} : (!t8) -> !t9
    %4 = "aten.scalar_tensor"() {device = #aten.enum<"device", "cpu">, dtype = #aten.enum<"dtype", "bfloat16">, layout = #aten.enum<"layout", "strided">, pin_memory = #aten.none, s = 0x7FF8000000000000 : f64} : () -> !t10
    %5 = "aten.where_self"(%3, %4, %1) : (!t9, !t10, !t4) -> !t4
    return %5 : !t4
  }
}
// -----
!t0 = tensor<?x?x?x?xf16, #aten.layout<"cpu", [#aten.expr<"d0*d1*d2">, #aten.expr<"d1*d2">, #aten.expr<"d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d2">]>>
!t1 = tensor<?x?x?x?xf16, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, 1, #aten.expr<"d2">], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d2">, #aten.expr<"d4">]>>
!t2 = tensor<?x?x?x?xf16, #aten.layout<"cpu", [#aten.expr<"d0*d4*d5">, #aten.expr<"d4*d5">, #aten.expr<"d5">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d5">]>>
!t3 = tensor<?x?x?x?xf16, #aten.layout<"cpu", [#aten.expr<"d0*d1*d4">, #aten.expr<"d1*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d4">]>>
!t4 = tensor<?x?x?x?xf16, #aten.layout<"cpu", [#aten.expr<"d0*d1*d5">, #aten.expr<"d1*d5">, #aten.expr<"d5">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d5">]>>
!t5 = tensor<f64, #aten.layout<"cpu", [], 0 : i64, unit>>
!t6 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d4">, #aten.expr<"d1*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d4">]>>
!t7 = tensor<?x?x?x?xf16, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, #aten.expr<"d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d2">]>>
!t8 = tensor<?x?x?x1xf16, #aten.layout<"cpu", [#aten.expr<"d0*d1">, #aten.expr<"d1">, 1, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, 1]>>
!t9 = tensor<?x?x?x1xi1, #aten.layout<"cpu", [#aten.expr<"d0*d1">, #aten.expr<"d1">, 1, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, 1]>>
!t10 = tensor<f16, #aten.layout<"cpu", [], 0 : i64, unit>>
module @attention_divided_added_float16 attributes {pattern.scalars = ["scale"]} {
  func.func @search(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}, %arg3: !t3 {aten.name = "mask", pattern.any_size}) -> !t4 {
    %0 = "aten.matmul"(%arg0, %arg1) : (!t0, !t1) -> !t3
    %1 = "aten.number"() {value = #aten.expr<"scale">} : () -> !t5
    %2 = "aten.div_tensor"(%0, %1) : (!t3, !t5) -> !t3
    %3 = "aten.add_tensor"(%2, %arg3) {alpha = 1 : i64} : (!t3, !t3) -> !t3
    %4 = "aten.u_to_copy"(%3) {device = #aten.none, dtype = #aten.enum<"dtype", "float32">, layout = #aten.none, memory_format = #aten.none, non_blocking = false, pin_memory = #aten.none} : (!t3) -> !t6
    %5 = "aten.u_softmax"(%4) {dim = 3 : i64, half_to_float = false} : (!t6) -> !t6
    %6 = "aten.u_to_copy"(%5) {device = #aten.none, dtype = #aten.enum<"dtype", "float16">, layout = #aten.none, memory_format = #aten.none, non_blocking = false, pin_memory = #aten.none} : (!t6) -> !t3
    %7 = "aten.matmul"(%6, %arg2) : (!t3, !t2) -> !t4
    return %7 : !t4
  }
  pdl.pattern @attention_divided_added_float16 : benefit(8) {
    %q = pdl.operand
    %k = pdl.operand
    %v = pdl.operand
    %mask = pdl.operand
    %literal0 = pdl.attribute = 1 : i64
    %literal1 = pdl.attribute = #aten.none
    %literal2 = pdl.attribute = #aten.enum<"dtype", "float32">
    %literal3 = pdl.attribute = false
    %literal4 = pdl.attribute = 3 : i64
    %literal5 = pdl.attribute = #aten.enum<"dtype", "float16">
    %type0_0 = pdl.type
    %op0 = pdl.operation "aten.matmul"(%q, %k : !pdl.value, !pdl.value) -> (%type0_0 : !pdl.type)
    %op0.r0 = pdl.result 0 of %op0
    %type1_0 = pdl.type
    %op1 = pdl.operation "aten.number" -> (%type1_0 : !pdl.type)
    %op1.r0 = pdl.result 0 of %op1
    %type2_0 = pdl.type
    %op2 = pdl.operation "aten.div_tensor"(%op0.r0, %op1.r0 : !pdl.value, !pdl.value) -> (%type2_0 : !pdl.type)
    %op2.r0 = pdl.result 0 of %op2
    %type3_0 = pdl.type
    %op3 = pdl.operation "aten.add_tensor"(%op2.r0, %mask : !pdl.value, !pdl.value) {"alpha" = %literal0} -> (%type3_0 : !pdl.type)
    %op3.r0 = pdl.result 0 of %op3
    %type4_0 = pdl.type
    %op4 = pdl.operation "aten.u_to_copy"(%op3.r0 : !pdl.value) {"device" = %literal1, "dtype" = %literal2, "layout" = %literal1, "memory_format" = %literal1, "non_blocking" = %literal3, "pin_memory" = %literal1} -> (%type4_0 : !pdl.type)
    %op4.r0 = pdl.result 0 of %op4
    %type5_0 = pdl.type
    %op5 = pdl.operation "aten.u_softmax"(%op4.r0 : !pdl.value) {"dim" = %literal4, "half_to_float" = %literal3} -> (%type5_0 : !pdl.type)
    %op5.r0 = pdl.result 0 of %op5
    %type6_0 = pdl.type
    %op6 = pdl.operation "aten.u_to_copy"(%op5.r0 : !pdl.value) {"device" = %literal1, "dtype" = %literal5, "layout" = %literal1, "memory_format" = %literal1, "non_blocking" = %literal3, "pin_memory" = %literal1} -> (%type6_0 : !pdl.type)
    %op6.r0 = pdl.result 0 of %op6
    %type7_0 = pdl.type
    %op7 = pdl.operation "aten.matmul"(%op6.r0, %v : !pdl.value, !pdl.value) -> (%type7_0 : !pdl.type)
    %name = pdl.attribute = "attention_divided_added_float16"
    pdl.apply_native_constraint "collect"(%name, %q, %k, %v, %mask, %op0, %op1, %op2, %op3, %op4, %op5, %op6, %op7 : !pdl.attribute, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation)
    pdl.rewrite %op7 with "replace"
  }
  pdl.pattern @attention_divided_added_float16_1 : benefit(8) {
    %q = pdl.operand
    %k = pdl.operand
    %v = pdl.operand
    %mask = pdl.operand
    %literal0 = pdl.attribute = 1 : i64
    %literal1 = pdl.attribute = #aten.none
    %literal2 = pdl.attribute = #aten.enum<"dtype", "float32">
    %literal3 = pdl.attribute = false
    %literal4 = pdl.attribute = 3 : i64
    %literal5 = pdl.attribute = #aten.enum<"dtype", "float16">
    %type0_0 = pdl.type
    %op0 = pdl.operation "aten.matmul"(%q, %k : !pdl.value, !pdl.value) -> (%type0_0 : !pdl.type)
    %op0.r0 = pdl.result 0 of %op0
    %type1_0 = pdl.type
    %op1 = pdl.operation "aten.number" -> (%type1_0 : !pdl.type)
    %op1.r0 = pdl.result 0 of %op1
    %type2_0 = pdl.type
    %op2 = pdl.operation "aten.div_tensor"(%op0.r0, %op1.r0 : !pdl.value, !pdl.value) -> (%type2_0 : !pdl.type)
    %op2.r0 = pdl.result 0 of %op2
    %type3_0 = pdl.type
    %op3 = pdl.operation "aten.add_tensor"(%mask, %op2.r0 : !pdl.value, !pdl.value) {"alpha" = %literal0} -> (%type3_0 : !pdl.type)
    %op3.r0 = pdl.result 0 of %op3
    %type4_0 = pdl.type
    %op4 = pdl.operation "aten.u_to_copy"(%op3.r0 : !pdl.value) {"device" = %literal1, "dtype" = %literal2, "layout" = %literal1, "memory_format" = %literal1, "non_blocking" = %literal3, "pin_memory" = %literal1} -> (%type4_0 : !pdl.type)
    %op4.r0 = pdl.result 0 of %op4
    %type5_0 = pdl.type
    %op5 = pdl.operation "aten.u_softmax"(%op4.r0 : !pdl.value) {"dim" = %literal4, "half_to_float" = %literal3} -> (%type5_0 : !pdl.type)
    %op5.r0 = pdl.result 0 of %op5
    %type6_0 = pdl.type
    %op6 = pdl.operation "aten.u_to_copy"(%op5.r0 : !pdl.value) {"device" = %literal1, "dtype" = %literal5, "layout" = %literal1, "memory_format" = %literal1, "non_blocking" = %literal3, "pin_memory" = %literal1} -> (%type6_0 : !pdl.type)
    %op6.r0 = pdl.result 0 of %op6
    %type7_0 = pdl.type
    %op7 = pdl.operation "aten.matmul"(%op6.r0, %v : !pdl.value, !pdl.value) -> (%type7_0 : !pdl.type)
    %name = pdl.attribute = "attention_divided_added_float16"
    pdl.apply_native_constraint "collect"(%name, %q, %k, %v, %mask, %op0, %op1, %op2, %op3, %op4, %op5, %op6, %op7 : !pdl.attribute, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation)
    pdl.rewrite %op7 with "replace"
  }
  func.func @replace(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}, %arg3: !t3 {aten.name = "mask"}) -> !t4 {
    %0 = "aten.permute"(%arg1) {dims = [0, 1, 3, 2]} : (!t1) -> !t7
    %1 = "aten.scaled_dot_product_attention"(%arg0, %0, %arg2, %arg3) {dropout_p = 0.000000e+00 : f64, enable_gqa = false, is_causal = false, scale = #aten.expr<"1.0/scale">} : (!t0, !t7, !t2, !t3) -> !t4
    %2 = "aten.amax"(%arg3) {dim = [3], keepdim = true} : (!t3) -> !t8
    %3 = "aten.eq_scalar"(%2) {other = 0xFFF0000000000000 : f64} : (!t8) -> !t9
    %4 = "aten.scalar_tensor"() {device = #aten.enum<"device", "cpu">, dtype = #aten.enum<"dtype", "float16">, layout = #aten.enum<"layout", "strided">, pin_memory = #aten.none, s = 0x7FF8000000000000 : f64} : () -> !t10
    %5 = "aten.where_self"(%3, %4, %1) : (!t9, !t10, !t4) -> !t4
    return %5 : !t4
  }
}
// -----
!t0 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d2">, #aten.expr<"d1*d2">, #aten.expr<"d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d2">]>>
!t1 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, 1, #aten.expr<"d2">], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d2">, #aten.expr<"d4">]>>
!t2 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d4*d5">, #aten.expr<"d4*d5">, #aten.expr<"d5">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d5">]>>
!t3 = tensor<?x?x?x?xi1, #aten.layout<"cpu", [#aten.expr<"d0*d1*d4">, #aten.expr<"d1*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d4">]>>
!t4 = tensor<f32, #aten.layout<"cpu", [], 0 : i64, unit>>
!t5 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d5">, #aten.expr<"d1*d5">, #aten.expr<"d5">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d5">]>>
!t6 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d4">, #aten.expr<"d1*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d4">]>>
!t7 = tensor<f64, #aten.layout<"cpu", [], 0 : i64, unit>>
!t8 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, #aten.expr<"d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d2">]>>
!t9 = tensor<?x?x?x1xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1">, #aten.expr<"d1">, 1, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, 1]>>
!t10 = tensor<?x?x?x1xi1, #aten.layout<"cpu", [#aten.expr<"d0*d1">, #aten.expr<"d1">, 1, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, 1]>>
module @attention_divided_kept attributes {pattern.scalars = ["scale"]} {
  func.func @search(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}, %arg3: !t3 {aten.name = "mask", pattern.any_size}, %arg4: !t4 {aten.name = "fill"}) -> !t5 {
    %0 = "aten.matmul"(%arg0, %arg1) : (!t0, !t1) -> !t6
    %1 = "aten.number"() {value = #aten.expr<"scale">} : () -> !t7
    %2 = "aten.div_tensor"(%0, %1) : (!t6, !t7) -> !t6
    %3 = "aten.where_self"(%arg3, %2, %arg4) : (!t3, !t6, !t4) -> !t6
    %4 = "aten.u_softmax"(%3) {dim = 3 : i64, half_to_float = false} : (!t6) -> !t6
    %5 = "aten.matmul"(%4, %arg2) : (!t6, !t2) -> !t5
    return %5 : !t5
  }
  pdl.pattern @attention_divided_kept : benefit(6) {
    %q = pdl.operand
    %k = pdl.operand
    %v = pdl.operand
    %mask = pdl.operand
    %fill = pdl.operand
    %literal0 = pdl.attribute = 3 : i64
    %literal1 = pdl.attribute = false
    %type0_0 = pdl.type
    %op0 = pdl.operation "aten.matmul"(%q, %k : !pdl.value, !pdl.value) -> (%type0_0 : !pdl.type)
    %op0.r0 = pdl.result 0 of %op0
    %type1_0 = pdl.type
    %op1 = pdl.operation "aten.number" -> (%type1_0 : !pdl.type)
    %op1.r0 = pdl.result 0 of %op1
    %type2_0 = pdl.type
    %op2 = pdl.operation "aten.div_tensor"(%op0.r0, %op1.r0 : !pdl.value, !pdl.value) -> (%type2_0 : !pdl.type)
    %op2.r0 = pdl.result 0 of %op2
    %type3_0 = pdl.type
    %op3 = pdl.operation "aten.where_self"(%mask, %op2.r0, %fill : !pdl.value, !pdl.value, !pdl.value) -> (%type3_0 : !pdl.type)
    %op3.r0 = pdl.result 0 of %op3
    %type4_0 = pdl.type
    %op4 = pdl.operation "aten.u_softmax"(%op3.r0 : !pdl.value) {"dim" = %literal0, "half_to_float" = %literal1} -> (%type4_0 : !pdl.type)
    %op4.r0 = pdl.result 0 of %op4
    %type5_0 = pdl.type
    %op5 = pdl.operation "aten.matmul"(%op4.r0, %v : !pdl.value, !pdl.value) -> (%type5_0 : !pdl.type)
    %name = pdl.attribute = "attention_divided_kept"
    pdl.apply_native_constraint "collect"(%name, %q, %k, %v, %mask, %fill, %op0, %op1, %op2, %op3, %op4, %op5 : !pdl.attribute, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation)
    pdl.rewrite %op5 with "replace"
  }
  func.func @replace(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}, %arg3: !t3 {aten.name = "mask"}, %arg4: !t4 {aten.name = "fill"}) -> !t5 {
    %0 = "aten.zeros"() {device = #aten.enum<"device", "cpu">, dtype = #aten.enum<"dtype", "float32">, layout = #aten.none, pin_memory = false, size = []} : () -> !t4
    %1 = "aten.where_self"(%arg3, %0, %arg4) : (!t3, !t4, !t4) -> !t6
    %2 = "aten.permute"(%arg1) {dims = [0, 1, 3, 2]} : (!t1) -> !t8
    %3 = "aten.scaled_dot_product_attention"(%arg0, %2, %arg2, %1) {dropout_p = 0.000000e+00 : f64, enable_gqa = false, is_causal = false, scale = #aten.expr<"1.0/scale">} : (!t0, !t8, !t2, !t6) -> !t5
    %4 = "aten.amax"(%1) {dim = [3], keepdim = true} : (!t6) -> !t9
    %5 = "aten.eq_scalar"(%4) {other = 0xFFF0000000000000 : f64} : (!t9) -> !t10
    %6 = "aten.scalar_tensor"() {device = #aten.enum<"device", "cpu">, dtype = #aten.enum<"dtype", "float32">, layout = #aten.enum<"layout", "strided">, pin_memory = #aten.none, s = 0x7FF8000000000000 : f64} : () -> !t4
    %7 = "aten.where_self"(%5, %6, %3) : (!t10, !t4, !t5) -> !t5
    return %7 : !t5
  }
}
// -----
!t0 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d2">, #aten.expr<"d1*d2">, #aten.expr<"d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d2">]>>
!t1 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, 1, #aten.expr<"d2">], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d2">, #aten.expr<"d4">]>>
!t2 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d4*d5">, #aten.expr<"d4*d5">, #aten.expr<"d5">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d5">]>>
!t3 = tensor<?x?xi1, #aten.layout<"cpu", [#aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d1">, #aten.expr<"d4">]>>
!t4 = tensor<f32, #aten.layout<"cpu", [], 0 : i64, unit>>
!t5 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d5">, #aten.expr<"d1*d5">, #aten.expr<"d5">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d5">]>>
!t6 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d4">, #aten.expr<"d1*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d4">]>>
!t7 = tensor<f64, #aten.layout<"cpu", [], 0 : i64, unit>>
!t8 = tensor<?x?xf32, #aten.layout<"cpu", [#aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d1">, #aten.expr<"d4">]>>
!t9 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, #aten.expr<"d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d2">]>>
!t10 = tensor<?x1xf32, #aten.layout<"cpu", [1, 1], 0 : i64, [#aten.expr<"d1">, 1]>>
!t11 = tensor<?x1xi1, #aten.layout<"cpu", [1, 1], 0 : i64, [#aten.expr<"d1">, 1]>>
module @attention_divided_kept_of_rank_2 attributes {pattern.scalars = ["scale"]} {
  func.func @search(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}, %arg3: !t3 {aten.name = "mask", pattern.any_size}, %arg4: !t4 {aten.name = "fill"}) -> !t5 {
    %0 = "aten.matmul"(%arg0, %arg1) : (!t0, !t1) -> !t6
    %1 = "aten.number"() {value = #aten.expr<"scale">} : () -> !t7
    %2 = "aten.div_tensor"(%0, %1) : (!t6, !t7) -> !t6
    %3 = "aten.where_self"(%arg3, %2, %arg4) : (!t3, !t6, !t4) -> !t6
    %4 = "aten.u_softmax"(%3) {dim = 3 : i64, half_to_float = false} : (!t6) -> !t6
    %5 = "aten.matmul"(%4, %arg2) : (!t6, !t2) -> !t5
    return %5 : !t5
  }
  pdl.pattern @attention_divided_kept_of_rank_2 : benefit(6) {
    %q = pdl.operand
    %k = pdl.operand
    %v = pdl.operand
    %mask = pdl.operand
    %fill = pdl.operand
    %literal0 = pdl.attribute = 3 : i64
    %literal1 = pdl.attribute = false
    %type0_0 = pdl.type
    %op0 = pdl.operation "aten.matmul"(%q, %k : !pdl.value, !pdl.value) -> (%type0_0 : !pdl.type)
    %op0.r0 = pdl.result 0 of %op0
    %type1_0 = pdl.type
    %op1 = pdl.operation "aten.number" -> (%type1_0 : !pdl.type)
    %op1.r0 = pdl.result 0 of %op1
    %type2_0 = pdl.type
    %op2 = pdl.operation "aten.div_tensor"(%op0.r0, %op1.r0 : !pdl.value, !pdl.value) -> (%type2_0 : !pdl.type)
    %op2.r0 = pdl.result 0 of %op2
    %type3_0 = pdl.type
    %op3 = pdl.operation "aten.where_self"(%mask, %op2.r0, %fill : !pdl.value, !pdl.value, !pdl.value) -> (%type3_0 : !pdl.type)
    %op3.r0 = pdl.result 0 of %op3
    %type4_0 = pdl.type
    %op4 = pdl.operation "aten.u_softmax"(%op3.r0 : !pdl.value) {"dim" = %literal0, "half_to_float" = %literal1} -> (%type4_0 : !pdl.type)
    %op4.r0 = pdl.result 0 of %op4
    %type5_0 = pdl.type
    %op5 = pdl.operation "aten.matmul"(%op4.r0, %v : !pdl.value, !pdl.value) -> (%type5_0 : !pdl.type)
    %name = pdl.attribute = "attention_divided_kept_of_rank_2"
    pdl.apply_native_constraint "collect"(%name, %q, %k, %v, %mask, %fill, %op0, %op1, %op2, %op3, %op4, %op5 : !pdl.attribute, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation)
    pdl.rewrite %op5 with "replace"
  }
  func.func @replace(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}, %arg3: !t3 {aten.name = "mask"}, %arg4: !t4 {aten.name = "fill"}) -> !t5 {
    %0 = "aten.zeros"() {device = #aten.enum<"device", "cpu">, dtype = #aten.enum<"dtype", "float32">, layout = #aten.none, pin_memory = false, size = []} : () -> !t4
    %1 = "aten.where_self"(%arg3, %0, %arg4) : (!t3, !t4, !t4) -> !t8
    %2 = "aten.permute"(%arg1) {dims = [0, 1, 3, 2]} : (!t1) -> !t9
    %3 = "aten.scaled_dot_product_attention"(%arg0, %2, %arg2, %1) {dropout_p = 0.000000e+00 : f64, enable_gqa = false, is_causal = false, scale = #aten.expr<"1.0/scale">} : (!t0, !t9, !t2, !t8) -> !t5
    %4 = "aten.amax"(%1) {dim = [1], keepdim = true} : (!t8) -> !t10
    %5 = "aten.eq_scalar"(%4) {other = 0xFFF0000000000000 : f64} : (!t10) -> !t11
    %6 = "aten.scalar_tensor"() {device = #aten.enum<"device", "cpu">, dtype = #aten.enum<"dtype", "float32">, layout = #aten.enum<"layout", "strided">, pin_memory = #aten.none, s = 0x7FF8000000000000 : f64} : () -> !t4
    %7 = "aten.where_self"(%5, %6, %3) : (!t11, !t4, !t5) -> !t5
    return %7 : !t5
  }
}
// -----
!t0 = tensor<?x?x?x?xbf16, #aten.layout<"cpu", [#aten.expr<"d0*d1*d2">, #aten.expr<"d1*d2">, #aten.expr<"d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d2">]>>
!t1 = tensor<?x?x?x?xbf16, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, 1, #aten.expr<"d2">], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d2">, #aten.expr<"d4">]>>
!t2 = tensor<?x?x?x?xbf16, #aten.layout<"cpu", [#aten.expr<"d0*d4*d5">, #aten.expr<"d4*d5">, #aten.expr<"d5">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d5">]>>
!t3 = tensor<?x?x?x?xi1, #aten.layout<"cpu", [#aten.expr<"d0*d1*d4">, #aten.expr<"d1*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d4">]>>
!t4 = tensor<bf16, #aten.layout<"cpu", [], 0 : i64, unit>>
!t5 = tensor<?x?x?x?xbf16, #aten.layout<"cpu", [#aten.expr<"d0*d1*d5">, #aten.expr<"d1*d5">, #aten.expr<"d5">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d5">]>>
!t6 = tensor<?x?x?x?xbf16, #aten.layout<"cpu", [#aten.expr<"d0*d1*d4">, #aten.expr<"d1*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d4">]>>
!t7 = tensor<f64, #aten.layout<"cpu", [], 0 : i64, unit>>
!t8 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d4">, #aten.expr<"d1*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d4">]>>
!t9 = tensor<?x?x?x?xbf16, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, #aten.expr<"d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d2">]>>
!t10 = tensor<?x?x?x1xbf16, #aten.layout<"cpu", [#aten.expr<"d0*d1">, #aten.expr<"d1">, 1, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, 1]>>
!t11 = tensor<?x?x?x1xi1, #aten.layout<"cpu", [#aten.expr<"d0*d1">, #aten.expr<"d1">, 1, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, 1]>>
module @attention_divided_kept_bfloat16 attributes {pattern.scalars = ["scale"]} {
  func.func @search(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}, %arg3: !t3 {aten.name = "mask", pattern.any_size}, %arg4: !t4 {aten.name = "fill"}) -> !t5 {
    %0 = "aten.matmul"(%arg0, %arg1) : (!t0, !t1) -> !t6
    %1 = "aten.number"() {value = #aten.expr<"scale">} : () -> !t7
    %2 = "aten.div_tensor"(%0, %1) : (!t6, !t7) -> !t6
    %3 = "aten.where_self"(%arg3, %2, %arg4) : (!t3, !t6, !t4) -> !t6
    %4 = "aten.u_to_copy"(%3) {device = #aten.none, dtype = #aten.enum<"dtype", "float32">, layout = #aten.none, memory_format = #aten.none, non_blocking = false, pin_memory = #aten.none} : (!t6) -> !t8
    %5 = "aten.u_softmax"(%4) {dim = 3 : i64, half_to_float = false} : (!t8) -> !t8
    %6 = "aten.u_to_copy"(%5) {device = #aten.none, dtype = #aten.enum<"dtype", "bfloat16">, layout = #aten.none, memory_format = #aten.none, non_blocking = false, pin_memory = #aten.none} : (!t8) -> !t6
    %7 = "aten.matmul"(%6, %arg2) : (!t6, !t2) -> !t5
    return %7 : !t5
  }
  pdl.pattern @attention_divided_kept_bfloat16 : benefit(8) {
    %q = pdl.operand
    %k = pdl.operand
    %v = pdl.operand
    %mask = pdl.operand
    %fill = pdl.operand
    %literal0 = pdl.attribute = #aten.none
    %literal1 = pdl.attribute = #aten.enum<"dtype", "float32">
    %literal2 = pdl.attribute = false
    %literal3 = pdl.attribute = 3 : i64
    %literal4 = pdl.attribute = #aten.enum<"dtype", "bfloat16">
    %type0_0 = pdl.type
    %op0 = pdl.operation "aten.matmul"(%q, %k : !pdl.value, !pdl.value) -> (%type0_0 : !pdl.type)
    %op0.r0 = pdl.result 0 of %op0
    %type1_0 = pdl.type
    %op1 = pdl.operation "aten.number" -> (%type1_0 : !pdl.type)
    %op1.r0 = pdl.result 0 of %op1
    %type2_0 = pdl.type
    %op2 = pdl.operation "aten.div_tensor"(%op0.r0, %op1.r0 : !pdl.value, !pdl.value) -> (%type2_0 : !pdl.type)
    %op2.r0 = pdl.result 0 of %op2
    %type3_0 = pdl.type
    %op3 = pdl.operation "aten.where_self"(%mask, %op2.r0, %fill : !pdl.value, !pdl.value, !pdl.value) -> (%type3_0 : !pdl.type)
    %op3.r0 = pdl.result 0 of %op3
    %type4_0 = pdl.type
    %op4 = pdl.operation "aten.u_to_copy"(%op3.r0 : !pdl.value) {"device" = %literal0, "dtype" = %literal1, "layout" = %literal0, "memory_format" = %literal0, "non_blocking" = %literal2, "pin_memory" = %literal0} -> (%type4_0 : !pdl.type)
    %op4.r0 = pdl.result 0 of %op4
    %type5_0 = pdl.type
    %op5 = pdl.operation "aten.u_softmax"(%op4.r0 : !pdl.value) {"dim" = %literal3, "half_to_float" = %literal2} -> (%type5_0 : !pdl.type)
    %op5.r0 = pdl.result 0 of %op5
    %type6_0 = pdl.type
    %op6 = pdl.operation "aten.u_to_copy"(%op5.r0 : !pdl.value) {"device" = %literal0, "dtype" = %literal4, "layout" = %literal0, "memory_format" = %literal0, "non_blocking" = %literal2, "pin_memory" = %literal0} -> (%type6_0 : !pdl.type)
    %op6.r0 = pdl.result 0 of %op6
    %type7_0 = pdl.type
    %op7 = pdl.operation "aten.matmul"(%op6.r0, %v : !pdl.value, !pdl.value) -> (%type7_0 : !pdl.type)
    %name = pdl.attribute = "attention_divided_kept_bfloat16"
    pdl.apply_native_constraint "collect"(%name, %q, %k, %v, %mask, %fill, %op0, %op1, %op2, %op3, %op4, %op5, %op6, %op7 : !pdl.attribute, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation)
    pdl.rewrite %op7 with "replace"
  }
  func.func @replace(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}, %arg3: !t3 {aten.name = "mask"}, %arg4: !t4 {aten.name = "fill"}) -> !t5 {
    %0 = "aten.zeros"() {device = #aten.enum<"device", "cpu">, dtype = #aten.enum<"dtype", "bfloat16">, layout = #aten.none, pin_memory = false, size = []} : () -> !t4
    %1 = "aten.where_self"(%arg3, %0, %arg4) : (!t3, !t4, !t4) -> !t6
    %2 = "aten.permute"(%arg1) {dims = [0, 1, 3, 2]} : (!t1) -> !t9
    %3 = "aten.scaled_dot_product_attention"(%arg0, %2, %arg2, %1) {dropout_p = 0.000000e+00 : f64, enable_gqa = false, is_causal = false, scale = #aten.expr<"1.0/scale">} : (!t0, !t9, !t2, !t6) -> !t5
    %4 = "aten.amax"(%1) {dim = [3], keepdim = true} : (!t6) -> !t10
    %5 = "aten.eq_scalar"(%4) {other = 0xFFF0000000000000 : f64} : (!t10) -> !t11
    %6 = "aten.scalar_tensor"() {device = #aten.enum<"device", "cpu">, dtype = #aten.enum<"dtype", "bfloat16">, layout = #aten.enum<"layout", "strided">, pin_memory = #aten.none, s = 0x7FF8000000000000 : f64} : () -> !t4
    %7 = "aten.where_self"(%5, %6, %3) : (!t11, !t4, !t5) -> !t5
    return %7 : !t5
  }
}
// -----
!t0 = tensor<?x?x?x?xf16, #aten.layout<"cpu", [#aten.expr<"d0*d1*d2">, #aten.expr<"d1*d2">, #aten.expr<"d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d2">]>>
!t1 = tensor<?x?x?x?xf16, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, 1, #aten.expr<"d2">], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d2">, #aten.expr<"d4">]>>
!t2 = tensor<?x?x?x?xf16, #aten.layout<"cpu", [#aten.expr<"d0*d4*d5">, #aten.expr<"d4*d5">, #aten.expr<"d5">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d5">]>>
!t3 = tensor<?x?x?x?xi1, #aten.layout<"cpu", [#aten.expr<"d0*d1*d4">, #aten.expr<"d1*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d4">]>>
!t4 = tensor<f16, #aten.layout<"cpu", [], 0 : i64, unit>>
!t5 = tensor<?x?x?x?xf16, #aten.layout<"cpu", [#aten.expr<"d0*d1*d5">, #aten.expr<"d1*d5">, #aten.expr<"d5">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d5">]>>
!t6 = tensor<?x?x?x?xf16, #aten.layout<"cpu", [#aten.expr<"d0*d1*d4">, #aten.expr<"d1*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d4">]>>
!t7 = tensor<f64, #aten.layout<"cpu", [], 0 : i64, unit>>
!t8 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d4">, #aten.expr<"d1*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d4">]>>
!t9 = tensor<?x?x?x?xf16, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, #aten.expr<"d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d2">]>>
!t10 = tensor<?x?x?x1xf16, #aten.layout<"cpu", [#aten.expr<"d0*d1">, #aten.expr<"d1">, 1, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, 1]>>
!t11 = tensor<?x?x?x1xi1, #aten.layout<"cpu", [#aten.expr<"d0*d1">, #aten.expr<"d1">, 1, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, 1]>>
module @attention_divided_kept_float16 attributes {pattern.scalars = ["scale"]} {
  func.func @search(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}, %arg3: !t3 {aten.name = "mask", pattern.any_size}, %arg4: !t4 {aten.name = "fill"}) -> !t5 {
    %0 = "aten.matmul"(%arg0, %arg1) : (!t0, !t1) -> !t6
    %1 = "aten.number"() {value = #aten.expr<"scale">} : () -> !t7
    %2 = "aten.div_tensor"(%0, %1) : (!t6, !t7) -> !t6
    %3 = "aten.where_self"(%arg3, %2, %arg4) : (!t3, !t6, !t4) -> !t6
    %4 = "aten.u_to_copy"(%3) {device = #aten.none, dtype = #aten.enum<"dtype", "float32">, layout = #aten.none, memory_format = #aten.none, non_blocking = false, pin_memory = #aten.none} : (!t6) -> !t8
    %5 = "aten.u_softmax"(%4) {dim = 3 : i64, half_to_float = false} : (!t8) -> !t8
    %6 = "aten.u_to_copy"(%5) {device = #aten.none, dtype = #aten.enum<"dtype", "float16">, layout = #aten.none, memory_format = #aten.none, non_blocking = false, pin_memory = #aten.none} : (!t8) -> !t6
    %7 = "aten.matmul"(%6, %arg2) : (!t6, !t2) -> !t5
    return %7 : !t5
  }
  pdl.pattern @attention_divided_kept_float16 : benefit(8) {
    %q = pdl.operand
    %k = pdl.operand
    %v = pdl.operand
    %mask = pdl.operand
    %fill = pdl.operand
    %literal0 = pdl.attribute = #aten.none
    %literal1 = pdl.attribute = #aten.enum<"dtype", "float32">
    %literal2 = pdl.attribute = false
    %literal3 = pdl.attribute = 3 : i64
    %literal4 = pdl.attribute = #aten.enum<"dtype", "float16">
    %type0_0 = pdl.type
    %op0 = pdl.operation "aten.matmul"(%q, %k : !pdl.value, !pdl.value) -> (%type0_0 : !pdl.type)
    %op0.r0 = pdl.result 0 of %op0
    %type1_0 = pdl.type
    %op1 = pdl.operation "aten.number" -> (%type1_0 : !pdl.type)
    %op1.r0 = pdl.result 0 of %op1
    %type2_0 = pdl.type
    %op2 = pdl.operation "aten.div_tensor"(%op0.r0, %op1.r0 : !pdl.value, !pdl.value) -> (%type2_0 : !pdl.type)
    %op2.r0 = pdl.result 0 of %op2
    %type3_0 = pdl.type
    %op3 = pdl.operation "aten.where_self"(%mask, %op2.r0, %fill : !pdl.value, !pdl.value, !pdl.value) -> (%type3_0 : !pdl.type)
    %op3.r0 = pdl.result 0 of %op3
    %type4_0 = pdl.type
    %op4 = pdl.operation "aten.u_to_copy"(%op3.r0 : !pdl.value) {"device" = %literal0, "dtype" = %literal1, "layout" = %literal0, "memory_format" = %literal0, "non_blocking" = %literal2, "pin_memory" = %literal0} -> (%type4_0 : !pdl.type)
    %op4.r0 = pdl.result 0 of %op4
    %type5_0 = pdl.type
    %op5 = pdl.operation "aten.u_softmax"(%op4.r0 : !pdl.value) {"dim" = %literal3, "half_to_float" = %literal2} -> (%type5_0 : !pdl.type)
    %op5.r0 = pdl.result 0 of %op5
    %type6_0 = pdl.type
    %op6 = pdl.operation "aten.u_to_copy"(%op5.r0 : !pdl.value) {"device" = %literal0, "dtype" = %literal4, "layout" = %literal0, "memory_format" = %literal0, "non_blocking" = %literal2, "pin_memory" = %literal0} -> (%type6_0 : !pdl.type)
    %op6.r0 = pdl.result 0 of %op6
    %type7_0 = pdl.type
    %op7 = pdl.operation "aten.matmul"(%op6.r0, %v : !pdl.value, !pdl.value) -> (%type7_0 : !pdl.type)
    %name = pdl.attribute = "attention_divided_kept_float16"
    pdl.apply_native_constraint "collect"(%name, %q, %k, %v, %mask, %fill, %op0, %op1, %op2, %op3, %op4, %op5, %op6, %op7 : !pdl.attribute, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation)
    pdl.rewrite %op7 with "replace"
  }
  func.func @replace(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}, %arg3: !t3 {aten.name = "mask"}, %arg4: !t4 {aten.name = "fill"}) -> !t5 {
    %0 = "aten.zeros"() {device = #aten.enum<"device", "cpu">, dtype = #aten.enum<"dtype", "float16">, layout = #aten.none, pin_memory = false, size = []} : () -> !t4
    %1 = "aten.where_self"(%arg3, %0, %arg4) : (!t3, !t4, !t4) -> !t6
    %2 = "aten.permute"(%arg1) {dims = [0, 1, 3, 2]} : (!t1) -> !t9
    %3 = "aten.scaled_dot_product_attention"(%arg0, %2, %arg2, %1) {dropout_p = 0.000000e+00 : f64, enable_gqa = false, is_causal = false, scale = #aten.expr<"1.0/scale">} : (!t0, !t9, !t2, !t6) -> !t5
    %4 = "aten.amax"(%1) {dim = [3], keepdim = true} : (!t6) -> !t10
    %5 = "aten.eq_scalar"(%4) {other = 0xFFF0000000000000 : f64} : (!t10) -> !t11
    %6 = "aten.scalar_tensor"() {device = #aten.enum<"device", "cpu">, dtype = #aten.enum<"dtype", "float16">, layout = #aten.enum<"layout", "strided">, pin_memory = #aten.none, s = 0x7FF8000000000000 : f64} : () -> !t4
    %7 = "aten.where_self"(%5, %6, %3) : (!t11, !t4, !t5) -> !t5
    return %7 : !t5
  }
}
// -----
!t0 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d2">, #aten.expr<"d1*d2">, #aten.expr<"d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d2">]>>
!t1 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, 1, #aten.expr<"d2">], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d2">, #aten.expr<"d4">]>>
!t2 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d4*d5">, #aten.expr<"d4*d5">, #aten.expr<"d5">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d5">]>>
!t3 = tensor<?x?x?x?xi1, #aten.layout<"cpu", [#aten.expr<"d0*d1*d4">, #aten.expr<"d1*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d4">]>>
!t4 = tensor<f32, #aten.layout<"cpu", [], 0 : i64, unit>>
!t5 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d5">, #aten.expr<"d1*d5">, #aten.expr<"d5">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d5">]>>
!t6 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d4">, #aten.expr<"d1*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d4">]>>
!t7 = tensor<f64, #aten.layout<"cpu", [], 0 : i64, unit>>
!t8 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, #aten.expr<"d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d2">]>>
!t9 = tensor<?x?x?x1xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1">, #aten.expr<"d1">, 1, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, 1]>>
!t10 = tensor<?x?x?x1xi1, #aten.layout<"cpu", [#aten.expr<"d0*d1">, #aten.expr<"d1">, 1, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, 1]>>
module @attention_divided_dropped attributes {pattern.scalars = ["scale"]} {
  func.func @search(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}, %arg3: !t3 {aten.name = "mask", pattern.any_size}, %arg4: !t4 {aten.name = "fill"}) -> !t5 {
    %0 = "aten.matmul"(%arg0, %arg1) : (!t0, !t1) -> !t6
    %1 = "aten.number"() {value = #aten.expr<"scale">} : () -> !t7
    %2 = "aten.div_tensor"(%0, %1) : (!t6, !t7) -> !t6
    %3 = "aten.where_self"(%arg3, %arg4, %2) : (!t3, !t4, !t6) -> !t6
    %4 = "aten.u_softmax"(%3) {dim = 3 : i64, half_to_float = false} : (!t6) -> !t6
    %5 = "aten.matmul"(%4, %arg2) : (!t6, !t2) -> !t5
    return %5 : !t5
  }
  pdl.pattern @attention_divided_dropped : benefit(6) {
    %q = pdl.operand
    %k = pdl.operand
    %v = pdl.operand
    %mask = pdl.operand
    %fill = pdl.operand
    %literal0 = pdl.attribute = 3 : i64
    %literal1 = pdl.attribute = false
    %type0_0 = pdl.type
    %op0 = pdl.operation "aten.matmul"(%q, %k : !pdl.value, !pdl.value) -> (%type0_0 : !pdl.type)
    %op0.r0 = pdl.result 0 of %op0
    %type1_0 = pdl.type
    %op1 = pdl.operation "aten.number" -> (%type1_0 : !pdl.type)
    %op1.r0 = pdl.result 0 of %op1
    %type2_0 = pdl.type
    %op2 = pdl.operation "aten.div_tensor"(%op0.r0, %op1.r0 : !pdl.value, !pdl.value) -> (%type2_0 : !pdl.type)
    %op2.r0 = pdl.result 0 of %op2
    %type3_0 = pdl.type
    %op3 = pdl.operation "aten.where_self"(%mask, %fill, %op2.r0 : !pdl.value, !pdl.value, !pdl.value) -> (%type3_0 : !pdl.type)
    %op3.r0 = pdl.result 0 of %op3
    %type4_0 = pdl.type
    %op4 = pdl.operation "aten.u_softmax"(%op3.r0 : !pdl.value) {"dim" = %literal0, "half_to_float" = %literal1} -> (%type4_0 : !pdl.type)
    %op4.r0 = pdl.result 0 of %op4
    %type5_0 = pdl.type
    %op5 = pdl.operation "aten.matmul"(%op4.r0, %v : !pdl.value, !pdl.value) -> (%type5_0 : !pdl.type)
    %name = pdl.attribute = "attention_divided_dropped"
    pdl.apply_native_constraint "collect"(%name, %q, %k, %v, %mask, %fill, %op0, %op1, %op2, %op3, %op4, %op5 : !pdl.attribute, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation)
    pdl.rewrite %op5 with "replace"
  }
  func.func @replace(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}, %arg3: !t3 {aten.name = "mask"}, %arg4: !t4 {aten.name = "fill"}) -> !t5 {
    %0 = "aten.zeros"() {device = #aten.enum<"device", "cpu">, dtype = #aten.enum<"dtype", "float32">, layout = #aten.none, pin_memory = false, size = []} : () -> !t4
    %1 = "aten.where_self"(%arg3, %arg4, %0) : (!t3, !t4, !t4) -> !t6
    %2 = "aten.permute"(%arg1) {dims = [0, 1, 3, 2]} : (!t1) -> !t8
    %3 = "aten.scaled_dot_product_attention"(%arg0, %2, %arg2, %1) {dropout_p = 0.000000e+00 : f64, enable_gqa = false, is_causal = false, scale = #aten.expr<"1.0/scale">} : (!t0, !t8, !t2, !t6) -> !t5
    %4 = "aten.amax"(%1) {dim = [3], keepdim = true} : (!t6) -> !t9
    %5 = "aten.eq_scalar"(%4) {other = 0xFFF0000000000000 : f64} : (!t9) -> !t10
    %6 = "aten.scalar_tensor"() {device = #aten.enum<"device", "cpu">, dtype = #aten.enum<"dtype", "float32">, layout = #aten.enum<"layout", "strided">, pin_memory = #aten.none, s = 0x7FF8000000000000 : f64} : () -> !t4
    %7 = "aten.where_self"(%5, %6, %3) : (!t10, !t4, !t5) -> !t5
    return %7 : !t5
  }
}
// -----
!t0 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d2">, #aten.expr<"d1*d2">, #aten.expr<"d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d2">]>>
!t1 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, 1, #aten.expr<"d2">], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d2">, #aten.expr<"d4">]>>
!t2 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d4*d5">, #aten.expr<"d4*d5">, #aten.expr<"d5">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d5">]>>
!t3 = tensor<?x?xi1, #aten.layout<"cpu", [#aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d1">, #aten.expr<"d4">]>>
!t4 = tensor<f32, #aten.layout<"cpu", [], 0 : i64, unit>>
!t5 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d5">, #aten.expr<"d1*d5">, #aten.expr<"d5">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d5">]>>
!t6 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d4">, #aten.expr<"d1*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d4">]>>
!t7 = tensor<f64, #aten.layout<"cpu", [], 0 : i64, unit>>
!t8 = tensor<?x?xf32, #aten.layout<"cpu", [#aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d1">, #aten.expr<"d4">]>>
!t9 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, #aten.expr<"d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d2">]>>
!t10 = tensor<?x1xf32, #aten.layout<"cpu", [1, 1], 0 : i64, [#aten.expr<"d1">, 1]>>
!t11 = tensor<?x1xi1, #aten.layout<"cpu", [1, 1], 0 : i64, [#aten.expr<"d1">, 1]>>
module @attention_divided_dropped_of_rank_2 attributes {pattern.scalars = ["scale"]} {
  func.func @search(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}, %arg3: !t3 {aten.name = "mask", pattern.any_size}, %arg4: !t4 {aten.name = "fill"}) -> !t5 {
    %0 = "aten.matmul"(%arg0, %arg1) : (!t0, !t1) -> !t6
    %1 = "aten.number"() {value = #aten.expr<"scale">} : () -> !t7
    %2 = "aten.div_tensor"(%0, %1) : (!t6, !t7) -> !t6
    %3 = "aten.where_self"(%arg3, %arg4, %2) : (!t3, !t4, !t6) -> !t6
    %4 = "aten.u_softmax"(%3) {dim = 3 : i64, half_to_float = false} : (!t6) -> !t6
    %5 = "aten.matmul"(%4, %arg2) : (!t6, !t2) -> !t5
    return %5 : !t5
  }
  pdl.pattern @attention_divided_dropped_of_rank_2 : benefit(6) {
    %q = pdl.operand
    %k = pdl.operand
    %v = pdl.operand
    %mask = pdl.operand
    %fill = pdl.operand
    %literal0 = pdl.attribute = 3 : i64
    %literal1 = pdl.attribute = false
    %type0_0 = pdl.type
    %op0 = pdl.operation "aten.matmul"(%q, %k : !pdl.value, !pdl.value) -> (%type0_0 : !pdl.type)
    %op0.r0 = pdl.result 0 of %op0
    %type1_0 = pdl.type
    %op1 = pdl.operation "aten.number" -> (%type1_0 : !pdl.type)
    %op1.r0 = pdl.result 0 of %op1
    %type2_0 = pdl.type
    %op2 = pdl.operation "aten.div_tensor"(%op0.r0, %op1.r0 : !pdl.value, !pdl.value) -> (%type2_0 : !pdl.type)
    %op2.r0 = pdl.result 0 of %op2
    %type3_0 = pdl.type
    %op3 = pdl.operation "aten.where_self"(%mask, %fill, %op2.r0 : !pdl.value, !pdl.value, !pdl.value) -> (%type3_0 : !pdl.type)
    %op3.r0 = pdl.result 0 of %op3
    %type4_0 = pdl.type
    %op4 = pdl.operation "aten.u_softmax"(%op3.r0 : !pdl.value) {"dim" = %literal0, "half_to_float" = %literal1} -> (%type4_0 : !pdl.type)
    %op4.r0 = pdl.result 0 of %op4
    %type5_0 = pdl.type
    %op5 = pdl.operation "aten.matmul"(%op4.r0, %v : !pdl.value, !pdl.value) -> (%type5_0 : !pdl.type)
    %name = pdl.attribute = "attention_divided_dropped_of_rank_2"
    pdl.apply_native_constraint "collect"(%name, %q, %k, %v, %mask, %fill, %op0, %op1, %op2, %op3, %op4, %op5 : !pdl.attribute, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation)
    pdl.rewrite %op5 with "replace"
  }
  func.func @replace(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}, %arg3: !t3 {aten.name = "mask"}, %arg4: !t4 {aten.name = "fill"}) -> !t5 {
    %0 = "aten.zeros"() {device = #aten.enum<"device", "cpu">, dtype = #aten.enum<"dtype", "float32">, layout = #aten.none, pin_memory = false, size = []} : () -> !t4
    %1 = "aten.where_self"(%arg3, %arg4, %0) : (!t3, !t4, !t4) -> !t8
    %2 = "aten.permute"(%arg1) {dims = [0, 1, 3, 2]} : (!t1) -> !t9
    %3 = "aten.scaled_dot_product_attention"(%arg0, %2, %arg2, %1) {dropout_p = 0.000000e+00 : f64, enable_gqa = false, is_causal = false, scale = #aten.expr<"1.0/scale">} : (!t0, !t9, !t2, !t8) -> !t5
    %4 = "aten.amax"(%1) {dim = [1], keepdim = true} : (!t8) -> !t10
    %5 = "aten.eq_scalar"(%4) {other = 0xFFF0000000000000 : f64} : (!t10) -> !t11
    %6 = "aten.scalar_tensor"() {device = #aten.enum<"device", "cpu">, dtype = #aten.enum<"dtype", "float32">, layout = #aten.enum<"layout", "strided">, pin_memory = #aten.none, s = 0x7FF8000000000000 : f64} : () -> !t4
    %7 = "aten.where_self"(%5, %6, %3) : (!t11, !t4, !t5) -> !t5
    return %7 : !t5
  }
}
// -----
!t0 = tensor<?x?x?x?xbf16, #aten.layout<"cpu", [#aten.expr<"d0*d1*d2">, #aten.expr<"d1*d2">, #aten.expr<"d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d2">]>>
!t1 = tensor<?x?x?x?xbf16, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, 1, #aten.expr<"d2">], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d2">, #aten.expr<"d4">]>>
!t2 = tensor<?x?x?x?xbf16, #aten.layout<"cpu", [#aten.expr<"d0*d4*d5">, #aten.expr<"d4*d5">, #aten.expr<"d5">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d5">]>>
!t3 = tensor<?x?x?x?xi1, #aten.layout<"cpu", [#aten.expr<"d0*d1*d4">, #aten.expr<"d1*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d4">]>>
!t4 = tensor<bf16, #aten.layout<"cpu", [], 0 : i64, unit>>
!t5 = tensor<?x?x?x?xbf16, #aten.layout<"cpu", [#aten.expr<"d0*d1*d5">, #aten.expr<"d1*d5">, #aten.expr<"d5">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d5">]>>
!t6 = tensor<?x?x?x?xbf16, #aten.layout<"cpu", [#aten.expr<"d0*d1*d4">, #aten.expr<"d1*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d4">]>>
!t7 = tensor<f64, #aten.layout<"cpu", [], 0 : i64, unit>>
!t8 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d4">, #aten.expr<"d1*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d4">]>>
!t9 = tensor<?x?x?x?xbf16, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, #aten.expr<"d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d2">]>>
!t10 = tensor<?x?x?x1xbf16, #aten.layout<"cpu", [#aten.expr<"d0*d1">, #aten.expr<"d1">, 1, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, 1]>>
!t11 = tensor<?x?x?x1xi1, #aten.layout<"cpu", [#aten.expr<"d0*d1">, #aten.expr<"d1">, 1, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, 1]>>
module @attention_divided_dropped_bfloat16 attributes {pattern.scalars = ["scale"]} {
  func.func @search(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}, %arg3: !t3 {aten.name = "mask", pattern.any_size}, %arg4: !t4 {aten.name = "fill"}) -> !t5 {
    %0 = "aten.matmul"(%arg0, %arg1) : (!t0, !t1) -> !t6
    %1 = "aten.number"() {value = #aten.expr<"scale">} : () -> !t7
    %2 = "aten.div_tensor"(%0, %1) : (!t6, !t7) -> !t6
    %3 = "aten.where_self"(%arg3, %arg4, %2) : (!t3, !t4, !t6) -> !t6
    %4 = "aten.u_to_copy"(%3) {device = #aten.none, dtype = #aten.enum<"dtype", "float32">, layout = #aten.none, memory_format = #aten.none, non_blocking = false, pin_memory = #aten.none} : (!t6) -> !t8
    %5 = "aten.u_softmax"(%4) {dim = 3 : i64, half_to_float = false} : (!t8) -> !t8
    %6 = "aten.u_to_copy"(%5) {device = #aten.none, dtype = #aten.enum<"dtype", "bfloat16">, layout = #aten.none, memory_format = #aten.none, non_blocking = false, pin_memory = #aten.none} : (!t8) -> !t6
    %7 = "aten.matmul"(%6, %arg2) : (!t6, !t2) -> !t5
    return %7 : !t5
  }
  pdl.pattern @attention_divided_dropped_bfloat16 : benefit(8) {
    %q = pdl.operand
    %k = pdl.operand
    %v = pdl.operand
    %mask = pdl.operand
    %fill = pdl.operand
    %literal0 = pdl.attribute = #aten.none
    %literal1 = pdl.attribute = #aten.enum<"dtype", "float32">
    %literal2 = pdl.attribute = false
    %literal3 = pdl.attribute = 3 : i64
    %literal4 = pdl.attribute = #aten.enum<"dtype", "bfloat16">
    %type0_0 = pdl.type
    %op0 = pdl.operation "aten.matmul"(%q, %k : !pdl.value, !pdl.value) -> (%type0_0 : !pdl.type)
    %op0.r0 = pdl.result 0 of %op0
    %type1_0 = pdl.type
    %op1 = pdl.operation "aten.number" -> (%type1_0 : !pdl.type)
    %op1.r0 = pdl.result 0 of %op1
    %type2_0 = pdl.type
    %op2 = pdl.operation "aten.div_tensor"(%op0.r0, %op1.r0 : !pdl.value, !pdl.value) -> (%type2_0 : !pdl.type)
    %op2.r0 = pdl.result 0 of %op2
    %type3_0 = pdl.type
    %op3 = pdl.operation "aten.where_self"(%mask, %fill, %op2.r0 : !pdl.value, !pdl.value, !pdl.value) -> (%type3_0 : !pdl.type)
    %op3.r0 = pdl.result 0 of %op3
    %type4_0 = pdl.type
    %op4 = pdl.operation "aten.u_to_copy"(%op3.r0 : !pdl.value) {"device" = %literal0, "dtype" = %literal1, "layout" = %literal0, "memory_format" = %literal0, "non_blocking" = %literal2, "pin_memory" = %literal0} -> (%type4_0 : !pdl.type)
    %op4.r0 = pdl.result 0 of %op4
    %type5_0 = pdl.type
    %op5 = pdl.operation "aten.u_softmax"(%op4.r0 : !pdl.value) {"dim" = %literal3, "half_to_float" = %literal2} -> (%type5_0 : !pdl.type)
    %op5.r0 = pdl.result 0 of %op5
    %type6_0 = pdl.type
    %op6 = pdl.operation "aten.u_to_copy"(%op5.r0 : !pdl.value) {"device" = %literal0, "dtype" = %literal4, "layout" = %literal0, "memory_format" = %literal0, "non_blocking" = %literal2, "pin_memory" = %literal0} -> (%type6_0 : !pdl.type)
    %op6.r0 = pdl.result 0 of %op6
    %type7_0 = pdl.type
    %op7 = pdl.operation "aten.matmul"(%op6.r0, %v : !pdl.value, !pdl.value) -> (%type7_0 : !pdl.type)
    %name = pdl.attribute = "attention_divided_dropped_bfloat16"
    pdl.apply_native_constraint "collect"(%name, %q, %k, %v, %mask, %fill, %op0, %op1, %op2, %op3, %op4, %op5, %op6, %op7 : !pdl.attribute, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation)
    pdl.rewrite %op7 with "replace"
  }
  func.func @replace(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}, %arg3: !t3 {aten.name = "mask"}, %arg4: !t4 {aten.name = "fill"}) -> !t5 {
    %0 = "aten.zeros"() {device = #aten.enum<"device", "cpu">, dtype = #aten.enum<"dtype", "bfloat16">, layout = #aten.none, pin_memory = false, size = []} : () -> !t4
    %1 = "aten.where_self"(%arg3, %arg4, %0) : (!t3, !t4, !t4) -> !t6
    %2 = "aten.permute"(%arg1) {dims = [0, 1, 3, 2]} : (!t1) -> !t9
    %3 = "aten.scaled_dot_product_attention"(%arg0, %2, %arg2, %1) {dropout_p = 0.000000e+00 : f64, enable_gqa = false, is_causal = false, scale = #aten.expr<"1.0/scale">} : (!t0, !t9, !t2, !t6) -> !t5
    %4 = "aten.amax"(%1) {dim = [3], keepdim = true} : (!t6) -> !t10
    %5 = "aten.eq_scalar"(%4) {other = 0xFFF0000000000000 : f64} : (!t10) -> !t11
    %6 = "aten.scalar_tensor"() {device = #aten.enum<"device", "cpu">, dtype = #aten.enum<"dtype", "bfloat16">, layout = #aten.enum<"layout", "strided">, pin_memory = #aten.none, s = 0x7FF8000000000000 : f64} : () -> !t4
    %7 = "aten.where_self"(%5, %6, %3) : (!t11, !t4, !t5) -> !t5
    return %7 : !t5
  }
}
// -----
!t0 = tensor<?x?x?x?xf16, #aten.layout<"cpu", [#aten.expr<"d0*d1*d2">, #aten.expr<"d1*d2">, #aten.expr<"d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d2">]>>
!t1 = tensor<?x?x?x?xf16, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, 1, #aten.expr<"d2">], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d2">, #aten.expr<"d4">]>>
!t2 = tensor<?x?x?x?xf16, #aten.layout<"cpu", [#aten.expr<"d0*d4*d5">, #aten.expr<"d4*d5">, #aten.expr<"d5">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d5">]>>
!t3 = tensor<?x?x?x?xi1, #aten.layout<"cpu", [#aten.expr<"d0*d1*d4">, #aten.expr<"d1*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d4">]>>
!t4 = tensor<f16, #aten.layout<"cpu", [], 0 : i64, unit>>
!t5 = tensor<?x?x?x?xf16, #aten.layout<"cpu", [#aten.expr<"d0*d1*d5">, #aten.expr<"d1*d5">, #aten.expr<"d5">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d5">]>>
!t6 = tensor<?x?x?x?xf16, #aten.layout<"cpu", [#aten.expr<"d0*d1*d4">, #aten.expr<"d1*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d4">]>>
!t7 = tensor<f64, #aten.layout<"cpu", [], 0 : i64, unit>>
!t8 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d4">, #aten.expr<"d1*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d4">]>>
!t9 = tensor<?x?x?x?xf16, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, #aten.expr<"d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d2">]>>
!t10 = tensor<?x?x?x1xf16, #aten.layout<"cpu", [#aten.expr<"d0*d1">, #aten.expr<"d1">, 1, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, 1]>>
!t11 = tensor<?x?x?x1xi1, #aten.layout<"cpu", [#aten.expr<"d0*d1">, #aten.expr<"d1">, 1, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, 1]>>
module @attention_divided_dropped_float16 attributes {pattern.scalars = ["scale"]} {
  func.func @search(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}, %arg3: !t3 {aten.name = "mask", pattern.any_size}, %arg4: !t4 {aten.name = "fill"}) -> !t5 {
    %0 = "aten.matmul"(%arg0, %arg1) : (!t0, !t1) -> !t6
    %1 = "aten.number"() {value = #aten.expr<"scale">} : () -> !t7
    %2 = "aten.div_tensor"(%0, %1) : (!t6, !t7) -> !t6
    %3 = "aten.where_self"(%arg3, %arg4, %2) : (!t3, !t4, !t6) -> !t6
    %4 = "aten.u_to_copy"(%3) {device = #aten.none, dtype = #aten.enum<"dtype", "float32">, layout = #aten.none, memory_format = #aten.none, non_blocking = false, pin_memory = #aten.none} : (!t6) -> !t8
    %5 = "aten.u_softmax"(%4) {dim = 3 : i64, half_to_float = false} : (!t8) -> !t8
    %6 = "aten.u_to_copy"(%5) {device = #aten.none, dtype = #aten.enum<"dtype", "float16">, layout = #aten.none, memory_format = #aten.none, non_blocking = false, pin_memory = #aten.none} : (!t8) -> !t6
    %7 = "aten.matmul"(%6, %arg2) : (!t6, !t2) -> !t5
    return %7 : !t5
  }
  pdl.pattern @attention_divided_dropped_float16 : benefit(8) {
    %q = pdl.operand
    %k = pdl.operand
    %v = pdl.operand
    %mask = pdl.operand
    %fill = pdl.operand
    %literal0 = pdl.attribute = #aten.none
    %literal1 = pdl.attribute = #aten.enum<"dtype", "float32">
    %literal2 = pdl.attribute = false
    %literal3 = pdl.attribute = 3 : i64
    %literal4 = pdl.attribute = #aten.enum<"dtype", "float16">
    %type0_0 = pdl.type
    %op0 = pdl.operation "aten.matmul"(%q, %k : !pdl.value, !pdl.value) -> (%type0_0 : !pdl.type)
    %op0.r0 = pdl.result 0 of %op0
    %type1_0 = pdl.type
    %op1 = pdl.operation "aten.number" -> (%type1_0 : !pdl.type)
    %op1.r0 = pdl.result 0 of %op1
    %type2_0 = pdl.type
    %op2 = pdl.operation "aten.div_tensor"(%op0.r0, %op1.r0 : !pdl.value, !pdl.value) -> (%type2_0 : !pdl.type)
    %op2.r0 = pdl.result 0 of %op2
    %type3_0 = pdl.type
    %op3 = pdl.operation "aten.where_self"(%mask, %fill, %op2.r0 : !pdl.value, !pdl.value, !pdl.value) -> (%type3_0 : !pdl.type)
    %op3.r0 = pdl.result 0 of %op3
    %type4_0 = pdl.type
    %op4 = pdl.operation "aten.u_to_copy"(%op3.r0 : !pdl.value) {"device" = %literal0, "dtype" = %literal1, "layout" = %literal0, "memory_format" = %literal0, "non_blocking" = %literal2, "pin_memory" = %literal0} -> (%type4_0 : !pdl.type)
    %op4.r0 = pdl.result 0 of %op4
    %type5_0 = pdl.type
    %op5 = pdl.operation "aten.u_softmax"(%op4.r0 : !pdl.value) {"dim" = %literal3, "half_to_float" = %literal2} -> (%type5_0 : !pdl.type)
    %op5.r0 = pdl.result 0 of %op5
    %type6_0 = pdl.type
    %op6 = pdl.operation "aten.u_to_copy"(%op5.r0 : !pdl.value) {"device" = %literal0, "dtype" = %literal4, "layout" = %literal0, "memory_format" = %literal0, "non_blocking" = %literal2, "pin_memory" = %literal0} -> (%type6_0 : !pdl.type)
    %op6.r0 = pdl.result 0 of %op6
    %type7_0 = pdl.type
    %op7 = pdl.operation "aten.matmul"(%op6.r0, %v : !pdl.value, !pdl.value) -> (%type7_0 : !pdl.type)
    %name = pdl.attribute = "attention_divided_dropped_float16"
    pdl.apply_native_constraint "collect"(%name, %q, %k, %v, %mask, %fill, %op0, %op1, %op2, %op3, %op4, %op5, %op6, %op7 : !pdl.attribute, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation)
    pdl.rewrite %op7 with "replace"
  }
  func.func @replace(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}, %arg3: !t3 {aten.name = "mask"}, %arg4: !t4 {aten.name = "fill"}) -> !t5 {
    %0 = "aten.zeros"() {device = #aten.enum<"device", "cpu">, dtype = #aten.enum<"dtype", "float16">, layout = #aten.none, pin_memory = false, size = []} : () -> !t4
    %1 = "aten.where_self"(%arg3, %arg4, %0) : (!t3, !t4, !t4) -> !t6
    %2 = "aten.permute"(%arg1) {dims = [0, 1, 3, 2]} : (!t1) -> !t9
    %3 = "aten.scaled_dot_product_attention"(%arg0, %2, %arg2, %1) {dropout_p = 0.000000e+00 : f64, enable_gqa = false, is_causal = false, scale = #aten.expr<"1.0/scale">} : (!t0, !t9, !t2, !t6) -> !t5
    %4 = "aten.amax"(%1) {dim = [3], keepdim = true} : (!t6) -> !t10
    %5 = "aten.eq_scalar"(%4) {other = 0xFFF0000000000000 : f64} : (!t10) -> !t11
    %6 = "aten.scalar_tensor"() {device = #aten.enum<"device", "cpu">, dtype = #aten.enum<"dtype", "float16">, layout = #aten.enum<"layout", "strided">, pin_memory = #aten.none, s = 0x7FF8000000000000 : f64} : () -> !t4
    %7 = "aten.where_self"(%5, %6, %3) : (!t11, !t4, !t5) -> !t5
    return %7 : !t5
  }
}
// -----
!t0 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d2">, #aten.expr<"d1*d2">, #aten.expr<"d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d2">]>>
!t1 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, 1, #aten.expr<"d2">], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d2">, #aten.expr<"d4">]>>
!t2 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d4*d5">, #aten.expr<"d4*d5">, #aten.expr<"d5">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d5">]>>
!t3 = tensor<?x?x?x?xi1, #aten.layout<"cpu", [#aten.expr<"d0*d1*d4">, #aten.expr<"d1*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d4">]>>
!t4 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d5">, #aten.expr<"d1*d5">, #aten.expr<"d5">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d5">]>>
!t5 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d4">, #aten.expr<"d1*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d4">]>>
!t6 = tensor<f64, #aten.layout<"cpu", [], 0 : i64, unit>>
!t7 = tensor<f32, #aten.layout<"cpu", [], 0 : i64, unit>>
!t8 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, #aten.expr<"d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d2">]>>
!t9 = tensor<?x?x?x1xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1">, #aten.expr<"d1">, 1, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, 1]>>
!t10 = tensor<?x?x?x1xi1, #aten.layout<"cpu", [#aten.expr<"d0*d1">, #aten.expr<"d1">, 1, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, 1]>>
module @attention_divided_filled attributes {pattern.scalars = ["fill", "scale"]} {
  func.func @search(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}, %arg3: !t3 {aten.name = "mask", pattern.any_size}) -> !t4 {
    %0 = "aten.matmul"(%arg0, %arg1) : (!t0, !t1) -> !t5
    %1 = "aten.number"() {value = #aten.expr<"scale">} : () -> !t6
    %2 = "aten.div_tensor"(%0, %1) : (!t5, !t6) -> !t5
    %3 = "aten.masked_fill_scalar"(%2, %arg3) {value = #aten.expr<"fill">} : (!t5, !t3) -> !t5
    %4 = "aten.u_softmax"(%3) {dim = 3 : i64, half_to_float = false} : (!t5) -> !t5
    %5 = "aten.matmul"(%4, %arg2) : (!t5, !t2) -> !t4
    return %5 : !t4
  }
  pdl.pattern @attention_divided_filled : benefit(6) {
    %q = pdl.operand
    %k = pdl.operand
    %v = pdl.operand
    %mask = pdl.operand
    %literal0 = pdl.attribute = 3 : i64
    %literal1 = pdl.attribute = false
    %type0_0 = pdl.type
    %op0 = pdl.operation "aten.matmul"(%q, %k : !pdl.value, !pdl.value) -> (%type0_0 : !pdl.type)
    %op0.r0 = pdl.result 0 of %op0
    %type1_0 = pdl.type
    %op1 = pdl.operation "aten.number" -> (%type1_0 : !pdl.type)
    %op1.r0 = pdl.result 0 of %op1
    %type2_0 = pdl.type
    %op2 = pdl.operation "aten.div_tensor"(%op0.r0, %op1.r0 : !pdl.value, !pdl.value) -> (%type2_0 : !pdl.type)
    %op2.r0 = pdl.result 0 of %op2
    %type3_0 = pdl.type
    %op3 = pdl.operation "aten.masked_fill_scalar"(%op2.r0, %mask : !pdl.value, !pdl.value) -> (%type3_0 : !pdl.type)
    %op3.r0 = pdl.result 0 of %op3
    %type4_0 = pdl.type
    %op4 = pdl.operation "aten.u_softmax"(%op3.r0 : !pdl.value) {"dim" = %literal0, "half_to_float" = %literal1} -> (%type4_0 : !pdl.type)
    %op4.r0 = pdl.result 0 of %op4
    %type5_0 = pdl.type
    %op5 = pdl.operation "aten.matmul"(%op4.r0, %v : !pdl.value, !pdl.value) -> (%type5_0 : !pdl.type)
    %name = pdl.attribute = "attention_divided_filled"
    pdl.apply_native_constraint "collect"(%name, %q, %k, %v, %mask, %op0, %op1, %op2, %op3, %op4, %op5 : !pdl.attribute, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation)
    pdl.rewrite %op5 with "replace"
  }
  func.func @replace(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}, %arg3: !t3 {aten.name = "mask"}) -> !t4 {
    %0 = "aten.scalar_tensor"() {device = #aten.enum<"device", "cpu">, dtype = #aten.enum<"dtype", "float32">, layout = #aten.enum<"layout", "strided">, pin_memory = #aten.none, s = 0.000000e+00 : f64} : () -> !t7
    %1 = "aten.scalar_tensor"() {device = #aten.enum<"device", "cpu">, dtype = #aten.enum<"dtype", "float32">, layout = #aten.enum<"layout", "strided">, pin_memory = #aten.none, s = #aten.expr<"fill">} : () -> !t7
    %2 = "aten.where_self"(%arg3, %1, %0) : (!t3, !t7, !t7) -> !t5
    %3 = "aten.permute"(%arg1) {dims = [0, 1, 3, 2]} : (!t1) -> !t8
    %4 = "aten.scaled_dot_product_attention"(%arg0, %3, %arg2, %2) {dropout_p = 0.000000e+00 : f64, enable_gqa = false, is_causal = false, scale = #aten.expr<"1.0/scale">} : (!t0, !t8, !t2, !t5) -> !t4
    %5 = "aten.amax"(%2) {dim = [3], keepdim = true} : (!t5) -> !t9
    %6 = "aten.eq_scalar"(%5) {other = 0xFFF0000000000000 : f64} : (!t9) -> !t10
    %7 = "aten.scalar_tensor"() {device = #aten.enum<"device", "cpu">, dtype = #aten.enum<"dtype", "float32">, layout = #aten.enum<"layout", "strided">, pin_memory = #aten.none, s = 0x7FF8000000000000 : f64} : () -> !t7
    %8 = "aten.where_self"(%6, %7, %4) : (!t10, !t7, !t4) -> !t4
    return %8 : !t4
  }
}
// -----
!t0 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d2">, #aten.expr<"d1*d2">, #aten.expr<"d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d2">]>>
!t1 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, 1, #aten.expr<"d2">], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d2">, #aten.expr<"d4">]>>
!t2 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d4*d5">, #aten.expr<"d4*d5">, #aten.expr<"d5">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d5">]>>
!t3 = tensor<?x?xi1, #aten.layout<"cpu", [#aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d1">, #aten.expr<"d4">]>>
!t4 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d5">, #aten.expr<"d1*d5">, #aten.expr<"d5">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d5">]>>
!t5 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d4">, #aten.expr<"d1*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d4">]>>
!t6 = tensor<f64, #aten.layout<"cpu", [], 0 : i64, unit>>
!t7 = tensor<f32, #aten.layout<"cpu", [], 0 : i64, unit>>
!t8 = tensor<?x?xf32, #aten.layout<"cpu", [#aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d1">, #aten.expr<"d4">]>>
!t9 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, #aten.expr<"d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d2">]>>
!t10 = tensor<?x1xf32, #aten.layout<"cpu", [1, 1], 0 : i64, [#aten.expr<"d1">, 1]>>
!t11 = tensor<?x1xi1, #aten.layout<"cpu", [1, 1], 0 : i64, [#aten.expr<"d1">, 1]>>
module @attention_divided_filled_of_rank_2 attributes {pattern.scalars = ["fill", "scale"]} {
  func.func @search(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}, %arg3: !t3 {aten.name = "mask", pattern.any_size}) -> !t4 {
    %0 = "aten.matmul"(%arg0, %arg1) : (!t0, !t1) -> !t5
    %1 = "aten.number"() {value = #aten.expr<"scale">} : () -> !t6
    %2 = "aten.div_tensor"(%0, %1) : (!t5, !t6) -> !t5
    %3 = "aten.masked_fill_scalar"(%2, %arg3) {value = #aten.expr<"fill">} : (!t5, !t3) -> !t5
    %4 = "aten.u_softmax"(%3) {dim = 3 : i64, half_to_float = false} : (!t5) -> !t5
    %5 = "aten.matmul"(%4, %arg2) : (!t5, !t2) -> !t4
    return %5 : !t4
  }
  pdl.pattern @attention_divided_filled_of_rank_2 : benefit(6) {
    %q = pdl.operand
    %k = pdl.operand
    %v = pdl.operand
    %mask = pdl.operand
    %literal0 = pdl.attribute = 3 : i64
    %literal1 = pdl.attribute = false
    %type0_0 = pdl.type
    %op0 = pdl.operation "aten.matmul"(%q, %k : !pdl.value, !pdl.value) -> (%type0_0 : !pdl.type)
    %op0.r0 = pdl.result 0 of %op0
    %type1_0 = pdl.type
    %op1 = pdl.operation "aten.number" -> (%type1_0 : !pdl.type)
    %op1.r0 = pdl.result 0 of %op1
    %type2_0 = pdl.type
    %op2 = pdl.operation "aten.div_tensor"(%op0.r0, %op1.r0 : !pdl.value, !pdl.value) -> (%type2_0 : !pdl.type)
    %op2.r0 = pdl.result 0 of %op2
    %type3_0 = pdl.type
    %op3 = pdl.operation "aten.masked_fill_scalar"(%op2.r0, %mask : !pdl.value, !pdl.value) -> (%type3_0 : !pdl.type)
    %op3.r0 = pdl.result 0 of %op3
    %type4_0 = pdl.type
    %op4 = pdl.operation "aten.u_softmax"(%op3.r0 : !pdl.value) {"dim" = %literal0, "half_to_float" = %literal1} -> (%type4_0 : !pdl.type)
    %op4.r0 = pdl.result 0 of %op4
    %type5_0 = pdl.type
    %op5 = pdl.operation "aten.matmul"(%op4.r0, %v : !pdl.value, !pdl.value) -> (%type5_0 : !pdl.type)
    %name = pdl.attribute = "attention_divided_filled_of_rank_2"
    pdl.apply_native_constraint "collect"(%name, %q, %k, %v, %mask, %op0, %op1, %op2, %op3, %op4, %op5 : !pdl.attribute, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation)
    pdl.rewrite %op5 with "replace"
  }
  func.func @replace(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}, %arg3: !t3 {aten.name = "mask"}) -> !t4 {
    %0 = "aten.scalar_tensor"() {device = #aten.enum<"device", "cpu">, dtype = #aten.enum<"dtype", "float32">, layout = #aten.enum<"layout", "strided">, pin_memory = #aten.none, s = 0.000000e+00 : f64} : () -> !t7
    %1 = "aten.scalar_tensor"() {device = #aten.enum<"device", "cpu">, dtype = #aten.enum<"dtype", "float32">, layout = #aten.enum<"layout", "strided">, pin_memory = #aten.none, s = #aten.expr<"fill">} : () -> !t7
    %2 = "aten.where_self"(%arg3, %1, %0) : (!t3, !t7, !t7) -> !t8
    %3 = "aten.permute"(%arg1) {dims = [0, 1, 3, 2]} : (!t1) -> !t9
    %4 = "aten.scaled_dot_product_attention"(%arg0, %3, %arg2, %2) {dropout_p = 0.000000e+00 : f64, enable_gqa = false, is_causal = false, scale = #aten.expr<"1.0/scale">} : (!t0, !t9, !t2, !t8) -> !t4
    %5 = "aten.amax"(%2) {dim = [1], keepdim = true} : (!t8) -> !t10
    %6 = "aten.eq_scalar"(%5) {other = 0xFFF0000000000000 : f64} : (!t10) -> !t11
    %7 = "aten.scalar_tensor"() {device = #aten.enum<"device", "cpu">, dtype = #aten.enum<"dtype", "float32">, layout = #aten.enum<"layout", "strided">, pin_memory = #aten.none, s = 0x7FF8000000000000 : f64} : () -> !t7
    %8 = "aten.where_self"(%6, %7, %4) : (!t11, !t7, !t4) -> !t4
    return %8 : !t4
  }
}
// -----
!t0 = tensor<?x?x?x?xbf16, #aten.layout<"cpu", [#aten.expr<"d0*d1*d2">, #aten.expr<"d1*d2">, #aten.expr<"d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d2">]>>
!t1 = tensor<?x?x?x?xbf16, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, 1, #aten.expr<"d2">], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d2">, #aten.expr<"d4">]>>
!t2 = tensor<?x?x?x?xbf16, #aten.layout<"cpu", [#aten.expr<"d0*d4*d5">, #aten.expr<"d4*d5">, #aten.expr<"d5">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d5">]>>
!t3 = tensor<?x?x?x?xi1, #aten.layout<"cpu", [#aten.expr<"d0*d1*d4">, #aten.expr<"d1*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d4">]>>
!t4 = tensor<?x?x?x?xbf16, #aten.layout<"cpu", [#aten.expr<"d0*d1*d5">, #aten.expr<"d1*d5">, #aten.expr<"d5">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d5">]>>
!t5 = tensor<?x?x?x?xbf16, #aten.layout<"cpu", [#aten.expr<"d0*d1*d4">, #aten.expr<"d1*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d4">]>>
!t6 = tensor<f64, #aten.layout<"cpu", [], 0 : i64, unit>>
!t7 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d4">, #aten.expr<"d1*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d4">]>>
!t8 = tensor<f32, #aten.layout<"cpu", [], 0 : i64, unit>>
!t9 = tensor<?x?x?x?xbf16, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, #aten.expr<"d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d2">]>>
!t10 = tensor<?x?x?x1xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1">, #aten.expr<"d1">, 1, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, 1]>>
!t11 = tensor<?x?x?x1xi1, #aten.layout<"cpu", [#aten.expr<"d0*d1">, #aten.expr<"d1">, 1, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, 1]>>
!t12 = tensor<bf16, #aten.layout<"cpu", [], 0 : i64, unit>>
module @attention_divided_filled_bfloat16 attributes {pattern.scalars = ["fill", "scale"]} {
  func.func @search(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}, %arg3: !t3 {aten.name = "mask", pattern.any_size}) -> !t4 {
    %0 = "aten.matmul"(%arg0, %arg1) : (!t0, !t1) -> !t5
    %1 = "aten.number"() {value = #aten.expr<"scale">} : () -> !t6
    %2 = "aten.div_tensor"(%0, %1) : (!t5, !t6) -> !t5
    %3 = "aten.masked_fill_scalar"(%2, %arg3) {value = #aten.expr<"fill">} : (!t5, !t3) -> !t5
    %4 = "aten.u_to_copy"(%3) {device = #aten.none, dtype = #aten.enum<"dtype", "float32">, layout = #aten.none, memory_format = #aten.none, non_blocking = false, pin_memory = #aten.none} : (!t5) -> !t7
    %5 = "aten.u_softmax"(%4) {dim = 3 : i64, half_to_float = false} : (!t7) -> !t7
    %6 = "aten.u_to_copy"(%5) {device = #aten.none, dtype = #aten.enum<"dtype", "bfloat16">, layout = #aten.none, memory_format = #aten.none, non_blocking = false, pin_memory = #aten.none} : (!t7) -> !t5
    %7 = "aten.matmul"(%6, %arg2) : (!t5, !t2) -> !t4
    return %7 : !t4
  }
  pdl.pattern @attention_divided_filled_bfloat16 : benefit(8) {
    %q = pdl.operand
    %k = pdl.operand
    %v = pdl.operand
    %mask = pdl.operand
    %literal0 = pdl.attribute = #aten.none
    %literal1 = pdl.attribute = #aten.enum<"dtype", "float32">
    %literal2 = pdl.attribute = false
    %literal3 = pdl.attribute = 3 : i64
    %literal4 = pdl.attribute = #aten.enum<"dtype", "bfloat16">
    %type0_0 = pdl.type
    %op0 = pdl.operation "aten.matmul"(%q, %k : !pdl.value, !pdl.value) -> (%type0_0 : !pdl.type)
    %op0.r0 = pdl.result 0 of %op0
    %type1_0 = pdl.type
    %op1 = pdl.operation "aten.number" -> (%type1_0 : !pdl.type)
    %op1.r0 = pdl.result 0 of %op1
    %type2_0 = pdl.type
    %op2 = pdl.operation "aten.div_tensor"(%op0.r0, %op1.r0 : !pdl.value, !pdl.value) -> (%type2_0 : !pdl.type)
    %op2.r0 = pdl.result 0 of %op2
    %type3_0 = pdl.type
    %op3 = pdl.operation "aten.masked_fill_scalar"(%op2.r0, %mask : !pdl.value, !pdl.value) -> (%type3_0 : !pdl.type)
    %op3.r0 = pdl.result 0 of %op3
    %type4_0 = pdl.type
    %op4 = pdl.operation "aten.u_to_copy"(%op3.r0 : !pdl.value) {"device" = %literal0, "dtype" = %literal1, "layout" = %literal0, "memory_format" = %literal0, "non_blocking" = %literal2, "pin_memory" = %literal0} -> (%type4_0 : !pdl.type)
    %op4.r0 = pdl.result 0 of %op4
    %type5_0 = pdl.type
    %op5 = pdl.operation "aten.u_softmax"(%op4.r0 : !pdl.value) {"dim" = %literal3, "half_to_float" = %literal2} -> (%type5_0 : !pdl.type)
    %op5.r0 = pdl.result 0 of %op5
    %type6_0 = pdl.type
    %op6 = pdl.operation "aten.u_to_copy"(%op5.r0 : !pdl.value) {"device" = %literal0, "dtype" = %literal4, "layout" = %literal0, "memory_format" = %literal0, "non_blocking" = %literal2, "pin_memory" = %literal0} -> (%type6_0 : !pdl.type)
    %op6.r0 = pdl.result 0 of %op6
    %type7_0 = pdl.type
    %op7 = pdl.operation "aten.matmul"(%op6.r0, %v : !pdl.value, !pdl.value) -> (%type7_0 : !pdl.type)
    %name = pdl.attribute = "attention_divided_filled_bfloat16"
    pdl.apply_native_constraint "collect"(%name, %q, %k, %v, %mask, %op0, %op1, %op2, %op3, %op4, %op5, %op6, %op7 : !pdl.attribute, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation)
    pdl.rewrite %op7 with "replace"
  }
  func.func @replace(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}, %arg3: !t3 {aten.name = "mask"}) -> !t4 {
    %0 = "aten.scalar_tensor"() {device = #aten.enum<"device", "cpu">, dtype = #aten.enum<"dtype", "float32">, layout = #aten.enum<"layout", "strided">, pin_memory = #aten.none, s = 0.000000e+00 : f64} : () -> !t8
    %1 = "aten.scalar_tensor"() {device = #aten.enum<"device", "cpu">, dtype = #aten.enum<"dtype", "float32">, layout = #aten.enum<"layout", "strided">, pin_memory = #aten.none, s = #aten.expr<"fill">} : () -> !t8
    %2 = "aten.where_self"(%arg3, %1, %0) : (!t3, !t8, !t8) -> !t7
    %3 = "aten.permute"(%arg1) {dims = [0, 1, 3, 2]} : (!t1) -> !t9
    %4 = "aten.scaled_dot_product_attention"(%arg0, %3, %arg2, %2) {dropout_p = 0.000000e+00 : f64, enable_gqa = false, is_causal = false, scale = #aten.expr<"1.0/scale">} : (!t0, !t9, !t2, !t7) -> !t4
    %5 = "aten.amax"(%2) {dim = [3], keepdim = true} : (!t7) -> !t10
    %6 = "aten.eq_scalar"(%5) {other = 0xFFF0000000000000 : f64} : (!t10) -> !t11
    %7 = "aten.scalar_tensor"() {device = #aten.enum<"device", "cpu">, dtype = #aten.enum<"dtype", "bfloat16">, layout = #aten.enum<"layout", "strided">, pin_memory = #aten.none, s = 0x7FF8000000000000 : f64} : () -> !t12
    %8 = "aten.where_self"(%6, %7, %4) : (!t11, !t12, !t4) -> !t4
    return %8 : !t4
  }
}
// -----
!t0 = tensor<?x?x?x?xf16, #aten.layout<"cpu", [#aten.expr<"d0*d1*d2">, #aten.expr<"d1*d2">, #aten.expr<"d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d2">]>>
!t1 = tensor<?x?x?x?xf16, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, 1, #aten.expr<"d2">], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d2">, #aten.expr<"d4">]>>
!t2 = tensor<?x?x?x?xf16, #aten.layout<"cpu", [#aten.expr<"d0*d4*d5">, #aten.expr<"d4*d5">, #aten.expr<"d5">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d5">]>>
!t3 = tensor<?x?x?x?xi1, #aten.layout<"cpu", [#aten.expr<"d0*d1*d4">, #aten.expr<"d1*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d4">]>>
!t4 = tensor<?x?x?x?xf16, #aten.layout<"cpu", [#aten.expr<"d0*d1*d5">, #aten.expr<"d1*d5">, #aten.expr<"d5">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d5">]>>
!t5 = tensor<?x?x?x?xf16, #aten.layout<"cpu", [#aten.expr<"d0*d1*d4">, #aten.expr<"d1*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d4">]>>
!t6 = tensor<f64, #aten.layout<"cpu", [], 0 : i64, unit>>
!t7 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d4">, #aten.expr<"d1*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d4">]>>
!t8 = tensor<f32, #aten.layout<"cpu", [], 0 : i64, unit>>
!t9 = tensor<?x?x?x?xf16, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, #aten.expr<"d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d2">]>>
!t10 = tensor<?x?x?x1xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1">, #aten.expr<"d1">, 1, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, 1]>>
!t11 = tensor<?x?x?x1xi1, #aten.layout<"cpu", [#aten.expr<"d0*d1">, #aten.expr<"d1">, 1, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, 1]>>
!t12 = tensor<f16, #aten.layout<"cpu", [], 0 : i64, unit>>
module @attention_divided_filled_float16 attributes {pattern.scalars = ["fill", "scale"]} {
  func.func @search(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}, %arg3: !t3 {aten.name = "mask", pattern.any_size}) -> !t4 {
    %0 = "aten.matmul"(%arg0, %arg1) : (!t0, !t1) -> !t5
    %1 = "aten.number"() {value = #aten.expr<"scale">} : () -> !t6
    %2 = "aten.div_tensor"(%0, %1) : (!t5, !t6) -> !t5
    %3 = "aten.masked_fill_scalar"(%2, %arg3) {value = #aten.expr<"fill">} : (!t5, !t3) -> !t5
    %4 = "aten.u_to_copy"(%3) {device = #aten.none, dtype = #aten.enum<"dtype", "float32">, layout = #aten.none, memory_format = #aten.none, non_blocking = false, pin_memory = #aten.none} : (!t5) -> !t7
    %5 = "aten.u_softmax"(%4) {dim = 3 : i64, half_to_float = false} : (!t7) -> !t7
    %6 = "aten.u_to_copy"(%5) {device = #aten.none, dtype = #aten.enum<"dtype", "float16">, layout = #aten.none, memory_format = #aten.none, non_blocking = false, pin_memory = #aten.none} : (!t7) -> !t5
    %7 = "aten.matmul"(%6, %arg2) : (!t5, !t2) -> !t4
    return %7 : !t4
  }
  pdl.pattern @attention_divided_filled_float16 : benefit(8) {
    %q = pdl.operand
    %k = pdl.operand
    %v = pdl.operand
    %mask = pdl.operand
    %literal0 = pdl.attribute = #aten.none
    %literal1 = pdl.attribute = #aten.enum<"dtype", "float32">
    %literal2 = pdl.attribute = false
    %literal3 = pdl.attribute = 3 : i64
    %literal4 = pdl.attribute = #aten.enum<"dtype", "float16">
    %type0_0 = pdl.type
    %op0 = pdl.operation "aten.matmul"(%q, %k : !pdl.value, !pdl.value) -> (%type0_0 : !pdl.type)
    %op0.r0 = pdl.result 0 of %op0
    %type1_0 = pdl.type
    %op1 = pdl.operation "aten.number" -> (%type1_0 : !pdl.type)
    %op1.r0 = pdl.result 0 of %op1
    %type2_0 = pdl.type
    %op2 = pdl.operation "aten.div_tensor"(%op0.r0, %op1.r0 : !pdl.value, !pdl.value) -> (%type2_0 : !pdl.type)
    %op2.r0 = pdl.result 0 of %op2
    %type3_0 = pdl.type
    %op3 = pdl.operation "aten.masked_fill_scalar"(%op2.r0, %mask : !pdl.value, !pdl.value) -> (%type3_0 : !pdl.type)
    %op3.r0 = pdl.result 0 of %op3
    %type4_0 = pdl.type
    %op4 = pdl.operation "aten.u_to_copy"(%op3.r0 : !pdl.value) {"device" = %literal0, "dtype" = %literal1, "layout" = %literal0, "memory_format" = %literal0, "non_blocking" = %literal2, "pin_memory" = %literal0} -> (%type4_0 : !pdl.type)
    %op4.r0 = pdl.result 0 of %op4
    %type5_0 = pdl.type
    %op5 = pdl.operation "aten.u_softmax"(%op4.r0 : !pdl.value) {"dim" = %literal3, "half_to_float" = %literal2} -> (%type5_0 : !pdl.type)
    %op5.r0 = pdl.result 0 of %op5
    %type6_0 = pdl.type
    %op6 = pdl.operation "aten.u_to_copy"(%op5.r0 : !pdl.value) {"device" = %literal0, "dtype" = %literal4, "layout" = %literal0, "memory_format" = %literal0, "non_blocking" = %literal2, "pin_memory" = %literal0} -> (%type6_0 : !pdl.type)
    %op6.r0 = pdl.result 0 of %op6
    %type7_0 = pdl.type
    %op7 = pdl.operation "aten.matmul"(%op6.r0, %v : !pdl.value, !pdl.value) -> (%type7_0 : !pdl.type)
    %name = pdl.attribute = "attention_divided_filled_float16"
    pdl.apply_native_constraint "collect"(%name, %q, %k, %v, %mask, %op0, %op1, %op2, %op3, %op4, %op5, %op6, %op7 : !pdl.attribute, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation)
    pdl.rewrite %op7 with "replace"
  }
  func.func @replace(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}, %arg3: !t3 {aten.name = "mask"}) -> !t4 {
    %0 = "aten.scalar_tensor"() {device = #aten.enum<"device", "cpu">, dtype = #aten.enum<"dtype", "float32">, layout = #aten.enum<"layout", "strided">, pin_memory = #aten.none, s = 0.000000e+00 : f64} : () -> !t8
    %1 = "aten.scalar_tensor"() {device = #aten.enum<"device", "cpu">, dtype = #aten.enum<"dtype", "float32">, layout = #aten.enum<"layout", "strided">, pin_memory = #aten.none, s = #aten.expr<"fill">} : () -> !t8
    %2 = "aten.where_self"(%arg3, %1, %0) : (!t3, !t8, !t8) -> !t7
    %3 = "aten.permute"(%arg1) {dims = [0, 1, 3, 2]} : (!t1) -> !t9
    %4 = "aten.scaled_dot_product_attention"(%arg0, %3, %arg2, %2) {dropout_p = 0.000000e+00 : f64, enable_gqa = false, is_causal = false, scale = #aten.expr<"1.0/scale">} : (!t0, !t9, !t2, !t7) -> !t4
    %5 = "aten.amax"(%2) {dim = [3], keepdim = true} : (!t7) -> !t10
    %6 = "aten.eq_scalar"(%5) {other = 0xFFF0000000000000 : f64} : (!t10) -> !t11
    %7 = "aten.scalar_tensor"() {device = #aten.enum<"device", "cpu">, dtype = #aten.enum<"dtype", "float16">, layout = #aten.enum<"layout", "strided">, pin_memory = #aten.none, s = 0x7FF8000000000000 : f64} : () -> !t12
    %8 = "aten.where_self"(%6, %7, %4) : (!t11, !t12, !t4) -> !t4
    return %8 : !t4
  }
}
// -----
!t0 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d2">, #aten.expr<"d1*d2">, #aten.expr<"d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d2">]>>
!t1 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, 1, #aten.expr<"d2">], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d2">, #aten.expr<"d4">]>>
!t2 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d4*d5">, #aten.expr<"d4*d5">, #aten.expr<"d5">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d5">]>>
!t3 = tensor<f32, #aten.layout<"cpu", [], 0 : i64, unit>>
!t4 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d5">, #aten.expr<"d1*d5">, #aten.expr<"d5">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d5">]>>
!t5 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d4">, #aten.expr<"d1*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d4">]>>
!t6 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, #aten.expr<"d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d2">]>>
module @attention_multiplied_by_tensor_unmasked {
  func.func @search(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}, %arg3: !t3 {aten.name = "scale"}) -> !t4 {
    %0 = "aten.matmul"(%arg0, %arg1) : (!t0, !t1) -> !t5
    %1 = "aten.mul_tensor"(%0, %arg3) : (!t5, !t3) -> !t5
    %2 = "aten.u_softmax"(%1) {dim = 3 : i64, half_to_float = false} : (!t5) -> !t5
    %3 = "aten.matmul"(%2, %arg2) : (!t5, !t2) -> !t4
    return %3 : !t4
  }
  pdl.pattern @attention_multiplied_by_tensor_unmasked : benefit(4) {
    %q = pdl.operand
    %k = pdl.operand
    %v = pdl.operand
    %scale = pdl.operand
    %literal0 = pdl.attribute = 3 : i64
    %literal1 = pdl.attribute = false
    %type0_0 = pdl.type
    %op0 = pdl.operation "aten.matmul"(%q, %k : !pdl.value, !pdl.value) -> (%type0_0 : !pdl.type)
    %op0.r0 = pdl.result 0 of %op0
    %type1_0 = pdl.type
    %op1 = pdl.operation "aten.mul_tensor"(%op0.r0, %scale : !pdl.value, !pdl.value) -> (%type1_0 : !pdl.type)
    %op1.r0 = pdl.result 0 of %op1
    %type2_0 = pdl.type
    %op2 = pdl.operation "aten.u_softmax"(%op1.r0 : !pdl.value) {"dim" = %literal0, "half_to_float" = %literal1} -> (%type2_0 : !pdl.type)
    %op2.r0 = pdl.result 0 of %op2
    %type3_0 = pdl.type
    %op3 = pdl.operation "aten.matmul"(%op2.r0, %v : !pdl.value, !pdl.value) -> (%type3_0 : !pdl.type)
    %name = pdl.attribute = "attention_multiplied_by_tensor_unmasked"
    pdl.apply_native_constraint "collect"(%name, %q, %k, %v, %scale, %op0, %op1, %op2, %op3 : !pdl.attribute, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation)
    pdl.rewrite %op3 with "replace"
  }
  pdl.pattern @attention_multiplied_by_tensor_unmasked_1 : benefit(4) {
    %q = pdl.operand
    %k = pdl.operand
    %v = pdl.operand
    %scale = pdl.operand
    %literal0 = pdl.attribute = 3 : i64
    %literal1 = pdl.attribute = false
    %type0_0 = pdl.type
    %op0 = pdl.operation "aten.matmul"(%q, %k : !pdl.value, !pdl.value) -> (%type0_0 : !pdl.type)
    %op0.r0 = pdl.result 0 of %op0
    %type1_0 = pdl.type
    %op1 = pdl.operation "aten.mul_tensor"(%scale, %op0.r0 : !pdl.value, !pdl.value) -> (%type1_0 : !pdl.type)
    %op1.r0 = pdl.result 0 of %op1
    %type2_0 = pdl.type
    %op2 = pdl.operation "aten.u_softmax"(%op1.r0 : !pdl.value) {"dim" = %literal0, "half_to_float" = %literal1} -> (%type2_0 : !pdl.type)
    %op2.r0 = pdl.result 0 of %op2
    %type3_0 = pdl.type
    %op3 = pdl.operation "aten.matmul"(%op2.r0, %v : !pdl.value, !pdl.value) -> (%type3_0 : !pdl.type)
    %name = pdl.attribute = "attention_multiplied_by_tensor_unmasked"
    pdl.apply_native_constraint "collect"(%name, %q, %k, %v, %scale, %op0, %op1, %op2, %op3 : !pdl.attribute, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation)
    pdl.rewrite %op3 with "replace"
  }
  func.func @replace(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}, %arg3: !t3 {aten.name = "scale"}) -> !t4 {
    %0 = "aten.mul_tensor"(%arg0, %arg3) : (!t0, !t3) -> !t0
    %1 = "aten.permute"(%arg1) {dims = [0, 1, 3, 2]} : (!t1) -> !t6
    %2 = "aten.scaled_dot_product_attention"(%0, %1, %arg2) {dropout_p = 0.000000e+00 : f64, enable_gqa = false, is_causal = false, scale = 1.000000e+00 : f64} : (!t0, !t6, !t2) -> !t4
    return %2 : !t4
  }
}
// -----
!t0 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d2">, #aten.expr<"d1*d2">, #aten.expr<"d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d2">]>>
!t1 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, 1, #aten.expr<"d2">], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d2">, #aten.expr<"d4">]>>
!t2 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d4*d5">, #aten.expr<"d4*d5">, #aten.expr<"d5">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d5">]>>
!t3 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d4">, #aten.expr<"d1*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d4">]>>
!t4 = tensor<f32, #aten.layout<"cpu", [], 0 : i64, unit>>
!t5 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d5">, #aten.expr<"d1*d5">, #aten.expr<"d5">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d5">]>>
!t6 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, #aten.expr<"d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d2">]>>
!t7 = tensor<?x?x?x1xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1">, #aten.expr<"d1">, 1, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, 1]>>
!t8 = tensor<?x?x?x1xi1, #aten.layout<"cpu", [#aten.expr<"d0*d1">, #aten.expr<"d1">, 1, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, 1]>>
module @attention_multiplied_by_tensor_added {
  func.func @search(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}, %arg3: !t3 {aten.name = "mask", pattern.any_size}, %arg4: !t4 {aten.name = "scale"}) -> !t5 {
    %0 = "aten.matmul"(%arg0, %arg1) : (!t0, !t1) -> !t3
    %1 = "aten.mul_tensor"(%0, %arg4) : (!t3, !t4) -> !t3
    %2 = "aten.add_tensor"(%1, %arg3) {alpha = 1 : i64} : (!t3, !t3) -> !t3
    %3 = "aten.u_softmax"(%2) {dim = 3 : i64, half_to_float = false} : (!t3) -> !t3
    %4 = "aten.matmul"(%3, %arg2) : (!t3, !t2) -> !t5
    return %4 : !t5
  }
  pdl.pattern @attention_multiplied_by_tensor_added : benefit(5) {
    %q = pdl.operand
    %k = pdl.operand
    %v = pdl.operand
    %mask = pdl.operand
    %scale = pdl.operand
    %literal0 = pdl.attribute = 1 : i64
    %literal1 = pdl.attribute = 3 : i64
    %literal2 = pdl.attribute = false
    %type0_0 = pdl.type
    %op0 = pdl.operation "aten.matmul"(%q, %k : !pdl.value, !pdl.value) -> (%type0_0 : !pdl.type)
    %op0.r0 = pdl.result 0 of %op0
    %type1_0 = pdl.type
    %op1 = pdl.operation "aten.mul_tensor"(%op0.r0, %scale : !pdl.value, !pdl.value) -> (%type1_0 : !pdl.type)
    %op1.r0 = pdl.result 0 of %op1
    %type2_0 = pdl.type
    %op2 = pdl.operation "aten.add_tensor"(%op1.r0, %mask : !pdl.value, !pdl.value) {"alpha" = %literal0} -> (%type2_0 : !pdl.type)
    %op2.r0 = pdl.result 0 of %op2
    %type3_0 = pdl.type
    %op3 = pdl.operation "aten.u_softmax"(%op2.r0 : !pdl.value) {"dim" = %literal1, "half_to_float" = %literal2} -> (%type3_0 : !pdl.type)
    %op3.r0 = pdl.result 0 of %op3
    %type4_0 = pdl.type
    %op4 = pdl.operation "aten.matmul"(%op3.r0, %v : !pdl.value, !pdl.value) -> (%type4_0 : !pdl.type)
    %name = pdl.attribute = "attention_multiplied_by_tensor_added"
    pdl.apply_native_constraint "collect"(%name, %q, %k, %v, %mask, %scale, %op0, %op1, %op2, %op3, %op4 : !pdl.attribute, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation)
    pdl.rewrite %op4 with "replace"
  }
  pdl.pattern @attention_multiplied_by_tensor_added_1 : benefit(5) {
    %q = pdl.operand
    %k = pdl.operand
    %v = pdl.operand
    %mask = pdl.operand
    %scale = pdl.operand
    %literal0 = pdl.attribute = 1 : i64
    %literal1 = pdl.attribute = 3 : i64
    %literal2 = pdl.attribute = false
    %type0_0 = pdl.type
    %op0 = pdl.operation "aten.matmul"(%q, %k : !pdl.value, !pdl.value) -> (%type0_0 : !pdl.type)
    %op0.r0 = pdl.result 0 of %op0
    %type1_0 = pdl.type
    %op1 = pdl.operation "aten.mul_tensor"(%op0.r0, %scale : !pdl.value, !pdl.value) -> (%type1_0 : !pdl.type)
    %op1.r0 = pdl.result 0 of %op1
    %type2_0 = pdl.type
    %op2 = pdl.operation "aten.add_tensor"(%mask, %op1.r0 : !pdl.value, !pdl.value) {"alpha" = %literal0} -> (%type2_0 : !pdl.type)
    %op2.r0 = pdl.result 0 of %op2
    %type3_0 = pdl.type
    %op3 = pdl.operation "aten.u_softmax"(%op2.r0 : !pdl.value) {"dim" = %literal1, "half_to_float" = %literal2} -> (%type3_0 : !pdl.type)
    %op3.r0 = pdl.result 0 of %op3
    %type4_0 = pdl.type
    %op4 = pdl.operation "aten.matmul"(%op3.r0, %v : !pdl.value, !pdl.value) -> (%type4_0 : !pdl.type)
    %name = pdl.attribute = "attention_multiplied_by_tensor_added"
    pdl.apply_native_constraint "collect"(%name, %q, %k, %v, %mask, %scale, %op0, %op1, %op2, %op3, %op4 : !pdl.attribute, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation)
    pdl.rewrite %op4 with "replace"
  }
  pdl.pattern @attention_multiplied_by_tensor_added_2 : benefit(5) {
    %q = pdl.operand
    %k = pdl.operand
    %v = pdl.operand
    %mask = pdl.operand
    %scale = pdl.operand
    %literal0 = pdl.attribute = 1 : i64
    %literal1 = pdl.attribute = 3 : i64
    %literal2 = pdl.attribute = false
    %type0_0 = pdl.type
    %op0 = pdl.operation "aten.matmul"(%q, %k : !pdl.value, !pdl.value) -> (%type0_0 : !pdl.type)
    %op0.r0 = pdl.result 0 of %op0
    %type1_0 = pdl.type
    %op1 = pdl.operation "aten.mul_tensor"(%scale, %op0.r0 : !pdl.value, !pdl.value) -> (%type1_0 : !pdl.type)
    %op1.r0 = pdl.result 0 of %op1
    %type2_0 = pdl.type
    %op2 = pdl.operation "aten.add_tensor"(%op1.r0, %mask : !pdl.value, !pdl.value) {"alpha" = %literal0} -> (%type2_0 : !pdl.type)
    %op2.r0 = pdl.result 0 of %op2
    %type3_0 = pdl.type
    %op3 = pdl.operation "aten.u_softmax"(%op2.r0 : !pdl.value) {"dim" = %literal1, "half_to_float" = %literal2} -> (%type3_0 : !pdl.type)
    %op3.r0 = pdl.result 0 of %op3
    %type4_0 = pdl.type
    %op4 = pdl.operation "aten.matmul"(%op3.r0, %v : !pdl.value, !pdl.value) -> (%type4_0 : !pdl.type)
    %name = pdl.attribute = "attention_multiplied_by_tensor_added"
    pdl.apply_native_constraint "collect"(%name, %q, %k, %v, %mask, %scale, %op0, %op1, %op2, %op3, %op4 : !pdl.attribute, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation)
    pdl.rewrite %op4 with "replace"
  }
  pdl.pattern @attention_multiplied_by_tensor_added_3 : benefit(5) {
    %q = pdl.operand
    %k = pdl.operand
    %v = pdl.operand
    %mask = pdl.operand
    %scale = pdl.operand
    %literal0 = pdl.attribute = 1 : i64
    %literal1 = pdl.attribute = 3 : i64
    %literal2 = pdl.attribute = false
    %type0_0 = pdl.type
    %op0 = pdl.operation "aten.matmul"(%q, %k : !pdl.value, !pdl.value) -> (%type0_0 : !pdl.type)
    %op0.r0 = pdl.result 0 of %op0
    %type1_0 = pdl.type
    %op1 = pdl.operation "aten.mul_tensor"(%scale, %op0.r0 : !pdl.value, !pdl.value) -> (%type1_0 : !pdl.type)
    %op1.r0 = pdl.result 0 of %op1
    %type2_0 = pdl.type
    %op2 = pdl.operation "aten.add_tensor"(%mask, %op1.r0 : !pdl.value, !pdl.value) {"alpha" = %literal0} -> (%type2_0 : !pdl.type)
    %op2.r0 = pdl.result 0 of %op2
    %type3_0 = pdl.type
    %op3 = pdl.operation "aten.u_softmax"(%op2.r0 : !pdl.value) {"dim" = %literal1, "half_to_float" = %literal2} -> (%type3_0 : !pdl.type)
    %op3.r0 = pdl.result 0 of %op3
    %type4_0 = pdl.type
    %op4 = pdl.operation "aten.matmul"(%op3.r0, %v : !pdl.value, !pdl.value) -> (%type4_0 : !pdl.type)
    %name = pdl.attribute = "attention_multiplied_by_tensor_added"
    pdl.apply_native_constraint "collect"(%name, %q, %k, %v, %mask, %scale, %op0, %op1, %op2, %op3, %op4 : !pdl.attribute, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation)
    pdl.rewrite %op4 with "replace"
  }
  func.func @replace(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}, %arg3: !t3 {aten.name = "mask"}, %arg4: !t4 {aten.name = "scale"}) -> !t5 {
    %0 = "aten.mul_tensor"(%arg0, %arg4) : (!t0, !t4) -> !t0
    %1 = "aten.permute"(%arg1) {dims = [0, 1, 3, 2]} : (!t1) -> !t6
    %2 = "aten.scaled_dot_product_attention"(%0, %1, %arg2, %arg3) {dropout_p = 0.000000e+00 : f64, enable_gqa = false, is_causal = false, scale = 1.000000e+00 : f64} : (!t0, !t6, !t2, !t3) -> !t5
    %3 = "aten.amax"(%arg3) {dim = [3], keepdim = true} : (!t3) -> !t7
    %4 = "aten.eq_scalar"(%3) {other = 0xFFF0000000000000 : f64} : (!t7) -> !t8
    %5 = "aten.scalar_tensor"() {device = #aten.enum<"device", "cpu">, dtype = #aten.enum<"dtype", "float32">, layout = #aten.enum<"layout", "strided">, pin_memory = #aten.none, s = 0x7FF8000000000000 : f64} : () -> !t4
    %6 = "aten.where_self"(%4, %5, %2) : (!t8, !t4, !t5) -> !t5
    return %6 : !t5
  }
}
// -----
!t0 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d2">, #aten.expr<"d1*d2">, #aten.expr<"d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d2">]>>
!t1 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, 1, #aten.expr<"d2">], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d2">, #aten.expr<"d4">]>>
!t2 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d4*d5">, #aten.expr<"d4*d5">, #aten.expr<"d5">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d5">]>>
!t3 = tensor<?x?x?x?xi1, #aten.layout<"cpu", [#aten.expr<"d0*d1*d4">, #aten.expr<"d1*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d4">]>>
!t4 = tensor<f32, #aten.layout<"cpu", [], 0 : i64, unit>>
!t5 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d5">, #aten.expr<"d1*d5">, #aten.expr<"d5">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d5">]>>
!t6 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d4">, #aten.expr<"d1*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d4">]>>
!t7 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, #aten.expr<"d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d2">]>>
!t8 = tensor<?x?x?x1xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1">, #aten.expr<"d1">, 1, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, 1]>>
!t9 = tensor<?x?x?x1xi1, #aten.layout<"cpu", [#aten.expr<"d0*d1">, #aten.expr<"d1">, 1, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, 1]>>
module @attention_multiplied_by_tensor_kept {
  func.func @search(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}, %arg3: !t3 {aten.name = "mask", pattern.any_size}, %arg4: !t4 {aten.name = "fill"}, %arg5: !t4 {aten.name = "scale"}) -> !t5 {
    %0 = "aten.matmul"(%arg0, %arg1) : (!t0, !t1) -> !t6
    %1 = "aten.mul_tensor"(%0, %arg5) : (!t6, !t4) -> !t6
    %2 = "aten.where_self"(%arg3, %1, %arg4) : (!t3, !t6, !t4) -> !t6
    %3 = "aten.u_softmax"(%2) {dim = 3 : i64, half_to_float = false} : (!t6) -> !t6
    %4 = "aten.matmul"(%3, %arg2) : (!t6, !t2) -> !t5
    return %4 : !t5
  }
  pdl.pattern @attention_multiplied_by_tensor_kept : benefit(5) {
    %q = pdl.operand
    %k = pdl.operand
    %v = pdl.operand
    %mask = pdl.operand
    %fill = pdl.operand
    %scale = pdl.operand
    %literal0 = pdl.attribute = 3 : i64
    %literal1 = pdl.attribute = false
    %type0_0 = pdl.type
    %op0 = pdl.operation "aten.matmul"(%q, %k : !pdl.value, !pdl.value) -> (%type0_0 : !pdl.type)
    %op0.r0 = pdl.result 0 of %op0
    %type1_0 = pdl.type
    %op1 = pdl.operation "aten.mul_tensor"(%op0.r0, %scale : !pdl.value, !pdl.value) -> (%type1_0 : !pdl.type)
    %op1.r0 = pdl.result 0 of %op1
    %type2_0 = pdl.type
    %op2 = pdl.operation "aten.where_self"(%mask, %op1.r0, %fill : !pdl.value, !pdl.value, !pdl.value) -> (%type2_0 : !pdl.type)
    %op2.r0 = pdl.result 0 of %op2
    %type3_0 = pdl.type
    %op3 = pdl.operation "aten.u_softmax"(%op2.r0 : !pdl.value) {"dim" = %literal0, "half_to_float" = %literal1} -> (%type3_0 : !pdl.type)
    %op3.r0 = pdl.result 0 of %op3
    %type4_0 = pdl.type
    %op4 = pdl.operation "aten.matmul"(%op3.r0, %v : !pdl.value, !pdl.value) -> (%type4_0 : !pdl.type)
    %name = pdl.attribute = "attention_multiplied_by_tensor_kept"
    pdl.apply_native_constraint "collect"(%name, %q, %k, %v, %mask, %fill, %scale, %op0, %op1, %op2, %op3, %op4 : !pdl.attribute, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation)
    pdl.rewrite %op4 with "replace"
  }
  pdl.pattern @attention_multiplied_by_tensor_kept_1 : benefit(5) {
    %q = pdl.operand
    %k = pdl.operand
    %v = pdl.operand
    %mask = pdl.operand
    %fill = pdl.operand
    %scale = pdl.operand
    %literal0 = pdl.attribute = 3 : i64
    %literal1 = pdl.attribute = false
    %type0_0 = pdl.type
    %op0 = pdl.operation "aten.matmul"(%q, %k : !pdl.value, !pdl.value) -> (%type0_0 : !pdl.type)
    %op0.r0 = pdl.result 0 of %op0
    %type1_0 = pdl.type
    %op1 = pdl.operation "aten.mul_tensor"(%scale, %op0.r0 : !pdl.value, !pdl.value) -> (%type1_0 : !pdl.type)
    %op1.r0 = pdl.result 0 of %op1
    %type2_0 = pdl.type
    %op2 = pdl.operation "aten.where_self"(%mask, %op1.r0, %fill : !pdl.value, !pdl.value, !pdl.value) -> (%type2_0 : !pdl.type)
    %op2.r0 = pdl.result 0 of %op2
    %type3_0 = pdl.type
    %op3 = pdl.operation "aten.u_softmax"(%op2.r0 : !pdl.value) {"dim" = %literal0, "half_to_float" = %literal1} -> (%type3_0 : !pdl.type)
    %op3.r0 = pdl.result 0 of %op3
    %type4_0 = pdl.type
    %op4 = pdl.operation "aten.matmul"(%op3.r0, %v : !pdl.value, !pdl.value) -> (%type4_0 : !pdl.type)
    %name = pdl.attribute = "attention_multiplied_by_tensor_kept"
    pdl.apply_native_constraint "collect"(%name, %q, %k, %v, %mask, %fill, %scale, %op0, %op1, %op2, %op3, %op4 : !pdl.attribute, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation)
    pdl.rewrite %op4 with "replace"
  }
  func.func @replace(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}, %arg3: !t3 {aten.name = "mask"}, %arg4: !t4 {aten.name = "fill"}, %arg5: !t4 {aten.name = "scale"}) -> !t5 {
    %0 = "aten.zeros"() {device = #aten.enum<"device", "cpu">, dtype = #aten.enum<"dtype", "float32">, layout = #aten.none, pin_memory = false, size = []} : () -> !t4
    %1 = "aten.where_self"(%arg3, %0, %arg4) : (!t3, !t4, !t4) -> !t6
    %2 = "aten.mul_tensor"(%arg0, %arg5) : (!t0, !t4) -> !t0
    %3 = "aten.permute"(%arg1) {dims = [0, 1, 3, 2]} : (!t1) -> !t7
    %4 = "aten.scaled_dot_product_attention"(%2, %3, %arg2, %1) {dropout_p = 0.000000e+00 : f64, enable_gqa = false, is_causal = false, scale = 1.000000e+00 : f64} : (!t0, !t7, !t2, !t6) -> !t5
    %5 = "aten.amax"(%1) {dim = [3], keepdim = true} : (!t6) -> !t8
    %6 = "aten.eq_scalar"(%5) {other = 0xFFF0000000000000 : f64} : (!t8) -> !t9
    %7 = "aten.scalar_tensor"() {device = #aten.enum<"device", "cpu">, dtype = #aten.enum<"dtype", "float32">, layout = #aten.enum<"layout", "strided">, pin_memory = #aten.none, s = 0x7FF8000000000000 : f64} : () -> !t4
    %8 = "aten.where_self"(%6, %7, %4) : (!t9, !t4, !t5) -> !t5
    return %8 : !t5
  }
}
// -----
!t0 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d2">, #aten.expr<"d1*d2">, #aten.expr<"d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d2">]>>
!t1 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, 1, #aten.expr<"d2">], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d2">, #aten.expr<"d4">]>>
!t2 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d4*d5">, #aten.expr<"d4*d5">, #aten.expr<"d5">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d5">]>>
!t3 = tensor<?x?x?x?xi1, #aten.layout<"cpu", [#aten.expr<"d0*d1*d4">, #aten.expr<"d1*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d4">]>>
!t4 = tensor<f32, #aten.layout<"cpu", [], 0 : i64, unit>>
!t5 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d5">, #aten.expr<"d1*d5">, #aten.expr<"d5">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d5">]>>
!t6 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d4">, #aten.expr<"d1*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d4">]>>
!t7 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, #aten.expr<"d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d2">]>>
!t8 = tensor<?x?x?x1xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1">, #aten.expr<"d1">, 1, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, 1]>>
!t9 = tensor<?x?x?x1xi1, #aten.layout<"cpu", [#aten.expr<"d0*d1">, #aten.expr<"d1">, 1, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, 1]>>
module @attention_multiplied_by_tensor_dropped {
  func.func @search(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}, %arg3: !t3 {aten.name = "mask", pattern.any_size}, %arg4: !t4 {aten.name = "fill"}, %arg5: !t4 {aten.name = "scale"}) -> !t5 {
    %0 = "aten.matmul"(%arg0, %arg1) : (!t0, !t1) -> !t6
    %1 = "aten.mul_tensor"(%0, %arg5) : (!t6, !t4) -> !t6
    %2 = "aten.where_self"(%arg3, %arg4, %1) : (!t3, !t4, !t6) -> !t6
    %3 = "aten.u_softmax"(%2) {dim = 3 : i64, half_to_float = false} : (!t6) -> !t6
    %4 = "aten.matmul"(%3, %arg2) : (!t6, !t2) -> !t5
    return %4 : !t5
  }
  pdl.pattern @attention_multiplied_by_tensor_dropped : benefit(5) {
    %q = pdl.operand
    %k = pdl.operand
    %v = pdl.operand
    %mask = pdl.operand
    %fill = pdl.operand
    %scale = pdl.operand
    %literal0 = pdl.attribute = 3 : i64
    %literal1 = pdl.attribute = false
    %type0_0 = pdl.type
    %op0 = pdl.operation "aten.matmul"(%q, %k : !pdl.value, !pdl.value) -> (%type0_0 : !pdl.type)
    %op0.r0 = pdl.result 0 of %op0
    %type1_0 = pdl.type
    %op1 = pdl.operation "aten.mul_tensor"(%op0.r0, %scale : !pdl.value, !pdl.value) -> (%type1_0 : !pdl.type)
    %op1.r0 = pdl.result 0 of %op1
    %type2_0 = pdl.type
    %op2 = pdl.operation "aten.where_self"(%mask, %fill, %op1.r0 : !pdl.value, !pdl.value, !pdl.value) -> (%type2_0 : !pdl.type)
    %op2.r0 = pdl.result 0 of %op2
    %type3_0 = pdl.type
    %op3 = pdl.operation "aten.u_softmax"(%op2.r0 : !pdl.value) {"dim" = %literal0, "half_to_float" = %literal1} -> (%type3_0 : !pdl.type)
    %op3.r0 = pdl.result 0 of %op3
    %type4_0 = pdl.type
    %op4 = pdl.operation "aten.matmul"(%op3.r0, %v : !pdl.value, !pdl.value) -> (%type4_0 : !pdl.type)
    %name = pdl.attribute = "attention_multiplied_by_tensor_dropped"
    pdl.apply_native_constraint "collect"(%name, %q, %k, %v, %mask, %fill, %scale, %op0, %op1, %op2, %op3, %op4 : !pdl.attribute, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation)
    pdl.rewrite %op4 with "replace"
  }
  pdl.pattern @attention_multiplied_by_tensor_dropped_1 : benefit(5) {
    %q = pdl.operand
    %k = pdl.operand
    %v = pdl.operand
    %mask = pdl.operand
    %fill = pdl.operand
    %scale = pdl.operand
    %literal0 = pdl.attribute = 3 : i64
    %literal1 = pdl.attribute = false
    %type0_0 = pdl.type
    %op0 = pdl.operation "aten.matmul"(%q, %k : !pdl.value, !pdl.value) -> (%type0_0 : !pdl.type)
    %op0.r0 = pdl.result 0 of %op0
    %type1_0 = pdl.type
    %op1 = pdl.operation "aten.mul_tensor"(%scale, %op0.r0 : !pdl.value, !pdl.value) -> (%type1_0 : !pdl.type)
    %op1.r0 = pdl.result 0 of %op1
    %type2_0 = pdl.type
    %op2 = pdl.operation "aten.where_self"(%mask, %fill, %op1.r0 : !pdl.value, !pdl.value, !pdl.value) -> (%type2_0 : !pdl.type)
    %op2.r0 = pdl.result 0 of %op2
    %type3_0 = pdl.type
    %op3 = pdl.operation "aten.u_softmax"(%op2.r0 : !pdl.value) {"dim" = %literal0, "half_to_float" = %literal1} -> (%type3_0 : !pdl.type)
    %op3.r0 = pdl.result 0 of %op3
    %type4_0 = pdl.type
    %op4 = pdl.operation "aten.matmul"(%op3.r0, %v : !pdl.value, !pdl.value) -> (%type4_0 : !pdl.type)
    %name = pdl.attribute = "attention_multiplied_by_tensor_dropped"
    pdl.apply_native_constraint "collect"(%name, %q, %k, %v, %mask, %fill, %scale, %op0, %op1, %op2, %op3, %op4 : !pdl.attribute, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation)
    pdl.rewrite %op4 with "replace"
  }
  func.func @replace(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}, %arg3: !t3 {aten.name = "mask"}, %arg4: !t4 {aten.name = "fill"}, %arg5: !t4 {aten.name = "scale"}) -> !t5 {
    %0 = "aten.zeros"() {device = #aten.enum<"device", "cpu">, dtype = #aten.enum<"dtype", "float32">, layout = #aten.none, pin_memory = false, size = []} : () -> !t4
    %1 = "aten.where_self"(%arg3, %arg4, %0) : (!t3, !t4, !t4) -> !t6
    %2 = "aten.mul_tensor"(%arg0, %arg5) : (!t0, !t4) -> !t0
    %3 = "aten.permute"(%arg1) {dims = [0, 1, 3, 2]} : (!t1) -> !t7
    %4 = "aten.scaled_dot_product_attention"(%2, %3, %arg2, %1) {dropout_p = 0.000000e+00 : f64, enable_gqa = false, is_causal = false, scale = 1.000000e+00 : f64} : (!t0, !t7, !t2, !t6) -> !t5
    %5 = "aten.amax"(%1) {dim = [3], keepdim = true} : (!t6) -> !t8
    %6 = "aten.eq_scalar"(%5) {other = 0xFFF0000000000000 : f64} : (!t8) -> !t9
    %7 = "aten.scalar_tensor"() {device = #aten.enum<"device", "cpu">, dtype = #aten.enum<"dtype", "float32">, layout = #aten.enum<"layout", "strided">, pin_memory = #aten.none, s = 0x7FF8000000000000 : f64} : () -> !t4
    %8 = "aten.where_self"(%6, %7, %4) : (!t9, !t4, !t5) -> !t5
    return %8 : !t5
  }
}
// -----
!t0 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d2">, #aten.expr<"d1*d2">, #aten.expr<"d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d2">]>>
!t1 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, 1, #aten.expr<"d2">], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d2">, #aten.expr<"d4">]>>
!t2 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d4*d5">, #aten.expr<"d4*d5">, #aten.expr<"d5">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d5">]>>
!t3 = tensor<?x?x?x?xi1, #aten.layout<"cpu", [#aten.expr<"d0*d1*d4">, #aten.expr<"d1*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d4">]>>
!t4 = tensor<f32, #aten.layout<"cpu", [], 0 : i64, unit>>
!t5 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d5">, #aten.expr<"d1*d5">, #aten.expr<"d5">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d5">]>>
!t6 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d4">, #aten.expr<"d1*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d4">]>>
!t7 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, #aten.expr<"d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d2">]>>
!t8 = tensor<?x?x?x1xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1">, #aten.expr<"d1">, 1, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, 1]>>
!t9 = tensor<?x?x?x1xi1, #aten.layout<"cpu", [#aten.expr<"d0*d1">, #aten.expr<"d1">, 1, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, 1]>>
module @attention_multiplied_by_tensor_filled attributes {pattern.scalars = ["fill"]} {
  func.func @search(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}, %arg3: !t3 {aten.name = "mask", pattern.any_size}, %arg4: !t4 {aten.name = "scale"}) -> !t5 {
    %0 = "aten.matmul"(%arg0, %arg1) : (!t0, !t1) -> !t6
    %1 = "aten.mul_tensor"(%0, %arg4) : (!t6, !t4) -> !t6
    %2 = "aten.masked_fill_scalar"(%1, %arg3) {value = #aten.expr<"fill">} : (!t6, !t3) -> !t6
    %3 = "aten.u_softmax"(%2) {dim = 3 : i64, half_to_float = false} : (!t6) -> !t6
    %4 = "aten.matmul"(%3, %arg2) : (!t6, !t2) -> !t5
    return %4 : !t5
  }
  pdl.pattern @attention_multiplied_by_tensor_filled : benefit(5) {
    %q = pdl.operand
    %k = pdl.operand
    %v = pdl.operand
    %mask = pdl.operand
    %scale = pdl.operand
    %literal0 = pdl.attribute = 3 : i64
    %literal1 = pdl.attribute = false
    %type0_0 = pdl.type
    %op0 = pdl.operation "aten.matmul"(%q, %k : !pdl.value, !pdl.value) -> (%type0_0 : !pdl.type)
    %op0.r0 = pdl.result 0 of %op0
    %type1_0 = pdl.type
    %op1 = pdl.operation "aten.mul_tensor"(%op0.r0, %scale : !pdl.value, !pdl.value) -> (%type1_0 : !pdl.type)
    %op1.r0 = pdl.result 0 of %op1
    %type2_0 = pdl.type
    %op2 = pdl.operation "aten.masked_fill_scalar"(%op1.r0, %mask : !pdl.value, !pdl.value) -> (%type2_0 : !pdl.type)
    %op2.r0 = pdl.result 0 of %op2
    %type3_0 = pdl.type
    %op3 = pdl.operation "aten.u_softmax"(%op2.r0 : !pdl.value) {"dim" = %literal0, "half_to_float" = %literal1} -> (%type3_0 : !pdl.type)
    %op3.r0 = pdl.result 0 of %op3
    %type4_0 = pdl.type
    %op4 = pdl.operation "aten.matmul"(%op3.r0, %v : !pdl.value, !pdl.value) -> (%type4_0 : !pdl.type)
    %name = pdl.attribute = "attention_multiplied_by_tensor_filled"
    pdl.apply_native_constraint "collect"(%name, %q, %k, %v, %mask, %scale, %op0, %op1, %op2, %op3, %op4 : !pdl.attribute, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation)
    pdl.rewrite %op4 with "replace"
  }
  pdl.pattern @attention_multiplied_by_tensor_filled_1 : benefit(5) {
    %q = pdl.operand
    %k = pdl.operand
    %v = pdl.operand
    %mask = pdl.operand
    %scale = pdl.operand
    %literal0 = pdl.attribute = 3 : i64
    %literal1 = pdl.attribute = false
    %type0_0 = pdl.type
    %op0 = pdl.operation "aten.matmul"(%q, %k : !pdl.value, !pdl.value) -> (%type0_0 : !pdl.type)
    %op0.r0 = pdl.result 0 of %op0
    %type1_0 = pdl.type
    %op1 = pdl.operation "aten.mul_tensor"(%scale, %op0.r0 : !pdl.value, !pdl.value) -> (%type1_0 : !pdl.type)
    %op1.r0 = pdl.result 0 of %op1
    %type2_0 = pdl.type
    %op2 = pdl.operation "aten.masked_fill_scalar"(%op1.r0, %mask : !pdl.value, !pdl.value) -> (%type2_0 : !pdl.type)
    %op2.r0 = pdl.result 0 of %op2
    %type3_0 = pdl.type
    %op3 = pdl.operation "aten.u_softmax"(%op2.r0 : !pdl.value) {"dim" = %literal0, "half_to_float" = %literal1} -> (%type3_0 : !pdl.type)
    %op3.r0 = pdl.result 0 of %op3
    %type4_0 = pdl.type
    %op4 = pdl.operation "aten.matmul"(%op3.r0, %v : !pdl.value, !pdl.value) -> (%type4_0 : !pdl.type)
    %name = pdl.attribute = "attention_multiplied_by_tensor_filled"
    pdl.apply_native_constraint "collect"(%name, %q, %k, %v, %mask, %scale, %op0, %op1, %op2, %op3, %op4 : !pdl.attribute, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation)
    pdl.rewrite %op4 with "replace"
  }
  func.func @replace(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}, %arg3: !t3 {aten.name = "mask"}, %arg4: !t4 {aten.name = "scale"}) -> !t5 {
    %0 = "aten.scalar_tensor"() {device = #aten.enum<"device", "cpu">, dtype = #aten.enum<"dtype", "float32">, layout = #aten.enum<"layout", "strided">, pin_memory = #aten.none, s = 0.000000e+00 : f64} : () -> !t4
    %1 = "aten.scalar_tensor"() {device = #aten.enum<"device", "cpu">, dtype = #aten.enum<"dtype", "float32">, layout = #aten.enum<"layout", "strided">, pin_memory = #aten.none, s = #aten.expr<"fill">} : () -> !t4
    %2 = "aten.where_self"(%arg3, %1, %0) : (!t3, !t4, !t4) -> !t6
    %3 = "aten.mul_tensor"(%arg0, %arg4) : (!t0, !t4) -> !t0
    %4 = "aten.permute"(%arg1) {dims = [0, 1, 3, 2]} : (!t1) -> !t7
    %5 = "aten.scaled_dot_product_attention"(%3, %4, %arg2, %2) {dropout_p = 0.000000e+00 : f64, enable_gqa = false, is_causal = false, scale = 1.000000e+00 : f64} : (!t0, !t7, !t2, !t6) -> !t5
    %6 = "aten.amax"(%2) {dim = [3], keepdim = true} : (!t6) -> !t8
    %7 = "aten.eq_scalar"(%6) {other = 0xFFF0000000000000 : f64} : (!t8) -> !t9
    %8 = "aten.scalar_tensor"() {device = #aten.enum<"device", "cpu">, dtype = #aten.enum<"dtype", "float32">, layout = #aten.enum<"layout", "strided">, pin_memory = #aten.none, s = 0x7FF8000000000000 : f64} : () -> !t4
    %9 = "aten.where_self"(%7, %8, %5) : (!t9, !t4, !t5) -> !t5
    return %9 : !t5
  }
}
// -----
!t0 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d2">, #aten.expr<"d1*d2">, #aten.expr<"d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d2">]>>
!t1 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, 1, #aten.expr<"d2">], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d2">, #aten.expr<"d4">]>>
!t2 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d4*d5">, #aten.expr<"d4*d5">, #aten.expr<"d5">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d5">]>>
!t3 = tensor<f32, #aten.layout<"cpu", [], 0 : i64, unit>>
!t4 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d5">, #aten.expr<"d1*d5">, #aten.expr<"d5">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d5">]>>
!t5 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d4">, #aten.expr<"d1*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d4">]>>
!t6 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, #aten.expr<"d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d2">]>>
module @attention_divided_by_tensor_unmasked {
  func.func @search(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}, %arg3: !t3 {aten.name = "scale"}) -> !t4 {
    %0 = "aten.matmul"(%arg0, %arg1) : (!t0, !t1) -> !t5
    %1 = "aten.div_tensor"(%0, %arg3) : (!t5, !t3) -> !t5
    %2 = "aten.u_softmax"(%1) {dim = 3 : i64, half_to_float = false} : (!t5) -> !t5
    %3 = "aten.matmul"(%2, %arg2) : (!t5, !t2) -> !t4
    return %3 : !t4
  }
  pdl.pattern @attention_divided_by_tensor_unmasked : benefit(4) {
    %q = pdl.operand
    %k = pdl.operand
    %v = pdl.operand
    %scale = pdl.operand
    %literal0 = pdl.attribute = 3 : i64
    %literal1 = pdl.attribute = false
    %type0_0 = pdl.type
    %op0 = pdl.operation "aten.matmul"(%q, %k : !pdl.value, !pdl.value) -> (%type0_0 : !pdl.type)
    %op0.r0 = pdl.result 0 of %op0
    %type1_0 = pdl.type
    %op1 = pdl.operation "aten.div_tensor"(%op0.r0, %scale : !pdl.value, !pdl.value) -> (%type1_0 : !pdl.type)
    %op1.r0 = pdl.result 0 of %op1
    %type2_0 = pdl.type
    %op2 = pdl.operation "aten.u_softmax"(%op1.r0 : !pdl.value) {"dim" = %literal0, "half_to_float" = %literal1} -> (%type2_0 : !pdl.type)
    %op2.r0 = pdl.result 0 of %op2
    %type3_0 = pdl.type
    %op3 = pdl.operation "aten.matmul"(%op2.r0, %v : !pdl.value, !pdl.value) -> (%type3_0 : !pdl.type)
    %name = pdl.attribute = "attention_divided_by_tensor_unmasked"
    pdl.apply_native_constraint "collect"(%name, %q, %k, %v, %scale, %op0, %op1, %op2, %op3 : !pdl.attribute, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation)
    pdl.rewrite %op3 with "replace"
  }
  func.func @replace(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}, %arg3: !t3 {aten.name = "scale"}) -> !t4 {
    %0 = "aten.div_tensor"(%arg0, %arg3) : (!t0, !t3) -> !t0
    %1 = "aten.permute"(%arg1) {dims = [0, 1, 3, 2]} : (!t1) -> !t6
    %2 = "aten.scaled_dot_product_attention"(%0, %1, %arg2) {dropout_p = 0.000000e+00 : f64, enable_gqa = false, is_causal = false, scale = 1.000000e+00 : f64} : (!t0, !t6, !t2) -> !t4
    return %2 : !t4
  }
}
// -----
!t0 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d2">, #aten.expr<"d1*d2">, #aten.expr<"d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d2">]>>
!t1 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, 1, #aten.expr<"d2">], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d2">, #aten.expr<"d4">]>>
!t2 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d4*d5">, #aten.expr<"d4*d5">, #aten.expr<"d5">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d5">]>>
!t3 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d4">, #aten.expr<"d1*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d4">]>>
!t4 = tensor<f32, #aten.layout<"cpu", [], 0 : i64, unit>>
!t5 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d5">, #aten.expr<"d1*d5">, #aten.expr<"d5">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d5">]>>
!t6 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, #aten.expr<"d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d2">]>>
!t7 = tensor<?x?x?x1xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1">, #aten.expr<"d1">, 1, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, 1]>>
!t8 = tensor<?x?x?x1xi1, #aten.layout<"cpu", [#aten.expr<"d0*d1">, #aten.expr<"d1">, 1, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, 1]>>
module @attention_divided_by_tensor_added {
  func.func @search(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}, %arg3: !t3 {aten.name = "mask", pattern.any_size}, %arg4: !t4 {aten.name = "scale"}) -> !t5 {
    %0 = "aten.matmul"(%arg0, %arg1) : (!t0, !t1) -> !t3
    %1 = "aten.div_tensor"(%0, %arg4) : (!t3, !t4) -> !t3
    %2 = "aten.add_tensor"(%1, %arg3) {alpha = 1 : i64} : (!t3, !t3) -> !t3
    %3 = "aten.u_softmax"(%2) {dim = 3 : i64, half_to_float = false} : (!t3) -> !t3
    %4 = "aten.matmul"(%3, %arg2) : (!t3, !t2) -> !t5
    return %4 : !t5
  }
  pdl.pattern @attention_divided_by_tensor_added : benefit(5) {
    %q = pdl.operand
    %k = pdl.operand
    %v = pdl.operand
    %mask = pdl.operand
    %scale = pdl.operand
    %literal0 = pdl.attribute = 1 : i64
    %literal1 = pdl.attribute = 3 : i64
    %literal2 = pdl.attribute = false
    %type0_0 = pdl.type
    %op0 = pdl.operation "aten.matmul"(%q, %k : !pdl.value, !pdl.value) -> (%type0_0 : !pdl.type)
    %op0.r0 = pdl.result 0 of %op0
    %type1_0 = pdl.type
    %op1 = pdl.operation "aten.div_tensor"(%op0.r0, %scale : !pdl.value, !pdl.value) -> (%type1_0 : !pdl.type)
    %op1.r0 = pdl.result 0 of %op1
    %type2_0 = pdl.type
    %op2 = pdl.operation "aten.add_tensor"(%op1.r0, %mask : !pdl.value, !pdl.value) {"alpha" = %literal0} -> (%type2_0 : !pdl.type)
    %op2.r0 = pdl.result 0 of %op2
    %type3_0 = pdl.type
    %op3 = pdl.operation "aten.u_softmax"(%op2.r0 : !pdl.value) {"dim" = %literal1, "half_to_float" = %literal2} -> (%type3_0 : !pdl.type)
    %op3.r0 = pdl.result 0 of %op3
    %type4_0 = pdl.type
    %op4 = pdl.operation "aten.matmul"(%op3.r0, %v : !pdl.value, !pdl.value) -> (%type4_0 : !pdl.type)
    %name = pdl.attribute = "attention_divided_by_tensor_added"
    pdl.apply_native_constraint "collect"(%name, %q, %k, %v, %mask, %scale, %op0, %op1, %op2, %op3, %op4 : !pdl.attribute, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation)
    pdl.rewrite %op4 with "replace"
  }
  pdl.pattern @attention_divided_by_tensor_added_1 : benefit(5) {
    %q = pdl.operand
    %k = pdl.operand
    %v = pdl.operand
    %mask = pdl.operand
    %scale = pdl.operand
    %literal0 = pdl.attribute = 1 : i64
    %literal1 = pdl.attribute = 3 : i64
    %literal2 = pdl.attribute = false
    %type0_0 = pdl.type
    %op0 = pdl.operation "aten.matmul"(%q, %k : !pdl.value, !pdl.value) -> (%type0_0 : !pdl.type)
    %op0.r0 = pdl.result 0 of %op0
    %type1_0 = pdl.type
    %op1 = pdl.operation "aten.div_tensor"(%op0.r0, %scale : !pdl.value, !pdl.value) -> (%type1_0 : !pdl.type)
    %op1.r0 = pdl.result 0 of %op1
    %type2_0 = pdl.type
    %op2 = pdl.operation "aten.add_tensor"(%mask, %op1.r0 : !pdl.value, !pdl.value) {"alpha" = %literal0} -> (%type2_0 : !pdl.type)
    %op2.r0 = pdl.result 0 of %op2
    %type3_0 = pdl.type
    %op3 = pdl.operation "aten.u_softmax"(%op2.r0 : !pdl.value) {"dim" = %literal1, "half_to_float" = %literal2} -> (%type3_0 : !pdl.type)
    %op3.r0 = pdl.result 0 of %op3
    %type4_0 = pdl.type
    %op4 = pdl.operation "aten.matmul"(%op3.r0, %v : !pdl.value, !pdl.value) -> (%type4_0 : !pdl.type)
    %name = pdl.attribute = "attention_divided_by_tensor_added"
    pdl.apply_native_constraint "collect"(%name, %q, %k, %v, %mask, %scale, %op0, %op1, %op2, %op3, %op4 : !pdl.attribute, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation)
    pdl.rewrite %op4 with "replace"
  }
  func.func @replace(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}, %arg3: !t3 {aten.name = "mask"}, %arg4: !t4 {aten.name = "scale"}) -> !t5 {
    %0 = "aten.div_tensor"(%arg0, %arg4) : (!t0, !t4) -> !t0
    %1 = "aten.permute"(%arg1) {dims = [0, 1, 3, 2]} : (!t1) -> !t6
    %2 = "aten.scaled_dot_product_attention"(%0, %1, %arg2, %arg3) {dropout_p = 0.000000e+00 : f64, enable_gqa = false, is_causal = false, scale = 1.000000e+00 : f64} : (!t0, !t6, !t2, !t3) -> !t5
    %3 = "aten.amax"(%arg3) {dim = [3], keepdim = true} : (!t3) -> !t7
    %4 = "aten.eq_scalar"(%3) {other = 0xFFF0000000000000 : f64} : (!t7) -> !t8
    %5 = "aten.scalar_tensor"() {device = #aten.enum<"device", "cpu">, dtype = #aten.enum<"dtype", "float32">, layout = #aten.enum<"layout", "strided">, pin_memory = #aten.none, s = 0x7FF8000000000000 : f64} : () -> !t4
    %6 = "aten.where_self"(%4, %5, %2) : (!t8, !t4, !t5) -> !t5
    return %6 : !t5
  }
}
// -----
!t0 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d2">, #aten.expr<"d1*d2">, #aten.expr<"d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d2">]>>
!t1 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, 1, #aten.expr<"d2">], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d2">, #aten.expr<"d4">]>>
!t2 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d4*d5">, #aten.expr<"d4*d5">, #aten.expr<"d5">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d5">]>>
!t3 = tensor<?x?x?x?xi1, #aten.layout<"cpu", [#aten.expr<"d0*d1*d4">, #aten.expr<"d1*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d4">]>>
!t4 = tensor<f32, #aten.layout<"cpu", [], 0 : i64, unit>>
!t5 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d5">, #aten.expr<"d1*d5">, #aten.expr<"d5">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d5">]>>
!t6 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d4">, #aten.expr<"d1*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d4">]>>
!t7 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, #aten.expr<"d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d2">]>>
!t8 = tensor<?x?x?x1xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1">, #aten.expr<"d1">, 1, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, 1]>>
!t9 = tensor<?x?x?x1xi1, #aten.layout<"cpu", [#aten.expr<"d0*d1">, #aten.expr<"d1">, 1, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, 1]>>
module @attention_divided_by_tensor_kept {
  func.func @search(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}, %arg3: !t3 {aten.name = "mask", pattern.any_size}, %arg4: !t4 {aten.name = "fill"}, %arg5: !t4 {aten.name = "scale"}) -> !t5 {
    %0 = "aten.matmul"(%arg0, %arg1) : (!t0, !t1) -> !t6
    %1 = "aten.div_tensor"(%0, %arg5) : (!t6, !t4) -> !t6
    %2 = "aten.where_self"(%arg3, %1, %arg4) : (!t3, !t6, !t4) -> !t6
    %3 = "aten.u_softmax"(%2) {dim = 3 : i64, half_to_float = false} : (!t6) -> !t6
    %4 = "aten.matmul"(%3, %arg2) : (!t6, !t2) -> !t5
    return %4 : !t5
  }
  pdl.pattern @attention_divided_by_tensor_kept : benefit(5) {
    %q = pdl.operand
    %k = pdl.operand
    %v = pdl.operand
    %mask = pdl.operand
    %fill = pdl.operand
    %scale = pdl.operand
    %literal0 = pdl.attribute = 3 : i64
    %literal1 = pdl.attribute = false
    %type0_0 = pdl.type
    %op0 = pdl.operation "aten.matmul"(%q, %k : !pdl.value, !pdl.value) -> (%type0_0 : !pdl.type)
    %op0.r0 = pdl.result 0 of %op0
    %type1_0 = pdl.type
    %op1 = pdl.operation "aten.div_tensor"(%op0.r0, %scale : !pdl.value, !pdl.value) -> (%type1_0 : !pdl.type)
    %op1.r0 = pdl.result 0 of %op1
    %type2_0 = pdl.type
    %op2 = pdl.operation "aten.where_self"(%mask, %op1.r0, %fill : !pdl.value, !pdl.value, !pdl.value) -> (%type2_0 : !pdl.type)
    %op2.r0 = pdl.result 0 of %op2
    %type3_0 = pdl.type
    %op3 = pdl.operation "aten.u_softmax"(%op2.r0 : !pdl.value) {"dim" = %literal0, "half_to_float" = %literal1} -> (%type3_0 : !pdl.type)
    %op3.r0 = pdl.result 0 of %op3
    %type4_0 = pdl.type
    %op4 = pdl.operation "aten.matmul"(%op3.r0, %v : !pdl.value, !pdl.value) -> (%type4_0 : !pdl.type)
    %name = pdl.attribute = "attention_divided_by_tensor_kept"
    pdl.apply_native_constraint "collect"(%name, %q, %k, %v, %mask, %fill, %scale, %op0, %op1, %op2, %op3, %op4 : !pdl.attribute, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation)
    pdl.rewrite %op4 with "replace"
  }
  func.func @replace(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}, %arg3: !t3 {aten.name = "mask"}, %arg4: !t4 {aten.name = "fill"}, %arg5: !t4 {aten.name = "scale"}) -> !t5 {
    %0 = "aten.zeros"() {device = #aten.enum<"device", "cpu">, dtype = #aten.enum<"dtype", "float32">, layout = #aten.none, pin_memory = false, size = []} : () -> !t4
    %1 = "aten.where_self"(%arg3, %0, %arg4) : (!t3, !t4, !t4) -> !t6
    %2 = "aten.div_tensor"(%arg0, %arg5) : (!t0, !t4) -> !t0
    %3 = "aten.permute"(%arg1) {dims = [0, 1, 3, 2]} : (!t1) -> !t7
    %4 = "aten.scaled_dot_product_attention"(%2, %3, %arg2, %1) {dropout_p = 0.000000e+00 : f64, enable_gqa = false, is_causal = false, scale = 1.000000e+00 : f64} : (!t0, !t7, !t2, !t6) -> !t5
    %5 = "aten.amax"(%1) {dim = [3], keepdim = true} : (!t6) -> !t8
    %6 = "aten.eq_scalar"(%5) {other = 0xFFF0000000000000 : f64} : (!t8) -> !t9
    %7 = "aten.scalar_tensor"() {device = #aten.enum<"device", "cpu">, dtype = #aten.enum<"dtype", "float32">, layout = #aten.enum<"layout", "strided">, pin_memory = #aten.none, s = 0x7FF8000000000000 : f64} : () -> !t4
    %8 = "aten.where_self"(%6, %7, %4) : (!t9, !t4, !t5) -> !t5
    return %8 : !t5
  }
}
// -----
!t0 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d2">, #aten.expr<"d1*d2">, #aten.expr<"d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d2">]>>
!t1 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, 1, #aten.expr<"d2">], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d2">, #aten.expr<"d4">]>>
!t2 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d4*d5">, #aten.expr<"d4*d5">, #aten.expr<"d5">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d5">]>>
!t3 = tensor<?x?x?x?xi1, #aten.layout<"cpu", [#aten.expr<"d0*d1*d4">, #aten.expr<"d1*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d4">]>>
!t4 = tensor<f32, #aten.layout<"cpu", [], 0 : i64, unit>>
!t5 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d5">, #aten.expr<"d1*d5">, #aten.expr<"d5">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d5">]>>
!t6 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d4">, #aten.expr<"d1*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d4">]>>
!t7 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, #aten.expr<"d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d2">]>>
!t8 = tensor<?x?x?x1xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1">, #aten.expr<"d1">, 1, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, 1]>>
!t9 = tensor<?x?x?x1xi1, #aten.layout<"cpu", [#aten.expr<"d0*d1">, #aten.expr<"d1">, 1, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, 1]>>
module @attention_divided_by_tensor_dropped {
  func.func @search(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}, %arg3: !t3 {aten.name = "mask", pattern.any_size}, %arg4: !t4 {aten.name = "fill"}, %arg5: !t4 {aten.name = "scale"}) -> !t5 {
    %0 = "aten.matmul"(%arg0, %arg1) : (!t0, !t1) -> !t6
    %1 = "aten.div_tensor"(%0, %arg5) : (!t6, !t4) -> !t6
    %2 = "aten.where_self"(%arg3, %arg4, %1) : (!t3, !t4, !t6) -> !t6
    %3 = "aten.u_softmax"(%2) {dim = 3 : i64, half_to_float = false} : (!t6) -> !t6
    %4 = "aten.matmul"(%3, %arg2) : (!t6, !t2) -> !t5
    return %4 : !t5
  }
  pdl.pattern @attention_divided_by_tensor_dropped : benefit(5) {
    %q = pdl.operand
    %k = pdl.operand
    %v = pdl.operand
    %mask = pdl.operand
    %fill = pdl.operand
    %scale = pdl.operand
    %literal0 = pdl.attribute = 3 : i64
    %literal1 = pdl.attribute = false
    %type0_0 = pdl.type
    %op0 = pdl.operation "aten.matmul"(%q, %k : !pdl.value, !pdl.value) -> (%type0_0 : !pdl.type)
    %op0.r0 = pdl.result 0 of %op0
    %type1_0 = pdl.type
    %op1 = pdl.operation "aten.div_tensor"(%op0.r0, %scale : !pdl.value, !pdl.value) -> (%type1_0 : !pdl.type)
    %op1.r0 = pdl.result 0 of %op1
    %type2_0 = pdl.type
    %op2 = pdl.operation "aten.where_self"(%mask, %fill, %op1.r0 : !pdl.value, !pdl.value, !pdl.value) -> (%type2_0 : !pdl.type)
    %op2.r0 = pdl.result 0 of %op2
    %type3_0 = pdl.type
    %op3 = pdl.operation "aten.u_softmax"(%op2.r0 : !pdl.value) {"dim" = %literal0, "half_to_float" = %literal1} -> (%type3_0 : !pdl.type)
    %op3.r0 = pdl.result 0 of %op3
    %type4_0 = pdl.type
    %op4 = pdl.operation "aten.matmul"(%op3.r0, %v : !pdl.value, !pdl.value) -> (%type4_0 : !pdl.type)
    %name = pdl.attribute = "attention_divided_by_tensor_dropped"
    pdl.apply_native_constraint "collect"(%name, %q, %k, %v, %mask, %fill, %scale, %op0, %op1, %op2, %op3, %op4 : !pdl.attribute, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation)
    pdl.rewrite %op4 with "replace"
  }
  func.func @replace(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}, %arg3: !t3 {aten.name = "mask"}, %arg4: !t4 {aten.name = "fill"}, %arg5: !t4 {aten.name = "scale"}) -> !t5 {
    %0 = "aten.zeros"() {device = #aten.enum<"device", "cpu">, dtype = #aten.enum<"dtype", "float32">, layout = #aten.none, pin_memory = false, size = []} : () -> !t4
    %1 = "aten.where_self"(%arg3, %arg4, %0) : (!t3, !t4, !t4) -> !t6
    %2 = "aten.div_tensor"(%arg0, %arg5) : (!t0, !t4) -> !t0
    %3 = "aten.permute"(%arg1) {dims = [0, 1, 3, 2]} : (!t1) -> !t7
    %4 = "aten.scaled_dot_product_attention"(%2, %3, %arg2, %1) {dropout_p = 0.000000e+00 : f64, enable_gqa = false, is_causal = false, scale = 1.000000e+00 : f64} : (!t0, !t7, !t2, !t6) -> !t5
    %5 = "aten.amax"(%1) {dim = [3], keepdim = true} : (!t6) -> !t8
    %6 = "aten.eq_scalar"(%5) {other = 0xFFF0000000000000 : f64} : (!t8) -> !t9
    %7 = "aten.scalar_tensor"() {device = #aten.enum<"device", "cpu">, dtype = #aten.enum<"dtype", "float32">, layout = #aten.enum<"layout", "strided">, pin_memory = #aten.none, s = 0x7FF8000000000000 : f64} : () -> !t4
    %8 = "aten.where_self"(%6, %7, %4) : (!t9, !t4, !t5) -> !t5
    return %8 : !t5
  }
}
// -----
!t0 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d2">, #aten.expr<"d1*d2">, #aten.expr<"d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d2">]>>
!t1 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, 1, #aten.expr<"d2">], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d2">, #aten.expr<"d4">]>>
!t2 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d4*d5">, #aten.expr<"d4*d5">, #aten.expr<"d5">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d5">]>>
!t3 = tensor<?x?x?x?xi1, #aten.layout<"cpu", [#aten.expr<"d0*d1*d4">, #aten.expr<"d1*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d4">]>>
!t4 = tensor<f32, #aten.layout<"cpu", [], 0 : i64, unit>>
!t5 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d5">, #aten.expr<"d1*d5">, #aten.expr<"d5">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d5">]>>
!t6 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d4">, #aten.expr<"d1*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d4">]>>
!t7 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, #aten.expr<"d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d2">]>>
!t8 = tensor<?x?x?x1xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1">, #aten.expr<"d1">, 1, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, 1]>>
!t9 = tensor<?x?x?x1xi1, #aten.layout<"cpu", [#aten.expr<"d0*d1">, #aten.expr<"d1">, 1, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, 1]>>
module @attention_divided_by_tensor_filled attributes {pattern.scalars = ["fill"]} {
  func.func @search(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}, %arg3: !t3 {aten.name = "mask", pattern.any_size}, %arg4: !t4 {aten.name = "scale"}) -> !t5 {
    %0 = "aten.matmul"(%arg0, %arg1) : (!t0, !t1) -> !t6
    %1 = "aten.div_tensor"(%0, %arg4) : (!t6, !t4) -> !t6
    %2 = "aten.masked_fill_scalar"(%1, %arg3) {value = #aten.expr<"fill">} : (!t6, !t3) -> !t6
    %3 = "aten.u_softmax"(%2) {dim = 3 : i64, half_to_float = false} : (!t6) -> !t6
    %4 = "aten.matmul"(%3, %arg2) : (!t6, !t2) -> !t5
    return %4 : !t5
  }
  pdl.pattern @attention_divided_by_tensor_filled : benefit(5) {
    %q = pdl.operand
    %k = pdl.operand
    %v = pdl.operand
    %mask = pdl.operand
    %scale = pdl.operand
    %literal0 = pdl.attribute = 3 : i64
    %literal1 = pdl.attribute = false
    %type0_0 = pdl.type
    %op0 = pdl.operation "aten.matmul"(%q, %k : !pdl.value, !pdl.value) -> (%type0_0 : !pdl.type)
    %op0.r0 = pdl.result 0 of %op0
    %type1_0 = pdl.type
    %op1 = pdl.operation "aten.div_tensor"(%op0.r0, %scale : !pdl.value, !pdl.value) -> (%type1_0 : !pdl.type)
    %op1.r0 = pdl.result 0 of %op1
    %type2_0 = pdl.type
    %op2 = pdl.operation "aten.masked_fill_scalar"(%op1.r0, %mask : !pdl.value, !pdl.value) -> (%type2_0 : !pdl.type)
    %op2.r0 = pdl.result 0 of %op2
    %type3_0 = pdl.type
    %op3 = pdl.operation "aten.u_softmax"(%op2.r0 : !pdl.value) {"dim" = %literal0, "half_to_float" = %literal1} -> (%type3_0 : !pdl.type)
    %op3.r0 = pdl.result 0 of %op3
    %type4_0 = pdl.type
    %op4 = pdl.operation "aten.matmul"(%op3.r0, %v : !pdl.value, !pdl.value) -> (%type4_0 : !pdl.type)
    %name = pdl.attribute = "attention_divided_by_tensor_filled"
    pdl.apply_native_constraint "collect"(%name, %q, %k, %v, %mask, %scale, %op0, %op1, %op2, %op3, %op4 : !pdl.attribute, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation)
    pdl.rewrite %op4 with "replace"
  }
  func.func @replace(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}, %arg3: !t3 {aten.name = "mask"}, %arg4: !t4 {aten.name = "scale"}) -> !t5 {
    %0 = "aten.scalar_tensor"() {device = #aten.enum<"device", "cpu">, dtype = #aten.enum<"dtype", "float32">, layout = #aten.enum<"layout", "strided">, pin_memory = #aten.none, s = 0.000000e+00 : f64} : () -> !t4
    %1 = "aten.scalar_tensor"() {device = #aten.enum<"device", "cpu">, dtype = #aten.enum<"dtype", "float32">, layout = #aten.enum<"layout", "strided">, pin_memory = #aten.none, s = #aten.expr<"fill">} : () -> !t4
    %2 = "aten.where_self"(%arg3, %1, %0) : (!t3, !t4, !t4) -> !t6
    %3 = "aten.div_tensor"(%arg0, %arg4) : (!t0, !t4) -> !t0
    %4 = "aten.permute"(%arg1) {dims = [0, 1, 3, 2]} : (!t1) -> !t7
    %5 = "aten.scaled_dot_product_attention"(%3, %4, %arg2, %2) {dropout_p = 0.000000e+00 : f64, enable_gqa = false, is_causal = false, scale = 1.000000e+00 : f64} : (!t0, !t7, !t2, !t6) -> !t5
    %6 = "aten.amax"(%2) {dim = [3], keepdim = true} : (!t6) -> !t8
    %7 = "aten.eq_scalar"(%6) {other = 0xFFF0000000000000 : f64} : (!t8) -> !t9
    %8 = "aten.scalar_tensor"() {device = #aten.enum<"device", "cpu">, dtype = #aten.enum<"dtype", "float32">, layout = #aten.enum<"layout", "strided">, pin_memory = #aten.none, s = 0x7FF8000000000000 : f64} : () -> !t4
    %9 = "aten.where_self"(%7, %8, %5) : (!t9, !t4, !t5) -> !t5
    return %9 : !t5
  }
}
// -----
!t0 = tensor<?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1">, #aten.expr<"d1">, 1], 0 : i64, [#aten.expr<"d2">, #aten.expr<"d0">, #aten.expr<"d1">]>>
!t1 = tensor<?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d1*d3">, 1, #aten.expr<"d1">], 0 : i64, [#aten.expr<"d2">, #aten.expr<"d1">, #aten.expr<"d3">]>>
!t2 = tensor<?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d3*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d2">, #aten.expr<"d3">, #aten.expr<"d4">]>>
!t3 = tensor<?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d3">, #aten.expr<"d3">, 1], 0 : i64, [#aten.expr<"d2">, #aten.expr<"d0">, #aten.expr<"d3">]>>
!t4 = tensor<?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d2">, #aten.expr<"d0">, #aten.expr<"d4">]>>
!t5 = tensor<?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d1*d3">, #aten.expr<"d1">, 1], 0 : i64, [#aten.expr<"d2">, #aten.expr<"d3">, #aten.expr<"d1">]>>
!t6 = tensor<1x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d2*d0*d1">, #aten.expr<"d0*d1">, #aten.expr<"d1">, 1], 0 : i64, [1, #aten.expr<"d2">, #aten.expr<"d0">, #aten.expr<"d1">]>>
!t7 = tensor<1x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d2*d1*d3">, #aten.expr<"d1*d3">, #aten.expr<"d1">, 1], 0 : i64, [1, #aten.expr<"d2">, #aten.expr<"d3">, #aten.expr<"d1">]>>
!t8 = tensor<1x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d2*d3*d4">, #aten.expr<"d3*d4">, #aten.expr<"d4">, 1], 0 : i64, [1, #aten.expr<"d2">, #aten.expr<"d3">, #aten.expr<"d4">]>>
!t9 = tensor<1x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d2*d0*d3">, #aten.expr<"d0*d3">, #aten.expr<"d3">, 1], 0 : i64, [1, #aten.expr<"d2">, #aten.expr<"d0">, #aten.expr<"d3">]>>
!t10 = tensor<1x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d2*d0*d4">, #aten.expr<"d0*d4">, #aten.expr<"d4">, 1], 0 : i64, [1, #aten.expr<"d2">, #aten.expr<"d0">, #aten.expr<"d4">]>>
!t11 = tensor<1x?x?x1xf32, #aten.layout<"cpu", [#aten.expr<"d2*d0">, #aten.expr<"d0">, 1, 1], 0 : i64, [1, #aten.expr<"d2">, #aten.expr<"d0">, 1]>>
!t12 = tensor<1x?x?x1xi1, #aten.layout<"cpu", [#aten.expr<"d2*d0">, #aten.expr<"d0">, 1, 1], 0 : i64, [1, #aten.expr<"d2">, #aten.expr<"d0">, 1]>>
!t13 = tensor<f32, #aten.layout<"cpu", [], 0 : i64, unit>>
module @attention_plain_added_to_product_merged {
  func.func @search(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}, %arg3: !t3 {aten.name = "mask", pattern.any_size}) -> !t4 {
    %0 = "aten.baddbmm"(%arg3, %arg0, %arg1) {alpha = 1 : i64, beta = 1 : i64} : (!t3, !t0, !t1) -> !t3
    %1 = "aten.u_softmax"(%0) {dim = 2 : i64, half_to_float = false} : (!t3) -> !t3
    %2 = "aten.bmm"(%1, %arg2) : (!t3, !t2) -> !t4
    return %2 : !t4
  }
  pdl.pattern @attention_plain_added_to_product_merged : benefit(3) {
    %q = pdl.operand
    %k = pdl.operand
    %v = pdl.operand
    %mask = pdl.operand
    %literal0 = pdl.attribute = 1 : i64
    %literal1 = pdl.attribute = 2 : i64
    %literal2 = pdl.attribute = false
    %type0_0 = pdl.type
    %op0 = pdl.operation "aten.baddbmm"(%mask, %q, %k : !pdl.value, !pdl.value, !pdl.value) {"alpha" = %literal0, "beta" = %literal0} -> (%type0_0 : !pdl.type)
    %op0.r0 = pdl.result 0 of %op0
    %type1_0 = pdl.type
    %op1 = pdl.operation "aten.u_softmax"(%op0.r0 : !pdl.value) {"dim" = %literal1, "half_to_float" = %literal2} -> (%type1_0 : !pdl.type)
    %op1.r0 = pdl.result 0 of %op1
    %type2_0 = pdl.type
    %op2 = pdl.operation "aten.bmm"(%op1.r0, %v : !pdl.value, !pdl.value) -> (%type2_0 : !pdl.type)
    %name = pdl.attribute = "attention_plain_added_to_product_merged"
    pdl.apply_native_constraint "collect"(%name, %q, %k, %v, %mask, %op0, %op1, %op2 : !pdl.attribute, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.operation, !pdl.operation, !pdl.operation)
    pdl.rewrite %op2 with "replace"
  }
  func.func @replace(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}, %arg3: !t3 {aten.name = "mask"}) -> !t4 {
    %0 = "aten.permute"(%arg1) {dims = [0, 2, 1]} : (!t1) -> !t5
    %1 = "aten.unsqueeze"(%arg0) {dim = 0 : i64} : (!t0) -> !t6
    %2 = "aten.unsqueeze"(%0) {dim = 0 : i64} : (!t5) -> !t7
    %3 = "aten.unsqueeze"(%arg2) {dim = 0 : i64} : (!t2) -> !t8
    %4 = "aten.unsqueeze"(%arg3) {dim = 0 : i64} : (!t3) -> !t9
    %5 = "aten.scaled_dot_product_attention"(%1, %2, %3, %4) {dropout_p = 0.000000e+00 : f64, enable_gqa = false, is_causal = false, scale = 1.000000e+00 : f64} : (!t6, !t7, !t8, !t9) -> !t10
    %6 = "aten.amax"(%4) {dim = [3], keepdim = true} : (!t9) -> !t11
    %7 = "aten.eq_scalar"(%6) {other = 0xFFF0000000000000 : f64} : (!t11) -> !t12
    %8 = "aten.scalar_tensor"() {device = #aten.enum<"device", "cpu">, dtype = #aten.enum<"dtype", "float32">, layout = #aten.enum<"layout", "strided">, pin_memory = #aten.none, s = 0x7FF8000000000000 : f64} : () -> !t13
    %9 = "aten.where_self"(%7, %8, %5) : (!t12, !t13, !t10) -> !t10
    %10 = "aten.squeeze_dims"(%9) {dim = [0]} : (!t10) -> !t4
    return %10 : !t4
  }
}
// -----
!t0 = tensor<?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1">, #aten.expr<"d1">, 1], 0 : i64, [#aten.expr<"d2">, #aten.expr<"d0">, #aten.expr<"d1">]>>
!t1 = tensor<?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d1*d3">, 1, #aten.expr<"d1">], 0 : i64, [#aten.expr<"d2">, #aten.expr<"d1">, #aten.expr<"d3">]>>
!t2 = tensor<?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d3*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d2">, #aten.expr<"d3">, #aten.expr<"d4">]>>
!t3 = tensor<?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d2">, #aten.expr<"d0">, #aten.expr<"d4">]>>
!t4 = tensor<?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d3">, #aten.expr<"d3">, 1], 0 : i64, [#aten.expr<"d2">, #aten.expr<"d0">, #aten.expr<"d3">]>>
!t5 = tensor<?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d1*d3">, #aten.expr<"d1">, 1], 0 : i64, [#aten.expr<"d2">, #aten.expr<"d3">, #aten.expr<"d1">]>>
!t6 = tensor<1x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d2*d0*d1">, #aten.expr<"d0*d1">, #aten.expr<"d1">, 1], 0 : i64, [1, #aten.expr<"d2">, #aten.expr<"d0">, #aten.expr<"d1">]>>
!t7 = tensor<1x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d2*d1*d3">, #aten.expr<"d1*d3">, #aten.expr<"d1">, 1], 0 : i64, [1, #aten.expr<"d2">, #aten.expr<"d3">, #aten.expr<"d1">]>>
!t8 = tensor<1x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d2*d3*d4">, #aten.expr<"d3*d4">, #aten.expr<"d4">, 1], 0 : i64, [1, #aten.expr<"d2">, #aten.expr<"d3">, #aten.expr<"d4">]>>
!t9 = tensor<1x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d2*d0*d4">, #aten.expr<"d0*d4">, #aten.expr<"d4">, 1], 0 : i64, [1, #aten.expr<"d2">, #aten.expr<"d0">, #aten.expr<"d4">]>>
module @attention_plain_unmasked_merged {
  func.func @search(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}) -> !t3 {
    %0 = "aten.bmm"(%arg0, %arg1) : (!t0, !t1) -> !t4
    %1 = "aten.u_softmax"(%0) {dim = 2 : i64, half_to_float = false} : (!t4) -> !t4
    %2 = "aten.bmm"(%1, %arg2) : (!t4, !t2) -> !t3
    return %2 : !t3
  }
  pdl.pattern @attention_plain_unmasked_merged : benefit(3) {
    %q = pdl.operand
    %k = pdl.operand
    %v = pdl.operand
    %literal0 = pdl.attribute = 2 : i64
    %literal1 = pdl.attribute = false
    %type0_0 = pdl.type
    %op0 = pdl.operation "aten.bmm"(%q, %k : !pdl.value, !pdl.value) -> (%type0_0 : !pdl.type)
    %op0.r0 = pdl.result 0 of %op0
    %type1_0 = pdl.type
    %op1 = pdl.operation "aten.u_softmax"(%op0.r0 : !pdl.value) {"dim" = %literal0, "half_to_float" = %literal1} -> (%type1_0 : !pdl.type)
    %op1.r0 = pdl.result 0 of %op1
    %type2_0 = pdl.type
    %op2 = pdl.operation "aten.bmm"(%op1.r0, %v : !pdl.value, !pdl.value) -> (%type2_0 : !pdl.type)
    %name = pdl.attribute = "attention_plain_unmasked_merged"
    pdl.apply_native_constraint "collect"(%name, %q, %k, %v, %op0, %op1, %op2 : !pdl.attribute, !pdl.value, !pdl.value, !pdl.value, !pdl.operation, !pdl.operation, !pdl.operation)
    pdl.rewrite %op2 with "replace"
  }
  func.func @replace(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}) -> !t3 {
    %0 = "aten.permute"(%arg1) {dims = [0, 2, 1]} : (!t1) -> !t5
    %1 = "aten.unsqueeze"(%arg0) {dim = 0 : i64} : (!t0) -> !t6
    %2 = "aten.unsqueeze"(%0) {dim = 0 : i64} : (!t5) -> !t7
    %3 = "aten.unsqueeze"(%arg2) {dim = 0 : i64} : (!t2) -> !t8
    %4 = "aten.scaled_dot_product_attention"(%1, %2, %3) {dropout_p = 0.000000e+00 : f64, enable_gqa = false, is_causal = false, scale = 1.000000e+00 : f64} : (!t6, !t7, !t8) -> !t9
    %5 = "aten.squeeze_dims"(%4) {dim = [0]} : (!t9) -> !t3
    return %5 : !t3
  }
}
// -----
!t0 = tensor<?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1">, #aten.expr<"d1">, 1], 0 : i64, [#aten.expr<"d2">, #aten.expr<"d0">, #aten.expr<"d1">]>>
!t1 = tensor<?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d1*d3">, 1, #aten.expr<"d1">], 0 : i64, [#aten.expr<"d2">, #aten.expr<"d1">, #aten.expr<"d3">]>>
!t2 = tensor<?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d3*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d2">, #aten.expr<"d3">, #aten.expr<"d4">]>>
!t3 = tensor<?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d3">, #aten.expr<"d3">, 1], 0 : i64, [#aten.expr<"d2">, #aten.expr<"d0">, #aten.expr<"d3">]>>
!t4 = tensor<?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d2">, #aten.expr<"d0">, #aten.expr<"d4">]>>
!t5 = tensor<?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d1*d3">, #aten.expr<"d1">, 1], 0 : i64, [#aten.expr<"d2">, #aten.expr<"d3">, #aten.expr<"d1">]>>
!t6 = tensor<1x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d2*d0*d1">, #aten.expr<"d0*d1">, #aten.expr<"d1">, 1], 0 : i64, [1, #aten.expr<"d2">, #aten.expr<"d0">, #aten.expr<"d1">]>>
!t7 = tensor<1x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d2*d1*d3">, #aten.expr<"d1*d3">, #aten.expr<"d1">, 1], 0 : i64, [1, #aten.expr<"d2">, #aten.expr<"d3">, #aten.expr<"d1">]>>
!t8 = tensor<1x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d2*d3*d4">, #aten.expr<"d3*d4">, #aten.expr<"d4">, 1], 0 : i64, [1, #aten.expr<"d2">, #aten.expr<"d3">, #aten.expr<"d4">]>>
!t9 = tensor<1x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d2*d0*d3">, #aten.expr<"d0*d3">, #aten.expr<"d3">, 1], 0 : i64, [1, #aten.expr<"d2">, #aten.expr<"d0">, #aten.expr<"d3">]>>
!t10 = tensor<1x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d2*d0*d4">, #aten.expr<"d0*d4">, #aten.expr<"d4">, 1], 0 : i64, [1, #aten.expr<"d2">, #aten.expr<"d0">, #aten.expr<"d4">]>>
!t11 = tensor<1x?x?x1xf32, #aten.layout<"cpu", [#aten.expr<"d2*d0">, #aten.expr<"d0">, 1, 1], 0 : i64, [1, #aten.expr<"d2">, #aten.expr<"d0">, 1]>>
!t12 = tensor<1x?x?x1xi1, #aten.layout<"cpu", [#aten.expr<"d2*d0">, #aten.expr<"d0">, 1, 1], 0 : i64, [1, #aten.expr<"d2">, #aten.expr<"d0">, 1]>>
!t13 = tensor<f32, #aten.layout<"cpu", [], 0 : i64, unit>>
module @attention_plain_added_merged {
  func.func @search(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}, %arg3: !t3 {aten.name = "mask", pattern.any_size}) -> !t4 {
    %0 = "aten.bmm"(%arg0, %arg1) : (!t0, !t1) -> !t3
    %1 = "aten.add_tensor"(%0, %arg3) {alpha = 1 : i64} : (!t3, !t3) -> !t3
    %2 = "aten.u_softmax"(%1) {dim = 2 : i64, half_to_float = false} : (!t3) -> !t3
    %3 = "aten.bmm"(%2, %arg2) : (!t3, !t2) -> !t4
    return %3 : !t4
  }
  pdl.pattern @attention_plain_added_merged : benefit(4) {
    %q = pdl.operand
    %k = pdl.operand
    %v = pdl.operand
    %mask = pdl.operand
    %literal0 = pdl.attribute = 1 : i64
    %literal1 = pdl.attribute = 2 : i64
    %literal2 = pdl.attribute = false
    %type0_0 = pdl.type
    %op0 = pdl.operation "aten.bmm"(%q, %k : !pdl.value, !pdl.value) -> (%type0_0 : !pdl.type)
    %op0.r0 = pdl.result 0 of %op0
    %type1_0 = pdl.type
    %op1 = pdl.operation "aten.add_tensor"(%op0.r0, %mask : !pdl.value, !pdl.value) {"alpha" = %literal0} -> (%type1_0 : !pdl.type)
    %op1.r0 = pdl.result 0 of %op1
    %type2_0 = pdl.type
    %op2 = pdl.operation "aten.u_softmax"(%op1.r0 : !pdl.value) {"dim" = %literal1, "half_to_float" = %literal2} -> (%type2_0 : !pdl.type)
    %op2.r0 = pdl.result 0 of %op2
    %type3_0 = pdl.type
    %op3 = pdl.operation "aten.bmm"(%op2.r0, %v : !pdl.value, !pdl.value) -> (%type3_0 : !pdl.type)
    %name = pdl.attribute = "attention_plain_added_merged"
    pdl.apply_native_constraint "collect"(%name, %q, %k, %v, %mask, %op0, %op1, %op2, %op3 : !pdl.attribute, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation)
    pdl.rewrite %op3 with "replace"
  }
  pdl.pattern @attention_plain_added_merged_1 : benefit(4) {
    %q = pdl.operand
    %k = pdl.operand
    %v = pdl.operand
    %mask = pdl.operand
    %literal0 = pdl.attribute = 1 : i64
    %literal1 = pdl.attribute = 2 : i64
    %literal2 = pdl.attribute = false
    %type0_0 = pdl.type
    %op0 = pdl.operation "aten.bmm"(%q, %k : !pdl.value, !pdl.value) -> (%type0_0 : !pdl.type)
    %op0.r0 = pdl.result 0 of %op0
    %type1_0 = pdl.type
    %op1 = pdl.operation "aten.add_tensor"(%mask, %op0.r0 : !pdl.value, !pdl.value) {"alpha" = %literal0} -> (%type1_0 : !pdl.type)
    %op1.r0 = pdl.result 0 of %op1
    %type2_0 = pdl.type
    %op2 = pdl.operation "aten.u_softmax"(%op1.r0 : !pdl.value) {"dim" = %literal1, "half_to_float" = %literal2} -> (%type2_0 : !pdl.type)
    %op2.r0 = pdl.result 0 of %op2
    %type3_0 = pdl.type
    %op3 = pdl.operation "aten.bmm"(%op2.r0, %v : !pdl.value, !pdl.value) -> (%type3_0 : !pdl.type)
    %name = pdl.attribute = "attention_plain_added_merged"
    pdl.apply_native_constraint "collect"(%name, %q, %k, %v, %mask, %op0, %op1, %op2, %op3 : !pdl.attribute, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation)
    pdl.rewrite %op3 with "replace"
  }
  func.func @replace(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}, %arg3: !t3 {aten.name = "mask"}) -> !t4 {
    %0 = "aten.permute"(%arg1) {dims = [0, 2, 1]} : (!t1) -> !t5
    %1 = "aten.unsqueeze"(%arg0) {dim = 0 : i64} : (!t0) -> !t6
    %2 = "aten.unsqueeze"(%0) {dim = 0 : i64} : (!t5) -> !t7
    %3 = "aten.unsqueeze"(%arg2) {dim = 0 : i64} : (!t2) -> !t8
    %4 = "aten.unsqueeze"(%arg3) {dim = 0 : i64} : (!t3) -> !t9
    %5 = "aten.scaled_dot_product_attention"(%1, %2, %3, %4) {dropout_p = 0.000000e+00 : f64, enable_gqa = false, is_causal = false, scale = 1.000000e+00 : f64} : (!t6, !t7, !t8, !t9) -> !t10
    %6 = "aten.amax"(%4) {dim = [3], keepdim = true} : (!t9) -> !t11
    %7 = "aten.eq_scalar"(%6) {other = 0xFFF0000000000000 : f64} : (!t11) -> !t12
    %8 = "aten.scalar_tensor"() {device = #aten.enum<"device", "cpu">, dtype = #aten.enum<"dtype", "float32">, layout = #aten.enum<"layout", "strided">, pin_memory = #aten.none, s = 0x7FF8000000000000 : f64} : () -> !t13
    %9 = "aten.where_self"(%7, %8, %5) : (!t12, !t13, !t10) -> !t10
    %10 = "aten.squeeze_dims"(%9) {dim = [0]} : (!t10) -> !t4
    return %10 : !t4
  }
}
// -----
!t0 = tensor<?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1">, #aten.expr<"d1">, 1], 0 : i64, [#aten.expr<"d2">, #aten.expr<"d0">, #aten.expr<"d1">]>>
!t1 = tensor<?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d1*d3">, 1, #aten.expr<"d1">], 0 : i64, [#aten.expr<"d2">, #aten.expr<"d1">, #aten.expr<"d3">]>>
!t2 = tensor<?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d3*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d2">, #aten.expr<"d3">, #aten.expr<"d4">]>>
!t3 = tensor<?x?x?xi1, #aten.layout<"cpu", [#aten.expr<"d0*d3">, #aten.expr<"d3">, 1], 0 : i64, [#aten.expr<"d2">, #aten.expr<"d0">, #aten.expr<"d3">]>>
!t4 = tensor<?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d2">, #aten.expr<"d0">, #aten.expr<"d4">]>>
!t5 = tensor<?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d3">, #aten.expr<"d3">, 1], 0 : i64, [#aten.expr<"d2">, #aten.expr<"d0">, #aten.expr<"d3">]>>
!t6 = tensor<f32, #aten.layout<"cpu", [], 0 : i64, unit>>
!t7 = tensor<?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d1*d3">, #aten.expr<"d1">, 1], 0 : i64, [#aten.expr<"d2">, #aten.expr<"d3">, #aten.expr<"d1">]>>
!t8 = tensor<1x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d2*d0*d1">, #aten.expr<"d0*d1">, #aten.expr<"d1">, 1], 0 : i64, [1, #aten.expr<"d2">, #aten.expr<"d0">, #aten.expr<"d1">]>>
!t9 = tensor<1x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d2*d1*d3">, #aten.expr<"d1*d3">, #aten.expr<"d1">, 1], 0 : i64, [1, #aten.expr<"d2">, #aten.expr<"d3">, #aten.expr<"d1">]>>
!t10 = tensor<1x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d2*d3*d4">, #aten.expr<"d3*d4">, #aten.expr<"d4">, 1], 0 : i64, [1, #aten.expr<"d2">, #aten.expr<"d3">, #aten.expr<"d4">]>>
!t11 = tensor<1x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d2*d0*d3">, #aten.expr<"d0*d3">, #aten.expr<"d3">, 1], 0 : i64, [1, #aten.expr<"d2">, #aten.expr<"d0">, #aten.expr<"d3">]>>
!t12 = tensor<1x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d2*d0*d4">, #aten.expr<"d0*d4">, #aten.expr<"d4">, 1], 0 : i64, [1, #aten.expr<"d2">, #aten.expr<"d0">, #aten.expr<"d4">]>>
!t13 = tensor<1x?x?x1xf32, #aten.layout<"cpu", [#aten.expr<"d2*d0">, #aten.expr<"d0">, 1, 1], 0 : i64, [1, #aten.expr<"d2">, #aten.expr<"d0">, 1]>>
!t14 = tensor<1x?x?x1xi1, #aten.layout<"cpu", [#aten.expr<"d2*d0">, #aten.expr<"d0">, 1, 1], 0 : i64, [1, #aten.expr<"d2">, #aten.expr<"d0">, 1]>>
module @attention_plain_filled_merged attributes {pattern.scalars = ["fill"]} {
  func.func @search(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}, %arg3: !t3 {aten.name = "mask", pattern.any_size}) -> !t4 {
    %0 = "aten.bmm"(%arg0, %arg1) : (!t0, !t1) -> !t5
    %1 = "aten.masked_fill_scalar"(%0, %arg3) {value = #aten.expr<"fill">} : (!t5, !t3) -> !t5
    %2 = "aten.u_softmax"(%1) {dim = 2 : i64, half_to_float = false} : (!t5) -> !t5
    %3 = "aten.bmm"(%2, %arg2) : (!t5, !t2) -> !t4
    return %3 : !t4
  }
  pdl.pattern @attention_plain_filled_merged : benefit(4) {
    %q = pdl.operand
    %k = pdl.operand
    %v = pdl.operand
    %mask = pdl.operand
    %literal0 = pdl.attribute = 2 : i64
    %literal1 = pdl.attribute = false
    %type0_0 = pdl.type
    %op0 = pdl.operation "aten.bmm"(%q, %k : !pdl.value, !pdl.value) -> (%type0_0 : !pdl.type)
    %op0.r0 = pdl.result 0 of %op0
    %type1_0 = pdl.type
    %op1 = pdl.operation "aten.masked_fill_scalar"(%op0.r0, %mask : !pdl.value, !pdl.value) -> (%type1_0 : !pdl.type)
    %op1.r0 = pdl.result 0 of %op1
    %type2_0 = pdl.type
    %op2 = pdl.operation "aten.u_softmax"(%op1.r0 : !pdl.value) {"dim" = %literal0, "half_to_float" = %literal1} -> (%type2_0 : !pdl.type)
    %op2.r0 = pdl.result 0 of %op2
    %type3_0 = pdl.type
    %op3 = pdl.operation "aten.bmm"(%op2.r0, %v : !pdl.value, !pdl.value) -> (%type3_0 : !pdl.type)
    %name = pdl.attribute = "attention_plain_filled_merged"
    pdl.apply_native_constraint "collect"(%name, %q, %k, %v, %mask, %op0, %op1, %op2, %op3 : !pdl.attribute, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation)
    pdl.rewrite %op3 with "replace"
  }
  func.func @replace(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}, %arg3: !t3 {aten.name = "mask"}) -> !t4 {
    %0 = "aten.scalar_tensor"() {device = #aten.enum<"device", "cpu">, dtype = #aten.enum<"dtype", "float32">, layout = #aten.enum<"layout", "strided">, pin_memory = #aten.none, s = 0.000000e+00 : f64} : () -> !t6
    %1 = "aten.scalar_tensor"() {device = #aten.enum<"device", "cpu">, dtype = #aten.enum<"dtype", "float32">, layout = #aten.enum<"layout", "strided">, pin_memory = #aten.none, s = #aten.expr<"fill">} : () -> !t6
    %2 = "aten.where_self"(%arg3, %1, %0) : (!t3, !t6, !t6) -> !t5
    %3 = "aten.permute"(%arg1) {dims = [0, 2, 1]} : (!t1) -> !t7
    %4 = "aten.unsqueeze"(%arg0) {dim = 0 : i64} : (!t0) -> !t8
    %5 = "aten.unsqueeze"(%3) {dim = 0 : i64} : (!t7) -> !t9
    %6 = "aten.unsqueeze"(%arg2) {dim = 0 : i64} : (!t2) -> !t10
    %7 = "aten.unsqueeze"(%2) {dim = 0 : i64} : (!t5) -> !t11
    %8 = "aten.scaled_dot_product_attention"(%4, %5, %6, %7) {dropout_p = 0.000000e+00 : f64, enable_gqa = false, is_causal = false, scale = 1.000000e+00 : f64} : (!t8, !t9, !t10, !t11) -> !t12
    %9 = "aten.amax"(%7) {dim = [3], keepdim = true} : (!t11) -> !t13
    %10 = "aten.eq_scalar"(%9) {other = 0xFFF0000000000000 : f64} : (!t13) -> !t14
    %11 = "aten.scalar_tensor"() {device = #aten.enum<"device", "cpu">, dtype = #aten.enum<"dtype", "float32">, layout = #aten.enum<"layout", "strided">, pin_memory = #aten.none, s = 0x7FF8000000000000 : f64} : () -> !t6
    %12 = "aten.where_self"(%10, %11, %8) : (!t14, !t6, !t12) -> !t12
    %13 = "aten.squeeze_dims"(%12) {dim = [0]} : (!t12) -> !t4
    return %13 : !t4
  }
}
// -----
!t0 = tensor<?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1">, #aten.expr<"d1">, 1], 0 : i64, [#aten.expr<"d2">, #aten.expr<"d0">, #aten.expr<"d1">]>>
!t1 = tensor<?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d1*d3">, 1, #aten.expr<"d1">], 0 : i64, [#aten.expr<"d2">, #aten.expr<"d1">, #aten.expr<"d3">]>>
!t2 = tensor<?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d3*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d2">, #aten.expr<"d3">, #aten.expr<"d4">]>>
!t3 = tensor<?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d2">, #aten.expr<"d0">, #aten.expr<"d4">]>>
!t4 = tensor<?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d3">, #aten.expr<"d3">, 1], 0 : i64, [#aten.expr<"d2">, #aten.expr<"d0">, #aten.expr<"d3">]>>
!t5 = tensor<f64, #aten.layout<"cpu", [], 0 : i64, unit>>
!t6 = tensor<?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d1*d3">, #aten.expr<"d1">, 1], 0 : i64, [#aten.expr<"d2">, #aten.expr<"d3">, #aten.expr<"d1">]>>
!t7 = tensor<1x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d2*d0*d1">, #aten.expr<"d0*d1">, #aten.expr<"d1">, 1], 0 : i64, [1, #aten.expr<"d2">, #aten.expr<"d0">, #aten.expr<"d1">]>>
!t8 = tensor<1x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d2*d1*d3">, #aten.expr<"d1*d3">, #aten.expr<"d1">, 1], 0 : i64, [1, #aten.expr<"d2">, #aten.expr<"d3">, #aten.expr<"d1">]>>
!t9 = tensor<1x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d2*d3*d4">, #aten.expr<"d3*d4">, #aten.expr<"d4">, 1], 0 : i64, [1, #aten.expr<"d2">, #aten.expr<"d3">, #aten.expr<"d4">]>>
!t10 = tensor<1x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d2*d0*d4">, #aten.expr<"d0*d4">, #aten.expr<"d4">, 1], 0 : i64, [1, #aten.expr<"d2">, #aten.expr<"d0">, #aten.expr<"d4">]>>
module @attention_multiplied_unmasked_merged attributes {pattern.scalars = ["scale"]} {
  func.func @search(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}) -> !t3 {
    %0 = "aten.bmm"(%arg0, %arg1) : (!t0, !t1) -> !t4
    %1 = "aten.number"() {value = #aten.expr<"scale">} : () -> !t5
    %2 = "aten.mul_tensor"(%0, %1) : (!t4, !t5) -> !t4
    %3 = "aten.u_softmax"(%2) {dim = 2 : i64, half_to_float = false} : (!t4) -> !t4
    %4 = "aten.bmm"(%3, %arg2) : (!t4, !t2) -> !t3
    return %4 : !t3
  }
  pdl.pattern @attention_multiplied_unmasked_merged : benefit(5) {
    %q = pdl.operand
    %k = pdl.operand
    %v = pdl.operand
    %literal0 = pdl.attribute = 2 : i64
    %literal1 = pdl.attribute = false
    %type0_0 = pdl.type
    %op0 = pdl.operation "aten.bmm"(%q, %k : !pdl.value, !pdl.value) -> (%type0_0 : !pdl.type)
    %op0.r0 = pdl.result 0 of %op0
    %type1_0 = pdl.type
    %op1 = pdl.operation "aten.number" -> (%type1_0 : !pdl.type)
    %op1.r0 = pdl.result 0 of %op1
    %type2_0 = pdl.type
    %op2 = pdl.operation "aten.mul_tensor"(%op0.r0, %op1.r0 : !pdl.value, !pdl.value) -> (%type2_0 : !pdl.type)
    %op2.r0 = pdl.result 0 of %op2
    %type3_0 = pdl.type
    %op3 = pdl.operation "aten.u_softmax"(%op2.r0 : !pdl.value) {"dim" = %literal0, "half_to_float" = %literal1} -> (%type3_0 : !pdl.type)
    %op3.r0 = pdl.result 0 of %op3
    %type4_0 = pdl.type
    %op4 = pdl.operation "aten.bmm"(%op3.r0, %v : !pdl.value, !pdl.value) -> (%type4_0 : !pdl.type)
    %name = pdl.attribute = "attention_multiplied_unmasked_merged"
    pdl.apply_native_constraint "collect"(%name, %q, %k, %v, %op0, %op1, %op2, %op3, %op4 : !pdl.attribute, !pdl.value, !pdl.value, !pdl.value, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation)
    pdl.rewrite %op4 with "replace"
  }
  func.func @replace(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}) -> !t3 {
    %0 = "aten.permute"(%arg1) {dims = [0, 2, 1]} : (!t1) -> !t6
    %1 = "aten.unsqueeze"(%arg0) {dim = 0 : i64} : (!t0) -> !t7
    %2 = "aten.unsqueeze"(%0) {dim = 0 : i64} : (!t6) -> !t8
    %3 = "aten.unsqueeze"(%arg2) {dim = 0 : i64} : (!t2) -> !t9
    %4 = "aten.scaled_dot_product_attention"(%1, %2, %3) {dropout_p = 0.000000e+00 : f64, enable_gqa = false, is_causal = false, scale = #aten.expr<"scale">} : (!t7, !t8, !t9) -> !t10
    %5 = "aten.squeeze_dims"(%4) {dim = [0]} : (!t10) -> !t3
    return %5 : !t3
  }
}
// -----
!t0 = tensor<?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1">, #aten.expr<"d1">, 1], 0 : i64, [#aten.expr<"d2">, #aten.expr<"d0">, #aten.expr<"d1">]>>
!t1 = tensor<?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d1*d3">, 1, #aten.expr<"d1">], 0 : i64, [#aten.expr<"d2">, #aten.expr<"d1">, #aten.expr<"d3">]>>
!t2 = tensor<?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d3*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d2">, #aten.expr<"d3">, #aten.expr<"d4">]>>
!t3 = tensor<?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d3">, #aten.expr<"d3">, 1], 0 : i64, [#aten.expr<"d2">, #aten.expr<"d0">, #aten.expr<"d3">]>>
!t4 = tensor<?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d2">, #aten.expr<"d0">, #aten.expr<"d4">]>>
!t5 = tensor<f64, #aten.layout<"cpu", [], 0 : i64, unit>>
!t6 = tensor<?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d1*d3">, #aten.expr<"d1">, 1], 0 : i64, [#aten.expr<"d2">, #aten.expr<"d3">, #aten.expr<"d1">]>>
!t7 = tensor<1x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d2*d0*d1">, #aten.expr<"d0*d1">, #aten.expr<"d1">, 1], 0 : i64, [1, #aten.expr<"d2">, #aten.expr<"d0">, #aten.expr<"d1">]>>
!t8 = tensor<1x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d2*d1*d3">, #aten.expr<"d1*d3">, #aten.expr<"d1">, 1], 0 : i64, [1, #aten.expr<"d2">, #aten.expr<"d3">, #aten.expr<"d1">]>>
!t9 = tensor<1x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d2*d3*d4">, #aten.expr<"d3*d4">, #aten.expr<"d4">, 1], 0 : i64, [1, #aten.expr<"d2">, #aten.expr<"d3">, #aten.expr<"d4">]>>
!t10 = tensor<1x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d2*d0*d3">, #aten.expr<"d0*d3">, #aten.expr<"d3">, 1], 0 : i64, [1, #aten.expr<"d2">, #aten.expr<"d0">, #aten.expr<"d3">]>>
!t11 = tensor<1x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d2*d0*d4">, #aten.expr<"d0*d4">, #aten.expr<"d4">, 1], 0 : i64, [1, #aten.expr<"d2">, #aten.expr<"d0">, #aten.expr<"d4">]>>
!t12 = tensor<1x?x?x1xf32, #aten.layout<"cpu", [#aten.expr<"d2*d0">, #aten.expr<"d0">, 1, 1], 0 : i64, [1, #aten.expr<"d2">, #aten.expr<"d0">, 1]>>
!t13 = tensor<1x?x?x1xi1, #aten.layout<"cpu", [#aten.expr<"d2*d0">, #aten.expr<"d0">, 1, 1], 0 : i64, [1, #aten.expr<"d2">, #aten.expr<"d0">, 1]>>
!t14 = tensor<f32, #aten.layout<"cpu", [], 0 : i64, unit>>
module @attention_multiplied_added_merged attributes {pattern.scalars = ["scale"]} {
  func.func @search(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}, %arg3: !t3 {aten.name = "mask", pattern.any_size}) -> !t4 {
    %0 = "aten.bmm"(%arg0, %arg1) : (!t0, !t1) -> !t3
    %1 = "aten.number"() {value = #aten.expr<"scale">} : () -> !t5
    %2 = "aten.mul_tensor"(%0, %1) : (!t3, !t5) -> !t3
    %3 = "aten.add_tensor"(%2, %arg3) {alpha = 1 : i64} : (!t3, !t3) -> !t3
    %4 = "aten.u_softmax"(%3) {dim = 2 : i64, half_to_float = false} : (!t3) -> !t3
    %5 = "aten.bmm"(%4, %arg2) : (!t3, !t2) -> !t4
    return %5 : !t4
  }
  pdl.pattern @attention_multiplied_added_merged : benefit(6) {
    %q = pdl.operand
    %k = pdl.operand
    %v = pdl.operand
    %mask = pdl.operand
    %literal0 = pdl.attribute = 1 : i64
    %literal1 = pdl.attribute = 2 : i64
    %literal2 = pdl.attribute = false
    %type0_0 = pdl.type
    %op0 = pdl.operation "aten.bmm"(%q, %k : !pdl.value, !pdl.value) -> (%type0_0 : !pdl.type)
    %op0.r0 = pdl.result 0 of %op0
    %type1_0 = pdl.type
    %op1 = pdl.operation "aten.number" -> (%type1_0 : !pdl.type)
    %op1.r0 = pdl.result 0 of %op1
    %type2_0 = pdl.type
    %op2 = pdl.operation "aten.mul_tensor"(%op0.r0, %op1.r0 : !pdl.value, !pdl.value) -> (%type2_0 : !pdl.type)
    %op2.r0 = pdl.result 0 of %op2
    %type3_0 = pdl.type
    %op3 = pdl.operation "aten.add_tensor"(%op2.r0, %mask : !pdl.value, !pdl.value) {"alpha" = %literal0} -> (%type3_0 : !pdl.type)
    %op3.r0 = pdl.result 0 of %op3
    %type4_0 = pdl.type
    %op4 = pdl.operation "aten.u_softmax"(%op3.r0 : !pdl.value) {"dim" = %literal1, "half_to_float" = %literal2} -> (%type4_0 : !pdl.type)
    %op4.r0 = pdl.result 0 of %op4
    %type5_0 = pdl.type
    %op5 = pdl.operation "aten.bmm"(%op4.r0, %v : !pdl.value, !pdl.value) -> (%type5_0 : !pdl.type)
    %name = pdl.attribute = "attention_multiplied_added_merged"
    pdl.apply_native_constraint "collect"(%name, %q, %k, %v, %mask, %op0, %op1, %op2, %op3, %op4, %op5 : !pdl.attribute, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation)
    pdl.rewrite %op5 with "replace"
  }
  pdl.pattern @attention_multiplied_added_merged_1 : benefit(6) {
    %q = pdl.operand
    %k = pdl.operand
    %v = pdl.operand
    %mask = pdl.operand
    %literal0 = pdl.attribute = 1 : i64
    %literal1 = pdl.attribute = 2 : i64
    %literal2 = pdl.attribute = false
    %type0_0 = pdl.type
    %op0 = pdl.operation "aten.bmm"(%q, %k : !pdl.value, !pdl.value) -> (%type0_0 : !pdl.type)
    %op0.r0 = pdl.result 0 of %op0
    %type1_0 = pdl.type
    %op1 = pdl.operation "aten.number" -> (%type1_0 : !pdl.type)
    %op1.r0 = pdl.result 0 of %op1
    %type2_0 = pdl.type
    %op2 = pdl.operation "aten.mul_tensor"(%op0.r0, %op1.r0 : !pdl.value, !pdl.value) -> (%type2_0 : !pdl.type)
    %op2.r0 = pdl.result 0 of %op2
    %type3_0 = pdl.type
    %op3 = pdl.operation "aten.add_tensor"(%mask, %op2.r0 : !pdl.value, !pdl.value) {"alpha" = %literal0} -> (%type3_0 : !pdl.type)
    %op3.r0 = pdl.result 0 of %op3
    %type4_0 = pdl.type
    %op4 = pdl.operation "aten.u_softmax"(%op3.r0 : !pdl.value) {"dim" = %literal1, "half_to_float" = %literal2} -> (%type4_0 : !pdl.type)
    %op4.r0 = pdl.result 0 of %op4
    %type5_0 = pdl.type
    %op5 = pdl.operation "aten.bmm"(%op4.r0, %v : !pdl.value, !pdl.value) -> (%type5_0 : !pdl.type)
    %name = pdl.attribute = "attention_multiplied_added_merged"
    pdl.apply_native_constraint "collect"(%name, %q, %k, %v, %mask, %op0, %op1, %op2, %op3, %op4, %op5 : !pdl.attribute, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation)
    pdl.rewrite %op5 with "replace"
  }
  func.func @replace(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}, %arg3: !t3 {aten.name = "mask"}) -> !t4 {
    %0 = "aten.permute"(%arg1) {dims = [0, 2, 1]} : (!t1) -> !t6
    %1 = "aten.unsqueeze"(%arg0) {dim = 0 : i64} : (!t0) -> !t7
    %2 = "aten.unsqueeze"(%0) {dim = 0 : i64} : (!t6) -> !t8
    %3 = "aten.unsqueeze"(%arg2) {dim = 0 : i64} : (!t2) -> !t9
    %4 = "aten.unsqueeze"(%arg3) {dim = 0 : i64} : (!t3) -> !t10
    %5 = "aten.scaled_dot_product_attention"(%1, %2, %3, %4) {dropout_p = 0.000000e+00 : f64, enable_gqa = false, is_causal = false, scale = #aten.expr<"scale">} : (!t7, !t8, !t9, !t10) -> !t11
    %6 = "aten.amax"(%4) {dim = [3], keepdim = true} : (!t10) -> !t12
    %7 = "aten.eq_scalar"(%6) {other = 0xFFF0000000000000 : f64} : (!t12) -> !t13
    %8 = "aten.scalar_tensor"() {device = #aten.enum<"device", "cpu">, dtype = #aten.enum<"dtype", "float32">, layout = #aten.enum<"layout", "strided">, pin_memory = #aten.none, s = 0x7FF8000000000000 : f64} : () -> !t14
    %9 = "aten.where_self"(%7, %8, %5) : (!t13, !t14, !t11) -> !t11
    %10 = "aten.squeeze_dims"(%9) {dim = [0]} : (!t11) -> !t4
    return %10 : !t4
  }
}
// -----
!t0 = tensor<?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1">, #aten.expr<"d1">, 1], 0 : i64, [#aten.expr<"d2">, #aten.expr<"d0">, #aten.expr<"d1">]>>
!t1 = tensor<?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d1*d3">, 1, #aten.expr<"d1">], 0 : i64, [#aten.expr<"d2">, #aten.expr<"d1">, #aten.expr<"d3">]>>
!t2 = tensor<?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d3*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d2">, #aten.expr<"d3">, #aten.expr<"d4">]>>
!t3 = tensor<?x?x?xi1, #aten.layout<"cpu", [#aten.expr<"d0*d3">, #aten.expr<"d3">, 1], 0 : i64, [#aten.expr<"d2">, #aten.expr<"d0">, #aten.expr<"d3">]>>
!t4 = tensor<?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d2">, #aten.expr<"d0">, #aten.expr<"d4">]>>
!t5 = tensor<?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d3">, #aten.expr<"d3">, 1], 0 : i64, [#aten.expr<"d2">, #aten.expr<"d0">, #aten.expr<"d3">]>>
!t6 = tensor<f64, #aten.layout<"cpu", [], 0 : i64, unit>>
!t7 = tensor<f32, #aten.layout<"cpu", [], 0 : i64, unit>>
!t8 = tensor<?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d1*d3">, #aten.expr<"d1">, 1], 0 : i64, [#aten.expr<"d2">, #aten.expr<"d3">, #aten.expr<"d1">]>>
!t9 = tensor<1x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d2*d0*d1">, #aten.expr<"d0*d1">, #aten.expr<"d1">, 1], 0 : i64, [1, #aten.expr<"d2">, #aten.expr<"d0">, #aten.expr<"d1">]>>
!t10 = tensor<1x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d2*d1*d3">, #aten.expr<"d1*d3">, #aten.expr<"d1">, 1], 0 : i64, [1, #aten.expr<"d2">, #aten.expr<"d3">, #aten.expr<"d1">]>>
!t11 = tensor<1x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d2*d3*d4">, #aten.expr<"d3*d4">, #aten.expr<"d4">, 1], 0 : i64, [1, #aten.expr<"d2">, #aten.expr<"d3">, #aten.expr<"d4">]>>
!t12 = tensor<1x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d2*d0*d3">, #aten.expr<"d0*d3">, #aten.expr<"d3">, 1], 0 : i64, [1, #aten.expr<"d2">, #aten.expr<"d0">, #aten.expr<"d3">]>>
!t13 = tensor<1x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d2*d0*d4">, #aten.expr<"d0*d4">, #aten.expr<"d4">, 1], 0 : i64, [1, #aten.expr<"d2">, #aten.expr<"d0">, #aten.expr<"d4">]>>
!t14 = tensor<1x?x?x1xf32, #aten.layout<"cpu", [#aten.expr<"d2*d0">, #aten.expr<"d0">, 1, 1], 0 : i64, [1, #aten.expr<"d2">, #aten.expr<"d0">, 1]>>
!t15 = tensor<1x?x?x1xi1, #aten.layout<"cpu", [#aten.expr<"d2*d0">, #aten.expr<"d0">, 1, 1], 0 : i64, [1, #aten.expr<"d2">, #aten.expr<"d0">, 1]>>
module @attention_multiplied_filled_merged attributes {pattern.scalars = ["fill", "scale"]} {
  func.func @search(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}, %arg3: !t3 {aten.name = "mask", pattern.any_size}) -> !t4 {
    %0 = "aten.bmm"(%arg0, %arg1) : (!t0, !t1) -> !t5
    %1 = "aten.number"() {value = #aten.expr<"scale">} : () -> !t6
    %2 = "aten.mul_tensor"(%0, %1) : (!t5, !t6) -> !t5
    %3 = "aten.masked_fill_scalar"(%2, %arg3) {value = #aten.expr<"fill">} : (!t5, !t3) -> !t5
    %4 = "aten.u_softmax"(%3) {dim = 2 : i64, half_to_float = false} : (!t5) -> !t5
    %5 = "aten.bmm"(%4, %arg2) : (!t5, !t2) -> !t4
    return %5 : !t4
  }
  pdl.pattern @attention_multiplied_filled_merged : benefit(6) {
    %q = pdl.operand
    %k = pdl.operand
    %v = pdl.operand
    %mask = pdl.operand
    %literal0 = pdl.attribute = 2 : i64
    %literal1 = pdl.attribute = false
    %type0_0 = pdl.type
    %op0 = pdl.operation "aten.bmm"(%q, %k : !pdl.value, !pdl.value) -> (%type0_0 : !pdl.type)
    %op0.r0 = pdl.result 0 of %op0
    %type1_0 = pdl.type
    %op1 = pdl.operation "aten.number" -> (%type1_0 : !pdl.type)
    %op1.r0 = pdl.result 0 of %op1
    %type2_0 = pdl.type
    %op2 = pdl.operation "aten.mul_tensor"(%op0.r0, %op1.r0 : !pdl.value, !pdl.value) -> (%type2_0 : !pdl.type)
    %op2.r0 = pdl.result 0 of %op2
    %type3_0 = pdl.type
    %op3 = pdl.operation "aten.masked_fill_scalar"(%op2.r0, %mask : !pdl.value, !pdl.value) -> (%type3_0 : !pdl.type)
    %op3.r0 = pdl.result 0 of %op3
    %type4_0 = pdl.type
    %op4 = pdl.operation "aten.u_softmax"(%op3.r0 : !pdl.value) {"dim" = %literal0, "half_to_float" = %literal1} -> (%type4_0 : !pdl.type)
    %op4.r0 = pdl.result 0 of %op4
    %type5_0 = pdl.type
    %op5 = pdl.operation "aten.bmm"(%op4.r0, %v : !pdl.value, !pdl.value) -> (%type5_0 : !pdl.type)
    %name = pdl.attribute = "attention_multiplied_filled_merged"
    pdl.apply_native_constraint "collect"(%name, %q, %k, %v, %mask, %op0, %op1, %op2, %op3, %op4, %op5 : !pdl.attribute, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation)
    pdl.rewrite %op5 with "replace"
  }
  func.func @replace(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}, %arg3: !t3 {aten.name = "mask"}) -> !t4 {
    %0 = "aten.scalar_tensor"() {device = #aten.enum<"device", "cpu">, dtype = #aten.enum<"dtype", "float32">, layout = #aten.enum<"layout", "strided">, pin_memory = #aten.none, s = 0.000000e+00 : f64} : () -> !t7
    %1 = "aten.scalar_tensor"() {device = #aten.enum<"device", "cpu">, dtype = #aten.enum<"dtype", "float32">, layout = #aten.enum<"layout", "strided">, pin_memory = #aten.none, s = #aten.expr<"fill">} : () -> !t7
    %2 = "aten.where_self"(%arg3, %1, %0) : (!t3, !t7, !t7) -> !t5
    %3 = "aten.permute"(%arg1) {dims = [0, 2, 1]} : (!t1) -> !t8
    %4 = "aten.unsqueeze"(%arg0) {dim = 0 : i64} : (!t0) -> !t9
    %5 = "aten.unsqueeze"(%3) {dim = 0 : i64} : (!t8) -> !t10
    %6 = "aten.unsqueeze"(%arg2) {dim = 0 : i64} : (!t2) -> !t11
    %7 = "aten.unsqueeze"(%2) {dim = 0 : i64} : (!t5) -> !t12
    %8 = "aten.scaled_dot_product_attention"(%4, %5, %6, %7) {dropout_p = 0.000000e+00 : f64, enable_gqa = false, is_causal = false, scale = #aten.expr<"scale">} : (!t9, !t10, !t11, !t12) -> !t13
    %9 = "aten.amax"(%7) {dim = [3], keepdim = true} : (!t12) -> !t14
    %10 = "aten.eq_scalar"(%9) {other = 0xFFF0000000000000 : f64} : (!t14) -> !t15
    %11 = "aten.scalar_tensor"() {device = #aten.enum<"device", "cpu">, dtype = #aten.enum<"dtype", "float32">, layout = #aten.enum<"layout", "strided">, pin_memory = #aten.none, s = 0x7FF8000000000000 : f64} : () -> !t7
    %12 = "aten.where_self"(%10, %11, %8) : (!t15, !t7, !t13) -> !t13
    %13 = "aten.squeeze_dims"(%12) {dim = [0]} : (!t13) -> !t4
    return %13 : !t4
  }
}
// -----
!t0 = tensor<?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1">, #aten.expr<"d1">, 1], 0 : i64, [#aten.expr<"d2">, #aten.expr<"d0">, #aten.expr<"d1">]>>
!t1 = tensor<?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d1*d3">, 1, #aten.expr<"d1">], 0 : i64, [#aten.expr<"d2">, #aten.expr<"d1">, #aten.expr<"d3">]>>
!t2 = tensor<?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d3*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d2">, #aten.expr<"d3">, #aten.expr<"d4">]>>
!t3 = tensor<?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d2">, #aten.expr<"d0">, #aten.expr<"d4">]>>
!t4 = tensor<?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d3">, #aten.expr<"d3">, 1], 0 : i64, [#aten.expr<"d2">, #aten.expr<"d0">, #aten.expr<"d3">]>>
!t5 = tensor<f64, #aten.layout<"cpu", [], 0 : i64, unit>>
!t6 = tensor<?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d1*d3">, #aten.expr<"d1">, 1], 0 : i64, [#aten.expr<"d2">, #aten.expr<"d3">, #aten.expr<"d1">]>>
!t7 = tensor<1x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d2*d0*d1">, #aten.expr<"d0*d1">, #aten.expr<"d1">, 1], 0 : i64, [1, #aten.expr<"d2">, #aten.expr<"d0">, #aten.expr<"d1">]>>
!t8 = tensor<1x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d2*d1*d3">, #aten.expr<"d1*d3">, #aten.expr<"d1">, 1], 0 : i64, [1, #aten.expr<"d2">, #aten.expr<"d3">, #aten.expr<"d1">]>>
!t9 = tensor<1x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d2*d3*d4">, #aten.expr<"d3*d4">, #aten.expr<"d4">, 1], 0 : i64, [1, #aten.expr<"d2">, #aten.expr<"d3">, #aten.expr<"d4">]>>
!t10 = tensor<1x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d2*d0*d4">, #aten.expr<"d0*d4">, #aten.expr<"d4">, 1], 0 : i64, [1, #aten.expr<"d2">, #aten.expr<"d0">, #aten.expr<"d4">]>>
module @attention_divided_unmasked_merged attributes {pattern.scalars = ["scale"]} {
  func.func @search(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}) -> !t3 {
    %0 = "aten.bmm"(%arg0, %arg1) : (!t0, !t1) -> !t4
    %1 = "aten.number"() {value = #aten.expr<"scale">} : () -> !t5
    %2 = "aten.div_tensor"(%0, %1) : (!t4, !t5) -> !t4
    %3 = "aten.u_softmax"(%2) {dim = 2 : i64, half_to_float = false} : (!t4) -> !t4
    %4 = "aten.bmm"(%3, %arg2) : (!t4, !t2) -> !t3
    return %4 : !t3
  }
  pdl.pattern @attention_divided_unmasked_merged : benefit(5) {
    %q = pdl.operand
    %k = pdl.operand
    %v = pdl.operand
    %literal0 = pdl.attribute = 2 : i64
    %literal1 = pdl.attribute = false
    %type0_0 = pdl.type
    %op0 = pdl.operation "aten.bmm"(%q, %k : !pdl.value, !pdl.value) -> (%type0_0 : !pdl.type)
    %op0.r0 = pdl.result 0 of %op0
    %type1_0 = pdl.type
    %op1 = pdl.operation "aten.number" -> (%type1_0 : !pdl.type)
    %op1.r0 = pdl.result 0 of %op1
    %type2_0 = pdl.type
    %op2 = pdl.operation "aten.div_tensor"(%op0.r0, %op1.r0 : !pdl.value, !pdl.value) -> (%type2_0 : !pdl.type)
    %op2.r0 = pdl.result 0 of %op2
    %type3_0 = pdl.type
    %op3 = pdl.operation "aten.u_softmax"(%op2.r0 : !pdl.value) {"dim" = %literal0, "half_to_float" = %literal1} -> (%type3_0 : !pdl.type)
    %op3.r0 = pdl.result 0 of %op3
    %type4_0 = pdl.type
    %op4 = pdl.operation "aten.bmm"(%op3.r0, %v : !pdl.value, !pdl.value) -> (%type4_0 : !pdl.type)
    %name = pdl.attribute = "attention_divided_unmasked_merged"
    pdl.apply_native_constraint "collect"(%name, %q, %k, %v, %op0, %op1, %op2, %op3, %op4 : !pdl.attribute, !pdl.value, !pdl.value, !pdl.value, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation)
    pdl.rewrite %op4 with "replace"
  }
  func.func @replace(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}) -> !t3 {
    %0 = "aten.permute"(%arg1) {dims = [0, 2, 1]} : (!t1) -> !t6
    %1 = "aten.unsqueeze"(%arg0) {dim = 0 : i64} : (!t0) -> !t7
    %2 = "aten.unsqueeze"(%0) {dim = 0 : i64} : (!t6) -> !t8
    %3 = "aten.unsqueeze"(%arg2) {dim = 0 : i64} : (!t2) -> !t9
    %4 = "aten.scaled_dot_product_attention"(%1, %2, %3) {dropout_p = 0.000000e+00 : f64, enable_gqa = false, is_causal = false, scale = #aten.expr<"1.0/scale">} : (!t7, !t8, !t9) -> !t10
    %5 = "aten.squeeze_dims"(%4) {dim = [0]} : (!t10) -> !t3
    return %5 : !t3
  }
}
// -----
!t0 = tensor<?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1">, #aten.expr<"d1">, 1], 0 : i64, [#aten.expr<"d2">, #aten.expr<"d0">, #aten.expr<"d1">]>>
!t1 = tensor<?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d1*d3">, 1, #aten.expr<"d1">], 0 : i64, [#aten.expr<"d2">, #aten.expr<"d1">, #aten.expr<"d3">]>>
!t2 = tensor<?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d3*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d2">, #aten.expr<"d3">, #aten.expr<"d4">]>>
!t3 = tensor<?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d3">, #aten.expr<"d3">, 1], 0 : i64, [#aten.expr<"d2">, #aten.expr<"d0">, #aten.expr<"d3">]>>
!t4 = tensor<?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d2">, #aten.expr<"d0">, #aten.expr<"d4">]>>
!t5 = tensor<f64, #aten.layout<"cpu", [], 0 : i64, unit>>
!t6 = tensor<?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d1*d3">, #aten.expr<"d1">, 1], 0 : i64, [#aten.expr<"d2">, #aten.expr<"d3">, #aten.expr<"d1">]>>
!t7 = tensor<1x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d2*d0*d1">, #aten.expr<"d0*d1">, #aten.expr<"d1">, 1], 0 : i64, [1, #aten.expr<"d2">, #aten.expr<"d0">, #aten.expr<"d1">]>>
!t8 = tensor<1x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d2*d1*d3">, #aten.expr<"d1*d3">, #aten.expr<"d1">, 1], 0 : i64, [1, #aten.expr<"d2">, #aten.expr<"d3">, #aten.expr<"d1">]>>
!t9 = tensor<1x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d2*d3*d4">, #aten.expr<"d3*d4">, #aten.expr<"d4">, 1], 0 : i64, [1, #aten.expr<"d2">, #aten.expr<"d3">, #aten.expr<"d4">]>>
!t10 = tensor<1x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d2*d0*d3">, #aten.expr<"d0*d3">, #aten.expr<"d3">, 1], 0 : i64, [1, #aten.expr<"d2">, #aten.expr<"d0">, #aten.expr<"d3">]>>
!t11 = tensor<1x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d2*d0*d4">, #aten.expr<"d0*d4">, #aten.expr<"d4">, 1], 0 : i64, [1, #aten.expr<"d2">, #aten.expr<"d0">, #aten.expr<"d4">]>>
!t12 = tensor<1x?x?x1xf32, #aten.layout<"cpu", [#aten.expr<"d2*d0">, #aten.expr<"d0">, 1, 1], 0 : i64, [1, #aten.expr<"d2">, #aten.expr<"d0">, 1]>>
!t13 = tensor<1x?x?x1xi1, #aten.layout<"cpu", [#aten.expr<"d2*d0">, #aten.expr<"d0">, 1, 1], 0 : i64, [1, #aten.expr<"d2">, #aten.expr<"d0">, 1]>>
!t14 = tensor<f32, #aten.layout<"cpu", [], 0 : i64, unit>>
module @attention_divided_added_merged attributes {pattern.scalars = ["scale"]} {
  func.func @search(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}, %arg3: !t3 {aten.name = "mask", pattern.any_size}) -> !t4 {
    %0 = "aten.bmm"(%arg0, %arg1) : (!t0, !t1) -> !t3
    %1 = "aten.number"() {value = #aten.expr<"scale">} : () -> !t5
    %2 = "aten.div_tensor"(%0, %1) : (!t3, !t5) -> !t3
    %3 = "aten.add_tensor"(%2, %arg3) {alpha = 1 : i64} : (!t3, !t3) -> !t3
    %4 = "aten.u_softmax"(%3) {dim = 2 : i64, half_to_float = false} : (!t3) -> !t3
    %5 = "aten.bmm"(%4, %arg2) : (!t3, !t2) -> !t4
    return %5 : !t4
  }
  pdl.pattern @attention_divided_added_merged : benefit(6) {
    %q = pdl.operand
    %k = pdl.operand
    %v = pdl.operand
    %mask = pdl.operand
    %literal0 = pdl.attribute = 1 : i64
    %literal1 = pdl.attribute = 2 : i64
    %literal2 = pdl.attribute = false
    %type0_0 = pdl.type
    %op0 = pdl.operation "aten.bmm"(%q, %k : !pdl.value, !pdl.value) -> (%type0_0 : !pdl.type)
    %op0.r0 = pdl.result 0 of %op0
    %type1_0 = pdl.type
    %op1 = pdl.operation "aten.number" -> (%type1_0 : !pdl.type)
    %op1.r0 = pdl.result 0 of %op1
    %type2_0 = pdl.type
    %op2 = pdl.operation "aten.div_tensor"(%op0.r0, %op1.r0 : !pdl.value, !pdl.value) -> (%type2_0 : !pdl.type)
    %op2.r0 = pdl.result 0 of %op2
    %type3_0 = pdl.type
    %op3 = pdl.operation "aten.add_tensor"(%op2.r0, %mask : !pdl.value, !pdl.value) {"alpha" = %literal0} -> (%type3_0 : !pdl.type)
    %op3.r0 = pdl.result 0 of %op3
    %type4_0 = pdl.type
    %op4 = pdl.operation "aten.u_softmax"(%op3.r0 : !pdl.value) {"dim" = %literal1, "half_to_float" = %literal2} -> (%type4_0 : !pdl.type)
    %op4.r0 = pdl.result 0 of %op4
    %type5_0 = pdl.type
    %op5 = pdl.operation "aten.bmm"(%op4.r0, %v : !pdl.value, !pdl.value) -> (%type5_0 : !pdl.type)
    %name = pdl.attribute = "attention_divided_added_merged"
    pdl.apply_native_constraint "collect"(%name, %q, %k, %v, %mask, %op0, %op1, %op2, %op3, %op4, %op5 : !pdl.attribute, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation)
    pdl.rewrite %op5 with "replace"
  }
  pdl.pattern @attention_divided_added_merged_1 : benefit(6) {
    %q = pdl.operand
    %k = pdl.operand
    %v = pdl.operand
    %mask = pdl.operand
    %literal0 = pdl.attribute = 1 : i64
    %literal1 = pdl.attribute = 2 : i64
    %literal2 = pdl.attribute = false
    %type0_0 = pdl.type
    %op0 = pdl.operation "aten.bmm"(%q, %k : !pdl.value, !pdl.value) -> (%type0_0 : !pdl.type)
    %op0.r0 = pdl.result 0 of %op0
    %type1_0 = pdl.type
    %op1 = pdl.operation "aten.number" -> (%type1_0 : !pdl.type)
    %op1.r0 = pdl.result 0 of %op1
    %type2_0 = pdl.type
    %op2 = pdl.operation "aten.div_tensor"(%op0.r0, %op1.r0 : !pdl.value, !pdl.value) -> (%type2_0 : !pdl.type)
    %op2.r0 = pdl.result 0 of %op2
    %type3_0 = pdl.type
    %op3 = pdl.operation "aten.add_tensor"(%mask, %op2.r0 : !pdl.value, !pdl.value) {"alpha" = %literal0} -> (%type3_0 : !pdl.type)
    %op3.r0 = pdl.result 0 of %op3
    %type4_0 = pdl.type
    %op4 = pdl.operation "aten.u_softmax"(%op3.r0 : !pdl.value) {"dim" = %literal1, "half_to_float" = %literal2} -> (%type4_0 : !pdl.type)
    %op4.r0 = pdl.result 0 of %op4
    %type5_0 = pdl.type
    %op5 = pdl.operation "aten.bmm"(%op4.r0, %v : !pdl.value, !pdl.value) -> (%type5_0 : !pdl.type)
    %name = pdl.attribute = "attention_divided_added_merged"
    pdl.apply_native_constraint "collect"(%name, %q, %k, %v, %mask, %op0, %op1, %op2, %op3, %op4, %op5 : !pdl.attribute, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation)
    pdl.rewrite %op5 with "replace"
  }
  func.func @replace(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}, %arg3: !t3 {aten.name = "mask"}) -> !t4 {
    %0 = "aten.permute"(%arg1) {dims = [0, 2, 1]} : (!t1) -> !t6
    %1 = "aten.unsqueeze"(%arg0) {dim = 0 : i64} : (!t0) -> !t7
    %2 = "aten.unsqueeze"(%0) {dim = 0 : i64} : (!t6) -> !t8
    %3 = "aten.unsqueeze"(%arg2) {dim = 0 : i64} : (!t2) -> !t9
    %4 = "aten.unsqueeze"(%arg3) {dim = 0 : i64} : (!t3) -> !t10
    %5 = "aten.scaled_dot_product_attention"(%1, %2, %3, %4) {dropout_p = 0.000000e+00 : f64, enable_gqa = false, is_causal = false, scale = #aten.expr<"1.0/scale">} : (!t7, !t8, !t9, !t10) -> !t11
    %6 = "aten.amax"(%4) {dim = [3], keepdim = true} : (!t10) -> !t12
    %7 = "aten.eq_scalar"(%6) {other = 0xFFF0000000000000 : f64} : (!t12) -> !t13
    %8 = "aten.scalar_tensor"() {device = #aten.enum<"device", "cpu">, dtype = #aten.enum<"dtype", "float32">, layout = #aten.enum<"layout", "strided">, pin_memory = #aten.none, s = 0x7FF8000000000000 : f64} : () -> !t14
    %9 = "aten.where_self"(%7, %8, %5) : (!t13, !t14, !t11) -> !t11
    %10 = "aten.squeeze_dims"(%9) {dim = [0]} : (!t11) -> !t4
    return %10 : !t4
  }
}
// -----
!t0 = tensor<?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1">, #aten.expr<"d1">, 1], 0 : i64, [#aten.expr<"d2">, #aten.expr<"d0">, #aten.expr<"d1">]>>
!t1 = tensor<?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d1*d3">, 1, #aten.expr<"d1">], 0 : i64, [#aten.expr<"d2">, #aten.expr<"d1">, #aten.expr<"d3">]>>
!t2 = tensor<?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d3*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d2">, #aten.expr<"d3">, #aten.expr<"d4">]>>
!t3 = tensor<?x?x?xi1, #aten.layout<"cpu", [#aten.expr<"d0*d3">, #aten.expr<"d3">, 1], 0 : i64, [#aten.expr<"d2">, #aten.expr<"d0">, #aten.expr<"d3">]>>
!t4 = tensor<?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d2">, #aten.expr<"d0">, #aten.expr<"d4">]>>
!t5 = tensor<?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d3">, #aten.expr<"d3">, 1], 0 : i64, [#aten.expr<"d2">, #aten.expr<"d0">, #aten.expr<"d3">]>>
!t6 = tensor<f64, #aten.layout<"cpu", [], 0 : i64, unit>>
!t7 = tensor<f32, #aten.layout<"cpu", [], 0 : i64, unit>>
!t8 = tensor<?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d1*d3">, #aten.expr<"d1">, 1], 0 : i64, [#aten.expr<"d2">, #aten.expr<"d3">, #aten.expr<"d1">]>>
!t9 = tensor<1x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d2*d0*d1">, #aten.expr<"d0*d1">, #aten.expr<"d1">, 1], 0 : i64, [1, #aten.expr<"d2">, #aten.expr<"d0">, #aten.expr<"d1">]>>
!t10 = tensor<1x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d2*d1*d3">, #aten.expr<"d1*d3">, #aten.expr<"d1">, 1], 0 : i64, [1, #aten.expr<"d2">, #aten.expr<"d3">, #aten.expr<"d1">]>>
!t11 = tensor<1x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d2*d3*d4">, #aten.expr<"d3*d4">, #aten.expr<"d4">, 1], 0 : i64, [1, #aten.expr<"d2">, #aten.expr<"d3">, #aten.expr<"d4">]>>
!t12 = tensor<1x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d2*d0*d3">, #aten.expr<"d0*d3">, #aten.expr<"d3">, 1], 0 : i64, [1, #aten.expr<"d2">, #aten.expr<"d0">, #aten.expr<"d3">]>>
!t13 = tensor<1x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d2*d0*d4">, #aten.expr<"d0*d4">, #aten.expr<"d4">, 1], 0 : i64, [1, #aten.expr<"d2">, #aten.expr<"d0">, #aten.expr<"d4">]>>
!t14 = tensor<1x?x?x1xf32, #aten.layout<"cpu", [#aten.expr<"d2*d0">, #aten.expr<"d0">, 1, 1], 0 : i64, [1, #aten.expr<"d2">, #aten.expr<"d0">, 1]>>
!t15 = tensor<1x?x?x1xi1, #aten.layout<"cpu", [#aten.expr<"d2*d0">, #aten.expr<"d0">, 1, 1], 0 : i64, [1, #aten.expr<"d2">, #aten.expr<"d0">, 1]>>
module @attention_divided_filled_merged attributes {pattern.scalars = ["fill", "scale"]} {
  func.func @search(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}, %arg3: !t3 {aten.name = "mask", pattern.any_size}) -> !t4 {
    %0 = "aten.bmm"(%arg0, %arg1) : (!t0, !t1) -> !t5
    %1 = "aten.number"() {value = #aten.expr<"scale">} : () -> !t6
    %2 = "aten.div_tensor"(%0, %1) : (!t5, !t6) -> !t5
    %3 = "aten.masked_fill_scalar"(%2, %arg3) {value = #aten.expr<"fill">} : (!t5, !t3) -> !t5
    %4 = "aten.u_softmax"(%3) {dim = 2 : i64, half_to_float = false} : (!t5) -> !t5
    %5 = "aten.bmm"(%4, %arg2) : (!t5, !t2) -> !t4
    return %5 : !t4
  }
  pdl.pattern @attention_divided_filled_merged : benefit(6) {
    %q = pdl.operand
    %k = pdl.operand
    %v = pdl.operand
    %mask = pdl.operand
    %literal0 = pdl.attribute = 2 : i64
    %literal1 = pdl.attribute = false
    %type0_0 = pdl.type
    %op0 = pdl.operation "aten.bmm"(%q, %k : !pdl.value, !pdl.value) -> (%type0_0 : !pdl.type)
    %op0.r0 = pdl.result 0 of %op0
    %type1_0 = pdl.type
    %op1 = pdl.operation "aten.number" -> (%type1_0 : !pdl.type)
    %op1.r0 = pdl.result 0 of %op1
    %type2_0 = pdl.type
    %op2 = pdl.operation "aten.div_tensor"(%op0.r0, %op1.r0 : !pdl.value, !pdl.value) -> (%type2_0 : !pdl.type)
    %op2.r0 = pdl.result 0 of %op2
    %type3_0 = pdl.type
    %op3 = pdl.operation "aten.masked_fill_scalar"(%op2.r0, %mask : !pdl.value, !pdl.value) -> (%type3_0 : !pdl.type)
    %op3.r0 = pdl.result 0 of %op3
    %type4_0 = pdl.type
    %op4 = pdl.operation "aten.u_softmax"(%op3.r0 : !pdl.value) {"dim" = %literal0, "half_to_float" = %literal1} -> (%type4_0 : !pdl.type)
    %op4.r0 = pdl.result 0 of %op4
    %type5_0 = pdl.type
    %op5 = pdl.operation "aten.bmm"(%op4.r0, %v : !pdl.value, !pdl.value) -> (%type5_0 : !pdl.type)
    %name = pdl.attribute = "attention_divided_filled_merged"
    pdl.apply_native_constraint "collect"(%name, %q, %k, %v, %mask, %op0, %op1, %op2, %op3, %op4, %op5 : !pdl.attribute, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation)
    pdl.rewrite %op5 with "replace"
  }
  func.func @replace(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}, %arg3: !t3 {aten.name = "mask"}) -> !t4 {
    %0 = "aten.scalar_tensor"() {device = #aten.enum<"device", "cpu">, dtype = #aten.enum<"dtype", "float32">, layout = #aten.enum<"layout", "strided">, pin_memory = #aten.none, s = 0.000000e+00 : f64} : () -> !t7
    %1 = "aten.scalar_tensor"() {device = #aten.enum<"device", "cpu">, dtype = #aten.enum<"dtype", "float32">, layout = #aten.enum<"layout", "strided">, pin_memory = #aten.none, s = #aten.expr<"fill">} : () -> !t7
    %2 = "aten.where_self"(%arg3, %1, %0) : (!t3, !t7, !t7) -> !t5
    %3 = "aten.permute"(%arg1) {dims = [0, 2, 1]} : (!t1) -> !t8
    %4 = "aten.unsqueeze"(%arg0) {dim = 0 : i64} : (!t0) -> !t9
    %5 = "aten.unsqueeze"(%3) {dim = 0 : i64} : (!t8) -> !t10
    %6 = "aten.unsqueeze"(%arg2) {dim = 0 : i64} : (!t2) -> !t11
    %7 = "aten.unsqueeze"(%2) {dim = 0 : i64} : (!t5) -> !t12
    %8 = "aten.scaled_dot_product_attention"(%4, %5, %6, %7) {dropout_p = 0.000000e+00 : f64, enable_gqa = false, is_causal = false, scale = #aten.expr<"1.0/scale">} : (!t9, !t10, !t11, !t12) -> !t13
    %9 = "aten.amax"(%7) {dim = [3], keepdim = true} : (!t12) -> !t14
    %10 = "aten.eq_scalar"(%9) {other = 0xFFF0000000000000 : f64} : (!t14) -> !t15
    %11 = "aten.scalar_tensor"() {device = #aten.enum<"device", "cpu">, dtype = #aten.enum<"dtype", "float32">, layout = #aten.enum<"layout", "strided">, pin_memory = #aten.none, s = 0x7FF8000000000000 : f64} : () -> !t7
    %12 = "aten.where_self"(%10, %11, %8) : (!t15, !t7, !t13) -> !t13
    %13 = "aten.squeeze_dims"(%12) {dim = [0]} : (!t13) -> !t4
    return %13 : !t4
  }
}
