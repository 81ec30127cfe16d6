"""A recording whose names are as hostile as names can be, and the report that gktune makes of it."""

import json
import os
import subprocess

KERNEL = "</script><script>window.hacked=1</script>"
OTHER_KERNEL = "<b>two problems</b>"
OTHER_PROBLEMS = ["n=</pre>1", "n=</script>2"]
PARAMETERS = {
    "<img src=x onerror=window.hacked=2>": [1, 2, 4, 8, 16],
    "\"quoted\" & 'single' <!--": ["a</title>", "{b|c}", "%s${window.hacked=3}", "\u202eright\u2028to left"],
    "__proto__": [32, 64, 128],
    "constant": ["]]>"],
}


def recording():
    names = list(PARAMETERS)
    cache = {}
    combinations = [[]]
    for name in names:
        combinations = [[*each, value] for each in combinations for value in PARAMETERS[name]]
    for number, values in enumerate(combinations):
        entry = dict(zip(names, values))
        x, text, y, _ = values
        time = 1 + 0.1 * abs(x - 4) + 0.3 * PARAMETERS[names[1]].index(text) + 16 / y
        failed = number % 13 == 5
        entry["time"] = "CompilationFailedConfig" if failed else time
        entry["times"] = [] if failed else [time, time * 1.01, time * 0.99]
        entry["compile_time"] = 20.0
        entry["verification_time"] = 1.0
        entry["benchmark_time"] = 3 * time
        cache[",".join(str(value) for value in values)] = entry
    return {
        "device_name": "GPU <b>bold</b> & Co.",
        "kernel_name": KERNEL,
        "problem_size": "n=\"<svg onload=window.hacked=4>\"",
        "tune_params_keys": names,
        "tune_params": PARAMETERS,
        "cache": cache,
    }


def variant(kernel, device, problem, fails=False, scale=1.0):
    other = recording()
    other.update(kernel_name=kernel, device_name=device, problem_size=problem)
    for entry in other["cache"].values():
        if fails:
            entry.update(time="RuntimeFailedConfig", times=[])
        elif entry["times"]:  # the best value of the last parameter differs between problems
            added = scale * entry["__proto__"]
            entry.update(time=entry["time"] + added, times=[time + added for time in entry["times"]])
    return other


def make(gktune, folder):
    """Writes page.html in the folder and returns its path. It has a study, another problem of its kernel on another
    device, a kernel that always fails, and one with two problems."""
    database, page = os.path.join(folder, "hostile.db"), os.path.join(folder, "page.html")
    studies = [recording(), variant(KERNEL, "<i>GPU</i> 2", "n=2"), variant("<fails>", "GPU 3", "n=3", fails=True)]
    for number, study in enumerate(studies):
        path = os.path.join(folder, f"hostile-{number}.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump(study, file)
        subprocess.run(
            [gktune, "run", "--device", "replay:" + path, "--strategy", "random", "--trials", "60" if number == 0 else "20",
             "--db", database, "--quiet"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=300)
    for number, problem in enumerate(OTHER_PROBLEMS):
        path = os.path.join(folder, f"other-{number}.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump(variant(OTHER_KERNEL, "GPU </h3>", problem, scale=float(number)), file)
        subprocess.run([gktune, "db", "import", path, "--db", database], check=True, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL, timeout=300)
    subprocess.run([gktune, "report", "--db", database, "-o", page], check=True, stdout=subprocess.DEVNULL, timeout=300)
    return page
