// What the native function of a graph calls in a shared library, compiled with `steps.mlir`, without Python: inputs from handles, results to
// handles, errors as texts. `container.mlir` has the functions that programs call. docs/design/aot.md describes the parts.
//
// The symbol `mlirind_library` is the library's description, words that `runtime/library/description.py` writes (it has their names). A bank
// is the constants of a container: [number of holders, handle...]. A context is one call: [inputs, outputs, bank, device]; the native function
// takes it in place of Python's callables and of the list of inputs. `on_cpu.mlir` or `on_cuda.mlir` is compiled with this file: the device.
// Statuses: 0 fine, 1 the call fails, and the thread's error is set.

llvm.mlir.global external @mlirind_library() {addr_space = 0 : i32} : i64
llvm.mlir.global internal @key(0 : i32) : i32
llvm.mlir.global internal constant @empty("\00")

// libc
llvm.func @calloc(i64, i64) -> !llvm.ptr
llvm.func @free(!llvm.ptr)
llvm.func @strdup(!llvm.ptr) -> !llvm.ptr
llvm.func @asprintf(!llvm.ptr, !llvm.ptr, ...) -> i32
llvm.func @dprintf(i32, !llvm.ptr, ...) -> i32
llvm.func @pthread_key_create(!llvm.ptr, !llvm.ptr) -> i32
llvm.func @pthread_key_delete(i32) -> i32
llvm.func @pthread_getspecific(i32) -> !llvm.ptr
llvm.func @pthread_setspecific(i32, !llvm.ptr) -> i32
// libtorch; those with mangled names may be missing
llvm.func @aoti_torch_get_layout(!llvm.ptr, !llvm.ptr) -> i32
llvm.mlir.global external @_ZN5torch4csrc4shim7details42get_torch_exception_what_without_backtraceB5cxx11Ev() {addr_space = 0 : i32} : i64
llvm.mlir.global external @_ZN3c104impl28tls_is_dispatch_key_excludedENS_11DispatchKeyE() {addr_space = 0 : i32} : i64
llvm.mlir.global external @_ZN3c104impl29tls_set_dispatch_key_excludedENS_11DispatchKeyEb() {addr_space = 0 : i32} : i64
llvm.mlir.global external @_ZN2at25compositeimplicitautograd6is_negERKNS_6TensorE() {addr_space = 0 : i32} : i64
llvm.mlir.global external @_ZN2at25compositeimplicitautograd7is_conjERKNS_6TensorE() {addr_space = 0 : i32} : i64

// Words.

llvm.func internal @word(%words: !llvm.ptr, %index: i64) -> i64 {
  %at = llvm.getelementptr %words[%index] : (!llvm.ptr, i64) -> !llvm.ptr, i64
  %value = llvm.load %at : !llvm.ptr -> i64
  llvm.return %value : i64
}

llvm.func internal @pointer(%words: !llvm.ptr, %index: i64) -> !llvm.ptr {
  %at = llvm.getelementptr %words[%index] : (!llvm.ptr, i64) -> !llvm.ptr, i64
  %value = llvm.load %at : !llvm.ptr -> !llvm.ptr
  llvm.return %value : !llvm.ptr
}

llvm.func internal @described(%index: i64) -> i64 {
  %library = llvm.mlir.addressof @mlirind_library : !llvm.ptr
  %value = llvm.call @word(%library, %index) : (!llvm.ptr, i64) -> i64
  llvm.return %value : i64
}

llvm.func internal @described_pointer(%index: i64) -> !llvm.ptr {
  %library = llvm.mlir.addressof @mlirind_library : !llvm.ptr
  %value = llvm.call @pointer(%library, %index) : (!llvm.ptr, i64) -> !llvm.ptr
  llvm.return %value : !llvm.ptr
}

// Errors: each thread has the text of its last one.

llvm.func internal @set_error(%text: !llvm.ptr) {
  %at = llvm.mlir.addressof @key : !llvm.ptr
  %key = llvm.load %at : !llvm.ptr -> i32
  %old = llvm.call @pthread_getspecific(%key) : (i32) -> !llvm.ptr
  llvm.call @free(%old) : (!llvm.ptr) -> ()
  %0 = llvm.call @pthread_setspecific(%key, %text) : (i32, !llvm.ptr) -> i32
  llvm.return
}

