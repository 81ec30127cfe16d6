#!/usr/bin/env python3
"""Tries to break gktune at random, and counts what breaks.

Usage: torture.py PROGRAM [MINUTES [SEED]]

PROGRAM is the gktune to test, on the host device. Each scenario runs at least once. Prints how often each scenario ran and the counts of each kind of
failure with an example. The exit code is 1 if any count is not 0. Failed rounds keep their folder.
"""
import glob
import json
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
DEADLINE_S = 240  # of one command; a loaded machine is slow
MARK = 'GKTUNE_TORTURE'  # in the environment of every process of a round
COUNTS = ['corrupt databases', 'lost trials', 'repeated measurements', 'trials blamed for outside events', 'orphans',
          'stopped processes', 'leftover files', 'hangs', 'crashes', 'failed runs', 'hostile texts passed on']
CONFIGURATIONS = 12

SPACE = '''
kernel: twice
source: twice.cu
problem: {n: [1000]}
parameters:
  threadsPerBlock: {range: [1, %d]}
arguments:
  in: {type: float, extent: n, init: {uniform: [0, 1], seed: 1}}
  out: {type: float, extent: n, role: out, check: exact}
  n: {type: int32, value: n}
launches:
  - {entry: twice, grid: "ceil_div(n, threadsPerBlock)", block: threadsPerBlock, arguments: [in, out, n]}
reference:
  source: twice_reference.cu
  launches:
    - {entry: twice_reference, arguments: [in, out, n]}
''' % CONFIGURATIONS

HOSTILE = '''
kernel: hostile
source: leaking_function.cc
problem: {n: [1000]}
parameters:
  LEAK: [%s]
  COPY: {range: [1, %d]}
constraints: [LEAK == 0 or COPY == 1]
options: [{flag: -Ofast, when: LEAK == 1}]
time_limit: 2s
arguments:
  in: {type: float, extent: n, init: {uniform: [1, 2], seed: 1}}
  out: {type: float, extent: n, role: out, check: {relative: 1e-5}}
  n: {type: int32, value: n}
launches: {entry: faulty, arguments: [in, out, n]}
reference:
  source: reference_function.cc
  launches: {entry: twice, arguments: [in, out, n]}
'''


def contents_of(path):
    with open(path, 'rb') as file:
        return file.read()


