"""The notebooks of examples/python, on the host device."""

import contextlib
import importlib.util
import io
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

SOURCES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")


class Notebooks(unittest.TestCase):
    def run_notebook(self, name):
        """Runs the cells in a process of their own, in a copy of the folder. Returns what the last one yields."""
        root = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, root)
        for folder in ("examples/python", "bench/recordings"):
            shutil.copytree(os.path.join(SOURCES, folder), os.path.join(root, folder))
        done = subprocess.run(
            [sys.executable, os.path.abspath(__file__), name],
            cwd=os.path.join(root, "examples/python"),
            env={**os.environ, "XDG_CACHE_HOME": root},
            capture_output=True,
            text=True,
        )
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.strip().splitlines()[-1]

    def test_a_kernel_is_tuned_launched_and_looked_up(self):
        self.assertIn("('exact', ", self.run_notebook("tune.ipynb"))

    def test_a_strategy_is_scored_and_tunes(self):
        self.assertIn("'threads': ", self.run_notebook("search.ipynb"))

    @unittest.skipUnless(importlib.util.find_spec("torch"), "torch is not installed")
    def test_a_kernel_is_an_operator_of_torch(self):
        self.assertEqual(self.run_notebook("torch.ipynb"), "exact")

    def test_notebooks_are_kept_without_outputs(self):
        for name in os.listdir(os.path.join(SOURCES, "examples/python")):
            with self.subTest(name), open(os.path.join(SOURCES, "examples/python", name), encoding="utf-8") as file:
                for cell in json.load(file)["cells"]:
                    self.assertFalse(cell.get("outputs"))
                    self.assertIsNone(cell.get("execution_count"))


def execute(path):
    """Runs the cells of a notebook in order, and prints the value of each that ends in an expression."""
    with open(path, encoding="utf-8") as file:
        cells = [cell for cell in json.load(file)["cells"] if cell["cell_type"] == "code"]
    names = {"__name__": "__main__"}
    with contextlib.redirect_stderr(io.StringIO()):  # progress and notices
        for place, cell in enumerate(cells, 1):
            lines = "".join(cell["source"])
            tree = compile_cell(lines, f"{path}, cell {place}")
            for code, mode in tree:
                value = eval(code, names)
                if mode == "eval" and value is not None:
                    print(value)


def compile_cell(text, where):
    import ast

    tree = ast.parse(text, where)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    parts = [(compile(tree, where, "exec"), "exec")]
    if last is not None:
        parts.append((compile(ast.Expression(last.value), where, "eval"), "eval"))
    return parts


if __name__ == "__main__":
    execute(sys.argv[1])
