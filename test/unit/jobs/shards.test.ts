import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JobState } from '../../../src/jobs/job';
import { PartsFile, readParts } from '../../../src/jobs/shards/partsFile';
import { lastProgress, together } from '../../../src/jobs/shards/progress';
import { newShards } from '../../../src/jobs/shards/schedule';
import type { Shard } from '../../../src/jobs/shards/schedule';
import { ShardRun } from '../../../src/jobs/shards/shardRun';
import { slotsOf } from '../../../src/jobs/shards/slots';
import type { Slot } from '../../../src/jobs/shards/slots';

const host = (name: string, gpus: readonly string[], workers = 1) => ({
  place: { engine: 'ssh', alias: name, folder: null } as const,
  name,
  gpus,
  workers,
});

/** Jobs in memory: `fate` sets how the job of a part on a slot ends. */
class Bench {
  readonly started: string[] = [];
  readonly collected: number[] = [];
  readonly said: string[] = [];
  kept: readonly Shard[] = [];

  /** `given`: the machine that a scheduler assigns to a part. */
  constructor(
    private readonly fate: (shard: Shard, slot: Slot) => JobState,
    private readonly given: (shard: Shard) => string | null = () => null,
  ) {}

  private readonly jobs = new Map<string, JobState>();
  private readonly machines = new Map<string, string | null>();

  run(shards: readonly Shard[], slots: readonly Slot[], signal = new AbortController().signal) {
    return new ShardRun(
      shards,
      slots,
      {
        start: (shard, slot) => {
          const id = `${shard.index + 1}@${slot.name}#${this.started.length}`;
          this.started.push(`${shard.index + 1}@${slot.name}`);
          this.jobs.set(id, this.fate(shard, slot));
          this.machines.set(id, this.given(shard));
          return Promise.resolve(id);
        },
        look: job =>
          Promise.resolve({
            state: this.jobs.get(job) ?? 'lost',
            message: null,
            machine: this.machines.get(job) ?? null,
          }),
        read: () => Promise.resolve(new Uint8Array()),
        collect: shard => {
          this.collected.push(shard.index + 1);
          return Promise.resolve();
        },
        stop: () => Promise.resolve(),
        keep: shards => {
          this.kept = shards;
          return Promise.resolve();
        },
        tell: text => this.said.push(text),
      },
      1,
    ).run(signal);
  }
}