class Round:
    """A folder of its own, the processes in it, and the failures found."""

    def __init__(self, program, rng, counts, number):
        self.program, self.rng, self.counts, self.number = program, rng, counts, number
        self.folder = tempfile.mkdtemp(prefix='gktune-torture-')
        self.name = f'{os.getpid()}-{number}'
        os.mkdir(self.path('tmp'))
        for file in glob.glob(os.path.join(SOURCE, 'tests/cli/spaces/twice*.cu')):
            shutil.copy(file, self.folder)
        self.write('space.yaml', SPACE)
        self.has_failed = False
        self.outputs = 0

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, text):
        with open(self.path(name), 'w', encoding='utf-8', errors='surrogateescape') as file:
            file.write(text)

    def fail(self, kind, example):
        self.has_failed = True
        self.counts.setdefault(kind, []).append(f'{self.folder}: {example}')

    def start(self, *arguments):
        environment = dict(os.environ, TMPDIR=self.path('tmp'), HOME=self.folder)
        for name in ('GKTUNE_DB', 'XDG_CACHE_HOME'):
            environment.pop(name, None)
        environment[MARK] = self.name
        self.outputs += 1
        with open(self.path(f'output-{self.outputs}'), 'wb') as output:
            process = subprocess.Popen([self.program, *arguments], cwd=self.folder, env=environment, stdout=output,
                                       stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL)
        process.command = ' '.join(arguments)
        process.output = self.path(f'output-{self.outputs}')
        process.deadline = time.monotonic() + DEADLINE_S
        return process

    def tune(self, space='space.yaml', database='gktune.db', cache='cache', *more):
        return self.start('run', space, '--device', 'host', '--db', database, '--cache', cache, '--jobs',
                          str(self.rng.choice([1, 2])), '--strategy', self.rng.choice(['exhaustive', 'random']), *more)

    def wait(self, process, was_killed=False):
        """The exit code; None after a hang. A signal that nobody sent is a crash."""
        try:
            code = process.wait(max(1, process.deadline - time.monotonic()))
        except subprocess.TimeoutExpired:
            self.fail('hangs', process.command)
            process.kill()
            process.wait()
            return None
        if code < 0 and not was_killed:
            self.fail('crashes', f'{process.command}: {signal.Signals(-code).name}')
        return code

    def run(self, *arguments):
        return self.wait(self.start(*arguments))

    def processes(self):
        """Of this round, by what their environment says."""
        found = []
        mark = f'{MARK}={self.name}'.encode()
        for entry in os.listdir('/proc'):
            if not entry.isdigit():
                continue
            try:
                with open(f'/proc/{entry}/environ', 'rb') as file:
                    if mark in file.read().split(b'\0'):
                        found.append(int(entry))
            except OSError:
                pass
        return found

    def expect_no_orphans(self):
        for _ in range(100):  # the dead are reaped soon
            left = self.processes()
            if not left:
                return
            time.sleep(0.1)
        for pid in left:
            state, _, name = self.state_of(pid)
            if not state:
                continue
            self.fail('orphans', f'{pid} {name} {state}')
            try:
                os.kill(pid, signal.SIGKILL)
            except OSError:
                pass

    def expect_no_leftovers(self, cache='cache'):
        """After a run that was not killed: temporary files and unfinished files of the cache."""
        left = os.listdir(self.path('tmp'))
        for folder, folders, files in os.walk(self.path(cache)):
            left += [name for name in folders + files if name.startswith('run-') or '.new' in name]
        known = ('.cu', '.cc', '.yaml', '.db', '.db-wal', '.db-shm')  # a reader leaves the last two, as SQLite has it
        for name in os.listdir(self.folder):
            if not (name in ('tmp', cache) or name.startswith(('output-', 'small')) or name.endswith(known)):
                left.append(name)
        for name in left:
            self.fail('leftover files', name)

    def state_of(self, pid):
        """The state, the group and the name; ('', 0, '') if it has ended."""
        try:
            with open(f'/proc/{pid}/stat', encoding='utf-8', errors='replace') as file:
                name, rest = file.read().split('(', 1)[1].rsplit(')', 1)
            return rest.split()[0], int(rest.split()[2]), name
        except (OSError, IndexError, ValueError):
            return '', 0, ''

    def rows(self, database='gktune.db'):
        """(id, config, status, number, message) of all trials, after a check of the file."""
        try:
            file = sqlite3.connect(f'file:{self.path(database)}?mode=ro', uri=True, timeout=30)
            try:
                result = file.execute('PRAGMA integrity_check').fetchone()[0]
                if result != 'ok':
                    self.fail('corrupt databases', result)
                    return []
                return file.execute('SELECT id, config, status, number, message FROM trials ORDER BY id').fetchall()
            finally:
                file.close()
        except sqlite3.Error as error:
            self.fail('corrupt databases', str(error))
            return []

    def expect_no_blame(self, database='gktune.db', is_innocent=lambda config: True):
        """Nothing but the machine can make a trial of an innocent configuration fail. The rows of these trials."""
        if not os.path.exists(self.path(database)):
            return []
        rows = [row for row in self.rows(database) if is_innocent(row[1])]
        for number, config, status, _, message in rows:
            if status != 'ok':
                self.fail('trials blamed for outside events', f'trial {number} {config} {status}: {message[:200]}')
        return rows

    def expect_all_ok(self, database='gktune.db', count=CONFIGURATIONS):
        """The kernel of space.yaml is good."""
        rows = self.expect_no_blame(database)
        configs = [config for _, config, _, _, _ in rows]
        for config in set(configs):
            if configs.count(config) > 1:
                self.fail('repeated measurements', f'{configs.count(config)} x {config}')
        if len(set(configs)) != count:
            self.fail('lost trials', f'{len(set(configs))} of {count} configurations')

    def end(self):
        self.expect_no_orphans()
        if not self.has_failed:
            shutil.rmtree(self.folder, ignore_errors=True)


def kill_something(round_, tuners):
    """A tuner, or any process below one; returns the tuner if that is what it killed."""
    tuner_pids = {tuner.pid: tuner for tuner in tuners if tuner.poll() is None}
    pids = round_.processes()
    if not pids:
        return None
    pid = round_.rng.choice(list(tuner_pids) if tuner_pids and round_.rng.random() < 0.3 else pids)
    try:
        os.kill(pid, signal.SIGKILL)
    except OSError:
        return None
    return tuner_pids.get(pid)


