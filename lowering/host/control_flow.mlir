// Calls of compiled bodies: the branches of `cond`, the bodies of `while_loop`, `scan` and `map`. A graph that Python calls has them from
// here; `runtime/host/native_runner.py` compiles this file with `steps.mlir` and `support.mlir`.
//
// A body is a function (record, thread state, inputs, results) -> status, made by `convert-body-to-llvm`. record: [address of the function,
// tuple of its Python callables, number of inputs, number of constants, handle of each constant]. inputs: handles and integers, borrowed.
// results: words that get owned handles; a tensor that is there before may become the result's memory: it has the layout of an earlier
// result of the same body, and nobody else holds it. Statuses: 0 fine, 1 a Python exception is set, 2 a kernel failed: Python repeats the
// whole operator, which raises the right exception.

llvm.func @aoti_torch_clone(!llvm.ptr, !llvm.ptr) -> i32
llvm.func @aoti_torch_device_type_cpu() -> i32
llvm.func @aoti_torch_item_bool(!llvm.ptr, !llvm.ptr) -> i32
llvm.func @PyErr_CheckSignals() -> i32
llvm.func @time(!llvm.ptr) -> i64

// The start of a body: its frame gets the thread state, the callables, the inputs and the constants.
llvm.func @mlirind_host_enter(%frame: !llvm.ptr, %record: !llvm.ptr, %state: !llvm.ptr, %inputs: !llvm.ptr) {
  %c0 = llvm.mlir.constant(0 : i64) : i64
  %c1 = llvm.mlir.constant(1 : i64) : i64
  %callables_at = llvm.getelementptr %record[1] : (!llvm.ptr) -> !llvm.ptr, i64
  %count_at = llvm.getelementptr %record[2] : (!llvm.ptr) -> !llvm.ptr, i64
  %constants_at = llvm.getelementptr %record[3] : (!llvm.ptr) -> !llvm.ptr, i64
  %constant = llvm.getelementptr %record[4] : (!llvm.ptr) -> !llvm.ptr, i64
  %own_at = llvm.getelementptr %frame[1] : (!llvm.ptr) -> !llvm.ptr, i64
  %first = llvm.getelementptr %frame[2] : (!llvm.ptr) -> !llvm.ptr, i64
  %callables = llvm.load %callables_at : !llvm.ptr -> !llvm.ptr
  %count = llvm.load %count_at : !llvm.ptr -> i64
  %constants = llvm.load %constants_at : !llvm.ptr -> i64
  llvm.store %state, %frame : !llvm.ptr, !llvm.ptr
  llvm.store %callables, %own_at : !llvm.ptr, !llvm.ptr
  %after = llvm.call @spread(%inputs, %count, %first) : (!llvm.ptr, i64, !llvm.ptr) -> !llvm.ptr
  %end = llvm.call @spread(%constant, %constants, %after) : (!llvm.ptr, i64, !llvm.ptr) -> !llvm.ptr
  llvm.return
}

// Copies words to places of inputs in a frame, from `place` on; the place after them.
llvm.func internal @spread(%words: !llvm.ptr, %count: i64, %place: !llvm.ptr) -> !llvm.ptr {
  %c0 = llvm.mlir.constant(0 : i64) : i64
  %c1 = llvm.mlir.constant(1 : i64) : i64
  llvm.br ^header(%c0, %place : i64, !llvm.ptr)
^header(%i: i64, %to: !llvm.ptr):
  %more = llvm.icmp "slt" %i, %count : i64
  llvm.cond_br %more, ^word, ^done
^word:
  %from = llvm.getelementptr %words[%i] : (!llvm.ptr, i64) -> !llvm.ptr, i64
  %word = llvm.load %from : !llvm.ptr -> i64
  llvm.store %word, %to : i64, !llvm.ptr
  %next = llvm.add %i, %c1 : i64
  %following = llvm.getelementptr %to[4] : (!llvm.ptr) -> !llvm.ptr, i64
  llvm.br ^header(%next, %following : i64, !llvm.ptr)
^done:
  llvm.return %to : !llvm.ptr
}

// The body's slots take tensors from its results, so that it need not allocate them; other tensors there are dropped. words: for each
// result the slot, or -1.
llvm.func @mlirind_host_given(%frame: !llvm.ptr, %results: !llvm.ptr, %words: !llvm.ptr, %count: i64) {
  %c0 = llvm.mlir.constant(0 : i64) : i64
  %c1 = llvm.mlir.constant(1 : i64) : i64
  %null = llvm.mlir.zero : !llvm.ptr
  llvm.br ^header(%c0 : i64)
^header(%i: i64):
  %more = llvm.icmp "slt" %i, %count : i64
  llvm.cond_br %more, ^result, ^done
^result:
  %word_at = llvm.getelementptr %words[%i] : (!llvm.ptr, i64) -> !llvm.ptr, i64
  %word = llvm.load %word_at : !llvm.ptr -> i64
  %result = llvm.getelementptr %results[%i] : (!llvm.ptr, i64) -> !llvm.ptr, i64
  %next = llvm.add %i, %c1 : i64
  %takes = llvm.icmp "sge" %word, %c0 : i64
  llvm.cond_br %takes, ^take, ^drop
^take:
  %handle = llvm.load %result : !llvm.ptr -> !llvm.ptr
  %slot = llvm.getelementptr %frame[%word] : (!llvm.ptr, i64) -> !llvm.ptr, i64
  llvm.store %handle, %slot : !llvm.ptr, !llvm.ptr
  llvm.store %null, %result : !llvm.ptr, !llvm.ptr
  llvm.br ^header(%next : i64)
^drop:
  llvm.call @drop(%result) : (!llvm.ptr) -> ()
  llvm.br ^header(%next : i64)
^done:
  llvm.return
}

