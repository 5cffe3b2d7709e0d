import assert from 'node:assert/strict';
import fc from 'fast-check';
import { stringify } from 'yaml';
import { couldBeOurs } from '../../../src/core/dialects/couldBe';
import { recognize } from '../../../src/core/dialects/recognise';
import { dialects } from '../../../src/core/dialects/registry';
import { bestScanScore, packed, unpacked } from '../../../src/core/dialects/engine/scan';
import { bestScore, signatureKeys } from '../../../src/core/dialects/engine/signature';
import { parseYaml } from '../../../src/core/yaml/parse';
import { read } from './support';
import { tries } from '../../tries';

function dialectOf(text: string): string | null {
  const { documents } = parseYaml(text);
  return documents[0] ? (recognize(documents[0])?.id ?? null) : null;
}

describe('recognition', () => {
  const cases: [title: string, text: string, dialect: string | null][] = [
    ['Axolotl by base_model and a batch', 'base_model: x\nmicro_batch_size: 2\n', 'axolotl'],
    [
      'not Axolotl by base_model and a rank',
      'base_model: x\nlora_r: 8\nlora_alpha: 16\nuse_qlora: true\n',
      null,
    ],
    ['not Axolotl by base_model alone', 'base_model: x\nmerge_method: ties\nslices: []\n', null],
    ['TRL', 'model_name_or_path: x\ndataset_name: y\nlearning_rate: 1\npacking: true\n', 'hf-trl'],
    [
      'TRL, whatever keys of both are added',
      'model_name_or_path: x\ndataset_name: y\nlearning_rate: 1\nlr_scheduler_type: cosine\nper_device_train_batch_size: 1\nbf16: true\n',
      'hf-trl',
    ],
    ['Hydra by the data of a run', '_target_: app.data.RowsDataModule\nbatch_size: 8\n', 'hydra'],
    ['no run in a dataset alone', '_target_: app.dataset.RowsDataset\ninput_csv_path: rows.csv\n', null],
    ['the Trainer', 'per_device_train_batch_size: 8\noutput_dir: o\n', 'hf-trainer'],
    ['the Trainer in a section', 'train:\n  per_device_train_batch_size: 8\n  output_dir: o\n', 'hf-trainer'],
    ['DeepSpeed', '{"zero_optimization":{"stage":3}}', 'deepspeed'],
    ['accelerate', 'distributed_type: FSDP\nnum_processes: 8\n', 'accelerate'],
    ['a stage of the guide', 'n_positives: 32\nn_negatives: 24\n', 'guide-training'],
    [
      'LLaMA-Factory',
      'model_name_or_path: x\nstage: sft\nfinetuning_type: lora\ntemplate: llama3\ncutoff_len: 2048\n' +
        'per_device_train_batch_size: 1\ngradient_accumulation_steps: 8\noutput_dir: o\nlearning_rate: 1.0e-4\n',
      'llamafactory',
    ],
    [
      'Open Instruct',
      'model_name_or_path: x\nuse_flash_attn: true\ntokenizer_name: x\nuse_slow_tokenizer: true\n' +
        'per_device_train_batch_size: 1\ngradient_accumulation_steps: 16\nlearning_rate: 5e-6\nwith_tracking: true\n',
      'open-instruct',
    ],
    ['LLaMA-Factory v1', 'model: x\ntrain_dataset: d\ndist_config: {name: fsdp2}\n', 'llamafactory-v1'],
    ['not LLaMA-Factory v1 by its data', 'model: {name: x}\ntrain_dataset: {path: d}\n', null],
    ['ms-swift', 'model: x\ntuner_type: lora\nlearning_rate: 1e-4\nlora_rank: 8\n', 'ms-swift'],
    ['not what ms-swift samples with', 'model: x\nstream: true\nsystem: s\nmax_new_tokens: 9\n', null],
    [
      'torchtune where nothing is trained',
      'model: {_component_: m}\ncheckpointer: {_component_: c}\ntokenizer: {_component_: t}\nmax_new_tokens: 300\n',
      'torchtune',
    ],
    ['Unsloth', 'model: x\ntraining: {training_type: lora, load_in_4bit: true}\n', 'unsloth-cli'],
    ['not Unsloth by common words', 'model: x\ndata: y\ntraining: {batch_size: 2, num_epochs: 1}\n', null],
    [
      'a script of diffusers',
      'pretrained_model_name_or_path: x\noutput_dir: o\ntrain_batch_size: 1\ngradient_accumulation_steps: 4\n' +
        'gradient_checkpointing: true\nlearning_rate: 1e-4\nlr_scheduler: constant\nmax_train_steps: 500\n' +
        'num_train_epochs: 1\ndataloader_num_workers: 4\n',
      'accelerate-diffusion',
    ],
    [
      'not Axolotl by weak words alone',
      'optimizer: a\nlr_scheduler: b\nstrict: c\nrl: d\ntf32: e\nplugins: []\n',
      null,
    ],
    ['nothing in a list', '- base_model: x\n', null],
    ['nothing in an empty file', '', null],
    ['nothing in a workflow', 'on: push\njobs:\n  test:\n    strategy: {matrix: {batch: [1]}}\n', null],
  ];
  for (const [title, text, dialect] of cases) it(title, () => assert.equal(dialectOf(text), dialect));

  it('of two equal scores is none', () => {
    const document = parseYaml('a: 1\n').documents[0];
    assert.ok(document);
    const [one] = dialects;
    assert.ok(one);
    const twin = { strong: ['a'], medium: [], weak: [], against: [], least: 1 };
    const rivals = [
      { ...one, id: 'one', signature: twin },
      { ...one, id: 'other', signature: twin },
    ];
    assert.equal(recognize(document, rivals.slice(0, 1))?.id, 'one');
    assert.equal(recognize(document, rivals), null);
  });

  it('looks at each document of a file by itself', async () => {
    const two =
      'base_model: x\nmicro_batch_size: 2\n---\nkind: Pod\n---\nbase_model: y\nmicro_batch_size: 4\n';
    const { dialect, runs } = await read({ 'two.yaml': two });
    assert.equal(dialect, 'axolotl');
    assert.deepEqual(
      runs.map(({ name, quantities }) => [name, quantities.model.value]),
      [
        ['document 1', 'x'],
        ['document 3', 'y'],
      ],
    );
  });

  it('names dialects and signatures that can be reached', () => {
    for (const { id, signature } of dialects) {
      const { strong, medium, weak } = signature;
      const most = 4 * strong.length + 2 * medium.length + weak.length;
      // A dialect that is only read where a config names it needs no sufficient keys.
      if (signature.least < ONLY_NAMED) assert.ok(most >= signature.least, id);
    }
  });
});

