"""What PyTorch's native_layer_norm computes: raw fp32 files for tests/test_pytorch.c.

usage: ATEN_CPU_CAPABILITY=avx2 python3 tests/pytorch_moments.py FOLDER

Writes x.f32 [ROWS, MAX_N], n.i32 [count], and mean.f32, rstd.f32 [count, ROWS] of the rows' first
n elements. Exits with 77 where there is no torch, or a later one than is known: 1.13 multiplies and
adds, 2.11 writes FMAs out (AVX2: 21% of the means differ) and merges in another order.
"""
import sys

try:
    import torch
except ImportError:
    sys.exit(77)
if not torch.__version__.startswith("1."):
    sys.exit(77)

ROWS, MAX_N, EPS = 200, 20000, 1e-5


def lengths():
    """Every n from 5 to 300, then steps of 3.1%, odd and even, to the longest."""
    n = 5
    while n < MAX_N:
        yield n
        n = n + 1 if n < 300 else n + n // 32
    yield MAX_N


def write(name, tensor):
    tensor.contiguous().numpy().tofile(f"{sys.argv[1]}/{name}")


torch.manual_seed(1)
torch.set_num_threads(1)
x = torch.randn(ROWS, MAX_N)
x[ROWS // 2 :] = x[ROWS // 2 :] * 3.7 + 11.3  # half of the rows are far from zero
n_list, means, rstds = list(lengths()), [], []
for n in n_list:
    _, mean, rstd = torch.native_layer_norm(x[:, :n].contiguous(), [n], None, None, EPS)
    means.append(mean.flatten())
    rstds.append(rstd.flatten())
write("x.f32", x)
write("n.i32", torch.tensor(n_list, dtype=torch.int32))
write("mean.f32", torch.stack(means))
write("rstd.f32", torch.stack(rstds))
