import contextlib
import io
import multiprocessing
import os
import re
import subprocess
import sys
import threading

import numpy

import gktune
from saxpy import KernelCase


class Wrapped:
    """An array that only has DLPack."""

    def __init__(self, array):
        self._array = array

    def __dlpack__(self, **keywords):
        return self._array.__dlpack__(**keywords)

    def __dlpack_device__(self):
        return self._array.__dlpack_device__()


class Memory:
    """What an array of CuPy tells of its memory, here of the CPU."""

    device_id = -1

    def __init__(self, array):
        self._array, self.ptr = array, array.ctypes.data


class InMemory:
    """An array with the attributes of one of CuPy, on the CPU."""

    def __init__(self, array):
        self.data, self.dtype, self.size, self.flags = Memory(array), array.dtype, array.size, array.flags


LikeCupy = type("ndarray", (InMemory,), {"__module__": "cupy"})


def launch_in_child(kernel, arguments, queue):
    try:
        kernel(*arguments)
        queue.put("launched")
    except gktune.Error as error:
        queue.put(str(error))


class Launch(KernelCase):
    def setUp(self):
        super().setUp()
        self.expected = 2 * self.x + self.y
        self.launched = self.kernel(reference=None)

    def test_a_launch_runs_the_winner(self):
        best = self.launched.tune(trials=3).best
        self.launched(self.n, 2.0, self.x, self.y)
        numpy.testing.assert_allclose(self.y, self.expected, rtol=1e-6)
        answer = self.launched.prepare(self.n, 2.0, self.x, self.y)
        self.assertEqual((answer.match, answer.config), ("exact", best))

    def test_without_a_database_the_default_serves(self):
        self.launched(self.n, 2.0, self.x, self.y)
        numpy.testing.assert_allclose(self.y, self.expected, rtol=1e-6)

    def test_other_sizes_are_launched_too(self):
        self.launched(10, 2.0, self.x, self.y)
        numpy.testing.assert_allclose(self.y[:10], self.expected[:10], rtol=1e-6)
        self.assertNotEqual(self.y[10], self.expected[10])

    def test_arrays_at_the_place_of_one_that_is_gone_are_told_apart(self):
        x = LikeCupy(self.x)
        for _ in range(300):
            y = numpy.zeros_like(self.y)
            self.launched(self.n, 2.0, x, LikeCupy(y))
            numpy.testing.assert_allclose(y, 2 * self.x, rtol=1e-6)

    def test_arrays_pass_through_dlpack(self):
        self.launched(self.n, 2.0, Wrapped(self.x), Wrapped(self.y))
        numpy.testing.assert_allclose(self.y, self.expected, rtol=1e-6)
        self.assertRefuses(lambda: self.launched(self.n, 2.0, Wrapped(self.x[::2]), self.y), "x: it has gaps")

    def test_numbers_of_numpy_are_scalars_and_sizes(self):
        self.launched(numpy.int64(self.n), numpy.float32(2), self.x, self.y)
        numpy.testing.assert_allclose(self.y, self.expected, rtol=1e-6)

    def test_several_threads_launch_one_kernel(self):
        outputs = [self.y.copy() for _ in range(8)]
        threads = [threading.Thread(target=self.launched, args=(self.n, 2.0, self.x, output)) for output in outputs]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for output in outputs:
            numpy.testing.assert_allclose(output, self.expected, rtol=1e-6)

    def test_a_function_with_a_docstring_is_a_kernel(self):
        @gktune.kernel(
            arguments={"n": 4, "x": gktune.inout(numpy.zeros(4, numpy.int32))},
            grid=1,
            block="n",
            database=self.database,
            cache=self.cache,
        )
        def count(n, x):
            """__global__ void count(int n, int* x) { x[threadIdx.x] += threadIdx.x; }"""
            return x + numpy.arange(n, dtype=numpy.int32)

        self.assertTrue(count.tune().report["checked"])
        x = numpy.zeros(4, numpy.int32)
        count(4, x)
        self.assertEqual(list(x), [0, 1, 2, 3])

    def test_the_first_launch_of_a_size_may_tune_it(self):
        kernel = self.kernel(reference=None, autotune_s=2)
        kernel(self.n, 2.0, self.x, self.y)
        numpy.testing.assert_allclose(self.y, self.expected, rtol=1e-6)
        [winner] = gktune.Database(self.database).winners()
        self.assertEqual(winner.study.problem, {"n": self.n})
        self.assertEqual(kernel.prepare(self.n, 2.0, self.x, self.y).match, "exact")

    def test_a_size_that_is_tuned_at_its_first_launch_is_compared_with_the_reference(self):
        kernel = self.kernel(autotune_s=1)
        kernel.tune(trials=1)
        kernel(1000, 2.0, self.x[:1000], self.y[:1000])
        self.assertEqual(kernel.prepare(1000, 2.0, self.x, self.y).match, "exact")
        wrong = self.kernel(autotune_s=1, reference=lambda n, a, x, y: a * x)
        with self.assertRaisesRegex(gktune.Error, "found no configuration that works"):
            wrong(1200, 2.0, self.x[:1200], self.y[:1200])
        arrays = self.kernel(autotune_s=1, reference={"y": 2 * self.x + self.y})
        self.assertRefuses(
            lambda: arrays(500, 2.0, self.x[:500], self.y[:500]),
            "the reference's y has 3000 elements, the argument 500",
        )

    def test_all_kernels_may_tune_a_size_at_its_first_launch(self):
        kernel = self.kernel(reference=None)
        kernel(10, 2.0, self.x, self.y)
        gktune.autotune_on_first_use("500ms")
        self.addCleanup(gktune.autotune_on_first_use, 0)
        kernel(self.n, 2.0, self.x, self.y)
        self.assertEqual(len(gktune.Database(self.database).winners()), 1)
        self.kernel(reference=None, autotune_s=0)(10, 2.0, self.x, self.y)
        self.assertEqual(len(gktune.Database(self.database).winners()), 1)

    def test_a_budget_is_a_duration(self):
        for bad in ("soon", -1, "3 weeks", None):
            self.assertRefuses(lambda: gktune.autotune_on_first_use(bad), "a duration is a number of seconds or a text")

    def test_scratch_memory_is_not_passed(self):
        source = "__global__ void saxpy(int n, float* t, const float* x, float* y) { for (int i = 0; i < n; ++i) { t[i] = x[i]; y[i] = t[i]; } }"
        arguments = {"n": self.n, "t": gktune.scratch("float", "n"), "x": self.x, "y": gktune.out(self.y)}
        self.kernel(source, arguments=arguments, parameters={}, grid=1, block=1, reference=None)(self.n, self.x, self.y)
        numpy.testing.assert_array_equal(self.y, self.x)