// The end of a body: its results get handles of the tensors of these words, and all slots are dropped.
llvm.func @mlirind_host_leave(%frame: !llvm.ptr, %words: !llvm.ptr, %count: i64, %results: !llvm.ptr, %slots: !llvm.ptr, %slot_count: i64) {
  %c0 = llvm.mlir.constant(0 : i64) : i64
  %c1 = llvm.mlir.constant(1 : i64) : i64
  llvm.br ^header(%c0 : i64)
^header(%i: i64):
  %more = llvm.icmp "slt" %i, %count : i64
  llvm.cond_br %more, ^result, ^done
^result:
  %place = llvm.call @named(%frame, %words, %i) : (!llvm.ptr, !llvm.ptr, i64) -> !llvm.ptr
  %handle = llvm.load %place : !llvm.ptr -> !llvm.ptr
  %result = llvm.getelementptr %results[%i] : (!llvm.ptr, i64) -> !llvm.ptr, i64
  %0 = llvm.call @aoti_torch_new_tensor_handle(%handle, %result) : (!llvm.ptr, !llvm.ptr) -> i32
  %next = llvm.add %i, %c1 : i64
  llvm.br ^header(%next : i64)
^done:
  llvm.call @drop_all(%frame, %slots, %slot_count) : (!llvm.ptr, !llvm.ptr, i64) -> ()
  llvm.return
}

llvm.func internal @run_body(%frame: !llvm.ptr, %record: !llvm.ptr, %inputs: !llvm.ptr, %results: !llvm.ptr) -> i32 {
  %state = llvm.load %frame : !llvm.ptr -> !llvm.ptr
  %address = llvm.load %record : !llvm.ptr -> !llvm.ptr
  %status = llvm.call %address(%record, %state, %inputs, %results) : !llvm.ptr, (!llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr) -> i32
  llvm.return %status : i32
}

// Writes the truth of a tensor of one boolean, 0 or 1. On a GPU this waits for the boolean.
llvm.func internal @truth(%handle: !llvm.ptr, %place: !llvm.ptr) -> i32 {
  %c1 = llvm.mlir.constant(1 : i64) : i64
  %fine = llvm.mlir.constant(0 : i32) : i32
  %again = llvm.mlir.constant(2 : i32) : i32
  %slot = llvm.alloca %c1 x i64 : (i64) -> !llvm.ptr
  %cpu = llvm.call @aoti_torch_device_type_cpu() : () -> i32
  %0 = llvm.call @aoti_torch_get_device_type(%handle, %slot) : (!llvm.ptr, !llvm.ptr) -> i32
  %type = llvm.load %slot : !llvm.ptr -> i32
  %near = llvm.icmp "eq" %type, %cpu : i32
  llvm.cond_br %near, ^read, ^ask
^read:
  %1 = llvm.call @aoti_torch_get_data_ptr(%handle, %slot) : (!llvm.ptr, !llvm.ptr) -> i32
  %data = llvm.load %slot : !llvm.ptr -> !llvm.ptr
  %byte = llvm.load %data : !llvm.ptr -> i8
  llvm.store %byte, %place : i8, !llvm.ptr
  llvm.br ^done(%fine : i32)
^ask:
  %status = llvm.call @aoti_torch_item_bool(%handle, %place) : (!llvm.ptr, !llvm.ptr) -> i32
  %ok = llvm.icmp "eq" %status, %fine : i32
  %code = llvm.select %ok, %fine, %again : i1, i32
  llvm.br ^done(%code : i32)
^done(%given: i32):
  llvm.return %given : i32
}

llvm.func internal @is_set(%place: !llvm.ptr) -> i1 {
  %zero = llvm.mlir.constant(0 : i8) : i8
  %byte = llvm.load %place : !llvm.ptr -> i8
  %set = llvm.icmp "ne" %byte, %zero : i8
  llvm.return %set : i1
}

// Zeroed words; to be called in the entry block of a function that returns before its caller uses much stack.
llvm.func internal @clear(%words: !llvm.ptr, %count: i64) {
  %zero = llvm.mlir.constant(0 : i8) : i8
  %c8 = llvm.mlir.constant(8 : i64) : i64
  %bytes = llvm.mul %count, %c8 : i64
  "llvm.intr.memset"(%words, %zero, %bytes) <{isVolatile = false}> : (!llvm.ptr, i8, i64) -> ()
  llvm.return
}

