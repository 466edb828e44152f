// Attention in tiles: threads take one tile after the other, some query rows of a head with the keys that they may see. For each: the
// product of query and keys, the code that modifies and masks scores, softmax, the product with the values, the conversion of the output.
// `runtime/cpu/attention_tile_code.py` compiles this file together with the functions @partial, @full, @maximum, @exponentials, @weights and
// @convert, which call kernels; only the first two can fail.
//
// %call, %tile and %span are words of 64 bits; attention_words.py has their order. Lengths are in elements, offsets in bytes. A key is four
// bytes of a row of packed keys: a float32, or a pair of bfloat16.

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

// The function that Python calls.
llvm.func @mlirind_attention(%call: !llvm.ptr) {
  %threads_at = llvm.mlir.constant(THREADS : i64) : i64
  %none = llvm.mlir.constant(0 : i32) : i32
  %threads = llvm.call @word(%call, %threads_at) : (!llvm.ptr, i64) -> i64
  %count = llvm.trunc %threads : i64 to i32
  %worker = llvm.mlir.addressof @worker : !llvm.ptr
  llvm.call @GOMP_parallel(%worker, %call, %count, %none) : (!llvm.ptr, !llvm.ptr, i32, i32) -> ()
  llvm.return
}

// Takes tiles until none is left.
llvm.func internal @worker(%call: !llvm.ptr) {
  %one = llvm.mlir.constant(1 : i64) : i64
  %tiles_at = llvm.mlir.constant(TILES : i64) : i64
  %count_at = llvm.mlir.constant(TILE_COUNT : i64) : i64
  %next_at = llvm.mlir.constant(NEXT : i64) : i64
  %scratch_at = llvm.mlir.constant(SCRATCH : i64) : i64
  %bytes_at = llvm.mlir.constant(SCRATCH_BYTES : i64) : i64
  %failed_at = llvm.mlir.constant(FAILED : i64) : i64
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
  %scratch = llvm.getelementptr %all_scratch[%before] : (!llvm.ptr, i64) -> !llvm.ptr, i8
  %next = llvm.getelementptr %call[NEXT] : (!llvm.ptr) -> !llvm.ptr, i64
  %failed = llvm.getelementptr %call[FAILED] : (!llvm.ptr) -> !llvm.ptr, i64
  llvm.br ^take
^take:
  %taken = llvm.atomicrmw add %next, %one monotonic : !llvm.ptr, i64
  %some = llvm.icmp "slt" %taken, %count : i64
  llvm.cond_br %some, ^compute, ^done
^compute:
  %offset = llvm.mul %taken, %words : i64
  %tile = llvm.getelementptr %tiles[%offset] : (!llvm.ptr, i64) -> !llvm.ptr, i64
  %status = llvm.call @tile(%call, %tile, %scratch) : (!llvm.ptr, !llvm.ptr, !llvm.ptr) -> i32
  %ok = llvm.icmp "eq" %status, %fine : i32
  llvm.cond_br %ok, ^take, ^note
^note:
  llvm.store %one, %failed : i64, !llvm.ptr
  llvm.br ^take
^done:
  %flag = llvm.trunc %packed : i64 to i32
  llvm.call %release(%flag) : !llvm.ptr, (i32) -> ()
  llvm.return
}

// The largest size of a product's part: a power of two, so that the library has few different products to prepare.
llvm.func internal @part(%rest: i64) -> i64 {
  %one = llvm.mlir.constant(1 : i64) : i64
  %last = llvm.mlir.constant(63 : i64) : i64
  %most = llvm.mlir.constant(LARGEST_PART : i64) : i64
  %zeros = "llvm.intr.ctlz"(%rest) <{is_zero_poison = true}> : (i64) -> i64
  %bit = llvm.sub %last, %zeros : i64
  %size = llvm.shl %one, %bit : i64
  %part = llvm.intr.smin(%size, %most) : (i64, i64) -> i64
  llvm.return %part : i64
}

