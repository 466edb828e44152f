// The C functions of PyTorch's AOTInductor model container (torch/csrc/inductor/aoti_runtime/interface.h), compiled with `library.mlir`.
//
// A container is words: [mutex, 8 words; active bank; inactive bank or null; the entries that were given last; index of its device; its device].
// A call holds the bank that was
// active when it began, so constants can be replaced and swapped while calls run; a bank is deleted with its last holder, and none changes
// once calls can see it. A container is a model, too.
// Where a map is taken, it is libstdc++'s `std::unordered_map<std::string, at::Tensor*>`: a list of nodes begins at its word 2; a node is
// [next, characters, length, two words, value, hash].

llvm.func @mlirind_run(!llvm.ptr, !llvm.ptr) -> !llvm.ptr
llvm.func @strcmp(!llvm.ptr, !llvm.ptr) -> i32
llvm.func @strncmp(!llvm.ptr, !llvm.ptr, i64) -> i32
llvm.func @strlen(!llvm.ptr) -> i64
llvm.func @pthread_mutex_init(!llvm.ptr, !llvm.ptr) -> i32
llvm.func @pthread_mutex_destroy(!llvm.ptr) -> i32
llvm.func @pthread_mutex_lock(!llvm.ptr) -> i32
llvm.func @pthread_mutex_unlock(!llvm.ptr) -> i32
llvm.func @aoti_torch_clone(!llvm.ptr, !llvm.ptr) -> i32
llvm.func @aoti_torch_create_tensor_from_blob(!llvm.ptr, i64, !llvm.ptr, !llvm.ptr, i64, i32, i32, i32, !llvm.ptr) -> i32
llvm.func @aoti_torch_grad_mode_is_enabled() -> i1
llvm.func @aoti_torch_grad_mode_set_enabled(i1)
// libstdc++: memory for nodes, and the hash of a string
llvm.func @_Znwm(i64) -> !llvm.ptr
llvm.func @_ZSt11_Hash_bytesPKvmm(!llvm.ptr, i64, i64) -> i64
llvm.mlir.global external @mlirind_blob() {addr_space = 0 : i32} : i64

// Banks. With the mutex only pointers and numbers are changed: libtorch may wait for Python's lock where it deletes or copies a tensor, and a
// thread that has this lock may wait for the mutex.

llvm.func internal @delete_bank(%bank: !llvm.ptr) {
  %c1 = arith.constant 1 : i64
  %c6 = arith.constant 6 : i64
  %count = llvm.call @described(%c6) : (i64) -> i64
  %end = arith.addi %count, %c1 : i64
  scf.for %i = %c1 to %end step %c1 : i64 {
    %slot = llvm.getelementptr %bank[%i] : (!llvm.ptr, i64) -> !llvm.ptr, i64
    llvm.call @drop(%slot) : (!llvm.ptr) -> ()
  }
  llvm.call @free(%bank) : (!llvm.ptr) -> ()
  llvm.return
}

// Adds a holder to the bank at a place of a container. Null where there is none.
llvm.func internal @hold(%container: !llvm.ptr, %place: !llvm.ptr) -> !llvm.ptr {
  %c1 = arith.constant 1 : i64
  %null = llvm.mlir.zero : !llvm.ptr
  llvm.call @lock(%container) : (!llvm.ptr) -> ()
  %bank = llvm.load %place : !llvm.ptr -> !llvm.ptr
  %some = llvm.icmp "ne" %bank, %null : !llvm.ptr
  scf.if %some {
    %holders = llvm.load %bank : !llvm.ptr -> i64
    %more = arith.addi %holders, %c1 : i64
    llvm.store %more, %bank : i64, !llvm.ptr
  }
  llvm.call @unlock(%container) : (!llvm.ptr) -> ()
  llvm.return %bank : !llvm.ptr
}

// Takes a holder from a bank; deletes it with the last one. Null is no bank.
llvm.func internal @release(%container: !llvm.ptr, %bank: !llvm.ptr) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %null = llvm.mlir.zero : !llvm.ptr
  %some = llvm.icmp "ne" %bank, %null : !llvm.ptr
  scf.if %some {
    llvm.call @lock(%container) : (!llvm.ptr) -> ()
    %holders = llvm.load %bank : !llvm.ptr -> i64
    %left = arith.subi %holders, %c1 : i64
    llvm.store %left, %bank : i64, !llvm.ptr
    llvm.call @unlock(%container) : (!llvm.ptr) -> ()
    %last = arith.cmpi eq, %left, %c0 : i64
    scf.if %last {
      // A GPU may still be reading the tensors.
      %device = llvm.call @device_of(%container) : (!llvm.ptr) -> !llvm.ptr
      llvm.call @device_wait(%device) : (!llvm.ptr) -> ()
      llvm.call @delete_bank(%bank) : (!llvm.ptr) -> ()
    }
  }
  llvm.return
}

llvm.func internal @new_bank() -> !llvm.ptr {
  %c1 = arith.constant 1 : i64
  %c6 = arith.constant 6 : i64
  %c8 = arith.constant 8 : i64
  %count = llvm.call @described(%c6) : (i64) -> i64
  %words = arith.addi %count, %c1 : i64
  %bank = llvm.call @calloc(%words, %c8) : (i64, i64) -> !llvm.ptr
  llvm.store %c1, %bank : i64, !llvm.ptr
  llvm.return %bank : !llvm.ptr
}

// The record of a constant: [name, name in the module, dtype, kind, rank, sizes, strides, offset in the blob, bytes, whether the graph writes it,
// type of its device].
llvm.func internal @record(%index: i64) -> !llvm.ptr {
  %c7 = arith.constant 7 : i64
  %width = arith.constant 11 : i64
  %records = llvm.call @described_pointer(%c7) : (i64) -> !llvm.ptr
  %word = arith.muli %index, %width : i64
  %record = llvm.getelementptr %records[%word] : (!llvm.ptr, i64) -> !llvm.ptr, i64
  llvm.return %record : !llvm.ptr
}

// A tensor on a constant's bytes in a blob, in which the constant's offset is; the status of libtorch.
llvm.func internal @in_blob(%record: !llvm.ptr, %blob: !llvm.ptr, %slot: !llvm.ptr) -> i32 {
  %c0 = arith.constant 0 : i64
  %c2 = arith.constant 2 : i64
  %c4 = arith.constant 4 : i64
  %c5 = arith.constant 5 : i64
  %c6 = arith.constant 6 : i64
  %c7 = arith.constant 7 : i64
  %cpu = arith.constant 0 : i32
  %wide = llvm.call @word(%record, %c2) : (!llvm.ptr, i64) -> i64
  %dtype = arith.trunci %wide : i64 to i32
  %rank = llvm.call @word(%record, %c4) : (!llvm.ptr, i64) -> i64
  %sizes = llvm.call @pointer(%record, %c5) : (!llvm.ptr, i64) -> !llvm.ptr
  %strides = llvm.call @pointer(%record, %c6) : (!llvm.ptr, i64) -> !llvm.ptr
  %offset = llvm.call @word(%record, %c7) : (!llvm.ptr, i64) -> i64
  %data = llvm.getelementptr %blob[%offset] : (!llvm.ptr, i64) -> !llvm.ptr, i8
  %0 = llvm.call @aoti_torch_create_tensor_from_blob(%data, %rank, %sizes, %strides, %c0, %dtype, %cpu, %cpu, %slot) : (!llvm.ptr, i64, !llvm.ptr, !llvm.ptr, i64, i32, i32, i32, !llvm.ptr) -> i32
  llvm.return %0 : i32
}

// The bank with the values from the library; null for a failure. Constants whose values are beside the library have no tensors yet.
llvm.func internal @first_bank(%index: i32) -> !llvm.ptr {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c4 = arith.constant 4 : i64
  %c6 = arith.constant 6 : i64
  %c9 = arith.constant 9 : i64
  %c10 = arith.constant 10 : i64
  %c19 = arith.constant 19 : i64
  %cpu = arith.constant 0 : i32
  %null = llvm.mlir.zero : !llvm.ptr
  %blob = llvm.mlir.addressof @mlirind_blob : !llvm.ptr
  %beside = llvm.call @described(%c19) : (i64) -> i64
  %count = llvm.call @described(%c6) : (i64) -> i64
  %bank = llvm.call @new_bank() : () -> !llvm.ptr
  %status = scf.for %i = %beside to %count step %c1 iter_args(%before = %cpu) -> (i32) : i64 {
    %record = llvm.call @record(%i) : (i64) -> !llvm.ptr
    %written = llvm.call @word(%record, %c9) : (!llvm.ptr, i64) -> i64
    %next = arith.addi %i, %c1 : i64
    %slot = llvm.getelementptr %bank[%next] : (!llvm.ptr, i64) -> !llvm.ptr, i64
    %0 = llvm.call @in_blob(%record, %blob, %slot) : (!llvm.ptr, !llvm.ptr, !llvm.ptr) -> i32
    %is_written = arith.cmpi ne, %written, %c0 : i64
    %type = llvm.call @word(%record, %c10) : (!llvm.ptr, i64) -> i64
    %elsewhere = arith.cmpi ne, %type, %c0 : i64
    %moves = arith.ori %is_written, %elsewhere : i1
    %fine = arith.cmpi eq, %0, %cpu : i32
    %copies = arith.andi %moves, %fine : i1
    %1 = scf.if %copies -> (i32) {
      // Containers of a process share the library's memory: each has its own copy of what its calls write, and of what is on a GPU.
      %rank = llvm.call @word(%record, %c4) : (!llvm.ptr, i64) -> i64
      %strides = llvm.call @pointer(%record, %c6) : (!llvm.ptr, i64) -> !llvm.ptr
      %shared = llvm.load %slot : !llvm.ptr -> !llvm.ptr
      llvm.store %null, %slot : !llvm.ptr, !llvm.ptr
      %narrow = arith.trunci %type : i64 to i32
      %2 = llvm.call @copied(%shared, %rank, %strides, %narrow, %index, %slot) : (!llvm.ptr, i64, !llvm.ptr, i32, i32, !llvm.ptr) -> i32
      %3 = llvm.call @aoti_torch_delete_tensor_object(%shared) : (!llvm.ptr) -> i32
      scf.yield %2 : i32
    } else {
      scf.yield %0 : i32
    }
    %both = arith.ori %before, %1 : i32
    scf.yield %both : i32
  }
  %failed = arith.cmpi ne, %status, %cpu : i32
  %given = scf.if %failed -> (!llvm.ptr) {
    llvm.call @delete_bank(%bank) : (!llvm.ptr) -> ()
    %text = llvm.call @torch_error() : () -> !llvm.ptr
    %4 = llvm.call @fails(%text) : (!llvm.ptr) -> i32
    scf.yield %null : !llvm.ptr
  } else {
    scf.yield %bank : !llvm.ptr
  }
  llvm.return %given : !llvm.ptr
}

// Whether all constants whose values are beside the library have been given; sets the error.
llvm.func internal @check_bank(%bank: !llvm.ptr) -> i32 {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c19 = arith.constant 19 : i64
  %fine = arith.constant 0 : i32
  %true = arith.constant true
  %null = llvm.mlir.zero : !llvm.ptr
  %beside = llvm.call @described(%c19) : (i64) -> i64
  %complete = scf.for %i = %c0 to %beside step %c1 iter_args(%before = %true) -> (i1) : i64 {
    %next = arith.addi %i, %c1 : i64
    %handle = llvm.call @pointer(%bank, %next) : (!llvm.ptr, i64) -> !llvm.ptr
    %some = llvm.icmp "ne" %handle, %null : !llvm.ptr
    %now = arith.andi %before, %some : i1
    scf.yield %now : i1
  }
  %status = scf.if %complete -> (i32) {
    scf.yield %fine : i32
  } else {
    %text = llvm.mlir.addressof @weights_beside : !llvm.ptr
    %0 = llvm.call @fails(%text) : (!llvm.ptr) -> i32
    scf.yield %0 : i32
  }
  llvm.return %status : i32
}
llvm.mlir.global internal constant @weights_beside("the weights are beside the library: load them first, with update_constant_buffer_from_blob\00")

llvm.func internal @lock(%container: !llvm.ptr) {
  %0 = llvm.call @pthread_mutex_lock(%container) : (!llvm.ptr) -> i32
  llvm.return
}

llvm.func internal @unlock(%container: !llvm.ptr) {
  %0 = llvm.call @pthread_mutex_unlock(%container) : (!llvm.ptr) -> i32
  llvm.return
}