// Drops handles in consecutive words.
llvm.func internal @drop_words(%words: !llvm.ptr, %count: i64) {
  %c0 = llvm.mlir.constant(0 : i64) : i64
  %c1 = llvm.mlir.constant(1 : i64) : i64
  llvm.br ^header(%c0 : i64)
^header(%i: i64):
  %more = llvm.icmp "slt" %i, %count : i64
  llvm.cond_br %more, ^word, ^done
^word:
  %word = llvm.getelementptr %words[%i] : (!llvm.ptr, i64) -> !llvm.ptr, i64
  llvm.call @drop(%word) : (!llvm.ptr) -> ()
  %next = llvm.add %i, %c1 : i64
  llvm.br ^header(%next : i64)
^done:
  llvm.return
}

// Moves handles to the words of the frame that `targets` names.
llvm.func internal @move_to(%frame: !llvm.ptr, %targets: !llvm.ptr, %handles: !llvm.ptr, %count: i64) {
  %c0 = llvm.mlir.constant(0 : i64) : i64
  %c1 = llvm.mlir.constant(1 : i64) : i64
  %null = llvm.mlir.zero : !llvm.ptr
  llvm.br ^header(%c0 : i64)
^header(%i: i64):
  %more = llvm.icmp "slt" %i, %count : i64
  llvm.cond_br %more, ^handle, ^done
^handle:
  %slot = llvm.call @named(%frame, %targets, %i) : (!llvm.ptr, !llvm.ptr, i64) -> !llvm.ptr
  %from = llvm.getelementptr %handles[%i] : (!llvm.ptr, i64) -> !llvm.ptr, i64
  %handle = llvm.load %from : !llvm.ptr -> !llvm.ptr
  llvm.store %handle, %slot : !llvm.ptr, !llvm.ptr
  llvm.store %null, %from : !llvm.ptr, !llvm.ptr
  %next = llvm.add %i, %c1 : i64
  llvm.br ^header(%next : i64)
^done:
  llvm.return
}

// The end of an operator: where a kernel failed, Python repeats the operator.
llvm.func internal @conclude(%frame: !llvm.ptr, %status: i32, %step: !llvm.ptr) -> i32 {
  %two = llvm.mlir.constant(2 : i32) : i32
  %again = llvm.icmp "eq" %status, %two : i32
  llvm.cond_br %again, ^again, ^done(%status : i32)
^again:
  %length_at = llvm.getelementptr %step[1] : (!llvm.ptr) -> !llvm.ptr, i64
  %length = llvm.load %length_at : !llvm.ptr -> i64
  %code = llvm.call @step(%frame, %step, %length) : (!llvm.ptr, !llvm.ptr, i64) -> i32
  llvm.br ^done(%code : i32)
^done(%given: i32):
  llvm.return %given : i32
}

// `cond`. numbers: [number of results, target of each]; step: the call of Python that does the same.
llvm.func @mlirind_host_cond(%frame: !llvm.ptr, %predicate: !llvm.ptr, %true: !llvm.ptr, %false: !llvm.ptr, %inputs: !llvm.ptr, %numbers: !llvm.ptr, %step: !llvm.ptr) -> i32 {
  %c1 = llvm.mlir.constant(1 : i64) : i64
  %fine = llvm.mlir.constant(0 : i32) : i32
  %count = llvm.load %numbers : !llvm.ptr -> i64
  %targets = llvm.getelementptr %numbers[1] : (!llvm.ptr) -> !llvm.ptr, i64
  %results = llvm.alloca %count x !llvm.ptr : (i64) -> !llvm.ptr
  %byte = llvm.alloca %c1 x i8 : (i64) -> !llvm.ptr
  llvm.call @clear(%results, %count) : (!llvm.ptr, i64) -> ()
  %asked = llvm.call @truth(%predicate, %byte) : (!llvm.ptr, !llvm.ptr) -> i32
  %known = llvm.icmp "eq" %asked, %fine : i32
  llvm.cond_br %known, ^run, ^done(%asked : i32)
^run:
  %holds = llvm.call @is_set(%byte) : (!llvm.ptr) -> i1
  %body = llvm.select %holds, %true, %false : i1, !llvm.ptr
  %ran = llvm.call @run_body(%frame, %body, %inputs, %results) : (!llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr) -> i32
  %ok = llvm.icmp "eq" %ran, %fine : i32
  llvm.cond_br %ok, ^move, ^done(%ran : i32)
^move:
  llvm.call @move_to(%frame, %targets, %results, %count) : (!llvm.ptr, !llvm.ptr, !llvm.ptr, i64) -> ()
  llvm.br ^done(%fine : i32)
^done(%status: i32):
  %code = llvm.call @conclude(%frame, %status, %step) : (!llvm.ptr, i32, !llvm.ptr) -> i32
  llvm.return %code : i32
}

// Whether a handle is the only one of its tensor, and the tensor the only one of its memory; no where that is not known.
llvm.func internal @is_sole(%handle: !llvm.ptr) -> i1 {
  %c0 = llvm.mlir.constant(0 : i64) : i64
  %c10 = llvm.mlir.constant(10 : i64) : i64
  %false = llvm.mlir.constant(false) : i1
  %offset = llvm.call @constant(%c10) : (i64) -> !llvm.ptr
  %number = llvm.ptrtoint %offset : !llvm.ptr to i64
  %known = llvm.icmp "ne" %number, %c0 : i64
  llvm.cond_br %known, ^ask, ^done(%false : i1)
^ask:
  %sole = llvm.call @has_one_handle(%handle) : (!llvm.ptr) -> i1
  llvm.br ^done(%sole : i1)
^done(%is: i1):
  llvm.return %is : i1
}

