import importlib.util
import json
import os
import subprocess
import sys
import unittest

from saxpy import KernelCase

HEAD = """
import json, numpy
from kernel_tuner import tune_kernel, run_kernel
source = '''
__global__ void vector_add(float *c, const float *a, const float *b, int n) {
  int i = blockIdx.x * block_size_x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}
'''
size = 1000
a = numpy.random.randn(size).astype(numpy.float32)
b = numpy.random.randn(size).astype(numpy.float32)
args = [numpy.zeros_like(b), a, b, numpy.int32(size)]
answer = [a + b, None, None, None]
sizes = {"block_size_x": [32, 64, 96, 128]}
"""


class Script(KernelCase):
    def run_script(self, text, *flags):
        path = os.path.join(self.folder, "script.py")
        with open(path, "w") as file:
            file.write(HEAD + text)
        command = [sys.executable, "-m", "gktune.kernel_tuner", "--device", "host", "--db", self.database, *flags, path]
        environment = {**os.environ, "XDG_CACHE_HOME": self.cache}
        return subprocess.run(command, capture_output=True, text=True, cwd=self.folder, env=environment)

    def results(self, text):
        run = self.run_script(text + "\nprint(json.dumps(results))")
        self.assertEqual(run.returncode, 0, run.stderr)
        return json.loads(run.stdout.splitlines()[-1])

    def values(self, restrictions):
        results = self.results(
            f"results, env = tune_kernel('vector_add', source, size, args, sizes, answer=answer, restrictions={restrictions})"
        )
        return sorted(result["block_size_x"] for result in results)

    def assertRefuses(self, text, message):
        run = self.run_script(text)
        self.assertEqual((run.returncode, run.stderr), (1, f"error: {message}\n"))

    def test_all_configurations_are_results_of_its_form(self):
        results = self.results("""
metrics = {"GB/s": lambda p: size * 12 / p["time"] / 1e6, "half": "time / 2"}
results, env = tune_kernel("vector_add", source, size, args, sizes, answer=answer, metrics=metrics)
assert env["device_name"]
""")
        self.assertEqual(sorted(result["block_size_x"] for result in results), [32, 64, 96, 128])
        for result in results:
            self.assertAlmostEqual(result["half"], result["time"] / 2)
            self.assertGreater(len(result["times"]), 1)

    def test_restrictions_are_texts_or_functions(self):
        self.assertEqual(self.values("['block_size_x > 32', 'block_size_x % 64 == 0']"), [64, 128])
        self.assertEqual(self.values("lambda p: p['block_size_x'] > 64"), [96, 128])
        self.assertEqual(self.values("[lambda block_size_x: block_size_x < 64]"), [32])

    @unittest.skipUnless(importlib.util.find_spec("constraint"), "python-constraint is not installed")
    def test_restrictions_are_objects_of_python_constraint(self):
        self.assertEqual(self.values("[__import__('constraint').MaxProdConstraint(70)]"), [32, 64])
        self.assertEqual(self.values("[(__import__('constraint').MinSumConstraint(96), ['block_size_x'])]"), [96, 128])

    def test_a_wrong_answer_is_a_failed_configuration(self):
        results = self.results("""
wrong = source.replace("+ b[i]", "+ b[i] + (block_size_x == 64)")
results, env = tune_kernel("vector_add", wrong, size, args, sizes, answer=answer)
""")
        self.assertEqual([result["block_size_x"] for result in results if "__error__" in result], [64])

    def test_grids_follow_divisors_and_sizes(self):
        results = self.results("""
text = source.replace("blockIdx.x * block_size_x + threadIdx.x", "(blockIdx.x * block_size_x + threadIdx.x) * tile").replace(
    "if (i < n)", "for (int end = i + tile; i < end && i < n; ++i)")
results, env = tune_kernel("vector_add", text, lambda p: (size,), args, {**sizes, "tile": [1, 2]}, answer=answer,
                           grid_div_x=["block_size_x", "tile"])
""")
        self.assertEqual([result["block_size_x"] for result in results if "__error__" in result], [])
        self.assertEqual(len(results), 8)

    def test_constant_memory_is_an_array_of_the_source(self):
        results = self.results("""
text = "__constant__ float factor[1];" + source.replace("b[i];", "factor[0] * b[i];")
results, env = tune_kernel("vector_add", text, size, args, {"block_size_x": [64]}, answer=[a + 3 * b, None, None, None],
                           cmem_args={"factor": numpy.array([3], numpy.float32)})
""")
        self.assertNotIn("__error__", results[0])

    def test_a_kernel_is_run_once(self):
        run = self.run_script(
            "c, *rest = run_kernel('vector_add', source, size, args, {'block_size_x': 64}); print(numpy.array_equal(c, a + b), args[0].any())"
        )
        self.assertEqual((run.stdout, run.stderr), ("True False\n", ""))

    def test_results_are_stored_for_a_device_header(self):
        run = self.run_script("""
from kernel_tuner.integration import store_results, create_device_targets
from kernel_tuner.file_utils import store_output_file, store_metadata_file
results, env = tune_kernel("vector_add", source, size, args, {"block_size_x": [64]}, cache="cache")
for n in range(2): store_results("results.json", "vector_add", source, sizes, size, results, env)
create_device_targets("targets.h", "results.json")
store_output_file("output.json", results, sizes)
store_metadata_file("metadata.json")
""")
        self.assertEqual(run.returncode, 0, run.stderr)

        def read(name):
            with open(os.path.join(self.folder, name)) as file:
                return file.read()

        self.assertEqual(
            [each["tunable_parameters"] for each in json.loads(read("results.json"))["data"]], [{"block_size_x": 64}]
        )
        self.assertEqual(read("targets.h").count("#define block_size_x 64\n"), 2)
        (stored,) = json.loads(read("output.json"))["results"]
        self.assertEqual((stored["configuration"], stored["invalidity"]), ({"block_size_x": 64}, "correct"))
        self.assertGreater(stored["measurements"][0]["value"], 0)
        self.assertIn("64", json.loads(read("cache.json"))["cache"])
        self.assertIn("host", read("metadata.json"))

    def test_the_best_configuration_is_found_and_written_as_text(self):
        run = self.run_script("""
from kernel_tuner import util
results = [{"x": 1, "time": 2.0}, {"x": 2, "time": 1.5}, {"x": 3, "time": "error", "__error__": "error"}]
print(util.get_config_string(util.get_best_config(results, "time")))
""")
        self.assertEqual((run.stdout, run.stderr), ("x=2, time=1.500\n", ""))

    def test_calls_in_a_loop_are_studies_of_their_own(self):
        run = self.run_script("""
for n in (500, 1000):
    results, env = tune_kernel("vector_add", source, n, [args[0][:n], a[:n], b[:n], numpy.int32(n)], {"block_size_x": [64]})
    print(len(results))
""")
        self.assertEqual(run.stdout.splitlines().count("1"), 2, run.stderr)

    def test_the_space_file_of_a_call_is_written(self):
        space = os.path.join(self.folder, "space.yaml")
        run = self.run_script(
            "tune_kernel('vector_add', source, size, args, sizes, answer=answer)", "--write-space", space
        )
        self.assertEqual(run.returncode, 0, run.stderr)
        with open(space) as file:
            self.assertEqual(json.load(file)["parameters"], {"block_size_x": [32, 64, 96, 128]})

    def test_a_function_judges_the_outputs_of_each_configuration(self):
        results = self.results("""
judged = []
def verify(answer, outputs, atol):
    judged.append(atol)
    return numpy.allclose(answer[0], outputs[0], atol=atol) and outputs[3] == size
some = {"block_size_x": [32, 64]}
results, env = tune_kernel("vector_add", source, size, args, some, answer=answer, verify=verify, atol=1e-4)
assert judged == [1e-4] * 2, judged
""")
        self.assertEqual(len(results), 2)

    def test_a_configuration_that_the_function_rejects_ends_the_script(self):
        run = self.run_script("""
wrong = source.replace("+ b[i]", "+ b[i] + (block_size_x == 64)")
verify = lambda answer, outputs, atol: numpy.allclose(answer[0], outputs[0], atol=atol)
tune_kernel("vector_add", wrong, size, args, {"block_size_x": [64]}, answer=answer, verify=verify)
""")
        self.assertEqual(run.returncode, 1)
        self.assertIn("RuntimeError: Kernel result verification failed for: block_size_x=64", run.stderr)

    OBSERVERS = """
from kernel_tuner.observers import BenchmarkObserver
from kernel_tuner.observers.nvml import NVMLObserver
from kernel_tuner.observers.register import RegisterObserver
class Own(BenchmarkObserver): pass
def tune(*observers):
    return tune_kernel("vector_add", source, size, args, {"block_size_x": [64]}, observers=observers)[0]
"""

    def test_observers_are_metrics(self):
        space = os.path.join(self.folder, "space.yaml")
        run = self.run_script(
            self.OBSERVERS + "print(len(tune(NVMLObserver(['nvml_energy', 'core_freq']), RegisterObserver())))",
            "--write-space",
            space,
        )
        self.assertEqual(run.returncode, 0, run.stderr)
        with open(space) as file:
            metrics = json.load(file)["metrics"]
        self.assertEqual(metrics, {"nvml_energy": "energy_j", "core_freq": "clock_mhz", "num_regs": "registers"})

    def test_observers_without_a_counterpart_are_one_line(self):
        for observer, what in (
            ("Own()", "the observer Own, whose functions would run around each execution"),
            (
                "NVMLObserver(['mem_freq'])",
                "the observable 'mem_freq'; it has nvml_energy, nvml_power, core_freq, num_regs",
            ),
            ("NVMLObserver(['nvml_power'], save_all=True)", "save_all of an NVMLObserver"),
        ):
            with self.subTest(observer):
                self.assertRefuses(self.OBSERVERS + f"tune({observer})", f"gktune does not cover {what}")

    def test_what_is_not_covered_is_one_line(self):
        tune = "tune_kernel('vector_add', source, size, args, sizes, {})"
        for argument, what in (
            ("observers=[1]", "the observer 1"),
            ("simulation_mode=True", "simulation_mode"),
            ("texmem_args={'a': a}", "texmem_args"),
            ("lang='OpenCL'", "the language OpenCL"),
            ("strategy='luck'", "the strategy 'luck'"),
            ("objective='J'", "the objective 'J' but with brute_force and a metric or an observer of this name"),
            ("colour=1", "the argument colour"),
            ("restrictions=[3]", "the restriction 3"),
        ):
            with self.subTest(argument):
                self.assertRefuses(tune.format(argument), f"gktune does not cover {what}")
        self.assertRefuses(
            "tune_kernel('vector_add', source, size, args, {**sizes, 'nvml_gr_clock': [1000]})",
            "gktune does not cover the parameter nvml_gr_clock, which changes the GPU",
        )
        self.assertRefuses("import kernel_tuner.backends", "gktune does not cover the module kernel_tuner.backends")
        self.assertRefuses(
            "tune_kernel('vector_add', lambda p: source, size, args, sizes)",
            "gktune does not cover kernel sources that a function generates",
        )
        self.assertRefuses(
            "tune_kernel('vector_add', source, size, args[1:], sizes)",
            "vector_add takes 4 arguments, and the script passes 3",
        )
        self.assertRefuses(
            "tune_kernel('vector_add', 'missing.cu', size, args, sizes)",
            "[Errno 2] No such file or directory: 'missing.cu'",
        )
