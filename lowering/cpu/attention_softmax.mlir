// The online softmax of a chunk of scores. `attention_tiles.mlir` calls it.

// 2^x for x <= 0; 0 below -92, where a product could give a denormal, which takes a hundred cycles. 2^n, for the integer n next to x, is made
// of n's bits, which are the lowest of x + 1.5 * 2^23; 2^(x - n) is a polynomial, a minimax fit of the relative error, 9.4e-8.
llvm.func internal @power(%x: vector<16xf32>) -> vector<16xf32> {
  %least = arith.constant dense<-92.0> : vector<16xf32>
  %vanishing = arith.constant dense<-127.0> : vector<16xf32>
  %shift = arith.constant dense<12582912.0> : vector<16xf32>
  %one = arith.constant dense<1.0> : vector<16xf32>
  %c1 = arith.constant dense<0.6931470036506653> : vector<16xf32>
  %c2 = arith.constant dense<0.24022246897220612> : vector<16xf32>
  %c3 = arith.constant dense<0.0555071122944355> : vector<16xf32>
  %c4 = arith.constant dense<0.009671294130384922> : vector<16xf32>
  %c5 = arith.constant dense<0.0013269406044855714> : vector<16xf32>
  %mantissa = arith.constant dense<23> : vector<16xi32>
  %bits_of_one = arith.constant dense<1065353216> : vector<16xi32>
  %vanishes = arith.cmpf olt, %x, %least : vector<16xf32>
  %t = arith.select %vanishes, %vanishing, %x : vector<16xi1>, vector<16xf32>
  %shifted = arith.addf %t, %shift : vector<16xf32>
  %n = arith.subf %shifted, %shift : vector<16xf32>
  %f = arith.subf %t, %n : vector<16xf32>
  %m5 = arith.mulf %c5, %f fastmath<contract> : vector<16xf32>
  %p4 = arith.addf %m5, %c4 fastmath<contract> : vector<16xf32>
  %m4 = arith.mulf %p4, %f fastmath<contract> : vector<16xf32>
  %p3 = arith.addf %m4, %c3 fastmath<contract> : vector<16xf32>
  %m3 = arith.mulf %p3, %f fastmath<contract> : vector<16xf32>
  %p2 = arith.addf %m3, %c2 fastmath<contract> : vector<16xf32>
  %m2 = arith.mulf %p2, %f fastmath<contract> : vector<16xf32>
  %p1 = arith.addf %m2, %c1 fastmath<contract> : vector<16xf32>
  %m1 = arith.mulf %p1, %f fastmath<contract> : vector<16xf32>
  %p0 = arith.addf %m1, %one fastmath<contract> : vector<16xf32>
  %bits = arith.bitcast %shifted : vector<16xf32> to vector<16xi32>
  %exponent = arith.shli %bits, %mantissa : vector<16xi32>
  %biased = arith.addi %exponent, %bits_of_one : vector<16xi32>
  %scale = arith.bitcast %biased : vector<16xi32> to vector<16xf32>
  %power = arith.mulf %p0, %scale : vector<16xf32>
  llvm.return %power : vector<16xf32>
}

llvm.func internal @sixteen(%scores: !llvm.ptr, %number: i64) -> vector<16xf32> {
  %at = llvm.getelementptr %scores[%number] : (!llvm.ptr, i64) -> !llvm.ptr, f32
  %some = llvm.load %at {alignment = 4 : i64} : !llvm.ptr -> vector<16xf32>
  llvm.return %some : vector<16xf32>
}

// The larger ones; of a NaN and a number, the number.
llvm.func internal @larger(%most: vector<16xf32>, %scores: !llvm.ptr, %number: i64) -> vector<16xf32> {
  %some = llvm.call @sixteen(%scores, %number) : (!llvm.ptr, i64) -> vector<16xf32>
  %above = arith.cmpf ogt, %some, %most : vector<16xf32>
  %larger = arith.select %above, %some, %most : vector<16xi1>, vector<16xf32>
  llvm.return %larger : vector<16xf32>
}