// After a step of a loop: the results become the carried values. A carried value before that only the loop holds (`own`) is left where the
// next step puts its result, if nobody else has a reference to it.
llvm.func internal @rotate(%carries: !llvm.ptr, %results: !llvm.ptr, %count: i64, %own: i1) {
  %c0 = llvm.mlir.constant(0 : i64) : i64
  %c1 = llvm.mlir.constant(1 : i64) : i64
  %null = llvm.mlir.zero : !llvm.ptr
  llvm.br ^header(%c0 : i64)
^header(%i: i64):
  %more = llvm.icmp "slt" %i, %count : i64
  llvm.cond_br %more, ^carry, ^done
^carry:
  %next = llvm.add %i, %c1 : i64
  %carry = llvm.getelementptr %carries[%i] : (!llvm.ptr, i64) -> !llvm.ptr, i64
  %result = llvm.getelementptr %results[%i] : (!llvm.ptr, i64) -> !llvm.ptr, i64
  %old = llvm.load %carry : !llvm.ptr -> !llvm.ptr
  %new = llvm.load %result : !llvm.ptr -> !llvm.ptr
  llvm.store %new, %carry : !llvm.ptr, !llvm.ptr
  llvm.store %null, %result : !llvm.ptr, !llvm.ptr
  llvm.cond_br %own, ^own, ^header(%next : i64)
^own:
  llvm.store %old, %result : !llvm.ptr, !llvm.ptr
  %sole = llvm.call @is_sole(%old) : (!llvm.ptr) -> i1
  llvm.cond_br %sole, ^header(%next : i64), ^drop
^drop:
  llvm.call @drop(%result) : (!llvm.ptr) -> ()
  llvm.br ^header(%next : i64)
^done:
  llvm.return
}

// Copies of the carried values of a loop that made no step: results share no memory with inputs.
llvm.func internal @copy_words(%words: !llvm.ptr, %count: i64) -> i32 {
  %c0 = llvm.mlir.constant(0 : i64) : i64
  %c1 = llvm.mlir.constant(1 : i64) : i64
  %fine = llvm.mlir.constant(0 : i32) : i32
  %null = llvm.mlir.zero : !llvm.ptr
  %again = llvm.mlir.constant(2 : i32) : i32
  llvm.br ^header(%c0 : i64)
^header(%i: i64):
  %more = llvm.icmp "slt" %i, %count : i64
  llvm.cond_br %more, ^word, ^done(%fine : i32)
^word:
  %word = llvm.getelementptr %words[%i] : (!llvm.ptr, i64) -> !llvm.ptr, i64
  %old = llvm.load %word : !llvm.ptr -> !llvm.ptr
  llvm.store %null, %word : !llvm.ptr, !llvm.ptr
  %status = llvm.call @aoti_torch_clone(%old, %word) : (!llvm.ptr, !llvm.ptr) -> i32
  %ok = llvm.icmp "eq" %status, %fine : i32
  %next = llvm.add %i, %c1 : i64
  llvm.cond_br %ok, ^header(%next : i64), ^failed(%i : i64)
^failed(%made: i64):
  llvm.call @drop_words(%words, %made) : (!llvm.ptr, i64) -> ()
  llvm.br ^done(%again : i32)
^done(%code: i32):
  llvm.return %code : i32
}

// Lets Python handle signals, such as an interrupt, if the clock's second is not the one at `second_at`. Without the GIL.
llvm.func internal @handle_signals(%frame: !llvm.ptr, %second_at: !llvm.ptr) -> i32 {
  %fine = llvm.mlir.constant(0 : i32) : i32
  %bad = llvm.mlir.constant(1 : i32) : i32
  %null = llvm.mlir.zero : !llvm.ptr
  %now = llvm.call @time(%null) : (!llvm.ptr) -> i64
  %then = llvm.load %second_at : !llvm.ptr -> i64
  %same = llvm.icmp "eq" %now, %then : i64
  llvm.cond_br %same, ^done(%fine : i32), ^ask
^ask:
  llvm.store %now, %second_at : i64, !llvm.ptr
  %state = llvm.load %frame : !llvm.ptr -> !llvm.ptr
  llvm.call @PyEval_RestoreThread(%state) : (!llvm.ptr) -> ()
  %raised = llvm.call @PyErr_CheckSignals() : () -> i32
  %saved = llvm.call @PyEval_SaveThread() : () -> !llvm.ptr
  llvm.store %saved, %frame : !llvm.ptr, !llvm.ptr
  %quiet = llvm.icmp "eq" %raised, %fine : i32
  llvm.cond_br %quiet, ^done(%fine : i32), ^done(%bad : i32)
^done(%code: i32):
  llvm.return %code : i32
}

