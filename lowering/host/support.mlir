// What the native function of every graph calls, once in a process. `runtime/host/native_runner.py` compiles it; docs/host.md describes the life of a call.
//
// A frame is the memory of one call of a graph, in words of 8 bytes: [0] the Python thread state while the GIL is released, [1] the tuple of
// Python callables, then places of values, four words for each input to begin with: [handle, slot, handle of what kernels read, its data].
// A tensor is a handle: the address of an `at::Tensor`. A slot holds a handle that the call owns, or null.
// A step is [operation, length, ...]: what `mlirind_host_steps` does between the calls of kernels and operators. Where 256 is added to the
// operation, a word that is close to the least integer stands for the word of the frame with that distance from it.
// Statuses: 0 fine, 1 a Python exception is set.

llvm.mlir.global internal @setup(dense<0> : tensor<15xi64>) {alignment = 8 : i64} : !llvm.array<15 x i64>

// libtorch, libtorch_python
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
llvm.func @PyErr_Clear()
llvm.func @PyErr_SetString(!llvm.ptr, !llvm.ptr)
llvm.func @Py_IncRef(!llvm.ptr)
llvm.func @Py_DecRef(!llvm.ptr)
llvm.func @PyDict_GetItem(!llvm.ptr, !llvm.ptr) -> !llvm.ptr
llvm.func @PyEval_SaveThread() -> !llvm.ptr
llvm.func @PyEval_RestoreThread(!llvm.ptr)

llvm.mlir.global internal constant @wrong_inputs("the graph takes a list with as many inputs as it was compiled for\00")
llvm.mlir.global internal constant @no_tensor("a tensor is missing where the graph was compiled for one\00")

// table: [0] offset of the `at::Tensor` in its Python object, [1] None, [2] torch.Tensor's base class, [3] TypeError,
// [4] the namespace and [5] the name of what says whether a profiler runs, [6] True, [7] offset of its type in a Python object,
// [8] and [9] types of tensors that are known without asking Python, [10] where a tensor has the address of its memory, [11] where both
// have the number of their references, [12] the dispatch key under which views are noted, [13] and [14] what asks and sets whether it is
// passed by, or null
llvm.func @mlirind_host_setup(%table: !llvm.ptr) {
  %here = llvm.mlir.addressof @setup : !llvm.ptr
  %size = llvm.mlir.constant(120 : i64) : i64
  "llvm.intr.memcpy"(%here, %table, %size) <{isVolatile = false}> : (!llvm.ptr, !llvm.ptr, i64) -> ()
  llvm.return
}

llvm.func internal @constant(%number: i64) -> !llvm.ptr {
  %here = llvm.mlir.addressof @setup : !llvm.ptr
  %place = llvm.getelementptr %here[%number] : (!llvm.ptr, i64) -> !llvm.ptr, i64
  %value = llvm.load %place : !llvm.ptr -> !llvm.ptr
  llvm.return %value : !llvm.ptr
}