// Sets the error to a copy of a text; the status of a failure.
llvm.func internal @fails(%text: !llvm.ptr) -> i32 {
  %bad = arith.constant 1 : i32
  %copy = llvm.call @strdup(%text) : (!llvm.ptr) -> !llvm.ptr
  llvm.call @set_error(%copy) : (!llvm.ptr) -> ()
  llvm.return %bad : i32
}

// Prints the error of a call for which PyTorch's runners do not ask for the text.
llvm.func internal @tell(%status: i32) -> i32 {
  %fine = arith.constant 0 : i32
  %stderr = arith.constant 2 : i32
  %failed = arith.cmpi ne, %status, %fine : i32
  scf.if %failed {
    %format = llvm.mlir.addressof @told : !llvm.ptr
    %text = llvm.call @last_error() : () -> !llvm.ptr
    %0 = llvm.call @dprintf(%stderr, %format, %text) vararg(!llvm.func<i32 (i32, ptr, ...)>) : (i32, !llvm.ptr, !llvm.ptr) -> i32
  }
  llvm.return %status : i32
}
llvm.mlir.global internal constant @told("Error: %s\0A\00")

// Takes the text of the thread's error away.
llvm.func internal @clear_error() {
  %null = llvm.mlir.zero : !llvm.ptr
  %at = llvm.mlir.addressof @key : !llvm.ptr
  %key = llvm.load %at : !llvm.ptr -> i32
  %old = llvm.call @pthread_getspecific(%key) : (i32) -> !llvm.ptr
  %some = llvm.icmp "ne" %old, %null : !llvm.ptr
  scf.if %some {
    llvm.call @set_error(%null) : (!llvm.ptr) -> ()
  }
  llvm.return
}

// The text of the thread's error, "" without one.
llvm.func internal @last_error() -> !llvm.ptr {
  %null = llvm.mlir.zero : !llvm.ptr
  %empty = llvm.mlir.addressof @empty : !llvm.ptr
  %at = llvm.mlir.addressof @key : !llvm.ptr
  %key = llvm.load %at : !llvm.ptr -> i32
  %text = llvm.call @pthread_getspecific(%key) : (i32) -> !llvm.ptr
  %none = llvm.icmp "eq" %text, %null : !llvm.ptr
  %given = llvm.select %none, %empty, %text : i1, !llvm.ptr
  llvm.return %given : !llvm.ptr
}

// The text of the exception of the last C function of libtorch that failed in this thread.
llvm.func internal @torch_error() -> !llvm.ptr {
  %null = llvm.mlir.zero : !llvm.ptr
  %unknown = llvm.mlir.addressof @unknown : !llvm.ptr
  %function = llvm.mlir.addressof @_ZN5torch4csrc4shim7details42get_torch_exception_what_without_backtraceB5cxx11Ev : !llvm.ptr
  %exists = llvm.icmp "ne" %function, %null : !llvm.ptr
  %text = scf.if %exists -> (!llvm.ptr) {
    %string = llvm.call %function() : !llvm.ptr, () -> !llvm.ptr
    %characters = llvm.load %string : !llvm.ptr -> !llvm.ptr
    scf.yield %characters : !llvm.ptr
  } else {
    scf.yield %unknown : !llvm.ptr
  }
  llvm.return %text : !llvm.ptr
}
llvm.mlir.global internal constant @unknown("PyTorch's log has the message\00")

