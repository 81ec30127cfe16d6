"""Runs scripts of Kernel Tuner: python -m gktune.kernel_tuner [--device D] [--db FILE] [--write-space FILE] SCRIPT.py …

The script's calls of tune_kernel, run_kernel, store_results, create_device_targets and store_output_file reach gktune.
What gktune does not cover is one error, before anything is measured.
"""

from __future__ import annotations

import argparse
import importlib.abc
import importlib.machinery
import json
import os
import re
import runpy
import sys
import tempfile
import types
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from . import _arrays, _database, _kernel, _program, _study
from ._expressions import table_of, value_of
from ._space import Argument, signature_of
from .errors import Error, InvalidArgument, NoConfiguration

_BLOCK_NAMES = ["block_size_x", "block_size_y", "block_size_z"]
# Strategies of Kernel Tuner, and the nearest of gktune.
_STRATEGIES = {
    "brute_force": "exhaustive", "random_sample": "random", "bayes_opt": "bayes", "simulated_annealing": "genetic",
    "dual_annealing": "genetic", "genetic_algorithm": "genetic", "diff_evo": "genetic",
    "pso": "genetic", "firefly_algorithm": "genetic", "mls": "genetic", "ordered_greedy_mls": "genetic",
    "greedy_mls": "genetic", "greedy_ils": "genetic", "basinhopping": "genetic", "minimize": "genetic",
    "skopt": "bayes", "hybrid_vndx": "auto", "adaptive_tabu_grey_wolf": "auto", "bayes_opt_alt_BOTorch": "bayes",
}  # fmt: skip
# Maps the names of results that observers report to the quantities of gktune.
_OBSERVED = {"nvml_energy": "energy_j", "nvml_power": "power_w", "core_freq": "clock_mhz", "num_regs": "registers"}
_CLOCKS = ("nvml_gr_clock", "nvml_mem_clock", "nvml_pwr_limit")  # parameters that change the GPU
_FEVALS = 100  # what Kernel Tuner's strategies evaluate without max_fevals

_settings = argparse.Namespace(device=None, db=None, write_space=None)


def _refuse(what: str) -> InvalidArgument:
    return InvalidArgument(f"gktune does not cover {what}")


def _domains(tune_params: Mapping[str, Any]) -> dict[str, list[Any]]:
    return {
        name: [each.item() if hasattr(each, "item") else each for each in values]
        for name, values in tune_params.items()
    }


def _restriction(restriction: Any, domains: Mapping[str, Sequence[Any]]) -> str | Callable[[dict[str, Any]], Any]:
    """A restriction as a text or as a function of a configuration."""
    if isinstance(restriction, str):
        return restriction
    names = list(domains)
    if isinstance(restriction, tuple) and len(restriction) in (2, 3):
        restriction, names = restriction[0], list(restriction[1])
    if type(restriction).__module__.partition(".")[0] == "constraint":  # an object of python-constraint
        rule: Any = restriction
        if hasattr(rule, "_func"):
            return lambda config: rule._func(*(config[name] for name in names))
        if hasattr(rule, "preProcess"):
            return lambda config: rule(
                names, {name: [config[name]] for name in names}, {name: config[name] for name in names}
            )
    if not callable(restriction):
        raise _refuse(f"the restriction {restriction!r}")
    taken = getattr(getattr(restriction, "__code__", None), "co_argcount", 1)
    parameters = getattr(restriction, "__code__", None)
    if taken == 1 and parameters is not None and parameters.co_varnames[0] not in domains:
        return restriction
    if parameters is not None and taken > 0:
        names = [name for name in parameters.co_varnames[:taken] if name in domains] or names
    return lambda config: restriction(**{name: config[name] for name in names})


def _restrictions(restrictions: Any, domains: Mapping[str, Sequence[Any]]) -> list[Any]:
    if restrictions is None:
        return []
    if callable(restrictions) or isinstance(restrictions, (str, tuple)):
        restrictions = [restrictions]
    return [_restriction(each, domains) for each in restrictions]


