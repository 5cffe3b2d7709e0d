import type { Quantity } from '../../spec/quantity';
import type {
  DetailValues,
  Dtype,
  FsdpSettings,
  LoraSettings,
  Method,
  OffloadSettings,
  Quantization,
} from '../../spec/values';
import { number } from '../engine/readers';
import type { RunReader } from '../engine/runReader';
import type { Size } from '../shared/vision';

const FIELDS = 'fields';
const TRAINER = 'simpletuner/helpers/training/trainer.py';

/** A key as the file has it: with the dashes of a flag, or without. */
export const keyIn = (run: RunReader, name: string): string => (run.has(`--${name}`) ? `--${name}` : name);

const wordOf = (run: RunReader, name: string): string | null => run.word(keyIn(run, name));
const flagOf = (run: RunReader, name: string): boolean | null => run.flag(keyIn(run, name));
const countOf = (run: RunReader, name: string): number | null => run.count(keyIn(run, name));

/** helpers/models/<family>/model.py: HUGGINGFACE_PATHS, by family and flavor; the first is DEFAULT_MODEL_FLAVOUR. */
const MODELS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  auraflow: { 'v0.3': 'terminusresearch/auraflow-v0.3', 'v0.2': 'fal/AuraFlow-v0.2', 'v0.1': 'fal/AuraFlow' },
  chroma: { base: 'lodestones/Chroma1-Base', hd: 'lodestones/Chroma1-HD', flash: 'lodestones/Chroma1-Flash' },
  flux: {
    krea: 'black-forest-labs/FLUX.1-Krea-dev',
    dev: 'black-forest-labs/FLUX.1-dev',
    schnell: 'black-forest-labs/FLUX.1-schnell',
  },
  kolors: { '1.0': 'terminusresearch/kwai-kolors-1.0' },
  lumina2: { '2.0': 'Alpha-VLLM/Lumina-Image-2.0' },
  qwen_image: { 'v2.0': 'Qwen/Qwen-Image-2512', 'v1.0': 'Qwen/Qwen-Image' },
  sd3: {
    medium: 'stabilityai/stable-diffusion-3.5-medium',
    large: 'stabilityai/stable-diffusion-3.5-large',
  },
  sdxl: {
    'base-1.0': 'stabilityai/stable-diffusion-xl-base-1.0',
    'refiner-1.0': 'stabilityai/stable-diffusion-xl-refiner-1.0',
  },
  wan: {
    't2v-480p-1.3b-2.1': 'Wan-AI/Wan2.1-T2V-1.3B-Diffusers',
    't2v-480p-14b-2.1': 'Wan-AI/Wan2.1-T2V-14B-Diffusers',
  },
};

export function model(run: RunReader): Quantity<string> {
  const named = wordOf(run, 'pretrained_model_name_or_path');
  if (named !== null) return run.at(keyIn(run, 'pretrained_model_name_or_path'), named);
  const family = wordOf(run, 'model_family') ?? '';
  const flavor = wordOf(run, 'model_flavour');
  const known = MODELS[family] ?? {};
  const name = flavor === null ? Object.values(known)[0] : known[flavor];
  const keys = ['model_family', 'model_flavour'].map(key => keyIn(run, key)).filter(key => run.has(key));
  return name === undefined
    ? run.unknown(`Which weights ${[family, flavor].filter(Boolean).join(' ')} stands for is not known.`)
    : run.derived(name, keys, 'simpletuner/helpers/models: HUGGINGFACE_PATHS');
}

const isAdapter = (run: RunReader): boolean => wordOf(run, 'model_type') === 'lora';

export function method(run: RunReader): Quantity<Method> {
  const key = keyIn(run, 'model_type');
  if (!run.has(key)) return run.byDefault<Method>('full', `${FIELDS}/model.py: model_type is full`);
  if (!isAdapter(run)) return run.at<Method>(key, 'full');
  return run.at<Method>(key, run.get('quantization').value === null ? 'lora' : 'qlora');
}

export function lora(run: RunReader): Quantity<LoraSettings> {
  if (!isAdapter(run)) return run.none('model_type is full');
  if (wordOf(run, 'lora_type') === 'lycoris') {
    const file = run.part(keyIn(run, 'lycoris_config'))?.get('lora');
    return file ?? run.unknown('The adapters are in the file that lycoris_config names.');
  }
  const r = countOf(run, 'lora_rank') ?? 16;
  const keys = ['lora_rank', 'lora_alpha', 'model_type'].map(name => keyIn(run, name));
  return run.at<LoraSettings>(
    keys.filter(key => run.has(key)),
    {
      r,
      alpha: run.read(keyIn(run, 'lora_alpha'), number) ?? r,
      dropout: run.read(keyIn(run, 'lora_dropout'), number) ?? 0.1,
      targets: null,
      modulesToSave: [],
      rslora: false,
      dora: flagOf(run, 'use_dora') ?? false,
    },
  );
}

const FORMATS: Readonly<Record<string, Pick<Quantization, 'bits' | 'method' | 'type' | 'doubleQuant'>>> = {
  'nf4-bnb': { bits: 4, method: 'bnb', type: 'nf4', doubleQuant: true },
  'int8-sdnq': { bits: 8, method: 'sdnq', type: 'int8', doubleQuant: null },
  'fp8-torchao': { bits: 8, method: 'torchao', type: 'fp8', doubleQuant: null },
  'fp8wo-torchao': { bits: 8, method: 'torchao', type: 'fp8wo', doubleQuant: null },
};