// When the library is loaded: a place for errors, and the addresses of kernels in their tables.
llvm.func @mlirind_library_load() {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c2 = arith.constant 2 : i64
  %c14 = arith.constant 14 : i64
  %c15 = arith.constant 15 : i64
  %key = llvm.mlir.addressof @key : !llvm.ptr
  %free = llvm.mlir.addressof @free : !llvm.ptr
  %0 = llvm.call @pthread_key_create(%key, %free) : (!llvm.ptr, !llvm.ptr) -> i32
  %count = llvm.call @described(%c14) : (i64) -> i64
  %tables = llvm.call @described_pointer(%c15) : (i64) -> !llvm.ptr
  scf.for %i = %c0 to %count step %c1 : i64 {
    %twice = arith.muli %i, %c2 : i64
    %second = arith.addi %twice, %c1 : i64
    %function = llvm.call @pointer(%tables, %twice) : (!llvm.ptr, i64) -> !llvm.ptr
    %table = llvm.call @pointer(%tables, %second) : (!llvm.ptr, i64) -> !llvm.ptr
    llvm.call %function(%table) : !llvm.ptr, (!llvm.ptr) -> ()
  }
  llvm.return
}

llvm.func @mlirind_library_unload() {
  %null = llvm.mlir.zero : !llvm.ptr
  llvm.call @set_error(%null) : (!llvm.ptr) -> ()
  %at = llvm.mlir.addressof @key : !llvm.ptr
  %key = llvm.load %at : !llvm.ptr -> i32
  %0 = llvm.call @pthread_key_delete(%key) : (i32) -> i32
  llvm.return
}

// What the native function calls.

llvm.func @PyEval_SaveThread() -> !llvm.ptr {
  %null = llvm.mlir.zero : !llvm.ptr
  llvm.return %null : !llvm.ptr
}

llvm.func @mlirind_host_profiled(%self: !llvm.ptr, %list: !llvm.ptr, %answer: !llvm.ptr) -> i1 {
  %false = arith.constant false
  llvm.return %false : i1
}

// See `support.mlir`.
llvm.func @mlirind_host_hide_views(%hide: i32) -> i32 {
  %c18 = arith.constant 18 : i64
  %zero = arith.constant 0 : i32
  %null = llvm.mlir.zero : !llvm.ptr
  %wide = llvm.call @described(%c18) : (i64) -> i64
  %key = arith.trunci %wide : i64 to i32
  %asks = llvm.mlir.addressof @_ZN3c104impl28tls_is_dispatch_key_excludedENS_11DispatchKeyE : !llvm.ptr
  %sets = llvm.mlir.addressof @_ZN3c104impl29tls_set_dispatch_key_excludedENS_11DispatchKeyEb : !llvm.ptr
  %can_ask = llvm.icmp "ne" %asks, %null : !llvm.ptr
  %can_set = llvm.icmp "ne" %sets, %null : !llvm.ptr
  %known = arith.cmpi ne, %key, %zero : i32
  %both = arith.andi %can_ask, %can_set : i1
  %can = arith.andi %both, %known : i1
  %before = scf.if %can -> (i32) {
    %hidden = llvm.call %asks(%key) : !llvm.ptr, (i32) -> i1
    %was = arith.extui %hidden : i1 to i32
    llvm.call %sets(%key, %hide) : !llvm.ptr, (i32, i32) -> ()
    scf.yield %was : i32
  } else {
    scf.yield %zero : i32
  }
  llvm.return %before : i32
}

// Writes the handles of the graph's arguments into the frame: inputs of the call, and constants of the bank.
llvm.func @mlirind_host_unwrap(%frame: !llvm.ptr, %context: !llvm.ptr, %count: i64, %kinds: !llvm.ptr) -> i32 {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c2 = arith.constant 2 : i64
  %c4 = arith.constant 4 : i64
  %c11 = arith.constant 11 : i64
  %fine = arith.constant 0 : i32
  %inputs = llvm.call @pointer(%context, %c0) : (!llvm.ptr, i64) -> !llvm.ptr
  %bank = llvm.call @pointer(%context, %c2) : (!llvm.ptr, i64) -> !llvm.ptr
  %sources = llvm.call @described_pointer(%c11) : (i64) -> !llvm.ptr
  scf.for %i = %c0 to %count step %c1 : i64 {
    %source = llvm.call @word(%sources, %i) : (!llvm.ptr, i64) -> i64
    %is_input = arith.cmpi sge, %source, %c0 : i64
    %constant = arith.subi %c0, %source : i64
    %from = llvm.select %is_input, %inputs, %bank : i1, !llvm.ptr
    %number = arith.select %is_input, %source, %constant : i64
    %handle = llvm.call @pointer(%from, %number) : (!llvm.ptr, i64) -> !llvm.ptr
    %words = arith.muli %i, %c4 : i64
    %word = arith.addi %words, %c2 : i64
    %place = llvm.getelementptr %frame[%word] : (!llvm.ptr, i64) -> !llvm.ptr, i64
    llvm.store %handle, %place : !llvm.ptr, !llvm.ptr
  }
  llvm.return %fine : i32
}

