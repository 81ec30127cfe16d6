"""A kernel that several tests tune and launch."""

import os
import shutil
import tempfile
import unittest

import numpy

import gktune

SOURCE = """
__global__ void saxpy(int n, float a, const float* x, float* y) {
  const int first = blockIdx.x * threads * unroll + threadIdx.x;
  for (int i = 0; i < unroll; ++i) {
    if (first + i * threads < n) y[first + i * threads] += a * x[first + i * threads];
  }
}
"""


class KernelCase(unittest.TestCase):
    """A folder with a database for each test, one for compiled code for all, and a kernel on the host device."""

    @classmethod
    def setUpClass(cls):
        cls.cache = tempfile.mkdtemp()
        cls.addClassCleanup(shutil.rmtree, cls.cache)

    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)
        self.database = os.path.join(self.folder, "gktune.db")
        self.n = 3000
        random = numpy.random.default_rng(1)
        self.x = random.random(self.n, numpy.float32)
        self.y = random.random(self.n, numpy.float32)

    def kernel(self, source=SOURCE, **changes):
        keywords = {
            "arguments": {"n": self.n, "a": 2.0, "x": self.x, "y": gktune.inout(self.y)},
            "parameters": {"threads": [32, 64], "unroll": [1, 2]},
            "grid": "ceil_div(n, threads * unroll)",
            "block": "threads",
            "reference": lambda n, a, x, y: a * x + y,
            "database": self.database,
            "cache": self.cache,
        }
        return gktune.Kernel(source, "saxpy", **{**keywords, **changes})

    def assertRefuses(self, call, *texts, error=gktune.InvalidArgument):
        with self.assertRaises(error) as caught:
            call()
        message = str(caught.exception)
        for text in texts:
            self.assertIn(text, message)
        return message
