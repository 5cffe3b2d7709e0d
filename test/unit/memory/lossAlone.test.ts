import assert from 'node:assert/strict';
import { lossAlone } from '../../eval/accuracy/lossAlone';
import type { LossCode } from '../../../src/core/memory/frameworks/behavior/behavior';
import { play } from '../../../src/core/memory/timeline';
import { memoryRun, modelOf } from './support';

const TORCH: LossCode = { kind: 'cross-entropy', upcast: 'never', shift: 'labels', kernel: 'torch' };
const LIGER: LossCode = { kind: 'fused linear', upcast: false };

const [rows, vocabulary, width] = [16384, 4096, 512];

function peak(loss: LossCode, withHead: boolean, gradAccum: number): number {
  const plain = modelOf({ model_type: 'llama', vocab_size: vocabulary, hidden_size: width });
  const model = { ...plain, modelType: 'loss_alone', extra: { with_head: withHead } };
  const base = memoryRun({
    model,
    rows: 8,
    tokens: rows / 8,
    weightDtype: 'fp32',
    gradAccum,
    optimizer: null,
  });
  const run = { ...base, behavior: { ...base.behavior, loss } };
  return Math.max(...play(lossAlone, run).phases.map(({ peak: { bytes } }) => bytes));
}

describe('memory: a loss by itself', () => {
  const logits = rows * vocabulary * 4;
  const labels = rows * 8 * 2;

  it('holds logits five times where gradients stay from the pass before: Liger-Kernel measured 1280 for 256 MiB', () => {
    assert.ok(Math.abs(peak(TORCH, false, 2) - 5 * logits) < 2 * labels);
  });

  it('holds them once where they become their own gradient: 256.3 for 256 MiB', () => {
    assert.ok(Math.abs(peak(LIGER, false, 1) - logits) < 4 * labels);
  });

  it('with a head makes its gradient beside the one that is there, and both candidates have a head', () => {
    const head = vocabulary * width * 4;
    const chunk = 2 ** Math.ceil(Math.log2(rows / (vocabulary / width))) * vocabulary * 4;
    const parts = 4 * head + 3 * rows * width * 4 + chunk;
    const found = peak(LIGER, true, 2);
    assert.ok(found > parts && found < parts + 2 * chunk, `${found} for ${parts}`);
  });
});