/** A score that no document reaches. */
const ONLY_NAMED = 100;

describe('the scan before parsing', () => {
  it('rejects files that are not configs', () => {
    assert.equal(couldBeOurs('apiVersion: v1\nkind: Pod\nspec:\n  containers: []\n'), false);
    assert.equal(couldBeOurs('optimizer: x\nstrict: true\nplugins: []\n'), false);
  });

  it('scores packed signatures as it would whole ones', () => {
    const all = packed(dialects.map(({ signature }) => signature));
    const keys = all.keys.split(' ');
    const few = fc.uniqueArray(fc.constantFrom(...keys), { maxLength: 60 });
    fc.assert(
      fc.property(few, found => {
        const seen = new Set(found);
        const numbered = keys.map(key => seen.has(key));
        assert.deepEqual(
          all.signatures.map(signature => bestScanScore(unpacked(signature), numbered)),
          dialects.map(({ signature }) => bestScore(signature, seen)),
        );
      }),
      { numRuns: tries(50) },
    );
  });

  it('never turns away what recognition would take', () => {
    const key = fc.constantFrom(...new Set(dialects.flatMap(({ signature }) => signatureKeys(signature))));
    const tree = fc.dictionary(
      key,
      fc.oneof(fc.integer(), fc.dictionary(key, fc.integer(), { maxKeys: 4 })),
      {
        maxKeys: 12,
      },
    );
    fc.assert(
      fc.property(tree, fc.boolean(), (config, json) => {
        const text = json ? JSON.stringify(config) : stringify(config);
        if (dialectOf(text) !== null) assert.ok(couldBeOurs(text), text);
      }),
      { numRuns: tries(150) },
    );
  });
});
