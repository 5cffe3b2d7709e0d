import type { Quantity } from '../../spec/quantity';
import type { FrozenPart } from '../../spec/values';
import type { RunReader } from '../engine/runReader';

/** Switches of parts that are frozen unless a config says otherwise. */
export type FreezingSwitches = readonly (readonly [key: string, part: FrozenPart])[];

/** Names of models that see. */
const SEEING =
  /vl\b|vl-|vision|llava|gemma-?[34]|internvl|pixtral|minicpm-?v|paligemma|smolvlm|idefics|omni|ovis/i;

/** True for a vision model, by keys that only such runs have, or by its model's name. */
export const isVisionModel = (run: RunReader, keys: readonly string[]): boolean =>
  keys.some(key => run.has(key)) || SEEING.test(run.get('model').value ?? '');

/** The frozen parts of a vision model. */
export function frozenBySwitches(
  run: RunReader,
  switches: FreezingSwitches,
  source: string,
): Quantity<readonly FrozenPart[]> {
  const parts = switches.filter(([key]) => run.flag(key) ?? true).map(([, part]) => part);
  const stated = switches.map(([key]) => key).filter(key => run.has(key));
  return stated.length > 0 ? run.at(stated, parts) : run.byDefault(parts, source);
}
