// What happens between the calls of kernels and operators: it knows nothing of Python. `support.mlir` or `library.mlir` is compiled with it, and
// defines @callback, what is done where native code can't.
//
// A frame is the memory of one call of a graph, in words of 8 bytes: [0] and [1] for `support.mlir` and
// `library.mlir`, then places of values, four words for each input to begin with: [handle, slot, handle of what kernels read, its data].
// A tensor is a handle: the address of an `at::Tensor`. A slot holds a handle that the call owns, or null.
// A step is [operation, length, ...]: what `mlirind_host_steps` does between the calls of kernels and operators. Where 256 is added to the
// operation, a word that is close to the least integer stands for the word of the frame with that distance from it.
// Statuses: 0 fine, 1 the call fails, and the error is set.

// libtorch
llvm.func @aoti_torch_copy_(!llvm.ptr, !llvm.ptr, i32) -> i32
llvm.func @aoti_torch_get_dim(!llvm.ptr, !llvm.ptr) -> i32
llvm.func @aoti_torch_get_dtype(!llvm.ptr, !llvm.ptr) -> i32
llvm.func @aoti_torch_get_device_type(!llvm.ptr, !llvm.ptr) -> i32
llvm.func @aoti_torch_get_device_index(!llvm.ptr, !llvm.ptr) -> i32
llvm.func @aoti_torch_get_size(!llvm.ptr, i64, !llvm.ptr) -> i32
llvm.func @aoti_torch_get_stride(!llvm.ptr, i64, !llvm.ptr) -> i32
llvm.func @aoti_torch_delete_tensor_object(!llvm.ptr) -> i32
llvm.func @aoti_torch_new_tensor_handle(!llvm.ptr, !llvm.ptr) -> i32
llvm.func @aoti_torch_get_strides(!llvm.ptr, !llvm.ptr) -> i32
llvm.func @aoti_torch_get_sizes(!llvm.ptr, !llvm.ptr) -> i32
llvm.func @aoti_torch_get_data_ptr(!llvm.ptr, !llvm.ptr) -> i32
llvm.func @aoti_torch_get_numel(!llvm.ptr, !llvm.ptr) -> i32
llvm.func @aoti_torch_empty_strided(i64, !llvm.ptr, !llvm.ptr, i32, i32, i32, !llvm.ptr) -> i32
llvm.func @aoti_torch__reinterpret_tensor(!llvm.ptr, i64, !llvm.ptr, !llvm.ptr, i64, !llvm.ptr) -> i32

// Whether a tensor's strides are these, but where its size is at most 1.
llvm.func internal @strides_are(%handle: !llvm.ptr, %rank: i64, %strides: !llvm.ptr) -> i1 {
  %c0 = llvm.mlir.constant(0 : i64) : i64
  %c1 = llvm.mlir.constant(1 : i64) : i64
  %true = llvm.mlir.constant(true) : i1
  %false = llvm.mlir.constant(false) : i1
  %slot = llvm.alloca %c1 x !llvm.ptr : (i64) -> !llvm.ptr
  %0 = llvm.call @aoti_torch_get_strides(%handle, %slot) : (!llvm.ptr, !llvm.ptr) -> i32
  %actual = llvm.load %slot : !llvm.ptr -> !llvm.ptr
  llvm.br ^header(%c0 : i64)
^header(%d: i64):
  %more = llvm.icmp "slt" %d, %rank : i64
  llvm.cond_br %more, ^dimension, ^yes
^dimension:
  %a_at = llvm.getelementptr %actual[%d] : (!llvm.ptr, i64) -> !llvm.ptr, i64
  %e_at = llvm.getelementptr %strides[%d] : (!llvm.ptr, i64) -> !llvm.ptr, i64
  %a = llvm.load %a_at : !llvm.ptr -> i64
  %e = llvm.load %e_at : !llvm.ptr -> i64
  %next = llvm.add %d, %c1 : i64
  %equal = llvm.icmp "eq" %a, %e : i64
  llvm.cond_br %equal, ^header(%next : i64), ^size
^size:
  %1 = llvm.call @aoti_torch_get_sizes(%handle, %slot) : (!llvm.ptr, !llvm.ptr) -> i32
  %sizes = llvm.load %slot : !llvm.ptr -> !llvm.ptr
  %s_at = llvm.getelementptr %sizes[%d] : (!llvm.ptr, i64) -> !llvm.ptr, i64
  %s = llvm.load %s_at : !llvm.ptr -> i64
  %single = llvm.icmp "sle" %s, %c1 : i64
  llvm.cond_br %single, ^header(%next : i64), ^no
^yes:
  llvm.return %true : i1
^no:
  llvm.return %false : i1
}

