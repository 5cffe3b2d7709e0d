import assert from 'node:assert/strict';
import type { Quantities } from '../../../src/core/spec/runSpec';
import { read } from './support';

const TRAINING = 'training: {batch_size: 16, lr: 1.0e-4, epochs: 30}\n';

/** The values of a file that nobody's framework has. */
async function valuesOf(text: string): Promise<Quantities> {
  const { runs } = await read({ 'train.yaml': text });
  assert.equal(runs.length, 1, text);
  const [run] = runs;
  assert.ok(run);
  return run.quantities;
}

describe('words of own configs', () => {
  it('are a model by its place alone where a list of sides tells that images are trained on', async () => {
    const values = await valuesOf(`model: {name: hrnet}\ndata: {image_size: [256, 256]}\n${TRAINING}`);
    assert.equal(values.model.value, 'hrnet');
    const small = await valuesOf(`model: {name: small}\ndata: {image_size: [256, 256]}\n${TRAINING}`);
    assert.equal(small.model.value, null, 'the size of a family is none');
  });

  it('are the checkpoint on the Hub rather than the file that is written', async () => {
    const values = await valuesOf(
      `model: {model_name: my_bert_pretrain.pt, hf_checkpoint_name: bert-base-uncased}\n${TRAINING}optimizer: adamw\n`,
    );
    assert.equal(values.model.value, 'bert-base-uncased');
  });

  it('are no model where a provider runs it', async () => {
    const values = await valuesOf(
      `judge_cfg: {model_name: qwen-plus, api_key_name: KEY}\nmodel_path: Qwen/Qwen3-0.6B\n${TRAINING}optimizer: adamw\n`,
    );
    assert.equal(values.model.value, 'Qwen/Qwen3-0.6B');
  });

  it('count a list of indices, and take Lightning’s batch for one GPU’s', async () => {
    const base = `model_name: bert-base-uncased\noptimizer: adamw\n${TRAINING}`;
    assert.equal((await valuesOf(`${base}device: [0, 1]\n`)).devices.value, 2);
    const lightning = await valuesOf(`${base}num_devices: 3\nstrategy: ddp_find_unused_parameters_true\n`);
    assert.equal(lightning.microBatchSize.value, 16);
    assert.equal((await valuesOf(`${base}num_devices: 3\n`)).microBatchSize.value, null);
  });

  it('tell the size of images by two sides, by text, and by the last step of the training data', async () => {
    const size = async (text: string): Promise<unknown> =>
      (await valuesOf(`model_name: resnet50\noptimizer: adamw\n${TRAINING}${text}`)).imageSize.value;
    assert.deepEqual(await size('crop_h: 384\ncrop_w: 512\n'), [512, 384]);
    assert.equal(await size('crop_h: 384\n'), null);
    assert.deepEqual(await size('data: {image_size: "(512, 512)"}\n'), [512, 512]);
    const steps =
      '[{_target_: a.Resize, size: 256}, {_target_: a.RandomCrop, size: [224, 192]}, {_target_: a.ToTensor}]';
    assert.deepEqual(await size(`data: {train_transform: {transforms: ${steps}}}\n`), [192, 224]);
    assert.equal(await size(`data: {val_transform: {transforms: ${steps}}}\n`), null);
    assert.equal(
      await size(`a: {transforms: ${steps}}\nb: {transforms: [{type: Resize, size: 64}]}\n`),
      null,
    );
  });

  it('tell the size of images by a step of the training data that is a section of its own', async () => {
    const crop = 'random_resized_crop: {size: [32, 40]}';
    const size = async (text: string): Promise<unknown> =>
      (await valuesOf(`model_name: resnet50\noptimizer: adamw\n${TRAINING}${text}`)).imageSize.value;
    assert.deepEqual(
      await size(`data: {transforms: {train: {${crop}}, test: {center_crop: {size: 24}}}}\n`),
      [40, 32],
    );
    assert.equal(await size(`data: {transforms: {resize: {size: 64}, ${crop}}}\n`), null);
    assert.equal(await size(`model: {${crop}}\n`), null, 'no step of the data');
  });

  it('are training where an optimizer is named beside its rate, though nothing says how long', async () => {
    const own =
      'trainer: {optimizer: adam, lr: 1.0e-3, weight_decay: 0}\nmodel: {rnn: lstm}\ndataloader: {batch_size: 40}\n';
    const values = await valuesOf(own);
    assert.deepEqual([values.microBatchSize.value, values.optimizer.value], [40, 'adam']);
    const { runs } = await read({ 'train.yaml': own.replace('adam', 'fast') });
    assert.equal(runs.length, 0, 'databases have an `optimizer`, too');
  });

  it('are training by the rates of its parts', async () => {
    const config =
      'epoch: 9\nbatch_size: 6\ndata_loading_num_workers: 2\nencoder_a_lr: 0.1\nb2text_lr: 0.1\n';
    const { microBatchSize, numWorkers } = await valuesOf(config);
    assert.deepEqual([microBatchSize.value, numWorkers.value], [6, 2]);
  });

  it('name an optimizer in a section of its options', async () => {
    const values = await valuesOf(
      `optim_opts: {name: Adam, args: {lr: 3.0e-4}}\nbatch_size: 8\nepochs: 9\nnum_workers: 2\n`,
    );
    assert.equal(values.optimizer.value, 'Adam');
    const path = await valuesOf(`model_name: resnet50\n${TRAINING}optimizer_config: conf/adam.yaml\n`);
    assert.equal(path.optimizer.value, null, 'a file is none');
  });

  it('are no batch where the program is measured', async () => {
    const values = await valuesOf(
      `model: {name: resnet50}\nprofiling: {batch_size: 1}\n${TRAINING}optimizer: sgd\n`,
    );
    assert.deepEqual([values.microBatchSize.value, values.evalBatchSize.value], [16, null]);
  });

  it('are read in lists of one section, and where a short word names the section', async () => {
    const values = await valuesOf(
      'model_name: resnet50\nbatch_size: 4\nepochs: 3\nimage_size: 64\noptimizers: [{lr: 1.0e-4}]\n',
    );
    assert.equal(values.microBatchSize.value, 4);
    const kind = await valuesOf(`train: {network: resnet50}\nopt: {kind: adam}\n${TRAINING}`);
    assert.equal(kind.optimizer.value, 'adam');
    assert.equal(kind.model.value, 'resnet50');
  });

  it('are Lightning’s beside its accelerator: each process loads a batch of its own', async () => {
    const base = `model_name: resnet50\noptimizer: adamw\nbatch_size: 16\n`;
    const own = `${base}training: {lr: 1.0e-4, epochs: 3, devices: auto, accelerator: auto}\n`;
    assert.equal((await valuesOf(own)).microBatchSize.value, 16);
    assert.equal((await valuesOf(own.replace(', accelerator: auto', ''))).microBatchSize.value, null);
  });

  it('assume nothing of what a key is about, however it is spelled', async () => {
    const base = `model_name: bert-base-uncased\noptimizer: adamw\n${TRAINING}`;
    assert.equal((await valuesOf(base)).gradAccum.value, 1);
    assert.equal((await valuesOf(`${base}gradient_accumuate_step: 32\n`)).gradAccum.value, null);
    const { value, origin } = (await valuesOf(`${base}bit: 4\n`)).quantization;
    assert.deepEqual([value, origin.kind], [null, 'unresolved']);
    const off = await valuesOf(`${base}fsdp_train: false\nfsdp_settings: {cpu_offload: true}\n`);
    assert.equal(off.fsdp.origin.kind, 'derived', 'switched off');
  });

  it('switch checkpointing on in a section of its own', async () => {
    const values = await valuesOf(
      `model_name: bert-base-uncased\noptimizer: adamw\n${TRAINING}gradient_checkpointing: {activate: true, kind: hf}\n`,
    );
    assert.equal(values.gradientCheckpointing.value, true);
  });

  it('name the method of language models, and nothing that a policy is trained by', async () => {
    const base = `model_name: Qwen/Qwen3-0.6B\noptimizer: adamw\n${TRAINING}`;
    for (const key of ['method', 'training_method', 'stage']) {
      assert.equal((await valuesOf(`${base}${key}: DPO\n`)).task.value, 'dpo', key);
    }
    assert.equal((await valuesOf(`${base}algorithm: ppo\n`)).task.value, null);
  });
});

describe('a program of one’s own around vLLM', () => {
  const SERVER = `server: {port: 8000}
model: {name: qwen, path: Qwen/Qwen3-8B, dtype: bfloat16}
engine: {max_model_len: 32768, gpu_memory_utilization: 0.8, tensor_parallel_size: 4}
`;

  it('is read by the engine’s words, wherever its sections are', async () => {
    const { dialect, runs } = await read({ 'server.yaml': SERVER });
    const values = runs[0]?.quantities;
    assert.equal(dialect, 'vllm');
    assert.deepEqual(
      [values?.model.value, values?.seqLen.value, values?.precision.value, values?.gpus.value],
      ['Qwen/Qwen3-8B', 32768, 'bf16', 4],
    );
  });

  it('is none without a model, with one argument, or where another program’s file has the text', async () => {
    for (const text of [
      SERVER.replace(/^model.*\n/m, ''),
      SERVER.replace(/^engine.*$/m, 'engine: {gpu_memory_utilization: 0.8}'),
      `apiVersion: v1\n${SERVER}`,
      `services: {a: {image: b}}\n${SERVER}`,
    ]) {
      const { runs } = await read({ 'server.yaml': text });
      assert.equal(runs.length, 0, text);
    }
  });
});
