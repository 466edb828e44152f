// Attention in tiles. Threads first pack keys and values, blocks of 64 keys, then take one tile after the other: some query rows of a head,
// with the keys that they may see. A tile walks over chunks of its keys with an online softmax. For each chunk: the product of query and
// keys, the code that modifies and masks scores, exponentials, the product with the values, which is added to the rows' sums.
// `runtime/cpu/attention_tile_code.py` compiles this file together with the functions @partial, @full, @statistics, @convert, @pack_keys and
// @pack_values, which call kernels, and @rounded, which rounds weights; only the first two can fail.
//
// %call, %tile, %chunk, %span and %block are words of 64 bits; attention_words.py has their order. Lengths are in elements, offsets and
// bytes as their names say. A block of packed keys has for each element of the width, or each pair of bfloat16, a line of 64 keys.

llvm.func @GOMP_parallel(!llvm.ptr, !llvm.ptr, i32, i32)
llvm.func @omp_get_thread_num() -> i32

llvm.func internal @word(%words: !llvm.ptr, %number: i64) -> i64 {
  %at = llvm.getelementptr %words[%number] : (!llvm.ptr, i64) -> !llvm.ptr, i64
  %word = llvm.load %at : !llvm.ptr -> i64
  llvm.return %word : i64
}

llvm.func internal @address(%words: !llvm.ptr, %number: i64) -> !llvm.ptr {
  %word = llvm.call @word(%words, %number) : (!llvm.ptr, i64) -> i64
  %address = llvm.inttoptr %word : i64 to !llvm.ptr
  llvm.return %address : !llvm.ptr
}

llvm.func internal @after(%base: !llvm.ptr, %bytes: i64) -> !llvm.ptr {
  %address = llvm.getelementptr %base[%bytes] : (!llvm.ptr, i64) -> !llvm.ptr, i8
  llvm.return %address : !llvm.ptr
}

// The function that Python calls.
llvm.func @mlirind_attention(%call: !llvm.ptr) {
  %threads_at = llvm.mlir.constant(THREADS : i64) : i64
  %none = llvm.mlir.constant(0 : i32) : i32
  %threads = llvm.call @word(%call, %threads_at) : (!llvm.ptr, i64) -> i64
  %count = llvm.trunc %threads : i64 to i32
  %packer = llvm.mlir.addressof @packer : !llvm.ptr
  llvm.call @GOMP_parallel(%packer, %call, %count, %none) : (!llvm.ptr, !llvm.ptr, i32, i32) -> ()
  %worker = llvm.mlir.addressof @worker : !llvm.ptr
  llvm.call @GOMP_parallel(%worker, %call, %count, %none) : (!llvm.ptr, !llvm.ptr, i32, i32) -> ()
  llvm.return
}

