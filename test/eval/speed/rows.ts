import { join, resolve } from 'node:path';
import { existsSync, readdirSync } from 'node:fs';
import type { GpuFacts } from '../../../src/core/hardware/gpu';
import type { RankWork } from '../../../src/core/memory/rankWork';
import type { Estimate } from '../../../src/core/memory/estimate';
import { usualEstimates } from '../../../src/core/plan/speed';
import type { RunAnalysis } from '../../../src/core/rules/analysis';
import { speedOf } from '../../../src/core/speed/speed';
import { Checker, worldFor } from '../pairs/checker';
import { pairsIn } from '../pairs/pair';
import type { Pair } from '../pairs/pair';
import type { Catalogs } from '../../../src/world/catalogs';
import { questionOf } from './peers';
import type { PeerQuestion } from './peers';
import { inTable, isOfTable, textAt } from './table';
import { UsageError } from '../toolArguments';

/** A measured speed, and the work that the file's run was found to have. */
export interface Row {
  readonly source: string;
  readonly id: string;
  readonly several: boolean;
  readonly gpu: GpuFacts;
  readonly ranks: readonly RankWork[];
  /** Measured seconds of one step. */
  readonly seconds: number;
  /** What other tools are asked. */
  readonly question: PeerQuestion | null;
  /** Nobody counted the data: the same with the shortest and the longest usual rows. */
  readonly others?: readonly Pick<Row, 'ranks' | 'seconds'>[];
}

/** A measured speed whose file has no answer, and why. */
interface Unanswered {
  readonly source: string;
  readonly id: string;
  readonly several: boolean;
  readonly missing: readonly string[];
}

export interface Rows {
  readonly rows: readonly Row[];
  readonly unanswered: readonly Unanswered[];
}

/** Metrics from the one that says most: the same run is measured once. */
const METRICS = ['tokens/s/gpu', 'seconds/step', 'train seconds'];

interface SpeedPair extends Pair {
  /** Optimizer steps in `train seconds`. */
  readonly steps?: number;
  /** Tokens of a row as measured, where the data were counted. */
  readonly tokens_per_row?: number;
}

/** One pair for each run and machine: the first of the metrics that it has. */
function chosen(pairs: readonly SpeedPair[]): readonly SpeedPair[] {
  const found = new Map<string, SpeedPair>();
  const rank = ({ metric }: Pair): number => METRICS.indexOf(metric);
  for (const pair of pairs) {
    if (rank(pair) < 0 || pair.suspect === true) continue;
    const key = `${pair.file}\n${pair.run ?? ''}\n${pair.gpu}\n${pair.gpus}`;
    const before = found.get(key);
    if (!before || rank(pair) < rank(before)) found.set(key, pair);
  }
  return [...found.values()];
}

/** Reads every measured speed below a folder of pairs. */
export async function rowsIn(dir: string, sets: readonly string[], catalogs: Catalogs): Promise<Rows> {
  const gpus = await catalogs.gpus();
  const rows: Row[] = [];
  const unanswered: Unanswered[] = [];
  const all = readdirSync(dir).filter(name => existsSync(join(dir, name, 'truth.jsonl')));
  const asked = all.filter(name => sets.length === 0 || sets.includes(name));
  if (asked.length === 0) throw new UsageError(`${dir} holds no folder with a truth.jsonl.`);
  for (const source of asked.toSorted()) {
    const given = pairsIn(join(dir, source, 'truth.jsonl'));
    const pairs = chosen(given.map(pair => (isOfTable(pair) ? inTable(pair) : pair)));
    const checker = new Checker(resolve(dir, source, 'files'), worldFor(catalogs, gpus), gpus, textAt);
    for (const pair of pairs) {
      const found = await rowOf(source, pair, checker);
      if ('missing' in found) unanswered.push(found);
      else rows.push(found);
    }
  }
  return { rows, unanswered };
}

async function rowOf(source: string, pair: SpeedPair, checker: Checker): Promise<Row | Unanswered> {
  const { id } = pair;
  const several = pair.gpus > 1;
  const lacking = (...missing: readonly string[]): Unanswered => ({ source, id, several, missing });
  const judged = (await checker.runsFor(pair)).filter(
    ({ judged: is, run }) => is && (pair.run ?? run.name) === run.name,
  );
  const [found] = judged;
  if (!found || judged.length > 1) return lacking('a run that is read from the file');
  if (!found.estimate) return lacking(...found.missing);
  return measuredRow({ source, id, several }, pair, found.estimate, found);
}

function measuredRow(
  of: Pick<Row, 'source' | 'id' | 'several'>,
  pair: SpeedPair,
  estimate: Estimate,
  found: RunAnalysis,
): Row | Unanswered {
  const counted = lengthsOf(pair, estimate.work ?? []);
  const usual = estimate.work?.[0]?.isAtMost && !counted ? usualEstimates(found) : null;
  const expected = usual?.expected ?? estimate;
  const answer = speedOf(expected, found.target, { lengthsAreKnown: counted || usual !== null });
  if (!answer.ok) return { ...of, missing: answer.missing };
  const measured = (one: Estimate): Pick<Row, 'ranks' | 'seconds'>[] => {
    const ranks = one.work ?? [];
    const seconds = secondsOf(pair, ranks);
    return seconds === null ? [] : [{ ranks, seconds }];
  };
  const [row] = measured(expected);
  const gpu = found.target?.gpu;
  if (!row || !gpu) return { ...of, missing: ['the steps of the measured run'] };
  const others = usual ? { others: [usual.short, usual.long].flatMap(measured) } : {};
  const question = questionOf(`${of.source}/${of.id}`, found, pair.gpus, row.ranks);
  return { ...of, gpu, ...row, question, ...others };
}

/** The data were counted, and rows are as long as the estimate has them. */
function lengthsOf({ tokens_per_row: tokens }: SpeedPair, [rank]: readonly RankWork[]): boolean {
  return tokens !== undefined && rank !== undefined && Math.abs(tokens / rank.tokens - 1) < 0.02;
}

function secondsOf(pair: SpeedPair, [rank]: readonly RankWork[]): number | null {
  if (!rank) return null;
  if (pair.metric === 'seconds/step') return pair.value;
  if (pair.metric === 'train seconds') return pair.steps ? pair.value / pair.steps : null;
  const slice = rank.sent.tensorRanks * rank.stages;
  return (rank.rows * rank.tokens * rank.passes) / slice / pair.value;
}
