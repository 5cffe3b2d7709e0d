import { CONSTANTS, PRIORS, SPREADS } from '../../../src/core/speed/constants';
import type { ConstantName, Constants, Spread } from '../../../src/core/speed/constants';
import { deviceOf } from '../../../src/core/speed/roofline';
import { stepTime } from '../../../src/core/speed/stepTime';
import { quantile } from '../accuracy/statistics';
import { rounded } from '../bench/bench';
import { errorOf, fit, priors, sourcesOf } from './fit';
import { peerScores } from './peers';
import type { PeerScore } from './peers';
import type { Row, Rows } from './rows';

/** How good predictions of a group are; null where there are none. */
export interface GroupScore {
  readonly n: number;
  readonly asked: number;
  readonly median: number | null;
  readonly p90: number | null;
  readonly bias: number | null;
  /** Measured times between low and high. */
  readonly inside: number | null;
  /** The rule of 50 % of the published rate on the same rows. */
  readonly ruleMedian: number | null;
  readonly ruleP90: number | null;
}

interface Fitted {
  readonly about: string;
  readonly sources: readonly string[];
  readonly constants: Constants;
  readonly spreads: Readonly<Record<'one' | 'several', Spread>>;
}

type Asked = Pick<Row, 'source' | 'several'>;

export interface Scores {
  readonly groups: Readonly<Record<string, GroupScore>>;
  readonly worst: readonly object[];
  readonly missing: Readonly<Record<string, number>>;
  readonly fitted: Fitted;
  /** Other tools on the same rows; empty without their answers. */
  readonly peers: readonly PeerScore[];
}

/** A row and the logarithms of its errors: with constants of other sources, and by the rule. */
interface Scored {
  readonly row: Row;
  readonly error: number;
  readonly rule: number;
  /** The errors with the shortest and the longest usual rows, where nobody counted the data. */
  readonly others: readonly number[];
}

/** A constant share of the peak. */
const RULE = 0.5;

function ruleError({ gpu, ranks, seconds }: Row, constants: Constants): number {
  const device = deviceOf(gpu);
  const step = device && stepTime(ranks, device, constants);
  return step ? Math.log(step.usefulFlops / device.flops.half / RULE / seconds) : Infinity;
}

/**
 * Sources that no fit learns from: functional tests of small models in deterministic mode, whose steps wait for the host and for
 * what the tests log. They are scored like the others, apart from the groups of all sources.
 */
const TESTS: ReadonlySet<string> = new Set(['megatron-golden']);

const isRun = ({ source }: { readonly source: string }): boolean => !TESTS.has(source);

/** Constants and intervals learn from runs whose rows have a known length. */
const teaches = (row: Row): boolean => isRun(row) && !row.others;

const scoredWith = (row: Row, constants: Constants): Scored => ({
  row,
  error: errorOf(row, constants),
  rule: ruleError(row, constants),
  others: (row.others ?? []).map(other => errorOf({ ...row, ...other }, constants)),
});

/** The error is inside the interval: that of the constants, wider by what other lengths of rows would change. */
function isInside({ error, others }: Scored, { low, high }: Spread): boolean {
  const away = (bound: number, other: number): number => Math.hypot(Math.log(bound), other - error);
  const below = away(low, Math.min(error, ...others));
  return error >= -away(high, Math.max(error, ...others)) && error <= below;
}

/** Every source with what the others give. */
function leftOut(rows: readonly Row[]): readonly Scored[] {
  return sourcesOf(rows).flatMap(([source, own]) => {
    const others = rows.filter(row => row.source !== source && teaches(row));
    const constants = others.length === 0 ? priors() : fit(others);
    return own.map(row => scoredWith(row, constants));
  });
}

/** Every row with the constants that ship: for runs of which none was learned from. */
const asShipped = (rows: readonly Row[]): readonly Scored[] => rows.map(row => scoredWith(row, CONSTANTS));

interface Asking {
  /** How many of the worst to list. */
  readonly worst: number;
  /** With the constants that ship, for runs that none was learned from. */
  readonly shipped: boolean;
  /** A file of `peers.py`; null: none. */
  readonly peers: string | null;
}

