import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import type { CatalogData } from '../../../src/core/data/rows';
import { GpuCatalog } from '../../../src/core/hardware/catalog';
import type { Target } from '../../../src/core/hardware/gpu';
import type { ServedRoom } from '../../../src/core/memory/estimate';
import { estimateRun } from '../../../src/core/memory/estimateRun';
import { captureSizes } from '../../../src/core/memory/serving/startUp';
import { restOf, rotaryTables } from '../../../src/core/memory/serving/weights';
import { ModelCatalog } from '../../../src/core/models/catalog';
import type { ModelFacts } from '../../../src/core/models/model';
import { frameworkIdOf } from '../../../src/core/spec/frameworkId';
import { statedRun } from '../../eval/accuracy/stated';
import type { StatedDetails, StatedQuantities } from '../../eval/accuracy/stated';
import { tries } from '../../tries';
import { memoryRun, smallLlama } from './support';

const MIB = 2 ** 20;

const card = (totalMiB: number, name = 'H100 SXM'): Target => ({
  name,
  totalMiB,
  usableMiB: totalMiB,
  busyMiB: 0,
  gpu: null,
  count: 1,
  nodes: 1,
  kind: 'planned',
});

const cards = new GpuCatalog(JSON.parse(readFileSync('src/core/data/gpus.json', 'utf8')) as CatalogData);

const LARGE = card(81_080);

/** So many words that their logits decide. */
const wordy: ModelFacts = { ...smallLlama, vocabSize: 152_064 };

const vllmIn = (version: string) => ({ id: frameworkIdOf('vllm'), name: 'vllm', version, libraries: {} });

interface Surroundings {
  readonly target?: Target;
  readonly model?: ModelFacts;
  readonly quantities?: StatedQuantities;
}

function roomOf(
  release: string,
  details: StatedDetails = {},
  { target = LARGE, model = wordy, quantities }: Surroundings = {},
): ServedRoom {
  const framework = vllmIn(release);
  const stated = { task: 'infer', loadDtype: 'bf16', seqLen: 2048, ...quantities } as const;
  const result = estimateRun(statedRun('run', framework, stated, details), model, target);
  assert.ok(result.ok, result.ok ? '' : result.missing.join(', '));
  const served = result.estimate.devices[0]?.served;
  assert.ok(served);
  return served;
}

describe('memory: what vLLM takes at startup', () => {
  it('refuses a share that no idle GPU has free, and is close where only some have it', () => {
    const target = card(24_260, 'RTX 3090');
    const trains = { ...target, gpu: cards.find('RTX 3090') };
    const judged = (memoryShare: number) => {
      const result = estimateRun(
        statedRun(
          'run',
          vllmIn('0.19.0'),
          { task: 'infer', loadDtype: 'bf16', seqLen: 2048 },
          { memoryShare },
        ),
        smallLlama,
        trains,
      );
      assert.ok(result.ok);
      const [device] = result.estimate.devices;
      return [device?.verdict, device?.served?.refusal ?? null];
    };
    // 23.05 of 23.56 GiB and 23.08 of 23.53 GiB were free when published servers started.
    assert.deepEqual(judged(0.95), ['fits', null]);
    assert.deepEqual(judged(0.98), ['tight', null]);
    assert.deepEqual(judged(0.999), ['exceeds', 'share']);
  });

  it('warms the sampler up with a row of logits for each sequence: sorted before 0.17, unsorted since', () => {
    const [before, since] = [roomOf('0.16.0'), roomOf('0.17.0')];
    const logits = 1024 * wordy.vocabSize;
    const rows = 128 * wordy.vocabSize * 4;
    assert.equal(before.activationBytes - since.activationBytes, 24 * logits - rows);
  });

  it('takes as many sequences and tokens at once as the release does on such a card', () => {
    const sampled = (release: string, target: Target): number =>
      roomOf(release, {}, { target }).activationBytes;
    const a100 = card(81_051, 'A100 SXM4 80GB');
    assert.ok(sampled('0.8.5', a100) > 3 * sampled('0.10.0', a100), 'A100s are small since 0.9');
    assert.ok(sampled('0.30.0', card(183_000)) > sampled('0.29.0', card(183_000)));
    const stated = { maxSequences: 64, prefillTokens: 2048 };
    assert.equal(
      roomOf('0.19.0', stated, { target: card(24_000) }).activationBytes,
      roomOf('0.19.0', stated).activationBytes,
    );
  });

  it('takes graphs out of the share since 0.20, and on top of it before', () => {
    const [before, since] = [roomOf('0.19.0', { memoryShare: 0.9 }), roomOf('0.20.0', { memoryShare: 0.9 })];
    assert.ok(before.graphsBytes !== null && before.graphsBytes > 0);
    assert.ok(Math.abs(before.cacheBytes - since.cacheBytes - before.graphsBytes) < MIB);
    const eager = roomOf('0.20.0', { memoryShare: 0.9, enforceEager: true });
    assert.equal(eager.graphsBytes, 0);
    assert.ok(Math.abs(eager.cacheBytes - before.cacheBytes) < MIB);
  });

  it('counts the CUDA context as taken in 0.8 alone', () => {
    const share = { memoryShare: 0.9, maxSequences: 256, prefillTokens: 2048 };
    const [v1, measured] = [roomOf('0.8.5', share), roomOf('0.9.2', share)];
    assert.ok(measured.cacheBytes - v1.cacheBytes > 400 * MIB);
    assert.equal(roomOf('0.7.3', share).cacheBytes, measured.cacheBytes);
  });

  it('takes buffers for communication on two GPUs: more where they are linked', () => {
    const parallel = { tensor: 2, context: 1, pipeline: 1, expert: 1, dataShard: null, dataReplicate: null };
    const of = (name: string): number =>
      roomOf('0.19.0', {}, { target: card(81_080, name), quantities: { parallel } }).besideTorchBytes;
    assert.ok(of('H100 SXM') > 2 * 1024 * MIB);
    assert.ok(of('RTX 4090') < 600 * MIB);
  });

  it('says the longest request that its cache holds, and holds it', () => {
    const room = roomOf('0.19.0', { memoryShare: 0.1 });
    const exact = roomOf('0.19.0', { memoryShare: 0.1 }, { quantities: { seqLen: room.longest } });
    const more = roomOf('0.19.0', { memoryShare: 0.1 }, { quantities: { seqLen: room.longest + 16 } });
    assert.ok(exact.sequences >= 1 && more.sequences < 1);
  });
});