// `while_loop`. inputs: the carried values, which the loop replaces, and the others. numbers and step: as for `cond`, one result for each
// carried value.
llvm.func @mlirind_host_while(%frame: !llvm.ptr, %condition: !llvm.ptr, %body: !llvm.ptr, %inputs: !llvm.ptr, %numbers: !llvm.ptr, %step: !llvm.ptr) -> i32 {
  %c0 = llvm.mlir.constant(0 : i64) : i64
  %c1 = llvm.mlir.constant(1 : i64) : i64
  %fine = llvm.mlir.constant(0 : i32) : i32
  %null = llvm.mlir.zero : !llvm.ptr
  %true = llvm.mlir.constant(true) : i1
  %false = llvm.mlir.constant(false) : i1
  %count = llvm.load %numbers : !llvm.ptr -> i64
  %targets = llvm.getelementptr %numbers[1] : (!llvm.ptr) -> !llvm.ptr, i64
  %results = llvm.alloca %count x !llvm.ptr : (i64) -> !llvm.ptr
  %flag = llvm.alloca %c1 x !llvm.ptr : (i64) -> !llvm.ptr
  %second = llvm.alloca %c1 x i64 : (i64) -> !llvm.ptr
  %byte = llvm.alloca %c1 x i8 : (i64) -> !llvm.ptr
  llvm.call @clear(%results, %count) : (!llvm.ptr, i64) -> ()
  llvm.store %null, %flag : !llvm.ptr, !llvm.ptr
  %now = llvm.call @time(%null) : (!llvm.ptr) -> i64
  llvm.store %now, %second : i64, !llvm.ptr
  llvm.br ^header(%false : i1)
^header(%own: i1):
  %asked = llvm.call @run_body(%frame, %condition, %inputs, %flag) : (!llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr) -> i32
  %known = llvm.icmp "eq" %asked, %fine : i32
  llvm.cond_br %known, ^test, ^failed(%own, %asked : i1, i32)
^test:
  %answer = llvm.load %flag : !llvm.ptr -> !llvm.ptr
  %read = llvm.call @truth(%answer, %byte) : (!llvm.ptr, !llvm.ptr) -> i32
  %told = llvm.icmp "eq" %read, %fine : i32
  llvm.cond_br %told, ^hold, ^failed(%own, %read : i1, i32)
^hold:
  %holds = llvm.call @is_set(%byte) : (!llvm.ptr) -> i1
  %alone = llvm.call @is_sole(%answer) : (!llvm.ptr) -> i1
  llvm.cond_br %alone, ^go, ^forget
^forget:
  llvm.call @drop(%flag) : (!llvm.ptr) -> ()
  llvm.br ^go
^go:
  llvm.cond_br %holds, ^body, ^end
^body:
  %ran = llvm.call @run_body(%frame, %body, %inputs, %results) : (!llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr) -> i32
  %ok = llvm.icmp "eq" %ran, %fine : i32
  llvm.cond_br %ok, ^next, ^failed(%own, %ran : i1, i32)
^next:
  llvm.call @rotate(%inputs, %results, %count, %own) : (!llvm.ptr, !llvm.ptr, i64, i1) -> ()
  %signal = llvm.call @handle_signals(%frame, %second) : (!llvm.ptr, !llvm.ptr) -> i32
  %quiet = llvm.icmp "eq" %signal, %fine : i32
  llvm.cond_br %quiet, ^header(%true : i1), ^failed(%true, %signal : i1, i32)
^end:
  llvm.cond_br %own, ^move, ^copy
^copy:
  %copied = llvm.call @copy_words(%inputs, %count) : (!llvm.ptr, i64) -> i32
  %complete = llvm.icmp "eq" %copied, %fine : i32
  llvm.cond_br %complete, ^move, ^failed(%false, %copied : i1, i32)
^move:
  llvm.call @move_to(%frame, %targets, %inputs, %count) : (!llvm.ptr, !llvm.ptr, !llvm.ptr, i64) -> ()
  llvm.br ^clean(%fine : i32)
^failed(%owned: i1, %reason: i32):
  llvm.cond_br %owned, ^drop, ^clean(%reason : i32)
^drop:
  llvm.call @drop_words(%inputs, %count) : (!llvm.ptr, i64) -> ()
  llvm.br ^clean(%reason : i32)
^clean(%status: i32):
  llvm.call @drop_words(%results, %count) : (!llvm.ptr, i64) -> ()
  llvm.call @drop(%flag) : (!llvm.ptr) -> ()
  %code = llvm.call @conclude(%frame, %status, %step) : (!llvm.ptr, i32, !llvm.ptr) -> i32
  llvm.return %code : i32
}

