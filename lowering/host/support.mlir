// What the native function of every graph calls, once in a process. `host/support.py` declares it; docs/host.md describes the life of a call.
//
// A frame is what one call of a graph knows: [0] the Python thread state while the GIL is released, [1] the tuple of Python callables.
// A tensor is a handle: the address of an `at::Tensor`. A slot holds a handle that the call owns, or null.
// Statuses: 0 fine, 1 a Python exception is set.

llvm.mlir.global internal @setup(dense<0> : tensor<7xi64>) {alignment = 8 : i64} : !llvm.array<7 x i64>

// libtorch, libtorch_python
llvm.func @aoti_torch_delete_tensor_object(!llvm.ptr) -> i32
llvm.func @aoti_torch_new_tensor_handle(!llvm.ptr, !llvm.ptr) -> i32
llvm.func @aoti_torch_get_strides(!llvm.ptr, !llvm.ptr) -> i32
llvm.func @aoti_torch_get_sizes(!llvm.ptr, !llvm.ptr) -> i32
llvm.func @aoti_torch_get_data_ptr(!llvm.ptr, !llvm.ptr) -> i32
llvm.func @aoti_torch_empty_strided(i64, !llvm.ptr, !llvm.ptr, i32, i32, i32, !llvm.ptr) -> i32
llvm.func @aoti_torch__reinterpret_tensor(!llvm.ptr, i64, !llvm.ptr, !llvm.ptr, i64, !llvm.ptr) -> i32
llvm.func @_Z16THPVariable_WrapRKN2at10TensorBaseE(!llvm.ptr) -> !llvm.ptr
// Python
llvm.func @PyList_Size(!llvm.ptr) -> i64
llvm.func @PyList_GetItem(!llvm.ptr, i64) -> !llvm.ptr
llvm.func @PyList_SetItem(!llvm.ptr, i64, !llvm.ptr) -> i32
llvm.func @PyList_SetSlice(!llvm.ptr, i64, i64, !llvm.ptr) -> i32
llvm.func @PyList_New(i64) -> !llvm.ptr
llvm.func @PyTuple_GetItem(!llvm.ptr, i64) -> !llvm.ptr
llvm.func @PyTuple_Size(!llvm.ptr) -> i64
llvm.func @PyLong_AsLongLong(!llvm.ptr) -> i64
llvm.func @PyLong_FromLongLong(i64) -> !llvm.ptr
llvm.func @PyObject_IsInstance(!llvm.ptr, !llvm.ptr) -> i32
llvm.func @PyObject_Vectorcall(!llvm.ptr, !llvm.ptr, i64, !llvm.ptr) -> !llvm.ptr
llvm.func @PyErr_Occurred() -> !llvm.ptr
llvm.func @PyErr_SetString(!llvm.ptr, !llvm.ptr)
llvm.func @Py_IncRef(!llvm.ptr)
llvm.func @Py_DecRef(!llvm.ptr)
llvm.func @PyDict_GetItem(!llvm.ptr, !llvm.ptr) -> !llvm.ptr
llvm.func @PyEval_SaveThread() -> !llvm.ptr
llvm.func @PyEval_RestoreThread(!llvm.ptr)

llvm.mlir.global internal constant @wrong_inputs("the graph takes a list with as many inputs as it was compiled for\00")
llvm.mlir.global internal constant @no_tensor("a tensor is missing where the graph was compiled for one\00")

// table: [0] offset of the `at::Tensor` in its Python object, [1] None, [2] torch.Tensor's base class, [3] TypeError,
// [4] the namespace and [5] the name of what says whether a profiler runs, [6] True
llvm.func @mlirind_host_setup(%table: !llvm.ptr) {
  %here = llvm.mlir.addressof @setup : !llvm.ptr
  %size = llvm.mlir.constant(56 : i64) : i64
  "llvm.intr.memcpy"(%here, %table, %size) <{isVolatile = false}> : (!llvm.ptr, !llvm.ptr, i64) -> ()
  llvm.return
}

llvm.func internal @constant(%number: i64) -> !llvm.ptr {
  %here = llvm.mlir.addressof @setup : !llvm.ptr
  %place = llvm.getelementptr %here[%number] : (!llvm.ptr, i64) -> !llvm.ptr, i64
  %value = llvm.load %place : !llvm.ptr -> !llvm.ptr
  llvm.return %value : !llvm.ptr
}

