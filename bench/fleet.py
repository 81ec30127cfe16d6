#!/usr/bin/env python3
"""Measures what a fleet shares through PostgreSQL, on a server that it starts on loopback.

Usage: fleet.py PROGRAM RECORDING [STEP…]

PROGRAM is the gktune to measure, RECORDING a cache file whose trials the processes replay, or a folder of these: `search` replays
all, other steps the first. Steps, by default all:
  speedup     2, 4, 8 and 16 processes on one study against one, 50 ms for a trial, and how often a configuration was measured twice
  search      trials of 8 processes against those of one until the best is within 1 % of the best of the recording
  outages     kill -9 of one of four processes every two seconds, five restarts of the server, a network that is cut for ten seconds
  costs       what a trial costs the server: statements, commits, bytes (needs the extension pg_stat_statements)
  large       commands on a million trials in a thousand studies (needs database_bench beside the program's build)
The exit code is 1 if a trial was lost, stored twice, or the winner is not the best.
"""
import argparse
import glob
import json
import os
import random
import resource
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time

SOURCE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SERVER = os.path.join(SOURCE, 'tests', 'db', 'postgres_server.sh')


class Server:
    """A PostgreSQL server in a folder of its own."""

    def __init__(self, *settings):
        self.folder = tempfile.mkdtemp(prefix='gktune-fleet-')
        done = subprocess.run([SERVER, 'start', self.folder, *settings], stdout=subprocess.PIPE, text=True, check=True)
        self.uri = done.stdout.strip()
        self.databases = 0

    def new_database(self):
        self.databases += 1
        self.sql(f'CREATE DATABASE d{self.databases}')
        return self.uri.rsplit('/', 1)[0] + f'/d{self.databases}'

    def sql(self, statement, uri=None):
        done = subprocess.run(['psql', '--no-psqlrc', '--quiet', '--tuples-only', '--no-align', uri or self.uri, '-c', statement],
                              stdout=subprocess.PIPE, text=True, check=True)
        return done.stdout.strip()

    def processor_s(self):
        """Seconds of a processor that connections which have ended took."""
        time.sleep(0.2)
        with open(os.path.join(self.folder, 'data', 'postmaster.pid')) as file, open(f'/proc/{int(file.readline())}/stat') as stat:
            return sum(map(int, stat.read().rsplit(')', 1)[1].split()[13:15])) / os.sysconf('SC_CLK_TCK')

    def restart(self):
        subprocess.run([SERVER, 'stop', self.folder, 'immediate'], check=True)
        subprocess.run([SERVER, 'again', self.folder], check=True)

    def close(self):
        subprocess.run([SERVER, 'stop', self.folder, 'immediate'], check=False)
        shutil.rmtree(self.folder, ignore_errors=True)


class Network(threading.Thread):
    """Passes bytes between the processes and the server, and can stop doing so."""

    def __init__(self, port):
        super().__init__(daemon=True)
        self.target = port
        self.listener = socket.create_server(('127.0.0.1', 0))
        self.port = self.listener.getsockname()[1]
        self.is_cut = threading.Event()
        self.start()

    def run(self):
        while True:
            client, _ = self.listener.accept()
            if self.is_cut.is_set():
                client.close()
                continue
            try:
                server = socket.create_connection(('127.0.0.1', self.target))
            except OSError:
                client.close()
                continue
            for ends in ((client, server), (server, client)):
                threading.Thread(target=self.carry, args=ends, daemon=True).start()

    def carry(self, source, target):
        try:
            while data := source.recv(65536):
                while self.is_cut.is_set():
                    time.sleep(0.05)
                target.sendall(data)
        except OSError:
            pass
        for end in (source, target):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass


class Fleet:
    def __init__(self, program, recordings):
        self.program, self.recordings = program, recordings
        self.folder = tempfile.mkdtemp(prefix='gktune-fleet-')
        self.environment = {**os.environ, 'GKTUNE_DB': '', 'XDG_CACHE_HOME': self.folder}

    def begin(self, uri, seed, *flags, recording=None, output=subprocess.DEVNULL):
        return subprocess.Popen([self.program, 'run', '--device', 'replay:' + (recording or self.recordings[0]), '--db', uri, '--seed',
                                 str(seed), *flags], stdout=output, stderr=subprocess.STDOUT, env=self.environment)

    def together(self, uri, processes, *flags):
        """Seconds until all have ended."""
        begin = time.time()
        running = [self.begin(uri, seed, '--quiet', *flags) for seed in range(processes)]
        codes = [each.wait() for each in running]
        assert not any(codes), f'a process ended with {codes}'
        return time.time() - begin

    def command(self, *words):
        begin = time.time()
        subprocess.run([self.program, *words], stdout=subprocess.DEVNULL, check=True, env=self.environment)
        return time.time() - begin

    def cost(self, server, *words):
        """Seconds that a command takes, and seconds of a processor that it and the server take."""
        def seconds():
            usage = resource.getrusage(resource.RUSAGE_CHILDREN)
            return [0, usage.ru_utime + usage.ru_stime, server.processor_s()]

        before = seconds()
        elapsed = self.command(*words)
        return [elapsed, *(b - a for a, b in zip(before[1:], seconds()[1:]))]


