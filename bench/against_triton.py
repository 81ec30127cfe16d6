#!/usr/bin/env python3
"""A product and a softmax of Triton with 40 configurations each, by triton.autotune and by gktune.triton: the time from
nothing to the answer, and how fast the winners are.

Usage: bench/against_triton.py, with gktune, triton and torch on a machine with a GPU. Each tuning runs in a process of its
own with empty caches, and gktune's once more with what the first one left. Imports and inputs are not counted. The winners'
times are those of triton.testing.do_bench.
"""

import itertools
import json
import os
import subprocess
import sys
import tempfile
import time

import triton
import triton.language as tl


@triton.jit
def product(a, b, c, m, n, k, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    rows = tl.program_id(0) * M + tl.arange(0, M)
    columns = tl.program_id(1) * N + tl.arange(0, N)
    sum = tl.zeros((M, N), dtype=tl.float32)
    for begin in range(0, k, K):
        inner = begin + tl.arange(0, K)
        left = tl.load(
            a + rows[:, None] * k + inner[None, :], mask=(rows[:, None] < m) & (inner[None, :] < k), other=0.0
        )
        right = tl.load(
            b + inner[:, None] * n + columns[None, :], mask=(inner[:, None] < k) & (columns[None, :] < n), other=0.0
        )
        sum += tl.dot(left, right)
    tl.store(
        c + rows[:, None] * n + columns[None, :], sum.to(tl.float16), mask=(rows[:, None] < m) & (columns[None, :] < n)
    )


@triton.jit
def softmax(x, out, rows, columns, ROWS: tl.constexpr, WIDTH: tl.constexpr):
    row = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    column = tl.arange(0, WIDTH)
    inside = (row[:, None] < rows) & (column[None, :] < columns)
    values = tl.load(x + row[:, None] * columns + column[None, :], mask=inside, other=float("-inf"))
    powers = tl.exp(values - tl.max(values, axis=1)[:, None])
    tl.store(out + row[:, None] * columns + column[None, :], powers / tl.sum(powers, axis=1)[:, None], mask=inside)


def configs_of(names, *values):
    """The first 40 combinations; the last two values are the warps and the stages."""
    combinations = itertools.islice(itertools.product(*values), 40)
    return [triton.Config(dict(zip(names, each)), num_warps=each[-2], num_stages=each[-1]) for each in combinations]


def cases(torch):
    """Name: function, arguments, output, configs, grid as gktune and as Triton write it, and the reference."""
    m = n = k = 4096
    a, b = (torch.randn(4096, 4096, device="cuda", dtype=torch.float16) for _ in range(2))
    x = torch.randn(8192, 2000, device="cuda")
    return {
        "product": (
            product, {"a": a, "b": b, "c": torch.empty_like(a), "m": m, "n": n, "k": k}, "c",
            configs_of("MNK", [64, 128], [64, 128, 256], [32, 64], [4, 8], [3, 4]),
            ["ceil_div(m, M)", "ceil_div(n, N)"], lambda meta: (triton.cdiv(m, meta["M"]), triton.cdiv(n, meta["N"])),
            lambda a, b, **_: a @ b,
        ),
        "softmax": (
            softmax, {"x": x, "out": torch.empty_like(x), "rows": 8192, "columns": 2000}, "out",
            configs_of(["ROWS", "WIDTH"], [1, 2, 4, 8], [2048], [1, 2, 4, 8, 16], [2, 3]),
            "ceil_div(rows, ROWS)", lambda meta: (triton.cdiv(8192, meta["ROWS"]),),
            lambda x, **_: torch.softmax(x, dim=1),
        ),
    }  # fmt: skip


def tune(name, way):
    """Prints the seconds until the answer, the answer, and how long it takes."""
    import torch

    import gktune
    import gktune.triton

    function, arguments, output, configs, grid, grid_of, reference = cases(torch)[name]
    torch.cuda.synchronize()
    begin = time.perf_counter()
    if way == "gktune":
        marked = {each: gktune.out(value, check={"relative": 2e-2, "absolute": 2e-2}) if each == output else value
                  for each, value in arguments.items()}  # fmt: skip
        kernel = gktune.triton.Kernel(
            function,
            arguments=marked,
            configs=configs,
            grid=grid,
            reference=reference,
            cache=os.environ["GKTUNE_CACHE"],
        )
        best = kernel.config(kernel.tune(strategy="exhaustive", trials=0, progress=False).best)
    else:
        tuned = triton.autotune(configs, key=[])(function)
        tuned[grid_of](**arguments)
        torch.cuda.synchronize()
        best = tuned.best_config
    seconds = time.perf_counter() - begin
    ms = triton.testing.do_bench(lambda: function[grid_of](**arguments, **best.all_kwargs()), warmup=200, rep=1000)
    print(json.dumps({"seconds": seconds, "config": str(best), "us": ms * 1e3}))


def measured(name, way, folder):
    environment = {**os.environ, "TRITON_CACHE_DIR": os.path.join(folder, way), "GKTUNE_CACHE": os.path.join(folder, "cache"),
                   "GKTUNE_DB": os.path.join(folder, "gktune.db")}  # fmt: skip
    done = subprocess.run(
        [sys.executable, os.path.abspath(__file__), name, way], env=environment, capture_output=True, text=True
    )
    if done.returncode != 0:
        sys.exit(f"{name} by {way}: {done.stderr}")
    return json.loads(done.stdout.splitlines()[-1])


def main():
    for name in ("product", "softmax"):
        with tempfile.TemporaryDirectory() as folder:
            theirs, ours, again = (measured(name, way, folder) for way in ("triton", "gktune", "gktune"))
        print(f"{name}: triton.autotune {theirs['seconds']:.1f} s, {theirs['us']:.1f} µs ({theirs['config']})")
        print(f"{name}: gktune {ours['seconds']:.1f} s, {ours['us']:.1f} µs ({ours['config']})")
        print(f"{name}: {theirs['seconds'] / ours['seconds']:.1f} x sooner, bar 4; the second process {again['seconds']:.2f} s, bar 0.5; "
              f"Triton's winner takes {theirs['us'] / ours['us']:.3f} x as long")  # fmt: skip


if __name__ == "__main__":
    tune(*sys.argv[1:]) if len(sys.argv) == 3 else main()