// The place of the active (8) or the inactive bank (9) in a container.
llvm.func internal @bank_place(%container: !llvm.ptr, %inactive: i1) -> !llvm.ptr {
  %c8 = arith.constant 8 : i64
  %c9 = arith.constant 9 : i64
  %word = arith.select %inactive, %c9, %c8 : i64
  %place = llvm.getelementptr %container[%word] : (!llvm.ptr, i64) -> !llvm.ptr, i64
  llvm.return %place : !llvm.ptr
}

// Makes and deletes containers.

// The index of the device of a container, and what `device_open` gave for it.

llvm.func internal @index_of(%container: !llvm.ptr) -> i32 {
  %c11 = arith.constant 11 : i64
  %wide = llvm.call @word(%container, %c11) : (!llvm.ptr, i64) -> i64
  %index = arith.trunci %wide : i64 to i32
  llvm.return %index : i32
}

llvm.func internal @device_of(%container: !llvm.ptr) -> !llvm.ptr {
  %c12 = arith.constant 12 : i64
  %device = llvm.call @pointer(%container, %c12) : (!llvm.ptr, i64) -> !llvm.ptr
  llvm.return %device : !llvm.ptr
}

// A container on the device of this name, "cpu" or "cuda:1".
llvm.func internal @create(%result: !llvm.ptr, %name: !llvm.ptr) -> i32 {
  %c1 = arith.constant 1 : i64
  %c24 = arith.constant 24 : i64
  %zero = arith.constant 0 : i32
  llvm.call @clear_error() : () -> ()
  %own = llvm.call @described_pointer(%c24) : (i64) -> !llvm.ptr
  %length = llvm.call @strlen(%own) : (!llvm.ptr) -> i64
  %order = llvm.call @strncmp(%name, %own, %length) : (!llvm.ptr, !llvm.ptr, i64) -> i32
  %is_own = arith.cmpi eq, %order, %zero : i32
  %status = scf.if %is_own -> (i32) {
    %place = llvm.alloca %c1 x i32 : (i64) -> !llvm.ptr
    %0 = llvm.call @device_index(%name, %place) : (!llvm.ptr, !llvm.ptr) -> i32
    %known = arith.cmpi eq, %0, %zero : i32
    %1 = scf.if %known -> (i32) {
      %index = llvm.load %place : !llvm.ptr -> i32
      %2 = llvm.call @create_at(%result, %index) : (!llvm.ptr, i32) -> i32
      scf.yield %2 : i32
    } else {
      scf.yield %0 : i32
    }
    scf.yield %1 : i32
  } else {
    %format = llvm.mlir.addressof @other_device : !llvm.ptr
    %3 = llvm.call @constant_fails(%format, %own) : (!llvm.ptr, !llvm.ptr) -> i32
    scf.yield %3 : i32
  }
  llvm.return %status : i32
}
llvm.mlir.global internal constant @other_device("the library was compiled for the device %s\00")

llvm.func internal @create_at(%result: !llvm.ptr, %index: i32) -> i32 {
  %null = llvm.mlir.zero : !llvm.ptr
  %bad = arith.constant 1 : i32
  %fine = arith.constant 0 : i32
  %device = llvm.call @device_open(%index) : (i32) -> !llvm.ptr
  %opened = llvm.icmp "ne" %device, %null : !llvm.ptr
  %status = scf.if %opened -> (i32) {
    %0 = llvm.call @create_on(%result, %index, %device) : (!llvm.ptr, i32, !llvm.ptr) -> i32
    %failed = arith.cmpi ne, %0, %fine : i32
    scf.if %failed {
      llvm.call @device_close(%device) : (!llvm.ptr) -> ()
    }
    scf.yield %0 : i32
  } else {
    scf.yield %bad : i32
  }
  llvm.return %status : i32
}

llvm.func internal @create_on(%result: !llvm.ptr, %index: i32, %device: !llvm.ptr) -> i32 {
  %c1 = arith.constant 1 : i64
  %words = arith.constant 16 : i64
  %c8 = arith.constant 8 : i64
  %fine = arith.constant 0 : i32
  %bad = arith.constant 1 : i32
  %active = arith.constant false
  %null = llvm.mlir.zero : !llvm.ptr
  %supported = llvm.call @mlirind_processor_fits() : () -> i1
  %bank = scf.if %supported -> (!llvm.ptr) {
    %made = llvm.call @first_bank(%index) : (i32) -> !llvm.ptr
    llvm.call @device_wait(%device) : (!llvm.ptr) -> ()
    scf.yield %made : !llvm.ptr
  } else {
    %text = llvm.mlir.addressof @other_processor : !llvm.ptr
    %0 = llvm.call @fails(%text) : (!llvm.ptr) -> i32
    scf.yield %null : !llvm.ptr
  }
  %some = llvm.icmp "ne" %bank, %null : !llvm.ptr
  %status = scf.if %some -> (i32) {
    %container = llvm.call @calloc(%words, %c8) : (i64, i64) -> !llvm.ptr
    %1 = llvm.call @pthread_mutex_init(%container, %null) : (!llvm.ptr, !llvm.ptr) -> i32
    %place = llvm.call @bank_place(%container, %active) : (!llvm.ptr, i1) -> !llvm.ptr
    llvm.store %bank, %place : !llvm.ptr, !llvm.ptr
    %index_at = llvm.getelementptr %container[11] : (!llvm.ptr) -> !llvm.ptr, i64
    %wide = arith.extsi %index : i32 to i64
    llvm.store %wide, %index_at : i64, !llvm.ptr
    %device_at = llvm.getelementptr %container[12] : (!llvm.ptr) -> !llvm.ptr, i64
    llvm.store %device, %device_at : !llvm.ptr, !llvm.ptr
    llvm.store %container, %result : !llvm.ptr, !llvm.ptr
    scf.yield %fine : i32
  } else {
    scf.yield %bad : i32
  }
  llvm.return %status : i32
}
llvm.mlir.global internal constant @other_processor("this processor lacks instructions that the library was compiled for\00")

llvm.func @AOTInductorModelContainerCreateWithDevice(%result: !llvm.ptr, %models: i64, %device: !llvm.ptr, %folder: !llvm.ptr) -> i32 {
  %status = llvm.call @create(%result, %device) : (!llvm.ptr, !llvm.ptr) -> i32
  %0 = llvm.call @tell(%status) : (i32) -> i32
  llvm.return %0 : i32
}
llvm.mlir.global internal constant @cpu("cpu\00")
llvm.mlir.global internal constant @cuda("cuda\00")

llvm.func @AOTInductorModelContainerCreate(%result: !llvm.ptr, %models: i64, %is_cpu: i1, %folder: !llvm.ptr) -> i32 {
  %cpu = llvm.mlir.addressof @cpu : !llvm.ptr
  %cuda = llvm.mlir.addressof @cuda : !llvm.ptr
  %device = llvm.select %is_cpu, %cpu, %cuda : i1, !llvm.ptr
  %0 = llvm.call @AOTInductorModelContainerCreateWithDevice(%result, %models, %device, %folder) : (!llvm.ptr, i64, !llvm.ptr, !llvm.ptr) -> i32
  llvm.return %0 : i32
}

llvm.func @AOTInductorModelContainerDelete(%container: !llvm.ptr) -> i32 {
  %fine = arith.constant 0 : i32
  %active = arith.constant false
  %inactive = arith.constant true
  %c10 = arith.constant 10 : i64
  %first = llvm.call @bank_place(%container, %active) : (!llvm.ptr, i1) -> !llvm.ptr
  %second = llvm.call @bank_place(%container, %inactive) : (!llvm.ptr, i1) -> !llvm.ptr
  %a = llvm.load %first : !llvm.ptr -> !llvm.ptr
  %b = llvm.load %second : !llvm.ptr -> !llvm.ptr
  llvm.call @release(%container, %a) : (!llvm.ptr, !llvm.ptr) -> ()
  llvm.call @release(%container, %b) : (!llvm.ptr, !llvm.ptr) -> ()
  %entries = llvm.call @pointer(%container, %c10) : (!llvm.ptr, i64) -> !llvm.ptr
  llvm.call @free(%entries) : (!llvm.ptr) -> ()
  %device = llvm.call @device_of(%container) : (!llvm.ptr) -> !llvm.ptr
  llvm.call @device_close(%device) : (!llvm.ptr) -> ()
  %0 = llvm.call @pthread_mutex_destroy(%container) : (!llvm.ptr) -> i32
  llvm.call @free(%container) : (!llvm.ptr) -> ()
  llvm.return %fine : i32
}

// Calls.

// Compares inputs with what the library was compiled for. A check is [dtype, rank, type of device, dimension...]; a dimension is [symbol or -1,
// factor, summand, least, most]: its size is factor * symbol + summand. The first dimension with a symbol gives the symbol's value.
llvm.func internal @check_inputs(%inputs: !llvm.ptr, %count: i64, %index: i32) -> i32 {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c2 = arith.constant 2 : i64
  %c16 = arith.constant 16 : i64
  %c8 = arith.constant 8 : i64
  %unknown = arith.constant -1 : i64
  %fine = arith.constant 0 : i32
  %symbol_count = llvm.call @described(%c16) : (i64) -> i64
  %checks = llvm.call @described_pointer(%c2) : (i64) -> !llvm.ptr
  %room = arith.addi %symbol_count, %c1 : i64
  %symbols = llvm.alloca %room x i64 : (i64) -> !llvm.ptr
  scf.for %s = %c0 to %symbol_count step %c1 : i64 {
    %at = llvm.getelementptr %symbols[%s] : (!llvm.ptr, i64) -> !llvm.ptr, i64
    llvm.store %unknown, %at : i64, !llvm.ptr
  }
  %kinds = scf.for %i = %c0 to %count step %c1 iter_args(%before = %fine) -> (i32) : i64 {
    %going = arith.cmpi eq, %before, %fine : i32
    %0 = scf.if %going -> (i32) {
      %handle = llvm.call @pointer(%inputs, %i) : (!llvm.ptr, i64) -> !llvm.ptr
      %check = llvm.call @pointer(%checks, %i) : (!llvm.ptr, i64) -> !llvm.ptr
      %1 = llvm.call @check_kind(%i, %handle, %check, %symbols, %index) : (i64, !llvm.ptr, !llvm.ptr, !llvm.ptr, i32) -> i32
      scf.yield %1 : i32
    } else {
      scf.yield %before : i32
    }
    scf.yield %0 : i32
  }
  %sizes = scf.for %i = %c0 to %count step %c1 iter_args(%before = %kinds) -> (i32) : i64 {
    %going = arith.cmpi eq, %before, %fine : i32
    %0 = scf.if %going -> (i32) {
      %handle = llvm.call @pointer(%inputs, %i) : (!llvm.ptr, i64) -> !llvm.ptr
      %check = llvm.call @pointer(%checks, %i) : (!llvm.ptr, i64) -> !llvm.ptr
      %1 = llvm.call @check_sizes(%i, %handle, %check, %symbols) : (i64, !llvm.ptr, !llvm.ptr, !llvm.ptr) -> i32
      scf.yield %1 : i32
    } else {
      scf.yield %before : i32
    }
    scf.yield %0 : i32
  }
  llvm.return %sizes : i32
}

