// What the native function of every graph calls, once in a process, where Python calls it: inputs from its objects, results to them, and its
// functions for what native code can't do. `runtime/host/native_runner.py` compiles it with `steps.mlir`, which describes frames and steps;
// docs/host.md describes the life of a call. Statuses: 0 fine, 1 a Python exception is set.

llvm.mlir.global internal @setup(dense<0> : tensor<15xi64>) {alignment = 8 : i64} : !llvm.array<15 x i64>

// libtorch_python
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
  %objects = llvm.load %object : !llvm.ptr -> i64
  %a = llvm.icmp "eq" %objects, %one : i64
  %b = llvm.call @has_one_handle(%handle) : (!llvm.ptr) -> i1
  %both = llvm.and %a, %b : i1
  llvm.return %both : i1
}

// Whether one reference leads to a handle's tensor, and one to the tensor's memory.
llvm.func internal @has_one_handle(%handle: !llvm.ptr) -> i1 {
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
  %tensors = llvm.load %tensor_count_place : !llvm.ptr -> i32
  %storages = llvm.load %storage_count_place : !llvm.ptr -> i32
  %b = llvm.icmp "eq" %tensors, %one32 : i32
  %c = llvm.icmp "eq" %storages, %one32 : i32
  %both = llvm.and %b, %c : i1
  llvm.return %both : i1
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
// arguments..., four nulls]; all arguments from number 62 on share bit 62 of a mask; grids: the number of programs of each launch. Where it can't, Python's callable gets the status (-1: the
// variant is not loaded), the stream and the arguments: it launches, or raises.
llvm.func @mlirind_host_launch(%frame: !llvm.ptr, %record: !llvm.ptr, %callable: i64, %words: !llvm.ptr, %grids: !llvm.ptr) -> i32 {
  %c0 = llvm.mlir.constant(0 : i64) : i64
  %c1 = llvm.mlir.constant(1 : i64) : i64
  %c2 = llvm.mlir.constant(2 : i64) : i64
  %c4 = llvm.mlir.constant(4 : i64) : i64
  %c15 = llvm.mlir.constant(15 : i64) : i64
  %c62 = llvm.mlir.constant(62 : i64) : i64
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
  %place = llvm.intr.smin(%i, %c62) : (i64, i64) -> i64
  %bit = llvm.shl %digit, %place : i64
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
