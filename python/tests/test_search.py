import os
import random
import unittest

import gktune
from saxpy import KernelCase

RECORDING = os.path.join(
    os.path.dirname(os.path.abspath(__file__)), "..", "..", "bench", "recordings", "saxpy-H200.json.gz"
)


class InOrder(gktune.Searcher):
    """Proposes all combinations, also those that constraints forbid."""

    seen = []

    def begin(self, space):
        self.space = space
        self.waiting = [
            {"threads": threads, "unroll": unroll}
            for threads in space.parameters["threads"][::-1]
            for unroll in space.parameters["unroll"][::-1]
        ]
        self.seen.append(self)
        self.results, self.refusals = [], []

    def ask(self):
        return self.waiting.pop(0) if self.waiting else None

    def tell(self, result):
        self.results.append(result)

    def refused(self, config, reason):
        self.refusals.append((config, reason))


class Random(gktune.Searcher):
    def begin(self, space):
        self.random, self.space = random.Random(space.seed), space

    def ask(self):
        return {name: self.random.choice(values) for name, values in self.space.parameters.items()}


class Raising(gktune.Searcher):
    def ask(self):
        raise KeyError("lost")


class Tuning(KernelCase):
    def test_a_searcher_proposes_and_is_told(self):
        InOrder.seen.clear()
        study = self.kernel(constraints=["threads * unroll < 128"]).tune(strategy=InOrder)
        [searcher] = InOrder.seen
        self.assertEqual(searcher.space.parameters, {"threads": [32, 64], "unroll": [1, 2]})
        self.assertEqual((searcher.space.valid, searcher.space.trials), (3, 0))
        self.assertEqual([result.config for result in searcher.results], [trial.config for trial in study.trials])
        self.assertTrue(all(result.ok and result.objective > 0 for result in searcher.results))
        self.assertEqual(searcher.refusals, [({"threads": 64, "unroll": 2}, "a constraint forbids it")])

    def test_each_search_has_its_own_searcher(self):
        InOrder.seen.clear()
        for _ in range(2):
            self.kernel().tune(strategy=InOrder, trials=1, fresh=True)
        self.assertEqual(len(InOrder.seen), 2)

    def test_an_exception_of_a_searcher_is_that_of_the_tuning(self):
        with self.assertRaisesRegex(KeyError, "lost"):
            self.kernel().tune(strategy=Raising)

    def test_a_searcher_that_never_ends_is_bounded_by_the_limits(self):
        self.assertEqual(len(self.kernel().tune(strategy=Random, trials=2).trials), 2)

    def test_another_kind_of_strategy_is_one_sentence(self):
        self.assertRefuses(lambda: self.kernel().tune(strategy=InOrder()), "a name or a subclass of gktune.Searcher")


class Scores(unittest.TestCase):
    def test_strategies_are_scored_on_recordings(self):
        scores = gktune.score(RECORDING, strategy=["random", Random, "auto"], repeats=1)
        self.assertEqual({score.strategy for score in scores}, {"auto", "random", "Random"})
        self.assertEqual(scores[0].strategy, "auto")
        self.assertEqual(list(scores[0].recordings), ["saxpy-H200"])
        self.assertGreaterEqual(1, scores[0].score)

    def test_errors_are_those_of_the_program(self):
        with self.assertRaisesRegex(gktune.Error, "no-file"):
            gktune.score("no-file.json")
        with self.assertRaisesRegex(gktune.InvalidArgument, "no strategy is called 'rnd'"):
            gktune.score(RECORDING, strategy="rnd")
        with self.assertRaisesRegex(gktune.InvalidArgument, "a recording is a text, not 3"):
            gktune.score(3)
        with self.assertRaises(KeyError):
            gktune.score(RECORDING, strategy=Raising, repeats=1)
