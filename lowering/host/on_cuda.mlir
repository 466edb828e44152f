
// The NVIDIA GPUs of a library, compiled with `container.mlir`: cubins are loaded for each GPU at the first container on it, through the CUDA
// driver, which is found when the first container is made.
//
// A device is words: [next device; index; containers; primary context; the driver's functions (`bind_driver` has their words); from word 16 on,
// four for each function of the library's kernels: handle, bytes of shared memory, threads of a program, module].
// Words of the library's description: 25 the number of targets, 26 the targets, 27 the number of functions, 28 the targets' names. A target is
// [compute capability, such as 90, functions]; a function is [cubin, name, bytes of shared memory, threads].

llvm.mlir.global internal @devices() {addr_space = 0 : i32} : !llvm.ptr {
  %null = llvm.mlir.zero : !llvm.ptr
  llvm.return %null : !llvm.ptr
}
llvm.mlir.global internal @devices_mutex(dense<0> : tensor<8xi64>) : !llvm.array<8 x i64>

// libc
llvm.func @dlopen(!llvm.ptr, i32) -> !llvm.ptr
llvm.func @dlsym(!llvm.ptr, !llvm.ptr) -> !llvm.ptr
llvm.func @strtol(!llvm.ptr, !llvm.ptr, i32) -> i64
// libtorch
llvm.func @aoti_torch_get_current_device_index(!llvm.ptr) -> i32
llvm.func @aoti_torch_create_cuda_stream_guard(!llvm.ptr, i32, !llvm.ptr) -> i32
llvm.func @aoti_torch_delete_cuda_stream_guard(!llvm.ptr) -> i32

// The index in a name such as "cuda:1"; the current device's for "cuda".
llvm.func internal @device_index(%name: !llvm.ptr, %result: !llvm.ptr) -> i32 {
  %null = llvm.mlir.zero : !llvm.ptr
  %ten = arith.constant 10 : i32
  %zero = arith.constant 0 : i32
  %end = arith.constant 0 : i8
  %mark = llvm.getelementptr %name[4] : (!llvm.ptr) -> !llvm.ptr, i8
  %digits = llvm.getelementptr %name[5] : (!llvm.ptr) -> !llvm.ptr, i8
  %character = llvm.load %mark : !llvm.ptr -> i8
  %named = arith.cmpi ne, %character, %end : i8
  %status = scf.if %named -> (i32) {
    %wide = llvm.call @strtol(%digits, %null, %ten) : (!llvm.ptr, !llvm.ptr, i32) -> i64
    %index = arith.trunci %wide : i64 to i32
    llvm.store %index, %result : i32, !llvm.ptr
    scf.yield %zero : i32
  } else {
    %0 = llvm.call @aoti_torch_get_current_device_index(%result) : (!llvm.ptr) -> i32
    %ok = arith.cmpi eq, %0, %zero : i32
    %1 = scf.if %ok -> (i32) {
      scf.yield %zero : i32
    } else {
      %text = llvm.call @torch_error() : () -> !llvm.ptr
      %2 = llvm.call @fails(%text) : (!llvm.ptr) -> i32
      scf.yield %2 : i32
    }
    scf.yield %1 : i32
  }
  llvm.return %status : i32
}

// The driver.

// Puts the address of a function of the driver into a word of a device; whether there is one.
llvm.func internal @bind(%driver: !llvm.ptr, %device: !llvm.ptr, %word: i64, %name: !llvm.ptr) -> i1 {
  %null = llvm.mlir.zero : !llvm.ptr
  %function = llvm.call @dlsym(%driver, %name) : (!llvm.ptr, !llvm.ptr) -> !llvm.ptr
  %place = llvm.getelementptr %device[%word] : (!llvm.ptr, i64) -> !llvm.ptr, i64
  llvm.store %function, %place : !llvm.ptr, !llvm.ptr
  %found = llvm.icmp "ne" %function, %null : !llvm.ptr
  llvm.return %found : i1
}

