import { calibration } from '../../../src/core/memory/calibration';
import type { SpreadName } from '../../../src/core/memory/calibration';
import { doubtsIn, respread } from './spreadFits';
import type { Applying, Sides, SpreadValues } from './spreadFits';
import type { Answer } from './statistics';

/*
 * Would the interval hold for a source that nobody has seen? Its spreads are fitted on all other sources, which weigh alike,
 * and scored on it. A fit is a quantile regression: the doubts of a run add up by their squares to a width on either side,
 * and the widths are those with the least pinball loss, one doubt after the other over a few rounds.
 */

/** The share of measurements that each side should leave inside. */
const INSIDE_A_SIDE = 0.95;
/** Widths that are tried: finer ones say nothing on a few dozen sources. */
const WIDTHS = [0, 0.02, 0.03, 0.05, 0.08, 0.12, 0.16, 0.2, 0.25, 0.3, 0.4, 0.5, 0.65, 0.8, 1];
const ROUNDS = 3;
/** Farther off a record is of another run than it says, or in another unit: how much farther does not count. */
const FARTHEST = 0.75;
/** A doubt that fewer sources have stays as it is. */
const LEAST_SOURCES = 3;

/** What one measurement asks of a side's width. */
interface Need {
  readonly source: string;
  readonly error: number;
  readonly weight: number;
  readonly doubts: readonly SpreadName[];
}

const NAMES = Object.keys(calibration.spreads) as SpreadName[];

/** The answers to published records with intervals that their own source had no part in. */
export function leaveOneOut(answers: readonly Answer[]): readonly Answer[] {
  const applying = applyingTo(answers);
  const sources = [...new Set(answers.map(({ measured }) => measured.source))];
  return sources.flatMap(source => {
    const isOf = ({ measured }: Answer): boolean => measured.source === source;
    const spreads = fitted(
      answers.filter(answer => !isOf(answer)),
      applying,
    );
    return answers.filter(isOf).map(answer => respread(answer, spreads, applying));
  });
}

/** Spreads fitted on all sources: what calibration.ts should have. */
export const fittedOnAll = (answers: readonly Answer[]): SpreadValues => fitted(answers, applyingTo(answers));

const applyingTo = (answers: readonly Answer[]): Applying =>
  new Map(answers.map(({ measured }) => [measured.id, doubtsIn(measured)]));

function fitted(answers: readonly Answer[], applying: Applying): SpreadValues {
  const spreads = Object.fromEntries(
    NAMES.map(name => [name, { ...calibration.spreads[name].value }]),
  ) as SpreadValues;
  const sizes = new Map<string, number>();
  for (const { measured } of answers) sizes.set(measured.source, (sizes.get(measured.source) ?? 0) + 1);
  for (const way of ['below', 'above'] as const) {
    const needs = answers.map(({ measured, predicted }): Need => {
      const { source, bytes, id } = measured;
      const error = Math.min(FARTHEST, (bytes / predicted - 1) * (way === 'above' ? 1 : -1));
      return { source, error, weight: 1 / (sizes.get(source) ?? 1), doubts: applying.get(id) ?? [] };
    });
    fitSide(needs, spreads, way);
  }
  return spreads;
}

function fitSide(needs: readonly Need[], spreads: SpreadValues, way: keyof Sides): void {
  const squares = needs.map(({ doubts }) => doubts.reduce((sum, name) => sum + spreads[name][way] ** 2, 0));
  for (let round = 0; round < ROUNDS; round++) {
    for (const name of NAMES) {
      const own = needs.flatMap(({ doubts }, i) => (doubts.includes(name) ? [i] : []));
      if (new Set(own.map(i => needs[i]?.source)).size < LEAST_SOURCES) continue;
      const before = spreads[name][way];
      const lossOf = (width: number): number =>
        own.reduce((sum, i) => {
          const rest = Math.max(0, (squares[i] ?? 0) - before ** 2);
          return sum + pinball(needs[i], Math.sqrt(rest + width ** 2));
        }, 0);
      const best = WIDTHS.map(width => ({ width, loss: lossOf(width) })).reduce((a, b) =>
        b.loss < a.loss ? b : a,
      ).width;
      for (const i of own) squares[i] = Math.max(0, (squares[i] ?? 0) - before ** 2) + best ** 2;
      spreads[name][way] = best;
    }
  }
}

function pinball(need: Need | undefined, width: number): number {
  if (!need) return 0;
  const beyond = need.error - width;
  return need.weight * (beyond > 0 ? INSIDE_A_SIDE * beyond : (INSIDE_A_SIDE - 1) * beyond);
}
