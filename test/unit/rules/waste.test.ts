import assert from 'node:assert/strict';
import { axolotl, judge } from '../core/support';
import { assertBrief } from '../brief';
import type { Finding } from '../../../src/core/rules/rule';

/** The findings of a config's run on a GPU, with estimates and times. */
async function findingsOfRun(text: string, gpu: string): Promise<readonly Finding[]> {
  const { runs } = await judge({ 'config.yaml': text }, gpu);
  const found = runs.flatMap(({ findings }) => findings);
  for (const { message } of found) assertBrief(message);
  return found;
}

interface Case {
  readonly rule: string;
  readonly title: string;
  readonly text: string;
  readonly gpu?: string;
  /** The keys that the first fix sets; null: silent. */
  readonly sets: Readonly<Record<string, unknown>> | null;
}

const TINY = { micro_batch_size: 1, gradient_accumulation_steps: 8, sequence_len: 2048 };

const trainer = (keys: string): string =>
  `model_name_or_path: meta-llama/Llama-3.1-8B\noutput_dir: out\nper_device_train_batch_size: 1\nlearning_rate: 1.0e-5\n${keys}`;

const small = (keys: string): string => trainer(keys).replace('3.1-8B', '3.2-1B');

const lora = (keys: string): string =>
  trainer(`use_peft: true\nlora_r: 16\nlora_alpha: 32\npacking: true\nmax_length: 2048\n${keys}`);

const pictures = (keys: string): string =>
  `model_name_or_path: google/vit-base-patch16-224\noutput_dir: out\nper_device_train_batch_size: 64\nlearning_rate: 1.0e-5\nbf16: true\n${keys}`;

const ALPACA = 'datasets:\n  - path: yahma/alpaca-cleaned\n    type: alpaca\n';

const timm = (keys: string): string =>
  `model: resnet18\nbatch_size: 256\nimg_size: 224\nopt: sgd\namp: true\nmodel_ema: false\nsched: cosine\nsmoothing: 0.1\nreprob: 0.0\ndata_dir: data\nnum_classes: 1000\nworkers: 8\n${keys}`;

const llamafactory = (keys: string): string =>
  `model_name_or_path: meta-llama/Llama-3.2-1B\nstage: sft\ndo_train: true\nfinetuning_type: lora\nlora_target: all\ndataset: own\ntemplate: llama3\ncutoff_len: 2048\nper_device_train_batch_size: 8\ngradient_accumulation_steps: 1\nbf16: true\noutput_dir: out\n${keys}`;

const foundry = (keys: string): string =>
  `variables:\n  max_seq_len: 1024\nmax_seq_len: 1024\nmodel:\n  name: hf_causal_lm\n  pretrained_model_name_or_path: gpt2\ntrain_loader:\n  name: text\n  dataset:\n    max_seq_len: 1024\noptimizer:\n  name: decoupled_adamw\nglobal_train_batch_size: 8\ndevice_train_microbatch_size: 8\nmax_duration: 100ba\n${keys}`;