def _divisor(divisor: Any, default: str, domains: Mapping[str, Sequence[Any]]) -> str:
    if divisor is None:
        return default if default in domains else "1"
    if isinstance(divisor, str):
        return f"int({divisor})"
    if isinstance(divisor, int):
        return str(divisor)
    if callable(divisor):
        return value_of(divisor, domains, "grid_div")
    return " * ".join(_divisor(each, default, domains) for each in divisor) or "1"


def _sizes(problem_size: Any, domains: Mapping[str, Sequence[Any]], axes: dict[str, int]) -> list[str]:
    """The sizes in each dimension as expressions; plain numbers become axes."""
    if callable(problem_size):
        names, table = table_of(problem_size, domains, "problem_size")
        longest = max(len(_tuple(size)) for size in table.values())

        def part(place: int) -> Callable[[dict[str, Any]], Any]:
            return lambda config: int(_tuple(table[tuple(config[name] for name in names)])[place])

        return [value_of(part(place), domains, "problem_size") for place in range(longest)]
    sizes: list[str] = []
    for name, size in zip("xyz", _tuple(problem_size)):
        if isinstance(size, str):
            sizes.append(f"int({size})")
        else:
            axes[f"problem_{name}"] = int(size)
            sizes.append(f"problem_{name}")
    return sizes


def _tuple(size: Any) -> tuple[Any, ...]:
    return tuple(size) if isinstance(size, (tuple, list)) else (size,)


def _source_of(kernel_source: Any, lang: str | None) -> str:
    if isinstance(kernel_source, (list, tuple)):
        kernel_source = kernel_source[0]
    if callable(kernel_source):
        raise _refuse("kernel sources that a function generates")
    source = os.fspath(kernel_source)
    if lang is not None and lang.upper() not in ("CUDA", "CUPY", "NVCUDA"):
        raise _refuse(f"the language {lang}")
    if source.endswith((".cl", ".c", ".cpp", ".F90", ".hip", ".jl")):
        raise _refuse(f"the language of {source}")
    return source


class BenchmarkObserver:
    """An observer of a script. Scripts may define others, but not pass them."""

    def observed(self) -> list[str]:
        """The names of what it reports."""
        raise _refuse(f"the observer {type(self).__name__}, whose functions would run around each execution")


class NVMLObserver(BenchmarkObserver):
    def __init__(self, observables: Sequence[str], device: int = 0, save_all: bool = False, **settings: Any) -> None:
        self._observables = list(observables)
        if save_all:
            raise _refuse("save_all of an NVMLObserver")

    def observed(self) -> list[str]:
        for name in self._observables:
            if name not in _OBSERVED:
                raise _refuse(f"the observable {name!r}; it has {', '.join(_OBSERVED)}")
        return self._observables


class RegisterObserver(BenchmarkObserver):
    def observed(self) -> list[str]:
        return ["num_regs"]


def _observed(observers: Sequence[Any] | None) -> list[str]:
    names: list[str] = []
    for observer in observers or ():
        if not isinstance(observer, BenchmarkObserver):
            raise _refuse(f"the observer {observer!r}")
        names += observer.observed()
    return names


