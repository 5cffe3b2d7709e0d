import type { DataLengths } from '../learn/dataLengths';
import { useOf } from '../learn/dataLengths';
import { rowsOf } from '../learn/rows';
import type { Rows } from '../learn/rows';
import type { Estimate } from '../memory/estimate';
import type { RankWork } from '../memory/rankWork';
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
  const epoch = epochs > 0 ? epochOf(run, work, data) : null;
  if (epoch === null) return null;
  const { rows, steps } = epoch;
  const count = `${rows.isAtMost ? 'at most ' : ''}${groupDigits(rows.count)} rows`;
  return { steps: Math.max(1, Math.ceil(steps * epochs)), from: `${counted(epochs, 'epoch')} of ${count}` };
}

/** The steps over all rows once; null: unknown. */
export function epochOf(
  run: RunSpec,
  work: Estimate['work'],
  data: DataLengths | null,
): { readonly rows: Rows; readonly steps: number } | null {
  const rows = rowsOf(run, data);
  const rank = work?.[0];
  const steps = rows && rank ? stepsPerEpoch(rank, rows, data?.use ?? useOf(run)) : null;
  return rows === null || steps === null ? null : { rows, steps };
}

/** Steps over all rows once; null where the model writes the rows, or packs rows of unknown lengths. */
function stepsPerEpoch(rank: RankWork, all: Rows, use: DataLengths['use']): number | null {
  const samples = rank.rows * rank.passes * rank.sent.dataRanks;
  if (use === 'prompts') return null;
  if (use !== 'packed') return all.count / samples;
  return all.tokens === null ? null : all.tokens / (samples * rank.tokens);
}