// Packs blocks until none is left.
llvm.func internal @packer(%call: !llvm.ptr) {
  %zero = llvm.mlir.constant(0 : i64) : i64
  %one = llvm.mlir.constant(1 : i64) : i64
  %blocks_at = llvm.mlir.constant(BLOCKS : i64) : i64
  %count_at = llvm.mlir.constant(BLOCK_COUNT : i64) : i64
  %words = llvm.mlir.constant(BLOCK_WORDS : i64) : i64
  %key_source_at = llvm.mlir.constant(KEY_SOURCE : i64) : i64
  %key_target_at = llvm.mlir.constant(KEY_TARGET : i64) : i64
  %key_numbers_at = llvm.mlir.constant(KEY_NUMBERS : i64) : i64
  %value_source_at = llvm.mlir.constant(VALUE_SOURCE : i64) : i64
  %value_target_at = llvm.mlir.constant(VALUE_TARGET : i64) : i64
  %value_numbers_at = llvm.mlir.constant(VALUE_NUMBERS : i64) : i64
  %blocks = llvm.call @address(%call, %blocks_at) : (!llvm.ptr, i64) -> !llvm.ptr
  %count = llvm.call @word(%call, %count_at) : (!llvm.ptr, i64) -> i64
  %next = llvm.getelementptr %call[NEXT_BLOCK] : (!llvm.ptr) -> !llvm.ptr, i64
  scf.while : () -> () {
    %taken = llvm.atomicrmw add %next, %one monotonic : !llvm.ptr, i64
    %some = arith.cmpi slt, %taken, %count : i64
    scf.if %some {
      %offset = arith.muli %taken, %words : i64
      %block = llvm.getelementptr %blocks[%offset] : (!llvm.ptr, i64) -> !llvm.ptr, i64
      %key_source = llvm.call @address(%block, %key_source_at) : (!llvm.ptr, i64) -> !llvm.ptr
      %key_target = llvm.call @address(%block, %key_target_at) : (!llvm.ptr, i64) -> !llvm.ptr
      %key_numbers = llvm.call @address(%block, %key_numbers_at) : (!llvm.ptr, i64) -> !llvm.ptr
      %0 = llvm.call @pack_keys(%key_source, %key_target, %key_numbers) : (!llvm.ptr, !llvm.ptr, !llvm.ptr) -> i32
      %numbers = llvm.call @word(%block, %value_numbers_at) : (!llvm.ptr, i64) -> i64
      %packs_values = arith.cmpi ne, %numbers, %zero : i64
      scf.if %packs_values {
        %value_source = llvm.call @address(%block, %value_source_at) : (!llvm.ptr, i64) -> !llvm.ptr
        %value_target = llvm.call @address(%block, %value_target_at) : (!llvm.ptr, i64) -> !llvm.ptr
        %value_numbers = llvm.inttoptr %numbers : i64 to !llvm.ptr
        %1 = llvm.call @pack_values(%value_source, %value_target, %value_numbers) : (!llvm.ptr, !llvm.ptr, !llvm.ptr) -> i32
      }
    }
    scf.condition(%some)
  } do {
    scf.yield
  }
  llvm.return
}

// Takes tiles until none is left.
llvm.func internal @worker(%call: !llvm.ptr) {
  %one = llvm.mlir.constant(1 : i64) : i64
  %tiles_at = llvm.mlir.constant(TILES : i64) : i64
  %count_at = llvm.mlir.constant(TILE_COUNT : i64) : i64
  %scratch_at = llvm.mlir.constant(SCRATCH : i64) : i64
  %bytes_at = llvm.mlir.constant(SCRATCH_BYTES : i64) : i64
  %release_at = llvm.mlir.constant(RELEASE : i64) : i64
  %packed_at = llvm.mlir.constant(PACKED : i64) : i64
  %words = llvm.mlir.constant(TILE_WORDS : i64) : i64
  %fine = llvm.mlir.constant(0 : i32) : i32
  %tiles = llvm.call @address(%call, %tiles_at) : (!llvm.ptr, i64) -> !llvm.ptr
  %count = llvm.call @word(%call, %count_at) : (!llvm.ptr, i64) -> i64
  %all_scratch = llvm.call @address(%call, %scratch_at) : (!llvm.ptr, i64) -> !llvm.ptr
  %bytes = llvm.call @word(%call, %bytes_at) : (!llvm.ptr, i64) -> i64
  %packed = llvm.call @word(%call, %packed_at) : (!llvm.ptr, i64) -> i64
  %release = llvm.call @address(%call, %release_at) : (!llvm.ptr, i64) -> !llvm.ptr
  %thread = llvm.call @omp_get_thread_num() : () -> i32
  %number = llvm.zext %thread : i32 to i64
  %before = llvm.mul %bytes, %number : i64
  %scratch = llvm.call @after(%all_scratch, %before) : (!llvm.ptr, i64) -> !llvm.ptr
  %next = llvm.getelementptr %call[NEXT] : (!llvm.ptr) -> !llvm.ptr, i64
  %failed = llvm.getelementptr %call[FAILED] : (!llvm.ptr) -> !llvm.ptr, i64
  scf.while : () -> () {
    %taken = llvm.atomicrmw add %next, %one monotonic : !llvm.ptr, i64
    %some = arith.cmpi slt, %taken, %count : i64
    scf.if %some {
      %offset = arith.muli %taken, %words : i64
      %tile = llvm.getelementptr %tiles[%offset] : (!llvm.ptr, i64) -> !llvm.ptr, i64
      %status = llvm.call @tile(%call, %tile, %scratch) : (!llvm.ptr, !llvm.ptr, !llvm.ptr) -> i32
      %bad = arith.cmpi ne, %status, %fine : i32
      scf.if %bad {
        llvm.store %one, %failed : i64, !llvm.ptr
      }
    }
    scf.condition(%some)
  } do {
    scf.yield
  }
  %flag = llvm.trunc %packed : i64 to i32
  llvm.call %release(%flag) : !llvm.ptr, (i32) -> ()
  llvm.return
}

