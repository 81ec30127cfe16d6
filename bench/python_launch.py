#!/usr/bin/env python3
"""What a launch from Python costs: three arrays and a scalar, hot, many in a row in one stream.

Usage: bench/python_launch.py, with gktune installed and CuPy or torch. Prints microseconds for each way, the median of
rounds that take turns. The kernel is so small that the launches, not the GPU, are the limit. With --host it measures the
package alone, on NumPy's arrays, where the kernel runs inside the call.
"""

import statistics
import subprocess
import sys
import time

import gktune

SOURCE = "__global__ void add(int n, const float* a, const float* b, float* c) { if (threadIdx.x < n) c[threadIdx.x] = a[threadIdx.x] + b[threadIdx.x]; }"
LAUNCHES, ROUNDS = 2000, 15


def kernel(a, b, c):
    arguments = {"n": 32, "a": a, "b": b, "c": gktune.out(c)}
    return gktune.Kernel(SOURCE + "\n", "add", arguments=arguments, parameters={}, grid=1, block=32)


def ways():
    """Names with functions of no arguments that launch once, and a function that waits."""
    if "--host" in sys.argv:
        import numpy

        arrays = [numpy.ones(32, numpy.float32) for _ in range(3)]
        tuned = kernel(*arrays)
        return {"gktune, NumPy on the host": lambda: tuned(32, *arrays)}, lambda: None
    found, wait = {}, None
    try:
        import cupy

        arrays = [cupy.ones(32, cupy.float32) for _ in range(3)]
        raw, n = cupy.RawKernel('extern "C" ' + SOURCE, "add"), cupy.int32(32)
        tuned = kernel(*arrays)
        found["CuPy's RawKernel"] = lambda: raw((1,), (32,), (n, *arrays))
        found["gktune, CuPy's arrays"] = lambda: tuned(32, *arrays)
        wait = cupy.cuda.runtime.deviceSynchronize
    except ImportError:
        print("no CuPy", file=sys.stderr)
    try:
        import torch

        tensors = [torch.ones(32, device="cuda") for _ in range(3)]
        of_torch = kernel(*tensors)
        found["gktune, torch's tensors"] = lambda: of_torch(32, *tensors)
        wait = torch.cuda.synchronize
    except ImportError:
        print("no torch", file=sys.stderr)
    return found, wait


def main():
    script = "import time; begin = time.perf_counter(); import gktune; print(time.perf_counter() - begin)"
    imports = [float(subprocess.check_output([sys.executable, "-c", script])) for _ in range(10)]
    print(f"import gktune: {statistics.median(imports) * 1e3:.1f} ms, bar 60")

    found, wait = ways()
    times = {name: [] for name in found}
    for round_number in range(ROUNDS + 1):
        for name, launch in found.items():
            wait()
            begin = time.perf_counter()
            for _ in range(LAUNCHES):
                launch()
            elapsed = time.perf_counter() - begin
            wait()
            if round_number > 0:
                times[name].append(elapsed / LAUNCHES * 1e6)
    for name, each in times.items():
        print(f"{name}: {statistics.median(each):.2f} µs")


if __name__ == "__main__":
    main()