// A view of a tensor at an index of its first dimension.
llvm.func internal @slice(%tensor: !llvm.ptr, %index: i64, %place: !llvm.ptr) -> i32 {
  %c1 = llvm.mlir.constant(1 : i64) : i64
  %slot = llvm.alloca %c1 x i64 : (i64) -> !llvm.ptr
  %0 = llvm.call @aoti_torch_get_dim(%tensor, %slot) : (!llvm.ptr, !llvm.ptr) -> i32
  %rank = llvm.load %slot : !llvm.ptr -> i64
  %1 = llvm.call @aoti_torch_get_sizes(%tensor, %slot) : (!llvm.ptr, !llvm.ptr) -> i32
  %sizes = llvm.load %slot : !llvm.ptr -> !llvm.ptr
  %2 = llvm.call @aoti_torch_get_strides(%tensor, %slot) : (!llvm.ptr, !llvm.ptr) -> i32
  %strides = llvm.load %slot : !llvm.ptr -> !llvm.ptr
  %stride = llvm.load %strides : !llvm.ptr -> i64
  %offset = llvm.mul %index, %stride : i64
  %rest = llvm.sub %rank, %c1 : i64
  %inner_sizes = llvm.getelementptr %sizes[1] : (!llvm.ptr) -> !llvm.ptr, i64
  %inner_strides = llvm.getelementptr %strides[1] : (!llvm.ptr) -> !llvm.ptr, i64
  %status = llvm.call @aoti_torch__reinterpret_tensor(%tensor, %rest, %inner_sizes, %inner_strides, %offset, %place) : (!llvm.ptr, i64, !llvm.ptr, !llvm.ptr, i64, !llvm.ptr) -> i32
  llvm.return %status : i32
}

// Slices of `count` tensors, as inputs of a body.
llvm.func internal @slices(%tensors: !llvm.ptr, %count: i64, %index: i64, %places: !llvm.ptr) -> i32 {
  %c0 = llvm.mlir.constant(0 : i64) : i64
  %c1 = llvm.mlir.constant(1 : i64) : i64
  %fine = llvm.mlir.constant(0 : i32) : i32
  %again = llvm.mlir.constant(2 : i32) : i32
  llvm.br ^header(%c0 : i64)
^header(%i: i64):
  %more = llvm.icmp "slt" %i, %count : i64
  llvm.cond_br %more, ^tensor, ^done(%fine : i32)
^tensor:
  %tensor_at = llvm.getelementptr %tensors[%i] : (!llvm.ptr, i64) -> !llvm.ptr, i64
  %place = llvm.getelementptr %places[%i] : (!llvm.ptr, i64) -> !llvm.ptr, i64
  %tensor = llvm.load %tensor_at : !llvm.ptr -> !llvm.ptr
  %status = llvm.call @slice(%tensor, %index, %place) : (!llvm.ptr, i64, !llvm.ptr) -> i32
  %ok = llvm.icmp "eq" %status, %fine : i32
  %next = llvm.add %i, %c1 : i64
  llvm.cond_br %ok, ^header(%next : i64), ^done(%again : i32)
^done(%code: i32):
  llvm.return %code : i32
}

// Before a step: results that the body writes where they are stacked. stacks: for each, [slot of the stacked tensor, whether it is one].
llvm.func internal @open_stacks(%frame: !llvm.ptr, %stacks: !llvm.ptr, %count: i64, %index: i64, %results: !llvm.ptr) -> i32 {
  %c0 = llvm.mlir.constant(0 : i64) : i64
  %c1 = llvm.mlir.constant(1 : i64) : i64
  %fine = llvm.mlir.constant(0 : i32) : i32
  %again = llvm.mlir.constant(2 : i32) : i32
  llvm.br ^header(%c0 : i64)
^header(%i: i64):
  %more = llvm.icmp "slt" %i, %count : i64
  llvm.cond_br %more, ^stack, ^done(%fine : i32)
^stack:
  %next = llvm.add %i, %c1 : i64
  %twice = llvm.add %i, %i : i64
  %second = llvm.add %twice, %c1 : i64
  %place = llvm.call @named(%frame, %stacks, %twice) : (!llvm.ptr, !llvm.ptr, i64) -> !llvm.ptr
  %flag_at = llvm.getelementptr %stacks[%second] : (!llvm.ptr, i64) -> !llvm.ptr, i64
  %flag = llvm.load %flag_at : !llvm.ptr -> i64
  %writes = llvm.icmp "ne" %flag, %c0 : i64
  llvm.cond_br %writes, ^slice, ^header(%next : i64)
^slice:
  %stack = llvm.load %place : !llvm.ptr -> !llvm.ptr
  %result = llvm.getelementptr %results[%i] : (!llvm.ptr, i64) -> !llvm.ptr, i64
  %status = llvm.call @slice(%stack, %index, %result) : (!llvm.ptr, i64, !llvm.ptr) -> i32
  %ok = llvm.icmp "eq" %status, %fine : i32
  llvm.cond_br %ok, ^header(%next : i64), ^done(%again : i32)
^done(%code: i32):
  llvm.return %code : i32
}

