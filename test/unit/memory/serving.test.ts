import assert from 'node:assert/strict';
import { frameworkIdOf } from '../../../src/core/spec/frameworkId';
import type { Target } from '../../../src/core/hardware/gpu';
import type { DeviceEstimate } from '../../../src/core/memory/estimate';
import { estimateRun } from '../../../src/core/memory/estimateRun';
import type { RunSpec } from '../../../src/core/spec/runSpec';
import { statedRun } from '../../eval/accuracy/stated';
import type { StatedDetails, StatedQuantities } from '../../eval/accuracy/stated';
import { modelOf, smallLlama } from './support';

const MIB = 2 ** 20;
/** Key and value bytes per token of the small Llama: 4 layers, 2 heads of 64, bf16. */
const PER_TOKEN = 2 * 4 * 2 * 64 * 2;

const KERNELS = 256 * MIB;

const BERT = {
  model_type: 'bert',
  hidden_size: 256,
  intermediate_size: 1024,
  num_hidden_layers: 4,
  num_attention_heads: 4,
  vocab_size: 1024,
};

const card = (totalMiB: number): Target => ({
  name: `${totalMiB} MiB`,
  totalMiB,
  usableMiB: totalMiB - 100,
  busyMiB: 0,
  gpu: null,
  count: 1,
  nodes: 1,
  kind: 'planned',
});

function served(engine: string, quantities: StatedQuantities = {}, details: StatedDetails = {}): RunSpec {
  const stated = { task: 'infer', loadDtype: 'bf16', seqLen: 2048, ...quantities } as const;
  return statedRun(
    'run',
    { id: frameworkIdOf(engine), name: engine, version: null, libraries: {} },
    stated,
    details,
  );
}

function deviceOf(run: RunSpec, target: Target): DeviceEstimate {
  const result = estimateRun(run, smallLlama, target);
  assert.ok(result.ok, result.ok ? '' : result.missing.join(', '));
  const [device] = result.estimate.devices;
  assert.ok(device);
  return device;
}

const cacheOf = (device: DeviceEstimate): number =>
  device.terms.find(({ term }) => term === 'kv cache')?.bytes ?? 0;

