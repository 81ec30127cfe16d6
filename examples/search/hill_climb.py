#!/usr/bin/env python3
"""A search strategy for gktune in a program of its own: changes one or two parameters of the best configuration.

    gktune run SPACE --strategy external --set program="python3 hill_climb.py"

docs/search.md describes the lines that are read and written."""
import json
import random
import sys


def read():
    line = sys.stdin.readline()
    if not line:
        sys.exit()  # the search is over
    return json.loads(line)


def write(answer):
    print(json.dumps(answer), flush=True)


def any_config(parameters):
    return {each["name"]: random.choice(each["values"]) for each in parameters}


def change(config, parameters):
    changed = dict(config)
    for each in random.sample(parameters, min(len(parameters), random.randint(1, 2))):
        changed[each["name"]] = random.choice(each["values"])
    return changed


def main():
    space = read()
    random.seed(space["seed"])
    parameters = space["parameters"]
    best, best_objective, refused = space["default"], None, 0
    while True:
        message = read()
        if message["type"] == "tell":
            if message["status"] == "ok" and (best_objective is None or message["objective"] < best_objective):
                best, best_objective = message["config"], message["objective"]
        elif message["type"] == "refused":
            refused += 1  # a constraint forbids it, or it was tried: gktune asks again
        elif message["type"] == "ask":
            climb = best_objective is not None and refused < 50 and random.random() < 0.8
            write({"config": change(best, parameters) if climb else any_config(parameters)})
            refused = 0 if refused >= 50 else refused


if __name__ == "__main__":
    main()