// After a step: copies the other results to where they are stacked; drops all.
llvm.func internal @close_stacks(%frame: !llvm.ptr, %stacks: !llvm.ptr, %count: i64, %index: i64, %results: !llvm.ptr) -> i32 {
  %c0 = llvm.mlir.constant(0 : i64) : i64
  %c1 = llvm.mlir.constant(1 : i64) : i64
  %fine = llvm.mlir.constant(0 : i32) : i32
  %again = llvm.mlir.constant(2 : i32) : i32
  %view = llvm.alloca %c1 x !llvm.ptr : (i64) -> !llvm.ptr
  llvm.br ^header(%c0 : i64)
^header(%i: i64):
  %more = llvm.icmp "slt" %i, %count : i64
  llvm.cond_br %more, ^stack, ^done(%fine : i32)
^stack:
  %next = llvm.add %i, %c1 : i64
  %twice = llvm.add %i, %i : i64
  %second = llvm.add %twice, %c1 : i64
  %place = llvm.call @named(%frame, %stacks, %twice) : (!llvm.ptr, !llvm.ptr, i64) -> !llvm.ptr
  %result = llvm.getelementptr %results[%i] : (!llvm.ptr, i64) -> !llvm.ptr, i64
  %flag_at = llvm.getelementptr %stacks[%second] : (!llvm.ptr, i64) -> !llvm.ptr, i64
  %flag = llvm.load %flag_at : !llvm.ptr -> i64
  %written = llvm.icmp "ne" %flag, %c0 : i64
  llvm.cond_br %written, ^drop, ^slice
^slice:
  %stack = llvm.load %place : !llvm.ptr -> !llvm.ptr
  %from = llvm.load %result : !llvm.ptr -> !llvm.ptr
  %status = llvm.call @slice(%stack, %index, %view) : (!llvm.ptr, i64, !llvm.ptr) -> i32
  %ok = llvm.icmp "eq" %status, %fine : i32
  llvm.cond_br %ok, ^copy, ^done(%again : i32)
^copy:
  %to = llvm.load %view : !llvm.ptr -> !llvm.ptr
  %copied = llvm.call @aoti_torch_copy_(%to, %from, %fine) : (!llvm.ptr, !llvm.ptr, i32) -> i32
  %complete = llvm.icmp "eq" %copied, %fine : i32
  llvm.call @drop(%view) : (!llvm.ptr) -> ()
  llvm.cond_br %complete, ^drop, ^done(%again : i32)
^drop:
  llvm.call @drop(%result) : (!llvm.ptr) -> ()
  llvm.br ^header(%next : i64)
^done(%code: i32):
  llvm.return %code : i32
}

// The stacked tensors become results of the operator. stacks: as above.
llvm.func internal @move_stacks(%frame: !llvm.ptr, %stacks: !llvm.ptr, %count: i64, %targets: !llvm.ptr) {
  %c0 = llvm.mlir.constant(0 : i64) : i64
  %c1 = llvm.mlir.constant(1 : i64) : i64
  llvm.br ^header(%c0 : i64)
^header(%i: i64):
  %more = llvm.icmp "slt" %i, %count : i64
  llvm.cond_br %more, ^stack, ^done
^stack:
  %twice = llvm.add %i, %i : i64
  %place = llvm.call @named(%frame, %stacks, %twice) : (!llvm.ptr, !llvm.ptr, i64) -> !llvm.ptr
  %target = llvm.getelementptr %targets[%i] : (!llvm.ptr, i64) -> !llvm.ptr, i64
  llvm.call @move_to(%frame, %target, %place, %c1) : (!llvm.ptr, !llvm.ptr, !llvm.ptr, i64) -> ()
  %next = llvm.add %i, %c1 : i64
  llvm.br ^header(%next : i64)
^done:
  llvm.return
}