// Whether a tensor, whose data are at `data_at`, has elements but no memory, as tensors of PyTorch's modes have it.
llvm.func internal @has_no_memory(%handle: !llvm.ptr, %data_at: !llvm.ptr) -> i1 {
  %c0 = llvm.mlir.constant(0 : i64) : i64
  %c1 = llvm.mlir.constant(1 : i64) : i64
  %false = llvm.mlir.constant(false) : i1
  %null = llvm.mlir.zero : !llvm.ptr
  %data = llvm.load %data_at : !llvm.ptr -> !llvm.ptr
  %none = llvm.icmp "eq" %data, %null : !llvm.ptr
  llvm.cond_br %none, ^count, ^no
^count:
  %count_at = llvm.alloca %c1 x i64 : (i64) -> !llvm.ptr
  %0 = llvm.call @aoti_torch_get_numel(%handle, %count_at) : (!llvm.ptr, !llvm.ptr) -> i32
  %count = llvm.load %count_at : !llvm.ptr -> i64
  %some = llvm.icmp "ne" %count, %c0 : i64
  llvm.return %some : i1
^no:
  llvm.return %false : i1
}

// A handle with the strides that kernels were compiled for, and its data: `place` gets [handle, data]. Where the strides differ, or there is
// no memory, the Python callable makes a tensor that has them, which `slot` owns.
llvm.func internal @lay_out(%frame: !llvm.ptr, %callable: i64, %handle: !llvm.ptr, %rank: i64, %strides: !llvm.ptr, %slot: !llvm.ptr, %place: !llvm.ptr) -> i32 {
  %c1 = llvm.mlir.constant(1 : i64) : i64
  %fine = llvm.mlir.constant(0 : i32) : i32
  %data_at = llvm.getelementptr %place[1] : (!llvm.ptr) -> !llvm.ptr, i64
  %same = llvm.call @strides_are(%handle, %rank, %strides) : (!llvm.ptr, i64, !llvm.ptr) -> i1
  llvm.cond_br %same, ^same, ^differ
^same:
  llvm.store %handle, %place : !llvm.ptr, !llvm.ptr
  %0 = llvm.call @aoti_torch_get_data_ptr(%handle, %data_at) : (!llvm.ptr, !llvm.ptr) -> i32
  %nowhere = llvm.call @has_no_memory(%handle, %data_at) : (!llvm.ptr, !llvm.ptr) -> i1
  llvm.cond_br %nowhere, ^differ, ^done
^differ:
  %tensors = llvm.alloca %c1 x !llvm.ptr : (i64) -> !llvm.ptr
  llvm.store %handle, %tensors : !llvm.ptr, !llvm.ptr
  %status = llvm.call @callback(%frame, %callable, %tensors, %c1, %strides, %rank, %slot, %c1) : (!llvm.ptr, i64, !llvm.ptr, i64, !llvm.ptr, i64, !llvm.ptr, i64) -> i32
  %ok = llvm.icmp "eq" %status, %fine : i32
  llvm.cond_br %ok, ^changed, ^failed(%status : i32)
^changed:
  %new = llvm.load %slot : !llvm.ptr -> !llvm.ptr
  llvm.store %new, %place : !llvm.ptr, !llvm.ptr
  %1 = llvm.call @aoti_torch_get_data_ptr(%new, %data_at) : (!llvm.ptr, !llvm.ptr) -> i32
  llvm.br ^done
^done:
  llvm.return %fine : i32
^failed(%code: i32):
  llvm.return %code : i32
}

// The word of the frame that word `index` of a step names.
llvm.func internal @named(%frame: !llvm.ptr, %step: !llvm.ptr, %index: i64) -> !llvm.ptr {
  %at = llvm.getelementptr %step[%index] : (!llvm.ptr, i64) -> !llvm.ptr, i64
  %word = llvm.load %at : !llvm.ptr -> i64
  %place = llvm.getelementptr %frame[%word] : (!llvm.ptr, i64) -> !llvm.ptr, i64
  llvm.return %place : !llvm.ptr
}

