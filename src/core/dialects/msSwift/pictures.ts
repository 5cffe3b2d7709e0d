import type { Quantity } from '../../spec/quantity';
import type { FrozenPart } from '../../spec/values';
import type { RunReader } from '../engine/runReader';
import { frozenBySwitches, isVisionModel } from '../shared/pictures';
import type { FreezingSwitches } from '../shared/pictures';

/** Both are frozen by default, and frozen parts get no adapters (swift/arguments/tuner_args.py). */
const SWITCHES: FreezingSwitches = [
  ['freeze_vit', 'vision tower'],
  ['freeze_aligner', 'projector'],
];

export function frozenParts(run: RunReader): Quantity<readonly FrozenPart[]> {
  const keys = SWITCHES.map(([key]) => key);
  if (!isVisionModel(run, keys)) return run.none('no key is about images');
  return frozenBySwitches(run, SWITCHES, 'swift/arguments/tuner_args.py: tower and aligner are frozen');
}
