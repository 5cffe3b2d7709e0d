import { calibration } from '../../../src/core/memory/calibration';
import type { Calibration, ScalarName, SpreadName } from '../../../src/core/memory/calibration';
import { MemorySession } from '../../../src/core/memory/session';
import { answersTo } from './answers';
import { estimatedAs } from './record';
import type { Measured } from './record';
import { doubtsIn, fitSpreads, LEAST, respread } from './spreadFits';
import type { Applying, Sides, SpreadValues } from './spreadFits';
import { errorOf, quantile, statistics } from './statistics';
import type { Answer, GroupStatistics } from './statistics';

/* Do calibrated constants hold for runs that they were not taken from? The sources of published measurements are
   split in two by a digest of their names; each constant is fitted on one half, with the others as shipped, and
   scored on the other. */

/** Assigns a source to A or B by the parity of FNV-1a, so that a new source moves no other. */
function halfOf(source: string): Side {
  let digest = 0x811c9dc5;
  for (const byte of Buffer.from(source)) digest = Math.imul(digest ^ byte, 0x01000193) >>> 0;
  return (digest & 1) === 0 ? 'A' : 'B';
}

type Side = 'A' | 'B';

/** A constant fitted on one half; its score on the other half, with the shipped constant's score. */
interface Fit {
  readonly n: number;
  /** Null: too few records. */
  readonly value: string | null;
  readonly score: number | null;
  readonly shippedScore: number | null;
}

/** A row of the table of constants. */
export interface ConstantRow {
  readonly name: string;
  readonly shipped: string;
  readonly scoredBy: 'median error' | 'inside';
  readonly fits: Readonly<Record<Side, Fit>>;
}

/** All estimates of a half, with one half's constants or the shipped ones. */
export interface ScoreRow {
  readonly scoredOn: Side;
  readonly constants: 'shipped' | 'fitted on A' | 'fitted on B';
  readonly statistics: GroupStatistics;
}

/** The result of the split. */
export interface Halves {
  readonly sources: Readonly<Record<Side, number>>;
  readonly constants: readonly ConstantRow[];
  readonly scores: readonly ScoreRow[];
}

const OTHER = { A: 'B', B: 'A' } as const;
const SIDES = ['A', 'B'] as const;

export function halvesOf(published: readonly Measured[]): Halves {
  const shipped = answersWith(published, calibration);
  const influences = (Object.keys(calibration.scalars) as ScalarName[]).map(name =>
    influenceOf(name, shipped),
  );
  const applying = new Map(shipped.map(({ measured }) => [measured.id, doubtsIn(measured)]));
  const fitted = Object.fromEntries(
    SIDES.map(side => [side, fittedOn(side, shipped, influences, applying)]),
  ) as Record<Side, Fitted>;
  return {
    sources: { A: sourcesIn(shipped, 'A'), B: sourcesIn(shipped, 'B') },
    constants: [
      ...influences.map(scalarRow),
      ...(Object.keys(calibration.spreads) as SpreadName[]).map(name =>
        spreadRow(name, shipped, fitted, applying),
      ),
    ],
    scores: SIDES.flatMap(side => [
      { scoredOn: side, constants: 'shipped', statistics: statistics(inHalf(shipped, side)) },
      {
        scoredOn: side,
        constants: `fitted on ${OTHER[side]}`,
        statistics: statistics(inHalf(fitted[OTHER[side]].answers, side)),
      },
    ]),
  };
}

const answersWith = (records: readonly Measured[], measured: Calibration): readonly Answer[] =>
  answersTo(records, record => estimatedAs(record, { session: new MemorySession(measured) })).answers;

const inHalf = (answers: readonly Answer[], side: Side): readonly Answer[] =>
  answers.filter(({ measured }) => halfOf(measured.source) === side);

const sourcesIn = (answers: readonly Answer[], side: Side): number =>
  new Set(inHalf(answers, side).map(({ measured }) => measured.source)).size;

/** The effect of one scalar on the records that it affects: amounts are linear in it. */
interface Influence {
  readonly name: ScalarName;
  readonly shipped: number;
  readonly rows: readonly { readonly answer: Answer; readonly without: number }[];
}

function influenceOf(name: ScalarName, shipped: readonly Answer[]): Influence {
  const { value } = calibration.scalars[name];
  const beyond = shipped.filter(({ measured }) => measured.metric !== 'allocated');
  const none = answersWith(
    beyond.map(({ measured }) => measured),
    withScalars(new Map([[name, 0]])),
  );
  const without = new Map(none.map(({ measured, predicted }) => [measured.id, predicted]));
  return {
    name,
    shipped: value,
    rows: beyond.flatMap(answer => {
      const bare = without.get(answer.measured.id) ?? answer.predicted;
      return answer.predicted - bare > 1 ? [{ answer, without: bare }] : [];
    }),
  };
}