class BadLaunch(KernelCase):
    def setUp(self):
        super().setUp()
        self.launched = self.kernel(reference=None)

    def refuses(self, *arguments):
        def launch():
            self.launched(*arguments)

        return lambda *texts, **keywords: self.assertRefuses(launch, *texts, **keywords)

    def test_another_type_of_elements(self):
        self.refuses(self.n, 2.0, self.x.astype("f8"), self.y)("x: its elements are float64, the kernel takes float32")
        self.refuses(self.n, 2.0, self.x.astype(object), self.y)("x: arrays of the type |O cannot be passed")

    def test_gaps_and_short_arrays(self):
        self.refuses(self.n, 2.0, self.x[::2], self.y)("x: it has gaps or another order; pass a contiguous copy")
        self.refuses(self.n, 2.0, self.x[:10], self.y)("x: it has 10 elements, the launch needs 3000")

    def test_read_only_outputs(self):
        self.y.flags.writeable = False
        self.refuses(self.n, 2.0, self.x, self.y)("y: it is read-only, but the kernel writes it")

    def test_what_is_no_array(self):
        self.refuses(self.n, 2.0, [1.0], self.y)("x: it is no array, but list")
        self.refuses(self.n, 2.0, None, self.y)("x: it is no array, but NoneType")

    def test_arrays_of_a_gpu(self):
        class OnGpu:
            __cuda_array_interface__ = {"shape": (3000,), "typestr": "<f4", "data": (4096, False), "version": 3}

        self.refuses(self.n, 2.0, OnGpu(), self.y)("x: it is on a GPU, but the kernel was opened on the CPU")
        OnGpu.__cuda_array_interface__ = {"shape": (3000,)}
        self.refuses(self.n, 2.0, OnGpu(), self.y)("x: __cuda_array_interface__ lacks typestr, data or shape")

    def test_scalars_and_sizes_of_another_kind(self):
        self.refuses(self.n, "two", self.x, self.y)("a: two is no float32")
        self.refuses(1 << 80, 2.0, self.x, self.y)("n: the value of an axis is a number of 64 bits")
        self.refuses("n", 2.0, self.x, self.y)("the axis n has values such as the integer")
        self.refuses(-5, 2.0, self.x, self.y)(error=gktune.Error)

    def test_another_number_of_arguments(self):
        self.refuses(self.n, 2.0, self.x)("the kernel takes 4 arguments, not 3")

    def test_a_stream_of_another_kind(self):
        self.assertRefuses(lambda: self.launched(self.n, 2.0, self.x, self.y, stream="s"), "the stream is no integer")

    def test_a_forked_child_is_told_to_open_its_own_kernel(self):
        self.launched(self.n, 2.0, self.x, self.y)
        context = multiprocessing.get_context("fork")
        queue = context.Queue()
        child = context.Process(target=launch_in_child, args=(self.launched, (self.n, 2.0, self.x, self.y), queue))
        child.start()
        self.assertIn("fork", queue.get(timeout=60))
        child.join()
        self.assertEqual(child.exitcode, 0)

    def test_a_kernel_is_not_pickled_for_a_spawned_child(self):
        import pickle

        self.launched(self.n, 2.0, self.x, self.y)
        self.assertRefuses(lambda: pickle.dumps(self.launched), "make the kernel in the child", error=TypeError)


class Package(KernelCase):
    def test_the_import_loads_neither_numpy_nor_the_library(self):
        script = "import sys, gktune; print([name for name in ('numpy', 'torch', 'sqlite3', 'gktune._core') if name in sys.modules])"
        printed = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout
        self.assertEqual(printed, "[]\n")

    def test_examples_of_the_documentation_run(self):
        import doctest

        before = os.getcwd()
        os.chdir(self.folder)
        self.addCleanup(os.chdir, before)
        self.assertEqual(doctest.testmod(gktune), (0, 6))
        page = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "docs", "python.md")
        with open(page, encoding="utf-8") as file:
            blocks = re.findall(r"^```python\n(.*?)^```", file.read(), re.DOTALL | re.MULTILINE)
        self.assertEqual(len(blocks), 4)
        names = {}
        for block in blocks:
            with contextlib.redirect_stdout(io.StringIO()) as printed:
                exec(block, names)
        self.assertIn("nearest problem", printed.getvalue())

    def test_each_public_name_is_found(self):
        for name in gktune.__all__:
            self.assertIsNotNone(getattr(gktune, name))
        with self.assertRaises(AttributeError):
            gktune.nothing