llvm.func internal @raise_type_error(%message: !llvm.ptr) {
  %three = llvm.mlir.constant(3 : i64) : i64
  %type = llvm.call @constant(%three) : (i64) -> !llvm.ptr
  llvm.call @PyErr_SetString(%type, %message) : (!llvm.ptr, !llvm.ptr) -> ()
  llvm.return
}

// The handle inside a Python tensor, borrowed; null, with TypeError set, for another object.
llvm.func internal @handle_of(%object: !llvm.ptr) -> !llvm.ptr {
  %zero = llvm.mlir.constant(0 : i64) : i64
  %two = llvm.mlir.constant(2 : i64) : i64
  %one = llvm.mlir.constant(1 : i32) : i32
  %base = llvm.call @constant(%two) : (i64) -> !llvm.ptr
  %is = llvm.call @PyObject_IsInstance(%object, %base) : (!llvm.ptr, !llvm.ptr) -> i32
  %tensor = llvm.icmp "eq" %is, %one : i32
  llvm.cond_br %tensor, ^tensor, ^other
^tensor:
  %where = llvm.mlir.addressof @setup : !llvm.ptr
  %offset = llvm.load %where : !llvm.ptr -> i64
  %handle = llvm.getelementptr %object[%offset] : (!llvm.ptr, i64) -> !llvm.ptr, i8
  llvm.return %handle : !llvm.ptr
^other:
  %message = llvm.mlir.addressof @no_tensor : !llvm.ptr
  llvm.call @raise_type_error(%message) : (!llvm.ptr) -> ()
  %null = llvm.mlir.zero : !llvm.ptr
  llvm.return %null : !llvm.ptr
}

// Reads the list of inputs. A row is [kind, callable, rank, strides...]; kind 0: an integer. With the GIL.
llvm.func @mlirind_host_unwrap(%list: !llvm.ptr, %count: i64, %rows: !llvm.ptr, %values: !llvm.ptr) -> i32 {
  %c0 = llvm.mlir.constant(0 : i64) : i64
  %c1 = llvm.mlir.constant(1 : i64) : i64
  %c3 = llvm.mlir.constant(3 : i64) : i64
  %minus = llvm.mlir.constant(-1 : i64) : i64
  %null = llvm.mlir.zero : !llvm.ptr
  %fine = llvm.mlir.constant(0 : i32) : i32
  %bad = llvm.mlir.constant(1 : i32) : i32
  %size = llvm.call @PyList_Size(%list) : (!llvm.ptr) -> i64
  %same = llvm.icmp "eq" %size, %count : i64
  llvm.cond_br %same, ^header(%c0, %rows : i64, !llvm.ptr), ^wrong
^wrong:
  %message = llvm.mlir.addressof @wrong_inputs : !llvm.ptr
  llvm.call @raise_type_error(%message) : (!llvm.ptr) -> ()
  llvm.return %bad : i32
^header(%i: i64, %row: !llvm.ptr):
  %more = llvm.icmp "slt" %i, %count : i64
  llvm.cond_br %more, ^item, ^done
^item:
  %object = llvm.call @PyList_GetItem(%list, %i) : (!llvm.ptr, i64) -> !llvm.ptr
  %place = llvm.getelementptr %values[%i] : (!llvm.ptr, i64) -> !llvm.ptr, i64
  %kind = llvm.load %row : !llvm.ptr -> i64
  %number = llvm.icmp "eq" %kind, %c0 : i64
  llvm.cond_br %number, ^number, ^tensor
^number:
  %value = llvm.call @PyLong_AsLongLong(%object) : (!llvm.ptr) -> i64
  llvm.store %value, %place : i64, !llvm.ptr
  %doubtful = llvm.icmp "eq" %value, %minus : i64
  llvm.cond_br %doubtful, ^ask, ^next
^ask:
  %error = llvm.call @PyErr_Occurred() : () -> !llvm.ptr
  %raised = llvm.icmp "ne" %error, %null : !llvm.ptr
  llvm.cond_br %raised, ^failed, ^next
^tensor:
  %handle = llvm.call @handle_of(%object) : (!llvm.ptr) -> !llvm.ptr
  llvm.store %handle, %place : !llvm.ptr, !llvm.ptr
  %none = llvm.icmp "eq" %handle, %null : !llvm.ptr
  llvm.cond_br %none, ^failed, ^next
^next:
  %rank_at = llvm.getelementptr %row[2] : (!llvm.ptr) -> !llvm.ptr, i64
  %rank = llvm.load %rank_at : !llvm.ptr -> i64
  %length = llvm.add %rank, %c3 : i64
  %following = llvm.getelementptr %row[%length] : (!llvm.ptr, i64) -> !llvm.ptr, i64
  %j = llvm.add %i, %c1 : i64
  llvm.br ^header(%j, %following : i64, !llvm.ptr)
^failed:
  llvm.return %bad : i32
^done:
  llvm.return %fine : i32
}

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

