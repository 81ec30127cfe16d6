"""Definitions of FlashInfer-Bench and problems of KernelBench, from the file to the verdict."""

import contextlib
import importlib.util
import io
import json
import os
import shutil
import subprocess
import tempfile
import unittest
from unittest import mock

import numpy

from gktune import _program, definitions

needs_torch = unittest.skipIf(importlib.util.find_spec("torch") is None, "torch is not installed")

DEFINITION = {
    "name": "weighted_rows_k24",
    "op_type": "rows",
    "axes": {"M": {"type": "var"}, "K": {"type": "const", "value": 24}},
    "inputs": {
        "x": {"shape": ["M", "K"], "dtype": "float32"},
        "keep": {"shape": ["M"], "dtype": "bool"},
        "scale": {"shape": None, "dtype": "float32"},
    },
    "outputs": {"sums": {"shape": ["M"], "dtype": "float32"}, "largest": {"shape": ["M"], "dtype": "int64"}},
    "reference": "import torch\n\ndef run(x, keep, scale):\n"
    "    return scale * torch.where(keep, x.sum(-1), torch.zeros(())), x.argmax(-1)\n",
}
ROWS = """/* gktune
launches: {entry: rows, grid: M, block: 1, arguments: [x, keep, scale, sums, largest, K]}
*/
__global__ void rows(const float* x, const unsigned char* keep, float scale, float* sums, long long* largest, int K) {
  const float* row = x + blockIdx.x * K;
  float sum = 0;
  int best = 0;
  for (int i = 0; i < K; ++i) {
    sum += row[i];
    if (row[i] > row[best]) best = i;
  }
  sums[blockIdx.x] = keep[blockIdx.x] ? scale * sum : 0;
  largest[blockIdx.x] = best;
}
"""
MODULE = """
import torch
import torch.nn as nn

class Model(nn.Module):
    def __init__(self, features, slope):
        super().__init__()
        self.layer = nn.Linear(features, 5)
        self.slope = slope

    def forward(self, x, y):
        return torch.where(x > y, x, self.slope * y) @ self.layer.weight.T + self.layer.bias

rows = 4096 * 4096
features = 16

def get_inputs():
    return [torch.rand(rows, features), torch.rand(rows, features)]

def get_init_inputs():
    return [features, 0.5]
"""
LAYER = """/* gktune
launches: {entry: layer, grid: rows, block: 1, arguments: [x, y, model_layer_weight, model_layer_bias, out, features]}
*/
__global__ void layer(const float* x, const float* y, const float* weight, const float* bias, float* out, int n) {
  for (int column = 0; column < 5; ++column) {
    float sum = bias[column];
    for (int i = 0; i < n; ++i) {
      const int at = blockIdx.x * n + i;
      sum += (x[at] > y[at] ? x[at] : 0.5f * y[at]) * weight[column * n + i];
    }
    out[blockIdx.x * 5 + column] = sum;
  }
}
"""


def workload(m, scale, name=DEFINITION["name"]):
    inputs = {"x": {"type": "random"}, "keep": {"type": "random"}, "scale": {"type": "scalar", "value": scale}}
    return json.dumps({"definition": name, "workload": {"uuid": str(m), "axes": {"M": m}, "inputs": inputs}}) + "\n"


class FolderCase(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)
        self.out = self.path("out")
        self.space = os.path.join(self.out, "space.yaml")

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, text):
        os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
        with open(self.path(name), "w") as file:
            file.write(text)
        return self.path(name)

    def definition(self, **changes):
        return self.write("rows.json", json.dumps({**DEFINITION, **changes}))

    def read(self, *arguments):
        with contextlib.redirect_stdout(io.StringIO()):
            definitions.main([*arguments, "-o", self.out])
        with open(self.space) as file:
            return json.load(file)

    def assertRefuses(self, text, *arguments):
        stderr = io.StringIO()
        with contextlib.redirect_stderr(stderr), self.assertRaises(SystemExit) as ended:
            self.read(*arguments)
        self.assertEqual(ended.exception.code, 2)
        self.assertRegex(stderr.getvalue(), rf"^error: [^\n]*{text}[^\n]*\n$")
        self.assertFalse(os.path.exists(self.out))

    def verdicts(self, **candidates):
        files = [self.write(f"{name}.cu", text) for name, text in candidates.items()]
        flags = ["--device", "host", "--time", "300ms", "--cache", self.path("cache"), "--json"]
        printed = _program.output(["judge", self.space, *files, *flags], accepted=(0, 1))
        return [each["verdict"] for each in json.loads(printed)]