llvm.func internal @bind_driver(%driver: !llvm.ptr, %device: !llvm.ptr) -> i1 {
  %true = arith.constant true
  %word4 = arith.constant 4 : i64
  %name4 = llvm.mlir.addressof @name4 : !llvm.ptr
  %found4 = llvm.call @bind(%driver, %device, %word4, %name4) : (!llvm.ptr, !llvm.ptr, i64, !llvm.ptr) -> i1
  %all4 = arith.andi %true, %found4 : i1
  %word5 = arith.constant 5 : i64
  %name5 = llvm.mlir.addressof @name5 : !llvm.ptr
  %found5 = llvm.call @bind(%driver, %device, %word5, %name5) : (!llvm.ptr, !llvm.ptr, i64, !llvm.ptr) -> i1
  %all5 = arith.andi %all4, %found5 : i1
  %word6 = arith.constant 6 : i64
  %name6 = llvm.mlir.addressof @name6 : !llvm.ptr
  %found6 = llvm.call @bind(%driver, %device, %word6, %name6) : (!llvm.ptr, !llvm.ptr, i64, !llvm.ptr) -> i1
  %all6 = arith.andi %all5, %found6 : i1
  %word7 = arith.constant 7 : i64
  %name7 = llvm.mlir.addressof @name7 : !llvm.ptr
  %found7 = llvm.call @bind(%driver, %device, %word7, %name7) : (!llvm.ptr, !llvm.ptr, i64, !llvm.ptr) -> i1
  %all7 = arith.andi %all6, %found7 : i1
  %word8 = arith.constant 8 : i64
  %name8 = llvm.mlir.addressof @name8 : !llvm.ptr
  %found8 = llvm.call @bind(%driver, %device, %word8, %name8) : (!llvm.ptr, !llvm.ptr, i64, !llvm.ptr) -> i1
  %all8 = arith.andi %all7, %found8 : i1
  %word9 = arith.constant 9 : i64
  %name9 = llvm.mlir.addressof @name9 : !llvm.ptr
  %found9 = llvm.call @bind(%driver, %device, %word9, %name9) : (!llvm.ptr, !llvm.ptr, i64, !llvm.ptr) -> i1
  %all9 = arith.andi %all8, %found9 : i1
  %word10 = arith.constant 10 : i64
  %name10 = llvm.mlir.addressof @name10 : !llvm.ptr
  %found10 = llvm.call @bind(%driver, %device, %word10, %name10) : (!llvm.ptr, !llvm.ptr, i64, !llvm.ptr) -> i1
  %all10 = arith.andi %all9, %found10 : i1
  %word11 = arith.constant 11 : i64
  %name11 = llvm.mlir.addressof @name11 : !llvm.ptr
  %found11 = llvm.call @bind(%driver, %device, %word11, %name11) : (!llvm.ptr, !llvm.ptr, i64, !llvm.ptr) -> i1
  %all11 = arith.andi %all10, %found11 : i1
  %word12 = arith.constant 12 : i64
  %name12 = llvm.mlir.addressof @name12 : !llvm.ptr
  %found12 = llvm.call @bind(%driver, %device, %word12, %name12) : (!llvm.ptr, !llvm.ptr, i64, !llvm.ptr) -> i1
  %all12 = arith.andi %all11, %found12 : i1
  %word13 = arith.constant 13 : i64
  %name13 = llvm.mlir.addressof @name13 : !llvm.ptr
  %found13 = llvm.call @bind(%driver, %device, %word13, %name13) : (!llvm.ptr, !llvm.ptr, i64, !llvm.ptr) -> i1
  %all13 = arith.andi %all12, %found13 : i1
  %word14 = arith.constant 14 : i64
  %name14 = llvm.mlir.addressof @name14 : !llvm.ptr
  %found14 = llvm.call @bind(%driver, %device, %word14, %name14) : (!llvm.ptr, !llvm.ptr, i64, !llvm.ptr) -> i1
  %all14 = arith.andi %all13, %found14 : i1
  %word15 = arith.constant 15 : i64
  %name15 = llvm.mlir.addressof @name15 : !llvm.ptr
  %found15 = llvm.call @bind(%driver, %device, %word15, %name15) : (!llvm.ptr, !llvm.ptr, i64, !llvm.ptr) -> i1
  %all15 = arith.andi %all14, %found15 : i1
  llvm.return %all15 : i1
}
llvm.mlir.global internal constant @name4("cuLaunchKernel\00")
llvm.mlir.global internal constant @name5("cuCtxSetCurrent\00")
llvm.mlir.global internal constant @name6("cuGetErrorString\00")
llvm.mlir.global internal constant @name7("cuCtxPushCurrent_v2\00")
llvm.mlir.global internal constant @name8("cuCtxPopCurrent_v2\00")
llvm.mlir.global internal constant @name9("cuCtxSynchronize\00")
llvm.mlir.global internal constant @name10("cuModuleUnload\00")
llvm.mlir.global internal constant @name11("cuDevicePrimaryCtxRelease_v2\00")
llvm.mlir.global internal constant @name12("cuInit\00")
llvm.mlir.global internal constant @name13("cuDevicePrimaryCtxRetain\00")
llvm.mlir.global internal constant @name14("cuDeviceGetAttribute\00")
llvm.mlir.global internal constant @name15("cuModuleLoadData\00")

// Sets the error to what failed and the driver's text for a status.
llvm.func internal @driver_fails(%device: !llvm.ptr, %what: !llvm.ptr, %status: i32) -> i32 {
  %c1 = arith.constant 1 : i64
  %null = llvm.mlir.zero : !llvm.ptr
  %unknown = llvm.mlir.addressof @unknown_status : !llvm.ptr
  %place = llvm.alloca %c1 x !llvm.ptr : (i64) -> !llvm.ptr
  llvm.store %null, %place : !llvm.ptr, !llvm.ptr
  %describe_word = arith.constant 6 : i64
  %describe = llvm.call @pointer(%device, %describe_word) : (!llvm.ptr, i64) -> !llvm.ptr
  %0 = llvm.call %describe(%status, %place) : !llvm.ptr, (i32, !llvm.ptr) -> i32
  %given = llvm.load %place : !llvm.ptr -> !llvm.ptr
  %none = llvm.icmp "eq" %given, %null : !llvm.ptr
  %text = llvm.select %none, %unknown, %given : i1, !llvm.ptr
  %format = llvm.mlir.addressof @driver_error : !llvm.ptr
  %1 = llvm.call @asprintf(%place, %format, %what, %status, %text) vararg(!llvm.func<i32 (ptr, ptr, ...)>) : (!llvm.ptr, !llvm.ptr, !llvm.ptr, i32, !llvm.ptr) -> i32
  %2 = llvm.call @take_text(%place) : (!llvm.ptr) -> i32
  llvm.return %2 : i32
}
llvm.mlir.global internal constant @driver_error("%s: CUDA error %d: %s\00")
llvm.mlir.global internal constant @unknown_status("unknown\00")