// `scan`, and `map`, which carries nothing. inputs: carried values, tensors that are sliced, others. numbers: [number of carried values, of
// sliced tensors, of inputs, of stacked results, then stacks: for each the slot of the stacked tensor, and whether the body may write its
// result there]. targets: as `numbers` of `cond`, carried values first.
llvm.func @mlirind_host_scan(%frame: !llvm.ptr, %body: !llvm.ptr, %inputs: !llvm.ptr, %numbers: !llvm.ptr, %given_targets: !llvm.ptr, %step: !llvm.ptr) -> i32 {
  %c0 = llvm.mlir.constant(0 : i64) : i64
  %c1 = llvm.mlir.constant(1 : i64) : i64
  %c8 = llvm.mlir.constant(8 : i64) : i64
  %fine = llvm.mlir.constant(0 : i32) : i32
  %again = llvm.mlir.constant(2 : i32) : i32
  %null = llvm.mlir.zero : !llvm.ptr
  %true = llvm.mlir.constant(true) : i1
  %false = llvm.mlir.constant(false) : i1
  %sliced_at = llvm.getelementptr %numbers[1] : (!llvm.ptr) -> !llvm.ptr, i64
  %total_at = llvm.getelementptr %numbers[2] : (!llvm.ptr) -> !llvm.ptr, i64
  %stacked_at = llvm.getelementptr %numbers[3] : (!llvm.ptr) -> !llvm.ptr, i64
  %stacks = llvm.getelementptr %numbers[4] : (!llvm.ptr) -> !llvm.ptr, i64
  %targets = llvm.getelementptr %given_targets[1] : (!llvm.ptr) -> !llvm.ptr, i64
  %carried = llvm.load %numbers : !llvm.ptr -> i64
  %sliced = llvm.load %sliced_at : !llvm.ptr -> i64
  %total = llvm.load %total_at : !llvm.ptr -> i64
  %stacked = llvm.load %stacked_at : !llvm.ptr -> i64
  %count = llvm.add %carried, %stacked : i64
  %work = llvm.alloca %total x !llvm.ptr : (i64) -> !llvm.ptr
  %results = llvm.alloca %count x !llvm.ptr : (i64) -> !llvm.ptr
  %second = llvm.alloca %c1 x i64 : (i64) -> !llvm.ptr
  %length_at = llvm.alloca %c1 x i64 : (i64) -> !llvm.ptr
  %bytes = llvm.mul %total, %c8 : i64
  "llvm.intr.memcpy"(%work, %inputs, %bytes) <{isVolatile = false}> : (!llvm.ptr, !llvm.ptr, i64) -> ()
  llvm.call @clear(%results, %count) : (!llvm.ptr, i64) -> ()
  %whole = llvm.getelementptr %inputs[%carried] : (!llvm.ptr, i64) -> !llvm.ptr, i64
  %parts = llvm.getelementptr %work[%carried] : (!llvm.ptr, i64) -> !llvm.ptr, i64
  %rows = llvm.getelementptr %results[%carried] : (!llvm.ptr, i64) -> !llvm.ptr, i64
  %row_targets = llvm.getelementptr %targets[%carried] : (!llvm.ptr, i64) -> !llvm.ptr, i64
  llvm.call @clear(%parts, %sliced) : (!llvm.ptr, i64) -> ()
  %now = llvm.call @time(%null) : (!llvm.ptr) -> i64
  llvm.store %now, %second : i64, !llvm.ptr
  %first = llvm.load %whole : !llvm.ptr -> !llvm.ptr
  %0 = llvm.call @aoti_torch_get_size(%first, %c0, %length_at) : (!llvm.ptr, i64, !llvm.ptr) -> i32
  %length = llvm.load %length_at : !llvm.ptr -> i64
  %empty = llvm.icmp "eq" %length, %c0 : i64
  llvm.cond_br %empty, ^failed(%false, %again : i1, i32), ^header(%c0, %false : i64, i1)
^header(%i: i64, %own: i1):
  %more = llvm.icmp "slt" %i, %length : i64
  llvm.cond_br %more, ^slices, ^end
^slices:
  %cut = llvm.call @slices(%whole, %sliced, %i, %parts) : (!llvm.ptr, i64, i64, !llvm.ptr) -> i32
  %are_cut = llvm.icmp "eq" %cut, %fine : i32
  llvm.cond_br %are_cut, ^open, ^failed(%own, %cut : i1, i32)
^open:
  %opened = llvm.call @open_stacks(%frame, %stacks, %stacked, %i, %rows) : (!llvm.ptr, !llvm.ptr, i64, i64, !llvm.ptr) -> i32
  %are_open = llvm.icmp "eq" %opened, %fine : i32
  llvm.cond_br %are_open, ^body, ^failed(%own, %opened : i1, i32)
^body:
  %ran = llvm.call @run_body(%frame, %body, %work, %results) : (!llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr) -> i32
  %ok = llvm.icmp "eq" %ran, %fine : i32
  llvm.cond_br %ok, ^close, ^failed(%own, %ran : i1, i32)
^close:
  llvm.call @drop_words(%parts, %sliced) : (!llvm.ptr, i64) -> ()
  %closed = llvm.call @close_stacks(%frame, %stacks, %stacked, %i, %rows) : (!llvm.ptr, !llvm.ptr, i64, i64, !llvm.ptr) -> i32
  %are_closed = llvm.icmp "eq" %closed, %fine : i32
  llvm.cond_br %are_closed, ^next, ^failed(%own, %closed : i1, i32)
^next:
  llvm.call @rotate(%work, %results, %carried, %own) : (!llvm.ptr, !llvm.ptr, i64, i1) -> ()
  %signal = llvm.call @handle_signals(%frame, %second) : (!llvm.ptr, !llvm.ptr) -> i32
  %quiet = llvm.icmp "eq" %signal, %fine : i32
  %following = llvm.add %i, %c1 : i64
  llvm.cond_br %quiet, ^header(%following, %true : i64, i1), ^failed(%true, %signal : i1, i32)
^end:
  llvm.call @move_to(%frame, %targets, %work, %carried) : (!llvm.ptr, !llvm.ptr, !llvm.ptr, i64) -> ()
  llvm.call @move_stacks(%frame, %stacks, %stacked, %row_targets) : (!llvm.ptr, !llvm.ptr, i64, !llvm.ptr) -> ()
  llvm.br ^clean(%fine : i32)
^failed(%owned: i1, %reason: i32):
  llvm.cond_br %owned, ^drop, ^clean(%reason : i32)
^drop:
  llvm.call @drop_words(%work, %carried) : (!llvm.ptr, i64) -> ()
  llvm.br ^clean(%reason : i32)
^clean(%status: i32):
  llvm.call @drop_words(%results, %count) : (!llvm.ptr, i64) -> ()
  llvm.call @drop_words(%parts, %sliced) : (!llvm.ptr, i64) -> ()
  %code = llvm.call @conclude(%frame, %status, %step) : (!llvm.ptr, i32, !llvm.ptr) -> i32
  llvm.return %code : i32
}