// Compares dtype, device and rank, and takes the values of symbols.
llvm.func internal @check_kind(%i: i64, %handle: !llvm.ptr, %check: !llvm.ptr, %symbols: !llvm.ptr, %own_index: i32) -> i32 {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c2 = arith.constant 2 : i64
  %c3 = arith.constant 3 : i64
  %c4 = arith.constant 4 : i64
  %c5 = arith.constant 5 : i64
  %fine = arith.constant 0 : i32
  %place = llvm.alloca %c1 x i64 : (i64) -> !llvm.ptr
  llvm.store %c0, %place : i64, !llvm.ptr
  %null = llvm.mlir.zero : !llvm.ptr
  %is_none = llvm.icmp "eq" %handle, %null : !llvm.ptr
  llvm.cond_br %is_none, ^none, ^tensor
^none:
  %none_text = llvm.mlir.addressof @no_tensor : !llvm.ptr
  %none = llvm.call @input_fails(%i, %none_text, %c0, %c0) : (i64, !llvm.ptr, i64, i64) -> i32
  llvm.return %none : i32
^tensor:
  %0 = llvm.call @aoti_torch_get_layout(%handle, %place) : (!llvm.ptr, !llvm.ptr) -> i32
  %layout = llvm.load %place : !llvm.ptr -> i32
  %is_strided = arith.cmpi eq, %layout, %fine : i32
  llvm.cond_br %is_strided, ^device, ^sparse
^sparse:
  %sparse_text = llvm.mlir.addressof @not_strided : !llvm.ptr
  %sparse = llvm.call @input_fails(%i, %sparse_text, %c0, %c0) : (i64, !llvm.ptr, i64, i64) -> i32
  llvm.return %sparse : i32
^device:
  %1 = llvm.call @aoti_torch_get_device_type(%handle, %place) : (!llvm.ptr, !llvm.ptr) -> i32
  %type = llvm.load %place : !llvm.ptr -> i32
  %wide_type = llvm.call @word(%check, %c2) : (!llvm.ptr, i64) -> i64
  %own_type = arith.trunci %wide_type : i64 to i32
  %5 = llvm.call @aoti_torch_get_device_index(%handle, %place) : (!llvm.ptr, !llvm.ptr) -> i32
  %index = llvm.load %place : !llvm.ptr -> i32
  %same_type = arith.cmpi eq, %type, %own_type : i32
  %same_index = arith.cmpi eq, %index, %own_index : i32
  %for_cpu = arith.cmpi eq, %own_type, %fine : i32
  %right_index = arith.ori %same_index, %for_cpu : i1
  %right_device = arith.andi %same_type, %right_index : i1
  llvm.cond_br %right_device, ^bits, ^elsewhere
^elsewhere:
  %not_cpu = llvm.mlir.addressof @not_cpu : !llvm.ptr
  %not_cuda = llvm.mlir.addressof @not_cuda : !llvm.ptr
  %device_text = llvm.select %for_cpu, %not_cpu, %not_cuda : i1, !llvm.ptr
  %wide_index = arith.extsi %own_index : i32 to i64
  %device = llvm.call @input_fails(%i, %device_text, %wide_index, %c0) : (i64, !llvm.ptr, i64, i64) -> i32
  llvm.return %device : i32
^bits:
  %is_negative = llvm.mlir.addressof @_ZN2at25compositeimplicitautograd6is_negERKNS_6TensorE : !llvm.ptr
  %negative = llvm.call @has_bit(%is_negative, %handle) : (!llvm.ptr, !llvm.ptr) -> i1
  %is_conjugate = llvm.mlir.addressof @_ZN2at25compositeimplicitautograd7is_conjERKNS_6TensorE : !llvm.ptr
  %conjugate = llvm.call @has_bit(%is_conjugate, %handle) : (!llvm.ptr, !llvm.ptr) -> i1
  %bit = arith.ori %negative, %conjugate : i1
  llvm.cond_br %bit, ^lazy, ^dtype
^lazy:
  %lazy_text = llvm.mlir.addressof @lazy_view : !llvm.ptr
  %lazy = llvm.call @input_fails(%i, %lazy_text, %c0, %c0) : (i64, !llvm.ptr, i64, i64) -> i32
  llvm.return %lazy : i32
^dtype:
  %2 = llvm.call @aoti_torch_get_dtype(%handle, %place) : (!llvm.ptr, !llvm.ptr) -> i32
  %narrow = llvm.load %place : !llvm.ptr -> i32
  %dtype = arith.extsi %narrow : i32 to i64
  %expected = llvm.call @word(%check, %c0) : (!llvm.ptr, i64) -> i64
  %same = arith.cmpi eq, %dtype, %expected : i64
  llvm.cond_br %same, ^rank, ^other_dtype
^other_dtype:
  %dtype_status = llvm.call @dtype_fails(%i, %dtype, %expected) : (i64, i64, i64) -> i32
  llvm.return %dtype_status : i32
^rank:
  %3 = llvm.call @aoti_torch_get_dim(%handle, %place) : (!llvm.ptr, !llvm.ptr) -> i32
  %rank = llvm.load %place : !llvm.ptr -> i64
  %expected_rank = llvm.call @word(%check, %c1) : (!llvm.ptr, i64) -> i64
  %same_rank = arith.cmpi eq, %rank, %expected_rank : i64
  llvm.cond_br %same_rank, ^symbols, ^other_rank
^other_rank:
  %rank_text = llvm.mlir.addressof @other_rank : !llvm.ptr
  %rank_status = llvm.call @input_fails(%i, %rank_text, %rank, %expected_rank) : (i64, !llvm.ptr, i64, i64) -> i32
  llvm.return %rank_status : i32
^symbols:
  %4 = llvm.call @aoti_torch_get_sizes(%handle, %place) : (!llvm.ptr, !llvm.ptr) -> i32
  %sizes = llvm.load %place : !llvm.ptr -> !llvm.ptr
  scf.for %d = %c0 to %rank step %c1 : i64 {
    %start = arith.muli %d, %c5 : i64
    %first = arith.addi %start, %c3 : i64
    %dimension = llvm.getelementptr %check[%first] : (!llvm.ptr, i64) -> !llvm.ptr, i64
    %symbol = llvm.call @word(%dimension, %c0) : (!llvm.ptr, i64) -> i64
    %factor = llvm.call @word(%dimension, %c1) : (!llvm.ptr, i64) -> i64
    %summand = llvm.call @word(%dimension, %c2) : (!llvm.ptr, i64) -> i64
    %has = arith.cmpi sge, %symbol, %c0 : i64
    scf.if %has {
      %at = llvm.getelementptr %symbols[%symbol] : (!llvm.ptr, i64) -> !llvm.ptr, i64
      %known = llvm.load %at : !llvm.ptr -> i64
      %is_new = arith.cmpi slt, %known, %c0 : i64
      scf.if %is_new {
        // A size that is no multiple gives a symbol from which another size is computed: the comparison of sizes says so.
        %size = llvm.call @word(%sizes, %d) : (!llvm.ptr, i64) -> i64
        %multiple = arith.subi %size, %summand : i64
        %value = arith.divsi %multiple, %factor : i64
        llvm.store %value, %at : i64, !llvm.ptr
      }
    }
  }
  llvm.return %fine : i32
}

llvm.func internal @has_bit(%asks: !llvm.ptr, %handle: !llvm.ptr) -> i1 {
  %null = llvm.mlir.zero : !llvm.ptr
  %false = arith.constant false
  %exists = llvm.icmp "ne" %asks, %null : !llvm.ptr
  %found = scf.if %exists -> (i1) {
    %has = llvm.call %asks(%handle) : !llvm.ptr, (!llvm.ptr) -> i1
    scf.yield %has : i1
  } else {
    scf.yield %false : i1
  }
  llvm.return %found : i1
}

// Compares sizes with the symbols' values, and these with their bounds.
llvm.func internal @check_sizes(%i: i64, %handle: !llvm.ptr, %check: !llvm.ptr, %symbols: !llvm.ptr) -> i32 {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c2 = arith.constant 2 : i64
  %c3 = arith.constant 3 : i64
  %c4 = arith.constant 4 : i64
  %c5 = arith.constant 5 : i64
  %fine = arith.constant 0 : i32
  %place = llvm.alloca %c1 x i64 : (i64) -> !llvm.ptr
  %0 = llvm.call @aoti_torch_get_sizes(%handle, %place) : (!llvm.ptr, !llvm.ptr) -> i32
  %sizes = llvm.load %place : !llvm.ptr -> !llvm.ptr
  %rank = llvm.call @word(%check, %c1) : (!llvm.ptr, i64) -> i64
  %status = scf.for %d = %c0 to %rank step %c1 iter_args(%before = %fine) -> (i32) : i64 {
    %start = arith.muli %d, %c5 : i64
    %first = arith.addi %start, %c3 : i64
    %dimension = llvm.getelementptr %check[%first] : (!llvm.ptr, i64) -> !llvm.ptr, i64
    %symbol = llvm.call @word(%dimension, %c0) : (!llvm.ptr, i64) -> i64
    %factor = llvm.call @word(%dimension, %c1) : (!llvm.ptr, i64) -> i64
    %summand = llvm.call @word(%dimension, %c2) : (!llvm.ptr, i64) -> i64
    %least = llvm.call @word(%dimension, %c3) : (!llvm.ptr, i64) -> i64
    %most = llvm.call @word(%dimension, %c4) : (!llvm.ptr, i64) -> i64
    %size = llvm.call @word(%sizes, %d) : (!llvm.ptr, i64) -> i64
    %has = arith.cmpi sge, %symbol, %c0 : i64
    %value = scf.if %has -> (i64) {
      %known = llvm.call @word(%symbols, %symbol) : (!llvm.ptr, i64) -> i64
      %product = arith.muli %known, %factor : i64
      scf.yield %product : i64
    } else {
      scf.yield %c0 : i64
    }
    %expected = arith.addi %value, %summand : i64
    %going = arith.cmpi eq, %before, %fine : i32
    %same = arith.cmpi eq, %size, %expected : i64
    %enough = arith.cmpi sge, %size, %least : i64
    %not_more = arith.cmpi sle, %size, %most : i64
    %within = arith.andi %enough, %not_more : i1
    %right = arith.andi %same, %within : i1
    %true = arith.constant true
    %wrong = arith.xori %right, %true : i1
    %asks = arith.andi %going, %wrong : i1
    %1 = scf.if %asks -> (i32) {
      %2 = llvm.call @size_fails(%i, %d, %size, %same, %expected, %least, %most) : (i64, i64, i64, i1, i64, i64, i64) -> i32
      scf.yield %2 : i32
    } else {
      scf.yield %before : i32
    }
    scf.yield %1 : i32
  }
  llvm.return %status : i32
}

// Errors of inputs.

llvm.func internal @input_name(%i: i64) -> !llvm.ptr {
  %c1 = arith.constant 1 : i64
  %names = llvm.call @described_pointer(%c1) : (i64) -> !llvm.ptr
  %name = llvm.call @pointer(%names, %i) : (!llvm.ptr, i64) -> !llvm.ptr
  llvm.return %name : !llvm.ptr
}

llvm.func internal @take_text(%place: !llvm.ptr) -> i32 {
  %bad = arith.constant 1 : i32
  %text = llvm.load %place : !llvm.ptr -> !llvm.ptr
  llvm.call @set_error(%text) : (!llvm.ptr) -> ()
  llvm.return %bad : i32
}

// format: takes the number and the name of an input, and two numbers.
llvm.func internal @input_fails(%i: i64, %format: !llvm.ptr, %a: i64, %b: i64) -> i32 {
  %c1 = arith.constant 1 : i64
  %place = llvm.alloca %c1 x !llvm.ptr : (i64) -> !llvm.ptr
  %name = llvm.call @input_name(%i) : (i64) -> !llvm.ptr
  %0 = llvm.call @asprintf(%place, %format, %i, %name, %a, %b) vararg(!llvm.func<i32 (ptr, ptr, ...)>) : (!llvm.ptr, !llvm.ptr, i64, !llvm.ptr, i64, i64) -> i32
  %1 = llvm.call @take_text(%place) : (!llvm.ptr) -> i32
  llvm.return %1 : i32
}

llvm.func internal @dtype_name(%dtype: i64) -> !llvm.ptr {
  %c17 = arith.constant 17 : i64
  %names = llvm.call @described_pointer(%c17) : (i64) -> !llvm.ptr
  %name = llvm.call @pointer(%names, %dtype) : (!llvm.ptr, i64) -> !llvm.ptr
  llvm.return %name : !llvm.ptr
}

llvm.func internal @dtype_fails(%i: i64, %dtype: i64, %expected: i64) -> i32 {
  %c1 = arith.constant 1 : i64
  %place = llvm.alloca %c1 x !llvm.ptr : (i64) -> !llvm.ptr
  %format = llvm.mlir.addressof @other_dtype : !llvm.ptr
  %name = llvm.call @input_name(%i) : (i64) -> !llvm.ptr
  %is = llvm.call @dtype_name(%dtype) : (i64) -> !llvm.ptr
  %was = llvm.call @dtype_name(%expected) : (i64) -> !llvm.ptr
  %0 = llvm.call @asprintf(%place, %format, %i, %name, %is, %was) vararg(!llvm.func<i32 (ptr, ptr, ...)>) : (!llvm.ptr, !llvm.ptr, i64, !llvm.ptr, !llvm.ptr, !llvm.ptr) -> i32
  %1 = llvm.call @take_text(%place) : (!llvm.ptr) -> i32
  llvm.return %1 : i32
}