def kills(round_):
    """Tuners that share a study, a reader, and kills; then one tuner finishes."""
    tuners = [round_.tune() for _ in range(round_.rng.randint(1, 3))]
    killed, seen = set(), 0
    for _ in range(round_.rng.randint(1, 8)):
        time.sleep(round_.rng.uniform(0.05, 1.0))
        victim = kill_something(round_, tuners)
        if victim:
            killed.add(victim.pid)
        if os.path.exists(round_.path('gktune.db')) and round_.rng.random() < 0.5:
            reader = round_.start('db', 'ls', '--json')
            round_.wait(reader, was_killed=True)
            try:
                with open(reader.output, encoding='utf-8') as file:
                    studies = json.load(file)
                studies = studies.get('studies', []) if isinstance(studies, dict) else studies
                seen = max([seen] + [study.get('trials', 0) for study in studies])
            except (ValueError, OSError):
                pass
    if round_.rng.random() < 0.5:
        for tuner in tuners:
            if tuner.poll() is None:
                killed.add(tuner.pid)
                tuner.kill()
    for tuner in tuners:
        code = round_.wait(tuner, was_killed=tuner.pid in killed)
        if tuner.pid not in killed and code not in (0, None):
            round_.fail('failed runs', f'exit code {code} after kills of its children: {tuner.output}')
    before = round_.rows() if os.path.exists(round_.path('gktune.db')) else []
    if len(before) < seen:
        round_.fail('lost trials', f'{len(before)} of {seen} that a reader saw')
    round_.expect_no_orphans()
    if round_.wait(round_.tune()) != 0:
        round_.fail('crashes', 'the run after the kills fails')
    round_.expect_all_ok()
    after = {row[0] for row in round_.rows()}
    for row in before:
        if row[0] not in after:
            round_.fail('lost trials', f'trial {row[0]}')
    round_.expect_no_leftovers()


def hunted_candidates(round_):
    """Something kills every process of candidates or compilers for a while. The run goes on, and blames none of them."""
    tuner = round_.tune()
    hunt_end = time.monotonic() + round_.rng.uniform(1, 8)
    is_compilers = round_.rng.random() < 0.5
    while time.monotonic() < hunt_end and tuner.poll() is None:
        for pid in round_.processes():
            state, group, name = round_.state_of(pid)
            is_compiler = name in ('cc1plus', 'as', 'collect2', 'ld', 'c++', 'g++')
            # The leader of a group is a worker.
            if pid in (tuner.pid, group) or not state or is_compiler != is_compilers:
                continue
            try:
                os.kill(pid, signal.SIGKILL)
            except OSError:
                pass
        time.sleep(0.002)
    round_.wait(tuner)
    round_.expect_no_blame()
    round_.expect_no_orphans()
    if round_.wait(round_.tune()) != 0:
        round_.fail('failed runs', 'the run after the hunt fails')
    round_.expect_all_ok()
    round_.expect_no_leftovers()


def concurrent_tuners(round_):
    """Several tuners on one study measure each configuration once."""
    tuners = [round_.tune() for _ in range(round_.rng.randint(2, 4))]
    while any(tuner.poll() is None for tuner in tuners):
        if time.monotonic() > tuners[0].deadline:
            break
        if os.path.exists(round_.path('gktune.db')):
            round_.run('best', 'twice')
        time.sleep(0.2)
    for tuner in tuners:
        if round_.wait(tuner) not in (0, None):
            round_.fail('crashes', f'a tuner of several exits with {tuner.returncode}')
    round_.expect_all_ok()
    round_.expect_no_leftovers()


def fill_a_disk(round_, cache):
    """A candidate fills the disk that the cache and its own temporary files are on."""
    copy_hostile(round_, [24], 3)
    round_.wait(round_.tune('hostile.yaml', 'hostile.db', cache))
    round_.expect_no_blame('hostile.db', leaks_nothing)


def leaks_nothing(config):
    return json.loads(config)['LEAK'] == 0


def copy_hostile(round_, leaks, innocent):
    for name in ('leaking_function.cc', 'reference_function.cc'):
        shutil.copy(os.path.join(SOURCE, 'tests/faults/kernels', name), round_.folder)
    round_.write('hostile.yaml', HOSTILE % (', '.join(str(leak) for leak in [0] + leaks), innocent))


