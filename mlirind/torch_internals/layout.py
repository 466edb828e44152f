"""Numbers of the C interface that are constants in native host code: PyTorch's enumerations, Python's tables, the frame of a call.

The words of the frame, the steps and the kinds are ours: `lowering/host/steps.mlir` has the same numbers. Those of PyTorch's enumerations
are compared with the running libtorch (`c_numbers.py`). Imports nothing, so that the lowering may import it.
"""

# PyTorch's numbers for its enumerations, which its file format keeps stable.
DTYPES = {
    "uint8": 0, "int8": 1, "int16": 2, "int32": 3, "int64": 4, "float16": 5, "float32": 6, "float64": 7, "complex32": 8,
    "complex64": 9, "complex128": 10, "bool": 11, "bfloat16": 15, "float8_e5m2": 23, "float8_e4m3fn": 24, "float8_e5m2fnuz": 25,
    "float8_e4m3fnuz": 26, "uint16": 27, "uint32": 28, "uint64": 29, "float8_e8m0fnu": 44,
}  # fmt: skip
LAYOUTS = {"strided": 0}
MEMORY_FORMATS = {"contiguous_format": 0, "preserve_format": 1, "channels_last": 2, "channels_last_3d": 3}
DEVICE_TYPES = {"cpu": 0, "cuda": 1}
DEVICE_NAMES = {number: name for name, number in DEVICE_TYPES.items()}

# Python's flag of a C function that takes one argument.
METH_O = 0x0008

# Positions of the Python callables that every graph has in the tuple; the graph's own callables follow from OWN on.
PROFILED, ALLOCATE, VIEW, RESTRIDE, REFUSE_RESTRIDE, COPY, CLONE, OWN = range(8)

# Symbols of native code: the function of a graph, the prefix of its kernels' names, which keeps them apart from the module's other symbols,
# the prefix of the support functions, the one that takes the table below, and the function that lists the kernels of a module.
ENTRY, KERNEL_PREFIX = "mlirind_run", "kernel."
SUPPORT_PREFIX, SETUP = "mlirind_host_", "mlirind_host_setup"
KERNEL_TABLE = "mlirind_kernels"

# The words of the table that `mlirind_host_setup` takes: the offset of the handle in a tensor object, objects that native code uses, the
# offset of an object's type, the types of plain tensors, the offsets of the memory and of the reference count in a C++ tensor, the dispatch
# key that tracks views, and the functions that test and set whether a thread excludes this key.
OBJECT_TABLE = (
    "tensor_offset", "None", "TensorBase", "TypeError", "profiler", "profiler_flag", "True", "type_offset", "Tensor", "Parameter",
    "memory_offset", "count_offset", "views_key", "views_excluded", "exclude_views",
)  # fmt: skip

# The frame: the thread state and Python's callables, then four words for each input.
HEAD, INPUT_WORDS = 2, 4
# The operations of steps.
END, DO_ALLOCATE, DO_VIEW, DO_DROP, DO_LAY_OUT, DO_COPY, DO_SIZE, DO_PYTHON, DO_COMPARE = range(9)
ANY = -1  # for a dtype, a type or an index of a device that is not compared
# Added to a step's operation if some of its words are not numbers but read from the frame: such a word is LEAST plus the number of the
# frame's word.
DYNAMIC = 256
LEAST = -(1 << 63)
# Kinds of inputs and outputs.
NUMBER_INPUT, TENSOR_INPUT, NONE_INPUT = range(3)
TENSOR_OUTPUT, INTEGER_OUTPUT, NONE_OUTPUT, NUMBER_OUTPUT = range(4)
# Null words after the arguments of a GPU kernel: parameters that Triton adds to those of the text.
EXTRA = 4
