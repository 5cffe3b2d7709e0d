import assert from 'node:assert/strict';
import { segformer } from '../../../src/core/memory/architectures/segformer';
import { play } from '../../../src/core/memory/timeline';
import { imageModel } from '../../../src/core/models/imageModels';
import { fixture, memoryRun, modelOf, trainedIn } from './support';
import type { RunChanges } from './support';

interface Run extends Required<Pick<RunChanges, 'weightDtype' | 'autocast' | 'attention' | 'checkpointing'>> {
  readonly batch: number;
  readonly sizes: string;
  readonly bytes: Readonly<Record<string, number>>;
}

const IMAGE = { channels: 3, height: 512, width: 512 };

const facts = (name: string) => {
  const model = imageModel(name);
  assert.ok(model, name);
  return model;
};

describe('memory: SegFormer', () => {
  // transformers 5.23 on fake tensors: forward, backward and AdamW over two images of 512 × 512.
  for (const { sizes, bytes, batch, ...run } of fixture('segformers') as readonly Run[]) {
    const { autocast, weightDtype, attention, checkpointing } = run;
    it(`${[sizes, autocast ?? weightDtype, attention, checkpointing].join(', ')}: to the byte`, () => {
      const model = facts(`nvidia/segformer-${sizes}-finetuned-ade-512-512`);
      const { phases } = play(
        segformer,
        memoryRun({ ...run, rows: batch, model, head: 'segmenter', tokens: 1, image: IMAGE }),
      );
      const peaks = new Map<string, number>(phases.map(({ phase, peak }) => [phase, peak.bytes]));
      assert.deepEqual(Object.fromEntries(Object.keys(bytes).map(phase => [phase, peaks.get(phase)])), bytes);
    });
  }

  it('has as many parameters as its checkpoints', () => {
    const counts = [3_752_694, 13_715_798, 27_461_974, 47_337_814];
    counts.forEach((count, size) => {
      const model = facts(`nvidia/segformer-b${size}-finetuned-ade-512-512`);
      const run = memoryRun({ model, head: 'segmenter', tokens: 1, image: IMAGE, rows: 1 });
      assert.equal(trainedIn(play(segformer, run)), count);
    });
  });

  it('is read from a config.json, and from the names of mmseg', () => {
    const config = modelOf({
      model_type: 'segformer',
      depths: [3, 4, 6, 3],
      id2label: { 0: 'a', 1: 'b', 2: 'c' },
    });
    assert.deepEqual([config.extra['num_labels'], config.extra['sr_ratios']], [3, [8, 4, 2, 1]]);
    const { extra } = facts('segformer_mit-b3_8xb2-160k_ade20k-512x512');
    assert.deepEqual(
      [extra['decoder_hidden_size'], extra['num_labels'], extra['image_width']],
      [256, 150, 512],
    );
    assert.equal(imageModel('segformer-b9'), null);
  });
});