// A handle with the strides that kernels were compiled for, and its data: `place` gets [handle, data]. Where the strides differ, the Python
// callable makes a tensor that has them, which `slot` owns.
llvm.func @mlirind_host_lay_out(%frame: !llvm.ptr, %callable: i64, %handle: !llvm.ptr, %rank: i64, %strides: !llvm.ptr, %slot: !llvm.ptr, %place: !llvm.ptr) -> i32 {
  %c1 = llvm.mlir.constant(1 : i64) : i64
  %fine = llvm.mlir.constant(0 : i32) : i32
  %same = llvm.call @strides_are(%handle, %rank, %strides) : (!llvm.ptr, i64, !llvm.ptr) -> i1
  llvm.cond_br %same, ^data(%handle : !llvm.ptr), ^differ
^differ:
  %tensors = llvm.alloca %c1 x !llvm.ptr : (i64) -> !llvm.ptr
  llvm.store %handle, %tensors : !llvm.ptr, !llvm.ptr
  %status = llvm.call @mlirind_host_callback(%frame, %callable, %tensors, %c1, %strides, %rank, %slot, %c1) : (!llvm.ptr, i64, !llvm.ptr, i64, !llvm.ptr, i64, !llvm.ptr, i64) -> i32
  %ok = llvm.icmp "eq" %status, %fine : i32
  llvm.cond_br %ok, ^changed, ^failed(%status : i32)
^changed:
  %new = llvm.load %slot : !llvm.ptr -> !llvm.ptr
  llvm.br ^data(%new : !llvm.ptr)
^data(%laid: !llvm.ptr):
  llvm.store %laid, %place : !llvm.ptr, !llvm.ptr
  %data_at = llvm.getelementptr %place[1] : (!llvm.ptr) -> !llvm.ptr, i64
  %result = llvm.call @aoti_torch_get_data_ptr(%laid, %data_at) : (!llvm.ptr, !llvm.ptr) -> i32
  llvm.return %fine : i32
^failed(%code: i32):
  llvm.return %code : i32
}