def full_disk(round_):
    """The cache, the database or both are on a small file system."""
    small = round_.path('small')
    os.mkdir(small)
    size = round_.rng.choice([64, 200, 400, 800, 2000])
    mounted = subprocess.run(['mount', '-t', 'tmpfs', '-o', f'size={size}k,mode=700', 'tmpfs', small],
                             stderr=subprocess.PIPE)
    if mounted.returncode != 0:
        return 'skipped: mounting needs root'
    try:
        database = round_.rng.choice(['small/gktune.db', 'gktune.db'])
        cache = 'small/cache' if database == 'gktune.db' else round_.rng.choice(['small/cache', 'cache'])
        round_.wait(round_.tune('space.yaml', database, cache))
        round_.expect_no_orphans()
        if round_.rng.random() < 0.5:
            fill_a_disk(round_, cache)
        # Reading a database needs room for the index of its log.
        subprocess.run(['mount', '-o', 'remount,size=16m', small], check=True)
        if os.path.exists(round_.path(database)) and os.path.getsize(round_.path(database)) > 0:
            round_.expect_no_blame(database)
    finally:
        for _ in range(50):
            if subprocess.run(['umount', small], stderr=subprocess.PIPE).returncode == 0:
                break
            time.sleep(0.1)
    return None


def good_database(round_):
    """A database to damage, made once."""
    shared = os.path.join(tempfile.gettempdir(), f'gktune-torture-good-{os.getpid()}.db')
    if not os.path.exists(shared):
        round_.wait(round_.tune())
        file = sqlite3.connect(round_.path('gktune.db'))
        file.execute('PRAGMA journal_mode = DELETE')
        file.close()
        shutil.move(round_.path('gktune.db'), shared)
    shutil.copy(shared, round_.path('gktune.db'))


