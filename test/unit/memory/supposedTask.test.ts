import assert from 'node:assert/strict';
import { answer } from '../../../src/core/render/verdict';
import { judge, judged } from '../core/support';

const trainer = (changes: string): string => `model_name_or_path: TinyLlama/TinyLlama-1.1B-Chat-v1.0
per_device_train_batch_size: 4
max_seq_length: 512
learning_rate: 2.0e-5
output_dir: out
logging_steps: 10
save_strategy: epoch
bf16: true
optim: adamw_torch
${changes}`;

describe('a task that nothing states', () => {
  it('is that of the class of the model', async () => {
    const { estimate } = await judged(trainer(''), 'H100');
    assert.ok(estimate?.assumptions.includes('trained as a causal language model: no key says the task'));
  });
});

describe('a guess', () => {
  const OWN = `model: {name: bert-base-uncased}
train: {batch_size: 16, lr: 2.0e-5, epochs: 3, bf16: true}
data: {max_length: 128}
`;

  it('leaves no verdict, and an interval from half to twice the amount', async () => {
    const run = await judged(OWN, 'H100');
    const [device] = run.estimate?.devices ?? [];
    assert.ok(device && run.estimate);
    assert.equal(device.verdict, 'unknown');
    const { low, expected, high } = device.device;
    assert.ok(low <= expected / 2 && high >= expected * 2, JSON.stringify(device.device));
    assert.ok((run.estimate.guesses ?? 0) > 0);
    assert.match(answer(run), /^≈ [\d.]+ (?:GB|MB) of 80 GB · H100 SXM · keys guessed by name/);
  });

  it('of adapters stands for their rank where only their use is told', async () => {
    const text = `model: Qwen/Qwen2.5-1.5B-Instruct
per_device_train_batch_size: 1
max_length: 512
learning_rate: 1.0e-5
epochs: 1
use_lora: true
`;
    const run = await judged(text, 'H100');
    assert.deepEqual(run.missing, []);
    const said = run.estimate?.assumptions ?? [];
    assert.ok(said.includes('adapters of rank 16: their rank is not known'), said.join('; '));
    assert.equal(run.estimate?.devices[0]?.verdict, 'unknown');
  });

  it('of no sharding stands where neither GPUs nor sharding are named, and a missing file of it leaves it open', async () => {
    const command =
      'python train.py --model resnet50 --batch-size 256 --amp --img-size 224 --lr 0.1 --epochs 90';
    const [run] = (await judge({ 'run.sh': `${command}\n` }, 'H100')).runs;
    assert.deepEqual(run?.missing, []);
    assert.ok(run.estimate?.assumptions.some(one => one.startsWith('no sharding: ')));
    const sharded = await judged(trainer('deepspeed: ds/own.json'), 'H100');
    assert.deepEqual(sharded.missing, ['the ZeRO stage']);
  });

  it('of a length is not needed for packed rows of a model of up to 1,024 positions', async () => {
    const rows = async (model: string): Promise<readonly string[]> => {
      const command = `python run_clm.py --model_name_or_path ${model} --do_train --per_device_train_batch_size 8`;
      const [run] = (await judge({ 'run.sh': `${command}\n` }, 'H100')).runs;
      return run?.estimate?.assumptions.filter(one => one.includes('rows of')) ?? [];
    };
    assert.deepEqual(await rows('gpt2'), ['packed rows of 1024 tokens, as long as the model allows']);
    assert.deepEqual(await rows('EleutherAI/gpt-neo-125M'), [
      'rows of 2048 tokens: their length is not known',
    ]);
  });

  it('is counted in the answer of a known format', async () => {
    const text = `model:
  target: ldm.models.diffusion.ddpm.LatentDiffusion
  params:
    timesteps: 1000
    unet_config:
      target: ldm.modules.diffusionmodules.openaimodel.UNetModel
      params: {image_size: 32, in_channels: 4, out_channels: 4, model_channels: 192, channel_mult: [1, 2], num_res_blocks: 1}
data: {target: main.DataModuleFromConfig, params: {batch_size: 4, train: {params: {size: 256}}}}
`;
    const run = await judged(text, 'H100');
    assert.ok(run.estimate);
    assert.match(answer(run), /· unknown: \d guess(?:es)? ·/);
    assert.equal(run.verdict, 'unknown');
  });
});
