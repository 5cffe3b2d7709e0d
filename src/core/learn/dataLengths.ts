import type { Target } from '../hardware/gpu';
import type { Estimate } from '../memory/estimate';
import { estimateRun } from '../memory/estimateRun';
import type { MemorySession } from '../memory/session';
import type { ModelFacts } from '../models/model';
import { changed } from '../dialects/change';
import type { RunSpec } from '../spec/runSpec';
import { cutAt, longestOf, meanOf, shareAbove } from '../lengths/counts';
import { isWhole, longestRow, tokenBins } from '../lengths/record';
import type { LengthRecord } from '../lengths/record';

/**
 * How the data's lengths decide the batch. `longest`: padded to its longest row; `fixed`: padded to the limit;
 * `packed`: rows are filled up to the limit; `prompts`: the data are only prompts that the model completes.
 */
type RowUse = 'longest' | 'fixed' | 'packed' | 'prompts';

/** The effect of a run's data on its memory. */
export interface DataLengths {
  readonly record: LengthRecord;
  /** The files have changed since they were counted. */
  readonly isStale: boolean;
  /** Tokens per row that the config allows; null: no limit. */
  readonly limit: number | null;
  readonly use: RowUse;
  /** Tokens of the longest possible row, in steps of 64 as frameworks pad; null: unknown. */
  readonly longest: number | null;
  /** Share of rows that are longer than the limit. */
  readonly cutShare: number;
  /** Share of padding in a batch's tokens; null if there is none, or if the rows per batch are unknown. */
  readonly paddingShare: number | null;
  /** The estimate for the data's longest row; null if that changes nothing or cannot be computed. */
  readonly estimate: Estimate | null;
}

/** Tasks in which the model writes the rows. */
export const WRITTEN_TASKS: ReadonlySet<string> = new Set([
  'grpo',
  'ppo',
  'rloo',
  'online_dpo',
  'xpo',
  'nash_md',
  'gkd',
  'infer',
  'serve',
]);

/** Frameworks pad a batch to a multiple: 64 in Axolotl, 8 in LLaMA-Factory, configurable in TRL. */
const STEP = 64;

export const roundedUp = (tokens: number): number => Math.ceil(tokens / STEP) * STEP;

/** Other inputs of the run's estimate. */
interface LengthsFacts {
  readonly model: ModelFacts | null;
  readonly target: Target | null;
  /** Shared between estimates; absent: each is computed separately. */
  readonly memory?: MemorySession | undefined;
}

/** The counted lengths, compared with the config. */
export function dataLengths(
  run: RunSpec,
  { model, target, memory }: LengthsFacts,
  { record, isStale }: { readonly record: LengthRecord; readonly isStale: boolean },
): DataLengths {
  const limit = run.quantities.seqLen.value;
  const use = useOf(run);
  const longest = longestIn(record);
  const bins = tokenBins(record);
  const rest = {
    record,
    isStale,
    limit,
    use,
    longest,
    cutShare: limit === null ? 0 : shareAbove(bins, limit),
    paddingShare: paddingIn(run, use, limit, record),
  };
  const decides = use === 'longest' && longest !== null && !isStale && (limit === null || longest < limit);
  const at = decides ? estimateRun(withRowLimit(run, longest), model, target, { session: memory }) : null;
  return { ...rest, estimate: at?.ok === true ? at.estimate : null };
}

/** The run with another row limit. */
export const withRowLimit = (run: RunSpec, tokens: number): RunSpec =>
  changed(run, [{ quantity: 'seqLen', to: tokens }]);

/** The most tokens that a chat template adds on its own: a date, a system prompt (see CHAT_MARKS). */
const TEMPLATE = 40;

/** Rows that were not counted may be longer; then only the counted rows are known. */
function longestIn(record: LengthRecord): number | null {
  const { expected, high } = longestRow(record);
  const tokens = (high ?? expected) + (record.marks === null ? 0 : TEMPLATE);
  return tokens > 0 ? roundedUp(tokens) : null;
}

/** What a run does with the lengths of its rows. */
export function useOf({ quantities: { task, packing }, details }: RunSpec): RowUse {
  if (WRITTEN_TASKS.has(task.value ?? '')) return 'prompts';
  if (packing.value === true || (packing.value === null && task.value === 'pretrain')) return 'packed';
  return details.fixedLength?.value === true ? 'fixed' : 'longest';
}

function paddingIn(run: RunSpec, use: RowUse, limit: number | null, record: LengthRecord): number | null {
  const { microBatchSize } = run.quantities;
  const rows = microBatchSize.value;
  if (use === 'packed' || use === 'prompts' || rows === null) return null;
  if (use === 'longest' && (microBatchSize.unit ?? 'samples') !== 'samples') return null;
  const all = tokenBins(record);
  const bins = limit === null ? all : cutAt(all, limit);
  const padded = use === 'fixed' ? limit : longestOf(bins, rows);
  return padded === null || padded === 0 ? null : Math.max(0, 1 - meanOf(bins) / padded);
}

/** True if no row of the data can be longer, so that a limit above `longest` cuts nothing. */
export const isCertain = ({ record, isStale }: DataLengths): boolean =>
  !isStale && (isWhole(record) || (record.scanned && longestRow(record).high !== null));