llvm.func internal @size_fails(%i: i64, %d: i64, %size: i64, %same: i1, %expected: i64, %least: i64, %most: i64) -> i32 {
  %c1 = arith.constant 1 : i64
  %place = llvm.alloca %c1 x !llvm.ptr : (i64) -> !llvm.ptr
  %name = llvm.call @input_name(%i) : (i64) -> !llvm.ptr
  scf.if %same {
    %format = llvm.mlir.addressof @out_of_bounds : !llvm.ptr
    %0 = llvm.call @asprintf(%place, %format, %i, %name, %d, %size, %least, %most) vararg(!llvm.func<i32 (ptr, ptr, ...)>) : (!llvm.ptr, !llvm.ptr, i64, !llvm.ptr, i64, i64, i64, i64) -> i32
  } else {
    %format = llvm.mlir.addressof @other_size : !llvm.ptr
    %1 = llvm.call @asprintf(%place, %format, %i, %name, %d, %size, %expected) vararg(!llvm.func<i32 (ptr, ptr, ...)>) : (!llvm.ptr, !llvm.ptr, i64, !llvm.ptr, i64, i64, i64) -> i32
  }
  %2 = llvm.call @take_text(%place) : (!llvm.ptr) -> i32
  llvm.return %2 : i32
}

llvm.mlir.global internal constant @no_tensor("input %ld (%s): no tensor\00")
llvm.mlir.global internal constant @not_strided("input %ld (%s): a sparse tensor, or another one without strides\00")
llvm.mlir.global internal constant @not_cpu("input %ld (%s): the library was compiled for tensors on the CPU\00")
llvm.mlir.global internal constant @not_cuda("input %ld (%s): the library was compiled for a GPU, and loaded for cuda:%ld; the tensor is elsewhere\00")
llvm.mlir.global internal constant @lazy_view("input %ld (%s): a conjugate or negative view; call resolve_conj() or resolve_neg() before\00")
llvm.mlir.global internal constant @other_rank("input %ld (%s): it has %ld dimensions, the library was compiled for %ld\00")
llvm.mlir.global internal constant @other_dtype("input %ld (%s): its dtype is %s, the library was compiled for %s\00")
llvm.mlir.global internal constant @other_size("input %ld (%s), dimension %ld: the size is %ld, but it must be %ld\00")
llvm.mlir.global internal constant @out_of_bounds("input %ld (%s), dimension %ld: the size is %ld, but it must be from %ld to %ld\00")
llvm.mlir.global internal constant @other_count("%ld inputs and %ld outputs are given; the library has %ld and %ld\00")

llvm.func internal @check_counts(%inputs: i64, %outputs: i64) -> i32 {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c3 = arith.constant 3 : i64
  %fine = arith.constant 0 : i32
  %own_inputs = llvm.call @described(%c0) : (i64) -> i64
  %own_outputs = llvm.call @described(%c3) : (i64) -> i64
  %a = arith.cmpi eq, %inputs, %own_inputs : i64
  %b = arith.cmpi eq, %outputs, %own_outputs : i64
  %same = arith.andi %a, %b : i1
  %status = scf.if %same -> (i32) {
    scf.yield %fine : i32
  } else {
    %place = llvm.alloca %c1 x !llvm.ptr : (i64) -> !llvm.ptr
    %format = llvm.mlir.addressof @other_count : !llvm.ptr
    %0 = llvm.call @asprintf(%place, %format, %inputs, %outputs, %own_inputs, %own_outputs) vararg(!llvm.func<i32 (ptr, ptr, ...)>) : (!llvm.ptr, !llvm.ptr, i64, i64, i64, i64) -> i32
    %1 = llvm.call @take_text(%place) : (!llvm.ptr) -> i32
    scf.yield %1 : i32
  }
  llvm.return %status : i32
}

llvm.func @AOTInductorModelContainerRun(%container: !llvm.ptr, %inputs: !llvm.ptr, %input_count: i64, %outputs: !llvm.ptr, %output_count: i64, %stream: !llvm.ptr, %proxy: !llvm.ptr) -> i32 {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c4 = arith.constant 4 : i64
  %fine = arith.constant 0 : i32
  %bad = arith.constant 1 : i32
  %active = arith.constant false
  %no_gradients = arith.constant false
  %null = llvm.mlir.zero : !llvm.ptr
  llvm.call @clear_error() : () -> ()
  %index = llvm.call @index_of(%container) : (!llvm.ptr) -> i32
  %counts = llvm.call @check_counts(%input_count, %output_count) : (i64, i64) -> i32
  %as_many = arith.cmpi eq, %counts, %fine : i32
  %checked = scf.if %as_many -> (i32) {
    %0 = llvm.call @check_inputs(%inputs, %input_count, %index) : (!llvm.ptr, i64, i32) -> i32
    scf.yield %0 : i32
  } else {
    scf.yield %counts : i32
  }
  %right = arith.cmpi eq, %checked, %fine : i32
  %status = scf.if %right -> (i32) {
    %context = llvm.alloca %c4 x !llvm.ptr : (i64) -> !llvm.ptr
    %outputs_at = llvm.getelementptr %context[1] : (!llvm.ptr) -> !llvm.ptr, i64
    %bank_at = llvm.getelementptr %context[2] : (!llvm.ptr) -> !llvm.ptr, i64
    %place = llvm.call @bank_place(%container, %active) : (!llvm.ptr, i1) -> !llvm.ptr
    %bank = llvm.call @hold(%container, %place) : (!llvm.ptr, !llvm.ptr) -> !llvm.ptr
    llvm.store %inputs, %context : !llvm.ptr, !llvm.ptr
    llvm.store %outputs, %outputs_at : !llvm.ptr, !llvm.ptr
    llvm.store %bank, %bank_at : !llvm.ptr, !llvm.ptr
    %device_at = llvm.getelementptr %context[3] : (!llvm.ptr) -> !llvm.ptr, i64
    %device = llvm.call @device_of(%container) : (!llvm.ptr) -> !llvm.ptr
    llvm.store %device, %device_at : !llvm.ptr, !llvm.ptr
    %ready = llvm.call @check_bank(%bank) : (!llvm.ptr) -> i32
    %is_ready = arith.cmpi eq, %ready, %fine : i32
    %1 = scf.if %is_ready -> (i32) {
      %gradients = llvm.call @aoti_torch_grad_mode_is_enabled() : () -> i1
      llvm.call @aoti_torch_grad_mode_set_enabled(%no_gradients) : (i1) -> ()
      %guard = llvm.alloca %c1 x !llvm.ptr : (i64) -> !llvm.ptr
      %entered = llvm.call @device_enter(%device, %stream, %guard) : (!llvm.ptr, !llvm.ptr, !llvm.ptr) -> i32
      %is_there = arith.cmpi eq, %entered, %fine : i32
      %2 = scf.if %is_there -> (i32) {
        %done = llvm.call @mlirind_run(%context, %context) : (!llvm.ptr, !llvm.ptr) -> !llvm.ptr
        llvm.call @device_leave(%guard) : (!llvm.ptr) -> ()
        %ok = llvm.icmp "ne" %done, %null : !llvm.ptr
        %3 = arith.select %ok, %fine, %bad : i32
        scf.yield %3 : i32
      } else {
        scf.yield %entered : i32
      }
      llvm.call @aoti_torch_grad_mode_set_enabled(%gradients) : (i1) -> ()
      scf.yield %2 : i32
    } else {
      scf.yield %ready : i32
    }
    llvm.call @release(%container, %bank) : (!llvm.ptr, !llvm.ptr) -> ()
    scf.yield %1 : i32
  } else {
    scf.yield %checked : i32
  }
  scf.for %i = %c0 to %input_count step %c1 : i64 {
    %slot = llvm.getelementptr %inputs[%i] : (!llvm.ptr, i64) -> !llvm.ptr, i64
    llvm.call @drop(%slot) : (!llvm.ptr) -> ()
  }
  llvm.return %status : i32
}

llvm.func @AOTInductorModelContainerRunSingleThreaded(%container: !llvm.ptr, %inputs: !llvm.ptr, %input_count: i64, %outputs: !llvm.ptr, %output_count: i64, %stream: !llvm.ptr, %proxy: !llvm.ptr) -> i32 {
  %0 = llvm.call @AOTInductorModelContainerRun(%container, %inputs, %input_count, %outputs, %output_count, %stream, %proxy) : (!llvm.ptr, !llvm.ptr, i64, !llvm.ptr, i64, !llvm.ptr, !llvm.ptr) -> i32
  llvm.return %0 : i32
}

// Constants are replaced. pairs: [name, handle] each.

// The handle of a name; null if it is missing.
llvm.func internal @find(%pairs: !llvm.ptr, %count: i64, %name: !llvm.ptr) -> !llvm.ptr {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %zero = arith.constant 0 : i32
  %null = llvm.mlir.zero : !llvm.ptr
  %found = scf.for %i = %c0 to %count step %c1 iter_args(%before = %null) -> (!llvm.ptr) : i64 {
    %name_at = arith.addi %i, %i : i64
    %handle_at = arith.addi %name_at, %c1 : i64
    %candidate = llvm.call @pointer(%pairs, %name_at) : (!llvm.ptr, i64) -> !llvm.ptr
    %handle = llvm.call @pointer(%pairs, %handle_at) : (!llvm.ptr, i64) -> !llvm.ptr
    %order = llvm.call @strcmp(%candidate, %name) : (!llvm.ptr, !llvm.ptr) -> i32
    %same = arith.cmpi eq, %order, %zero : i32
    %now = llvm.select %same, %handle, %before : i1, !llvm.ptr
    scf.yield %now : !llvm.ptr
  }
  llvm.return %found : !llvm.ptr
}

// The number of a constant by name, -1 for none.
llvm.func internal @number_of(%name: !llvm.ptr) -> i64 {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c5 = arith.constant 5 : i64
  %none = arith.constant -1 : i64
  %zero = arith.constant 0 : i32
  %count = llvm.call @described(%c5) : (i64) -> i64
  %found = scf.for %i = %c0 to %count step %c1 iter_args(%before = %none) -> (i64) : i64 {
    %record = llvm.call @record(%i) : (i64) -> !llvm.ptr
    %own = llvm.call @pointer(%record, %c0) : (!llvm.ptr, i64) -> !llvm.ptr
    %order = llvm.call @strcmp(%own, %name) : (!llvm.ptr, !llvm.ptr) -> i32
    %same = arith.cmpi eq, %order, %zero : i32
    %now = arith.select %same, %i, %before : i64
    scf.yield %now : i64
  }
  llvm.return %found : i64
}

llvm.func internal @constant_fails(%format: !llvm.ptr, %name: !llvm.ptr) -> i32 {
  %c1 = arith.constant 1 : i64
  %place = llvm.alloca %c1 x !llvm.ptr : (i64) -> !llvm.ptr
  %0 = llvm.call @asprintf(%place, %format, %name) vararg(!llvm.func<i32 (ptr, ptr, ...)>) : (!llvm.ptr, !llvm.ptr, !llvm.ptr) -> i32
  %1 = llvm.call @take_text(%place) : (!llvm.ptr) -> i32
  llvm.return %1 : i32
}
llvm.mlir.global internal constant @unknown_constant("the library has no constant %s\00")
llvm.mlir.global internal constant @missing_constant("the constant %s is missing from a full update\00")
llvm.mlir.global internal constant @other_constant("the constant %s: its new value has another dtype, shape, layout or device\00")
llvm.mlir.global internal constant @tensor_without_handle("the constant %s: no tensor is given\00")