describe('memory: serving engines', () => {
  it('vLLM keeps nothing for an encoder since 0.10.1, whatever its share is (vllm pull 21270)', () => {
    const encoder = modelOf({ ...BERT, max_position_embeddings: 2048 });
    const at = (version: string, memoryShare: number): DeviceEstimate => {
      const run = served('vllm', {}, { memoryShare });
      const result = estimateRun({ ...run, framework: { ...run.framework, version } }, encoder, card(8192));
      assert.ok(result.ok, result.ok ? '' : result.missing.join(', '));
      const [device] = result.estimate.devices;
      assert.ok(device);
      return device;
    };
    for (const share of [0.01, 0.5]) {
      const device = at('0.10.1', share);
      assert.equal(device.verdict, 'fits');
      assert.equal(device.served, undefined);
      assert.equal(cacheOf(device), 0);
      assert.equal(device.terms.find(({ term }) => term === 'logits and loss')?.bytes ?? 0, 0);
    }
    assert.equal(at('0.9.1', 0.01).verdict, 'exceeds');
  });

  it('vLLM keeps the blocks of a GGUF file, which are not 16 bits each', () => {
    const missing = (id: string): readonly string[] => {
      const result = estimateRun(served('vllm', {}, { memoryShare: 0.5 }), { ...smallLlama, id }, card(8192));
      return result.ok ? [] : result.missing;
    };
    assert.deepEqual(missing('/models/small-q4_k_m.gguf'), ['memory of GGUF weights']);
    assert.deepEqual(missing('someone/Small-GGUF'), ['memory of GGUF weights']);
    assert.deepEqual(missing('/models/small-f16.gguf'), []);
    assert.deepEqual(missing('someone/Small'), []);
  });

  it('vLLM fills its share of the GPU, and says for how many tokens', () => {
    const device = deviceOf(served('vllm', {}, { memoryShare: 0.5 }), card(8192));
    const context = device.terms.find(({ term }) => term === 'cuda context')?.bytes ?? 0;
    // The share is of what CUDA sees; the context was there before the engine looked, the kernels came after it.
    const part = 0.5 * (8192 - 100) * MIB + context - KERNELS;
    assert.ok(Math.abs(device.device.expected - part) < 16 * MIB, `${device.device.expected / MIB}`);
    assert.equal(cacheOf(device) % (16 * PER_TOKEN), 0, 'whole blocks of 16 tokens');
    const row = device.terms.find(({ term }) => term === 'kv cache')?.formula ?? '';
    assert.match(row, /tokens, .* sequences of 2048: what gpu-memory-utilization 0\.5 leaves/);
  });

  it('a larger share is all cache', () => {
    const of = (memoryShare: number): number =>
      cacheOf(deviceOf(served('vllm', {}, { memoryShare }), card(8192)));
    assert.ok(Math.abs(of(0.75) - of(0.5) - 0.25 * (8192 - 100) * MIB) <= 16 * PER_TOKEN);
  });

  it("SGLang's share holds weights and cache, and activations come beside it", () => {
    const share = { memoryShare: 0.5 };
    const sglang = deviceOf(served('sglang', {}, share), card(8192));
    assert.ok(sglang.device.expected > 0.5 * 8192 * MIB);
  });

  it('TGI leaves a tenth free', () => {
    const device = deviceOf(served('tgi'), card(8192));
    assert.ok(Math.abs(device.device.expected - 0.9 * 8192 * MIB) < 16 * MIB);
  });

  it('does not fit where the cache cannot hold one sequence of the promised length', () => {
    const small = { memoryShare: 0.1 };
    assert.equal(deviceOf(served('vllm', {}, small), card(8192)).verdict, 'fits');
    assert.equal(deviceOf(served('vllm', { seqLen: 2 ** 20 }, small), card(8192)).verdict, 'exceeds');
  });

  it('names what it lacks', () => {
    const alone = estimateRun(served('vllm'), smallLlama, null);
    assert.ok(!alone.ok);
    assert.deepEqual(alone.missing, ['the GPU: vLLM takes a share of its memory']);
    const open = { value: null, origin: { kind: 'unresolved', why: 'it changes the share' } } as const;
    const run = served('sglang');
    const unsaid = estimateRun(
      { ...run, details: { ...run.details, memoryShare: open } },
      smallLlama,
      card(8192),
    );
    assert.ok(!unsaid.ok);
    assert.deepEqual(unsaid.missing, ['mem-fraction-static: SGLang finds its own otherwise']);
  });

  it('says the share that SGLang computes where no key states one', () => {
    const found = estimateRun(served('sglang'), smallLlama, card(81_559));
    assert.ok(found.ok);
    assert.ok(found.estimate.assumptions.some(text => text.startsWith('mem-fraction-static is 0.8')));
  });
});

describe('memory: inference beside generation', () => {
  const inference = (task: string, quantities: StatedQuantities = {}): RunSpec =>
    served('transformers', { task, microBatchSize: 4, seqLen: 128, ...quantities }, { paddedRows: false });
  const allocated = (run: RunSpec): number => deviceOf(run, card(8192)).allocated.expected;

  it('loading takes the weights and nothing else', () => {
    const { phases, terms } = deviceOf(inference('load'), card(8192));
    assert.deepEqual(
      phases.map(({ phase }) => phase),
      ['load'],
    );
    assert.ok(!terms.some(({ term }) => term === 'activations' || term === 'kv cache'));
  });

  it('a decoder that embeds keeps keys and values, and makes no logits', () => {
    const { terms } = deviceOf(inference('embed'), card(8192));
    const names = terms.map(({ term }) => term);
    assert.ok(names.includes('kv cache'));
    assert.ok(!names.includes('logits and loss'));
  });

  it('two GPUs hold half the weights each, and the hidden states of a layer whole', () => {
    const halves = { tensor: 1, context: 1, pipeline: 2, expert: 1, dataShard: null, dataReplicate: null };
    const one = allocated(inference('infer'));
    const two = allocated(inference('infer', { parallel: halves }));
    assert.ok(two > one / 2 && two < one);
  });
});
