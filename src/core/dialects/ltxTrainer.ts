import type { LoraSettings, Method, Quantization } from '../spec/values';
import type { Dialect } from './dialect';
import { count, countOrNone, flag, number, word } from './engine/readers';
import type { ValueReader } from './engine/readers';
import { autocastByPrecision } from './shared/lightning';
import { madeFor, mixedName, mixedWord, onCuda, wholeModel } from './shared/vision';
import { ltxForm } from '../data/forms/trainers';

const QUANTO: ValueReader<Quantization> = value => {
  const bits = typeof value === 'string' ? /(?:int|fp)([248])/.exec(value)?.[1] : undefined;
  if (bits === undefined) return value === null ? null : { unfit: 'is no type of quanto’s' };
  return {
    ok: {
      bits: Number(bits) as 2 | 4 | 8,
      method: 'other',
      type: typeof value === 'string' ? value : null,
      doubleQuant: null,
      computeDtype: null,
      storageDtype: null,
    },
  };
};

/** LTX-Video-Trainer; sources are files of Lightricks/LTX-Video-Trainer 31b1273 (config.py). */
export const ltxTrainer: Dialect = {
  id: 'ltx-trainer',
  title: 'LTX-Video-Trainer',
  role: 'run',
  framework: { name: 'ltxv-trainer', version: '31b1273' },
  loader: 'pyyaml',
  signature: {
    strong: [
      'model.model_source',
      'optimization.enable_gradient_checkpointing',
      'acceleration.mixed_precision_mode',
    ],
    medium: [
      'model.training_mode',
      'optimization.batch_size',
      'data.preprocessed_data_root',
      'validation.video_dims',
      'flow_matching.*',
    ],
    weak: ['lora.rank', 'checkpoints.*'],
    against: [],
    least: 6,
  },
  quantities: {
    ...wholeModel('src/ltxv_trainer/trainer.py'),
    loadDtype: run => {
      const adapters = run.get('method').value !== 'full';
      return run.byCode(adapters ? 'bf16' : 'fp32', 'src/ltxv_trainer/trainer.py: transformer_dtype');
    },
    model: { keys: ['model.model_source'], read: word },
    task: madeFor('denoising', 'src/ltxv_trainer/trainer.py'),
    method: run => {
      const mode = run.word('model.training_mode') ?? 'lora';
      const adapters: Method = run.get('quantization').value === null ? 'lora' : 'qlora';
      if (run.has('model.training_mode')) {
        return run.at('model.training_mode', mode === 'full' ? 'full' : adapters);
      }
      return run.byDefault(adapters, 'config.py: training_mode is lora');
    },
    lora: run => {
      if ((run.word('model.training_mode') ?? 'lora') === 'full') return run.none('training_mode is full');
      const rank = run.count('lora.rank') ?? 64;
      return run.at<LoraSettings>(['lora.rank', 'lora', 'model.training_mode'], {
        r: rank,
        alpha: run.read('lora.alpha', number) ?? 64,
        dropout: run.read('lora.dropout', number) ?? 0,
        targets: run.words('lora.target_modules') ?? ['to_k', 'to_q', 'to_v', 'to_out.0'],
        modulesToSave: [],
        rslora: false,
        dora: false,
      });
    },
    quantization: {
      keys: ['acceleration.quantization'],
      read: QUANTO,
      absent: { value: null, source: 'config.py: quantization is None' },
    },
    microBatchSize: {
      keys: ['optimization.batch_size'],
      read: count,
      absent: { value: 2, source: 'config.py' },
    },
    gradAccum: {
      keys: ['optimization.gradient_accumulation_steps'],
      read: count,
      absent: { value: 1, source: 'config.py' },
      near: ['optimization.batch_size'],
    },
    imageSize: run =>
      run.unknown('Latents are computed beforehand: their size is that of the preprocessing.'),
    precision: {
      keys: ['acceleration.mixed_precision_mode'],
      read: mixedWord,
      absent: { value: 'bf16-mixed', source: 'config.py' },
      write: mixedName,
    },
    precisionRaw: { keys: ['acceleration.mixed_precision_mode'], read: word },
    optimizer: {
      keys: ['optimization.optimizer_type'],
      read: word,
      absent: { value: 'adamw', source: 'config.py' },
    },
    gradientCheckpointing: {
      keys: ['optimization.enable_gradient_checkpointing'],
      read: flag,
      absent: { value: false, source: 'config.py' },
      near: ['optimization.batch_size'],
    },
    accelerator: onCuda('src/ltxv_trainer/trainer.py: accelerate'),
    numWorkers: {
      keys: ['data.num_dataloader_workers'],
      read: countOrNone,
      absent: { value: 2, source: 'config.py' },
    },
    compile: { keys: ['acceleration.compile_with_inductor'], read: flag },
  },
  details: {
    autocast: autocastByPrecision,
    precomputed: run => run.byCode(true, 'src/ltxv_trainer/datasets.py: PrecomputedDataset'),
  },
  launch: [
    {
      argv: ['python', 'scripts/train.py', '{config}'],
      source: 'LTX-Video-Trainer docs/training-guide.md; scripts/train_distributed.py takes all GPUs',
    },
  ],
  logs: [ltxForm],
  help: {
    'optimization.batch_size': { text: 'Clips of one forward pass on each GPU.' },
    'optimization.gradient_accumulation_steps': { text: 'Batches added up before a step.' },
    'optimization.enable_gradient_checkpointing': {
      text: 'Computes blocks again in backward instead of keeping their activations.',
      values: ['true', 'false'],
    },
    'optimization.optimizer_type': {
      text: '`adamw8bit` keeps two bytes of states a parameter.',
      values: ['adamw', 'adamw8bit'],
    },
    'acceleration.mixed_precision_mode': { text: 'Autocast.', values: ['no', 'fp16', 'bf16'] },
    'acceleration.quantization': {
      text: 'Frozen weights in fewer bits.',
      values: ['int8-quanto', 'int4-quanto', 'int2-quanto', 'fp8-quanto'],
    },
    'acceleration.load_text_encoder_in_8bit': {
      text: 'The text encoder in 8 bits.',
      values: ['true', 'false'],
    },
    'model.training_mode': { text: 'What is trained.', values: ['lora', 'full'] },
    'lora.rank': { text: 'Rank of the adapters: their weights, gradients and states grow with it.' },
  },
};
