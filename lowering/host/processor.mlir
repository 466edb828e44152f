// Which instructions this processor has (x86-64): the words that `cpuid` gives for them.

llvm.func internal @cpuid(%leaf: i32, %subleaf: i32) -> !llvm.struct<(i32, i32, i32, i32)> {
  %0 = llvm.inline_asm has_side_effects "cpuid", "={ax},={bx},={cx},={dx},{ax},{cx}" %leaf, %subleaf : (i32, i32) -> !llvm.struct<(i32, i32, i32, i32)>
  llvm.return %0 : !llvm.struct<(i32, i32, i32, i32)>
}

// Six words: of leaf 1 ecx, of leaf 7 ebx, ecx and edx, of leaf 7.1 eax, of leaf 0x80000001 ecx.
llvm.func @mlirind_processor(%words: !llvm.ptr) {
  %zero = llvm.mlir.constant(0 : i32) : i32
  %one = llvm.mlir.constant(1 : i32) : i32
  %seven = llvm.mlir.constant(7 : i32) : i32
  %extended = llvm.mlir.constant(-2147483647 : i32) : i32
  %first = llvm.call @cpuid(%one, %zero) : (i32, i32) -> !llvm.struct<(i32, i32, i32, i32)>
  %c1 = llvm.extractvalue %first[2] : !llvm.struct<(i32, i32, i32, i32)>
  %most = llvm.call @cpuid(%zero, %zero) : (i32, i32) -> !llvm.struct<(i32, i32, i32, i32)>
  %leaves = llvm.extractvalue %most[0] : !llvm.struct<(i32, i32, i32, i32)>
  %has_seven = llvm.icmp "uge" %leaves, %seven : i32
  %leaf = llvm.select %has_seven, %seven, %zero : i1, i32
  %mask = llvm.sext %has_seven : i1 to i32
  %features = llvm.call @cpuid(%leaf, %zero) : (i32, i32) -> !llvm.struct<(i32, i32, i32, i32)>
  %more = llvm.call @cpuid(%leaf, %one) : (i32, i32) -> !llvm.struct<(i32, i32, i32, i32)>
  %last = llvm.call @cpuid(%extended, %zero) : (i32, i32) -> !llvm.struct<(i32, i32, i32, i32)>
  %b7 = llvm.extractvalue %features[1] : !llvm.struct<(i32, i32, i32, i32)>
  %c7 = llvm.extractvalue %features[2] : !llvm.struct<(i32, i32, i32, i32)>
  %d7 = llvm.extractvalue %features[3] : !llvm.struct<(i32, i32, i32, i32)>
  %a71 = llvm.extractvalue %more[0] : !llvm.struct<(i32, i32, i32, i32)>
  %ce = llvm.extractvalue %last[2] : !llvm.struct<(i32, i32, i32, i32)>
  %b = llvm.and %b7, %mask : i32
  %c = llvm.and %c7, %mask : i32
  %d = llvm.and %d7, %mask : i32
  %a = llvm.and %a71, %mask : i32
  llvm.call @put(%words, %zero, %c1) : (!llvm.ptr, i32, i32) -> ()
  %two = llvm.mlir.constant(2 : i32) : i32
  %three = llvm.mlir.constant(3 : i32) : i32
  %four = llvm.mlir.constant(4 : i32) : i32
  %five = llvm.mlir.constant(5 : i32) : i32
  llvm.call @put(%words, %one, %b) : (!llvm.ptr, i32, i32) -> ()
  llvm.call @put(%words, %two, %c) : (!llvm.ptr, i32, i32) -> ()
  llvm.call @put(%words, %three, %d) : (!llvm.ptr, i32, i32) -> ()
  llvm.call @put(%words, %four, %a) : (!llvm.ptr, i32, i32) -> ()
  llvm.call @put(%words, %five, %ce) : (!llvm.ptr, i32, i32) -> ()
  llvm.return
}

llvm.func internal @put(%words: !llvm.ptr, %index: i32, %value: i32) {
  %at = llvm.getelementptr %words[%index] : (!llvm.ptr, i32) -> !llvm.ptr, i64
  %wide = llvm.zext %value : i32 to i64
  llvm.store %wide, %at : i64, !llvm.ptr
  llvm.return
}