describe('parts on several hosts', () => {
  it('have a slot per GPU, alternating between hosts', () => {
    const slots = slotsOf([host('a', ['GPU-1', 'GPU-2']), host('b', ['GPU-3']), host('c', [], 2)]);
    assert.deepEqual(
      slots.map(({ host: name, gpu }) => [name, gpu]),
      [
        ['a', 'GPU-1'],
        ['b', 'GPU-3'],
        ['c', null],
        ['a', 'GPU-2'],
        ['c', null],
      ],
    );
    assert.equal(new Set(slots.map(({ name }) => name)).size, 5);
  });

  it('are each done once, one at a time on a slot', async () => {
    const bench = new Bench(() => 'succeeded');
    assert.equal(await bench.run(newShards(7), slotsOf([host('a', ['1', '2']), host('b', ['3'])])), true);
    assert.deepEqual(bench.collected.toSorted(), [1, 2, 3, 4, 5, 6, 7]);
    assert.equal(bench.started.length, 7);
  });

  it('are retried elsewhere when they fail, and a slot that fails them all is avoided', async () => {
    const bench = new Bench((_, { host: name }) => (name === 'bad' ? 'failed' : 'succeeded'));
    const slots = slotsOf([host('bad', ['1']), host('good', ['2'])]);
    assert.equal(await bench.run(newShards(6), slots), true);
    assert.equal(bench.started.filter(text => text.includes('bad')).length, 2);
    assert.match(bench.said[0] ?? '', /^Part 1 on bad · 1: its job .* failed; it is retried elsewhere\.$/);
  });

  it("avoid the scheduler's machines on which they failed, but not if somebody stopped them", async () => {
    const nodes = ['n1', 'n2', 'n3'];
    const given = ({ avoid = [] }: Shard) => nodes.find(node => !avoid.includes(node)) ?? null;
    const bench = new Bench(({ index, failures }) => {
      if (index === 0) return failures.length < 2 ? 'failed' : 'succeeded';
      return failures.length < 1 ? 'stopped' : 'succeeded';
    }, given);
    assert.equal(await bench.run(newShards(2), slotsOf([host('Slurm', [], 2)])), true);
    assert.deepEqual(
      bench.kept.map(({ avoid }) => avoid ?? []),
      [['n1', 'n2'], []],
    );
    assert.match(bench.said.join('\n'), /^Part 1 on Slurm · 1 \(n1\): its job .* failed; it is retried/m);
  });

  it('are given up after three failures, and the others are done', async () => {
    const bench = new Bench(({ index }) => (index === 1 ? 'failed' : 'succeeded'));
    assert.equal(await bench.run(newShards(3), slotsOf([host('a', ['1', '2'])])), false);
    assert.deepEqual(
      bench.kept.map(({ state }) => state),
      ['done', 'failed', 'done'],
    );
    assert.equal(bench.kept[1]?.failures.length, 3);
  });

  it('are resumed: done parts stay done, running ones are checked, new ones start', async () => {
    const bench = new Bench(() => 'succeeded');
    const before = newShards(3).map((shard): Shard => {
      if (shard.index === 0) return { ...shard, state: 'done', job: 'x', slot: 'a · 1' };
      return shard.index === 1 ? { ...shard, state: 'running', job: null, slot: 'a · 1' } : shard;
    });
    assert.equal(await bench.run(before, slotsOf([host('a', ['1'])])), true);
    assert.deepEqual(bench.collected, [2, 3]);
  });
});

describe('progress of parts', () => {
  const line = (rows: number, rowsTotal: number, rowsPerS: number) =>
    `{"event":"embed-progress","rows":${rows},"rowsTotal":${rowsTotal},"tokens":9,"rowsPerS":${rowsPerS},"tokensPerS":10}`;

  it('is the last complete line of a part', () => {
    assert.equal(
      lastProgress(`noise\n${line(1, 10, 2)}\n${line(5, 10, 3)}\n{"event":"embed-progress","ro`)?.rows,
      5,
    );
    assert.equal(lastProgress('nothing'), null);
  });

  it('adds up, with the remaining time', () => {
    const part = (rows: number) => ({ isDone: false, progress: lastProgress(line(rows, 100, 5)) });
    const sum = together([{ isDone: true, progress: lastProgress(line(100, 100, 5)) }, part(50), part(0)]);
    assert.deepEqual([sum.rows, sum.rowsTotal, sum.rowsPerS, sum.etaS], [150, 300, 10, 15]);
  });

  it('does not know the total before a part has reported its rows', () => {
    const none = together([{ isDone: false, progress: null }]);
    assert.deepEqual([none.rowsTotal, none.etaS], [null, null]);
  });
});

describe('the progress file of parts', () => {
  let folder: string;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'headroom-parts-'));
  });

  after(() => rm(folder, { recursive: true, force: true }));

  it('is written completely and read back, unknown as unknown', async () => {
    const path = join(folder, 'parts.json');
    const parts = [{ rows: 12, rowsTotal: 40 }, null, { rows: 3, rowsTotal: null }];
    await new PartsFile(path).put(parts);
    assert.deepEqual(await readParts(path), parts);
    assert.deepEqual(await readdir(folder), ['parts.json']);
  });

  it('is ignored if it is missing or different', async () => {
    assert.deepEqual(await readParts(join(folder, 'none.json')), []);
    for (const text of ['', '[1]', '{"schema":"headroom-parts/1","parts":[]}']) {
      await writeFile(join(folder, 'other.json'), text);
      assert.deepEqual(await readParts(join(folder, 'other.json')), []);
    }
  });

  it('does not fail a run if it cannot be written', async () => {
    await new PartsFile(join(folder, 'gone', 'parts.json')).put([null]);
  });
});
