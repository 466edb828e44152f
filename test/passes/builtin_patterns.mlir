// Each built-in pattern fires on its own search function, as text.
// RUN: %python %S/builtin_graphs.py attention > %t && %mlirind-opt %t --split-input-file --fuse-attention > %t.out && %FileCheck %t --input-file %t.out
// RUN: %python %S/builtin_graphs.py attention_training > %t && %mlirind-opt %t --split-input-file --fuse-attention > %t.out && %FileCheck %t --input-file %t.out