llvm.func internal @largest(%scores: !llvm.ptr, %columns: i64) -> f32 {
  %zero = arith.constant 0 : i64
  %step = arith.constant 64 : i64
  %c16 = arith.constant 16 : i64
  %c32 = arith.constant 32 : i64
  %c48 = arith.constant 48 : i64
  %none = arith.constant dense<0xFF800000> : vector<16xf32>
  %a, %b, %c, %d = scf.for %n = %zero to %columns step %step iter_args(%w = %none, %x = %none, %y = %none, %z = %none) -> (vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>) : i64 {
    %n1 = arith.addi %n, %c16 : i64
    %n2 = arith.addi %n, %c32 : i64
    %n3 = arith.addi %n, %c48 : i64
    %w1 = llvm.call @larger(%w, %scores, %n) : (vector<16xf32>, !llvm.ptr, i64) -> vector<16xf32>
    %x1 = llvm.call @larger(%x, %scores, %n1) : (vector<16xf32>, !llvm.ptr, i64) -> vector<16xf32>
    %y1 = llvm.call @larger(%y, %scores, %n2) : (vector<16xf32>, !llvm.ptr, i64) -> vector<16xf32>
    %z1 = llvm.call @larger(%z, %scores, %n3) : (vector<16xf32>, !llvm.ptr, i64) -> vector<16xf32>
    scf.yield %w1, %x1, %y1, %z1 : vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>
  }
  %e = arith.maxnumf %a, %b fastmath<nnan> : vector<16xf32>
  %f = arith.maxnumf %c, %d fastmath<nnan> : vector<16xf32>
  %g = arith.maxnumf %e, %f fastmath<nnan> : vector<16xf32>
  %largest = vector.reduction <maxnumf>, %g fastmath<nnan> : vector<16xf32> into f32
  llvm.return %largest : f32
}

// NaN if one of the scores is, else the number.
llvm.func internal @number_unless_nan(%number: f32, %scores: !llvm.ptr, %columns: i64) -> f32 {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %found = scf.for %n = %zero to %columns step %one iter_args(%before = %number) -> (f32) : i64 {
    %at = llvm.getelementptr %scores[%n] : (!llvm.ptr, i64) -> !llvm.ptr, f32
    %score = llvm.load %at : !llvm.ptr -> f32
    %is_nan = arith.cmpf uno, %score, %score : f32
    %next = arith.select %is_nan, %score, %before : f32
    scf.yield %next : f32
  }
  llvm.return %found : f32
}

// Sixteen weights: stores them, and adds them to a sum.
llvm.func internal @weigh(%sum: vector<16xf32>, %scores: !llvm.ptr, %weights: !llvm.ptr, %number: i64, %largest: vector<16xf32>, %base: vector<16xf32>) -> vector<16xf32> {
  %some = llvm.call @sixteen(%scores, %number) : (!llvm.ptr, i64) -> vector<16xf32>
  %less = arith.subf %some, %largest : vector<16xf32>
  %exponents = arith.mulf %less, %base : vector<16xf32>
  %powers = llvm.call @power(%exponents) : (vector<16xf32>) -> vector<16xf32>
  %rounded = llvm.call @rounded(%powers) : (vector<16xf32>) -> !weights
  %at = llvm.getelementptr %weights[%number] : (!llvm.ptr, i64) -> !llvm.ptr, !weight
  llvm.store %rounded, %at {alignment = 2 : i64} : !weights, !llvm.ptr
  %next = arith.addf %sum, %powers : vector<16xf32>
  llvm.return %next : vector<16xf32>
}

