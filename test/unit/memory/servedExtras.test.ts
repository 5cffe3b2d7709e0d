import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import type { CatalogData } from '../../../src/core/data/rows';
import type { Target } from '../../../src/core/hardware/gpu';
import type { DeviceEstimate } from '../../../src/core/memory/estimate';
import { estimateRun } from '../../../src/core/memory/estimateRun';
import { ModelCatalog } from '../../../src/core/models/catalog';
import type { ModelFacts } from '../../../src/core/models/model';
import { frameworkIdOf } from '../../../src/core/spec/frameworkId';
import type { ServedDrafter, ServedExtras } from '../../../src/core/spec/values';
import { statedRun } from '../../eval/accuracy/stated';
import type { StatedQuantities } from '../../eval/accuracy/stated';
import { formatCount } from '../../../src/core/units';
import { smallLlama } from './support';

const MIB = 2 ** 20;
const GIB = 2 ** 30;

const CARD: Target = {
  name: 'H100 SXM',
  totalMiB: 81_080,
  usableMiB: 81_080,
  busyMiB: 0,
  gpu: null,
  count: 1,
  nodes: 1,
  kind: 'planned',
};

const NOTHING: ServedExtras = { adapters: null, drafter: null, offloadGiB: 0 };

interface Case {
  readonly model?: ModelFacts;
  readonly release?: string;
  readonly quantities?: StatedQuantities;
}

function deviceOf(
  extras: Partial<ServedExtras>,
  { model = smallLlama, release = '0.19.0', quantities }: Case = {},
): DeviceEstimate {
  const framework = { id: frameworkIdOf('vllm'), name: 'vllm', version: release, libraries: {} };
  const stated = { task: 'infer', loadDtype: 'bf16', seqLen: 2048, ...quantities } as const;
  const details = { memoryShare: 0.9, servedExtras: { ...NOTHING, ...extras } };
  const result = estimateRun(statedRun('run', framework, stated, details), model, CARD);
  assert.ok(result.ok, result.ok ? '' : result.missing.join(', '));
  return result.estimate.devices[0] ?? assert.fail('no device');
}

const bytesOf = ({ terms }: DeviceEstimate, name: string): number =>
  terms.find(({ term }) => term === name)?.bytes ?? 0;

const cacheOf = ({ served }: DeviceEstimate): number => served?.cacheBytes ?? assert.fail('no server');

const drafter = (kind: ServedDrafter['kind'], model: string | null = null): Partial<ServedExtras> => ({
  drafter: { kind, model, tensorRanks: null },
});

const catalog = new ModelCatalog(
  JSON.parse(readFileSync('src/core/data/models.json', 'utf8')) as CatalogData,
);
const llama = catalog.find('meta-llama/Meta-Llama-3-8B') ?? assert.fail('no Llama');

