import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import fc from 'fast-check';
import { ProbeReader } from '../../src/profile/probe';

const SCRIPTS = resolve('src/python');
const ENVIRONMENT = { ...process.env, PYTHONPATH: SCRIPTS, PYTHONDONTWRITEBYTECODE: '1' };
const hasPython =
  process.platform !== 'win32' &&
  spawnSync('python3', ['-c', 'import sys; sys.exit(sys.version_info < (3, 9))']).status === 0;

/** Runs `largest` on many simulated GPUs: [fixed, per row, factor of the first, bend, knows the slope], in GB. */
const SCENARIOS = `
import json, sys
from headroom_python.search import largest
allowed = 72 * 2**30
for fixed, each, off, bend, knows in json.load(sys.stdin):
    def needs(rows):
        return max(fixed + each * rows, bend) * 2**30
    truth = max(0, int((72 - fixed) / each) - 2)
    while needs(truth + 1) <= allowed: truth += 1
    failed, begin = [], max(1, round(truth * off))
    def attempt(rows):
        rows = rows or begin
        assert rows >= 1 and all(rows < one for one in failed), (rows, failed)
        if needs(rows) <= allowed: return rows, needs(rows), allowed
        failed.append(rows)
        return rows, None, allowed
    found = largest(attempt, 8, each * 2**30 if knows else None)
    print(json.dumps({"truth": truth, **found}))
`;
import { signalTo } from '../signals';

interface Found {
  readonly truth: number;
  readonly rows: number | null;
  readonly certain: boolean;
  readonly tried: readonly unknown[];
}

function imagined(
  scenarios: readonly (readonly [number, number, number, number, boolean])[],
): readonly Found[] {
  const run = spawnSync('python3', ['-c', SCENARIOS], {
    input: JSON.stringify(scenarios),
    encoding: 'utf8',
    env: ENVIRONMENT,
  });
  assert.equal(run.status, 0, run.stderr);
  return run.stdout
    .trim()
    .split('\n')
    .map(line => JSON.parse(line) as Found);
}

const amount = (min: number, max: number) => fc.double({ min, max, noNaN: true });

describe('the largest batch', function () {
  // Python starts immediately on an otherwise idle machine.
  this.timeout(60_000);
  before(function () {
    if (!hasPython) this.skip();
  });

  it('is found in eight tries if memory is linear in the rows, from any start', () => {
    const gpu = fc.tuple(amount(1, 60), amount(0.02, 8), amount(0.4, 2.2), fc.constant(0), fc.boolean());
    fc.assert(
      fc.property(fc.array(gpu, { minLength: 400, maxLength: 400 }), all => {
        for (const { truth, rows, tried, certain } of imagined(all)) {
          assert.ok(tried.length <= 8 && certain, JSON.stringify({ truth, rows, tried, certain }));
          assert.equal(rows, truth === 0 ? null : truth);
        }
      }),
      { numRuns: 1, endOnFailure: true },
    );
  });

  it('is nearly found if another phase peaks first, and is never called certain then', () => {
    const gpu = fc.tuple(amount(1, 30), amount(0.02, 8), amount(0.05, 1), amount(1, 70), fc.boolean());
    fc.assert(
      fc.property(fc.array(gpu, { minLength: 400, maxLength: 400 }), all => {
        for (const { truth, rows, certain, tried } of imagined(all)) {
          assert.ok(tried.length <= 8 && (rows ?? 0) <= truth);
          assert.ok((rows ?? 0) >= 0.6 * truth - 1, JSON.stringify({ truth, rows, tried }));
          if (certain) assert.equal(rows ?? 0, truth, JSON.stringify({ truth, rows, tried }));
        }
      }),
      { numRuns: 1, endOnFailure: true },
    );
  });
});

