import assert from 'node:assert/strict';
import { runOf } from './support';

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

  it('takes an r without lora_alpha for another word', async () => {
    assert.equal((await runOf(`${OWN}r: 32\n`)).quantities.method.value, 'full');
  });
});