// 1, a new tensor: [.., slot, dtype, device type, device index, sizes..., strides...]; the word behind the slot gets its data. A tensor that is
// in the slot already is taken (`control_flow.mlir`). Where allocation fails, Python's callable 1 repeats it, for its exception.
llvm.func internal @allocate(%frame: !llvm.ptr, %step: !llvm.ptr, %length: i64) -> i32 {
  %c0 = llvm.mlir.constant(0 : i64) : i64
  %c1 = llvm.mlir.constant(1 : i64) : i64
  %c2 = llvm.mlir.constant(2 : i64) : i64
  %c3 = llvm.mlir.constant(3 : i64) : i64
  %c6 = llvm.mlir.constant(6 : i64) : i64
  %fine = llvm.mlir.constant(0 : i32) : i32
  %null = llvm.mlir.zero : !llvm.ptr
  %slot = llvm.call @named(%frame, %step, %c2) : (!llvm.ptr, !llvm.ptr, i64) -> !llvm.ptr
  %dtype_at = llvm.getelementptr %step[3] : (!llvm.ptr) -> !llvm.ptr, i64
  %type_at = llvm.getelementptr %step[4] : (!llvm.ptr) -> !llvm.ptr, i64
  %index_at = llvm.getelementptr %step[5] : (!llvm.ptr) -> !llvm.ptr, i64
  %sizes = llvm.getelementptr %step[6] : (!llvm.ptr) -> !llvm.ptr, i64
  %both = llvm.sub %length, %c6 : i64
  %rank = llvm.lshr %both, %c1 : i64
  %strides = llvm.getelementptr %sizes[%rank] : (!llvm.ptr, i64) -> !llvm.ptr, i64
  %dtype = llvm.load %dtype_at : !llvm.ptr -> i32
  %type = llvm.load %type_at : !llvm.ptr -> i32
  %index = llvm.load %index_at : !llvm.ptr -> i32
  %given = llvm.load %slot : !llvm.ptr -> !llvm.ptr
  %empty = llvm.icmp "eq" %given, %null : !llvm.ptr
  llvm.cond_br %empty, ^new, ^data
^new:
  %code = llvm.call @aoti_torch_empty_strided(%rank, %sizes, %strides, %dtype, %type, %index, %slot) : (i64, !llvm.ptr, !llvm.ptr, i32, i32, i32, !llvm.ptr) -> i32
  %ok = llvm.icmp "eq" %code, %fine : i32
  llvm.cond_br %ok, ^data, ^again
^again:
  %count = llvm.sub %length, %c3 : i64
  %status = llvm.call @callback(%frame, %c1, %null, %c0, %dtype_at, %count, %slot, %c1) : (!llvm.ptr, i64, !llvm.ptr, i64, !llvm.ptr, i64, !llvm.ptr, i64) -> i32
  %recovered = llvm.icmp "eq" %status, %fine : i32
  llvm.cond_br %recovered, ^data, ^failed
^data:
  %handle = llvm.load %slot : !llvm.ptr -> !llvm.ptr
  %place = llvm.getelementptr %slot[1] : (!llvm.ptr) -> !llvm.ptr, i64
  %2 = llvm.call @aoti_torch_get_data_ptr(%handle, %place) : (!llvm.ptr, !llvm.ptr) -> i32
  %nowhere = llvm.call @has_no_memory(%handle, %place) : (!llvm.ptr, !llvm.ptr) -> i1
  llvm.cond_br %nowhere, ^drop, ^done
^drop:
  %3 = llvm.call @aoti_torch_delete_tensor_object(%handle) : (!llvm.ptr) -> i32
  llvm.store %null, %slot : !llvm.ptr, !llvm.ptr
  llvm.br ^again
^done:
  llvm.return %fine : i32
^failed:
  llvm.return %status : i32
}

// 2, a view: [.., slot, base, offset beyond the base's, sizes..., strides...]. Python's callable 2 repeats a failed one.
llvm.func internal @view(%frame: !llvm.ptr, %step: !llvm.ptr, %length: i64) -> i32 {
  %c1 = llvm.mlir.constant(1 : i64) : i64
  %c2 = llvm.mlir.constant(2 : i64) : i64
  %c3 = llvm.mlir.constant(3 : i64) : i64
  %c4 = llvm.mlir.constant(4 : i64) : i64
  %c5 = llvm.mlir.constant(5 : i64) : i64
  %fine = llvm.mlir.constant(0 : i32) : i32
  %slot = llvm.call @named(%frame, %step, %c2) : (!llvm.ptr, !llvm.ptr, i64) -> !llvm.ptr
  %base_at = llvm.call @named(%frame, %step, %c3) : (!llvm.ptr, !llvm.ptr, i64) -> !llvm.ptr
  %base = llvm.load %base_at : !llvm.ptr -> !llvm.ptr
  %offset_at = llvm.getelementptr %step[4] : (!llvm.ptr) -> !llvm.ptr, i64
  %sizes = llvm.getelementptr %step[5] : (!llvm.ptr) -> !llvm.ptr, i64
  %both = llvm.sub %length, %c5 : i64
  %rank = llvm.lshr %both, %c1 : i64
  %strides = llvm.getelementptr %sizes[%rank] : (!llvm.ptr, i64) -> !llvm.ptr, i64
  %offset = llvm.load %offset_at : !llvm.ptr -> i64
  %code = llvm.call @aoti_torch__reinterpret_tensor(%base, %rank, %sizes, %strides, %offset, %slot) : (!llvm.ptr, i64, !llvm.ptr, !llvm.ptr, i64, !llvm.ptr) -> i32
  %ok = llvm.icmp "eq" %code, %fine : i32
  llvm.cond_br %ok, ^done, ^again
^again:
  %count = llvm.sub %length, %c4 : i64
  %status = llvm.call @callback(%frame, %c2, %base_at, %c1, %offset_at, %count, %slot, %c1) : (!llvm.ptr, i64, !llvm.ptr, i64, !llvm.ptr, i64, !llvm.ptr, i64) -> i32
  llvm.return %status : i32
^done:
  llvm.return %fine : i32
}

// 3: drops slots [.., slot...].
llvm.func internal @drop_step(%frame: !llvm.ptr, %step: !llvm.ptr, %length: i64) -> i32 {
  %c2 = llvm.mlir.constant(2 : i64) : i64
  %fine = llvm.mlir.constant(0 : i32) : i32
  %slots = llvm.getelementptr %step[2] : (!llvm.ptr) -> !llvm.ptr, i64
  %count = llvm.sub %length, %c2 : i64
  llvm.call @drop_all(%frame, %slots, %count) : (!llvm.ptr, !llvm.ptr, i64) -> ()
  llvm.return %fine : i32
}

