!t0 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d2">, #aten.expr<"d1*d2">, #aten.expr<"d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d2">]>>
!t1 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, 1, #aten.expr<"d2">], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d2">, #aten.expr<"d4">]>>
!t2 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, #aten.expr<"d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d2">]>>
!t3 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d2">, #aten.expr<"d1*d2">, 1, #aten.expr<"d2">], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d2">, #aten.expr<"d1">]>>
!t4 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d2">, #aten.expr<"d4">]>>
!t5 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d4">, #aten.expr<"d1*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d4">]>>
!t6 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d4">, #aten.expr<"d1*d4">, 1, #aten.expr<"d4">], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d1">]>>
!t7 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d2">, #aten.expr<"d2">, #aten.expr<"d0*d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d2">]>>
!t8 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2">, 1, #aten.expr<"d0*d2">], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d2">, #aten.expr<"d4">]>>
!t9 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2">, #aten.expr<"d0*d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d2">]>>
!t10 = tensor<?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1">, 1, #aten.expr<"d0">], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">]>>
module @attention_plain_unmasked_training {
  func.func @search(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}, %arg3: !t0 {aten.name = "tangent_0"}, %arg4: !t3 {aten.name = "q_5", pattern.permuted = [0, 0, 1, 3, 2]}, %arg5: !t2 {aten.name = "k_6", pattern.permuted = [1, 0, 1, 3, 2]}, %arg6: !t1 {aten.name = "v_7", pattern.permuted = [2, 0, 1, 3, 2]}) -> (!t0, !t0, !t4, !t2) {
    %0 = "aten.matmul"(%arg0, %arg1) : (!t0, !t1) -> !t5
    %1 = "aten.u_softmax"(%0) {dim = 3 : i64, half_to_float = false} : (!t5) -> !t5
    %2 = "aten.matmul"(%1, %arg2) : (!t5, !t2) -> !t0
    %3 = "aten.permute"(%1) {dims = [0, 1, 3, 2]} : (!t5) -> !t6
    %4 = "aten.matmul"(%3, %arg3) : (!t6, !t0) -> !t2
    %5 = "aten.matmul"(%arg3, %arg6) : (!t0, !t1) -> !t5
    %6 = "aten.u_softmax_backward_data"(%5, %1) {dim = 3 : i64, input_dtype = #aten.enum<"dtype", "float32">} : (!t5, !t5) -> !t5
    %7 = "aten.matmul"(%arg4, %6) : (!t3, !t5) -> !t4
    %8 = "aten.matmul"(%6, %arg5) : (!t5, !t2) -> !t0
    return %2, %8, %7, %4 : !t0, !t0, !t4, !t2
  }
  pdl.pattern @attention_plain_unmasked_training : benefit(9) {
    %q = pdl.operand
    %k = pdl.operand
    %v = pdl.operand
    %tangent_0 = pdl.operand
    %q_5 = pdl.operand
    %k_6 = pdl.operand
    %v_7 = pdl.operand
    %literal0 = pdl.attribute = 3 : i64
    %literal1 = pdl.attribute = false
    %literal2 = pdl.attribute = [0, 1, 3, 2]
    %literal3 = pdl.attribute = #aten.enum<"dtype", "float32">
    %type0_0 = pdl.type
    %op0 = pdl.operation "aten.matmul"(%q, %k : !pdl.value, !pdl.value) -> (%type0_0 : !pdl.type)
    %op0.r0 = pdl.result 0 of %op0
    %type1_0 = pdl.type
    %op1 = pdl.operation "aten.u_softmax"(%op0.r0 : !pdl.value) {"dim" = %literal0, "half_to_float" = %literal1} -> (%type1_0 : !pdl.type)
    %op1.r0 = pdl.result 0 of %op1
    %type2_0 = pdl.type
    %op2 = pdl.operation "aten.matmul"(%op1.r0, %v : !pdl.value, !pdl.value) -> (%type2_0 : !pdl.type)
    %type3_0 = pdl.type
    %op3 = pdl.operation "aten.permute"(%op1.r0 : !pdl.value) {"dims" = %literal2} -> (%type3_0 : !pdl.type)
    %op3.r0 = pdl.result 0 of %op3
    %type4_0 = pdl.type
    %op4 = pdl.operation "aten.matmul"(%op3.r0, %tangent_0 : !pdl.value, !pdl.value) -> (%type4_0 : !pdl.type)
    %type5_0 = pdl.type
    %op5 = pdl.operation "aten.matmul"(%tangent_0, %v_7 : !pdl.value, !pdl.value) -> (%type5_0 : !pdl.type)
    %op5.r0 = pdl.result 0 of %op5
    %type6_0 = pdl.type
    %op6 = pdl.operation "aten.u_softmax_backward_data"(%op5.r0, %op1.r0 : !pdl.value, !pdl.value) {"dim" = %literal0, "input_dtype" = %literal3} -> (%type6_0 : !pdl.type)
    %op6.r0 = pdl.result 0 of %op6
    %type7_0 = pdl.type
    %op7 = pdl.operation "aten.matmul"(%q_5, %op6.r0 : !pdl.value, !pdl.value) -> (%type7_0 : !pdl.type)
    %type8_0 = pdl.type
    %op8 = pdl.operation "aten.matmul"(%op6.r0, %k_6 : !pdl.value, !pdl.value) -> (%type8_0 : !pdl.type)
    %name = pdl.attribute = "attention_plain_unmasked_training"
    pdl.apply_native_constraint "collect"(%name, %q, %k, %v, %tangent_0, %q_5, %k_6, %v_7, %op0, %op1, %op2, %op3, %op4, %op5, %op6, %op7, %op8 : !pdl.attribute, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation)
    pdl.rewrite %op8 with "replace"
  }
  func.func @replace(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}, %arg3: !t0 {aten.name = "tangent_0"}) -> (!t0, !t7, !t8, !t9) {
    %0 = "aten.permute"(%arg1) {dims = [0, 1, 3, 2]} : (!t1) -> !t2
    %1:2 = "aten.u_scaled_dot_product_flash_attention_for_cpu"(%arg0, %0, %arg2) {dropout_p = 0.000000e+00 : f64, is_causal = false, scale = 1.000000e+00 : f64} : (!t0, !t2, !t2) -> (!t0, !t10)
    %2:3 = "aten.u_scaled_dot_product_flash_attention_for_cpu_backward"(%arg3, %arg0, %0, %arg2, %1#0, %1#1) {dropout_p = 0.000000e+00 : f64, is_causal = false, scale = 1.000000e+00 : f64} : (!t0, !t0, !t2, !t2, !t0, !t10) -> (!t7, !t9, !t9)
    %3 = "aten.permute"(%2#1) {dims = [0, 1, 3, 2]} : (!t9) -> !t8
    return %1#0, %2#0, %3, %2#2 : !t0, !t7, !t8, !t9
  }
}
// -----
!t0 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d2">, #aten.expr<"d1*d2">, #aten.expr<"d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d2">]>>
!t1 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, 1, #aten.expr<"d2">], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d2">, #aten.expr<"d4">]>>
!t2 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, #aten.expr<"d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d2">]>>
!t3 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d4">, #aten.expr<"d1*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d4">]>>
!t4 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d2">, #aten.expr<"d1*d2">, 1, #aten.expr<"d2">], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d2">, #aten.expr<"d1">]>>
!t5 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d2">, #aten.expr<"d4">]>>
!t6 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d4">, #aten.expr<"d1*d4">, 1, #aten.expr<"d4">], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d1">]>>
!t7 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d2">, #aten.expr<"d2">, #aten.expr<"d0*d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d2">]>>
!t8 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2">, 1, #aten.expr<"d0*d2">], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d2">, #aten.expr<"d4">]>>
!t9 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2">, #aten.expr<"d0*d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d2">]>>
!t10 = tensor<?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1">, 1, #aten.expr<"d0">], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">]>>
module @attention_plain_added_training {
  func.func @search(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}, %arg3: !t3 {aten.name = "mask", pattern.any_size}, %arg4: !t0 {aten.name = "tangent_0"}, %arg5: !t4 {aten.name = "q_6", pattern.permuted = [0, 0, 1, 3, 2]}, %arg6: !t2 {aten.name = "k_7", pattern.permuted = [1, 0, 1, 3, 2]}, %arg7: !t1 {aten.name = "v_8", pattern.permuted = [2, 0, 1, 3, 2]}) -> (!t0, !t0, !t5, !t2) {
    %0 = "aten.matmul"(%arg0, %arg1) : (!t0, !t1) -> !t3
    %1 = "aten.add_tensor"(%0, %arg3) {alpha = 1 : i64} : (!t3, !t3) -> !t3
    %2 = "aten.u_softmax"(%1) {dim = 3 : i64, half_to_float = false} : (!t3) -> !t3
    %3 = "aten.matmul"(%2, %arg2) : (!t3, !t2) -> !t0
    %4 = "aten.permute"(%2) {dims = [0, 1, 3, 2]} : (!t3) -> !t6
    %5 = "aten.matmul"(%4, %arg4) : (!t6, !t0) -> !t2
    %6 = "aten.matmul"(%arg4, %arg7) : (!t0, !t1) -> !t3
    %7 = "aten.u_softmax_backward_data"(%6, %2) {dim = 3 : i64, input_dtype = #aten.enum<"dtype", "float32">} : (!t3, !t3) -> !t3
    %8 = "aten.matmul"(%arg5, %7) : (!t4, !t3) -> !t5
    %9 = "aten.matmul"(%7, %arg6) : (!t3, !t2) -> !t0
    return %3, %9, %8, %5 : !t0, !t0, !t5, !t2
  }
  pdl.pattern @attention_plain_added_training : benefit(10) {
    %q = pdl.operand
    %k = pdl.operand
    %v = pdl.operand
    %mask = pdl.operand
    %tangent_0 = pdl.operand
    %q_6 = pdl.operand
    %k_7 = pdl.operand
    %v_8 = pdl.operand
    %literal0 = pdl.attribute = 1 : i64
    %literal1 = pdl.attribute = 3 : i64
    %literal2 = pdl.attribute = false
    %literal3 = pdl.attribute = [0, 1, 3, 2]
    %literal4 = pdl.attribute = #aten.enum<"dtype", "float32">
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
    %type4_0 = pdl.type
    %op4 = pdl.operation "aten.permute"(%op2.r0 : !pdl.value) {"dims" = %literal3} -> (%type4_0 : !pdl.type)
    %op4.r0 = pdl.result 0 of %op4
    %type5_0 = pdl.type
    %op5 = pdl.operation "aten.matmul"(%op4.r0, %tangent_0 : !pdl.value, !pdl.value) -> (%type5_0 : !pdl.type)
    %type6_0 = pdl.type
    %op6 = pdl.operation "aten.matmul"(%tangent_0, %v_8 : !pdl.value, !pdl.value) -> (%type6_0 : !pdl.type)
    %op6.r0 = pdl.result 0 of %op6
    %type7_0 = pdl.type
    %op7 = pdl.operation "aten.u_softmax_backward_data"(%op6.r0, %op2.r0 : !pdl.value, !pdl.value) {"dim" = %literal1, "input_dtype" = %literal4} -> (%type7_0 : !pdl.type)
    %op7.r0 = pdl.result 0 of %op7
    %type8_0 = pdl.type
    %op8 = pdl.operation "aten.matmul"(%q_6, %op7.r0 : !pdl.value, !pdl.value) -> (%type8_0 : !pdl.type)
    %type9_0 = pdl.type
    %op9 = pdl.operation "aten.matmul"(%op7.r0, %k_7 : !pdl.value, !pdl.value) -> (%type9_0 : !pdl.type)
    %name = pdl.attribute = "attention_plain_added_training"
    pdl.apply_native_constraint "collect"(%name, %q, %k, %v, %mask, %tangent_0, %q_6, %k_7, %v_8, %op0, %op1, %op2, %op3, %op4, %op5, %op6, %op7, %op8, %op9 : !pdl.attribute, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation)
    pdl.rewrite %op9 with "replace"
  }
  pdl.pattern @attention_plain_added_training_1 : benefit(10) {
    %q = pdl.operand
    %k = pdl.operand
    %v = pdl.operand
    %mask = pdl.operand
    %tangent_0 = pdl.operand
    %q_6 = pdl.operand
    %k_7 = pdl.operand
    %v_8 = pdl.operand
    %literal0 = pdl.attribute = 1 : i64
    %literal1 = pdl.attribute = 3 : i64
    %literal2 = pdl.attribute = false
    %literal3 = pdl.attribute = [0, 1, 3, 2]
    %literal4 = pdl.attribute = #aten.enum<"dtype", "float32">
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
    %type4_0 = pdl.type
    %op4 = pdl.operation "aten.permute"(%op2.r0 : !pdl.value) {"dims" = %literal3} -> (%type4_0 : !pdl.type)
    %op4.r0 = pdl.result 0 of %op4
    %type5_0 = pdl.type
    %op5 = pdl.operation "aten.matmul"(%op4.r0, %tangent_0 : !pdl.value, !pdl.value) -> (%type5_0 : !pdl.type)
    %type6_0 = pdl.type
    %op6 = pdl.operation "aten.matmul"(%tangent_0, %v_8 : !pdl.value, !pdl.value) -> (%type6_0 : !pdl.type)
    %op6.r0 = pdl.result 0 of %op6
    %type7_0 = pdl.type
    %op7 = pdl.operation "aten.u_softmax_backward_data"(%op6.r0, %op2.r0 : !pdl.value, !pdl.value) {"dim" = %literal1, "input_dtype" = %literal4} -> (%type7_0 : !pdl.type)
    %op7.r0 = pdl.result 0 of %op7
    %type8_0 = pdl.type
    %op8 = pdl.operation "aten.matmul"(%q_6, %op7.r0 : !pdl.value, !pdl.value) -> (%type8_0 : !pdl.type)
    %type9_0 = pdl.type
    %op9 = pdl.operation "aten.matmul"(%op7.r0, %k_7 : !pdl.value, !pdl.value) -> (%type9_0 : !pdl.type)
    %name = pdl.attribute = "attention_plain_added_training"
    pdl.apply_native_constraint "collect"(%name, %q, %k, %v, %mask, %tangent_0, %q_6, %k_7, %v_8, %op0, %op1, %op2, %op3, %op4, %op5, %op6, %op7, %op8, %op9 : !pdl.attribute, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation)
    pdl.rewrite %op9 with "replace"
  }
  func.func @replace(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}, %arg3: !t3 {aten.name = "mask"}, %arg4: !t0 {aten.name = "tangent_0"}) -> (!t0, !t7, !t8, !t9) {
    %0 = "aten.permute"(%arg1) {dims = [0, 1, 3, 2]} : (!t1) -> !t2
    %1:2 = "aten.u_scaled_dot_product_flash_attention_for_cpu"(%arg0, %0, %arg2, %arg3) {dropout_p = 0.000000e+00 : f64, is_causal = false, scale = 1.000000e+00 : f64} : (!t0, !t2, !t2, !t3) -> (!t0, !t10)
    %2:3 = "aten.u_scaled_dot_product_flash_attention_for_cpu_backward"(%arg4, %arg0, %0, %arg2, %1#0, %1#1, %arg3) {dropout_p = 0.000000e+00 : f64, is_causal = false, scale = 1.000000e+00 : f64} : (!t0, !t0, !t2, !t2, !t0, !t10, !t3) -> (!t7, !t9, !t9)
    %3 = "aten.permute"(%2#1) {dims = [0, 1, 3, 2]} : (!t9) -> !t8
    return %1#0, %2#0, %3, %2#2 : !t0, !t7, !t8, !t9
  }
}
// -----
!t0 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d2">, #aten.expr<"d1*d2">, #aten.expr<"d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d2">]>>
!t1 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, 1, #aten.expr<"d2">], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d2">, #aten.expr<"d4">]>>
!t2 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, #aten.expr<"d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d2">]>>
!t3 = tensor<?x?x?x?xi1, #aten.layout<"cpu", [#aten.expr<"d0*d1*d4">, #aten.expr<"d1*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d4">]>>
!t4 = tensor<f32, #aten.layout<"cpu", [], 0 : i64, unit>>
!t5 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d2">, #aten.expr<"d1*d2">, 1, #aten.expr<"d2">], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d2">, #aten.expr<"d1">]>>
!t6 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d2">, #aten.expr<"d4">]>>
!t7 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d4">, #aten.expr<"d1*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d4">]>>
!t8 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d4">, #aten.expr<"d1*d4">, 1, #aten.expr<"d4">], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d1">]>>
!t9 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d2">, #aten.expr<"d2">, #aten.expr<"d0*d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d2">]>>
!t10 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2">, 1, #aten.expr<"d0*d2">], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d2">, #aten.expr<"d4">]>>
!t11 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2">, #aten.expr<"d0*d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d2">]>>
!t12 = tensor<?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1">, 1, #aten.expr<"d0">], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">]>>
module @attention_plain_kept_training {
  func.func @search(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}, %arg3: !t3 {aten.name = "mask", pattern.any_size}, %arg4: !t4 {aten.name = "fill"}, %arg5: !t0 {aten.name = "tangent_0"}, %arg6: !t5 {aten.name = "q_7", pattern.permuted = [0, 0, 1, 3, 2]}, %arg7: !t2 {aten.name = "k_8", pattern.permuted = [1, 0, 1, 3, 2]}, %arg8: !t1 {aten.name = "v_9", pattern.permuted = [2, 0, 1, 3, 2]}) -> (!t0, !t0, !t6, !t2) {
    %0 = "aten.matmul"(%arg0, %arg1) : (!t0, !t1) -> !t7
    %1 = "aten.where_self"(%arg3, %0, %arg4) : (!t3, !t7, !t4) -> !t7
    %2 = "aten.u_softmax"(%1) {dim = 3 : i64, half_to_float = false} : (!t7) -> !t7
    %3 = "aten.matmul"(%2, %arg2) : (!t7, !t2) -> !t0
    %4 = "aten.permute"(%2) {dims = [0, 1, 3, 2]} : (!t7) -> !t8
    %5 = "aten.matmul"(%4, %arg5) : (!t8, !t0) -> !t2
    %6 = "aten.matmul"(%arg5, %arg8) : (!t0, !t1) -> !t7
    %7 = "aten.u_softmax_backward_data"(%6, %2) {dim = 3 : i64, input_dtype = #aten.enum<"dtype", "float32">} : (!t7, !t7) -> !t7
    %8 = "aten.scalar_tensor"() {device = #aten.enum<"device", "cpu">, dtype = #aten.enum<"dtype", "float32">, layout = #aten.enum<"layout", "strided">, pin_memory = #aten.none, s = 0 : i64} : () -> !t4
    %9 = "aten.where_self"(%arg3, %7, %8) : (!t3, !t7, !t4) -> !t7
    %10 = "aten.matmul"(%arg6, %9) : (!t5, !t7) -> !t6
    %11 = "aten.matmul"(%9, %arg7) : (!t7, !t2) -> !t0
    return %3, %11, %10, %5 : !t0, !t0, !t6, !t2
  }
  pdl.pattern @attention_plain_kept_training : benefit(12) {
    %q = pdl.operand
    %k = pdl.operand
    %v = pdl.operand
    %mask = pdl.operand
    %fill = pdl.operand
    %tangent_0 = pdl.operand
    %q_7 = pdl.operand
    %k_8 = pdl.operand
    %v_9 = pdl.operand
    %literal0 = pdl.attribute = 3 : i64
    %literal1 = pdl.attribute = false
    %literal2 = pdl.attribute = [0, 1, 3, 2]
    %literal3 = pdl.attribute = #aten.enum<"dtype", "float32">
    %literal4 = pdl.attribute = #aten.enum<"layout", "strided">
    %literal5 = pdl.attribute = #aten.none
    %literal6 = pdl.attribute = 0 : i64
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
    %type4_0 = pdl.type
    %op4 = pdl.operation "aten.permute"(%op2.r0 : !pdl.value) {"dims" = %literal2} -> (%type4_0 : !pdl.type)
    %op4.r0 = pdl.result 0 of %op4
    %type5_0 = pdl.type
    %op5 = pdl.operation "aten.matmul"(%op4.r0, %tangent_0 : !pdl.value, !pdl.value) -> (%type5_0 : !pdl.type)
    %type6_0 = pdl.type
    %op6 = pdl.operation "aten.matmul"(%tangent_0, %v_9 : !pdl.value, !pdl.value) -> (%type6_0 : !pdl.type)
    %op6.r0 = pdl.result 0 of %op6
    %type7_0 = pdl.type
    %op7 = pdl.operation "aten.u_softmax_backward_data"(%op6.r0, %op2.r0 : !pdl.value, !pdl.value) {"dim" = %literal0, "input_dtype" = %literal3} -> (%type7_0 : !pdl.type)
    %op7.r0 = pdl.result 0 of %op7
    %type8_0 = pdl.type
    %op8 = pdl.operation "aten.scalar_tensor" {"dtype" = %literal3, "layout" = %literal4, "pin_memory" = %literal5, "s" = %literal6} -> (%type8_0 : !pdl.type)
    %op8.r0 = pdl.result 0 of %op8
    %type9_0 = pdl.type
    %op9 = pdl.operation "aten.where_self"(%mask, %op7.r0, %op8.r0 : !pdl.value, !pdl.value, !pdl.value) -> (%type9_0 : !pdl.type)
    %op9.r0 = pdl.result 0 of %op9
    %type10_0 = pdl.type
    %op10 = pdl.operation "aten.matmul"(%q_7, %op9.r0 : !pdl.value, !pdl.value) -> (%type10_0 : !pdl.type)
    %type11_0 = pdl.type
    %op11 = pdl.operation "aten.matmul"(%op9.r0, %k_8 : !pdl.value, !pdl.value) -> (%type11_0 : !pdl.type)
    %name = pdl.attribute = "attention_plain_kept_training"
    pdl.apply_native_constraint "collect"(%name, %q, %k, %v, %mask, %fill, %tangent_0, %q_7, %k_8, %v_9, %op0, %op1, %op2, %op3, %op4, %op5, %op6, %op7, %op8, %op9, %op10, %op11 : !pdl.attribute, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation)
    pdl.rewrite %op11 with "replace"
  }
  func.func @replace(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}, %arg3: !t3 {aten.name = "mask"}, %arg4: !t4 {aten.name = "fill"}, %arg5: !t0 {aten.name = "tangent_0"}) -> (!t0, !t9, !t10, !t11) {
    %0 = "aten.zeros"() {device = #aten.enum<"device", "cpu">, dtype = #aten.enum<"dtype", "float32">, layout = #aten.none, pin_memory = false, size = []} : () -> !t4
    %1 = "aten.where_self"(%arg3, %0, %arg4) : (!t3, !t4, !t4) -> !t7
    %2 = "aten.permute"(%arg1) {dims = [0, 1, 3, 2]} : (!t1) -> !t2
    %3:2 = "aten.u_scaled_dot_product_flash_attention_for_cpu"(%arg0, %2, %arg2, %1) {dropout_p = 0.000000e+00 : f64, is_causal = false, scale = 1.000000e+00 : f64} : (!t0, !t2, !t2, !t7) -> (!t0, !t12)
    %4:3 = "aten.u_scaled_dot_product_flash_attention_for_cpu_backward"(%arg5, %arg0, %2, %arg2, %3#0, %3#1, %1) {dropout_p = 0.000000e+00 : f64, is_causal = false, scale = 1.000000e+00 : f64} : (!t0, !t0, !t2, !t2, !t0, !t12, !t7) -> (!t9, !t11, !t11)
    %5 = "aten.permute"(%4#1) {dims = [0, 1, 3, 2]} : (!t11) -> !t10
    return %3#0, %4#0, %5, %4#2 : !t0, !t9, !t10, !t11
  }
}
// -----
!t0 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d2">, #aten.expr<"d1*d2">, #aten.expr<"d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d2">]>>
!t1 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, 1, #aten.expr<"d2">], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d2">, #aten.expr<"d4">]>>
!t2 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, #aten.expr<"d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d2">]>>
!t3 = tensor<?x?x?x?xi1, #aten.layout<"cpu", [#aten.expr<"d0*d1*d4">, #aten.expr<"d1*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d4">]>>
!t4 = tensor<f32, #aten.layout<"cpu", [], 0 : i64, unit>>
!t5 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d2">, #aten.expr<"d1*d2">, 1, #aten.expr<"d2">], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d2">, #aten.expr<"d1">]>>
!t6 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d2">, #aten.expr<"d4">]>>
!t7 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d4">, #aten.expr<"d1*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d4">]>>
!t8 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d4">, #aten.expr<"d1*d4">, 1, #aten.expr<"d4">], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d1">]>>
!t9 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d2">, #aten.expr<"d2">, #aten.expr<"d0*d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d2">]>>
!t10 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2">, 1, #aten.expr<"d0*d2">], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d2">, #aten.expr<"d4">]>>
!t11 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2">, #aten.expr<"d0*d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d2">]>>
!t12 = tensor<?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1">, 1, #aten.expr<"d0">], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">]>>
module @attention_plain_dropped_training {
  func.func @search(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}, %arg3: !t3 {aten.name = "mask", pattern.any_size}, %arg4: !t4 {aten.name = "fill"}, %arg5: !t0 {aten.name = "tangent_0"}, %arg6: !t5 {aten.name = "q_7", pattern.permuted = [0, 0, 1, 3, 2]}, %arg7: !t2 {aten.name = "k_8", pattern.permuted = [1, 0, 1, 3, 2]}, %arg8: !t1 {aten.name = "v_9", pattern.permuted = [2, 0, 1, 3, 2]}) -> (!t0, !t0, !t6, !t2) {
    %0 = "aten.matmul"(%arg0, %arg1) : (!t0, !t1) -> !t7
    %1 = "aten.where_self"(%arg3, %arg4, %0) : (!t3, !t4, !t7) -> !t7
    %2 = "aten.u_softmax"(%1) {dim = 3 : i64, half_to_float = false} : (!t7) -> !t7
    %3 = "aten.matmul"(%2, %arg2) : (!t7, !t2) -> !t0
    %4 = "aten.permute"(%2) {dims = [0, 1, 3, 2]} : (!t7) -> !t8
    %5 = "aten.matmul"(%4, %arg5) : (!t8, !t0) -> !t2
    %6 = "aten.matmul"(%arg5, %arg8) : (!t0, !t1) -> !t7
    %7 = "aten.u_softmax_backward_data"(%6, %2) {dim = 3 : i64, input_dtype = #aten.enum<"dtype", "float32">} : (!t7, !t7) -> !t7
    %8 = "aten.scalar_tensor"() {device = #aten.enum<"device", "cpu">, dtype = #aten.enum<"dtype", "float32">, layout = #aten.enum<"layout", "strided">, pin_memory = #aten.none, s = 0 : i64} : () -> !t4
    %9 = "aten.where_self"(%arg3, %8, %7) : (!t3, !t4, !t7) -> !t7
    %10 = "aten.matmul"(%arg6, %9) : (!t5, !t7) -> !t6
    %11 = "aten.matmul"(%9, %arg7) : (!t7, !t2) -> !t0
    return %3, %11, %10, %5 : !t0, !t0, !t6, !t2
  }
  pdl.pattern @attention_plain_dropped_training : benefit(12) {
    %q = pdl.operand
    %k = pdl.operand
    %v = pdl.operand
    %mask = pdl.operand
    %fill = pdl.operand
    %tangent_0 = pdl.operand
    %q_7 = pdl.operand
    %k_8 = pdl.operand
    %v_9 = pdl.operand
    %literal0 = pdl.attribute = 3 : i64
    %literal1 = pdl.attribute = false
    %literal2 = pdl.attribute = [0, 1, 3, 2]
    %literal3 = pdl.attribute = #aten.enum<"dtype", "float32">
    %literal4 = pdl.attribute = #aten.enum<"layout", "strided">
    %literal5 = pdl.attribute = #aten.none
    %literal6 = pdl.attribute = 0 : i64
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
    %type4_0 = pdl.type
    %op4 = pdl.operation "aten.permute"(%op2.r0 : !pdl.value) {"dims" = %literal2} -> (%type4_0 : !pdl.type)
    %op4.r0 = pdl.result 0 of %op4
    %type5_0 = pdl.type
    %op5 = pdl.operation "aten.matmul"(%op4.r0, %tangent_0 : !pdl.value, !pdl.value) -> (%type5_0 : !pdl.type)
    %type6_0 = pdl.type
    %op6 = pdl.operation "aten.matmul"(%tangent_0, %v_9 : !pdl.value, !pdl.value) -> (%type6_0 : !pdl.type)
    %op6.r0 = pdl.result 0 of %op6
    %type7_0 = pdl.type
    %op7 = pdl.operation "aten.u_softmax_backward_data"(%op6.r0, %op2.r0 : !pdl.value, !pdl.value) {"dim" = %literal0, "input_dtype" = %literal3} -> (%type7_0 : !pdl.type)
    %op7.r0 = pdl.result 0 of %op7
    %type8_0 = pdl.type
    %op8 = pdl.operation "aten.scalar_tensor" {"dtype" = %literal3, "layout" = %literal4, "pin_memory" = %literal5, "s" = %literal6} -> (%type8_0 : !pdl.type)
    %op8.r0 = pdl.result 0 of %op8
    %type9_0 = pdl.type
    %op9 = pdl.operation "aten.where_self"(%mask, %op8.r0, %op7.r0 : !pdl.value, !pdl.value, !pdl.value) -> (%type9_0 : !pdl.type)
    %op9.r0 = pdl.result 0 of %op9
    %type10_0 = pdl.type
    %op10 = pdl.operation "aten.matmul"(%q_7, %op9.r0 : !pdl.value, !pdl.value) -> (%type10_0 : !pdl.type)
    %type11_0 = pdl.type
    %op11 = pdl.operation "aten.matmul"(%op9.r0, %k_8 : !pdl.value, !pdl.value) -> (%type11_0 : !pdl.type)
    %name = pdl.attribute = "attention_plain_dropped_training"
    pdl.apply_native_constraint "collect"(%name, %q, %k, %v, %mask, %fill, %tangent_0, %q_7, %k_8, %v_9, %op0, %op1, %op2, %op3, %op4, %op5, %op6, %op7, %op8, %op9, %op10, %op11 : !pdl.attribute, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation)
    pdl.rewrite %op11 with "replace"
  }
  func.func @replace(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}, %arg3: !t3 {aten.name = "mask"}, %arg4: !t4 {aten.name = "fill"}, %arg5: !t0 {aten.name = "tangent_0"}) -> (!t0, !t9, !t10, !t11) {
    %0 = "aten.zeros"() {device = #aten.enum<"device", "cpu">, dtype = #aten.enum<"dtype", "float32">, layout = #aten.none, pin_memory = false, size = []} : () -> !t4
    %1 = "aten.where_self"(%arg3, %arg4, %0) : (!t3, !t4, !t4) -> !t7
    %2 = "aten.permute"(%arg1) {dims = [0, 1, 3, 2]} : (!t1) -> !t2
    %3:2 = "aten.u_scaled_dot_product_flash_attention_for_cpu"(%arg0, %2, %arg2, %1) {dropout_p = 0.000000e+00 : f64, is_causal = false, scale = 1.000000e+00 : f64} : (!t0, !t2, !t2, !t7) -> (!t0, !t12)
    %4:3 = "aten.u_scaled_dot_product_flash_attention_for_cpu_backward"(%arg5, %arg0, %2, %arg2, %3#0, %3#1, %1) {dropout_p = 0.000000e+00 : f64, is_causal = false, scale = 1.000000e+00 : f64} : (!t0, !t0, !t2, !t2, !t0, !t12, !t7) -> (!t9, !t11, !t11)
    %5 = "aten.permute"(%4#1) {dims = [0, 1, 3, 2]} : (!t11) -> !t10
    return %3#0, %4#0, %5, %4#2 : !t0, !t9, !t10, !t11
  }
}
// -----
!t0 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d2">, #aten.expr<"d1*d2">, #aten.expr<"d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d2">]>>
!t1 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, 1, #aten.expr<"d2">], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d2">, #aten.expr<"d4">]>>
!t2 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, #aten.expr<"d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d2">]>>
!t3 = tensor<?x?x?x?xi1, #aten.layout<"cpu", [#aten.expr<"d0*d1*d4">, #aten.expr<"d1*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d4">]>>
!t4 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d2">, #aten.expr<"d1*d2">, 1, #aten.expr<"d2">], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d2">, #aten.expr<"d1">]>>
!t5 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d2">, #aten.expr<"d4">]>>
!t6 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d4">, #aten.expr<"d1*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d4">]>>
!t7 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d4">, #aten.expr<"d1*d4">, 1, #aten.expr<"d4">], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d1">]>>
!t8 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d2">, #aten.expr<"d2">, #aten.expr<"d0*d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d2">]>>
!t9 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2">, 1, #aten.expr<"d0*d2">], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d2">, #aten.expr<"d4">]>>
!t10 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2">, #aten.expr<"d0*d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d2">]>>
!t11 = tensor<f32, #aten.layout<"cpu", [], 0 : i64, unit>>
!t12 = tensor<?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1">, 1, #aten.expr<"d0">], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">]>>
module @attention_plain_filled_training attributes {pattern.scalars = ["fill"]} {
  func.func @search(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}, %arg3: !t3 {aten.name = "mask", pattern.any_size}, %arg4: !t0 {aten.name = "tangent_0"}, %arg5: !t4 {aten.name = "q_6", pattern.permuted = [0, 0, 1, 3, 2]}, %arg6: !t2 {aten.name = "k_7", pattern.permuted = [1, 0, 1, 3, 2]}, %arg7: !t1 {aten.name = "v_8", pattern.permuted = [2, 0, 1, 3, 2]}) -> (!t0, !t0, !t5, !t2) {
    %0 = "aten.matmul"(%arg0, %arg1) : (!t0, !t1) -> !t6
    %1 = "aten.masked_fill_scalar"(%0, %arg3) {value = #aten.expr<"fill">} : (!t6, !t3) -> !t6
    %2 = "aten.u_softmax"(%1) {dim = 3 : i64, half_to_float = false} : (!t6) -> !t6
    %3 = "aten.matmul"(%2, %arg2) : (!t6, !t2) -> !t0
    %4 = "aten.permute"(%2) {dims = [0, 1, 3, 2]} : (!t6) -> !t7
    %5 = "aten.matmul"(%4, %arg4) : (!t7, !t0) -> !t2
    %6 = "aten.matmul"(%arg4, %arg7) : (!t0, !t1) -> !t6
    %7 = "aten.u_softmax_backward_data"(%6, %2) {dim = 3 : i64, input_dtype = #aten.enum<"dtype", "float32">} : (!t6, !t6) -> !t6
    %8 = "aten.masked_fill_scalar"(%7, %arg3) {value = 0 : i64} : (!t6, !t3) -> !t6
    %9 = "aten.matmul"(%arg5, %8) : (!t4, !t6) -> !t5
    %10 = "aten.matmul"(%8, %arg6) : (!t6, !t2) -> !t0
    return %3, %10, %9, %5 : !t0, !t0, !t5, !t2
  }
  pdl.pattern @attention_plain_filled_training : benefit(11) {
    %q = pdl.operand
    %k = pdl.operand
    %v = pdl.operand
    %mask = pdl.operand
    %tangent_0 = pdl.operand
    %q_6 = pdl.operand
    %k_7 = pdl.operand
    %v_8 = pdl.operand
    %literal0 = pdl.attribute = 3 : i64
    %literal1 = pdl.attribute = false
    %literal2 = pdl.attribute = [0, 1, 3, 2]
    %literal3 = pdl.attribute = #aten.enum<"dtype", "float32">
    %literal4 = pdl.attribute = 0 : i64
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
    %type4_0 = pdl.type
    %op4 = pdl.operation "aten.permute"(%op2.r0 : !pdl.value) {"dims" = %literal2} -> (%type4_0 : !pdl.type)
    %op4.r0 = pdl.result 0 of %op4
    %type5_0 = pdl.type
    %op5 = pdl.operation "aten.matmul"(%op4.r0, %tangent_0 : !pdl.value, !pdl.value) -> (%type5_0 : !pdl.type)
    %type6_0 = pdl.type
    %op6 = pdl.operation "aten.matmul"(%tangent_0, %v_8 : !pdl.value, !pdl.value) -> (%type6_0 : !pdl.type)
    %op6.r0 = pdl.result 0 of %op6
    %type7_0 = pdl.type
    %op7 = pdl.operation "aten.u_softmax_backward_data"(%op6.r0, %op2.r0 : !pdl.value, !pdl.value) {"dim" = %literal0, "input_dtype" = %literal3} -> (%type7_0 : !pdl.type)
    %op7.r0 = pdl.result 0 of %op7
    %type8_0 = pdl.type
    %op8 = pdl.operation "aten.masked_fill_scalar"(%op7.r0, %mask : !pdl.value, !pdl.value) {"value" = %literal4} -> (%type8_0 : !pdl.type)
    %op8.r0 = pdl.result 0 of %op8
    %type9_0 = pdl.type
    %op9 = pdl.operation "aten.matmul"(%q_6, %op8.r0 : !pdl.value, !pdl.value) -> (%type9_0 : !pdl.type)
    %type10_0 = pdl.type
    %op10 = pdl.operation "aten.matmul"(%op8.r0, %k_7 : !pdl.value, !pdl.value) -> (%type10_0 : !pdl.type)
    %name = pdl.attribute = "attention_plain_filled_training"
    pdl.apply_native_constraint "collect"(%name, %q, %k, %v, %mask, %tangent_0, %q_6, %k_7, %v_8, %op0, %op1, %op2, %op3, %op4, %op5, %op6, %op7, %op8, %op9, %op10 : !pdl.attribute, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation)
    pdl.rewrite %op10 with "replace"
  }
  func.func @replace(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}, %arg3: !t3 {aten.name = "mask"}, %arg4: !t0 {aten.name = "tangent_0"}) -> (!t0, !t8, !t9, !t10) {
    %0 = "aten.scalar_tensor"() {device = #aten.enum<"device", "cpu">, dtype = #aten.enum<"dtype", "float32">, layout = #aten.enum<"layout", "strided">, pin_memory = #aten.none, s = 0.000000e+00 : f64} : () -> !t11
    %1 = "aten.scalar_tensor"() {device = #aten.enum<"device", "cpu">, dtype = #aten.enum<"dtype", "float32">, layout = #aten.enum<"layout", "strided">, pin_memory = #aten.none, s = #aten.expr<"fill">} : () -> !t11
    %2 = "aten.where_self"(%arg3, %1, %0) : (!t3, !t11, !t11) -> !t6
    %3 = "aten.permute"(%arg1) {dims = [0, 1, 3, 2]} : (!t1) -> !t2
    %4:2 = "aten.u_scaled_dot_product_flash_attention_for_cpu"(%arg0, %3, %arg2, %2) {dropout_p = 0.000000e+00 : f64, is_causal = false, scale = 1.000000e+00 : f64} : (!t0, !t2, !t2, !t6) -> (!t0, !t12)
    %5:3 = "aten.u_scaled_dot_product_flash_attention_for_cpu_backward"(%arg4, %arg0, %3, %arg2, %4#0, %4#1, %2) {dropout_p = 0.000000e+00 : f64, is_causal = false, scale = 1.000000e+00 : f64} : (!t0, !t0, !t2, !t2, !t0, !t12, !t6) -> (!t8, !t10, !t10)
    %6 = "aten.permute"(%5#1) {dims = [0, 1, 3, 2]} : (!t10) -> !t9
    return %4#0, %5#0, %6, %5#2 : !t0, !t8, !t9, !t10
  }
}
// -----
!t0 = tensor<?x?x?x?xbf16, #aten.layout<"cpu", [#aten.expr<"d0*d1*d2">, #aten.expr<"d1*d2">, #aten.expr<"d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d2">]>>
!t1 = tensor<?x?x?x?xbf16, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, 1, #aten.expr<"d2">], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d2">, #aten.expr<"d4">]>>
!t2 = tensor<?x?x?x?xbf16, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, #aten.expr<"d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d2">]>>
!t3 = tensor<?x?x?x?xbf16, #aten.layout<"cpu", [#aten.expr<"d0*d1*d2">, #aten.expr<"d1*d2">, 1, #aten.expr<"d2">], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d2">, #aten.expr<"d1">]>>
!t4 = tensor<?x?x?x?xbf16, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d2">, #aten.expr<"d4">]>>
!t5 = tensor<?x?x?x?xbf16, #aten.layout<"cpu", [#aten.expr<"d0*d1*d4">, #aten.expr<"d1*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d4">]>>
!t6 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d4">, #aten.expr<"d1*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d4">]>>
!t7 = tensor<?x?x?x?xbf16, #aten.layout<"cpu", [#aten.expr<"d0*d1*d4">, #aten.expr<"d1*d4">, 1, #aten.expr<"d4">], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d1">]>>
!t8 = tensor<?x?x?x?xbf16, #aten.layout<"cpu", [#aten.expr<"d0*d1*d2">, #aten.expr<"d2">, #aten.expr<"d0*d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d2">]>>
!t9 = tensor<?x?x?x?xbf16, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2">, 1, #aten.expr<"d0*d2">], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d2">, #aten.expr<"d4">]>>
!t10 = tensor<?x?x?x?xbf16, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2">, #aten.expr<"d0*d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d2">]>>
!t11 = tensor<?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1">, 1, #aten.expr<"d0">], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">]>>
module @attention_plain_unmasked_training_bfloat16 {
  func.func @search(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}, %arg3: !t0 {aten.name = "tangent_0"}, %arg4: !t3 {aten.name = "q_5", pattern.permuted = [0, 0, 1, 3, 2]}, %arg5: !t2 {aten.name = "k_6", pattern.permuted = [1, 0, 1, 3, 2]}, %arg6: !t1 {aten.name = "v_7", pattern.permuted = [2, 0, 1, 3, 2]}) -> (!t0, !t0, !t4, !t2) {
    %0 = "aten.matmul"(%arg0, %arg1) : (!t0, !t1) -> !t5
    %1 = "aten.u_to_copy"(%0) {device = #aten.none, dtype = #aten.enum<"dtype", "float32">, layout = #aten.none, memory_format = #aten.none, non_blocking = false, pin_memory = #aten.none} : (!t5) -> !t6
    %2 = "aten.u_softmax"(%1) {dim = 3 : i64, half_to_float = false} : (!t6) -> !t6
    %3 = "aten.u_to_copy"(%2) {device = #aten.none, dtype = #aten.enum<"dtype", "bfloat16">, layout = #aten.none, memory_format = #aten.none, non_blocking = false, pin_memory = #aten.none} : (!t6) -> !t5
    %4 = "aten.matmul"(%3, %arg2) : (!t5, !t2) -> !t0
    %5 = "aten.permute"(%3) {dims = [0, 1, 3, 2]} : (!t5) -> !t7
    %6 = "aten.matmul"(%5, %arg3) : (!t7, !t0) -> !t2
    %7 = "aten.matmul"(%arg3, %arg6) : (!t0, !t1) -> !t5
    %8 = "aten.u_to_copy"(%7) {device = #aten.none, dtype = #aten.enum<"dtype", "float32">, layout = #aten.none, memory_format = #aten.none, non_blocking = false, pin_memory = #aten.none} : (!t5) -> !t6
    %9 = "aten.u_softmax_backward_data"(%8, %2) {dim = 3 : i64, input_dtype = #aten.enum<"dtype", "float32">} : (!t6, !t6) -> !t6
    %10 = "aten.u_to_copy"(%9) {device = #aten.none, dtype = #aten.enum<"dtype", "bfloat16">, layout = #aten.none, memory_format = #aten.none, non_blocking = false, pin_memory = #aten.none} : (!t6) -> !t5
    %11 = "aten.matmul"(%arg4, %10) : (!t3, !t5) -> !t4
    %12 = "aten.matmul"(%10, %arg5) : (!t5, !t2) -> !t0
    return %4, %12, %11, %6 : !t0, !t0, !t4, !t2
  }
  pdl.pattern @attention_plain_unmasked_training_bfloat16 : benefit(13) {
    %q = pdl.operand
    %k = pdl.operand
    %v = pdl.operand
    %tangent_0 = pdl.operand
    %q_5 = pdl.operand
    %k_6 = pdl.operand
    %v_7 = pdl.operand
    %literal0 = pdl.attribute = #aten.none
    %literal1 = pdl.attribute = #aten.enum<"dtype", "float32">
    %literal2 = pdl.attribute = false
    %literal3 = pdl.attribute = 3 : i64
    %literal4 = pdl.attribute = #aten.enum<"dtype", "bfloat16">
    %literal5 = pdl.attribute = [0, 1, 3, 2]
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
    %type5_0 = pdl.type
    %op5 = pdl.operation "aten.permute"(%op3.r0 : !pdl.value) {"dims" = %literal5} -> (%type5_0 : !pdl.type)
    %op5.r0 = pdl.result 0 of %op5
    %type6_0 = pdl.type
    %op6 = pdl.operation "aten.matmul"(%op5.r0, %tangent_0 : !pdl.value, !pdl.value) -> (%type6_0 : !pdl.type)
    %type7_0 = pdl.type
    %op7 = pdl.operation "aten.matmul"(%tangent_0, %v_7 : !pdl.value, !pdl.value) -> (%type7_0 : !pdl.type)
    %op7.r0 = pdl.result 0 of %op7
    %type8_0 = pdl.type
    %op8 = pdl.operation "aten.u_to_copy"(%op7.r0 : !pdl.value) {"device" = %literal0, "dtype" = %literal1, "layout" = %literal0, "memory_format" = %literal0, "non_blocking" = %literal2, "pin_memory" = %literal0} -> (%type8_0 : !pdl.type)
    %op8.r0 = pdl.result 0 of %op8
    %type9_0 = pdl.type
    %op9 = pdl.operation "aten.u_softmax_backward_data"(%op8.r0, %op2.r0 : !pdl.value, !pdl.value) {"dim" = %literal3, "input_dtype" = %literal1} -> (%type9_0 : !pdl.type)
    %op9.r0 = pdl.result 0 of %op9
    %type10_0 = pdl.type
    %op10 = pdl.operation "aten.u_to_copy"(%op9.r0 : !pdl.value) {"device" = %literal0, "dtype" = %literal4, "layout" = %literal0, "memory_format" = %literal0, "non_blocking" = %literal2, "pin_memory" = %literal0} -> (%type10_0 : !pdl.type)
    %op10.r0 = pdl.result 0 of %op10
    %type11_0 = pdl.type
    %op11 = pdl.operation "aten.matmul"(%q_5, %op10.r0 : !pdl.value, !pdl.value) -> (%type11_0 : !pdl.type)
    %type12_0 = pdl.type
    %op12 = pdl.operation "aten.matmul"(%op10.r0, %k_6 : !pdl.value, !pdl.value) -> (%type12_0 : !pdl.type)
    %name = pdl.attribute = "attention_plain_unmasked_training_bfloat16"
    pdl.apply_native_constraint "collect"(%name, %q, %k, %v, %tangent_0, %q_5, %k_6, %v_7, %op0, %op1, %op2, %op3, %op4, %op5, %op6, %op7, %op8, %op9, %op10, %op11, %op12 : !pdl.attribute, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation)
    pdl.rewrite %op12 with "replace"
  }
  func.func @replace(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}, %arg3: !t0 {aten.name = "tangent_0"}) -> (!t0, !t8, !t9, !t10) {
    %0 = "aten.permute"(%arg1) {dims = [0, 1, 3, 2]} : (!t1) -> !t2
    %1:2 = "aten.u_scaled_dot_product_flash_attention_for_cpu"(%arg0, %0, %arg2) {dropout_p = 0.000000e+00 : f64, is_causal = false, scale = 1.000000e+00 : f64} : (!t0, !t2, !t2) -> (!t0, !t11)
    %2:3 = "aten.u_scaled_dot_product_flash_attention_for_cpu_backward"(%arg3, %arg0, %0, %arg2, %1#0, %1#1) {dropout_p = 0.000000e+00 : f64, is_causal = false, scale = 1.000000e+00 : f64} : (!t0, !t0, !t2, !t2, !t0, !t11) -> (!t8, !t10, !t10)
    %3 = "aten.permute"(%2#1) {dims = [0, 1, 3, 2]} : (!t10) -> !t9
    return %1#0, %2#0, %3, %2#2 : !t0, !t8, !t9, !t10
  }
}
// -----
!t0 = tensor<?x?x?x?xbf16, #aten.layout<"cpu", [#aten.expr<"d0*d1*d2">, #aten.expr<"d1*d2">, #aten.expr<"d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d2">]>>
!t1 = tensor<?x?x?x?xbf16, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, 1, #aten.expr<"d2">], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d2">, #aten.expr<"d4">]>>
!t2 = tensor<?x?x?x?xbf16, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, #aten.expr<"d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d2">]>>
!t3 = tensor<?x?x?x?xbf16, #aten.layout<"cpu", [#aten.expr<"d0*d1*d4">, #aten.expr<"d1*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d4">]>>
!t4 = tensor<?x?x?x?xbf16, #aten.layout<"cpu", [#aten.expr<"d0*d1*d2">, #aten.expr<"d1*d2">, 1, #aten.expr<"d2">], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d2">, #aten.expr<"d1">]>>
!t5 = tensor<?x?x?x?xbf16, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d2">, #aten.expr<"d4">]>>
!t6 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d4">, #aten.expr<"d1*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d4">]>>
!t7 = tensor<?x?x?x?xbf16, #aten.layout<"cpu", [#aten.expr<"d0*d1*d4">, #aten.expr<"d1*d4">, 1, #aten.expr<"d4">], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d1">]>>
!t8 = tensor<?x?x?x?xbf16, #aten.layout<"cpu", [#aten.expr<"d0*d1*d2">, #aten.expr<"d2">, #aten.expr<"d0*d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d2">]>>
!t9 = tensor<?x?x?x?xbf16, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2">, 1, #aten.expr<"d0*d2">], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d2">, #aten.expr<"d4">]>>
!t10 = tensor<?x?x?x?xbf16, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2">, #aten.expr<"d0*d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d2">]>>
!t11 = tensor<?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1">, 1, #aten.expr<"d0">], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">]>>
module @attention_plain_added_training_bfloat16 {
  func.func @search(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}, %arg3: !t3 {aten.name = "mask", pattern.any_size}, %arg4: !t0 {aten.name = "tangent_0"}, %arg5: !t4 {aten.name = "q_6", pattern.permuted = [0, 0, 1, 3, 2]}, %arg6: !t2 {aten.name = "k_7", pattern.permuted = [1, 0, 1, 3, 2]}, %arg7: !t1 {aten.name = "v_8", pattern.permuted = [2, 0, 1, 3, 2]}) -> (!t0, !t0, !t5, !t2) {
    %0 = "aten.matmul"(%arg0, %arg1) : (!t0, !t1) -> !t3
    %1 = "aten.add_tensor"(%0, %arg3) {alpha = 1 : i64} : (!t3, !t3) -> !t3
    %2 = "aten.u_to_copy"(%1) {device = #aten.none, dtype = #aten.enum<"dtype", "float32">, layout = #aten.none, memory_format = #aten.none, non_blocking = false, pin_memory = #aten.none} : (!t3) -> !t6
    %3 = "aten.u_softmax"(%2) {dim = 3 : i64, half_to_float = false} : (!t6) -> !t6
    %4 = "aten.u_to_copy"(%3) {device = #aten.none, dtype = #aten.enum<"dtype", "bfloat16">, layout = #aten.none, memory_format = #aten.none, non_blocking = false, pin_memory = #aten.none} : (!t6) -> !t3
    %5 = "aten.matmul"(%4, %arg2) : (!t3, !t2) -> !t0
    %6 = "aten.permute"(%4) {dims = [0, 1, 3, 2]} : (!t3) -> !t7
    %7 = "aten.matmul"(%6, %arg4) : (!t7, !t0) -> !t2
    %8 = "aten.matmul"(%arg4, %arg7) : (!t0, !t1) -> !t3
    %9 = "aten.u_to_copy"(%8) {device = #aten.none, dtype = #aten.enum<"dtype", "float32">, layout = #aten.none, memory_format = #aten.none, non_blocking = false, pin_memory = #aten.none} : (!t3) -> !t6
    %10 = "aten.u_softmax_backward_data"(%9, %3) {dim = 3 : i64, input_dtype = #aten.enum<"dtype", "float32">} : (!t6, !t6) -> !t6
    %11 = "aten.u_to_copy"(%10) {device = #aten.none, dtype = #aten.enum<"dtype", "bfloat16">, layout = #aten.none, memory_format = #aten.none, non_blocking = false, pin_memory = #aten.none} : (!t6) -> !t3
    %12 = "aten.matmul"(%arg5, %11) : (!t4, !t3) -> !t5
    %13 = "aten.matmul"(%11, %arg6) : (!t3, !t2) -> !t0
    return %5, %13, %12, %7 : !t0, !t0, !t5, !t2
  }
  pdl.pattern @attention_plain_added_training_bfloat16 : benefit(14) {
    %q = pdl.operand
    %k = pdl.operand
    %v = pdl.operand
    %mask = pdl.operand
    %tangent_0 = pdl.operand
    %q_6 = pdl.operand
    %k_7 = pdl.operand
    %v_8 = pdl.operand
    %literal0 = pdl.attribute = 1 : i64
    %literal1 = pdl.attribute = #aten.none
    %literal2 = pdl.attribute = #aten.enum<"dtype", "float32">
    %literal3 = pdl.attribute = false
    %literal4 = pdl.attribute = 3 : i64
    %literal5 = pdl.attribute = #aten.enum<"dtype", "bfloat16">
    %literal6 = pdl.attribute = [0, 1, 3, 2]
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
    %type6_0 = pdl.type
    %op6 = pdl.operation "aten.permute"(%op4.r0 : !pdl.value) {"dims" = %literal6} -> (%type6_0 : !pdl.type)
    %op6.r0 = pdl.result 0 of %op6
    %type7_0 = pdl.type
    %op7 = pdl.operation "aten.matmul"(%op6.r0, %tangent_0 : !pdl.value, !pdl.value) -> (%type7_0 : !pdl.type)
    %type8_0 = pdl.type
    %op8 = pdl.operation "aten.matmul"(%tangent_0, %v_8 : !pdl.value, !pdl.value) -> (%type8_0 : !pdl.type)
    %op8.r0 = pdl.result 0 of %op8
    %type9_0 = pdl.type
    %op9 = pdl.operation "aten.u_to_copy"(%op8.r0 : !pdl.value) {"device" = %literal1, "dtype" = %literal2, "layout" = %literal1, "memory_format" = %literal1, "non_blocking" = %literal3, "pin_memory" = %literal1} -> (%type9_0 : !pdl.type)
    %op9.r0 = pdl.result 0 of %op9
    %type10_0 = pdl.type
    %op10 = pdl.operation "aten.u_softmax_backward_data"(%op9.r0, %op3.r0 : !pdl.value, !pdl.value) {"dim" = %literal4, "input_dtype" = %literal2} -> (%type10_0 : !pdl.type)
    %op10.r0 = pdl.result 0 of %op10
    %type11_0 = pdl.type
    %op11 = pdl.operation "aten.u_to_copy"(%op10.r0 : !pdl.value) {"device" = %literal1, "dtype" = %literal5, "layout" = %literal1, "memory_format" = %literal1, "non_blocking" = %literal3, "pin_memory" = %literal1} -> (%type11_0 : !pdl.type)
    %op11.r0 = pdl.result 0 of %op11
    %type12_0 = pdl.type
    %op12 = pdl.operation "aten.matmul"(%q_6, %op11.r0 : !pdl.value, !pdl.value) -> (%type12_0 : !pdl.type)
    %type13_0 = pdl.type
    %op13 = pdl.operation "aten.matmul"(%op11.r0, %k_7 : !pdl.value, !pdl.value) -> (%type13_0 : !pdl.type)
    %name = pdl.attribute = "attention_plain_added_training_bfloat16"
    pdl.apply_native_constraint "collect"(%name, %q, %k, %v, %mask, %tangent_0, %q_6, %k_7, %v_8, %op0, %op1, %op2, %op3, %op4, %op5, %op6, %op7, %op8, %op9, %op10, %op11, %op12, %op13 : !pdl.attribute, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation)
    pdl.rewrite %op13 with "replace"
  }
  pdl.pattern @attention_plain_added_training_bfloat16_1 : benefit(14) {
    %q = pdl.operand
    %k = pdl.operand
    %v = pdl.operand
    %mask = pdl.operand
    %tangent_0 = pdl.operand
    %q_6 = pdl.operand
    %k_7 = pdl.operand
    %v_8 = pdl.operand
    %literal0 = pdl.attribute = 1 : i64
    %literal1 = pdl.attribute = #aten.none
    %literal2 = pdl.attribute = #aten.enum<"dtype", "float32">
    %literal3 = pdl.attribute = false
    %literal4 = pdl.attribute = 3 : i64
    %literal5 = pdl.attribute = #aten.enum<"dtype", "bfloat16">
    %literal6 = pdl.attribute = [0, 1, 3, 2]
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
    %type6_0 = pdl.type
    %op6 = pdl.operation "aten.permute"(%op4.r0 : !pdl.value) {"dims" = %literal6} -> (%type6_0 : !pdl.type)
    %op6.r0 = pdl.result 0 of %op6
    %type7_0 = pdl.type
    %op7 = pdl.operation "aten.matmul"(%op6.r0, %tangent_0 : !pdl.value, !pdl.value) -> (%type7_0 : !pdl.type)
    %type8_0 = pdl.type
    %op8 = pdl.operation "aten.matmul"(%tangent_0, %v_8 : !pdl.value, !pdl.value) -> (%type8_0 : !pdl.type)
    %op8.r0 = pdl.result 0 of %op8
    %type9_0 = pdl.type
    %op9 = pdl.operation "aten.u_to_copy"(%op8.r0 : !pdl.value) {"device" = %literal1, "dtype" = %literal2, "layout" = %literal1, "memory_format" = %literal1, "non_blocking" = %literal3, "pin_memory" = %literal1} -> (%type9_0 : !pdl.type)
    %op9.r0 = pdl.result 0 of %op9
    %type10_0 = pdl.type
    %op10 = pdl.operation "aten.u_softmax_backward_data"(%op9.r0, %op3.r0 : !pdl.value, !pdl.value) {"dim" = %literal4, "input_dtype" = %literal2} -> (%type10_0 : !pdl.type)
    %op10.r0 = pdl.result 0 of %op10
    %type11_0 = pdl.type
    %op11 = pdl.operation "aten.u_to_copy"(%op10.r0 : !pdl.value) {"device" = %literal1, "dtype" = %literal5, "layout" = %literal1, "memory_format" = %literal1, "non_blocking" = %literal3, "pin_memory" = %literal1} -> (%type11_0 : !pdl.type)
    %op11.r0 = pdl.result 0 of %op11
    %type12_0 = pdl.type
    %op12 = pdl.operation "aten.matmul"(%q_6, %op11.r0 : !pdl.value, !pdl.value) -> (%type12_0 : !pdl.type)
    %type13_0 = pdl.type
    %op13 = pdl.operation "aten.matmul"(%op11.r0, %k_7 : !pdl.value, !pdl.value) -> (%type13_0 : !pdl.type)
    %name = pdl.attribute = "attention_plain_added_training_bfloat16"
    pdl.apply_native_constraint "collect"(%name, %q, %k, %v, %mask, %tangent_0, %q_6, %k_7, %v_8, %op0, %op1, %op2, %op3, %op4, %op5, %op6, %op7, %op8, %op9, %op10, %op11, %op12, %op13 : !pdl.attribute, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation)
    pdl.rewrite %op13 with "replace"
  }
  func.func @replace(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}, %arg3: !t3 {aten.name = "mask"}, %arg4: !t0 {aten.name = "tangent_0"}) -> (!t0, !t8, !t9, !t10) {
    %0 = "aten.permute"(%arg1) {dims = [0, 1, 3, 2]} : (!t1) -> !t2
    %1:2 = "aten.u_scaled_dot_product_flash_attention_for_cpu"(%arg0, %0, %arg2, %arg3) {dropout_p = 0.000000e+00 : f64, is_causal = false, scale = 1.000000e+00 : f64} : (!t0, !t2, !t2, !t3) -> (!t0, !t11)
    %2:3 = "aten.u_scaled_dot_product_flash_attention_for_cpu_backward"(%arg4, %arg0, %0, %arg2, %1#0, %1#1, %arg3) {dropout_p = 0.000000e+00 : f64, is_causal = false, scale = 1.000000e+00 : f64} : (!t0, !t0, !t2, !t2, !t0, !t11, !t3) -> (!t8, !t10, !t10)
    %3 = "aten.permute"(%2#1) {dims = [0, 1, 3, 2]} : (!t10) -> !t9
    return %1#0, %2#0, %3, %2#2 : !t0, !t8, !t9, !t10
  }
}
// -----
!t0 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d2">, #aten.expr<"d1*d2">, #aten.expr<"d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d2">]>>
!t1 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, 1, #aten.expr<"d2">], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d2">, #aten.expr<"d4">]>>
!t2 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, #aten.expr<"d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d2">]>>
!t3 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d2">, #aten.expr<"d1*d2">, 1, #aten.expr<"d2">], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d2">, #aten.expr<"d1">]>>
!t4 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d2">, #aten.expr<"d4">]>>
!t5 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d4">, #aten.expr<"d1*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d4">]>>
!t6 = tensor<f64, #aten.layout<"cpu", [], 0 : i64, unit>>
!t7 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d4">, #aten.expr<"d1*d4">, 1, #aten.expr<"d4">], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d1">]>>
!t8 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d2">, #aten.expr<"d2">, #aten.expr<"d0*d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d2">]>>
!t9 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2">, 1, #aten.expr<"d0*d2">], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d2">, #aten.expr<"d4">]>>
!t10 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2">, #aten.expr<"d0*d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d2">]>>
!t11 = tensor<?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1">, 1, #aten.expr<"d0">], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">]>>
module @attention_multiplied_unmasked_training attributes {pattern.scalars = ["scale"]} {
  func.func @search(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}, %arg3: !t0 {aten.name = "tangent_0"}, %arg4: !t3 {aten.name = "q_5", pattern.permuted = [0, 0, 1, 3, 2]}, %arg5: !t2 {aten.name = "k_6", pattern.permuted = [1, 0, 1, 3, 2]}, %arg6: !t1 {aten.name = "v_7", pattern.permuted = [2, 0, 1, 3, 2]}) -> (!t0, !t0, !t4, !t2) {
    %0 = "aten.matmul"(%arg0, %arg1) : (!t0, !t1) -> !t5
    %1 = "aten.number"() {value = #aten.expr<"scale">} : () -> !t6
    %2 = "aten.mul_tensor"(%0, %1) : (!t5, !t6) -> !t5
    %3 = "aten.u_softmax"(%2) {dim = 3 : i64, half_to_float = false} : (!t5) -> !t5
    %4 = "aten.matmul"(%3, %arg2) : (!t5, !t2) -> !t0
    %5 = "aten.permute"(%3) {dims = [0, 1, 3, 2]} : (!t5) -> !t7
    %6 = "aten.matmul"(%5, %arg3) : (!t7, !t0) -> !t2
    %7 = "aten.matmul"(%arg3, %arg6) : (!t0, !t1) -> !t5
    %8 = "aten.u_softmax_backward_data"(%7, %3) {dim = 3 : i64, input_dtype = #aten.enum<"dtype", "float32">} : (!t5, !t5) -> !t5
    %9 = "aten.mul_tensor"(%8, %1) : (!t5, !t6) -> !t5
    %10 = "aten.matmul"(%arg4, %9) : (!t3, !t5) -> !t4
    %11 = "aten.matmul"(%9, %arg5) : (!t5, !t2) -> !t0
    return %4, %11, %10, %6 : !t0, !t0, !t4, !t2
  }
  pdl.pattern @attention_multiplied_unmasked_training : benefit(12) {
    %q = pdl.operand
    %k = pdl.operand
    %v = pdl.operand
    %tangent_0 = pdl.operand
    %q_5 = pdl.operand
    %k_6 = pdl.operand
    %v_7 = pdl.operand
    %literal0 = pdl.attribute = 3 : i64
    %literal1 = pdl.attribute = false
    %literal2 = pdl.attribute = [0, 1, 3, 2]
    %literal3 = pdl.attribute = #aten.enum<"dtype", "float32">
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
    %type5_0 = pdl.type
    %op5 = pdl.operation "aten.permute"(%op3.r0 : !pdl.value) {"dims" = %literal2} -> (%type5_0 : !pdl.type)
    %op5.r0 = pdl.result 0 of %op5
    %type6_0 = pdl.type
    %op6 = pdl.operation "aten.matmul"(%op5.r0, %tangent_0 : !pdl.value, !pdl.value) -> (%type6_0 : !pdl.type)
    %type7_0 = pdl.type
    %op7 = pdl.operation "aten.matmul"(%tangent_0, %v_7 : !pdl.value, !pdl.value) -> (%type7_0 : !pdl.type)
    %op7.r0 = pdl.result 0 of %op7
    %type8_0 = pdl.type
    %op8 = pdl.operation "aten.u_softmax_backward_data"(%op7.r0, %op3.r0 : !pdl.value, !pdl.value) {"dim" = %literal0, "input_dtype" = %literal3} -> (%type8_0 : !pdl.type)
    %op8.r0 = pdl.result 0 of %op8
    %type9_0 = pdl.type
    %op9 = pdl.operation "aten.mul_tensor"(%op8.r0, %op1.r0 : !pdl.value, !pdl.value) -> (%type9_0 : !pdl.type)
    %op9.r0 = pdl.result 0 of %op9
    %type10_0 = pdl.type
    %op10 = pdl.operation "aten.matmul"(%q_5, %op9.r0 : !pdl.value, !pdl.value) -> (%type10_0 : !pdl.type)
    %type11_0 = pdl.type
    %op11 = pdl.operation "aten.matmul"(%op9.r0, %k_6 : !pdl.value, !pdl.value) -> (%type11_0 : !pdl.type)
    %name = pdl.attribute = "attention_multiplied_unmasked_training"
    pdl.apply_native_constraint "collect"(%name, %q, %k, %v, %tangent_0, %q_5, %k_6, %v_7, %op0, %op1, %op2, %op3, %op4, %op5, %op6, %op7, %op8, %op9, %op10, %op11 : !pdl.attribute, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation)
    pdl.rewrite %op11 with "replace"
  }
  func.func @replace(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}, %arg3: !t0 {aten.name = "tangent_0"}) -> (!t0, !t8, !t9, !t10) {
    %0 = "aten.permute"(%arg1) {dims = [0, 1, 3, 2]} : (!t1) -> !t2
    %1:2 = "aten.u_scaled_dot_product_flash_attention_for_cpu"(%arg0, %0, %arg2) {dropout_p = 0.000000e+00 : f64, is_causal = false, scale = #aten.expr<"scale">} : (!t0, !t2, !t2) -> (!t0, !t11)
    %2:3 = "aten.u_scaled_dot_product_flash_attention_for_cpu_backward"(%arg3, %arg0, %0, %arg2, %1#0, %1#1) {dropout_p = 0.000000e+00 : f64, is_causal = false, scale = #aten.expr<"scale">} : (!t0, !t0, !t2, !t2, !t0, !t11) -> (!t8, !t10, !t10)
    %3 = "aten.permute"(%2#1) {dims = [0, 1, 3, 2]} : (!t10) -> !t9
    return %1#0, %2#0, %3, %2#2 : !t0, !t8, !t9, !t10
  }
}
// -----
!t0 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d2">, #aten.expr<"d1*d2">, #aten.expr<"d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d2">]>>
!t1 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, 1, #aten.expr<"d2">], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d2">, #aten.expr<"d4">]>>
!t2 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, #aten.expr<"d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d2">]>>
!t3 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d4">, #aten.expr<"d1*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d4">]>>
!t4 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d2">, #aten.expr<"d1*d2">, 1, #aten.expr<"d2">], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d2">, #aten.expr<"d1">]>>
!t5 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d2">, #aten.expr<"d4">]>>
!t6 = tensor<f64, #aten.layout<"cpu", [], 0 : i64, unit>>
!t7 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d4">, #aten.expr<"d1*d4">, 1, #aten.expr<"d4">], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d1">]>>
!t8 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d2">, #aten.expr<"d2">, #aten.expr<"d0*d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d2">]>>
!t9 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2">, 1, #aten.expr<"d0*d2">], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d2">, #aten.expr<"d4">]>>
!t10 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2">, #aten.expr<"d0*d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d2">]>>
!t11 = tensor<?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1">, 1, #aten.expr<"d0">], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">]>>
module @attention_multiplied_added_training attributes {pattern.scalars = ["scale"]} {
  func.func @search(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}, %arg3: !t3 {aten.name = "mask", pattern.any_size}, %arg4: !t0 {aten.name = "tangent_0"}, %arg5: !t4 {aten.name = "q_6", pattern.permuted = [0, 0, 1, 3, 2]}, %arg6: !t2 {aten.name = "k_7", pattern.permuted = [1, 0, 1, 3, 2]}, %arg7: !t1 {aten.name = "v_8", pattern.permuted = [2, 0, 1, 3, 2]}) -> (!t0, !t0, !t5, !t2) {
    %0 = "aten.matmul"(%arg0, %arg1) : (!t0, !t1) -> !t3
    %1 = "aten.number"() {value = #aten.expr<"scale">} : () -> !t6
    %2 = "aten.mul_tensor"(%0, %1) : (!t3, !t6) -> !t3
    %3 = "aten.add_tensor"(%2, %arg3) {alpha = 1 : i64} : (!t3, !t3) -> !t3
    %4 = "aten.u_softmax"(%3) {dim = 3 : i64, half_to_float = false} : (!t3) -> !t3
    %5 = "aten.matmul"(%4, %arg2) : (!t3, !t2) -> !t0
    %6 = "aten.permute"(%4) {dims = [0, 1, 3, 2]} : (!t3) -> !t7
    %7 = "aten.matmul"(%6, %arg4) : (!t7, !t0) -> !t2
    %8 = "aten.matmul"(%arg4, %arg7) : (!t0, !t1) -> !t3
    %9 = "aten.u_softmax_backward_data"(%8, %4) {dim = 3 : i64, input_dtype = #aten.enum<"dtype", "float32">} : (!t3, !t3) -> !t3
    %10 = "aten.mul_tensor"(%9, %1) : (!t3, !t6) -> !t3
    %11 = "aten.matmul"(%arg5, %10) : (!t4, !t3) -> !t5
    %12 = "aten.matmul"(%10, %arg6) : (!t3, !t2) -> !t0
    return %5, %12, %11, %7 : !t0, !t0, !t5, !t2
  }
  pdl.pattern @attention_multiplied_added_training : benefit(13) {
    %q = pdl.operand
    %k = pdl.operand
    %v = pdl.operand
    %mask = pdl.operand
    %tangent_0 = pdl.operand
    %q_6 = pdl.operand
    %k_7 = pdl.operand
    %v_8 = pdl.operand
    %literal0 = pdl.attribute = 1 : i64
    %literal1 = pdl.attribute = 3 : i64
    %literal2 = pdl.attribute = false
    %literal3 = pdl.attribute = [0, 1, 3, 2]
    %literal4 = pdl.attribute = #aten.enum<"dtype", "float32">
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
    %type6_0 = pdl.type
    %op6 = pdl.operation "aten.permute"(%op4.r0 : !pdl.value) {"dims" = %literal3} -> (%type6_0 : !pdl.type)
    %op6.r0 = pdl.result 0 of %op6
    %type7_0 = pdl.type
    %op7 = pdl.operation "aten.matmul"(%op6.r0, %tangent_0 : !pdl.value, !pdl.value) -> (%type7_0 : !pdl.type)
    %type8_0 = pdl.type
    %op8 = pdl.operation "aten.matmul"(%tangent_0, %v_8 : !pdl.value, !pdl.value) -> (%type8_0 : !pdl.type)
    %op8.r0 = pdl.result 0 of %op8
    %type9_0 = pdl.type
    %op9 = pdl.operation "aten.u_softmax_backward_data"(%op8.r0, %op4.r0 : !pdl.value, !pdl.value) {"dim" = %literal1, "input_dtype" = %literal4} -> (%type9_0 : !pdl.type)
    %op9.r0 = pdl.result 0 of %op9
    %type10_0 = pdl.type
    %op10 = pdl.operation "aten.mul_tensor"(%op9.r0, %op1.r0 : !pdl.value, !pdl.value) -> (%type10_0 : !pdl.type)
    %op10.r0 = pdl.result 0 of %op10
    %type11_0 = pdl.type
    %op11 = pdl.operation "aten.matmul"(%q_6, %op10.r0 : !pdl.value, !pdl.value) -> (%type11_0 : !pdl.type)
    %type12_0 = pdl.type
    %op12 = pdl.operation "aten.matmul"(%op10.r0, %k_7 : !pdl.value, !pdl.value) -> (%type12_0 : !pdl.type)
    %name = pdl.attribute = "attention_multiplied_added_training"
    pdl.apply_native_constraint "collect"(%name, %q, %k, %v, %mask, %tangent_0, %q_6, %k_7, %v_8, %op0, %op1, %op2, %op3, %op4, %op5, %op6, %op7, %op8, %op9, %op10, %op11, %op12 : !pdl.attribute, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation)
    pdl.rewrite %op12 with "replace"
  }
  pdl.pattern @attention_multiplied_added_training_1 : benefit(13) {
    %q = pdl.operand
    %k = pdl.operand
    %v = pdl.operand
    %mask = pdl.operand
    %tangent_0 = pdl.operand
    %q_6 = pdl.operand
    %k_7 = pdl.operand
    %v_8 = pdl.operand
    %literal0 = pdl.attribute = 1 : i64
    %literal1 = pdl.attribute = 3 : i64
    %literal2 = pdl.attribute = false
    %literal3 = pdl.attribute = [0, 1, 3, 2]
    %literal4 = pdl.attribute = #aten.enum<"dtype", "float32">
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
    %type6_0 = pdl.type
    %op6 = pdl.operation "aten.permute"(%op4.r0 : !pdl.value) {"dims" = %literal3} -> (%type6_0 : !pdl.type)
    %op6.r0 = pdl.result 0 of %op6
    %type7_0 = pdl.type
    %op7 = pdl.operation "aten.matmul"(%op6.r0, %tangent_0 : !pdl.value, !pdl.value) -> (%type7_0 : !pdl.type)
    %type8_0 = pdl.type
    %op8 = pdl.operation "aten.matmul"(%tangent_0, %v_8 : !pdl.value, !pdl.value) -> (%type8_0 : !pdl.type)
    %op8.r0 = pdl.result 0 of %op8
    %type9_0 = pdl.type
    %op9 = pdl.operation "aten.u_softmax_backward_data"(%op8.r0, %op4.r0 : !pdl.value, !pdl.value) {"dim" = %literal1, "input_dtype" = %literal4} -> (%type9_0 : !pdl.type)
    %op9.r0 = pdl.result 0 of %op9
    %type10_0 = pdl.type
    %op10 = pdl.operation "aten.mul_tensor"(%op9.r0, %op1.r0 : !pdl.value, !pdl.value) -> (%type10_0 : !pdl.type)
    %op10.r0 = pdl.result 0 of %op10
    %type11_0 = pdl.type
    %op11 = pdl.operation "aten.matmul"(%q_6, %op10.r0 : !pdl.value, !pdl.value) -> (%type11_0 : !pdl.type)
    %type12_0 = pdl.type
    %op12 = pdl.operation "aten.matmul"(%op10.r0, %k_7 : !pdl.value, !pdl.value) -> (%type12_0 : !pdl.type)
    %name = pdl.attribute = "attention_multiplied_added_training"
    pdl.apply_native_constraint "collect"(%name, %q, %k, %v, %mask, %tangent_0, %q_6, %k_7, %v_8, %op0, %op1, %op2, %op3, %op4, %op5, %op6, %op7, %op8, %op9, %op10, %op11, %op12 : !pdl.attribute, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation)
    pdl.rewrite %op12 with "replace"
  }
  func.func @replace(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}, %arg3: !t3 {aten.name = "mask"}, %arg4: !t0 {aten.name = "tangent_0"}) -> (!t0, !t8, !t9, !t10) {
    %0 = "aten.permute"(%arg1) {dims = [0, 1, 3, 2]} : (!t1) -> !t2
    %1:2 = "aten.u_scaled_dot_product_flash_attention_for_cpu"(%arg0, %0, %arg2, %arg3) {dropout_p = 0.000000e+00 : f64, is_causal = false, scale = #aten.expr<"scale">} : (!t0, !t2, !t2, !t3) -> (!t0, !t11)
    %2:3 = "aten.u_scaled_dot_product_flash_attention_for_cpu_backward"(%arg4, %arg0, %0, %arg2, %1#0, %1#1, %arg3) {dropout_p = 0.000000e+00 : f64, is_causal = false, scale = #aten.expr<"scale">} : (!t0, !t0, !t2, !t2, !t0, !t11, !t3) -> (!t8, !t10, !t10)
    %3 = "aten.permute"(%2#1) {dims = [0, 1, 3, 2]} : (!t10) -> !t9
    return %1#0, %2#0, %3, %2#2 : !t0, !t8, !t9, !t10
  }
}
// -----
!t0 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d2">, #aten.expr<"d1*d2">, #aten.expr<"d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d2">]>>
!t1 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, 1, #aten.expr<"d2">], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d2">, #aten.expr<"d4">]>>
!t2 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, #aten.expr<"d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d2">]>>
!t3 = tensor<?x?x?x?xi1, #aten.layout<"cpu", [#aten.expr<"d0*d1*d4">, #aten.expr<"d1*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d4">]>>
!t4 = tensor<f32, #aten.layout<"cpu", [], 0 : i64, unit>>
!t5 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d2">, #aten.expr<"d1*d2">, 1, #aten.expr<"d2">], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d2">, #aten.expr<"d1">]>>
!t6 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d2">, #aten.expr<"d4">]>>
!t7 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d4">, #aten.expr<"d1*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d4">]>>
!t8 = tensor<f64, #aten.layout<"cpu", [], 0 : i64, unit>>
!t9 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d4">, #aten.expr<"d1*d4">, 1, #aten.expr<"d4">], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d1">]>>
!t10 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d2">, #aten.expr<"d2">, #aten.expr<"d0*d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d2">]>>
!t11 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2">, 1, #aten.expr<"d0*d2">], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d2">, #aten.expr<"d4">]>>
!t12 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2">, #aten.expr<"d0*d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d2">]>>
!t13 = tensor<?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1">, 1, #aten.expr<"d0">], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">]>>
module @attention_multiplied_kept_training attributes {pattern.scalars = ["scale"]} {
  func.func @search(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}, %arg3: !t3 {aten.name = "mask", pattern.any_size}, %arg4: !t4 {aten.name = "fill"}, %arg5: !t0 {aten.name = "tangent_0"}, %arg6: !t5 {aten.name = "q_7", pattern.permuted = [0, 0, 1, 3, 2]}, %arg7: !t2 {aten.name = "k_8", pattern.permuted = [1, 0, 1, 3, 2]}, %arg8: !t1 {aten.name = "v_9", pattern.permuted = [2, 0, 1, 3, 2]}) -> (!t0, !t0, !t6, !t2) {
    %0 = "aten.matmul"(%arg0, %arg1) : (!t0, !t1) -> !t7
    %1 = "aten.number"() {value = #aten.expr<"scale">} : () -> !t8
    %2 = "aten.mul_tensor"(%0, %1) : (!t7, !t8) -> !t7
    %3 = "aten.where_self"(%arg3, %2, %arg4) : (!t3, !t7, !t4) -> !t7
    %4 = "aten.u_softmax"(%3) {dim = 3 : i64, half_to_float = false} : (!t7) -> !t7
    %5 = "aten.matmul"(%4, %arg2) : (!t7, !t2) -> !t0
    %6 = "aten.permute"(%4) {dims = [0, 1, 3, 2]} : (!t7) -> !t9
    %7 = "aten.matmul"(%6, %arg5) : (!t9, !t0) -> !t2
    %8 = "aten.matmul"(%arg5, %arg8) : (!t0, !t1) -> !t7
    %9 = "aten.u_softmax_backward_data"(%8, %4) {dim = 3 : i64, input_dtype = #aten.enum<"dtype", "float32">} : (!t7, !t7) -> !t7
    %10 = "aten.scalar_tensor"() {device = #aten.enum<"device", "cpu">, dtype = #aten.enum<"dtype", "float32">, layout = #aten.enum<"layout", "strided">, pin_memory = #aten.none, s = 0 : i64} : () -> !t4
    %11 = "aten.where_self"(%arg3, %9, %10) : (!t3, !t7, !t4) -> !t7
    %12 = "aten.mul_tensor"(%11, %1) : (!t7, !t8) -> !t7
    %13 = "aten.matmul"(%arg6, %12) : (!t5, !t7) -> !t6
    %14 = "aten.matmul"(%12, %arg7) : (!t7, !t2) -> !t0
    return %5, %14, %13, %7 : !t0, !t0, !t6, !t2
  }
  pdl.pattern @attention_multiplied_kept_training : benefit(15) {
    %q = pdl.operand
    %k = pdl.operand
    %v = pdl.operand
    %mask = pdl.operand
    %fill = pdl.operand
    %tangent_0 = pdl.operand
    %q_7 = pdl.operand
    %k_8 = pdl.operand
    %v_9 = pdl.operand
    %literal0 = pdl.attribute = 3 : i64
    %literal1 = pdl.attribute = false
    %literal2 = pdl.attribute = [0, 1, 3, 2]
    %literal3 = pdl.attribute = #aten.enum<"dtype", "float32">
    %literal4 = pdl.attribute = #aten.enum<"layout", "strided">
    %literal5 = pdl.attribute = #aten.none
    %literal6 = pdl.attribute = 0 : i64
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
    %type6_0 = pdl.type
    %op6 = pdl.operation "aten.permute"(%op4.r0 : !pdl.value) {"dims" = %literal2} -> (%type6_0 : !pdl.type)
    %op6.r0 = pdl.result 0 of %op6
    %type7_0 = pdl.type
    %op7 = pdl.operation "aten.matmul"(%op6.r0, %tangent_0 : !pdl.value, !pdl.value) -> (%type7_0 : !pdl.type)
    %type8_0 = pdl.type
    %op8 = pdl.operation "aten.matmul"(%tangent_0, %v_9 : !pdl.value, !pdl.value) -> (%type8_0 : !pdl.type)
    %op8.r0 = pdl.result 0 of %op8
    %type9_0 = pdl.type
    %op9 = pdl.operation "aten.u_softmax_backward_data"(%op8.r0, %op4.r0 : !pdl.value, !pdl.value) {"dim" = %literal0, "input_dtype" = %literal3} -> (%type9_0 : !pdl.type)
    %op9.r0 = pdl.result 0 of %op9
    %type10_0 = pdl.type
    %op10 = pdl.operation "aten.scalar_tensor" {"dtype" = %literal3, "layout" = %literal4, "pin_memory" = %literal5, "s" = %literal6} -> (%type10_0 : !pdl.type)
    %op10.r0 = pdl.result 0 of %op10
    %type11_0 = pdl.type
    %op11 = pdl.operation "aten.where_self"(%mask, %op9.r0, %op10.r0 : !pdl.value, !pdl.value, !pdl.value) -> (%type11_0 : !pdl.type)
    %op11.r0 = pdl.result 0 of %op11
    %type12_0 = pdl.type
    %op12 = pdl.operation "aten.mul_tensor"(%op11.r0, %op1.r0 : !pdl.value, !pdl.value) -> (%type12_0 : !pdl.type)
    %op12.r0 = pdl.result 0 of %op12
    %type13_0 = pdl.type
    %op13 = pdl.operation "aten.matmul"(%q_7, %op12.r0 : !pdl.value, !pdl.value) -> (%type13_0 : !pdl.type)
    %type14_0 = pdl.type
    %op14 = pdl.operation "aten.matmul"(%op12.r0, %k_8 : !pdl.value, !pdl.value) -> (%type14_0 : !pdl.type)
    %name = pdl.attribute = "attention_multiplied_kept_training"
    pdl.apply_native_constraint "collect"(%name, %q, %k, %v, %mask, %fill, %tangent_0, %q_7, %k_8, %v_9, %op0, %op1, %op2, %op3, %op4, %op5, %op6, %op7, %op8, %op9, %op10, %op11, %op12, %op13, %op14 : !pdl.attribute, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation)
    pdl.rewrite %op14 with "replace"
  }
  func.func @replace(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}, %arg3: !t3 {aten.name = "mask"}, %arg4: !t4 {aten.name = "fill"}, %arg5: !t0 {aten.name = "tangent_0"}) -> (!t0, !t10, !t11, !t12) {
    %0 = "aten.zeros"() {device = #aten.enum<"device", "cpu">, dtype = #aten.enum<"dtype", "float32">, layout = #aten.none, pin_memory = false, size = []} : () -> !t4
    %1 = "aten.where_self"(%arg3, %0, %arg4) : (!t3, !t4, !t4) -> !t7
    %2 = "aten.permute"(%arg1) {dims = [0, 1, 3, 2]} : (!t1) -> !t2
    %3:2 = "aten.u_scaled_dot_product_flash_attention_for_cpu"(%arg0, %2, %arg2, %1) {dropout_p = 0.000000e+00 : f64, is_causal = false, scale = #aten.expr<"scale">} : (!t0, !t2, !t2, !t7) -> (!t0, !t13)
    %4:3 = "aten.u_scaled_dot_product_flash_attention_for_cpu_backward"(%arg5, %arg0, %2, %arg2, %3#0, %3#1, %1) {dropout_p = 0.000000e+00 : f64, is_causal = false, scale = #aten.expr<"scale">} : (!t0, !t0, !t2, !t2, !t0, !t13, !t7) -> (!t10, !t12, !t12)
    %5 = "aten.permute"(%4#1) {dims = [0, 1, 3, 2]} : (!t12) -> !t11
    return %3#0, %4#0, %5, %4#2 : !t0, !t10, !t11, !t12
  }
}
// -----
!t0 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d2">, #aten.expr<"d1*d2">, #aten.expr<"d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d2">]>>
!t1 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, 1, #aten.expr<"d2">], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d2">, #aten.expr<"d4">]>>
!t2 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, #aten.expr<"d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d2">]>>
!t3 = tensor<?x?x?x?xi1, #aten.layout<"cpu", [#aten.expr<"d0*d1*d4">, #aten.expr<"d1*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d4">]>>
!t4 = tensor<f32, #aten.layout<"cpu", [], 0 : i64, unit>>
!t5 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d2">, #aten.expr<"d1*d2">, 1, #aten.expr<"d2">], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d2">, #aten.expr<"d1">]>>
!t6 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d2">, #aten.expr<"d4">]>>
!t7 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d4">, #aten.expr<"d1*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d4">]>>
!t8 = tensor<f64, #aten.layout<"cpu", [], 0 : i64, unit>>
!t9 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d4">, #aten.expr<"d1*d4">, 1, #aten.expr<"d4">], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d1">]>>
!t10 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d2">, #aten.expr<"d2">, #aten.expr<"d0*d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d2">]>>
!t11 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2">, 1, #aten.expr<"d0*d2">], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d2">, #aten.expr<"d4">]>>
!t12 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2">, #aten.expr<"d0*d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d2">]>>
!t13 = tensor<?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1">, 1, #aten.expr<"d0">], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">]>>
module @attention_multiplied_dropped_training attributes {pattern.scalars = ["scale"]} {
  func.func @search(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}, %arg3: !t3 {aten.name = "mask", pattern.any_size}, %arg4: !t4 {aten.name = "fill"}, %arg5: !t0 {aten.name = "tangent_0"}, %arg6: !t5 {aten.name = "q_7", pattern.permuted = [0, 0, 1, 3, 2]}, %arg7: !t2 {aten.name = "k_8", pattern.permuted = [1, 0, 1, 3, 2]}, %arg8: !t1 {aten.name = "v_9", pattern.permuted = [2, 0, 1, 3, 2]}) -> (!t0, !t0, !t6, !t2) {
    %0 = "aten.matmul"(%arg0, %arg1) : (!t0, !t1) -> !t7
    %1 = "aten.number"() {value = #aten.expr<"scale">} : () -> !t8
    %2 = "aten.mul_tensor"(%0, %1) : (!t7, !t8) -> !t7
    %3 = "aten.where_self"(%arg3, %arg4, %2) : (!t3, !t4, !t7) -> !t7
    %4 = "aten.u_softmax"(%3) {dim = 3 : i64, half_to_float = false} : (!t7) -> !t7
    %5 = "aten.matmul"(%4, %arg2) : (!t7, !t2) -> !t0
    %6 = "aten.permute"(%4) {dims = [0, 1, 3, 2]} : (!t7) -> !t9
    %7 = "aten.matmul"(%6, %arg5) : (!t9, !t0) -> !t2
    %8 = "aten.matmul"(%arg5, %arg8) : (!t0, !t1) -> !t7
    %9 = "aten.u_softmax_backward_data"(%8, %4) {dim = 3 : i64, input_dtype = #aten.enum<"dtype", "float32">} : (!t7, !t7) -> !t7
    %10 = "aten.scalar_tensor"() {device = #aten.enum<"device", "cpu">, dtype = #aten.enum<"dtype", "float32">, layout = #aten.enum<"layout", "strided">, pin_memory = #aten.none, s = 0 : i64} : () -> !t4
    %11 = "aten.where_self"(%arg3, %10, %9) : (!t3, !t4, !t7) -> !t7
    %12 = "aten.mul_tensor"(%11, %1) : (!t7, !t8) -> !t7
    %13 = "aten.matmul"(%arg6, %12) : (!t5, !t7) -> !t6
    %14 = "aten.matmul"(%12, %arg7) : (!t7, !t2) -> !t0
    return %5, %14, %13, %7 : !t0, !t0, !t6, !t2
  }
  pdl.pattern @attention_multiplied_dropped_training : benefit(15) {
    %q = pdl.operand
    %k = pdl.operand
    %v = pdl.operand
    %mask = pdl.operand
    %fill = pdl.operand
    %tangent_0 = pdl.operand
    %q_7 = pdl.operand
    %k_8 = pdl.operand
    %v_9 = pdl.operand
    %literal0 = pdl.attribute = 3 : i64
    %literal1 = pdl.attribute = false
    %literal2 = pdl.attribute = [0, 1, 3, 2]
    %literal3 = pdl.attribute = #aten.enum<"dtype", "float32">
    %literal4 = pdl.attribute = #aten.enum<"layout", "strided">
    %literal5 = pdl.attribute = #aten.none
    %literal6 = pdl.attribute = 0 : i64
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
    %type6_0 = pdl.type
    %op6 = pdl.operation "aten.permute"(%op4.r0 : !pdl.value) {"dims" = %literal2} -> (%type6_0 : !pdl.type)
    %op6.r0 = pdl.result 0 of %op6
    %type7_0 = pdl.type
    %op7 = pdl.operation "aten.matmul"(%op6.r0, %tangent_0 : !pdl.value, !pdl.value) -> (%type7_0 : !pdl.type)
    %type8_0 = pdl.type
    %op8 = pdl.operation "aten.matmul"(%tangent_0, %v_9 : !pdl.value, !pdl.value) -> (%type8_0 : !pdl.type)
    %op8.r0 = pdl.result 0 of %op8
    %type9_0 = pdl.type
    %op9 = pdl.operation "aten.u_softmax_backward_data"(%op8.r0, %op4.r0 : !pdl.value, !pdl.value) {"dim" = %literal0, "input_dtype" = %literal3} -> (%type9_0 : !pdl.type)
    %op9.r0 = pdl.result 0 of %op9
    %type10_0 = pdl.type
    %op10 = pdl.operation "aten.scalar_tensor" {"dtype" = %literal3, "layout" = %literal4, "pin_memory" = %literal5, "s" = %literal6} -> (%type10_0 : !pdl.type)
    %op10.r0 = pdl.result 0 of %op10
    %type11_0 = pdl.type
    %op11 = pdl.operation "aten.where_self"(%mask, %op10.r0, %op9.r0 : !pdl.value, !pdl.value, !pdl.value) -> (%type11_0 : !pdl.type)
    %op11.r0 = pdl.result 0 of %op11
    %type12_0 = pdl.type
    %op12 = pdl.operation "aten.mul_tensor"(%op11.r0, %op1.r0 : !pdl.value, !pdl.value) -> (%type12_0 : !pdl.type)
    %op12.r0 = pdl.result 0 of %op12
    %type13_0 = pdl.type
    %op13 = pdl.operation "aten.matmul"(%q_7, %op12.r0 : !pdl.value, !pdl.value) -> (%type13_0 : !pdl.type)
    %type14_0 = pdl.type
    %op14 = pdl.operation "aten.matmul"(%op12.r0, %k_8 : !pdl.value, !pdl.value) -> (%type14_0 : !pdl.type)
    %name = pdl.attribute = "attention_multiplied_dropped_training"
    pdl.apply_native_constraint "collect"(%name, %q, %k, %v, %mask, %fill, %tangent_0, %q_7, %k_8, %v_9, %op0, %op1, %op2, %op3, %op4, %op5, %op6, %op7, %op8, %op9, %op10, %op11, %op12, %op13, %op14 : !pdl.attribute, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation)
    pdl.rewrite %op14 with "replace"
  }
  func.func @replace(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}, %arg3: !t3 {aten.name = "mask"}, %arg4: !t4 {aten.name = "fill"}, %arg5: !t0 {aten.name = "tangent_0"}) -> (!t0, !t10, !t11, !t12) {
    %0 = "aten.zeros"() {device = #aten.enum<"device", "cpu">, dtype = #aten.enum<"dtype", "float32">, layout = #aten.none, pin_memory = false, size = []} : () -> !t4
    %1 = "aten.where_self"(%arg3, %arg4, %0) : (!t3, !t4, !t4) -> !t7
    %2 = "aten.permute"(%arg1) {dims = [0, 1, 3, 2]} : (!t1) -> !t2
    %3:2 = "aten.u_scaled_dot_product_flash_attention_for_cpu"(%arg0, %2, %arg2, %1) {dropout_p = 0.000000e+00 : f64, is_causal = false, scale = #aten.expr<"scale">} : (!t0, !t2, !t2, !t7) -> (!t0, !t13)
    %4:3 = "aten.u_scaled_dot_product_flash_attention_for_cpu_backward"(%arg5, %arg0, %2, %arg2, %3#0, %3#1, %1) {dropout_p = 0.000000e+00 : f64, is_causal = false, scale = #aten.expr<"scale">} : (!t0, !t0, !t2, !t2, !t0, !t13, !t7) -> (!t10, !t12, !t12)
    %5 = "aten.permute"(%4#1) {dims = [0, 1, 3, 2]} : (!t12) -> !t11
    return %3#0, %4#0, %5, %4#2 : !t0, !t10, !t11, !t12
  }
}
// -----
!t0 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d2">, #aten.expr<"d1*d2">, #aten.expr<"d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d2">]>>
!t1 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, 1, #aten.expr<"d2">], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d2">, #aten.expr<"d4">]>>
!t2 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, #aten.expr<"d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d2">]>>
!t3 = tensor<?x?x?x?xi1, #aten.layout<"cpu", [#aten.expr<"d0*d1*d4">, #aten.expr<"d1*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d4">]>>
!t4 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d2">, #aten.expr<"d1*d2">, 1, #aten.expr<"d2">], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d2">, #aten.expr<"d1">]>>
!t5 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d2">, #aten.expr<"d4">]>>
!t6 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d4">, #aten.expr<"d1*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d4">]>>
!t7 = tensor<f64, #aten.layout<"cpu", [], 0 : i64, unit>>
!t8 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d4">, #aten.expr<"d1*d4">, 1, #aten.expr<"d4">], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d1">]>>
!t9 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d2">, #aten.expr<"d2">, #aten.expr<"d0*d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d2">]>>
!t10 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2">, 1, #aten.expr<"d0*d2">], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d2">, #aten.expr<"d4">]>>
!t11 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2">, #aten.expr<"d0*d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d2">]>>
!t12 = tensor<f32, #aten.layout<"cpu", [], 0 : i64, unit>>
!t13 = tensor<?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1">, 1, #aten.expr<"d0">], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">]>>
module @attention_multiplied_filled_training attributes {pattern.scalars = ["fill", "scale"]} {
  func.func @search(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}, %arg3: !t3 {aten.name = "mask", pattern.any_size}, %arg4: !t0 {aten.name = "tangent_0"}, %arg5: !t4 {aten.name = "q_6", pattern.permuted = [0, 0, 1, 3, 2]}, %arg6: !t2 {aten.name = "k_7", pattern.permuted = [1, 0, 1, 3, 2]}, %arg7: !t1 {aten.name = "v_8", pattern.permuted = [2, 0, 1, 3, 2]}) -> (!t0, !t0, !t5, !t2) {
    %0 = "aten.matmul"(%arg0, %arg1) : (!t0, !t1) -> !t6
    %1 = "aten.number"() {value = #aten.expr<"scale">} : () -> !t7
    %2 = "aten.mul_tensor"(%0, %1) : (!t6, !t7) -> !t6
    %3 = "aten.masked_fill_scalar"(%2, %arg3) {value = #aten.expr<"fill">} : (!t6, !t3) -> !t6
    %4 = "aten.u_softmax"(%3) {dim = 3 : i64, half_to_float = false} : (!t6) -> !t6
    %5 = "aten.matmul"(%4, %arg2) : (!t6, !t2) -> !t0
    %6 = "aten.permute"(%4) {dims = [0, 1, 3, 2]} : (!t6) -> !t8
    %7 = "aten.matmul"(%6, %arg4) : (!t8, !t0) -> !t2
    %8 = "aten.matmul"(%arg4, %arg7) : (!t0, !t1) -> !t6
    %9 = "aten.u_softmax_backward_data"(%8, %4) {dim = 3 : i64, input_dtype = #aten.enum<"dtype", "float32">} : (!t6, !t6) -> !t6
    %10 = "aten.masked_fill_scalar"(%9, %arg3) {value = 0 : i64} : (!t6, !t3) -> !t6
    %11 = "aten.mul_tensor"(%10, %1) : (!t6, !t7) -> !t6
    %12 = "aten.matmul"(%arg5, %11) : (!t4, !t6) -> !t5
    %13 = "aten.matmul"(%11, %arg6) : (!t6, !t2) -> !t0
    return %5, %13, %12, %7 : !t0, !t0, !t5, !t2
  }
  pdl.pattern @attention_multiplied_filled_training : benefit(14) {
    %q = pdl.operand
    %k = pdl.operand
    %v = pdl.operand
    %mask = pdl.operand
    %tangent_0 = pdl.operand
    %q_6 = pdl.operand
    %k_7 = pdl.operand
    %v_8 = pdl.operand
    %literal0 = pdl.attribute = 3 : i64
    %literal1 = pdl.attribute = false
    %literal2 = pdl.attribute = [0, 1, 3, 2]
    %literal3 = pdl.attribute = #aten.enum<"dtype", "float32">
    %literal4 = pdl.attribute = 0 : i64
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
    %type6_0 = pdl.type
    %op6 = pdl.operation "aten.permute"(%op4.r0 : !pdl.value) {"dims" = %literal2} -> (%type6_0 : !pdl.type)
    %op6.r0 = pdl.result 0 of %op6
    %type7_0 = pdl.type
    %op7 = pdl.operation "aten.matmul"(%op6.r0, %tangent_0 : !pdl.value, !pdl.value) -> (%type7_0 : !pdl.type)
    %type8_0 = pdl.type
    %op8 = pdl.operation "aten.matmul"(%tangent_0, %v_8 : !pdl.value, !pdl.value) -> (%type8_0 : !pdl.type)
    %op8.r0 = pdl.result 0 of %op8
    %type9_0 = pdl.type
    %op9 = pdl.operation "aten.u_softmax_backward_data"(%op8.r0, %op4.r0 : !pdl.value, !pdl.value) {"dim" = %literal0, "input_dtype" = %literal3} -> (%type9_0 : !pdl.type)
    %op9.r0 = pdl.result 0 of %op9
    %type10_0 = pdl.type
    %op10 = pdl.operation "aten.masked_fill_scalar"(%op9.r0, %mask : !pdl.value, !pdl.value) {"value" = %literal4} -> (%type10_0 : !pdl.type)
    %op10.r0 = pdl.result 0 of %op10
    %type11_0 = pdl.type
    %op11 = pdl.operation "aten.mul_tensor"(%op10.r0, %op1.r0 : !pdl.value, !pdl.value) -> (%type11_0 : !pdl.type)
    %op11.r0 = pdl.result 0 of %op11
    %type12_0 = pdl.type
    %op12 = pdl.operation "aten.matmul"(%q_6, %op11.r0 : !pdl.value, !pdl.value) -> (%type12_0 : !pdl.type)
    %type13_0 = pdl.type
    %op13 = pdl.operation "aten.matmul"(%op11.r0, %k_7 : !pdl.value, !pdl.value) -> (%type13_0 : !pdl.type)
    %name = pdl.attribute = "attention_multiplied_filled_training"
    pdl.apply_native_constraint "collect"(%name, %q, %k, %v, %mask, %tangent_0, %q_6, %k_7, %v_8, %op0, %op1, %op2, %op3, %op4, %op5, %op6, %op7, %op8, %op9, %op10, %op11, %op12, %op13 : !pdl.attribute, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation)
    pdl.rewrite %op13 with "replace"
  }
  func.func @replace(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}, %arg3: !t3 {aten.name = "mask"}, %arg4: !t0 {aten.name = "tangent_0"}) -> (!t0, !t9, !t10, !t11) {
    %0 = "aten.scalar_tensor"() {device = #aten.enum<"device", "cpu">, dtype = #aten.enum<"dtype", "float32">, layout = #aten.enum<"layout", "strided">, pin_memory = #aten.none, s = 0.000000e+00 : f64} : () -> !t12
    %1 = "aten.scalar_tensor"() {device = #aten.enum<"device", "cpu">, dtype = #aten.enum<"dtype", "float32">, layout = #aten.enum<"layout", "strided">, pin_memory = #aten.none, s = #aten.expr<"fill">} : () -> !t12
    %2 = "aten.where_self"(%arg3, %1, %0) : (!t3, !t12, !t12) -> !t6
    %3 = "aten.permute"(%arg1) {dims = [0, 1, 3, 2]} : (!t1) -> !t2
    %4:2 = "aten.u_scaled_dot_product_flash_attention_for_cpu"(%arg0, %3, %arg2, %2) {dropout_p = 0.000000e+00 : f64, is_causal = false, scale = #aten.expr<"scale">} : (!t0, !t2, !t2, !t6) -> (!t0, !t13)
    %5:3 = "aten.u_scaled_dot_product_flash_attention_for_cpu_backward"(%arg4, %arg0, %3, %arg2, %4#0, %4#1, %2) {dropout_p = 0.000000e+00 : f64, is_causal = false, scale = #aten.expr<"scale">} : (!t0, !t0, !t2, !t2, !t0, !t13, !t6) -> (!t9, !t11, !t11)
    %6 = "aten.permute"(%5#1) {dims = [0, 1, 3, 2]} : (!t11) -> !t10
    return %4#0, %5#0, %6, %5#2 : !t0, !t9, !t10, !t11
  }
}
// -----
!t0 = tensor<?x?x?x?xbf16, #aten.layout<"cpu", [#aten.expr<"d0*d1*d2">, #aten.expr<"d1*d2">, #aten.expr<"d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d2">]>>
!t1 = tensor<?x?x?x?xbf16, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, 1, #aten.expr<"d2">], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d2">, #aten.expr<"d4">]>>
!t2 = tensor<?x?x?x?xbf16, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, #aten.expr<"d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d2">]>>
!t3 = tensor<?x?x?x?xbf16, #aten.layout<"cpu", [#aten.expr<"d0*d1*d2">, #aten.expr<"d1*d2">, 1, #aten.expr<"d2">], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d2">, #aten.expr<"d1">]>>
!t4 = tensor<?x?x?x?xbf16, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d2">, #aten.expr<"d4">]>>
!t5 = tensor<?x?x?x?xbf16, #aten.layout<"cpu", [#aten.expr<"d0*d1*d4">, #aten.expr<"d1*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d4">]>>
!t6 = tensor<f64, #aten.layout<"cpu", [], 0 : i64, unit>>
!t7 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d4">, #aten.expr<"d1*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d4">]>>
!t8 = tensor<?x?x?x?xbf16, #aten.layout<"cpu", [#aten.expr<"d0*d1*d4">, #aten.expr<"d1*d4">, 1, #aten.expr<"d4">], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d1">]>>
!t9 = tensor<?x?x?x?xbf16, #aten.layout<"cpu", [#aten.expr<"d0*d1*d2">, #aten.expr<"d2">, #aten.expr<"d0*d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d2">]>>
!t10 = tensor<?x?x?x?xbf16, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2">, 1, #aten.expr<"d0*d2">], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d2">, #aten.expr<"d4">]>>
!t11 = tensor<?x?x?x?xbf16, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2">, #aten.expr<"d0*d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d2">]>>
!t12 = tensor<?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1">, 1, #aten.expr<"d0">], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">]>>
module @attention_multiplied_unmasked_training_bfloat16 attributes {pattern.scalars = ["scale"]} {
  func.func @search(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}, %arg3: !t0 {aten.name = "tangent_0"}, %arg4: !t3 {aten.name = "q_5", pattern.permuted = [0, 0, 1, 3, 2]}, %arg5: !t2 {aten.name = "k_6", pattern.permuted = [1, 0, 1, 3, 2]}, %arg6: !t1 {aten.name = "v_7", pattern.permuted = [2, 0, 1, 3, 2]}) -> (!t0, !t0, !t4, !t2) {
    %0 = "aten.matmul"(%arg0, %arg1) : (!t0, !t1) -> !t5
    %1 = "aten.number"() {value = #aten.expr<"scale">} : () -> !t6
    %2 = "aten.mul_tensor"(%0, %1) : (!t5, !t6) -> !t5
    %3 = "aten.u_to_copy"(%2) {device = #aten.none, dtype = #aten.enum<"dtype", "float32">, layout = #aten.none, memory_format = #aten.none, non_blocking = false, pin_memory = #aten.none} : (!t5) -> !t7
    %4 = "aten.u_softmax"(%3) {dim = 3 : i64, half_to_float = false} : (!t7) -> !t7
    %5 = "aten.u_to_copy"(%4) {device = #aten.none, dtype = #aten.enum<"dtype", "bfloat16">, layout = #aten.none, memory_format = #aten.none, non_blocking = false, pin_memory = #aten.none} : (!t7) -> !t5
    %6 = "aten.matmul"(%5, %arg2) : (!t5, !t2) -> !t0
    %7 = "aten.permute"(%5) {dims = [0, 1, 3, 2]} : (!t5) -> !t8
    %8 = "aten.matmul"(%7, %arg3) : (!t8, !t0) -> !t2
    %9 = "aten.matmul"(%arg3, %arg6) : (!t0, !t1) -> !t5
    %10 = "aten.u_to_copy"(%9) {device = #aten.none, dtype = #aten.enum<"dtype", "float32">, layout = #aten.none, memory_format = #aten.none, non_blocking = false, pin_memory = #aten.none} : (!t5) -> !t7
    %11 = "aten.u_softmax_backward_data"(%10, %4) {dim = 3 : i64, input_dtype = #aten.enum<"dtype", "float32">} : (!t7, !t7) -> !t7
    %12 = "aten.u_to_copy"(%11) {device = #aten.none, dtype = #aten.enum<"dtype", "bfloat16">, layout = #aten.none, memory_format = #aten.none, non_blocking = false, pin_memory = #aten.none} : (!t7) -> !t5
    %13 = "aten.mul_tensor"(%12, %1) : (!t5, !t6) -> !t5
    %14 = "aten.matmul"(%arg4, %13) : (!t3, !t5) -> !t4
    %15 = "aten.matmul"(%13, %arg5) : (!t5, !t2) -> !t0
    return %6, %15, %14, %8 : !t0, !t0, !t4, !t2
  }
  pdl.pattern @attention_multiplied_unmasked_training_bfloat16 : benefit(16) {
    %q = pdl.operand
    %k = pdl.operand
    %v = pdl.operand
    %tangent_0 = pdl.operand
    %q_5 = pdl.operand
    %k_6 = pdl.operand
    %v_7 = pdl.operand
    %literal0 = pdl.attribute = #aten.none
    %literal1 = pdl.attribute = #aten.enum<"dtype", "float32">
    %literal2 = pdl.attribute = false
    %literal3 = pdl.attribute = 3 : i64
    %literal4 = pdl.attribute = #aten.enum<"dtype", "bfloat16">
    %literal5 = pdl.attribute = [0, 1, 3, 2]
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
    %type7_0 = pdl.type
    %op7 = pdl.operation "aten.permute"(%op5.r0 : !pdl.value) {"dims" = %literal5} -> (%type7_0 : !pdl.type)
    %op7.r0 = pdl.result 0 of %op7
    %type8_0 = pdl.type
    %op8 = pdl.operation "aten.matmul"(%op7.r0, %tangent_0 : !pdl.value, !pdl.value) -> (%type8_0 : !pdl.type)
    %type9_0 = pdl.type
    %op9 = pdl.operation "aten.matmul"(%tangent_0, %v_7 : !pdl.value, !pdl.value) -> (%type9_0 : !pdl.type)
    %op9.r0 = pdl.result 0 of %op9
    %type10_0 = pdl.type
    %op10 = pdl.operation "aten.u_to_copy"(%op9.r0 : !pdl.value) {"device" = %literal0, "dtype" = %literal1, "layout" = %literal0, "memory_format" = %literal0, "non_blocking" = %literal2, "pin_memory" = %literal0} -> (%type10_0 : !pdl.type)
    %op10.r0 = pdl.result 0 of %op10
    %type11_0 = pdl.type
    %op11 = pdl.operation "aten.u_softmax_backward_data"(%op10.r0, %op4.r0 : !pdl.value, !pdl.value) {"dim" = %literal3, "input_dtype" = %literal1} -> (%type11_0 : !pdl.type)
    %op11.r0 = pdl.result 0 of %op11
    %type12_0 = pdl.type
    %op12 = pdl.operation "aten.u_to_copy"(%op11.r0 : !pdl.value) {"device" = %literal0, "dtype" = %literal4, "layout" = %literal0, "memory_format" = %literal0, "non_blocking" = %literal2, "pin_memory" = %literal0} -> (%type12_0 : !pdl.type)
    %op12.r0 = pdl.result 0 of %op12
    %type13_0 = pdl.type
    %op13 = pdl.operation "aten.mul_tensor"(%op12.r0, %op1.r0 : !pdl.value, !pdl.value) -> (%type13_0 : !pdl.type)
    %op13.r0 = pdl.result 0 of %op13
    %type14_0 = pdl.type
    %op14 = pdl.operation "aten.matmul"(%q_5, %op13.r0 : !pdl.value, !pdl.value) -> (%type14_0 : !pdl.type)
    %type15_0 = pdl.type
    %op15 = pdl.operation "aten.matmul"(%op13.r0, %k_6 : !pdl.value, !pdl.value) -> (%type15_0 : !pdl.type)
    %name = pdl.attribute = "attention_multiplied_unmasked_training_bfloat16"
    pdl.apply_native_constraint "collect"(%name, %q, %k, %v, %tangent_0, %q_5, %k_6, %v_7, %op0, %op1, %op2, %op3, %op4, %op5, %op6, %op7, %op8, %op9, %op10, %op11, %op12, %op13, %op14, %op15 : !pdl.attribute, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation)
    pdl.rewrite %op15 with "replace"
  }
  func.func @replace(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}, %arg3: !t0 {aten.name = "tangent_0"}) -> (!t0, !t9, !t10, !t11) {
    %0 = "aten.permute"(%arg1) {dims = [0, 1, 3, 2]} : (!t1) -> !t2
    %1:2 = "aten.u_scaled_dot_product_flash_attention_for_cpu"(%arg0, %0, %arg2) {dropout_p = 0.000000e+00 : f64, is_causal = false, scale = #aten.expr<"scale">} : (!t0, !t2, !t2) -> (!t0, !t12)
    %2:3 = "aten.u_scaled_dot_product_flash_attention_for_cpu_backward"(%arg3, %arg0, %0, %arg2, %1#0, %1#1) {dropout_p = 0.000000e+00 : f64, is_causal = false, scale = #aten.expr<"scale">} : (!t0, !t0, !t2, !t2, !t0, !t12) -> (!t9, !t11, !t11)
    %3 = "aten.permute"(%2#1) {dims = [0, 1, 3, 2]} : (!t11) -> !t10
    return %1#0, %2#0, %3, %2#2 : !t0, !t9, !t10, !t11
  }
}
// -----
!t0 = tensor<?x?x?x?xbf16, #aten.layout<"cpu", [#aten.expr<"d0*d1*d2">, #aten.expr<"d1*d2">, #aten.expr<"d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d2">]>>
!t1 = tensor<?x?x?x?xbf16, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, 1, #aten.expr<"d2">], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d2">, #aten.expr<"d4">]>>
!t2 = tensor<?x?x?x?xbf16, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, #aten.expr<"d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d2">]>>
!t3 = tensor<?x?x?x?xbf16, #aten.layout<"cpu", [#aten.expr<"d0*d1*d4">, #aten.expr<"d1*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d4">]>>
!t4 = tensor<?x?x?x?xbf16, #aten.layout<"cpu", [#aten.expr<"d0*d1*d2">, #aten.expr<"d1*d2">, 1, #aten.expr<"d2">], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d2">, #aten.expr<"d1">]>>
!t5 = tensor<?x?x?x?xbf16, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d2">, #aten.expr<"d4">]>>
!t6 = tensor<f64, #aten.layout<"cpu", [], 0 : i64, unit>>
!t7 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d4">, #aten.expr<"d1*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d4">]>>
!t8 = tensor<?x?x?x?xbf16, #aten.layout<"cpu", [#aten.expr<"d0*d1*d4">, #aten.expr<"d1*d4">, 1, #aten.expr<"d4">], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d1">]>>
!t9 = tensor<?x?x?x?xbf16, #aten.layout<"cpu", [#aten.expr<"d0*d1*d2">, #aten.expr<"d2">, #aten.expr<"d0*d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d2">]>>
!t10 = tensor<?x?x?x?xbf16, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2">, 1, #aten.expr<"d0*d2">], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d2">, #aten.expr<"d4">]>>
!t11 = tensor<?x?x?x?xbf16, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2">, #aten.expr<"d0*d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d2">]>>
!t12 = tensor<?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1">, 1, #aten.expr<"d0">], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">]>>
module @attention_multiplied_added_training_bfloat16 attributes {pattern.scalars = ["scale"]} {
  func.func @search(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}, %arg3: !t3 {aten.name = "mask", pattern.any_size}, %arg4: !t0 {aten.name = "tangent_0"}, %arg5: !t4 {aten.name = "q_6", pattern.permuted = [0, 0, 1, 3, 2]}, %arg6: !t2 {aten.name = "k_7", pattern.permuted = [1, 0, 1, 3, 2]}, %arg7: !t1 {aten.name = "v_8", pattern.permuted = [2, 0, 1, 3, 2]}) -> (!t0, !t0, !t5, !t2) {
    %0 = "aten.matmul"(%arg0, %arg1) : (!t0, !t1) -> !t3
    %1 = "aten.number"() {value = #aten.expr<"scale">} : () -> !t6
    %2 = "aten.mul_tensor"(%0, %1) : (!t3, !t6) -> !t3
    %3 = "aten.add_tensor"(%2, %arg3) {alpha = 1 : i64} : (!t3, !t3) -> !t3
    %4 = "aten.u_to_copy"(%3) {device = #aten.none, dtype = #aten.enum<"dtype", "float32">, layout = #aten.none, memory_format = #aten.none, non_blocking = false, pin_memory = #aten.none} : (!t3) -> !t7
    %5 = "aten.u_softmax"(%4) {dim = 3 : i64, half_to_float = false} : (!t7) -> !t7
    %6 = "aten.u_to_copy"(%5) {device = #aten.none, dtype = #aten.enum<"dtype", "bfloat16">, layout = #aten.none, memory_format = #aten.none, non_blocking = false, pin_memory = #aten.none} : (!t7) -> !t3
    %7 = "aten.matmul"(%6, %arg2) : (!t3, !t2) -> !t0
    %8 = "aten.permute"(%6) {dims = [0, 1, 3, 2]} : (!t3) -> !t8
    %9 = "aten.matmul"(%8, %arg4) : (!t8, !t0) -> !t2
    %10 = "aten.matmul"(%arg4, %arg7) : (!t0, !t1) -> !t3
    %11 = "aten.u_to_copy"(%10) {device = #aten.none, dtype = #aten.enum<"dtype", "float32">, layout = #aten.none, memory_format = #aten.none, non_blocking = false, pin_memory = #aten.none} : (!t3) -> !t7
    %12 = "aten.u_softmax_backward_data"(%11, %5) {dim = 3 : i64, input_dtype = #aten.enum<"dtype", "float32">} : (!t7, !t7) -> !t7
    %13 = "aten.u_to_copy"(%12) {device = #aten.none, dtype = #aten.enum<"dtype", "bfloat16">, layout = #aten.none, memory_format = #aten.none, non_blocking = false, pin_memory = #aten.none} : (!t7) -> !t3
    %14 = "aten.mul_tensor"(%13, %1) : (!t3, !t6) -> !t3
    %15 = "aten.matmul"(%arg5, %14) : (!t4, !t3) -> !t5
    %16 = "aten.matmul"(%14, %arg6) : (!t3, !t2) -> !t0
    return %7, %16, %15, %9 : !t0, !t0, !t5, !t2
  }
  pdl.pattern @attention_multiplied_added_training_bfloat16 : benefit(17) {
    %q = pdl.operand
    %k = pdl.operand
    %v = pdl.operand
    %mask = pdl.operand
    %tangent_0 = pdl.operand
    %q_6 = pdl.operand
    %k_7 = pdl.operand
    %v_8 = pdl.operand
    %literal0 = pdl.attribute = 1 : i64
    %literal1 = pdl.attribute = #aten.none
    %literal2 = pdl.attribute = #aten.enum<"dtype", "float32">
    %literal3 = pdl.attribute = false
    %literal4 = pdl.attribute = 3 : i64
    %literal5 = pdl.attribute = #aten.enum<"dtype", "bfloat16">
    %literal6 = pdl.attribute = [0, 1, 3, 2]
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
    %type8_0 = pdl.type
    %op8 = pdl.operation "aten.permute"(%op6.r0 : !pdl.value) {"dims" = %literal6} -> (%type8_0 : !pdl.type)
    %op8.r0 = pdl.result 0 of %op8
    %type9_0 = pdl.type
    %op9 = pdl.operation "aten.matmul"(%op8.r0, %tangent_0 : !pdl.value, !pdl.value) -> (%type9_0 : !pdl.type)
    %type10_0 = pdl.type
    %op10 = pdl.operation "aten.matmul"(%tangent_0, %v_8 : !pdl.value, !pdl.value) -> (%type10_0 : !pdl.type)
    %op10.r0 = pdl.result 0 of %op10
    %type11_0 = pdl.type
    %op11 = pdl.operation "aten.u_to_copy"(%op10.r0 : !pdl.value) {"device" = %literal1, "dtype" = %literal2, "layout" = %literal1, "memory_format" = %literal1, "non_blocking" = %literal3, "pin_memory" = %literal1} -> (%type11_0 : !pdl.type)
    %op11.r0 = pdl.result 0 of %op11
    %type12_0 = pdl.type
    %op12 = pdl.operation "aten.u_softmax_backward_data"(%op11.r0, %op5.r0 : !pdl.value, !pdl.value) {"dim" = %literal4, "input_dtype" = %literal2} -> (%type12_0 : !pdl.type)
    %op12.r0 = pdl.result 0 of %op12
    %type13_0 = pdl.type
    %op13 = pdl.operation "aten.u_to_copy"(%op12.r0 : !pdl.value) {"device" = %literal1, "dtype" = %literal5, "layout" = %literal1, "memory_format" = %literal1, "non_blocking" = %literal3, "pin_memory" = %literal1} -> (%type13_0 : !pdl.type)
    %op13.r0 = pdl.result 0 of %op13
    %type14_0 = pdl.type
    %op14 = pdl.operation "aten.mul_tensor"(%op13.r0, %op1.r0 : !pdl.value, !pdl.value) -> (%type14_0 : !pdl.type)
    %op14.r0 = pdl.result 0 of %op14
    %type15_0 = pdl.type
    %op15 = pdl.operation "aten.matmul"(%q_6, %op14.r0 : !pdl.value, !pdl.value) -> (%type15_0 : !pdl.type)
    %type16_0 = pdl.type
    %op16 = pdl.operation "aten.matmul"(%op14.r0, %k_7 : !pdl.value, !pdl.value) -> (%type16_0 : !pdl.type)
    %name = pdl.attribute = "attention_multiplied_added_training_bfloat16"
    pdl.apply_native_constraint "collect"(%name, %q, %k, %v, %mask, %tangent_0, %q_6, %k_7, %v_8, %op0, %op1, %op2, %op3, %op4, %op5, %op6, %op7, %op8, %op9, %op10, %op11, %op12, %op13, %op14, %op15, %op16 : !pdl.attribute, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation)
    pdl.rewrite %op16 with "replace"
  }
  pdl.pattern @attention_multiplied_added_training_bfloat16_1 : benefit(17) {
    %q = pdl.operand
    %k = pdl.operand
    %v = pdl.operand
    %mask = pdl.operand
    %tangent_0 = pdl.operand
    %q_6 = pdl.operand
    %k_7 = pdl.operand
    %v_8 = pdl.operand
    %literal0 = pdl.attribute = 1 : i64
    %literal1 = pdl.attribute = #aten.none
    %literal2 = pdl.attribute = #aten.enum<"dtype", "float32">
    %literal3 = pdl.attribute = false
    %literal4 = pdl.attribute = 3 : i64
    %literal5 = pdl.attribute = #aten.enum<"dtype", "bfloat16">
    %literal6 = pdl.attribute = [0, 1, 3, 2]
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
    %type8_0 = pdl.type
    %op8 = pdl.operation "aten.permute"(%op6.r0 : !pdl.value) {"dims" = %literal6} -> (%type8_0 : !pdl.type)
    %op8.r0 = pdl.result 0 of %op8
    %type9_0 = pdl.type
    %op9 = pdl.operation "aten.matmul"(%op8.r0, %tangent_0 : !pdl.value, !pdl.value) -> (%type9_0 : !pdl.type)
    %type10_0 = pdl.type
    %op10 = pdl.operation "aten.matmul"(%tangent_0, %v_8 : !pdl.value, !pdl.value) -> (%type10_0 : !pdl.type)
    %op10.r0 = pdl.result 0 of %op10
    %type11_0 = pdl.type
    %op11 = pdl.operation "aten.u_to_copy"(%op10.r0 : !pdl.value) {"device" = %literal1, "dtype" = %literal2, "layout" = %literal1, "memory_format" = %literal1, "non_blocking" = %literal3, "pin_memory" = %literal1} -> (%type11_0 : !pdl.type)
    %op11.r0 = pdl.result 0 of %op11
    %type12_0 = pdl.type
    %op12 = pdl.operation "aten.u_softmax_backward_data"(%op11.r0, %op5.r0 : !pdl.value, !pdl.value) {"dim" = %literal4, "input_dtype" = %literal2} -> (%type12_0 : !pdl.type)
    %op12.r0 = pdl.result 0 of %op12
    %type13_0 = pdl.type
    %op13 = pdl.operation "aten.u_to_copy"(%op12.r0 : !pdl.value) {"device" = %literal1, "dtype" = %literal5, "layout" = %literal1, "memory_format" = %literal1, "non_blocking" = %literal3, "pin_memory" = %literal1} -> (%type13_0 : !pdl.type)
    %op13.r0 = pdl.result 0 of %op13
    %type14_0 = pdl.type
    %op14 = pdl.operation "aten.mul_tensor"(%op13.r0, %op1.r0 : !pdl.value, !pdl.value) -> (%type14_0 : !pdl.type)
    %op14.r0 = pdl.result 0 of %op14
    %type15_0 = pdl.type
    %op15 = pdl.operation "aten.matmul"(%q_6, %op14.r0 : !pdl.value, !pdl.value) -> (%type15_0 : !pdl.type)
    %type16_0 = pdl.type
    %op16 = pdl.operation "aten.matmul"(%op14.r0, %k_7 : !pdl.value, !pdl.value) -> (%type16_0 : !pdl.type)
    %name = pdl.attribute = "attention_multiplied_added_training_bfloat16"
    pdl.apply_native_constraint "collect"(%name, %q, %k, %v, %mask, %tangent_0, %q_6, %k_7, %v_8, %op0, %op1, %op2, %op3, %op4, %op5, %op6, %op7, %op8, %op9, %op10, %op11, %op12, %op13, %op14, %op15, %op16 : !pdl.attribute, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation)
    pdl.rewrite %op16 with "replace"
  }
  func.func @replace(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}, %arg3: !t3 {aten.name = "mask"}, %arg4: !t0 {aten.name = "tangent_0"}) -> (!t0, !t9, !t10, !t11) {
    %0 = "aten.permute"(%arg1) {dims = [0, 1, 3, 2]} : (!t1) -> !t2
    %1:2 = "aten.u_scaled_dot_product_flash_attention_for_cpu"(%arg0, %0, %arg2, %arg3) {dropout_p = 0.000000e+00 : f64, is_causal = false, scale = #aten.expr<"scale">} : (!t0, !t2, !t2, !t3) -> (!t0, !t12)
    %2:3 = "aten.u_scaled_dot_product_flash_attention_for_cpu_backward"(%arg4, %arg0, %0, %arg2, %1#0, %1#1, %arg3) {dropout_p = 0.000000e+00 : f64, is_causal = false, scale = #aten.expr<"scale">} : (!t0, !t0, !t2, !t2, !t0, !t12, !t3) -> (!t9, !t11, !t11)
    %3 = "aten.permute"(%2#1) {dims = [0, 1, 3, 2]} : (!t11) -> !t10
    return %1#0, %2#0, %3, %2#2 : !t0, !t9, !t10, !t11
  }
}
// -----
!t0 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d2">, #aten.expr<"d1*d2">, #aten.expr<"d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d2">]>>
!t1 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, 1, #aten.expr<"d2">], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d2">, #aten.expr<"d4">]>>
!t2 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, #aten.expr<"d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d2">]>>
!t3 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d2">, #aten.expr<"d1*d2">, 1, #aten.expr<"d2">], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d2">, #aten.expr<"d1">]>>
!t4 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d2">, #aten.expr<"d4">]>>
!t5 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d4">, #aten.expr<"d1*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d4">]>>
!t6 = tensor<f64, #aten.layout<"cpu", [], 0 : i64, unit>>
!t7 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d4">, #aten.expr<"d1*d4">, 1, #aten.expr<"d4">], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d1">]>>
!t8 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d2">, #aten.expr<"d2">, #aten.expr<"d0*d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d2">]>>
!t9 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2">, 1, #aten.expr<"d0*d2">], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d2">, #aten.expr<"d4">]>>
!t10 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2">, #aten.expr<"d0*d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d2">]>>
!t11 = tensor<?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1">, 1, #aten.expr<"d0">], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">]>>
module @attention_divided_unmasked_training attributes {pattern.scalars = ["scale"]} {
  func.func @search(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}, %arg3: !t0 {aten.name = "tangent_0"}, %arg4: !t3 {aten.name = "q_5", pattern.permuted = [0, 0, 1, 3, 2]}, %arg5: !t2 {aten.name = "k_6", pattern.permuted = [1, 0, 1, 3, 2]}, %arg6: !t1 {aten.name = "v_7", pattern.permuted = [2, 0, 1, 3, 2]}) -> (!t0, !t0, !t4, !t2) {
    %0 = "aten.matmul"(%arg0, %arg1) : (!t0, !t1) -> !t5
    %1 = "aten.number"() {value = #aten.expr<"scale">} : () -> !t6
    %2 = "aten.div_tensor"(%0, %1) : (!t5, !t6) -> !t5
    %3 = "aten.u_softmax"(%2) {dim = 3 : i64, half_to_float = false} : (!t5) -> !t5
    %4 = "aten.matmul"(%3, %arg2) : (!t5, !t2) -> !t0
    %5 = "aten.permute"(%3) {dims = [0, 1, 3, 2]} : (!t5) -> !t7
    %6 = "aten.matmul"(%5, %arg3) : (!t7, !t0) -> !t2
    %7 = "aten.matmul"(%arg3, %arg6) : (!t0, !t1) -> !t5
    %8 = "aten.u_softmax_backward_data"(%7, %3) {dim = 3 : i64, input_dtype = #aten.enum<"dtype", "float32">} : (!t5, !t5) -> !t5
    %9 = "aten.div_tensor"(%8, %1) : (!t5, !t6) -> !t5
    %10 = "aten.matmul"(%arg4, %9) : (!t3, !t5) -> !t4
    %11 = "aten.matmul"(%9, %arg5) : (!t5, !t2) -> !t0
    return %4, %11, %10, %6 : !t0, !t0, !t4, !t2
  }
  pdl.pattern @attention_divided_unmasked_training : benefit(12) {
    %q = pdl.operand
    %k = pdl.operand
    %v = pdl.operand
    %tangent_0 = pdl.operand
    %q_5 = pdl.operand
    %k_6 = pdl.operand
    %v_7 = pdl.operand
    %literal0 = pdl.attribute = 3 : i64
    %literal1 = pdl.attribute = false
    %literal2 = pdl.attribute = [0, 1, 3, 2]
    %literal3 = pdl.attribute = #aten.enum<"dtype", "float32">
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
    %type5_0 = pdl.type
    %op5 = pdl.operation "aten.permute"(%op3.r0 : !pdl.value) {"dims" = %literal2} -> (%type5_0 : !pdl.type)
    %op5.r0 = pdl.result 0 of %op5
    %type6_0 = pdl.type
    %op6 = pdl.operation "aten.matmul"(%op5.r0, %tangent_0 : !pdl.value, !pdl.value) -> (%type6_0 : !pdl.type)
    %type7_0 = pdl.type
    %op7 = pdl.operation "aten.matmul"(%tangent_0, %v_7 : !pdl.value, !pdl.value) -> (%type7_0 : !pdl.type)
    %op7.r0 = pdl.result 0 of %op7
    %type8_0 = pdl.type
    %op8 = pdl.operation "aten.u_softmax_backward_data"(%op7.r0, %op3.r0 : !pdl.value, !pdl.value) {"dim" = %literal0, "input_dtype" = %literal3} -> (%type8_0 : !pdl.type)
    %op8.r0 = pdl.result 0 of %op8
    %type9_0 = pdl.type
    %op9 = pdl.operation "aten.div_tensor"(%op8.r0, %op1.r0 : !pdl.value, !pdl.value) -> (%type9_0 : !pdl.type)
    %op9.r0 = pdl.result 0 of %op9
    %type10_0 = pdl.type
    %op10 = pdl.operation "aten.matmul"(%q_5, %op9.r0 : !pdl.value, !pdl.value) -> (%type10_0 : !pdl.type)
    %type11_0 = pdl.type
    %op11 = pdl.operation "aten.matmul"(%op9.r0, %k_6 : !pdl.value, !pdl.value) -> (%type11_0 : !pdl.type)
    %name = pdl.attribute = "attention_divided_unmasked_training"
    pdl.apply_native_constraint "collect"(%name, %q, %k, %v, %tangent_0, %q_5, %k_6, %v_7, %op0, %op1, %op2, %op3, %op4, %op5, %op6, %op7, %op8, %op9, %op10, %op11 : !pdl.attribute, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation)
    pdl.rewrite %op11 with "replace"
  }
  func.func @replace(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}, %arg3: !t0 {aten.name = "tangent_0"}) -> (!t0, !t8, !t9, !t10) {
    %0 = "aten.permute"(%arg1) {dims = [0, 1, 3, 2]} : (!t1) -> !t2
    %1:2 = "aten.u_scaled_dot_product_flash_attention_for_cpu"(%arg0, %0, %arg2) {dropout_p = 0.000000e+00 : f64, is_causal = false, scale = #aten.expr<"1.0/scale">} : (!t0, !t2, !t2) -> (!t0, !t11)
    %2:3 = "aten.u_scaled_dot_product_flash_attention_for_cpu_backward"(%arg3, %arg0, %0, %arg2, %1#0, %1#1) {dropout_p = 0.000000e+00 : f64, is_causal = false, scale = #aten.expr<"1.0/scale">} : (!t0, !t0, !t2, !t2, !t0, !t11) -> (!t8, !t10, !t10)
    %3 = "aten.permute"(%2#1) {dims = [0, 1, 3, 2]} : (!t10) -> !t9
    return %1#0, %2#0, %3, %2#2 : !t0, !t8, !t9, !t10
  }
}
// -----
!t0 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d2">, #aten.expr<"d1*d2">, #aten.expr<"d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d2">]>>
!t1 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, 1, #aten.expr<"d2">], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d2">, #aten.expr<"d4">]>>
!t2 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, #aten.expr<"d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d2">]>>
!t3 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d4">, #aten.expr<"d1*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d4">]>>
!t4 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d2">, #aten.expr<"d1*d2">, 1, #aten.expr<"d2">], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d2">, #aten.expr<"d1">]>>
!t5 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d2">, #aten.expr<"d4">]>>
!t6 = tensor<f64, #aten.layout<"cpu", [], 0 : i64, unit>>
!t7 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d4">, #aten.expr<"d1*d4">, 1, #aten.expr<"d4">], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d1">]>>
!t8 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d2">, #aten.expr<"d2">, #aten.expr<"d0*d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d2">]>>
!t9 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2">, 1, #aten.expr<"d0*d2">], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d2">, #aten.expr<"d4">]>>
!t10 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2">, #aten.expr<"d0*d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d2">]>>
!t11 = tensor<?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1">, 1, #aten.expr<"d0">], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">]>>
module @attention_divided_added_training attributes {pattern.scalars = ["scale"]} {
  func.func @search(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}, %arg3: !t3 {aten.name = "mask", pattern.any_size}, %arg4: !t0 {aten.name = "tangent_0"}, %arg5: !t4 {aten.name = "q_6", pattern.permuted = [0, 0, 1, 3, 2]}, %arg6: !t2 {aten.name = "k_7", pattern.permuted = [1, 0, 1, 3, 2]}, %arg7: !t1 {aten.name = "v_8", pattern.permuted = [2, 0, 1, 3, 2]}) -> (!t0, !t0, !t5, !t2) {
    %0 = "aten.matmul"(%arg0, %arg1) : (!t0, !t1) -> !t3
    %1 = "aten.number"() {value = #aten.expr<"scale">} : () -> !t6
    %2 = "aten.div_tensor"(%0, %1) : (!t3, !t6) -> !t3
    %3 = "aten.add_tensor"(%2, %arg3) {alpha = 1 : i64} : (!t3, !t3) -> !t3
    %4 = "aten.u_softmax"(%3) {dim = 3 : i64, half_to_float = false} : (!t3) -> !t3
    %5 = "aten.matmul"(%4, %arg2) : (!t3, !t2) -> !t0
    %6 = "aten.permute"(%4) {dims = [0, 1, 3, 2]} : (!t3) -> !t7
    %7 = "aten.matmul"(%6, %arg4) : (!t7, !t0) -> !t2
    %8 = "aten.matmul"(%arg4, %arg7) : (!t0, !t1) -> !t3
    %9 = "aten.u_softmax_backward_data"(%8, %4) {dim = 3 : i64, input_dtype = #aten.enum<"dtype", "float32">} : (!t3, !t3) -> !t3
    %10 = "aten.div_tensor"(%9, %1) : (!t3, !t6) -> !t3
    %11 = "aten.matmul"(%arg5, %10) : (!t4, !t3) -> !t5
    %12 = "aten.matmul"(%10, %arg6) : (!t3, !t2) -> !t0
    return %5, %12, %11, %7 : !t0, !t0, !t5, !t2
  }
  pdl.pattern @attention_divided_added_training : benefit(13) {
    %q = pdl.operand
    %k = pdl.operand
    %v = pdl.operand
    %mask = pdl.operand
    %tangent_0 = pdl.operand
    %q_6 = pdl.operand
    %k_7 = pdl.operand
    %v_8 = pdl.operand
    %literal0 = pdl.attribute = 1 : i64
    %literal1 = pdl.attribute = 3 : i64
    %literal2 = pdl.attribute = false
    %literal3 = pdl.attribute = [0, 1, 3, 2]
    %literal4 = pdl.attribute = #aten.enum<"dtype", "float32">
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
    %type6_0 = pdl.type
    %op6 = pdl.operation "aten.permute"(%op4.r0 : !pdl.value) {"dims" = %literal3} -> (%type6_0 : !pdl.type)
    %op6.r0 = pdl.result 0 of %op6
    %type7_0 = pdl.type
    %op7 = pdl.operation "aten.matmul"(%op6.r0, %tangent_0 : !pdl.value, !pdl.value) -> (%type7_0 : !pdl.type)
    %type8_0 = pdl.type
    %op8 = pdl.operation "aten.matmul"(%tangent_0, %v_8 : !pdl.value, !pdl.value) -> (%type8_0 : !pdl.type)
    %op8.r0 = pdl.result 0 of %op8
    %type9_0 = pdl.type
    %op9 = pdl.operation "aten.u_softmax_backward_data"(%op8.r0, %op4.r0 : !pdl.value, !pdl.value) {"dim" = %literal1, "input_dtype" = %literal4} -> (%type9_0 : !pdl.type)
    %op9.r0 = pdl.result 0 of %op9
    %type10_0 = pdl.type
    %op10 = pdl.operation "aten.div_tensor"(%op9.r0, %op1.r0 : !pdl.value, !pdl.value) -> (%type10_0 : !pdl.type)
    %op10.r0 = pdl.result 0 of %op10
    %type11_0 = pdl.type
    %op11 = pdl.operation "aten.matmul"(%q_6, %op10.r0 : !pdl.value, !pdl.value) -> (%type11_0 : !pdl.type)
    %type12_0 = pdl.type
    %op12 = pdl.operation "aten.matmul"(%op10.r0, %k_7 : !pdl.value, !pdl.value) -> (%type12_0 : !pdl.type)
    %name = pdl.attribute = "attention_divided_added_training"
    pdl.apply_native_constraint "collect"(%name, %q, %k, %v, %mask, %tangent_0, %q_6, %k_7, %v_8, %op0, %op1, %op2, %op3, %op4, %op5, %op6, %op7, %op8, %op9, %op10, %op11, %op12 : !pdl.attribute, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation)
    pdl.rewrite %op12 with "replace"
  }
  pdl.pattern @attention_divided_added_training_1 : benefit(13) {
    %q = pdl.operand
    %k = pdl.operand
    %v = pdl.operand
    %mask = pdl.operand
    %tangent_0 = pdl.operand
    %q_6 = pdl.operand
    %k_7 = pdl.operand
    %v_8 = pdl.operand
    %literal0 = pdl.attribute = 1 : i64
    %literal1 = pdl.attribute = 3 : i64
    %literal2 = pdl.attribute = false
    %literal3 = pdl.attribute = [0, 1, 3, 2]
    %literal4 = pdl.attribute = #aten.enum<"dtype", "float32">
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
    %type6_0 = pdl.type
    %op6 = pdl.operation "aten.permute"(%op4.r0 : !pdl.value) {"dims" = %literal3} -> (%type6_0 : !pdl.type)
    %op6.r0 = pdl.result 0 of %op6
    %type7_0 = pdl.type
    %op7 = pdl.operation "aten.matmul"(%op6.r0, %tangent_0 : !pdl.value, !pdl.value) -> (%type7_0 : !pdl.type)
    %type8_0 = pdl.type
    %op8 = pdl.operation "aten.matmul"(%tangent_0, %v_8 : !pdl.value, !pdl.value) -> (%type8_0 : !pdl.type)
    %op8.r0 = pdl.result 0 of %op8
    %type9_0 = pdl.type
    %op9 = pdl.operation "aten.u_softmax_backward_data"(%op8.r0, %op4.r0 : !pdl.value, !pdl.value) {"dim" = %literal1, "input_dtype" = %literal4} -> (%type9_0 : !pdl.type)
    %op9.r0 = pdl.result 0 of %op9
    %type10_0 = pdl.type
    %op10 = pdl.operation "aten.div_tensor"(%op9.r0, %op1.r0 : !pdl.value, !pdl.value) -> (%type10_0 : !pdl.type)
    %op10.r0 = pdl.result 0 of %op10
    %type11_0 = pdl.type
    %op11 = pdl.operation "aten.matmul"(%q_6, %op10.r0 : !pdl.value, !pdl.value) -> (%type11_0 : !pdl.type)
    %type12_0 = pdl.type
    %op12 = pdl.operation "aten.matmul"(%op10.r0, %k_7 : !pdl.value, !pdl.value) -> (%type12_0 : !pdl.type)
    %name = pdl.attribute = "attention_divided_added_training"
    pdl.apply_native_constraint "collect"(%name, %q, %k, %v, %mask, %tangent_0, %q_6, %k_7, %v_8, %op0, %op1, %op2, %op3, %op4, %op5, %op6, %op7, %op8, %op9, %op10, %op11, %op12 : !pdl.attribute, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation)
    pdl.rewrite %op12 with "replace"
  }
  func.func @replace(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}, %arg3: !t3 {aten.name = "mask"}, %arg4: !t0 {aten.name = "tangent_0"}) -> (!t0, !t8, !t9, !t10) {
    %0 = "aten.permute"(%arg1) {dims = [0, 1, 3, 2]} : (!t1) -> !t2
    %1:2 = "aten.u_scaled_dot_product_flash_attention_for_cpu"(%arg0, %0, %arg2, %arg3) {dropout_p = 0.000000e+00 : f64, is_causal = false, scale = #aten.expr<"1.0/scale">} : (!t0, !t2, !t2, !t3) -> (!t0, !t11)
    %2:3 = "aten.u_scaled_dot_product_flash_attention_for_cpu_backward"(%arg4, %arg0, %0, %arg2, %1#0, %1#1, %arg3) {dropout_p = 0.000000e+00 : f64, is_causal = false, scale = #aten.expr<"1.0/scale">} : (!t0, !t0, !t2, !t2, !t0, !t11, !t3) -> (!t8, !t10, !t10)
    %3 = "aten.permute"(%2#1) {dims = [0, 1, 3, 2]} : (!t10) -> !t9
    return %1#0, %2#0, %3, %2#2 : !t0, !t8, !t9, !t10
  }
}
// -----
!t0 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d2">, #aten.expr<"d1*d2">, #aten.expr<"d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d2">]>>
!t1 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, 1, #aten.expr<"d2">], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d2">, #aten.expr<"d4">]>>
!t2 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, #aten.expr<"d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d2">]>>
!t3 = tensor<?x?x?x?xi1, #aten.layout<"cpu", [#aten.expr<"d0*d1*d4">, #aten.expr<"d1*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d4">]>>
!t4 = tensor<f32, #aten.layout<"cpu", [], 0 : i64, unit>>
!t5 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d2">, #aten.expr<"d1*d2">, 1, #aten.expr<"d2">], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d2">, #aten.expr<"d1">]>>
!t6 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d2">, #aten.expr<"d4">]>>
!t7 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d4">, #aten.expr<"d1*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d4">]>>
!t8 = tensor<f64, #aten.layout<"cpu", [], 0 : i64, unit>>
!t9 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d4">, #aten.expr<"d1*d4">, 1, #aten.expr<"d4">], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d1">]>>
!t10 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d2">, #aten.expr<"d2">, #aten.expr<"d0*d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d2">]>>
!t11 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2">, 1, #aten.expr<"d0*d2">], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d2">, #aten.expr<"d4">]>>
!t12 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2">, #aten.expr<"d0*d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d2">]>>
!t13 = tensor<?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1">, 1, #aten.expr<"d0">], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">]>>
module @attention_divided_kept_training attributes {pattern.scalars = ["scale"]} {
  func.func @search(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}, %arg3: !t3 {aten.name = "mask", pattern.any_size}, %arg4: !t4 {aten.name = "fill"}, %arg5: !t0 {aten.name = "tangent_0"}, %arg6: !t5 {aten.name = "q_7", pattern.permuted = [0, 0, 1, 3, 2]}, %arg7: !t2 {aten.name = "k_8", pattern.permuted = [1, 0, 1, 3, 2]}, %arg8: !t1 {aten.name = "v_9", pattern.permuted = [2, 0, 1, 3, 2]}) -> (!t0, !t0, !t6, !t2) {
    %0 = "aten.matmul"(%arg0, %arg1) : (!t0, !t1) -> !t7
    %1 = "aten.number"() {value = #aten.expr<"scale">} : () -> !t8
    %2 = "aten.div_tensor"(%0, %1) : (!t7, !t8) -> !t7
    %3 = "aten.where_self"(%arg3, %2, %arg4) : (!t3, !t7, !t4) -> !t7
    %4 = "aten.u_softmax"(%3) {dim = 3 : i64, half_to_float = false} : (!t7) -> !t7
    %5 = "aten.matmul"(%4, %arg2) : (!t7, !t2) -> !t0
    %6 = "aten.permute"(%4) {dims = [0, 1, 3, 2]} : (!t7) -> !t9
    %7 = "aten.matmul"(%6, %arg5) : (!t9, !t0) -> !t2
    %8 = "aten.matmul"(%arg5, %arg8) : (!t0, !t1) -> !t7
    %9 = "aten.u_softmax_backward_data"(%8, %4) {dim = 3 : i64, input_dtype = #aten.enum<"dtype", "float32">} : (!t7, !t7) -> !t7
    %10 = "aten.scalar_tensor"() {device = #aten.enum<"device", "cpu">, dtype = #aten.enum<"dtype", "float32">, layout = #aten.enum<"layout", "strided">, pin_memory = #aten.none, s = 0 : i64} : () -> !t4
    %11 = "aten.where_self"(%arg3, %9, %10) : (!t3, !t7, !t4) -> !t7
    %12 = "aten.div_tensor"(%11, %1) : (!t7, !t8) -> !t7
    %13 = "aten.matmul"(%arg6, %12) : (!t5, !t7) -> !t6
    %14 = "aten.matmul"(%12, %arg7) : (!t7, !t2) -> !t0
    return %5, %14, %13, %7 : !t0, !t0, !t6, !t2
  }
  pdl.pattern @attention_divided_kept_training : benefit(15) {
    %q = pdl.operand
    %k = pdl.operand
    %v = pdl.operand
    %mask = pdl.operand
    %fill = pdl.operand
    %tangent_0 = pdl.operand
    %q_7 = pdl.operand
    %k_8 = pdl.operand
    %v_9 = pdl.operand
    %literal0 = pdl.attribute = 3 : i64
    %literal1 = pdl.attribute = false
    %literal2 = pdl.attribute = [0, 1, 3, 2]
    %literal3 = pdl.attribute = #aten.enum<"dtype", "float32">
    %literal4 = pdl.attribute = #aten.enum<"layout", "strided">
    %literal5 = pdl.attribute = #aten.none
    %literal6 = pdl.attribute = 0 : i64
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
    %type6_0 = pdl.type
    %op6 = pdl.operation "aten.permute"(%op4.r0 : !pdl.value) {"dims" = %literal2} -> (%type6_0 : !pdl.type)
    %op6.r0 = pdl.result 0 of %op6
    %type7_0 = pdl.type
    %op7 = pdl.operation "aten.matmul"(%op6.r0, %tangent_0 : !pdl.value, !pdl.value) -> (%type7_0 : !pdl.type)
    %type8_0 = pdl.type
    %op8 = pdl.operation "aten.matmul"(%tangent_0, %v_9 : !pdl.value, !pdl.value) -> (%type8_0 : !pdl.type)
    %op8.r0 = pdl.result 0 of %op8
    %type9_0 = pdl.type
    %op9 = pdl.operation "aten.u_softmax_backward_data"(%op8.r0, %op4.r0 : !pdl.value, !pdl.value) {"dim" = %literal0, "input_dtype" = %literal3} -> (%type9_0 : !pdl.type)
    %op9.r0 = pdl.result 0 of %op9
    %type10_0 = pdl.type
    %op10 = pdl.operation "aten.scalar_tensor" {"dtype" = %literal3, "layout" = %literal4, "pin_memory" = %literal5, "s" = %literal6} -> (%type10_0 : !pdl.type)
    %op10.r0 = pdl.result 0 of %op10
    %type11_0 = pdl.type
    %op11 = pdl.operation "aten.where_self"(%mask, %op9.r0, %op10.r0 : !pdl.value, !pdl.value, !pdl.value) -> (%type11_0 : !pdl.type)
    %op11.r0 = pdl.result 0 of %op11
    %type12_0 = pdl.type
    %op12 = pdl.operation "aten.div_tensor"(%op11.r0, %op1.r0 : !pdl.value, !pdl.value) -> (%type12_0 : !pdl.type)
    %op12.r0 = pdl.result 0 of %op12
    %type13_0 = pdl.type
    %op13 = pdl.operation "aten.matmul"(%q_7, %op12.r0 : !pdl.value, !pdl.value) -> (%type13_0 : !pdl.type)
    %type14_0 = pdl.type
    %op14 = pdl.operation "aten.matmul"(%op12.r0, %k_8 : !pdl.value, !pdl.value) -> (%type14_0 : !pdl.type)
    %name = pdl.attribute = "attention_divided_kept_training"
    pdl.apply_native_constraint "collect"(%name, %q, %k, %v, %mask, %fill, %tangent_0, %q_7, %k_8, %v_9, %op0, %op1, %op2, %op3, %op4, %op5, %op6, %op7, %op8, %op9, %op10, %op11, %op12, %op13, %op14 : !pdl.attribute, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation)
    pdl.rewrite %op14 with "replace"
  }
  func.func @replace(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}, %arg3: !t3 {aten.name = "mask"}, %arg4: !t4 {aten.name = "fill"}, %arg5: !t0 {aten.name = "tangent_0"}) -> (!t0, !t10, !t11, !t12) {
    %0 = "aten.zeros"() {device = #aten.enum<"device", "cpu">, dtype = #aten.enum<"dtype", "float32">, layout = #aten.none, pin_memory = false, size = []} : () -> !t4
    %1 = "aten.where_self"(%arg3, %0, %arg4) : (!t3, !t4, !t4) -> !t7
    %2 = "aten.permute"(%arg1) {dims = [0, 1, 3, 2]} : (!t1) -> !t2
    %3:2 = "aten.u_scaled_dot_product_flash_attention_for_cpu"(%arg0, %2, %arg2, %1) {dropout_p = 0.000000e+00 : f64, is_causal = false, scale = #aten.expr<"1.0/scale">} : (!t0, !t2, !t2, !t7) -> (!t0, !t13)
    %4:3 = "aten.u_scaled_dot_product_flash_attention_for_cpu_backward"(%arg5, %arg0, %2, %arg2, %3#0, %3#1, %1) {dropout_p = 0.000000e+00 : f64, is_causal = false, scale = #aten.expr<"1.0/scale">} : (!t0, !t0, !t2, !t2, !t0, !t13, !t7) -> (!t10, !t12, !t12)
    %5 = "aten.permute"(%4#1) {dims = [0, 1, 3, 2]} : (!t12) -> !t11
    return %3#0, %4#0, %5, %4#2 : !t0, !t10, !t11, !t12
  }
}
// -----
!t0 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d2">, #aten.expr<"d1*d2">, #aten.expr<"d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d2">]>>
!t1 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, 1, #aten.expr<"d2">], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d2">, #aten.expr<"d4">]>>
!t2 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, #aten.expr<"d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d2">]>>
!t3 = tensor<?x?x?x?xi1, #aten.layout<"cpu", [#aten.expr<"d0*d1*d4">, #aten.expr<"d1*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d4">]>>
!t4 = tensor<f32, #aten.layout<"cpu", [], 0 : i64, unit>>
!t5 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d2">, #aten.expr<"d1*d2">, 1, #aten.expr<"d2">], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d2">, #aten.expr<"d1">]>>
!t6 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d2">, #aten.expr<"d4">]>>
!t7 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d4">, #aten.expr<"d1*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d4">]>>
!t8 = tensor<f64, #aten.layout<"cpu", [], 0 : i64, unit>>
!t9 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d4">, #aten.expr<"d1*d4">, 1, #aten.expr<"d4">], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d1">]>>
!t10 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d2">, #aten.expr<"d2">, #aten.expr<"d0*d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d2">]>>
!t11 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2">, 1, #aten.expr<"d0*d2">], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d2">, #aten.expr<"d4">]>>
!t12 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2">, #aten.expr<"d0*d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d2">]>>
!t13 = tensor<?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1">, 1, #aten.expr<"d0">], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">]>>
module @attention_divided_dropped_training attributes {pattern.scalars = ["scale"]} {
  func.func @search(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}, %arg3: !t3 {aten.name = "mask", pattern.any_size}, %arg4: !t4 {aten.name = "fill"}, %arg5: !t0 {aten.name = "tangent_0"}, %arg6: !t5 {aten.name = "q_7", pattern.permuted = [0, 0, 1, 3, 2]}, %arg7: !t2 {aten.name = "k_8", pattern.permuted = [1, 0, 1, 3, 2]}, %arg8: !t1 {aten.name = "v_9", pattern.permuted = [2, 0, 1, 3, 2]}) -> (!t0, !t0, !t6, !t2) {
    %0 = "aten.matmul"(%arg0, %arg1) : (!t0, !t1) -> !t7
    %1 = "aten.number"() {value = #aten.expr<"scale">} : () -> !t8
    %2 = "aten.div_tensor"(%0, %1) : (!t7, !t8) -> !t7
    %3 = "aten.where_self"(%arg3, %arg4, %2) : (!t3, !t4, !t7) -> !t7
    %4 = "aten.u_softmax"(%3) {dim = 3 : i64, half_to_float = false} : (!t7) -> !t7
    %5 = "aten.matmul"(%4, %arg2) : (!t7, !t2) -> !t0
    %6 = "aten.permute"(%4) {dims = [0, 1, 3, 2]} : (!t7) -> !t9
    %7 = "aten.matmul"(%6, %arg5) : (!t9, !t0) -> !t2
    %8 = "aten.matmul"(%arg5, %arg8) : (!t0, !t1) -> !t7
    %9 = "aten.u_softmax_backward_data"(%8, %4) {dim = 3 : i64, input_dtype = #aten.enum<"dtype", "float32">} : (!t7, !t7) -> !t7
    %10 = "aten.scalar_tensor"() {device = #aten.enum<"device", "cpu">, dtype = #aten.enum<"dtype", "float32">, layout = #aten.enum<"layout", "strided">, pin_memory = #aten.none, s = 0 : i64} : () -> !t4
    %11 = "aten.where_self"(%arg3, %10, %9) : (!t3, !t4, !t7) -> !t7
    %12 = "aten.div_tensor"(%11, %1) : (!t7, !t8) -> !t7
    %13 = "aten.matmul"(%arg6, %12) : (!t5, !t7) -> !t6
    %14 = "aten.matmul"(%12, %arg7) : (!t7, !t2) -> !t0
    return %5, %14, %13, %7 : !t0, !t0, !t6, !t2
  }
  pdl.pattern @attention_divided_dropped_training : benefit(15) {
    %q = pdl.operand
    %k = pdl.operand
    %v = pdl.operand
    %mask = pdl.operand
    %fill = pdl.operand
    %tangent_0 = pdl.operand
    %q_7 = pdl.operand
    %k_8 = pdl.operand
    %v_9 = pdl.operand
    %literal0 = pdl.attribute = 3 : i64
    %literal1 = pdl.attribute = false
    %literal2 = pdl.attribute = [0, 1, 3, 2]
    %literal3 = pdl.attribute = #aten.enum<"dtype", "float32">
    %literal4 = pdl.attribute = #aten.enum<"layout", "strided">
    %literal5 = pdl.attribute = #aten.none
    %literal6 = pdl.attribute = 0 : i64
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
    %type6_0 = pdl.type
    %op6 = pdl.operation "aten.permute"(%op4.r0 : !pdl.value) {"dims" = %literal2} -> (%type6_0 : !pdl.type)
    %op6.r0 = pdl.result 0 of %op6
    %type7_0 = pdl.type
    %op7 = pdl.operation "aten.matmul"(%op6.r0, %tangent_0 : !pdl.value, !pdl.value) -> (%type7_0 : !pdl.type)
    %type8_0 = pdl.type
    %op8 = pdl.operation "aten.matmul"(%tangent_0, %v_9 : !pdl.value, !pdl.value) -> (%type8_0 : !pdl.type)
    %op8.r0 = pdl.result 0 of %op8
    %type9_0 = pdl.type
    %op9 = pdl.operation "aten.u_softmax_backward_data"(%op8.r0, %op4.r0 : !pdl.value, !pdl.value) {"dim" = %literal0, "input_dtype" = %literal3} -> (%type9_0 : !pdl.type)
    %op9.r0 = pdl.result 0 of %op9
    %type10_0 = pdl.type
    %op10 = pdl.operation "aten.scalar_tensor" {"dtype" = %literal3, "layout" = %literal4, "pin_memory" = %literal5, "s" = %literal6} -> (%type10_0 : !pdl.type)
    %op10.r0 = pdl.result 0 of %op10
    %type11_0 = pdl.type
    %op11 = pdl.operation "aten.where_self"(%mask, %op10.r0, %op9.r0 : !pdl.value, !pdl.value, !pdl.value) -> (%type11_0 : !pdl.type)
    %op11.r0 = pdl.result 0 of %op11
    %type12_0 = pdl.type
    %op12 = pdl.operation "aten.div_tensor"(%op11.r0, %op1.r0 : !pdl.value, !pdl.value) -> (%type12_0 : !pdl.type)
    %op12.r0 = pdl.result 0 of %op12
    %type13_0 = pdl.type
    %op13 = pdl.operation "aten.matmul"(%q_7, %op12.r0 : !pdl.value, !pdl.value) -> (%type13_0 : !pdl.type)
    %type14_0 = pdl.type
    %op14 = pdl.operation "aten.matmul"(%op12.r0, %k_8 : !pdl.value, !pdl.value) -> (%type14_0 : !pdl.type)
    %name = pdl.attribute = "attention_divided_dropped_training"
    pdl.apply_native_constraint "collect"(%name, %q, %k, %v, %mask, %fill, %tangent_0, %q_7, %k_8, %v_9, %op0, %op1, %op2, %op3, %op4, %op5, %op6, %op7, %op8, %op9, %op10, %op11, %op12, %op13, %op14 : !pdl.attribute, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation)
    pdl.rewrite %op14 with "replace"
  }
  func.func @replace(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}, %arg3: !t3 {aten.name = "mask"}, %arg4: !t4 {aten.name = "fill"}, %arg5: !t0 {aten.name = "tangent_0"}) -> (!t0, !t10, !t11, !t12) {
    %0 = "aten.zeros"() {device = #aten.enum<"device", "cpu">, dtype = #aten.enum<"dtype", "float32">, layout = #aten.none, pin_memory = false, size = []} : () -> !t4
    %1 = "aten.where_self"(%arg3, %arg4, %0) : (!t3, !t4, !t4) -> !t7
    %2 = "aten.permute"(%arg1) {dims = [0, 1, 3, 2]} : (!t1) -> !t2
    %3:2 = "aten.u_scaled_dot_product_flash_attention_for_cpu"(%arg0, %2, %arg2, %1) {dropout_p = 0.000000e+00 : f64, is_causal = false, scale = #aten.expr<"1.0/scale">} : (!t0, !t2, !t2, !t7) -> (!t0, !t13)
    %4:3 = "aten.u_scaled_dot_product_flash_attention_for_cpu_backward"(%arg5, %arg0, %2, %arg2, %3#0, %3#1, %1) {dropout_p = 0.000000e+00 : f64, is_causal = false, scale = #aten.expr<"1.0/scale">} : (!t0, !t0, !t2, !t2, !t0, !t13, !t7) -> (!t10, !t12, !t12)
    %5 = "aten.permute"(%4#1) {dims = [0, 1, 3, 2]} : (!t12) -> !t11
    return %3#0, %4#0, %5, %4#2 : !t0, !t10, !t11, !t12
  }
}
// -----
!t0 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d2">, #aten.expr<"d1*d2">, #aten.expr<"d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d2">]>>
!t1 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, 1, #aten.expr<"d2">], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d2">, #aten.expr<"d4">]>>
!t2 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, #aten.expr<"d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d2">]>>
!t3 = tensor<?x?x?x?xi1, #aten.layout<"cpu", [#aten.expr<"d0*d1*d4">, #aten.expr<"d1*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d4">]>>
!t4 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d2">, #aten.expr<"d1*d2">, 1, #aten.expr<"d2">], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d2">, #aten.expr<"d1">]>>
!t5 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d2">, #aten.expr<"d4">]>>
!t6 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d4">, #aten.expr<"d1*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d4">]>>
!t7 = tensor<f64, #aten.layout<"cpu", [], 0 : i64, unit>>
!t8 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d4">, #aten.expr<"d1*d4">, 1, #aten.expr<"d4">], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d1">]>>
!t9 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d2">, #aten.expr<"d2">, #aten.expr<"d0*d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d2">]>>
!t10 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2">, 1, #aten.expr<"d0*d2">], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d2">, #aten.expr<"d4">]>>
!t11 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2">, #aten.expr<"d0*d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d2">]>>
!t12 = tensor<f32, #aten.layout<"cpu", [], 0 : i64, unit>>
!t13 = tensor<?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1">, 1, #aten.expr<"d0">], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">]>>
module @attention_divided_filled_training attributes {pattern.scalars = ["fill", "scale"]} {
  func.func @search(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}, %arg3: !t3 {aten.name = "mask", pattern.any_size}, %arg4: !t0 {aten.name = "tangent_0"}, %arg5: !t4 {aten.name = "q_6", pattern.permuted = [0, 0, 1, 3, 2]}, %arg6: !t2 {aten.name = "k_7", pattern.permuted = [1, 0, 1, 3, 2]}, %arg7: !t1 {aten.name = "v_8", pattern.permuted = [2, 0, 1, 3, 2]}) -> (!t0, !t0, !t5, !t2) {
    %0 = "aten.matmul"(%arg0, %arg1) : (!t0, !t1) -> !t6
    %1 = "aten.number"() {value = #aten.expr<"scale">} : () -> !t7
    %2 = "aten.div_tensor"(%0, %1) : (!t6, !t7) -> !t6
    %3 = "aten.masked_fill_scalar"(%2, %arg3) {value = #aten.expr<"fill">} : (!t6, !t3) -> !t6
    %4 = "aten.u_softmax"(%3) {dim = 3 : i64, half_to_float = false} : (!t6) -> !t6
    %5 = "aten.matmul"(%4, %arg2) : (!t6, !t2) -> !t0
    %6 = "aten.permute"(%4) {dims = [0, 1, 3, 2]} : (!t6) -> !t8
    %7 = "aten.matmul"(%6, %arg4) : (!t8, !t0) -> !t2
    %8 = "aten.matmul"(%arg4, %arg7) : (!t0, !t1) -> !t6
    %9 = "aten.u_softmax_backward_data"(%8, %4) {dim = 3 : i64, input_dtype = #aten.enum<"dtype", "float32">} : (!t6, !t6) -> !t6
    %10 = "aten.masked_fill_scalar"(%9, %arg3) {value = 0 : i64} : (!t6, !t3) -> !t6
    %11 = "aten.div_tensor"(%10, %1) : (!t6, !t7) -> !t6
    %12 = "aten.matmul"(%arg5, %11) : (!t4, !t6) -> !t5
    %13 = "aten.matmul"(%11, %arg6) : (!t6, !t2) -> !t0
    return %5, %13, %12, %7 : !t0, !t0, !t5, !t2
  }
  pdl.pattern @attention_divided_filled_training : benefit(14) {
    %q = pdl.operand
    %k = pdl.operand
    %v = pdl.operand
    %mask = pdl.operand
    %tangent_0 = pdl.operand
    %q_6 = pdl.operand
    %k_7 = pdl.operand
    %v_8 = pdl.operand
    %literal0 = pdl.attribute = 3 : i64
    %literal1 = pdl.attribute = false
    %literal2 = pdl.attribute = [0, 1, 3, 2]
    %literal3 = pdl.attribute = #aten.enum<"dtype", "float32">
    %literal4 = pdl.attribute = 0 : i64
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
    %type6_0 = pdl.type
    %op6 = pdl.operation "aten.permute"(%op4.r0 : !pdl.value) {"dims" = %literal2} -> (%type6_0 : !pdl.type)
    %op6.r0 = pdl.result 0 of %op6
    %type7_0 = pdl.type
    %op7 = pdl.operation "aten.matmul"(%op6.r0, %tangent_0 : !pdl.value, !pdl.value) -> (%type7_0 : !pdl.type)
    %type8_0 = pdl.type
    %op8 = pdl.operation "aten.matmul"(%tangent_0, %v_8 : !pdl.value, !pdl.value) -> (%type8_0 : !pdl.type)
    %op8.r0 = pdl.result 0 of %op8
    %type9_0 = pdl.type
    %op9 = pdl.operation "aten.u_softmax_backward_data"(%op8.r0, %op4.r0 : !pdl.value, !pdl.value) {"dim" = %literal0, "input_dtype" = %literal3} -> (%type9_0 : !pdl.type)
    %op9.r0 = pdl.result 0 of %op9
    %type10_0 = pdl.type
    %op10 = pdl.operation "aten.masked_fill_scalar"(%op9.r0, %mask : !pdl.value, !pdl.value) {"value" = %literal4} -> (%type10_0 : !pdl.type)
    %op10.r0 = pdl.result 0 of %op10
    %type11_0 = pdl.type
    %op11 = pdl.operation "aten.div_tensor"(%op10.r0, %op1.r0 : !pdl.value, !pdl.value) -> (%type11_0 : !pdl.type)
    %op11.r0 = pdl.result 0 of %op11
    %type12_0 = pdl.type
    %op12 = pdl.operation "aten.matmul"(%q_6, %op11.r0 : !pdl.value, !pdl.value) -> (%type12_0 : !pdl.type)
    %type13_0 = pdl.type
    %op13 = pdl.operation "aten.matmul"(%op11.r0, %k_7 : !pdl.value, !pdl.value) -> (%type13_0 : !pdl.type)
    %name = pdl.attribute = "attention_divided_filled_training"
    pdl.apply_native_constraint "collect"(%name, %q, %k, %v, %mask, %tangent_0, %q_6, %k_7, %v_8, %op0, %op1, %op2, %op3, %op4, %op5, %op6, %op7, %op8, %op9, %op10, %op11, %op12, %op13 : !pdl.attribute, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation)
    pdl.rewrite %op13 with "replace"
  }
  func.func @replace(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}, %arg3: !t3 {aten.name = "mask"}, %arg4: !t0 {aten.name = "tangent_0"}) -> (!t0, !t9, !t10, !t11) {
    %0 = "aten.scalar_tensor"() {device = #aten.enum<"device", "cpu">, dtype = #aten.enum<"dtype", "float32">, layout = #aten.enum<"layout", "strided">, pin_memory = #aten.none, s = 0.000000e+00 : f64} : () -> !t12
    %1 = "aten.scalar_tensor"() {device = #aten.enum<"device", "cpu">, dtype = #aten.enum<"dtype", "float32">, layout = #aten.enum<"layout", "strided">, pin_memory = #aten.none, s = #aten.expr<"fill">} : () -> !t12
    %2 = "aten.where_self"(%arg3, %1, %0) : (!t3, !t12, !t12) -> !t6
    %3 = "aten.permute"(%arg1) {dims = [0, 1, 3, 2]} : (!t1) -> !t2
    %4:2 = "aten.u_scaled_dot_product_flash_attention_for_cpu"(%arg0, %3, %arg2, %2) {dropout_p = 0.000000e+00 : f64, is_causal = false, scale = #aten.expr<"1.0/scale">} : (!t0, !t2, !t2, !t6) -> (!t0, !t13)
    %5:3 = "aten.u_scaled_dot_product_flash_attention_for_cpu_backward"(%arg4, %arg0, %3, %arg2, %4#0, %4#1, %2) {dropout_p = 0.000000e+00 : f64, is_causal = false, scale = #aten.expr<"1.0/scale">} : (!t0, !t0, !t2, !t2, !t0, !t13, !t6) -> (!t9, !t11, !t11)
    %6 = "aten.permute"(%5#1) {dims = [0, 1, 3, 2]} : (!t11) -> !t10
    return %4#0, %5#0, %6, %5#2 : !t0, !t9, !t10, !t11
  }
}
// -----
!t0 = tensor<?x?x?x?xbf16, #aten.layout<"cpu", [#aten.expr<"d0*d1*d2">, #aten.expr<"d1*d2">, #aten.expr<"d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d2">]>>
!t1 = tensor<?x?x?x?xbf16, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, 1, #aten.expr<"d2">], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d2">, #aten.expr<"d4">]>>
!t2 = tensor<?x?x?x?xbf16, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, #aten.expr<"d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d2">]>>
!t3 = tensor<?x?x?x?xbf16, #aten.layout<"cpu", [#aten.expr<"d0*d1*d2">, #aten.expr<"d1*d2">, 1, #aten.expr<"d2">], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d2">, #aten.expr<"d1">]>>
!t4 = tensor<?x?x?x?xbf16, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d2">, #aten.expr<"d4">]>>
!t5 = tensor<?x?x?x?xbf16, #aten.layout<"cpu", [#aten.expr<"d0*d1*d4">, #aten.expr<"d1*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d4">]>>
!t6 = tensor<f64, #aten.layout<"cpu", [], 0 : i64, unit>>
!t7 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d4">, #aten.expr<"d1*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d4">]>>
!t8 = tensor<?x?x?x?xbf16, #aten.layout<"cpu", [#aten.expr<"d0*d1*d4">, #aten.expr<"d1*d4">, 1, #aten.expr<"d4">], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d1">]>>
!t9 = tensor<?x?x?x?xbf16, #aten.layout<"cpu", [#aten.expr<"d0*d1*d2">, #aten.expr<"d2">, #aten.expr<"d0*d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d2">]>>
!t10 = tensor<?x?x?x?xbf16, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2">, 1, #aten.expr<"d0*d2">], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d2">, #aten.expr<"d4">]>>
!t11 = tensor<?x?x?x?xbf16, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2">, #aten.expr<"d0*d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d2">]>>
!t12 = tensor<?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1">, 1, #aten.expr<"d0">], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">]>>
module @attention_divided_unmasked_training_bfloat16 attributes {pattern.scalars = ["scale"]} {
  func.func @search(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}, %arg3: !t0 {aten.name = "tangent_0"}, %arg4: !t3 {aten.name = "q_5", pattern.permuted = [0, 0, 1, 3, 2]}, %arg5: !t2 {aten.name = "k_6", pattern.permuted = [1, 0, 1, 3, 2]}, %arg6: !t1 {aten.name = "v_7", pattern.permuted = [2, 0, 1, 3, 2]}) -> (!t0, !t0, !t4, !t2) {
    %0 = "aten.matmul"(%arg0, %arg1) : (!t0, !t1) -> !t5
    %1 = "aten.number"() {value = #aten.expr<"scale">} : () -> !t6
    %2 = "aten.div_tensor"(%0, %1) : (!t5, !t6) -> !t5
    %3 = "aten.u_to_copy"(%2) {device = #aten.none, dtype = #aten.enum<"dtype", "float32">, layout = #aten.none, memory_format = #aten.none, non_blocking = false, pin_memory = #aten.none} : (!t5) -> !t7
    %4 = "aten.u_softmax"(%3) {dim = 3 : i64, half_to_float = false} : (!t7) -> !t7
    %5 = "aten.u_to_copy"(%4) {device = #aten.none, dtype = #aten.enum<"dtype", "bfloat16">, layout = #aten.none, memory_format = #aten.none, non_blocking = false, pin_memory = #aten.none} : (!t7) -> !t5
    %6 = "aten.matmul"(%5, %arg2) : (!t5, !t2) -> !t0
    %7 = "aten.permute"(%5) {dims = [0, 1, 3, 2]} : (!t5) -> !t8
    %8 = "aten.matmul"(%7, %arg3) : (!t8, !t0) -> !t2
    %9 = "aten.matmul"(%arg3, %arg6) : (!t0, !t1) -> !t5
    %10 = "aten.u_to_copy"(%9) {device = #aten.none, dtype = #aten.enum<"dtype", "float32">, layout = #aten.none, memory_format = #aten.none, non_blocking = false, pin_memory = #aten.none} : (!t5) -> !t7
    %11 = "aten.u_softmax_backward_data"(%10, %4) {dim = 3 : i64, input_dtype = #aten.enum<"dtype", "float32">} : (!t7, !t7) -> !t7
    %12 = "aten.u_to_copy"(%11) {device = #aten.none, dtype = #aten.enum<"dtype", "bfloat16">, layout = #aten.none, memory_format = #aten.none, non_blocking = false, pin_memory = #aten.none} : (!t7) -> !t5
    %13 = "aten.div_tensor"(%12, %1) : (!t5, !t6) -> !t5
    %14 = "aten.matmul"(%arg4, %13) : (!t3, !t5) -> !t4
    %15 = "aten.matmul"(%13, %arg5) : (!t5, !t2) -> !t0
    return %6, %15, %14, %8 : !t0, !t0, !t4, !t2
  }
  pdl.pattern @attention_divided_unmasked_training_bfloat16 : benefit(16) {
    %q = pdl.operand
    %k = pdl.operand
    %v = pdl.operand
    %tangent_0 = pdl.operand
    %q_5 = pdl.operand
    %k_6 = pdl.operand
    %v_7 = pdl.operand
    %literal0 = pdl.attribute = #aten.none
    %literal1 = pdl.attribute = #aten.enum<"dtype", "float32">
    %literal2 = pdl.attribute = false
    %literal3 = pdl.attribute = 3 : i64
    %literal4 = pdl.attribute = #aten.enum<"dtype", "bfloat16">
    %literal5 = pdl.attribute = [0, 1, 3, 2]
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
    %type7_0 = pdl.type
    %op7 = pdl.operation "aten.permute"(%op5.r0 : !pdl.value) {"dims" = %literal5} -> (%type7_0 : !pdl.type)
    %op7.r0 = pdl.result 0 of %op7
    %type8_0 = pdl.type
    %op8 = pdl.operation "aten.matmul"(%op7.r0, %tangent_0 : !pdl.value, !pdl.value) -> (%type8_0 : !pdl.type)
    %type9_0 = pdl.type
    %op9 = pdl.operation "aten.matmul"(%tangent_0, %v_7 : !pdl.value, !pdl.value) -> (%type9_0 : !pdl.type)
    %op9.r0 = pdl.result 0 of %op9
    %type10_0 = pdl.type
    %op10 = pdl.operation "aten.u_to_copy"(%op9.r0 : !pdl.value) {"device" = %literal0, "dtype" = %literal1, "layout" = %literal0, "memory_format" = %literal0, "non_blocking" = %literal2, "pin_memory" = %literal0} -> (%type10_0 : !pdl.type)
    %op10.r0 = pdl.result 0 of %op10
    %type11_0 = pdl.type
    %op11 = pdl.operation "aten.u_softmax_backward_data"(%op10.r0, %op4.r0 : !pdl.value, !pdl.value) {"dim" = %literal3, "input_dtype" = %literal1} -> (%type11_0 : !pdl.type)
    %op11.r0 = pdl.result 0 of %op11
    %type12_0 = pdl.type
    %op12 = pdl.operation "aten.u_to_copy"(%op11.r0 : !pdl.value) {"device" = %literal0, "dtype" = %literal4, "layout" = %literal0, "memory_format" = %literal0, "non_blocking" = %literal2, "pin_memory" = %literal0} -> (%type12_0 : !pdl.type)
    %op12.r0 = pdl.result 0 of %op12
    %type13_0 = pdl.type
    %op13 = pdl.operation "aten.div_tensor"(%op12.r0, %op1.r0 : !pdl.value, !pdl.value) -> (%type13_0 : !pdl.type)
    %op13.r0 = pdl.result 0 of %op13
    %type14_0 = pdl.type
    %op14 = pdl.operation "aten.matmul"(%q_5, %op13.r0 : !pdl.value, !pdl.value) -> (%type14_0 : !pdl.type)
    %type15_0 = pdl.type
    %op15 = pdl.operation "aten.matmul"(%op13.r0, %k_6 : !pdl.value, !pdl.value) -> (%type15_0 : !pdl.type)
    %name = pdl.attribute = "attention_divided_unmasked_training_bfloat16"
    pdl.apply_native_constraint "collect"(%name, %q, %k, %v, %tangent_0, %q_5, %k_6, %v_7, %op0, %op1, %op2, %op3, %op4, %op5, %op6, %op7, %op8, %op9, %op10, %op11, %op12, %op13, %op14, %op15 : !pdl.attribute, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation)
    pdl.rewrite %op15 with "replace"
  }
  func.func @replace(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}, %arg3: !t0 {aten.name = "tangent_0"}) -> (!t0, !t9, !t10, !t11) {
    %0 = "aten.permute"(%arg1) {dims = [0, 1, 3, 2]} : (!t1) -> !t2
    %1:2 = "aten.u_scaled_dot_product_flash_attention_for_cpu"(%arg0, %0, %arg2) {dropout_p = 0.000000e+00 : f64, is_causal = false, scale = #aten.expr<"1.0/scale">} : (!t0, !t2, !t2) -> (!t0, !t12)
    %2:3 = "aten.u_scaled_dot_product_flash_attention_for_cpu_backward"(%arg3, %arg0, %0, %arg2, %1#0, %1#1) {dropout_p = 0.000000e+00 : f64, is_causal = false, scale = #aten.expr<"1.0/scale">} : (!t0, !t0, !t2, !t2, !t0, !t12) -> (!t9, !t11, !t11)
    %3 = "aten.permute"(%2#1) {dims = [0, 1, 3, 2]} : (!t11) -> !t10
    return %1#0, %2#0, %3, %2#2 : !t0, !t9, !t10, !t11
  }
}
// -----
!t0 = tensor<?x?x?x?xbf16, #aten.layout<"cpu", [#aten.expr<"d0*d1*d2">, #aten.expr<"d1*d2">, #aten.expr<"d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d2">]>>
!t1 = tensor<?x?x?x?xbf16, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, 1, #aten.expr<"d2">], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d2">, #aten.expr<"d4">]>>
!t2 = tensor<?x?x?x?xbf16, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, #aten.expr<"d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d2">]>>
!t3 = tensor<?x?x?x?xbf16, #aten.layout<"cpu", [#aten.expr<"d0*d1*d4">, #aten.expr<"d1*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d4">]>>
!t4 = tensor<?x?x?x?xbf16, #aten.layout<"cpu", [#aten.expr<"d0*d1*d2">, #aten.expr<"d1*d2">, 1, #aten.expr<"d2">], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d2">, #aten.expr<"d1">]>>
!t5 = tensor<?x?x?x?xbf16, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d2">, #aten.expr<"d4">]>>
!t6 = tensor<f64, #aten.layout<"cpu", [], 0 : i64, unit>>
!t7 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d4">, #aten.expr<"d1*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d4">]>>
!t8 = tensor<?x?x?x?xbf16, #aten.layout<"cpu", [#aten.expr<"d0*d1*d4">, #aten.expr<"d1*d4">, 1, #aten.expr<"d4">], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d1">]>>
!t9 = tensor<?x?x?x?xbf16, #aten.layout<"cpu", [#aten.expr<"d0*d1*d2">, #aten.expr<"d2">, #aten.expr<"d0*d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d2">]>>
!t10 = tensor<?x?x?x?xbf16, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2">, 1, #aten.expr<"d0*d2">], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d2">, #aten.expr<"d4">]>>
!t11 = tensor<?x?x?x?xbf16, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2">, #aten.expr<"d0*d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d2">]>>
!t12 = tensor<?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1">, 1, #aten.expr<"d0">], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">]>>
module @attention_divided_added_training_bfloat16 attributes {pattern.scalars = ["scale"]} {
  func.func @search(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}, %arg3: !t3 {aten.name = "mask", pattern.any_size}, %arg4: !t0 {aten.name = "tangent_0"}, %arg5: !t4 {aten.name = "q_6", pattern.permuted = [0, 0, 1, 3, 2]}, %arg6: !t2 {aten.name = "k_7", pattern.permuted = [1, 0, 1, 3, 2]}, %arg7: !t1 {aten.name = "v_8", pattern.permuted = [2, 0, 1, 3, 2]}) -> (!t0, !t0, !t5, !t2) {
    %0 = "aten.matmul"(%arg0, %arg1) : (!t0, !t1) -> !t3
    %1 = "aten.number"() {value = #aten.expr<"scale">} : () -> !t6
    %2 = "aten.div_tensor"(%0, %1) : (!t3, !t6) -> !t3
    %3 = "aten.add_tensor"(%2, %arg3) {alpha = 1 : i64} : (!t3, !t3) -> !t3
    %4 = "aten.u_to_copy"(%3) {device = #aten.none, dtype = #aten.enum<"dtype", "float32">, layout = #aten.none, memory_format = #aten.none, non_blocking = false, pin_memory = #aten.none} : (!t3) -> !t7
    %5 = "aten.u_softmax"(%4) {dim = 3 : i64, half_to_float = false} : (!t7) -> !t7
    %6 = "aten.u_to_copy"(%5) {device = #aten.none, dtype = #aten.enum<"dtype", "bfloat16">, layout = #aten.none, memory_format = #aten.none, non_blocking = false, pin_memory = #aten.none} : (!t7) -> !t3
    %7 = "aten.matmul"(%6, %arg2) : (!t3, !t2) -> !t0
    %8 = "aten.permute"(%6) {dims = [0, 1, 3, 2]} : (!t3) -> !t8
    %9 = "aten.matmul"(%8, %arg4) : (!t8, !t0) -> !t2
    %10 = "aten.matmul"(%arg4, %arg7) : (!t0, !t1) -> !t3
    %11 = "aten.u_to_copy"(%10) {device = #aten.none, dtype = #aten.enum<"dtype", "float32">, layout = #aten.none, memory_format = #aten.none, non_blocking = false, pin_memory = #aten.none} : (!t3) -> !t7
    %12 = "aten.u_softmax_backward_data"(%11, %5) {dim = 3 : i64, input_dtype = #aten.enum<"dtype", "float32">} : (!t7, !t7) -> !t7
    %13 = "aten.u_to_copy"(%12) {device = #aten.none, dtype = #aten.enum<"dtype", "bfloat16">, layout = #aten.none, memory_format = #aten.none, non_blocking = false, pin_memory = #aten.none} : (!t7) -> !t3
    %14 = "aten.div_tensor"(%13, %1) : (!t3, !t6) -> !t3
    %15 = "aten.matmul"(%arg5, %14) : (!t4, !t3) -> !t5
    %16 = "aten.matmul"(%14, %arg6) : (!t3, !t2) -> !t0
    return %7, %16, %15, %9 : !t0, !t0, !t5, !t2
  }
  pdl.pattern @attention_divided_added_training_bfloat16 : benefit(17) {
    %q = pdl.operand
    %k = pdl.operand
    %v = pdl.operand
    %mask = pdl.operand
    %tangent_0 = pdl.operand
    %q_6 = pdl.operand
    %k_7 = pdl.operand
    %v_8 = pdl.operand
    %literal0 = pdl.attribute = 1 : i64
    %literal1 = pdl.attribute = #aten.none
    %literal2 = pdl.attribute = #aten.enum<"dtype", "float32">
    %literal3 = pdl.attribute = false
    %literal4 = pdl.attribute = 3 : i64
    %literal5 = pdl.attribute = #aten.enum<"dtype", "bfloat16">
    %literal6 = pdl.attribute = [0, 1, 3, 2]
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
    %type8_0 = pdl.type
    %op8 = pdl.operation "aten.permute"(%op6.r0 : !pdl.value) {"dims" = %literal6} -> (%type8_0 : !pdl.type)
    %op8.r0 = pdl.result 0 of %op8
    %type9_0 = pdl.type
    %op9 = pdl.operation "aten.matmul"(%op8.r0, %tangent_0 : !pdl.value, !pdl.value) -> (%type9_0 : !pdl.type)
    %type10_0 = pdl.type
    %op10 = pdl.operation "aten.matmul"(%tangent_0, %v_8 : !pdl.value, !pdl.value) -> (%type10_0 : !pdl.type)
    %op10.r0 = pdl.result 0 of %op10
    %type11_0 = pdl.type
    %op11 = pdl.operation "aten.u_to_copy"(%op10.r0 : !pdl.value) {"device" = %literal1, "dtype" = %literal2, "layout" = %literal1, "memory_format" = %literal1, "non_blocking" = %literal3, "pin_memory" = %literal1} -> (%type11_0 : !pdl.type)
    %op11.r0 = pdl.result 0 of %op11
    %type12_0 = pdl.type
    %op12 = pdl.operation "aten.u_softmax_backward_data"(%op11.r0, %op5.r0 : !pdl.value, !pdl.value) {"dim" = %literal4, "input_dtype" = %literal2} -> (%type12_0 : !pdl.type)
    %op12.r0 = pdl.result 0 of %op12
    %type13_0 = pdl.type
    %op13 = pdl.operation "aten.u_to_copy"(%op12.r0 : !pdl.value) {"device" = %literal1, "dtype" = %literal5, "layout" = %literal1, "memory_format" = %literal1, "non_blocking" = %literal3, "pin_memory" = %literal1} -> (%type13_0 : !pdl.type)
    %op13.r0 = pdl.result 0 of %op13
    %type14_0 = pdl.type
    %op14 = pdl.operation "aten.div_tensor"(%op13.r0, %op1.r0 : !pdl.value, !pdl.value) -> (%type14_0 : !pdl.type)
    %op14.r0 = pdl.result 0 of %op14
    %type15_0 = pdl.type
    %op15 = pdl.operation "aten.matmul"(%q_6, %op14.r0 : !pdl.value, !pdl.value) -> (%type15_0 : !pdl.type)
    %type16_0 = pdl.type
    %op16 = pdl.operation "aten.matmul"(%op14.r0, %k_7 : !pdl.value, !pdl.value) -> (%type16_0 : !pdl.type)
    %name = pdl.attribute = "attention_divided_added_training_bfloat16"
    pdl.apply_native_constraint "collect"(%name, %q, %k, %v, %mask, %tangent_0, %q_6, %k_7, %v_8, %op0, %op1, %op2, %op3, %op4, %op5, %op6, %op7, %op8, %op9, %op10, %op11, %op12, %op13, %op14, %op15, %op16 : !pdl.attribute, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation)
    pdl.rewrite %op16 with "replace"
  }
  pdl.pattern @attention_divided_added_training_bfloat16_1 : benefit(17) {
    %q = pdl.operand
    %k = pdl.operand
    %v = pdl.operand
    %mask = pdl.operand
    %tangent_0 = pdl.operand
    %q_6 = pdl.operand
    %k_7 = pdl.operand
    %v_8 = pdl.operand
    %literal0 = pdl.attribute = 1 : i64
    %literal1 = pdl.attribute = #aten.none
    %literal2 = pdl.attribute = #aten.enum<"dtype", "float32">
    %literal3 = pdl.attribute = false
    %literal4 = pdl.attribute = 3 : i64
    %literal5 = pdl.attribute = #aten.enum<"dtype", "bfloat16">
    %literal6 = pdl.attribute = [0, 1, 3, 2]
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
    %type8_0 = pdl.type
    %op8 = pdl.operation "aten.permute"(%op6.r0 : !pdl.value) {"dims" = %literal6} -> (%type8_0 : !pdl.type)
    %op8.r0 = pdl.result 0 of %op8
    %type9_0 = pdl.type
    %op9 = pdl.operation "aten.matmul"(%op8.r0, %tangent_0 : !pdl.value, !pdl.value) -> (%type9_0 : !pdl.type)
    %type10_0 = pdl.type
    %op10 = pdl.operation "aten.matmul"(%tangent_0, %v_8 : !pdl.value, !pdl.value) -> (%type10_0 : !pdl.type)
    %op10.r0 = pdl.result 0 of %op10
    %type11_0 = pdl.type
    %op11 = pdl.operation "aten.u_to_copy"(%op10.r0 : !pdl.value) {"device" = %literal1, "dtype" = %literal2, "layout" = %literal1, "memory_format" = %literal1, "non_blocking" = %literal3, "pin_memory" = %literal1} -> (%type11_0 : !pdl.type)
    %op11.r0 = pdl.result 0 of %op11
    %type12_0 = pdl.type
    %op12 = pdl.operation "aten.u_softmax_backward_data"(%op11.r0, %op5.r0 : !pdl.value, !pdl.value) {"dim" = %literal4, "input_dtype" = %literal2} -> (%type12_0 : !pdl.type)
    %op12.r0 = pdl.result 0 of %op12
    %type13_0 = pdl.type
    %op13 = pdl.operation "aten.u_to_copy"(%op12.r0 : !pdl.value) {"device" = %literal1, "dtype" = %literal5, "layout" = %literal1, "memory_format" = %literal1, "non_blocking" = %literal3, "pin_memory" = %literal1} -> (%type13_0 : !pdl.type)
    %op13.r0 = pdl.result 0 of %op13
    %type14_0 = pdl.type
    %op14 = pdl.operation "aten.div_tensor"(%op13.r0, %op1.r0 : !pdl.value, !pdl.value) -> (%type14_0 : !pdl.type)
    %op14.r0 = pdl.result 0 of %op14
    %type15_0 = pdl.type
    %op15 = pdl.operation "aten.matmul"(%q_6, %op14.r0 : !pdl.value, !pdl.value) -> (%type15_0 : !pdl.type)
    %type16_0 = pdl.type
    %op16 = pdl.operation "aten.matmul"(%op14.r0, %k_7 : !pdl.value, !pdl.value) -> (%type16_0 : !pdl.type)
    %name = pdl.attribute = "attention_divided_added_training_bfloat16"
    pdl.apply_native_constraint "collect"(%name, %q, %k, %v, %mask, %tangent_0, %q_6, %k_7, %v_8, %op0, %op1, %op2, %op3, %op4, %op5, %op6, %op7, %op8, %op9, %op10, %op11, %op12, %op13, %op14, %op15, %op16 : !pdl.attribute, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation)
    pdl.rewrite %op16 with "replace"
  }
  func.func @replace(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}, %arg3: !t3 {aten.name = "mask"}, %arg4: !t0 {aten.name = "tangent_0"}) -> (!t0, !t9, !t10, !t11) {
    %0 = "aten.permute"(%arg1) {dims = [0, 1, 3, 2]} : (!t1) -> !t2
    %1:2 = "aten.u_scaled_dot_product_flash_attention_for_cpu"(%arg0, %0, %arg2, %arg3) {dropout_p = 0.000000e+00 : f64, is_causal = false, scale = #aten.expr<"1.0/scale">} : (!t0, !t2, !t2, !t3) -> (!t0, !t12)
    %2:3 = "aten.u_scaled_dot_product_flash_attention_for_cpu_backward"(%arg4, %arg0, %0, %arg2, %1#0, %1#1, %arg3) {dropout_p = 0.000000e+00 : f64, is_causal = false, scale = #aten.expr<"1.0/scale">} : (!t0, !t0, !t2, !t2, !t0, !t12, !t3) -> (!t9, !t11, !t11)
    %3 = "aten.permute"(%2#1) {dims = [0, 1, 3, 2]} : (!t11) -> !t10
    return %1#0, %2#0, %3, %2#2 : !t0, !t9, !t10, !t11
  }
}
// -----
!t0 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d2">, #aten.expr<"d1*d2">, #aten.expr<"d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d2">]>>
!t1 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, 1, #aten.expr<"d2">], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d2">, #aten.expr<"d4">]>>
!t2 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, #aten.expr<"d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d2">]>>
!t3 = tensor<f32, #aten.layout<"cpu", [], 0 : i64, unit>>
!t4 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d2">, #aten.expr<"d1*d2">, 1, #aten.expr<"d2">], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d2">, #aten.expr<"d1">]>>
!t5 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d2">, #aten.expr<"d4">]>>
!t6 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d4">, #aten.expr<"d1*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d4">]>>
!t7 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d4">, #aten.expr<"d1*d4">, 1, #aten.expr<"d4">], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d1">]>>
!t8 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d2">, #aten.expr<"d2">, #aten.expr<"d0*d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d2">]>>
!t9 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2">, 1, #aten.expr<"d0*d2">], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d2">, #aten.expr<"d4">]>>
!t10 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2">, #aten.expr<"d0*d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d2">]>>
!t11 = tensor<?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1">, 1, #aten.expr<"d0">], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">]>>
module @attention_multiplied_by_tensor_unmasked_training {
  func.func @search(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}, %arg3: !t3 {aten.name = "scale"}, %arg4: !t0 {aten.name = "tangent_0"}, %arg5: !t4 {aten.name = "q_6", pattern.permuted = [0, 0, 1, 3, 2]}, %arg6: !t2 {aten.name = "k_7", pattern.permuted = [1, 0, 1, 3, 2]}, %arg7: !t1 {aten.name = "v_8", pattern.permuted = [2, 0, 1, 3, 2]}) -> (!t0, !t0, !t5, !t2) {
    %0 = "aten.matmul"(%arg0, %arg1) : (!t0, !t1) -> !t6
    %1 = "aten.mul_tensor"(%0, %arg3) : (!t6, !t3) -> !t6
    %2 = "aten.u_softmax"(%1) {dim = 3 : i64, half_to_float = false} : (!t6) -> !t6
    %3 = "aten.matmul"(%2, %arg2) : (!t6, !t2) -> !t0
    %4 = "aten.permute"(%2) {dims = [0, 1, 3, 2]} : (!t6) -> !t7
    %5 = "aten.matmul"(%4, %arg4) : (!t7, !t0) -> !t2
    %6 = "aten.matmul"(%arg4, %arg7) : (!t0, !t1) -> !t6
    %7 = "aten.u_softmax_backward_data"(%6, %2) {dim = 3 : i64, input_dtype = #aten.enum<"dtype", "float32">} : (!t6, !t6) -> !t6
    %8 = "aten.mul_tensor"(%7, %arg3) : (!t6, !t3) -> !t6
    %9 = "aten.matmul"(%arg5, %8) : (!t4, !t6) -> !t5
    %10 = "aten.matmul"(%8, %arg6) : (!t6, !t2) -> !t0
    return %3, %10, %9, %5 : !t0, !t0, !t5, !t2
  }
  pdl.pattern @attention_multiplied_by_tensor_unmasked_training : benefit(11) {
    %q = pdl.operand
    %k = pdl.operand
    %v = pdl.operand
    %scale = pdl.operand
    %tangent_0 = pdl.operand
    %q_6 = pdl.operand
    %k_7 = pdl.operand
    %v_8 = pdl.operand
    %literal0 = pdl.attribute = 3 : i64
    %literal1 = pdl.attribute = false
    %literal2 = pdl.attribute = [0, 1, 3, 2]
    %literal3 = pdl.attribute = #aten.enum<"dtype", "float32">
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
    %type4_0 = pdl.type
    %op4 = pdl.operation "aten.permute"(%op2.r0 : !pdl.value) {"dims" = %literal2} -> (%type4_0 : !pdl.type)
    %op4.r0 = pdl.result 0 of %op4
    %type5_0 = pdl.type
    %op5 = pdl.operation "aten.matmul"(%op4.r0, %tangent_0 : !pdl.value, !pdl.value) -> (%type5_0 : !pdl.type)
    %type6_0 = pdl.type
    %op6 = pdl.operation "aten.matmul"(%tangent_0, %v_8 : !pdl.value, !pdl.value) -> (%type6_0 : !pdl.type)
    %op6.r0 = pdl.result 0 of %op6
    %type7_0 = pdl.type
    %op7 = pdl.operation "aten.u_softmax_backward_data"(%op6.r0, %op2.r0 : !pdl.value, !pdl.value) {"dim" = %literal0, "input_dtype" = %literal3} -> (%type7_0 : !pdl.type)
    %op7.r0 = pdl.result 0 of %op7
    %type8_0 = pdl.type
    %op8 = pdl.operation "aten.mul_tensor"(%op7.r0, %scale : !pdl.value, !pdl.value) -> (%type8_0 : !pdl.type)
    %op8.r0 = pdl.result 0 of %op8
    %type9_0 = pdl.type
    %op9 = pdl.operation "aten.matmul"(%q_6, %op8.r0 : !pdl.value, !pdl.value) -> (%type9_0 : !pdl.type)
    %type10_0 = pdl.type
    %op10 = pdl.operation "aten.matmul"(%op8.r0, %k_7 : !pdl.value, !pdl.value) -> (%type10_0 : !pdl.type)
    %name = pdl.attribute = "attention_multiplied_by_tensor_unmasked_training"
    pdl.apply_native_constraint "collect"(%name, %q, %k, %v, %scale, %tangent_0, %q_6, %k_7, %v_8, %op0, %op1, %op2, %op3, %op4, %op5, %op6, %op7, %op8, %op9, %op10 : !pdl.attribute, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation)
    pdl.rewrite %op10 with "replace"
  }
  pdl.pattern @attention_multiplied_by_tensor_unmasked_training_1 : benefit(11) {
    %q = pdl.operand
    %k = pdl.operand
    %v = pdl.operand
    %scale = pdl.operand
    %tangent_0 = pdl.operand
    %q_6 = pdl.operand
    %k_7 = pdl.operand
    %v_8 = pdl.operand
    %literal0 = pdl.attribute = 3 : i64
    %literal1 = pdl.attribute = false
    %literal2 = pdl.attribute = [0, 1, 3, 2]
    %literal3 = pdl.attribute = #aten.enum<"dtype", "float32">
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
    %type4_0 = pdl.type
    %op4 = pdl.operation "aten.permute"(%op2.r0 : !pdl.value) {"dims" = %literal2} -> (%type4_0 : !pdl.type)
    %op4.r0 = pdl.result 0 of %op4
    %type5_0 = pdl.type
    %op5 = pdl.operation "aten.matmul"(%op4.r0, %tangent_0 : !pdl.value, !pdl.value) -> (%type5_0 : !pdl.type)
    %type6_0 = pdl.type
    %op6 = pdl.operation "aten.matmul"(%tangent_0, %v_8 : !pdl.value, !pdl.value) -> (%type6_0 : !pdl.type)
    %op6.r0 = pdl.result 0 of %op6
    %type7_0 = pdl.type
    %op7 = pdl.operation "aten.u_softmax_backward_data"(%op6.r0, %op2.r0 : !pdl.value, !pdl.value) {"dim" = %literal0, "input_dtype" = %literal3} -> (%type7_0 : !pdl.type)
    %op7.r0 = pdl.result 0 of %op7
    %type8_0 = pdl.type
    %op8 = pdl.operation "aten.mul_tensor"(%scale, %op7.r0 : !pdl.value, !pdl.value) -> (%type8_0 : !pdl.type)
    %op8.r0 = pdl.result 0 of %op8
    %type9_0 = pdl.type
    %op9 = pdl.operation "aten.matmul"(%q_6, %op8.r0 : !pdl.value, !pdl.value) -> (%type9_0 : !pdl.type)
    %type10_0 = pdl.type
    %op10 = pdl.operation "aten.matmul"(%op8.r0, %k_7 : !pdl.value, !pdl.value) -> (%type10_0 : !pdl.type)
    %name = pdl.attribute = "attention_multiplied_by_tensor_unmasked_training"
    pdl.apply_native_constraint "collect"(%name, %q, %k, %v, %scale, %tangent_0, %q_6, %k_7, %v_8, %op0, %op1, %op2, %op3, %op4, %op5, %op6, %op7, %op8, %op9, %op10 : !pdl.attribute, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation)
    pdl.rewrite %op10 with "replace"
  }
  pdl.pattern @attention_multiplied_by_tensor_unmasked_training_2 : benefit(11) {
    %q = pdl.operand
    %k = pdl.operand
    %v = pdl.operand
    %scale = pdl.operand
    %tangent_0 = pdl.operand
    %q_6 = pdl.operand
    %k_7 = pdl.operand
    %v_8 = pdl.operand
    %literal0 = pdl.attribute = 3 : i64
    %literal1 = pdl.attribute = false
    %literal2 = pdl.attribute = [0, 1, 3, 2]
    %literal3 = pdl.attribute = #aten.enum<"dtype", "float32">
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
    %type4_0 = pdl.type
    %op4 = pdl.operation "aten.permute"(%op2.r0 : !pdl.value) {"dims" = %literal2} -> (%type4_0 : !pdl.type)
    %op4.r0 = pdl.result 0 of %op4
    %type5_0 = pdl.type
    %op5 = pdl.operation "aten.matmul"(%op4.r0, %tangent_0 : !pdl.value, !pdl.value) -> (%type5_0 : !pdl.type)
    %type6_0 = pdl.type
    %op6 = pdl.operation "aten.matmul"(%tangent_0, %v_8 : !pdl.value, !pdl.value) -> (%type6_0 : !pdl.type)
    %op6.r0 = pdl.result 0 of %op6
    %type7_0 = pdl.type
    %op7 = pdl.operation "aten.u_softmax_backward_data"(%op6.r0, %op2.r0 : !pdl.value, !pdl.value) {"dim" = %literal0, "input_dtype" = %literal3} -> (%type7_0 : !pdl.type)
    %op7.r0 = pdl.result 0 of %op7
    %type8_0 = pdl.type
    %op8 = pdl.operation "aten.mul_tensor"(%op7.r0, %scale : !pdl.value, !pdl.value) -> (%type8_0 : !pdl.type)
    %op8.r0 = pdl.result 0 of %op8
    %type9_0 = pdl.type
    %op9 = pdl.operation "aten.matmul"(%q_6, %op8.r0 : !pdl.value, !pdl.value) -> (%type9_0 : !pdl.type)
    %type10_0 = pdl.type
    %op10 = pdl.operation "aten.matmul"(%op8.r0, %k_7 : !pdl.value, !pdl.value) -> (%type10_0 : !pdl.type)
    %name = pdl.attribute = "attention_multiplied_by_tensor_unmasked_training"
    pdl.apply_native_constraint "collect"(%name, %q, %k, %v, %scale, %tangent_0, %q_6, %k_7, %v_8, %op0, %op1, %op2, %op3, %op4, %op5, %op6, %op7, %op8, %op9, %op10 : !pdl.attribute, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation)
    pdl.rewrite %op10 with "replace"
  }
  pdl.pattern @attention_multiplied_by_tensor_unmasked_training_3 : benefit(11) {
    %q = pdl.operand
    %k = pdl.operand
    %v = pdl.operand
    %scale = pdl.operand
    %tangent_0 = pdl.operand
    %q_6 = pdl.operand
    %k_7 = pdl.operand
    %v_8 = pdl.operand
    %literal0 = pdl.attribute = 3 : i64
    %literal1 = pdl.attribute = false
    %literal2 = pdl.attribute = [0, 1, 3, 2]
    %literal3 = pdl.attribute = #aten.enum<"dtype", "float32">
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
    %type4_0 = pdl.type
    %op4 = pdl.operation "aten.permute"(%op2.r0 : !pdl.value) {"dims" = %literal2} -> (%type4_0 : !pdl.type)
    %op4.r0 = pdl.result 0 of %op4
    %type5_0 = pdl.type
    %op5 = pdl.operation "aten.matmul"(%op4.r0, %tangent_0 : !pdl.value, !pdl.value) -> (%type5_0 : !pdl.type)
    %type6_0 = pdl.type
    %op6 = pdl.operation "aten.matmul"(%tangent_0, %v_8 : !pdl.value, !pdl.value) -> (%type6_0 : !pdl.type)
    %op6.r0 = pdl.result 0 of %op6
    %type7_0 = pdl.type
    %op7 = pdl.operation "aten.u_softmax_backward_data"(%op6.r0, %op2.r0 : !pdl.value, !pdl.value) {"dim" = %literal0, "input_dtype" = %literal3} -> (%type7_0 : !pdl.type)
    %op7.r0 = pdl.result 0 of %op7
    %type8_0 = pdl.type
    %op8 = pdl.operation "aten.mul_tensor"(%scale, %op7.r0 : !pdl.value, !pdl.value) -> (%type8_0 : !pdl.type)
    %op8.r0 = pdl.result 0 of %op8
    %type9_0 = pdl.type
    %op9 = pdl.operation "aten.matmul"(%q_6, %op8.r0 : !pdl.value, !pdl.value) -> (%type9_0 : !pdl.type)
    %type10_0 = pdl.type
    %op10 = pdl.operation "aten.matmul"(%op8.r0, %k_7 : !pdl.value, !pdl.value) -> (%type10_0 : !pdl.type)
    %name = pdl.attribute = "attention_multiplied_by_tensor_unmasked_training"
    pdl.apply_native_constraint "collect"(%name, %q, %k, %v, %scale, %tangent_0, %q_6, %k_7, %v_8, %op0, %op1, %op2, %op3, %op4, %op5, %op6, %op7, %op8, %op9, %op10 : !pdl.attribute, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation)
    pdl.rewrite %op10 with "replace"
  }
  func.func @replace(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}, %arg3: !t3 {aten.name = "scale"}, %arg4: !t0 {aten.name = "tangent_0"}) -> (!t0, !t8, !t9, !t10) {
    %0 = "aten.mul_tensor"(%arg0, %arg3) : (!t0, !t3) -> !t0
    %1 = "aten.permute"(%arg1) {dims = [0, 1, 3, 2]} : (!t1) -> !t2
    %2:2 = "aten.u_scaled_dot_product_flash_attention_for_cpu"(%0, %1, %arg2) {dropout_p = 0.000000e+00 : f64, is_causal = false, scale = 1.000000e+00 : f64} : (!t0, !t2, !t2) -> (!t0, !t11)
    %3:3 = "aten.u_scaled_dot_product_flash_attention_for_cpu_backward"(%arg4, %0, %1, %arg2, %2#0, %2#1) {dropout_p = 0.000000e+00 : f64, is_causal = false, scale = 1.000000e+00 : f64} : (!t0, !t0, !t2, !t2, !t0, !t11) -> (!t8, !t10, !t10)
    %4 = "aten.permute"(%3#1) {dims = [0, 1, 3, 2]} : (!t10) -> !t9
    %5 = "aten.mul_tensor"(%3#0, %arg3) : (!t8, !t3) -> !t8
    return %2#0, %5, %4, %3#2 : !t0, !t8, !t9, !t10
  }
}
// -----
!t0 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d2">, #aten.expr<"d1*d2">, #aten.expr<"d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d2">]>>
!t1 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, 1, #aten.expr<"d2">], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d2">, #aten.expr<"d4">]>>
!t2 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, #aten.expr<"d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d2">]>>
!t3 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d4">, #aten.expr<"d1*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d4">]>>
!t4 = tensor<f32, #aten.layout<"cpu", [], 0 : i64, unit>>
!t5 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d2">, #aten.expr<"d1*d2">, 1, #aten.expr<"d2">], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d2">, #aten.expr<"d1">]>>
!t6 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d2">, #aten.expr<"d4">]>>
!t7 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d4">, #aten.expr<"d1*d4">, 1, #aten.expr<"d4">], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d1">]>>
!t8 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d2">, #aten.expr<"d2">, #aten.expr<"d0*d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d2">]>>
!t9 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2">, 1, #aten.expr<"d0*d2">], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d2">, #aten.expr<"d4">]>>
!t10 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2">, #aten.expr<"d0*d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d2">]>>
!t11 = tensor<?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1">, 1, #aten.expr<"d0">], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">]>>
module @attention_multiplied_by_tensor_added_training {
  func.func @search(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}, %arg3: !t3 {aten.name = "mask", pattern.any_size}, %arg4: !t4 {aten.name = "scale"}, %arg5: !t0 {aten.name = "tangent_0"}, %arg6: !t5 {aten.name = "q_7", pattern.permuted = [0, 0, 1, 3, 2]}, %arg7: !t2 {aten.name = "k_8", pattern.permuted = [1, 0, 1, 3, 2]}, %arg8: !t1 {aten.name = "v_9", pattern.permuted = [2, 0, 1, 3, 2]}) -> (!t0, !t0, !t6, !t2) {
    %0 = "aten.matmul"(%arg0, %arg1) : (!t0, !t1) -> !t3
    %1 = "aten.mul_tensor"(%0, %arg4) : (!t3, !t4) -> !t3
    %2 = "aten.add_tensor"(%1, %arg3) {alpha = 1 : i64} : (!t3, !t3) -> !t3
    %3 = "aten.u_softmax"(%2) {dim = 3 : i64, half_to_float = false} : (!t3) -> !t3
    %4 = "aten.matmul"(%3, %arg2) : (!t3, !t2) -> !t0
    %5 = "aten.permute"(%3) {dims = [0, 1, 3, 2]} : (!t3) -> !t7
    %6 = "aten.matmul"(%5, %arg5) : (!t7, !t0) -> !t2
    %7 = "aten.matmul"(%arg5, %arg8) : (!t0, !t1) -> !t3
    %8 = "aten.u_softmax_backward_data"(%7, %3) {dim = 3 : i64, input_dtype = #aten.enum<"dtype", "float32">} : (!t3, !t3) -> !t3
    %9 = "aten.mul_tensor"(%8, %arg4) : (!t3, !t4) -> !t3
    %10 = "aten.matmul"(%arg6, %9) : (!t5, !t3) -> !t6
    %11 = "aten.matmul"(%9, %arg7) : (!t3, !t2) -> !t0
    return %4, %11, %10, %6 : !t0, !t0, !t6, !t2
  }
  pdl.pattern @attention_multiplied_by_tensor_added_training : benefit(12) {
    %q = pdl.operand
    %k = pdl.operand
    %v = pdl.operand
    %mask = pdl.operand
    %scale = pdl.operand
    %tangent_0 = pdl.operand
    %q_7 = pdl.operand
    %k_8 = pdl.operand
    %v_9 = pdl.operand
    %literal0 = pdl.attribute = 1 : i64
    %literal1 = pdl.attribute = 3 : i64
    %literal2 = pdl.attribute = false
    %literal3 = pdl.attribute = [0, 1, 3, 2]
    %literal4 = pdl.attribute = #aten.enum<"dtype", "float32">
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
    %type5_0 = pdl.type
    %op5 = pdl.operation "aten.permute"(%op3.r0 : !pdl.value) {"dims" = %literal3} -> (%type5_0 : !pdl.type)
    %op5.r0 = pdl.result 0 of %op5
    %type6_0 = pdl.type
    %op6 = pdl.operation "aten.matmul"(%op5.r0, %tangent_0 : !pdl.value, !pdl.value) -> (%type6_0 : !pdl.type)
    %type7_0 = pdl.type
    %op7 = pdl.operation "aten.matmul"(%tangent_0, %v_9 : !pdl.value, !pdl.value) -> (%type7_0 : !pdl.type)
    %op7.r0 = pdl.result 0 of %op7
    %type8_0 = pdl.type
    %op8 = pdl.operation "aten.u_softmax_backward_data"(%op7.r0, %op3.r0 : !pdl.value, !pdl.value) {"dim" = %literal1, "input_dtype" = %literal4} -> (%type8_0 : !pdl.type)
    %op8.r0 = pdl.result 0 of %op8
    %type9_0 = pdl.type
    %op9 = pdl.operation "aten.mul_tensor"(%op8.r0, %scale : !pdl.value, !pdl.value) -> (%type9_0 : !pdl.type)
    %op9.r0 = pdl.result 0 of %op9
    %type10_0 = pdl.type
    %op10 = pdl.operation "aten.matmul"(%q_7, %op9.r0 : !pdl.value, !pdl.value) -> (%type10_0 : !pdl.type)
    %type11_0 = pdl.type
    %op11 = pdl.operation "aten.matmul"(%op9.r0, %k_8 : !pdl.value, !pdl.value) -> (%type11_0 : !pdl.type)
    %name = pdl.attribute = "attention_multiplied_by_tensor_added_training"
    pdl.apply_native_constraint "collect"(%name, %q, %k, %v, %mask, %scale, %tangent_0, %q_7, %k_8, %v_9, %op0, %op1, %op2, %op3, %op4, %op5, %op6, %op7, %op8, %op9, %op10, %op11 : !pdl.attribute, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation)
    pdl.rewrite %op11 with "replace"
  }
  pdl.pattern @attention_multiplied_by_tensor_added_training_1 : benefit(12) {
    %q = pdl.operand
    %k = pdl.operand
    %v = pdl.operand
    %mask = pdl.operand
    %scale = pdl.operand
    %tangent_0 = pdl.operand
    %q_7 = pdl.operand
    %k_8 = pdl.operand
    %v_9 = pdl.operand
    %literal0 = pdl.attribute = 1 : i64
    %literal1 = pdl.attribute = 3 : i64
    %literal2 = pdl.attribute = false
    %literal3 = pdl.attribute = [0, 1, 3, 2]
    %literal4 = pdl.attribute = #aten.enum<"dtype", "float32">
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
    %type5_0 = pdl.type
    %op5 = pdl.operation "aten.permute"(%op3.r0 : !pdl.value) {"dims" = %literal3} -> (%type5_0 : !pdl.type)
    %op5.r0 = pdl.result 0 of %op5
    %type6_0 = pdl.type
    %op6 = pdl.operation "aten.matmul"(%op5.r0, %tangent_0 : !pdl.value, !pdl.value) -> (%type6_0 : !pdl.type)
    %type7_0 = pdl.type
    %op7 = pdl.operation "aten.matmul"(%tangent_0, %v_9 : !pdl.value, !pdl.value) -> (%type7_0 : !pdl.type)
    %op7.r0 = pdl.result 0 of %op7
    %type8_0 = pdl.type
    %op8 = pdl.operation "aten.u_softmax_backward_data"(%op7.r0, %op3.r0 : !pdl.value, !pdl.value) {"dim" = %literal1, "input_dtype" = %literal4} -> (%type8_0 : !pdl.type)
    %op8.r0 = pdl.result 0 of %op8
    %type9_0 = pdl.type
    %op9 = pdl.operation "aten.mul_tensor"(%scale, %op8.r0 : !pdl.value, !pdl.value) -> (%type9_0 : !pdl.type)
    %op9.r0 = pdl.result 0 of %op9
    %type10_0 = pdl.type
    %op10 = pdl.operation "aten.matmul"(%q_7, %op9.r0 : !pdl.value, !pdl.value) -> (%type10_0 : !pdl.type)
    %type11_0 = pdl.type
    %op11 = pdl.operation "aten.matmul"(%op9.r0, %k_8 : !pdl.value, !pdl.value) -> (%type11_0 : !pdl.type)
    %name = pdl.attribute = "attention_multiplied_by_tensor_added_training"
    pdl.apply_native_constraint "collect"(%name, %q, %k, %v, %mask, %scale, %tangent_0, %q_7, %k_8, %v_9, %op0, %op1, %op2, %op3, %op4, %op5, %op6, %op7, %op8, %op9, %op10, %op11 : !pdl.attribute, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation)
    pdl.rewrite %op11 with "replace"
  }
  pdl.pattern @attention_multiplied_by_tensor_added_training_2 : benefit(12) {
    %q = pdl.operand
    %k = pdl.operand
    %v = pdl.operand
    %mask = pdl.operand
    %scale = pdl.operand
    %tangent_0 = pdl.operand
    %q_7 = pdl.operand
    %k_8 = pdl.operand
    %v_9 = pdl.operand
    %literal0 = pdl.attribute = 1 : i64
    %literal1 = pdl.attribute = 3 : i64
    %literal2 = pdl.attribute = false
    %literal3 = pdl.attribute = [0, 1, 3, 2]
    %literal4 = pdl.attribute = #aten.enum<"dtype", "float32">
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
    %type5_0 = pdl.type
    %op5 = pdl.operation "aten.permute"(%op3.r0 : !pdl.value) {"dims" = %literal3} -> (%type5_0 : !pdl.type)
    %op5.r0 = pdl.result 0 of %op5
    %type6_0 = pdl.type
    %op6 = pdl.operation "aten.matmul"(%op5.r0, %tangent_0 : !pdl.value, !pdl.value) -> (%type6_0 : !pdl.type)
    %type7_0 = pdl.type
    %op7 = pdl.operation "aten.matmul"(%tangent_0, %v_9 : !pdl.value, !pdl.value) -> (%type7_0 : !pdl.type)
    %op7.r0 = pdl.result 0 of %op7
    %type8_0 = pdl.type
    %op8 = pdl.operation "aten.u_softmax_backward_data"(%op7.r0, %op3.r0 : !pdl.value, !pdl.value) {"dim" = %literal1, "input_dtype" = %literal4} -> (%type8_0 : !pdl.type)
    %op8.r0 = pdl.result 0 of %op8
    %type9_0 = pdl.type
    %op9 = pdl.operation "aten.mul_tensor"(%op8.r0, %scale : !pdl.value, !pdl.value) -> (%type9_0 : !pdl.type)
    %op9.r0 = pdl.result 0 of %op9
    %type10_0 = pdl.type
    %op10 = pdl.operation "aten.matmul"(%q_7, %op9.r0 : !pdl.value, !pdl.value) -> (%type10_0 : !pdl.type)
    %type11_0 = pdl.type
    %op11 = pdl.operation "aten.matmul"(%op9.r0, %k_8 : !pdl.value, !pdl.value) -> (%type11_0 : !pdl.type)
    %name = pdl.attribute = "attention_multiplied_by_tensor_added_training"
    pdl.apply_native_constraint "collect"(%name, %q, %k, %v, %mask, %scale, %tangent_0, %q_7, %k_8, %v_9, %op0, %op1, %op2, %op3, %op4, %op5, %op6, %op7, %op8, %op9, %op10, %op11 : !pdl.attribute, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation)
    pdl.rewrite %op11 with "replace"
  }
  pdl.pattern @attention_multiplied_by_tensor_added_training_3 : benefit(12) {
    %q = pdl.operand
    %k = pdl.operand
    %v = pdl.operand
    %mask = pdl.operand
    %scale = pdl.operand
    %tangent_0 = pdl.operand
    %q_7 = pdl.operand
    %k_8 = pdl.operand
    %v_9 = pdl.operand
    %literal0 = pdl.attribute = 1 : i64
    %literal1 = pdl.attribute = 3 : i64
    %literal2 = pdl.attribute = false
    %literal3 = pdl.attribute = [0, 1, 3, 2]
    %literal4 = pdl.attribute = #aten.enum<"dtype", "float32">
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
    %type5_0 = pdl.type
    %op5 = pdl.operation "aten.permute"(%op3.r0 : !pdl.value) {"dims" = %literal3} -> (%type5_0 : !pdl.type)
    %op5.r0 = pdl.result 0 of %op5
    %type6_0 = pdl.type
    %op6 = pdl.operation "aten.matmul"(%op5.r0, %tangent_0 : !pdl.value, !pdl.value) -> (%type6_0 : !pdl.type)
    %type7_0 = pdl.type
    %op7 = pdl.operation "aten.matmul"(%tangent_0, %v_9 : !pdl.value, !pdl.value) -> (%type7_0 : !pdl.type)
    %op7.r0 = pdl.result 0 of %op7
    %type8_0 = pdl.type
    %op8 = pdl.operation "aten.u_softmax_backward_data"(%op7.r0, %op3.r0 : !pdl.value, !pdl.value) {"dim" = %literal1, "input_dtype" = %literal4} -> (%type8_0 : !pdl.type)
    %op8.r0 = pdl.result 0 of %op8
    %type9_0 = pdl.type
    %op9 = pdl.operation "aten.mul_tensor"(%scale, %op8.r0 : !pdl.value, !pdl.value) -> (%type9_0 : !pdl.type)
    %op9.r0 = pdl.result 0 of %op9
    %type10_0 = pdl.type
    %op10 = pdl.operation "aten.matmul"(%q_7, %op9.r0 : !pdl.value, !pdl.value) -> (%type10_0 : !pdl.type)
    %type11_0 = pdl.type
    %op11 = pdl.operation "aten.matmul"(%op9.r0, %k_8 : !pdl.value, !pdl.value) -> (%type11_0 : !pdl.type)
    %name = pdl.attribute = "attention_multiplied_by_tensor_added_training"
    pdl.apply_native_constraint "collect"(%name, %q, %k, %v, %mask, %scale, %tangent_0, %q_7, %k_8, %v_9, %op0, %op1, %op2, %op3, %op4, %op5, %op6, %op7, %op8, %op9, %op10, %op11 : !pdl.attribute, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation)
    pdl.rewrite %op11 with "replace"
  }
  pdl.pattern @attention_multiplied_by_tensor_added_training_4 : benefit(12) {
    %q = pdl.operand
    %k = pdl.operand
    %v = pdl.operand
    %mask = pdl.operand
    %scale = pdl.operand
    %tangent_0 = pdl.operand
    %q_7 = pdl.operand
    %k_8 = pdl.operand
    %v_9 = pdl.operand
    %literal0 = pdl.attribute = 1 : i64
    %literal1 = pdl.attribute = 3 : i64
    %literal2 = pdl.attribute = false
    %literal3 = pdl.attribute = [0, 1, 3, 2]
    %literal4 = pdl.attribute = #aten.enum<"dtype", "float32">
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
    %type5_0 = pdl.type
    %op5 = pdl.operation "aten.permute"(%op3.r0 : !pdl.value) {"dims" = %literal3} -> (%type5_0 : !pdl.type)
    %op5.r0 = pdl.result 0 of %op5
    %type6_0 = pdl.type
    %op6 = pdl.operation "aten.matmul"(%op5.r0, %tangent_0 : !pdl.value, !pdl.value) -> (%type6_0 : !pdl.type)
    %type7_0 = pdl.type
    %op7 = pdl.operation "aten.matmul"(%tangent_0, %v_9 : !pdl.value, !pdl.value) -> (%type7_0 : !pdl.type)
    %op7.r0 = pdl.result 0 of %op7
    %type8_0 = pdl.type
    %op8 = pdl.operation "aten.u_softmax_backward_data"(%op7.r0, %op3.r0 : !pdl.value, !pdl.value) {"dim" = %literal1, "input_dtype" = %literal4} -> (%type8_0 : !pdl.type)
    %op8.r0 = pdl.result 0 of %op8
    %type9_0 = pdl.type
    %op9 = pdl.operation "aten.mul_tensor"(%op8.r0, %scale : !pdl.value, !pdl.value) -> (%type9_0 : !pdl.type)
    %op9.r0 = pdl.result 0 of %op9
    %type10_0 = pdl.type
    %op10 = pdl.operation "aten.matmul"(%q_7, %op9.r0 : !pdl.value, !pdl.value) -> (%type10_0 : !pdl.type)
    %type11_0 = pdl.type
    %op11 = pdl.operation "aten.matmul"(%op9.r0, %k_8 : !pdl.value, !pdl.value) -> (%type11_0 : !pdl.type)
    %name = pdl.attribute = "attention_multiplied_by_tensor_added_training"
    pdl.apply_native_constraint "collect"(%name, %q, %k, %v, %mask, %scale, %tangent_0, %q_7, %k_8, %v_9, %op0, %op1, %op2, %op3, %op4, %op5, %op6, %op7, %op8, %op9, %op10, %op11 : !pdl.attribute, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation)
    pdl.rewrite %op11 with "replace"
  }
  pdl.pattern @attention_multiplied_by_tensor_added_training_5 : benefit(12) {
    %q = pdl.operand
    %k = pdl.operand
    %v = pdl.operand
    %mask = pdl.operand
    %scale = pdl.operand
    %tangent_0 = pdl.operand
    %q_7 = pdl.operand
    %k_8 = pdl.operand
    %v_9 = pdl.operand
    %literal0 = pdl.attribute = 1 : i64
    %literal1 = pdl.attribute = 3 : i64
    %literal2 = pdl.attribute = false
    %literal3 = pdl.attribute = [0, 1, 3, 2]
    %literal4 = pdl.attribute = #aten.enum<"dtype", "float32">
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
    %type5_0 = pdl.type
    %op5 = pdl.operation "aten.permute"(%op3.r0 : !pdl.value) {"dims" = %literal3} -> (%type5_0 : !pdl.type)
    %op5.r0 = pdl.result 0 of %op5
    %type6_0 = pdl.type
    %op6 = pdl.operation "aten.matmul"(%op5.r0, %tangent_0 : !pdl.value, !pdl.value) -> (%type6_0 : !pdl.type)
    %type7_0 = pdl.type
    %op7 = pdl.operation "aten.matmul"(%tangent_0, %v_9 : !pdl.value, !pdl.value) -> (%type7_0 : !pdl.type)
    %op7.r0 = pdl.result 0 of %op7
    %type8_0 = pdl.type
    %op8 = pdl.operation "aten.u_softmax_backward_data"(%op7.r0, %op3.r0 : !pdl.value, !pdl.value) {"dim" = %literal1, "input_dtype" = %literal4} -> (%type8_0 : !pdl.type)
    %op8.r0 = pdl.result 0 of %op8
    %type9_0 = pdl.type
    %op9 = pdl.operation "aten.mul_tensor"(%scale, %op8.r0 : !pdl.value, !pdl.value) -> (%type9_0 : !pdl.type)
    %op9.r0 = pdl.result 0 of %op9
    %type10_0 = pdl.type
    %op10 = pdl.operation "aten.matmul"(%q_7, %op9.r0 : !pdl.value, !pdl.value) -> (%type10_0 : !pdl.type)
    %type11_0 = pdl.type
    %op11 = pdl.operation "aten.matmul"(%op9.r0, %k_8 : !pdl.value, !pdl.value) -> (%type11_0 : !pdl.type)
    %name = pdl.attribute = "attention_multiplied_by_tensor_added_training"
    pdl.apply_native_constraint "collect"(%name, %q, %k, %v, %mask, %scale, %tangent_0, %q_7, %k_8, %v_9, %op0, %op1, %op2, %op3, %op4, %op5, %op6, %op7, %op8, %op9, %op10, %op11 : !pdl.attribute, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation)
    pdl.rewrite %op11 with "replace"
  }
  pdl.pattern @attention_multiplied_by_tensor_added_training_6 : benefit(12) {
    %q = pdl.operand
    %k = pdl.operand
    %v = pdl.operand
    %mask = pdl.operand
    %scale = pdl.operand
    %tangent_0 = pdl.operand
    %q_7 = pdl.operand
    %k_8 = pdl.operand
    %v_9 = pdl.operand
    %literal0 = pdl.attribute = 1 : i64
    %literal1 = pdl.attribute = 3 : i64
    %literal2 = pdl.attribute = false
    %literal3 = pdl.attribute = [0, 1, 3, 2]
    %literal4 = pdl.attribute = #aten.enum<"dtype", "float32">
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
    %type5_0 = pdl.type
    %op5 = pdl.operation "aten.permute"(%op3.r0 : !pdl.value) {"dims" = %literal3} -> (%type5_0 : !pdl.type)
    %op5.r0 = pdl.result 0 of %op5
    %type6_0 = pdl.type
    %op6 = pdl.operation "aten.matmul"(%op5.r0, %tangent_0 : !pdl.value, !pdl.value) -> (%type6_0 : !pdl.type)
    %type7_0 = pdl.type
    %op7 = pdl.operation "aten.matmul"(%tangent_0, %v_9 : !pdl.value, !pdl.value) -> (%type7_0 : !pdl.type)
    %op7.r0 = pdl.result 0 of %op7
    %type8_0 = pdl.type
    %op8 = pdl.operation "aten.u_softmax_backward_data"(%op7.r0, %op3.r0 : !pdl.value, !pdl.value) {"dim" = %literal1, "input_dtype" = %literal4} -> (%type8_0 : !pdl.type)
    %op8.r0 = pdl.result 0 of %op8
    %type9_0 = pdl.type
    %op9 = pdl.operation "aten.mul_tensor"(%op8.r0, %scale : !pdl.value, !pdl.value) -> (%type9_0 : !pdl.type)
    %op9.r0 = pdl.result 0 of %op9
    %type10_0 = pdl.type
    %op10 = pdl.operation "aten.matmul"(%q_7, %op9.r0 : !pdl.value, !pdl.value) -> (%type10_0 : !pdl.type)
    %type11_0 = pdl.type
    %op11 = pdl.operation "aten.matmul"(%op9.r0, %k_8 : !pdl.value, !pdl.value) -> (%type11_0 : !pdl.type)
    %name = pdl.attribute = "attention_multiplied_by_tensor_added_training"
    pdl.apply_native_constraint "collect"(%name, %q, %k, %v, %mask, %scale, %tangent_0, %q_7, %k_8, %v_9, %op0, %op1, %op2, %op3, %op4, %op5, %op6, %op7, %op8, %op9, %op10, %op11 : !pdl.attribute, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation)
    pdl.rewrite %op11 with "replace"
  }
  pdl.pattern @attention_multiplied_by_tensor_added_training_7 : benefit(12) {
    %q = pdl.operand
    %k = pdl.operand
    %v = pdl.operand
    %mask = pdl.operand
    %scale = pdl.operand
    %tangent_0 = pdl.operand
    %q_7 = pdl.operand
    %k_8 = pdl.operand
    %v_9 = pdl.operand
    %literal0 = pdl.attribute = 1 : i64
    %literal1 = pdl.attribute = 3 : i64
    %literal2 = pdl.attribute = false
    %literal3 = pdl.attribute = [0, 1, 3, 2]
    %literal4 = pdl.attribute = #aten.enum<"dtype", "float32">
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
    %type5_0 = pdl.type
    %op5 = pdl.operation "aten.permute"(%op3.r0 : !pdl.value) {"dims" = %literal3} -> (%type5_0 : !pdl.type)
    %op5.r0 = pdl.result 0 of %op5
    %type6_0 = pdl.type
    %op6 = pdl.operation "aten.matmul"(%op5.r0, %tangent_0 : !pdl.value, !pdl.value) -> (%type6_0 : !pdl.type)
    %type7_0 = pdl.type
    %op7 = pdl.operation "aten.matmul"(%tangent_0, %v_9 : !pdl.value, !pdl.value) -> (%type7_0 : !pdl.type)
    %op7.r0 = pdl.result 0 of %op7
    %type8_0 = pdl.type
    %op8 = pdl.operation "aten.u_softmax_backward_data"(%op7.r0, %op3.r0 : !pdl.value, !pdl.value) {"dim" = %literal1, "input_dtype" = %literal4} -> (%type8_0 : !pdl.type)
    %op8.r0 = pdl.result 0 of %op8
    %type9_0 = pdl.type
    %op9 = pdl.operation "aten.mul_tensor"(%scale, %op8.r0 : !pdl.value, !pdl.value) -> (%type9_0 : !pdl.type)
    %op9.r0 = pdl.result 0 of %op9
    %type10_0 = pdl.type
    %op10 = pdl.operation "aten.matmul"(%q_7, %op9.r0 : !pdl.value, !pdl.value) -> (%type10_0 : !pdl.type)
    %type11_0 = pdl.type
    %op11 = pdl.operation "aten.matmul"(%op9.r0, %k_8 : !pdl.value, !pdl.value) -> (%type11_0 : !pdl.type)
    %name = pdl.attribute = "attention_multiplied_by_tensor_added_training"
    pdl.apply_native_constraint "collect"(%name, %q, %k, %v, %mask, %scale, %tangent_0, %q_7, %k_8, %v_9, %op0, %op1, %op2, %op3, %op4, %op5, %op6, %op7, %op8, %op9, %op10, %op11 : !pdl.attribute, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation)
    pdl.rewrite %op11 with "replace"
  }
  func.func @replace(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}, %arg3: !t3 {aten.name = "mask"}, %arg4: !t4 {aten.name = "scale"}, %arg5: !t0 {aten.name = "tangent_0"}) -> (!t0, !t8, !t9, !t10) {
    %0 = "aten.mul_tensor"(%arg0, %arg4) : (!t0, !t4) -> !t0
    %1 = "aten.permute"(%arg1) {dims = [0, 1, 3, 2]} : (!t1) -> !t2
    %2:2 = "aten.u_scaled_dot_product_flash_attention_for_cpu"(%0, %1, %arg2, %arg3) {dropout_p = 0.000000e+00 : f64, is_causal = false, scale = 1.000000e+00 : f64} : (!t0, !t2, !t2, !t3) -> (!t0, !t11)
    %3:3 = "aten.u_scaled_dot_product_flash_attention_for_cpu_backward"(%arg5, %0, %1, %arg2, %2#0, %2#1, %arg3) {dropout_p = 0.000000e+00 : f64, is_causal = false, scale = 1.000000e+00 : f64} : (!t0, !t0, !t2, !t2, !t0, !t11, !t3) -> (!t8, !t10, !t10)
    %4 = "aten.permute"(%3#1) {dims = [0, 1, 3, 2]} : (!t10) -> !t9
    %5 = "aten.mul_tensor"(%3#0, %arg4) : (!t8, !t4) -> !t8
    return %2#0, %5, %4, %3#2 : !t0, !t8, !t9, !t10
  }
}
// -----
!t0 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d2">, #aten.expr<"d1*d2">, #aten.expr<"d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d2">]>>
!t1 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, 1, #aten.expr<"d2">], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d2">, #aten.expr<"d4">]>>
!t2 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, #aten.expr<"d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d2">]>>
!t3 = tensor<?x?x?x?xi1, #aten.layout<"cpu", [#aten.expr<"d0*d1*d4">, #aten.expr<"d1*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d4">]>>
!t4 = tensor<f32, #aten.layout<"cpu", [], 0 : i64, unit>>
!t5 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d2">, #aten.expr<"d1*d2">, 1, #aten.expr<"d2">], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d2">, #aten.expr<"d1">]>>
!t6 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d2">, #aten.expr<"d4">]>>
!t7 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d4">, #aten.expr<"d1*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d4">]>>
!t8 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d4">, #aten.expr<"d1*d4">, 1, #aten.expr<"d4">], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d1">]>>
!t9 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d2">, #aten.expr<"d2">, #aten.expr<"d0*d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d2">]>>
!t10 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2">, 1, #aten.expr<"d0*d2">], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d2">, #aten.expr<"d4">]>>
!t11 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2">, #aten.expr<"d0*d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d2">]>>
!t12 = tensor<?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1">, 1, #aten.expr<"d0">], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">]>>
module @attention_multiplied_by_tensor_kept_training {
  func.func @search(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}, %arg3: !t3 {aten.name = "mask", pattern.any_size}, %arg4: !t4 {aten.name = "fill"}, %arg5: !t4 {aten.name = "scale"}, %arg6: !t0 {aten.name = "tangent_0"}, %arg7: !t5 {aten.name = "q_8", pattern.permuted = [0, 0, 1, 3, 2]}, %arg8: !t2 {aten.name = "k_9", pattern.permuted = [1, 0, 1, 3, 2]}, %arg9: !t1 {aten.name = "v_10", pattern.permuted = [2, 0, 1, 3, 2]}) -> (!t0, !t0, !t6, !t2) {
    %0 = "aten.matmul"(%arg0, %arg1) : (!t0, !t1) -> !t7
    %1 = "aten.mul_tensor"(%0, %arg5) : (!t7, !t4) -> !t7
    %2 = "aten.where_self"(%arg3, %1, %arg4) : (!t3, !t7, !t4) -> !t7
    %3 = "aten.u_softmax"(%2) {dim = 3 : i64, half_to_float = false} : (!t7) -> !t7
    %4 = "aten.matmul"(%3, %arg2) : (!t7, !t2) -> !t0
    %5 = "aten.permute"(%3) {dims = [0, 1, 3, 2]} : (!t7) -> !t8
    %6 = "aten.matmul"(%5, %arg6) : (!t8, !t0) -> !t2
    %7 = "aten.matmul"(%arg6, %arg9) : (!t0, !t1) -> !t7
    %8 = "aten.u_softmax_backward_data"(%7, %3) {dim = 3 : i64, input_dtype = #aten.enum<"dtype", "float32">} : (!t7, !t7) -> !t7
    %9 = "aten.scalar_tensor"() {device = #aten.enum<"device", "cpu">, dtype = #aten.enum<"dtype", "float32">, layout = #aten.enum<"layout", "strided">, pin_memory = #aten.none, s = 0 : i64} : () -> !t4
    %10 = "aten.where_self"(%arg3, %8, %9) : (!t3, !t7, !t4) -> !t7
    %11 = "aten.mul_tensor"(%10, %arg5) : (!t7, !t4) -> !t7
    %12 = "aten.matmul"(%arg7, %11) : (!t5, !t7) -> !t6
    %13 = "aten.matmul"(%11, %arg8) : (!t7, !t2) -> !t0
    return %4, %13, %12, %6 : !t0, !t0, !t6, !t2
  }
  pdl.pattern @attention_multiplied_by_tensor_kept_training : benefit(14) {
    %q = pdl.operand
    %k = pdl.operand
    %v = pdl.operand
    %mask = pdl.operand
    %fill = pdl.operand
    %scale = pdl.operand
    %tangent_0 = pdl.operand
    %q_8 = pdl.operand
    %k_9 = pdl.operand
    %v_10 = pdl.operand
    %literal0 = pdl.attribute = 3 : i64
    %literal1 = pdl.attribute = false
    %literal2 = pdl.attribute = [0, 1, 3, 2]
    %literal3 = pdl.attribute = #aten.enum<"dtype", "float32">
    %literal4 = pdl.attribute = #aten.enum<"layout", "strided">
    %literal5 = pdl.attribute = #aten.none
    %literal6 = pdl.attribute = 0 : i64
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
    %type5_0 = pdl.type
    %op5 = pdl.operation "aten.permute"(%op3.r0 : !pdl.value) {"dims" = %literal2} -> (%type5_0 : !pdl.type)
    %op5.r0 = pdl.result 0 of %op5
    %type6_0 = pdl.type
    %op6 = pdl.operation "aten.matmul"(%op5.r0, %tangent_0 : !pdl.value, !pdl.value) -> (%type6_0 : !pdl.type)
    %type7_0 = pdl.type
    %op7 = pdl.operation "aten.matmul"(%tangent_0, %v_10 : !pdl.value, !pdl.value) -> (%type7_0 : !pdl.type)
    %op7.r0 = pdl.result 0 of %op7
    %type8_0 = pdl.type
    %op8 = pdl.operation "aten.u_softmax_backward_data"(%op7.r0, %op3.r0 : !pdl.value, !pdl.value) {"dim" = %literal0, "input_dtype" = %literal3} -> (%type8_0 : !pdl.type)
    %op8.r0 = pdl.result 0 of %op8
    %type9_0 = pdl.type
    %op9 = pdl.operation "aten.scalar_tensor" {"dtype" = %literal3, "layout" = %literal4, "pin_memory" = %literal5, "s" = %literal6} -> (%type9_0 : !pdl.type)
    %op9.r0 = pdl.result 0 of %op9
    %type10_0 = pdl.type
    %op10 = pdl.operation "aten.where_self"(%mask, %op8.r0, %op9.r0 : !pdl.value, !pdl.value, !pdl.value) -> (%type10_0 : !pdl.type)
    %op10.r0 = pdl.result 0 of %op10
    %type11_0 = pdl.type
    %op11 = pdl.operation "aten.mul_tensor"(%op10.r0, %scale : !pdl.value, !pdl.value) -> (%type11_0 : !pdl.type)
    %op11.r0 = pdl.result 0 of %op11
    %type12_0 = pdl.type
    %op12 = pdl.operation "aten.matmul"(%q_8, %op11.r0 : !pdl.value, !pdl.value) -> (%type12_0 : !pdl.type)
    %type13_0 = pdl.type
    %op13 = pdl.operation "aten.matmul"(%op11.r0, %k_9 : !pdl.value, !pdl.value) -> (%type13_0 : !pdl.type)
    %name = pdl.attribute = "attention_multiplied_by_tensor_kept_training"
    pdl.apply_native_constraint "collect"(%name, %q, %k, %v, %mask, %fill, %scale, %tangent_0, %q_8, %k_9, %v_10, %op0, %op1, %op2, %op3, %op4, %op5, %op6, %op7, %op8, %op9, %op10, %op11, %op12, %op13 : !pdl.attribute, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation)
    pdl.rewrite %op13 with "replace"
  }
  pdl.pattern @attention_multiplied_by_tensor_kept_training_1 : benefit(14) {
    %q = pdl.operand
    %k = pdl.operand
    %v = pdl.operand
    %mask = pdl.operand
    %fill = pdl.operand
    %scale = pdl.operand
    %tangent_0 = pdl.operand
    %q_8 = pdl.operand
    %k_9 = pdl.operand
    %v_10 = pdl.operand
    %literal0 = pdl.attribute = 3 : i64
    %literal1 = pdl.attribute = false
    %literal2 = pdl.attribute = [0, 1, 3, 2]
    %literal3 = pdl.attribute = #aten.enum<"dtype", "float32">
    %literal4 = pdl.attribute = #aten.enum<"layout", "strided">
    %literal5 = pdl.attribute = #aten.none
    %literal6 = pdl.attribute = 0 : i64
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
    %type5_0 = pdl.type
    %op5 = pdl.operation "aten.permute"(%op3.r0 : !pdl.value) {"dims" = %literal2} -> (%type5_0 : !pdl.type)
    %op5.r0 = pdl.result 0 of %op5
    %type6_0 = pdl.type
    %op6 = pdl.operation "aten.matmul"(%op5.r0, %tangent_0 : !pdl.value, !pdl.value) -> (%type6_0 : !pdl.type)
    %type7_0 = pdl.type
    %op7 = pdl.operation "aten.matmul"(%tangent_0, %v_10 : !pdl.value, !pdl.value) -> (%type7_0 : !pdl.type)
    %op7.r0 = pdl.result 0 of %op7
    %type8_0 = pdl.type
    %op8 = pdl.operation "aten.u_softmax_backward_data"(%op7.r0, %op3.r0 : !pdl.value, !pdl.value) {"dim" = %literal0, "input_dtype" = %literal3} -> (%type8_0 : !pdl.type)
    %op8.r0 = pdl.result 0 of %op8
    %type9_0 = pdl.type
    %op9 = pdl.operation "aten.scalar_tensor" {"dtype" = %literal3, "layout" = %literal4, "pin_memory" = %literal5, "s" = %literal6} -> (%type9_0 : !pdl.type)
    %op9.r0 = pdl.result 0 of %op9
    %type10_0 = pdl.type
    %op10 = pdl.operation "aten.where_self"(%mask, %op8.r0, %op9.r0 : !pdl.value, !pdl.value, !pdl.value) -> (%type10_0 : !pdl.type)
    %op10.r0 = pdl.result 0 of %op10
    %type11_0 = pdl.type
    %op11 = pdl.operation "aten.mul_tensor"(%scale, %op10.r0 : !pdl.value, !pdl.value) -> (%type11_0 : !pdl.type)
    %op11.r0 = pdl.result 0 of %op11
    %type12_0 = pdl.type
    %op12 = pdl.operation "aten.matmul"(%q_8, %op11.r0 : !pdl.value, !pdl.value) -> (%type12_0 : !pdl.type)
    %type13_0 = pdl.type
    %op13 = pdl.operation "aten.matmul"(%op11.r0, %k_9 : !pdl.value, !pdl.value) -> (%type13_0 : !pdl.type)
    %name = pdl.attribute = "attention_multiplied_by_tensor_kept_training"
    pdl.apply_native_constraint "collect"(%name, %q, %k, %v, %mask, %fill, %scale, %tangent_0, %q_8, %k_9, %v_10, %op0, %op1, %op2, %op3, %op4, %op5, %op6, %op7, %op8, %op9, %op10, %op11, %op12, %op13 : !pdl.attribute, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation)
    pdl.rewrite %op13 with "replace"
  }
  pdl.pattern @attention_multiplied_by_tensor_kept_training_2 : benefit(14) {
    %q = pdl.operand
    %k = pdl.operand
    %v = pdl.operand
    %mask = pdl.operand
    %fill = pdl.operand
    %scale = pdl.operand
    %tangent_0 = pdl.operand
    %q_8 = pdl.operand
    %k_9 = pdl.operand
    %v_10 = pdl.operand
    %literal0 = pdl.attribute = 3 : i64
    %literal1 = pdl.attribute = false
    %literal2 = pdl.attribute = [0, 1, 3, 2]
    %literal3 = pdl.attribute = #aten.enum<"dtype", "float32">
    %literal4 = pdl.attribute = #aten.enum<"layout", "strided">
    %literal5 = pdl.attribute = #aten.none
    %literal6 = pdl.attribute = 0 : i64
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
    %type5_0 = pdl.type
    %op5 = pdl.operation "aten.permute"(%op3.r0 : !pdl.value) {"dims" = %literal2} -> (%type5_0 : !pdl.type)
    %op5.r0 = pdl.result 0 of %op5
    %type6_0 = pdl.type
    %op6 = pdl.operation "aten.matmul"(%op5.r0, %tangent_0 : !pdl.value, !pdl.value) -> (%type6_0 : !pdl.type)
    %type7_0 = pdl.type
    %op7 = pdl.operation "aten.matmul"(%tangent_0, %v_10 : !pdl.value, !pdl.value) -> (%type7_0 : !pdl.type)
    %op7.r0 = pdl.result 0 of %op7
    %type8_0 = pdl.type
    %op8 = pdl.operation "aten.u_softmax_backward_data"(%op7.r0, %op3.r0 : !pdl.value, !pdl.value) {"dim" = %literal0, "input_dtype" = %literal3} -> (%type8_0 : !pdl.type)
    %op8.r0 = pdl.result 0 of %op8
    %type9_0 = pdl.type
    %op9 = pdl.operation "aten.scalar_tensor" {"dtype" = %literal3, "layout" = %literal4, "pin_memory" = %literal5, "s" = %literal6} -> (%type9_0 : !pdl.type)
    %op9.r0 = pdl.result 0 of %op9
    %type10_0 = pdl.type
    %op10 = pdl.operation "aten.where_self"(%mask, %op8.r0, %op9.r0 : !pdl.value, !pdl.value, !pdl.value) -> (%type10_0 : !pdl.type)
    %op10.r0 = pdl.result 0 of %op10
    %type11_0 = pdl.type
    %op11 = pdl.operation "aten.mul_tensor"(%op10.r0, %scale : !pdl.value, !pdl.value) -> (%type11_0 : !pdl.type)
    %op11.r0 = pdl.result 0 of %op11
    %type12_0 = pdl.type
    %op12 = pdl.operation "aten.matmul"(%q_8, %op11.r0 : !pdl.value, !pdl.value) -> (%type12_0 : !pdl.type)
    %type13_0 = pdl.type
    %op13 = pdl.operation "aten.matmul"(%op11.r0, %k_9 : !pdl.value, !pdl.value) -> (%type13_0 : !pdl.type)
    %name = pdl.attribute = "attention_multiplied_by_tensor_kept_training"
    pdl.apply_native_constraint "collect"(%name, %q, %k, %v, %mask, %fill, %scale, %tangent_0, %q_8, %k_9, %v_10, %op0, %op1, %op2, %op3, %op4, %op5, %op6, %op7, %op8, %op9, %op10, %op11, %op12, %op13 : !pdl.attribute, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation)
    pdl.rewrite %op13 with "replace"
  }
  pdl.pattern @attention_multiplied_by_tensor_kept_training_3 : benefit(14) {
    %q = pdl.operand
    %k = pdl.operand
    %v = pdl.operand
    %mask = pdl.operand
    %fill = pdl.operand
    %scale = pdl.operand
    %tangent_0 = pdl.operand
    %q_8 = pdl.operand
    %k_9 = pdl.operand
    %v_10 = pdl.operand
    %literal0 = pdl.attribute = 3 : i64
    %literal1 = pdl.attribute = false
    %literal2 = pdl.attribute = [0, 1, 3, 2]
    %literal3 = pdl.attribute = #aten.enum<"dtype", "float32">
    %literal4 = pdl.attribute = #aten.enum<"layout", "strided">
    %literal5 = pdl.attribute = #aten.none
    %literal6 = pdl.attribute = 0 : i64
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
    %type5_0 = pdl.type
    %op5 = pdl.operation "aten.permute"(%op3.r0 : !pdl.value) {"dims" = %literal2} -> (%type5_0 : !pdl.type)
    %op5.r0 = pdl.result 0 of %op5
    %type6_0 = pdl.type
    %op6 = pdl.operation "aten.matmul"(%op5.r0, %tangent_0 : !pdl.value, !pdl.value) -> (%type6_0 : !pdl.type)
    %type7_0 = pdl.type
    %op7 = pdl.operation "aten.matmul"(%tangent_0, %v_10 : !pdl.value, !pdl.value) -> (%type7_0 : !pdl.type)
    %op7.r0 = pdl.result 0 of %op7
    %type8_0 = pdl.type
    %op8 = pdl.operation "aten.u_softmax_backward_data"(%op7.r0, %op3.r0 : !pdl.value, !pdl.value) {"dim" = %literal0, "input_dtype" = %literal3} -> (%type8_0 : !pdl.type)
    %op8.r0 = pdl.result 0 of %op8
    %type9_0 = pdl.type
    %op9 = pdl.operation "aten.scalar_tensor" {"dtype" = %literal3, "layout" = %literal4, "pin_memory" = %literal5, "s" = %literal6} -> (%type9_0 : !pdl.type)
    %op9.r0 = pdl.result 0 of %op9
    %type10_0 = pdl.type
    %op10 = pdl.operation "aten.where_self"(%mask, %op8.r0, %op9.r0 : !pdl.value, !pdl.value, !pdl.value) -> (%type10_0 : !pdl.type)
    %op10.r0 = pdl.result 0 of %op10
    %type11_0 = pdl.type
    %op11 = pdl.operation "aten.mul_tensor"(%scale, %op10.r0 : !pdl.value, !pdl.value) -> (%type11_0 : !pdl.type)
    %op11.r0 = pdl.result 0 of %op11
    %type12_0 = pdl.type
    %op12 = pdl.operation "aten.matmul"(%q_8, %op11.r0 : !pdl.value, !pdl.value) -> (%type12_0 : !pdl.type)
    %type13_0 = pdl.type
    %op13 = pdl.operation "aten.matmul"(%op11.r0, %k_9 : !pdl.value, !pdl.value) -> (%type13_0 : !pdl.type)
    %name = pdl.attribute = "attention_multiplied_by_tensor_kept_training"
    pdl.apply_native_constraint "collect"(%name, %q, %k, %v, %mask, %fill, %scale, %tangent_0, %q_8, %k_9, %v_10, %op0, %op1, %op2, %op3, %op4, %op5, %op6, %op7, %op8, %op9, %op10, %op11, %op12, %op13 : !pdl.attribute, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation)
    pdl.rewrite %op13 with "replace"
  }
  func.func @replace(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}, %arg3: !t3 {aten.name = "mask"}, %arg4: !t4 {aten.name = "fill"}, %arg5: !t4 {aten.name = "scale"}, %arg6: !t0 {aten.name = "tangent_0"}) -> (!t0, !t9, !t10, !t11) {
    %0 = "aten.zeros"() {device = #aten.enum<"device", "cpu">, dtype = #aten.enum<"dtype", "float32">, layout = #aten.none, pin_memory = false, size = []} : () -> !t4
    %1 = "aten.where_self"(%arg3, %0, %arg4) : (!t3, !t4, !t4) -> !t7
    %2 = "aten.mul_tensor"(%arg0, %arg5) : (!t0, !t4) -> !t0
    %3 = "aten.permute"(%arg1) {dims = [0, 1, 3, 2]} : (!t1) -> !t2
    %4:2 = "aten.u_scaled_dot_product_flash_attention_for_cpu"(%2, %3, %arg2, %1) {dropout_p = 0.000000e+00 : f64, is_causal = false, scale = 1.000000e+00 : f64} : (!t0, !t2, !t2, !t7) -> (!t0, !t12)
    %5:3 = "aten.u_scaled_dot_product_flash_attention_for_cpu_backward"(%arg6, %2, %3, %arg2, %4#0, %4#1, %1) {dropout_p = 0.000000e+00 : f64, is_causal = false, scale = 1.000000e+00 : f64} : (!t0, !t0, !t2, !t2, !t0, !t12, !t7) -> (!t9, !t11, !t11)
    %6 = "aten.permute"(%5#1) {dims = [0, 1, 3, 2]} : (!t11) -> !t10
    %7 = "aten.mul_tensor"(%5#0, %arg5) : (!t9, !t4) -> !t9
    return %4#0, %7, %6, %5#2 : !t0, !t9, !t10, !t11
  }
}
// -----
!t0 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d2">, #aten.expr<"d1*d2">, #aten.expr<"d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d2">]>>
!t1 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, 1, #aten.expr<"d2">], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d2">, #aten.expr<"d4">]>>
!t2 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, #aten.expr<"d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d2">]>>
!t3 = tensor<?x?x?x?xi1, #aten.layout<"cpu", [#aten.expr<"d0*d1*d4">, #aten.expr<"d1*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d4">]>>
!t4 = tensor<f32, #aten.layout<"cpu", [], 0 : i64, unit>>
!t5 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d2">, #aten.expr<"d1*d2">, 1, #aten.expr<"d2">], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d2">, #aten.expr<"d1">]>>
!t6 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d2">, #aten.expr<"d4">]>>
!t7 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d4">, #aten.expr<"d1*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d4">]>>
!t8 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d4">, #aten.expr<"d1*d4">, 1, #aten.expr<"d4">], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d1">]>>
!t9 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d2">, #aten.expr<"d2">, #aten.expr<"d0*d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d2">]>>
!t10 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2">, 1, #aten.expr<"d0*d2">], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d2">, #aten.expr<"d4">]>>
!t11 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2">, #aten.expr<"d0*d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d2">]>>
!t12 = tensor<?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1">, 1, #aten.expr<"d0">], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">]>>
module @attention_multiplied_by_tensor_dropped_training {
  func.func @search(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}, %arg3: !t3 {aten.name = "mask", pattern.any_size}, %arg4: !t4 {aten.name = "fill"}, %arg5: !t4 {aten.name = "scale"}, %arg6: !t0 {aten.name = "tangent_0"}, %arg7: !t5 {aten.name = "q_8", pattern.permuted = [0, 0, 1, 3, 2]}, %arg8: !t2 {aten.name = "k_9", pattern.permuted = [1, 0, 1, 3, 2]}, %arg9: !t1 {aten.name = "v_10", pattern.permuted = [2, 0, 1, 3, 2]}) -> (!t0, !t0, !t6, !t2) {
    %0 = "aten.matmul"(%arg0, %arg1) : (!t0, !t1) -> !t7
    %1 = "aten.mul_tensor"(%0, %arg5) : (!t7, !t4) -> !t7
    %2 = "aten.where_self"(%arg3, %arg4, %1) : (!t3, !t4, !t7) -> !t7
    %3 = "aten.u_softmax"(%2) {dim = 3 : i64, half_to_float = false} : (!t7) -> !t7
    %4 = "aten.matmul"(%3, %arg2) : (!t7, !t2) -> !t0
    %5 = "aten.permute"(%3) {dims = [0, 1, 3, 2]} : (!t7) -> !t8
    %6 = "aten.matmul"(%5, %arg6) : (!t8, !t0) -> !t2
    %7 = "aten.matmul"(%arg6, %arg9) : (!t0, !t1) -> !t7
    %8 = "aten.u_softmax_backward_data"(%7, %3) {dim = 3 : i64, input_dtype = #aten.enum<"dtype", "float32">} : (!t7, !t7) -> !t7
    %9 = "aten.scalar_tensor"() {device = #aten.enum<"device", "cpu">, dtype = #aten.enum<"dtype", "float32">, layout = #aten.enum<"layout", "strided">, pin_memory = #aten.none, s = 0 : i64} : () -> !t4
    %10 = "aten.where_self"(%arg3, %9, %8) : (!t3, !t4, !t7) -> !t7
    %11 = "aten.mul_tensor"(%10, %arg5) : (!t7, !t4) -> !t7
    %12 = "aten.matmul"(%arg7, %11) : (!t5, !t7) -> !t6
    %13 = "aten.matmul"(%11, %arg8) : (!t7, !t2) -> !t0
    return %4, %13, %12, %6 : !t0, !t0, !t6, !t2
  }
  pdl.pattern @attention_multiplied_by_tensor_dropped_training : benefit(14) {
    %q = pdl.operand
    %k = pdl.operand
    %v = pdl.operand
    %mask = pdl.operand
    %fill = pdl.operand
    %scale = pdl.operand
    %tangent_0 = pdl.operand
    %q_8 = pdl.operand
    %k_9 = pdl.operand
    %v_10 = pdl.operand
    %literal0 = pdl.attribute = 3 : i64
    %literal1 = pdl.attribute = false
    %literal2 = pdl.attribute = [0, 1, 3, 2]
    %literal3 = pdl.attribute = #aten.enum<"dtype", "float32">
    %literal4 = pdl.attribute = #aten.enum<"layout", "strided">
    %literal5 = pdl.attribute = #aten.none
    %literal6 = pdl.attribute = 0 : i64
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
    %type5_0 = pdl.type
    %op5 = pdl.operation "aten.permute"(%op3.r0 : !pdl.value) {"dims" = %literal2} -> (%type5_0 : !pdl.type)
    %op5.r0 = pdl.result 0 of %op5
    %type6_0 = pdl.type
    %op6 = pdl.operation "aten.matmul"(%op5.r0, %tangent_0 : !pdl.value, !pdl.value) -> (%type6_0 : !pdl.type)
    %type7_0 = pdl.type
    %op7 = pdl.operation "aten.matmul"(%tangent_0, %v_10 : !pdl.value, !pdl.value) -> (%type7_0 : !pdl.type)
    %op7.r0 = pdl.result 0 of %op7
    %type8_0 = pdl.type
    %op8 = pdl.operation "aten.u_softmax_backward_data"(%op7.r0, %op3.r0 : !pdl.value, !pdl.value) {"dim" = %literal0, "input_dtype" = %literal3} -> (%type8_0 : !pdl.type)
    %op8.r0 = pdl.result 0 of %op8
    %type9_0 = pdl.type
    %op9 = pdl.operation "aten.scalar_tensor" {"dtype" = %literal3, "layout" = %literal4, "pin_memory" = %literal5, "s" = %literal6} -> (%type9_0 : !pdl.type)
    %op9.r0 = pdl.result 0 of %op9
    %type10_0 = pdl.type
    %op10 = pdl.operation "aten.where_self"(%mask, %op9.r0, %op8.r0 : !pdl.value, !pdl.value, !pdl.value) -> (%type10_0 : !pdl.type)
    %op10.r0 = pdl.result 0 of %op10
    %type11_0 = pdl.type
    %op11 = pdl.operation "aten.mul_tensor"(%op10.r0, %scale : !pdl.value, !pdl.value) -> (%type11_0 : !pdl.type)
    %op11.r0 = pdl.result 0 of %op11
    %type12_0 = pdl.type
    %op12 = pdl.operation "aten.matmul"(%q_8, %op11.r0 : !pdl.value, !pdl.value) -> (%type12_0 : !pdl.type)
    %type13_0 = pdl.type
    %op13 = pdl.operation "aten.matmul"(%op11.r0, %k_9 : !pdl.value, !pdl.value) -> (%type13_0 : !pdl.type)
    %name = pdl.attribute = "attention_multiplied_by_tensor_dropped_training"
    pdl.apply_native_constraint "collect"(%name, %q, %k, %v, %mask, %fill, %scale, %tangent_0, %q_8, %k_9, %v_10, %op0, %op1, %op2, %op3, %op4, %op5, %op6, %op7, %op8, %op9, %op10, %op11, %op12, %op13 : !pdl.attribute, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation)
    pdl.rewrite %op13 with "replace"
  }
  pdl.pattern @attention_multiplied_by_tensor_dropped_training_1 : benefit(14) {
    %q = pdl.operand
    %k = pdl.operand
    %v = pdl.operand
    %mask = pdl.operand
    %fill = pdl.operand
    %scale = pdl.operand
    %tangent_0 = pdl.operand
    %q_8 = pdl.operand
    %k_9 = pdl.operand
    %v_10 = pdl.operand
    %literal0 = pdl.attribute = 3 : i64
    %literal1 = pdl.attribute = false
    %literal2 = pdl.attribute = [0, 1, 3, 2]
    %literal3 = pdl.attribute = #aten.enum<"dtype", "float32">
    %literal4 = pdl.attribute = #aten.enum<"layout", "strided">
    %literal5 = pdl.attribute = #aten.none
    %literal6 = pdl.attribute = 0 : i64
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
    %type5_0 = pdl.type
    %op5 = pdl.operation "aten.permute"(%op3.r0 : !pdl.value) {"dims" = %literal2} -> (%type5_0 : !pdl.type)
    %op5.r0 = pdl.result 0 of %op5
    %type6_0 = pdl.type
    %op6 = pdl.operation "aten.matmul"(%op5.r0, %tangent_0 : !pdl.value, !pdl.value) -> (%type6_0 : !pdl.type)
    %type7_0 = pdl.type
    %op7 = pdl.operation "aten.matmul"(%tangent_0, %v_10 : !pdl.value, !pdl.value) -> (%type7_0 : !pdl.type)
    %op7.r0 = pdl.result 0 of %op7
    %type8_0 = pdl.type
    %op8 = pdl.operation "aten.u_softmax_backward_data"(%op7.r0, %op3.r0 : !pdl.value, !pdl.value) {"dim" = %literal0, "input_dtype" = %literal3} -> (%type8_0 : !pdl.type)
    %op8.r0 = pdl.result 0 of %op8
    %type9_0 = pdl.type
    %op9 = pdl.operation "aten.scalar_tensor" {"dtype" = %literal3, "layout" = %literal4, "pin_memory" = %literal5, "s" = %literal6} -> (%type9_0 : !pdl.type)
    %op9.r0 = pdl.result 0 of %op9
    %type10_0 = pdl.type
    %op10 = pdl.operation "aten.where_self"(%mask, %op9.r0, %op8.r0 : !pdl.value, !pdl.value, !pdl.value) -> (%type10_0 : !pdl.type)
    %op10.r0 = pdl.result 0 of %op10
    %type11_0 = pdl.type
    %op11 = pdl.operation "aten.mul_tensor"(%scale, %op10.r0 : !pdl.value, !pdl.value) -> (%type11_0 : !pdl.type)
    %op11.r0 = pdl.result 0 of %op11
    %type12_0 = pdl.type
    %op12 = pdl.operation "aten.matmul"(%q_8, %op11.r0 : !pdl.value, !pdl.value) -> (%type12_0 : !pdl.type)
    %type13_0 = pdl.type
    %op13 = pdl.operation "aten.matmul"(%op11.r0, %k_9 : !pdl.value, !pdl.value) -> (%type13_0 : !pdl.type)
    %name = pdl.attribute = "attention_multiplied_by_tensor_dropped_training"
    pdl.apply_native_constraint "collect"(%name, %q, %k, %v, %mask, %fill, %scale, %tangent_0, %q_8, %k_9, %v_10, %op0, %op1, %op2, %op3, %op4, %op5, %op6, %op7, %op8, %op9, %op10, %op11, %op12, %op13 : !pdl.attribute, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation)
    pdl.rewrite %op13 with "replace"
  }
  pdl.pattern @attention_multiplied_by_tensor_dropped_training_2 : benefit(14) {
    %q = pdl.operand
    %k = pdl.operand
    %v = pdl.operand
    %mask = pdl.operand
    %fill = pdl.operand
    %scale = pdl.operand
    %tangent_0 = pdl.operand
    %q_8 = pdl.operand
    %k_9 = pdl.operand
    %v_10 = pdl.operand
    %literal0 = pdl.attribute = 3 : i64
    %literal1 = pdl.attribute = false
    %literal2 = pdl.attribute = [0, 1, 3, 2]
    %literal3 = pdl.attribute = #aten.enum<"dtype", "float32">
    %literal4 = pdl.attribute = #aten.enum<"layout", "strided">
    %literal5 = pdl.attribute = #aten.none
    %literal6 = pdl.attribute = 0 : i64
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
    %type5_0 = pdl.type
    %op5 = pdl.operation "aten.permute"(%op3.r0 : !pdl.value) {"dims" = %literal2} -> (%type5_0 : !pdl.type)
    %op5.r0 = pdl.result 0 of %op5
    %type6_0 = pdl.type
    %op6 = pdl.operation "aten.matmul"(%op5.r0, %tangent_0 : !pdl.value, !pdl.value) -> (%type6_0 : !pdl.type)
    %type7_0 = pdl.type
    %op7 = pdl.operation "aten.matmul"(%tangent_0, %v_10 : !pdl.value, !pdl.value) -> (%type7_0 : !pdl.type)
    %op7.r0 = pdl.result 0 of %op7
    %type8_0 = pdl.type
    %op8 = pdl.operation "aten.u_softmax_backward_data"(%op7.r0, %op3.r0 : !pdl.value, !pdl.value) {"dim" = %literal0, "input_dtype" = %literal3} -> (%type8_0 : !pdl.type)
    %op8.r0 = pdl.result 0 of %op8
    %type9_0 = pdl.type
    %op9 = pdl.operation "aten.scalar_tensor" {"dtype" = %literal3, "layout" = %literal4, "pin_memory" = %literal5, "s" = %literal6} -> (%type9_0 : !pdl.type)
    %op9.r0 = pdl.result 0 of %op9
    %type10_0 = pdl.type
    %op10 = pdl.operation "aten.where_self"(%mask, %op9.r0, %op8.r0 : !pdl.value, !pdl.value, !pdl.value) -> (%type10_0 : !pdl.type)
    %op10.r0 = pdl.result 0 of %op10
    %type11_0 = pdl.type
    %op11 = pdl.operation "aten.mul_tensor"(%op10.r0, %scale : !pdl.value, !pdl.value) -> (%type11_0 : !pdl.type)
    %op11.r0 = pdl.result 0 of %op11
    %type12_0 = pdl.type
    %op12 = pdl.operation "aten.matmul"(%q_8, %op11.r0 : !pdl.value, !pdl.value) -> (%type12_0 : !pdl.type)
    %type13_0 = pdl.type
    %op13 = pdl.operation "aten.matmul"(%op11.r0, %k_9 : !pdl.value, !pdl.value) -> (%type13_0 : !pdl.type)
    %name = pdl.attribute = "attention_multiplied_by_tensor_dropped_training"
    pdl.apply_native_constraint "collect"(%name, %q, %k, %v, %mask, %fill, %scale, %tangent_0, %q_8, %k_9, %v_10, %op0, %op1, %op2, %op3, %op4, %op5, %op6, %op7, %op8, %op9, %op10, %op11, %op12, %op13 : !pdl.attribute, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation)
    pdl.rewrite %op13 with "replace"
  }
  pdl.pattern @attention_multiplied_by_tensor_dropped_training_3 : benefit(14) {
    %q = pdl.operand
    %k = pdl.operand
    %v = pdl.operand
    %mask = pdl.operand
    %fill = pdl.operand
    %scale = pdl.operand
    %tangent_0 = pdl.operand
    %q_8 = pdl.operand
    %k_9 = pdl.operand
    %v_10 = pdl.operand
    %literal0 = pdl.attribute = 3 : i64
    %literal1 = pdl.attribute = false
    %literal2 = pdl.attribute = [0, 1, 3, 2]
    %literal3 = pdl.attribute = #aten.enum<"dtype", "float32">
    %literal4 = pdl.attribute = #aten.enum<"layout", "strided">
    %literal5 = pdl.attribute = #aten.none
    %literal6 = pdl.attribute = 0 : i64
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
    %type5_0 = pdl.type
    %op5 = pdl.operation "aten.permute"(%op3.r0 : !pdl.value) {"dims" = %literal2} -> (%type5_0 : !pdl.type)
    %op5.r0 = pdl.result 0 of %op5
    %type6_0 = pdl.type
    %op6 = pdl.operation "aten.matmul"(%op5.r0, %tangent_0 : !pdl.value, !pdl.value) -> (%type6_0 : !pdl.type)
    %type7_0 = pdl.type
    %op7 = pdl.operation "aten.matmul"(%tangent_0, %v_10 : !pdl.value, !pdl.value) -> (%type7_0 : !pdl.type)
    %op7.r0 = pdl.result 0 of %op7
    %type8_0 = pdl.type
    %op8 = pdl.operation "aten.u_softmax_backward_data"(%op7.r0, %op3.r0 : !pdl.value, !pdl.value) {"dim" = %literal0, "input_dtype" = %literal3} -> (%type8_0 : !pdl.type)
    %op8.r0 = pdl.result 0 of %op8
    %type9_0 = pdl.type
    %op9 = pdl.operation "aten.scalar_tensor" {"dtype" = %literal3, "layout" = %literal4, "pin_memory" = %literal5, "s" = %literal6} -> (%type9_0 : !pdl.type)
    %op9.r0 = pdl.result 0 of %op9
    %type10_0 = pdl.type
    %op10 = pdl.operation "aten.where_self"(%mask, %op9.r0, %op8.r0 : !pdl.value, !pdl.value, !pdl.value) -> (%type10_0 : !pdl.type)
    %op10.r0 = pdl.result 0 of %op10
    %type11_0 = pdl.type
    %op11 = pdl.operation "aten.mul_tensor"(%scale, %op10.r0 : !pdl.value, !pdl.value) -> (%type11_0 : !pdl.type)
    %op11.r0 = pdl.result 0 of %op11
    %type12_0 = pdl.type
    %op12 = pdl.operation "aten.matmul"(%q_8, %op11.r0 : !pdl.value, !pdl.value) -> (%type12_0 : !pdl.type)
    %type13_0 = pdl.type
    %op13 = pdl.operation "aten.matmul"(%op11.r0, %k_9 : !pdl.value, !pdl.value) -> (%type13_0 : !pdl.type)
    %name = pdl.attribute = "attention_multiplied_by_tensor_dropped_training"
    pdl.apply_native_constraint "collect"(%name, %q, %k, %v, %mask, %fill, %scale, %tangent_0, %q_8, %k_9, %v_10, %op0, %op1, %op2, %op3, %op4, %op5, %op6, %op7, %op8, %op9, %op10, %op11, %op12, %op13 : !pdl.attribute, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation)
    pdl.rewrite %op13 with "replace"
  }
  func.func @replace(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}, %arg3: !t3 {aten.name = "mask"}, %arg4: !t4 {aten.name = "fill"}, %arg5: !t4 {aten.name = "scale"}, %arg6: !t0 {aten.name = "tangent_0"}) -> (!t0, !t9, !t10, !t11) {
    %0 = "aten.zeros"() {device = #aten.enum<"device", "cpu">, dtype = #aten.enum<"dtype", "float32">, layout = #aten.none, pin_memory = false, size = []} : () -> !t4
    %1 = "aten.where_self"(%arg3, %arg4, %0) : (!t3, !t4, !t4) -> !t7
    %2 = "aten.mul_tensor"(%arg0, %arg5) : (!t0, !t4) -> !t0
    %3 = "aten.permute"(%arg1) {dims = [0, 1, 3, 2]} : (!t1) -> !t2
    %4:2 = "aten.u_scaled_dot_product_flash_attention_for_cpu"(%2, %3, %arg2, %1) {dropout_p = 0.000000e+00 : f64, is_causal = false, scale = 1.000000e+00 : f64} : (!t0, !t2, !t2, !t7) -> (!t0, !t12)
    %5:3 = "aten.u_scaled_dot_product_flash_attention_for_cpu_backward"(%arg6, %2, %3, %arg2, %4#0, %4#1, %1) {dropout_p = 0.000000e+00 : f64, is_causal = false, scale = 1.000000e+00 : f64} : (!t0, !t0, !t2, !t2, !t0, !t12, !t7) -> (!t9, !t11, !t11)
    %6 = "aten.permute"(%5#1) {dims = [0, 1, 3, 2]} : (!t11) -> !t10
    %7 = "aten.mul_tensor"(%5#0, %arg5) : (!t9, !t4) -> !t9
    return %4#0, %7, %6, %5#2 : !t0, !t9, !t10, !t11
  }
}
// -----
!t0 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d2">, #aten.expr<"d1*d2">, #aten.expr<"d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d2">]>>
!t1 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, 1, #aten.expr<"d2">], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d2">, #aten.expr<"d4">]>>
!t2 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, #aten.expr<"d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d2">]>>
!t3 = tensor<?x?x?x?xi1, #aten.layout<"cpu", [#aten.expr<"d0*d1*d4">, #aten.expr<"d1*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d4">]>>
!t4 = tensor<f32, #aten.layout<"cpu", [], 0 : i64, unit>>
!t5 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d2">, #aten.expr<"d1*d2">, 1, #aten.expr<"d2">], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d2">, #aten.expr<"d1">]>>
!t6 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d2">, #aten.expr<"d4">]>>
!t7 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d4">, #aten.expr<"d1*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d4">]>>
!t8 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d4">, #aten.expr<"d1*d4">, 1, #aten.expr<"d4">], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d1">]>>
!t9 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d2">, #aten.expr<"d2">, #aten.expr<"d0*d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d2">]>>
!t10 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2">, 1, #aten.expr<"d0*d2">], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d2">, #aten.expr<"d4">]>>
!t11 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2">, #aten.expr<"d0*d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d2">]>>
!t12 = tensor<?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1">, 1, #aten.expr<"d0">], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">]>>
module @attention_multiplied_by_tensor_filled_training attributes {pattern.scalars = ["fill"]} {
  func.func @search(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}, %arg3: !t3 {aten.name = "mask", pattern.any_size}, %arg4: !t4 {aten.name = "scale"}, %arg5: !t0 {aten.name = "tangent_0"}, %arg6: !t5 {aten.name = "q_7", pattern.permuted = [0, 0, 1, 3, 2]}, %arg7: !t2 {aten.name = "k_8", pattern.permuted = [1, 0, 1, 3, 2]}, %arg8: !t1 {aten.name = "v_9", pattern.permuted = [2, 0, 1, 3, 2]}) -> (!t0, !t0, !t6, !t2) {
    %0 = "aten.matmul"(%arg0, %arg1) : (!t0, !t1) -> !t7
    %1 = "aten.mul_tensor"(%0, %arg4) : (!t7, !t4) -> !t7
    %2 = "aten.masked_fill_scalar"(%1, %arg3) {value = #aten.expr<"fill">} : (!t7, !t3) -> !t7
    %3 = "aten.u_softmax"(%2) {dim = 3 : i64, half_to_float = false} : (!t7) -> !t7
    %4 = "aten.matmul"(%3, %arg2) : (!t7, !t2) -> !t0
    %5 = "aten.permute"(%3) {dims = [0, 1, 3, 2]} : (!t7) -> !t8
    %6 = "aten.matmul"(%5, %arg5) : (!t8, !t0) -> !t2
    %7 = "aten.matmul"(%arg5, %arg8) : (!t0, !t1) -> !t7
    %8 = "aten.u_softmax_backward_data"(%7, %3) {dim = 3 : i64, input_dtype = #aten.enum<"dtype", "float32">} : (!t7, !t7) -> !t7
    %9 = "aten.masked_fill_scalar"(%8, %arg3) {value = 0 : i64} : (!t7, !t3) -> !t7
    %10 = "aten.mul_tensor"(%9, %arg4) : (!t7, !t4) -> !t7
    %11 = "aten.matmul"(%arg6, %10) : (!t5, !t7) -> !t6
    %12 = "aten.matmul"(%10, %arg7) : (!t7, !t2) -> !t0
    return %4, %12, %11, %6 : !t0, !t0, !t6, !t2
  }
  pdl.pattern @attention_multiplied_by_tensor_filled_training : benefit(13) {
    %q = pdl.operand
    %k = pdl.operand
    %v = pdl.operand
    %mask = pdl.operand
    %scale = pdl.operand
    %tangent_0 = pdl.operand
    %q_7 = pdl.operand
    %k_8 = pdl.operand
    %v_9 = pdl.operand
    %literal0 = pdl.attribute = 3 : i64
    %literal1 = pdl.attribute = false
    %literal2 = pdl.attribute = [0, 1, 3, 2]
    %literal3 = pdl.attribute = #aten.enum<"dtype", "float32">
    %literal4 = pdl.attribute = 0 : i64
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
    %type5_0 = pdl.type
    %op5 = pdl.operation "aten.permute"(%op3.r0 : !pdl.value) {"dims" = %literal2} -> (%type5_0 : !pdl.type)
    %op5.r0 = pdl.result 0 of %op5
    %type6_0 = pdl.type
    %op6 = pdl.operation "aten.matmul"(%op5.r0, %tangent_0 : !pdl.value, !pdl.value) -> (%type6_0 : !pdl.type)
    %type7_0 = pdl.type
    %op7 = pdl.operation "aten.matmul"(%tangent_0, %v_9 : !pdl.value, !pdl.value) -> (%type7_0 : !pdl.type)
    %op7.r0 = pdl.result 0 of %op7
    %type8_0 = pdl.type
    %op8 = pdl.operation "aten.u_softmax_backward_data"(%op7.r0, %op3.r0 : !pdl.value, !pdl.value) {"dim" = %literal0, "input_dtype" = %literal3} -> (%type8_0 : !pdl.type)
    %op8.r0 = pdl.result 0 of %op8
    %type9_0 = pdl.type
    %op9 = pdl.operation "aten.masked_fill_scalar"(%op8.r0, %mask : !pdl.value, !pdl.value) {"value" = %literal4} -> (%type9_0 : !pdl.type)
    %op9.r0 = pdl.result 0 of %op9
    %type10_0 = pdl.type
    %op10 = pdl.operation "aten.mul_tensor"(%op9.r0, %scale : !pdl.value, !pdl.value) -> (%type10_0 : !pdl.type)
    %op10.r0 = pdl.result 0 of %op10
    %type11_0 = pdl.type
    %op11 = pdl.operation "aten.matmul"(%q_7, %op10.r0 : !pdl.value, !pdl.value) -> (%type11_0 : !pdl.type)
    %type12_0 = pdl.type
    %op12 = pdl.operation "aten.matmul"(%op10.r0, %k_8 : !pdl.value, !pdl.value) -> (%type12_0 : !pdl.type)
    %name = pdl.attribute = "attention_multiplied_by_tensor_filled_training"
    pdl.apply_native_constraint "collect"(%name, %q, %k, %v, %mask, %scale, %tangent_0, %q_7, %k_8, %v_9, %op0, %op1, %op2, %op3, %op4, %op5, %op6, %op7, %op8, %op9, %op10, %op11, %op12 : !pdl.attribute, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation)
    pdl.rewrite %op12 with "replace"
  }
  pdl.pattern @attention_multiplied_by_tensor_filled_training_1 : benefit(13) {
    %q = pdl.operand
    %k = pdl.operand
    %v = pdl.operand
    %mask = pdl.operand
    %scale = pdl.operand
    %tangent_0 = pdl.operand
    %q_7 = pdl.operand
    %k_8 = pdl.operand
    %v_9 = pdl.operand
    %literal0 = pdl.attribute = 3 : i64
    %literal1 = pdl.attribute = false
    %literal2 = pdl.attribute = [0, 1, 3, 2]
    %literal3 = pdl.attribute = #aten.enum<"dtype", "float32">
    %literal4 = pdl.attribute = 0 : i64
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
    %type5_0 = pdl.type
    %op5 = pdl.operation "aten.permute"(%op3.r0 : !pdl.value) {"dims" = %literal2} -> (%type5_0 : !pdl.type)
    %op5.r0 = pdl.result 0 of %op5
    %type6_0 = pdl.type
    %op6 = pdl.operation "aten.matmul"(%op5.r0, %tangent_0 : !pdl.value, !pdl.value) -> (%type6_0 : !pdl.type)
    %type7_0 = pdl.type
    %op7 = pdl.operation "aten.matmul"(%tangent_0, %v_9 : !pdl.value, !pdl.value) -> (%type7_0 : !pdl.type)
    %op7.r0 = pdl.result 0 of %op7
    %type8_0 = pdl.type
    %op8 = pdl.operation "aten.u_softmax_backward_data"(%op7.r0, %op3.r0 : !pdl.value, !pdl.value) {"dim" = %literal0, "input_dtype" = %literal3} -> (%type8_0 : !pdl.type)
    %op8.r0 = pdl.result 0 of %op8
    %type9_0 = pdl.type
    %op9 = pdl.operation "aten.masked_fill_scalar"(%op8.r0, %mask : !pdl.value, !pdl.value) {"value" = %literal4} -> (%type9_0 : !pdl.type)
    %op9.r0 = pdl.result 0 of %op9
    %type10_0 = pdl.type
    %op10 = pdl.operation "aten.mul_tensor"(%scale, %op9.r0 : !pdl.value, !pdl.value) -> (%type10_0 : !pdl.type)
    %op10.r0 = pdl.result 0 of %op10
    %type11_0 = pdl.type
    %op11 = pdl.operation "aten.matmul"(%q_7, %op10.r0 : !pdl.value, !pdl.value) -> (%type11_0 : !pdl.type)
    %type12_0 = pdl.type
    %op12 = pdl.operation "aten.matmul"(%op10.r0, %k_8 : !pdl.value, !pdl.value) -> (%type12_0 : !pdl.type)
    %name = pdl.attribute = "attention_multiplied_by_tensor_filled_training"
    pdl.apply_native_constraint "collect"(%name, %q, %k, %v, %mask, %scale, %tangent_0, %q_7, %k_8, %v_9, %op0, %op1, %op2, %op3, %op4, %op5, %op6, %op7, %op8, %op9, %op10, %op11, %op12 : !pdl.attribute, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation)
    pdl.rewrite %op12 with "replace"
  }
  pdl.pattern @attention_multiplied_by_tensor_filled_training_2 : benefit(13) {
    %q = pdl.operand
    %k = pdl.operand
    %v = pdl.operand
    %mask = pdl.operand
    %scale = pdl.operand
    %tangent_0 = pdl.operand
    %q_7 = pdl.operand
    %k_8 = pdl.operand
    %v_9 = pdl.operand
    %literal0 = pdl.attribute = 3 : i64
    %literal1 = pdl.attribute = false
    %literal2 = pdl.attribute = [0, 1, 3, 2]
    %literal3 = pdl.attribute = #aten.enum<"dtype", "float32">
    %literal4 = pdl.attribute = 0 : i64
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
    %type5_0 = pdl.type
    %op5 = pdl.operation "aten.permute"(%op3.r0 : !pdl.value) {"dims" = %literal2} -> (%type5_0 : !pdl.type)
    %op5.r0 = pdl.result 0 of %op5
    %type6_0 = pdl.type
    %op6 = pdl.operation "aten.matmul"(%op5.r0, %tangent_0 : !pdl.value, !pdl.value) -> (%type6_0 : !pdl.type)
    %type7_0 = pdl.type
    %op7 = pdl.operation "aten.matmul"(%tangent_0, %v_9 : !pdl.value, !pdl.value) -> (%type7_0 : !pdl.type)
    %op7.r0 = pdl.result 0 of %op7
    %type8_0 = pdl.type
    %op8 = pdl.operation "aten.u_softmax_backward_data"(%op7.r0, %op3.r0 : !pdl.value, !pdl.value) {"dim" = %literal0, "input_dtype" = %literal3} -> (%type8_0 : !pdl.type)
    %op8.r0 = pdl.result 0 of %op8
    %type9_0 = pdl.type
    %op9 = pdl.operation "aten.masked_fill_scalar"(%op8.r0, %mask : !pdl.value, !pdl.value) {"value" = %literal4} -> (%type9_0 : !pdl.type)
    %op9.r0 = pdl.result 0 of %op9
    %type10_0 = pdl.type
    %op10 = pdl.operation "aten.mul_tensor"(%op9.r0, %scale : !pdl.value, !pdl.value) -> (%type10_0 : !pdl.type)
    %op10.r0 = pdl.result 0 of %op10
    %type11_0 = pdl.type
    %op11 = pdl.operation "aten.matmul"(%q_7, %op10.r0 : !pdl.value, !pdl.value) -> (%type11_0 : !pdl.type)
    %type12_0 = pdl.type
    %op12 = pdl.operation "aten.matmul"(%op10.r0, %k_8 : !pdl.value, !pdl.value) -> (%type12_0 : !pdl.type)
    %name = pdl.attribute = "attention_multiplied_by_tensor_filled_training"
    pdl.apply_native_constraint "collect"(%name, %q, %k, %v, %mask, %scale, %tangent_0, %q_7, %k_8, %v_9, %op0, %op1, %op2, %op3, %op4, %op5, %op6, %op7, %op8, %op9, %op10, %op11, %op12 : !pdl.attribute, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation)
    pdl.rewrite %op12 with "replace"
  }
  pdl.pattern @attention_multiplied_by_tensor_filled_training_3 : benefit(13) {
    %q = pdl.operand
    %k = pdl.operand
    %v = pdl.operand
    %mask = pdl.operand
    %scale = pdl.operand
    %tangent_0 = pdl.operand
    %q_7 = pdl.operand
    %k_8 = pdl.operand
    %v_9 = pdl.operand
    %literal0 = pdl.attribute = 3 : i64
    %literal1 = pdl.attribute = false
    %literal2 = pdl.attribute = [0, 1, 3, 2]
    %literal3 = pdl.attribute = #aten.enum<"dtype", "float32">
    %literal4 = pdl.attribute = 0 : i64
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
    %type5_0 = pdl.type
    %op5 = pdl.operation "aten.permute"(%op3.r0 : !pdl.value) {"dims" = %literal2} -> (%type5_0 : !pdl.type)
    %op5.r0 = pdl.result 0 of %op5
    %type6_0 = pdl.type
    %op6 = pdl.operation "aten.matmul"(%op5.r0, %tangent_0 : !pdl.value, !pdl.value) -> (%type6_0 : !pdl.type)
    %type7_0 = pdl.type
    %op7 = pdl.operation "aten.matmul"(%tangent_0, %v_9 : !pdl.value, !pdl.value) -> (%type7_0 : !pdl.type)
    %op7.r0 = pdl.result 0 of %op7
    %type8_0 = pdl.type
    %op8 = pdl.operation "aten.u_softmax_backward_data"(%op7.r0, %op3.r0 : !pdl.value, !pdl.value) {"dim" = %literal0, "input_dtype" = %literal3} -> (%type8_0 : !pdl.type)
    %op8.r0 = pdl.result 0 of %op8
    %type9_0 = pdl.type
    %op9 = pdl.operation "aten.masked_fill_scalar"(%op8.r0, %mask : !pdl.value, !pdl.value) {"value" = %literal4} -> (%type9_0 : !pdl.type)
    %op9.r0 = pdl.result 0 of %op9
    %type10_0 = pdl.type
    %op10 = pdl.operation "aten.mul_tensor"(%scale, %op9.r0 : !pdl.value, !pdl.value) -> (%type10_0 : !pdl.type)
    %op10.r0 = pdl.result 0 of %op10
    %type11_0 = pdl.type
    %op11 = pdl.operation "aten.matmul"(%q_7, %op10.r0 : !pdl.value, !pdl.value) -> (%type11_0 : !pdl.type)
    %type12_0 = pdl.type
    %op12 = pdl.operation "aten.matmul"(%op10.r0, %k_8 : !pdl.value, !pdl.value) -> (%type12_0 : !pdl.type)
    %name = pdl.attribute = "attention_multiplied_by_tensor_filled_training"
    pdl.apply_native_constraint "collect"(%name, %q, %k, %v, %mask, %scale, %tangent_0, %q_7, %k_8, %v_9, %op0, %op1, %op2, %op3, %op4, %op5, %op6, %op7, %op8, %op9, %op10, %op11, %op12 : !pdl.attribute, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation)
    pdl.rewrite %op12 with "replace"
  }
  func.func @replace(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}, %arg3: !t3 {aten.name = "mask"}, %arg4: !t4 {aten.name = "scale"}, %arg5: !t0 {aten.name = "tangent_0"}) -> (!t0, !t9, !t10, !t11) {
    %0 = "aten.scalar_tensor"() {device = #aten.enum<"device", "cpu">, dtype = #aten.enum<"dtype", "float32">, layout = #aten.enum<"layout", "strided">, pin_memory = #aten.none, s = 0.000000e+00 : f64} : () -> !t4
    %1 = "aten.scalar_tensor"() {device = #aten.enum<"device", "cpu">, dtype = #aten.enum<"dtype", "float32">, layout = #aten.enum<"layout", "strided">, pin_memory = #aten.none, s = #aten.expr<"fill">} : () -> !t4
    %2 = "aten.where_self"(%arg3, %1, %0) : (!t3, !t4, !t4) -> !t7
    %3 = "aten.mul_tensor"(%arg0, %arg4) : (!t0, !t4) -> !t0
    %4 = "aten.permute"(%arg1) {dims = [0, 1, 3, 2]} : (!t1) -> !t2
    %5:2 = "aten.u_scaled_dot_product_flash_attention_for_cpu"(%3, %4, %arg2, %2) {dropout_p = 0.000000e+00 : f64, is_causal = false, scale = 1.000000e+00 : f64} : (!t0, !t2, !t2, !t7) -> (!t0, !t12)
    %6:3 = "aten.u_scaled_dot_product_flash_attention_for_cpu_backward"(%arg5, %3, %4, %arg2, %5#0, %5#1, %2) {dropout_p = 0.000000e+00 : f64, is_causal = false, scale = 1.000000e+00 : f64} : (!t0, !t0, !t2, !t2, !t0, !t12, !t7) -> (!t9, !t11, !t11)
    %7 = "aten.permute"(%6#1) {dims = [0, 1, 3, 2]} : (!t11) -> !t10
    %8 = "aten.mul_tensor"(%6#0, %arg4) : (!t9, !t4) -> !t9
    return %5#0, %8, %7, %6#2 : !t0, !t9, !t10, !t11
  }
}
// -----
!t0 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d2">, #aten.expr<"d1*d2">, #aten.expr<"d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d2">]>>
!t1 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, 1, #aten.expr<"d2">], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d2">, #aten.expr<"d4">]>>
!t2 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, #aten.expr<"d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d2">]>>
!t3 = tensor<f32, #aten.layout<"cpu", [], 0 : i64, unit>>
!t4 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d2">, #aten.expr<"d1*d2">, 1, #aten.expr<"d2">], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d2">, #aten.expr<"d1">]>>
!t5 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d2">, #aten.expr<"d4">]>>
!t6 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d4">, #aten.expr<"d1*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d4">]>>
!t7 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d4">, #aten.expr<"d1*d4">, 1, #aten.expr<"d4">], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d1">]>>
!t8 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d2">, #aten.expr<"d2">, #aten.expr<"d0*d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d2">]>>
!t9 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2">, 1, #aten.expr<"d0*d2">], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d2">, #aten.expr<"d4">]>>
!t10 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2">, #aten.expr<"d0*d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d2">]>>
!t11 = tensor<?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1">, 1, #aten.expr<"d0">], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">]>>
module @attention_divided_by_tensor_unmasked_training {
  func.func @search(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}, %arg3: !t3 {aten.name = "scale"}, %arg4: !t0 {aten.name = "tangent_0"}, %arg5: !t4 {aten.name = "q_6", pattern.permuted = [0, 0, 1, 3, 2]}, %arg6: !t2 {aten.name = "k_7", pattern.permuted = [1, 0, 1, 3, 2]}, %arg7: !t1 {aten.name = "v_8", pattern.permuted = [2, 0, 1, 3, 2]}) -> (!t0, !t0, !t5, !t2) {
    %0 = "aten.matmul"(%arg0, %arg1) : (!t0, !t1) -> !t6
    %1 = "aten.div_tensor"(%0, %arg3) : (!t6, !t3) -> !t6
    %2 = "aten.u_softmax"(%1) {dim = 3 : i64, half_to_float = false} : (!t6) -> !t6
    %3 = "aten.matmul"(%2, %arg2) : (!t6, !t2) -> !t0
    %4 = "aten.permute"(%2) {dims = [0, 1, 3, 2]} : (!t6) -> !t7
    %5 = "aten.matmul"(%4, %arg4) : (!t7, !t0) -> !t2
    %6 = "aten.matmul"(%arg4, %arg7) : (!t0, !t1) -> !t6
    %7 = "aten.u_softmax_backward_data"(%6, %2) {dim = 3 : i64, input_dtype = #aten.enum<"dtype", "float32">} : (!t6, !t6) -> !t6
    %8 = "aten.div_tensor"(%7, %arg3) : (!t6, !t3) -> !t6
    %9 = "aten.matmul"(%arg5, %8) : (!t4, !t6) -> !t5
    %10 = "aten.matmul"(%8, %arg6) : (!t6, !t2) -> !t0
    return %3, %10, %9, %5 : !t0, !t0, !t5, !t2
  }
  pdl.pattern @attention_divided_by_tensor_unmasked_training : benefit(11) {
    %q = pdl.operand
    %k = pdl.operand
    %v = pdl.operand
    %scale = pdl.operand
    %tangent_0 = pdl.operand
    %q_6 = pdl.operand
    %k_7 = pdl.operand
    %v_8 = pdl.operand
    %literal0 = pdl.attribute = 3 : i64
    %literal1 = pdl.attribute = false
    %literal2 = pdl.attribute = [0, 1, 3, 2]
    %literal3 = pdl.attribute = #aten.enum<"dtype", "float32">
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
    %type4_0 = pdl.type
    %op4 = pdl.operation "aten.permute"(%op2.r0 : !pdl.value) {"dims" = %literal2} -> (%type4_0 : !pdl.type)
    %op4.r0 = pdl.result 0 of %op4
    %type5_0 = pdl.type
    %op5 = pdl.operation "aten.matmul"(%op4.r0, %tangent_0 : !pdl.value, !pdl.value) -> (%type5_0 : !pdl.type)
    %type6_0 = pdl.type
    %op6 = pdl.operation "aten.matmul"(%tangent_0, %v_8 : !pdl.value, !pdl.value) -> (%type6_0 : !pdl.type)
    %op6.r0 = pdl.result 0 of %op6
    %type7_0 = pdl.type
    %op7 = pdl.operation "aten.u_softmax_backward_data"(%op6.r0, %op2.r0 : !pdl.value, !pdl.value) {"dim" = %literal0, "input_dtype" = %literal3} -> (%type7_0 : !pdl.type)
    %op7.r0 = pdl.result 0 of %op7
    %type8_0 = pdl.type
    %op8 = pdl.operation "aten.div_tensor"(%op7.r0, %scale : !pdl.value, !pdl.value) -> (%type8_0 : !pdl.type)
    %op8.r0 = pdl.result 0 of %op8
    %type9_0 = pdl.type
    %op9 = pdl.operation "aten.matmul"(%q_6, %op8.r0 : !pdl.value, !pdl.value) -> (%type9_0 : !pdl.type)
    %type10_0 = pdl.type
    %op10 = pdl.operation "aten.matmul"(%op8.r0, %k_7 : !pdl.value, !pdl.value) -> (%type10_0 : !pdl.type)
    %name = pdl.attribute = "attention_divided_by_tensor_unmasked_training"
    pdl.apply_native_constraint "collect"(%name, %q, %k, %v, %scale, %tangent_0, %q_6, %k_7, %v_8, %op0, %op1, %op2, %op3, %op4, %op5, %op6, %op7, %op8, %op9, %op10 : !pdl.attribute, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation)
    pdl.rewrite %op10 with "replace"
  }
  func.func @replace(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}, %arg3: !t3 {aten.name = "scale"}, %arg4: !t0 {aten.name = "tangent_0"}) -> (!t0, !t8, !t9, !t10) {
    %0 = "aten.div_tensor"(%arg0, %arg3) : (!t0, !t3) -> !t0
    %1 = "aten.permute"(%arg1) {dims = [0, 1, 3, 2]} : (!t1) -> !t2
    %2:2 = "aten.u_scaled_dot_product_flash_attention_for_cpu"(%0, %1, %arg2) {dropout_p = 0.000000e+00 : f64, is_causal = false, scale = 1.000000e+00 : f64} : (!t0, !t2, !t2) -> (!t0, !t11)
    %3:3 = "aten.u_scaled_dot_product_flash_attention_for_cpu_backward"(%arg4, %0, %1, %arg2, %2#0, %2#1) {dropout_p = 0.000000e+00 : f64, is_causal = false, scale = 1.000000e+00 : f64} : (!t0, !t0, !t2, !t2, !t0, !t11) -> (!t8, !t10, !t10)
    %4 = "aten.permute"(%3#1) {dims = [0, 1, 3, 2]} : (!t10) -> !t9
    %5 = "aten.div_tensor"(%3#0, %arg3) : (!t8, !t3) -> !t8
    return %2#0, %5, %4, %3#2 : !t0, !t8, !t9, !t10
  }
}
// -----
!t0 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d2">, #aten.expr<"d1*d2">, #aten.expr<"d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d2">]>>
!t1 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, 1, #aten.expr<"d2">], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d2">, #aten.expr<"d4">]>>
!t2 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, #aten.expr<"d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d2">]>>
!t3 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d4">, #aten.expr<"d1*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d4">]>>
!t4 = tensor<f32, #aten.layout<"cpu", [], 0 : i64, unit>>
!t5 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d2">, #aten.expr<"d1*d2">, 1, #aten.expr<"d2">], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d2">, #aten.expr<"d1">]>>
!t6 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d2">, #aten.expr<"d4">]>>
!t7 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d4">, #aten.expr<"d1*d4">, 1, #aten.expr<"d4">], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d1">]>>
!t8 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d2">, #aten.expr<"d2">, #aten.expr<"d0*d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d2">]>>
!t9 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2">, 1, #aten.expr<"d0*d2">], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d2">, #aten.expr<"d4">]>>
!t10 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2">, #aten.expr<"d0*d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d2">]>>
!t11 = tensor<?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1">, 1, #aten.expr<"d0">], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">]>>
module @attention_divided_by_tensor_added_training {
  func.func @search(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}, %arg3: !t3 {aten.name = "mask", pattern.any_size}, %arg4: !t4 {aten.name = "scale"}, %arg5: !t0 {aten.name = "tangent_0"}, %arg6: !t5 {aten.name = "q_7", pattern.permuted = [0, 0, 1, 3, 2]}, %arg7: !t2 {aten.name = "k_8", pattern.permuted = [1, 0, 1, 3, 2]}, %arg8: !t1 {aten.name = "v_9", pattern.permuted = [2, 0, 1, 3, 2]}) -> (!t0, !t0, !t6, !t2) {
    %0 = "aten.matmul"(%arg0, %arg1) : (!t0, !t1) -> !t3
    %1 = "aten.div_tensor"(%0, %arg4) : (!t3, !t4) -> !t3
    %2 = "aten.add_tensor"(%1, %arg3) {alpha = 1 : i64} : (!t3, !t3) -> !t3
    %3 = "aten.u_softmax"(%2) {dim = 3 : i64, half_to_float = false} : (!t3) -> !t3
    %4 = "aten.matmul"(%3, %arg2) : (!t3, !t2) -> !t0
    %5 = "aten.permute"(%3) {dims = [0, 1, 3, 2]} : (!t3) -> !t7
    %6 = "aten.matmul"(%5, %arg5) : (!t7, !t0) -> !t2
    %7 = "aten.matmul"(%arg5, %arg8) : (!t0, !t1) -> !t3
    %8 = "aten.u_softmax_backward_data"(%7, %3) {dim = 3 : i64, input_dtype = #aten.enum<"dtype", "float32">} : (!t3, !t3) -> !t3
    %9 = "aten.div_tensor"(%8, %arg4) : (!t3, !t4) -> !t3
    %10 = "aten.matmul"(%arg6, %9) : (!t5, !t3) -> !t6
    %11 = "aten.matmul"(%9, %arg7) : (!t3, !t2) -> !t0
    return %4, %11, %10, %6 : !t0, !t0, !t6, !t2
  }
  pdl.pattern @attention_divided_by_tensor_added_training : benefit(12) {
    %q = pdl.operand
    %k = pdl.operand
    %v = pdl.operand
    %mask = pdl.operand
    %scale = pdl.operand
    %tangent_0 = pdl.operand
    %q_7 = pdl.operand
    %k_8 = pdl.operand
    %v_9 = pdl.operand
    %literal0 = pdl.attribute = 1 : i64
    %literal1 = pdl.attribute = 3 : i64
    %literal2 = pdl.attribute = false
    %literal3 = pdl.attribute = [0, 1, 3, 2]
    %literal4 = pdl.attribute = #aten.enum<"dtype", "float32">
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
    %type5_0 = pdl.type
    %op5 = pdl.operation "aten.permute"(%op3.r0 : !pdl.value) {"dims" = %literal3} -> (%type5_0 : !pdl.type)
    %op5.r0 = pdl.result 0 of %op5
    %type6_0 = pdl.type
    %op6 = pdl.operation "aten.matmul"(%op5.r0, %tangent_0 : !pdl.value, !pdl.value) -> (%type6_0 : !pdl.type)
    %type7_0 = pdl.type
    %op7 = pdl.operation "aten.matmul"(%tangent_0, %v_9 : !pdl.value, !pdl.value) -> (%type7_0 : !pdl.type)
    %op7.r0 = pdl.result 0 of %op7
    %type8_0 = pdl.type
    %op8 = pdl.operation "aten.u_softmax_backward_data"(%op7.r0, %op3.r0 : !pdl.value, !pdl.value) {"dim" = %literal1, "input_dtype" = %literal4} -> (%type8_0 : !pdl.type)
    %op8.r0 = pdl.result 0 of %op8
    %type9_0 = pdl.type
    %op9 = pdl.operation "aten.div_tensor"(%op8.r0, %scale : !pdl.value, !pdl.value) -> (%type9_0 : !pdl.type)
    %op9.r0 = pdl.result 0 of %op9
    %type10_0 = pdl.type
    %op10 = pdl.operation "aten.matmul"(%q_7, %op9.r0 : !pdl.value, !pdl.value) -> (%type10_0 : !pdl.type)
    %type11_0 = pdl.type
    %op11 = pdl.operation "aten.matmul"(%op9.r0, %k_8 : !pdl.value, !pdl.value) -> (%type11_0 : !pdl.type)
    %name = pdl.attribute = "attention_divided_by_tensor_added_training"
    pdl.apply_native_constraint "collect"(%name, %q, %k, %v, %mask, %scale, %tangent_0, %q_7, %k_8, %v_9, %op0, %op1, %op2, %op3, %op4, %op5, %op6, %op7, %op8, %op9, %op10, %op11 : !pdl.attribute, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation)
    pdl.rewrite %op11 with "replace"
  }
  pdl.pattern @attention_divided_by_tensor_added_training_1 : benefit(12) {
    %q = pdl.operand
    %k = pdl.operand
    %v = pdl.operand
    %mask = pdl.operand
    %scale = pdl.operand
    %tangent_0 = pdl.operand
    %q_7 = pdl.operand
    %k_8 = pdl.operand
    %v_9 = pdl.operand
    %literal0 = pdl.attribute = 1 : i64
    %literal1 = pdl.attribute = 3 : i64
    %literal2 = pdl.attribute = false
    %literal3 = pdl.attribute = [0, 1, 3, 2]
    %literal4 = pdl.attribute = #aten.enum<"dtype", "float32">
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
    %type5_0 = pdl.type
    %op5 = pdl.operation "aten.permute"(%op3.r0 : !pdl.value) {"dims" = %literal3} -> (%type5_0 : !pdl.type)
    %op5.r0 = pdl.result 0 of %op5
    %type6_0 = pdl.type
    %op6 = pdl.operation "aten.matmul"(%op5.r0, %tangent_0 : !pdl.value, !pdl.value) -> (%type6_0 : !pdl.type)
    %type7_0 = pdl.type
    %op7 = pdl.operation "aten.matmul"(%tangent_0, %v_9 : !pdl.value, !pdl.value) -> (%type7_0 : !pdl.type)
    %op7.r0 = pdl.result 0 of %op7
    %type8_0 = pdl.type
    %op8 = pdl.operation "aten.u_softmax_backward_data"(%op7.r0, %op3.r0 : !pdl.value, !pdl.value) {"dim" = %literal1, "input_dtype" = %literal4} -> (%type8_0 : !pdl.type)
    %op8.r0 = pdl.result 0 of %op8
    %type9_0 = pdl.type
    %op9 = pdl.operation "aten.div_tensor"(%op8.r0, %scale : !pdl.value, !pdl.value) -> (%type9_0 : !pdl.type)
    %op9.r0 = pdl.result 0 of %op9
    %type10_0 = pdl.type
    %op10 = pdl.operation "aten.matmul"(%q_7, %op9.r0 : !pdl.value, !pdl.value) -> (%type10_0 : !pdl.type)
    %type11_0 = pdl.type
    %op11 = pdl.operation "aten.matmul"(%op9.r0, %k_8 : !pdl.value, !pdl.value) -> (%type11_0 : !pdl.type)
    %name = pdl.attribute = "attention_divided_by_tensor_added_training"
    pdl.apply_native_constraint "collect"(%name, %q, %k, %v, %mask, %scale, %tangent_0, %q_7, %k_8, %v_9, %op0, %op1, %op2, %op3, %op4, %op5, %op6, %op7, %op8, %op9, %op10, %op11 : !pdl.attribute, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation)
    pdl.rewrite %op11 with "replace"
  }
  func.func @replace(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}, %arg3: !t3 {aten.name = "mask"}, %arg4: !t4 {aten.name = "scale"}, %arg5: !t0 {aten.name = "tangent_0"}) -> (!t0, !t8, !t9, !t10) {
    %0 = "aten.div_tensor"(%arg0, %arg4) : (!t0, !t4) -> !t0
    %1 = "aten.permute"(%arg1) {dims = [0, 1, 3, 2]} : (!t1) -> !t2
    %2:2 = "aten.u_scaled_dot_product_flash_attention_for_cpu"(%0, %1, %arg2, %arg3) {dropout_p = 0.000000e+00 : f64, is_causal = false, scale = 1.000000e+00 : f64} : (!t0, !t2, !t2, !t3) -> (!t0, !t11)
    %3:3 = "aten.u_scaled_dot_product_flash_attention_for_cpu_backward"(%arg5, %0, %1, %arg2, %2#0, %2#1, %arg3) {dropout_p = 0.000000e+00 : f64, is_causal = false, scale = 1.000000e+00 : f64} : (!t0, !t0, !t2, !t2, !t0, !t11, !t3) -> (!t8, !t10, !t10)
    %4 = "aten.permute"(%3#1) {dims = [0, 1, 3, 2]} : (!t10) -> !t9
    %5 = "aten.div_tensor"(%3#0, %arg4) : (!t8, !t4) -> !t8
    return %2#0, %5, %4, %3#2 : !t0, !t8, !t9, !t10
  }
}
// -----
!t0 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d2">, #aten.expr<"d1*d2">, #aten.expr<"d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d2">]>>
!t1 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, 1, #aten.expr<"d2">], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d2">, #aten.expr<"d4">]>>
!t2 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, #aten.expr<"d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d2">]>>
!t3 = tensor<?x?x?x?xi1, #aten.layout<"cpu", [#aten.expr<"d0*d1*d4">, #aten.expr<"d1*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d4">]>>
!t4 = tensor<f32, #aten.layout<"cpu", [], 0 : i64, unit>>
!t5 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d2">, #aten.expr<"d1*d2">, 1, #aten.expr<"d2">], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d2">, #aten.expr<"d1">]>>
!t6 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d2">, #aten.expr<"d4">]>>
!t7 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d4">, #aten.expr<"d1*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d4">]>>
!t8 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d4">, #aten.expr<"d1*d4">, 1, #aten.expr<"d4">], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d1">]>>
!t9 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d2">, #aten.expr<"d2">, #aten.expr<"d0*d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d2">]>>
!t10 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2">, 1, #aten.expr<"d0*d2">], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d2">, #aten.expr<"d4">]>>
!t11 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2">, #aten.expr<"d0*d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d2">]>>
!t12 = tensor<?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1">, 1, #aten.expr<"d0">], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">]>>
module @attention_divided_by_tensor_kept_training {
  func.func @search(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}, %arg3: !t3 {aten.name = "mask", pattern.any_size}, %arg4: !t4 {aten.name = "fill"}, %arg5: !t4 {aten.name = "scale"}, %arg6: !t0 {aten.name = "tangent_0"}, %arg7: !t5 {aten.name = "q_8", pattern.permuted = [0, 0, 1, 3, 2]}, %arg8: !t2 {aten.name = "k_9", pattern.permuted = [1, 0, 1, 3, 2]}, %arg9: !t1 {aten.name = "v_10", pattern.permuted = [2, 0, 1, 3, 2]}) -> (!t0, !t0, !t6, !t2) {
    %0 = "aten.matmul"(%arg0, %arg1) : (!t0, !t1) -> !t7
    %1 = "aten.div_tensor"(%0, %arg5) : (!t7, !t4) -> !t7
    %2 = "aten.where_self"(%arg3, %1, %arg4) : (!t3, !t7, !t4) -> !t7
    %3 = "aten.u_softmax"(%2) {dim = 3 : i64, half_to_float = false} : (!t7) -> !t7
    %4 = "aten.matmul"(%3, %arg2) : (!t7, !t2) -> !t0
    %5 = "aten.permute"(%3) {dims = [0, 1, 3, 2]} : (!t7) -> !t8
    %6 = "aten.matmul"(%5, %arg6) : (!t8, !t0) -> !t2
    %7 = "aten.matmul"(%arg6, %arg9) : (!t0, !t1) -> !t7
    %8 = "aten.u_softmax_backward_data"(%7, %3) {dim = 3 : i64, input_dtype = #aten.enum<"dtype", "float32">} : (!t7, !t7) -> !t7
    %9 = "aten.scalar_tensor"() {device = #aten.enum<"device", "cpu">, dtype = #aten.enum<"dtype", "float32">, layout = #aten.enum<"layout", "strided">, pin_memory = #aten.none, s = 0 : i64} : () -> !t4
    %10 = "aten.where_self"(%arg3, %8, %9) : (!t3, !t7, !t4) -> !t7
    %11 = "aten.div_tensor"(%10, %arg5) : (!t7, !t4) -> !t7
    %12 = "aten.matmul"(%arg7, %11) : (!t5, !t7) -> !t6
    %13 = "aten.matmul"(%11, %arg8) : (!t7, !t2) -> !t0
    return %4, %13, %12, %6 : !t0, !t0, !t6, !t2
  }
  pdl.pattern @attention_divided_by_tensor_kept_training : benefit(14) {
    %q = pdl.operand
    %k = pdl.operand
    %v = pdl.operand
    %mask = pdl.operand
    %fill = pdl.operand
    %scale = pdl.operand
    %tangent_0 = pdl.operand
    %q_8 = pdl.operand
    %k_9 = pdl.operand
    %v_10 = pdl.operand
    %literal0 = pdl.attribute = 3 : i64
    %literal1 = pdl.attribute = false
    %literal2 = pdl.attribute = [0, 1, 3, 2]
    %literal3 = pdl.attribute = #aten.enum<"dtype", "float32">
    %literal4 = pdl.attribute = #aten.enum<"layout", "strided">
    %literal5 = pdl.attribute = #aten.none
    %literal6 = pdl.attribute = 0 : i64
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
    %type5_0 = pdl.type
    %op5 = pdl.operation "aten.permute"(%op3.r0 : !pdl.value) {"dims" = %literal2} -> (%type5_0 : !pdl.type)
    %op5.r0 = pdl.result 0 of %op5
    %type6_0 = pdl.type
    %op6 = pdl.operation "aten.matmul"(%op5.r0, %tangent_0 : !pdl.value, !pdl.value) -> (%type6_0 : !pdl.type)
    %type7_0 = pdl.type
    %op7 = pdl.operation "aten.matmul"(%tangent_0, %v_10 : !pdl.value, !pdl.value) -> (%type7_0 : !pdl.type)
    %op7.r0 = pdl.result 0 of %op7
    %type8_0 = pdl.type
    %op8 = pdl.operation "aten.u_softmax_backward_data"(%op7.r0, %op3.r0 : !pdl.value, !pdl.value) {"dim" = %literal0, "input_dtype" = %literal3} -> (%type8_0 : !pdl.type)
    %op8.r0 = pdl.result 0 of %op8
    %type9_0 = pdl.type
    %op9 = pdl.operation "aten.scalar_tensor" {"dtype" = %literal3, "layout" = %literal4, "pin_memory" = %literal5, "s" = %literal6} -> (%type9_0 : !pdl.type)
    %op9.r0 = pdl.result 0 of %op9
    %type10_0 = pdl.type
    %op10 = pdl.operation "aten.where_self"(%mask, %op8.r0, %op9.r0 : !pdl.value, !pdl.value, !pdl.value) -> (%type10_0 : !pdl.type)
    %op10.r0 = pdl.result 0 of %op10
    %type11_0 = pdl.type
    %op11 = pdl.operation "aten.div_tensor"(%op10.r0, %scale : !pdl.value, !pdl.value) -> (%type11_0 : !pdl.type)
    %op11.r0 = pdl.result 0 of %op11
    %type12_0 = pdl.type
    %op12 = pdl.operation "aten.matmul"(%q_8, %op11.r0 : !pdl.value, !pdl.value) -> (%type12_0 : !pdl.type)
    %type13_0 = pdl.type
    %op13 = pdl.operation "aten.matmul"(%op11.r0, %k_9 : !pdl.value, !pdl.value) -> (%type13_0 : !pdl.type)
    %name = pdl.attribute = "attention_divided_by_tensor_kept_training"
    pdl.apply_native_constraint "collect"(%name, %q, %k, %v, %mask, %fill, %scale, %tangent_0, %q_8, %k_9, %v_10, %op0, %op1, %op2, %op3, %op4, %op5, %op6, %op7, %op8, %op9, %op10, %op11, %op12, %op13 : !pdl.attribute, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation)
    pdl.rewrite %op13 with "replace"
  }
  func.func @replace(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}, %arg3: !t3 {aten.name = "mask"}, %arg4: !t4 {aten.name = "fill"}, %arg5: !t4 {aten.name = "scale"}, %arg6: !t0 {aten.name = "tangent_0"}) -> (!t0, !t9, !t10, !t11) {
    %0 = "aten.zeros"() {device = #aten.enum<"device", "cpu">, dtype = #aten.enum<"dtype", "float32">, layout = #aten.none, pin_memory = false, size = []} : () -> !t4
    %1 = "aten.where_self"(%arg3, %0, %arg4) : (!t3, !t4, !t4) -> !t7
    %2 = "aten.div_tensor"(%arg0, %arg5) : (!t0, !t4) -> !t0
    %3 = "aten.permute"(%arg1) {dims = [0, 1, 3, 2]} : (!t1) -> !t2
    %4:2 = "aten.u_scaled_dot_product_flash_attention_for_cpu"(%2, %3, %arg2, %1) {dropout_p = 0.000000e+00 : f64, is_causal = false, scale = 1.000000e+00 : f64} : (!t0, !t2, !t2, !t7) -> (!t0, !t12)
    %5:3 = "aten.u_scaled_dot_product_flash_attention_for_cpu_backward"(%arg6, %2, %3, %arg2, %4#0, %4#1, %1) {dropout_p = 0.000000e+00 : f64, is_causal = false, scale = 1.000000e+00 : f64} : (!t0, !t0, !t2, !t2, !t0, !t12, !t7) -> (!t9, !t11, !t11)
    %6 = "aten.permute"(%5#1) {dims = [0, 1, 3, 2]} : (!t11) -> !t10
    %7 = "aten.div_tensor"(%5#0, %arg5) : (!t9, !t4) -> !t9
    return %4#0, %7, %6, %5#2 : !t0, !t9, !t10, !t11
  }
}
// -----
!t0 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d2">, #aten.expr<"d1*d2">, #aten.expr<"d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d2">]>>
!t1 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, 1, #aten.expr<"d2">], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d2">, #aten.expr<"d4">]>>
!t2 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, #aten.expr<"d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d2">]>>
!t3 = tensor<?x?x?x?xi1, #aten.layout<"cpu", [#aten.expr<"d0*d1*d4">, #aten.expr<"d1*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d4">]>>
!t4 = tensor<f32, #aten.layout<"cpu", [], 0 : i64, unit>>
!t5 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d2">, #aten.expr<"d1*d2">, 1, #aten.expr<"d2">], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d2">, #aten.expr<"d1">]>>
!t6 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d2">, #aten.expr<"d4">]>>
!t7 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d4">, #aten.expr<"d1*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d4">]>>
!t8 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d4">, #aten.expr<"d1*d4">, 1, #aten.expr<"d4">], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d1">]>>
!t9 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d2">, #aten.expr<"d2">, #aten.expr<"d0*d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d2">]>>
!t10 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2">, 1, #aten.expr<"d0*d2">], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d2">, #aten.expr<"d4">]>>
!t11 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2">, #aten.expr<"d0*d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d2">]>>
!t12 = tensor<?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1">, 1, #aten.expr<"d0">], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">]>>
module @attention_divided_by_tensor_dropped_training {
  func.func @search(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}, %arg3: !t3 {aten.name = "mask", pattern.any_size}, %arg4: !t4 {aten.name = "fill"}, %arg5: !t4 {aten.name = "scale"}, %arg6: !t0 {aten.name = "tangent_0"}, %arg7: !t5 {aten.name = "q_8", pattern.permuted = [0, 0, 1, 3, 2]}, %arg8: !t2 {aten.name = "k_9", pattern.permuted = [1, 0, 1, 3, 2]}, %arg9: !t1 {aten.name = "v_10", pattern.permuted = [2, 0, 1, 3, 2]}) -> (!t0, !t0, !t6, !t2) {
    %0 = "aten.matmul"(%arg0, %arg1) : (!t0, !t1) -> !t7
    %1 = "aten.div_tensor"(%0, %arg5) : (!t7, !t4) -> !t7
    %2 = "aten.where_self"(%arg3, %arg4, %1) : (!t3, !t4, !t7) -> !t7
    %3 = "aten.u_softmax"(%2) {dim = 3 : i64, half_to_float = false} : (!t7) -> !t7
    %4 = "aten.matmul"(%3, %arg2) : (!t7, !t2) -> !t0
    %5 = "aten.permute"(%3) {dims = [0, 1, 3, 2]} : (!t7) -> !t8
    %6 = "aten.matmul"(%5, %arg6) : (!t8, !t0) -> !t2
    %7 = "aten.matmul"(%arg6, %arg9) : (!t0, !t1) -> !t7
    %8 = "aten.u_softmax_backward_data"(%7, %3) {dim = 3 : i64, input_dtype = #aten.enum<"dtype", "float32">} : (!t7, !t7) -> !t7
    %9 = "aten.scalar_tensor"() {device = #aten.enum<"device", "cpu">, dtype = #aten.enum<"dtype", "float32">, layout = #aten.enum<"layout", "strided">, pin_memory = #aten.none, s = 0 : i64} : () -> !t4
    %10 = "aten.where_self"(%arg3, %9, %8) : (!t3, !t4, !t7) -> !t7
    %11 = "aten.div_tensor"(%10, %arg5) : (!t7, !t4) -> !t7
    %12 = "aten.matmul"(%arg7, %11) : (!t5, !t7) -> !t6
    %13 = "aten.matmul"(%11, %arg8) : (!t7, !t2) -> !t0
    return %4, %13, %12, %6 : !t0, !t0, !t6, !t2
  }
  pdl.pattern @attention_divided_by_tensor_dropped_training : benefit(14) {
    %q = pdl.operand
    %k = pdl.operand
    %v = pdl.operand
    %mask = pdl.operand
    %fill = pdl.operand
    %scale = pdl.operand
    %tangent_0 = pdl.operand
    %q_8 = pdl.operand
    %k_9 = pdl.operand
    %v_10 = pdl.operand
    %literal0 = pdl.attribute = 3 : i64
    %literal1 = pdl.attribute = false
    %literal2 = pdl.attribute = [0, 1, 3, 2]
    %literal3 = pdl.attribute = #aten.enum<"dtype", "float32">
    %literal4 = pdl.attribute = #aten.enum<"layout", "strided">
    %literal5 = pdl.attribute = #aten.none
    %literal6 = pdl.attribute = 0 : i64
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
    %type5_0 = pdl.type
    %op5 = pdl.operation "aten.permute"(%op3.r0 : !pdl.value) {"dims" = %literal2} -> (%type5_0 : !pdl.type)
    %op5.r0 = pdl.result 0 of %op5
    %type6_0 = pdl.type
    %op6 = pdl.operation "aten.matmul"(%op5.r0, %tangent_0 : !pdl.value, !pdl.value) -> (%type6_0 : !pdl.type)
    %type7_0 = pdl.type
    %op7 = pdl.operation "aten.matmul"(%tangent_0, %v_10 : !pdl.value, !pdl.value) -> (%type7_0 : !pdl.type)
    %op7.r0 = pdl.result 0 of %op7
    %type8_0 = pdl.type
    %op8 = pdl.operation "aten.u_softmax_backward_data"(%op7.r0, %op3.r0 : !pdl.value, !pdl.value) {"dim" = %literal0, "input_dtype" = %literal3} -> (%type8_0 : !pdl.type)
    %op8.r0 = pdl.result 0 of %op8
    %type9_0 = pdl.type
    %op9 = pdl.operation "aten.scalar_tensor" {"dtype" = %literal3, "layout" = %literal4, "pin_memory" = %literal5, "s" = %literal6} -> (%type9_0 : !pdl.type)
    %op9.r0 = pdl.result 0 of %op9
    %type10_0 = pdl.type
    %op10 = pdl.operation "aten.where_self"(%mask, %op9.r0, %op8.r0 : !pdl.value, !pdl.value, !pdl.value) -> (%type10_0 : !pdl.type)
    %op10.r0 = pdl.result 0 of %op10
    %type11_0 = pdl.type
    %op11 = pdl.operation "aten.div_tensor"(%op10.r0, %scale : !pdl.value, !pdl.value) -> (%type11_0 : !pdl.type)
    %op11.r0 = pdl.result 0 of %op11
    %type12_0 = pdl.type
    %op12 = pdl.operation "aten.matmul"(%q_8, %op11.r0 : !pdl.value, !pdl.value) -> (%type12_0 : !pdl.type)
    %type13_0 = pdl.type
    %op13 = pdl.operation "aten.matmul"(%op11.r0, %k_9 : !pdl.value, !pdl.value) -> (%type13_0 : !pdl.type)
    %name = pdl.attribute = "attention_divided_by_tensor_dropped_training"
    pdl.apply_native_constraint "collect"(%name, %q, %k, %v, %mask, %fill, %scale, %tangent_0, %q_8, %k_9, %v_10, %op0, %op1, %op2, %op3, %op4, %op5, %op6, %op7, %op8, %op9, %op10, %op11, %op12, %op13 : !pdl.attribute, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation)
    pdl.rewrite %op13 with "replace"
  }
  func.func @replace(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}, %arg3: !t3 {aten.name = "mask"}, %arg4: !t4 {aten.name = "fill"}, %arg5: !t4 {aten.name = "scale"}, %arg6: !t0 {aten.name = "tangent_0"}) -> (!t0, !t9, !t10, !t11) {
    %0 = "aten.zeros"() {device = #aten.enum<"device", "cpu">, dtype = #aten.enum<"dtype", "float32">, layout = #aten.none, pin_memory = false, size = []} : () -> !t4
    %1 = "aten.where_self"(%arg3, %arg4, %0) : (!t3, !t4, !t4) -> !t7
    %2 = "aten.div_tensor"(%arg0, %arg5) : (!t0, !t4) -> !t0
    %3 = "aten.permute"(%arg1) {dims = [0, 1, 3, 2]} : (!t1) -> !t2
    %4:2 = "aten.u_scaled_dot_product_flash_attention_for_cpu"(%2, %3, %arg2, %1) {dropout_p = 0.000000e+00 : f64, is_causal = false, scale = 1.000000e+00 : f64} : (!t0, !t2, !t2, !t7) -> (!t0, !t12)
    %5:3 = "aten.u_scaled_dot_product_flash_attention_for_cpu_backward"(%arg6, %2, %3, %arg2, %4#0, %4#1, %1) {dropout_p = 0.000000e+00 : f64, is_causal = false, scale = 1.000000e+00 : f64} : (!t0, !t0, !t2, !t2, !t0, !t12, !t7) -> (!t9, !t11, !t11)
    %6 = "aten.permute"(%5#1) {dims = [0, 1, 3, 2]} : (!t11) -> !t10
    %7 = "aten.div_tensor"(%5#0, %arg5) : (!t9, !t4) -> !t9
    return %4#0, %7, %6, %5#2 : !t0, !t9, !t10, !t11
  }
}
// -----
!t0 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d2">, #aten.expr<"d1*d2">, #aten.expr<"d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d2">]>>
!t1 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, 1, #aten.expr<"d2">], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d2">, #aten.expr<"d4">]>>
!t2 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, #aten.expr<"d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d2">]>>
!t3 = tensor<?x?x?x?xi1, #aten.layout<"cpu", [#aten.expr<"d0*d1*d4">, #aten.expr<"d1*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d4">]>>
!t4 = tensor<f32, #aten.layout<"cpu", [], 0 : i64, unit>>
!t5 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d2">, #aten.expr<"d1*d2">, 1, #aten.expr<"d2">], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d2">, #aten.expr<"d1">]>>
!t6 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d2">, #aten.expr<"d4">]>>
!t7 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d4">, #aten.expr<"d1*d4">, #aten.expr<"d4">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d4">]>>
!t8 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d4">, #aten.expr<"d1*d4">, 1, #aten.expr<"d4">], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d1">]>>
!t9 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1*d2">, #aten.expr<"d2">, #aten.expr<"d0*d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">, #aten.expr<"d2">]>>
!t10 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2">, 1, #aten.expr<"d0*d2">], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d2">, #aten.expr<"d4">]>>
!t11 = tensor<?x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d2*d4">, #aten.expr<"d2">, #aten.expr<"d0*d2">, 1], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d4">, #aten.expr<"d2">]>>
!t12 = tensor<?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1">, 1, #aten.expr<"d0">], 0 : i64, [#aten.expr<"d3">, #aten.expr<"d0">, #aten.expr<"d1">]>>
module @attention_divided_by_tensor_filled_training attributes {pattern.scalars = ["fill"]} {
  func.func @search(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}, %arg3: !t3 {aten.name = "mask", pattern.any_size}, %arg4: !t4 {aten.name = "scale"}, %arg5: !t0 {aten.name = "tangent_0"}, %arg6: !t5 {aten.name = "q_7", pattern.permuted = [0, 0, 1, 3, 2]}, %arg7: !t2 {aten.name = "k_8", pattern.permuted = [1, 0, 1, 3, 2]}, %arg8: !t1 {aten.name = "v_9", pattern.permuted = [2, 0, 1, 3, 2]}) -> (!t0, !t0, !t6, !t2) {
    %0 = "aten.matmul"(%arg0, %arg1) : (!t0, !t1) -> !t7
    %1 = "aten.div_tensor"(%0, %arg4) : (!t7, !t4) -> !t7
    %2 = "aten.masked_fill_scalar"(%1, %arg3) {value = #aten.expr<"fill">} : (!t7, !t3) -> !t7
    %3 = "aten.u_softmax"(%2) {dim = 3 : i64, half_to_float = false} : (!t7) -> !t7
    %4 = "aten.matmul"(%3, %arg2) : (!t7, !t2) -> !t0
    %5 = "aten.permute"(%3) {dims = [0, 1, 3, 2]} : (!t7) -> !t8
    %6 = "aten.matmul"(%5, %arg5) : (!t8, !t0) -> !t2
    %7 = "aten.matmul"(%arg5, %arg8) : (!t0, !t1) -> !t7
    %8 = "aten.u_softmax_backward_data"(%7, %3) {dim = 3 : i64, input_dtype = #aten.enum<"dtype", "float32">} : (!t7, !t7) -> !t7
    %9 = "aten.masked_fill_scalar"(%8, %arg3) {value = 0 : i64} : (!t7, !t3) -> !t7
    %10 = "aten.div_tensor"(%9, %arg4) : (!t7, !t4) -> !t7
    %11 = "aten.matmul"(%arg6, %10) : (!t5, !t7) -> !t6
    %12 = "aten.matmul"(%10, %arg7) : (!t7, !t2) -> !t0
    return %4, %12, %11, %6 : !t0, !t0, !t6, !t2
  }
  pdl.pattern @attention_divided_by_tensor_filled_training : benefit(13) {
    %q = pdl.operand
    %k = pdl.operand
    %v = pdl.operand
    %mask = pdl.operand
    %scale = pdl.operand
    %tangent_0 = pdl.operand
    %q_7 = pdl.operand
    %k_8 = pdl.operand
    %v_9 = pdl.operand
    %literal0 = pdl.attribute = 3 : i64
    %literal1 = pdl.attribute = false
    %literal2 = pdl.attribute = [0, 1, 3, 2]
    %literal3 = pdl.attribute = #aten.enum<"dtype", "float32">
    %literal4 = pdl.attribute = 0 : i64
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
    %type5_0 = pdl.type
    %op5 = pdl.operation "aten.permute"(%op3.r0 : !pdl.value) {"dims" = %literal2} -> (%type5_0 : !pdl.type)
    %op5.r0 = pdl.result 0 of %op5
    %type6_0 = pdl.type
    %op6 = pdl.operation "aten.matmul"(%op5.r0, %tangent_0 : !pdl.value, !pdl.value) -> (%type6_0 : !pdl.type)
    %type7_0 = pdl.type
    %op7 = pdl.operation "aten.matmul"(%tangent_0, %v_9 : !pdl.value, !pdl.value) -> (%type7_0 : !pdl.type)
    %op7.r0 = pdl.result 0 of %op7
    %type8_0 = pdl.type
    %op8 = pdl.operation "aten.u_softmax_backward_data"(%op7.r0, %op3.r0 : !pdl.value, !pdl.value) {"dim" = %literal0, "input_dtype" = %literal3} -> (%type8_0 : !pdl.type)
    %op8.r0 = pdl.result 0 of %op8
    %type9_0 = pdl.type
    %op9 = pdl.operation "aten.masked_fill_scalar"(%op8.r0, %mask : !pdl.value, !pdl.value) {"value" = %literal4} -> (%type9_0 : !pdl.type)
    %op9.r0 = pdl.result 0 of %op9
    %type10_0 = pdl.type
    %op10 = pdl.operation "aten.div_tensor"(%op9.r0, %scale : !pdl.value, !pdl.value) -> (%type10_0 : !pdl.type)
    %op10.r0 = pdl.result 0 of %op10
    %type11_0 = pdl.type
    %op11 = pdl.operation "aten.matmul"(%q_7, %op10.r0 : !pdl.value, !pdl.value) -> (%type11_0 : !pdl.type)
    %type12_0 = pdl.type
    %op12 = pdl.operation "aten.matmul"(%op10.r0, %k_8 : !pdl.value, !pdl.value) -> (%type12_0 : !pdl.type)
    %name = pdl.attribute = "attention_divided_by_tensor_filled_training"
    pdl.apply_native_constraint "collect"(%name, %q, %k, %v, %mask, %scale, %tangent_0, %q_7, %k_8, %v_9, %op0, %op1, %op2, %op3, %op4, %op5, %op6, %op7, %op8, %op9, %op10, %op11, %op12 : !pdl.attribute, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation)
    pdl.rewrite %op12 with "replace"
  }
  func.func @replace(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}, %arg3: !t3 {aten.name = "mask"}, %arg4: !t4 {aten.name = "scale"}, %arg5: !t0 {aten.name = "tangent_0"}) -> (!t0, !t9, !t10, !t11) {
    %0 = "aten.scalar_tensor"() {device = #aten.enum<"device", "cpu">, dtype = #aten.enum<"dtype", "float32">, layout = #aten.enum<"layout", "strided">, pin_memory = #aten.none, s = 0.000000e+00 : f64} : () -> !t4
    %1 = "aten.scalar_tensor"() {device = #aten.enum<"device", "cpu">, dtype = #aten.enum<"dtype", "float32">, layout = #aten.enum<"layout", "strided">, pin_memory = #aten.none, s = #aten.expr<"fill">} : () -> !t4
    %2 = "aten.where_self"(%arg3, %1, %0) : (!t3, !t4, !t4) -> !t7
    %3 = "aten.div_tensor"(%arg0, %arg4) : (!t0, !t4) -> !t0
    %4 = "aten.permute"(%arg1) {dims = [0, 1, 3, 2]} : (!t1) -> !t2
    %5:2 = "aten.u_scaled_dot_product_flash_attention_for_cpu"(%3, %4, %arg2, %2) {dropout_p = 0.000000e+00 : f64, is_causal = false, scale = 1.000000e+00 : f64} : (!t0, !t2, !t2, !t7) -> (!t0, !t12)
    %6:3 = "aten.u_scaled_dot_product_flash_attention_for_cpu_backward"(%arg5, %3, %4, %arg2, %5#0, %5#1, %2) {dropout_p = 0.000000e+00 : f64, is_causal = false, scale = 1.000000e+00 : f64} : (!t0, !t0, !t2, !t2, !t0, !t12, !t7) -> (!t9, !t11, !t11)
    %7 = "aten.permute"(%6#1) {dims = [0, 1, 3, 2]} : (!t11) -> !t10
    %8 = "aten.div_tensor"(%6#0, %arg4) : (!t9, !t4) -> !t9
    return %5#0, %8, %7, %6#2 : !t0, !t9, !t10, !t11
  }
}
// -----
!t0 = tensor<?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1">, #aten.expr<"d1">, 1], 0 : i64, [#aten.expr<"d2">, #aten.expr<"d0">, #aten.expr<"d1">]>>
!t1 = tensor<?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d1*d3">, 1, #aten.expr<"d1">], 0 : i64, [#aten.expr<"d2">, #aten.expr<"d1">, #aten.expr<"d3">]>>
!t2 = tensor<?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d1*d3">, #aten.expr<"d1">, 1], 0 : i64, [#aten.expr<"d2">, #aten.expr<"d3">, #aten.expr<"d1">]>>
!t3 = tensor<?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d3">, #aten.expr<"d3">, 1], 0 : i64, [#aten.expr<"d2">, #aten.expr<"d0">, #aten.expr<"d3">]>>
!t4 = tensor<?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1">, 1, #aten.expr<"d1">], 0 : i64, [#aten.expr<"d2">, #aten.expr<"d1">, #aten.expr<"d0">]>>
!t5 = tensor<?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d1*d3">, #aten.expr<"d3">, 1], 0 : i64, [#aten.expr<"d2">, #aten.expr<"d1">, #aten.expr<"d3">]>>
!t6 = tensor<?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d3">, 1, #aten.expr<"d3">], 0 : i64, [#aten.expr<"d2">, #aten.expr<"d3">, #aten.expr<"d0">]>>
!t7 = tensor<?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d1">, #aten.expr<"d2*d1">, 1], 0 : i64, [#aten.expr<"d2">, #aten.expr<"d0">, #aten.expr<"d1">]>>
!t8 = tensor<?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d1">, 1, #aten.expr<"d2*d1">], 0 : i64, [#aten.expr<"d2">, #aten.expr<"d1">, #aten.expr<"d3">]>>
!t9 = tensor<?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d1">, #aten.expr<"d2*d1">, 1], 0 : i64, [#aten.expr<"d2">, #aten.expr<"d3">, #aten.expr<"d1">]>>
!t10 = tensor<1x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d2*d0*d1">, #aten.expr<"d0*d1">, #aten.expr<"d1">, 1], 0 : i64, [1, #aten.expr<"d2">, #aten.expr<"d0">, #aten.expr<"d1">]>>
!t11 = tensor<1x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d2*d1*d3">, #aten.expr<"d1*d3">, #aten.expr<"d1">, 1], 0 : i64, [1, #aten.expr<"d2">, #aten.expr<"d3">, #aten.expr<"d1">]>>
!t12 = tensor<1x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d2*d0*d3">, #aten.expr<"d0*d3">, #aten.expr<"d3">, 1], 0 : i64, [1, #aten.expr<"d2">, #aten.expr<"d0">, #aten.expr<"d3">]>>
!t13 = tensor<1x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d2*d0">, 1, #aten.expr<"d2">], 0 : i64, [1, #aten.expr<"d2">, #aten.expr<"d0">]>>
!t14 = tensor<1x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d2*d0*d1">, #aten.expr<"d1">, #aten.expr<"d2*d1">, 1], 0 : i64, [1, #aten.expr<"d2">, #aten.expr<"d0">, #aten.expr<"d1">]>>
!t15 = tensor<1x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d2*d1*d3">, #aten.expr<"d1">, #aten.expr<"d2*d1">, 1], 0 : i64, [1, #aten.expr<"d2">, #aten.expr<"d3">, #aten.expr<"d1">]>>
module @attention_plain_added_to_product_training_merged {
  func.func @search(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}, %arg3: !t3 {aten.name = "mask", pattern.any_size}, %arg4: !t0 {aten.name = "tangent_0"}, %arg5: !t4 {aten.name = "q_6", pattern.permuted = [0, 0, 2, 1]}, %arg6: !t2 {aten.name = "k_7", pattern.permuted = [1, 0, 2, 1]}, %arg7: !t1 {aten.name = "v_8", pattern.permuted = [2, 0, 2, 1]}) -> (!t0, !t0, !t5, !t2) {
    %0 = "aten.baddbmm"(%arg3, %arg0, %arg1) {alpha = 1 : i64, beta = 1 : i64} : (!t3, !t0, !t1) -> !t3
    %1 = "aten.u_softmax"(%0) {dim = 2 : i64, half_to_float = false} : (!t3) -> !t3
    %2 = "aten.bmm"(%1, %arg2) : (!t3, !t2) -> !t0
    %3 = "aten.permute"(%1) {dims = [0, 2, 1]} : (!t3) -> !t6
    %4 = "aten.bmm"(%3, %arg4) : (!t6, !t0) -> !t2
    %5 = "aten.bmm"(%arg4, %arg7) : (!t0, !t1) -> !t3
    %6 = "aten.u_softmax_backward_data"(%5, %1) {dim = 2 : i64, input_dtype = #aten.enum<"dtype", "float32">} : (!t3, !t3) -> !t3
    %7 = "aten.bmm"(%6, %arg6) : (!t3, !t2) -> !t0
    %8 = "aten.bmm"(%arg5, %6) : (!t4, !t3) -> !t5
    return %2, %7, %8, %4 : !t0, !t0, !t5, !t2
  }
  pdl.pattern @attention_plain_added_to_product_training_merged : benefit(9) {
    %q = pdl.operand
    %k = pdl.operand
    %v = pdl.operand
    %mask = pdl.operand
    %tangent_0 = pdl.operand
    %q_6 = pdl.operand
    %k_7 = pdl.operand
    %v_8 = pdl.operand
    %literal0 = pdl.attribute = 1 : i64
    %literal1 = pdl.attribute = 2 : i64
    %literal2 = pdl.attribute = false
    %literal3 = pdl.attribute = [0, 2, 1]
    %literal4 = pdl.attribute = #aten.enum<"dtype", "float32">
    %type0_0 = pdl.type
    %op0 = pdl.operation "aten.baddbmm"(%mask, %q, %k : !pdl.value, !pdl.value, !pdl.value) {"alpha" = %literal0, "beta" = %literal0} -> (%type0_0 : !pdl.type)
    %op0.r0 = pdl.result 0 of %op0
    %type1_0 = pdl.type
    %op1 = pdl.operation "aten.u_softmax"(%op0.r0 : !pdl.value) {"dim" = %literal1, "half_to_float" = %literal2} -> (%type1_0 : !pdl.type)
    %op1.r0 = pdl.result 0 of %op1
    %type2_0 = pdl.type
    %op2 = pdl.operation "aten.bmm"(%op1.r0, %v : !pdl.value, !pdl.value) -> (%type2_0 : !pdl.type)
    %type3_0 = pdl.type
    %op3 = pdl.operation "aten.permute"(%op1.r0 : !pdl.value) {"dims" = %literal3} -> (%type3_0 : !pdl.type)
    %op3.r0 = pdl.result 0 of %op3
    %type4_0 = pdl.type
    %op4 = pdl.operation "aten.bmm"(%op3.r0, %tangent_0 : !pdl.value, !pdl.value) -> (%type4_0 : !pdl.type)
    %type5_0 = pdl.type
    %op5 = pdl.operation "aten.bmm"(%tangent_0, %v_8 : !pdl.value, !pdl.value) -> (%type5_0 : !pdl.type)
    %op5.r0 = pdl.result 0 of %op5
    %type6_0 = pdl.type
    %op6 = pdl.operation "aten.u_softmax_backward_data"(%op5.r0, %op1.r0 : !pdl.value, !pdl.value) {"dim" = %literal1, "input_dtype" = %literal4} -> (%type6_0 : !pdl.type)
    %op6.r0 = pdl.result 0 of %op6
    %type7_0 = pdl.type
    %op7 = pdl.operation "aten.bmm"(%op6.r0, %k_7 : !pdl.value, !pdl.value) -> (%type7_0 : !pdl.type)
    %type8_0 = pdl.type
    %op8 = pdl.operation "aten.bmm"(%q_6, %op6.r0 : !pdl.value, !pdl.value) -> (%type8_0 : !pdl.type)
    %name = pdl.attribute = "attention_plain_added_to_product_training_merged"
    pdl.apply_native_constraint "collect"(%name, %q, %k, %v, %mask, %tangent_0, %q_6, %k_7, %v_8, %op0, %op1, %op2, %op3, %op4, %op5, %op6, %op7, %op8 : !pdl.attribute, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation)
    pdl.rewrite %op8 with "replace"
  }
  func.func @replace(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}, %arg3: !t3 {aten.name = "mask"}, %arg4: !t0 {aten.name = "tangent_0"}) -> (!t0, !t7, !t8, !t9) {
    %0 = "aten.permute"(%arg1) {dims = [0, 2, 1]} : (!t1) -> !t2
    %1 = "aten.unsqueeze"(%arg0) {dim = 0 : i64} : (!t0) -> !t10
    %2 = "aten.unsqueeze"(%0) {dim = 0 : i64} : (!t2) -> !t11
    %3 = "aten.unsqueeze"(%arg2) {dim = 0 : i64} : (!t2) -> !t11
    %4 = "aten.unsqueeze"(%arg3) {dim = 0 : i64} : (!t3) -> !t12
    %5:2 = "aten.u_scaled_dot_product_flash_attention_for_cpu"(%1, %2, %3, %4) {dropout_p = 0.000000e+00 : f64, is_causal = false, scale = 1.000000e+00 : f64} : (!t10, !t11, !t11, !t12) -> (!t10, !t13)
    %6 = "aten.squeeze_dims"(%5#0) {dim = [0]} : (!t10) -> !t0
    %7 = "aten.unsqueeze"(%arg4) {dim = 0 : i64} : (!t0) -> !t10
    %8:3 = "aten.u_scaled_dot_product_flash_attention_for_cpu_backward"(%7, %1, %2, %3, %5#0, %5#1, %4) {dropout_p = 0.000000e+00 : f64, is_causal = false, scale = 1.000000e+00 : f64} : (!t10, !t10, !t11, !t11, !t10, !t13, !t12) -> (!t14, !t15, !t15)
    %9 = "aten.squeeze_dims"(%8#2) {dim = [0]} : (!t15) -> !t9
    %10 = "aten.squeeze_dims"(%8#1) {dim = [0]} : (!t15) -> !t9
    %11 = "aten.squeeze_dims"(%8#0) {dim = [0]} : (!t14) -> !t7
    %12 = "aten.permute"(%10) {dims = [0, 2, 1]} : (!t9) -> !t8
    return %6, %11, %12, %9 : !t0, !t7, !t8, !t9
  }
}
// -----
!t0 = tensor<?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1">, #aten.expr<"d1">, 1], 0 : i64, [#aten.expr<"d2">, #aten.expr<"d0">, #aten.expr<"d1">]>>
!t1 = tensor<?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d1*d3">, 1, #aten.expr<"d1">], 0 : i64, [#aten.expr<"d2">, #aten.expr<"d1">, #aten.expr<"d3">]>>
!t2 = tensor<?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d1*d3">, #aten.expr<"d1">, 1], 0 : i64, [#aten.expr<"d2">, #aten.expr<"d3">, #aten.expr<"d1">]>>
!t3 = tensor<?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1">, 1, #aten.expr<"d1">], 0 : i64, [#aten.expr<"d2">, #aten.expr<"d1">, #aten.expr<"d0">]>>
!t4 = tensor<?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d1*d3">, #aten.expr<"d3">, 1], 0 : i64, [#aten.expr<"d2">, #aten.expr<"d1">, #aten.expr<"d3">]>>
!t5 = tensor<?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d3">, #aten.expr<"d3">, 1], 0 : i64, [#aten.expr<"d2">, #aten.expr<"d0">, #aten.expr<"d3">]>>
!t6 = tensor<?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d3">, 1, #aten.expr<"d3">], 0 : i64, [#aten.expr<"d2">, #aten.expr<"d3">, #aten.expr<"d0">]>>
!t7 = tensor<?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d1">, #aten.expr<"d2*d1">, 1], 0 : i64, [#aten.expr<"d2">, #aten.expr<"d0">, #aten.expr<"d1">]>>
!t8 = tensor<?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d1">, 1, #aten.expr<"d2*d1">], 0 : i64, [#aten.expr<"d2">, #aten.expr<"d1">, #aten.expr<"d3">]>>
!t9 = tensor<?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d1">, #aten.expr<"d2*d1">, 1], 0 : i64, [#aten.expr<"d2">, #aten.expr<"d3">, #aten.expr<"d1">]>>
!t10 = tensor<1x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d2*d0*d1">, #aten.expr<"d0*d1">, #aten.expr<"d1">, 1], 0 : i64, [1, #aten.expr<"d2">, #aten.expr<"d0">, #aten.expr<"d1">]>>
!t11 = tensor<1x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d2*d1*d3">, #aten.expr<"d1*d3">, #aten.expr<"d1">, 1], 0 : i64, [1, #aten.expr<"d2">, #aten.expr<"d3">, #aten.expr<"d1">]>>
!t12 = tensor<1x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d2*d0">, 1, #aten.expr<"d2">], 0 : i64, [1, #aten.expr<"d2">, #aten.expr<"d0">]>>
!t13 = tensor<1x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d2*d0*d1">, #aten.expr<"d1">, #aten.expr<"d2*d1">, 1], 0 : i64, [1, #aten.expr<"d2">, #aten.expr<"d0">, #aten.expr<"d1">]>>
!t14 = tensor<1x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d2*d1*d3">, #aten.expr<"d1">, #aten.expr<"d2*d1">, 1], 0 : i64, [1, #aten.expr<"d2">, #aten.expr<"d3">, #aten.expr<"d1">]>>
module @attention_plain_unmasked_training_merged {
  func.func @search(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}, %arg3: !t0 {aten.name = "tangent_0"}, %arg4: !t3 {aten.name = "q_5", pattern.permuted = [0, 0, 2, 1]}, %arg5: !t2 {aten.name = "k_6", pattern.permuted = [1, 0, 2, 1]}, %arg6: !t1 {aten.name = "v_7", pattern.permuted = [2, 0, 2, 1]}) -> (!t0, !t0, !t4, !t2) {
    %0 = "aten.bmm"(%arg0, %arg1) : (!t0, !t1) -> !t5
    %1 = "aten.u_softmax"(%0) {dim = 2 : i64, half_to_float = false} : (!t5) -> !t5
    %2 = "aten.bmm"(%1, %arg2) : (!t5, !t2) -> !t0
    %3 = "aten.permute"(%1) {dims = [0, 2, 1]} : (!t5) -> !t6
    %4 = "aten.bmm"(%3, %arg3) : (!t6, !t0) -> !t2
    %5 = "aten.bmm"(%arg3, %arg6) : (!t0, !t1) -> !t5
    %6 = "aten.u_softmax_backward_data"(%5, %1) {dim = 2 : i64, input_dtype = #aten.enum<"dtype", "float32">} : (!t5, !t5) -> !t5
    %7 = "aten.bmm"(%arg4, %6) : (!t3, !t5) -> !t4
    %8 = "aten.bmm"(%6, %arg5) : (!t5, !t2) -> !t0
    return %2, %8, %7, %4 : !t0, !t0, !t4, !t2
  }
  pdl.pattern @attention_plain_unmasked_training_merged : benefit(9) {
    %q = pdl.operand
    %k = pdl.operand
    %v = pdl.operand
    %tangent_0 = pdl.operand
    %q_5 = pdl.operand
    %k_6 = pdl.operand
    %v_7 = pdl.operand
    %literal0 = pdl.attribute = 2 : i64
    %literal1 = pdl.attribute = false
    %literal2 = pdl.attribute = [0, 2, 1]
    %literal3 = pdl.attribute = #aten.enum<"dtype", "float32">
    %type0_0 = pdl.type
    %op0 = pdl.operation "aten.bmm"(%q, %k : !pdl.value, !pdl.value) -> (%type0_0 : !pdl.type)
    %op0.r0 = pdl.result 0 of %op0
    %type1_0 = pdl.type
    %op1 = pdl.operation "aten.u_softmax"(%op0.r0 : !pdl.value) {"dim" = %literal0, "half_to_float" = %literal1} -> (%type1_0 : !pdl.type)
    %op1.r0 = pdl.result 0 of %op1
    %type2_0 = pdl.type
    %op2 = pdl.operation "aten.bmm"(%op1.r0, %v : !pdl.value, !pdl.value) -> (%type2_0 : !pdl.type)
    %type3_0 = pdl.type
    %op3 = pdl.operation "aten.permute"(%op1.r0 : !pdl.value) {"dims" = %literal2} -> (%type3_0 : !pdl.type)
    %op3.r0 = pdl.result 0 of %op3
    %type4_0 = pdl.type
    %op4 = pdl.operation "aten.bmm"(%op3.r0, %tangent_0 : !pdl.value, !pdl.value) -> (%type4_0 : !pdl.type)
    %type5_0 = pdl.type
    %op5 = pdl.operation "aten.bmm"(%tangent_0, %v_7 : !pdl.value, !pdl.value) -> (%type5_0 : !pdl.type)
    %op5.r0 = pdl.result 0 of %op5
    %type6_0 = pdl.type
    %op6 = pdl.operation "aten.u_softmax_backward_data"(%op5.r0, %op1.r0 : !pdl.value, !pdl.value) {"dim" = %literal0, "input_dtype" = %literal3} -> (%type6_0 : !pdl.type)
    %op6.r0 = pdl.result 0 of %op6
    %type7_0 = pdl.type
    %op7 = pdl.operation "aten.bmm"(%q_5, %op6.r0 : !pdl.value, !pdl.value) -> (%type7_0 : !pdl.type)
    %type8_0 = pdl.type
    %op8 = pdl.operation "aten.bmm"(%op6.r0, %k_6 : !pdl.value, !pdl.value) -> (%type8_0 : !pdl.type)
    %name = pdl.attribute = "attention_plain_unmasked_training_merged"
    pdl.apply_native_constraint "collect"(%name, %q, %k, %v, %tangent_0, %q_5, %k_6, %v_7, %op0, %op1, %op2, %op3, %op4, %op5, %op6, %op7, %op8 : !pdl.attribute, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation)
    pdl.rewrite %op8 with "replace"
  }
  func.func @replace(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}, %arg3: !t0 {aten.name = "tangent_0"}) -> (!t0, !t7, !t8, !t9) {
    %0 = "aten.permute"(%arg1) {dims = [0, 2, 1]} : (!t1) -> !t2
    %1 = "aten.unsqueeze"(%arg0) {dim = 0 : i64} : (!t0) -> !t10
    %2 = "aten.unsqueeze"(%0) {dim = 0 : i64} : (!t2) -> !t11
    %3 = "aten.unsqueeze"(%arg2) {dim = 0 : i64} : (!t2) -> !t11
    %4:2 = "aten.u_scaled_dot_product_flash_attention_for_cpu"(%1, %2, %3) {dropout_p = 0.000000e+00 : f64, is_causal = false, scale = 1.000000e+00 : f64} : (!t10, !t11, !t11) -> (!t10, !t12)
    %5 = "aten.squeeze_dims"(%4#0) {dim = [0]} : (!t10) -> !t0
    %6 = "aten.unsqueeze"(%arg3) {dim = 0 : i64} : (!t0) -> !t10
    %7:3 = "aten.u_scaled_dot_product_flash_attention_for_cpu_backward"(%6, %1, %2, %3, %4#0, %4#1) {dropout_p = 0.000000e+00 : f64, is_causal = false, scale = 1.000000e+00 : f64} : (!t10, !t10, !t11, !t11, !t10, !t12) -> (!t13, !t14, !t14)
    %8 = "aten.squeeze_dims"(%7#2) {dim = [0]} : (!t14) -> !t9
    %9 = "aten.squeeze_dims"(%7#1) {dim = [0]} : (!t14) -> !t9
    %10 = "aten.squeeze_dims"(%7#0) {dim = [0]} : (!t13) -> !t7
    %11 = "aten.permute"(%9) {dims = [0, 2, 1]} : (!t9) -> !t8
    return %5, %10, %11, %8 : !t0, !t7, !t8, !t9
  }
}
// -----
!t0 = tensor<?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1">, #aten.expr<"d1">, 1], 0 : i64, [#aten.expr<"d2">, #aten.expr<"d0">, #aten.expr<"d1">]>>
!t1 = tensor<?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d1*d3">, 1, #aten.expr<"d1">], 0 : i64, [#aten.expr<"d2">, #aten.expr<"d1">, #aten.expr<"d3">]>>
!t2 = tensor<?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d1*d3">, #aten.expr<"d1">, 1], 0 : i64, [#aten.expr<"d2">, #aten.expr<"d3">, #aten.expr<"d1">]>>
!t3 = tensor<?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d3">, #aten.expr<"d3">, 1], 0 : i64, [#aten.expr<"d2">, #aten.expr<"d0">, #aten.expr<"d3">]>>
!t4 = tensor<?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1">, 1, #aten.expr<"d1">], 0 : i64, [#aten.expr<"d2">, #aten.expr<"d1">, #aten.expr<"d0">]>>
!t5 = tensor<?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d1*d3">, #aten.expr<"d3">, 1], 0 : i64, [#aten.expr<"d2">, #aten.expr<"d1">, #aten.expr<"d3">]>>
!t6 = tensor<?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d3">, 1, #aten.expr<"d3">], 0 : i64, [#aten.expr<"d2">, #aten.expr<"d3">, #aten.expr<"d0">]>>
!t7 = tensor<?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d1">, #aten.expr<"d2*d1">, 1], 0 : i64, [#aten.expr<"d2">, #aten.expr<"d0">, #aten.expr<"d1">]>>
!t8 = tensor<?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d1">, 1, #aten.expr<"d2*d1">], 0 : i64, [#aten.expr<"d2">, #aten.expr<"d1">, #aten.expr<"d3">]>>
!t9 = tensor<?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d1">, #aten.expr<"d2*d1">, 1], 0 : i64, [#aten.expr<"d2">, #aten.expr<"d3">, #aten.expr<"d1">]>>
!t10 = tensor<1x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d2*d0*d1">, #aten.expr<"d0*d1">, #aten.expr<"d1">, 1], 0 : i64, [1, #aten.expr<"d2">, #aten.expr<"d0">, #aten.expr<"d1">]>>
!t11 = tensor<1x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d2*d1*d3">, #aten.expr<"d1*d3">, #aten.expr<"d1">, 1], 0 : i64, [1, #aten.expr<"d2">, #aten.expr<"d3">, #aten.expr<"d1">]>>
!t12 = tensor<1x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d2*d0*d3">, #aten.expr<"d0*d3">, #aten.expr<"d3">, 1], 0 : i64, [1, #aten.expr<"d2">, #aten.expr<"d0">, #aten.expr<"d3">]>>
!t13 = tensor<1x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d2*d0">, 1, #aten.expr<"d2">], 0 : i64, [1, #aten.expr<"d2">, #aten.expr<"d0">]>>
!t14 = tensor<1x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d2*d0*d1">, #aten.expr<"d1">, #aten.expr<"d2*d1">, 1], 0 : i64, [1, #aten.expr<"d2">, #aten.expr<"d0">, #aten.expr<"d1">]>>
!t15 = tensor<1x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d2*d1*d3">, #aten.expr<"d1">, #aten.expr<"d2*d1">, 1], 0 : i64, [1, #aten.expr<"d2">, #aten.expr<"d3">, #aten.expr<"d1">]>>
module @attention_plain_added_training_merged {
  func.func @search(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}, %arg3: !t3 {aten.name = "mask", pattern.any_size}, %arg4: !t0 {aten.name = "tangent_0"}, %arg5: !t4 {aten.name = "q_6", pattern.permuted = [0, 0, 2, 1]}, %arg6: !t2 {aten.name = "k_7", pattern.permuted = [1, 0, 2, 1]}, %arg7: !t1 {aten.name = "v_8", pattern.permuted = [2, 0, 2, 1]}) -> (!t0, !t0, !t5, !t2) {
    %0 = "aten.bmm"(%arg0, %arg1) : (!t0, !t1) -> !t3
    %1 = "aten.add_tensor"(%0, %arg3) {alpha = 1 : i64} : (!t3, !t3) -> !t3
    %2 = "aten.u_softmax"(%1) {dim = 2 : i64, half_to_float = false} : (!t3) -> !t3
    %3 = "aten.bmm"(%2, %arg2) : (!t3, !t2) -> !t0
    %4 = "aten.permute"(%2) {dims = [0, 2, 1]} : (!t3) -> !t6
    %5 = "aten.bmm"(%4, %arg4) : (!t6, !t0) -> !t2
    %6 = "aten.bmm"(%arg4, %arg7) : (!t0, !t1) -> !t3
    %7 = "aten.u_softmax_backward_data"(%6, %2) {dim = 2 : i64, input_dtype = #aten.enum<"dtype", "float32">} : (!t3, !t3) -> !t3
    %8 = "aten.bmm"(%arg5, %7) : (!t4, !t3) -> !t5
    %9 = "aten.bmm"(%7, %arg6) : (!t3, !t2) -> !t0
    return %3, %9, %8, %5 : !t0, !t0, !t5, !t2
  }
  pdl.pattern @attention_plain_added_training_merged : benefit(10) {
    %q = pdl.operand
    %k = pdl.operand
    %v = pdl.operand
    %mask = pdl.operand
    %tangent_0 = pdl.operand
    %q_6 = pdl.operand
    %k_7 = pdl.operand
    %v_8 = pdl.operand
    %literal0 = pdl.attribute = 1 : i64
    %literal1 = pdl.attribute = 2 : i64
    %literal2 = pdl.attribute = false
    %literal3 = pdl.attribute = [0, 2, 1]
    %literal4 = pdl.attribute = #aten.enum<"dtype", "float32">
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
    %type4_0 = pdl.type
    %op4 = pdl.operation "aten.permute"(%op2.r0 : !pdl.value) {"dims" = %literal3} -> (%type4_0 : !pdl.type)
    %op4.r0 = pdl.result 0 of %op4
    %type5_0 = pdl.type
    %op5 = pdl.operation "aten.bmm"(%op4.r0, %tangent_0 : !pdl.value, !pdl.value) -> (%type5_0 : !pdl.type)
    %type6_0 = pdl.type
    %op6 = pdl.operation "aten.bmm"(%tangent_0, %v_8 : !pdl.value, !pdl.value) -> (%type6_0 : !pdl.type)
    %op6.r0 = pdl.result 0 of %op6
    %type7_0 = pdl.type
    %op7 = pdl.operation "aten.u_softmax_backward_data"(%op6.r0, %op2.r0 : !pdl.value, !pdl.value) {"dim" = %literal1, "input_dtype" = %literal4} -> (%type7_0 : !pdl.type)
    %op7.r0 = pdl.result 0 of %op7
    %type8_0 = pdl.type
    %op8 = pdl.operation "aten.bmm"(%q_6, %op7.r0 : !pdl.value, !pdl.value) -> (%type8_0 : !pdl.type)
    %type9_0 = pdl.type
    %op9 = pdl.operation "aten.bmm"(%op7.r0, %k_7 : !pdl.value, !pdl.value) -> (%type9_0 : !pdl.type)
    %name = pdl.attribute = "attention_plain_added_training_merged"
    pdl.apply_native_constraint "collect"(%name, %q, %k, %v, %mask, %tangent_0, %q_6, %k_7, %v_8, %op0, %op1, %op2, %op3, %op4, %op5, %op6, %op7, %op8, %op9 : !pdl.attribute, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation)
    pdl.rewrite %op9 with "replace"
  }
  pdl.pattern @attention_plain_added_training_merged_1 : benefit(10) {
    %q = pdl.operand
    %k = pdl.operand
    %v = pdl.operand
    %mask = pdl.operand
    %tangent_0 = pdl.operand
    %q_6 = pdl.operand
    %k_7 = pdl.operand
    %v_8 = pdl.operand
    %literal0 = pdl.attribute = 1 : i64
    %literal1 = pdl.attribute = 2 : i64
    %literal2 = pdl.attribute = false
    %literal3 = pdl.attribute = [0, 2, 1]
    %literal4 = pdl.attribute = #aten.enum<"dtype", "float32">
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
    %type4_0 = pdl.type
    %op4 = pdl.operation "aten.permute"(%op2.r0 : !pdl.value) {"dims" = %literal3} -> (%type4_0 : !pdl.type)
    %op4.r0 = pdl.result 0 of %op4
    %type5_0 = pdl.type
    %op5 = pdl.operation "aten.bmm"(%op4.r0, %tangent_0 : !pdl.value, !pdl.value) -> (%type5_0 : !pdl.type)
    %type6_0 = pdl.type
    %op6 = pdl.operation "aten.bmm"(%tangent_0, %v_8 : !pdl.value, !pdl.value) -> (%type6_0 : !pdl.type)
    %op6.r0 = pdl.result 0 of %op6
    %type7_0 = pdl.type
    %op7 = pdl.operation "aten.u_softmax_backward_data"(%op6.r0, %op2.r0 : !pdl.value, !pdl.value) {"dim" = %literal1, "input_dtype" = %literal4} -> (%type7_0 : !pdl.type)
    %op7.r0 = pdl.result 0 of %op7
    %type8_0 = pdl.type
    %op8 = pdl.operation "aten.bmm"(%q_6, %op7.r0 : !pdl.value, !pdl.value) -> (%type8_0 : !pdl.type)
    %type9_0 = pdl.type
    %op9 = pdl.operation "aten.bmm"(%op7.r0, %k_7 : !pdl.value, !pdl.value) -> (%type9_0 : !pdl.type)
    %name = pdl.attribute = "attention_plain_added_training_merged"
    pdl.apply_native_constraint "collect"(%name, %q, %k, %v, %mask, %tangent_0, %q_6, %k_7, %v_8, %op0, %op1, %op2, %op3, %op4, %op5, %op6, %op7, %op8, %op9 : !pdl.attribute, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation)
    pdl.rewrite %op9 with "replace"
  }
  func.func @replace(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}, %arg3: !t3 {aten.name = "mask"}, %arg4: !t0 {aten.name = "tangent_0"}) -> (!t0, !t7, !t8, !t9) {
    %0 = "aten.permute"(%arg1) {dims = [0, 2, 1]} : (!t1) -> !t2
    %1 = "aten.unsqueeze"(%arg0) {dim = 0 : i64} : (!t0) -> !t10
    %2 = "aten.unsqueeze"(%0) {dim = 0 : i64} : (!t2) -> !t11
    %3 = "aten.unsqueeze"(%arg2) {dim = 0 : i64} : (!t2) -> !t11
    %4 = "aten.unsqueeze"(%arg3) {dim = 0 : i64} : (!t3) -> !t12
    %5:2 = "aten.u_scaled_dot_product_flash_attention_for_cpu"(%1, %2, %3, %4) {dropout_p = 0.000000e+00 : f64, is_causal = false, scale = 1.000000e+00 : f64} : (!t10, !t11, !t11, !t12) -> (!t10, !t13)
    %6 = "aten.squeeze_dims"(%5#0) {dim = [0]} : (!t10) -> !t0
    %7 = "aten.unsqueeze"(%arg4) {dim = 0 : i64} : (!t0) -> !t10
    %8:3 = "aten.u_scaled_dot_product_flash_attention_for_cpu_backward"(%7, %1, %2, %3, %5#0, %5#1, %4) {dropout_p = 0.000000e+00 : f64, is_causal = false, scale = 1.000000e+00 : f64} : (!t10, !t10, !t11, !t11, !t10, !t13, !t12) -> (!t14, !t15, !t15)
    %9 = "aten.squeeze_dims"(%8#2) {dim = [0]} : (!t15) -> !t9
    %10 = "aten.squeeze_dims"(%8#1) {dim = [0]} : (!t15) -> !t9
    %11 = "aten.squeeze_dims"(%8#0) {dim = [0]} : (!t14) -> !t7
    %12 = "aten.permute"(%10) {dims = [0, 2, 1]} : (!t9) -> !t8
    return %6, %11, %12, %9 : !t0, !t7, !t8, !t9
  }
}
// -----
!t0 = tensor<?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1">, #aten.expr<"d1">, 1], 0 : i64, [#aten.expr<"d2">, #aten.expr<"d0">, #aten.expr<"d1">]>>
!t1 = tensor<?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d1*d3">, 1, #aten.expr<"d1">], 0 : i64, [#aten.expr<"d2">, #aten.expr<"d1">, #aten.expr<"d3">]>>
!t2 = tensor<?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d1*d3">, #aten.expr<"d1">, 1], 0 : i64, [#aten.expr<"d2">, #aten.expr<"d3">, #aten.expr<"d1">]>>
!t3 = tensor<?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1">, 1, #aten.expr<"d1">], 0 : i64, [#aten.expr<"d2">, #aten.expr<"d1">, #aten.expr<"d0">]>>
!t4 = tensor<?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d1*d3">, #aten.expr<"d3">, 1], 0 : i64, [#aten.expr<"d2">, #aten.expr<"d1">, #aten.expr<"d3">]>>
!t5 = tensor<?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d3">, #aten.expr<"d3">, 1], 0 : i64, [#aten.expr<"d2">, #aten.expr<"d0">, #aten.expr<"d3">]>>
!t6 = tensor<f64, #aten.layout<"cpu", [], 0 : i64, unit>>
!t7 = tensor<?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d3">, 1, #aten.expr<"d3">], 0 : i64, [#aten.expr<"d2">, #aten.expr<"d3">, #aten.expr<"d0">]>>
!t8 = tensor<?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d1">, #aten.expr<"d2*d1">, 1], 0 : i64, [#aten.expr<"d2">, #aten.expr<"d0">, #aten.expr<"d1">]>>
!t9 = tensor<?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d1">, 1, #aten.expr<"d2*d1">], 0 : i64, [#aten.expr<"d2">, #aten.expr<"d1">, #aten.expr<"d3">]>>
!t10 = tensor<?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d1">, #aten.expr<"d2*d1">, 1], 0 : i64, [#aten.expr<"d2">, #aten.expr<"d3">, #aten.expr<"d1">]>>
!t11 = tensor<1x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d2*d0*d1">, #aten.expr<"d0*d1">, #aten.expr<"d1">, 1], 0 : i64, [1, #aten.expr<"d2">, #aten.expr<"d0">, #aten.expr<"d1">]>>
!t12 = tensor<1x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d2*d1*d3">, #aten.expr<"d1*d3">, #aten.expr<"d1">, 1], 0 : i64, [1, #aten.expr<"d2">, #aten.expr<"d3">, #aten.expr<"d1">]>>
!t13 = tensor<1x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d2*d0">, 1, #aten.expr<"d2">], 0 : i64, [1, #aten.expr<"d2">, #aten.expr<"d0">]>>
!t14 = tensor<1x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d2*d0*d1">, #aten.expr<"d1">, #aten.expr<"d2*d1">, 1], 0 : i64, [1, #aten.expr<"d2">, #aten.expr<"d0">, #aten.expr<"d1">]>>
!t15 = tensor<1x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d2*d1*d3">, #aten.expr<"d1">, #aten.expr<"d2*d1">, 1], 0 : i64, [1, #aten.expr<"d2">, #aten.expr<"d3">, #aten.expr<"d1">]>>
module @attention_multiplied_unmasked_training_merged attributes {pattern.scalars = ["scale"]} {
  func.func @search(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}, %arg3: !t0 {aten.name = "tangent_0"}, %arg4: !t3 {aten.name = "q_5", pattern.permuted = [0, 0, 2, 1]}, %arg5: !t2 {aten.name = "k_6", pattern.permuted = [1, 0, 2, 1]}, %arg6: !t1 {aten.name = "v_7", pattern.permuted = [2, 0, 2, 1]}) -> (!t0, !t0, !t4, !t2) {
    %0 = "aten.bmm"(%arg0, %arg1) : (!t0, !t1) -> !t5
    %1 = "aten.number"() {value = #aten.expr<"scale">} : () -> !t6
    %2 = "aten.mul_tensor"(%0, %1) : (!t5, !t6) -> !t5
    %3 = "aten.u_softmax"(%2) {dim = 2 : i64, half_to_float = false} : (!t5) -> !t5
    %4 = "aten.bmm"(%3, %arg2) : (!t5, !t2) -> !t0
    %5 = "aten.permute"(%3) {dims = [0, 2, 1]} : (!t5) -> !t7
    %6 = "aten.bmm"(%5, %arg3) : (!t7, !t0) -> !t2
    %7 = "aten.bmm"(%arg3, %arg6) : (!t0, !t1) -> !t5
    %8 = "aten.u_softmax_backward_data"(%7, %3) {dim = 2 : i64, input_dtype = #aten.enum<"dtype", "float32">} : (!t5, !t5) -> !t5
    %9 = "aten.mul_tensor"(%8, %1) : (!t5, !t6) -> !t5
    %10 = "aten.bmm"(%arg4, %9) : (!t3, !t5) -> !t4
    %11 = "aten.bmm"(%9, %arg5) : (!t5, !t2) -> !t0
    return %4, %11, %10, %6 : !t0, !t0, !t4, !t2
  }
  pdl.pattern @attention_multiplied_unmasked_training_merged : benefit(12) {
    %q = pdl.operand
    %k = pdl.operand
    %v = pdl.operand
    %tangent_0 = pdl.operand
    %q_5 = pdl.operand
    %k_6 = pdl.operand
    %v_7 = pdl.operand
    %literal0 = pdl.attribute = 2 : i64
    %literal1 = pdl.attribute = false
    %literal2 = pdl.attribute = [0, 2, 1]
    %literal3 = pdl.attribute = #aten.enum<"dtype", "float32">
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
    %type5_0 = pdl.type
    %op5 = pdl.operation "aten.permute"(%op3.r0 : !pdl.value) {"dims" = %literal2} -> (%type5_0 : !pdl.type)
    %op5.r0 = pdl.result 0 of %op5
    %type6_0 = pdl.type
    %op6 = pdl.operation "aten.bmm"(%op5.r0, %tangent_0 : !pdl.value, !pdl.value) -> (%type6_0 : !pdl.type)
    %type7_0 = pdl.type
    %op7 = pdl.operation "aten.bmm"(%tangent_0, %v_7 : !pdl.value, !pdl.value) -> (%type7_0 : !pdl.type)
    %op7.r0 = pdl.result 0 of %op7
    %type8_0 = pdl.type
    %op8 = pdl.operation "aten.u_softmax_backward_data"(%op7.r0, %op3.r0 : !pdl.value, !pdl.value) {"dim" = %literal0, "input_dtype" = %literal3} -> (%type8_0 : !pdl.type)
    %op8.r0 = pdl.result 0 of %op8
    %type9_0 = pdl.type
    %op9 = pdl.operation "aten.mul_tensor"(%op8.r0, %op1.r0 : !pdl.value, !pdl.value) -> (%type9_0 : !pdl.type)
    %op9.r0 = pdl.result 0 of %op9
    %type10_0 = pdl.type
    %op10 = pdl.operation "aten.bmm"(%q_5, %op9.r0 : !pdl.value, !pdl.value) -> (%type10_0 : !pdl.type)
    %type11_0 = pdl.type
    %op11 = pdl.operation "aten.bmm"(%op9.r0, %k_6 : !pdl.value, !pdl.value) -> (%type11_0 : !pdl.type)
    %name = pdl.attribute = "attention_multiplied_unmasked_training_merged"
    pdl.apply_native_constraint "collect"(%name, %q, %k, %v, %tangent_0, %q_5, %k_6, %v_7, %op0, %op1, %op2, %op3, %op4, %op5, %op6, %op7, %op8, %op9, %op10, %op11 : !pdl.attribute, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation)
    pdl.rewrite %op11 with "replace"
  }
  func.func @replace(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}, %arg3: !t0 {aten.name = "tangent_0"}) -> (!t0, !t8, !t9, !t10) {
    %0 = "aten.permute"(%arg1) {dims = [0, 2, 1]} : (!t1) -> !t2
    %1 = "aten.unsqueeze"(%arg0) {dim = 0 : i64} : (!t0) -> !t11
    %2 = "aten.unsqueeze"(%0) {dim = 0 : i64} : (!t2) -> !t12
    %3 = "aten.unsqueeze"(%arg2) {dim = 0 : i64} : (!t2) -> !t12
    %4:2 = "aten.u_scaled_dot_product_flash_attention_for_cpu"(%1, %2, %3) {dropout_p = 0.000000e+00 : f64, is_causal = false, scale = #aten.expr<"scale">} : (!t11, !t12, !t12) -> (!t11, !t13)
    %5 = "aten.squeeze_dims"(%4#0) {dim = [0]} : (!t11) -> !t0
    %6 = "aten.unsqueeze"(%arg3) {dim = 0 : i64} : (!t0) -> !t11
    %7:3 = "aten.u_scaled_dot_product_flash_attention_for_cpu_backward"(%6, %1, %2, %3, %4#0, %4#1) {dropout_p = 0.000000e+00 : f64, is_causal = false, scale = #aten.expr<"scale">} : (!t11, !t11, !t12, !t12, !t11, !t13) -> (!t14, !t15, !t15)
    %8 = "aten.squeeze_dims"(%7#2) {dim = [0]} : (!t15) -> !t10
    %9 = "aten.squeeze_dims"(%7#1) {dim = [0]} : (!t15) -> !t10
    %10 = "aten.squeeze_dims"(%7#0) {dim = [0]} : (!t14) -> !t8
    %11 = "aten.permute"(%9) {dims = [0, 2, 1]} : (!t10) -> !t9
    return %5, %10, %11, %8 : !t0, !t8, !t9, !t10
  }
}
// -----
!t0 = tensor<?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1">, #aten.expr<"d1">, 1], 0 : i64, [#aten.expr<"d2">, #aten.expr<"d0">, #aten.expr<"d1">]>>
!t1 = tensor<?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d1*d3">, 1, #aten.expr<"d1">], 0 : i64, [#aten.expr<"d2">, #aten.expr<"d1">, #aten.expr<"d3">]>>
!t2 = tensor<?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d1*d3">, #aten.expr<"d1">, 1], 0 : i64, [#aten.expr<"d2">, #aten.expr<"d3">, #aten.expr<"d1">]>>
!t3 = tensor<?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d3">, #aten.expr<"d3">, 1], 0 : i64, [#aten.expr<"d2">, #aten.expr<"d0">, #aten.expr<"d3">]>>
!t4 = tensor<?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1">, 1, #aten.expr<"d1">], 0 : i64, [#aten.expr<"d2">, #aten.expr<"d1">, #aten.expr<"d0">]>>
!t5 = tensor<?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d1*d3">, #aten.expr<"d3">, 1], 0 : i64, [#aten.expr<"d2">, #aten.expr<"d1">, #aten.expr<"d3">]>>
!t6 = tensor<f64, #aten.layout<"cpu", [], 0 : i64, unit>>
!t7 = tensor<?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d3">, 1, #aten.expr<"d3">], 0 : i64, [#aten.expr<"d2">, #aten.expr<"d3">, #aten.expr<"d0">]>>
!t8 = tensor<?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d1">, #aten.expr<"d2*d1">, 1], 0 : i64, [#aten.expr<"d2">, #aten.expr<"d0">, #aten.expr<"d1">]>>
!t9 = tensor<?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d1">, 1, #aten.expr<"d2*d1">], 0 : i64, [#aten.expr<"d2">, #aten.expr<"d1">, #aten.expr<"d3">]>>
!t10 = tensor<?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d1">, #aten.expr<"d2*d1">, 1], 0 : i64, [#aten.expr<"d2">, #aten.expr<"d3">, #aten.expr<"d1">]>>
!t11 = tensor<1x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d2*d0*d1">, #aten.expr<"d0*d1">, #aten.expr<"d1">, 1], 0 : i64, [1, #aten.expr<"d2">, #aten.expr<"d0">, #aten.expr<"d1">]>>
!t12 = tensor<1x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d2*d1*d3">, #aten.expr<"d1*d3">, #aten.expr<"d1">, 1], 0 : i64, [1, #aten.expr<"d2">, #aten.expr<"d3">, #aten.expr<"d1">]>>
!t13 = tensor<1x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d2*d0*d3">, #aten.expr<"d0*d3">, #aten.expr<"d3">, 1], 0 : i64, [1, #aten.expr<"d2">, #aten.expr<"d0">, #aten.expr<"d3">]>>
!t14 = tensor<1x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d2*d0">, 1, #aten.expr<"d2">], 0 : i64, [1, #aten.expr<"d2">, #aten.expr<"d0">]>>
!t15 = tensor<1x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d2*d0*d1">, #aten.expr<"d1">, #aten.expr<"d2*d1">, 1], 0 : i64, [1, #aten.expr<"d2">, #aten.expr<"d0">, #aten.expr<"d1">]>>
!t16 = tensor<1x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d2*d1*d3">, #aten.expr<"d1">, #aten.expr<"d2*d1">, 1], 0 : i64, [1, #aten.expr<"d2">, #aten.expr<"d3">, #aten.expr<"d1">]>>
module @attention_multiplied_added_training_merged attributes {pattern.scalars = ["scale"]} {
  func.func @search(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}, %arg3: !t3 {aten.name = "mask", pattern.any_size}, %arg4: !t0 {aten.name = "tangent_0"}, %arg5: !t4 {aten.name = "q_6", pattern.permuted = [0, 0, 2, 1]}, %arg6: !t2 {aten.name = "k_7", pattern.permuted = [1, 0, 2, 1]}, %arg7: !t1 {aten.name = "v_8", pattern.permuted = [2, 0, 2, 1]}) -> (!t0, !t0, !t5, !t2) {
    %0 = "aten.bmm"(%arg0, %arg1) : (!t0, !t1) -> !t3
    %1 = "aten.number"() {value = #aten.expr<"scale">} : () -> !t6
    %2 = "aten.mul_tensor"(%0, %1) : (!t3, !t6) -> !t3
    %3 = "aten.add_tensor"(%2, %arg3) {alpha = 1 : i64} : (!t3, !t3) -> !t3
    %4 = "aten.u_softmax"(%3) {dim = 2 : i64, half_to_float = false} : (!t3) -> !t3
    %5 = "aten.bmm"(%4, %arg2) : (!t3, !t2) -> !t0
    %6 = "aten.permute"(%4) {dims = [0, 2, 1]} : (!t3) -> !t7
    %7 = "aten.bmm"(%6, %arg4) : (!t7, !t0) -> !t2
    %8 = "aten.bmm"(%arg4, %arg7) : (!t0, !t1) -> !t3
    %9 = "aten.u_softmax_backward_data"(%8, %4) {dim = 2 : i64, input_dtype = #aten.enum<"dtype", "float32">} : (!t3, !t3) -> !t3
    %10 = "aten.mul_tensor"(%9, %1) : (!t3, !t6) -> !t3
    %11 = "aten.bmm"(%arg5, %10) : (!t4, !t3) -> !t5
    %12 = "aten.bmm"(%10, %arg6) : (!t3, !t2) -> !t0
    return %5, %12, %11, %7 : !t0, !t0, !t5, !t2
  }
  pdl.pattern @attention_multiplied_added_training_merged : benefit(13) {
    %q = pdl.operand
    %k = pdl.operand
    %v = pdl.operand
    %mask = pdl.operand
    %tangent_0 = pdl.operand
    %q_6 = pdl.operand
    %k_7 = pdl.operand
    %v_8 = pdl.operand
    %literal0 = pdl.attribute = 1 : i64
    %literal1 = pdl.attribute = 2 : i64
    %literal2 = pdl.attribute = false
    %literal3 = pdl.attribute = [0, 2, 1]
    %literal4 = pdl.attribute = #aten.enum<"dtype", "float32">
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
    %type6_0 = pdl.type
    %op6 = pdl.operation "aten.permute"(%op4.r0 : !pdl.value) {"dims" = %literal3} -> (%type6_0 : !pdl.type)
    %op6.r0 = pdl.result 0 of %op6
    %type7_0 = pdl.type
    %op7 = pdl.operation "aten.bmm"(%op6.r0, %tangent_0 : !pdl.value, !pdl.value) -> (%type7_0 : !pdl.type)
    %type8_0 = pdl.type
    %op8 = pdl.operation "aten.bmm"(%tangent_0, %v_8 : !pdl.value, !pdl.value) -> (%type8_0 : !pdl.type)
    %op8.r0 = pdl.result 0 of %op8
    %type9_0 = pdl.type
    %op9 = pdl.operation "aten.u_softmax_backward_data"(%op8.r0, %op4.r0 : !pdl.value, !pdl.value) {"dim" = %literal1, "input_dtype" = %literal4} -> (%type9_0 : !pdl.type)
    %op9.r0 = pdl.result 0 of %op9
    %type10_0 = pdl.type
    %op10 = pdl.operation "aten.mul_tensor"(%op9.r0, %op1.r0 : !pdl.value, !pdl.value) -> (%type10_0 : !pdl.type)
    %op10.r0 = pdl.result 0 of %op10
    %type11_0 = pdl.type
    %op11 = pdl.operation "aten.bmm"(%q_6, %op10.r0 : !pdl.value, !pdl.value) -> (%type11_0 : !pdl.type)
    %type12_0 = pdl.type
    %op12 = pdl.operation "aten.bmm"(%op10.r0, %k_7 : !pdl.value, !pdl.value) -> (%type12_0 : !pdl.type)
    %name = pdl.attribute = "attention_multiplied_added_training_merged"
    pdl.apply_native_constraint "collect"(%name, %q, %k, %v, %mask, %tangent_0, %q_6, %k_7, %v_8, %op0, %op1, %op2, %op3, %op4, %op5, %op6, %op7, %op8, %op9, %op10, %op11, %op12 : !pdl.attribute, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation)
    pdl.rewrite %op12 with "replace"
  }
  pdl.pattern @attention_multiplied_added_training_merged_1 : benefit(13) {
    %q = pdl.operand
    %k = pdl.operand
    %v = pdl.operand
    %mask = pdl.operand
    %tangent_0 = pdl.operand
    %q_6 = pdl.operand
    %k_7 = pdl.operand
    %v_8 = pdl.operand
    %literal0 = pdl.attribute = 1 : i64
    %literal1 = pdl.attribute = 2 : i64
    %literal2 = pdl.attribute = false
    %literal3 = pdl.attribute = [0, 2, 1]
    %literal4 = pdl.attribute = #aten.enum<"dtype", "float32">
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
    %type6_0 = pdl.type
    %op6 = pdl.operation "aten.permute"(%op4.r0 : !pdl.value) {"dims" = %literal3} -> (%type6_0 : !pdl.type)
    %op6.r0 = pdl.result 0 of %op6
    %type7_0 = pdl.type
    %op7 = pdl.operation "aten.bmm"(%op6.r0, %tangent_0 : !pdl.value, !pdl.value) -> (%type7_0 : !pdl.type)
    %type8_0 = pdl.type
    %op8 = pdl.operation "aten.bmm"(%tangent_0, %v_8 : !pdl.value, !pdl.value) -> (%type8_0 : !pdl.type)
    %op8.r0 = pdl.result 0 of %op8
    %type9_0 = pdl.type
    %op9 = pdl.operation "aten.u_softmax_backward_data"(%op8.r0, %op4.r0 : !pdl.value, !pdl.value) {"dim" = %literal1, "input_dtype" = %literal4} -> (%type9_0 : !pdl.type)
    %op9.r0 = pdl.result 0 of %op9
    %type10_0 = pdl.type
    %op10 = pdl.operation "aten.mul_tensor"(%op9.r0, %op1.r0 : !pdl.value, !pdl.value) -> (%type10_0 : !pdl.type)
    %op10.r0 = pdl.result 0 of %op10
    %type11_0 = pdl.type
    %op11 = pdl.operation "aten.bmm"(%q_6, %op10.r0 : !pdl.value, !pdl.value) -> (%type11_0 : !pdl.type)
    %type12_0 = pdl.type
    %op12 = pdl.operation "aten.bmm"(%op10.r0, %k_7 : !pdl.value, !pdl.value) -> (%type12_0 : !pdl.type)
    %name = pdl.attribute = "attention_multiplied_added_training_merged"
    pdl.apply_native_constraint "collect"(%name, %q, %k, %v, %mask, %tangent_0, %q_6, %k_7, %v_8, %op0, %op1, %op2, %op3, %op4, %op5, %op6, %op7, %op8, %op9, %op10, %op11, %op12 : !pdl.attribute, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation)
    pdl.rewrite %op12 with "replace"
  }
  func.func @replace(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}, %arg3: !t3 {aten.name = "mask"}, %arg4: !t0 {aten.name = "tangent_0"}) -> (!t0, !t8, !t9, !t10) {
    %0 = "aten.permute"(%arg1) {dims = [0, 2, 1]} : (!t1) -> !t2
    %1 = "aten.unsqueeze"(%arg0) {dim = 0 : i64} : (!t0) -> !t11
    %2 = "aten.unsqueeze"(%0) {dim = 0 : i64} : (!t2) -> !t12
    %3 = "aten.unsqueeze"(%arg2) {dim = 0 : i64} : (!t2) -> !t12
    %4 = "aten.unsqueeze"(%arg3) {dim = 0 : i64} : (!t3) -> !t13
    %5:2 = "aten.u_scaled_dot_product_flash_attention_for_cpu"(%1, %2, %3, %4) {dropout_p = 0.000000e+00 : f64, is_causal = false, scale = #aten.expr<"scale">} : (!t11, !t12, !t12, !t13) -> (!t11, !t14)
    %6 = "aten.squeeze_dims"(%5#0) {dim = [0]} : (!t11) -> !t0
    %7 = "aten.unsqueeze"(%arg4) {dim = 0 : i64} : (!t0) -> !t11
    %8:3 = "aten.u_scaled_dot_product_flash_attention_for_cpu_backward"(%7, %1, %2, %3, %5#0, %5#1, %4) {dropout_p = 0.000000e+00 : f64, is_causal = false, scale = #aten.expr<"scale">} : (!t11, !t11, !t12, !t12, !t11, !t14, !t13) -> (!t15, !t16, !t16)
    %9 = "aten.squeeze_dims"(%8#2) {dim = [0]} : (!t16) -> !t10
    %10 = "aten.squeeze_dims"(%8#1) {dim = [0]} : (!t16) -> !t10
    %11 = "aten.squeeze_dims"(%8#0) {dim = [0]} : (!t15) -> !t8
    %12 = "aten.permute"(%10) {dims = [0, 2, 1]} : (!t10) -> !t9
    return %6, %11, %12, %9 : !t0, !t8, !t9, !t10
  }
}
// -----
!t0 = tensor<?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1">, #aten.expr<"d1">, 1], 0 : i64, [#aten.expr<"d2">, #aten.expr<"d0">, #aten.expr<"d1">]>>
!t1 = tensor<?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d1*d3">, 1, #aten.expr<"d1">], 0 : i64, [#aten.expr<"d2">, #aten.expr<"d1">, #aten.expr<"d3">]>>
!t2 = tensor<?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d1*d3">, #aten.expr<"d1">, 1], 0 : i64, [#aten.expr<"d2">, #aten.expr<"d3">, #aten.expr<"d1">]>>
!t3 = tensor<?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1">, 1, #aten.expr<"d1">], 0 : i64, [#aten.expr<"d2">, #aten.expr<"d1">, #aten.expr<"d0">]>>
!t4 = tensor<?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d1*d3">, #aten.expr<"d3">, 1], 0 : i64, [#aten.expr<"d2">, #aten.expr<"d1">, #aten.expr<"d3">]>>
!t5 = tensor<?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d3">, #aten.expr<"d3">, 1], 0 : i64, [#aten.expr<"d2">, #aten.expr<"d0">, #aten.expr<"d3">]>>
!t6 = tensor<f64, #aten.layout<"cpu", [], 0 : i64, unit>>
!t7 = tensor<?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d3">, 1, #aten.expr<"d3">], 0 : i64, [#aten.expr<"d2">, #aten.expr<"d3">, #aten.expr<"d0">]>>
!t8 = tensor<?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d1">, #aten.expr<"d2*d1">, 1], 0 : i64, [#aten.expr<"d2">, #aten.expr<"d0">, #aten.expr<"d1">]>>
!t9 = tensor<?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d1">, 1, #aten.expr<"d2*d1">], 0 : i64, [#aten.expr<"d2">, #aten.expr<"d1">, #aten.expr<"d3">]>>
!t10 = tensor<?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d1">, #aten.expr<"d2*d1">, 1], 0 : i64, [#aten.expr<"d2">, #aten.expr<"d3">, #aten.expr<"d1">]>>
!t11 = tensor<1x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d2*d0*d1">, #aten.expr<"d0*d1">, #aten.expr<"d1">, 1], 0 : i64, [1, #aten.expr<"d2">, #aten.expr<"d0">, #aten.expr<"d1">]>>
!t12 = tensor<1x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d2*d1*d3">, #aten.expr<"d1*d3">, #aten.expr<"d1">, 1], 0 : i64, [1, #aten.expr<"d2">, #aten.expr<"d3">, #aten.expr<"d1">]>>
!t13 = tensor<1x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d2*d0">, 1, #aten.expr<"d2">], 0 : i64, [1, #aten.expr<"d2">, #aten.expr<"d0">]>>
!t14 = tensor<1x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d2*d0*d1">, #aten.expr<"d1">, #aten.expr<"d2*d1">, 1], 0 : i64, [1, #aten.expr<"d2">, #aten.expr<"d0">, #aten.expr<"d1">]>>
!t15 = tensor<1x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d2*d1*d3">, #aten.expr<"d1">, #aten.expr<"d2*d1">, 1], 0 : i64, [1, #aten.expr<"d2">, #aten.expr<"d3">, #aten.expr<"d1">]>>
module @attention_divided_unmasked_training_merged attributes {pattern.scalars = ["scale"]} {
  func.func @search(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}, %arg3: !t0 {aten.name = "tangent_0"}, %arg4: !t3 {aten.name = "q_5", pattern.permuted = [0, 0, 2, 1]}, %arg5: !t2 {aten.name = "k_6", pattern.permuted = [1, 0, 2, 1]}, %arg6: !t1 {aten.name = "v_7", pattern.permuted = [2, 0, 2, 1]}) -> (!t0, !t0, !t4, !t2) {
    %0 = "aten.bmm"(%arg0, %arg1) : (!t0, !t1) -> !t5
    %1 = "aten.number"() {value = #aten.expr<"scale">} : () -> !t6
    %2 = "aten.div_tensor"(%0, %1) : (!t5, !t6) -> !t5
    %3 = "aten.u_softmax"(%2) {dim = 2 : i64, half_to_float = false} : (!t5) -> !t5
    %4 = "aten.bmm"(%3, %arg2) : (!t5, !t2) -> !t0
    %5 = "aten.permute"(%3) {dims = [0, 2, 1]} : (!t5) -> !t7
    %6 = "aten.bmm"(%5, %arg3) : (!t7, !t0) -> !t2
    %7 = "aten.bmm"(%arg3, %arg6) : (!t0, !t1) -> !t5
    %8 = "aten.u_softmax_backward_data"(%7, %3) {dim = 2 : i64, input_dtype = #aten.enum<"dtype", "float32">} : (!t5, !t5) -> !t5
    %9 = "aten.div_tensor"(%8, %1) : (!t5, !t6) -> !t5
    %10 = "aten.bmm"(%arg4, %9) : (!t3, !t5) -> !t4
    %11 = "aten.bmm"(%9, %arg5) : (!t5, !t2) -> !t0
    return %4, %11, %10, %6 : !t0, !t0, !t4, !t2
  }
  pdl.pattern @attention_divided_unmasked_training_merged : benefit(12) {
    %q = pdl.operand
    %k = pdl.operand
    %v = pdl.operand
    %tangent_0 = pdl.operand
    %q_5 = pdl.operand
    %k_6 = pdl.operand
    %v_7 = pdl.operand
    %literal0 = pdl.attribute = 2 : i64
    %literal1 = pdl.attribute = false
    %literal2 = pdl.attribute = [0, 2, 1]
    %literal3 = pdl.attribute = #aten.enum<"dtype", "float32">
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
    %type5_0 = pdl.type
    %op5 = pdl.operation "aten.permute"(%op3.r0 : !pdl.value) {"dims" = %literal2} -> (%type5_0 : !pdl.type)
    %op5.r0 = pdl.result 0 of %op5
    %type6_0 = pdl.type
    %op6 = pdl.operation "aten.bmm"(%op5.r0, %tangent_0 : !pdl.value, !pdl.value) -> (%type6_0 : !pdl.type)
    %type7_0 = pdl.type
    %op7 = pdl.operation "aten.bmm"(%tangent_0, %v_7 : !pdl.value, !pdl.value) -> (%type7_0 : !pdl.type)
    %op7.r0 = pdl.result 0 of %op7
    %type8_0 = pdl.type
    %op8 = pdl.operation "aten.u_softmax_backward_data"(%op7.r0, %op3.r0 : !pdl.value, !pdl.value) {"dim" = %literal0, "input_dtype" = %literal3} -> (%type8_0 : !pdl.type)
    %op8.r0 = pdl.result 0 of %op8
    %type9_0 = pdl.type
    %op9 = pdl.operation "aten.div_tensor"(%op8.r0, %op1.r0 : !pdl.value, !pdl.value) -> (%type9_0 : !pdl.type)
    %op9.r0 = pdl.result 0 of %op9
    %type10_0 = pdl.type
    %op10 = pdl.operation "aten.bmm"(%q_5, %op9.r0 : !pdl.value, !pdl.value) -> (%type10_0 : !pdl.type)
    %type11_0 = pdl.type
    %op11 = pdl.operation "aten.bmm"(%op9.r0, %k_6 : !pdl.value, !pdl.value) -> (%type11_0 : !pdl.type)
    %name = pdl.attribute = "attention_divided_unmasked_training_merged"
    pdl.apply_native_constraint "collect"(%name, %q, %k, %v, %tangent_0, %q_5, %k_6, %v_7, %op0, %op1, %op2, %op3, %op4, %op5, %op6, %op7, %op8, %op9, %op10, %op11 : !pdl.attribute, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation)
    pdl.rewrite %op11 with "replace"
  }
  func.func @replace(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}, %arg3: !t0 {aten.name = "tangent_0"}) -> (!t0, !t8, !t9, !t10) {
    %0 = "aten.permute"(%arg1) {dims = [0, 2, 1]} : (!t1) -> !t2
    %1 = "aten.unsqueeze"(%arg0) {dim = 0 : i64} : (!t0) -> !t11
    %2 = "aten.unsqueeze"(%0) {dim = 0 : i64} : (!t2) -> !t12
    %3 = "aten.unsqueeze"(%arg2) {dim = 0 : i64} : (!t2) -> !t12
    %4:2 = "aten.u_scaled_dot_product_flash_attention_for_cpu"(%1, %2, %3) {dropout_p = 0.000000e+00 : f64, is_causal = false, scale = #aten.expr<"1.0/scale">} : (!t11, !t12, !t12) -> (!t11, !t13)
    %5 = "aten.squeeze_dims"(%4#0) {dim = [0]} : (!t11) -> !t0
    %6 = "aten.unsqueeze"(%arg3) {dim = 0 : i64} : (!t0) -> !t11
    %7:3 = "aten.u_scaled_dot_product_flash_attention_for_cpu_backward"(%6, %1, %2, %3, %4#0, %4#1) {dropout_p = 0.000000e+00 : f64, is_causal = false, scale = #aten.expr<"1.0/scale">} : (!t11, !t11, !t12, !t12, !t11, !t13) -> (!t14, !t15, !t15)
    %8 = "aten.squeeze_dims"(%7#2) {dim = [0]} : (!t15) -> !t10
    %9 = "aten.squeeze_dims"(%7#1) {dim = [0]} : (!t15) -> !t10
    %10 = "aten.squeeze_dims"(%7#0) {dim = [0]} : (!t14) -> !t8
    %11 = "aten.permute"(%9) {dims = [0, 2, 1]} : (!t10) -> !t9
    return %5, %10, %11, %8 : !t0, !t8, !t9, !t10
  }
}
// -----
!t0 = tensor<?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1">, #aten.expr<"d1">, 1], 0 : i64, [#aten.expr<"d2">, #aten.expr<"d0">, #aten.expr<"d1">]>>
!t1 = tensor<?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d1*d3">, 1, #aten.expr<"d1">], 0 : i64, [#aten.expr<"d2">, #aten.expr<"d1">, #aten.expr<"d3">]>>
!t2 = tensor<?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d1*d3">, #aten.expr<"d1">, 1], 0 : i64, [#aten.expr<"d2">, #aten.expr<"d3">, #aten.expr<"d1">]>>
!t3 = tensor<?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d3">, #aten.expr<"d3">, 1], 0 : i64, [#aten.expr<"d2">, #aten.expr<"d0">, #aten.expr<"d3">]>>
!t4 = tensor<?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d1">, 1, #aten.expr<"d1">], 0 : i64, [#aten.expr<"d2">, #aten.expr<"d1">, #aten.expr<"d0">]>>
!t5 = tensor<?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d1*d3">, #aten.expr<"d3">, 1], 0 : i64, [#aten.expr<"d2">, #aten.expr<"d1">, #aten.expr<"d3">]>>
!t6 = tensor<f64, #aten.layout<"cpu", [], 0 : i64, unit>>
!t7 = tensor<?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d0*d3">, 1, #aten.expr<"d3">], 0 : i64, [#aten.expr<"d2">, #aten.expr<"d3">, #aten.expr<"d0">]>>
!t8 = tensor<?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d1">, #aten.expr<"d2*d1">, 1], 0 : i64, [#aten.expr<"d2">, #aten.expr<"d0">, #aten.expr<"d1">]>>
!t9 = tensor<?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d1">, 1, #aten.expr<"d2*d1">], 0 : i64, [#aten.expr<"d2">, #aten.expr<"d1">, #aten.expr<"d3">]>>
!t10 = tensor<?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d1">, #aten.expr<"d2*d1">, 1], 0 : i64, [#aten.expr<"d2">, #aten.expr<"d3">, #aten.expr<"d1">]>>
!t11 = tensor<1x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d2*d0*d1">, #aten.expr<"d0*d1">, #aten.expr<"d1">, 1], 0 : i64, [1, #aten.expr<"d2">, #aten.expr<"d0">, #aten.expr<"d1">]>>
!t12 = tensor<1x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d2*d1*d3">, #aten.expr<"d1*d3">, #aten.expr<"d1">, 1], 0 : i64, [1, #aten.expr<"d2">, #aten.expr<"d3">, #aten.expr<"d1">]>>
!t13 = tensor<1x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d2*d0*d3">, #aten.expr<"d0*d3">, #aten.expr<"d3">, 1], 0 : i64, [1, #aten.expr<"d2">, #aten.expr<"d0">, #aten.expr<"d3">]>>
!t14 = tensor<1x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d2*d0">, 1, #aten.expr<"d2">], 0 : i64, [1, #aten.expr<"d2">, #aten.expr<"d0">]>>
!t15 = tensor<1x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d2*d0*d1">, #aten.expr<"d1">, #aten.expr<"d2*d1">, 1], 0 : i64, [1, #aten.expr<"d2">, #aten.expr<"d0">, #aten.expr<"d1">]>>
!t16 = tensor<1x?x?x?xf32, #aten.layout<"cpu", [#aten.expr<"d2*d1*d3">, #aten.expr<"d1">, #aten.expr<"d2*d1">, 1], 0 : i64, [1, #aten.expr<"d2">, #aten.expr<"d3">, #aten.expr<"d1">]>>
module @attention_divided_added_training_merged attributes {pattern.scalars = ["scale"]} {
  func.func @search(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}, %arg3: !t3 {aten.name = "mask", pattern.any_size}, %arg4: !t0 {aten.name = "tangent_0"}, %arg5: !t4 {aten.name = "q_6", pattern.permuted = [0, 0, 2, 1]}, %arg6: !t2 {aten.name = "k_7", pattern.permuted = [1, 0, 2, 1]}, %arg7: !t1 {aten.name = "v_8", pattern.permuted = [2, 0, 2, 1]}) -> (!t0, !t0, !t5, !t2) {
    %0 = "aten.bmm"(%arg0, %arg1) : (!t0, !t1) -> !t3
    %1 = "aten.number"() {value = #aten.expr<"scale">} : () -> !t6
    %2 = "aten.div_tensor"(%0, %1) : (!t3, !t6) -> !t3
    %3 = "aten.add_tensor"(%2, %arg3) {alpha = 1 : i64} : (!t3, !t3) -> !t3
    %4 = "aten.u_softmax"(%3) {dim = 2 : i64, half_to_float = false} : (!t3) -> !t3
    %5 = "aten.bmm"(%4, %arg2) : (!t3, !t2) -> !t0
    %6 = "aten.permute"(%4) {dims = [0, 2, 1]} : (!t3) -> !t7
    %7 = "aten.bmm"(%6, %arg4) : (!t7, !t0) -> !t2
    %8 = "aten.bmm"(%arg4, %arg7) : (!t0, !t1) -> !t3
    %9 = "aten.u_softmax_backward_data"(%8, %4) {dim = 2 : i64, input_dtype = #aten.enum<"dtype", "float32">} : (!t3, !t3) -> !t3
    %10 = "aten.div_tensor"(%9, %1) : (!t3, !t6) -> !t3
    %11 = "aten.bmm"(%arg5, %10) : (!t4, !t3) -> !t5
    %12 = "aten.bmm"(%10, %arg6) : (!t3, !t2) -> !t0
    return %5, %12, %11, %7 : !t0, !t0, !t5, !t2
  }
  pdl.pattern @attention_divided_added_training_merged : benefit(13) {
    %q = pdl.operand
    %k = pdl.operand
    %v = pdl.operand
    %mask = pdl.operand
    %tangent_0 = pdl.operand
    %q_6 = pdl.operand
    %k_7 = pdl.operand
    %v_8 = pdl.operand
    %literal0 = pdl.attribute = 1 : i64
    %literal1 = pdl.attribute = 2 : i64
    %literal2 = pdl.attribute = false
    %literal3 = pdl.attribute = [0, 2, 1]
    %literal4 = pdl.attribute = #aten.enum<"dtype", "float32">
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
    %type6_0 = pdl.type
    %op6 = pdl.operation "aten.permute"(%op4.r0 : !pdl.value) {"dims" = %literal3} -> (%type6_0 : !pdl.type)
    %op6.r0 = pdl.result 0 of %op6
    %type7_0 = pdl.type
    %op7 = pdl.operation "aten.bmm"(%op6.r0, %tangent_0 : !pdl.value, !pdl.value) -> (%type7_0 : !pdl.type)
    %type8_0 = pdl.type
    %op8 = pdl.operation "aten.bmm"(%tangent_0, %v_8 : !pdl.value, !pdl.value) -> (%type8_0 : !pdl.type)
    %op8.r0 = pdl.result 0 of %op8
    %type9_0 = pdl.type
    %op9 = pdl.operation "aten.u_softmax_backward_data"(%op8.r0, %op4.r0 : !pdl.value, !pdl.value) {"dim" = %literal1, "input_dtype" = %literal4} -> (%type9_0 : !pdl.type)
    %op9.r0 = pdl.result 0 of %op9
    %type10_0 = pdl.type
    %op10 = pdl.operation "aten.div_tensor"(%op9.r0, %op1.r0 : !pdl.value, !pdl.value) -> (%type10_0 : !pdl.type)
    %op10.r0 = pdl.result 0 of %op10
    %type11_0 = pdl.type
    %op11 = pdl.operation "aten.bmm"(%q_6, %op10.r0 : !pdl.value, !pdl.value) -> (%type11_0 : !pdl.type)
    %type12_0 = pdl.type
    %op12 = pdl.operation "aten.bmm"(%op10.r0, %k_7 : !pdl.value, !pdl.value) -> (%type12_0 : !pdl.type)
    %name = pdl.attribute = "attention_divided_added_training_merged"
    pdl.apply_native_constraint "collect"(%name, %q, %k, %v, %mask, %tangent_0, %q_6, %k_7, %v_8, %op0, %op1, %op2, %op3, %op4, %op5, %op6, %op7, %op8, %op9, %op10, %op11, %op12 : !pdl.attribute, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation)
    pdl.rewrite %op12 with "replace"
  }
  pdl.pattern @attention_divided_added_training_merged_1 : benefit(13) {
    %q = pdl.operand
    %k = pdl.operand
    %v = pdl.operand
    %mask = pdl.operand
    %tangent_0 = pdl.operand
    %q_6 = pdl.operand
    %k_7 = pdl.operand
    %v_8 = pdl.operand
    %literal0 = pdl.attribute = 1 : i64
    %literal1 = pdl.attribute = 2 : i64
    %literal2 = pdl.attribute = false
    %literal3 = pdl.attribute = [0, 2, 1]
    %literal4 = pdl.attribute = #aten.enum<"dtype", "float32">
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
    %type6_0 = pdl.type
    %op6 = pdl.operation "aten.permute"(%op4.r0 : !pdl.value) {"dims" = %literal3} -> (%type6_0 : !pdl.type)
    %op6.r0 = pdl.result 0 of %op6
    %type7_0 = pdl.type
    %op7 = pdl.operation "aten.bmm"(%op6.r0, %tangent_0 : !pdl.value, !pdl.value) -> (%type7_0 : !pdl.type)
    %type8_0 = pdl.type
    %op8 = pdl.operation "aten.bmm"(%tangent_0, %v_8 : !pdl.value, !pdl.value) -> (%type8_0 : !pdl.type)
    %op8.r0 = pdl.result 0 of %op8
    %type9_0 = pdl.type
    %op9 = pdl.operation "aten.u_softmax_backward_data"(%op8.r0, %op4.r0 : !pdl.value, !pdl.value) {"dim" = %literal1, "input_dtype" = %literal4} -> (%type9_0 : !pdl.type)
    %op9.r0 = pdl.result 0 of %op9
    %type10_0 = pdl.type
    %op10 = pdl.operation "aten.div_tensor"(%op9.r0, %op1.r0 : !pdl.value, !pdl.value) -> (%type10_0 : !pdl.type)
    %op10.r0 = pdl.result 0 of %op10
    %type11_0 = pdl.type
    %op11 = pdl.operation "aten.bmm"(%q_6, %op10.r0 : !pdl.value, !pdl.value) -> (%type11_0 : !pdl.type)
    %type12_0 = pdl.type
    %op12 = pdl.operation "aten.bmm"(%op10.r0, %k_7 : !pdl.value, !pdl.value) -> (%type12_0 : !pdl.type)
    %name = pdl.attribute = "attention_divided_added_training_merged"
    pdl.apply_native_constraint "collect"(%name, %q, %k, %v, %mask, %tangent_0, %q_6, %k_7, %v_8, %op0, %op1, %op2, %op3, %op4, %op5, %op6, %op7, %op8, %op9, %op10, %op11, %op12 : !pdl.attribute, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation, !pdl.operation)
    pdl.rewrite %op12 with "replace"
  }
  func.func @replace(%arg0: !t0 {aten.name = "q"}, %arg1: !t1 {aten.name = "k"}, %arg2: !t2 {aten.name = "v"}, %arg3: !t3 {aten.name = "mask"}, %arg4: !t0 {aten.name = "tangent_0"}) -> (!t0, !t8, !t9, !t10) {
    %0 = "aten.permute"(%arg1) {dims = [0, 2, 1]} : (!t1) -> !t2
    %1 = "aten.unsqueeze"(%arg0) {dim = 0 : i64} : (!t0) -> !t11
    %2 = "aten.unsqueeze"(%0) {dim = 0 : i64} : (!t2) -> !t12
    %3 = "aten.unsqueeze"(%arg2) {dim = 0 : i64} : (!t2) -> !t12
    %4 = "aten.unsqueeze"(%arg3) {dim = 0 : i64} : (!t3) -> !t13
    %5:2 = "aten.u_scaled_dot_product_flash_attention_for_cpu"(%1, %2, %3, %4) {dropout_p = 0.000000e+00 : f64, is_causal = false, scale = #aten.expr<"1.0/scale">} : (!t11, !t12, !t12, !t13) -> (!t11, !t14)
    %6 = "aten.squeeze_dims"(%5#0) {dim = [0]} : (!t11) -> !t0
    %7 = "aten.unsqueeze"(%arg4) {dim = 0 : i64} : (!t0) -> !t11
    %8:3 = "aten.u_scaled_dot_product_flash_attention_for_cpu_backward"(%7, %1, %2, %3, %5#0, %5#1, %4) {dropout_p = 0.000000e+00 : f64, is_causal = false, scale = #aten.expr<"1.0/scale">} : (!t11, !t11, !t12, !t12, !t11, !t14, !t13) -> (!t15, !t16, !t16)
    %9 = "aten.squeeze_dims"(%8#2) {dim = [0]} : (!t16) -> !t10
    %10 = "aten.squeeze_dims"(%8#1) {dim = [0]} : (!t16) -> !t10
    %11 = "aten.squeeze_dims"(%8#0) {dim = [0]} : (!t15) -> !t8
    %12 = "aten.permute"(%10) {dims = [0, 2, 1]} : (!t10) -> !t9
    return %6, %11, %12, %9 : !t0, !t8, !t9, !t10
  }
}