describe('a probe', function () {
  this.timeout(60_000);
  let folder = '';
  before(function () {
    if (!hasPython) this.skip();
    folder = mkdtempSync(join(tmpdir(), 'headroom-probe-'));
  });
  after(() => {
    if (folder !== '') rmSync(folder, { recursive: true, force: true });
  });

  function started(
    more: object,
    of: object = {},
  ): { child: ChildProcess; reader: ProbeReader; said: string[] } {
    const file = join(mkdtempSync(join(folder, 'one-')), 'request.json');
    const program = ['python3', resolve('test/fixtures/profile/fake_try.py')];
    const one = { wanted: 20, rows: null, ...of };
    const request = {
      protocol: 1,
      task: 'search',
      trials: 8,
      timeoutSeconds: 60,
      program,
      try: one,
      ...more,
    };
    writeFileSync(file, JSON.stringify(request));
    const child = spawn('python3', [join(SCRIPTS, 'start.py'), file], {
      env: ENVIRONMENT,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const said: string[] = [];
    const reader = new ProbeReader(text => said.push(text));
    child.stdout.setEncoding('utf8').on('data', (text: string) => reader.push(text));
    return { child, reader, said };
  }

  const ended = (child: ChildProcess): Promise<number | null> =>
    new Promise(done => child.once('close', code => done(code)));

  it('finds what a trainer can take in at most eight processes, within the allowed memory', async () => {
    const { child, reader } = started({});
    assert.equal(await ended(child), 0);
    assert.deepEqual(reader.found, { rows: 12, certain: true, allowedBytes: 22.8e9 });
    assert.ok(reader.tries.length <= 8 && reader.tries.every(one => one.reservedBytes <= 22.8e9));
  });

  it('prints nothing and succeeds in every rank but the first', () => {
    const file = join(folder, 'ranked.json');
    writeFileSync(file, JSON.stringify({ protocol: 1, task: 'search', try: {} }));
    const env = { ...ENVIRONMENT, RANK: '1', LOCAL_RANK: '1', WORLD_SIZE: '2' };
    const run = spawnSync('python3', [join(SCRIPTS, 'start.py'), file], { encoding: 'utf8', env });
    assert.deepEqual([run.status, run.stdout], [0, '']);
  });

  async function triedBy(said: readonly string[]): Promise<number> {
    for (;;) {
      const found = said.map(text => /^pid (\d+)$/.exec(text)?.[1]).find(Boolean);
      if (found !== undefined) return Number(found);
      await pause(50);
    }
  }

  const gone = async (pid: number): Promise<void> => {
    while (isThere(pid)) await pause(50);
  };

  it('leaves no try behind when it is killed', async () => {
    const { child, said } = started({}, { stays: true });
    const pid = await triedBy(said);
    child.kill('SIGKILL');
    await gone(pid);
  });

  it('ends and removes its folder when its parent is killed', async () => {
    const client = spawn('sleep', ['600']);
    const own = mkdtempSync(join(folder, 'own-'));
    const { child, said } = started({ client: client.pid, folder: own }, { stays: true });
    const pid = await triedBy(said);
    client.kill('SIGKILL');
    assert.equal(await ended(child), 3);
    await gone(pid);
    assert.equal(existsSync(own), false);
  });

  it('reports a try that was killed or timed out', async () => {
    const killed = started({}, { stays: true });
    signalTo(await triedBy(killed.said), 'SIGKILL');
    assert.equal(await ended(killed.child), 2);
    assert.match(killed.reader.problem?.message ?? '', /^a try was killed from outside \(signal 9\)/);
    const slow = started({ timeoutSeconds: 0.5 }, { stays: true });
    assert.equal(await ended(slow.child), 2);
    assert.match(slow.reader.problem?.message ?? '', /longer than 0\.5 s/);
  });
});

/** A zombie process does not count. */
function isThere(pid: number): boolean {
  const { stdout } = spawnSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' });
  return stdout.trim() !== '' && !stdout.trim().startsWith('Z');
}