// A container begins to use a device: the device, null for a failure.
llvm.func internal @device_open(%index: i32) -> !llvm.ptr {
  %c1 = arith.constant 1 : i64
  %c2 = arith.constant 2 : i64
  %null = llvm.mlir.zero : !llvm.ptr
  %mutex = llvm.mlir.addressof @devices_mutex : !llvm.ptr
  %first = llvm.mlir.addressof @devices : !llvm.ptr
  %wide = arith.extsi %index : i32 to i64
  %0 = llvm.call @pthread_mutex_lock(%mutex) : (!llvm.ptr) -> i32
  %head = llvm.load %first : !llvm.ptr -> !llvm.ptr
  llvm.br ^look(%head : !llvm.ptr)
^look(%device: !llvm.ptr):
  %end = llvm.icmp "eq" %device, %null : !llvm.ptr
  llvm.cond_br %end, ^new, ^compare
^compare:
  %its = llvm.call @word(%device, %c1) : (!llvm.ptr, i64) -> i64
  %next = llvm.load %device : !llvm.ptr -> !llvm.ptr
  %same = arith.cmpi eq, %its, %wide : i64
  llvm.cond_br %same, ^found, ^look(%next : !llvm.ptr)
^found:
  %count_at = llvm.getelementptr %device[2] : (!llvm.ptr) -> !llvm.ptr, i64
  %count = llvm.load %count_at : !llvm.ptr -> i64
  %more = arith.addi %count, %c1 : i64
  llvm.store %more, %count_at : i64, !llvm.ptr
  llvm.br ^done(%device : !llvm.ptr)
^new:
  %made = llvm.call @load_device(%index) : (i32) -> !llvm.ptr
  %none = llvm.icmp "eq" %made, %null : !llvm.ptr
  llvm.cond_br %none, ^done(%null : !llvm.ptr), ^link
^link:
  llvm.store %head, %made : !llvm.ptr, !llvm.ptr
  llvm.store %made, %first : !llvm.ptr, !llvm.ptr
  llvm.br ^done(%made : !llvm.ptr)
^done(%result: !llvm.ptr):
  %1 = llvm.call @pthread_mutex_unlock(%mutex) : (!llvm.ptr) -> i32
  llvm.return %result : !llvm.ptr
}

// A new device, with all functions of the library's kernels; null for a failure.
llvm.func internal @load_device(%index: i32) -> !llvm.ptr {
  %c1 = arith.constant 1 : i64
  %c4 = arith.constant 4 : i64
  %c8 = arith.constant 8 : i64
  %c16 = arith.constant 16 : i64
  %c27 = arith.constant 27 : i64
  %now = arith.constant 2 : i32
  %null = llvm.mlir.zero : !llvm.ptr
  %name = llvm.mlir.addressof @driver_name : !llvm.ptr
  %driver = llvm.call @dlopen(%name, %now) : (!llvm.ptr, i32) -> !llvm.ptr
  %missing = llvm.icmp "eq" %driver, %null : !llvm.ptr
  llvm.cond_br %missing, ^no_driver, ^bind
^no_driver:
  %text = llvm.mlir.addressof @without_driver : !llvm.ptr
  %0 = llvm.call @fails(%text) : (!llvm.ptr) -> i32
  llvm.return %null : !llvm.ptr
^bind:
  %functions = llvm.call @described(%c27) : (i64) -> i64
  %own = arith.muli %functions, %c4 : i64
  %words = arith.addi %own, %c16 : i64
  %device = llvm.call @calloc(%words, %c8) : (i64, i64) -> !llvm.ptr
  %bound = llvm.call @bind_driver(%driver, %device) : (!llvm.ptr, !llvm.ptr) -> i1
  llvm.cond_br %bound, ^retain, ^old_driver
^old_driver:
  %old = llvm.mlir.addressof @too_old : !llvm.ptr
  %1 = llvm.call @fails(%old) : (!llvm.ptr) -> i32
  llvm.br ^free
^retain:
  %index_at = llvm.getelementptr %device[1] : (!llvm.ptr) -> !llvm.ptr, i64
  %count_at = llvm.getelementptr %device[2] : (!llvm.ptr) -> !llvm.ptr, i64
  %context_at = llvm.getelementptr %device[3] : (!llvm.ptr) -> !llvm.ptr, i64
  %wide = arith.extsi %index : i32 to i64
  llvm.store %wide, %index_at : i64, !llvm.ptr
  llvm.store %c1, %count_at : i64, !llvm.ptr
  %fine = arith.constant 0 : i32
  %init_word = arith.constant 12 : i64
  %init = llvm.call @pointer(%device, %init_word) : (!llvm.ptr, i64) -> !llvm.ptr
  %2 = llvm.call %init(%fine) : !llvm.ptr, (i32) -> i32
  %retain_word = arith.constant 13 : i64
  %retain = llvm.call @pointer(%device, %retain_word) : (!llvm.ptr, i64) -> !llvm.ptr
  %3 = llvm.call %retain(%context_at, %index) : !llvm.ptr, (!llvm.ptr, i32) -> i32
  %retained = arith.cmpi eq, %3, %fine : i32
  llvm.cond_br %retained, ^load, ^no_context
^no_context:
  %what = llvm.mlir.addressof @entering : !llvm.ptr
  %4 = llvm.call @driver_fails(%device, %what, %3) : (!llvm.ptr, !llvm.ptr, i32) -> i32
  llvm.br ^free
^load:
  %5 = llvm.call @load_functions(%device, %driver, %index, %functions) : (!llvm.ptr, !llvm.ptr, i32, i64) -> i32
  %loaded = arith.cmpi eq, %5, %fine : i32
  llvm.cond_br %loaded, ^done, ^unload
^unload:
  llvm.call @unload_device(%device) : (!llvm.ptr) -> ()
  llvm.return %null : !llvm.ptr
^free:
  llvm.call @free(%device) : (!llvm.ptr) -> ()
  llvm.return %null : !llvm.ptr
^done:
  llvm.return %device : !llvm.ptr
}
llvm.mlir.global internal constant @driver_name("libcuda.so.1\00")
llvm.mlir.global internal constant @without_driver("the library is for NVIDIA GPUs, but the CUDA driver (libcuda.so.1) can't be loaded\00")
llvm.mlir.global internal constant @too_old("this CUDA driver lacks a function that the library needs\00")
llvm.mlir.global internal constant @entering("the device's context\00")