describe('memory: what a server holds next to its model', () => {
  it('has room for adapters: the parameters that PEFT prints, and those of the words', () => {
    // “trainable params: 41,943,040” with r=16 on all linear layers of Llama 3 8B.
    const words = 2 * 16 * (llama.vocabSize + llama.hiddenSize);
    const room = { adapters: { slots: 4, rank: 16, isSharded: false } };
    assert.equal(bytesOf(deviceOf(room, { model: llama }), 'adapters'), 4 * 2 * (41_943_040 + words));
    const before = cacheOf(deviceOf({}, { model: llama }));
    const lost = before - cacheOf(deviceOf(room, { model: llama }));
    assert.ok(Math.abs(lost - 4 * 2 * (41_943_040 + words)) < 4 * MIB);
  });

  it('takes that room on top of the share up to 0.7, where the profile misses it', () => {
    const room = { adapters: { slots: 8, rank: 64, isSharded: false } };
    const [without, adapted] = [deviceOf({}, { release: '0.7.3' }), deviceOf(room, { release: '0.7.3' })];
    assert.equal(cacheOf(adapted), cacheOf(without));
    assert.ok(adapted.device.expected > without.device.expected);
  });

  it('shares of adapters only the side that the layer splits, or all of it if told so', () => {
    const parallel = { tensor: 4, context: 1, pipeline: 1, expert: 1, dataShard: null, dataReplicate: null };
    const of = (isSharded: boolean, quantities: StatedQuantities = {}): number =>
      bytesOf(
        deviceOf({ adapters: { slots: 1, rank: 64, isSharded } }, { model: llama, quantities }),
        'adapters',
      );
    const [alone, usual, sharded] = [of(false), of(false, { parallel }), of(true, { parallel })];
    assert.ok(sharded < usual && usual < alone);
    assert.ok(usual > alone / 4 && sharded > alone / 4, 'words are on every rank');
  });

  it('knows no size of a draft that is called after the model it drafts for', () => {
    const [alone, drafted] = [
      deviceOf({}, { model: llama }),
      deviceOf(drafter('model', 'a/b-8B-assistant'), {
        model: { ...llama, drafter: { ...llama, id: 'a/b-8B-assistant' } },
      }),
    ];
    assert.equal(bytesOf(drafted, 'weights'), bytesOf(alone, 'weights'));
  });

  it('loads a draft model, and keeps its keys and values in the same blocks', () => {
    const draft = { ...llama, drafter: smallLlama };
    const [alone, drafted] = [
      deviceOf({}, { model: draft }),
      deviceOf(drafter('model', 'a/b'), { model: draft }),
    ];
    const weights = 2 * (smallLlama.parameters?.total ?? 0);
    assert.ok(Math.abs(bytesOf(drafted, 'weights') - bytesOf(alone, 'weights') - weights) < MIB);
    const perToken = (device: DeviceEstimate): number => cacheOf(device) / (device.served?.tokens ?? 1);
    const each = 2 * smallLlama.layers * 2 * smallLlama.kvHeads * smallLlama.headDim;
    assert.ok(Math.abs(perToken(drafted) - perToken(alone) - each) < 1);
  });

  it('takes a draft of unknown size by its name, or says that it is not counted and fits less surely', () => {
    const named = deviceOf(drafter('model', 'someone/Draft-0.5B'), { model: llama });
    assert.ok(Math.abs(bytesOf(named, 'weights') / GIB - 2 * (8.03 + 0.5) * (1e9 / GIB)) < 0.1);
    assert.equal(named.verdict, 'fits');
    assert.equal(deviceOf(drafter('model', 'someone/draft'), { model: llama }).verdict, 'tight');
    assert.equal(deviceOf(drafter('other', 'someone/medusa'), { model: llama }).verdict, 'tight');
  });

  it('adds a layer for EAGLE and for next tokens', () => {
    const tokens = (extras: Partial<ServedExtras>): number =>
      deviceOf(extras, { model: llama }).served?.tokens ?? 0;
    const alone = tokens({});
    for (const kind of ['eagle', 'eagle3', 'mtp'] as const) {
      const lost = 1 - tokens(drafter(kind)) / alone;
      // One layer more of 32 in each token, and its weights: below 1 GiB of 52.
      assert.ok(lost > 1 / 33 && lost < 1 / 33 + 0.025, `${kind}: ${lost}`);
    }
  });

  it('captures graphs with adapters and without since 0.11.1', () => {
    const graphs = (extras: Partial<ServedExtras>, release: string): number =>
      deviceOf(extras, { model: llama, release }).served?.graphsBytes ?? 0;
    const adapters = { slots: 1, rank: 8, isSharded: false };
    assert.equal(graphs({ adapters }, '0.11.0'), graphs({}, '0.11.0'));
    const more = graphs({ adapters }, '0.11.1') / graphs({}, '0.11.1');
    assert.ok(more > 1.5 && more < 2, String(more));
  });

  it('keeps a window of layers with one, unless it is told to treat all alike', () => {
    const model: ModelFacts = { ...llama, modelType: 'gpt_oss', slidingWindow: 128 };
    const quantities = { seqLen: 32_768 } as const;
    const atOnce = (extras: Partial<ServedExtras>): number =>
      deviceOf(extras, { model, quantities }).served?.sequences ?? 0;
    assert.ok(atOnce({}) > 1.5 * atOnce({ ignoresWindows: true }));
    const former = deviceOf({}, { model, quantities, release: '0.9.0' }).served;
    const since = deviceOf({}, { model, quantities, release: '0.9.1' }).served;
    assert.equal(former?.tokens, since?.tokens);
    const counted = deviceOf({}, { model, quantities, release: '0.21.0' });
    const { formula = '' } = counted.terms.find(({ term }) => term === 'kv cache') ?? {};
    assert.ok(
      formula.startsWith(formatCount(counted.served?.tokens ?? 0)),
      'as the log of the release counts',
    );
    assert.ok((since?.sequences ?? 0) > 1.5 * (former?.sequences ?? 0), 'v1/core/kv_cache_utils.py, 0.9.1');
  });

  it('keeps weights of layers on the host, never more than they are', () => {
    const [all, some] = [deviceOf({}, { model: llama }), deviceOf({ offloadGiB: 4 }, { model: llama })];
    assert.ok(Math.abs(bytesOf(all, 'weights') - bytesOf(some, 'weights') - 4 * GIB) < MIB);
    assert.ok(Math.abs(cacheOf(some) - cacheOf(all) - 4 * GIB) < 4 * MIB);
    const most = deviceOf({ offloadGiB: 400 }, { model: llama });
    const words = 2 * 2 * llama.vocabSize * llama.hiddenSize;
    assert.ok(Math.abs(bytesOf(most, 'weights') - words) < 100 * MIB);
  });
});
