import assert from 'node:assert/strict';
import { TERMS } from '../../../src/core/memory/terms';
import type { ZeroSharded } from '../../../src/core/memory/sharding';
import type { Phase, Played } from '../../../src/core/memory/played';
import type { TermName } from '../../../src/core/models/terms';
import { playedLlama } from './support';

const RANKS = 4;

const zero = (stage: 1 | 2 | 3, changes: Partial<ZeroSharded> = {}): ZeroSharded => ({
  kind: 'zero',
  stage,
  ranks: RANKS,
  compute: 'bf16',
  offloadsParameters: false,
  offloadsOptimizer: false,
  reduceBucket: 256 * 256,
  reduceBuffers: 1,
  prefetchBucket: 0,
  liveElements: 0,
  subGroup: 1e9,
  ...changes,
});

const played = (stage: 1 | 2 | 3, changes: Partial<ZeroSharded> = {}): Played =>
  playedLlama({ replicas: RANKS, rows: 1, tokens: 16, sharding: zero(stage, changes) });

const phaseOf = ({ phases }: Played, phase: Phase): Played['phases'][number]['peak'] => {
  const found = phases.find(one => one.phase === phase);
  assert.ok(found);
  return found.peak;
};

const termOf = (run: Played, phase: Phase, term: TermName): number =>
  phaseOf(run, phase).terms[TERMS.indexOf(term)] ?? Number.NaN;

const weights = termOf(playedLlama(), 'backward', 'weights');
const parameters = weights / 2;

/** Except for parts of small vectors, which are rounded to blocks. */
const near = (actual: number, expected: number): void =>
  assert.ok(Math.abs(actual - expected) <= expected * 0.005, `${actual} is not ${expected}`);

describe('memory: ZeRO', () => {
  // Rajbhandari et al., arXiv 1910.02054, figure 1: 2 + 2 + 12 bytes per parameter, more and more of which the
  // stages split.
  it('stage 1 splits masters and states', () => {
    const run = played(1);
    near(termOf(run, 'backward', 'weights'), 2 * parameters);
    near(termOf(run, 'backward', 'optimizer states'), (12 * parameters) / RANKS);
  });

  it('stage 2 splits gradients, too', () => {
    const run = played(2);
    near(termOf(run, 'backward', 'weights'), 2 * parameters);
    const table = 2 * 1024 * 256;
    const gradients = termOf(run, 'backward', 'gradients');
    assert.ok(gradients >= (2 * parameters) / RANKS && gradients <= (2 * parameters) / RANKS + 2 * table);
    assert.ok(termOf(played(1), 'backward', 'gradients') > gradients);
  });

  it('stage 3 splits parameters, too', () => {
    const run = played(3);
    near(termOf(run, 'backward', 'weights'), (2 * parameters) / RANKS);
    near(termOf(run, 'backward', 'optimizer states'), (12 * parameters) / RANKS);
  });

  it('the optimizer widens the gradients of its rank', () => {
    const run = played(2);
    near(termOf(run, 'optimizer step', 'gradients'), (4 * parameters) / RANKS);
  });

  it('stage 3 steps over groups, which limits what is widened at once', () => {
    const widened = (subGroup: number): number =>
      termOf(played(3, { subGroup }), 'optimizer step', 'gradients') - (2 * parameters) / RANKS;
    near(widened(1e9), (4 * parameters) / RANKS);
    const table = 1024 * 256;
    near(widened(0), (4 * table) / RANKS);
  });

  it('stage 3 keeps the last layers from forward to backward', () => {
    const more = (phase: Phase): number =>
      termOf(played(3, { liveElements: 1000 }), phase, 'communication') -
      termOf(played(3), phase, 'communication');
    assert.equal(more('forward'), 2048);
  });

  it('an offloaded optimizer leaves parameters and buffers', () => {
    const run = played(3, { offloadsOptimizer: true });
    assert.equal(termOf(run, 'backward', 'optimizer states'), 0);
    near(termOf(run, 'backward', 'weights'), (2 * parameters) / RANKS);
  });

  it('offloaded parameters are on the device while they are used', () => {
    const run = played(3, { offloadsOptimizer: true, offloadsParameters: true });
    assert.equal(termOf(run, 'backward', 'weights'), 0);
    assert.ok(termOf(run, 'backward', 'communication') > 0);
  });

  it('more ranks never take more, and a higher stage saves', () => {
    for (const stage of [1, 2, 3] as const) {
      const peaks = [2, 4, 8, 64].map(ranks => phaseOf(played(stage, { ranks }), 'optimizer step').bytes);
      assert.deepEqual(
        peaks,
        peaks.toSorted((a, b) => b - a),
      );
    }
    const bytes = ([1, 2, 3] as const).map(stage => phaseOf(played(stage), 'optimizer step').bytes);
    assert.ok((bytes[2] ?? 0) < (bytes[0] ?? 0));
  });

  it('leaves nothing behind that was not there', () => {
    for (const stage of [1, 2, 3] as const) {
      const run = played(stage);
      const first = phaseOf(run, 'first forward').bytes;
      const steady = phaseOf(run, 'forward').bytes;
      near(steady - first, (8 * parameters) / RANKS);
    }
  });
});