class _Call:
    """A call of tune_kernel or run_kernel as a kernel of gktune."""

    def __init__(self, kernel_name: str, kernel_source: Any, problem_size: Any, arguments: Sequence[Any], parameters: Mapping[str, Any],
                 options: dict[str, Any], answer: Any = None, restrictions: Any = None, observed: Sequence[str] = ()) -> None:  # fmt: skip
        source = _source_of(kernel_source, options["lang"])
        text = source
        if "\n" not in source and "{" not in source:
            with open(source, encoding="utf-8") as file:
                text = file.read()
        if options["texmem_args"]:
            raise _refuse("texmem_args")
        for name in parameters:
            if name in _CLOCKS:
                raise _refuse(f"the parameter {name}, which changes the GPU")
        self.domains = _domains(parameters)
        self.restrictions = _restrictions(restrictions, self.domains)
        axes: dict[str, int] = {}
        block_names = list(options["block_size_names"] or _BLOCK_NAMES)
        block_names += _BLOCK_NAMES[len(block_names) :]
        sizes = _sizes(problem_size, self.domains, axes)
        grid = [
            f"ceil({size} / ({_divisor(options['grid_div_' + dimension], name, self.domains)}))"
            for size, dimension, name in zip(sizes, "xyz", block_names)
        ]
        defaults = ["256", "1", "1"]
        block = [name if name in self.domains else default for name, default in zip(block_names, defaults)]
        macros = {name: default for name, default in zip(block_names, defaults) if name not in self.domains}
        macros |= {f"grid_size_{dimension}": f"{{{extent}}}" for dimension, extent in zip("xyz", grid)}
        macros = {name: value for name, value in macros.items() if re.search(rf"\b{name}\b", text)}
        macros["kernel_tuner"] = "1"
        macros |= {
            name: str(value({}) if callable(value) else value) for name, value in (options["defines"] or {}).items()
        }
        values = self._arguments(kernel_name, text, arguments, answer, options)
        reference = {name: expected for name, expected in self.expected.items()} or None
        smem = (options["smem_args"] or {}).get("size", 0)
        compiler_options = [each for each in options["compiler_options"] or []]
        more: dict[str, Any] = {"metrics": {name: _OBSERVED[name] for name in observed}} if observed else {}
        self.kernel = _kernel.Kernel(
            source, kernel_name, arguments=values, parameters=self.domains,
            constraints=self.restrictions, grid=grid, block=block,
            shared=int(smem) if hasattr(smem, "item") else smem, reference=reference, axes=axes,
            check={"absolute": options.get("atol") or 1e-6, "relative": 1e-5},
            options=[f"-D{name}={value}" for name, value in macros.items()] + compiler_options,
            device=_settings.device or f"cuda:{options['device']}", database=_settings.db,
            **more,
        )  # fmt: skip

    def has(self, config: Mapping[str, Any]) -> bool:
        """A study holds the trials of earlier calls too, which may have had other values or restrictions."""
        return all(config[name] in values for name, values in self.domains.items()) and all(
            _value(restriction, config) for restriction in self.restrictions
        )

    def _arguments(
        self, name: str, text: str, arguments: Sequence[Any], answer: Any, options: Mapping[str, Any]
    ) -> dict[str, Any]:
        signature = signature_of(text, name)
        if signature is not None and len(signature) != len(arguments):
            raise InvalidArgument(f"{name} takes {len(signature)} arguments, and the script passes {len(arguments)}")
        self.names = (
            [each.name for each in signature]
            if signature is not None
            else [f"arg{place}" for place in range(len(arguments))]
        )
        values: dict[str, Any] = {}
        self.expected: dict[str, Any] = {}
        for place, (each, value) in enumerate(zip(self.names, arguments)):
            if not _arrays.is_array(value):
                values[each] = Argument(value, "scalar")
                continue
            expected = answer[place] if answer is not None else None
            if expected is not None:
                self.expected[each] = expected
            is_input = signature is not None and signature[place].is_const and expected is None
            values[each] = Argument(value, "in" if is_input else "inout")
        for symbol, value in (options["cmem_args"] or {}).items():
            values[f"constant_{symbol}"] = Argument(value, "in", symbol=symbol)
        return values


def _options(given: Mapping[str, Any], **known: Any) -> dict[str, Any]:
    defaults = dict.fromkeys(
        "grid_div_x grid_div_y grid_div_z lang smem_args cmem_args texmem_args compiler_options block_size_names defines".split()
    )
    options = {**defaults, "device": 0, "platform": 0, "compiler": None, "quiet": False, "log": None, **known}
    unknown = [name for name in given if name not in options]
    if unknown:
        raise _refuse(f"the argument {unknown[0]}")
    return {**options, **given}


def _value(value: Any, config: Mapping[str, Any]) -> Any:
    """Of a metric or a restriction: a function of a result, or a text."""
    if callable(value):
        return value(config)
    return eval(value, {"__builtins__": {}}, dict(config))  # the script's own text, which Kernel Tuner evaluates too


