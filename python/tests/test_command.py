"""A kernel that a program compiles, from its tuning to its launch."""

import os
import sys

import numpy

import gktune
from gktune import _program
from saxpy import SOURCE, KernelCase

# Returns the source with the parameters in front, and another order of the arguments.
PROGRAM = """
import json, os, sys
for line in sys.stdin:
    request = json.loads(line)
    path = os.path.join(os.environ["TMPDIR"], f"{os.getpid()}.cu")
    with open(request["source"]) as source, open(path, "w") as file:
        file.writelines(f"#define {name} {value}\\n" for name, value in request["configuration"].items())
        file.write(source.read().replace("int n, float a, const float* x, float* y", "float* y, const float* x, float a, int n"))
    launch = {"arguments": ["y", "x", "a", "n"], "block": request["configuration"]["threads"]}
    print(json.dumps({"file": path, "launches": {"saxpy": launch}}), flush=True)
"""


class Command(KernelCase):
    def setUp(self):
        super().setUp()
        self.expected = 2 * self.x + self.y
        self.program = os.path.join(self.folder, "compile.py")
        with open(self.program, "w") as file:
            file.write(PROGRAM)
        os.environ.setdefault("TMPDIR", "/tmp")

    def compiled(self, **changes):
        return self.kernel(SOURCE, command=[sys.executable, self.program], block=1, **changes)

    def test_it_is_tuned_and_launched(self):
        kernel = self.compiled()
        study = kernel.tune()
        self.assertEqual([trial.status for trial in study.trials], ["ok"] * 4)
        self.assertTrue(study.report["checked"])
        kernel(self.n, 2.0, self.x, self.y)
        numpy.testing.assert_allclose(self.y, self.expected, rtol=1e-6)
        self.assertEqual(kernel.prepare(self.n, 2.0, self.x, self.y).config, study.best)

    def test_each_configuration_launches_its_own_code(self):
        for number, only in enumerate(({"threads": [32], "unroll": [1]}, {"threads": [64], "unroll": [2]})):
            kernel = self.compiled(database=os.path.join(self.folder, f"{number}.db"))
            kernel.tune(only=only)
            y = self.y.copy()
            kernel(self.n, 2.0, self.x, y)
            numpy.testing.assert_allclose(y, self.expected, rtol=1e-6)

    def test_the_sanitizer_runs_it(self):
        self.assertEqual(gktune.check(self.compiled(), sanitize=True, sample=1), [])
        with open(self.program, "w") as file:
            file.write(PROGRAM.replace("source.read()", 'source.read().replace("< n) y", "<= n) y")'))
        findings = gktune.check(self.compiled(), sanitize=True, sample=1)
        self.assertIn("illegal_access", {finding.status for finding in findings})

    def test_a_bundle_refuses_it(self):
        kernel = self.compiled()
        kernel.tune(trials=1)
        bundle = os.path.join(self.folder, "kernels.bundle")
        with self.assertRaisesRegex(gktune.Error, "a bundle has no place for the launches"):
            _program.output(["bundle", kernel.path, "--db", self.database, "-o", bundle])