def commits(server, uri):
    time.sleep(1.5)  # processes of the server report with a delay
    return int(server.sql('SELECT xact_commit FROM pg_stat_database WHERE datname = current_database()', uri))


def speedup(fleet, server):
    trials = 2000
    alone = None
    print(f'{trials} trials of 50 ms  seconds  against one  measured twice')
    for processes in (1, 2, 4, 8, 16):
        uri = server.new_database()
        seconds = fleet.together(uri, processes, '--strategy', 'random', '--trials', str(trials), '--pace', '50ms')
        stored, configurations = map(int, server.sql('SELECT count(*), count(DISTINCT config) FROM gktune.trials', uri).split('|'))
        alone = alone or seconds / stored
        print(f'{processes:2} processes          {seconds:7.1f} {alone * stored / seconds:9.2f} × {stored - configurations:12}')
        if stored != configurations:
            return False
    return True


def costs(fleet, _):
    """Statements, commits and written bytes for a trial, beyond what a process needs to start and to end."""
    server = Server('shared_preload_libraries=pg_stat_statements', 'autovacuum=off')
    trials = (400, 2000)
    try:
        print('for a trial, 8 processes   statements  commits  bytes of log')
        found = []
        for limit in trials:
            uri = server.new_database()
            fleet.command('run', '--device', 'replay:' + fleet.recordings[0], '--trials', '1', '--quiet', '--db', uri)
            server.sql('CREATE EXTENSION pg_stat_statements', uri)
            server.sql('SELECT pg_stat_statements_reset()', uri)
            before = [int(server.sql('SELECT wal_bytes FROM pg_stat_wal')), commits(server, uri)]
            fleet.together(uri, 8, '--strategy', 'random', '--trials', str(limit), '--pace', '50ms')
            calls = dict(line.rsplit('|', 1) for line in server.sql(
                "SELECT left(translate(query, E'\\n', ' '), 60), sum(calls) FROM pg_stat_statements s JOIN pg_database d ON d.oid = s.dbid "
                "WHERE d.datname = current_database() GROUP BY 1 ORDER BY 2", uri).splitlines())
            found.append([sum(map(int, calls.values())), commits(server, uri) - before[1],
                          int(server.sql('SELECT wal_bytes FROM pg_stat_wal')) - before[0]])
        each = [(b - a) / (trials[1] - trials[0]) for a, b in zip(*found)]
        print(f'{each[0]:36.1f} {each[1]:8.1f} {each[2]:13.0f}')
        for query, count in sorted(calls.items(), key=lambda item: -int(item[1]))[:8]:
            print(f'  {int(count) / trials[1]:6.2f}  {query}')
    finally:
        server.close()
    return True


def within(fleet, recording):
    """The objective of which a search has to find one that is no worse: 1 % more than the best of the recording."""
    file = os.path.join(fleet.folder, 'best.db')
    fleet.command('run', '--device', 'replay:' + recording, '--strategy', 'exhaustive', '--trials', '0', '--db', file, '--quiet')
    found = subprocess.run([fleet.program, 'db', 'sql', "SELECT min(objective) FROM trials WHERE status = 'ok'", '--csv', '--db', file],
                           stdout=subprocess.PIPE, text=True, check=True)
    os.unlink(file)
    return 1.01 * float(found.stdout.split()[-1])


def trials_until(fleet, server, recording, seed, processes, goal, most=600):
    """Trials in the order in which they were stored, to the first that is as good as the goal. Ends the processes then."""
    uri = server.new_database()
    running = [fleet.begin(uri, 100 * seed + i, '--quiet', '--trials', str(most), '--gain', '0', '--cold', '--pace',
                           '50ms' if processes > 1 else '0ms', recording=recording) for i in range(processes)]
    while any(each.poll() is None for each in running):
        time.sleep(0.2)
        if server.sql("SELECT to_regclass('gktune.trials')", uri) and \
                server.sql(f'SELECT count(*) FROM gktune.trials WHERE objective <= {goal!r}', uri) != '0':
            break
    for each in running:
        each.kill()
        each.wait()
    first = server.sql('SELECT count(*) FROM gktune.trials WHERE id <= '
                       f'(SELECT min(id) FROM gktune.trials WHERE objective <= {goal!r})', uri)
    server.sql(f'DROP DATABASE {uri.rsplit("/", 1)[1]} WITH (FORCE)')
    return int(first) or most


def search(fleet, server, seeds=5):
    ratios = []
    for recording in fleet.recordings:
        goal = within(fleet, recording)
        one, eight = ([trials_until(fleet, server, recording, seed, processes, goal) for seed in range(seeds)] for processes in (1, 8))
        ratios.append(statistics.median(eight) / statistics.median(one))
        print(f'{os.path.basename(recording):36} one process {statistics.median(one):5g} {str(sorted(one)):27} '
              f'8 processes {statistics.median(eight):5g} {str(sorted(eight)):27} {ratios[-1]:5.2f} ×', flush=True)
    print(f'trials until within 1 % of the best, 8 processes against one, median of {len(ratios)} recordings: {statistics.median(ratios):.2f} ×')
    return True