// Whether a tensor can be the value of a constant; sets the error. A copy may come from the CPU; a tensor that is `shared` is on the device with
// this index.
llvm.func internal @check_constant(%record: !llvm.ptr, %handle: !llvm.ptr, %shared: i1, %index: i32) -> i32 {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c2 = arith.constant 2 : i64
  %c4 = arith.constant 4 : i64
  %c5 = arith.constant 5 : i64
  %fine = arith.constant 0 : i32
  %place = llvm.alloca %c1 x i64 : (i64) -> !llvm.ptr
  llvm.store %c0, %place : i64, !llvm.ptr
  %0 = llvm.call @aoti_torch_get_dtype(%handle, %place) : (!llvm.ptr, !llvm.ptr) -> i32
  %narrow = llvm.load %place : !llvm.ptr -> i32
  %dtype = arith.extsi %narrow : i32 to i64
  %expected = llvm.call @word(%record, %c2) : (!llvm.ptr, i64) -> i64
  %same_dtype = arith.cmpi eq, %dtype, %expected : i64
  %1 = llvm.call @aoti_torch_get_device_type(%handle, %place) : (!llvm.ptr, !llvm.ptr) -> i32
  %device = llvm.load %place : !llvm.ptr -> i32
  %c10 = arith.constant 10 : i64
  %true = arith.constant true
  %wide_type = llvm.call @word(%record, %c10) : (!llvm.ptr, i64) -> i64
  %type = arith.trunci %wide_type : i64 to i32
  %6 = llvm.call @aoti_torch_get_device_index(%handle, %place) : (!llvm.ptr, !llvm.ptr) -> i32
  %given_index = llvm.load %place : !llvm.ptr -> i32
  %on_cpu = arith.cmpi eq, %device, %fine : i32
  %same_type = arith.cmpi eq, %device, %type : i32
  %same_index = arith.cmpi eq, %given_index, %index : i32
  %same_place = arith.ori %same_index, %on_cpu : i1
  %copied = arith.xori %shared, %true : i1
  %right_index = arith.ori %same_place, %copied : i1
  %right_there = arith.andi %same_type, %right_index : i1
  %from_cpu = arith.andi %copied, %on_cpu : i1
  %right_device = arith.ori %right_there, %from_cpu : i1
  %2 = llvm.call @aoti_torch_get_layout(%handle, %place) : (!llvm.ptr, !llvm.ptr) -> i32
  %layout = llvm.load %place : !llvm.ptr -> i32
  %strided = arith.cmpi eq, %layout, %fine : i32
  %a = arith.andi %same_dtype, %right_device : i1
  %b = arith.andi %a, %strided : i1
  %same = scf.if %b -> (i1) {
    %3 = llvm.call @aoti_torch_get_dim(%handle, %place) : (!llvm.ptr, !llvm.ptr) -> i32
    %rank = llvm.load %place : !llvm.ptr -> i64
    %expected_rank = llvm.call @word(%record, %c4) : (!llvm.ptr, i64) -> i64
    %same_rank = arith.cmpi eq, %rank, %expected_rank : i64
    %4 = llvm.call @aoti_torch_get_sizes(%handle, %place) : (!llvm.ptr, !llvm.ptr) -> i32
    %sizes = llvm.load %place : !llvm.ptr -> !llvm.ptr
    %expected_sizes = llvm.call @pointer(%record, %c5) : (!llvm.ptr, i64) -> !llvm.ptr
    %end = arith.select %same_rank, %rank, %c0 : i64
    %same_sizes = scf.for %d = %c0 to %end step %c1 iter_args(%before = %same_rank) -> (i1) : i64 {
      %size = llvm.call @word(%sizes, %d) : (!llvm.ptr, i64) -> i64
      %wanted = llvm.call @word(%expected_sizes, %d) : (!llvm.ptr, i64) -> i64
      %equal = arith.cmpi eq, %size, %wanted : i64
      %now = arith.andi %before, %equal : i1
      scf.yield %now : i1
    }
    scf.yield %same_sizes : i1
  } else {
    scf.yield %b : i1
  }
  %status = scf.if %same -> (i32) {
    scf.yield %fine : i32
  } else {
    %name = llvm.call @pointer(%record, %c0) : (!llvm.ptr, i64) -> !llvm.ptr
    %format = llvm.mlir.addressof @other_constant : !llvm.ptr
    %5 = llvm.call @constant_fails(%format, %name) : (!llvm.ptr, !llvm.ptr) -> i32
    scf.yield %5 : i32
  }
  llvm.return %status : i32
}

// Whether all names are known with fitting values, and, if `full`, no parameter is missing.
llvm.func internal @check_update(%pairs: !llvm.ptr, %count: i64, %full: i1, %shared: i1, %index: i32) -> i32 {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c3 = arith.constant 3 : i64
  %c5 = arith.constant 5 : i64
  %fine = arith.constant 0 : i32
  %null = llvm.mlir.zero : !llvm.ptr
  %given = scf.for %i = %c0 to %count step %c1 iter_args(%before = %fine) -> (i32) : i64 {
    %name_at = arith.addi %i, %i : i64
    %handle_at = arith.addi %name_at, %c1 : i64
    %name = llvm.call @pointer(%pairs, %name_at) : (!llvm.ptr, i64) -> !llvm.ptr
    %handle = llvm.call @pointer(%pairs, %handle_at) : (!llvm.ptr, i64) -> !llvm.ptr
    %going = arith.cmpi eq, %before, %fine : i32
    %0 = scf.if %going -> (i32) {
      %number = llvm.call @number_of(%name) : (!llvm.ptr) -> i64
      %known = arith.cmpi sge, %number, %c0 : i64
      %some = llvm.icmp "ne" %handle, %null : !llvm.ptr
      %both = arith.andi %known, %some : i1
      %1 = scf.if %both -> (i32) {
        %record = llvm.call @record(%number) : (i64) -> !llvm.ptr
        %2 = llvm.call @check_constant(%record, %handle, %shared, %index) : (!llvm.ptr, !llvm.ptr, i1, i32) -> i32
        scf.yield %2 : i32
      } else {
        %no_name = llvm.mlir.addressof @unknown_constant : !llvm.ptr
        %no_handle = llvm.mlir.addressof @tensor_without_handle : !llvm.ptr
        %format = llvm.select %known, %no_handle, %no_name : i1, !llvm.ptr
        %3 = llvm.call @constant_fails(%format, %name) : (!llvm.ptr, !llvm.ptr) -> i32
        scf.yield %3 : i32
      }
      scf.yield %1 : i32
    } else {
      scf.yield %before : i32
    }
    scf.yield %0 : i32
  }
  %constants = llvm.call @described(%c5) : (i64) -> i64
  %end = arith.select %full, %constants, %c0 : i64
  %status = scf.for %i = %c0 to %end step %c1 iter_args(%before = %given) -> (i32) : i64 {
    %record = llvm.call @record(%i) : (i64) -> !llvm.ptr
    %name = llvm.call @pointer(%record, %c0) : (!llvm.ptr, i64) -> !llvm.ptr
    %kind = llvm.call @word(%record, %c3) : (!llvm.ptr, i64) -> i64
    %handle = llvm.call @find(%pairs, %count, %name) : (!llvm.ptr, i64, !llvm.ptr) -> !llvm.ptr
    %missing = llvm.icmp "eq" %handle, %null : !llvm.ptr
    %is_parameter = arith.cmpi eq, %kind, %c1 : i64
    %going = arith.cmpi eq, %before, %fine : i32
    %a = arith.andi %missing, %is_parameter : i1
    %wrong = arith.andi %a, %going : i1
    %4 = scf.if %wrong -> (i32) {
      %format = llvm.mlir.addressof @missing_constant : !llvm.ptr
      %5 = llvm.call @constant_fails(%format, %name) : (!llvm.ptr, !llvm.ptr) -> i32
      scf.yield %5 : i32
    } else {
      scf.yield %before : i32
    }
    scf.yield %4 : i32
  }
  llvm.return %status : i32
}

// A bank with the values of another one, where no new ones are given; `shared`: the caller's tensors themselves, not copies. Null for a failure.
llvm.func internal @updated_bank(%old: !llvm.ptr, %pairs: !llvm.ptr, %count: i64, %shared: i1, %index: i32) -> !llvm.ptr {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c4 = arith.constant 4 : i64
  %c5 = arith.constant 5 : i64
  %c6 = arith.constant 6 : i64
  %c10 = arith.constant 10 : i64
  %fine = arith.constant 0 : i32
  %null = llvm.mlir.zero : !llvm.ptr
  %bank = llvm.call @new_bank() : () -> !llvm.ptr
  %listed = llvm.call @described(%c5) : (i64) -> i64
  %constants = llvm.call @described(%c6) : (i64) -> i64
  %status = scf.for %i = %c0 to %constants step %c1 iter_args(%before = %fine) -> (i32) : i64 {
    %record = llvm.call @record(%i) : (i64) -> !llvm.ptr
    %name = llvm.call @pointer(%record, %c0) : (!llvm.ptr, i64) -> !llvm.ptr
    %next = arith.addi %i, %c1 : i64
    %slot = llvm.getelementptr %bank[%next] : (!llvm.ptr, i64) -> !llvm.ptr, i64
    %is_listed = arith.cmpi slt, %i, %listed : i64
    %given_count = arith.select %is_listed, %count, %c0 : i64
    %given = llvm.call @find(%pairs, %given_count, %name) : (!llvm.ptr, i64, !llvm.ptr) -> !llvm.ptr
    %old_handle = llvm.call @pointer(%old, %next) : (!llvm.ptr, i64) -> !llvm.ptr
    %none = llvm.icmp "eq" %given, %null : !llvm.ptr
    %keeps = arith.ori %none, %shared : i1
    %0 = scf.if %keeps -> (i32) {
      %source = llvm.select %none, %old_handle, %given : i1, !llvm.ptr
      %some = llvm.icmp "ne" %source, %null : !llvm.ptr
      %1 = scf.if %some -> (i32) {
        %3 = llvm.call @aoti_torch_new_tensor_handle(%source, %slot) : (!llvm.ptr, !llvm.ptr) -> i32
        scf.yield %3 : i32
      } else {
        scf.yield %fine : i32
      }
      scf.yield %1 : i32
    } else {
      %rank = llvm.call @word(%record, %c4) : (!llvm.ptr, i64) -> i64
      %strides = llvm.call @pointer(%record, %c6) : (!llvm.ptr, i64) -> !llvm.ptr
      %wide_type = llvm.call @word(%record, %c10) : (!llvm.ptr, i64) -> i64
      %type = arith.trunci %wide_type : i64 to i32
      %2 = llvm.call @copied(%given, %rank, %strides, %type, %index, %slot) : (!llvm.ptr, i64, !llvm.ptr, i32, i32, !llvm.ptr) -> i32
      scf.yield %2 : i32
    }
    %both = arith.ori %before, %0 : i32
    scf.yield %both : i32
  }
  %failed = arith.cmpi ne, %status, %fine : i32
  %result = scf.if %failed -> (!llvm.ptr) {
    llvm.call @delete_bank(%bank) : (!llvm.ptr) -> ()
    scf.yield %null : !llvm.ptr
  } else {
    scf.yield %bank : !llvm.ptr
  }
  llvm.return %result : !llvm.ptr
}

// Replaces a bank by one with new values. 2: it was another bank when that was made.
llvm.func internal @try_update(%container: !llvm.ptr, %pairs: !llvm.ptr, %count: i64, %inactive: i1, %shared: i1) -> i32 {
  %fine = arith.constant 0 : i32
  %bad = arith.constant 1 : i32
  %again = arith.constant 2 : i32
  %active = arith.constant false
  %null = llvm.mlir.zero : !llvm.ptr
  %place = llvm.call @bank_place(%container, %inactive) : (!llvm.ptr, i1) -> !llvm.ptr
  %active_place = llvm.call @bank_place(%container, %active) : (!llvm.ptr, i1) -> !llvm.ptr
  %old = llvm.call @hold(%container, %place) : (!llvm.ptr, !llvm.ptr) -> !llvm.ptr
  %current = llvm.call @hold(%container, %active_place) : (!llvm.ptr, !llvm.ptr) -> !llvm.ptr
  %none = llvm.icmp "eq" %old, %null : !llvm.ptr
  %from = llvm.select %none, %current, %old : i1, !llvm.ptr
  %index = llvm.call @index_of(%container) : (!llvm.ptr) -> i32
  %device = llvm.call @device_of(%container) : (!llvm.ptr) -> !llvm.ptr
  %bank = llvm.call @updated_bank(%from, %pairs, %count, %shared, %index) : (!llvm.ptr, !llvm.ptr, i64, i1, i32) -> !llvm.ptr
  // Calls may be on other streams than these copies.
  llvm.call @device_wait(%device) : (!llvm.ptr) -> ()
  %some = llvm.icmp "ne" %bank, %null : !llvm.ptr
  %status = scf.if %some -> (i32) {
    llvm.call @lock(%container) : (!llvm.ptr) -> ()
    %there = llvm.load %place : !llvm.ptr -> !llvm.ptr
    %same = llvm.icmp "eq" %there, %old : !llvm.ptr
    scf.if %same {
      llvm.store %bank, %place : !llvm.ptr, !llvm.ptr
    }
    llvm.call @unlock(%container) : (!llvm.ptr) -> ()
    // What the container held goes: the old bank, or the new one that came too late.
    %replaced = llvm.select %same, %old, %bank : i1, !llvm.ptr
    llvm.call @release(%container, %replaced) : (!llvm.ptr, !llvm.ptr) -> ()
    %0 = arith.select %same, %fine, %again : i32
    scf.yield %0 : i32
  } else {
    scf.yield %bad : i32
  }
  llvm.call @release(%container, %old) : (!llvm.ptr, !llvm.ptr) -> ()
  llvm.call @release(%container, %current) : (!llvm.ptr, !llvm.ptr) -> ()
  llvm.return %status : i32
}

