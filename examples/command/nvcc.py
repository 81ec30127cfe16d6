#!/usr/bin/env python3
"""Compiles kernels for gktune with nvcc.

    gktune run blur.yaml

docs/space-file.md describes the lines that are read and written."""
import json
import os
import subprocess
import sys
import tempfile


def compile_kernel(request, folder):
    macros = [f"{name}={value}" for name, value in request["configuration"].items()]
    if request["architecture"].startswith("sm_"):
        path = os.path.join(folder, "kernel.cubin")
        words = ["nvcc", "-O3", "-cubin", "-arch=" + request["architecture"], "-o", path, request["source"]]
        done = subprocess.run(words + ["-D" + macro for macro in macros], capture_output=True, text=True)
        if done.returncode != 0:
            return {"error": done.stderr}
    else:  # a CPU: gktune compiles the source that it gets
        path = os.path.join(folder, "kernel.cu")
        with open(request["source"]) as source, open(path, "w") as file:
            file.writelines("#define " + macro.replace("=", " ", 1) + "\n" for macro in macros)
            file.write(source.read())
    block = request["configuration"]["threads"]
    return {"file": path, "launches": {entry: {"block": block} for entry in request["entries"]}}


def main():
    with tempfile.TemporaryDirectory() as folder:
        for line in sys.stdin:
            print(json.dumps(compile_kernel(json.loads(line), folder)), flush=True)


if __name__ == "__main__":
    main()