export function scoresOf({ rows, unanswered }: Rows, { worst, shipped, peers }: Asking): Scores {
  const scored = shipped ? asShipped(rows) : leftOut(rows);
  const ofRuns = scored.filter(({ row }) => teaches(row));
  const spreads = { one: spreadOf(ofRuns, false), several: spreadOf(ofRuns, true) };
  const inside = (one: Scored): boolean => {
    const kind = one.row.several ? 'several' : 'one';
    return isInside(one, shipped ? SPREADS[kind] : spreadWithout(ofRuns, one.row));
  };
  const group = (wanted: (one: Asked) => boolean, isCounted?: boolean): GroupScore => {
    const own = scored.filter(
      ({ row }) => wanted(row) && (isCounted === undefined || isCounted === !row.others),
    );
    const asked = own.length + unanswered.filter(wanted).length;
    return groupScore(own, asked, own.filter(inside).length);
  };
  const sources = [...new Set([...rows, ...unanswered].map(({ source }) => source))].toSorted();
  const kinds = [false, true];
  const all = fit(rows.filter(teaches));
  return {
    groups: {
      ...Object.fromEntries(
        kinds.flatMap(several => {
          const wanted = (one: Asked): boolean => one.several === several && isRun(one);
          const name = several ? 'several GPUs' : 'one GPU';
          return [
            [name, group(wanted, true)],
            [`${name}, lengths of rows assumed`, group(wanted, false)],
            [`${name}, both`, group(wanted)],
          ];
        }),
      ),
      ...Object.fromEntries(
        sources.flatMap(name =>
          kinds.map(kind => [
            `${name}, ${kind ? 'several GPUs' : 'one GPU'}`,
            group(({ source, several }) => source === name && several === kind),
          ]),
        ),
      ),
    },
    worst: scored
      .toSorted((a, b) => Math.abs(b.error) - Math.abs(a.error))
      .slice(0, worst)
      .map(({ row, error }) => ({ id: `${row.source}/${row.id}`, error: rounded(Math.exp(error) - 1, 3) })),
    missing: missingIn(unanswered),
    peers: peers === null ? [] : peersOf(peers, scored),
    fitted: {
      about:
        'Written by npm run speed -- --write from the sources below; src/core/speed/constants.ts explains each number.',
      sources: [...new Set(rows.filter(teaches).map(({ source }) => source))].toSorted(),
      constants: Object.fromEntries(
        Object.keys(PRIORS).map(name => [name, rounded(all[name as ConstantName], 4)]),
      ) as unknown as Constants,
      spreads,
    },
  };
}

function peersOf(file: string, scored: readonly Scored[]): readonly PeerScore[] {
  const own = new Map(scored.flatMap(one => (isRun(one.row) ? [[one.row, one.error] as const] : [])));
  return peerScores(file, own);
}

/** Student's t at 95 % of one side, for 1 to 10 degrees of freedom. */
const STUDENT = [6.314, 2.92, 2.353, 2.132, 2.015, 1.943, 1.895, 1.86, 1.833, 1.812];

/** What a source that nobody has seen may be off by: the interval of one more median, by how much those of all sources differ. */
function ofAnother(scored: readonly Scored[]): Spread {
  const sources = [...new Set(scored.map(({ row }) => row.source))];
  const errorsOf = (source: string): readonly number[] =>
    scored.filter(({ row }) => row.source === source).map(({ error }) => error);
  const medians = sources.map(source => quantile(errorsOf(source), 0.5));
  const count = medians.length;
  const mean = medians.reduce((sum, one) => sum + one, 0) / count;
  const variance = medians.reduce((sum, one) => sum + (one - mean) ** 2, 0) / (count - 1);
  const t = STUDENT[Math.min(count - 1, STUDENT.length) - 1];
  if (t === undefined) return { low: 1, high: 1 };
  const away = t * Math.sqrt(variance * (1 + 1 / count));
  return { low: Math.exp(-away), high: Math.exp(away) };
}

/** Factors of the expected time that hold 95 % of the errors of every source, whose stacks differ more than their runs. */
function spreadOf(scored: readonly Scored[], several: boolean): Spread {
  const own = scored.filter(({ row }) => row.several === several);
  const each = [...new Set(own.map(({ row }) => row.source))].map(source =>
    own.filter(({ row }) => row.source === source).map(({ error }) => error),
  );
  const lows = each.map(errors => Math.exp(-quantile(errors, 0.975)));
  const highs = each.map(errors => Math.exp(-quantile(errors, 0.025)));
  const least = ofAnother(scored);
  return {
    low: rounded(Math.min(least.low, ...lows), 3),
    high: rounded(Math.max(least.high, ...highs), 3),
  };
}

const spreads = new Map<string, Spread>();

/** The interval that the other sources give. */
function spreadWithout(scored: readonly Scored[], { source, several }: Row): Spread {
  const key = `${source} ${several}`;
  const known = spreads.get(key);
  if (known) return known;
  const made = spreadOf(
    scored.filter(({ row }) => row.source !== source),
    several,
  );
  spreads.set(key, made);
  return made;
}

function groupScore(own: readonly Scored[], asked: number, inside: number): GroupScore {
  const some = (of: (errors: readonly number[]) => number, pick: (one: Scored) => number): number | null =>
    own.length === 0 ? null : rounded(of(own.map(pick)), 4);
  const relative = (error: number): number => Math.abs(Math.exp(error) - 1);
  return {
    n: own.length,
    asked,
    median: some(
      all => quantile(all, 0.5),
      ({ error }) => relative(error),
    ),
    p90: some(
      all => quantile(all, 0.9),
      ({ error }) => relative(error),
    ),
    bias: some(
      all => quantile(all, 0.5),
      ({ error }) => Math.exp(error) - 1,
    ),
    inside: own.length === 0 ? null : rounded(inside / own.length, 4),
    ruleMedian: some(
      all => quantile(all, 0.5),
      ({ rule }) => relative(rule),
    ),
    ruleP90: some(
      all => quantile(all, 0.9),
      ({ rule }) => relative(rule),
    ),
  };
}

function missingIn(unanswered: Rows['unanswered']): Readonly<Record<string, number>> {
  const counts = new Map<string, number>();
  for (const { source, missing } of unanswered) {
    for (const fact of missing) {
      const key = `${source}: ${fact}`;
      counts.set(key, (counts.get(key) ?? 0) + 1);
    }
  }
  return Object.fromEntries([...counts].toSorted(([, a], [, b]) => b - a));
}