// The weights of a row, and their sum.
llvm.func internal @weights_of(%scores: !llvm.ptr, %weights: !llvm.ptr, %columns: i64, %largest: f32, %base: f32) -> f32 {
  %zero = arith.constant 0 : i64
  %step = arith.constant 64 : i64
  %c16 = arith.constant 16 : i64
  %c32 = arith.constant 32 : i64
  %c48 = arith.constant 48 : i64
  %none = arith.constant dense<0.0> : vector<16xf32>
  %m = vector.broadcast %largest : f32 to vector<16xf32>
  %bases = vector.broadcast %base : f32 to vector<16xf32>
  %a, %b, %c, %d = scf.for %n = %zero to %columns step %step iter_args(%w = %none, %x = %none, %y = %none, %z = %none) -> (vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>) : i64 {
    %n1 = arith.addi %n, %c16 : i64
    %n2 = arith.addi %n, %c32 : i64
    %n3 = arith.addi %n, %c48 : i64
    %w1 = llvm.call @weigh(%w, %scores, %weights, %n, %m, %bases) : (vector<16xf32>, !llvm.ptr, !llvm.ptr, i64, vector<16xf32>, vector<16xf32>) -> vector<16xf32>
    %x1 = llvm.call @weigh(%x, %scores, %weights, %n1, %m, %bases) : (vector<16xf32>, !llvm.ptr, !llvm.ptr, i64, vector<16xf32>, vector<16xf32>) -> vector<16xf32>
    %y1 = llvm.call @weigh(%y, %scores, %weights, %n2, %m, %bases) : (vector<16xf32>, !llvm.ptr, !llvm.ptr, i64, vector<16xf32>, vector<16xf32>) -> vector<16xf32>
    %z1 = llvm.call @weigh(%z, %scores, %weights, %n3, %m, %bases) : (vector<16xf32>, !llvm.ptr, !llvm.ptr, i64, vector<16xf32>, vector<16xf32>) -> vector<16xf32>
    scf.yield %w1, %x1, %y1, %z1 : vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>
  }
  %e = arith.addf %a, %b : vector<16xf32>
  %f = arith.addf %c, %d : vector<16xf32>
  %g = arith.addf %e, %f : vector<16xf32>
  %sum = vector.reduction <add>, %g fastmath<reassoc> : vector<16xf32> into f32
  llvm.return %sum : f32
}

// Multiplies a row of sums.
llvm.func internal @rescale(%sums: !llvm.ptr, %width: i64, %factors: vector<16xf32>) {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %c16 = arith.constant 16 : i64
  %rest = arith.remui %width, %c16 : i64
  %whole = arith.subi %width, %rest : i64
  scf.for %n = %zero to %whole step %c16 : i64 {
    %at = llvm.getelementptr %sums[%n] : (!llvm.ptr, i64) -> !llvm.ptr, f32
    %some = llvm.load %at {alignment = 4 : i64} : !llvm.ptr -> vector<16xf32>
    %product = arith.mulf %some, %factors : vector<16xf32>
    llvm.store %product, %at {alignment = 4 : i64} : vector<16xf32>, !llvm.ptr
  }
  %factor = vector.extract %factors[0] : f32 from vector<16xf32>
  scf.for %n = %whole to %width step %one : i64 {
    %at = llvm.getelementptr %sums[%n] : (!llvm.ptr, i64) -> !llvm.ptr, f32
    %sum = llvm.load %at : !llvm.ptr -> f32
    %product = arith.mulf %sum, %factor : f32
    llvm.store %product, %at : f32, !llvm.ptr
  }
  llvm.return
}

