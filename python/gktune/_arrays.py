"""Arrays of NumPy, torch, CuPy and others: their types, places and copies on the CPU."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from .errors import InvalidArgument

# In the order of the codes in gktune.h.
ELEMENT_TYPES = (
    "any int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 bfloat16 float32 float64 float8_e4m3 float8_e5m2 "
    "complex64 complex128"
).split()


def bytes_of(element_type: str) -> int:
    return int(element_type.partition("_")[0].lstrip("abcdefghijklmnopqrstuvwxyz")) // 8


TORCH, CUPY, CUDA_INTERFACE, ARRAY_INTERFACE, DLPACK = range(1, 6)  # as in _core.cc


def kind_of(array: object) -> int:
    """How the address of an array is read."""
    for base in type(array).__mro__:
        module = base.__module__.partition(".")[0]
        if module == "torch" and base.__name__ == "Tensor":
            _add_torch_types()
            return TORCH
        if module == "cupy" and base.__name__ == "ndarray":
            return CUPY
    for attribute, kind in (
        ("__cuda_array_interface__", CUDA_INTERFACE),
        ("__array_interface__", ARRAY_INTERFACE),
        ("__dlpack__", DLPACK),
    ):
        if getattr(array, attribute, None) is not None:
            return kind
    raise InvalidArgument(f"it is no array, but {type(array).__name__}")


def is_array(value: object) -> bool:
    # A scalar of NumPy has the protocol of arrays too.
    if getattr(value, "shape", None) == () and hasattr(value, "item") and hasattr(value, "dtype"):
        return hasattr(value, "__dlpack__")
    return any(hasattr(value, name) for name in ("__dlpack__", "__cuda_array_interface__", "__array_interface__"))


dtypes: dict[Any, int] = {}
_NUMPY_NAMES = {"bool": "uint8"}


def _add_numpy_types() -> None:
    """By the type strings of the array protocols."""
    letters = {"int": "i", "uint": "u", "float": "f", "complex": "c"}
    for code, name in enumerate(ELEMENT_TYPES):
        base, digits = name.rstrip("0123456789"), name.lstrip("abcdefghijklmnopqrstuvwxyz")
        if base in letters and digits.isdigit():
            size = int(digits) // 8
            for order in "<|=":
                dtypes[f"{order}{letters[base]}{size}"] = code
    dtypes["|b1"] = ELEMENT_TYPES.index("uint8")


def _add_torch_types() -> None:
    torch: Any = sys.modules["torch"]
    for code, name in enumerate(ELEMENT_TYPES):
        dtype = getattr(torch, {"float8_e4m3": "float8_e4m3fn"}.get(name, name), None)
        if dtype is not None:
            dtypes[dtype] = code
    dtypes[torch.bool] = ELEMENT_TYPES.index("uint8")


def code_of(dtype: Any) -> int:
    """The code of a dtype of torch or NumPy."""
    if dtype in dtypes:
        return dtypes[dtype]
    name = _NUMPY_NAMES.get(str(dtype), str(dtype))
    if name not in ELEMENT_TYPES:
        raise InvalidArgument(f"arrays of the type {dtype} cannot be passed")
    dtypes[dtype] = ELEMENT_TYPES.index(name)
    return dtypes[dtype]


def stream_of(kind: int) -> Callable[[int], Any]:
    """A function of a GPU that returns the caller's current stream in the library of an array; 0: the default stream."""
    if kind == TORCH:
        torch: Any = sys.modules["torch"]
        return torch._C._cuda_getCurrentRawStream
    if "cupy" in sys.modules and kind in (CUPY, CUDA_INTERFACE):
        get_current_stream: Any = sys.modules["cupy"].cuda.get_current_stream
        return get_current_stream if kind == CUPY else lambda gpu: get_current_stream().ptr
    return lambda gpu: 0


@dataclass(frozen=True)
class Description:
    type: str
    shape: tuple[int, ...]
    gpu: int | None  # None: the CPU

    @property
    def count(self) -> int:
        count = 1
        for extent in self.shape:
            count *= extent
        return count


def describe(array: Any) -> Description:
    kind = kind_of(array)
    if kind == TORCH:
        gpu = array.get_device()
        code = code_of(array.dtype)
        return Description(ELEMENT_TYPES[code], tuple(array.shape), gpu if gpu >= 0 else None)
    dtype = getattr(array, "dtype", None)
    if kind == CUPY:
        return Description(ELEMENT_TYPES[code_of(dtype)], tuple(array.shape), array.device.id)
    if kind == DLPACK:
        device, index = array.__dlpack_device__()
        host = _from_dlpack(array) if dtype is None else array
        return Description(ELEMENT_TYPES[code_of(host.dtype)], tuple(host.shape), int(index) if device == 2 else None)
    name = "__cuda_array_interface__" if kind == CUDA_INTERFACE else "__array_interface__"
    interface = getattr(array, name)
    code = dtypes.get(interface["typestr"])
    if code is None:
        raise InvalidArgument(f"arrays of the type {interface['typestr']} cannot be passed")
    return Description(ELEMENT_TYPES[code], tuple(interface["shape"]), 0 if kind == CUDA_INTERFACE else None)


def like(host: Any, original: Any) -> Any:
    """A copy of NumPy's array in the library and on the device of the original."""
    kind = kind_of(original)
    if kind == TORCH:
        torch: Any = sys.modules["torch"]
        raw = {"uint16": "int16"}.get(host.dtype.name, host.dtype.name)
        return torch.from_numpy(host.view(raw).copy()).view(original.dtype).to(original.device).reshape(original.shape)
    if kind == CUPY:
        cupy: Any = sys.modules["cupy"]
        return cupy.asarray(host)
    return host.copy()


def _from_dlpack(array: Any) -> Any:
    import numpy

    return numpy.from_dlpack(array)


def to_numpy(array: Any) -> Any:
    """A contiguous array of NumPy with the same elements; bfloat16 and float8 as unsigned integers."""
    try:
        import numpy
    except ImportError as error:
        raise InvalidArgument("arrays need NumPy: pip install numpy") from error
    kind = kind_of(array)
    if kind == TORCH:
        torch: Any = sys.modules["torch"]
        host = array.detach().contiguous()
        name = ELEMENT_TYPES[code_of(array.dtype)]
        if name == "bfloat16":
            host = host.view(torch.int16)
        elif name.startswith("float8"):
            host = host.view(torch.uint8)
        host = host.cpu().numpy()
        return host.view("uint16") if name == "bfloat16" else host
    if kind == CUPY:
        return numpy.ascontiguousarray(array.get())
    if kind == CUDA_INTERFACE:
        if "cupy" not in sys.modules and "torch" not in sys.modules:
            raise InvalidArgument("an array on a GPU is copied by torch or CuPy; import one of them")
        if "cupy" in sys.modules:
            cupy: Any = sys.modules["cupy"]
            return numpy.ascontiguousarray(cupy.asarray(array).get())
        torch = sys.modules["torch"]
        return torch.as_tensor(array, device="cuda").cpu().numpy()
    host = numpy.asarray(array) if kind == ARRAY_INTERFACE else _from_dlpack(array)
    host = numpy.ascontiguousarray(host)
    return host.view("uint8") if host.dtype.name == "bool" else host


_add_numpy_types()