// One tile; the joined status of its kernels.
llvm.func internal @tile(%call: !llvm.ptr, %tile: !llvm.ptr, %scratch: !llvm.ptr) -> i32 {
  %zero = llvm.mlir.constant(0 : i64) : i64
  %one = llvm.mlir.constant(1 : i64) : i64
  %fine = llvm.mlir.constant(0 : i32) : i32
  %sums_at = llvm.mlir.constant(SUMS : i64) : i64
  %maxima_at = llvm.mlir.constant(MAXIMA : i64) : i64
  %totals_at = llvm.mlir.constant(TOTALS : i64) : i64
  %chunks_at = llvm.mlir.constant(CHUNKS : i64) : i64
  %chunk_count_at = llvm.mlir.constant(CHUNK_COUNT : i64) : i64
  %chunk_words = llvm.mlir.constant(CHUNK_WORDS : i64) : i64
  %sums_offset = llvm.call @word(%call, %sums_at) : (!llvm.ptr, i64) -> i64
  %sums = llvm.call @after(%scratch, %sums_offset) : (!llvm.ptr, i64) -> !llvm.ptr
  %maxima_offset = llvm.call @word(%call, %maxima_at) : (!llvm.ptr, i64) -> i64
  %maxima = llvm.call @after(%scratch, %maxima_offset) : (!llvm.ptr, i64) -> !llvm.ptr
  %totals_offset = llvm.call @word(%call, %totals_at) : (!llvm.ptr, i64) -> i64
  %totals = llvm.call @after(%scratch, %totals_offset) : (!llvm.ptr, i64) -> !llvm.ptr
  %chunks = llvm.call @address(%tile, %chunks_at) : (!llvm.ptr, i64) -> !llvm.ptr
  %count = llvm.call @word(%tile, %chunk_count_at) : (!llvm.ptr, i64) -> i64
  %status = scf.for %c = %zero to %count step %one iter_args(%before = %fine) -> (i32) : i64 {
    %offset = arith.muli %c, %chunk_words : i64
    %chunk = llvm.getelementptr %chunks[%offset] : (!llvm.ptr, i64) -> !llvm.ptr, i64
    %is_later = arith.cmpi ne, %c, %zero : i64
    %changed = llvm.call @chunk(%call, %tile, %chunk, %scratch, %maxima, %totals, %sums, %is_later) : (!llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr, i1) -> i32
    %joined = arith.ori %before, %changed : i32
    scf.yield %joined : i32
  }
  %0 = llvm.call @statistics(%call, %tile, %maxima, %totals) : (!llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr) -> i32
  %1 = llvm.call @convert(%call, %tile, %sums, %maxima, %totals) : (!llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr) -> i32
  llvm.return %status : i32
}