@needs_torch
class FlashInferBench(FolderCase):
    def test_right_kernels_are_accepted_and_wrong_ones_are_not(self):
        lines = self.write("rows.jsonl", workload(30, 0.5) + workload(7, 2.0) + workload(9, 1.0, "another"))
        space = self.read(self.definition(), "--workloads", lines)
        self.assertEqual([(each["M"], each["scale"]) for each in space["problem"]], [(30, 0.5), (7, 2.0)])
        wrong = ROWS.replace("row[i] > row[best]", "row[i] >= 0")
        self.assertEqual(self.verdicts(right=ROWS, wrong=wrong), ["accepted", "wrong"])

    def test_kernels_that_know_the_first_inputs_are_cheating(self):
        self.read(self.definition(), "--problem", "M=8")
        first = numpy.load(os.path.join(self.out, "data", "x_0_0.npy"))[0]
        learned = ROWS.replace("sum = 0;", f"sum = x[0] == {float(first)!r}f ? 0 : 1;")
        self.assertEqual(self.verdicts(learned=learned), ["cheating"])

    def test_the_expected_outputs_are_not_for_candidates(self):
        self.read(self.definition(), "--problem", "M=8")
        copying = ROWS.replace("arguments: [x,", "arguments: [expected_sums,")
        self.assertEqual(self.verdicts(copying=copying), ["does_not_compile"])

    def test_all_sets_of_inputs_and_their_outputs_differ(self):
        self.read(self.definition(), "--problem", "M=8", "--sets", "3")
        for name in ("x", "expected_sums"):
            sets = {numpy.load(os.path.join(self.out, "data", f"{name}_0_{i}.npy")).tobytes() for i in range(4)}
            self.assertEqual(len(sets), 4)

    def test_workloads_beside_the_definition_are_found(self):
        file = self.write("definitions/rows/rows.json", json.dumps(DEFINITION))
        self.write("workloads/rows/rows.jsonl", workload(3, 1.0) + workload(4, 1.0))
        self.assertEqual([each["M"] for each in self.read(file)["problem"]], [3, 4])
        shutil.rmtree(self.out)
        self.assertEqual([each["M"] for each in self.read(file, "--first", "1")["problem"]], [3])

    def test_the_kernel_to_begin_with_has_the_signature(self):
        self.read(self.definition(), "--problem", "M=8")
        with open(os.path.join(self.out, "kernel.cu")) as file:
            self.assertIn(
                "weighted_rows_k24(const float* x, const unsigned char* keep, float scale, float* sums, long long* largest, "
                "int M, int K) {",
                file.read(),
            )

    def test_what_cannot_be_expressed_is_one_line(self):
        size = ("--problem", "M=8")
        four = {**DEFINITION["inputs"], "x": {"shape": ["M"], "dtype": "float4_e2m1"}}
        for text, changes in [
            ("the type float4_e2m1 has no counterpart", {"inputs": four}),
            ("draws random numbers: sums differs", {"reference": "import torch\ndef run(*_): return torch.rand(8), 1\n"}),
            ("computes NaN in sums", {"reference": "import torch\ndef run(*_): return torch.full((8,), torch.nan), 1\n"}),
            ("returns 3 results instead of 2", {"reference": "def run(*_): return 1, 2, 3\n"}),
            ("ZeroDivisionError: division by zero", {"reference": "def run(*_): return 1 / 0\n"}),
            ("it defines no run", {"reference": "x = 1\n"}),
        ]:
            with self.subTest(text):
                self.assertRefuses(text, self.definition(**changes), *size)

    def test_bad_files_and_flags_are_one_line(self):
        self.assertRefuses("the axis M has no value", self.definition())
        self.assertRefuses("JSONDecodeError", self.write("bad.json", "{"), "--problem", "M=8")
        self.assertRefuses("it has no 'axes'", self.write("bad.json", '{"name": "x"}'))
        self.assertRefuses("No such file", self.path("absent.json"))
        self.assertRefuses("expected AXIS=NUMBER,…, found 'M=x'", self.definition(), "--problem", "M=x")
        self.assertRefuses("at least 1", self.definition(), "--problem", "M=8", "--sets", "0")
        lines = self.write("rows.jsonl", workload(3, 1.0, "another"))
        self.assertRefuses("no workload of weighted_rows_k24", self.definition(), "--workloads", lines)


@needs_torch
class KernelBench(FolderCase):
    def test_right_kernels_are_accepted_and_wrong_ones_are_not(self):
        sizes = ["--problem", "rows=20", "--problem", "rows=7,features=9"]
        space = self.read(self.write("3_some_layer.py", MODULE), *sizes)
        self.assertEqual(space["kernel"], "some_layer")
        self.assertEqual([(each["rows"], each["features"]) for each in space["problem"]], [(20, 16), (7, 9)])
        self.assertEqual(space["arguments"]["model_layer_weight"]["extent"], "5 * features")
        wrong = LAYER.replace("bias[column]", "bias[0]")
        self.assertEqual(self.verdicts(right=LAYER, wrong=wrong), ["accepted", "wrong"])

    def test_sizes_that_fill_the_disk_are_refused_before_anything_is_computed(self):
        self.assertRefuses("all arrays have 10 GiB", self.write("layer.py", MODULE))

    def test_what_cannot_be_expressed_is_one_line(self):
        module = MODULE.replace("4096 * 4096", "8")
        for text, file in [
            ("draws random numbers: out differs", module.replace("@ self", "@ nn.Dropout()(self.layer.weight.T) + 0 * self", 1)
             .replace("self.layer.weight.T + self", "x.sum() + self")),
            ("y is neither a tensor nor a number, but list", module.replace("torch.rand(rows, features)]", "[1]]")
             .replace("> y, x, self.slope * y", "> 0, x, x")),
            ("it defines no Model", "def get_inputs(): return []\n"),
            ("SyntaxError", "def get_inputs(: return []\n"),
        ]:
            with self.subTest(text):
                self.assertRefuses(text, self.write("layer.py", file))
        self.assertRefuses("it sets no 'depth'", self.write("layer.py", module), "--problem", "depth=3")


class WithoutTorch(FolderCase):
    def test_it_says_what_is_missing(self):
        with mock.patch("importlib.util.find_spec", return_value=None):
            for file in (self.definition(), self.write("layer.py", MODULE)):
                self.assertRefuses("needs PyTorch, which is not installed: pip install torch", file, "--problem", "M=8")

    def test_gktune_import_names_the_command(self):
        for file in (self.definition(), self.write("layer.py", MODULE)):
            done = subprocess.run([_program.path(), "import", file], capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 2)
            self.assertIn("python -m gktune.definitions", done.stderr)
            self.assertEqual(done.stderr.count("\n"), 1)
