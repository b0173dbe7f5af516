"""libulp from Python: numpy arrays in and out, over the last axis. uint16 is taken for bfloat16's bits."""
import ctypes
import functools
import os

import numpy as np

lib = ctypes.CDLL(os.environ.get("LIBULP", "libulp.so.1"))
size, pointer, types = ctypes.c_size_t, ctypes.c_void_p, {"f": "f32", "e": "f16", "H": "bf16"}
lib.ulp_workspace_bytes.restype, lib.ulp_workspace_bytes.argtypes = size, [size]
lib.ulp_status_text.restype = lib.ulp_isa.restype = lib.ulp_version.restype = ctypes.c_char_p

ROWS, NORM = (size, size, pointer, size), (pointer, pointer, ctypes.c_float)
SIGNATURES = {"moments": (*ROWS, pointer, size), "layernorm": (*ROWS, *NORM, pointer, size, pointer, pointer, size),
              "rmsnorm": (*ROWS, *NORM[1:], pointer, size, pointer, pointer, size)}

@functools.lru_cache(None)
def function(op, letter):
    f = getattr(lib, f"ulp_{op}_{types[letter]}")
    f.argtypes = SIGNATURES.get(op, (*ROWS, pointer, size, pointer, size))
    return f

def address(a): return None if a is None else a.ctypes.data

def call(op, x, columns=None, before=(), after=()):
    """ulp_<op>_<type>; y has x's shape, or `columns` float32 for each row."""
    x, n = np.ascontiguousarray(x), x.shape[-1]
    y = np.empty_like(x) if columns is None else np.empty((*x.shape[:-1], columns), np.float32)
    room = np.empty(lib.ulp_workspace_bytes(n), np.uint8) if n > 1024 else None
    tail = () if op == "moments" else (*after, address(room), 0 if room is None else room.size)
    status = function(op, x.dtype.char)(x.size // max(n, 1), n, address(x), n, *before, address(y), y.shape[-1], *tail)
    if status:
        raise ValueError(lib.ulp_status_text(status).decode())
    return y

def softmax(x): return call("softmax", x)
def log_softmax(x): return call("log_softmax", x)
def logsumexp(x): return call("logsumexp", x, columns=1)[..., 0]
def moments(x): return call("moments", x, columns=2)
def layernorm(x, gamma=None, beta=None, eps=1e-5):  # gamma and beta: contiguous float32
    return call("layernorm", x, None, (address(gamma), address(beta), eps), (None,))
def rmsnorm(x, gamma=None, eps=1e-6):
    return call("rmsnorm", x, None, (address(gamma), eps), (None,))

if __name__ == "__main__":
    for f in softmax, log_softmax, logsumexp, moments, layernorm, rmsnorm:
        print(f.__name__, *(float(a).hex() for a in f(np.array([[1, 2, 3], [4, 6, 5]], np.float32)).flat))
