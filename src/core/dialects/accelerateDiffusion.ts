import { builtIn } from './defined/compile';
import file from './accelerateDiffusion.yaml';
import type { Quantity } from '../spec/quantity';
import type { LoraSettings, Method } from '../spec/values';
import type { Dialect } from './dialect';
import { withPacks } from './engine/packs';
import type { RunReader } from './engine/runReader';
import { packs } from './packs/registry';
import { autocastByPrecision } from './shared/lightning';
import { averagedBy, mixedName, mixedWord, pixels, textOf } from './shared/vision';
import type { Size } from './shared/vision';

/** The places in which these scripts keep one key. */
const at = (name: string): readonly string[] =>
  ['training', 'solver', ''].map(part => (part === '' ? name : `${part}.${name}`));

const BATCHES = ['training.train_batch_size', 'train_batch_size'] as const;

function microBatchSize(run: RunReader): Quantity<number> {
  const said = BATCHES.find(one => run.has(one));
  if (said === undefined) return run.unknown('No key says the batch size.');
  const size = run.count(said);
  return size === null ? run.unknown(`${said} is no number.`) : run.at(said, size);
}

const PRECISIONS = at('mixed_precision');

function precision(run: RunReader): Quantity<string> {
  const said = PRECISIONS.find(one => run.has(one));
  const read = said === undefined ? null : run.read(said, mixedWord);
  if (said === undefined || read === null) return run.unknown('mixed_precision is the launcher’s.');
  return run.at(said, read);
}

const SIZES = ['image_size', 'resolution'] as const;

function imageSize(run: RunReader): Quantity<Size> {
  const said = SIZES.find(one => run.has(one));
  const size = said === undefined ? null : run.read(said, pixels('hw'));
  return said === undefined || size === null ? run.unknown('No key says the size.') : run.at(said, size);
}

const FRAMES = ['num_frames'] as const;

const MODELS = ['pretrained_model_name_or_path', 'model_name', 'model'] as const;

const ADAPTED = ['rank', 'lora_rank'] as const;

function method(run: RunReader): Quantity<Method> {
  const rank = ADAPTED.find(one => run.has(one));
  if (rank !== undefined) return run.at<Method>(rank, 'lora');
  return run.byDefault<Method>('full', 'no rank of adapters is given');
}

function task(run: RunReader): Quantity<string> {
  const trains = [...at('max_train_steps'), 'learning_rate', 'optimizer.params.learning_rate'].some(one =>
    run.has(one),
  );
  return trains
    ? run.byCode('denoising', 'the training script')
    : run.byCode('infer', 'no key of training is there');
}

const general: Dialect = builtIn(file, {
  quantities: {
    loadDtype: run => {
      const precision = run.get('precision').value;
      if (precision === null) return run.unknown('The precision is not known.');
      const adapters = run.get('method').value === 'lora';
      const half = precision.startsWith('bf16') ? 'bf16' : precision.startsWith('fp16') ? 'fp16' : 'fp32';
      return run.derived(adapters ? half : 'fp32', ['precision', 'method'], 'weight_dtype of what is frozen');
    },
    model: run => {
      const said = MODELS.find(one => run.has(one));
      const named = said === undefined ? null : run.word(said);
      return said === undefined || named === null
        ? run.unknown('No key names the model.')
        : run.at(said, named);
    },
    task,
    method,
    lora: run => {
      const said = ADAPTED.find(one => run.has(one));
      if (said === undefined) return run.none('no rank of adapters is given');
      return run.at<LoraSettings>(said, {
        r: run.count(said),
        alpha: null,
        dropout: null,
        targets: null,
        modulesToSave: [],
        rslora: false,
        dora: false,
      });
    },
    microBatchSize,
    imageSize,
    precision,
    precisionRaw: run => {
      const said = PRECISIONS.find(one => run.has(one));
      if (said === undefined) return run.unknown('mixed_precision is not set.');
      const text = textOf(run.value(said));
      return run.at(said, text);
    },
    optimizer: run => {
      const eight = at('use_8bit_adam').find(one => run.flag(one));
      if (eight !== undefined) return run.at(eight, 'adamw8bit');
      const name = run.word('optimizer.name');
      return name === null
        ? run.unknown('The script chooses the optimizer.')
        : run.at('optimizer.name', name);
    },
  },
  details: {
    autocast: autocastByPrecision,
    averagedWeights: averagedBy(...at('use_ema')),
    frames: run => {
      const said = FRAMES.find(one => run.has(one));
      const frames = said === undefined ? null : run.count(said);
      return said === undefined || frames === null ? run.unknown('No key says it.') : run.at(said, frames);
    },
  },
  writers: {
    microBatchSize: (to, run) => {
      const said = BATCHES.find(one => run.has(one));
      return said === undefined
        ? { ok: false, why: 'No key says the batch size.' }
        : { ok: true, writes: [{ key: said, value: to }] };
    },
    precision: (to, run) => {
      const said = PRECISIONS.find(one => run.has(one));
      const name = mixedName(to);
      return said === undefined || name === null || typeof run.value(said) === 'boolean'
        ? { ok: false, why: 'mixed_precision is the launcher’s, or a flag of the script.' }
        : { ok: true, writes: [{ key: said, value: name }] };
    },
  },
});

/** Training scripts of diffusion models on accelerate, in the words of diffusers' own; projects have packs. */
export const accelerateDiffusion: Dialect = withPacks(general, packs);
