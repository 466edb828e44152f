"""The compiler as one list: a line a pass, in order, each with the reason it stands there."""

# On the joint graph of forward and backward, before the partition decides what is saved.
JOINT = [
    "canonicalize-aten",  # first: equal computations get equal spelling, which the next pass needs
    "constant-fold",  # zeros and ones that were computed are seen by the next pass
    "fold-cumsum",  # numbers are folded: what is one number is seen
    "simplify-cats",  # slices are canonical; before noops go: a cat of one tensor is one
    "raise-matmul",  # views are canonical: what was merged and split is seen
    "fuse-attention",  # between the two: its patterns are on the form that raise-matmul makes, here those with gradients
    "lower-matmul",  # what no pattern took
    "remove-noops",  # a value and its copy would be two values to save
    "refresh-metadata",  # what the passes above marked, before equal types are looked for
    "cse-aten",  # what forward and backward both compute is one value, saved or recomputed as one
    "drop-unread-operands",  # flags are numbers by now; what only such a call used goes next
    "dce-aten",  # last of them: what they left without users would be partitioned too
    "user-patterns",  # the graph is in the form in which search functions are traced; what they make is partitioned
    "channels-last-convolutions",  # the partition saves images in the layout in which the backward wants them
]

# On each graph, as PyTorch names it.
GRAPH = [
    "canonicalize-aten",  # first: equal computations get equal spelling, which the next pass needs
    "constant-fold",  # zeros and ones that were computed are seen by the next pass
    "fold-cumsum",  # numbers are folded: what is one number is seen
    "simplify-cats",  # slices are canonical; before noops go: a cat of one tensor is one
    "raise-matmul",  # views are canonical: what was merged and split is seen
    "fuse-attention",  # between the two: its patterns are on the form that raise-matmul makes
    "lower-matmul",  # what no pattern took
    "remove-noops",  # after fuse-attention, around which copies are needless now; before merging: what differed by a copy is equal
    "remove-redundant-views",  # a copy that stood between two views is gone now
    "refresh-metadata",  # what the passes above marked, before equal types are looked for
    "cse-aten",  # before lowering: fusion decides by the number of users, and duplicates would count twice
    "pad-products",  # where it is asked for; before products are joined, which have other sizes then
    "reassociate-products",  # with free rounding only; equal products are one, and what it leaves without users goes next
    "dce-aten",  # last of these: what they left without users would become kernels
    "user-patterns",  # the graph is in the form in which search functions are traced
    "fold-into-weights",  # with frozen parameters only; after the users' patterns, which look for what they wrote
    "group-linears",  # where wanted; after what looks for single layers
    "channels-last-convolutions",  # after all that looks for equal types: it changes many
    "freeze-parameters",  # after all that computes something of parameters
    "reinplace",  # last on the graph: what it proved holds until something moves
]

# From the graph to kernels.
KERNELS = [
    "convert-aten-to-loop",  # one kernel an operator, value semantics; views and operators without a rule stay `aten`
    "fuse-kernels",  # one kernel for what shares a domain; producers computed where they are needed
    "reinplace-kernels",  # behind it: what a fused kernel reads and writes together is known now
]

# The sequence that launches them.
HOST = [
    "convert-to-host",  # fixes the order of execution: from here on there are buffers, launches, views and calls
    "normalize-kernels",  # after it: only now strides are known
    "allocate-results",  # before planning: what an operator writes to a buffer of ours can be planned too
    "plan-memory",  # last: the order is fixed, and normal index maps tell which kernels may work in place
]

# From that sequence to one native function, where the graph is not run by Python.
NATIVE_HOST = [
    "convert-host-to-llvm",  # straight to LLVM's dialect: nothing in it is to be optimized
]

# From kernels to native code; `runtime/jit.py` runs it on the kernels that it has not compiled before.
CPU = [
    "convert-loop-to-cpu",  # vectors of the host's width, tails, threads
    "convert-cpu-to-llvm",  # the rest is upstream's: arith, math, scf and vector to LLVM
]

# From kernels to Triton's IR, for kernels on an NVIDIA GPU.
GPU = [
    "lower-loop-to-tt",  # tiles, one a program; Triton does the rest
]

PIPELINE = [*JOINT, *GRAPH, *KERNELS, *HOST, *NATIVE_HOST, *CPU, *GPU]
