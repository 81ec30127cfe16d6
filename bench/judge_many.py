#!/usr/bin/env python3
"""Has gktune judge many small kernels in one call, a tenth of which hang or fault.

Usage: judge_many.py PROGRAM [--device DEVICE] [--count N] [--kind NAME] [--time TIME]

Prints the candidates judged per second, the processors' time, and each verdict that is not the right one. The exit code is 1 if
there is one, or no verdict for a candidate.
"""
import argparse
import ctypes
import json
import os
import pathlib
import random
import resource
import subprocess
import sys
import tempfile
import time

SPACE = pathlib.Path(__file__).resolve().parent.parent / 'tests/attacks/space'  # n is 1000 and 3000

# A name, the candidates among a thousand, the verdict that is right, and the last statements of the kernel, where K is the
# candidate's number. The sanitizer does not try n = 1000. Compilers for GPUs remove endless loops that read no memory.
KINDS = [
    ('right', 300, 'accepted', 'if (i < n) out[i] = (2 + 0 * K) * in[i];'),
    ('wrong factor', 250, 'wrong', 'if (i < n) out[i] = (3 + K) * in[i];'),
    ('wrong for one size', 100, 'wrong', 'if (i < n) out[i] = (n == 1000 ? 3 + K : 2) * in[i];'),
    ('no bounds', 100, 'out_of_bounds', 'out[i] = 2 * in[i] + 0 * K;'),
    ('race', 50, 'race', 'out[i / 2 % n] = K; if (i < n) out[i] = 2 * in[i];'),
    ('no semicolon', 100, 'does_not_compile', 'if (i < n) out[i] = 2 * in[i] + 0 * K'),
    ('endless', 25, 'hung', 'volatile const float* at = in; while (*at + K == *at + K) {} if (i < n) out[i] = 2 * in[i];'),
    ('endless for one size', 25, 'hung',
     'volatile const float* at = in; while (n == 1000 && *at + K == *at + K) {} if (i < n) out[i] = 2 * in[i];'),
    ('null', 25, 'out_of_bounds', 'if (i < n) out[i] = 2 * in[i]; if (i == 0) *reinterpret_cast<int*>(0l * n) = K;'),
    ('trap for one size', 25, 'crashed', 'if (i < n) out[i] = 2 * in[i] + 0 * K; if (n == 1000) __trap();'),
]


def text_of(statement, number):
    block = 32 * (1 + number % 16)
    return (f'/* gktune\nlaunches: {{entry: mine, grid: "ceil_div(n, {block})", block: {block}, arguments: [in, out, n]}}\n*/\n'
            '__global__ void mine(const float* in, float* out, int n) {\n'
            f'  int i = blockIdx.x * {block} + threadIdx.x;\n  {statement.replace("K", str(number))}\n}}\n')


def write_candidates(folder, count, kind):
    """Returns the right verdicts and the kinds of the files."""
    kinds = [each for each in KINDS if kind in (None, each[0])]
    share = sum(each[1] for each in kinds)
    drawn = [each for each in kinds for _ in range(each[1] * count // share)]
    random.Random(1).shuffle(drawn)
    expected = {}
    for number, (name, _, verdict, statement) in enumerate(drawn):
        file = f'c{number}.cu'
        (folder / file).write_text(text_of(statement, number), encoding='utf-8')
        expected[file] = (verdict, name)
    return expected


def adopt_orphans():
    """Processes whose parent ends become children of this one, which counts their time."""
    ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)


def wait_for_orphans():
    while True:
        try:
            os.wait()
        except ChildProcessError:
            return


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('program', type=os.path.abspath)
    parser.add_argument('--device', default='host')
    parser.add_argument('--count', type=int, default=1000)
    parser.add_argument('--kind', choices=[each[0] for each in KINDS])
    parser.add_argument('--time', default='100ms', help='limit of the comparison of each problem')
    options = parser.parse_args()
    adopt_orphans()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for file in SPACE.iterdir():
            (folder / file.name).write_bytes(file.read_bytes())
        expected = write_candidates(folder, options.count, options.kind)
        lines = ''.join(json.dumps({'candidate': file}) + '\n' for file in expected)
        begin = time.monotonic()
        done = subprocess.run([options.program, 'judge', 'twice.yaml', '--jsonl', '--device', options.device, '--time', options.time,
                               '--cache', 'cache', '--quiet'], cwd=folder, input=lines, stdout=subprocess.PIPE, text=True, check=False)
        seconds = time.monotonic() - begin
        wait_for_orphans()
    verdicts = [json.loads(line) for line in done.stdout.splitlines()]
    wrong = [each for each in verdicts if each['verdict'] != expected[each['candidate']][0]]
    for each in wrong:
        print(each['candidate'], expected[each['candidate']][1], each['verdict'], each['stage'], each['message'][:200])
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(f'{len(verdicts)} of {len(expected)} candidates judged in {seconds:.1f} s, {len(verdicts) / seconds:.2f} a second, bar 3; '
          f"{len(wrong)} wrong verdicts; processors' time {used.ru_utime + used.ru_stime:.1f} s")
    return 1 if wrong or len(verdicts) < len(expected) else 0


if __name__ == '__main__':
    sys.exit(main())
