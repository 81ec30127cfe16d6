#!/usr/bin/env python3
"""Scripts of Kernel Tuner, unchanged, with Kernel Tuner and with gktune: how long each takes, and which winner is faster.

Usage: bench/against_kernel_tuner.py [--device DEVICE] [--most SECONDS] SCRIPT.py…, with gktune, kernel_tuner and CuPy installed.
Each script runs in copies of its folder, with an empty database and cache. A run of Kernel Tuner that has not ended after the most
seconds counts with these. A winner's time is that of gktune for the configuration that Kernel Tuner found best, as a multiple of
gktune's own winner; 1 or more: gktune's is as fast.
"""

import argparse
import json
import math
import os
import shutil
import subprocess
import sys
import tempfile
import time

import gktune

# Runs a script with Kernel Tuner and writes the best result of each call of tune_kernel to a file, as lines of JSON.
RECORD = """
import json, runpy, sys
import kernel_tuner
record, script = sys.argv[1:3]
sys.argv = [script]
tune = kernel_tuner.tune_kernel
def recorded(kernel_name, source, size, arguments, parameters, **options):
    results, env = tune(kernel_name, source, size, arguments, parameters, **options)
    valid = [each for each in results if isinstance(each.get("time"), float)]
    best = min(valid, key=lambda each: each["time"])
    with open(record, "a") as file:
        config = {name: best[name] for name in parameters}
        file.write(json.dumps({"kernel": kernel_name, "config": config, "ms": best["time"]}, default=lambda x: x.item()) + "\\n")
    return results, env
kernel_tuner.tune_kernel = kernel_tuner.interface.tune_kernel = recorded
runpy.run_path(script, run_name="__main__")
"""


def timed(command, script, scratch, most):
    """Seconds in a copy of the script's folder, infinity if more than `most`, or the last line of what went wrong."""
    folder = tempfile.mkdtemp(dir=scratch)
    shutil.copytree(os.path.dirname(os.path.abspath(script)), folder, dirs_exist_ok=True)
    modules = os.pathsep.join(os.path.abspath(path) for path in os.environ.get("PYTHONPATH", "").split(os.pathsep) if path)
    environment = {**os.environ, "XDG_CACHE_HOME": folder, "CUPY_CACHE_DIR": folder, "PYTHONPATH": modules}
    begin = time.perf_counter()
    try:
        done = subprocess.run(
            command, cwd=folder, env=environment, capture_output=True, text=True, timeout=most
        )
    except subprocess.TimeoutExpired:
        return math.inf
    if done.returncode != 0:
        return (done.stderr.strip().splitlines() or [f"exit code {done.returncode}"])[-1]
    return time.perf_counter() - begin


def ratio_of_winners(database, record):
    """The worst one of a script's calls; None: the database lacks what Kernel Tuner found best."""
    ratios = []
    with open(record) as file:
        calls = [json.loads(line) for line in file]
    winners = {winner.study.kernel: winner for winner in database.winners()}
    for call in calls:
        winner = winners.get(call["kernel"])
        trials = database.trials(winner.study) if winner else []
        times = [trial.time_us for trial in trials if trial.ok and trial.config == call["config"]]
        if times:
            ratios.append(times[0] / winner.time_us)
    return min(ratios, default=None)


def compare(script, flags, most):
    with tempfile.TemporaryDirectory() as scratch:
        name, record = os.path.basename(script), os.path.join(scratch, "record.json")
        database = os.path.join(scratch, "gktune.db")
        ours = timed([sys.executable, "-m", "gktune.kernel_tuner", *flags, "--db", database, name], script, scratch, most)
        theirs = timed([sys.executable, "-c", RECORD, record, name], script, scratch, most)
        if isinstance(ours, str) or isinstance(theirs, str) or not os.path.exists(record):
            return ours, theirs, None
        return ours, theirs, ratio_of_winners(gktune.Database(database), record)


def shown(value, most):
    if value == math.inf:
        return f"more than {most:.0f} s"
    return f"{value:.2f} s" if isinstance(value, float) else value


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device")
    parser.add_argument("--most", type=float, default=300, metavar="SECONDS", help="for a script, with either of the two")
    parser.add_argument("scripts", nargs="+", metavar="SCRIPT.py")
    options = parser.parse_args()
    flags = ["--device", options.device] if options.device else []
    sums, sooner, least = [0.0, 0.0], [], ""
    for script in options.scripts:
        ours, theirs, ratio = compare(script, flags, options.most)
        print(f"{os.path.basename(script)}: gktune {shown(ours, options.most)}, ", end="")
        print(f"Kernel Tuner {shown(theirs, options.most)}", end="")
        if isinstance(ours, float) and isinstance(theirs, float) and ours < math.inf:
            counted = min(theirs, options.most)
            least = "at least " if counted < theirs else least
            sums = [sums[0] + ours, sums[1] + counted]
            sooner.append(counted / ours)
            print(f", {'at least ' if counted < theirs else ''}{counted / ours:.1f} x sooner", end="")
        print("" if ratio is None else f", Kernel Tuner's winner takes {ratio:.3f} x as long", flush=True)
    if sooner:
        mean = math.prod(sooner) ** (1 / len(sooner))
        print(
            f"{len(sooner)} of {len(options.scripts)} compared: {least}{sums[1] / sums[0]:.1f} x sooner in sum, bar 5; "
            f"{least}{mean:.1f} x in geometric mean"
        )


if __name__ == "__main__":
    main()
