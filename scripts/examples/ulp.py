"""libulp from Python: numpy arrays in, numpy arrays out, over the last axis (docs/library.md).

float32 and float16 are what they are called; uint16 is taken for the bits of bfloat16."""
import ctypes
import os

import numpy as np

lib = ctypes.CDLL(os.environ.get("LIBULP", "libulp.so.1"))
size, lib.ulp_workspace_bytes.restype = ctypes.c_size_t, ctypes.c_size_t
lib.ulp_status_text.restype = lib.ulp_isa.restype = lib.ulp_version.restype = ctypes.c_char_p
types = {np.dtype(np.float32): "f32", np.dtype(np.float16): "f16", np.dtype(np.uint16): "bf16"}


def pointer(a):  # keeps the array alive; None is NULL
    return None if a is None else a.ctypes.data_as(ctypes.c_void_p)

def call(op, x, columns=None, before=(), after=(), workspace=True):
    """ulp_<op>_<type>; y has x's shape, or `columns` float32 for each row."""
    x, n = np.ascontiguousarray(x), x.shape[-1]
    y = np.empty_like(x) if columns is None else np.empty((*x.shape[:-1], columns), np.float32)
    room = np.empty(lib.ulp_workspace_bytes(size(n)), np.uint8) if workspace else None
    rows = [size(x.size // n), size(n), pointer(x), size(n)]
    tail = [pointer(room), size(room.size)] if workspace else []
    function = getattr(lib, f"ulp_{op}_{types[x.dtype]}")
    status = function(*rows, *before, pointer(y), size(y.shape[-1]), *after, *tail)
    if status:
        raise ValueError(lib.ulp_status_text(status).decode())
    return y

def softmax(x): return call("softmax", x)
def log_softmax(x): return call("log_softmax", x)
def logsumexp(x): return call("logsumexp", x, columns=1)[..., 0]
def moments(x): return call("moments", x, columns=2, workspace=False)
def layernorm(x, gamma=None, beta=None, eps=1e-5):  # gamma and beta: contiguous float32
    return call("layernorm", x, before=(pointer(gamma), pointer(beta), ctypes.c_float(eps)), after=(None,))

if __name__ == "__main__":
    rows = np.array([[1, 2, 3], [4, 6, 5]], np.float32)
    for f in softmax, log_softmax, logsumexp, moments, layernorm:
        print(f.__name__, *(float(a).hex() for a in f(rows).flat))