def tune_kernel(kernel_name: str, kernel_source: Any, problem_size: Any, arguments: Sequence[Any], tune_params: Mapping[str, Any],
                **given: Any) -> tuple[list[dict[str, Any]], dict[str, Any]]:  # fmt: skip
    options = _options(
        given, restrictions=None, answer=None, atol=1e-6, verify=None, verbose=False, iterations=7, strategy=None,
        strategy_options=None, cache=None, metrics=None, simulation_mode=None, parallel=None, observers=None, objective=None,
        objective_higher_is_better=None, objectives=None, seed=None,
    )  # fmt: skip
    for name in ("simulation_mode", "objectives"):
        if options[name]:
            raise _refuse(name)
    strategy = options["strategy"] or "brute_force"
    if strategy not in _STRATEGIES:
        raise _refuse(f"the strategy {strategy!r}")
    objective = options["objective"] or "time"
    observed = _observed(options["observers"])
    if objective != "time" and (strategy != "brute_force" or objective not in [*(options["metrics"] or {}), *observed]):
        raise _refuse(f"the objective {objective!r} but with brute_force and a metric or an observer of this name")
    call = _Call(
        kernel_name,
        kernel_source,
        problem_size,
        arguments,
        tune_params,
        options,
        None if options["verify"] else options["answer"],
        options["restrictions"],
        observed,
    )
    if _settings.write_space:
        _write_space(call)
    limits = options["strategy_options"] or {}
    fevals = limits.get("max_fevals", 0 if strategy == "brute_force" or "time_limit" in limits else _FEVALS)
    tuned = call.kernel.tune(strategy=_STRATEGIES[strategy], trials=fevals, time=limits.get("time_limit", 0), seed=options["seed"],
                             progress=False if options["quiet"] else None)  # fmt: skip
    results = [
        result for result in _results(tuned, options["metrics"] or {}, list(call.domains), observed) if call.has(result)
    ]
    if options["verify"]:
        _verify(kernel_name, kernel_source, problem_size, arguments, options, call, results)
    if options["cache"]:
        path = os.fspath(options["cache"])
        _export(tuned, path if path.endswith(".json") else path + ".json")
    if not options["quiet"]:
        _print_best(results, objective, options)
    return results, {"device_name": tuned.device, "kernel_name": kernel_name}


def _export(tuned: _study.Study, path: str) -> None:
    words = ["db", "export", str(tuned.row.id), "--format", "kernel-tuner", "-o", path, "--db", tuned.database]
    _program.output(words)


def _verify(kernel_name: str, kernel_source: Any, problem_size: Any, arguments: Sequence[Any], options: Mapping[str, Any],
            call: _Call, results: Sequence[Mapping[str, Any]]) -> None:  # fmt: skip
    """Runs each valid configuration once more, and has the script's function judge its outputs."""
    given = {name: options[name] for name in _options({})}
    for result in results:
        config = {name: result[name] for name in call.domains}
        if not _is_valid(result):
            continue
        outputs = run_kernel(kernel_name, kernel_source, problem_size, arguments, config, **given)
        if not options["verify"](options["answer"], outputs, atol=options["atol"]):
            raise RuntimeError("Kernel result verification failed for: " + get_config_string(config))