// `mlirind_host_lay_out` for every input whose row has kind 2. `places` has a pair, `slots` a slot for each input. Without the GIL.
llvm.func @mlirind_host_layouts(%frame: !llvm.ptr, %count: i64, %rows: !llvm.ptr, %values: !llvm.ptr, %slots: !llvm.ptr, %places: !llvm.ptr) -> i32 {
  %c0 = llvm.mlir.constant(0 : i64) : i64
  %c1 = llvm.mlir.constant(1 : i64) : i64
  %c2 = llvm.mlir.constant(2 : i64) : i64
  %c3 = llvm.mlir.constant(3 : i64) : i64
  %fine = llvm.mlir.constant(0 : i32) : i32
  llvm.br ^header(%c0, %rows : i64, !llvm.ptr)
^header(%i: i64, %row: !llvm.ptr):
  %more = llvm.icmp "slt" %i, %count : i64
  llvm.cond_br %more, ^item, ^done(%fine : i32)
^item:
  %kind = llvm.load %row : !llvm.ptr -> i64
  %callable_at = llvm.getelementptr %row[1] : (!llvm.ptr) -> !llvm.ptr, i64
  %rank_at = llvm.getelementptr %row[2] : (!llvm.ptr) -> !llvm.ptr, i64
  %strides = llvm.getelementptr %row[3] : (!llvm.ptr) -> !llvm.ptr, i64
  %rank = llvm.load %rank_at : !llvm.ptr -> i64
  %length = llvm.add %rank, %c3 : i64
  %following = llvm.getelementptr %row[%length] : (!llvm.ptr, i64) -> !llvm.ptr, i64
  %j = llvm.add %i, %c1 : i64
  %wanted = llvm.icmp "eq" %kind, %c2 : i64
  llvm.cond_br %wanted, ^lay_out, ^header(%j, %following : i64, !llvm.ptr)
^lay_out:
  %callable = llvm.load %callable_at : !llvm.ptr -> i64
  %value_at = llvm.getelementptr %values[%i] : (!llvm.ptr, i64) -> !llvm.ptr, i64
  %handle = llvm.load %value_at : !llvm.ptr -> !llvm.ptr
  %slot = llvm.getelementptr %slots[%i] : (!llvm.ptr, i64) -> !llvm.ptr, i64
  %twice = llvm.mul %i, %c2 : i64
  %place = llvm.getelementptr %places[%twice] : (!llvm.ptr, i64) -> !llvm.ptr, i64
  %status = llvm.call @mlirind_host_lay_out(%frame, %callable, %handle, %rank, %strides, %slot, %place) : (!llvm.ptr, i64, !llvm.ptr, i64, !llvm.ptr, !llvm.ptr, !llvm.ptr) -> i32
  %ok = llvm.icmp "eq" %status, %fine : i32
  llvm.cond_br %ok, ^header(%j, %following : i64, !llvm.ptr), ^done(%status : i32)
^done(%code: i32):
  llvm.return %code : i32
}

// Makes input number `index` a handle of our own, in `slot` and among `values`, and takes it out of the list: it can die before the call ends.
llvm.func @mlirind_host_take(%list: !llvm.ptr, %index: i64, %values: !llvm.ptr, %slot: !llvm.ptr) {
  %c1 = llvm.mlir.constant(1 : i64) : i64
  %place = llvm.getelementptr %values[%index] : (!llvm.ptr, i64) -> !llvm.ptr, i64
  %handle = llvm.load %place : !llvm.ptr -> !llvm.ptr
  %0 = llvm.call @aoti_torch_new_tensor_handle(%handle, %slot) : (!llvm.ptr, !llvm.ptr) -> i32
  %own = llvm.load %slot : !llvm.ptr -> !llvm.ptr
  llvm.store %own, %place : !llvm.ptr, !llvm.ptr
  %none = llvm.call @constant(%c1) : (i64) -> !llvm.ptr
  llvm.call @Py_IncRef(%none) : (!llvm.ptr) -> ()
  %1 = llvm.call @PyList_SetItem(%list, %index, %none) : (!llvm.ptr, i64, !llvm.ptr) -> i32
  llvm.return
}

// A new tensor: [rank, dtype, device type, device index, sizes..., strides...]; `place` gets its data. Where that fails, Python's callable 1
// repeats it, for its exception.
llvm.func @mlirind_host_alloc(%frame: !llvm.ptr, %numbers: !llvm.ptr, %slot: !llvm.ptr, %place: !llvm.ptr) -> i32 {
  %c0 = llvm.mlir.constant(0 : i64) : i64
  %c1 = llvm.mlir.constant(1 : i64) : i64
  %c4 = llvm.mlir.constant(4 : i64) : i64
  %fine = llvm.mlir.constant(0 : i32) : i32
  %null = llvm.mlir.zero : !llvm.ptr
  %rank = llvm.load %numbers : !llvm.ptr -> i64
  %dtype_at = llvm.getelementptr %numbers[1] : (!llvm.ptr) -> !llvm.ptr, i64
  %type_at = llvm.getelementptr %numbers[2] : (!llvm.ptr) -> !llvm.ptr, i64
  %index_at = llvm.getelementptr %numbers[3] : (!llvm.ptr) -> !llvm.ptr, i64
  %sizes = llvm.getelementptr %numbers[4] : (!llvm.ptr) -> !llvm.ptr, i64
  %strides = llvm.getelementptr %sizes[%rank] : (!llvm.ptr, i64) -> !llvm.ptr, i64
  %dtype = llvm.load %dtype_at : !llvm.ptr -> i32
  %type = llvm.load %type_at : !llvm.ptr -> i32
  %index = llvm.load %index_at : !llvm.ptr -> i32
  %code = llvm.call @aoti_torch_empty_strided(%rank, %sizes, %strides, %dtype, %type, %index, %slot) : (i64, !llvm.ptr, !llvm.ptr, i32, i32, i32, !llvm.ptr) -> i32
  %ok = llvm.icmp "eq" %code, %fine : i32
  llvm.cond_br %ok, ^data, ^again
^again:
  %both = llvm.add %rank, %rank : i64
  %count = llvm.add %both, %c4 : i64
  %status = llvm.call @mlirind_host_callback(%frame, %c1, %null, %c0, %numbers, %count, %slot, %c1) : (!llvm.ptr, i64, !llvm.ptr, i64, !llvm.ptr, i64, !llvm.ptr, i64) -> i32
  %recovered = llvm.icmp "eq" %status, %fine : i32
  llvm.cond_br %recovered, ^data, ^failed
^data:
  %handle = llvm.load %slot : !llvm.ptr -> !llvm.ptr
  %2 = llvm.call @aoti_torch_get_data_ptr(%handle, %place) : (!llvm.ptr, !llvm.ptr) -> i32
  llvm.return %fine : i32
^failed:
  llvm.return %status : i32
}

