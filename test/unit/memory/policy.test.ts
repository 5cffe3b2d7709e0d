import assert from 'node:assert/strict';
import { llama } from '../../../src/core/memory/architectures/llama';
import type { LossCode } from '../../../src/core/memory/frameworks/behavior/behavior';
import { policyOf, preferenceOf } from '../../../src/core/memory/frameworks/behavior/lossCode';
import type { MemoryRun, Rollout } from '../../../src/core/memory/run';
import { KV_CACHE } from '../../../src/core/memory/terms';
import { play } from '../../../src/core/memory/timeline';
import type { Played } from '../../../src/core/memory/played';
import { changed, memoryRun, smallLlama } from './support';

type Logits = Extract<LossCode, { kind: 'policy' }>['logits'];

const [batch, completion, vocabulary] = [4, 255, 8192];
const model = { ...smallLlama, vocabSize: vocabulary };

function played(logits: Logits, rollout: Rollout | null = null): Played {
  const base = memoryRun({
    model,
    rows: batch,
    tokens: 512,
    logitsToKeep: completion + 1,
    weightDtype: 'fp32',
  });
  const behavior: MemoryRun['behavior'] = { ...base.behavior, loss: { kind: 'policy', logits } };
  return play(llama, changed(base, { rollout, behavior }));
}

const peakOf = (run: Played, wanted: string): number =>
  run.phases.find(({ phase }) => phase === wanted)?.peak.bytes ?? 0;

describe('memory: a policy and its generated tokens', () => {
  const logits = batch * (completion + 1) * vocabulary * 4;

  it('keeps one more copy of the logits where the temperature makes one', () => {
    const more = peakOf(played('copies'), 'forward') - peakOf(played('in place'), 'forward');
    assert.ok(more > 0.99 * logits && more <= logits, `${more} for ${logits}`);
  });

  it('keeps none where they are made tile by tile', () => {
    const less = peakOf(played('copies'), 'forward') - peakOf(played('tiles'), 'forward');
    assert.ok(less > 0.9 * logits, `${less} of ${logits}`);
    assert.ok(peakOf(played('copies'), 'backward') - peakOf(played('tiles'), 'backward') > logits);
  });

  it('writes with a cache for all rows, and a layer’s keys once more', () => {
    const run = played('tiles', { by: 'model', rows: 16, scores: 0 });
    const cache = run.phases.find(({ phase }) => phase === 'generation')?.peak.terms[KV_CACHE] ?? 0;
    const { layers, kvHeads, headDim } = model;
    assert.equal(cache, 16 * 512 * kvHeads * headDim * 4 * (2 * layers + 1));
    assert.equal(peakOf(played('tiles'), 'generation'), 0);
  });

  it('is scored as the release of trl does it', () => {
    const of = (trl: string): LossCode => policyOf({ id: 'trl', name: 'trl', version: trl }, null);
    assert.deepEqual(of('0.24.0'), { kind: 'policy', logits: 'copies' });
    assert.deepEqual(of('1.6.0'), { kind: 'policy', logits: 'in place' });
    assert.deepEqual(of('1.16.0'), { kind: 'policy', logits: 'tiles' });
    assert.equal(policyOf({ id: 'trl', name: 'trl', version: '0.24.0' }, 'liger').kind, 'policy');
    assert.equal(preferenceOf({ id: 'trl', name: 'trl', version: '1.16.0' }, 'dpo').kind, 'policy');
    const entropies = { kind: 'log-probabilities', selective: true, logsEntropies: true };
    for (const version of ['0.29.0', '1.0.0', '1.10.0', '1.13.0']) {
      assert.deepEqual(preferenceOf({ id: 'trl', name: 'trl', version }, 'dpo'), entropies, version);
    }
    const scores = { kind: 'log-probabilities', selective: true };
    for (const version of ['0.28.0', '1.14.0']) {
      assert.deepEqual(preferenceOf({ id: 'trl', name: 'trl', version }, 'dpo'), scores, version);
    }
    const old = { kind: 'log-probabilities', selective: false };
    assert.deepEqual(preferenceOf({ id: 'trl', name: 'trl', version: '0.13.0' }, 'dpo'), old);
    assert.deepEqual(preferenceOf({ id: 'llamafactory', name: 'llamafactory', version: '0.9.6' }, 'dpo'), {
      ...old,
      keepsLogits: true,
    });
  });
});