def damage(rng, path):
    """Overwrites, zeroes or cuts off a part of the file."""
    size = os.path.getsize(path)
    if size == 0:
        return
    with open(path, 'r+b') as file:
        kind = rng.randrange(4)
        if kind == 0:
            file.truncate(rng.randrange(size))
        elif kind == 1:
            file.seek(rng.randrange(size) // 4096 * 4096)
            file.write(b'\0' * min(4096, size))
        else:
            for _ in range(1 if kind == 2 else rng.randint(2, 64)):
                file.seek(rng.randrange(size))
                file.write(bytes([rng.randrange(256)]))


def damaged_database(round_):
    """Refused and left as it is, or read as far as SQLite finds it sound. A repair gives a sound file or none."""
    good_database(round_)
    path = round_.path('gktune.db')
    damage(round_.rng, path)
    before = contents_of(path)
    for arguments in (['db', 'ls'], ['best', 'twice'], ['db', 'show', '1'],
                      ['exec', '1', 'space.yaml', '--device', 'host']):
        round_.run(*arguments)
    round_.run('db', 'check')
    round_.run('db', 'merge', 'gktune.db', '--db', 'merged.db')
    code = round_.run('db', 'repair', '-o', 'repaired.db')
    if code == 0 and round_.run('db', 'check', '--db', 'repaired.db') != 0:
        round_.fail('corrupt databases', 'a repaired file has findings')
    if code == 1 and os.path.exists(round_.path('repaired.db')):
        round_.fail('leftover files', 'of a repair that was refused')
    if contents_of(path) != before:
        round_.fail('corrupt databases', 'reading changes a damaged file')
    code = round_.wait(round_.tune())
    if code == 0:
        round_.rows()  # a run that succeeds leaves a sound file
    elif code == 1 and contents_of(path) != before:
        round_.fail('corrupt databases', 'a refused file was changed')


def damaged_cache(round_):
    """Every run gives the right results."""
    round_.wait(round_.tune())
    for i in range(2):
        files = [path for path in glob.glob(round_.path('cache/**'), recursive=True) if os.path.isfile(path)]
        for path in round_.rng.sample(files, round_.rng.randint(1, len(files))) if files else []:
            damage(round_.rng, path)
        if round_.wait(round_.tune('space.yaml', f'again{i}.db')) != 0:
            round_.fail('crashes', 'a run with a damaged cache fails')
        round_.expect_all_ok(f'again{i}.db')
    round_.expect_no_leftovers()


def mutated_yaml(round_):
    """Any text gets an answer."""
    texts = []
    for pattern in ('spaces/*.yaml', 'tests/fuzz/corpus/*.yaml', 'tests/space/bad/*.yaml'):
        texts += [contents_of(path) for path in glob.glob(os.path.join(SOURCE, pattern))]
    pieces = [b'{', b'}', b'[', b']', b': ', b'\n', b'- ', b'&a ', b'*a', b'!!', b'"', b"'", b'9' * 30, b'-1', b'1e999',
              b'\xff', b'\0', b'%', b' ** ', b'(' * 50, b'ceil_div(', b'| ', b'<<: ']
    for _ in range(20):
        text = bytearray(round_.rng.choice(texts))
        for _ in range(round_.rng.randint(1, 12)):
            at = round_.rng.randrange(len(text) + 1)
            kind = round_.rng.randrange(3)
            if kind == 0:
                text[at:at] = round_.rng.choice(pieces)
            elif kind == 1:
                del text[at:at + round_.rng.randint(1, 40)]
            else:
                other = round_.rng.choice(texts)
                cut = round_.rng.randrange(len(other) + 1)
                text[at:at] = other[cut:cut + round_.rng.randint(1, 200)]
        with open(round_.path('mutated.yaml'), 'wb') as file:
            file.write(text)
        code = round_.run(round_.rng.choice(['space', 'check']), 'mutated.yaml', '--device', 'host')
        if code not in (0, 1, 2, 4, None):
            round_.fail('crashes', f'gktune with mutated.yaml exits with {code}')


def hostile_candidates(round_):
    """They fail as they like; the innocent ones among them are right."""
    leaks = round_.rng.sample([leak for leak in range(1, 25) if leak != 19], 4)  # 19 only sleeps
    copy_hostile(round_, leaks, 6)
    code = round_.wait(round_.tune('hostile.yaml'))
    if code not in (0, None):
        round_.fail('crashes', f'a run of hostile candidates {leaks} exits with {code}')
    innocent = len(round_.expect_no_blame(is_innocent=leaks_nothing))
    if code == 0 and innocent != 6:
        round_.fail('lost trials', f'{innocent} of 6 innocent candidates')
    round_.expect_no_orphans()
    round_.expect_no_leftovers()


def has_trials(path):
    """False as long as somebody writes the schema."""
    try:
        file = sqlite3.connect(f'file:{path}?mode=ro', uri=True, timeout=0)
        try:
            return file.execute('SELECT count(*) FROM trials').fetchone()[0] > 0
        finally:
            file.close()
    except sqlite3.Error:
        return False


def vanished_database(round_):
    """Something removes, moves or replaces the database of a run that has trials. The run ends with an error and keeps
    its trials."""
    path, kept = round_.path('gktune.db'), round_.path('gktune.db.recovered')
    how = round_.rng.choice(['removed', 'moved', 'replaced'])
    if how == 'replaced':
        good_database(round_)
        os.rename(path, round_.path('other.db'))
    tuner = round_.tune()
    while not has_trials(path) and tuner.poll() is None:
        time.sleep(0.01)
    time.sleep(round_.rng.uniform(0, 2))
    if tuner.poll() is not None:
        round_.wait(tuner)
        return
    if how == 'removed':
        os.remove(path)
    elif how == 'moved':
        os.rename(path, round_.path('elsewhere.db'))
    else:
        os.rename(round_.path('other.db'), path)
    code = round_.wait(tuner)
    if code == 0:  # nothing was left to store
        if how == 'moved':
            round_.expect_all_ok('elsewhere.db')
        return
    if code != 1 or not os.path.exists(kept):
        round_.fail('lost trials', f'exit code {code} with the database {how}: {tuner.output}')
        return
    for name in ('gktune.db', 'gktune.db-wal', 'gktune.db-shm'):
        if os.path.exists(round_.path(name)):
            os.remove(round_.path(name))
    os.rename(kept, path)
    if round_.wait(round_.tune()) != 0:
        round_.fail('failed runs', 'the run with the kept trials fails')
    round_.expect_all_ok()


HOSTILE_TEXTS = ['\x1b]52;c;aGk=\x07', 'x\n#error hostile\n', '*/\n#error hostile\n/*', '"; DROP TABLE trials; --', '\x1b[2J\r',
                 '<script>alert(1)</script>', 'A' * 200000, '\x9b31m']
HOSTILE_PLACES = [('devices', 'name'), ('devices', 'architecture'), ('studies', 'kernel'), ('studies', 'problem'),
                  ('sessions', 'host_name'), ('sessions', 'driver'), ('sessions', 'compiler'), ('trials', 'config'),
                  ('trials', 'message'), ('spaces', 'default_config')]
ENDLESS = 'CREATE VIEW {} AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i AS id FROM n'


def hostile_database(round_):
    """Somebody else's database: its texts reach no terminal and no compiler as they are, and its views do not run."""
    good_database(round_)
    file = sqlite3.connect(round_.path('gktune.db'))
    for table, column in round_.rng.sample(HOSTILE_PLACES, round_.rng.randint(1, 4)):
        text = round_.rng.choice(HOSTILE_TEXTS)
        if column in ('config', 'problem', 'default_config'):
            text = json.dumps({text: text} if round_.rng.random() < 0.3 else {'threadsPerBlock': text})
        try:
            file.execute(f'UPDATE {table} SET {column} = ? WHERE rowid % 2 = ?', (text, round_.rng.randrange(2)))
        except sqlite3.Error:
            pass  # the schema does not allow it
    is_endless = round_.rng.random() < 0.3
    if is_endless:
        file.execute(ENDLESS.format(round_.rng.choice(['endless', 'trial_notes', 'more_winners'])))
    file.commit()
    file.close()
    for arguments in (['db', 'ls'], ['db', 'show', '1'], ['db', 'show', '1', '--failed'], ['db', 'check'],
                      ['best'], ['best', 'twice'], ['best', 'twice', '--why'], ['db', 'sql', 'SELECT * FROM trials'],
                      ['db', 'export', '-o', 'exported'], ['report', '-o', 'report.html'],
                      ['exec', '1', 'space.yaml', '--device', 'host']):
        process = round_.start(*arguments)
        code = round_.wait(process)
        if any(byte in contents_of(process.output) for byte in (b'\x1b', b'\xc2\x9b')):
            round_.fail('hostile texts passed on', f'a control character in {process.output}: {process.command}')
        if code not in (0, 1, 4, None):  # 4: the kernel may have got another name
            round_.fail('crashes', f'gktune {process.command} exits with {code}')
    report = round_.path('report.html')
    if os.path.exists(report) and b'<script>alert' in contents_of(report):
        round_.fail('hostile texts passed on', 'a script in report.html')


# The short ones first: a short run has each of them.
SCENARIOS = [mutated_yaml, hostile_database, vanished_database, damaged_database, hostile_candidates, concurrent_tuners,
             damaged_cache, full_disk, hunted_candidates, kills]


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    program = os.path.abspath(sys.argv[1])
    minutes = float(sys.argv[2]) if len(sys.argv) > 2 else 2
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else random.randrange(1 << 30)
    chosen = os.environ.get('SCENARIOS', '').split()
    scenarios = [each for each in SCENARIOS if not chosen or each.__name__ in chosen]
    print(f'seed {seed}, {minutes:g} min', flush=True)
    rng = random.Random(seed)
    counts = {kind: [] for kind in COUNTS}
    rounds, notes = {}, set()
    end = time.monotonic() + 60 * minutes
    number = 0
    while number < len(scenarios) or time.monotonic() < end:
        scenario = scenarios[number % len(scenarios)]
        number += 1
        round_ = Round(program, random.Random(rng.random()), counts, number)
        note = scenario(round_)
        round_.end()
        if note:
            notes.add(f'{scenario.__name__}: {note}')
        else:
            rounds[scenario.__name__] = rounds.get(scenario.__name__, 0) + 1
    for path in glob.glob(os.path.join(tempfile.gettempdir(), f'gktune-torture-good-{os.getpid()}.db*')):
        os.remove(path)
    print('rounds: ' + ', '.join(f'{name} {count}' for name, count in rounds.items()))
    for note in sorted(notes):
        print(note)
    for kind in counts:
        print(f'{len(counts[kind]):6} {kind}')
        for example in counts[kind][:5]:
            print(f'         {example}')
    sys.exit(1 if any(counts.values()) else 0)


if __name__ == '__main__':
    main()