// Weights of a chunk; what came before is made relative to the new largest scores. A row without an allowed score has the largest score
// -inf, and weights of 0.
llvm.func internal @softmax(%call: !llvm.ptr, %rows: i64, %columns: i64, %length: i64, %scores: !llvm.ptr, %weights: !llvm.ptr, %maxima: !llvm.ptr, %totals: !llvm.ptr, %sums: !llvm.ptr, %is_later: i1) {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %nothing = arith.constant 0.0 : f32
  %infinity = arith.constant 0x7F800000 : f32
  %empty = arith.constant 0xFF800000 : f32
  %nan = arith.constant 0x7FC00000 : f32
  %base_at = arith.constant BASE : i64
  %value_width_at = arith.constant VALUE_WIDTH : i64
  %base_word = llvm.call @word(%call, %base_at) : (!llvm.ptr, i64) -> i64
  %base_bits = arith.trunci %base_word : i64 to i32
  %base = arith.bitcast %base_bits : i32 to f32
  %value_width = llvm.call @word(%call, %value_width_at) : (!llvm.ptr, i64) -> i64
  scf.for %r = %zero to %rows step %one : i64 {
    %line = arith.muli %r, %length : i64
    %row_scores = llvm.getelementptr %scores[%line] : (!llvm.ptr, i64) -> !llvm.ptr, f32
    %row_weights = llvm.getelementptr %weights[%line] : (!llvm.ptr, i64) -> !llvm.ptr, !weight
    %largest_at = llvm.getelementptr %maxima[%r] : (!llvm.ptr, i64) -> !llvm.ptr, f32
    %total_at = llvm.getelementptr %totals[%r] : (!llvm.ptr, i64) -> !llvm.ptr, f32
    %before = scf.if %is_later -> (f32) {
      %loaded = llvm.load %largest_at : !llvm.ptr -> f32
      scf.yield %loaded : f32
    } else {
      scf.yield %empty : f32
    }
    %here = llvm.call @largest(%row_scores, %columns) : (!llvm.ptr, i64) -> f32
    %stays = arith.cmpf ugt, %before, %here : f32
    %number = arith.select %stays, %before, %here : f32
    %is_infinite = arith.cmpf oeq, %number, %infinity : f32
    %largest = scf.if %is_infinite -> (f32) {
      %found = llvm.call @number_unless_nan(%number, %row_scores, %columns) : (f32, !llvm.ptr, i64) -> f32
      scf.yield %found : f32
    } else {
      scf.yield %number : f32
    }
    %is_empty = arith.cmpf oeq, %largest, %empty : f32
    %subtracted = arith.select %is_empty, %nothing, %largest : f32
    %added = llvm.call @weights_of(%row_scores, %row_weights, %columns, %subtracted, %base) : (!llvm.ptr, !llvm.ptr, i64, f32, f32) -> f32
    %total = scf.if %is_later -> (f32) {
      %total_before = llvm.load %total_at : !llvm.ptr -> f32
      %is_same = arith.cmpf oeq, %before, %largest : f32
      %rescaled = scf.if %is_same -> (f32) {
        scf.yield %total_before : f32
      } else {
        %less = arith.subf %before, %subtracted : f32
        %exponent = arith.mulf %less, %base : f32
        %exponents = vector.broadcast %exponent : f32 to vector<16xf32>
        %factors = llvm.call @power(%exponents) : (vector<16xf32>) -> vector<16xf32>
        %sum_line = arith.muli %r, %value_width : i64
        %row_sums = llvm.getelementptr %sums[%sum_line] : (!llvm.ptr, i64) -> !llvm.ptr, f32
        llvm.call @rescale(%row_sums, %value_width, %factors) : (!llvm.ptr, i64, vector<16xf32>) -> ()
        %factor = vector.extract %factors[0] : f32 from vector<16xf32>
        %product = arith.mulf %total_before, %factor : f32
        scf.yield %product : f32
      }
      %sum = arith.addf %rescaled, %added : f32
      scf.yield %sum : f32
    } else {
      scf.yield %added : f32
    }
    // A sum is NaN if a score is, or if one is infinite.
    %is_nan = arith.cmpf uno, %total, %total : f32
    %is_finite = arith.cmpf one, %largest, %infinity : f32
    %has_nan = arith.andi %is_nan, %is_finite : i1
    %result = arith.select %has_nan, %nan, %largest : f32
    llvm.store %result, %largest_at : f32, !llvm.ptr
    llvm.store %total, %total_at : f32, !llvm.ptr
  }
  llvm.return
}
