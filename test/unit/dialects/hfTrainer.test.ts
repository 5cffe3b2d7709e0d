import assert from 'node:assert/strict';
import { read, runOf } from './support';

const OWN =
  'model: a/b\nper_device_train_batch_size: 2\ngradient_accumulation_steps: 8\nlearning_rate: 1e-5\n' +
  'lr_scheduler_type: linear\nweight_decay: 0.01\noptim: adamw_8bit\nmax_seq_length: 2048\nlogging_steps: 1\n';

const AXOLOTL =
  'base_model: a/b\nmicro_batch_size: 1\nsequence_len: 512\ndatasets: [{ path: d, type: alpaca }]\n';

describe('a Trainer config of one’s own', () => {
  it('trains adapters where the names of LoraConfig stand among its arguments', async () => {
    const { method, lora } = (
      await runOf(`${OWN}r: 32\nlora_alpha: 64\nuse_rslora: true\ntarget_modules: [q_proj, v_proj]\n`)
    ).quantities;
    assert.equal(method.value, 'lora');
    assert.deepEqual(
      [lora.value?.r, lora.value?.alpha, lora.value?.rslora, lora.value?.targets],
      [32, 64, true, ['q_proj', 'v_proj']],
    );
    const switched = await runOf(`${OWN}r: 32\nlora_alpha: 64\nuse_lora: false\n`);
    assert.equal(switched.quantities.method.value, 'full');
  });

  it('reads adapters in a section of peft’s class', async () => {
    const { lora } = (await runOf(`${OWN}lora_config: {r: 64, lora_alpha: 16, target_modules: [q_proj]}\n`))
      .quantities;
    assert.deepEqual([lora.value?.r, lora.value?.alpha, lora.value?.targets], [64, 16, ['q_proj']]);
  });

  it('keeps the rank where only the program names the modules, or the scale', async () => {
    const open = `${OWN}use_lora: true\nlora_r: 32\nlora_alpha: \${ALPHA}\nlora_target_modules: \${MODULES}\n`;
    for (const text of [open, `adapter: lora\n${AXOLOTL}${open}`]) {
      const { r, alpha, targets } = (await runOf(text)).quantities.lora.value ?? {};
      assert.deepEqual([r, alpha, targets], [32, null, 'unknown'], text);
    }
  });

  it('assumes nothing that a base may state which is not there', async () => {
    const text = `base_config: base.yaml\n${OWN.replace('optim: adamw_8bit\n', '')}`;
    const { precision, method, optimizer, quantization } = (await runOf(text)).quantities;
    assert.deepEqual(
      [precision, method, optimizer, quantization].map(({ origin }) => origin.kind),
      ['unresolved', 'unresolved', 'unresolved', 'unresolved'],
    );
    const { runs } = await read({ 'a.yaml': text, 'base.yaml': 'bf16: true\n' });
    const { quantities } = runs[0] ?? assert.fail('no run');
    assert.deepEqual([quantities.precision.value, quantities.method.value], ['bf16-mixed', 'full']);
  });

  it('knows a base whose ending is left out', async () => {
    const text = `extends: ../shared/base\n${OWN}`;
    assert.equal((await runOf(text)).quantities.precision.value, null);
    const { runs } = await read({ 'own/a.yaml': text, 'shared/base.yaml': 'fp16: true\n' });
    assert.equal(runs[0]?.quantities.precision.value, 'fp16-mixed');
  });

  it('leaves the stage open where a section of DeepSpeed has keys of its own', async () => {
    const stageOf = async (section: string): Promise<string> =>
      (await runOf(`${OWN}deepspeed: ${section}\n`)).quantities.zeroStage.origin.kind;
    assert.equal(await stageOf('{stage: 2, offload_optimizer: false}'), 'unresolved');
    assert.equal(await stageOf('{bf16: {enabled: true}, train_batch_size: auto}'), 'default');
  });

  it('takes an r without lora_alpha for another word', async () => {
    assert.equal((await runOf(`${OWN}r: 32\n`)).quantities.method.value, 'full');
  });

  it('takes nothing from a section that is switched off', async () => {
    const told = async (sections: string): Promise<unknown> => {
      const { method, lora, quantization } = (await runOf(OWN + sections)).quantities;
      return [method.value, lora.value?.r ?? null, quantization.value?.bits ?? null];
    };
    const section = 'lora: {rank: 8}\nquantization: {enable: false, bits: 4}\n';
    assert.deepEqual(await told(section), ['lora', 8, null]);
    assert.deepEqual(await told(section.replace('enable: false', 'enabled: false')), ['lora', 8, null]);
    assert.deepEqual(await told(section.replace('false', 'true')), ['qlora', 8, 4]);
    assert.deepEqual(await told('lora: {enable: false, rank: 8}\n'), ['full', null, null]);
  });

  it('lies on the files that it names, also where a command starts it', async () => {
    const files = {
      'a.yaml':
        '_base_: b.yaml\ntrain: {per_device_train_batch_size: 2, gradient_accumulation_steps: 4, num_train_epochs: 1.0, learning_rate: 1e-6, output_dir: out}\n',
      'b.yaml':
        'model: {base_model: a/b, use_peft: true, lora_r: 32}\ndata: {max_length: 1536}\n' +
        'train: {bf16: true, gradient_checkpointing: true, logging_steps: 1, warmup_ratio: 0.1}\n',
      'train.py': 'import trl\ntrl.SFTTrainer(model=load(), args=parse()).train()\n',
    };
    const script = { 'run.sh': 'python train.py --config a.yaml\n', ...files };
    for (const tree of [files, script]) {
      const { method, lora, seqLen, precision, gradientCheckpointing } =
        (await read(tree)).runs[0]?.quantities ?? assert.fail('no run');
      assert.deepEqual(
        [method.value, lora.value?.r, seqLen.value, precision.value, gradientCheckpointing.value],
        ['lora', 32, 1536, 'bf16-mixed', true],
      );
    }
  });

  it('cuts prompts and answers apart where answers are rewarded', async () => {
    const lengths =
      'data: {max_prompt_length: 768}\nmethod: {max_completion_length: 512, num_generations: 8}\n';
    assert.equal((await runOf(`${OWN}${lengths}`)).quantities.seqLen.value, 1280);
    assert.equal((await runOf(`${OWN}data: {max_prompt_length: 768}\n`)).quantities.seqLen.value, 2048);
  });
});
