import assert from 'node:assert/strict';
import { hostOf } from '../../../src/core/memory/machine/estimate';
import type { HostEstimate, HostTerm } from '../../../src/core/memory/estimate';
import type { ZeroSharded } from '../../../src/core/memory/sharding';
import { statedRun } from '../../eval/accuracy/stated';
import type { StatedQuantities } from '../../eval/accuracy/stated';
import { memoryRun, smallLlama } from './support';
import type { RunChanges } from './support';

const P = smallLlama.parameters!.total;
const spec = (quantities: StatedQuantities = {}) =>
  statedRun('host', { id: null, name: 'test', version: null }, { task: 'sft', ...quantities }, {});
const of = (changes: RunChanges, quantities?: StatedQuantities): HostEstimate => {
  const host = hostOf(spec(quantities), memoryRun(changes), null);
  assert.ok(host);
  return host;
};
const term = ({ terms }: HostEstimate, name: HostTerm['term']) =>
  terms.find(one => one.term === name)?.bytes ?? null;

const zero = (changes: Partial<ZeroSharded> = {}): RunChanges => ({
  replicas: 4,
  sharding: {
    kind: 'zero',
    stage: 3,
    ranks: 4,
    compute: 'bf16',
    offloadsParameters: true,
    offloadsOptimizer: true,
    reduceBucket: 1000,
    reduceBuffers: 1,
    prefetchBucket: 1000,
    liveElements: 1000,
    subGroup: 1000,
    ...changes,
  },
});

describe('memory: the machine beside its GPUs', () => {
  it('has the weights once for each process while they are loaded', () => {
    assert.equal(term(of({}), 'weights while loading')?.expected, P * 2);
    assert.equal(term(of({ replicas: 4 }), 'weights while loading')?.expected, 4 * P * 2);
    assert.equal(term(of({ replicas: 4 }, { nodes: 2 }), 'weights while loading')?.expected, 2 * P * 2);
  });

  it('has what DeepSpeed says of offloaded states and parameters, per machine', () => {
    // estimate_zero3_model_states_mem_needs: 18 bytes per parameter, times 1.5 for buffers.
    const both = term(of(zero()), 'offloaded');
    assert.deepEqual(both, { low: P * 14, expected: P * 18, high: P * 27 });
    assert.equal(term(of(zero(), { nodes: 2 }), 'offloaded')?.expected, P * 9);
    assert.equal(term(of(zero({ offloadsParameters: false })), 'offloaded')?.expected, P * 16);
  });

  it('has nothing of what goes to NVMe', () => {
    const offload = { param: 'nvme', optimizer: 'nvme' } as const;
    assert.equal(term(of(zero(), { offload }), 'offloaded'), null);
  });

  it('has batches for each worker', () => {
    // A quantized model moves to the device tensor by tensor: training takes the most.
    const quantized = of({ quantization: 'nf4' }, { numWorkers: 4 });
    assert.equal(quantized.phase, 'training');
    assert.equal(term(quantized, 'prefetched batches')?.expected, 4 * 2 * (2 * 128 * 3 * 8));
  });

  it('is not known where the model size is not', () => {
    const model = { ...smallLlama, parameters: null };
    assert.equal(hostOf(spec(), memoryRun({ model }), null), null);
  });

  it('takes the machine of the target as its limit', () => {
    const target = {
      name: 'A',
      totalMiB: 1,
      usableMiB: 1,
      busyMiB: 0,
      gpu: null,
      count: 1,
      nodes: 1,
      kind: 'present',
      hostMiB: 64,
    } as const;
    assert.equal(hostOf(spec(), memoryRun(), target)?.capacityBytes, 64 * 2 ** 20);
  });

  it("has a checkpoint's states where one process has the GPU; several read them right onto theirs", () => {
    const alone = of({ resumes: true });
    assert.equal(term(alone, 'checkpoint')?.expected, P * 4);
    const four = of({ resumes: true, replicas: 4 });
    assert.equal(four.bytes.expected - (term(four, 'processes')?.expected ?? 0), 4 * P * 2);
  });

  it('has the whole model where adapters are merged on it', () => {
    const lora = {
      r: 8,
      dropout: 0,
      targets: 'all-linear',
      modulesToSave: [],
      dtype: 'fp32',
      method: null,
      experts: null,
    } as const;
    const host = of({ merges: 'cpu', task: 'load', lora });
    assert.equal(host.phase, 'merge');
    assert.equal(term(host, 'weights while loading')?.expected, P * 2);
  });
});
