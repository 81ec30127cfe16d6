import importlib.util
import unittest

import gktune
from saxpy import SOURCE, KernelCase

if importlib.util.find_spec("torch") is None:
    raise unittest.SkipTest("torch is not installed")

import torch


class TorchCase(KernelCase):
    def setUp(self):
        super().setUp()
        self.x, self.y = torch.from_numpy(self.x), torch.from_numpy(self.y)
        self.expected = 2 * self.x + self.y


class Operator(TorchCase):
    def setUp(self):
        super().setUp()
        self.operator = self.kernel(reference=None).torch_op(f"gktune_test::{self._testMethodName}")

    def test_a_call_launches_the_kernel(self):
        self.operator(self.n, 2.0, self.x, self.y)
        torch.testing.assert_close(self.y, self.expected)

    def test_compiled_functions_have_it_as_one_node(self):
        graphs = []

        def backend(graph, inputs):
            graphs.append(graph.code)
            return graph

        @torch.compile(fullgraph=True, backend=backend)
        def step(x, y):
            self.operator(x.numel(), 2.0, x, y)
            return y * 3

        torch.testing.assert_close(step(self.x, self.y), 3 * self.expected)
        self.assertEqual(len(graphs), 1)
        self.assertIn("gktune_test." + self._testMethodName, graphs[0])

    def test_torch_finds_no_fault_in_it(self):
        torch.library.opcheck(self.operator, (self.n, 2.0, self.x, self.y))

    def test_bad_names_are_one_sentence(self):
        self.assertRefuses(
            lambda: self.kernel().torch_op("saxpy"), "the name of an operator is library::name, not 'saxpy'"
        )

    def test_a_space_file_alone_has_no_operator(self):
        kernel = gktune.Kernel(self.kernel().path)
        self.assertRefuses(lambda: kernel.torch_op("a::b"), "a kernel with arguments")


class Tensors(TorchCase):
    def test_tensors_are_tuned_and_launched(self):
        kernel = self.kernel(SOURCE)
        self.assertTrue(kernel.tune(trials=2).report["checked"])
        kernel(self.n, 2.0, self.x, self.y)
        torch.testing.assert_close(self.y, self.expected)


if __name__ == "__main__":
    unittest.main()