// A view of `base`: [rank, offset beyond the base's, sizes..., strides...]. Python's callable 2 repeats a failed one.
llvm.func @mlirind_host_view(%frame: !llvm.ptr, %numbers: !llvm.ptr, %base: !llvm.ptr, %slot: !llvm.ptr) -> i32 {
  %c1 = llvm.mlir.constant(1 : i64) : i64
  %c2 = llvm.mlir.constant(2 : i64) : i64
  %fine = llvm.mlir.constant(0 : i32) : i32
  %rank = llvm.load %numbers : !llvm.ptr -> i64
  %offset_at = llvm.getelementptr %numbers[1] : (!llvm.ptr) -> !llvm.ptr, i64
  %sizes = llvm.getelementptr %numbers[2] : (!llvm.ptr) -> !llvm.ptr, i64
  %strides = llvm.getelementptr %sizes[%rank] : (!llvm.ptr, i64) -> !llvm.ptr, i64
  %offset = llvm.load %offset_at : !llvm.ptr -> i64
  %code = llvm.call @aoti_torch__reinterpret_tensor(%base, %rank, %sizes, %strides, %offset, %slot) : (!llvm.ptr, i64, !llvm.ptr, !llvm.ptr, i64, !llvm.ptr) -> i32
  %ok = llvm.icmp "eq" %code, %fine : i32
  llvm.cond_br %ok, ^done, ^again
^again:
  %tensors = llvm.alloca %c1 x !llvm.ptr : (i64) -> !llvm.ptr
  llvm.store %base, %tensors : !llvm.ptr, !llvm.ptr
  %both = llvm.add %rank, %rank : i64
  %count = llvm.add %both, %c2 : i64
  %status = llvm.call @mlirind_host_callback(%frame, %c2, %tensors, %c1, %numbers, %count, %slot, %c1) : (!llvm.ptr, i64, !llvm.ptr, i64, !llvm.ptr, i64, !llvm.ptr, i64) -> i32
  llvm.return %status : i32
^done:
  llvm.return %fine : i32
}

