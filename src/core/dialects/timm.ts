import type { Quantity } from '../spec/quantity';
import type { Dialect } from './dialect';
import { count, countOrNone, flag, word } from './engine/readers';
import type { RunReader } from './engine/runReader';
import { autocastByPrecision } from './shared/lightning';
import { dtypeWord } from './shared/words';
import { madeFor, pixels, wholeModel, textOf } from './shared/vision';
import type { Size } from './shared/vision';

/** timm's model names carry the size of the images where it is not 224. */
function sizeByName(run: RunReader): Quantity<Size> {
  const name = run.get('model').value;
  if (name === null) return run.unknown('The model is not known.');
  const found = /_(\d{3,4})(?:$|[._])/.exec(name);
  const side = found ? Number(found[1]) : 224;
  return run.byDefault([side, side], 'timm: the model’s default_cfg, which its name tells');
}

const SOURCE = 'train.py';

/** timm's train.py, with its settings in a file; sources are lines of huggingface/pytorch-image-models aa4b585. */
export const timm: Dialect = {
  id: 'timm',
  title: 'timm',
  role: 'run',
  framework: { name: 'timm', version: '1.0.0' },
  loader: 'pyyaml',
  signature: {
    strong: [
      'grad_accum_steps',
      'validation_batch_size',
      'amp_dtype',
      'model_ema',
      'sched',
      'aa',
      'reprob',
      'smoothing',
    ],
    medium: [
      'opt',
      'opt_eps',
      'data_dir',
      'num_classes',
      'workers',
      'channels_last',
      'drop_path',
      'warmup_epochs',
      'layer_decay',
      'grad_checkpointing',
    ],
    weak: ['model~^[a-z0-9_]+(\\.[a-z0-9_]+)?$', 'batch_size', 'amp', 'epochs', 'lr'],
    against: ['trainer.*', 'train.*', 'model.*', 'imgsz', 'defaults'],
    needs: ['model', 'opt', 'amp', 'model_ema'],
    least: 8,
  },
  quantities: {
    ...wholeModel(SOURCE),
    model: { keys: ['model'], read: word, absent: { value: 'resnet50', source: SOURCE } },
    task: madeFor('image_classification', SOURCE),
    microBatchSize: { keys: ['batch_size'], read: count, absent: { value: 128, source: `${SOURCE} L142` } },
    evalBatchSize: {
      keys: ['validation_batch_size'],
      read: count,
      absent: run => {
        const micro = run.get('microBatchSize').value;
        return run.derived(
          micro,
          ['microBatchSize'],
          'validation_batch_size is batch_size where it is absent',
        );
      },
    },
    gradAccum: {
      keys: ['grad_accum_steps'],
      read: count,
      absent: { value: 1, source: `${SOURCE} L150` },
      near: ['batch_size'],
    },
    imageSize: {
      keys: ['img_size', 'input_size'],
      read: pixels('hw'),
      absent: sizeByName,
    },
    precision: run => {
      const on = ['amp', 'native_amp', 'apex_amp'].find(key => run.flag(key));
      if (on === undefined) {
        return run.has('amp') ? run.at('amp', 'fp32') : run.byDefault('fp32', `${SOURCE} L175`);
      }
      const half = (run.read('amp_dtype', dtypeWord) ?? 'fp16') === 'bf16' ? 'bf16-mixed' : 'fp16-mixed';
      return run.at(on, half);
    },
    precisionRaw: run => {
      const keys = ['amp', 'amp_dtype', 'native_amp'].filter(key => run.has(key));
      return keys.length === 0
        ? run.unknown('amp is not set.')
        : run.at(keys, keys.map(key => `${key} ${textOf(run.value(key))}`).join(', '));
    },
    optimizer: { keys: ['opt'], read: word, absent: { value: 'sgd', source: `${SOURCE} L191` } },
    gradientCheckpointing: {
      keys: ['grad_checkpointing'],
      read: flag,
      absent: { value: false, source: `${SOURCE} L152` },
      near: ['batch_size'],
    },
    accelerator: { keys: ['device'], read: word, absent: { value: 'cuda', source: `${SOURCE} L173` } },
    numWorkers: { keys: ['workers'], read: countOrNone, absent: { value: 4, source: `${SOURCE} L377` } },
    compile: { keys: ['torchcompile'], read: value => (value === null ? null : { ok: value !== false }) },
  },
  details: {
    autocast: autocastByPrecision,
    sequencesPerSample: run => {
      const splits = run.count('aug_splits');
      return splits === null
        ? run.byDefault(1, `${SOURCE}: aug_splits is 0`)
        : run.at('aug_splits', splits, 'each image is fed in so many versions');
    },
    evaluates: run => run.byCode(true, `${SOURCE}: validate after every epoch`),
  },
  writers: {
    precision: to => {
      if (to === 'fp32') return { ok: true, writes: [{ key: 'amp', value: false }] };
      const dtype = to.startsWith('bf16') ? 'bfloat16' : to.startsWith('fp16') ? 'float16' : null;
      if (dtype === null) return { ok: false, why: 'timm trains in fp32, fp16 or bf16.' };
      return {
        ok: true,
        writes: [
          { key: 'amp', value: true, near: ['batch_size'] },
          { key: 'amp_dtype', value: dtype, near: ['amp', 'batch_size'] },
        ],
      };
    },
  },
  launch: [
    {
      argv: ['torchrun', '--nproc_per_node={gpus}', 'train.py', '-c', '{config}'],
      source: 'distributed_train.sh',
    },
  ],
  logs: [
    {
      pattern: String.raw`Train: (?<epoch>\d+) \[\s*(?<step>\d+)/(?<steps>\d+).*?Loss:\s+(?<loss>[\d.]+)`,
      fields: ['epoch', 'step', 'steps', 'loss'],
      example: 'Train: 0 [   0/1251 (  0%)]  Loss: 6.94 (6.94)  Time: 1.234s,  207.45/s',
      source: 'train.py L1417-1422',
    },
  ],
  help: {
    batch_size: { text: 'Images of one forward pass of each process.', byDefault: '128' },
    validation_batch_size: { text: 'Images of one pass of validation; without it as in training.' },
    grad_accum_steps: { text: 'Batches added up before a step.', byDefault: '1' },
    img_size: { text: 'Side of images; without it the model’s own.' },
    input_size: { text: 'Channels, height and width of images.' },
    amp: {
      text: 'Autocast, in `amp_dtype`: activations of products in 16 bits.',
      values: ['true', 'false'],
      byDefault: 'false',
    },
    amp_dtype: { text: 'Dtype of autocast.', values: ['float16', 'bfloat16'], byDefault: 'float16' },
    grad_checkpointing: {
      text: 'Computes blocks again in backward instead of keeping their activations.',
      values: ['true', 'false'],
      byDefault: 'false',
    },
    opt: {
      text: 'Optimizer: adamw and lamb keep two states a parameter, sgd with momentum one.',
      byDefault: 'sgd',
    },
    model_ema: { text: 'A second copy of the weights.', values: ['true', 'false'], byDefault: 'false' },
    model_ema_force_cpu: {
      text: 'Keeps that copy on the host.',
      values: ['true', 'false'],
      byDefault: 'false',
    },
    aug_splits: { text: 'Copies of each batch that go through together: 3 triple the activations.' },
    kd_model_name: { text: 'A teacher, whose weights are on the GPU as well.' },
    channels_last: {
      text: 'Another order of the same numbers: it changes no memory to speak of.',
      values: ['true', 'false'],
    },
    torchcompile: { text: 'torch.compile: fused kernels keep less for backward.' },
    workers: { text: 'Processes that load data, on the host only.' },
  },
};