// The functions of the target that fits a compute capability: its own, else the last one of the same major version below it; code for 90 and later
// fits no other GPU. Null without one.
llvm.func internal @fitting(%capability: i64) -> !llvm.ptr {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c10 = arith.constant 10 : i64
  %c25 = arith.constant 25 : i64
  %c26 = arith.constant 26 : i64
  %c90 = arith.constant 90 : i64
  %null = llvm.mlir.zero : !llvm.ptr
  %count = llvm.call @described(%c25) : (i64) -> i64
  %targets = llvm.call @described_pointer(%c26) : (i64) -> !llvm.ptr
  %major = arith.divsi %capability, %c10 : i64
  %best, %code = scf.for %i = %c0 to %count step %c1 iter_args(%best = %c0, %code = %null) -> (i64, !llvm.ptr) : i64 {
    %words = arith.addi %i, %i : i64
    %target = llvm.getelementptr %targets[%words] : (!llvm.ptr, i64) -> !llvm.ptr, i64
    %its = llvm.load %target : !llvm.ptr -> i64
    %functions = llvm.call @pointer(%target, %c1) : (!llvm.ptr, i64) -> !llvm.ptr
    %its_major = arith.divsi %its, %c10 : i64
    %same = arith.cmpi eq, %its, %capability : i64
    %same_major = arith.cmpi eq, %its_major, %major : i64
    %below = arith.cmpi sle, %its, %capability : i64
    %early = arith.cmpi slt, %its, %c90 : i64
    %better = arith.cmpi sgt, %its, %best : i64
    %0 = arith.andi %same_major, %below : i1
    %1 = arith.andi %0, %early : i1
    %fits = arith.ori %1, %same : i1
    %takes = arith.andi %fits, %better : i1
    %next = arith.select %takes, %its, %best : i64
    %next_code = llvm.select %takes, %functions, %code : i1, !llvm.ptr
    scf.yield %next, %next_code : i64, !llvm.ptr
  }
  llvm.return %code : !llvm.ptr
}

