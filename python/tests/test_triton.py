"""Kernels of Triton, compiled for a GPU that need not be there."""

import importlib.util
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
import unittest.mock

import numpy

import gktune

if importlib.util.find_spec("triton") is None:
    raise unittest.SkipTest("triton is not installed")

import triton
import triton.language as tl

import gktune.triton

FACTOR = tl.constexpr(2)
HIDDEN = object()


@triton.jit
def doubled(x):
    return x * FACTOR


@triton.jit
def add(x, y, out, n, stride, BLOCK: tl.constexpr, WAY: tl.constexpr = "plain"):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    sum = doubled(tl.load(x + at, mask=inside)) + tl.load(y + at, mask=inside)
    if WAY == "exp":
        sum = tl.math.exp(sum)
    tl.store(out + at * stride, sum, mask=inside)


@triton.jit
def row_sums(x, out, n, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    row = tl.program_id(0)
    values = tl.load(x + row * n + at, mask=at < n, other=0.0)
    tl.store(out + row, tl.sum(values, axis=0))


@triton.jit
def hidden(x, BLOCK: tl.constexpr):
    tl.store(x, HIDDEN)


class TritonCase(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)

    def kernel(self, function=add, **changes):
        x = numpy.ones(4096, numpy.float32)
        arguments = {"x": x, "y": x, "out": gktune.out(numpy.empty_like(x)), "n": 4096, "stride": 1}
        keywords = {
            "arguments": arguments,
            "parameters": {"BLOCK": [256, 1024], "num_warps": [4, 8]},
            "grid": "ceil_div(n, BLOCK)",
            "device": "cuda",
            "database": os.path.join(self.folder, "gktune.db"),
        }
        return gktune.triton.Kernel(function, **{**keywords, **changes})

    def assertRefuses(self, call, *texts):
        with self.assertRaises(gktune.InvalidArgument) as caught:
            call()
        for text in texts:
            self.assertIn(text, str(caught.exception))


class Description(TritonCase):
    def test_configs_are_the_only_valid_configurations(self):
        configs = [triton.Config({"BLOCK": 256}, num_warps=4), triton.Config({"BLOCK": 1024}, num_warps=8)]
        space = json.loads(self.kernel(parameters=None, configs=configs).space_file())
        self.assertEqual(space["parameters"], {"BLOCK": [256, 1024], "num_warps": [4, 8], "num_stages": [3]})
        self.assertEqual(space["constraints"], ["BLOCK == 256 and num_warps == 4 or BLOCK == 1024 and num_warps == 8"])

    def test_a_function_with_autotune_brings_its_configs(self):
        function = triton.autotune([triton.Config({"BLOCK": 512}, num_warps=2)], key=["n"])(add)
        space = json.loads(self.kernel(function, parameters=None).space_file())
        self.assertEqual(space["parameters"], {"BLOCK": [512], "num_warps": [2], "num_stages": [3]})

    def test_the_source_has_what_the_function_uses(self):
        source = gktune.triton.source_of(add)
        self.assertIn("def doubled(x)", source)
        self.assertIn("FACTOR = triton.language.constexpr(2)", source)
        self.assertIn("import triton.language as tl", source)

    def test_the_best_configuration_is_a_config_of_triton(self):
        config = self.kernel().config({"BLOCK": 256, "num_warps": 8})
        self.assertEqual((config.kwargs, config.num_warps), ({"BLOCK": 256}, 8))

    def test_bad_descriptions_are_one_sentence(self):
        self.assertRefuses(lambda: self.kernel(doubled.fn), "is no function of triton.jit")
        self.assertRefuses(lambda: self.kernel(parameters={"BLCK": [1]}), "add has no parameter 'BLCK'")
        self.assertRefuses(lambda: self.kernel(parameters={"num_warps": [4]}), "add needs a value for 'BLOCK'")
        self.assertRefuses(lambda: self.kernel(parameters=None, configs=[]), "configs is empty")
        self.assertRefuses(lambda: self.kernel(configs=[triton.Config({"BLOCK": 1})]), "configs or parameters")
        clusters = [triton.Config({"BLOCK": 256}, num_ctas=2)]
        self.assertRefuses(lambda: self.kernel(parameters=None, configs=clusters), "num_ctas of a triton.Config")
        uneven = [triton.Config({"BLOCK": 256}), triton.Config({})]
        self.assertRefuses(lambda: self.kernel(parameters=None, configs=uneven), "values for the same names")
        self.assertRefuses(lambda: self.kernel(hidden, arguments={"x": numpy.ones(4)}), "hidden uses 'HIDDEN'")


class Compilation(TritonCase):
    """The program that gktune asks."""

    def answers(self, kernel, *changes):
        space = json.loads(kernel.space_file())
        requests = []
        for change in changes:
            request = {
                "architecture": "sm_90",
                "source": os.path.join(os.path.dirname(kernel.path), space["source"]),
                "entries": ["add"],
                "configuration": {"BLOCK": 256, "num_warps": 4},
                "problem": {"n": 4096, "stride": 1},
                "arguments": [{"name": name, "type": "float32", "extent": 4096} for name in ("x", "y", "out")]
                + [{"name": "n", "type": "int32", "value": 4096}, {"name": "stride", "type": "int32", "value": 1}],
            }
            requests.append(json.dumps({**request, **change}))
        done = subprocess.run(space["command"], input="\n".join(requests) + "\n", capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return [json.loads(line) for line in done.stdout.splitlines()]

    def launch(self, **change):
        [answer] = self.answers(self.kernel(), change)
        self.assertTrue(answer["file"].endswith(".cubin"))
        return answer["launches"]["add"]

    def test_the_launch_follows_from_the_configuration(self):
        launch = self.launch(configuration={"BLOCK": 1024, "num_warps": 8})
        self.assertEqual((launch["entry"], launch["block"], launch["shared"]), ("add", 256, 0))

    def test_a_size_of_one_is_a_constant(self):
        self.assertEqual(self.launch()["arguments"][:5], ["x", "y", "out", "n", "no_scratch"])
        arguments = self.launch(problem={"n": 4096, "stride": 3})["arguments"]
        self.assertEqual(arguments[:6], ["x", "y", "out", "n", "stride", "no_scratch"])

    def test_a_scalar_that_is_no_size_stays_an_argument(self):
        self.assertIn("stride", self.launch(problem={"n": 4096})["arguments"])

    def test_several_requests_are_answered_in_order(self):
        answers = self.answers(self.kernel(), {}, {"architecture": "x86-64"}, {"configuration": {"BLOCK": 3}}, {})
        self.assertEqual(answers[1], {"error": "Triton compiles for GPUs, not for x86-64"})
        self.assertIn("power of 2", answers[2]["error"])
        self.assertEqual(answers[0], answers[3])

    def test_compiling_adds_nothing_to_the_cache_of_triton(self):
        with tempfile.TemporaryDirectory() as folder, unittest.mock.patch.dict(os.environ, TRITON_CACHE_DIR=folder):
            self.launch()
            self.assertEqual(os.listdir(folder), [])

    def test_all_configurations_compile_without_a_gpu(self):
        x, out = numpy.ones((64, 1000), numpy.float32), numpy.empty(64, numpy.float32)
        kernel = self.kernel(
            row_sums, arguments={"x": x, "out": gktune.out(out), "n": 1000}, grid=64, parameters={"BLOCK": [1024, 2048]}
        )
        try:
            findings = gktune.check(kernel, device="sm_90")
        except gktune.NoDevice as error:
            self.skipTest(str(error))
        self.assertEqual(findings, [])


class Launch(TritonCase):
    def test_an_array_that_is_not_aligned_is_refused(self):
        class Tensor:
            def data_ptr(self):
                return 8

        class OnGpu:
            __cuda_array_interface__ = {"data": (4100, False)}

        for array in (Tensor(), OnGpu()):
            self.assertRefuses(lambda: self.kernel()(array), "argument 1 does not begin at a multiple of 16 bytes")


if __name__ == "__main__":
    sys.exit(unittest.main())
