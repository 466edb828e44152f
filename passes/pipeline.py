"""The compiler's lists of passes: one pass a line, in order, each with the reason why it stands there."""

# The form that passes expect: where every list begins, and what patterns are traced to.
CANONICAL = [
    "canonicalize-aten",  # first: equal computations get equal spelling, which the next pass needs
    "constant-fold",  # the next pass sees zeros and ones that were computed
    "fold-cumsum",  # numbers are folded, so tensors of one number are visible
    "simplify-cats",  # slices are canonical; before noops are removed: a cat of one tensor is one
]

# Brings the functions of a pattern to the form of the graphs in which it is searched.
PATTERN_FORM = [
    *CANONICAL,
    "remove-noops",
    "remove-redundant-views",
    "refresh-metadata",
    "cse-aten",
    "dce-aten",
]

# On the joint graph of forward and backward, before the partition decides what is saved.
JOINT = [
    *CANONICAL,
    "raise-matmul",  # views are canonical, so merged and split dimensions are visible
    "fuse-attention",  # between the two: it searches the form that raise-matmul makes; here with gradients
    "lower-matmul",  # the matmuls that no pattern took
    "remove-noops",  # a value and its copy would be two values to save
    "refresh-metadata",  # types of calls that the passes above marked, before equal types are compared
    "cse-aten",  # a value of both forward and backward is saved, or recomputed, once
    "drop-unread-operands",  # flags are numbers by now; dce removes what only such a call used
    "dce-aten",  # last of these: unused operators would be partitioned too
    "user-patterns",  # the graph has the form in which search functions are traced; their replacements are partitioned
    "split-log-softmax",  # after the users' patterns, which search the original operators; the partition saves less
    "split-batch-norm",  # for the same reason, at the same place
    "split-group-norm",  # likewise
    "channels-last-convolutions",  # the partition saves images in the layout that the backward needs
]

# On each graph, as PyTorch names it.
GRAPH = [
    *CANONICAL,
    "raise-matmul",  # views are canonical, so merged and split dimensions are visible
    "fuse-attention",  # between the two: it searches the form that raise-matmul makes
    "lower-matmul",  # the matmuls that no pattern took
    "remove-noops",  # after fuse-attention, which makes copies needless; before cse: values that differ by a copy become equal
    "remove-redundant-views",  # the copies that stood between two views are gone
    "refresh-metadata",  # types of calls that the passes above marked, before equal types are compared
    "cse-aten",  # before lowering: fusion counts users, and duplicates would count twice
    "pad-products",  # with its option, or free rounding; before products are joined, which then have other sizes
    "reassociate-products",  # with free rounding only; equal products are one, and dce removes what it leaves unused
    "dce-aten",  # last of these: unused operators would become kernels
    "user-patterns",  # the graph has the form in which search functions are traced
    "split-complex",  # after the users' patterns, which search the original operators; before types of products change
    "fold-into-weights",  # with frozen parameters only; after the users' patterns, which search the original operators
    "group-linears",  # with its option only; after passes that look for single layers
    "channels-last-convolutions",  # after all passes that compare types: it changes many
    "freeze-parameters",  # after all passes that compute from parameters
    "reinplace",  # last on the graph: its proofs hold until an operation moves
]

# From the graph to kernels.
KERNELS = [
    "convert-aten-to-loop",  # one kernel for each operator, value semantics; views and operators without a rule stay `aten`
    "fuse-kernels",  # merges kernels that share a domain, and computes producers where they are needed
    "reinplace-kernels",  # after fusion: now it is known what a fused kernel reads and writes
]

# The same after `require-bounds` refused a kernel.
PROVED_KERNELS = [
    "convert-aten-to-proved-loop",  # an operator whose kernel has no proof stays an ATen call
    *KERNELS[1:],
]

# The launch sequence.
HOST = [
    "convert-to-host",  # fixes the order of execution: from here on there are buffers, launches, views and calls
    "normalize-kernels",  # after it: strides are known only now
    "require-bounds",  # kernels are few and normal now; before memory is planned, because it may refuse a kernel
    "group-launches",  # after it: kernels are final; before memory is planned: it moves launches
    "allocate-results",  # before planning: results that operators write to our buffers can be planned too
    "plan-memory",  # last: the order is fixed, and normal index maps show which kernels may work in place
]

# From the launch sequence to one native function, unless Python runs the graph.
NATIVE_HOST = [
    "convert-host-to-llvm",  # directly to the LLVM dialect: nothing in it needs optimization
]

# The same for a body of control flow that native code calls.
NATIVE_BODY = [
    "convert-body-to-llvm",  # as the pass above
]

# From kernels to native code; `runtime/cpu/jit.py` runs it on kernels that are not compiled yet.
CPU = [
    "convert-loop-to-cpu",  # vectors of the host's width, tails, threads
    "convert-cpu-to-llvm",  # the rest is upstream's: arith, math, scf and vector to LLVM
]

# From kernels to Triton's IR, for kernels on an NVIDIA GPU.
GPU = [
    "lower-loop-to-tt",  # one tile for each program; Triton does the rest
]

# Names that stand for a list of passes, in flags of `mlirind-opt`, `--pipeline=` and options.
NAMED = {"pattern-form": PATTERN_FORM}

PIPELINE = [*JOINT, *GRAPH, *KERNELS, *PROVED_KERNELS, *HOST, *NATIVE_HOST, *NATIVE_BODY, *CPU, *GPU]