def _results(tuned: _study.Study, metrics: Mapping[str, Any], names: Sequence[str],
             observed: Sequence[str] = ()) -> list[dict[str, Any]]:  # fmt: skip
    """The trials in Kernel Tuner's form. The program writes it."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "cache.json")
        _export(tuned, path)
        with open(path, encoding="utf-8") as file:
            results: list[dict[str, Any]] = list(json.load(file)["cache"].values())
    known = {tuple(trial.config[name] for name in names): trial.metrics for trial in tuned.trials} if observed else {}
    for result in results:
        if isinstance(result["time"], str):
            result["__error__"] = result["time"]
        else:
            found = known.get(tuple(result[name] for name in names), {})
            result |= {name: found[name] for name in observed if name in found}
            for name, metric in metrics.items():
                result[name] = _value(metric, result)
    _latest["study"] = tuned
    return [{**{name: result[name] for name in names}, **result} for result in results]


def _is_valid(result: Mapping[str, Any]) -> bool:
    return "__error__" not in result


def _print_best(results: Sequence[Mapping[str, Any]], objective: str, options: Mapping[str, Any]) -> None:
    valid = [result for result in results if _is_valid(result)]
    if not valid:
        raise NoConfiguration("no configuration is valid")
    best = _best(valid, objective, options["objective_higher_is_better"])
    shown = {
        name: value for name, value in best.items() if not isinstance(value, (list, str)) and not name.endswith("_time")
    }
    print("best performing configuration:\n" + ", ".join(f"{name}={value}" for name, value in shown.items()))


def _is_higher_better(objective: str, given: bool | None) -> bool:
    return given if given is not None else objective not in ("time", "energy")


def _best(results: Sequence[Mapping[str, Any]], objective: str, is_higher_better: bool | None) -> Mapping[str, Any]:
    best = max if _is_higher_better(objective, is_higher_better) else min
    return best(results, key=lambda result: result[objective])


def run_kernel(kernel_name: str, kernel_source: Any, problem_size: Any, arguments: Sequence[Any], params: Mapping[str, Any],
               **given: Any) -> list[Any]:  # fmt: skip
    call = _Call(
        kernel_name,
        kernel_source,
        problem_size,
        arguments,
        {name: [value] for name, value in params.items()},
        _options(given),
    )
    launched = call.kernel
    launched.database = os.devnull + ".none"  # the configuration is given
    launched.cache = os.path.join(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "gktune")
    copies = [_on_device(value, launched.device) if _arrays.is_array(value) else value for value in arguments]
    assert launched.space is not None
    constants = [
        _on_device(each.value, launched.device) for each in launched.space.values.values() if each.symbol is not None
    ]
    launched(*launched.space.axes.values(), *copies, *constants)
    return [_arrays.to_numpy(copy) if _arrays.is_array(value) else value for copy, value in zip(copies, arguments)]


def _on_device(array: Any, device: str) -> Any:
    host = _arrays.to_numpy(array)
    if device == "host":
        return host.copy()
    try:
        import cupy  # pyright: ignore

        return cupy.asarray(host)
    except ImportError:
        pass
    try:
        import torch  # pyright: ignore

        return torch.from_numpy(host).to(device)
    except ImportError:
        raise _refuse("run_kernel on a GPU without CuPy or torch, which allocate its memory") from None


def _write_space(call: _Call) -> None:
    """Writes the space file of a call, and its source and arrays beside it."""
    path = os.path.abspath(_settings.write_space)
    assert call.kernel.space is not None
    folder = os.path.dirname(path)
    call.kernel.space.write_arrays(folder)
    os.replace(call.kernel.space.write(folder), path)


# kernel_tuner.integration and kernel_tuner.file_utils

_latest: dict[str, _study.Study] = {}


def store_results(results_filename: str, kernel_name: str, kernel_string: Any, tune_params: Mapping[str, Any], problem_size: Any,
                  results: Sequence[Mapping[str, Any]], env: Mapping[str, Any], top: float = 3, objective: str | None = None,
                  objective_higher_is_better: bool | None = None) -> None:  # fmt: skip
    """Adds the configurations within `top` percent of the best to a file."""
    objective = objective or "time"
    objective_higher_is_better = _is_higher_better(objective, objective_higher_is_better)
    valid = [result for result in results if _is_valid(result)]
    best = _best(valid, objective, objective_higher_is_better)[objective]
    share = top / 100
    kept = [
        each
        for each in valid
        if (
            each[objective] > best * (1 - share) if objective_higher_is_better else each[objective] < best * (1 + share)
        )
    ]
    meta: dict[str, Any] = {
        "version_number": "1.0", "kernel_name": kernel_name, "kernel_string": kernel_string if isinstance(kernel_string, str) else "",
        "objective": objective, "objective_higher_is_better": objective_higher_is_better, "tunable_parameters": list(tune_params),
        "data": [],
    }  # fmt: skip
    if os.path.isfile(results_filename):
        with open(results_filename, encoding="utf-8") as file:
            meta = json.load(file)
        if (meta["kernel_name"], meta["objective"]) != (kernel_name, objective):
            raise ValueError(f"{results_filename} holds {meta['objective']} of {meta['kernel_name']}")
    size = "x".join(str(each) for each in _tuple(problem_size))
    device = re.sub("[^0-9a-zA-Z]+", "_", env["device_name"].strip())
    meta["data"] = [each for each in meta["data"] if (each["device_name"], each["problem_size"]) != (device, size)]
    for each in kept:
        parameters = {name: each[name] for name in tune_params}
        meta["data"].append(
            {"device_name": device, "problem_size": size, "tunable_parameters": parameters, objective: each[objective]}
        )
    with open(results_filename, "w", encoding="utf-8") as file:
        json.dump(meta, file, indent="")


def create_device_targets(header_filename: str, results_filename: str, objective: str | None = None,
                          objective_higher_is_better: bool | None = None) -> None:  # fmt: skip
    """Writes a header with the macros of the best configuration for each device: the one that is nearest to the best of
    each problem size on average."""
    with open(results_filename, encoding="utf-8") as file:
        meta = json.load(file)
    objective = str(objective or meta["objective"])
    is_higher_better = (
        meta.get("objective_higher_is_better", False)
        if objective_higher_is_better is None
        else objective_higher_is_better
    )
    targets = {device: _common([each for each in meta["data"] if each["device_name"] == device], objective, is_higher_better)
               for device in sorted({each["device_name"] for each in meta["data"]})}  # fmt: skip
    default = _common(meta["data"], objective, is_higher_better)
    blocks = [
        f"\n#{'elif' if place else 'ifdef'} TARGET_{device}\n{_macros(config)}\n"
        for place, (device, config) in enumerate(targets.items())
    ]
    blocks = [block.replace("#elif TARGET", "#elif defined TARGET") for block in blocks]
    with open(header_filename, "w", encoding="utf-8") as file:
        file.write("#pragma once\n#ifndef kernel_tuner /* only use these when not tuning */\n" + "".join(blocks) +
                   f"\n#else /* default configuration */\n{_macros(default)}\n#endif\n\n#endif /* kernel_tuner */\n")  # fmt: skip


def _macros(config: Mapping[str, Any]) -> str:
    return "\n".join(f"#define {name} {value}" for name, value in config.items())


def _common(data: Sequence[Mapping[str, Any]], objective: str, is_higher_better: bool) -> Mapping[str, Any]:
    best: dict[tuple[str, str], float] = {}
    for each in data:
        key = (each["device_name"], each["problem_size"])
        best[key] = (max if is_higher_better else min)(best.get(key, each[objective]), each[objective])
    scores: dict[str, list[float]] = {}
    for each in data:
        share = best[each["device_name"], each["problem_size"]] / each[objective]
        scores.setdefault(json.dumps(each["tunable_parameters"]), []).append(1 / share if is_higher_better else share)
    most = max(len(each) for each in scores.values())
    full = {config: sum(each) for config, each in scores.items() if len(each) == most}
    return json.loads(max(full, key=lambda config: full[config]))


def store_output_file(output_filename: str, results: Any, tune_params: Any, objective: str = "time") -> None:
    """Writes the results of the latest tuning in the T4 format."""
    if "study" not in _latest:
        raise NoConfiguration("store_output_file comes after tune_kernel")
    names = list(_latest["study"].trials[0].config)
    path = output_filename if output_filename.endswith(".json") else output_filename + ".json"
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"schema_version": "1.0.0", "results": [_t4_result(result, names) for result in results]}, file)


_INVALIDITY = {"CompilationFailedConfig": "compile", "InvalidConfig": "constraints", "RuntimeFailedConfig": "runtime"}


def _t4_result(result: Mapping[str, Any], names: Sequence[str]) -> dict[str, Any]:
    is_valid = _is_valid(result)
    return {
        "configuration": {name: result[name] for name in names},
        "objectives": ["time"],
        "timestamp": result["timestamp"],
        "invalidity": "correct" if is_valid else _INVALIDITY[result["__error__"]],
        "correctness": 1 if is_valid else 0,
        "measurements": [{"name": "time", "value": result["time"], "unit": "ms"}] if is_valid else [],
        "times": {
            "compilation": result["compile_time"],
            "runtimes": result.get("times", []),
            "framework": 0,
            "search_algorithm": 0,
            "validation": 0,
        },
    }


def store_metadata_file(metadata_filename: str) -> None:
    """Writes the devices that gktune sees."""
    path = metadata_filename if metadata_filename.endswith(".json") else metadata_filename + ".json"
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"metadata": {"devices": json.loads(_program.output(["devices", "--json"]))}}, file, indent="  ")


# kernel_tuner.util


def get_best_config(
    results: Sequence[Mapping[str, Any]], objective: str, objective_higher_is_better: bool = False
) -> Mapping[str, Any]:
    return _best([result for result in results if _is_valid(result)], objective, objective_higher_is_better)


def get_config_string(params: Mapping[str, Any], keys: Sequence[str] | None = None, units: Any = None) -> str:
    def text(value: Any) -> str:
        return f"{value:.3f}" if isinstance(value, float) else str(value)

    return ", ".join(
        f"{name}={text(params[name])}{(units or {}).get(name, '')}" for name in keys or params if name in params
    )


_MODULES: dict[str, dict[str, Any]] = {
    "kernel_tuner": {"tune_kernel": tune_kernel, "run_kernel": run_kernel, "store_results": store_results, "create_device_targets": create_device_targets},
    "kernel_tuner.integration": {"store_results": store_results, "create_device_targets": create_device_targets},
    "kernel_tuner.file_utils": {"store_output_file": store_output_file, "store_metadata_file": store_metadata_file},
    "kernel_tuner.util": {"get_best_config": get_best_config, "get_config_string": get_config_string},
    "kernel_tuner.interface": {"tune_kernel": tune_kernel, "run_kernel": run_kernel},
    "kernel_tuner.observers": {"BenchmarkObserver": BenchmarkObserver},
    "kernel_tuner.observers.observer": {"BenchmarkObserver": BenchmarkObserver},
    "kernel_tuner.observers.nvml": {"NVMLObserver": NVMLObserver},
    "kernel_tuner.observers.register": {"RegisterObserver": RegisterObserver},
    "kernel_tuner.nvml": {"NVMLObserver": NVMLObserver},
}  # fmt: skip


class _Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds the modules above under Kernel Tuner's names."""

    def find_spec(self, fullname: str, path: Any, target: Any = None) -> importlib.machinery.ModuleSpec | None:
        if fullname.partition(".")[0] != "kernel_tuner":
            return None
        if fullname not in _MODULES:
            raise ImportError(str(_refuse(f"the module {fullname}")))
        return importlib.machinery.ModuleSpec(
            fullname, self, is_package=fullname in ("kernel_tuner", "kernel_tuner.observers")
        )

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> types.ModuleType:
        return types.ModuleType(spec.name)

    def exec_module(self, module: types.ModuleType) -> None:
        def missing(name: str) -> Any:
            raise AttributeError(str(_refuse(f"{module.__name__}.{name}")))

        module.__dict__.update(_MODULES[module.__name__], __getattr__=missing)


def run_script(arguments: Sequence[str]) -> None:
    """Runs a script as Python does, with gktune in the place of Kernel Tuner."""
    parser = argparse.ArgumentParser(
        prog="python -m gktune.kernel_tuner", description=(__doc__ or "").partition("\n")[0]
    )
    parser.add_argument("--device", help="host, cuda or cuda:N; default: the script's")
    parser.add_argument("--db", default=_database.default_database(), help="the database")
    parser.add_argument("--write-space", metavar="FILE", help="write the space file of the latest call of tune_kernel")
    parser.add_argument("script", metavar="SCRIPT.py")
    parser.add_argument("arguments", nargs=argparse.REMAINDER)
    parser.parse_args(arguments, _settings)
    sys.meta_path.insert(0, _Finder())
    sys.argv = [_settings.script, *_settings.arguments]
    sys.path.insert(0, os.path.dirname(os.path.abspath(_settings.script)))
    runpy.run_path(_settings.script, run_name="__main__")


if __name__ == "__main__":
    from gktune import kernel_tuner  # the module that scripts import, not __main__

    try:
        kernel_tuner.run_script(sys.argv[1:])
    except (Error, FileNotFoundError, ImportError) as failure:
        sys.exit(f"error: {failure}")