// Makes inputs handles of our own. numbers: [count, input...].
llvm.func @mlirind_host_take(%frame: !llvm.ptr, %context: !llvm.ptr, %numbers: !llvm.ptr) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c2 = arith.constant 2 : i64
  %c4 = arith.constant 4 : i64
  %null = llvm.mlir.zero : !llvm.ptr
  %count = llvm.call @word(%numbers, %c0) : (!llvm.ptr, i64) -> i64
  %end = arith.addi %count, %c1 : i64
  scf.for %i = %c1 to %end step %c1 : i64 {
    %index = llvm.call @word(%numbers, %i) : (!llvm.ptr, i64) -> i64
    %words = arith.muli %index, %c4 : i64
    %word = arith.addi %words, %c2 : i64
    %place = llvm.getelementptr %frame[%word] : (!llvm.ptr, i64) -> !llvm.ptr, i64
    %handle = llvm.load %place : !llvm.ptr -> !llvm.ptr
    llvm.store %null, %place : !llvm.ptr, !llvm.ptr
    %0 = llvm.call @aoti_torch_new_tensor_handle(%handle, %place) : (!llvm.ptr, !llvm.ptr) -> i32
  }
  llvm.return
}

// The end of a call: new handles of the results, [kind, word] each; kind 0: the tensor of that word, 2: none.
llvm.func @mlirind_host_finish(%frame: !llvm.ptr, %context: !llvm.ptr, %given: !llvm.ptr, %count: i64, %slots: !llvm.ptr, %slot_count: i64) -> !llvm.ptr {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %null = llvm.mlir.zero : !llvm.ptr
  %outputs = llvm.call @pointer(%context, %c1) : (!llvm.ptr, i64) -> !llvm.ptr
  scf.for %i = %c0 to %count step %c1 : i64 {
    %kind_at = arith.addi %i, %i : i64
    %word_at = arith.addi %kind_at, %c1 : i64
    %kind = llvm.call @word(%given, %kind_at) : (!llvm.ptr, i64) -> i64
    %word = llvm.call @word(%given, %word_at) : (!llvm.ptr, i64) -> i64
    %place = llvm.getelementptr %outputs[%i] : (!llvm.ptr, i64) -> !llvm.ptr, i64
    llvm.store %null, %place : !llvm.ptr, !llvm.ptr
    %is_tensor = arith.cmpi eq, %kind, %c0 : i64
    scf.if %is_tensor {
      %handle = llvm.call @pointer(%frame, %word) : (!llvm.ptr, i64) -> !llvm.ptr
      %some = llvm.icmp "ne" %handle, %null : !llvm.ptr
      scf.if %some {
        %0 = llvm.call @aoti_torch_new_tensor_handle(%handle, %place) : (!llvm.ptr, !llvm.ptr) -> i32
      }
    }
  }
  llvm.call @drop_all(%frame, %slots, %slot_count) : (!llvm.ptr, !llvm.ptr, i64) -> ()
  llvm.return %frame : !llvm.ptr
}

// The end of a call that fails.
llvm.func @mlirind_host_fail(%frame: !llvm.ptr, %slots: !llvm.ptr, %slot_count: i64) -> !llvm.ptr {
  %null = llvm.mlir.zero : !llvm.ptr
  llvm.call @drop_all(%frame, %slots, %slot_count) : (!llvm.ptr, !llvm.ptr, i64) -> ()
  llvm.return %null : !llvm.ptr
}