// Deletes what a slot owns.
llvm.func @mlirind_host_drop(%slot: !llvm.ptr) {
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

llvm.func internal @drop_all(%slots: !llvm.ptr, %count: i64) {
  %c0 = llvm.mlir.constant(0 : i64) : i64
  %c1 = llvm.mlir.constant(1 : i64) : i64
  llvm.br ^header(%c0 : i64)
^header(%i: i64):
  %more = llvm.icmp "slt" %i, %count : i64
  llvm.cond_br %more, ^slot, ^done
^slot:
  %slot = llvm.getelementptr %slots[%i] : (!llvm.ptr, i64) -> !llvm.ptr, i64
  llvm.call @mlirind_host_drop(%slot) : (!llvm.ptr) -> ()
  %next = llvm.add %i, %c1 : i64
  llvm.br ^header(%next : i64)
^done:
  llvm.return
}

// Calls Python's callable of this number with tensors (None for null) and integers. It gives a tuple of as many tensors (or None) as there
// are `results`, slots whose former content is dropped. Without the GIL.
llvm.func @mlirind_host_callback(%frame: !llvm.ptr, %callable: i64, %tensors: !llvm.ptr, %tensor_count: i64, %integers: !llvm.ptr, %integer_count: i64, %results: !llvm.ptr, %result_count: i64) -> i32 {
  %c0 = llvm.mlir.constant(0 : i64) : i64
  %c1 = llvm.mlir.constant(1 : i64) : i64
  %null = llvm.mlir.zero : !llvm.ptr
  %fine = llvm.mlir.constant(0 : i32) : i32
  %bad = llvm.mlir.constant(1 : i32) : i32
  %state = llvm.load %frame : !llvm.ptr -> !llvm.ptr
  llvm.call @PyEval_RestoreThread(%state) : (!llvm.ptr) -> ()
  %count = llvm.add %tensor_count, %integer_count : i64
  %room = llvm.add %count, %c1 : i64
  %arguments = llvm.alloca %room x !llvm.ptr : (i64) -> !llvm.ptr
  llvm.br ^tensors(%c0 : i64)
^tensors(%i: i64):
  %more = llvm.icmp "slt" %i, %tensor_count : i64
  llvm.cond_br %more, ^tensor, ^integers(%c0 : i64)
^tensor:
  %handle_at = llvm.getelementptr %tensors[%i] : (!llvm.ptr, i64) -> !llvm.ptr, i64
  %handle = llvm.load %handle_at : !llvm.ptr -> !llvm.ptr
  %object = llvm.call @wrap(%handle) : (!llvm.ptr) -> !llvm.ptr
  %argument_at = llvm.getelementptr %arguments[%i] : (!llvm.ptr, i64) -> !llvm.ptr, i64
  llvm.store %object, %argument_at : !llvm.ptr, !llvm.ptr
  %i1 = llvm.add %i, %c1 : i64
  llvm.br ^tensors(%i1 : i64)
^integers(%k: i64):
  %more_integers = llvm.icmp "slt" %k, %integer_count : i64
  llvm.cond_br %more_integers, ^integer, ^call
^integer:
  %integer_at = llvm.getelementptr %integers[%k] : (!llvm.ptr, i64) -> !llvm.ptr, i64
  %value = llvm.load %integer_at : !llvm.ptr -> i64
  %number = llvm.call @PyLong_FromLongLong(%value) : (i64) -> !llvm.ptr
  %position = llvm.add %tensor_count, %k : i64
  %number_at = llvm.getelementptr %arguments[%position] : (!llvm.ptr, i64) -> !llvm.ptr, i64
  llvm.store %number, %number_at : !llvm.ptr, !llvm.ptr
  %k1 = llvm.add %k, %c1 : i64
  llvm.br ^integers(%k1 : i64)
^call:
  %self_at = llvm.getelementptr %frame[1] : (!llvm.ptr) -> !llvm.ptr, i64
  %self = llvm.load %self_at : !llvm.ptr -> !llvm.ptr
  %function = llvm.call @PyTuple_GetItem(%self, %callable) : (!llvm.ptr, i64) -> !llvm.ptr
  %given = llvm.call @PyObject_Vectorcall(%function, %arguments, %count, %null) : (!llvm.ptr, !llvm.ptr, i64, !llvm.ptr) -> !llvm.ptr
  llvm.br ^forget(%c0 : i64)
^forget(%f: i64):
  %more_arguments = llvm.icmp "slt" %f, %count : i64
  llvm.cond_br %more_arguments, ^argument, ^given
^argument:
  %old_at = llvm.getelementptr %arguments[%f] : (!llvm.ptr, i64) -> !llvm.ptr, i64
  %old = llvm.load %old_at : !llvm.ptr -> !llvm.ptr
  llvm.call @Py_DecRef(%old) : (!llvm.ptr) -> ()
  %f1 = llvm.add %f, %c1 : i64
  llvm.br ^forget(%f1 : i64)
^given:
  %raised = llvm.icmp "eq" %given, %null : !llvm.ptr
  llvm.cond_br %raised, ^done(%bad : i32), ^results(%c0 : i64)
^results(%r: i64):
  %more_results = llvm.icmp "slt" %r, %result_count : i64
  llvm.cond_br %more_results, ^result, ^release(%fine : i32)
^result:
  %item = llvm.call @PyTuple_GetItem(%given, %r) : (!llvm.ptr, i64) -> !llvm.ptr
  %slot = llvm.getelementptr %results[%r] : (!llvm.ptr, i64) -> !llvm.ptr, i64
  %missing = llvm.icmp "eq" %item, %null : !llvm.ptr
  llvm.cond_br %missing, ^release(%bad : i32), ^keep
^keep:
  %status = llvm.call @keep(%item, %slot) : (!llvm.ptr, !llvm.ptr) -> i32
  %kept = llvm.icmp "eq" %status, %fine : i32
  %r1 = llvm.add %r, %c1 : i64
  llvm.cond_br %kept, ^results(%r1 : i64), ^release(%bad : i32)
^release(%after: i32):
  llvm.call @Py_DecRef(%given) : (!llvm.ptr) -> ()
  llvm.br ^done(%after : i32)
^done(%code: i32):
  %saved = llvm.call @PyEval_SaveThread() : () -> !llvm.ptr
  llvm.store %saved, %frame : !llvm.ptr, !llvm.ptr
  llvm.return %code : i32
}

// Puts a handle of a Python tensor's into a slot; null for None.
llvm.func internal @keep(%object: !llvm.ptr, %slot: !llvm.ptr) -> i32 {
  %c1 = llvm.mlir.constant(1 : i64) : i64
  %null = llvm.mlir.zero : !llvm.ptr
  %fine = llvm.mlir.constant(0 : i32) : i32
  %bad = llvm.mlir.constant(1 : i32) : i32
  llvm.call @mlirind_host_drop(%slot) : (!llvm.ptr) -> ()
  %none = llvm.call @constant(%c1) : (i64) -> !llvm.ptr
  %is_none = llvm.icmp "eq" %object, %none : !llvm.ptr
  llvm.cond_br %is_none, ^done(%fine : i32), ^tensor
^tensor:
  %handle = llvm.call @handle_of(%object) : (!llvm.ptr) -> !llvm.ptr
  %other = llvm.icmp "eq" %handle, %null : !llvm.ptr
  llvm.cond_br %other, ^done(%bad : i32), ^own
^own:
  %0 = llvm.call @aoti_torch_new_tensor_handle(%handle, %slot) : (!llvm.ptr, !llvm.ptr) -> i32
  llvm.br ^done(%0 : i32)
^done(%code: i32):
  llvm.return %code : i32
}

// The Python tensor of a handle, a new reference; None for null.
llvm.func internal @wrap(%handle: !llvm.ptr) -> !llvm.ptr {
  %c1 = llvm.mlir.constant(1 : i64) : i64
  %null = llvm.mlir.zero : !llvm.ptr
  %is_null = llvm.icmp "eq" %handle, %null : !llvm.ptr
  llvm.cond_br %is_null, ^none, ^tensor
^none:
  %none = llvm.call @constant(%c1) : (i64) -> !llvm.ptr
  llvm.call @Py_IncRef(%none) : (!llvm.ptr) -> ()
  llvm.return %none : !llvm.ptr
^tensor:
  %object = llvm.call @_Z16THPVariable_WrapRKN2at10TensorBaseE(%handle) : (!llvm.ptr) -> !llvm.ptr
  llvm.return %object : !llvm.ptr
}

// The end of a call: the list of outputs. kinds: 0 a tensor (None for null), 1 an integer. Takes the GIL back, drops all slots, empties the
// list of inputs.
llvm.func @mlirind_host_finish(%frame: !llvm.ptr, %slots: !llvm.ptr, %slot_count: i64, %list: !llvm.ptr, %kinds: !llvm.ptr, %values: !llvm.ptr, %count: i64) -> !llvm.ptr {
  %c0 = llvm.mlir.constant(0 : i64) : i64
  %c1 = llvm.mlir.constant(1 : i64) : i64
  %most = llvm.mlir.constant(9223372036854775807 : i64) : i64
  %null = llvm.mlir.zero : !llvm.ptr
  %state = llvm.load %frame : !llvm.ptr -> !llvm.ptr
  llvm.call @PyEval_RestoreThread(%state) : (!llvm.ptr) -> ()
  %outputs = llvm.call @PyList_New(%count) : (i64) -> !llvm.ptr
  llvm.br ^header(%c0 : i64)
^header(%i: i64):
  %more = llvm.icmp "slt" %i, %count : i64
  llvm.cond_br %more, ^output, ^clean
^output:
  %kind_at = llvm.getelementptr %kinds[%i] : (!llvm.ptr, i64) -> !llvm.ptr, i64
  %value_at = llvm.getelementptr %values[%i] : (!llvm.ptr, i64) -> !llvm.ptr, i64
  %kind = llvm.load %kind_at : !llvm.ptr -> i64
  %number = llvm.icmp "eq" %kind, %c1 : i64
  llvm.cond_br %number, ^number, ^tensor
^number:
  %value = llvm.load %value_at : !llvm.ptr -> i64
  %integer = llvm.call @PyLong_FromLongLong(%value) : (i64) -> !llvm.ptr
  llvm.br ^set(%integer : !llvm.ptr)
^tensor:
  %handle = llvm.load %value_at : !llvm.ptr -> !llvm.ptr
  %object = llvm.call @wrap(%handle) : (!llvm.ptr) -> !llvm.ptr
  llvm.br ^set(%object : !llvm.ptr)
^set(%item: !llvm.ptr):
  %0 = llvm.call @PyList_SetItem(%outputs, %i, %item) : (!llvm.ptr, i64, !llvm.ptr) -> i32
  %next = llvm.add %i, %c1 : i64
  llvm.br ^header(%next : i64)
^clean:
  llvm.call @drop_all(%slots, %slot_count) : (!llvm.ptr, i64) -> ()
  %1 = llvm.call @PyList_SetSlice(%list, %c0, %most, %null) : (!llvm.ptr, i64, i64, !llvm.ptr) -> i32
  llvm.return %outputs : !llvm.ptr
}

// The end of a call that raises.
llvm.func @mlirind_host_fail(%frame: !llvm.ptr, %slots: !llvm.ptr, %slot_count: i64) -> !llvm.ptr {
  %null = llvm.mlir.zero : !llvm.ptr
  %state = llvm.load %frame : !llvm.ptr -> !llvm.ptr
  llvm.call @PyEval_RestoreThread(%state) : (!llvm.ptr) -> ()
  llvm.call @drop_all(%slots, %slot_count) : (!llvm.ptr, i64) -> ()
  llvm.return %null : !llvm.ptr
}

// While a profiler runs, what Python's callable 0 gives for the list of inputs: `answer` gets it. With the GIL.
llvm.func @mlirind_host_profiled(%self: !llvm.ptr, %list: !llvm.ptr, %answer: !llvm.ptr) -> i1 {
  %c0 = llvm.mlir.constant(0 : i64) : i64
  %c1 = llvm.mlir.constant(1 : i64) : i64
  %c4 = llvm.mlir.constant(4 : i64) : i64
  %c5 = llvm.mlir.constant(5 : i64) : i64
  %c6 = llvm.mlir.constant(6 : i64) : i64
  %null = llvm.mlir.zero : !llvm.ptr
  %namespace = llvm.call @constant(%c4) : (i64) -> !llvm.ptr
  %name = llvm.call @constant(%c5) : (i64) -> !llvm.ptr
  %true = llvm.call @constant(%c6) : (i64) -> !llvm.ptr
  %value = llvm.call @PyDict_GetItem(%namespace, %name) : (!llvm.ptr, !llvm.ptr) -> !llvm.ptr
  %runs = llvm.icmp "eq" %value, %true : !llvm.ptr
  llvm.cond_br %runs, ^call, ^done
^call:
  %arguments = llvm.alloca %c1 x !llvm.ptr : (i64) -> !llvm.ptr
  llvm.store %list, %arguments : !llvm.ptr, !llvm.ptr
  %function = llvm.call @PyTuple_GetItem(%self, %c0) : (!llvm.ptr, i64) -> !llvm.ptr
  %outputs = llvm.call @PyObject_Vectorcall(%function, %arguments, %c1, %null) : (!llvm.ptr, !llvm.ptr, i64, !llvm.ptr) -> !llvm.ptr
  llvm.store %outputs, %answer : !llvm.ptr, !llvm.ptr
  llvm.br ^done
^done:
  llvm.return %runs : i1
}
