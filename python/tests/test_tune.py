import importlib.util
import json
import os
import signal
import subprocess
import sys
import time
import unittest

import numpy

import gktune
from saxpy import SOURCE, KernelCase


class Tune(KernelCase):
    def test_tuning_finds_a_winner_and_stores_all_trials(self):
        events = []
        study = self.kernel().tune(progress=events.append)
        self.assertEqual(study.end, "exhausted")
        self.assertEqual(len(study.trials), 4)
        self.assertTrue(all(trial.ok for trial in study.trials), study.trials)
        self.assertIn(study.best, [trial.config for trial in study.trials])
        self.assertGreater(len(study.trials[0].samples_us), 5)
        self.assertEqual(
            [event["event"] for event in events if event["event"] != "progress"],
            ["device"] + ["trial"] * 4 + ["result"],
        )
        [winner] = gktune.Database(self.database).winners()
        self.assertEqual((winner.config, winner.study.problem), (study.best, {"n": self.n}))

    def test_a_wrong_result_is_a_failed_trial(self):
        wrong = SOURCE.replace("+= a", "+= (unroll == 2 ? a + 1 : a)")
        study = self.kernel(wrong).tune()
        self.assertEqual({trial.status for trial in study.trials if trial.config["unroll"] == 2}, {"wrong_result"})
        self.assertEqual({trial.status for trial in study.trials if trial.config["unroll"] == 1}, {"ok"})

    def test_a_kernel_that_answers_from_memory_is_found_by_other_inputs(self):
        # It knows the expected output of the first inputs, whose sum differs from that of others.
        known = float((2 * self.x + self.y)[0])
        cheat = f"__global__ void saxpy(int n, float a, const float* x, float* y) {{ if (threadIdx.x == 0 && blockIdx.x == 0) y[0] = {known!r}f + 0 * threads * unroll; }}"
        kernel = self.kernel(
            cheat,
            arguments={"n": self.n, "a": 2.0, "x": self.x, "y": gktune.inout(self.y[:1].copy())},
            reference=lambda n, a, x, y: a * x[:1] + y,
        )
        self.assertRefuses(
            kernel.tune, "4 wrong_result", "it was right on the inputs that it met before", error=gktune.NoConfiguration
        )

    def test_arrays_are_a_reference_too(self):
        study = self.kernel(reference={"y": 2 * self.x + self.y}).tune()
        self.assertTrue(study.report["checked"])
        self.assertTrue(all(trial.ok for trial in study.trials))

    def test_the_default_configuration_is_a_reference_too(self):
        wrong = SOURCE.replace("+= a", "+= (unroll == 2 ? a + 1 : a)")
        study = self.kernel(wrong, reference="default").tune()
        self.assertEqual({trial.status for trial in study.trials if trial.config["unroll"] == 2}, {"wrong_result"})
        self.assertEqual({trial.status for trial in study.trials if trial.config["unroll"] == 1}, {"ok"})

    def test_functions_are_constraints(self):
        study = self.kernel(
            constraints=["unroll < 3", lambda config: config["threads"] * config["unroll"] == 64]
        ).tune()
        self.assertEqual(sorted(tuple(trial.config.values()) for trial in study.trials), [(32, 2), (64, 1)])

    def test_a_second_call_measures_nothing_again(self):
        self.kernel().tune()
        self.assertEqual(self.kernel().tune().report["measured"], 0)

    def test_a_size_of_its_own_is_a_study_of_its_own(self):
        self.kernel().tune(trials=1)
        self.n, self.x, self.y = 1000, self.x[:1000], self.y[:1000]
        self.kernel().tune(trials=1)
        studies = gktune.Database(self.database).studies("saxpy")
        self.assertEqual([study.problem for study in studies], [{"n": 3000}, {"n": 1000}])

    def test_generated_arrays_need_no_files(self):
        arguments = {"n": self.n, "a": 2.0, "x": gktune.generated("float", "n", {"uniform": [0, 1]}),
                     "y": gktune.generated("float", "n", "zero", role="inout")}  # fmt: skip
        kernel = self.kernel(arguments=arguments, reference=None)
        kernel.tune(trials=1, device="host")
        self.assertEqual([name for name in os.listdir(os.path.dirname(kernel.path)) if name.endswith(".npy")], [])

    def test_the_problems_of_a_space_file_are_tuned(self):
        first = self.kernel(reference=None)
        space = json.loads(first.space_file())
        space["problem"]["n"] = [100, 200]
        space["source"] = "saxpy.cu"
        for name in ("x", "y"):
            space["arguments"][name]["init"] = {"uniform": [0, 1]}
        path = os.path.join(self.folder, "saxpy.yaml")
        for file, text in ((path, json.dumps(space)), (os.path.join(self.folder, "saxpy.cu"), SOURCE)):
            with open(file, "w") as to:
                to.write(text)
        studies = gktune.tune(path, trials=1, device="host", database=self.database, cache=self.cache)
        self.assertEqual([study.problem for study in studies], [{"n": 100}, {"n": 200}])
        kernel = gktune.Kernel(path, device="host", database=self.database, cache=self.cache)
        x, y = numpy.ones(100, numpy.float32), numpy.zeros(100, numpy.float32)
        kernel(100, 3.0, x, y)
        self.assertEqual(y.sum(), 300)


