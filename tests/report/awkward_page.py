"""A report whose names, numbers of problems and times are hard to lay out."""

import itertools
import json
import os
import subprocess

LONG = {
    "number_of_threads_per_block_in_x_direction": [32, 64, 128, 256],
    "shared_memory_swizzling_strategy_for_operand_b": ["no_swizzling_at_all", "xor_swizzling_of_eight_rows", "padding_by_one_bank_each"],
    "software_pipeline_stages": [1, 2, 3],
}
SHORT = {"block": [32, 64, 128], "tile": [1, 2]}
OUTLIER_MS = {(32, 1): 0.070, (64, 1): 0.074, (128, 1): 0.1, (32, 2): 0.2, (64, 2): 0.5, (128, 2): 4.0}


def recording(kernel, device, problem, parameters, time_ms):
    cache = {}
    for values in itertools.product(*parameters.values()):
        entry = dict(zip(parameters, values))
        time = time_ms(*values)
        # The means order the configurations in another way than the medians, which the report shows.
        times = [] if isinstance(time, str) else [time, time, time * 1.5 if len(cache) % 3 == 0 else time]
        entry.update(time=time if isinstance(time, str) else sum(times) / 3, times=times)
        cache[",".join(str(value) for value in values)] = entry
    return {"device_name": device, "kernel_name": kernel, "problem_size": problem, "tune_params_keys": list(parameters),
            "tune_params": parameters, "cache": cache}


def recordings():
    size = "batch=64,heads=32,sequence_length=8192,head_dimension=128"
    for place, device in enumerate(("NVIDIA H100 80GB HBM3 SXM5 (MIG 1g.10gb)", "NVIDIA A100-SXM4-80GB")):
        yield recording("fused_multi_head_attention_forward_with_dropout_and_relative_position_bias", device, size, LONG,
                        lambda threads, way, stages: 3 + place + (threads * 7 + len(way) * 13 + stages * 29) % 100 / 50)
    for number in range(30):
        yield recording("many_problems", "Card " + "ABC"[number % 3], f"m={2 ** number},n={2 ** number // 2},k=64", SHORT,
                        lambda block, tile: 2 ** number * 1e-3 * (1 + tile + block / 100))
    yield recording("outlier", "Card A", 4096, SHORT, lambda block, tile: OUTLIER_MS[block, tile])
    yield recording("one_trial", "Card A", 4096, {"block": [128]}, lambda block: 0.5)
    yield recording("always_fails", "Card A", 4096, SHORT, lambda block, tile: "RuntimeFailedConfig")


def make(gktune, folder):
    """Writes a page for each kernel in the folder, and returns their paths by kernel."""
    database = os.path.join(folder, "awkward.db")
    kernels = {}
    for number, each in enumerate(recordings()):
        path = os.path.join(folder, f"awkward-{number}.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump(each, file)
        subprocess.run([gktune, "db", "import", path, "--db", database], check=True, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL, timeout=300)
        kernels[each["kernel_name"]] = None
    for kernel in kernels:
        kernels[kernel] = os.path.join(folder, kernel + ".html")
        subprocess.run([gktune, "report", kernel, "--db", database, "-o", kernels[kernel]], check=True, stdout=subprocess.DEVNULL,
                       timeout=300)
    return kernels