const cases: readonly Case[] = [
  {
    rule: 'unneeded-checkpointing',
    title: 'a run that fits without it',
    text: axolotl({ ...TINY, gradient_checkpointing: true }),
    sets: { gradient_checkpointing: false },
  },
  {
    rule: 'unneeded-checkpointing',
    title: 'a run that needs it',
    text: axolotl({ ...TINY, micro_batch_size: 8, sequence_len: 8192, gradient_checkpointing: true }),
    gpu: 'H100 SXM',
    sets: null,
  },
  {
    rule: 'unneeded-checkpointing',
    title: 'a model of which only the name is known',
    text: axolotl({ ...TINY, base_model: 'somebody/other-8B', gradient_checkpointing: true }),
    sets: null,
  },
  {
    rule: 'small-micro-batch',
    title: 'an eighth of the memory is used',
    text: axolotl({ ...TINY, gradient_checkpointing: true }),
    sets: { micro_batch_size: 8, gradient_accumulation_steps: 1 },
  },
  {
    rule: 'small-micro-batch',
    title: 'no accumulation to lower',
    text: axolotl({ ...TINY, gradient_accumulation_steps: 1, gradient_checkpointing: true }),
    sets: null,
  },
  {
    rule: 'small-micro-batch',
    title: 'half of the memory is used',
    text: axolotl({ ...TINY, gradient_checkpointing: true }),
    gpu: 'A40',
    sets: null,
  },
  {
    rule: 'fp32-compute',
    title: 'no key of 16 bits',
    text: lora('bf16: false\n'),
    sets: { bf16: true },
  },
  { rule: 'fp32-compute', title: 'bf16', text: lora('bf16: true\n'), gpu: 'B200', sets: null },
  { rule: 'fp32-compute', title: 'TF32', text: lora('bf16: false\ntf32: true\n'), gpu: 'B200', sets: null },
  {
    rule: 'fp32-compute',
    title: 'a GPU without bf16',
    text: lora('bf16: false\n'),
    gpu: 'V100-32GB',
    sets: null,
  },
  {
    rule: 'fp32-compute',
    title: 'a smaller run on a GPU without bf16',
    text: small('use_peft: true\nbf16: false\npacking: true\nmax_length: 512\n'),
    gpu: 'V100-32GB',
    sets: { fp16: true },
  },
  {
    rule: 'fp32-compute',
    title: 'a trainer whose only words are of autocast',
    text: foundry('precision: fp32\n'),
    gpu: 'H100 SXM',
    sets: { precision: 'amp_bf16' },
  },
  {
    rule: 'eager-attention',
    title: 'a model without a cap',
    text: lora('bf16: true\nattn_implementation: eager\n'),
    sets: { attn_implementation: 'sdpa' },
  },
  {
    rule: 'eager-attention',
    title: 'a model without SDPA',
    text: lora('bf16: true\nattn_implementation: eager\n').replace(
      'meta-llama/Llama-3.1-8B',
      'EleutherAI/gpt-neo-1.3B',
    ),
    sets: null,
  },
  {
    rule: 'eager-attention',
    title: 'a model that caps its scores',
    text: lora('bf16: true\nattn_implementation: eager\n').replace(
      'meta-llama/Llama-3.1-8B',
      'google/gemma-2-9b',
    ),
    sets: null,
  },
  {
    rule: 'frequent-saving',
    title: 'every second step',
    text: small('bf16: true\npacking: true\nmax_length: 2048\nsave_steps: 2\n'),
    sets: { save_steps: 4640 },
  },
  {
    rule: 'frequent-saving',
    title: 'a run that ends before its second save',
    text: small('bf16: true\npacking: true\nmax_length: 2048\nsave_steps: 2\nmax_steps: 3\n'),
    sets: null,
  },
  {
    rule: 'frequent-saving',
    title: 'every thousandth step',
    text: small('bf16: true\npacking: true\nmax_length: 2048\nsave_steps: 1000\n'),
    sets: null,
  },
  {
    rule: 'frequent-evaluation',
    title: 'a fifth of the rows, ten times an epoch',
    text: axolotl({ ...TINY, val_set_size: 0.2, evals_per_epoch: 10 }),
    sets: { evals_per_epoch: 1 },
  },
  {
    rule: 'frequent-evaluation',
    title: 'a twentieth of the rows',
    text: axolotl({ ...TINY, val_set_size: 0.05, evals_per_epoch: 4 }),
    sets: null,
  },
  {
    rule: 'frequent-evaluation',
    title: 'by steps, of as many rows as the config says',
    text: llamafactory('max_samples: 1000\nval_size: 0.1\neval_strategy: steps\neval_steps: 10\n'),
    sets: { eval_steps: 90 },
  },
  {
    rule: 'padding-waste',
    title: 'rows of public data, whose lengths are published',
    text: `${axolotl({ ...TINY, micro_batch_size: 8, sample_packing: false })}${ALPACA}`,
    sets: { sample_packing: true },
  },
  {
    rule: 'padding-waste',
    title: 'one row at once',
    text: `${axolotl({ ...TINY, sample_packing: false })}${ALPACA}`,
    sets: null,
  },
  {
    rule: 'no-prefetch',
    title: 'photos that are copied in the loop',
    text: timm('no_prefetcher: true\n'),
    gpu: 'H100 SXM',
    sets: { no_prefetcher: false },
  },
  { rule: 'no-prefetch', title: 'as timm has it', text: timm(''), gpu: 'H100 SXM', sets: null },
  {
    rule: 'unpinned-batches',
    title: 'photos as bytes',
    text: timm('pin_mem: false\n'),
    gpu: 'H100 SXM',
    sets: { pin_mem: true },
  },
  {
    rule: 'unpinned-batches',
    title: 'photos that are copied in the loop anyway',
    text: timm('pin_mem: false\nno_prefetcher: true\n'),
    gpu: 'H100 SXM',
    sets: null,
  },
  {
    rule: 'frequent-evaluation',
    title: 'by steps, of rows that nobody counted',
    text: axolotl({ ...TINY, val_set_size: 0.2, eval_steps: 10 }),
    sets: null,
  },
  {
    rule: 'padded-to-limit',
    title: 'rows that are not packed',
    text: axolotl({ ...TINY, sequence_len: 8192, sample_packing: false, pad_to_sequence_len: true }),
    sets: { pad_to_sequence_len: false },
  },
  {
    rule: 'padded-to-limit',
    title: 'rows so short that the host is slower than the GPU',
    text: axolotl({ ...TINY, sequence_len: 512, sample_packing: false, pad_to_sequence_len: true }),
    sets: null,
  },
  {
    rule: 'padded-to-limit',
    title: 'packed rows',
    text: axolotl({ ...TINY, sequence_len: 8192, sample_packing: true, pad_to_sequence_len: true }),
    sets: null,
  },
  {
    rule: 'no-workers',
    title: 'photos, by default none',
    text: pictures(''),
    gpu: 'H100 SXM',
    sets: { dataloader_num_workers: 4 },
  },
  {
    rule: 'no-workers',
    title: 'photos with workers',
    text: pictures('dataloader_num_workers: 8\n'),
    gpu: 'H100 SXM',
    sets: null,
  },
  {
    rule: 'unpinned-batches',
    title: 'photos that are not pinned',
    text: pictures('dataloader_pin_memory: false\n'),
    gpu: 'H100 SXM',
    sets: { dataloader_pin_memory: true },
  },
  {
    rule: 'unpinned-batches',
    title: 'texts',
    text: lora('bf16: true\ndataloader_pin_memory: false\n'),
    gpu: 'H100 SXM',
    sets: null,
  },
];

describe('rules on wasted time', () => {
  for (const { rule, title, text, gpu = 'B200', sets } of cases) {
    it(`${rule}: ${title}`, async () => {
      const found = (await findingsOfRun(text, gpu)).find(one => one.rule === rule);
      if (sets === null) {
        assert.equal(found?.message, undefined);
        return;
      }
      assert.ok(found, 'silent');
      assert.equal(found.severity, 'hint');
      assert.match(found.message, /\d %/);
      const [fix] = found.remedies;
      const edits = Object.fromEntries(fix?.edits.map(({ path, to }) => [path, to]) ?? []);
      assert.deepEqual(edits, Object.fromEntries(Object.entries(sets).map(([key, to]) => [key, String(to)])));
    });
  }
});
