import assert from 'node:assert/strict';
import { estimateRun } from '../../../src/core/memory/estimateRun';
import { statedRun } from '../../eval/accuracy/stated';
import { rtx4090 } from '../rules/facts';
import { smallLlama } from './support';

const TRAINED = {
  task: 'sft',
  method: 'full',
  loadDtype: 'bf16',
  optimizer: 'adamw_torch',
  gradAccum: 1,
} as const;

const framework = { id: 'transformers' as const, name: 'transformers', version: null, libraries: {} };

describe('memory: what a config leaves to others', () => {
  it('a batch of all GPUs is shared by as many as the target has', () => {
    const run = statedRun('run', framework, { ...TRAINED, globalBatchSize: 16, seqLen: 128 }, {});
    const result = estimateRun(run, smallLlama, { ...rtx4090, count: 8 });
    assert.ok(result.ok, result.ok ? '' : result.missing.join(', '));
    assert.ok(result.estimate.assumptions.includes('2 of the batch of 16 on each GPU'));
    assert.equal(result.estimate.devices[0]?.verdict, 'fits');
  });

  it('a batch that cannot be shared evenly has no estimate', () => {
    const run = statedRun('run', framework, { ...TRAINED, globalBatchSize: 16, seqLen: 128 }, {});
    assert.equal(estimateRun(run, smallLlama, { ...rtx4090, count: 3 }).ok, false);
  });

  it('rows that nothing limits are estimated at a common length, without a verdict', () => {
    const run = statedRun(
      'run',
      framework,
      { ...TRAINED, microBatchSize: 1, gpus: 1 },
      { unlimitedLength: true },
    );
    const result = estimateRun(run, smallLlama, rtx4090);
    assert.ok(result.ok, result.ok ? '' : result.missing.join(', '));
    assert.match(result.estimate.assumptions.join(), /nothing limits them/);
    assert.equal(result.estimate.devices[0]?.verdict, 'unknown');
  });

  it('rows whose length is not known are estimated at a common length, in a wide interval without a verdict', () => {
    const run = statedRun('run', framework, { ...TRAINED, microBatchSize: 1, gpus: 1 }, {});
    const result = estimateRun(run, smallLlama, rtx4090);
    assert.ok(result.ok, result.ok ? '' : result.missing.join(', '));
    assert.match(result.estimate.assumptions.join(), /rows of \d+ tokens: their length is not known/);
    const [device] = result.estimate.devices;
    assert.equal(device?.verdict, 'unknown');
    assert.ok(device.device.high >= 2 * device.device.expected);
    assert.ok(device.device.low <= device.device.expected / 2);
  });
});
