import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { tries } from '../tries';
import { numbers, writeTinyModel } from '../unit/embed/tinyModel';
import { bytesOf, jsonlTexts } from './embedding';
import { file, folder, headroom, inTemporaryFolder } from './headroom';

const CLI = resolve('dist/cli.js');
/** Kills in the gate; the properties suite tries ten times as many. */
const ATTEMPTS = 3;
/** Complete shards of the long run; its texts are 2000 more. */
const SHARDS = 4;

/** Starts the command line and kills it after a while, unless it ended before. True: it was killed. */
function killedAfter(ms: number, ...args: readonly string[]): Promise<boolean> {
  return killedWhen(() => pause(ms), ...args);
}

/** When to kill a run: so long after that many shards of its output are complete. */
interface Moment {
  readonly shards: number;
  readonly ms: number;
}

/** The same, once it works into `out` and has come that far, however long a busy machine takes for it. */
function killedAtWork({ shards, ms }: Moment, out: string, ...args: readonly string[]): Promise<boolean> {
  const manifest = join(folder(), out, 'manifest.json');
  const written = (): number => statSync(manifest, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const before = written();
  const complete = (): number =>
    readdirSync(join(folder(), out)).filter(name => /^shard-\d+\.npy$/.test(name)).length;
  const isAtWork = async (child: ChildProcess): Promise<void> => {
    while ((written() === before || complete() < shards) && child.exitCode === null) await pause(2);
    await pause(ms);
  };
  return killedWhen(isAtWork, ...args, '--out', out);
}

async function killedWhen(
  time: (child: ChildProcess) => Promise<void>,
  ...args: readonly string[]
): Promise<boolean> {
  const child = spawn(process.execPath, [CLI, ...args], { cwd: folder(), stdio: 'ignore' });
  const ended = new Promise<boolean>(done => {
    child.once('exit', (_, signal) => done(signal === 'SIGKILL'));
  });
  await Promise.race([time(child), ended]);
  child.kill('SIGKILL');
  return ended;
}

const pause = (ms: number): Promise<void> => new Promise(resolve => setTimeout(resolve, ms));

describe('cli: embed, killed', function () {
  // Some thirty processes per test, on a machine that may be busy.
  this.timeout(240_000);
  inTemporaryFolder();
  const model = (): string => writeTinyModel(join(folder(), 'model'));

  it('loses and duplicates nothing over many kills, and writes the same bytes', async () => {
    file('a.jsonl', jsonlTexts(12_000));
    const run = [
      'embed',
      'a.jsonl',
      '--model',
      model(),
      '--rows-per-shard',
      '2500',
      '--batch-tokens',
      '24',
      '--resume',
    ];
    const next = numbers(20);
    const attempts = tries(ATTEMPTS);
    let kills = 0;
    for (let attempt = 0; attempt < attempts; attempt++) {
      // Each part of the work has its own kills, and the last is well before the end.
      const moment = { shards: Math.floor((attempt * SHARDS) / attempts), ms: (next() + 0.5) * 120 };
      if (await killedAtWork(moment, 'killed', ...run)) kills++;
    }
    assert.ok(kills >= attempts / 4, `only ${kills} of ${attempts} came before the end`);
    const last = headroom(...run, '--out', 'killed');
    assert.equal(last.code, 0, last.err);
    assert.equal(headroom(...run, '--out', 'whole').code, 0);
    assert.deepEqual(bytesOf('killed'), bytesOf('whole'));
    assert.deepEqual(
      readdirSync(join(folder(), 'killed')).filter(
        name => !/^(manifest\.json|shard-\d+\.(npy|ids\.jsonl))$/.test(name),
      ),
      [],
    );
    assert.equal(headroom('verify', 'killed', '--shape', '12000,32').code, 0);
  });

  it('removes what a kill left of a shard that is complete', () => {
    file('a.jsonl', jsonlTexts(200));
    const run = ['embed', 'a.jsonl', '--model', model(), '--resume', '--out', 'out'];
    assert.equal(headroom(...run).code, 0);
    for (const ending of ['journal', 'part', 'ids.part']) file(`out/shard-00000.${ending}`, 'left');
    const manifest = readFileSync(join(folder(), 'out/manifest.json'), 'utf8');
    file('out/manifest.json', manifest.replace('"complete"', '"running"'));
    assert.equal(headroom(...run).code, 0);
    assert.deepEqual(
      readdirSync(join(folder(), 'out')).filter(name => /journal|part/.test(name)),
      [],
    );
    assert.equal(headroom('verify', 'out', '--shape', '200,32').code, 0);
  });

  it('merges parts after kills, and only complete ones', async () => {
    file('a.jsonl', jsonlTexts(4000));
    for (const part of [1, 2, 3]) {
      const run = headroom(
        'embed',
        'a.jsonl',
        '--model',
        model(),
        '--shard',
        `${part}/3`,
        '--out',
        `parts/${part}`,
      );
      assert.equal(run.code, 0, run.err);
    }
    const merge = ['merge', 'parts', '--rows-per-shard', '300', '--out', 'all'];
    const next = numbers(5);
    for (let attempt = 0; attempt < tries(ATTEMPTS); attempt++) {
      const killed = await killedAfter(150 + (next() + 0.5) * 350, ...merge);
      if (!killed) break;
      const { code } = headroom('verify', 'all', '--shape', '4000,32');
      // Killed when all was in place, and nothing left to do but to end.
      if (code === 0) break;
      assert.equal(code, 3, 'there is no half of it');
    }
    headroom(...merge);
    assert.equal(headroom('verify', 'all', '--shape', '4000,32').code, 0);
    assert.equal(
      headroom('embed', 'a.jsonl', '--model', model(), '--rows-per-shard', '300', '--out', 'whole').code,
      0,
    );
    assert.deepEqual(bytesOf('all'), bytesOf('whole'));
    assert.match(headroom(...merge).err, /already exists/);
  });
});
