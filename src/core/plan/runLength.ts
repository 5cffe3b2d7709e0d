import { datasetsOf } from '../dialects/datasetsOf';
import type { DataLengths } from '../learn/dataLengths';
import { useOf } from '../learn/dataLengths';
import { publishedLengths } from '../lengths/published';
import { isWhole, meanTokens } from '../lengths/record';
import type { Estimate } from '../memory/estimate';
import type { RankWork } from '../memory/rankWork';
import type { DatasetRef } from '../spec/dataset';
import type { RunSpec } from '../spec/runSpec';
import type { RunLength } from '../speed/speed';
import { counted, groupDigits } from '../units';

/**
 * The steps of a run: as the config says, or by its epochs where the data were counted, the config limits their rows, or
 * ms-swift's table of public datasets has them; null: unknown.
 */
export function runLength(run: RunSpec, { work }: Estimate, data: DataLengths | null): RunLength | null {
  const most = run.details.maxSteps?.value ?? 0;
  if (most > 0) return { steps: Math.round(most), from: 'as the config says' };
  const epochs = run.details.epochs?.value ?? 0;
  const rank = work?.[0];
  return epochs > 0 && rank ? ofEpochs(epochs, run, rank, data) : null;
}

function ofEpochs(epochs: number, run: RunSpec, rank: RankWork, data: DataLengths | null): RunLength | null {
  const rows = (data && countedRows(data)) ?? statedRows(datasetsOf(run));
  const steps = rows && stepsPerEpoch(rank, rows, data?.use ?? useOf(run));
  if (rows === null || steps === null) return null;
  const count = `${rows.isAtMost ? 'at most ' : ''}${groupDigits(rows.count)} rows`;
  return { steps: Math.max(1, Math.ceil(steps * epochs)), from: `${counted(epochs, 'epoch')} of ${count}` };
}

/** The rows of an epoch. */
interface Rows {
  readonly count: number;
  readonly isAtMost: boolean;
  /** Tokens of all rows; null: unknown. */
  readonly tokens: number | null;
}

function countedRows({ record }: DataLengths): Rows | null {
  if (!isWhole(record)) return null;
  return { count: record.rows, isAtMost: false, tokens: record.rows * meanTokens(record) };
}

/** Null if a dataset has neither rows in the config nor in the table. */
function statedRows(datasets: readonly DatasetRef[]): Rows | null {
  const all = datasets.flatMap(dataset => rowsOf(dataset) ?? []);
  if (all.length === 0 || all.length < datasets.length) return null;
  const sum = (of: (one: Rows) => number): number => all.reduce((total, one) => total + of(one), 0);
  const areKnown = all.every(({ tokens }) => tokens !== null);
  return {
    count: sum(({ count }) => count),
    isAtMost: all.some(({ isAtMost }) => isAtMost),
    tokens: areKnown ? sum(({ tokens }) => tokens ?? 0) : null,
  };
}

function rowsOf({ path, rows, mostRows }: DatasetRef): Rows | null {
  const published = publishedLengths(path);
  const drawn = Math.min(mostRows ?? Infinity, published?.rows ?? Infinity);
  const count = rows ?? drawn;
  if (!Number.isFinite(count)) return null;
  const isAtMost = rows === undefined && published === null;
  return { count, isAtMost, tokens: published && count * published.mean };
}

/** Steps over all rows once; null where the model writes the rows, or packs rows of unknown lengths. */
function stepsPerEpoch(rank: RankWork, all: Rows, use: DataLengths['use']): number | null {
  const samples = rank.rows * rank.passes * rank.sent.dataRanks;
  if (use === 'prompts') return null;
  if (use !== 'packed') return all.count / samples;
  return all.tokens === null ? null : all.tokens / (samples * rank.tokens);
}