describe('memory: pieces of a startup', () => {
  it('captures graphs for the sizes that vLLM logs', () => {
    assert.equal(captureSizes(1024, 8192).length, 51);
    assert.deepEqual(captureSizes(8, 8192), [1, 2, 4, 8, 16]);
    assert.deepEqual(captureSizes(1024, 12), [1, 2, 4, 8]);
    assert.deepEqual(captureSizes(1024, 8192).slice(-2), [496, 512]);
  });

  it('counts the rest of a segment that is too small to split', () => {
    assert.equal(restOf(31.5 * MIB), 0.5 * MIB);
    assert.equal(restOf(259 * MIB), MIB);
    assert.equal(restOf(24.5 * MIB), 0);
    assert.equal(restOf(3 * MIB), 0);
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 2 ** 40 }), bytes => restOf(bytes) >= 0 && restOf(bytes) <= MIB),
      { numRuns: tries(200) },
    );
  });

  it('has a table of angles for each kind of rotary positions', () => {
    const tables = (changes: Partial<ModelFacts>): number =>
      rotaryTables(
        memoryRun({ model: { ...smallLlama, ...changes }, task: 'infer', rows: 1, tokens: 8, spread: 1 }),
      );
    const each = 2048 * smallLlama.headDim * 2;
    const plain = { maxPositions: 2048 };
    assert.equal(tables(plain), each);
    const linear = { rope_scaling: { rope_type: 'linear', factor: 8 } };
    assert.equal(tables({ ...plain, extra: linear }), 8 * each);
    assert.equal(tables({ ...plain, slidingWindow: 1024, extra: linear }), 9 * each);
    assert.equal(tables({ ...plain, extra: { rope_scaling: { rope_type: 'llama3', factor: 8 } } }), each);
    assert.equal(tables({ ...plain, positions: 'learned' }), 0);
  });
});

describe('memory: experts in MXFP4', () => {
  const theCatalog = new ModelCatalog(
    JSON.parse(readFileSync('src/core/data/models.json', 'utf8')) as CatalogData,
  );
  const loaded = (name: string): number => {
    const model = theCatalog.find(name) ?? assert.fail(name);
    const framework = { id: frameworkIdOf('vllm'), name: 'vllm', version: '0.19.0', libraries: {} };
    const stated = { task: 'infer', loadDtype: 'bf16', seqLen: 2048 } as const;
    const result = estimateRun(statedRun('run', framework, stated, {}), model, card(139 * 1024, 'H200'));
    assert.ok(result.ok, result.ok ? '' : result.missing.join(', '));
    const terms = result.estimate.devices[0]?.terms ?? [];
    return (terms.find(({ term }) => term === 'weights')?.bytes ?? 0) / 2 ** 30;
  };

  it('take what vLLM logs: “Model loading took 13.72 GiB”', () => {
    assert.ok(Math.abs(loaded('openai/gpt-oss-20b') - 13.72) < 0.1, String(loaded('openai/gpt-oss-20b')));
  });

  it('are in 16 bits again in a copy that says so', () => {
    assert.ok(loaded('unsloth/gpt-oss-20b-BF16') > 38);
  });
});