// From here on this thread notes views that operators make as such (0), or not (1); what it did before. A kernel that is called past
// autograd's would else give a view of memory of its own as a result, which may not be written as it may in eager mode.
llvm.func @mlirind_host_hide_views(%hide: i32) -> i32 {
  %twelve = llvm.mlir.constant(12 : i64) : i64
  %thirteen = llvm.mlir.constant(13 : i64) : i64
  %fourteen = llvm.mlir.constant(14 : i64) : i64
  %null = llvm.mlir.zero : !llvm.ptr
  %zero = llvm.mlir.constant(0 : i32) : i32
  %key_as_pointer = llvm.call @constant(%twelve) : (i64) -> !llvm.ptr
  %key = llvm.ptrtoint %key_as_pointer : !llvm.ptr to i32
  %asks = llvm.call @constant(%thirteen) : (i64) -> !llvm.ptr
  %sets = llvm.call @constant(%fourteen) : (i64) -> !llvm.ptr
  %missing = llvm.icmp "eq" %asks, %null : !llvm.ptr
  llvm.cond_br %missing, ^done(%zero : i32), ^set
^set:
  %hidden = llvm.call %asks(%key) : !llvm.ptr, (i32) -> i1
  %was = llvm.zext %hidden : i1 to i32
  llvm.call %sets(%key, %hide) : !llvm.ptr, (i32, i32) -> ()
  llvm.br ^done(%was : i32)
^done(%before: i32):
  llvm.return %before : i32
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
  %seven = llvm.mlir.constant(7 : i64) : i64
  %eight = llvm.mlir.constant(8 : i64) : i64
  %nine = llvm.mlir.constant(9 : i64) : i64
  %one = llvm.mlir.constant(1 : i32) : i32
  %type_offset_as_pointer = llvm.call @constant(%seven) : (i64) -> !llvm.ptr
  %type_offset = llvm.ptrtoint %type_offset_as_pointer : !llvm.ptr to i64
  %type_at = llvm.getelementptr %object[%type_offset] : (!llvm.ptr, i64) -> !llvm.ptr, i8
  %type = llvm.load %type_at : !llvm.ptr -> !llvm.ptr
  %plain = llvm.call @constant(%eight) : (i64) -> !llvm.ptr
  %is_plain = llvm.icmp "eq" %type, %plain : !llvm.ptr
  llvm.cond_br %is_plain, ^tensor, ^parameter
^parameter:
  %parameter = llvm.call @constant(%nine) : (i64) -> !llvm.ptr
  %is_parameter = llvm.icmp "eq" %type, %parameter : !llvm.ptr
  llvm.cond_br %is_parameter, ^tensor, ^ask
^ask:
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

// Reads the list of inputs into the frame. kinds: 0 an integer, 1 a tensor, 2 what is not looked at. With the GIL.
llvm.func @mlirind_host_unwrap(%frame: !llvm.ptr, %list: !llvm.ptr, %count: i64, %kinds: !llvm.ptr) -> i32 {
  %c0 = llvm.mlir.constant(0 : i64) : i64
  %c1 = llvm.mlir.constant(1 : i64) : i64
  %minus = llvm.mlir.constant(-1 : i64) : i64
  %null = llvm.mlir.zero : !llvm.ptr
  %fine = llvm.mlir.constant(0 : i32) : i32
  %bad = llvm.mlir.constant(1 : i32) : i32
  %first = llvm.getelementptr %frame[2] : (!llvm.ptr) -> !llvm.ptr, i64
  %size = llvm.call @PyList_Size(%list) : (!llvm.ptr) -> i64
  %same = llvm.icmp "eq" %size, %count : i64
  llvm.cond_br %same, ^header(%c0, %first : i64, !llvm.ptr), ^wrong
^wrong:
  %message = llvm.mlir.addressof @wrong_inputs : !llvm.ptr
  llvm.call @raise_type_error(%message) : (!llvm.ptr) -> ()
  llvm.return %bad : i32
^header(%i: i64, %place: !llvm.ptr):
  %more = llvm.icmp "slt" %i, %count : i64
  llvm.cond_br %more, ^item, ^done
^item:
  %object = llvm.call @PyList_GetItem(%list, %i) : (!llvm.ptr, i64) -> !llvm.ptr
  %kind_at = llvm.getelementptr %kinds[%i] : (!llvm.ptr, i64) -> !llvm.ptr, i64
  %kind = llvm.load %kind_at : !llvm.ptr -> i64
  %number = llvm.icmp "eq" %kind, %c0 : i64
  llvm.cond_br %number, ^number, ^object
^object:
  %tensor = llvm.icmp "eq" %kind, %c1 : i64
  llvm.cond_br %tensor, ^tensor, ^next
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
  %following = llvm.getelementptr %place[4] : (!llvm.ptr) -> !llvm.ptr, i64
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

// Sees to it that nobody else holds inputs that the call will write: the list gets copies, which Python's callable 6 makes, of those whose
// object, tensor or memory has other references. numbers: [count, input...]. With the GIL.
llvm.func @mlirind_host_own(%frame: !llvm.ptr, %self: !llvm.ptr, %list: !llvm.ptr, %numbers: !llvm.ptr) -> i32 {
  %c1 = llvm.mlir.constant(1 : i64) : i64
  %c2 = llvm.mlir.constant(2 : i64) : i64
  %c4 = llvm.mlir.constant(4 : i64) : i64
  %c6 = llvm.mlir.constant(6 : i64) : i64
  %null = llvm.mlir.zero : !llvm.ptr
  %fine = llvm.mlir.constant(0 : i32) : i32
  %bad = llvm.mlir.constant(1 : i32) : i32
  %count = llvm.load %numbers : !llvm.ptr -> i64
  %arguments = llvm.alloca %c1 x !llvm.ptr : (i64) -> !llvm.ptr
  llvm.br ^header(%c1 : i64)
^header(%i: i64):
  %more = llvm.icmp "sle" %i, %count : i64
  llvm.cond_br %more, ^input, ^done(%fine : i32)
^input:
  %index_at = llvm.getelementptr %numbers[%i] : (!llvm.ptr, i64) -> !llvm.ptr, i64
  %index = llvm.load %index_at : !llvm.ptr -> i64
  %words = llvm.mul %index, %c4 : i64
  %word = llvm.add %words, %c2 : i64
  %place = llvm.getelementptr %frame[%word] : (!llvm.ptr, i64) -> !llvm.ptr, i64
  %handle = llvm.load %place : !llvm.ptr -> !llvm.ptr
  %object = llvm.call @PyList_GetItem(%list, %index) : (!llvm.ptr, i64) -> !llvm.ptr
  %next = llvm.add %i, %c1 : i64
  %ours = llvm.call @has_one_holder(%object, %handle) : (!llvm.ptr, !llvm.ptr) -> i1
  llvm.cond_br %ours, ^header(%next : i64), ^copy
^copy:
  llvm.store %object, %arguments : !llvm.ptr, !llvm.ptr
  %function = llvm.call @PyTuple_GetItem(%self, %c6) : (!llvm.ptr, i64) -> !llvm.ptr
  %copy = llvm.call @PyObject_Vectorcall(%function, %arguments, %c1, %null) : (!llvm.ptr, !llvm.ptr, i64, !llvm.ptr) -> !llvm.ptr
  %raised = llvm.icmp "eq" %copy, %null : !llvm.ptr
  llvm.cond_br %raised, ^done(%bad : i32), ^put
^put:
  %new = llvm.call @handle_of(%copy) : (!llvm.ptr) -> !llvm.ptr
  llvm.store %new, %place : !llvm.ptr, !llvm.ptr
  %0 = llvm.call @PyList_SetItem(%list, %index, %copy) : (!llvm.ptr, i64, !llvm.ptr) -> i32
  llvm.br ^header(%next : i64)
^done(%code: i32):
  llvm.return %code : i32
}

// Whether one reference leads to an object, one to its tensor, and one to the tensor's memory.
llvm.func internal @has_one_holder(%object: !llvm.ptr, %handle: !llvm.ptr) -> i1 {
  %one = llvm.mlir.constant(1 : i64) : i64
  %one32 = llvm.mlir.constant(1 : i32) : i32
  %c10 = llvm.mlir.constant(10 : i64) : i64
  %c11 = llvm.mlir.constant(11 : i64) : i64
  %storage_offset = llvm.call @constant(%c10) : (i64) -> !llvm.ptr
  %count_offset = llvm.call @constant(%c11) : (i64) -> !llvm.ptr
  %storage_at = llvm.ptrtoint %storage_offset : !llvm.ptr to i64
  %count_at = llvm.ptrtoint %count_offset : !llvm.ptr to i64
  %tensor = llvm.load %handle : !llvm.ptr -> !llvm.ptr
  %storage_place = llvm.getelementptr %tensor[%storage_at] : (!llvm.ptr, i64) -> !llvm.ptr, i8
  %storage = llvm.load %storage_place : !llvm.ptr -> !llvm.ptr
  %tensor_count_place = llvm.getelementptr %tensor[%count_at] : (!llvm.ptr, i64) -> !llvm.ptr, i8
  %storage_count_place = llvm.getelementptr %storage[%count_at] : (!llvm.ptr, i64) -> !llvm.ptr, i8
  %objects = llvm.load %object : !llvm.ptr -> i64
  %tensors = llvm.load %tensor_count_place : !llvm.ptr -> i32
  %storages = llvm.load %storage_count_place : !llvm.ptr -> i32
  %a = llvm.icmp "eq" %objects, %one : i64
  %b = llvm.icmp "eq" %tensors, %one32 : i32
  %c = llvm.icmp "eq" %storages, %one32 : i32
  %ab = llvm.and %a, %b : i1
  %abc = llvm.and %ab, %c : i1
  llvm.return %abc : i1
}

// Makes inputs handles of our own and takes them out of the list: they can die before the call ends. numbers: [count, input...]. With the GIL.
llvm.func @mlirind_host_take(%frame: !llvm.ptr, %list: !llvm.ptr, %numbers: !llvm.ptr) {
  %c0 = llvm.mlir.constant(0 : i64) : i64
  %c1 = llvm.mlir.constant(1 : i64) : i64
  %c2 = llvm.mlir.constant(2 : i64) : i64
  %c4 = llvm.mlir.constant(4 : i64) : i64
  %null = llvm.mlir.zero : !llvm.ptr
  %count = llvm.load %numbers : !llvm.ptr -> i64
  %none = llvm.call @constant(%c1) : (i64) -> !llvm.ptr
  llvm.br ^header(%c1 : i64)
^header(%i: i64):
  %more = llvm.icmp "sle" %i, %count : i64
  llvm.cond_br %more, ^input, ^done
^input:
  %index_at = llvm.getelementptr %numbers[%i] : (!llvm.ptr, i64) -> !llvm.ptr, i64
  %index = llvm.load %index_at : !llvm.ptr -> i64
  %words = llvm.mul %index, %c4 : i64
  %word = llvm.add %words, %c2 : i64
  %place = llvm.getelementptr %frame[%word] : (!llvm.ptr, i64) -> !llvm.ptr, i64
  %handle = llvm.load %place : !llvm.ptr -> !llvm.ptr
  llvm.store %null, %place : !llvm.ptr, !llvm.ptr
  %0 = llvm.call @aoti_torch_new_tensor_handle(%handle, %place) : (!llvm.ptr, !llvm.ptr) -> i32
  llvm.call @Py_IncRef(%none) : (!llvm.ptr) -> ()
  %1 = llvm.call @PyList_SetItem(%list, %index, %none) : (!llvm.ptr, i64, !llvm.ptr) -> i32
  %next = llvm.add %i, %c1 : i64
  llvm.br ^header(%next : i64)
^done:
  llvm.return
}

// The word of the frame that word `index` of a step names.
llvm.func internal @named(%frame: !llvm.ptr, %step: !llvm.ptr, %index: i64) -> !llvm.ptr {
  %at = llvm.getelementptr %step[%index] : (!llvm.ptr, i64) -> !llvm.ptr, i64
  %word = llvm.load %at : !llvm.ptr -> i64
  %place = llvm.getelementptr %frame[%word] : (!llvm.ptr, i64) -> !llvm.ptr, i64
  llvm.return %place : !llvm.ptr
}

// 1, a new tensor: [.., slot, dtype, device type, device index, sizes..., strides...]; the word behind the slot gets its data. Where that fails,
// Python's callable 1 repeats it, for its exception.
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

// Calls Python's callable of this number with tensors (None for null) and integers. It gives a tuple of as many tensors (or None) as there
// are `results`, slots whose former content is dropped. Without the GIL. A C function of libtorch that failed because Python raised (under a
// dispatch mode) has left the exception: Python does the same again now, and raises it again.
llvm.func internal @callback(%frame: !llvm.ptr, %callable: i64, %tensors: !llvm.ptr, %tensor_count: i64, %integers: !llvm.ptr, %integer_count: i64, %results: !llvm.ptr, %result_count: i64) -> i32 {
  %c0 = llvm.mlir.constant(0 : i64) : i64
  %c1 = llvm.mlir.constant(1 : i64) : i64
  %null = llvm.mlir.zero : !llvm.ptr
  %fine = llvm.mlir.constant(0 : i32) : i32
  %bad = llvm.mlir.constant(1 : i32) : i32
  %state = llvm.load %frame : !llvm.ptr -> !llvm.ptr
  llvm.call @PyEval_RestoreThread(%state) : (!llvm.ptr) -> ()
  llvm.call @PyErr_Clear() : () -> ()
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
  llvm.call @drop(%slot) : (!llvm.ptr) -> ()
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

// The end of a call: the list of outputs, [kind, word] each; kind 0: the tensor of that word (None for null), 1: its integer, 2: None, 3: the
// number itself. Takes the GIL back, drops all slots, empties the list of inputs.
llvm.func @mlirind_host_finish(%frame: !llvm.ptr, %list: !llvm.ptr, %given: !llvm.ptr, %count: i64, %slots: !llvm.ptr, %slot_count: i64) -> !llvm.ptr {
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
  %twice = llvm.add %i, %i : i64
  %kind_at = llvm.getelementptr %given[%twice] : (!llvm.ptr, i64) -> !llvm.ptr, i64
  %word_at = llvm.getelementptr %kind_at[1] : (!llvm.ptr) -> !llvm.ptr, i64
  %kind = llvm.load %kind_at : !llvm.ptr -> i64
  %word = llvm.load %word_at : !llvm.ptr -> i64
  %place = llvm.getelementptr %frame[%word] : (!llvm.ptr, i64) -> !llvm.ptr, i64
  llvm.switch %kind : i64, ^none [0: ^tensor, 1: ^integer, 3: ^number(%word : i64)]
^tensor:
  %handle = llvm.load %place : !llvm.ptr -> !llvm.ptr
  %object = llvm.call @wrap(%handle) : (!llvm.ptr) -> !llvm.ptr
  llvm.br ^set(%object : !llvm.ptr)
^none:
  %nothing = llvm.call @wrap(%null) : (!llvm.ptr) -> !llvm.ptr
  llvm.br ^set(%nothing : !llvm.ptr)
^integer:
  %value = llvm.load %place : !llvm.ptr -> i64
  llvm.br ^number(%value : i64)
^number(%n: i64):
  %integer = llvm.call @PyLong_FromLongLong(%n) : (i64) -> !llvm.ptr
  llvm.br ^set(%integer : !llvm.ptr)
^set(%item: !llvm.ptr):
  %0 = llvm.call @PyList_SetItem(%outputs, %i, %item) : (!llvm.ptr, i64, !llvm.ptr) -> i32
  %next = llvm.add %i, %c1 : i64
  llvm.br ^header(%next : i64)
^clean:
  llvm.call @drop_all(%frame, %slots, %slot_count) : (!llvm.ptr, !llvm.ptr, i64) -> ()
  %1 = llvm.call @PyList_SetSlice(%list, %c0, %most, %null) : (!llvm.ptr, i64, i64, !llvm.ptr) -> i32
  llvm.return %outputs : !llvm.ptr
}

// The end of a call that raises.
llvm.func @mlirind_host_fail(%frame: !llvm.ptr, %slots: !llvm.ptr, %slot_count: i64) -> !llvm.ptr {
  %null = llvm.mlir.zero : !llvm.ptr
  %state = llvm.load %frame : !llvm.ptr -> !llvm.ptr
  llvm.call @PyEval_RestoreThread(%state) : (!llvm.ptr) -> ()
  llvm.call @drop_all(%frame, %slots, %slot_count) : (!llvm.ptr, !llvm.ptr, i64) -> ()
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

// The variant of a kernel for arguments of which `mask` says, bit by bit, which are no multiples of 16; null where it is not loaded.
// record: see `mlirind_host_launch`.
llvm.func internal @variant(%record: !llvm.ptr, %mask: i64) -> !llvm.ptr {
  %c0 = llvm.mlir.constant(0 : i64) : i64
  %c1 = llvm.mlir.constant(1 : i64) : i64
  %c3 = llvm.mlir.constant(3 : i64) : i64
  %null = llvm.mlir.zero : !llvm.ptr
  %functions_at = llvm.getelementptr %record[2] : (!llvm.ptr) -> !llvm.ptr, i64
  %count_at = llvm.getelementptr %record[3] : (!llvm.ptr) -> !llvm.ptr, i64
  %first = llvm.getelementptr %record[4] : (!llvm.ptr) -> !llvm.ptr, i64
  %functions = llvm.load %functions_at : !llvm.ptr -> i64
  %count = llvm.load %count_at : !llvm.ptr -> i64
  %facts = llvm.mul %functions, %c3 : i64
  %width = llvm.add %facts, %c1 : i64
  llvm.br ^header(%c0, %first : i64, !llvm.ptr)
^header(%i: i64, %row: !llvm.ptr):
  %more = llvm.icmp "slt" %i, %count : i64
  llvm.cond_br %more, ^row, ^none
^row:
  %of = llvm.load %row : !llvm.ptr -> i64
  %same = llvm.icmp "eq" %of, %mask : i64
  %next = llvm.add %i, %c1 : i64
  %following = llvm.getelementptr %row[%width] : (!llvm.ptr, i64) -> !llvm.ptr, i64
  llvm.cond_br %same, ^found, ^header(%next, %following : i64, !llvm.ptr)
^found:
  llvm.return %row : !llvm.ptr
^none:
  llvm.return %null : !llvm.ptr
}

// Launches a kernel on a GPU. record: [address of cuLaunchKernel, number of arguments, of launches, of variants, then
// variants: mask, and (function, bytes of shared memory, threads) for each launch]. words: [a status, the stream, pointers..., other
// arguments..., four nulls]; grids: the number of programs of each launch. Where it can't, Python's callable gets the status (-1: the
// variant is not loaded), the stream and the arguments: it launches, or raises.
llvm.func @mlirind_host_launch(%frame: !llvm.ptr, %record: !llvm.ptr, %callable: i64, %words: !llvm.ptr, %grids: !llvm.ptr) -> i32 {
  %c0 = llvm.mlir.constant(0 : i64) : i64
  %c1 = llvm.mlir.constant(1 : i64) : i64
  %c2 = llvm.mlir.constant(2 : i64) : i64
  %c4 = llvm.mlir.constant(4 : i64) : i64
  %c15 = llvm.mlir.constant(15 : i64) : i64
  %one = llvm.mlir.constant(1 : i32) : i32
  %fine = llvm.mlir.constant(0 : i32) : i32
  %unknown = llvm.mlir.constant(-1 : i32) : i32
  %null = llvm.mlir.zero : !llvm.ptr
  %arguments_at = llvm.getelementptr %record[1] : (!llvm.ptr) -> !llvm.ptr, i64
  %launches_at = llvm.getelementptr %record[2] : (!llvm.ptr) -> !llvm.ptr, i64
  %launch = llvm.load %record : !llvm.ptr -> !llvm.ptr
  %arguments = llvm.load %arguments_at : !llvm.ptr -> i64
  %launches = llvm.load %launches_at : !llvm.ptr -> i64
  %stream_at = llvm.getelementptr %words[1] : (!llvm.ptr) -> !llvm.ptr, i64
  %stream = llvm.load %stream_at : !llvm.ptr -> !llvm.ptr
  %values = llvm.getelementptr %words[2] : (!llvm.ptr) -> !llvm.ptr, i64
  %count = llvm.add %arguments, %c4 : i64
  %addresses = llvm.alloca %count x !llvm.ptr : (i64) -> !llvm.ptr
  llvm.br ^value(%c0, %c0 : i64, i64)
^value(%i: i64, %mask: i64):
  %more_values = llvm.icmp "slt" %i, %count : i64
  llvm.cond_br %more_values, ^address, ^look_up
^address:
  %value_at = llvm.getelementptr %values[%i] : (!llvm.ptr, i64) -> !llvm.ptr, i64
  %address_at = llvm.getelementptr %addresses[%i] : (!llvm.ptr, i64) -> !llvm.ptr, i64
  llvm.store %value_at, %address_at : !llvm.ptr, !llvm.ptr
  %i1 = llvm.add %i, %c1 : i64
  %is_argument = llvm.icmp "slt" %i, %arguments : i64
  llvm.cond_br %is_argument, ^argument, ^value(%i1, %mask : i64, i64)
^argument:
  %value = llvm.load %value_at : !llvm.ptr -> i64
  %rest = llvm.and %value, %c15 : i64
  %odd = llvm.icmp "ne" %rest, %c0 : i64
  %digit = llvm.zext %odd : i1 to i64
  %bit = llvm.shl %digit, %i : i64
  %masked = llvm.or %mask, %bit : i64
  llvm.br ^value(%i1, %masked : i64, i64)
^look_up:
  %row = llvm.call @variant(%record, %mask) : (!llvm.ptr, i64) -> !llvm.ptr
  %missing = llvm.icmp "eq" %row, %null : !llvm.ptr
  %facts = llvm.getelementptr %row[1] : (!llvm.ptr) -> !llvm.ptr, i64
  llvm.cond_br %missing, ^python(%unknown : i32), ^launches(%c0, %facts : i64, !llvm.ptr)
^launches(%n: i64, %fact: !llvm.ptr):
  %more = llvm.icmp "slt" %n, %launches : i64
  llvm.cond_br %more, ^grid, ^done
^grid:
  %grid_at = llvm.getelementptr %grids[%n] : (!llvm.ptr, i64) -> !llvm.ptr, i64
  %wide = llvm.load %grid_at : !llvm.ptr -> i64
  %next = llvm.add %n, %c1 : i64
  %following = llvm.getelementptr %fact[3] : (!llvm.ptr) -> !llvm.ptr, i64
  %empty = llvm.icmp "eq" %wide, %c0 : i64
  llvm.cond_br %empty, ^launches(%next, %following : i64, !llvm.ptr), ^launch
^launch:
  %shared_at = llvm.getelementptr %fact[1] : (!llvm.ptr) -> !llvm.ptr, i64
  %threads_at = llvm.getelementptr %fact[2] : (!llvm.ptr) -> !llvm.ptr, i64
  %function = llvm.load %fact : !llvm.ptr -> !llvm.ptr
  %shared = llvm.load %shared_at : !llvm.ptr -> i32
  %threads = llvm.load %threads_at : !llvm.ptr -> i32
  %grid = llvm.trunc %wide : i64 to i32
  %status = llvm.call %launch(%function, %grid, %one, %one, %threads, %one, %one, %shared, %stream, %addresses, %null) : !llvm.ptr, (!llvm.ptr, i32, i32, i32, i32, i32, i32, i32, !llvm.ptr, !llvm.ptr, !llvm.ptr) -> i32
  %ok = llvm.icmp "eq" %status, %fine : i32
  llvm.cond_br %ok, ^launches(%next, %following : i64, !llvm.ptr), ^python(%status : i32)
^python(%code: i32):
  %reason = llvm.sext %code : i32 to i64
  llvm.store %reason, %words : i64, !llvm.ptr
  %integers = llvm.add %arguments, %c2 : i64
  %result = llvm.call @callback(%frame, %callable, %null, %c0, %words, %integers, %null, %c0) : (!llvm.ptr, i64, !llvm.ptr, i64, !llvm.ptr, i64, !llvm.ptr, i64) -> i32
  llvm.return %result : i32
^done:
  llvm.return %fine : i32
}
