import assert from 'node:assert/strict';
import { NONE } from '../../../src/core/spec/maybe';
import { WEIGHTS } from '../../../src/core/memory/terms';
import { runOf } from '../dialects/support';
import { peakOf, playedLlama } from './support';

describe('memory: an average of the weights', () => {
  it('is as large as the weights, in every phase', () => {
    const [plain, averaged] = [playedLlama(), playedLlama({ averaged: true })];
    for (const phase of ['forward', 'backward', 'optimizer step'] as const) {
      const weights = peakOf(plain, phase, WEIGHTS);
      assert.equal(peakOf(averaged, phase, WEIGHTS), 2 * weights);
      assert.equal(peakOf(averaged, phase) - peakOf(plain, phase), weights);
    }
  });

  it('leaves what lies beside the model alone', () => {
    const beside = [
      { name: 'text encoder', dtype: 'bf16', parameters: 1000, bytes: 2000, dropped: false, encodes: NONE },
    ] as const;
    const one = peakOf(playedLlama({ otherModels: beside }), 'forward', WEIGHTS);
    const two = peakOf(playedLlama({ otherModels: beside, averaged: true }), 'forward', WEIGHTS);
    assert.equal(two - one, peakOf(playedLlama(), 'forward', WEIGHTS));
  });

  it('is read where a trainer keeps one', async () => {
    const yolo = await runOf(
      'task: detect\nmode: train\nmodel: yolo11m.pt\ndata: coco.yaml\nimgsz: 640\nbatch: 16\nlr0: 0.01\n',
    );
    assert.equal(yolo.details.averagedWeights?.value, true);
  });
});