// 4, what kernels read of a tensor: [.., place, tensor, callable, strides...].
llvm.func internal @lay_out_step(%frame: !llvm.ptr, %step: !llvm.ptr, %length: i64) -> i32 {
  %c2 = llvm.mlir.constant(2 : i64) : i64
  %c3 = llvm.mlir.constant(3 : i64) : i64
  %c5 = llvm.mlir.constant(5 : i64) : i64
  %slot = llvm.call @named(%frame, %step, %c2) : (!llvm.ptr, !llvm.ptr, i64) -> !llvm.ptr
  %tensor_at = llvm.call @named(%frame, %step, %c3) : (!llvm.ptr, !llvm.ptr, i64) -> !llvm.ptr
  %tensor = llvm.load %tensor_at : !llvm.ptr -> !llvm.ptr
  %callable_at = llvm.getelementptr %step[4] : (!llvm.ptr) -> !llvm.ptr, i64
  %callable = llvm.load %callable_at : !llvm.ptr -> i64
  %strides = llvm.getelementptr %step[5] : (!llvm.ptr) -> !llvm.ptr, i64
  %rank = llvm.sub %length, %c5 : i64
  %place = llvm.getelementptr %slot[1] : (!llvm.ptr) -> !llvm.ptr, i64
  %status = llvm.call @lay_out(%frame, %callable, %tensor, %rank, %strides, %slot, %place) : (!llvm.ptr, i64, !llvm.ptr, i64, !llvm.ptr, !llvm.ptr, !llvm.ptr) -> i32
  llvm.return %status : i32
}

// 5: copies a tensor's elements to another one: [.., target, source].
llvm.func internal @copy(%frame: !llvm.ptr, %step: !llvm.ptr, %length: i64) -> i32 {
  %c0 = llvm.mlir.constant(0 : i64) : i64
  %c1 = llvm.mlir.constant(1 : i64) : i64
  %c2 = llvm.mlir.constant(2 : i64) : i64
  %c3 = llvm.mlir.constant(3 : i64) : i64
  %c5 = llvm.mlir.constant(5 : i64) : i64
  %fine = llvm.mlir.constant(0 : i32) : i32
  %null = llvm.mlir.zero : !llvm.ptr
  %target_at = llvm.call @named(%frame, %step, %c2) : (!llvm.ptr, !llvm.ptr, i64) -> !llvm.ptr
  %source_at = llvm.call @named(%frame, %step, %c3) : (!llvm.ptr, !llvm.ptr, i64) -> !llvm.ptr
  %target = llvm.load %target_at : !llvm.ptr -> !llvm.ptr
  %source = llvm.load %source_at : !llvm.ptr -> !llvm.ptr
  %code = llvm.call @aoti_torch_copy_(%target, %source, %fine) : (!llvm.ptr, !llvm.ptr, i32) -> i32
  %ok = llvm.icmp "eq" %code, %fine : i32
  llvm.cond_br %ok, ^done, ^again
^again:
  %tensors = llvm.alloca %c2 x !llvm.ptr : (i64) -> !llvm.ptr
  %second = llvm.getelementptr %tensors[1] : (!llvm.ptr) -> !llvm.ptr, i64
  llvm.store %target, %tensors : !llvm.ptr, !llvm.ptr
  llvm.store %source, %second : !llvm.ptr, !llvm.ptr
  %status = llvm.call @callback(%frame, %c5, %tensors, %c2, %null, %c0, %null, %c0) : (!llvm.ptr, i64, !llvm.ptr, i64, !llvm.ptr, i64, !llvm.ptr, i64) -> i32
  llvm.return %status : i32
^done:
  llvm.return %fine : i32
}

// 6, a size of a tensor, or, where `stride` is 1, a stride: [.., word, tensor, dimension, stride].
llvm.func internal @size(%frame: !llvm.ptr, %step: !llvm.ptr, %length: i64) -> i32 {
  %c0 = llvm.mlir.constant(0 : i64) : i64
  %c2 = llvm.mlir.constant(2 : i64) : i64
  %c3 = llvm.mlir.constant(3 : i64) : i64
  %word = llvm.call @named(%frame, %step, %c2) : (!llvm.ptr, !llvm.ptr, i64) -> !llvm.ptr
  %tensor_at = llvm.call @named(%frame, %step, %c3) : (!llvm.ptr, !llvm.ptr, i64) -> !llvm.ptr
  %tensor = llvm.load %tensor_at : !llvm.ptr -> !llvm.ptr
  %dimension_at = llvm.getelementptr %step[4] : (!llvm.ptr) -> !llvm.ptr, i64
  %stride_at = llvm.getelementptr %step[5] : (!llvm.ptr) -> !llvm.ptr, i64
  %dimension = llvm.load %dimension_at : !llvm.ptr -> i64
  %stride = llvm.load %stride_at : !llvm.ptr -> i64
  %size = llvm.icmp "eq" %stride, %c0 : i64
  llvm.cond_br %size, ^size, ^stride
^size:
  %0 = llvm.call @aoti_torch_get_size(%tensor, %dimension, %word) : (!llvm.ptr, i64, !llvm.ptr) -> i32
  llvm.return %0 : i32
^stride:
  %1 = llvm.call @aoti_torch_get_stride(%tensor, %dimension, %word) : (!llvm.ptr, i64, !llvm.ptr) -> i32
  llvm.return %1 : i32
}

