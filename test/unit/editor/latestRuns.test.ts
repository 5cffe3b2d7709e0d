import assert from 'node:assert/strict';
import { LatestRuns } from '../../../src/editor/latestRuns';
import type { Timers } from '../../../src/editor/latestRuns';

/** A clock that the test advances. */
class HandClock implements Timers {
  private now = 0;
  private readonly waiting = new Map<number, { readonly at: number; readonly run: () => void }>();
  private next = 0;

  start(run: () => void, ms: number): unknown {
    this.waiting.set(this.next, { at: this.now + ms, run });
    return this.next++;
  }

  stop(timer: unknown): void {
    this.waiting.delete(timer as number);
  }

  pass(ms: number): void {
    this.now += ms;
    for (const [timer, { at, run }] of [...this.waiting]) {
      if (at > this.now) continue;
      this.waiting.delete(timer);
      run();
    }
  }

  get pending(): number {
    return this.waiting.size;
  }
}

/** Work that ends when the test decides. */
class Work {
  readonly begun: { readonly key: string; readonly signal: AbortSignal; finish(result: string): void }[] = [];

  readonly run = (key: string, signal: AbortSignal): Promise<string | null> =>
    new Promise(resolve => this.begun.push({ key, signal, finish: resolve }));
}

describe('latest runs', () => {
  let clock: HandClock;
  let work: Work;
  let runs: LatestRuns<string, string>;

  beforeEach(() => {
    clock = new HandClock();
    work = new Work();
    runs = new LatestRuns(work.run, clock);
  });

  it('start at once without a delay', async () => {
    const result = runs.start('a', 0);
    work.begun[0]?.finish('done');
    assert.equal(await result, 'done');
  });

  it('start after typing pauses, once for many edits', async () => {
    const results = [runs.start('a', 150), runs.start('a', 150), runs.start('a', 150)];
    clock.pass(149);
    assert.equal(work.begun.length, 0);
    clock.pass(1);
    assert.equal(work.begun.length, 1);
    work.begun[0]?.finish('last');
    assert.deepEqual(await Promise.all(results), [null, null, 'last']);
  });

  it('abort the older run, whose result is dropped', async () => {
    const older = runs.start('a', 0);
    const newer = runs.start('a', 0);
    assert.equal(work.begun[0]?.signal.aborted, true);
    assert.equal(work.begun[1]?.signal.aborted, false);
    work.begun[0].finish('stale');
    work.begun[1].finish('fresh');
    assert.equal(await older, null);
    assert.equal(await newer, 'fresh');
    assert.equal(await runs.latest('a'), 'fresh');
  });

  it('keep keys apart', async () => {
    const [a, b] = [runs.start('a', 0), runs.start('b', 0)];
    work.begun[0]?.finish('of a');
    work.begun[1]?.finish('of b');
    assert.deepEqual(await Promise.all([a, b]), ['of a', 'of b']);
  });

  it('skip the delay on request, and start only once', () => {
    void runs.start('a', 150);
    runs.skipDelay('a');
    runs.skipDelay('a');
    clock.pass(200);
    assert.equal(work.begun.length, 1);
    assert.equal(clock.pending, 0);
  });

  it('forget what is dropped', async () => {
    const waiting = runs.start('a', 150);
    runs.drop('a');
    clock.pass(200);
    assert.equal(await waiting, null);
    assert.equal(work.begun.length, 0);
    assert.equal(runs.latest('a'), undefined);
  });

  it('end with their owner', async () => {
    const all = [runs.start('a', 0), runs.start('b', 150)];
    runs.dispose();
    assert.deepEqual(await Promise.all(all), [null, null]);
    assert.equal(work.begun[0]?.signal.aborted, true);
    assert.equal(clock.pending, 0);
  });
});
