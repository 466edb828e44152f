"""Numbers of the C interface, which native host code has in it: PyTorch's enumerations, Python's tables, the frame of a call.

The words of the frame, the steps and the kinds are ours: `lowering/host/support.mlir` has the same numbers. Those of PyTorch's
enumerations are checked against the running libtorch (`c_numbers.py`). Imports nothing, so that lowering may import it.
"""

# PyTorch's numbers for its enumerations, which its file format keeps stable.
DTYPES = {
    "uint8": 0, "int8": 1, "int16": 2, "int32": 3, "int64": 4, "float16": 5, "float32": 6, "float64": 7, "complex64": 9, "complex128": 10,
    "bool": 11, "bfloat16": 15, "float8_e5m2": 23, "float8_e4m3fn": 24, "float8_e5m2fnuz": 25, "float8_e4m3fnuz": 26, "uint16": 27,
    "uint32": 28, "uint64": 29, "float8_e8m0fnu": 44,
}  # fmt: skip
LAYOUTS = {"strided": 0}
MEMORY_FORMATS = {"contiguous_format": 0, "preserve_format": 1, "channels_last": 2, "channels_last_3d": 3}
DEVICE_TYPES = {"cpu": 0, "cuda": 1}

# Python's flag of a C function that takes one argument.
METH_O = 0x0008

# The Python callables that every graph has, by their place in the tuple; those of its own follow.
PROFILED, ALLOCATE, VIEW, RESTRIDE, REFUSE_RESTRIDE, COPY, CLONE, OWN = range(8)

# The words of the table that `mlirind_host_setup` takes: where a tensor object has its handle, objects that native code asks for, where an
# object has its type, the types that are surely tensors, where a tensor in C++ has its memory and its count of references, the dispatch key
# of views and the functions that ask and set whether it is passed by.
OBJECT_TABLE = (
    "tensor_offset", "None", "TensorBase", "TypeError", "profiler", "profiler_flag", "True", "type_offset", "Tensor", "Parameter",
    "memory_offset", "count_offset", "views_key", "views_excluded", "exclude_views",
)  # fmt: skip

# The frame: the thread state and Python's callables, then four words for each input.
HEAD, INPUT_WORDS = 2, 4
# What a step does.
END, DO_ALLOCATE, DO_VIEW, DO_DROP, DO_LAY_OUT, DO_COPY, DO_SIZE, DO_PYTHON, DO_COMPARE = range(9)
ANY = -1  # for a dtype, a type or an index of a device that is not compared
DYNAMIC = 256  # added where words stand for words of the frame: these are so far from the least integer
LEAST = -(1 << 63)
# What an input is, and what an output is.
NUMBER_INPUT, TENSOR_INPUT, NONE_INPUT = range(3)
TENSOR_OUTPUT, INTEGER_OUTPUT, NONE_OUTPUT, NUMBER_OUTPUT = range(4)
# Null words behind the arguments of a kernel on a GPU: parameters that Triton adds to those of the text.
EXTRA = 4