// 7, a call of Python: [.., callable, number of tensors, of integers, of results, first slot for results, tensor..., integer...].
llvm.func internal @python(%frame: !llvm.ptr, %step: !llvm.ptr, %length: i64) -> i32 {
  %c0 = llvm.mlir.constant(0 : i64) : i64
  %c1 = llvm.mlir.constant(1 : i64) : i64
  %c6 = llvm.mlir.constant(6 : i64) : i64
  %c7 = llvm.mlir.constant(7 : i64) : i64
  %callable_at = llvm.getelementptr %step[2] : (!llvm.ptr) -> !llvm.ptr, i64
  %tensors_at = llvm.getelementptr %step[3] : (!llvm.ptr) -> !llvm.ptr, i64
  %integers_at = llvm.getelementptr %step[4] : (!llvm.ptr) -> !llvm.ptr, i64
  %results_at = llvm.getelementptr %step[5] : (!llvm.ptr) -> !llvm.ptr, i64
  %first = llvm.getelementptr %step[7] : (!llvm.ptr) -> !llvm.ptr, i64
  %callable = llvm.load %callable_at : !llvm.ptr -> i64
  %tensor_count = llvm.load %tensors_at : !llvm.ptr -> i64
  %integer_count = llvm.load %integers_at : !llvm.ptr -> i64
  %result_count = llvm.load %results_at : !llvm.ptr -> i64
  %slots = llvm.call @named(%frame, %step, %c6) : (!llvm.ptr, !llvm.ptr, i64) -> !llvm.ptr
  %integers = llvm.getelementptr %first[%tensor_count] : (!llvm.ptr, i64) -> !llvm.ptr, i64
  %room = llvm.add %tensor_count, %c1 : i64
  %tensors = llvm.alloca %room x !llvm.ptr : (i64) -> !llvm.ptr
  llvm.br ^header(%c0 : i64)
^header(%i: i64):
  %more = llvm.icmp "slt" %i, %tensor_count : i64
  llvm.cond_br %more, ^tensor, ^call
^tensor:
  %position = llvm.add %i, %c7 : i64
  %handle_at = llvm.call @named(%frame, %step, %position) : (!llvm.ptr, !llvm.ptr, i64) -> !llvm.ptr
  %handle = llvm.load %handle_at : !llvm.ptr -> !llvm.ptr
  %place = llvm.getelementptr %tensors[%i] : (!llvm.ptr, i64) -> !llvm.ptr, i64
  llvm.store %handle, %place : !llvm.ptr, !llvm.ptr
  %next = llvm.add %i, %c1 : i64
  llvm.br ^header(%next : i64)
^call:
  %status = llvm.call @callback(%frame, %callable, %tensors, %tensor_count, %integers, %integer_count, %slots, %result_count) : (!llvm.ptr, i64, !llvm.ptr, i64, !llvm.ptr, i64, !llvm.ptr, i64) -> i32
  llvm.return %status : i32
}