llvm.func internal @update(%container: !llvm.ptr, %pairs: !llvm.ptr, %count: i64, %inactive: i1, %full: i1, %shared: i1) -> i32 {
  %fine = arith.constant 0 : i32
  %bad = arith.constant 1 : i32
  %active = arith.constant false
  %no_gradients = arith.constant false
  %null = llvm.mlir.zero : !llvm.ptr
  llvm.call @clear_error() : () -> ()
  %index = llvm.call @index_of(%container) : (!llvm.ptr) -> i32
  %checked = llvm.call @check_update(%pairs, %count, %full, %shared, %index) : (!llvm.ptr, i64, i1, i1, i32) -> i32
  %right = arith.cmpi eq, %checked, %fine : i32
  %status = scf.if %right -> (i32) {
    %gradients = llvm.call @aoti_torch_grad_mode_is_enabled() : () -> i1
    llvm.call @aoti_torch_grad_mode_set_enabled(%no_gradients) : (i1) -> ()
    // Until no other update came between: 2.
    %again = arith.constant 2 : i32
    %0 = scf.while (%last = %again) : (i32) -> i32 {
      %more = arith.cmpi eq, %last, %again : i32
      scf.condition(%more) %last : i32
    } do {
    ^bb0(%last: i32):
      %now = llvm.call @try_update(%container, %pairs, %count, %inactive, %shared) : (!llvm.ptr, !llvm.ptr, i64, i1, i1) -> i32
      scf.yield %now : i32
    }
    llvm.call @aoti_torch_grad_mode_set_enabled(%gradients) : (i1) -> ()
    scf.yield %0 : i32
  } else {
    scf.yield %checked : i32
  }
  llvm.return %status : i32
}

llvm.func internal @told_update(%container: !llvm.ptr, %pairs: !llvm.ptr, %count: i64, %inactive: i1, %full: i1, %shared: i1) -> i32 {
  %0 = llvm.call @update(%container, %pairs, %count, %inactive, %full, %shared) : (!llvm.ptr, !llvm.ptr, i64, i1, i1, i1) -> i32
  %1 = llvm.call @tell(%0) : (i32) -> i32
  llvm.return %1 : i32
}

// The same with a map in place of pairs.
llvm.func internal @update_from_map(%container: !llvm.ptr, %map: !llvm.ptr, %inactive: i1, %full: i1, %shared: i1) -> i32 {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c2 = arith.constant 2 : i64
  %c3 = arith.constant 3 : i64
  %c5 = arith.constant 5 : i64
  %c8 = arith.constant 8 : i64
  %null = llvm.mlir.zero : !llvm.ptr
  %count = llvm.call @word(%map, %c3) : (!llvm.ptr, i64) -> i64
  %more = arith.addi %count, %c1 : i64
  %words = arith.addi %more, %more : i64
  %pairs = llvm.call @calloc(%words, %c8) : (i64, i64) -> !llvm.ptr
  %first = llvm.call @pointer(%map, %c2) : (!llvm.ptr, i64) -> !llvm.ptr
  %last = scf.for %i = %c0 to %count step %c1 iter_args(%node = %first) -> (!llvm.ptr) : i64 {
    %name_at = arith.addi %i, %i : i64
    %name_place = llvm.getelementptr %pairs[%name_at] : (!llvm.ptr, i64) -> !llvm.ptr, i64
    %handle_place = llvm.getelementptr %name_place[1] : (!llvm.ptr) -> !llvm.ptr, i64
    %name = llvm.call @pointer(%node, %c1) : (!llvm.ptr, i64) -> !llvm.ptr
    %handle = llvm.call @pointer(%node, %c5) : (!llvm.ptr, i64) -> !llvm.ptr
    llvm.store %name, %name_place : !llvm.ptr, !llvm.ptr
    llvm.store %handle, %handle_place : !llvm.ptr, !llvm.ptr
    %next = llvm.call @pointer(%node, %c0) : (!llvm.ptr, i64) -> !llvm.ptr
    scf.yield %next : !llvm.ptr
  }
  %status = llvm.call @told_update(%container, %pairs, %count, %inactive, %full, %shared) : (!llvm.ptr, !llvm.ptr, i64, i1, i1, i1) -> i32
  llvm.call @free(%pairs) : (!llvm.ptr) -> ()
  llvm.return %status : i32
}

llvm.func @AOTInductorModelContainerUpdateUserManagedConstantBuffer(%container: !llvm.ptr, %map: !llvm.ptr, %inactive: i1, %full: i1) -> i32 {
  %shared = arith.constant true
  %0 = llvm.call @update_from_map(%container, %map, %inactive, %full, %shared) : (!llvm.ptr, !llvm.ptr, i1, i1, i1) -> i32
  llvm.return %0 : i32
}

llvm.func @AOTInductorModelContainerUpdateUserManagedConstantBufferPairs(%container: !llvm.ptr, %pairs: !llvm.ptr, %count: i64, %inactive: i1, %full: i1) -> i32 {
  %shared = arith.constant true
  %0 = llvm.call @told_update(%container, %pairs, %count, %inactive, %full, %shared) : (!llvm.ptr, !llvm.ptr, i64, i1, i1, i1) -> i32
  llvm.return %0 : i32
}

llvm.func @AOTInductorModelContainerUpdateConstantBuffer(%container: !llvm.ptr, %map: !llvm.ptr, %inactive: i1, %full: i1) -> i32 {
  %shared = arith.constant false
  %0 = llvm.call @update_from_map(%container, %map, %inactive, %full, %shared) : (!llvm.ptr, !llvm.ptr, i1, i1, i1) -> i32
  llvm.return %0 : i32
}

llvm.func @AOTInductorModelContainerUpdateConstantBufferPairs(%container: !llvm.ptr, %pairs: !llvm.ptr, %count: i64, %inactive: i1, %full: i1) -> i32 {
  %shared = arith.constant false
  %0 = llvm.call @told_update(%container, %pairs, %count, %inactive, %full, %shared) : (!llvm.ptr, !llvm.ptr, i64, i1, i1, i1) -> i32
  llvm.return %0 : i32
}

llvm.func @AOTInductorModelContainerUpdateConstantBufferFromCpu(%container: !llvm.ptr, %map: !llvm.ptr, %inactive: i1, %full: i1) -> i32 {
  %shared = arith.constant false
  %0 = llvm.call @update_from_map(%container, %map, %inactive, %full, %shared) : (!llvm.ptr, !llvm.ptr, i1, i1, i1) -> i32
  llvm.return %0 : i32
}

llvm.func @AOTInductorModelContainerUpdateConstantBufferFromCpuPairs(%container: !llvm.ptr, %pairs: !llvm.ptr, %count: i64, %inactive: i1, %full: i1) -> i32 {
  %shared = arith.constant false
  %0 = llvm.call @told_update(%container, %pairs, %count, %inactive, %full, %shared) : (!llvm.ptr, !llvm.ptr, i64, i1, i1, i1) -> i32
  llvm.return %0 : i32
}

llvm.func @AOTInductorModelContainerUpdateInactiveConstantBuffer(%container: !llvm.ptr, %map: !llvm.ptr) -> i32 {
  %inactive = arith.constant true
  %full = arith.constant false
  %shared = arith.constant false
  %0 = llvm.call @update_from_map(%container, %map, %inactive, %full, %shared) : (!llvm.ptr, !llvm.ptr, i1, i1, i1) -> i32
  llvm.return %0 : i32
}

llvm.func @AOTInductorModelContainerUpdateInactiveConstantBufferPairs(%container: !llvm.ptr, %pairs: !llvm.ptr, %count: i64) -> i32 {
  %inactive = arith.constant true
  %full = arith.constant false
  %shared = arith.constant false
  %0 = llvm.call @told_update(%container, %pairs, %count, %inactive, %full, %shared) : (!llvm.ptr, !llvm.ptr, i64, i1, i1, i1) -> i32
  llvm.return %0 : i32
}

llvm.func @AOTInductorModelContainerSwapConstantBuffer(%container: !llvm.ptr) -> i32 {
  %fine = arith.constant 0 : i32
  %active = arith.constant false
  %inactive = arith.constant true
  %null = llvm.mlir.zero : !llvm.ptr
  llvm.call @clear_error() : () -> ()
  llvm.call @lock(%container) : (!llvm.ptr) -> ()
  %first = llvm.call @bank_place(%container, %active) : (!llvm.ptr, i1) -> !llvm.ptr
  %second = llvm.call @bank_place(%container, %inactive) : (!llvm.ptr, i1) -> !llvm.ptr
  %a = llvm.load %first : !llvm.ptr -> !llvm.ptr
  %b = llvm.load %second : !llvm.ptr -> !llvm.ptr
  %some = llvm.icmp "ne" %b, %null : !llvm.ptr
  %status = scf.if %some -> (i32) {
    llvm.store %b, %first : !llvm.ptr, !llvm.ptr
    llvm.store %a, %second : !llvm.ptr, !llvm.ptr
    scf.yield %fine : i32
  } else {
    %text = llvm.mlir.addressof @nothing_to_swap : !llvm.ptr
    %0 = llvm.call @fails(%text) : (!llvm.ptr) -> i32
    %1 = llvm.call @tell(%0) : (i32) -> i32
    scf.yield %1 : i32
  }
  llvm.call @unlock(%container) : (!llvm.ptr) -> ()
  llvm.return %status : i32
}
llvm.mlir.global internal constant @nothing_to_swap("there is no inactive constant buffer: update it before the swap\00")

llvm.func @AOTInductorModelContainerFreeInactiveConstantBuffer(%container: !llvm.ptr) -> i32 {
  %fine = arith.constant 0 : i32
  %inactive = arith.constant true
  %null = llvm.mlir.zero : !llvm.ptr
  llvm.call @lock(%container) : (!llvm.ptr) -> ()
  %place = llvm.call @bank_place(%container, %inactive) : (!llvm.ptr, i1) -> !llvm.ptr
  %bank = llvm.load %place : !llvm.ptr -> !llvm.ptr
  llvm.store %null, %place : !llvm.ptr, !llvm.ptr
  llvm.call @unlock(%container) : (!llvm.ptr) -> ()
  llvm.call @release(%container, %bank) : (!llvm.ptr, !llvm.ptr) -> ()
  llvm.return %fine : i32
}

// No constant of a library is computed from others when it is loaded.
llvm.func @AOTInductorModelContainerRunConstantFolding(%container: !llvm.ptr, %inactive: i1, %stream: !llvm.ptr, %proxy: !llvm.ptr) -> i32 {
  %fine = arith.constant 0 : i32
  llvm.return %fine : i32
}

// Constants are listed.

// The bank that a caller asks for: the active one where the inactive one is missing. With the mutex.
llvm.func internal @bank_locked(%container: !llvm.ptr, %inactive: i1) -> !llvm.ptr {
  %active = arith.constant false
  %null = llvm.mlir.zero : !llvm.ptr
  %place = llvm.call @bank_place(%container, %inactive) : (!llvm.ptr, i1) -> !llvm.ptr
  %active_place = llvm.call @bank_place(%container, %active) : (!llvm.ptr, i1) -> !llvm.ptr
  %bank = llvm.load %place : !llvm.ptr -> !llvm.ptr
  %current = llvm.load %active_place : !llvm.ptr -> !llvm.ptr
  %none = llvm.icmp "eq" %bank, %null : !llvm.ptr
  %given = llvm.select %none, %current, %bank : i1, !llvm.ptr
  llvm.return %given : !llvm.ptr
}