class Interrupt(KernelCase):
    def setUp(self):
        super().setUp()
        # A shell ignores Ctrl-C for programs in the background, and their children inherit that.
        self.addCleanup(signal.signal, signal.SIGINT, signal.signal(signal.SIGINT, signal.default_int_handler))

    def test_the_first_ctrl_c_keeps_what_was_measured(self):
        kernel = self.kernel(parameters={"threads": list(range(1, 65)), "unroll": [1, 2, 3, 4]})

        def interrupt(event):
            if event["event"] == "trial":
                seen.append(event)
                if len(seen) == 1:
                    signal.raise_signal(signal.SIGINT)

        seen = []
        study = kernel.tune(progress=interrupt, jobs=1)
        self.assertTrue(study.interrupted)
        self.assertGreaterEqual(len(study.trials), 1)
        self.assertLess(len(study.trials), 256)

    def test_the_second_ctrl_c_is_an_exception(self):
        script = f"""
import sys; sys.path[:0] = {sys.path!r}
import gktune, saxpy, signal
case = saxpy.KernelCase(); case.cache = {self.cache!r}; case.setUp(); case.database = {self.database!r}
kernel = case.kernel(parameters={{"threads": list(range(1, 65)), "unroll": [1, 2, 3, 4]}})
def tell(event):
    if event["event"] == "trial": print("trial", flush=True)
try:
    try:
        kernel.tune(progress=tell, jobs=1)
    except KeyboardInterrupt:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        print("interrupted")
except KeyboardInterrupt:  # a third one
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    print("interrupted")
case.doCleanups()
"""
        run = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True)
        self.assertEqual(run.stdout.readline(), "trial\n")
        while run.poll() is None:
            run.send_signal(signal.SIGINT)
            time.sleep(0.01)
        self.assertEqual(run.stdout.read().splitlines()[-1], "interrupted")
        run.stdout.close()
        self.assertGreaterEqual(len(gktune.Database(self.database).trials(1)), 1)