// Loads all functions for a device; sets the error.
llvm.func internal @load_functions(%device: !llvm.ptr, %driver: !llvm.ptr, %index: i32, %count: i64) -> i32 {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c4 = arith.constant 4 : i64
  %c10 = arith.constant 10 : i64
  %c16 = arith.constant 16 : i64
  %c28 = arith.constant 28 : i64
  %major_attribute = arith.constant 75 : i32
  %minor_attribute = arith.constant 76 : i32
  %fine = arith.constant 0 : i32
  %null = llvm.mlir.zero : !llvm.ptr
  %none = arith.cmpi eq, %count, %c0 : i64
  llvm.cond_br %none, ^done(%fine : i32), ^choose
^choose:
  %place = llvm.alloca %c1 x i64 : (i64) -> !llvm.ptr
  llvm.store %c0, %place : i64, !llvm.ptr
  %attribute_word = arith.constant 14 : i64
  %attribute = llvm.call @pointer(%device, %attribute_word) : (!llvm.ptr, i64) -> !llvm.ptr
  %0 = llvm.call %attribute(%place, %major_attribute, %index) : !llvm.ptr, (!llvm.ptr, i32, i32) -> i32
  %major = llvm.load %place : !llvm.ptr -> i64
  %1 = llvm.call %attribute(%place, %minor_attribute, %index) : !llvm.ptr, (!llvm.ptr, i32, i32) -> i32
  %minor = llvm.load %place : !llvm.ptr -> i64
  %tens = arith.muli %major, %c10 : i64
  %capability = arith.addi %tens, %minor : i64
  %functions = llvm.call @fitting(%capability) : (i64) -> !llvm.ptr
  %no_code = llvm.icmp "eq" %functions, %null : !llvm.ptr
  llvm.cond_br %no_code, ^other_gpu, ^enter
^other_gpu:
  %names = llvm.call @described_pointer(%c28) : (i64) -> !llvm.ptr
  %format = llvm.mlir.addressof @no_target : !llvm.ptr
  %2 = llvm.call @asprintf(%place, %format, %names, %index, %capability) vararg(!llvm.func<i32 (ptr, ptr, ...)>) : (!llvm.ptr, !llvm.ptr, !llvm.ptr, i32, i64) -> i32
  %3 = llvm.call @take_text(%place) : (!llvm.ptr) -> i32
  llvm.br ^done(%3 : i32)
^enter:
  llvm.call @push_context(%device) : (!llvm.ptr) -> ()
  %status = scf.for %i = %c0 to %count step %c1 iter_args(%before = %fine) -> (i32) : i64 {
    %going = arith.cmpi eq, %before, %fine : i32
    %4 = scf.if %going -> (i32) {
      %words = arith.muli %i, %c4 : i64
      %from = llvm.getelementptr %functions[%words] : (!llvm.ptr, i64) -> !llvm.ptr, i64
      %own = arith.addi %words, %c16 : i64
      %to = llvm.getelementptr %device[%own] : (!llvm.ptr, i64) -> !llvm.ptr, i64
      %5 = llvm.call @load_function(%device, %driver, %from, %to) : (!llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr) -> i32
      scf.yield %5 : i32
    } else {
      scf.yield %before : i32
    }
    scf.yield %4 : i32
  }
  llvm.call @pop_context(%device) : (!llvm.ptr) -> ()
  llvm.br ^done(%status : i32)
^done(%code: i32):
  llvm.return %code : i32
}
llvm.mlir.global internal constant @no_target("the library has code for %s, which does not fit cuda:%d, a GPU of sm_%ld\00")

// Loads a function: `from` and `to` are described above.
llvm.func internal @load_function(%device: !llvm.ptr, %driver: !llvm.ptr, %from: !llvm.ptr, %to: !llvm.ptr) -> i32 {
  %c1 = arith.constant 1 : i64
  %c2 = arith.constant 2 : i64
  %c3 = arith.constant 3 : i64
  %most_shared = arith.constant 49152 : i64
  %shared_attribute = arith.constant 8 : i32
  %fine = arith.constant 0 : i32
  %cubin = llvm.load %from : !llvm.ptr -> !llvm.ptr
  %name = llvm.call @pointer(%from, %c1) : (!llvm.ptr, i64) -> !llvm.ptr
  %shared = llvm.call @word(%from, %c2) : (!llvm.ptr, i64) -> i64
  %threads = llvm.call @word(%from, %c3) : (!llvm.ptr, i64) -> i64
  %shared_at = llvm.getelementptr %to[1] : (!llvm.ptr) -> !llvm.ptr, i64
  %threads_at = llvm.getelementptr %to[2] : (!llvm.ptr) -> !llvm.ptr, i64
  %module_at = llvm.getelementptr %to[3] : (!llvm.ptr) -> !llvm.ptr, i64
  llvm.store %shared, %shared_at : i64, !llvm.ptr
  llvm.store %threads, %threads_at : i64, !llvm.ptr
  %load_word = arith.constant 15 : i64
  %load = llvm.call @pointer(%device, %load_word) : (!llvm.ptr, i64) -> !llvm.ptr
  %0 = llvm.call %load(%module_at, %cubin) : !llvm.ptr, (!llvm.ptr, !llvm.ptr) -> i32
  %loaded = arith.cmpi eq, %0, %fine : i32
  llvm.cond_br %loaded, ^find, ^failed(%0 : i32)
^find:
  %module = llvm.load %module_at : !llvm.ptr -> !llvm.ptr
  %find_name = llvm.mlir.addressof @name_get_function : !llvm.ptr
  %find = llvm.call @dlsym(%driver, %find_name) : (!llvm.ptr, !llvm.ptr) -> !llvm.ptr
  %1 = llvm.call %find(%to, %module, %name) : !llvm.ptr, (!llvm.ptr, !llvm.ptr, !llvm.ptr) -> i32
  %found = arith.cmpi eq, %1, %fine : i32
  %much = arith.cmpi sgt, %shared, %most_shared : i64
  llvm.cond_br %found, ^shared, ^failed(%1 : i32)
^shared:
  llvm.cond_br %much, ^allow, ^done(%fine : i32)
^allow:
  %function = llvm.load %to : !llvm.ptr -> !llvm.ptr
  %bytes = arith.trunci %shared : i64 to i32
  %allow_name = llvm.mlir.addressof @name_set_attribute : !llvm.ptr
  %allow = llvm.call @dlsym(%driver, %allow_name) : (!llvm.ptr, !llvm.ptr) -> !llvm.ptr
  %2 = llvm.call %allow(%function, %shared_attribute, %bytes) : !llvm.ptr, (!llvm.ptr, i32, i32) -> i32
  %allowed = arith.cmpi eq, %2, %fine : i32
  llvm.cond_br %allowed, ^done(%fine : i32), ^failed(%2 : i32)
^failed(%status: i32):
  %what = llvm.mlir.addressof @loading : !llvm.ptr
  %3 = llvm.call @driver_fails(%device, %what, %status) : (!llvm.ptr, !llvm.ptr, i32) -> i32
  llvm.br ^done(%3 : i32)
^done(%code: i32):
  llvm.return %code : i32
}
llvm.mlir.global internal constant @name_get_function("cuModuleGetFunction\00")
llvm.mlir.global internal constant @name_set_attribute("cuFuncSetAttribute\00")
llvm.mlir.global internal constant @loading("loading the library's kernels\00")