llvm.func @AOTInductorModelContainerExtractConstantsMapEntries(%container: !llvm.ptr, %entries: !llvm.ptr, %count_at: !llvm.ptr, %inactive: i1) -> i32 {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c5 = arith.constant 5 : i64
  %c8 = arith.constant 8 : i64
  %fine = arith.constant 0 : i32
  %null = llvm.mlir.zero : !llvm.ptr
  %count = llvm.call @described(%c5) : (i64) -> i64
  %more = arith.addi %count, %c1 : i64
  %words = arith.addi %more, %more : i64
  %made = llvm.call @calloc(%words, %c8) : (i64, i64) -> !llvm.ptr
  llvm.call @lock(%container) : (!llvm.ptr) -> ()
  %bank = llvm.call @bank_locked(%container, %inactive) : (!llvm.ptr, i1) -> !llvm.ptr
  %filled = scf.for %i = %c0 to %count step %c1 iter_args(%n = %c0) -> (i64) : i64 {
    %record = llvm.call @record(%i) : (i64) -> !llvm.ptr
    %name = llvm.call @pointer(%record, %c1) : (!llvm.ptr, i64) -> !llvm.ptr
    %next = arith.addi %i, %c1 : i64
    %handle = llvm.call @pointer(%bank, %next) : (!llvm.ptr, i64) -> !llvm.ptr
    %name_at = arith.addi %n, %n : i64
    %name_place = llvm.getelementptr %made[%name_at] : (!llvm.ptr, i64) -> !llvm.ptr, i64
    %handle_place = llvm.getelementptr %name_place[1] : (!llvm.ptr) -> !llvm.ptr, i64
    llvm.store %name, %name_place : !llvm.ptr, !llvm.ptr
    llvm.store %handle, %handle_place : !llvm.ptr, !llvm.ptr
    // A constant without a value is not listed: the next one takes its place.
    %some = llvm.icmp "ne" %handle, %null : !llvm.ptr
    %one_more = arith.addi %n, %c1 : i64
    %now = arith.select %some, %one_more, %n : i64
    scf.yield %now : i64
  }
  %old_at = llvm.getelementptr %container[10] : (!llvm.ptr) -> !llvm.ptr, i64
  %old = llvm.load %old_at : !llvm.ptr -> !llvm.ptr
  llvm.call @free(%old) : (!llvm.ptr) -> ()
  llvm.store %made, %old_at : !llvm.ptr, !llvm.ptr
  llvm.call @unlock(%container) : (!llvm.ptr) -> ()
  llvm.store %made, %entries : !llvm.ptr, !llvm.ptr
  llvm.store %filled, %count_at : i64, !llvm.ptr
  llvm.return %fine : i32
}

// The map must be empty, and then has one bucket, of which every node is.
llvm.func @AOTInductorModelContainerExtractConstantsMap(%container: !llvm.ptr, %map: !llvm.ptr, %inactive: i1) -> i32 {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c3 = arith.constant 3 : i64
  %c5 = arith.constant 5 : i64
  %fine = arith.constant 0 : i32
  %null = llvm.mlir.zero : !llvm.ptr
  %buckets = llvm.call @word(%map, %c1) : (!llvm.ptr, i64) -> i64
  %elements = llvm.call @word(%map, %c3) : (!llvm.ptr, i64) -> i64
  %single = arith.cmpi eq, %buckets, %c1 : i64
  %empty = arith.cmpi eq, %elements, %c0 : i64
  %right = arith.andi %single, %empty : i1
  %status = scf.if %right -> (i32) {
    %count = llvm.call @described(%c5) : (i64) -> i64
    llvm.call @lock(%container) : (!llvm.ptr) -> ()
    %bank = llvm.call @bank_locked(%container, %inactive) : (!llvm.ptr, i1) -> !llvm.ptr
    scf.for %i = %c0 to %count step %c1 : i64 {
      %record = llvm.call @record(%i) : (i64) -> !llvm.ptr
      %name = llvm.call @pointer(%record, %c1) : (!llvm.ptr, i64) -> !llvm.ptr
      %next = arith.addi %i, %c1 : i64
      %handle = llvm.call @pointer(%bank, %next) : (!llvm.ptr, i64) -> !llvm.ptr
      %some = llvm.icmp "ne" %handle, %null : !llvm.ptr
      scf.if %some {
        llvm.call @insert(%map, %name, %handle) : (!llvm.ptr, !llvm.ptr, !llvm.ptr) -> ()
      }
    }
    llvm.call @unlock(%container) : (!llvm.ptr) -> ()
    scf.yield %fine : i32
  } else {
    %text = llvm.mlir.addressof @filled_map : !llvm.ptr
    %0 = llvm.call @fails(%text) : (!llvm.ptr) -> i32
    scf.yield %0 : i32
  }
  llvm.return %status : i32
}
llvm.mlir.global internal constant @filled_map("constants are listed in an empty map only\00")

llvm.func internal @insert(%map: !llvm.ptr, %name: !llvm.ptr, %handle: !llvm.ptr) {
  %c1 = arith.constant 1 : i64
  %c3 = arith.constant 3 : i64
  %c16 = arith.constant 16 : i64
  %bytes = arith.constant 56 : i64
  %seed = arith.constant 3339675911 : i64
  %node = llvm.call @_Znwm(%bytes) : (i64) -> !llvm.ptr
  %length = llvm.call @strlen(%name) : (!llvm.ptr) -> i64
  %size = arith.addi %length, %c1 : i64
  %inside = llvm.getelementptr %node[3] : (!llvm.ptr) -> !llvm.ptr, i64
  %fits = arith.cmpi sle, %size, %c16 : i64
  %characters = scf.if %fits -> (!llvm.ptr) {
    scf.yield %inside : !llvm.ptr
  } else {
    %outside = llvm.call @_Znwm(%size) : (i64) -> !llvm.ptr
    llvm.store %length, %inside : i64, !llvm.ptr
    scf.yield %outside : !llvm.ptr
  }
  "llvm.intr.memcpy"(%characters, %name, %size) <{isVolatile = false}> : (!llvm.ptr, !llvm.ptr, i64) -> ()
  %hash = llvm.call @_ZSt11_Hash_bytesPKvmm(%characters, %length, %seed) : (!llvm.ptr, i64, i64) -> i64
  %characters_at = llvm.getelementptr %node[1] : (!llvm.ptr) -> !llvm.ptr, i64
  %length_at = llvm.getelementptr %node[2] : (!llvm.ptr) -> !llvm.ptr, i64
  %value_at = llvm.getelementptr %node[5] : (!llvm.ptr) -> !llvm.ptr, i64
  %hash_at = llvm.getelementptr %node[6] : (!llvm.ptr) -> !llvm.ptr, i64
  llvm.store %characters, %characters_at : !llvm.ptr, !llvm.ptr
  llvm.store %length, %length_at : i64, !llvm.ptr
  llvm.store %handle, %value_at : !llvm.ptr, !llvm.ptr
  llvm.store %hash, %hash_at : i64, !llvm.ptr
  // The list's first node; the bucket points to what is before it.
  %head = llvm.getelementptr %map[2] : (!llvm.ptr) -> !llvm.ptr, i64
  %count_at = llvm.getelementptr %map[3] : (!llvm.ptr) -> !llvm.ptr, i64
  %first = llvm.load %head : !llvm.ptr -> !llvm.ptr
  llvm.store %first, %node : !llvm.ptr, !llvm.ptr
  llvm.store %node, %head : !llvm.ptr, !llvm.ptr
  %buckets = llvm.load %map : !llvm.ptr -> !llvm.ptr
  llvm.store %head, %buckets : !llvm.ptr, !llvm.ptr
  %count = llvm.load %count_at : !llvm.ptr -> i64
  %more = arith.addi %count, %c1 : i64
  llvm.store %more, %count_at : i64, !llvm.ptr
  llvm.return
}

// What a library is.

llvm.func internal @bad_index() -> i32 {
  %text = llvm.mlir.addressof @no_such : !llvm.ptr
  %0 = llvm.call @fails(%text) : (!llvm.ptr) -> i32
  llvm.return %0 : i32
}
llvm.mlir.global internal constant @no_such("the index is not below the number of inputs, outputs or constants\00")

llvm.func @AOTInductorModelContainerGetNumConstants(%container: !llvm.ptr, %result: !llvm.ptr) -> i32 {
  %word = arith.constant 5 : i64
  %fine = arith.constant 0 : i32
  %value = llvm.call @described(%word) : (i64) -> i64
  llvm.store %value, %result : i64, !llvm.ptr
  llvm.return %fine : i32
}

llvm.func @AOTInductorModelContainerGetNumInputs(%container: !llvm.ptr, %result: !llvm.ptr) -> i32 {
  %word = arith.constant 0 : i64
  %fine = arith.constant 0 : i32
  %value = llvm.call @described(%word) : (i64) -> i64
  llvm.store %value, %result : i64, !llvm.ptr
  llvm.return %fine : i32
}

llvm.func @AOTInductorModelContainerGetNumOutputs(%container: !llvm.ptr, %result: !llvm.ptr) -> i32 {
  %word = arith.constant 3 : i64
  %fine = arith.constant 0 : i32
  %value = llvm.call @described(%word) : (i64) -> i64
  llvm.store %value, %result : i64, !llvm.ptr
  llvm.return %fine : i32
}

llvm.func @AOTInductorModelGetNumOutputs(%container: !llvm.ptr, %result: !llvm.ptr) -> i32 {
  %word = arith.constant 3 : i64
  %fine = arith.constant 0 : i32
  %value = llvm.call @described(%word) : (i64) -> i64
  llvm.store %value, %result : i64, !llvm.ptr
  llvm.return %fine : i32
}

llvm.func @AOTInductorModelContainerGetConstantsBlobSize(%container: !llvm.ptr, %result: !llvm.ptr) -> i32 {
  %word = arith.constant 21 : i64
  %fine = arith.constant 0 : i32
  %value = llvm.call @described(%word) : (i64) -> i64
  llvm.store %value, %result : i64, !llvm.ptr
  llvm.return %fine : i32
}

llvm.func @AOTInductorModelContainerGetConstantName(%container: !llvm.ptr, %index: i64, %result: !llvm.ptr) -> i32 {
  %word = arith.constant 0 : i64
  %c5 = arith.constant 5 : i64
  %fine = arith.constant 0 : i32
  %count = llvm.call @described(%c5) : (i64) -> i64
  %exists = arith.cmpi ult, %index, %count : i64
  %status = scf.if %exists -> (i32) {
    %record = llvm.call @record(%index) : (i64) -> !llvm.ptr
    %value = llvm.call @pointer(%record, %word) : (!llvm.ptr, i64) -> !llvm.ptr
    llvm.store %value, %result : !llvm.ptr, !llvm.ptr
    scf.yield %fine : i32
  } else {
    %0 = llvm.call @bad_index() : () -> i32
    scf.yield %0 : i32
  }
  llvm.return %status : i32
}

llvm.func @AOTInductorModelContainerGetConstantOriginalFQN(%container: !llvm.ptr, %index: i64, %result: !llvm.ptr) -> i32 {
  %word = arith.constant 1 : i64
  %c5 = arith.constant 5 : i64
  %fine = arith.constant 0 : i32
  %count = llvm.call @described(%c5) : (i64) -> i64
  %exists = arith.cmpi ult, %index, %count : i64
  %status = scf.if %exists -> (i32) {
    %record = llvm.call @record(%index) : (i64) -> !llvm.ptr
    %value = llvm.call @pointer(%record, %word) : (!llvm.ptr, i64) -> !llvm.ptr
    llvm.store %value, %result : !llvm.ptr, !llvm.ptr
    scf.yield %fine : i32
  } else {
    %0 = llvm.call @bad_index() : () -> i32
    scf.yield %0 : i32
  }
  llvm.return %status : i32
}

llvm.func @AOTInductorModelContainerGetConstantFromFolded(%container: !llvm.ptr, %index: i64, %result: !llvm.ptr) -> i32 {
  %word = arith.constant 0 : i64
  %c5 = arith.constant 5 : i64
  %fine = arith.constant 0 : i32
  %count = llvm.call @described(%c5) : (i64) -> i64
  %exists = arith.cmpi ult, %index, %count : i64
  %status = scf.if %exists -> (i32) {
    %record = llvm.call @record(%index) : (i64) -> !llvm.ptr
    %value = arith.constant 0 : i8
    llvm.store %value, %result : i8, !llvm.ptr
    scf.yield %fine : i32
  } else {
    %0 = llvm.call @bad_index() : () -> i32
    scf.yield %0 : i32
  }
  llvm.return %status : i32
}