class BadInput(KernelCase):
    def test_a_reference_that_raises_is_one_sentence(self):
        def reference(n, a, x, y):
            raise KeyError("z")

        self.assertRefuses(lambda: self.kernel(reference=reference).tune(), "the reference raised KeyError: 'z'")

    def test_a_reference_of_another_shape_is_one_sentence(self):
        kernel = self.kernel(reference=lambda n, a, x, y: x[:5])
        self.assertRefuses(kernel.tune, "the reference's y has 5 elements, the argument 3000")

    def test_a_reference_for_no_output_is_one_sentence(self):
        self.assertRefuses(lambda: self.kernel(reference={"x": self.x}), "the reference names 'x', which is no output")
        arguments = {"n": self.n, "a": 2.0, "x": self.x, "y": self.y}
        self.assertRefuses(lambda: self.kernel(arguments=arguments), "mark an argument with out() or inout()")

    def test_a_reference_of_another_kind_is_one_sentence(self):
        self.assertRefuses(lambda: self.kernel(reference="cpu"), "a function, a dict of arrays or 'default', not 'cpu'")
        self.assertRefuses(
            lambda: self.kernel(reference=self.y), "a function, a dict of arrays or 'default', not ndarray"
        )

    def test_a_constraint_that_raises_is_one_sentence(self):
        self.assertRefuses(
            lambda: self.kernel(constraints=[lambda config: config["treads"]]), "constraint 1 raised KeyError: 'treads'"
        )
        self.assertRefuses(lambda: self.kernel(constraints=[3]), "constraint 1 is neither a text nor a function: 3")

    def test_errors_of_the_space_file_are_the_programs(self):
        kernel = self.kernel(constraints=["threds < 64"])
        self.assertRefuses(kernel.tune, "unknown name 'threds', did you mean 'threads'?")

    def test_a_source_that_does_not_compile_leaves_no_configuration(self):
        self.assertRefuses(
            self.kernel(SOURCE.replace("+= a", "+= b")).tune,
            "all 4 configurations failed: 4 compile_failed",
            error=gktune.NoConfiguration,
        )

    def test_a_missing_source_is_one_sentence(self):
        self.assertRefuses(lambda: self.kernel("missing.cu"), "cannot read missing.cu: No such file or directory")

    def test_what_a_kernel_needs_is_named(self):
        self.assertRefuses(lambda: gktune.Kernel("x.cu", "x"), "a source, the name of its function, and arguments")
        self.assertRefuses(lambda: self.kernel(grid=None), "a kernel needs its grid and its block")
        self.assertRefuses(lambda: gktune.Kernel(3), "a source is a text, not 3")
        self.assertRefuses(lambda: gktune.Kernel("a.yaml", "saxpy"), "a.yaml is a space file")

    def test_without_a_gpu_a_tuning_for_one_is_an_exception(self):
        environment = {**os.environ, "CUDA_VISIBLE_DEVICES": ""}
        os.environ.update(environment)
        self.addCleanup(os.environ.pop, "CUDA_VISIBLE_DEVICES")
        self.assertRefuses(lambda: self.kernel(reference=None).tune(device="cuda"), "cuda", error=gktune.NoDevice)

    def test_a_database_that_cannot_be_written_is_an_exception(self):
        self.assertRefuses(
            lambda: self.kernel(database="/proc/none/gktune.db").tune(), "/proc/none", error=gktune.Error
        )

    def test_flags_with_bad_values_are_errors_of_the_program(self):
        self.assertRefuses(lambda: self.kernel().tune(strategy="none"), "unknown strategy 'none'")

    def test_an_unknown_type_of_elements_is_one_sentence(self):
        arguments = {"n": self.n, "a": 2.0, "x": self.x.astype(object), "y": gktune.inout(self.y)}
        self.assertRefuses(lambda: self.kernel(arguments=arguments), "cannot be passed")


class Database(KernelCase):
    def test_a_missing_database_is_an_exception(self):
        self.assertRefuses(lambda: gktune.Database(self.database), "there is no database", error=gktune.NotFound)

    def test_a_file_of_another_kind_is_damaged(self):
        with open(self.database, "w") as file:
            file.write("no database " * 100)
        self.assertRefuses(lambda: gktune.Database(self.database).studies(), "not a database", error=gktune.Damaged)

    def test_a_lookup_answers_for_other_sizes(self):
        best = self.kernel().tune(trials=2).best
        lookup = gktune.Lookup(self.database)
        answer = lookup.best("saxpy", {"n": 2999})
        self.assertEqual((answer.match, answer.config, answer.problem), ("nearest problem", best, {"n": 3000}))
        self.assertIsNone(lookup.find("other"))
        self.assertRefuses(lambda: lookup.best("other"), "other", error=gktune.NoConfiguration)
        self.assertRefuses(lambda: lookup.best("saxpy", {"n": 1 << 70}), "of 64 bits")
        self.assertRefuses(lambda: gktune.Lookup(self.database + "x"), error=gktune.Error)


class Check(KernelCase):
    def test_a_clean_kernel_has_no_findings(self):
        self.assertEqual(gktune.check(self.kernel(), device="host"), [])

    def test_findings_name_the_configurations(self):
        [finding] = gktune.check(self.kernel(SOURCE.replace("+= a", "+= b")), device="host")
        self.assertEqual((finding.status, len(finding.candidates)), ("compile_failed", 4))
        self.assertIn("b", finding.message)


class Tables(KernelCase):
    @unittest.skipUnless(importlib.util.find_spec("pandas"), "pandas is not installed")
    def test_trials_are_rows_of_a_frame(self):
        frame = self.kernel().tune(trials=2).to_pandas()
        self.assertEqual(list(frame.columns), ["threads", "unroll", "status", "time_us", "low_us", "high_us"])
        self.assertEqual(len(frame), 2)

    @unittest.skipUnless(importlib.util.find_spec("matplotlib"), "matplotlib is not installed")
    def test_times_are_drawn(self):
        import matplotlib

        matplotlib.use("agg")
        axes = self.kernel().tune(trials=2).plot("threads")
        self.assertEqual(axes.get_xlabel(), "threads")
        self.assertEqual(len(axes.collections[0].get_offsets()), 2)