// One tile; the joined status of its kernels.
llvm.func internal @tile(%call: !llvm.ptr, %tile: !llvm.ptr, %scores: !llvm.ptr) -> i32 {
  %c0 = llvm.mlir.constant(0 : i64) : i64
  %c1 = llvm.mlir.constant(1 : i64) : i64
  %c4 = llvm.mlir.constant(4 : i64) : i64
  %fine = llvm.mlir.constant(0 : i32) : i32
  %overwrite = llvm.mlir.constant(0 : i32) : i32
  %infinity = llvm.mlir.constant(0xFF800000 : f32) : f32
  %product_at = llvm.mlir.constant(PRODUCT : i64) : i64
  %packed_at = llvm.mlir.constant(PACKED : i64) : i64
  %width_at = llvm.mlir.constant(WIDTH : i64) : i64
  %value_width_at = llvm.mlir.constant(VALUE_WIDTH : i64) : i64
  %query_row_at = llvm.mlir.constant(QUERY_ROW : i64) : i64
  %key_row_at = llvm.mlir.constant(KEY_ROW : i64) : i64
  %value_bytes_at = llvm.mlir.constant(VALUE_BYTES : i64) : i64
  %weight_bytes_at = llvm.mlir.constant(WEIGHT_BYTES : i64) : i64
  %weights_at = llvm.mlir.constant(WEIGHTS : i64) : i64
  %sums_at = llvm.mlir.constant(SUMS : i64) : i64
  %maxima_at = llvm.mlir.constant(MAXIMA : i64) : i64
  %divisors_at = llvm.mlir.constant(DIVISORS : i64) : i64
  %direct_at = llvm.mlir.constant(DIRECT : i64) : i64
  %sum_row_at = llvm.mlir.constant(SUM_ROW : i64) : i64
  %out_at = llvm.mlir.constant(OUT_AT : i64) : i64
  %query_at = llvm.mlir.constant(QUERY : i64) : i64
  %key_at = llvm.mlir.constant(KEY : i64) : i64
  %value_at = llvm.mlir.constant(VALUE : i64) : i64
  %rows_at = llvm.mlir.constant(ROWS : i64) : i64
  %keys_at = llvm.mlir.constant(KEYS : i64) : i64
  %padded_at = llvm.mlir.constant(PADDED : i64) : i64
  %spans_at = llvm.mlir.constant(SPANS : i64) : i64
  %span_count_at = llvm.mlir.constant(SPAN_COUNT : i64) : i64
  %span_words = llvm.mlir.constant(SPAN_WORDS : i64) : i64
  %product = llvm.call @address(%call, %product_at) : (!llvm.ptr, i64) -> !llvm.ptr
  %packed_word = llvm.call @word(%call, %packed_at) : (!llvm.ptr, i64) -> i64
  %packed = llvm.trunc %packed_word : i64 to i32
  %width = llvm.call @word(%call, %width_at) : (!llvm.ptr, i64) -> i64
  %value_width = llvm.call @word(%call, %value_width_at) : (!llvm.ptr, i64) -> i64
  %query_row = llvm.call @word(%call, %query_row_at) : (!llvm.ptr, i64) -> i64
  %key_row = llvm.call @word(%call, %key_row_at) : (!llvm.ptr, i64) -> i64
  %value_bytes = llvm.call @word(%call, %value_bytes_at) : (!llvm.ptr, i64) -> i64
  %weight_bytes = llvm.call @word(%call, %weight_bytes_at) : (!llvm.ptr, i64) -> i64
  %weights_offset = llvm.call @word(%call, %weights_at) : (!llvm.ptr, i64) -> i64
  %sums_offset = llvm.call @word(%call, %sums_at) : (!llvm.ptr, i64) -> i64
  %weights = llvm.getelementptr %scores[%weights_offset] : (!llvm.ptr, i64) -> !llvm.ptr, i8
  %maxima_offset = llvm.call @word(%call, %maxima_at) : (!llvm.ptr, i64) -> i64
  %maxima = llvm.getelementptr %scores[%maxima_offset] : (!llvm.ptr, i64) -> !llvm.ptr, i8
  %divisors_offset = llvm.call @word(%call, %divisors_at) : (!llvm.ptr, i64) -> i64
  %divisors = llvm.getelementptr %scores[%divisors_offset] : (!llvm.ptr, i64) -> !llvm.ptr, i8
  %own_sums = llvm.getelementptr %scores[%sums_offset] : (!llvm.ptr, i64) -> !llvm.ptr, i8
  %out = llvm.call @address(%tile, %out_at) : (!llvm.ptr, i64) -> !llvm.ptr
  %is_direct = llvm.call @word(%call, %direct_at) : (!llvm.ptr, i64) -> i64
  %direct = llvm.trunc %is_direct : i64 to i1
  %sums = llvm.select %direct, %out, %own_sums : i1, !llvm.ptr
  %sum_row = llvm.call @word(%call, %sum_row_at) : (!llvm.ptr, i64) -> i64
  %query = llvm.call @address(%tile, %query_at) : (!llvm.ptr, i64) -> !llvm.ptr
  %key = llvm.call @address(%tile, %key_at) : (!llvm.ptr, i64) -> !llvm.ptr
  %value = llvm.call @address(%tile, %value_at) : (!llvm.ptr, i64) -> !llvm.ptr
  %rows = llvm.call @word(%tile, %rows_at) : (!llvm.ptr, i64) -> i64
  %keys = llvm.call @word(%tile, %keys_at) : (!llvm.ptr, i64) -> i64
  %padded = llvm.call @word(%tile, %padded_at) : (!llvm.ptr, i64) -> i64
  %spans = llvm.call @address(%tile, %spans_at) : (!llvm.ptr, i64) -> !llvm.ptr
  %span_count = llvm.call @word(%tile, %span_count_at) : (!llvm.ptr, i64) -> i64
  llvm.br ^score(%c0 : i64)
^score(%n: i64):
  %score_part = llvm.sub %padded, %n : i64
  %columns = llvm.call @part(%score_part) : (i64) -> i64
  %score_offset = llvm.mul %n, %c4 : i64
  %some_keys = llvm.getelementptr %key[%score_offset] : (!llvm.ptr, i64) -> !llvm.ptr, i8
  %some_scores = llvm.getelementptr %scores[%score_offset] : (!llvm.ptr, i64) -> !llvm.ptr, i8
  llvm.call %product(%rows, %columns, %width, %query_row, %key_row, %padded, %overwrite, %query, %some_keys, %some_scores, %packed) : !llvm.ptr, (i64, i64, i64, i64, i64, i64, i32, !llvm.ptr, !llvm.ptr, !llvm.ptr, i32) -> ()
  %following = llvm.add %n, %columns : i64
  %more = llvm.icmp "slt" %following, %padded : i64
  llvm.cond_br %more, ^score(%following : i64), ^row(%c0 : i64)
// Scores of padding are minus infinity.
^row(%r: i64):
  %some_rows = llvm.icmp "slt" %r, %rows : i64
  llvm.cond_br %some_rows, ^pad(%keys : i64), ^span(%c0, %fine : i64, i32)
^pad(%column: i64):
  %outside = llvm.icmp "slt" %column, %padded : i64
  llvm.cond_br %outside, ^fill, ^below
^fill:
  %line = llvm.mul %r, %padded : i64
  %place = llvm.add %line, %column : i64
  %score = llvm.getelementptr %scores[%place] : (!llvm.ptr, i64) -> !llvm.ptr, f32
  llvm.store %infinity, %score : f32, !llvm.ptr
  %right = llvm.add %column, %c1 : i64
  llvm.br ^pad(%right : i64)
^below:
  %next_row = llvm.add %r, %c1 : i64
  llvm.br ^row(%next_row : i64)
^span(%s: i64, %before: i32):
  %some_spans = llvm.icmp "slt" %s, %span_count : i64
  llvm.cond_br %some_spans, ^change, ^softmax
^change:
  %span_offset = llvm.mul %s, %span_words : i64
  %span = llvm.getelementptr %spans[%span_offset] : (!llvm.ptr, i64) -> !llvm.ptr, i64
  %kind = llvm.load %span : !llvm.ptr -> i64
  %is_full = llvm.trunc %kind : i64 to i1
  llvm.cond_br %is_full, ^modify, ^mask
^modify:
  %modified = llvm.call @full(%call, %tile, %span, %scores) : (!llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr) -> i32
  llvm.br ^changed(%modified : i32)
^mask:
  %masked = llvm.call @partial(%call, %tile, %span, %scores) : (!llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr) -> i32
  llvm.br ^changed(%masked : i32)
^changed(%changed: i32):
  %joined = llvm.or %before, %changed : i32
  %next_span = llvm.add %s, %c1 : i64
  llvm.br ^span(%next_span, %joined : i64, i32)
^softmax:
  %0 = llvm.call @maximum(%call, %tile, %scores, %weights, %maxima, %divisors) : (!llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr) -> i32
  %1 = llvm.call @exponentials(%call, %tile, %scores, %weights, %maxima, %divisors) : (!llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr) -> i32
  %2 = llvm.call @weights(%call, %tile, %scores, %weights, %maxima, %divisors) : (!llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr) -> i32
  llvm.br ^output(%c0, %overwrite : i64, i32)
^output(%k: i64, %add: i32):
  %output_part = llvm.sub %padded, %k : i64
  %summed = llvm.call @part(%output_part) : (i64) -> i64
  %weight_offset = llvm.mul %k, %weight_bytes : i64
  %value_offset = llvm.mul %k, %value_bytes : i64
  %some_weights = llvm.getelementptr %weights[%weight_offset] : (!llvm.ptr, i64) -> !llvm.ptr, i8
  %some_values = llvm.getelementptr %value[%value_offset] : (!llvm.ptr, i64) -> !llvm.ptr, i8
  llvm.call %product(%rows, %value_width, %summed, %padded, %value_width, %sum_row, %add, %some_weights, %some_values, %sums, %packed) : !llvm.ptr, (i64, i64, i64, i64, i64, i64, i32, !llvm.ptr, !llvm.ptr, !llvm.ptr, i32) -> ()
  %then = llvm.add %k, %summed : i64
  %rest = llvm.icmp "slt" %then, %padded : i64
  %adds = llvm.mlir.constant(1 : i32) : i32
  llvm.cond_br %rest, ^output(%then, %adds : i64, i32), ^convert
^convert:
  %converted = llvm.call @convert(%call, %tile, %sums) : (!llvm.ptr, !llvm.ptr, !llvm.ptr) -> i32
  %status = llvm.or %before, %converted : i32
  llvm.return %status : i32
}
