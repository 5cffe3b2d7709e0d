import type { Quantity } from '../spec/quantity';
import type { Dialect, Rule } from './dialect';
import { count } from './engine/readers';
import type { RunReader } from './engine/runReader';
import { builtIn } from './defined/compile';
import file from './diffusersPipeline.yaml';
import type { Size } from './shared/vision';

/** The repository of a file on the hub, as `from_single_file` gets it. */
const HUB_FILE = /^https:\/\/huggingface\.co\/([\w.-]+\/[\w.-]+)\/(?:blob|resolve)\//;

function model(run: RunReader): Quantity<string> {
  const key = 'pretrained_model_name_or_path';
  const name = run.word(key);
  const repository = name === null ? undefined : HUB_FILE.exec(name)?.[1];
  return repository === undefined
    ? run.at(key, name)
    : run.derived(repository, [key], 'the repository of the file');
}

/** Pictures of one pass: prompts times pictures for each. */
function pictures(run: RunReader): Quantity<number> {
  const prompts = run.has('prompts') ? run.read('prompts', count) : 1;
  const key = 'num_images_per_prompt';
  if (!run.has(key)) {
    return run.has('prompts') && prompts !== 1
      ? run.at('prompts', prompts)
      : run.byDefault(prompts, 'pipelines: num_images_per_prompt is 1');
  }
  const each = run.read(key, count);
  return prompts === 1 || prompts === null || each === null
    ? run.at(key, each)
    : run.derived(prompts * each, ['prompts', key], `${prompts} prompts × ${each} pictures`);
}

/** The size as called. Without one, that for which the model was made, which the memory model knows. */
function size(run: RunReader): Quantity<Size> {
  const [width, height] = [run.read('width', count), run.read('height', count)];
  if (width !== null && height !== null) return run.at(['width', 'height'], [width, height]);
  if (width !== null || height !== null) return run.unknown('Only one side of the pictures is set.');
  return run.has('takes_pictures')
    ? run.unknown('The pictures that it gets say the size.')
    : run.unknown('No size is set: that for which the model was made.');
}

/** A pass has the size that the model was made for. */
const defaultSize: Rule<boolean> = run => {
  if (run.has('takes_pictures')) return run.none('its pictures say the size');
  const called = run.has('width') || run.has('height');
  return run.byCode(run.has('unsized') || !called, 'a call without a size');
};

/** Above 1 the prompt is left out in a second row (do_classifier_free_guidance). */
const guidance: Rule<boolean> = run => {
  const key = 'guidance_scale';
  if (!run.has(key)) return run.byDefault(true, 'pipelines: guidance_scale is above 1');
  const scale = run.value(key);
  return run.at(key, typeof scale === 'number' ? scale > 1 : null);
};

const PARTS = [
  'unet',
  'transformer',
  'text_encoder',
  'text_encoder_2',
  'text_encoder_3',
  'controlnet',
  'image_encoder',
  'adapter',
  'motion_adapter',
  'quantization_config',
];

/** Parts of the pipeline that the program loads by itself, perhaps quantized or in addition. */
const replaced: Rule<string> = run => {
  const part = PARTS.find(key => run.has(key));
  return part === undefined
    ? run.none('all parts are those of the model')
    : run.byCode(part, `the program gives it ${part}`);
};

/** `cuda`, `cpu`, `mps`. */
const accelerator: Rule<string> = run => {
  const device = run.word('device');
  return /^(?:cpu|mps)/.test(device ?? '')
    ? run.at('device', device)
    : run.derived('cuda', ['device'], 'a pipeline on a GPU');
};

/** Sources are files of huggingface/diffusers 0.35.1, src/diffusers. */
export const diffusersPipeline: Dialect = builtIn(file, {
  quantities: { model, microBatchSize: pictures, imageSize: size, accelerator },
  details: { guidance, defaultSize, replacedParts: replaced },
});
