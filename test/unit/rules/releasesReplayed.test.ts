import assert from 'node:assert/strict';
import { judge } from '../core/support';

type Settings = Readonly<Record<string, string | number | boolean>>;

/** What is allocated at the peak of a run with a pin, in MB as the tables of transformers' documentation count. */
async function allocated(lines: Settings, pin: string): Promise<number> {
  const config = Object.entries({ ...PLAIN, ...lines }).map(([key, value]) => `${key}: ${value}\n`);
  const files = { 'config.yaml': config.join(''), 'requirements.txt': `${pin}\n` };
  const { runs } = await judge(files, 'H200');
  const device = runs[0]?.estimate?.devices[0] ?? assert.fail(pin);
  return device.allocated.expected / 1e6;
}

/** Weights and activations in fp16, as in the published benchmark. */
const PLAIN = {
  dataset_name: 'a/b',
  dtype: 'float16',
  bf16: false,
  fp16: false,
  gradient_checkpointing: false,
  output_dir: 'out',
};

/** Rows of one length, or pairs of rows that a reward model compares. */
const rows = (model: string, count: number, length: number) => ({
  model_name_or_path: model,
  per_device_train_batch_size: count,
  max_length: length,
  packing: true,
});
const pairs = (model: string, count: number, length: number) => ({
  model_name_or_path: model,
  per_device_train_batch_size: count / 2,
  max_length: length,
  center_rewards_coefficient: 0,
});

type Row = readonly [run: Settings, before: string, since: string, eager: number, sdpa: number];

/**
 * “Eager peak mem (MB)” and “SDPA peak mem (MB)” of docs/source/en/model_doc/*.md, measured on A100 (BERT), L40S (OPT),
 * RTX 3080 Ti (GPT-NeoX), RTX 2060 (ALBERT, DistilBERT) and T4 (Electra) without an optimizer: the difference counts.
 */
const TABLES: Readonly<Record<string, readonly Row[]>> = {
  'OPT, transformers 4.45 and 4.46': [
    [rows('facebook/opt-350m', 2, 2048), '4.45.2', '4.46.3', 30_572.058, 4750.55],
    [rows('facebook/opt-350m', 4, 1024), '4.45.2', '4.46.3', 17_427.842, 4750.55],
    [rows('facebook/opt-350m', 8, 512), '4.45.2', '4.46.3', 10_985.391, 4750.55],
  ],
  'GPT-NeoX, transformers 4.41 and 4.42': [
    [rows('EleutherAI/pythia-410m-deduped', 1, 2048), '4.41.2', '4.42.4', 13_484.1, 3882.01],
    [rows('EleutherAI/pythia-410m-deduped', 2, 1024), '4.41.2', '4.42.4', 8707.55, 3878.86],
    [rows('EleutherAI/pythia-410m-deduped', 4, 512), '4.41.2', '4.42.4', 6290.58, 3877.29],
  ],
  'BERT, transformers 4.40 and 4.41': [
    [pairs('google-bert/bert-base-uncased', 8, 512), '4.40.2', '4.41.2', 3629.401, 2134.262],
    [pairs('google-bert/bert-base-uncased', 16, 512), '4.40.2', '4.41.2', 6964.659, 3961.013],
  ],
  'ALBERT, transformers 4.44 and 4.45': [
    [pairs('albert/albert-base-v2', 8, 512), '4.44.2', '4.45.2', 2820.398, 2219.695],
  ],
  'DistilBERT, transformers 4.45 and 4.46': [
    [pairs('distilbert/distilbert-base-uncased', 8, 256), '4.45.2', '4.46.3', 983.45, 798.48],
  ],
  'Electra, transformers 4.57 and 5.0': [
    [pairs('google/electra-base-discriminator', 16, 256), '4.57.1', '5.0.0', 3318.753, 2564.827],
  ],
};

describe('published differences between releases of trainers', () => {
  for (const [title, table] of Object.entries(TABLES)) {
    it(`are replayed within 15 %: eager attention and SDPA of ${title}`, async () => {
      for (const [run, before, since, eager, sdpa] of table) {
        const [former, later] = [
          await allocated(run, `transformers==${before}`),
          await allocated(run, `transformers==${since}`),
        ];
        const error = (former - later) / (eager - sdpa) - 1;
        assert.ok(Math.abs(error) < 0.15, `${former} − ${later} for ${eager} − ${sdpa}: ${error}`);
      }
    });
  }

  it('are replayed within 15 %: completions’ logits at once, and in tiles (open-r1 issue 615)', async () => {
    // 46 GB less for 16 completions of 2,048 tokens with 151,936 words, with a kernel in the place of trl 0.16's loss.
    const grpo = {
      model_name_or_path: 'Qwen/Qwen2.5-7B',
      dtype: 'bfloat16',
      bf16: 'true',
      num_generations: 16,
      per_device_train_batch_size: 16,
      max_prompt_length: 256,
      max_completion_length: 2048,
      use_vllm: 'true',
      vllm_mode: 'server',
      gradient_checkpointing: 'true',
    };
    const [whole, tiled] = [await allocated(grpo, 'trl==0.16.0'), await allocated(grpo, 'trl==1.15.0')];
    assert.ok(Math.abs((whole - tiled) / 46_000 - 1) < 0.15, `${whole} − ${tiled}`);
  });

  it('concern stated releases only, and attention that the config leaves open', async () => {
    const opt = rows('facebook/opt-350m', 2, 2048);
    const stated = { ...opt, attn_implementation: 'sdpa' };
    const newest = await allocated(opt, 'numpy');
    assert.equal(
      await allocated(stated, 'transformers==4.45.2'),
      await allocated(opt, 'transformers==4.46.3'),
    );
    assert.ok(Math.abs((await allocated(opt, 'transformers==4.46.3')) / newest - 1) < 0.2);
  });

  it('follow torch, too: transformers takes SDPA with 2.1.1 or later', async () => {
    const opt = rows('facebook/opt-350m', 2, 2048);
    const [old, since] = [
      await allocated(opt, 'transformers==4.46.3\ntorch==2.0.1'),
      await allocated(opt, 'transformers==4.46.3\ntorch==2.1.2'),
    ];
    assert.ok(old > 4 * since, `${old} ${since}`);
  });
});
