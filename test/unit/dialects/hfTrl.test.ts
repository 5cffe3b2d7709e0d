import assert from 'node:assert/strict';
import { editsFor } from '../../../src/core/dialects/write';
import { applied, read, runOf } from './support';

const plain = 'model_name_or_path: x\ndataset_name: y\nlearning_rate: 2.0e-5\nreport_to: none\n';

describe('the releases a TRL config was written for', () => {
  const cases: [title: string, keys: string, trl: string, transformers: string][] = [
    ['today', '', '1.10.0', '5.18.0'],
    ['max_seq_length', 'max_seq_length: 2048\n', '0.19.1', '4.53.3'],
    ['torch_dtype', 'torch_dtype: bfloat16\n', '0.26.2', '4.57.6'],
    ['overwrite_output_dir', 'overwrite_output_dir: true\n', '1.10.0', '4.57.6'],
    ['evaluation_strategy', 'evaluation_strategy: epoch\nmax_seq_length: 2048\n', '0.11.4', '4.45.2'],
    ['a key that is there without a value', 'torch_dtype:\n', '0.26.2', '4.57.6'],
  ];
  for (const [title, keys, trl, transformers] of cases) {
    it(`are told by ${title}`, async () => {
      const { framework } = await runOf(plain + keys, 'c.yaml');
      assert.deepEqual(framework, { id: 'trl', name: 'trl', version: trl, libraries: { transformers } });
    });
  }

  it('decide the defaults', async () => {
    const today = (await runOf(plain)).quantities;
    const before = (await runOf(`${plain}evaluation_strategy: epoch\n`)).quantities;
    assert.deepEqual(
      [today, before].map(q => [
        q.gradientCheckpointing.value,
        q.precision.value,
        q.loadDtype.value,
        q.optimizer.value,
      ]),
      [
        [true, 'bf16', 'fp32', 'adamw_torch_fused'],
        [false, 'fp32', 'fp32', 'adamw_torch'],
      ],
    );
  });
});

describe('the task of a TRL config', () => {
  const cases: [title: string, keys: string, path: string, task: string | null][] = [
    ['its own keys', 'reward_funcs: [accuracy]\n', 'recipes/x/sft/c.yaml', 'grpo'],
    ['the SimPO keys', 'gamma_beta_ratio: 0.5\nbeta: 2\nmax_prompt_length: 512\n', 'c.yaml', 'simpo'],
    ['its folder', 'beta: 0.05\nmax_prompt_length: 512\n', 'recipes/x/orpo/config_full.yaml', 'orpo'],
    ['a pair of keys', 'beta: 0.1\nmax_prompt_length: 512\n', 'recipes/x/config.yaml', 'dpo'],
    [
      'a reference model and prompts',
      'ref_model: x\nmax_prompt_length: 512\n',
      'recipes/x/config.yaml',
      'dpo',
    ],
    ['a key of the SFT trainer', 'packing: true\n', 'recipes/dpo-model/config.yaml', 'sft'],
    ["its file's name", '', 'recipes/dpo-llama.yaml', 'dpo'],
    ['nothing', '', 'recipes/llama.yaml', null],
  ];
  for (const [title, keys, path, task] of cases) {
    it(`is told by ${title}`, async () => {
      assert.equal((await runOf(plain + keys, path)).quantities.task.value, task);
    });
  }

  it('decides what a step runs', async () => {
    const dpo = await runOf(`${plain}beta: 0.1\nmax_prompt_length: 512\n`);
    assert.equal(dpo.details.sequencesPerSample?.value, 2);
    assert.equal(dpo.details.referenceModel?.value, true);
    const lora = await runOf(`${plain}beta: 0.1\nmax_prompt_length: 512\nuse_peft: true\n`);
    assert.equal(lora.details.referenceModel?.value, false);
    assert.deepEqual(lora.quantities.lora.value, {
      r: 16,
      alpha: 32,
      dropout: 0.05,
      targets: null,
      modulesToSave: [],
      rslora: false,
      dora: false,
    });
  });
});