// 8, compares what an operator gave with what it declares: [.., word with the tensor, callable, dtype, device type, device index, number,
// rank, size..., stride...]; what is below 0 is not compared, and strides are if they stand there, where a size is more than 1 and none
// is 0. Python's callable gets a tensor that differs and all words from the number on.
llvm.func internal @compare(%frame: !llvm.ptr, %step: !llvm.ptr, %length: i64) -> i32 {
  %c0 = llvm.mlir.constant(0 : i64) : i64
  %c1 = llvm.mlir.constant(1 : i64) : i64
  %c2 = llvm.mlir.constant(2 : i64) : i64
  %c4 = llvm.mlir.constant(4 : i64) : i64
  %c5 = llvm.mlir.constant(5 : i64) : i64
  %c6 = llvm.mlir.constant(6 : i64) : i64
  %c7 = llvm.mlir.constant(7 : i64) : i64
  %c9 = llvm.mlir.constant(9 : i64) : i64
  %null = llvm.mlir.zero : !llvm.ptr
  %fine = llvm.mlir.constant(0 : i32) : i32
  %slot = llvm.alloca %c1 x i64 : (i64) -> !llvm.ptr
  %rank_at = llvm.getelementptr %step[8] : (!llvm.ptr) -> !llvm.ptr, i64
  %rank = llvm.load %rank_at : !llvm.ptr -> i64
  %sizes = llvm.getelementptr %step[9] : (!llvm.ptr) -> !llvm.ptr, i64
  %strides = llvm.getelementptr %sizes[%rank] : (!llvm.ptr, i64) -> !llvm.ptr, i64
  %sizes_end = llvm.add %rank, %c9 : i64
  %only_sizes = llvm.icmp "eq" %length, %sizes_end : i64
  %tensor_at = llvm.call @named(%frame, %step, %c2) : (!llvm.ptr, !llvm.ptr, i64) -> !llvm.ptr
  %tensor = llvm.load %tensor_at : !llvm.ptr -> !llvm.ptr
  %missing = llvm.icmp "eq" %tensor, %null : !llvm.ptr
  llvm.cond_br %missing, ^differs, ^dimensions
^dimensions:
  %0 = llvm.call @aoti_torch_get_dim(%tensor, %slot) : (!llvm.ptr, !llvm.ptr) -> i32
  %count = llvm.load %slot : !llvm.ptr -> i64
  %same_rank = llvm.icmp "eq" %count, %rank : i64
  %1 = llvm.call @aoti_torch_get_sizes(%tensor, %slot) : (!llvm.ptr, !llvm.ptr) -> i32
  %actual = llvm.load %slot : !llvm.ptr -> !llvm.ptr
  llvm.cond_br %same_rank, ^header(%c0, %c1 : i64, i64), ^differs
^header(%d: i64, %elements: i64):
  %more = llvm.icmp "slt" %d, %rank : i64
  llvm.cond_br %more, ^dimension, ^strides
^dimension:
  %a_at = llvm.getelementptr %actual[%d] : (!llvm.ptr, i64) -> !llvm.ptr, i64
  %e_at = llvm.getelementptr %sizes[%d] : (!llvm.ptr, i64) -> !llvm.ptr, i64
  %a = llvm.load %a_at : !llvm.ptr -> i64
  %e = llvm.load %e_at : !llvm.ptr -> i64
  %next = llvm.add %d, %c1 : i64
  %equal = llvm.icmp "eq" %a, %e : i64
  %product = llvm.mul %elements, %a : i64
  llvm.cond_br %equal, ^header(%next, %product : i64, i64), ^differs
^strides:
  %5 = llvm.call @aoti_torch_get_strides(%tensor, %slot) : (!llvm.ptr, !llvm.ptr) -> i32
  %laid = llvm.load %slot : !llvm.ptr -> !llvm.ptr
  %is_empty = llvm.icmp "eq" %elements, %c0 : i64
  %skip = llvm.or %only_sizes, %is_empty : i1
  llvm.cond_br %skip, ^dtype, ^next(%c0 : i64)
^next(%k: i64):
  %unseen = llvm.icmp "slt" %k, %rank : i64
  llvm.cond_br %unseen, ^stride, ^dtype
^stride:
  %size_at = llvm.getelementptr %actual[%k] : (!llvm.ptr, i64) -> !llvm.ptr, i64
  %found_at = llvm.getelementptr %laid[%k] : (!llvm.ptr, i64) -> !llvm.ptr, i64
  %declared_at = llvm.getelementptr %strides[%k] : (!llvm.ptr, i64) -> !llvm.ptr, i64
  %size = llvm.load %size_at : !llvm.ptr -> i64
  %found = llvm.load %found_at : !llvm.ptr -> i64
  %declared = llvm.load %declared_at : !llvm.ptr -> i64
  %following = llvm.add %k, %c1 : i64
  %same = llvm.icmp "eq" %found, %declared : i64
  %single = llvm.icmp "sle" %size, %c1 : i64
  %as_declared = llvm.or %same, %single : i1
  llvm.cond_br %as_declared, ^next(%following : i64), ^differs
^dtype:
  %2 = llvm.call @aoti_torch_get_dtype(%tensor, %slot) : (!llvm.ptr, !llvm.ptr) -> i32
  %other_dtype = llvm.call @is_other(%step, %c4, %slot) : (!llvm.ptr, i64, !llvm.ptr) -> i1
  llvm.cond_br %other_dtype, ^differs, ^device
^device:
  %3 = llvm.call @aoti_torch_get_device_type(%tensor, %slot) : (!llvm.ptr, !llvm.ptr) -> i32
  %other_type = llvm.call @is_other(%step, %c5, %slot) : (!llvm.ptr, i64, !llvm.ptr) -> i1
  llvm.cond_br %other_type, ^differs, ^index
^index:
  %4 = llvm.call @aoti_torch_get_device_index(%tensor, %slot) : (!llvm.ptr, !llvm.ptr) -> i32
  %other_index = llvm.call @is_other(%step, %c6, %slot) : (!llvm.ptr, i64, !llvm.ptr) -> i1
  llvm.cond_br %other_index, ^differs, ^done(%fine : i32)
^differs:
  %callable_at = llvm.getelementptr %step[3] : (!llvm.ptr) -> !llvm.ptr, i64
  %callable = llvm.load %callable_at : !llvm.ptr -> i64
  %number_at = llvm.getelementptr %step[7] : (!llvm.ptr) -> !llvm.ptr, i64
  %integers = llvm.sub %length, %c7 : i64
  %status = llvm.call @callback(%frame, %callable, %tensor_at, %c1, %number_at, %integers, %null, %c0) : (!llvm.ptr, i64, !llvm.ptr, i64, !llvm.ptr, i64, !llvm.ptr, i64) -> i32
  llvm.br ^done(%status : i32)
^done(%code: i32):
  llvm.return %code : i32
}

