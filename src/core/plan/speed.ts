import { latestRates } from '../hardware/measuredRates';
import { estimateRun } from '../memory/estimateRun';
import type { MemorySession } from '../memory/session';
import type { Estimate } from '../memory/estimate';
import { withRowLimit } from '../learn/dataLengths';
import type { DataLengths } from '../learn/dataLengths';
import { usualRows } from '../learn/publishedRows';
import type { UsualRows } from '../learn/publishedRows';
import { cutAt, longestOf } from '../lengths/counts';
import { tokenBins } from '../lengths/record';
import type { RunAnalysis } from '../rules/analysis';
import { servedSpeed } from '../speed/serving';
import type { ServedSpeed } from '../speed/serving';
import { speedOf, withAssumedRows } from '../speed/speed';
import type { Range, SpeedOptions, SpeedResult } from '../speed/speed';
import { learnedSpeed } from './learnedSpeed';
import { runLength } from '../rules/runLength';
import type { RunSpec } from '../spec/runSpec';

/** What the speed of a run depends on. */
export type TimedRun = Pick<RunAnalysis, 'run' | 'model' | 'target' | 'estimate' | 'data' | 'lessons'>;

const embeds = ({ quantities }: RunSpec): boolean => quantities.task.value === 'embed';

/** True for a run that trains or embeds on a GPU of a known type, and has an estimate. */
export const hasSpeed = ({ run, estimate, target }: Pick<TimedRun, 'run' | 'estimate' | 'target'>): boolean =>
  (estimate?.work?.[0]?.task === 'train' || (embeds(run) && Boolean(estimate?.work?.length))) &&
  Boolean(target?.gpu);

/** True for a run whose time is asked for. */
export const isTimed = (analysis: RunAnalysis): boolean => analysis.judged && hasSpeed(analysis);

/**
 * Where only the data tell how long rows are, and nobody counted them: `usual`, as long as public data are, with an interval that
 * says so; `counted`, unknown; `full`, as long as the estimate has them, for comparing two runs.
 */
export type RowsAs = 'usual' | 'counted' | 'full';

/** The time and cost of a run; with counted data, of batches as long as the data make them. */
export function runSpeed(timed: TimedRun, session?: MemorySession, rows: RowsAs = 'usual'): SpeedResult {
  const { run, target, estimate, data, lessons } = timed;
  const known = data && !data.isStale ? data : null;
  const filled = known ? asData(timed, known, session) : null;
  const used = filled ?? estimate;
  const options = {
    rates: ratesOf(timed),
    length: used && runLength(run, used, known),
    embeds: embeds(run),
  };
  const isCounted = filled !== null || rows === 'full';
  const assumed = rows === 'usual' && !isCounted ? usualSpeed(timed, options, session) : null;
  const found = assumed ?? speedOf(used, target, { ...options, lengthsAreKnown: isCounted });
  return found.ok ? learnedSpeed(found, timed, lessons) : found;
}

/** Seconds of a step of a run that trains; null if unknown. */
export function secondsOfStep(analysis: RunAnalysis): Range | null {
  const speed = isTimed(analysis) && !embeds(analysis.run) ? runSpeed(analysis) : null;
  return speed?.ok ? speed.secondsPerStep : null;
}

/** The estimates of a run with rows as short, as expected and as long as public data have them. */
export interface UsualEstimates {
  readonly rows: UsualRows;
  readonly short: Estimate;
  readonly expected: Estimate;
  readonly long: Estimate;
}

export function usualEstimates(
  { run, model, target }: Pick<TimedRun, 'run' | 'model' | 'target'>,
  session?: MemorySession,
): UsualEstimates | null {
  const rows = usualRows(run, model);
  if (rows === null) return null;
  const at = (tokens: number): Estimate | null => {
    const found = estimateRun(withRowLimit(run, tokens), model, target, { session });
    return found.ok ? found.estimate : null;
  };
  const expected = at(rows.expected);
  const short = rows.short === rows.expected ? expected : at(rows.short);
  const long = rows.long === rows.expected ? expected : at(rows.long);
  return short && expected && long && { rows, short, expected, long };
}

/** Null where rows have a known length. */
function usualSpeed(timed: TimedRun, options: SpeedOptions, session?: MemorySession): SpeedResult | null {
  const isAtMost = timed.estimate?.work?.[0]?.isAtMost === true;
  const usual = isAtMost ? usualEstimates(timed, session) : null;
  if (usual === null) return null;
  const { rows, ...estimates } = usual;
  const at = (estimate: Estimate): SpeedResult =>
    speedOf(estimate, timed.target, { ...options, lengthsAreKnown: true });
  const expected = at(estimates.expected);
  const [short, long] = [at(estimates.short), at(estimates.long)];
  if (!expected.ok || !short.ok || !long.ok) return expected.ok ? null : expected;
  return withAssumedRows(expected, [short, long], { tokens: rows.expected, says: rows.says });
}

const ratesOf = ({ lessons, target }: Pick<TimedRun, 'lessons' | 'target'>): ReturnType<typeof latestRates> =>
  latestRates(lessons?.rates ?? [], target?.gpu?.name);

/** How fast a server answers; null for other runs, and where it is unknown. */
export const serverSpeed = ({ estimate, target, lessons }: TimedRun): ServedSpeed | null =>
  servedSpeed(estimate, target, ratesOf({ lessons, target }));

/** The run with batches of the length that its data usually give; null where they do not decide it. */
function asData(
  { run, model, target }: TimedRun,
  data: DataLengths,
  session?: MemorySession,
): Estimate | null {
  const rows = run.quantities.microBatchSize.value;
  if (data.use !== 'longest' || rows === null) return null;
  const bins = tokenBins(data.record);
  const tokens = longestOf(data.limit === null ? bins : cutAt(bins, data.limit), rows);
  if (!(tokens > 0)) return null;
  const found = estimateRun(withRowLimit(run, Math.ceil(tokens)), model, target, { session });
  return found.ok ? found.estimate : null;
}
