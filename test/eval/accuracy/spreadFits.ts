import { calibration } from '../../../src/core/memory/calibration';
import type { SpreadName } from '../../../src/core/memory/calibration';
import { uncertaintiesOf } from '../../../src/core/memory/interval';
import { setUp } from '../../../src/core/memory/setup/setUp';
import type { Measured } from './record';
import { quantile } from './statistics';
import type { Answer } from './statistics';

/* Spreads fitted on some measurements, and intervals made of them. */

/** Fewer records say nothing: the shipped value stays. */
export const LEAST = 8;

/** The doubts that a record's interval is made of. */
export type Applying = ReadonlyMap<string, readonly SpreadName[]>;

export function doubtsIn({
  run,
  model,
  target,
  metric,
  behavior,
  architecture,
}: Measured): readonly SpreadName[] {
  const found = setUp(run, model, target, {
    ...(behavior && { behavior }),
    ...(architecture && { architecture }),
  });
  if (!found.ok) return [];
  const { allocated, reserved, device } = uncertaintiesOf(found.plan.memoryRun, true);
  if (metric === 'allocated') return allocated;
  return metric === 'reserved' ? [...allocated, ...reserved] : [...allocated, ...reserved, ...device];
}

export type Sides = Record<'below' | 'above', number>;
export type SpreadValues = Record<SpreadName, Sides>;

/** Spreads, and how many records each was fitted on. */
interface FittedSpreads {
  readonly spreads: SpreadValues;
  readonly counts: Readonly<Record<SpreadName, number>>;
}

/** One after the other, the others as they stand: as wide as 95 of 100 need on either side. */
export function fitSpreads(answers: readonly Answer[], applying: Applying): FittedSpreads {
  const names = Object.keys(calibration.spreads) as SpreadName[];
  const spreads = Object.fromEntries(
    names.map(name => [name, { ...calibration.spreads[name].value }]),
  ) as SpreadValues;
  const counts = {} as Record<SpreadName, number>;
  for (const name of names) {
    const own = answers.filter(({ measured }) => applying.get(measured.id)?.includes(name));
    counts[name] = own.length;
    if (own.length < LEAST) continue;
    for (const way of ['below', 'above'] as const) {
      const needs = own.map(answer => {
        const others = (applying.get(answer.measured.id) ?? []).filter(other => other !== name);
        const error = (answer.measured.bytes / answer.predicted - 1) * (way === 'above' ? 1 : -1);
        return Math.sqrt(Math.max(0, Math.max(0, error) ** 2 - widthOf(others, spreads, way) ** 2));
      });
      spreads[name][way] = quantile(needs, 0.95);
    }
  }
  return { spreads, counts };
}

const widthOf = (names: readonly SpreadName[], spreads: SpreadValues, way: keyof Sides): number =>
  Math.hypot(...names.map(name => spreads[name][way]));

export function respread(answer: Answer, spreads: SpreadValues, applying: Applying): Answer {
  const names = applying.get(answer.measured.id) ?? [];
  return {
    ...answer,
    low: answer.predicted * (1 - widthOf(names, spreads, 'below')),
    high: answer.predicted * (1 + widthOf(names, spreads, 'above')),
  };
}