describe('QLoRA under TRL', () => {
  const qlora = 'use_peft: true\nload_in_4bit: true\nbf16: true\n';

  it('is prepared as the release prepares it', async () => {
    const old = await runOf(`${plain}${qlora}max_seq_length: 2048\n`);
    assert.equal(old.details.kbitPrepare?.value, 'norms');
    assert.equal(old.details.adapterDtype?.value, 'fp32');
    const now = await runOf(`${plain}${qlora}packing: true\n`);
    assert.equal(now.details.kbitPrepare?.value, 'none');
    assert.equal(now.details.adapterDtype?.value, 'bf16');
    assert.equal(now.quantities.quantization.value?.computeDtype, 'fp32');
  });

  it('trains adapters by the switch that a script around its trainers has', async () => {
    for (const key of ['use_lora', 'peft_enabled', 'lora_enable']) {
      const run = await runOf(
        `${plain}max_length: 512\n${key}: true\nlora_r: 4\ntarget_modules: all-linear\n`,
      );
      const { method, lora } = run.quantities;
      assert.deepEqual([method.value, lora.value?.r, lora.value?.targets], ['lora', 4, 'all-linear'], key);
    }
    const off = await runOf(`${plain}max_length: 512\npeft_enabled: false\nlora_r: 4\n`);
    assert.equal(off.quantities.method.value, 'full');
  });

  it('is reached from LoRA by one key', async () => {
    const text = `${plain}use_peft: true # adapters\nlora_r: 8\n`;
    const written = editsFor(await runOf(text), [{ quantity: 'method', to: 'qlora' }]);
    assert.ok(written.ok);
    const after = applied({ 'config.yaml': text }, written.edits);
    assert.equal(after['config.yaml'], text.replace('# adapters\n', '# adapters\nload_in_4bit: true\n'));
  });

  it('is reached from full fine-tuning by two', async () => {
    const written = editsFor(await runOf(plain), [{ quantity: 'method', to: 'qlora' }]);
    assert.ok(written.ok);
    const keys = written.edits.map(({ path, to }) => `${path}: ${to}`);
    assert.deepEqual(keys, ['use_peft: true', 'load_in_4bit: true']);
  });
});

describe('the launcher of a TRL config', () => {
  it('is a file or a name that TRL knows', async () => {
    const named = await read({ 'c.yaml': `${plain}accelerate_config: zero3\nnum_processes: 4\n` });
    const { gpus, zeroStage, effectiveBatch } = named.runs[0]?.quantities ?? assert.fail();
    assert.deepEqual([gpus.value, zeroStage.value, effectiveBatch.value], [4, 3, 32]);
    assert.equal(zeroStage.origin.kind, 'default');
    const file = await read({
      'c.yaml': `${plain}accelerate_config: fsdp.yaml\n`,
      'fsdp.yaml':
        'distributed_type: FSDP\nnum_processes: 2\nnum_machines: 1\nfsdp_config:\n  fsdp_version: 2\n',
    });
    const q = file.runs[0]?.quantities ?? assert.fail();
    assert.equal(q.gpus.origin.kind, 'referenced');
    assert.equal(q.fsdp.value?.version, 2);
  });
});

describe('the method of a script around TRL’s trainers', () => {
  const cases: [keys: string, method: string | null][] = [
    ['peft_method: lora\nr: 4\n', 'lora'],
    ['tuner_type: full\n', 'full'],
    ['peft_method: pt\n', null],
    ['training_mode: qlora\n', 'qlora'],
  ];
  for (const [keys, method] of cases) {
    it(`is ${method ?? 'not known'} where it says ${keys.split('\n')[0]}`, async () => {
      assert.equal((await runOf(`${plain}${keys}`)).quantities.method.value, method);
    });
  }

  it('is known by the switches of PEFT’s own script, and never full on quantized weights', async () => {
    const four =
      'use_4bit_quantization: true\nuse_nested_quant: true\nbnb_4bit_quant_storage_dtype: bfloat16\n';
    const { method, lora, quantization } = (await runOf(`${plain}${four}use_peft_lora: true\nlora_r: 8\n`))
      .quantities;
    assert.deepEqual([method.value, lora.value?.r], ['qlora', 8]);
    assert.deepEqual(
      [quantization.value?.bits, quantization.value?.doubleQuant, quantization.value?.storageDtype],
      [4, true, 'bf16'],
    );
    const silent = (await runOf(`${plain}${four}`)).quantities;
    assert.deepEqual([silent.method.value, silent.lora.origin.kind], [null, 'unresolved']);
    assert.equal(
      (await runOf(`${plain}use_8bit_quantization: true\n`)).quantities.quantization.value?.bits,
      8,
    );
  });

  it('has the rank that the script states', async () => {
    assert.equal((await runOf(`${plain}peft_method: lora\nr: 4\n`)).quantities.lora.value?.r, 4);
  });
});

describe('a file that only looks like TRL’s or Open Instruct’s', () => {
  it('has adapters of its own: what is trained is open', async () => {
    const own = `${plain}use_lora: false\nuse_ia3: true\npacking: true\ntrain_file: d.json\nper_device_train_batch_size: 8\nbf16: true\noptim: adamw_torch\n`;
    const { dialect, quantities } = await runOf(own);
    assert.notEqual(dialect, 'open-instruct');
    assert.equal(quantities.method.value, null);
  });
});