// What native code can't do: callables as in `torch_internals/layout.py`. Copies a tensor into other strides; all else is an error.
llvm.func internal @callback(%frame: !llvm.ptr, %callable: i64, %tensors: !llvm.ptr, %tensor_count: i64, %integers: !llvm.ptr, %integer_count: i64, %results: !llvm.ptr, %result_count: i64) -> i32 {
  %c0 = arith.constant 0 : i64
  %c3 = arith.constant 3 : i64
  %c4 = arith.constant 4 : i64
  %own = arith.constant 7 : i64
  %restrides = arith.cmpi eq, %callable, %c3 : i64
  %is_own = arith.cmpi sge, %callable, %own : i64
  %refuses = arith.cmpi eq, %callable, %c4 : i64
  %status = scf.if %restrides -> (i32) {
    %tensor = llvm.load %tensors : !llvm.ptr -> !llvm.ptr
    %0 = llvm.call @restride(%tensor, %integer_count, %integers, %results) : (!llvm.ptr, i64, !llvm.ptr, !llvm.ptr) -> i32
    scf.yield %0 : i32
  } else {
    %1 = scf.if %is_own -> (i32) {
      %2 = llvm.call @failure(%callable, %integers) : (i64, !llvm.ptr) -> i32
      scf.yield %2 : i32
    } else {
      %3 = scf.if %refuses -> (i32) {
        %text = llvm.mlir.addressof @written_strides : !llvm.ptr
        %4 = llvm.call @fails(%text) : (!llvm.ptr) -> i32
        scf.yield %4 : i32
      } else {
        %text = llvm.call @torch_error() : () -> !llvm.ptr
        %5 = llvm.call @fails(%text) : (!llvm.ptr) -> i32
        scf.yield %5 : i32
      }
      scf.yield %3 : i32
    }
    scf.yield %1 : i32
  }
  llvm.return %status : i32
}
llvm.mlir.global internal constant @written_strides("a tensor that the graph writes to has other strides than those that it was compiled for\00")

// A copy of a tensor with these strides, on the same device.
llvm.func internal @restride(%tensor: !llvm.ptr, %rank: i64, %strides: !llvm.ptr, %result: !llvm.ptr) -> i32 {
  %one = arith.constant 1 : i64
  %number = llvm.alloca %one x i32 : (i64) -> !llvm.ptr
  %0 = llvm.call @aoti_torch_get_device_type(%tensor, %number) : (!llvm.ptr, !llvm.ptr) -> i32
  %type = llvm.load %number : !llvm.ptr -> i32
  %1 = llvm.call @aoti_torch_get_device_index(%tensor, %number) : (!llvm.ptr, !llvm.ptr) -> i32
  %index = llvm.load %number : !llvm.ptr -> i32
  %2 = llvm.call @copied(%tensor, %rank, %strides, %type, %index, %result) : (!llvm.ptr, i64, !llvm.ptr, i32, i32, !llvm.ptr) -> i32
  llvm.return %2 : i32
}

// A copy of a tensor with these strides, on a device.
llvm.func internal @copied(%tensor: !llvm.ptr, %rank: i64, %strides: !llvm.ptr, %type: i32, %index: i32, %result: !llvm.ptr) -> i32 {
  %one = arith.constant 1 : i64
  %zero = arith.constant 0 : i32
  %place = llvm.alloca %one x i64 : (i64) -> !llvm.ptr
  %number = llvm.alloca %one x i32 : (i64) -> !llvm.ptr
  %0 = llvm.call @aoti_torch_get_sizes(%tensor, %place) : (!llvm.ptr, !llvm.ptr) -> i32
  %sizes = llvm.load %place : !llvm.ptr -> !llvm.ptr
  %1 = llvm.call @aoti_torch_get_dtype(%tensor, %number) : (!llvm.ptr, !llvm.ptr) -> i32
  %dtype = llvm.load %number : !llvm.ptr -> i32
  %2 = llvm.call @aoti_torch_empty_strided(%rank, %sizes, %strides, %dtype, %type, %index, %result) : (i64, !llvm.ptr, !llvm.ptr, i32, i32, i32, !llvm.ptr) -> i32
  %made = arith.cmpi eq, %2, %zero : i32
  %3 = scf.if %made -> (i32) {
    %copy = llvm.load %result : !llvm.ptr -> !llvm.ptr
    %4 = llvm.call @aoti_torch_copy_(%copy, %tensor, %zero) : (!llvm.ptr, !llvm.ptr, i32) -> i32
    scf.yield %4 : i32
  } else {
    scf.yield %2 : i32
  }
  %ok = arith.cmpi eq, %3, %zero : i32
  %status = scf.if %ok -> (i32) {
    scf.yield %zero : i32
  } else {
    %text = llvm.call @torch_error() : () -> !llvm.ptr
    %5 = llvm.call @fails(%text) : (!llvm.ptr) -> i32
    scf.yield %5 : i32
  }
  llvm.return %status : i32
}