llvm.func internal @push_context(%device: !llvm.ptr) {
  %c3 = arith.constant 3 : i64
  %word = arith.constant 7 : i64
  %context = llvm.call @pointer(%device, %c3) : (!llvm.ptr, i64) -> !llvm.ptr
  %push = llvm.call @pointer(%device, %word) : (!llvm.ptr, i64) -> !llvm.ptr
  %0 = llvm.call %push(%context) : !llvm.ptr, (!llvm.ptr) -> i32
  llvm.return
}

llvm.func internal @pop_context(%device: !llvm.ptr) {
  %c1 = arith.constant 1 : i64
  %word = arith.constant 8 : i64
  %place = llvm.alloca %c1 x !llvm.ptr : (i64) -> !llvm.ptr
  %pop = llvm.call @pointer(%device, %word) : (!llvm.ptr, i64) -> !llvm.ptr
  %0 = llvm.call %pop(%place) : !llvm.ptr, (!llvm.ptr) -> i32
  llvm.return
}

// Waits until the GPU has done all work.
llvm.func internal @device_wait(%device: !llvm.ptr) {
  %word = arith.constant 9 : i64
  llvm.call @push_context(%device) : (!llvm.ptr) -> ()
  %wait = llvm.call @pointer(%device, %word) : (!llvm.ptr, i64) -> !llvm.ptr
  %0 = llvm.call %wait() : !llvm.ptr, () -> i32
  llvm.call @pop_context(%device) : (!llvm.ptr) -> ()
  llvm.return
}

// A container uses a device no more. With the last one its code is unloaded.
llvm.func internal @device_close(%device: !llvm.ptr) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %mutex = llvm.mlir.addressof @devices_mutex : !llvm.ptr
  %first = llvm.mlir.addressof @devices : !llvm.ptr
  %count_at = llvm.getelementptr %device[2] : (!llvm.ptr) -> !llvm.ptr, i64
  %0 = llvm.call @pthread_mutex_lock(%mutex) : (!llvm.ptr) -> i32
  %count = llvm.load %count_at : !llvm.ptr -> i64
  %left = arith.subi %count, %c1 : i64
  llvm.store %left, %count_at : i64, !llvm.ptr
  %last = arith.cmpi eq, %left, %c0 : i64
  llvm.cond_br %last, ^look(%first : !llvm.ptr), ^unlock
^look(%place: !llvm.ptr):
  // The first word of a device is the place of the next one, as `devices` is that of the first.
  %here = llvm.load %place : !llvm.ptr -> !llvm.ptr
  %found = llvm.icmp "eq" %here, %device : !llvm.ptr
  llvm.cond_br %found, ^unlink, ^look(%here : !llvm.ptr)
^unlink:
  %next = llvm.load %device : !llvm.ptr -> !llvm.ptr
  llvm.store %next, %place : !llvm.ptr, !llvm.ptr
  llvm.call @device_wait(%device) : (!llvm.ptr) -> ()
  llvm.call @unload_device(%device) : (!llvm.ptr) -> ()
  llvm.br ^unlock
^unlock:
  %1 = llvm.call @pthread_mutex_unlock(%mutex) : (!llvm.ptr) -> i32
  llvm.return
}

llvm.func internal @unload_device(%device: !llvm.ptr) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c4 = arith.constant 4 : i64
  %c19 = arith.constant 19 : i64
  %c27 = arith.constant 27 : i64
  %null = llvm.mlir.zero : !llvm.ptr
  %unload_word = arith.constant 10 : i64
  %release_word = arith.constant 11 : i64
  %unload = llvm.call @pointer(%device, %unload_word) : (!llvm.ptr, i64) -> !llvm.ptr
  %release = llvm.call @pointer(%device, %release_word) : (!llvm.ptr, i64) -> !llvm.ptr
  %count = llvm.call @described(%c27) : (i64) -> i64
  llvm.call @push_context(%device) : (!llvm.ptr) -> ()
  scf.for %i = %c0 to %count step %c1 : i64 {
    %words = arith.muli %i, %c4 : i64
    %word = arith.addi %words, %c19 : i64
    %module = llvm.call @pointer(%device, %word) : (!llvm.ptr, i64) -> !llvm.ptr
    %some = llvm.icmp "ne" %module, %null : !llvm.ptr
    scf.if %some {
      %0 = llvm.call %unload(%module) : !llvm.ptr, (!llvm.ptr) -> i32
    }
  }
  llvm.call @pop_context(%device) : (!llvm.ptr) -> ()
  %wide = llvm.call @word(%device, %c1) : (!llvm.ptr, i64) -> i64
  %index = arith.trunci %wide : i64 to i32
  %1 = llvm.call %release(%index) : !llvm.ptr, (i32) -> i32
  llvm.call @free(%device) : (!llvm.ptr) -> ()
  llvm.return
}

