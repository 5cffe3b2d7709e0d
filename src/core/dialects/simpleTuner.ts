import type { Quantity } from '../spec/quantity';
import type { Written, Dialect } from './dialect';
import { number } from './engine/readers';
import type { RunReader } from './engine/runReader';
import type { Size } from './shared/vision';
import { refuse, write } from './shared/writing';
import { ownOf } from '../yaml/tables';
import { builtIn } from './defined/compile';
import file from './simpleTuner.yaml';

const FIELDS = 'fields';

/** A key as the file has it: with or without the dashes of a flag. */
const keyIn = (run: RunReader, name: string): string => (run.has(`--${name}`) ? `--${name}` : name);

const wordOf = (run: RunReader, name: string): string | null => run.word(keyIn(run, name));

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

function model(run: RunReader): Quantity<string> {
  const named = wordOf(run, 'pretrained_model_name_or_path');
  if (named !== null) return run.at(keyIn(run, 'pretrained_model_name_or_path'), named);
  const family = wordOf(run, 'model_family') ?? '';
  const flavor = wordOf(run, 'model_flavour');
  const known = ownOf(MODELS, family) ?? {};
  const name = flavor === null ? Object.values(known)[0] : ownOf(known, flavor);
  const keys = ['model_family', 'model_flavour'].map(key => keyIn(run, key)).filter(key => run.has(key));
  return name === undefined
    ? run.unknown(`Which weights ${[family, flavor].filter(Boolean).join(' ')} stands for is not known.`)
    : run.derived(name, keys, 'simpletuner/helpers/models: HUGGINGFACE_PATHS');
}

/** Areas are counted in megapixels; sides are multiples of 64. */
function sideOf(run: RunReader, stated: number): number {
  if (wordOf(run, 'resolution_type') !== 'area') return stated;
  return Math.round(Math.sqrt(stated * 1e6) / 64) * 64;
}

function imageSize(run: RunReader): Quantity<Size> {
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

/** One side for both; a new key is spelled like the file's other keys. */
function writeSize(to: Size, run: RunReader): Written {
  if (to[0] !== to[1]) {
    return refuse('resolution is one side; data sets of data_backend_config may have their own.');
  }
  const key = keyIn(run, 'resolution');
  const isNew = run.has('--model_family') && !run.has(key);
  return write(isNew ? '--resolution' : key, to[0], [keyIn(run, 'train_batch_size')]);
}

/** SimpleTuner's config.json; sources are files of bghira/SimpleTuner bc8e6ab (4.8). */
export const simpleTuner: Dialect = builtIn(file, {
  quantities: { model, imageSize },
  writers: { imageSize: writeSize },
});
