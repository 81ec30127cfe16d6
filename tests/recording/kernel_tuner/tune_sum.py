#!/usr/bin/env python3
"""tune_sum.py FOLDER: tunes a sum in C++ with Kernel Tuner 1.5 and writes what Kernel Tuner writes: the cache file
sum.cache.json and the T4 results sum.t4.json. Both are here, for tests that read them."""

import os
import sys

import numpy
from kernel_tuner import tune_kernel
from kernel_tuner.file_utils import store_output_file

SOURCE = r"""
#if BLOCK == 16 && UNROLL == 4
#error uses too much shared data  // Kernel Tuner goes on after an error with these words
#endif
#include <chrono>
extern "C" float sum(float *total, const float *values, int n) {
  const auto begin = std::chrono::steady_clock::now();
  float parts[BLOCK] = {};
  for (int i = 0; i + BLOCK <= n; i += BLOCK)
    for (int j = 0; j < BLOCK; ++j) parts[j] += values[i + j];
  *total = 0;
  for (int j = 0; j < BLOCK; ++j) *total += parts[j];
  return std::chrono::duration<float, std::milli>(std::chrono::steady_clock::now() - begin).count();
}
"""
N = 1 << 14
PARAMETERS = {"BLOCK": [1, 4, 16], "UNROLL": [1, 2, 4], "SCALE": [0.5, 1.5], "LABEL": ["a b", "c"]}

os.chdir(sys.argv[1])
results, _ = tune_kernel(
    "sum", SOURCE, N, [numpy.zeros(1, numpy.float32), numpy.ones(N, numpy.float32), numpy.int32(N)], PARAMETERS, lang="C",
    compiler="g++", compiler_options=["-O2"], answer=[numpy.array([N], numpy.float32), None, None], iterations=3,
    restrictions=["UNROLL <= BLOCK", "SCALE < 1 or LABEL == 'c'"], cache="sum.cache.json",
    metrics={"GB/s": lambda each: N * 4 / each["time"] / 1e6})
store_output_file("sum.t4.json", results, PARAMETERS)