llvm.func @AOTInductorModelContainerGetConstantType(%container: !llvm.ptr, %index: i64, %result: !llvm.ptr) -> i32 {
  %word = arith.constant 3 : i64
  %c5 = arith.constant 5 : i64
  %fine = arith.constant 0 : i32
  %count = llvm.call @described(%c5) : (i64) -> i64
  %exists = arith.cmpi ult, %index, %count : i64
  %status = scf.if %exists -> (i32) {
    %record = llvm.call @record(%index) : (i64) -> !llvm.ptr
    %wide = llvm.call @word(%record, %word) : (!llvm.ptr, i64) -> i64
    %value = arith.trunci %wide : i64 to i32
    llvm.store %value, %result : i32, !llvm.ptr
    scf.yield %fine : i32
  } else {
    %0 = llvm.call @bad_index() : () -> i32
    scf.yield %0 : i32
  }
  llvm.return %status : i32
}

llvm.func @AOTInductorModelContainerGetConstantDtype(%container: !llvm.ptr, %index: i64, %result: !llvm.ptr) -> i32 {
  %word = arith.constant 2 : i64
  %c5 = arith.constant 5 : i64
  %fine = arith.constant 0 : i32
  %count = llvm.call @described(%c5) : (i64) -> i64
  %exists = arith.cmpi ult, %index, %count : i64
  %status = scf.if %exists -> (i32) {
    %record = llvm.call @record(%index) : (i64) -> !llvm.ptr
    %wide = llvm.call @word(%record, %word) : (!llvm.ptr, i64) -> i64
    %value = arith.trunci %wide : i64 to i32
    llvm.store %value, %result : i32, !llvm.ptr
    scf.yield %fine : i32
  } else {
    %0 = llvm.call @bad_index() : () -> i32
    scf.yield %0 : i32
  }
  llvm.return %status : i32
}

llvm.func @AOTInductorModelContainerGetConstantDataSize(%container: !llvm.ptr, %index: i64, %result: !llvm.ptr) -> i32 {
  %word = arith.constant 8 : i64
  %c5 = arith.constant 5 : i64
  %fine = arith.constant 0 : i32
  %count = llvm.call @described(%c5) : (i64) -> i64
  %exists = arith.cmpi ult, %index, %count : i64
  %status = scf.if %exists -> (i32) {
    %record = llvm.call @record(%index) : (i64) -> !llvm.ptr
    %value = llvm.call @word(%record, %word) : (!llvm.ptr, i64) -> i64
    llvm.store %value, %result : i64, !llvm.ptr
    scf.yield %fine : i32
  } else {
    %0 = llvm.call @bad_index() : () -> i32
    scf.yield %0 : i32
  }
  llvm.return %status : i32
}

llvm.func @AOTInductorModelContainerGetInputName(%container: !llvm.ptr, %index: i64, %result: !llvm.ptr) -> i32 {
  %count_word = arith.constant 0 : i64
  %names_word = arith.constant 1 : i64
  %fine = arith.constant 0 : i32
  %count = llvm.call @described(%count_word) : (i64) -> i64
  %names = llvm.call @described_pointer(%names_word) : (i64) -> !llvm.ptr
  %exists = arith.cmpi ult, %index, %count : i64
  %status = scf.if %exists -> (i32) {
    %name = llvm.call @pointer(%names, %index) : (!llvm.ptr, i64) -> !llvm.ptr
    llvm.store %name, %result : !llvm.ptr, !llvm.ptr
    scf.yield %fine : i32
  } else {
    %0 = llvm.call @bad_index() : () -> i32
    scf.yield %0 : i32
  }
  llvm.return %status : i32
}

llvm.func @AOTInductorModelContainerGetOutputName(%container: !llvm.ptr, %index: i64, %result: !llvm.ptr) -> i32 {
  %count_word = arith.constant 3 : i64
  %names_word = arith.constant 4 : i64
  %fine = arith.constant 0 : i32
  %count = llvm.call @described(%count_word) : (i64) -> i64
  %names = llvm.call @described_pointer(%names_word) : (i64) -> !llvm.ptr
  %exists = arith.cmpi ult, %index, %count : i64
  %status = scf.if %exists -> (i32) {
    %name = llvm.call @pointer(%names, %index) : (!llvm.ptr, i64) -> !llvm.ptr
    llvm.store %name, %result : !llvm.ptr, !llvm.ptr
    scf.yield %fine : i32
  } else {
    %0 = llvm.call @bad_index() : () -> i32
    scf.yield %0 : i32
  }
  llvm.return %status : i32
}

llvm.func @AOTInductorModelContainerGetCallSpec(%container: !llvm.ptr, %inputs: !llvm.ptr, %outputs: !llvm.ptr) -> i32 {
  %c8 = arith.constant 8 : i64
  %c9 = arith.constant 9 : i64
  %fine = arith.constant 0 : i32
  %in = llvm.call @described_pointer(%c8) : (i64) -> !llvm.ptr
  %out = llvm.call @described_pointer(%c9) : (i64) -> !llvm.ptr
  llvm.store %in, %inputs : !llvm.ptr, !llvm.ptr
  llvm.store %out, %outputs : !llvm.ptr, !llvm.ptr
  llvm.return %fine : i32
}

llvm.func @AOTInductorGetLastError(%result: !llvm.ptr) -> i32 {
  %fine = arith.constant 0 : i32
  %text = llvm.call @last_error() : () -> !llvm.ptr
  llvm.store %text, %result : !llvm.ptr, !llvm.ptr
  llvm.return %fine : i32
}

// A model is a container.

llvm.func @AOTInductorModelCreateV2(%result: !llvm.ptr, %pairs: !llvm.ptr, %count: i64) -> i32 {
  %c0 = arith.constant 0 : i64
  %fine = arith.constant 0 : i32
  %no = arith.constant false
  %cpu = llvm.mlir.addressof @cpu : !llvm.ptr
  %0 = llvm.call @create(%result, %cpu) : (!llvm.ptr, !llvm.ptr) -> i32
  %made = arith.cmpi eq, %0, %fine : i32
  %some = arith.cmpi ne, %count, %c0 : i64
  %updates = arith.andi %made, %some : i1
  %status = scf.if %updates -> (i32) {
    %model = llvm.load %result : !llvm.ptr -> !llvm.ptr
    %1 = llvm.call @told_update(%model, %pairs, %count, %no, %no, %no) : (!llvm.ptr, !llvm.ptr, i64, i1, i1, i1) -> i32
    %wrong = arith.cmpi ne, %1, %fine : i32
    scf.if %wrong {
      %2 = llvm.call @AOTInductorModelContainerDelete(%model) : (!llvm.ptr) -> i32
    }
    scf.yield %1 : i32
  } else {
    scf.yield %0 : i32
  }
  llvm.return %status : i32
}

llvm.func @AOTInductorModelRun(%model: !llvm.ptr, %inputs: !llvm.ptr, %outputs: !llvm.ptr) -> i32 {
  %c0 = arith.constant 0 : i64
  %c3 = arith.constant 3 : i64
  %null = llvm.mlir.zero : !llvm.ptr
  %input_count = llvm.call @described(%c0) : (i64) -> i64
  %output_count = llvm.call @described(%c3) : (i64) -> i64
  %0 = llvm.call @AOTInductorModelContainerRun(%model, %inputs, %input_count, %outputs, %output_count, %null, %null) : (!llvm.ptr, !llvm.ptr, i64, !llvm.ptr, i64, !llvm.ptr, !llvm.ptr) -> i32
  llvm.return %0 : i32
}

llvm.func @AOTInductorModelUpdateConstantsMapV2(%model: !llvm.ptr, %pairs: !llvm.ptr, %narrow: i32) -> i32 {
  %no = arith.constant false
  %count = arith.extsi %narrow : i32 to i64
  %0 = llvm.call @told_update(%model, %pairs, %count, %no, %no, %no) : (!llvm.ptr, !llvm.ptr, i64, i1, i1, i1) -> i32
  llvm.return %0 : i32
}

llvm.func @AOTInductorModelDelete(%model: !llvm.ptr) -> i32 {
  %0 = llvm.call @AOTInductorModelContainerDelete(%model) : (!llvm.ptr) -> i32
  llvm.return %0 : i32
}

// The values that are beside the library. The caller unmaps the blob afterwards, so the values are copied. The blob's last word says for which
// constants it was made.
llvm.func @AOTInductorModelUpdateConstantsFromBlob(%container: !llvm.ptr, %blob: !llvm.ptr) -> i32 {
  %c0 = arith.constant 0 : i64
  %c8 = arith.constant 8 : i64
  %c19 = arith.constant 19 : i64
  %c21 = arith.constant 21 : i64
  %c22 = arith.constant 22 : i64
  llvm.call @clear_error() : () -> ()
  %count = llvm.call @described(%c19) : (i64) -> i64
  %size = llvm.call @described(%c21) : (i64) -> i64
  %expected = llvm.call @described(%c22) : (i64) -> i64
  %some = arith.cmpi ne, %count, %c0 : i64
  %status = scf.if %some -> (i32) {
    %end = arith.subi %size, %c8 : i64
    %last = llvm.getelementptr %blob[%end] : (!llvm.ptr, i64) -> !llvm.ptr, i8
    %identity = llvm.load %last : !llvm.ptr -> i64
    %same = arith.cmpi eq, %identity, %expected : i64
    %0 = scf.if %same -> (i32) {
      %1 = llvm.call @update_from_blob(%container, %blob, %count) : (!llvm.ptr, !llvm.ptr, i64) -> i32
      scf.yield %1 : i32
    } else {
      %text = llvm.mlir.addressof @other_blob : !llvm.ptr
      %2 = llvm.call @fails(%text) : (!llvm.ptr) -> i32
      scf.yield %2 : i32
    }
    scf.yield %0 : i32
  } else {
    %text = llvm.mlir.addressof @no_blob : !llvm.ptr
    %3 = llvm.call @fails(%text) : (!llvm.ptr) -> i32
    scf.yield %3 : i32
  }
  %4 = llvm.call @tell(%status) : (i32) -> i32
  llvm.return %4 : i32
}

// An update with tensors on the bytes of a blob.
llvm.func internal @update_from_blob(%container: !llvm.ptr, %blob: !llvm.ptr, %count: i64) -> i32 {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c8 = arith.constant 8 : i64
  %fine = arith.constant 0 : i32
  %no = arith.constant false
  %words = arith.addi %count, %count : i64
  %pairs = llvm.call @calloc(%words, %c8) : (i64, i64) -> !llvm.ptr
  %made = scf.for %i = %c0 to %count step %c1 iter_args(%before = %fine) -> (i32) : i64 {
    %record = llvm.call @record(%i) : (i64) -> !llvm.ptr
    %name = llvm.call @pointer(%record, %c0) : (!llvm.ptr, i64) -> !llvm.ptr
    %word = arith.addi %i, %i : i64
    %place = llvm.getelementptr %pairs[%word] : (!llvm.ptr, i64) -> !llvm.ptr, i64
    %slot = llvm.getelementptr %place[1] : (!llvm.ptr) -> !llvm.ptr, i64
    llvm.store %name, %place : !llvm.ptr, !llvm.ptr
    %0 = llvm.call @in_blob(%record, %blob, %slot) : (!llvm.ptr, !llvm.ptr, !llvm.ptr) -> i32
    %both = arith.ori %before, %0 : i32
    scf.yield %both : i32
  }
  %ok = arith.cmpi eq, %made, %fine : i32
  %status = scf.if %ok -> (i32) {
    %1 = llvm.call @update(%container, %pairs, %count, %no, %no, %no) : (!llvm.ptr, !llvm.ptr, i64, i1, i1, i1) -> i32
    scf.yield %1 : i32
  } else {
    %text = llvm.call @torch_error() : () -> !llvm.ptr
    %2 = llvm.call @fails(%text) : (!llvm.ptr) -> i32
    scf.yield %2 : i32
  }
  scf.for %i = %c0 to %count step %c1 : i64 {
    %word = arith.addi %i, %i : i64
    %next = arith.addi %word, %c1 : i64
    %slot = llvm.getelementptr %pairs[%next] : (!llvm.ptr, i64) -> !llvm.ptr, i64
    llvm.call @drop(%slot) : (!llvm.ptr) -> ()
  }
  llvm.call @free(%pairs) : (!llvm.ptr) -> ()
  llvm.return %status : i32
}
llvm.mlir.global internal constant @other_blob("the weights were written for another library\00")
llvm.mlir.global internal constant @no_blob("the weights are inside the library; they are replaced by name, not from a blob\00")