/** The median over sources of the median ideal value per record; null if there are too few. */
function fitScalar(
  { rows, shipped }: Influence,
  side: Side,
): { readonly n: number; readonly value: number | null } {
  const own = rows.filter(({ answer }) => halfOf(answer.measured.source) === side);
  if (own.length < LEAST) return { n: own.length, value: null };
  const sources = [...new Set(own.map(({ answer }) => answer.measured.source))];
  const medians = sources.map(source =>
    quantile(
      own
        .filter(({ answer }) => answer.measured.source === source)
        .map(({ answer, without }) => right(answer, without, shipped)),
      0.5,
    ),
  );
  return { n: own.length, value: Math.max(0, quantile(medians, 0.5)) };
}

const right = ({ measured, predicted }: Answer, without: number, shipped: number): number =>
  (shipped * (measured.bytes - without)) / (predicted - without);

function withScalars(values: ReadonlyMap<ScalarName, number>): Calibration {
  const entries = (Object.keys(calibration.scalars) as ScalarName[]).map(name => {
    const known = calibration.scalars[name];
    return [name, { ...known, value: values.get(name) ?? known.value }] as const;
  });
  return { ...calibration, scalars: Object.fromEntries(entries) as unknown as Calibration['scalars'] };
}

/** A half's constants, and all records estimated with them. */
interface Fitted {
  readonly spreads: SpreadValues;
  readonly counts: Readonly<Record<SpreadName, number>>;
  readonly answers: readonly Answer[];
}

function fittedOn(
  side: Side,
  shipped: readonly Answer[],
  influences: readonly Influence[],
  applying: Applying,
): Fitted {
  const scalars = new Map(
    influences.flatMap(influence => {
      const { value } = fitScalar(influence, side);
      return value === null ? [] : [[influence.name, value] as const];
    }),
  );
  const changed = answersWith(
    shipped.filter(({ measured }) => measured.metric !== 'allocated').map(({ measured }) => measured),
    withScalars(scalars),
  );
  const answers = [...shipped.filter(({ measured }) => measured.metric === 'allocated'), ...changed];
  const { spreads, counts } = fitSpreads(inHalf(answers, side), applying);
  return { spreads, counts, answers: answers.map(answer => respread(answer, spreads, applying)) };
}

/** The median absolute error with a value instead of the shipped one; null if there is nothing to score. */
function errorWith({ rows, shipped }: Influence, side: Side, value: number): number | null {
  const errors = rows
    .filter(({ answer }) => halfOf(answer.measured.source) === side)
    .map(({ answer, without }) => {
      const predicted = without + (answer.predicted - without) * (value / shipped);
      return Math.abs(errorOf({ ...answer, predicted }));
    });
  return errors.length === 0 ? null : quantile(errors, 0.5);
}

function scalarRow(influence: Influence): ConstantRow {
  const { name, shipped } = influence;
  const digits = name.endsWith('MiB') ? 0 : 3;
  const fit = (side: Side): Fit => {
    const { n, value } = fitScalar(influence, side);
    return {
      n,
      value: value === null ? null : value.toFixed(digits),
      score: value === null ? null : errorWith(influence, OTHER[side], value),
      shippedScore: errorWith(influence, OTHER[side], shipped),
    };
  };
  return { name, shipped: String(shipped), scoredBy: 'median error', fits: { A: fit('A'), B: fit('B') } };
}

function spreadRow(
  name: SpreadName,
  shipped: readonly Answer[],
  fitted: Readonly<Record<Side, Fitted>>,
  applying: Applying,
): ConstantRow {
  const inside = (answers: readonly Answer[], side: Side): number | null =>
    statistics(inHalf(answers, side).filter(({ measured }) => applying.get(measured.id)?.includes(name)))
      .coverage;
  const fit = (side: Side): Fit => {
    const { spreads, counts, answers } = fitted[side];
    const n = counts[name];
    const known = n >= LEAST;
    return {
      n,
      value: known ? written(spreads[name]) : null,
      score: known ? inside(answers, OTHER[side]) : null,
      shippedScore: inside(shipped, OTHER[side]),
    };
  };
  const { value } = calibration.spreads[name];
  return { name, shipped: written(value), scoredBy: 'inside', fits: { A: fit('A'), B: fit('B') } };
}

const written = ({ below, above }: Readonly<Sides>): string =>
  `−${Math.round(below * 100)} % +${Math.round(above * 100)} %`;