// Whether a word of a step says another number than the 32 bits at an address; one below 0 says nothing.
llvm.func internal @is_other(%step: !llvm.ptr, %index: i64, %at: !llvm.ptr) -> i1 {
  %c0 = llvm.mlir.constant(0 : i64) : i64
  %word_at = llvm.getelementptr %step[%index] : (!llvm.ptr, i64) -> !llvm.ptr, i64
  %word = llvm.load %word_at : !llvm.ptr -> i64
  %narrow = llvm.load %at : !llvm.ptr -> i32
  %found = llvm.sext %narrow : i32 to i64
  %says = llvm.icmp "sge" %word, %c0 : i64
  %differs = llvm.icmp "ne" %word, %found : i64
  %other = llvm.and %says, %differs : i1
  llvm.return %other : i1
}

// A copy of a step with the frame's words in the place of what stands for them.
llvm.func internal @resolve(%frame: !llvm.ptr, %step: !llvm.ptr, %length: i64, %copy: !llvm.ptr) {
  %c0 = llvm.mlir.constant(0 : i64) : i64
  %c1 = llvm.mlir.constant(1 : i64) : i64
  %least = llvm.mlir.constant(-9223372036854775808 : i64) : i64
  %most = llvm.mlir.constant(-9223372036853727232 : i64) : i64
  llvm.br ^header(%c0 : i64)
^header(%i: i64):
  %more = llvm.icmp "slt" %i, %length : i64
  llvm.cond_br %more, ^word, ^done
^word:
  %at = llvm.getelementptr %step[%i] : (!llvm.ptr, i64) -> !llvm.ptr, i64
  %word = llvm.load %at : !llvm.ptr -> i64
  %stands = llvm.icmp "slt" %word, %most : i64
  llvm.cond_br %stands, ^look_up, ^put(%word : i64)
^look_up:
  %distance = llvm.sub %word, %least : i64
  %place = llvm.getelementptr %frame[%distance] : (!llvm.ptr, i64) -> !llvm.ptr, i64
  %value = llvm.load %place : !llvm.ptr -> i64
  llvm.br ^put(%value : i64)
^put(%given: i64):
  %to = llvm.getelementptr %copy[%i] : (!llvm.ptr, i64) -> !llvm.ptr, i64
  llvm.store %given, %to : i64, !llvm.ptr
  %next = llvm.add %i, %c1 : i64
  llvm.br ^header(%next : i64)
^done:
  llvm.return
}

llvm.func internal @step(%frame: !llvm.ptr, %given: !llvm.ptr, %length: i64) -> i32 {
  %c256 = llvm.mlir.constant(256 : i64) : i64
  %bad = llvm.mlir.constant(1 : i32) : i32
  %coded = llvm.load %given : !llvm.ptr -> i64
  %dynamic = llvm.icmp "sge" %coded, %c256 : i64
  llvm.cond_br %dynamic, ^resolve, ^do(%coded, %given : i64, !llvm.ptr)
^resolve:
  %copy = llvm.alloca %length x i64 : (i64) -> !llvm.ptr
  llvm.call @resolve(%frame, %given, %length, %copy) : (!llvm.ptr, !llvm.ptr, i64, !llvm.ptr) -> ()
  %plain = llvm.sub %coded, %c256 : i64
  llvm.br ^do(%plain, %copy : i64, !llvm.ptr)
^do(%operation: i64, %step: !llvm.ptr):
  llvm.switch %operation : i64, ^unknown [1: ^allocate, 2: ^view, 3: ^drop, 4: ^lay_out, 5: ^copy, 6: ^size, 7: ^python, 8: ^compare]
^allocate:
  %1 = llvm.call @allocate(%frame, %step, %length) : (!llvm.ptr, !llvm.ptr, i64) -> i32
  llvm.return %1 : i32
^view:
  %2 = llvm.call @view(%frame, %step, %length) : (!llvm.ptr, !llvm.ptr, i64) -> i32
  llvm.return %2 : i32
^drop:
  %3 = llvm.call @drop_step(%frame, %step, %length) : (!llvm.ptr, !llvm.ptr, i64) -> i32
  llvm.return %3 : i32
^lay_out:
  %4 = llvm.call @lay_out_step(%frame, %step, %length) : (!llvm.ptr, !llvm.ptr, i64) -> i32
  llvm.return %4 : i32
^copy:
  %5 = llvm.call @copy(%frame, %step, %length) : (!llvm.ptr, !llvm.ptr, i64) -> i32
  llvm.return %5 : i32
^size:
  %6 = llvm.call @size(%frame, %step, %length) : (!llvm.ptr, !llvm.ptr, i64) -> i32
  llvm.return %6 : i32
^python:
  %7 = llvm.call @python(%frame, %step, %length) : (!llvm.ptr, !llvm.ptr, i64) -> i32
  llvm.return %7 : i32
^compare:
  %8 = llvm.call @compare(%frame, %step, %length) : (!llvm.ptr, !llvm.ptr, i64) -> i32
  llvm.return %8 : i32
^unknown:
  llvm.return %bad : i32
}