/** Formats whose bytes nobody has read: `int4-quanto`. */
function otherFormat(name: string): Pick<Quantization, 'bits' | 'method' | 'type' | 'doubleQuant'> {
  const bits = ([2, 3, 4, 8] as const).find(one => one === Number(/\d+/.exec(name)?.[0])) ?? null;
  return { bits, method: 'other', type: name, doubleQuant: null };
}

/** helpers/training/quantisation: presets of base_model_precision. */
export function quantization(run: RunReader): Quantity<Quantization> {
  const key = keyIn(run, 'base_model_precision');
  const name = run.word(key);
  if (name === null) return run.none(`${FIELDS}/model.py: base_model_precision is no_change`);
  if (name === 'no_change') return run.none('base_model_precision is no_change');
  return run.at(key, { ...(FORMATS[name] ?? otherFormat(name)), computeDtype: null, storageDtype: null });
}

/** Weights are loaded in the dtype of mixed_precision: there is no copy in fp32. */
export function loadDtype(run: RunReader): Quantity<Dtype> {
  const precision = run.get('precision').value;
  if (precision === null) return run.unknown('The precision is not known.');
  const held = precision === 'fp32' || precision === 'fp16' ? precision : 'bf16';
  return run.derived<Dtype>(held, ['precision'], 'weight_dtype of the model');
}

/** Areas are counted in megapixels; sides are multiples of 64. */
function sideOf(run: RunReader, stated: number): number {
  if (wordOf(run, 'resolution_type') !== 'area') return stated;
  return Math.round(Math.sqrt(stated * 1e6) / 64) * 64;
}

export function imageSize(run: RunReader): Quantity<Size> {
  const key = keyIn(run, 'resolution');
  const stated = run.read(key, number);
  if (stated !== null) {
    const side = sideOf(run, stated);
    return run.at(key, [side, side], 'A data set of data_backend_config may have a resolution of its own.');
  }
  return run.has(keyIn(run, 'data_backend_config'))
    ? run.unknown('The data sets that data_backend_config names say the size.')
    : run.byDefault([1024, 1024], `${FIELDS}/data.py: resolution is 1024`);
}

export function fsdp(run: RunReader): Quantity<FsdpSettings> {
  const key = keyIn(run, 'fsdp_enable');
  if (flagOf(run, 'fsdp_enable') !== true) return run.none(`${FIELDS}/advanced.py: fsdp_enable is False`);
  const settings: FsdpSettings = {
    version: countOf(run, 'fsdp_version') === 1 ? 1 : 2,
    strategy: flagOf(run, 'fsdp_reshard_after_forward') === false ? 'SHARD_GRAD_OP' : 'FULL_SHARD',
    offloadParams: flagOf(run, 'fsdp_cpu_offload') ?? false,
    activationCheckpointing: null,
  };
  return run.at(key, settings);
}

export function offload(run: RunReader): Quantity<OffloadSettings> {
  const key = keyIn(run, 'fsdp_cpu_offload');
  return flagOf(run, 'fsdp_cpu_offload') === true
    ? run.at(key, { param: 'cpu', optimizer: 'cpu' })
    : run.none(`${FIELDS}/advanced.py: fsdp_cpu_offload is False`);
}

export function zeroStage(run: RunReader): Quantity<0 | 1 | 2 | 3> {
  return run.has(keyIn(run, 'deepspeed_config'))
    ? run.unknown('deepspeed_config says the stage in a form of its own.')
    : run.none(`${FIELDS}/advanced.py: deepspeed_config is None`);
}

/** Of every `stride` blocks an interval's are one checkpoint; without a stride all are checkpointed. */
export function checkpointSegments(run: RunReader): Quantity<DetailValues['checkpointSegments']> {
  const width = countOf(run, 'gradient_checkpointing_interval');
  const stride = countOf(run, 'gradient_checkpointing_segment_stride');
  if (width === null && stride === null) {
    return run.none(`${FIELDS}/model.py: gradient_checkpointing_interval is None`);
  }
  const keys = ['gradient_checkpointing_interval', 'gradient_checkpointing_segment_stride'];
  const stated = keys.map(name => keyIn(run, name)).filter(key => run.has(key));
  return run.at(stated, { width: width ?? 1, stride: stride ?? width ?? 1 });
}

/** Latents and embeddings of texts are cached on disk unless either cache is off. */
export function precomputed(run: RunReader): Quantity<boolean> {
  const off = ['vae_cache_disable', 'text_cache_disable'].find(name => flagOf(run, name) === true);
  return off === undefined
    ? run.byDefault(true, `${TRAINER}: latents and embeddings are cached before training`)
    : run.at(keyIn(run, off), false);
}

export function averagedWeights(run: RunReader): Quantity<boolean> {
  if (flagOf(run, 'use_ema') !== true) return run.byDefault(false, `${FIELDS}/training.py: use_ema is False`);
  const onDevice = wordOf(run, 'ema_device') === 'accelerator';
  return run.at(
    ['use_ema', 'ema_device'].map(name => keyIn(run, name)),
    onDevice,
  );
}