// A call.

// Makes a device and a stream current until `device_leave`.
llvm.func internal @device_enter(%device: !llvm.ptr, %stream: !llvm.ptr, %guard: !llvm.ptr) -> i32 {
  %c1 = arith.constant 1 : i64
  %fine = arith.constant 0 : i32
  %null = llvm.mlir.zero : !llvm.ptr
  llvm.store %null, %guard : !llvm.ptr, !llvm.ptr
  %wide = llvm.call @word(%device, %c1) : (!llvm.ptr, i64) -> i64
  %index = arith.trunci %wide : i64 to i32
  %0 = llvm.call @aoti_torch_create_cuda_stream_guard(%stream, %index, %guard) : (!llvm.ptr, i32, !llvm.ptr) -> i32
  %ok = arith.cmpi eq, %0, %fine : i32
  %status = scf.if %ok -> (i32) {
    scf.yield %fine : i32
  } else {
    %text = llvm.call @torch_error() : () -> !llvm.ptr
    %1 = llvm.call @fails(%text) : (!llvm.ptr) -> i32
    scf.yield %1 : i32
  }
  llvm.return %status : i32
}

llvm.func internal @device_leave(%place: !llvm.ptr) {
  %guard = llvm.load %place : !llvm.ptr -> !llvm.ptr
  %0 = llvm.call @aoti_torch_delete_cuda_stream_guard(%guard) : (!llvm.ptr) -> i32
  llvm.return
}

// Launches a kernel, as the function of this name in `support.mlir`. record: [number of arguments, of launches, of variants, then variants: mask,
// number of the function of each launch]. Bit n of a variant's mask is set if argument n may be no multiple of 16. The first variant that fits
// runs; the last one fits always.
llvm.func @mlirind_host_launch(%frame: !llvm.ptr, %record: !llvm.ptr, %callable: i64, %words: !llvm.ptr, %grids: !llvm.ptr) -> i32 {
  %c0 = llvm.mlir.constant(0 : i64) : i64
  %c1 = llvm.mlir.constant(1 : i64) : i64
  %c2 = llvm.mlir.constant(2 : i64) : i64
  %c3 = llvm.mlir.constant(3 : i64) : i64
  %c4 = llvm.mlir.constant(4 : i64) : i64
  %c15 = llvm.mlir.constant(15 : i64) : i64
  %c62 = llvm.mlir.constant(62 : i64) : i64
  %all = llvm.mlir.constant(-1 : i64) : i64
  %fine = llvm.mlir.constant(0 : i32) : i32
  %context = llvm.call @pointer(%frame, %c1) : (!llvm.ptr, i64) -> !llvm.ptr
  %device = llvm.call @pointer(%context, %c3) : (!llvm.ptr, i64) -> !llvm.ptr
  %arguments = llvm.call @word(%record, %c0) : (!llvm.ptr, i64) -> i64
  %launches = llvm.call @word(%record, %c1) : (!llvm.ptr, i64) -> i64
  %variants = llvm.call @word(%record, %c2) : (!llvm.ptr, i64) -> i64
  %stream = llvm.call @pointer(%words, %c1) : (!llvm.ptr, i64) -> !llvm.ptr
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
  %width = llvm.add %launches, %c1 : i64
  %first = llvm.getelementptr %record[3] : (!llvm.ptr) -> !llvm.ptr, i64
  %before_last = llvm.sub %variants, %c1 : i64
  llvm.br ^variant(%c0, %first : i64, !llvm.ptr)
^variant(%v: i64, %row: !llvm.ptr):
  %allowed = llvm.load %row : !llvm.ptr -> i64
  %assumed = llvm.xor %allowed, %all : i64
  %broken = llvm.and %mask, %assumed : i64
  %fits = llvm.icmp "eq" %broken, %c0 : i64
  %is_last = llvm.icmp "eq" %v, %before_last : i64
  %takes = llvm.or %fits, %is_last : i1
  %v1 = llvm.add %v, %c1 : i64
  %following_row = llvm.getelementptr %row[%width] : (!llvm.ptr, i64) -> !llvm.ptr, i64
  llvm.cond_br %takes, ^launches(%c0 : i64), ^variant(%v1, %following_row : i64, !llvm.ptr)
^launches(%n: i64):
  %more = llvm.icmp "slt" %n, %launches : i64
  llvm.cond_br %more, ^grid, ^done
^grid:
  %wide = llvm.call @word(%grids, %n) : (!llvm.ptr, i64) -> i64
  %next = llvm.add %n, %c1 : i64
  %empty = llvm.icmp "eq" %wide, %c0 : i64
  llvm.cond_br %empty, ^launches(%next : i64), ^launch
^launch:
  %number = llvm.call @word(%row, %next) : (!llvm.ptr, i64) -> i64
  %function = llvm.call @function_of(%device, %number) : (!llvm.ptr, i64) -> !llvm.ptr
  %status = llvm.call @launch(%device, %function, %wide, %stream, %addresses) : (!llvm.ptr, !llvm.ptr, i64, !llvm.ptr, !llvm.ptr) -> i32
  %ok = llvm.icmp "eq" %status, %fine : i32
  llvm.cond_br %ok, ^launches(%next : i64), ^failed
^failed:
  %code = llvm.call @launch_fails(%device, %callable, %status) : (!llvm.ptr, i64, i32) -> i32
  llvm.return %code : i32
^done:
  llvm.return %fine : i32
}