// Does steps, up to operation 0. Without the GIL.
llvm.func @mlirind_host_steps(%frame: !llvm.ptr, %steps: !llvm.ptr) -> i32 {
  %c0 = llvm.mlir.constant(0 : i64) : i64
  %fine = llvm.mlir.constant(0 : i32) : i32
  llvm.br ^header(%steps : !llvm.ptr)
^header(%step: !llvm.ptr):
  %operation = llvm.load %step : !llvm.ptr -> i64
  %end = llvm.icmp "eq" %operation, %c0 : i64
  llvm.cond_br %end, ^done(%fine : i32), ^step
^step:
  %length_at = llvm.getelementptr %step[1] : (!llvm.ptr) -> !llvm.ptr, i64
  %length = llvm.load %length_at : !llvm.ptr -> i64
  %status = llvm.call @step(%frame, %step, %length) : (!llvm.ptr, !llvm.ptr, i64) -> i32
  %following = llvm.getelementptr %step[%length] : (!llvm.ptr, i64) -> !llvm.ptr, i64
  %ok = llvm.icmp "eq" %status, %fine : i32
  llvm.cond_br %ok, ^header(%following : !llvm.ptr), ^done(%status : i32)
^done(%code: i32):
  llvm.return %code : i32
}

// After a C function of libtorch: where it has failed, the step that does the same in Python, which raises the right exception, or succeeds.
llvm.func @mlirind_host_settle(%frame: !llvm.ptr, %status: i32, %step: !llvm.ptr) -> i32 {
  %fine = llvm.mlir.constant(0 : i32) : i32
  %ok = llvm.icmp "eq" %status, %fine : i32
  llvm.cond_br %ok, ^done(%fine : i32), ^again
^again:
  %length_at = llvm.getelementptr %step[1] : (!llvm.ptr) -> !llvm.ptr, i64
  %length = llvm.load %length_at : !llvm.ptr -> i64
  %code = llvm.call @step(%frame, %step, %length) : (!llvm.ptr, !llvm.ptr, i64) -> i32
  llvm.br ^done(%code : i32)
^done(%given: i32):
  llvm.return %given : i32
}

// Raises for a kernel's status, by Python's callable of this number.
llvm.func @mlirind_host_kernel_failed(%frame: !llvm.ptr, %status: i32, %callable: i64, %list: !llvm.ptr) {
  %c0 = llvm.mlir.constant(0 : i64) : i64
  %c1 = llvm.mlir.constant(1 : i64) : i64
  %c2 = llvm.mlir.constant(2 : i64) : i64
  %null = llvm.mlir.zero : !llvm.ptr
  %place = llvm.alloca %c2 x i64 : (i64) -> !llvm.ptr
  %wide = llvm.zext %status : i32 to i64
  llvm.store %wide, %place : i64, !llvm.ptr
  %second = llvm.getelementptr %place[%c1] : (!llvm.ptr, i64) -> !llvm.ptr, i64
  %address = llvm.ptrtoint %list : !llvm.ptr to i64
  llvm.store %address, %second : i64, !llvm.ptr
  %0 = llvm.call @callback(%frame, %callable, %null, %c0, %place, %c2, %null, %c0) : (!llvm.ptr, i64, !llvm.ptr, i64, !llvm.ptr, i64, !llvm.ptr, i64) -> i32
  llvm.return
}

// Deletes what a slot owns.
llvm.func internal @drop(%slot: !llvm.ptr) {
  %null = llvm.mlir.zero : !llvm.ptr
  %handle = llvm.load %slot : !llvm.ptr -> !llvm.ptr
  %empty = llvm.icmp "eq" %handle, %null : !llvm.ptr
  llvm.cond_br %empty, ^done, ^delete
^delete:
  llvm.store %null, %slot : !llvm.ptr, !llvm.ptr
  %0 = llvm.call @aoti_torch_delete_tensor_object(%handle) : (!llvm.ptr) -> i32
  llvm.br ^done
^done:
  llvm.return
}

// Drops the slots with these numbers.
llvm.func internal @drop_all(%frame: !llvm.ptr, %slots: !llvm.ptr, %count: i64) {
  %c0 = llvm.mlir.constant(0 : i64) : i64
  %c1 = llvm.mlir.constant(1 : i64) : i64
  llvm.br ^header(%c0 : i64)
^header(%i: i64):
  %more = llvm.icmp "slt" %i, %count : i64
  llvm.cond_br %more, ^slot, ^done
^slot:
  %slot = llvm.call @named(%frame, %slots, %i) : (!llvm.ptr, !llvm.ptr, i64) -> !llvm.ptr
  llvm.call @drop(%slot) : (!llvm.ptr) -> ()
  %next = llvm.add %i, %c1 : i64
  llvm.br ^header(%next : i64)
^done:
  llvm.return
}
