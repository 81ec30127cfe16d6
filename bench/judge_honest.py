#!/usr/bin/env python3
"""Has gktune judge the kernels of spaces as candidates of these spaces, and prints those that it does not accept.

Usage: judge_honest.py PROGRAM SPACE… [--device DEVICE] [--time TIME] [--at-once N]

A candidate has the source and the parameters of its space. Parameters on which the arguments or the reference of the space
depend keep their default values. The exit code is 1 if a candidate is not accepted.
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

# The keys that the block of a candidate and a space file have in common.
SECTIONS = ('parameters', 'let', 'constraints', 'options', 'host_options', 'launches', 'setup')


def sections_of(text):
    """The text of each key of a space file, without comments in lines of their own."""
    lines = [line for line in text.splitlines() if line.strip() and not line.lstrip().startswith('#')]
    sections, key = {}, None
    for line in lines:
        if begin := re.match(r'(\w+):', line):
            key = begin[1]
        sections[key] = sections.get(key, '') + line + '\n'
    return sections


def with_defaults(parameters):
    """A section of parameters with one value each."""
    parameters = re.sub(r'values: \[[^\]]*\], default: ([^},]+)', r'values: [\1], default: \1', parameters)
    return re.sub(r'(\w+: )\[([^\],]+),[^\]]*\]', r'\1[\2]', parameters)


def candidate_of(space):
    """The text of a candidate; None: the space has no kernel that can be one."""
    sections = sections_of(space.read_text(encoding='utf-8'))
    if not {'source', 'reference', 'launches'} <= sections.keys() or 'language' in sections:
        return None
    source = space.parent / sections['source'].split(':', 1)[1].split('#')[0].strip()
    names = re.findall(r'^ *(\w+):|[{,] *(\w+):', sections.get('parameters', ''), re.MULTILINE)
    rest = ' '.join(sections.get(key, '') for key in ('let', 'arguments', 'reference', 'check', 'verifier'))
    if any(re.search(rf'\b{name}\b', rest) for pair in names for name in pair if name):
        sections['parameters'] = with_defaults(sections['parameters'])
    block = ''.join(sections.get(key, '') for key in SECTIONS)
    return f'/* gktune\n{block}*/\n{source.read_text(encoding="utf-8")}'


def judged(options, space):
    """The verdict of the space's kernel; None: it cannot be a candidate."""
    text = candidate_of(space)
    if text is None:
        return None
    candidate = space.with_suffix('.candidate.cu')
    candidate.write_text(text, encoding='utf-8')
    done = subprocess.run([options.program, 'judge', space, candidate, '--device', options.device, '--time', options.time,
                           '--cache', space.parent / 'cache', '--json', '--quiet'], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, check=False)
    if not done.stdout:
        return {'verdict': 'none', 'stage': 'none', 'message': done.stderr}
    return json.loads(done.stdout)[0]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('program', type=os.path.abspath)
    parser.add_argument('spaces', nargs='+', type=pathlib.Path)
    parser.add_argument('--device', default='host')
    parser.add_argument('--time', default='100ms')
    parser.add_argument('--at-once', type=int, default=1)
    options = parser.parse_args()
    accepted = rejected = 0
    left_out = []
    with tempfile.TemporaryDirectory() as name:
        spaces = []
        for folder in sorted({space.resolve().parent for space in options.spaces}):
            copy = pathlib.Path(name) / str(len(list(pathlib.Path(name).iterdir())))
            shutil.copytree(folder, copy)
            spaces += [copy / space.name for space in options.spaces if space.resolve().parent == folder]
        with concurrent.futures.ThreadPoolExecutor(options.at_once) as pool:
            for space, verdict in zip(spaces, pool.map(lambda each: judged(options, each), spaces)):
                if verdict is None:
                    left_out.append(space.stem)
                elif verdict['verdict'] == 'accepted':
                    accepted += 1
                else:
                    rejected += 1
                    print(space.stem, verdict['verdict'], verdict['stage'], verdict['message'][:400], flush=True)
    print(f'{accepted} accepted, {rejected} not accepted, bar 0; {len(left_out)} spaces have no kernel that can be a candidate: '
          f'{" ".join(left_out)}')
    return 1 if rejected else 0


if __name__ == '__main__':
    sys.exit(main())
