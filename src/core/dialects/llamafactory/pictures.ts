import type { Quantity } from '../../spec/quantity';
import type { FrozenPart } from '../../spec/values';
import type { RunReader } from '../engine/runReader';
import { frozenBySwitches, isVisionModel } from '../shared/pictures';
import type { FreezingSwitches } from '../shared/pictures';

/** Both are frozen by default (hparams/finetuning_args.py). */
const SWITCHES: FreezingSwitches = [
  ['freeze_vision_tower', 'vision tower'],
  ['freeze_multi_modal_projector', 'projector'],
];
const PIXELS = 'image_max_pixels';
const KEYS: readonly string[] = [PIXELS, ...SWITCHES.map(([key]) => key)];

/** model/model_utils/visual.py, get_forbidden_modules: frozen parts get no adapters either. */
export function frozenParts(run: RunReader): Quantity<readonly FrozenPart[]> {
  if (!isVisionModel(run, KEYS)) return run.none('no key is about images');
  return frozenBySwitches(run, SWITCHES, 'hparams/finetuning_args.py: tower and projector are frozen');
}

/** Images are resized to at most this size. */
export function picturePixels(run: RunReader): Quantity<number> {
  if (!isVisionModel(run, KEYS)) return run.none('no key is about images');
  const stated = run.count(PIXELS);
  return stated === null
    ? run.byDefault(768 * 768, 'hparams/model_args.py: image_max_pixels is 768 × 768')
    : run.at(PIXELS, stated);
}
