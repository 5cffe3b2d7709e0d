import assert from 'node:assert/strict';
import { runOf } from './support';

/** The rows of a sample, or why they are unknown; undefined: nothing speaks of several. */
async function samplesOf(more: string, base = OWN): Promise<number | string | undefined> {
  const { sequencesPerSample } = (await runOf(base + more)).details;
  if (sequencesPerSample === undefined) return undefined;
  const { value, origin } = sequencesPerSample;
  return value ?? (origin.kind === 'unresolved' ? origin.why : origin.kind);
}

const OWN = `model_name: BAAI/bge-base-en-v1.5
batch_size: 64
max_seq_length: 512
learning_rate: 2e-5
optimizer: adamw
num_epochs: 1
`;
const HYDRA = `defaults: [_self_]
hydra: {run: {dir: out}}
trainer: {_target_: lightning.Trainer, accelerator: gpu, devices: 1}
data: {batch_size: 64}
`;
const LIGHTNING = `trainer: {accelerator: gpu, devices: 1, precision: 16-mixed, max_epochs: 3}
data: {class_path: own.Data, init_args: {batch_size: 64}}
model: {class_path: own.Model, init_args: {lr: 1e-4}}
`;

describe('rows of a sample in the programs of strangers', () => {
  it('are not frames where a sample is a text', async () => {
    assert.match(String(await samplesOf('vision: {num_frames: 8}\n')), /num_frames alone does not tell/);
  });

  it('are not asked for where nothing speaks of several', async () => {
    for (const base of [OWN, HYDRA, LIGHTNING]) assert.equal(await samplesOf('', base), undefined);
    assert.equal(await samplesOf('loss: cross_entropy\ndataset: imagenet\nmethod: lora\n'), undefined);
    // A backbone is not a method.
    assert.equal(await samplesOf('backbone: vit_base_dino\n'), undefined);
  });

  for (const [line, key] of [
    ['loss: MultipleNegativesRankingLoss', 'num_negatives'],
    ['loss_name: info_nce', 'num_negatives'],
    ['criterion: TripletMarginLoss', 'num_negatives'],
    ['method: simclr', 'num_views'],
    ['loss: NTXent', 'num_views'],
    ['algorithm: dino', 'num_views'],
    ['dataset: kinetics400', 'num_frames'],
    ['task: video_classification', 'num_frames'],
    ['algorithm: grpo', 'num_generations'],
  ] as const) {
    it(`are unknown with ${line}, and ${key} would state them`, async () => {
      for (const base of [OWN, HYDRA, LIGHTNING]) {
        assert.match(String(await samplesOf(`${line}\n`, base)), new RegExp(`^no key states ${key}; `));
      }
    });
  }

  it('are what a key states, wherever it stands', async () => {
    assert.equal(await samplesOf('loss: info_nce\npairs: {n_negatives: 7}\n', HYDRA), 9);
    assert.equal(await samplesOf('loss: info_nce\nnum_hard_negatives: 0\n', HYDRA), 2);
    assert.equal(await samplesOf('pairs: {train_group_size: 8}\n', HYDRA), 9);
    assert.equal(await samplesOf('method: simclr\naugmentation: {num_views: 2}\n', HYDRA), 2);
    assert.equal(await samplesOf('dataset: ucf101\nclip_len: 16\n', HYDRA), 16);
  });

  it('are unknown where a number does not tell, or two keys disagree', async () => {
    assert.match(String(await samplesOf('local_crops_number: 8\n', HYDRA)), /crops of several sizes/);
    assert.match(
      String(await samplesOf('algorithm: grpo\nnum_generations: 8\n', HYDRA)),
      /alone does not tell/,
    );
    assert.match(
      String(await samplesOf('num_views: 2\nother: {num_views: 4}\n', HYDRA)),
      /alone does not tell/,
    );
  });

  it('of one are one', async () => {
    assert.equal(await samplesOf('local_crops_number: 0\n', HYDRA), undefined);
    assert.equal(await samplesOf('num_frames: 1\n', HYDRA), 1);
  });
});
