# torch's saxpy, y += a x, on vectors far larger than any cache: the peer of spaces/saxpy.yaml. Needs PyTorch and a GPU.
import statistics

import torch

COUNT = 1 << 28


def median_us(work, warm_up=10, rounds=50):
    for _ in range(warm_up):
        work()
    times = []
    for _ in range(rounds):
        start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        start.record()
        work()
        end.record()
        torch.cuda.synchronize()
        times.append(start.elapsed_time(end) * 1e3)
    return statistics.median(times)


x = torch.rand(COUNT, device="cuda")
y = torch.rand(COUNT, device="cuda")
time_us = median_us(lambda: y.add_(x, alpha=1.25))
print(f"torch    {time_us:10.2f} us  {COUNT * 12 / time_us / 1e3:.1f} GB/s")