def outages(fleet, server, seconds=60):
    """What a process reported as measured must be stored, once."""
    database = server.new_database()
    port = int(database.split(':')[2].split('/')[0])
    network = Network(port)
    uri = database.replace(f':{port}/', f':{network.port}/')
    random.seed(1)
    logs, running = [], []

    def start(place):
        log = open(os.path.join(fleet.folder, f'process{len(logs)}'), 'w+b')
        logs.append(log)
        process = fleet.begin(uri, len(logs), '--events', '--strategy', 'random', '--trials', '2000', '--pace', '50ms', output=log)
        running[place:place + 1] = [process]

    for place in range(4):
        start(place)
    begin = time.time()
    restarts = [begin + seconds * (i + 1) / 7 for i in range(5)]
    cut = begin + seconds * 6 / 7
    mended = None
    kills = 0
    while time.time() < begin + seconds or mended is None:
        time.sleep(2)
        place = random.randrange(4)
        running[place].send_signal(signal.SIGKILL)
        running[place].wait()
        kills += 1
        start(place)
        if restarts and time.time() > restarts[0]:
            restarts.pop(0)
            server.restart()
        if mended is None and time.time() > cut:
            network.is_cut.set()
            time.sleep(10)
            network.is_cut.clear()
            mended = time.time()
    for place in range(4):
        running[place].wait()
    measured, reported = set(), 0
    for log in logs:
        log.seek(0)
        for line in log:
            if line.startswith(b'{"event":"trial"') and line.endswith(b'}\n'):
                measured.add(json.dumps(json.loads(line)['config'], sort_keys=True))
                reported += 1
    rows = server.sql('SELECT config FROM gktune.trials', database).splitlines()
    stored = {json.dumps(json.loads(each), sort_keys=True) for each in rows}
    twice = len(rows) - len(stored)
    lost = len(measured - stored)
    winner = server.sql('SELECT objective FROM gktune.winner_view w JOIN gktune.trials t ON t.id = w.trial_id', database)
    best = server.sql("SELECT min(objective) FROM gktune.trials WHERE status = 'ok' AND is_dropped_early = 0", database)
    claims = server.sql('SELECT count(*) FROM gktune.claims', database)
    print(f'{kills} kills, 5 restarts, a cut of 10 s: {len(rows)} trials stored of {reported} reported, {lost} lost, {twice} stored twice; '
          f'winner {float(winner):.1f} µs, best trial {float(best):.1f} µs; {claims} claims left')
    return lost == 0 and twice == 0


def large(fleet, server):
    bench = os.path.join(os.path.dirname(fleet.program), '..', 'bench', 'database_bench')
    file = os.path.join(fleet.folder, 'large.db')
    # Its exit code says whether queries of the file are fast.
    subprocess.run([bench, '1000000', '1000', file], stdout=subprocess.DEVNULL, check=False)
    uri = server.new_database()
    pushed = fleet.command('db', 'push', uri, '--db', file)
    server.sql('VACUUM ANALYZE', uri)  # as the server does by itself some minutes later
    print(f'a million trials in a thousand studies: pushed in {pushed:.0f} s')
    # All of the recording is measured then, so that the same command resumes the study and does nothing.
    run = ['run', '--device', 'replay:' + fleet.recordings[0], '--trials', '1000', '--strategy', 'random', '--db', uri]
    fleet.command(*run)
    print('medians of nine                     elapsed   processor: program  server')
    for name, words in {'best': ['best', 'kernel3', '--problem', 'n=1024', '--db', uri], 'db ls': ['db', 'ls', '--db', uri],
                        'best, all winners': ['best', '--db', uri],
                        'db show': ['db', 'show', '7', '--db', uri], 'resuming a study of 1,000 trials': run}.items():
        costs = [fleet.cost(server, *words) for _ in range(9)]
        elapsed, program, in_server = (statistics.median(each) * 1000 for each in zip(*costs))
        print(f'{name:34} {elapsed:6.0f} ms {program:17.0f} ms {in_server:4.0f} ms')
    return True


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('program')
    parser.add_argument('recording')
    parser.add_argument('steps', nargs='*')
    arguments = parser.parse_args()
    steps = {'speedup': speedup, 'costs': costs, 'search': search, 'outages': outages, 'large': large}
    path = os.path.abspath(arguments.recording)
    recordings = sorted(glob.glob(os.path.join(path, '*.json.gz'))) if os.path.isdir(path) else [path]
    fleet = Fleet(os.path.abspath(arguments.program), recordings)
    server = Server()
    try:
        results = [steps[each](fleet, server) for each in arguments.steps or steps]
    finally:
        server.close()
        shutil.rmtree(fleet.folder, ignore_errors=True)
    sys.exit(0 if all(results) else 1)


if __name__ == '__main__':
    main()
