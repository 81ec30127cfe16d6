# torch's version of kernels of spaces/, on data far larger than any cache:
#   torch_peers.py KERNEL… (saxpy, rms, layer, softmax, top_k, black_scholes, n_body,
#                          attention, causal_attention, copy)
# Needs PyTorch and a GPU.
import statistics
import sys

import torch
import torch.nn.functional as functional
from torch.nn.attention import SDPBackend, sdpa_kernel


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


def report(name, moved_bytes, work):
    time_us = median_us(work)
    print(f"torch {name:<32} {time_us:10.2f} us  {moved_bytes / time_us / 1e3:.1f} GB/s")


def saxpy():
    x, y = (torch.rand(1 << 28, device="cuda") for _ in range(2))
    report("saxpy 2^28", x.numel() * 12, lambda: y.add_(x, alpha=1.25))


def norm(kind):
    for element in (torch.bfloat16, torch.float32):
        x = torch.randn(8192, 8192, device="cuda").to(element)
        weight, bias = (torch.rand(8192, device="cuda").to(element) for _ in range(2))
        if kind == "rms":
            work = lambda: functional.rms_norm(x, (8192,), weight, 1e-5)
        else:
            work = lambda: functional.layer_norm(x, (8192,), weight, bias, 1e-5)
        report(f"{kind} {element} 8192 x 8192", x.nbytes * 2, work)


def softmax():
    for rows, columns in ((8192, 8192), (4096, 32768), (16384, 1024), (65536, 128)):
        x = torch.randn(rows, columns, device="cuda")
        report(f"softmax {rows} x {columns}", x.nbytes * 2, lambda: functional.softmax(x, -1))


def top_k():
    x = torch.randn(4096, 32768, device="cuda")
    report("64 greatest of 4096 x 32768", x.nbytes, lambda: torch.topk(x, 64))


# First a copy that moves as many bytes, 20 for each option: torch's own version moves each intermediate result too.
def black_scholes():
    n = 1 << 24
    x, y = (torch.rand(n * 5 // 2, device="cuda") for _ in range(2))
    report("copy of 20 * 2^24 bytes", n * 20, lambda: y.copy_(x))
    share, strike = (torch.rand(n, device="cuda") * 40 + 10 for _ in range(2))
    years = torch.rand(n, device="cuda") * 9.75 + 0.25
    rate, volatility = 0.02, 0.3

    def prices():
        deviation = volatility * years.sqrt()
        d1 = ((share / strike).log() + (rate + volatility**2 / 2) * years) / deviation
        d2 = d1 - deviation
        discounted = strike * (-rate * years).exp()
        call = share * torch.special.ndtr(d1) - discounted * torch.special.ndtr(d2)
        return call, discounted * torch.special.ndtr(-d2) - share * torch.special.ndtr(-d1)

    report("black_scholes 2^24", n * 20, prices)


def n_body():
    n, part = 1 << 16, 1 << 12
    places = torch.rand(n, 3, device="cuda") * 2 - 1
    mass = torch.rand(n, device="cuda") + 0.5
    torch.backends.cuda.matmul.allow_tf32 = False

    def accelerations():
        all_parts = []
        for own in places.split(part):
            differences = places[None] - own[:, None]
            weights = mass * (differences.square().sum(2) + 0.05**2).pow(-1.5)
            all_parts.append(torch.bmm(weights[:, None], differences)[:, 0])
        return torch.cat(all_parts)

    time_us = median_us(accelerations, warm_up=1, rounds=3)
    print(f"torch {'n_body 2^16':<32} {time_us:10.2f} us  {20 * n * n / time_us / 1e6:.2f} TFLOP/s")


# The fastest way of torch comes first. Inputs as in spaces/attention.yaml: how often bits change counts for the clock.
def attention(is_causal):
    batch, heads, tokens, width = 4, 16, 4096, 128
    q, k = (torch.randn(batch, heads, tokens, width, device="cuda") * 1.5 for _ in range(2))
    v = torch.rand(batch, heads, tokens, width, device="cuda") * 2 - 1
    q, k, v = (x.to(torch.bfloat16) for x in (q, k, v))
    operations = 4 * batch * heads * tokens * ((tokens + 1) / 2 if is_causal else tokens) * width
    times = []
    for backend in (SDPBackend.FLASH_ATTENTION, SDPBackend.CUDNN_ATTENTION):
        with sdpa_kernel(backend):
            work = lambda: functional.scaled_dot_product_attention(q, k, v, is_causal=is_causal)
            times.append((median_us(work), backend.name))
    for time_us, name in sorted(times):
        print(f"torch {name:<32} {time_us:10.2f} us  {operations / time_us / 1e6:.1f} TFLOP/s")


def copy():
    x, y = (torch.rand(8192, 8192, device="cuda") for _ in range(2))
    report("copy 8192 x 8192", x.nbytes * 2, lambda: y.copy_(x))


PEERS = {
    "saxpy": saxpy,
    "rms": lambda: norm("rms"),
    "layer": lambda: norm("layer"),
    "softmax": softmax,
    "top_k": top_k,
    "black_scholes": black_scholes,
    "n_body": n_body,
    "attention": lambda: attention(False),
    "causal_attention": lambda: attention(True),
    "copy": copy,
}
for kernel in sys.argv[1:]:
    PEERS[kernel]()