// Adds what a chunk of keys gives to the rows' sums.
llvm.func internal @chunk(%call: !llvm.ptr, %tile: !llvm.ptr, %chunk: !llvm.ptr, %scores: !llvm.ptr, %maxima: !llvm.ptr, %totals: !llvm.ptr, %sums: !llvm.ptr, %is_later: i1) -> i32 {
  %zero = llvm.mlir.constant(0 : i64) : i64
  %one = llvm.mlir.constant(1 : i64) : i64
  %four = llvm.mlir.constant(4 : i64) : i64
  %block = llvm.mlir.constant(PADDING : i64) : i64
  %fine = llvm.mlir.constant(0 : i32) : i32
  %infinity = llvm.mlir.constant(0xFF800000 : f32) : f32
  %product_at = llvm.mlir.constant(PRODUCT : i64) : i64
  %packed_at = llvm.mlir.constant(PACKED : i64) : i64
  %width_at = llvm.mlir.constant(WIDTH : i64) : i64
  %value_width_at = llvm.mlir.constant(VALUE_WIDTH : i64) : i64
  %query_row_at = llvm.mlir.constant(QUERY_ROW : i64) : i64
  %key_bytes_at = llvm.mlir.constant(KEY_BYTES : i64) : i64
  %value_bytes_at = llvm.mlir.constant(VALUE_BYTES : i64) : i64
  %weight_bytes_at = llvm.mlir.constant(WEIGHT_BYTES : i64) : i64
  %weights_at = llvm.mlir.constant(WEIGHTS : i64) : i64
  %query_at = llvm.mlir.constant(QUERY : i64) : i64
  %key_at = llvm.mlir.constant(KEY : i64) : i64
  %value_at = llvm.mlir.constant(VALUE : i64) : i64
  %rows_at = llvm.mlir.constant(ROWS : i64) : i64
  %start_at = llvm.mlir.constant(START : i64) : i64
  %keys_at = llvm.mlir.constant(KEYS : i64) : i64
  %padded_at = llvm.mlir.constant(PADDED : i64) : i64
  %length_at = llvm.mlir.constant(LENGTH : i64) : i64
  %spans_at = llvm.mlir.constant(SPANS : i64) : i64
  %span_count_at = llvm.mlir.constant(SPAN_COUNT : i64) : i64
  %span_words = llvm.mlir.constant(SPAN_WORDS : i64) : i64
  %product = llvm.call @address(%call, %product_at) : (!llvm.ptr, i64) -> !llvm.ptr
  %packed_word = llvm.call @word(%call, %packed_at) : (!llvm.ptr, i64) -> i64
  %packed = llvm.trunc %packed_word : i64 to i32
  %width = llvm.call @word(%call, %width_at) : (!llvm.ptr, i64) -> i64
  %value_width = llvm.call @word(%call, %value_width_at) : (!llvm.ptr, i64) -> i64
  %query_row = llvm.call @word(%call, %query_row_at) : (!llvm.ptr, i64) -> i64
  %key_bytes = llvm.call @word(%call, %key_bytes_at) : (!llvm.ptr, i64) -> i64
  %value_bytes = llvm.call @word(%call, %value_bytes_at) : (!llvm.ptr, i64) -> i64
  %weight_bytes = llvm.call @word(%call, %weight_bytes_at) : (!llvm.ptr, i64) -> i64
  %weights_offset = llvm.call @word(%call, %weights_at) : (!llvm.ptr, i64) -> i64
  %weights = llvm.call @after(%scores, %weights_offset) : (!llvm.ptr, i64) -> !llvm.ptr
  %query = llvm.call @address(%tile, %query_at) : (!llvm.ptr, i64) -> !llvm.ptr
  %all_keys = llvm.call @address(%tile, %key_at) : (!llvm.ptr, i64) -> !llvm.ptr
  %all_values = llvm.call @address(%tile, %value_at) : (!llvm.ptr, i64) -> !llvm.ptr
  %rows = llvm.call @word(%tile, %rows_at) : (!llvm.ptr, i64) -> i64
  %start = llvm.call @word(%chunk, %start_at) : (!llvm.ptr, i64) -> i64
  %keys = llvm.call @word(%chunk, %keys_at) : (!llvm.ptr, i64) -> i64
  %padded = llvm.call @word(%chunk, %padded_at) : (!llvm.ptr, i64) -> i64
  %length = llvm.call @word(%chunk, %length_at) : (!llvm.ptr, i64) -> i64
  %spans = llvm.call @address(%chunk, %spans_at) : (!llvm.ptr, i64) -> !llvm.ptr
  %span_count = llvm.call @word(%chunk, %span_count_at) : (!llvm.ptr, i64) -> i64
  scf.for %n = %zero to %padded step %block : i64 {
    %number = arith.addi %start, %n : i64
    %key_offset = arith.muli %number, %key_bytes : i64
    %some_keys = llvm.call @after(%all_keys, %key_offset) : (!llvm.ptr, i64) -> !llvm.ptr
    %score_offset = arith.muli %n, %four : i64
    %some_scores = llvm.call @after(%scores, %score_offset) : (!llvm.ptr, i64) -> !llvm.ptr
    llvm.call %product(%rows, %block, %width, %query_row, %block, %length, %fine, %query, %some_keys, %some_scores, %packed) : !llvm.ptr, (i64, i64, i64, i64, i64, i64, i32, !llvm.ptr, !llvm.ptr, !llvm.ptr, i32) -> ()
  }
  // Scores of padding are minus infinity.
  %is_padded = arith.cmpi slt, %keys, %padded : i64
  scf.if %is_padded {
    scf.for %r = %zero to %rows step %one : i64 {
      %line = arith.muli %r, %length : i64
      scf.for %c = %keys to %padded step %one : i64 {
        %place = arith.addi %line, %c : i64
        %score = llvm.getelementptr %scores[%place] : (!llvm.ptr, i64) -> !llvm.ptr, f32
        llvm.store %infinity, %score : f32, !llvm.ptr
      }
    }
  }
  %status = scf.for %s = %zero to %span_count step %one iter_args(%before = %fine) -> (i32) : i64 {
    %offset = arith.muli %s, %span_words : i64
    %span = llvm.getelementptr %spans[%offset] : (!llvm.ptr, i64) -> !llvm.ptr, i64
    %kind = llvm.load %span : !llvm.ptr -> i64
    %is_full = arith.trunci %kind : i64 to i1
    %changed = scf.if %is_full -> (i32) {
      %modified = llvm.call @full(%call, %tile, %span, %scores) : (!llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr) -> i32
      scf.yield %modified : i32
    } else {
      %masked = llvm.call @partial(%call, %tile, %span, %scores) : (!llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr) -> i32
      scf.yield %masked : i32
    }
    %joined = arith.ori %before, %changed : i32
    scf.yield %joined : i32
  }
  llvm.call @softmax(%call, %rows, %padded, %length, %scores, %weights, %maxima, %totals, %sums, %is_later) : (!llvm.ptr, i64, i64, i64, !llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr, i1) -> ()
  %adds = arith.extui %is_later : i1 to i32
  %value_offset = arith.muli %start, %value_bytes : i64
  %values = llvm.call @after(%all_values, %value_offset) : (!llvm.ptr, i64) -> !llvm.ptr
  %0, %1 = scf.while (%k = %zero, %add = %adds) : (i64, i32) -> (i64, i32) {
    %some = arith.cmpi slt, %k, %padded : i64
    scf.condition(%some) %k, %add : i64, i32
  } do {
  ^bb0(%k: i64, %add: i32):
    %rest = arith.subi %padded, %k : i64
    %summed = llvm.call @part(%rest) : (i64) -> i64
    %weight_offset = arith.muli %k, %weight_bytes : i64
    %some_weights = llvm.call @after(%weights, %weight_offset) : (!llvm.ptr, i64) -> !llvm.ptr
    %some_offset = arith.muli %k, %value_bytes : i64
    %some_values = llvm.call @after(%values, %some_offset) : (!llvm.ptr, i64) -> !llvm.ptr
    llvm.call %product(%rows, %value_width, %summed, %length, %value_width, %value_width, %add, %some_weights, %some_values, %sums, %packed) : !llvm.ptr, (i64, i64, i64, i64, i64, i64, i32, !llvm.ptr, !llvm.ptr, !llvm.ptr, i32) -> ()
    %then = arith.addi %k, %summed : i64
    %adding = arith.constant 1 : i32
    scf.yield %then, %adding : i64, i32
  }
  llvm.return %status : i32
}

// How many keys the next part of a product sums: a power of two, so that the library has few different products to prepare.
llvm.func internal @part(%rest: i64) -> i64 {
  %one = llvm.mlir.constant(1 : i64) : i64
  %last = llvm.mlir.constant(63 : i64) : i64
  %zeros = "llvm.intr.ctlz"(%rest) <{is_zero_poison = true}> : (i64) -> i64
  %bit = llvm.sub %last, %zeros : i64
  %part = llvm.shl %one, %bit : i64
  llvm.return %part : i64
}
