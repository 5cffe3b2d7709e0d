import type { Quantity } from '../../spec/quantity';
import type { FrozenPart } from '../../spec/values';
import type { RunReader } from '../engine/runReader';

/** Both are frozen by default (hparams/finetuning_args.py). */
const SWITCHES: readonly (readonly [key: string, part: FrozenPart])[] = [
  ['freeze_vision_tower', 'vision tower'],
  ['freeze_multi_modal_projector', 'projector'],
];
const PIXELS = 'image_max_pixels';

/** True for a vision model, by its keys or its model's name. */
function isVisionModel(run: RunReader): boolean {
  const name = run.get('model').value ?? '';
  return [PIXELS, ...SWITCHES.map(([key]) => key)].some(key => run.has(key)) || SEEING.test(name);
}

const SEEING = /vl\b|vl-|vision|llava|gemma-?[34]|internvl|pixtral|minicpm-?v|paligemma|smolvlm|idefics/i;

/** model/model_utils/visual.py, get_forbidden_modules: frozen parts get no adapters either. */
export function frozenParts(run: RunReader): Quantity<readonly FrozenPart[]> {
  if (!isVisionModel(run)) return run.none('no key is about images');
  const parts = SWITCHES.filter(([key]) => run.flag(key) ?? true).map(([, part]) => part);
  const stated = SWITCHES.map(([key]) => key).filter(key => run.has(key));
  return stated.length > 0
    ? run.at(stated, parts)
    : run.byDefault(parts, 'hparams/finetuning_args.py: tower and projector are frozen');
}

/** Images are resized to at most this size. */
export function picturePixels(run: RunReader): Quantity<number> {
  if (!isVisionModel(run)) return run.none('no key is about images');
  const stated = run.count(PIXELS);
  return stated === null
    ? run.byDefault(768 * 768, 'hparams/model_args.py: image_max_pixels is 768 × 768')
    : run.at(PIXELS, stated);
}