// Sets the error of one of the graph's own callables: [kind, text...]. Kind 0: an operator failed, and libtorch has the reason; 1: the text
// itself; 2: a text for each status of a kernel, which is the first integer.
llvm.func internal @failure(%callable: i64, %integers: !llvm.ptr) -> i32 {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c2 = arith.constant 2 : i64
  %c13 = arith.constant 13 : i64
  %own = arith.constant 7 : i64
  %one = arith.constant 1 : i64
  %null = llvm.mlir.zero : !llvm.ptr
  %number = arith.subi %callable, %own : i64
  %failures = llvm.call @described_pointer(%c13) : (i64) -> !llvm.ptr
  %entry = llvm.call @pointer(%failures, %number) : (!llvm.ptr, i64) -> !llvm.ptr
  %kind = llvm.call @word(%entry, %c0) : (!llvm.ptr, i64) -> i64
  %by_status = arith.cmpi eq, %kind, %c2 : i64
  %by_torch = arith.cmpi eq, %kind, %c0 : i64
  %index = scf.if %by_status -> (i64) {
    %code = llvm.load %integers : !llvm.ptr -> i64
    scf.yield %code : i64
  } else {
    scf.yield %c1 : i64
  }
  %text = llvm.call @pointer(%entry, %index) : (!llvm.ptr, i64) -> !llvm.ptr
  %status = scf.if %by_torch -> (i32) {
    %reason = llvm.call @torch_error() : () -> !llvm.ptr
    %format = llvm.mlir.addressof @with_reason : !llvm.ptr
    %place = llvm.alloca %one x !llvm.ptr : (i64) -> !llvm.ptr
    llvm.store %null, %place : !llvm.ptr, !llvm.ptr
    %0 = llvm.call @asprintf(%place, %format, %text, %reason) vararg(!llvm.func<i32 (ptr, ptr, ...)>) : (!llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr) -> i32
    %made = llvm.load %place : !llvm.ptr -> !llvm.ptr
    llvm.call @set_error(%made) : (!llvm.ptr) -> ()
    %bad = arith.constant 1 : i32
    scf.yield %bad : i32
  } else {
    %1 = llvm.call @fails(%text) : (!llvm.ptr) -> i32
    scf.yield %1 : i32
  }
  llvm.return %status : i32
}
llvm.mlir.global internal constant @with_reason("%s: %s\00")

// Whether this processor has all instructions that the library's code may use: those of the processor that compiled it.
llvm.func internal @mlirind_processor_fits() -> i1 {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c6 = arith.constant 6 : i64
  %c20 = arith.constant 20 : i64
  %true = arith.constant true
  %needed = llvm.call @described_pointer(%c20) : (i64) -> !llvm.ptr
  %words = llvm.alloca %c6 x i64 : (i64) -> !llvm.ptr
  llvm.call @mlirind_processor(%words) : (!llvm.ptr) -> ()
  %fits = scf.for %i = %c0 to %c6 step %c1 iter_args(%before = %true) -> (i1) : i64 {
    %mask = llvm.call @word(%needed, %i) : (!llvm.ptr, i64) -> i64
    %own = llvm.call @word(%words, %i) : (!llvm.ptr, i64) -> i64
    %both = arith.andi %mask, %own : i64
    %same = arith.cmpi eq, %both, %mask : i64
    %now = arith.andi %before, %same : i1
    scf.yield %now : i1
  }
  llvm.return %fits : i1
}
