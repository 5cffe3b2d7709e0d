import { PRIORS } from '../../../src/core/speed/constants';
import type { ConstantName, Constants } from '../../../src/core/speed/constants';
import { deviceOf } from '../../../src/core/speed/roofline';
import { stepTime } from '../../../src/core/speed/stepTime';
import type { Row } from './rows';

const NAMES = Object.keys(PRIORS) as readonly ConstantName[];

export const priors = (): Constants =>
  Object.fromEntries(NAMES.map(name => [name, PRIORS[name].value])) as unknown as Constants;

/** Predicted over measured seconds, as a logarithm. */
export function errorOf({ ranks, gpu, seconds }: Row, constants: Constants): number {
  const device = deviceOf(gpu);
  const step = device && stepTime(ranks, device, constants);
  return step ? Math.log(step.seconds / seconds) : Infinity;
}

/** How far a constant is from its prior, in shares of the way to its bound: data must outweigh it. */
function strayed(constants: Constants): number {
  return NAMES.reduce((sum, name) => {
    const { value, least, most } = PRIORS[name];
    const now = constants[name];
    const room = now < value ? Math.log(value / least) : Math.log(most / value);
    return sum + (Math.log(now / value) / (room || 1)) ** 2;
  }, 0);
}

const HOLD = 0.2;

/** The mean over sources of the mean absolute logarithm of the error, and the distance from the priors. */
function lossOf(sources: readonly (readonly Row[])[], constants: Constants): number {
  const each = sources.map(
    rows => rows.reduce((sum, row) => sum + Math.abs(errorOf(row, constants)), 0) / rows.length,
  );
  return each.reduce((sum, one) => sum + one, 0) / each.length + HOLD * strayed(constants);
}

const STEPS = [0.2, 0.08, 0.03, 0.01];
const ROUNDS = 12;

/** Constants that fit these rows: each is moved in turn, in ever smaller steps, while the loss falls. Deterministic. */
export function fit(rows: readonly Row[]): Constants {
  const sources = sourcesOf(rows).map(([, own]) => thinned(own));
  let best = priors();
  let least = lossOf(sources, best);
  for (const step of STEPS) {
    for (let round = 0; round < ROUNDS; round++) {
      const before = least;
      for (const name of NAMES) {
        for (const factor of [1 + step, 1 / (1 + step)]) {
          const bounded = Math.min(PRIORS[name].most, Math.max(PRIORS[name].least, best[name] * factor));
          const tried = { ...best, [name]: bounded };
          const loss = lossOf(sources, tried);
          if (loss < least) [best, least] = [tried, loss];
        }
      }
      if (before - least < 1e-5) break;
    }
  }
  return best;
}

/** Rows by their source. */
export function sourcesOf(
  rows: readonly Row[],
): readonly (readonly [source: string, rows: readonly Row[]])[] {
  const names = [...new Set(rows.map(({ source }) => source))];
  return names.map(name => [name, rows.filter(({ source }) => source === name)]);
}

/** At most this many rows of a source, evenly chosen. */
const MOST = 120;

function thinned(rows: readonly Row[]): readonly Row[] {
  const every = Math.ceil(rows.length / MOST);
  return rows.filter((_, at) => at % every === 0);
}