llvm.func internal @function_of(%device: !llvm.ptr, %number: i64) -> !llvm.ptr {
  %c4 = arith.constant 4 : i64
  %c16 = arith.constant 16 : i64
  %words = arith.muli %number, %c4 : i64
  %word = arith.addi %words, %c16 : i64
  %function = llvm.getelementptr %device[%word] : (!llvm.ptr, i64) -> !llvm.ptr, i64
  llvm.return %function : !llvm.ptr
}

// One launch; the driver's status. A thread that has not used the GPU has no context: it gets the device's, and the launch is repeated.
llvm.func internal @launch(%device: !llvm.ptr, %function: !llvm.ptr, %grid: i64, %stream: !llvm.ptr, %addresses: !llvm.ptr) -> i32 {
  %no_context = arith.constant 201 : i32
  %c3 = arith.constant 3 : i64
  %0 = llvm.call @launch_once(%device, %function, %grid, %stream, %addresses) : (!llvm.ptr, !llvm.ptr, i64, !llvm.ptr, !llvm.ptr) -> i32
  %lost = arith.cmpi eq, %0, %no_context : i32
  %status = scf.if %lost -> (i32) {
    %enter_word = arith.constant 5 : i64
    %context = llvm.call @pointer(%device, %c3) : (!llvm.ptr, i64) -> !llvm.ptr
    %enter = llvm.call @pointer(%device, %enter_word) : (!llvm.ptr, i64) -> !llvm.ptr
    %1 = llvm.call %enter(%context) : !llvm.ptr, (!llvm.ptr) -> i32
    %2 = llvm.call @launch_once(%device, %function, %grid, %stream, %addresses) : (!llvm.ptr, !llvm.ptr, i64, !llvm.ptr, !llvm.ptr) -> i32
    scf.yield %2 : i32
  } else {
    scf.yield %0 : i32
  }
  llvm.return %status : i32
}

llvm.func internal @launch_once(%device: !llvm.ptr, %function: !llvm.ptr, %wide: i64, %stream: !llvm.ptr, %addresses: !llvm.ptr) -> i32 {
  %c1 = arith.constant 1 : i64
  %c2 = arith.constant 2 : i64
  %one = arith.constant 1 : i32
  %null = llvm.mlir.zero : !llvm.ptr
  %launch_word = arith.constant 4 : i64
  %handle = llvm.load %function : !llvm.ptr -> !llvm.ptr
  %wide_shared = llvm.call @word(%function, %c1) : (!llvm.ptr, i64) -> i64
  %wide_threads = llvm.call @word(%function, %c2) : (!llvm.ptr, i64) -> i64
  %shared = arith.trunci %wide_shared : i64 to i32
  %threads = arith.trunci %wide_threads : i64 to i32
  %grid = arith.trunci %wide : i64 to i32
  %launch = llvm.call @pointer(%device, %launch_word) : (!llvm.ptr, i64) -> !llvm.ptr
  %status = llvm.call %launch(%handle, %grid, %one, %one, %threads, %one, %one, %shared, %stream, %addresses, %null) : !llvm.ptr, (!llvm.ptr, i32, i32, i32, i32, i32, i32, i32, !llvm.ptr, !llvm.ptr, !llvm.ptr) -> i32
  llvm.return %status : i32
}

// Sets the error of a launch; the text of its callable says what was launched.
llvm.func internal @launch_fails(%device: !llvm.ptr, %callable: i64, %status: i32) -> i32 {
  %c1 = arith.constant 1 : i64
  %c13 = arith.constant 13 : i64
  %own = arith.constant 7 : i64
  %number = arith.subi %callable, %own : i64
  %failures = llvm.call @described_pointer(%c13) : (i64) -> !llvm.ptr
  %entry = llvm.call @pointer(%failures, %number) : (!llvm.ptr, i64) -> !llvm.ptr
  %what = llvm.call @pointer(%entry, %c1) : (!llvm.ptr, i64) -> !llvm.ptr
  %0 = llvm.call @driver_fails(%device, %what, %status) : (!llvm.ptr, !llvm.ptr, i32) -> i32
  llvm.return %0 : i32
}
